"""Titles and captions: their sizes and line breaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from catan_cp.draw.glyphs import text_width
from catan_cp.draw.style import Theme, ink_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE, CAPTION = 14.0, 10.0
"""Maximum sizes of a title and of a caption in points."""

SMALLEST = 6.5
"""Size in points below which captions are broken into lines."""

_MOST_LINES = 4  # of a caption
_HALVINGS = 40  # of the interval of possible widths of a line


def title_height(title: str, size: float) -> float:
    """Return the height in inches of a title whose font size is in points."""
    return (1.25 * size * (title.count("\n") + 1) + 8) / 72


def _widest(texts: Iterable[str]) -> float:
    """Return the width of the longest line of all texts, in ems."""
    lines = (line for text in texts for line in text.split("\n"))
    return max((text_width(line, 0.73, bold=False) for line in lines), default=0.0)  # capitals are 0.73 em


def write_title(ax: Axes, title: str, theme: Theme, size: float) -> None:
    """Write a title above the axes, in at most *size* points and not wider than the axes."""
    from matplotlib.colors import to_rgba

    room = 0.96 * 72 * ax.get_window_extent().width / ax.figure.dpi
    behind = to_rgba(ax.figure.get_facecolor())
    color = theme.text if behind[3] == 0 or behind[:3] == theme.background else ink_on(behind[:3])
    fitting = min(size, room / (_widest([title]) or 1e-9))
    ax.set_title(title, color=color, fontsize=fitting, pad=4, parse_math=False)


def fitted(lines: Sequence[str], width: float) -> tuple[list[str], float, float]:
    """Return captions of at most *width* inches, their size in points, and their height.

    Captions that would be smaller than `SMALLEST` are broken into few lines of similar length.
    """
    room = 0.96 * 72 * width
    broken = [line if _widest([line]) * SMALLEST <= room else _balanced(line, room) for line in lines]
    size = min(CAPTION, room / (_widest(broken) or 1e-9))
    return broken, size, max((title_height(line, size) for line in broken if line), default=0.0)


def _balanced(text: str, room: float) -> str:
    """Break a text between words into lines that fit *room*, if possible.

    Among the ways that fit, the fewest lines are best, then the shortest longest line.
    """
    words = text.split()
    widths, space = [_widest([word]) for word in words], _widest([". ."]) - _widest([".."])
    candidates = []
    for n_lines in range(1, _MOST_LINES + 1):
        lines = [" ".join(words[a:b]) for a, b in pairwise(_breaks(widths, space, n_lines))]
        width = _widest(lines)
        # Ways that fit are equal in the first number, so the next ones decide.
        candidates.append((max(width, room / SMALLEST), len(lines), width, "\n".join(lines)))
    return min(candidates)[-1]


def _breaks(widths: Sequence[float], space: float, n_lines: int) -> list[int]:
    """Return the first word of each line, and the end, for at most *n_lines* lines of similar width."""
    least, most = max(widths), sum(widths) + space * len(widths)
    best = [0, len(widths)]
    for _ in range(_HALVINGS):
        limit, filled, breaks = (least + most) / 2, -space, [0]
        for number, width in enumerate(widths):
            if filled + space + width > limit and number > breaks[-1]:
                filled = -space
                breaks.append(number)
            filled += space + width
        if len(breaks) <= n_lines:
            most, best = limit, [*breaks, len(widths)]
        else:
            least = limit
    return best
