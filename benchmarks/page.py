"""Write the measured figures to docs/performance.md (``python -m benchmarks.page``).

Full runs call it too.

It reads results.json and growth.json, plots each growth, and fills the marked parts of docs/performance.md.
The rest of the page is written by hand and must hold for any figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import log2
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from benchmarks.rows import GROWTH, RESULTS, Row, load, met, more_is_better, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "performance.md"
PICTURES = DOCS / "pictures"

_WIDTH = 110  # of a line of the page

_AXES = {
    "tiles": "tiles of the layout",
    "players": "players, on base-5-6",
    "solutions": "terrains listed",
    "boards": "boards of the study",
}
ROOMS = {
    "package": "starting",
    "solving": "generating and listing",
    "counting": "counting and sampling",
    "entropy": "evenness",
    "placement": "placement",
    "study": "studies",
    "play": "played games",
    "page": "the web page",
}


def main() -> None:
    """Plot the curves, and fill the page."""
    results, curves = load(RESULTS), load(GROWTH)
    for name in _AXES:
        print(draw(name, curves["pictures"][name], PICTURES))
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), results, curves), encoding="utf-8")
    print(PAGE)


def filled(text: str, results: Mapping[str, Any], curves: Mapping[str, Any]) -> str:
    """Return the page's text with its marked parts replaced.

    Raises:
        ValueError: a part is not marked on the page.
    """
    rows = results["rows"]
    sentences = {"run": _run(results, curves), "cores": _cores(rows), "sums": _sums(curves["sums"])}
    for name, sentence in _SENTENCES.items():
        sentences[name] = sentence({curve["name"]: curve for curve in curves["pictures"][name]})
    parts = {name: fill(words, _WIDTH) for name, words in sentences.items()}
    for name, part in {**parts, "table": table(rows), "replaced": _replaced(rows)}.items():
        marks = re.compile(rf"(<!-- made: {name} -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
        if not marks.search(text):
            raise ValueError(f"{PAGE.name} has no place for {name}: <!-- made: {name} --> ... <!-- end -->")
        text = marks.sub(lambda mark, part=part: mark[1] + part + mark[2], text)  # type: ignore[misc]
    return text


# The table


def table(rows: list[Row]) -> str:
    """Return all rows as a table in Markdown."""
    lines = [
        "| what | here, median | least to most | target | compared with | times better |",
        "| --- | ---: | ---: | ---: | --- | ---: |",
    ]
    room = None
    for row in rows:
        if row["room"] != room:
            room = row["room"]
            lines.append(f"| **{ROOMS[room]}** | | | | | |")
        unit = row["unit"]
        against = f"{row['against']}: {figure(row['against_median'], unit)}" if "against" in row else ""
        ratio = _ratio(row["ratio"]) if "ratio" in row else ""
        cells = row["name"], figure(row["median"], unit), _spread(row), _target(row), against, ratio
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def figure(value: float, unit: str) -> str:
    """Format a value with its unit, short times in milliseconds."""
    if unit == "s" and value < 0.1:
        value, unit = 1000 * value, "ms"
    return f"{short(value)} {unit}"


def _spread(row: Row) -> str:
    if row["runs"] == 1:
        return "one run"
    least, most = figure(row["least"], row["unit"]), figure(row["most"], row["unit"])
    number, unit = least.split(" ", 1)
    return f"{number} to {most}" if most.endswith(f" {unit}") else f"{least} to {most}"


def _ratio(ratio: float) -> str:
    """Format a ratio, a very large one with few digits."""
    return short(ratio if ratio < 10_000 else float(f"{ratio:.2g}"))


def _target(row: Row) -> str:
    if row["target"] is None:
        return ""
    return f"{_bound(row)}, {'met' if met(row) else '**missed**'}"


def _bound(row: Row, target: float | None = None) -> str:
    bound = "at least" if more_is_better(row["unit"]) else "at most"
    return f"{bound} {figure(row['target'] if target is None else target, row['unit'])}"


def _replaced(rows: list[Row]) -> str:
    by_name = {row["name"]: row for row in rows}
    lines = []
    for name, (old, reason) in REPLACED.items():
        row = by_name[name]
        here = figure(row["median"], row["unit"])
        words = f"- **{name}**: the target is {_bound(row)} instead of {_bound(row, old)}. This run: {here}."
        lines.append(fill(f"{words} {reason(by_name)}", _WIDTH, subsequent_indent="  "))
    return "\n".join(lines)


def _why_two_are_not_twice(rows: Mapping[str, Row]) -> str:
    names = (
        "two programs that only count, against one",
        "cores that one process keeps busy",
        "two processes against one, once running",
    )
    machine, busy, running = (short(rows[name]["median"]) for name in names)
    return (
        f"Two programs that only count are {machine} times as fast as one in this run, and a study in one "
        f"process uses {busy} cores. While both processes work on chunks, two are {running} times "
        "as fast as one. The rest is their start, and the end, when one process waits for the other."
    )


REPLACED: dict[str, tuple[float, Callable[[Mapping[str, Row]], str]]] = {
    "two processes against one, 4,000 boards": (1.8, _why_two_are_not_twice)
}
"""Relaxed targets, at most three, each with its reason from the same run."""


# The machine, and a sentence for each picture

_Curves = Mapping[str, Any]


def _run(results: Mapping[str, Any], curves: Mapping[str, Any]) -> str:
    on = results["on"]
    return (
        f"All figures come from one run of {results['seconds'] / 60:.1f} minutes, and the pictures from one "
        f"of {curves['seconds'] / 60:.1f} minutes, on a machine with {on['cores']} cores ({on['machine']}) "
        f"and Python {on['python']}."
    )


def _tiles(curves: _Curves) -> str:
    made, counted, placed, scored, started, passed = curves.values()
    (small, *_), *_, (large, *_) = made["points"]
    (few, *_), *_, (most, *_) = counted["points"]
    return (
        f"**Generating** is limited by the start of programs. MiniZinc and a solver need {_time(started)} "
        f"for a model of three lines. A board of {small} tiles takes {_time(made, 0)}, "
        f"{_times(made, started, 0)} times as long, and one of {large} tiles {_time(made)}, "
        f"{_times(made, started)} times as long. **Counting** is limited by memory for the states of the "
        f"frontier. {most} tiles cost {short(_at(counted) / _at(counted, 0))} times as much as {few}. "
        f"**Placing** and **scoring** grow with the power {placed['slope']:.1f} and {scored['slope']:.1f} of "
        f"the tiles. Scoring is limited by Python. It takes {_times(scored, passed)} times as long as one "
        "pass over the pairs of neighbors."
    )


def _players(curves: _Curves) -> str:
    alone, together, tables = curves.values()
    return (
        "Placing is limited by its search, because each player considers the answers of all others. It takes "
        f"{_time(alone, 2)} for four players and {_time(alone)} for six. The lower bound is the time to "
        f"value all pairs of vertices: {_time(tables)} per board. Many boards at once share the overhead of "
        f"numpy. They take {_times(together, tables, 0)} times this bound for two players, "
        f"{_times(together, tables, 2)} times for four, and {_times(together, tables)} times for six."
    )


def _solutions(curves: _Curves) -> str:
    listed, compiled, solved, moved = curves.values()
    (few, *_), *_, (most, *_) = listed["points"]
    return (
        f"A short list is limited by the compiler, which takes {_time(compiled)}. {few:,} terrain "
        f"arrangements take {_times(listed, compiled, 0)} times as long. A long list is limited by the "
        f"solver, which writes each solution as text. {most:,} terrain arrangements take {_time(listed)}. "
        f"The solver takes {_time(solved)} without a reader, so the total is {_times(listed, solved)} times "
        "this lower bound. Memory is not a limit: the same number of bytes goes through a pipe in "
        f"{_time(moved)}."
    )


def _boards(curves: _Curves) -> str:
    studied, placed, written = curves.values()
    n, spent, *_ = studied["points"][-1]
    return (
        f"The time of a study is proportional to its boards (power {studied['slope']:.2f}) and limited by "
        f"Python. {n:,} boards take {_time(studied)}, {n / spent:,.0f} per second. Placing them takes "
        f"{_time(placed)}, so a study takes {_times(studied, placed)} times this lower bound. The rest is "
        "scoring: evenness, pips and satisfied presets. The disk is not a limit: the same number of bytes is "
        f"written in {_time(written)}."
    )


def _sums(found: Mapping[str, Any]) -> str:
    n, spent = found["n"], found["processor_seconds"]
    (least, _), (most, _), (spread, _), (weak, _) = found["measures"].values()
    return (
        f"{n:,} `tournament` boards were sampled, scored at their vertices and summed with Dask. This took "
        f"{spent:,.0f} seconds of one core, {n / spent:,.0f} boards per second. A billion boards take "
        f"{10**9 * spent / n / 3600:.1f} hours of one core. On average, the poorest vertex of three tiles "
        f"has {least:.3f} pips and the richest has {most:.3f}. The standard deviation is {spread:.4f}, and "
        f"{weak:.3f} vertices have fewer than 7 pips. "
        f"The most even board has a standard deviation of {found['best'][0]:.3f}."
    )


def _cores(rows: list[Row]) -> str:
    by_name = {row["name"]: row["median"] for row in rows}
    one, two = (by_name[f"4,000 tournament boards, {n}"] for n in ("one process", "two processes"))
    machine = by_name["two programs that only count, against one"]
    return (
        f"A study generates {one:,.0f} boards per second in one process and {two:,.0f} in two. This is "
        f"{two / one:.2f} times as many, a power of {log2(two / one):.2f}. Two programs that only count are "
        f"{short(machine)} times as fast as one in the same run, a power of {log2(machine):.2f}. Chunks "
        "share only the file with the results, so more cores, also of a cluster, continue this growth."
    )


def _at(curve: Mapping[str, Any], place: int = -1) -> float:
    """Return the median of a curve at its last size, or at another."""
    return float(curve["points"][place][1])


def _time(curve: Mapping[str, Any], place: int = -1) -> str:
    return figure(_at(curve, place), "s")


def _times(curve: Mapping[str, Any], floor: Mapping[str, Any], place: int = -1) -> str:
    return short(_at(curve, place) / _at(floor, place))


_SENTENCES = {"tiles": _tiles, "players": _players, "solutions": _solutions, "boards": _boards}


# Pictures


def draw(name: str, curves: list[dict[str, Any]], folder: Path) -> Path:
    """Plot one growth into *folder*, and return the file."""
    from catan_cp.draw import save_picture

    return save_picture(_drawn(name, curves), folder / f"growth_{name}.svg", force=True)


def _drawn(name: str, curves: list[dict[str, Any]]) -> Figure:
    """Plot measured curves, and lower bounds dashed, with the highest named first."""
    from matplotlib.ticker import FixedLocator, NullLocator

    from catan_cp.draw.charts import chart_axes, dress
    from catan_cp.draw.picture import root_figure
    from catan_cp.draw.style import find_theme

    look = find_theme("light")
    ax = chart_axes(None, 4.0, look)
    ax.set(xscale="log", yscale="log")
    for order, curve in enumerate(curves):
        sizes, medians, least, most = zip(*curve["points"], strict=True)
        color = look.series[order % len(look.series)]
        label = curve["name"] if curve["floor"] else f"{curve['name']} (power {curve['slope']:.1f})"
        if curve["floor"]:
            ax.plot(sizes, medians, linestyle="--", linewidth=1.2, color=color, label=label)
        else:
            ax.vlines(sizes, least, most, color=color, linewidth=1)
            ax.plot(sizes, medians, marker="o", markersize=4, linewidth=1.6, color=color, label=label)
    ticks = [size for size, *_ in max((curve["points"] for curve in curves), key=len)]
    if ticks[-1] < 1000:  # a log axis names powers of ten only
        ax.xaxis.set_major_locator(FixedLocator(ticks))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter("{x:.0f}")
    dress(ax, look, f"Cost against {name}", grid="both")
    ax.set(xlabel=_AXES[name], ylabel="seconds")
    handles, labels = ax.get_legend_handles_labels()
    ranked = sorted(range(len(curves)), key=lambda i: -_at(curves[i]))
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2), "ncols": 2}
    named = [handles[i] for i in ranked], [labels[i] for i in ranked]
    words = ax.legend(*named, **place, frameon=False, fontsize=9)
    for text in words.get_texts():
        text.set_color(look.text)
    return root_figure(ax)


if __name__ == "__main__":
    main()
