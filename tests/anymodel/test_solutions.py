"""Counts, samples and conflicts of any MiniZinc model.

They are compared with Gecode and with known counts.
"""

import enum
import os
import re
import time
import warnings
from typing import Any

import numpy as np
import pytest

import catan_cp
from catan_cp import (
    CatanError,
    Conflict,
    Infeasible,
    InvalidArgument,
    SolverTimeout,
    count_solutions,
    find_conflict,
    sample_solutions,
    terrain_instance,
)
from catan_cp.anymodel.count import solution_count
from catan_cp.solving import binding
from tests.command_line import run
from tests.random_models import PARTS, differences, listed_by_gecode, random_model
from tests.small_boards import evenly

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
ORDERS = """include "alldifferent.mzn";
array[1..8] of var 1..8: p; constraint alldifferent(p); constraint p[1] < p[2];"""
TYPES = """enum C; var set of C: x; array[0..1, 2..3] of var bool: b; var C: c;
var 5..7: z = 5 + card(x) mod 3;"""
ITEMS = """constraint x > 1; % constraint x > 9;
constraint x != 3 /* ; */; constraint let { var 2..3: y; constraint y > 2; } in x > y; constraint x < 3;
output ["constraint;"]; var 1..9: x; solve minimize x;"""


@pytest.fixture
def no_counter(monkeypatch):
    """The extra count is not installed."""
    monkeypatch.setattr("catan_cp.anymodel.counters.find_spec", lambda name: None)


@pytest.fixture
def only_counters(monkeypatch):
    """No solver lists."""
    monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())


@pytest.mark.parametrize("kind", PARTS)
def test_random_model_counts(kind):
    text = random_model(kind, 0)
    assert count_solutions(text, timeout=300) == listed_by_gecode(text), text


@pytest.mark.slow
def test_more_random_model_counts():
    """``python -m tests.random_models`` compares two thousand."""
    assert differences(range(1, 8)) == []


@pytest.mark.parametrize(("n", "known"), [(4, 2), (6, 4), (8, 92)])
def test_lists_and_counters_count_queens(n, known, monkeypatch):
    assert solution_count(QUEENS, {"n": n}).number == known
    monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())
    counted = solution_count(QUEENS, {"n": n})
    assert (counted.number, counted.method in ("d4", "ganak")) == (known, True)


def test_magic_squares_and_projection(tmp_path):
    (tmp_path / "magic.mzn").write_text(MAGIC)
    assert count_solutions(tmp_path / "magic.mzn") == 8
    assert count_solutions(str(tmp_path / "magic.mzn"), show=["s"]) == 8
    hidden = "var 1..4: x; var 1..9: y; constraint y > x; var 0..2: half = x div 2;"
    assert [count_solutions(hidden, show=show) for show in (None, ["x"], ["half"], "half")] == [26, 4, 3, 3]
    assert [count_solutions(text) for text in ("var 3..3: x;", "var 1..2: x; constraint x > 2;")] == [1, 0]
    assert count_solutions("var 1..2: x; constraint forall(y in 1..3)(x != y);", show=[]) == 0
    assert count_solutions("array[1..70] of var bool: b;") == 2**70


def test_constants_and_projections_by_counters(only_counters):
    hidden = "var 1..4: x; var 1..9: y; constraint y > x; var 0..2: half = x div 2;"
    assert [count_solutions(hidden, show=show) for show in (None, ["x"], "half")] == [26, 4, 3]
    assert [count_solutions(text) for text in ("var 3..3: x;", "var 1..2: x; constraint x > 2;")] == [1, 0]
    assert count_solutions("var 1..2: x; constraint forall(y in 1..3)(x != y);", show=[]) == 0


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
        ("var 0.0..1.0: f;", "f must be .*; show other"),
        ("var float: f; var 1..2: x; constraint f < x;", "f must be .*; show other"),
        ("var opt 0.0..1.0: f;", "f must be .*; show other"),
        ("tuple(var 1..2, var float): t;", "t must be .*; show other"),
        ("var 1..3: x; solve maximize x;", "must be a satisfaction problem, not 'solve maximize'"),
        ("var 1..3 x;", "could not be compiled"),
        ("int: n; var 1..n: x;", "did you forget to specify a data file"),
        ("missing.mzn", "a file that exists"),
        (7, "must be a minizinc.Model, a minizinc.Instance, a text or the path"),
    ],
)
def test_rejections_name_cause(text, message):
    with pytest.raises(InvalidArgument, match=message):
        count_solutions(text)
    with pytest.raises(InvalidArgument, match=message):
        next(sample_solutions(text, 1, progress=False))


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
    for function in (count_solutions, lambda model: next(sample_solutions(model, 1, progress=False))):
        with pytest.raises(CatanError, match=message) as error:
            function(text)
        assert "X_INTRODUCED" not in str(error.value)


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
def test_files_of_other_kinds_rejected(kind, tmp_path):
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
        lambda *words: find_conflict(*words, progress=False),
        lambda *words: list(sample_solutions(words[0], 1, words[1], progress=False)),
    ):
        with pytest.raises(
            InvalidArgument, match=r"must be a file that ends in|that exists|at most 10,000,000"
        ):
            function(model, data)
    assert not victim.exists()


