"""catan-cp entropy: score, search, official, hypothesis, skew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.boards.pieces import TERRAINS
from catan_cp.cli.options import (
    BoardLayout,
    Force,
    Format,
    Given,
    HowWritten,
    LayoutName,
    Seed,
    SeedOf,
    names,
    names_or_files,
    read_layout,
    read_one,
    read_rules,
    spread,
    written,
)
from catan_cp.cli.terminal import bar, say
from catan_cp.rules.rules import PRESETS
from catan_cp.terminal import tell

T = TypeVar("T")

app = typer.Typer(help="How even a board is, and boards made to measure.", no_args_is_help=True)

DataFile = Annotated[Path, typer.Argument(help="A new .csv or SQLite (.db) file for the numbers.")]
Picture = Annotated[Path | None, typer.Option(help="Where to draw; the data file with .png if not given.")]
Boards = Annotated[int, typer.Option(help="How many random boards.")]
Steps = Annotated[int, typer.Option(help="How many swaps on each.")]


@app.command()
@spread
def score(*, given: Given) -> None:
    """Print each terrain's efficiency beside its target, and the error.

    [bold]catan-cp entropy score ogw/gbol/lgblw/bwlo/dgw[/bold]
    """
    from catan_cp.entropy import efficiency, efficiency_error
    from catan_cp.entropy.scorer import read_targets

    board = given.board()
    goals = read_targets(board.layout)
    for name, value in efficiency(board).items():
        tell(f"{name:<8} {value:.4f}   target {format(goals[name], '.2f') if name in goals else '-'}")
    tell(f"error    {efficiency_error(board):.6f}")


@app.command()
def search(
    start: Annotated[
        str,
        typer.Argument(
            help="A layout, a TOML file with one, a board in notation, or -.",
            autocompletion=names_or_files(LAYOUTS),
        ),
    ] = "seafarers-8",
    layout: BoardLayout = None,
    steps: Annotated[int, typer.Option(help="How many swaps to try.")] = 5000,
    power: Annotated[float, typer.Option(help="The skew power; inf for infinity.")] = 1.0,
    normalization: Annotated[
        str,
        typer.Option(help="static or dynamic.", autocompletion=names(lambda: ("static", "dynamic"))),
    ] = "static",
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Keep swaps that raise the error.")] = False,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules",
            "-r",
            help="Rules that every swap must keep.",
            autocompletion=names_or_files(PRESETS),
        ),
    ] = None,
    seed: Seed = None,
    how: HowWritten = Format.NOTATION,
) -> None:
    """Swap tiles towards the target efficiencies, and print the board.

    [bold]catan-cp entropy search seafarers-8 --seed 1 | catan-cp plot - --save even.png[/bold]
    """
    from catan_cp.entropy import search_swaps

    begin: Board | Layout
    named = start in LAYOUTS or start.endswith(".toml")
    begin = read_layout(start) if named else read_one(start, layout)
    allowed = None if rules is None else read_rules(rules)
    result, stopped = _run(
        lambda progress: search_swaps(
            begin, steps, power, normalization, not keep_all, seed, rules=allowed, progress=progress
        )
    )
    tell(written(result.board, how))
    say(f"error {result.errors[0]:.6f} -> {result.error:.6f}: {result.steps} steps, {result.accepted} kept")
    _leave(stopped)


@app.command()
def official() -> None:
    """Print the average efficiencies of the published tilings, per layout and terrain."""
    from catan_cp.entropy import official_average, official_boards, official_efficiencies

    tell(f"{'layout':13}{'boards':>7}" + "".join(f"{name:>9}" for name in TERRAINS))
    layouts = official_efficiencies()
    counts = {layout: len(official_boards(layout)) for layout in layouts}
    for name, row in {**layouts, "all": official_average()}.items():
        cells = "".join(f"{row[terrain]:9.5f}" if terrain in row else f"{'-':>9}" for terrain in TERRAINS)
        tell(f"{name:13}{counts.get(name, sum(counts.values())):7}{cells}")


@app.command()
def hypothesis(
    file: DataFile,
    picture: Picture = None,
    boards: Boards = 20,
    steps: Steps = 1000,
    layout: LayoutName = "seafarers-8",
    seed: SeedOf = 0,
    force: Force = False,
) -> None:
    """Repeat the article's swap hypothesis: write the swaps, and draw them.

    Does swapping a terrain that is too even with one that is not even enough help?
    """
    from catan_cp.draw import save_picture
    from catan_cp.experiments import plot_swap_hypothesis, swap_hypothesis
    from catan_cp.experiments.hypothesis import KEPT

    target, where = _picture_beside(file, picture, force), read_layout(layout)
    result, stopped = _run(
        lambda progress: swap_hypothesis(boards, steps, where, seed, file=file, progress=progress)
    )
    say(f"drawn: {save_picture(plot_swap_hypothesis(result), target, force=force)}")
    for kept in KEPT:
        tell(f"{kept}: {len(result.of(kept))} swaps, correlation {result.correlation(kept):.3f}")
    _leave(stopped)


@app.command()
def skew(
    file: DataFile,
    picture: Picture = None,
    boards: Boards = 100,
    steps: Steps = 5000,
    layout: LayoutName = "seafarers-8",
    seed: SeedOf = 0,
    force: Force = False,
) -> None:
    """Repeat the article's skew powers: write the mean errors, and draw them.

    Which power, and which normalisation, finds even boards soonest?
    """
    from catan_cp.draw import save_picture
    from catan_cp.experiments import plot_skew_powers, skew_powers

    target, where = _picture_beside(file, picture, force), read_layout(layout)
    result, stopped = _run(
        lambda progress: skew_powers(boards, steps, where, seed, file=file, progress=progress)
    )
    say(f"drawn: {save_picture(plot_skew_powers(result), target, force=force)}")
    for (normalization, power), curve in result.curves.items():
        tell(f"{normalization:8} power {power:<4g} mean error {curve[-1]:.6f} after {len(curve) - 1} steps")
    _leave(stopped)


def _picture_beside(file: Path, picture: Path | None, force: bool) -> Path:
    """Return where the picture goes, refused now rather than after the work."""
    from catan_cp.draw.files import ENDINGS, checked_path

    return checked_path(picture or file.with_suffix(".png"), ENDINGS, force=force)


def _run(work: Callable[[Callable[[int, int], None] | None], T]) -> tuple[T, str]:
    """Run *work* under a progress bar; Ctrl-C gives what was done until then, and why it ended."""
    from catan_cp.errors import Interrupted

    with bar("searching") as progress:
        try:
            return work(progress), ""
        except Interrupted as stop:
            return stop.result, str(stop)


def _leave(stopped: str) -> None:
    if stopped:
        say(f"catan-cp: interrupted, {stopped}; what was done is kept, and the same command starts again")
        raise typer.Exit(1)
