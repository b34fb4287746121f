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


def marks(names: Sequence[str], types: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """Return the possible constraints that show each variable, of which the first valid one counts.

    MiniZinc describes an array of arrays like an array of tuples whose only field is an array.

    Args:
        names: the names of the variables.
        types: types of the model's names, as ``minizinc --model-types-only`` prints them.
    """
    readings = (
        dict.fromkeys(_marked(quoted(name), types.get(name, {}), tuples) for tuples in (False, True))
        for name in names
    )
    return [[f"constraint {text};\n" for text in texts] for texts in readings]


def has_floats(kind: Mapping[str, Any]) -> bool:
    """Return True if a type is that of floats, or has such fields."""
    fields = kind.get("field_types", ())
    parts = fields.values() if isinstance(fields, Mapping) else fields
    return kind.get("type") == "float" or any(map(has_floats, parts))


def quoted(name: str) -> str:
    """Return an identifier as the model writes it, in quotes if it has other signs than letters."""
    return name if re.fullmatch(r"\w*", name) else f"'{name}'"


def _marked(expression: str, kind: Mapping[str, Any], tuples: bool, depth: int = 0) -> str:
    """Return the constraint that shows an expression of a type.

    Args:
        expression: the expression.
        kind: its type.
        tuples: True if the elements of an array are tuples, where they may also be arrays.
        depth: the number of arrays around the expression.
    """
    fields = kind.get("field_types")
    if isinstance(fields, list):  # A slice of an array of arrays has one more field, of an unknown type.
        fields = [part for part in fields if part.get("type") != "?"]
    if fields is None:
        return f"catan_cp_shown({expression})" if kind.get("type", "int") in ("int", "bool") else "true"
    element = f"catan_cp_element_{depth}" if kind.get("dim") else expression
    pairs: Iterable[tuple[Any, Any]] = (
        fields.items() if isinstance(fields, Mapping) else enumerate(fields, start=1)
    )
    is_array_of_arrays = isinstance(fields, list) and len(fields) == 1 and fields[0].get("dim")
    if kind.get("dim") and is_array_of_arrays and not tuples:
        pairs = ()
    parts = [
        _marked(f"{element}.{place if isinstance(place, int) else quoted(place)}", part, tuples, depth + 1)
        for place, part in pairs
    ]
    marked = " /\\ ".join(parts) or _marked(element, fields[0], tuples, depth + 1)
    return f"forall({element} in array1d({expression}))({marked})" if kind.get("dim") else f"({marked})"
