"""SVG text of a board's picture, written without a matplotlib figure.

`SvgCanvas` has the methods of `picture.Canvas` that plot the layers of a board. Glyphs and patterns are
cached as path data relative to their centre, so that a board needs a few milliseconds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from itertools import cycle
from typing import TYPE_CHECKING, Any

from catan_cp.draw.glyphs import CAP, Segment, text_outline, text_width
from catan_cp.draw.shapes import XY, Box, Line
from catan_cp.draw.style import Color, Theme

if TYPE_CHECKING:
    from catan_cp.draw.picture import Canvas


@dataclass
class SvgCanvas:
    """Elements of an SVG picture that shows a box of the plane.

    Args:
        theme: the theme.
        box: the box of the plane.
        unit: the points per tile edge.
        above: the height above the box in points, for a title.
        before: the width before the box in points, for other boards.
    """

    theme: Theme
    box: Box
    unit: float
    above: float = 0.0
    before: float = 0.0
    _elements: list[tuple[float, str]] = field(default_factory=list)

    def place(self, point: XY) -> XY:
        """Return the position of a point of the plane in points from the upper left corner."""
        box, unit = self.box, self.unit
        return self.before + (point[0] - box.left) * unit, self.above + (box.top - point[1]) * unit

    def _add(
        self, elements: Iterable[str], gid: str, style: str = "", width: float = 0, level: float = 1
    ) -> None:
        text = "".join(elements)
        if text:
            stroke = f' stroke-width="{width * self.unit:.3g}"' if width else ""
            self._elements.append((level, f'<g class="{gid}"{stroke}{style}>{text}</g>'))

    def polygons(
        self, outlines: Sequence[Line], fill: Any, gid: str, edge: Any = "none", **at: float
    ) -> None:
        """Add polygons, as `picture.Canvas.polygons` does."""
        paths = (
            f'<path fill="{ink}" d="{self._data(line)}z"/>'
            for line, ink in zip(outlines, _inks(fill), strict=False)
        )
        self._add(paths, gid, _stroke(edge), **at)

    def discs(
        self, centres: Line, radius: float, fill: Any, gid: str, edge: Any = "none", **at: float
    ) -> None:
        """Add discs of one radius, as `picture.Canvas.discs` does."""
        r = f"{radius * self.unit:.2f}"
        places = map(self.place, centres)
        circles = (
            f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{r}" fill="{ink}"/>'
            for (x, y), ink in zip(places, _inks(fill), strict=False)
        )
        self._add(circles, gid, _stroke(edge), **at)

    def strokes(
        self,
        lines: Sequence[Line],
        ink: Any,
        width: float,
        gid: str,
        level: float = 1,
        capstyle: str = "butt",
        joinstyle: str = "round",
    ) -> None:
        """Add polylines, as `picture.Canvas.strokes` does."""
        paths = (
            f'<path stroke="{color}" d="{self._data(line)}"/>'
            for line, color in zip(lines, _inks(ink), strict=False)
        )
        style = f' fill="none" stroke-linecap="{capstyle}" stroke-linejoin="{joinstyle}"'
        self._add(paths, gid, style, width, level)

    def words(
        self,
        texts: Iterable[tuple[str, XY, float]],
        ink: Any,
        gid: str,
        bold: bool = True,
        level: float = 1,
        turned: bool = False,
    ) -> None:
        """Add texts, as `picture.Canvas.words` does."""
        paths = []
        for (text, centre, cap), color in zip(texts, _inks(ink), strict=False):
            if data := _text_data(text, cap * self.unit, bold, turned):
                x, y = self.place(centre)
                paths.append(f'<path fill="{color}" d="M{x:.2f} {y:.2f}{data}"/>')
        self._add(paths, gid, level=level)

    def union(self, outlines: Sequence[Line], color: Color, gid: str, width: float) -> None:
        """Add the union of polygons with a broad rounded outline, as `picture.Canvas.union` does."""
        data = "".join(f"{self._data(line)}z" for line in outlines)
        style = f' fill="{to_hex(color)}" stroke="{to_hex(color)}"'
        self._add([f'<path d="{data}"/>'] if data else [], gid, style, width)

    def stamps(
        self,
        outlines: tuple[Line, ...],
        centres: Line,
        fill: Any,
        gid: str,
        edge: Any = "none",
        *,
        closed: bool = True,
        **at: float,
    ) -> None:
        """Add the same outlines around several centres, as `picture.Canvas.stamps` does."""
        data = _stamp_data(outlines, self.unit, closed)
        moves = "".join(f"M{x:.2f} {y:.2f}{data}" for x, y in map(self.place, centres))
        ink = fill if isinstance(fill, str) else to_hex(fill)
        path = [f'<path fill="{ink}" d="{moves}"/>'] if moves else []
        self._add(path, gid, _stroke(edge), **at)

    def _data(self, line: Line) -> str:
        box, unit = self.box, self.unit
        x0, y0 = box.left - self.before / unit, self.above / unit + box.top
        return "M" + "L".join(f"{(x - x0) * unit:.2f} {(y0 - y) * unit:.2f}" for x, y in line)

    def title(self, text: str, size: float, middle: float, bottom: float) -> None:
        """Add lines of at most *size* points above a place in points, not wider than the box."""
        box, lines = self.box, text.split("\n")
        widest = max(text_width(line, CAP, bold=False) for line in lines) or 1.0
        size = min(size, 0.96 * box.width * self.unit / widest)
        cap = CAP * size / self.unit
        x, y = box.left + (middle - self.before) / self.unit, box.top + (self.above - bottom) / self.unit
        words = [
            (line, (x, y + 1.25 * size / self.unit * k + cap / 2), cap)
            for k, line in enumerate(reversed(lines))
            if line.strip()
        ]
        self.words(words, [self.theme.text], "title", bold=False)

    def body(self) -> str:
        """Return the elements, the lowest level first."""
        ordered = sorted(self._elements, key=lambda element: element[0])
        return "\n".join(element for _, element in ordered)


if TYPE_CHECKING:
    Surface = Canvas | SvgCanvas
    """Canvas that a layer is plotted on."""


def svg_text(label: str, width: float, height: float, background: Color, body: str) -> str:
    """Return an ``<svg>`` element of a size in points, with a label for screen readers."""
    return (
        f'<svg role="img" aria-label="{escape(label)}" xmlns="http://www.w3.org/2000/svg" '
        f'width="{width:.2f}pt" height="{height:.2f}pt" viewBox="0 0 {width:.2f} {height:.2f}" '
        f'stroke-linejoin="round">\n<rect width="100%" height="100%" '
        f'fill="{to_hex(background)}"/>\n{body}\n</svg>\n'
    )


def _stroke(edge: Any) -> str:
    return "" if isinstance(edge, str) else f' stroke="{to_hex(edge)}"'


def _inks(colors: Any) -> Iterable[str]:
    """Return colours in hexadecimal digits, repeated without end."""
    return cycle(["none"] if isinstance(colors, str) else [to_hex(color) for color in colors])


@lru_cache(maxsize=1024)
def to_hex(color: Color) -> str:
    """Return a colour as ``#`` and six hexadecimal digits."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in color)


