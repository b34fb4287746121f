"""Public functions with each argument in turn wrong.

The result is a `CatanError`. Its message contains the name of the argument, the value and a remedy.
"""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from itertools import islice
from math import nan
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

import catan_cp as cp
from catan_cp import counting, draw, entropy, formats, placement, play, studies, tournament

WRONG = (5, nan, "x\x1b[2J", b"x", [None], {1: 2}, True)

PASSED_ON = ("progress", "ax", "executor", "parameters")
"""Parameters that are called, or passed on to another function or package."""

NOUNS = {
    **dict.fromkeys(("board_or_terrain", "terrain"), "layout"),
    **dict.fromkeys(("inland", "start", "target_efficiency", "targets", "word"), "terrain"),
    **dict.fromkeys(("tiles", "sea_frame"), "centre"),
    **dict.fromkeys(("by", "names"), "criteria"),
    **dict.fromkeys(("first", "path", "source"), "store"),
    **dict.fromkeys(("before", "after"), "board"),
    **dict.fromkeys(("join", "leave"), "player"),
    **dict.fromkeys(("draft", "placed"), "settlement"),
    **dict.fromkeys(("positional", "values"), "field"),
    "kind": "adjacency",
    "name": "rules",
}
"""Words of messages that do not name their parameter."""

ACCEPTED = {
    *("Harbor(vertices)", "Harbor(trade)"),  # Board and Layout check them
    *("LayoutFields.check_harbors(terrain)", "Rules.check_layout(layout)"),  # without harbors and rules
    *("Board.pattern(keep)", "Objective.parts(vertices)", "Objective.value(vertices)"),  # keys of a dict
    *("plot_board(ring_tiles)", "plot_board(ring_vertices)", "compare_solvers(data)", "find_conflict(data)"),
    *("Rules(terrain_pips_min)", "Rules(terrain_pips_max)", "Rules(terrain_markers_max)"),
    *("best_moves(rationality)", "solve_placement(rationality)", "read_objective(rivalry)"),
    *("Layout(pips_max)", "Study.from_json(models)", "Tournament.replan(join)", "read_objective(expansion)"),
    *(f"Objective({field.name})" for field in fields(cp.Objective)),
}
"""Parameters that accept some of the wrong values."""

UNNAMED = {
    *("Board.from_solution(solution)", "Board(terrain)", "run_study(boards)", "compare_studies(second)"),
    *("Store.study(name)", "Store.column(name)", "read_objective(name)", "win_chances(settlements)"),
    *("Study.from_json(text)", "Tournament.from_json(text)", "Tournament.replan(leave)"),
    *("Layout(fixed_terrain)", "Layout(fixed_markers)", "improve_evenness(start)", "judge_draft(draft)"),
    *("plot_board(heat)", "save_picture(format)", "count_solutions(model)", "sample_solutions(model)"),
    *("find_conflict(model)", "compare_solvers(model)"),
}
"""Parameters with messages about another argument or a part."""

SLOW = (cp.count_solutions, cp.sample_solutions, cp.find_conflict, cp.compare_solvers)
"""Functions that start MiniZinc. They get two wrong values per parameter."""

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


def right_calls(folder: Path) -> Iterator[partial[Any]]:
    """Yield a short right call of each public function."""
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
def calls(tmp_path_factory):
    result = list(right_calls(tmp_path_factory.mktemp("calls")))
    yield result
    for store in [call.func.__self__ for call in result if inspect.ismethod(call.func)]:
        if isinstance(store, cp.Store):
            store.close()


def test_every_function_is_called(calls):
    packages = (cp, counting, draw, entropy, formats, placement, play, studies, tournament)
    public = [getattr(package, name) for package in packages for name in package.__all__]
    functions = {it for it in public if inspect.isfunction(it) and inspect.signature(it).parameters}
    called = {call.func for call in calls if inspect.isfunction(call.func)}
    assert {it.__name__ for it in functions - called} == UNTRIED


def parameters_of(function: Any) -> Iterator[tuple[str, str]]:
    """Yield the name and the annotation of each parameter that checks its values."""
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = str(parameter.annotation)
        # Everything is true or false.
        if parameter.kind is not parameter.VAR_KEYWORD and name not in PASSED_ON and "bool" not in annotation:
            yield name, annotation
    if function is cp.Rules:
        yield from ((field.name, str(field.type)) for field in fields(cp.Rules))


def with_value(call: partial[Any], name: str, value: object) -> partial[Any]:
    """Return the call with another value of one parameter."""
    signature = inspect.signature(call.func)
    if name not in signature.parameters:
        return partial(call, **{name: value})
    bound = signature.bind(*call.args, **call.keywords)
    is_list = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
    bound.arguments[name] = (value,) if is_list else value
    return partial(call.func, *bound.args, **bound.kwargs)


def message_of(call: Callable[[], Any]) -> str | None:
    """Return the message of the call's error, or None if it has a result."""
    try:
        result = call()
        if isinstance(result, Iterator):
            list(islice(result, 2))
        elif isinstance(result, cp.Store):
            result.close()
    except cp.CatanError as error:
        return str(error)
    finally:
        plt.close("all")
    return None


def outside(message: str) -> Iterator[int]:
    """Yield the numbers next to the range that a message states."""
    if match := re.search(r"(\d+) to (\d+)", message.replace(",", "")):
        yield from (int(match[1]) - 1, int(match[2]) + 1)
    elif match := re.search(r"(?:at least|above) (\d+)", message):
        yield int(match[1]) - ("least" in match[0])


def faults(call: partial[Any], name: str, value: Any) -> Iterator[str]:
    """Yield the faults of the error for a wrong value, and for numbers outside the range that it states."""
    parameter = f"{call.func.__qualname__}({name})"
    title = f"{parameter} of {value!r}"
    try:
        message = message_of(with_value(call, name, value))
    except Exception as error:
        yield f"{title}: {error!r}"
        return
    if message is None:
        if parameter not in ACCEPTED:
            yield f"{title}: accepted"
        return
    if parameter not in UNNAMED:
        words = [*name.split("_"), NOUNS.get(name, name)]
        if not any(re.search(rf"(?i)\b{word[:4]}", message) for word in words):
            yield f"{title}: no name: {message}"
        parts = [value, *value, len(value)] if isinstance(value, (list, dict, bytes, str)) else [value]
        if not any(repr(part) in message for part in parts):
            yield f"{title}: no value: {message}"
        if not re.search(r"must|;|, not |it has|as in|such as", message):
            yield f"{title}: no remedy: {message}"
    if value is nan or value == [None]:
        for number in outside(message):
            yield from faults(call, name, [number] if value == [None] else number)


def test_wrong_arguments_raise_catan_error(calls, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = []
    for call in calls:
        for name, annotation in parameters_of(call.func):
            for value in WRONG[1:3] if call.func in SLOW else WRONG:
                kind = "int|float" if value == 5 else type(value).__name__
                if value is nan or not re.search(rf"\b({kind})\b", annotation):
                    found += faults(call, name, value)
    assert not found, "\n".join(found)
