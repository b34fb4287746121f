"""MiniZinc text that marks the shown variables of a model.

An argument of one of the predicates `SHOWN`, which have no definition, is a shown variable of the compiled
model. Two solutions that differ in a variable of any type differ in an argument:

* An optional variable is shown as a Boolean, which is true if it occurs, and its value, 0 or false otherwise.
* A set is shown as one Boolean per possible element.
* A tuple or record is shown field by field.
* A float is not shown. Integers and Booleans must determine it.
* Strings, annotations and parameters are not shown.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
predicate catan_cp_shown(opt set of $$E: x) = true;
predicate catan_cp_shown(array[$T] of opt set of $$E: x) = true;
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
    """
    return "".join(f"constraint {_marked(quoted(name), types.get(name, {}))};\n" for name in names)


def has_floats(kind: Mapping[str, Any]) -> bool:
    """Return True if a type is that of floats, or has such fields."""
    fields = kind.get("field_types", ())
    parts = fields.values() if isinstance(fields, Mapping) else fields
    return kind.get("type") == "float" or any(map(has_floats, parts))


def quoted(name: str) -> str:
    """Return an identifier as the model writes it, in quotes if it has other signs than letters."""
    return name if re.fullmatch(r"\w*", name) else f"'{name}'"


def _marked(expression: str, kind: Mapping[str, Any], depth: int = 0) -> str:
    """Return the constraint that shows an expression of a type."""
    fields = kind.get("field_types")
    if isinstance(
        fields, list
    ):  # MiniZinc adds an unknown field to the type of a slice of an array of arrays.
        fields = [part for part in fields if part.get("type") != "?"]
    if fields is None:
        return f"catan_cp_shown({expression})" if kind.get("type", "int") in ("int", "bool") else "true"
    element = f"catan_cp_element_{depth}" if kind.get("dim") else expression
    pairs: Iterable[tuple[Any, Any]] = (
        fields.items() if isinstance(fields, Mapping) else enumerate(fields, start=1)
    )
    if isinstance(fields, list) and len(fields) == 1 and kind.get("dim") and fields[0].get("dim"):
        pairs = ()  # MiniZinc describes an array of arrays like an array of tuples with one field.
    parts = [
        _marked(f"{element}.{place if isinstance(place, int) else quoted(place)}", part, depth + 1)
        for place, part in pairs
    ]
    marked = " /\\ ".join(parts) or _marked(element, fields[0], depth + 1)
    return f"forall({element} in array1d({expression}))({marked})" if kind.get("dim") else f"({marked})"
