"""Repeat all tables of simulated games on a share of the boards.

    python -m research.games FOLDER --scale 0.01

Games and tables go to files in FOLDER. A stopped run resumes. The pages stay as they are.
"""

import argparse
from pathlib import Path

from research.games import answers, estimate, fairness, ladder, pairs, study


def main() -> None:
    """Run a command line."""
    parser = argparse.ArgumentParser(prog="python -m research.games", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="folder for games and tables")
    parser.add_argument("--scale", type=float, default=0.01, help="share of the boards (default: 0.01)")
    parser.add_argument("--workers", type=int, default=2, help="number of processes (default: 2)")
    chosen = parser.parse_args()
    folder, scale = chosen.folder, chosen.scale
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--scale", str(scale), "--workers", str(chosen.workers)]
    study.run(folder / "study.gz", scale, chosen.workers)
    answers.write_tables(study.read(folder / "study.gz"), folder / "study.md")
    estimate.main([str(folder / "estimate.jsonl"), *options])
    fairness.main([str(folder / "fairness.jsonl"), *options])
    print("\n".join(pairs.lines(scale)))
    ladder.main([str(folder / "ladder.jsonl"), "--boards", str(max(1, round(20 * scale)))])


if __name__ == "__main__":
    main()
