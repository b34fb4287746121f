"""The draft with rivalry: its tables, its search and its line of play.

Christenson et al. (2025) first define a game in which a player looks at its own settlements only, so that
second settlements need no search. With rivalry, player p maximizes
``value_p - rivalry_p * max(value_q of a rival q)``. A second settlement may then keep a rival from a better
vertex, so every settlement is a decision. `catan_cp.placement.lookahead` has the search and its bounds.

>>> from catan_cp.boards.board import Board
>>> from catan_cp.placement.objective import Objective
>>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
>>> Table.of(Position(board, (Objective(rivalry=1),) * 2)).solved().line
[2, 34, 19, 24]
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from catan_cp.compiled import call_apart, is_fast, run, table, zeros
from catan_cp.errors import InvalidArgument
from catan_cp.placement import lookahead
from catan_cp.placement.lookahead import LOWEST, DraftTables, Work
from catan_cp.placement.positions import Position, Roads, Solved, open_vertices, snake
from catan_cp.placement.roads import Ways, ways
from catan_cp.placement.tables import Scores, Sites, batch_of, geometry, score_pairs
from catan_cp.processes import usable_cores

T = TypeVar("T")

_LARGEST = 1 << 60
"""Leads stay below this number, so that their products with denominators fit 64 bits."""


class Table:
    """A draft in progress: places settlements, takes them back and solves the rest."""

    def __init__(self, draft: DraftTables, unit: int = 0, stop: Any = None, roads: Roads = ()) -> None:
        """Begin a draft with its tables, the common denominator of its values, and the roads known.

        Another thread ends the search by setting the only cell of *stop*, as `interruptible` does.
        """
        self.draft, self.unit = draft, unit
        self.players, self.turns = draft.players, snake(draft.players)
        turns, vertices = len(self.turns), draft.vertices
        fixed = [-1 if road is None else road for road in roads]
        self.work = Work(
            blocked=zeros(vertices + 1),
            spots=zeros(turns),
            line=zeros((turns + 1) * turns),
            values=zeros((turns + 1) * self.players),
            keys=zeros(turns * vertices),
            counts=zeros(2),
            stop=zeros(1) if stop is None else stop,
            fixed=table([*fixed, *[-1] * (turns - len(fixed))]),
        )
        self.turn = 0

    @classmethod
    def of(cls, position: Position, stop: Any = None) -> Table:
        """Make the tables of a board and place the settlements of the position.

        Raises:
            InvalidArgument: the denominators of the weights are too long for exact 64-bit integers.
        """
        table = cls(*_board_tables(position), stop, position.roads)
        for v in set(range(table.draft.vertices)).difference(open_vertices(position.board)):
            table.work.blocked[v] += 1
        for _, v in position.placed:
            table.put(v)
        return table

    def put(self, vertex: int) -> None:
        """Settle *vertex* at the next turn."""
        run(lookahead.put, self.draft, self.work, self.turn, vertex)
        self.turn += 1

    def take(self) -> None:
        """Take the last settlement back."""
        self.turn -= 1
        run(lookahead.block, self.draft, self.work, int(self.work.spots[self.turn]), -1)

    def free(self) -> list[int]:
        """Return the free vertices."""
        return [v for v in range(self.draft.vertices) if self.work.blocked[v] == 0]

    def solve(self, floor: int = LOWEST, above: int = -1, above_floor: int = 0) -> bool:
        """Solve the rest of the draft by `lookahead.search`.

        Returns:
            True if a line of play exists.

        Raises:
            KeyboardInterrupt: another thread has set the cell of *stop*.
        """
        state = run(lookahead.search, self.draft, self.work, self.turn, floor, above, above_floor)
        if state == lookahead.STOPPED:
            raise KeyboardInterrupt
        return bool(state == lookahead.ALIVE)

    def line(self) -> list[int]:
        """Return the settlements placed, followed by those that `solve` found."""
        row = self.turn * 2 * self.players
        spots = [int(v) for v in self.work.spots[: self.turn]]
        return spots + [int(v) for v in self.work.line[row + self.turn : row + 2 * self.players]]

    def lead(self, player: int) -> int:
        """Return the lead of a player (from 0) on the line that `solve` found.

        The lead is an integer: the exact lead times the common denominators of rivalries and of values.
        """
        return int(run(lookahead.lead, self.draft, self.work, self.turn, player))

    def leads(self, line: Sequence[int]) -> list[int]:
        """Return every player's lead at the end of a complete line of play."""
        start = self.turn
        for vertex in line[start:]:
            self.put(vertex)
        self.solve()
        leads = [self.lead(player) for player in range(self.players)]
        while self.turn > start:
            self.take()
        return leads

    def follow(self, vertex: int, floor: int) -> tuple[list[int], int] | None:
        """Return the line of play after the next player settles *vertex*, and that player's lead.

        Returns:
            None if the lead is *floor* or less, or if the draft cannot be completed.
        """
        player = self.turns[self.turn]
        self.put(vertex)
        again = self.turns[self.turn : self.turn + 1] == (player,)
        solved = self.solve(floor) if again else self.solve(above=player - 1, above_floor=floor)
        line, lead = (self.line(), self.lead(player - 1)) if solved else ([], LOWEST)
        self.take()
        return (line, lead) if lead > floor else None

    def ranked(self, k: int = 1) -> list[tuple[int, int, int, list[int]]]:
        """Return the next player's *k* best vertices, and all others equal to the last of them.

        Returns:
            Tuples (minus the lead, place among equals, vertex, line of play) in increasing order.
        """
        moves: list[tuple[int, int, int, list[int]]] = []
        for v, most in self.candidates():
            floor = LOWEST if len(moves) < k else -moves[k - 1][0] - 1
            after = self.follow(v, floor) if most > floor else None
            if after is not None:
                moves = sorted([*moves, (-after[1], self.order_of(v), v, after[0])])
        return moves

    def as_good(self, line: list[int]) -> Iterator[list[int]]:
        """Yield the lines of play of other candidates with a lead not below that of *line*."""
        best = self.leads(line)[self.turns[self.turn] - 1]
        for v, most in self.candidates():
            if most < best:
                break
            after = self.follow(v, best - 1) if v != line[self.turn] else None
            if after is not None:
                yield after[0]

    def candidates(self) -> Iterator[tuple[int, int]]:
        """Yield the next player's vertices with bounds of their leads, the largest first."""
        player, draft, work = self.turns[self.turn] - 1, self.draft, self.work
        run(lookahead.bounds_of, draft, work, self.turn)
        start = self.turn * draft.vertices
        keys = [int(key) for key in work.keys[start : start + draft.vertices]]
        num = int(draft.num[player])
        least = int(run(lookahead.best_rival_at_least, draft, work, self.turn, player)) if num else 0
        for v in sorted(range(len(keys)), key=lambda v: -keys[v]):
            if keys[v] >= 0:
                yield v, draft.den * keys[v] - num * least

    def order_of(self, vertex: int) -> int:
        """Return the place of *vertex* among the candidates, by `lookahead.order_of`."""
        return int(run(lookahead.order_of, self.draft, self.work, self.turn, vertex))

    def solved(self) -> Solved | None:
        """Return the line of play from the current position, or None if none exists."""
        started, end = time.perf_counter(), 2 * self.players
        moves = [(0, 0, 0, self.line())] if self.turn == end else self.ranked()
        if not moves:
            return None
        nodes, cut = map(int, self.work.counts)  # the search for ties below does not count
        most, _, _, line = moves[0]
        outcome = sets_of(line)
        tied = any(lead == most and sets_of(alternative) != outcome for lead, _, _, alternative in moves)
        while not tied and self.turn < end - 1:
            self.put(line[self.turn])
            tied = any(sets_of(alternative) != outcome for alternative in self.as_good(line))
        return Solved(line, tied, nodes, cut, time.perf_counter() - started)


