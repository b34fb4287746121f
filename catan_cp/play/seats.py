"""Boards by the seats' chances to win: even ones, and those that give a seat a lead that is chosen.

Boards are drawn as `generate_boards` draws them, `catan_cp.solve_placements` settles perfect players on
each, and `catan_cp.win_chances` tells what their settlements are worth: a hundred boards in half a second.
The boards whose chances are nearest to the target come first. Nothing is proven: more candidates come nearer.

>>> best = search_seats("tournament", lead={1: 5}, candidates=50, seed=1)[0]
>>> best.miss < 5
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from catan_cp.arguments import check_count, real_number
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, show
from catan_cp.placement import solve_placements, win_chances
from catan_cp.placement.spots import MAX_PLAYERS
from catan_cp.rules.rules import Rules
from catan_cp.search.generate import generate_boards

CANDIDATES = 500
"""So many boards are judged unless somebody says otherwise: some seconds."""

_BATCH = 50

Chances = tuple[float, ...]
Lead = Mapping[int, float]
"""Per seat, from 1, the points of a hundred that its chance to win lies above an equal share, or below it."""


@dataclass(frozen=True)
class Seated:
    """A board, and what its seats are worth.

    Attributes:
        board: the board.
        chances: each seat's chance to win, seat 1 first.
        miss: how many points of a hundred the chance that is farthest from its target is away from it.
    """

    board: Board
    chances: Chances
    miss: float


def seat_targets(players: int, lead: Lead | None = None) -> Chances:
    """Return the chance that each seat is to have.

    A seat with a lead has an equal share and so many points more; the others share what is left alike.
    Without a lead all shares are equal.

    Raises:
        InvalidArgument: a seat that nobody has, a lead that is no number, or chances that are none.
    """
    players = check_count("players", players, 2, MAX_PLAYERS)
    if lead is not None and not isinstance(lead, Mapping):
        raise InvalidArgument(f"a lead says points per seat, as in {{1: 5}}, not {show(lead)}")
    points = dict(lead or {})
    for seat, value in points.items():
        check_count("a seat with a lead", seat, 1, players)
        if real_number(value) is None:
            raise InvalidArgument(f"a lead is a number of points of a hundred, not {show(value)}")
    share, others = 100 / players, players - len(points)
    if not others and abs(sum(points.values())) > 1e-9:
        raise InvalidArgument(
            f"where every seat has a lead, leads sum to 0, not to {sum(points.values()):g}; leave a seat out"
        )
    rest = share - sum(points.values()) / others if others else share
    wanted = [share + points[seat] if seat in points else rest for seat in range(1, players + 1)]
    if not all(0 < chance < 100 for chance in wanted):
        said = ", ".join(f"{chance:g}" for chance in wanted)
        raise InvalidArgument(
            f"such a lead makes chances of {said} %, but each lies between 0 and 100; an equal share is "
            f"{share:g} %"
        )
    return tuple(chance / 100 for chance in wanted)


def search_seats(
    rules: str | Rules = "tournament",
    layout: str | Layout = "base",
    *,
    players: int = 4,
    lead: Lead | None = None,
    candidates: int = CANDIDATES,
    seed: int | None = None,
    method: str = "auto",
    solver: str = "auto",
    timeout: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Seated]:
    """Return boards that the rules allow, those first whose seats' chances are nearest to the target.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        players: how many settle.
        lead: the target: see `seat_targets`; none for equal chances.
        candidates: how many boards are drawn and judged; all of them are returned.
        seed: any whole number.
        method: as for `generate_boards`, and so the next two.
        solver: which one, where one is asked.
        timeout: seconds until `SolverTimeout`.
        progress: called with how many are judged, and of how many.

    Raises:
        InvalidArgument: a target that cannot be; players for whom there is no room on the board.
        As `generate_boards` does.
    """
    targets = seat_targets(players, lead)
    candidates = check_count("candidates", candidates, 1)
    drawn = generate_boards(
        candidates, rules, layout, seed=seed, method=method, solver=solver, timeout=timeout
    )
    found: list[Seated] = []
    while boards := list(islice(drawn, _BATCH)):
        for board, placement in zip(boards, solve_placements(boards, players), strict=True):
            chances = win_chances(board, placement.settlements)
            miss = max(abs(chance - target) for chance, target in zip(chances, targets, strict=True))
            found.append(Seated(board, chances, 100 * miss))
        if progress is not None:
            progress(len(found), candidates)
    return sorted(found, key=lambda each: each.miss)
