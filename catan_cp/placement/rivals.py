"""The draft among rivals: every settlement a decision, and everybody minds being behind.

Today's game lets a player look at its own settlements only, so that second settlements need no thought.
Here player p maximises ``value_p - rivalry_p * max(value_q of a rival q)``, and a second settlement may
stand where it keeps a rival from a better one. `catan_cp.placement.lookahead` has the search and its bounds.

>>> from catan_cp.boards.board import Board
>>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
>>> goals = (Objective(rivalry=1),) * 2
>>> found = solve_rivals(board, goals, ())
>>> found.settlements, [round(216 * value) for value in found.values]
(((2, 24), (34, 19)), [1024, 1024])
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from threading import Event

import numpy as np

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument
from catan_cp.placement.compiled import FAST, prepare, run, table, zeros
from catan_cp.placement.game import Counters, Placed, Placement, Roads, snake
from catan_cp.placement.kernel import (
    ALIVE,
    LOWEST,
    PAUSED,
    Draft,
    Work,
    best_rival_at_least,
    bounds_of,
    lead,
    put,
    take,
    worth,
)
from catan_cp.placement.lookahead import WIDTH, search
from catan_cp.placement.objective import Objective
from catan_cp.placement.roads import best_reach, road_towards, way_tables
from catan_cp.placement.spots import free_vertices
from catan_cp.placement.tables import batch_of, geometry, score_pairs

_LARGEST = 1 << 60
"""Leads stay below this, so that their products with denominators fit 64 bits."""

_AT_A_TIME = 200_000
"""Positions between two chances for Ctrl-C: some tenths of a second where numba is installed."""


class Table:
    """A draft in progress: settlements are put on it and taken back; it solves what follows."""

    def __init__(
        self,
        board: Board,
        goals: tuple[Objective, ...],
        placed: Placed = (),
        roads: Roads = (),
        stop: Event | None = None,
    ) -> None:
        """Make the tables of a board, and put the settlements *placed*, with their *roads*, on it.

        Another thread ends the search by setting *stop*.

        Raises:
            InvalidArgument: the weights' denominators are too long for exact 64-bit integers.
        """
        self.board, self.goals, self.stop = board, goals, stop
        self.players, self.turns = len(goals), snake(len(goals))
        players, vertices = self.players, board.layout.n_vertices
        batch = batch_of([board])
        self.given = roads
        plain = [replace(goal, rivalry=0) for goal in goals]
        kinds = list(dict.fromkeys(plain))
        scores = [score_pairs(batch, kind) for kind in kinds]
        rivalries = [Fraction(goal.rivalry) for goal in goals]
        self.den = math.lcm(*(rivalry.denominator for rivalry in rivalries))
        num = [int(rivalry * self.den) for rivalry in rivalries]
        self.unit = 1
        if any(score.scale is None for score in scores):
            raise _too_long()
        shares = [Fraction(kind.expansion) for kind in kinds]
        self.unit = math.lcm(*(score.scale[0] for score in scores if score.scale is not None))
        self.unit *= math.lcm(*(share.denominator for share in shares))
        own, partners, rank, extra, place = [], [], [], [], []
        for score, share in zip(scores, shares, strict=True):
            assert score.scale is not None
            factor = self.unit // score.scale[0]
            most = int(score.pairs.max()) + share * int(score.singles.max())
            if most * factor * (self.den + max(num)) ** 2 >= _LARGEST:
                raise _too_long()
            added = [int(share * factor * int(single)) for single in score.singles[0]]
            extra.append([*added, 0, max(added)])
            pairs = score.pairs[0].astype(np.int64)
            order = np.argsort(-pairs, axis=1, kind="stable")
            place.append(np.argsort(order, axis=1))
            partners.append(np.where(np.take_along_axis(pairs, order, axis=1) < 0, -1, order))
            own.append(np.where(pairs < 0, -1, pairs * factor))
            tries = np.argsort(-score.singles[0], kind="stable")
            ranks = np.empty(vertices, dtype=np.int64)
            ranks[tries] = np.arange(vertices)
            rank.append(ranks)
        self.rank = [rank[kinds.index(goal)].tolist() for goal in plain]
        closed = geometry(board.layout).closed.copy()
        closed[:, 1:][closed[:, 1:] == closed[:, :1]] = vertices
        reached, towards = way_tables(board)
        self.draft = Draft(
            players,
            vertices,
            self.den,
            table(num),
            table([kinds.index(goal) for goal in plain]),
            table(closed.reshape(-1)),
            table(np.stack(own).reshape(-1)),
            table(np.stack(partners).reshape(-1)),
            table(np.stack(rank).reshape(-1)),
            int(any(shares)),
            table(reached),
            table(towards),
            table(np.array(extra).reshape(-1)),
            table(np.stack(place).reshape(-1)),
            int(len(free_vertices(board, ())) > 4 * (2 * players - 1)),
        )
        self.work = Work(
            zeros(vertices + 1),
            zeros(2 * players),
            zeros((2 * players + 1) * 2 * players),
            zeros((2 * players + 1) * players),
            zeros(2 * players * vertices),
            zeros((2 * players + 1) * WIDTH),
            table([0, 0, 0, -1]),
            table([-1 if road is None else road for road in (*roads, *[None] * (2 * players - len(roads)))]),
            zeros(4 * players),
        )
        for v in set(range(vertices)) - set(free_vertices(board, ())):
            self.work.blocked[v] += 1
        self.turn = 0
        for _, v in placed:
            self.put(v)

    def compile(self) -> None:
        """Compile all that a search calls, if that has not been done; Ctrl-C ends it at once."""
        draft, work = self.draft, self.work
        prepare(search, draft, work, 0, LOWEST, -1, 0)
        prepare(worth, draft, work, 0)
        prepare(lead, draft, work, 0, 0)
        prepare(bounds_of, draft, work, 0)
        prepare(best_rival_at_least, draft, work, 0, 0)

    def put(self, vertex: int) -> None:
        """Settle *vertex* at the next turn."""
        run(put, self.draft, self.work, self.turn, vertex)
        self.turn += 1

    def take(self) -> None:
        """Take the last settlement back."""
        self.turn -= 1
        run(take, self.draft, self.work, int(self.work.spots[self.turn]))

    def free(self) -> list[int]:
        """Return the vertices that are free."""
        return [v for v in range(self.draft.vertices) if self.work.blocked[v] == 0]

    def solve(self, floor: int = LOWEST, above: int = -1, above_floor: int = 0) -> bool:
        """Solve what follows; see `lookahead.search`. Say whether there is a course.

        Raises:
            KeyboardInterrupt: on Ctrl-C, or where `stop` is set.
        """
        if self.turn == 2 * self.players:
            return True
        counts = self.work.counts
        found = PAUSED
        while found == PAUSED:  # compiled code does not notice Ctrl-C; between two calls, Python does
            counts[2] = counts[0] + _AT_A_TIME
            if self.stop is not None and self.stop.is_set():
                raise KeyboardInterrupt
            found = run(search, self.draft, self.work, self.turn, floor, above, above_floor)
        counts[2] = 0
        return bool(found == ALIVE)

    def course(self) -> list[int]:
        """Return the settlements that stand, and those that `solve` found to follow."""
        row = self.turn * 2 * self.players
        spots = [int(v) for v in self.work.spots[: self.turn]]
        return spots + [int(v) for v in self.work.course[row + self.turn : row + 2 * self.players]]

    def values(self, course: list[int]) -> list[int]:
        """Return what everybody has at the end of a whole course, times unit."""
        stands = self.turn
        for vertex in course[stands:]:
            self.put(vertex)
        for q in range(self.players):
            self.work.values[q] = run(worth, self.draft, self.work, q)
        while self.turn > stands:
            self.take()
        return [int(value) for value in self.work.values[: self.players]]

    def lead(self, course: list[int], player: int) -> int:
        """Return the player's lead (players from 0) at the end of a whole course, times den and unit."""
        self.values(course)
        return int(run(lead, self.draft, self.work, 0, player))

    def follow(self, vertex: int, floor: int) -> tuple[list[int], int] | None:
        """Return the course after the next player settles *vertex*, and the lead that the player then has.

        None where that is *floor* or less, or somebody is left without room.
        """
        player = self.turns[self.turn] - 1
        self.put(vertex)
        if self.turn == 2 * self.players:
            solved = True
            self.work.values[self.turn * self.players :] = self.values([int(v) for v in self.work.spots])
        elif self.turns[self.turn] - 1 == player:
            solved = self.solve(floor)
        else:
            solved = self.solve(above=player, above_floor=floor)
        ahead = int(run(lead, self.draft, self.work, self.turn, player)) if solved else LOWEST
        course = self.course() if ahead > floor else None
        self.take()
        return None if course is None else (course, ahead)

    def decide(self) -> tuple[list[int], bool] | None:
        """Return the course of play, and whether another next settlement leads as far, to other ones."""
        turn, best, tied = self.turn, LOWEST, False
        course: list[int] = []
        for v, most in self.candidates():
            if most < best:
                break
            earlier = not course or self.first_in_order(v) < self.first_in_order(course[turn])
            found = self.follow(v, best if tied and not earlier else max(LOWEST, best - 1))
            if found is not None:
                other, ahead = found
                tied = ahead == best and (tied or sets_of(other) != sets_of(course))
                course, best = (other, ahead) if ahead > best or earlier else (course, best)
        return (course, tied) if course else None

    def candidates(self) -> Iterator[tuple[int, int]]:
        """Yield the next player's vertices with the most that each can lead by, the largest first."""
        player, draft, work = self.turns[self.turn] - 1, self.draft, self.work
        run(bounds_of, draft, work, self.turn)
        start = self.turn * draft.vertices
        keys = [int(key) for key in work.keys[start : start + draft.vertices]]
        num = int(draft.num[player])
        least = int(run(best_rival_at_least, draft, work, self.turn, player)) if num else 0
        for v in sorted(range(len(keys)), key=lambda v: -keys[v]):
            if keys[v] >= 0:
                yield v, self.den * keys[v] - num * least

    def first_in_order(self, vertex: int) -> tuple[int, int]:
        """Return the place of *vertex* among the next player's candidates; smaller is tried earlier."""
        player = self.turns[self.turn] - 1
        if self.turn < self.players:
            return self.rank[player][vertex], vertex
        row = (self.draft.goal[player] * self.draft.vertices + self.work.spots[player]) * self.draft.vertices
        return -int(self.draft.own[row + vertex]), vertex


