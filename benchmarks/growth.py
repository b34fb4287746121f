"""Growth of cost with tiles, players, solutions and boards, each with a lower bound.

    python -m benchmarks.growth

It takes about four minutes and writes growth.json, which `benchmarks.page` plots. The lower bounds are
measured in the same run: the start of a process, a solver without a reader, and a copy of the same bytes.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import log10
from pathlib import Path
from typing import Any

from benchmarks import page
from benchmarks.rows import GROWTH, expect, load, seconds, short, store, timed
from catan_cp import Rules, count_terrains, efficiency_error, enumerate_terrains, generate_board
from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.counting.budget import forget
from catan_cp.placement import Objective, solve_placement, solve_placements
from catan_cp.placement.tables import batch_of, score_pairs
from catan_cp.rules.requirements import random_boards
from catan_cp.search.model_data import terrain_task
from catan_cp.solving import compiling
from catan_cp.solving.compiling import compile_model
from catan_cp.solving.find import find_solver, try_solver
from catan_cp.studies import Study, run_study

PLAYERS_LAYOUT = "base-5-6"
CHUNK = 200
_COUNTABLE = ("base", "base-5-6", "seafarers-6")  # with no equal terrains touching, in little memory
_READ = 1 << 20

Point = list[float]
"""A size, and the median, least and most seconds of its runs."""

Measure = Callable[[int], Sequence[float]]
"""A function from a size to the seconds of each run."""

Curve = dict[str, Any]
"""A curve: ``name``, ``floor`` (True for a lower bound), ``points``, ``slope``."""


def main() -> None:
    """Measure all curves, and write them."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    asked.add_argument("--quick", action="store_true", help="half a minute, to smaller sizes; writes no file")
    quick = asked.parse_args().quick
    began, found = time.monotonic(), dict[str, list[Curve]]()
    for measure in (tiles, players, solutions, boards):
        found[measure.__name__] = measure(quick)
        for curve in found[measure.__name__]:
            points = ", ".join(f"{size:,.0f}: {short(median)} s" for size, median, _, _ in curve["points"])
            print(f"{measure.__name__}: {curve['name']}, slope {curve['slope']:.2f}: {points}", flush=True)
    spent = time.monotonic() - began
    print(f"{spent:.0f} s")
    if not quick:
        store(GROWTH, spent, pictures=found, sums=load(GROWTH)["sums"])  # from `benchmarks.billion`
        page.main()


