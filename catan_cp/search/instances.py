"""The models with their data, handed out: as a `minizinc.Instance`, or as files that MiniZinc runs.

>>> instance = terrain_instance("blog")
>>> instance.add_string("constraint terrain[1] = DESERT;")
>>> sum(1 for _ in instance.solve(all_solutions=True).solution)
8
>>> instance = board_instance("optimal")
>>> instance["vertex_sum_below"] = 24
>>> board = Board.from_solution(instance.solve(free_search=True), instance.layout)
>>> Rules(vertex_sum_below=24).check(board)
[]
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, check_choice
from catan_cp.model_files import MEASURES, declared_names, model_text, models_dir
from catan_cp.rules.rules import Rules, read_asked
from catan_cp.search.model_data import joint_task, marker_task, terrain_task
from catan_cp.solving import find
from catan_cp.solving.compiling import Compiled, Task, compile_model, encoded

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

    A solution's ``terrain`` has the code of each tile, as `Layout.terrain_codes` names them. The
    instance keeps its ``layout``, and rejects parameters that nothing declares.

    Raises:
        InvalidRules, InvalidBoard: rules or a layout that cannot be.
        SolverNotFound: as its name says.
    """
    rules, layout = read_asked(rules, layout)
    return _instance(terrain_task(rules, layout), layout, solver)


def board_instance(
    rules: str | Rules = "optimal", layout: str | Layout = "base", solver: str = "auto"
) -> Instance:
    """Return the model of complete boards with its data, ready to solve, and open to ``add_string``.

    `catan_cp.Board.from_solution` makes a board of each solution. Parameters have the models' names: those of
    ``joint.mzn`` and what it includes. Arguments and errors are those of `terrain_instance`.
    """
    rules, layout = read_asked(rules, layout)
    return _instance(joint_task(rules, layout), layout, solver)


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
    rules, layout = read_asked(rules, layout, names)
    return _instance(marker_task(rules, layout, names), layout, solver)


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
    check_choice("what", what, ("terrain", "markers", "joint"))
    check_choice("how", how, FORMATS)
    if what == "markers":
        if terrain is None:
            raise InvalidArgument("markers stand on a terrain: give it")
        layout, names = read_terrain(terrain, None if isinstance(terrain, Board) else layout)
        rules, layout = read_asked(rules, layout, names)
        task = marker_task(rules, layout, names)
    else:
        rules, layout = read_asked(rules, layout)
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


def _instance(task: Task, layout: Layout, solver: str) -> Instance:
    found = find.find_solver(solver)
    from catan_cp.solving.binding import open_instance  # which loads the package

    return open_instance(task, found, layout, declared_names(task.models))


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
    for name in (f"{model}.mzn" for model in MEASURES):
        if f'include "{name}";' in own:
            lines += _lines(name, task, taken)
            own = own.replace(f'include "{name}";\n', "")
    parts = [_ABORTS + "\n".join(lines), "% ==== The data", "", _dzn(task.data)]
    return "\n".join([*parts, "% ==== Constraints of your own", "", own] if own else parts)


def _lines(name: str, task: Task, taken: set[str]) -> list[str]:
    """Return the lines of one of our models; those that it includes come first, each once."""
    if name in taken:
        return []
    taken.add(name)
    folder = models_dir(task.models)
    text = model_text(folder / name)
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


# A compiled model as a formula in conjunctive normal form (CNF), for model counters and SAT solvers.
#
# What is encoded is the FlatZinc that MiniZinc makes of a model with its standard library, so edited models
# and a user's constraints are in it like ours. A number has a Boolean variable for each of its values, of
# which exactly one holds. A linear constraint goes through the partial sums that are possible, a variable
# each, which follow from the terms. The formula's models, looked at through the variables in ``c p show``,
# are the solutions, one for one.

Literal = int | bool
"""A variable from 1, or less than 0 where it is negated; or what is known."""
Var = Mapping[int, Literal]
"""The literal of each value that a variable may have; false is 0, true is 1."""

_WORD = re.compile(r"\{[^}]*\}|-?\d+\.\.-?\d+|-?\d+(?:\.\d+)?|\w+|\[|\]")
_DECLARED = re.compile(r"var ([^:]+): (\w+)")
_ARRAY = re.compile(r"array \[[^\]]*\] of [^:]+: (\w+)[^=]*= *(\[.*\]);")
_CONSTRAINT = re.compile(r"constraint (\w+)\((.*?)\)(?: *::.*)?;")
_TO_ZERO: Mapping[str, Callable[[int], bool]] = {
    "eq": lambda n: n == 0, "ne": lambda n: n != 0, "le": lambda n: n <= 0, "lt": lambda n: n < 0
}  # fmt: skip
"""How numbers compare with 0."""
_FUNCTIONS: Mapping[str, Callable[..., int]] = {
    "int_min": min, "int_max": max, "int_times": operator.mul, "int_abs": abs,
    "bool_and": min, "bool_or": max, "bool_xor": operator.xor,
}  # fmt: skip
_LARGEST = 5_000_000
"""The most clauses of a formula: some hundred megabytes of text."""


