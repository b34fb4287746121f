"""Run the benchmarks, print the table of ``docs/performance.md``, and store the runs for pyperf.

    python -m benchmarks --store new.json
    python -m pyperf compare_to benchmarks/results.json new.json --table

The process fails if a target of a full run is missed.
"""

import argparse
import importlib

from benchmarks.measure import met, suite, table

TOPICS = {
    "package": "starting",
    "solving": "generating and listing",
    "portable": "the portable solver",
    "counting": "counting and sampling",
    "entropy": "evenness",
    "placement": "placement",
    "study": "studies",
    "play": "played games",
    "page": "the web page",
}


def main() -> None:
    """Measure topic after topic, and print each table when it is complete."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="about a minute, with fewer runs and no targets")
    parser.add_argument("--only", choices=TOPICS, help="one topic")
    parser.add_argument("--store", metavar="FILE", help="new file for pyperf with all runs")
    options = parser.parse_args()
    measured = []
    for topic in TOPICS if options.only is None else (options.only,):
        rows = list(importlib.import_module(f"benchmarks.bench_{topic}").rows(options.quick))
        print(table(TOPICS[topic], rows), flush=True)
        measured += [(topic, row) for row in rows]
    if options.store:
        suite(measured).dump(options.store)
    missed = [row["name"] for _, row in measured if met(row) is False]
    if missed and not options.quick:
        raise SystemExit(f"missed targets: {', '.join(missed)}")


if __name__ == "__main__":
    main()
