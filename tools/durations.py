"""Print the slowest test files of a run, and exit with status 1 if a file takes too long.

    python tools/durations.py build/times/test.xml

The report is that of ``pytest --junitxml``. The seconds of a file are those of its tests, set-up included.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

LIMIT = 45
"""The largest number of seconds per file: 30 of a core, since three tests at a time share two cores."""
SHOWN = 10
"""Number of files to print."""


def seconds(reports: list[Path]) -> dict[str, float]:
    """Return the seconds per test file of some reports, the slowest file first."""
    total: defaultdict[str, float] = defaultdict(float)
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - written by pytest
            total[case.attrib["classname"].replace(".", "/") + ".py"] += float(case.attrib["time"])
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def main() -> None:
    """Print the slowest files, and exit with status 1 if one is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("reports", nargs="+", type=Path, help="reports of pytest")
    files = seconds(parser.parse_args().reports)
    for file, length in [*files.items()][:SHOWN]:
        print(f"{length:6.1f} s  {file}")
    print(f"{sum(files.values()):6.1f} s  in all {len(files)} files")
    if slow := [file for file, length in files.items() if length > LIMIT]:
        sys.exit(f"a test file may take {LIMIT} s; share starts of programs, or split: {', '.join(slow)}")


if __name__ == "__main__":
    main()
