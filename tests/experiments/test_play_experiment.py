"""The experiment on played games: a small run of the same code, and statistics that find what is there."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from catan_cp import Board, InvalidArgument, Rules
from catan_cp.experiments.play import main, run
from catan_cp.experiments.play_answers import (
    board_unfairness,
    correlation,
    holm,
    is_lively,
    one_sample,
    plan_wins,
    rules_found,
    two_samples,
)
from catan_cp.experiments.play_arms import SINGLE_RULES, Arm, Unit, all_rules, main_arms, waves
from catan_cp.experiments.play_data import Data, Row, pack, read, unpack
from catan_cp.experiments.play_players import tournament, tournament_table

STORED = Path(__file__).resolve().parents[2] / "notebooks" / "played_games.csv.gz"
SMALL = [Arm("strong:open", "open", 2, 3), Arm("pips:open", "open", 1, 1, placement="free", plan="pips")]

engine = pytest.mark.skipif(find_spec("catanatron") is None, reason="the extra 'play' is not installed")


def row(arm="strong:open", board=0, seat=0, winner=1, turns=80, changes=2, points=(10, 8, 5, 4)):
    return Row(arm, board, seat, winner, turns, changes, 5, points)


@engine
def test_a_small_run_of_the_same_code_stops_goes_on_and_packs(tmp_path):
    file = tmp_path / "games.jsonl"
    units = list(waves(SMALL))
    assert [unit.key for unit in units] == ["strong:open/0", "pips:open/0", "strong:open/1"]
    part = run(units, file, 1, lambda done, total: done < 3)
    assert len(part) == 1
    with file.open("ab") as half:
        half.write(b'{"key": "strong:op')  # killed while it wrote
    whole = run(units, file, 2)
    assert whole[: len(part)] == part
    data = unpack(pack(whole))
    assert pack(whole) == pack(run(units, file, 2))
    assert [len(data.of("strong:open")[n]) for n in (0, 1)] == [3, 3]
    assert [r.seat for r in data.of("pips:open")[0]] == [1, 2, 3, 4]
    board = Board.from_notation(data.boards["strong:open", 0][0])
    assert len(board.harbors) == 9
    assert data.boards["strong:open", 0] == data.boards["pips:open", 0]


def test_the_arms_are_those_of_the_design():
    arms = main_arms()
    games = dict.fromkeys(("strong", "weak", "pips", "optimal", "rivals", "rule"), 0)
    for arm in arms:
        games[arm.name.split(":")[0]] += arm.boards * arm.games * (4 if arm.plan else 1)
    assert games == {"strong": 3200, "weak": 480, "pips": 768, "optimal": 768, "rivals": 320, "rule": 1280}
    assert len({unit.key for unit in waves(arms)}) == sum(arm.boards for arm in arms)
    pair = all_rules()["desert_centre+reds_apart"]
    assert pair == Rules(desert="centre", reds_apart=True)
    assert set(SINGLE_RULES) < set(all_rules())


def test_statistics_find_what_is_there_and_nothing_else():
    draw = np.random.default_rng(5)
    noise = draw.normal(0, 1, 40)
    noise -= noise.mean()
    there, absent = one_sample("", noise + 1, 0), one_sample("", noise, 0)
    assert there.p < 0.001
    assert there.low > 0.5
    assert absent.p > 0.5
    assert absent.low < 0 < absent.high
    apart = two_samples("", noise + 1.5, draw.normal(0, 1, 30), 0)
    assert apart.p < 0.001
    assert apart.low < 1.5 + 0.5
    assert two_samples("", noise[:20], noise[20:], 0).p > 0.05
    assert correlation("", noise, noise**3, 0).value == pytest.approx(1)
    assert correlation("", noise, draw.normal(0, 1, 40), 0).p > 0.01


def test_the_share_of_false_alarms_is_five_percent():
    draw = np.random.default_rng(7)
    alarms = sum(one_sample("", draw.normal(0, 1, 12), 0).p < 0.05 for _ in range(100))
    assert alarms <= 12


def test_holm_against_the_textbook():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_unfairness_is_unbiased():
    """0 on average where all seats are alike, and the true sum of squares where they are not."""
    draw = np.random.default_rng(1)
    for chances in ((0.25,) * 4, (0.4, 0.3, 0.2, 0.1)):
        truth = sum((p - 0.25) ** 2 for p in chances)
        found = [
            board_unfairness([row(winner=int(w)) for w in draw.choice([1, 2, 3, 4], 20, p=chances)])
            for _ in range(1500)
        ]
        assert np.mean(found) == pytest.approx(truth, abs=4 * np.std(found) / 1500**0.5)


@pytest.mark.parametrize(
    ("change", "lively"),
    [
        ({}, True),
        ({"turns": 59}, False),
        ({"turns": 121}, False),
        ({"changes": 1}, False),
        ({"points": (10, 7, 5, 4)}, False),
        ({"winner": 0}, False),
    ],
)
def test_what_a_lively_game_is(change, lively):
    assert is_lively(row(**change)) is lively


def test_plans_are_scored_by_the_seat_that_follows_them():
    rows = tuple(
        row("pips:open", seat=seat, winner=winner) for seat, winner in ((1, 1), (2, 1), (3, 3), (4, 4))
    )
    assert plan_wins(Data(rows, {}), "pips") == ({("open", 0): 0.75}, 4)


def test_the_search_takes_the_best_pair_that_has_boards():
    lively = {"reds_apart": 4, "desert_centre": 3, "vertex_pips_min": 2}
    rows = [row(board=b, changes=2 if b == 0 else 0) for b in range(4)]
    for rule in SINGLE_RULES:
        good = lively.get(rule, 0)
        rows += [row(f"rule:{rule}", b, changes=2 if b < good else 0) for b in range(4)]
    data = Data(tuple(rows), {})
    assert rules_found(data, lambda _: True) == "desert_centre+reds_apart"
    assert (
        rules_found(data, lambda rules: rules != "desert_centre+reds_apart") == "reds_apart+vertex_pips_min"
    )
    assert rules_found(data, lambda _: False) == "reds_apart"


def test_the_stored_games_give_all_answers(capsys):
    """Those of the large run, word by word as docs/play.md has them."""
    assert STORED.stat().st_size < 1_000_000
    page = (STORED.parents[1] / "docs" / "play.md").read_text(encoding="utf-8")
    for question in "abcd":
        main([question, str(STORED)])
        said = capsys.readouterr().out
        told = said if question != "d" else said.split("\n\n")[1]
        assert told.strip("\n") in page


def test_the_stored_games_are_all_that_the_design_asks_for():
    data = read(STORED)
    for arm in main_arms():
        boards = data.of(arm.name)
        assert sorted(boards) == list(range(arm.boards))
        assert {len(rows) for rows in boards.values()} == {arm.games * (4 if arm.plan else 1)}
    found = rules_found(data, lambda _: True)
    for name in ("open", found):
        assert [len(rows) for rows in data.of(f"test:{name}").values()] == [25] * 16
    assert len(data.rows) == 7616


@engine
def test_a_stored_unit_comes_out_again():
    """The first board of the main arm, as anybody can play it again."""
    data = read(STORED)
    from catan_cp import play_games
    from catan_cp.experiments.play_arms import BoardOf, seed_of

    unit = Unit(Arm("strong:open", "open", 16, 40), 0)
    assert unit.board == BoardOf("open", 0, False)
    notation = data.boards["strong:open", 0][0]
    games = play_games(notation, 2, players="greedy", placement="optimal", seed=seed_of(unit.board.key))
    stored = data.of("strong:open")[0][:2]
    assert [(g.winner, g.turns, g.points) for g in games.games] == [
        (r.winner, r.turns, r.points) for r in stored
    ]


def test_the_picture_of_the_answers_shows_every_estimate():
    from catan_cp.experiments.play_pictures import plot_answers

    panels = plot_answers(read(STORED)).get_axes()
    assert [len(panel.get_yticks()) for panel in panels] == [4, 4, 8, 9]
    dots = [line.get_xdata()[0] for line in panels[0].lines if line.get_marker() == "o"]
    assert dots == pytest.approx([7.72, -1.16, -1.19, -5.37], abs=0.01)


@engine
def test_a_tournament_takes_all_seats_in_turn():
    found = tournament(1, [("greedy", "random"), ("random", "random")])
    assert [share.n for share in found.values()] == [4, 4]
    assert found["greedy", "random"].count == 4
    assert "greedy          random          100.0%" in tournament_table(found)


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "no.gz").write_bytes(b"no")
    with pytest.raises(InvalidArgument, match="no file of played games"):
        read(tmp_path / "no.gz")


def test_a_reader_that_has_seen_enough_gets_no_traceback():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "catan_cp.experiments.play", "d"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.stderr == ""
