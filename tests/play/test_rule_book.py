"""The rules of the book where another engine errs, on tables set up by hand.

And what never changes.
"""

from itertools import pairwise

import numpy as np
import pytest

from catan_cp import LAYOUTS, Board
from catan_cp.compiled import table
from catan_cp.play.actions import can_play, can_rob
from catan_cp.play.engine import apply, can_lay, draw, game_words, points, reset, shown_points
from catan_cp.play.policies import NEARLY, can_swap, decide
from catan_cp.play.tables import AT, BOOK, CARD, DO, NOW, ON, PHASE, SUPPLY, THING, ground_of, new_state

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
LARGE = LAYOUTS["base-5-6"].beginner_board
EDGES = {edge: k for k, edge in enumerate(BOARD.layout.edges)}


def begun(seats=4, board=BOARD, policy=1, seed=1):
    """A game after its first settlements, before the first roll."""
    g, s = ground_of(board, (policy,) * seats), new_state()
    reset(g, s, table(game_words(seed, 0)))
    while s[NOW.phase] in (PHASE.settling, PHASE.first_road):
        decide(g, s)
        apply(g, s)
    return g, s


def empty(seats=4):
    """A table without any building, in the first seat's turn."""
    g, s = ground_of(BOARD, (0,) * seats), new_state()
    reset(g, s, table(game_words(1, 0)))
    s[NOW.phase], s[NOW.turn] = PHASE.main, 1
    return g, s


def act(g, s, *action):
    for k, x in enumerate(action):
        s[AT.act + k] = x
    apply(g, s)


def give(s, p, *cards):
    """Put cards from the bank into a hand, a number of each resource."""
    for r, count in enumerate(cards):
        s[AT.hand + 5 * p + r] += count
        s[AT.bank + r] -= count


def settle(g, s, p, vertex):
    give(s, p, 1, 1, 1, 0, 1)
    s[NOW.seat] = p
    act(g, s, DO.settle, vertex)


def lay(g, s, p, path):
    """Roads of a seat along a path of vertices."""
    for a, b in pairwise(path):
        give(s, p, 1, 0, 0, 0, 1)
        s[NOW.seat] = p
        act(g, s, DO.lay, EDGES[min(a, b), max(a, b)])


def path_from(start, length, avoid=()):
    """Return a path of this number of edges that meets no vertex twice."""
    near, paths = BOARD.layout.vertex_neighbors, [[start]]
    while paths:
        path = paths.pop()
        if len(path) == length + 1:
            return path
        paths += [[*path, v] for v in near[path[-1]] if v not in path and v not in avoid]
    raise AssertionError


def test_new_card_is_not_played():
    g, s = begun()
    act(g, s, DO.roll, 2)
    give(s, 0, 0, 1, 1, 1, 0)
    act(g, s, DO.buy, CARD.knight)
    assert not can_play(s, 0, CARD.knight)
    for _ in range(4):
        act(g, s, DO.end)
        act(g, s, DO.roll, 2)
    assert s[NOW.active] == 0
    assert can_play(s, 0, CARD.knight)
    s[AT.cards + CARD.plenty] = 1
    act(g, s, DO.play, CARD.plenty, 0, -1)
    assert not can_play(s, 0, CARD.knight), "one card a turn"


def test_road_building_needs_no_cards():
    g, s = begun()
    act(g, s, DO.roll, 2)
    s[AT.hand : AT.hand + 5] = [0] * 5
    s[AT.cards + CARD.roads] = 1
    act(g, s, DO.play, CARD.roads)
    before = s[AT.left + THING.road]
    for _ in range(2):
        assert s[NOW.phase] == PHASE.free_roads
        decide(g, s)
        assert s[AT.act] == DO.lay
        apply(g, s)
    assert s[NOW.phase] == PHASE.main
    assert s[AT.left + THING.road] == before - 2
    assert list(s[AT.hand : AT.hand + 5]) == [0] * 5


def test_road_ends_at_another_settlement():
    g, s = empty()
    path = path_from(0, 6)
    s[AT.owner + path[0]] = 0
    s[AT.owner + path[5]] = 1
    lay(g, s, 0, path[:6])
    assert s[AT.length] == 5
    assert s[NOW.road_holder] == 0
    assert not can_lay(g, s, 0, EDGES[tuple(sorted(path[5:7]))])


