"""The plain swap search: its counts, its draws, its promises."""

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
from catan_cp.boards.layout import CLASSIC
from catan_cp.entropy.scorer import read_targets
from catan_cp.entropy.search import normalize, skewed_weights
from catan_cp.rules.requirements import random_boards, random_terrain

BEGINNER = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
CASES = list(itertools.product((0, 0.5, 1, 4, math.inf), ("static", "dynamic"), (True, False)))
LAND = Rules(apart=(("sea", "desert"),))


@settings(deadline=None)
@given(st.data())
def test_updates_equal_scorer_after_every_step(data):
    """On any terrain of the box or outside it, with swaps made or only evaluated, bit for bit."""
    layout = LAYOUTS[data.draw(st.sampled_from(CLASSIC))]
    names = (*layout.terrains, "gold")
    terrain = data.draw(st.lists(st.sampled_from(names), min_size=layout.n_tiles, max_size=layout.n_tiles))
    goals, reject = read_targets(layout), data.draw(st.booleans())
    result = improve_evenness(Board(layout, terrain), 15, 0.5, reject=reject, seed=1, record=True)
    for step, after in zip(result.record, result.errors[1:], strict=True):
        score = efficiency(Board(layout, terrain))
        assert step.errors == {name: score[name] - goal for name, goal in goals.items() if name in score}
        before = efficiency_error(Board(layout, terrain)) if step.errors else 0
        if step.tiles is not None:
            i, j = step.tiles
            swapped = terrain.copy()
            swapped[i], swapped[j] = terrain[j], terrain[i]
            assert step.change == efficiency_error(Board(layout, swapped)) - before
            terrain = swapped if step.accepted else terrain
        assert after == (efficiency_error(Board(layout, terrain)) if step.errors else 0)


@pytest.mark.parametrize("layout", CLASSIC)
@pytest.mark.parametrize(("power", "normalization", "reject"), CASES)
def test_every_layout_power_and_normalization(layout, power, normalization, reject):
    result = improve_evenness(layout, 120, power, normalization, reject, seed=3, record=True)
    assert result.board.piece_differences() == {}
    assert result.steps == len(result.record) == 120
    assert result.error == efficiency_error(result.board)
    assert result.errors[0] == efficiency_error(result.start)
    assert result.accepted == sum(step.accepted for step in result.record)
    if reject:
        assert all(after <= before for before, after in itertools.pairwise(result.errors))
    else:
        assert result.accepted == 120


@pytest.mark.parametrize("power", [2, math.inf])
def test_record_replays_to_final_board(power):
    result = improve_evenness("seafarers-7", 300, power, "dynamic", seed=5, record=True)
    terrain = list(result.start.terrain)
    for step, (before, after) in zip(result.record, itertools.pairwise(result.errors), strict=True):
        i, j = step.tiles
        assert (terrain[i], terrain[j]) == (step.first, step.second)
        score = efficiency(terrain)
        raw = {name: score[name] - goal for name, goal in read_targets("seafarers-7").items()}
        largest = max(map(abs, raw.values()))
        assert step.first_error == pytest.approx(raw[step.first] / (2 * largest) + 0.5)
        assert step.second_error == pytest.approx(raw[step.second] / (2 * largest) + 0.5)
        if power == math.inf:
            assert (raw[step.first], raw[step.second]) == (max(raw.values()), min(raw.values()))
        assert step.accepted == (step.change <= 0)
        assert after == pytest.approx(before + step.change * step.accepted, rel=1e-12, abs=0)
        if step.accepted:
            terrain[i], terrain[j] = terrain[j], terrain[i]
    assert tuple(terrain) == result.board.terrain


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


def test_swaps_move_markers_with_tiles():
    harbors = LAYOUTS["base"].printed_harbors
    start = Board.from_notation(BEGINNER)
    start = Board("base", start.terrain, start.markers, harbors)
    board = improve_evenness(start, 200, reject=False, seed=1).board
    assert board.terrain != start.terrain
    assert board.harbors == start.harbors
    assert Counter(zip(board.terrain, board.markers, strict=True)) == Counter(
        zip(start.terrain, start.markers, strict=True)
    )


def test_tiles_drawn_uniformly():
    start = Board("base", ["brick"] * 10 + ["ore"] * 9)
    tiles = Counter(
        tile
        for seed in range(1900)
        for tile in improve_evenness(start, 1, 0, seed=seed, record=True).record[0].tiles
    )
    assert all(abs(tiles[t] - 190) < 4.5 * math.sqrt(190) for t in range(10))
    assert all(abs(tiles[t] - 1900 / 9) < 4.5 * math.sqrt(211) for t in range(10, 19))


@pytest.mark.parametrize(
    ("power", "normalization"), [(0, "static"), (1, "static"), (4, "dynamic"), (math.inf, "dynamic")]
)
def test_terrains_drawn_by_their_weights(power, normalization):
    """The first steps of 1,500 searches against the formula, within five standard deviations."""
    goals, n, drawn = LAYOUTS["base"].target_efficiency, 1500, Counter()
    raw = {name: value - goals[name] for name, value in efficiency(BEGINNER).items()}
    largest = max(map(abs, raw.values())) if normalization == "dynamic" else 1
    even = {name: error / (2 * largest) + 0.5 for name, error in raw.items()}
    most, least = max(even.values()), min(even.values())
    weights = {
        (a, b): (even[a] / most) ** power * ((1 - even[b]) / (1 - least)) ** power
        for a, b in itertools.permutations(even, 2)
    }
    for seed in range(n):
        (step,) = improve_evenness(BEGINNER, 1, power, normalization, seed=seed, record=True).record
        assert (step.first_error, step.second_error) == pytest.approx((even[step.first], even[step.second]))
        drawn[step.first, step.second] += 1
    for pair, weight in weights.items():
        chance = weight / sum(weights.values())
        assert abs(drawn[pair] / n - chance) <= 5 * math.sqrt(chance * (1 - chance) / n), pair


