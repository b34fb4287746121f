"""Geometry: the facts of the seven layouts, and invented ones against the plane."""

import copy
import dataclasses
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board, Harbor, InvalidBoard, Layout, count_boards, enumerate_boards
from tests.plane import Plane, plane, plane_of
from tests.small_boards import CLASSIC, layout_of

SEVEN = [LAYOUTS[name] for name in CLASSIC]
BASE = LAYOUTS["base"]
every_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def invented(rows, **more) -> Layout:
    return Layout("invented", rows, {"ore": sum(rows)}, {6: sum(rows)}, **more)


@st.composite
def some_rows(draw) -> tuple[int, ...]:
    rows = [draw(st.integers(1, 4))]
    for step in draw(st.lists(st.sampled_from([-1, 1]), max_size=5)):
        rows.append(rows[-1] + (step if rows[-1] > 1 else 1))
    return tuple(rows)


# Facts


def test_base_has_six_spirals():
    rim = (0, 3, 7, 12, 16, 17, 18, 15, 11, 6, 2, 1)
    inner = (4, 8, 13, 14, 10, 5)
    expected = {rim[2 * i :] + rim[: 2 * i] + inner[i:] + inner[:i] + (9,) for i in range(6)}
    assert set(BASE.spirals) == expected
    with_spirals = [name for name, layout in LAYOUTS.items() if layout.spirals]
    assert with_spirals == ["base", "base-5-6"]


@every_layout
def test_box_fills_layout(layout):
    assert sum(layout.terrain_counts.values()) == layout.n_tiles
    assert layout.n_numbered <= sum(layout.marker_supply.values())
    assert set(layout.target_efficiency) == (set(layout.terrains) if layout in SEVEN else set())
    assert set(layout.terrains) == set(layout.terrain_counts)


def test_rule_books_facts_fit_base_layout():
    board = Board.from_notation(BASE.beginner_board)
    assert board.layout is BASE
    assert not board.piece_differences()
    assert len(BASE.spiral_order) == BASE.n_numbered
    spiral = sorted(BASE.spiral_order)
    assert spiral == sorted(marker for marker, n in BASE.marker_supply.items() for _ in range(n))
    trades = sorted(harbor.trade for harbor in BASE.printed_harbors)
    assert trades == ["3:1"] * 4 + ["brick", "grain", "lumber", "ore", "wool"]
    assert len(LAYOUTS["base-5-6"].printed_harbors) == 11


# Properties of every layout, invented ones included


def agrees_with_the_plane(layout: Layout, flat: Plane) -> None:
    half, quarter = 3**0.5 / 2, 0.5
    assert layout.n_tiles == len(flat.tiles)
    start = flat.tiles[0] - complex(layout.tiles[0][0] * half, 0)
    for place, (x, y) in zip([*flat.tiles, *flat.vertices], [*layout.tiles, *layout.vertices], strict=True):
        assert abs(place - start - complex(x * half, -y * quarter)) < 1e-9
    assert [list(tiles) for tiles in layout.vertex_tiles] == flat.round_vertex
    assert list(layout.adjacency("hex")) == sorted(flat.sharing_edge)
    assert list(layout.adjacency("block")) == sorted(flat.in_block)
    assert set(layout.edges) == set(flat.edges_of_tiles())
    assert set(layout.coast_edges) == set(flat.coast)
    assert layout.coast_tiles == flat.rim
    both = zip(flat.moves_of(flat.tiles), flat.moves_of(flat.vertices), strict=True)
    assert set(zip(layout.symmetries, layout.vertex_symmetries, strict=True)) == {
        (tuple(tiles), tuple(vertices)) for tiles, vertices in both
    }
    for n in range(1, layout.n_tiles + 1):
        assert layout.centre_tiles(n) == flat.nearest_middle(n)


