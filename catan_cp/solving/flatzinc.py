"""The items of FlatZinc, the text of a compiled model. MiniZinc writes each item on one line.

>>> flatzinc = FlatZinc('''array [1..2] of int: c = [2,-1];
... var 1..6: x:: output_var;
... var bool: b ::var_is_introduced :: is_defined_var;
... array [1..2] of var int: row:: output_array([1..2]) = [x,4];
... constraint int_lin_le_reif(c,[x,3],7,b):: defines_var(b);
... solve :: int_search([x],input_order,indomain_min,complete) satisfy;
... ''')
>>> list(flatzinc.variables), flatzinc.variables["x"].domain
(['x', 'b'], range(1, 7))
>>> flatzinc.printed
Array(name='row', shape='1..2', elements=['x', '4'])
>>> [*flatzinc.constraints()]
[Call(name='int_lin_le_reif', arguments=[['2', '-1'], ['x', '3'], '7', 'b'])]
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

_VARIABLE = re.compile(r"(?m)^var ([^:\n]+): (\w+)([^=;\n]*)(?:= *([^;\n]+))?;")
_NAMED_ARRAY = re.compile(r"(?m)^array \[[^\]\n]*\] of [^:\n]+: (\w+)([^=\n]*)= *\[(.*)\];")
_CONSTRAINT = re.compile(r"(?m)^constraint (\w+)\((.*?)\)(?: *::.*)?;")
_ARGUMENT = re.compile(r"\[[^\]]*\]|\{[^}]*\}|[^\s,]+")
_SHAPE = re.compile(r"output_array\(\[(.*?)\]\)")
_OUTPUT = re.compile(r" *:: *output_(?:var\b|array\([^)]*\))")
_AFTER_DECLARATIONS = re.compile(r"(?m)^(?:constraint|solve)\b")
_SOLVE = re.compile(r"(?m)^solve\b")
_COMMENT_LINE = re.compile(r"(?m)^%.*\n?")


class Variable(NamedTuple):
    """A variable: its type such as ``1..6``, its name, its annotations, and the word that it equals or ''."""

    type: str
    name: str
    annotations: str
    value: str

    @property
    def domain(self) -> Sequence[int] | None:
        """The possible values, or None if it is not a Boolean or an integer with bounds."""
        return range(2) if self.type == "bool" else domain(self.type)

    @property
    def is_float(self) -> bool:
        """True for a floating-point number."""
        return self.type == "float" or re.match(r"-?\d+\.\d", self.type) is not None


class Array(NamedTuple):
    """An array: its name, its index sets if the solver prints it, and its elements."""

    name: str
    shape: str | None
    elements: list[str]


class Call(NamedTuple):
    """A constraint: its name and its arguments, where arrays and their names are lists of words."""

    name: str
    arguments: list[Any]


@dataclass(frozen=True)
class FlatZinc:
    """The text of a compiled model, and its items."""

    text: str

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        """The variables by name, without arrays."""
        return {words[1]: Variable(*words) for words in _VARIABLE.findall(self.text)}

    @cached_property
    def arrays(self) -> Mapping[str, Array]:
        """The arrays by name."""
        return {array.name: array for array in map(_array, _NAMED_ARRAY.finditer(self.text))}

    def constraints(self, *names: str) -> Iterator[Call]:
        """Yield the constraints with these names, or all if there are none."""
        for match in _CONSTRAINT.finditer(self.text):
            if not names or match[1] in names:
                yield Call(match[1], [self._argument(word) for word in _ARGUMENT.findall(match[2])])

    def _argument(self, word: str) -> str | list[str]:
        if word.startswith("["):
            return _ARGUMENT.findall(word[1:-1])
        return self.arrays[word].elements if word in self.arrays else word

    @cached_property
    def printed(self) -> Array | None:
        """The first array that the solver prints, or None."""
        place = self.text.find("output_array(")
        match = None if place < 0 else _NAMED_ARRAY.match(self.text, self.text.rfind("\n", 0, place) + 1)
        return None if match is None else _array(match)

    @property
    def optimises(self) -> bool:
        """True if there is an objective."""
        goal = self.text[self._solve :]
        return "minimize" in goal or "maximize" in goal

    @property
    def body(self) -> str:
        """The text without comments."""
        return _COMMENT_LINE.sub("", self.text)

    @property
    def _solve(self) -> int:
        """The place of the last item.

        Raises:
            ValueError: there is none, so the text is not FlatZinc.
        """
        places = [match.start() for match in _SOLVE.finditer(self.text)]
        if not places:
            raise ValueError("FlatZinc must have an item solve")
        return places[-1]

    def adding(self, *, declarations: str = "", constraints: str = "") -> "FlatZinc":
        """Return the FlatZinc with more items."""
        text, solve = self.text, self._solve
        first = _AFTER_DECLARATIONS.search(text)
        start = solve if first is None else first.start()
        return FlatZinc(f"{text[:start]}{declarations}{text[start:solve]}{constraints}{text[solve:]}")

    def without(self, names: Collection[str]) -> "FlatZinc":
        """Return the FlatZinc without the predicates and constraints with these names."""
        return FlatZinc(re.sub(rf"(?m)^(?:constraint|predicate) (?:{'|'.join(names)})\(.*;\n", "", self.text))

    def silent(self) -> "FlatZinc":
        """Return the FlatZinc of which a solver prints nothing."""
        return FlatZinc(_OUTPUT.sub("", self.text))


def domain(text: str) -> Sequence[int] | None:
    """Return the values of a range or a set of integers, or None for other text."""
    if bounds := re.fullmatch(r"(-?\d+)\.\.(-?\d+)", text):
        return range(int(bounds[1]), int(bounds[2]) + 1)
    return sorted(map(int, re.findall(r"-?\d+", text))) if re.fullmatch(r"\{[-\d, ]*\}", text) else None


def _array(match: re.Match[str]) -> Array:
    shape = _SHAPE.search(match[2])
    return Array(match[1], None if shape is None else shape[1], _ARGUMENT.findall(match[3]))