def test_limits_and_missing_extra(no_counter):
    with pytest.raises(SolverTimeout):
        count_solutions(QUEENS, {"n": 16}, timeout=2)
    assert count_solutions("var 1..30: x; var 1..30: y; constraint x < y;") == 435
    assert len(list(sample_solutions("var 1..30: x;", 5, seed=1, progress=False))) == 5
    with pytest.raises(CatanError, match=r"too many solutions.*\[count\]"):
        count_solutions("var 1..2000: x; var 1..2000: y;")
    with pytest.raises(CatanError, match=r"too many solutions.*\[count\]"):
        next(sample_solutions("var 1..1000: x; var 1..1000: y;", 1, progress=False))


# Limits of time and memory


@pytest.mark.parametrize(
    "text",
    [
        "var 1..1500: x; var 1..1500: y; var 1..3000: z; constraint (x*y) mod 3001 = z;",
        "var 0..1000000000: x; var 0..1000000000: y; constraint x != y;",
        "array[1..9] of var 0..1000: x; constraint sum(i in 1..9)(x[i] * x[10 - i] * i) = 10000;",
    ],
)
def test_time_limits_hold_in_every_phase(text):
    start = time.monotonic()
    with pytest.raises((SolverTimeout, InvalidArgument)):
        count_solutions(text, timeout=4)
    assert time.monotonic() - start < 12  # 5 on an idle machine


# Answers that text of a model, its files or its data could change


@pytest.mark.parametrize("line", ["==========", "----------", "=====UNSATISFIABLE=====", '{\\"x\\": 9}'])
def test_printed_lines_change_no_answer(line, no_counter):
    """The end of a run is its status, not a line that the model can print."""
    text = f'var 1..3: x; var 1..3: y; output ["{line}\\n", show(x)]; constraint x != y;'
    assert count_solutions(text) == 6
    rows = list(sample_solutions(text, 200, seed=1, progress=False))
    assert {(row["x"], row["y"]) for row in rows} == {(x, y) for x in (1, 2, 3) for y in (1, 2, 3) if x != y}
    with pytest.raises(InvalidArgument, match="must have no solution"):
        find_conflict(text, progress=False)
    (listed,) = catan_cp.compare_solvers(text, solvers=["gecode"], progress=False)
    assert (listed.solutions, listed.complete) == (6, True)


def test_parameter_with_two_values_rejected(tmp_path):
    (tmp_path / "n.dzn").write_text("n = 6;")
    with pytest.raises(InvalidArgument, match="multiple assignment"):
        count_solutions("int: n = 8; var 1..n: x;", tmp_path / "n.dzn")
    with pytest.raises(InvalidArgument, match=r"data must assign names .* not 'n'"):
        count_solutions("int: n = 8; var 1..n: x;", {"n": 6})
    instance = terrain_instance("blog")
    instance.add_string("int: k = 2; constraint terrain[k] = 1; k = 3;")
    with pytest.raises(catan_cp.CatanError, match="multiple assignment"):
        instance.solve()


def test_misspelt_name_of_data_rejected():
    with pytest.raises(InvalidArgument, match=r"not 'size'; did you mean 'sizes'\?"):
        count_solutions("int: sizes; int: k = 2; var 1..k: x;", {"sizes": 3, "size": 4})