def _too_long() -> InvalidArgument:
    return InvalidArgument(
        "the weights or rivalries have denominators too long for exact play among rivals; "
        "give simpler numbers, such as 0.3 or 1/3"
    )


def sets_of(course: list[int]) -> list[frozenset[int]]:
    """Return each player's two vertices, whichever came first."""
    players = len(course) // 2
    return [frozenset((course[p], course[2 * players - 1 - p])) for p in range(players)]


def solve_rivals(
    board: Board,
    goals: tuple[Objective, ...],
    placed: Placed,
    roads: Roads = (),
    stop: Event | None = None,
) -> Placement | None:
    """Solve the draft of one board from the settlements *placed*; None where not all find room.

    Args:
        board: the board.
        goals: what each player wants.
        placed: what stands.
        roads: the roads of what stands.
        stop: ends the search, with KeyboardInterrupt, when another thread sets it.
    """
    started = time.perf_counter()
    draft = Table(board, goals, placed, roads, stop)
    decided = (draft.course(), False) if draft.turn == 2 * draft.players else draft.decide()
    if decided is None:
        return None
    counters = Counters(calls=int(draft.work.counts[0]), cut=int(draft.work.counts[1]))
    course, tied = decided
    if not tied and draft.turn < 2 * draft.players:
        draft.put(course[draft.turn])
        tied = any_tie(draft, course)
    return placement_of(board, goals, course, tied, counters, time.perf_counter() - started, roads)


