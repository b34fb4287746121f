"""Boards by the seats' chances to win: even ones, and those that give a seat a lead that is chosen.

Boards are drawn as `generate_boards` draws them, `catan_cp.solve_placements` settles perfect players on
each, and `catan_cp.win_chances` tells what their settlements are worth: a hundred boards in half a second.
The boards whose chances are nearest to the target come first. Nothing is proven: more candidates come nearer.

Such chances are right on average, and may miss a single board by ten points and more: roads, rivals and the
order of turns are not in them. With *games*, programs play the most promising boards, and their wins decide.

>>> best = search_seats("tournament", lead={1: 5}, candidates=50, seed=1)[0]
>>> best.miss < 5
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, check_count, random_source, real_number, show
from catan_cp.placement import solve_placements, win_chances
from catan_cp.placement.checks import MAX_PLAYERS
from catan_cp.play.games import Games
from catan_cp.play.playing import play_games
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rules import Rules
from catan_cp.search.generate import generate_boards

CANDIDATES = 500
"""So many boards are judged unless somebody says otherwise: some seconds."""

_BATCH = 50
_PLAYED, _LAST = 40, 5
"""So many boards are played at first, and at last."""

Chances = tuple[float, ...]
Lead = Mapping[int, float]
"""Per seat, from 1, the points of a hundred that its chance to win lies above an equal share, or below it."""


@dataclass(frozen=True)
class Seated:
    """A board, and what its seats are worth.

    Attributes:
        board: the board.
        chances: each seat's chance to win, seat 1 first.
        miss: how many points of a hundred the chance that is farthest from its target is away from it; of the
            shares of games won, where games were played.
        games: those games, from the settlements that the chances are told of; None where none were played.
    """

    board: Board
    chances: Chances
    miss: float
    games: Games | None = None


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
    games: int = 0,
    progress: bool | Watch = False,
) -> list[Seated]:
    """Return boards that the rules allow, those first whose seats' chances are nearest to the target.

    With *games*, only boards that were played: the forty nearest are played a quarter of so many games, and
    the five that are nearest then all of them, with other dice; what was won there ranks those five.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        players: how many settle.
        lead: the target: see `seat_targets`; none for equal chances.
        candidates: how many boards are drawn and judged; without games, all of them are returned.
        seed: any whole number.
        method: as for `generate_boards`, and so the next two.
        solver: which one, where one is asked.
        timeout: seconds until `SolverTimeout`.
        games: how many games `greedy` programs play on each of the last five; 0: none.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Raises:
        InvalidArgument: a target that cannot be; players for whom there is no room on the board.
        InvalidBoard: with games, a layout that they cannot be played on.
        As `generate_boards` does.
    """
    targets = seat_targets(players, lead)
    candidates, games = check_count("candidates", candidates, 1), check_count("games", games)
    drawn = generate_boards(
        candidates, rules, layout, seed=seed, method=method, solver=solver, timeout=timeout
    )
    found: list[Seated] = []
    total = candidates + (min(_PLAYED, candidates) + min(_LAST, candidates) if games else 0)

    def report(done: int) -> None:
        if watch is not None:
            watch(Progress(min(done, total), total, "boards"))

    with watching(progress, "judging") as watch:
        while boards := list(islice(drawn, _BATCH)):
            for board, placement in zip(boards, solve_placements(boards, players), strict=True):
                chances = win_chances(board, placement.settlements)
                found.append(Seated(board, chances, _miss(chances, targets)))
            report(len(found))
        found.sort(key=lambda each: each.miss)
        source = random_source(seed)
        for keep, share in ((_PLAYED, 4), (_LAST, 1)) if games else ():
            dice, played = source.getrandbits(32), []
            for each in found[:keep]:
                played.append(_played(each, players, targets, -(-games // share), dice))
                report(candidates + (_PLAYED if share == 1 else 0) + len(played))
            found = sorted(played, key=lambda each: each.miss)
    return found


def _miss(shares: Iterable[float], targets: Chances) -> float:
    return 100 * max(abs(share - target) for share, target in zip(shares, targets, strict=True))


def _played(each: Seated, players: int, targets: Chances, n: int, seed: int) -> Seated:
    """Have programs play a board from where perfect players settle."""
    games = play_games(each.board, n, players=["greedy"] * players, placement="optimal", seed=seed)
    return replace(each, games=games, miss=_miss((share.value for share in games.wins), targets))
