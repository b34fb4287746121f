"""Custom constraints: MiniZinc text of a user, checked before MiniZinc reads it.

The text is one Boolean expression, or ``constraint``, ``predicate`` and ``function`` items. It may come from
an untrusted rules file, so only the words and signs listed in this module are allowed. Strings (which could
print, trace or read files), annotations, other items and calls of unknown functions are rejected. Functions
that the text defines are renamed, so none can replace a function of the models.

>>> Constraint("forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)", says="No ore carries a 6.")
Constraint(text='forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)', says='No ore carries a 6.')
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from catan_cp.errors import InvalidRules, at_place, did_you_mean, show
from catan_cp.minizinc_text import CLOSING, Token, tokens
from catan_cp.model_files import MEASURES, MODEL_PARTS

LONGEST = 10_000
"""The maximum number of characters of a text, and of a pattern."""

LONGEST_WORDS = 1_000
"""The maximum number of characters of a constraint in plain English."""

KEYWORDS = frozenset(
    (
        "let", "in", "then", "elseif", "else", "endif", "if", "where", "not", "xor", "div", "mod",
        "union", "diff", "symdiff", "intersect", "subset", "superset", "var", "par", "int",
        "bool", "set", "of", "array", "true", "false", "constraint", "predicate", "function",
    )
)  # fmt: skip
"""The keywords of MiniZinc that are allowed in a text."""

OTHER_KEYWORDS = frozenset(
    (
        "ann", "annotation", "any", "case", "default", "enum", "float", "include", "infinity",
        "lambda", "list", "maximize", "minimize", "op", "opt", "output", "record", "satisfy",
        "solve", "string", "test", "tuple", "type", "variant_record",
    )
)  # fmt: skip
"""The keywords of MiniZinc that are not allowed."""

FUNCTIONS = frozenset(
    (
        "abs", "arg_max", "arg_min", "array1d", "array2d", "bool2int", "card", "col", "exists",
        "forall", "iffall", "index_set", "index_set_1of2", "index_set_2of2", "length", "max",
        "min", "pow", "product", "reverse", "row", "set2array", "sum", "xorall",
    )
)  # fmt: skip
"""The functions of MiniZinc that need no included file."""

GLOBALS: Mapping[str, str] = {
    name: f"{name}.mzn"
    for name in (
        "all_different", "all_equal", "alldifferent", "among", "at_least", "at_most", "count",
        "decreasing", "exactly", "global_cardinality", "increasing", "inverse", "lex_less",
        "lex_lesseq", "member", "nvalue", "regular", "strictly_increasing", "sum_pred", "table",
    )
}  # fmt: skip
"""The global constraints, each with the file that a text with it includes."""

_ITEMS = ("constraint", "predicate", "function")
_SIGNS = {*"-+*/()[]{},;:=<>|^", "<->", "->", "<-", "\\/", "/\\", "<=", ">=", "==", "!=", "..", "++"}
_NOT_A_SIGN = {"::": "an annotation", "/*": "'/*' (a comment begins with %)", "*/": "'*/'"}
_RENAMED = re.compile(r"__own\d+\b")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]*")
_OF_TERRAIN = ("terrain", "is", "numbered")
"""The variables of ``layout.mzn``, which every model includes."""


def _checked_tokens(text: str, reject: Callable[[int, str], NoReturn]) -> Iterator[Token]:
    """Yield the tokens of a text without space and comments, keywords as such.

    Args:
        text: the text.
        reject: raises the error for the index of a token that is not allowed, and the reason.
    """
    for token in tokens(text):
        kind, word = token.kind, token.text
        if kind == "number" and not word.isdigit():
            reject(token.start, f"numbers must be whole, not {show(word)}")
        if kind == "word" and word in OTHER_KEYWORDS:
            reject(token.start, f"{word!r} is not allowed in a constraint, which only states a condition")
        if (
            kind in ("string", "quoted")
            or (kind == "comment" and word.startswith("/*"))
            or (kind == "word" and word.startswith("_"))
            or (kind == "sign" and word not in _SIGNS)
        ):
            sign = _NOT_A_SIGN.get(word[:2], repr(word[0]))
            reject(token.start, f"{sign} is not allowed in a constraint")
        if token.is_code:
            yield token._replace(kind="keyword") if word in KEYWORDS else token


@dataclass(frozen=True)
class Constraint:
    """A custom constraint in MiniZinc text over the names that the models declare.

    Args:
        text: one Boolean expression, or ``constraint``, ``predicate`` and ``function`` items.
        says: the same in plain English, for `Rules.explain`, violations and conflicts.
        is_external: whether it comes from a file, link or store, so that runs have a default time limit.

    Raises:
        InvalidRules: something in the text is not allowed. The message shows the place.

    Example:
        >>> constraint = Constraint("terrain[1] = DESERT", says="Tile 1 is desert.")
        >>> constraint.says
        'Tile 1 is desert.'
    """

    text: str
    says: str = ""
    is_external: bool = field(default=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("text", "says"):
            if not isinstance(getattr(self, name), str):
                raise InvalidRules(f"{name} of a constraint must be text, not {show(getattr(self, name))}")
        for name, most in (("says", LONGEST_WORDS), ("text", LONGEST)):
            if (n := len(getattr(self, name))) > most:
                raise InvalidRules(f"{name} of a constraint must have at most {most:,} characters, not {n:,}")
        if not self.tokens:
            raise InvalidRules(f"text of a constraint must contain an expression, not {show(self.text)}")
        self._check_brackets()
        self._check_items()

    def __str__(self) -> str:
        return self.says or " ".join(self.text.split())

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text without comments."""
        return tuple(_checked_tokens(self.text, self._reject))

    def _check_brackets(self) -> None:
        opened: list[Token] = []
        for token in self.tokens:
            if token.text in CLOSING:
                opened.append(token)
            elif token.text in CLOSING.values():
                if not opened or CLOSING[opened[-1].text] != token.text:
                    self._reject(token.start, f"{token.text!r} has no opening bracket")
                opened.pop()
        if opened:
            self._reject(opened[-1].start, f"{opened[-1].text!r} has no closing bracket")

    def _check_items(self) -> None:
        begins, before = True, ""
        for token in self.tokens:
            if begins and self._has_items and token.text not in _ITEMS:
                self._reject(
                    token.start, f"an item must begin with {', '.join(_ITEMS)}, not {show(token.text)}"
                )
            if token.text in _ITEMS and not begins:
                inside_let = token.text == "constraint" and token.depth > 0 and before in ("{", ";", ",")
                if not inside_let:
                    self._reject(token.start, f"{token.text!r} begins an item and is not allowed here")
            begins = token.text == ";" and token.depth == 0
            if begins and not self._has_items:
                self._reject(
                    token.start, "an expression must not contain ';'; write several as items: constraint ...;"
                )
            before = token.text

    @property
    def _has_items(self) -> bool:
        """True if the text consists of items, False if it is one expression."""
        return self.tokens[0].text in _ITEMS

    @cached_property
    def defined(self) -> frozenset[str]:
        """The predicates and functions that the text defines."""
        return frozenset(
            token.text
            for before, token, _ in self._with_neighbors()
            if not token.depth and token.kind == "word" and before in ("predicate", ":")
        )

    @cached_property
    def _bound(self) -> frozenset[str]:
        """The names that the text declares: in generators and ``let``, and as parameters."""
        declared = set()
        run: list[str] = []  # words separated by commas, such as the variables of a generator
        for before, token, after in self._with_neighbors():
            if token.kind == "word":
                run.append(token.text)
                if before == ":":
                    declared.add(token.text)
                if after == "in":
                    declared.update(run)
            elif token.text != ",":
                run = []
        return frozenset(declared)

    @cached_property
    def names(self) -> frozenset[str]:
        """Words that the text uses but does not declare, and arrays before ``[``."""
        return frozenset(
            token.text
            for _, token, after in self._with_neighbors()
            if token.kind == "word"
            and token.text not in self.defined
            and (after == "[" or token.text not in self._bound)
        )

    def _with_neighbors(self) -> Iterator[tuple[str, Token, str]]:
        """Yield each token between the texts of the token before and the token after it."""
        words = [token.text for token in self.tokens]
        return zip(["", *words], self.tokens, [*words[1:], ""], strict=False)

    @cached_property
    def has_variables(self) -> bool:
        """True if the text may declare variables, so that the solver may repeat a board."""
        return any(token.text == "var" for token in self.tokens)

    def check_names(self, known: Mapping[str, str], terrains: Iterable[str] | None = None) -> None:
        """Reject names that neither the text nor the models declare.

        Args:
            known: the names that the models declare, each with its model.
            terrains: the terrains of the layout, such as ``LAKE``. If None, the layout is not known yet, and
                names in capitals are accepted.

        Raises:
            InvalidRules: a name is unknown. The message shows the place and a similar name.
        """
        for _, token, after in self._with_neighbors():
            if token.kind != "word" or token.text in known or token.text in self.defined:
                continue
            if after == "(":
                if token.text not in FUNCTIONS and token.text not in GLOBALS:
                    hint = did_you_mean(token.text, [*FUNCTIONS, *GLOBALS, *self.defined])
                    self._reject(token.start, f"unknown function {show(token.text)}{_hint(hint)}")
            elif token.text not in self._bound and token.text not in (terrains or ()):
                if terrains is None and _CAPITALS.fullmatch(token.text):
                    continue
                hint = did_you_mean(token.text, [*known, *(terrains or ())])
                self._reject(token.start, f"unknown name {show(token.text)}{_hint(hint)}")

    def about(self, known: Mapping[str, str]) -> tuple[str, ...]:
        """Return the parts of a board that the text depends on, terrain if there are none."""
        used: set[str] = set()
        for name in self.names:
            used.update(MODEL_PARTS.get("board" if name in _OF_TERRAIN else known.get(name, ""), ()))
        parts = ("terrain", "markers", "harbors", "grounds")
        return tuple(part for part in parts if part in used) or ("terrain",)

    def error(self, start: int, why: str) -> InvalidRules:
        """Return an error that shows a place in the text."""
        title = f" ({self.says})" if self.says else ""
        return InvalidRules(f"the constraint{title}, {at_place(self.text, start, why)}")

    def _reject(self, start: int, why: str) -> NoReturn:
        raise self.error(start, why)


