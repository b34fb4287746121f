"""Layouts as files: the built-in ones against the facts, there and back, and rejected files."""

import gzip
import inspect
import json
import re
from collections import Counter, defaultdict
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board, Harbor, InvalidBoard, Layout
from docs.tools import layout_counts
from tests.small_boards import CLASSIC, layout_of

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
FACTS = json.loads(gzip.decompress((DATA / "scenarios.json.gz").read_bytes()))
FishingGround = type(LAYOUTS["fishermen-of-catan"].fishing_grounds[0])
NAMES = {
    "castleKnights": "castle-knights",
    "castleRestoration": "castle-restoration",
    "riverSwamplandTop": "swamp-top",
    "riverSwamplandBottom": "swamp-bottom",
}
STEPS = {"E": (2, 0), "SE": (1, 3), "SW": (-1, 3), "W": (-2, 0), "NW": (-1, -3), "NE": (1, -3)}
TURNS = list(STEPS)
CLOCKWISE = [
    (1, -1),
    (1, 1),
    (0, 2),
    (-1, 1),
    (-1, -1),
    (0, -2),
]  # vertices, and side i is between i and i + 1


# The facts


def test_each_layout_states_its_source():
    assert [name for name, layout in LAYOUTS.items() if len(layout.source) < 20] == []
    invented = {name for name, layout in LAYOUTS.items() if "in no rule book" in layout.source}
    assert invented == {"mini"}
    page = layout_counts.PAGE.read_text(encoding="utf-8")
    assert layout_counts.with_sources(page) == page == layout_counts.with_counts(page)


@pytest.mark.parametrize("name", FACTS)
def test_layout_agrees_with_facts(name):
    layout, fact = LAYOUTS[name], FACTS[name]
    in_order = sorted(fact["tiles"], key=lambda tile: (tile["y"], tile["x"]))
    sea = [tile for tile in in_order if tile["terrain"] == "sea" and tile.get("fixed")]
    tiles = [tile for tile in in_order if tile not in sea]
    terrain = [NAMES.get(tile["terrain"], tile["terrain"]) for tile in tiles]
    markers = [tile.get("marker") for tile in tiles]

    def place(tile):  # the facts count rows, and half widths from somewhere
        shift = layout.tiles[0][0] - tiles[0]["x"]
        return tile["x"] + shift, 3 * (tile["y"] - tiles[0]["y"])

    number = {layout.vertices[v]: v for v in range(layout.n_vertices)}
    assert layout.title == fact["title"]
    assert list(layout.tiles) == [place(tile) for tile in tiles]
    assert list(layout.sea_frame) == [place(tile) for tile in sea]
    first = Board.from_notation(layout.beginner_board)
    assert (list(first.terrain), list(first.markers)) == (terrain, markers)
    assert layout.terrain_counts == Counter(terrain)
    assert layout.marker_supply == Counter(marker for marker in markers if marker)

    assert layout.fixed_terrain == {t: terrain[t] for t, tile in enumerate(tiles) if tile.get("fixed")}
    pinned = fact.get("markers_fixed_in_groups", [])
    assert layout.fixed_markers == {
        t: tile["marker"]
        for t, tile in enumerate(tiles)
        if tile.get("marker") and ("all" in pinned or tile.get("group", "main") in pinned)
    }
    groups, marker_groups = defaultdict(list), defaultdict(list)
    for t, tile in enumerate(tiles):
        if not tile.get("fixed"):
            groups[tile.get("group", 0)].append(t)
        if t not in layout.fixed_markers and (tile.get("marker") or not tile.get("fixed")):
            marker_groups[tile.get("marker_group", tile.get("group", 0))].append(t)
    for pools, actual, pieces in (
        (layout.terrain_pools, groups, terrain),
        (layout.marker_pools, marker_groups, markers),
    ):
        assert {pool.number: list(pool.tiles) for pool in pools} == actual
        for pool in pools:
            assert pool.pieces == Counter(pieces[t] for t in actual[pool.number] if pieces[t])

    harbors, fixed, movable, grounds = [], set(), set(), []
    for tile in in_order:
        x, y = place(tile)
        if harbor := tile.get("harbor"):
            side = TURNS.index(harbor["toward"])
            ends = [CLOCKWISE[side], CLOCKWISE[(side + 1) % 6]]
            edge = tuple(sorted(number[x + dx, y + dy] for dx, dy in ends))
            harbors.append(Harbor(edge, harbor["trade"]))
            fixed |= {edge} if harbor.get("fixed") else set()
            movable |= {edge} if harbor.get("movable") else set()
        if fish := tile.get("fish"):
            away = TURNS.index(fish["toward"]) + 3  # the ground is on the other side
            spots = [CLOCKWISE[(away + i) % 6] for i in (-1, 0, 1)]
            vertices = tuple(number[x + dx, y + dy] for dx, dy in spots)
            grounds.append(FishingGround(vertices, fish["marker"]))
    assert list(layout.printed_harbors) == harbors
    assert (layout.fixed_harbors, layout.movable_harbors) == (fixed, movable)
    assert list(layout.fishing_grounds) == grounds

    for field, key in (("pips_max", "pips_max"), ("turned", "turned")):
        assert getattr(layout, field) == {t: tile[key] for t, tile in enumerate(tiles) if key in tile}
    for field, key in (("rivers", "river"), ("spinning", "spin")):
        assert getattr(layout, field) == {t for t, tile in enumerate(tiles) if tile.get(key)}
    assert layout.inland == {terrain[t] for t, tile in enumerate(tiles) if tile.get("inland_only")}
    assert layout.second_marker == {t["marker"]: t["second_marker"] for t in tiles if "second_marker" in t}
    assert layout.terrain_marker_pips_min == fact.get("marker_pips_min", {})
    assert layout.terrain_marker_pips_max == fact.get("marker_pips_max", {})
    assert layout.sideways == fact.get("horizontal", False)


