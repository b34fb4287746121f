#!/usr/bin/env python3
"""Check a proof that clauses have no solution.

    python check_proof.py FOLDER
    python -m catan_cp.check_proof FOLDER

It prints "verified", "rejected" or "not checked", each with a reason.
The folder has ``clauses.cnf``, clauses in DIMACS form, and ``proof.drat``, a proof in DRAT form as text, as
``catan-cp prove`` writes them. This file needs nothing but Python. With Numba it is
about twenty times faster.

Each step of a proof adds or deletes a clause. There are two kinds of clauses that may be added:

* RUP (reverse unit propagation; Goldberg and Novikov 2003): if all literals of the clause are false, then
  unit propagation leads to a contradiction. Such a clause follows from those before it.
* RAT (resolution asymmetric tautology; Jarvisalo, Heule and Biere 2012): each resolvent on the first literal
  is RUP. If the clauses before it have a solution, then they have one with this clause.

So if the empty clause is added, there is no solution.

Exit status: 0 if the proof is verified, 1 if it is rejected, 2 if it was not checked, for example because a
file cannot be read or memory is short.

Literal ``2 * v`` stands for variable v, and ``2 * v + 1`` for its negation.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

CHUNK = 1000
"""The number of steps between two reports of progress."""
TRAIL, CONFLICT = 0, 1
"""The places in ``info`` of the number of literals assigned for good, and of 1 after a contradiction."""
Numbers = Any
"""A list of whole numbers, or an array for Numba."""


class State(NamedTuple):
    """The clauses of formula and proof, and the assigned literals, as lists or arrays of whole numbers.

    Each clause in use watches its first two literals. The clauses that watch a literal are a linked list of
    nodes. Node ``2 * c + k`` is literal k of clause c.

    Attributes:
        arena: the literals of all clauses, one clause after another.
        starts: the place of each clause in ``arena``, and the end.
        in_use: 1 for each clause that was added and not deleted.
        head: the first node of each literal, or -1.
        after: the next node of each node, or -1.
        value: 1 for each true literal, -1 for each false one, otherwise 0.
        trail: the assigned literals, in the order of assignment.
        info: see `TRAIL` and `CONFLICT`.
    """

    arena: Numbers
    starts: Numbers
    in_use: Numbers
    head: Numbers
    after: Numbers
    value: Numbers
    trail: Numbers
    info: Numbers


def propagate(state: State, begin: int, size: int) -> int:
    """Assign the literals that unit clauses imply.

    Args:
        state: the clauses and assigned literals.
        begin: the place in the trail of the first literal whose clauses were not visited.
        size: the number of assigned literals.

    Returns:
        The number of assigned literals, negative after a contradiction.
    """
    arena, starts, in_use, head, after, value, trail, _ = state
    while begin < size:
        false = trail[begin] ^ 1
        begin += 1
        before, node = -1, head[false]
        while node >= 0:
            following, clause, watch = after[node], node >> 1, node & 1
            start = starts[clause]
            other = arena[start + 1 - watch]
            leaves = in_use[clause] == 0
            if not leaves and value[other] != 1:
                for place in range(start + 2, starts[clause + 1]):
                    literal = arena[place]
                    if value[literal] != -1:  # Watch this literal instead.
                        arena[start + watch], arena[place] = literal, false
                        after[node], head[literal] = head[literal], node
                        leaves = True
                        break
                if not leaves:
                    if value[other] == -1:
                        return -size
                    value[other], value[other ^ 1], trail[size] = 1, -1, other
                    size += 1
            if not leaves:
                before = node
            elif before < 0:
                head[false] = following
            else:
                after[before] = following
            node = following
    return size


def add(state: State, clause: int) -> None:
    """Watch two literals of a clause that are not false, or assign the only such literal for good."""
    arena, starts, in_use, head, after, value, trail, info = state
    start, free = starts[clause], 0
    for place in range(start, starts[clause + 1]):
        literal = arena[place]
        if value[literal] != -1 and free < 2:
            arena[place], arena[start + free] = arena[start + free], literal
            free += 1
    if free == 2:
        in_use[clause] = 1
        for watch in range(2):
            literal = arena[start + watch]
            after[2 * clause + watch], head[literal] = head[literal], 2 * clause + watch
    elif free == 0:
        info[CONFLICT] = 1
    elif value[arena[start]] == 0:
        literal, size = arena[start], info[TRAIL]
        value[literal], value[literal ^ 1], trail[size] = 1, -1, literal
        size = propagate(state, size, size + 1)
        info[TRAIL] = abs(size)
        if size < 0:
            info[CONFLICT] = 1


def is_implied(state: State, clause: int, other: int, pivot: int) -> bool:
    """Test whether a clause, or its resolvent with an *other* clause on a *pivot*, is RUP.

    Without another clause, *other* is *clause* and *pivot* is -1.
    """
    arena, starts, _, _, _, value, trail, info = state
    root = size = info[TRAIL]
    is_proved: bool = info[CONFLICT] == 1
    for source in (clause, other):
        for place in range(starts[source], starts[source + 1]):
            literal = arena[place]
            if value[literal] == 0:
                value[literal], value[literal ^ 1], trail[size] = -1, 1, literal ^ 1
                size += 1
            elif value[literal] == 1 and literal != pivot ^ 1:
                is_proved = True
    if not is_proved:
        size = propagate(state, root, size)
        is_proved, size = size < 0, abs(size)
    for place in range(root, size):
        value[trail[place]] = value[trail[place] ^ 1] = 0
    return is_proved


def may_be_added(state: State, clause: int) -> bool:
    """Test whether a clause is RUP, or RAT on its first literal."""
    arena, starts, in_use, _, _, value, _, _ = state
    if is_implied(state, clause, clause, -1):
        return True
    if starts[clause] == starts[clause + 1] or value[arena[starts[clause]]] == -1:
        return False  # It is empty, or the first literal is known to be false.
    pivot = arena[starts[clause]]
    for other in range(clause):
        if in_use[other] == 1:
            for place in range(starts[other], starts[other + 1]):
                if arena[place] == pivot ^ 1 and not is_implied(state, clause, other, pivot):
                    return False
    return True


def check_steps(state: State, steps: Numbers, first: int, last: int) -> int:
    """Check some steps: each the number of an added clause, or the complement (~) of that of a deleted one.

    Literals that a deleted clause implies stay assigned, as if they were clauses.

    Returns:
        The first step that is wrong, or *last*.
    """
    for step in range(first, last):
        clause = steps[step]
        if clause < 0:
            state.in_use[~clause] = 0
        elif may_be_added(state, clause):
            add(state, clause)
        else:
            return step
    return last


class Unreadable(Exception):
    """A file that is not in its format."""


def read_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each line of a file that is neither empty nor a comment."""
    if not path.is_file():  # a pipe or a device may never end
        raise Unreadable(f"{path} must be a file")
    try:
        with path.open(encoding="ascii") as file:
            for number, line in enumerate(file, start=1):
                words = line.split()
                if words and words[0] != "c":
                    yield number, words
    except (OSError, UnicodeDecodeError) as problem:
        raise Unreadable(f"{path} must be a text file: {problem}") from None


