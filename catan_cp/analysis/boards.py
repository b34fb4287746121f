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
from textwrap import fill
from typing import TYPE_CHECKING

from catan_cp.analysis.seats import CLAIM, SeatCheck, check_seats
from catan_cp.boards.board import Board
from catan_cp.boards.notation import coast_json, harbor_words
from catan_cp.entropy.scorer import efficiency, mean_square, target_errors
from catan_cp.errors import InvalidBoard, amount
from catan_cp.placement import Objective, Placement, solve_placements
from catan_cp.placement.chance_game import measured_line
from catan_cp.placement.chances import unmeasured
from catan_cp.problem.problem import Problem
from catan_cp.rules.restrictions import inland_vertices
from catan_cp.rules.rule import Violation
from catan_cp.rules.rules import PRESETS
from catan_cp.search.checking import satisfied
from catan_cp.terminal import Brief

if TYPE_CHECKING:
    from catan_cp.play import Games

WEAK = 7
"""A vertex of three land tiles with fewer pips is weak (the mean on ``base`` is 9.7)."""

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

    Example:
        >>> import catan_cp
        >>> analysis = analyze_board(catan_cp.LAYOUTS["base"].beginner_board, players=3)
        >>> analysis.presets
        ('tournament', 'open')
    """

    placement: Placement
    presets: tuple[str, ...]
    games: Games | None = None

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.placement.settlements)

    @cached_property
    def chances(self) -> tuple[float, ...] | None:
        """Chance of each seat to win (`catan_cp.win_chances`), None if not measured.

        Each player maximizes its own chance. The settlements of `placement` do not matter.
        """
        line = measured_line(self.board, self.players)
        return None if line is None else line.chances

    @cached_property
    def seats(self) -> SeatCheck | None:
        """Wins of each seat by `catan_cp.check_seats`, or None if `chances` is None."""
        return None if unmeasured(self.board, self.players) else check_seats(self.board, self.players)

    @cached_property
    def wrong_pieces(self) -> tuple[Violation, ...]:
        """The pieces that are not those of the layout, or not on an allowed place."""
        return tuple(Problem.of("open", self.board.layout).violations(self.board))

    @property
    def verdict(self) -> str:
        """One sentence on the seats, such as ``Seat 4 is behind: 14 % of 4,000 games``."""
        if self.seats is None:
            why = unmeasured(self.board, self.players)
            return f"The seats' chances to win are not known: no games have measured them for {why}"
        return self.seats.verdict

    @property
    def value_spread(self) -> float:
        """Range of the values of the seats' settlements, which says nothing about chances."""
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
            "wrong_pieces": [violation.text for violation in self.wrong_pieces],
            "verdict": self.verdict,
            "seats": None if self.seats is None else self.seats.facts(),
            "value_spread": self.value_spread,
            "first_seat_advantage": self.first_seat_advantage,
            "presets": self.presets,
        }
        return json.dumps(value | coast_json(self.board))

    def table(self) -> str:
        """Return the analysis, without games, as plain text. It begins with the verdict."""
        basis = [] if self.seats is None or self.seats.wins is None else [CLAIM]
        wrong = [fill(f"Not a board of {self.board.layout.name}: {v.text}", 80) for v in self.wrong_pieces]
        head = [*wrong, fill(self.verdict, 80), *basis, "", self.board.notation(), ""]
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
        """Yield one row per seat: figures of the game of chances, then of the settlements by value."""
        check, nothing = self.seats, ["-"] * self.players
        wins = None if check is None else check.wins
        columns = (
            range(1, self.players + 1),
            nothing if check is None else [f"{chance:.0%}" for chance in check.chances],
            nothing if wins is None else wins,
            nothing if check is None else map(_spots, check.settlements),
            [f"{value:.4f}" for value in self.placement.values],
            map(_spots, self.placement.settlements),
        )
        row = "{:4}{:>15}  {:<23} {:<10}{:>7}  {}".format
        games = "games won" if wins is None else f"won in {amount(wins[0].n, 'game')}"
        yield row("seat", "chance to win", games, "settles on", "worth", "by worth").rstrip()
        for cells in zip(*columns, strict=True):
            yield row(*map(str, cells))
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
        yield f"presets      {', '.join(self.presets) or 'none'}"
        yield f"harbors      {harbors or 'none'}"


def _spots(vertices: Sequence[int]) -> str:
    return ", ".join(map(str, vertices))


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

    Example:
        >>> import catan_cp
        >>> analysis = analyze_board(catan_cp.LAYOUTS["base"].beginner_board, players=3)
        >>> analysis.placement.settlements
        ((42, 12), (24, 44), (1, 25))
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
        for board, placement, presets in zip(batch, placements, satisfied(PRESETS, batch), strict=True):
            yield BoardAnalysis(**vars(evenness(board)), placement=placement, presets=presets)


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
