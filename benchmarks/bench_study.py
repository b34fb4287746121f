"""How fast a study is: boards scored and placed, boards made from rules, two processes against one.

What is compared is the same work done the way one writes it first: board by board, each solved alone, and
for the whole pipeline each board made by a call of its own.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from catan_cp.board import Board
from catan_cp.generate import generate_board
from catan_cp.placement import random_boards
from catan_cp.reporting import report
from catan_cp.study import run_study
from catan_cp.study.chunks import work
from catan_cp.study.plan import checked_plan

MEMORY = """
import resource
import sys
from catan_cp.placement import random_boards
from catan_cp.study import run_study
n = int(sys.argv[2])
boards = (board for seed in range(0, n, 1000) for board in random_boards(min(1000, n - seed), seed=seed))
run_study(n, rules="open", boards=boards, store=sys.argv[1], progress=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def rows(quick: bool) -> list[dict[str, Any]]:
    """Measure everything, the compared thing in the same run.

    A row has: ``name``; ``unit``; ``median``, ``least`` and ``most`` of the runs, in units; ``runs``, how
    many; ``target``, what it should reach, or for MiB stay below; ``against``, what it is compared with, or
    None; ``against_median``, in the same unit; ``ratio``, how many times as fast ours is.
    """
    repeats = 2 if quick else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [
            _scoring(repeats, 200 if quick else 1000),
            *_pipeline(folder, repeats, 600 if quick else 2000),
            _memory(folder, 3000 if quick else 100_000),
        ]


def _scoring(repeats: int, n: int) -> dict[str, Any]:
    boards = random_boards(n, seed=1)
    plan = checked_plan(None, "base", "open", [], 4, None, "auto", 900.0, 200, "study", 1)
    notations = tuple(board.notation() for board in boards)
    work(plan.piece(0, 5, notations[:5]))

    def ours() -> None:
        for start in range(0, n, 200):
            work(plan.piece(0, 200, notations[start : start + 200]))

    few = notations[: max(20, n // 20)]
    rates = [n / _seconds(ours, time.process_time) for _ in range(repeats)]
    alone = [
        len(few) / _seconds(lambda: [report(Board.from_notation(x)) for x in few], time.process_time)
        for _ in range(repeats)
    ]
    return _row("score and place", "boards/s", rates, 700, "board by board", alone)


def _pipeline(folder: Path, repeats: int, n: int) -> list[dict[str, Any]]:
    def study(workers: int, run: int) -> float:
        path = folder / f"{workers}-{run}.db"
        seconds = _seconds(
            lambda: run_study(n, "base", "tournament", seed=run, store=path, workers=workers, progress=False)
        )
        return n / seconds

    generate_board("base", "tournament", seed=0)
    one, two, plain = [], [], []
    for run in range(repeats):  # in turn, so that whatever else the machine does weighs on all of them
        one.append(study(1, run))
        two.append(study(2, run))
        few = 5 if n < 2000 else 20
        seconds = _seconds(
            lambda: [report(generate_board("base", "tournament", seed=k)) for k in range(few)]  # noqa: B023
        )
        plain.append(few / seconds)
    gains = [double / single for double, single in zip(two, one, strict=True)]
    return [
        _row("tournament boards, one process", "boards/s", one, 100, "board by board", plain),
        _row("two processes against one", "times", gains, 1.7, None, None),
    ]


def _memory(folder: Path, n: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(folder / "memory.db"), str(n)],
        capture_output=True,
        text=True,
        check=True,
    )
    return _row(f"peak memory of a study of {n:,} boards", "MiB", [float(done.stdout)], 400, None, None)


def _row(
    name: str,
    unit: str,
    values: list[float],
    target: float,
    against: str | None,
    compared: list[float] | None,
) -> dict[str, Any]:
    middle = statistics.median(values)
    return {
        "name": f"study: {name}",
        "unit": unit,
        "median": middle,
        "least": min(values),
        "most": max(values),
        "runs": len(values),
        "target": target,
        "against": against,
        "against_median": statistics.median(compared) if compared else None,
        "ratio": middle / statistics.median(compared) if compared else None,
    }


def _seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    work()
    return clock() - began


if __name__ == "__main__":
    for row in rows(quick=True):
        ratio = f"{row['ratio']:8.1f} times {row['against']}" if row["ratio"] else ""
        print(f"{row['name']:50} {row['median']:10.1f} {row['unit']:8} (target {row['target']:,}) {ratio}")