@pytest.mark.parametrize("name", ["range", "count", "steiner"])
def test_neighboring_files_replace_no_library(name, tmp_path):
    (tmp_path / f"{name}.mzn").write_text("int: unrelated = 3; var 1..2: other;")
    (tmp_path / "size.mzn").write_text("int: k = 4;")
    (tmp_path / "m.mzn").write_text(
        'include "globals.mzn"; include "size.mzn"; var 1..k: x; constraint all_different([x, 2]);'
    )
    assert count_solutions(tmp_path / "m.mzn") == 3
    (tmp_path / "m.mzn").write_text((tmp_path / "m.mzn").read_text() + "constraint x > 9;")
    assert find_conflict(tmp_path / "m.mzn", progress=False).items == ("constraint x > 9",)


def test_index_error_names_place():
    with pytest.warns(UserWarning, match=r"(?s)index set 1\.\.3, but given index is 4.*model\.mzn:2\.12"):
        assert count_solutions("array[1..3] of var 1..3: x;\nconstraint x[4] = 1;") == 0
    with pytest.warns(UserWarning, match=r"terrain\[0\]"):
        assert catan_cp.count_terrains(catan_cp.Rules(constraints=["terrain[0] = ORE"]), "mini") == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert count_solutions("array[1..3] of var 1..3: x; var 3..4: i; constraint x[i] = 1;") == 9


def test_minizinc_names_allowed():
    text = "var -1..5: _x; var 1..2: 'a+b'; var 1..2: 'constraint;';"
    assert [count_solutions(text, show=show) for show in (None, "_x", ["a+b"])] == [28, 7, 2]
    row = next(sample_solutions(text, 1, seed=1, progress=False))
    assert set(row) == {"_x", "a+b", "constraint;"}
    conflict = find_conflict(text + "constraint 'constraint;' > 2;", progress=False)
    assert conflict.items == ("constraint 'constraint;' > 2",)
    with pytest.raises(InvalidArgument, match="show must be names of variables"):
        count_solutions(text, show=["a'b"])


@pytest.mark.parametrize("answer", [count_solutions, lambda *a, **k: [*sample_solutions(*a, 1, **k)]])
@pytest.mark.parametrize("name", ["colour", "x.1", "f", "q"])
def test_unknown_names_rejected_by_name(answer, name):
    text = "int: n = 2; var 1..n: color; function int: f() = 1;"
    text += "constraint let { var 1..2: q :: output } in q > 1;"
    with pytest.raises(
        InvalidArgument, match="show must be names of variables that the model decl"
    ) as caught:
        answer(text, show=[name])
    assert repr(name) in str(caught.value) and "it declares color, n" in str(caught.value)
    assert ("did you mean 'color'?" in str(caught.value)) == (name == "colour")


def test_inner_variables_multiply_no_count():
    text = "var 1..3: z; constraint let { var 1..2: q :: output } in z > q;"
    assert count_solutions(text) == 2


def test_odd_arrays():
    text = "any: x = [[1, 2, 3], [4, 5, 6]]; any: y = x[1..1]; var 1..4: z;"
    assert [count_solutions(text), count_solutions(text, show=["y", "z"])] == [4, 4]
    tuples = "array[int] of tuple(set of int): x = [({1},), (2,)];"
    tuples += "record(array[1..2] of tuple(array[1..2] of var 0..1): w): r; var 0..2: z;"
    with pytest.raises(InvalidArgument, match=r"^x must be of integers, Booleans or sets"):
        count_solutions(tuples, show="x")
    assert [count_solutions(tuples, show=names) for names in (["z"], ["r", "z"])] == [3, 48]
    row: Any = next(sample_solutions(tuples, 1, show="r", seed=1, progress=False))
    assert [len(pair[0]) for pair in row["r"]["w"]] == [2, 2]


def test_data_as_minizinc_package_takes_it():
    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    text = (
        "enum C; array[int] of int: a; set of C: s; C: c; int: n; var 1..n: x; var C: v; constraint v in s;"
    )
    data = {"C": Color, "a": np.array([1, 2]), "s": {Color.RED}, "c": Color.BLUE, "n": np.int64(5)}
    assert count_solutions(text, data) == 5
    assert next(sample_solutions(text, 1, data, seed=1, progress=False))["v"] == "RED"
    with pytest.raises(InvalidArgument, match="data must be values for MiniZinc"):
        count_solutions("int: n; var 1..n: x;", {"n": object()})


def test_alldifferent_over_many_variables(only_counters):
    text = """include "alldifferent.mzn"; array[1..18] of var 1..20: x; constraint alldifferent(x);
    constraint forall(i in 1..17)(x[i] <= x[i + 1]);"""
    assert count_solutions(text) == 190  # the two numbers left out


