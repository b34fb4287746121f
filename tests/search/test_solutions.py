"""Counts, samples and conflicts of any MiniZinc model, compared with Gecode and with known counts."""

import collections
import os
import re
from importlib.util import find_spec
from typing import Any

import pytest

import catan_cp
from catan_cp import Conflict, count_solutions, find_conflict, sample_solutions, terrain_instance
from catan_cp.errors import CatanError, Infeasible, InvalidArgument, SolverTimeout
from catan_cp.solving import binding
from tests.command_line import run
from tests.random_models import PARTS, differences, listed_by_gecode, random_model

pytest.importorskip("pyganak", reason="needs the extra count")
minizinc: Any = vars(binding)["minizinc"]

QUEENS = """include "alldifferent.mzn";
int: n; array[1..n] of var 1..n: q;
constraint alldifferent(q);
constraint alldifferent([q[i] + i | i in 1..n]); constraint alldifferent([q[i] - i | i in 1..n]);"""
MAGIC = """include "alldifferent.mzn";
array[1..3, 1..3] of var 1..9: s; constraint alldifferent(array1d(s));
constraint forall(i in 1..3)(sum(row(s, i)) = 15 /\\ sum(col(s, i)) = 15);
constraint sum(i in 1..3)(s[i, i]) = 15 /\\ sum(i in 1..3)(s[i, 4 - i]) = 15;"""
TYPES = """enum C; var set of C: x; array[0..1, 2..3] of var bool: b; var C: c;
var 5..7: z = 5 + card(x) mod 3;"""
ITEMS = """constraint x > 1; % constraint x > 9;
constraint x != 3 /* ; */; constraint let { var 2..3: y; constraint y > 2; } in x > y; constraint x < 3;
output ["constraint;"]; var 1..9: x; solve minimize x;"""


@pytest.mark.parametrize("kind", PARTS)
def test_random_models_have_the_count_that_gecode_lists(kind):
    text = random_model(kind, 0)
    assert count_solutions(text, timeout=300) == listed_by_gecode(text), text


@pytest.mark.slow
def test_more_random_models_have_the_count_that_gecode_lists():
    """``python -m tests.random_models`` compares two thousand."""
    assert differences(range(1, 8)) == []


@pytest.mark.parametrize(("n", "known"), [(4, 2), (5, 10), (6, 4), (7, 40), (8, 92)])
def test_queens(n, known):
    assert count_solutions(QUEENS, {"n": n}) == known


@pytest.mark.slow
@pytest.mark.parametrize(("n", "known"), [(9, 352), (10, 724)])
def test_more_queens(n, known):
    assert count_solutions(QUEENS, {"n": n}) == known


def test_magic_squares_and_projection(tmp_path):
    (tmp_path / "magic.mzn").write_text(MAGIC)
    assert count_solutions(tmp_path / "magic.mzn") == 8
    assert count_solutions(str(tmp_path / "magic.mzn"), show=["s"]) == 8
    hidden = "var 1..4: x; var 1..9: y; constraint y > x; var 0..2: half = x div 2;"
    assert [count_solutions(hidden, show=show) for show in (None, ["x"], ["half"], "half")] == [26, 4, 3, 3]
    assert [count_solutions(text) for text in ("var 3..3: x;", "var 1..2: x; constraint x > 2;")] == [1, 0]
    assert count_solutions("var 1..2: x; constraint forall(y in 1..3)(x != y);", show=[]) == 0
    assert count_solutions("array[1..70] of var bool: b;") == 2**70


def test_models_and_instances_of_minizinc(tmp_path):
    (tmp_path / "n.dzn").write_text("n = 6;")
    assert count_solutions(QUEENS, tmp_path / "n.dzn") == 4
    model = minizinc.Model()
    model.add_string(QUEENS)
    model["n"] = 6
    assert count_solutions(model) == 4
    instance = terrain_instance("blog")
    instance.add_string("constraint terrain[1] = DESERT;")
    assert count_solutions(instance, show=["terrain"]) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("var 0.0..1.0: f;", "f must be of integers, Booleans or sets, not var float"),
        ("var float: f; var 1..2: x; constraint f < x;", "not var float"),
        (
            "var 1..2: x; var float: f :: no_output; constraint f * f < x;",
            r"constraint float_\w+ has no encoding",
        ),
        ("var int: x; constraint x > 2;", "has no encoding as clauses; bound it"),
        ("var opt 1..3: x;", "not var opt int"),
        ("var 1..3: x; solve maximize x;", "must be a satisfaction problem, not 'solve maximize'"),
        ("var 1..3 x;", "could not be compiled"),
        ("int: n; var 1..n: x;", "did you forget to specify a data file"),
        ("missing.mzn", "a file that exists"),
        (7, "must be a minizinc.Model, a minizinc.Instance, a text or the path"),
    ],
)
def test_rejections_name_the_cause(text, message):
    with pytest.raises(InvalidArgument, match=message):
        count_solutions(text)
    with pytest.raises(InvalidArgument, match=message):
        next(sample_solutions(text, 1))


