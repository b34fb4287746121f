"""The models with their data, handed out: as a `minizinc.Instance`, or as files that MiniZinc runs.

>>> instance = terrain_instance("blog")
>>> instance.add_string("constraint terrain[1] = DESERT;")
>>> sum(1 for _ in instance.solve(all_solutions=True).solution)
8
>>> instance = board_instance("optimal")
>>> instance["vertex_sum_below"] = 24
>>> board = Board.from_solution(instance.solve(free_search=True), "base")
>>> Rules(vertex_sum_below=24).check(board)
[]
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from catan_cp.arguments import check_choice
from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument
from catan_cp.rules.model_data import joint_task, marker_task, terrain_task
from catan_cp.rules.rules import Rules
from catan_cp.search.dimacs import dimacs
from catan_cp.search.tasks import read_asked
from catan_cp.solving import find
from catan_cp.solving.compiling import Task, compile_model, encoded
from catan_cp.solving.models import models_dir

if TYPE_CHECKING:
    from minizinc import Instance  # type: ignore[import-untyped]

FORMATS = ("dzn", "json", "mzn", "dimacs")
"""What `export_model` writes: MiniZinc data, JSON data, one self-contained model, or a formula of clauses."""

_INCLUDE = re.compile(r'(?m)^include "([^"]+)";[ ]*\n')
_ABORTS = """\
% If MiniZinc 2.9.2 aborts in type_specialise.cpp, which is a mistake of its own that a few such files meet,
% add a line that changes nothing:   int: unused = 1;

