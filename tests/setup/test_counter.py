"""The exact counter as a solver of MiniZinc."""

import json
import re
import subprocess
from pathlib import Path

import pytest

QUEENS = """include "alldifferent.mzn"; int: n; array[1..n] of var 1..n: q;
constraint alldifferent(q) /\\ alldifferent([q[i] + i | i in 1..n]) /\\ alldifferent([q[i] - i | i in 1..n]);
output ["\\(q)\\n"];"""


@pytest.fixture
def home(minizinc_program, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(minizinc_program.parent))
    return tmp_path


@pytest.fixture
def counter(home, doctor):
    """The program that MiniZinc starts, after its registration."""
    configuration = Path(re.search("wrote (.*); try", doctor("--register-counter"))[1])
    return configuration.with_suffix("")


@pytest.fixture
def minizinc(minizinc_program, home):
    """Run MiniZinc with the counter as its solver."""

    def call(*words, model=QUEENS):
        (home / "m.mzn").write_text(model)
        command = [minizinc_program, "--solver", "count", *words, home / "m.mzn"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        return result.stdout + result.stderr

    return call


def test_minizinc_counts_after_registration(counter, minizinc, doctor):
    lines = minizinc("-D", "n=6").splitlines()
    assert (lines[0], lines[2:]) == ("% 4 solutions", ["----------"])
    assert sorted(json.loads(lines[1])) == [1, 2, 3, 4, 5, 6]
    messages = [*map(json.loads, minizinc("-D", "n=6", "-s", "--json-stream").splitlines())]
    found = [message["statistics"] for message in messages if "solutions" in message.get("statistics", {})]
    assert [statistics["solutions"] for statistics in found] == [4] and found[0]["solveTime"] < 300
    assert all(message["type"] in ("statistics", "solution") for message in messages)
    complete = minizinc("-D", "n=6", "-a").splitlines()
    assert len({line for line in complete if line.startswith("[")}) == 4
    assert complete[-1] == "=========="
    assert minizinc("-D", "n=3").splitlines() == ["% 0 solutions", "=====UNSATISFIABLE====="]
    assert "removed" in doctor("--unregister-counter")
    assert "not registered" in doctor("--unregister-counter")
    assert "count" in minizinc("-D", "n=6")  # no solver has this name


@pytest.mark.parametrize(
    ("text", "options", "answer"),
    [
        (
            "var set of 1..3: s; var opt 1..2: x; array[1..2, 0..1] of var bool: m; var 1..1000: y;",
            [],
            "% 384000 solutions",
        ),
        ("array[1..70] of var bool: b; constraint b[1];", [], f"% {2**69} solutions"),
        ("array[1..70] of var bool: b; constraint b[1];", ["-a"], "too many to list"),
        ("var 1..2: x; output [];", [], "% 1 solution\n"),
        (QUEENS, ["-D", "n=25", "-t", "2000"], "=====UNKNOWN====="),
        ("var 1..3: x; var float: f; constraint f = x / 2;", [], "use no floats"),
        ("var 1..3: x; solve maximize x;", [], "remove the objective"),
    ],
)
def test_counter_answers(text, options, answer, counter, minizinc):
    assert answer in minizinc(*options, model=text)


def test_minizinc_names_missing_counter(counter, minizinc):
    text = counter.read_text()
    counter.write_text(text.replace("python=", "python=/missing"))
    assert "catan-cp is not installed: /missing" in minizinc("-D", "n=6")
    counter.write_text(text.replace("import catan_cp", "import catan_cp_that_was_removed"))
    assert "catan-cp is not installed for" in minizinc("-D", "n=6")


def test_counter_reads_flatzinc_only(counter, home):
    (home / "m.fzn").write_text("var 1..2: x;\n")
    result = subprocess.run([counter, home / "m.fzn"], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "must be FlatZinc" in result.stderr


def test_unwritable_folder_is_error(home, doctor):
    (home / ".minizinc").write_text("a file")
    assert "cannot write" in doctor("--register-counter")
