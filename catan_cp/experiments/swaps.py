"""The article's two experiments with swaps, and its figures: the swap hypothesis, and the best skew power.

The article "Catan Boards - Part 1" (presentlylevel.com). On the swap hypothesis: tiles of random terrains
are swapped, and each swap is a point whose coordinates are the two terrains' normalised errors before
it. If the hypothesis holds, the further a point is from the diagonal, the more its swap lowers the
mean squared error: swapping a terrain that is too even with one that is not even enough helps.

On skew powers: the mean error of many boards after each step of the swap search, for several powers, with
static and with dynamic normalisation, from the same random boards.

The article has an interactive page, too, that shows how normalisation and skew powers shape which terrains a
step draws. `swap_chances` says so exactly, not by trying; `plot_swap_chances` is its picture, and
`catan_cp.notebook.exploring.explore_swaps` the page.

Rows are written as they come, to a CSV or an SQLite file, so that a run that is stopped keeps them. The
suffix of the path decides: ``.csv``, or ``.db``, ``.sqlite`` and ``.sqlite3``.
"""

from __future__ import annotations

import csv
import io
import math
import os
import sqlite3
import statistics
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.draw.style import Theme, find_theme, terrain_color
from catan_cp.entropy import efficiency, search
from catan_cp.entropy.search import NORMALIZATIONS
from catan_cp.errors import CatanError, Interrupted, InvalidArgument, listed, show, show_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure, SubFigure


KEPT = ("all", "improving")
"""Which swaps a run keeps: every one, or only those that do not raise the error."""


class SwapPoint(NamedTuple):
    """One swap.

    Attributes:
        kept: the run that it belongs to, one of `KEPT`.
        board: the number of its board.
        step: the number of the swap, from 1.
        first, second: the terrains drawn.
        first_error, second_error: their normalised errors before the swap.
        change: of the mean squared error.
        errors: efficiency - target of every terrain before the swap.
    """

    kept: str
    board: int
    step: int
    first: str
    second: str
    first_error: float
    second_error: float
    change: float
    errors: Mapping[str, float]

    @property
    def distance(self) -> float:
        """How far the point (first_error, second_error) is from the diagonal."""
        return abs(self.first_error - self.second_error) / math.sqrt(2)


@dataclass(frozen=True)
class SwapHypothesis:
    """The points of both runs: of ``"all"`` every swap, of ``"improving"`` those that lowered the error."""

    layout: Layout
    points: tuple[SwapPoint, ...]

    def of(self, kept: str) -> list[SwapPoint]:
        """Return the points of one run.

        Raises:
            InvalidArgument: no such run.
        """
        errors.check_choice("kept", kept, KEPT)
        return [point for point in self.points if point.kept == kept]

    def correlation(self, kept: str) -> float:
        """Return Pearson's correlation of distance from the diagonal with decrease of the error.

        The article, on the swap hypothesis, has 0.272 for ``"all"`` and 0.567 for ``"improving"``, each of
        20 boards. Over 600 boards the first is 0.267, over 2,000 the second 0.543, about which 20 boards
        scatter by 0.04 (standard deviation) and 200 by 0.013. NaN where there are too few points to tell.
        """
        points = self.of(kept)
        distances, decreases = [p.distance for p in points], [-p.change for p in points]
        try:
            return statistics.correlation(distances, decreases)
        except statistics.StatisticsError:
            return math.nan

    def quartiles(self, kept: str) -> list[list[SwapPoint]]:
        """Return the points of one run in four parts by their change, the largest decreases first."""
        points = self.of(kept)
        cuts = statistics.quantiles([p.change for p in points], n=4) if len(points) > 1 else []
        parts: list[list[SwapPoint]] = [[], [], [], []]
        for point in points:
            parts[bisect(cuts, point.change)].append(point)
        return parts


