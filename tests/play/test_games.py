"""Games: a seed fixes them, in any process; what is counted agrees with a second count; the players rank."""

import json
import os
import random
import subprocess
import sys
from collections import Counter

import pytest

pytest.importorskip("catanatron", reason="the extra 'play' is not installed")

from catanatron.models.enums import ActionType

from catan_cp import LAYOUTS, CatanError, Games, InvalidArgument, play_games
from catan_cp.boards.board import Board
from catan_cp.play import Game, wilson
from catan_cp.play import engine as engine_room
from catan_cp.play.bridge import ENGINE_RESOURCE, engine_map, names
from catan_cp.play.games import KINDS
from catan_cp.play.players import seat_players
from catan_cp.play.specs import read_placement, read_players
from catan_cp.play.table import _seated, _settle_longest_road, game_seed, play_game, put_in_order

TEXT = LAYOUTS["base"].beginner_board.split(" ")[0].split(":")[0]
BOARD = Board(
    "base",
    Board.from_notation(TEXT).terrain,
    Board.from_notation(TEXT).markers,
    LAYOUTS["base"].printed_harbors,
)
PLAYERS = ("greedy", "weighted", "weighted:pips", "random")


@pytest.fixture(scope="module")
def games():
    return play_games(BOARD, 12, players=PLAYERS, seed=5)


def test_a_seed_fixes_the_games_whatever_else_runs(games):
    random.seed(1)
    before = random.getstate()
    assert play_games(BOARD.notation(), 12, players=",".join(PLAYERS), seed=5) == games
    assert random.getstate() == before
    assert play_games(BOARD, 12, players=PLAYERS, seed=6) != games
    assert play_games(BOARD, 5, players=PLAYERS, seed=5).games == games.games[:5]


