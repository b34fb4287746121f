"""catan-cp play, and the picture of a board's games."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from catan_cp import Games, InvalidArgument, Study, play_games
from catan_cp.cli.commands import app
from catan_cp.play import plot_games
from tests import command_line

ROOT = Path(__file__).parents[2]
BOARD = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"


@pytest.fixture(scope="module")
def games():
    return play_games(BOARD, 4, players="greedy,weighted,weighted,weighted", seed=3)


def run(*words, **options):
    return CliRunner().invoke(app, ["play", *words], **options)


def test_command_prints_games_of_library(games):
    options = ("--games", "4", "--players", "greedy,weighted,weighted,weighted", "--seed", "3")
    result = run(BOARD, *options)
    assert result.exit_code == 0, result.output
    assert result.stdout.strip() == str(games)
    piped = run("-", *options, "--format", "json", input=f"{BOARD}\n")
    assert Games.from_json(piped.stdout) == games
    json.loads(piped.stdout)


def test_greedy_players_are_default():
    games = play_games(BOARD, 4, seed=3)
    assert games.players == ("greedy",) * 4
    result = run(BOARD, "--games", "4", "--seed", "3", "--format", "json")
    assert Games.from_json(result.stdout) == games
    assert Study(1, "open", games=2).played_by == "greedy,greedy,greedy,greedy"


def test_stored_games_resumed_and_plotted(tmp_path, games):
    file, picture = tmp_path / "games.jsonl", tmp_path / "games.svg"
    players = ("--players", "greedy,weighted,weighted,weighted", "--seed", "3", "--file", str(file))
    assert run(BOARD, "--games", "2", *players).exit_code == 0
    result = run(BOARD, "--games", "4", *players, "--save", str(picture))
    assert result.exit_code == 0, result.output
    assert result.stdout.strip() == str(games)
    assert len(file.read_text().splitlines()) == 3
    assert picture.read_text().startswith("<?xml")
    assert run(BOARD, "--games", "4", *players, "--save", str(picture)).exit_code != 0  # it is there already


def test_players_come_from_file(tmp_path, monkeypatch):
    """The file is run, but its folder is not imported from. The same games come from one or two processes."""
    text = (ROOT / "examples/player_python.py").read_text()
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "catanatron.py").write_text("raise AssertionError")
    monkeypatch.chdir(tmp_path)
    words = ("--games", "12", "--seed", "3", "--format", "json", "--players")
    one, two = (run(BOARD, *words, "mine.py:my_player,greedy", "--workers", k) for k in "12")
    assert Games.from_json(one.stdout) == Games.from_json(two.stdout)
    assert Games.from_json(one.stdout).players == ("my_player()", "greedy")
    assert len(Games.from_json(run(BOARD, *words, "mine.py:my_player").stdout).players) == 4


@pytest.mark.parametrize(
    ("text", "function", "message"),
    [
        ("def f(view): ...", "f", "player f() must be a function of (view"),
        ("def f(view): ...", "g", "a player must be a function of 'mine.py', not 'g'; its functions are f"),
        ("1 / 0", "f", "cannot load 'mine.py': ZeroDivisionError: division by zero"),
        ("def", "f", "cannot load 'mine.py': SyntaxError"),
        ("import sys; sys.exit()", "f", "cannot load 'mine.py': SystemExit: no message"),
        (f"import catan_cp; catan_cp.play_games({BOARD!r}, 1, seed=1)", "f", "must not play games while"),
        (None, "f", "a player must be FILE.py:FUNCTION of a file that exists, not 'mine.py:f'"),
    ],
)
def test_faults_of_file_reported(text, function, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    result = run(BOARD, "--players", f"mine.py:{function}")
    assert result.exit_code != 0
    assert message in str(result.exception).replace(f"{tmp_path}/", "")


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a disk")
def test_full_disk_reported(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["-m", "catan_cp.cli", "play", BOARD, "--games", "5000", "--file", str(disk / "games.jsonl")]
    full = command_line.small_disk(disk, "16k")
    result = command_line.python(words, tmp_path, before=full)
    assert result.returncode == 1
    assert "cannot write" in result.stderr and "No space left on device" in result.stderr
    assert "Traceback" not in result.stderr


def test_games_rejected(tmp_path):
    for words in ((BOARD, "--players", "clever"), (BOARD, "--games", "0"), ("ggo/lblw/glwow/blow/bgd",)):
        result = run(*words)
        assert result.exit_code != 0
        assert isinstance(result.exception, Exception | SystemExit)
        assert "Traceback" not in result.output


def test_picture_shows_wins_lengths_and_leads(games):
    wins, lengths, leads = plot_games(games).get_axes()
    dots = [line.get_ydata()[0] for line in wins.lines if line.get_marker() == "o"]
    assert dots == [100 * share.value for share in games.wins]
    assert sum(bar.get_height() for bar in lengths.patches) == 4
    assert all(bar.get_width() % 1 == 0 and bar.get_x() % 1 == 0.5 for bar in lengths.patches)
    assert [len(line.get_ydata()) for line in leads.lines] == [len(games.leads())] * 4
    assert [line.get_ydata()[-1] for line in leads.lines] == pytest.approx(games.points)
    with pytest.raises(InvalidArgument, match="games that were played"):
        plot_games(17)
