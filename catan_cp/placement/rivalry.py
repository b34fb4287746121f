"""The effect of rivalry on drafts.

`compare_rivalry` reports, seat by seat, the changed settlements and the gains. `robust_share` reports how
often the best first vertex changes when the other players are boundedly rational.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, show
from catan_cp.placement.checks import checked_boards, checked_objectives
from catan_cp.placement.game import Goals, Placement, best_moves, solve_placements
from catan_cp.placement.objective import Objective, Weight
from catan_cp.progress import Progress, Watch, watching

_TOGETHER = 50
"""Number of boards solved between two reports of progress."""


@dataclass(frozen=True)
class Seat:
    """The effect of rivalry on one seat, averaged over the boards.

    Each pair has the figure without rivalry first, and the figure with rivalry second.

    Attributes:
        seat: the seat, from 1.
        elsewhere: the share of boards on which its vertices change with rivalry.
        value: the value of its settlements.
        ahead: its value minus the best rival's value.
        best: the share of boards on which no seat has a larger value.
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
    progress: bool | Watch = False,
) -> tuple[Seat, ...]:
    """Solve every board without and with rivalry, and return the effect on each seat.

    Args:
        boards: the boards, one or more.
        players: the number of players.
        objective: as for `solve_placements`. Its rivalry is ignored.
        rivalry: the rivalry of every player in the second draft.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placements`, or *boards* is empty.
    """
    checked, players = _some(boards, players)
    goals = checked_objectives(objective, players)
    games: tuple[list[Placement], list[Placement]] = ([], [])
    with watching(progress, "solving") as watch:
        for start in range(0, len(checked), _TOGETHER):
            chunk = checked[start : start + _TOGETHER]
            for game, level in zip(games, (0, rivalry), strict=True):
                game += solve_placements(chunk, players, [replace(goal, rivalry=level) for goal in goals])
            if watch is not None:
                watch(Progress(len(games[0]), len(checked), "boards"))
    return tuple(_seat(seat, *games) for seat in range(players))


def rivalry_table(seats: Sequence[Seat]) -> str:
    """Return the result of `compare_rivalry` as text.

    Raises:
        InvalidArgument: *seats* is not a sequence of `Seat`.
    """
    if not isinstance(seats, Sequence) or not all(isinstance(seat, Seat) for seat in seats):
        raise InvalidArgument(f"seats must be the result of compare_rivalry, not {show(seats)}")
    head = f"seat  elsewhere  {'its value':>14}  {'ahead by':>16}  {'has the most':>13}"
    return "\n".join([head, *map(str, seats)])


def robust_share(
    boards: Iterable[Board], players: int = 4, objective: Goals = None, rationality: float = 1
) -> float:
    """Return the share of boards whose first vertex bounded rationality changes.

    Player 1 is perfect. The share counts the boards whose best first vertex against players of this
    rationality is not among the best first vertices against perfect players.

    Raises:
        InvalidArgument, InvalidBoard: as `best_moves`, or *boards* is empty.
    """
    checked, players = _some(boards, players)
    goals, differ = Objective() if objective is None else objective, 0
    for board in checked:
        robust = best_moves(board, (), 1, players, goals, [None, *[rationality] * (players - 1)])[0]
        perfect = best_moves(board, (), board.layout.n_vertices, players, goals)
        differ += robust.vertex not in {m.vertex for m in perfect if m.lead == perfect[0].lead}
    return differ / len(checked)


def _some(boards: Iterable[Board], players: int) -> tuple[list[Board], int]:
    """Return the checked boards, one or more, and the checked number of players."""
    checked = checked_boards(boards, players)
    if not checked:
        raise InvalidArgument("there are no boards to solve; give at least one")
    return checked, int(players)


def _seat(seat: int, without: list[Placement], among: list[Placement]) -> Seat:
    def mean(of: Sequence[float]) -> float:
        return sum(of) / len(of)

    def ahead(placement: Placement) -> float:
        return placement.values[seat] - max(v for q, v in enumerate(placement.values) if q != seat)

    both = (without, among)
    pairs = zip(without, among, strict=True)
    moved = [set(a.settlements[seat]) != set(b.settlements[seat]) for a, b in pairs]
    value = [mean([placement.values[seat] for placement in game]) for game in both]
    lead = [mean([ahead(placement) for placement in game]) for game in both]
    best = [mean([ahead(placement) >= 0 for placement in game]) for game in both]
    return Seat(seat + 1, mean(moved), (value[0], value[1]), (lead[0], lead[1]), (best[0], best[1]))