def _board_tables(position: Position) -> tuple[DraftTables, int]:
    """Return the tables of a draft on a board and the common denominator of all values, the unit.

    Raises:
        InvalidArgument: the exact numbers are too long and ranks are not enough.
    """
    board, goals = position.board, position.goals
    batch = batch_of([board])
    plain = [replace(goal, rivalry=0) for goal in goals]
    kinds = list(dict.fromkeys(plain))
    scores = [score_pairs(batch, kind) for kind in kinds]
    kind = [kinds.index(goal) for goal in plain]
    rivalries = [Fraction(goal.rivalry) for goal in goals]
    shares = [Fraction(kind.expansion) for kind in kinds]
    return draft_tables(
        scores, kind, geometry(board.layout), position.is_roomy, rivalries, shares, ways(board)
    )


def draft_tables(
    scores: Sequence[Scores],
    kind: Sequence[int],
    sites: Sites,
    is_roomy: bool,
    rivalries: Sequence[Fraction] = (),
    shares: Sequence[Fraction] = (),
    ways: Ways = (),
) -> tuple[DraftTables, int]:
    """Return the tables of a draft and the common denominator of all values, the unit.

    Without rivalry and expansion, only the order of values counts. If the exact numbers are too long, the
    tables then have ranks, and the unit is 0.

    Args:
        scores: the scores of one board or graph by each of G different objectives.
        kind: (N) the number of each player's objective.
        sites: the pairs of vertices that exclude each other.
        is_roomy: whether all settlements are sure to find a free vertex.
        rivalries: (N) the rivalry of each player. The default is 0 for all.
        shares: (G) the weight of expansion. The default is 0 for all.
        ways: per vertex, the pairs (end of first road, end of second road).

    Raises:
        InvalidArgument: the exact numbers are too long and ranks are not enough.
    """
    players, vertices, near = len(kind), *sites.closed.shape
    rivalries, shares = rivalries or [Fraction(0)] * players, shares or [Fraction(0)] * len(scores)
    minds_others = any(rivalries) or any(shares)
    den = math.lcm(*(rivalry.denominator for rivalry in rivalries))
    num = [int(rivalry * den) for rivalry in rivalries]
    unit = _unit(scores, shares, (den + max(num)) ** 2)
    if unit == 0 and minds_others:
        raise too_long()
    own, partners, rank, extra, place = [], [], [], [], []
    for score, share in zip(scores, shares, strict=True):
        factor = unit // score.scale[0] if unit and score.scale else 1
        added = [int(share * factor * int(single)) for single in score.singles[0]]
        extra.append([*added, 0, max(added)])
        pairs = score.pairs[0].astype(np.int64)
        order = np.argsort(-pairs, axis=1, kind="stable")
        place.append(np.argsort(order, axis=1))
        partners.append(np.where(np.take_along_axis(pairs, order, axis=1) < 0, -1, order))
        own.append(np.maximum(pairs * factor, -1))
        rank.append(np.argsort(np.argsort(-score.singles[0], kind="stable")))
    closed = sites.closed.copy()
    closed[:, 1:][closed[:, 1:] == closed[:, :1]] = vertices
    padded = [[*pairs, *[(vertices, vertices)] * (6 - len(pairs))] for pairs in ways or [()] * vertices]
    roads, reached = np.array(padded).reshape(-1, 2).T
    draft = DraftTables(
        players=players,
        vertices=vertices,
        den=den,
        num=table(num),
        goal=table(kind),
        near=near,
        closed=table(closed.reshape(-1)),
        own=table(np.stack(own).reshape(-1)),
        partners=table(np.stack(partners).reshape(-1)),
        rank=table(np.stack(rank).reshape(-1)),
        expanding=int(any(shares)),
        ways=table(reached),
        roads=table(roads),
        extra=table(np.array(extra).reshape(-1)),
        place=table(np.stack(place).reshape(-1)),
        roomy=int(is_roomy),
        careless=int(is_roomy and not minds_others),
    )
    return draft, unit


