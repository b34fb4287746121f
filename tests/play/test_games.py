"""Games: a seed fixes them, in any process, compiled or not.

Files go on. Players rank. Seats win.
"""

import base64
import json
import os
import re
import subprocess
import sys
import time
import zlib
from collections import Counter

import numpy as np
import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Games,
    InvalidArgument,
    Objective,
    play_games,
    solve_placement,
)
from catan_cp.play import POLICIES, Game, wilson
from tests.play.by_hand import AT, DO, NOW, PHASE, decide, ground_of

BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
PLAYERS = ("greedy", "expert", "trader", "weighted:pips")
LARGE = LAYOUTS["base-5-6"].beginner_board


@pytest.fixture(scope="module")
def games():
    return play_games(BOARD, 12, players=PLAYERS, seed=5)


def test_seed_fixes_games(games):
    assert play_games(BOARD.notation(), 12, players=",".join(PLAYERS), seed=5) == games
    assert play_games(BOARD, 12, players=PLAYERS, seed=-5) != games
    assert np.array_equal(play_games(BOARD, 5, players=PLAYERS, seed=5).rows, games.rows[:5])
    known = play_games(BOARD, 6, players="greedy, trader,weighted,greedy", seed=1)  # on every machine
    assert known.rows["winner"].tolist() == [4, 4, 4, 4, 4, 2]
    assert known.rows["turns"].tolist() == [64, 112, 72, 68, 92, 86]


