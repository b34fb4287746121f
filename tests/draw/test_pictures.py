"""Pictures of boards as SVG text: eight invariants of all boards, and a few pictures that are stored.

`python -m tests.draw.test_pictures` stores the pictures again after an intended change. Look at them.
"""

import os
import re
import subprocess
import sys
from base64 import b64decode
from colorsys import rgb_to_hsv
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from math import nan
from pathlib import Path

import numpy as np
import pytest
from matplotlib.path import Path as Outline

from catan_cp import LAYOUTS, Board, Harbor, Layout, board_svg, generate_board
from tests.draw.svg_shapes import Picture

GOLDEN = Path(__file__).with_name("golden")
THEMES = ("light", "plain", "dark", "print")
NAMES = (
    *("base-5-6", "rivers-of-catan", "new-shores-4", "fishermen-of-catan", "traders-barbarians"),
    "explorers-pirates",
)
LANDS = ("brick", "grain", "wool", "ore", "lumber", "gold", "desert")
TOKENS = (2, 3, 6, 8, 10, 11)
SEVEN = Layout("seven", (2, 3, 2), dict.fromkeys(LANDS, 1), dict.fromkeys(TOKENS, 1), second_marker={2: 12})
GROUND = type(LAYOUTS["fishermen-of-catan"].fishing_grounds[0])
TRADES = ("3:1", "brick", "grain", "wool", "ore", "lumber")
ISLAND = """
title = "Sideways"
columns = 4
sideways = true
board = '''
~       ~       ~       ~
    b6      ~3W     ~f10S   ~
~       k       w8      s       ~
'''

[terrains]
lake = "k"
"""


@cache
def full_board(name: str) -> Board:
    """Return the first board of a layout with its harbors and fishing grounds."""
    layout = LAYOUTS[name]
    first = Board.from_notation(layout.beginner_board) if layout.beginner_board else None
    board = first or generate_board("open", layout, seed=1)
    return replace(board, harbors=layout.printed_harbors, fishing_grounds=layout.fishing_grounds)


def rgb(color: str) -> tuple[float, ...]:
    return tuple(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))


def lightness(color: str) -> float:
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), rgb(color), strict=True))


def difference(a: str, b: str) -> float:
    return max(abs(x - y) for x, y in zip(rgb(a), rgb(b), strict=True))


boards = pytest.mark.parametrize("board", list(map(full_board, NAMES)), ids=NAMES)
themes = pytest.mark.parametrize("theme", THEMES)


# Invariants


@boards
def test_every_tile_once(board):
    picture = Picture(board)
    hexagons = picture.shapes("land", "sea")
    middles = sorted(tuple(shape.middle.round(1)) for shape in hexagons)
    assert np.array(middles) == pytest.approx(np.array(sorted(map(tuple, picture.tiles.round(1)))), abs=0.11)
    colors: dict[str, set[str]] = {}
    for shape in hexagons:
        radii = np.hypot(*(shape.points - shape.middle).T)
        assert max(radii) - min(radii) < 0.05 < 0.9 * picture.unit < min(radii) < picture.unit
        tile = np.hypot(*(picture.tiles - shape.middle).T).argmin()
        colors.setdefault(board.terrain[tile], set()).add(shape.fill)
    assert all(len(fills) == 1 for fills in colors.values())
    known = [fills.pop() for terrain, fills in colors.items() if terrain not in board.layout.further_terrains]
    assert len(set(known)) == len(known)


@boards
def test_motifs_within_their_tiles(board):
    picture = Picture(board)
    points = np.concatenate([shape.points for shape in picture.shapes("patterns")])
    turns = np.pi / 3 * np.arange(6) + (np.pi / 6 if board.layout.sideways else 0)
    normals = np.array([np.cos(turns), np.sin(turns)])
    reach = np.abs((points[:, None] - picture.tiles[None]) @ normals).max(axis=2)
    assert reach.min(axis=1).max() < 0.95 * picture.unit * 3**0.5 / 2
    bare = {tile for tile, terrain in enumerate(board.terrain) if terrain in board.layout.further_terrains}
    assert {*range(board.layout.n_tiles)} - bare <= {*reach.argmin(axis=1)}
    assert not Picture(board, patterns=False).shapes("patterns")
    assert Picture(board, patterns=True, theme="plain").shapes("patterns")


