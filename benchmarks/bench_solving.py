"""How fast boards are generated and listed, beside two other ways in the same run.

One is the formulation of the post "Optimal Catan" in an own rendering (`post_board.mzn`, `post_markers.mzn`):
a 5 by 5 array with sea as a value, counts, reified neighbours. The other is the `minizinc` package's own
``Instance.solve(all_solutions=True)`` on our model. Times with something beside them include compiling.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from catan_cp import Board, Rules, enumerate_markers, enumerate_terrain, generate_board, generate_boards
from catan_cp.errors import Infeasible
from catan_cp.layout import LAYOUTS
from catan_cp.magic import magic_squares
from catan_cp.model_data import Task, terrain_task
from catan_cp.pieces import TERRAIN_CODE
from catan_cp.solving import compiling
from catan_cp.solving.find import find_solver, import_minizinc
from catan_cp.solving.models import models_dir

PRINTED = Board.from_notation("dlw/bgol/owbwg/lgob/wlg").terrain

_ARRAY = """
from catan_cp import enumerate_terrain
enumerate_terrain('optimal', limit={n}).array()
"""
_ITERATE = """
from catan_cp import enumerate_terrain
for number, _ in enumerate(enumerate_terrain('open'), start=1):
    if number == {n}:
        break
"""


def rows(quick: bool) -> list[dict[str, Any]]:
    """Measure everything, each with the compared thing in the same run.

    A row has: ``name``; ``unit``; ``median``, ``least`` and ``most`` of the runs, in units; ``runs``, how
    many; ``target`` (at least, for rates and ratios; at most, for all else), or None; and where there is
    something to compare with, ``against``, ``against_median`` in the same unit, and ``ratio``, how many times
    as fast we are.
    """
    generate_board(seed=0)  # find MiniZinc, import numpy, count the terrains
    return [*_generating(quick), *_listing(quick), *_memory(quick)]


def _generating(quick: bool) -> list[dict[str, Any]]:
    single = [_seconds(partial(generate_board, seed=seed)) for seed in range(5 if quick else 20)]
    some, many = (20, 100) if quick else (100, 1000)
    hundred = _seconds(lambda: list(generate_boards(some, seed=1))) * 100 / some
    tournament = many / _seconds(lambda: list(generate_boards(many, rules="tournament", seed=1)))
    return [
        _row("generate_board", "s", single, 0.5),
        _row("100 boards", "s", [hundred], 10),
        _row("tournament boards", "boards/s", [tournament], 50),
        _row("refuse optimal on seafarers-10", "s", [_seconds(_refused)], 5),
    ]


def _refused() -> None:
    """There are 26 markers that are not red for 33 tiles, and 6 terrains with one red each."""
    try:
        generate_board("seafarers-10", "optimal", seed=1)
    except Infeasible:
        return
    raise AssertionError("seafarers-10 has a board under optimal rules")


def _listing(quick: bool) -> list[dict[str, Any]]:
    blog = Rules.preset("blog")
    ours = [_seconds(lambda: _expect(96, enumerate_terrain(blog).array())) for _ in range(3)]
    posts = [_seconds(lambda: _expect(96, _package("post_board", {}))) for _ in range(3)]
    found = [_row("96 blog terrains", "s", ours, None, "the post's formulation", posts)]

    markers = [
        _seconds(lambda: _expect(11_753, enumerate_markers(PRINTED, blog, solver="chuffed").array()))
        for _ in range(1 if quick else 3)
    ]
    posts = [_seconds(lambda: _expect(11_753, _package("post_markers", _post_data())))]
    found.append(_row("11,753 blog markers", "s", markers, 1.5, "the post's formulation", posts))
    found.append(_row("11,753 blog markers, beside the post", "times", [posts[0] / _median(markers)], 8))

    n = 10_000 if quick else 188_160
    task = terrain_task(Rules.preset("optimal"), LAYOUTS["base"])
    ours = [n / _seconds(lambda: _expect(n, enumerate_terrain("optimal", limit=n).array()))]
    theirs = [n / _seconds(lambda: _expect(n, _package_same(task, n)))]
    found.append(_row("optimal terrains, array()", "solutions/s", ours, None, "minizinc package", theirs))
    found.append(_row("optimal terrains, beside the package", "times", [ours[0] / theirs[0]], 3))

    squares = [_seconds(lambda: _expect(7040, magic_squares(4, solver="gecode").array()))]
    return [*found, _row("7040 magic squares of order 4", "s", squares, None)]


def _memory(quick: bool) -> list[dict[str, Any]]:
    """The most memory at once, of Python and the solver together; only where ``/proc`` tells."""
    if not Path("/proc/self/status").exists():
        return []
    n, million = (20_000, 100_000) if quick else (188_160, 1_000_000)
    return [
        _row(f"{n:,} optimal terrains as an array", "MiB", [_used(_ARRAY.format(n=n))], 300),
        _row(f"streaming {million:,} terrains", "MiB", [_used(_ITERATE.format(n=million))], 250),
    ]


def _used(work: str) -> float:
    """Return the most MiB that a process and its children had at once while it did some work."""
    process = subprocess.Popen([sys.executable, "-c", work])
    most = 0
    while process.poll() is None:
        most = max(most, _resident(process.pid))
        time.sleep(0.02)
    if process.returncode != 0:
        raise AssertionError(f"{work} ended with status {process.returncode}")
    return most / 1024


def _resident(pid: int) -> int:
    """Return the KiB of memory that a process and its children have now."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    except OSError:  # it ended meanwhile
        return 0
    own = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")]
    return sum(own) + sum(_resident(int(child)) for child in children)


