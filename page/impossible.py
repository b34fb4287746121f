"""Store the values of single rules that no board of a layout satisfies, which the page shows in grey.

``python page/impossible.py LAYOUT...`` proves them again for these layouts and changes ``impossible.json``, a
mapping from layouts to fields to values. A proof takes up to a minute per value, so the build only reads the
file. Rules with numbers are monotonic: the strictest value is tried first, and the first one with a board or
without an answer in time ends the search.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import export

from catan_cp import LAYOUTS, Rules, generate_boards
from catan_cp.boards.layout import Layout
from catan_cp.errors import CatanError, Infeasible, InvalidRules
from catan_cp.rules.rule import Rule
from catan_cp.rules.rules import RULES

STORE = Path(__file__).resolve().parent / "impossible.json"
_TIMEOUT = 300.0
"""Seconds per value."""


def number_in(value: Any) -> float | None:
    """Return the number that a plain value is or states for every terrain; None for other values."""
    number = value.get("every") if isinstance(value, dict) else value
    return number if isinstance(number, int | float) and not isinstance(number, bool) else None


def has_board(rule: Rule, value: Any, layout: Layout) -> bool | None:
    """Return whether the layout has a board under this rule alone; None without an answer in time."""
    try:
        rules = Rules(**{rule.field: value})
        rules.check_layout(layout)
        next(generate_boards(1, rules, layout, seed=1, timeout=_TIMEOUT))
    except Infeasible:
        return False
    except InvalidRules:
        return None
    except CatanError as problem:
        print(f"{layout.name}: {rule.field} = {value} has no answer: {problem}", file=sys.stderr)
        return None
    return True


def impossible(layout: Layout) -> dict[str, list[Any]]:
    """Return the values without a board, per field."""
    found: dict[str, list[Any]] = {}
    for rule in RULES.values():
        plain = {number_in(rule.kind.plain(value)): value for value in export.values(rule)}
        numbers = [number for number in plain if number is not None and plain[number] != rule.kind.neutral]
        if rule.field in export.hidden(layout) or not numbers:
            continue
        for number in sorted(numbers, reverse=rule.field.endswith("_min")):
            if has_board(rule, plain[number], layout) is not False:
                break
            found.setdefault(rule.field, []).append(rule.kind.plain(plain[number]))
    return found


def main(names: list[str]) -> None:
    """Prove the values of these layouts again, and store them."""
    for name in names:
        values = impossible(LAYOUTS[name])
        stored = json.loads(STORE.read_text(encoding="utf-8")) if STORE.is_file() else {}
        stored[name] = values
        lines = [f"{json.dumps(key)}: {json.dumps(stored[key])}" for key in sorted(stored)]
        STORE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(name, values, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
