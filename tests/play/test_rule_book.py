"""The rules of the book where another engine errs, on tables set up by hand.

And what never changes.
"""

import numpy as np
import pytest

from catan_cp import LAYOUTS, Board
from tests.play.by_hand import (
    AT,
    BOARD,
    BOOK,
    CARD,
    DO,
    NOW,
    PHASE,
    act,
    apply,
    begun,
    can_swap,
    decide,
    empty,
    give,
    lay,
    path_from,
    settle,
)

LARGE = Board.from_notation(LAYOUTS["base-5-6"].beginner_board)


def test_new_card_is_not_played():
    game, g, s = begun()
    act(g, s, DO.roll, 2)
    give(s, 0, 0, 1, 1, 1, 0)
    act(g, s, DO.buy, CARD.knight)
    assert ("knight",) not in game.legal_actions()
    for _ in range(4):
        act(g, s, DO.end)
        act(g, s, DO.roll, 2)
    assert s[NOW.active] == 0
    assert ("knight",) in game.legal_actions()
    s[AT.cards + CARD.plenty] = 1
    act(g, s, DO.play, CARD.plenty, 0, -1)
    assert ("knight",) not in game.legal_actions(), "one card a turn"


def test_road_building_needs_no_cards():
    game, g, s = begun()
    act(g, s, DO.roll, 2)
    s[AT.hand : AT.hand + 5] = [0] * 5
    s[AT.cards + CARD.roads] = 1
    act(g, s, DO.play, CARD.roads)
    before = game.view(1).pieces["road"]
    for _ in range(2):
        assert game.phase == "free_roads"
        decide(g, s)
        assert s[AT.act] == DO.lay
        apply(g, s)
    assert game.phase == "main"
    assert game.view(1).pieces["road"] == before - 2
    assert not any(game.view(1).hand.values())


def test_road_ends_at_another_settlement():
    game, g, s = empty()
    path = path_from(0, 6)
    s[AT.owner + path[0]] = 0
    s[AT.owner + path[5]] = 1
    lay(g, s, 0, path[:6])
    assert (game.road_lengths[0], game.longest_road) == (5, 1)
    give(s, 0, 1, 0, 0, 0, 1)
    lays = [action for action in game.legal_actions() if action[0] == "road"]
    assert lays and ("road", *sorted(path[5:7])) not in lays


def test_loop_walked_once():
    game, g, s = empty()
    ring = list(BOARD.layout.tile_vertices[9])
    s[AT.owner + ring[0]] = 0
    lay(g, s, 0, [*ring, ring[0]])
    assert game.road_lengths[0] == 6
    tail = next(v for v in BOARD.layout.vertex_neighbors[ring[2]] if v not in ring)
    lay(g, s, 0, [ring[2], tail])
    assert game.road_lengths[0] == 7


@pytest.mark.parametrize(
    ("lengths", "holder"),
    [((5, 0), 2), ((5, 5), None), ((0, 0), None), ((6, 5), 2)],
    ids=["one longer", "a tie sets it aside", "all too short", "the longest"],
)
def test_holder_of_cut_longest_road(lengths, holder):
    """Seat 0 has six roads, cut in the middle.

    By the book a tie without the holder sets the card aside.
    """
    game, g, s = empty()
    path = path_from(0, 6)
    s[AT.owner + path[0]] = 0
    lay(g, s, 0, path)
    assert game.longest_road == 1
    s[AT.length + 1], s[AT.length + 2] = lengths
    s[NOW.active] = 3
    settle(g, s, 3, path[3])
    assert game.road_lengths[0] == 3
    assert game.longest_road == holder


def test_among_equals_holder_keeps_road():
    game, g, s = empty()
    path = path_from(0, 5)
    s[AT.owner + path[0]] = 0
    lay(g, s, 0, path)
    s[AT.length + 1] = 5
    far = next(v for v in range(54) if s[AT.shut + v] == 0 and s[AT.owner + v] < 0 and v not in path)
    near = BOARD.layout.vertex_neighbors[far][0]
    s[AT.owner + far] = 2
    lay(g, s, 2, [far, near])
    assert game.longest_road == 1
    assert game.view(1).own_points == 2


@pytest.mark.parametrize(
    ("stock", "takers", "gets"), [(1, 1, [1, 0]), (1, 2, [0, 0]), (2, 2, [1, 1]), (0, 1, [0, 0])]
)
def test_bank_that_is_short(stock, takers, gets):
    """One player alone gets what is left. Several get nothing."""
    game, g, s = empty()
    tile = BOARD.terrain.index("ore")
    corners = BOARD.layout.tile_vertices[tile]
    s[AT.bank + 3] = stock
    for p in range(takers):
        s[AT.owner + corners[2 * p]], s[AT.level + corners[2 * p]] = p, 2 if takers == 1 else 1
    s[NOW.phase] = PHASE.rolling
    act(g, s, DO.roll, BOARD.markers[tile])
    assert [game.view(seat).hand["ore"] for seat in (1, 2)] == gets
    assert game.bank["ore"] == stock - sum(gets)


