"""Change the package in one place at a time, and see if a quick test fails.

    python -m tests.mutation            every change
    python -m tests.mutation page       only changes of files whose path contains "page"

The changes are the table of `rows` and a fixed part of the random sample, each with tests that noticed it
in `baseline`. The tests must pass in an unchanged copy. Changes of the sample whose text has gone are
left out.
"""

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import cast

from tests.mutation.baseline import occurrences, sampled, stored
from tests.mutation.rows import MUTANTS, Mutant
from tests.mutation.trial import FAILED, ROOT, changed, copied, outcomes

SECONDS = 60
LEAST = 0.9
"""The least share of changes that must be noticed."""
SIZE = 150
"""Number of changes of the sample."""
KILLERS = 2
"""The largest number of tests per change of the sample."""


def fixed() -> list[Mutant]:
    """Return the first noticed changes of the sample whose text is still in the package."""
    results = stored()
    rows = [
        row._replace(tests=tuple(cast("list[str]", results[place]["killers"])[:KILLERS]))
        for place, row in sorted(enumerate(sampled()), key=lambda item: item[0] * 149 % 401)
        if place in results and results[place]["killers"]
    ]
    return [row for row in rows[:SIZE] if occurrences(row) == 1]


def main() -> None:
    """Try the changes, print a line for each, and exit with status 1 if too few are noticed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help="parts of paths; every file if none is named")
    parser.add_argument("-j", type=int, default=2, dest="jobs", help="number of changes at a time; default 2")
    options = parser.parse_args()
    for mutant in MUTANTS:
        if (n := occurrences(mutant)) != 1:
            sys.exit(f"{mutant.file} must have this text once, not {n} times; change the table: {mutant.old}")
    rows = [*MUTANTS, *fixed()]
    rows = [row for row in rows if not options.parts or any(map(row.file.__contains__, options.parts))]
    tests = sorted({test for row in rows for test in row.tests})
    counts = Counter[str]()
    with ExitStack() as stack, ThreadPoolExecutor(options.jobs) as pool:
        folders = [stack.enter_context(copied()) for _ in range(options.jobs)]
        parts = [tests[start :: options.jobs] for start in range(options.jobs) if tests[start:]]
        for found, text in pool.map(outcomes, folders, parts, [600.0] * options.jobs):
            failed = [name for name, outcome in found.items() if outcome in FAILED]
            if failed or not found:
                sys.exit(f"{text}\nthese tests must exist and pass without a change: {', '.join(failed)}")
        copies = SimpleQueue[Path]()
        for folder in folders:
            copies.put(folder)

        def verdict(row: Mutant) -> str:
            folder = copies.get()
            with changed(folder, row):
                found, _ = outcomes(folder, row.tests, SECONDS, "-x")
            copies.put(folder)
            return "killed" if FAILED & {*found.values()} else "survived" if found else "broken"

        for row, state in zip(rows, pool.map(verdict, rows), strict=True):
            counts[state] += 1
            line = (ROOT / row.file).read_text(encoding="utf-8").partition(row.old)[0].count("\n") + 1
            print(f"{state:10}{row.file}:{line}  {row.old!r} -> {row.new!r}", flush=True)
    print(", ".join(f"{n} {state}" for state, n in sorted(counts.items())), f"of {len(rows)}")
    sys.exit(counts["killed"] < LEAST * len(rows))


if __name__ == "__main__":
    main()