def swap_hypothesis(
    boards: int = 20,
    steps: int = 1000,
    layout: str | Layout = "seafarers-8",
    seed: int | None = 0,
    *,
    file: str | Path | None = None,
    progress: search.Progress | None = None,
) -> SwapHypothesis:
    """Swap tiles of random boards, power 0, static: in one run keep every swap, in one improving ones.

    Both runs begin with the same boards. The second undoes swaps that raise the error, and its points are
    the swaps that lowered it (a swap that changes nothing is kept, but says nothing). The article, on the
    swap hypothesis.

    Args:
        boards: how many random boards for each run.
        steps: how many swaps to try on each.
        layout: a layout or its name.
        seed: the same seed gives the same points.
        file: a new .csv or SQLite file, to which the points are written board by board, each with the
            efficiency and the error of every terrain before the swap.
        progress: called with the boards done and to do, of both runs.

    Raises:
        InvalidBoard: no such layout.
        InvalidArgument: a layout without targets, any other argument out of its range, or a file that exists.
        Interrupted: Ctrl-C; its ``result`` holds the points until then, and so does the file.
    """
    layout = find_layout(layout)
    search.check_targets(layout, None)
    boards, steps = errors.check_count("boards", boards, 1), errors.check_count("steps", steps)
    rng = errors.random_source(seed)
    starts = [(search.random_terrain(layout, rng), rng.getrandbits(64)) for _ in range(boards)]
    points: list[SwapPoint] = []
    with _recording(file, "swaps", _columns(layout)) as write:
        try:
            for kept in KEPT:
                for number, (terrain, own_seed) in enumerate(starts):
                    found = _points(layout, kept, number, terrain, own_seed, steps)
                    write(_row(layout, point) for point in found)
                    points += found
                    if progress is not None:
                        progress(KEPT.index(kept) * boards + number + 1, len(KEPT) * boards)
        except KeyboardInterrupt:
            so_far = SwapHypothesis(layout, tuple(points))
            raise Interrupted(f"stopped after {len(points)} swaps", so_far) from None
    return SwapHypothesis(layout, tuple(points))


def _columns(layout: Layout) -> dict[str, str]:
    """Return the columns of a recorded swap, those of a `SwapPoint` and two per terrain, and their types."""
    texts, numbers = ("kept", "first", "second"), ("board", "step")
    kinds = {**dict.fromkeys(texts, "TEXT"), **dict.fromkeys(numbers, "INTEGER")}
    terrains = [f"{what}_{name}" for name in layout.terrains for what in ("efficiency", "error")]
    return {name: kinds.get(name, "REAL") for name in (*SwapPoint._fields[:-1], *terrains)}


def _row(layout: Layout, point: SwapPoint) -> tuple[str | int | float, ...]:
    found = [
        (point.errors[name] + layout.target_efficiency[name], point.errors[name]) for name in layout.terrains
    ]
    return (*point[:-1], *chain.from_iterable(found))


def _points(
    layout: Layout, kept: str, number: int, terrain: tuple[str, ...], seed: int, steps: int
) -> list[SwapPoint]:
    start = Board(layout, terrain)
    result = search.search_swaps(start, steps, 0, reject=kept == "improving", seed=seed, record=True)
    return [
        SwapPoint(kept, number, step, s.first, s.second, s.first_error, s.second_error, s.change, s.errors)
        for step, s in enumerate(result.record or (), start=1)
        if s.first is not None and s.second is not None and (kept == "all" or s.change < 0)
    ]


# Skew powers


POWERS = (0.0, 0.5, 1.0, 2.0, 4.0, math.inf)
"""The article's skew powers."""

Curve = tuple[float, ...]


@dataclass(frozen=True)
class SkewPowers:
    """The mean error over the boards after every step, the start's first.

    Attributes:
        layout: the boards' layout.
        boards: how many boards each mean is of.
        curves: by normalisation and skew power.
    """

    layout: Layout
    boards: int
    curves: Mapping[tuple[str, float], Curve]


