"""Speed of generating and listing boards, compared with three other ways in the same run.

The first comparison is the formulation of TWright 2019, written for this benchmark (`docs/post_board.mzn` and
`docs/post_markers.mzn`): a 5 by 5 array with sea as a value, counts, and reified neighbors. The second is
``Instance.solve(all_solutions=True)`` of the `minizinc` package on the library's model. Times of compared
rows include compiling. The third is the retry loop of `benchmarks.retry_loop`.
"""

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, expect, processor_seconds, rates, row, seconds, timed
from benchmarks.retry_loop import desert_chi_square, retried_boards
from catan_cp import Board, Rules, enumerate_markers, enumerate_terrains, generate_board, generate_boards
from catan_cp.boards.layout import LAYOUTS
from catan_cp.draw import board_svg, plot_board, save_picture
from catan_cp.errors import Infeasible
from catan_cp.model_files import models_dir
from catan_cp.placement import vertex_values
from catan_cp.problem.problem import Problem
from catan_cp.search.model_data import terrain_task
from catan_cp.solving import compiling
from catan_cp.solving.find import find_solver

POST = "the post's formulation"
PACKAGE = "minizinc package"
RETRY = "retry loop"
CUSTOM = {
    "reds apart": Rules(reds_apart=True),
    "equal tokens apart": Rules(equal_markers_apart=True),
    "clusters of 2": Rules(terrain_cluster_max=2),
    "clusters of 1": Rules(terrain_cluster_max=1),
}
OPTIMAL = 188_160
"""Number of terrain arrangements that the preset allows."""

THREADS = 40
"""The number of threads in which FastAPI runs functions."""

_DOCS = Path(__file__).parents[1] / "docs"

PRINTED = Board.from_notation("dlw/bgol/owbwg/lgob/wlg").terrain

_ARRAY = """
from catan_cp import enumerate_terrains
enumerate_terrains('optimal', limit={n}).array()
"""
_BY_PACKAGE = """
from benchmarks.bench_solving import optimal_by_package
optimal_by_package({n})
"""
_NO_BOARD = 7
_FIRST = f"""
import sys
from catan_cp import Infeasible, generate_board
try:
    generate_board("tournament", "{{layout}}", seed=1)
except Infeasible as none:
    assert "terrain_cluster_max=2 alone cannot hold" in str(none)
    sys.exit({_NO_BOARD})
"""
_ITERATE = """
from catan_cp import enumerate_terrains
for number, _ in enumerate(enumerate_terrains('open'), start=1):
    if number == {n}:
        break
"""


def rows(quick: bool) -> Iterator[Row]:
    """Measure everything, each figure with its comparison in the same run.

    Times include compiling.
    """
    generate_board(seed=0)  # find MiniZinc, import numpy, count the terrains
    for measure in (_generating, _serving, _pictures, _custom, _on_layouts, _listing, _memory):
        yield from measure(quick)


def _generating(quick: bool) -> Iterator[Row]:
    single = [_seconds(partial(generate_board, seed=seed)) for seed in range(5 if quick else 20)]
    posts = [_seconds(_post_board) for _ in range(3)]
    yield row("generate_board", "s", single, 0.5, POST, posts)
    yield row("generate_board, the slowest", "s", [max(single)], 5)
    seconds = [_seconds(partial(_shown, seed)) for seed in range(3 if quick else 10)]
    yield row("generate_board, drawn", "s", seconds, 1)
    some, many, repeats = (20, 100, 1) if quick else (100, 1000, 3)
    batches = [_seconds(partial(_boards, some, "optimal", seed)) for seed in range(repeats)]
    apart = [some * statistics.mean(single)]  # a few boards take much longer than most
    yield row(f"{some} boards", "s", batches, some / 10, "one by one", apart)
    tournament = [many / _seconds(partial(_boards, many, "tournament", seed)) for seed in range(repeats)]
    one_by_one = [1 / _seconds(partial(generate_board, "tournament", seed=seed)) for seed in range(10)]
    yield row(f"{many:,} tournament boards", "boards/s", tournament, 50, "one by one", one_by_one)
    yield row("refuse optimal on seafarers-10", "s", [_seconds(_refused) for _ in range(repeats)], 5)


def _serving(quick: bool) -> Iterator[Row]:
    """Measure many requests at once, and boards of `optimal` in a process that keeps running.

    FastAPI and `asyncio.to_thread` also run requests in threads. Half of the requests also render a picture.
    """
    n, stored = 200, 20 if quick else 100

    def request(seed: int) -> float:
        board = generate_board("tournament", seed=seed)
        if seed % 2:
            board_svg(board)
        return time.perf_counter() - began

    generate_board("tournament")
    slowest = []
    for _ in range(1 if quick else 3):
        with ThreadPoolExecutor(THREADS) as pool:
            began = time.perf_counter()
            slowest.append(statistics.quantiles(pool.map(request, range(n)), n=100)[-1])
    yield row(f"{n} requests at once for boards and pictures, 99th percentile", "s", slowest, 2)
    _boards(5, "optimal", method="uniform")  # compile, and load the counts
    ours, solved = (
        [1000 * seconds(partial(_boards, stored, "optimal", method=method), processor_seconds) / stored]
        for method in ("uniform", "auto")
    )
    yield row("optimal board by rank, kept", "ms of CPU", ours, 20, "by the solver, kept", solved)


