"""Models with their data, as a `minizinc.Instance` or as text for files.

>>> instance = terrain_instance("blog")
>>> instance.add_string("constraint terrain[1] = DESERT;")
>>> sum(1 for _ in instance.solve(all_solutions=True).solution)
8
>>> instance = board_instance("optimal")
>>> instance["vertex_sum_below"] = 24
>>> board = Board.from_solution(instance.solve(free_search=True))
>>> Rules(vertex_sum_below=24).check(board)
[]
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from catan_cp.anymodel.clauses import dimacs
from catan_cp.anymodel.counters import running_counters
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.errors import InvalidArgument, SolverFailed, check_choice
from catan_cp.minizinc_text import items
from catan_cp.model_files import MEASURES, declared_names, model_text, models_dir
from catan_cp.problem.problem import Problem
from catan_cp.rules.rules import Rules, read_asked
from catan_cp.search.model_data import joint_task, marker_task, terrain_task
from catan_cp.solving import find
from catan_cp.solving.compiling import Compiled, Task, compile_model, encoded

if TYPE_CHECKING:
    from minizinc import Instance  # type: ignore[import-untyped]

FORMATS = ("dzn", "json", "mzn", "dimacs")
"""The formats of `export_model`: data (dzn, json), a whole model, a formula of clauses."""

_FORMULA_SECONDS = 300.0
"""The maximum seconds to compile and encode a formula."""
_ABORTS = """\
% MiniZinc 2.9.2 has a fault by which it aborts in type_specialise.cpp on a few such files. If that happens,
% add a line that changes nothing:   int: unused = 1;

"""


def terrain_instance(
    rules: str | Rules = "optimal", layout: str | Layout = "base", solver: str = "auto"
) -> Instance:
    """Return the model of terrain arrangements with its data, ready to solve.

    The ``terrain`` of a solution has the code of each tile (see `Layout.terrain_codes`). The instance has the
    attribute ``layout``. It accepts further constraints, and rejects undeclared parameters.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        solver: the solver of the instance: ``auto`` (Chuffed if installed, otherwise Gecode), or a name.

    Raises:
        InvalidRules, InvalidBoard: invalid rules or layout.
        SolverNotFound: the solver is not installed.

    Example:
        >>> instance = terrain_instance("optimal")
        >>> len(instance.solve().solution.terrain)
        19
    """
    problem = Problem.of(rules, layout)
    return _instance(terrain_task(problem), problem.layout, solver)


def board_instance(
    rules: str | Rules = "optimal", layout: str | Layout = "base", solver: str = "auto"
) -> Instance:
    """Return the model of complete boards with its data, ready to solve.

    `catan_cp.Board.from_solution` converts a solution to a board. Parameters have the names in ``joint.mzn``
    and the files that it includes. Errors are those of `terrain_instance`.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        solver: the solver of the instance: ``auto`` (Chuffed if installed, otherwise Gecode), or a name.

    Example:
        >>> import catan_cp
        >>> instance = board_instance("tournament")
        >>> board = catan_cp.Board.from_solution(instance.solve(), instance.layout)
        >>> catan_cp.Rules.preset("tournament").check(board)
        []
    """
    problem = Problem.of(rules, layout)
    return _instance(joint_task(problem), problem.layout, solver)


def marker_instance(
    terrain: Board | Sequence[str] | str,
    rules: str | Rules = "optimal",
    layout: str | Layout | None = None,
    solver: str = "auto",
) -> Instance:
    """Return the model of markers on *terrain* with its data, ready to solve.

    The ``marker`` of a solution has the marker of each tile, 0 for none. Errors are those of
    `terrain_instance`.

    Args:
        terrain: a board, a sequence of terrain names, or a notation. It must fit the rules' pattern.
        rules: rules or the name of a preset.
        layout: a layout or its name, by default that of *terrain*.
        solver: the solver of the instance: ``auto`` (Chuffed if installed, otherwise Gecode), or a name.

    Example:
        >>> instance = marker_instance("dlw/bgol/owbwg/lgob/wlg", "blog")
        >>> instance.solve().solution.marker[0]
        0
    """
    layout, names = read_terrain(terrain, layout)
    rules, layout = read_asked(rules, layout, names)
    return _instance(marker_task(Problem.of(rules, layout), names), layout, solver)


def export_model(
    what: str,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    terrain: Board | Sequence[str] | str | None = None,
    how: str = "mzn",
) -> str:
    """Return a model's data, or model and data as one self-contained text.

    Args:
        what: ``terrain``, ``markers`` (on a *terrain*) or ``joint``: complete boards.
        rules: rules or the name of a preset.
        layout: a layout or its name.
        terrain: for ``markers``: a board, a sequence of terrain names, or a notation.
        how: one of `FORMATS`. Data go with the model of `copy_models`: ``solve_terrain.mzn``,
            ``solve_markers.mzn`` or ``joint.mzn``. Custom constraints need ``mzn`` or ``dimacs``.

    Raises:
        InvalidArgument: an unknown model or format, markers without terrain, data of rules with constraints,
            or a constraint without an encoding as clauses.
        InvalidRules, InvalidBoard: invalid rules, layout or terrain.
        SolverTimeout: a formula was not written within five minutes.
        SolverNotFound: MiniZinc, which compiles the model of a formula, is not installed.
    """
    check_choice("what", what, ("terrain", "markers", "joint"))
    check_choice("how", how, FORMATS)
    if what == "markers":
        if terrain is None:
            raise InvalidArgument("terrain must be a board, names or a notation for markers, not None")
        layout, names = read_terrain(terrain, None if isinstance(terrain, Board) else layout)
        rules, layout = read_asked(rules, layout, names)
        task = marker_task(Problem.of(rules, layout), names)
    else:
        problem = Problem.of(rules, layout)
        task = terrain_task(problem) if what == "terrain" else joint_task(problem)
    if how == "mzn":
        return _self_contained(task)
    if how == "dimacs":
        clock = Clock(_FORMULA_SECONDS)
        return dimacs(compile_plain(task, clock.left()), clock.left)
    if task.own is not None:
        raise InvalidArgument(f"how must be mzn or dimacs for rules with constraints, not {how}")
    if how == "json":
        return json.dumps(task.data, default=encoded, indent=1) + "\n"
    return _dzn(task.data)


def _instance(task: Task, layout: Layout, solver: str) -> Instance:
    program = find.find_solver(solver)
    from catan_cp.search.model_instance import ModelInstance  # which imports minizinc

    return ModelInstance(task, program, layout, declared_names(task.models))


def compile_plain(task: Task, timeout: float | None = None) -> Compiled:
    """Return a task compiled with MiniZinc's own library, which `dimacs` encodes."""
    program = find.find_solver("auto")
    backend = replace(program.backend, plugin=lambda: ("-G", "std"))
    plain = replace(program, name="no solver: MiniZinc's own library", backend=backend)
    return compile_model(task, plain, timeout)


