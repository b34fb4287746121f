"""catan-cp best, repair, puzzle, export and models: what the open models are for."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catan_cp.cli.common import (
    BoardLayout,
    Format,
    Harbors,
    HowWritten,
    LayoutName,
    Models,
    Notation,
    OwnConstraints,
    Pattern,
    RulesName,
    Seed,
    SolverName,
    Timeout,
    named_file,
    read_board,
    read_layout,
    read_rules,
    written,
)
from catan_cp.cli.terminal import say

if TYPE_CHECKING:
    from catan_cp.search.best import Best


class Model(StrEnum):
    """Which model is written."""

    TERRAIN = "terrain"
    MARKERS = "markers"
    JOINT = "joint"


class Written(StrEnum):
    """How a model is written."""

    MZN = "mzn"
    DZN = "dzn"
    JSON = "json"


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    for command in (best, repair, puzzle, export):
        app.command()(command)
    app.command("models")(models_)


def best(
    layout: LayoutName = "base",
    rules: RulesName = "optimal",
    harbors: Harbors = None,
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    minimize: Annotated[
        list[str] | None,
        typer.Option(help="A measure's name, or MiniZinc text of a number; later ones settle ties."),
    ] = None,
    maximize: Annotated[list[str] | None, typer.Option(help="Likewise; after those to minimize.")] = None,
    measures: Annotated[bool, typer.Option("--measures", help="Print the named measures instead.")] = False,
    solver: SolverName = "auto",
    timeout: Timeout = None,
    how: HowWritten = Format.NOTATION,
) -> None:
    """Print the best board that the rules allow, by a measure; Ctrl-C gives the best so far.

    [bold]catan-cp best --rules open --minimize largest_vertex_sum[/bold]
    """
    from catan_cp.search import best as search

    if measures:
        print("".join(f"{name}: {says}\n" for name, says in search.measures(models).items()), end="")
        return
    found = search.best_board(
        read_rules(rules, harbors, pattern, constraint, models),
        read_layout(layout),
        minimize=minimize or None,
        maximize=maximize or None,
        solver=solver,
        timeout=timeout,
        improved=_tell,
    )
    print(written(found.board, how))
    say(_told(found))


def _tell(found: Best) -> None:
    say(f"found: {_numbers(found.value)}")


def _told(found: Best) -> str:
    if found.proven:
        return f"value {_numbers(found.value)}: proven, no board is better"
    return f"value {_numbers(found.value)}: the best so far; no board is better than {_numbers(found.bound)}"


def _numbers(value: int | tuple[int, ...]) -> str:
    return str(value) if isinstance(value, int) else ", ".join(map(str, value))


def repair(
    notation: Notation,
    layout: BoardLayout = None,
    rules: RulesName = "optimal",
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    solver: SolverName = "auto",
    timeout: Timeout = None,
    how: HowWritten = Format.NOTATION,
) -> None:
    """Print the allowed board that differs from a board on the fewest tiles.

    [bold]catan-cp repair o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 --rules tournament[/bold]
    """
    from catan_cp.search.best import repair_board

    given = read_board(notation, layout)
    allowed = read_rules(rules, None, pattern, constraint, models)
    found = repair_board(given, allowed, solver=solver, timeout=timeout)
    print(written(found.board, how))
    certain = "proven, fewer will not do" if found.proven else f"the best so far, at least {found.bound}"
    say(f"{found.value} tiles differ: {certain}")


def puzzle(
    notation: Notation,
    layout: BoardLayout = None,
    rules: RulesName = "optimal",
    constraint: OwnConstraints = None,
    models: Models = None,
    seed: Seed = None,
    solver: SolverName = "auto",
    timeout: Timeout = None,
) -> None:
    """Print a pattern that the board alone completes under the rules, with no clue too many.

    [bold]catan-cp generate -f notation | catan-cp puzzle -[/bold]
    """
    from catan_cp.search.puzzles import minimal_pattern

    allowed = read_rules(rules, None, None, constraint, models)
    print(minimal_pattern(read_board(notation, layout), allowed, seed=seed, solver=solver, timeout=timeout))


def export(
    what: Annotated[Model, typer.Argument(help="terrain, markers or joint: complete boards")],
    layout: LayoutName = "base",
    rules: RulesName = "optimal",
    harbors: Harbors = None,
    pattern: Pattern = None,
    constraint: OwnConstraints = None,
    models: Models = None,
    on: Annotated[str | None, typer.Option("--on", help="For markers: the terrain, in notation.")] = None,
    how: Annotated[
        Written,
        typer.Option("--format", "-f", help="mzn: one file that needs nothing else; dzn, json: the data."),
    ] = Written.MZN,
) -> None:
    """Print a model for MiniZinc and its IDE, or the data for the models of catan-cp models.

    [bold]catan-cp export joint > board.mzn[/bold]
    """
    from catan_cp.search.instances import export_model

    allowed = read_rules(rules, harbors, pattern, constraint, models)
    terrain = None if on is None else read_board(on, named_file(layout))
    print(export_model(what.value, allowed, read_layout(layout), terrain=terrain, how=how.value), end="")


def models_(
    folder: Annotated[Path, typer.Argument(help="A folder that is not there yet, or is empty.")],
) -> None:
    """Copy the models into a folder, to be edited; --models FOLDER then uses them.

    [bold]catan-cp models mine[/bold]
    """
    from catan_cp.solving.models import copy_models

    say(f"copied to {copy_models(folder)}; edit them, and give --models {folder}")