def test_no_player_wins_in_anothers_turn():
    game, g, s = begun()
    s[AT.built + 2] = 10
    act(g, s, DO.roll, 2)
    act(g, s, DO.end)
    assert game.winner is None
    act(g, s, DO.roll, 2)
    act(g, s, DO.end)
    assert (game.winner, game.phase, game.turn) == (3, "over", 3)


def test_discards_chosen_and_are_half():
    game, g, s = begun()
    give(s, 0, 4, 0, 0, 0, 5)
    held = sum(game.view(1).hand.values())
    act(g, s, DO.roll, 7)
    assert game.phase == "discarding"
    decide(g, s)
    assert s[AT.act] == DO.discard
    assert sum(s[AT.act + 1 : AT.act + 6]) == held // 2
    apply(g, s)
    assert game.phase == "robbing"
    assert sum(game.view(1).hand.values()) == held - held // 2


def test_robber_must_move_and_take():
    game, g, s = begun()
    act(g, s, DO.roll, 7)
    corners = BOARD.layout.tile_vertices
    tile = next(t for t in range(19) if t != game.robber and {*corners[t]} & seat_vertices(game, 2))
    assert not any(action[1] == game.robber for action in game.legal_actions())
    assert ("rob", tile, 2) in game.legal_actions() and ("rob", tile) not in game.legal_actions()
    for p in range(1, 4):
        s[AT.hand + 5 * p : AT.hand + 5 * p + 5] = [0] * 5
    assert ("rob", tile) in game.legal_actions() and ("rob", tile, 2) not in game.legal_actions()


def seat_vertices(game, seat):
    return {v for v, owner in game.settlements.items() if owner == seat}


def test_largest_army_changes_hands():
    game, g, s = begun()
    for p, counts in ((0, 3), (1, 3), (1, 1)):
        for _ in range(counts):
            s[NOW.seat], s[NOW.phase], s[AT.cards + 5 * p + CARD.knight] = p, PHASE.main, 1
            act(g, s, DO.play, CARD.knight)
        assert game.largest_army == (2 if game.knights[1] > 3 else 1)


def test_swapped_resource_kept_for_turn():
    _, g, s = empty()
    give(s, 0, 2)
    give(s, 1, 0, 2)
    assert all(can_swap(s, resource) for resource in range(5))
    act(g, s, DO.swap, 1, 0, 1)
    assert [can_swap(s, resource) for resource in range(5)] == [True, False, True, True, True]
    act(g, s, DO.end)
    assert all(can_swap(s, resource) for resource in range(5))


@pytest.mark.parametrize(("seats", "board"), [(4, BOARD), (6, LARGE)])
def test_turn_ends_after_last_action(seats, board):
    """Swaps back and forth, which no policy makes, end in the second seat's turn."""
    game, g, s = begun(seats, board, policy=0)
    act(g, s, DO.roll, 2)
    give(s, 0, 1)
    give(s, 1, 0, 1)
    swaps = 0
    while s[NOW.seat] == 0 and swaps < 2 * BOOK.most_actions:
        act(g, s, DO.swap, 1, swaps % 2, 1 - swaps % 2)
        swaps += 1
    assert swaps == BOOK.most_actions - 1  # the roll is an action
    assert (s[NOW.seat], s[NOW.actions]) == (1, 0)
    assert game.phase == ("building" if seats > 4 else "rolling")


NEARLY = 8
"""A trader swaps with no seat that has so many points."""


@pytest.mark.parametrize(
    ("policy", "seats", "board"),
    [(0, 2, BOARD), (1, 4, BOARD), (2, 6, LARGE), (3, 4, BOARD), (3, 2, BOARD)],
)
def test_no_card_appears_or_lost(policy, seats, board):
    """After every action: all cards of each resource, all pieces, and each action allowed."""
    game, g, s = begun(seats, board, policy)
    bank = 24 if seats > 4 else 19
    swaps = 0
    while not game.is_over:
        legal, view = game.legal_actions(), game.view(game.to_play)
        decide(g, s)
        kind, x, y, z = (int(k) for k in s[AT.act : AT.act + 4])
        if kind == DO.lay:
            assert ("road", *board.layout.edges[x]) in legal
        if kind == DO.play:
            assert ("knight", "roads", "plenty", "monopoly")[x] in {action[0] for action in legal}
        if kind == DO.rob:
            assert ("rob", x, *([y + 1] if y >= 0 else [])) in legal
        if kind == DO.swap:
            swaps += 1
            assert can_swap(s, y)
            assert max(view.points[view.seat - 1], view.points[x]) < NEARLY
            assert min(s[AT.hand + 5 * view.seat - 5 + y], s[AT.hand + 5 * x + z]) > 0
        apply(g, s)
        hands = np.array(s[AT.hand : AT.hand + 5 * seats]).reshape(seats, 5)
        assert (hands >= 0).all()
        assert (hands.sum(axis=0) + s[AT.bank : AT.bank + 5] == bank).all()
        assert min(s[AT.bank : AT.bank + 5]) >= 0
        assert len(game.settlements) + 2 * len(game.cities) == sum(s[AT.built : AT.built + seats])
    assert (swaps > 0) == (policy == 2)
