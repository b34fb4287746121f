"""The game in which nobody minds the others: many boards at once as arrays, and the report's three searches.

**Many boards** (`solve_batch`). All positions of a level of the tree, over all boards, are one array, and
their best candidates are evaluated together, wave by wave, until no candidate is left whose bound (its best
free partner) beats what its position has reached.

Which partners are still free when vertices are taken stands in machine words. Per board and vertex the
possible second vertices (partners) are sorted by the value of the pair. Each becomes one bit of a word, the
best partner the highest bit. A settlement on the table clears bits, and the highest bit that is left is the
best partner that is still free. The best pairs of the whole board make one more such word.

Example: vertex 7 has the partners 30, 12 and 41, best first, with the bits 4, 2 and 1: its word is 7. A
settlement on 31, next to 30, keeps the bits ``7 & ~4``; ``7 & 3 = 3``, whose highest bit is 2, so the best
partner is now 12.

Each settlement takes at most four vertices away (itself and its neighbours), so that after 2N - 1
settlements one of the best 4 * (2N - 1) + 1 partners is free; one more is kept to see a tie. That makes 30
bits for four players and 46 for six. Converted to a 64-bit float, a word of up to 53 bits is exact, and the
number of its highest bit is the float's exponent.

**One board** (`solve_by_tree`): the plain tree, with a memory, and with bounds. All three walk the tree of
the report's section on its search: a call stands for a position in which the players before *player* have
placed their first settlements; the call for player N + 1 ends at once. A position is the bit mask of the
vertices that are still free. Counted this way, four players on ``base`` take 5,634,937 calls without and
983,839 with a memory of (player, occupied vertices), on every board.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.placement.objective import Objective
from catan_cp.placement.rivals import solve_rivals
from catan_cp.placement.spots import Counters, Position, Solved, open_vertices
from catan_cp.placement.tables import Geometry, Ints, Scores, batch_of, geometry, score_pairs

Index = NDArray[np.intp]

_CHUNK_PAIRS = 1_500_000
"""Pairs of vertices whose tables stand in memory at once, and candidates of all positions of a level: a few
hundred boards, enough to hide what a numpy call costs, and some 100 MB."""

_AHEAD = 64
"""Candidates to evaluate at once where there are few positions: looking ahead is cheaper than coming back."""

_GROWTH = 3
"""How much wider each wave of a position's candidates is than the one before."""

_PAIRS = 53
"""The best pairs of a board that are kept; where none of them is free, all are looked at."""

