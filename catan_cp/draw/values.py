"""Heat maps: a disc per vertex, coloured by its value, and a colour bar."""

from __future__ import annotations

from math import ceil, floor, isnan, log10
from typing import TYPE_CHECKING

from catan_cp.draw.content import Content
from catan_cp.draw.glyphs import text_width
from catan_cp.draw.style import Color, blend, heat_color, ink_on

if TYPE_CHECKING:
    from catan_cp.draw.svg import Surface

_SPOT, _DOT = 0.24, 0.13
_LABELLED = 10
_STRIPS = 64  # of the colour bar
_BAR = 1.7  # the width of the colour bar with its values


def plot_heat(canvas: Surface, content: Content) -> list[Color | None]:
    """Plot a disc per vertex, coloured by its value, and a colour bar at the right.

    The discs of the ten highest values are larger and have labels, unless the vertices have their indices.

    Returns:
        The colour of each vertex's disc, or None for a vertex without a value.
    """
    if content.heat is None:
        return [None] * len(content.vertices)
    theme = canvas.theme
    known = {v: value for v, value in enumerate(content.heat) if not isnan(value)}
    low, high = min(known.values()), max(known.values())
    low, high = (low, high) if low < high else (low - 0.5, high + 0.5)
    colors = {v: heat_color(theme, (value - low) / (high - low)) for v, value in known.items()}
    best = sorted(known, key=lambda v: (-known[v], v))[: None if content.numbers else _LABELLED]
    rim = blend(theme.background, theme.text, 0.75)  # light in the dark theme, to show dark discs
    for vertices, size in (([v for v in known if v not in best], _DOT), (best, _SPOT)):
        sites, fills = [content.vertices[v] for v in vertices], [colors[v] for v in vertices]
        canvas.discs(sites, size + 0.04, [theme.background], "heat-halo", level=2.9)
        canvas.discs(sites, size, fills, "heat", rim, width=0.02, level=3)
    if not content.numbers:
        words = []
        for v in best:
            text = f"{known[v]:.3g}"
            words.append((text, content.vertices[v], min(0.19, 0.38 / text_width(text, 1))))
        canvas.words(words, [ink_on(colors[v]) for v in best], "heat-labels", level=3)
    _plot_scale(canvas, content, low, high)
    return [colors.get(v) for v in range(len(content.vertices))]


def _plot_scale(canvas: Surface, content: Content, low: float, high: float) -> None:
    """Plot the colour bar of a heat map with its values and its label."""
    theme, box, scale = canvas.theme, content.box, content.scale
    left, right = box.right + 0.1 * scale, box.right + 0.4 * scale
    bottom, height = (box.top + box.bottom) / 2 - 0.3 * box.height, 0.6 * box.height
    strips = [k / _STRIPS for k in range(_STRIPS)]  # bars reach the top, below later bars, so no gap shows
    bars = []
    for share in strips:
        y = bottom + share * height
        bars.append([(left, y), (right, y), (right, bottom + height), (left, bottom + height)])
    canvas.polygons(bars, [heat_color(theme, share + 0.5 / _STRIPS) for share in strips], "heat-scale")
    canvas.polygons(bars[:1], "none", "heat-outline", edge=theme.text, width=0.03)
    ticks = {bottom + (tick - low) / (high - low) * height: f"{tick:.10g}" for tick in _ticks(low, high)}
    marks = [[(right, y), (right + 0.1 * scale, y)] for y in ticks]
    canvas.strokes(marks, [theme.text], 0.03, "heat-ticks")
    widest = max((text_width(text, 1, bold=False) for text in ticks.values()), default=0.0) or 1.0
    cap = min(0.22 * scale, (_BAR - 0.7) * scale / widest)
    start = right + 0.18 * scale
    words = [(text, (start + text_width(text, cap, bold=False) / 2, y), cap) for y, text in ticks.items()]
    canvas.words(words, [theme.text], "heat-values", bold=False)
    label, middle = content.heat_label, (start + cap * widest + 0.3 * scale, bottom + height / 2)
    fitting = min(0.22 * scale, 0.96 * box.height / (text_width(label, 1, bold=False) or 1.0))
    canvas.words([(label, middle, fitting)], [theme.text], "heat-label", bold=False, turned=True)


def _ticks(low: float, high: float) -> list[float]:
    """Return round values between two values, at most nine.

    >>> _ticks(0.3, 4.9)
    [1.0, 2.0, 3.0, 4.0]
    """
    unit = 10.0 ** floor(log10((high - low) / 8))
    step = next(unit * k for k in (1, 2, 2.5, 5, 10) if unit * k * 8 >= high - low)
    return [float(f"{k * step:.12g}") for k in range(ceil(low / step), floor(high / step) + 1)]
