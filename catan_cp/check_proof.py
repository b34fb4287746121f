#!/usr/bin/env python3
"""Check a proof that clauses have no solution.

    python check_proof.py FOLDER
    python -m catan_cp.check_proof FOLDER

It prints "verified", "rejected" or "not checked", each with a reason.
The folder has ``clauses.cnf``, clauses in DIMACS form, and ``proof.lrat``, a proof in LRAT form (Cruz-Filipe
et al. 2017) as text, as ``catan-cp prove`` writes them. This file needs nothing but Python.

Clauses have numbers. Those of ``clauses.cnf`` are 1, 2, 3 and so on. A line ``NUMBER d NUMBERS 0`` deletes
clauses. Each other line ``NUMBER LITERALS 0 HINTS 0`` adds a clause. Its hints are numbers of clauses. Two
kinds of clauses may be added:

* RUP (reverse unit propagation; Goldberg and Novikov 2003): assume that all literals of the clause are false.
  Then each hint has one literal that is not false, which must therefore be true, and the last hint has none.
  So the clause follows from its hints.
* RAT (resolution asymmetric tautology; Jarvisalo, Heule and Biere 2012): each clause with the negation of the
  first literal is named by a negative hint, and the hints behind it show that the resolvent is RUP. If the
  clauses before it have a solution, then they have one with this clause.

So if the empty clause is added, there is no solution.

Exit status: 0 if the proof is verified, 1 if it is rejected, 2 if it was not checked, for example because a
file cannot be read or memory is short.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

CHUNK = 1000
"""The number of lines between two reports of progress."""
Clause = tuple[int, ...]
"""Different literals: variable v is ``v``, and its negation is ``-v``."""


class Unreadable(Exception):
    """A file that is not in its format."""


def is_contradiction(clauses: dict[int, Clause], hints: Sequence[int], true: set[int]) -> bool:
    """Test whether clauses lead to a contradiction, one after the other.

    Args:
        clauses: the clauses by number.
        hints: the numbers of the clauses.
        true: the literals that are assumed to be true, to which those that follow are added.
    """
    for hint in hints:
        if hint not in clauses:
            return False
        possible = [literal for literal in clauses[hint] if -literal not in true]
        if not possible:
            return True
        if len(possible) > 1:
            return False
        true.add(possible[0])
    return False


def may_be_added(clauses: dict[int, Clause], clause: Clause, hints: Sequence[int]) -> bool:
    """Test whether a clause is RUP, or RAT on its first literal, by its hints."""
    first = next((place for place, hint in enumerate(hints) if hint < 0), len(hints))
    true = {-literal for literal in clause}
    if is_contradiction(clauses, hints[:first], true):
        return True
    if not clause:
        return False
    groups: dict[int, list[int]] = {}
    for hint in hints[first:]:
        if hint < 0:
            group = groups[-hint] = []
        else:
            group.append(hint)
    pivot = clause[0]
    for number, partner in clauses.items():
        if -pivot in partner:
            rest = {-literal for literal in partner if literal != -pivot}
            is_true = any(-literal in true for literal in rest)
            if number not in groups or not (
                is_true or is_contradiction(clauses, groups[number], true | rest)
            ):
                return False
    return True


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


def read_lists(words: list[str], n: int, path: Path, number: int) -> list[list[int]]:
    """Return *n* lists of whole numbers, each of which ends with 0."""
    lists: list[list[int]] = [[]]
    try:
        for value in map(int, words):
            if value:
                lists[-1].append(value)
            else:
                lists.append([])
    except ValueError:
        lists = []
    if len(lists) != n + 1 or lists.pop():
        ends = "a 0 at the end" if n == 1 else "a 0 after the literals and after the hints"
        raise Unreadable(f"{path}, line {number} must be whole numbers with {ends}")
    return lists


def read_formula(path: Path) -> list[Clause]:
    """Return the clauses of a file in DIMACS form."""
    lines = read_lines(path)
    head, form = next(lines, (1, []))
    if len(form) != 4 or form[:2] != ["p", "cnf"] or not (form[2] + form[3]).isdigit():
        raise Unreadable(f"{path}, line {head} must be 'p cnf VARIABLES CLAUSES'")
    clauses = [tuple(dict.fromkeys(read_lists(words, 1, path, line)[0])) for line, words in lines]
    most = max((abs(literal) for clause in clauses for literal in clause), default=0)
    if most > int(form[2]):
        raise Unreadable(f"{path}: VARIABLES in line {head} must be at least {most}")
    if len(clauses) != int(form[3]):
        raise Unreadable(f"{path}: CLAUSES in line {head} must be {len(clauses)}")
    return clauses


def check(folder: str, report: Callable[[str], None]) -> str:
    """Return why a proof is rejected, or an empty text if it derives the empty clause.

    Args:
        folder: the folder with formula and proof.
        report: called with a text about the progress.

    Raises:
        Unreadable: a file is missing or not in its format.
    """
    clauses = dict(enumerate(read_formula(Path(folder, "clauses.cnf")), start=1))
    path, last = Path(folder, "proof.lrat"), len(clauses)
    for line, words in read_lines(path):
        if words[1:2] == ["d"]:
            (numbers,) = read_lists(words[2:], 1, path, line)
            if not clauses.keys() >= {*numbers}:
                return f"line {line} of the proof deletes a clause that does not exist"
            for number in {*numbers}:
                del clauses[number]
        else:
            literals, hints = read_lists(words[1:], 2, path, line)
            ((number,),) = read_lists([words[0], "0"], 1, path, line)
            clause = tuple(dict.fromkeys(literals))
            if number <= last:
                return f"line {line} of the proof has the number {number}, which is not above {last}"
            if not may_be_added(clauses, clause, hints):
                return f"line {line} of the proof adds a clause that is neither RUP nor RAT by its hints"
            if not clause:
                return ""
            clauses[number], last = clause, number
        if line % CHUNK == 0:
            report(f"{line:,} lines checked")
    return "the proof does not derive the empty clause"


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
