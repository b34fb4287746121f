"""Describe the boards of one study, and compare two studies.

>>> print(describe_study("tournament.db"))  # doctest: +SKIP
>>> print(compare_studies("tournament.db", "official.db"))  # doctest: +SKIP

Uniformly sampled boards are a random sample of all boards that the rules allow, so their means estimate the
means of all boards, with a confidence interval. Other means describe only boards made in the same way.

Each board counts once, however often it was made. The different boards of a uniform sample are a random
sample without replacement. Their mean is unbiased too, and the stated interval is wide enough.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise
from math import atan, cbrt, ceil, exp, hypot, lgamma, pi, sqrt, tan
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from catan_cp.analysis.measures import DIGITS, MEASURES, Row, figure, read_criteria
from catan_cp.boards.board import Board
from catan_cp.draw.style import BINS, Theme, default_settings, find_theme, whole_edges
from catan_cp.errors import InvalidArgument, amount, check_kind, show, show_path
from catan_cp.studies.store import Store
from catan_cp.terminal import aligned

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

CONFIDENCE = 0.95
"""The confidence level of all intervals."""

COMPARED = (
    "value_spread, first_seat_advantage, efficiency_error, "
    "vertex_pips_least, vertex_pips_most, vertex_pips_spread"
)
"""The measures that are compared by default."""

_MOST_FREEDOM = 1e6  # from here on, Student's t is the normal distribution to six digits

_HEAD = ("boards", "mean", "±", "spread", "least", "1/4", "median", "3/4", "most")

Values = NDArray[np.float64]
Source = str | os.PathLike[str] | Store


@dataclass(frozen=True)
class Distribution:
    """The distribution of a measure over the boards of one study.

    Attributes:
        boards: number of boards with a value.
        mean: the mean of the values.
        margin: half the width of the mean's 95% confidence interval by Student's t. If the boards are a
            random sample, 95 of 100 such intervals contain the mean of all boards. None for one board.
        spread: the standard deviation, computed with n - 1 to estimate that of all boards. None for one
            board.
        least, quarter, median, three_quarters, most: the minimum, the quartiles and the maximum.
        shares: the share of the boards in each bin of `Contrast.edges`, empty without bins.
    """

    boards: int
    mean: float
    margin: float | None
    spread: float | None
    least: float
    quarter: float
    median: float
    three_quarters: float
    most: float
    shares: tuple[float, ...]

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a row: one per figure, in the order of the attributes."""
        boards, *rest, _ = vars(self).values()
        return (f"{boards:,}", *(figure(value if value is None else float(value)) for value in rest))


