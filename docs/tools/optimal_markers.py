"""Count the number tokens of all ``optimal`` terrain arrangements.

The program writes the table of the package, with one row per orbit. ``python docs/tools/optimal_markers.py``
takes about 25 minutes. Tests compare the table with solvers.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from catan_cp.boards.layout import LAYOUTS
from catan_cp.counting.budget import UNLIMITED, Budget
from catan_cp.counting.spaces import chunks, first_of_orbit
from catan_cp.counting.sums.weights import SHIPPED_COUNTS, ends_of, marker_reader
from catan_cp.counting.terrains import terrain_space
from catan_cp.files import whole_file
from catan_cp.problem.problem import Problem

TABLE = Path(__file__).resolve().parent.parent.parent / "catan_cp" / "data" / SHIPPED_COUNTS


def main() -> None:
    """Count, and write the table."""
    problem, layout = Problem.of("optimal", "base"), LAYOUTS["base"]
    arrangements = np.concatenate([*chunks(terrain_space(problem, Budget(10_000_000)))])
    symmetries = problem.kept_symmetries("markers")
    classes, inverse = np.unique(first_of_orbit(arrangements, symmetries), axis=0, return_inverse=True)
    markers, begun = marker_reader(problem), time.monotonic()
    counts = []
    for count, codes in enumerate(classes, start=1):
        counts.append(markers.branches(codes, UNLIMITED))
        if count % 100 == 0:
            seconds_left = (time.monotonic() - begun) / count * (len(classes) - count)
            print(f"{count} of {len(classes)} orbits, {seconds_left / 60:.0f} minutes left", file=sys.stderr)
    branches = np.stack(counts)
    ends = ends_of(branches.sum(axis=1)[inverse.ravel()])
    with whole_file(TABLE, force=True) as beside, beside.open("wb") as file:
        np.savez_compressed(
            file,
            layout=layout.name,
            rules=json.dumps(problem.rules.to_mapping()),
            classes=classes,
            branches=branches[:, :-1].astype(np.uint16),  # none is in the box
            strides=np.diff(ends, prepend=0).astype(np.uint32),
        )


if __name__ == "__main__":
    main()
