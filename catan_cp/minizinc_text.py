r"""The tokens and items of MiniZinc text.

>>> [token.text for token in tokens('output ["\\(show(x) ++ "%;")"]; % the end') if token.is_code]
['output', '[', '"\\(', 'show', '(', 'x', ')', '++', '"%;"', ')"', ']', ';']
>>> [str(item) for item in items("var 1..3: x; % a comment;\nconstraint x > 1")]
['var 1..3: x', 'constraint x > 1']
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f]+)
      | (?P<comment>%[^\r\n]*|/\*.*?(?:\*/|\Z))
      | (?P<number>[0-9]+(?:\.[0-9]+)?[A-Za-z0-9_]*)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<quoted>'[^'\n]*')
      | (?P<sign><->|->|<-|\\/|/\\|<=|>=|==|!=|\.\.|\+\+|::|\*/|.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_STRING = re.compile(r'(?:\\[^(]|[^"\\])*(?P<end>"|\\\(|\\?\Z)', re.DOTALL)
r"""The rest of a string, up to its end or to the start of an expression ``\(``."""
CLOSING = {"(": ")", "[": "]", "{": "}"}
"""The closing bracket of each opening one."""


class Token(NamedTuple):
    r"""A part of a text.

    Attributes:
        kind: ``space``, ``comment``, ``number``, ``word``, ``keyword``, ``quoted`` (an identifier), ``sign``,
            or ``string``: a string, or a part of one before, between or after expressions ``\(...)``.
        text: the characters.
        start: the index of the first character.
        depth: the number of brackets and expressions in strings that are open after the token.
    """

    kind: str
    text: str
    start: int
    depth: int

    @property
    def end(self) -> int:
        """The index after the last character."""
        return self.start + len(self.text)

    @property
    def is_code(self) -> bool:
        """False for space and comments."""
        return self.kind not in ("space", "comment")


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, which together are the text. Any text has tokens, also an invalid one."""
    closing, place = list[str](), 0
    while (match := _TOKEN.match(text, place)) is not None:
        start, part, kind, place = place, match[0], str(match.lastgroup), match.end()
        continues = bool(closing) and closing[-1] == ')"' and part == ")"
        if part == '"' or continues:
            rest = _STRING.match(text, place)
            assert rest is not None  # it ends at the end of the text at the latest
            place, kind = rest.end(), "string"
            part = text[start:place]
            if continues:
                closing.pop()
            if rest["end"] == "\\(":
                closing.append(')"')
        elif part in CLOSING:
            closing.append(CLOSING[part])
        elif closing and part == closing[-1]:
            closing.pop()
        yield Token(kind, part, start, len(closing))


def bare(text: str) -> str:
    """Return a text with one space for comments and blank space."""
    return " ".join("".join(token.text if token.is_code else " " for token in tokens(text)).split())


class Item(NamedTuple):
    """An item of a model, with the comments and the space before it and the semicolon after it."""

    tokens: tuple[Token, ...]

    def __str__(self) -> str:
        """The text without comments and semicolon."""
        text = "".join(" " if token.kind == "comment" else token.text for token in self.tokens)
        return text.removesuffix(";").strip()

    @property
    def before(self) -> str:
        """The comments and the space before the item."""
        return "".join(token.text for token in takewhile(lambda token: not token.is_code, self.tokens))

    @property
    def code(self) -> list[Token]:
        """The tokens without space, comments and semicolon."""
        return [token for token in self.tokens if token.is_code and (token.text, token.depth) != (";", 0)]

    @property
    def kind(self) -> str:
        """The first word, such as ``constraint``."""
        return next((token.text for token in self.code), "")

    @property
    def included(self) -> str | None:
        """The file that the item includes, or None."""
        code = self.code
        return code[1].text[1:-1] if self.kind == "include" and len(code) == 2 else None

    @property
    def declared(self) -> str | None:
        """The name that the item declares, or None."""
        if self.kind in ("constraint", "include", "output", "solve"):
            return None
        names = [token.text for token in self.code]
        if self.kind in ("predicate", "test"):
            return next(iter(names[1:]), None)
        outside = (n for n, token in enumerate(self.code[:-1]) if token.text == ":" and not token.depth)
        return next((names[n + 1] for n in outside), None)


def items(text: str) -> Iterator[Item]:
    """Yield the items of a model's text."""
    parts = list[Token]()
    for token in tokens(text):
        parts.append(token)
        if token.text == ";" and not token.depth:
            yield Item(tuple(parts))
            parts = []
    if any(token.is_code for token in parts):
        yield Item(tuple(parts))