def read_clause(words: list[str], path: Path, number: int) -> tuple[int, ...]:
    """Return the different literals of a clause that ends with 0."""
    try:
        values = [int(word) for word in words]
    except ValueError:
        values = []
    if not values or 0 in values[:-1] or values[-1] != 0:
        raise Unreadable(f"{path}, line {number} must be whole numbers with a 0 at the end")
    return tuple(dict.fromkeys(2 * abs(value) + (value < 0) for value in values[:-1]))


def read_formula(path: Path) -> list[tuple[int, ...]]:
    """Return the clauses of a file in DIMACS form."""
    lines = read_lines(path)
    number, words = next(lines, (1, []))
    if len(words) != 4 or words[:2] != ["p", "cnf"] or not (words[2] + words[3]).isdigit():
        raise Unreadable(f"{path}, line {number} must be 'p cnf VARIABLES CLAUSES'")
    clauses = [read_clause(line_words, path, line) for line, line_words in lines]
    if len(clauses) != int(words[3]):
        raise Unreadable(f"{path} must have {words[3]} clauses, not {len(clauses)}")
    if max((max(clause, default=0) for clause in clauses), default=0) > 2 * int(words[2]) + 1:
        raise Unreadable(f"{path} must have at most {words[2]} variables")
    return clauses


