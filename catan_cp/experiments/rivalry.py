"""The draft among rivals beside the one in which nobody minds them: who settles elsewhere, and who gains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from catan_cp.boards.board import Board
from catan_cp.placement.game import Placement, checked_objectives
from catan_cp.placement.solve import Goals, solve_placements


@dataclass(frozen=True)
class Seat:
    """What rivalry changes for one seat, averaged over the boards.

    Attributes:
        seat: the seat, from 1.
        elsewhere: the share of boards on which it has other vertices among rivals.
        value: what its settlements are worth where nobody minds rivals, and among rivals.
        ahead: its value less the best rival's, in both.
        best: the share of boards on which no seat has more, in both.
    """

    seat: int
    elsewhere: float
    value: tuple[float, float]
    ahead: tuple[float, float]
    best: tuple[float, float]

    def __str__(self) -> str:
        pairs = [f"{before:.3f} -> {after:.3f}" for before, after in (self.value, self.ahead)]
        best = f"{self.best[0]:.0%} -> {self.best[1]:.0%}"
        return f"{self.seat:>4}  {self.elsewhere:>9.1%}  {pairs[0]}  {pairs[1]:>16}  {best:>13}"


def compare_rivalry(
    boards: Iterable[Board], players: int = 4, objective: Goals = None, rivalry: float = 1
) -> tuple[Seat, ...]:
    """Solve every board without and with rivalry, and return what changes, seat by seat.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placements`.
    """
    given = list(boards)
    goals = checked_objectives(objective, players)
    games = [
        solve_placements(given, players, [replace(goal, rivalry=level) for goal in goals])
        for level in (0, rivalry)
    ]
    return tuple(_seat(seat, *games) for seat in range(players))


def _seat(seat: int, without: list[Placement], among: list[Placement]) -> Seat:
    def mean(of: Sequence[float]) -> float:
        return sum(of) / len(of)

    def value_of(found: Placement) -> float:
        return found.values[seat]

    def ahead(found: Placement) -> float:
        return found.values[seat] - max(v for q, v in enumerate(found.values) if q != seat)

    both = (without, among)
    pairs = zip(without, among, strict=True)
    moved = [set(a.settlements[seat]) != set(b.settlements[seat]) for a, b in pairs]
    value = [mean([value_of(found) for found in game]) for game in both]
    lead = [mean([ahead(found) for found in game]) for game in both]
    best = [mean([ahead(found) >= 0 for found in game]) for game in both]
    return Seat(seat + 1, mean(moved), (value[0], value[1]), (lead[0], lead[1]), (best[0], best[1]))