def _pictures(quick: bool) -> Iterator[Row]:
    """Compare pictures written as SVG with the same shapes plotted and rendered by matplotlib."""
    board, n = generate_board("tournament", seed=1), 20 if quick else 100
    options = {"heat": vertex_values(board), "heat_label": "value", "arrows": [(0, 20)], "title": "A\nboard"}
    pictures: dict[str, dict[str, Any]] = {"a board": {}, "a board with values, arrows and a title": options}
    for name, result in pictures.items():
        write, plot = partial(board_svg, board, **result), partial(_plotted, board, **result)
        write()  # glyphs are stored from now on
        written, plotted = (
            [1000 * spent for spent in timed(runs, work, time.process_time)]
            for runs, work in ((n, write), (5, plot))
        )
        yield row(f"SVG picture of {name}", "ms", written, 6, "matplotlib", plotted)


def _plotted(board: Board, **options: Any) -> bytes:
    """Return the SVG picture of a board that matplotlib renders."""
    picture = BytesIO()
    save_picture(plot_board(board, **options), picture, format="svg")
    return picture.getvalue()


def _custom(quick: bool) -> Iterator[Row]:
    """Compare boards under custom rules with a retry loop, their rate and how even they are.

    The desert is on each tile in a known share of all boards. Chi-square has 18 degrees of freedom, so even
    boards exceed 42.3 once in a thousand samples.
    """
    n, repeats = (1_000, 1) if quick else (5_000, 3)
    for name, rules in CUSTOM.items():
        generate_board(rules)  # count once
        loop = retried_boards(rules, LAYOUTS["base"], random.Random(1))
        ours = rates(repeats, n, partial(_boards, n, rules))
        theirs = rates(repeats, n, lambda loop=loop: list(islice(loop, n)))  # type: ignore[misc]
        yield row(f"{n:,} boards, {name}", "boards/s", ours, None, RETRY, theirs)
        beside = [ours_time / other for ours_time, other in zip(ours, theirs, strict=True)]
        yield row(f"{n:,} boards, {name}, beside the loop", "times", beside, 1)
    rules, many = Rules(reds_apart=True, equal_markers_apart=True), 20_000
    even = desert_chi_square(_boards(many, rules), rules)
    retried = islice(retried_boards(rules, LAYOUTS["base"], random.Random(1)), many)
    name = f"chi-square of the desert, {many:,} boards, 18 degrees of freedom"
    yield row(name, "", [even], 42.3, RETRY, [desert_chi_square(list(retried), rules)])


def _on_layouts(quick: bool) -> Iterator[Row]:
    """Measure the first board of each layout in a new process, and batches of 100 boards."""
    names = list(LAYOUTS)[:: 10 if quick else 1]
    firsts = [spent for name in names for spent, board in [_first_board(name)] if board]
    yield row("tournament board, a layout in the middle", "s", [statistics.median(firsts)], 0.5)
    yield row("tournament board, the slowest layout", "s", [max(firsts)], 1.5)
    yield row("refuse tournament on pirate-islands", "s", [_first_board("pirate-islands")[0]], 10)
    many, few, repeats = (20, 2, 1) if quick else (100, 5, 3)
    for name, target in (("seafarers-8", 100), ("base-5-6", 150)):
        walked = [
            many / _seconds(partial(_boards, many, "tournament", seed, name)) for seed in range(repeats)
        ]
        solved = [few / _seconds(partial(_boards, few, "tournament", 1, name, "solver"))]
        boards = f"{many} tournament boards on {name}"
        yield row(boards, "boards/s", walked, target, "by the solver", solved)


def _first_board(layout: str) -> tuple[float, bool]:
    """Return the seconds of a new process for one board, and whether a board exists."""
    work = _FIRST.format(layout=layout)
    began = time.perf_counter()
    status = subprocess.run([sys.executable, "-c", work], check=False).returncode
    spent = time.perf_counter() - began
    if status != (_NO_BOARD if layout == "pirate-islands" else 0):
        raise AssertionError(f"{work} ended with status {status}")
    return spent, status == 0


def _shown(seed: int) -> str:
    """Generate and plot a board, as a notebook does when a slider moves."""
    return board_svg(generate_board(seed=seed))


def _boards(
    n: int, rules: str | Rules, seed: int = 1, layout: str = "base", method: str = "auto"
) -> list[Board]:
    return list(generate_boards(n, rules, layout, seed=seed, method=method))


