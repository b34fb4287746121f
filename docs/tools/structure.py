"""The layers of the package, and the drawing of them.

``python docs/tools/structure.py`` writes docs/pictures/structure.svg. The tests compare the layers with the
imports.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().parent.parent / "pictures" / "structure.svg"


@dataclass(frozen=True)
class Part:
    """A package, or single modules with one purpose."""

    names: tuple[str, ...]
    about: str


@dataclass(frozen=True)
class Layer:
    """Parts side by side, with the colours of the band behind them and of the parts."""

    name: str
    band: str
    fill: str
    parts: tuple[Part, ...]


LAYERS = (
    Layer(
        "entry points",
        "#d9d4e7",
        "#f3f0fa",
        (
            Part(("cli",), "the commands"),
            Part(("page",), "serves the web page"),
        ),
    ),
    Layer(
        "many boards",
        "#cfd8e3",
        "#eef3f8",
        (
            Part(("studies",), "generate, score, store and compare boards"),
            Part(("tournament",), "tables, maps and score sheets"),
        ),
    ),
    Layer(
        "analysis",
        "#b9d8bd",
        "#e6f4e8",
        (Part(("analysis",), "boards: evenness, settlements, chances, measures, even seats"),),
    ),
    Layer("games", "#f0d9a8", "#fdf4dd", (Part(("play",), "simulated games, compiled"),)),
    Layer("pictures", "#d9d4e7", "#f3f0fa", (Part(("draw",), "boards, print sheets"),)),
    Layer(
        "search",
        "#f0d9a8",
        "#fdf4dd",
        (Part(("search",), "generate, list, optimise and repair boards; prove that no board exists"),),
    ),
    Layer(
        "scores",
        "#d3e3b4",
        "#f2f8e4",
        (
            Part(("counting",), "exact counts, uniform samples"),
            Part(("entropy",), "evenness, the swap search"),
            Part(("placement",), "the settlement game"),
            Part(("formats",), "files of other programs"),
        ),
    ),
    Layer("problem", "#d9d4e7", "#f3f0fa", (Part(("problem",), "rules on a layout, compiled to tables"),)),
    Layer(
        "solvers",
        "#b9d8bd",
        "#e6f4e8",
        (
            Part(("setup",), "installs MiniZinc, reports what is installed"),
            Part(("solving",), "runs MiniZinc and the solvers"),
            Part(("anymodel",), "counts and samples any model"),
        ),
    ),
    Layer(
        "rules",
        "#eec1a8",
        "#fbe8de",
        (Part(("rules",), "declarations of rules, checks of boards"),),
    ),
    Layer("boards", "#cfcac2", "#f3f1ed", (Part(("boards",), "pieces, geometry, layouts, boards"),)),
    Layer(
        "shared",
        "#cfcac2",
        "#f3f1ed",
        (
            Part(
                (
                    "check_proof",
                    "clock",
                    "compiled",
                    "errors",
                    "files",
                    "minizinc_text",
                    "model_files",
                    "processes",
                    "progress",
                    "terminal",
                    "workers",
                ),
                "single modules that every layer may import",
            ),
        ),
    ),
)

UPWARD = {
    "boards.board": ("board_svg", "plot_board"),
    "counting.counts": ("enumerate_boards", "enumerate_markers", "enumerate_terrains"),
    "placement.game": ("board_svg", "plot_board"),
    "rules.rules": ("find_violations",),
}
"""Public names of higher layers that methods import from ``catan_cp``."""

APPLICATIONS = 4
"""Number of layers, from the top, that use the core and that the core never imports."""

_WIDTH, _HEIGHT, _LABEL, _GAP = 960, 66, 118, 10
_LINE = 30
"""Height of the bar between the applications and the core."""


def layer_of() -> dict[str, int]:
    """Return the number of each package's layer, counted from the bottom."""
    layers = enumerate(reversed(LAYERS))
    return {name: level for level, layer in layers for part in layer.parts for name in part.names}


def drawing() -> str:
    """Return the layers as SVG, with dark text on light colours for light and dark pages."""
    height = len(LAYERS) * (_HEIGHT + _GAP) + _LINE + _HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" fill="#26221d">',
        "<title>The layers of catan_cp: imports run downwards only</title>",
    ]
    for number, layer in enumerate(LAYERS):
        lines += _layer(layer, number * (_HEIGHT + _GAP) + (_LINE if number >= APPLICATIONS else 0))
    lines += _border(APPLICATIONS * (_HEIGHT + _GAP)) + _models(len(LAYERS) * (_HEIGHT + _GAP) + _LINE)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _layer(layer: Layer, y: int) -> list[str]:
    lines = [_box(0, y, _WIDTH, _HEIGHT, layer.band, 12), _text(18, y + 38, layer.name, 14, "bold")]
    width = (_WIDTH - _LABEL - 8 - 8 * len(layer.parts)) / len(layer.parts)
    for i, part in enumerate(layer.parts):
        x = _LABEL + 8 + i * (width + 8)
        lines.append(_box(x, y + 7, width, _HEIGHT - 14, layer.fill, 8))
        lines.append(_names(x + 12, y + 29, part.names))
        lines.append(_text(x + 12, y + 48, part.about, 12.5))
    return lines


def _border(y: int) -> list[str]:
    """Return the bar between the applications and the core."""
    words = "above: entry points and applications; below: the core, which never imports them"
    return [_box(0, y, _WIDTH, _LINE - _GAP, "#26221d", 6), _text(18, y + 15, words, 12.5, "bold", "#fffaf0")]


def _models(y: int) -> list[str]:
    return [
        f'<rect x="1" y="{y + 1}" width="{_WIDTH - 2}" height="{_HEIGHT - 2}" rx="12" fill="#fffaf0" '
        'stroke="#b0894a" stroke-width="2" stroke-dasharray="7 5"/>',
        _text(
            18,
            y + 28,
            "models/*.mzn: layout, board, markers, harbors, grounds, joint, best, schedule, ...",
            14,
            "bold",
        ),
        _text(18, y + 48, "the rules as MiniZinc constraints, outside the Python code", 12.5),
    ]


def _box(x: float, y: float, width: float, height: float, fill: str, radius: int) -> str:
    return f'<rect x="{x:g}" y="{y}" width="{width:.1f}" height="{height}" rx="{radius}" fill="{fill}"/>'


def _names(x: float, y: int, names: tuple[str, ...]) -> str:
    """Return the names of a part in one line of bold text."""
    return _text(x, y, "  ".join(names), 14, "bold")


def _text(x: float, y: float, words: str, size: float, weight: str = "normal", fill: str = "") -> str:
    paint = f' fill="{fill}"' if fill else ""
    return (
        f'<text x="{x:.1f}" y="{y}" font-size="{size}" font-weight="{weight}"{paint}>{escape(words)}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(drawing(), encoding="utf-8")
