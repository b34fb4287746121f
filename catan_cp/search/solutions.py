"""Counts, samples and conflicts of any MiniZinc model with small domains.

A model is compiled with MiniZinc's standard library and encoded as clauses (`catan_cp.solving.clauses`). The
model counters d4 and ganak count the formula's models, projected on the shown variables. Both run at the same
time in processes of their own, and the first answer counts. CMSGen samples. These programs are the extra
``count``. Without it, and for exact samples, Gecode lists small spaces.

>>> count_solutions("var 1..3: x; var 1..3: y; constraint x < y;")
3
>>> find_conflict("var 1..3: x; constraint x > 1; constraint x > 2; constraint x < 3;").items
('constraint x > 2', 'constraint x < 3')
"""

import json
import os
import random
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from catan_cp import errors
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.errors import CatanError, InvalidArgument, SolverFailed, SolverTimeout, extra
from catan_cp.processes import Group, last_words, scratch_folder
from catan_cp.rules.constraint import FUNCTIONS, GLOBALS, Constraint, join_constraints, terrain_words
from catan_cp.search.conflicts import Fields, minimal_conflict
from catan_cp.search.instances import compile_plain
from catan_cp.solving.clauses import NOTHING_SHOWN, SHOWN, ClauseWriter, dimacs
from catan_cp.solving.compiling import (
    CRASHES,
    DATA_ENDINGS,
    MODEL_ENDINGS,
    OWN_SECONDS,
    Task,
    encoded,
    model_file,
    run_minizinc,
)
from catan_cp.solving.counters import COUNTERS, sample_by_cmsgen
from catan_cp.solving.find import FoundSolver, find_solver
from catan_cp.workers import Workers

Answer = TypeVar("Answer")

LISTED_MOST = 100_000
"""The maximum number of solutions that are counted by listing, without a model counter."""
SAMPLED_MOST = 10_000
"""The maximum number of solutions of which samples are exactly uniform."""

CASE_TILES = 3
"""The maximum number of tiles whose combinations are counted one by one."""

_FEW_NODES = ("--backend-flags", "-node 200000")
"""The options of a listing for exact samples, which limit its search nodes to those of a few seconds."""
_BATCH = 1000
"""The number of samples of one run of CMSGen."""
_PROOF_SECONDS = 10.0
"""Seconds for one proof of `find_conflict`."""
_LOOK = 0.2
"""Seconds between checks of the time limit during a count."""
_MARK = "catan_cp solution: "
_FIELD = re.compile(r"\{(\w+)\}")
_TERRAIN_AT = re.compile(r"\bterrain\b(?: \[ (\d+) \])?")
"""The number of a tile whose terrain a text names, empty for another expression."""
_COMPLETE = re.compile(r"(?m)^(==========|=====UNSATISFIABLE=====)$")
_FLOAT = re.compile(r"\bfloat\b|\d\.\d")
_NAME = re.compile(r"[A-Za-z]\w*")
_OUTPUT_VARIABLE = re.compile(r"(?m)^var [^:]+: (\w+)[^\n]*:: *output_var\b")
_OUTPUT_ARRAY = re.compile(r"(?m)^array [^:]+: (\w+) *:: *output_array\(\[([^\n]*?)\]\) *= *\[([^\n]*)\];")
_PIECE = re.compile(r'(%[^\n]*|/\*.*?\*/)|("(?:\\.|[^"\\])*"|[^%/"()\[\]{};]+|.)', re.DOTALL)
_PREDICATES = f"""
include "nosets.mzn";
predicate {SHOWN[0]}(array[int] of var int: values);
predicate {SHOWN[1]}(array[int] of var bool: values);
predicate catan_cp_shown(var $$E: x) = {SHOWN[0]}([enum2int(x)]);
predicate catan_cp_shown(var bool: x) = {SHOWN[1]}([x]);
predicate catan_cp_shown(var set of $$E: x) = {SHOWN[1]}([i in x | i in ub(x)]);
predicate catan_cp_shown(array[$T] of var $$E: x) = {SHOWN[0]}([enum2int(y) | y in array1d(x)]);
predicate catan_cp_shown(array[$T] of var bool: x) = {SHOWN[1]}(array1d(x));
predicate catan_cp_shown(array[$T] of var set of $$E: x) = forall(y in array1d(x))(catan_cp_shown(y));
"""


