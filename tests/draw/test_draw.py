"""Pictures: looked at pixel by pixel, as files, and as SVG."""

import os
import re
import struct
import subprocess
import sys
import time
from base64 import b64decode
from colorsys import rgb_to_hsv
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from catan_cp import (
    LAYOUTS,
    Board,
    InvalidArgument,
    InvalidBoard,
    Layout,
    Rules,
    board_png,
    board_svg,
    generate_board,
    plot_board,
    plot_gallery,
    print_sheet,
    save_picture,
)
from catan_cp.boards.layout import CLASSIC
from catan_cp.boards.pieces import UNNUMBERED, FishingGround
from catan_cp.draw import picture, plot_pair
from catan_cp.draw.glyphs import text_width
from catan_cp.draw.picture import text_path
from catan_cp.draw.shapes import places
from catan_cp.draw.style import SCENES, THEMES, heat_color
from catan_cp.draw.titles import SMALLEST, fitted

ARTICLE = {  # the entropy article's colours
    "brick": (180, 60, 30), "lumber": (10, 80, 10), "wool": (20, 200, 50), "grain": (250, 230, 20),
    "ore": (127, 127, 127), "gold": (160, 140, 50), "desert": (230, 210, 150), "sea": (80, 210, 240),
}  # fmt: skip
RULE_BOOK = Board.from_notation(LAYOUTS["base"].beginner_board)
HARBORED = Board("base", RULE_BOOK.terrain, RULE_BOOK.markers, LAYOUTS["base"].printed_harbors)
ORDER = [(1, 0), (2, 5), (3, 10), (4, 15), (4, 30), (3, 35), (2, 40), (1, 45)]


def full_board(layout: str) -> Board:
    """The layout's pieces in the order of their codes, markers in the order of their numbers."""
    shape = LAYOUTS[layout]
    terrain = [name for name, count in shape.terrain_counts.items() for _ in range(count)]
    supply = iter([marker for marker, count in shape.marker_supply.items() for _ in range(count)])
    return Board(shape, terrain, [None if name in UNNUMBERED else next(supply) for name in terrain])


@dataclass
class Pixels:
    """Return the pixels of axes, addressed by their coordinates."""

    ax: Axes
    image: np.ndarray

    def at(self, x: float, y: float) -> tuple[int, ...]:
        column, row = self.ax.transData.transform((x, y))
        return tuple(self.image[self.image.shape[0] - 1 - int(row), int(column), :3].tolist())


def pixels(ax: Axes) -> Pixels:
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return Pixels(ax, np.asarray(canvas.buffer_rgba()))


def tile_centre(board: Board, tile: int) -> tuple[float, float]:
    x, y = board.layout.tiles[tile]
    return x * 3**0.5 / 2, -y / 2


def vertex_place(board: Board, vertex: int) -> tuple[float, float]:
    x, y = board.layout.vertices[vertex]
    return x * 3**0.5 / 2, -y / 2


def centres(board: Board) -> list[tuple[float, float]]:
    return places(board.layout.tiles, board.layout)


def artists(ax: Axes, gid: str) -> list:
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def assert_apart_and_within(room, boxes) -> None:
    """Check that no two of these boxes overlap, and that all are inside their space."""
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    for box in boxes:
        assert room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1


# The board


@pytest.mark.parametrize("layout", CLASSIC)
def test_each_tile_is_colored_hexagon(layout):
    board = full_board(layout)
    image = pixels(plot_board(board, theme="plain"))
    for tile, name in enumerate(board.terrain):
        x, y = tile_centre(board, tile)
        # Near all six corners, and outside the marker's disc.
        for dx, dy in [(0, 0.85), (0, -0.85), (0.73, 0.42), (0.73, -0.42), (-0.73, 0.42), (-0.73, -0.42)]:
            assert image.at(x + dx, y + dy) == pytest.approx(ARTICLE[name], abs=1), (layout, tile)


def test_marker_shows_number_and_pips():
    """And both numbers of a disc that has two, as 2/12, with the pips of both under them."""
    pair = Layout("pair", (2,), {"ore": 1, "wool": 1}, {2: 1, 4: 1}, second_marker={2: 6})
    bare = Board("base", RULE_BOOK.terrain)
    for board in (RULE_BOOK, Board(pair, ("ore", "wool"), (2, 4)), first_board("rivers-of-catan"), bare):
        ax = plot_board(board)
        (numbers,), (dots,) = artists(ax, "numbers"), artists(ax, "pips")
        numbered = [(spot, m) for spot, m in zip(centres(board), board.markers, strict=True) if m is not None]
        inks = numbers.get_facecolors()
        for ((x, y), marker), path, ink in zip(numbered, numbers.get_paths(), inks, strict=True):
            result = board.layout.numbers_of(marker)
            lift, cap = (0.07, 0.33) if len(result) == 1 else (0.08, 0.22)
            shape = text_path("/".join(map(str, result)), (x, y + lift), cap)
            assert np.array_equal(path.vertices, shape.vertices)
            under = sum(abs(dx - x) < 0.4 and -0.4 < dy - y < 0 for dx, dy in dots.get_offsets())
            assert under == board.layout.marker_pips(marker)
            assert tuple(ink[:3]) == (THEMES["light"].red if {6, 8} & set(result) else THEMES["light"].number)
        assert len(dots.get_offsets()) == sum(board.layout.marker_pips(m) for _, m in numbered)
        assert len(artists(ax, "discs")[0].get_offsets()) == len(numbered)


