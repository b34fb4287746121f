"""Faults of real machines, made on purpose: the right error, and no leftovers.

`CATAN_CP_MINIZINC` names scripts that call the real MiniZinc. But they list another program as the solver,
or compile differently.
"""

import os
import re
import resource
import sys
from pathlib import Path

import pytest

from catan_cp import (
    Board,
    Rules,
    SolverFailed,
    SolverTimeout,
    best_board,
    enumerate_boards,
    enumerate_markers,
    enumerate_terrains,
    generate_board,
)
from tests.command_line import run, unmeasured
from tests.kills import COMMANDS, POST, problems_of_round
from tests.magic import magic_squares

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into Linux's /proc")


# A solver that fails


def test_missing_program(faulty):
    program = faulty("")
    for content in (b"\x7fELF, but not really", b"#!/nowhere/sh\n"):
        program.write_bytes(content)
        with pytest.raises(SolverFailed, match=rf"{program} does not start"):
            list(enumerate_terrains("blog"))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exec head -c 300000 /dev/urandom", r"before it was done, after 0 solutions|invalid solution"),
        ("exec cat /dev/zero", "printed an invalid solution"),
        pytest.param(
            "yes -- ---------- | head -c 3000000", "printed an invalid solution", marks=pytest.mark.slow
        ),
        ("echo hello; echo ----------; echo ==========", "printed an invalid solution: hello"),
        ("echo ----------", "printed an invalid solution"),
        (r"printf 'x = [1, 2];\n----------\nx = [1];\n----------\n'", r"invalid solution: x = \[1, 2\]"),
        ("echo 'x = [1, 2];'; echo ----------", r"invalid solution: x = \[1, 2\]"),
        ("echo 'error while loading shared libraries: libx.so.3' >&2; exit 127", r"status 127 .*libx\.so\.3"),
        ("echo =====UNKNOWN=====", "stopped with status 0 before it was done, after 0 solutions"),
        ("exit 0", r"stopped with status 0 before it was done, .*it printed nothing"),
        (
            "for mark in ========== ---------- =====UNSATISFIABLE=====; do "
            "echo % not $mark yet; echo %$mark; echo x$mark; done",
            "before it was done|invalid solution",
        ),
        ("kill -KILL $$", "killed by signal 9 before it was done"),
        ("head -c 3000000 /dev/zero >&2; exit 3", "stopped with status 3"),
    ],
)
def test_solver_that_prints_garbage_or_crashes(faulty, script, message):
    faulty(script)
    with pytest.raises(SolverFailed, match=message) as failed:
        list(enumerate_terrains("blog"))
    assert len(str(failed.value)) < 1000
    endless = script.endswith("/dev/zero")  # MiniZinc reads it until the time limit
    with pytest.raises(SolverTimeout if endless else SolverFailed):
        generate_board("blog", seed=1, timeout=2 if endless else None)


@pytest.mark.parametrize("rules", ["optimal", pytest.param("open", marks=pytest.mark.slow)])
def test_wrong_claim_of_no_solution_detected(faulty, rules):
    faulty("echo =====UNSATISFIABLE=====")
    for ask in (
        lambda: list(enumerate_terrains(rules)),
        lambda: list(enumerate_terrains(rules, up_to_symmetry=True)),
        lambda: list(enumerate_boards(rules)),
        lambda: generate_board(rules, method="solver", seed=1),
        lambda: best_board(rules, minimize="reds_touching"),
    ):
        with pytest.raises(SolverFailed, match=r"says that the rules allow no .*, but there are"):
            ask()
    with pytest.raises(SolverFailed, match="no markers, but there are 25,009,272,288,000 on 'base'"):
        list(enumerate_markers(POST, "open"))


POSTED = [2, 7, 5, 3, 4, 6, 7, 6, 5, 3, 5, 4, 7, 4, 6, 3, 5, 7, 4]
"""The terrain that the post prints, in codes."""
NUMBERED = [0, 2, 3, 3, 4, 4, 5, 5, 6, 6, 8, 8, 9, 9, 10, 10, 11, 11, 12]
"""The box's markers in order, none on the desert, which is tile 0."""


def answer(name, numbers):
    """A solver that has one solution."""
    return f"echo '{name} = array1d(1..{len(numbers)}, [{', '.join(map(str, numbers))}]);'; {DONE}"


