"""Pygments lexer for the part of MiniZinc that the models use."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

_KEYWORDS = (
    "annotation", "constraint", "diff", "div", "else", "elseif", "endif", "if", "in", "include", "let",
    "minimize", "not", "output", "predicate", "satisfy", "solve", "then", "union", "where",
)  # fmt: skip
_TYPES = ("array", "bool", "float", "int", "of", "set", "string", "var")
_FUNCTIONS = (
    "alldifferent", "array1d", "array2d", "bool2int", "card", "exists", "forall", "global_cardinality",
    "index_set", "index_set_1of2", "int_search", "inverse", "lex_lesseq", "max", "min", "reverse", "sum",
)  # fmt: skip


class MiniZincLexer(RegexLexer):
    """Lexer of MiniZinc models."""

    name = "MiniZinc"
    aliases: ClassVar[list[str]] = ["minizinc"]
    filenames: ClassVar[list[str]] = ["*.mzn"]
    tokens: ClassVar[dict[str, list[tuple[object, object]]]] = {
        "root": [
            (r"\s+", Text),
            (r"%.*", Comment.Single),
            (r'"(?:\\.|[^"\\])*"', String),
            (words(_TYPES, r"\b", r"\b"), Keyword.Type),
            (words(_KEYWORDS, r"\b", r"\b"), Keyword),
            (words(("true", "false"), r"\b", r"\b"), Keyword.Constant),
            (words(_FUNCTIONS, r"\b", r"\b"), Name.Builtin),
            (r"[0-9]+", Number),
            (r"<->|->|/\\|\\/|\.\.|\+\+|::|!=|<=|>=|[-+*=<>]", Operator),
            (r"[A-Za-z_]\w*", Name),
            (r"[][(){},;:|]", Punctuation),
        ]
    }
