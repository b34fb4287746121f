"""The numbers that a study keeps of each board, each declared once, and the ranking by them.

A new measure is one more `Measure` in `_declared`. The tables of a store, its CSV and Parquet files, ranking,
comparisons, their pictures and the table in docs/studies.md are all read off the declarations; a store that
was begun before gets the new column when it is next written, empty for the boards that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from catan_cp.arguments import did_you_mean
from catan_cp.boards.pieces import TERRAINS, UNNUMBERED
from catan_cp.errors import InvalidArgument, listed, show
from catan_cp.placement.spots import MAX_PLAYERS
from catan_cp.play.games import Games
from catan_cp.studies.reporting import WEAK, Evenness, Report

Value = int | float | None

DIGITS = 9
"""Decimals up to which two values count as different; the least step of any measure is far above."""


@dataclass(frozen=True)
class Measure:
    """One number that is kept of each board.

    Attributes:
        name: what it is called everywhere: in the store's columns, criteria, files.
        kind: whether it is a whole number.
        meaning: what it is, in a few words.
        of: how it is read off a `Report`, or, where it needs no more, off an `Evenness`; None where the board
            has no such number.
        needs: what must be done before it can be read: nothing (``board``), find where perfect players
            settle (``placement``), or play games.
        better: which way the fairer boards lie, where either way does. Ranking begins there.
        compared: whether `catan_cp.compare_studies` looks at it unless others are asked for.
    """

    name: str
    kind: type[int] | type[float]
    meaning: str
    of: Callable[[Any], Value]
    better: Literal["less", "more"] | None = None
    compared: bool = False
    needs: Literal["board", "placement", "games"] = "board"

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.name.replace("_", " ")


def _declared() -> Iterator[Measure]:
    yield Measure(
        "seat_spread",
        float,
        "the best seat's value less the worst seat's: 0 is perfectly fair",
        lambda r: r.seat_spread,
        better="less",
        compared=True,
        needs="placement",
    )
    yield Measure(
        "first_seat_advantage",
        float,
        "the first seat's value less the mean of the others'",
        lambda r: r.first_seat_advantage,
        compared=True,
        needs="placement",
    )
    yield Measure(
        "efficiency_error",
        float,
        "mean squared error of the efficiencies: how far the terrain is from an even mix",
        lambda r: r.efficiency_error,
        better="less",
        compared=True,
    )
    yield Measure(
        "vertex_pips_least",
        int,
        "fewest pips at a vertex of three land tiles",
        _vertex("least"),
        better="more",
        compared=True,
    )
    yield Measure(
        "vertex_pips_most", int, "most pips at such a vertex", _vertex("most"), better="less", compared=True
    )
    yield Measure("vertex_pips_mean", float, "mean pips of such vertices", _vertex("mean"))
    yield Measure(
        "vertex_pips_spread",
        float,
        "standard deviation of the pips of such vertices",
        _vertex("spread"),
        better="less",
        compared=True,
    )
    yield Measure(
        "weak_vertices",
        int,
        f"vertices of three land tiles with fewer than {WEAK} pips",
        _vertex("weak"),
        better="less",
    )
    for seat in range(1, MAX_PLAYERS + 1):
        yield Measure(
            f"value_{seat}",
            float,
            f"what seat {seat}'s settlements are worth",
            _value(seat),
            needs="placement",
        )
    yield Measure(
        "tied",
        int,
        "1 where perfect players had other choices as good",
        lambda r: int(r.placement.tied),
        needs="placement",
    )
    for name in TERRAINS:
        yield Measure(f"efficiency_{name}", float, f"efficiency of {name}", _efficiency(name))
    for name in TERRAINS:
        if name not in UNNUMBERED:
            yield Measure(f"pips_{name}", int, f"pips of all tiles of {name}", _pips(name))
    yield from (replace(measure, needs="games") for measure in _of_games())


def _of_games() -> Iterator[Measure]:
    """Yield the numbers of the games that were played on a board; empty where none were."""
    yield Measure("games", int, "games played", _games(len))
    yield Measure("games_turns", float, "mean turns of a game", _games(lambda g: g.turns))
    yield Measure(
        "games_margin",
        float,
        "points by which the second is behind at the end, on average",
        _games(lambda g: g.margin),
        better="less",
    )
    yield Measure(
        "games_lead_changes",
        float,
        "how often the lead passes from one seat to another, a game",
        _games(lambda g: g.lead_changes),
        better="more",
    )
    yield Measure(
        "games_decided",
        float,
        "the part of a game after which the winner leads for good",
        _games(lambda g: g.decided),
        better="more",
    )
    yield Measure(
        "games_unfinished", int, "games that nobody won", _games(lambda g: g.unfinished), better="less"
    )
    yield Measure(
        "games_unfairness",
        float,
        "sum over seats of (share of wins less an equal share)², less what chance adds: may be below 0",
        _games(lambda g: g.unfairness),
        better="less",
    )
    for seat in range(1, MAX_PLAYERS + 1):
        yield Measure(f"games_wins_{seat}", float, f"share of the games that seat {seat} won", _wins(seat))


def _games(of: Callable[[Games], Value]) -> Callable[[Report], Value]:
    return lambda r: None if r.games is None else of(r.games)


def _wins(seat: int) -> Callable[[Report], Value]:
    return _games(lambda games: games.wins[seat - 1].value if seat <= len(games.players) else None)


def _vertex(part: str) -> Callable[[Evenness], Value]:
    return lambda r: None if r.vertex_pips is None else getattr(r.vertex_pips, part)


def _value(seat: int) -> Callable[[Report], Value]:
    return lambda r: r.placement.values[seat - 1] if seat <= r.placement.players else None


def _efficiency(name: str) -> Callable[[Evenness], Value]:
    return lambda r: r.efficiency.get(name)


def _pips(name: str) -> Callable[[Evenness], Value]:
    return lambda r: r.terrain_pips.get(name)


MEASURES = {measure.name: measure for measure in _declared()}
"""All measures by their names, in the order of the store's columns."""

