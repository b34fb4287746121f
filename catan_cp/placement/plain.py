"""Backward induction without rivalry and expansion, for many boards at once.

All positions of one level of the tree, over all boards, are one array. Their best candidates are evaluated
together, in waves. A position is finished when no candidate is left whose upper bound exceeds its best value.
The upper bound of a candidate is its value with its best free partner.

The free partners of a vertex are the bits of a machine word. Per board and vertex, the possible second
vertices (partners) are sorted by the value of the pair. Each partner is one bit, and the best partner is the
highest bit. The lowest bit is always set and means no partner. A settlement clears bits. The highest bit left
is the best partner that is still free.

Example: vertex 7 has the partners 30, 12 and 41, best first, with the bits 8, 4 and 2, so its word is 15. A
settlement on 31, next to 30, keeps the bits ``15 & ~8 = 7``. The highest bit is now 4, so the best partner is
12.

>>> _highest(np.array([15, 15 & ~8])).tolist()
[3, 2]

Each settlement blocks at most four vertices (itself and its neighbors). So after 2N - 1 settlements, one of
the best 4 * (2N - 1) + 1 partners is free. One more is kept to detect a tie. With the bit for no partner,
this makes 31 bits for four players and 47 for six. A word of up to 53 bits is exact as a 64-bit float. The
number of its highest bit is then the exponent of the float.
"""

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
from catan_cp.placement.tables import Ints, Scores, Sites, batch_of, geometry, score_pairs

Index = NDArray[np.intp]

_CHUNK_PAIRS = 1_500_000
"""The maximum number of pairs of vertices in memory, and of candidates of a level.

This is a few hundred boards and some 100 MB. It is enough to make the cost of numpy calls negligible.
"""

_AHEAD = 64
"""The minimum number of candidates to evaluate at once.

Small waves cost more than needless candidates.
"""

_GROWTH = 3
"""The growth factor of the waves of candidates of a position."""

MOST_BITS = 53
"""The maximum number of bits of an integer that is exact as a 64-bit float."""

_EXPONENT_BIAS = 1023
_MANTISSA_BITS = 52