def test_interpreted_games_are_same(games):
    code = (
        "import sys; from catan_cp import play_games; from catan_cp.compiled import is_fast; "
        "assert not is_fast(); "
        "print(play_games(sys.argv[1], 12, players=sys.argv[2], seed=5).to_json())"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, BOARD.notation(), ",".join(PLAYERS)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert Games.from_json(result.stdout) == games


def test_processes_change_nothing():
    updates = []
    games = play_games(BOARD, 600, seed=5, workers=2, progress=updates.append)
    assert games == play_games(BOARD, 600, seed=5)
    assert (updates[-1].done, updates[-1].total) == (600, 600)
    play_games(BOARD, 1, seed=5, progress=updates.append)
    assert str(updates[-1]).startswith("1 of 1 game,")


def test_file_resumed_after_kill(games, tmp_path):
    file = tmp_path / "games.jsonl"
    play_games(BOARD, 3, players=PLAYERS, seed=5, file=file)
    play_games(BOARD, 6, players=PLAYERS, seed=5, file=file)
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    file.write_bytes(b"".join(lines[:2]) + lines[2][:20])  # killed while it wrote the second batch
    updates = []
    assert play_games(BOARD, 12, players=PLAYERS, seed=5, file=file, progress=updates.append) == games
    assert [now.done for now in updates] == [12]
    play_games(BOARD, 12, players=PLAYERS, seed=5, file=file, progress=lambda *_: pytest.fail("played again"))


# Files of games


@pytest.fixture
def stored(tmp_path):
    """A file of four games, and its two lines."""
    file = tmp_path / "games.jsonl"
    play_games(BOARD, 4, seed=5, file=file)
    return file, *file.read_text().splitlines()


def reject(file, *lines):
    """Check that a file of these lines is rejected and stays, and the last line as the JSON of games."""
    text = "".join(f"{line}\n" for line in lines)
    file.write_text(text)
    with pytest.raises(InvalidArgument, match="is not a file of games"):
        play_games(BOARD, 4, seed=5, file=file)
    assert file.read_text() == text
    with pytest.raises(InvalidArgument, match="text must be the output of Games"):
        Games.from_json(lines[-1])


def edited(line, **values):
    """Return a line of JSON with other values."""
    return json.dumps(json.loads(line) | values)


def tables(played):
    """Return the packed tables of games, by their names in JSON."""
    games = Games(BOARD.notation(), ("greedy",) * 4, "free", 5, tuple(played))
    return {name: json.loads(games.to_json())[name] for name in ("rows", "history")}


def test_rejects_file_of_other_games(stored):
    file, header, batch = stored
    for options, message in (
        ({"seed": 6}, "another seed"),
        ({"players": "greedy,greedy"}, "another players"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            play_games(BOARD, 1, **{"seed": 5, "file": file} | options)
        assert file.read_text() == f"{header}\n{batch}\n"
    for lines in (["something else"], ["not even a line"], ["[1]"], ["[" * 9999], ["{}", "{}"]):
        reject(file, *lines)
    short = tables((row, b"") for row, _ in play_games(BOARD, 4, seed=5).played)
    for line in ("{}", edited(batch, rows="abc"), edited(batch, **short)):
        reject(file, header, line)


IMPOSSIBLE: dict[str, tuple] = {
    "a seat that does not play wins": ("winner", 77),
    "a loser wins": ("winner", 1, (slice(0, 4),)),
    "nobody wins early": ("winner", 0),
    "lead before the game": ("lead_taken", 0),
    "lead after the game": ("lead_taken", 999),
    "more changes than turns": ("lead_changes", 999),
    "points of another history": ("points", 10, (0, slice(0, 4))),
    "a vertex twice": ("settlements", 7),
    "no such vertex": ("settlements", 250, (0, 0, 0)),
    "robbed too often": ("robbed", 60_000, (0, 0)),
    "trades without end": ("trades", 60_000, (0, 0, 0)),
    "more cards than there are": ("gained", 60_000, (0, 0, 0)),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_values_that_no_game_has_rejected(name, stored):
    file, header, batch = stored
    field, value, *place = IMPOSSIBLE[name]
    games = play_games(BOARD, 4, seed=5)
    rows = games.rows.copy()
    rows[field][place[0] if place else (0,)] = value
    crafted = tables((row.tobytes(), history) for row, (_, history) in zip(rows, games.played, strict=True))
    reject(file, header, edited(batch, **crafted))
    with pytest.raises(InvalidArgument, match="text must be the output of Games"):
        Games.from_json(edited(games.to_json(), **crafted))


@pytest.mark.parametrize(
    "numbers", [[0, 1, 2, "3"], [0, 1, 2, True], [0, 1, 2, -1], [0, 1, 2, 10**9], [0, 1, 2], None]
)
def test_numbers_that_no_game_has_rejected(numbers, stored):
    """None repeats the games."""
    file, header, batch = stored
    reject(file, header, *([batch, batch] if numbers is None else [edited(batch, numbers=numbers)]))


@pytest.mark.parametrize("name", ["rows", "history"])
def test_table_cut_off_rejected(name):
    text = play_games(BOARD, 4, seed=5).to_json()
    cut = base64.b85decode(json.loads(text)[name])[:-1]  # of the checksum: all values are there
    with pytest.raises(InvalidArgument, match="text must be the output of Games"):
        Games.from_json(edited(text, **{name: base64.b85encode(cut).decode()}))


LIMITED = """
import resource, sys
from catan_cp import InvalidArgument, play_games
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
for file in sys.argv[2:]:
    try:
        play_games(sys.argv[1], 4, seed=5, file=file)
    except InvalidArgument as error:
        print(error)
"""


def zeros_compressed(megabytes):
    """Return the zlib stream of this number of MiB of zeros, whose blocks are all the same."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = ((megabytes << 20) % 65521) << 16 | 1
    return b"\x78\xda" + megabytes * block + b"\x03\x00" + checksum.to_bytes(4, "big")


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space, which Linux alone can")
def test_foreign_files_are_harmless(stored, tmp_path):
    """A bomb, a pipe, a folder, one long line and a device, in a process of limited memory."""
    bomb, header, batch = stored
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with (tmp_path / "long").open("wb") as sparse:
        sparse.truncate(8 << 30)
    assert zlib.decompress(zeros_compressed(3)) == bytes(3 << 20)
    zeros = zeros_compressed(1 << 12)
    history = base64.b85encode(zlib.compress(zeros)).decode()
    rows = base64.b85encode(zeros[: 1 << 19]).decode()
    bomb.write_text(f"{header}\n{edited(batch, history=history, rows=rows)}\n")
    files = [bomb, *(tmp_path / name for name in ("pipe", "folder", "long")), "/dev/zero"]
    result = subprocess.run(
        [sys.executable, "-c", LIMITED, BOARD.notation(), *map(str, files)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    messages = re.findall("games file must be a regular file|is not a file of games", result.stdout)
    assert len(messages) == len(files), result.stderr


def test_one_process_at_time_writes_file(tmp_path):
    file = tmp_path / "games.jsonl"
    code = "import sys; import catan_cp; catan_cp.play_games(sys.argv[1], 10**6, seed=5, file=sys.argv[2])"
    with subprocess.Popen([sys.executable, "-c", code, BOARD.notation(), str(file)]) as process:
        try:
            end = time.monotonic() + 120
            while (not file.exists() or file.read_bytes().count(b"\n") < 2) and time.monotonic() < end:
                time.sleep(0.05)
            with pytest.raises(CatanError, match="another run writes the games file"):
                play_games(BOARD, 5, seed=5, file=file)
        finally:
            process.kill()
    assert len(play_games(BOARD, 5, seed=5, file=file)) == 5  # the lock ended with the process


def test_games_are_plain_values(games):
    again = Games.from_json(games.to_json())
    assert again == games
    assert hash(again) == hash(games)
    strange: dict[str, list] = {"board": [5], "seed": [None, "x"], "placement": [7], "players": [[5] * 4, []]}
    for name, value in ((name, value) for name, values in strange.items() for value in values):
        with pytest.raises(InvalidArgument, match="text must be the output of Games"):
            Games.from_json(edited(games.to_json(), **{name: value}))
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


def test_draft_followed():
    draft = "1:42-41,2:24-23,3:0,4:50"
    played_games = play_games(BOARD, 3, placement=draft, seed=2)
    assert played_games.placement == draft
    assert played_games.rows["settlements"][:, :, 0].tolist() == [[42, 24, 0, 50]] * 3


def test_plans_are_those_of_perfect_players():
    played_games = play_games(BOARD, 1, placement="optimal", seed=1)
    planned = play_games(BOARD, 1, players="greedy:optimal", seed=1)
    expected = [list(pair) for pair in solve_placement(BOARD).settlements]
    assert played_games.rows["settlements"][0].tolist() == planned.rows["settlements"][0].tolist() == expected
    two = play_games(BOARD, 1, placement="rivals", players="greedy,greedy", seed=1)
    expected = [list(pair) for pair in solve_placement(BOARD, 2, Objective(rivalry=1)).settlements]
    assert two.rows["settlements"][0].tolist() == expected
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
    """Rotate the board and sample again: seats win as before, so no number settles a tie."""
    wins = [share.value for share in play_games(BOARD, n, players=policy, seed=1).wins]
    for turns in (2, 5):
        turned = [share.value for share in play_games(BOARD.moved(turns), n, players=policy, seed=2).wins]
        assert np.abs(np.subtract(wins, turned)).max() < 4 * np.sqrt(2 * 0.25 * 0.75 / n)


@pytest.mark.parametrize("policy", ["greedy", "expert"])
def test_exchanged_labels_win_by_seat(policy):
    """Four names of one player in every seat in turn, because the draft leaves nothing to plan."""
    labels, n = [policy, f"{policy}:pips", f"{policy}:optimal", f"{policy}:odds"], 300
    order = solve_placement(BOARD).order
    draft = ",".join(f"{seat}:{vertex}" for seat, vertex in order)
    by_seat, by_label = [set() for _ in labels], Counter()
    for turn in range(4):
        seated = labels[turn:] + labels[:turn]
        played_games = play_games(BOARD, n, players=seated, placement=draft, seed=4)
        for seat, (label, share) in enumerate(zip(seated, played_games.wins, strict=True)):
            by_seat[seat].add(share.count)
            by_label[label] += share.count
    assert [len(counts) for counts in by_seat] == [1, 1, 1, 1]
    assert set(by_label.values()) == {n}
    assert len(set.union(*by_seat)) > 1  # the seats themselves differ here


@pytest.mark.parametrize("policy", ["greedy", "trader", "expert"])
@pytest.mark.parametrize("victims", [(0, 1, 2), (0, 1, 3), (1, 2, 3)])
def test_tie_between_seats_settled_by_chance(policy, victims):
    """Three seats alike round one tile: each is robbed as often, by the fourth."""
    robber = ({0, 1, 2, 3} - set(victims)).pop()
    tile = BOARD.markers.index(6)
    g, robbed = ground_of(BOARD, (POLICIES.index(policy),) * 4), Counter()
    for number in range(600):
        s = Game(BOARD, seed=number)._s
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
    played_games = play_games(board, 40, players=["greedy"] * (seats - 1) + ["trader"], seed=1)
    assert played_games.unfinished == 0
    assert played_games.rows["points"].shape == (40, seats)
    assert played_games.turns < 140


def test_traders_stop_swapping():
    """Run in a separate process: this game had no end, and compiled code blocked the process."""
    code = (
        "from catan_cp import play_games; "
        'print(play_games("b4g2o9/l11o3dw8/l5o5w3b6l4/b10g12w8l6/g9w10g11:printed", 3, players="trader", '
        'placement="1:4,2:24,3:13,4:25,4:43,3:22,2:38,1:41", seed=5000).unfinished)'
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    assert result.stdout.strip() == "0"


def test_wilson_against_its_definition():
    """Both ends solve (p - share)² = z² p (1 - p) / n."""
    for n in (1, 7, 100):
        for k in range(n + 1):
            for end in wilson(k, n):
                assert (end - k / n) ** 2 == pytest.approx(1.959963985**2 * end * (1 - end) / n, abs=1e-9)
