"""The exact counter as a solver of MiniZinc."""

import json
import os
import subprocess

import pytest

from catan_cp import CatanError
from catan_cp.anymodel import fzn
from catan_cp.setup import counter
from catan_cp.solving.find import find_solver
from tests.command_line import run

MINIZINC = find_solver("gecode").minizinc.executable
QUEENS = """include "alldifferent.mzn"; int: n; array[1..n] of var 1..n: q;
constraint alldifferent(q) /\\ alldifferent([q[i] + i | i in 1..n]) /\\ alldifferent([q[i] - i | i in 1..n]);
output ["\\(q)\\n"];"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(MINIZINC.parent))
    return tmp_path


def doctor(folder, *words):
    result = run(["doctor", *words], folder)
    return result.stdout + result.stderr


def minizinc(*words, model=QUEENS, folder):
    (folder / "m.mzn").write_text(model)
    command = [MINIZINC, "--solver", "count", *words, folder / "m.mzn"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_minizinc_counts_after_registration(home):
    assert "wrote" in doctor(home, "--register-counter")
    visible = minizinc("-D", "n=6", folder=home)
    lines = visible.stdout.splitlines()
    assert (lines[0], lines[2:]) == ("% 4 solutions", ["----------"]), visible.stderr
    assert sorted(json.loads(lines[1])) == [1, 2, 3, 4, 5, 6]
    messages = [
        json.loads(line)
        for line in minizinc("-D", "n=6", "-s", "--json-stream", folder=home).stdout.splitlines()
    ]
    assert any(message.get("statistics", {}).get("solutions") == 4 for message in messages)
    assert all(message["type"] in ("statistics", "solution") for message in messages)
    complete = minizinc("-D", "n=6", "-a", folder=home).stdout.splitlines()
    assert len({line for line in complete if line.startswith("[")}) == 4
    assert complete[-1] == "=========="
    assert minizinc("-D", "n=3", folder=home).stdout.splitlines() == [
        "% 0 solutions",
        "=====UNSATISFIABLE=====",
    ]
    assert "removed" in doctor(home, "--unregister-counter")
    assert "not registered" in doctor(home, "--unregister-counter")
    assert "count" in minizinc("-D", "n=6", folder=home).stderr  # no solver has this name


def test_counter_reads_sets_and_options(home):
    counter.register_counter()
    text = "var set of 1..3: s; var opt 1..2: x; array[1..2, 0..1] of var bool: m; var 1..1000: y;"
    assert "% 384000 solutions" in minizinc(model=text, folder=home).stdout
    wide = "array[1..70] of var bool: b; constraint b[1];"
    assert f"% {2**69} solutions" in minizinc(model=wide, folder=home).stdout
    assert "too many to list" in minizinc("-a", model=wide, folder=home).stderr
    assert "% 1 solution\n" in minizinc(model="var 1..2: x; output [];", folder=home).stdout


def test_limits_and_objectives(home):
    counter.register_counter()
    assert "=====UNKNOWN=====" in minizinc("-D", "n=25", "-t", "2000", folder=home).stdout
    assert (
        "use no floats"
        in minizinc(model="var 1..3: x; var float: f; constraint f = x / 2;", folder=home).stderr
    )
    assert "remove the objective" in minizinc(model="var 1..3: x; solve maximize x;", folder=home).stderr


def test_minizinc_names_missing_counter(home):
    program = counter.register_counter().with_suffix("")
    text = program.read_text()
    program.write_text(text.replace("python=", "python=/missing"))
    assert "catan-cp is not installed: /missing" in minizinc("-D", "n=6", folder=home).stderr
    program.write_text(text.replace("import catan_cp", "import catan_cp_that_was_removed"))
    assert "catan-cp is not installed for" in minizinc("-D", "n=6", folder=home).stderr


def test_unwritable_folder_is_error(home):
    (home / ".minizinc").write_text("a file")
    with pytest.raises(CatanError, match="cannot write"):
        counter.register_counter()


def test_counter_reads_flatzinc_only(home, capsys):
    (home / "m.fzn").write_text("var 1..2: x;\n")
    assert fzn.main([os.fspath(home / "m.fzn")]) == 1
    assert "must be FlatZinc" in capsys.readouterr().err
