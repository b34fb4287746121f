"""What the boards of one study are like, and two studies side by side: whose boards are fairer, by how much?

>>> print(describe_study("tournament.db"))  # doctest: +SKIP
>>> print(compare_studies("tournament.db", "official.db"))  # doctest: +SKIP

Boards that were drawn uniformly are a random sample of all that the rules allow, so their means stand for
all of these, within an interval. Boards that a solver made, or that were given, stand for boards made so.

Each board counts once, however often it was made. Of uniform draws, the different ones are a random sample
without replacement, so their mean is unbiased too; its interval is no wider than the one given.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import atan, cbrt, ceil, exp, hypot, lgamma, pi, sqrt, tan

import numpy as np
from numpy.typing import NDArray

from catan_cp.errors import InvalidArgument, show_path
from catan_cp.studies.measures import COMPARED, DIGITS, MEASURES, figure, read_criteria
from catan_cp.studies.store import Store
from catan_cp.terminal import aligned

CONFIDENCE = 0.95
"""How many of many intervals hold what they are for, and how seldom a clear difference is none."""

_MOST_FREEDOM = 1e6  # from here on, Student's t is the normal distribution to six digits
_BINS = 40

_HEAD = ("boards", "mean", "±", "spread", "least", "1/4", "median", "3/4", "most")

Values = NDArray[np.float64]
Source = str | os.PathLike[str] | Store


@dataclass(frozen=True)
class Distribution:
    """How a measure is distributed over the boards of one study.

    Attributes:
        boards: how many boards have a value.
        mean: of the values.
        margin: half the width of the mean's confidence interval by Student's t: 95 of 100 such intervals
            have the mean of all boards of which these are a random sample. None for one board.
        spread: the standard deviation, with n - 1 below: an estimate of that of all boards. None for one.
        least, quarter, median, three_quarters, most: of the values in order.
        shares: the share of the boards in each bin of `Contrast.edges`; empty without bins.
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
        """Return the row of a table: one cell for each figure, in the order of the attributes."""
        rest = (self.least, self.quarter, self.median, self.three_quarters, self.most)
        return (f"{self.boards:,}", *map(figure, (self.mean, self.margin, self.spread, *map(float, rest))))


