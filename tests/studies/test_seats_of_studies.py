"""The seats' columns of a study, which are filled only if they are asked for."""

import pytest

from catan_cp import Board, InvalidArgument, Store, Study, check_seats, run_study
from catan_cp.analysis.measures import rank_boards


def test_chances_solved_on_demand(tmp_path, monkeypatch):
    rows = {}
    for seats in ("none", "estimated", "played"):
        study = Study(2, "tournament", seed=1, players=3, seats=seats, name=seats)
        with monkeypatch.context() as patch:
            if seats == "none":
                patch.setattr("catan_cp.analysis.boards.measured_line", lambda *_: pytest.fail("solved"))
            run_study(study, tmp_path / "study.db", progress=False)
        with Store(tmp_path / "study.db") as store:
            assert store.study(seats).study.seats == seats
            rows[seats] = store.row(1, seats)
    check = check_seats(Board.from_notation(rows["none"]["notation"]), 3)
    names = [f"chance_{seat}" for seat in (1, 2, 3)], [f"seat_wins_{seat}" for seat in (1, 2, 3)]
    assert [rows["none"][name] for name in (*names[0], *names[1], "seat_margin")] == [None] * 7
    assert [rows["estimated"][name] for name in names[0]] == [*check.chances]
    assert [rows["estimated"][name] for name in (*names[1], "seat_margin")] == [None] * 4
    assert [rows["played"][name] for name in names[0]] == [*check.chances]
    assert [rows["played"][name] for name in names[1]] == [*check.shares]
    assert rows["played"]["seat_margin"] == check.margin and rows["played"]["chance_4"] is None
    ranked = rank_boards([check.board], "seat_margin, chance_1", players=3)
    assert (ranked[0]["seat_margin"], ranked[0]["chance_1"]) == (check.margin, check.chances[0])


def test_unknown_measure_of_seats_rejected():
    with pytest.raises(InvalidArgument, match="seats is 'all'"):
        Study(2, "tournament", seats="all")
