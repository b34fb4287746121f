"""The report of a board: every figure computed in a second way, and impossible boards."""

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
    efficiency,
    efficiency_error,
    generate_board,
    solve_placement,
    win_chances,
)
from catan_cp.analysis.measures import measures_table, rank_boards  # the table of docs/measures.md
from tests.small_boards import CLASSIC, random_boards

BEGINNER = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
BOARD = Board.from_notation(BEGINNER)
PRESETS = ("blog", "optimal", "tournament", "official", "open")


@pytest.fixture(scope="module")
def report():
    return analyze_board(BEGINNER)


def test_rule_books_first_board(report):
    placement = solve_placement(BOARD)
    assert (report.board, report.efficiency, report.placement) == (BOARD, efficiency(BOARD), placement)
    assert report.efficiency_error == efficiency_error(BOARD)
    assert report.terrain_pips == {"brick": 12, "grain": 13, "wool": 10, "ore": 10, "lumber": 13}
    assert report.value_spread == max(placement.values) - min(placement.values)
    mean = sum(placement.values[1:]) / 3
    assert report.first_seat_advantage == pytest.approx(placement.values[0] - mean, abs=1e-12)
    assert report.presets == ("tournament", "open")


@pytest.mark.parametrize("layout", CLASSIC)
def test_vertex_pips_of_three_land_tiles(layout):
    (board,) = random_boards(1, layout, seed=3)
    pips = [
        sum(6 - abs(7 - board.markers[t]) if board.markers[t] else 0 for t in tiles)
        for tiles in board.layout.vertex_tiles
        if len(tiles) == 3 and "sea" not in [board.terrain[t] for t in tiles]
    ]
    sums = analyze_board(board).vertex_pips
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
    board = Board(layout, terrain, [5 if t in land else None for t in range(layout.n_tiles)])
    report = analyze_board(board, players=2)
    assert report.vertex_pips is None
    (row,) = rank_boards([board], "vertex_pips_least, pips_grain", players=2)
    assert row["vertex_pips_least"] is None and row["pips_grain"] == 4 * len(land)
    assert "no vertex of three land tiles" in report.table()


@pytest.mark.parametrize("preset", PRESETS)
def test_report_names_preset(preset):
    board = generate_board(preset, "base", seed=5)
    presets = analyze_board(board).presets
    assert preset in presets
    assert presets == tuple(name for name in PRESETS if not Rules.preset(name).check(board))


def test_measures_without_value_are_empty():
    (board,) = random_boards(1, "seafarers-7", seed=1)
    report = analyze_board(board, 5)
    assert "official" not in report.presets  # which the layout cannot have
    seats = [f"value_{seat}" for seat in range(1, 7)]
    by = ", ".join([*seats, "chance_1", "efficiency_sea", "tied", "pips_gold", "pips_brick"])
    (row,) = rank_boards([board], by, players=5)
    assert row["chance_1"] is None  # no games have measured it
    assert [row[seat] for seat in seats] == [*report.placement.values, None]
    assert (row["efficiency_sea"], row["tied"]) == (report.efficiency["sea"], int(report.placement.tied))
    assert (row["pips_gold"], row["pips_brick"]) == tuple(report.terrain_pips[n] for n in ("gold", "brick"))


def test_json_and_table_say_it_all(report):
    board = generate_board("official", "base", seed=1)
    harbored = analyze_board(board, 2)
    data = json.loads(harbored.to_json())
    assert data["board"] == board.notation() and data["layout"] == "base"
    assert data["value_spread"] == harbored.value_spread
    assert data["vertex_pips"]["most"] == harbored.vertex_pips.most
    placed = [tuple(player["settlements"]) for player in data["placement"]["players"]]
    assert placed == [*harbored.placement.settlements]
    assert "official" in data["presets"] and len(data["harbors"]) == len(board.harbors) == 9
    assert "3:1 harbor on the north-west coast, vertices 4-5, beside tile 0 (" in harbored.table()
    # No games have measured the chances of two players.
    assert harbored.verdict.endswith("no games have measured them for two players")
    assert "%" not in harbored.table() and data["seats"] is None
    text = str(report)
    assert BEGINNER in text and max(map(len, text.splitlines())) <= 80
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line}
    assert lines["brick"][:3] == ["brick", "3", "12"] and lines["desert"][2] == "-"
    assert "presets      tournament, open" in text and "harbors      none" in text


@pytest.mark.parametrize("players", [3, 4])
def test_report_begins_with_seats(players, report, beginner_seats):
    analysis = report if players == 4 else analyze_board(BEGINNER, players)
    check, text = beginner_seats(players), analysis.table()
    assert analysis.seats == check and analysis.chances == check.chances == win_chances(BOARD, [()] * players)
    plain = " ".join(text.split())
    assert plain.startswith(f"{check.verdict} Greedy programs played from") and "not people" in plain
    rows = [line.split() for line in text.splitlines() if line[:1].isdigit() and line[1] == " "]
    assert [row[0] for row in rows] == [str(seat) for seat in range(1, players + 1)]
    for row, chance, share, spots in zip(rows, check.chances, check.wins, check.settlements, strict=True):
        assert row[1] == f"{chance:.0%}" and " ".join(row[2:6]) == str(share)
        assert " ".join(row[6:8]) == f"{spots[0]}, {spots[1]}"
    assert json.loads(analysis.to_json())["seats"] == json.loads(json.dumps(check.facts()))
    other = analyze_board(BEGINNER, players, Objective.pips())
    assert other.placement.values != analysis.placement.values
    assert other.chances == analysis.chances


def test_without_compiled_games_report_estimated(monkeypatch):
    monkeypatch.setattr("catan_cp.analysis.seats.is_fast", lambda: False)
    text = analyze_board(BEGINNER, 3).table()
    assert text.startswith("Estimated, not played: the seats' chances to win are ") and "Even" not in text
    assert "Greedy programs played" not in text


def test_docs_have_table_of_measures():
    page = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
    table = page.partition("<!-- measures -->\n")[2].partition("\n<!-- end -->")[0]
    assert table == measures_table()


def test_report_loads_neither_studies_nor_tournaments():
    code = (
        "import sys\n"
        "from catan_cp.analysis import seats\n"
        "from catan_cp.cli import main\n"
        "seats.GAMES = 100\n"
        f"try:\n    main(['report', '{BEGINNER}'])\nexcept SystemExit as end:\n    assert not end.code\n"
        "print([m for m in sys.modules if m.startswith(('catan_cp.studies', 'catan_cp.tournament'))])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "seat" in result.stdout and result.stdout.endswith("[]\n")


def test_impossible_board_named_first(report):
    three_tens = "o10w2l9/g12b6w4b10/g9l10dl3o8/l8o3g4w5/b5g6w11"
    impossible = analyze_board(three_tens, 2)
    texts = [violation.text for violation in impossible.wrong_pieces]
    assert texts[0].startswith("1 more markers 10 than the box of 'base' holds, on tiles 0")
    assert str(impossible).startswith("Not a board of base: 1 more markers 10")
    assert json.loads(impossible.to_json())["wrong_pieces"] == texts
    assert report.wrong_pieces == ()
