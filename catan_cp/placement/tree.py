"""The report's three searches, one board at a time: the plain tree, with a memory, and with bounds.

All three walk the same tree, that of the report's section on its search: a call stands for a position in
which the players before *player* have placed their first settlements; the call for player N + 1 ends at once.
A position is the bit mask of the vertices that are still free. Counted this way, four players on ``base``
take 5,634,937 calls without and 983,839 with a memory of (player, occupied vertices), on every board.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from catan_cp.boards.board import Board
from catan_cp.placement.game import Counters, Placed, Placement
from catan_cp.placement.objective import Objective
from catan_cp.placement.spots import free_vertices, open_vertices
from catan_cp.placement.tables import Scores, batch_of, score_pairs


@dataclass(frozen=True)
class Preferences:
    """What one player wants on one board.

    Attributes:
        candidates: the vertices one may settle, in the order in which they are tried first.
        partners: per vertex, the vertices that can join it, the best pair first, then by number.
        scores: per vertex and partner, what the pair is worth.
    """

    candidates: tuple[int, ...]
    partners: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[int, ...], ...]


def preferences(scores: Scores, board: int, allowed: tuple[int, ...]) -> Preferences:
    """Return the preferences that the score tables say for board number *board* of their batch."""
    singles, pairs = scores.singles[board], scores.pairs[board]
    order = np.argsort(-pairs, axis=1, kind="stable").tolist()
    able = (pairs >= 0).sum(axis=1).tolist()
    return Preferences(
        candidates=tuple(v for v in np.argsort(-singles, kind="stable").tolist() if v in set(allowed)),
        partners=tuple(tuple(row[:count]) for row, count in zip(order, able, strict=True)),
        scores=tuple(map(tuple, pairs.tolist())),
    )


class Outcome(NamedTuple):
    """How play goes on from a position: each later player's (first, second), what is left free, and ties."""

    moves: tuple[tuple[int, int], ...]
    free: int
    tied: bool


@dataclass(frozen=True)
class Position:
    """A board reduced to what the searches need: near[v] is the mask of v and its neighbours."""

    near: tuple[int, ...]
    wants: tuple[Preferences, ...]

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.wants)


def position(board: Board, wants: tuple[Preferences, ...]) -> Position:
    """Return the board's geometry with what the players want."""
    near = tuple(sum(1 << u for u in (v, *around)) for v, around in enumerate(board.layout.vertex_neighbors))
    return Position(near, wants)


Visit = Callable[[int, int, int], Outcome | None]
Search = Callable[[Position, int, int], tuple[Outcome | None, Counters]]


def search_plain(game: Position, player: int, free: int) -> tuple[Outcome | None, Counters]:
    """Search the whole tree from the first settlement of *player* (0 for player 1) on.

    Returns:
        The outcome, None where somebody finds no vertex however they play; and the counters.
    """
    calls = 0

    def visit(player: int, occupied: int, free: int) -> Outcome | None:
        nonlocal calls
        calls += 1
        return _try_all(game, visit, player, occupied, free)

    return visit(player, 0, free), Counters(calls=calls)


def search_memo(game: Position, player: int, free: int) -> tuple[Outcome | None, Counters]:
    """Search like `search_plain`, with a memory of (player, occupied vertices)."""
    calls = 0
    memory: dict[tuple[int, int], Outcome | None] = {}

    def visit(player: int, occupied: int, free: int) -> Outcome | None:
        nonlocal calls
        calls += 1
        key = player, occupied
        if key not in memory:
            memory[key] = _try_all(game, visit, player, occupied, free)
        return memory[key]

    outcome = visit(player, 0, free)
    return outcome, Counters(calls=calls, hits=calls - len(memory), misses=len(memory))


