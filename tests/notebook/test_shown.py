"""Results in terminals and notebooks: short texts, escaped tables, frames."""

import re
from functools import cache
from xml.etree import ElementTree

import pytest

import catan_cp as cp
from catan_cp.placement import find_equilibria, solve_draft
from catan_cp.tournament import Round

NOTATION = "g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12"
BOARD = cp.Board.from_notation(NOTATION)
LARGE = cp.Board.from_notation(cp.LAYOUTS["rivers-of-catan"].beginner_board)
MARKUP = "terrain[1] < 3 /\\ terrain[1] > 1"


@cache
def games():
    return cp.play_games(BOARD, 6, players=["greedy", "weighted", "greedy"], seed=1)


RESULTS = {
    "no rules": cp.Rules,
    "rules": lambda: cp.Rules(constraints=[MARKUP] * 30, pattern="oo6x/xxxx/xxxxx/xxxx/xxx"),
    "placement": lambda: cp.solve_placement(NOTATION, 4),
    "large placement": lambda: cp.solve_placement(LARGE, 6),
    "games": games,
    "tournament": lambda: cp.Tournament(
        ("<b>", "A & B", "c"), (Round(BOARD, (("<b>", "A & B", "c"),)),), (0, 0), (0, 0)
    ),
    "analysis": lambda: cp.analyze_board(BOARD),
    "study": lambda: cp.Study(2),
    "equilibria": lambda: find_equilibria(cp.solve_placement(BOARD)),
    "draft": lambda: solve_draft([[a * b for b in range(8)] for a in range(8)], [], 4),
    "swaps": lambda: cp.improve_evenness("base", 50, seed=1),
    "best board": lambda: cp.BestBoard(LARGE, 3, None, proven=False),
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_results_are_short_texts_and_tables(result):
    result = result()
    assert len(repr(result)) < 300
    page = result._repr_html_()
    ElementTree.fromstring(f"<div>{page.replace('<br>', '')}</div>")
    assert "<table>" in page
    assert "<b>" not in page
    assert MARKUP not in page


@pytest.mark.solver
def test_instances_shown_as_pictures():
    instance = cp.board_instance("open", "mini")
    result = instance.solve()
    many = cp.terrain_instance("blog").solve(all_solutions=True)
    markers = cp.marker_instance("dlw/bgol/owbwg/lgob/wlg", "blog").solve()
    for value in (instance, result, result.solution, many, markers):
        assert len(repr(value)) < 300
        ElementTree.fromstring(f"<div>{value._repr_html_()}</div>")
    assert repr(many) == "Result(status='ALL_SOLUTIONS', solutions=96)"
    assert cp.Board.from_solution(result)._repr_svg_() in result._repr_html_()
    assert many._repr_html_().count("<svg") == 3
    assert markers._repr_html_().count("<svg") == 1
    with cp.enumerate_terrains("blog") as solutions:
        next(solutions)
        assert re.match(r"<Solutions: \d+ so far", repr(solutions))
        assert "<table>" in solutions._repr_html_()
        assert sum(1 for _ in solutions) == 95
        assert repr(solutions) == "<Solutions: 96 so far, complete>"


def test_games_as_frames():
    pytest.importorskip("pandas")
    frame = games().to_frame()
    assert len(frame) == 6
    assert frame.index.name == "game"
    assert frame["winner"].tolist() == games().rows["winner"].tolist()
    assert frame["points_2"].tolist() == games().rows["points"][:, 1].tolist()
    assert frame["gained_ore_3"].tolist() == games().rows["gained"][:, 2, 3].tolist()
    assert frame["settlements_second_1"].tolist() == games().rows["settlements"][:, 0, 1].tolist()
    filled = games().to_frame(drop_empty=True)
    assert set(frame) - set(filled) == {name for name in frame if not frame[name].any()} != set()


def test_stores_as_frames_without_empty_columns(tmp_path):
    pytest.importorskip("pandas")
    cp.run_study(cp.Study(2, "open", "mini", seed=1, players=2), tmp_path / "x.db", progress=False)
    with cp.Store(tmp_path / "x.db") as store:
        whole, filled = store.to_frame(), store.to_frame(drop_empty=True)
    assert "value_5" in set(whole) - set(filled)
    assert "value_1" in set(filled)
    assert all(whole[name].isna().all() or (whole[name] == "").all() for name in set(whole) - set(filled))


def test_placements_and_games_plotted():
    placement = cp.solve_placement(NOTATION, 2)
    axes = placement.plot(title="two players")
    assert "settlements" in {shapes.get_gid() for shapes in axes.collections}
    assert axes.get_title() == "two players"
    assert len(games().plot(theme="dark").axes) == 3