def slope(points: Sequence[Point]) -> float:
    """Return the exponent of growth, fitted by least squares of logarithms.

    The fit uses the larger half of the sizes. Smaller sizes show the cost of starting instead of growth. With
    three points or fewer, all are used.
    """
    upper = points[(len(points) - 1) // 2 :] if len(points) > 3 else points
    line = statistics.linear_regression(
        [log10(size) for size, *_ in upper], [log10(median) for _, median, *_ in upper]
    )
    return line.slope


def tiles(quick: bool) -> list[Curve]:
    """Measure the cost of a board on each layout."""
    runs = 3 if quick else 9
    layouts = {layout.n_tiles: name for name, layout in LAYOUTS.items()}
    some = {n: random_boards(50, name, seed=1) for n, name in layouts.items()}
    solver, countable = find_solver(), _COUNTABLE[: 2 if quick else 3]
    for name in layouts.values():
        generate_board("tournament", name, seed=0)  # counts its terrains, once a process

    def made(n: int) -> list[float]:
        seeds = range(1, runs + 1)
        return [seconds(partial(generate_board, "tournament", layouts[n], seed=seed)) for seed in seeds]

    def counted(n: int) -> list[float]:
        def count() -> None:
            forget()
            count_terrains(Rules(terrain_cluster_max=1), layouts[n])

        return timed(3, count) if layouts[n] in countable else []

    return _curves(
        layouts,
        {
            "generate a tournament board": made,
            "count terrains without equal neighbours": counted,
            "place four players": lambda n: _each(runs, 50, partial(solve_placements, some[n])),
            "score evenness": lambda n: _each(runs, 50, lambda: [efficiency_error(b) for b in some[n]]),
        },
        {
            "start MiniZinc and a solver": lambda _: timed(
                runs, partial(try_solver, solver.minizinc.executable, solver.choice)
            ),
            "look at each pair of neighbours": lambda n: _each(
                runs, 50, lambda: [_pairs(board) for board in some[n]]
            ),
        },
    )


def _each(runs: int, n: int, work: Callable[[], object]) -> list[float]:
    """Return the seconds per unit of each run, if *work* does n units."""
    return [spent / n for spent in timed(runs, work)]


def _pairs(board: Board) -> int:
    terrain = board.terrain
    return sum(terrain[i] == terrain[j] for i, j in board.layout.adjacency("hex"))


def players(quick: bool) -> list[Curve]:
    """Measure the cost of placement for 2 to 6 players, on the layout for six."""
    some = random_boards(20 if quick else 100, PLAYERS_LAYOUT, seed=1)
    solve_placements(some[:2], 2)
    size, batch = len(some), batch_of(some)
    return _curves(
        range(2, 7),
        {
            "one board alone": lambda n: [seconds(partial(solve_placement, board, n)) for board in some[:20]],
            f"each of {size} boards at once": lambda n: _each(3, size, partial(solve_placements, some, n)),
        },
        {
            "the values of all pairs, nothing played": lambda _: _each(
                5, size, partial(score_pairs, batch, Objective())
            )
        },
    )


def solutions(quick: bool) -> list[Curve]:
    """Measure the cost of listing, with the model compiled each time."""
    sizes = [10**k for k in range(2, 6 if quick else 7)]
    task, solver = terrain_task(Rules.preset("open"), LAYOUTS["base"]), find_solver()

    def compiled() -> None:
        compiling._kept.clear()
        compile_model(task, solver)

    with tempfile.TemporaryFile() as program:
        program.write(compile_model(task, solver).flatzinc)

        def solved(n: int, output: Any = subprocess.DEVNULL) -> None:
            program.seek(0)
            source = ["-"] if solver.name == "gecode" else []
            command = [str(solver.executable), "-n", str(n), *source]
            subprocess.run(command, stdin=program, stdout=output, check=True)

        def moved(n: int) -> list[float]:
            with tempfile.TemporaryFile() as text:
                solved(n, text)
                text.seek(0)
                data = text.read()
            return timed(_runs(n, 100_000), partial(_through_a_pipe, data))

        return _curves(
            sizes,
            {"list terrains into an array": lambda n: timed(_runs(n, 100_000), partial(_list, n))},
            {
                "compile the model": lambda _: timed(5, compiled),
                "the solver, heard by nobody": lambda n: timed(_runs(n, 100_000), partial(solved, n)),
                "the same bytes through a pipe": moved,
            },
        )


def _list(n: int) -> None:
    compiling._kept.clear()
    expect(n, enumerate_terrains("open", limit=n).array())


def _through_a_pipe(data: bytes) -> None:
    """Write bytes into a pipe, and read them at its other end."""
    exit_, entry = os.pipe()

    def write() -> None:
        with os.fdopen(entry, "wb", buffering=0) as pipe:
            pipe.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(exit_, "rb", buffering=0) as pipe:
        while pipe.read(_READ):
            pass
    writer.join()


def boards(quick: bool) -> list[Curve]:
    """Measure the cost of a study of given boards: scored, placed and stored, in one process."""
    sizes = [10**k for k in range(2, 4 if quick else 6)]
    some = random_boards(sizes[-1], seed=1)
    with tempfile.TemporaryDirectory() as name:
        folder, bytes_of = Path(name), dict[int, int]()
        run_study(Study(10, "open"), folder / "warm.db", boards=some, progress=False)

        def studied(n: int) -> list[float]:
            found = []
            for run in range(_runs(n, 10_000)):
                path = folder / f"{n}-{run}.db"
                study = partial(run_study, Study(n, "open", chunk=CHUNK), path, boards=some, progress=False)
                found.append(seconds(study))
                bytes_of[n] = path.stat().st_size
            return found

        return _curves(
            sizes,
            {"score, place and store": studied},
            {
                "place, and nothing else": lambda n: timed(_runs(n, 10_000), partial(_place, some[:n])),
                "write as many bytes to the disk": lambda n: timed(
                    3, partial(_write, folder / "bytes", bytes_of[n])
                ),
            },
        )


def _place(some: Sequence[Board]) -> None:
    for start in range(0, len(some), CHUNK):
        solve_placements(some[start : start + CHUNK])


def _write(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.write(bytes(size))
        file.flush()
        os.fsync(file.fileno())


def _runs(n: int, large: int) -> int:
    """Return the number of runs for a size. Large sizes take long and vary less."""
    return 5 if n * 10 <= large else 3 if n <= large else 1


def _curves(sizes: Iterable[int], work: Mapping[str, Measure], floors: Mapping[str, Measure]) -> list[Curve]:
    """Measure all curves size by size, in turn.

    A busy moment then affects work and lower bounds alike.
    """
    points: dict[str, list[Point]] = {name: [] for name in (*work, *floors)}
    for size in sizes:
        for name, measure in {**work, **floors}.items():
            print(f"\r{name}: {size:,}".ljust(70), end="", file=sys.stderr, flush=True)
            if runs := measure(size):
                points[name].append([size, statistics.median(runs), min(runs), max(runs)])
    print("\r" + " " * 70, end="\r", file=sys.stderr, flush=True)
    return [
        {"name": name, "floor": name in floors, "slope": slope(found), "points": found}
        for name, found in points.items()
    ]


if __name__ == "__main__":
    main()