def test_patterns_stay_inside_their_tiles():
    board = full_board("seafarers-10")
    drawn = artists(plot_board(board), "patterns")
    points = np.concatenate([path.vertices for shapes in drawn for path in shapes.get_paths()])
    centres = np.array([tile_centre(board, tile) for tile in range(board.layout.n_tiles)])
    offsets = points[:, None] - centres[None]
    turns = np.pi / 3 * np.arange(6)
    reach = np.abs(offsets @ np.array([np.cos(turns), np.sin(turns)])).max(axis=2)
    nearest = reach.min(axis=1)
    assert nearest.max() < 0.95 * 3**0.5 / 2
    assert set(reach.argmin(axis=1)) == set(range(board.layout.n_tiles))


def test_light_and_dark_themes():
    image = pixels(plot_board(full_board("base-5-6"), theme="print"))
    dark = (image.image[:, :, :3].astype(int).sum(axis=2) < 200).mean()
    white = (image.image[:, :, :3] > 250).all(axis=2).mean()
    assert 0.01 < dark < 0.12
    assert white > 0.6
    assert max(pixels(plot_board(RULE_BOOK, theme="dark")).image[0, 0, :3]) < 40


@pytest.mark.parametrize("theme", ["light", "plain", "dark", "print"])
def test_every_theme_draws_everything(theme):
    heat = HARBORED.vertex_pips()
    image = pixels(plot_board(HARBORED, ORDER, heat=heat, letters=True, title="all", theme=theme))
    assert image.ax.get_title() == "all"
    for gid in ("discs", "numbers", "pips", "letters", "harbors", "piers", "heat", "settlements", "order"):
        assert artists(image.ax, gid), gid


# Harbors


@pytest.mark.parametrize("theme", ["plain", "print"])
def test_harbors_with_piers_and_icons(theme):
    """By colour alone, a reader in a hurry or without colours cannot tell them."""
    ax = plot_board(HARBORED, theme=theme)
    ((signs,), (piers,)), image = (artists(ax, gid) for gid in ("harbors", "piers")), pixels(ax)
    centre, starts = tile_centre(HARBORED, 9), iter(piers.get_paths())
    for harbor, (x, y) in zip(HARBORED.harbors, signs.get_offsets(), strict=True):
        ends = [vertex_place(HARBORED, vertex) for vertex in harbor.vertices]
        assert [np.hypot(x - ex, y - ey) for ex, ey in ends] == pytest.approx([np.hypot(0.5, 0.56)] * 2)
        middle = np.mean(ends, axis=0)
        assert np.hypot(x - centre[0], y - centre[1]) > np.hypot(*(middle - centre))  # in the water
        color = THEMES[theme].disc if harbor.trade == "3:1" else THEMES[theme].terrain[harbor.trade]
        assert image.at(x + 0.3, y + 0.02) == pytest.approx([255 * part for part in color], abs=1)
        for end in ends:
            corners = next(starts).vertices
            assert (corners[0] + corners[3]) / 2 == pytest.approx(end)
    special = {harbor.trade for harbor in HARBORED.harbors if harbor.trade != "3:1"}
    assert len(special) == len({SCENES[trade].split()[0] for trade in special}) == 5
    icons = [path.vertices for drawn in artists(ax, "icon") for path in drawn.get_paths()]
    for trade, spot in zip(HARBORED.harbors, signs.get_offsets(), strict=True):
        on_sign = [icon for icon in icons if np.abs(icon - spot).max() < 0.33]
        assert bool(on_sign) == (trade.trade != "3:1")
    lettered = plot_board(HARBORED, theme=theme, letters=True)
    assert artists(lettered, "icon") == []
    assert sum(len(drawn.get_paths()) for drawn in artists(lettered, "trade")) == 9


# Settlements and heat


def test_settlements_on_their_vertices_in_colours():
    board, order = RULE_BOOK, ORDER
    ax = plot_board(board, order)
    image = pixels(ax)
    colors = {}
    for player, vertex in order:
        x, y = vertex_place(board, vertex)
        assert colors.setdefault(player, image.at(x - 0.17, y - 0.13)) == image.at(x - 0.17, y - 0.13)
    assert len(set(colors.values())) == 4
    (numbers,) = artists(ax, "order")
    for (_, vertex), path in zip(order, numbers.get_paths(), strict=True):
        box = path.get_extents()
        assert np.hypot(*np.subtract(box.p0 + box.p1, 2 * np.array(vertex_place(board, vertex)))) < 0.1
    assert len({len(path.vertices) for path in numbers.get_paths()}) > 3  # 1 to 8, not the same digit
    assert len(artists(ax, "player-name")) == 4