def _hint(text: str) -> str:
    return f"; {text.strip()}" if text else ""


def terrain_words(codes: Mapping[str, int]) -> dict[str, int]:
    """Return the terrains of a layout as constraints write them, each with its code.

    >>> terrain_words({"castle-knights": 9})
    {'CASTLE_KNIGHTS': 9}
    """
    return {name.upper().replace("-", "_"): code for name, code in codes.items()}


@dataclass(frozen=True)
class JoinedConstraints:
    """Constraints as one text for MiniZinc, which maps places in it back to the constraints.

    Attributes:
        constraints: the constraints.
        text: the text.
        places: for each token its line and column in the text, its constraint, and its start there.
    """

    constraints: tuple[Constraint, ...]
    text: str
    places: tuple[tuple[tuple[int, int], Constraint, int], ...]

    def error_at(self, line: int, column: int, why: str) -> InvalidRules:
        """Return the error for MiniZinc's message about a place in `text`."""
        index = max(0, bisect_right([place for place, _, _ in self.places], (line, column)) - 1)
        _, constraint, start = self.places[index]
        return constraint.error(start, _RENAMED.sub("", why))

    def error(self, why: str) -> InvalidRules:
        """Return the error for a fault without a known place."""
        return InvalidRules(f"these constraints {why}: " + "; ".join(map(str, self.constraints)))

    def reject_tokens(self, *_: object) -> NoReturn:
        """Raise the error for a text whose tokens differ from those of the constraints."""
        raise self.error("change their meaning when they are joined")