def test_loop_walked_once():
    g, s = empty()
    ring = list(BOARD.layout.tile_vertices[9])
    s[AT.owner + ring[0]] = 0
    lay(g, s, 0, [*ring, ring[0]])
    assert s[AT.length] == 6
    tail = next(v for v in BOARD.layout.vertex_neighbors[ring[2]] if v not in ring)
    lay(g, s, 0, [ring[2], tail])
    assert s[AT.length] == 7


@pytest.mark.parametrize(
    ("lengths", "holder"),
    [((5, 0), 1), ((5, 5), -1), ((0, 0), -1), ((6, 5), 1)],
    ids=["one longer", "a tie sets it aside", "all too short", "the longest"],
)
def test_holder_of_cut_longest_road(lengths, holder):
    """Seat 0 has six roads, cut in the middle.

    By the book a tie without the holder sets the card aside.
    """
    g, s = empty()
    path = path_from(0, 6)
    s[AT.owner + path[0]] = 0
    lay(g, s, 0, path)
    assert s[NOW.road_holder] == 0
    s[AT.length + 1], s[AT.length + 2] = lengths
    s[NOW.active] = 3
    settle(g, s, 3, path[3])
    assert s[AT.length] == 3
    assert s[NOW.road_holder] == holder


def test_among_equals_holder_keeps_road():
    g, s = empty()
    path = path_from(0, 5)
    s[AT.owner + path[0]] = 0
    lay(g, s, 0, path)
    s[AT.length + 1] = 5
    far = next(v for v in range(54) if s[AT.shut + v] == 0 and s[AT.owner + v] < 0 and v not in path)
    near = BOARD.layout.vertex_neighbors[far][0]
    s[AT.owner + far] = 2
    lay(g, s, 2, [far, near])
    assert s[NOW.road_holder] == 0
    assert points(s, 0) == 2


@pytest.mark.parametrize(
    ("stock", "takers", "gets"), [(1, 1, [1, 0]), (1, 2, [0, 0]), (2, 2, [1, 1]), (0, 1, [0, 0])]
)
def test_bank_that_is_short(stock, takers, gets):
    """One player alone gets what is left. Several get nothing."""
    g, s = empty()
    tile = BOARD.terrain.index("ore")
    corners = BOARD.layout.tile_vertices[tile]
    s[AT.bank + 3] = stock
    for p in range(takers):
        s[AT.owner + corners[2 * p]], s[AT.level + corners[2 * p]] = p, 2 if takers == 1 else 1
    s[NOW.phase] = PHASE.rolling
    act(g, s, DO.roll, BOARD.markers[tile])
    assert [s[AT.hand + 5 * p + 3] for p in range(2)] == gets
    assert s[AT.bank + 3] == stock - sum(gets)


def test_no_player_wins_in_anothers_turn():
    g, s = begun()
    s[AT.built + 2] = 10
    act(g, s, DO.roll, 2)
    act(g, s, DO.end)
    assert s[NOW.winner] == -1
    act(g, s, DO.roll, 2)
    act(g, s, DO.end)
    assert (s[NOW.winner], s[NOW.phase], s[NOW.turn]) == (2, PHASE.over, 3)


def test_discards_chosen_and_are_half():
    g, s = begun()
    give(s, 0, 4, 0, 0, 0, 5)
    held = sum(s[AT.hand : AT.hand + 5])
    act(g, s, DO.roll, 7)
    assert s[NOW.phase] == PHASE.discarding
    decide(g, s)
    assert s[AT.act] == DO.discard
    assert sum(s[AT.act + 1 : AT.act + 6]) == held // 2
    apply(g, s)
    assert s[NOW.phase] == PHASE.robbing
    assert sum(s[AT.hand : AT.hand + 5]) == held - held // 2


