"""Problems chosen by hand. To add one, add a line to `TABLE`.

A line has a name, a layout, the fields of the rules, and custom constraints if there are some. Every function
is compared with the boards that `brute_force` lists, so a box has at most some thousand boards.
"""

from typing import Any

from catan_cp import Layout
from catan_cp.boards.layout import FishingGround
from tests.brute_force import GROUNDS, TERRAIN, Case, Said

FIVE = Layout("five", (2, 3), {"ore": 2, "wool": 2, "brick": 1}, {2: 1, 5: 1, 6: 1, 8: 1, 9: 1})
SPARE = Layout("spare", (2, 3), {"ore": 2, "wool": 3}, {2: 2, 6: 2, 8: 1, 9: 2})
SIX = Layout("six", (1, 2, 3), {"wool": 2, "ore": 2, "brick": 1, "desert": 1}, {6: 5})
SEVEN = Layout("seven", (2, 3, 2), {"wool": 3, "ore": 3, "desert": 1}, {2: 2, 3: 1, 6: 1, 8: 2})
WIDE = Layout("wide", (3, 4), {"ore": 7}, {2: 3, 9: 1, 10: 1, 11: 1, 12: 1})
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
    "distinct per terrain": (SEVEN, {"markers_distinct_per_terrain": True, "pattern": "ww/owo/xx"}),
    "reds of terrain": (SEVEN, {"reds_per_terrain_max": 2, "pattern": "ww/owo/xx"}),
    **{f"islands {n}": (SEA, {"islands_min": n}) for n in (1, 2, 3)},
    "inland": (GOLD, {}),
    "least pips": (three(terrain_marker_pips_min={"wool": 2}), {}),
    "most pips": (three(terrain_marker_pips_max={"wool": 4}), {}),
    "most pips of tile": (three(pips_max={0: 4}), {}),
    "spiral groups": (
        spiral(marker_group=(0, 1, 0, 1, 1), group_markers={1: {12: 1}}), {"marker_order": "spiral"}
    ),
    "spiral fixed": (spiral(fixed_markers={3: 5}), {"marker_order": "spiral"}),
    "spiral bounded": (spiral(pips_max={0: 1}), {"marker_order": "spiral"}),
    "grounds": (FISH, {}),
    "constraint on grounds": (FISH, {}, Said("ground[1] = 5", lambda board: board.ground[0] == 5, GROUNDS)),
    **{f"constraint {i}": (SIX, {}, said) for i, said in enumerate(CONSTRAINTS)},
    "constraint and clusters": (SIX, {"terrain_cluster_max": 1}, CONSTRAINTS[2]),
    "constraint and corners": (SIX, {"symmetry": "corners"}, CONSTRAINTS[1]),
    "constraint and symmetry": (SIX, {"symmetry": "distinct", "terrain_cluster_max": 2}, CONSTRAINTS[3]),
}  # fmt: skip


def case(name: str) -> Case:
    """Return the problem of a name in the table."""
    layout, fields, *said = TABLE[name]
    return Case(layout, fields, said)


LISTED = ("grounds", "constraint on grounds", "spiral groups", "constraint and clusters")
"""Names of the problems that are compared with all that a solver finds."""
