"""The numbers that a study keeps of each board, each declared once, and the ranking by them.

A new measure is one more `Measure` in `_declared`. The tables of a store, its CSV and Parquet files, ranking,
comparisons, their pictures and the table in docs/studies.md are all read off the declarations; a store that
was begun before gets the new column when it is next written, empty for the boards that it has.

Boards can be ranked as they come, such as all that a solver lists, without storing them:

>>> from catan_cp import Board, enumerate_markers
>>> post = Board.from_notation("dlw/bgol/owbwg/lgob/wlg")
>>> with enumerate_markers(post, "blog", limit=100) as found:
...     best = rank_boards((Board("base", post.terrain, markers) for markers in found), "weak_vertices", k=1)
>>> best[0]["weak_vertices"]  # doctest: +SKIP
0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from operator import attrgetter
from typing import Any, Literal

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.pieces import TERRAINS, UNNUMBERED
from catan_cp.errors import Interrupted, InvalidArgument, SolverTimeout, listed, show
from catan_cp.placement.spots import MAX_PLAYERS
from catan_cp.studies.reporting import WEAK, Evenness, Goals, Report, evenness, reports
from catan_cp.terminal import aligned

Value = int | float | None
Better = Literal["less", "more"] | None
Needs = Literal["board", "placement", "games"]

Row = dict[str, Any]
"""What is known of a board, by name: its number, its notation, its value of measures."""

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
        better: which way the fairer boards lie, where either way does. Ranking begins there.
        needs: what must be done before it can be read: nothing (``board``), find where perfect players
            settle (``placement``), or play games.
    """

    name: str
    kind: type[int] | type[float]
    meaning: str
    of: Callable[[Any], Value]
    better: Better = None
    needs: Needs = "board"

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.name.replace("_", " ")


# How a measure is read off a report: each gives the function that reads, by the name of the measure


def _of_vertices(name: str) -> Callable[[Evenness], Value]:
    part = name.removeprefix("vertex_pips_").removesuffix("_vertices")
    return lambda r: None if r.vertex_pips is None else getattr(r.vertex_pips, part)


def _of_seat(values: Callable[[Report], Sequence[float]], seat: int) -> Callable[[Report], Value]:
    return lambda r: values(r)[seat - 1] if seat <= len(values(r)) else None


def _of_terrain(part: str, terrain: str) -> Callable[[Evenness], Value]:
    return lambda r: getattr(r, part).get(terrain)


def _of_games(name: str) -> Callable[[Report], Value]:
    part = attrgetter(name.removeprefix("games_"))
    return lambda r: None if r.games is None else part(r.games)


def _wins(report: Report) -> Sequence[float]:
    return [] if report.games is None else [share.value for share in report.games.wins]


def _several(
    of: Callable[[str], Callable[[Any], Value]],
    needs: Needs,
    *rows: tuple[str, type[int] | type[float], Better, str],
) -> Iterator[Measure]:
    """Yield measures that are read alike: the name of each, its kind, which is better, and its meaning."""
    for name, kind, better, meaning in rows:
        yield Measure(name, kind, meaning, of(name), better, needs)


