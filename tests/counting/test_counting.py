"""Ranks and samples on large layouts, time, memory, caches, and rejected arguments of exact counts.

Small layouts are compared with brute force in `tests.agreement`.
"""

import os
import random
import re
import subprocess
import sys
import time
import tracemalloc
from bisect import bisect_right as bisect

import numpy as np
import pytest

import catan_cp as cp
from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Infeasible,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Rules,
    count_boards,
    count_markers,
    count_terrains,
    is_countable,
    rank_board,
    sample_boards,
    sample_terrains,
    unrank_board,
)
from tests.command_line import status
from tests.counting.test_known import ROW
from tests.small_boards import needs_numba

OPTIMAL = Rules.preset("optimal")
SHUFFLED, CORNERS = Rules(harbors="shuffled"), Rules(symmetry="corners")
OWN_TERRAIN = SHUFFLED.replace(harbor_own_terrain_apart=True)
HARBOR = OPTIMAL.replace(harbors="printed", harbor_own_terrain_apart=True, symmetry="distinct")
FLOWER = Layout("flower", (2, 3, 2), {"wool": 2, "ore": 2, "desert": 3}, {2: 1, 6: 2, 11: 1})
TIED = Rules(markers_distinct_per_terrain=True, reds_per_terrain_max=1)
PIECES = [name for name, n in LAYOUTS["seafarers-10"].terrain_counts.items() for _ in range(n)]
SEA = [PIECES[20 * i % 63] for i in range(63)]
BEGINNER = Board.from_notation(LAYOUTS["base"].beginner_board)


@pytest.mark.parametrize(
    ("rules", "n"), [("tournament", 6), ("official", 6), ("open", 6), ("optimal", 1), (SHUFFLED, 6)]
)
def test_rank_reverses_unrank(rules, n):
    total, source = count_boards(rules), random.Random(3)
    rules = Rules.preset(rules) if isinstance(rules, str) else rules
    for k in [0, 1, total - 1, *(source.randrange(total) for _ in range(n))]:
        board = unrank_board(k, rules)
        assert rules.check(board) == []
        assert rank_board(board, rules) == rank_board(board.notation(), rules) == k
    harbors = {unrank_board(k, rules).harbors for k in (0, 1, 15_119)}
    assert len(harbors) == (3 if rules.harbors == "shuffled" else 1)


def test_ranks_ignore_dropped_lists(monkeypatch):
    ranks = range(0, count_boards(TIED, FLOWER), 7)
    boards = [unrank_board(k, TIED, FLOWER) for k in ranks]
    monkeypatch.setattr("catan_cp.counting.sums.weights.KEPT_BYTES", 0)
    assert [unrank_board(k, TIED, FLOWER) for k in ranks] == boards


# Samples on large layouts. Those on small layouts are uniform, see `tests.agreement.test_samplers`.


@pytest.mark.parametrize(
    ("sampler", "layout", "rules"),
    [
        *((sample_boards, "base", preset) for preset in ("tournament", "official", "open")),
        (sample_terrains, "seafarers-7", Rules(apart=[("brick", "lumber")], desert="inland")),
        (sample_terrains, "base", Rules(terrain_cluster_max=3, symmetry="distinct")),
        (sample_terrains, "base", Rules(terrain_cluster_max=1, symmetry="corners")),
        (sample_terrains, "base", OPTIMAL.replace(symmetry="distinct")),
        # No symmetry keeps these rules: the first arrangement of each orbit is sampled.
        (sample_terrains, "base", HARBOR),
    ],
)  # fmt: skip
def test_samples_repeat_and_keep_rules(sampler, layout, rules):
    samples, layout = list(sampler(20, rules, layout, seed=9)), LAYOUTS[layout]
    assert samples == list(sampler(20, rules, layout, seed=9)) != list(sampler(20, rules, layout, seed=10))
    assert len({*samples}) == 20 and list(sampler(0, rules, layout)) == []
    rules = Rules.preset(rules) if isinstance(rules, str) else rules
    harbors = layout.printed_harbors if rules.harbors == "printed" else ()
    boards = [s if isinstance(s, Board) else Board(layout, s, harbors=harbors) for s in samples]
    assert all(rules.check(board) == [] for board in boards)


