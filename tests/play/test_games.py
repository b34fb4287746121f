"""Games: a seed fixes them, in any process, compiled or not; files go on; players rank; seats win."""

import json
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Games,
    InvalidArgument,
    InvalidBoard,
    Objective,
    generate_board,
    play_games,
    solve_placement,
)
from catan_cp.compiled import table
from catan_cp.play import POLICIES, wilson
from catan_cp.play.engine import game_words, reset
from catan_cp.play.games import packed
from catan_cp.play.policies import decide
from catan_cp.play.tables import AT, DO, NOW, PHASE, ground_of, new_state

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
PLAYERS = ("greedy", "expert", "trader", "weighted:pips")
LARGE = LAYOUTS["base-5-6"].beginner_board


@pytest.fixture(scope="module")
def games():
    return play_games(BOARD, 12, players=PLAYERS, seed=5)


def test_a_seed_fixes_the_games(games):
    assert play_games(BOARD.notation(), 12, players=",".join(PLAYERS), seed=5) == games
    assert play_games(BOARD, 12, players=PLAYERS, seed=-5) != games
    assert np.array_equal(play_games(BOARD, 5, players=PLAYERS, seed=5).rows, games.rows[:5])
    known = play_games(BOARD, 6, players="greedy, trader,weighted,greedy", seed=1)  # on every machine
    assert known.rows["winner"].tolist() == [4, 4, 4, 4, 4, 2]
    assert known.rows["turns"].tolist() == [64, 112, 72, 68, 92, 86]


