"""Proofs of infeasible rules, and the stand-alone program that checks them."""

import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import pytest

import catan_cp
from catan_cp import CatanError, InvalidArgument, Rules, SolverFailed, SolverTimeout, check_proof, save_proof

# save_proof writes the proof of rules or of a model. These functions prove any clauses.
from catan_cp.anymodel.counters import prove_by_cadical
from catan_cp.search.hints import write_hints
from tests.command_line import run
from tests.conftest import script

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
    (folder / "proof.lrat").write_text(proof)
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
    """Check a proof without its hints, as simply as possible: look at all clauses again and again."""
    clauses = {number: frozenset(clause) for number, clause in enumerate(clauses, start=1)}
    for line in text.splitlines():
        words = line.split()
        if words[1] == "d":
            for word in words[2:-1]:
                clauses.pop(int(word), None)
            continue
        literals = [int(word) for word in words[1 : words.index("0", 1)]]
        clause = frozenset(literals)
        if not falsified(clauses.values(), clause)[1] and not (
            clause
            and all(
                falsified(clauses.values(), clause | partner - {-literals[0]})[1]
                for partner in clauses.values()
                if -literals[0] in partner
            )
        ):
            return False
        if not clause:
            return True
        clauses[int(words[0])] = clause
    return False


@pytest.fixture(scope="module")
def hinted():
    """Write the proof of CaDiCaL, or other steps, with hints, and return its text."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:

        def write(folder, clauses, steps=None):
            written(folder, clauses, "")
            paths = [
                str(folder / name) for name in ("clauses.cnf", "solver.drat", "proof.drat", "proof.lrat")
            ]
            if steps is None:
                assert pool.submit(prove_by_cadical, *paths[:2]).result()
            else:
                Path(paths[1]).write_text(steps)
            pool.submit(write_hints, *paths).result()
            return Path(paths[3]).read_text()

        yield write


@pytest.fixture(scope="module")
def pigeon_proof(hinted, tmp_path_factory):
    """The text of a proof that five pigeons do not fit into four holes."""
    return hinted(tmp_path_factory.mktemp("pigeons"), pigeons(4))


@needs_prover
def test_damaged_proofs_rejected(pigeon_proof, tmp_path):
    """A second checker accepts a damaged proof that is accepted, and never one of satisfiable clauses."""
    source, rejected, accepted, lines = random.Random(1), 0, 0, pigeon_proof.splitlines()
    for _ in range(400):
        clauses, damaged = pigeons(4), list(lines)
        for _ in range(source.randint(1, 3)):
            place = source.randrange(len(damaged))
            words = damaged[place].split()
            change = source.choice(("line", "word", "sign", "number"))
            at = source.randrange(len(words) - 1)
            if change == "line":
                del damaged[place]
                continue
            if change == "word":
                words.pop(at)
            elif words[at] != "d":
                words[at] = str(-int(words[at]) if change == "sign" else source.randint(-60, 60))
            damaged[place] = " ".join(words)
        is_satisfiable = source.random() < 0.5
        if is_satisfiable:
            clauses[source.randrange(len(clauses))] = clauses[0] if source.random() < 0.5 else [1, -1]
            is_satisfiable = clauses != pigeons(4)
        text = "\n".join([*damaged, ""])
        try:
            reason = check_proof.check(str(written(tmp_path, clauses, text)), bool)
        except check_proof.Unreadable:
            reason = "unreadable"
        rejected += reason != ""
        accepted += reason == ""
        assert reason or (not is_satisfiable and is_proof(clauses, text)), text
    assert rejected >= 200 and accepted >= 5


CUBE = [[a, b, c] for a in (1, -1) for b in (2, -2) for c in (3, -3)]
"""Clauses without a solution, of which no literal alone leads to a contradiction."""


def test_hints_of_new_variables(hinted, tmp_path):
    text = hinted(tmp_path, CUBE, "5 -1 0\n-5 1 0\n7 5 5 0\n5 2 0\n5 0\nd 1 2 3 0\n-1 2 0\n0\n9 0\n")
    assert checked(tmp_path)[0] == 0 and is_proof(CUBE, text)
    assert [line.split()[1:3] for line in text.splitlines()][:-1] == [
        ["5", "-1"], ["-5", "1"], ["5", "2"], ["5", "0"], ["d", "1"], ["-1", "2"]
    ]  # fmt: skip
    assert "-5 1 0 -9 0" in text
    assert (tmp_path / "proof.drat").read_text().splitlines()[0] == "5 -1 0"


def test_clause_needed_as_partner_alone_stays(hinted, tmp_path):
    """(5 -1) is only in the hints of (-5 1), whose first literal it denies."""
    text = hinted(tmp_path, CUBE, "5 -1 0\n-5 1 0\n5 1 2 0\nd 1 2 3 0\n1 2 0\n1 0\n-1 2 0\n0\n")
    assert checked(tmp_path)[0] == 0 and is_proof(CUBE, text)
    assert "9 5 -1 0" in text and "10 -5 1 0 -9 0" in text


@pytest.mark.parametrize("steps", ["0\n", "1 0\n0\n", "1 2 0\n", "9 -9 0\n5 -1 0\n0\n", ""])
def test_wrong_steps_have_no_hints(steps, hinted, tmp_path):
    with pytest.raises(
        SolverFailed, match=r"proof (is neither RUP nor RAT|does not derive the empty clause)"
    ):
        hinted(tmp_path, CUBE, steps)
    assert (tmp_path / "proof.lrat").read_text() == ""


@needs_prover
def test_proofs_of_random_clauses_verified(hinted, tmp_path):
    source = random.Random(3)
    for _ in range(3):
        clauses = [[v * source.choice((1, -1)) for v in source.sample(range(1, 31), 3)] for _ in range(260)]
        text = hinted(tmp_path, clauses)
        assert check_proof.check(str(tmp_path), bool) == "" and is_proof(clauses, text)
        assert len(text.splitlines()) <= len((tmp_path / "solver.drat").read_text().splitlines())


UNITS = "p cnf 1 2\n1 0\n-1 0\n"
FOUR_CLAUSES = "p cnf 3 4\n1 2 0\n1 -2 0\n-1 3 0\n-1 -3 0\n"
NAMED = "5 4 -1 -2 0 0\n"  # A new variable, 4, that is "1 and 2" (RAT).
BOTH = "6 -4 1 0 -5 0\n7 -4 2 0 -5 0\n"
END = "8 1 0 1 2 0\n8 d 7 5 0\n9 0 8 3 4 0\n"
CHAIN = "p cnf 3 3\n-1 2 0\n2 3 0\n2 -3 0\n"  # (1 4) is RAT on 1: its resolvent with (-1 2) follows.
NEITHER = "adds a clause that is neither RUP nor RAT by its hints"


@pytest.mark.parametrize(
    ("clauses", "proof", "status", "text"),
    [
        (UNITS, "3 0 1 2 0\n", 0, "verified"),
        (UNITS, "3 1 0 1 0\n", 1, "does not derive"),
        (UNITS, "3 0 1 0\n", 1, "neither RUP nor RAT"),
        (UNITS, "2 0 1 2 0\n", 1, "has the number 2, which is not above 2"),
        (UNITS, "3 d 3 0\n", 1, "deletes a clause that does not exist"),
        (UNITS, "", 1, "does not derive the empty clause"),
        (UNITS, "3 0 1 2\n", 2, "line 1 must be whole numbers with a 0 after the li"),
        (UNITS, "3 0 0 1 2 0\n", 2, "line 1 must be whole numbers with a 0 after"),
        (UNITS, "3 d 1\n", 2, "line 1 must be whole numbers with a 0 at the end"),
        (UNITS, "x 0 1 2 0\n", 2, "must be whole numbers"),
        (UNITS, "a\xff", 2, "must be a text file"),
        (UNITS, f"3 {'9' * 5000} 0 0\n", 2, "proof.lrat, line 1 must be whole numbers"),
        ("p cnf 1 2\n1 0\n", "0\n", 2, "CLAUSES in line 1 must be 1"),
        ("p cnf 1 2\n1 0\n-2 0\n", "0\n", 2, "VARIABLES in line 1 must be at least 2"),
        ("1 0\n-1 0\n", "0\n", 2, "must be 'p cnf VARIABLES CLAUSES'"),
        ("p cnf 1 1\n0\n", "2 0 1 0\n", 0, "verified"),
        ("c only\np cnf 0 0\n", "1 0 0\n", 1, "line 1 of the proof"),
        (FOUR_CLAUSES, NAMED + BOTH + END, 0, "verified"),
        (FOUR_CLAUSES, NAMED + BOTH + "8 d 7 4 0\n9 1 0 1 2 0\n10 0 9 3 4 0\n", 1, NEITHER),
        *(
            (FOUR_CLAUSES, f"{NAMED}{wrong}\n{END}", 1, f"line 2 of the proof {NEITHER}")
            for wrong in ("6 -4 -2 0 -5 0", "6 -4 1 0 0", "6 -4 1 0 -1 0", "6 0 -5 0", "6 0 0")
        ),
        (CHAIN, "4 1 4 0 -1 2 3 0\n", 1, "does not derive the empty"),
        (CHAIN, "4 1 4 0 -1 2 0\n", 1, NEITHER),
        (CHAIN, "4 1 4 0 2 3 0\n", 1, NEITHER),
    ],
)
def test_files_checked(clauses, proof, status, text, tmp_path, capsys):
    (tmp_path / "clauses.cnf").write_text(clauses)
    (tmp_path / "proof.lrat").write_bytes(proof.encode("latin-1"))
    assert check_proof.main([str(tmp_path)]) == status
    output = "".join(capsys.readouterr())
    assert text in output
    assert ("verified: ", "rejected: ", "not checked: ")[status] in output
    assert check_proof.main([str(tmp_path / "missing")]) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="uses named pipes, and a limit on address space")
def test_uncheckable_proof_not_rejected(tmp_path):
    proof = written(tmp_path, [[1], [-1]], f"3 0 {'1 ' * 2_000_000}0\n") / "proof.lrat"
    command = f"ulimit -v 60000; exec {sys.executable} -I -S {CHECKER} {tmp_path}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == 2 and result.stderr.startswith("not checked: MemoryError")
    proof.unlink()
    os.mkfifo(proof)
    assert checked(tmp_path) == (2, f"not checked: {proof} must be a file")


FOUR = catan_cp.Layout("four", (1, 2, 1), {"brick": 2, "ore": 2}, {6: 2, 8: 2})
APART = Rules(constraints=("forall(t in TILE, u in neighbors[t])(terrain[t] != terrain[u])",))
"""No two tiles of one terrain touch."""


@pytest.fixture(scope="module")
def apart_proof(tmp_path_factory):
    """The folder of a proof that these rules have no terrain arrangement."""
    folder = tmp_path_factory.mktemp("apart") / "proof"
    assert save_proof(APART, FOUR, folder=folder).what == "terrain arrangement"
    return folder


@needs_prover
def test_folder_of_proof_has_its_checker(apart_proof):
    names = ["check_proof.py", "clauses.cnf", "note.txt", "proof.drat", "proof.lrat"]
    assert sorted(path.name for path in apart_proof.iterdir()) == names
    note = (apart_proof / "note.txt").read_text()
    assert "no terrain arrangement" in note and "neighbors[t]" in note
    assert "four" not in note.split("Layout:")[0]
    command = re.search(r"\n  (python check_proof.py .*)\n", note)[1].split()
    command = [sys.executable, "-I", "-S", *command[1:]]
    assert subprocess.run(command, cwd=apart_proof, check=False).returncode == 0


@needs_prover
def test_stranger_ties_clauses_to_rules(apart_proof, tmp_path):
    """The note has the rules, the layout and the command that writes the same clauses."""
    note = (apart_proof / "note.txt").read_text()
    command = re.search(r"\n  catan-cp (export .*) > clauses.cnf", note)[1].split()
    rules, layout = note.split("\nRules:\n\n")[1].split("\nLayout:\n\n")
    (tmp_path / "rules.toml").write_text(rules)
    (tmp_path / "layout.toml").write_text(layout)
    result = run(command, tmp_path, cwd=tmp_path)
    assert result.stdout == (apart_proof / "clauses.cnf").read_text(), result.stderr


@needs_prover
def test_edited_models_are_proven(tmp_path):
    models = catan_cp.copy_models(tmp_path / "models")
    with (models / "markers.mzn").open("a") as file:  # no two markers are equal, but there are two of each
        file.write("constraint forall(t, u in TILE where t < u)(marker[t] != marker[u]);\n")
    proof = save_proof(Rules(models=models), FOUR, folder=tmp_path / "edited")
    assert proof.what == "board" and checked(tmp_path / "edited")[0] == 0
    assert str(models) in (tmp_path / "edited" / "note.txt").read_text()


@needs_prover
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "open", "layout": FOUR}, "rules must allow no board of 'four' for a proof"),
        ({"rules": Rules(constraints=("1 = 2",))}, "so no clauses are left; leave out rules"),
        ({"model": "var 1..3: x;"}, "model must have no solution for a proof"),
        ({"model": "var float: f; constraint f * f < -1;"}, "has no encoding"),
        ({"model": "var 1..3: x;", "rules": "blog"}, "about rules or about a model, not both"),
        ({"data": {"n": 1}}, "data must belong to a model"),
    ],
)
def test_impossible_proofs_rejected(arguments, message, tmp_path):
    with pytest.raises(InvalidArgument, match=message):
        save_proof(folder=tmp_path / "proof", **arguments)
    assert not (tmp_path / "proof").exists()


def test_needs_of_proof(tmp_path, monkeypatch):
    (tmp_path / "mine").touch()
    with pytest.raises(InvalidArgument, match="folder must be new or empty"):
        save_proof(folder=tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("catan_cp.search.proofs.find_spec", lambda name: None)
    with pytest.raises(
        CatanError, match=r"pip install 'catan-cp\[prove\]', or put cadical or kissat on the PATH"
    ):
        save_proof(folder=tmp_path / "new")


# Programs on the PATH


@pytest.fixture
def kissat(tmp_path, monkeypatch):
    """Write a program that proves in the place of python-sat."""

    def write(text):
        path = tmp_path / "bin" / "kissat"
        path.parent.mkdir()
        script(path, text)
        monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)

    monkeypatch.setattr("catan_cp.search.proofs.find_spec", lambda name: None)
    return write


@needs_prover
def test_program_on_path_may_prove(kissat, tmp_path):
    """The program has the command line of CaDiCaL, and is python-sat's copy of it."""
    code = "sys.exit(20 if prove_by_cadical(*sys.argv[3:]) else 10)"
    start = f"import sys; from catan_cp.anymodel.counters import prove_by_cadical; {code}"
    kissat(f'[ "$1 $2" = "-q --no-binary" ] && exec {sys.executable} -c "{start}" "$@"')
    save_proof(APART, FOUR, folder=tmp_path / "proof")
    assert checked(tmp_path / "proof")[0] == 0
    assert "A proof by kissat" in (tmp_path / "proof" / "note.txt").read_text()
    with pytest.raises(InvalidArgument, match="rules must allow no board"):
        save_proof("open", FOUR, folder=tmp_path / "none")


