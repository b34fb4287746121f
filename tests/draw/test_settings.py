"""A ``matplotlibrc`` file in the working directory changes no picture and starts no LaTeX."""

import importlib
import json
import os
import re
import sys

import pytest

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
from catan_cp.studies import comparing

assert matplotlib.rcParams["text.usetex"] == Path("matplotlibrc").exists()
board = Board.from_notation({LINE!r})
cup = cache(lambda: plan_tournament(3, 1, maps=[board], seed=1))

@cache
def store():
    run_study(Study(3, "open", seed=1, name="s"), home / "s.db", progress=False)
    return Store(home / "s.db")

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


def test_plotting_functions_are_listed():
    modules = ["catan_cp", *(f"catan_cp.{name}" for name in ("draw", "play", "tournament"))]
    modules.append("catan_cp.studies.comparing")
    names = {name for module in modules for name in dir(importlib.import_module(module))}
    pattern = r"plot|save_(?!proof)|print|board_svg|board_png"
    assert {name for name in names if re.match(pattern, name)} == set(FUNCTIONS)


def test_local_settings_change_no_picture(tmp_path):
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
        result = python(["-c", START, json.dumps(FUNCTIONS)], tmp_path, environment=environment, cwd=folder)
        assert result.returncode == 0, result.stderr[-3000:]
        files = sorted(file for file in folder.rglob("*.*") if file.suffix in (".png", ".svg", ".pdf"))
        pictures[name] = {str(file.relative_to(folder)): file.read_bytes() for file in files}
    assert not started.exists(), started.read_text()
    assert {name.partition("/")[0] for name in pictures["plain"]} == set(FUNCTIONS)
    assert pictures["plain"] == pictures["hostile"]
