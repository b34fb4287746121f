"""Single questions and instances for users, through the `minizinc` package.

A question calls `minizinc.Instance.solutions` on a model with its data. Each solution is checked against the
pieces. If the run fails, the model is compiled and solved again with `listing.rows`, which finds the cause or
uses another solver. Custom text and edited models are compiled first, to check their numbers. So crashes,
invalid output and errors in custom text raise the same exceptions with or without the package. Files of the
package do not outlive this process, nor do its programs (see `driver`).

These private names of the package are used here. `pyproject.toml` allows its versions 0.9 and 0.10:

* `Instance._method_cache` and `_has_output_item_cache`. Setting them avoids a run that analyses the model.
* `Instance._code_fragments` and `_parent`, to know the declared names, `_data` and `_driver`.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, InvalidRules, at_place, did_you_mean, offset, show
from catan_cp.model_files import edited, models_dir
from catan_cp.processes import scratch_folder
from catan_cp.solving.compiling import (
    DATA_ENDINGS,
    MODEL_ENDINGS,
    PLACE,
    Task,
    TimeLeft,
    compile_model,
    data_for,
    first_complaint,
    model_file,
)
from catan_cp.solving.driver import Driver, configuration, event_loop, minizinc
from catan_cp.solving.find import FoundSolver
from catan_cp.solving.listing import late, minizinc_options, rows
from catan_cp.terminal import brief, html_table, html_text

_DONE = {minizinc.Status.UNSATISFIABLE, minizinc.Status.OPTIMAL_SOLUTION, minizinc.Status.ALL_SOLUTIONS}
"""The statuses after which no other or better solution exists."""
_FAILED = (minizinc.MiniZincError, OSError, ValueError)
"""The exceptions raised if MiniZinc fails, does not start, or prints an invalid solution."""
_FRAGMENT = "mzn_fragment"
"""The prefix of the names of files to which the package writes added text."""
_WRITTEN = ("mzn_data", _FRAGMENT)
"""The prefixes of the names of files that the package writes."""
_NAME = re.compile(r"\w+")
_SHOWN = 3
"""The maximum number of solutions of a result that a notebook shows."""
_SIZE = re.compile(r' width="[^"]*" height="[^"]*"')
_WIDE = ' width="100%"'


def first_answer(
    task: Task, solver: FoundSolver, time_left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> list[int] | None:
    """Return a solution, or None. Arguments and errors are those of `answers`."""
    return next(answers(task, solver, time_left, seed=seed, free=free))


def answers(
    task: Task, solver: FoundSolver, time_left: TimeLeft, *, seed: int | None = None, free: bool = False
) -> Generator[list[int] | None, None, None]:
    """Yield a solution, or better and better ones if there is an objective, then None.

    None means that no further solution exists. Custom text and edited models are compiled first, so that
    their numbers can be checked. A failed run is repeated on the compiled model, from the beginning.

    Args:
        task: the model and its data.
        solver: the solver.
        time_left: returns the seconds left.
        seed: makes the solver's random choices reproducible.
        free: True if the solver may ignore the search annotation of the model.

    Raises:
        SolverTimeout: the time limit passed.
        InvalidRules: custom text or an edited model has an error. The message shows the place.
        SolverFailed: the solver did not start, printed an invalid solution, or stopped without an answer.
    """
    if task.own is not None or edited(task.models):
        compiled = compile_model(task, solver, time_left())
        if compiled.solver != solver:  # The numbers are too large for the first one.
            yield from rows(compiled, time_left, seed=seed, free=free)
            return
    seconds, n_solutions = time_left(), 0
    deadline = None if seconds is None else time.monotonic() + seconds
    driver = Driver(solver, models_dir(task.models), seconds)
    options = {"--disable-warnings": True, **minizinc_options(solver, seconds, seed, free)}
    model = _model(replace(task, data=data_for(task, solver)))
    model.output_type = dict
    instance = ModelInstance(configuration(solver), model, driver)
    # The package needs neither the method nor the variables of the model, so MiniZinc need not analyse it.
    instance._method_cache, instance._has_output_item_cache = minizinc.Method.SATISFY, True
    results = instance.solutions(intermediate_solutions=not solver.flags.isdisjoint(("-i", "-a")), **options)

    async def following() -> Any:
        return await anext(results, None)

    with suppress(*_FAILED), event_loop() as finish:
        try:
            while (result := finish(following())) is not None:
                if result.solution is not None:
                    row = _row(task, result.solution)
                    n_solutions += 1
                    yield row
                if result.status in _DONE:
                    yield None
                    return
        finally:
            if driver.latest is not None:
                driver.latest.end()
    # The run failed, since it has not returned. It is repeated on the compiled model below.
    if deadline is not None and time.monotonic() >= deadline - 0.05:
        raise late(n_solutions)
    yield from rows(compile_model(task, solver, time_left()), time_left, seed=seed, free=free)


def _row(task: Task, solution: dict[str, Any]) -> list[int]:
    """Return the numbers of a solution in the model's output.

    Raises:
        ValueError: the output is not a solution.
    """
    row = json.loads(solution["_output_item"])
    if not isinstance(row, list) or any(type(number) is not int for number in row):
        raise ValueError
    if task.fits is not None and not task.fits(np.array([row])):
        raise ValueError
    return row


class ModelResult(minizinc.Result):  # type: ignore[misc]
    """A result of `ModelInstance.solve`, with a short `repr` and a picture in notebooks."""

    def __repr__(self) -> str:
        many = isinstance(self.solution, list)
        solved = {"solutions": len(self.solution)} if many else {"solution": self.solution}
        return brief("Result", {"status": self.status.name, **solved})

    def _repr_html_(self) -> str:
        many = isinstance(self.solution, list)
        some = self.solution[:_SHOWN] if many else [self.solution]
        pictures = [item._repr_html_() for item in some if hasattr(item, "_repr_html_")]
        rows = [("status", self.status.name)]
        if many:  # side by side
            rows.append(("solutions", f"{len(self.solution):,}, the first {len(some)} shown"))
            style = f"display: grid; grid-template-columns: repeat({_SHOWN}, 1fr)"
            pictures = [f"<div>{_SIZE.sub(_WIDE, picture, count=1)}</div>" for picture in pictures]
            pictures = [f'<div style="{style}">', *pictures, "</div>"]
        return "".join(pictures) + html_table(rows)


def _solution_html(solution: Any) -> str:
    """Return the picture of a solution's board, or its numbers if it has no terrain."""
    if getattr(solution, "catan_layout", None) is not None and hasattr(solution, "terrain"):
        return Board.from_solution(solution)._repr_svg_()
    return html_table([(name, show(value)) for name, value in vars(solution).items()])


