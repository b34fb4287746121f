"""Studies: the same whoever works on them, killed and continued, and every misfortune that they outlive."""

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from stored import everything, study_in

import catan_cp.studies.run
from catan_cp.counting import exact_mean, vertex_pips
from catan_cp.entropy import efficiency, efficiency_error
from catan_cp.errors import (
    CatanError,
    Infeasible,
    Interrupted,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    SolverFailed,
    SolverNotFound,
)
from catan_cp.experiments.placement import random_boards
from catan_cp.placement import Objective, solve_placement
from catan_cp.rules.rules import Rules
from catan_cp.search.enumerating import enumerate_boards
from catan_cp.search.generate import generate_boards
from catan_cp.studies import Study, run_study
from catan_cp.studies.comparing import compare_studies, describe_study
from catan_cp.studies.pictures import plot_comparison, plot_top
from catan_cp.studies.run import chunk_seed, work
from catan_cp.studies.store import Store
from catan_cp.workers import Workers

BOARDS = random_boards(90, seed=11)


def score(path, boards=BOARDS, **options):
    """Score boards, ten a chunk."""
    n = options.pop("n", None)
    return study_in(path, n, boards, **({"rules": "open", "chunk": 10} | options))


def make(path, n=30, **options):
    """Make boards, ten a chunk."""
    return study_in(path, n, **({"rules": "tournament", "seed": 1, "chunk": 10} | options))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The rows of 30 boards that were made in this process, undisturbed."""
    path = tmp_path_factory.mktemp("made") / "study.db"
    make(path)
    return everything(path)


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """The rows of `BOARDS`, scored in this process, undisturbed."""
    path = tmp_path_factory.mktemp("scored") / "study.db"
    score(path)
    return everything(path)


# What comes out


def test_the_first_500_boards_of_the_post_score_as_one_by_one(tmp_path):
    with enumerate_boards("blog") as boards:
        study = run_study(Study(500, "blog"), tmp_path / "blog.db", boards=boards, progress=False)
    assert (study.made, study.boards, study.failures) == (500, 500, {})
    with Store(tmp_path / "blog.db") as store, enumerate_boards("blog", limit=500) as boards:
        rows = store.query("SELECT * FROM results ORDER BY board")
        for row, board in zip(rows, boards, strict=True):
            placement = solve_placement(board)
            assert row["notation"] == board.notation()
            assert row["efficiency_error"] == efficiency_error(board)
            assert row["efficiency_ore"] == efficiency(board)["ore"]
            assert tuple(row[f"value_{seat}"] for seat in range(1, 5)) == placement.values
            assert row["seat_spread"] == max(placement.values) - min(placement.values)
            assert "blog" in row["presets"].split() and row["pips_ore"] == board.terrain_pips()["ore"]


def test_boards_are_those_of_the_chunks_seeds(made):
    notations = [
        board.notation()
        for number in range(3)
        for board in generate_boards(10, "tournament", "base", seed=chunk_seed(1, number))
    ]
    assert [row["notation"] for row in made["boards"]] == notations
    assert len({chunk_seed(s, i) for s in range(30) for i in range(30)}) == 900


def test_all_boards_keep_the_rules(made):
    kept = [row["board"] for row in made["satisfied"] if row["preset"] == "tournament"]
    assert kept == list(range(1, 31))


def test_two_processes_make_the_same(tmp_path, made):
    make(tmp_path / "two.db", workers=2)
    assert everything(tmp_path / "two.db") == made


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_any_executor_makes_the_same(tmp_path, scored, kind):
    executor = ProcessPoolExecutor(2, get_context("spawn")) if kind == "processes" else ThreadPoolExecutor(3)
    with executor:
        score(tmp_path / "study.db", executor=executor)
        assert executor.submit(len, "alive").result() == 5  # it is the caller's to end
    assert everything(tmp_path / "study.db") == scored


def test_a_study_goes_on_to_a_larger_number(tmp_path, made):
    for n in (3, 17, 30):
        assert make(tmp_path / "study.db", n).made == n
    assert everything(tmp_path / "study.db") == made


def test_given_boards_that_become_more(tmp_path, scored):
    for n in (0, 4, 37, 37, 90):
        assert score(tmp_path / "study.db", iter(BOARDS[:n])).made == n
    assert everything(tmp_path / "study.db") == scored


def test_n_ends_an_endless_iterable(tmp_path):
    def endless():
        while True:
            yield from BOARDS

    study = score(tmp_path / "s.db", endless(), n=25)
    assert study.made == 25


def test_boards_that_are_stored_are_not_scored_again(tmp_path, monkeypatch):
    score(tmp_path / "study.db", BOARDS[:40])
    worked = []
    monkeypatch.setattr(
        catan_cp.studies.run, "work", lambda chunk: worked.append(chunk.number) or work(chunk)
    )
    score(tmp_path / "study.db")
    assert worked == [4, 5, 6, 7, 8]


def test_without_a_seed_a_new_study_draws_one_and_goes_on_with_it(tmp_path):
    first = make(tmp_path / "a.db", 3, rules="open", seed=None)
    assert make(tmp_path / "a.db", 5, rules="open", seed=None).study.seed == first.study.seed
    assert make(tmp_path / "b.db", 3, rules="open", seed=None).study.seed != first.study.seed
    make(tmp_path / "c.db", 3, rules="open", seed=first.study.seed)
    make(tmp_path / "c.db", 5, rules="open", seed=first.study.seed)
    assert everything(tmp_path / "c.db") == everything(tmp_path / "a.db")


def test_players_and_objectives(tmp_path):
    goals = (Objective(), Objective(harbor=1), Objective.report())
    study = score(tmp_path / "study.db", BOARDS[:3], players=3, objective=goals)
    assert study.study.objective == goals and study.study.players == 3
    with Store(tmp_path / "study.db") as store:
        values = solve_placement(BOARDS[1], 3, goals).values
        assert tuple(store.row(2)[f"value_{seat}"] for seat in (1, 2, 3)) == values


# Killed and continued

RUN = """
import json, sys
from catan_cp.experiments.placement import random_boards
from catan_cp.studies import Study, run_study

