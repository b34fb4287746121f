"""Ranking boards in a stream: the order of a store, all tokens of TWright 2019, and early ends."""

import os
import signal

import numpy as np
import pytest

from catan_cp import (
    Board,
    Interrupted,
    InvalidArgument,
    InvalidBoard,
    Objective,
    SolverTimeout,
    Store,
    Study,
    analyze_board,
    enumerate_markers,
    run_study,
)

# Python ranks boards without a store by this function only. The tests below shorten its steps.
from catan_cp.analysis import measures
from catan_cp.analysis.measures import rank_boards
from tests.small_boards import random_boards

POST = Board.from_notation("dlw/bgol/owbwg/lgob/wlg")
BOARDS = random_boards(60, seed=5)


@pytest.mark.solver
def test_posts_markers_by_weak_vertices():
    with enumerate_markers(POST.terrain, "blog") as solutions:
        numbered = solutions.array().astype(int)[::20]  # 0 means no number token
    ways = np.where(numbered, 6 - abs(7 - numbered), 0)
    inner = [list(tiles) for tiles in POST.layout.vertex_tiles if len(tiles) == 3]
    sums = np.stack([ways[:, tiles].sum(axis=1) for tiles in inner], axis=1)
    weak, spread = (sums < 7).sum(axis=1), sums.std(axis=1).round(9)
    order = np.lexsort((np.arange(len(weak)), spread, weak))
    boards = [Board("base", POST.terrain, [n or None for n in row]) for row in numbered.tolist()]
    ranked = rank_boards(boards, "weak_vertices, vertex_pips_spread", None)
    assert [row["board"] - 1 for row in ranked] == order.tolist()
    assert [row["weak_vertices"] for row in ranked] == weak[order].tolist()
    assert len(ranked) == 588 and len(set(weak)) > 5


@pytest.mark.parametrize(
    ("by", "signs"),
    [
        ("value_spread", [1]),
        (" -weak_vertices, vertex_pips_least", [-1, -1]),
        ("vertex_pips_most,+ efficiency_error", [1, 1]),
        ("tied", [1]),
        ("-tied", [-1]),
    ],
)
def test_order_is_that_of_store(by, signs, stored):
    ranked, top = rank_boards(BOARDS, by, 12), stored.top(by, 12)
    assert ranked == [{name: row[name] for name in ranked[0]} for row in top]

    def key(row):
        values = [value for name, value in row.items() if name not in ("board", "notation")]
        return [round(sign * value, 9) for sign, value in zip(signs, values, strict=True)]

    whole = rank_boards(BOARDS, by, None)
    assert ranked == sorted(whole, key=lambda row: (key(row), row["board"]))[:12]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("ranking") / "kept.db"
    run_study(Study(None, "open"), path, boards=BOARDS, progress=False)
    with Store(path) as store:
        yield store


def test_batches_equal_single_reports():
    boards, goal = [*BOARDS[:20], *random_boards(3, "base-5-6", seed=2)], Objective.report(0.5, 0.3, 0.2)
    rows = rank_boards(boards, "value_spread", None, players=3, objective=goal)
    spread = {row["board"]: row["value_spread"] for row in rows}
    assert spread == {n: analyze_board(b, 3, goal).value_spread for n, b in enumerate(boards, start=1)}


def test_ranking_in_constant_memory(monkeypatch):
    whole = rank_boards(BOARDS, "vertex_pips_spread", 5)
    monkeypatch.setattr(measures, "_SPARE", 3)
    monkeypatch.setattr(measures, "_STEP", 2)
    sizes, reports = [], []
    monkeypatch.setattr(
        measures, "nsmallest", lambda k, rows, key: sizes.append(len(rows)) or sorted(rows, key=key)[:k]
    )
    ranked = rank_boards(BOARDS, "vertex_pips_spread", 5, progress=lambda now: reports.append(now))
    assert ranked == whole
    assert max(sizes) <= 5 + 3 + 2 and len(sizes) > 10
    assert [(now.done, now.total) for now in reports] == [(count, None) for count in range(2, 61, 2)]


def test_placements_computed_on_demand(monkeypatch):
    def refuse(*_):
        raise AssertionError("a placement was computed")

    monkeypatch.setattr(measures, "analyze_boards", refuse)
    for name, measure in measures.MEASURES.items():
        if measure.needs == "board":
            assert len(rank_boards(BOARDS[:3], name, None)) == 3
        else:
            error, text = (
                (InvalidArgument, "no games are played")
                if measure.needs == "games"
                else (AssertionError, "a placement was computed")
            )
            with pytest.raises(error, match=text):
                rank_boards(BOARDS[:3], name, None)


def test_early_ends_keep_ranking():
    def boards(end):
        yield from BOARDS[:20]
        end()
        yield from BOARDS[20:]

    def late():
        raise SolverTimeout("too late")

    whole = rank_boards(BOARDS[:20], "weak_vertices", 4)
    with pytest.raises(SolverTimeout) as timeout:
        rank_boards(boards(late), "weak_vertices", 4)
    assert timeout.value.partial == whole
    with pytest.raises(Interrupted, match="interrupted after 20 boards") as stopped:
        rank_boards(boards(lambda: os.kill(os.getpid(), signal.SIGINT)), "weak_vertices", 4)
    assert stopped.value.result == whole
    with pytest.raises(Interrupted, match="interrupted after 0 boards"):
        rank_boards((os.kill(os.getpid(), signal.SIGINT) for _ in BOARDS), "weak_vertices", 4)


def test_invalid_rankings_rejected():
    for boards, by, k, error, words in (
        (BOARDS, "weak_vertice", 1, InvalidArgument, "did you mean 'weak_vertices'"),
        (BOARDS, "weak_vertices", 0, InvalidArgument, "k must be a whole number of at least 1"),
        (BOARDS, "games_turns", 1, InvalidArgument, "make a study"),
        ([POST], "weak_vertices", 1, InvalidBoard, "no markers"),
        (7, "weak_vertices", 1, InvalidArgument, "an iterable of Boards, not 7"),
    ):
        with pytest.raises(error, match=words):
            rank_boards(boards, by, k)
