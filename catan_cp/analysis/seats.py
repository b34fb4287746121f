"""Search for boards with equal chances to win for all seats, or a lead for some seats.

`generate_boards` samples candidate boards. `catan_cp.solve_placements` places the settlements of perfect
players on each, and `catan_cp.win_chances` estimates their chances, for a thousand boards in a second.
The boards with chances nearest to the target come first. The search proves nothing, and more candidates give
better boards.

The estimates are right on average but may be wrong by ten percentage points or more on a single board,
because they see only the room for roads, not the order of turns or the play. With *games*, programs play the
best boards, and the result is ranked by the shares of games won.

>>> best = search_seats("tournament", lead={1: 5}, candidates=50, seed=1)[0]
>>> best.miss < 5
True
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, check_count, random_source, real_number, show
from catan_cp.placement import solve_placements
from catan_cp.placement.chances import check_measured, shares_of
from catan_cp.placement.checks import MAX_PLAYERS
from catan_cp.play.games import Games
from catan_cp.play.playing import play_games
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rules import Rules
from catan_cp.search.generate import generate_boards

CANDIDATES = 500
"""Default number of candidate boards, which takes some seconds."""

_BATCH = 50
_PLAYED, _LAST = 40, 5
"""Maximum numbers of boards in the first and in the last stage of play."""

Chances = tuple[float, ...]
Lead = Mapping[int, float]
"""Chance to win minus an equal share, in percentage points, by seat from 1."""


@dataclass(frozen=True)
class Seated:
    """Board with the chances of its seats.

    Attributes:
        board: the board.
        chances: the estimated chance to win of each seat, seat 1 first.
        miss: the largest difference of a seat from its target in percentage points. It uses the shares of
            games won if games were played, otherwise the estimated chances.
        games: the games played from the optimal settlements, or None.
    """

    board: Board
    chances: Chances
    miss: float
    games: Games | None = None


def seat_targets(players: int, lead: Lead | None = None) -> Chances:
    """Return the target chance of each seat.

    A seat with a lead gets an equal share plus its lead. The other seats get equal parts of the rest.

    Raises:
        InvalidArgument: *lead* has an unknown seat or a value that is not a number, or a target is not
            between 0 and 100 %.
    """
    players = check_count("players", players, 2, MAX_PLAYERS)
    if lead is not None and not isinstance(lead, Mapping):
        raise InvalidArgument(f"a lead must map seats to points, as in {{1: 5}}, not {show(lead)}")
    points = dict(lead or {})
    for seat, value in points.items():
        check_count("a seat with a lead", seat, 1, players)
        if real_number(value) is None:
            raise InvalidArgument(f"a lead must be a number of percentage points, not {show(value)}")
    share, others = 100 / players, players - len(points)
    if not others and abs(sum(points.values())) > 1e-9:
        raise InvalidArgument(
            f"leads of all seats must sum to 0, not to {sum(points.values()):g}; leave a seat out"
        )
    rest = share - sum(points.values()) / others if others else share
    targets = [share + points[seat] if seat in points else rest for seat in range(1, players + 1)]
    if not all(0 < chance < 100 for chance in targets):
        percents = ", ".join(f"{chance:g}" for chance in targets)
        raise InvalidArgument(
            f"such a lead makes chances of {percents} %, but all must be between 0 and 100; an equal "
            f"share is {share:g} %"
        )
    return tuple(chance / 100 for chance in targets)


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
    """Return boards that satisfy the rules, with chances nearest to the target first.

    With *games*, the forty best boards are played with a quarter of the games. The best five of these are
    then played with all games and other dice. Only these five are returned, ranked by the shares of games
    won.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        players: the number of players.
        lead: the target, as in `seat_targets`. The default is equal chances.
        candidates: the number of boards to sample and judge. Without games, all of them are returned.
        seed: any whole number.
        method: as in `generate_boards`.
        solver: as in `generate_boards`.
        timeout: seconds until `SolverTimeout`, as in `generate_boards`.
        games: the number of games that `greedy` programs play on each of the last five boards, or 0.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Raises:
        InvalidArgument: the target is impossible, or the board is too small for the players.
        InvalidBoard: *games* is positive and the layout does not support games.
        CatanError: as `generate_boards` raises.
    """
    targets = seat_targets(players, lead)
    candidates, games = check_count("candidates", candidates, 1), check_count("games", games)
    samples = generate_boards(
        candidates, rules, layout, seed=seed, method=method, solver=solver, timeout=timeout
    )
    ranking: list[Seated] = []
    total = candidates + (min(_PLAYED, candidates) + min(_LAST, candidates) if games else 0)

    def report(count: int) -> None:
        if watch is not None:
            watch(Progress(min(count, total), total, "boards"))

    with watching(progress, "judging") as watch:
        while boards := list(islice(samples, _BATCH)):
            openings = [placement.settlements for placement in solve_placements(boards, players)]
            for board in boards:
                check_measured(board, players)
            for board, chances in zip(boards, shares_of(boards, openings), strict=True):
                ranking.append(Seated(board, chances, _miss(chances, targets)))
            report(len(ranking))
        ranking.sort(key=lambda seated: seated.miss)
        source = random_source(seed)
        for n_boards, share in ((_PLAYED, 4), (_LAST, 1)) if games else ():
            dice, played = source.getrandbits(32), []
            for seated in ranking[:n_boards]:
                played.append(_played(seated, players, targets, -(-games // share), dice))
                report(candidates + (_PLAYED if share == 1 else 0) + len(played))
            ranking = sorted(played, key=lambda seated: seated.miss)
    return ranking


def _miss(shares: Iterable[float], targets: Chances) -> float:
    return 100 * max(abs(share - target) for share, target in zip(shares, targets, strict=True))


def _played(seated: Seated, players: int, targets: Chances, n: int, seed: int) -> Seated:
    """Return the board with *n* games of programs from the optimal settlements."""
    games = play_games(seated.board, n, players=["greedy"] * players, placement="optimal", seed=seed)
    return replace(seated, games=games, miss=_miss((share.value for share in games.wins), targets))
