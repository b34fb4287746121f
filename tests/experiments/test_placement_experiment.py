"""The placement experiment: the same boards for all methods, limits that hold, tables that add up."""

from __future__ import annotations

import csv
import io
import json
import os

import pytest

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.errors import CatanError, InvalidArgument, InvalidBoard, SolverFailed
from catan_cp.experiments.placement import random_boards, run_experiment
from catan_cp.placement import Objective, solve_placement

GOAL = Objective.published(0.5, 0.3, 0.2)


def test_all_methods_on_the_same_boards():
    boards = random_boards(2, seed=1)
    seen = []
    found = run_experiment(
        boards,
        3,
        GOAL,
        ("memo", "bounds", "vectorized"),
        progress=lambda done, of, run: seen.append((done, of)),
    )
    assert seen == [(n, 6) for n in range(1, 7)]
    assert found.complete
    assert found.agree
    assert [(run.board, run.method) for run in found.runs] == [
        (n, method) for n in range(2) for method in ("memo", "bounds", "vectorized")
    ]
    for run in found.runs:
        assert run.settlements == solve_placement(boards[run.board], 3, GOAL).settlements
    memo, bounds, vectorized = found.rows()
    assert memo["calls_least"] == memo["calls_most"] == memo["calls_average"] == 1 + 54 + 2 * 1359 + 3 * 21186
    assert memo["speedup"] == 1
    assert bounds["speedup"] > 1
    assert vectorized["seconds_least"] <= vectorized["seconds_average"] <= vectorized["seconds_most"]
    positions = len({run.notation for run in found.runs})
    assert positions == 2
    assert memo["pruning_rate"] is vectorized["memory_size"] is vectorized["memory_hit_rate"] is None
    assert memo["memory_size"] == sum(r.misses for r in found.runs if r.method == "memo") / 2
    assert 0 < memo["memory_hit_rate"] < 1
    assert bounds["pruning_rate"] > 0.9
    lines = found.table().splitlines()
    assert len(lines) == 5
    assert len(set(map(len, lines))) == 1
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["notation"] for row in rows[::3]] == [board.notation() for board in boards]
    assert float(rows[0]["seconds"]) == found.runs[0].seconds
    value = json.loads(found.to_json())
    assert value["agree"] is True
    assert value["summary"][1]["method"] == "bounds"
    assert len(value["runs"]) == 6


def test_a_time_limit_stops_a_run_and_the_next_one_goes_on():
    found = run_experiment(random_boards(1, seed=2), 4, GOAL, ("feasibility", "vectorized"), time_limit=0.3)
    plain, vectorized = found.rows()
    assert (plain["timeouts"], vectorized["timeouts"]) == (1, 0)
    assert plain["seconds_average"] is plain["speedup"] is vectorized["speedup"] is None
    assert found.agree
    assert "-" in found.table().splitlines()[2]
    assert next(iter(csv.DictReader(io.StringIO(found.to_csv()))))["seconds"] == ""


def test_an_interruption_keeps_what_was_measured():
    def interrupt(done, of, run):
        if done == 1:
            raise KeyboardInterrupt

    found = run_experiment(random_boards(3, seed=3), 2, GOAL, ("bounds", "vectorized"), progress=interrupt)
    assert len(found.runs) == 1
    assert not found.complete
    assert found.rows()[1]["boards"] == 0


def test_an_error_of_the_solver_is_the_callers():
    tile = Board(Layout("small", (1,), {"ore": 1}, {}), ["ore"], [6])
    with pytest.raises(InvalidBoard, match="no room"):
        run_experiment([tile], 2, GOAL, ("bounds",))


def die_of_bounds(board, goals, method):
    if method == "bounds":
        os._exit(1)
    return (0.0,)


def test_a_worker_that_dies_is_an_error_and_not_a_timeout(monkeypatch):
    monkeypatch.setattr("catan_cp.experiments.placement._figures", die_of_bounds)
    with pytest.raises(SolverFailed, match=r"with bounds died"):
        run_experiment(random_boards(1, seed=3), 2, GOAL, ("vectorized", "bounds"))


def test_random_boards_use_the_box():
    boards = random_boards(3, "seafarers-6", seed=5)
    assert boards == random_boards(3, "seafarers-6", seed=5) != random_boards(3, "seafarers-6", seed=6)
    assert all(board.layout is LAYOUTS["seafarers-6"] and not board.piece_differences() for board in boards)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"methods": ("magic",)}, "'magic'"),
        ({"methods": ()}, "one or more"),
        ({"methods": ("memo", "memo")}, "each once"),
        ({"time_limit": 0}, "not 0"),
        ({"time_limit": float("nan")}, "not nan"),
        ({"players": 9}, "not 9"),
    ],
)
def test_bad_arguments(options, says):
    with pytest.raises(InvalidArgument, match=says):
        run_experiment(random_boards(1), **options)


def test_no_boards():
    with pytest.raises(InvalidArgument, match="no boards"):
        run_experiment([])
    with pytest.raises(CatanError, match="not 0"):
        random_boards(0)
