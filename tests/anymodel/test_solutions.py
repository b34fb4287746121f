"""Counts of any MiniZinc model, wrong models, and limits.

They are compared with Gecode and with known counts.
"""

import enum
import os
import time
from typing import Any

import numpy as np
import pytest

import catan_cp
from catan_cp import (
    CatanError,
    InvalidArgument,
    SolverTimeout,
    count_solutions,
    find_conflict,
    terrain_instance,
)
from tests.anymodel.models import (
    LARGE_SUMS,
    NESTED,
    QUEENS,
    sample,
)

pytest.importorskip("pyganak", reason="needs the extra count")


def test_models_and_instances_of_minizinc(minizinc, tmp_path):
    (tmp_path / "n.dzn").write_text("n = 6;")
    (tmp_path / "queens.mzn").write_text(QUEENS)
    assert count_solutions(str(tmp_path / "queens.mzn"), tmp_path / "n.dzn") == 4
    model = minizinc.Model()
    model.add_string(QUEENS)
    model["n"] = 6
    assert count_solutions(model) == 4
    instance = terrain_instance("blog")
    instance.add_string("constraint terrain[1] = DESERT;")
    assert count_solutions(instance, show=["terrain"]) == 8
    instance.add_string("int: k = 2; constraint terrain[k] = 1; k = 3;")
    with pytest.raises(CatanError, match="multiple assignment"):
        instance.solve()


NO_FORM = "f must be .*; show other"


@pytest.mark.parametrize(
    ("text", "data", "message"),
    [
        ("var 0.0..1.0: f;", None, NO_FORM),
        ("var float: f; var 1..2: x; constraint f < x;", None, NO_FORM),
        ("var opt 0.0..1.0: f;", None, NO_FORM),
        ("tuple(var 1..2, var float): f;", None, NO_FORM),
        ("var 1..3: x; solve maximize x;", None, "must be a satisfaction problem, not 'solve maximize'"),
        ("var 1..3 x;", None, "could not be compiled"),
        ("int: n; var 1..n: x;", None, "did you forget to specify a data file"),
        ("int: n; var 1..n: x;", {"n": "3; constraint false"}, "could not be compiled"),
        ("int: n; var 1..n: x;", {"n": object()}, "data must be values for MiniZinc"),
        ("int: n = 8; var 1..n: x;", {"n": 6}, r"data must assign names .* not 'n'"),
        ("int: sizes; var 1..2: x;", {"sizes": 3, "size": 4}, r"not 'size'; did you mean 'sizes'\?"),
        ("missing.mzn", None, "a file that exists"),
        (7, None, "must be a minizinc.Model, a minizinc.Instance, a text or the path"),
        ('include "gecode.mzn"; var 1..2: x; constraint unknown(x);', None, "name `unknown'"),
    ],
)
def test_rejections_name_cause(text, data, message):
    for function in (count_solutions, lambda text, data: sample(text, 1, data)):
        with pytest.raises(InvalidArgument, match=message):
            function(text, data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("var 1..2: x; var float: f :: no_output; constraint f * f < x;", r"float_\w+ has no encoding"),
        ("var int: x; constraint x > 2;", "x is a variable of type 'int', .* bound it"),
        ("var int: x; var int: y; constraint x * y > 2;", "type 'int'"),
    ],
)
def test_unsupported_models_name_cause(text, message, monkeypatch):
    """A list of more solutions than allowed takes seconds, so the test allows few."""
    monkeypatch.setattr("catan_cp.anymodel.count.LISTED_MOST", 100)
    monkeypatch.setattr("catan_cp.anymodel.sample.FEW_LISTED", 100)
    for function in (count_solutions, lambda text: sample(text, 1)):
        with pytest.raises(CatanError, match=message) as error:
            function(text)
        assert "X_INTRODUCED" not in str(error.value)


@pytest.mark.parametrize("name", ["colour", "x.1", "f", "q", "a'b"])
def test_unknown_shown_name_rejected(name):
    text = "int: n = 2; var 1..n: color; function int: f() = 1;"
    text += "constraint let { var 1..2: q :: output } in q > 1;"
    for function in (count_solutions, lambda text, show: sample(text, 1, show=show)):
        with pytest.raises(InvalidArgument, match="show must be names of variables") as caught:
            function(text, show=[name])
        if name != "a'b":
            assert repr(name) in str(caught.value) and "it declares color, n" in str(caught.value)
        assert ("did you mean 'color'?" in str(caught.value)) == (name == "colour")


OTHER_FILES = {
    "options as data": ("m.mzn", "n.mpc"),
    "options as a model": ("n.mpc", None),
    "link": ("link.mzn", None),
    "data link": ("m.mzn", "link.json"),
    "pipe": ("pipe.mzn", None),
    "large": ("m.mzn", "large.json"),
    "model of the package": ("", None),
}