def skew_powers(
    boards: int = 100,
    steps: int = 5000,
    layout: str | Layout = "seafarers-8",
    seed: int | None = 0,
    *,
    powers: Sequence[float] = POWERS,
    normalizations: Sequence[str] = search.NORMALIZATIONS,
    file: str | Path | None = None,
    progress: search.Progress | None = None,
) -> SkewPowers:
    """Search from the same random boards with each power and normalisation, undoing what raises the error.

    The article, on skew powers.

    Args:
        boards: how many random boards.
        steps: how many swaps to try on each.
        layout: a layout or its name.
        seed: the same seed gives the same curves.
        powers: skew powers, as for `search_swaps`.
        normalizations: of ``"static"`` and ``"dynamic"``.
        file: a new .csv or SQLite file, to which each curve is written when it is done.
        progress: called with the steps done and to do, of all curves.

    Raises:
        InvalidBoard: no such layout.
        InvalidArgument: any other argument out of its range, or a file that exists.
        Interrupted: Ctrl-C; its ``result`` holds the curves until then, the last one begun cut short, and
            so does the file.
    """
    from catan_cp.entropy.many import SwapStudy, search_swaps_many  # the one that needs numpy

    layout = find_layout(layout)
    boards, steps = errors.check_count("boards", boards, 1), errors.check_count("steps", steps)
    seeds = errors.random_source(seed)
    for name, given in (("powers", powers), ("normalizations", normalizations)):
        if not isinstance(given, Iterable) or isinstance(given, str):
            raise InvalidArgument(f"{name} are a list, not {show(given)}")
    names = [search.check_normalization(name) for name in normalizations]
    runs = list(product(names, map(search.check_skew_power, powers)))
    starts = search_swaps_many(layout, boards, 0, seed=seeds.getrandbits(64)).starts
    same_seed = seeds.getrandbits(64)
    columns = {"normalization": "TEXT", "skew_power": "REAL", "step": "INTEGER", "mean_error": "REAL"}
    curves: dict[tuple[str, float], Curve] = {}
    with _recording(file, "mean_errors", columns) as write:

        def add(run: tuple[str, float], study: SwapStudy) -> None:
            curves[run] = tuple(study.errors.mean(axis=0).tolist())
            write([(*run, step, error) for step, error in enumerate(curves[run])])

        try:
            for number, run in enumerate(runs):
                advance = None if progress is None else _shifted(progress, number, len(runs))
                name, power = run
                study = search_swaps_many(
                    layout, boards, steps, power, name, seed=same_seed, starts=starts, progress=advance
                )
                add(run, study)
        except KeyboardInterrupt as stop:
            if isinstance(stop, Interrupted) and isinstance(stop.result, SwapStudy):
                add(run, stop.result)
            so_far = SkewPowers(layout, boards, curves)
            raise Interrupted(f"stopped in curve {number + 1} of {len(runs)}", so_far) from None
    return SkewPowers(layout, boards, curves)


def _shifted(progress: search.Progress, number: int, runs: int) -> search.Progress:
    """The progress of run *number* as progress of all *runs*."""
    return lambda done, to_do: progress(number * to_do + done, runs * to_do)


# Rows written as they come

SUFFIXES = (".csv", ".db", ".sqlite", ".sqlite3")

_Row = Sequence[str | int | float]
_Write = Callable[[Iterable[_Row]], None]


