"""Measures of boards, and the ranking of boards by them.

A new measure is one more `Measure` in `_declared`. Stores, CSV and Parquet files, ranking, comparisons and
the table in docs/measures.md use these declarations. An older store gets the column of a new measure when it
is next written. The column is empty for the boards that it has.

Boards can be ranked without a store, such as all that a solver lists:

>>> from catan_cp import Board, enumerate_markers
>>> post = Board.from_notation("dlw/bgol/owbwg/lgob/wlg")
>>> with enumerate_markers(post, "blog", limit=100) as listing:
...     best = rank_boards((Board("base", post.terrain, m) for m in listing), "weak_vertices", k=1)
>>> best[0]["weak_vertices"]  # doctest: +SKIP
0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any, Literal

from catan_cp import errors
from catan_cp.analysis.boards import WEAK, BoardAnalysis, Evenness, Goals, analyze_boards, evenness
from catan_cp.boards.board import Board
from catan_cp.boards.pieces import TERRAINS, UNNUMBERED
from catan_cp.errors import Interrupted, InvalidArgument, SolverTimeout, amount, listed, show
from catan_cp.placement.checks import MAX_PLAYERS
from catan_cp.progress import Progress, Watch, watching
from catan_cp.terminal import aligned

Value = int | float | None
Better = Literal["less", "more"] | None
Needs = Literal["board", "placement", "games", "chances", "seats"]

Row = dict[str, Any]
"""The data of a board by name: its number, notation, and values of measures."""

DIGITS = 9
"""Decimals of values that are compared. The smallest step of any measure is far larger."""


@dataclass(frozen=True)
class Measure:
    """One number that is stored for each board.

    Attributes:
        name: its name in the store's columns, in criteria and in files.
        kind: its type, a whole number or a float.
        meaning: its description in a few words.
        of: the function that computes it from a `BoardAnalysis`, or from an `Evenness` if that is enough. It
            returns None for a board without such a number.
        better: ``"less"`` if smaller values are fairer, ``"more"`` if larger ones are, otherwise None.
            Ranking puts fairer boards first.
        needs: its input: the ``board`` alone, the ``placement`` of perfect players, ``games``, the
            ``chances`` of the seats, or the ``seats`` by `catan_cp.check_seats`.
    """

    name: str
    kind: type[int] | type[float]
    meaning: str
    of: Callable[[Any], Value]
    better: Better = None
    needs: Needs = "board"

    @property
    def title(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")


def _at(path: str) -> Callable[[Any], Any]:
    """Return a function that follows a path in an analysis.

    A path has attributes, terrains and seats (from 1). The result is None if the
    board has no such vertices, terrain, seat or games.
    """
    steps = [int(step) - 1 if step.isdecimal() else step for step in path.split(".")]

    def follow(value: Any) -> Any:
        for step in steps:
            if value is None:
                return None
            if isinstance(step, int):
                value = value[step] if step < len(value) else None
            else:
                value = value.get(step) if isinstance(value, dict) else getattr(value, step)
        return value

    return follow


_Row = tuple[str, type[int] | type[float], Better, str]


def _measures(name: str, path: str, needs: Needs, rows: Iterable[_Row]) -> Iterator[Measure]:
    """Yield one measure per row.

    A row is (word, kind, better, meaning). The word replaces ``{}`` in the name, the path and the meaning.
    """
    for word, kind, better, meaning in rows:
        yield Measure(name.format(word), kind, meaning.format(word), _at(path.format(word)), better, needs)


def _of_seats(name: str, path: str, needs: Needs, meaning: str) -> Iterator[Measure]:
    """Yield a measure of each seat, None for seats without a player."""
    seats = map(str, range(1, MAX_PLAYERS + 1))
    return _measures(name, path, needs, [(seat, float, None, meaning) for seat in seats])


def _played_margin(analysis: BoardAnalysis) -> float | None:
    check = analysis.seats
    return None if check is None or check.wins is None else check.margin


def _declared() -> Iterator[Measure]:
    """Yield all measures in the order of a store's columns."""
    rows: list[_Row] = [
        ("value_spread", float, "less", "the greatest value of a seat's settlements less the least"),
        ("first_seat_advantage", float, None, "the first seat's value less the mean of the others'"),
    ]
    yield from _measures("{}", "{}", "placement", rows)
    even = "mean squared error of the efficiencies: how far the terrain is from an even mix"
    yield Measure("efficiency_error", float, even, _at("efficiency_error"), "less")
    rows = [
        ("least", int, "more", "fewest pips at a vertex of three land tiles"),
        ("most", int, "less", "most pips at such a vertex"),
        ("mean", float, None, "mean pips of such vertices"),
        ("spread", float, "less", "standard deviation of the pips of such vertices"),
    ]
    yield from _measures("vertex_pips_{}", "vertex_pips.{}", "board", rows)
    weak = f"vertices of three land tiles with fewer than {WEAK} pips"
    yield Measure("weak_vertices", int, weak, _at("vertex_pips.weak"), "less")
    yield from _of_seats("value_{}", "placement.values.{}", "placement", "the value of seat {}'s settlements")
    yield from _of_seats("chance_{}", "chances.{}", "chances", "seat {}'s chance to win (`win_chances`)")
    won = "share of games from the line of play that seat {} won (`check_seats`)"
    yield from _of_seats("seat_wins_{}", "seats.wins.{}.value", "seats", won)
    margin = "largest difference of these shares from an equal share, in percentage points"
    yield Measure("seat_margin", float, margin, _played_margin, "less", "seats")
    tied = "1 where perfect players had other choices as good"
    yield Measure("tied", int, tied, lambda r: int(r.placement.tied), None, "placement")
    rows = [(name, float, None, "efficiency of {}") for name in TERRAINS]
    yield from _measures("efficiency_{}", "efficiency.{}", "board", rows)
    rows = [(name, int, None, "pips of all tiles of {}") for name in TERRAINS if name not in UNNUMBERED]
    yield from _measures("pips_{}", "terrain_pips.{}", "board", rows)
    yield Measure("games", int, "games played", lambda r: r.games and len(r.games), None, "games")
    unfair = "sum over seats of (share of wins less an equal share)², less what chance adds: may be below 0"
    rows = [
        ("turns", float, None, "mean turns of a game"),
        ("margin", float, "less", "points by which the second is behind at the end, on average"),
        ("lead_changes", float, "more", "how often the lead passes from one seat to another, a game"),
        ("decided", float, "more", "the part of a game after which the winner leads for good"),
        ("unfinished", int, "less", "games that nobody won"),
        ("unfairness", float, "less", unfair),
    ]
    yield from _measures("games_{}", "games.{}", "games", rows)
    yield from _of_seats(
        "games_wins_{}", "games.wins.{}.value", "games", "share of the games that seat {} won"
    )