def _refused() -> None:
    """Ask for infeasible rules.

    There are 26 markers that are not red for 33 tiles, and 6 terrains with one red each.
    """
    try:
        generate_board("optimal", "seafarers-10", seed=1)
    except Infeasible:
        return
    raise AssertionError("seafarers-10 has a board under optimal rules")


def _post_board() -> None:
    """Find the first terrain arrangement and its markers with the two models of TWright 2019."""
    _post("board", 1, 1)
    _post("markers", 1, 1)


def _listing(quick: bool) -> Iterator[Row]:
    repeats = 1 if quick else 3
    ours, posts = (
        [_seconds(work) for _ in range(3)]
        for work in (partial(_terrains, 96, "blog"), partial(_post, "board", 96))
    )
    yield row("96 blog terrains", "s", ours, None, POST, posts)

    chuffed, gecode = (
        [_seconds(partial(_markers, solver)) for _ in range(repeats)] for solver in ("chuffed", "gecode")
    )
    posts = [_seconds(partial(_post, "markers", 11_753))]
    yield row("11,753 blog markers", "s", chuffed, 1.5, POST, posts)
    beside = [posts[0] / seconds for seconds in chuffed]
    yield row("11,753 blog markers, beside the post", "times", beside, 8)
    yield row("11,753 blog markers, Chuffed", "s", chuffed, None, "Gecode", gecode)

    n = 10_000 if quick else OPTIMAL
    ours = [n / _seconds(partial(_terrains, n, "optimal")) for _ in range(repeats)]
    theirs = [n / _seconds(partial(optimal_by_package, n))]
    gecode = [n / _seconds(partial(_terrains, n, "optimal", "gecode"))]
    yield row(f"{n:,} optimal terrains as an array", "solutions/s", ours, None, PACKAGE, theirs)
    beside = [seconds / theirs[0] for seconds in ours]
    yield row(f"{n:,} optimal terrains, beside the package", "times", beside, 3)
    yield row(f"{n:,} optimal terrains, Chuffed", "solutions/s", ours, None, "Gecode", gecode)


def _markers(solver: str) -> None:
    expect(11_753, enumerate_markers(PRINTED, "blog", solver=solver).array())


def _terrains(n: int, rules: str, solver: str = "auto") -> None:
    limit = None if rules == "blog" else n
    expect(n, enumerate_terrains(rules, solver=solver, limit=limit).array())


def _memory(quick: bool) -> Iterator[Row]:
    """Measure the peak memory of Python and the solver together, if ``/proc`` exists."""
    if not Path("/proc/self/status").exists():
        return
    n, million = (20_000, 100_000) if quick else (OPTIMAL, 1_000_000)
    ours, theirs = [_used(_ARRAY.format(n=n))], [_used(_BY_PACKAGE.format(n=n))]
    yield row(f"memory of {n:,} optimal terrains as an array", "MiB", ours, 300, PACKAGE, theirs)
    yield row(f"memory of streaming {million:,} terrains", "MiB", [_used(_ITERATE.format(n=million))], 250)


def _used(work: str) -> float:
    """Return the peak MiB of a process and its children during some work."""
    process = subprocess.Popen([sys.executable, "-c", work])
    most = 0
    while process.poll() is None:
        most = max(most, _resident(process.pid))
        time.sleep(0.02)
    if process.returncode != 0:
        raise AssertionError(f"{work} ended with status {process.returncode}")
    return most / 1024


def _resident(pid: int) -> int:
    """Return the KiB of memory that a process and its children use now."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    except OSError:  # it ended meanwhile
        return 0
    own = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")]
    return sum(own) + sum(_resident(int(child)) for child in children)


def _post(part: str, count: int, n: int | None = None) -> None:
    """Solve a model of TWright 2019 with Gecode by the `minizinc` package, and expect this many solutions."""
    _solve(_DOCS / f"post_{part}.mzn", {}, "gecode", count, n)


def optimal_by_package(n: int) -> None:
    """List arrangements with the library's model and solver by the `minizinc` package.

    Args:
        n: number of solutions; all are listed from `OPTIMAL` on.
    """
    task = terrain_task(Problem.of("optimal"))
    _solve(models_dir() / f"{task.model}.mzn", task.data, "auto", n, n if n < OPTIMAL else None)


def _solve(model: Path, data: dict[str, Any], solver: str, count: int, n: int | None) -> None:
    """Find some or all solutions, whose number is known."""
    from catan_cp.solving.driver import package

    minizinc = package()
    identifier = find_solver(solver).entry["id"]
    instance = minizinc.Instance(minizinc.Solver.lookup(identifier), minizinc.Model(model))
    for name, value in data.items():
        instance[name] = value
    result = instance.solve(all_solutions=True) if n is None else instance.solve(nr_solutions=n)
    expect(count, list(result.solution))


def _seconds(work: Callable[[], object]) -> float:
    """Return the seconds of some work, with compiling."""
    compiling._kept.clear()
    return seconds(work)
