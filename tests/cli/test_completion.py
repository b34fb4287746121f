"""What the shell completes: names of rules, layouts and methods, as typer hands them to bash."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("generate --rules tourn", {"tournament"}),
        ("generate --rules o", {"official", "open", "optimal", "own.toml"}),
        ("rules bl", {"blog"}),
        ("count terrain --layout seafarers-1", {"seafarers-10"}),
        ("generate --harbors pr", {"printed"}),
        ("generate --solver ch", {"chuffed"}),
        ("generate --solver c", {"chuffed", "cp-sat", "coin-bc"}),
        ("place --method bo", {"bounds"}),
        ("plot --theme da", {"dark"}),
        ("top made.db --by seat_s", {"seat_spread"}),
        ("enumerate boards --by seat_spread,-eff", {"seat_spread,-efficiency_error"}),
        ("compare a.db b.db --by wea", {"weak_vertices"}),
        ("best --minimize larg", {"largest_vertex_sum"}),
        ("best --maximize sm", {"smallest_vertex_sum"}),
        ("generate --method w", {"walk"}),
    ],
)
def test_values_are_completed(line, expected, tmp_path):
    for name in ("own.toml", "made.db", "walks.txt"):
        (tmp_path / name).touch()
    words = f"catan-cp {line}"
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "catan_cp.cli"],
        env={**os.environ, **asked, "_CATAN_CP_COMPLETE": "complete_bash"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    given = set(done.stdout.split())
    assert expected <= given, done.stderr
    assert not given & {"made.db", "walks.txt"}, "files"
