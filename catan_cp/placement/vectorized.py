"""The placement of many boards at once: whole levels of the tree as arrays.

The search is that of `catan_cp.placement.tree.search_bounds`, turned sideways: all positions of a
level, over all boards, are one array, and their best candidates are evaluated together, wave by wave,
until no candidate is left whose bound beats what its position has reached.

What is free is a question of bits. Per board and vertex the partners are sorted, the best pair first,
and become the bits of one word, the best partner the highest. Settlements on the table clear bits, and
the highest one left is the best partner that is still free. Each settlement clears at most four
(itself and its neighbours), so the best 4 * (2N - 1) + 2 partners are all that N players can ask for,
one of them to see a tie; for six players that is 46 bits, and a 64-bit float finds the highest of up to 53 exactly.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catan_cp.board import Board
from catan_cp.placement.game import Counters, Placed, Placement, no_room
from catan_cp.placement.objective import Objective
from catan_cp.placement.tables import Geometry, Ints, Scores, batch_of, geometry, score_pairs

CHUNK = 64
"""Boards solved together: enough to hide what a numpy call costs, few enough to stay in cache."""

_WAVE = 64
"""Candidates to evaluate at once where there are few positions: looking ahead is cheaper than coming back."""

_EXPONENT_BIAS = 1023
_MANTISSA_BITS = 52


Index = NDArray[np.intp]


@dataclass(frozen=True)
class Wishes:
    """What one objective makes of a chunk of boards, for V vertices and P partners kept.

    Attributes:
        shift: bits that hold a vertex number in a key.
        keys: (board * V * P), each vertex's partners, worst first, as ``score << shift | mask - vertex``,
            so that bit p of a word stands for entry p and larger is always better.
        words: (board * V), the bits of the partners that a vertex has when the board is empty.
        cleared: (board * V, V), at [board * V + s, c] the bits of c's word that a settlement on s takes
            away; all of them where c itself is no longer free.
        rank: (board, V), ``mask - place`` of a vertex in the order in which candidates are tried.
        by_rank: (board, V), the vertex at each place.
    """

    shift: int
    kept: int
    keys: Ints
    words: NDArray[np.int64]
    cleared: NDArray[np.int64]
    rank: Ints
    by_rank: Index

    @property
    def mask(self) -> int:
        """The bits of a key that hold a vertex or a rank."""
        return (1 << self.shift) - 1


def wishes(scores: Scores, players: int, geo: Geometry) -> Wishes:
    """Sort every vertex's partners and turn them into words of bits."""
    boards, n, _ = scores.pairs.shape
    kept = min(n, 4 * (2 * players - 1) + 2)
    shift = n.bit_length()
    mask = (1 << shift) - 1
    top = int(scores.pairs.max(initial=0))
    dtype = np.int32 if max(top, int(scores.singles.max(initial=0))) < 1 << 30 - shift else np.int64
    numbers = mask - np.arange(n, dtype=dtype)
    keys = scores.pairs.astype(dtype)
    keys <<= shift
    keys |= numbers  # stays negative where it was
    keys.sort(axis=2)
    keys = np.ascontiguousarray(keys[:, :, n - kept :])
    partners = (mask - (keys & mask)).astype(np.intp)
    bits = np.where(keys < 0, 0, np.int64(1) << np.arange(kept, dtype=np.int64))
    # by_partner[board, y, c]: the bit that y is in c's word
    by_partner = np.zeros((boards, n, n), dtype=np.int64)
    place = np.arange(boards)[:, None, None] * (n * n) + partners * n + np.arange(n)[:, None]
    by_partner.reshape(-1)[place] = bits
    cleared = by_partner[:, geo.closed[:, 0]]
    for column in geo.closed.T[1:]:
        cleared |= by_partner[:, column]
    cleared[:, geo.too_near] = -1
    order = np.sort((scores.singles.astype(np.int64) << shift) | (mask - np.arange(n)), axis=1)[:, ::-1]
    by_rank = mask - (order & mask)
    rank = np.empty((boards, n), dtype=dtype)
    np.put_along_axis(rank, by_rank, numbers[None, :], axis=1)
    return Wishes(
        shift, kept, keys.reshape(-1), bits.sum(axis=2).reshape(-1), cleared.reshape(-1, n), rank, by_rank
    )


@dataclass(frozen=True)
class Found:
    """What positions lead to, one row each.

    Attributes:
        key: the best of the player to move: score, then rank of the first settlement; -1 for no way to play.
        moves: (position, 2 * players left) vertices: first and second of the player to move, then of the next...
        tied: whether another candidate was as good and led elsewhere; only where asked for.
    """

    key: Ints
    moves: Index
    tied: NDArray[np.bool_]


