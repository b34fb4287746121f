"""What a step of the swap search draws: by formula, by the search itself, and in pictures."""

import itertools
import math
from collections import Counter

import pytest

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.draw.style import THEMES
from catan_cp.entropy import search_swaps
from catan_cp.errors import InvalidArgument
from catan_cp.experiments import plot_swap_chances, swap_chances
from catan_cp.experiments.swaps import raw_errors

BOARD = Board.from_notation(LAYOUTS["base"].beginner_board)


@pytest.mark.parametrize(
    ("power", "normalization"), [(0, "static"), (1, "static"), (4, "dynamic"), (math.inf, "dynamic")]
)
def test_the_search_draws_by_these_chances(power, normalization):
    """Two methods agree: the formula, and first steps of 1,500 searches (five standard deviations)."""
    found, n, drawn = swap_chances(BOARD, power, normalization), 1500, Counter()
    for seed in range(n):
        (step,) = search_swaps(BOARD, 1, power, normalization, seed=seed, record=True).record
        drawn[step.first, step.second] += 1
    assert set(drawn) <= {pair for pair, chance in found.pairs.items() if chance}
    for pair, chance in found.pairs.items():
        assert abs(drawn[pair] / n - chance) <= 5 * math.sqrt(chance * (1 - chance) / n), pair
    assert sum(found.pairs.values()) == pytest.approx(1)
    by_error = sorted(raw_errors(BOARD).items(), key=lambda item: item[1])
    assert all(found.first[a] <= found.first[b] + 1e-12 for (a, _), (b, _) in itertools.pairwise(by_error))


def test_known_chances():
    """Of two terrains at +0.5 and -0.5, static: weights 3/4 and 1/4, so 9 to 1 for the useful swap."""
    found = swap_chances({"ore": 0.5, "wool": -0.5})
    assert found.normalized == {"ore": 0.75, "wool": 0.25}
    assert found.pairs == {("ore", "wool"): pytest.approx(0.9), ("wool", "ore"): pytest.approx(0.1)}
    assert found.first == pytest.approx({"ore": 0.9, "wool": 0.1})
    assert found.second == pytest.approx({"ore": 0.1, "wool": 0.9})
    three = swap_chances({"ore": 0.5, "wool": -0.5, "sea": 0.0}, 2)  # 3, 1 and 2 quarters, squared
    weights = {"ow": 9 * 9, "os": 9 * 4, "wo": 1 * 1, "ws": 1 * 4, "so": 4 * 1, "sw": 4 * 9}
    expected = [weight / sum(weights.values()) for weight in weights.values()]
    assert [*three.pairs.values()] == pytest.approx(expected)
    dynamic = swap_chances({"ore": 0.5, "wool": -0.5}, 1, "dynamic")
    assert dynamic.pairs == {("ore", "wool"): 1.0, ("wool", "ore"): 0.0}


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ({"ore": 0.1}, "fewer"),
        ({"ore": 2.0, "wool": 0}, "-1 to 1"),
        ({"ore": math.nan, "wool": 0}, "-1 to 1"),
        ({"ore": "much", "wool": 0}, "-1 to 1"),
        ({"ore": 10**400, "wool": 0}, "-1 to 1"),
        (7, "Board"),
    ],
)
def test_what_is_no_error_is_refused(errors, said):
    with pytest.raises(InvalidArgument, match=said):
        swap_chances(errors)


@pytest.mark.parametrize(("theme", "power"), [*zip(THEMES, (0, 2, math.inf, 1), strict=True)])
def test_the_picture_shows_the_chances(theme, power):
    found = swap_chances(BOARD, power, "dynamic")
    left, right = plot_swap_chances(BOARD, power, "dynamic", theme=theme).axes
    widths = [bar.get_width() for bar in right.patches]
    assert widths == pytest.approx([*found.first.values(), *found.second.values()])
    errors = list(raw_errors(BOARD).values())
    for dots in left.collections:
        assert list(dots.get_offsets()[:, 0]) == pytest.approx(errors)
        assert max(dots.get_offsets()[:, 1]) == pytest.approx(1)
    assert len(left.lines) == 2