def placement_of(
    board: Board,
    goals: tuple[Objective, ...],
    course: list[int],
    tied: bool,
    counters: Counters,
    seconds: float,
    roads: Roads = (),
) -> Placement:
    """Return a whole course of play as a `Placement`; *roads* are those of the settlements that stood."""
    n = len(goals)
    pairs = [(course[p], course[2 * n - 1 - p]) for p in range(n)]
    laid: list[int | None] = [*roads, *[None] * (2 * n - len(roads))]
    values = []
    for p, (goal, pair) in enumerate(zip(goals, pairs, strict=True)):
        value = goal.value(board, pair)
        if goal.expansion:
            value += Fraction(goal.expansion) * best_reach(
                board, goal, pair, course, (laid[p], laid[2 * n - 1 - p])
            )
        values.append(float(value))
    for turn, player in list(enumerate(snake(n)))[len(roads) :]:
        laid[turn] = road_towards(board, goals[player - 1], course[turn], course)
    return Placement.of(
        board, goals, pairs, tuple(values), tied, "rivals", counters, seconds, tuple(laid), len(roads)
    )


def any_tie(draft: Table, course: list[int]) -> bool:
    """Say whether at a decision on the course another choice led as far, to other settlements."""
    mine = sets_of(course)
    start = draft.turn
    tied = False
    for turn in range(start, 2 * draft.players):
        player = draft.turns[turn] - 1
        best = draft.lead(course, player)
        for v, most in draft.candidates():
            if most < best:
                break
            other = draft.follow(v, best - 1) if v != course[turn] else None
            if other is not None and sets_of(other[0]) != mine:
                tied = True
                break
        if tied:
            break
        draft.put(course[turn])
    while draft.turn > start:
        draft.take()
    return tied


