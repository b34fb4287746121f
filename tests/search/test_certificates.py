"""Proofs of infeasible rules, and the stand-alone program that checks them."""

import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import catan_cp
from catan_cp import Rules, check_proof, save_proof
from catan_cp.anymodel.counters import prove_by_cadical
from catan_cp.errors import CatanError, InvalidArgument, SolverTimeout
from catan_cp.workers import Workers
from tests.command_line import run

CHECKER = Path(check_proof.__file__)
needs_prover = pytest.mark.skipif(find_spec("pysolvers") is None, reason="needs the extra prove (python-sat)")


def pigeons(holes):
    """Return clauses: each of ``holes + 1`` pigeons has a hole, and no two pigeons share one.

    They have no solution, but without any one of them they have one.
    """
    place = [[holes * pigeon + hole + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    pairs = itertools.combinations(range(holes + 1), 2)
    return [*place, *([-place[a][h], -place[b][h]] for a, b in pairs for h in range(holes))]


def written(folder, clauses, proof):
    """Write clauses and the text of a proof, and return the folder."""
    lines = [" ".join(map(str, [*clause, 0])) for clause in clauses]
    n = max((abs(literal) for clause in clauses for literal in clause), default=0)
    (folder / "clauses.cnf").write_text("\n".join([f"p cnf {n} {len(clauses)}", *lines, ""]))
    (folder / "proof.drat").write_text(proof)
    return folder


def checked(folder, *flags):
    """Run the checker, by default without any package, and return its exit status and output."""
    program = () if "-m" in flags else (CHECKER,)
    command = [sys.executable, *(flags or ("-I", "-S")), *program, folder]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, (result.stdout or result.stderr).strip()


def falsified(clauses, false):
    """Return the literals that unit propagation makes false, and whether it finds a contradiction."""
    false, size = {*false}, -1
    while size < len(false):
        size = len(false)
        for clause in clauses:
            literals = clause - false
            if not literals or any(-literal in false for literal in false):
                return false, True
            false |= {-literal for literal in literals if len(literals) == 1}
    return false, False


def is_proof(clauses, text):
    """Check a proof as simply as possible: look at all clauses again and again."""
    clauses = [frozenset(clause) for clause in clauses]
    for line in text.splitlines():
        literals = [int(word) for word in line.split() if word not in "d0"]
        clause = frozenset(literals)
        # Literals that are known to be false stay so, even if the reason is deleted.
        clauses += [frozenset([-literal]) for literal in falsified(clauses, ())[0]]
        if line.startswith("d"):
            if clause in clauses and len(clause) > 1:
                clauses.remove(clause)
        elif falsified(clauses, clause)[1] or (
            clause
            and all(
                falsified(clauses, clause | other - {-literals[0]})[1]
                for other in clauses
                if -literals[0] in other
            )
        ):
            clauses.append(clause)
        else:
            return False
        if not clause:
            return True
    return False


@pytest.fixture(scope="module")
def pigeon_proof():
    """The text of CaDiCaL's proof that five pigeons do not fit into four holes."""
    from pysat.solvers import Solver

    with Solver("cadical153", bootstrap_with=pigeons(4), with_proof=True) as solver:
        assert not solver.solve()
        return "\n".join([*solver.get_proof(), ""])


@needs_prover
def test_proofs_of_satisfiable_clauses_are_rejected(pigeon_proof, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)  # compiling would take longer
    clauses = pigeons(4)
    assert checked(written(tmp_path, clauses, pigeon_proof)) == (0, "verified: the clauses have no solution")
    for left_out in range(len(clauses)):
        fewer = [*clauses[:left_out], *clauses[left_out + 1 :]]
        assert check_proof.check(str(written(tmp_path, fewer, pigeon_proof)), bool)


@needs_prover
def test_damaged_proofs_are_rejected_as_a_second_checker_does(pigeon_proof, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    clauses, source, rejected, lines = pigeons(4), random.Random(1), 0, pigeon_proof.splitlines()
    for _ in range(250):
        damaged = list(lines)
        for _ in range(source.randint(1, 3)):
            place = source.randrange(len(damaged))
            words = damaged[place].split()
            change = source.choice(("line", "word", "sign"))
            if change == "line" or len(words) < 3 or words[0] == "d":
                del damaged[place]
            elif change == "word":
                words.pop(source.randrange(len(words) - 1))
                damaged[place] = " ".join(words)
            else:
                at = source.randrange(len(words) - 1)
                words[at] = str(-int(words[at]))
                damaged[place] = " ".join(words)
        text = "\n".join([*damaged, ""])
        reason = check_proof.check(str(written(tmp_path, clauses, text)), bool)
        assert (reason == "") == is_proof(clauses, text), text
        rejected += reason != ""
    assert rejected >= 100


def test_steps_that_are_not_implied(tmp_path):
    """A new variable may mean a conjunction (RAT), but the proof may not add other facts on it."""
    clauses = [[1, 2], [1, -2], [-1, 3], [-1, -3]]
    named = "4 -1 -2 0\n-4 1 0\n-4 2 0\n"  # 4 is "1 and 2"
    assert checked(written(tmp_path, clauses, f"{named}1 0\nd -4 2 0\n0\n"))[0] == 0
    assert checked(written(tmp_path, clauses[:3], f"{named}4 0\n0\n"))[0] == 1
    wrong = f"{named}-4 -2 0\n0\n"
    assert checked(written(tmp_path, clauses[:1], wrong)) == (
        1,
        "rejected: line 4 of the proof adds a clause that is neither RUP nor RAT",
    )


@pytest.mark.parametrize(
    ("clauses", "proof", "status", "text"),
    [
        ("p cnf 1 2\n1 0\n-1 0\n", "0\n", 0, "verified"),
        ("p cnf 1 2\n1 0\n-1 0\n", "1 0\n", 1, "does not derive the empty clause"),
        ("p cnf 1 2\n1 0\n-1 0\n", "1\n", 2, "proof.drat, line 1 must be whole numbers with a 0"),
        ("p cnf 1 2\n1 0\n-1 0\n", "1 x 0\n", 2, "must be whole numbers"),
        ("p cnf 1 2\n1 0\n-1 0\n", "a\xff", 2, "must be a text file"),
        ("p cnf 1 2\n1 0\n", "0\n", 2, "must have 2 clauses, not 1"),
        ("p cnf 1 2\n1 0\n-2 0\n", "0\n", 2, "at most 1 variables"),
        ("1 0\n-1 0\n", "0\n", 2, "must be 'p cnf VARIABLES CLAUSES'"),
        ("p cnf 1 1\n0\n", "0\n", 0, "verified"),
        ("c only\np cnf 0 0\n", "0\n", 1, "line 1 of the proof"),
    ],
)
def test_files_are_checked(clauses, proof, status, text, tmp_path):
    (tmp_path / "clauses.cnf").write_text(clauses)
    (tmp_path / "proof.drat").write_bytes(proof.encode("latin-1"))
    verdict, output = checked(tmp_path)
    assert verdict == status and text in output
    assert output.startswith(("verified: ", "rejected: ", "not checked: ")[status])
    assert checked(tmp_path / "missing")[0] == 2


@pytest.mark.skipif(sys.platform != "linux", reason="uses named pipes, and a limit on address space")
def test_a_proof_that_cannot_be_checked_is_not_rejected(tmp_path):
    written(tmp_path, [[1], [-1]], "1000000000000 0\n0\n")  # needs terabytes
    status, output = checked(tmp_path)
    assert status == 2 and output.startswith("not checked: MemoryError")
    (tmp_path / "proof.drat").write_text(f"{'9' * 5000} 0\n0\n")
    assert checked(tmp_path)[0] == 2 and "proof.drat, line 1 must be whole numbers" in checked(tmp_path)[1]
    (tmp_path / "proof.drat").unlink()
    os.mkfifo(tmp_path / "proof.drat")
    assert checked(tmp_path) == (2, f"not checked: {tmp_path / 'proof.drat'} must be a file")


APART = Rules(constraints=("forall(t in TILE, u in neighbors[t])(terrain[t] != terrain[u])",))
"""No two tiles of one terrain touch."""


@needs_prover
def test_constraints_and_edited_models_are_proven(tmp_path):
    layout = FOUR
    proof = save_proof(APART, layout, folder=tmp_path / "constraint")
    assert proof.what == "terrain arrangement"
    assert checked(tmp_path / "constraint")[0] == 0
    note = (tmp_path / "constraint" / "note.txt").read_text()
    assert (
        "no terrain arrangement" in note and "neighbors[t]" in note and "four" not in note.split("Layout:")[0]
    )

    models = catan_cp.copy_models(tmp_path / "models")
    with (models / "markers.mzn").open("a") as file:  # no two markers are equal, but there are two of each
        file.write("constraint forall(t, u in TILE where t < u)(marker[t] != marker[u]);\n")
    proof = save_proof(Rules(models=models), layout, folder=tmp_path / "edited")
    assert proof.what == "board" and checked(tmp_path / "edited")[0] == 0
    assert str(models) in (tmp_path / "edited" / "note.txt").read_text()
    with pytest.raises(InvalidArgument, match="rules must allow no board of 'four' for a proof"):
        save_proof("open", layout, folder=tmp_path / "open")
    assert not (tmp_path / "open").exists()


@needs_prover
def test_contradictions_that_minizinc_finds_have_no_proof(tmp_path):
    with pytest.raises(InvalidArgument, match="so no clauses are left; leave out rules"):
        save_proof(Rules(constraints=("1 = 2",)), folder=tmp_path)
    assert not any(tmp_path.iterdir())


def test_needs_of_a_proof(tmp_path, monkeypatch):
    (tmp_path / "mine").touch()
    with pytest.raises(InvalidArgument, match="folder must be new or empty"):
        save_proof(folder=tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("catan_cp.search.proofs.find_spec", lambda name: None)
    with pytest.raises(
        CatanError, match=r"pip install 'catan-cp\[prove\]', or put cadical or kissat on the PATH"
    ):
        save_proof(folder=tmp_path / "new")


FOUR = catan_cp.Layout("four", (1, 2, 1), {"brick": 2, "ore": 2}, {6: 2, 8: 2})


@needs_prover
def test_a_program_on_the_path_may_prove(tmp_path, monkeypatch):
    """The program has the command line of CaDiCaL, and is python-sat's copy of it."""
    monkeypatch.setattr("catan_cp.search.proofs.find_spec", lambda name: None)
    program = f"""#!{sys.executable}
import sys
from catan_cp.anymodel.counters import prove_by_cadical
assert sys.argv[1:3] == ["-q", "--no-binary"]
sys.exit(20 if prove_by_cadical(*sys.argv[3:]) else 10)
"""
    (tmp_path / "kissat").write_text(program)
    (tmp_path / "kissat").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert save_proof(APART, FOUR, folder=tmp_path / "proof").what == "terrain arrangement"
    assert checked(tmp_path / "proof")[0] == 0
    assert "A proof by kissat" in (tmp_path / "proof" / "note.txt").read_text()
    with pytest.raises(InvalidArgument, match="rules must allow no board"):
        save_proof("open", FOUR, folder=tmp_path / "none")


@needs_prover
def test_the_folder_of_a_proof_has_its_checker(tmp_path):
    save_proof(APART, FOUR, folder=tmp_path)
    names = ["check_proof.py", "clauses.cnf", "note.txt", "proof.drat"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    command = re.search(r"\n  (python check_proof.py .*)\n", (tmp_path / "note.txt").read_text())[1].split()
    command = [sys.executable, "-I", "-S", *command[1:]]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0


@needs_prover
def test_a_stranger_ties_the_clauses_to_the_rules(tmp_path):
    """The note has the rules, the layout and the command that writes the same clauses."""
    save_proof(APART, FOUR, folder=tmp_path / "proof")
    note = (tmp_path / "proof" / "note.txt").read_text()
    command = re.search(r"\n  catan-cp (export .*) > clauses.cnf", note)[1].split()
    rules, layout = note.split("\nRules:\n\n")[1].split("\nLayout:\n\n")
    (tmp_path / "rules.toml").write_text(rules)
    (tmp_path / "layout.toml").write_text(layout)
    result = run(command, tmp_path, cwd=tmp_path)
    assert result.stdout == (tmp_path / "proof" / "clauses.cnf").read_text(), result.stderr


PIGEONS = """int: holes; array[0..holes] of var 1..holes: p; var 1..holes: first = p[0];
include "alldifferent.mzn"; constraint alldifferent(p); solve maximize p[1];"""


@needs_prover
def test_models_without_a_solution_are_proven(tmp_path):
    (tmp_path / "m.mzn").write_text(PIGEONS)
    (tmp_path / "d.dzn").write_text("holes = 4;")
    result = run(["prove", tmp_path / "m.mzn", tmp_path / "d.dzn", "--save", tmp_path / "proof"], tmp_path)
    assert "no solution satisfies the model" in result.stdout, result.stderr
    assert checked(tmp_path / "proof")[0] == 0
    assert checked(tmp_path / "proof", "-m", "catan_cp.check_proof")[0] == 0
    assert "holes = 4;" in (tmp_path / "proof" / "note.txt").read_text()
    assert "alldifferent(p)" in (tmp_path / "proof" / "note.txt").read_text()
    plain = save_proof(model="var 1..3: x; constraint x > 2; constraint x < 3;", folder=tmp_path / "plain")
    assert plain.what == "solution"
    assert checked(tmp_path / "plain")[0] == 0


@needs_prover
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "var 1..3: x;"}, "model must have no solution for a proof"),
        ({"model": "var float: f; constraint f * f < -1;"}, "has no encoding"),
        ({"model": "var 1..3: x;", "rules": "blog"}, "about rules or about a model, not both"),
        ({"data": {"n": 1}}, "data must belong to a model"),
    ],
)
def test_wrong_models_have_no_proof(arguments, message, tmp_path):
    with pytest.raises(InvalidArgument, match=message):
        save_proof(folder=tmp_path / "proof", **arguments)
    assert not (tmp_path / "proof").exists()


@needs_prover
def test_an_empty_clause_is_proven(tmp_path):
    written(tmp_path, [[1], []], "")
    with Workers(1) as pool:
        paths = (str(tmp_path / name) for name in ("clauses.cnf", "proof.drat"))
        assert pool.submit(prove_by_cadical, *paths).result()
    assert checked(tmp_path)[0] == 0


@needs_prover
def test_a_proof_ends_with_its_time_limit(tmp_path, monkeypatch):
    hard = (written(tmp_path, pigeons(14), "") / "clauses.cnf").read_text()
    monkeypatch.setattr("catan_cp.search.proofs.dimacs", lambda *_: hard)
    began = time.monotonic()
    with pytest.raises(SolverTimeout, match="the time limit of 4 s passed; allow more time"):
        save_proof(APART, FOUR, folder=tmp_path / "proof", timeout=4)
    assert time.monotonic() - began < 7 and not (tmp_path / "proof").exists()


@needs_prover
def test_command(tmp_path):
    result = run(["prove", "optimal", "base-5-6", "--save", tmp_path / "proof"], tmp_path)
    assert "no terrain arrangement satisfies the rules" in result.stdout and "8,423 clauses" in result.stderr
    assert checked(tmp_path / "proof", "-I")[0] == 0


@needs_prover
@pytest.mark.slow
@pytest.mark.parametrize("rules", ["optimal", "blog", "open"])
def test_no_vertex_sums_below_21(rules, tmp_path):
    save_proof(Rules.preset(rules).replace(vertex_sum_below=21), folder=tmp_path)
    assert checked(tmp_path, "-I") == (0, "verified: the clauses have no solution")
    if shutil.which("drat-trim"):
        command = ["drat-trim", tmp_path / "clauses.cnf", tmp_path / "proof.drat"]
        assert "s VERIFIED" in subprocess.run(command, capture_output=True, text=True, check=False).stdout