if __name__ == "__main__":
    options = json.loads(sys.argv[2])
    boards = random_boards(600, seed=11) if options.pop("given") else None
    workers, n = options.pop("workers", 1), options.pop("n", None)
    print("begun", flush=True)
    watch = lambda told: told.rate and print(told.done, flush=True)
    run_study(Study(n, **options), sys.argv[1], boards=boards, workers=workers, progress=watch)
"""
GIVEN = {"given": True, "rules": "open", "chunk": 12, "workers": 2}
MADE = {"given": False, "n": 24, "rules": "tournament", "seed": 1, "solver": "chuffed", "chunk": 2}


@pytest.mark.parametrize(("options", "kills"), [(GIVEN, 4), (MADE, 6)], ids=["given", "made"])
def test_killed_again_and_again_it_ends_as_if_nothing_had_happened(tmp_path, options, kills):
    script, path = tmp_path / "run.py", tmp_path / "study.db"
    script.write_text(RUN)
    command = [sys.executable, str(script), str(path), json.dumps(options)]
    rng, midway = random.Random(5), 0
    for kill in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout.readline() == b"begun\n"
        if kill % 2:  # not before something was stored
            process.stdout.readline()
        time.sleep(rng.uniform(0, 0.2))
        process.kill()
        process.communicate()
        try:
            with Store(path) as store:
                study = store.study()
        except InvalidArgument:  # killed before the study began
            assert not path.exists() or kill == 0
            continue
        assert study.made % options["chunk"] == 0 and study.boards == study.made
        midway += 0 < study.made < options.get("n", 600)
    assert midway >= kills / 2, "the kills missed the work; change their times"
    subprocess.run(command, capture_output=True, check=True)
    if options is GIVEN:
        score(tmp_path / "whole.db", random_boards(600, seed=11), chunk=12)
    else:
        make(tmp_path / "whole.db", 24, solver="chuffed", chunk=2)
    assert everything(path) == everything(tmp_path / "whole.db")


def test_the_processes_of_a_killed_run_end_too(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(RUN)
    options = json.dumps(MADE | {"n": 100_000, "workers": 2})
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "study.db"), options], stdout=subprocess.PIPE
    )
    process.stdout.readline()
    children = wait_for(lambda: len(found := descendants(process.pid)) >= 3 and found)
    process.kill()
    process.communicate()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="looks where Linux keeps semaphores")
def test_a_killed_group_leaves_no_semaphores(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(RUN)
    before = set(Path("/dev/shm").iterdir())
    process = subprocess.Popen(
        [
            sys.executable,
            str(script),
            str(tmp_path / "study.db"),
            json.dumps(MADE | {"n": 100_000, "workers": 2}),
        ],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    process.stdout.readline()
    children = wait_for(lambda: len(found := descendants(process.pid)) >= 3 and found)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))
    assert not [path for path in set(Path("/dev/shm").iterdir()) - before if path.name.startswith("sem.mp-")]


def descendants(pid):
    """The processes that a process started, and those that they started (Linux)."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    children = [int(word) for word in found.stdout.split()]
    return children + [far for near in children for far in descendants(near)]


