"""Store the values of single rules that no board of a layout satisfies. The page shows them in grey.

``python page/impossible.py [--seconds N] LAYOUT...`` proves the missing values of these layouts. It writes
``impossible.json``, a mapping from layouts to fields to values, after each value, so an ended run continues
where it stopped. A proof can take minutes, so the build only reads the file. ``--again`` forgets the stored
values of the layouts first.

Rules with numbers are monotonic. The strictest value is tried first. The first value with a board, or
without an answer in the time limit, ends the search of its rule. That value is stored under ``decided``.
"""

from __future__ import annotations

import argparse
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
DECIDED = "decided"
"""The key of the fields of a layout whose search has ended, each with the reason."""


def number_in(value: Any) -> float | None:
    """Return the number in a plain value: itself or the bound for every terrain."""
    number = value.get("every") if isinstance(value, dict) else value
    return number if isinstance(number, int | float) and not isinstance(number, bool) else None


def has_board(rule: Rule, value: Any, layout: Layout, seconds: float = 300) -> bool | None:
    """Return True if the layout has a board under this rule alone, or None without an answer in time."""
    try:
        rules = Rules(**{rule.field: value})
        rules.check_layout(layout)
        next(generate_boards(1, rules, layout, seed=1, timeout=seconds))
    except Infeasible:
        return False
    except InvalidRules:
        return None
    except CatanError as problem:
        print(f"{layout.name}: {rule.field} = {value} has no answer: {problem}", file=sys.stderr)
        return None
    return True


def stored() -> dict[str, dict[str, Any]]:
    """Return the stored values per layout."""
    values: dict[str, dict[str, Any]] = json.loads(STORE.read_text(encoding="utf-8"))
    return values


def store(name: str, values: dict[str, Any]) -> None:
    """Write the values of a layout."""
    layouts = stored() | {name: values}
    lines = [f"{json.dumps(key)}: {json.dumps(layouts[key])}" for key in sorted(layouts)]
    temporary = STORE.with_suffix(".new")
    temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    temporary.replace(STORE)


def prove(layout: Layout, seconds: float) -> None:
    """Prove the missing values of a layout, and store each one."""
    values = stored().get(layout.name, {})
    decided = values.setdefault(DECIDED, {})
    for rule in RULES.values():
        plain = {number_in(rule.kind.plain(value)): value for value in export.values(rule)}
        numbers = [number for number in plain if number is not None and plain[number] != rule.kind.neutral]
        if rule.field in export.hidden(layout) or rule.field in decided:
            continue
        for number in sorted(numbers, reverse=rule.field.endswith("_min")):
            value = rule.kind.plain(plain[number])
            if value in values.get(rule.field, []):
                continue
            answer = has_board(rule, plain[number], layout, seconds)
            if answer is not False:
                decided[rule.field] = [value, "has a board" if answer else "no answer"]
                store(layout.name, values)
                break
            values.setdefault(rule.field, []).append(value)
            store(layout.name, values)
    print(layout.name, values, flush=True)


def main() -> None:
    """Prove the values of the named layouts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("layouts", nargs="+", choices=sorted(LAYOUTS), metavar="LAYOUT")
    parser.add_argument(
        "--seconds", type=float, default=300, help="time limit per value (default: %(default)s)"
    )
    parser.add_argument(
        "--again", action="store_true", help="forget the stored values of these layouts first"
    )
    args = parser.parse_args()
    for name in args.layouts:
        if args.again:
            store(name, {})
        prove(LAYOUTS[name], args.seconds)


if __name__ == "__main__":
    main()