@lru_cache(maxsize=4096)
def _text_data(text: str, cap: float, bold: bool, turned: bool) -> str:
    """Return the path data of a text relative to its centre, with capitals of *cap* points."""
    outline, width = text_outline(text, bold)
    segments = []
    for code, line in outline:
        moved = [((x - width / 2) * cap, (0.5 - y) * cap) for x, y in line]
        segments.append((code, [(y, -x) for x, y in moved] if turned else moved))
    return _relative_data(segments)


@lru_cache(maxsize=1024)
def _stamp_data(outlines: tuple[Line, ...], unit: float, closed: bool) -> str:
    """Return the path data of outlines relative to the point around which they lie."""
    segments: list[Segment] = []
    for outline in outlines:
        segments += [("L" if i else "M", [(x * unit, -y * unit)]) for i, (x, y) in enumerate(outline)]
        if closed:
            segments.append(("Z", []))
    return _relative_data(segments)


def _relative_data(segments: Iterable[Segment]) -> str:
    """Return path data from the point (0, 0), with relative points in hundredths.

    Absolute points are rounded, so errors do not add up.
    """
    current = start = (0, 0)
    parts = []
    for code, points in segments:
        if code == "Z":
            parts.append("z")
            current = start
            continue
        rounded = [(round(100 * x), round(100 * y)) for x, y in points]
        steps = [b - a for point in rounded for a, b in zip(current, point, strict=True)]
        numbers = " ".join(f"{step / 100:g}" for step in steps)
        parts.append(code.lower() + numbers.replace(" -", "-"))
        current = rounded[-1]
        start = current if code == "M" else start
    return "".join(parts)