OPTIONAL = "enum E = {A, B}; var opt 1..3: x; array[1..2] of var opt bool: y; var opt E: z;"
RECORDS = """array[1..2] of record(var 1..2: e, tuple(var bool, var set of 2..3): 'a+b'): r;
tuple(var 1..2, array[1..2] of record(var 1..2: c)): t; constraint r[1].e < r[2].e;"""


@pytest.mark.parametrize("hidden", ["AUTO", ""])
@pytest.mark.parametrize(
    ("text", "number", "values"),
    [
        (OPTIONAL, 4 * 9 * 3, {"x": {None, 1, 2, 3}, "z": {None, "A", "B"}}),
        (OPTIONAL + "constraint occurs(x) -> deopt(x) > 2; constraint absent(z);", 2 * 9, {"x": {None, 3}}),
        (RECORDS, 8 * 8 * 8, {}),
        ("array[1..2] of array[1..2] of var 1..2: x;", 16, {}),
        ("tuple(var 1..2, var float): t; constraint t.2 = 1.5;", 2, None),
        ("enum E = anon_enum(3); var E: e;", 3, {"e": {f"to_enum(E,{i})" for i in (1, 2, 3)}}),
        ("enum F = {A} ++ C(1..2); var F: e;", 3, {"e": {"A", "C(1)", "C(2)"}}),
    ],
)
def test_optional_variables_records_and_enums(text, number, values, hidden, monkeypatch):
    """Both by lists and by counters alone."""
    if hidden:
        monkeypatch.setattr(f"catan_cp.anymodel.models.{hidden}", ())
    if values is None and hidden:
        return  # Counters encode no floats.
    assert count_solutions(text) == number
    if values is None:
        return
    rows = list(sample_solutions(text, 12 * number, seed=1, progress=False))
    assert len({repr(row) for row in rows}) == number
    assert {name: {row[name] for row in rows} for name in values} == values


def test_shown_constants_do_not_matter():
    text = """enum E = {A, B}; var E: x :: output; string: s :: output = "s"; opt set of E: o :: output = E;
    array[int] of opt set of E: p :: output = [E]; set of int: q :: output = 1..2; float: f :: output = 1.5;
    int: late :: output_only :: add_to_output = fix(x) + 1;"""
    assert count_solutions(text) == 2
    assert next(sample_solutions('var 2..2: x :: output; string: s :: output = "s";', 1, progress=False)) == {
        "x": 2,
        "s": "s",
    }


def test_records_have_form_of_model():
    row: Any = next(sample_solutions(RECORDS, 1, seed=1, progress=False))
    assert [set(record) for record in row["r"]] == [{"e", "a+b"}] * 2
    assert isinstance(row["r"][0]["a+b"][1], set)
    assert row["t"][1][0]["c"] in (1, 2)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("var 1..4: x; float: k = 0.5; constraint x * k <= 1.0;", 2),
        ("var 1..4: x; var 1..3: z; constraint sqrt(x + z) < 2.1;", 6),
        ("var 1..9: x; constraint x * 0.1 = 0.3;", 1),
        ("var 1..4: x; var float: f = x / 2 :: no_output; constraint f > 1.2;", 2),
    ],
)
def test_floats_in_fixed_expressions_listed(text, number):
    assert count_solutions(text, show=["x", "z"] if "z" in text else "x") == number
    assert count_solutions(text.replace(" = x / 2 :: no_output;", "; constraint f = x / 2;")) == number
    assert len({row["x"] for row in sample_solutions(text, 50, show="x", seed=1, progress=False)}) > 0


def test_floats_that_nothing_determines_rejected():
    text = "var 0.0..1.0: f :: no_output; var 1..3: x; constraint f < x;"
    with pytest.raises(InvalidArgument, match=r"float_\w+ has no encoding"):
        count_solutions(text)


def test_solver_specific_constraints():
    text = """include "gecode.mzn"; array[1..3] of var 1..3: x;
    constraint gecode_among_seq_int(x, {1}, 2, 1, 1);"""
    assert solution_count(text) == (6, "listing with gecode")  # 1 is in the middle, or at both ends only
    with pytest.raises(InvalidArgument, match="no function or predicate with name `unknown'"):
        count_solutions('include "gecode.mzn"; var 1..2: x; constraint unknown(x);')


def test_several_data_files_and_values_combined(tmp_path):
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