COMPARED = ", ".join(measure.name for measure in MEASURES.values() if measure.compared)
"""The measures that are compared unless others are asked for."""


def score_row(report: Report) -> tuple[Value, ...]:
    """Return the numbers kept of a report, in the order of `MEASURES`."""
    return tuple([measure.of(report) for measure in MEASURES.values()])


def measures_table() -> str:
    """Return all measures as a table in Markdown: the one in docs/studies.md."""
    lines = ["| measure | what it is | best |", "| --- | --- | --- |"]
    for measure in MEASURES.values():
        best = {"less": "least", "more": "greatest", None: ""}[measure.better]
        lines.append(f"| `{measure.name}` | {measure.meaning} | {best} |")
    return "\n".join(lines)


@dataclass(frozen=True)
class Criterion:
    """A measure to rank by: least first, or greatest first where *descending*."""

    measure: str
    descending: bool = False

    def __str__(self) -> str:
        return f"{'-' if self.descending else '+'}{self.measure}"


def read_criteria(by: str) -> tuple[Criterion, ...]:
    """Return the criteria that a line of text lists, as in ``seat_spread, -value_1``.

    The best of a measure comes first: the greatest where more is better, else the least. After a plus, the
    least comes first in any case; after a minus, the greatest. A later criterion decides between boards that
    all earlier ones rank equal.

    Raises:
        InvalidArgument: no measure has that name, or one is named twice.
    """
    if not isinstance(by, str) or not by.strip():
        raise InvalidArgument(f"criteria are measures, as in 'seat_spread, -value_1', not {show(by)}")
    found: list[Criterion] = []
    for part in by.split(","):
        word = part.strip()
        sign, name = (word[0], word[1:].strip()) if word[:1] in ("+", "-") else ("", word)
        if name not in MEASURES:
            meant = did_you_mean(name, MEASURES)
            raise InvalidArgument(f"unknown criterion {show(word)}; {meant}criteria are {listed(MEASURES)}")
        if any(name == known.measure for known in found):
            raise InvalidArgument(f"criterion {name} is there twice in {show(by)}")
        found.append(Criterion(name, sign == "-" or (not sign and MEASURES[name].better == "more")))
    return tuple(found)


def order_sql(criteria: tuple[Criterion, ...]) -> str:
    """Return what follows ORDER BY; boards without a value come last, and their numbers settle ties.

    Values that differ by rounding only, as sums of fractions do, are ties.
    """
    parts = []
    for criterion in criteria:
        name = criterion.measure
        value = f"round({name}, {DIGITS})" if MEASURES[name].kind is float else name
        parts += [f"{name} IS NULL", f"{value} {'DESC' if criterion.descending else 'ASC'}"]
    return ", ".join([*parts, "board"])


def figure(value: Value) -> str:
    """Return a number as people read it, with four digits that count; - for none."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def aligned(lines: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Return a table's lines with columns of equal width, all but the first *texts* flush right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if i < texts else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
