"""Many searches at once: the same promises and the same distribution as one by one."""

import itertools
import math
import statistics
from collections import Counter

import numpy as np
import pytest

from catan_cp.boards.board import Board
from catan_cp.boards.layout import CLASSIC
from catan_cp.boards.pieces import TERRAINS
from catan_cp.entropy import efficiency, efficiency_error, official_boards, search_swaps
from catan_cp.entropy.many import search_swaps_many
from catan_cp.entropy.scorer import read_targets
from catan_cp.errors import Interrupted, InvalidArgument, InvalidBoard

CASES = list(itertools.product((0, 0.5, 1, 4, math.inf), ("static", "dynamic"), (True, False)))


def boards_of(layout, codes):
    return [Board(layout, [TERRAINS[code - 1] for code in row]) for row in codes]


@pytest.mark.parametrize("layout", CLASSIC)
@pytest.mark.parametrize(("power", "normalization", "reject"), CASES)
def test_every_layout_power_and_normalization(layout, power, normalization, reject):
    """The arrays that are kept up to date say what the scorer says of the boards, bit for bit."""
    study = search_swaps_many(layout, 7, 60, power, normalization, reject, seed=1)
    assert [efficiency_error(board) for board in study.boards()] == study.errors[:, -1].tolist()
    starts = boards_of(layout, study.starts)
    assert [efficiency_error(board) for board in starts] == study.errors[:, 0].tolist()
    assert all(board.piece_differences() == {} for board in study.boards())
    assert study.errors.shape == (7, 61)
    if reject:
        assert (np.diff(study.errors, axis=1) <= 0).all()
    else:
        assert study.accepted.tolist() == [60] * 7


def test_the_same_seed_gives_the_same_result_in_blocks_of_any_size_and_another_does_not(monkeypatch):
    one, same, other = (search_swaps_many("base", 5, 100, seed=seed) for seed in (1, 1, 2))
    monkeypatch.setattr("catan_cp.entropy.many._BLOCK_NUMBERS", 140)
    for again in (same, search_swaps_many("base", 5, 100, seed=1)):
        assert (one.terrain == again.terrain).all()
        assert (one.errors == again.errors).all()
    assert (one.terrain != other.terrain).any()


@pytest.mark.parametrize(
    ("power", "normalization", "reject"),
    [
        (1, "static", True),
        pytest.param(4, "dynamic", True, marks=pytest.mark.slow),
        pytest.param(0, "static", True, marks=pytest.mark.slow),
        pytest.param(math.inf, "dynamic", True, marks=pytest.mark.slow),
        pytest.param(2, "static", False, marks=pytest.mark.slow),
    ],
)
def test_the_distribution_is_that_of_the_plain_search(power, normalization, reject):
    """Errors on the way and numbers of kept swaps, from one start: two samples of one law."""
    start = search_swaps("seafarers-8", 0, seed=7).board
    plain = [search_swaps(start, 120, power, normalization, reject, seed=s) for s in range(800)]
    many = search_swaps_many(
        "seafarers-8", 4000, 120, power, normalization, reject, seed=1, starts=[start] * 4000
    )
    for step in (1, 10, 40, 120):
        assert_same_law([result.errors[step] for result in plain], many.errors[:, step])
    assert_same_law([result.accepted for result in plain], many.accepted)


def assert_same_law(some, others, risk=1e-3):
    """Kolmogorov and Smirnov's test of two samples: the largest gap between their distributions."""
    at = np.sort(np.concatenate([some, others]))
    gaps = [np.searchsorted(np.sort(sample), at, side="right") / len(sample) for sample in (some, others)]
    allowed = math.sqrt(-math.log(risk / 2) / 2 * (1 / len(some) + 1 / len(others)))
    assert np.abs(gaps[0] - gaps[1]).max() < allowed


def test_the_test_of_laws_tells_a_power_from_another():
    one, two = (search_swaps_many("seafarers-8", 800, 40, s, "dynamic", seed=1).errors[:, -1] for s in (1, 2))
    with pytest.raises(AssertionError):
        assert_same_law(one, two)


def test_first_draws_follow_the_weights():
    """One step from a board of three terrains: each swap of tiles as often as the plain rule says."""
    start = Board("base", ["brick"] * 9 + ["desert"] + ["ore"] * 9)
    goals = {"brick": 0.2, "ore": 0.9, "desert": 0.4}
    found = efficiency(start)
    normal = {name: (found[name] - goal) / 2 + 0.5 for name, goal in goals.items()}
    weights = Counter()
    for a, b in itertools.permutations(goals, 2):
        weights[frozenset((a, b))] += normal[a] ** 2 * (1 - normal[b]) ** 2
    chains = 20_000
    study = search_swaps_many(
        "base", chains, 1, 2, reject=False, seed=1, targets=goals, starts=np.tile(codes(start), (chains, 1))
    )
    moved = Counter(
        frozenset(row) for row in np.argwhere(study.terrain != study.starts)[:, 1].reshape(-1, 2).tolist()
    )
    seen = Counter()
    for tiles, n in moved.items():
        seen[frozenset(start.terrain[t] for t in tiles)] += n
    assert sum(seen.values()) == chains
    for pair, weight in weights.items():
        p = weight / sum(weights.values())
        assert abs(seen[pair] - p * chains) < 4 * math.sqrt(chains * p * (1 - p)), pair
    brick_to_desert = [moved[frozenset((t, 9))] for t in range(9)]
    mean = statistics.fmean(brick_to_desert)
    assert all(abs(n - mean) < 4.5 * math.sqrt(mean) for n in brick_to_desert)


