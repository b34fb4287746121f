"""Even seats: how often each seat wins in games of programs, and a search for boards with equal seats.

The settlements are the line of play of the game of chances, in which each player maximizes its own chance to
win (`catan_cp.win_chances`). From there, `greedy` programs play `GAMES` games. A board is *even* if no seat
wins more than `MARGIN` percentage points above or below an equal share of these games.

An estimate cannot decide this: who maximizes an estimate goes where it errs. So boards are called even only
if they were played, which needs the compiled engine (extra ``play``).

>>> check = check_seats("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")  # doctest: +SKIP
>>> check.is_even  # doctest: +SKIP
False
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.compiled import is_fast
from catan_cp.errors import (
    InvalidArgument,
    InvalidBoard,
    SolverTimeout,
    amount,
    check_count,
    real_number,
    show,
)
from catan_cp.placement.chance_game import measured_line
from catan_cp.placement.chances import unmeasured_error
from catan_cp.placement.checks import MAX_PLAYERS, checked_board, checked_players
from catan_cp.placement.positions import snake
from catan_cp.play.games import Share
from catan_cp.play.playing import play_games
from catan_cp.play.tables import check_playable
from catan_cp.processes import usable_cores
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.rules import Rules
from catan_cp.search.generate import generate_boards
from catan_cp.terminal import Brief
from catan_cp.workers import MOST_WORKERS, kept_workers

GAMES = 4000
"""Number of games that decide whether a board is even."""
MARGIN = 5.0
"""Largest difference of a seat's share of wins from an equal share on an even board, in percentage points."""
CLAIM = """Greedy programs played from the settlements of players who each maximize
their own chance to win. For programs that settle otherwise, even boards were
not shown to be fairer than others. Programs were measured, not people."""
"""Sentences on the games behind the figures, for reports and sheets."""
STORE = Path(__file__).resolve().parent.parent / "data" / "even_boards.json"
"""File of the stored even boards."""
CANDIDATES = 5000
"""Default maximum number of candidate boards."""
SECONDS = 50.0
"""Default time limit of a search for one board."""

_SCREEN, _SLACK = 500, 4.0  # the first games on a candidate, and how much their margin may be larger
_SEED, _OTHER_SEED = 0, 1  # dice of the games that decide, and of those that choose candidates
_LOOK = 0.5  # seconds between two checks for Ctrl-C, which does not end a wait on Windows

Chances = tuple[float, ...]
Lead = Mapping[int, float]
"""Chance to win minus an equal share, in percentage points, by seat from 1."""


@dataclass(frozen=True, repr=False)
class SeatCheck(Brief):
    """How often each seat of a board wins from the line of the game of chances.

    Attributes:
        board: the board.
        settlements: each player's vertices on the line of play, player 1 first.
        chances: each seat's chance to win, by `catan_cp.win_chances`.
        wins: the share of games that each seat won, with intervals. None if no games were played.

    Example:
        >>> import catan_cp
        >>> seats = check_seats(catan_cp.LAYOUTS["base"].beginner_board, players=3)
        >>> [len(vertices) for vertices in seats.settlements]
        [2, 2, 2]
    """

    board: Board
    settlements: tuple[tuple[int, ...], ...]
    chances: Chances
    wins: tuple[Share, ...] | None = None

    @property
    def shares(self) -> Chances:
        """Each seat's share of games won, or its chance if no games were played."""
        return self.chances if self.wins is None else tuple(share.value for share in self.wins)

    @property
    def margin(self) -> float:
        """Largest difference of `shares` from an equal share, in percentage points."""
        return self.miss([1 / len(self.chances)] * len(self.chances))

    @property
    def is_even(self) -> bool | None:
        """True if every seat is within `MARGIN` of an equal share, None without games."""
        return None if self.wins is None else self.margin <= MARGIN

    def miss(self, targets: Iterable[float]) -> float:
        """Return the largest difference of `shares` from *targets*, in percentage points."""
        return 100 * max(abs(share - target) for share, target in zip(self.shares, targets, strict=True))

    @property
    def verdict(self) -> str:
        """One sentence on the seats, such as ``Seat 1 is ahead: 32 % of 4,000 games``."""
        if self.wins is None:
            return f"Estimated, not played: the seats' chances to win are {percents(self.chances)}"
        games, fair = f"of {amount(self.wins[0].n, 'game')}", 1 / len(self.wins)
        if self.is_even:
            return f"Even: the seats win {percents(self.shares)} {games}"
        seats = list(enumerate(self.shares, start=1))
        ahead = _seats_at("ahead", [(seat, share) for seat, share in seats if 100 * (share - fair) > MARGIN])
        behind = _seats_at(
            "behind", [(seat, share) for seat, share in seats if 100 * (fair - share) > MARGIN]
        )
        sentence = "; ".join(filter(None, (ahead, behind)))
        return f"{sentence[0].upper()}{sentence[1:]} {games}"

    def facts(self) -> dict[str, Any]:
        """Return the figures as plain values for JSON."""
        wins = None if self.wins is None else [share.count for share in self.wins]
        intervals = None if self.wins is None else [share.interval for share in self.wins]
        games = 0 if self.wins is None else self.wins[0].n
        figures = {"chances": self.chances, "games": games, "wins": wins, "intervals": intervals}
        return figures | {"settlements": self.settlements, "even": self.is_even}