def read_constraints(value: object) -> tuple[Constraint, ...]:
    """Return the constraints of a list.

    Args:
        value: a list of `Constraint`s, texts, or mappings with ``text`` and ``says``.

    Raises:
        InvalidRules: *value* is something else.
    """
    if isinstance(value, (str, bytes, Mapping, Constraint)) or not isinstance(value, Iterable):
        raise InvalidRules(f"constraints must be a list of Constraints or MiniZinc texts, not {show(value)}")
    constraints = []
    for item in value:
        fields = {"text": item} if isinstance(item, str) else item
        if isinstance(fields, Mapping) and "text" in fields and not set(fields) - {"text", "says"}:
            constraints.append(Constraint(**fields))
        elif isinstance(fields, Constraint):
            constraints.append(fields)
        else:
            raise InvalidRules(f"a constraint must have text, and may have says, not {show(item)}")
    return tuple(constraints)


def join_constraints(
    constraints: Sequence[Constraint], known: Mapping[str, str], codes: Mapping[str, int]
) -> JoinedConstraints:
    """Return constraints as one text.

    Args:
        constraints: one or more constraints.
        known: the names that the models declare, each with its model.
        codes: the terrains of the layout with their codes.
    """
    words = {token.text for item in constraints for token in item.tokens if token.kind == "word"}
    files = {GLOBALS[word] for word in words if word in GLOBALS}
    names = frozenset[str]().union(*(item.names for item in constraints))
    files.update(f"{known[name]}.mzn" for name in names if known.get(name) in MEASURES)
    terrains = {name: code for name, code in terrain_words(codes).items() if name in words - set(known)}
    lines = [f'include "{file}";' for file in sorted(files)]
    lines += [f"int: {name} = {code};" for name, code in terrains.items()]
    first_line = len(lines)
    places: list[tuple[tuple[int, int], Constraint, int]] = []
    expected: list[str] = []
    for number, constraint in enumerate(constraints):
        before, after = (
            ("", "" if constraint.tokens[-1].text == ";" else ";")
            if constraint._has_items
            else ("constraint (", ");")
        )
        lines += [before, ""]
        expected += before.split()
        end = 0
        for token in constraint.tokens:
            gap = constraint.text[end : token.start]
            lines += [""] * gap.count("\n")
            lines[-1] += " " if gap else ""
            places.append(((len(lines), len(lines[-1]) + 1), constraint, token.start))
            word = f"{token.text}__own{number}" if token.text in constraint.defined else token.text
            expected.append(word)
            lines[-1] += word
            end = token.start + len(token.text)
        lines.append(after)
        expected += after
    joined = JoinedConstraints(tuple(constraints), "\n".join(lines) + "\n", tuple(places))
    # MiniZinc reads all constraints as one text, so no token of one constraint may change another.
    body = "\n".join(lines[first_line:])
    if [token.text for token in _checked_tokens(body, joined.reject_tokens)] != expected:
        joined.reject_tokens()
    return joined
