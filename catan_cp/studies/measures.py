"""Board analysis, the measures that a study stores, and ranking by them.

>>> found = analyze_board("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> round(found.value_spread, 3), found.vertex_pips.most, found.presets
(0.241, 11, ('tournament', 'open'))

A new measure is one more `Measure` in `_declared`. Stores, CSV and Parquet files, ranking, comparisons and
the table in docs/measures.md use these declarations. An older store gets the column of a new measure when it
is next written. The column is empty for the boards that it has.

Boards can be ranked without a store, such as all that a solver lists:

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
from catan_cp.boards.board import Board, harbor_words
from catan_cp.boards.pieces import TERRAINS, UNNUMBERED
from catan_cp.boards.vertex_text import vertex_name
from catan_cp.entropy.scorer import efficiency, mean_square, target_errors
from catan_cp.errors import Interrupted, InvalidArgument, InvalidBoard, SolverTimeout, listed, show
from catan_cp.placement import Objective, Placement, solve_placements
from catan_cp.placement.chances import measured_shares, unmeasured
from catan_cp.placement.checks import MAX_PLAYERS
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rule import inland_vertices
from catan_cp.rules.rules import PRESETS
from catan_cp.search.checking import satisfied
from catan_cp.terminal import Brief, aligned

if TYPE_CHECKING:
    from catan_cp.play import Games

WEAK = 7
"""A vertex of three land tiles with fewer pips is weak (the mean on ``base`` is 9.7)."""

EVEN = 0.03
"""Maximum difference between a seat's chance to win and an equal share on an even board."""

_BASIS = (
    "Estimated by win_chances for perfect settlements, from games of four programs\n"
    "that do not trade. On one board the estimate can be ten percentage points off."
)
_TOGETHER = 500


@dataclass(frozen=True)
class VertexPips:
    """The pips (ways out of 36) at the vertices of three land tiles.

    Attributes:
        least, most, mean: of these vertices.
        spread: their standard deviation, as of a whole population.
        weak: number of them with fewer than `WEAK` pips.
    """

    least: int
    most: int
    mean: float
    spread: float
    weak: int


@dataclass(frozen=True, repr=False)
class Evenness(Brief):
    """The evenness and richness of a board, without settlements.

    Attributes:
        board: the board.
        efficiency: per terrain, as `catan_cp.efficiency`.
        efficiency_error: as `catan_cp.efficiency_error`.
        terrain_pips: per terrain that can carry markers, the pips (ways out of 36) of its tiles.
        vertex_pips: of the vertices of three land tiles, None without such vertices.
    """

    board: Board
    efficiency: dict[str, float]
    efficiency_error: float | None
    terrain_pips: dict[str, int]
    vertex_pips: VertexPips | None


