"""Both solvers, counts and symmetries on layouts with groups, fixed pieces, and harbors that move.

To add a layout, add a line to `CASES`: a layout, the fields of the rules, and custom constraints.
"""

import random
from dataclasses import replace
from typing import Any

import pytest

import catan_cp as cp
from catan_cp import Harbor, Layout
from tests.agreement.comparison import Comparison, FishingGround
from tests.brute_force import HARBORS, TERRAIN, Case, Filling, Said

pytestmark = pytest.mark.solver

GROUPS = Layout(
    *("groups", (3, 2, 1), {"ore": 1, "wool": 1, "brick": 1, "sea": 1, "grain": 1, "desert": 1}),
    {6: 1, 8: 1, 9: 1, 10: 1},
    terrain_group=(1, 0, 1, 0, 0, 0),
    group_terrain={1: {"ore": 1, "wool": 1}},
    group_markers={1: {6: 1, 8: 1}},
)
FIXED = Layout(
    *("fixed", (3, 2), {"ore": 1, "wool": 1, "lumber": 1, "gold": 1, "brick": 1}, {3: 1, 6: 1, 8: 1, 11: 1}),
    fixed_terrain={0: "ore", 2: "lumber"},
    unmarked=(2,),
    fixed_markers={1: 8},
    pips_max={4: 2},
)
LAKE = Layout(
    *("lake", (2, 3, 2), {"ore": 2, "wool": 1, "grain": 1, "lake": 1, "desert": 1, "brick": 1}),
    {5: 1, 6: 1, 8: 1, 9: 1, 10: 1},
    further_terrains={"lake": "k"},
    inland=("lake",),
    fixed_terrain={2: "grain", 4: "desert", 5: "brick"},
    terrain_marker_pips_min={"wool": 4},
    terrain_marker_pips_max={"brick": 4},
)
SECOND = Layout(
    *("second", (3, 2), {"ore": 1, "wool": 1, "brick": 1, "sea": 1, "desert": 1}, {6: 1, 8: 1, 9: 1}),
    second_marker={6: 4},
)
ISLE = Layout("isle", (1, 2), {"ore": 2, "sea": 1}, {4: 2})
PLACES = ISLE.coast_edges[:7:3]
ROW = Layout("row", (4,), {"ore": 2, "sea": 2}, {4: 2})
ENDS = (ROW.coast_edges[0], ROW.coast_edges[10])
FLOWER = Layout("flower", (2, 3, 2), {"wool": 2, "ore": 1, "desert": 4}, {2: 1, 6: 2})
WET = Layout("wet", (2, 3, 2), {"sea": 3, "ore": 2, "wool": 2}, {4: 2, 6: 1, 8: 1})


def harbored(layout: Layout, places: Any, trades: str, **fields: Any) -> Layout:
    """Return a layout with these harbors."""
    return replace(layout, printed_harbors=tuple(map(Harbor, places, trades.split())), **fields)


THREE = harbored(ISLE, PLACES, "3:1 ore wool")
MOVABLE = harbored(ISLE, PLACES[:2], "3:1 ore", movable_harbors=set(PLACES[:2]))
BOTH = harbored(ROW, ENDS, "3:1 3:1")
# A rotation by a third keeps the places of the grounds and of the harbors.
TURNED = harbored(
    Layout(
        *("turned", (2, 3, 2), {"wool": 2, "desert": 5}, {6: 2}),
        fishing_grounds=tuple(
            FishingGround(tuple(FLOWER.tile_vertices[tile][i % 6] for i in range(first, first + 3)), number)
            for tile, first, number in ((0, 3, 4), (4, 5, 9), (5, 1, 10))
        ),
    ),
    FLOWER.coast_edges[::6],
    "3:1 3:1 ore",
)
WOOL_ORE = harbored(FLOWER, (FLOWER.coast_edges[0], FLOWER.coast_edges[4]), "wool ore")
SHUFFLED = {"harbors": "shuffled"}
ISLANDS = {"harbor_on_every_island": True}
ANY_TRADE = Said("harbor[1] = 0 /\\ card(movable) = 0", lambda _: True, HARBORS)
"""The trade 3:1 has the code 0, also where its harbor faces no land."""

CASES: dict[str, tuple[Any, ...]] = {
    **{layout.name: (layout, {}) for layout in (GROUPS, FIXED, LAKE)},
    **{f"{layout.name} apart": (layout, {"reds_apart": True, "vertex_pips_max": 12})
       for layout in (GROUPS, LAKE, SECOND)},
    "movable harbors": (MOVABLE, SHUFFLED),
    "movable harbors apart": (MOVABLE, SHUFFLED | {"harbors_apart": True}),
    "fixed harbor": (replace(THREE, fixed_harbors={PLACES[1]}), SHUFFLED),
    "harbor on every island": (BOTH, SHUFFLED | ISLANDS),
    "movable harbor on every island": (replace(BOTH, movable_harbors={ENDS[1]}), SHUFFLED | ISLANDS),
    "printed harbor on every island": (harbored(ROW, ENDS[:1], "3:1"), {"harbors": "printed"} | ISLANDS),
    **{f"{mode} harbor may face no land": (harbored(ISLE, PLACES[:1], "3:1"), {"harbors": mode}, ANY_TRADE)
       for mode in ("printed", "shuffled")},
    "harbors at sea": (WET, {"reds_apart": True, "apart": [("sea", "sea")], "pattern": "ox/xxx/xx"}),
    "symmetric": (FLOWER, {"reds_apart": True, "desert": "coast"}),
    "symmetric printed harbors": (WOOL_ORE, {"harbors": "printed", "harbor_own_terrain_apart": True}),
    "symmetric shuffled harbors": (WOOL_ORE, SHUFFLED | {"pattern": "ww/odd/dd"}),
    "symmetric pattern": (FLOWER, {"pattern": "xx/x6xx/xx"}),
    **{f"symmetric grounds, {mode} harbors": (TURNED, {"harbors": mode, "pattern": "xx/xxx/dd"})
       for mode in ("none", "shuffled")},
    "symmetric constraint": (
        FLOWER, {}, Said("terrain[1] = WOOL", lambda b: b.terrain[0] == "wool", TERRAIN)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_layouts_agree_with_brute_force(name):
    layout, fields, *constraints = CASES[name]
    case = Case(layout, fields, constraints)
    comparison = Comparison(case, random.Random(1))
    for part in (comparison.whole, comparison.distinct_boards, comparison.check, comparison.repair):
        part()
    listed = cp.enumerate_boards(case.rules, layout, solver="gecode")
    comparison.listed("gecode", lambda: [Filling.of(board) for board in listed], case.boards)
    assert case.boards and not comparison.differences, "\n".join(comparison.differences)