class Partners:
    """The sorted partners of the vertices of B boards with V vertices, with P bits per word.

    A *key* encodes the value of a first settlement: ``score << shift | rank``. The *rank* of a vertex is
    ``mask`` minus its place among the candidates for a first settlement. The key of an impossible settlement
    is -1.

    Attributes:
        n: V.
        shift: the number of bits for a vertex or a rank in a key.
        mask: the mask of these bits.
        width: P.
        keys: (B * V * P) the key of each vertex with each of its partners, worst first. Bit p of the
            vertex's word means entry p.
        partners: (B * V * P) these partners.
        words: (B, V) the words of the vertices on an empty board.
        keeps: (B * V, V) at [board * V + s, c], the bits of the word of c that a settlement on s leaves. Only
            the lowest bit is left if the settlement blocks c itself.
        by_rank: (B, V) the vertex at each place.
    """

    def __init__(self, scores: Scores, players: int, sites: Sites) -> None:
        boards, n, _ = scores.pairs.shape
        self.n, self.shift = n, n.bit_length()
        self.mask = mask = (1 << self.shift) - 1
        self.width = width = partners_kept(sites, players)
        largest = max(int(scores.pairs.max(initial=0)), int(scores.singles.max(initial=0)))
        dtype: Any = np.int32 if largest < 1 << 30 - self.shift else np.int64
        places = mask - np.arange(n, dtype=dtype)
        tries = np.sort((scores.singles.astype(dtype) << self.shift) | places, axis=1)
        self.by_rank: Index = (mask - (tries[:, ::-1] & mask)).astype(np.intp)
        rank: Ints = np.empty((boards, n, 1), dtype=dtype)
        np.put_along_axis(rank, self.by_rank[:, :, None], places[None, :, None], axis=1)
        keys = (scores.pairs.astype(dtype) << self.shift) | places  # negative if the pair is impossible
        keys.sort(axis=2)
        keys = keys[:, :, n - width :]
        partners = (mask - (keys & mask)).astype(np.intp)
        keys = np.where(keys < 0, -1, keys & ~mask | rank)
        keys[:, :, 0] = -1
        self.keys, self.partners = keys.reshape(-1), partners.reshape(-1)
        word: Any = np.int32 if width < 32 else np.int64
        bits = np.left_shift(word(1), np.arange(width, dtype=word)) * (keys >= 0)
        # bit_of[board, y, c]: the bit of partner y in the word of c
        bit_of = np.zeros((boards, n, n), dtype=word)
        np.put_along_axis(bit_of.transpose(0, 2, 1), partners, bits, axis=2)
        cleared = np.bitwise_or.reduce(bit_of[:, sites.closed], axis=2)
        self.words: Ints = bits.sum(axis=2, dtype=word) | 1
        keeps = ~cleared & np.where(sites.too_near, word(1), word(-1))
        self.keeps: Ints = keeps.reshape(-1, n)

    def bounds(self, board: Index, firsts: Index) -> Ints:
        """Return an upper bound for each vertex: its key with the best free partner.

        Args:
            board: (M) the board of each position.
            firsts: (M, F) the first settlements placed.

        Returns:
            (M, V) keys.
        """
        words = self.words.take(board, axis=0)
        for column in firsts.T:
            words &= self.keeps.take(board * self.n + column, axis=0)
        keys: Ints = self.keys.take(self._entry(board[:, None], np.arange(self.n), words))
        return keys

    def left(self, board: Index, v: Index, settlements: Sequence[Index] | Index) -> Ints:
        """Return the words (M,) of the vertices *v* with *settlements* placed."""
        words: Ints = self.words[board, v]
        keeps = self.keeps.reshape(-1)
        start = board * (self.n * self.n) + v
        for settlement in settlements:
            words &= keeps.take(start + settlement * self.n)
        return words

    def best(self, board: Index, v: Index, words: Ints) -> tuple[Ints, Index]:
        """Return the best partner in each word of *v*, with its key, as (keys, partners)."""
        entry = self._entry(board, v, words)
        return self.keys.take(entry), self.partners.take(entry)

    def _entry(self, board: Index, v: Index, words: Ints) -> Index:
        """Return the index of the key and partner of the highest bit of each word."""
        entry: Index = _highest(words)
        entry += (board * self.n + v) * self.width
        return entry


def partners_kept(sites: Sites, players: int) -> int:
    """Return the number of bits of a word, P. The search needs at most `MOST_BITS`."""
    n, near = sites.closed.shape
    return int(min(n, near * (2 * players - 1) + 3))


def _highest(words: Ints) -> Index:
    """Return the number of the highest bit of each word: the exponent of the word as a float."""
    bit = words.astype(np.float64).view(np.int64)
    bit >>= _MANTISSA_BITS
    bit -= _EXPONENT_BIAS
    return bit


