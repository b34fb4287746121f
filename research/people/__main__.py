"""Compare forecasts of the winner on finished games of people, by the plan in PLAN.md.

    python -m research.people FOLDER --save results.json

Every file in the folder and its subfolders is read. README.md says where games are.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from research.people.trial import lines, read_games, results


def main(words: list[str] | None = None) -> None:
    """Run a command line."""
    parser = argparse.ArgumentParser(prog="python -m research.people", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="folder of finished games")
    parser.add_argument("--save", type=Path, help="file for all figures as JSON")
    chosen = parser.parse_args(words)
    if not chosen.folder.is_dir():
        parser.error(f"{chosen.folder} is not a folder")
    files = sorted(path for path in chosen.folder.rglob("*") if path.is_file())
    games, reasons = read_games(counted(files))
    if not games:
        parser.error(f"{chosen.folder} has no finished game that can be read: {dict(reasons)}")
    figures = results(games, reasons)
    print("\n".join(lines(figures)))
    if chosen.save:
        chosen.save.write_text(json.dumps(figures, indent=1) + "\n")


def counted(files: list[Path]) -> Iterator[Path]:
    """Yield files, and print their number to a terminal now and then."""
    for number, file in enumerate(files):
        if number % 500 == 0 and sys.stderr.isatty():
            print(f"\r{number:,} of {len(files):,} files", end="", file=sys.stderr)
        yield file


if __name__ == "__main__":
    main()
