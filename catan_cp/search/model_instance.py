"""Instances of the `minizinc` package for users, with the data of rules and a layout."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, amount, did_you_mean, show
from catan_cp.minizinc_text import tokens
from catan_cp.model_files import model_text
from catan_cp.solving.binding import TICK, TaskInstance, event_loop
from catan_cp.solving.compiling import Task
from catan_cp.solving.driver import minizinc, package
from catan_cp.solving.find import FoundSolver
from catan_cp.terminal import brief, html_table, html_text

_SHOWN = 3
"""The maximum number of solutions of a result that a notebook shows."""
_SIZE = re.compile(r' width="[^"]*" height="[^"]*"')
_WIDE = ' width="100%"'


class ModelInstance(TaskInstance):
    """An instance of a model that rejects undeclared parameters.

    Attributes:
        layout: the layout whose data it has.
    """

    def __init__(self, task: Task, solver: FoundSolver, layout: Layout, names: Iterable[str]) -> None:
        package()  # sets the default driver, for instances that users make
        super().__init__(task, solver)
        self.layout, self.names = layout, frozenset((*names, *task.data))

    def __setitem__(self, name: str, value: Any) -> None:
        """Set the value of a parameter.

        Raises:
            InvalidArgument: neither the models nor added text declares it.
        """
        added = [*self.texts, *(model_text(file) for file in self.added_files if file.suffix == ".mzn")]
        if name not in self.names.union(token.text for text in added for token in tokens(text)):
            hint = did_you_mean(name, sorted(self.names)).strip()
            raise InvalidArgument(
                f"parameter must be a name that the model declares, not {show(name)}; {hint}".rstrip("; ")
            )
        super().__setitem__(name, value)

    def analyse(self) -> None:
        """Analyse the model, and let `Board.from_solution` find the layout by the type of the solutions."""
        super().analyse()
        with suppress(TypeError):  # a built-in type
            self.output_type.catan_layout = self.layout
            self.output_type.__repr__ = lambda solution: brief("Solution", vars(solution))
            self.output_type._repr_html_ = _solution_html

    def solve(self, *args: Any, **options: Any) -> Any:
        """Solve as `minizinc.Instance.solve` does, also in an event loop, as in notebooks."""
        with event_loop() as loop:
            future = asyncio.run_coroutine_threadsafe(super().solve_async(*args, **options), loop)
            try:
                while not wait([future], TICK).done:
                    pass
            finally:
                self.kill()
        result = future.result()
        return ModelResult(result.status, result.solution, result.statistics)

    @contextmanager
    def branch(self) -> Iterator[ModelInstance]:
        """Yield an independent copy of the instance, for further constraints and data."""
        task = replace(self.task, data=self.values)
        child = ModelInstance(task, self.found_solver, self.layout, self.names)
        for text in self.texts:
            child.add_string(text)
        for file in self.added_files:
            child.add_file(file)
        try:
            yield child
        finally:
            child.close()

    def _repr_html_(self) -> str:
        rows = [(name, show(value)) for name, value in self.values.items()]
        title = html_text(f"{self!r}: {amount(len(rows), 'parameter')}")
        return f"<details><summary>{title}</summary>{html_table(rows, ('parameter', 'value'))}</details>"

    def __repr__(self) -> str:
        solver = self.found_solver.entry["name"]
        return f"<{type(self).__name__} on {self.layout.name!r} for {solver}>"


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
