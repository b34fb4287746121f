"""The smallest and the largest value of each rule, on small layouts.

Models, checks and counts agree.
"""

from collections import Counter
from dataclasses import replace
from itertools import permutations, product

import pytest

from catan_cp import (
    Board,
    CatanError,
    Harbor,
    Infeasible,
    InvalidRules,
    Layout,
    Rules,
    count_boards,
    enumerate_boards,
    generate_board,
)
from catan_cp.rules.rules import RULES
from tests.small_boards import arrangements

pytestmark = pytest.mark.solver

ISLE = Layout("isle", (1, 2), {"sea": 1, "brick": 2}, {6: 2})
LAND = Layout("land", (2, 1), {"brick": 1, "ore": 2}, {2: 1, 8: 2})
LAYOUTS = [
    Layout("sea", (1, 2), {"sea": 3}, {}),
    Layout("dry", (2, 3), {"desert": 5}, {}),
    Layout("one", (1,), {"ore": 1}, {6: 1}),
    Layout("gold", (1, 2), {"gold": 1, "sea": 1, "wool": 1}, {5: 1, 6: 1}),
    Layout("lake", (2, 1), {"lake": 1, "ore": 2}, {3: 1, 8: 1, 11: 1}, further_terrains={"lake": "k"}),
    replace(ISLE, printed_harbors=(Harbor(ISLE.coast_edges[0], "3:1"), Harbor(ISLE.coast_edges[4], "brick"))),
    replace(LAND, printed_harbors=tuple(map(Harbor, LAND.coast_edges[::3], ("ore", "brick", "3:1")))),
]
SEA = [Rules(**{field: 1}) for field in ("islands_min", "islands_max", "island_size_min")]
SEA.append(Rules(main_island_complete=True))


def extremes(rule):
    """Values of a rule that are not neutral, including its smallest and largest number."""
    if rule.kind.annotation in ("bool", "str"):
        return [True] if rule.kind.annotation == "bool" else [value for _, value in rule.kind.options]
    if rule.kind.annotation == "TerrainPairs":
        return [(("brick", "brick"),), (("ore", "brick"), ("sea", "desert")), (("sea", "sea"),)]
    numbers = [0, 1, 36, 10_000]
    numbers += [{"ore": 0}, {"ore": 1}, {"gold": 10_000}] if rule.kind.annotation != "int | None" else []
    return numbers


def allowed(rules, layout):
    """Every board that the checks allow."""
    result = layout.printed_harbors
    trades = (
        {tuple(h.trade for h in result)}
        if rules.harbors == "printed"
        else {*permutations(h.trade for h in result)}
    )
    edges = [harbor.vertices for harbor in result]
    coasts = [tuple(map(Harbor, edges, row)) for row in trades] if rules.harbors != "none" else [()]
    for terrain in arrangements(dict(layout.terrain_counts)):
        tiles = [t for t, name in enumerate(terrain) if layout.carries_marker(t, name)]
        for numbers in product(sorted(layout.marker_supply), repeat=len(tiles)):
            if Counter(numbers) <= Counter(layout.marker_supply):
                markers = [dict(zip(tiles, numbers, strict=True)).get(t) for t in range(len(terrain))]
                for harbors in coasts:
                    if not rules.check(board := Board(layout, terrain, markers, harbors)):
                        yield board


def cases():
    for layout in LAYOUTS:
        for rule in RULES.values():
            about_harbors = "harbors" in rule.about and layout.printed_harbors
            for value in extremes(rule):
                for harbors in ("printed", "shuffled") if about_harbors else ("none",):
                    try:
                        rules = Rules(**{"harbors": harbors, rule.field: value})
                        rules.check_layout(layout)
                    except InvalidRules:
                        continue
                    yield pytest.param(layout, rules, id=f"{layout.name} {rule.field}={value} {harbors}")


def compare(layout, rules):
    boards = set(allowed(rules, layout))
    with enumerate_boards(rules, layout) as solutions:
        assert set(solutions) == boards
    try:
        assert count_boards(rules, layout, timeout=60) == len(boards)
    except CatanError as problem:
        assert type(problem) in (CatanError, InvalidRules)  # exact counts may not know a rule
    return boards


@pytest.mark.parametrize("rules", SEA, ids=str)
def test_islands_without_land(rules):
    boards = compare(LAYOUTS[0], rules)
    assert len(boards) == (rules.islands_min is None)
    if not boards:
        with pytest.raises(Infeasible, match="islands_min=1 alone cannot hold"):
            generate_board(rules, LAYOUTS[0])


@pytest.mark.slow
@pytest.mark.parametrize(("layout", "rules"), [*cases()])
def test_extreme_values_of_rules(layout, rules):
    compare(layout, rules)