def wait_for(question, patience=20.0):
    """Ask again and again until the answer is yes, and return it."""
    end = time.monotonic() + patience
    while not (answer := question()):
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)
    return answer


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(tmp_path, scored, workers):
    def boards():
        yield from BOARDS[:70]
        os.kill(os.getpid(), signal.SIGINT)
        yield from BOARDS[70:]

    path = tmp_path / "study.db"
    with pytest.raises(Interrupted, match=r"interrupted; .* keeps study .* The same call goes on") as stopped:
        score(path, boards(), workers=workers)
    with Store(path) as store:
        assert stopped.value.result == store.study()
        assert stopped.value.result.made >= (70 if workers == 1 else 0)
    score(path)
    assert everything(path) == scored


# Misfortunes


class Unlucky:
    """Work that goes wrong on some chunks, as often as is said, and else as usual."""

    def __init__(self, **times):
        self.times = {int(name[1:]): number for name, number in times.items()}
        self.error = SolverFailed("the solver died: its last words")

    def __call__(self, chunk):
        if self.times.get(chunk.number, 0) > 0:
            self.times[chunk.number] -= 1
            raise self.error
        return work(chunk)


def test_a_chunk_that_fails_once_costs_nothing(tmp_path, monkeypatch, scored):
    monkeypatch.setattr(catan_cp.studies.run, "work", Unlucky(_3=1, _8=1))
    assert score(tmp_path / "study.db").failures == {}
    assert everything(tmp_path / "study.db") == scored


@pytest.mark.parametrize("error", [SolverFailed("it died"), MemoryError("no room"), OSError("no solver")])
def test_a_chunk_that_fails_twice_is_recorded_and_tried_by_the_next_call(
    tmp_path, monkeypatch, scored, error
):
    unlucky = Unlucky(_3=2, _8=2)
    unlucky.error = error
    monkeypatch.setattr(catan_cp.studies.run, "work", unlucky)
    study = score(tmp_path / "study.db")
    assert study.failures == dict.fromkeys((3, 8), f"{type(error).__name__}: {error}")
    assert study.made == 70 and "2 chunks failed" in str(study)
    assert score(tmp_path / "study.db").failures == {}
    assert everything(tmp_path / "study.db") == scored


def test_a_chunk_that_fails_while_the_study_grows_keeps_its_beginning(tmp_path, monkeypatch, scored):
    score(tmp_path / "study.db", BOARDS[:35])
    monkeypatch.setattr(catan_cp.studies.run, "work", Unlucky(_3=2))
    assert list(score(tmp_path / "study.db").failures) == [3]
    with Store(tmp_path / "study.db") as store:
        assert store.board(35) == BOARDS[34]
    score(tmp_path / "study.db")
    assert everything(tmp_path / "study.db") == scored


def test_a_solver_that_hangs_costs_its_chunk_and_no_more(tmp_path, monkeypatch):
    study = make(tmp_path / "study.db", 20, timeout=0.001)
    assert list(study.failures) == [0, 1] and "time limit" in study.failures[0]
    assert make(tmp_path / "study.db", 20).made == 20


class Deadly:
    """A real pool whose process dies on one chunk, every time or once."""

    def __init__(self, number, once, folder):
        self.number, self.once, self.mark = number, once, folder / "died"

    def __call__(self, chunk):
        if chunk.number == self.number and not (self.once and self.mark.exists()):
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return work(chunk)


class Poisoned:
    """A chunk that kills the process that it is sent to, every time or once."""

    def __init__(self, chunk, once, mark):
        self.facts = chunk, once, mark

    def __reduce__(self):
        return _swallow, self.facts


