"""Titles and captions: their sizes and line breaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import TextWrapper
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
    candidates = []
    for characters in range(1, len(text) + 1):
        flow = TextWrapper(characters, break_long_words=False, break_on_hyphens=False)
        if len(lines := flow.wrap(text)) <= _MOST_LINES:
            width = _widest(lines)
            # Ways that fit are equal in the first number, so the next ones decide.
            candidates.append((max(width, room / SMALLEST), len(lines), width, "\n".join(lines)))
    return min(candidates)[-1]