def replaced(name, numbers):
    """A solver whose solutions have other numbers in one array; MiniZinc reads all of them."""
    row = f"{name} = array1d(1..{len(numbers)}, [{', '.join(map(str, numbers))}]);"
    return f"REAL \"$@\" | sed 's/^{name} = .*/{row}/'"


DONE = "echo ----------; echo =========="


LISTS = {
    "terrain": (POSTED, lambda: enumerate_terrains("open")),
    "marker": (NUMBERED, lambda: enumerate_markers(POST, "open")),
}


def test_pieces_of_box_accepted(faulty):
    for name, (row, ask) in LISTS.items():
        faulty(answer(name, row))
        expected = Board.from_notation(POST).terrain if name == "terrain" else (None, *NUMBERED[1:])
        assert list(ask()) == [expected]


@pytest.mark.parametrize(
    ("name", "place", "code"),
    [
        *(("terrain", 0, code) for code in (0, 8, 99, -1, 2**32 + 2, 10**20 - 1, 3)),
        *(("marker", *row) for row in ((0, 3), (1, 0), (1, 1), (2, 7), (2, 13), (2, 2))),
    ],
)
def test_piece_that_is_not_in_box(faulty, name, place, code):
    """As an index 0 would be gold, the last one.

    Of gold, 8, the box has none. Of brick, 3, no fourth.
    """
    row, ask = LISTS[name]
    faulty(answer(name, [*row[:place], code, *row[place + 1 :]]))
    with pytest.raises(SolverFailed, match=r"printed an invalid solution: .*\["):
        list(ask())


@pytest.mark.parametrize(
    ("place", "code"), [(38, 0), (38, 2), (38, 3), (38, 9), (0, 8), (0, 4294967298), (19, 3), (20, 7)]
)
def test_single_board_that_is_not_in_box(faulty, place, code):
    """Of trades 2 is the desert.

    3 is brick, which has one harbor already. 9 is nothing.
    """
    board = [*POSTED, *NUMBERED, 0, 0, 0, 0, *range(3, 8)]
    rules, is_right = Rules(harbors="shuffled"), board[place] == code
    board[place] = code
    faulty(replaced("board", board))
    if is_right:
        assert generate_board(rules, seed=1, method="solver").terrain == Board.from_notation(POST).terrain
    else:
        with pytest.raises(SolverFailed, match="printed an invalid solution"):
            generate_board(rules, seed=1, method="solver")


@pytest.mark.parametrize(
    ("name", "row", "ask"),
    [
        ("terrain", sorted(POSTED), lambda: enumerate_terrains("blog")),
        ("marker", NUMBERED, lambda: enumerate_markers(POST, Rules(vertex_sum_below=20))),
    ],
)
def test_wrong_pieces_are_noticed(faulty, name, row, ask):
    """Only the rules' own checkers can tell."""
    faulty(answer(name, row))
    with pytest.raises(SolverFailed, match="which breaks the rules"):
        list(ask())


SORTED_MARKERS = r"""REAL "$@" | awk '
    /^(board|marker) = / {
        first = /^board/ ? 20 : 1; name = $1
        sub(/.*\[/, ""); sub(/\].*/, ""); n = split($0, row, /, */)
        for (m = 2; m <= 12; m++) for (i = first; i < first + 19; i++) if (row[i] == m) sorted[++k] = m
        for (i = first; i < first + 19; i++) if (row[i] != 0) row[i] = sorted[++used]
        line = row[1]; for (i = 2; i <= n; i++) line = line ", " row[i]
        printf "%s = array1d(1..%d, [%s]);\n", name, n, line; k = 0; used = 0; next
    }
    { print }'"""
"""A solver that places the tokens of each solution in order: all of the box, against the rules."""


def test_solver_that_rearranges_pieces_against_rules(faulty):
    rules, words = Rules(reds_apart=True, equal_markers_apart=True), "breaks the rules: .* touch"
    board = generate_board(rules, seed=1, method="solver", solver="chuffed")
    assert rules.check(board) == []
    faulty(SORTED_MARKERS)
    for make in (
        lambda: generate_board(rules, seed=1, method="solver"),
        lambda: next(enumerate_boards(rules)),
        lambda: next(enumerate_boards(rules.replace(constraints=["terrain[1] = ORE /\\ marker[1] != 2"]))),
        lambda: best_board(rules, minimize="largest_vertex_sum", timeout=120),
    ):
        with pytest.raises(SolverFailed, match=words):
            make()


