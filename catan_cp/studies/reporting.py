"""Everything there is to say about one board: how even, how rich, how fair to each seat, how legal.

>>> found = report("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> round(found.seat_spread, 3), found.vertex_pips.most, found.presets
(0.241, 11, ('tournament', 'open'))

The module is not called ``report``, so that ``catan_cp.report`` is always the function.
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

from catan_cp.boards.board import Board
from catan_cp.entropy import efficiency, efficiency_error
from catan_cp.errors import InvalidBoard
from catan_cp.placement import Objective, Placement, solve_placements
from catan_cp.placement.objective import shares_of
from catan_cp.placement.spots import corner_name
from catan_cp.rules.checking import satisfied
from catan_cp.rules.rule import inland_vertices
from catan_cp.rules.rules import PRESETS

if TYPE_CHECKING:
    from catan_cp.play import Games

WEAK = 7
"""A vertex of three land tiles is weak where it has fewer pips than this; on ``base``, the mean is 9.7."""

_BATCH = 500


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
class Report(Evenness):
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
        """Each seat's chance to win from its settlements: see `catan_cp.win_chances`."""
        return shares_of(self.board, self.placement.settlements)

    @property
    def seat_spread(self) -> float:
        """The best seat's value less the worst seat's: 0 on a board that is fair to everyone."""
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
        yield f"{'terrain':10}{'tiles':>7}{'pips':>7}{'efficiency':>12}{'target':>9}"
        for name, value in self.efficiency.items():
            pips, target = self.terrain_pips.get(name), targets.get(name)
            yield (
                f"{name:10}{counts[name]:>7}{'-' if pips is None else pips:>7}{value:>12.4f}"
                + (f"{target:>9.4f}" if target is not None else f"{'-':>9}")
            )
        error = self.efficiency_error
        yield f"{'efficiency error':24}{'no targets' if error is None else format(error, '.5f'):>12}"

    def _seats(self) -> Iterator[str]:
        yield f"{'seat':10}{'chance to win':>14}{'worth':>12}  settles on"
        placed, values = self.placement.settlements, self.placement.values
        for seat, (spots, value, chance) in enumerate(
            zip(placed, values, self.chances, strict=True), start=1
        ):
            first, *others = (corner_name(self.board, vertex) for vertex in spots)
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


def report(board: Board | str, players: int = 4, objective: Goals = None) -> Report:
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
        reports([Board.from_notation(board) if isinstance(board, str) else board], players, objective)
    )


def reports(boards: Iterable[Board], players: int = 4, objective: Goals = None) -> Iterator[Report]:
    """Yield the report of each board; the same as one by one, and several times as fast.

    Boards are taken a few hundred at a time. Arguments and errors are those of `report`.
    """
    left = iter(boards)
    while batch := list(islice(left, _BATCH)):
        placements = solve_placements(batch, players, objective)
        for board, placement, presets in zip(batch, placements, satisfied(PRESETS, batch), strict=True):
            yield Report(**vars(evenness(board)), placement=placement, presets=presets)


def evenness(board: Board) -> Evenness:
    """Return how even and how rich *board* is.

    Raises:
        InvalidBoard: the board has no markers.
    """
    return Evenness(board, efficiency(board), _error(board), board.terrain_pips(), vertex_pips(board))


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


def _error(board: Board) -> float | None:
    """Return the efficiency error; None where no terrain on the board has a target."""
    if set(board.layout.target_efficiency).isdisjoint(board.terrain):
        return None
    return efficiency_error(board)