MEASURES = {measure.name: measure for measure in _declared()}
"""All measures by their names, in the order of the store's columns."""


def measures_table() -> str:
    """Return all measures as a table in Markdown: the one in docs/measures.md."""
    best = {"less": "least", "more": "greatest", None: ""}
    rows = (f"| `{m.name}` | {m.meaning} | {best[m.better]} |" for m in MEASURES.values())
    return "\n".join(["| measure | what it is | best |", "| --- | --- | --- |", *rows])


# Ranking by measures


def read_criteria(by: str) -> dict[str, bool]:
    """Read criteria such as ``value_spread, -value_1``.

    By default the best value comes first: the greatest if more is better, otherwise the least. After a plus
    the least comes first, and after a minus the greatest. A later criterion decides between boards that all
    earlier ones rank equal.

    Returns:
        A dict from each measure, in order, to True if its greatest value comes first.

    Raises:
        InvalidArgument: no measure has that name, or one is named twice.
    """
    if not isinstance(by, str) or not by.strip():
        raise InvalidArgument(f"criteria must be measures, as in 'value_spread, -value_1', not {show(by)}")
    criteria: dict[str, bool] = {}
    for part in by.split(","):
        word = part.strip()
        sign, name = (word[0], word[1:].strip()) if word[:1] in ("+", "-") else ("", word)
        if name not in MEASURES:
            suggestion = errors.did_you_mean(name, MEASURES)
            raise InvalidArgument(
                f"unknown criterion {show(word)}; {suggestion}criteria are {listed(MEASURES)}"
            )
        if name in criteria:
            raise InvalidArgument(f"criterion {name} is there twice in {show(by)}")
        criteria[name] = sign == "-" or (not sign and MEASURES[name].better == "more")
    return criteria


