"""The commands for any MiniZinc model."""

import json

import pytest

from tests.command_line import run

MODEL = """include "alldifferent.mzn"; int: n; array[1..n] of var 1..n: q; var set of 1..2: s;
constraint alldifferent(q); constraint card(s) = 1;"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "m.mzn").write_text(MODEL)
    (tmp_path / "n.dzn").write_text("n = 4;")
    (tmp_path / "c.mzn").write_text("var 1..3: x; constraint x > 2; constraint x != 1; constraint x < 3;")
    return tmp_path


def test_samples_are_lines_of_json(files):
    words = ["sample", "model", files / "m.mzn", files / "n.dzn", "-n", "5", "--seed", "1"]
    result = run(words, files)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(sorted(row["q"]), len(row["s"])) for row in rows] == [([1, 2, 3, 4], 1)] * 5, result.stderr
    assert run(words, files).stdout == result.stdout
    projected = run([*words, "--show", "s"], files).stdout.splitlines()
    assert {*map(str.strip, projected)} <= {'{"s": [1]}', '{"s": [2]}'}
    assert "has no solution" in run(["sample", "model", files / "c.mzn"], files).stderr


def test_conflicts_are_lines_of_constraints(files):
    result = run(["conflict", "model", files / "c.mzn"], files)
    assert result.stdout.splitlines() == ["constraint x > 2", "constraint x < 3"]
    assert "2 constraints, none can be left out" in result.stderr
    result = run(["conflict", "model", files / "m.mzn", files / "n.dzn"], files)
    assert (result.returncode, result.stdout) == (1, "")
    assert "model must have no solution" in result.stderr


def test_counts_take_several_files_of_data(files):
    (files / "two.mzn").write_text("int: a; int: b; var a..b: x;")
    (files / "a.dzn").write_text("a = 3;")
    (files / "b.json").write_text('{"b": 9}')
    words = ["count", "model", files / "two.mzn", files / "a.dzn", files / "b.json"]
    assert run(words, files).stdout == "7\n"
