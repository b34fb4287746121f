"""Write what follows from the declarations of rules: the typed fields of `Rules`, and the table in the docs.

``python docs/tools/rules.py`` rewrites both in place, after a rule was declared, changed or removed. The
tests hold the files against what it would write.
"""

from __future__ import annotations

import re
from pathlib import Path

from catan_cp.rules import marker_rules, terrain_rules
from catan_cp.rules.rule import rules_in

RULES = rules_in(terrain_rules, marker_rules)  # `Rules` needs its fields written to be read
ROOT = Path(__file__).resolve().parent.parent.parent
MODULE, PAGE = ROOT / "catan_cp" / "rules" / "rules.py", ROOT / "docs" / "rules.md"
_FIELDS = re.compile(
    r"(    # Written by docs/tools/rules\.py[^\n]*\n)(.*?)(?=    # Fields without a declaration)", re.DOTALL
)
_ROWS = re.compile(r"(\n\| field [^\n]*\n\| ---[^\n]*\n)(.*?)(?=\| `pattern` )", re.DOTALL)


def fields() -> str:
    """Return the lines of `Rules`, a field each, as types and neutral values are declared."""
    return "".join(
        f"    {rule.field}: {rule.kind.annotation} = {_python(rule.kind.neutral)}\n"
        for rule in RULES.values()
    )


def rows() -> str:
    """Return the lines of the table in docs/rules.md, a rule each."""
    return "".join(
        f"| `{rule.field}` | {rule.kind.values} | {_plain(rule.kind.neutral)} | {rule.asks} |\n"
        for rule in RULES.values()
    )


def module(text: str) -> str:
    """Return the text of the module of `Rules` with the fields that are declared."""
    return _put(_FIELDS, fields(), text)


def page(text: str) -> str:
    """Return the text of the page about rules with the rows that are declared."""
    return _put(_ROWS, rows(), text)


def _put(where: re.Pattern[str], lines: str, text: str) -> str:
    found, times = where.subn(lambda match: match[1] + lines, text)
    if times != 1:
        raise ValueError(f"one place to write to was expected, and there are {times}: {where.pattern}")
    return found


def _python(neutral: object) -> str:
    return f'"{neutral}"' if isinstance(neutral, str) else repr(neutral)


def _plain(neutral: object) -> str:
    if isinstance(neutral, str):
        return f'`"{neutral}"`'
    return "false" if neutral is False else "none"


if __name__ == "__main__":
    for path, written in ((MODULE, module), (PAGE, page)):
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
