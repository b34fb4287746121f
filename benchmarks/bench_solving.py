"""Speed of generating and listing boards, compared with three other ways in the same run.

The first comparison is the formulation of TWright 2019, written for this benchmark (`docs/post_board.mzn` and
`docs/post_markers.mzn`): a 5 by 5 array with sea as a value, counts, and reified neighbors. The second is
``Instance.solve(all_solutions=True)`` of the `minizinc` package on the library's model. Times of compared
rows include compiling. The third is the retry loop of `benchmarks.retry_loop`.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.retry_loop import desert_chi_square, retried_boards
from benchmarks.rows import Row, rates, row, timed
from catan_cp import Board, Rules, enumerate_markers, enumerate_terrains, generate_board, generate_boards
from catan_cp.boards.layout import LAYOUTS
from catan_cp.draw import board_svg, plot_board, save_picture
from catan_cp.errors import Infeasible
from catan_cp.model_files import models_dir
from catan_cp.placement import vertex_values
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
_ITERATE = """
from catan_cp import enumerate_terrains
for number, _ in enumerate(enumerate_terrains('open'), start=1):
    if number == {n}:
        break
"""


def rows(quick: bool) -> list[Row]:
    """Measure everything, each figure with its comparison in the same run.

    Times include compiling.
    """
    generate_board(seed=0)  # find MiniZinc, import numpy, count the terrains
    return [
        *_generating(quick),
        *_serving(quick),
        *_pictures(quick),
        *_custom(quick),
        *_on_layouts(quick),
        *_listing(quick),
        *_memory(quick),
    ]


def _generating(quick: bool) -> list[Row]:
    single = [_seconds(partial(generate_board, seed=seed)) for seed in range(5 if quick else 20)]
    posts = [_seconds(_post_board) for _ in range(3)]
    drawn = [_seconds(partial(_drawn, seed)) for seed in range(3 if quick else 10)]
    some, many, repeats = (20, 100, 1) if quick else (100, 1000, 3)
    batches = [_seconds(lambda: list(generate_boards(some, seed=k))) for k in range(repeats)]  # noqa: B023
    apart = [some * statistics.mean(single)]  # a few boards take much longer than most
    tournament = [many / _seconds(partial(_tournament, many, seed)) for seed in range(repeats)]
    one_by_one = [1 / _seconds(partial(generate_board, rules="tournament", seed=k)) for k in range(10)]
    return [
        row("generate_board", "s", single, 0.5, POST, posts),
        row("generate_board, the slowest", "s", [max(single)], 5),
        row("generate_board, drawn", "s", drawn, 1),
        row(f"{some} boards", "s", batches, some / 10, "one by one", apart),
        row(f"{many:,} tournament boards", "boards/s", tournament, 50, "one by one", one_by_one),
        row("refuse optimal on seafarers-10", "s", [_seconds(_refused) for _ in range(repeats)], 5),
    ]


def _serving(quick: bool) -> list[Row]:
    """Measure many requests at once, and boards of `optimal` in a process that keeps running.

    FastAPI and `asyncio.to_thread` also run requests in threads. Half of the requests also render a picture.
    """
    n, kept = 200, 20 if quick else 100

    def request(seed: int) -> float:
        board = generate_board("tournament", seed=seed)
        if seed % 2:
            board_svg(board)
        return time.perf_counter() - began

    generate_board("tournament")
    slowest = []
    for _ in range(1 if quick else 3):
        with ThreadPoolExecutor(_THREADS) as pool:
            began = time.perf_counter()
            slowest.append(statistics.quantiles(pool.map(request, range(n)), n=100)[-1])
    list(generate_boards(5, "optimal", method="uniform"))  # compile, and load the counts
    ours = [_cpu(lambda: list(generate_boards(kept, "optimal", seed=1, method="uniform"))) / kept]
    solved = [_cpu(lambda: list(generate_boards(kept, "optimal", seed=1))) / kept]
    return [
        row(f"{n} requests at once for boards and pictures, 99th percentile", "s", slowest, 2),
        row("optimal board by rank, kept", "ms of CPU", ours, 20, "by the solver, kept", solved),
    ]


_THREADS = 40
"""The number of threads in which FastAPI runs functions."""


def _cpu(work: Callable[[], object]) -> float:
    """Return the milliseconds of CPU of some work, solvers included."""

    def spent() -> float:
        return sum(
            sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )

    began = spent()
    work()
    return 1000 * (spent() - began)


def _pictures(quick: bool) -> list[Row]:
    """Compare pictures written as SVG with the same shapes plotted and rendered by matplotlib."""
    board, n = generate_board("tournament", seed=1), 20 if quick else 100
    options: dict[str, Any] = {
        "heat": vertex_values(board),
        "heat_label": "value",
        "arrows": [(0, 20)],
        "title": "A\nboard",
    }
    found = []
    pictures: dict[str, dict[str, Any]] = {"a board": {}, "a board with values, arrows and a title": options}
    for name, shown in pictures.items():
        board_svg(board, **shown)  # glyphs are stored from now on
        written = [1000 * s for s in timed(n, lambda: board_svg(board, **shown), time.process_time)]  # noqa: B023
        plotted = [1000 * s for s in timed(5, lambda: _plotted(board, **shown), time.process_time)]  # noqa: B023
        found.append(row(f"SVG picture of {name}", "ms", written, 6, "matplotlib", plotted))
    return found


def _plotted(board: Board, **options: Any) -> bytes:
    """Return the SVG picture of a board that matplotlib renders."""
    picture = BytesIO()
    save_picture(plot_board(board, **options), picture, format="svg")
    return picture.getvalue()


def _custom(quick: bool) -> list[Row]:
    """Compare boards under custom rules with a retry loop, their rate and how even they are.

    The desert is on each tile in a known share of all boards. Chi-square has 18 degrees of freedom, so even
    boards exceed 42.3 once in a thousand samples.
    """
    n, repeats, base, found = 1_000 if quick else 5_000, 1 if quick else 3, LAYOUTS["base"], list[Row]()
    for name, rules in CUSTOM.items():
        generate_board(rules)  # count once
        loop = retried_boards(rules, base, random.Random(1))
        ours = rates(repeats, n, lambda: list(generate_boards(n, rules, seed=1)))  # noqa: B023
        theirs = rates(repeats, n, lambda: list(islice(loop, n)))  # noqa: B023
        found.append(row(f"{n:,} boards, {name}", "boards/s", ours, None, RETRY, theirs))
        beside = [mine / other for mine, other in zip(ours, theirs, strict=True)]
        found.append(row(f"{n:,} boards, {name}, beside the loop", "times", beside, 1))
    rules, many = Rules(reds_apart=True, equal_markers_apart=True), 20_000
    even = desert_chi_square(list(generate_boards(many, rules, seed=1)), rules)
    uneven = desert_chi_square(list(islice(retried_boards(rules, base, random.Random(1)), many)), rules)
    name = f"chi-square of the desert, {many:,} boards, 18 degrees of freedom"
    return [*found, row(name, "", [even], 42.3, RETRY, [uneven])]


def _on_layouts(quick: bool) -> list[Row]:
    """Measure the first board of each layout in a new process, and batches of 100 boards."""
    names = list(LAYOUTS)[:: 10 if quick else 1]
    firsts = [seconds for name in names for seconds, made in [_first_board(name)] if made]
    many, few, repeats = (20, 2, 1) if quick else (100, 5, 3)
    found = [
        row("tournament board, a layout in the middle", "s", [statistics.median(firsts)], 0.5),
        row("tournament board, the slowest layout", "s", [max(firsts)], 1.5),
        row("refuse tournament on pirate-islands", "s", [_first_board("pirate-islands")[0]], 10),
    ]
    for name, target in (("seafarers-8", 100), ("base-5-6", 150)):
        walked = [many / _seconds(partial(_tournament, many, seed, name)) for seed in range(repeats)]
        solved = [few / _seconds(partial(_tournament, few, 1, name, "solver"))]
        found.append(
            row(f"{many} tournament boards on {name}", "boards/s", walked, target, "by the solver", solved)
        )
    return found


def _first_board(layout: str) -> tuple[float, bool]:
    """Return the seconds of a new process for one board, and whether a board exists."""
    work = _FIRST.format(layout=layout)
    began = time.perf_counter()
    status = subprocess.run([sys.executable, "-c", work], check=False).returncode
    seconds = time.perf_counter() - began
    if status not in (0, _NO_BOARD) or (status == 0) == (layout == "pirate-islands"):
        raise AssertionError(f"{work} ended with status {status}")
    return seconds, status == 0


_NO_BOARD = 7
_FIRST = f"""
import sys
from catan_cp import Infeasible, generate_board
try:
    generate_board("tournament", "{{layout}}", seed=1)