def solve_rivals_many(boards: Sequence[Board], goals: tuple[Objective, ...]) -> list[Placement | None]:
    """Solve the draft of many boards; on all cores where numba compiles the search, outside the GIL."""
    if not FAST or len(boards) < 2:
        return [solve_rivals(board, goals, ()) for board in boards]
    Table(boards[0], goals).compile()  # here, since Ctrl-C comes to the main thread only
    stop = Event()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            return list(pool.map(lambda board: solve_rivals(board, goals, (), stop=stop), boards))
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def rank_moves(
    board: Board, goals: tuple[Objective, ...], placed: Placed, k: int, roads: Roads = ()
) -> list[tuple[int, float, Placement]]:
    """Return the next player's *k* best vertices as (vertex, lead, what follows), best first."""
    started = time.perf_counter()
    draft = Table(board, goals, placed, roads)
    ranked: list[tuple[tuple[int, tuple[int, int]], int, list[int]]] = []
    for v, most in draft.candidates():
        floor = LOWEST if len(ranked) < k else -ranked[-1][0][0] - 1
        found = draft.follow(v, floor) if most > floor else None
        if found is not None:
            course, ahead = found
            ranked.append(((-ahead, draft.first_in_order(v)), v, course))
            ranked = sorted(ranked)[:k]
    counters = Counters(calls=int(draft.work.counts[0]), cut=int(draft.work.counts[1]))
    share = (time.perf_counter() - started) / max(1, len(ranked))
    unit = draft.den * draft.unit
    return [
        (v, -key[0] / unit, placement_of(board, goals, course, False, counters, share, roads))
        for key, v, course in ranked
    ]
