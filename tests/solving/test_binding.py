"""MiniZinc through its Python package: a call per question, also in notebooks, no leftovers."""

import asyncio
import json
import re
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

import catan_cp as cp
from tests.kills import alive, wait_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into Linux's /proc")

POST = "dlw/bgol/owbwg/lgob/wlg"
TINY = cp.Rules(constraints=["terrain[1] = ORE"])
PAIR = cp.Layout("pair", (2,), {"brick": 1, "ore": 1}, {3: 1, 8: 1})


PAIR_BOARD = cp.Board(PAIR, ("brick", "ore"), (8, 3))


@pytest.fixture
def solved(minizinc, monkeypatch):
    """The rows of the solutions that the package returned, and None for each call."""
    solutions, rows = minizinc.Instance.solutions, []

    async def listening(self, *args, **options):
        rows.append(None)
        async for result in solutions(self, *args, **options):
            if result.solution is not None:
                rows.append(json.loads(result.solution["_output_item"]))
            yield result

    monkeypatch.setattr(minizinc.Instance, "solutions", listening)
    return rows


@pytest.mark.parametrize("solver", ["chuffed", "gecode"])
def test_answers_are_solutions_of_package(solved, solver):
    def last(question):
        solved.clear()
        result = question()
        return result, [row for row in solved if row is not None][-1]

    board, row = last(lambda: cp.generate_board("optimal", "mini", seed=4, method="solver", solver=solver))
    assert board == cp.Board.from_solution(row, "mini")
    for question in (
        lambda: cp.best_board("open", PAIR, minimize="terrain[1]", solver=solver),
        lambda: cp.repair_board(PAIR_BOARD, cp.Rules(constraints=["terrain[1] = ORE"]), solver=solver),
    ):
        result, (value, *row) = last(question)
        assert result.board.terrain == cp.Board.from_solution(row, PAIR).terrain
        assert result.value == value


def test_no_private_name_of_package_used(minizinc):
    kinds = minizinc.Instance, minizinc.Driver, minizinc.Solver
    private = {name for kind in kinds for name in (*dir(kind), *kind.__annotations__)}
    private = {name for name in private if name.startswith("_") and not name.startswith("__")}
    assert "_create_process" in private
    for module in ("driver", "binding"):
        text = Path(cp.__file__).with_name("solving").joinpath(f"{module}.py").read_text()
        assert private.isdisjoint(re.findall(r"(?<=\.)_[a-z]\w*", text))


def test_other_questions_go_through_package(solved):
    def calls(question):
        solved.clear()
        question()
        return solved.count(None)

    def conflict():
        rules = cp.Rules(terrain_cluster_max=1, constraints=["forall(t in TILE)(terrain[t] = DESERT)"])
        with pytest.raises(cp.Infeasible):
            cp.generate_board(rules, PAIR, seed=1)

    assert calls(lambda: cp.Rules(constraints=["marker[1] = 8"]).check(PAIR_BOARD)) == 1
    assert calls(conflict) >= 1
    assert calls(lambda: cp.make_puzzle(PAIR_BOARD, "open", seed=1)) >= 1
    assert calls(lambda: sum(1 for _ in cp.enumerate_terrains("blog"))) == 0  # lists are read without it


def test_instances_and_library_list_same():
    rules = cp.Rules.preset("blog").replace(pattern=POST, vertex_sum_below=23)
    listed = {board.notation() for board in cp.enumerate_boards(rules, limit=300)}
    instance = cp.board_instance(rules)
    solved = instance.solve(nr_solutions=300).solution
    assert {cp.Board.from_solution(solution, "base").notation() for solution in solved} == listed
    with cp.board_instance("open", "mini").branch() as child:
        child.add_string("constraint terrain[1] = ORE; var 0..1: extra;")  # another type of solutions
        assert cp.Board.from_solution(child.solve()).layout.name == "mini"
        assert cp.Board.from_solution({"terrain": [2] * 19}).layout.name == "base"
    terrains = cp.terrain_instance("blog").solve(all_solutions=True)
    listed_terrains = {cp.Board.from_solution(solution).terrain for solution in terrains.solution}
    assert listed_terrains == set(cp.enumerate_terrains("blog"))
    with pytest.raises(cp.InvalidBoard, match="96 solutions; choose one"):
        cp.Board.from_solution(terrains)
    with pytest.raises(cp.InvalidBoard, match="no solution with a terrain"):
        cp.Board.from_solution(None)
    rules = cp.Rules.preset("blog").replace(vertex_sum_below=22, constraints=["marker[2] = 9"])
    (only,) = cp.marker_instance(POST, rules).solve(all_solutions=True).solution
    assert only.marker[1] == 9
    impossible = cp.terrain_instance("optimal")
    impossible.add_string("constraint terrain[10] = DESERT;")  # the centre is brick's or lumber's
    with pytest.raises(cp.InvalidBoard, match=r"no solution with a terrain \(UNSATISFIABLE\)"):
        cp.Board.from_solution(impossible.solve())
    with pytest.raises(cp.InvalidBoard, match="do not fit the layout"):
        cp.Board.from_solution({"terrain": [2] * 18 + [99]})


