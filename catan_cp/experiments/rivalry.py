"""The draft among rivals beside the one in which nobody minds them: who settles elsewhere, and who gains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument
from catan_cp.placement.game import Goals, Placement, best_moves, solve_placements
from catan_cp.placement.objective import Weight
from catan_cp.placement.spots import checked_objectives

_TOGETHER = 50
"""How many boards are solved between two reports of progress."""


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
    boards: Iterable[Board],
    players: int = 4,
    objective: Goals = None,
    rivalry: Weight = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Seat, ...]:
    """Solve every board without and with rivalry, and return what changes, seat by seat.

    Args:
        boards: the boards, one or more.
        players: how many play.
        objective: as for `solve_placements`; its rivalry is left aside.
        rivalry: everybody's, in the second game.
        progress: called now and then with the number of boards done, and of all.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placements`; no board.
    """
    given = _some(boards)
    goals = checked_objectives(objective, players)
    games: tuple[list[Placement], list[Placement]] = ([], [])
    for start in range(0, len(given), _TOGETHER):
        some = given[start : start + _TOGETHER]
        for game, level in zip(games, (0, rivalry), strict=True):
            game += solve_placements(some, players, [replace(goal, rivalry=level) for goal in goals])
        if progress is not None:
            progress(len(games[0]), len(given))
    return tuple(_seat(seat, *games) for seat in range(players))


def table(seats: Sequence[Seat]) -> str:
    """Return what `compare_rivalry` found as plain text, each figure without rivalry -> with it."""
    head = f"seat  elsewhere  {'its value':>14}  {'ahead by':>16}  {'has the most':>13}"
    return "\n".join([head, *map(str, seats)])


def robust_share(
    boards: Iterable[Board], players: int = 4, objective: Goals = None, rationality: float = 1
) -> float:
    """Return on which share of the boards player 1 begins elsewhere if the others err.

    That is, how often the best first vertex against players of this rationality (player 1 is perfect) is none
    of the best against perfect ones.

    Raises:
        InvalidArgument, InvalidBoard: as `best_moves`; no board.
    """
    given = _some(boards)
    differ = 0
    for board in given:
        robust = best_moves(board, (), 1, players, objective, [None, *[rationality] * (players - 1)])[0]
        perfect = best_moves(board, (), board.layout.n_vertices, players, objective)
        differ += robust.vertex not in {m.vertex for m in perfect if m.lead == perfect[0].lead}
    return differ / len(given)


def _some(boards: Iterable[Board]) -> list[Board]:
    given = list(boards)
    if not given:
        raise InvalidArgument("there are no boards to solve; give at least one")
    return given


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
