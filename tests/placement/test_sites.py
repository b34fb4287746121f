"""Drafts on graphs: against every line of play, and against the drafts of boards."""

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from catan_cp import InvalidArgument, Objective, solve_placement
from catan_cp.placement import solve_draft
from tests.placement.by_hand import Hand, random_board
from tests.placement.plain_draft import PlainDraft


class Sites(Hand):
    """A game by hand on a graph: sites for vertices, and the value of each pair of sites."""

    def __init__(self, matrices, conflicts):
        n, self.goals = len(matrices[0]), [Objective()] * len(matrices)
        self.turns = [*range(len(matrices)), *reversed(range(len(matrices)))]
        self.land, self.matrices = [*range(n)], matrices
        self.near = [[sum(pair) - a for pair in conflicts if a in pair] for a in range(n)]

    def value(self, p, *spots):
        return self.matrices[p][spots[0]][spots[-1]]


UNIT = 7
"""The denominator of all values."""


def random_graph(rng, n, conflicts):
    pairs = [*combinations(range(n), 2)]
    return rng.sample(pairs, min(len(pairs), conflicts))


def random_matrix(rng, n, most, unit):
    table = [[Fraction(rng.randint(-2, most), unit) for _ in range(n)] for _ in range(n)]
    return [[table[max(a, b)][min(a, b)] for b in range(n)] for a in range(n)]


def agrees(matrices, conflicts, players):
    """Compare a draft with the definition. None if it cannot be completed."""
    expected = PlainDraft(Sites(matrices, conflicts)).solve()
    pair_values = matrices[0] if matrices == [matrices[0]] * players else matrices
    if expected is None:
        with pytest.raises(InvalidArgument, match="no room for two sites of each of"):
            solve_draft(pair_values, conflicts, players)
        return None
    draft, (line, values, tied) = solve_draft(pair_values, conflicts, players), expected
    assert tuple(site for _, site in draft.order) == line
    assert draft.sites == tuple((line[p], line[-1 - p]) for p in range(players))
    assert draft.values == pytest.approx(values)
    assert draft.tied is tied
    return tied


def test_random_graphs_equal_brute_force():
    outcomes = []
    for seed in range(100):
        rng = random.Random(seed)
        players = 4 if seed % 20 == 0 else 2 + seed % 2
        n = rng.randint(2 * players, 9)
        conflicts = random_graph(rng, n, rng.randint(0, 3 if players == 4 else 9))
        shared = random_matrix(rng, n, rng.choice((3, 50)), rng.choice((1, UNIT)))
        own = [random_matrix(rng, n, 9, 1) for _ in range(players)]
        outcomes.append(agrees(own if seed % 3 == 0 else [shared] * players, conflicts, players))
    assert min(map(outcomes.count, (None, False, True))) > 10


def test_graph_with_crowded_sites():
    rng = random.Random(5)
    star = [(0, b) for b in range(1, 18)]
    agrees([random_matrix(rng, 55, 40, 1)] * 2, star + random_graph(rng, 55, 20), 2)


@pytest.mark.parametrize(("layout", "players"), [("base", 4), ("base", 3), ("base-5-6", 6), ("mini", 2)])
def test_board_is_graph(layout, players):
    board = random_board(layout, players)
    goals = [Objective(1, 1 + p % 2, 1) for p in range(players)]
    v = range(board.layout.n_vertices)
    tables = {
        goal: [[goal.value(board, (a, b) if a != b else (a,)) for b in v] for a in v] for goal in goals[:2]
    }
    draft = solve_draft([tables[goal] for goal in goals], board.layout.edges, players)
    placement = solve_placement(board, players, goals)
    assert (draft.order, draft.tied) == (placement.order, placement.tied)
    assert tuple(map(float, draft.values)) == placement.values


ROW = [[a + b for b in range(5)] for a in range(5)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ROW, [], 3), "3 players need 6 sites or more, not 5; use fewer players"),
        (([[1.5] * 5] * 5, [], 2), r"pair_values\[0\]\[0\] must be an integer or a Fraction, not 1.5"),
        (([[True] * 5] * 5, [], 2), "not True"),
        (([*ROW[:4], [4, 5, 6, 7, 9], [0] * 5], [], 2), "row 0 of pair_values must have 6 values, not 5"),
        (([*ROW[:4], [4, 5, 6, 9, 8]], [], 2), r"symmetric, but \[4\]\[3\] is 9 and \[3\]\[4\] is 7"),
        (([ROW, ROW, ROW], [], 2), "one matrix for each of 2 players, not 3"),
        (([ROW, [[0] * 4] * 4], [], 2), "the same number of sites"),
        ((ROW, [(0, 5)], 2), r"two different sites from 0 to 4, not \(0, 5\)"),
        *(((ROW, [pair], 2), "two different sites") for pair in ((1, 1), (1, 2, 3), (0, 1.0))),
        ((ROW, [*combinations(range(5), 2)], 2), "no room for two sites of each of 2 players"),
    ],
)
def test_invalid_arguments(arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        solve_draft(*arguments)


def test_arrays_and_text():
    draft = solve_draft(np.array(ROW), iter([(3, 4)]), 2)
    assert draft == solve_draft(ROW, [(4, 3), (3, 4)], 2)
    assert str(draft).splitlines()[0] == "player 1: sites 4 and 0, worth 4"
    assert "in the order 1 on 4, 2 on 2, 2 on 1, 1 on 0" in str(draft)