def _post_data() -> dict[str, Any]:
    """The printed terrain as the skewed array, sea in two of its corners."""
    rest = iter(PRINTED)
    array = [[TERRAIN_CODE[next(rest)] if abs(r - c) <= 2 else 1 for c in range(5)] for r in range(5)]
    return {"hex": array, "vertex_sum_below": 23}


def _package(model: str, data: dict[str, Any]) -> list[Any]:
    """Solve a model of this folder with Gecode as the `minizinc` package does."""
    return _solved(Path(__file__).with_name(f"{model}.mzn"), data, "gecode")


def _package_same(task: Task, n: int) -> list[Any]:
    """Solve our model with our data and solver as the `minizinc` package does."""
    return _solved(models_dir() / f"{task.model}.mzn", task.data, "auto", n)


def _solved(model: Path, data: dict[str, Any], solver: str, n: int | None = None) -> list[Any]:
    found = find_solver(solver)
    package = import_minizinc(found.minizinc.executable)
    instance = package.Instance(found.config, package.Model(model), found.minizinc.driver)
    for name, value in data.items():
        instance[name] = value
    result = (
        instance.solve(nr_solutions=n)
        if n is not None and n < 188_160
        else instance.solve(all_solutions=True)
    )
    return list(result.solution)


def _expect(count: int, found: Any) -> None:
    if len(found) != count:
        raise AssertionError(f"{len(found)} solutions instead of {count}")


def _seconds(work: Callable[[], object]) -> float:
    compiling._kept.clear()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _median(values: list[float]) -> float:
    return statistics.median(values)


def _row(
    name: str,
    unit: str,
    values: list[float],
    target: float | None,
    against: str = "",
    others: list[float] | None = None,
) -> dict[str, Any]:
    median = _median(values)
    row: dict[str, Any] = {
        "name": name,
        "unit": unit,
        "median": median,
        "least": min(values),
        "most": max(values),
        "runs": len(values),
        "target": target,
    }
    if others:
        other = _median(others)
        row |= {
            "against": against,
            "against_median": other,
            "ratio": median / other if unit.endswith("/s") else other / median,
        }
    return row


if __name__ == "__main__":
    for each in rows(quick=True):
        goal = f"  (target {each['target']:,})" if each["target"] else ""
        ratio = f"{each['ratio']:6.1f} times" if "ratio" in each else ""
        print(f"{each['name']:45} {each['median']:12,.2f} {each['unit']:12}{ratio}{goal}")