def _by_model(kind, folder):
    """Return a model of the `minizinc` package with the file of options as its data."""
    if kind == "model":
        model = minizinc.Model()
        model.add_string("int: n; var 1..n: x;")
        model.add_file(folder / "n.mpc")
        return model
    return folder / {"options as a model": "n.mpc", "link": "link.mzn", "pipe": "pipe.mzn"}.get(kind, "m.mzn")


@pytest.mark.parametrize(
    "kind", ["options", "options as a model", "link", "data link", "pipe", "large", "model"]
)
def test_files_of_other_kinds_are_rejected(kind, tmp_path):
    """MiniZinc takes options and programs from a file ``*.mpc``, and writes files for them."""
    victim = tmp_path / "victim.txt"
    (tmp_path / "n.mpc").write_text(f'{{"n": 3, "fzn": "{victim}"}}')
    (tmp_path / "m.mzn").write_text("int: n; var 1..n: x;")
    (tmp_path / "link.mzn").symlink_to("n.mpc")
    (tmp_path / "link.json").symlink_to("n.mpc")
    (tmp_path / "large.json").write_text('{"n": 3}' + " " * 10_000_000)
    os.mkfifo(tmp_path / "pipe.mzn")
    data = {"options": "n.mpc", "data link": "link.json", "large": "large.json"}.get(kind)
    model, data = _by_model(kind, tmp_path), data and tmp_path / data
    for function in (
        count_solutions,
        find_conflict,
        lambda *words: list(sample_solutions(words[0], 1, words[1])),
    ):
        with pytest.raises(
            InvalidArgument, match=r"must be a file that ends in|that exists|at most 10,000,000"
        ):
            function(model, data)
    assert not victim.exists()


def test_limits_and_the_missing_extra(monkeypatch):
    with pytest.raises(SolverTimeout):
        count_solutions(QUEENS, {"n": 16}, timeout=2)
    monkeypatch.setattr("catan_cp.search.solutions.find_spec", lambda name: None)
    assert count_solutions("var 1..30: x; var 1..30: y; constraint x < y;") == 435
    assert len(list(sample_solutions("var 1..30: x;", 5, seed=1))) == 5
    with pytest.raises(CatanError, match=r"more than 100,000 solutions, .*\[count\]"):
        count_solutions("var 1..1000: x; var 1..1000: y;")
    with pytest.raises(CatanError, match=r"no sampler is installed; .*\[count\]"):
        next(sample_solutions("var 1..1000: x; var 1..1000: y;", 1))


def test_samples_are_solutions_with_the_types_of_the_model():
    text, names = "var {1, 4}: x; var set of {2, 5}: y; var bool: b; constraint b -> 2 in y;", ("x", "y", "b")
    counts = collections.Counter(repr(row) for row in sample_solutions(text, 1200, seed=3))
    assert len(counts) == count_solutions(text) == 12
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 31.3  # 11 degrees, 0.1 %
    assert set(next(sample_solutions(text, 1, seed=3))) == set(names)
    with pytest.raises(Infeasible):
        list(sample_solutions("var 1..2: x; constraint x > 2;", 1))


@pytest.mark.skipif(not find_spec("pycmsgen"), reason="no CMSGen")
def test_samples_of_large_spaces():
    text = TYPES + "var 1..5000: n; constraint n mod 7 = 3; constraint c in x;"
    rows: list[Any] = list(
        sample_solutions(text, 40, {"C": ["A", "B", "D"]}, show=["x", "b", "c", "z", "n"], seed=5)
    )
    assert rows == list(
        sample_solutions(text, 40, {"C": ["A", "B", "D"]}, show=["x", "b", "c", "z", "n"], seed=5)
    )
    assert len({row["n"] for row in rows}) > 20
    for row in rows:
        assert row["n"] % 7 == 3
        assert row["c"] in row["x"] <= {"A", "B", "D"}
        assert row["z"] == 5 + len(row["x"]) % 3
        assert [len(line) for line in row["b"]] == [2, 2]


def test_conflicts_are_minimal_and_in_the_words_of_the_model():
    expected = ("constraint let { var 2..3: y; constraint y > 2; } in x > y", "constraint x < 3")
    assert find_conflict(ITEMS) == Conflict((), expected, True)
    assert find_conflict("var 0.0..1.0: f; constraint f > 2;").items == ("constraint f > 2",)
    with pytest.raises(InvalidArgument, match="must have no solution"):
        find_conflict("var 1..2: x;")
    assert find_conflict("var 1..2: x; var 3..4: y = x;") == Conflict((), (), True)


def test_the_command_names_the_counter(tmp_path):
    (tmp_path / "m.mzn").write_text("int: n; var 1..n: x; var 1..n: y; constraint x < y;")
    (tmp_path / "m.json").write_text('{"n": 50}')
    printed = run(["count", "model", "m.mzn", "m.json"], tmp_path, cwd=tmp_path)
    assert printed.stdout == "1,225\n"
    assert re.search("counted by (d4|ganak) in", printed.stderr)
    assert catan_cp.count_solutions is count_solutions