@contextmanager
def _recording(path: str | Path | None, table: str, columns: Mapping[str, str]) -> Iterator[_Write]:
    """Open a new file for rows, and give the function that writes some and sees them onto the disk.

    Args:
        path: the file; with None, rows go nowhere.
        table: the name of the table in an SQLite file.
        columns: the columns' names and SQLite types.

    Raises:
        InvalidArgument: another suffix, a file that exists, or a place where none can be made.
        CatanError: the rows could not be written, the disk being full, say.
    """
    if path is None:
        yield lambda rows: None
        return
    file = _new_file(path)
    types = ", ".join(f'"{name}" {kind} NOT NULL' for name, kind in columns.items())
    insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - our own names
    with nullcontext() if file.suffix == ".csv" else closing(sqlite3.connect(file)) as connection:

        def write(rows: Iterable[_Row]) -> None:
            with _writing(file):
                if connection is None:
                    _append_csv(file, rows)
                else:
                    with connection:
                        connection.executemany(insert, rows)

        if connection is None:
            write([tuple(columns)])
        else:
            with _writing(file):
                connection.execute(f"CREATE TABLE {table} ({types})")
        yield write


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise CatanError(f"cannot write more to {show_path(path)}, which keeps its rows: {error}") from error


def _new_file(path: str | Path) -> Path:
    if not isinstance(path, (str, Path)) or Path(path).suffix not in SUFFIXES:
        raise InvalidArgument(
            f"{show_path(path)} is no file for rows; its suffix is one of {listed(SUFFIXES)}"
        )
    file = Path(path)
    try:
        file.open("x").close()  # claims the name, and never writes over what someone recorded
    except FileExistsError:
        raise InvalidArgument(f"{show_path(path)} exists already; give a new name, or remove it") from None
    except OSError as error:
        raise InvalidArgument(f"cannot write {show_path(path)}: {error.strerror}") from None
    return file


def _append_csv(path: Path, rows: Iterable[_Row]) -> None:
    text, size = io.StringIO(newline=""), path.stat().st_size
    csv.writer(text).writerows(rows)
    left = memoryview(text.getvalue().encode())
    try:
        with path.open("ab", buffering=0) as file:  # all rows at once: a kill between two left half a row
            while left:
                left = left[file.write(left) or 0 :]
    except OSError:
        os.truncate(path, size)  # no half a row
        raise


# Which terrains a step draws

POINTS = 201
"""Points of a curve, over raw errors from -1 to 1."""


@dataclass(frozen=True)
class SwapChances:
    """How likely a step draws each terrain.

    Attributes:
        normalized: each terrain's error, normalised to 0..1.
        pairs: the chance that the first terrain and the second are drawn; they sum to 1.
    """

    normalized: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float]

    @property
    def first(self) -> dict[str, float]:
        """The chance of each terrain to be drawn as the one that is too even."""
        return self._summed(0)

    @property
    def second(self) -> dict[str, float]:
        """The chance of each terrain to be drawn as the one that is not even enough."""
        return self._summed(1)

    def _summed(self, side: int) -> dict[str, float]:
        sums = dict.fromkeys(self.normalized, 0.0)
        for pair, chance in self.pairs.items():
            sums[pair[side]] += chance
        return sums


def raw_errors(board: Board) -> dict[str, float]:
    """Return efficiency - target of each terrain on the board that has a target.

    Raises:
        InvalidArgument: a terrain of the layout has no target.
    """
    goals = search.check_targets(board.layout, None)
    return {name: value - goals[name] for name, value in efficiency(board).items() if name in goals}


def swap_chances(
    errors: Board | Mapping[str, float], skew_power: float = 1.0, normalization: str = "static"
) -> SwapChances:
    """Return how likely a step of `catan_cp.search_swaps` draws each pair of terrains.

    The first is drawn with weights normalised ** s, the second with (1 - normalised) ** s, and both again
    until they differ: a pair's chance is the product of its weights, divided by the sum over all pairs of two
    different terrains.

    Args:
        errors: the raw error (efficiency - target, from -1 to 1) of each terrain, or a board that has them.
        skew_power: s, as for `catan_cp.search_swaps`.
        normalization: ``"static"`` or ``"dynamic"``.

    Raises:
        InvalidArgument: fewer than two terrains, an error that is no number from -1 to 1, or another
            argument out of its range.
    """
    raw = raw_errors(errors) if isinstance(errors, Board) else _checked_errors(errors)
    if len(raw) < 2:
        raise InvalidArgument(f"a swap draws two of the terrains, and {show(dict(raw))} has fewer")
    power, scheme = search.check_skew_power(skew_power), search.check_normalization(normalization)
    names, normalized = list(raw), search.normalize(list(raw.values()), scheme)
    firsts = search.skewed_weights(normalized, power)
    seconds = search.skewed_weights([1 - error for error in normalized], power)
    weights = {
        (a, b): first * second
        for a, first in zip(names, firsts, strict=True)
        for b, second in zip(names, seconds, strict=True)
        if a != b
    }
    total = sum(weights.values())
    pairs = {pair: weight / total for pair, weight in weights.items()}
    return SwapChances(dict(zip(names, normalized, strict=True)), pairs)


