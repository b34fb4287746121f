"""The clauses of each FlatZinc constraint, for all values of its variables."""

import math
import random
import re
import subprocess
import time
from itertools import combinations, product

import pytest

from catan_cp import InvalidArgument, SolverTimeout

# Inner, because count_solutions would compile each of the 56 constraints and start a counter.
from catan_cp.anymodel.clauses import ClauseWriter

DOMAINS = {
    "x": ("-2..3", range(-2, 4)), "y": ("{-1,0,2}", (-1, 0, 2)), "z": ("0..4", range(5)),
    "v": ("{2,5}", (2, 5)), **dict.fromkeys("abc", ("bool", (0, 1))),
}  # fmt: skip
MEANINGS = {
    "int_eq(x,y)": "x == y", "int_ne(x,y)": "x != y", "int_le(x,y)": "x <= y", "int_lt(x,y)": "x < y",
    "int_eq_reif(x,y,a)": "a == (x == y)", "int_le_reif(z,x,a)": "a == (z <= x)", "int_lt(x,2)": "x < 2",
    "int_lin_le([2,-1,1],[x,y,z],2)": "2 * x - y + z <= 2",
    "int_lin_eq([1,2,-1],[x,v,z],3)": "x + 2 * v - z == 3",
    "int_lin_ne([1,1],[x,z],2)": "x + z != 2", "int_lin_ne_reif([1,2],[x,y],1,a)": "a == (x + 2 * y != 1)",
    "int_lin_le_reif([3,-2],[z,v],1,b)": "b == (3 * z - 2 * v <= 1)", "int_lin_eq([1],[x],7)": "False",
    "int_lin_le([0,1],[x,z],2)": "z <= 2",
    "int_lin_le_imp([1,2],[x,y],1,a)": "not a or x + 2 * y <= 1", "int_eq_imp(x,z,c)": "not c or x == z",
    "bool_lin_eq([1,2],[a,b],x)": "a + 2 * b == x", "bool_lin_le([1,1,1],[a,b,c],2)": "a + b + c <= 2",
    "int_plus(x,y,z)": "x + y == z", "int_times(x,y,z)": "x * y == z", "int_abs(x,z)": "abs(x) == z",
    "int_min(x,y,z)": "min(x, y) == z", "int_max(x,y,z)": "max(x, y) == z",
    "int_div(x,y,z)": "y != 0 and int(x / y) == z", "int_mod(x,y,z)": "y != 0 and math.fmod(x, y) == z",
    "int_div(z,y,x)": "y != 0 and int(z / y) == x", "int_mod(x,v,x)": "math.fmod(x, v) == x",
    "int_pow(x,y,z)": "(x != 0 or y >= 0) and int(float(x) ** y) == z", "int_pow_fixed(x,2,z)": "x * x == z",
    "bool_and(a,b,c)": "(a and b) == c", "bool_or(a,b,c)": "(a or b) == c", "bool_xor(a,b,c)": "(a ^ b) == c",
    "bool_xor(a,b)": "a != b", "array_bool_xor([a,b,c,true])": "(a + b + c) % 2 == 0",
    "bool_not(a,b)": "a != b",
    "bool_eq(a,b)": "a == b", "bool_le(a,b)": "a <= b", "bool_lt(a,b)": "a < b", "bool2int(a,x)": "a == x",
    "bool_eq_reif(a,b,c)": "c == (a == b)", "bool_clause([a,b],[c])": "a or b or not c",
    "bool_clause_reif([a],[b],c)": "c == (a or not b)", "array_bool_and([a,b],c)": "c == (a and b)",
    "array_bool_or([a,b],c)": "c == (a or b)", "array_bool_or([a,b],true)": "a or b",
    "set_in(x,{0,2,9})": "x in (0, 2)", "set_in_reif(x,-1..1,a)": "a == (-1 <= x <= 1)",
    "array_int_maximum(z,[x,y,1])": "z == max(x, y, 1)", "array_int_minimum(x,[z,y,v])": "x == min(z, y, v)",
    "array_int_element(x,[3,1,2],z)": "1 <= x <= 3 and (3, 1, 2)[x - 1] == z",
    "array_var_int_element(x,list,z)": "1 <= x <= 2 and (y, z)[x - 1] == z",
    "array_var_bool_element(x,[a,b],c)": "1 <= x <= 2 and (a, b)[x - 1] == c",
    "fzn_all_different_int([x,y,z])": "len({x, y, z}) == 3", "fzn_all_different_int([v,2])": "v == 5",
    "fzn_all_different_int([z,z])": "False",
    "array_bool_element(y,[false,true],c)": "1 <= y <= 2 and (y == 2) == c",
}  # fmt: skip


def contradicts(clauses, literals):
    """True if unit propagation of literals, which fix all variables, ends in a contradiction."""
    true = set(literals)
    if any(-literal in true for literal in true):
        return True
    changed = True
    while changed:
        changed = False
        for clause in clauses:
            if true.isdisjoint(clause):
                free = [literal for literal in clause if -literal not in true]
                if not free:
                    return True
                if len(free) == 1:
                    true.add(free[0])
                    changed = True
    return False


def written(constraint, more=""):
    lines = [f"var {kind}: {name};" for name, (kind, _) in DOMAINS.items()]
    lines += ["array [1..2] of var int: list = [y,z];", more, f"constraint {constraint} :: domain;"]
    return ClauseWriter("\n".join([*lines, "solve satisfy;"]))


