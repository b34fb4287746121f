"""The template of a command, and completion in the shell."""

import importlib.util
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

# The package adds commands by this function, so a test of one more command needs it.
from catan_cp.cli.options import spread

TEMPLATE = Path(__file__).parents[2] / "docs" / "templates" / "command.py"
BOARD = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"


def test_template_is_command():
    spec = importlib.util.spec_from_file_location("command_template", TEMPLATE)
    template = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(template)
    alone = typer.Typer()
    alone.command()(spread(template.tiles))

    def run(*words):
        return CliRunner().invoke(alone, words)

    result = run(BOARD, "ore")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "1, 12, 14\n", "3 tiles are ore\n")
    assert run(BOARD, "ore", "-n", "0", "-f", "json").stdout == "[0, 11, 13]\n"
    assert run(BOARD).exit_code == 2
    text = run("--help").stdout
    assert all(word in text for word in ("--layout", "--first", "-n", "--format", "Terrain of the tiles."))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("generate --rules tourn", "tournament"),
        ("generate --rules o", "official open optimal own.toml"),
        ("generate --rules sub/", "sub/its.toml"),
        ("rules bl", "blog"),
        ("count terrain --layout seafarers-1", "seafarers-10"),
        ("generate --harbors pr", "printed"),
        ("generate --solver ch", "chuffed"),
        ("generate --solver c", "chuffed cp-sat coin-bc"),
        ("generate --method ", "auto solver uniform walk"),
        ("place --method ", "vectorized rivals"),
        ("plot --theme da", "dark"),
        ("top made.db --by value_s", "value_spread"),
        ("enumerate boards --by value_spread,-eff", "value_spread,-efficiency_error"),
        ("compare a.db b.db --by wea", "weak_vertices"),
        ("best --minimize larg", "largest_vertex_sum"),
        ("best --maximize sm", "smallest_vertex_sum"),
    ],
)
def test_values_completed(line, expected, run, tmp_path, monkeypatch):
    """Names of rules, layouts and methods, as bash gets them."""
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for name in ("own.toml", "made.db", "walks.txt", "sub/its.toml"):
        Path(name).touch()
    words = f"catan-cp {line}"
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    monkeypatch.setenv("_CATAN_CP_COMPLETE", "complete_bash")
    completions = set(run()[1].split())
    assert {*expected.split()} <= completions
    assert not completions & {"made.db", "walks.txt"}, "files"
