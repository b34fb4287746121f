"""Which partners are still free when vertices are taken: sorted lists as bit sets in machine words.

Per board and vertex the possible second vertices (partners) are sorted by the value of the pair. Each
becomes one bit of a word, the best partner the highest bit. A settlement on the table clears bits, and
the highest bit that is left is the best partner that is still free. The best pairs of the whole board
make one more such word.

Example: vertex 7 has the partners 30, 12 and 41, best first, with the bits 4, 2 and 1: its word is 7. A
settlement on 31, next to 30, keeps the bits ``7 & ~4``; ``7 & 3 = 3``, whose highest bit is 2, so the best
partner is now 12.

Each settlement takes at most four vertices away (itself and its neighbours), so that after 2N - 1
settlements one of the best 4 * (2N - 1) + 1 partners is free; one more is kept to see a tie. That makes 30
bits for four players and 46 for six. Converted to a 64-bit float, a word of up to 53 bits is exact, and the
number of its highest bit is the float's exponent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.placement.tables import Geometry, Ints, Scores

Index = NDArray[np.intp]

_PAIRS = 53
"""The best pairs of a board that are kept; where none of them is free, all are looked at."""

_EXPONENT_BIAS = 1023
_MANTISSA_BITS = 52


@dataclass(frozen=True)
class Partners:
    """The sorted partners and pairs of B boards with V vertices; P partners and Q pairs are kept.

    A *key* is an integer whose order is the order of preference. A vertex's *rank* is ``mask`` minus its
    place among the candidates for a first settlement.

    Attributes:
        n: V.
        shift: bits that hold a vertex or a rank in a key; ``mask`` is their mask.
        kept: P.
        partner_keys: (B * V * P) each vertex's partners, worst first: ``score << shift | mask - partner``.
            Bit p of the vertex's word stands for entry p.
        words: (B, V) the words of the vertices while no settlement stands.
        keeps: (B * V, V) at [board * V + s, c] the bits of c's word that a settlement on s leaves, none
            where it takes c itself away.
        rank: (B, V) each vertex's rank.
        by_rank: (B, V) the vertex at each place.
        pair_keys: (B * Q) the best pairs, worst first: ``score << shift | rank of first`` and, shifted
            once more, ``mask - second``; first is the one that would be tried first.
        pair_words: (B,) the board's word of pairs while no settlement stands.
        pair_keeps: (B * V) the bits of that word that a settlement on the vertex leaves.
    """

    n: int
    shift: int
    kept: int
    partner_keys: Ints
    words: Ints
    keeps: Ints
    rank: Ints
    by_rank: Index
    pair_keys: Ints
    pair_words: NDArray[np.int64]
    pair_keeps: NDArray[np.int64]

    @property
    def mask(self) -> int:
        """The bits of a key that hold a vertex or a rank."""
        return (1 << self.shift) - 1


def sort_partners(scores: Scores, players: int, geo: Geometry) -> Partners:
    """Sort partners and pairs by the scores and turn them into words of bits."""
    boards, n, _ = scores.pairs.shape
    shift = n.bit_length()
    mask = (1 << shift) - 1
    kept = min(n, 4 * (2 * players - 1) + 2)
    largest = max(int(scores.pairs.max(initial=0)), int(scores.singles.max(initial=0)))
    dtype: Any = np.int32 if largest < 1 << 30 - 2 * shift else np.int64
    pairs = scores.pairs.astype(dtype)
    partner_keys, words, keeps = _partner_words(pairs, kept, shift, geo)
    tries = np.sort((scores.singles.astype(dtype) << shift) | (mask - np.arange(n, dtype=dtype)), axis=1)
    by_rank = (mask - (tries[:, ::-1] & mask)).astype(np.intp)
    rank = np.empty((boards, n), dtype=dtype)
    np.put_along_axis(rank, by_rank, (mask - np.arange(n, dtype=dtype))[None, :], axis=1)
    pair_keys, pair_words, pair_keeps = _pair_words(pairs, rank, by_rank, shift, geo)
    return Partners(
        n, shift, kept, partner_keys, words, keeps, rank, by_rank, pair_keys, pair_words, pair_keeps
    )


def _partner_words(pairs: Ints, kept: int, shift: int, geo: Geometry) -> tuple[Ints, Ints, Ints]:
    """Return `Partners.partner_keys`, `Partners.words` and `Partners.keeps`."""
    boards, n, _ = pairs.shape
    mask = (1 << shift) - 1
    keys = (pairs << shift) | (mask - np.arange(n, dtype=pairs.dtype))  # negative where the pair cannot be
    keys.sort(axis=2)
    keys = np.ascontiguousarray(keys[:, :, n - kept :])
    word: Any = np.int32 if kept < 32 else np.int64
    bits = np.left_shift(word(1), np.arange(kept, dtype=word))
    bits = bits * (keys >= 0)
    # where[board, y, c]: the bit that partner y is in c's word
    where = np.zeros((boards, n, n), dtype=word)
    entry = (mask - (keys & mask)).astype(np.intp)
    entry *= n
    entry += np.arange(n)[:, None]
    entry += np.arange(boards)[:, None, None] * (n * n)
    where.reshape(-1)[entry] = bits
    gone = where.take(geo.closed[:, 0], axis=1)
    for column in geo.closed.T[1:]:
        gone |= where.take(column, axis=1)
    words = bits.sum(axis=2, dtype=word)
    keeps = words[:, None, :] & ~gone
    keeps &= np.where(geo.too_near, word(0), word(-1))
    return keys.reshape(-1), words, keeps.reshape(-1, n)


def _pair_words(
    pairs: Ints, rank: Ints, by_rank: Index, shift: int, geo: Geometry
) -> tuple[Ints, NDArray[np.int64], NDArray[np.int64]]:
    """Return `Partners.pair_keys`, `Partners.pair_words` and `Partners.pair_keeps`."""
    boards, n, _ = pairs.shape
    mask = (1 << shift) - 1
    one, two = geo.apart
    high = rank << shift
    low = (mask - np.arange(n)).astype(rank.dtype)
    keys = pairs.reshape(boards, -1).take(one * n + two, axis=1) << 2 * shift
    keys |= np.maximum(high.take(one, axis=1) | low[two], high.take(two, axis=1) | low[one])
    kept = min(_PAIRS, len(one))
    keys.partition(len(one) - kept, axis=1)
    keys = np.sort(keys[:, len(one) - kept :], axis=1)
    first = np.take_along_axis(by_rank, (mask - (keys >> shift & mask)).astype(np.intp), axis=1)
    second = mask - (keys & mask)
    apart = ~geo.too_near
    fits = np.zeros((boards, 64, n), dtype=bool)
    fits[:, :kept] = apart[first]
    fits[:, :kept] &= apart[second]
    fits[:, :kept] &= (keys >= 0)[:, :, None]
    packed = np.packbits(fits, axis=1, bitorder="little").transpose(0, 2, 1)
    keeps = np.ascontiguousarray(packed).view("<i8").reshape(-1)
    words = ((keys >= 0) << np.arange(kept, dtype=np.int64)).sum(axis=1)
    return keys.reshape(-1), words, keeps


def bounds(wants: Partners, board: Index, firsts: Index) -> Ints:
    """Return what each vertex can be worth at best, in positions of *firsts* settlements on the table.

    Returns:
        (M, V) keys: the score with the best free partner, then the vertex's rank; -1 where there is none.
    """
    base = board * wants.n
    words = wants.words.take(board, axis=0)
    for column in firsts.T:
        words &= wants.keeps.take(base + column, axis=0)
    entry = _exponent(words)
    entry += np.arange(0, wants.n * wants.kept, wants.kept) - _EXPONENT_BIAS
    entry += (base * wants.kept)[:, None]
    keys = wants.partner_keys.take(entry, mode="clip")
    keys &= ~wants.mask
    keys |= wants.rank.take(board, axis=0)
    keys[words == 0] = -1
    return keys


def best_pair(wants: Partners, board: Index, firsts: Index) -> tuple[Ints, Index]:
    """Return the best free pair in each position: its key (as `bounds`), and (M, 2) vertices."""
    words = wants.pair_words[board]
    for column in firsts.T:
        words &= wants.pair_keeps.take(board * wants.n + column)
    kept = len(wants.pair_keys) // len(wants.pair_words)
    long = wants.pair_keys.take(board * kept + (_exponent(words) - _EXPONENT_BIAS), mode="clip")
    key, second = long >> wants.shift, wants.mask - (long & wants.mask)
    if len(none := np.flatnonzero(words == 0)):
        key[none] = bounds(wants, board[none], firsts[none]).max(axis=1)
    first = wants.by_rank[board, wants.mask - (key & wants.mask)]
    moves = np.stack([first, second], axis=1).astype(np.intp)
    if len(none):
        left = partners_left(wants, board[none], first[none], firsts[none].T)
        moves[none, 1] = best_partner(wants, board[none], first[none], left)[1]
    return key, moves


def partners_left(wants: Partners, board: Index, v: Index, others: Sequence[Index] | Index) -> Ints:
    """Return the words (M,) of the vertices *v* when settlements stand on *others* too."""
    words: Ints = wants.words[board, v]
    keeps = wants.keeps.reshape(-1)
    here = board * (wants.n * wants.n) + v
    for other in others:
        words &= keeps.take(here + other * wants.n)
    return words


def best_partner(wants: Partners, board: Index, v: Index, words: Ints) -> tuple[Ints, Index]:
    """Return the score with the best partner in each word of *v*, and the partner; noise for empty words."""
    entry = (board * wants.n + v) * wants.kept + (_exponent(words) - _EXPONENT_BIAS)
    key = wants.partner_keys.take(entry, mode="clip")
    return key >> wants.shift, (wants.mask - (key & wants.mask)).astype(np.intp)


def without_best(words: Ints) -> Ints:
    """Return the words with their highest bit cleared; none may be 0."""
    best = np.left_shift(1, _exponent(words) - _EXPONENT_BIAS)
    rest: Ints = words & ~best
    return rest


def _exponent(words: Ints) -> NDArray[np.int64]:
    """The number of the highest bit set, plus the bias of a float's exponent; 0 where none is set."""
    bit: NDArray[np.int64] = words.astype(np.float64).view(np.int64)
    bit >>= _MANTISSA_BITS
    return bit