def _swallow(chunk, once, mark):
    if not (once and mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk


@pytest.mark.parametrize("once", [True, False])
def test_a_worker_that_dies_costs_one_chunk_at_most(tmp_path, monkeypatch, scored, once):
    def submit(workers, function, chunk):
        poisoned = Poisoned(chunk, once, tmp_path / "died")
        return normally(workers, function, poisoned if chunk.number == 4 else chunk)

    normally = Workers.submit
    monkeypatch.setattr(Workers, "submit", submit)
    study = score(tmp_path / "study.db", workers=2)
    assert study.failures == ({} if once else {4: "WorkerDied: the process that worked on it died"})
    monkeypatch.undo()
    score(tmp_path / "study.db", workers=1)
    assert everything(tmp_path / "study.db") == scored


def test_a_pool_of_the_callers_that_breaks_ends_the_call_and_loses_nothing(tmp_path, monkeypatch, scored):
    monkeypatch.setattr(catan_cp.studies.run, "work", Deadly(4, False, tmp_path))
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
        pytest.raises(
            CatanError, match=r"the executor has ended .* keeps .* make a new executor, then call again"
        ),
    ):
        score(tmp_path / "study.db", executor=pool, workers=1)
    monkeypatch.undo()
    score(tmp_path / "study.db")
    assert everything(tmp_path / "study.db") == scored


def test_a_cancelled_chunk_ends_the_call(tmp_path):
    class Ended(ThreadPoolExecutor):
        def submit(self, task, *arguments):
            future = Future()
            future.cancel()
            return future

    with pytest.raises(CatanError, match="called chunk 0 off"):
        score(tmp_path / "study.db", executor=Ended())


def test_another_version_on_a_worker_is_refused(tmp_path, monkeypatch):
    other = {"versions": ("9.9", None)}
    monkeypatch.setattr(catan_cp.studies.run, "work", lambda chunk: work(chunk)._replace(**other))
    with pytest.raises(CatanError, match=r"are \('9.9', None\), but the study is of"):
        score(tmp_path / "study.db")


def test_rules_that_no_board_satisfies_end_at_once(tmp_path):
    rules = Rules(vertex_pips_min=15)
    with pytest.raises(Infeasible):
        make(tmp_path / "study.db", rules=rules)


def test_chunks_in_flight_are_few_and_memory_stays_low(tmp_path):
    taken, written = [], []

    def boards():
        for i in range(2000):
            taken.append(i)
            yield BOARDS[i % 90]

    with ThreadPoolExecutor(2) as pool:
        score(
            tmp_path / "study.db",
            boards(),
            workers=2,
            executor=pool,
            progress=lambda told: written.append(len(taken) - told.done),
        )
    assert 0 < max(written) <= 2 * 2 * 10 + 10


# Progress


def test_progress_says_how_far_how_fast_and_how_good(tmp_path):
    told = []
    with ThreadPoolExecutor(1) as pool:
        score(tmp_path / "s.db", n=90, progress=told.append, executor=pool)
    last = told[-1]
    assert (last.done, last.n, last.failed) == (90, 90, 0) and last.rate > 0
    with Store(tmp_path / "s.db") as store:
        best = store.top("seat_spread", k=1)[0]
    assert last.best == (best["seat_spread"], best["board"])
    assert str(last).startswith("90 of 90 boards, ") and "best seat spread" in str(last)
    assert str(last).endswith("0:00 left")


def test_no_line_where_there_is_no_terminal(tmp_path, capsys):
    score(tmp_path / "quiet.db", progress=True)
    assert capsys.readouterr() == ("", "")


# What is refused


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 2}, "seed 1, not 2"),
        ({"rules": "open"}, "rules"),
        ({"layout": "base-5-6"}, "layout 'base', not 'base-5-6'"),
        ({"players": 3}, "players 4, not 3"),
        ({"objective": Objective.report()}, "objective"),
        ({"chunk": 5}, "chunk 10, not 5"),
        ({"n": 2}, "n 3, not 2"),
        ({"boards": BOARDS}, "source 'generated', not 'given'"),
        ({"solver": "gecode"}, "solver 'none', not 'gecode'"),
    ],
)
def test_other_parameters_are_refused_and_change_nothing(tmp_path_factory, change, words):
    path = tmp_path_factory.getbasetemp() / "begun.db"
    if not path.exists():
        make(path, 3)
    before = everything(path)
    with pytest.raises(InvalidArgument, match=rf"was begun with .*{words}.*choose another file or name"):
        make(path, **({"n": 3} | change))
    assert everything(path) == before