class _Game:
    """A chunk of boards, the partners of each player, and the number of positions."""

    def __init__(self, partners_of: Sequence[Partners], boards: int) -> None:
        self.partners_of = partners_of
        self.players = len(partners_of)
        self.calls = np.zeros(boards, dtype=np.int64)

    def visit(
        self, player: int, board: Index, firsts: Index, ties: bool = False
    ) -> tuple[Ints, Index, NDArray[np.bool_]]:
        """Solve positions with *player* to move.

        Args:
            player: the player to move, from 0.
            board: (M) the board of each position.
            firsts: (M, F) the first settlements placed.
            ties: True to detect ties.

        Returns:
            (M) the key of the best first settlement. (M, 2 * players left) the vertices played: first and
            second vertex of the player to move, then of the next one. (M) bool, True if another candidate
            was as good and led elsewhere. The last array is False without *ties*.
        """
        partners = self.partners_of[player]
        most = _CHUNK_PAIRS // partners.n
        if len(board) > most:  # bounds the memory of a wide level
            parts = [
                self.visit(player, board[start : start + most], firsts[start : start + most], ties)
                for start in range(0, len(board), most)
            ]
            columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
            return columns[0], columns[1], columns[2]
        self.calls += np.bincount(board, minlength=len(self.calls))
        bounds = partners.bounds(board, firsts)
        if player == self.players - 1 and not ties:  # no player moves in between: the best bound is exact
            return *self.follow(player, board, firsts, bounds.max(axis=1)), np.zeros(len(board), dtype=bool)
        bounds.sort(axis=1)
        best = np.full(len(board), -1, dtype=bounds.dtype)
        moves = np.zeros((len(board), 2 * (self.players - player)), dtype=np.intp)
        tried = []
        active, end, width = np.arange(len(board)), partners.n, 1
        while active.size and end:
            width = max(width, _AHEAD // active.size)
            start = max(0, end - width)
            keys, mark = bounds[active, start:end], best[active, None]
            ahead = keys >= np.maximum(mark & ~partners.mask, 0) if ties else keys > mark
            row, column = np.nonzero(ahead)
            if not row.size:
                break
            node = active[row]
            key, play = self.follow(player, board[node], firsts[node], keys[row, column])
            np.maximum.at(best, node, key)
            improved = np.flatnonzero(key == best[node])
            moves[node[improved]] = play[improved]
            if ties:
                tried.append((node, key, play))
            active = active[ahead[:, 0]]
            end, width = start, width * _GROWTH
        return best, moves, _lead_elsewhere(best >> partners.shift, moves, tried, partners.shift)

    def follow(self, player: int, board: Index, firsts: Index, candidates: Ints) -> tuple[Ints, Index]:
        """Evaluate each candidate of *player*, which is given by its bound.

        Returns:
            (K) the keys of the candidates, and (K, 2 * players left) the vertices played.
        """
        partners = self.partners_of[player]
        v = partners.by_rank[board, partners.mask - (candidates & partners.mask)]
        moves = np.empty((len(board), 2 * (self.players - player)), dtype=np.intp)
        moves[:, 0] = v
        if player < self.players - 1:
            moves[:, 2:] = self.visit(player + 1, board, np.concatenate([firsts, v[:, None]], axis=1))[1]
        words = partners.left(board, v, [*firsts.T, *moves[:, 2:].T])
        key, moves[:, 1] = partners.best(board, v, words)
        return key, moves


def _lead_elsewhere(
    best: Ints, moves: Index, tried: list[tuple[Index, Ints, Index]], shift: int
) -> NDArray[np.bool_]:
    """Return, per position, True if an equally good candidate led to other pairs."""
    tied = np.zeros(len(best), dtype=bool)
    for node, key, play in tried:
        equal = key >> shift == best[node]
        node, play = node[equal], play[equal]
        shape = len(play), play.shape[1] // 2, 2
        differs = np.sort(play.reshape(shape), axis=2) != np.sort(moves[node].reshape(shape), axis=2)
        tied[node[differs.any(axis=(1, 2))]] = True
    return tied


def solve_batch(positions: Sequence[Position]) -> Iterator[Solved | None]:
    """Solve positions together, one chunk at a time.

    The result is None for a position without enough free vertices. All positions have the same layout, the
    same goals and the same number of settlements placed.
    """
    size = max(1, _CHUNK_PAIRS // positions[0].board.layout.n_vertices ** 2) if positions else 1
    for start in range(0, len(positions), size):
        chunk = positions[start : start + size]
        roomy = [position.is_roomy for position in chunk]
        solved = iter(_solve_chunk([*compress(chunk, roomy)]) if any(roomy) else ())
        # On other boards the best second vertex may leave a later player without a free vertex, so it needs a
        # search.
        for position, is_roomy in zip(chunk, roomy, strict=True):
            yield next(solved) if is_roomy else solve_rivals([position])[0]


def _solve_chunk(positions: Sequence[Position]) -> list[Solved]:
    """Solve positions in which all settlements are sure to find a free vertex."""
    started = time.perf_counter()
    boards, goals = [p.board for p in positions], positions[0].goals
    batch = batch_of(boards)
    kinds = list(dict.fromkeys(goals))  # objectives are slow to hash
    scores = [score_pairs(batch, goal) for goal in kinds]
    kind = [kinds.index(goal) for goal in goals]
    placed = [[v for _, v in position.placed] for position in positions]
    table = np.array(placed, dtype=np.intp).reshape(len(boards), -1)
    firsts, seconds, tied, calls = play_all(scores, kind, geometry(boards[0].layout), table)
    values = [
        _values(boards, kinds[number], scores[number], firsts[:, player], seconds[:, player])
        for player, number in enumerate(kind)
    ]
    lines = np.concatenate([firsts, seconds[:, ::-1]], axis=1).tolist()
    results = zip(lines, tied.tolist(), calls.tolist(), zip(*values, strict=True), strict=True)
    share = (time.perf_counter() - started) / len(boards)
    return [
        Solved(line, is_tied, count, 0, share, value, "vectorized") for line, is_tied, count, value in results
    ]


def play_all(
    scores: Sequence[Scores], kind: Sequence[int], sites: Sites, table: Index
) -> tuple[Index, Index, NDArray[np.bool_], Ints]:
    """Play every board to the end. All settlements must be sure to find a free vertex.

    Args:
        scores: the scores of all boards by each different objective.
        kind: the number of each player's objective.
        sites: the pairs of vertices that exclude each other.
        table: (board, settlement) the vertices already placed, in order.

    Returns:
        First settlements (board, player), second settlements (board, player), and two arrays over boards:
        whether the line of play is tied, and the number of positions.
    """
    (boards, placed), players = table.shape, len(kind)
    partners_of = [Partners(score, players, sites) for score in scores]
    game = _Game([partners_of[number] for number in kind], boards)
    numbers, firsts = np.arange(boards), table[:, :players]
    tied, calls = np.zeros(boards, dtype=bool), game.calls
    if placed < players:
        _, moves, tied = game.visit(placed, numbers, firsts, ties=True)
        calls = game.calls.copy()
        for player in range(placed, players):
            if player > placed:  # detect the ties on the line of play that the search skipped
                tied |= game.visit(player, numbers, firsts, ties=True)[2]
            firsts = np.concatenate([firsts, moves[:, 2 * (player - placed), None]], axis=1)
    seconds = np.zeros_like(firsts)
    for player in reversed(range(players)):
        turn = 2 * players - 1 - player
        if turn < placed:
            seconds[:, player] = table[:, turn]
            continue
        partners, first = game.partners_of[player], firsts[:, player]
        settlements = [*np.delete(firsts, player, axis=1).T, *seconds[:, player + 1 :].T]
        words = partners.left(numbers, first, settlements)
        key, seconds[:, player] = partners.best(numbers, first, words)
        rest = words & ~np.left_shift(1, _highest(words))
        tied |= partners.best(numbers, first, rest)[0] == key
    return firsts, seconds, tied, calls


def _values(
    boards: Sequence[Board], goal: Objective, scores: Scores, first: Index, second: Index
) -> list[float]:
    if scores.scale is None:  # only ranks, since the numbers do not fit an array
        pairs = zip(boards, first.tolist(), second.tolist(), strict=True)
        return [float(goal.value(board, (a, b))) for board, a, b in pairs]
    numerators = scores.pairs[np.arange(len(boards)), first, second].tolist()
    return [score / scale for score, scale in zip(numerators, scores.scale, strict=True)]
