"""The smallest and the largest value of each rule, on layouts of one to five tiles, against brute force."""

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

import pytest

from catan_cp import Harbor, Infeasible, InvalidRules, Layout, Rules, generate_board
from tests.agreement.comparison import Comparison
from tests.brute_force import Case

pytestmark = pytest.mark.solver

SEA = Layout("sea", (1, 2), {"sea": 3}, {})
ISLE = Layout("isle", (1, 2), {"sea": 1, "brick": 2}, {6: 2})
LAND = Layout("land", (2, 1), {"brick": 1, "ore": 2}, {2: 1, 8: 2})
LAYOUTS = [
    SEA,
    Layout("dry", (2, 3), {"desert": 5}, {}),
    Layout("one", (1,), {"ore": 1}, {6: 1}),
    Layout("gold", (1, 2), {"gold": 1, "sea": 1, "wool": 1}, {5: 1, 6: 1}),
    Layout("lake", (2, 1), {"lake": 1, "ore": 2}, {3: 1, 8: 1, 11: 1}, further_terrains={"lake": "k"}),
    Layout(
        *("bare", (2, 1), {"wool": 1, "ore": 2}, {6: 1}),
        fixed_terrain={0: "wool", 1: "ore", 2: "ore"},
        unmarked={1, 2},
    ),
    replace(ISLE, printed_harbors=(Harbor(ISLE.coast_edges[0], "3:1"), Harbor(ISLE.coast_edges[4], "brick"))),
    replace(LAND, printed_harbors=tuple(map(Harbor, LAND.coast_edges[::3], ("ore", "brick", "3:1")))),
]
VALUES: dict[str, list[Any]] = {
    "bool": [True],
    "int | None": [0, 1, 36, 10_000],
    "TerrainNumbers": [0, 1, 36, 10_000, {"ore": 0}, {"ore": 1}, {"gold": 10_000}],
    "TerrainPairs": [(("brick", "brick"),), (("ore", "brick"), ("sea", "desert")), (("sea", "sea"),)],
    "adjacency": ["block"],
    "symmetry": ["corners", "distinct"],
    "desert": ["centre", "coast", "inland"],
    "marker_order": ["spiral"],
    "harbors": ["printed", "shuffled"],
}
"""Values of a rule by its type or its name, including the smallest and the largest number."""


def cases(layout: Layout) -> Iterator[Case]:
    for field in fields(Rules):
        about_harbors = field.name.startswith("harbor") and layout.printed_harbors
        for value in VALUES.get(field.name) or VALUES.get(str(field.type), []):
            for mode in ("printed", "shuffled") if about_harbors else ("none",):
                case = Case(layout, {"harbors": mode, field.name: value})
                with suppress(InvalidRules):
                    case.rules.check_layout(layout)
                    yield case


def agree(case: Case) -> None:
    comparison = Comparison(case, random.Random(1))
    comparison.terrain()
    comparison.whole()
    for filling in filter(None, (comparison.filling() for _ in range(5))):
        comparison.checked("Rules.check", filling, case.broken(filling))
    assert not comparison.differences, str(case)


@pytest.mark.parametrize(
    ("name", "value"),
    [("islands_min", 1), ("islands_max", 1), ("island_size_min", 1), ("main_island_complete", True)],
)
def test_islands_without_land(name, value):
    case = Case(SEA, {name: value})
    agree(case)
    assert len(case.boards) == (name != "islands_min")
    if not case.boards:
        with pytest.raises(Infeasible, match="islands_min=1 alone cannot hold"):
            generate_board(case.rules, SEA)


def test_aborting_solver_replaced():
    """Chuffed aborts on this model without solutions, and names a line of its own source."""
    layout = Layout("spare", (2, 1), {"desert": 1, "ore": 2}, {3: 1, 8: 1, 11: 1})
    with pytest.raises(Infeasible, match=r"terrain_markers_max=.* alone cannot hold"):
        generate_board(Rules(terrain_markers_max={"ore": 1}), layout, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_extreme_values_of_rules(layout):
    for case in cases(layout):
        agree(case)
