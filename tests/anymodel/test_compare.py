"""Several solvers on one model: statistics, limits, and wrong arguments."""

from xml.etree import ElementTree

import pytest

import catan_cp as cp

pytestmark = pytest.mark.solver
QUEENS = """include "alldifferent.mzn"; int: n; array[1..n] of var 1..n: q;
constraint alldifferent(q);
constraint alldifferent([q[i] + i | i in 1..n]); constraint alldifferent([q[i] - i | i in 1..n]);"""
FACTORS = "var 2..99: x; var 2..99: y; constraint x * y = 1001;"


def test_compared_solvers_find_same_solutions():
    runs = cp.compare_solvers(QUEENS, {"n": 6}, progress=False)
    assert {run.solver for run in runs} >= {"chuffed", "gecode"}
    assert all((run.solutions, run.complete) == (4, True) for run in runs)
    assert all(run.nodes > 4 and run.failures > 0 and run.seconds >= 0 for run in runs)
    assert len(repr(runs)) < 300
    assert repr(runs).splitlines()[0].split() == ["solver", "solutions", "nodes", "failures", "seconds"]
    table = ElementTree.fromstring(runs._repr_html_())
    assert len(list(table.iter("tr"))) == 1 + len(runs)


def test_nodes_are_those_of_package():
    instance = cp.terrain_instance("blog", solver="gecode")
    statistics = instance.solve(all_solutions=True).statistics
    (before,) = cp.compare_solvers(instance, solvers=["gecode"], progress=False)
    assert (before.nodes, before.failures) == (statistics["nodes"], statistics["failures"])
    instance.add_string("constraint terrain[1] = DESERT;")
    (after,) = cp.compare_solvers(instance, solvers=["gecode"], progress=False)
    assert (before.solutions, after.solutions) == (96, 8)
    assert after.nodes < before.nodes


def test_compared_objectives_and_limits():
    best = cp.compare_solvers(f"{FACTORS} solve minimize x;", solvers=["gecode"], progress=False)
    assert best[0].complete
    assert best[0].solutions >= 1
    none = cp.compare_solvers("var 1..9: x; constraint x > 20;", solvers=["gecode"], progress=False)
    assert none[0] == ("gecode", 0, True, None, None, None)
    cut = cp.compare_solvers(QUEENS, {"n": 40}, solvers=["gecode"], timeout=0.5, progress=False)
    assert not cut[0].complete
    assert "or more" in repr(cut)


def test_progress_names_each_solver():
    events = []
    cp.compare_solvers(FACTORS, solvers=["gecode", "chuffed"], progress=events.append)
    assert [(now.done, now.total, now.text) for now in events] == [(0, 2, "gecode"), (1, 2, "chuffed")]


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (FACTORS, {"solvers": "gecode"}, "solvers must be names of solvers, such as"),
        (FACTORS, {"solvers": ["gecoed"]}, "did you mean 'gecode'"),
        (FACTORS, {"timeout": 0}, "timeout in seconds must be a number above 0"),
        (FACTORS, {"progress": 1}, "progress must be True, False or a function, not 1"),
        ("var 1..9: x; constrain x > 2;", {"solvers": ["gecode"]}, "model could not be compiled"),
        (3, {"solvers": ["gecode"]}, "model must be a minizinc.Model"),
    ],
)
def test_wrong_arguments(model, options, message):
    with pytest.raises(cp.CatanError, match=message):
        cp.compare_solvers(model, **options)
