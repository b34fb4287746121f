"""The plain swap search, replayed by its definition: steps, samples, rules, and early ends."""

import itertools
import math
import pickle
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Interrupted,
    InvalidArgument,
    InvalidBoard,
    Layout,
    Rules,
    efficiency,
    efficiency_error,
    generate_board,
    improve_evenness,
)
from catan_cp.entropy import SwapStep
from tests.small_boards import CLASSIC, evenly, random_boards

BEGINNER = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
SCHEMES = ("static", "dynamic")
POWERS = (0, 0.5, 1, 4, math.inf)
PRESERVED = Rules.preset("blog").replace(symmetry="all")
LAND = Rules(apart=(("sea", "desert"),))


def normalized(raw, normalization):
    """Return the raw errors between 0 and 1, by the definition."""
    largest = max(map(abs, raw.values())) if normalization == "dynamic" else 1
    return {name: min(error / (2 * largest) + 0.5, 1) if largest else 0.5 for name, error in raw.items()}


def swapped(board, i, j):
    places = list(zip(board.terrain, board.markers or [None] * len(board.terrain), strict=True))
    places[i], places[j] = places[j], places[i]
    terrain, markers = zip(*places, strict=True)
    return Board(board.layout, terrain, markers if board.has_markers else None, board.harbors)


def replay(start, steps, power=1.0, normalization="static", reject=True, rules=None, targets=None):
    """Follow each step of a search by the definition, bit for bit. Return the result."""
    options = {"rules": rules, "targets": targets, "seed": 1, "record": True}
    result = improve_evenness(start, steps, power, normalization, reject, **options)
    board, goals = result.start, targets or result.start.layout.target_efficiency
    assert result.steps == len(result.record) == steps

    def error(some):
        return efficiency_error(some, targets) if {*goals} & {*some.terrain} else 0

    assert result.errors[0] == error(board)
    for step, (before, after) in zip(result.record, itertools.pairwise(result.errors), strict=True):
        score = efficiency(board)
        raw = {name: score[name] - goal for name, goal in goals.items() if name in score}
        assert step.errors == raw
        if len(raw) < 2:
            assert step == SwapStep(None, None, 0.5, 0.5, 0.0, False, None, raw) and after == before
            continue
        even, (i, j) = normalized(raw, normalization), step.tiles
        assert (board.terrain[i], board.terrain[j]) == (step.first, step.second)
        assert (step.first_error, step.second_error) == (even[step.first], even[step.second])
        if power == math.inf:
            assert (step.first_error, step.second_error) == (max(even.values()), min(even.values()))
        other = swapped(board, i, j)
        assert step.change == error(other) - before
        is_better = step.change <= 0 or not reject
        assert step.accepted == (is_better and not (rules and rules.check(other)))
        board = other if step.accepted else board
        assert after == error(board)
    assert result.accepted == sum(step.accepted for step in result.record)
    assert (result.board, result.error) == (board, result.errors[-1])
    return result


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CLASSIC), st.sampled_from(POWERS), st.sampled_from(SCHEMES), st.booleans(), st.data())
def test_search_follows_definition(name, power, normalization, reject, data):
    """On any terrain of the box or outside it, and on a single terrain."""
    layout = LAYOUTS[name]
    names = data.draw(st.lists(st.sampled_from((*layout.terrains, "gold")), min_size=1, unique=True))
    terrain = data.draw(st.lists(st.sampled_from(names), min_size=layout.n_tiles, max_size=layout.n_tiles))
    result = replay(Board(layout, terrain), 15, power, normalization, reject)
    golden = [
        [t for t, name in enumerate(some.terrain) if name == "gold"] for some in (result.start, result.board)
    ]
    if "gold" not in layout.terrains:
        assert golden[0] == golden[1]


