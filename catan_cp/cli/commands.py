"""All commands, as one application of typer."""

from __future__ import annotations

from logging import ERROR, getLogger
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from catan_cp import __version__
from catan_cp.cli import boards, many, settling, tools
from catan_cp.cli.options import Command, spread

PANELS: dict[str, tuple[Command, ...]] = {
    "Make boards": (boards.generate, boards.best, boards.repair, boards.puzzle, boards.plot, boards.print_),
    "Judge boards": (boards.check, boards.report, boards.rules),
    "Settle and play": (
        settling.place,
        settling.rivals,
        settling.experiment,
        settling.play,
        tools.tournament,
        tools.replan,
    ),
    "Many boards": (many.enumerate_, many.count, many.study, many.top, many.show, many.compare),
    "Tools": (tools.layouts, tools.export, tools.models_, tools.page, tools.doctor),
}
"""The commands in the order of their help: a function each, named as its command is."""
ENTROPY: tuple[Command, ...] = (boards.score, boards.search, boards.official, boards.hypothesis, boards.skew)
"""The commands below ``catan-cp entropy``."""


class _Ended(BaseException):
    """Carries past typer what typer would turn into an exit status of its own."""


class _Commands(TyperGroup):
    """Commands whose Ctrl-C and closed pipes reach the caller of `run`."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, OSError, EOFError) as end:
            raise _Ended from end


app = typer.Typer(
    cls=_Commands,
    name="catan-cp",
    help="Catan boards as a constraint problem: generate, enumerate, count, score and draw them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for panel, commands in PANELS.items():
    for command in commands:
        app.command(command.__name__.rstrip("_"), rich_help_panel=panel)(spread(command))
entropy = typer.Typer(help="How even a board is, and boards made to measure.", no_args_is_help=True)
for command in ENTROPY:
    entropy.command(command.__name__)(spread(command))
app.add_typer(entropy, name="entropy", rich_help_panel="Judge boards")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"catan-cp {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Catan boards as a constraint problem: generate, enumerate, count, score and draw them."""


def run(arguments: list[str]) -> int:
    """Run the command that *arguments* name and return its exit status.

    Raises:
        KeyboardInterrupt: Ctrl-C; its text says what is kept, or nothing.
        OSError: standard output cannot be written; BrokenPipeError where its reader has gone.
        CatanError: what the command refuses or fails to do.
        Exception: typer's own, with ``format_message``, for a wrong word on the command line.
    """
    getLogger("matplotlib").setLevel(ERROR)  # where it keeps its fonts, and that it reads them, is no news
    try:
        status = app(args=arguments, prog_name="catan-cp", standalone_mode=False)
    except _Ended as end:
        assert end.__cause__ is not None
        raise end.__cause__ from end.__cause__.__cause__
    except Exception as problem:  # a command without arguments has shown its help
        if hasattr(problem, "format_message") and not problem.format_message():
            return 0
        raise
    if status == 130:  # Ctrl-C while typer read the arguments
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0