class ModelInstance(minizinc.Instance):  # type: ignore[misc]
    """An instance of a model that rejects undeclared parameters.

    Its files are removed even if this process is killed.

    Attributes:
        layout: the layout whose data it has.
    """

    layout: Any = None
    _names: frozenset[str] = frozenset()

    def __setitem__(self, name: str, value: Any) -> None:
        """Set the value of a parameter.

        Raises:
            InvalidArgument: neither the models nor added text declares it.
        """
        names: set[str] = set(self._names)
        instance: Any = self
        while instance is not None:
            names.update(*map(_NAME.findall, instance._code_fragments))
            instance = instance._parent
        if name in names:
            self._data.pop(name, None)  # the package accepts only one value
            super().__setitem__(name, value)
            return
        hint = did_you_mean(name, sorted(self._names)).strip()
        raise InvalidArgument(
            f"parameter must be a name that the model declares, not {show(name)}; {hint}".rstrip("; ")
        )

    def analyse(self) -> None:
        """Analyse the model, and let `Board.from_solution` find the layout by the type of the solutions."""
        super().analyse()
        self.mark()

    def mark(self) -> None:
        """Store the layout in the type of the solutions, except if that is a built-in type."""
        with suppress(TypeError):
            self.output_type.catan_layout = self.layout
            self.output_type.__repr__ = lambda solution: brief("Solution", vars(solution))
            self.output_type._repr_html_ = _solution_html

    def _repr_html_(self) -> str:
        rows = [(name, show(value)) for name, value in self._data.items()]
        title = html_text(f"{self!r}: {len(rows)} parameters")
        return f"<details><summary>{title}</summary>{html_table(rows, ('parameter', 'value'))}</details>"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self.layout.name!r} for {self._solver.name}>"

    def solve(self, *args: Any, **options: Any) -> Any:
        """Solve as `minizinc.Instance.solve` does, also in an event loop, as in notebooks."""
        with event_loop() as finish:
            result = finish(super().solve_async(*args, **options))
        return ModelResult(result.status, result.solution, result.statistics)

    @contextmanager
    def files(self) -> Iterator[list[Path]]:
        """Yield the files of the instance. Those of the package are in a temporary folder."""
        with scratch_folder() as (folder, _):
            with super().files() as files:
                paths = [
                    Path(shutil.copy(file, folder))
                    if file.name.startswith(_WRITTEN)
                    else model_file("file of a model", file, (*MODEL_ENDINGS, *DATA_ENDINGS))
                    for file in files
                ]
            (folder / "last.mzn").touch()  # MiniZinc writes its files beside the last one
            try:
                yield [*paths, folder / "last.mzn"]
            except minizinc.MiniZincError as error:
                self._reject_text(error)
                raise

    def _reject_text(self, error: Any) -> None:
        """Raise an error that shows the place if MiniZinc's *error* is in a text that was added.

        Raises:
            InvalidRules: it is.
        """
        place = error.location
        where = place and (place.file, place.lines[0], place.columns[0])
        if place is None and (match := PLACE.search(str(error))):
            where = match[1], int(match[2]), int(match[3])
        if where is None or not Path(where[0]).name.startswith(_FRAGMENT):
            return
        written = Path(where[0]).read_text(encoding="utf-8")
        wrong_at, end, why = offset(written, *where[1:]), 0, str(error)
        instance: Any = self
        while instance is not None:
            for text in instance._code_fragments:
                begins = written.find(text, end)
                end = begins + len(text)
                if begins <= wrong_at <= end:
                    why = first_complaint(why) if "rror:" in why else why
                    raise InvalidRules(f"the added text, {at_place(text, wrong_at - begins, why)}") from None
            instance = instance._parent

    @contextmanager
    def branch(self) -> Iterator[ModelInstance]:
        """Yield a child of the instance with the same layout, names and driver."""
        with super().branch() as child:
            child.layout, child._names, child._driver = self.layout, self._names, self._driver
            yield child


