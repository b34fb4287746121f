"""Start a program, tell it something, have what it says: how MiniZinc is asked and its solvers are tried."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from catan_cp.errors import show

NO_ANSWER = (OSError, subprocess.TimeoutExpired)
"""What `ask` raises where the program does not start, or does not end in time."""


def ask(
    command: Sequence[str | Path], said: str = "", patience: float = 30.0
) -> subprocess.CompletedProcess[str]:
    """Run *command* to its end with *said* on its standard input, for at most *patience* seconds."""
    return subprocess.run(
        command,
        input=said,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=patience,
        check=False,
    )


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a program complained of, or else printed, as an error message quotes it."""
    return show((done.stderr or done.stdout).strip())
