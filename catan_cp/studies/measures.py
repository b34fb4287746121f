"""What there is to say about a board: its report, the numbers that a study keeps of it, and ranking by them.

>>> found = analyze_board("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> round(found.seat_spread, 3), found.vertex_pips.most, found.presets
(0.241, 11, ('tournament', 'open'))

A new measure is one more `Measure` in `_declared`. The tables of a store, its CSV and Parquet files, ranking,
comparisons, their pictures and the table in docs/measures.md are all read off the declarations; a store that
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

import json
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.pieces import TERRAINS, UNNUMBERED
from catan_cp.boards.vertex_text import vertex_name
from catan_cp.entropy import efficiency, efficiency_error
from catan_cp.errors import Interrupted, InvalidArgument, InvalidBoard, SolverTimeout, listed, show
from catan_cp.placement import Objective, Placement, solve_placements
from catan_cp.placement.checks import MAX_PLAYERS
from catan_cp.placement.objective import shares_of
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rule import inland_vertices
from catan_cp.rules.rules import PRESETS
from catan_cp.search.checking import satisfied
from catan_cp.terminal import aligned

if TYPE_CHECKING:
    from catan_cp.play import Games

WEAK = 7
"""A vertex of three land tiles is weak where it has fewer pips than this; on ``base``, the mean is 9.7."""

_TOGETHER = 500


@dataclass(frozen=True)
class VertexPips:
    """The pips (ways out of 36) at the vertices of three land tiles.

    Attributes:
        least, most, mean: of these vertices.
        spread: their standard deviation, as of a whole population.
        weak: how many of them have fewer than `WEAK` pips.
    """

    least: int
    most: int
    mean: float
    spread: float
    weak: int


@dataclass(frozen=True)
class Evenness:
    """How even and how rich a board is: what can be said of it at once, before anybody settles.

    Attributes:
        board: the board.
        efficiency: per terrain, as `catan_cp.efficiency`.
        efficiency_error: as `catan_cp.efficiency_error`.
        terrain_pips: per terrain that can carry markers, the pips (ways out of 36) of its tiles.
        vertex_pips: of the vertices of three land tiles; None where there is no such vertex.
    """

    board: Board
    efficiency: dict[str, float]
    efficiency_error: float | None
    terrain_pips: dict[str, int]
    vertex_pips: VertexPips | None


@dataclass(frozen=True)
class BoardAnalysis(Evenness):
    """What there is to say about one board: how even it is (`Evenness`), and more.

    Attributes:
        placement: where perfect players settle.
        presets: the presets of `Rules` that the board satisfies.
        games: games played on it, where a study asks for them.
    """

    placement: Placement
    presets: tuple[str, ...]
    games: Games | None = None

    @cached_property
    def chances(self) -> tuple[float, ...]:
        """Each seat's chance to win from its settlements, by `catan_cp.win_chances`."""
        return shares_of(self.board, self.placement.settlements)

    @property
    def seat_spread(self) -> float:
        """The best seat's value less the worst seat's; 0 if all seats are equal."""
        return max(self.placement.values) - min(self.placement.values)

    @property
    def first_seat_advantage(self) -> float:
        """The first seat's value less the mean of the other seats' values."""
        first, *others = self.placement.values
        return first - statistics.fmean(others)

    def to_json(self) -> str:
        """Return the report as a JSON object."""
        value = {
            "board": self.board.notation(),
            "layout": self.board.layout.name,
            "efficiency": self.efficiency,
            "efficiency_error": self.efficiency_error,
            "terrain_pips": self.terrain_pips,
            "vertex_pips": None if self.vertex_pips is None else asdict(self.vertex_pips),
            "placement": json.loads(self.placement.to_json()),
            "seat_spread": self.seat_spread,
            "first_seat_advantage": self.first_seat_advantage,
            "presets": self.presets,
            "harbors": [{"vertices": h.vertices, "trade": h.trade} for h in self.board.harbors],
        }
        return json.dumps(value)

    def table(self) -> str:
        """Return the report as plain text."""
        return "\n".join([self.board.notation(), "", *self._terrain(), "", *self._seats(), "", *self._rest()])

    __str__ = table

    def _terrain(self) -> Iterator[str]:
        counts, targets = Counter(self.board.terrain), self.board.layout.target_efficiency
        line = "{:10}{:>7}{:>7}{:>12}{:>9}".format
        yield line("terrain", "tiles", "pips", "efficiency", "target")
        for name, value in self.efficiency.items():
            target = f"{targets[name]:.4f}" if name in targets else "-"
            yield line(name, counts[name], self.terrain_pips.get(name, "-"), f"{value:.4f}", target)
        error = self.efficiency_error
        yield f"{'efficiency error':24}{'no targets' if error is None else format(error, '.5f'):>12}"

    def _seats(self) -> Iterator[str]:
        yield f"{'seat':10}{'chance to win':>14}{'worth':>12}  settles on"
        placed, values = self.placement.settlements, self.placement.values
        for seat, (spots, value, chance) in enumerate(
            zip(placed, values, self.chances, strict=True), start=1
        ):
            first, *others = (vertex_name(self.board, vertex) for vertex in spots)
            yield f"{seat:<10}{chance:>14.0%}{value:>12.4f}  {first}"
            yield from (" " * 38 + other for other in others)
        yield f"{'seat spread':24}{self.seat_spread:>12.4f}"
        yield f"{'first-seat advantage':24}{self.first_seat_advantage:>+12.4f}"

    def _rest(self) -> Iterator[str]:
        v = self.vertex_pips
        told = (
            "no vertex of three land tiles"
            if v is None
            else f"{v.least} to {v.most}, mean {v.mean:.2f}, spread {v.spread:.2f}"
        )
        harbors = ", ".join(f"{h.trade} at {h.vertices[0]}-{h.vertices[1]}" for h in self.board.harbors)
        yield f"vertex pips  {told}"
        yield f"presets      {', '.join(self.presets)}"
        yield f"harbors      {harbors or 'none'}"


