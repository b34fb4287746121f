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
    SolverTimeout,
    Store,
    Study,
    enumerate_markers,
    run_study,
)
from catan_cp.analysis import measures
from catan_cp.analysis.measures import MEASURES, rank_boards
from catan_cp.rules.requirements import random_boards

POST = Board.from_notation("dlw/bgol/owbwg/lgob/wlg")


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


BOARDS = random_boards(60, seed=5)
CRITERIA = ("value_spread", "-weak_vertices, vertex_pips_least", "vertex_pips_most,+efficiency_error", "tied")


def test_order_is_that_of_store(tmp_path):
    run_study(Study(None, "open"), tmp_path / "kept.db", boards=BOARDS, progress=False)
    with Store(tmp_path / "kept.db") as store:
        for by in CRITERIA:
            ours, stored = rank_boards(BOARDS, by, 12), store.top(by, 12)
            assert ours == [{name: row[name] for name in ours[0]} for row in stored]


def test_ranking_in_constant_memory(monkeypatch):
    whole = rank_boards(BOARDS, "vertex_pips_spread", 5)
    monkeypatch.setattr(measures, "_SPARE", 3)
    monkeypatch.setattr(measures, "_STEP", 2)
    sizes, reports = [], []
    monkeypatch.setattr(
        measures, "nsmallest", lambda k, rows, key: sizes.append(len(rows)) or sorted(rows, key=key)[:k]
    )
    assert (
        rank_boards(
            BOARDS, "vertex_pips_spread", 5, progress=lambda now: reports.append((now.done, now.total))
        )
        == whole
    )
    assert max(sizes) <= 5 + 3 + 2 and len(sizes) > 10
    assert reports == [(count, None) for count in range(2, 61, 2)]


def test_placements_computed_on_demand(monkeypatch):
    def refuse(*_):
        raise AssertionError("nobody asked who settles where")

    monkeypatch.setattr(measures, "analyze_boards", refuse)
    for name, measure in MEASURES.items():
        if measure.needs == "board":
            assert len(rank_boards(BOARDS[:3], name, None)) == 3
        elif measure.needs != "games":
            with pytest.raises(AssertionError):
                rank_boards(BOARDS[:3], name, None)
        else:
            with pytest.raises(InvalidArgument, match="no games are played"):
                rank_boards(BOARDS[:3], name, None)


def test_ctrl_c_keeps_ranking():
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


def test_rankings_rejected():
    for by, k, words in (
        ("weak_vertice", 1, "did you mean 'weak_vertices'"),
        ("weak_vertices", 0, "k must be a whole number of at least 1"),
        ("games_turns", 1, "make a study"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            rank_boards(BOARDS, by, k)
    with pytest.raises(InvalidBoard, match="no markers"):
        rank_boards([POST], "weak_vertices")
    with pytest.raises(InvalidArgument, match="an iterable of Boards, not 7"):
        rank_boards(7, "weak_vertices")
