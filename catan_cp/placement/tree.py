"""The report's three searches, one board at a time: the plain tree, with a memory, and with bounds.

All three walk the same tree, that of the report's section on its search: a call stands for a position in
which the players before *player* have placed their first settlements; the call for player N + 1 ends at once.
A position is the bit mask of the vertices that are still free. Counted this way, four players on ``base``
take 5,634,937 calls without and 983,839 with a memory of (player, occupied vertices), on every board.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from catan_cp.placement.spots import Counters, Position, Solved, open_vertices
from catan_cp.placement.tables import Scores, batch_of, score_pairs

SEARCHES = ("feasibility", "memo", "bounds")
"""The searches by the names of their methods; each does what those before it do, and more."""


class _Wants(NamedTuple):
    """What one player wants on one board.

    Attributes:
        candidates: the vertices one may settle, in the order in which they are tried first.
        partners: per vertex, the vertices that can join it, the best pair first, then by number.
        scores: per vertex and partner, what the pair is worth.
    """

    candidates: list[int]
    partners: list[list[int]]
    scores: list[list[int]]


class _Outcome(NamedTuple):
    """How play goes on from a position: each later player's (first, second), and what is left free."""

    moves: tuple[tuple[int, int], ...]
    free: int


class _Tree:
    """A search in progress: what it remembers, and what it has done; near[v] masks v and its neighbours."""

    def __init__(self, position: Position, method: str) -> None:
        board = position.board
        self.near = [sum(1 << u for u in (v, *near)) for v, near in enumerate(board.layout.vertex_neighbors)]
        batch, land = batch_of([board]), set(open_vertices(board))
        wants = {goal: _wants(score_pairs(batch, goal), land) for goal in dict.fromkeys(position.goals)}
        self.wants = [wants[goal] for goal in position.goals]
        self.bounds = method == "bounds"
        self.memory: dict[tuple[int, int], _Outcome | None] | None = None if method == SEARCHES[0] else {}
        self.calls = self.cut = 0

    def visit(self, player: int, occupied: int, free: int) -> _Outcome | None:
        """Return how play goes on from *player* (0 for player 1) on; None where somebody finds no vertex."""
        self.calls += 1
        if self.memory is None:
            return self._best(player, occupied, free)
        key = player, occupied
        if key not in self.memory:
            self.memory[key] = self._best(player, occupied, free)
        return self.memory[key]

    def _best(self, player: int, occupied: int, free: int) -> _Outcome | None:
        """Let *player* try every candidate, and return what the best leads to.

        With bounds, a candidate can at best lead to its best free partner in the pair table. Candidates are
        tried by that bound, highest first, then in the usual order; the first that cannot beat the best so
        far ends the search, for all after it are no better.
        """
        if player == len(self.wants):
            return _Outcome((), free)
        best, mark = None, (-1, 0)
        ranked = self.ranked(player, free)
        for tried, (bound, rank, v) in enumerate(ranked):
            if self.bounds and (bound, rank) <= mark:
                self.cut += len(ranked) - tried
                break
            found = self.follow(player, occupied, free, v)
            if found is not None and (found[0], rank) > mark:
                mark, best = (found[0], rank), found[1]
        return best

    def follow(self, player: int, occupied: int, free: int, v: int) -> tuple[int, _Outcome] | None:
        """Return what *player*'s first settlement on *v* is worth and leads to."""
        later = self.visit(player + 1, occupied | 1 << v, free & ~self.near[v])
        second = None if later is None else self.best_second(player, v, later.free)
        if later is None or second is None:
            return None
        outcome = _Outcome(((v, second), *later.moves), later.free & ~self.near[second])
        return self.wants[player].scores[v][second], outcome

    def ranked(self, player: int, free: int) -> list[tuple[int, int, int]]:
        """Per free candidate (score of its best pair, minus its rank, the vertex), in the order of trying.

        With bounds the best come first, and those that have no partner are left out; without, scores are 0.
        """
        wants, found = self.wants[player], []
        for rank, v in enumerate(wants.candidates):
            if free >> v & 1:
                second = next((u for u in wants.partners[v] if free >> u & 1), None) if self.bounds else v
                if second is not None:
                    found.append((wants.scores[v][second] if self.bounds else 0, -rank, v))
        return sorted(found, reverse=True)

    def best_second(self, player: int, first: int, free: int, but: int | None = None) -> int | None:
        """Return the free vertex that makes the best pair with *first* (none *but* this), None where none is.

        A vertex that would leave one of the players before *player*, who place their second settlements
        afterwards, without room is no choice: such a course of play has no end.
        """
        for second in self.wants[player].partners[first]:
            if free >> second & 1 and second != but and self.has_room(free & ~self.near[second], player):
                return second
        return None

    def has_room(self, free: int, settlements: int) -> bool:
        """Say whether so many more settlements fit on the *free* vertices, by the distance rule.

        Each settlement takes at most four vertices away, itself and its neighbours, so that on any but the
        smallest boards a count answers; otherwise this searches for an independent set of that size.
        """
        if free.bit_count() > 4 * (settlements - 1):
            return True
        while free:
            lowest = free & -free
            if self.has_room(free & ~self.near[lowest.bit_length() - 1], settlements - 1):
                return True
            free ^= lowest  # no such set holds the lowest vertex, so leave it out
        return settlements <= 0

    def is_tied(self, player: int, free: int, moves: tuple[tuple[int, int], ...]) -> bool:
        """Say whether another first settlement of *player* is as good as in *moves* and leads elsewhere."""
        score = self.wants[player].scores[moves[0][0]][moves[0][1]]
        for bound, _, v in self.ranked(player, free):
            if bound < score:
                break
            found = None if v == moves[0][0] else self.follow(player, 0, free, v)
            if found is not None and found[0] == score and _sets(found[1].moves) != _sets(moves):
                return True
        return False


