"""Write the fields of `Rules` and the table of the docs from the declarations.

Run ``python docs/tools/rules.py`` after a rule was declared, changed or removed. The tests compare the files
with its output.
"""

from __future__ import annotations

import re
from pathlib import Path

from catan_cp.rules import marker_rules, terrain_rules
from catan_cp.rules.rule import rules_in

RULES = rules_in(terrain_rules, marker_rules)  # `Rules` cannot be imported before its fields are written
ROOT = Path(__file__).resolve().parent.parent.parent
MODULE, PAGE = ROOT / "catan_cp" / "rules" / "rules.py", ROOT / "docs" / "rules.md"
_FIELDS = re.compile(
    r"(    # Written by docs/tools/rules\.py[^\n]*\n)(.*?)(?=    # Fields without a declaration)", re.DOTALL
)
_ROWS = re.compile(r"(\n\| field [^\n]*\n\| ---[^\n]*\n)(.*?)(?=\| `pattern` )", re.DOTALL)


def fields() -> str:
    """Return one line per field of `Rules`, with its type and neutral value."""
    return "".join(
        f"    {rule.field}: {rule.kind.annotation} = {_python(rule.kind.neutral)}\n"
        for rule in RULES.values()
    )


def rows() -> str:
    """Return one line per rule for the table in docs/rules.md."""
    return "".join(
        f"| `{rule.field}` | {rule.kind.values} | {_plain(rule.kind.neutral)} | {rule.asks} |\n"
        for rule in RULES.values()
    )


def module(text: str) -> str:
    """Return the text of the module of `Rules` with the declared fields."""
    return _put(_FIELDS, fields(), text)


def page(text: str) -> str:
    """Return the text of docs/rules.md with the declared rows."""
    return _put(_ROWS, rows(), text)


def _put(expression: re.Pattern[str], lines: str, text: str) -> str:
    replaced, times = expression.subn(lambda match: match[1] + lines, text)
    if times != 1:
        raise ValueError(f"the file must have one place for the lines, not {times}: {expression.pattern}")
    return replaced


def _python(neutral: object) -> str:
    return f'"{neutral}"' if isinstance(neutral, str) else repr(neutral)


def _plain(neutral: object) -> str:
    if isinstance(neutral, str):
        return f'`"{neutral}"`'
    return "false" if neutral is False else "none"


if __name__ == "__main__":
    for path, written in ((MODULE, module), (PAGE, page)):
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