def test_variables_that_equations_bound_listed():
    text = """include "alldifferent.mzn"; array[1..8] of var 1..8: q; array[1..8] of var int: d;
    constraint alldifferent(q) /\\ alldifferent(d) /\\ forall(i in 1..8)(d[i] = q[i] + i);
    constraint alldifferent([q[i] - i | i in 1..8]);"""
    assert count_solutions(text) == 92


# Solvers with faults


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("var set of 1..3: s; var set of -1..1: u; constraint s < u;", 7),
        (
            'include "connected.mzn"; array[1..2] of var bool: n; array[1..1] of var bool: e;'
            "constraint connected([1], [2], n, e);",
            None,
        ),
        ('include "nvalue.mzn"; array[1..3] of var 1..3: x; constraint nvalue(2, x);', 18),
        ('include "sort.mzn"; array[1..3] of var 1..3: x; constraint sort(x, [1, 2, 3]);', 6),
        ("var -3..3: x; var -3..3: y; constraint x mod y = 1;", None),
    ],
)
def test_solver_globals_with_one_answer(text, known, monkeypatch):
    """MiniZinc's decompositions are compiled, so no solver's version of a constraint counts."""
    number = count_solutions(text)
    assert known in (None, number)
    rows = {repr(row) for row in sample_solutions(text, 60 * number, seed=2, progress=False)}
    assert len(rows) == number
    with pytest.raises(InvalidArgument, match="must have no solution"):
        find_conflict(text, progress=False)
    monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())
    assert count_solutions(text) == number


def test_numbers_beyond_32_bits(only_counters):
    large = "array[1..4] of var 1..6: t; constraint sum(i in 1..4)(t[i] * 300000000) <= 2400000000;"
    assert count_solutions(large) == 70  # as with sum(t) <= 8


def test_lists_of_numbers_beyond_32_bits(no_counter):
    large = "array[1..4] of var 1..6: t; constraint sum(i in 1..4)(t[i] * 300000000) <= 2400000000;"
    with pytest.raises(CatanError, match="gecode"):
        count_solutions(large)


@pytest.mark.parametrize("function", ["count_terrains", "generate_board", "enumerate_terrains"])
def test_numbers_beyond_32_bits_rejected(function):
    rules = catan_cp.Rules(constraints=["sum(t in 1..4)(terrain[t] * 300000000) <= 100000000000"])
    with pytest.raises(catan_cp.InvalidRules, match="compute numbers up to"):
        getattr(catan_cp, function)(rules, "mini")


# Samples


def test_samples_have_types_of_model():
    text, names = "var {1, 4}: x; var set of {2, 5}: y; var bool: b; constraint b -> 2 in y;", ("x", "y", "b")
    rows = [repr(row) for row in sample_solutions(text, 1200, seed=3, progress=False)]
    assert len({*rows}) == count_solutions(text) == 12
    assert evenly(rows, 12)
    assert set(next(sample_solutions(text, 1, seed=3, progress=False))) == set(names)
    with pytest.raises(Infeasible):
        list(sample_solutions("var 1..2: x; constraint x > 2;", 1, progress=False))


def test_samples_may_repeat_solution():
    rows: list[Any] = list(sample_solutions(ORDERS, 1000, seed=1, progress=False))
    assert len(rows) == 1000
    assert all(sorted(row["p"]) == [*range(1, 9)] and row["p"][0] < row["p"][1] for row in rows)
    few = list(sample_solutions("array[1..20] of var bool: b; constraint sum(b) = 10;", 300, seed=1))
    assert len({repr(row) for row in few}) > 290


@pytest.mark.parametrize("listed", [10_000, 10])
@pytest.mark.parametrize("name", ["d4", "ganak"])
def test_all_methods_sample_uniformly(name, listed, only_counters, monkeypatch):
    """The dice are in the original report: 46/28/18/29/24/55 where 31/34/35/35/34/31 is exact."""
    monkeypatch.setattr("catan_cp.anymodel.sample.installed", lambda: [name])
    monkeypatch.setattr("catan_cp.anymodel.sample.FEW_LISTED", listed)
    text = (
        "array[1..4] of var 1..6: d; constraint sum(d) = 14; var 0..1: h :: no_output; constraint d[1] > h;"
    )
    rows = [tuple(row["d"]) for row in sample_solutions(text, 3000, seed=4, progress=False)]
    assert all(sum(dice) == 14 for dice in rows)
    assert evenly(rows, count_solutions(text))