def _checked_errors(given: object) -> Mapping[str, float]:
    if not isinstance(given, Mapping):
        raise InvalidArgument(f"errors are a Board or map terrains to numbers, not {show(given)}")
    for name, error in given.items():
        value = errors.real_number(error)
        if value is None or not -1 <= value <= 1:
            raise InvalidArgument(f"the error of {show(name)} is a number from -1 to 1, not {show(error)}")
    return given


def plot_swap_chances(
    errors: Board | Mapping[str, float],
    skew_power: float = 1.0,
    normalization: str = "static",
    ax: Axes | None = None,
    *,
    theme: str = "light",
) -> Figure | SubFigure:
    """Draw the weights over the raw error as curves, and the chances of each terrain as bars.

    Left: the weight of a terrain as the first (too even) and as the second (not even enough) of a swap, with
    a dot at each terrain's error; the largest is 1. Right: how likely each terrain is drawn.
    *ax* is as in `plot_gallery`, *theme* as in `plot_board`, everything else as in `swap_chances`.
    """
    from catan_cp.draw.charts import dress, panels

    look = find_theme(theme)
    chances = swap_chances(errors, skew_power, normalization)
    raw = raw_errors(errors) if isinstance(errors, Board) else errors
    figure, [[left, right]] = panels(ax, (10, 3.6), 1, 2, look)
    largest = max(map(abs, raw.values())) if normalization == "dynamic" else 1.0
    steps = sorted({*(largest * (2 * i / (POINTS - 1) - 1) for i in range(POINTS)), *raw.values()})
    scaled = [(step / largest if largest else 0.0) / 2 + 0.5 for step in steps]
    fills = [terrain_color(look, name) for name in raw]
    for flip, color, dash, name in (
        (False, look.series[0], "-", "first: too even"),
        (True, look.series[3], "--", "second: not even enough"),
    ):
        spots = [1 - e if flip else e for e in chances.normalized.values()]
        most = max(spots) or 1.0
        weights = [min((max(1 - e if flip else e, 0.0) / most) ** skew_power, 2.0) for e in scaled]
        left.plot(steps, weights, color=color, linestyle=dash, label=name)
        heights = search.skewed_weights(spots, skew_power)
        left.scatter(
            list(raw.values()), heights, c=fills, s=34, edgecolors=[look.text], linewidths=0.8, zorder=3
        )
    dress(left, look, "weight")
    left.set(xlabel="efficiency - target", xlim=(-1.05, 1.05), ylim=(-0.05, 1.1))
    figure.legend(loc="outside lower center", ncols=2, frameon=False, labelcolor=look.text)
    rows = range(len(raw))
    for side, color, shift, hatch in (
        (chances.first, look.series[0], -0.19, ""),
        (chances.second, look.series[3], 0.19, "///" if look.greys else ""),
    ):
        right.barh(
            [row + shift for row in rows], list(side.values()), height=0.36, color=color, hatch=hatch,
            edgecolor=look.background,
        )  # fmt: skip
    right.set_yticks(rows, list(raw))
    right.set_ylim(len(raw) - 0.5, -0.5)
    right.set_xlim(0, 1)
    dress(right, look, "chance to be drawn", grid="x")
    title = f"Skew power {_power_label(skew_power)}, {normalization} normalisation"
    figure.suptitle(title, color=look.text)
    return figure


