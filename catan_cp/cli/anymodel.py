"""The commands for solutions and conflicts of any MiniZinc model."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from catan_cp.cli import options as opt
from catan_cp.cli.options import argument, option
from catan_cp.errors import amount
from catan_cp.terminal import CountedResults, explained_interrupt, say, tell


@dataclass(frozen=True)
class _Model:
    """A MiniZinc model with its data as words."""

    what: Literal["model"] = argument(..., "The word model.")
    file: Path = argument(..., "MiniZinc model, FILE.mzn.")
    data: list[Path] | None = argument(None, "Files of its data, *.dzn or *.json.")


def sample(
    *,
    model: _Model,
    number: int = option(1, "Number of samples.", "-n", "--number", "--n"),
    shown: list[str] | None = option(
        None, "Shown variable; by default those that MiniZinc shows. Repeatable.", "--show"
    ),
    seed: opt.Seed = None,
    timeout: float | None = option(None, "Time limit in seconds; none by default."),
) -> None:
    """Print random solutions of a MiniZinc model as JSON, all with the same probability.

    [bold]catan-cp sample model queens.mzn queens8.dzn -n 3[/bold]
    """
    from catan_cp.anymodel.sample import sample_solutions

    rows = sample_solutions(model.file, number, model.data, show=shown, seed=seed, timeout=timeout)
    again = f"the same command starts again{' with other samples' if seed is None else ''}"
    with (
        CountedResults() as results,
        explained_interrupt(lambda: f"printed: {results.printed:,} of {amount(number, 'sample')}; {again}"),
    ):
        for row in rows:
            results.print(partial(tell, json.dumps(row, default=sorted)))  # sets as lists


def conflict(
    *,
    model: _Model,
    timeout: float | None = option(None, "Time limit in seconds; none by default."),
) -> None:
    """Print constraints of a MiniZinc model that exclude each other.

    [bold]catan-cp conflict model rota.mzn week12.dzn[/bold]
    """
    from catan_cp.anymodel.explain import find_conflict

    start = time.monotonic()
    conflict = find_conflict(model.file, model.data, timeout=timeout)
    for item in conflict.items:
        tell(item)
    minimal = "none can be left out" if conflict.minimal else "fewer may exclude each other"
    if not conflict.items:
        minimal = "declarations and included files exclude each other"
    n = len(conflict.items)
    say(f"{n} constraint{'s' * (n != 1)}, {minimal}; {time.monotonic() - start:.1f} s")
