"""Models of users with their data: their files, their compilation, and the lists of their solutions."""

import copy
import json
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum, EnumMeta
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from catan_cp import errors
from catan_cp.anymodel.counters import SAMPLERS, PrintedRow
from catan_cp.anymodel.racing import Race
from catan_cp.anymodel.shown import PREDICATES, SHOWN, has_floats, marks, quoted
from catan_cp.clock import Clock
from catan_cp.errors import InvalidArgument, SolverFailed, SolverTimeout, show
from catan_cp.minizinc_text import tokens
from catan_cp.processes import Group, last_words, scratch_folder
from catan_cp.solving.compiling import (
    CRASHES,
    DATA_ENDINGS,
    MODEL_ENDINGS,
    Compiled,
    Task,
    model_file,
    run_minizinc,
    undefined_results,
    with_first,
)
from catan_cp.solving.find import AUTO, FoundSolver, find_solver
from catan_cp.solving.flatzinc import FlatZinc
from catan_cp.solving.listing import StreamState, blocks, first
from catan_cp.solving.ranges import exceeds
from catan_cp.workers import Workers

_LARGEST = 256 << 20
"""The maximum bytes of a compiled model, and of the listed solutions in memory."""
_WRITTEN = ("mzn_data", "mzn_fragment")
"""The prefixes of the names of files that the `minizinc` package writes."""
_SOLVER_ERRORS = ("solver error", "internal error", "bad alloc", "error")
_ROW = "catan_cp_row"
_FIELD = re.compile(r"\{(\w+)\}")
_COMPARISONS = tuple(f"float_{name}" for name in ("lin", "le", "lt", "eq", "ne", "in", "dom"))
"""Starts of the names of constraints on floats whose last argument does not follow from the others."""
LIBRARY = Path(__file__).parent / "library" / "count.msc"
"""The configuration by which MiniZinc decomposes sets and global constraints other than alldifferent."""
_ADDED = re.compile(r"(?<![/\\])\badded\.mzn:(\d+)")
"""A line of the text that `Model.flat` adds to a model, in a message of MiniZinc."""


