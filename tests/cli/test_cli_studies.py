"""The commands of studies, from the first board to a picture that compares.

And bars where a terminal is.
"""

import csv
import json

import pytest

import catan_cp
from catan_cp import LAYOUTS, Store
from catan_cp.cli import main

BEGINNER = LAYOUTS["base"].beginner_board


@pytest.fixture
def say(run):
    """Run a command here. Its status, its output and its last line on standard error."""

    def command(*words):
        status, out, err = run(*words)
        return status, out, (err.splitlines() or [""])[-1]

    return command


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Two stores with studies in them."""
    folder = tmp_path_factory.mktemp("studies")
    for rules, number in (("tournament", 6), ("open", 5)):
        words = ["study", "--db", folder / f"{rules}.db", "-n", number, "--rules", rules, "--seed", 1]
        with pytest.raises(SystemExit) as error:
            main([*map(str, words), "--chunk", "3", "--players", "3"])
        assert error.value.code == 0
    return folder


def test_study_made_and_goes_on(stores, say):
    assert say("--version")[:2] == (0, f"catan-cp {catan_cp.__version__}\n")
    path = stores / "tournament.db"
    words = ["study", "--db", path, "-n", 6, "--rules", "tournament", "--chunk", 3, "--players", 3]
    status, out, last = say(*words)
    assert (status, out) == (0, "")
    assert last == f"{path}: study 'study': 6 of 6 boards of base, 6 different"
    status, _, last = say(*words[:-1], 4)
    assert status == 1
    assert "players" in last


def test_failed_chunks_tried_again(say, tmp_path):
    words = ["study", "--db", tmp_path / "slow.db", "-n", 4, "--chunk", 2, "--seed", 1]
    status, out, last = say(*words, "--timeout", 0.001)
    assert (status, out) == (1, "")
    assert last == "catan-cp: the same call tries the chunks that failed again"
    status, _, last = say(*words)
    assert status == 0
    assert last.endswith("4 of 4 boards of base, 4 different")


def test_formats_of_best_boards(stores, say, tmp_path):
    path, table, picture = stores / "tournament.db", tmp_path / "all.csv", tmp_path / "gallery.svg"
    with Store(path) as store:
        best = store.top(k=2)
    status, out, _ = say("top", path, "-k", 2)
    assert status == 0
    assert [line.split()[-1] for line in out.splitlines()] == ["notation", *(row["notation"] for row in best)]
    assert say("top", path, "-k", 2, "-f", "notation")[1].split() == [row["notation"] for row in best]
    words = ["top", path, "-k", 2, "-f", "json", "--csv", table, "--save", picture]
    status, out, last = say(*words)
    assert (status, json.loads(out), last) == (0, best, f"drawn: {picture}")
    with table.open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 6
    assert picture.read_text(encoding="utf-8").endswith("</svg>\n")
    status, out, last = say(*words)
    assert (status, out) == (1, "") and "exists" in last


def test_one_board_of_study(stores, say, tmp_path):
    path, picture = stores / "tournament.db", tmp_path / "board.png"
    with Store(path) as store:
        board = store.board(3)
    assert say("show", path, 3, "-f", "notation")[1].strip() == board.notation()
    data = json.loads(say("show", path, 3, "-f", "json")[1])
    again = json.loads(say("report", board.notation(), "--players", 3, "-f", "json")[1])
    for record in (data, again):
        assert record["placement"].pop("seconds") > 0
    assert data == again
    status, out, last = say("show", path, 3, "--save", picture)
    assert (status, last) == (0, f"drawn: {picture}")
    assert out.startswith(str(board))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert say("show", path, 99)[0] == 1


def test_two_studies_compared(stores, say, tmp_path):
    first, second, picture = stores / "tournament.db", stores / "open.db", tmp_path / "fairer.svg"
    status, out, last = say("compare", first, second, "--by", "value_spread", "--save", picture)
    assert (status, last) == (0, f"drawn: {picture}")
    assert "value_spread" in out
    data = json.loads(say("compare", first, second, "-f", "json", "--study", "study", "--study", "study")[1])
    assert data
    status, _, last = say("compare", first, second, "--study", "study")
    message = "catan-cp: --study must be given twice, for the first and the second store, or not at all"
    assert (status, last) == (1, message)


def test_report_drawn_with_key_and_scale(say, tmp_path):
    """Like `show --save` of a stored board: its settlements, a key to terrains, a scale of values."""
    picture = tmp_path / "report.svg"
    status, out, last = say("report", BEGINNER, "--save", picture)
    assert (status, last, "efficiency" in out) == (0, f"drawn: {picture}", True)
    drawn = picture.read_text()
    for gid in ("key", "terrain-name", "player-name", "settlements", "heat", "heat-label"):
        assert f'class="{gid}"' in drawn, gid