Goals = Objective | Sequence[Objective] | None


def analyze_board(board: Board | str, players: int = 4, objective: Goals = None) -> BoardAnalysis:
    """Return what there is to say about *board*.

    Args:
        board: a board with markers, or its notation.
        players: how many settle: 2 to 4 on ``base``, 2 to 6 elsewhere.
        objective: what everybody wants, or one objective per player, as for `catan_cp.solve_placement`.

    Raises:
        InvalidBoard: it is no board, has no markers, or no room for all settlements.
        InvalidArgument: a number of players or an objective that cannot be.
    """
    return next(
        analyze_boards([Board.from_notation(board) if isinstance(board, str) else board], players, objective)
    )


def analyze_boards(
    boards: Iterable[Board], players: int = 4, objective: Goals = None
) -> Iterator[BoardAnalysis]:
    """Yield the report of each board; the same as one by one, and several times as fast.

    Boards are taken a few hundred at a time. Arguments and errors are those of `analyze_board`.
    """
    left = iter(boards)
    while batch := list(islice(left, _TOGETHER)):
        placements = solve_placements(batch, players, objective)
        for board, placement, presets in zip(batch, placements, satisfied(PRESETS, batch), strict=True):
            yield BoardAnalysis(**vars(evenness(board)), placement=placement, presets=presets)


def evenness(board: Board) -> Evenness:
    """Return how even and how rich *board* is.

    Raises:
        InvalidBoard: the board has no markers.
    """
    even = efficiency(board)
    has_targets = not set(board.layout.target_efficiency).isdisjoint(board.terrain)
    error = efficiency_error(board) if has_targets else None
    return Evenness(board, even, error, board.terrain_pips(), vertex_pips(board))


