"""FlatZinc as Boolean formulas in DIMACS form, for model counters and SAT solvers.

The input is the FlatZinc that MiniZinc compiles from a model with its standard library. So edited models and
custom constraints are encoded like built-in ones. The output is in conjunctive normal form (CNF):

* A number has one Boolean variable per value, of which exactly one is true. A number with two values has a
  single Boolean variable, which is true for the greater value.
* A linear constraint has one Boolean variable per possible partial sum, whose value follows from the terms.
* Division, remainder, power and product have one clause per combination of their operands.

The number of steps of each constraint is known before they start. Their total is limited, so time and memory
are limited too.

The formula's models, projected on the variables in the line ``c p show``, correspond one to one to the
solutions.

A worked example: two variables with values 1 and 2 that must differ. Literal 1 means ``x = 2``, literal 2
means ``y = 2``. Two of the clauses exclude equal values: at least one literal is true, and not both are.

>>> writer = ClauseWriter('''var 1..2: x;
... var 1..2: y;
... constraint int_ne(x, y);''')
>>> writer.var("x"), writer.var("y")
({1: -1, 2: 1}, {1: -2, 2: 2})
>>> writer.encode_all()
>>> [clause for clause in writer.clauses if set(map(abs, clause)) == {1, 2}]
[(1, 2), (-1, -2)]
"""

import operator
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, combinations, product
from math import inf, prod
from typing import Any, NamedTuple

from catan_cp.anymodel.shown import SHOWN
from catan_cp.errors import InvalidArgument
from catan_cp.solving.compiling import Compiled, TimeLeft
from catan_cp.solving.flatzinc import FlatZinc, domain

Literal = int | bool
"""A Boolean variable from 1, negative if negated, or a constant."""
Literals = Mapping[int, Literal]
"""The literal of each value of a FlatZinc variable (0 for false, 1 for true)."""

_MAX_CLAUSES = 5_000_000
"""The maximum number of clauses of a formula, and of steps to write them: some hundred megabytes of text."""
_CHECKED = 4095
"""The time limit is checked after this number of clauses."""
_PAIRED = 16
"""The maximum number of literals of which each pair is excluded by a clause."""


class _Condition(NamedTuple):
    """A condition on a sum, and a test whether any number of a range, with its ends, may satisfy it."""

    fits: Callable[[int], bool]
    may_fit: Callable[[int, int], bool]


_COMPARED_WITH_ZERO: Mapping[str, _Condition] = {
    "eq": _Condition(lambda n: n == 0, lambda low, high: low <= 0 <= high),
    "ne": _Condition(lambda n: n != 0, lambda low, high: bool(low or high)),
    "le": _Condition(lambda n: n <= 0, lambda low, _: low <= 0),
    "lt": _Condition(lambda n: n < 0, lambda low, _: low < 0),
}


def _checked_at_end(fits: Callable[[int], bool]) -> _Condition:
    """Return a condition that is tested only for single numbers."""
    return _Condition(fits, lambda low, high: low != high or fits(low))


def _quotient(a: int, b: int) -> int | None:
    """Return a / b rounded towards zero, or None for a division by zero."""
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    """Return the remainder with the sign of a, or None for a division by zero."""
    return None if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


def _power(a: int, b: int) -> int | None:
    """Return a to the power of b, rounded towards zero if b is negative."""
    return a**b if b >= 0 else None if a == 0 else _quotient(1, a**-b)


_FUNCTIONS: Mapping[str, Callable[..., int | None]] = {
    "int_min": min, "int_max": max, "int_plus": operator.add, "int_times": operator.mul, "int_abs": abs,
    "int_div": _quotient, "int_mod": _remainder, "int_pow": _power, "int_pow_fixed": _power,
    "bool_and": min, "bool_or": max, "bool_xor": operator.xor,
}  # fmt: skip
"""Partial functions: None means that no result satisfies the constraint."""


