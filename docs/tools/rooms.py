"""The plan of the house: which modules stand on which floor, and the drawing of it.

``python docs/tools/rooms.py`` writes docs/pictures/rooms.svg. The tests hold this plan against the imports.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().parent.parent / "pictures" / "rooms.svg"


@dataclass(frozen=True)
class Room:
    """Modules that belong together, and what they are for."""

    modules: tuple[str, ...]
    about: str


@dataclass(frozen=True)
class Floor:
    """Rooms side by side, in the colours of a terrain: the band behind them, and the rooms."""

    name: str
    band: str
    fill: str
    rooms: tuple[Room, ...]


FLOORS = (
    Floor(
        "doors",
        "#d9d4e7",
        "#f3f0fa",
        (
            Room(("cli",), "the commands, thin"),
            Room(("page",), "serves page/, the web page"),
        ),
    ),
    Floor(
        "many boards",
        "#cfd8e3",
        "#eef3f8",
        (
            Room(("studies",), "made, scored, placed, stored, compared"),
            Room(("tournament",), "tables, maps and sheets"),
        ),
    ),
    Floor("games", "#f0d9a8", "#fdf4dd", (Room(("play",), "games played by programs, compiled"),)),
    Floor("pictures", "#d9d4e7", "#f3f0fa", (Room(("draw",), "boards, sheets, charts of plain numbers"),)),
    Floor(
        "search",
        "#f0d9a8",
        "#fdf4dd",
        (Room(("search",), "every board, one board, or why there is none"),),
    ),
    Floor(
        "questions",
        "#d3e3b4",
        "#f2f8e4",
        (
            Room(("counting",), "how many, exactly; one, uniformly"),
            Room(("entropy",), "how even, and the swap search"),
            Room(("placement",), "the settlement game"),
        ),
    ),
    Floor("rules", "#eec1a8", "#fbe8de", (Room(("rules",), "what is allowed"),)),
    Floor("boards", "#cfcac2", "#f3f1ed", (Room(("boards",), "pieces, geometry, layouts, boards"),)),
    Floor(
        "solvers",
        "#b9d8bd",
        "#e6f4e8",
        (
            Room(("setup",), "what is here, and what brings MiniZinc"),
            Room(("solving",), "the only room that talks to MiniZinc"),
        ),
    ),
    Floor(
        "ground",
        "#cfcac2",
        "#f3f1ed",
        (
            Room(
                (
                    "compiled",
                    "errors",
                    "files",
                    "model_files",
                    "processes",
                    "terminal",
                    "workers",
                ),
                "errors and checks of arguments, whole files, processes, progress",
            ),
        ),
    ),
)

UPWARD = {
    "boards.board": ("board_svg", "plot_board"),
    "counting.counts": ("enumerate_boards", "enumerate_markers", "enumerate_terrains"),
    "rules.rules": ("find_violations",),
}
"""What a method that stands where people look for it imports, inside itself, from the package's face."""

LAB = 3
"""How many floors, from the top, are the lab: it stands on the core, which never imports it."""

_WIDTH, _HEIGHT, _LABEL, _GAP = 960, 66, 118, 10
_LINE = 30
"""The height of what parts the lab from the core."""


def floor_of() -> dict[str, int]:
    """Return each module's floor, counted from the ground up."""
    floors = enumerate(reversed(FLOORS))
    return {module: level for level, floor in floors for room in floor.rooms for module in room.modules}


def drawing() -> str:
    """Return the plan as SVG. All words stand on light paint, so it reads on a light and on a dark page."""
    models = _HEIGHT
    height = len(FLOORS) * (_HEIGHT + _GAP) + _LINE + models
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" fill="#26221d">',
        "<title>The rooms of catan_cp: imports run downwards only</title>",
    ]
    for number, floor in enumerate(FLOORS):
        lines += _floor(floor, number * (_HEIGHT + _GAP) + (_LINE if number >= LAB else 0))
    lines += _parting(LAB * (_HEIGHT + _GAP)) + _models(len(FLOORS) * (_HEIGHT + _GAP) + _LINE)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _floor(floor: Floor, y: int) -> list[str]:
    lines = [_box(0, y, _WIDTH, _HEIGHT, floor.band, 12), _text(18, y + 38, floor.name, 14, "bold")]
    width = (_WIDTH - _LABEL - 8 - 8 * len(floor.rooms)) / len(floor.rooms)
    for i, room in enumerate(floor.rooms):
        x = _LABEL + 8 + i * (width + 8)
        lines.append(_box(x, y + 7, width, _HEIGHT - 14, floor.fill, 8))
        lines.append(_names(x + 12, y + 29, room.modules))
        lines.append(_text(x + 12, y + 48, room.about, 12.5))
    return lines


def _parting(y: int) -> list[str]:
    """The line between the lab and the core, on paint of its own."""
    words = "above: the lab, and the doors to both; below: the core, which a newcomer reads first"
    return [_box(0, y, _WIDTH, _LINE - _GAP, "#26221d", 6), _text(18, y + 15, words, 12.5, "bold", "#fffaf0")]


def _models(y: int) -> list[str]:
    return [
        f'<rect x="1" y="{y + 1}" width="{_WIDTH - 2}" height="{_HEIGHT - 2}" rx="12" fill="#fffaf0" '
        'stroke="#b0894a" stroke-width="2" stroke-dasharray="7 5"/>',
        _text(
            18,
            y + 28,
            "models/*.mzn: board, markers, harbors; joint, best; schedule, magic_square",
            14,
            "bold",
        ),
        _text(18, y + 48, "the rules as constraints; read by solving alone, with plain data", 12.5),
    ]


def _box(x: float, y: float, width: float, height: float, fill: str, round_: int) -> str:
    return f'<rect x="{x:g}" y="{y}" width="{width:.1f}" height="{height}" rx="{round_}" fill="{fill}"/>'


def _names(x: float, y: int, modules: tuple[str, ...]) -> str:
    """The room's door in bold, and the modules behind it."""
    door = _text(x, y, modules[0], 14, "bold")
    if not modules[1:]:
        return door
    behind = f'<tspan font-size="11.5" font-weight="normal" dx="8">{escape("  ".join(modules[1:]))}</tspan>'
    return door.replace("</text>", f"{behind}</text>")


def _text(x: float, y: float, words: str, size: float, weight: str = "normal", fill: str = "") -> str:
    paint = f' fill="{fill}"' if fill else ""
    return (
        f'<text x="{x:.1f}" y="{y}" font-size="{size}" font-weight="{weight}"{paint}>{escape(words)}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(drawing(), encoding="utf-8")