def is_consistent(layout: Layout) -> None:
    assert [t for row in layout.row_tiles for t in row] == list(range(layout.n_tiles))
    assert tuple(map(len, layout.row_tiles)) == layout.rows
    assert all(len(set(corners)) == 6 for corners in layout.tile_vertices)
    paired = [(layout.tile_neighbors(kind), layout.adjacency(kind)) for kind in ("hex", "block")]
    for neighbors, pairs in [*paired, (layout.vertex_neighbors, layout.edges)]:
        both = sorted(pair for a, b in pairs for pair in ((a, b), (b, a)))
        assert both == [(a, b) for a, near in enumerate(neighbors) for b in near]


def goes_round_the_coast(layout: Layout) -> None:
    coast = layout.coast_edges
    assert set(coast[0]) == {layout.tile_vertices[0][4], layout.tile_vertices[0][5]}
    assert len(set(coast)) == len(coast)
    assert sorted(v for edge in coast for v in edge) == sorted(2 * [*{v for edge in coast for v in edge}])
    loops, rest = [], list(coast)
    while rest:  # one loop a part of the rim
        (a, b), *rest = rest
        loop = [b, a] if rest and a in rest[0] else [a, b]
        while loop[-1] != loop[0]:
            (after,) = set(rest.pop(0)) - {loop[-1]}
            loop.append(after)
        loops.append([layout.vertices[v] for v in loop])
    area = sum(a * d - b * c for loop in loops for (a, b), (c, d) in pairwise(loop))
    assert area == 12 * layout.n_tiles  # twice the 6 of a tile, positive if clockwise with y downwards


@every_layout
def test_geometry_of_every_layout(layout):
    shape = Layout("shape", (), {"ore": layout.n_tiles}, {}, tiles=layout.tiles)
    agrees_with_the_plane(shape, plane_of(shape))
    assert set(layout.symmetries) <= set(shape.symmetries)
    has_fixed = layout.fixed_terrain or layout.fixed_markers or layout.pips_max
    assert has_fixed or layout.terrain_group or layout.marker_group or layout.symmetries == shape.symmetries
    for same in (layout, shape):
        is_consistent(same)
        goes_round_the_coast(same)


@settings(max_examples=60, deadline=None)
@given(some_rows())
def test_geometry_of_rows(rows):
    layout = invented(rows)
    agrees_with_the_plane(layout, plane(rows))
    is_consistent(layout)
    goes_round_the_coast(layout)


@settings(max_examples=60, deadline=None)
@given(some_rows())
def test_spirals_reach_all_tiles(rows):
    layout = invented(rows, spiral_order=(6,) * sum(rows))
    near = layout.tile_neighbors()
    for path in layout.spirals:
        assert sorted(path) == list(range(layout.n_tiles))
        assert all(b in near[a] for a, b in pairwise(path))
        assert len(near[path[0]]) == 3


def test_one_tile():
    one = invented((1,), spiral_order=(6,))
    assert (one.n_tiles, one.n_vertices, len(one.edges), one.adjacency("block")) == (1, 6, 6, ())
    assert one.coast_edges == ((4, 5), (0, 5), (0, 1), (1, 2), (2, 3), (3, 4))
    assert one.spirals == ()


# Copies


def test_layout_cannot_be_changed():
    counts, supply, rows = {"ore": 3}, {6: 3}, [2, 1]
    layout = Layout("mine", rows, counts, supply)
    counts["ore"], supply[6] = 9, 9
    rows.append(2)
    assert (layout.rows, layout.terrain_counts, layout.marker_supply) == ((2, 1), {"ore": 3}, {6: 3})
    with pytest.raises(dataclasses.FrozenInstanceError):
        layout.name = "other"
    for table in (LAYOUTS, layout.terrain_counts, layout.marker_supply, layout.target_efficiency):
        with pytest.raises(TypeError):
            table["gold"] = 1  # type: ignore[index]


@every_layout
def test_built_in_layouts_copied_by_name(layout):
    for again in (pickle.loads(pickle.dumps(layout)), copy.copy(layout), copy.deepcopy(layout)):
        assert again is layout
    assert repr(layout) == f"LAYOUTS[{layout.name!r}]"
    assert len(pickle.dumps(layout)) < 100


