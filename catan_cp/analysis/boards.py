"""Analysis of boards: evenness, richness, settlements of perfect players, chances to win.

>>> analysis = analyze_board("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> round(analysis.value_spread, 3), analysis.vertex_pips.most, analysis.presets
(0.241, 11, ('tournament', 'open'))
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board, coast_json, harbor_words
from catan_cp.boards.vertex_text import vertex_name
from catan_cp.entropy.scorer import efficiency, mean_square, target_errors
from catan_cp.errors import InvalidBoard
from catan_cp.placement import Objective, Placement, solve_placements
from catan_cp.placement.chances import measured_shares, unmeasured
from catan_cp.rules.restrictions import inland_vertices
from catan_cp.rules.rules import PRESETS
from catan_cp.search.checking import satisfied
from catan_cp.terminal import Brief

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
        }
        return json.dumps(value | coast_json(self.board))

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
