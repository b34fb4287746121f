"""MiniZinc text that marks the shown variables of a model.

An argument of one of the predicates `SHOWN`, which have no definition, is a shown variable of the compiled
model. Two solutions that differ in a variable of any type differ in an argument:

* An optional variable is shown as a Boolean, which is true if it occurs, and its value, 0 or false otherwise.
* A set is shown as one Boolean per possible element.
* A tuple or record is shown field by field.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from catan_cp.errors import InvalidArgument, show

SHOWN = ("catan_cp_integers", "catan_cp_booleans")
"""Predicates without a definition, whose arguments are the shown variables of a model."""

PREDICATES = f"""
predicate {SHOWN[0]}(array[int] of var int: values);
predicate {SHOWN[1]}(array[int] of var bool: values);
predicate catan_cp_shown(var $$E: x) = {SHOWN[0]}([enum2int(x)]);
predicate catan_cp_shown(var bool: x) = {SHOWN[1]}([x]);
predicate catan_cp_shown(var set of $$E: x) = {SHOWN[1]}([i in x | i in ub(x)]);
predicate catan_cp_shown(var opt $$E: x) =
  {SHOWN[1]}([occurs(x)]) /\\ {SHOWN[0]}([if occurs(x) then enum2int(deopt(x)) else 0 endif]);
predicate catan_cp_shown(var opt bool: x) =
  {SHOWN[1]}([occurs(x), if occurs(x) then deopt(x) else false endif]);
predicate catan_cp_shown(array[$T] of var $$E: x) = {SHOWN[0]}([enum2int(y) | y in array1d(x)]);
predicate catan_cp_shown(array[$T] of var bool: x) = {SHOWN[1]}(array1d(x));
predicate catan_cp_shown(array[$T] of var set of $$E: x) = forall(y in array1d(x))(catan_cp_shown(y));
predicate catan_cp_shown(array[$T] of var opt $$E: x) = forall(y in array1d(x))(catan_cp_shown(y));
predicate catan_cp_shown(array[$T] of var opt bool: x) = forall(y in array1d(x))(catan_cp_shown(y));
"""


def marks(names: Sequence[str], types: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the constraints that show variables.

    Args:
        names: the names of the variables.
        types: types of the model's names, as ``minizinc --model-types-only`` prints them.

    Raises:
        InvalidArgument: a variable has another type.
    """
    return "".join(f"constraint {_marked(quoted(name), types.get(name, {}), name)};\n" for name in names)


def quoted(name: str) -> str:
    """Return an identifier as the model writes it, in quotes if it has other signs than letters."""
    return name if re.fullmatch(r"\w*", name) else f"'{name}'"


def _marked(expression: str, kind: Mapping[str, Any], name: str, depth: int = 0) -> str:
    """Return the constraint that shows an expression of a type."""
    fields = kind.get("field_types")
    if fields is None:
        if kind.get("type", "int") not in ("int", "bool"):
            raise InvalidArgument(
                f"{name} must be of integers, Booleans or sets, not of {show(kind['type'])}; show others"
            )
        return f"catan_cp_shown({expression})"
    element = f"catan_cp_element_{depth}" if kind.get("dim") else expression
    pairs = fields.items() if isinstance(fields, Mapping) else enumerate(fields, start=1)
    parts = [
        _marked(f"{element}.{place if isinstance(place, int) else quoted(place)}", part, name, depth + 1)
        for place, part in pairs
    ]
    marked = " /\\ ".join(parts)
    return f"forall({element} in array1d({expression}))({marked})" if kind.get("dim") else f"({marked})"