@pytest.mark.parametrize("hash_seed", ["0", "1", "77"])
def test_a_seed_fixes_the_games_in_another_process(games, hash_seed):
    """Text, and before Python 3.12 None, hash differently there, and so sets are in another order."""
    code = (
        "import sys; junk = [object() for _ in range(int(sys.argv[3]) * 1000)]; "
        "from catan_cp import play_games; "
        "print(play_games(sys.argv[1], 12, players=sys.argv[2], seed=5).to_json())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, BOARD.notation(), ",".join(PLAYERS), hash_seed],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert Games.from_json(done.stdout) == games


def test_processes_change_nothing(games):
    seen = []
    found = play_games(
        BOARD, 12, players=PLAYERS, seed=5, workers=2, progress=lambda done, total: seen.append((done, total))
    )
    assert found == games
    assert seen[-1] == (12, 12)


def test_a_file_is_gone_on_with_after_a_kill(games, tmp_path):
    file = tmp_path / "games.jsonl"
    play_games(BOARD, 6, players=PLAYERS, seed=5, file=file)
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 7
    file.write_bytes(b"".join(lines[:4]) + lines[4][:20])  # killed while it wrote the fourth game
    counted = []
    found = play_games(
        BOARD, 12, players=PLAYERS, seed=5, file=file, progress=lambda done, _: counted.append(done)
    )
    assert found == games
    assert len(file.read_bytes().splitlines()) == 13
    play_games(BOARD, 12, players=PLAYERS, seed=5, file=file, progress=lambda *_: pytest.fail("played again"))


def test_a_file_of_other_games_is_refused(tmp_path):
    file = tmp_path / "games.jsonl"
    play_games(BOARD, 1, seed=5, players="greedy", file=file)
    kept = file.read_bytes()
    with pytest.raises(InvalidArgument, match="another seed"):
        play_games(BOARD, 1, seed=6, players="greedy", file=file)
    assert file.read_bytes() == kept
    file.write_text("something else\n")
    with pytest.raises(InvalidArgument, match="no games"):
        play_games(BOARD, 1, seed=5, players="greedy", file=file)
    assert file.read_text() == "something else\n"


def test_games_are_plain_values(games):
    assert Games.from_json(games.to_json()) == games
    assert hash(games) == hash(Games.from_json(games.to_json()))
    json.loads(games.to_json())
    for game in games.games:
        assert game.winner is None or game.points[game.winner - 1] >= 10
        assert len(game.history) == 4 * game.rounds
        assert tuple(game.history[-4:]) == game.points
        assert game.winner is None or 1 <= game.lead_taken <= game.turns
        assert game.margin == sorted(game.points)[-1] - sorted(game.points)[-2]
    assert sum(share.count for share in games.wins) + games.unfinished == 12
    table = games.table()
    assert all(player in table for player in PLAYERS)
    assert len(games.leads()) == max(game.rounds for game in games.games)


def played(specs, number, board=BOARD, watch=lambda state, action: None):
    """A game, and the engine's state at its end; *watch* sees each action before it is carried out."""
    made = engine_map(board)
    players = seat_players(read_players(specs), board)
    states = []
    for player in players:
        decide = player.decide

        def seen(game, actions, decide=decide):
            states[:] = [game.state]
            action = decide(game, actions)
            watch(game.state, action)
            return action

        player.decide = seen
    return play_game(made, players, game_seed(9, number)), states[0]


@pytest.mark.parametrize("number", range(4))
def test_cards_trades_and_robberies_agree_with_a_second_count(number):
    """Against what the tiles yield, counted from the dice and the buildings of the moment."""
    specs = "weighted,greedy,weighted,weighted" if number % 2 else "weighted"
    game, state = played(specs, number)
    yields = [Counter() for _ in range(4)]
    buildings = {}
    robber = next(c for c, tile in state.board.map.land_tiles.items() if tile.resource is None)
    ours = {theirs: kind for kind, theirs in ENGINE_RESOURCE.items()}
    first = Counter()
    for color, kind, value in state.actions:
        seat = state.color_to_index[color]
        if kind is ActionType.BUILD_SETTLEMENT:
            buildings[value] = seat, 1
            first[seat] += 1
            if first[seat] == 2:
                for tile in state.board.map.adjacent_tiles[value]:
                    if tile.resource:
                        yields[seat][ours[tile.resource]] += 1
        elif kind is ActionType.BUILD_CITY:
            buildings[value] = seat, 2
        elif kind is ActionType.MOVE_ROBBER:
            robber = value[0]
        elif kind is ActionType.ROLL:
            for place, tile in state.board.map.land_tiles.items():
                if tile.number == sum(value) and place != robber:
                    for node in tile.nodes.values():
                        if node in buildings:
                            owner, size = buildings[node]
                            yields[owner][ours[tile.resource]] += size
    for seat in range(4):
        counted = dict(zip(KINDS, game.gained[seat], strict=True))
        for kind in KINDS:  # fewer where the bank had run out
            assert 0 <= counted[kind] <= yields[seat][kind]
        assert sum(counted.values()) >= 0.9 * sum(yields[seat].values())
    trades = [action for action in state.actions if action.action_type is ActionType.MARITIME_TRADE]
    assert sum(map(sum, game.trades)) == len(trades)
    held = {seat: set() for seat in range(4)}
    for node, (seat, _) in buildings.items():
        held[seat] |= {r for r, nodes in state.board.map.port_nodes.items() if node in nodes}
    for seat in range(4):
        if None not in held[seat]:
            assert game.trades[seat][1] == 0
        if held[seat] <= {None}:
            assert game.trades[seat][2] == 0
    robbed = [a.value[1] for a in state.actions if a.action_type is ActionType.MOVE_ROBBER and a.value[1]]
    assert game.robbed == tuple(robbed.count(color) for color in state.colors)
    assert game.turns == sum(action.action_type is ActionType.ROLL for action in state.actions)


def test_no_card_appears_or_is_lost():
    """Nineteen of each resource, in hands and in the bank, at the end of every game."""
    for number in range(3):
        _, state = played("greedy,weighted,greedy,weighted", number)
        for k, resource in enumerate(("WOOD", "BRICK", "SHEEP", "WHEAT", "ORE")):
            hands = sum(state.player_state[f"P{seat}_{resource}_IN_HAND"] for seat in range(4))
            assert hands + state.resource_freqdeck[k] == 19


def test_seats_are_those_given():
    for number in range(3):
        _, state = played(",".join(PLAYERS), number)
        assert [color.value for color in state.colors] == ["RED", "BLUE", "ORANGE", "WHITE"]
        rolls = [a.color for a in state.actions if a.action_type is ActionType.ROLL]
        assert rolls[:4] == list(state.colors)


def test_edges_to_build_on_are_those_of_the_engine():
    checked = []

    def compare(state, _action):
        for color in state.colors:
            theirs = type(state.board).buildable_edges(state.board, color)
            assert state.board.buildable_edges(color) == sorted(theirs)
            checked.append(color)

    played("weighted", 1, watch=compare)
    assert len(checked) > 500


def test_choices_come_in_one_order():
    def compare(state, _action):
        actions = list(state.playable_actions)
        for seed in range(2):
            again = list(actions)
            kinds = [a.action_type for a in again]
            mixed = (ActionType.MARITIME_TRADE, ActionType.MOVE_ROBBER)
            for start, kind in enumerate(kinds):  # shuffle each run of one kind
                if kind in mixed and kind not in kinds[:start]:
                    end = start + kinds[start:].count(kind)
                    part = again[start:end]
                    random.Random(seed).shuffle(part)
                    again[start:end] = part
            put_in_order(again)
            assert again == actions

    played("weighted", 2, watch=compare)


def test_the_longest_road_is_put_right_when_it_is_cut():
    game = _seated(engine_map(BOARD), seat_players(read_players("weighted"), BOARD))
    state, (red, blue, orange, _) = game.state, game.state.colors
    board, values = state.board, state.player_state

    def holders(lengths, holder):
        board.road_lengths.clear()
        board.road_lengths.update(lengths)
        board.road_color = max(lengths, key=lengths.get)  # the first of the longest, as the engine has it
        for seat, color in enumerate(state.colors):
            has = color is board.road_color
            values[f"P{seat}_HAS_ROAD"] = has
            values[f"P{seat}_ACTUAL_VICTORY_POINTS"] = values[f"P{seat}_VICTORY_POINTS"] = 2 + 2 * has
        _settle_longest_road(state, holder, 7)
        points = [values[f"P{seat}_ACTUAL_VICTORY_POINTS"] for seat in range(4)]
        have = [color for seat, color in enumerate(state.colors) if values[f"P{seat}_HAS_ROAD"]]
        assert points == [4 if color in have else 2 for color in state.colors]
        assert have == ([] if board.road_color is None else [board.road_color])
        return have

    assert holders({red: 4, blue: 3}, red) == []  # too short
    assert holders({red: 5, blue: 5}, blue) == [blue]  # among equals, who has it keeps it
    assert holders({red: 6, blue: 6, orange: 4}, orange) == []  # among equals without it, nobody
    assert holders({red: 4, blue: 6}, red) == [blue]
    assert board.road_length == 6


def test_the_best_road_holds_the_card_throughout():
    """After every action whoever has two points for the road has one of at least five, none longer."""
    seen = []

    def check(state, _action):
        values = state.player_state
        have = [seat for seat in range(4) if values[f"P{seat}_HAS_ROAD"]]
        assert len(have) <= 1
        if have:
            lengths = [values[f"P{seat}_LONGEST_ROAD_LENGTH"] for seat in range(4)]
            assert max(lengths) == lengths[have[0]] >= 5
            seen.append(have[0])

    for number in range(6):
        played("weighted", number, watch=check)
    assert seen


# Placement and players


def test_a_draft_is_followed():
    draft = "1:42-41,2:24-23,3:0,4:50"
    found = play_games(BOARD, 3, placement=draft, seed=2)
    assert found.placement == draft
    for game in found.games:
        assert [spots[0] for spots in game.settlements] == [42, 24, 0, 50]
        assert all(len(spots) == 2 for spots in game.settlements)

    def first_roads(state, action):
        if action.action_type is ActionType.BUILD_SETTLEMENT and len(state.actions) == 4:
            pytest.fail("the third settlement is given")

    made, players = engine_map(BOARD), seat_players(read_players("weighted"), BOARD)
    _, moves = read_placement(draft, BOARD, 4)
    roads = []
    for player in players:
        decide = player.decide
        player.decide = lambda game, actions, decide=decide: (
            roads.append(dict(game.state.board.roads)) or decide(game, actions)
        )
    play_game(made, players, 7, moves)
    assert {names().edge(42, 41), names().edge(24, 23)} <= set(roads[0])


def test_optimal_settlements_are_those_of_perfect_players():
    from catan_cp import solve_placement

    found = play_games(BOARD, 1, placement="optimal", players="greedy", seed=1)
    planned = play_games(BOARD, 1, players="greedy:optimal", seed=1)
    assert found.games[0].settlements == solve_placement(BOARD).settlements == planned.games[0].settlements


def test_rivals_and_pips_settle_by_their_plans():
    from catan_cp import Objective, solve_placement

    found = play_games(BOARD, 1, placement="rivals", players="greedy,greedy", seed=1)
    wanted = solve_placement(BOARD, 2, Objective(rivalry=1)).settlements
    assert found.games[0].settlements == wanted
    first = play_games(BOARD, 1, players="weighted:pips,random", seed=1).games[0].settlements[0][0]
    assert BOARD.vertex_pips()[first] == max(BOARD.vertex_pips())


def test_greedy_beats_weighted_beats_random_clearly():
    """One against three: a quarter is what a player of equal strength would win."""
    for strong, weak, least in (("greedy", "weighted", 0.6), ("weighted", "random", 0.4)):
        wins = 0
        for seat in range(4):
            players = [strong if s == seat else weak for s in range(4)]
            wins += play_games(BOARD, 8, players=players, seed=seat).wins[seat].count
        assert wilson(wins, 32)[0] > 0.25
        assert wins / 32 > least, strong


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"players": "clever"}, "unknown player 'clever'"),
        ({"players": "greedy:best"}, "pips, optimal, rivals"),
        ({"players": ["greedy"]}, "2 to 4 play"),
        ({"players": 4}, "players are"),
        ({"placement": "best"}, "PLAYER:VERTEX.*or one of free, optimal, rivals"),
        ({"placement": " "}, "has none"),
        ({"placement": None}, "placement"),
        ({"placement": "2:1"}, "player 1's"),
        ({"placement": "1:42-40"}, "road from vertex 42 leads to .*, not to 40"),
        ({"placement": "1:42,2:41"}, "next to"),
        ({"n": 0}, "n is a whole number"),
        ({"seed": None}, "seed"),
        ({"workers": 0}, "workers"),
    ],
)
def test_what_cannot_be_is_refused(options, says):
    with pytest.raises(InvalidArgument, match=says):
        play_games(BOARD, **{"n": 1, "seed": 1, **options})


