"""The tokens and items of MiniZinc text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

# Screens of constraints and the parts of models rest on this inner reader of text.
from catan_cp.minizinc_text import bare, items, tokens

PIECES = [*"\"\\()[]{};%\n':x ", "\\(", "/*", "*/", "1..3"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_tokens_of_any_text_are_text(text):
    assert "".join(token.text for token in tokens(text)) == text
    assert all(text.startswith(token.text, token.start) and token.depth >= 0 for token in tokens(text))
    assert "".join("".join(token.text for token in item.tokens) for item in items(text)) in text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('output ["a;\\"\\(x[";"]);", "b"]; y', ['output ["a;\\"\\(x[";"]);", "b"]', "y"]),
        ('output ["\\("\\(1);" ++ "%");"]; % z;\ny', ['output ["\\("\\(1);" ++ "%");"]', "y"]),
        ("constraint 'a;b' > 1; /* c; */ solve satisfy", ["constraint 'a;b' > 1", "solve satisfy"]),
        ("let { int: a = 1; } in a; /* open ;", ["let { int: a = 1; } in a"]),
        ('include "a.mzn";;', ['include "a.mzn"', ""]),
    ],
)
def test_item_ends_at_outer_semicolon(text, parts):
    assert [str(item) for item in items(text)] == parts


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("array[1..2] of var {1, 2}: x :: output_only;", "x"),
        ("  function var int: f(int: n) = n;", "f"),
        ("predicate p(var int: x);", "p"),
        ("array[1..2] of int: y = [i: 1 | i in 1..2];", "y"),
        ("x = let { int: y = 1 } in y;", None),
        ("constraint x = 1;", None),
        ('include "a:b.mzn";', None),
    ],
)
def test_name_that_item_declares(text, name):
    assert [item.declared for item in items(text)] == [name]


def test_bare_text_ignores_comments():
    text = 'x = "% a  b";'
    assert bare(f"{text} % c\r\n% remark\r\n ") == bare('x = "% a b"; % c') == 'x = "% a b";'
