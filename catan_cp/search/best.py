"""Best boards by a measure with proof, repairs of boards, and puzzles.

>>> best = best_board("optimal", minimize="largest_vertex_sum")
>>> best.value, best.proven
(21, True)
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.notation import pattern_line
from catan_cp.boards.parts import GROUNDS, HARBORS, NUMBERS, TERRAIN, Part
from catan_cp.clock import Clock
from catan_cp.errors import (
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    SolverFailed,
    SolverTimeout,
    listed,
    show,
)
from catan_cp.minizinc_text import items
from catan_cp.model_files import MEASURES, declared_names, model_text, models_dir
from catan_cp.problem.problem import Problem
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.constraint import Constraint, join_constraints, terrain_words
from catan_cp.rules.rules import Rules, find_rules, read_asked
from catan_cp.search.conflicts import board_conflict, reject_crowded
from catan_cp.search.model_data import joint_task, spread
from catan_cp.search.questions import check_board, confirm_board, first_row
from catan_cp.solving import find
from catan_cp.solving.compiling import Task
from catan_cp.solving.find import FoundSolver
from catan_cp.terminal import Brief


@dataclass(frozen=True, repr=False)
class BestBoard(Brief):
    """The best board found, and its value.

    Attributes:
        board: the board.
        value: the value of the measure, or a tuple with the value of each measure.
        bound: the best value that may exist: equal to *value* if proven, None if unknown. A tuple for several
            measures.
        proven: whether it is proven that no board is better.

    Example:
        >>> best = repair_board("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11", "tournament")
        >>> best.board.layout.name, best.value, best.bound
        ('base', 0, 0)
    """

    board: Board
    value: int | tuple[int, ...]
    bound: int | tuple[int | None, ...] | None
    proven: bool

    def _repr_html_(self) -> str:
        return self.board._repr_svg_() + super()._repr_html_()


Measures = str | Sequence[str]
"""Measures in falling priority: each a name of `measures`, or a MiniZinc expression."""

_VALUE = {"value": "measures"}
"""The objective variable, and the model that declares it."""
_Goal = tuple[int, str, Constraint]
"""A sign (-1 maximises), a measure's text, and the constraint of the objective."""


def measures(models: str | None = None) -> Mapping[str, str]:
    """Return the named measures of the models with their descriptions."""
    named = {}
    for name in MEASURES:
        for item in items(model_text(models_dir(models) / f"{name}.mzn")):
            line = item.before.removesuffix("\n").rpartition("\n")[2]
            if line.startswith("% ") and str(item).startswith(f"function var int: {item.declared}() ="):
                named[str(item.declared)] = line.removeprefix("% ")
    return named


