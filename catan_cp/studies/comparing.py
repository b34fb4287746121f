"""Two studies side by side: are the boards of one fairer than those of the other, and by how much?

>>> print(compare_studies("tournament.db", "official.db"))  # doctest: +SKIP

Each board counts once, however often it was made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import cbrt, ceil, hypot
from typing import TYPE_CHECKING, Any

from catan_cp.studies.describing import (
    HEAD,
    Distribution,
    Label,
    distribution,
    scope,
    standard_error,
    student_quantile,
    values_of,
)
from catan_cp.studies.measures import COMPARED, DIGITS, MEASURES, aligned, figure, read_criteria
from catan_cp.studies.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BINS = 40


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
        what = MEASURES[contrast.measure].title
        chance = f"of two boards drawn blindly, {a}'s has less in {contrast.first_is_less:.0%} of cases"
        means = f"{figure(contrast.first.mean)} against {figure(contrast.second.mean)} on average"
        if not contrast.clear:
            return f"{what}: no clear difference between {a} and {b} ({means}; {chance})"
        how = "less" if contrast.difference < 0 else "more"
        better = MEASURES[contrast.measure].better
        verdict = "" if better is None else f", which is {'better' if how == better else 'worse'}"
        share = ""
        if contrast.second.mean > 0 and contrast.first.mean >= 0:
            share = f"{abs(contrast.difference) / contrast.second.mean:.0%} "
        return f"{what}: {a} has {share}{how} than {b}{verdict} ({means}; {chance})"

    def table(self) -> str:
        """Return the comparison as plain text: a table, then a sentence a measure."""
        lines: list[Sequence[str]] = [("", "study", *HEAD)]
        for contrast in self.contrasts:
            for name, d in zip(self.names, (contrast.first, contrast.second), strict=True):
                lines.append((contrast.measure if d is contrast.first else "", name, *d.cells()))
        scopes = (scope(name, yes) for name, yes in zip(self.names, self.uniform, strict=True))
        return "\n".join([*aligned(lines, 2), "", *map(self.sentence, self.contrasts), "", *scopes])

    __str__ = table

    def to_json(self) -> str:
        """Return the comparison as a JSON object."""
        contrasts = [asdict(contrast) for contrast in self.contrasts]
        return json.dumps({"names": self.names, "uniform": self.uniform, "contrasts": contrasts})


def compare_studies(
    first: str | os.PathLike[str] | Store,
    second: str | os.PathLike[str] | Store,
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
    names = [criterion.measure for criterion in read_criteria(by)]
    a, b = (values_of(store, study, names) for store, study in zip((first, second), studies, strict=True))
    contrasts = [_contrast(name, a.values[name], b.values[name]) for name in names]
    return Comparison(_told_apart(a.label, b.label), tuple(contrasts), (a.uniform, b.uniform))


def _told_apart(a: Label, b: Label) -> tuple[str, str]:
    """Return names for two studies that differ: of the files, else of the studies, else whole paths."""
    for i in range(2):
        if a[i] != b[i]:
            return a[i], b[i]
    return (a[2], b[2]) if a[2] != b[2] else (a[0], f"{b[0]} again")


def _contrast(measure: str, a: NDArray[np.float64], b: NDArray[np.float64]) -> Contrast:
    edges = _edges(measure, min(a.min(), b.min()), max(a.max(), b.max()), min(len(a), len(b)))
    return Contrast(
        measure,
        distribution(a, edges),
        distribution(b, edges),
        float(a.mean() - b.mean()),
        *_error(a, b),
        _chance_of_less(a, b),
        edges,
    )


def _error(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Return the standard error of the difference of two means, and its margin by Welch's t test."""
    first, second = standard_error(a), standard_error(b)
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
    import numpy as np

    if MEASURES[measure].kind is int and most - least < _BINS:
        return tuple((np.arange(least, most + 2) - 0.5).tolist())
    if least == most:
        least, most = least - 0.5, most + 0.5
    bins = min(_BINS, ceil(2 * cbrt(boards)))
    return tuple(np.linspace(least, most, bins + 1).tolist())


def _chance_of_less(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The share of pairs in which a's value is less than b's, equal ones counted half.

    Values that differ by rounding only, as sums of fractions do, are equal.
    """
    import numpy as np

    theirs = np.sort(np.round(b, DIGITS))
    mine = np.round(a, DIGITS)
    above = len(b) - np.searchsorted(theirs, mine, "right")
    not_below = len(b) - np.searchsorted(theirs, mine, "left")
    return float((above + not_below).sum() / (2 * len(a) * len(b)))


def gallery_captions(rows: Sequence[dict[str, Any]], by: str) -> list[str]:
    """Return a caption for each row of `Store.top`: its number, the criteria, and the notation."""
    names = tuple(criterion.measure for criterion in read_criteria(by))
    return [
        "\n".join(
            [
                f"board {row['board']}",
                *(f"{name.replace('_', ' ')} {figure(row[name])}" for name in names),
                *_folded(row["notation"]),
            ]
        )
        for row in rows
    ]


def _folded(notation: str, width: int = 27) -> list[str]:
    """Return a notation in lines, broken after its slashes and commas, that joined are the notation."""
    lines = [""]
    for part in notation.replace("/", "/\n").replace(",", ",\n").replace(" ", " \n").split("\n"):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return lines
