"""The table of exact counts in docs/layouts.md: ``python docs/tools/layout_counts.py`` counts anew."""

from __future__ import annotations

import re
from pathlib import Path

from catan_cp import LAYOUTS, CatanError, Rules, count_terrain
from catan_cp.counting.sampling import MAX_STATES, refuse_uncountable

PAGE = Path(__file__).resolve().parent.parent / "layouts.md"
PRESETS = ("open", "tournament", "optimal")
TABLE = re.compile(r"(?<=<!-- counts -->\n).*?(?=<!-- end of counts -->)", re.DOTALL)


def table() -> str:
    """Return the table: a row a layout, a column a preset."""
    rows = [["layout", *(f"`{name}`" for name in PRESETS)], ["---", *("---:" for _ in PRESETS)]]
    rows += [[f"`{name}`", *(count(preset, name) for preset in PRESETS)] for name in LAYOUTS]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def count(preset: str, layout: str) -> str:
    """Return the number of terrains, or what stands in the way of an exact count; a minute for some."""
    try:
        refuse_uncountable(Rules.preset(preset), LAYOUTS[layout])
    except CatanError:
        return "clusters over groups"
    try:
        return f"{count_terrain(preset, layout):,}"
    except CatanError:
        return "too many states"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(), text), encoding="utf-8")
    print(f"{PAGE}: counted, with at most {MAX_STATES:,} states")
