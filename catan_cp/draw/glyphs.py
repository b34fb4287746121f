"""Outlines of text in DejaVu Sans, without matplotlib for ASCII.

``data/glyphs.json`` has the advance width and the outline of each character in bold and normal weight, in
1/6400 em. Points are relative to the point before. matplotlib provides all other characters.

>>> round(text_width("11", 1.0), 2)
1.66
"""

import json
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from catan_cp.draw.shapes import XY
from catan_cp.draw.style import default_settings

CAP = 0.729
"""The height of a capital or a digit in ems."""

FONT = "DejaVu Sans"
"""The font of all pictures. It is part of matplotlib, so that pictures are equal on every machine."""

Segment = tuple[str, Sequence[XY]]
"""A command of SVG paths (``M``, ``L``, ``Q``, ``C`` or ``Z``) with its absolute points."""

EM = 6400
"""The units of an em in the stored outlines."""


@lru_cache(maxsize=4096)
def text_outline(text: str, bold: bool) -> tuple[list[Segment], float]:
    """Return the outlines from x = 0 on the baseline, and the width, for capitals of height 1."""
    font = _font(bold)
    if font.keys() >= set(text):
        segments: list[Segment] = []
        start, unit = 0.0, EM * CAP
        for advance, outline in map(font.__getitem__, text):
            segments += [(code, [((start + x) / unit, y / unit) for x, y in line]) for code, line in outline]
            start += advance
    else:
        segments = plotted_outline(text, bold)
    xs = [x for _, line in segments for x, _ in line]
    left = min(xs, default=0.0)
    placed: list[Segment] = [(code, [(x - left, y) for x, y in line]) for code, line in segments]
    return placed, max(xs, default=0.0) - left


def text_width(text: str, cap: float, *, bold: bool = True) -> float:
    """Return the width of *text* with capitals of height *cap*."""
    extents = _extents(bold)
    if not extents.keys() >= set(text):
        return text_outline(text, bold)[1] * cap
    start, lefts, rights = 0, [], []
    for advance, left, right in map(extents.__getitem__, text):
        if left < right:  # a space has no outline
            lefts.append(start + left)
            rights.append(start + right)
        start += advance
    return (max(rights, default=0) - min(lefts, default=0)) / (EM * CAP) * cap


@cache
def _extents(bold: bool) -> dict[str, tuple[int, int, int]]:
    """Return the advance width of each character, and the left and the right end of its outline."""
    extents = {}
    for character, (advance, outline) in _font(bold).items():
        xs = [x for _, line in outline for x, _ in line] or [0]
        extents[character] = advance, min(xs), max(xs)
    return extents


@cache
def _font(bold: bool) -> dict[str, tuple[int, list[tuple[str, list[tuple[int, int]]]]]]:
    """Return the advance width and the outline of each character."""
    file = Path(__file__).parents[1] / "data" / "glyphs.json"
    stored = json.loads(file.read_text(encoding="utf-8"))["bold" if bold else "normal"]
    font = {}
    for character, (advance, text) in stored.items():
        x = y = 0
        outline = []
        for code, numbers in re.findall(r"([MLQZ])([^MLQZ]*)", text):
            steps, line = [int(number) for number in re.findall(r"-?\d+", numbers)], []
            for dx, dy in zip(steps[::2], steps[1::2], strict=True):
                line.append((x + dx, y + dy))
            x, y = line[-1] if line else (x, y)
            outline.append((code, line))
        font[character] = advance, outline
    return font


@default_settings()
def plotted_outline(text: str, bold: bool) -> list[Segment]:
    """Return the outlines of any text by matplotlib, for capitals of height 1."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path as Outline
    from matplotlib.textpath import text_to_path

    codes = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}
    vertices, kinds = text_to_path.get_text_path(
        FontProperties(family=FONT, weight="bold" if bold else "normal"), text
    )
    unit = text_to_path.FONT_SCALE * CAP
    segments = Outline(vertices, kinds).iter_segments(simplify=False, curves=True) if len(vertices) else ()
    return [
        (codes[kind], [(x / unit, y / unit) for x, y in zip(points[::2], points[1::2], strict=True)])
        if kind in codes
        else ("Z", [])
        for points, kind in segments
    ]