def vertex_pips(board: Board) -> VertexPips | None:
    """Return what there is to say of the pips at vertices of three land tiles, if there are any.

    Raises:
        InvalidBoard: the board has no markers.
    """
    if not board.has_markers:
        raise InvalidBoard(f"the board has no markers, so no vertex has pips: {board.notation()}")
    everywhere = board.vertex_pips()
    found = [everywhere[v] for v, _ in inland_vertices(board)]
    if not found:
        return None
    mean = sum(found) / len(found)
    # The mean square less the square of the mean, of whole numbers: one rounding, and quick.
    spread = (len(found) * sum(n * n for n in found) - sum(found) ** 2) ** 0.5 / len(found)
    return VertexPips(min(found), max(found), mean, spread, sum(n < WEAK for n in found))


# Measures


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
        of: the function that computes it from a `BoardAnalysis`, or from an `Evenness` if that is enough; it
            returns None for a board without such a number.
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


def _at(path: str) -> Callable[[Any], Any]:
    """Return what reads off a report that to which attributes, terrains and seats from 1 lead.

    What a board has not, such as vertices, a terrain, a seat or games, is None.
    """
    steps = [int(step) - 1 if step.isdecimal() else step for step in path.split(".")]

    def read(found: Any) -> Any:
        for step in steps:
            if found is None:
                return None
            if isinstance(step, int):
                found = found[step] if step < len(found) else None
            else:
                found = found.get(step) if isinstance(found, dict) else getattr(found, step)
        return found

    return read


_Row = tuple[str, type[int] | type[float], Better, str]


def _measures(name: str, path: str, needs: Needs, rows: Iterable[_Row]) -> Iterator[Measure]:
    """Yield measures that are read alike; a row has the word for ``{}``, kind, which is better, meaning."""
    for word, kind, better, meaning in rows:
        read = _at(path.format(word))
        yield Measure(name.format(word), kind, meaning.format(word), read, better, needs)


def _of_seats(name: str, path: str, needs: Needs, meaning: str) -> Iterator[Measure]:
    """Yield a measure of each seat; one where nobody sits has no value."""
    seats = map(str, range(1, MAX_PLAYERS + 1))
    return _measures(name, path, needs, [(seat, float, None, meaning) for seat in seats])