# Pictures

SPANS = (5000, 2000, 100)
"""How many steps the three rows of the article's figure on skew powers show."""

_TITLES = {"all": "every swap kept", "improving": "only improving swaps kept"}
_QUARTERS = {
    "all": ("largest decreases", "second quarter", "third quarter", "largest increases"),
    "improving": ("largest decreases", "second quarter", "third quarter", "smallest decreases"),
}


def plot_swaps(
    points: Sequence[SwapPoint], ax: Axes | None = None, *, title: str | None = None, theme: str = "light"
) -> Axes:
    """Draw swaps as dots: the two terrains' normalised errors, coloured by the change of the error.

    Args:
        points: swaps of one run, for instance ``swap_hypothesis().of("all")``.
        ax: the axes to draw on; without it, a new figure.
        title: a line above.
        theme: as in `plot_board`.
    """
    from catan_cp.draw.charts import chart_axes, dress

    if not isinstance(points, Sequence) or not all(isinstance(point, SwapPoint) for point in points):
        raise InvalidArgument(f"points are swaps, as swap_hypothesis returns them, not {show(points)}")
    look = find_theme(theme)
    ax = chart_axes(ax, 5.0, look)
    colors, label = _colors(points, look)
    _draw_dots(ax, points, colors, look)
    dress(ax, look, title)
    ax.set(xlim=_limits(points), ylim=_limits(points), aspect="equal")
    ax.set(xlabel="normalised error 1", ylabel="normalised error 2")
    _draw_bar(ax.figure, ax, colors, label, look)
    return ax


def plot_swap_hypothesis(
    result: SwapHypothesis, ax: Axes | None = None, *, theme: str = "light"
) -> Figure | SubFigure:
    """Draw the two normalised errors of each swap, by quarter of the change, for both runs.

    The article, on the swap hypothesis. Colour is the change of the mean squared error, or, where swaps
    only lower it, the decrease on a log scale. *ax* is as in `plot_gallery`, *theme* as in `plot_board`.
    """
    from catan_cp.draw.charts import dress, panels

    _check_result(result, SwapHypothesis)
    look = find_theme(theme)
    low, high = _limits(result.points)
    runs = [kept for kept in KEPT if result.of(kept)] or KEPT[:1]  # a run cut short may lack the second
    size = (12, 0.4 + 3.1 * len(runs))
    figure, grid = panels(ax, size, len(runs), 4, look, sharex=True, sharey=True)
    for axes, kept in zip(grid, runs, strict=True):
        colors, label = _colors(result.of(kept), look)
        for panel, part, name in zip(axes, result.quartiles(kept), _QUARTERS[kept], strict=True):
            _draw_dots(panel, part, colors, look)
            dress(panel, look, f"{name} ({len(part):,})")
            panel.set(xlim=(low, high), ylim=(low, high), aspect="equal")
        axes[0].set_ylabel(f"{_TITLES[kept]}\nnormalised error 2")
        _draw_bar(figure, axes, colors, f"{label} (r = {result.correlation(kept):.3f})", look)
    for panel in grid[-1]:
        panel.set_xlabel("normalised error 1")
    boards = len({p.board for p in result.points})
    title = f"Swap hypothesis: {boards} boards of {result.layout.name}, skew power 0, static"
    figure.suptitle(title, color=look.text)
    return figure


