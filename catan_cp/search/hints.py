"""Proofs with hints, which a short program checks quickly.

A step of a SAT solver's proof in DRAT form is a clause. To check it, a program propagates literals through
all clauses. In LRAT form (Cruz-Filipe et al. 2017), a step also names the clauses that the propagation needs,
in order. `write_hints` propagates once, and keeps only the steps on which the empty clause depends.

Literal ``2 * v`` stands for variable v, and ``2 * v + 1`` for its negation.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from catan_cp.anymodel.counters import COUNTER_MEMORY
from catan_cp.check_proof import read_formula, read_lines, read_lists
from catan_cp.compiled import compiled, table
from catan_cp.errors import SolverFailed
from catan_cp.processes import limit_memory

TRAIL, CONFLICT = 0, 1
"""The places in ``info`` of the number of literals assigned for good, and of the last false clause or -1."""
TO_EXPLAIN, ASSUMED, TRUE = 1, 2, 3
"""The marks of variables: implied and needed, assumed, and true for good although assumed to be false."""
Numbers = Any
"""A list of whole numbers, or an array for Numba."""


class ProofState(NamedTuple):
    """The clauses of formula and proof, and the assigned literals.

    Each clause in use watches its first two literals. The clauses that watch a literal are a linked list of
    nodes. Node ``2 * c + k`` is literal k of clause c.

    Attributes:
        arena: the literals of all clauses, one clause after another.
        starts: the place of each clause in ``arena``, and the end.
        in_use: 1 for each clause that was added and not deleted.
        head: the first node of each literal, or -1.
        after: the next node of each node, or -1.
        value: 1 for each true literal, -1 for each false one, otherwise 0.
        reason: the clause that implied each true literal, or -1.
        mark: the mark of each variable, or 0.
        trail: the assigned literals, in the order of assignment.
        hints: the clauses of the last derivation, in order.
        info: see `TRAIL` and `CONFLICT`.
    """

    arena: Numbers
    starts: Numbers
    in_use: Numbers
    head: Numbers
    after: Numbers
    value: Numbers
    reason: Numbers
    mark: Numbers
    trail: Numbers
    hints: Numbers
    info: Numbers


@compiled
def propagate(state: ProofState, begin: int, size: int) -> int:
    """Assign the literals that unit clauses imply.

    Args:
        state: the clauses and assigned literals.
        begin: the place in the trail of the first literal whose clauses were not visited.
        size: the number of assigned literals.

    Returns:
        The number of assigned literals, negative after a contradiction, whose clause is stored.
    """
    arena, starts, in_use, head, after = state.arena, state.starts, state.in_use, state.head, state.after
    value, reason, trail = state.value, state.reason, state.trail
    while begin < size:
        false = trail[begin] ^ 1
        begin += 1
        before, node = -1, head[false]
        while node >= 0:
            following, clause, watch = after[node], node >> 1, node & 1
            start = starts[clause]
            second = arena[start + 1 - watch]
            leaves = in_use[clause] == 0
            if not leaves and value[second] != 1:
                for place in range(start + 2, starts[clause + 1]):
                    literal = arena[place]
                    if value[literal] != -1:  # Watch this literal instead.
                        arena[start + watch], arena[place] = literal, false
                        after[node], head[literal] = head[literal], node
                        leaves = True
                        break
                if not leaves:
                    if value[second] == -1:
                        state.info[CONFLICT] = clause
                        return -size
                    value[second], value[second ^ 1], trail[size] = 1, -1, second
                    reason[second] = clause
                    size += 1
            if not leaves:
                before = node
            elif before < 0:
                head[false] = following
            else:
                after[before] = following
            node = following
    return size


@compiled
def add(state: ProofState, clause: int) -> None:
    """Watch two literals of a clause that are not false, or assign the only such literal for good."""
    arena, start, free = state.arena, state.starts[clause], 0
    value, after, head, info = state.value, state.after, state.head, state.info
    state.in_use[clause] = 1
    for place in range(start, state.starts[clause + 1]):
        literal = arena[place]
        if value[literal] != -1 and free < 2:
            arena[place], arena[start + free] = arena[start + free], literal
            free += 1
    if free == 2:
        for watch in range(2):
            literal = arena[start + watch]
            after[2 * clause + watch], head[literal] = head[literal], 2 * clause + watch
    elif free == 0:
        info[CONFLICT] = clause
    elif value[arena[start]] == 0:
        literal, size = arena[start], info[TRAIL]
        value[literal], value[literal ^ 1], state.trail[size] = 1, -1, literal
        state.reason[literal] = clause
        info[TRAIL] = abs(propagate(state, size, size + 1))


@compiled
def explain(state: ProofState, conflict: int, size: int) -> int:
    """Store the clauses that imply a false clause, in the order of propagation.

    Args:
        state: the clauses, in which the assumed variables are marked.
        conflict: the false clause.
        size: the number of assigned literals that may be the reason.

    Returns:
        The number of hints.
    """
    arena, starts, mark, hints, trail = state.arena, state.starts, state.mark, state.hints, state.trail
    clause, number, n_open = conflict, 0, 0
    while True:
        hints[number] = clause
        number += 1
        for place in range(starts[clause], starts[clause + 1]):
            literal = arena[place]
            if mark[literal >> 1] == 0 and state.value[literal] == -1:
                mark[literal >> 1] = TO_EXPLAIN
                n_open += 1
        if n_open == 0:
            break
        size -= 1
        while mark[trail[size] >> 1] != TO_EXPLAIN:
            size -= 1
        mark[trail[size] >> 1] = 0
        n_open -= 1
        clause = state.reason[trail[size]]
    for place in range(number // 2):
        hints[place], hints[number - 1 - place] = hints[number - 1 - place], hints[place]
    return number


@compiled
def derive(state: ProofState, clause: int, other: int, pivot: int) -> int:
    """Store the hints by which a clause, or its resolvent with an *other* clause on a *pivot*, is RUP.

    Without another clause, *other* is *clause* and *pivot* is -1.

    Returns:
        The number of hints, or -1 if it is not RUP. A resolvent that contains a literal and its negation has
        no hints.
    """
    arena, starts, value, mark, trail = state.arena, state.starts, state.value, state.mark, state.trail
    root = size = state.info[TRAIL]
    is_true, is_tautology, number = False, False, -1
    for source in (clause, other):
        for place in range(starts[source], starts[source + 1]):
            literal = arena[place]
            if value[literal] == 0:
                value[literal], value[literal ^ 1], trail[size] = -1, 1, literal ^ 1
                mark[literal >> 1] = ASSUMED
                size += 1
            elif value[literal] == -1:
                mark[literal >> 1] = ASSUMED
            elif literal != pivot ^ 1:
                is_tautology = is_tautology or mark[literal >> 1] == ASSUMED
                is_true = True
                mark[literal >> 1] = TRUE
    if is_tautology:
        number = 0
    elif is_true:
        place = 0
        while mark[trail[place] >> 1] != TRUE:
            place += 1
        number = explain(state, state.reason[trail[place]], place)
    else:
        size = propagate(state, root, size)
        if size < 0:
            size = -size
            number = explain(state, state.info[CONFLICT], size)
        state.info[CONFLICT] = -1
    for source in (clause, other):
        for place in range(starts[source], starts[source + 1]):
            mark[arena[place] >> 1] = 0
    for place in range(root, size):
        value[trail[place]] = value[trail[place] ^ 1] = 0
    return number


@compiled
def next_with(state: ProofState, clause: int, before: int, literal: int) -> int:
    """Return the first clause in use from *clause* that has a literal, or *before* if there is none."""
    for number in range(clause, before):
        if state.in_use[number] == 1:
            for place in range(state.starts[number], state.starts[number + 1]):
                if state.arena[place] == literal:
                    return number
    return before


Groups = list[tuple[int | None, list[int]]]
"""The hints of a step: one list if it is RUP, otherwise one list per clause with which it is resolved."""


def derivation(state: ProofState, clause: int, pivot: int) -> Groups | None:
    """Return the hints by which a clause is RUP, or RAT on a *pivot*, or None if it is neither."""

    def hints(candidate: int, on: int) -> list[int] | None:
        number = derive(state, clause, candidate, on)
        return None if number < 0 else [int(state.hints[place]) for place in range(number)]

    if (implied := hints(clause, -1)) is not None:
        return [(None, implied)]
    if pivot < 0 or state.value[pivot] == -1:
        return None
    groups: Groups = []
    candidate = next_with(state, 0, clause, pivot ^ 1)
    while candidate < clause:
        if (implied := hints(candidate, pivot)) is None:
            return None
        groups.append((candidate, implied))
        candidate = next_with(state, candidate + 1, clause, pivot ^ 1)
    return groups


def _literals(line: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(2 * abs(literal) + (literal < 0) for literal in line))


def read_steps(path: Path, clauses: list[tuple[int, ...]]) -> Iterator[int]:
    """Yield the steps of a proof in DRAT form, after their clauses are appended to *clauses*.

    A step is the number of an added clause, or the complement (~) of that of a deleted one. Clauses that are
    always true are left out, and so are deletions of unknown clauses.
    """
    known: dict[tuple[int, ...], list[int]] = {}
    for place, clause in enumerate(clauses):
        known.setdefault(tuple(sorted(clause)), []).append(place)
    for number, words in read_lines(path):
        is_deletion = words[0] == "d"
        clause = _literals(read_lists(words[is_deletion:], 1, path, number)[0])
        places = known.setdefault(tuple(sorted(clause)), [])
        if is_deletion and places:
            yield ~places.pop()
        elif not is_deletion and not any(literal ^ 1 in clause for literal in clause):
            places.append(len(clauses))
            clauses.append(clause)
            yield places[-1]


def _state(clauses: list[tuple[int, ...]]) -> ProofState:
    starts = [0]
    for clause in clauses:
        starts.append(starts[-1] + len(clause))
    arena = [literal for clause in clauses for literal in clause]
    n_clauses, n_literals = len(clauses), max(arena, default=0) + 2
    lists = (arena, starts, [0] * n_clauses, [-1] * n_literals, [-1] * 2 * n_clauses)
    values = ([0] * n_literals, [-1] * n_literals, [0] * n_literals, [0] * n_literals, [0] * (n_literals + 1))
    return ProofState(*map(table, (*lists, *values, [0, -1])))


def derivations(
    clauses: list[tuple[int, ...]], n_formula: int, proof: Iterable[int]
) -> tuple[list[int], dict[int, Groups]]:
    """Return the steps of a proof up to the empty clause, which is appended to *clauses*, and their hints.

    Deletions of clauses that imply a literal for good are left out.

    Raises:
        SolverFailed: a step does not follow, or there is no contradiction.
    """
    state, steps, hints = _state(clauses), list[int](), dict[int, Groups]()
    for number in range(n_formula):
        if state.info[CONFLICT] < 0:
            add(state, number)
    for step in proof:
        if state.info[CONFLICT] >= 0:
            break
        if step >= 0:
            groups = derivation(state, step, next(iter(clauses[step]), -1))
            if groups is None:
                raise SolverFailed("a step of the solver's proof is neither RUP nor RAT; please report this")
            hints[step] = groups
            add(state, step)
        elif any(state.value[x] == 1 and state.reason[x] == ~step for x in clauses[~step]):
            continue
        else:
            state.in_use[~step] = 0
        steps.append(step)
    if state.info[CONFLICT] < 0:
        raise SolverFailed("the solver's proof does not derive the empty clause; please report this")
    number = explain(state, int(state.info[CONFLICT]), int(state.info[TRAIL]))
    hints[len(clauses)] = [(None, [int(state.hints[place]) for place in range(number)])]
    clauses.append(())
    return [*steps, len(clauses) - 1], hints


def write_hints(formula: str, proof: str, drat: str, lrat: str) -> int:
    """Write the needed steps of a proof, without hints and with them.

    Args:
        formula: the path of the clauses in DIMACS form.
        proof: the path of the proof in DRAT form as text.
        drat: the path of the shorter proof in DRAT form.
        lrat: the path of the same proof in LRAT form.

    Returns:
        The number of added clauses.

    Raises:
        SolverFailed: the proof is wrong.
    """
    limit_memory(COUNTER_MEMORY)
    clauses = [*map(_literals, read_formula(Path(formula)))]
    n_formula = len(clauses)
    proof_steps = [*read_steps(Path(proof), clauses)]
    steps, hints = derivations(clauses, n_formula, proof_steps)
    needed = {steps[-1]}
    for step in reversed(steps):
        if step >= 0 and step in needed:
            for partner, group in hints[step]:
                needed.update(group if partner is None else (partner, *group))
    numbers, last = {clause: clause + 1 for clause in range(n_formula)}, n_formula
    short, long = list[str](), list[str]()
    for step in steps:
        clause = clauses[max(step, ~step)]
        text = "".join(f"{-(literal >> 1) if literal & 1 else literal >> 1} " for literal in clause)
        if step >= 0 and step in needed:
            last += 1
            numbers[step] = last
            parts = [
                ([] if partner is None else [-numbers[partner]]) + [numbers[hint] for hint in group]
                for partner, group in hints[step]
            ]
            hint_text = "".join(f"{hint} " for part in parts for hint in part)
            short.append(f"{text}0\n")
            long.append(f"{last} {text}0 {hint_text}0\n")
        elif step < 0 and ~step in numbers:
            short.append(f"d {text}0\n")
            long.append(f"{last} d {numbers[~step]} 0\n")
    for path, lines in ((drat, short), (lrat, long)):
        Path(path).write_text("".join(lines), encoding="ascii", newline="\n")
    return last - n_formula