def test_robber_must_move_and_take():
    g, s = begun()
    spot = s[NOW.robber]
    assert not can_rob(g, s, 0, spot, -1)
    tile = next(
        t
        for t, vs in enumerate(BOARD.layout.tile_vertices)
        if t != spot and any(s[AT.owner + v] == 1 for v in vs)
    )
    victim = 1
    assert can_rob(g, s, 0, tile, victim)
    assert not can_rob(g, s, 0, tile, -1)
    for p in range(1, 4):
        s[AT.hand + 5 * p : AT.hand + 5 * p + 5] = [0] * 5
    assert can_rob(g, s, 0, tile, -1)
    assert not can_rob(g, s, 0, tile, victim)


def test_largest_army_changes_hands():
    g, s = begun()
    for p, counts in ((0, 3), (1, 3), (1, 1)):
        for _ in range(counts):
            s[NOW.seat], s[NOW.phase], s[AT.cards + 5 * p + CARD.knight] = p, PHASE.main, 1
            act(g, s, DO.play, CARD.knight)
        assert s[NOW.army_holder] == (1 if s[AT.knights + 1] > 3 else 0)


def test_swapped_resource_kept_for_turn():
    g, s = empty()
    give(s, 0, 2)
    give(s, 1, 0, 2)
    assert all(can_swap(s, resource) for resource in range(5))
    act(g, s, DO.swap, 1, 0, 1)
    assert [can_swap(s, resource) for resource in range(5)] == [True, False, True, True, True]
    act(g, s, DO.end)
    assert all(can_swap(s, resource) for resource in range(5))


@pytest.mark.parametrize(("seats", "board"), [(4, BOARD), (6, Board.from_notation(LARGE))])
def test_turn_ends_after_last_action(seats, board):
    """Swaps back and forth, which no policy makes, end in the second seat's turn."""
    g, s = begun(seats, board, policy=0)
    act(g, s, DO.roll, 2)
    give(s, 0, 1)
    give(s, 1, 0, 1)
    swaps = 0
    while s[NOW.seat] == 0 and swaps < 2 * BOOK.most_actions:
        act(g, s, DO.swap, 1, swaps % 2, 1 - swaps % 2)
        swaps += 1
    assert swaps == BOOK.most_actions - 1  # the roll is an action
    assert (s[NOW.seat], s[NOW.actions]) == (1, 0)
    assert s[NOW.phase] == (PHASE.building if seats > 4 else PHASE.rolling)


@pytest.mark.parametrize("policy", [0, 1, 2, 3])
@pytest.mark.parametrize(("seats", "board"), [(2, BOARD), (4, BOARD), (6, None)])
def test_no_card_appears_or_lost(policy, seats, board):
    """After every action: all cards of each resource, all pieces, and each action allowed."""
    board = board or Board.from_notation(LARGE)
    g, s = begun(seats, board, policy)
    bank = 24 if seats > 4 else SUPPLY
    swaps = 0
    while s[NOW.phase] != PHASE.over:
        decide(g, s)
        p, kind = s[NOW.seat], s[AT.act]
        if kind == DO.lay:
            assert can_lay(g, s, p, s[AT.act + 1])
        if kind == DO.play:
            assert can_play(s, p, s[AT.act + 1])
        if kind == DO.rob:
            assert can_rob(g, s, p, s[AT.act + 1], s[AT.act + 2])
        if kind == DO.swap:
            swaps += 1
            assert can_swap(s, s[AT.act + 2])
            assert max(shown_points(s, p), shown_points(s, s[AT.act + 1])) < 10 - NEARLY
            assert min(s[AT.hand + 5 * p + s[AT.act + 2]], s[AT.hand + 5 * s[AT.act + 1] + s[AT.act + 3]]) > 0
        apply(g, s)
        hands = np.array(s[AT.hand : AT.hand + 5 * seats]).reshape(seats, 5)
        assert (hands >= 0).all()
        assert (hands.sum(axis=0) + s[AT.bank : AT.bank + 5] == bank).all()
        assert min(s[AT.bank : AT.bank + 5]) >= 0
        levels = np.array(s[AT.level : AT.level + g[ON.size + 1]])
        assert levels.sum() == sum(s[AT.built : AT.built + seats])
    assert (swaps > 0) == (policy == 2)


def test_chance_is_even():
    """The generator's draws, by the squares of their deviations: 6 has 5 degrees of freedom."""
    _, s = begun()
    counts = np.bincount([draw(s, 6) for _ in range(60_000)], minlength=6)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 25