@pytest.mark.parametrize(
    "row",
    [
        "[5, 5, 5, 5, 5, 5, 5, 5, 5]",
        "nonsense",
        "[1,2,3]",
        "[1,2,3,4,5,6,7,8,,]",
        "[1,2,3,4,5,6,7,8,]",
        "[1,2,3,4,5,6,7,8,nine]",
        "[1,2,3,4,5,6,7,8,9]; cell = [1,2,3,4,5,6,7,8,9]",
        "",
    ],
)
def test_squares_that_are_none(faulty, row):
    faulty(f"echo 'cell = {row};'; {DONE}")
    with pytest.raises(SolverFailed, match="printed an invalid solution"):
        list(magic_squares(3))


@pytest.mark.parametrize("end", ["exit 0", "kill -KILL $$"])
def test_half_line_is_not_solution(faulty, end):
    complete = list(enumerate_terrains("blog"))
    faulty(f'REAL "$@" | head -c 3000; {end}')
    results = []
    with pytest.raises(SolverFailed) as failed:
        for terrain in enumerate_terrains("blog"):
            results.append(terrain)  # noqa: PERF402 - keeps the results before the error
    assert 0 < len(results) < 96
    assert results == complete[: len(results)]
    how = "killed by signal 9" if "kill" in end else "stopped with status 0"
    assert f"{how} before it was done, after {len(results)} solutions" in str(failed.value)


# A compiler that fails


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'libminizinc.so: cannot open' >&2; exit 127", r"status 127\): libminizinc\.so: cannot open"),
        ("kill -SEGV $$", r"status -11\)"),
        ("exit 0", r"could not compile solve_terrain\.mzn"),
        ('for a; do case $a in *.fzn|*.ozn) echo "gar bage" > "$a";; esac; done', "chuffed|gecode"),
    ],
)
def test_compiler_that_fails(faulty, script, message):
    faulty(compiler=script)
    with pytest.raises(SolverFailed, match=message):
        list(enumerate_terrains(Rules(symmetry="corners", desert="coast")))


def test_crashed_compiler_started_again(faulty):
    """MiniZinc 2.9.2 aborts on some models, which it compiles with a few more declarations."""
    faulty(compiler='case "$*" in *more.mzn*) exec REAL "$@";; *) kill -ABRT $$;; esac')
    rules = Rules(symmetry="corners", desert="centre", terrain_cluster_max=1)
    assert len(list(enumerate_terrains(rules, limit=7))) == 7


def test_compiler_has_limit_of_memory(faulty, tmp_path):
    faulty(compiler=f'sleep 1; ulimit -v > {tmp_path}/limit; exec REAL "$@"')
    assert len(list(enumerate_terrains(Rules(symmetry="corners", desert="coast"), limit=1))) == 1
    assert (tmp_path / "limit").read_text() == f"{4 << 20}\n"  # in kB


# Unintended input: see also test_fuzzing.py


def test_line_without_end_fills_no_memory(tmp_path):
    def little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))

    with Path("/dev/zero").open() as endless:
        result = run(["check", "-"], tmp_path, stdin=endless, preexec_fn=little_memory)
    assert result.returncode == 1
    limit = "standard input has more than 10,000,000 characters; give fewer boards"
    assert result.stderr == f"catan-cp: {limit}\n"


def test_bytes_that_are_not_text(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\n")
    with (tmp_path / "bytes").open() as file:
        result = run(["check", "-"], tmp_path, stdin=file)
    assert result.returncode == 1
    assert re.fullmatch(r"catan-cp: standard input is not text: .*\n", result.stderr)


# Ends that come suddenly


@pytest.mark.parametrize(
    "number", [number if number < 3 else pytest.param(number, marks=pytest.mark.slow) for number in range(10)]
)
def test_ends_at_random_moments(tmp_path, monkeypatch, number):
    monkeypatch.setattr(os, "environ", unmeasured())
    name = sorted(COMMANDS)[number % len(COMMANDS)]
    assert problems_of_round(name, number, tmp_path) == []
