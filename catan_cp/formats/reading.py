"""Import boards and openings of other programs. The format is found by the content."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidBoard, check_kind, listed, show
from catan_cp.files import read_small

if TYPE_CHECKING:
    from catan_cp.placement.judging import Draft

LARGEST = 10_000_000
"""Maximum size of a file in bytes. Replays of colonist.io have less than a million."""


class Format(NamedTuple):
    """A format of another program.

    Attributes:
        program: the name of the program.
        module: the module of this package whose `read` returns the board or the opening of a text.
        mark: a text that each of its files has.
    """

    program: str
    module: str
    mark: str


FORMATS = (
    Format("colonist.io", "colonist", '"tileHexStates"'),
    Format("JSettlers2", "jsettlers", '"boardInfo"'),
    Format("catanlog", "catanlog", "catanlog v"),
    Format("Catanatron", "catanatron", '"adjacent_tiles"'),
)
"""The formats that `import_board` reads."""


def format_of(text: str) -> Format | None:
    """Return the format of a text, or None if it is not one of `FORMATS`."""
    return next((known for known in FORMATS if known.mark in text), None)


def import_board(source: Path | str) -> Board | Draft:
    """Return the board, or the board and the opening, that another program wrote.

    The formats are those of colonist.io (replays and game states as JSON), JSettlers2 (saved games
    ``*.game.json`` of the classic board and of that for 5 and 6 players), catanlog (``*.catan``) and
    Catanatron (its JSON of a game). The format is found by the content. Data beyond the board and the opening
    are ignored.

    Args:
        source: a `Path` is a file, and a str is its text.

    Returns:
        A `catan_cp.placement.Draft` with its board and seats if settlements are placed, otherwise a `Board`.

    Raises:
        InvalidBoard: the format is unknown, a value is unknown, or the tiles are not a board of ``base``,
            ``base-5-6`` or ``mini``. The message names the place.
        InvalidArgument: the settlements and roads are not those of an opening.
    """
    if isinstance(source, Path):
        source = read_small(source, LARGEST, "file of a game", InvalidBoard)
    text = check_kind("source must be a Path of a file, or its text", source, str, InvalidBoard)
    if len(text) > LARGEST:
        raise InvalidBoard(f"source must have at most {LARGEST:,} characters, not {len(text):,}")
    known = format_of(text)
    if known is None:
        programs = listed(one.program for one in FORMATS)
        raise InvalidBoard(f"source must be a file of {programs}, not {show(text)}")
    game: Board | Draft = import_module(f"catan_cp.formats.{known.module}").read(text)
    return game