def _declared() -> Iterator[Measure]:
    """Yield all measures; the order is that of a store's columns."""
    yield from _several(
        attrgetter,
        "placement",
        ("seat_spread", float, "less", "the best seat's value less the worst seat's: 0 is perfectly fair"),
        ("first_seat_advantage", float, None, "the first seat's value less the mean of the others'"),
    )
    even = "mean squared error of the efficiencies: how far the terrain is from an even mix"
    yield Measure("efficiency_error", float, even, attrgetter("efficiency_error"), "less")
    yield from _several(
        _of_vertices,
        "board",
        ("vertex_pips_least", int, "more", "fewest pips at a vertex of three land tiles"),
        ("vertex_pips_most", int, "less", "most pips at such a vertex"),
        ("vertex_pips_mean", float, None, "mean pips of such vertices"),
        ("vertex_pips_spread", float, "less", "standard deviation of the pips of such vertices"),
        ("weak_vertices", int, "less", f"vertices of three land tiles with fewer than {WEAK} pips"),
    )
    for seat in range(1, MAX_PLAYERS + 1):
        worth = f"what seat {seat}'s settlements are worth"
        yield Measure(
            f"value_{seat}", float, worth, _of_seat(attrgetter("placement.values"), seat), None, "placement"
        )
    for seat in range(1, MAX_PLAYERS + 1):
        chance = f"seat {seat}'s chance to win from its settlements, as games of programs tell it"
        yield Measure(
            f"chance_{seat}", float, chance, _of_seat(attrgetter("chances"), seat), None, "placement"
        )
    tied = "1 where perfect players had other choices as good"
    yield Measure("tied", int, tied, lambda r: int(r.placement.tied), None, "placement")
    for name in TERRAINS:
        yield Measure(f"efficiency_{name}", float, f"efficiency of {name}", _of_terrain("efficiency", name))
    for name in TERRAINS:
        if name not in UNNUMBERED:
            pips = f"pips of all tiles of {name}"
            yield Measure(f"pips_{name}", int, pips, _of_terrain("terrain_pips", name))
    yield Measure("games", int, "games played", lambda r: r.games and len(r.games), None, "games")
    yield from _several(
        _of_games,
        "games",
        ("games_turns", float, None, "mean turns of a game"),
        ("games_margin", float, "less", "points by which the second is behind at the end, on average"),
        ("games_lead_changes", float, "more", "how often the lead passes from one seat to another, a game"),
        ("games_decided", float, "more", "the part of a game after which the winner leads for good"),
        ("games_unfinished", int, "less", "games that nobody won"),
    )
    unfair = "sum over seats of (share of wins less an equal share)², less what chance adds: may be below 0"
    yield Measure("games_unfairness", float, unfair, _of_games("games_unfairness"), "less", "games")
    for seat in range(1, MAX_PLAYERS + 1):
        won = f"share of the games that seat {seat} won"
        yield Measure(f"games_wins_{seat}", float, won, _of_seat(_wins, seat), None, "games")


MEASURES = {measure.name: measure for measure in _declared()}
"""All measures by their names, in the order of the store's columns."""

COMPARED = (
    "seat_spread, first_seat_advantage, efficiency_error, "
    "vertex_pips_least, vertex_pips_most, vertex_pips_spread"
)
"""The measures that are compared unless others are asked for."""


def score_row(report: Report) -> tuple[Value, ...]:
    """Return the numbers kept of a report, in the order of `MEASURES`."""
    return tuple([measure.of(report) for measure in MEASURES.values()])


def measures_table() -> str:
    """Return all measures as a table in Markdown: the one in docs/studies.md."""
    best = {"less": "least", "more": "greatest", None: ""}
    rows = (f"| `{m.name}` | {m.meaning} | {best[m.better]} |" for m in MEASURES.values())
    return "\n".join(["| measure | what it is | best |", "| --- | --- | --- |", *rows])


# Ranking by measures


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
    found: dict[str, Criterion] = {}
    for part in by.split(","):
        word = part.strip()
        sign, name = (word[0], word[1:].strip()) if word[:1] in ("+", "-") else ("", word)
        if name not in MEASURES:
            meant = errors.did_you_mean(name, MEASURES)
            raise InvalidArgument(f"unknown criterion {show(word)}; {meant}criteria are {listed(MEASURES)}")
        if name in found:
            raise InvalidArgument(f"criterion {name} is there twice in {show(by)}")
        found[name] = Criterion(name, sign == "-" or (not sign and MEASURES[name].better == "more"))
    return tuple(found.values())


def order_sql(criteria: Sequence[Criterion]) -> str:
    """Return what follows ORDER BY; boards without a value come last, and their numbers settle ties.

    Values that differ by rounding only, as sums of fractions do, are ties.
    """
    parts = []
    for criterion in criteria:
        name = criterion.measure
        value = f"round({name}, {DIGITS})" if MEASURES[name].kind is float else name
        parts += [f"{name} IS NULL", f"{value} {'DESC' if criterion.descending else 'ASC'}"]
    return ", ".join([*parts, "board"])