def codes(board):
    return np.array([TERRAINS.index(name) + 1 for name in board.terrain], dtype=np.uint8)


def test_infinity_draws_the_largest_and_the_smallest():
    study = search_swaps_many("seafarers-8", 200, 1, math.inf, reject=False, seed=3)
    goals = read_targets("seafarers-8")
    for start, end in zip(boards_of("seafarers-8", study.starts), study.boards(), strict=True):
        raw = {name: value - goals[name] for name, value in efficiency(start).items()}
        moved = {a for a, b in zip(start.terrain, end.terrain, strict=True) if a != b}
        assert moved == {max(raw, key=raw.get), min(raw, key=raw.get)}


def test_starts_of_their_own_and_terrains_that_are_absent():
    starts = [["wool"] * 19, ["brick"] * 18 + ["desert"], "ogw/gbol/lgblw/bwlo/dgw"]
    study = search_swaps_many("base", 3, 200, seed=1, starts=starts)
    boards = study.boards()
    assert boards[0].terrain == ("wool",) * 19
    assert study.accepted[0] == 0
    assert sorted(boards[1].terrain) == sorted(starts[1])
    assert study.errors[:, -1].tolist() == pytest.approx(
        [efficiency_error(board) for board in boards], abs=1e-15
    )


def test_progress_is_told_and_ctrl_c_keeps_whole_blocks(monkeypatch):
    monkeypatch.setattr("catan_cp.entropy.many._BLOCK_NUMBERS", 4 * 5 * 40)
    whole = search_swaps_many("base", 5, 100, seed=1)
    told = []

    def stop(done, to_do):
        told.append((done, to_do))
        if done == 80:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="80 of 100") as caught:
        search_swaps_many("base", 5, 100, seed=1, progress=stop)
    part = caught.value.result
    assert told == [(40, 100), (80, 100)]
    assert part.steps == 80
    assert (part.errors == whole.errors[:, :81]).all()
    assert [efficiency_error(board) for board in part.boards()] == part.errors[:, -1].tolist()


def test_ctrl_c_within_a_block_keeps_the_blocks_before(monkeypatch):
    from catan_cp.entropy.many import _Chains

    monkeypatch.setattr("catan_cp.entropy.many._BLOCK_NUMBERS", 4 * 5 * 40)
    moments = itertools.count(1)
    weigh = _Chains._weigh

    def interrupted(self, chains):
        if next(moments) == 60:
            raise KeyboardInterrupt
        weigh(self, chains)

    monkeypatch.setattr(_Chains, "_weigh", interrupted)
    with pytest.raises(Interrupted) as caught:
        search_swaps_many("base", 5, 100, reject=False, seed=1)
    part = caught.value.result
    assert part.steps == 40
    assert part.accepted.tolist() == [40] * 5
    assert [efficiency_error(board) for board in part.boards()] == part.errors[:, -1].tolist()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"chains": 0}, InvalidArgument, "chains is .*, not 0"),
        ({"steps": -5}, InvalidArgument, "steps is .*, not -5"),
        ({"skew_power": -1}, InvalidArgument, "skew_power is -1"),
        ({"normalization": "x"}, InvalidArgument, "normalization is 'x'"),
        ({"seed": 1.5}, InvalidArgument, r"seed is .*, not 1\.5"),
        ({"targets": {"sea": 0.5}}, InvalidArgument, "sea, which 'base' lacks"),
        ({"layout": "basic"}, InvalidBoard, "basic"),
        ({"starts": "ogw/gbol/lgblw/bwlo/dgw"}, InvalidArgument, "starts are a list of terrains"),
        ({"starts": ["ogw/gbol/lgblw/bwlo/dgw"]}, InvalidArgument, "1 starts for 2 chains"),
        ({"starts": [["wool"] * 19, ["gold"] * 19]}, InvalidArgument, "start 1 has gold, which 'base' lacks"),
        ({"starts": [["wool"] * 30] * 2}, InvalidBoard, "19 tiles, not 30"),
        ({"starts": official_boards("seafarers-6")[:2]}, InvalidBoard, "is 'seafarers-6', not 'base'"),
        ({"starts": np.full((2, 19), 9, dtype=np.uint8)}, InvalidArgument, "9 is no terrain's code"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        search_swaps_many(**{"layout": "base", "chains": 2, "steps": 3, **arguments})