def test_interpreted_games_are_the_same(games):
    code = (
        "import sys; from catan_cp import play_games; from catan_cp.compiled import is_fast; "
        "assert not is_fast(); "
        "print(play_games(sys.argv[1], 12, players=sys.argv[2], seed=5).to_json())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, BOARD.notation(), ",".join(PLAYERS)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert Games.from_json(done.stdout) == games


def test_processes_change_nothing():
    seen = []
    whole = play_games(BOARD, 600, seed=5)
    found = play_games(BOARD, 600, seed=5, workers=2, progress=lambda done, total: seen.append((done, total)))
    assert found == whole
    assert seen[-1] == (600, 600)


def test_a_file_is_gone_on_with_after_a_kill(games, tmp_path):
    file = tmp_path / "games.jsonl"
    play_games(BOARD, 3, players=PLAYERS, seed=5, file=file)
    play_games(BOARD, 6, players=PLAYERS, seed=5, file=file)
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    file.write_bytes(b"".join(lines[:2]) + lines[2][:20])  # killed while it wrote the second batch
    counted = []
    found = play_games(
        BOARD, 12, players=PLAYERS, seed=5, file=file, progress=lambda done, _: counted.append(done)
    )
    assert found == games
    assert counted == [12]
    play_games(BOARD, 12, players=PLAYERS, seed=5, file=file, progress=lambda *_: pytest.fail("played again"))


def test_a_file_of_other_games_is_refused(tmp_path):
    file = tmp_path / "games.jsonl"
    play_games(BOARD, 1, seed=5, file=file)
    kept = file.read_text()
    for options, says in (({"seed": 6}, "another seed"), ({"players": "greedy,greedy"}, "another players")):
        with pytest.raises(InvalidArgument, match=says):
            play_games(BOARD, 1, **{"seed": 5, "file": file} | options)
        assert file.read_text() == kept
    header, batch = kept.splitlines()
    damaged = json.dumps(json.loads(batch) | {"rows": "abc"})
    short = json.dumps(json.loads(batch) | packed([(play_games(BOARD, 1, seed=5).played[0][0], b"")]))
    batches = [f"{header}\n{line}\n" for line in ("{}", damaged, short)]
    for other in ("something else\n", "not even a line", "[1]\n", "[" * 9999 + "\n", "{}\n{}\n", *batches):
        file.write_text(other)
        with pytest.raises(InvalidArgument, match="holds no games"):
            play_games(BOARD, 1, seed=5, file=file)
        assert file.read_text() == other
        with pytest.raises(InvalidArgument, match="these are no games"):
            Games.from_json(other.splitlines()[-1])


def test_games_are_plain_values(games):
    again = Games.from_json(games.to_json())
    assert again == games
    assert hash(again) == hash(games)
    told = json.loads(games.to_json())
    strange = {"board": [5], "seed": [None, "x"], "placement": [7], "players": [[5] * 4, []]}
    for name, value in ((name, value) for name, values in strange.items() for value in values):
        with pytest.raises(InvalidArgument, match="these are no games"):
            Games.from_json(json.dumps(told | {name: value}))
    rows, at = games.rows, 0
    for row in rows:
        seat, size = int(row["winner"]), -(-int(row["turns"]) // 4) * 4
        assert seat == 0 or row["points"][seat - 1] >= 10
        assert max(p for s, p in enumerate(row["points"], 1) if s != seat) < 13
        assert list(games.history[at + size - 4 : at + size]) == row["points"].tolist()
        assert seat == 0 or 1 <= row["lead_taken"] <= row["turns"]
        at += size
    assert at == len(games.history)
    assert sum(share.count for share in games.wins) + games.unfinished == 12
    assert games.leads()[-1] == pytest.approx(games.points)
    assert games.margin == np.mean([np.diff(np.sort(p.astype(int)))[-1] for p in rows["points"]])
    assert all(player in games.table() for player in PLAYERS)


# Placement


def test_a_draft_is_followed():
    draft = "1:42-41,2:24-23,3:0,4:50"
    found = play_games(BOARD, 3, placement=draft, seed=2)
    assert found.placement == draft
    assert found.rows["settlements"][:, :, 0].tolist() == [[42, 24, 0, 50]] * 3


def test_plans_are_those_of_perfect_players():
    found = play_games(BOARD, 1, placement="optimal", seed=1)
    planned = play_games(BOARD, 1, players="greedy:optimal", seed=1)
    wanted = [list(pair) for pair in solve_placement(BOARD).settlements]
    assert found.rows["settlements"][0].tolist() == planned.rows["settlements"][0].tolist() == wanted
    two = play_games(BOARD, 1, placement="rivals", players="greedy,greedy", seed=1)
    wanted = solve_placement(BOARD, 2, Objective(rivalry=1)).settlements
    assert two.rows["settlements"][0].tolist() == [list(pair) for pair in wanted]
    first = play_games(BOARD, 1, players="weighted:pips,weighted", seed=1).rows["settlements"][0, 0, 0]
    assert BOARD.vertex_pips()[first] == max(BOARD.vertex_pips())


# Who wins


@pytest.mark.parametrize(
    ("stronger", "weaker", "share"),
    [("greedy", "weighted", 0.9), ("trader", "greedy", 0.5), ("expert", "greedy", 0.6)],
)
def test_who_is_stronger(stronger, weaker, share):
    """Two against two, both in all seats: half is what players of equal strength would win."""
    won = 0
    for players in ([stronger, weaker] * 2, [weaker, stronger] * 2):
        wins = play_games(BOARD, 300, players=players, seed=1).wins
        won += sum(wins[seat].count for seat, name in enumerate(players) if name == stronger)
    assert wilson(won, 600)[0] > share


@pytest.mark.parametrize(("policy", "n"), [("greedy", 2000), ("expert", 300)])
def test_seats_win_and_labels_do_not(policy, n):
    """Turn the board, and draw anew: seats win as before, so no tie is settled by a number of ours."""
    wins = [share.value for share in play_games(BOARD, n, players=policy, seed=1).wins]
    for turns in (2, 5):
        turned = [share.value for share in play_games(BOARD.moved(turns), n, players=policy, seed=2).wins]
        assert np.abs(np.subtract(wins, turned)).max() < 4 * np.sqrt(2 * 0.25 * 0.75 / n)


@pytest.mark.parametrize("policy", ["greedy", "expert"])
def test_equal_players_who_exchange_their_labels_win_by_seat(policy):
    """Four names of one player, for the draft leaves nothing to plan: in turn each sits everywhere."""
    labels, n = [policy, f"{policy}:pips", f"{policy}:optimal", f"{policy}:wins"], 300
    order = solve_placement(BOARD).order
    draft = ",".join(f"{seat}:{vertex}" for seat, vertex in order)
    by_seat, by_label = [set() for _ in labels], Counter()
    for turn in range(4):
        seated = labels[turn:] + labels[:turn]
        found = play_games(BOARD, n, players=seated, placement=draft, seed=4)
        for seat, (label, share) in enumerate(zip(seated, found.wins, strict=True)):
            by_seat[seat].add(share.count)
            by_label[label] += share.count
    assert [len(counts) for counts in by_seat] == [1, 1, 1, 1]
    assert set(by_label.values()) == {n}
    assert len(set.union(*by_seat)) > 1  # the seats themselves differ here


@pytest.mark.parametrize("policy", ["greedy", "trader", "expert"])
@pytest.mark.parametrize("victims", [(0, 1, 2), (0, 1, 3), (1, 2, 3)])
def test_a_tie_between_seats_is_settled_by_chance(policy, victims):
    """Three seats alike round one tile: each is robbed as often, by the fourth."""
    robber = ({0, 1, 2, 3} - set(victims)).pop()
    tile = BOARD.markers.index(6)
    g, s = ground_of(BOARD, (POLICIES.index(policy),) * 4), new_state()
    robbed = Counter()
    for number in range(600):
        reset(g, s, table(game_words(7, number)))
        for seat, vertex in zip(victims, BOARD.layout.tile_vertices[tile][::2], strict=True):
            s[AT.owner + vertex], s[AT.level + vertex] = seat, 1
            s[AT.built + seat] = s[AT.hand + 5 * seat] = 1
        s[NOW.seat], s[NOW.phase], s[NOW.turn] = robber, PHASE.robbing, 1
        decide(g, s)
        assert (s[AT.act], s[AT.act + 1]) == (DO.rob, tile)
        robbed[int(s[AT.act + 2])] += 1
    assert set(robbed) == set(victims)
    assert sum((count - 200) ** 2 / 200 for count in robbed.values()) < 13.8  # 0.1 %, two degrees


@pytest.mark.parametrize("seats", [2, 3, 5, 6])
def test_other_numbers_of_players(seats):
    board = Board.from_notation(LARGE) if seats > 4 else BOARD
    found = play_games(board, 40, players=["greedy"] * (seats - 1) + ["trader"], seed=1)
    assert found.unfinished == 0
    assert found.rows["points"].shape == (40, seats)
    assert found.turns < 140


# What is refused


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"players": "clever"}, "unknown player 'clever'"),
        ({"players": "greedy:best"}, "pips, optimal"),
        ({"players": ["greedy"]}, "2 to 6 play"),
        ({"players": 4}, "players are"),
        ({"players": ["greedy"] * 5}, "5 and 6 play on 'base-5-6'"),
        ({"placement": "best"}, "PLAYER:VERTEX.*or one of free, optimal, rivals"),
        ({"placement": " "}, "has none"),
        ({"placement": None}, "placement"),
        ({"placement": "2:1"}, "player 1's"),
        ({"placement": "1:42-40"}, "road from vertex 42 leads to .*, not to 40"),
        ({"placement": "1:42,2:41"}, "next to"),
        ({"n": 0}, "n is a whole number"),
        ({"seed": None}, "seed"),
        ({"workers": 0}, "workers"),
        ({"file": 5}, "kept in a file, not 5"),
    ],
)
def test_what_cannot_be_is_refused(options, says):
    with pytest.raises(InvalidArgument, match=says):
        play_games(BOARD, **{"n": 1, "seed": 1, **options})


@pytest.mark.parametrize(
    ("board", "says"),
    [
        ("seafarers-6", "'seafarers-6' needs ships"),
        ("four-islands-4", "needs ships"),
        (LAYOUTS["fishermen-of-catan"].beginner_board, "which has no lake"),
        (Board("base", BOARD.terrain), "no markers"),
        (Board("base", ["ore"] * 19, [5] * 19), "this board has none"),
    ],
)
def test_boards_that_cannot_be_played_are_refused(board, says):
    if board in LAYOUTS:
        board = generate_board("open", board, seed=1)
    with pytest.raises((InvalidBoard, InvalidArgument), match=says):
        play_games(board, 1, seed=1)


def test_wilson_against_its_definition():
    """Both ends solve (p - share)² = z² p (1 - p) / n."""
    for n in (1, 7, 100):
        for k in range(n + 1):
            for end in wilson(k, n):
                assert (end - k / n) ** 2 == pytest.approx(1.959963985**2 * end * (1 - end) / n, abs=1e-9)
    for wrong in ((3, 2), (None, 2), (0.5, 2), (1, "2")):
        with pytest.raises(InvalidArgument, match="whole number"):
            wilson(*wrong)
