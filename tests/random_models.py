"""Small random MiniZinc models over many global constraints, and their counts by Gecode."""

import itertools
import json
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor

from catan_cp import count_solutions
from catan_cp.solving.find import find_solver


def some(source, n, low=0, high=3):
    return [source.randint(low, high) for _ in range(n)]


def domains(source, n, name="x"):
    """An array of variables, each with its own few values."""
    cells = []
    for i in range(1, n + 1):
        values = sorted(source.sample(range(-2, 5), source.randint(2, 4)))
        cells.append(f"constraint {name}[{i}] in {{{','.join(map(str, values))}}};")
    return f"array[1..{n}] of var -2..4: {name}; {' '.join(cells)}"


def table(s):
    rows = " | ".join(",".join(map(str, some(s, 3, -1, 3))) for _ in range(s.randint(2, 6)))
    return domains(s, 3), f"constraint table(x, [| {rows} |]);"


def regular(s):
    states, values = s.randint(2, 3), s.randint(2, 3)
    steps = " | ".join(",".join(map(str, some(s, values, 0, states))) for _ in range(states))
    end = f"{{{','.join(map(str, s.sample(range(1, states + 1), s.randint(1, states))))}}}"
    return (
        f"array[1..4] of var 1..{values}: x;",
        f"constraint regular(x, {states}, {values}, [| {steps} |], 1, {end});",
    )


def cumulative(s):
    longest, needs = some(s, 3, 1, 3), some(s, 3, 1, 2)
    return "array[1..3] of var 0..3: x;", f"constraint cumulative(x, {longest}, {needs}, {s.randint(2, 3)});"


def diffn(s):
    sizes = f"{some(s, 3, 1, 2)}, {some(s, 3, 1, 2)}"
    return "array[1..3] of var 0..2: x; array[1..3] of var 0..1: y;", f"constraint diffn(x, y, {sizes});"


def gcc(s):
    cover = s.sample(range(-2, 5), 2)
    counts = "array[1..2] of var 0..4: y;"
    return domains(s, 4) + counts, f"constraint global_cardinality(x, {cover}, y);"


def packing(s):
    return (
        "array[1..4] of var 1..2: x; array[1..2] of var 0..8: y;",
        f"constraint bin_packing_load(y, x, {some(s, 4, 1, 3)});",
    )


def sets(s):
    relation = s.choice(
        ["a subset b", "a intersect b = {1}", "disjoint(a, b)", "card(a union b) = 3", "a != b"]
    )
    return (
        "var set of 0..3: a; var set of 1..4: b; var 0..4: z;",
        f"constraint {relation}; constraint z in a;",
    )


def arithmetic(s):
    operation = s.choice(
        ["x[1] div x[2]", "x[1] mod x[2]", "pow(x[1], x[2])", "x[1] * x[2]", "abs(x[1] - x[2])"]
    )
    return domains(s, 3), f"constraint {operation} {s.choice(['<=', '=', '!='])} x[3];"


def booleans(s):
    signs = " ".join(
        f"{s.choice(['xor', '->', '<->', chr(92) + '/', '/' + chr(92)])} b[{i}]" for i in (2, 3, 4)
    )
    condition = f"constraint b[1] {signs} xor x[1] > x[2]; constraint xorall(b);"
    return "array[1..4] of var bool: b; array[1..2] of var 0..3: x;", condition


def counted(s):
    return domains(s, 4), f"constraint among({s.randint(1, 3)}, x, {{0, 1, 3}});"


PARTS = {
    "all_different": lambda s: (domains(s, 4), "constraint all_different(x);"),
    "table": table,
    "regular": regular,
    "cumulative": cumulative,
    "circuit": lambda s: (f"array[1..{s.randint(3, 5)}] of var 1..5: x;", "constraint circuit(x);"),
    "lex_less": lambda s: (domains(s, 3) + domains(s, 3, "y"), "constraint lex_less(x, y);"),
    "inverse": lambda s: (
        "array[1..4] of var 1..4: x; array[1..4] of var 1..4: y;",
        "constraint inverse(x, y);",
    ),
    "diffn": diffn,
    "bin_packing_load": packing,
    "global_cardinality": gcc,
    "nvalue": lambda s: (domains(s, 4) + "var 1..3: z;", "constraint nvalue(z, x);"),
    "element": lambda s: (domains(s, 3) + "var -1..4: z;", "constraint x[z] = z;"),
    "maximum": lambda s: (
        domains(s, 3) + "var -2..4: z;",
        "constraint maximum(z, x); constraint min(x) < 1;",
    ),
    "increasing": lambda s: (domains(s, 4), "constraint increasing(x);"),
    "among": counted,
    "arithmetic": arithmetic,
    "booleans": booleans,
    "sets": sets,
}
"""Declarations and constraints of each kind, from a source of random numbers."""
FILES = (*(kind for kind in PARTS if kind not in ("element", "arithmetic", "booleans", "sets")), "disjoint")


def random_model(kind, seed):
    """A model with a constraint of a *kind*, and some more on its first variables."""
    source = random.Random(f"{kind} {seed}")
    declared, condition = PARTS[kind](source)
    more = ""
    if "x;" in declared:
        a, b = source.sample((1, 2, -1, 3), 2)
        compared = source.choice(["<=", "!=", ">="])
        linear = f"{a} * x[1] + {b} * x[2] {compared} {source.randint(-2, 4)}"
        hidden = "var 0..3: hidden :: no_output; constraint hidden >= x[1] - 1;"
        bound = f"constraint {linear};"
        reified = f"constraint (x[1] > {source.randint(0, 2)}) <-> ({linear});"
        implied = f"constraint x[2] = {source.randint(0, 2)} -> {linear};"
        more = source.choice(["", hidden, bound, reified, implied])
    return "".join(f'include "{name}.mzn";\n' for name in FILES) + f"{declared}\n{condition}\n{more}\n"


def listed_by_gecode(text):
    """The number of distinct solutions that Gecode lists with its own library of constraints."""
    solver = find_solver("gecode")
    command = [
        solver.minizinc.executable,
        *solver.choice,
        "-a",
        "--json-stream",
        "--output-mode",
        "json",
        "-",
    ]
    run = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    messages = [json.loads(line) for line in run.stdout.splitlines()]
    assert messages[-1].get("status") in ("ALL_SOLUTIONS", "UNSATISFIABLE"), (run.stdout[-300:], text)
    rows = {
        json.dumps(message["output"], sort_keys=True) for message in messages if message["type"] == "solution"
    }
    return len(rows)


def differences(seeds):
    """The models of these seeds, one of each kind per seed, whose count differs from Gecode's."""

    def differs(model):
        text = random_model(*model)
        return count_solutions(text, timeout=300) != listed_by_gecode(text)

    models = list(itertools.product(PARTS, seeds))
    with ThreadPoolExecutor(2) as pool:
        return [model for model, wrong in zip(models, pool.map(differs, models), strict=True) if wrong]


if __name__ == "__main__":
    wrong = differences(range(112))
    print(f"{112 * len(PARTS)} models, different counts: {wrong or 'none'}")
    raise SystemExit(bool(wrong))
