"""Whether a board keeps a user's constraints, and edited models: the solver decides, on the board as is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import MARKERS, MOST_PIPS
from catan_cp.rules.constraint import Constraint
from catan_cp.rules.declared import only
from catan_cp.rules.model_data import Task, harbor_task, joint_task, no_harbor, terrain_task, trade_code
from catan_cp.rules.rule import Violation
from catan_cp.solving.models import edited

if TYPE_CHECKING:
    from catan_cp.rules.rules import Rules

FIELD = "constraints"


def own_violations(rules: Rules, board: Board) -> list[Violation]:
    """Return each constraint that *board* breaks, and whether the edited models refuse it.

    Constraints about markers are left out for a board whose markers are not on it yet, and those about
    harbors where none are laid.

    Raises:
        SolverNotFound, SolverFailed: there is a constraint to decide, and no solver that does.
    """
    return list(_own_violations(rules, board))


def _own_violations(rules: Rules, board: Board) -> Iterator[Violation]:
    for constraint in rules.constraints:
        if _is_laid(rules.about(constraint), board) and not _holds(constraint, rules, board):
            yield Violation(FIELD, f"the board breaks {str(constraint)!r}")
    if edited(rules.models):
        task = joint_task(rules, board.layout) if board.has_markers else terrain_task(rules, board.layout)
        if not _has_solution(replace(task, data=task.data | _given(board), own=None)):
            yield Violation("models", "the edited models do not allow the board under these rules")


def _is_laid(subjects: tuple[str, ...], board: Board) -> bool:
    edges = {harbor.vertices for harbor in board.harbors}
    places = {*board.layout.harbor_places}
    framed = bool(edges) and (edges <= places if board.layout.movable_harbors else edges == places)
    return ("markers" not in subjects or board.has_markers) and ("harbors" not in subjects or framed)


def _holds(constraint: Constraint, rules: Rules, board: Board) -> bool:
    """Whether a constraint alone holds on a board, whatever its pieces are."""
    subjects = rules.about(constraint)
    alone = only(rules, ("harbors", constraint) if "harbors" in subjects else (constraint,))
    if "harbors" in subjects and not board.has_markers:
        task = harbor_task(alone, board.layout, board.terrain)
    else:
        task = joint_task(alone, board.layout) if board.has_markers else terrain_task(alone, board.layout)
    data = task.data | _given(board) | _pieces(board, task.data)
    return _has_solution(replace(task, data=data | (_harbors(board) if "harbors" in subjects else {})))


def _given(board: Board) -> dict[str, Any]:
    """Return the board itself as data."""
    codes = board.layout.terrain_codes
    given: dict[str, Any] = {"terrain": [codes[name] for name in board.terrain]}
    if board.has_markers:
        given["marker"] = [marker or 0 for marker in board.markers]
    return given


def _harbors(board: Board) -> dict[str, Any]:
    """Return the harbors of the board as data; its edges are among the layout's places for them."""
    trade = {harbor.vertices: trade_code(harbor.trade) for harbor in board.harbors}
    none = no_harbor(board.layout)
    codes = [trade.get(edge, none) for edge in board.layout.harbor_places]
    return {
        "harbor": codes,
        "trades": [codes.count(code) for code in range(none)],
        "trade_choices": [set(range(none + 1))] * len(codes),
    }


def _pieces(board: Board, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pieces that are on the board, free to lie anywhere, in place of what the layout deals."""
    layout, tiles = board.layout, range(board.layout.n_tiles)
    counts, markers = Counter(board.terrain), Counter(board.markers)
    codes = set(layout.terrain_codes.values())
    bare = {t + 1 for t in tiles if board.markers[t] is None and board.terrain[t] not in layout.unnumbered}
    found: dict[str, Any] = {
        "terrain_groups": 1,
        "terrain_group": [1 for _ in tiles],
        "pieces": [[counts[name] for name in layout.all_terrains]],
        "terrain_choices": [codes for _ in tiles],
        "apart": [],
        "apart_from": [],
        "marker_groups": 1,
        "marker_group": [1 for _ in tiles],
        "supply": [[markers[number] for number in range(2, 13)]],
        "unmarked": bare,
        "marker_choices": [set(MARKERS) for _ in tiles],
        "marker_pips_min": [0 for _ in codes],
        "marker_pips_max": [MOST_PIPS for _ in codes],
    }
    return {name: value for name, value in found.items() if name in data}


def _has_solution(task: Task) -> bool:
    from catan_cp.solving.compiling import compile_model
    from catan_cp.solving.find import find_solver
    from catan_cp.solving.listing import first

    compiled = compile_model(task.model, task.data, find_solver("auto"), models=task.models, own=task.own)
    return first(compiled, lambda: None) is not None