@pytest.mark.parametrize(
    ("board", "theme"),
    [(full_board(NAMES[0]), theme) for theme in THEMES] + [(full_board(name), "light") for name in NAMES[1:]],
)
def test_number_tokens_are_readable(board, theme):
    picture, layout = Picture(board, theme=theme), board.layout
    spots = [(spot, m) for spot, m in zip(picture.tiles, board.markers or (), strict=True) if m is not None]
    discs, numbers, pips = (picture.shapes(name) for name in ("discs", "numbers", "pips"))
    outlines: dict[object, int] = {}
    for (spot, marker), disc, number in zip(spots, discs, numbers, strict=True):
        assert disc.middle == pytest.approx(spot, abs=0.05)
        assert np.all(disc.low < number.low) and np.all(number.high < disc.high)
        assert lightness(disc.fill) - lightness(number.fill) > 0.45
        outlines.setdefault(len(number.points), marker)
        assert (rgb(number.fill)[0] > 0.5) == bool({6, 8} & set(layout.numbers_of(marker)))
        below = [pip for pip in pips if np.hypot(*(pip.middle - spot)) < disc.radius]
        assert len(below) == layout.marker_pips(marker)
        assert all(pip.middle[1] > number.high[1] for pip in below)
    assert len(pips) == sum(layout.marker_pips(marker) for _, marker in spots)


@themes
def test_harbors_beside_their_edges(theme):
    board = full_board("base-5-6")
    picture = Picture(board, theme=theme)
    colors = {}
    signs, piers = picture.shapes("harbors"), iter(picture.shapes("piers"))
    for harbor, sign in zip(board.harbors, signs, strict=True):
        ends = picture.vertices[list(harbor.vertices)]
        distances = [np.hypot(*(sign.middle - end)) / picture.unit for end in ends]
        assert distances == pytest.approx([np.hypot(0.5, 0.56)] * 2, abs=0.01)
        assert min(np.hypot(*(picture.tiles - sign.middle).T)) > picture.unit, "in the water"
        for end in ends:
            assert min(np.hypot(*(next(piers).points - end).T)) < 0.1 * picture.unit
        colors.setdefault(harbor.trade, sign.fill)
        icons = [i for i in picture.shapes("icon") if np.hypot(*(i.middle - sign.middle)) < sign.radius]
        assert bool(icons) == (harbor.trade != "3:1")
    assert len(set(colors.values())) == len(colors) == 6 or theme == "print"
    assert not picture.shapes("letters") and not Picture(board, letters=True, theme=theme).shapes("icon")


@boards
def test_everything_within_picture(board):
    near = board.layout.vertex_neighbors
    order = [(player, vertex, near[vertex][0]) for player, vertex in ((1, 0), (2, 10), (2, 15), (1, 5))]
    heat = [float(v) for v in range(board.layout.n_vertices)]
    options = {"title": "A title of a board " * 3, "key": True, "letters": True, "heat_label": "pips"}
    rings = {"ring_tiles": [0], "ring_vertices": [20]}
    picture = Picture(board, placement=order, heat=heat, numbers=True, **options, **rings)
    for name, shapes in picture.groups:
        for shape in shapes:
            assert np.all(shape.low > -0.1) and np.all(shape.high < picture.size + 0.1), name
    names = [name for name, _ in picture.groups]
    assert names.index("heat") < names.index("settlements") < names.index("order")
    assert names[::-1].index("rings") > names[::-1].index("vertex-numbers"), "numbers are above rings"
    assert len(picture.shapes("tile-numbers")) == board.layout.n_tiles
    assert len(picture.shapes("vertex-numbers")) == board.layout.n_vertices
    assert len(picture.shapes("letters")) == board.layout.n_tiles
    assert len(picture.shapes("terrain-name")) == len(set(board.terrain))
    assert len(picture.shapes("player-name")) == 2
    assert min(len(picture.shapes(name)) for name in ("title", "heat-label", "roads")) > 0
    one, two = (Picture(board, title=title).shapes("title") for title in ("a title", "Two lines\na title"))
    assert (len(one), len(two)) == (1, 2)
    assert two[1].low[1] > 0