def test_roads_on_their_edges_in_colours():
    near = RULE_BOOK.layout.vertex_neighbors
    order = [(1, 0, near[0][0]), (2, 10), (2, 20, None), (1, 30, near[30][1])]
    ax = plot_board(RULE_BOOK, order)
    (roads,) = artists(ax, "roads")
    assert len({tuple(color) for color in roads.get_colors()}) == 1
    assert len(roads.get_segments()) == 2
    for edge, segment in zip(((0, near[0][0]), (30, near[30][1])), roads.get_segments(), strict=True):
        start, end = np.array([vertex_place(RULE_BOOK, v) for v in edge])
        for point in segment:
            share = np.dot(point - start, end - start)
            assert 0 < share < 1 and np.allclose(point, start + share * (end - start))
    assert not artists(plot_board(RULE_BOOK, [(1, 0)]), "roads")[0].get_segments()


def test_arrows_join_vertices():
    ax = plot_board(RULE_BOOK, [(1, 0), (2, 20)], arrows=[(0, 20), (20, 0)])
    (lines,), (heads,) = artists(ax, "arrows"), artists(ax, "arrow-heads")
    assert len(heads.get_paths()) == 2
    for line, head, ends in zip(lines.get_segments(), heads.get_paths(), [(0, 20), (20, 0)], strict=True):
        start, end = (np.array(vertex_place(RULE_BOOK, v)) for v in ends)
        assert np.hypot(*(line[0] - start)) == pytest.approx(0.3, abs=0.01)
        assert np.hypot(*(head.vertices[0] - end)) == pytest.approx(0.32, abs=0.01)


def test_heat_with_colour_bar():
    values = RULE_BOOK.vertex_pips()
    ax = plot_board(RULE_BOOK, heat=values)
    small, large = artists(ax, "heat")
    low, high = min(values), max(values)
    best = sorted(range(54), key=lambda v: (-values[v], v))[:10]
    rest = [v for v in range(54) if v not in best]
    for spots, vertices in ((small, rest), (large, best)):
        for vertex, offset, color in zip(vertices, spots.get_offsets(), spots.get_facecolor(), strict=True):
            assert color[:3] == pytest.approx(
                heat_color(THEMES["light"], (values[vertex] - low) / (high - low))
            )
            assert offset == pytest.approx(vertex_place(RULE_BOOK, vertex))
    (labels,) = artists(ax, "heat-labels")
    for vertex, label in zip(best, labels.get_paths(), strict=True):
        written = text_path(str(values[vertex]), vertex_place(RULE_BOOK, vertex), 0.19)
        assert np.array_equal(label.vertices, written.vertices)
    (bar,), (ticks,) = artists(ax, "heat-outline"), artists(ax, "heat-ticks")
    (_, bottom), (_, top) = bar.get_paths()[0].get_extents().get_points()
    heights = [segment[0, 1] - bottom for segment in ticks.get_segments()]
    seen_values = [low + height / (top - bottom) * (high - low) for height in heights]
    assert seen_values == pytest.approx([2, 4, 6, 8, 10])
    image = pixels(ax)
    pale, dark = (image.at(*vertex_place(RULE_BOOK, values.index(v))) for v in (min(values), max(values)))
    assert sum(pale) > sum(dark) + 200


@pytest.mark.parametrize("theme", THEMES)
def test_heat_is_dark_for_high_values(theme):
    """In every theme.

    A vertex without a value has no disc of heat, and equal values have a scale.
    """
    values = [None, float("nan"), *map(float, RULE_BOOK.vertex_pips()[2:])]
    ax = plot_board(RULE_BOOK, heat=values, numbers=True, theme=theme)
    (_, spots), (labels,), (words,) = (
        artists(ax, gid) for gid in ("heat", "vertex-labels", "vertex-numbers")
    )
    assert len(spots.get_offsets()) == 52
    assert len(labels.get_offsets()) == 2
    assert len({tuple(color) for color in words.get_facecolor()[2:]}) == 2
    lightness = np.array(THEMES[theme].heat) @ (0.2126, 0.7152, 0.0722)
    assert all(low > high for low, high in pairwise(lightness))
    equal, _ = artists(plot_board(RULE_BOOK, heat=[None, *[3.0] * 53]), "heat")
    assert equal.get_facecolor()[0, :3] == pytest.approx(heat_color(THEMES["light"], 0.5))


def test_given_axes_used_and_returned():
    figure = Figure(figsize=(8, 4))
    left, right = figure.subplots(1, 2)
    assert plot_board(RULE_BOOK, ax=left, title="here") is left
    assert (left.get_title(), left.get_aspect()) == ("here", 1)
    assert artists(left, "land") and not artists(right, "land")


def test_words_are_legible_on_other_axes():
    ax = plot_board(RULE_BOOK, [(1, 0)], ax=Figure(facecolor="white").subplots(), title="dark", theme="dark")
    assert sum(ax.title.get_color()) < 1
    assert sum(ax.get_facecolor()[:3]) < 0.5
    assert sum(artists(ax, "player-name")[0].get_facecolor()[0, :3]) > 2
    assert sum(plot_board(RULE_BOOK, title="dark", theme="dark").title.get_color()) > 2


