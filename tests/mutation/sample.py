"""Sample changes of the package at random: a number per package, from a stored seed.

    python -m tests.mutation.sample > tests/mutation/sample.jsonl

The operators come from cosmic-ray (``pip install cosmic-ray``), which nothing else needs. A place is an
operator in the body of a function, or a number in a constant of a module. Each line of a package is as
probable as the others. Left out are changes that rarely change a result: annotations, decorators,
comparisons of identity, and pairs of operators that raise an error for all operands.
"""

import ast
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider

from tests.mutation.trial import ROOT

SEED = 66
SIZE = 400
LEAST = 12
"""The smallest number of changes per package."""

_BINARY = "Add_Sub Sub_Add Mul_FloorDiv FloorDiv_Mul Div_Mul Mod_FloorDiv Pow_Mul BitAnd_BitOr BitOr_BitAnd "
_BINARY += "BitXor_BitAnd LShift_RShift RShift_LShift"
_COMPARISON = "Eq_NotEq NotEq_Eq Lt_LtE LtE_Lt Gt_GtE GtE_Gt Lt_GtE GtE_Lt LtE_Gt Gt_LtE Is_IsNot IsNot_Is"
_OTHERS = "AddNot NumberReplacer ReplaceAndWithOr ReplaceOrWithAnd ReplaceBreakWithContinue "
_OTHERS += (
    "ReplaceContinueWithBreak ReplaceFalseWithTrue ReplaceTrueWithFalse ReplaceUnaryOperator_Delete_Not "
)
_OTHERS += "ReplaceUnaryOperator_Delete_USub ReplaceUnaryOperator_Delete_Invert ZeroIterationForLoop"
OPERATORS = [
    *(f"ReplaceBinaryOperator_{pair}" for pair in _BINARY.split()),
    *(f"ReplaceComparisonOperator_{pair}" for pair in _COMPARISON.split()),
    *_OTHERS.split(),
]


def _mutable(code: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the first and last line of each statement that may change, and whether it is in a function."""
    tree = ast.parse(code)
    bodies = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
    for function in bodies:
        body = function.body if isinstance(function.body, list) else [function.body]
        yield body[0].lineno, body[-1].end_lineno or 0, True
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            yield node.lineno, node.end_lineno or 0, False


def _annotations(code: str) -> set[tuple[int, int]]:
    """Return the places of all nodes in annotations of variables and arguments."""
    tree = ast.parse(code)
    notes = [getattr(node, name, None) for node in ast.walk(tree) for name in ("annotation", "returns")]
    parts = [part for note in notes if note is not None for part in ast.walk(note)]
    return {
        (part.lineno, column)
        for part in parts
        if isinstance(part, ast.expr)
        for column in range(part.col_offset, part.end_col_offset or 0)
    }


@cache
def places(path: Path) -> dict[int, list[tuple[str, int]]]:
    """Return the possible changes per line of a file: the name of an operator and its occurrence."""
    code = path.read_text(encoding="utf-8")
    mutable, notes = [*_mutable(code)], _annotations(code)
    nodes = [*ast_nodes(get_ast(code))]
    found: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for name in OPERATORS:
        operator = OperatorProvider()[name]()
        starts = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, (line, column) in enumerate(starts):
            inside = any(first <= line <= last for first, last, is_code in mutable if is_code)
            constant = any(first <= line <= last for first, last, _ in mutable) and name == "NumberReplacer"
            if (inside or constant) and (line, column) not in notes:
                found[line].append((name, occurrence))
    return dict(found)


def _unique(code: str, changed: str) -> tuple[str, str] | None:
    """Return the changed lines before and after, with as many lines around them as make the text unique."""
    old, new = code.splitlines(keepends=True), changed.splitlines(keepends=True)
    top = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    if top is None:
        return None
    end = next(i for i, (a, b) in enumerate(zip(old[::-1], new[::-1], strict=False)) if a != b)
    for more in range(30):
        first, tail = max(top - more, 0), max(end - more, 0)
        text = "".join(old[first : len(old) - tail])
        if code.count(text) == 1:
            return text, "".join(new[first : len(new) - tail])
    return None


def _differs(code: str, changed: str) -> bool:
    """Return True if the changed text is Python and another program."""
    try:
        return ast.dump(ast.parse(code)) != ast.dump(ast.parse(changed))
    except SyntaxError:
        return False


def sample(package: str, files: list[Path], size: int) -> Iterator[dict[str, str]]:
    """Yield random changes of a package: the file, the text before and the text after."""
    rng = random.Random(f"{SEED} {package}")
    lines = [(path, line) for path in files for line in sorted(places(path))]
    for path, line in rng.sample(lines, len(lines)):
        if size == 0:
            return
        name, occurrence = rng.choice(places(path)[line])
        code = path.read_text(encoding="utf-8")
        changed = mutate_code(code, OperatorProvider()[name](), occurrence) or code
        texts = _unique(code, changed)
        if texts is None or not _differs(code, changed):
            continue
        size -= 1
        file = path.relative_to(ROOT).as_posix()
        yield {"file": file, "operator": name, "old": texts[0], "new": texts[1]}


def main() -> None:
    """Print the sample, one change per line."""
    packages: defaultdict[str, list[Path]] = defaultdict(list)
    for path in sorted((ROOT / "catan_cp").rglob("*.py")):
        parts = path.relative_to(ROOT / "catan_cp").parts
        packages[parts[0] if len(parts) > 1 else "files"].append(path)
    weights = {name: sum(len(places(path)) for path in files) for name, files in packages.items()}
    rest = SIZE - LEAST * len(packages)
    for name, files in sorted(packages.items()):
        for row in sample(name, files, LEAST + round(rest * weights[name] / sum(weights.values()))):
            print(json.dumps(row))


if __name__ == "__main__":
    main()
