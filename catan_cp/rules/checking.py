"""Is a board allowed? The rules read once more, in plain Python and apart from the models.

Each rule's declaration has its checker; here they are called one after the other, after the box's pieces.
They know nothing of what a model says: the tests compare the two readings of the rules. Only a user's own
constraints, and edited models, are left to the solver, on the board as it stands.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, starmap
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import FishingGround, Layout
from catan_cp.boards.pieces import MARKERS, MOST_PIPS
from catan_cp.errors import InvalidBoard, InvalidRules, SolverTimeout, check_kind
from catan_cp.rules.constraint import PATTERN, Constraint, pattern_violations
from catan_cp.rules.model_data import joint_task, no_harbor, one_group, terrain_task, trade_code
from catan_cp.rules.requirements import misplaced_pieces
from catan_cp.rules.rule import Needs, Rule, Violation, at_vertices, on_tiles
from catan_cp.rules.rules import Rules, edits_boards, find_rules, only, set_rules
from catan_cp.solving.compiling import OWN_SECONDS, Left, Task, compile_model, with_first
from catan_cp.solving.find import find_solver


def find_violations(rules: str | Rules, board: Board, *, many: bool = False) -> list[Violation]:
    """Return every breach of *rules* by *board*, those of own constraints and edited models last.

    For *many* boards, constraints are compiled once.
    """
    rules = find_rules(rules)
    return violations_of(rules, board) + own_violations(rules, board, many=many)


def violations_of(rules: Rules, board: Board) -> list[Violation]:
    """Return every breach of *rules* by *board*, pieces first, then field after field.

    Rules about markers are left out for a board whose markers are not on it yet. A user's own constraints are
    not looked at: see `own_violations`.

    Raises:
        InvalidBoard: *board* is no `Board`.
        InvalidRules: the rules ask of the board's layout what it has not.
    """
    check_kind("what is checked is a Board, which Board.from_notation reads", board, Board, InvalidBoard)
    rules.check_layout(board.layout)
    return [broken for _, violations in _checks(rules) for broken in violations(board)]


def satisfied(known: Mapping[str, Rules], boards: Iterable[Board]) -> Iterator[tuple[str, ...]]:
    """Yield, per board, the names of those of the *known* rules that it satisfies, in their order.

    The same as `Rules.check` board by board and rules by rules, and many times as fast: what several rules
    ask alike is looked at once a board, the rest only until something is broken, and whether the models are
    edited is asked once, before the first board. Rules that its layout cannot have, a board does not satisfy.
    """
    own = {name: rules for name, rules in known.items() if rules.constraints or edits_boards(rules)}
    plain = {name: [*_checks(rules)] for name, rules in known.items() if name not in own}
    fitting: dict[Layout, list[str]] = {}
    for board in boards:
        if board.layout not in fitting:
            fitting[board.layout] = [name for name, rules in known.items() if _fits(rules, board.layout)]
        kept: dict[Hashable, bool] = {}  # what several rules ask alike is looked up

        def keeps(asks: Hashable, violations: Violations, board: Board = board, kept: Any = kept) -> bool:
            if asks not in kept:
                kept[asks] = next(iter(violations(board)), None) is None
            return bool(kept[asks])

        yield tuple(
            name
            for name in fitting[board.layout]
            if (
                not find_violations(own[name], board, many=True)
                if name in own
                else all(keeps(*each) for each in plain[name])
            )
        )


def _fits(rules: Rules, layout: Layout) -> bool:
    try:
        rules.check_layout(layout)
    except InvalidRules:
        return False
    return True


Violations = Callable[[Board], Iterable[Violation]]


def _checks(rules: Rules) -> Iterator[tuple[Hashable, Violations]]:
    """Yield what rules ask, constraints and edited models aside: pieces first, then field after field.

    With each check comes what two of them have in common that ask the same.
    """
    yield "pieces", _pieces
    yield "places", misplaced_pieces
    yield "grounds", _grounds
    for rule, value in set_rules(rules):
        needs = rule.given(rules)
        yield (rule.field, value, *needs.values()), partial(_breaches, rule, value, needs)
    if (pattern := rules.pattern) is not None:
        yield (PATTERN, pattern), lambda board: pattern_violations(pattern, board, _is_numbered(board))


def _breaches(rule: Rule, value: object, needs: Needs, board: Board) -> Iterable[Violation]:
    about_markers = "markers" in rule.about
    return rule.breaches(value, needs, board) if not about_markers or _is_numbered(board) else ()


def _is_numbered(board: Board) -> bool:
    """Whether the markers are on the board, if any tile carries one."""
    return board.has_markers or not any(starmap(board.layout.carries_marker, enumerate(board.terrain)))


def _pieces(board: Board) -> Iterator[Violation]:
    for piece, difference in board.piece_differences().items():
        what = piece if isinstance(piece, str) else f"markers {piece}"
        amount = f"{abs(difference)} {'more' if difference > 0 else 'fewer'} {what} than the box of"
        here = board.terrain if isinstance(piece, str) else board.markers
        tiles = tuple(t for t, each in enumerate(here) if each == piece)
        where = f", {on_tiles(tiles)}" if tiles else ""
        yield Violation("pieces", f"{amount} {board.layout.name!r} holds{where}", tiles)


def _grounds(board: Board) -> Iterator[Violation]:
    """Yield what is wrong with the numbers and the places of fishing grounds."""
    layout, here = board.layout, board.fishing_grounds
    if not here:  # none are laid yet
        return
    if Counter(g.marker for g in here) != Counter(g.marker for g in layout.fishing_grounds):
        numbers = ", ".join(map(str, sorted(ground.marker for ground in layout.fishing_grounds))) or "none"
        yield _at_grounds(f"the fishing grounds do not have the numbers of {layout.name!r}, {numbers}", *here)
    if missing := {*layout.ground_places} - {ground.vertices for ground in here}:
        said = f"a fishing ground of {layout.name!r} is missing"
        yield _at_grounds(said, *(FishingGround(place, 0) for place in missing))


def _at_grounds(said: str, *grounds: FishingGround) -> Violation:
    ends = tuple(sorted({v for ground in grounds for v in ground.vertices}))
    return Violation("pieces", f"{said}, {at_vertices(ends)}", (), ends)


# ---- A user's own constraints, and edited models


def own_violations(rules: Rules, board: Board, *, many: bool = False) -> list[Violation]:
    """Return each constraint that *board* breaks, and whether the edited models refuse it.

    Constraints about markers are left out for a board whose markers are not on it yet, and those about
    harbors where none are laid.

    Raises:
        SolverNotFound, SolverFailed: there is a constraint to decide, and no solver that does.
    """
    found = [*constraint_violations(rules, board, many=many)]
    if edits_boards(rules):
        task = joint_task(rules, board.layout) if _is_numbered(board) else terrain_task(rules, board.layout)
        given = _given(board)
        if _is_laid(("grounds",), board):
            given["ground"] = _laid_grounds(board)["ground"]
        if not _has_solution(replace(task, data=task.data | given, own=None)):
            found.append(Violation("models", "the edited models do not allow the board under these rules"))
    return found


def constraint_violations(
    rules: Rules, board: Board, left: Left = lambda: None, *, many: bool = False
) -> Iterator[Violation]:
    """Yield each constraint that *board* breaks, of those whose subjects are on the board.

    Each constraint is compiled alone, so that no other one can change its meaning; once for *many* boards.

    Raises:
        SolverTimeout: a constraint was not decided within `OWN_SECONDS`, or in the seconds that are *left*.
        SolverNotFound, SolverFailed: as their names say.
    """
    for constraint in rules.constraints:
        if _is_laid(rules.about(constraint), board) and not _holds(constraint, rules, board, left, many):
            yield Violation("constraints", f"the board breaks {str(constraint)!r}")


def _is_laid(subjects: tuple[str, ...], board: Board) -> bool:
    edges = {harbor.vertices for harbor in board.harbors}
    places = {*board.layout.harbor_places}
    framed = bool(edges) and (edges <= places if board.layout.movable_harbors else edges == places)
    spots = {ground.vertices for ground in board.fishing_grounds}
    caught = bool(spots) and spots <= {*board.layout.ground_places}
    marked = _is_numbered(board)
    laid = {"markers": marked, "harbors": framed, "grounds": marked and caught}
    return all(laid.get(subject, True) for subject in subjects)


def _holds(constraint: Constraint, rules: Rules, board: Board, left: Left, many: bool) -> bool:
    """Whether a constraint alone holds on a board, whatever its pieces are.

    A board with other pieces than the layout's is checked on a model that has the pieces of the board. For
    *many* boards, the model of the layout is compiled once, and first asked about each of them.
    """
    subjects = rules.about(constraint)
    if "harbors" in subjects:  # they lie where the board has them, also where printed ones are not laid
        alone = only(rules, ("harbors", constraint)).replace(harbors="shuffled")
    else:
        alone = only(rules, (constraint,))
    joint = _is_numbered(board) or "harbors" in subjects
    task = joint_task(alone, board.layout, grounds=False) if joint else terrain_task(alone, board.layout)
    data = task.data | (_harbors(board) if "harbors" in subjects else {})
    data |= _laid_grounds(board) if "grounds" in subjects else {}
    given = _given(board)
    row = [*given["terrain"], *given.get("marker", ())]

    def seconds() -> float:
        rest = left()
        return OWN_SECONDS if rest is None else min(rest, OWN_SECONDS)

    try:
        if many and _has_solution_from(replace(task, data=data), row, seconds):
            return True
        with_layout = (
            not many and next(chain(_pieces(board), misplaced_pieces(board), _grounds(board)), None) is None
        )
        pieces = {} if with_layout else _pieces_there(board, data)
        return _has_solution(replace(task, data=data | given | pieces), seconds)
    except SolverTimeout as timeout:
        left()  # raises if the time that passed was the caller's
        text = f"the constraint {str(constraint)!r} was not decided on one board within {OWN_SECONDS:g} s"
        raise SolverTimeout(f"{text}; simplify it") from timeout


def _given(board: Board) -> dict[str, Any]:
    """Return the board itself as data."""
    codes = board.layout.terrain_codes
    given: dict[str, Any] = {"terrain": [codes[name] for name in board.terrain]}
    if _is_numbered(board):
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


def _laid_grounds(board: Board) -> dict[str, Any]:
    """Return the fishing grounds of the board as data, free to lie anywhere; its places are the layout's."""
    number = {ground.vertices: ground.marker for ground in board.fishing_grounds}
    here = [number.get(place, 0) for place in board.layout.ground_places]
    return {
        "ground": here,
        "ground_numbers": [n for n in here if n],
        "ground_choices": [{n} for n in here],
    }