# Axes and figures


def test_wide_title_made_to_fit():
    title = "a board with a title that says everything about it, and then some more $x"
    ax = plot_board(RULE_BOOK, title=title)
    pixels(ax)
    assert_apart_and_within(ax.figure.bbox, [ax.title.get_window_extent()])


def test_gallery_keeps_order_of_boards():
    boards = [full_board(name) for name in CLASSIC]
    figure = plot_gallery(boards, (name for name in CLASSIC), columns=3, title="all layouts")
    assert [ax.get_title() for ax in figure.axes] == list(CLASSIC)
    assert figure.get_suptitle() == "all layouts"
    lefts = [round(ax.get_position().x0, 3) for ax in figure.axes]
    assert lefts[:3] == lefts[3:6]
    assert len(set(lefts)) == 3
    figure.draw_without_rendering()
    assert_apart_and_within(figure.bbox, [ax.get_tightbbox() for ax in figure.axes])
    with pytest.raises(InvalidBoard, match="row 1"):  # what an iterable raises is not taken for its own
        plot_gallery(map(Board.from_notation, ["nonsense"]))


@pytest.mark.parametrize("layout", [None, "constrained"])
@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plot_gallery([RULE_BOOK] * 5, list("abcde"), 2, ax, title="five", theme="dark"),
        lambda ax: plot_pair(RULE_BOOK, HARBORED, ("a", "b"), ax, theme="dark"),
    ],
    ids=["gallery", "pair"],
)
def test_galleries_replace_axes(draw, layout):
    figure = Figure(figsize=(9, 4), layout=layout)
    beside, ax = figure.subplots(1, 2)
    part = draw(ax)
    assert [one.get_title() for one in part.axes] == list("abcde")[: len(part.axes)]
    assert part.figure is figure
    assert not ax.axison
    assert sum(part.get_facecolor()[:3]) < 0.5
    figure.draw_without_rendering()
    assert_apart_and_within(part.bbox, [one.get_tightbbox() for one in part.axes])
    assert not beside.get_tightbbox().overlaps(part.bbox)
    if layout is None:
        assert part.bbox.bounds == pytest.approx(ax.get_window_extent().bounds, abs=0.01)


def test_galleries_within_axes():
    figure = Figure(figsize=(8, 6))
    whole = figure.add_axes((0, 0, 1, 1))
    for ax in (figure.add_axes((0.1, 0.2, 0.4, 0.5)), whole.inset_axes((0.6, 0.2, 0.4, 0.5))):
        part = plot_pair(RULE_BOOK, HARBORED, ax=ax)
        assert part.bbox.bounds == pytest.approx(ax.get_window_extent().bounds, abs=0.01)
        assert len(plot_pair(RULE_BOOK, HARBORED, ax=part.axes[0]).axes) == 2, "and in parts of parts"


# Files


@pytest.mark.parametrize(
    ("ending", "magic"), [(".png", b"\x89PNG\r\n"), (".svg", b"<?xml"), (".PDF", b"%PDF-")]
)
def test_saved_formats_without_date(tmp_path, ending, magic):
    one, two = (save_picture(HARBORED, tmp_path / f"{name}{ending}").read_bytes() for name in ("one", "two"))
    assert one.startswith(magic)
    assert one == two
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"one{ending}", f"two{ending}"]


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_file_object_gets_bytes_of_file(tmp_path, form):
    buffer = BytesIO()
    assert save_picture(RULE_BOOK, buffer, format=form, dpi=50) is None
    assert buffer.getvalue() == save_picture(RULE_BOOK, tmp_path / f"a.{form}", dpi=50).read_bytes()
    with (tmp_path / "b").open("wb") as file:
        # Text of SVG is written directly only for a board, not for a figure of matplotlib.
        save_picture(RULE_BOOK if form == "svg" else plot_board(RULE_BOOK), file, format=form, dpi=50)
    assert (tmp_path / "b").read_bytes() == buffer.getvalue()


def test_file_object_gets_png_by_default():
    buffer = BytesIO()
    save_picture(RULE_BOOK, buffer, dpi=100)
    assert buffer.getvalue() == board_png(RULE_BOOK)


def test_figures_saved_whole(tmp_path):
    """And nothing of it stays open in pyplot."""
    whole = Figure(figsize=(8, 4))
    left, right = whole.subfigures(1, 2)
    board = plot_board(RULE_BOOK, ax=left.subplots())
    pair = plot_pair(RULE_BOOK, HARBORED, ax=right.subplots())
    assert [ax.get_title() for ax in pair.axes] == ["before", "after"]
    for number, (part, dpi, wide) in enumerate(
        ((board, 50, 400), (pair, 50, 400), (RULE_BOOK, 100, 600), (RULE_BOOK, 200, 1200))
    ):
        data = save_picture(part, tmp_path / f"{number}.png", dpi=dpi).read_bytes()
        assert struct.unpack(">I", data[16:20]) == (wide,)
    gallery = plot_gallery([RULE_BOOK, HARBORED], theme="dark")
    assert gallery._repr_png_().startswith(b"\x89PNG")
    one = save_picture(gallery, tmp_path / "one.svg").read_bytes()
    assert one == save_picture(gallery.axes[0], str(tmp_path / "one.svg"), force=True).read_bytes()
    assert plt.get_fignums() == []