def test_solve_works_where_event_loop_runs(scratch):
    async def in_a_notebook():
        board = cp.generate_board("optimal", seed=4, method="solver")
        return board, cp.terrain_instance("blog").solve(intermediate_solutions=False)

    board, solution = asyncio.run(in_a_notebook())
    assert board == cp.generate_board("optimal", seed=4, method="solver")
    assert cp.Rules.preset("blog").check(cp.Board.from_solution(solution)) == []


def test_flat_leaves_nothing(scratch):
    instance = cp.terrain_instance("blog")
    with instance.flat(timedelta(seconds=60), 1) as (program, printing, _):
        assert b"\nsolve" in Path(program.name).read_bytes()
        assert Path(printing.name).is_file()
    with instance.branch() as child:
        child.add_string("constraint terrain[1] = DESERT;")
        assert len(child.solve(all_solutions=True).solution) == 8
        child.add_string("\nconstraint true /\\\n  nonsense > 3;")
        place = r"added text, line 3, column 3: .*nonsense.\n    nonsense > 3;\n    \^$"
        with pytest.raises(cp.InvalidRules, match=place):
            child.solve()
        with pytest.raises(cp.InvalidRules, match=place), child.flat():
            pass
        assert cp.terrain_instance("blog").solve().status.has_solution()
    instance.close()


ENDLESS = "sum([i | i in 1..200000000]) > 0"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda rules: cp.generate_board(rules, seed=1), r"sum"),
        (lambda rules: cp.best_board(rules, minimize="terrain[1]"), r"were not compiled within 2 s"),
    ],
)
def test_endless_compilation_stopped(question, message, scratch, monkeypatch):
    """One limit for all attempts: it was sixty seconds each, and asked again without end."""
    monkeypatch.setattr("catan_cp.solving.compiling.OWN_SECONDS", 2.0)
    began = time.monotonic()
    with pytest.raises(cp.CatanError, match=message):
        question(cp.Rules(constraints=[ENDLESS]))
    assert time.monotonic() - began < 40
    wait_for(lambda: not alive(scratch))


def test_mistake_in_constraint_located():
    with pytest.raises(cp.InvalidRules, match="type error"):
        cp.Rules(constraints=["terrain[1] = terrain"]).check(PAIR_BOARD)


@pytest.mark.parametrize("script", ["kill -SEGV $$", "kill -ABRT $$"])
def test_another_solver_answers_if_one_crashes(faulty, script):
    """Chuffed crashes on some models without a solution."""
    faulty(script)
    best = cp.best_board("open", PAIR, minimize="terrain[1]")
    assert best.proven
    assert best.board.terrain[0] == "brick"
    assert TINY.check(best.board) != []


def test_instance_rejects_parameters_that_nothing_declares():
    instance = cp.board_instance("optimal", "mini")
    with pytest.raises(cp.InvalidArgument, match="not 'vertex_sum_bellow'; did you mean 'vertex_sum_below'"):
        instance["vertex_sum_bellow"] = 20
    with pytest.raises(cp.InvalidArgument, match=r"must be a name that the model declares, not 'qqq'$"):
        instance["qqq"] = 1
    instance["vertex_sum_below"] = 27
    instance.add_string("int: wanted; constraint terrain[1] = wanted;")
    ore = instance.layout.terrain_codes["ore"]
    with instance.branch() as child:
        with pytest.raises(cp.InvalidArgument, match="vertex_sum_below"):
            child["vertex_sum_bellow"] = 20
        child["wanted"] = ore
        assert repr(child) == "<ModelInstance on 'mini' for Chuffed>"
        board = cp.Board.from_solution(child.solve(free_search=True), child.layout)
    assert board.terrain[0] == "ore"
    assert cp.Rules(vertex_sum_below=27).check(board) == []