def test_no_known_layout_missing():
    assert set(LAYOUTS) >= set(FACTS) | set(CLASSIC)
    assert list(LAYOUTS)[:7] == list(CLASSIC)
    assert {path.stem for path in (ROOT / "layouts").glob("*")} == set(LAYOUTS)


# The fields are declared once


def documented_keys():
    page = (ROOT / "docs" / "layouts.md").read_text(encoding="utf-8")
    table = page.split("| key | what it says |")[1].split("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines() if row]
    return {key for cell in cells for key in re.findall(r"`\[?([a-z_]+)\]?`", cell)}


def test_docs_list_fields():
    arguments = inspect.getdoc(Layout).split("Args:")[1].split("Raises:")[0]
    documented = re.findall(r"^    ([a-z][a-z_, ]*):", arguments, re.MULTILINE)
    assert [name for names in documented for name in names.split(", ")] == [f.name for f in fields(Layout)]


def test_fields_written_and_read():
    full = Layout(
        "own",
        (3, 4, 3),
        {"ore": 8, "sea": 1, "lake": 1},
        {6: 1, 8: 7},
        target_efficiency={"ore": 1.5},
        spiral_order=(6, 8),
        title="In full",
        further_terrains={"lake": "k"},
        second_marker={6: 4},
        inland={"lake"},
        pips_max={0: 5},
        terrain_marker_pips_min={"ore": 1},
        terrain_marker_pips_max={"ore": 5},
        settle={0, 1},
        rivers={2},
        spinning={3},
        turned={4: 60},
        sideways=True,
        source='drawn by "me", 2026',
        game="seafarers+cities-knights",
        remarks="none",
    )
    text = full.to_toml()
    keys = set(re.findall(r"^\[?([a-z_]+)[\].]?(?: = .*)?", text, re.MULTILINE))
    assert keys >= documented_keys() - {"group", "harbors", "fishing_grounds"}, documented_keys() - keys
    assert layout_of(text, "own") == full


# There and back


@pytest.mark.parametrize("name", LAYOUTS)
def test_files_there_and_back(name, tmp_path):
    layout = LAYOUTS[name]
    assert layout.to_toml() == (ROOT / "layouts" / f"{name}.toml").read_text(encoding="utf-8")
    copied = tmp_path / f"{name}.toml"
    copied.write_text(layout.to_toml(), encoding="utf-8")
    assert Layout.from_toml(copied) is layout
    path = tmp_path / "mine.toml"
    path.write_text(layout.to_toml(), encoding="utf-8")
    result = Layout.from_toml(str(path))
    assert result != layout
    assert (result.name, result.tiles, result.terrain_pools) == ("mine", layout.tiles, layout.terrain_pools)
    assert eval(repr(result), {"Layout": Layout, "Harbor": Harbor, "FishingGround": FishingGround}) == result
    bare = replace(result, beginner_board="")  # pieces are in tables and not in the drawing
    assert layout_of(bare.to_toml(), "mine") == bare


@st.composite
def frames(draw) -> Layout:
    """Any set of up to twelve hexagons, with pieces, groups, fixed tiles and harbors."""
    spots = draw(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=12))
    points = sorted((2 * x + y % 2, 3 * y) for x, y in spots)
    points.sort(key=lambda point: point[::-1])
    n = len(points)
    names = draw(st.lists(st.sampled_from(["ore", "wool", "sea", "lake", "gold"]), min_size=n, max_size=n))
    groups = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    fixed = draw(st.sets(st.integers(0, n - 1)))
    loose = [t for t in range(n) if t not in fixed]
    shape = Layout("shape", (), {"ore": n}, {}, tiles=tuple(points))
    harbors, occupied = [], set()
    for a, b in draw(st.lists(st.sampled_from(shape.coast_edges), max_size=4)):
        if not occupied & {a, b}:
            occupied |= {a, b}
            harbors.append(Harbor((a, b), draw(st.sampled_from(["3:1", "ore"]))))
    return Layout(
        "own",
        (),
        Counter(names),
        {6: 3, 8: 1, 2: n},
        tiles=tuple(points),
        printed_harbors=tuple(harbors),
        further_terrains={"lake": "k"},
        fixed_terrain={t: names[t] for t in fixed},
        fixed_markers={t: 6 for t in sorted(fixed)[:3] if names[t] in ("ore", "gold")},
        terrain_group=tuple(groups),
        group_terrain={g: Counter(names[t] for t in loose if groups[t] == g) for g in {*groups} - {0}},
        second_marker={8: 4} if draw(st.booleans()) else {},
        fixed_harbors=frozenset(h.vertices for h in harbors[:1]),
        settle=frozenset(loose[:2]),
    )