def best_board(
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    minimize: Measures | None = None,
    maximize: Measures | None = None,
    solver: str = "auto",
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> BestBoard:
    """Return the best allowed board by a measure, with proof.

    Several measures are compared lexicographically: the first one decides, the next one decides among boards
    with equal values, and so on. Measures to minimise come before measures to maximise. At the time limit or
    at Ctrl-C, the best board so far is returned with ``proven`` false.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        minimize: one or several measures: names of `measures`, or MiniZinc expressions of an integer.
        maximize: likewise.
        solver: a solver that optimises. ``auto`` is Chuffed if installed, otherwise Gecode. If CP-SAT is
            installed too, both run at once on two cores, and the first proof counts. Of several best boards,
            the result is then that of either solver.
        timeout: seconds until the best so far is returned.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress` for each better board, which is its ``best``.

    Raises:
        InvalidArgument: there is no measure, a measure is not an integer, or the solver cannot optimise.
        InvalidRules, InvalidBoard: an invalid rule, layout or expression.
        Infeasible: no board satisfies the rules.
        SolverTimeout: the time limit passed before there was any board.
        SolverNotFound, SolverFailed: the solver is not installed, or failed.

    Example:
        >>> best = best_board("blog", minimize="largest_vertex_sum")
        >>> best.value, best.proven
        (21, True)
    """
    rules, layout = read_asked(rules, layout)
    goals = [
        *_goals("minimize", minimize, 1, rules, layout),
        *_goals("maximize", maximize, -1, rules, layout),
    ]
    if not goals:
        raise InvalidArgument(
            "minimize or maximize must name a measure, such as minimize='largest_vertex_sum'"
        )
    several = len(goals) > 1 or not all(isinstance(goal, (str, type(None))) for goal in (minimize, maximize))
    handed = (lambda best: best) if several else _single
    return _best(rules, layout, goals, solver, timeout, progress, handed, races=solver == "auto")


def repair_board(
    board: Board | str,
    rules: str | Rules,
    *,
    solver: str = "auto",
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> BestBoard:
    """Return the allowed board that differs on the fewest tiles, with proof.

    A tile differs by its terrain or its marker. If *board* has no markers yet, only terrain matters. Of the
    boards that differ on the fewest tiles, the result is one with the fewest changes of harbors, and then of
    fishing grounds. If the rules shuffle harbors, a harbor changes by its trade. Under ``harbors="none"``,
    harbors stay, but those that are no longer between land and sea are removed.

    Args:
        board: a complete board, a terrain arrangement as a board, or a notation.
        rules: rules or the name of a preset.
        solver: a solver that optimises, as for `best_board`.
        timeout: seconds until the best board so far is returned.
        progress: as for `best_board`.

    Returns:
        The board. Its value is the number of tiles that differ.

    Raises:
        As `best_board` does.

    Example:
        >>> best = repair_board("o8w2l9/g12b6w4b10/g9l11dl3o10/l8o3g4w5/b5g6w11", "tournament")
        >>> best.value, best.proven
        (2, True)
    """
    original = Board.from_notation(board) if isinstance(board, str) else board
    if not isinstance(original, Board):
        raise InvalidBoard(f"board must be a Board or a notation, not {show(board)}")
    rules, _ = read_asked(rules, original.layout)
    retained = original.harbors if rules.harbors == "none" else ()
    counted = [f"sum(t in TILE)(bool2int({_differs(original)}))"]
    changes = _changes(original, HARBORS) if rules.harbors == "shuffled" else _off_coast(original, retained)
    counted += _number(changes)
    counted += _number(_changes(original, GROUNDS))

    def with_harbors(best: BestBoard) -> BestBoard:
        board = best.board
        if retained:
            before, after = (partial(board.layout.is_on_coast, terrain=b.terrain) for b in (original, board))
            harbors = [h for h in retained if after(h.vertices) or not before(h.vertices)]
            board = Board(board.layout, board.terrain, board.markers, harbors, board.fishing_grounds)
        return replace(_single(best), board=board)

    goals = list(_goals("minimize", counted, 1, rules, original.layout))
    return _best(rules, original.layout, goals, solver, timeout, progress, with_harbors)


def _single(best: BestBoard) -> BestBoard:
    """Return the result with the value and bound of the first measure."""
    assert isinstance(best.value, tuple) and isinstance(best.bound, tuple)
    return replace(best, value=best.value[0], bound=best.bound[0])


def _differs(board: Board) -> str:
    """Return MiniZinc text for the condition that tile t differs from that of *board*."""
    parts = (TERRAIN, NUMBERS) if board.has_markers else (TERRAIN,)
    tiles = range(board.layout.n_tiles)
    return " \\/ ".join(f"{part.variable}[t] != {part.codes_of(board, tiles)}[t]" for part in parts)


def _changes(board: Board, part: Part) -> list[str]:
    """Return MiniZinc text for the condition that a place loses its piece of *board*, for each piece."""
    codes, none = part.codes_of(board, part.places(board.layout)), part.codes(board.layout)[None]
    return [f"{part.variable}[{i}] != {code}" for i, code in enumerate(codes, start=1) if code != none]


def _off_coast(board: Board, harbors: Sequence[Harbor]) -> list[str]:
    """Return MiniZinc text for the condition that a harbor on a coast of *board* leaves it, for each one."""
    edges = (h.vertices for h in harbors if board.layout.is_on_coast(h.vertices, board.terrain))
    land = ((f"bool2int(terrain[{t + 1}] != SEA)" for t in board.layout.edge_tiles[edge]) for edge in edges)
    return [f"{' + '.join(terms)} != 1" for terms in land]


def _number(conditions: Sequence[str]) -> list[str]:
    """Return MiniZinc text for the number of conditions that hold, nothing if there are none."""
    return [" + ".join(f"bool2int({condition})" for condition in conditions)] if conditions else []


def _goals(
    argument: str, requested: Measures | None, sign: int, rules: Rules, layout: Layout
) -> Iterator[_Goal]:
    """Yield the goals of the argument ``minimize`` or ``maximize``.

    Raises:
        InvalidArgument: a measure is unknown, or not a text.
        InvalidRules: the expression of a measure is invalid.
    """
    declared, named = declared_names(rules.models), measures(rules.models)
    expressions = requested if isinstance(requested, (list, tuple)) else [requested]
    for expression in () if requested is None else expressions:
        if not isinstance(expression, str) or not (name := expression.strip()):
            raise InvalidArgument(
                f"{argument} must be a measure's name or MiniZinc text, not {show(expression)}"
            )
        if name not in named and name not in declared and re.fullmatch(r"[A-Za-z]\w*", name):
            hint = errors.did_you_mean(name, named)
            raise InvalidArgument(f"unknown measure {name!r}; {hint}measures are {listed(named)}")
        text = f"{name}()" if name in named else f"({name})"
        value = Constraint(f"value = {sign} * {text}", says=f"the measure {name}")
        value.check_names({**declared, **_VALUE}, terrain_words(layout.terrain_codes))
        yield sign, text, value


def _best(
    rules: Rules,
    layout: Layout,
    goals: Sequence[_Goal],
    solver: str,
    timeout: float | None,
    progress: bool | Watch,
    handed: Callable[[BestBoard], BestBoard],
    races: bool = False,
) -> BestBoard:
    """Optimise the measures one by one, with the values of earlier measures fixed.

    *handed* converts a result, whose value and bound are tuples, to the result for the caller. *races* allows
    a second solver at the same time.
    """
    clock, provers = Clock(timeout, rules), _provers(solver, races)
    problem = Problem.of(rules, layout)
    reject_crowded(problem)
    from catan_cp.solving import binding  # Importing this takes time, so invalid arguments raise before.

    solvers = " or ".join(prover.name for prover in provers)
    known, data = {**declared_names(rules.models), **_VALUE}, joint_task(problem).data
    best: BestBoard | None = None
    proven: tuple[int, ...] = ()
    reached: tuple[int, ...] = ()
    retained: list[Constraint] = []
    number = 0
    with watching(progress, "no board yet") as watch:
        for sign, text, value in goals:
            is_complete = False
            own = join_constraints((*rules.constraints, *retained, value), known, layout.terrain_codes)
            try:
                task = Task("best", data, models=rules.models, own=own)
                with closing(binding.answers(task, provers, clock.left, free=True)) as rows:
                    for row in _improvements(rows, solvers):
                        if row is None:
                            is_complete = True
                            break
                        board = check_board(Board.from_solution(row[1:], layout), problem, solvers)
                        board = confirm_board(board, problem, solvers, clock)
                        reached = (*proven, sign * row[0])
                        best = BestBoard(board, reached, (*proven, None), False)
                        number += 1
                        if watch is not None:
                            watch(_improved(number, handed(best)))
            except (SolverTimeout, KeyboardInterrupt):
                if best is None:
                    with clock.named():
                        raise
            if is_complete and len(reached) == len(proven):
                raise board_conflict(rules, layout, provers[0].name, clock)
            assert best is not None
            if not is_complete:
                return handed(replace(best, proven=False))
            proven = reached
            best = replace(best, bound=proven, proven=True)
            retained.append(Constraint(f"{text} = {proven[-1]}"))
    assert best is not None
    return handed(best)


def _provers(solver: str, races: bool) -> list[FoundSolver]:
    """Return the solver, and a second one that runs at the same time if *races* allows one."""
    chosen = find.find_solver(solver)
    if not chosen.backend.optimises:
        raise InvalidArgument(f"the solver {chosen.name} cannot optimise; name another, such as chuffed")
    second = find.second_prover(chosen) if races else None
    return [chosen] if second is None else [chosen, second]


def _improvements(rows: Iterable[list[int] | None], solvers: str) -> Iterator[list[int] | None]:
    """Yield the solutions that are better than all before, then None if the last one is proved optimal.

    The first number of a solution is its value. A solver that begins again repeats values.

    Raises:
        SolverFailed: the solver ends with another value than the best one.
    """
    least = last = None
    for row in rows:
        if row is None:
            if last != least:
                raise SolverFailed(
                    f"{solvers} reported that {last} is optimal, after a board with {least}; try another "
                    "solver, and please report this"
                )
            yield None
            return
        last = row[0]
        if least is None or last < least:
            least = last
            yield row


def _improved(number: int, best: BestBoard) -> Progress:
    values = [best.value] if isinstance(best.value, int) else best.value
    return Progress(number, text=f"found: {', '.join(map(str, values))}", best=best)


# Puzzles: patterns with a single solution, for which every clue is needed


Clue = tuple[int, str]
"""A tile, and ``"terrain"`` or ``"markers"``."""


def make_puzzle(
    board: Board | str,
    rules: str | Rules,
    *,
    seed: int | None = None,
    solver: str = "auto",
    timeout: float | None = None,
) -> str:
    """Return a minimal pattern that only *board* completes under *rules*.

    Clues are removed one by one, in an order that *seed* selects. A clue stays if another board completes the
    pattern without it. Such boards are stored, so a clue that alone excludes a stored board needs no search.

    Args:
        board: a complete board that the rules allow, on a layout without fishing grounds.
        rules: rules or a preset's name, without a pattern and without shuffled harbors.
        seed: a whole number; None removes clues in reading order.
        solver: ``auto``, or a solver's name.
        timeout: seconds until `SolverTimeout`.

    Raises:
        InvalidBoard: a board without markers, or one that the rules do not allow.
        InvalidRules: rules that shuffle harbors or have a pattern, or a layout with fishing grounds.
        SolverNotFound: the solver is not installed.
        SolverTimeout, SolverFailed: the time limit passed, or the solver failed.

    Example:
        >>> import catan_cp
        >>> three = catan_cp.Layout("three", (1, 2), {"ore": 3}, {2: 1, 3: 1, 4: 1})
        >>> make_puzzle(catan_cp.generate_board("open", three, seed=1), "open")
        'x/x4x3@three'
    """
    original, read_rules = _checked_puzzle(board, rules)
    clock = Clock(timeout, read_rules)
    clues: list[Clue] = [(t, "terrain") for t in range(original.layout.n_tiles)]
    clues += [(t, "markers") for t, marker in enumerate(original.markers) if marker is not None]
    if seed is not None:
        errors.random_source(seed).shuffle(clues)
    alternatives: list[Board] = []
    for clue in tuple(clues):
        rest = [alternative for alternative in clues if alternative != clue]
        if any(
            all(getattr(o, part)[t] == getattr(original, part)[t] for t, part in rest) for o in alternatives
        ):
            continue
        with clock.named():
            alternative = _other_board(original, read_rules, rest, solver, clock)
        if alternative is None:
            clues = rest
        else:
            alternatives.append(alternative)
    return _pattern(original, clues)


def _checked_puzzle(board: Board | str, rules: str | Rules) -> tuple[Board, Rules]:
    """Return the board and the rules of a puzzle, or raise the errors of `make_puzzle`."""
    original = Board.from_notation(board) if isinstance(board, str) else board
    if not isinstance(original, Board) or not original.has_markers:
        raise InvalidBoard(f"board must be a complete board with markers, not {show(board)}")
    read_rules = find_rules(rules)
    if broken := read_rules.check(original):
        raise InvalidBoard(f"the rules do not allow {show(original.notation())}: {broken[0]}")
    if read_rules.pattern is not None:
        raise InvalidRules(
            f"a puzzle is a pattern, and the rules have one, {show(read_rules.pattern)}; say in constraints "
            "what is to hold"
        )
    if read_rules.harbors == "shuffled":
        raise InvalidRules("a pattern gives no harbors, so under harbors='shuffled' no board is the only one")
    if len({ground.marker for ground in original.layout.fishing_grounds}) > 1:
        raise InvalidRules(
            "a pattern does not give the numbers of fishing grounds, so no board of "
            f"{show(original.layout.name)} is the only one; choose another layout"
        )
    return original, read_rules


def _other_board(
    board: Board, rules: Rules, clues: Sequence[Clue], solver: str, clock: Clock
) -> Board | None:
    """Return another board that agrees with the clues, or None if there is none."""
    differs = Constraint(f"exists(t in TILE)({_differs(board)})", "another board")
    clue_rules = rules.replace(pattern=_pattern(board, clues), constraints=(*rules.constraints, differs))
    task = joint_task(Problem.of(clue_rules, board.layout), spread(solver))
    row = first_row(task, solver, clock, 0, free=True)
    if row is None:
        return None
    problem = Problem.of(rules, board.layout)
    changed = check_board(Board.from_solution(row, board.layout), problem, solver)
    return confirm_board(changed, problem, solver, clock)


def _pattern(board: Board, clues: Sequence[Clue]) -> str:
    """Return the pattern with some clues."""
    terrain, markers = ({tile for tile, kind in clues if kind == part} for part in ("terrain", "markers"))
    return pattern_line(board, terrain, markers)