@pytest.mark.parametrize("kind", OTHER_FILES)
def test_files_of_other_kinds_rejected(kind, minizinc, tmp_path):
    """MiniZinc takes options and programs from a file ``*.mpc``, and writes files for them."""
    victim = tmp_path / "victim.txt"
    (tmp_path / "n.mpc").write_text(f'{{"n": 3, "fzn": "{victim}"}}')
    (tmp_path / "m.mzn").write_text("int: n; var 1..n: x;")
    (tmp_path / "link.mzn").symlink_to("n.mpc")
    (tmp_path / "link.json").symlink_to("n.mpc")
    (tmp_path / "large.json").write_text('{"n": 3}' + " " * 10_000_000)
    os.mkfifo(tmp_path / "pipe.mzn")
    name, data = OTHER_FILES[kind]
    model: Any = tmp_path / name
    if not name:
        model = minizinc.Model()
        model.add_string("int: n; var 1..n: x;")
        model.add_file(tmp_path / "n.mpc")
    arguments = model, data and tmp_path / data
    for function in (
        count_solutions,
        lambda *words: find_conflict(*words, progress=False),
        lambda model, data: sample(model, 1, data),
    ):
        with pytest.raises(InvalidArgument, match=r"a file that ends in|that exists|at most 10,000,000"):
            function(*arguments)
    assert not victim.exists()


def test_missing_extra_named(no_counter, monkeypatch):
    monkeypatch.setattr("catan_cp.anymodel.count.LISTED_MOST", 1000)
    monkeypatch.setattr("catan_cp.anymodel.sample.FEW_LISTED", 1000)
    text = "var 1..{0}: x; var 1..{0}: y; constraint x < y;"
    assert count_solutions(text.format(30)) == 435
    assert len(sample(text.format(30), 5)) == 5
    for function in (count_solutions, lambda text: sample(text, 1)):
        with pytest.raises(CatanError, match=r"too many solutions.*\[count\]"):
            function(text.format(60))


# Limits of time and memory


@pytest.mark.parametrize(
    "text",
    [
        QUEENS.replace("int: n", "int: n = 24"),
        "var 1..1500: x; var 1..1500: y; var 1..3000: z; constraint (x*y) mod 3001 = z;",
        "var 0..1000000000: x; var 0..1000000000: y; constraint x != y;",
        "array[1..9] of var 0..1000: x; constraint sum(i in 1..9)(x[i] * x[10 - i] * i) = 10000;",
    ],
)
def test_time_limits_hold_in_every_phase(text):
    start = time.monotonic()
    with pytest.raises((SolverTimeout, InvalidArgument)):
        count_solutions(text, timeout=1)
    assert time.monotonic() - start < 12  # 2 on an idle machine


# Answers that text of a model, its files or its data could change


def test_printed_lines_change_no_answer(no_counter):
    """The end of a run is its status, not a line that the model can print."""
    lines = "\\n".join(["=" * 10, "-" * 10, "=====UNSATISFIABLE=====", '{\\"x\\": 9}', ""])
    text = f'var 1..3: x; var 1..3: y; output ["{lines}", show(x)]; constraint x != y;'
    assert count_solutions(text) == 6
    rows = sample(text, 100)
    assert {(row["x"], row["y"]) for row in rows} == {(x, y) for x in (1, 2, 3) for y in (1, 2, 3) if x != y}
    with pytest.raises(InvalidArgument, match="must have no solution"):
        find_conflict(text, progress=False)
    (listed,) = catan_cp.compare_solvers(text, solvers=["gecode"], progress=False)
    assert (listed.solutions, listed.complete) == (6, True)


def test_neighboring_files_replace_no_library(tmp_path):
    for name in ("range", "count", "steiner"):
        (tmp_path / f"{name}.mzn").write_text("int: unrelated = 3; var 1..2: other;")
    (tmp_path / "size.mzn").write_text("int: k = 4;")
    text = 'include "globals.mzn"; include "size.mzn"; var 1..k: x; constraint all_different([x, 2]);'
    (tmp_path / "m.mzn").write_text(text)
    assert count_solutions(tmp_path / "m.mzn") == 3
    (tmp_path / "m.mzn").write_text(text + "constraint x > 9;")
    assert find_conflict(tmp_path / "m.mzn", progress=False).items == ("constraint x > 9",)


def test_index_error_names_place():
    with pytest.warns(UserWarning, match=r"(?s)index set 1\.\.3, but given index is 4.*model\.mzn:2\.12"):
        assert count_solutions("array[1..3] of var 1..3: x;\nconstraint x[4] = 1;") == 0
    with pytest.warns(UserWarning, match=r"terrain\[0\]"):
        assert catan_cp.count_terrains(catan_cp.Rules(constraints=["terrain[0] = ORE"]), "mini") == 0


