"""Problems chosen by hand. To add one, add a line to `TABLE`, or to `LISTED` if solvers should list it.

A line has a name, a layout, the fields of the rules, and custom constraints if there are some. Every function
is compared with the boards that `brute_force` lists, so a box has at most some thousand boards.
"""

from dataclasses import replace
from typing import Any

from catan_cp import Harbor, Layout
from tests.brute_force import GROUNDS, HARBORS, TERRAIN, Case, FishingGround, Said

FIVE = Layout("five", (2, 3), {"ore": 2, "wool": 2, "brick": 1}, {2: 1, 5: 1, 6: 1, 8: 1, 9: 1})
SPARE = Layout("spare", (2, 3), {"ore": 2, "wool": 3}, {2: 2, 6: 2, 8: 1, 9: 2})
SIX = Layout("six", (1, 2, 3), {"wool": 2, "ore": 2, "brick": 1, "desert": 1}, {6: 5})
SEVEN = Layout("seven", (2, 3, 2), {"wool": 3, "ore": 3, "desert": 1}, {2: 2, 3: 1, 6: 1, 8: 2})
TOKENS = Layout("tokens", (2, 3, 2), {"ore": 4, "wool": 3}, {2: 1, 4: 2, 6: 2, 8: 1, 12: 1})
WIDE = Layout("wide", (3, 4), {"ore": 7}, {2: 3, 9: 1, 10: 1, 11: 1, 12: 1})
BOXES = Layout(
    *("boxes", (2, 3, 2), {"ore": 4, "wool": 3}, {4: 2, 6: 2, 8: 2, 9: 1}),
    terrain_group=(1, 0, 1, 0, 0, 0, 1),
    group_terrain={1: {"ore": 1, "wool": 2}},
    group_markers={1: {6: 1, 8: 2}},
)
SEA = Layout("sea", (2, 3, 2), {"wool": 3, "sea": 4}, {4: 2, 6: 1})
GOLD = Layout("gold", (2, 3, 2), {"wool": 5, "gold": 1, "sea": 1}, {4: 6}, inland=("gold",))
FISH = Layout(
    *("fish", (1, 2), {"ore": 2, "wool": 1}, {6: 2, 8: 1}),
    fishing_grounds=tuple(FishingGround(row, n) for row, n in (((5, 0, 1), 4), ((8, 9, 3), 5))),
)


def three(**demands: Any) -> Layout:
    return Layout("three", (1, 2), {"wool": 3}, {2: 1, 5: 1, 6: 1, 8: 1}, **demands)


def spiral(**demands: Any) -> Layout:
    return Layout(
        *("spiral", (1, 2, 2), {"sea": 2, "gold": 3}, {12: 3, 11: 1, 5: 1}),
        tiles=((0, 0), (-1, 3), (1, 3), (0, 6), (2, 6)), spiral_order=(12, 12, 12, 11, 5), **demands,
    )  # fmt: skip


def about_terrain(text: str, holds: Any) -> Said:
    """Return a constraint. *holds* has the terrain of each tile, from tile 1."""
    return Said(text, lambda board: holds((None, *board.terrain)), TERRAIN)


REDS = {"terrain_pips_max": {"ore": 10}, "pattern": "oo/www"}
PIPS = [(field, name, n) for field in ("terrain_pips_min", "terrain_pips_max") for name in ("ore", "every")
        for n in (2, 5, 8, 10)]  # fmt: skip
CONSTRAINTS = (
    about_terrain("terrain[3] = 1", lambda t: t[3] == "sea"),
    about_terrain("terrain[1] = terrain[6]", lambda t: t[1] == t[6]),
    about_terrain("terrain[2] = ORE \\/ terrain[3] != terrain[5]", lambda t: t[2] == "ore" or t[3] != t[5]),
    about_terrain(
        "constraint terrain[1] in {WOOL, DESERT}; constraint terrain[4] = ORE -> terrain[2] = WOOL;",
        lambda t: t[1] in ("wool", "desert") and (t[4] != "ore" or t[2] == "wool"),
    ),
    about_terrain(
        "all_different([terrain[1], terrain[2], terrain[3]])", lambda t: len({t[1], t[2], t[3]}) == 3
    ),
)

TABLE: dict[str, tuple[Any, ...]] = {
    **{
        f"{field} {name} {n}": (FIVE, {field: {name: n}, "pattern": "oo/wwb"}) for field, name, n in PIPS
    },
    # Two number tokens stay in the box. Two tiles have at most 10 pips, a bound that no diagram counts.
    **{
        f"reds {n}": (SPARE, REDS | {"reds_per_terrain_max": n}) for n in range(3)
    },
    # Equal number tokens are the end of the search, which is counted at once.
    "triples": (WIDE, {"equal_markers_apart": True, "vertex_sum_below": 31}),
    "sums": (TOKENS, {"vertex_sum_below": 22, "reds_per_terrain_max": 2, "pattern": "ow/owo/wo"}),
    "fixed number and sums": (TOKENS, {"vertex_sum_below": 23, "pattern": "xx6/oxx/wx"}),
    "fixed number and pips": (SIX, {"terrain_pips_max": {"ore": 10}, "pattern": "x/xx6/wxx"}),
    "boxes and sums": (BOXES, {"vertex_sum_below": 24}),
    "numbers apart": (
        TOKENS,
        {"reds_apart": True, "two_twelve_apart": True, "reds_per_terrain_max": 2, "pattern": "ow/owo/wo"},
    ),
    "distinct per terrain": (SEVEN, {"markers_distinct_per_terrain": True, "pattern": "ww/owo/xx"}),
    "reds of terrain": (SEVEN, {"reds_per_terrain_max": 2, "pattern": "ww/owo/xx"}),
    **{f"islands {n}": (SEA, {"islands_min": n}) for n in (1, 2, 3)},
    "inland": (GOLD, {}),
    "least pips": (three(terrain_marker_pips_min={"wool": 2}), {}),
    "most pips": (three(terrain_marker_pips_max={"wool": 4}), {}),
    "most pips of tile": (three(pips_max={0: 4}), {}),
    "spiral fixed": (spiral(fixed_markers={3: 5}), {"marker_order": "spiral"}),
    "spiral bounded": (spiral(pips_max={0: 1}), {"marker_order": "spiral"}),
    "grounds": (FISH, {}),
    **{f"constraint {i}": (SIX, {}, said) for i, said in enumerate(CONSTRAINTS)},
    "constraint and clusters": (SIX, {"terrain_cluster_max": 1}, CONSTRAINTS[2]),
    "constraint and corners": (SIX, {"symmetry": "corners"}, CONSTRAINTS[1]),
    "constraint and symmetry": (SIX, {"symmetry": "distinct", "terrain_cluster_max": 2}, CONSTRAINTS[3]),
}  # fmt: skip


# ---- Problems that both solvers list: groups, fixed pieces, harbors that move, and symmetries

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

LISTED: dict[str, tuple[Any, ...]] = {
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
    "spiral groups": (
        spiral(marker_group=(0, 1, 0, 1, 1), group_markers={1: {12: 1}}), {"marker_order": "spiral"}
    ),
    "constraint on grounds": (FISH, {}, Said("ground[1] = 5", lambda board: board.ground[0] == 5, GROUNDS)),
    "symmetric constraint": (
        FLOWER, {}, Said("terrain[1] = WOOL", lambda b: b.terrain[0] == "wool", TERRAIN)
    ),
}  # fmt: skip


def case(name: str) -> Case:
    """Return the problem of a name."""
    layout, fields, *constraints = (TABLE | LISTED)[name]
    return Case(layout, fields, constraints)
