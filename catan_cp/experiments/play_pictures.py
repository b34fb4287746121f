"""The answers of the experiment on played games as one picture: estimates with their 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from catan_cp.draw.charts import dress, panels
from catan_cp.draw.style import Theme, find_theme
from catan_cp.experiments.play_answers import Estimate, answer_a, answer_b, answer_c, answer_d
from catan_cp.experiments.play_data import Data

_WIDTH, _ROW, _TEXT = 10.5, 0.3, 9.0


def plot_answers(data: Data, ax: Axes | None = None, *, theme: str = "light") -> Figure | SubFigure:
    """Draw what questions a to d found: every estimate as a dot on its 95 % interval, beside zero.

    Args:
        data: the games of the experiment.
        ax: as in `catan_cp.plot_gallery`.
        theme: as in `catan_cp.plot_board`.
    """
    look = find_theme(theme)
    found_d = answer_d(data)
    asked = [
        ("a: wins by seat", "points from a quarter", _renamed(_points(answer_a(data)[:4]), "A1 ", ": wins")),
        (
            "b: wins with a plan",
            "points from a quarter; B4: between two plans",
            _renamed(_points(answer_b(data)), "", ": wins"),
        ),
        ("c: length", "turns from open boards", _renamed(answer_c(data), " turns,", " less")),
        ("d: lively games", "points from open boards", _renamed(_points(found_d), " lively,", ", fresh")),
    ]
    height = _ROW * 2 * max(len(estimates) for _, _, estimates in asked) + 1.6
    picture, grid = panels(ax, (_WIDTH, height), 2, 2, look)
    for axes, (title, label, estimates) in zip((axes for row in grid for axes in row), asked, strict=True):
        _forest(axes, title, label, estimates, look)
    return picture


def _points(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return shares in percentage points."""
    return [replace(e, value=100 * e.value, low=100 * e.low, high=100 * e.high) for e in estimates]


def _renamed(estimates: Sequence[Estimate], cut: str, end: str) -> list[Estimate]:
    """Return the estimates with short names: without *cut*, and only what stands before *end*."""
    return [replace(e, name=e.name.replace(cut, "").partition(end)[0].replace("_", " ")) for e in estimates]


def _forest(axes: Axes, title: str, label: str, estimates: Sequence[Estimate], look: Theme) -> None:
    dress(axes, look, title, grid="x")
    for row, e in enumerate(estimates):
        color = look.series[0] if e.low <= 0 <= e.high else look.series[1]
        axes.plot([e.low, e.high], [row, row], color=color, linewidth=2.5, solid_capstyle="round")
        axes.plot([e.value], [row], "o", color=color, markersize=6)
    axes.set_xlabel(label, fontsize=_TEXT)
    axes.axvline(0, color=look.text, linewidth=1, linestyle="--")
    axes.set_yticks(range(len(estimates)), [e.name.replace("+", "\n+ ") for e in estimates], fontsize=_TEXT)
    axes.set_ylim(len(estimates) - 0.4, -0.6)