def read_proof(path: Path, clauses: list[tuple[int, ...]]) -> tuple[Numbers, list[int]]:
    """Return the steps of a proof and their lines, and append its clauses to *clauses*.

    A deletion of an unknown clause is skipped, because there is nothing to delete.
    """
    known: dict[tuple[int, ...], list[int]] = {}
    for place, clause in enumerate(clauses):
        known.setdefault(tuple(sorted(clause)), []).append(place)
    steps: Numbers = []
    lines = []
    for number, words in read_lines(path):
        is_deletion = words[0] == "d"
        clause = read_clause(words[is_deletion:], path, number)
        places = known.setdefault(tuple(sorted(clause)), [])
        if not is_deletion:
            places.append(len(clauses))
            steps.append(len(clauses))
            clauses.append(clause)
        elif places:
            steps.append(~places.pop())
        else:
            continue
        lines.append(number)
    return steps, lines


def compile_functions(numba: Any) -> None:
    """Compile the functions that check steps. They call one another by their global names."""
    for function in (propagate, add, is_implied, may_be_added, check_steps):
        globals()[function.__name__] = numba.njit(function)


def check(folder: str, report: Callable[[str], None]) -> str:
    """Return why a proof is rejected, or an empty text if it derives the empty clause.

    Args:
        folder: the folder with formula and proof.
        report: called with a text about the progress.

    Raises:
        Unreadable: a file is missing or not in its format.
    """
    clauses = read_formula(Path(folder, "clauses.cnf"))
    n_formula = len(clauses)
    steps, lines = read_proof(Path(folder, "proof.drat"), clauses)
    empty = next((step for step, clause in enumerate(steps) if clause >= 0 and not clauses[clause]), None)
    if empty is None:
        return "the proof does not derive the empty clause"
    starts = [0]
    for clause in clauses:
        starts.append(starts[-1] + len(clause))
    arena = [literal for clause in clauses for literal in clause]
    n, n_literals = len(clauses), max(arena, default=0) + 2
    nodes, values = [-1] * (2 * n), [0] * n_literals
    state = State(arena, starts, [0] * n, [-1] * n_literals, nodes, values, [0] * n_literals, [0, 0])
    try:
        import numba
        import numpy
    except ImportError:
        report("Numba is not installed, so a long proof takes minutes")
    else:
        compile_functions(numba)
        state, steps = State(*map(numpy.array, state)), numpy.array(steps)
    for number in range(n_formula):
        add(state, number)
    for first in range(0, empty + 1, CHUNK):
        last = min(first + CHUNK, empty + 1)
        step = check_steps(state, steps, first, last)
        if step < last:
            return f"line {lines[step]} of the proof adds a clause that is neither RUP nor RAT"
        report(f"{last:,} of {empty + 1:,} steps checked")
    return ""


def main(words: list[str]) -> int:
    """Check the proof in a folder, and return the exit status."""
    if len(words) != 1:
        print("usage: python check_proof.py FOLDER", file=sys.stderr)
        return 2

    def report(text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    try:
        reason = check(words[0], report)
    except BaseException as problem:  # nothing is known about the proof
        text = str(problem) if isinstance(problem, Unreadable) else f"{type(problem).__name__} {problem}"
        print(f"not checked: {text.strip()}", file=sys.stderr)
        return 2
    report("")
    print(f"rejected: {reason}" if reason else "verified: the clauses have no solution")
    return 1 if reason else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