@dataclass(frozen=True)
class Description:
    """The boards of one study, measure by measure.

    Attributes:
        name: the study's name.
        uniform: whether the boards are a uniform sample of all that the rules allow.
        measures: the distribution of each measure.
    """

    name: str
    uniform: bool
    measures: Mapping[str, Distribution]

    def table(self) -> str:
        """Return the description as plain text: a table, and the scope of its means."""
        lines = [("", *_HEAD), *((name, *values.cells()) for name, values in self.measures.items())]
        return "\n".join([*aligned(lines, 1), "", _scope(self.name, self.uniform)])

    __str__ = table

    def to_json(self) -> str:
        """Return the description as a JSON object."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Contrast:
    """One measure in both studies.

    Attributes:
        measure: its name.
        first, second: its distributions.
        difference: the first mean minus the second.
        error: the standard error of that difference, None if a study has one board.
        margin: half the width of the difference's 95% confidence interval, None if a study has one board. A
            smaller difference may be chance. It is Welch's t test, which allows unequal spreads ("The
            generalization of Student's problem", Biometrika 34, 1947).
        first_is_less: the probability that a random board of the first study has a smaller value than one of
            the second, plus half the probability that both are equal (the effect size of Mann and Whitney's
            test).
        edges: the bins of the distributions' shares: from each edge to the next.
    """

    measure: str
    first: Distribution
    second: Distribution
    difference: float
    error: float | None
    margin: float | None
    first_is_less: float
    edges: tuple[float, ...]

    @property
    def clear(self) -> bool:
        """True if the margin is known and smaller than the difference."""
        return self.margin is not None and abs(self.difference) > self.margin


@dataclass(frozen=True)
class Comparison:
    """Two studies compared.

    Attributes:
        names: their labels.
        contrasts: one per measure.
        uniform: for each study, whether its boards are a uniform sample of all that its rules allow.
    """

    names: tuple[str, str]
    contrasts: tuple[Contrast, ...]
    uniform: tuple[bool, bool]

    def sentence(self, contrast: Contrast) -> str:
        """Return a contrast as a sentence."""
        a, b = self.names
        first, second, measure = contrast.first.mean, contrast.second.mean, MEASURES[contrast.measure]
        chance = f"of two random boards, {a}'s has less in {contrast.first_is_less:.0%} of cases"
        means = f"({figure(first)} against {figure(second)} on average; {chance})"
        if not contrast.clear:
            return f"{measure.title}: no clear difference between {a} and {b} {means}"
        how = "less" if contrast.difference < 0 else "more"
        better = (
            "" if measure.better is None else f", which is {'better' if how == measure.better else 'worse'}"
        )
        share = f"{abs(contrast.difference) / second:.0%} " if second > 0 and first >= 0 else ""
        return f"{measure.title}: {a} has {share}{how} than {b}{better} {means}"

    def table(self) -> str:
        """Return the comparison as plain text: a table, then one sentence per measure."""
        lines: list[Sequence[str]] = [("", "study", *_HEAD)]
        for contrast in self.contrasts:
            lines.append((contrast.measure, self.names[0], *contrast.first.cells()))
            lines.append(("", self.names[1], *contrast.second.cells()))
        scopes = map(_scope, self.names, self.uniform)
        return "\n".join([*aligned(lines, 2), "", *map(self.sentence, self.contrasts), "", *scopes])

    __str__ = table

    def to_json(self) -> str:
        """Return the comparison as a JSON object."""
        contrasts = [asdict(contrast) for contrast in self.contrasts]
        return json.dumps({"names": self.names, "uniform": self.uniform, "contrasts": contrasts})


def describe_study(source: Source, by: str | None = None, *, study: str | None = None) -> Description:
    """Describe the boards of a study by means, 95% intervals and quantiles.

    Args:
        source: a store, or its file.
        by: measures, as in ``value_spread, efficiency_error``. The default is that of `compare_studies`,
            without measures that no board has.
        study: the study's name, if the store has several.

    Raises:
        InvalidArgument: an unknown measure or study, a file that is not a store, or no board with a value.
        CatanError: the store is damaged.
    """
    labels, uniform, values = _read(source, study, by or COMPARED, all_known=by is not None)
    measures = {name: _distribution(column, ()) for name, column in values.items()}
    return Description(labels[1], uniform, measures)


def compare_studies(
    first: Source,
    second: Source,
    by: str = COMPARED,
    *,
    studies: tuple[str | None, str | None] = (None, None),
) -> Comparison:
    """Compare two studies, measure by measure.

    Args:
        first: a store, or its file.
        second: the other store or file, possibly the same.
        by: measures, as in ``value_spread, efficiency_error``.
        studies: the studies' names, for stores with several.

    Raises:
        InvalidArgument: an unknown measure, a file that is not a store, or a study without boards that have a
            value of one of the measures.
        CatanError: a store is damaged.

    Example:
        >>> import catan_cp
        >>> for seed in (1, 2):
        ...     study = catan_cp.Study(20, "tournament", seed=seed, players=3)
        ...     _ = catan_cp.run_study(study, f"{seed}.db", progress=False)
        >>> comparison = compare_studies("1.db", "2.db", by="efficiency_error")
        >>> comparison.names
        ('1', '2')
    """
    if not isinstance(studies, (tuple, list)) or len(studies) != 2:
        raise InvalidArgument(f"studies must be two names, or None for a store with one, not {show(studies)}")
    labels, first_uniform, first_values = _read(first, studies[0], by)
    second_labels, second_uniform, second_values = _read(second, studies[1], by)
    pairs = zip(labels, second_labels, strict=True)
    names = next((pair for pair in pairs if pair[0] != pair[1]), (labels[0], f"{labels[0]} again"))
    contrasts = tuple([_contrast(name, first_values[name], second_values[name]) for name in first_values])
    return Comparison(names, contrasts, (first_uniform, second_uniform))


def _read(
    source: Source, study: str | None, by: str, *, all_known: bool = True
) -> tuple[tuple[str, str, str], bool, dict[str, Values]]:
    """Return a study's labels, whether it is a uniform sample, and its values.

    The labels are the stem of its file, its name, and the whole path. Unless *all_known*, measures that no
    board has are left out.
    """
    if not isinstance(source, Store):
        with Store(source) as store:
            return _read(store, study, by, all_known=all_known)
    state = source.study(study)
    columns = source.columns(read_criteria(by), state.name)
    for name, column in columns.items():
        if not column and all_known:
            raise InvalidArgument(f"no board of {state.name!r} in {show_path(source.path)} has {name}")
    labels = (source.path.stem, state.name, str(source.path))
    uniform = state.study.source == "generated" and state.study.solver is None
    return labels, uniform, {name: np.array(column) for name, column in columns.items() if column}


def _scope(name: str, uniform: bool) -> str:
    """Return a sentence about the scope of a study's means."""
    scope = "not sampled uniformly, so means describe boards made this way, not all boards that are allowed"
    if uniform:
        scope = "sampled uniformly, so mean ± margin holds the mean of all boards that the rules allow "
        scope += "(in 95 of 100 studies)"
    return f"{name}: {scope}"