@pytest.mark.parametrize(
    ("start", "rules", "reject"),
    [
        (Board.from_notation("dlw/bgol/owbwg/lgob/wlg"), PRESERVED, True),
        (Board("seafarers-6", generate_board(LAND, "seafarers-6", seed=2).terrain), LAND, False),
        (Board.from_notation(BEGINNER), Rules(reds_apart=True), False),
    ],
    ids=("blog", "land", "markers that move along"),
)
def test_swaps_keep_rules(start, rules, reject):
    result = replay(start, 250, 0, reject=reject, rules=rules)
    assert rules.check(result.board) == []
    refused = [step for step in result.record if not step.accepted and (step.change <= 0 or not reject)]
    assert result.accepted and refused


def test_long_searches_stay_exact():
    replay("seafarers-7", 300, 2, "dynamic")
    replay("seafarers-10", 200, 0, reject=False)
    replay(Board.from_notation(f"{BEGINNER}:printed"), 100, reject=False)
    assert replay(BEGINNER, 5, 1, "dynamic", targets=efficiency(BEGINNER)).errors[0] == 0
    assert replay(["wool"] * 19, 1500, math.inf).board.terrain == ("wool",) * 19


def test_seeds_repeat_results():
    results = [improve_evenness("seafarers-8", 200, seed=seed, record=True) for seed in (1, 1, 2, None, None)]
    assert results[0] == results[1]
    assert len({result.start for result in results}) == 4
    assert results[0].board != results[2].board


def test_forms_of_starts():
    board = Board.from_notation(BEGINNER)
    by_board = improve_evenness(board, 50, seed=1)
    assert by_board.errors == improve_evenness(BEGINNER, 50, seed=1).errors
    assert by_board.errors == improve_evenness(list(board.terrain), 50, seed=1).errors
    assert improve_evenness(LAYOUTS["base"], 50, seed=1) == improve_evenness("base", 50, seed=1)
    none = improve_evenness(BEGINNER, 0)
    assert (none.board, none.errors, none.accepted) == (none.start, (efficiency_error(BEGINNER),), 0)


@pytest.mark.parametrize(
    ("power", "scheme"), [(0, "static"), (1, "static"), (4, "dynamic"), (math.inf, "dynamic")]
)
def test_swaps_sampled_by_weights(power, scheme):
    """Compare the first steps of many searches with the formula, within five standard deviations."""
    start, n = Board.from_notation(BEGINNER), 1000
    goals, score = start.layout.target_efficiency, efficiency(start)
    even = normalized({name: score[name] - goal for name, goal in goals.items()}, scheme)
    most, least = max(even.values()), min(even.values())
    weights = {
        (a, b): (even[a] / most) ** power * ((1 - even[b]) / (1 - least)) ** power
        for a, b in itertools.permutations(even, 2)
    }
    steps = [improve_evenness(start, 1, power, scheme, seed=seed, record=True).record[0] for seed in range(n)]
    pairs = Counter((step.first, step.second) for step in steps)
    for pair, weight in weights.items():
        chance = weight / sum(weights.values())
        assert abs(pairs[pair] / n - chance) <= 5 * math.sqrt(chance * (1 - chance) / n), pair
    for name in ("brick", "grain", "wool", "ore", "lumber"):
        tiles = [t for step in steps for t in step.tiles if start.terrain[t] == name]
        assert not tiles or evenly(tiles, start.terrain.count(name))


@pytest.mark.parametrize(
    ("power", "scheme"), [(math.inf, "static"), (1e6, "static"), (3, "dynamic"), (math.inf, "dynamic")]
)
@pytest.mark.parametrize("target", [0, 1])
def test_ties_sampled_alike(power, scheme, target):
    """All normalized errors are 0 or all are 1 if both terrains miss their target by the same amount."""
    path = Board(Layout("path", (1, 2, 1), {"ore": 2, "wool": 2}, {}), ["ore", "wool", "ore", "wool"])
    targets = {"ore": target, "wool": target}
    steps = [
        improve_evenness(path, 1, power, scheme, seed=seed, targets=targets, record=True).record[0]
        for seed in range(40)
    ]
    assert {step.first for step in steps} == {"ore", "wool"}