# SVG


@pytest.mark.parametrize("name", ["base", "seafarers-10"])
def test_svg_is_well_formed_and_small(name):
    board = full_board(name)
    svg = board_svg(board)
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert board.notation() in root.attrib["aria-label"]
    assert svg == board._repr_svg_()
    assert not re.search(r"20\d\d-\d\d", svg)
    assert len(svg) < 120_000 * board.layout.n_tiles / 30


def test_svg_is_reproducible():
    code = (
        "import matplotlib; matplotlib.rcParams.update({'savefig.dpi': 33, 'svg.hashsalt': 'other', "
        "'savefig.bbox': 'tight', 'font.size': 30, 'lines.linewidth': 9});"
        "from catan_cp.boards.board import Board; from catan_cp.draw import board_svg; import sys;"
        "sys.stdout.write(board_svg(Board.from_notation(sys.argv[1])))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, RULE_BOOK.notation()], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert run.stdout == board_svg(RULE_BOOK)


def test_notebook_stores_png_beside_svg():
    """A notebook opened untrusted shows no SVG.

    Jupyter stores every format that a value offers.
    """
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    formats, _ = shell.display_formatter.format(HARBORED)
    assert {"image/png", "image/svg+xml", "text/plain"} <= set(formats)
    png = formats["image/png"]
    data = png if isinstance(png, bytes) else b64decode(png)
    assert struct.unpack(">I", data[16:20]) == (600,)
    assert data == HARBORED._repr_png_()


# What people ask of a picture


def test_default_patterns():
    for theme, choice in (
        ("light", None),
        ("dark", None),
        ("plain", None),
        ("light", False),
        ("plain", True),
    ):
        drawn = bool(artists(plot_board(RULE_BOOK, theme=theme, patterns=choice), "patterns"))
        assert drawn is (theme != "plain" if choice is None else choice)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_terrain_glares(theme):
    """The strongest default colors are well below the neon green of dralexportfolio 2025."""
    for name, color in THEMES[theme].terrain.items():
        _, saturation, value = rgb_to_hsv(*color)
        assert saturation * value < 0.72, name
    assert max(s * v for _, s, v in (rgb_to_hsv(*c) for c in THEMES["plain"].terrain.values())) > 0.9


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_heat_leaves_every_terrain_its_look(theme):
    """Ore, desert and every other pair of terrains differ at least half as much as without heat."""
    fills = {}
    for heat in (None, RULE_BOOK.vertex_pips()):
        (land,) = artists(plot_board(RULE_BOOK, heat=heat, theme=theme), "land")
        fills[heat is None] = dict(zip(RULE_BOOK.terrain, land.get_facecolor()[:, :3], strict=True))
    for a, b in combinations(fills[True], 2):
        plain, warm = (np.abs(fills[way][a] - fills[way][b]).max() for way in (True, False))
        assert warm > plain / 2, (a, b)


def at_numbers(ax: Axes, gid: str) -> dict[int, tuple[float, float]]:
    (words,) = artists(ax, gid)
    boxes = [path.get_extents() for path in words.get_paths()]
    return {i: ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for i, box in enumerate(boxes)}


def test_optional_numbers_of_vertices():
    assert artists(plot_board(RULE_BOOK), "vertex-numbers") == []
    ax = plot_board(RULE_BOOK, [(1, 33)], numbers=True)
    tiles, vertices = at_numbers(ax, "tile-numbers"), at_numbers(ax, "vertex-numbers")
    assert (len(tiles), len(vertices)) == (19, 54)
    for tile, (x, y) in tiles.items():
        tx, ty = tile_centre(RULE_BOOK, tile)
        assert 0.5 < np.hypot(x - tx, y - ty) < 0.8, "on the tile, beside the disc"
    for vertex, spot in vertices.items():
        vx, vy = vertex_place(RULE_BOOK, vertex)
        expected = (vx, vy - 0.42) if vertex == 33 else (vx, vy)
        assert spot == pytest.approx(expected, abs=0.01)


def test_rings_go_round_what_is_named():
    ax = plot_board(RULE_BOOK, ring_tiles=[3, 9], ring_vertices=[10])
    tiles, vertices = (
        np.array([path.vertices[:-1].mean(axis=0) for path in rings.get_paths()])
        for rings in artists(ax, "rings")
    )
    assert tiles == pytest.approx(np.array([tile_centre(RULE_BOOK, t) for t in (3, 9)]))
    assert vertices == pytest.approx(np.array([vertex_place(RULE_BOOK, 10)]))
    assert not any(rings.get_paths() for rings in artists(plot_board(RULE_BOOK), "rings"))


@pytest.mark.parametrize("theme", ["light", "print"])
def test_no_ring_covers_number_or_settlement(theme):
    """Rings are found by number: the picture of numbers is the same with rings as without."""
    heat = [float(v) for v in range(54)]
    options = {"numbers": True, "placement": [(1, 10)], "theme": theme, "heat": heat}
    bare = pixels(plot_board(RULE_BOOK, **options))
    ringed = pixels(plot_board(RULE_BOOK, **options, ring_tiles=range(19), ring_vertices=[3, 20]))
    for gid in ("tile-numbers", "vertex-numbers"):
        for number, (x, y) in at_numbers(bare.ax, gid).items():
            for dx, dy in [(0, 0), *((0.11 * np.cos(i), 0.11 * np.sin(i)) for i in range(6))]:
                assert ringed.at(x + dx, y + dy) == bare.at(x + dx, y + dy), (gid, number)
    assert not np.array_equal(bare.image, ringed.image)


# Layouts of any hexagons


def first_board(name: str) -> Board:
    place = LAYOUTS[name]
    if not place.beginner_board:
        return full_board(name)
    return replace(Board.from_notation(place.beginner_board), fishing_grounds=place.fishing_grounds)


@pytest.mark.parametrize(
    "name", ["new-shores-4", "tb-ultimate-purple-5", "fishermen-of-catan", "fog-islands-3"]
)
def test_any_layout_drawn_whole(name):
    board = first_board(name)
    ax = plot_board(board, letters=True, numbers=True)
    box_x, box_y = ax.get_xlim(), ax.get_ylim()
    for gid in ("frame", "land", "coast", "fish", "grounds", "piers"):
        for artist in artists(ax, gid):
            for path in artist.get_paths():
                low, high = path.vertices.min(axis=0), path.vertices.max(axis=0)
                assert box_x[0] <= low[0] <= high[0] <= box_x[1]
                assert box_y[0] <= low[1] <= high[1] <= box_y[1]
    assert len(at_numbers(ax, "tile-numbers")) == board.layout.n_tiles


def test_sideways_layout_turned_quarter_to_right():
    board = first_board("new-shores-4")
    numbers = at_numbers(plot_board(board, numbers=True), "vertex-numbers")
    for vertex, (x, y) in enumerate(board.layout.vertices):
        assert numbers[vertex] == pytest.approx((-y / 2, -x * 3**0.5 / 2), abs=3e-3)
    (land,) = artists(plot_board(board), "land")
    tops = [sorted(path.vertices[:-1, 1])[-2:] for path in land.get_paths()]
    assert all(first == pytest.approx(second) for first, second in tops), "tiles are flat at the top"


def test_islands_in_water_of_their_frame():
    plain = first_board("explorers-pirates")
    around = map(plain.layout.hexagon_vertices, plain.layout.sea_frame)
    three = next(v[i : i + 3] for v in around for i in range(4) if -1 not in v[i : i + 3])
    fished = replace(plain.layout, name="fished", fishing_grounds=(FishingGround(three, 4),))
    board = Board(fished, plain.terrain, plain.markers, plain.harbors)
    image = pixels(plot_board(board))
    places = board.layout.sea_frame
    water = tuple(round(255 * part) for part in THEMES["light"].frame)
    for x, y in places:
        assert image.at(x * 3**0.5 / 2, -y / 2) == pytest.approx(water, abs=2)
    right = max(x for x, _ in (*places, *board.layout.tiles)) * 3**0.5 / 2
    assert image.at(right, -4.5) == (255, 255, 255), "no water in the hollow of the crescent"


def test_rivers_run_from_source_to_swamp():
    board = first_board("rivers-of-catan")
    rivers = artists(plot_board(board), "rivers")
    assert len(rivers) == 2, "a bed and its banks"
    ends = {tuple(np.round(path.vertices[[0, -1]], 3).ravel()) for path in rivers[0].get_paths()}
    chains = [(3, 4), (4, 5), (5, 6), (12, 13), (13, 14)]
    assert ends == {tuple(np.round([*tile_centre(board, a), *tile_centre(board, b)], 3)) for a, b in chains}


FISHED = ("fishermen-of-catan", "tb-ultimate-green-1")


@pytest.mark.parametrize(("name", "cape"), [*((name, False) for name in FISHED), (FISHED[0], True)])
def test_fishing_grounds_at_sea_with_numbers(name, cape):
    board = first_board(name)
    if cape:  # round the upper corner of the first tile
        board = replace(board, fishing_grounds=(FishingGround((1, 0, 5), 10),))
    ax = plot_board(board)
    (grounds,), (fish,), (numbers,) = (artists(ax, gid) for gid in ("grounds", "fish", "fish-numbers"))
    result = board.fishing_grounds
    assert len(grounds.get_paths()) == len(fish.get_paths()) == len(numbers.get_paths()) == len(result) > 0
    land = [spot for spot, terrain in zip(centres(board), board.terrain, strict=True) if terrain != "sea"]
    for path, ground in zip(grounds.get_paths(), result, strict=True):
        x, y = path.vertices[:4].mean(axis=0)
        ((px, py),) = places([board.layout.vertices[ground.vertices[1]]], board.layout)
        assert np.hypot(x - px, y - py) == pytest.approx(0 if cape else 0.5, abs=1e-9)
        assert min(np.hypot(x - tx, y - ty) for tx, ty in land) > 3**0.5 / 2, "past the edges of tiles"


@pytest.mark.parametrize("name", ["base", "new-shores-4", "rivers-of-catan", "traders-barbarians"])
def test_optional_letters_of_layout(name):
    board = first_board(name)
    assert artists(plot_board(board), "letters") == []
    (letters,) = artists(plot_board(board, letters=True), "letters")
    expected = {terrain: letter.upper() for letter, terrain in board.layout.letters.items()}
    for terrain, (x, y), path in zip(board.terrain, centres(board), letters.get_paths(), strict=True):
        shape = text_path(expected[terrain], (0, 0), 1)
        assert len(path.vertices) == len(shape.vertices)
        box = path.get_extents()
        assert abs((box.x0 + box.x1) / 2 - x) < 0.01
        assert y - 0.2 < box.y0 < box.y1 < y + 0.85


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_gallery_captions_have_one_size(layout):
    captions = ["no groups", "apart=[('brick', 'lumber')], terrain_cluster_max=1 and reds_apart=True", "3"]
    ax = Figure(figsize=(10, 3), layout=layout).subplots()
    figure = plot_gallery([RULE_BOOK] * 5, [*captions, "up to 12 pips", "x"], columns=5, ax=ax)
    sizes = {round(ax.title.get_fontsize(), 6) for ax in figure.axes}
    assert len(sizes) == 1
    assert sizes.pop() >= SMALLEST
    lines = figure.axes[1].get_title().split("\n")
    assert len(lines) > 1
    assert " ".join(lines) == captions[1]
    assert min(map(len, lines)) > max(map(len, lines)) / 2, "no ragged lines"
    figure.figure.draw_without_rendering()
    boxes = [ax.title.get_window_extent() for ax in figure.axes]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


# The page to print


@pytest.fixture
def pages(monkeypatch):
    """The figures of the pages, which are drawn and not written."""
    drawn = []
    monkeypatch.setattr(picture, "render_pages", lambda figures: drawn.extend(figures) or b"%PDF-")
    return drawn


def page_mm(data: bytes) -> tuple[float, ...]:
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", data)
    return tuple(float(side) * 25.4 / 72 for side in box.groups())


def test_sheet_has_size_of_its_paper(tmp_path):
    upright = print_sheet(HARBORED, tmp_path / "a.pdf", title="To print", letters=True).read_bytes()
    assert page_mm(upright) == pytest.approx((210, 297), abs=0.1)
    across = print_sheet(full_board("seafarers-10"), tmp_path / "b.pdf", "Letter").read_bytes()
    assert page_mm(across) == pytest.approx((279.4, 215.9), abs=0.1)
    many = print_sheet(RULE_BOOK, tmp_path / "c.pdf", tiled=True).read_bytes()
    assert page_mm(many) == pytest.approx((210, 297), abs=0.1)
    assert len(re.findall(rb"/Type /Page\b", many)) > 1


def test_sheet_keeps_to_size_asked_for(tmp_path, pages):
    print_sheet(RULE_BOOK, tmp_path / "a.pdf", hex_mm=25)
    (figure,) = pages
    board = next(ax for ax in figure.axes if artists(ax, "land"))
    figure.draw_without_rendering()
    # Tiles 0 and 1 touch, so their centres are one width apart.
    a, b = (board.transData.transform(tile_centre(RULE_BOOK, tile)) for tile in (0, 1))
    assert (b[0] - a[0]) / figure.dpi * 25.4 == pytest.approx(25, abs=0.01)
    (scale,) = (artist for ax in figure.axes for artist in artists(ax, "scale"))
    box = scale.get_paths()[0].get_extents()
    (left, _), (right, _) = scale.axes.transData.transform([box.p0, box.p1])
    assert (right - left) / figure.dpi * 25.4 == pytest.approx(50, abs=0.01)


def test_board_too_large_for_page(tmp_path):
    with pytest.raises(InvalidArgument, match=r"79 mm wide.*A4") as caught:
        print_sheet(HARBORED, tmp_path / "a.pdf", hex_mm=79)
    fits = float(re.search(r"can be ([\d.]+) at most", str(caught.value))[1])
    assert not (tmp_path / "a.pdf").exists()
    assert print_sheet(HARBORED, tmp_path / "a.pdf", hex_mm=fits).exists()
    with pytest.raises(InvalidArgument):
        print_sheet(HARBORED, tmp_path / "b.pdf", hex_mm=fits + 0.1)
    data = print_sheet(HARBORED, tmp_path / "b.pdf", "A3", hex_mm=fits + 0.1).read_bytes()
    assert sorted(page_mm(data)) == pytest.approx([297, 420], abs=0.1)


# Costs


def test_matplotlib_loaded_by_first_picture_only():
    code = (
        "import sys, catan_cp.boards.board, catan_cp.draw; assert 'matplotlib' not in sys.modules;"
        "b = catan_cp.boards.board.Board.from_notation(sys.argv[1]); b.plot();"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, RULE_BOOK.notation()], check=True)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_key_names_terrains(tmp_path, pages, theme):
    values = [float(v) for v in range(54)]
    bare = plot_board(RULE_BOOK, heat=values)
    ax = plot_board(RULE_BOOK, [(1, 10)], heat=values, heat_label="worth", key=True, theme=theme)
    print_sheet(RULE_BOOK, tmp_path / "a.pdf", theme=theme, letters=True)
    sheet = next(ax for ax in pages[0].axes if artists(ax, "land"))
    for target in (ax, sheet):
        (land,) = artists(target, "land")
        swatches, names = artists(target, "key"), artists(target, "terrain-name")
        assert len(swatches) == len(names) == 6
        motifs = [
            path.get_extents() for drawn in artists(target, "key-patterns") for path in drawn.get_paths()
        ]
        for swatch in swatches:
            box = swatch.get_paths()[0].get_extents()
            assert any(box.containsx(m.x0) and box.containsx(m.x1) and box.containsy(m.y0) for m in motifs)
        keys = {tuple(np.round(swatch.get_facecolor()[0], 6)) for swatch in swatches}
        assert keys == {tuple(color) for color in np.round(land.get_facecolor(), 6)}
    assert all(sum(name.get_facecolor()[0, :3]) == 0 for name in names), "black on paper"
    assert not artists(bare, "key")
    labels = [artists(one, "heat-label")[0].get_paths()[0].vertices for one in (bare, ax)]
    assert [len(label) > 0 for label in labels] == [False, True]
    assert ax.get_xlim()[1] > bare.get_xlim()[1]
    assert ax.get_ylim()[0] < bare.get_ylim()[0]


