"""Constraints on a measure hold in every function that counts, lists, samples or checks.

`brute_force` computes each measure for every arrangement on a layout of five tiles.
"""

import subprocess
from collections import Counter
from functools import cache

import pytest

import catan_cp as cp
from catan_cp.search.best import measures
from catan_cp.search.instances import export_model
from catan_cp.solving.find import find_solver
from tests.brute_force import MEASURES, TERRAIN_MEASURES, Filling, Frame, View

FIVE = cp.Layout("five", (2, 3), {"sea": 1, "desert": 1, "wool": 1, "ore": 2}, {2: 1, 6: 1, 8: 2})
FRAME = Frame(FIVE)
BARE = ("sea", "desert")


def value(measure, terrain, markers):
    return MEASURES[measure](View(FRAME, Filling(terrain, as_numbers(markers), frozenset())))


@cache
def terrains():
    return sorted(FRAME.terrains())


@cache
def markers_on(terrain):
    """Every way to put markers of the box on the tiles that carry one."""
    return [tuple(marker or None for marker in markers) for markers in FRAME.numbers(terrain)]


@cache
def boards():
    return [(terrain, markers) for terrain in terrains() for markers in markers_on(terrain)]


def halving(measure, candidates):
    """A constraint that some of these boards satisfy and others do not, and those that do."""
    values = Counter(value(measure, *board) for board in candidates)
    chosen = min(values, key=lambda v: abs(2 * values[v] - len(candidates)))
    allowed = [board for board in candidates if value(measure, *board) == chosen]
    assert 0 < len(allowed) < len(candidates)
    return cp.Rules(constraints=[f"{measure}() = {chosen}"]), allowed


def classes(rows):
    """Per arrangement, the least of those that rotations and reflections make of it."""
    return {
        min(tuple(tuple(part[move[t]] for t in range(5)) for part in row) for move in FRAME.symmetries)
        for row in rows
    }


def listed(solutions):
    with solutions:
        result = list(solutions)
    assert len(result) == len(set(map(repr, result)))
    return result


def solved(instance, name):
    return sorted(tuple(getattr(solution, name)) for solution in instance.solve(all_solutions=True).solution)


def run(text, tmp_path):
    """The number of solutions that MiniZinc lists of an exported model."""
    file = tmp_path / "model.mzn"
    file.write_text(text, encoding="utf-8")
    program = find_solver("gecode").minizinc.executable
    result = subprocess.run(
        [program, "--solver", "gecode", "-a", file], capture_output=True, text=True, check=True
    )
    rows = [line for line in result.stdout.splitlines() if line.startswith("[")]
    assert result.stdout.rstrip().endswith(("==========", "=====UNSATISFIABLE====="))
    assert len(rows) == len(set(rows))
    return len(rows)


def codes(terrain):
    return tuple(FIVE.terrain_codes[name] for name in terrain)


def as_numbers(markers):
    return tuple(marker or 0 for marker in markers)


def test_all_measures_computed():
    assert set(MEASURES) == set(measures())


QUICK = {"equal_neighbors", "smallest_vertex_pips"}
"""The measures that the quick run tries with every function.

Of others it lists the solutions once.
"""

ONCE_AND_WHOLE = [
    *((name, name in QUICK) for name in MEASURES),
    *(pytest.param(name, True, marks=pytest.mark.slow) for name in MEASURES if name not in QUICK),
]


@pytest.mark.solver
@pytest.mark.parametrize(("measure", "whole"), ONCE_AND_WHOLE)
def test_terrain_functions_satisfy_measure_of_terrain(measure, whole, tmp_path):
    rules, allowed_boards = halving(measure, boards())
    of_terrain = measure in TERRAIN_MEASURES
    allowed = sorted({terrain for terrain, _ in allowed_boards}) if of_terrain else terrains()
    orbits = classes([(terrain,) for terrain in allowed])
    for solver in ("chuffed", "gecode") if whole else ("chuffed",):
        assert sorted(listed(cp.enumerate_terrains(rules, FIVE, solver=solver))) == allowed
    forbidden = [terrain for terrain in terrains() if terrain not in allowed]
    assert bool(forbidden) is of_terrain
    assert rules.check(cp.Board(FIVE, allowed[-1])) == []
    for terrain in forbidden[:2]:
        assert [broken.rule for broken in rules.check(cp.Board(FIVE, terrain))] == ["constraints"]
    if not whole:
        return
    assert cp.count_terrains(rules, FIVE) == len(allowed)
    assert cp.count_terrains(rules, FIVE, up_to_symmetry=True) == len(orbits)
    firsts = listed(cp.enumerate_terrains(rules, FIVE, up_to_symmetry=True))
    assert set(firsts) <= set(allowed)
    assert len(firsts) == len(orbits)
    assert classes([(terrain,) for terrain in firsts]) == orbits
    assert solved(cp.terrain_instance(rules, FIVE), "terrain") == sorted(map(codes, allowed))
    assert run(export_model("terrain", rules, FIVE), tmp_path) == len(allowed)
    assert cp.is_countable(rules, FIVE) is not of_terrain
    if of_terrain:
        with pytest.raises(
            cp.CatanError, match=rf"only a solver knows the constraint {measure}.*enumerate_terrains lists"
        ):
            cp.sample_terrains(5, rules, FIVE, seed=1)
    else:
        assert set(cp.sample_terrains(2000, rules, FIVE, seed=1)) == set(allowed)