class _Game:
    """A chunk of boards, what each player wants on them, and a count of positions evaluated per board."""

    def __init__(self, wants: Sequence[Wishes], boards: int, n_vertices: int) -> None:
        self.wants = wants
        self.players = len(wants)
        self.n = n_vertices
        self.calls = np.zeros(boards, dtype=np.int64)

    def visit(self, player: int, board: Index, firsts: Index, ties: bool = False) -> Found:
        """Solve positions: *board* (M,) and *firsts* (M, F), settlements on the table, *player* to move."""
        self.calls += np.bincount(board, minlength=len(self.calls))
        wants = self.wants[player]
        bounds = self.bounds(wants, board, firsts)
        if player == self.players - 1 and not ties:  # nobody comes between: the best bound is the answer
            key, play = self.follow(player, board, firsts, bounds.max(axis=1))
            return Found(key, play, np.zeros(len(board), dtype=bool))
        bounds.sort(axis=1)
        best = np.full(len(board), -1, dtype=bounds.dtype)
        moves = np.zeros((len(board), 2 * (self.players - player)), dtype=np.intp)
        tried = []
        active, end = np.arange(len(board)), self.n
        while active.size and end:
            start = max(0, end - max(1, _WAVE // active.size))
            keys, mark = bounds[active, start:end], best[active, None]
            ahead = keys >= np.maximum(mark >> wants.shift << wants.shift, 0) if ties else keys > mark
            row, column = np.nonzero(ahead)
            node = active[row]
            key, play = self.follow(player, board[node], firsts[node], keys[row, column])
            np.maximum.at(best, node, key)
            won = (key == best[node]) & (key >= 0)
            moves[node[won]] = play[won]
            if ties:
                tried.append((node, key, play))
            active = active[ahead[:, 0]]
            end = start
        tied = _lead_elsewhere(best >> wants.shift, moves, tried, wants.shift)
        return Found(best, moves, tied)

    def bounds(self, wants: Wishes, board: Index, firsts: Index) -> Ints:
        """Per position and vertex, the key of its best free partner with its own rank; -1 where there is none."""
        base = board * self.n
        words = wants.words.reshape(-1, self.n)[board]
        if firsts.shape[1]:
            gone = wants.cleared[base + firsts[:, 0]]
            for column in firsts.T[1:]:
                gone |= wants.cleared[base + column]
            words &= ~gone
        entry = (base[:, None] + np.arange(self.n)) * wants.kept + _highest_bit(words)
        keys = wants.keys.take(entry, mode="clip")
        keys &= ~wants.mask
        keys |= wants.rank[board]
        keys[words == 0] = -1
        return keys

    def follow(self, player: int, board: Index, firsts: Index, bounds: Ints) -> tuple[Ints, Index]:
        """Let *player* settle the candidate that each bound stands for; return what it is worth and leads to.

        Returns:
            keys (K,), -1 where somebody finds no vertex, and moves (K, 2 * players left).
        """
        wants = self.wants[player]
        dead = bounds < 0
        v = wants.by_rank[board, wants.mask - (bounds & wants.mask)]
        moves = np.empty((len(board), 2 * (self.players - player)), dtype=np.intp)
        moves[:, 0] = v
        if player < self.players - 1 and len(board):
            later = self.visit(player + 1, board, np.concatenate([firsts, v[:, None]], axis=1))
            moves[:, 2:] = later.moves
            dead |= later.key < 0
        words = self.partners_left(wants, board, v, [*firsts.T, *moves[:, 2:].T])
        key, moves[:, 1] = self.best_partner(wants, board, v, words)
        dead |= words == 0
        return np.where(dead, -1, (key & ~wants.mask) | wants.rank[board, v]), moves

    def partners_left(
        self, wants: Wishes, board: Index, v: Index, others: Sequence[Index]
    ) -> NDArray[np.int64]:
        """Return the words of *v* when settlements stand on *others* too."""
        words = wants.words[board * self.n + v]
        for other in others:
            words &= ~wants.cleared[board * self.n + other, v]
        return words

    def best_partner(
        self, wants: Wishes, board: Index, v: Index, words: NDArray[np.int64]
    ) -> tuple[Ints, Index]:
        """Return the key of the best partner in each word (as in `Wishes.keys`), and the partner."""
        key = wants.keys.take((board * self.n + v) * wants.kept + _highest_bit(words), mode="clip")
        return key, (wants.mask - (key & wants.mask)).astype(np.intp)


def _highest_bit(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the highest bit set in each word of up to 53 bits: the exponent of the float it equals."""
    bit: NDArray[np.int64] = words.astype(np.float64).view(np.int64)
    bit >>= _MANTISSA_BITS
    bit -= _EXPONENT_BIAS
    return bit


def _lead_elsewhere(
    best: Ints, moves: Index, tried: list[tuple[Index, Ints, Index]], shift: int
) -> NDArray[np.bool_]:
    """Say per position whether a candidate as good as the best led to other pairs of settlements."""
    tied = np.zeros(len(best), dtype=bool)
    for node, key, play in tried:
        equal = (key >= 0) & (key >> shift == best[node])
        node, play = node[equal], play[equal]
        shape = len(play), play.shape[1] // 2, 2
        other = np.sort(play.reshape(shape), axis=2) != np.sort(moves[node].reshape(shape), axis=2)
        tied[node[other.any(axis=(1, 2))]] = True
    return tied


def solve_chunk(
    boards: Sequence[Board], players: int, goals: tuple[Objective, ...], placed: Placed
) -> Iterator[Placement]:
    """Solve boards of one layout together, all from the same settlements on the table."""
    started = time.perf_counter()
    layout = boards[0].layout
    geo = geometry(layout)
    batch = batch_of(boards)
    scores = {goal: score_pairs(batch, goal) for goal in dict.fromkeys(goals)}
    tables = {goal: wishes(score, players, geo) for goal, score in scores.items()}
    game = _Game([tables[goal] for goal in goals], len(boards), layout.n_vertices)
    every = np.arange(len(boards))
    firsts = np.tile(np.array([v for _, v in placed[:players]], dtype=np.intp), (len(boards), 1))
    tied = np.zeros(len(boards), dtype=bool)
    calls = game.calls
    if len(placed) < players:
        found = game.visit(len(placed), every, firsts, ties=True)
        calls = game.calls.copy()
        tied |= found.tied
        for player in range(len(placed), players):
            if player > len(placed):  # on the path, look for the ties that the search skipped
                tied |= game.visit(player, every, firsts, ties=True).tied
            firsts = np.concatenate([firsts, found.moves[:, 2 * (player - len(placed)), None]], axis=1)
        for number in np.flatnonzero(found.key < 0):
            raise no_room(boards[number], players, placed)
    seconds: dict[int, Index] = {}
    values: dict[int, list[float]] = {}
    for player in reversed(range(players)):
        wants, first = game.wants[player], firsts[:, player]
        turn = 2 * players - 1 - player
        others = [*np.delete(firsts, player, axis=1).T, *seconds.values()]
        words = game.partners_left(wants, every, first, others)
        for number in np.flatnonzero(words == 0):
            raise no_room(boards[number], players, placed)
        key, second = game.best_partner(wants, every, first, words)
        if turn < len(placed):
            second = np.full(len(boards), placed[turn][1], dtype=np.intp)
        else:
            words ^= np.int64(1) << _highest_bit(words)
            runner_up, _ = game.best_partner(wants, every, first, words)
            tied |= (words != 0) & (runner_up >> wants.shift == key >> wants.shift)
        seconds[player] = second
        values[player] = _values(boards, goals[player], scores[goals[player]], first, second)
    share = (time.perf_counter() - started) / len(boards)
    yield from _placements(boards, goals, firsts, seconds, values, tied, calls, share)


def _values(
    boards: Sequence[Board], goal: Objective, scores: Scores, first: Index, second: Index
) -> list[float]:
    if scores.scale is None:  # mere ranks: the numbers do not fit an array
        pairs = zip(boards, first.tolist(), second.tolist(), strict=True)
        return [float(goal.value(board, (a, b))) for board, a, b in pairs]
    numerators = scores.pairs[np.arange(len(boards)), first, second].tolist()
    return [score / scale for score, scale in zip(numerators, scores.scale, strict=True)]


def _placements(
    boards: Sequence[Board],
    goals: tuple[Objective, ...],
    firsts: Index,
    seconds: dict[int, Index],
    values: dict[int, list[float]],
    tied: NDArray[np.bool_],
    calls: NDArray[np.int64],
    share: float,
) -> Iterator[Placement]:
    players = range(len(goals))
    pairs = np.stack([firsts, np.stack([seconds[player] for player in players], axis=1)], axis=2).tolist()
    for number, board in enumerate(boards):
        mine = pairs[number]
        yield Placement(
            board=board,
            objectives=goals,
            settlements=tuple((first, second) for first, second in mine),
            order=(
                *((player + 1, mine[player][0]) for player in players),
                *((player + 1, mine[player][1]) for player in reversed(players)),
            ),
            values=tuple(values[player][number] for player in players),
            tied=bool(tied[number]),
            method="vectorized",
            counters=Counters(calls=int(calls[number])),
            seconds=share,
        )
