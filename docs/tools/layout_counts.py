"""Write the tables of sources and counts in docs/layouts.md.

Run ``python docs/tools/layout_counts.py``. The program counts layouts without a row. To count a layout again,
delete its row. Keep the rows with totals marked (0.1.0), because this version cannot compute them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from catan_cp import LAYOUTS, CatanError, Problem, count_terrains
from catan_cp.counting.terrains import MAX_STATES

PAGE = Path(__file__).resolve().parent.parent / "layouts.md"
PRESETS = ("open", "tournament", "optimal")
_COUNTS = re.compile(r"(?<=<!-- counts -->\n).*?(?=<!-- end of counts -->)", re.DOTALL)
_SOURCES = re.compile(r"(?<=<!-- sources -->\n).*?(?=<!-- end of sources -->)", re.DOTALL)


def with_counts(text: str) -> str:
    """Return the text of the page with a row of counts for each layout."""
    head, rule, *known = _COUNTS.findall(text)[0].splitlines()
    rows = {row.split("`")[1]: row for row in known}
    for name in LAYOUTS.keys() - rows.keys():
        rows[name] = _row([f"`{name}`", *(count(preset, name) for preset in PRESETS)])
    lines = [head, rule, *(rows[name] for name in LAYOUTS)]
    return _COUNTS.sub(lambda _: "".join(f"{line}\n" for line in lines), text)


def with_sources(text: str) -> str:
    """Return the text of the page with a row of layouts for each source."""
    names_by_source: dict[str, list[str]] = defaultdict(list)
    for name, layout in LAYOUTS.items():
        names_by_source[layout.source].append(f"`{name}`")
    rows = [
        ["source", "layouts"],
        ["---", "---"],
        *([source, ", ".join(names)] for source, names in names_by_source.items()),
    ]
    return _SOURCES.sub(lambda _: "".join(f"{_row(row)}\n" for row in rows), text)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def count(preset: str, layout: str) -> str:
    """Return the number of terrain arrangements, or the reason for a missing count."""
    if Problem.of(preset, layout).terrain_obstacle:
        return "clusters over groups"
    try:
        return f"{count_terrains(preset, layout):,}"
    except CatanError:
        return "too many states"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_sources(with_counts(text)), encoding="utf-8")
    print(f"{PAGE}: counted, with at most {MAX_STATES:,} states in memory")
