"""Catanatron's games, replayed by the rules of the library, action by action.

After every action both sides have the same hands, bank, points, roads, army, robber and pieces. The places to
build are equal too. Faults of Catanatron 3.2.1 are exceptions, counted here and tested in test_rule_book.py:

1. a development card can be played in the turn in which it was bought
2. Road Building is offered only to players who can pay for a road
3. a road that ends at another's settlement may count for less than its length
4. when a settlement cuts a road, the longest road goes to the first of the longest, be it too short
5. if the bank is short of a resource, no player gets it, not even one player alone
6. a player wins in another's turn
7. discards are drawn by chance
8. of two tiles of one terrain at a vertex, its table of production forgets one
"""

import math
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("catanatron", reason="Catanatron, of the extra 'dev', is not installed")

from catanatron.models.enums import ActionType
from catanatron.models.map import build_map
from catanatron.models.player import RandomPlayer
from catanatron.players.weighted_random import WeightedRandomPlayer

from catan_cp import LAYOUTS, Board, Harbor, InvalidBoard, generate_board, play_games
from catan_cp.play.actions import can_play
from catan_cp.play.engine import can_lay, can_settle, points
from catan_cp.play.tables import AT, DO, NOW, PHASE
from examples.catanatron_maps import from_map, to_map
from tests.play.catanatron_bridge import (
    CARDS,
    COLORS,
    RESOURCES,
    THEIR_ORDER,
    Follower,
    names,
    seated_game,
    their_map,
)

BASE = LAYOUTS["base"]


def board_of(seed):
    """A random board, its harbors moved along the coast and their trades turned."""
    board, coast = generate_board("open", seed=seed), BASE.coast_edges
    trades = [harbor.trade for harbor in BASE.printed_harbors]
    places = [coast.index(harbor.vertices) for harbor in BASE.printed_harbors]
    harbors = [
        Harbor(coast[(place + seed) % len(coast)], trades[(k + seed) % len(trades)])
        for k, place in enumerate(places)
    ]
    return Board(BASE, board.terrain, board.markers, harbors)


def test_other_shapes_not_converted():
    with pytest.raises(
        InvalidBoard, match="board must be a board of 'base' with markers, not one of 'base-5-6'"
    ):
        to_map(generate_board("open", "base-5-6", seed=1))
    with pytest.raises(InvalidBoard, match="map must have the 19 land tiles of 'base'"):
        from_map(build_map("MINI"))


def theirs(game):
    state, board, known = game.state, game.state.board, names()
    values, seats, seat = state.player_state, range(len(state.colors)), state.color_to_index
    return {
        "hand": [values[f"P{p}_{r}_IN_HAND"] for p in seats for r in RESOURCES],
        "bank": [state.resource_freqdeck[THEIR_ORDER.index(r)] for r in RESOURCES],
        "cards": [values[f"P{p}_{c}_IN_HAND"] for p in seats for c in CARDS],
        "knights": [values[f"P{p}_PLAYED_KNIGHT"] for p in seats],
        "left": [values[f"P{p}_{x}_AVAILABLE"] for p in seats for x in ("ROADS", "SETTLEMENTS", "CITIES")],
        "owner": [seat[board.buildings[x][0]] if x in board.buildings else -1 for x in known.nodes],
        "level": [
            1 + (board.buildings[x][1] == "CITY") if x in board.buildings else 0 for x in known.nodes
        ],
        "road": [seat[board.roads[x]] if x in board.roads else -1 for x in known.edges],
        "robber": known.coordinates.index(board.robber_coordinate),
        "army": [p for p in seats if values[f"P{p}_HAS_ARMY"]],
        "decides": state.current_player_index,
        "points": [
            values[f"P{p}_ACTUAL_VICTORY_POINTS"] - 2 * values[f"P{p}_HAS_ROAD"] for p in seats
        ],
        "settle": sorted(known.nodes.index(x) for x in board.buildable_node_ids(state.current_color())),
        "lay": sorted(known.edges.index(e) for e in board.buildable_edges(state.current_color())),
    }  # fmt: skip


