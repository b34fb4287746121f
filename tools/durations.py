"""Print the slowest test files of a run, and exit with status 1 if a file takes too long.

    python tools/durations.py build/times/test.xml

The report is that of ``pytest --junitxml``. The seconds of a file are those of its tests, set-up included.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

LIMIT = 30
"""The largest number of seconds per file."""
SHOWN = 10
"""Number of files to print."""


def seconds(report: Path) -> Counter[str]:
    """Return the seconds per test file of a report."""
    total = Counter[str]()
    for case in ElementTree.parse(report).iter("testcase"):
        total[case.attrib["classname"].replace(".", "/") + ".py"] += float(case.attrib["time"])
    return total


def main() -> None:
    """Print the slowest files, and exit with status 1 if one is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("reports", nargs="+", type=Path, help="reports of pytest")
    total = sum((seconds(report) for report in parser.parse_args().reports), Counter[str]())
    for file, length in total.most_common(SHOWN):
        print(f"{length:6.1f} s  {file}")
    print(f"{total.total():6.1f} s  in all {len(total)} files")
    if slow := [file for file, length in total.items() if length > LIMIT]:
        sys.exit(f"a test file may take {LIMIT} s; share starts of programs or split: {', '.join(slow)}")


if __name__ == "__main__":
    main()