@dataclass(frozen=True, repr=False)
class BoardAnalysis(Evenness):
    """The analysis of one board, with settlements.

    Attributes:
        placement: the settlements of perfect players.
        presets: the presets of `Rules` that the board satisfies.
        games: games played on it by a study, if any.
    """

    placement: Placement
    presets: tuple[str, ...]
    games: Games | None = None

    @cached_property
    def chances(self) -> tuple[float, ...] | None:
        """Each seat's chance to win from its settlements, or None where `catan_cp.win_chances` raises."""
        return next(measured_shares([self.board], [self.placement.settlements]))

    @property
    def verdict(self) -> str:
        """One sentence on the seats' chances to win, such as ``Seat 4 is behind: 14 %``.

        A seat is ahead or behind if its chance is more than `EVEN` away from an equal share.
        """
        if (chances := self.chances) is None:
            why = unmeasured(self.board, len(self.placement.settlements))
            return f"The seats' chances to win are not known: no games have measured them for {why}"
        seats, fair = list(enumerate(chances, start=1)), 1 / len(chances)
        parts = [
            _seats_at("ahead", [(seat, chance) for seat, chance in seats if chance - fair > EVEN]),
            _seats_at("behind", [(seat, chance) for seat, chance in seats if fair - chance > EVEN]),
        ]
        ends = list(dict.fromkeys(f"{100 * chance:.0f}" for chance in (min(chances), max(chances))))
        sentence = "; ".join(filter(None, parts)) or f"even: every seat wins {' to '.join(ends)} %"
        return sentence[0].upper() + sentence[1:]

    @property
    def value_spread(self) -> float:
        """The greatest value of a seat's settlements minus the least. It says nothing about chances."""
        return max(self.placement.values) - min(self.placement.values)

    @property
    def first_seat_advantage(self) -> float:
        """The first seat's value minus the mean of the other seats' values."""
        first, *further = self.placement.values
        return first - statistics.fmean(further)

    def to_json(self) -> str:
        """Return the analysis, without games, as a JSON object."""
        value = {
            "board": self.board.notation(),
            "layout": self.board.layout.name,
            "efficiency": self.efficiency,
            "efficiency_error": self.efficiency_error,
            "terrain_pips": self.terrain_pips,
            "vertex_pips": None if self.vertex_pips is None else asdict(self.vertex_pips),
            "placement": json.loads(self.placement.to_json()),
            "verdict": self.verdict,
            "chances": self.chances,
            "value_spread": self.value_spread,
            "first_seat_advantage": self.first_seat_advantage,
            "presets": self.presets,
            "harbors": [{"vertices": h.vertices, "trade": h.trade} for h in self.board.harbors],
        }
        return json.dumps(value)

    def table(self) -> str:
        """Return the analysis, without games, as plain text. It begins with the verdict."""
        basis = [] if self.chances is None else [_BASIS]
        if self.chances and len(self.chances) > 4:
            basis.append("With more than four players, the differences between seats are larger.")
        head = [self.verdict, *basis, "", self.board.notation(), ""]
        return "\n".join([*head, *self._terrain(), "", *self._seats(), "", *self._rest()])

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
        chances = [f"{chance:.0%}" for chance in self.chances or ()] or ["-"] * len(placed)
        for seat, (spots, value, chance) in enumerate(zip(placed, values, chances, strict=True), start=1):
            first, *further = (vertex_name(self.board, vertex) for vertex in spots)
            yield f"{seat:<10}{chance:>14}{value:>12.4f}  {first}"
            yield from (" " * 38 + name for name in further)
        yield f"{'spread of settlement values':27}{self.value_spread:>9.4f}"
        yield f"{'first-seat advantage':24}{self.first_seat_advantage:>+12.4f}"

    def _rest(self) -> Iterator[str]:
        v = self.vertex_pips
        pips = (
            "no vertex of three land tiles"
            if v is None
            else f"{v.least} to {v.most}, mean {v.mean:.2f}, spread {v.spread:.2f}"
        )
        harbors = f"\n{'':13}".join(harbor_words(self.board, harbor) for harbor in self.board.harbors)
        yield f"vertex pips  {pips}"
        yield f"presets      {', '.join(self.presets)}"
        yield f"harbors      {harbors or 'none'}"


def _seats_at(place: str, seats: Sequence[tuple[int, float]]) -> str:
    """Return the seats at a place, with their chances, or an empty text."""
    if not seats:
        return ""
    numbers = " and ".join(str(seat) for seat, _ in seats)
    chances = " and ".join(f"{100 * chance:.0f}" for _, chance in seats)
    subject = f"seats {numbers} are" if len(seats) > 1 else f"seat {numbers} is"
    return f"{subject} {place}: {chances} %"


Goals = Objective | Sequence[Objective] | None


def analyze_board(board: Board | str, players: int = 4, objective: Goals = None) -> BoardAnalysis:
    """Return the analysis of *board*.

    Args:
        board: a board with markers, or its notation.
        players: number of players: 2 to 4 on ``base``, 2 to 6 elsewhere.
        objective: the objective of all players, or one per player, as for `catan_cp.solve_placement`.

    Raises:
        InvalidBoard: the board is invalid, has no markers, or too few vertices for all settlements.
        InvalidArgument: an invalid number of players or objective.
    """
    return next(
        analyze_boards([Board.from_notation(board) if isinstance(board, str) else board], players, objective)
    )


