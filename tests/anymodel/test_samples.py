"""Samples and conflicts of any MiniZinc model."""

import re
from typing import Any

import pytest

from catan_cp import Conflict, Infeasible, count_solutions, find_conflict
from tests.anymodel.models import NAMES, NESTED, QUEENS, RECORDS, sample
from tests.command_line import status
from tests.small_boards import evenly

pytest.importorskip("pyganak", reason="needs the extra count")

ITEMS = """constraint x > 1; % constraint x > 9;
constraint x != 3 /* ; */; constraint let { var 2..3: y; constraint y > 2; } in x > y; constraint x < 3;
output ["constraint;"]; var 1..9: x; solve minimize x;"""


# Samples


def test_samples_have_types_of_model():
    text = "var {1, 4}: x; var set of {2, 5}: y; var bool: b; constraint b -> 2 in y;"
    rows = sample(text, 200)
    assert len(rows) == 200
    assert {(row["x"], type(row["y"]), row["b"]) for row in rows} == {
        (x, set, b) for x in (1, 4) for b in (False, True)
    }
    assert len({repr(row) for row in rows}) == 12
    assert sample('var 2..2: x :: output; string: s :: output = "s";', 1) == [{"x": 2, "s": "s"}]
    with pytest.raises(Infeasible):
        sample("var 1..2: x; constraint x > 2;", 1)


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "enum E = {A, B}; var opt 1..2: x; var opt E: z; constraint absent(x) \\/ absent(z);",
            {"x": {None, 1, 2}, "z": {None, "A", "B"}},
        ),
        ("enum E = anon_enum(3); var E: e;", {"e": {f"to_enum(E,{i})" for i in (1, 2, 3)}}),
        ("enum F = {A} ++ C(1..2); var F: e;", {"e": {"A", "C(1)", "C(2)"}}),
        (NAMES + "constraint _x < 0;", {"_x": {-1}, "a+b": {1, 2}, "constraint;": {1, 2}}),
    ],
)
def test_optional_variables_and_enums(text, values, listed, monkeypatch):
    """Both by lists and by counters alone."""
    if not listed:
        monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())
    rows = sample(text, 60)
    assert {name: {row[name] for row in rows} for name in values} == values


def test_records_have_form_of_model():
    (row,) = sample(RECORDS, 1)
    assert [set(record) for record in row["r"]] == [{"e", "a+b"}] * 2
    assert isinstance(row["r"][0]["a+b"][1], set)
    assert row["t"][1][0]["c"] in (1, 2)
    (row,) = sample(NESTED, 1, show="r")
    assert [len(pair[0]) for pair in row["r"]["w"]] == [2, 2]


UNIFORM = {
    "dice": """array[1..3] of var 1..6: d; constraint sum(d) = 11;
        var 0..1: h :: no_output; constraint d[1] > h;""",
    "set": "var set of 1..6: s; constraint card(s) in {2, 5};",
    "optional": "array[1..2] of var opt 1..2: x; constraint exists(i in 1..2)(absent(x[i]));",
    "hidden": "var 1..12: x; var 1..12: y :: no_output; constraint x * y = 24 \\/ x = y;",
    "words": """include "regular.mzn"; array[1..6] of var 1..2: x;
        constraint regular(x, 2, 2, [| 1, 2 | 1, 0 |], 1, 1..2);""",
}
"""Four dice were in the original report: 46/28/18/29/24/55 where 31/34/35/35/34/31 is exact."""


@pytest.mark.parametrize("method", ["lists", "d4", "ganak"])
@pytest.mark.parametrize("name", UNIFORM)
def test_samples_are_uniform(name, method, monkeypatch):
    number = count_solutions(UNIFORM[name])
    if method != "lists":
        pytest.importorskip({"d4": "py_d4", "ganak": "pyganak"}[method])
        monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())
        monkeypatch.setattr("catan_cp.anymodel.sample.installed", lambda: [method])
        monkeypatch.setattr("catan_cp.anymodel.sample.FEW_LISTED", 2)
    assert evenly(map(repr, sample(UNIFORM[name], 10 * number)), number)


def test_lists_and_counters_give_same_samples(monkeypatch):
    def rows():
        return sample(QUEENS, 20, {"n": 6})

    listed = rows()
    monkeypatch.setattr("catan_cp.anymodel.models.AUTO", ())
    for name in ("d4", "ganak"):
        monkeypatch.setattr("catan_cp.anymodel.sample.installed", lambda name=name: [name])
        assert rows() == listed, name


def test_samples_of_large_spaces():
    text = """enum C; var set of C: x; array[0..1, 2..3] of var bool: b; var C: c;
    var 5..7: z = 5 + card(x) mod 3; var 1..5000: n; constraint n mod 7 = 3; constraint c in x;"""

    def rows(n):
        return sample(text, n, {"C": ["A", "B", "D"]}, show=["x", "b", "c", "z", "n"])

    samples = rows(20)
    assert rows(20) == samples
    assert len({row["n"] for row in samples}) > 15
    for row in samples:
        assert row["n"] % 7 == 3
        assert row["c"] in row["x"] <= {"A", "B", "D"}
        assert row["z"] == 5 + len(row["x"]) % 3
        assert [len(line) for line in row["b"]] == [2, 2]


# Conflicts


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (ITEMS, ("constraint let { var 2..3: y; constraint y > 2; } in x > y", "constraint x < 3")),
        ("var 0.0..1.0: f; constraint f > 2;", ("constraint f > 2",)),
        ("var 1..2: x; var 3..4: y = x;", ()),
        (NAMES + "constraint 'constraint;' > 2;", ("constraint 'constraint;' > 2",)),
        (
            'var 1..9: x; constraint x > 5; output ["share: \\(show(x) ++ "%")\\n"]; constraint x < 4;',
            ("constraint x > 5", "constraint x < 4"),
        ),
    ],
)
def test_conflicts_are_minimal(text, items):
    assert find_conflict(text, progress=False) == Conflict((), items, True)


def test_progress_of_samples_and_conflicts():
    events: list[Any] = []
    sample("var 1..3: x;", 2, progress=events.append)
    find_conflict("var 1..3: x; constraint x > 4;", progress=events.append)
    assert [now.unit for now in events] == ["", "tests", "tests"]


def test_command_names_method(tmp_path, capsys):
    (tmp_path / "m.mzn").write_text("int: n; var 1..n: x; var 1..n: y; constraint x < y;")
    (tmp_path / "m.json").write_text('{"n": 50}')
    assert status(["count", "model", tmp_path / "m.mzn", tmp_path / "m.json"]) in (0, None)
    printed = capsys.readouterr()
    assert printed.out == "1,225\n"
    assert re.search("counted by (d4|ganak|listing with (gecode|chuffed)) in", printed.err)
