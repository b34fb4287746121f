"""Games, chances and shares of wins as columns of a store: equal to separate games, resumed, compared."""

from hashlib import blake2b

import pytest

from catan_cp import (
    Board,
    InvalidArgument,
    Store,
    Study,
    check_seats,
    compare_studies,
    generate_boards,
    play_games,
    run_study,
)
from tests.command_line import status
from tests.stored import study_in


@pytest.fixture(scope="module")
def boards():
    return list(generate_boards(3, "open", "base", seed=4))


def play(path, boards, n=3, **changed):
    options = {"rules": "open", "games": 2, "played_by": "weighted", "chunk": 1, **changed}
    return study_in(path, n, boards, **options)


@pytest.fixture(scope="module")
def played(tmp_path_factory, boards):
    """A store of these boards, made without a stop by one process."""
    path = tmp_path_factory.mktemp("played") / "whole.db"
    play(path, boards)
    return path


def rows_of(path):
    with Store(path) as store:
        return list(store.results())


def test_columns_are_those_of_games(played, boards):
    with Store(played) as store:
        assert store.study().study.games == 2
    for row, board in zip(rows_of(played), boards, strict=True):
        seed = int.from_bytes(blake2b(board.notation().encode(), digest_size=6).digest())
        games = play_games(board, 2, players="weighted", seed=seed)
        for name in ("turns", "margin", "lead_changes", "decided", "unfinished", "unfairness"):
            assert row[f"games_{name}"] == getattr(games, name)
        assert row["games"] == 2
        shares = [row[f"games_wins_{seat}"] for seat in range(1, 5)]
        assert shares == [share.value for share in games.wins]
        unfairness = sum((share - 1 / 4) ** 2 - share * (1 - share) / (2 - 1) for share in shares)
        assert games.unfairness == pytest.approx(unfairness)
    assert play_games(boards[0], 1, seed=1).unfairness is None


def test_workers_and_stop_change_nothing(tmp_path, played, boards):
    stopped = tmp_path / "stopped.db"
    play(stopped, boards, 1)
    play(stopped, boards, workers=2)
    assert rows_of(played) == rows_of(stopped)
    with pytest.raises(InvalidArgument, match="games 2, not 4"):
        play(stopped, boards, games=4)


def test_top_compare_and_sql_see_them(tmp_path, played, boards):
    strong, plain = tmp_path / "strong.db", tmp_path / "plain.db"
    play(strong, boards, played_by="greedy")
    with Store(strong) as store:
        turns = [row["games_turns"] for row in store.top("games_turns", 3)]
        assert turns == sorted(turns)
        (mean,) = store.query("SELECT avg(games_turns) AS turns FROM results")
    assert mean["turns"] < sum(row["games_turns"] for row in rows_of(played)) / 3
    assert "games turns" in str(compare_studies(strong, played, "games_turns")).replace("_", " ")
    play(plain, boards, games=0)
    assert {row["games_turns"] for row in rows_of(plain)} == {None}


@pytest.mark.parametrize(("games", "chunk"), [(0, 200), (1, 200), (100, 4), (400, 1), (1000, 1)])
def test_crash_costs_few_games(games, chunk):
    assert Study(10, "open", games=games).chunk == chunk
    assert Study(10, "open", games=games, chunk=7).chunk == 7


@pytest.mark.solver
def test_command_plays_games(tmp_path):
    path = tmp_path / "study.db"
    call = ["study", "--n", 2, "-r", "open", "--seed", 1, "--db", path, "--players", "weighted"]
    assert status([*call, "--games", 2]) == 0
    assert [row["games"] for row in rows_of(path)] == [2, 2]
    assert status(call) == 1


def test_chances_solved_on_demand(tmp_path, monkeypatch):
    monkeypatch.setattr("catan_cp.analysis.seats.GAMES", 100)
    rows = {}
    for seats in ("none", "estimated", "played"):
        study = Study(1, "tournament", seed=1, players=3, seats=seats, name=seats)
        with monkeypatch.context() as patch:
            if seats == "none":
                for module in ("boards", "seats"):
                    solve = f"catan_cp.analysis.{module}.measured_line"
                    patch.setattr(solve, lambda *_: pytest.fail("solved"))
            run_study(study, tmp_path / "study.db", progress=False)
            if seats == "none":
                assert status(["show", tmp_path / "study.db", 1, "-f", "notation"]) == 0
        with Store(tmp_path / "study.db") as store:
            assert store.study(seats).study.seats == seats
            rows[seats] = store.row(1, seats)
    check = check_seats(Board.from_notation(rows["none"]["notation"]), 3)
    chances, wins = ([f"{name}_{seat}" for seat in (1, 2, 3, 4)] for name in ("chance", "seat_wins"))
    expected = {
        "none": [None] * 9,
        "estimated": [*check.chances, None, *[None] * 5],
        "played": [*check.chances, None, *check.shares, None, check.margin],
    }
    for name, row in rows.items():
        assert [row[column] for column in (*chances, *wins, "seat_margin")] == expected[name]
    with pytest.raises(InvalidArgument, match="seats is 'all'"):
        Study(2, "tournament", seats="all")
