"""Options of several commands, and functions that read boards and rules.

A parameter of a command is an option. Its default is an `option` or an `argument`, or its type is one of the
annotated types below. Options that belong together form a group: a dataclass whose fields are the options,
with methods that use them. A command takes a group as one parameter, and `spread` puts its fields on the
command line. ``docs/templates/command.py`` is a command to copy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

import catan_cp
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout, find_layout
from catan_cp.errors import InvalidBoard, InvalidRules, show, show_path
from catan_cp.files import checked_path, read_small
from catan_cp.formats.reading import format_of
from catan_cp.rules.rules import PRESETS, Rules
from catan_cp.terminal import say, tell

if TYPE_CHECKING:
    from catan_cp.placement import Draft

_MOST_INPUT = 10_000_000
"""Maximum number of characters of boards in a file or on standard input. A board has about fifty."""

Command = Callable[..., Any]
Complete = Callable[[str], list[str]]
"""A function that completes a word on the command line."""


def option(default: Any, text: str, *flags: str, complete: Complete | None = None) -> Any:
    """Declare an option. It needs *flags* only if they differ from its name."""
    return typer.Option(default, *flags, help=text, autocompletion=complete)


def argument(default: Any, text: str, *, complete: Complete | None = None) -> Any:
    """Declare a word without a flag, required if *default* is ``...``."""
    return typer.Argument(default, help=text, autocompletion=complete)


def spread(command: Command) -> Command:
    """Return *command* with the fields of its groups as separate parameters.

    The defaults of a group are those of its class, or those of the group that is the parameter's default.
    """
    options: dict[str, Parameter] = {}
    groups: dict[str, Any] = {}
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in signature(command).parameters.items():
        kind, default = hints[name], parameter.default
        if not is_dataclass(kind):
            options[name] = _parameter(name, kind, default, default)
            continue
        groups[name] = kind
        kinds = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            value = getattr(default, field.name, field.default)
            options[field.name] = _parameter(field.name, kinds[field.name], field.default, value)

    def call(**values: Any) -> Any:
        arguments = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        return command(**values, **arguments)

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    call.__annotations__ = {name: parameter.annotation for name, parameter in options.items()}
    call.__signature__ = Signature([*options.values()])  # type: ignore[attr-defined]
    return call


def _parameter(name: str, kind: Any, declared: Any, default: Any) -> Parameter:
    """Return a parameter as typer needs it, with the flags and the completion of its name.

    Its typer declaration is part of its type, or else *declared*.
    """
    kind, declared = get_args(kind) if get_origin(kind) is Annotated else (kind, declared)
    info = copy(declared)
    info.default = getattr(default, "default", ... if default in (Parameter.empty, MISSING) else default)
    info.autocompletion = info.autocompletion or COMPLETED.get(name)
    if isinstance(info, OptionInfo):
        flag = (f"--{name.replace('_', '-')}",) if kind is bool else ()  # otherwise typer adds --no-...
        info.param_decls = info.param_decls or FLAGS.get(name, flag)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=info, annotation=kind)


# Completion


def names(*known: str, of: Callable[[], Iterable[str]] = tuple) -> Complete:
    """Return a completion from the *known* names and those that *of* returns when called."""
    return lambda incomplete: [name for name in (*known, *of()) if name.startswith(incomplete)]


def names_or_files(known: Iterable[str]) -> Complete:
    """Return a completion from the *known* names and the TOML files of the folder in the word."""

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
    from catan_cp.analysis.measures import MEASURES

    word = incomplete.rpartition(",")[2].lstrip(" +-")
    return [incomplete.removesuffix(word) + name for name in names(*MEASURES)(word)]


# Flags and completions by the name of a parameter

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
"""The flags of options that differ from the name."""

COMPLETED: dict[str, Complete] = {
    "by": _measures,
    "layout": names_or_files(LAYOUTS),
    "maximize": names(of=_goals),
    "minimize": names(of=_goals),
    "objective": names("published", "report", "pips", "odds"),
    "paper": names("A4", "A3", "Letter"),
    "rules": names_or_files(PRESETS),
    "solver": names(of=_solvers),
    "theme": names("light", "dark", "print", "plain"),
}

# Options of several commands

Format = Literal["text", "notation", "json"]
"""Output formats of boards."""
TextFormat = Literal["text", "json"]
"""Output formats of other results."""

Notation = Annotated[
    str, typer.Argument(help="Board in notation, a file with one board, or - to read it from standard input.")
]
Notations = Annotated[
    str, typer.Argument(help="Board in notation, a file of boards, or - to read standard input.")
]
LayoutName = Annotated[
    str, typer.Option(help="Layout (catan-cp layouts lists them), or a TOML file with one.")
]
BoardLayout = Annotated[str | None, typer.Option(help="Custom layout of the boards: a TOML file.")]
Seed = Annotated[int | None, typer.Option(help="Random seed: a whole number; random if omitted.")]
SeedOf = Annotated[int, typer.Option(help="Random seed: a whole number.")]
SolverName = Annotated[
    str, typer.Option(help="Solver: auto, chuffed, gecode, or another that MiniZinc lists.")
]
BoardFormat = Annotated[
    Format | None,
    typer.Option(help="Output format; by default text in a terminal, notation into a pipe or file."),
]
RowFormat = Annotated[Format, typer.Option(help="Output format.")]
ResultFormat = Annotated[TextFormat, typer.Option(help="Output format.")]
Numbers = Annotated[bool, typer.Option(help="Show the numbers of vertices; pictures also number tiles.")]
Title = Annotated[str | None, typer.Option(help="Title above the board.")]
Players = Annotated[int, typer.Option(help="Number of players.")]
Workers = Annotated[int, typer.Option(help="Number of processes on this machine.")]
Force = Annotated[bool, typer.Option(help="Overwrite an existing file.")]


# Groups


@dataclass(frozen=True)
class RulesOptions:
    """The rules of a command."""

    rules: str = option("optimal", f"Preset ({', '.join(PRESETS)}) or a TOML file of rules.")
    constraint: list[str] | None = option(None, "Custom constraint in MiniZinc; repeatable.")
    models: str | None = option(None, "Folder of edited models; catan-cp models FOLDER makes one.")

    def read(self) -> Rules:
        """Return the preset or the rules in the file, changed by the other options.

        A pattern and harbors replace those of the rules. Constraints are added.
        """
        rules = read_rules(self.rules)
        changes = {field: getattr(self, field, None) for field in ("pattern", "harbors", "models")}
        if self.constraint:
            changes["constraints"] = (*rules.constraints, *self.constraint)
        return rules.replace(**{field: value for field, value in changes.items() if value is not None})


@dataclass(frozen=True)
class PatternOptions(RulesOptions):
    """The rules, with a pattern."""

    pattern: str | None = option(None, "Fixed tiles and markers: a notation with x for an open tile.")


@dataclass(frozen=True)
class LayoutOptions(PatternOptions):
    """The rules and the layout of new boards."""

    harbors: Literal["none", "printed", "shuffled"] | None = option(
        None, "Harbors instead of those of the rules: none, printed or shuffled."
    )
    layout: LayoutName = "base"

    def both(self) -> tuple[Rules, Layout]:
        """Return the rules and the layout."""
        return self.read(), read_layout(self.layout)


@dataclass(frozen=True)
class Search:
    """The solver and its time limit."""

    solver: SolverName = "auto"
    timeout: float | None = option(None, "Time limit in seconds; none by default.")


@dataclass(frozen=True)
class BoardInput:
    """Boards in notation or JSON: one as a word, or one per line of a file or of standard input.

    Or the board of a game of another program, which is the whole file or input.
    """

    notation: Notation
    layout: BoardLayout = None

    def boards(self, most: int | None = None) -> list[Board]:
        """Return the boards, at most *most*.

        Their layout is that of the option, or else the one that each notation names.

        Raises:
            InvalidBoard: an invalid notation, no board, or a word that is both a notation and a file.
        """
        layout = None if self.layout is None else read_layout(self.layout)
        word, is_file = self.notation, os.path.exists(self.notation)  # noqa: PTH110  # a Path raises if too long
        if word != "-":
            try:
                board = _read_board(word, layout)
            except InvalidBoard as problem:
                if not is_file:
                    hint = f"; there is also no file {show(word)}" if "." in word.partition("@")[0] else ""
                    raise InvalidBoard(f"{problem}{hint}") from None
            else:
                if not is_file:
                    return [board]
                remedy = f"write {show(f'./{word}')} for the file, or pass the notation through -"
                raise InvalidBoard(f"{show(word)} is a notation and the name of a file; {remedy}")
        name, boards, text = "standard input" if word == "-" else show_path(word), list[Board](), self._text()
        if format_of(text):
            game = catan_cp.import_board(text)
            board = game if isinstance(game, Board) else game.known_board
            if layout not in (None, board.layout):
                raise InvalidBoard(f"layout must be {board.layout.name!r} for {name}, not {layout.name!r}")
            return [board]
        for number, line in enumerate(text.splitlines(), start=1):
            if len(boards) == most:
                break
            if line.strip():
                try:
                    boards.append(_read_board(line, layout))
                except InvalidBoard as problem:
                    raise InvalidBoard(f"line {number} of {name}: {problem}") from None
        if not boards:
            raise InvalidBoard(f"there is no board in {name}; give one notation per line")
        return boards

    def game(self) -> Board | Draft:
        """Return the board or the opening in a file of another program, or in standard input."""
        return catan_cp.import_board(self._text())

    def _text(self) -> str:
        """Return the text of the file or of standard input."""
        if self.notation != "-":
            return read_small(self.notation, _MOST_INPUT, "file of boards", InvalidBoard)
        if sys.stdin.isatty():
            say("type or paste one board in notation per line, then press Ctrl-D")
        try:
            text = sys.stdin.read(_MOST_INPUT + 1)
        except UnicodeDecodeError as error:
            raise InvalidBoard(f"standard input is not text: {error}") from None
        if len(text) > _MOST_INPUT:
            raise InvalidBoard(f"standard input has more than {_MOST_INPUT:,} characters; give fewer boards")
        return text.removeprefix("\ufeff")  # some programs write a byte order mark

    def board(self) -> Board:
        """Return the single board.

        Raises:
            InvalidBoard: an invalid notation, or no or several boards in the input.
        """
        boards = self.boards(2)
        if len(boards) > 1:
            name = "standard input has" if self.notation == "-" else f"{show_path(self.notation)} has"
            raise InvalidBoard(f"{name} several boards, but this command takes one; give one line")
        return boards[0]


@dataclass(frozen=True)
class BoardsInput(BoardInput):
    """The boards of a command that takes several."""

    notation: Notations


def _read_board(text: str, layout: Layout | None) -> Board:
    """Return the board with this notation or JSON."""
    return (Board.from_json if text.lstrip().startswith("{") else Board.from_notation)(text, layout)


@dataclass(frozen=True)
class Picture:
    """The file of a picture, checked before any work."""

    save: Path | None = option(None, "Picture to write: .png, .svg or .pdf.")
    force: Force = False

    def __post_init__(self) -> None:
        check_writable(self.save, self.force)

    def draw(self, picture: Any, **options: Any) -> None:
        """Save a picture as `save_picture` does, if a file is named."""
        if self.save is not None:
            say(f"drawn: {catan_cp.save_picture(picture, self.save, force=self.force, **options)}")

    def draw_boards(self, boards: list[Board], **options: Any) -> None:
        """Save one board, or a gallery of several."""
        if self.save is None or len(boards) == 1:
            self.draw(boards[0], **options)
            return
        numbers = [str(number) for number in range(1, len(boards) + 1)]
        self.draw(boards, captions=numbers, **options)


@dataclass(frozen=True)
class ObjectiveOptions:
    """The objective of the players in placing their settlements."""

    weights: str = option("", "Weights of resources, cards and hit, e.g. 0.5,0.3,0.2; or TERM=NUMBER,...")
    objective: str | None = option(
        None, "Objective: published (default), report (the report's text), pips, or odds (own odds to win)."
    )

    @property
    def is_default(self) -> bool:
        """True if neither weights nor an objective are named."""
        return not self.weights and self.objective is None

    def read(self, rivalry: float = 0.0, expansion: float = 0.0) -> catan_cp.Objective:
        """Return the objective."""
        from catan_cp.placement.objective import read_objective

        return read_objective(self.weights, self.objective or "published", rivalry, expansion)


# Reading and writing


def read_rules(name: str) -> Rules:
    """Return the preset *name*, or the rules in the file ``*.toml``."""
    if name.endswith(".toml"):
        return Rules.from_toml(name)
    if name not in PRESETS and Path(name).exists():
        raise InvalidRules(f"a rules file must end in .toml, not {name!r}")
    return Rules.preset(name)


def read_layout(name: str) -> Layout:
    """Return the layout *name*, or the one in the file ``*.toml``."""
    return Layout.from_toml(name) if name.endswith(".toml") else find_layout(name)


def named_file(layout: str) -> str | None:
    """Return *layout* if it names a file, otherwise None.

    A board's notation names a built-in layout, so only the layout of a file must be passed on.
    """
    return layout if layout.endswith(".toml") else None


def check_writable(path: Path | None, force: bool, *endings: str) -> None:
    """Raise if a file cannot be written, or has none of the *endings*.

    By default these are the endings of pictures.
    """
    if path is not None:
        from catan_cp.draw.board import ENDINGS

        checked_path(path, endings or ENDINGS, force=force)


def unsatisfied(message: str) -> typer.Exit:
    """Print a negative result, and return the exception that ends the command."""
    sys.stdout.flush()  # results come first
    say(f"catan-cp: {message}")
    return typer.Exit(1)


def tell_board(board: Board, how: Format | None, *, numbers: bool = False) -> None:
    """Print *board* in a format, by default as text in a terminal and as notation elsewhere.

    The notation follows the text. With *numbers*, the text has the numbers of vertices.
    """
    from catan_cp.boards.vertex_text import vertex_map

    line = board.notation()
    if how == "json":
        tell(board.to_json(), flush=True)
    elif how == "notation" or (how is None and not sys.stdout.isatty()):
        tell(line, flush=True)
    else:
        drawing, _, notes = str(board).removesuffix(f"\n@{line.partition('@')[2]}").partition("\n\n")
        drawing = vertex_map(board, {}, numbers=True) if numbers else drawing
        tell("\n\n".join(filter(None, (drawing, notes, f"{line}\n"))), tiles=True, flush=True)


def print_result(result: Any, how: Format | TextFormat) -> None:
    """Print a result as text, or as the JSON of its ``to_json``."""
    tell(result.to_json() if how == "json" else result)
