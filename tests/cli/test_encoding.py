"""Commands whose output goes to a terminal or a file that takes ASCII only."""

import json

import pytest

from tests.command_line import python, run

LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"

RUN = """
import json, sys
from catan_cp.cli import main

for line in json.loads(sys.argv[1]):
    try:
        main(line.split())
    except SystemExit as end:
        assert not end.code, line
"""

COMMANDS = [
    f"place {LINE} --moves 3",
    f"play {LINE} -n 4 --seed 1",
    "tournament --names names.txt --rounds 1 --seed 1 --plan plan.json --save kit.pdf",
    "replan plan.json --played 0",
    "layouts",
    "layouts base-5-6 --toml",
    "rules optimal",
    "tournament --help",
]
MORE = [
    f"place {LINE} --rationality 9",
    f"report {LINE}",
    f"check {LINE} --rules open",
    "best --rules open --even -p 3 --seed 1",
    "generate --rules open --seed 1",
    "study --db s.db -n 3 --rules open --seed 1 --games 2",
    "top s.db",
    "show s.db 1",
    "compare s.db s.db",
    "count terrain --rules blog",
    "doctor",
]

ASCII = {"PYTHONIOENCODING": "ascii"}
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    ("environment", "commands"),
    [(ASCII, COMMANDS), pytest.param(C_LOCALE, COMMANDS + MORE, marks=pytest.mark.slow)],
    ids=["ascii", "C locale"],
)
def test_no_command_fails_on_ascii_output(tmp_path, environment, commands):
    names = ["Jürgen", "Zoë", "Ana"]
    (tmp_path / "names.txt").write_text("\n".join(names), encoding="utf-8")
    result = python(["-c", RUN, json.dumps(commands)], tmp_path, environment=environment, cwd=tmp_path)
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stdout.isascii()
    assert "J\\xfcrgen" in result.stdout
    assert "   .     .     ." in result.stdout, "the vertices of the map keep their columns"
    assert "+-" in result.stdout


def test_utf_8_output_unchanged(tmp_path):
    result = run(["place", LINE], tmp_path, environment={"PYTHONIOENCODING": "utf-8"})
    assert "   ·     ·     ·" in result.stdout
