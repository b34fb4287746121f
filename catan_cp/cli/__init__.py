"""The command line: thin commands, no logic of their own.

Every error of ours ends a command with status 1 and one line on standard error; ``--debug`` shows the rest.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from _thread import interrupt_main
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from catan_cp import __version__
from catan_cp.cli import boards, counts, doctor, entropy, placing, studies
from catan_cp.cli.common import say
from catan_cp.errors import CatanError

app = typer.Typer(
    name="catan-cp",
    help="Catan boards as a constraint problem: generate, enumerate, count, score and draw them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for room in (boards, counts, placing, studies, doctor):
    room.add_to(app)
app.add_typer(entropy.app, name="entropy")


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


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with status 0, or 1 after one line on standard error."""
    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    if debug:  # wherever it stands
        given = ["--debug", *(word for word in given if word != "--debug")]
    try:
        with _no_lost_interrupt():
            status = app(args=given, prog_name="catan-cp", standalone_mode=False)
    except KeyboardInterrupt as stopped:
        _fail(str(stopped) or "interrupted", debug, stopped)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except CatanError as problem:
        _fail(str(problem), debug, problem)
    except OSError as problem:
        full = problem.errno == errno.ENOSPC and problem.filename is None
        _fail(
            f"cannot write to standard output: {problem.strerror}" if full else str(problem), debug, problem
        )
    except typer.Abort as stopped:
        _fail("interrupted", debug, stopped)
    except Exception as problem:
        if isinstance(problem.__cause__, KeyboardInterrupt):  # Python 3.11 wraps it while a class is made
            _fail("interrupted", debug, problem)
        if not hasattr(problem, "format_message"):  # not a wrong word on the command line, but our mistake
            raise
        if not problem.format_message():  # a command without arguments has shown its help
            sys.exit(0)
        _fail(f"{problem.format_message()} (catan-cp --help tells what there is)", debug, problem)
    sys.exit(status if isinstance(status, int) else 0)


@contextmanager
def _no_lost_interrupt() -> Iterator[None]:
    """Interrupt again where Ctrl-C came in a place that Python drops errors from, such as a finalizer."""
    before = sys.unraisablehook

    def again(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            later = threading.Timer(0.01, _interrupt)  # at once, it would come in this place too
            later.daemon = True
            later.start()
        else:
            before(dropped)

    sys.unraisablehook = again
    try:
        yield
    finally:
        sys.unraisablehook = before


def _interrupt() -> None:
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)  # this also ends a wait
    else:
        interrupt_main()


def _fail(message: str, debug: bool, problem: BaseException) -> None:
    if debug:
        raise problem
    say("catan-cp: " + " ".join(message.split()))
    sys.exit(1)