@dataclass(frozen=True)
class Model:
    """The files of a model and its data, in a temporary folder or elsewhere."""

    files: tuple[Path, ...]
    keys: frozenset[str]
    solver: FoundSolver
    folder: Path
    group: Group
    clock: Clock

    def minizinc(self, *options: object, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run MiniZinc with *text* as its input.

        Raises:
            InvalidArgument: the model is wrong.
            SolverTimeout: the time limit passed.
            SolverFailed: MiniZinc does not start, or crashed.
        """
        result = self._run(*options, text=text)
        if result.returncode != 0:
            messages = (result.stderr or result.stdout).replace(f"{self.folder}{os.sep}", "")
            raise InvalidArgument(f"model could not be compiled: {last_words(messages)}")
        return result

    def _run(self, *options: object, text: str = "") -> subprocess.CompletedProcess[str]:
        try:
            result = run_minizinc(self.solver, options, text, self.clock.left(), self.group)
        except subprocess.TimeoutExpired:
            raise SolverTimeout("the time limit passed while MiniZinc was running; allow more time") from None
        if -result.returncode in CRASHES:
            raise SolverFailed(f"MiniZinc crashed: {last_words(result.stderr)}")
        return result

    def messages(self, solver: FoundSolver, *options: object) -> list[dict[str, Any]]:
        """Return the messages of a run of MiniZinc with ``--json-stream``.

        Text that a model prints is inside a message, so it cannot be mistaken for a status.

        Raises:
            InvalidArgument: the model is wrong.
            SolverTimeout: the time limit passed.
            SolverFailed: MiniZinc does not start, or MiniZinc or the solver crashed.
        """
        result = self._run(*solver.choice, *options, *self.files)
        messages = []
        for line in result.stdout.splitlines():
            with suppress(ValueError):
                messages.append(json.loads(line))
        for message in messages:
            if message["type"] == "error":
                text = last_words(str(message.get("message", "")))
                if message.get("what") in _SOLVER_ERRORS:
                    raise SolverFailed(f"{solver.name} failed: {text}")
                raise InvalidArgument(f"model could not be compiled: {text}")
            if message.get("status") == "ERROR":
                raise SolverFailed(f"{solver.name} failed: {last_words(result.stderr)}")
        if result.returncode != 0:
            raise SolverFailed(f"{solver.name} failed: {last_words(result.stderr or result.stdout)}")
        return messages

    def shown(self, show: Sequence[str] | None) -> tuple[list[str], list[list[str]], list[str]]:
        """Return the names of the shown variables, the constraints that mark them, and the names with floats.

        Raises:
            InvalidArgument: the model has an objective, or a name of a variable or of data is wrong.
        """
        models = [file for file in self.files if file.suffix == ".mzn"]
        interface = json.loads(self._compile("--model-interface-only", *models)[0].stdout)
        if interface["method"] != "sat":
            raise InvalidArgument(
                f"model must be a satisfaction problem, not 'solve {interface['method']}imize'; "
                "remove the objective"
            )
        types = interface["output"]
        known = {*interface["input"], *types}
        for key in sorted(self.keys - known):
            hint = errors.did_you_mean(key, sorted(known))
            raise InvalidArgument(
                f"data must assign names that the model declares without a value, not {errors.show(key)}; "
                f"{hint}it declares {errors.listed(sorted(interface['input']) or ['none'])}"
            )
        if not isinstance(show, (str, Sequence, type(None))):
            raise InvalidArgument(f"show must be names of variables, not {errors.show(show)}")
        text = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in models)
        late = frozenset(_computed_later(text))
        names = [name for name in types if name not in late] if show is None else show
        names = [names] if isinstance(names, str) else list(names)
        for name in names:
            if not isinstance(name, str) or not re.fullmatch(r"\w+|'[^'\n]+'", quoted(name)):
                raise InvalidArgument(f"show must be names of variables, not {errors.show(name)}")
        if not all(types.get(name, {}).get("type") in ("int", "bool") for name in names):
            types |= json.loads(self._compile("--model-types-only", *models)[0].stdout)["var_types"]["vars"]
        for name in names:
            if name not in types:
                hint = errors.did_you_mean(name, sorted(types))
                raise InvalidArgument(
                    f"show must be names of variables that the model declares, not {errors.show(name)}; "
                    f"{hint}it declares {errors.listed(sorted(types) or ['none'])}"
                )
        floats = [name for name in names if has_floats(types.get(name, {}))]
        return names, marks(names, types), floats

    def _compile(self, *options: object) -> tuple[subprocess.CompletedProcess[str], str]:
        """Run the compiler with the library of this package, or with those of the solvers.

        Models may use constraints that only one solver knows.

        Returns:
            The result, and the name of the solver with whose library the model compiles, or "".

        Raises:
            InvalidArgument: the model is wrong.
            SolverTimeout, SolverFailed: as for `minizinc`.
        """
        problems = list[InvalidArgument]()
        choices: dict[str, Sequence[str]] = {"": ("--solver", str(LIBRARY))}
        for name in reversed(AUTO):
            with suppress(errors.SolverNotFound):
                choices[name] = find_solver(name).choice[:2]
        for name, choice in choices.items():
            try:
                return self.minizinc(*choice, *options), name
            except InvalidArgument as problem:
                problems.append(problem)
        raise next((problem for problem in problems if "include error" not in str(problem)), problems[0])

    def _compile_marked(
        self, goal: Sequence[object], names: Sequence[str], marked: Sequence[Sequence[str]], *around: str
    ) -> tuple[subprocess.CompletedProcess[str], str]:
        """Run `_compile` with text before and after the first constraints that are valid for their names."""
        added, readings = self.folder / "added.mzn", [list(texts) for texts in marked]
        while True:
            added.write_text(
                around[0] + "".join(texts[0] for texts in readings) + around[1], encoding="utf-8"
            )
            try:
                return self._compile(*goal, added)
            except InvalidArgument as problem:
                place = _ADDED.search(str(problem))
                line = int(place[1]) - around[0].count("\n") - 1 if place else -1
                if not 0 <= line < len(readings):
                    raise
                if len(readings[line]) == 1:
                    raise InvalidArgument(
                        f"{names[line]} must be of integers, Booleans or sets, or arrays, tuples and records "
                        "of these; show other variables"
                    ) from None
                del readings[line][0]

    def flat(
        self,
        names: Sequence[str],
        marked: Sequence[Sequence[str]] = (),
        floats: Sequence[str] = (),
        items: str | None = None,
    ) -> "FlatModel":
        """Return the compiled model, with the named variables shown.

        Args:
            names: the names.
            marked: for each name, the possible constraints that mark it.
            floats: the names with floats, which integers and Booleans must determine.
            items: the items that replace those of the model's files, if not None.

        Raises:
            InvalidArgument: the model is wrong, or the compiled model is too large.
        """
        section = f"s{uuid4().hex}"
        cells = ' ++ ", " ++ '.join(
            f'{json.dumps(json.dumps(name))} ++ ": " ++ showJSON({quoted(name)})' for name in names
        )
        output = f'output :: "{section}" ["{{" ++ {cells or chr(34) * 2} ++ "}}"];\n'
        files = [file for file in self.files if items is None or file.suffix != ".mzn"]
        flatzinc, ozn = self.folder / "model.fzn", self.folder / "model.ozn"
        goal = ("--compile", "--fzn", flatzinc, "--ozn", ozn, "--only-sections", section, *files)
        result, library = self._compile_marked(goal, names, marked, (items or "") + PREDICATES, output)
        for text in undefined_results(result.stderr):
            warnings.warn(text.replace(f"{self.folder}{os.sep}", ""), stacklevel=4)
        if flatzinc.stat().st_size > _LARGEST:
            raise InvalidArgument(f"model must compile to less than {_LARGEST >> 20} MB; use smaller domains")
        flat = FlatModel(self, FlatZinc(flatzinc.read_text(encoding="utf-8")), ozn, library)
        if floats and flat.free_floats:
            raise InvalidArgument(
                f"{floats[0]} must be determined by integers and Booleans, not free; show others"
            )
        return flat


@dataclass(frozen=True)
class FlatModel:
    """A model that MiniZinc compiled with the library of this package, or with that of a solver.

    Attributes:
        model: the model.
        flatzinc: the compiled model.
        ozn: the file by which MiniZinc prints solutions.
        library: the name of the only solver that knows all constraints, or "".
    """

    model: Model
    flatzinc: FlatZinc
    ozn: Path
    library: str = ""

    @cached_property
    def path(self) -> Path:
        """The file of the FlatZinc, for worker processes."""
        path = self.model.folder / "shown.fzn"
        path.write_text(self.flatzinc.text, encoding="utf-8")
        return path

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The variables of the FlatZinc that are shown."""
        return self._variables(
            word for call in self.flatzinc.constraints(*SHOWN) for word in call.arguments[0]
        )

    @cached_property
    def _more_words(self) -> tuple[str, ...]:
        """The variables from which MiniZinc computes shown ones that the model declares with a value."""
        return tuple(word for word in self.output_words if word not in self.words)

    @property
    def declared(self) -> list[str]:
        """The variables of the FlatZinc that have names of the model."""
        return [name for name in self.flatzinc.variables if "INTRODUCED" not in name]

    @property
    def output_words(self) -> tuple[str, ...]:
        """The variables of the FlatZinc that a solver prints."""
        return self._variables(_FIELD.findall(self.form))

    @property
    def prints_floats(self) -> bool:
        """True if a solver prints floating-point variables."""
        return not set(_FIELD.findall(self.form)) <= {*self.output_words}

    def _variables(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the distinct words that are variables other than floats."""
        variables = self.flatzinc.variables
        return tuple(
            word for word in dict.fromkeys(words) if word in variables and not variables[word].is_float
        )

    @cached_property
    def form(self) -> str:
        """A solution as a solver prints it, with FlatZinc variables in braces instead of values."""
        variables = self.flatzinc.variables
        printed = (name for name, variable in variables.items() if "output_var" in variable.annotations)
        lines = [f"{name} = {{{name}}};\n" for name in printed]
        for name, shape, elements in self.flatzinc.arrays.values():
            if shape is not None:
                cells = ",".join(f"{{{word}}}" if word in variables else word for word in elements)
                lines.append(f"{name} = array{shape.count('..')}d({shape},[{cells}]);\n")
        return "".join([*lines, "----------\n"])

    @cached_property
    def plain(self) -> FlatZinc:
        """The FlatZinc that prints one array: 1, the shown variables, and `_more_words`."""
        booleans = self._booleans
        words = (*self.words, *self._more_words)
        cells = [f"{_ROW}_{word}" if word in booleans else word for word in words]
        numbers = [word for word in words if word in booleans]
        declared = [f"var 0..1: {_ROW}_{word};\n" for word in numbers]
        size = len(cells) + 1
        declared.append(
            f"array [1..{size}] of var int: {_ROW} :: output_array([1..{size}]) = "
            f"[{','.join(['1', *cells])}];\n"
        )
        linked = [f"constraint bool2int({word},{_ROW}_{word});\n" for word in numbers]
        unmarked = self.flatzinc.without(SHOWN).silent()
        return unmarked.adding(declarations="".join(declared), constraints="".join(linked))

    @property
    def _booleans(self) -> frozenset[str]:
        """The variables that are Booleans."""
        return frozenset(
            name for name, variable in self.flatzinc.variables.items() if variable.type == "bool"
        )

    def solvers(self, *, floats: bool = False) -> list[FoundSolver]:
        """Return the solvers of "auto" that solve the model correctly.

        Args:
            floats: True to include Gecode for a model with floating-point variables.
        """
        suitable = []
        for name in AUTO:
            with suppress(errors.SolverNotFound):
                solver = find_solver(name)
                if (
                    self.library in ("", name)
                    and exceeds(self.plain, solver.backend) is None
                    and (self.free_floats is None or (name == "gecode" and (floats or not self.free_floats)))
                ):
                    suitable.append(solver)
        return suitable

    @cached_property
    def free_floats(self) -> frozenset[str] | None:
        """The floats that integers and Booleans do not determine, or None without any floats."""
        floats = [variable for variable in self.flatzinc.variables.values() if variable.is_float]
        if not floats:
            return None
        fixed = {
            call.arguments[-1]
            for call in self.flatzinc.constraints()
            if call.name.startswith(("int2float", "float_")) and not call.name.startswith(_COMPARISONS)
        }
        for variable in floats:
            least, _, greatest = variable.type.partition("..")
            if "is_defined_var" in variable.annotations or least == greatest:
                fixed.add(variable.name)
        return frozenset(variable.name for variable in floats) - fixed

    def list_in(self, race: Race[Any], most: int, read: Callable[[set[bytes]], Any]) -> None:
        """Let solvers list all solutions in a race, where *read* makes the answer of the rows.

        They have no answer if there are more than *most* solutions, or if these need too much memory.
        """
        states = [StreamState() for _ in self.solvers()]

        def listed(solver: FoundSolver, state: StreamState) -> Any:
            rows = self.rows(solver, most, state)
            if rows is None:  # The running solvers would find as many.
                for running in states:
                    running.stop()
            return None if rows is None else read(rows)

        for solver, state in zip(self.solvers(), states, strict=True):
            race.add(f"listing with {solver.name}", partial(listed, solver, state), state.stop)

    def count_in(self, race: Race[list[PrintedRow] | int], pool: Workers, name: str, most: int) -> None:
        """Let a counter list the solutions in a race if there are at most *most*, or else count them.

        The worker of the pool can sample from them then.
        """
        race.add(name, pool.submit(SAMPLERS[name], str(self.path), self.words, most).result)

    def first_in(self, race: Race[PrintedRow]) -> None:
        """Let solvers find one solution in a race."""
        for solver in self.solvers():
            state = StreamState()
            race.add(solver.name, partial(self._first, solver, state), state.stop)

    def _first(self, solver: FoundSolver, state: StreamState) -> PrintedRow | None:
        solutions = blocks(self._compiled(solver), 1, self.model.clock.left(), state, free=True)
        width = len(self.words) + 1
        return next((tuple(row[1:width]) for block in solutions for row in block.tolist()), None)

    def rows(self, solver: FoundSolver, most: int, state: StreamState) -> set[bytes] | None:
        """Return all solutions as bytes, or None if there are more than *most* or the memory is too small.

        Raises:
            SolverTimeout, SolverFailed: the time limit passed, or the solver failed.
        """
        rows, width = set[bytes](), 8 * len(self.words) + 8
        most = min(most, _LARGEST // width)
        for block in blocks(self._compiled(solver), None, self.model.clock.left(), state):
            text, step = block.tobytes(), 8 * block.shape[1]
            rows.update(text[start : start + width] for start in range(0, len(text), step))
            if len(rows) > most:
                return None
        return rows if state.complete else None

    def has_solution(self, solver: FoundSolver, state: StreamState) -> bool:
        """Return True if the model has a solution.

        Raises:
            SolverTimeout, SolverFailed: the time limit passed, or the solver failed.
        """
        limit = self.model.clock.left()
        return any(len(block) for block in blocks(self._compiled(solver), 1, limit, state, free=True))

    def _compiled(self, solver: FoundSolver) -> Compiled:
        flatzinc = self.plain
        if solver.name == "gecode":
            flatzinc = FlatZinc(flatzinc.text.replace("fzn_all_different_int", "all_different_int"))
        return Compiled(Task("", {}), flatzinc, solver)

    def _completed(self, rows: Iterable[PrintedRow]) -> Iterator[PrintedRow]:
        """Yield each row with values of the other variables that MiniZinc needs to print it."""
        if not self._more_words:
            yield from rows
            return
        compiled = self._compiled(find_solver("gecode"))
        for row in rows:
            fixed = with_first(compiled, (1, *row))
            solution = None if fixed is None else first(fixed, self.model.clock.left)
            if solution is None:
                raise SolverFailed("gecode finds no solution with sampled values; please report this")
            yield tuple(solution[1:])

    def as_printed_by_solvers(self, rows: Iterable[PrintedRow]) -> Iterator[str]:
        """Yield rows as a solver prints them, each with the line that ends a solution."""
        booleans, words = self._booleans, (*self.words, *self._more_words)
        for row in self._completed(rows):
            values = {
                word: ("false", "true")[value] if word in booleans else str(value)
                for word, value in zip(words, row, strict=True)
            }
            yield _FIELD.sub(lambda match, values=values: values[match[1]], self.form)  # type: ignore[misc]

    def printed(self, rows: Iterable[PrintedRow]) -> list[dict[str, object]]:
        """Return the values of the shown variables, as MiniZinc computes them from distinct rows."""
        texts = [*self.as_printed_by_solvers(rows)]
        result = self.model.minizinc("--ozn-file", self.ozn, "--non-unique", text="".join(texts))
        lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
        if len(lines) != len(texts):
            raise SolverFailed(f"MiniZinc could not print the samples: {last_words(result.stderr)}")
        return [{name: _value(value) for name, value in json.loads(line).items()} for line in lines]


def _computed_later(text: str) -> Iterator[str]:
    """Yield the names with the annotation output_only, whose value MiniZinc computes from a solution."""
    words = [token.text for token in tokens(text) if token.is_code]
    for place, word in enumerate(words):
        if word == "output_only":
            while words[place - 1 : place] == ["::"]:
                place -= 2
            yield words[place]


def numbers_of(rows: Iterable[bytes]) -> list[PrintedRow]:
    """Return the values of the shown variables of rows, sorted."""
    return sorted(tuple(np.frombuffer(row, np.int64).tolist()[1:]) for row in rows)


def _value(json_value: Any) -> Any:
    """Return a value in MiniZinc's JSON, with enum members as names and sets as sets."""
    if isinstance(json_value, list):
        return [*map(_value, json_value)]
    if not isinstance(json_value, dict):
        return json_value
    keys, member = set(json_value), json_value.get("e")
    if keys == {"set"}:
        spans = [item if isinstance(item, list) else [item, item] for item in json_value["set"]]
        spans = [[*map(_value, span)] for span in spans]
        return {i for a, b in spans for i in ([a] if a == b else range(a, b + 1))}
    if keys == {"e"} and isinstance(member, str):
        return member
    if keys == {"e", "i"} and isinstance(member, str):  # a member without a name
        return f"to_enum({member},{json_value['i']})"
    if keys == {"c", "e"} and isinstance(json_value["c"], str):
        return f"{json_value['c']}({_value(member)})"
    return {name: _value(value) for name, value in json_value.items()}


# Files


@contextmanager
def opened_model(model: Any, data: Any, timeout: float | None) -> Iterator[Model]:
    """Yield a model with its data, as files."""
    clock, solver, files, keys = Clock(timeout), find_solver("gecode"), list[Path](), frozenset[str]()
    with ExitStack() as stack:
        folder, group = stack.enter_context(scratch_folder())
        parts = data if isinstance(data, (list, tuple)) else [] if data is None else [data]
        for part in parts:
            if isinstance(part, Mapping):
                if part:  # MiniZinc rejects an empty object
                    files.append(_data_file(part, folder / f"data{len(files)}.json"))
                    keys |= set(map(str, part))
            else:
                files.append(model_file("data", part, DATA_ENDINGS))
        if isinstance(model, str) and (";" in model or not model.endswith(".mzn")):
            files.append(folder / "model.mzn")
            files[-1].write_text(model, encoding="utf-8", errors="replace")
        elif isinstance(model, (str, os.PathLike)):
            files.append(model_file("model", model, MODEL_ENDINGS))
        else:
            files += stack.enter_context(_files_of(model))
        yield Model(tuple(files), keys, solver, folder, group, clock)


def _data_file(values: Mapping[Any, Any], file: Path) -> Path:
    """Write values as MiniZinc's JSON, and return the file."""
    try:
        file.write_text(json.dumps(_plain(values)), encoding="utf-8")
    except (TypeError, ValueError) as problem:
        raise InvalidArgument(f"data must be values for MiniZinc; {problem}") from None
    return file


@contextmanager
def _files_of(model: Any) -> Iterator[list[Path]]:
    """Yield the files of a `minizinc.Model` or `minizinc.Instance` with its data.

    Raises:
        InvalidArgument: *model* is neither.
    """
    from catan_cp.solving.driver import package  # which imports minizinc

    minizinc = package()
    if not isinstance(model, minizinc.Model):
        kinds = "a minizinc.Model, a minizinc.Instance, a text or the path of a file"
        raise InvalidArgument(f"model must be {kinds}, not {show(model)}")
    if not isinstance(model, minizinc.Instance):
        model = copy.copy(model)
        model.output_type = dict  # otherwise the package analyses it
        model = minizinc.Instance(minizinc.Solver("none", "0", "none"), model, minizinc.default_driver)
    with scratch_folder() as (folder, _):
        with model.files() as files:
            paths = [
                Path(shutil.copy(file, folder))
                if file.name.startswith(_WRITTEN)
                else model_file("file of a model", file, (*MODEL_ENDINGS, *DATA_ENDINGS))
                for file in files
            ]
        yield paths


def _plain(value: Any) -> Any:
    """Return a value of data in the form of MiniZinc's JSON, as the `minizinc` package does."""
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, EnumMeta):
        return [{"e": member.name} for member in value]  # type: ignore[var-annotated]
    if isinstance(value, Enum):
        return {"e": value.name}
    if isinstance(value, (set, frozenset, range)):
        return {"set": sorted(map(_plain, value), key=str)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [*map(_plain, value)] if isinstance(value, (list, tuple)) else value


def with_seconds(model: Model, seconds: float | None) -> Model:
    """Return a model with another time limit."""
    return model if seconds is None else replace(model, clock=Clock(seconds))
