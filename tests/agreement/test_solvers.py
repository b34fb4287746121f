"""Lists and repairs of solvers, compared with the boards that brute force lists."""

import random
from collections import Counter

import pytest

import catan_cp as cp
from tests.agreement import table
from tests.agreement.comparison import Comparison
from tests.brute_force import Filling

pytestmark = pytest.mark.solver


@pytest.mark.parametrize("name", table.LISTED)
def test_solvers_agree_with_brute_force(name):
    comparison = Comparison(table.case(name), random.Random(1))
    for part in (comparison.whole, comparison.distinct_boards, comparison.check, comparison.repair):
        part()
    assert comparison.case.boards and not comparison.differences, "\n".join(comparison.differences)


@pytest.mark.parametrize("name", [*table.LISTED][::3])
def test_gecode_agrees_with_brute_force(name):
    case = table.case(name)
    boards = cp.enumerate_boards(Comparison(case, random.Random(1)).rules, case.layout, solver="gecode")
    assert Counter(map(Filling.of, boards)) == Counter(case.boards)