def dimacs(compiled: Compiled) -> str:
    """Return the formula in DIMACS form, with the projection as the model counting competition writes it.

    The variables shown come first; a comment says which number of the solution each gives which value.

    Raises:
        InvalidArgument: a constraint or variable has no encoding here, or there are too many clauses.
    """
    name, cells = compiled.printed
    if not cells:  # the compiler knows that there is none
        return "c t pmc\np cnf 1 2\nc p show 0\n1 0\n-1 0\n"
    formula = _Formula(compiled.flatzinc.decode())
    meanings = []
    for place, cell in enumerate(cells, start=1):
        for value, literal in formula.var(cell.decode()).items():
            if not isinstance(literal, bool) and literal > 0:
                meanings.append((literal, f"{name}[{place}]={value}"))
    formula.constrain()
    shown = [str(literal) for literal, _ in dict(meanings).items()]
    lines = [
        "c t pmc",
        *(f"c {literal} is {meaning}" for literal, meaning in meanings),
        f"p cnf {formula.n} {len(formula.clauses)}",
        f"c p show {' '.join([*shown, '0'])}",
        *(" ".join(map(str, (*clause, 0))) for clause in formula.clauses),
    ]
    return "\n".join(lines) + "\n"


class _Formula:
    """Clauses, and the variables of FlatZinc in them, each made when it is first asked for."""

    def __init__(self, flatzinc: str) -> None:
        self.n, self.clauses = 0, list[tuple[int, ...]]()
        self._constraints = _CONSTRAINT.findall(flatzinc)
        self._kinds = {name: kind for kind, name in _DECLARED.findall(flatzinc)}
        self._arrays = {name: _arguments(text, {})[0] for name, text in _ARRAY.findall(flatzinc)}
        self._vars: dict[str, Var] = {}

    # Reading

    def var(self, word: str) -> Var:
        """Return the literals of a variable's or a constant's values."""
        if word in ("true", "false") or word.lstrip("-").isdigit():
            return {int(word == "true") if word.isalpha() else int(word): True}
        if word not in self._vars:
            values = [0, 1] if self._kinds[word] == "bool" else _values(self._kinds[word], word)
            if len(values) == 2:  # one variable says both; the lower value is its negation
                high = self.new()
                self._vars[word] = {values[0]: -high, values[1]: high}
            else:
                self._vars[word] = {value: self.new() for value in values}
                self.one_of(self._vars[word].values())
        return self._vars[word]

    def vars(self, words: Iterable[str]) -> list[Var]:
        """Return those of several words."""
        return [self.var(word) for word in words]

    def bools(self, words: Iterable[str], value: int = 1) -> list[Literal]:
        """Return the literals that say that truth values are true, or, for the *value* 0, false."""
        return [var.get(value, False) for var in self.vars(words)]

    # Writing

    def new(self) -> int:
        """Return a new variable."""
        self.n += 1
        return self.n

    def add(self, *literals: Literal) -> None:
        """Add a clause: one of the literals holds."""
        left = tuple(sorted({int(each) for each in literals if each is not False}, key=abs))
        if any(each is True for each in literals) or any(-each in left for each in left):
            return
        self.clauses.append(left)
        if len(self.clauses) > _LARGEST:
            raise InvalidArgument(f"the formula has more than {_LARGEST:,} clauses; export mzn instead")

    def one_of(self, literals: Iterable[Literal]) -> None:
        """Exactly one of the literals holds."""
        known = list(literals)
        self.add(*known)
        for pair in combinations(known, 2):
            self.add(*map(_not, pair))

    # Constraints

    def constrain(self) -> None:
        """Encode all constraints."""
        for name, text in self._constraints:
            self.constraint(name, _arguments(text, self._arrays))

    def constraint(self, name: str, given: list[Any]) -> None:
        """Encode one; the last argument of a reified one is its truth value."""
        base = name.removesuffix("_reif")
        is_plain = base == name
        truth: Literal = True if is_plain else self.bools([given.pop()])[0]
        if base == "bool_not":  # one and the other are 1 together
            base, given = "int_plus", [*given, "1"]
        kind, _, compared = base.rpartition("_")
        if kind in ("int_lin", "bool_lin") and compared in _TO_ZERO:
            factors, terms, right = given
            left = zip(map(int, factors), self.vars(terms), strict=True)
            self.linear([(-1, self.var(right)), *left], _TO_ZERO[compared], truth)
        elif base == "bool2int" or (kind in ("int", "bool") and compared in _TO_ZERO):
            one, other = self.vars(given)
            self.linear([(1, one), (-1, other)], _TO_ZERO["eq" if base == "bool2int" else compared], truth)
        elif base == "int_plus":
            one, other, both = self.vars(given)
            self.linear([(1, one), (1, other), (-1, both)], _TO_ZERO["eq"], truth)
        elif base == "set_in":
            inside = set(_values(given[1], name))
            self.linear([(1, self.var(given[0]))], inside.__contains__, truth)
        elif base == "bool_clause":
            self.clause(self.bools(given[0]) + self.bools(given[1], 0), truth)
        elif base in ("array_bool_or", "array_bool_and") and is_plain:
            value = int(base == "array_bool_or")  # that all hold is that none is false
            self.clause(self.bools(given[0], value), *self.bools(given[1:], value))
        elif base in ("array_int_maximum", "array_int_minimum") and is_plain:
            self.extreme(self.var(given[0]), self.vars(given[1]), min if base.endswith("minimum") else max)
        elif re.fullmatch(r"array_(var_)?(int|bool)_element", base) and is_plain:
            self.element(self.var(given[0]), self.vars(given[1]), self.var(given[2]))
        elif base in _FUNCTIONS and is_plain and len(given) == 2 + (base != "int_abs"):
            *inputs, output = self.vars(given)
            for chosen in product(*(var.items() for var in inputs)):
                value = _FUNCTIONS[base](*(value for value, _ in chosen))
                self.add(*(_not(literal) for _, literal in chosen), output.get(value, False))
        else:
            raise InvalidArgument(f"the constraint {name} has no encoding as clauses; export mzn instead")

    def linear(self, terms: Sequence[tuple[int, Var]], fits: Callable[[int], bool], truth: Literal) -> None:
        """Encode that *truth* is whether the sum fits, of factors times variables."""
        sums: dict[int, Literal] = {0: True}
        spans = [sorted(factor * value for value in term) for factor, term in terms]
        low, high = sum(span[0] for span in spans), sum(span[-1] for span in spans)
        for (factor, term), span in zip(terms, spans, strict=True):
            low, high = low - span[0], high - span[-1]  # of what is still to be added
            reached = {before + more for before in sums for more in span}
            if truth is True:  # sums from which no way leads to one that fits
                reached = {s for s in reached if any(map(fits, range(s + low, s + high + 1)))}
            after: dict[int, Literal]
            if len(sums) == 1 or len(term) == 1:  # a constant on one side: the other's literals serve
                every = {
                    s + factor * value: held if len(term) == 1 else literal
                    for (s, held), (value, literal) in product(sums.items(), term.items())
                }
                after = {s: literal for s, literal in every.items() if s in reached}
                for s in every.keys() - reached:
                    self.add(_not(every[s]))
            else:
                after = {s: self.new() for s in sorted(reached)}
                for value, literal in term.items():
                    for before, held in sums.items():
                        self.add(_not(held), _not(literal), after.get(before + factor * value, False))
                    for s, held in after.items():
                        self.add(_not(held), _not(literal), sums.get(s - factor * value, False))
            sums = after
        for s, held in sums.items():
            self.add(_not(held), truth if fits(s) else _not(truth))

    def clause(self, literals: Sequence[Literal], truth: Literal) -> None:
        """Encode that *truth* is whether one of the literals holds."""
        self.add(_not(truth), *literals)
        for each in literals:
            self.add(truth, _not(each))

    def element(self, index: Var, values: Sequence[Var], result: Var) -> None:
        """Encode that the result is the value at the index, from 1."""
        for place, here in index.items():
            if not 1 <= place <= len(values):
                self.add(_not(here))
                continue
            for value, literal in values[place - 1].items():
                self.add(_not(here), _not(literal), result.get(value, False))

    def extreme(self, result: Var, terms: Sequence[Var], pick: Callable[..., int]) -> None:
        """Encode that the result is the least or the greatest of the terms."""
        for value, literal in result.items():
            self.add(_not(literal), *(term.get(value, False) for term in terms))
            for term in terms:
                for other, held in term.items():
                    if pick(value, other) != value:
                        self.add(_not(literal), _not(held))


def _not(literal: Literal) -> Literal:
    return not literal if isinstance(literal, bool) else -literal


def _values(kind: str, name: str) -> list[int]:
    """Return the values of a range or a set."""
    if bounds := re.fullmatch(r"(-?\d+)\.\.(-?\d+)", kind.strip()):
        return list(range(int(bounds[1]), int(bounds[2]) + 1))
    if kind.strip().startswith("{"):
        return sorted(map(int, re.findall(r"-?\d+", kind)))
    raise InvalidArgument(
        f"{name} is a variable of the kind '{kind}', which has no encoding as clauses; bound it"
    )


def _arguments(text: str, arrays: Mapping[str, list[str]]) -> list[Any]:
    """Return the words between commas, those of an array, or of the name of one, as a list."""
    found: list[Any] = []
    inside: list[Any] = found
    for word in _WORD.findall(text):
        if word == "[":
            inside = []
            found.append(inside)
        elif word == "]":
            inside = found
        else:
            inside.append(arrays.get(word, word))
    return found