def search_bounds(game: Position, player: int, free: int) -> tuple[Outcome | None, Counters]:
    """Search like `search_memo`, best candidates first, and none that cannot win.

    A candidate can at best lead to its best free partner in the pair table. Candidates are tried by that
    bound, highest first, then in the usual order; the first that cannot beat the best so far ends the
    search, for all after it are no better.
    """
    calls = cut = 0
    memory: dict[tuple[int, int], Outcome | None] = {}

    def visit(player: int, occupied: int, free: int) -> Outcome | None:
        nonlocal calls, cut
        calls += 1
        key = player, occupied
        if key in memory:
            return memory[key]
        best: Outcome | None = None
        mark = -1, 0
        ranked = _bounds(game, player, free) if player < game.players else []
        for tried, (bound, rank, v) in enumerate(ranked):
            if (bound, rank) <= mark:
                cut += len(ranked) - tried
                break
            found = _follow(game, visit, player, occupied, free, v)
            if found is not None and (found[0], rank) > mark:
                mark = found[0], rank
                best = found[1]
        if player == game.players:
            best = Outcome((), free, False)
        memory[key] = best
        return best

    outcome = visit(player, 0, free)
    counters = Counters(calls=calls, cut=cut, hits=calls - len(memory), misses=len(memory))
    if outcome is not None:  # the search skips candidates that tie, so look for them along the path
        outcome = outcome._replace(tied=_tied_on_path(game, visit, player, free, outcome))
    return outcome, counters


def _try_all(game: Position, visit: Visit, player: int, occupied: int, free: int) -> Outcome | None:
    """Let *player* try every candidate, and return what the best leads to."""
    if player == game.players:
        return Outcome((), free, False)
    near, wants = game.near, game.wants[player]
    top = -1
    best: tuple[int, int, Outcome] | None = None
    tied = False
    for v in wants.candidates:
        if not free >> v & 1:
            continue
        later = visit(player + 1, occupied | 1 << v, free & ~near[v])
        if later is None:
            continue
        found = best_second(game, player, v, later.free)
        if found is None:
            continue
        second = found
        score = wants.scores[v][second]
        if score > top:
            top, best, tied = score, (v, second, later), False
        elif score == top and not tied and best is not None:
            tied = _sets(((v, second), *later.moves)) != _sets((best[:2], *best[2].moves))
    if best is None:
        return None
    v, second, later = best
    tied = tied or later.tied or another_second(game, player, v, second, later.free)
    return Outcome(((v, second), *later.moves), later.free & ~near[second], tied)


def _follow(
    game: Position, visit: Visit, player: int, occupied: int, free: int, v: int
) -> tuple[int, Outcome] | None:
    """Return what *player*'s first settlement on *v* is worth and leads to."""
    later = visit(player + 1, occupied | 1 << v, free & ~game.near[v])
    if later is None:
        return None
    wants = game.wants[player]
    second = best_second(game, player, v, later.free)
    if second is None:
        return None
    outcome = Outcome(((v, second), *later.moves), later.free & ~game.near[second], False)
    return wants.scores[v][second], outcome


def _bounds(game: Position, player: int, free: int) -> list[tuple[int, int, int]]:
    """Per free candidate with a free partner: (best pair's score, minus its rank, the vertex), best first."""
    wants = game.wants[player]
    found = []
    for rank, v in enumerate(wants.candidates):
        if free >> v & 1:
            second = next((u for u in wants.partners[v] if free >> u & 1), None)
            if second is not None:
                found.append((wants.scores[v][second], -rank, v))
    found.sort(reverse=True)
    return found


def _tied_on_path(game: Position, visit: Visit, player: int, free: int, outcome: Outcome) -> bool:
    """Say whether another choice on the path was as good and led elsewhere."""
    occupied = 0
    path = outcome.moves
    for number, (first, second) in enumerate(path):
        who, wants = player + number, game.wants[player + number]
        score = wants.scores[first][second]
        for bound, _, v in _bounds(game, who, free):
            if bound < score:
                break
            found = None if v == first else _follow(game, visit, who, occupied, free, v)
            if found is not None and found[0] == score and _sets(found[1].moves) != _sets(path[number:]):
                return True
        occupied |= 1 << first
        free &= ~game.near[first]
    for number, (first, second) in reversed(list(enumerate(path))):
        if another_second(game, player + number, first, second, free):
            return True
        free &= ~game.near[second]
    return False