def test_invented_layouts_copied_whole():
    harbor = Harbor((4, 5), "ore")
    layout = invented((2, 3), printed_harbors=[harbor], spiral_order=[6] * 5, target_efficiency={"ore": 1})
    before = layout.symmetries
    for again in (pickle.loads(pickle.dumps(layout)), copy.copy(layout), copy.deepcopy(layout)):
        assert again == layout
        assert hash(again) == hash(layout)
        assert again.symmetries == before


def test_equal_layouts_have_equal_fields():
    changed = dataclasses.replace(BASE, target_efficiency={"ore": 0.5})
    assert changed != BASE == dataclasses.replace(BASE)
    assert len({BASE, dataclasses.replace(BASE), changed}) == 2


def test_common_names_in_layouts():
    layout = Layout("mine", (np.int64(2), 1), {"wheat": np.int8(2), "water": 1, "gold": 0}, {np.int64(6): 2})
    assert layout.terrain_counts == {"sea": 1, "grain": 2}
    assert layout.terrains == ("sea", "grain")
    assert list(map(type, layout.rows)) == [int, int]
    assert list(map(type, layout.marker_supply)) == [int]


# Groups and harbors


GROUPED = {"terrain_group": (1, 1, 0), "group_terrain": {1: {"ore": 2}}}


@pytest.mark.parametrize("drawn", [False, True])
def test_one_marker_group(drawn):
    """Group zero is like any other: all tokens are shuffled together, and the terrains are not."""
    layout = Layout("x", (1, 2), {"ore": 2, "desert": 1}, {6: 1, 8: 1}, **GROUPED, marker_group=(0, 0, 0))
    if drawn:
        layout = layout_of(layout.to_toml(), "x")
    assert [pool.tiles for pool in layout.marker_pools] == [(0, 1, 2)]
    assert count_boards("open", layout) == 2
    assert len(list(enumerate_boards("open", layout))) == 2
    result = Layout("x", (1, 2), {"ore": 2, "desert": 1}, {6: 1, 8: 1}, **GROUPED, marker_group=(1, 1, 0))
    assert (result.marker_group, result == layout) == ((), False)


def grouped(tiles, *pieces):
    return {"terrain_group": tiles, "group_terrain": dict(enumerate(pieces, start=1))}


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({}, True),
        ({"fixed_terrain": {0: "sea"}}, True),
        ({"fixed_terrain": {0: "sea", 2: "ore"}}, False),
        ({"fixed_terrain": {0: "ore", 2: "wool"}}, True),
        ({"fixed_terrain": {0: "sea", 2: "sea"}}, True),
        (grouped((1, 2, 2, 0), {"sea": 1}, {"ore": 1, "wool": 1}), False),
        (grouped((1, 1, 2, 2), {"sea": 2}, {"ore": 1, "wool": 1}), False),
        (grouped((1, 1, 2, 2), {"sea": 1, "ore": 1}, {"sea": 1, "wool": 1}), True),
        ({"movable_harbors": [(1, 2)]}, False),
    ],
)
def test_printed_harbor_faces_sea(changes, refused):
    def made():
        counts = {"sea": 2, "ore": 1, "wool": 1}
        return Layout("x", (1, 2, 1), counts, {6: 2}, printed_harbors=[Harbor((1, 2), "3:1")], **changes)

    if refused:
        with pytest.raises(InvalidBoard, match=r"printed at .* is between tiles whose terrain may move"):
            made()
    else:
        assert made().printed_harbors


def test_harbor_of_board_is_at_coast():
    layout = Layout("three", (1, 2), {"wool": 2, "sea": 1}, {2: 2})
    terrain = ("wool", "wool", "sea")
    for edge, tiles in layout.edge_tiles.items():
        if tiles == (0, 1):
            with pytest.raises(InvalidBoard, match="is not between land and sea"):
                Board(layout, terrain, harbors=[Harbor(edge, "3:1")])
        else:
            assert Board(layout, terrain, harbors=[Harbor(edge, "3:1")]).harbors
