"""What a user asks beside the rules: constraints in MiniZinc text, and patterns.

A constraint is read token by token before MiniZinc sees it. Its text is one Boolean expression, or
``constraint``, ``predicate`` and ``function`` items. It may come from a stranger's rules file, so only what
is listed here gets through: no string (nothing is printed, traced or read), no annotation, no other item, and
calls of known functions alone. Functions of its own are renamed, so none takes the place of one that the
models use.

>>> Constraint("forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)", says="No ore carries a 6.")
Constraint(text='forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)', says='No ore carries a 6.')

A pattern is a board with some tiles or markers left open, in the notation of boards: ``x`` is an open tile;
``o`` is ore with any marker, ``o0`` ore without one, ``x6`` any terrain with a 6.

>>> found = pattern_on("xxx/xxxx/xxdxx/xx6xx/oxx", LAYOUTS["base"])
>>> found.terrain[9], found.markers[13], found.terrain[16], found.markers[16]
('desert', 6, 'ore', None)
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NoReturn

from catan_cp.boards.board import Board
from catan_cp.boards.layout import CLASSIC, LAYOUTS, Layout
from catan_cp.boards.pieces import MARKERS, MOST_PIPS
from catan_cp.errors import InvalidBoard, InvalidRules, did_you_mean, listed, show
from catan_cp.model_files import MEASURES, PARTS
from catan_cp.rules.rule import Barred, FixedMarkers, Restriction, Violation

LONGEST = 10_000
"""The most characters of a text, and of a pattern."""

LONGEST_WORDS = 1_000
"""The maximum number of characters of a constraint in plain English."""

KEYWORDS = frozenset(
    (
        "let", "in", "then", "elseif", "else", "endif", "if", "where", "not", "xor", "div", "mod",
        "union", "diff", "symdiff", "intersect", "subset", "superset", "var", "par", "int",
        "bool", "set", "of", "array", "true", "false", "constraint", "predicate", "function",
    )
)  # fmt: skip
"""The words of MiniZinc that may stand in a text."""

OTHER_KEYWORDS = frozenset(
    (
        "ann", "annotation", "any", "case", "default", "enum", "float", "include", "infinity",
        "lambda", "list", "maximize", "minimize", "op", "opt", "output", "record", "satisfy",
        "solve", "string", "test", "tuple", "type", "variant_record",
    )
)  # fmt: skip
"""The words of MiniZinc that may not."""

FUNCTIONS = frozenset(
    (
        "abs", "arg_max", "arg_min", "array1d", "array2d", "bool2int", "card", "col", "exists",
        "forall", "iffall", "index_set", "index_set_1of2", "index_set_2of2", "length", "max",
        "min", "pow", "product", "reverse", "row", "set2array", "sum", "xorall",
    )
)  # fmt: skip
"""The functions of MiniZinc that are always there."""

GLOBALS: Mapping[str, str] = {
    name: f"{name}.mzn"
    for name in (
        "all_different", "all_equal", "alldifferent", "among", "at_least", "at_most", "count",
        "decreasing", "exactly", "global_cardinality", "increasing", "inverse", "lex_less",
        "lex_lesseq", "member", "nvalue", "regular", "strictly_increasing", "sum_pred", "table",
    )
}  # fmt: skip
"""The global constraints, with the file that is included where one is used."""

_ITEMS = ("constraint", "predicate", "function")
_OPENING = {"(": ")", "[": "]", "{": "}"}
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|%[^\r\n]*)
      | (?P<number>[0-9]+(?:\.[0-9]+)?[A-Za-z0-9_]*)
      | (?P<word>[A-Za-z][A-Za-z0-9_]*)
      | (?P<sign><->|->|<-|\\/|/\\|<=|>=|==|!=|\.\.|\+\+|(?!::|/\*|\*/)[-+*/()\[\]{},;:=<>|^])""",
    re.VERBOSE,
)
_NOT_A_TOKEN = {"::": "an annotation", "/*": "'/*' (a comment begins with %)", "*/": "'*/'"}
_RENAMED = re.compile(r"__own\d+\b")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]*")
_OF_TERRAIN = ("terrain", "is", "numbered")
"""The variables of ``layout.mzn``, which every model includes."""


