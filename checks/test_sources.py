"""The scripts that repeat the sources: small cases, published figures, and the library."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from catan_cp import Board, Objective, improve_evenness, solve_placement
from catan_cp.entropy import official_average, official_efficiencies
from examples import street_shops
from examples.sources import christenson2025, dralexportfolio2025, twright2019
from examples.sources.christenson2025 import Search, report_board

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
ROWS = [[cell.strip().replace("`", "") for cell in line.split("|")[1:-1]] for line in PAGE.splitlines()]
TABLE = {row[0]: (row[1], row[2]) for row in ROWS if len(row) == 4}
"""The published and the computed figures of docs/sources.md."""
FACTS = json.loads((ROOT / "tests" / "data" / "placement_boards.json").read_text(encoding="utf-8"))
TEN = [Board.from_notation(fact["board"]) for fact in FACTS["boards"]]
GOAL = Objective.published(**FACTS["weights"])


# TWright 2019


@pytest.mark.solver
@pytest.mark.parametrize(
    "figure",
    [pytest.param(w, marks=pytest.mark.slow) if w in twright2019.LONG else w for w in twright2019.FIGURES],
)
def test_figures_of_post(figure):
    published, compute = twright2019.FIGURES[figure]
    assert compute() == published
    assert TABLE[figure] == (f"{published:,}", f"{published:,}")


def test_script_of_post_prints_each_figure(capsys, monkeypatch):
    figures = {figure: (published, lambda: 123) for figure, (published, _) in twright2019.FIGURES.items()}
    monkeypatch.setattr(twright2019, "FIGURES", figures)
    twright2019.main([])
    _, *lines = capsys.readouterr().out.splitlines()
    published = [f"{number:,}" for number, _ in figures.values()]
    assert [line.split()[-2:] for line in lines] == [[number, "123"] for number in published]
    twright2019.main(["--small"])
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(figures) - len(twright2019.LONG)


# Christenson et al. 2025


def search(board: Board, method: str) -> Search:
    """Solve a board for four players with the published objective, and compare with the library."""
    tree = Search(board, [GOAL] * 4, method)
    assert tree.settlements == solve_placement(board, 4, GOAL).settlements
    return tree


@pytest.mark.parametrize(("board", "fact"), list(zip(TEN, FACTS["boards"], strict=True)))
def test_ten_published_boards_take_few_calls(board, fact):
    tree = search(board, "bounds")
    assert [list(pair) for pair in tree.settlements] == fact["settlements"]
    assert tree.calls <= fact["reference_nodes"]


def test_counters_of_search_with_bounds():
    tree = search(TEN[0], "bounds")
    assert (tree.calls, tree.cut, tree.hits, len(tree.memory)) == (256, 5811, 64, 192)


def test_three_players_take_equal_calls():
    for seed in range(2):
        calls = [Search(report_board(seed), [GOAL] * 3, method).calls for method in ("feasibility", "memo")]
        assert calls == [129_889, 1 + 54 + 2 * 1359 + 3 * 21186]


@pytest.mark.slow
def test_published_calls_of_plain_tree():
    plain, memo = search(TEN[0], "feasibility"), search(TEN[0], "memo")
    assert plain.calls == 5_634_937
    assert memo.calls == 983_839
    assert TABLE["calls of the plain tree, four players"] == ("5,634,937", "5,634,937")
    assert TABLE["calls with a memory"] == ("983,839", "983,839")
    assert memo.hits + len(memo.memory) == memo.calls


def test_thirty_published_boards():
    """The boards of Christenson et al. 2025 have the seeds 0 to 29 of their program.

    Its counts are in the same rows.
    """
    published = [fact["reference_nodes"] for fact in FACTS["thirty"]]
    assert (round(sum(published) / 30, 2), min(published), max(published)) == (568.93, 65, 1195)
    assert [report_board(fact["seed"]) for fact in FACTS["boards"]] == TEN
    thirty = [report_board(seed) for seed in range(30)]
    assert thirty == [Board.from_notation(fact["board"]) for fact in FACTS["thirty"]]
    trees = [search(board, "bounds") for board in thirty]
    assert all(one.calls <= calls for one, calls in zip(trees, published, strict=True))
    assert TABLE["calls with bounds, average of thirty boards"] == ("568.93", "123.43")
    assert round(sum(one.calls for one in trees) / 30, 2) == 123.43
    rates = [one.cut / (one.cut + one.calls - 1) for one in trees]
    assert 0.8 < min(rates) <= max(rates) < 1
    assert all(one.hits + len(one.memory) == one.calls for one in trees)


def test_report_script_prints_rows(capsys):
    methods = ["memo", "bounds", "library"]
    christenson2025.main(["--boards", "2", "--seed", "3", "--players", "2", "--methods", ",".join(methods)])
    _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == methods
    assert rows[0].split()[1:4] == ["2,773.00", "2,773", "2,773"]
    with pytest.raises(SystemExit):
        christenson2025.main(["--boards", "1", "--players", "2", "--methods", "magic"])
    assert "method must be one of feasibility, memo, bounds and library, not magic" in capsys.readouterr().err


# dralexportfolio 2025


@pytest.mark.parametrize(
    ("terrain", "layout"), [("brick", "base"), ("desert", "seafarers-10"), ("sea", "seafarers-7")]
)
def test_average_efficiencies_of_article(terrain, layout):
    computed = f"{official_efficiencies()[layout][terrain]:.5f}"
    assert TABLE[f"average efficiency, {terrain} on {layout}"] == (computed, computed)


@pytest.fixture(scope="module")
def swaps():
    return {measure: dralexportfolio2025.swap_points(measure) for measure in dralexportfolio2025.KEPT}


@pytest.mark.parametrize(("measure", "published"), [("all", 0.27220), ("improving", 0.56734)])
def test_correlations_of_article(swaps, measure, published):
    points = np.array(swaps[measure])
    r = np.corrcoef(abs(points[:, 0] - points[:, 1]), -points[:, 2])[0, 1]
    assert dralexportfolio2025.correlation(swaps[measure]) == pytest.approx(r)
    assert abs(r - published) < 0.08  # 20 boards scatter by 0.04


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "expected", "row"),
    [
        ("all", 0.267, "correlation, all swaps kept"),
        ("improving", 0.543, "correlation, only improving swaps kept"),
    ],
)
def test_correlations_over_two_hundred_boards(measure, expected, row):
    value = dralexportfolio2025.correlation(dralexportfolio2025.swap_points(measure, 200))
    assert value == pytest.approx(expected, abs=0.04)  # of 600 boards, and of 2,000
    assert TABLE[row] == (f"{dralexportfolio2025.KEPT[measure]:.5f}", f"{value:.3f}")


def test_swaps_are_those_of_search(swaps):
    assert len(swaps["all"]) == 20 * 1000
    assert max(change for *_, change in swaps["improving"]) < 0 < max(change for *_, change in swaps["all"])
    record = improve_evenness("seafarers-8", 1000, 0, reject=False, seed=19, record=True).record
    last = [(step.first_error, step.second_error, step.change) for step in record]
    assert swaps["all"][-1000:] == last


@pytest.fixture(scope="module")
def curves():
    return dralexportfolio2025.mean_errors(boards=20, steps=1200, workers=2)


def test_curves_of_article(curves):
    """All start alike and never rise.

    Infinity leads in the first steps, and stops improving early.
    """
    powers, names = dralexportfolio2025.POWERS, dralexportfolio2025.NORMALIZATIONS
    assert set(curves) == set(itertools.product(names, powers))
    assert len({curve[0] for curve in curves.values()}) == 1
    assert all((np.diff(curve) <= 0).all() for curve in curves.values())
    assert curves["static", 0.0] == curves["dynamic", 0.0]  # the power 0 ignores the errors
    for name in names:
        infinite = curves[name, math.inf]
        assert infinite[600] == pytest.approx(infinite[1200])
        for power in powers[:-1]:
            finite = curves[name, power]
            assert finite[1200] < finite[600] < infinite[1200]
            assert power > 1 or infinite[20] < finite[20]


def test_script_of_article_prints_and_plots(capsys, tmp_path):
    dralexportfolio2025.main(["targets"])
    *_, last = capsys.readouterr().out.splitlines()
    assert all(f"{terrain} {value:.5f}" in last for terrain, value in official_average().items())
    small = ["--boards", "2", "--steps", "60", "--save"]
    dralexportfolio2025.main(["swaps", *small, str(tmp_path / "swaps.png")])
    assert capsys.readouterr().out.count("correlation") == 2
    dralexportfolio2025.main(["powers", *small, str(tmp_path / "powers.png"), "--workers", "1"])
    assert capsys.readouterr().out.count("mean error") == 12
    assert {path.name for path in tmp_path.iterdir()} == {"swaps.png", "powers.png"}


# Shops on a street grid


def test_shops_keep_their_distance(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["street_shops.py"])
    street_shops.main()
    assert capsys.readouterr().out.count("households") == 3
    draft = street_shops.solve(3)
    spots = [street_shops.CROSSINGS[site] for _, site in draft.order]
    free = [c for c in street_shops.CROSSINGS if all(street_shops.blocks(c, s) > 2 for s in spots[:-1])]
    assert spots[-1] in free
    assert draft.values[0] == max(street_shops.reach(spots[0], c) for c in free)