def test_ties_share_infinity():
    assert skewed_weights([0.2, 0.7, 0.7], math.inf) == [0, 1, 1]
    assert skewed_weights([0.2, 0.7, 0.7], 1e6) == [0, 1, 1]
    assert skewed_weights([0.0, 0.0], math.inf) == skewed_weights([0.0, 0.0], 3) == [1, 1]
    assert skewed_weights([0.0, 0.5], 0) == [1, 1]
    lines = Board(Layout("path", (1, 2, 1), {"ore": 2, "wool": 2}, {}), ["ore", "wool", "wool", "ore"])
    result = improve_evenness(
        lines, 30, math.inf, reject=False, seed=1, targets={"ore": 0, "wool": 0}, record=True
    )
    assert {step.first for step in result.record} == {"ore", "wool"}


def test_normalizations():
    assert normalize([0.5, -1.0, 0.0], "static") == [0.75, 0.0, 0.5]
    assert normalize([0.1, -0.2, 0.0], "dynamic") == [0.75, 0.0, 0.5]
    assert normalize([0.0, 0.0], "dynamic") == [0.5, 0.5]


def test_steps_on_single_terrain():
    result = improve_evenness(["wool"] * 19, 1500, math.inf, seed=1, record=True)
    assert result.board.terrain == ("wool",) * 19
    assert (result.steps, result.accepted) == (1500, 0)
    assert {(step.first, step.tiles, step.accepted) for step in result.record} == {(None, None, False)}


def test_terrain_outside_box_stays():
    start = Board("base", ["gold", "wool", *["ore", "brick"] * 8, "gold"])
    board = improve_evenness(start, 300, reject=False, seed=1).board
    assert [t for t, name in enumerate(board.terrain) if name == "gold"] == [0, 18]
    assert board.terrain != start.terrain


def first_allowed(layout, rules):
    rng = Random(2)
    boards = (Board(layout, random_terrain(layout, rng)) for _ in range(10_000))
    return next(board for board in boards if not rules.check(board))


@pytest.mark.parametrize(
    ("start", "rules", "reject"),
    [
        (Board.from_notation("dlw/bgol/owbwg/lgob/wlg"), Rules.preset("blog").replace(symmetry="all"), True),
        (first_allowed("seafarers-6", LAND), LAND, False),
        (Board.from_notation(BEGINNER), Rules(reds_apart=True), False),
    ],
    ids=("blog", "land", "markers that move along"),
)
def test_swaps_keep_rules(start, rules, reject):
    result = improve_evenness(start, 400, 0, reject=reject, seed=1, rules=rules, record=True)
    board, refused = start, 0
    for step in result.record:
        i, j = step.tiles
        places = list(zip(board.terrain, board.markers, strict=True))
        places[i], places[j] = places[j], places[i]
        swapped, accepted = Board(board.layout, *zip(*places, strict=True)), step.change <= 0 or not reject
        assert step.accepted == (accepted and not rules.check(swapped))
        refused += accepted and not step.accepted
        board = swapped if step.accepted else board
    assert (board.terrain, board.markers) == (result.board.terrain, result.board.markers)
    assert rules.check(board) == []
    assert result.accepted and refused


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


@pytest.mark.parametrize("moment", [1, 777, 5003, 8000])
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
@pytest.mark.parametrize("reject", [True, False])
def test_requirements_of_layout_hold(name, reject):
    layout = LAYOUTS[name]
    targets = dict.fromkeys(layout.terrains, 0.5)
    starts = [layout, random_boards(1, layout, seed=4)[0], generate_board("open", layout, seed=2)]
    if layout.printed_harbors:
        rules = Rules(harbors="shuffled" if layout.movable_harbors else "printed")
        starts.append(generate_board(rules, layout, seed=3))
    results = [improve_evenness(start, 300, reject=reject, targets=targets, seed=1) for start in starts]
    assert any(result.accepted for result in results)
    for result in results:
        assert Rules().check(result.board) == []
        assert result.board.harbors == result.start.harbors


def test_start_against_its_layout_rejected():
    layout = LAYOUTS["rivers-of-catan"]
    board = Board(layout, random_boards(1, layout, seed=4)[0].terrain[::-1])
    with pytest.raises(InvalidArgument, match="start must satisfy the requirements of 'rivers-of-catan'"):
        improve_evenness(board, 1, targets=dict.fromkeys(layout.terrains, 0.5))


@pytest.mark.parametrize("name", LAYOUTS)
def test_random_boards_meet_layout_requirements(name):
    for board in random_boards(5, name, seed=1):
        assert Rules().check(board) == []
        assert len(board.fishing_grounds) == len(board.layout.fishing_grounds)


def test_too_few_markers_rejected():
    with pytest.raises(InvalidBoard, match="a marker for each of its 3 numbered tiles, not 2"):
        random_boards(1, Layout("few", (1, 2), {"ore": 3}, {6: 2}))