@dataclass(frozen=True)
class Token:
    """A word, number or sign, where it begins in the text, and how many brackets are open behind it."""

    kind: str
    text: str
    start: int
    depth: int


def _tokens(text: str, refuse: Callable[[int, str], NoReturn]) -> Iterator[Token]:
    """Yield the tokens of a text; call *refuse* with the place and the reason if something is not allowed."""
    at = depth = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            what = _NOT_A_TOKEN.get(text[at : at + 2], repr(text[at]))
            refuse(at, f"{what} may not stand in a constraint")
        kind, found = str(match.lastgroup), match[0]
        if kind == "word" and found in OTHER_KEYWORDS:
            refuse(at, f"{found!r} may not stand in a constraint, which states what holds and no more")
        if kind == "number" and not found.isdigit():
            refuse(at, f"numbers are whole here, which {show(found)} is not")
        if kind != "space":
            depth += (found in _OPENING) - (found in _OPENING.values())
            yield Token("keyword" if found in KEYWORDS else kind, found, at, depth)
        at = match.end()


@dataclass(frozen=True)
class Constraint:
    """A constraint in MiniZinc text over the names that the models declare.

    Args:
        text: one Boolean expression, or ``constraint``, ``predicate`` and ``function`` items.
        says: the same in plain English, for `Rules.explain`, violations and clashes.
        is_external: whether it comes from a file, link or store, so that runs have a default time limit.

    Raises:
        InvalidRules: something that may not stand in such a text; the message shows where.
    """

    text: str
    says: str = ""
    is_external: bool = field(default=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("text", "says"):
            if not isinstance(getattr(self, name), str):
                raise InvalidRules(f"{name} of a constraint is text, not {show(getattr(self, name))}")
        if len(self.says) > LONGEST_WORDS:
            raise InvalidRules(
                f"says of a constraint must have at most {LONGEST_WORDS:,} characters, not {len(self.says):,}"
            )
        if len(self.text) > LONGEST:
            raise InvalidRules(f"a constraint has at most {LONGEST:,} characters, not {len(self.text):,}")
        if not self.tokens:
            raise InvalidRules(f"this constraint says nothing: {show(self.text)}")
        self._check_brackets()
        self._check_items()

    def __str__(self) -> str:
        return self.says or " ".join(self.text.split())

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The text's tokens, comments aside."""
        return tuple(_tokens(self.text, self._refuse))

    def _check_brackets(self) -> None:
        opened: list[Token] = []
        for token in self.tokens:
            if token.text in _OPENING:
                opened.append(token)
            elif token.text in _OPENING.values():
                if not opened or _OPENING[opened[-1].text] != token.text:
                    self._refuse(token.start, f"{token.text!r} closes nothing here")
                opened.pop()
        if opened:
            self._refuse(opened[-1].start, f"{opened[-1].text!r} is never closed")

    def _check_items(self) -> None:
        begins, before = True, ""
        for token in self.tokens:
            if begins and self.has_items and token.text not in _ITEMS:
                self._refuse(token.start, f"an item begins with {', '.join(_ITEMS)}, not {show(token.text)}")
            if token.text in _ITEMS and not begins:
                inside_let = token.text == "constraint" and token.depth > 0 and before in ("{", ";", ",")
                if not inside_let:
                    self._refuse(token.start, f"{token.text!r} begins an item, and cannot stand here")
            begins = token.text == ";" and token.depth == 0
            if begins and not self.has_items:
                self._refuse(token.start, "one expression has no ';'; several are items: constraint ...;")
            before = token.text

    @property
    def has_items(self) -> bool:
        """Whether the text is items, not one expression."""
        return self.tokens[0].text in _ITEMS

    @cached_property
    def defined(self) -> frozenset[str]:
        """The predicates and functions that the text defines."""
        return frozenset(
            token.text
            for before, token, _ in self._threes()
            if not token.depth and token.kind == "word" and before in ("predicate", ":")
        )

    @cached_property
    def _bound(self) -> frozenset[str]:
        """The names that the text declares: of generators, in ``let``, and of parameters."""
        found = set()
        run: list[str] = []
        for before, token, after in self._threes():
            if token.kind == "word":
                run.append(token.text)
                if before == ":":
                    found.add(token.text)
                if after == "in":
                    found.update(run)
            elif token.text != ",":
                run = []
        return frozenset(found)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words that the text does not declare; any word before ``[`` is an array of the models."""
        return frozenset(
            token.text
            for _, token, after in self._threes()
            if token.kind == "word"
            and token.text not in self.defined
            and (after == "[" or token.text not in self._bound)
        )

    def _threes(self) -> Iterator[tuple[str, Token, str]]:
        words = [token.text for token in self.tokens]
        return zip(["", *words], self.tokens, [*words[1:], ""], strict=False)

    @cached_property
    def has_variables(self) -> bool:
        """Whether the text may declare variables of its own, so that a board may come more than once."""
        return any(token.text == "var" for token in self.tokens)

    def check_names(self, known: Mapping[str, str], terrains: Iterable[str] | None = None) -> None:
        """Refuse names that neither the text nor the models (*known*: each name, and where) declare.

        A name in capitals may be one of the *terrains* that a layout adds (``LAKE``); it is let through where
        *terrains* is None, for the layout is not known yet.

        Raises:
            InvalidRules: with the place, and the name that may be meant.
        """
        for _, token, after in self._threes():
            if token.kind != "word" or token.text in known or token.text in self.defined:
                continue
            if after == "(":
                if token.text not in FUNCTIONS and token.text not in GLOBALS:
                    meant = did_you_mean(token.text, [*FUNCTIONS, *GLOBALS, *self.defined])
                    self._refuse(token.start, f"no function {show(token.text)} is known here{_and(meant)}")
            elif token.text not in self._bound and token.text not in (terrains or ()):
                capital = _CAPITALS.fullmatch(token.text) is not None
                if terrains is None and capital:
                    continue
                names = [*known, *(terrains or ())]
                near = [name for name in names if name.isupper()] if capital else names
                meant = did_you_mean(token.text, near)
                self._refuse(token.start, f"unknown name {show(token.text)}{_and(meant)}")

    def about(self, known: Mapping[str, str]) -> tuple[str, ...]:
        """Return the parts of a board that the names in the text depend on, or terrain if there are none."""
        found: set[str] = set()
        for name in self.names:
            found.update(PARTS.get("board" if name in _OF_TERRAIN else known.get(name, ""), ()))
        parts = ("terrain", "markers", "harbors", "grounds")
        return tuple(each for each in parts if each in found) or ("terrain",)

    def refusal(self, start: int, why: str) -> InvalidRules:
        """Return the error that shows a place in the text."""
        before = self.text[:start]
        number = before.count("\n") + 1
        column = start - (before.rfind("\n") + 1)
        line = self.text.split("\n")[number - 1].rstrip("\r")
        shown = line[max(0, column - 60) : column + 60]
        caret = " " * min(column, 60) + "^"
        says = f" ({self.says})" if self.says else ""
        return InvalidRules(
            f"the constraint{says}, line {number}, column {column + 1}: {why}\n  {shown}\n  {caret}"
        )

    def _refuse(self, start: int, why: str) -> NoReturn:
        raise self.refusal(start, why)


def _and(meant: str) -> str:
    return f"; {meant.strip()}" if meant else ""


def terrain_words(codes: Mapping[str, int]) -> dict[str, int]:
    """Return the terrains of a layout as they stand in a text, each with its code.

    >>> terrain_words({"castle-knights": 9})
    {'CASTLE_KNIGHTS': 9}
    """
    return {name.upper().replace("-", "_"): code for name, code in codes.items()}


@dataclass(frozen=True)
class OwnText:
    """Constraints as one text for MiniZinc, and the way back from its lines to theirs.

    Attributes:
        constraints: the constraints.
        text: the text.
        places: for each token its line and column in the text, whose it is, and where it begins there.
    """

    constraints: tuple[Constraint, ...]
    text: str
    places: tuple[tuple[tuple[int, int], Constraint, int], ...]

    def refused(self, line: int, column: int, why: str) -> InvalidRules:
        """Return the error for what MiniZinc says of a place in `text`."""
        found = max(0, bisect_right([place for place, _, _ in self.places], (line, column)) - 1)
        _, constraint, start = self.places[found]
        return constraint.refusal(start, _RENAMED.sub("", why))

    def misread(self, *_: object) -> NoReturn:
        """Raise the error for a text whose tokens are not those of the constraints."""
        raise self.failed("change their meaning when they are joined")

    def failed(self, why: str) -> InvalidRules:
        """Return the error for what cannot be told from one place."""
        return InvalidRules(f"these constraints {why}: " + "; ".join(map(str, self.constraints)))


def read_constraints(value: object) -> tuple[Constraint, ...]:
    """Return constraints given as a list of `Constraint`s, texts, or mappings of ``text`` and ``says``.

    Raises:
        InvalidRules: anything else.
    """
    if isinstance(value, (str, bytes, Mapping, Constraint)) or not isinstance(value, Iterable):
        raise InvalidRules(f"constraints are a list of Constraints or MiniZinc texts, not {show(value)}")
    found = []
    for each in value:
        said = {"text": each} if isinstance(each, str) else each
        if isinstance(said, Mapping) and "text" in said and not set(said) - {"text", "says"}:
            found.append(Constraint(**said))
        elif isinstance(said, Constraint):
            found.append(said)
        else:
            raise InvalidRules(f"a constraint has text, and may have says, not {show(each)}")
    return tuple(found)


def own_text(
    constraints: Sequence[Constraint], known: Mapping[str, str], codes: Mapping[str, int]
) -> OwnText | None:
    """Return constraints as one text, None where there are none.

    Args:
        constraints: the constraints.
        known: the names that the models declare, each with the model that does.
        codes: the terrains of the layout with their codes.
    """
    if not constraints:
        return None
    words = {token.text for each in constraints for token in each.tokens if token.kind == "word"}
    files = {GLOBALS[word] for word in words if word in GLOBALS}
    used = frozenset[str]().union(*(each.names for each in constraints))
    files.update(f"{known[name]}.mzn" for name in used if known.get(name) in MEASURES)
    added = {name: code for name, code in terrain_words(codes).items() if name in words - set(known)}
    lines = [f'include "{file}";' for file in sorted(files)]
    lines += [f"int: {name} = {code};" for name, code in added.items()]
    first_line = len(lines)
    places: list[tuple[tuple[int, int], Constraint, int]] = []
    emitted: list[str] = []
    for number, each in enumerate(constraints):
        before, after = (
            ("", "" if each.tokens[-1].text == ";" else ";") if each.has_items else ("constraint (", ");")
        )
        lines += [before, ""]
        emitted += before.split()
        end = 0
        for token in each.tokens:
            gap = each.text[end : token.start]
            lines += [""] * gap.count("\n")
            lines[-1] += " " if gap else ""
            places.append(((len(lines), len(lines[-1]) + 1), each, token.start))
            emitted.append(f"{token.text}__own{number}" if token.text in each.defined else token.text)
            lines[-1] += emitted[-1]
            end = token.start + len(token.text)
        lines.append(after)
        emitted += after
    own = OwnText(tuple(constraints), "\n".join(lines) + "\n", tuple(places))
    # MiniZinc reads all constraints as one text, so no token of one may change how another is read.
    joined = "\n".join(lines[first_line:])
    if [token.text for token in _tokens(joined, own.misread)] != emitted:
        own.misread()
    return own


# ---- Patterns

PATTERN = "pattern"
"""The field of `Rules`."""

OPEN = "x"
_TILE = re.compile(r"([a-z])([0-9+]*)")
_MARKER = f"(?:{'|'.join(map(str, MARKERS))})"
_ROW = re.compile(rf"(?:[a-z](?:0|{_MARKER}(?:\+{_MARKER})?)?)+")
_NO_MARKER = 0


@dataclass(frozen=True)
class Pattern:
    """What a pattern gives on a layout.

    Attributes:
        terrain: per tile, its terrain, or None where it is open.
        markers: per tile, its marker, 0 where it has none, or None where that is open.
    """

    terrain: tuple[str | None, ...]
    markers: tuple[int | None, ...]


def read_pattern(value: object) -> str | None:
    """Return a pattern's text without space around it, once it is one on some layout.

    Raises:
        InvalidRules: no pattern.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidRules(f"a pattern is text like 'xxx/xxxx/xxdxx/xx6xx/oxx', not {show(value)}")
    text = value.strip()
    rows, _, _ = text.partition("@")
    if len(text) > LONGEST:
        raise InvalidRules(f"a pattern has at most {LONGEST:,} characters, not {len(text):,}")
    if ":" in rows or " " in rows:
        raise InvalidRules(f"a pattern has no harbors, as {show(text)} has: the rule harbors says which")
    for number, row in enumerate(rows.split("/"), start=1):
        if not _ROW.fullmatch(row):
            raise InvalidRules(
                f"row {number} of the pattern, {show(row)}, is not small letters, x for an open tile, each "
                f"with its marker straight after it, one of {listed(MARKERS)}, or 0 for none"
            )
    return text


@lru_cache(maxsize=256)
def pattern_on(text: str, layout: Layout) -> Pattern:
    """Return what a pattern gives on *layout*.

    Raises:
        InvalidRules: a pattern of another layout, or pieces that cannot be there.
    """
    rows_text, at, name = text.partition("@")
    rows = [_TILE.findall(row) for row in rows_text.split("/")]
    if at and name.removeprefix("own:") != layout.name:
        raise InvalidRules(f"the pattern {show(text)} is of the layout {show(name)}, not {show(layout.name)}")
    if tuple(map(len, rows)) != layout.rows:
        here, wanted = ("-".join(str(n) for n in lengths) for lengths in (map(len, rows), layout.rows))
        raise InvalidRules(
            f"the pattern {show(text)} has rows of {here} tiles; {show(layout.name)} has {wanted}"
        )
    if not at and layout.name not in CLASSIC and layout.rows in (LAYOUTS[name].rows for name in CLASSIC):
        raise InvalidRules(f"the pattern {show(text)} is of another layout; end it with @{layout.name}")
    cells = [
        _cell(letter, digits, tile, number, layout)
        for tile, (number, letter, digits) in enumerate(
            (number, letter, digits) for number, row in enumerate(rows, 1) for letter, digits in row
        )
    ]
    found = Pattern(tuple(terrain for terrain, _ in cells), tuple(marker for _, marker in cells))
    _check_pieces(found, layout)
    return found


def _cell(letter: str, digits: str, tile: int, row: int, layout: Layout) -> tuple[str | None, int | None]:
    where = f"{letter}{digits} in row {row} of the pattern"
    if letter != OPEN and letter not in layout.letters:
        allowed = listed(f"{key} {name}" for key, name in layout.letters.items())
        raise InvalidRules(f"unknown letter in {where}; letters are x for any terrain, {allowed}")
    terrain = None if letter == OPEN else layout.letters[letter]
    first, _, second = digits.partition("+")
    marker = int(first) if first else None
    beside = layout.second_marker.get(marker or 0, 0)
    if second and second != str(beside):
        raise InvalidRules(f"{where}: beside a {marker} lies {beside or 'nothing'} on {show(layout.name)}")
    bare = tile in layout.unmarked
    if marker and (bare or terrain in layout.unnumbered):
        raise InvalidRules(f"{where}: {'this tile' if bare else terrain} carries no marker")
    if marker == _NO_MARKER and terrain is not None and not bare and terrain not in layout.unnumbered:
        raise InvalidRules(f"{where}: {terrain} always carries a marker on {show(layout.name)}")
    fixed, there = layout.fixed_terrain.get(tile), layout.fixed_markers.get(tile)
    if terrain is not None and fixed not in (None, terrain):
        raise InvalidRules(f"{where}: the tile is fixed as {fixed} on {show(layout.name)}")
    if marker and there not in (None, marker):
        raise InvalidRules(f"{where}: the marker is fixed as {there} on {show(layout.name)}")
    most = MOST_PIPS if there is not None else layout.pips_max.get(tile, MOST_PIPS)
    if marker and layout.marker_pips(marker) > most:
        raise InvalidRules(f"{where}: the tile carries markers of at most {most} pips on {show(layout.name)}")
    return terrain, marker


def _check_pieces(pattern: Pattern, layout: Layout) -> None:
    for what, given, box in (
        ("tiles of", pattern.terrain, layout.terrain_counts),
        ("markers", pattern.markers, layout.marker_supply),
    ):
        for piece, n in Counter(filter(None, given)).items():
            if n > (most := box.get(piece, 0)):  # type: ignore[call-overload]
                said = f"the pattern has {n} {what} {piece}; the box of {show(layout.name)} holds {most}"
                raise InvalidRules(said)


def allowed_terrain(pattern: Pattern, tile: int, layout: Layout) -> frozenset[str]:
    """Return the terrains that the pattern leaves for a tile."""
    terrain, marker = pattern.terrain[tile], pattern.markers[tile]
    every = frozenset(layout.all_terrains)
    if terrain is not None:
        return frozenset({terrain})
    if marker is None or tile in layout.unmarked:
        return every
    return every & layout.unnumbered if marker == _NO_MARKER else every - layout.unnumbered


def check_terrain(text: str, terrain: Sequence[str], layout: Layout) -> None:
    """Raise `InvalidBoard` if a terrain arrangement contradicts the pattern, and name the tile."""
    pattern = pattern_on(text, layout)
    for tile, name in enumerate(terrain):
        allowed = allowed_terrain(pattern, tile, layout)
        if name not in allowed:
            wanted = " or ".join(sorted(allowed))
            raise InvalidBoard(
                f"tile {tile} must be {wanted}, as the pattern {show(text)} has it, not {name}; change either"
            )


def pattern_restrictions(text: str, layout: Layout, subject: str) -> list[Restriction]:
    """Return what exact counts have to keep of a pattern: of its ``"terrain"``, or of its ``"markers"``."""
    pattern = pattern_on(text, layout)
    if subject == "terrain":
        barred = {
            (tile, name)
            for tile in range(layout.n_tiles)
            for name in set(layout.all_terrains) - allowed_terrain(pattern, tile, layout)
        }
        return [Barred(frozenset(barred))] if barred else []
    fixed = tuple(
        (tile, marker)
        for tile, marker in enumerate(pattern.markers)
        if marker is not None and not (marker == _NO_MARKER and tile in layout.unmarked)
    )
    return [FixedMarkers(fixed)] if fixed else []


def only_about(text: str, subject: str) -> str | None:
    """Return a pattern with only what it says of terrain, or of markers; None where that is nothing."""
    rows, at, name = text.partition("@")

    def cut(match: re.Match[str]) -> str:
        letter, digits = match[1], match[2]
        if subject == "markers":
            return OPEN + digits
        return letter if letter != OPEN else letter + digits  # a marker on an open tile keeps deserts off

    kept = _TILE.sub(cut, rows)
    return None if not kept.replace("/", "").strip(OPEN) else kept + at + name


def pattern_violations(text: str, board: Board, numbered: bool) -> Iterator[Violation]:
    """Yield each tile that differs from the pattern; markers only where the board is *numbered*."""
    pattern = pattern_on(text, board.layout)
    for tile, (terrain, marker) in enumerate(zip(pattern.terrain, pattern.markers, strict=True)):
        name, here = board.terrain[tile], board.markers[tile]
        if terrain is not None and name != terrain:
            yield Violation(PATTERN, f"tile {tile} is {name}, and {terrain} in the pattern", (tile,))
        elif numbered and marker is not None and here != (marker or None):
            wanted = f"the marker {marker}" if marker else "no marker"
            yield Violation(
                PATTERN, f"tile {tile} has {here or 'no marker'}, and {wanted} in the pattern", (tile,)
            )
