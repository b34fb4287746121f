"""Write the instances with known counts and their table in ``docs/layouts.md``.

python docs/tools/instances.py [FOLDER]    # without a folder: the table and the files in examples/instances/
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

from catan_cp.rules.rules import Rules
from catan_cp.search.instances import export_model

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "layouts.md"
_TABLE = re.compile(r"(<!-- instances -->\n).*(<!-- end of instances -->)", re.DOTALL)


class Instance(NamedTuple):
    """A model of rules on ``base`` with its number of solutions."""

    name: str
    model: str
    rules: Rules
    solutions: int
    known: str
    is_kept: bool = True


INSTANCES = (
    Instance("blog-terrain", "terrain", Rules.preset("blog"), 96, "listed, diagram, ganak"),
    Instance("optimal-terrain", "terrain", Rules.preset("optimal"), 188_160, "listed, diagram, ganak"),
    Instance("tournament-terrain", "terrain", Rules.preset("tournament"), 55_320_286_440, "diagram"),
    Instance("blog-22", "joint", Rules.preset("blog").replace(vertex_sum_below=22), 21, "search", False),
    Instance("blog-23", "joint", Rules.preset("blog"), 603_188, "search", False),
    Instance("optimal-boards", "joint", Rules.preset("optimal"), 6_666_123_504, "search", False),
    Instance(
        "tournament-boards",
        "joint",
        Rules.preset("tournament"),
        92_418_935_587_878_537_792_000,
        "diagram",
        False,
    ),
)


def table() -> str:
    """Return the table of the page."""
    rows = ["| instance | model | solutions | known by |", "| --- | --- | ---: | --- |"]
    rows += [
        f"| `{instance.name}` | {instance.model} | {instance.solutions:,} | {instance.known} |"
        for instance in INSTANCES
    ]
    return "\n".join(rows) + "\n"


def filled(text: str) -> str:
    """Return the text of the page with the current table."""
    return _TABLE.sub(lambda match: match[1] + table() + match[2], text)


def write(folder: Path, instances: tuple[Instance, ...]) -> None:
    """Write the formula and the model of each instance."""
    folder.mkdir(exist_ok=True)
    for instance in instances:
        for how, ending in (("dimacs", "cnf"), ("mzn", "mzn")):
            text = export_model(instance.model, instance.rules, how=how)
            (folder / f"{instance.name}.{ending}").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]), INSTANCES)
    else:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        write(ROOT / "examples" / "instances", tuple(instance for instance in INSTANCES if instance.is_kept))