def ours(following):
    g, s = following.g, following.s
    seats, me = range(g[0]), s[NOW.seat]

    def part(at, size):
        return [int(x) for x in s[at : at + size]]

    roads = [2 * int(s[NOW.road_holder] == p) for p in seats]
    phase, s[NOW.phase] = s[NOW.phase], PHASE.main  # ask for places to build as in a turn
    state = {
        "hand": part(AT.hand, 5 * g[0]),
        "bank": part(AT.bank, 5),
        "cards": part(AT.cards, 5 * g[0]),
        "knights": part(AT.knights, g[0]),
        "left": part(AT.left, 3 * g[0]),
        "owner": part(AT.owner, 54),
        "level": part(AT.level, 54),
        "road": part(AT.road, 72),
        "robber": int(s[NOW.robber]),
        "army": [p for p in seats if s[NOW.army_holder] == p],
        "decides": int(me),
        "points": [int(points(s, p)) - road for p, road in zip(seats, roads, strict=True)],
        "settle": [v for v in range(54) if can_settle(g, s, me, v)],
        "lay": [e for e in range(72) if can_lay(g, s, me, e)],
    }
    s[NOW.phase] = phase
    return state


def longest(roads, buildings, color):
    """The longest trail of a color by full search, not past other buildings: a second way to measure."""
    edges = {frozenset(edge) for edge, owner in roads.items() if owner is color}

    def walk(node, edges_left):
        return max(
            (
                1 + (0 if buildings.get(far, (color,))[0] is not color else walk(far, edges_left - {edge}))
                for edge in edges_left
                if node in edge
                for far in edge - {node}
            ),
            default=0,
        )

    return max((walk(node, edges) for edge in edges for node in edge), default=0)


def road_fault(game, following):
    """Check our lengths by `longest`, and say where theirs differ."""
    state, s = game.state, following.s
    lengths = [longest(state.board.roads, state.board.buildings, color) for color in state.colors]
    assert [int(x) for x in s[AT.length : AT.length + len(lengths)]] == lengths
    holder, best = int(s[NOW.road_holder]), max(lengths)
    assert holder < 0 or lengths[holder] == best >= 5
    assert holder >= 0 or best < 5 or lengths.count(best) > 1
    result = [state.board.road_lengths.get(color, 0) for color in state.colors]
    has = [p for p in range(len(lengths)) if state.player_state[f"P{p}_HAS_ROAD"]]
    if result != lengths:
        return "3: a road's length"
    return None if has == [holder] or (not has and holder < 0) else "4: who holds the longest road"


def replay(board, players, seed):
    """Follow a game, compare after every action, and count the faults that showed."""
    game, faults, actions = seated_game(board, players, seed), Counter(), 0
    following = Follower(board, (0,) * len(players))
    while game.winning_color() is None and game.state.num_turns < 1000:
        player = game.state.current_player()
        action = game.execute(player.decide(game, game.state.playable_actions))
        bought = action.action_type.name.startswith("PLAY_")
        card = {"KNIGHT": 0, "ROAD": 1, "YEAR": 2, "MONO": 3}.get(action.action_type.name[5:9].rstrip("H"))
        if bought and card is None:
            card = 0
        if bought and not can_play(following.s, following.s[NOW.seat], card):
            faults["1: a card of this turn"] += 1
        following.step(game, action)
        their_state, our_state = theirs(game), ours(following)
        if our_state["hand"] != their_state["hand"]:
            assert action.action_type is ActionType.ROLL, action
            more = {
                k // 5 for k in range(len(our_state["hand"])) if our_state["hand"][k] > their_state["hand"][k]
            }
            assert len(more) == 1 and min(map(int.__sub__, our_state["hand"], their_state["hand"])) == 0
            faults["5: a short bank"] += 1
            following.catch_up(game)
            our_state = ours(following)
        assert our_state == their_state, action
        if game.state.is_initial_build_phase:  # it does not measure roads before all are settled
            continue
        if (fault := road_fault(game, following)) is not None:
            faults[fault] += 1
        actions += 1
    winner = game.winning_color()
    faults["6: won in another's turn"] += winner is not None and winner is not game.state.current_color()
    return actions, faults


def seats_of(seed):
    """Return the players: those of Catanatron, and two to four of the library on its interface."""
    kinds = [WeightedRandomPlayer, "greedy", RandomPlayer, "weighted"]
    chosen = [kinds[(seed + k) % 4] if seed % 2 else WeightedRandomPlayer for k in range(2 + seed % 3)]
    return [kind if isinstance(kind, str) else kind(COLORS[k]) for k, kind in enumerate(chosen)]


def replay_all(seeds):
    actions, faults = 0, Counter()
    for seed in seeds:
        more, result = replay(board_of(seed), seats_of(seed), seed)
        actions += more
        faults += result
    return actions, faults


def test_replayed_games_agree():
    actions, _ = replay_all(range(1, 7))
    assert actions > 1000


@pytest.mark.slow
def test_hundreds_of_replayed_games_agree():
    actions, faults = replay_all(range(1, 301))
    assert actions > 100_000
    # The others are too rare to be asked for here: test_rule_book.py sets up a short bank that one player
    # drains.
    assert {fault[0] for fault, count in faults.items() if count} >= set("13")


