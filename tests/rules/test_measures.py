"""Measures in constraints: their values, the names that they use, and measures of edited models.

`brute_force` computes each measure for every arrangement on a layout of five tiles. Constraints with measures
together with other rules are in `tests/agreement`.
"""

import re
from functools import cache

import pytest

import catan_cp as cp
from tests.brute_force import MEASURES, TERRAIN_MEASURES, Case, Filling, View
from tests.command_line import status
from tests.random_models import listed_by_gecode

pytestmark = pytest.mark.solver

FIVE = cp.Layout("five", (2, 3), {"sea": 1, "desert": 1, "wool": 1, "ore": 2}, {2: 1, 6: 1, 8: 2})
CASE = Case(FIVE, {})
BARE = ("sea", "desert")
ORE_FIRST = ("ore", "wool", "desert", "ore", "sea")


@cache
def values(filling, names):
    view = View(CASE.frame, filling)
    return {name: MEASURES[name](view) for name in names}


def halved(names, fillings, chosen):
    """A constraint that gives the measures the values of one of these fillings, and all such fillings."""
    wanted = values(fillings[chosen], names)
    allowed = [filling for filling in fillings if values(filling, names) == wanted]
    assert 0 < len(allowed) < len(fillings)
    return cp.Rules(constraints=[" /\\ ".join(f"{name}() = {n}" for name, n in wanted.items())]), allowed


@pytest.fixture
def exported(tmp_path, capsys):
    """Return the number of solutions of an exported model, by Gecode without this library."""
    path = tmp_path / "five.toml"
    path.write_text(FIVE.to_toml(), encoding="utf-8")

    def count(kind, rules, *more):
        (constraint,) = rules.constraints
        words = ("--rules", "open", "--layout", path, "--constraint", constraint.text)
        assert not status(["export", kind, *words, *more])
        return listed_by_gecode(capsys.readouterr().out)

    return count


def solved(instance, name):
    return sorted(tuple(getattr(solution, name)) for solution in instance.solve(all_solutions=True).solution)


def test_error_lists_all_measures():
    with pytest.raises(cp.InvalidArgument, match="unknown measure 'nonsense'") as error:
        cp.best_board("open", FIVE, minimize="nonsense")
    assert {*re.findall(r"\w+_\w+", str(error.value))} == {*MEASURES}


@pytest.mark.parametrize("chosen", [0, 100, 300])
def test_boards_satisfy_all_measures(chosen, exported):
    rules, allowed = halved(tuple(MEASURES), CASE.boards, chosen)
    assert {Filling.of(board) for board in cp.enumerate_boards(rules, FIVE)} == {*allowed}
    if not chosen:
        solutions = cp.board_instance(rules, FIVE).solve(all_solutions=True).solution
        assert {Filling.of(cp.Board.from_solution(s, FIVE)) for s in solutions} == {*allowed}
        assert len(solutions) == len(allowed) == exported("joint", rules)


def test_terrains_satisfy_measures(exported):
    fillings = [Filling(terrain, (0,) * 5) for terrain in sorted(CASE.terrains)]
    rules, allowed = halved(TERRAIN_MEASURES, fillings, 7)
    codes = [tuple(FIVE.terrain_codes[name] for name in filling.terrain) for filling in allowed]
    assert solved(cp.terrain_instance(rules, FIVE), "terrain") == sorted(codes)
    assert exported("terrain", rules) == len(allowed)
    assert not cp.is_countable(rules, FIVE)
    with pytest.raises(cp.CatanError, match=r"only a solver knows the constraint .*enumerate_terrains lists"):
        cp.sample_terrains(5, rules, FIVE, seed=1)
    with pytest.raises(cp.CatanError, match="only a solver knows the constraint"):
        cp.rank_board(cp.generate_board(rules, FIVE, seed=1), rules)


def test_measure_of_markers_leaves_terrain_countable():
    rules = cp.Rules(constraints=["reds_touching() = 0"])
    assert cp.is_countable(rules, FIVE)
    assert {*cp.sample_terrains(2000, rules, FIVE, seed=1)} == {*CASE.terrains}


def test_markers_satisfy_measures(exported):
    fillings = [Filling(ORE_FIRST, markers) for markers in CASE.markers(ORE_FIRST)]
    rules, allowed = halved(("reds_touching", "largest_vertex_sum"), fillings, 2)
    expected = sorted(filling.markers for filling in allowed)
    assert solved(cp.marker_instance(ORE_FIRST, rules, FIVE), "marker") == expected
    on = cp.Board(FIVE, ORE_FIRST).notation()
    assert exported("markers", rules, "--on", on) == len(expected)