class SolutionCount(NamedTuple):
    """A number of solutions, and the method that counted them."""

    number: int
    method: str


def count_solutions(
    model: Any, data: Any = None, *, show: Sequence[str] | None = None, timeout: float | None = None
) -> int:
    """Return the exact number of solutions of a MiniZinc model.

    Solutions are distinct values of the shown variables. Variables of the model that are not shown, and those
    that MiniZinc introduces, do not multiply the count.

    Args:
        model: a `minizinc.Model` or `minizinc.Instance`, a text, or the path of a file ``*.mzn``. Of an
            instance, only model and data count, not its solver.
        data: a mapping from parameters to values, or the path of a file ``*.dzn`` or ``*.json``.
        show: the names of the shown variables. By default those that MiniZinc shows without an output item:
            all variables that the model declares without a value.
        timeout: time limit in seconds; none by default.

    Raises:
        InvalidArgument: the model is wrong, has an objective, shows ``opt`` or ``float`` variables, or has a
            constraint or an unbounded variable that has no encoding as clauses. The message names it.
        SolverTimeout: the time limit passed.
        SolverNotFound: MiniZinc or Gecode is not installed.
        SolverFailed: the counters ran out of memory or failed.
        CatanError: the extra ``count`` is not installed, and there are more than `LISTED_MOST` solutions.

    Example:
        >>> queens = '''include "alldifferent.mzn";
        ... int: n;
        ... array[1..n] of var 1..n: q;
        ... constraint alldifferent(q);
        ... constraint alldifferent([q[i] + i | i in 1..n]);
        ... constraint alldifferent([q[i] - i | i in 1..n]);'''
        >>> count_solutions(queens, {"n": 6})
        4
    """
    return solution_count(model, data, show=show, timeout=timeout).number


def solution_count(
    model: Any, data: Any = None, *, show: Sequence[str] | None = None, timeout: float | None = None
) -> SolutionCount:
    """Return the number of solutions and the method. Arguments and errors are those of `count_solutions`."""
    with opened_model(model, data, timeout) as problem:
        names = problem.shown_names(show)
        writer = problem.encoded(names)
        if not writer.shown:  # A variable that is true stands for the only possible solution.
            writer.shown.add(writer.new())
            writer.add(writer.n)
        if () in writer.clauses:
            return SolutionCount(0, "MiniZinc")
        if installed_counters():
            with _counters(writer.text(writer.shown)) as jobs:
                return SolutionCount(*answer_of(problem.clock, jobs))
        rows = problem.rows(names, LISTED_MOST)
        if rows is None:
            raise CatanError(
                f"the model has more than {LISTED_MOST:,} solutions, and no model counter is installed; "
                f"{extra('count')}"
            )
        return SolutionCount(len(rows), "a list of all solutions")


def sample_solutions(
    model: Any,
    n: int,
    data: Any = None,
    *,
    show: Sequence[str] | None = None,
    seed: int | None = None,
    timeout: float | None = None,
) -> Iterator[dict[str, object]]:
    """Yield *n* random solutions of a MiniZinc model, independently and with replacement.

    If Gecode quickly lists all solutions, and there are at most `SAMPLED_MOST`, samples are exactly uniform.
    Otherwise, CMSGen samples nearly uniformly: no bound on its error is known. It chooses among assignments
    of all variables of the formula. So solutions are preferred that leave free more variables that are not
    shown, and those that its random search with restarts reaches more easily. Do not estimate small
    probabilities from its samples. The same seed gives the same samples with the same versions of MiniZinc
    and CMSGen.

    Args:
        model: the model, as for `count_solutions`.
        n: the number of samples.
        data: its data, as for `count_solutions`.
        show: the names of the shown variables, as for `count_solutions`.
        seed: seed of the samples; random by default.
        timeout: time limit in seconds for all samples; none by default.

    Yields:
        The values of the shown variables: numbers, Booleans, names of enum members, sets, and lists.

    Raises:
        Infeasible: the model has no solution.
        InvalidArgument: *n* or *seed* is not a whole number, or the errors of `count_solutions`.
        SolverTimeout, SolverNotFound, SolverFailed: as for `count_solutions`.
        CatanError: there are more solutions, and the extra ``count`` is not installed.

    Example:
        >>> list(sample_solutions("var 2..2: x; set of int: S = 1..3; array[S] of var 4..4: y;", 1))
        [{'x': 2, 'y': [4, 4, 4]}]
    """
    n, source = errors.check_count("n", n), errors.random_source(seed)
    return _samples(model, n, data, show, source, timeout)