_EXPONENT_BIAS = 1023
_MANTISSA_BITS = 52


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

    def __init__(self, scores: Scores, players: int, geo: Geometry) -> None:
        boards, n, _ = scores.pairs.shape
        self.n, self.shift = n, n.bit_length()
        self.mask = mask = (1 << self.shift) - 1
        self.kept = min(n, 4 * (2 * players - 1) + 2)
        largest = max(int(scores.pairs.max(initial=0)), int(scores.singles.max(initial=0)))
        dtype: Any = np.int32 if largest < 1 << 30 - 2 * self.shift else np.int64
        pairs, places = scores.pairs.astype(dtype), mask - np.arange(n, dtype=dtype)
        self._sort_partners(pairs, places, geo)
        tries = np.sort((scores.singles.astype(dtype) << self.shift) | places, axis=1)
        self.by_rank: Index = (mask - (tries[:, ::-1] & mask)).astype(np.intp)
        self.rank: Ints = np.empty((boards, n), dtype=dtype)
        np.put_along_axis(self.rank, self.by_rank, places[None, :], axis=1)
        self._sort_pairs(pairs, places, geo)

    def _sort_partners(self, pairs: Ints, places: Ints, geo: Geometry) -> None:
        (boards, n, _), kept, mask = pairs.shape, self.kept, self.mask
        keys = (pairs << self.shift) | places  # negative where the pair cannot be
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
        self.words: Ints = bits.sum(axis=2, dtype=word)
        keeps = self.words[:, None, :] & ~gone
        keeps &= np.where(geo.too_near, word(0), word(-1))
        self.partner_keys, self.keeps = keys.reshape(-1), keeps.reshape(-1, n)

    def _sort_pairs(self, pairs: Ints, places: Ints, geo: Geometry) -> None:
        (boards, n, _), shift, mask = pairs.shape, self.shift, self.mask
        one, two = geo.apart
        high = self.rank << shift
        keys = pairs.reshape(boards, -1).take(one * n + two, axis=1) << 2 * shift
        keys |= np.maximum(high.take(one, axis=1) | places[two], high.take(two, axis=1) | places[one])
        kept = min(_PAIRS, len(one))
        keys.partition(len(one) - kept, axis=1)
        keys = np.sort(keys[:, len(one) - kept :], axis=1)
        first = np.take_along_axis(self.by_rank, (mask - (keys >> shift & mask)).astype(np.intp), axis=1)
        apart = ~geo.too_near
        fits = np.zeros((boards, 64, n), dtype=bool)
        fits[:, :kept] = apart[first]
        fits[:, :kept] &= apart[mask - (keys & mask)]
        fits[:, :kept] &= (keys >= 0)[:, :, None]
        packed = np.packbits(fits, axis=1, bitorder="little").transpose(0, 2, 1)
        self.pair_keys = keys.reshape(-1)
        self.pair_keeps = np.ascontiguousarray(packed).view("<i8").reshape(-1)
        self.pair_words = ((keys >= 0) << np.arange(kept, dtype=np.int64)).sum(axis=1)

    def bounds(self, board: Index, firsts: Index) -> Ints:
        """Return what each vertex can be worth at best, in positions of *firsts* settlements on the table.

        Returns:
            (M, V) keys: the score with the best free partner, then the vertex's rank; -1 where there is none.
        """
        base = board * self.n
        words = self.words.take(board, axis=0)
        for column in firsts.T:
            words &= self.keeps.take(base + column, axis=0)
        entry = _exponent(words)
        entry += np.arange(0, self.n * self.kept, self.kept) - _EXPONENT_BIAS
        entry += (base * self.kept)[:, None]
        keys = self.partner_keys.take(entry, mode="clip")
        keys &= ~self.mask
        keys |= self.rank.take(board, axis=0)
        keys[words == 0] = -1
        return keys

    def best_pair(self, board: Index, firsts: Index) -> tuple[Ints, Index]:
        """Return the best free pair in each position: its key (as `bounds`), and (M, 2) vertices."""
        words = self.pair_words[board]
        for column in firsts.T:
            words &= self.pair_keeps.take(board * self.n + column)
        kept = len(self.pair_keys) // len(self.pair_words)
        long = self.pair_keys.take(board * kept + (_exponent(words) - _EXPONENT_BIAS), mode="clip")
        key, second = long >> self.shift, self.mask - (long & self.mask)
        if len(none := np.flatnonzero(words == 0)):
            key[none] = self.bounds(board[none], firsts[none]).max(axis=1)
        first = self.by_rank[board, self.mask - (key & self.mask)]
        moves = np.stack([first, second], axis=1).astype(np.intp)
        if len(none):
            left = self.left(board[none], first[none], firsts[none].T)
            moves[none, 1] = self.best(board[none], first[none], left)[1]
        return key, moves

    def left(self, board: Index, v: Index, others: Sequence[Index] | Index) -> Ints:
        """Return the words (M,) of the vertices *v* when settlements stand on *others* too."""
        words: Ints = self.words[board, v]
        keeps = self.keeps.reshape(-1)
        here = board * (self.n * self.n) + v
        for other in others:
            words &= keeps.take(here + other * self.n)
        return words

    def best(self, board: Index, v: Index, words: Ints) -> tuple[Ints, Index]:
        """Return the score with the best partner in each word of *v*, and it; noise for empty words."""
        entry = (board * self.n + v) * self.kept + (_exponent(words) - _EXPONENT_BIAS)
        key = self.partner_keys.take(entry, mode="clip")
        return key >> self.shift, (self.mask - (key & self.mask)).astype(np.intp)


def _exponent(words: Ints) -> NDArray[np.int64]:
    """The number of the highest bit set, plus the bias of a float's exponent; 0 where none is set."""
    bit: NDArray[np.int64] = words.astype(np.float64).view(np.int64)
    bit >>= _MANTISSA_BITS
    return bit