def test_hollow_of_crescent_is_empty():
    """Water has the shape of the frame, also around fishing grounds."""
    plain = full_board("explorers-pirates")
    around = map(plain.layout.hexagon_vertices, plain.layout.sea_frame)
    three = next(v[i : i + 3] for v in around for i in range(4) if -1 not in v[i : i + 3])
    layout = replace(plain.layout, name="fished", fishing_grounds=[GROUND(three, 4)])
    picture = Picture(Board(layout, plain.terrain, plain.markers, plain.harbors))
    water, beach = picture.shapes("frame")[:2]
    parts = [*water.points.reshape(-1, 3, 2), *beach.points.reshape(-1, 6, 2)]  # triangles and hexagons
    right = max(x for x, _ in (*layout.sea_frame, *layout.tiles))
    (hollow,) = picture.places([(right, 9)])
    assert not any(Outline(part).contains_point(hollow) for part in parts)
    for tile in picture.tiles:
        assert any(Outline(part).contains_point(tile) for part in parts)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colors_are_distinct_and_calm(theme):
    """The strongest colours are well below the neon green of dralexportfolio 2025."""
    board = Board(SEVEN, LANDS)
    plain, warm = (
        [shape.fill for shape in Picture(board, heat=heat, theme=theme).shapes("land")]
        for heat in (None, range(24))
    )
    for a, b in combinations(range(7), 2):
        assert difference(warm[a], warm[b]) > difference(plain[a], plain[b]) / 2 > 0.02
    for fill in plain:
        _, saturation, value = rgb_to_hsv(*rgb(fill))
        assert saturation * value < 0.72
    players = Picture(board, placement=[(n, 4 * n) for n in range(1, 5)], theme=theme).shapes("settlements")
    assert all(difference(a.fill, b.fill) > 0.2 for a, b in combinations(players, 2))


@themes
def test_heat_is_dark_for_high_values(theme):
    board = full_board("base")
    values = [None, nan, *map(float, board.vertex_pips()[2:])]
    picture = Picture(board, heat=values, theme=theme)
    spots = picture.shapes("heat")
    assert len(spots) == 52
    fills = {}
    for spot in spots:
        vertex = np.hypot(*(picture.vertices - spot.middle).T).argmin()
        assert spot.middle == pytest.approx(picture.vertices[vertex], abs=0.05)
        fills.setdefault(values[vertex], set()).add(spot.fill)
    assert all(len(colors) == 1 for colors in fills.values())
    ordered = [lightness(*fills[value]) for value in sorted(fills)]
    assert all(low > high for low, high in pairwise(ordered))
    equal = Picture(board, heat=[None, *[3.0] * 53], theme=theme).shapes("heat")
    assert len({spot.fill for spot in equal}) == 1


def test_settlements_and_roads_on_board():
    board = full_board("base")
    near = board.layout.vertex_neighbors
    order = [(1, 0, near[0][0]), (2, 10, None), (2, 20, None), (1, 30, near[30][1])]
    picture = Picture(board, placement=order)
    houses, numbers = picture.shapes("settlements"), picture.shapes("order")
    for (player, vertex, _), house, number in zip(order, houses, numbers, strict=True):
        assert np.hypot(*(house.middle - picture.vertices[vertex])) < 0.1 * picture.unit
        assert np.hypot(*(number.middle - picture.vertices[vertex])) < 0.1 * picture.unit
        assert (house.fill == houses[0].fill) == (player == 1)
    roads = picture.shapes("roads")
    for (_, *ends), road in zip((order[0], order[3]), roads, strict=True):
        start, end = picture.vertices[ends]
        for point in road.points:
            share = np.dot(point - start, end - start) / np.dot(end - start, end - start)
            assert 0 < share < 1 and point == pytest.approx(start + share * (end - start), abs=0.05)


