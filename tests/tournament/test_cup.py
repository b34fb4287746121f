"""Playoffs, the commands about results, and a cup from the first plan to the final."""

import io
import re
from pathlib import Path

import pytest

import catan_cp
from catan_cp import InvalidArgument, Tournament
from catan_cp.tournament import Results, Round, plan_playoff, save_standings
from catan_cp.tournament.planning import make_schedule
from examples import cup
from tests.command_line import status

BOARD = catan_cp.Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
NAMES = ("Ann", "Bob", "Cem", "Dot")
HEAD = "round,table,player,points,rank\n"


def plan(*rounds, players=NAMES):
    return Tournament(players, tuple(Round(BOARD, tables) for tables in rounds), (0, 0), (0, 0))


@pytest.mark.parametrize(("tables", "size"), [(7, 4), (8, 16)])
def test_semi_final_from_29_players(tables, size):
    seated = [tuple(range(4 * t + 1, 4 * t + 5)) for t in range(tables)]
    results = Results(plan(tuple(seated), players=tuple(range(2, 4 * tables + 1))))  # 1 has left
    for t in range(tables):
        results = results.enter(1, t + 1, (10, 8 - t % 5, 3, 2))
    order = [p for table in zip(*seated, strict=True) for p in table]
    standings = results.standings(lots=order)
    assert len(standings.top()) == size and 1 not in standings.top(4 * tables - 1)
    with pytest.raises(InvalidArgument, match="n must be at most"):
        standings.top(4 * tables)


def test_seeds_of_semi_final_and_final():
    semi = plan_playoff(range(1, 17), board=BOARD)
    tables = ((1, 8, 9, 16), (2, 7, 10, 15), (3, 6, 11, 14), (4, 5, 12, 13))
    assert semi.rounds[0].tables == tables and Tournament.from_json(semi.to_json()) == semi
    assert plan_playoff(range(1, 15), board=BOARD).rounds[0].tables == ((1, 8, 9), (2, 7, 10), *tables[2:])
    results = Results(semi)
    with pytest.raises(InvalidArgument, match="table 1 of round 1 has no result"):
        results.winners()
    for table, points in enumerate([(9, 3, 10, 4), (10, 3, 4, 5), (4, 10, 3, 5), (2, 3, 4, 10)], start=1):
        results = results.enter(1, table, points)
    assert results.winners() == (2, 6, 9, 13)  # the order in which they choose their places
    assert plan_playoff(results.winners(), board=BOARD).rounds[0].tables == ((2, 6, 9, 13),)
    with pytest.raises(InvalidArgument, match="12 to 16 players"):
        plan_playoff(range(8))


@pytest.mark.solver
@pytest.mark.parametrize(("sizes", "rounds"), [([4] * 16, 3), ([4] * 14 + [3] * 2, 3), ([4] * 5, 4)])
def test_many_tables_have_no_repeated_meetings(sizes, rounds):
    schedule = make_schedule([sizes] * rounds, timeout=60)
    pairs = [{a, b} for tables in schedule.seats for table in tables for a in table for b in table if a < b]
    assert len(pairs) == len({*map(frozenset, pairs)}) and schedule.value[0] == schedule.bound[0] == 0
    for tables in schedule.seats:
        assert sorted(player for table in tables for player in table) == [*range(sum(sizes))]


@pytest.mark.solver
def test_friends_stay_apart():
    friends = [(1, 2), (1, 3), (2, 3)]
    before = catan_cp.plan_tournament(9, 3, apart=friends, maps=[BOARD] * 3, seed=1, timeout=60)
    after = Tournament.from_json(before.to_json()).replan(1, leave=[3], join=[10, 11], timeout=60)
    assert before.apart == tuple(friends) and after.apart == ((1, 2),)
    for tournament in (before, after):
        tables = [{*table} for part in tournament.rounds for table in part.tables]
        assert not any({*pair} <= table for pair in tournament.apart for table in tables)


@pytest.mark.solver
def test_cup_from_first_plan_to_final(tmp_path, capsys):
    stages = [*cup.run_cup(20)]
    (_, plan, standings), (_, semi, _), (_, final, last) = stages
    assert [len(stage[1].rounds) for stage in stages] == [3, 1, 1]
    assert {row[-1] for row in standings.rows()[1:]} > {""}, "only tied players have a lot"
    assert "these players are tied" in capsys.readouterr().out and standings.criteria[-1] == "lot"
    friends = {"Player 01", "Player 02"}, {"Player 01", "Player 03"}
    assert plan.apart and not any(f <= {*t} for r in plan.rounds for t in r.tables for f in friends)
    (absent,) = (line for line in standings.lines if not line.present)
    assert absent.player == "Player 05" not in plan.players and absent.games == 1
    assert {"Player 19", "Player 20"} <= {*plan.players}
    assert {*final.players} < {*semi.players} < {*plan.players} and last.lines[0].rank == 1
    for ending, start in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        assert save_standings(standings, tmp_path / f"a.{ending}").read_bytes().startswith(start)


def test_published_rules_have_tests():
    root = Path(__file__).parents[2]
    page = (root / "docs" / "sources.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| .* \| `(test_\w+)` \|$", page, re.MULTILINE)
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert len(named) == 9 and all(f"def {name}(" in tests for name in named)


def test_commands_rank_and_seed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CATAN_CP_PAGE_ADDRESS", raising=False)
    (tmp_path / "cup.json").write_text(plan((NAMES,), (NAMES,)).to_json())
    monkeypatch.setattr("sys.stdin", io.StringIO("10 9\n10 7 7 5\n\n"))
    assert status(["standings", "cup.json", "--enter", "--template", "a.csv"]) == 0
    out = capsys.readouterr()
    assert (
        "2=  Bob" in out.out
        and "must be 4 numbers, not ['10', '9']" in out.err
        and "table 1, points of Ann" in out.err
    )
    assert status(["standings", "cup.json"]) == 1 and "with --template" in capsys.readouterr().err
    assert status(["playoff", "cup.json", "a.csv"]) == 1
    assert "table 1 of round 2 has no result" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO("10 7 7 5\n"))
    assert status(["standings", "cup.json", "a.csv", "--enter", "--template", "a.csv", "--force"]) == 0
    final = ["playoff", "cup.json", "a.csv", "--players", "4", "--seed", "1"]
    assert status(final) == 1 and "tied: Bob, Cem;" in capsys.readouterr().err
    assert status([*final, "--lots", "Cem,Bob", "--plan", "final.json"]) == 0
    assert "table 1  Ann      Cem      Bob      Dot" in capsys.readouterr().out
    (tmp_path / "b.csv").write_text(HEAD + "1,1,Zoe,3,\n")
    assert status(["standings", "cup.json", "a.csv", "b.csv"]) == 1
    assert "b.csv': line 2 of the results: 'Zoe' is not at this table" in capsys.readouterr().err
    assert status(["tournament", "-p", "4", "--rounds", "1", "--seed", "1", "--apart", "1,2"]) == 1
    assert "keeps all pairs apart" in capsys.readouterr().err
