"""The greatest numbers that a compiled model may compute, compared with the range of a solver.

Chuffed computes with integers of 32 bits and does not notice numbers outside: it reads the constant 10 ** 11
as another number, and computes wrong sums of great products. Gecode refuses such models.

>>> greatest_number(FlatZinc('''var 1..6: x;
... constraint int_lin_le([300000000],[x],100);
... solve satisfy;'''))
1800000100
"""

import re

from catan_cp.solving.find import INT32, Backend
from catan_cp.solving.flatzinc import FlatZinc

_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])|(?<=\.\.)\d+|\d+(?=\.\.)")
_SURELY_SMALL = 1 << 31


def exceeds(flatzinc: FlatZinc, backend: Backend) -> int | None:
    """Return the greatest number of a compiled model if a solver does not compute with it, otherwise None.

    A variable without bounds counts as a number of 32 bits.
    """
    if backend.largest is None:
        return None
    is_unbounded = any(variable.type == "int" for variable in flatzinc.variables.values())
    number = max(greatest_number(flatzinc), INT32 if is_unbounded else 0)
    return number if number > backend.largest else None


def greatest_number(flatzinc: FlatZinc) -> int:
    """Return an upper bound of the absolute values of all numbers that a compiled model states or computes.

    These are constants, bounds of variables, and possible sums of linear constraints and products.
    """
    body = flatzinc.body
    greatest = max(map(int, _NUMBER.findall(body)), default=0)
    terms = max((line.count(",") for line in body.splitlines()), default=0) + 2
    if greatest**2 * terms < _SURELY_SMALL:
        return greatest

    def bound(word: str) -> int:
        """Return the greatest absolute value of a constant or a variable; Booleans have 1."""
        if word.lstrip("-").isdigit():
            return abs(int(word))
        values = flatzinc.variables[word].domain if word in flatzinc.variables else None
        return max(abs(values[0]), abs(values[-1])) if values else 1

    for name, arguments in flatzinc.constraints():
        if name.startswith(("int_lin_", "bool_lin_")):
            factors, words, right = arguments[:3]
            pairs = zip(factors, words, strict=True)
            total = sum(bound(factor) * bound(word) for factor, word in pairs)
            greatest = max(greatest, total + bound(right))
        elif name.startswith("int_times"):
            greatest = max(greatest, bound(arguments[0]) * bound(arguments[1]))
    return greatest