def test_program_that_writes_wrong_proof_fails(kissat, tmp_path):
    kissat('echo 0 > "$4"\nexit 20')
    with pytest.raises(SolverFailed, match="neither RUP nor RAT; please report this"):
        save_proof("open", FOUR, folder=tmp_path / "proof")
    assert not (tmp_path / "proof").exists()


PIGEONS = """int: holes; array[0..holes] of var 1..holes: p; var 1..holes: first = p[0];
include "alldifferent.mzn"; constraint alldifferent(p); solve maximize p[1];"""


@needs_prover
def test_models_without_solution_are_proven(tmp_path):
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
def test_empty_clause_is_proven(hinted, tmp_path):
    assert hinted(tmp_path, [[1], []]) == "3 0 2 0\n"
    assert checked(tmp_path)[0] == 0


@needs_prover
def test_proof_ends_with_its_time_limit(tmp_path, monkeypatch):
    hard = (written(tmp_path, pigeons(14), "") / "clauses.cnf").read_text()
    monkeypatch.setattr("catan_cp.search.proofs.dimacs", lambda *_: hard)
    began = time.monotonic()
    with pytest.raises(SolverTimeout, match="the time limit of 2 s passed; allow more time"):
        save_proof(APART, FOUR, folder=tmp_path / "proof", timeout=2)
    assert time.monotonic() - began < 7 and not (tmp_path / "proof").exists()


@needs_prover
@pytest.mark.slow
@pytest.mark.parametrize("rules", ["optimal", "blog", "open"])
def test_no_vertex_sums_below_21(rules, tmp_path):
    save_proof(Rules.preset(rules).replace(vertex_sum_below=21), folder=tmp_path)
    start = time.monotonic()
    assert checked(tmp_path) == (0, "verified: the clauses have no solution")
    assert time.monotonic() - start < 10
    if shutil.which("drat-trim"):
        command = ["drat-trim", tmp_path / "clauses.cnf", tmp_path / "proof.drat"]
        assert "s VERIFIED" in subprocess.run(command, capture_output=True, text=True, check=False).stdout
