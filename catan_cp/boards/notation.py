"""Reading and writing the texts that a board is: its rows, its harbors, and which layout they are of."""

from __future__ import annotations

import re

from catan_cp.boards.layout import CLASSIC, LAYOUTS, Harbor, Layout
from catan_cp.boards.pieces import LETTER_TERRAIN, MARKERS, TERRAIN_LETTER, TRADES
from catan_cp.errors import InvalidBoard, listed, show

MAX_INPUT = 65_536
"""The longest notation or JSON text, in characters, that is read at all; a board needs a few thousand."""

OWN = "own:"
"""Before the name of a layout of one's own that is called like a built-in one."""
_ROW = re.compile(r"(?:[a-z](?:[0-9]+(?:\+[0-9]+)?)?)+")
_TILE = re.compile(r"([a-z])([0-9+]*)")
_HARBOR = re.compile(r"(0|[1-9][0-9]{0,5})-(0|[1-9][0-9]{0,5})=([a-z3])")
_MARKER = {str(marker): marker for marker in MARKERS}


def sized(text: object, kind: str) -> str:
    """Return the text, if it is one and not too long."""
    if not isinstance(text, str):
        raise InvalidBoard(f"{kind} is text, not {show(text)}")
    if len(text) > MAX_INPUT:
        raise InvalidBoard(f"this {kind} has {len(text)} characters; a board has at most {MAX_INPUT}")
    return text


def parts(line: str) -> tuple[list[str], str, str | None]:
    """Return the rows, the harbors and the layout's name of a notation."""
    body, at, name = line.partition("@")
    tiles, colon, harbors = body.partition(":" if ":" in body else " ")
    if colon == ":" and not harbors:
        raise InvalidBoard(f"no harbors stand behind the colon of {show(line)}")
    return tiles.split("/"), harbors, name if at else None


def parts_of_print(text: str) -> tuple[list[str], str, str | None]:
    """Return the same of the lines that `print` shows."""
    rows, harbors, name = [], "", None
    for line in filter(None, (line.strip() for line in text.splitlines())):
        if line.startswith("@"):
            name = line[1:]
        elif line.startswith("harbors:"):
            harbors = ",".join(_printed_harbor(part.strip()) for part in line[8:].split(","))
        else:
            rows.append("".join(line.split()))
    return rows, harbors, name


def _printed_harbor(text: str) -> str:
    """The notation of a harbor that was printed as "ore at 4-5"."""
    trade, _, edge = text.partition(" at ")
    if trade not in TRADES:
        raise InvalidBoard(f"{show(text)} is not a harbor such as 'ore at 4-5'")
    return f"{edge}={_trade_letter(trade)}"


def split_row(row: str, number: int) -> list[tuple[str, str]]:
    """Return the letter and the digits of each tile of a row."""
    if not _ROW.fullmatch(row):
        said = f"row {number} of the notation, {show(row)},"
        raise InvalidBoard(f"{said} is not small letters, each with its marker straight after it")
    return _TILE.findall(row)


def read_row(row: list[tuple[str, str]], number: int, layout: Layout) -> list[tuple[str, int | None]]:
    """Return the terrain and the marker of each tile of a row."""
    cells: list[tuple[str, int | None]] = []
    for letter, digits in row:
        if letter not in layout.letters:
            allowed = listed(f"{key} {name}" for key, name in layout.letters.items())
            raise InvalidBoard(f"unknown letter {letter!r} in row {number}; letters are {allowed}")
        first, plus, second = digits.partition("+")
        if digits and first not in _MARKER:
            raise InvalidBoard(
                f"unknown marker {show(digits)} in row {number}; markers are {listed(MARKERS)}"
            )
        marker = _MARKER[first] if first else None
        beside = layout.second_marker.get(marker) if marker is not None else None
        if plus and second != str(beside):
            known = f"{marker}+{beside}" if beside else f"{marker} alone"
            raise InvalidBoard(f"unknown markers {show(digits)} in row {number}; {layout.name} has {known}")
        cells.append((layout.letters[letter], marker))
    return cells


def read_harbor(part: str) -> Harbor:
    """Return the harbor that a notation tells as "4-5=3"."""
    match = _HARBOR.fullmatch(part)
    trade = "" if match is None else "3:1" if match[3] == "3" else LETTER_TERRAIN.get(match[3], "")
    if match is None or trade not in TRADES:
        raise InvalidBoard(f"{show(part)} is not a harbor: VERTEX-VERTEX=TRADE, TRADE one of 3 b g w o l")
    return Harbor((int(match[1]), int(match[2])), trade)


def json_harbor(value: object) -> Harbor:
    """Return the harbor that a JSON object tells."""
    if isinstance(value, dict) and set(value) == {"vertices", "trade"}:
        ends = value["vertices"]
        if isinstance(ends, list) and len(ends) == 2 and all(type(v) is int for v in ends):
            return Harbor((ends[0], ends[1]), value["trade"])
    raise InvalidBoard(f'a harbor is {{"vertices": [4, 5], "trade": "3:1"}}, not {show(value)}')


def harbor_text(harbor: Harbor) -> str:
    """Return a harbor as a notation tells it."""
    return f"{harbor.vertices[0]}-{harbor.vertices[1]}={_trade_letter(harbor.trade)}"


def _trade_letter(trade: str) -> str:
    return "3" if trade == "3:1" else TERRAIN_LETTER[trade]


def layout_of(lengths: tuple[int, ...], name: str | None) -> Layout:
    """Return the layout of this name, or the classic one with rows of these lengths."""
    if name is not None:
        if name not in LAYOUTS:
            own = show(name.removeprefix(OWN))
            raise InvalidBoard(f"the board is of the layout {own}, which is not built in; give it as layout")
        return LAYOUTS[name]
    classic = [LAYOUTS[known] for known in CLASSIC]
    for layout in classic:
        if layout.rows == lengths:
            return layout
    known = listed(f"{layout.name} {dashed(layout.rows)}" for layout in classic)
    raise InvalidBoard(
        f"rows of {dashed(lengths)} tiles make no layout; layouts are {known}, and those named behind @"
    )


def layout_of_size(n: int) -> Layout:
    """Return the classic layout with so many tiles."""
    classic = [LAYOUTS[name] for name in CLASSIC]
    for layout in classic:
        if layout.n_tiles == n:
            return layout
    sizes = listed(f"{layout.name} {layout.n_tiles}" for layout in classic)
    raise InvalidBoard(f"no layout has {n} tiles; layouts have {sizes}")


def dashed(lengths: tuple[int, ...]) -> str:
    """Return the lengths of rows as text, the first twenty of them."""
    shown = "-".join(map(str, lengths[:20]))
    return shown if len(lengths) <= 20 else f"{shown}-..."
