"""What the commands share: their options, reading boards and rules, and writing results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout, find_layout
from catan_cp.boards.notation import MAX_INPUT
from catan_cp.errors import InvalidBoard, InvalidRules
from catan_cp.rules.rules import PRESETS, Rules


class HarborRule(StrEnum):
    """What a rule may say of harbors."""

    NONE = "none"
    PRINTED = "printed"
    SHUFFLED = "shuffled"


class Format(StrEnum):
    """How boards are written."""

    TEXT = "text"
    NOTATION = "notation"
    JSON = "json"


def names(known: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what completes a word on the command line to one of the *known* names."""
    return lambda incomplete: [name for name in known() if name.startswith(incomplete)]


def complete_rules(incomplete: str) -> list[str]:
    """Complete a preset's name, or that of a file of rules."""
    folder = Path(incomplete).parent if "/" in incomplete else Path()
    files = [str(path) for path in folder.glob("*.toml")]
    return [name for name in (*PRESETS, *files) if name.startswith(incomplete)]


def complete_layout(incomplete: str) -> list[str]:
    """Complete a layout's name, or that of a file with one."""
    folder = Path(incomplete).parent if "/" in incomplete else Path()
    files = [str(path) for path in folder.glob("*.toml")]
    return [name for name in (*LAYOUTS, *files) if name.startswith(incomplete)]


def _solvers() -> Iterable[str]:
    from catan_cp.solving.backends import BACKENDS

    return ("auto", *BACKENDS)


Notation = Annotated[str, typer.Argument(help="A board in notation, or - to read from standard input.")]
LayoutName = Annotated[
    str,
    typer.Option(
        "--layout",
        "-l",
        help="A layout (catan-cp layouts lists them) or a TOML file with one.",
        show_default=True,
        autocompletion=complete_layout,
    ),
]
BoardLayout = Annotated[
    str | None,
    typer.Option(
        "--layout",
        "-l",
        help="The layout of the boards, where it is one of your own: a TOML file.",
        autocompletion=complete_layout,
    ),
]
RulesName = Annotated[
    str,
    typer.Option(
        "--rules",
        "-r",
        help=f"A preset ({', '.join(PRESETS)}) or a TOML file of rules.",
        autocompletion=complete_rules,
    ),
]
Harbors = Annotated[
    HarborRule | None,
    typer.Option(help="Harbors in place of the rules' own: none, as printed, or shuffled."),
]
Pattern = Annotated[
    str | None,
    typer.Option(help="Tiles and markers that are given: a notation with x for an open tile."),
]
OwnConstraints = Annotated[
    list[str] | None,
    typer.Option("--constraint", help="A constraint of your own, in MiniZinc; it can be given again."),
]
Models = Annotated[
    str | None,
    typer.Option(help="A folder with models that you edited; catan-cp models FOLDER makes one."),
]
Seed = Annotated[int | None, typer.Option(help="The same seed gives the same result.")]
SolverName = Annotated[
    str,
    typer.Option(
        help="auto, chuffed, gecode, or another that MiniZinc lists.",
        autocompletion=names(_solvers),
    ),
]
Theme = Annotated[
    str,
    typer.Option(
        help="light, dark, print (black on white) or plain.",
        autocompletion=names(lambda: ("light", "dark", "print", "plain")),
    ),
]
Statistics = Annotated[
    bool,
    typer.Option("--statistics", help="Say on standard error what the search took."),
]
Timeout = Annotated[float | None, typer.Option(help="Seconds until it gives up.")]
Limit = Annotated[int | None, typer.Option(help="Stop after so many.")]
HowWritten = Annotated[Format, typer.Option("--format", "-f", help="How boards are written.")]
Save = Annotated[Path | None, typer.Option(help="Draw into this file: .png, .svg or .pdf.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]


def read_rules(
    name: str,
    harbors: HarborRule | None = None,
    pattern: str | None = None,
    constraints: Sequence[str] | None = None,
    models: str | None = None,
) -> Rules:
    """Return the preset *name*, or the rules in a file ``*.toml``, with what the other options change.

    *harbors* and *pattern* replace theirs, *constraints* come to theirs.
    """
    if name.endswith(".toml"):
        found = Rules.from_toml(name)
    elif name not in PRESETS and Path(name).exists():
        raise InvalidRules(f"a rules file ends in .toml, which {name!r} does not")
    else:
        found = Rules.preset(name)
    changes: dict[str, Any] = {"pattern": pattern, "models": models}
    if harbors is not None:
        changes["harbors"] = harbors.value
    if constraints:
        changes["constraints"] = (*found.constraints, *constraints)
    return found.replace(**{field: value for field, value in changes.items() if value is not None})


def read_layout(name: str) -> Layout:
    """Return the layout of that name, or the one in a file ``*.toml``."""
    return Layout.from_toml(name) if name.endswith(".toml") else find_layout(name)


def read_boards(notation: str, layout: str | None = None) -> list[Board]:
    """Return the board in *notation*, or, for ``-``, those on the lines of standard input.

    They are of the *layout* with that name or in that file, else of the one that each names.

    Raises:
        InvalidBoard: a notation that is none, or nothing on standard input.
    """
    own = None if layout is None else read_layout(layout)
    if notation != "-":
        return [Board.from_notation(notation, own)]
    try:
        # As much of a line as can be one, for the next newline may be far away.
        lines = iter(lambda: sys.stdin.readline(MAX_INPUT + 2), "")
        boards = [Board.from_notation(line.rstrip("\n"), own) for line in lines if line.strip()]
    except UnicodeDecodeError as error:
        raise InvalidBoard(f"standard input is not text: {error}") from None
    if not boards:
        raise InvalidBoard("there is no board on standard input; give one notation a line")
    return boards


def read_board(notation: str, layout: str | None = None) -> Board:
    """Return the one board in *notation*, or, for ``-``, on standard input.

    Raises:
        InvalidBoard: a notation that is none, or not exactly one board on standard input.
    """
    boards = read_boards(notation, layout)
    if len(boards) > 1:
        raise InvalidBoard(f"there are {len(boards)} boards on standard input, but one is wanted")
    return boards[0]


def named_file(layout: str) -> str | None:
    """Return a layout's name where it is a file; other boards say themselves of which layout they are."""
    return layout if layout.endswith(".toml") else None


def written(board: Board, how: Format) -> str:
    """Return *board* as the user asked for it."""
    if how is Format.JSON:
        return board.to_json()
    return board.notation() if how is Format.NOTATION else f"{board}\n"