def names_in(constraint):
    return sorted({word for word in re.findall(r"\w+", constraint.replace("list", "y,z")) if word in DOMAINS})


def solutions_of(constraint):
    """Yield each assignment of the variables, and True if it has the meaning of the constraint."""
    names, meaning = names_in(constraint), compile(MEANINGS[constraint], constraint, "eval")
    for values in product(*(DOMAINS[name][1] for name in names)):
        yield values, bool(eval(meaning, {"math": math, **dict(zip(names, values, strict=True))}))


@pytest.mark.parametrize("constraint", MEANINGS)
def test_clauses_of_constraint(constraint):
    writer = written(constraint)
    writer.encode_all()
    for values, is_solution in solutions_of(constraint):
        pairs = zip(names_in(constraint), values, strict=True)
        literals = [writer.var(name)[value] for name, value in pairs]
        assert contradicts(writer.clauses, literals) != is_solution, values


@pytest.mark.solver
@pytest.mark.parametrize("name", ["gecode", "chuffed"])
@pytest.mark.parametrize("constraint", MEANINGS)
def test_solver_lists_encoded_constraint(constraint, name, installed, tmp_path):
    """A program that lists other solutions may not be used for models with the constraint."""
    names = names_in(constraint)
    lines = [f"var {DOMAINS[variable][0]}: {variable} :: output_var;" for variable in names]
    lines += ["array [1..2] of var int: list = [y,z];"] if "list" in constraint else []
    text = "\n".join([*lines, f"constraint {constraint};", "solve satisfy;\n"])
    if name == "gecode":
        text = text.replace("fzn_all_different_int", "all_different_int")
    (tmp_path / "model.fzn").write_text(text)
    command = [installed[name].executable, "-a", tmp_path / "model.fzn"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if result.returncode != 0 or not result.stdout.endswith("==========\n"):
        return  # The program does not know the constraint.
    values = {"true": 1, "false": 0}
    rows = [dict(re.findall(r"(\w) = (\S+);", part)) for part in result.stdout.split("----------\n")[:-1]]
    listed = {tuple(int(values.get(row[word], row[word])) for word in names) for row in rows}
    assert listed == {values for values, is_solution in solutions_of(constraint) if is_solution}


@pytest.mark.parametrize(("kind", "size"), [("1..3", 3), ("-3..13", 17), ("{1,5,9,11}", 4), ("1..60", 60)])
def test_number_has_exactly_one_value(kind, size):
    writer = ClauseWriter(f"var {kind}: n;")
    literals = list(writer.var("n").values())
    assert len(literals) == size
    assert contradicts(writer.clauses, [-literal for literal in literals])
    for literal in literals:
        rest = [-partner for partner in literals if partner != literal]
        assert not contradicts(writer.clauses, [literal, *rest])
    for pair in random.Random(1).sample(list(combinations(literals, 2)), size):
        assert contradicts(writer.clauses, pair)


def test_declared_values_and_shown_variables():
    writer = written("catan_cp_integers([x,4,v])", "var 1..9: n :: output_var = x;\nvar bool: t = true;")
    writer.encode_all()
    assert writer.shown(["x", "v"]) == {
        abs(literal) for literal in (*writer.var("x").values(), writer.var("v")[5])
    }
    for n, x in product(range(1, 10), range(-2, 4)):
        assert contradicts(writer.clauses, [writer.var("n")[n], writer.var("x")[x]]) == (n != x)
    assert contradicts(writer.clauses, [writer.var("t")[0]])


def test_encoding_time_is_linear():
    """A variable of 400,000 values once took 22 times as long as one of 100,000."""
    sizes = []
    for size in (10_000, 40_000):
        writer = ClauseWriter(f"var 1..{size}: n;")
        start = time.process_time()
        writer.var("n")
        sizes.append((len(writer.clauses), time.process_time() - start))
    (few, quick), (many, slow) = sizes
    assert 3.9 < many / few < 4.1
    assert slow < 8 * quick


@pytest.mark.parametrize(
    "flatzinc",
    [
        "var 0..1000000000: n; constraint int_le(n,3);",
        "var 1..3000: a;\nvar 1..3000: b;\nvar 1..9000000: c;\nconstraint int_times(a,b,c);",
        "var -9000000000000000000..9000000000000000000: n;\nconstraint int_le(n,3);",
    ],
)
def test_large_formulas_rejected_early(flatzinc):
    start = time.process_time()
    with pytest.raises(InvalidArgument, match="more than 5,000,000 clauses"):
        ClauseWriter(flatzinc.replace("; c", ";\nc")).encode_all()
    assert time.process_time() - start < 2


def test_time_limit_holds_within_constraint():
    def stop() -> None:
        if len(writer.clauses) > 3:
            raise SolverTimeout("late")

    writer = ClauseWriter("var 1..60000: n;\nconstraint int_le(n,3);", stop)
    with pytest.raises(SolverTimeout):
        writer.encode_all()
    assert len(writer.clauses) < 5000


def test_squares_need_one_clause_per_value():
    writer = ClauseWriter("var 1..90: a;\nvar 1..8100: s;\nconstraint int_times(a,a,s);")
    writer.vars(["a", "s"])
    before = len(writer.clauses)
    writer.encode_all()
    assert len(writer.clauses) - before == 90