@pytest.mark.solver
@pytest.mark.parametrize(("measure", "whole"), ONCE_AND_WHOLE)
def test_marker_functions_satisfy_measure_of_markers(measure, whole, tmp_path):
    """On one terrain arrangement. A measure of terrain alone says nothing about markers."""
    terrain = ("ore", "wool", "desert", "ore", "sea")
    candidates = [(terrain, markers) for markers in markers_on(terrain)]
    if measure in TERRAIN_MEASURES:
        rules, _ = halving(measure, boards())
        allowed = candidates
    else:
        rules, allowed = halving(measure, candidates)
    expected = sorted(as_numbers(markers) for _, markers in allowed)
    for solver in ("chuffed", "gecode") if whole else ("chuffed",):
        result = listed(cp.enumerate_markers(terrain, rules, FIVE, solver=solver))
        assert sorted(map(as_numbers, result)) == expected
    if not whole:
        return
    assert cp.count_markers(terrain, rules, FIVE) == len(expected)
    assert solved(cp.marker_instance(terrain, rules, FIVE), "marker") == expected
    assert run(export_model("markers", rules, FIVE, terrain=terrain), tmp_path) == len(expected)


@pytest.mark.solver
@pytest.mark.parametrize(
    "measure", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in MEASURES]
)
def test_board_functions_satisfy_every_measure(measure, tmp_path):
    rules, allowed = halving(measure, boards())
    known = set(allowed)
    orbits = classes((terrain, as_numbers(markers)) for terrain, markers in allowed)
    assert cp.count_boards(rules, FIVE) == len(allowed)
    result = listed(cp.enumerate_boards(rules, FIVE))
    assert sorted(map(content, result), key=repr) == sorted(allowed, key=repr)
    assert len(listed(cp.enumerate_boards(rules, FIVE, up_to_symmetry=True))) == len(orbits)
    solutions = cp.board_instance(rules, FIVE).solve(all_solutions=True).solution
    assert {content(cp.Board.from_solution(one_solution, FIVE)) for one_solution in solutions} == known
    assert len(solutions) == len(known) == run(export_model("joint", rules, FIVE), tmp_path)
    outcome = [cp.generate_board(rules, FIVE, seed=seed) for seed in range(3)]
    outcome += cp.generate_boards(3, rules, FIVE, seed=3, solver="gecode")
    assert {content(board) for board in outcome} <= known
    for method in ("uniform", "walk"):
        with pytest.raises(cp.CatanError):
            cp.generate_board(rules, FIVE, seed=1, method=method)
    good, bad = outcome[0], cp.Board(FIVE, *next(board for board in boards() if board not in known))
    for refused in (
        lambda: cp.sample_boards(2, rules, FIVE),
        lambda: cp.rank_board(good, rules),
        lambda: cp.unrank_board(0, rules, FIVE),
    ):
        with pytest.raises(cp.CatanError, match="only a solver knows the constraint"):
            refused()
    assert rules.check(good) == cp.find_violations(rules, good) == []
    assert [broken.rule for broken in rules.check(bad)] == ["constraints"]
    best = cp.best_board(rules, FIVE, maximize="marker[1]")
    assert content(best.board) in known
    assert best.proven and best.value == max(markers[0] or 0 for _, markers in allowed)
    near = cp.repair_board(bad, rules)
    assert content(near.board) in known
    assert near.value == min(changes(content(bad), one_solution) for one_solution in allowed)


def content(board):
    return board.terrain, board.markers


def changes(one, other):
    return sum((one[0][t], one[1][t]) != (other[0][t], other[1][t]) for t in range(5))


# ---- What else depends on the names in a constraint


def test_puzzle_and_swaps_under_measure():
    rules, allowed = halving("equal_neighbors", boards())
    board = cp.Board(FIVE, *allowed[7])
    pattern = cp.make_puzzle(board, rules)
    remaining = [b for b in allowed if not cp.Rules(pattern=pattern).check(cp.Board(FIVE, *b))]
    assert remaining == [allowed[7]]
    swapped = cp.improve_evenness(
        board, 20, seed=1, reject=False, rules=rules, targets=dict.fromkeys(FIVE.terrains, 0.4)
    )
    assert swapped.accepted > 0
    assert rules.check(swapped.board) == []
    assert (swapped.board.terrain, swapped.board.markers) in allowed


