"""The table of exact counts in docs/layouts.md: ``python docs/tools/layout_counts.py FOLDER`` counts anew.

What memory does not hold is counted in the folder, for up to half an hour each. An interrupted run goes on
where it was, as long as the folder is there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from catan_cp import LAYOUTS, CatanError, Rules, count_terrain
from catan_cp.counting.terrains import MAX_STATES, terrain_limits

PAGE = Path(__file__).resolve().parent.parent / "layouts.md"
PRESETS = ("open", "tournament", "optimal")
ON_DISK = {
    "optimal": (
        "seafarers-6",
        "seafarers-7",
        "seafarers-8",
        "new-world",
        "new-world-of-fish",
        "new-world-expanded",
    ),
    "tournament": ("seafarers-6", "seafarers-7", "new-world", "new-world-of-fish"),
}
"""What a folder counts within half an hour each."""
TABLE = re.compile(r"(?<=<!-- counts -->\n).*?(?=<!-- end of counts -->)", re.DOTALL)


def table(folder: str) -> str:
    """Return the table: a row a layout, a column a preset."""
    rows = [["layout", *(f"`{name}`" for name in PRESETS)], ["---", *("---:" for _ in PRESETS)]]
    rows += [[f"`{name}`", *(count(preset, name, folder) for preset in PRESETS)] for name in LAYOUTS]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def count(preset: str, layout: str, folder: str) -> str:
    """Return the number of terrains, or what stands in the way of an exact count."""
    try:
        terrain_limits(Rules.preset(preset), LAYOUTS[layout])
    except CatanError:
        return "clusters over groups"
    if layout in ON_DISK.get(preset, ()):
        return f"{count_terrain(preset, layout, scratch=folder):,}"
    try:
        return f"{count_terrain(preset, layout):,}"
    except CatanError:
        return "too many states"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(sys.argv[1]), text), encoding="utf-8")
    print(f"{PAGE}: counted, with at most {MAX_STATES:,} states in memory")
