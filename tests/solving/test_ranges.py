"""The greatest number that a compiled model computes."""

import pytest

from catan_cp.solving.find import BACKENDS, INT32, find_solver
from catan_cp.solving.flatzinc import FlatZinc
from catan_cp.solving.ranges import exceeds, greatest_number

FIVE = "array [1..5] of int: c = [{0},{0},{0},{0},-{0}];\nvar -2..9: x;\nvar bool: b;\nvar {{1,7}}: y;\n"


@pytest.mark.parametrize(
    ("constraint", "number"),
    [
        ("int_lin_le(c,[x,x,x,y,b],3)", 100_000_000 * (9 * 3 + 7 + 1) + 3),
        ("int_lin_eq_reif([2,1],[y,x],4000000000,b)", 4_000_000_023),
        ("bool_lin_le([300000000],[b],-1)", 300_000_001),
        ("int_times(y,y,x)", 100_000_000),
        ("set_in(x,1..900000000000)", 900_000_000_000),
    ],
)
def test_bounds_of_sums_products_and_constants(constraint, number):
    assert (
        greatest_number(FlatZinc(f"{FIVE.format(100_000_000)}constraint {constraint};\nsolve satisfy;"))
        == number
    )


def test_numbers_within_range():
    flatzinc = FlatZinc("% 99999999999999\n" + FIVE.format(3) + "constraint int_lin_le(c,[x,x,x,y,b],3);")
    assert greatest_number(flatzinc) <= INT32
    assert exceeds(flatzinc, BACKENDS["chuffed"]) is None
    assert exceeds(FlatZinc("var int: n;"), BACKENDS["chuffed"]) == INT32
    assert exceeds(FlatZinc("var int: n;"), BACKENDS["gecode"]) is None


@pytest.mark.solver
def test_other_solvers_have_small_range():
    assert all(backend.largest is None for name, backend in BACKENDS.items() if name != "chuffed")
    assert find_solver("gecode").backend.largest is None
