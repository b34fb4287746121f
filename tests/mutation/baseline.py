"""Find the tests that notice each change of the sample. This takes hours, and can be stopped and resumed.

    python -m tests.mutation.baseline cover FOLDER     which test reaches which line: the suite, or some tests
    python -m tests.mutation.baseline run FOLDER -j 2  appends one line per change to killers.jsonl
    python -m tests.mutation.baseline report           rates per package, and the changes that survived

Tests that reach a changed line run in batches, quick and specific ones first. After a batch with a failure
the next batches do not run, so the list of killers is a part of all killers. Numba's code has no coverage:
tests of the lines that name the function stand in.
"""

import argparse
import ast
import gzip
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from queue import SimpleQueue

import coverage
import pytest

from tests.mutation.rows import Mutant
from tests.mutation.trial import FAILED, ROOT, changed, copied, outcomes

FOLDER = Path(__file__).parent
_LAST = pytest.StashKey[Path]()
BATCHES = ((40, 15.0), (120, 60.0), (500, 240.0))
"""Number of tests and seconds of each batch, as measured with coverage."""
PATIENCE = 10
"""Seconds to wait per second of processor time. The run is a background job on a busy machine."""
_TIMEOUT = ("--timeout", "600")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests that an earlier run has measured."""
    log = Path(os.environ["MUTANTS_LOG"])
    rows = map(json.loads, log.read_text().splitlines() if log.exists() else ())
    done = {name for name, part, *_ in rows if part == "teardown"}
    items[:] = [item for item in items if item.nodeid not in done]


def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Store what the tests of the last file reached, and name the test in the coverage."""
    measured = coverage.Coverage.current()
    if measured is not None:
        if item.path != item.config.stash.get(_LAST, None):
            measured.save()
            item.config.stash[_LAST] = item.path
        measured.switch_context(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Store the duration of each part of a test."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        with Path(os.environ["MUTANTS_LOG"]).open("a", encoding="utf-8") as log:
            log.write(json.dumps([report.nodeid, report.when, report.outcome, report.duration]) + "\n")


def cover(folder: Path, tests: list[str]) -> None:
    """Run the tests that have not been measured with coverage, and store the tests per line in a folder."""
    folder.mkdir(exist_ok=True)
    settings = folder / "coveragerc"
    settings.write_text(
        f"[run]\nsource = catan_cp\nparallel = true\ncore = ctrace\ncontext = ${{PYTEST_CURRENT_TEST-}}\n"
        f"data_file = {folder / 'data'}\n"
    )
    start = Path(coverage.__file__).parents[1] / "mutants.pth"
    start.write_text("import coverage; coverage.process_startup()\n")
    environment = {"COVERAGE_PROCESS_START": str(settings), "MUTANTS_LOG": str(folder / "reports")}
    command = ["-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-m", "not slow", "-p", __spec__.name]
    command += ["--timeout", "300", *tests]
    try:
        subprocess.run([sys.executable, *command], cwd=ROOT, env=os.environ | environment)
    finally:
        start.unlink()
    subprocess.run(
        [sys.executable, "-m", "coverage", "combine", "--keep", f"--rcfile={settings}"], check=True
    )


class Coverage:
    """The tests that reach a line, and their durations."""

    def __init__(self, folder: Path) -> None:
        self._data = coverage.CoverageData(str(folder / "data"))
        self._data.read()
        self._files = {
            Path(name).as_posix().rpartition("/catan_cp/")[2]: name for name in self._data.measured_files()
        }
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._broken = set()
        for line in (folder / "reports").read_text().splitlines():
            name, _, outcome, seconds, *_ = json.loads(line)
            self.seconds[name] += seconds
            if outcome != "passed":
                self._broken.add(name)
        self.n_lines = Counter[str]()
        for file in self._files:
            for tests in self._lines(file).values():
                self.n_lines.update(tests)

    @cache  # noqa: B019 - one object per run
    def _lines(self, file: str) -> dict[int, set[str]]:
        contexts = self._data.contexts_by_lineno(self._files[file])
        names = {line: {re.sub(r" \(\w+\)$", "", name) for name in found} for line, found in contexts.items()}
        return {line: found & self.seconds.keys() - self._broken for line, found in names.items()}

    @cache  # noqa: B019 - one object per run
    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that reach a change: first those of its package, quick and specific ones first."""
        file = mutant.file.removeprefix("catan_cp/")
        code = (ROOT / mutant.file).read_text(encoding="utf-8")
        first = code[: code.index(mutant.old)].count("\n") + 1
        old, new = mutant.old.splitlines(), mutant.new.splitlines()
        pairs = enumerate(zip(old, new, strict=False), first)
        lines = [line for line, (a, b) in pairs if a != b] or [first]
        name, kind = _name(code, lines[0])
        tests = set[str]()
        for line in range(lines[0], lines[-1] + 1):
            tests |= self._lines(file).get(line, set())
        if kind in ("constant", "compiled"):
            tests = self._of_name(name) | (tests if kind == "compiled" else set())
        folder = f"tests/{mutant.file.split('/')[1]}/"

        def order(test: str) -> tuple[bool, float]:
            return not test.startswith(folder), self.seconds[test] + self.n_lines[test] / 4000

        return sorted(tests, key=order)

    @cache  # noqa: B019 - one object per run
    def _of_name(self, name: str) -> set[str]:
        """Return the tests of all lines that use a name.

        Constants, compiled functions, and functions that run while a module is loaded stand for their names.
        """
        tests, names, todo = set[str](), {name}, [name]
        while todo:
            name = todo.pop()
            word = re.compile(rf"\b{name}\b")
            for file in self._files:
                code = (ROOT / "catan_cp" / file).read_text(encoding="utf-8")
                for line, text in enumerate(code.splitlines() if name in code else (), 1):
                    if (
                        name in text
                        and word.search(text)
                        and not re.match(r"\s*(def|from|import|class|#)\b", text)
                    ):
                        reached = self._lines(file).get(line, set())
                        tests |= reached
                        user, kind = _name(code, line)
                        followed = kind in ("compiled", "constant") or not reached
                        if user and followed and user not in names:
                            names.add(user)
                            todo.append(user)
        return tests


@cache
def _spans(code: str) -> list[tuple[int, int, str, str]]:
    """Return the first and last line of each function and constant, its name and its kind."""
    spans = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef):
            marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
            kind = "compiled" if marks & {"compiled", "inlined"} else "function"
            spans.append((node.lineno, node.end_lineno or 0, node.name, kind))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.col_offset == 0:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                spans.append((node.lineno, node.end_lineno or 0, target.id, "constant"))
    return spans


def _name(code: str, line: int) -> tuple[str, str]:
    """Return the innermost function or the constant around a line, and its kind."""
    _, _, name, kind = max(
        (span for span in _spans(code) if span[0] <= line <= span[1]), default=(0, 0, "", "")
    )
    return name, kind


def sampled() -> list[Mutant]:
    """Return the changes of the stored sample."""
    rows = map(json.loads, (FOLDER / "sample.jsonl").read_text(encoding="utf-8").splitlines())
    return [Mutant(row["file"], row["old"], row["new"], ()) for row in rows]


def occurrences(mutant: Mutant) -> int:
    """Return how often the text of a change is in its file. It must be there once to be changed."""
    path = ROOT / mutant.file
    return path.read_text(encoding="utf-8").count(mutant.old) if path.exists() else 0


def batches(reach: Coverage, mutant: Mutant) -> Iterator[list[str]]:
    """Yield the tests of a change in batches, the first with at most two cases of each test."""
    waiting = reach.tests(mutant)
    for size, seconds in BATCHES:
        chosen: list[str] = []
        cases = Counter[str]()
        for name in waiting:
            test = name.partition("[")[0]
            if len(chosen) == size or (seconds < 0 and chosen):
                break
            if reach.seconds[name] <= seconds and (size > BATCHES[0][0] or cases[test] < 2):
                chosen.append(name)
                cases[test] += 1
                seconds -= reach.seconds[name]
        waiting = [name for name in waiting if name not in set(chosen)]
        if chosen:
            yield chosen


def trial(
    folder: Path, clean: Path, passing: dict[str, bool], reach: Coverage, mutant: Mutant
) -> dict[str, object]:
    """Return the killers of a change, and the number of tests that ran and that reach it."""
    start, ran = time.monotonic(), 0
    killers: list[str] = []
    for batch in batches(reach, mutant):
        names = [name.removeprefix("tests/") for name in batch]
        seconds = 90 + 6 * sum(reach.seconds[name] for name in batch)
        with changed(folder, mutant):
            found, _ = outcomes(folder, names, seconds, *_TIMEOUT, patience=PATIENCE)
        ran += len(found)
        failed = [name for name, outcome in found.items() if outcome in FAILED]
        unsure = [name for name in failed if name not in passing]
        if unsure:  # tests that need more than the copy has, or fail at times
            sure, _ = outcomes(clean, unsure, seconds, *_TIMEOUT, patience=PATIENCE)
            passing |= {name: sure.get(name) == "PASSED" for name in unsure}
        killers = [name for name in failed if passing[name]]
        if killers:
            break
    reaching = len(reach.tests(mutant))
    seconds = round(time.monotonic() - start, 1)
    return {"killers": killers, "ran": ran, "reaching": reaching, "seconds": seconds}


def stored() -> dict[int, dict[str, object]]:
    """Return the results of the stored baseline per change."""
    path = FOLDER / "killers.jsonl.gz"
    if not path.exists():
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return {row["mutant"]: row for row in map(json.loads, file)}


def run(folder: Path, jobs: int) -> None:
    """Try the changes that a test reaches and that the journal lacks, in a fixed random order.

    Changes whose text has gone are left out.
    """
    journal = folder / "journal.jsonl"
    done = (
        {json.loads(line)["mutant"] for line in journal.read_text().splitlines()}
        if journal.exists()
        else set()
    )
    reach, lock, passing = Coverage(folder), threading.Lock(), dict[str, bool]()
    rows = [*enumerate(sampled())]
    random.Random(0).shuffle(rows)
    rows = [(i, row) for i, row in rows if i not in done and occurrences(row) == 1 and reach.tests(row)]
    copies: SimpleQueue[tuple[Path, Path]] = SimpleQueue()

    def one(row: tuple[int, Mutant]) -> None:
        pair = copies.get()
        result = trial(*pair, passing, reach, row[1])
        copies.put(pair)
        with lock, journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"mutant": row[0], **result}) + "\n")

    with ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        for _ in range(jobs):
            copies.put((stack.enter_context(copied()), stack.enter_context(copied())))
        for _ in pool.map(one, rows):
            pass


def equivalent() -> dict[int, str]:
    """Return why changes of the sample change nothing that a user could see, by place."""
    reasons = json.loads((FOLDER / "equivalent.json").read_text(encoding="utf-8"))
    return {int(place): reason for place, reason in reasons.items()}


def report() -> None:
    """Print the share of changes that the tests notice, per package, and the others."""
    rows, results, reasons = sampled(), stored(), equivalent()
    killed, total = Counter[str](), Counter[str]()
    for place, row in enumerate(rows):
        package = row.file.split("/")[1]
        if place in results and place not in reasons:
            total[package] += 1
            noticed = bool(results[place]["killers"] or results[place].get("hangs"))
            killed[package] += noticed
            if not noticed:
                print(f"{place} {row.file}: {row.old!r} -> {row.new!r}")
    for place, reason in sorted(reasons.items()):
        print(f"{place} {rows[place].file}: equivalent, {reason}")
    for package in sorted(total):
        print(f"{package:14} {killed[package]:3} of {total[package]}")
    print(
        f"{killed.total()} of {total.total()} killed ({killed.total() / max(1, total.total()):.0%}), ", end=""
    )
    print(f"{len(reasons)} equivalent, {len(rows) - len(results)} not tried")


def main() -> None:
    """Run one of the three steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("cover", "run", "report"))
    parser.add_argument("folder", type=Path, nargs="?", help="folder of the coverage and the journal")
    parser.add_argument("-j", type=int, default=2, dest="jobs", help="number of changes at a time; default 2")
    parser.add_argument("tests", nargs="*", help="tests to cover; default all")
    options = parser.parse_args()
    if options.step == "cover":
        cover(options.folder.absolute(), options.tests)
    elif options.step == "run":
        run(options.folder.absolute(), options.jobs)
    else:
        report()


if __name__ == "__main__":
    main()