def open_instance(task: Task, solver: FoundSolver, layout: Any, names: Iterable[str]) -> ModelInstance:
    """Return an instance of a task's model with its data and custom text.

    Args:
        task: the model and its data.
        solver: the solver.
        layout: the layout of the data.
        names: the names that the models declare.
    """
    instance = ModelInstance(configuration(solver), _model(task), Driver(solver, models_dir(task.models)))
    instance.layout, instance._names = layout, frozenset((*names, *task.data))
    instance.mark()
    return instance


@contextmanager
def files_of(model: object, solver: FoundSolver) -> Iterator[list[Path]]:
    """Yield the files of a `minizinc.Model` or `minizinc.Instance` with its data.

    Raises:
        InvalidArgument: *model* is neither.
    """
    if not isinstance(model, minizinc.Model):
        kinds = "a minizinc.Model, a minizinc.Instance, a text or the path of a file"
        raise InvalidArgument(f"model must be {kinds}, not {show(model)}")
    if not isinstance(model, minizinc.Instance):
        model = ModelInstance(configuration(solver), model, Driver(solver))
    with model.files() as files:
        yield files


def _model(task: Task) -> Any:
    """Return a task's model with its data and custom text."""
    model = minizinc.Model([models_dir(task.models) / f"{task.model}.mzn"])
    for name, value in task.data.items():
        model[name] = value
    if task.own is not None:
        model.add_string(task.own.text)
    return model
