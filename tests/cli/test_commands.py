"""Declared commands: the template to copy, groups of options, and completion in the shell."""

import importlib.util
from inspect import signature
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from catan_cp.cli import options as opt
from catan_cp.cli.boards import generate
from catan_cp.cli.commands import app
from catan_cp.cli.options import option, spread
from catan_cp.cli.settling import place
from catan_cp.placement import game
from catan_cp.search import engines

TEMPLATE = Path(__file__).parents[2] / "docs" / "templates" / "command.py"
BOARD = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"


def run(command, *words):
    alone = typer.Typer()
    alone.command()(spread(command))
    return CliRunner().invoke(alone, words)


@pytest.fixture
def tiles():
    spec = importlib.util.spec_from_file_location("command_template", TEMPLATE)
    template = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(template)
    return template.tiles


def test_template_is_command(tiles):
    result = run(tiles, BOARD, "ore")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "1, 12, 14\n", "3 tiles are ore\n")
    assert run(tiles, BOARD, "ore", "-n", "0", "-f", "json").stdout == "[0, 11, 13]\n"
    assert run(tiles, BOARD).exit_code == 2
    help_ = run(tiles, "--help").stdout
    assert all(word in help_ for word in ("--layout", "--first", "-n", "--format", "Terrain of the tiles."))


def test_group_may_have_other_defaults():
    def command(*, boards: opt.BoardInput = opt.BoardInput("7"), more: int = option(..., "More.")) -> None:
        typer.echo((boards.notation, boards.layout, more))

    assert run(command, "--more", "1").output == "('7', None, 1)\n"
    assert run(command, "--more", "2", "8", "-l", "x").output == "('8', 'x', 2)\n"
    assert run(command).exit_code == 2


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("generate --rules tourn", {"tournament"}),
        ("generate --rules o", {"official", "open", "optimal", "own.toml"}),
        ("generate --rules sub/", {"sub/its.toml"}),
        ("rules bl", {"blog"}),
        ("count terrain --layout seafarers-1", {"seafarers-10"}),
        ("generate --harbors pr", {"printed"}),
        ("generate --solver ch", {"chuffed"}),
        ("generate --solver c", {"chuffed", "cp-sat", "coin-bc"}),
        ("place --method ve", {"vectorized"}),
        ("plot --theme da", {"dark"}),
        ("top made.db --by value_s", {"value_spread"}),
        ("enumerate boards --by value_spread,-eff", {"value_spread,-efficiency_error"}),
        ("compare a.db b.db --by wea", {"weak_vertices"}),
        ("best --minimize larg", {"largest_vertex_sum"}),
        ("best --maximize sm", {"smallest_vertex_sum"}),
        ("generate --method w", {"walk"}),
    ],
)
def test_values_completed(line, expected, tmp_path, monkeypatch):
    """Names of rules, layouts and methods, as typer hands them to bash."""
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for name in ("own.toml", "made.db", "walks.txt", "sub/its.toml"):
        Path(name).touch()
    words = f"catan-cp {line}"
    environment = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    result = CliRunner().invoke(
        app, prog_name="catan-cp", env={**environment, "_CATAN_CP_COMPLETE": "complete_bash"}
    )
    offered = set(result.output.split())
    assert expected <= offered, result.output
    assert not offered & {"made.db", "walks.txt"}, "files"


@pytest.mark.parametrize(("command", "methods"), [(generate, engines.METHODS), (place, game.METHODS)])
def test_completed_methods(command, methods):
    info = signature(spread(command)).parameters["method"].default
    assert info.autocompletion("") == list(methods)
