"""The report of a board: every figure computed in a second way, and rejected boards."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Objective,
    Rules,
    analyze_board,
    check_seats,
    efficiency,
    efficiency_error,
    generate_board,
    solve_placement,
    win_chances,
)
from catan_cp.analysis.boards import analyze_boards, vertex_pips
from catan_cp.analysis.measures import MEASURES, measures_table, read_criteria
from catan_cp.boards.layout import CLASSIC
from catan_cp.rules.requirements import random_boards
from catan_cp.rules.rules import PRESETS
from catan_cp.studies.store import score_row

BEGINNER = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
BOARD = Board.from_notation(BEGINNER)


def test_rule_books_first_board():
    report, board = analyze_board(BEGINNER), Board.from_notation(BEGINNER)
    placement = solve_placement(board)
    assert (report.board, report.efficiency, report.placement) == (board, efficiency(board), placement)
    assert report.efficiency_error == efficiency_error(board)
    assert report.terrain_pips == {"brick": 12, "grain": 13, "wool": 10, "ore": 10, "lumber": 13}
    assert report.value_spread == max(placement.values) - min(placement.values)
    mean = sum(placement.values[1:]) / 3
    assert report.first_seat_advantage == pytest.approx(placement.values[0] - mean, abs=1e-12)
    assert report.presets == ("tournament", "open")


@pytest.mark.parametrize("layout", CLASSIC)
def test_vertex_pips_of_three_land_tiles(layout):
    (board,) = random_boards(1, layout, seed=3)
    ways = {2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 8: 5, 9: 4, 10: 3, 11: 2, 12: 1, None: 0}
    pips = [
        sum(ways[board.markers[t]] for t in tiles)
        for tiles in board.layout.vertex_tiles
        if len(tiles) == 3 and "sea" not in [board.terrain[t] for t in tiles]
    ]
    sums = vertex_pips(board)
    assert (sums.least, sums.most) == (min(pips), max(pips))
    assert sums.mean == pytest.approx(statistics.mean(pips))
    assert sums.spread == pytest.approx(statistics.pstdev(pips))
    assert sums.weak == sum(n < 7 for n in pips)


def test_board_without_vertices_of_three_tiles():
    layout = LAYOUTS["seafarers-6"]
    near = layout.tile_neighbors()
    land: list[int] = []
    for t in range(layout.n_tiles):
        if not any(n in land for n in near[t]):
            land.append(t)
    terrain = ["grain" if t in land else "sea" for t in range(layout.n_tiles)]
    markers = [5 if t in land else None for t in range(layout.n_tiles)]
    report = analyze_board(Board(layout, terrain, markers), players=2)
    assert report.vertex_pips is None
    row = dict(zip(MEASURES, score_row(report), strict=True))
    assert row["vertex_pips_least"] is None and row["pips_grain"] == 4 * len(land)
    assert "no vertex of three land tiles" in report.table()


@pytest.mark.parametrize("preset", PRESETS)
def test_report_names_preset(preset):
    board = generate_board(preset, "base", seed=5)
    presets = analyze_board(board).presets
    assert preset in presets
    assert presets == tuple(name for name in PRESETS if not Rules.preset(name).check(board))
    (second,) = random_boards(1, "seafarers-8", seed=1)
    assert "official" not in analyze_board(second).presets  # which its layout cannot have


def test_lazy_batches_equal_single_reports():
    boards, items = [*random_boards(40, seed=2), *random_boards(3, "base-5-6", seed=2)], []
    goal = Objective.report(0.5, 0.3, 0.2)
    for board, report in zip(boards, analyze_boards(boards, 3, goal), strict=True):
        alone = analyze_board(board, 3, goal)
        assert report == alone and score_row(report) == score_row(alone)
    next(analyze_boards(items.append(board) or board for board in random_boards(1200, seed=4)))
    assert len(items) < 1200


def test_json_and_table_say_it_all():
    board = generate_board("official", "base", seed=1)
    report = analyze_board(board, 2)
    data = json.loads(report.to_json())
    assert data["board"] == board.notation() and data["layout"] == "base"
    assert data["value_spread"] == report.value_spread
    assert data["vertex_pips"]["most"] == report.vertex_pips.most
    placed = [tuple(player["settlements"]) for player in data["placement"]["players"]]
    assert placed == [*report.placement.settlements]
    assert "official" in data["presets"] and len(data["harbors"]) == len(board.harbors) == 9
    assert "3:1 harbor on the north-west coast, vertices 4-5, beside tile 0 (" in report.table()
    text = str(analyze_board(BEGINNER))
    assert BEGINNER in text and max(map(len, text.splitlines())) <= 80
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line}
    assert lines["brick"][:3] == ["brick", "3", "12"] and lines["desert"][2] == "-"
    assert "presets      tournament, open" in text and "harbors      none" in text


@pytest.mark.parametrize("players", [3, 4])
def test_report_begins_with_seats(players):
    analysis = analyze_board(BEGINNER, players)
    check, text = check_seats(BEGINNER, players), analysis.table()
    assert analysis.seats == check and analysis.chances == check.chances == win_chances(BOARD, [()] * players)
    plain = " ".join(text.split())
    assert plain.startswith(f"{check.verdict} Greedy programs played from") and "not people" in plain
    rows = [line.split() for line in text.splitlines() if line[:1].isdigit() and line[1] == " "]
    assert [row[0] for row in rows] == [str(seat) for seat in range(1, players + 1)]
    for row, chance, share, spots in zip(rows, check.chances, check.wins, check.settlements, strict=True):
        assert row[1] == f"{chance:.0%}" and " ".join(row[2:6]) == str(share)
        assert " ".join(row[6:8]) == f"{spots[0]}, {spots[1]}"
    assert json.loads(analysis.to_json())["seats"] == json.loads(json.dumps(check.facts()))


def test_objective_changes_values_but_no_chance():
    analyses = [analyze_board(BEGINNER, 3, goal) for goal in (None, Objective.pips())]
    assert len({analysis.placement.values for analysis in analyses}) == 2
    assert len({(analysis.chances, analysis.verdict) for analysis in analyses}) == 1


def test_without_compiled_games_report_estimated(monkeypatch):
    monkeypatch.setattr("catan_cp.analysis.seats.is_fast", lambda: False)
    text = analyze_board(BEGINNER, 3).table()
    assert text.startswith("Estimated, not played: the seats' chances to win are ") and "Even" not in text
    assert "Greedy programs played" not in text


def test_two_players_have_no_verdict():
    analysis = analyze_board(BEGINNER, 2)
    assert analysis.verdict.endswith("no games have measured them for two players")
    assert "%" not in analysis.table() and json.loads(analysis.to_json())["seats"] is None


def test_row_has_value_for_each_column():
    (board,) = random_boards(1, "seafarers-7", seed=1)
    report = analyze_board(board, 5)
    row = dict(zip(MEASURES, score_row(report), strict=True))
    assert [row[f"value_{seat}"] for seat in range(1, 7)] == [*report.placement.values, None]
    assert row["efficiency_sea"] == report.efficiency["sea"]
    assert row["tied"] == int(report.placement.tied)
    assert row["pips_gold"] == report.terrain_pips["gold"]


def test_criteria_read():
    criteria = read_criteria(" value_spread, -efficiency_error, vertex_pips_least,+ vertex_pips_most, -tied")
    assert list(criteria) == [
        "value_spread",
        "efficiency_error",
        "vertex_pips_least",
        "vertex_pips_most",
        "tied",
    ]
    assert list(criteria.values()) == [False, True, True, False, True]


def test_docs_have_table_of_measures():
    page = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
    table = page.partition("<!-- measures -->\n")[2].partition("\n<!-- end -->")[0]
    assert table == measures_table()


def test_report_loads_neither_studies_nor_tournaments():
    code = (
        "import sys\n"
        "from catan_cp.cli import main\n"
        f"try:\n    main(['report', '{BEGINNER}'])\nexcept SystemExit as end:\n    assert not end.code\n"
        "print([m for m in sys.modules if m.startswith(('catan_cp.studies', 'catan_cp.tournament'))])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "seat" in result.stdout and result.stdout.endswith("[]\n")


def test_impossible_board_named_first():
    three_tens = "o10w2l9/g12b6w4b10/g9l10dl3o8/l8o3g4w5/b5g6w11"
    report = analyze_board(three_tens)
    texts = [violation.text for violation in report.wrong_pieces]
    assert texts[0].startswith("1 more markers 10 than the box of 'base' holds, on tiles 0")
    assert str(report).startswith("Not a board of base: 1 more markers 10")
    assert json.loads(report.to_json())["wrong_pieces"] == texts
    assert analyze_board(BEGINNER).wrong_pieces == ()