def _wants(scores: Scores, allowed: set[int]) -> _Wants:
    singles, pairs = scores.singles[0], scores.pairs[0]
    able = (pairs >= 0).sum(axis=1).tolist()
    order = np.argsort(-pairs, axis=1, kind="stable").tolist()
    return _Wants(
        candidates=[v for v in np.argsort(-singles, kind="stable").tolist() if v in allowed],
        partners=[row[:count] for row, count in zip(order, able, strict=True)],
        scores=pairs.tolist(),
    )


def _sets(moves: tuple[tuple[int, int], ...]) -> list[frozenset[int]]:
    return [frozenset(pair) for pair in moves]


def solve_by_tree(position: Position, method: str) -> Solved | None:
    """Solve a position with one of `SEARCHES`; None where not all settlements find room."""
    started = time.perf_counter()
    tree, players = _Tree(position, method), position.players
    course, done = [v for _, v in position.placed], len(position.placed)
    free, tied = sum(1 << v for v in position.free()), False
    outcome = tree.visit(done, 0, free) if done < players else _Outcome((), free)
    if outcome is None:
        return None
    hits = tree.calls - len(tree.memory) if tree.memory else 0
    counters = Counters(tree.calls, tree.cut, hits, tree.calls - hits)
    tree.bounds, tree.memory = True, {}  # ties are looked for apart, in the quickest way, and do not count
    for player in range(done, players):
        moves = outcome.moves[player - done :]
        tied = tied or tree.is_tied(player, free, moves)
        course.append(moves[0][0])
        free &= ~tree.near[course[-1]]
    while len(course) < 2 * players:
        player = 2 * players - 1 - len(course)
        first, scores = course[player], tree.wants[player].scores[course[player]]
        second = tree.best_second(player, first, free)
        if second is None:
            return None
        other = tree.best_second(player, first, free, second)
        tied = tied or (other is not None and scores[other] == scores[second])
        course.append(second)
        free &= ~tree.near[second]
    return Solved(course, tied, counters, time.perf_counter() - started, None, method)
