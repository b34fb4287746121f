"""A draft with rivalry, without any bound: every line of play is visited.

It shares no code with the solver. Of the package, it uses only boards and the value of one and two
settlements by the definition, in fractions. It stores nothing between positions. It skips only the search
for the last settlement: no player answers it, so it is the best partner that is left.
"""

import math
from fractions import Fraction

import numpy as np

from tests.placement.by_hand import sets

try:
    from numba import njit
except ImportError:  # it is optional, and only makes this faster

    def njit(**_options):  # type: ignore[no-redef]
        """Leave a function as it is."""
        return lambda function: function


@njit(nogil=True)
def best_partner(free, first, partners):
    """The partner with which player 1 ends the draft, -1 for none."""
    for k in range(partners.shape[1]):
        v = partners[0, first, k]
        if free >> v & 1:
            return v
    return -1


@njit(nogil=True)
def play_last_two(n, free, near, partners, worth, weigh, spots, course):
    """Write the best line into *course* when player 2 and player 1 have one settlement left each."""
    leader, its = spots[1], spots[0]
    rest = 0  # the value of the best other player, who is done
    for q in range(2, n):
        rest = max(rest, worth[q, spots[q], spots[2 * n - 1 - q]])
    exists, most = False, 0
    for k in range(len(near)):
        v = partners[1, leader, k]
        if free >> v & 1:
            end = best_partner(free & ~near[v], its, partners)
            if end >= 0:
                lead = weigh[n] * worth[1, leader, v] - weigh[1] * max(rest, worth[0, its, end])
                if not exists or lead > most:
                    exists, most = True, lead
                    spots[2 * n - 2], spots[2 * n - 1] = v, end
                    for t in range(2 * n):
                        course[t] = spots[t]
    return exists


@njit(nogil=True)
def play(n, turn, free, near, firsts, partners, worth, weigh, spots, courses):
    """Write the line of play from *turn* on into its row of *courses*. Return whether one exists.

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
        courses: (2 N, 2 N).
    """
    last = 2 * n - 1
    if turn == last:
        spots[turn] = best_partner(free, spots[0], partners)
        for t in range(last + 1):
            courses[turn, t] = spots[t]
        return spots[turn] >= 0
    if turn == last - 1:
        return play_last_two(n, free, near, partners, worth, weigh, spots, courses[turn])
    player = turn if turn < n else last - turn
    exists, most = False, 0
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
        if not exists or lead > most:
            exists, most = True, lead
            for t in range(last + 1):
                courses[turn, t] = courses[below, t]
    return exists


class PlainDraft:
    """The game of a hand, rivalry included, without expansion."""

    def __init__(self, hand):
        self.hand, goals = hand, hand.goals
        players, size = range(len(goals)), range(len(hand.near))
        assert len(size) <= 62, "a bit for each vertex"
        near = [1 << v | sum(1 << u for u in hand.near[v]) for v in size]
        single = [[hand.value(p, v) for v in size] for p in players]
        pair = [
            [[0 if near[a] >> b & 1 else hand.value(p, min(a, b), max(a, b)) for b in size] for a in size]
            for p in players
        ]
        unit = math.lcm(*(Fraction(value).denominator for table in pair for row in table for value in row))
        den = math.lcm(*(goal.rivalry.denominator for goal in goals))
        self.near = np.array(near)
        self.worth = np.array([[[int(value * unit) for value in row] for row in table] for table in pair])
        self.weigh = np.array([*(int(goal.rivalry * den) for goal in goals), den])
        self.firsts = np.array([sorted(size, key=lambda v: (-row[v], v)) for row in single])
        self.partners = np.array(
            [[sorted(size, key=lambda u: (-row[u], u)) for row in table] for table in pair]
        )

    def course(self, placed):
        """The whole line of play after the placed settlements.

        None if a player finds no free vertex.
        """
        turns = len(self.hand.turns)
        if len(placed) == turns:
            return placed
        spots, courses = np.array([*placed, *[0] * (turns - len(placed))]), np.zeros((turns, turns), int)
        tables = self.near, self.firsts, self.partners, self.worth, self.weigh
        free = sum(1 << v for v in self.hand.free(placed))
        exists = play(turns // 2, len(placed), free, *tables, spots, courses)
        return tuple(map(int, courses[len(placed)])) if exists else None

    def solve(self, placed=()):
        """The course from the settlements placed, everybody's value, and whether it is tied. Or None.

        It is tied if at some decision on it another choice leads its player as far, to other settlements.
        """
        hand, course, tied = self.hand, self.course(tuple(placed)), False
        if course is None:
            return None
        for turn in range(len(placed), len(course)):
            before, player = course[:turn], hand.turns[turn]
            options = [self.course((*before, v)) for v in hand.free(before)]
            ahead = [(hand.leads(option)[1][player], option) for option in options if option is not None]
            equal = [option for lead, option in ahead if lead == max(ahead)[0]]
            assert course in equal
            tied = tied or any(sets(option) != sets(course) for option in equal)
        return course, [float(value) for value in hand.leads(course)[0]], tied
