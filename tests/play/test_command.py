"""catan-cp play, and the picture of a board's games."""

import sys
from pathlib import Path

import pytest

from catan_cp import Games, InvalidArgument, Study, play_games
from catan_cp.play import plot_games
from tests import command_line

ROOT = Path(__file__).parents[2]
BOARD = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"
PLAYERS = ("--players", "greedy,weighted,weighted,weighted", "--seed", "3")


@pytest.fixture(scope="module")
def games():
    return play_games(BOARD, 4, players=PLAYERS[1], seed=3)


@pytest.fixture
def play(run):
    """Run the command. Return its output."""

    def call(*words, stdin=""):
        status, out, err = run("play", *words, stdin=stdin)
        assert status == 0, err
        return out

    return call


def test_command_prints_games_of_library(games, play):
    assert play(BOARD, "--games", "4", *PLAYERS).strip() == str(games)
    piped = play("-", "--games", "4", *PLAYERS, "--format", "json", stdin=f"{BOARD}\n")
    assert Games.from_json(piped) == games


def test_greedy_players_are_default(play):
    games = play_games(BOARD, 4, seed=3)
    assert games.players == ("greedy",) * 4
    assert Games.from_json(play(BOARD, "--games", "4", "--seed", "3", "--format", "json")) == games
    assert Study(1, "open", games=2).played_by == "greedy,greedy,greedy,greedy"


def test_stored_games_resumed_and_plotted(tmp_path, games, play, run):
    file, picture = tmp_path / "games.jsonl", tmp_path / "games.svg"
    play(BOARD, "--games", "2", *PLAYERS, "--file", file)
    words = (BOARD, "--games", "4", *PLAYERS, "--file", file, "--save", picture)
    assert play(*words).strip() == str(games)
    assert len(file.read_text().splitlines()) == 3
    assert picture.read_text().startswith("<?xml")
    assert run("play", *words)[0] == 1  # the picture exists


def test_players_come_from_file(tmp_path, monkeypatch, play):
    """The file is run, but its folder is not imported from. The same games come from one or two processes."""
    (tmp_path / "mine.py").write_text((ROOT / "examples/player_python.py").read_text())
    (tmp_path / "catanatron.py").write_text("raise AssertionError")
    monkeypatch.chdir(tmp_path)
    words = (BOARD, "--games", "4", "--seed", "3", "--format", "json", "--players")
    one, two = (Games.from_json(play(*words, "mine.py:my_player,greedy", "--workers", k)) for k in "12")
    assert one == two and one.players == ("my_player()", "greedy")
    assert len(Games.from_json(play(*words, "mine.py:my_player")).players) == 4


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
def test_faults_of_file_reported(text, function, message, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    status, _, err = run("play", BOARD, "--players", f"mine.py:{function}")
    assert status == 1 and message in err.replace(f"{tmp_path}/", "")


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a disk")
def test_full_disk_reported(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["play", BOARD, "--games", "5000", "--file", disk / "games.jsonl"]
    result = command_line.run(words, tmp_path, before=command_line.small_disk(disk, "16k"))
    assert result.returncode == 1
    assert "cannot write" in result.stderr and "No space left on device" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "line", [f"{BOARD} --players clever", f"{BOARD} --games 0", "ggo/lblw/glwow/blow/bgd"]
)
def test_rejects_games(line, run):
    status, out, err = run("play", *line.split())
    assert (status, out, err.count("\n")) == (1, "", 1)


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