SMALL = {
    "dice": "array[1..8] of var 1..3: d; constraint sum(d) = 17;",
    "Booleans": "array[1..10] of var bool: b; constraint sum(b) = 5;",
    "queens": QUEENS.replace("int: n", "int: n = 6"),
    "set": "var set of 1..7: s; constraint card(s) in {2, 5};",
    "optional": "array[1..3] of var opt 1..2: x; constraint exists(i in 1..3)(absent(x[i]));",
    "product": "var 1..40: x; var 1..40: y; constraint (x * y) mod 13 = 5;",
    "tour": 'include "circuit.mzn"; array[1..5] of var 1..5: x; constraint circuit(x);',
    "hidden": "var 1..30: x; var 1..30: y :: no_output; constraint x * y = 24 \\/ x = y;",
    "words": """include "regular.mzn"; array[1..6] of var 1..2: x;
        constraint regular(x, 2, 2, [| 1, 2 | 1, 0 |], 1, 1..2);""",
    "record": "record(var 1..4: a, var bool: b, var 1..5: c): r; constraint r.b <-> r.a < r.c;",
}


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("name", SMALL)
def test_samples_of_ten_models_are_uniform(name, listed, monkeypatch):
    """Each from a list, and from d4's diagram."""
    if not listed:
        pytest.importorskip("py_d4")
        monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())
        monkeypatch.setattr("catan_cp.anymodel.sample.FEW_LISTED", 2)
    number = count_solutions(SMALL[name])
    assert evenly(map(repr, sample_solutions(SMALL[name], 10 * number, seed=7, progress=False)), number)


def test_lists_and_counters_give_same_samples(monkeypatch):
    def rows():
        return list(sample_solutions(QUEENS, 20, {"n": 6}, seed=5, progress=False))

    listed = rows()
    monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())
    for name in ("d4", "ganak"):
        monkeypatch.setattr("catan_cp.anymodel.sample.installed", lambda name=name: [name])
        assert rows() == listed, name


def test_samples_of_large_spaces():
    text = TYPES + "var 1..5000: n; constraint n mod 7 = 3; constraint c in x;"
    names = ["x", "b", "c", "z", "n"]

    def rows():
        data = {"C": ["A", "B", "D"]}
        return list[Any](sample_solutions(text, 40, data, show=names, seed=5, progress=False))

    assert rows() == rows()
    assert len({row["n"] for row in rows()}) > 30
    for row in rows():
        assert row["n"] % 7 == 3
        assert row["c"] in row["x"] <= {"A", "B", "D"}
        assert row["z"] == 5 + len(row["x"]) % 3
        assert [len(line) for line in row["b"]] == [2, 2]


# Conflicts


def test_conflicts_are_minimal():
    expected = ("constraint let { var 2..3: y; constraint y > 2; } in x > y", "constraint x < 3")
    assert find_conflict(ITEMS, progress=False) == Conflict((), expected, True)
    assert find_conflict("var 0.0..1.0: f; constraint f > 2;").items == ("constraint f > 2",)
    with pytest.raises(InvalidArgument, match="must have no solution"):
        find_conflict("var 1..2: x;", progress=False)
    assert find_conflict("var 1..2: x; var 3..4: y = x;", progress=False) == Conflict((), (), True)


def test_conflicts_of_models_that_print_expressions():
    text = 'var 1..9: x; constraint x > 5; output ["share: \\(show(x) ++ "%")\\n"]; constraint x < 4;'
    assert find_conflict(text, progress=False).items == ("constraint x > 5", "constraint x < 4")


def test_progress_of_samples_and_conflicts():
    events: list[Any] = []
    list(sample_solutions("var 1..3: x;", 2, seed=1, progress=events.append))
    find_conflict("var 1..3: x; constraint x > 4;", progress=events.append)
    assert [now.unit for now in events] == ["", "tests", "tests"]


def test_command_names_method(tmp_path):
    (tmp_path / "m.mzn").write_text("int: n; var 1..n: x; var 1..n: y; constraint x < y;")
    (tmp_path / "m.json").write_text('{"n": 50}')
    printed = run(["count", "model", "m.mzn", "m.json"], tmp_path, cwd=tmp_path)
    assert printed.stdout == "1,225\n"
    assert re.search("counted by (d4|ganak|listing with (gecode|chuffed)) in", printed.stderr)
    assert catan_cp.count_solutions is count_solutions