def test_other_boards_are_refused(tmp_path):
    score(tmp_path / "study.db", BOARDS[:25])
    before = everything(tmp_path / "study.db")
    with pytest.raises(InvalidArgument, match="boards 11 to 20 differ"):
        score(tmp_path / "study.db", [*BOARDS[:12], *BOARDS[13:]])
    with pytest.raises(InvalidArgument, match="boards 11 to 20 differ"):
        score(tmp_path / "study.db", BOARDS[:12])
    assert everything(tmp_path / "study.db") == before


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"n": 0}, InvalidArgument, "n is a whole number from 1"),
        ({"n": None}, InvalidArgument, "only with boards given"),
        ({"n": True}, InvalidArgument, "n is a whole number"),
        ({"layout": "bass"}, InvalidBoard, "unknown layout 'bass'"),
        ({"rules": "fair"}, InvalidRules, "unknown rules 'fair'"),
        ({"layout": "seafarers-8", "rules": "official"}, InvalidRules, "spiral"),
        ({"seed": -1}, InvalidArgument, "seed is a whole number from 0"),
        ({"seed": 2**63}, InvalidArgument, "seed is a whole number from 0"),
        ({"players": 5}, InvalidArgument, "2 to 4 can play"),
        ({"objective": "fair"}, InvalidArgument, "Objective"),
        ({"chunk": 0}, InvalidArgument, "chunk is a whole number"),
        ({"workers": 0}, InvalidArgument, "workers is a whole number"),
        ({"workers": 5000}, InvalidArgument, "workers is a whole number from 1 to 1024"),
        ({"timeout": 0}, InvalidArgument, "timeout in seconds is a number above 0"),
        ({"name": " "}, InvalidArgument, "name is a short text"),
        ({"executor": 4}, InvalidArgument, "concurrent.futures.Executor"),
        ({"progress": "yes"}, InvalidArgument, "progress is True"),
        ({"solver": "nonesuch"}, SolverNotFound, "unknown solver"),
        ({"boards": "o10w2l9"}, InvalidArgument, "an iterable of Boards"),
        ({"boards": ["o10w2l9"]}, InvalidArgument, "board 1 of those given is not a Board"),
        ({"boards": random_boards(1, "base-5-6")}, InvalidBoard, "of layout 'base-5-6'"),
    ],
)
def test_arguments_that_cannot_be(tmp_path, arguments, error, words):
    options = {"n": 5, "rules": "open", "seed": 1} | arguments
    with pytest.raises(error, match=words):
        study_in(tmp_path / "study.db", options.pop("n"), **options)


def test_boards_before_a_bad_one_are_kept(tmp_path, scored):
    bare = type(BOARDS[0])("base", BOARDS[0].terrain)
    with pytest.raises(InvalidBoard, match="board 36 of those given has no markers"):
        score(tmp_path / "study.db", [*BOARDS[:35], bare])
    with Store(tmp_path / "study.db") as store:
        assert store.study().made == 30
    score(tmp_path / "study.db")
    assert everything(tmp_path / "study.db") == scored