def _pieces_there(board: Board, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pieces that are on the board, free to lie anywhere, in place of what the layout deals."""
    layout, tiles = board.layout, range(board.layout.n_tiles)
    laid = board.markers
    if not _is_numbered(board):  # nothing looks at the markers, so all are alike
        laid = tuple(2 if layout.carries_marker(t, name) else None for t, name in enumerate(board.terrain))
    counts, markers = Counter(board.terrain), Counter(laid)
    bare = {t + 1 for t in tiles if laid[t] is None and board.terrain[t] not in layout.unnumbered}
    found: dict[str, Any] = {
        **one_group(layout, counts),
        "apart": [],
        "apart_from": [],
        "marker_groups": 1,
        "marker_group": [1 for _ in tiles],
        "supply": [[markers[number] for number in range(2, 13)]],
        "unmarked": bare,
        "marker_choices": [set(MARKERS) for _ in tiles],
        "marker_pips_min": [0 for _ in layout.all_terrains],
        "marker_pips_max": [MOST_PIPS for _ in layout.all_terrains],
    }
    return {name: value for name, value in found.items() if name in data}


def _has_solution(task: Task, left: Left = lambda: None) -> bool:
    """Whether a task has a solution."""
    from catan_cp.solving.binding import first_answer  # which loads the package

    return first_answer(replace(task, fits=None), find_solver("auto"), left) is not None


def _has_solution_from(task: Task, row: Sequence[int], left: Left) -> bool:
    """Whether a task has a solution that begins with *row*; its model is compiled once for many rows."""
    from catan_cp.solving.listing import first

    compiled = with_first(compile_model(replace(task, fits=None), find_solver("auto"), left()), row)
    return compiled is not None and first(compiled, left) is not None
