"""A ``matplotlibrc`` file in the working directory changes no picture and starts no LaTeX."""

import importlib
import json
import os
import re
import sys

import pytest
import typer

from catan_cp.cli.commands import app
from tests.command_line import python
from tests.conftest import script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stand-ins are shell scripts")

MATPLOTLIBRC = r"""
text.usetex: True
text.latex.preamble: \input{secret}
font.size: 31
lines.linewidth: 9
axes.facecolor: red
axes.grid: True
xtick.labelsize: 40
svg.fonttype: none
pdf.fonttype: 42
path.simplify: False
"""

LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"

START = f"""
import json, os, sys
import matplotlib
from functools import cache
from pathlib import Path
from catan_cp import *
from catan_cp import draw, play, tournament
from catan_cp.cli import main
from catan_cp.formats import catanlog_header
from catan_cp.studies import comparing

assert matplotlib.rcParams["text.usetex"] == Path("matplotlibrc").exists()
board = Board.from_notation({LINE!r})
cup = cache(lambda: plan_tournament(3, 1, maps=[board], seed=1))

@cache
def store():
    run_study(Study(3, "open", seed=1, name="s"), home / "s.db", progress=False)
    return Store(home / "s.db")

def command(line):
    try:
        main(line.split())
    except SystemExit as end:
        assert not end.code, (line, end.code)

def save_results():
    cup = Tournament.from_json(Path('plan.json').read_text())
    Path('a.csv').write_text(tournament.Results(cup).enter(1, 1, (10, 5, 7)).to_csv())

def save(picture):
    figure = picture if hasattr(picture, "savefig") else picture.figure
    figure.savefig("as_users_do.png", dpi=50)
    save_picture(picture, "a.png", dpi=50)

home = Path.cwd()
for name, lines in json.loads(sys.argv[1]).items():
    folder = home / name.replace(" ", "_")
    folder.mkdir()
    os.chdir(folder)
    exec(lines)
"""

FUNCTIONS = {
    "plot_board": "save(plot_board(board, heat=range(54), key=True, title='$x$'))",
    "plot_gallery": "save(plot_gallery([board], ['one'], title='$x$'))",
    "plot_pair": "save(draw.plot_pair(board, board))",
    "save_picture": "[save_picture(board, f'a.{kind}', numbers=True) for kind in ('png', 'svg', 'pdf')]",
    "board_svg": "Path('a.svg').write_text(draw.board_svg(board))",
    "board_png": "Path('a.png').write_bytes(board._repr_png_())",
    "print_sheet": "print_sheet(board, 'a.pdf', title='x')",
    "plot_games": "save(play.plot_games(play_games(board, 4, seed=1)))",
    "save_kit": "tournament.save_kit(cup(), 'a.pdf')",
    "save_standings": (
        "results = tournament.Results(cup()).enter(1, 1, (10, 5, 7))\n"
        "tournament.save_standings(results.standings(), 'a.png', title='$x$')"
    ),
    "plot_top": "save(comparing.plot_top(store()))",
    "plot_comparison": "save(comparing.plot_comparison(compare_studies(store(), store())))",
}
"""A call of each public function that plots.

It writes pictures into the working directory.
"""

STUDY = "command('study --db s.db -n 3 --rules open --seed 1'); "
COMMANDS = {
    "generate": "command('generate --rules open --seed 1 -n 2 --save a.png')",
    "best": "command('best --rules open --even --candidates 3 --seed 1 --save a.png')",
    "plot": f"command('plot {LINE} --numbers --title x --save a.svg')",
    "print": f"command('print {LINE} --title x --save a.pdf')",
    "check": f"command('check {LINE} --rules open --save a.png')",
    "report": f"command('report {LINE} --save a.png')",
    "review": (
        "Path('a.catan').write_text(catanlog_header(board) + 'red buys settlement, builds at (1 SE)\\n')\n"
        "command('review a.catan --save a.png')"
    ),
    "place": f"command('place {LINE} --moves 3 --save a.png')",
    "play": f"command('play {LINE} -n 4 --seed 1 --save a.png')",
    "tournament": "command('tournament --players 3 --rounds 1 --seed 1 --save a.pdf')",
    "replan": (
        "command('tournament --players 8 --rounds 2 --seed 1 --save a.pdf --plan plan.json')\n"
        "command('replan plan.json --played 1 --leave 8 --save b.pdf')"
    ),
    "standings": (
        "command('tournament --players 3 --rounds 1 --seed 1 --plan plan.json')\n"
        "save_results(); command('standings plan.json a.csv --save a.svg')"
    ),
    "playoff": (
        "command('tournament --players 3 --rounds 1 --seed 1 --plan plan.json')\n"
        "save_results(); command('playoff plan.json a.csv --players 3 --seed 1 --save a.pdf')"
    ),
    "top": STUDY + "command('top s.db --save a.png')",
    "show": STUDY + "command('show s.db 1 --save a.png')",
    "compare": STUDY + "command('compare s.db s.db --save a.png')",
    "layouts": "command('layouts mini base --save a.png')",
}
"""A call of each command that plots."""


def saving(group, path=()):
    """Yield the name of each command with the option --save."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from saving(command, (*path, name))
        elif any("--save" in option.opts for option in command.params):
            yield " ".join((*path, name))


def test_plotting_functions_are_listed():
    modules = ["catan_cp", *(f"catan_cp.{name}" for name in ("draw", "play", "tournament"))]
    modules.append("catan_cp.studies.comparing")
    names = {name for module in modules for name in dir(importlib.import_module(module))}
    pattern = r"plot|save_(?!proof)|print|board_svg|board_png"
    assert {name for name in names if re.match(pattern, name)} == set(FUNCTIONS)
    assert set(saving(typer.main.get_command(app))) - {"prove"} == set(COMMANDS)


@pytest.mark.parametrize(
    "calls",
    [pytest.param(FUNCTIONS, id="functions"), pytest.param(COMMANDS, id="commands", marks=pytest.mark.slow)],
)
def test_local_settings_change_no_picture(tmp_path, calls):
    tools, started = tmp_path / "tools", tmp_path / "started"
    for name in ("latex", "pdflatex", "lualatex", "xelatex", "dvipng", "dvips", "kpsewhich"):
        script(tools / name, f"echo {name} >> '{started}'\nexit 1")
    environment = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "0"}
    environment["NUMBA_DISABLE_JIT"] = "1"  # four games take less time than loading numba
    pictures = {}
    for name in ("plain", "hostile"):
        folder = tmp_path / name
        folder.mkdir()
        if name == "hostile":
            (folder / "matplotlibrc").write_text(MATPLOTLIBRC)
        result = python(["-c", START, json.dumps(calls)], tmp_path, environment=environment, cwd=folder)
        assert result.returncode == 0, result.stderr[-3000:]
        files = sorted(file for file in folder.rglob("*.*") if file.suffix in (".png", ".svg", ".pdf"))
        pictures[name] = {str(file.relative_to(folder)): file.read_bytes() for file in files}
    assert not started.exists(), started.read_text()
    assert {name.partition("/")[0] for name in pictures["plain"]} == set(calls)
    assert pictures["plain"] == pictures["hostile"]