def _samples(
    model: Any, n: int, data: Any, show: Sequence[str] | None, source: random.Random, timeout: float | None
) -> Iterator[dict[str, object]]:
    with opened_model(model, data, timeout) as problem:
        names = problem.shown_names(show)
        writer = problem.encoded(names)
        rows = problem.rows(names, SAMPLED_MOST, *_FEW_NODES)
        if rows == []:
            raise errors.Infeasible(
                "the model has no solution; find_conflict names constraints that exclude each other"
            )
        if rows is not None:
            rows.sort()
            for _ in range(n):
                yield _read_row(source.choice(rows))
            return
        if find_spec("pycmsgen") is None:
            raise CatanError(
                f"the model has more than {SAMPLED_MOST:,} solutions or is hard to list, and no sampler is "
                f"installed; {extra('count')}"
            )
        form = problem.printed_form()
        writer.vars(_FIELD.findall(form))  # before the formula is written, which needs their clauses
        path = problem.folder / "formula.cnf"
        path.write_text(writer.text([]), encoding="utf-8")
        with Workers(1) as pool:
            for start in range(0, n, _BATCH):
                size = min(_BATCH, n - start)
                job = pool.submit(sample_by_cmsgen, str(path), size, source.getrandbits(31))
                models = answer_of(problem.clock, {job: "pycmsgen"})[0]
                yield from problem.decoded(form, writer, models)


def find_conflict(model: Any, data: Any = None, *, timeout: float | None = None) -> errors.Conflict:
    """Return constraints of a MiniZinc model that exclude each other.

    Constraint items of the model's own text are removed one by one, and Chuffed tests the rest (Gecode for
    models with floats). Included files, declarations and data are kept. So ``items`` is empty if these have
    no solution themselves. An objective does not matter.

    Args:
        model: the model, as for `count_solutions`, of any types of variables.
        data: its data, as for `count_solutions`.
        timeout: time limit in seconds for the whole search; none by default. Each test has at most ten.

    Returns:
        The constraints as texts, and whether they are proven minimal.

    Raises:
        InvalidArgument: the model is wrong or has a solution.
        SolverTimeout: the time limit passed before the model was proved to have no solution.
        SolverNotFound: MiniZinc or the solver is not installed.

    Example:
        >>> find_conflict("var 1..9: x; constraint x > 5; constraint x != 7; constraint x < 4;")
        Conflict(fields=(), constraints=('constraint x > 5', 'constraint x < 4'), minimal=True)
    """
    with opened_model(model, data, timeout) as problem:
        items = [item for file in problem.files if file.suffix == ".mzn" for item in _items(file)]
        solver = find_solver("gecode" if any(map(_FLOAT.search, items)) else "auto")
        constraints = tuple(item for item in items if re.match(r"constraint\b", item))
        rest = [item for item in items if not re.match(r"(constraint|output|solve)\b", item)]
        texts = {str(number): text for number, text in enumerate(constraints)}  # equal texts stay apart

        def is_infeasible(kept: Fields) -> bool | None:
            text = ";\n".join([*rest, *(texts[str(number)] for number in kept), "solve satisfy;"])
            try:
                result = problem.on_model(*solver.choice, added=text, replaces=True, seconds=_PROOF_SECONDS)
            except SolverTimeout:
                problem.clock.left()  # raises if the caller's time limit passed
                return None
            return None if "=====UNKNOWN" in result.stdout else "=====UNSATISFIABLE=====" in result.stdout

        verdict = is_infeasible(tuple(texts))
        if verdict is None:
            raise SolverTimeout("no solver decided within the time limit whether the model has a solution")
        if not verdict:
            raise InvalidArgument(
                "model must have no solution; count_solutions counts the solutions of others"
            )
        conflict = minimal_conflict(tuple(texts), is_infeasible)
        kept = tuple(texts[number] for number in conflict.fields)
        return errors.Conflict(constraints=kept, minimal=conflict.minimal)