def test_shown_arrays_of_tuples_rejected():
    with pytest.raises(InvalidArgument, match=r"^x must be of integers, Booleans or sets"):
        count_solutions(NESTED, show="x")


def test_data_as_minizinc_package_takes_it():
    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    text = (
        "enum C; array[int] of int: a; set of C: s; C: c; int: n; var 1..n: x; var C: v; constraint v in s;"
    )
    data = {"C": Color, "a": np.array([1, 2]), "s": {Color.RED}, "c": Color.BLUE, "n": np.int64(5)}
    assert count_solutions(text, data) == 5
    assert sample(text, 1, data)[0]["v"] == "RED"


def test_several_data_files_and_values_combined(minizinc, tmp_path):
    text = """enum C; int: n; array[1..2, 1..2] of int: a; opt int: o; float: f; set of int: s;
    var 1..n: x; var C: c;
    constraint x >= sum(a) /\\ (occurs(o) -> x > deopt(o)) /\\ x < f /\\ x in s;"""
    (tmp_path / "n.dzn").write_text("n = 20; f = 18.5;")
    (tmp_path / "s.json").write_text('{"s": {"set": [[1, 14], 16]}, "C": [{"e": "A"}, {"e": "B"}]}')
    more = {"a": np.array([[1, 2], [3, 4]]), "o": None}
    files = [tmp_path / "n.dzn", tmp_path / "s.json"]
    assert count_solutions(text, [*files, more]) == 2 * 6  # 10 to 14 and 16
    assert count_solutions(text, [*files, more | {"o": np.int64(12)}]) == 2 * 3
    with pytest.raises(InvalidArgument, match="multiple assignment"):
        count_solutions(text, [*files, more | {"n": 3}])
    with pytest.raises(InvalidArgument, match="data must be the path"):
        count_solutions(text, [*files, more, 3])
    package = minizinc.Model()
    package.add_string(text)
    for file in files:
        package.add_file(file)
    for name, value in more.items():
        package[name] = value
    assert count_solutions(package) == 12


# Solvers with faults


@pytest.mark.parametrize(
    "text",
    [
        'include "connected.mzn"; array[1..2] of var bool: n; array[1..1] of var bool: e;'
        "constraint connected([1], [2], n, e);",
        'include "nvalue.mzn"; array[1..3] of var 1..3: x; constraint nvalue(2, x);',
        'include "sort.mzn"; array[1..3] of var 1..3: x; constraint sort(x, [1, 2, 3]);',
        "var -3..3: x; var -3..3: y; constraint x mod y = 1;",
    ],
)
def test_solver_globals_with_one_answer(text, only_counters, monkeypatch):
    """MiniZinc's decompositions are compiled, so no solver's version of a constraint counts."""
    number = count_solutions(text)
    monkeypatch.undo()
    assert count_solutions(text) == number


def test_lists_of_numbers_beyond_32_bits(no_counter):
    with pytest.raises(CatanError, match="gecode"):
        count_solutions(LARGE_SUMS)


PRODUCT = "let {{ var 0..{0}: a; var 0..{0}: b; }} in a * b = terrain[1]"


@pytest.mark.parametrize(
    ("function", "constraint", "number"),
    [
        ("count_terrains", "terrain[1] + 2 * terrain[2] = 4000000000 <-> terrain[3] = ORE", "4,000,000,024"),
        ("count_terrains", PRODUCT.format(60_000), "3,600,000,000"),
        *(
            (name, "sum(t in 1..4)(terrain[t] * 300000000) <= 100000000000", "109,600,000,000")
            for name in ("generate_board", "enumerate_terrains")
        ),
    ],
)
def test_numbers_beyond_32_bits_rejected(function, constraint, number):
    rules = catan_cp.Rules(constraints=[constraint])
    with pytest.raises(catan_cp.InvalidRules, match=f"compute numbers up to {number}, too large for"):
        getattr(catan_cp, function)(rules, "mini")


@pytest.mark.parametrize(
    ("constraint", "number"),
    [
        (PRODUCT.format(30_000), "900,000,000"),
        ("let { var int: a; constraint abs(a) = terrain[1]; } in a * a > 3", "2,147,483,646"),
    ],
)
def test_gecode_computes_large_numbers(constraint, number, caplog):
    caplog.set_level("INFO", "catan_cp")
    rules = catan_cp.Rules(constraints=[constraint])
    assert len(list(catan_cp.enumerate_terrains(rules, "mini", limit=1))) == 1
    assert f"chuffed computes with smaller numbers than {number}; gecode is used instead" in caplog.text
