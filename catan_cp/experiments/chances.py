"""Which terrains a step of the swap search draws, by skew power and normalisation; exactly, not by trying.

The article "Catan Boards - Part 1" (presentlylevel.com), on normalisation and skew powers, has an interactive
page that shows how the two shape the draws. `plot_swap_chances` is its picture, and
`catan_cp.notebook.exploring.explore_swaps` the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from numbers import Real
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.draw.style import find_theme, terrain_color
from catan_cp.entropy import efficiency, search
from catan_cp.errors import InvalidArgument, show

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

POINTS = 201
"""Points of a curve, over raw errors from -1 to 1."""


@dataclass(frozen=True)
class SwapChances:
    """How likely a step draws each terrain.

    Attributes:
        normalized: each terrain's error, normalised to 0..1.
        pairs: the chance that the first terrain and the second are drawn; they sum to 1.
    """

    normalized: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float]

    @property
    def first(self) -> dict[str, float]:
        """The chance of each terrain to be drawn as the one that is too even."""
        return self._summed(0)

    @property
    def second(self) -> dict[str, float]:
        """The chance of each terrain to be drawn as the one that is not even enough."""
        return self._summed(1)

    def _summed(self, side: int) -> dict[str, float]:
        sums = dict.fromkeys(self.normalized, 0.0)
        for pair, chance in self.pairs.items():
            sums[pair[side]] += chance
        return sums


def raw_errors(board: Board) -> dict[str, float]:
    """Return efficiency - target of each terrain on the board that has a target.

    Raises:
        InvalidArgument: a terrain of the layout has no target.
    """
    goals = search.check_targets(board.layout, None)
    return {name: value - goals[name] for name, value in efficiency(board).items() if name in goals}


def swap_chances(
    errors: Board | Mapping[str, float], skew_power: float = 1.0, normalization: str = "static"
) -> SwapChances:
    """Return how likely a step of `catan_cp.search_swaps` draws each pair of terrains.

    The first is drawn with weights normalised ** s, the second with (1 - normalised) ** s, and both again
    until they differ: a pair's chance is the product of its weights, divided by the sum over all pairs of two
    different terrains.

    Args:
        errors: the raw error (efficiency - target, from -1 to 1) of each terrain, or a board that has them.
        skew_power: s, as for `catan_cp.search_swaps`.
        normalization: ``"static"`` or ``"dynamic"``.

    Raises:
        InvalidArgument: fewer than two terrains, an error that is no number from -1 to 1, or another
            argument out of its range.
    """
    raw = raw_errors(errors) if isinstance(errors, Board) else _checked(errors)
    if len(raw) < 2:
        raise InvalidArgument(f"a swap draws two of the terrains, and {show(dict(raw))} has fewer")
    power, scheme = search.check_skew_power(skew_power), search.check_normalization(normalization)
    names, normalized = list(raw), search.normalize(list(raw.values()), scheme)
    firsts = search.skewed_weights(normalized, power)
    seconds = search.skewed_weights([1 - error for error in normalized], power)
    weights = {
        (a, b): first * second
        for a, first in zip(names, firsts, strict=True)
        for b, second in zip(names, seconds, strict=True)
        if a != b
    }
    total = sum(weights.values())
    pairs = {pair: weight / total for pair, weight in weights.items()}
    return SwapChances(dict(zip(names, normalized, strict=True)), pairs)


def _checked(errors: object) -> Mapping[str, float]:
    if not isinstance(errors, Mapping):
        raise InvalidArgument(f"errors are a Board or map terrains to numbers, not {show(errors)}")
    for name, error in errors.items():
        if isinstance(error, bool) or not isinstance(error, Real) or not -1 <= float(error) <= 1:
            raise InvalidArgument(f"the error of {show(name)} is a number from -1 to 1, not {show(error)}")
    return errors


def plot_swap_chances(
    errors: Board | Mapping[str, float],
    skew_power: float = 1.0,
    normalization: str = "static",
    ax: Axes | None = None,
    *,
    theme: str = "light",
) -> Figure | SubFigure:
    """Draw the weights over the raw error as curves, and the chances of each terrain as bars.

    Left: the weight of a terrain as the first (too even) and as the second (not even enough) of a swap, with
    a dot at each terrain's error; the largest is 1. Right: how likely each terrain is drawn.
    *ax* is as in `plot_gallery`, *theme* as in `plot_board`, everything else as in `swap_chances`.
    """
    from catan_cp.draw.charts import dress, panels

    look = find_theme(theme)
    chances = swap_chances(errors, skew_power, normalization)
    raw = raw_errors(errors) if isinstance(errors, Board) else errors
    figure, [[left, right]] = panels(ax, (10, 3.6), 1, 2, look)
    largest = max(map(abs, raw.values())) if normalization == "dynamic" else 1.0
    steps = sorted({*(largest * (2 * i / (POINTS - 1) - 1) for i in range(POINTS)), *raw.values()})
    scaled = [(step / largest if largest else 0.0) / 2 + 0.5 for step in steps]
    fills = [terrain_color(look, name) for name in raw]
    for flip, color, dash, name in (
        (False, look.series[0], "-", "first: too even"),
        (True, look.series[3], "--", "second: not even enough"),
    ):
        spots = [1 - e if flip else e for e in chances.normalized.values()]
        most = max(spots) or 1.0
        weights = [min((max(1 - e if flip else e, 0.0) / most) ** skew_power, 2.0) for e in scaled]
        left.plot(steps, weights, color=color, linestyle=dash, label=name)
        heights = search.skewed_weights(spots, skew_power)
        left.scatter(
            list(raw.values()), heights, c=fills, s=34, edgecolors=[look.text], linewidths=0.8, zorder=3
        )
    dress(left, look, "weight")
    left.set(xlabel="efficiency - target", xlim=(-1.05, 1.05), ylim=(-0.05, 1.1))
    figure.legend(loc="outside lower center", ncols=2, frameon=False, labelcolor=look.text)
    rows = range(len(raw))
    for side, color, shift, hatch in (
        (chances.first, look.series[0], -0.19, ""),
        (chances.second, look.series[3], 0.19, "///" if look.greys else ""),
    ):
        right.barh(
            [row + shift for row in rows], list(side.values()), height=0.36, color=color, hatch=hatch,
            edgecolor=look.background,
        )  # fmt: skip
    right.set_yticks(rows, list(raw))
    right.set_ylim(len(raw) - 0.5, -0.5)
    right.set_xlim(0, 1)
    dress(right, look, "chance to be drawn", grid="x")
    power = "infinity" if isinf(skew_power) else f"{skew_power:g}"
    figure.suptitle(f"Skew power {power}, {normalization} normalisation", color=look.text)
    return figure