class Found(NamedTuple):
    """What positions lead to, one row each.

    Attributes:
        key: the best for the player to move: its score, then the first settlement's rank; -1 for no way
            to play.
        moves: (position, 2 * players left) vertices: first and second of the player to move, of the next...
        tied: whether another candidate was as good and led elsewhere; meaningful only where asked for.
    """

    key: Ints
    moves: Index
    tied: NDArray[np.bool_]


class _Game:
    """A chunk of boards, what each player wants on them, and a count of positions evaluated per board."""

    def __init__(self, wants: Sequence[Partners], boards: int) -> None:
        self.wants = wants
        self.players = len(wants)
        self.calls = np.zeros(boards, dtype=np.int64)

    def visit(self, player: int, board: Index, firsts: Index, ties: bool = False) -> Found:
        """Solve positions: *board* (M,) and *firsts* (M, F), settlements on the table, *player* to move."""
        wants = self.wants[player]
        most = _CHUNK_PAIRS // wants.n
        if len(board) > most:  # what is in memory stays bounded, however wide a level grows
            parts = [
                self.visit(player, board[start : start + most], firsts[start : start + most], ties)
                for start in range(0, len(board), most)
            ]
            return Found(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        self.calls += np.bincount(board, minlength=len(self.calls))
        if player == self.players - 1 and not ties:  # nobody comes between: the best free pair is the answer
            key, moves = wants.best_pair(board, firsts)
            return Found(key, moves, np.zeros(len(board), dtype=bool))
        ranked = np.sort(wants.bounds(board, firsts), axis=1)
        best = np.full(len(board), -1, dtype=ranked.dtype)
        moves = np.zeros((len(board), 2 * (self.players - player)), dtype=np.intp)
        tried = []
        active, end, width = np.arange(len(board)), wants.n, 1
        while active.size and end:
            width = max(width, _AHEAD // active.size)
            start = max(0, end - width)
            keys, mark = ranked[active, start:end], best[active, None]
            ahead = keys >= np.maximum(mark & ~wants.mask, 0) if ties else keys > mark
            row, column = np.nonzero(ahead)
            node = active[row]
            key, play = self.follow(player, board[node], firsts[node], keys[row, column])
            np.maximum.at(best, node, key)
            won = np.flatnonzero((key == best[node]) & (key >= 0))
            moves[node[won]] = play[won]
            if ties:
                tried.append((node, key, play))
            active = active[ahead[:, 0]]
            end, width = start, width * _GROWTH
        return Found(best, moves, _lead_elsewhere(best >> wants.shift, moves, tried, wants.shift))

    def follow(self, player: int, board: Index, firsts: Index, candidates: Ints) -> tuple[Ints, Index]:
        """Let *player* settle each candidate, given as its bound; return what it is worth and leads to.

        Returns:
            keys (K,), -1 where somebody finds no vertex, and moves (K, 2 * players left).
        """
        wants = self.wants[player]
        dead = candidates < 0
        v = wants.by_rank[board, wants.mask - (candidates & wants.mask)]
        moves = np.empty((len(board), 2 * (self.players - player)), dtype=np.intp)
        moves[:, 0] = v
        if player < self.players - 1 and len(board):
            later = self.visit(player + 1, board, np.concatenate([firsts, v[:, None]], axis=1))
            moves[:, 2:] = later.moves
            dead |= later.key < 0
        words = wants.left(board, v, [*firsts.T, *moves[:, 2:].T])
        score, moves[:, 1] = wants.best(board, v, words)
        dead |= words == 0
        key = (score << wants.shift) | (candidates & wants.mask)
        key[dead] = -1
        return key, moves


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


def solve_batch(positions: Sequence[Position]) -> Iterator[Solved | None]:
    """Solve positions together, a chunk at a time; None where not all settlements find room.

    All are of one layout, with the same goals and as many settlements on the table.
    """
    size = max(1, _CHUNK_PAIRS // positions[0].board.layout.n_vertices ** 2) if positions else 1
    for start in range(0, len(positions), size):
        yield from _solve_chunk(positions[start : start + size])


def _solve_chunk(positions: Sequence[Position]) -> list[Solved | None]:
    started = time.perf_counter()
    boards, goals, players = [each.board for each in positions], positions[0].goals, positions[0].players
    geo, batch = geometry(boards[0].layout), batch_of(boards)
    # Each settlement takes at most four vertices away. Where the board has too few for that, the best second
    # vertex may leave a later player without room; the search among rivals looks ahead for that.
    tight = batch.land.sum(axis=1) <= 4 * (2 * players - 1)
    if tight.any():
        return [
            (solve_rivals if narrow else _solve_chunk)([position])[0]
            for position, narrow in zip(positions, tight.tolist(), strict=True)
        ]
    scores = {goal: score_pairs(batch, goal) for goal in dict.fromkeys(goals)}
    wants = {goal: Partners(score, players, geo) for goal, score in scores.items()}
    game = _Game([wants[goal] for goal in goals], len(boards))
    table = np.array([[v for _, v in each.placed] for each in positions], dtype=np.intp).reshape(
        len(boards), -1
    )
    firsts, seconds, fits, tied, calls = _play(game, table)
    values = [
        _values(boards, goal, scores[goal], firsts[:, player], seconds[:, player])
        for player, goal in enumerate(goals)
    ]
    courses = np.concatenate([firsts, seconds[:, ::-1]], axis=1).tolist()
    shown = zip(courses, tied.tolist(), calls.tolist(), zip(*values, strict=True), fits.tolist(), strict=True)
    share = (time.perf_counter() - started) / len(boards)
    return [
        Solved(course, others, Counters(count), share, worth, "vectorized") if fit else None
        for course, others, count, worth, fit in shown
    ]


def _play(game: _Game, table: Index) -> tuple[Index, Index, NDArray[np.bool_], NDArray[np.bool_], Ints]:
    """Play every board to the end from the settlements on the *table*: (board, settlements placed).

    Returns:
        First and second settlements (board, player); per board whether all fit, ties, and positions.
    """
    boards, done = table.shape
    players = game.players
    every = np.arange(boards)
    firsts = table[:, :players]
    fits, tied = np.ones(boards, dtype=bool), np.zeros(boards, dtype=bool)
    calls = game.calls
    if done < players:
        found = game.visit(done, every, firsts, ties=True)
        calls = game.calls.copy()
        fits, tied = found.key >= 0, found.tied
        for player in range(done, players):
            if player > done:  # look along the path for the ties that the search skipped
                tied |= game.visit(player, every, firsts, ties=True).tied
            firsts = np.concatenate([firsts, found.moves[:, 2 * (player - done), None]], axis=1)
    seconds = np.zeros_like(firsts)
    for player in reversed(range(players)):
        turn = 2 * players - 1 - player
        if turn < done:
            seconds[:, player] = table[:, turn]
            continue
        wants, first = game.wants[player], firsts[:, player]
        others = [*np.delete(firsts, player, axis=1).T, *seconds[:, player + 1 :].T]
        words = wants.left(every, first, others)
        fits &= words != 0
        score, seconds[:, player] = wants.best(every, first, words)
        some = np.where(fits, words, 1)
        rest = some & ~np.left_shift(1, _exponent(some) - _EXPONENT_BIAS)  # the others
        tied |= (rest != 0) & (wants.best(every, first, rest)[0] == score)
    return firsts, seconds, fits, tied, calls


def _values(
    boards: Sequence[Board], goal: Objective, scores: Scores, first: Index, second: Index
) -> list[float]:
    if scores.scale is None:  # mere ranks: the numbers do not fit an array
        pairs = zip(boards, first.tolist(), second.tolist(), strict=True)
        return [float(goal.value(board, (a, b))) for board, a, b in pairs]
    numerators = scores.pairs[np.arange(len(boards)), first, second].tolist()
    return [score / scale for score, scale in zip(numerators, scores.scale, strict=True)]


# The report's searches


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
    kept = len(tree.memory or ())
    counters = Counters(tree.calls, tree.cut, tree.calls - kept if kept else 0, kept)
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