def percents(shares: Iterable[float]) -> str:
    """Return shares in words, such as ``30, 25, 25 and 20 %``."""
    *first, last = (f"{100 * share:.0f}" for share in shares)
    return f"{', '.join(first)} and {last} %"


def _seats_at(place: str, seats: Collection[tuple[int, float]]) -> str:
    """Return the seats at a place, with their shares, or an empty text."""
    if not seats:
        return ""
    numbers = " and ".join(str(seat) for seat, _ in seats)
    shares = " and ".join(f"{100 * share:.0f}" for _, share in seats)
    subject = f"seats {numbers} are" if len(seats) > 1 else f"seat {numbers} is"
    return f"{subject} {place}: {shares} %"


def check_seats(board: Board | str, players: int = 4) -> SeatCheck:
    """Return how often each seat of *board* wins from the line of the game of chances.

    The same board always gets the same games. Without the compiled engine, or on a board on which the base
    game cannot be played, no games are played, and the result has chances only.

    Args:
        board: a board with markers, or its notation.
        players: the number of players, from 3.

    Raises:
        InvalidArgument, InvalidBoard: as `catan_cp.win_chances` raises.

    Example:
        >>> import catan_cp
        >>> seats = check_seats(catan_cp.LAYOUTS["base"].beginner_board, players=3)
        >>> [f"{chance:.3f}" for chance in seats.chances]
        ['0.375', '0.350', '0.275']
    """
    board = Board.from_notation(board) if isinstance(board, str) else board
    return _played(_estimated(board, players), GAMES, _SEED)


def _estimated(board: Board, players: int) -> SeatCheck:
    """Return the check of a board without games."""
    line = measured_line(checked_board(board), checked_players(players, board))
    if line is None:
        raise unmeasured_error(board, players)
    return SeatCheck(board, line.settlements, line.chances)


def _played(check: SeatCheck, n: int, seed: int) -> SeatCheck:
    """Return the check with *n* games, or unchanged if games cannot be played."""
    players = len(check.chances)
    if not is_fast():
        return check
    try:
        check_playable(check.board, players)
    except InvalidBoard:
        return check
    line = [pair[0] for pair in check.settlements] + [pair[1] for pair in reversed(check.settlements)]
    draft = ",".join(f"{player}:{vertex}" for player, vertex in zip(snake(players), line, strict=True))
    games = play_games(check.board, n, players=["greedy"] * players, placement=draft, seed=seed)
    return replace(check, wins=games.wins)


@cache
def even_boards() -> tuple[SeatCheck, ...]:
    """Return the stored even boards of the base layout for four players, with the games played on them.

    They satisfy the rules ``tournament``. ``python -m tools.even_boards`` makes them.
    """
    stored = json.loads(STORE.read_text(encoding="utf-8"))
    return tuple(
        SeatCheck(
            Board.from_notation(row["board"]),
            tuple(map(tuple, row["settlements"])),
            tuple(row["chances"]),
            tuple(Share(wins, stored["games"]) for wins in row["wins"]),
        )
        for row in stored["boards"]
    )


