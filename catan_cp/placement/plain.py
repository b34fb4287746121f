"""The game in which each player wants its own value only: many boards at once, as arrays.

All positions of a level of the tree, over all boards, are one array, and
their best candidates are evaluated together, wave by wave, until no candidate is left whose bound (its best
free partner) beats what its position has reached.

Which partners are still free when vertices are taken stands in machine words. Per board and vertex the
possible second vertices (partners) are sorted by the value of the pair. Each becomes one bit of a word, the
best partner the highest bit, above one that is always set and stands for no partner. A settlement on the
table clears bits, and the highest bit that is left is the best partner that is still free.

Example: vertex 7 has the partners 30, 12 and 41, best first, with the bits 8, 4 and 2: its word is 15. A
settlement on 31, next to 30, keeps the bits ``15 & ~8 = 7``, whose highest bit is 4, so the best partner is
now 12.

Each settlement takes at most four vertices away (itself and its neighbours), so that after 2N - 1
settlements one of the best 4 * (2N - 1) + 1 partners is free; one more is kept to see a tie. With that for
none it makes 31 bits for four players and 47 for six. Converted to a 64-bit float, a word of up to 53 bits is
exact, and the number of its highest bit is the float's exponent.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.placement.objective import Objective
from catan_cp.placement.positions import Position, Solved
from catan_cp.placement.rivals import solve_rivals
from catan_cp.placement.tables import Geometry, Ints, Scores, batch_of, geometry, score_pairs

Index = NDArray[np.intp]

_CHUNK_PAIRS = 1_500_000
"""Pairs of vertices whose tables stand in memory at once, and candidates of all positions of a level: a few
hundred boards, enough to hide what a numpy call costs, and some 100 MB."""

_AHEAD = 64
"""Candidates to evaluate at once where there are few positions: looking ahead is cheaper than coming back."""

_GROWTH = 3
"""How much wider each wave of a position's candidates is than the one before."""

_EXPONENT_BIAS = 1023
_MANTISSA_BITS = 52


class Partners:
    """The sorted partners of the vertices of B boards with V vertices; P bits of each vertex's word are kept.

    A *key* says what a first settlement is worth: ``score << shift | rank``, where a vertex's *rank* is
    ``mask`` minus its place among the candidates for a first settlement. -1 is the key of what cannot be.

    Attributes:
        n: V.
        shift: bits that hold a vertex or a rank in a key; ``mask`` is their mask.
        kept: P.
        keys: (B * V * P) the key of each vertex with each of its partners, worst first. Bit p of the
            vertex's word stands for entry p.
        partners: (B * V * P) these partners.
        words: (B, V) the words of the vertices while no settlement stands.
        keeps: (B * V, V) at [board * V + s, c] the bits of c's word that a settlement on s leaves, the
            lowest alone where it takes c itself away.
        by_rank: (B, V) the vertex at each place.
    """

    def __init__(self, scores: Scores, players: int, geo: Geometry) -> None:
        boards, n, _ = scores.pairs.shape
        self.n, self.shift = n, n.bit_length()
        self.mask = mask = (1 << self.shift) - 1
        self.kept = kept = min(n, 4 * (2 * players - 1) + 3)
        largest = max(int(scores.pairs.max(initial=0)), int(scores.singles.max(initial=0)))
        dtype: Any = np.int32 if largest < 1 << 30 - self.shift else np.int64
        places = mask - np.arange(n, dtype=dtype)
        tries = np.sort((scores.singles.astype(dtype) << self.shift) | places, axis=1)
        self.by_rank: Index = (mask - (tries[:, ::-1] & mask)).astype(np.intp)
        rank: Ints = np.empty((boards, n, 1), dtype=dtype)
        np.put_along_axis(rank, self.by_rank[:, :, None], places[None, :, None], axis=1)
        keys = (scores.pairs.astype(dtype) << self.shift) | places  # negative where the pair cannot be
        keys.sort(axis=2)
        keys = keys[:, :, n - kept :]
        partners = (mask - (keys & mask)).astype(np.intp)
        keys = np.where(keys < 0, -1, keys & ~mask | rank)
        keys[:, :, 0] = -1
        self.keys, self.partners = keys.reshape(-1), partners.reshape(-1)
        word: Any = np.int32 if kept < 32 else np.int64
        bits = np.left_shift(word(1), np.arange(kept, dtype=word)) * (keys >= 0)
        # where[board, y, c]: the bit that partner y is in c's word
        where = np.zeros((boards, n, n), dtype=word)
        np.put_along_axis(where.transpose(0, 2, 1), partners, bits, axis=2)
        gone = np.bitwise_or.reduce(where[:, geo.closed], axis=2)
        self.words: Ints = bits.sum(axis=2, dtype=word) | 1
        keeps = ~gone & np.where(geo.too_near, word(1), word(-1))
        self.keeps: Ints = keeps.reshape(-1, n)

    def bounds(self, board: Index, firsts: Index) -> Ints:
        """Return what each vertex can be worth at best, in positions of *firsts* settlements on the table.

        Returns:
            (M, V) keys, with the best free partner.
        """
        words = self.words.take(board, axis=0)
        for column in firsts.T:
            words &= self.keeps.take(board * self.n + column, axis=0)
        keys: Ints = self.keys.take(self._entry(board[:, None], np.arange(self.n), words))
        return keys

    def left(self, board: Index, v: Index, others: Sequence[Index] | Index) -> Ints:
        """Return the words (M,) of the vertices *v* when settlements stand on *others* too."""
        words: Ints = self.words[board, v]
        keeps = self.keeps.reshape(-1)
        here = board * (self.n * self.n) + v
        for other in others:
            words &= keeps.take(here + other * self.n)
        return words

    def best(self, board: Index, v: Index, words: Ints) -> tuple[Ints, Index]:
        """Return the key with the best partner in each word of *v*, and it."""
        entry = self._entry(board, v, words)
        return self.keys.take(entry), self.partners.take(entry)

    def _entry(self, board: Index, v: Index, words: Ints) -> Index:
        """Return where the highest bit of each word has its key and its partner."""
        entry: Index = _highest(words)
        entry += (board * self.n + v) * self.kept
        return entry


