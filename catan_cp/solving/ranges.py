"""The greatest numbers that a compiled model may compute, compared with the range of a solver.

Chuffed computes with integers of 32 bits and does not notice numbers outside: it reads the constant 10 ** 11
as another number, and computes wrong sums of great products. Gecode refuses such models.

>>> greatest_number('''var 1..6: x;
... constraint int_lin_le([300000000],[x],100);''')
1800000100
"""

import re
from collections.abc import Mapping

from catan_cp.solving.find import INT32, Backend

_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])|(?<=\.\.)\d+|\d+(?=\.\.)")
_DECLARED = re.compile(r"(?m)^var (-?\d+\.\.-?\d+|\{[-\d, ]*\}): (\w+)")
_ARRAY = re.compile(r"(?m)^array \[[^\]]*\] of [^:]+: (\w+)[^=]*= *\[(.*)\];")
_LINEAR = re.compile(
    r"(?m)^constraint (?:int|bool)_lin_\w+\((\[[^\]]*\]|\w+) *, *(\[[^\]]*\]|\w+) *, *([-\w]+)"
)
_PRODUCT = re.compile(r"(?m)^constraint int_times\w*\(([-\w]+) *, *([-\w]+)")
_INTEGER = re.compile(r"-?\d+")
_UNBOUNDED = re.compile(r"(?m)^var int: ")
_WORD = re.compile(r"[-\w]+")


def exceeds(flatzinc: str, backend: Backend) -> int | None:
    """Return the greatest number of a compiled model if a solver does not compute with it, otherwise None.

    A variable without bounds counts as a number of 32 bits.
    """
    if backend.largest is None:
        return None
    number = max(greatest_number(flatzinc), INT32 if _UNBOUNDED.search(flatzinc) else 0)
    return number if number > backend.largest else None


def greatest_number(flatzinc: str) -> int:
    """Return an upper bound of the absolute values of all numbers that a compiled model states or computes.

    These are constants, bounds of variables, and possible sums of linear constraints and products.
    """
    body = "\n".join(line for line in flatzinc.splitlines() if not line.startswith("%"))
    greatest = max(map(int, _NUMBER.findall(body)), default=0)
    terms = max((line.count(",") for line in body.splitlines()), default=0) + 2
    if greatest**2 * terms < _SURELY_SMALL:
        return greatest
    bounds = {name: max(map(abs, map(int, _INTEGER.findall(domain.replace("..", " ")))), default=0)
              for domain, name in _DECLARED.findall(body)}  # fmt: skip
    arrays = {name: _WORD.findall(words) for name, words in _ARRAY.findall(body)}
    for factors, variables, right in _LINEAR.findall(body):
        pairs = zip(_words(factors, arrays), _words(variables, arrays), strict=False)
        total = sum(_bound(factor, bounds) * _bound(word, bounds) for factor, word in pairs)
        greatest = max(greatest, total + _bound(right, bounds))
    for first, second in _PRODUCT.findall(body):
        greatest = max(greatest, _bound(first, bounds) * _bound(second, bounds))
    return greatest


_SURELY_SMALL = 1 << 31


def _words(text: str, arrays: Mapping[str, list[str]]) -> list[str]:
    return _WORD.findall(text) if text.startswith("[") else arrays.get(text, [])


def _bound(word: str, bounds: Mapping[str, int]) -> int:
    """Return the greatest absolute value of a constant or a variable; Booleans have 1."""
    return abs(int(word)) if _INTEGER.fullmatch(word) else bounds.get(word, 1)