def best_second(game: Position, player: int, first: int, free: int) -> int | None:
    """Return the free vertex that makes *player*'s best pair with *first*, None where there is none.

    A vertex that would leave one of the players before *player*, who place their second settlements
    afterwards, without room is no choice: such a course of play has no end.
    """
    for second in game.wants[player].partners[first]:
        if free >> second & 1 and has_room(game.near, free & ~game.near[second], player):
            return second
    return None


def another_second(game: Position, player: int, first: int, second: int, free: int) -> bool:
    """Say whether another free vertex makes as good a pair with *first* as *second*, the best, does."""
    wants = game.wants[player]
    scores = wants.scores[first]
    return any(
        free >> v & 1 and has_room(game.near, free & ~game.near[v], player)
        for v in wants.partners[first]
        if scores[v] == scores[second] and v != second
    )


def has_room(near: tuple[int, ...], free: int, settlements: int) -> bool:
    """Say whether so many more settlements fit on the *free* vertices, by the distance rule.

    Each settlement takes at most four vertices away, itself and its neighbours, so that on any but the
    smallest boards a count answers; otherwise this searches for an independent set of that size.
    """
    if free.bit_count() > 4 * (settlements - 1):
        return True
    while free:
        lowest = free & -free
        if has_room(near, free & ~near[lowest.bit_length() - 1], settlements - 1):
            return True
        free ^= lowest  # no such set holds the lowest vertex, so leave it out
    return settlements <= 0


def _sets(moves: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Each player's two vertices, whichever came first."""
    return [(a, b) if a < b else (b, a) for a, b in moves]


@dataclass(frozen=True)
class Played:
    """A game played to the end: each player's (first, second), whether there were ties, and the counters."""

    pairs: tuple[tuple[int, int], ...]
    tied: bool
    counters: Counters


def play(game: Position, free: int, placed: Sequence[int], search: Search) -> Played | None:
    """Play to the end from the vertices *placed* so far, in snake order; None where not all find room."""
    players = game.players
    pairs: dict[int, tuple[int, int]] = {}
    counters, tied = Counters(), False
    if len(placed) < players:
        outcome, counters = search(game, len(placed), free)
        if outcome is None:
            return None
        pairs, free, tied = dict(enumerate(outcome.moves, start=len(placed))), outcome.free, outcome.tied
    for player in reversed(range(min(players, len(placed)))):  # those whose first settlement stood already
        turn = 2 * players - 1 - player
        if turn < len(placed):
            pairs[player] = placed[player], placed[turn]
            continue
        first = placed[player]
        choice = best_second(game, player, first, free)
        if choice is None:
            return None
        second = choice
        tied = tied or another_second(game, player, first, second, free)
        pairs[player] = first, second
        free &= ~game.near[second]
    return Played(tuple(pairs[player] for player in range(players)), tied, counters)


SEARCHES: dict[str, Search] = {"feasibility": search_plain, "memo": search_memo, "bounds": search_bounds}
"""The three searches by the name of their method."""


def solve_by_tree(
    board: Board, goals: tuple[Objective, ...], method: str, placed: Placed
) -> Placement | None:
    """Solve one board with one of `SEARCHES`; None where not all settlements find room."""
    started = time.perf_counter()
    batch, land = batch_of([board]), open_vertices(board)
    wants = {goal: preferences(score_pairs(batch, goal), 0, land) for goal in dict.fromkeys(goals)}
    game = position(board, tuple(wants[goal] for goal in goals))
    vertices = [v for _, v in placed]
    free = sum(1 << v for v in free_vertices(board, vertices))
    played = play(game, free, vertices, SEARCHES[method])
    if played is None:
        return None
    values = tuple(float(goal.value(board, pair)) for goal, pair in zip(goals, played.pairs, strict=True))
    spent = time.perf_counter() - started
    return Placement.of(board, goals, played.pairs, values, played.tied, method, played.counters, spent)