def dimacs(compiled: Compiled, time_left: TimeLeft) -> str:
    """Return the formula in DIMACS form with a projection line.

    A comment per shown variable states its meaning: the place in the solution and the value.

    Raises:
        InvalidArgument: a constraint or variable has no encoding, or there are too many clauses.
        SolverTimeout: raised by *time_left*.
    """
    name, _, cells = compiled.printed
    if not cells:  # The compiler has proved the model infeasible.
        return "c t pmc\np cnf 1 2\nc p show 0\n1 0\n-1 0\n"
    writer = ClauseWriter(compiled.flatzinc.text, time_left)
    meanings = []
    for place, cell in enumerate(cells, start=1):
        for value, literal in writer.var(cell).items():
            if not isinstance(literal, bool) and literal > 0:
                meanings.append((literal, f"{name}[{place}]={value}"))
    writer.encode_all()
    comments = (f"c {literal} is {meaning}" for literal, meaning in meanings)
    return writer.text(dict(meanings), comments)


class ClauseWriter:
    """A formula in the making: clauses, and the literals of FlatZinc variables.

    Args:
        flatzinc: the compiled model.
        time_left: called at least once per `_CHECKED` clauses; raises `SolverTimeout` if the time is over.

    Attributes:
        n: the number of Boolean variables so far.
        clauses: the clauses so far, as tuples of literals.
    """

    def __init__(self, flatzinc: str, time_left: TimeLeft = lambda: None) -> None:
        self.n, self.clauses, self._time_left, self._steps = 0, list[tuple[int, ...]](), time_left, 0
        self._flatzinc = FlatZinc(flatzinc)
        self._literals: dict[str, Literals] = {}

    # Variables

    def var(self, word: str) -> Literals:
        """Return the literals of a variable or constant, creating them at first use."""
        if word in ("true", "false") or word.lstrip("-").isdigit():
            return {int(word == "true") if word.isalpha() else int(word): True}
        if word not in self._literals:
            variable = self._flatzinc.variables[word]
            values = _bounded(variable.domain, variable.type, word)
            self._spend(values.stop - values.start if isinstance(values, range) else len(values))
            if len(values) == 2:
                high = self.new()
                self._literals[word] = {values[0]: -high, values[1]: high}
            else:
                self._literals[word] = {value: self.new() for value in values}
                self.add_exactly_one(self._literals[word].values())
        return self._literals[word]

    def vars(self, words: Iterable[str]) -> list[Literals]:
        """Return the literals of several variables or constants."""
        return [self.var(word) for word in words]

    def bools(self, words: Iterable[str], value: int = 1) -> list[Literal]:
        """Return the literals by which Booleans are true, or false with *value* 0."""
        return [literals.get(value, False) for literals in self.vars(words)]

    def shown(self, words: Iterable[str]) -> set[int]:
        """Return the Boolean variables of several variables, or a new one if all are constants.

        The new one is true, so a formula with a solution has one model.
        """
        literals = [literal for term in self.vars(words) for literal in term.values()]
        shown = {abs(literal) for literal in literals if not isinstance(literal, bool)}
        if not shown:
            self.add(self.new())
            shown.add(self.n)
        return shown

    def new(self) -> int:
        """Return a new Boolean variable."""
        self.n += 1
        return self.n

    # Clauses

    def add(self, *literals: Literal) -> None:
        """Add a clause: at least one of the literals is true.

        Raises:
            InvalidArgument: there are too many clauses.
        """
        clause = tuple(sorted({int(literal) for literal in literals if literal is not False}, key=abs))
        if any(literal is True for literal in literals) or any(-literal in clause for literal in clause):
            return
        self.clauses.append(clause)
        if not len(self.clauses) & _CHECKED:
            self._spend(0)

    def _spend(self, steps: int) -> None:
        """Reserve a number of steps before they are done.

        Raises:
            InvalidArgument: the total is above the limit.
            SolverTimeout: the time limit passed.
        """
        self._steps += steps
        if max(self._steps, len(self.clauses)) > _MAX_CLAUSES:
            raise InvalidArgument(f"model needs more than {_MAX_CLAUSES:,} clauses; use smaller domains")
        self._time_left()

    def add_exactly_one(self, literals: Iterable[Literal]) -> None:
        """Add the clauses by which exactly one of the literals is true."""
        rest = deque(literals)
        while len(rest) > _PAIRED:  # Replace some literals by one that is true if one of them is.
            group = [rest.popleft() for _ in range(_PAIRED // 2)]
            self._exclude_pairs(group)
            rest.append(self.new())
            self.disjunction(group, rest[-1])
        self.add(*rest)
        self._exclude_pairs(rest)

    def _exclude_pairs(self, literals: Iterable[Literal]) -> None:
        for pair in combinations(literals, 2):
            self.add(*map(_not, pair))

    def text(self, shown: Iterable[int], comments: Iterable[str] = ()) -> str:
        """Return the formula in DIMACS form, projected on the *shown* Boolean variables."""
        lines = [
            "c t pmc",
            *comments,
            f"p cnf {self.n} {len(self.clauses)}",
            " ".join(["c p show", *map(str, sorted(shown)), "0"]),
            *(" ".join(map(str, (*clause, 0))) for clause in self.clauses),
        ]
        return "\n".join(lines) + "\n"

    # Constraints

    def encode_all(self) -> None:
        """Add the clauses of all constraints.

        Raises:
            InvalidArgument: a constraint or variable has no encoding, or there are too many clauses.
            SolverTimeout: the time limit passed.
        """
        values = (variable for variable in self._flatzinc.variables.values() if variable.value)
        equal = (("int_eq", [variable.name, variable.value]) for variable in values)
        for name, arguments in chain(self._flatzinc.constraints(), equal):
            self._spend(0)
            self.encode(name, arguments)

    def encode(self, name: str, arguments: list[Any]) -> None:
        """Add the clauses of one constraint.

        The last argument of a reified constraint is its truth value, and that of a half-reified one implies
        the constraint.
        """
        base = name.removesuffix("_reif").removesuffix("_imp")
        truth: Literal = True if base == name else self.bools([arguments.pop()])[0]
        if name.endswith("_imp"):
            implied = self.new()
            self.add(_not(truth), implied)
            truth = implied
        if base == "bool2int":
            base = "int_eq"
        elif base in ("bool_not", "bool_xor") and len(arguments) == 2:  # a + b = 1
            base, arguments = "bool_lin_eq", [["1", "1"], arguments, "1"]
        kind, _, comparison = base.rpartition("_")
        condition = _COMPARED_WITH_ZERO.get(comparison)
        if condition is not None and kind in ("int", "bool"):
            self.linear((1, -1), self.vars(arguments), condition, truth)
        elif condition is not None and kind in ("int_lin", "bool_lin"):
            factors, terms, right = arguments
            self.linear((-1, *map(int, factors)), self.vars([right, *terms]), condition, truth)
        elif base == "array_bool_xor":
            terms = self.vars(arguments[0])
            self.linear([1] * len(terms), terms, _checked_at_end(lambda total: total % 2 == 1), truth)
        elif base == "set_in":
            members = _bounded(domain(arguments[1]), arguments[1], name)
            fits = (members if isinstance(members, range) else frozenset(members)).__contains__
            self.linear([1], [self.var(arguments[0])], _checked_at_end(fits), truth)
        elif base == "bool_clause":
            self.disjunction(self.bools(arguments[0]) + self.bools(arguments[1], 0), truth)
        elif name in ("array_bool_or", "array_bool_and"):
            value = int(name == "array_bool_or")  # "All are true" is "none is false".
            self.disjunction(self.bools(arguments[0], value), *self.bools(arguments[1:], value))
        elif name in ("array_int_maximum", "array_int_minimum"):
            pick = min if name.endswith("minimum") else max
            self.extreme(self.var(arguments[0]), self.vars(arguments[1]), pick)
        elif re.fullmatch(r"array_(var_)?(int|bool)_element", name):
            self.element(self.var(arguments[0]), self.vars(arguments[1]), self.var(arguments[2]))
        elif name == "fzn_all_different_int":
            self.all_different(self.vars(arguments[0]))
        elif name in _FUNCTIONS:
            self.function(_FUNCTIONS[name], arguments[:-1], self.var(arguments[-1]))
        elif name not in SHOWN:
            raise InvalidArgument(
                "model must have constraints on integers, Booleans or sets; "
                f"{name} has no encoding as clauses"
            )

    def function(self, compute: Callable[..., int | None], words: Sequence[str], output: Literals) -> None:
        """Add clauses by which the output is the value of a function of variables or constants."""
        inputs = {word: self.var(word) for word in words}
        self._spend(prod(map(len, inputs.values())))
        for chosen in product(*(literals.items() for literals in inputs.values())):
            values = dict(zip(inputs, (value for value, _ in chosen), strict=True))
            computed = compute(*(values[word] for word in words))
            result = False if computed is None else output.get(computed, False)
            self.add(*(_not(literal) for _, literal in chosen), result)

    def linear(
        self, factors: Iterable[int], terms: Sequence[Literals], condition: _Condition, truth: Literal
    ) -> None:
        """Add clauses by which *truth* is the result of a condition on the sum of factors times terms.

        Terms of a greater range come first, because fewer partial sums can then still satisfy the condition.
        """
        sums: dict[int, Literal] = {0: True}
        scaled = [
            {factor * value: literal for value, literal in term.items()}
            for factor, term in zip(factors, terms, strict=True)
        ]
        scaled.sort(key=lambda term: min(term) - max(term) if len(term) > 1 else -inf)
        low, high = sum(map(min, scaled)), sum(map(max, scaled))
        for term in scaled:
            low, high = low - min(term), high - max(term)  # the bounds of the remaining terms
            self._spend(len(sums) * len(term))
            reached = {s + more for s in sums for more in term}
            if truth is True:  # Drop sums that the remaining terms cannot make fit.
                reached = {s for s in reached if condition.may_fit(s + low, s + high)}
            after: dict[int, Literal] = {}
            if len(sums) == 1 or len(term) == 1:  # One side is constant: reuse the other's literals.
                for (s, held), (more, literal) in product(sums.items(), term.items()):
                    reused = held if len(term) == 1 else literal
                    if s + more in reached:
                        after[s + more] = reused
                    else:
                        self.add(_not(reused))
            else:
                self._spend(len(reached) * len(term))
                after = {s: self.new() for s in sorted(reached)}
                for more, literal in term.items():
                    for s, held in sums.items():
                        self.add(_not(held), _not(literal), after.get(s + more, False))
                    for s, held in after.items():
                        self.add(_not(held), _not(literal), sums.get(s - more, False))
            sums = after
        for s, held in sums.items():
            self.add(_not(held), truth if condition.fits(s) else _not(truth))

    def disjunction(self, literals: Sequence[Literal], truth: Literal) -> None:
        """Add clauses by which *truth* is true exactly if one or more literals are."""
        self.add(_not(truth), *literals)
        for literal in literals:
            self.add(truth, _not(literal))

    def all_different(self, terms: Sequence[Literals]) -> None:
        """Add clauses by which no two terms have the same value."""
        values = sorted({value for term in terms for value in term})
        self._spend(len(values) * len(terms))
        for value in values:
            literals = [term[value] for term in terms if value in term]
            if len(values) == len(terms):
                self.add_exactly_one(literals)
            elif len(literals) > _PAIRED:
                self.add_exactly_one([*literals, self.new()])  # The new one is true if no term has the value.
            else:
                self._exclude_pairs(literals)

    def element(self, index: Literals, values: Sequence[Literals], result: Literals) -> None:
        """Add clauses by which the result is the value at the index, counted from 1."""
        self._spend(sum(map(len, values)))
        for place, at_place in index.items():
            if not 1 <= place <= len(values):
                self.add(_not(at_place))
                continue
            for value, literal in values[place - 1].items():
                self.add(_not(at_place), _not(literal), result.get(value, False))

    def extreme(self, result: Literals, terms: Sequence[Literals], pick: Callable[..., int]) -> None:
        """Add clauses by which the result is the minimum or maximum of the terms."""
        self._spend(len(result) * sum(map(len, terms)))
        for value, literal in result.items():
            self.add(_not(literal), *(term.get(value, False) for term in terms))
            for term in terms:
                for other_value, held in term.items():
                    if pick(value, other_value) != value:
                        self.add(_not(literal), _not(held))


def _not(literal: Literal) -> Literal:
    return not literal if isinstance(literal, bool) else -literal


def _bounded(values: Sequence[int] | None, type_text: str, name: str) -> Sequence[int]:
    """Return the values of a type.

    Raises:
        InvalidArgument: the values are None, so the type has no bounds.
    """
    if values is not None:
        return values
    subject = "an expression" if name.startswith("X_INTRODUCED_") else name
    raise InvalidArgument(
        f"model must bound its variables: {subject} is a variable of type '{type_text}', which has no "
        "encoding as clauses; bound it"
    )
