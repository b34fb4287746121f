"""Games as columns of a store: equal to separate games, resumed, compared, rejected."""

from hashlib import blake2b

import pytest
from typer.testing import CliRunner

from catan_cp import (
    InvalidArgument,
    Rules,
    Store,
    Study,
    compare_studies,
    generate_boards,
    play_games,
    run_study,
)
from catan_cp.cli.commands import app
from catan_cp.play.games import unfairness


@pytest.fixture(scope="module")
def boards():
    return list(generate_boards(3, Rules.preset("open"), "base", seed=4))


def study(**changed):
    return Study(**{"n": 3, "rules": "open", "games": 2, "played_by": "weighted", "chunk": 1, **changed})


@pytest.fixture(scope="module")
def whole(tmp_path_factory, boards):
    """A store of these boards, made in one go by one process."""
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    run_study(study(), path, boards=boards, progress=False)
    return path


def rows_of(path):
    with Store(path) as store:
        return list(store.results())


def test_columns_are_those_of_games(whole, boards):
    with Store(whole) as store:
        state = store.study()
    assert state.study.games == 2 and Study.from_json(state.study.to_json()) == state.study
    for row, board in zip(rows_of(whole), boards, strict=True):
        seed = int.from_bytes(blake2b(board.notation().encode(), digest_size=6).digest())
        games = play_games(board, 2, players="weighted", seed=seed)
        for name in ("turns", "margin", "lead_changes", "decided", "unfinished", "unfairness"):
            assert row[f"games_{name}"] == getattr(games, name)
        assert row["games"] == 2
        assert [row[f"games_wins_{seat}"] for seat in range(1, 5)] == [s.value for s in games.wins]


def test_workers_and_stop_change_nothing(tmp_path, whole, boards):
    stopped = tmp_path / "stopped.db"
    run_study(study(n=1), stopped, boards=boards, progress=False)
    run_study(study(), stopped, boards=boards, workers=2, progress=False)
    assert rows_of(whole) == rows_of(stopped)
    with pytest.raises(InvalidArgument, match="games 2, not 4"):
        run_study(study(games=4), stopped, boards=boards, progress=False)


def test_top_compare_and_sql_see_them(tmp_path, whole, boards):
    strong, plain = tmp_path / "strong.db", tmp_path / "plain.db"
    run_study(study(played_by="greedy"), strong, boards=boards, progress=False)
    with Store(strong) as store:
        turns = [row["games_turns"] for row in store.top("games_turns", 3)]
        assert turns == sorted(turns)
        (mean,) = store.query("SELECT avg(games_turns) AS turns FROM results")
    assert mean["turns"] < sum(row["games_turns"] for row in rows_of(whole)) / 3
    assert "games turns" in str(compare_studies(strong, whole, "games_turns")).replace("_", " ")
    run_study(study(games=0), plain, boards=boards, progress=False)
    assert {row["games_turns"] for row in rows_of(plain)} == {None}


@pytest.mark.parametrize(("games", "chunk"), [(0, 200), (1, 200), (100, 4), (400, 1), (1000, 1)])
def test_crash_costs_few_games(games, chunk):
    assert Study(10, "open", games=games).chunk == chunk
    assert Study(10, "open", games=games, chunk=7).chunk == 7


@pytest.mark.solver
def test_command(tmp_path):
    path = str(tmp_path / "study.db")
    run = CliRunner()
    call = ["study", "--n", "2", "-r", "open", "--seed", "1", "--db", path]
    result = run.invoke(app, [*call, "--games", "2", "--players", "weighted"])
    assert result.exit_code == 0, result.output
    assert [row["games"] for row in rows_of(path)] == [2, 2]
    refused = run.invoke(app, [*call, "--players", "weighted"])
    assert refused.exit_code != 0
    assert isinstance(refused.exception, SystemExit | InvalidArgument)


def test_unfairness_of_known_wins():
    assert unfairness([1, 0], 1) is None
    assert unfairness([50, 50], 100) == pytest.approx(-0.5 / 99)
    assert unfairness([100, 0], 100) == pytest.approx(0.5)