# Models and MiniZinc


@dataclass(frozen=True)
class _Problem:
    """The files of a model and its data, in a temporary folder or elsewhere."""

    files: tuple[Path, ...]
    solver: FoundSolver
    folder: Path
    group: Group
    clock: Clock

    def minizinc(
        self, *options: object, text: str = "", seconds: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run MiniZinc with *text* as its input.

        Raises:
            SolverTimeout: the time limit passed.
            SolverFailed: it does not start.
        """
        limit = self.clock.left() if seconds is None else self.clock.at_most(seconds)
        try:
            return run_minizinc(self.solver, options, text, limit, self.group)
        except subprocess.TimeoutExpired:
            raise SolverTimeout("the time limit passed while MiniZinc was running; allow more time") from None

    def on_model(
        self, *options: object, added: str = "", replaces: bool = False, seconds: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run MiniZinc on the model and its data with *added* text, which may replace the model.

        Raises:
            InvalidArgument: the model is wrong.
            SolverTimeout: *seconds* or the time limit passed.
            SolverFailed: MiniZinc does not start, or crashed.
        """
        more = self.folder / "added.mzn"
        more.write_text(added, encoding="utf-8")
        # Not the folders of data: files in the first folders hide those of the standard library.
        models = [file.parent for file in self.files if file.suffix in MODEL_ENDINGS]
        folders = [word for folder in dict.fromkeys(models) for word in ("-I", folder)]
        files = [file for file in self.files if not (replaces and file.suffix == ".mzn")]
        flags = ("--disable-warnings", "--allow-multiple-assignments")
        result = self.minizinc(*flags, *folders, *options, *files, more, seconds=seconds)
        if -result.returncode in CRASHES:
            raise SolverFailed(f"MiniZinc crashed: {last_words(result.stderr)}")
        if result.returncode != 0:
            messages = (result.stderr or result.stdout).replace(f"{self.folder}{os.sep}", "")
            raise InvalidArgument(f"model could not be compiled: {last_words(messages)}")
        return result

    def shown_names(self, show: Sequence[str] | None) -> list[str]:
        """Return the names of the shown variables, and check the kind of problem and their types."""
        interface = json.loads(self.on_model("--model-interface-only", *self.solver.choice).stdout)
        if interface["method"] != "sat":
            raise InvalidArgument(
                f"model must be a satisfaction problem, not 'solve {interface['method']}imize'; "
                "remove the objective"
            )
        types = interface["output"]
        if not isinstance(show, (str, Sequence, type(None))):
            raise InvalidArgument(f"show must be names of variables, not {errors.show(show)}")
        names = list(types if show is None else [show] if isinstance(show, str) else show)
        for name in names:
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise InvalidArgument(f"show must be names of variables, not {errors.show(name)}")
            kind = types.get(name, {"type": "int"})
            if kind["type"] not in ("int", "bool") or kind.get("optional"):
                what = "opt " * bool(kind.get("optional")) + kind["type"]
                raise InvalidArgument(
                    f"{name} must be of integers, Booleans or sets, not var {what}; show others"
                )
        return names

    def encoded(self, names: Sequence[str]) -> ClauseWriter:
        """Return the clauses of the model, with the named variables shown.

        Raises:
            InvalidArgument: the model is wrong, or something has no encoding as clauses.
        """
        flatzinc = self.folder / "model.fzn"
        choice = (*self.solver.choice[:2], "-G", "std")
        goal = ("--compile", "--fzn", flatzinc, "--ozn", self.folder / "model.ozn")
        marked = "".join(f"constraint catan_cp_shown({name});\n" for name in names)
        self.on_model(*choice, *goal, added=_PREDICATES + marked + _printing(names))
        writer = ClauseWriter(flatzinc.read_text(encoding="utf-8"))
        writer.encode_all(self.clock.left)
        return writer

    def rows(self, names: Sequence[str], most: int, *options: str) -> list[str] | None:
        """Return all solutions as texts, or None if there are more than *most* or the search was cut."""
        limit = ("-n", most + 1)
        output = self.on_model(*self.solver.choice, *limit, *options, added=_printing(names)).stdout
        rows = set(_marked(output))
        return list(rows) if _COMPLETE.search(output) and len(rows) <= most else None

    def printed_form(self) -> str:
        """Return a solution as a solver prints it, with FlatZinc variables in braces instead of values."""
        flatzinc = (self.folder / "model.fzn").read_text(encoding="utf-8")
        lines = [f"{name} = {{{name}}};\n" for name in _OUTPUT_VARIABLE.findall(flatzinc)]
        for name, sets, words in _OUTPUT_ARRAY.findall(flatzinc):
            cells = re.sub(r"\b(?!true\b|false\b)[A-Za-z_]\w*", r"{\g<0>}", words)
            lines.append(f"{name} = array{sets.count('..')}d({sets},[{cells}]);\n")
        return "".join([*lines, "----------\n"])

    def decoded(
        self, form: str, writer: ClauseWriter, models: Sequence[frozenset[int]]
    ) -> Iterator[dict[str, object]]:
        """Yield the solutions of models of the formula, each a set of true variables."""
        words = _FIELD.findall(form)
        printed = [form.format_map({word: writer.value(word, true) for word in words}) for true in models]
        result = self.minizinc("--ozn-file", self.folder / "model.ozn", text="".join(printed))
        rows = list(_marked(result.stdout))
        if len(rows) != len(models):
            raise SolverFailed(f"MiniZinc could not print the samples: {last_words(result.stderr)}")
        yield from map(_read_row, rows)


@contextmanager
def opened_model(model: Any, data: Any, timeout: float | None) -> Iterator[_Problem]:
    """Yield a model with its data, as files."""
    clock, solver, files = Clock(timeout), find_solver("gecode"), list[Path]()
    with ExitStack() as stack:
        folder, group = stack.enter_context(scratch_folder())
        if isinstance(data, Mapping) and data:  # MiniZinc rejects an empty object
            files.append(folder / "data.json")
            try:
                files[0].write_text(json.dumps(dict(data), default=encoded), encoding="utf-8")
            except TypeError as problem:
                raise InvalidArgument(f"data must be values for MiniZinc; {problem}") from None
        elif data is not None and data != {}:
            files.append(model_file("data", data, DATA_ENDINGS))
        if isinstance(model, str) and (";" in model or not model.endswith(".mzn")):
            files.append(folder / "model.mzn")
            files[-1].write_text(model, encoding="utf-8", errors="replace")
        elif isinstance(model, (str, os.PathLike)):
            files.append(model_file("model", model, MODEL_ENDINGS))
        else:
            from catan_cp.solving.binding import files_of  # which imports minizinc

            files += stack.enter_context(files_of(model, solver))
        yield _Problem(tuple(files), solver, folder, group, clock)


def _printing(names: Sequence[str]) -> str:
    """Return an output item that prints the values of variables as one line of JSON."""
    cells = ' ++ ", " ++ '.join(f'"\\"{name}\\": " ++ showJSON({name})' for name in names) or '""'
    return f'output ["\\n{_MARK}{{" ++ {cells} ++ "}}\\n"];\n'


def _marked(output: str) -> Iterator[str]:
    for line in output.splitlines():
        if line.startswith(_MARK):
            yield line.removeprefix(_MARK)


def _read_row(text: str) -> dict[str, object]:
    """Return the values in JSON, with enum members as names and sets as sets."""

    def convert(value: dict[str, Any]) -> object:
        if set(value) == {"e"}:
            return value["e"]
        if set(value) == {"set"}:
            spans = [[item, item] if not isinstance(item, list) else item for item in value["set"]]
            return {i for a, b in spans for i in ([a] if a == b else range(a, b + 1))}
        return value

    values: dict[str, object] = json.loads(text, object_hook=convert)
    return values


def _items(file: Path) -> list[str]:
    """Return the items of a model's text, without comments and semicolons."""
    items, depth = [""], 0
    for comment, piece in _PIECE.findall(file.read_text(encoding="utf-8", errors="replace")):
        depth += (piece in tuple("([{")) - (piece in tuple(")]}"))
        if piece == ";" and depth == 0:
            items.append("")
        else:
            items[-1] += " " if comment else piece
    return [item.strip() for item in items if item.strip()]


# Counters and the sampler


def installed_counters() -> list[str]:
    """Return the names of the installed model counters."""
    return [name for name, (module, _) in COUNTERS.items() if find_spec(module)]


@contextmanager
def _counters(formula: str) -> Iterator[dict[Future[int], str]]:
    """Yield the running jobs of all counters on a formula. They end with the context."""
    names = installed_counters()
    with scratch_folder() as (folder, _), Workers(len(names)) as pool:
        path = folder / "formula.cnf"
        path.write_text(formula, encoding="utf-8")
        yield {pool.submit(COUNTERS[name][1], str(path)): name for name in names}


@contextmanager
def counting_task(task: Task) -> Iterator[dict[Future[int], str]]:
    """Yield the running jobs that count the solutions of a task, none if there is no counter."""
    with ExitStack() as stack:
        jobs: dict[Future[int], str] = {}
        if installed_counters():
            with suppress(InvalidArgument, SolverFailed):  # no encoding, so no job
                formula = dimacs(compile_plain(task))
                if NOTHING_SHOWN not in formula:
                    jobs = stack.enter_context(_counters(formula))
        yield jobs


def tile_cases(
    constraints: Sequence[Constraint], layout: Layout, timeout: float | None
) -> list[dict[int, str]] | None:
    """Return the combinations of terrains that constraints allow on the few tiles that they name.

    MiniZinc evaluates the constraints without any other rule.

    Returns:
        The terrain of each named tile, per combination. None if the constraints name other variables or
        arrays of the models, more than `CASE_TILES` tiles, or tiles by other expressions than numbers, or
        if MiniZinc cannot evaluate them.

    Raises:
        SolverTimeout: *timeout* seconds passed.
    """
    known = {"terrain", *terrain_words(layout.terrain_codes), *FUNCTIONS, *GLOBALS}
    if any(constraint.has_variables or not constraint.names <= known for constraint in constraints):
        return None
    words = " ".join(token.text for constraint in constraints for token in constraint.tokens)
    tiles = {int(index) if index else 0 for index in _TERRAIN_AT.findall(words)}
    if not 0 < len(tiles) <= CASE_TILES or not tiles <= set(range(1, layout.n_tiles + 1)):
        return None
    joined = join_constraints(constraints, {}, layout.terrain_codes)
    assert joined is not None
    names = {code: name for name, code in layout.terrain_codes.items()}
    text = (
        f"array[1..{layout.n_tiles}] of var 1..{max(names)}: terrain;\n"
        f"constraint forall(t in index_set(terrain) where not (t in {tiles}))(terrain[t] = 1);\n"
    )
    try:
        with opened_model(text + joined.text, None, min(timeout or OWN_SECONDS, OWN_SECONDS)) as problem:
            rows = problem.rows(["terrain"], len(names) ** len(tiles))
    except SolverTimeout:
        if timeout is not None and timeout < OWN_SECONDS:
            raise
        return None
    except CatanError:  # An error in the text is reported with its place when the models are compiled.
        return None
    if rows is None:
        return None
    cases = [json.loads(row)["terrain"] for row in sorted(rows)]
    return [{t - 1: names[row[t - 1]] for t in sorted(tiles)} for row in cases]


def answer_of(clock: Clock, jobs: dict[Future[Answer], str]) -> tuple[Answer, str]:
    """Return the first result of several jobs and the name of the job.

    Raises:
        SolverTimeout: the time limit passed.
        SolverFailed: all jobs failed.
    """
    failures = []
    while jobs:
        clock.left()
        for job in wait(jobs, timeout=_LOOK, return_when=FIRST_COMPLETED).done:
            name = jobs.pop(job)
            problem = job.exception()
            if problem is None:
                return job.result(), name
            failures.append(f"{name}: {problem}")
    raise SolverFailed(f"no program finished within its memory limit of 8 GiB ({errors.listed(failures)})")
