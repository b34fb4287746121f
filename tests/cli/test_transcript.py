"""Commands with all that they print.

``python -m tests.cli.test_transcript`` writes the stored output anew, after a change that is wanted. With
arguments, these are the commands.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

STORED = Path(__file__).with_name("transcript.txt")
PROMPT = "$ catan-cp "


def stored_commands() -> dict[str, str]:
    """Return the stored output of each command."""
    parts = STORED.read_text(encoding="utf-8").split(PROMPT)[1:]
    return {command: output for command, _, output in (part.partition("\n") for part in parts)}


def repeatable(text: str) -> str:
    """Return an output without seconds, and with seven digits of each number."""
    text = re.sub(r'in [\d.]+ m?s\b|"seconds": [\d.e-]+', "SECONDS", text)
    return re.sub(r"\d\.\d{7,}(e-\d+)?", lambda number: f"{float(number[0]):.6f}", text)


def shown(out: str, err: str) -> str:
    """Return standard output, and standard error with a mark, as they are stored."""
    return f"{repeatable(out)}{''.join(f'! {line}' for line in err.splitlines(keepends=True))}\n"


@pytest.mark.parametrize("command", stored_commands(), ids=lambda command: command[:60])
def test_output_is_stored_one(command, run):
    _, out, err = run(*shlex.split(command))
    assert shown(out, err) == stored_commands()[command]


if __name__ == "__main__":
    commands = sys.argv[1:] or list(stored_commands())
    with STORED.open("w", encoding="utf-8") as file:
        for line in commands:
            words = [sys.executable, "-m", "catan_cp.cli", *shlex.split(line)]
            ended = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            file.write(f"{PROMPT}{line}\n{shown(ended.stdout, ended.stderr)}")