def check_ranking(by: str, k: int | None) -> tuple[Criterion, ...]:
    """Return the criteria to rank by, before any board is made.

    Raises:
        InvalidArgument: an unknown criterion, one of games, or a *k* below 1.
    """
    criteria = read_criteria(by)
    for criterion in criteria:
        if MEASURES[criterion.measure].needs == "games":
            raise InvalidArgument(
                f"no games are played to rank boards, which {criterion.measure} needs; make a study"
            )
    if k is not None:
        errors.check_count("k", k, 1)
    return criteria


_STEP = 64
"""Boards between two looks at progress and memory."""
_SPARE = 4096
"""Boards that are kept beyond those asked for, before the worst are dropped."""


def rank_boards(
    boards: Iterable[Board],
    by: str,
    k: int | None = 10,
    *,
    players: int = 4,
    objective: Goals = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> list[Row]:
    """Return the *k* best of *boards* by some criteria (all for None), the best first.

    Few more than *k* boards are kept at a time, so there may be millions. Where perfect players settle is
    computed only where a criterion asks for it, which takes much longer than all else.

    Args:
        boards: boards with markers.
        by: measures, the best first, as in ``weak_vertices, vertex_pips_spread``: see `read_criteria`. All
            but those of games.
        k: how many; 1 or more.
        players: how many settle.
        objective: what they want, as for `catan_cp.report`.
        progress: called now and then with how many boards were ranked, and of how many (None: not known).

    Returns:
        A dict a board: ``board``, its place among *boards* from 1, which settles ties; ``notation``; and its
        value of each criterion, None where it has none, which comes last.

    Raises:
        InvalidArgument: an unknown criterion, one of games, or a *k* below 1.
        InvalidBoard: a board has no markers, or no room for all settlements where these are asked for.
        SolverTimeout: *boards* raised it; its ``partial`` is the ranking of the boards until then.
        Interrupted: Ctrl-C. A KeyboardInterrupt; its ``result`` is the ranking of the boards until then.
    """
    criteria = check_ranking(by, k)
    wanted = [MEASURES[criterion.measure] for criterion in criteria]
    settled = any(measure.needs == "placement" for measure in wanted)
    found: Iterator[Evenness] = reports(boards, players, objective) if settled else map(evenness, boards)

    def key(row: Row) -> tuple[float, ...]:
        """What sorts a row: the order that `order_sql` asks SQLite for."""
        parts: list[float] = []
        for criterion in criteria:
            value: Value = row[criterion.measure]
            known = 0.0 if value is None else round(value, DIGITS)
            parts += [value is None, -known if criterion.descending else known]
        return (*parts, row["board"])

    def ranked() -> list[Row]:
        return nsmallest(len(kept) if k is None else k, kept, key=key)

    number, kept = 0, list[Row]()
    try:
        for number, one in enumerate(found, start=1):
            values = {measure.name: measure.of(one) for measure in wanted}
            kept.append({"board": number, "notation": one.board.notation(), **values})
            if number % _STEP == 0:
                if k is not None and len(kept) > k + _SPARE:
                    kept = ranked()
                if progress is not None:
                    progress(number, None)
    except SolverTimeout as timeout:
        timeout.partial = ranked()
        raise
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {number:,} boards were ranked", ranked()) from None
    return ranked()


# Tables for people


def figure(value: Value) -> str:
    """Return a number as people read it, with four digits that count; - for none."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def top_table(rows: Sequence[Row], by: str = "seat_spread") -> str:
    """Return rows of `rank_boards` or `Store.top` as plain text: number, the criteria, notation."""
    names = [criterion.measure for criterion in read_criteria(by)]
    lines = [("board", *names), *((str(row["board"]), *(figure(row[n]) for n in names)) for row in rows)]
    notations = ["notation", *(row["notation"] for row in rows)]
    return "\n".join(f"{cells}  {text}" for cells, text in zip(aligned(lines, 0), notations, strict=True))
