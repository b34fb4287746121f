"""Counts of any MiniZinc model, by lists and by counters, beside known counts and those of Gecode."""

from typing import Any

import pytest

from catan_cp import count_solutions
from tests.anymodel.models import (
    CONSTANTS,
    LARGE_SUMS,
    MAGIC,
    NAMES,
    NESTED,
    OPTIONAL,
    PROJECTED,
    QUEENS,
    RECORDS,
)
from tests.random_models import PARTS, differences, listed_by_gecode, random_model

pytest.importorskip("pyganak", reason="needs the extra count")


@pytest.mark.parametrize("kind", PARTS)
def test_random_model_counts(kind):
    text = random_model(kind, 0)
    assert count_solutions(text, timeout=300) == listed_by_gecode(text), text


@pytest.mark.slow
def test_more_random_model_counts():
    """``python -m tests.random_models`` compares two thousand."""
    assert differences(range(1, 8)) == []


KNOWN: list[tuple[str, Any, int]] = [
    (QUEENS.replace("int: n", "int: n = 6"), None, 4),
    (QUEENS.replace("int: n", "int: n = 8"), "q", 92),
    (MAGIC, ["s"], 8),
    *((PROJECTED, show, number) for show, number in ((None, 26), (["x"], 4), (["half"], 3), ("half", 3))),
    ("var 3..3: x;", None, 1),
    ("var 1..2: x; constraint x > 2;", None, 0),
    ("var 1..2: x; constraint forall(y in 1..3)(x != y);", [], 0),
    ("var 1..3: z; constraint let { var 1..2: q :: output } in z > q;", None, 2),
    ("any: x = [[1, 2, 3], [4, 5, 6]]; any: y = x[1..1]; var 1..4: z;", ["y", "z"], 4),
    (NESTED, ["r", "z"], 48),
    (CONSTANTS, None, 2),
    *((NAMES, show, number) for show, number in ((None, 28), ("_x", 7), (["a+b"], 2))),
    ("array[1..3] of var 1..3: x; var 3..4: i; constraint x[i] = 1;", None, 9),
    (OPTIONAL, None, 4 * 9 * 3),
    (OPTIONAL + "constraint occurs(x) -> deopt(x) > 2; constraint absent(z);", None, 2 * 9),
    (RECORDS, None, 8 * 8 * 8),
    ("array[1..2] of array[1..2] of var 1..2: x;", None, 16),
    ("var set of 1..3: s; var set of -1..1: u; constraint s < u;", None, 7),
]
COUNTED = [
    ("array[1..70] of var bool: b;", None, 2**70),
    (LARGE_SUMS, None, 70),  # as with sum(t) <= 8
    (
        """include "alldifferent.mzn"; array[1..18] of var 1..20: x; constraint alldifferent(x);
        constraint forall(i in 1..17)(x[i] <= x[i + 1]);""",
        None,
        190,  # the two numbers left out
    ),
]
"""Counted only: with too many solutions, or with too large numbers for a solver."""
LISTED = [
    ("var 1..4: x; float: k = 0.5; constraint x * k <= 1.0;", None, 2),
    ("var 1..4: x; var 1..3: z; constraint sqrt(x + z) < 2.1;", ["x", "z"], 6),
    ("var 1..9: x; constraint x * 0.1 = 0.3;", None, 1),
    ("var 1..4: x; var float: f = x / 2 :: no_output; constraint f > 1.2;", "x", 2),
    ("var 1..4: x; var float: f; constraint f > 1.2; constraint f = x / 2;", "x", 2),
    ("tuple(var 1..2, var float): t; constraint t.2 = 1.5;", None, 2),
    (
        """include "gecode.mzn"; array[1..3] of var 1..3: x;
        constraint gecode_among_seq_int(x, {1}, 2, 1, 1);""",
        None,
        6,  # 1 is in the middle, or at both ends only
    ),
]
"""Listed only: floats, and constraints of Gecode alone."""


@pytest.mark.parametrize(("text", "show", "number"), KNOWN + LISTED)
def test_lists_have_known_counts(text, show, number, no_counter):
    assert count_solutions(text, show=show) == number


@pytest.mark.parametrize(("text", "show", "number"), KNOWN + COUNTED)
def test_counters_have_known_counts(text, show, number, only_counters):
    assert count_solutions(text, show=show) == number