def plot_skew_powers(
    result: SkewPowers, ax: Axes | None = None, *, theme: str = "light"
) -> Figure | SubFigure:
    """Draw the mean error over the steps, one line a skew power, one column a normalisation.

    The article, on skew powers: a log axis, and the first `SPANS` steps, row by row. *ax* is as in
    `plot_gallery`, *theme* as in `plot_board`.
    """
    from catan_cp.draw.charts import draw_lines, dress, panels

    _check_result(result, SkewPowers)
    look = find_theme(theme)
    names = [name for name in NORMALIZATIONS if any(run[0] == name for run in result.curves)]
    longest = max((len(curve) - 1 for curve in result.curves.values()), default=0)
    spans = sorted({min(span, longest) for span in SPANS}, reverse=True)
    size = (10, 1 + 2.8 * len(spans))
    figure, grid = panels(ax, size, len(spans), max(len(names), 1), look, right=1.2, sharey="row")
    for axes, span in zip(grid, spans, strict=True):
        for panel, name in zip(axes, names, strict=False):
            curves = {
                _power_label(power): curve[: span + 1]
                for (run_name, power), curve in result.curves.items()
                if run_name == name
            }
            draw_lines(panel, curves, look)
            panel.set_yscale("log")
            dress(panel, look, f"{name}, {span:,} steps")
            panel.set_xlabel("step")
        axes[0].set_ylabel("mean error")
    handles, labels = grid[0][0].get_legend_handles_labels()
    words = figure.legend(
        handles, labels, title="skew power", loc="outside right center", frameon=False, labelcolor=look.text
    )
    words.get_title().set_color(look.text)
    figure.suptitle(f"Skew powers: {result.boards} boards of {result.layout.name}", color=look.text)
    return figure


def _check_result(result: object, kind: type) -> None:
    if not isinstance(result, kind):
        raise InvalidArgument(f"this draws {kind.__name__}, as its experiment returns it, not {show(result)}")


def _draw_dots(ax: Axes, points: Sequence[SwapPoint], colors: ScalarMappable, theme: Theme) -> None:
    import numpy as np

    sign = -1 if _only_decreases(points) else 1
    ax.plot([0, 1], [0, 1], color=theme.text, linewidth=0.8, alpha=0.5)
    ax.scatter(
        [p.first_error for p in points],
        [p.second_error for p in points],
        c=colors.to_rgba(sign * np.array([p.change for p in points])),
        s=5,
        linewidths=0,
    )


def _limits(points: Sequence[SwapPoint]) -> tuple[float, float]:
    coordinates = [e for p in points for e in (p.first_error, p.second_error)]
    return min(coordinates, default=0.0) - 0.03, max(coordinates, default=1.0) + 0.03


def _only_decreases(points: Sequence[SwapPoint]) -> bool:
    return all(point.kept == "improving" for point in points)


def _colors(points: Sequence[SwapPoint], theme: Theme) -> tuple[ScalarMappable, str]:
    """The colours of one run. They end where two in a hundred points go beyond, or few would tell apart."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, LogNorm, TwoSlopeNorm

    sizes = sorted(abs(p.change) for p in points if p.change) or [1.0]
    low, high = sizes[len(sizes) // 50], sizes[-1 - len(sizes) // 50]
    if points and _only_decreases(points):
        norm = LogNorm(low, high if high > low else 2 * low)
        # On paper, dots without outlines need greys that do not end in white.
        greys = LinearSegmentedColormap.from_list("greys", theme.change[::-1])
        return ScalarMappable(norm, greys if theme.greys else theme.heat), "decrease of the error"
    change = LinearSegmentedColormap.from_list("change", theme.change)
    return ScalarMappable(TwoSlopeNorm(0.0, -high, high), change), "change of the error"


def _draw_bar(
    figure: Figure | SubFigure, axes: Axes | Sequence[Axes], colors: ScalarMappable, label: str, theme: Theme
) -> None:
    bar = figure.colorbar(colors, ax=axes, extend="both")
    bar.set_label(label, color=theme.text)
    bar.ax.tick_params(which="both", colors=theme.text)
    bar.outline.set_edgecolor(theme.text)


def _power_label(power: float) -> str:
    return "infinity" if math.isinf(power) else f"{power:g}"