# Statistics


def _distribution(values: Values, edges: Sequence[float]) -> Distribution:
    n, error = len(values), _standard_error(values)
    margin, spread = (None, None) if error is None else (student_quantile(n - 1) * error, sqrt(n) * error)
    least, quarter, median, three_quarters, most = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    shares = tuple((np.histogram(values, edges)[0] / n).tolist()) if edges else ()
    mean = float(values.mean())
    return Distribution(n, mean, margin, spread, least, quarter, median, three_quarters, most, shares)


def _standard_error(values: Values) -> float | None:
    """Return the standard error of a sample's mean, None for fewer than two values."""
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else None


_gauss = lru_cache(np.polynomial.legendre.leggauss)  # takes longer than the bisection


@lru_cache
def student_quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's t distribution.

    With t = sqrt(freedom) * tan(angle), the probability of values between -t and t is a ratio of two
    integrals of cos(angle) ** (freedom - 1): up to the angle of t, and up to a right angle (Student, "The
    probable error of a mean", Biometrika 6, 1908). The integrals are Gauss sums; bisection finds the angle.

    Args:
        freedom: the degrees of freedom, a number of at least 1.
        confidence: the probability of a value between -t and t.
    """
    power = min(freedom, _MOST_FREEDOM) - 1
    places, weights = _gauss(64)
    whole = sqrt(pi) / 2 * exp(lgamma((power + 1) / 2) - lgamma(power / 2 + 1))

    def within(angle: float) -> float:
        return angle / 2 * float(weights @ np.cos(angle * (places + 1) / 2) ** power) / whole

    low, high = 0.0, atan(1000 / sqrt(power + 1))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < confidence else (low, middle)
    return sqrt(power + 1) * tan(high)


def _contrast(measure: str, a: Values, b: Values) -> Contrast:
    edges = _edges(measure, min(a.min(), b.min()), max(a.max(), b.max()), min(len(a), len(b)))
    first, second = _distribution(a, edges), _distribution(b, edges)
    return Contrast(measure, first, second, float(a.mean() - b.mean()), *_error(a, b), _chance(a, b), edges)


def _error(a: Values, b: Values) -> tuple[float | None, float | None]:
    """Return the standard error of a difference of means, and its margin (Welch)."""
    first, second = _standard_error(a), _standard_error(b)
    if first is None or second is None:
        return None, None
    error = hypot(first, second)
    if not error:
        return error, error
    parts = (first / error) ** 4 / (len(a) - 1) + (second / error) ** 4 / (len(b) - 1)
    return error, student_quantile(1 / parts) * error


def _edges(measure: str, least: float, most: float, boards: int) -> tuple[float, ...]:
    """Return the edges of bins over all values, one bin per value for few whole numbers.

    Otherwise the number of bins is twice the cube root of the number of boards (the Rice rule).
    """
    bins = min(BINS, ceil(2 * cbrt(boards)))
    if MEASURES[measure].kind is int:
        return whole_edges(least, most, BINS if most - least < BINS else bins)
    return tuple(np.histogram_bin_edges((), bins, (least, most)).tolist())


def _chance(a: Values, b: Values) -> float:
    """Return the share of pairs with a smaller value in *a*. Pairs of equals count half.

    Values that differ by rounding only are equal.
    """
    first, second = np.round(a, DIGITS), np.sort(np.round(b, DIGITS))
    not_above = sum(np.searchsorted(second, first, side).sum() for side in ("left", "right"))
    return float((2 * len(a) * len(b) - not_above) / (2 * len(a) * len(b)))


# Pictures

_COLUMNS = 3
_WIDTH, _HEIGHT = 4.0, 2.7  # of one chart, in inches
_TEXT = 9.0
_FOLD = 27  # characters in a line of a notation below a board
_LINE = 64  # characters of a caption that are as wide as a chart


@default_settings()
def plot_comparison(
    comparison: Comparison, ax: Axes | None = None, *, theme: str = "light"
) -> Figure | SubFigure:
    """Plot the distributions of two studies in one chart per measure, with lines at the means.

    Args:
        comparison: what `compare_studies` returns.
        ax: as in `plot_gallery`.
        theme: as in `plot_board`.

    Raises:
        InvalidArgument: an argument is not a `Comparison`, axes, or a known theme.
    """
    from matplotlib.patches import Patch

    from catan_cp.draw.picture import panels

    look = find_theme(theme)
    check_kind("this draws what compare_studies returns", comparison, Comparison)
    contrasts = comparison.contrasts
    columns = min(_COLUMNS, len(contrasts))
    rows = ceil(len(contrasts) / columns)
    size = (_WIDTH * max(columns, 2), _HEIGHT * rows + 0.6)
    picture, grid = panels(ax, size, rows, columns, look)
    charted = [panel for row in grid for panel in row]
    for panel, contrast in zip(charted, contrasts, strict=False):
        _draw(panel, contrast, look)
    for panel in charted[len(contrasts) :]:
        panel.set_visible(False)
    boards = (contrasts[0].first.boards, contrasts[0].second.boards)
    patches = [
        Patch(facecolor=(*color, 0.3), edgecolor=color, hatch=hatch, label=f"{name} ({amount(n, 'board')})")
        for name, n, color, hatch in zip(comparison.names, boards, look.series, _hatches(look), strict=False)
    ]
    key = picture.legend(handles=patches, loc="outside upper center", ncols=2, frameon=False)
    for text in key.get_texts():
        text.set(color=look.text, fontsize=_TEXT + 2, parse_math=False)
    return picture


def _draw(ax: Axes, contrast: Contrast, look: Theme) -> None:
    from catan_cp.draw.picture import dress

    sides = (contrast.first, contrast.second)
    for side, color, hatch in zip(sides, look.series, _hatches(look), strict=False):
        ax.stairs(side.shares, contrast.edges, fill=True, color=(*color, 0.3), hatch=hatch)
        ax.stairs(side.shares, contrast.edges, color=color, linewidth=1.4)
        ax.axvline(side.mean, color=color, linewidth=1.4, linestyle=(0, (4, 2)))
    measure = MEASURES[contrast.measure]
    dress(ax, look, measure.title.capitalize(), grid="y")
    means = f"means {figure(contrast.first.mean)} and {figure(contrast.second.mean)}"
    ax.set_xlabel(f"{fill(measure.meaning, _LINE)}\n{means}")
    ax.xaxis.label.set(size=_TEXT - 1)
    if all(abs(upper - lower - 1) < 1e-9 for lower, upper in pairwise(contrast.edges)):
        ax.locator_params(axis="x", integer=True)
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")


def _hatches(look: Theme) -> tuple[str | None, str | None]:
    return (None, "////") if look.greys else (None, None)


def plot_top(
    store: Store,
    by: str = "value_spread",
    k: int = 12,
    study: str | None = None,
    ax: Axes | None = None,
    *,
    satisfying: str | None = None,
    theme: str = "light",
) -> Figure | SubFigure:
    """Plot a gallery of a study's best boards with their numbers, figures and notations.

    Arguments and errors are those of `Store.top`, and of `plot_gallery` for *ax* and *theme*. A study without
    boards raises InvalidArgument.
    """
    from catan_cp.draw.gallery import plot_gallery

    check_kind("this draws boards of a Store", store, Store)
    rows = store.top(by, k, study, satisfying=satisfying)
    if not rows:
        raise InvalidArgument(f"the study in {show_path(store.path)} has no boards yet")
    layout = store.study(study).study.layout
    boards = [Board.from_notation(row["notation"], layout) for row in rows]
    captions = [_caption(row, read_criteria(by)) for row in rows]
    title = f"{store.path.name}: best by {by}"
    return plot_gallery(boards, captions, ax=ax, title=title, theme=theme)


def _caption(row: Row, names: Iterable[str]) -> str:
    """Return a board's number, figures, and notation on several lines."""
    figures = [f"{MEASURES[name].title} {figure(row[name])}" for name in names]
    lines = [f"board {row['board']}", *figures, ""]
    for part in re.findall(r"[^/, ]*[/, ]?", row["notation"]):
        if lines[-1] and len(lines[-1]) + len(part) > _FOLD:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
