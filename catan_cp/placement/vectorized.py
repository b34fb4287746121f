"""The placement of many boards at once: whole levels of the tree as arrays.

The search is that of `catan_cp.placement.tree.search_bounds`, turned sideways: all positions of a
level, over all boards, are one array, and their best candidates are evaluated together, wave by wave,
until no candidate is left whose bound beats what its position has reached. The vertices that are still
free are bit sets; see `catan_cp.placement.partners`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.placement.game import Counters, Placed, Placement
from catan_cp.placement.objective import Objective
from catan_cp.placement.partners import (
    Index,
    Partners,
    best_pair,
    best_partner,
    bounds,
    partners_left,
    sort_partners,
    without_best,
)
from catan_cp.placement.tables import Ints, Scores, batch_of, geometry, score_pairs
from catan_cp.placement.tree import solve_by_tree

_CHUNK_PAIRS = 1_500_000
"""Pairs of vertices whose tables stand in memory at once, and candidates of all positions of a level: a few
hundred boards, enough to hide what a numpy call costs, and some 100 MB."""

_AHEAD = 64
"""Candidates to evaluate at once where there are few positions: looking ahead is cheaper than coming back."""

_GROWTH = 3
"""How much wider each wave of a position's candidates is than the one before."""


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
            key, moves = best_pair(wants, board, firsts)
            return Found(key, moves, np.zeros(len(board), dtype=bool))
        ranked = np.sort(bounds(wants, board, firsts), axis=1)
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
        words = partners_left(wants, board, v, [*firsts.T, *moves[:, 2:].T])
        score, moves[:, 1] = best_partner(wants, board, v, words)
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


def solve_batch(
    boards: Sequence[Board], players: int, goals: tuple[Objective, ...], placed: Sequence[Placed]
) -> Iterator[Placement | None]:
    """Solve boards of one layout together, a chunk at a time; None where not all settlements find room.

    Args:
        boards: the boards; the same board may come again.
        players: how many play.
        goals: what each of them wants.
        placed: per board, the settlements on the table; as many on each.
    """
    size = max(1, _CHUNK_PAIRS // boards[0].layout.n_vertices ** 2) if boards else 1
    for start in range(0, len(boards), size):
        part = slice(start, start + size)
        yield from _solve_chunk(boards[part], players, goals, placed[part])


def _solve_chunk(
    boards: Sequence[Board], players: int, goals: tuple[Objective, ...], placed: Sequence[Placed]
) -> list[Placement | None]:
    started = time.perf_counter()
    geo, batch = geometry(boards[0].layout), batch_of(boards)
    # Each settlement takes at most four vertices away. Where the board has too few for that, the best second
    # vertex may leave a later player without room; the tree search checks for that.
    tight = batch.land.sum(axis=1) <= 4 * (2 * players - 1)
    if tight.any():
        return [
            solve_by_tree(board, goals, "bounds", moves)
            if narrow
            else _solve_chunk([board], players, goals, [moves])[0]
            for board, moves, narrow in zip(boards, placed, tight.tolist(), strict=True)
        ]
    scores = {goal: score_pairs(batch, goal) for goal in dict.fromkeys(goals)}
    wants = {goal: sort_partners(score, players, geo) for goal, score in scores.items()}
    game = _Game([wants[goal] for goal in goals], len(boards))
    table = np.array([[v for _, v in moves] for moves in placed], dtype=np.intp).reshape(len(boards), -1)
    played = _play(game, table)
    values = [
        _values(boards, goal, scores[goal], played.firsts[:, player], played.seconds[:, player])
        for player, goal in enumerate(goals)
    ]
    pairs = np.stack([played.firsts, played.seconds], axis=2).tolist()
    shown = zip(
        boards, pairs, zip(*values, strict=True), played.tied.tolist(), played.calls.tolist(), strict=True
    )
    share = (time.perf_counter() - started) / len(boards)
    return [
        Placement.of(board, goals, pair, value, tied, "vectorized", Counters(calls=calls), share)
        if fits
        else None
        for (board, pair, value, tied, calls), fits in zip(shown, played.fits.tolist(), strict=True)
    ]


@dataclass(frozen=True)
class _Played:
    """Games played to the end, one row each: settlements per player, whether all fit, ties, positions."""

    firsts: Index
    seconds: Index
    fits: NDArray[np.bool_]
    tied: NDArray[np.bool_]
    calls: NDArray[np.int64]


def _play(game: _Game, table: Index) -> _Played:
    """Play every board to the end from the settlements on the *table*: (board, settlements placed)."""
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
        words = partners_left(wants, every, first, others)
        fits &= words != 0
        score, seconds[:, player] = best_partner(wants, every, first, words)
        rest = without_best(np.where(fits, words, 1))
        tied |= (rest != 0) & (best_partner(wants, every, first, rest)[0] == score)
    return _Played(firsts, seconds, fits, tied, calls)


def _values(
    boards: Sequence[Board], goal: Objective, scores: Scores, first: Index, second: Index
) -> list[float]:
    if scores.scale is None:  # mere ranks: the numbers do not fit an array
        pairs = zip(boards, first.tolist(), second.tolist(), strict=True)
        return [float(goal.value(board, (a, b))) for board, a, b in pairs]
    numerators = scores.pairs[np.arange(len(boards)), first, second].tolist()
    return [score / scale for score, scale in zip(numerators, scores.scale, strict=True)]
