"""Results and standings: each published tie-break, corrections, playoffs, and rejected files."""

import csv
import io
from fractions import Fraction

import pytest

from catan_cp import InvalidArgument, Tournament
from catan_cp.tournament import Results, Round, plan_playoff
from tests.command_line import status
from tests.tournament.conftest import BOARD

NAMES = ("Ann", "Bob", "Cem", "Dot")
HEAD = "round,table,player,points,rank\n"


def plan(*rounds, players=NAMES):
    """Return a plan with these tables in each round."""
    return Tournament(players, tuple(Round(BOARD, tables) for tables in rounds), (0, 0), (0, 0))


def played(*games):
    """Results of games at one table, whose points are in the order of the names."""
    results = Results(plan(*[(NAMES,)] * len(games)))
    for number, points in enumerate(games, start=1):
        results = results.enter(number, 1, points)
    return results


def ranks(standings):
    return {line.player: line.rank for line in standings.lines}


@pytest.mark.parametrize(
    ("rules", "games", "order"),
    [
        ("wbc", [(10, 9, 3, 3), (10, 9, 3, 3), (2, 10, 9, 9)], "Ann Bob"),  # wins before points
        ("wbc", [(10, 9, 2, 2), (2, 10, 9, 9)], "Bob Ann"),  # points with equal wins
        ("wbc", [(10, 2, 8, 6), (10, 9, 4, 6)], "Cem Dot"),  # second and fourth before twice third
        ("wbc", [(10, 5, 8, 4), (5, 10, 6, 3)], "Bob Ann"),  # the next player reached 60 %, not 80 %
        ("catan", [(10, 9, 3, 3), (10, 9, 3, 3), (2, 10, 9, 9)], "Ann Bob"),
        ("catan", [(10, 9, 2, 2), (2, 10, 9, 9)], "Bob Ann"),
        ("catan", [(10, 5, 8, 4), (5, 10, 6, 3)], "Bob Ann"),  # 10/24 is more than 10/27
        (["seconds"], [(10, 2, 8, 6), (10, 9, 4, 6)], "Cem Dot"),
    ],
)
def test_first_criterion_that_differs_decides(rules, games, order):
    first, second = order.split()
    rank = ranks(played(*games).standings(rules))
    assert rank[first] < rank[second]


def test_values_are_exact():
    results = played((10, 3, 9, 7), (7, 10, 9, 3))
    for rules, values in (
        ("wbc", (0, 18, 2, Fraction(700, 9))),
        (["percent"], (2 * Fraction(900, 29),)),
    ):
        lines = {line.player: line for line in results.standings(rules).lines}
        assert lines["Cem"].values == values


def test_ties_remain_until_lots_drawn():
    results = played((10, 5, 5, 3))
    standings = results.standings()
    assert ranks(standings) == {"Ann": 1, "Bob": 2, "Cem": 2, "Dot": 4}
    assert standings.ties == (("Bob", "Cem"),) and "tied: Bob, Cem" in str(standings)
    assert results.standings("catan").ties == standings.ties
    with pytest.raises(InvalidArgument, match="tied: Bob, Cem; give the order"):
        standings.top(2)
    drawn = results.standings(lots=["Cem", "Bob"])
    assert drawn.top(4) == ("Ann", "Cem", "Bob", "Dot") and drawn.ties == ()
    for lots, fault in ((["Cem"], "all tied players or none"), (["Zoe"], "'Zoe'")):
        with pytest.raises(InvalidArgument, match=fault):
            results.standings(lots=lots)