def test_many_samples_need_little_memory():
    """Most samples are not the first of their orbit. At most 20,000 are in memory."""
    few = sample_terrains(20, HARBOR, seed=1)
    tracemalloc.start()
    try:
        assert sample_terrains(6_000, HARBOR, seed=1)[:20] == few
        assert tracemalloc.get_traced_memory()[1] < 25e6
    finally:
        tracemalloc.stop()


def test_progress_of_every_step():
    updates = []
    rules = Rules(terrain_cluster_max=1, desert="coast", apart=[("ore", "wool")])
    count_terrains(rules, progress=lambda now: updates.append((now.done, now.total)))
    assert updates == [(step, 19) for step in range(1, 20)]


@pytest.mark.parametrize("bits", [0, 7])
def test_equal_hashes_kept_apart(bits, monkeypatch):
    rules = Rules(terrain_cluster_max=3)
    n = count_terrains(rules)
    monkeypatch.setattr(
        "catan_cp.counting.states.hashes", lambda keys: keys[0].view(np.uint64) & np.uint64(bits)
    )
    assert count_terrains(rules.replace(apart=[("ore", "gold")])) == n


def test_counts_leave_limit_of_samples(monkeypatch):
    """The space that a count builds is still too large for quick samples."""
    rules = Rules(reds_apart=True, terrain_cluster_max=1, desert="coast")
    monkeypatch.setattr("catan_cp.counting.counts.QUICK_STATES", 100)
    assert not is_countable(rules)
    assert count_boards(rules) and count_terrains(rules)
    assert not is_countable(rules)


# The table that comes with the package, and numba


