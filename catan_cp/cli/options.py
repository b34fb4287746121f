"""The options of all commands, each declared once, and what they share: reading boards and rules, drawing.

A parameter of a command is an option: its default is an `option` or an `argument`, or its type one of those
below that several commands have. Options that belong together are a group: a dataclass whose fields are the
options, and whose methods do what all commands do with them. A command takes a group as one parameter, and
`spread` puts its fields on the command line. ``docs/templates/command.py`` is a command to copy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

import catan_cp
from catan_cp.boards.board import MAX_INPUT, Board
from catan_cp.boards.layout import LAYOUTS, Layout, find_layout
from catan_cp.errors import InvalidBoard, InvalidRules
from catan_cp.files import checked_path
from catan_cp.rules.rules import PRESETS, Rules
from catan_cp.terminal import say, tell

Command = Callable[..., Any]
Complete = Callable[[str], list[str]]
"""What completes a word on the command line."""


def option(default: Any, says: str, *flags: str, complete: Complete | None = None) -> Any:
    """Declare an option: what it is if not given, its help, and its *flags* if its name does not say them."""
    return typer.Option(default, *flags, help=says, autocompletion=complete)


def argument(default: Any, says: str, *, complete: Complete | None = None) -> Any:
    """Declare a word that needs no flag; it must be given where *default* is ``...``."""
    return typer.Argument(default, help=says, autocompletion=complete)


def spread(command: Command) -> Command:
    """Return *command* with the fields of its groups as parameters of their own, as typer wants them.

    A group's defaults are those of its class, or, where the parameter has a group as its default, that one's.
    """
    options: dict[str, Parameter] = {}
    groups: dict[str, Any] = {}
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in signature(command).parameters.items():
        kind, given = hints[name], parameter.default
        if not is_dataclass(kind):
            options[name] = _parameter(name, kind, given, given)
            continue
        groups[name] = kind
        kinds = get_type_hints(kind, include_extras=True)
        for each in fields(kind):
            default = getattr(given, each.name, each.default)
            options[each.name] = _parameter(each.name, kinds[each.name], each.default, default)

    def call(**values: Any) -> Any:
        made = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        return command(**values, **made)

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    call.__annotations__ = {name: parameter.annotation for name, parameter in options.items()}
    call.__signature__ = Signature([*options.values()])  # type: ignore[attr-defined]
    return call


def _parameter(name: str, kind: Any, declared: Any, default: Any) -> Parameter:
    """Return a parameter as typer wants it, with the flags and words that belong to its name.

    What typer is to know of it stands in its type, or is what its default was *declared* to be.
    """
    kind, declared = get_args(kind) if get_origin(kind) is Annotated else (kind, declared)
    info = copy(declared)
    info.default = getattr(default, "default", ... if default in (Parameter.empty, MISSING) else default)
    info.autocompletion = info.autocompletion or COMPLETED.get(name)
    if isinstance(info, OptionInfo):
        own = (f"--{name.replace('_', '-')}",) if kind is bool else ()  # or typer adds one that says no
        info.param_decls = info.param_decls or FLAGS.get(name, own)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=info, annotation=kind)


# What the shell completes


def names(*known: str, of: Callable[[], Iterable[str]] = tuple) -> Complete:
    """Return what completes a word to one of the *known* names, or of those that *of* gives when asked."""
    return lambda incomplete: [name for name in (*known, *of()) if name.startswith(incomplete)]


def names_or_files(known: Iterable[str]) -> Complete:
    """Return what completes a word to one of the *known* names, or to a TOML file of the folder it names."""

    def files(incomplete: str) -> list[str]:
        folder = Path(f"{incomplete}*").parent
        return names(*known, *map(str, folder.glob("*.toml")))(incomplete)

    return files


def _solvers() -> Iterable[str]:
    from catan_cp.solving.find import BACKENDS

    return ("auto", *BACKENDS)


def _goals() -> Iterable[str]:
    from catan_cp.search.best import measures

    return measures()


def _measures(incomplete: str) -> list[str]:
    """Complete the last of several measures, each with or without its sign."""
    from catan_cp.studies.measures import MEASURES

    word = incomplete.rpartition(",")[2].lstrip(" +-")
    return [incomplete.removesuffix(word) + name for name in names(*MEASURES)(word)]


# What belongs to the name of a parameter, in every command

FLAGS = {
    "how": ("--format", "-f"),
    "k": ("--k", "-k"),
    "layout": ("--layout", "-l"),
    "name": ("--study",),
    "number": ("-n", "--number"),
    "players": ("--players", "-p"),
    "rules": ("--rules", "-r"),
    "workers": ("--workers", "-w"),
}
"""The flags of options, where they are not just the name."""

COMPLETED: dict[str, Complete] = {
    "by": _measures,
    "layout": names_or_files(LAYOUTS),
    "maximize": names(of=_goals),
    "minimize": names(of=_goals),
    "objective": names("published", "report", "pips", "wins"),
    "paper": names("A4", "A3", "Letter"),
    "rules": names_or_files(PRESETS),
    "solver": names(of=_solvers),
    "theme": names("light", "dark", "print", "plain"),
}

# Options of several commands

Format = Literal["text", "notation", "json"]
"""How boards are written."""
Said = Literal["text", "json"]
"""How an answer is written."""

Notation = Annotated[str, typer.Argument(help="A board in notation, or - to read from standard input.")]
LayoutName = Annotated[
    str, typer.Option(help="A layout (catan-cp layouts lists them) or a TOML file with one.")
]
BoardLayout = Annotated[
    str | None, typer.Option(help="The layout of the boards, where it is one of your own: a TOML file.")
]
Seed = Annotated[int | None, typer.Option(help="The same seed gives the same result.")]
SeedOf = Annotated[int, typer.Option(help="The same seed gives the same result.")]
SolverName = Annotated[str, typer.Option(help="auto, chuffed, gecode, or another that MiniZinc lists.")]
HowWritten = Annotated[Format, typer.Option(help="How boards are written.")]
HowSaid = Annotated[Said, typer.Option(help="How the answer is written.")]
Title = Annotated[str | None, typer.Option(help="A line above the board.")]
Players = Annotated[int, typer.Option(help="How many players.")]
Workers = Annotated[int, typer.Option(help="Processes on this machine.")]
Force = Annotated[bool, typer.Option(help="Overwrite a file that exists.")]


# Groups


@dataclass(frozen=True)
class Allowed:
    """The rules that a given board is held against."""

    rules: str = option("optimal", f"A preset ({', '.join(PRESETS)}) or a TOML file of rules.")
    constraint: list[str] | None = option(
        None, "A constraint of your own, in MiniZinc; it can be given again."
    )
    models: str | None = option(
        None, "A folder with models that you edited; catan-cp models FOLDER makes one."
    )

    def read(self) -> Rules:
        """Return the preset, or the rules in the file, with what the other options change.

        A pattern and harbors replace theirs, constraints come to theirs.
        """
        found = read_rules(self.rules)
        changes = {field: getattr(self, field, None) for field in ("pattern", "harbors", "models")}
        if self.constraint:
            changes["constraints"] = (*found.constraints, *self.constraint)
        return found.replace(**{field: value for field, value in changes.items() if value is not None})


@dataclass(frozen=True)
class AllowedPattern(Allowed):
    """The rules, and what is given of a board."""

    pattern: str | None = option(
        None, "Tiles and markers that are given: a notation with x for an open tile."
    )


@dataclass(frozen=True)
class Asked(AllowedPattern):
    """The rules for boards that are to be made, and their layout."""

    harbors: Literal["none", "printed", "shuffled"] | None = option(
        None, "Harbors in place of the rules' own: none, as printed, or shuffled."
    )
    layout: LayoutName = "base"

    def both(self) -> tuple[Rules, Layout]:
        """Return the rules, and the layout of that name or in that file."""
        return self.read(), read_layout(self.layout)


@dataclass(frozen=True)
class Search:
    """The solver, and the time that it has."""

    solver: SolverName = "auto"
    timeout: float | None = option(None, "Seconds until it gives up.")


@dataclass(frozen=True)
class Given:
    """Boards that are given in notation."""

    notation: Notation
    layout: BoardLayout = None

    def boards(self) -> list[Board]:
        """Return the board, or, for ``-``, those on the lines of standard input.

        They are of the layout with that name or in that file, else of the one that each names.

        Raises:
            InvalidBoard: a notation that is none, or nothing on standard input.
        """
        own = None if self.layout is None else read_layout(self.layout)
        if self.notation != "-":
            return [Board.from_notation(self.notation, own)]
        try:
            # Of each line as much as can be a notation: the next newline may be far away.
            lines = iter(lambda: sys.stdin.readline(MAX_INPUT + 2), "")
            boards = [Board.from_notation(line.rstrip("\n"), own) for line in lines if line.strip()]
        except UnicodeDecodeError as error:
            raise InvalidBoard(f"standard input is not text: {error}") from None
        if not boards:
            raise InvalidBoard("there is no board on standard input; give one notation a line")
        return boards

    def board(self) -> Board:
        """Return the one board.

        Raises:
            InvalidBoard: a notation that is none, or not exactly one board on standard input.
        """
        boards = self.boards()
        if len(boards) > 1:
            raise InvalidBoard(f"there are {len(boards)} boards on standard input, but one is wanted")
        return boards[0]


@dataclass(frozen=True)
class Picture:
    """The file that a picture is drawn into, refused before any work where it cannot be written."""

    save: Path | None = option(None, "Draw into this file: .png, .svg or .pdf.")
    force: Force = False

    def __post_init__(self) -> None:
        refuse_unwritable(self.save, self.force)

    def draw(self, picture: Any, **options: Any) -> None:
        """Draw a board (with options of `plot_board`), or save a figure; where a file is named."""
        if self.save is not None:
            say(f"drawn: {catan_cp.save_picture(picture, self.save, force=self.force, **options)}")

    def draw_boards(self, boards: list[Board], **options: Any) -> None:
        """Draw one board, or a gallery of several."""
        if self.save is None or len(boards) == 1:
            self.draw(boards[0], **options)
            return
        numbers = [str(number) for number in range(1, len(boards) + 1)]
        self.draw(catan_cp.plot_gallery(boards, numbers, **options))


@dataclass(frozen=True)
class Wanted:
    """What players want of their settlements."""

    weights: str = option("", "Of resources, cards and hit, e.g. 0.5,0.3,0.2; or TERM=NUMBER,...")
    objective: str = option(
        "published", "published, report (as its text has it), pips, or wins (the chance to win)."
    )

    def read(self, rivalry: float = 0.0, expansion: float = 0.0) -> catan_cp.Objective:
        """Return the objective."""
        from catan_cp.placement.objective import read_objective

        return read_objective(self.weights, self.objective, rivalry, expansion)


@dataclass(frozen=True)
class Sample:
    """Random boards, or one's own, to try something on."""

    boards: int = option(100, "How many random boards.")
    layout: LayoutName = "base"
    seed: Seed = 0
    on: str = option("", "Your own boards instead: a notation, or - for standard input.")

    def read(self) -> list[Board]:
        """Return the boards."""
        from catan_cp.boards.board import random_boards

        if self.on:
            return Given(self.on, named_file(self.layout)).boards()
        return random_boards(self.boards, read_layout(self.layout), self.seed)