def test_corrected_result_replaces_earlier_one():
    results = Results(plan((NAMES,), (NAMES,)))
    assert results.missing == ((1, 1), (2, 1)) and results.to_csv().count("\n") == 9
    text = results.to_csv()
    for name, points in zip(NAMES, (10, 9, 8, 7), strict=True):
        text = text.replace(f"1,1,{name},", f"1,1,{name},{points}")
    first = results.read(text)
    assert first.missing == ((2, 1),) and first.standings().lines[0].player == "Ann"
    fixed = first.read("round;table;player;points\n1;1;Bob;10\n1;1;Ann;9\n1;1; Cem ;8\n1;1;Dot;7\n")
    assert fixed.standings().lines[0].player == "Bob" and fixed.read(fixed.to_csv()) == fixed
    with pytest.raises(InvalidArgument, match="table 1 of round 1 has other players"):
        Results(plan((NAMES[::-1],)), fixed.tables)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "line 1 .* must be round,table,player,points,rank"),
        ("player,points\n", "line 1"),
        (HEAD + "1,1,Ann\n", "line 2 .* 3 cells"),
        (HEAD + "\n1,2,Ann,10,\n", "line 3 .* no round '1' with a table '2'"),
        (HEAD + "9,1,Ann,10,\n", "line 2 .* no round '9'"),
        (HEAD + "1,1,Zoe,10,\n", "line 2 .* 'Zoe' is not at this table; its players are Ann, Bob"),
        (HEAD + "1,1,Ann,10,\n1,1,Ann,9,\n", "line 3 .* two results"),
        (HEAD + "1,1,Ann,ten,\n", "line 2 .* 'ten' is not a whole number"),
        (HEAD + "1,1,Ann,-1,\n", "line 2 .* '-1'"),
        (HEAD + "1,1,Ann,10,\n1,1,Bob,9,\n", "line 3 .* 'Cem' has no points"),
        (HEAD + '1,1,"Ann\n', "line 2 .* unexpected end of data"),
    ],
)
def test_faulty_file_rejected_with_its_line(text, fault):
    with pytest.raises(InvalidArgument, match=fault):
        Results(plan((NAMES,))).read(text)


@pytest.mark.parametrize(
    ("points", "places", "fault"),
    [
        ((13, 5, 5, 3), "", "2 to 12, not 13"),
        ((10, 1, 5, 3), "", "2 to 12, not 1"),
        ((9, 9, 5, 3), "", "one winner; give the ranks"),  # the game was stopped
        ((10, 11, 5, 3), "", "one winner; give the ranks"),
        ((9, 9, 5, 3), "1134", "one winner, not 1, 1, 3, 4"),
        ((9, 8, 5, 3), "1244", "ranks must count from 1"),
        ((9, 8, 5, 3), "2134", "'Ann' has more points than 'Bob'"),
        ((9, 9, 5, 5), "2133", ""),
        ((10, 11, 5, 3), "1234", ""),  # the winner was on turn
    ],
)
def test_impossible_points_and_ranks(points, places, fault):
    rows = zip(NAMES, points, places or [""] * 4, strict=True)
    text = HEAD + "".join(f"1,1,{name},{n},{rank}\n" for name, n, rank in rows)
    results = Results(plan((NAMES,)))
    if fault:
        with pytest.raises(InvalidArgument, match=fault):
            results.read(text)
    else:
        scores = results.read(text).tables[1, 1]
        assert "".join(str(score.rank) for score in scores) == places


def test_formulas_stay_text_in_spreadsheet():
    names = ("=HYPERLINK(1)", "+cmd|calc", "'=1", "Ann")
    results = Results(plan((names,), players=names))
    text = results.enter(1, 1, [10, 9, 8, 7]).to_csv()
    cells = [row[2] for row in csv.reader(io.StringIO(text))]
    assert sorted(cells[1:]) == ["''=1", "'+cmd|calc", "'=HYPERLINK(1)", "Ann"]
    assert results.read(text).to_csv() == text


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


def test_commands_rank_and_seed(quick_maps, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CATAN_CP_PAGE_ADDRESS", raising=False)
    (tmp_path / "cup.json").write_text(plan((NAMES,), (NAMES,)).to_json())
    (tmp_path / "b.csv").write_text(HEAD + "1,1,Zoe,3,\n")
    final = "playoff cup.json a.csv --players 4 --seed 1"
    for words, entered, code, texts in (
        (
            "standings cup.json --enter --template a.csv",
            "10 9\n10 7 7 5\n\n",
            0,
            ["2=  Bob", "must be 4 numbers, not ['10', '9']", "table 1, points of Ann"],
        ),
        ("standings cup.json", "", 1, ["with --template"]),
        ("playoff cup.json a.csv", "", 1, ["table 1 of round 2 has no result"]),
        ("standings cup.json a.csv --enter --template a.csv --force", "10 7 7 5\n", 0, []),
        (final, "", 1, ["tied: Bob, Cem;"]),
        (f"{final} --lots Cem,Bob --plan f.json", "", 0, ["table 1  Ann      Cem      Bob      Dot"]),
        ("standings cup.json a.csv b.csv", "", 1, ["b.csv': line 2 of the results: 'Zoe' is not at"]),
        ("tournament -p 4 --rounds 1 --seed 1 --apart 1,2", "", 1, ["keeps all pairs apart"]),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(entered))
        assert status(words.split()) == code
        printed = "".join(capsys.readouterr())
        assert all(text in printed for text in texts)
