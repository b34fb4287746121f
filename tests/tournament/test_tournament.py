"""Tournaments: schedules against a second count, maps, late changes, and a cup to its final."""

import json
import re
import sys
from collections import Counter
from contextlib import suppress
from itertools import combinations
from pathlib import Path

import pytest

import catan_cp
from catan_cp import InvalidArgument, SolverTimeout, Tournament, plan_tournament
from catan_cp.tournament import save_kit, save_standings
from examples import cup
from tests.command_line import status
from tests.limits import until_some

pytestmark = pytest.mark.solver
PATIENT = 120.0
MAPS = [*catan_cp.sample_boards(4, "tournament", seed=1)]


def repetitions(rounds):
    """Return the repeated meetings and places of players, counted from the tables alone."""
    met, had = Counter(), Counter()
    for part in rounds:
        for table in part.tables:
            met.update(frozenset(pair) for pair in combinations(table, 2))
            had.update((p, k) for k, p in enumerate(table))
    return tuple(sum(n * (n - 1) // 2 for n in counts.values()) for counts in (met, had))


def everybody_sits(rounds, players):
    for part in rounds:
        assert sorted(p for table in part.tables for p in table) == sorted(players)
        assert {len(table) for table in part.tables} <= {3, 4}


@pytest.fixture(scope="module")
def sixteen():
    return plan_tournament(16, 4, seed=1, maps=MAPS, timeout=PATIENT)


def test_sixteen_players_meet_once(sixteen):
    everybody_sits(sixteen.rounds, range(1, 17))
    assert repetitions(sixteen.rounds) == sixteen.value == sixteen.bound == (0, 0) and sixteen.proven


SCHEDULES = [
    *(
        (solver, *schedule)
        for solver in ("chuffed", "gecode")
        for schedule in (
            (3, 2, (3, 0)),  # one table: everybody meets again
            (4, 3, (18, 0)),
            (6, 4, (12, 6)),
            (7, 4, (18, 3)),
            (9, 4, (0, 9)),  # the affine plane of order 3: all 36 pairs meet once
            (13, 1, (0, 0)),
        )
    ),
    *(("auto", players, 3, (0, None)) for players in (62, 64)),
    ("auto", 20, 4, (0, None)),
]
"""Solver, players, rounds, and the least repeated meetings and places, if proven."""


@pytest.mark.parametrize(("solver", "players", "rounds", "value"), SCHEDULES)
def test_schedules_reach_their_bounds(solver, players, rounds, value):
    plan = plan_tournament(players, rounds, maps=[MAPS[0]] * rounds, solver=solver, timeout=60)
    everybody_sits(plan.rounds, range(1, players + 1))
    assert repetitions(plan.rounds) == plan.value
    for value_found, bound, least in zip(plan.value, plan.bound, value, strict=True):
        assert value_found >= bound
        assert least is None or value_found == bound == least


def test_friends_stay_apart():
    friends = [(1, 2), (1, 3), (2, 3)]
    before = plan_tournament(9, 3, apart=friends, maps=MAPS[:3], seed=1, timeout=PATIENT)
    after = Tournament.from_json(before.to_json()).replan(1, leave=[3], join=[10, 11], timeout=PATIENT)
    assert before.apart == tuple(friends) and after.apart == ((1, 2),)
    for tournament in (before, after):
        tables = [{*table} for part in tournament.rounds for table in part.tables]
        assert not any({*pair} <= table for pair in tournament.apart for table in tables)


def test_player_who_leaves_moves_no_other(sixteen):
    later = sixteen.replan(1, leave=[7], timeout=PATIENT)
    assert later.changed == later.changed_bound == 0 and later.rounds[0] == sixteen.rounds[0]
    everybody_sits(later.rounds[1:], {*range(1, 17)} - {7})
    assert repetitions(later.rounds) == later.value
    for before, after in zip(sixteen.rounds[1:], later.rounds[1:], strict=True):
        assert before.board == after.board
        assert [{*table} - {7} for table in before.tables] == [{*table} for table in after.tables]


@pytest.mark.slow
def test_new_players_make_second_table():
    before = plan_tournament(4, 2, names=["Ann", "Bob", "Cem", "Dot"], maps=MAPS[:2], seed=2, timeout=PATIENT)
    later = before.replan(1, join=["Eva", "Fay"], timeout=PATIENT)
    everybody_sits(later.rounds[1:], later.players)
    # Four who have met sit at two tables of three: two pairs meet again, and two of the four move.
    assert (later.value[0], later.changed, later.changed_bound) == (2, 2, 2)


def test_changes_of_table_reported_with_bounds(quick_maps, sixteen):
    """With 17 players, two tables of four become tables of three in each round.

    So two players must move.
    """
    plans = []

    def plans_within(seconds):
        with suppress(SolverTimeout):  # no plan is found in so little time
            plans.append(sixteen.replan(1, join=[17], timeout=seconds))
        return len(plans)

    until_some(plans_within)
    (later,) = plans
    assert 6 <= later.changed_bound <= later.changed
    (line,) = (line for line in later.explain() if "change table" in line)
    assert ("not proven" in line) == (later.changed != later.changed_bound)
    plan = json.loads(later.to_json())
    assert Tournament.from_json(later.to_json()) == later
    for bound, proven in ((9, True), (2, False)):
        plan_again = Tournament.from_json(json.dumps(plan | {"changed": 9, "changed_bound": bound}))
        (line,) = (line for line in plan_again.explain() if "change table 9 times" in line)
        assert ("not proven to be the minimum, which is at least 2" in line) != proven
        assert not plan_again.proven or proven


def test_names_and_seed(quick_maps):
    names = ["Ann", "  Bob  ", "Cem", "Dot O'Neil"]
    one, same = (plan_tournament(4, 2, names=names, maps=MAPS[:2], seed=5, timeout=PATIENT) for _ in range(2))
    assert one == same and one.players == ("Ann", "Bob", "Cem", "Dot O'Neil")
    assert "Dot O'Neil" in str(one) and "18" not in one.explain()[0]


@pytest.mark.parametrize(
    ("played", "change", "message"),
    [
        (1, {"leave": ["Zoe"]}, "no player is called 'Zoe'"),
        (1, {"join": [3]}, "two players are called 3"),
        (1, {"leave": range(6, 17)}, "5"),
        (1, {"join": "Zoe"}, "list of players, not 'Zoe'"),
        (1, {"leave": 7}, "list of players, not 7"),
        (4, {}, "played"),
    ],
)
def test_invalid_late_changes_rejected(sixteen, played, change, message):
    with pytest.raises(InvalidArgument, match=message):
        sixteen.replan(played, **change)


@pytest.mark.parametrize("maps", [MAPS[:1], "o10", [3, 4]])
def test_invalid_maps_rejected(maps):
    with pytest.raises(InvalidArgument, match="maps must be"):
        plan_tournament(4, 2, maps=maps)


def test_plan_kept_and_read_back(sixteen, three):
    for plan in (sixteen, three):
        assert Tournament.from_json(plan.to_json()) == plan


def test_late_change_from_terminal(quick_maps, tmp_path, capsys, monkeypatch):
    frame, plan, later, maps = (tmp_path / name for name in ("a.toml", "cup.json", "later.json", "maps.txt"))
    frame.write_text(catan_cp.LAYOUTS["base"].to_toml().replace('name = "base"', 'name = "own"'))
    maps.write_text("\n".join(board.notation().split(":")[0] for board in MAPS[:2]))
    monkeypatch.delenv("CATAN_CP_PAGE_ADDRESS", raising=False)
    on = ["--layout", frame, "--timeout", "60"]
    words = ["tournament", "-p", "4", "--rounds", "2", "--maps", maps, "--seed", "1", *on]
    assert status([*words, "--plan", plan]) == 0
    again = ["replan", plan, "--played", "1", "--leave", "2", *on]
    assert status([*again, "--plan", later]) == 0
    assert "Players meet again 3 times" in capsys.readouterr().out
    data = json.loads(later.read_text(encoding="utf-8"))
    assert data["players"] == [1, 3, 4] and sorted(*data["rounds"][1]["tables"]) == [1, 3, 4]
    assert data["rounds"][0] == json.loads(plan.read_text(encoding="utf-8"))["rounds"][0]
    for more, fault in (
        (["--plan", later], "exists"),
        (["--leave", "9"], "no player is called '9'"),
        (["--join", "9" * 5000], "1 to 40 letters"),
    ):
        assert status([*again, *more]) == 1 and fault in capsys.readouterr().err
    assert status(["replan", later, "--played", "1", "--join", "5", *on]) == 0


def pages(path):
    return len(re.findall(rb"/Type /Page\b", path.read_bytes()))


@pytest.fixture(scope="module")
def three():
    """One round of three players, whose names contain no markup."""
    return plan_tournament(
        3, 1, names=["Ann", "$x^2$", "Maximilian von und zu Hohenstein-Nord"], maps=MAPS[:1], seed=1
    )


def test_sheets_are_page_for_each_purpose(three, tmp_path):
    pytest.importorskip("segno")
    updates = []
    path = save_kit(three, tmp_path / "kit.pdf", progress=lambda now: updates.append((now.done, now.total)))
    # the map, the cards, the scores, the overview and the list of all scores
    assert pages(path) == 5 and updates == [(n, 5) for n in range(1, 6)]
    coded = save_kit(three, tmp_path / "coded.pdf", links=["https://example.org/#x"])
    assert coded.stat().st_size > path.stat().st_size


def test_command_plans_and_prints(quick_maps, tmp_path, capsys, monkeypatch):
    names = tmp_path / "names.txt"
    names.write_text("Ann\n\n Bob \nCem\n", encoding="utf-8")
    kit = tmp_path / "kit.pdf"
    monkeypatch.delenv("CATAN_CP_PAGE_ADDRESS", raising=False)
    words = ["tournament", "--names", str(names), "--rounds", "1", "--seed", "1", "--timeout", "60"]
    assert status([*words, "--save", str(kit)]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("round 1", "Ann", "Bob", "Cem", "Nobody meets anybody twice."))
    assert pages(kit) == 5
    assert status(["tournament"]) == 1
    assert "--players" in capsys.readouterr().err
    names.write_bytes(b"\xff\xfe")
    assert status(words) == 1
    assert "is not text in UTF-8; save it as UTF-8" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("players", "value"), [(13, (0, 9)), (18, (0, 6)), (23, (0, 3))])
def test_tables_of_three_and_four_together(players, value):
    tournament = plan_tournament(players, 4, maps=MAPS, seed=1, timeout=300)
    everybody_sits(tournament.rounds, range(1, players + 1))
    assert repetitions(tournament.rounds) == tournament.value == value
    assert tournament.proven


def test_edited_schedule_changes_no_board(tmp_path, monkeypatch):
    folder = catan_cp.copy_models(tmp_path / "models")
    with (folder / "schedule.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint forall(r in ROUND)( place[r, 1] = 1 );\n")
    rules = catan_cp.Rules.preset("tournament").replace(models=str(folder))
    plan = plan_tournament(8, 2, rules=rules, maps=MAPS[:2], seed=1, timeout=PATIENT)
    firsts = [{table[0] for table in round_.tables} for round_ in plan.rounds]
    assert firsts[0] & firsts[1] and plan.value[1] >= 1
    again = plan.replan(1, leave=[plan.players[-1]], timeout=PATIENT)
    assert again.players[0] in {table[0] for table in again.rounds[1].tables}
    monkeypatch.setenv("CATAN_CP_MINIZINC", str(tmp_path))  # no solver is asked
    board = plan.rounds[0].board
    assert rules.check(board) == [] and catan_cp.rank_board(board, rules) == catan_cp.rank_board(
        board, "tournament"
    )


def test_missing_code_package_reported_early(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CATAN_CP_PAGE_ADDRESS", "https://example.org/catan/")
    monkeypatch.setitem(sys.modules, "segno", None)
    monkeypatch.setattr("catan_cp.plan_tournament", lambda *args, **options: pytest.fail("planned"))
    assert status(["tournament", "-p", "16", "--save", str(tmp_path / "kit.pdf")]) == 1
    assert "pip install segno" in capsys.readouterr().err


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