def _declared() -> Iterator[Measure]:
    """Yield all measures; the order is that of a store's columns."""
    rows: list[_Row] = [
        ("seat_spread", float, "less", "the best seat's value less the worst seat's: 0 is perfectly fair"),
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
    worth, chance = "what seat {}'s settlements are worth", "seat {}'s chance to win from its settlements"
    yield from _of_seats("value_{}", "placement.values.{}", "placement", worth)
    yield from _of_seats("chance_{}", "chances.{}", "placement", f"{chance}, as games of programs tell it")
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

COMPARED = (
    "seat_spread, first_seat_advantage, efficiency_error, "
    "vertex_pips_least, vertex_pips_most, vertex_pips_spread"
)
"""The measures that are compared unless others are asked for."""


def score_row(report: BoardAnalysis) -> tuple[Value, ...]:
    """Return the numbers kept of a report, in the order of `MEASURES`."""
    return tuple([measure.of(report) for measure in MEASURES.values()])


def measures_table() -> str:
    """Return all measures as a table in Markdown: the one in docs/measures.md."""
    best = {"less": "least", "more": "greatest", None: ""}
    rows = (f"| `{m.name}` | {m.meaning} | {best[m.better]} |" for m in MEASURES.values())
    return "\n".join(["| measure | what it is | best |", "| --- | --- | --- |", *rows])


# Ranking by measures


def read_criteria(by: str) -> dict[str, bool]:
    """Return the measures that a line of text lists, as in ``seat_spread, -value_1``: is the greatest first?

    The best of a measure comes first: the greatest where more is better, else the least. After a plus, the
    least comes first in any case; after a minus, the greatest. A later criterion decides between boards that
    all earlier ones rank equal.

    Raises:
        InvalidArgument: no measure has that name, or one is named twice.
    """
    if not isinstance(by, str) or not by.strip():
        raise InvalidArgument(f"criteria are measures, as in 'seat_spread, -value_1', not {show(by)}")
    found: dict[str, bool] = {}
    for part in by.split(","):
        word = part.strip()
        sign, name = (word[0], word[1:].strip()) if word[:1] in ("+", "-") else ("", word)
        if name not in MEASURES:
            meant = errors.did_you_mean(name, MEASURES)
            raise InvalidArgument(f"unknown criterion {show(word)}; {meant}criteria are {listed(MEASURES)}")
        if name in found:
            raise InvalidArgument(f"criterion {name} is there twice in {show(by)}")
        found[name] = sign == "-" or (not sign and MEASURES[name].better == "more")
    return found


def order_sql(by: str) -> str:
    """Return what follows ORDER BY; boards without a value come last, and their numbers settle ties.

    Values that differ by rounding only, as sums of fractions do, are ties.
    """
    parts = []
    for name, descending in read_criteria(by).items():
        value = f"round({name}, {DIGITS})" if MEASURES[name].kind is float else name
        parts += [f"{name} IS NULL", f"{value} {'DESC' if descending else 'ASC'}"]
    return ", ".join([*parts, "board"])


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
    progress: bool | Watch = False,
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
        objective: what they want, as for `catan_cp.analyze_board`.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Returns:
        A dict a board: ``board``, its place among *boards* from 1, which settles ties; ``notation``; and its
        value of each criterion, None where it has none, which comes last.

    Raises:
        InvalidArgument: an unknown criterion, one of games, or a *k* below 1.
        InvalidBoard: a board has no markers, or no room for all settlements where these are asked for.
        SolverTimeout: *boards* raised it; its ``partial`` is the ranking of the boards until then.
        Interrupted: Ctrl-C. A KeyboardInterrupt; its ``result`` is the ranking of the boards until then.
    """
    criteria = read_criteria(by)
    wanted = [MEASURES[name] for name in criteria]
    for name in criteria:
        if MEASURES[name].needs == "games":
            raise InvalidArgument(f"no games are played to rank boards, which {name} needs; make a study")
    if k is not None:
        errors.check_count("k", k, 1)
    if not isinstance(boards, Iterable):
        raise InvalidArgument(f"boards to rank are an iterable of Boards, not {show(boards)}")
    settled = any(measure.needs == "placement" for measure in wanted)
    found: Iterator[Evenness] = (
        analyze_boards(boards, players, objective) if settled else map(evenness, boards)
    )

    def key(row: Row) -> tuple[float, ...]:
        """What sorts a row: the order that `order_sql` asks SQLite for."""
        parts: list[float] = []
        for name, descending in criteria.items():
            known = round(row[name] or 0.0, DIGITS)
            parts += [row[name] is None, -known if descending else known]
        return (*parts, row["board"])

    def ranked() -> list[Row]:
        return nsmallest(len(kept) if k is None else k, kept, key=key)

    number, kept = 0, list[Row]()
    try:
        with watching(progress, "ranking") as watch:
            for number, analysis in enumerate(found, start=1):
                values = {measure.name: measure.of(analysis) for measure in wanted}
                kept.append({"board": number, "notation": analysis.board.notation(), **values})
                if number % _STEP == 0:
                    if k is not None and len(kept) > k + _SPARE:
                        kept = ranked()
                    if watch is not None:
                        watch(Progress(number, unit="boards"))
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
    names = read_criteria(by)
    lines = [("board", *names), *((str(row["board"]), *(figure(row[n]) for n in names)) for row in rows)]
    notations = ["notation", *(row["notation"] for row in rows)]
    return "\n".join(f"{cells}  {text}" for cells, text in zip(aligned(lines, 0), notations, strict=True))