_STEP = 64
"""Boards between two reports of progress."""
_SPARE = 4096
"""Boards in memory beyond *k* before the worst are dropped."""


def rank_boards(
    boards: Iterable[Board],
    by: str,
    k: int | None = 10,
    *,
    players: int = 4,
    objective: Goals = None,
    progress: bool | Watch = False,
) -> list[Row]:
    """Return the *k* best of *boards* by some criteria, best first, or all if *k* is None.

    Memory holds few more than *k* boards, so *boards* may yield millions. Only the measures of the criteria
    are computed. The placement of perfect players is slow, and chances take half a second a board.

    Args:
        boards: boards with markers.
        by: measures, most important first, as in ``weak_vertices, vertex_pips_spread``: see `read_criteria`.
            Measures of games are not allowed.
        k: number of boards, 1 or more.
        players: number of players.
        objective: as for `catan_cp.analyze_board`.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Returns:
        One dict per board: ``board`` (its place among *boards*, from 1), ``notation``, and its value of each
        criterion. The board with the lower place wins a tie. Boards without a value (None) come last.

    Raises:
        InvalidArgument: an unknown criterion, one of games, or a *k* below 1.
        InvalidBoard: a board has no markers, or too few vertices for the settlements of a criterion.
        SolverTimeout: *boards* raised it. Its ``partial`` is the ranking of the boards until then.
        Interrupted: Ctrl-C. A KeyboardInterrupt, whose ``result`` is the ranking of the boards until then.
    """
    criteria = read_criteria(by)
    measures = [MEASURES[name] for name in criteria]
    for name in criteria:
        if MEASURES[name].needs == "games":
            raise InvalidArgument(f"no games are played to rank boards, which {name} needs; make a study")
    if k is not None:
        errors.check_count("k", k, 1)
    if not isinstance(boards, Iterable):
        raise InvalidArgument(f"boards must be an iterable of Boards, not {show(boards)}")
    needs_placement = any(measure.needs != "board" for measure in measures)
    analyses: Iterator[Evenness] = (
        analyze_boards(boards, players, objective) if needs_placement else map(evenness, boards)
    )

    def key(row: Row) -> tuple[float, ...]:
        """Return the sort key of a row, for the order of `catan_cp.studies.Store.top`."""
        parts: list[float] = []
        for name, descending in criteria.items():
            value = round(row[name] or 0.0, DIGITS)
            parts += [row[name] is None, -value if descending else value]
        return (*parts, row["board"])

    def ranked() -> list[Row]:
        return nsmallest(len(candidates) if k is None else k, candidates, key=key)

    number, candidates = 0, list[Row]()
    try:
        with watching(progress, "ranking") as watch:
            for number, analysis in enumerate(analyses, start=1):
                values = {measure.name: measure.of(analysis) for measure in measures}
                candidates.append({"board": number, "notation": analysis.board.notation(), **values})
                if number % _STEP == 0:
                    if k is not None and len(candidates) > k + _SPARE:
                        candidates = ranked()
                    if watch is not None:
                        watch(Progress(number, unit="boards"))
    except SolverTimeout as timeout:
        timeout.partial = ranked()
        raise
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted after {amount(number, 'board')}", ranked()) from None
    return ranked()


# Tables


def figure(value: Value) -> str:
    """Return a number as text with four significant digits, ``-`` for None.

    A float that differs from 0 by rounding errors alone is 0.
    """
    if value is None:
        return "-"
    return f"{round(value, DIGITS) + 0.0:.4g}" if isinstance(value, float) else str(value)


def top_table(rows: Sequence[Row], by: str = "value_spread") -> str:
    """Return rows of `rank_boards` or `Store.top` as plain text."""
    names = read_criteria(by)
    lines = [("board", *names), *((str(row["board"]), *(figure(row[n]) for n in names)) for row in rows)]
    notations = ["notation", *(row["notation"] for row in rows)]
    return "\n".join(f"{cells}  {text}" for cells, text in zip(aligned(lines, 0), notations, strict=True))