def _highest(words: Ints) -> Index:
    """Return the number of the highest bit set: the exponent of the word as a float."""
    bit = words.astype(np.float64).view(np.int64)
    bit >>= _MANTISSA_BITS
    bit -= _EXPONENT_BIAS
    return bit


class _Game:
    """A chunk of boards on which all find room, what each player wants on them, and a count of positions."""

    def __init__(self, wants: Sequence[Partners], boards: int) -> None:
        self.wants = wants
        self.players = len(wants)
        self.calls = np.zeros(boards, dtype=np.int64)

    def visit(
        self, player: int, board: Index, firsts: Index, ties: bool = False
    ) -> tuple[Ints, Index, NDArray[np.bool_]]:
        """Solve positions: *board* (M,) and *firsts* (M, F), settlements on the table, *player* to move.

        Returns:
            (M,) the key of the best first settlement; (M, 2 * players left) what is played: first and second
            vertex of the player to move, of the next...; (M,) whether another candidate was as good and led
            elsewhere, meaningful only where *ties* asks for it.
        """
        wants = self.wants[player]
        most = _CHUNK_PAIRS // wants.n
        if len(board) > most:  # what is in memory stays bounded, however wide a level grows
            parts = [
                self.visit(player, board[start : start + most], firsts[start : start + most], ties)
                for start in range(0, len(board), most)
            ]
            each = [np.concatenate(column) for column in zip(*parts, strict=True)]
            return each[0], each[1], each[2]
        self.calls += np.bincount(board, minlength=len(self.calls))
        bounds = wants.bounds(board, firsts)
        if player == self.players - 1 and not ties:  # nobody comes between: the best bound is the answer
            return *self.follow(player, board, firsts, bounds.max(axis=1)), np.zeros(len(board), dtype=bool)
        bounds.sort(axis=1)
        best = np.full(len(board), -1, dtype=bounds.dtype)
        moves = np.zeros((len(board), 2 * (self.players - player)), dtype=np.intp)
        tried = []
        active, end, width = np.arange(len(board)), wants.n, 1
        while active.size and end:
            width = max(width, _AHEAD // active.size)
            start = max(0, end - width)
            keys, mark = bounds[active, start:end], best[active, None]
            ahead = keys >= np.maximum(mark & ~wants.mask, 0) if ties else keys > mark
            row, column = np.nonzero(ahead)
            if not row.size:
                break
            node = active[row]
            key, play = self.follow(player, board[node], firsts[node], keys[row, column])
            np.maximum.at(best, node, key)
            won = np.flatnonzero(key == best[node])
            moves[node[won]] = play[won]
            if ties:
                tried.append((node, key, play))
            active = active[ahead[:, 0]]
            end, width = start, width * _GROWTH
        return best, moves, _lead_elsewhere(best >> wants.shift, moves, tried, wants.shift)

    def follow(self, player: int, board: Index, firsts: Index, candidates: Ints) -> tuple[Ints, Index]:
        """Let *player* settle each candidate, given as its bound; return what it is worth and leads to.

        Returns:
            keys (K,) and moves (K, 2 * players left).
        """
        wants = self.wants[player]
        v = wants.by_rank[board, wants.mask - (candidates & wants.mask)]
        moves = np.empty((len(board), 2 * (self.players - player)), dtype=np.intp)
        moves[:, 0] = v
        if player < self.players - 1:
            moves[:, 2:] = self.visit(player + 1, board, np.concatenate([firsts, v[:, None]], axis=1))[1]
        words = wants.left(board, v, [*firsts.T, *moves[:, 2:].T])
        key, moves[:, 1] = wants.best(board, v, words)
        return key, moves


def _lead_elsewhere(
    best: Ints, moves: Index, tried: list[tuple[Index, Ints, Index]], shift: int
) -> NDArray[np.bool_]:
    """Say per position whether a candidate as good as the best led to other pairs of settlements."""
    tied = np.zeros(len(best), dtype=bool)
    for node, key, play in tried:
        equal = key >> shift == best[node]
        node, play = node[equal], play[equal]
        shape = len(play), play.shape[1] // 2, 2
        other = np.sort(play.reshape(shape), axis=2) != np.sort(moves[node].reshape(shape), axis=2)
        tied[node[other.any(axis=(1, 2))]] = True
    return tied


def solve_batch(positions: Sequence[Position]) -> Iterator[Solved | None]:
    """Solve positions together, a chunk at a time; None where not all settlements find room.

    All are of one layout, with the same goals and as many settlements on the table.
    """
    size = max(1, _CHUNK_PAIRS // positions[0].board.layout.n_vertices ** 2) if positions else 1
    for start in range(0, len(positions), size):
        chunk = positions[start : start + size]
        roomy = [position.is_roomy for position in chunk]
        found = iter(_solve_chunk([*compress(chunk, roomy)]) if any(roomy) else ())
        # Elsewhere the best second vertex may leave a later player without room, and must look ahead.
        yield from (next(found) if has else solve_rivals([p])[0] for p, has in zip(chunk, roomy, strict=True))


def _solve_chunk(positions: Sequence[Position]) -> list[Solved]:
    """Solve positions in which all find room."""
    started = time.perf_counter()
    boards, goals, players = [each.board for each in positions], positions[0].goals, positions[0].players
    geo, batch = geometry(boards[0].layout), batch_of(boards)
    kinds = list(dict.fromkeys(goals))  # objectives are slow to hash
    scores = [score_pairs(batch, goal) for goal in kinds]
    wants = [Partners(score, players, geo) for score in scores]
    kind = [kinds.index(goal) for goal in goals]
    game = _Game([wants[number] for number in kind], len(boards))
    placed = [[v for _, v in each.placed] for each in positions]
    table = np.array(placed, dtype=np.intp).reshape(len(boards), -1)
    firsts, seconds, tied, calls = _play(game, table)
    values = [
        _values(boards, kinds[number], scores[number], firsts[:, player], seconds[:, player])
        for player, number in enumerate(kind)
    ]
    courses = np.concatenate([firsts, seconds[:, ::-1]], axis=1).tolist()
    shown = zip(courses, tied.tolist(), calls.tolist(), zip(*values, strict=True), strict=True)
    share = (time.perf_counter() - started) / len(boards)
    return [
        Solved(course, others, count, 0, share, worth, "vectorized") for course, others, count, worth in shown
    ]


def _play(game: _Game, table: Index) -> tuple[Index, Index, NDArray[np.bool_], Ints]:
    """Play every board to the end from the settlements on the *table*: (board, settlements placed).

    Returns:
        First and second settlements (board, player); per board whether it is tied, and positions.
    """
    boards, done = table.shape
    players, every, firsts = game.players, np.arange(boards), table[:, : game.players]
    tied, calls = np.zeros(boards, dtype=bool), game.calls
    if done < players:
        _, moves, tied = game.visit(done, every, firsts, ties=True)
        calls = game.calls.copy()
        for player in range(done, players):
            if player > done:  # look along the path for the ties that the search skipped
                tied |= game.visit(player, every, firsts, ties=True)[2]
            firsts = np.concatenate([firsts, moves[:, 2 * (player - done), None]], axis=1)
    seconds = np.zeros_like(firsts)
    for player in reversed(range(players)):
        turn = 2 * players - 1 - player
        if turn < done:
            seconds[:, player] = table[:, turn]
            continue
        wants, first = game.wants[player], firsts[:, player]
        others = [*np.delete(firsts, player, axis=1).T, *seconds[:, player + 1 :].T]
        words = wants.left(every, first, others)
        key, seconds[:, player] = wants.best(every, first, words)
        rest = words & ~np.left_shift(1, _highest(words))
        tied |= wants.best(every, first, rest)[0] == key
    return firsts, seconds, tied, calls


def _values(
    boards: Sequence[Board], goal: Objective, scores: Scores, first: Index, second: Index
) -> list[float]:
    if scores.scale is None:  # mere ranks: the numbers do not fit an array
        pairs = zip(boards, first.tolist(), second.tolist(), strict=True)
        return [float(goal.value(board, (a, b))) for board, a, b in pairs]
    numerators = scores.pairs[np.arange(len(boards)), first, second].tolist()
    return [score / scale for score, scale in zip(numerators, scores.scale, strict=True)]
