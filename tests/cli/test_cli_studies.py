"""The commands of studies, from the first board to a picture that compares."""

import csv
import json

import pytest

import catan_cp
from catan_cp import LAYOUTS, Store
from tests.command_line import status

BEGINNER = LAYOUTS["base"].beginner_board


@pytest.fixture
def say(run):
    """Run a command here. Its status, its output and its last line on standard error."""

    def command(*words):
        number, out, err = run(*words)
        return number, out, (err.splitlines() or [""])[-1]

    return command


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Two stores with studies in them."""
    folder = tmp_path_factory.mktemp("studies")
    for rules, n in (("tournament", 6), ("open", 5)):
        words = ["study", "--db", folder / f"{rules}.db", "-n", n, "--rules", rules, "--seed", 1]
        assert not status([*words, "--chunk", 3, "--players", 3])
    return folder


def test_study_made_and_resumed(stores, say):
    assert say("--version")[:2] == (0, f"catan-cp {catan_cp.__version__}\n")
    path = stores / "tournament.db"
    words = ["study", "--db", path, "-n", 6, "--rules", "tournament", "--chunk", 3, "--players"]
    last = f"{path}: study 'study': 6 of 6 boards of base, 6 different"
    assert say(*words, 3) == (0, "", last)
    number, _, last = say(*words, 4)
    assert (number, "players" in last) == (1, True)


def test_failed_chunks_tried_again(say, tmp_path):
    words = ["study", "--db", tmp_path / "slow.db", "-n", 4, "--chunk", 2, "--seed", 1]
    last = "catan-cp: the same call tries the chunks that failed again"
    assert say(*words, "--timeout", 0.001) == (1, "", last)
    number, _, last = say(*words)
    assert (number, last.endswith("4 of 4 boards of base, 4 different")) == (0, True)


def test_formats_of_best_boards(stores, say, tmp_path):
    path, table, picture = stores / "tournament.db", tmp_path / "all.csv", tmp_path / "gallery.svg"
    with Store(path) as store:
        best = store.top(k=2)
    notations = [row["notation"] for row in best]
    _, out, _ = say("top", path, "-k", 2)
    assert [line.split()[-1] for line in out.splitlines()] == ["notation", *notations]
    assert say("top", path, "-k", 2, "-f", "notation")[1].split() == notations
    words = ["top", path, "-k", 2, "-f", "json", "--csv", table, "--save", picture]
    number, out, last = say(*words)
    assert (number, json.loads(out), last) == (0, best, f"drawn: {picture}")
    with table.open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 6
    assert picture.read_text(encoding="utf-8").endswith("</svg>\n")
    number, out, last = say(*words)
    assert (number, out, "exists" in last) == (1, "", True)


def test_one_board_of_study(stores, say, tmp_path):
    path, picture = stores / "tournament.db", tmp_path / "board.png"
    with Store(path) as store:
        board = store.board(3)
    assert say("show", path, 3, "-f", "notation")[1].strip() == board.notation()
    commands = ("show", path, 3), ("report", board.notation(), "--players", 3)
    records = [json.loads(say(*words, "-f", "json")[1]) for words in commands]
    assert all(record["placement"].pop("seconds") > 0 for record in records)
    assert records[0] == records[1]
    number, out, last = say("show", path, 3, "--save", picture)
    assert (number, last, out.startswith(str(board))) == (0, f"drawn: {picture}", True)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert say("show", path, 99)[0] == 1


def test_two_studies_compared(stores, say, tmp_path):
    picture, words = tmp_path / "fairer.svg", ("compare", stores / "tournament.db", stores / "open.db")
    number, out, last = say(*words, "--by", "value_spread", "--save", picture)
    assert (number, last, "value_spread" in out) == (0, f"drawn: {picture}", True)
    assert json.loads(say(*words, "-f", "json", "--study", "study", "--study", "study")[1])
    message = "catan-cp: --study must be given twice, for the first and the second store, or not at all"
    assert say(*words, "--study", "study") == (1, "", message)


def test_report_drawn_with_key(say, tmp_path):
    """Like `show --save` of a stored board: its settlements, a key to terrains, a scale of values."""
    picture = tmp_path / "report.svg"
    number, out, last = say("report", BEGINNER, "--save", picture)
    assert (number, last, "efficiency" in out) == (0, f"drawn: {picture}", True)
    text = picture.read_text()
    names = ("key", "terrain-name", "player-name", "settlements", "heat", "heat-label")
    assert [name for name in names if f'class="{name}"' not in text] == []