def test_terrain_measure_with_other_rules():
    rules = cp.Rules(constraints=["equal_neighbors() = 0"], apart=[("desert", "wool")])
    expected = [
        terrain
        for terrain in terrains()
        if value("equal_neighbors", terrain, (None,) * 5) == 0
        and not any({terrain[a], terrain[b]} == {"desert", "wool"} for a, b in FRAME.sharing)
    ]
    assert sorted(listed(cp.enumerate_terrains(rules, FIVE))) == expected != []


def test_facts_of_mini():
    rules = cp.Rules(constraints=["equal_neighbors() = 0"])
    assert (cp.count_terrains("open", "mini"), cp.count_terrains(rules, "mini")) == (2520, 1080)


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        ("numbered[1]", lambda terrain: terrain[0] not in BARE),
        ("not on_land[1] \\/ numbered[2]", None),
        ("forall(red in TILE where red < 3)(terrain[red] != ORE)", lambda terrain: "ore" not in terrain[:2]),
        ("not exists(harbor in {1, 2})(terrain[harbor] = ORE)", lambda terrain: "ore" not in terrain[:2]),
        ("exists(pips in {1, 5})(is[pips, SEA])", lambda terrain: "sea" in (terrain[0], terrain[4])),
        (
            "predicate reds_touching(TILE: t) = is[t, SEA]; constraint reds_touching(2)",
            lambda t: t[1] == "sea",
        ),
        ("let { var TILE: slot } in slot < 3 /\\ is[slot, SEA]", lambda terrain: "sea" in terrain[:2]),
    ],
)
def test_terrain_functions_with_dependent_names(text, keeps):
    """A name that the text declares is its own, whatever the models call so."""
    rules = cp.Rules(constraints=[text])
    result = listed(cp.enumerate_terrains(rules, FIVE))
    assert cp.count_terrains(rules, FIVE) == len(result)
    if keeps is not None:
        assert sorted(result) == [terrain for terrain in terrains() if keeps(terrain)] != []
    assert len({board.terrain for board in cp.enumerate_boards(rules, FIVE)}) == len(result)


@pytest.mark.parametrize("harbors", [(), (cp.Harbor((4, 5), "3:1"),)])
def test_numbered_follows_from_terrain(harbors):
    layout = cp.Layout("framed", (2, 3), FIVE.terrain_counts, FIVE.marker_supply, printed_harbors=harbors)
    board = cp.Board(layout, ("ore", "wool", "sea", "desert", "ore"), None, harbors)
    about_harbors = " /\\ harbor[1] = 0" if harbors else ""
    for t, name in enumerate(board.terrain):
        rules = cp.Rules(
            constraints=[f"numbered[{t + 1}]{about_harbors}"], harbors="printed" if harbors else "none"
        )
        assert (rules.check(board) == []) is (name not in BARE)


def test_measure_agrees_with_exact_count():
    """The constraint of boards without equal neighbors, on the real board with some fixed tiles."""
    pattern = "xxo/xgdx/xxwxb/xxxx/wxx"
    counts = [
        cp.count_terrains(cp.Rules(pattern=pattern, **more))
        for more in ({"terrain_cluster_max": 1}, {"constraints": ["equal_neighbors() = 0"]})
    ]
    assert counts[0] == counts[1] > 1000


@pytest.mark.parametrize("model", ["terrain_measures", "measures"])
def test_measure_added_to_models_used(model, tmp_path):
    """Its file states the variables on which it depends."""
    folder = cp.copy_models(tmp_path / "mine")
    text = {
        "terrain_measures": "% seas first\nfunction var int: added() = bool2int(is[1, SEA]);\n",
        "measures": "% a six first\nfunction var int: added() = bool2int(marker[1] = 6);\n",
    }[model]
    with (folder / f"{model}.mzn").open("a", encoding="utf-8") as file:
        file.write(text)
    rules = cp.Rules(constraints=["added() = 1"], models=folder)
    assert "added" in measures(str(folder))
    if model == "terrain_measures":
        expected = [terrain for terrain in terrains() if terrain[0] == "sea"]
        assert sorted(listed(cp.enumerate_terrains(rules, FIVE))) == expected
        assert cp.count_terrains(rules, FIVE) == len(expected) == 12
        assert cp.count_markers(expected[0], rules, FIVE) == len(markers_on(expected[0]))
    else:
        assert cp.count_terrains(rules, FIVE) == len(terrains())
        on = terrains()[-1]
        assert cp.count_markers(on, rules, FIVE) == sum(markers[0] == 6 for markers in markers_on(on)) > 0
    assert cp.count_boards(rules, FIVE) == sum(
        terrain[0] == "sea" if model == "terrain_measures" else markers[0] == 6
        for terrain, markers in boards()
    )


def test_second_number_counts_as_equal():
    layout = cp.Layout("pair", (2,), {"ore": 2}, {6: 1, 12: 1}, second_marker={6: 12})
    assert cp.best_board("open", layout, minimize="equal_markers_touching").value == 1
    assert cp.count_boards(cp.Rules(equal_markers_apart=True), layout) == 0
    assert cp.count_boards(cp.Rules(constraints=["equal_markers_touching() = 1"]), layout) == 2