def test_swaps_under_measure():
    rules, allowed = halved(("equal_neighbors",), CASE.boards, 7)
    targets = dict.fromkeys(FIVE.terrains, 0.4)
    board = allowed[7].board(FIVE)
    swapped = cp.improve_evenness(board, 5, seed=1, reject=False, rules=rules, targets=targets)
    assert swapped.accepted > 0
    assert Filling.of(swapped.board) in allowed


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        ("numbered[1]", lambda t: t[0] not in BARE),
        ("not on_land[1] \\/ numbered[2]", lambda t: "sea" in t[:2] or t[1] not in BARE),
        ("forall(red in TILE where red < 3)(terrain[red] != ORE)", lambda t: "ore" not in t[:2]),
        ("not exists(harbor in {1, 2})(terrain[harbor] = ORE)", lambda t: "ore" not in t[:2]),
        ("exists(pips in {1, 5})(is[pips, SEA])", lambda t: "sea" in (t[0], t[4])),
        (
            "predicate reds_touching(TILE: t) = is[t, SEA]; constraint reds_touching(2)",
            lambda t: t[1] == "sea",
        ),
        ("let { var TILE: slot } in slot < 3 /\\ is[slot, SEA]", lambda t: "sea" in t[:2]),
    ],
)
def test_terrain_functions_with_dependent_names(text, keeps):
    """A name that the text declares is independent of the name in the models."""
    expected = [terrain for terrain in sorted(CASE.terrains) if keeps(terrain)]
    with cp.enumerate_terrains(cp.Rules(constraints=[text]), FIVE) as solutions:
        assert sorted(solutions) == expected != []


@pytest.mark.parametrize("harbors", [(), (cp.Harbor((4, 5), "3:1"),)])
def test_numbered_follows_from_terrain(harbors):
    layout = cp.Layout("framed", (2, 3), FIVE.terrain_counts, FIVE.marker_supply, printed_harbors=harbors)
    board = cp.Board(layout, ("ore", "wool", "sea", "desert", "ore"), None, harbors)
    texts = [f"{'not ' * (name in BARE)}numbered[{t}]" for t, name in enumerate(board.terrain, start=1)]
    texts += ["harbor[1] = 0"] if harbors else []
    for text, broken in ((" /\\ ".join(texts), []), (f"not ({texts[0]})", ["constraints"])):
        rules = cp.Rules(constraints=[text], harbors="printed" if harbors else "none")
        assert [violation.rule for violation in rules.check(board)] == broken


@pytest.mark.parametrize(
    ("model", "condition", "keeps"),
    [
        ("terrain_measures", "is[1, SEA]", lambda filling: filling.terrain[0] == "sea"),
        ("measures", "marker[1] = 6", lambda filling: filling.markers[0] == 6),
    ],
)
def test_measure_added_to_models_used(model, condition, keeps, tmp_path):
    """Its file states the variables on which it depends."""
    folder = cp.copy_models(tmp_path / "mine")
    with (folder / f"{model}.mzn").open("a", encoding="utf-8") as file:
        file.write(f"% first tile\nfunction var int: added() = bool2int({condition});\n")
    rules = cp.Rules(constraints=["added() = 1"], models=folder)
    allowed = [filling for filling in CASE.boards if keeps(filling)]
    of_terrain = model == "terrain_measures"
    terrains = {filling.terrain for filling in (allowed if of_terrain else CASE.boards)}
    on = allowed[0].terrain
    assert cp.count_terrains(rules, FIVE) == len(terrains)
    assert cp.count_markers(on, rules, FIVE) == sum(filling.terrain == on for filling in allowed)
    assert cp.count_boards(rules, FIVE) == len(allowed)
    assert cp.best_board(rules, FIVE, minimize="added").value == 1


def test_second_number_counts_as_equal():
    layout = cp.Layout("pair", (2,), {"ore": 2}, {6: 1, 12: 1}, second_marker={6: 12})
    assert cp.best_board("open", layout, minimize="equal_markers_touching").value == 1
    assert cp.count_boards(cp.Rules(equal_markers_apart=True), layout) == 0
    assert cp.count_boards(cp.Rules(constraints=["equal_markers_touching() = 1"]), layout) == 2