def test_same_board_same_text():
    board = full_board("base")
    code = (
        "import matplotlib; matplotlib.rcParams.update({'svg.hashsalt': 'other', 'font.size': 30});"
        "import sys, catan_cp; board = catan_cp.Board.from_notation(sys.argv[1]);"
        "sys.stdout.write(catan_cp.board_svg(board))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, board.notation()], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert result.stdout == board_svg(board) == board._repr_svg_()
    assert board.notation() in result.stdout
    assert not re.search(r"20\d\d-\d\d", result.stdout)


def test_notebook_stores_png_beside_svg():
    """A notebook opened untrusted shows no SVG. Jupyter stores every format that a value offers."""
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    board = full_board("base")
    formats, _ = shell.display_formatter.format(board)
    assert {"image/png", "image/svg+xml", "text/plain"} <= set(formats)
    png = formats["image/png"]
    assert (png if isinstance(png, bytes) else b64decode(png)) == board._repr_png_()


# Stored pictures


def stored_pictures(folder: Path) -> dict[str, str]:
    """Return the text of each stored picture. Together they have all options and kinds of shapes."""
    places = SEVEN.coast_edges[::3]
    harbors = [Harbor(place, trade) for place, trade in zip(places, TRADES, strict=True)]
    board = Board(SEVEN, LANDS, (*TOKENS, None), harbors)
    pips = board.vertex_pips()
    settlements = [(1, 0, board.layout.vertex_neighbors[0][0]), (2, 8, None), (3, 14, None), (4, 23, None)]
    file = folder / "island.toml"
    file.write_text(ISLAND, encoding="utf-8")
    island = Layout.from_toml(file)
    shore = Board(island, *(getattr(Board.from_notation(island.beginner_board, island), part)
        for part in ("terrain", "markers")), island.printed_harbors, island.fishing_grounds)  # fmt: skip
    rivers = replace(full_board("rivers-of-catan"), fishing_grounds=[GROUND((1, 0, 5), 10)])
    return {
        "placement": board_svg(board, placement=settlements, arrows=[(8, 14)], ghosts=[(1, 20)], key=True),
        "values": board_svg(board, heat=pips, heat_label="pips", ring_tiles=[4], ring_vertices=[12]),
        "printed": board_svg(board, letters=True, numbers=True, title="Two\nlines", theme="print"),
        "sideways": board_svg(shore, heat=[1.0] * island.n_vertices, key=True, theme="dark"),
        "rivers": board_svg(rivers, letters=True, theme="plain"),
    }


NUMBER = r"-?\d*\.?\d+"


@pytest.mark.parametrize("name", ["placement", "values", "printed", "sideways", "rivers"])
def test_picture_is_stored_one(name, tmp_path):
    picture = stored_pictures(tmp_path)[name]
    stored = (GOLDEN / f"{name}.svg").read_text(encoding="utf-8")
    assert re.sub(NUMBER, "0", picture) == re.sub(NUMBER, "0", stored)
    numbers, expected = (list(map(float, re.findall(NUMBER, text))) for text in (picture, stored))
    assert np.abs(np.subtract(numbers, expected)).max() < 0.025, "a rounding apart"


if __name__ == "__main__":
    for title, text in stored_pictures(Path(sys.argv[1] if sys.argv[1:] else "/tmp")).items():
        (GOLDEN / f"{title}.svg").write_text(text, encoding="utf-8")