@settings(max_examples=100, deadline=None)
@given(frames())
def test_any_frame_there_and_back(layout):
    again = layout_of(layout.to_toml(), "own")
    assert again == layout
    assert again.terrain_pools == layout.terrain_pools
    assert eval(repr(layout), {"Layout": Layout, "Harbor": Harbor}) == layout


HOME_MADE = """
title = "Two islands"
columns = 2
board = '''
~   ~   ~
  b6  ~3W ~   ~
~   w8  ~   x   K
'''

[terrains]
lake = "k"
"""


def test_frame_of_ones_own(tmp_path):
    file = tmp_path / "islands.toml"
    file.write_text(HOME_MADE.replace("x ", "g9"))
    layout = Layout.from_toml(file)
    assert (layout.name, layout.title, layout.n_tiles, len(layout.sea_frame)) == (
        "islands",
        "Two islands",
        4,
        8,
    )
    assert layout.parts == ((0, 1), (2, 3))
    assert layout.terrain_counts == {"brick": 1, "grain": 1, "wool": 1, "lake": 1}
    assert layout.marker_supply == {6: 1, 8: 1, 9: 1}
    assert layout.printed_harbors == (Harbor((0, 1), "3:1"),)
    assert layout.fixed_terrain == {3: "lake"}
    assert layout.beginner_board == "b6/w8g9k@islands"
    board = Board.from_notation("b6/w8g9k:printed@islands", layout)
    assert board.harbors == layout.printed_harbors
    harbor = "3:1 harbor on the east coast of tile 0 (brick 6), vertices 0-1"
    assert str(board) == f"  b6\n     w8          g9    k\n\n{harbor}\n@islands"


def test_main_group_in_two_tables():
    both = "board = 'o6  o8'\n[markers]\n6 = 1\n[markers.0]\n8 = 2\n"
    assert layout_of(both, "row").marker_supply == {6: 1, 8: 2}


# Rejected files


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path, "/dev/zero"):
        with pytest.raises(InvalidBoard):
            Layout.from_toml(path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidBoard, match="is not text"):
        Layout.from_toml(tmp_path / "bytes.toml")
    for text, message in (
        ("title = 'x'", "has no drawing"),
        ("board = 3", "a drawing in text between triple"),
    ):
        with pytest.raises(InvalidBoard, match=message):
            layout_of(text, "a")


@settings(max_examples=200, deadline=None)
@given(st.text("~x bwog6!:;2+3NESWf*\n", max_size=60))
def test_drawings_become_layouts_or_errors(drawing):
    try:
        layout = layout_of(f"board = '''\n{drawing}\n'''", "any")
    except InvalidBoard as error:
        assert str(error).startswith("any.toml")
    else:
        assert layout_of(layout.to_toml(), "any") == layout