def test_ctrl_c_keeps_whole_blocks():
    reports = []
    whole = improve_evenness("base", 2500, seed=1, progress=lambda now: reports.append((now.done, now.total)))
    assert reports == [(1000, 2500), (2000, 2500), (2500, 2500)]

    def stop(now):
        if now.done == 2000:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="2,000 of 2,500") as caught:
        improve_evenness("base", 2500, seed=1, progress=stop)
    part = caught.value.result
    assert part.errors == whole.errors[:2001]
    assert part.error == efficiency_error(part.board)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert isinstance(caught.value, CatanError)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.result) == (str(caught.value), part)


class Impatient(Random):
    """Random numbers, and at one moment the user's Ctrl-C."""

    def __init__(self, seed, moment):
        super().__init__(seed)
        self.left = moment

    def random(self):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().random()


@pytest.mark.parametrize("moment", [1, 5003])
def test_ctrl_c_within_block(moment, monkeypatch):
    whole = improve_evenness(BEGINNER, 3000, seed=1, record=True)
    monkeypatch.setattr("catan_cp.entropy.search.random_source", lambda seed: Impatient(seed, moment))
    with pytest.raises(Interrupted) as caught:
        improve_evenness(BEGINNER, 3000, seed=1, record=True)
    part = caught.value.result
    assert part.steps % 1000 == 0
    assert part.errors == whole.errors[: part.steps + 1]
    assert part.record == whole.record[: part.steps]
    assert part.error == efficiency_error(part.board)
    assert part.accepted == sum(step.accepted for step in part.record)


def test_layout_without_targets_asks_for_them():
    triangle = Layout("three", (1, 2), {"brick": 2, "ore": 1}, {})
    with pytest.raises(InvalidArgument, match="no target for brick, ore"):
        improve_evenness(triangle, 10)
    assert improve_evenness(triangle, 10, targets={"brick": 1, "ore": 0}).error == 0.0


@pytest.mark.parametrize(
    "name",
    [
        "rivers-of-catan",
        "forgotten-tribe",
        "new-world",
        "fishermen-of-catan",
        "new-shores-4",
        "wonders-of-catan",
        "four-islands-4",
        pytest.param("tb-ultimate-green-1", marks=pytest.mark.slow),
    ],
)
def test_requirements_of_layout_hold(name):
    layout = LAYOUTS[name]
    targets = dict.fromkeys(layout.terrains, 0.5)
    starts = [layout, random_boards(1, layout, seed=4)[0], generate_board("open", layout, seed=2)]
    if layout.printed_harbors:
        rules = Rules(harbors="shuffled" if layout.movable_harbors else "printed")
        starts.append(generate_board(rules, layout, seed=3))
    results = [
        improve_evenness(start, 150, reject=reject, targets=targets, seed=1)
        for start in starts
        for reject in (True, False)
    ]
    assert any(result.accepted for result in results)
    for result in results:
        assert Rules().check(result.board) == []
        assert result.board.harbors == result.start.harbors


def test_start_against_its_layout_rejected():
    layout = LAYOUTS["rivers-of-catan"]
    board = Board(layout, random_boards(1, layout, seed=4)[0].terrain[::-1])
    more = f"; and {len(Rules().check(board)) - 1} more"
    with pytest.raises(InvalidArgument, match=f"start must satisfy the .* 'rivers-of-catan'.*{more}"):
        improve_evenness(board, 1, targets=dict.fromkeys(layout.terrains, 0.5))


@pytest.mark.parametrize("name", LAYOUTS)
def test_random_boards_meet_layout_requirements(name):
    for board in random_boards(3, name, seed=1):
        assert Rules().check(board) == []
        assert len(board.fishing_grounds) == len(board.layout.fishing_grounds)


def test_too_few_markers_rejected():
    with pytest.raises(InvalidBoard, match="a marker for each of its 3 numbered tiles, not 2"):
        random_boards(1, Layout("few", (1, 2), {"ore": 3}, {6: 2}))
