"""What is fuzzed: each reader takes bytes, and may only answer, or refuse with an error of the project's own.

What is read is also written and read again, which must give the same.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

from catan_cp import LAYOUTS, Board, Rules
from catan_cp.boards.pieces import MARKERS, TERRAINS, TRADES
from catan_cp.errors import CatanError, InvalidBoard
from catan_cp.placement.judging import Draft
from catan_cp.placement.objective import read_objective
from catan_cp.rules.rules import PRESETS, RULES

SECONDS = 2.0
"""The longest that one input may take; they take milliseconds."""

MEGABYTES = 512
"""The most memory that a reader may ever have, the interpreter and the fuzzer included."""

POST = "dlw/bgol/owbwg/lgob/wlg"
BEGINNER = LAYOUTS["base"].beginner_board
_HARBORS = f"{BEGINNER} 0-5=3,3-4=b"


def notation(data: bytes) -> None:
    """Read a board's notation."""
    board = Board.from_notation(data.decode("utf-8", "surrogateescape"))
    assert Board.from_notation(board.notation()) == board


def json(data: bytes) -> None:
    """Read a board's JSON."""
    board = Board.from_json(data.decode("utf-8", "surrogateescape"))
    assert Board.from_json(board.to_json()) == board


def toml(data: bytes) -> None:
    """Read a file of rules, apply them to a board, and say them."""
    with tempfile.NamedTemporaryFile(suffix=".toml", dir=_MEMORY) as file:
        file.write(data)
        file.flush()
        rules = Rules.from_toml(file.name)
    assert Rules.from_mapping(rules.to_mapping()) == rules
    rules.explain()
    rules.check(_BOARD)


def options(data: bytes) -> None:
    """Read what the command line takes for ``--weights`` and ``--placed``."""
    text = data.decode("utf-8", "surrogateescape")
    for read in (read_objective, Draft.from_text):
        with suppress(CatanError):
            read(text)


_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - quicker, where there is one
_BOARD = Board.from_notation(BEGINNER)

READERS: dict[str, Callable[[bytes], None]] = {
    "notation": notation,
    "json": json,
    "toml": toml,
    "options": options,
}

SEEDS: dict[str, list[bytes]] = {
    "notation": [POST.encode(), BEGINNER.encode(), _HARBORS.encode(), b"s" * 70_000, b"o" + b"1" * 5_000],
    "json": [
        Board.from_notation(POST).to_json().encode(),
        Board.from_notation(_HARBORS).to_json().encode(),
        b"[" * 60_000,
        b'{"layout": ' + b"9" * 60_000 + b"}",
    ],
    "toml": [
        *(Rules.preset(name).to_toml().encode() for name in ("blog", "tournament", "official")),
        b'preset = "optimal"\nterrain_pips_min = { ore = 9, every = 3 }\napart = [["wood", "Sheep"]]\n',
        b"a = " + b"[" * 60_000,
        b"vertex_sum_below = " + b"9" * 60_000,
        b"a." * 30_000 + b"a = 1",  # took 16 s and 4 GB while files might have 64 kB
        b"a." * 4_000 + b"a = 1",
        b"a = " + b"[" * 8_000,
    ],
    "options": [b"0.5,0.3,0.2", b"resources=1/3,harbor=2e-3", b"1:42,2:24", b"1" * 5000, b"1e999999999,1,1"],
}
"""Where the fuzzer starts: what is right, and what is too much of something."""


WORDS = sorted(
    {
        *TERRAINS, *LAYOUTS, *PRESETS, *(field.name for field in fields(Rules)), *map(str, MARKERS), *TRADES,
        *(word for rule in RULES.values() for word in getattr(rule.kind, "words", ())),
        "every", "preset", "layout", "terrain",
        "markers", "harbors", "vertices", "trade", "null", "true", "1e9", "-1", "[[", "]]", "= {",
    }
)  # fmt: skip
"""What the readers understand, for the fuzzer to put in anywhere."""


def feed(name: str, data: bytes) -> bool:
    """Give *data* to a reader and return whether it was taken; any error but the project's own goes through.

    Raises:
        AssertionError: the error says nothing, or too much.
    """
    try:
        READERS[name](data)
    except CatanError as refused:
        assert 0 < len(str(refused)) < 2000, f"a message of {len(str(refused))} characters"
        assert isinstance(refused, InvalidBoard) or name != "notation", type(refused)
        return False
    return True