# Search


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
    share, n_others = 100 / players, players - len(points)
    if not n_others and abs(sum(points.values())) > 1e-9:
        raise InvalidArgument(
            f"leads of all seats must sum to 0, not to {sum(points.values()):g}; leave a seat out"
        )
    rest = share - sum(points.values()) / n_others if n_others else share
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
    workers: int | None = None,
    progress: bool | Watch = False,
) -> SeatCheck:
    """Return a board that satisfies the rules, on which each seat wins as often as its target says.

    Candidates are sampled and played. The first one is returned on which no seat is more than `MARGIN` points
    from its target, also in `GAMES` further games with other dice: its figures are those of `check_seats`.
    If games cannot be played, the result is the candidate whose chances are nearest to the target.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        players: the number of players.
        lead: the target, as in `seat_targets`. The default is equal shares.
        candidates: the maximum number of candidates.
        seed: any whole number.
        method: as in `generate_boards`.
        solver: as in `generate_boards`.
        timeout: the time limit in seconds. The default is `SECONDS`. With numba it begins after the first
            candidate, since the first call after installation compiles the games.
        workers: the number of processes. The default is one per usable core. The result is the same
            for any number.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Raises:
        InvalidArgument: the target is impossible, or the board is too small for the players.
        SolverTimeout: no candidate met the target. Its ``partial`` is the nearest `SeatCheck`.
        CatanError: as `generate_boards` raises.
    """
    targets = {check_count("players", players, 2, MAX_PLAYERS): seat_targets(players, lead)}
    candidates, limit = check_count("candidates", candidates, 1), SECONDS if timeout is None else None
    samples = generate_boards(candidates, rules, layout, seed=seed, method=method, solver=solver)
    nearest, tried = None, 0
    with (
        watching(progress, "playing") as watch,
        closing(judged(samples, targets, Clock(timeout), workers, limit)) as checks,
    ):
        for tried, (check,) in enumerate(checks, start=1):
            if watch is not None:
                watch(Progress(tried, unit="boards"))
            if check.wins is not None and check.miss(targets[players]) <= MARGIN:
                return check
            if nearest is None or check.miss(targets[players]) < nearest.miss(targets[players]):
                nearest = check
    if nearest is not None and nearest.wins is None:
        return nearest
    raise not_met(tried, nearest)


def not_met(tried: int, nearest: SeatCheck | None) -> SolverTimeout:
    """Return the error for a search that met no target."""
    best = "" if nearest is None else f"; the most even one is {nearest.board.notation()}: {nearest.verdict}"
    return SolverTimeout(
        f"no board was found with each seat within {MARGIN:g} points of its target, among "
        f"{amount(tried, 'candidate')}{best}; allow more time with timeout, or other rules",
        partial=nearest,
    )


def judged(
    samples: Iterable[Board],
    targets: Mapping[int, Chances],
    clock: Clock,
    workers: int | None = None,
    limit: float | None = None,
) -> Generator[list[SeatCheck]]:
    """Yield the checks of each candidate, in order, until none is left or the time is over.

    A candidate has one check per number of players, up to the first that misses its target. A *limit* in
    seconds begins after the first candidate, which waits for compilation, or at once without numba.
    """
    count = check_count("workers", usable_cores() if workers is None else workers, 1, MOST_WORKERS)
    running: deque[Future[list[SeatCheck]]] = deque()
    if limit is not None and not is_fast():  # nothing will be compiled
        clock, limit = Clock(limit), None

    def results(most: int) -> Iterator[list[SeatCheck]]:
        """Yield results until at most this number of candidates is running."""
        nonlocal clock, limit
        while len(running) > most:
            result = _result(running.popleft(), clock)
            if limit is not None:
                clock, limit = Clock(limit), None
            yield result

    with kept_workers(count) as pool, suppress(SolverTimeout, GeneratorExit):
        try:
            for board in samples:
                running.append(pool.submit(_judge, board, dict(targets)))
                yield from results(2 * count)
            yield from results(0)
        finally:
            for future in running:
                future.cancel()


def _result(future: Future[list[SeatCheck]], clock: Clock) -> list[SeatCheck]:
    """Return the result of a future.

    Raises:
        SolverTimeout: the time is over.
    """
    while not future.done():
        wait([future], clock.at_most(_LOOK))
    return future.result()


def _judge(board: Board, targets: Mapping[int, Chances]) -> list[SeatCheck]:
    """Return the check of a candidate for each number of players, up to the first that misses its target.

    The dice of the last games differ from those that chose the candidate, which flatter it.
    """
    checks = list[SeatCheck]()
    for players, aim in sorted(targets.items()):
        check = _estimated(board, players)
        for n, seed, most in (
            (_SCREEN, _OTHER_SEED, MARGIN + _SLACK), (GAMES, _OTHER_SEED, MARGIN), (GAMES, _SEED, MARGIN)
        ):  # fmt: skip
            check = _played(check, n, seed)
            if check.wins is None or check.miss(aim) > most:
                break
        checks.append(check)
        if check.wins is not None and check.miss(aim) > MARGIN:
            break
    return checks