def _self_contained(task: Task) -> str:
    """Return the model with its included models, its data, and custom constraints."""
    included: set[str] = set()
    lines = _lines(f"{task.model}.mzn", task, included)
    custom = task.own.text if task.own is not None else ""
    for name in (f"{model}.mzn" for model in MEASURES):
        if f'include "{name}";' in custom:
            lines += _lines(name, task, included)
            custom = custom.replace(f'include "{name}";\n', "")
    parts = [_ABORTS + "\n".join(lines), "% ==== The data", "", _dzn(task.data)]
    return "\n".join([*parts, "% ==== Custom constraints", "", custom] if custom else parts)


def _lines(name: str, task: Task, included: set[str]) -> list[str]:
    """Return the lines of a model, after those of the models that it includes.

    A model in *included* is left out. The others are added to *included*.
    """
    if name in included:
        return []
    included.add(name)
    folder = models_dir(task.models)
    text = model_text(folder / name)
    lines: list[str] = []
    remaining, end = "", 0
    for item in items(text):
        if item.included is not None and (folder / item.included).is_file():
            lines += _lines(item.included, task, included)
            remaining += text[end : item.code[0].start].rstrip(" ")
            end = item.tokens[-1].end
            end += text[end : end + 1] == "\n"
    return [*lines, f"% ==== {name}", "", (remaining + text[end:]).strip(), ""]


def _dzn(data: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_indexed(name, value)};\n" for name, value in data.items())


def _indexed(name: str, value: Any) -> str:
    """Return the MiniZinc text of a parameter, with index sets of markers."""
    if name == "second":
        return f"array1d(2..12, {_minizinc_value(value)})"
    if name != "supply":
        return _minizinc_value(value)
    cells = ", ".join(str(number) for row in value for number in row)
    return f"array2d(1..{len(value)}, 2..12, [{cells}])"


def _minizinc_value(value: Any) -> str:
    """Return the MiniZinc text of a value. A list of lists is a 2D array."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (set, frozenset, range)):
        return "{" + ", ".join(map(str, sorted(value))) + "}"
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(row, (list, tuple)) for row in value):
            return "[| " + " | ".join(", ".join(map(_minizinc_value, row)) for row in value) + " |]"
        return "[" + ", ".join(map(_minizinc_value, value)) + "]"
    return str(value)


@contextmanager
def counting_task(task: Task, clock: Clock) -> Iterator[dict[Future[int], str]]:
    """Yield the running jobs that count the solutions of a task, none if there is no counter.

    Raises:
        SolverTimeout: the time limit passed during the compilation.
    """
    with ExitStack() as stack:
        jobs: dict[Future[int], str] = {}
        with suppress(InvalidArgument, SolverFailed):  # it cannot be compiled, so there is no job
            compiled = compile_plain(task, clock.left())
            words = [word for word in compiled.printed.elements if not word.lstrip("-").isdigit()]
            if words:
                jobs = stack.enter_context(running_counters(compiled.flatzinc.text, words))
        yield jobs
