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
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING

from catan_cp.errors import InvalidArgument, show_path
from catan_cp.studies.measures import COMPARED, figure, read_criteria
from catan_cp.studies.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NORMAL_95 = 1.959964
"""A normal value is this many standard deviations from its mean, or less, in 95 of 100 cases."""

HEAD = ("boards", "mean", "±", "spread", "least", "1/4", "median", "3/4", "most")


@dataclass(frozen=True)
class Distribution:
    """How a measure is distributed over the boards of one study.

    Attributes:
        boards: how many boards have a value.
        mean, spread: of the values; the spread is their standard deviation.
        margin: half the width of the mean's confidence interval, by the central limit theorem: 95 of 100
            such intervals have the mean of all boards of which these are a random sample. None for one board.
        least, quarter, median, three_quarters, most: of the values in order.
        shares: the share of the boards in each bin of `Contrast.edges`; empty without bins.
    """

    boards: int
    mean: float
    margin: float | None
    spread: float
    least: float
    quarter: float
    median: float
    three_quarters: float
    most: float
    shares: tuple[float, ...]

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table under `HEAD`."""
        margin = "-" if self.margin is None else figure(self.margin)
        rest = (self.spread, self.least, self.quarter, self.median, self.three_quarters, self.most)
        return (f"{self.boards:,}", figure(float(self.mean)), margin, *(figure(float(x)) for x in rest))


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
    values = {name: array("d") for name in names}
    for row in source.results(found.name):
        for name, column in values.items():
            if (value := row.get(name)) is not None:
                column.append(value)
    for name, column in values.items():
        if not column and all_known:
            raise InvalidArgument(f"no board of {found.name!r} in {show_path(source.path)} has {name}")
    uniform = found.study.source == "generated" and found.study.solver is None
    label = (source.path.stem, found.name, str(source.path))
    return Values(label, uniform, {name: np.array(column) for name, column in values.items() if column})


def distribution(values: NDArray[np.float64], edges: Sequence[float]) -> Distribution:
    """Return how values are distributed, with the share in each bin."""
    import numpy as np

    n = len(values)
    least, quarter, median, three_quarters, most = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    shares = (np.histogram(values, edges)[0] / n).tolist() if len(edges) else []
    return Distribution(
        n,
        float(values.mean()),
        NORMAL_95 * float(values.std(ddof=1)) / sqrt(n) if n > 1 else None,
        float(values.std()),
        least,
        quarter,
        median,
        three_quarters,
        most,
        tuple(shares),
    )


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


def aligned(lines: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Return a table's lines with columns of equal width, all but the first *texts* flush right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i < texts else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