@pytest.mark.parametrize("layout", ["base", "base-5-6", "new-world", "caravans", "wonders-of-catan"])
def test_nothing_of_key_hangs_over_edge(layout):
    board = first_board(layout)
    ax = plot_board(board, [(1, 0), (2, 10), (2, 15), (1, 5)], key=True)
    left, right = ax.get_xlim()
    for gid in ("key", "terrain-name", "player", "player-name"):
        spots = np.concatenate([path.vertices for artist in artists(ax, gid) for path in artist.get_paths()])
        assert left <= spots[:, 0].min() and spots[:, 0].max() <= right, gid


def test_true_size_pages_fit_together(tmp_path, pages):
    """Tiles are 79 mm wide on every page, every tile is on one, and neighbours repeat 10 mm."""
    print_sheet(HARBORED, tmp_path / "b.pdf", tiled=True, title="big")
    assert len(pages) > 1
    windows = []
    for figure in pages:
        board = next(ax for ax in figure.axes if artists(ax, "land"))
        figure.draw_without_rendering()
        a, b = (board.transData.transform(tile_centre(HARBORED, tile)) for tile in (0, 1))
        assert (b[0] - a[0]) / figure.dpi * 25.4 == pytest.approx(79, abs=0.05)
        windows.append((*board.get_xlim(), *board.get_ylim()))
    side = 79 / 3**0.5
    columns = sorted({round(left, 6): right for left, right, _, _ in windows}.items())
    assert all((a[1] - b[0]) * side == pytest.approx(10, abs=0.01) for a, b in pairwise(columns))
    for tile in range(19):
        x, y = tile_centre(HARBORED, tile)
        assert any(l <= x <= r and low <= y <= high for l, r, low, high in windows)  # noqa: E741
        for start, end, low, high in windows:
            assert not (abs(x - start) < 0.42 and low < y < high), "no cut in a number"
            assert not (abs(y - high) < 0.42 and start < x < end), "no cut in a number"


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_true_size_takes_six_pages(tmp_path, pages, paper):
    for rules in (None, Rules.preset("tournament")):
        pages.clear()
        print_sheet(HARBORED, tmp_path / "c.pdf", paper, tiled=True, rules=rules, force=True)
        assert len(pages) == 6
        for page in pages:
            lines = max(len(artist.get_paths()) for ax in page.axes for artist in artists(ax, "words"))
            assert (lines > 2) == (rules is not None)


def test_long_caption_is_quick():
    caption = " ".join(["grain", "and", "settlements", "a"] * 400)
    began = time.monotonic()
    lines, *_ = fitted([caption], 2.0)
    assert time.monotonic() - began < 2
    assert " ".join(lines[0].split("\n")) == caption
    widths = [text_width(line, 1, bold=False) for line in lines[0].split("\n")]
    assert len(widths) == 4 and max(widths) < 1.05 * min(widths)


def test_only_satisfied_rules_stated(tmp_path):
    board = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
    target = tmp_path / "a.pdf"
    boards = [generate_board("optimal", seed=1), Board.from_notation(board)]
    with pytest.raises(InvalidBoard, match=rf"must satisfy the rules .*{board} does not: .* and \d+ more"):
        print_sheet(boards, target, rules="optimal")
    assert not target.exists()
    assert print_sheet(boards[:1], target, rules="optimal").exists()
