"""Commands with all that they print, in the order in which a user types them.

``python -m tests.cli.test_transcript`` writes the stored output anew, after a change that is wanted.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from catan_cp import LAYOUTS, Board
from catan_cp.tournament import Round, Tournament
from tests.cli.test_answers import FILES
from tests.formats.files import DRAFT
from tests.formats.files import FILES as GAMES

STORED = Path(__file__).with_name("transcript.txt")
HEADING, PROMPT = "=== ", "$ catan-cp "
MAP = Board.from_notation(LAYOUTS["base"].beginner_board)
TABLES = (((1, 2, 3, 4), (5, 6, 7)), ((5, 1, 6, 2), (7, 3, 4)))
CUP = Tournament(tuple(range(1, 8)), tuple(Round(MAP, tables) for tables in TABLES), (0, 0), (0, 0))
RESULTS = """round,table,player,points
1,1,1,10
1,1,2,7
1,1,3,7
1,1,4,4
1,2,5,8
1,2,6,10
1,2,7,9
2,1,5,10
2,1,1,9
2,1,6,5
2,1,2,5
2,2,7,6
2,2,3,10
2,2,4,8
"""


def write_files(folder: Path) -> None:
    """Write what the commands read."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="latin-1")
    for program, write in GAMES.items():
        (folder / program).write_text(write(DRAFT), encoding="utf-8")
    (folder / "cup.json").write_text(CUP.to_json(), encoding="utf-8")
    (folder / "results.csv").write_text(RESULTS, encoding="utf-8")


def sections() -> dict[str, list[tuple[str, str]]]:
    """Return the commands of each section with their output."""
    parts = (part.partition("\n") for part in STORED.read_text(encoding="utf-8").split(HEADING)[1:])
    return {
        title: [(c, output) for c, _, output in (part.partition("\n") for part in text.split(PROMPT)[1:])]
        for title, _, text in parts
    }


def repeatable(text: str) -> str:
    """Return an output without seconds and folders, and with seven digits of each number."""
    text = re.sub(r'in [\d.]+ m?s\b|"seconds": [\d.e-]+', "SECONDS", text).replace(str(Path.cwd()), "FOLDER")
    return re.sub(r"\d\.\d{7,}(e-\d+)?", lambda number: f"{float(number[0]):.6f}", text)


def replayed(
    commands: Iterable[tuple[str, str]], run: Callable[..., tuple[int, str, str]]
) -> list[tuple[str, str]]:
    """Return commands with what they print, standard error marked and last."""
    ended = [(command, run(*shlex.split(command))) for command, _ in commands]
    return [
        (command, repeatable(out + "".join(f"! {line}" for line in err.splitlines(keepends=True))) + "\n")
        for command, (_, out, err) in ended
    ]


@pytest.mark.parametrize("title", sections())
def test_output_is_stored_one(title, run, tmp_path, monkeypatch):
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = sections()[title]
    for found, stored in zip(replayed(commands, run), commands, strict=True):
        assert found == stored


def separate(*words: str) -> tuple[int, str, str]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "catan_cp.cli", *words]
    ended = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return ended.returncode, ended.stdout, ended.stderr


if __name__ == "__main__":
    text = ""
    for heading, typed in sections().items():
        with tempfile.TemporaryDirectory() as name:
            write_files(Path(name))
            os.chdir(name)
            text += f"{HEADING}{heading}\n\n"
            text += "".join(f"{PROMPT}{command}\n{output}" for command, output in replayed(typed, separate))
            os.chdir("/")
    STORED.write_text(text, encoding="utf-8")
