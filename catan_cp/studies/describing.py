"""What the boards of one study are like: means with confidence intervals, and for what they stand.

>>> print(describe_study("tournament.db"))  # doctest: +SKIP

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
from math import atan, exp, lgamma, pi, sqrt, tan
from typing import TYPE_CHECKING

from catan_cp.errors import InvalidArgument, show_path
from catan_cp.studies.measures import COMPARED, aligned, figure, read_criteria
from catan_cp.studies.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE = 0.95
"""How many of many intervals hold what they are for, and how seldom a clear difference is none."""

_MOST_FREEDOM = 1e6  # from here on, Student's t is the normal distribution to six digits

HEAD = ("boards", "mean", "±", "spread", "least", "1/4", "median", "3/4", "most")


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
        """Return the row of a table under `HEAD`."""
        rest = (self.least, self.quarter, self.median, self.three_quarters, self.most)
        values = (self.mean, self.margin, self.spread, *map(float, rest))
        return (f"{self.boards:,}", *map(figure, values))


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
        lines = [("", *HEAD), *((name, *found.cells()) for name, found in self.measures.items())]
        return "\n".join([*aligned(lines, 1), "", scope(self.name, self.uniform)])

    __str__ = table

    def to_json(self) -> str:
        """Return the description as a JSON object."""
        measures = {name: asdict(found) for name, found in self.measures.items()}
        return json.dumps({"name": self.name, "uniform": self.uniform, "measures": measures})


def describe_study(
    source: str | os.PathLike[str] | Store, by: str | None = None, *, study: str | None = None
) -> Description:
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
    names = [criterion.measure for criterion in read_criteria(by or COMPARED)]
    found = values_of(source, study, names, all_known=by is not None)
    measures = {name: distribution(values, ()) for name, values in found.values.items()}
    return Description(found.label[1], found.uniform, measures)


Label = tuple[str, str, str]
"""The stem of a store's file, a study's name, and the whole path."""


@dataclass(frozen=True)
class Values:
    """The values of a study's boards.

    Attributes:
        label: what to call it.
        uniform: whether the boards are uniform draws from all that the rules allow.
        values: per measure, those of all boards that have one.
    """

    label: Label
    uniform: bool
    values: Mapping[str, NDArray[np.float64]]


def values_of(
    source: str | os.PathLike[str] | Store, study: str | None, names: Sequence[str], *, all_known: bool = True
) -> Values:
    """Return the values of some measures, of the boards of a study.

    Unless *all_known* is asked for, a measure that no board has a value in is left out.

    Raises:
        InvalidArgument: no such study, or no board has a value in one of the measures.
    """
    import numpy as np

    if not isinstance(source, Store):
        with Store(source) as store:
            return values_of(store, study, names, all_known=all_known)
    found = source.study(study)
    values = source.columns(names, found.name)
    for name, column in values.items():
        if not column and all_known:
            raise InvalidArgument(f"no board of {found.name!r} in {show_path(source.path)} has {name}")
    uniform = found.study.source == "generated" and found.study.solver is None
    label = (source.path.stem, found.name, str(source.path))
    return Values(label, uniform, {name: np.array(column) for name, column in values.items() if column})


def distribution(values: NDArray[np.float64], edges: Sequence[float]) -> Distribution:
    """Return how values are distributed, with the share in each bin."""
    import numpy as np

    n, error = len(values), standard_error(values)
    least, quarter, median, three_quarters, most = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    shares = (np.histogram(values, edges)[0] / n).tolist() if len(edges) else []
    return Distribution(
        n,
        float(values.mean()),
        None if error is None else student_quantile(n - 1) * error,
        None if error is None else sqrt(n) * error,
        least,
        quarter,
        median,
        three_quarters,
        most,
        tuple(shares),
    )


def standard_error(values: NDArray[np.float64]) -> float | None:
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
    import numpy as np

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


def scope(name: str, uniform: bool) -> str:
    """Return the sentence that says for what a study's means stand."""
    if uniform:
        return (
            f"{name}: uniform draws, so mean ± margin holds the mean of all boards that the rules allow "
            "(in 95 of 100 studies)"
        )
    return (
        f"{name}: not drawn uniformly, so means stand for boards made this way, not for all that are allowed"
    )