def analyze_boards(
    boards: Iterable[Board], players: int = 4, objective: Goals = None
) -> Iterator[BoardAnalysis]:
    """Yield the analysis of each board, several times as fast as one by one.

    Boards are read a few hundred at a time. Arguments and errors are those of `analyze_board`.
    """
    source = iter(boards)
    while batch := list(islice(source, _TOGETHER)):
        placements = solve_placements(batch, players, objective)
        chances = measured_shares(batch, [placement.settlements for placement in placements])
        columns = batch, placements, satisfied(PRESETS, batch), chances
        for board, placement, presets, shares in zip(*columns, strict=True):
            analysis = BoardAnalysis(**vars(evenness(board)), placement=placement, presets=presets)
            vars(analysis)["chances"] = shares  # the cached property, computed for all boards at once
            yield analysis


def evenness(board: Board) -> Evenness:
    """Return the evenness and richness of *board*.

    Raises:
        InvalidBoard: the board has no markers.
    """
    even = efficiency(board)
    errors = target_errors(even, board.layout.target_efficiency)
    error = mean_square(errors) if errors else None
    return Evenness(board, even, error, board.terrain_pips(), vertex_pips(board))


def vertex_pips(board: Board) -> VertexPips | None:
    """Return statistics of the pips at vertices of three land tiles, if there are any.

    Raises:
        InvalidBoard: the board has no markers.
    """
    if not board.has_markers:
        raise InvalidBoard(f"the board has no markers, so no vertex has pips: {board.notation()}")
    everywhere = board.vertex_pips()
    inland = [everywhere[v] for v, _ in inland_vertices(board)]
    if not inland:
        return None
    mean = sum(inland) / len(inland)
    # The root of the mean square minus the squared mean. The sums are whole numbers, so they are not rounded.
    spread = (len(inland) * sum(n * n for n in inland) - sum(inland) ** 2) ** 0.5 / len(inland)
    return VertexPips(min(inland), max(inland), mean, spread, sum(n < WEAK for n in inland))


# Measures


Value = int | float | None
Better = Literal["less", "more"] | None
Needs = Literal["board", "placement", "games"]

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
        needs: its input: the ``board`` alone, the ``placement`` of perfect players, or ``games``.
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
    "value_spread, first_seat_advantage, efficiency_error, "
    "vertex_pips_least, vertex_pips_most, vertex_pips_spread"
)
"""The measures that are compared by default."""


def score_row(report: BoardAnalysis) -> tuple[Value, ...]:
    """Return the stored numbers of an analysis, in the order of `MEASURES`."""
    return tuple([measure.of(report) for measure in MEASURES.values()])


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


def order_sql(by: str) -> str:
    """Return the SQL after ORDER BY.

    Boards without a value come last, and the boards' numbers break ties. Values that differ by rounding only
    are ties.
    """
    parts = []
    for name, descending in read_criteria(by).items():
        value = f"round({name}, {DIGITS})" if MEASURES[name].kind is float else name
        parts += [f"{name} IS NULL", f"{value} {'DESC' if descending else 'ASC'}"]
    return ", ".join([*parts, "board"])


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

    Memory holds few more than *k* boards, so *boards* may yield millions. The placement of perfect players is
    slow and is computed only if a criterion needs it.

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
    needs_placement = any(measure.needs == "placement" for measure in measures)
    analyses: Iterator[Evenness] = (
        analyze_boards(boards, players, objective) if needs_placement else map(evenness, boards)
    )

    def key(row: Row) -> tuple[float, ...]:
        """Return the sort key of a row, for the order of `order_sql`."""
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
        raise Interrupted(f"interrupted; {number:,} boards were ranked", ranked()) from None
    return ranked()


# Tables


def figure(value: Value) -> str:
    """Return a number as text with four significant digits, ``-`` for None."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def top_table(rows: Sequence[Row], by: str = "value_spread") -> str:
    """Return rows of `rank_boards` or `Store.top` as plain text."""
    names = read_criteria(by)
    lines = [("board", *names), *((str(row["board"]), *(figure(row[n]) for n in names)) for row in rows)]
    notations = ["notation", *(row["notation"] for row in rows)]
    return "\n".join(f"{cells}  {text}" for cells, text in zip(aligned(lines, 0), notations, strict=True))