@dataclass(frozen=True)
class Description:
    """The boards of one study, measure by measure.

    Attributes:
        name: the study's name.
        uniform: whether the boards are uniform draws from all that the rules allow.
        measures: how each measure is distributed.
    """

    name: str
    uniform: bool
    measures: Mapping[str, Distribution]

    def table(self) -> str:
        """Return the description as plain text: a table, and for what its means stand."""
        lines = [("", *_HEAD), *((name, *found.cells()) for name, found in self.measures.items())]
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
        difference: the first mean less the second.
        error: the standard error of that difference; None where a study has one board.
        margin: half the width of the difference's 95% confidence interval, by Welch's t test, which takes no
            spread for granted ("The generalization of Student's problem", Biometrika 34, 1947); None where a
            study has one board. A smaller difference may be chance.
        first_is_less: the chance that a board of the first study, drawn blindly, has less than one of the
            second; where they have the same, half a chance. (The effect size of Mann and Whitney's test.)
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
        """Whether the difference is too large to be chance: larger than its margin, which is known."""
        return self.margin is not None and abs(self.difference) > self.margin


@dataclass(frozen=True)
class Comparison:
    """Two studies compared.

    Attributes:
        names: what to call them.
        contrasts: measure by measure.
        uniform: of each, whether its boards are uniform draws from all that its rules allow.
    """

    names: tuple[str, str]
    contrasts: tuple[Contrast, ...]
    uniform: tuple[bool, bool]

    def sentence(self, contrast: Contrast) -> str:
        """Return what a contrast says, in a sentence."""
        a, b = self.names
        first, second, measure = contrast.first.mean, contrast.second.mean, MEASURES[contrast.measure]
        chance = f"of two boards drawn blindly, {a}'s has less in {contrast.first_is_less:.0%} of cases"
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
        """Return the comparison as plain text: a table, then a sentence a measure."""
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
    """Describe the boards of a study: means with 95% confidence intervals, and quantiles.

    Args:
        source: a store, or its file.
        by: which measures, as in ``seat_spread, efficiency_error``; by default those that `compare_studies`
            takes, as far as a board has a value.
        study: the study's name, where the store has several.

    Raises:
        InvalidArgument: an unknown measure or study, a file that is no store, or no board that has a value.
        CatanError: the store is damaged.
    """
    found = _read(source, study, by or COMPARED, all_known=by is not None)
    measures = {name: _distribution(values, ()) for name, values in found.values.items()}
    return Description(found.labels[1], found.uniform, measures)


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
        second: the other; it may be the same.
        by: which measures, as in ``seat_spread, efficiency_error``.
        studies: the studies' names, where a store has several.

    Raises:
        InvalidArgument: an unknown measure, a file that is no store, or a study without boards that have a
            value in one of the measures.
        CatanError: a store is damaged.
    """
    a, b = _read(first, studies[0], by), _read(second, studies[1], by)
    pairs = zip(a.labels, b.labels, strict=True)
    names = next((pair for pair in pairs if pair[0] != pair[1]), (a.labels[0], f"{b.labels[0]} again"))
    contrasts = tuple([_contrast(name, a.values[name], b.values[name]) for name in a.values])
    return Comparison(names, contrasts, (a.uniform, b.uniform))


# The values of a study


@dataclass(frozen=True)
class _Boards:
    """What is read of a study's boards.

    Attributes:
        labels: what to call it: the stem of its file, its own name, the whole path.
        uniform: whether the boards are uniform draws from all that the rules allow.
        values: per measure, those of all boards that have one.
    """

    labels: tuple[str, str, str]
    uniform: bool
    values: Mapping[str, Values]


def _read(source: Source, study: str | None, by: str, *, all_known: bool = True) -> _Boards:
    """Return the values of some measures; unless *all_known*, without those that no board has a value in."""
    if not isinstance(source, Store):
        with Store(source) as store:
            return _read(store, study, by, all_known=all_known)
    found = source.study(study)
    columns = source.columns([criterion.measure for criterion in read_criteria(by)], found.name)
    for name, column in columns.items():
        if not column and all_known:
            raise InvalidArgument(f"no board of {found.name!r} in {show_path(source.path)} has {name}")
    uniform = found.study.source == "generated" and found.study.solver is None
    values = {name: np.array(column) for name, column in columns.items() if column}
    return _Boards((source.path.stem, found.name, str(source.path)), uniform, values)


def _scope(name: str, uniform: bool) -> str:
    """Return the sentence that says for what a study's means stand."""
    if uniform:
        return (
            f"{name}: uniform draws, so mean ± margin holds the mean of all boards that the rules allow "
            "(in 95 of 100 studies)"
        )
    return (
        f"{name}: not drawn uniformly, so means stand for boards made this way, not for all that are allowed"
    )


# Statistics


def _distribution(values: Values, edges: Sequence[float]) -> Distribution:
    n, error = len(values), _standard_error(values)
    margin, spread = (None, None) if error is None else (student_quantile(n - 1) * error, sqrt(n) * error)
    least, quarter, median, three_quarters, most = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    shares = tuple((np.histogram(values, edges)[0] / n).tolist()) if edges else ()
    mean = float(values.mean())
    return Distribution(n, mean, margin, spread, least, quarter, median, three_quarters, most, shares)


def _standard_error(values: Values) -> float | None:
    """Return the standard error of the mean of a sample; None of fewer than two values."""
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else None


@lru_cache
def student_quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return the t that Student's distribution keeps within, on both sides of 0, with this probability.

    With t = sqrt(freedom) * tan(angle), the probability of lying within is the integral of
    cos(angle) ** (freedom - 1) over the angles up to that of t, by that up to a right angle (Student, "The
    probable error of a mean", Biometrika 6, 1908). We integrate by Gauss and find the angle by halving.

    Args:
        freedom: the degrees of freedom, a number of at least 1.
        confidence: the probability.
    """
    power = min(freedom, _MOST_FREEDOM) - 1
    places, weights = np.polynomial.legendre.leggauss(64)
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
    """Return the standard error of the difference of two means, and its margin by Welch's t test."""
    first, second = _standard_error(a), _standard_error(b)
    if first is None or second is None:
        return None, None
    error = hypot(first, second)
    if not error:
        return error, error
    parts = (first / error) ** 4 / (len(a) - 1) + (second / error) ** 4 / (len(b) - 1)
    return error, student_quantile(1 / parts) * error


def _edges(measure: str, least: float, most: float, boards: int) -> tuple[float, ...]:
    """Bins over all values; for whole numbers that are not many, one for each.

    Else twice the cube root of the boards (the Rice rule), or a few boards would be all gaps and spikes.
    """
    if MEASURES[measure].kind is int and most - least < _BINS:
        return tuple((np.arange(least, most + 2) - 0.5).tolist())
    if least == most:
        least, most = least - 0.5, most + 0.5
    bins = min(_BINS, ceil(2 * cbrt(boards)))
    return tuple(np.linspace(least, most, bins + 1).tolist())


def _chance(a: Values, b: Values) -> float:
    """The share of pairs in which a's value is less than b's, equal ones counted half.

    Values that differ by rounding only, as sums of fractions do, are equal.
    """
    mine, theirs = np.round(a, DIGITS), np.sort(np.round(b, DIGITS))
    not_above = sum(np.searchsorted(theirs, mine, side).sum() for side in ("left", "right"))
    return float((2 * len(a) * len(b) - not_above) / (2 * len(a) * len(b)))
