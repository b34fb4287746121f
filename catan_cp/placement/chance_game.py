"""The game of chances: each player settles so as to maximize its own chance to win.

A chance is a player's odds divided by the sum of all odds, by `catan_cp.placement.chances.pair_log_odds`.
Each player knows that all later players maximize their own chances too. Of equal chances it takes the vertex
with the lowest number. `catan_cp.placement.chance_search` solves this game exactly for three and four
players.

For five and six players a simpler game is solved: each player maximizes its own odds, not its chance.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from catan_cp import terminal
from catan_cp.boards.board import Board
from catan_cp.compiled import is_fast, run, table, zeros
from catan_cp.errors import InvalidArgument, show
from catan_cp.placement.chance_search import (
    ALIVE,
    CLOSE,
    STOPPED,
    ChanceWork,
    OddsTables,
    block,
    chance_limit,
    limit_all,
    search,
    write_keys,
)
from catan_cp.placement.chances import (
    check_measured,
    pair_log_odds,
    road_distances,
    shares_of,
    unmeasured,
)
from catan_cp.placement.checks import checked_board, checked_placed, checked_players
from catan_cp.placement.objective import Objective
from catan_cp.placement.plain import play_all
from catan_cp.placement.positions import Position, no_room, open_vertices, snake
from catan_cp.placement.rivals import interruptible
from catan_cp.placement.tables import Scores, geometry
from catan_cp.progress import remark

MOST_EXACT = 4
"""The maximum number of players whose game of chances is solved. With more, players maximize their odds."""


@dataclass(frozen=True)
class ChanceLine:
    """The line of play of the game of chances.

    Attributes:
        order: the vertices in the order of turns, with those placed before the line began.
        settlements: each player's two vertices in the order placed, player 1 first.
        chances: each player's chance to win at the end of the line. Their sum is 1.
    """

    order: tuple[int, ...]
    settlements: tuple[tuple[int, int], ...]
    chances: tuple[float, ...]


def chance_line(board: Board, players: int = 4, placed: Sequence[int] = ()) -> ChanceLine:
    """Return the line of play if each player maximizes its own chance to win.

    Args:
        board: a board with markers.
        players: the number of players.
        placed: the vertices settled so far, in the order of turns.

    Raises:
        InvalidBoard: a board without markers, or without room for all settlements.
        InvalidArgument: a wrong number of players or wrong vertices. Or no games have measured the chances.
    """
    return _line(board, *_checked(board, players, placed))


def move_chances(
    board: Board, players: int = 4, placed: Sequence[int] = (), k: int | None = None
) -> tuple[tuple[int, float], ...]:
    """Return the vertices that the next player may settle, each with the chance that it leads to.

    The best vertex is first: that of `chance_line`. Of equal chances, the lowest vertex is first. With five
    and six players, the order is that of the odds, not of the chances.

    Args:
        board: a board with markers.
        players: the number of players.
        placed: the vertices settled so far, in the order of turns, fewer than two for each player.
        k: the number of vertices to return, all by default.

    Raises:
        InvalidBoard, InvalidArgument: as for `chance_line`.
    """
    return _moves(board, *_checked(board, players, placed, is_next=True), k)


def measured_line(board: Board, players: int, placed: Sequence[int] = ()) -> ChanceLine | None:
    """Return `chance_line` of a checked board and draft, or None if no games have measured the chances.

    Without the warning for five and six players.
    """
    return None if unmeasured(board, players) else _line(board, players, tuple(placed))


def measured_moves(
    board: Board, players: int, placed: Sequence[int], k: int | None = None
) -> tuple[tuple[int, float], ...]:
    """Return `move_chances` of a checked board and draft, without the warning for five and six players."""
    return _moves(board, players, tuple(placed), k)


def win_chances(board: Board, settlements: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return each player's chance to win. The chances sum to 1.

    With all settlements placed, these are estimates for that opening. During a draft, the rest is the line of
    the game of chances: each player maximizes its own chance and knows that later players do the same. For
    five and six players a simpler game is solved: each player maximizes its own odds.

    The estimates were fitted on games of three and four `greedy` programs that do not trade with each other.
    They do not describe people, negotiation or skill. A player's odds depend on its own settlements and on
    which of them is the second, which yields the first cards. `catan_cp.check_seats` plays games instead.

    Warns:
        UserWarning: there are five or six players.

    Args:
        board: a board with markers.
        settlements: each player's vertices, player 1 first, in the order placed. During a draft some
            players have one vertex or none.

    Raises:
        InvalidBoard: a board without markers, or without room for all settlements.
        InvalidArgument: no draft of this number of players leads to these settlements. Or no games have
            measured the chances: two players, sea, gold or other terrain outside the base game, several
            islands, or fishing grounds.

    Example:
        >>> import catan_cp
        >>> board = catan_cp.Board.from_notation(catan_cp.LAYOUTS["base"].beginner_board)
        >>> settlements = ((42, 12), (24, 44), (1, 25))
        >>> chances = win_chances(board, settlements)
        >>> [f"{chance:.3f}" for chance in chances]
        ['0.337', '0.401', '0.262']
    """
    checked_board(board)
    if not isinstance(settlements, Sequence) or not all(
        isinstance(vertices, Collection) for vertices in settlements
    ):
        raise InvalidArgument(f"settlements must be a list of vertices per player, not {show(settlements)}")
    players = checked_players(len(settlements), board)
    remaining, placed = [list(vertices) for vertices in settlements], list[int]()
    for player in snake(players):
        if not remaining[player - 1]:
            break
        placed.append(remaining[player - 1].pop(0))
    if any(remaining):
        raise InvalidArgument(
            f"no draft of {players} players, each placing in turn and then back, leads to {show(settlements)}"
        )
    return chance_line(board, players, placed).chances