@pytest.mark.parametrize("seed", range(3))
def test_example_converts_maps(seed):
    """The nodes of tiles and harbors are compared with the mapping of these tests."""
    board = board_of(seed)
    converted, expected = to_map(board), their_map(board)
    for place, tile in expected.land_tiles.items():
        assert (converted.land_tiles[place].resource, converted.land_tiles[place].number) == (
            tile.resource,
            tile.number,
        )
    assert converted.port_nodes == expected.port_nodes
    assert from_map(converted) == board


# Distributions: the same policies on both engines


def lengths_and_seats(players, seeds, games):
    """Return turns, margins and winning seats of a Catanatron game per board, and of several games here."""
    theirs_, ours_ = [], []
    for seed in seeds:
        game = seated_game(board_of(seed), players, seed)
        while game.winning_color() is None and game.state.num_turns < 1000:
            player = game.state.current_player()
            action = player.decide(game, game.state.playable_actions)
            if action.action_type is ActionType.DISCARD:  # it would draw the cards, and ours choose
                player.catch_up(game)
                s = player.s
                if player.choice()[0] == DO.discard and COLORS[s[NOW.seat]] is player.color:
                    value = np.repeat(RESOURCES, s[AT.act + 1 : AT.act + 6]).tolist()
                    action = action._replace(value=value)
            game.execute(action, validate_action=False)
        winner, values = game.winning_color(), game.state.player_state
        ends = sorted(values[f"P{p}_ACTUAL_VICTORY_POINTS"] for p in range(4))
        turns = 1 + sum(action.action_type is ActionType.END_TURN for action in game.state.actions)
        theirs_.append((turns, ends[-1] - ends[-2], 0 if winner is None else COLORS.index(winner) + 1))
        rows = play_games(board_of(seed), games, players=players, seed=seed).rows
        final = np.sort(rows["points"].astype(int), axis=1)
        ours_ += zip(
            rows["turns"].tolist(), final[:, -1] - final[:, -2], rows["winner"].tolist(), strict=True
        )
    return np.array(theirs_), np.array(ours_)


def smirnov(a, b):
    """The two-sided p-value of Kolmogorov and Smirnov for two samples, by the limit.

    Ties make it larger.
    """
    values = np.union1d(a, b)
    shares = [np.searchsorted(np.sort(x), values, side="right") / len(x) for x in (a, b)]
    scaled = np.abs(shares[0] - shares[1]).max() * np.sqrt(len(a) * len(b) / (len(a) + len(b)))
    if scaled < 0.2:
        return 1.0
    return min(1.0, 2 * sum((-1) ** (k - 1) * np.exp(-2 * (k * scaled) ** 2) for k in range(1, 101)))


def pearson(a, b):
    """The p-value of Pearson's chi-square of four seats' wins in two samples: three degrees of freedom."""
    counts = np.array([[np.sum(x == seat) for seat in range(1, 5)] for x in (a, b)])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    x = float(((counts - expected) ** 2 / expected).sum())
    return math.erfc(math.sqrt(x / 2)) + math.sqrt(2 * x / math.pi) * math.exp(-x / 2)


def test_tests_of_distributions_against_tables():
    """At the 5 % point each p-value is 0.05: 1.358 for large samples, and 7.815 with three degrees."""
    step = 1.358 * np.sqrt(2 / 10_000)
    a = np.arange(10_000) / 10_000
    assert smirnov(a, a) == 1
    assert smirnov(a, a + step) == pytest.approx(0.05, abs=0.002)
    wins = [np.repeat([1, 2, 3, 4], n) for n in ([500, 500, 500, 500], [500, 500, 500, 500])]
    assert pearson(*wins) == 1
    shifted = np.repeat([1, 2, 3, 4], [500 + 63, 500 - 63, 500, 500])
    assert pearson(wins[0], shifted) == pytest.approx(0.047, abs=0.002)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["weighted", "greedy"])
def test_lengths_margins_and_seats_distributed_alike(policy):
    """Four players of one policy on both engines, on 400 new boards, with Holm's correction.

    The tests were named before they were run: Smirnov's of lengths and margins, Pearson's of seats'
    wins.
    """
    their_rows, our_rows = lengths_and_seats([policy] * 4, range(2001, 2401), 4)
    p_values = [test(their_rows[:, k], our_rows[:, k]) for k, test in enumerate((smirnov, smirnov, pearson))]
    assert min(p_values) > 0.05 / 6, (p_values, their_rows.mean(axis=0), our_rows.mean(axis=0))
