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
        ("place --method me", {"memo"}),
        ("plot --theme da", {"dark"}),
    ],
)
def test_values_are_completed(line, expected, tmp_path):
    (tmp_path / "own.toml").touch()
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
    assert expected <= set(done.stdout.split()), done.stderr
