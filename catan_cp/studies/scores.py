"""A report as one row of numbers, and the criteria by which rows are ranked.

`COLUMNS` is the one list of what a store keeps of a board: the schema, CSV files, ranking and comparisons
all follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from catan_cp.boards.pieces import TERRAINS, UNNUMBERED
from catan_cp.errors import InvalidArgument, listed, show
from catan_cp.placement.game import MAX_PLAYERS
from catan_cp.rules.rules import PRESETS
from catan_cp.studies.reporting import Report

Value = int | float | None

DIGITS = 9
"""Decimals up to which two values count as different; the least step of any score is far above."""


@dataclass(frozen=True)
class Column:
    """One number that is kept of each board.

    Attributes:
        kind: its type in SQLite.
        meaning: what it is, in a few words.
        of: how it is read off a report; None where the board has no such number.
    """

    kind: str
    meaning: str
    of: Callable[[Report], Value]


def _columns() -> dict[str, Column]:
    real, whole = "REAL", "INTEGER"
    found = {
        "seat_spread": Column(real, "best seat's value less the worst seat's", lambda r: r.seat_spread),
        "first_seat_advantage": Column(
            real, "first seat's value less the mean of the others'", lambda r: r.first_seat_advantage
        ),
        "efficiency_error": Column(
            real, "mean squared error of the efficiencies", lambda r: r.efficiency_error
        ),
        "vertex_pips_least": Column(whole, "fewest pips at a vertex of three land tiles", _vertex("least")),
        "vertex_pips_most": Column(whole, "most pips at such a vertex", _vertex("most")),
        "vertex_pips_mean": Column(real, "their mean", _vertex("mean")),
        "vertex_pips_spread": Column(real, "their standard deviation", _vertex("spread")),
    }
    for seat in range(1, MAX_PLAYERS + 1):
        found[f"value_{seat}"] = Column(real, f"what seat {seat}'s settlements are worth", _value(seat))
    found["tied"] = Column(
        whole, "1 where perfect players had other choices as good", lambda r: int(r.placement.tied)
    )
    for name in TERRAINS:
        found[f"efficiency_{name}"] = Column(real, f"efficiency of {name}", _efficiency(name))
    for name in TERRAINS:
        if name not in UNNUMBERED:
            found[f"pips_{name}"] = Column(whole, f"pips of all tiles of {name}", _pips(name))
    for name in PRESETS:
        found[f"keeps_{name}"] = Column(whole, f"1 where the board satisfies the rules {name}", _keeps(name))
    return found


def _vertex(part: str) -> Callable[[Report], Value]:
    return lambda r: None if r.vertex_pips is None else getattr(r.vertex_pips, part)


def _value(seat: int) -> Callable[[Report], Value]:
    return lambda r: r.placement.values[seat - 1] if seat <= r.placement.players else None


def _efficiency(name: str) -> Callable[[Report], Value]:
    return lambda r: r.efficiency.get(name)


def _pips(name: str) -> Callable[[Report], Value]:
    return lambda r: r.terrain_pips.get(name)


def _keeps(name: str) -> Callable[[Report], Value]:
    return lambda r: int(name in r.presets)


COLUMNS: Mapping[str, Column] = MappingProxyType(_columns())
"""The numbers kept of each board, in the order of the table ``scores``."""


def score_row(report: Report) -> tuple[Value, ...]:
    """Return the numbers kept of a report, in the order of `COLUMNS`."""
    return tuple([column.of(report) for column in COLUMNS.values()])


@dataclass(frozen=True)
class Criterion:
    """A column to rank by: least first, or greatest first where *descending*."""

    column: str
    descending: bool = False

    def __str__(self) -> str:
        return f"{'-' if self.descending else ''}{self.column}"


def read_criteria(by: str) -> tuple[Criterion, ...]:
    """Return the criteria that a line of text lists, as in ``seat_spread, -efficiency_error``.

    The least of a column comes first; after a minus, the greatest. A later criterion decides between boards
    that all earlier ones rank equal.

    Raises:
        InvalidArgument: no column has that name, or one is named twice.
    """
    if not isinstance(by, str) or not by.strip():
        raise InvalidArgument(f"criteria are columns, as in 'seat_spread, -efficiency_error', not {show(by)}")
    found: list[Criterion] = []
    for part in by.split(","):
        word = part.strip()
        name = word.removeprefix("-").strip()
        if name not in COLUMNS:
            raise InvalidArgument(f"unknown criterion {show(word)}; criteria are {listed(COLUMNS)}")
        if any(name == known.column for known in found):
            raise InvalidArgument(f"criterion {name} is there twice in {show(by)}")
        found.append(Criterion(name, word.startswith("-")))
    return tuple(found)


def order_sql(criteria: tuple[Criterion, ...]) -> str:
    """Return what follows ORDER BY; boards without a value come last, and their numbers settle ties.

    Values that differ by rounding only, as sums of fractions do, are ties.
    """
    parts = []
    for criterion in criteria:
        name = criterion.column
        value = f"round({name}, {DIGITS})" if COLUMNS[name].kind == "REAL" else name
        parts += [f"{name} IS NULL", f"{value} {'DESC' if criterion.descending else 'ASC'}"]
    return ", ".join([*parts, "board"])


def figure(value: Value) -> str:
    """Return a number as people read it, with four digits that count; - for none."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
