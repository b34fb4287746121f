"""Count the markers of all classes of ``optimal`` terrains anew, and write the table that the package brings.

``python docs/tools/optimal_markers.py`` takes ten minutes on an idle machine. Interrupted, it goes on from
what ``optimal_markers.db`` keeps. Tests hold the table against solvers.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

from catan_cp.boards.layout import LAYOUTS
from catan_cp.counting.columns import Budget
from catan_cp.counting.markers import marker_turns
from catan_cp.counting.terrains import first_of_class, terrain_space
from catan_cp.counting.weights import SHIPPED, counted, ends_of, marker_key, terrain_key
from catan_cp.files import replacing
from catan_cp.rules.rules import Rules

TABLE = Path(__file__).resolve().parent.parent.parent / "catan_cp" / "data" / SHIPPED


def main() -> None:
    """Count, and write the table."""
    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    codes = np.concatenate(list(terrain_space(rules, layout, Budget(10_000_000)).chunks()))
    turns = marker_turns(rules, layout)
    classes, inverse = np.unique(first_of_class(codes, turns), axis=0, return_inverse=True)
    begun = time.monotonic()

    def tell(done: int, total: int | None) -> None:
        if total and done % 100 == 0:
            left = (time.monotonic() - begun) / max(1, done) * (total - done)
            print(f"{done} of {total} classes, {left / 60:.0f} minutes to go", file=sys.stderr, flush=True)

    cores = os.cpu_count() or 1
    counts = counted(classes, turns, rules, layout, None, "optimal_markers.db", cores, tell)
    ends = ends_of(counts.branches.sum(axis=1)[inverse.ravel()])
    with replacing(TABLE) as beside, beside.open("wb") as file:
        np.savez_compressed(
            file,
            layout=layout.name,
            rules=marker_key(rules),
            terrains=terrain_key(rules),
            classes=classes,
            branches=counts.branches[:, :-1].astype(np.uint16),  # none is in the box
            strides=np.diff(ends, prepend=0).astype(np.uint32),
        )


if __name__ == "__main__":
    main()