def test_without_the_engine_the_message_says_what_to_install(monkeypatch):
    def absent(name):
        raise engine_room.metadata.PackageNotFoundError(name)

    engine_room.engine_version.cache_clear()
    monkeypatch.setattr(engine_room.metadata, "version", absent)
    with pytest.raises(CatanError, match=r"pip install -e '\.\[play\]' in the checkout"):
        play_games(BOARD, 1, seed=1)
    monkeypatch.setattr(engine_room.metadata, "version", lambda _: "4.0.0")
    with pytest.raises(CatanError, match=r"3\.2\.1, but 4\.0\.0"):
        play_games(BOARD, 1, seed=1)
    engine_room.engine_version.cache_clear()


def test_without_the_engine_everything_else_loads():
    code = (
        "import sys; sys.modules['catanatron'] = None; sys.modules['networkx'] = None; "
        "import catan_cp, catan_cp.cli.commands; "
        "[getattr(catan_cp, n) for n in catan_cp.__all__]; print('ok')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "ok", done.stderr


def test_wilson_against_its_definition():
    """Both ends solve (p - share)² = z² p (1 - p) / n."""
    for n in (1, 7, 100):
        for k in range(n + 1):
            for end in wilson(k, n):
                assert (end - k / n) ** 2 == pytest.approx(1.959963985**2 * end * (1 - end) / n, abs=1e-9)
    with pytest.raises(InvalidArgument):
        wilson(3, 2)


def test_who_leads():
    game = Game(1, 4, (10, 3), 0, 1, ((0,) * 5,) * 2, ((0,) * 3,) * 2, (0, 0), ((0, 1), (2, 3)), bytes(4))
    assert (game.rounds, game.margin, game.decided) == (2, 7, 0.25)
    from catan_cp.play.table import _changes, _leader, _taken

    assert _leader([3, 2], -1) == 0
    assert _leader([3, 3], 0) == 0  # among equals, who led before
    assert _leader([3, 3, 2], 2) == -1  # nobody
    leads = [0, -1, 1, 1, -1, 0, 0]
    assert _changes(leads) == 2
    assert _taken(leads, 0) == 6