except Infeasible as none:
    assert "already terrain_cluster_max=2 cannot be" in str(none)
    sys.exit({_NO_BOARD})
"""


def _drawn(seed: int) -> str:
    """Generate and plot a board, as a notebook does when a slider moves."""
    return board_svg(generate_board(seed=seed))


def _tournament(n: int, seed: int, layout: str = "base", method: str = "auto") -> list[Board]:
    return list(generate_boards(n, "tournament", layout, seed=seed, method=method))


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
    _expect(1, _post("board", 1))
    _expect(1, _post("markers", 1))


def _listing(quick: bool) -> list[Row]:
    blog, repeats = Rules.preset("blog"), 1 if quick else 3
    ours = [_seconds(lambda: _expect(96, enumerate_terrains(blog).array())) for _ in range(3)]
    posts = [_seconds(lambda: _expect(96, _post("board"))) for _ in range(3)]
    found = [row("96 blog terrains", "s", ours, None, POST, posts)]

    by = {
        solver: [_seconds(partial(_blog_markers, blog, solver)) for _ in range(repeats)]
        for solver in ("chuffed", "gecode")
    }
    posts = [_seconds(lambda: _expect(11_753, _post("markers")))]
    beside = [posts[0] / each for each in by["chuffed"]]
    found += [
        row("11,753 blog markers", "s", by["chuffed"], 1.5, POST, posts),
        row("11,753 blog markers, beside the post", "times", beside, 8),
        row("11,753 blog markers, Chuffed", "s", by["chuffed"], None, "Gecode", by["gecode"]),
    ]

    n = 10_000 if quick else OPTIMAL
    ours = [n / _seconds(partial(_terrains, n, "auto")) for _ in range(repeats)]
    gecode = [n / _seconds(partial(_terrains, n, "gecode"))]
    theirs = [n / _seconds(partial(optimal_by_package, n))]
    beside = [each / theirs[0] for each in ours]
    return [
        *found,
        row(f"{n:,} optimal terrains as an array", "solutions/s", ours, None, PACKAGE, theirs),
        row(f"{n:,} optimal terrains, beside the package", "times", beside, 3),
        row(f"{n:,} optimal terrains, Chuffed", "solutions/s", ours, None, "Gecode", gecode),
    ]


def _blog_markers(blog: Rules, solver: str) -> None:
    _expect(11_753, enumerate_markers(PRINTED, blog, solver=solver).array())


def _terrains(n: int, solver: str) -> None:
    _expect(n, enumerate_terrains("optimal", solver=solver, limit=n).array())


def _memory(quick: bool) -> list[Row]:
    """Measure the peak memory of Python and the solver together, if ``/proc`` exists."""
    if not Path("/proc/self/status").exists():
        return []
    n, million = (20_000, 100_000) if quick else (OPTIMAL, 1_000_000)
    ours, theirs = [_used(_ARRAY.format(n=n))], [_used(_BY_PACKAGE.format(n=n))]
    return [
        row(f"memory of {n:,} optimal terrains as an array", "MiB", ours, 300, PACKAGE, theirs),
        row(f"memory of streaming {million:,} terrains", "MiB", [_used(_ITERATE.format(n=million))], 250),
    ]


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


def _post(what: str, n: int | None = None) -> list[Any]:
    """Solve a model of TWright 2019 with Gecode by the `minizinc` package."""
    return _solved(_DOCS / f"post_{what}.mzn", {}, "gecode", n)


def optimal_by_package(n: int) -> None:
    """List arrangements with the library's model and solver by the `minizinc` package.

    Args:
        n: number of solutions; all are listed from `OPTIMAL` on.
    """
    task = terrain_task(Rules.preset("optimal"), LAYOUTS["base"])
    limit = n if n < OPTIMAL else None
    _expect(n, _solved(models_dir() / f"{task.model}.mzn", task.data, "auto", limit))


def _solved(model: Path, data: dict[str, Any], solver: str, n: int | None = None) -> list[Any]:
    found = find_solver(solver)
    from minizinc import Driver, Instance, Model  # type: ignore[import-untyped]

    from catan_cp.solving.driver import configuration

    instance = Instance(configuration(found), Model(model), Driver(found.minizinc.executable))
    for name, value in data.items():
        instance[name] = value
    result = instance.solve(all_solutions=True) if n is None else instance.solve(nr_solutions=n)
    return list(result.solution)


def _expect(count: int, found: Any) -> None:
    if len(found) != count:
        raise AssertionError(f"{len(found)} solutions instead of {count}")


def _seconds(work: Callable[[], object]) -> float:
    compiling._kept.clear()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