@needs_numba
@pytest.mark.parametrize("n", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_table_equals_counts(n):
    """The boards of one terrain have consecutive ranks, as many as the search for markers finds."""
    total, source = count_boards("optimal"), random.Random(8)
    for rank in (source.randrange(10**6, total - 10**6) for _ in range(n)):
        terrain = unrank_board(rank, "optimal").terrain
        before, after = range(rank - 10**6, rank + 1), range(rank, rank + 10**6)
        first = bisect(before, False, key=lambda k: unrank_board(k, "optimal").terrain == terrain)
        end = bisect(after, False, key=lambda k: unrank_board(k, "optimal").terrain != terrain)
        assert after[end] - before[first] == count_markers(terrain, "optimal")
        for k in (before[first], after[end] - 1):
            assert rank_board(unrank_board(k, "optimal"), "optimal") == k


def output(code, **environment):
    """Return what a program prints in another process."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout.split()


def test_boards_without_numba_are_same():
    total = count_boards(TIED, FLOWER)
    ranks = range(0, total, total // 5)
    code = f"""
from catan_cp import Layout, Rules, count_boards, unrank_board
layout, rules = {FLOWER!r}, {TIED!r}
print(count_boards(rules, layout), *(unrank_board(k, rules, layout).notation() for k in {ranks!r}))
print(unrank_board(5_000_000_000, "optimal").notation())
"""
    boards = [*(unrank_board(k, TIED, FLOWER) for k in ranks), unrank_board(5_000_000_000, "optimal")]
    assert output(code, NUMBA_DISABLE_JIT="1") == [str(total), *(board.notation() for board in boards)]


@needs_numba
def test_first_board_needs_no_numba():
    code = "import sys, catan_cp as cp\n"
    code += "for k in (7, 8): print(cp.unrank_board(k, 'optimal').notation(), 'numba' in sys.modules)"
    first, second = (unrank_board(k, "optimal").notation() for k in (7, 8))
    assert output(code) == [first, "False", second, "True"]


# Lists in the place of counts


def test_model_counters_answer_before_slow_list(tmp_path, monkeypatch, caplog):
    pytest.importorskip("pyganak", reason="needs the extra count")
    following = cp.Solutions.__next__
    monkeypatch.setattr(cp.Solutions, "__next__", lambda list_: time.sleep(0.3) or following(list_))
    monkeypatch.setattr("catan_cp.counting.counts._ALONE", 0.0)
    folder = cp.copy_models(tmp_path / "mine")
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint terrain[1] != DESERT;\n")
    layout = Layout("six", (1, 2, 3), {"wool": 2, "ore": 2, "brick": 1, "desert": 1}, {})
    with caplog.at_level("INFO", "catan_cp"):
        assert count_terrains(Rules(models=folder), layout) == 150  # of 180: five of six tiles
    assert "counted the terrains before the list ended" in caplog.text


@pytest.mark.parametrize(
    ("constraint", "method"),
    [
        ("terrain[1] = ORE", "decision diagrams: the constraints name the terrain of few tiles only"),
        ("numbered[1]", "a list by the solver .* knows the constraint numbered.* no method is known to end"),
        ("marker[1] = 6", "exact methods of the library"),
    ],
)
def test_methods_explained(constraint, method, tmp_path, capsys):
    layout, rules = tmp_path / "flower.toml", tmp_path / "rules.toml"
    layout.write_text(FLOWER.to_toml(), encoding="utf-8")
    rules.write_text(Rules(constraints=[constraint]).to_toml(), encoding="utf-8")
    assert status(["count", "terrain", "-r", rules, "-l", layout, "--explain"]) == 0
    assert re.search(method, " ".join(capsys.readouterr().err.split()))


# Rejected arguments


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: count_boards(Rules(symmetry="distinct", reds_apart=True)), InvalidRules, "distinct"),
        (lambda: count_boards(OWN_TERRAIN), InvalidRules, "harbor_own_terrain_apart"),
        (lambda: count_boards(Rules(markers_distinct_per_terrain=True)), CatanError, "ties .* 5,000,000"),
        (lambda: count_boards(Rules(reds_per_terrain_max=1)), CatanError, "reds_per_terrain_max ties"),
        (lambda: count_boards(Rules(terrain_pips_max={"gold": 6})), CatanError, "terrain_pips_max ties"),
        (lambda: count_boards(Rules(reds_apart=True), "seafarers-10"), CatanError, "more than 1,000"),
        (lambda: count_terrains("optimal", "seafarers-10"), CatanError, "states to count"),
        (lambda: count_terrains(Rules(terrain_cluster_max=2), ROW), CatanError, "over the groups of tiles"),
        (lambda: count_terrains(CORNERS, up_to_symmetry=True), CatanError, "24,762,738,000"),
        (lambda: count_terrains(Rules(harbors="shuffled"), "seafarers-6"), InvalidRules, "printed frame"),
        (lambda: is_countable(Rules(harbors="shuffled"), "seafarers-6"), InvalidRules, "printed frame"),
        (lambda: count_terrains("optimum"), InvalidRules, "unknown rules"),
        (lambda: count_terrains("open", "basis"), InvalidBoard, "unknown layout"),
        (lambda: count_markers(BEGINNER, "open", timeout=-1), InvalidArgument, "timeout"),
        (lambda: sample_terrains(1, "optimal", "base-5-6"), Infeasible, "base-5-6"),
        (lambda: sample_terrains(1, Rules(islands_min=1)), CatanError, "islands_min.*generate_board samples"),
        *(
            (lambda n=n: sample_terrains(n, "open"), InvalidArgument, "n must be a whole number")
            for n in (-1, 1.5, "3", True, None)
        ),
        *(
            (lambda s=s: sample_terrains(1, "open", seed=s), InvalidArgument, "seed must be a whole number")
            for s in (1.5, "3", True)
        ),
        (lambda: next(sample_boards(-1, "open")), InvalidArgument, "n must be a whole number"),
        (lambda: next(sample_boards(1, Rules(vertex_pips_max=0))), Infeasible, "no board"),
        (lambda: unrank_board(-1, "tournament"), InvalidArgument, "from 0 to below 92,418,935"),
        (lambda: unrank_board(6_666_123_504, "optimal"), InvalidArgument, "number of boards"),
        (lambda: rank_board(BEGINNER, Rules(vertex_pips_max=9)), InvalidBoard, "do not allow"),
        pytest.param(
            lambda: count_markers(SEA, OPTIMAL.replace(vertex_sum_below=None), "seafarers-10"),
            CatanError,
            "with a timeout",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_rejected_counts(call, error, message):
    with pytest.raises(error, match=message):
        call()
