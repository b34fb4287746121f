"""How fast a study is: boards scored and placed, boards made from rules, two processes against one.

What is compared is the same work done the way one writes it first: board by board, each solved alone, and
for the whole pipeline each board made by a call of its own. Two processes can gain no more than the machine
gives, so the same run also measures two programs that only count. They are started once, which has a row of
its own, and stay for the studies that follow.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.rows import Row, row, seconds
from catan_cp.boards.board import Board, random_boards
from catan_cp.progress import Progress
from catan_cp.search.generate import generate_board
from catan_cp.studies import Study, run_study
from catan_cp.studies.measures import analyze_board
from catan_cp.studies.run import Chunk, work

CHUNK = 200
ALONE = "board by board"

_MEMORY = """
import sys
from benchmarks.memory import peak
from catan_cp.boards.board import random_boards
from catan_cp.studies import Study, run_study
n = int(sys.argv[2])
boards = (board for seed in range(0, n, 1000) for board in random_boards(min(1000, n - seed), seed=seed))
run_study(Study(n, "open"), sys.argv[1], boards=boards, progress=False)
print(peak())
"""
_BURNER = """
import time
began = time.perf_counter()
sum(number * number for number in range(12_000_000))
print(time.perf_counter() - began)
"""


class Speed(NamedTuple):
    """How fast a study was: boards a second in all and once running, and how many cores it kept busy."""

    whole: float
    running: float
    cores: float


def rows(quick: bool) -> list[Row]:
    """Measure everything, the compared thing in the same run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [
            _scoring(2 if quick else 5, 200 if quick else 1000),
            _optimal(1 if quick else 3, 100 if quick else 400),
            *(_pipeline(folder, 1, 600, 60) if quick else _pipeline(folder, 2, 4000, CHUNK)),
            row("two programs that only count, against one", "times", _burners(1 if quick else 3)),
            _memory(folder, 3000 if quick else 30_000),
        ]


def _scoring(repeats: int, n: int) -> Row:
    boards = random_boards(n, seed=1)
    study = Study(None, "open", chunk=CHUNK)
    notations = tuple(board.notation() for board in boards)
    work(Chunk(0, 5, study, notations[:5], 900.0))

    def ours() -> None:
        for start in range(0, n, CHUNK):
            work(Chunk(0, CHUNK, study, notations[start : start + CHUNK], 900.0))

    few = notations[: max(20, n // 20)]
    rates = [n / seconds(ours, time.process_time) for _ in range(repeats)]
    alone = [
        len(few) / seconds(lambda: [analyze_board(Board.from_notation(x)) for x in few], time.process_time)
        for _ in range(repeats)
    ]
    return row("score and place", "boards/s", rates, 700, ALONE, alone)


def _optimal(repeats: int, n: int) -> Row:
    """Measure chunks of the preset whose markers are searched for, drawn, scored and placed."""
    study = Study(n, "optimal", seed=1, chunk=n, solver=None)  # as `run_study` settles it
    work(Chunk(0, 5, study, None, 900.0))
    chunks = [Chunk(number, n, study, None, 900.0) for number in range(repeats)]
    spent = [seconds(partial(work, chunk), time.process_time) for chunk in chunks]
    return row("optimal boards, drawn, scored and placed", "boards/s", [n / each for each in spent], 300)


def _pipeline(folder: Path, repeats: int, n: int, chunk: int) -> list[Row]:
    generate_board("tournament", "base", seed=0)
    one, two, plain = [], [], []
    few = Study(4 * chunk, "tournament", seed=repeats, chunk=chunk)
    first = seconds(partial(run_study, few, folder / "first.db", workers=2))  # starts the two
    for run in range(repeats):  # in turn, so that whatever else the machine does weighs on all of them
        one.append(_study(folder, n, run, chunk, workers=1))
        two.append(_study(folder, n, run, chunk, workers=2))
        single = 5 if n < 2000 else 20
        plain.append(single / seconds(partial(_board_by_board, single)))
    whole = [double.whole / single.whole for double, single in zip(two, one, strict=True)]
    running = [double.running / single.running for double, single in zip(two, one, strict=True)]
    return [
        row(f"{n:,} tournament boards, one process", "boards/s", [s.whole for s in one], 600, ALONE, plain),
        row(
            f"{n:,} tournament boards, two processes", "boards/s", [s.whole for s in two], None, ALONE, plain
        ),
        row(f"two processes against one, {n:,} boards", "times", whole, 1.6),
        row(f"two processes, from starting them to {4 * chunk:,} boards", "s", [first], 3),
        row("two processes against one, once running", "times", running),
        row("cores that one process keeps busy", "cores", [s.cores for s in one]),
    ]


def _study(folder: Path, n: int, seed: int, chunk: int, workers: int) -> Speed:
    """Time a study: whole, and from when every worker had a chunk done until every one has its last."""
    marks: list[tuple[float, int]] = []

    def watch(progress: Progress) -> None:
        marks.append((time.perf_counter(), progress.done))

    path, before = folder / f"{workers}-{seed}.db", sum(os.times()[:4])
    spent = seconds(
        lambda: run_study(
            Study(n, "tournament", seed=seed, chunk=chunk), path, workers=workers, progress=watch
        )
    )
    busy = sum(os.times()[:4]) - before
    warm, cooling = workers * chunk, n - workers * chunk
    begin, first = next(mark for mark in marks if mark[1] >= warm)
    end, last = next(mark for mark in marks if mark[1] >= cooling)
    return Speed(n / spent, (last - first) / (end - begin), busy / spent)


def _board_by_board(n: int) -> None:
    for seed in range(n):
        analyze_board(generate_board("tournament", "base", seed=seed))


def _burners(repeats: int) -> list[float]:
    """Return how many times as much two programs do as one: what the machine's second core is worth."""
    return [2 * statistics.mean(_burn(1)) / statistics.mean(_burn(2)) for _ in range(repeats)]


def _burn(n: int) -> list[float]:
    programs = [
        subprocess.Popen([sys.executable, "-c", _BURNER], stdout=subprocess.PIPE, text=True) for _ in range(n)
    ]
    return [float(program.communicate()[0]) for program in programs]


def _memory(folder: Path, n: int) -> Row:
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(folder / "memory.db"), str(n)],
        capture_output=True,
        text=True,
        check=True,
    )
    return row(f"peak memory of a study of {n:,} boards", "MiB", [float(done.stdout)], 400)
