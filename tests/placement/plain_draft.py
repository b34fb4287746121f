"""A draft among rivals without any bound: every course is gone through. It shares nothing with the solver.

Of the package it knows boards and what one and two settlements are worth by the definition, in fractions.
Remembered is nothing; and nothing is left out but what needs no thought: nobody answers the last settlement,
so that it is the best partner that is left.
"""

from __future__ import annotations

import math

import numba
import numpy as np


@numba.njit(nogil=True)
def best_partner(free, first, partners):  # type: ignore[no-untyped-def]
    """The partner with which player 1 ends the draft, -1 for none."""
    for k in range(partners.shape[1]):
        v = partners[0, first, k]
        if free >> v & 1:
            return v
    return -1


@numba.njit(nogil=True)
def play_last_two(n, free, near, partners, worth, weigh, spots, course):  # type: ignore[no-untyped-def]
    """Write the best course into *course* when player 2 and player 1 have one settlement left each."""
    mine, its = spots[1], spots[0]
    rest = 0  # what the best of the others has, whose settlements stand
    for q in range(2, n):
        rest = max(rest, worth[q, spots[q], spots[2 * n - 1 - q]])
    found, most = False, 0
    for k in range(len(near)):
        v = partners[1, mine, k]
        if free >> v & 1:
            end = best_partner(free & ~near[v], its, partners)
            if end >= 0:
                lead = weigh[n] * worth[1, mine, v] - weigh[1] * max(rest, worth[0, its, end])
                if not found or lead > most:
                    found, most = True, lead
                    spots[2 * n - 2], spots[2 * n - 1] = v, end
                    for t in range(2 * n):
                        course[t] = spots[t]
    return found


@numba.njit(nogil=True)
def play(n, turn, free, near, firsts, partners, worth, weigh, spots, courses):  # type: ignore[no-untyped-def]
    """Write the course of play from *turn* on into its row of *courses*; say whether there is one.

    Args:
        n: players.
        turn: the next turn; those before are in *spots*.
        free: the free vertices, a bit each.
        near: (V) each vertex and its neighbours, a bit each.
        firsts: (N, V) the order in which first settlements are tried.
        partners: (N, V, V) the order in which second ones are.
        worth: (N, V, V) what two settlements are worth.
        weigh: (N + 1) each player's rivalry times the last, their common denominator.
        spots: (2 N) where settlements stand.
        courses: (2 N + 1, 2 N).
    """
    last = 2 * n - 1
    if turn == last - 1:
        return play_last_two(n, free, near, partners, worth, weigh, spots, courses[turn])
    player = turn if turn < n else last - turn
    found, most = False, 0
    for k in range(len(near)):
        v = firsts[player, k] if turn < n else partners[player, spots[player], k]
        if not free >> v & 1:
            continue
        spots[turn] = v
        below = turn + 1
        if not play(n, below, free & ~near[v], near, firsts, partners, worth, weigh, spots, courses):
            continue
        own, rival = 0, 0
        for q in range(n):
            value = worth[q, courses[below, q], courses[below, last - q]]
            if q == player:
                own = value
            elif value > rival:
                rival = value
        lead = weigh[n] * own - weigh[player] * rival
        if not found or lead > most:
            found, most = True, lead
            for t in range(last + 1):
                courses[turn, t] = courses[below, t]
    return found


class PlainDraft:
    """A board and what its players want, rivalry included; expansion is left aside."""

    def __init__(self, board, goals):  # type: ignore[no-untyped-def]
        n, size = len(goals), board.layout.n_vertices
        assert size <= 62, "a bit for each vertex"
        self.players, self.board = n, board
        sea = [{board.terrain[t] for t in tiles} == {"sea"} for tiles in board.layout.vertex_tiles]
        near = [1 << v | sum(1 << u for u in us) for v, us in enumerate(board.layout.vertex_neighbors)]
        self.land = sum(1 << v for v in range(size) if not sea[v])
        self.near = np.array(near, dtype=np.int64)
        single = [[goal.value(board, (v,)) for v in range(size)] for goal in goals]
        pair = [self._pairs(board, goal, near) for goal in goals]
        self.unit = math.lcm(*(value.denominator for table in pair for row in table for value in row))
        self.worth = np.array([[[int(w * self.unit) for w in row] for row in table] for table in pair])
        self.den = math.lcm(*(goal.rivalry.denominator for goal in goals))
        self.weigh = np.array([*(int(goal.rivalry * self.den) for goal in goals), self.den])
        self.firsts = np.array([sorted(range(size), key=lambda v: (-row[v], v)) for row in single])
        self.partners = np.array(
            [[sorted(range(size), key=lambda u: (-row[u], u)) for row in table] for table in pair]
        )

    @staticmethod
    def _pairs(board, goal, near):  # type: ignore[no-untyped-def]
        table = [[goal.value(board, ()) for _ in near] for _ in near]
        for a in range(len(near)):
            for b in range(a + 1, len(near)):
                if not near[a] >> b & 1:
                    table[a][b] = table[b][a] = goal.value(board, (a, b))
        return table

    def course(self, placed):  # type: ignore[no-untyped-def]
        """The whole course that follows the settlements placed; None where somebody finds no room."""
        n = self.players
        spots = np.array([*placed, *[0] * (2 * n - len(placed))])
        if len(placed) == 2 * n - 1:
            end = int(best_partner(self.free(placed), placed[0], self.partners))
            return (*placed, end) if end >= 0 else None
        if len(placed) == 2 * n:
            return tuple(placed)
        courses = np.zeros((2 * n + 1, 2 * n), dtype=np.int64)
        tables = self.near, self.firsts, self.partners, self.worth, self.weigh
        found = play(n, len(placed), self.free(placed), *tables, spots, courses)
        return tuple(map(int, courses[len(placed)])) if found else None

    def free(self, placed):  # type: ignore[no-untyped-def]
        """The vertices that are free, a bit each."""
        free = self.land
        for v in placed:
            free &= ~int(self.near[v])
        return free

    def leads(self, course):  # type: ignore[no-untyped-def]
        """Every player's lead at the end of a course, times `unit` and `den`."""
        n = self.players
        own = [int(self.worth[p, course[p], course[-1 - p]]) for p in range(n)]
        return [self.den * own[p] - int(self.weigh[p]) * max(own[:p] + own[p + 1 :]) for p in range(n)]

    def solve(self, placed=()):  # type: ignore[no-untyped-def]
        """The course from the settlements placed, everybody's value, and whether it is tied; or None.

        It is tied if at some decision on it another choice leads its player as far, to other settlements.
        """
        n, placed, tied, course = self.players, tuple(placed), False, None
        for turn in range(len(placed), 2 * n):
            player = turn if turn < n else 2 * n - 1 - turn
            order = self.firsts[player] if turn < n else self.partners[player, (course or placed)[player]]
            stands = (course or placed)[:turn]
            if course is not None and tied:
                break
            free = self.free(stands)
            options = [self.course((*stands, int(v))) for v in order if free >> int(v) & 1]
            options = [option for option in options if option is not None]
            if not options:
                return None
            most = max(self.leads(option)[player] for option in options)
            equal = [option for option in options if self.leads(option)[player] == most]
            assert course in (None, equal[0])
            course = equal[0]
            tied = tied or any(self._pairs_of(option) != self._pairs_of(course) for option in equal)
        course = placed if course is None else course
        values = [int(self.worth[p, course[p], course[-1 - p]]) / self.unit for p in range(n)]
        return course, values, tied

    def _pairs_of(self, course):  # type: ignore[no-untyped-def]
        return [{course[p], course[-1 - p]} for p in range(self.players)]