def _checked(
    board: Board, players: int, placed: object, is_next: bool = False
) -> tuple[int, tuple[int, ...]]:
    """Return the number of players and the vertices placed, after all checks."""
    players = checked_players(players, checked_board(board))
    check_measured(board, players)
    if isinstance(placed, str) or not isinstance(placed, Sequence):
        raise InvalidArgument(f"placed must be a list of vertices in the order of turns, not {show(placed)}")
    most = 2 * players - is_next
    if len(placed) > most:
        raise InvalidArgument(
            f"placed must be at most {most} vertices for {players} players, not {len(placed)}"
        )
    settled, _ = checked_placed(tuple(zip(snake(players), placed, strict=False)), board, players)
    return players, tuple(vertex for _, vertex in settled)


def _position(board: Board, players: int, placed: Sequence[int]) -> Position:
    order = tuple(zip(snake(players), placed, strict=False))
    return Position(board, (Objective.own_odds(),) * players, order)


def _result(board: Board, order: Sequence[int]) -> ChanceLine:
    """Return a line of play with its chances."""
    pairs = tuple((order[p], order[-1 - p]) for p in range(len(order) // 2))
    return ChanceLine(tuple(order), pairs, shares_of([board], [pairs])[0])


@lru_cache(maxsize=64)
def _log_odds(board: Board) -> Any:
    return pair_log_odds(board)


@lru_cache(maxsize=1024)
def _line(board: Board, players: int, placed: tuple[int, ...]) -> ChanceLine:
    if players > MOST_EXACT:
        return _result(board, _own_lines(board, players, [placed])[0])
    _announce()
    order = interruptible(lambda stop: _exact_line(board, players, placed, stop))
    if not order:
        raise no_room(_position(board, players, placed))
    return _result(board, order)


@lru_cache(maxsize=1024)
def _moves(
    board: Board, players: int, placed: tuple[int, ...], k: int | None
) -> tuple[tuple[int, float], ...]:
    turn, log_odds = len(placed), _log_odds(board)
    player = snake(players)[turn] - 1
    if players > MOST_EXACT:
        starts = [(*placed, vertex) for vertex in _position(board, players, placed).free()]
        lines = [_result(board, order) for order in _own_lines(board, players, starts)]
        lines.sort(key=lambda line: -log_odds[line.settlements[player]])
        return tuple((line.order[turn], line.chances[player]) for line in lines)[:k]
    _announce()
    orders = interruptible(lambda stop: _exact_moves(board, players, placed, k, stop))
    if not orders:
        raise no_room(_position(board, players, placed))
    moves = [(order[turn], _result(board, order).chances[player]) for order in orders]
    return tuple(_by_chance(moves)[:k])


def _exact_line(board: Board, players: int, placed: tuple[int, ...], stop: Any) -> list[int]:
    """Return the line of play, or an empty list if it cannot be completed."""
    game, work = _tables(board, players, placed, stop)
    turn, turns = len(placed), 2 * players
    is_solved = run(search, game, work, turn, -1.0, -1, -1, -1.0, False) == ALIVE
    return [*placed, *map(int, work.line[turn * turns + turn : (turn + 1) * turns])] if is_solved else []


def _exact_moves(
    board: Board, players: int, placed: tuple[int, ...], k: int | None, stop: Any
) -> list[list[int]]:
    """Return the line of play after each of the *k* best vertices, and of some others."""
    game, work = _tables(board, players, placed, stop)
    turn, turns, v, n = len(placed), 2 * players, game.vertices, players
    player, best, lines = snake(players)[turn] - 1, list[float](), list[list[int]]()
    run(limit_all, game, work, turn, player)
    if turn < n:
        run(write_keys, game, work, turn)
        keys = [float(key) for key in work.keys[turn * v : (turn + 1) * v]]
    else:
        row = work.spots[player] * v
        keys = [float(game.odds[row + u]) * (work.blocked[u] == 0) for u in range(v)]
    for vertex in sorted(range(v), key=lambda u: -keys[u]):
        mark = sorted(best)[-k] - 3 * CLOSE if k is not None and len(best) >= k else -1.0
        limit = (turn, player, keys[vertex], -1, 0.0, mark)
        if keys[vertex] <= 0 or run(chance_limit, game, work, *limit) < mark:
            break
        work.spots[turn] = vertex
        run(block, game, work, vertex, 1)
        if turn == n - 1:  # the same player has the next turn, too
            state = run(search, game, work, turn + 1, mark, -1, -1, -1.0, False)
        else:
            state = run(search, game, work, turn + 1, -1.0, -1, player if mark > 0 else -1, mark, False)
        run(block, game, work, vertex, -1)
        if state == STOPPED:
            break
        if state == ALIVE:
            row = (turn + 1) * (n + 1)
            best.append(float(work.odds[row + player] / work.odds[row + n]))
            later = work.line[(turn + 1) * turns + turn + 1 : (turn + 2) * turns]
            lines.append([*placed, vertex, *map(int, later)])
    return lines


def _by_chance(moves: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return moves by chance, best first. Of equal chances, the lowest vertex is first."""
    ranked = sorted(moves, key=lambda move: (-move[1], move[0]))
    for i in range(1, len(ranked)):
        while i and ranked[i][1] > ranked[i - 1][1] - CLOSE and ranked[i][0] < ranked[i - 1][0]:
            ranked[i - 1], ranked[i] = ranked[i], ranked[i - 1]
            i -= 1
    return ranked


def _tables(board: Board, players: int, placed: Sequence[int], stop: Any) -> tuple[OddsTables, ChanceWork]:
    """Return the tables of a board, and the scratch space with the vertices placed."""
    n, turns, log_odds = board.layout.n_vertices, 2 * players, _log_odds(board)
    odds = np.exp(log_odds - log_odds.max())
    partners = np.argsort(-odds, axis=1, kind="stable")
    partners[np.take_along_axis(odds, partners, axis=1) == 0] = -1
    is_apart = road_distances(board.layout)[:-1] > 2
    closed = geometry(board.layout).closed
    tables = (table(odds.ravel(), np.float64), *(table(x.ravel()) for x in (partners, closed, is_apart)))

    def reals(size: int) -> Any:
        return table(np.zeros((turns + 1) * size), np.float64)

    game = OddsTables(players, n, *tables)
    work = ChanceWork(
        blocked=zeros(n),
        spots=zeros(turns),
        low=reals(players),
        up=reals(players),
        sure=reals(players),
        keys=reals(n),
        spaced=zeros(turns),
        odds=reals(players + 1),
        line=zeros((turns + 1) * turns),
        counts=zeros(1),
        stop=stop,
    )
    for vertex in set(range(n)).difference(open_vertices(board)):
        work.blocked[vertex] += 1
    for turn, vertex in enumerate(placed):
        work.spots[turn] = vertex
        block(game, work, vertex, 1)
    return game, work


def _own_lines(board: Board, players: int, starts: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Return the line of play from each start if each player maximizes its own odds."""
    for placed in starts:
        if not _position(board, players, placed).is_roomy:
            raise no_room(_position(board, players, placed))
    log_odds = _log_odds(board)
    _, ranks = np.unique(log_odds, return_inverse=True)
    pairs = np.where(np.isfinite(log_odds), ranks.reshape(log_odds.shape), -1)
    singles = np.zeros((len(starts), len(pairs)), dtype=np.int64)  # of equal odds, the lowest vertex
    scores = Scores(np.repeat(pairs[None], len(starts), axis=0), singles, None)
    settled = np.array(starts, dtype=np.intp).reshape(len(starts), -1)
    firsts, seconds, _, _ = play_all([scores], [0] * players, geometry(board.layout), settled)
    lines: list[list[int]] = np.concatenate([firsts, seconds[:, ::-1]], axis=1).tolist()
    return lines


def _announce() -> None:
    """Print a remark before a command solves a game without compiled code, which takes seconds."""
    if terminal.is_command and not is_fast():
        remark("solving the game of chances takes seconds without numba; catan-cp[fast] installs it")
