"""Models of several tests, and their samples."""

from typing import Any

from catan_cp import sample_solutions

QUEENS = """include "alldifferent.mzn";
int: n; array[1..n] of var 1..n: q;
constraint alldifferent(q);
constraint alldifferent([q[i] + i | i in 1..n]); constraint alldifferent([q[i] - i | i in 1..n]);"""
MAGIC = """include "alldifferent.mzn";
array[1..3, 1..3] of var 1..9: s; constraint alldifferent(array1d(s));
constraint forall(i in 1..3)(sum(row(s, i)) = 15 /\\ sum(col(s, i)) = 15);
constraint sum(i in 1..3)(s[i, i]) = 15 /\\ sum(i in 1..3)(s[i, 4 - i]) = 15;"""
PROJECTED = "var 1..4: x; var 1..9: y; constraint y > x; var 0..2: half = x div 2;"
NAMES = "var -1..5: _x; var 1..2: 'a+b'; var 1..2: 'constraint;';"
NESTED = """array[int] of tuple(set of int): x = [({1},), (2,)];
record(array[1..2] of tuple(array[1..2] of var 0..1): w): r; var 0..2: z;"""
CONSTANTS = """enum E = {A, B}; var E: x :: output; string: s :: output = "s"; opt set of E: o :: output = E;
array[int] of opt set of E: p :: output = [E]; set of int: q :: output = 1..2; float: f :: output = 1.5;
int: late :: output_only :: add_to_output = fix(x) + 1;"""
OPTIONAL = "enum E = {A, B}; var opt 1..3: x; array[1..2] of var opt bool: y; var opt E: z;"
RECORDS = """array[1..2] of record(var 1..2: e, tuple(var bool, var set of 2..3): 'a+b'): r;
tuple(var 1..2, array[1..2] of record(var 1..2: c)): t; constraint r[1].e < r[2].e;"""
LARGE_SUMS = "array[1..4] of var 1..6: t; constraint sum(i in 1..4)(t[i] * 300000000) <= 2400000000;"


def sample(model, n, *data, **options) -> list[Any]:
    """Return samples without progress."""
    return list(sample_solutions(model, n, *data, **{"seed": 1, "progress": False} | options))