# Reading and writing


def read_rules(name: str) -> Rules:
    """Return the preset *name*, or the rules in a file ``*.toml``."""
    if name.endswith(".toml"):
        return Rules.from_toml(name)
    if name not in PRESETS and Path(name).exists():
        raise InvalidRules(f"a rules file ends in .toml, which {name!r} does not")
    return Rules.preset(name)


def read_layout(name: str) -> Layout:
    """Return the layout of that name, or the one in a file ``*.toml``."""
    return Layout.from_toml(name) if name.endswith(".toml") else find_layout(name)


def named_file(layout: str) -> str | None:
    """Return a layout's name where it is a file; other boards say themselves of which layout they are."""
    return layout if layout.endswith(".toml") else None


def refuse_unwritable(path: Path | None, force: bool, *endings: str) -> None:
    """Refuse, before any work, a file that cannot be written; *endings*: those allowed, else pictures'."""
    if path is not None:
        from catan_cp.draw.board import ENDINGS

        checked_path(path, endings or ENDINGS, force=force)


def unsatisfied(says: str) -> typer.Exit:
    """Say what a command found amiss; return what ends it with 1, without a traceback even with --debug."""
    sys.stdout.flush()  # results come first
    say(f"catan-cp: {says}")
    return typer.Exit(1)


def written(board: Board, how: Format) -> str:
    """Return *board* as the user asked for it."""
    if how == "json":
        return board.to_json()
    return board.notation() if how == "notation" else f"{board}\n"


def tell_answer(found: Any, how: Format | Said) -> None:
    """Print what was found: as text, or, where that is asked for, by its ``to_json``."""
    tell(found.to_json() if how == "json" else found)