# Comparing, and pictures


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two stores: any boards, and those of them that the tournament rules allow or that are nearly so."""
    folder = tmp_path_factory.mktemp("two")
    score(folder / "any.db", random_boards(300, seed=1))
    even = [b for b in random_boards(2000, seed=2) if not Rules(vertex_pips_max=12).check(b)]
    score(folder / "even.db", even)
    return folder / "even.db", folder / "any.db"


def test_two_studies_compared(two):
    found = compare_studies(*two)
    assert found.names == ("even", "any")
    assert [c.measure for c in found.contrasts][:3] == [
        "seat_spread",
        "first_seat_advantage",
        "efficiency_error",
    ]
    with Store(two[0]) as a, Store(two[1]) as b:
        for contrast in found.contrasts:
            mine, theirs = a.column(contrast.measure), b.column(contrast.measure)
            assert contrast.first.mean == pytest.approx(statistics.fmean(mine))
            assert contrast.second.spread == pytest.approx(statistics.stdev(theirs))
            assert (contrast.first.least, contrast.first.most) == (min(mine), max(mine))
            assert contrast.second.median == pytest.approx(statistics.median(theirs))
            assert sum(contrast.first.shares) == pytest.approx(1)
            less = sum((x < y - 1e-9) + (abs(x - y) <= 1e-9) / 2 for x in mine for y in theirs)
            assert contrast.first_is_less == pytest.approx(less / len(mine) / len(theirs))
    table = found.table()
    assert "vertex pips most: even has " in table and "less than any, which is better" in table
    assert json.loads(found.to_json())["names"] == ["even", "any"]


def test_means_of_uniform_draws_stand_for_all_boards_within_their_interval(tmp_path):
    """The exact mean over all boards is inside; a solver's boards and given ones make no such claim."""
    run_study(Study(300, "open", seed=4), tmp_path / "open.db")
    found = describe_study(tmp_path / "open.db", "vertex_pips_mean, seat_spread")
    assert found.uniform and found.name == "study"
    assert "study: uniform draws, so mean ± margin holds the mean of all boards" in str(found)
    inland = [v for v, tiles in enumerate(BOARDS[0].layout.vertex_tiles) if len(tiles) == 3]
    exact = float(sum(exact_mean(vertex_pips(v), "open") for v in inland) / len(inland))
    pips = found.measures["vertex_pips_mean"]
    assert pips.boards == 300 and 0 < pips.margin < 0.2
    assert abs(pips.mean - exact) < pips.margin
    with Store(tmp_path / "open.db") as store:
        column = store.column("seat_spread")
    margin = found.measures["seat_spread"].margin
    assert margin == pytest.approx(1.967930 * statistics.stdev(column) / 300**0.5)
    assert json.loads(found.to_json())["measures"]["seat_spread"]["boards"] == 300
    score(tmp_path / "given.db", random_boards(20, seed=1))
    assert "given: " not in str(describe_study(tmp_path / "given.db"))
    assert not describe_study(tmp_path / "given.db").uniform
    assert "not drawn uniformly" in str(describe_study(tmp_path / "given.db"))
    assert compare_studies(tmp_path / "open.db", tmp_path / "given.db", "seat_spread").uniform == (
        True,
        False,
    )


def test_a_study_compared_with_itself_has_no_clear_difference(two):
    (contrast,) = compare_studies(two[0], two[0], "seat_spread").contrasts
    assert contrast.difference == 0 and contrast.first_is_less == 0.5 and not contrast.clear
    assert "no clear difference between even and even again" in str(
        compare_studies(two[0], two[0], "seat_spread")
    )


def test_comparisons_that_cannot_be(two, tmp_path):
    with pytest.raises(InvalidArgument, match="unknown criterion 'fairness'"):
        compare_studies(*two, "fairness")
    with pytest.raises(InvalidArgument, match="has value_6"):
        compare_studies(*two, "value_6")
    with pytest.raises(InvalidArgument, match="there is no store"):
        compare_studies(two[0], tmp_path / "missing.db")


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_a_comparison_drawn(two, theme):
    found = compare_studies(*two)
    figure = plot_comparison(found, theme=theme)
    titles = [ax.get_title() for ax in figure.axes if ax.get_visible()]
    assert titles[0] == "Seat spread" and len(titles) == 6
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        f"even ({found.contrasts[0].first.boards} boards)",
        "any (300 boards)",
    ]
    figure.draw_without_rendering()  # which gives everything its place
    captions = [ax.xaxis.label.get_window_extent() for ax in figure.axes if ax.get_visible()]
    for left, right in pairwise(captions[:3]):
        assert captions[0].x0 >= 0 and left.x1 < right.x0 and captions[2].x1 <= figure.bbox.width
    page = Figure(figsize=(16, 8), layout="constrained")
    part = plot_comparison(found, page.subplots(1, 2)[1], theme=theme)
    assert (part.figure, [ax.get_title() for ax in part.axes if ax.get_visible()]) == (page, titles)
    with pytest.raises(InvalidArgument, match="compare_studies"):
        plot_comparison(two)


def test_a_gallery_of_the_best(two):
    with Store(two[0]) as store:
        rows = store.top("seat_spread, -efficiency_error", 5)
        figure = plot_top(store, "seat_spread, -efficiency_error", 5)
        part = plot_top(store, "seat_spread", 5, ax=Figure(figsize=(12, 9)).add_axes((0, 0, 1, 1)))
    assert len(part.axes) == 5
    captions = [ax.get_title().split("\n") for ax in figure.axes]
    assert [caption[0] for caption in captions] == [f"board {row['board']}" for row in rows]
    assert ["".join(caption[3:]) for caption in captions] == [row["notation"] for row in rows]


def test_a_gallery_of_nothing(tmp_path):
    score(tmp_path / "none.db", [])
    with Store(tmp_path / "none.db") as store, pytest.raises(InvalidArgument, match="no boards yet"):
        plot_top(store)