def too_long() -> InvalidArgument:
    """Return the error for exact numbers that are needed and do not fit 64 bits."""
    return InvalidArgument(
        "weights and rivalries must have denominators short enough for exact integers of 64 bits; "
        "use simpler numbers, such as 0.3 or 1/3"
    )


def _unit(scores: Sequence[Scores], shares: Sequence[Fraction], most: int) -> int:
    """Return the common denominator of all values.

    It is 0 if values times *most* do not fit 64 bits.
    """
    scales = [score.scale[0] for score in scores if score.scale is not None]
    if len(scales) < len(scores):
        return 0
    unit = math.lcm(*scales) * math.lcm(*(share.denominator for share in shares))
    for score, scale, share in zip(scores, scales, shares, strict=True):
        largest = int(score.pairs.max()) + share * int(score.singles.max())
        if largest * (unit // scale) * most >= _LARGEST:
            return 0
    return unit


def interruptible(work: Callable[[Any], T]) -> T:
    """Call *work* in a thread that Ctrl-C can stop, and return its result.

    Compiled code does not notice Ctrl-C. So *work* runs in another thread while this one waits. *work* takes
    a cell, and ends when the cell is set. Ctrl-C sets the cell and is raised again.
    """
    stop, results = zeros(1), []
    try:
        call_apart(lambda: results.append(work(stop)))
    except BaseException:
        stop[0] = 1
        raise
    return results[0]


def sets_of(line: Sequence[int]) -> list[frozenset[int]]:
    """Return each player's two vertices, in either order."""
    players = len(line) // 2
    return [frozenset((line[p], line[2 * players - 1 - p])) for p in range(players)]


def solve_rivals(positions: Sequence[Position]) -> list[Solved | None]:
    """Solve drafts, on all cores if numba is installed.

    The result is None for a draft that cannot be completed.

    Raises:
        InvalidArgument: the denominators of the weights are too long for exact 64-bit integers.
    """

    def work(stop: Any) -> list[Solved | None]:
        first = Table.of(positions[0], stop).solved()  # this call compiles the search
        with ThreadPoolExecutor(usable_cores() if is_fast() else 1) as pool:
            return [first, *pool.map(lambda position: Table.of(position, stop).solved(), positions[1:])]

    return interruptible(work)


def rank_moves(position: Position, k: int) -> list[tuple[int, float, Solved]]:
    """Return the next player's *k* best vertices as (vertex, lead, solution), best first."""

    def work(stop: Any) -> list[tuple[int, float, Solved]]:
        started, table = time.perf_counter(), Table.of(position, stop)
        ranked = table.ranked(k)[:k]
        unit, (nodes, cut) = table.draft.den * table.unit, map(int, table.work.counts)
        share = (time.perf_counter() - started) / max(1, len(ranked))
        return [(v, -behind / unit, Solved(line, False, nodes, cut, share)) for behind, _, v, line in ranked]

    return interruptible(work)