"""


def terrain_instance(
    rules: str | Rules = "optimal", layout: str | Layout = "base", solver: str = "auto"
) -> Instance:
    """Return the model of terrain with its data, ready to solve, and open to ``add_string``.

    A solution's ``terrain`` has the code of each tile, as `Layout.terrain_codes` names them.

    Raises:
        InvalidRules, InvalidBoard: rules or a layout that cannot be.
        SolverNotFound: as its name says.
    """
    rules, layout = read_asked(rules, layout)
    return _instance(terrain_task(rules, layout), solver)


def board_instance(
    rules: str | Rules = "optimal", layout: str | Layout = "base", solver: str = "auto"
) -> Instance:
    """Return the model of complete boards with its data, ready to solve, and open to ``add_string``.

    `catan_cp.Board.from_solution` makes a board of each solution. Parameters have the models' names: those of
    ``joint.mzn`` and what it includes. Arguments and errors are those of `terrain_instance`.
    """
    rules, layout = read_asked(rules, layout)
    return _instance(joint_task(rules, layout), solver)


def marker_instance(
    terrain: Board | Sequence[str] | str,
    rules: str | Rules = "optimal",
    layout: str | Layout | None = None,
    solver: str = "auto",
) -> Instance:
    """Return the model of markers on *terrain* with its data, ready to solve, and open to ``add_string``.

    A solution's ``marker`` has the marker of each tile, 0 for none. Arguments and errors are those of
    `catan_cp.enumerate_markers`.
    """
    layout, names = read_terrain(terrain, layout)
    rules, layout = read_asked(rules, layout)
    return _instance(marker_task(rules, layout, names), solver)


def export_model(
    what: str,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    terrain: Board | Sequence[str] | str | None = None,
    how: str = "mzn",
) -> str:
    """Return a model's data, or model and data as one file that needs nothing else.

    Args:
        what: ``terrain``, ``markers`` (on a *terrain*) or ``joint``: complete boards.
        rules: rules or a preset's name.
        layout: a layout or its name.
        terrain: for ``markers``: a board, a sequence of names, or a notation.
        how: one of `FORMATS`. Data go with the model of `copy_models`: ``solve_terrain.mzn``,
            ``solve_markers.mzn`` or ``joint.mzn``; constraints of your own: ``mzn`` and ``dimacs`` only.

    Raises:
        InvalidArgument: no such model or format; markers without a terrain; data of rules with constraints; a
            formula of what has no encoding as clauses.
        InvalidRules, InvalidBoard: rules, a layout or a terrain that cannot be.
        SolverNotFound: there is no MiniZinc to compile a formula's model.
    """
    check_choice("what", what, ("terrain", "markers", "joint"), InvalidArgument)
    check_choice("how", how, FORMATS, InvalidArgument)
    rules, layout = read_asked(rules, layout)
    if what == "markers":
        if terrain is None:
            raise InvalidArgument("markers stand on a terrain: give it")
        layout, names = read_terrain(terrain, None if isinstance(terrain, Board) else layout)
        task = marker_task(rules, layout, names)
    else:
        task = terrain_task(rules, layout) if what == "terrain" else joint_task(rules, layout)
    if how == "mzn":
        return _self_contained(task)
    if how == "dimacs":
        return _formula(task)
    if task.own is not None:
        raise InvalidArgument(f"{how} is data alone, and these rules have constraints; export them as mzn")
    if how == "json":
        return json.dumps(task.data, default=encoded, indent=1) + "\n"
    return _dzn(task.data)


def _instance(task: Task, solver: str) -> Instance:
    found = find.find_solver(solver)
    from catan_cp.solving.binding import open_instance  # which imports the package, with that MiniZinc

    text = task.own.text if task.own is not None else ""
    return open_instance(found, models_dir(task.models) / f"{task.model}.mzn", task.data, text)


def _formula(task: Task) -> str:
    """Return model, data and a user's constraints as clauses, compiled with MiniZinc's own library."""
    found = find.find_solver("auto")
    backend = replace(found.backend, plugin=lambda: ("-G", "std"))
    plain = replace(found, name="no solver: MiniZinc's own library", backend=backend)
    return dimacs(compile_model(task, plain))


def _self_contained(task: Task) -> str:
    """Return the model with all that it includes of ours, its data, and constraints of a user's own."""
    taken: set[str] = set()
    lines = _lines(f"{task.model}.mzn", task, taken)
    own = task.own.text if task.own is not None else ""
    if 'include "measures.mzn";' in own:
        lines += _lines("measures.mzn", task, taken)
        own = own.replace('include "measures.mzn";\n', "")
    parts = [_ABORTS + "\n".join(lines), "% ==== The data", "", _dzn(task.data)]
    return "\n".join([*parts, "% ==== Constraints of your own", "", own] if own else parts)


def _lines(name: str, task: Task, taken: set[str]) -> list[str]:
    """Return the lines of one of our models; those that it includes come first, each once."""
    if name in taken:
        return []
    taken.add(name)
    folder = models_dir(task.models)
    text = (folder / name).read_text(encoding="utf-8")
    lines: list[str] = []
    for included in _INCLUDE.findall(text):
        if (folder / included).is_file():
            lines += _lines(included, task, taken)
    theirs = _INCLUDE.sub(lambda match: "" if (folder / match[1]).is_file() else match[0], text)
    return [*lines, f"% ==== {name}", "", theirs.strip(), ""]


def _dzn(data: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_indexed(name, value)};\n" for name, value in data.items())


def _indexed(name: str, value: Any) -> str:
    """Return a parameter's value; where its indices are markers, 2 to 12, that must be said."""
    if name == "second":
        return f"array1d(2..12, {_value(value)})"
    if name != "supply":
        return _value(value)
    cells = ", ".join(str(number) for row in value for number in row)
    return f"array2d(1..{len(value)}, 2..12, [{cells}])"


def _value(value: Any) -> str:
    """Return a value as MiniZinc writes it; rows of one length are an array of two dimensions."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (set, frozenset, range)):
        return "{" + ", ".join(map(str, sorted(value))) + "}"
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(row, (list, tuple)) for row in value):
            return "[| " + " | ".join(", ".join(map(_value, row)) for row in value) + " |]"
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value)
