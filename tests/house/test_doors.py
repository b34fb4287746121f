"""Public functions with each argument in turn of a wrong type: a result, or a `CatanError`."""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

import catan_cp as cp
from catan_cp import counting, draw, entropy, formats, placement, play, studies, tournament

WRONG = (5, float("nan"), "x\x1b[2J", b"x", [None], {1: 2})

HANDED_ON = ("progress", "ax", "executor", "parameters")
"""Parameters that are called, or handed on to another function or package."""

SEVEN = cp.Layout("seven", (2, 3, 2), {"brick": 2, "lumber": 2, "ore": 2, "desert": 1}, {6: 2, 8: 2, 4: 2})
PAIR = cp.Layout("pair", (2,), {"brick": 1, "lumber": 1}, {6: 1, 8: 1})
SMALL = cp.Board.from_notation("b6l8/o4db8/l4o6", SEVEN)
BASE = cp.Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
OPEN = cp.Rules.preset("open")

UNTRIED = {
    *("plan_tournament", "plan_playoff", "save_standings"),
    *("plot_games", "save_proof"),
}
"""Functions whose right calls take seconds, need a panel of a picture, results or a prover."""


def _right_calls(folder: Path) -> Iterator[partial[Any]]:
    """Yield a right call of each public function, as short as may be."""
    ask: Any
    layout, rules, path = folder / "layout.toml", folder / "rules.toml", folder / "study.db"
    layout.write_text(SEVEN.to_toml())
    rules.write_text(OPEN.to_toml())
    study = cp.Study(2, OPEN, SEVEN, seed=1, players=2)
    cp.run_study(study, path, progress=False)
    store = cp.Store(path)
    plan = cp.Tournament((1, 2, 3), (tournament.Round(BASE, ((1, 2, 3),)),), (0, 0), (0, 0))
    games = cp.play_games(BASE, 1, seed=1)
    even, solved = cp.Objective(), cp.solve_placement(SMALL, 2)
    yield partial(cp.Board, SEVEN, SMALL.terrain, SMALL.markers)
    yield partial(cp.Board.from_json, SMALL.to_json(), SEVEN)
    yield partial(cp.Board.from_notation, SMALL.notation(), SEVEN)
    yield partial(cp.Board.from_solution, {"terrain": [1, 2, 3, 4, 5, 6, 1]}, SEVEN)
    yield partial(SMALL.moved, 1)
    ring = [(0, 0), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    hexes = [{"x": x, "y": y, "type": 0} for x, y in ring]
    yield partial(cp.import_board, json.dumps({"tileHexStates": hexes}))
    yield partial(formats.catanlog_header, BASE)
    yield partial(cp.Harbor, (0, 1), "3:1")
    yield partial(cp.Layout, "seven", SEVEN.rows, SEVEN.terrain_counts, SEVEN.marker_supply)
    yield partial(cp.Layout.from_toml, layout)
    yield partial(SEVEN.check_harbors, ())
    yield partial(SEVEN.terrain_name, "ore")
    yield partial(cp.Rules)
    yield partial(cp.Rules.from_mapping, {})
    yield partial(cp.Rules.from_toml, rules)
    yield partial(cp.Rules.preset, "open")
    yield partial(OPEN.check, SMALL)
    yield partial(OPEN.check_layout, SEVEN)
    yield partial(cp.Constraint, "constraint true;")
    yield partial(cp.find_violations, OPEN, SMALL)
    # methods whose arguments are all optional
    for ask in (SMALL.pattern, SMALL.plot, SEVEN.adjacency, SEVEN.centre_tiles, SEVEN.tile_neighbors):
        yield partial(ask)
    for ask in (store.results, store.study, store.to_frame, store.top):
        yield partial(ask)
    # boards made and found
    quick = {"timeout": 5}
    for ask in (cp.generate_board, cp.enumerate_boards, cp.enumerate_terrains):
        yield partial(ask, OPEN, SEVEN, **quick)
    for ask in (cp.enumerate_markers, cp.repair_board):
        yield partial(ask, SMALL, OPEN, **quick)
    yield partial(cp.best_board, OPEN, SEVEN, minimize="largest_vertex_sum", **quick)
    yield partial(cp.generate_boards, 2, OPEN, SEVEN, **quick)
    yield partial(cp.make_puzzle, cp.Board.from_notation("b6l8", PAIR), OPEN, **quick)
    yield partial(cp.copy_models, folder / "models")
    for ask in (cp.count_boards, cp.count_terrains, cp.is_countable, cp.board_instance, cp.terrain_instance):
        yield partial(ask, OPEN, SEVEN)
    for ask in (cp.count_markers, cp.rank_board, cp.marker_instance):
        yield partial(ask, SMALL, OPEN)
    for ask in (cp.unrank_board, cp.sample_boards, cp.sample_terrains):
        yield partial(ask, 2, OPEN, SEVEN)
    # entropy
    for ask in (cp.efficiency, cp.efficiency_error, entropy.neighbor_counts, cp.vertex_values):
        yield partial(ask, SMALL)
    yield partial(entropy.official_boards, "base")
    yield partial(cp.improve_evenness, BASE, 5)
    # placement
    yield partial(cp.Objective)
    yield partial(even.parts, SMALL, [1, 5])
    yield partial(even.value, SMALL, [1, 5])
    yield partial(placement.read_objective)
    yield partial(cp.best_moves, SMALL, players=2, k=1)
    yield partial(cp.solve_placement, SMALL, 2)
    yield partial(cp.solve_placements, [SMALL], 2)
    yield partial(placement.compare_rivalry, [BASE], 2)
    yield partial(placement.rivalry_table, placement.compare_rivalry([SMALL], 2))
    yield partial(placement.robust_share, [BASE], 2)
    yield partial(placement.find_equilibria, solved)
    yield partial(placement.judge_draft, SMALL, solved, 2)
    yield partial(placement.solve_draft, [[a + b for b in range(4)] for a in range(4)], [], 2)
    yield partial(cp.win_chances, BASE, [[5, 20], [10, 30]])
    yield partial(cp.analyze_board, BASE)
    yield partial(cp.check_seats, BASE, 3)
    draft = placement.Draft(((1, 42),), (None,), BASE, ("a", "b", "c"))
    yield partial(cp.review_opening, draft, 3)
    # games and tournaments
    yield partial(cp.play_games, BASE, 1, seed=1)
    yield partial(play.wilson, 1, 2)
    yield partial(cp.Games.from_json, games.to_json())
    yield partial(cp.Tournament.from_json, plan.to_json())
    yield partial(plan.replan, 0, **quick)
    yield partial(tournament.save_kit, plan, folder / "kit.pdf", force=True)
    # studies
    yield partial(cp.Study, 2)
    yield partial(cp.Study.from_json, study.to_json())
    yield partial(cp.run_study, study, path, progress=False)
    yield partial(cp.Store, path)
    yield partial(cp.compare_studies, store, store)
    yield partial(studies.describe_study, store)
    for ask in (store.board, store.row):
        yield partial(ask, 1)
    for ask in (store.query, store.rows):
        yield partial(ask, "select 1")
    yield partial(store.column, "value_spread")
    yield partial(store.columns, ["value_spread"])
    yield partial(store.to_csv, folder / "study.csv", force=True)
    yield partial(store.to_parquet, folder / "study.parquet", force=True)
    # any model
    yield partial(cp.count_solutions, "var 1..2: x;", {}, show=["x"])
    yield partial(cp.sample_solutions, "var 1..2: x;", 1, {}, show=["x"], seed=1)
    yield partial(cp.find_conflict, "var 1..2: x; constraint x > 2;", {})
    yield partial(cp.compare_solvers, "var 1..2: x;", {}, solvers=["gecode"], timeout=5)
    # pictures
    for ask in (cp.plot_board, cp.board_svg, cp.board_png):
        yield partial(ask, SMALL)
    yield partial(cp.plot_gallery, [SMALL])
    yield partial(cp.save_picture, SMALL, folder / "board.svg", force=True)
    yield partial(cp.print_sheet, SMALL, folder / "board.pdf", force=True)
    yield partial(draw.gallery_svg, [SMALL])
    yield partial(draw.plot_pair, SMALL, SMALL)


@pytest.fixture(scope="module")
def right_calls(tmp_path_factory):
    calls = list(_right_calls(tmp_path_factory.mktemp("doors")))
    yield calls
    for store in [call.func.__self__ for call in calls if inspect.ismethod(call.func)]:
        if isinstance(store, cp.Store):
            store.close()


def test_no_function_is_forgotten(right_calls):
    rooms = (cp, counting, draw, entropy, formats, placement, play, studies, tournament)
    named = [getattr(room, name) for room in rooms for name in room.__all__]
    functions = {it for it in named if inspect.isfunction(it) and inspect.signature(it).parameters}
    tried = {right.func for right in right_calls if inspect.isfunction(right.func)}
    assert {it.__name__ for it in functions - tried} == UNTRIED


def wrong_calls(right: partial[Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    signature = inspect.signature(right.func)
    for name, parameter in signature.parameters.items():
        is_flag = parameter.annotation in ("bool", bool)  # anything is true or false
        if name in HANDED_ON or is_flag or parameter.kind is parameter.VAR_KEYWORD:
            continue
        for wrong in WRONG:
            if re.search(
                rf"\b({'int|float' if wrong == 5 else type(wrong).__name__})\b", str(parameter.annotation)
            ):
                continue
            bound = signature.bind(*right.args, **right.keywords)
            bound.arguments[name] = (wrong,) if parameter.kind is parameter.VAR_POSITIONAL else wrong
            text = f"{right.func.__qualname__}({name}={wrong!r})"
            yield text, partial(right.func, *bound.args, **bound.kwargs)


def test_wrong_arguments_raise_catan_error(right_calls, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    foreign = list[str]()
    for right in right_calls:
        for text, call in wrong_calls(right):
            try:
                result = call()
                if isinstance(result, Iterator):
                    list(islice(result, 2))
                elif isinstance(result, cp.Store):
                    result.close()
            except cp.CatanError:
                pass
            except Exception as error:
                foreign.append(f"{text}: {error!r}")
            plt.close("all")
    assert foreign == []
