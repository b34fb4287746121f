"""Studies: the same with any workers, killed and resumed, and complete after every fault."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import pytest

from catan_cp import Board, Objective, Rules, Store, Study, generate_boards, run_study
from catan_cp import errors as wrong
from catan_cp.rules.requirements import random_boards
from catan_cp.studies import run
from catan_cp.studies.run import chunk_seed, work
from catan_cp.workers import Workers
from tests.kills import wait_for
from tests.stored import everything, make, score

BOARDS = random_boards(90, seed=11)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.db"


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """The rows of 30 boards that were made in this process, undisturbed."""
    path = tmp_path_factory.mktemp("made") / "study.db"
    make(path)
    return everything(path)


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """The rows of `BOARDS`, scored in this process, undisturbed."""
    path = tmp_path_factory.mktemp("scored") / "study.db"
    score(path, BOARDS)
    return everything(path)


# Results


def test_boards_follow_chunk_seeds(records):
    notations = [
        board.notation()
        for number in range(3)
        for board in generate_boards(10, "tournament", "base", seed=chunk_seed(1, number))
    ]
    assert [row["notation"] for row in records["boards"]] == notations
    assert len({chunk_seed(s, i) for s in range(30) for i in range(30)}) == 900
    allowed = [row["board"] for row in records["satisfied"] if row["preset"] == "tournament"]
    assert allowed == list(range(1, 31))


def test_two_processes_make_same(tmp_path, path, records):
    make(path, workers=2)
    assert everything(path) == records
    for workers in (1, 2):
        study = Study(2, "open", layout="fishermen-of-catan", seed=1, chunk=1, players=2)
        run_study(study, tmp_path / f"fish-{workers}.db", workers=workers, progress=False)
    assert everything(tmp_path / "fish-1.db") == everything(tmp_path / "fish-2.db")


def test_rejected_study_leaves_no_file(tmp_path):
    with pytest.raises(wrong.SolverNotFound):
        run_study(Study(2, "optimal", layout="seafarers-7", solver="nosuch"), tmp_path / "made.db")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_any_executor_makes_same(path, scored, kind):
    executor = ProcessPoolExecutor(2, get_context("spawn")) if kind == "processes" else ThreadPoolExecutor(3)
    with executor:
        score(path, BOARDS, executor=executor)
        assert executor.submit(len, "alive").result() == 5  # it is the caller's to end
    assert everything(path) == scored


def test_study_goes_on_to_larger_number(path, records):
    for n in (3, 17, 30):
        assert make(path, n).made == n
    assert everything(path) == records


def test_more_boards_scored_once(path, monkeypatch, scored):
    worked = []
    monkeypatch.setattr(run, "work", lambda chunk: worked.append(chunk.number) or work(chunk))
    for n, chunks in ((0, []), (4, [0]), (37, [0, 1, 2, 3]), (37, []), (90, [3, 4, 5, 6, 7, 8])):
        assert score(path, iter(BOARDS[:n])).made == n
        assert worked == chunks
        worked.clear()
    assert everything(path) == scored


def test_new_study_keeps_its_random_seed(tmp_path):
    first = make(tmp_path / "a.db", 3, rules="open", seed=None).study.seed
    assert make(tmp_path / "a.db", 5, rules="open", seed=None).study.seed == first
    assert make(tmp_path / "b.db", 3, rules="open", seed=None).study.seed != first
    make(tmp_path / "c.db", 5, rules="open", seed=first)
    assert everything(tmp_path / "c.db") == everything(tmp_path / "a.db")


# Killed and continued

RUN = """
import json, sys, time
from catan_cp.rules.requirements import random_boards
from catan_cp.studies import Study, run_study

def given(stop):
    for number, board in enumerate(random_boards(600, seed=11)):
        if number == stop:
            print("stopped", flush=True)
            time.sleep(600)
        yield board

if __name__ == "__main__":
    options, stop = json.loads(sys.argv[2]), int(sys.argv[3])
    boards = given(stop) if options.pop("given") else None
    workers, n = options.pop("workers", 1), options.pop("n", None)
    print("begun", flush=True)
    watch = lambda told: told.rate and print(told.done, flush=True)
    run_study(Study(n, **options), sys.argv[1], boards=boards, workers=workers, progress=watch)
"""
GIVEN = {"given": True, "rules": "open", "chunk": 12, "workers": 2}
MADE = {"given": False, "n": 24, "rules": "tournament", "seed": 1, "solver": "chuffed", "chunk": 2}


def command(tmp_path, path, options, stop=-1):
    """Return the command that runs a study in a new process.

    Given boards stop coming after `stop`.
    """
    (tmp_path / "run.py").write_text(RUN)
    return [sys.executable, str(tmp_path / "run.py"), str(path), json.dumps(options), str(stop)]


@pytest.mark.parametrize(
    ("options", "kills"),
    [
        pytest.param(GIVEN, 2, id="given"),
        pytest.param(GIVEN, 6, id="given more often", marks=pytest.mark.slow),
        pytest.param(MADE, 6, id="made", marks=pytest.mark.slow),
    ],
)
def test_repeated_kills_change_nothing(tmp_path, path, options, kills):
    rng, midway = random.Random(5), 0
    for kill in range(kills):
        # Boards are given 90 more at a time, so that a fast machine cannot end before the kill.
        words = command(tmp_path, path, options, stop=90 * (kill + 1))
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout.readline() == b"begun\n"
        while options["given"] and process.stdout.readline() != b"stopped\n":
            pass
        if kill % 2 and not options["given"]:  # not before something was stored
            process.stdout.readline()
        time.sleep(rng.uniform(0, 0.2))
        process.kill()
        process.communicate()
        try:
            with Store(path) as store:
                study = store.study()
        except wrong.InvalidArgument:  # killed before the study began
            assert not path.exists() or kill == 0
            continue
        except wrong.CatanError as hot:  # killed in a write, which the next run takes back
            assert "run that study again, which repairs the store" in str(hot)
            midway += 1
            continue
        assert study.made % options["chunk"] == 0 and study.boards == study.made
        midway += 0 < study.made < options.get("n", 600)
    assert midway >= kills / 2, "the kills missed the work; change their times"
    subprocess.run(command(tmp_path, path, options), capture_output=True, check=True)
    if options is GIVEN:
        score(tmp_path / "whole.db", random_boards(600, seed=11), chunk=12)
    else:
        make(tmp_path / "whole.db", 24, solver="chuffed", chunk=2)
    assert everything(path) == everything(tmp_path / "whole.db")


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="looks where Linux keeps processes and semaphores")
@pytest.mark.parametrize(
    "group", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["the run", "its group"]
)
def test_processes_of_killed_run_end_too(tmp_path, path, group):
    words = command(tmp_path, path, MADE | {"n": 100_000, "workers": 2})
    before = set(Path("/dev/shm").iterdir())
    process = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=group)
    try:
        process.stdout.readline()
        wait_for(lambda: len(descendants(process.pid)) >= 3)
        children = descendants(process.pid)
    finally:
        os.killpg(process.pid, signal.SIGKILL) if group else process.kill()
        process.communicate()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))
    assert not [path for path in set(Path("/dev/shm").iterdir()) - before if path.name.startswith("sem.mp-")]


def descendants(pid):
    """The processes that a process started, and those that they started (Linux)."""
    children = [int(place.name) for place in Path("/proc").glob("[0-9]*") if parent(place) == pid]
    return children + [far for near in children for far in descendants(near)]


def parent(place):
    """The parent of the process with this folder in /proc, None if it has ended."""
    with suppress(OSError):
        return int((place / "stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_study(path, scored, workers):
    def boards():
        yield from BOARDS[:70]
        os.kill(os.getpid(), signal.SIGINT)
        yield from BOARDS[70:]

    message = r"interrupted; .* keeps study .* The same call goes on"
    with pytest.raises(wrong.Interrupted, match=message) as stopped:
        score(path, boards(), workers=workers)
    with Store(path) as store:
        assert stopped.value.result == store.study()
        assert stopped.value.result.made >= (70 if workers == 1 else 0)
    score(path, BOARDS)
    assert everything(path) == scored


# Misfortunes


class Unlucky:
    """Work that goes wrong on some chunks, as often as is said, and else as usual."""

    def __init__(self, times, error):
        self.times, self.error = dict(times), error

    def __call__(self, chunk):
        if self.times.get(chunk.number, 0) > 0:
            self.times[chunk.number] -= 1
            raise self.error
        return work(chunk)


DIED = wrong.SolverFailed("it died")


@pytest.mark.parametrize(
    ("times", "error"), [(1, DIED), (2, DIED), (2, MemoryError("no room")), (2, OSError("no solver"))]
)
def test_twice_failed_chunk_recorded(path, monkeypatch, scored, times, error):
    """One that fails once costs nothing."""
    monkeypatch.setattr(run, "work", Unlucky({3: times, 8: times}, error))
    study = score(path, BOARDS)
    if times == 2:
        assert study.failures == dict.fromkeys((3, 8), f"{type(error).__name__}: {error}")
        assert study.made == 70 and "2 chunks failed" in str(study)
        study = score(path, BOARDS)
    assert study.failures == {}
    assert everything(path) == scored


def test_failed_chunk_keeps_its_beginning(path, monkeypatch, scored):
    score(path, BOARDS[:35])
    monkeypatch.setattr(run, "work", Unlucky({3: 2}, DIED))
    assert list(score(path, BOARDS).failures) == [3]
    with Store(path) as store:
        assert store.board(35) == BOARDS[34]
    score(path, BOARDS)
    assert everything(path) == scored


def test_hanging_solver_costs_one_chunk(path):
    study = make(path, 20, timeout=1e-9)
    assert list(study.failures) == [0, 1] and "time limit" in study.failures[0]
    assert make(path, 20).made == 20


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


def poisoning(submit, once, mark):
    """A way to hand work out that poisons chunk 4."""

    def poisoned(crew, function, *chunks):
        bad = [getattr(chunk, "number", 0) == 4 for chunk in chunks]
        replaced = [Poisoned(c, once, mark) if is_bad else c for c, is_bad in zip(chunks, bad, strict=True)]
        return submit(crew, function, *replaced)

    return poisoned


@pytest.mark.parametrize("once", [True, False])
def test_dead_worker_costs_one_chunk(tmp_path, path, monkeypatch, scored, once):
    monkeypatch.setattr(Workers, "submit", poisoning(Workers.submit, once, tmp_path / "died"))
    study = score(path, BOARDS, workers=2)
    assert study.failures == ({} if once else {4: "WorkerDied: the worker process died"})
    monkeypatch.undo()
    score(path, BOARDS)
    assert everything(path) == scored


def test_broken_pool_of_caller_loses_nothing(path, monkeypatch, scored, tmp_path):
    submit = poisoning(ProcessPoolExecutor.submit, False, tmp_path / "died")
    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    message = r"the executor has ended .* keeps .* make a new executor, then call again"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, pytest.raises(wrong.CatanError, match=message):
        score(path, BOARDS, executor=pool)
    monkeypatch.undo()
    score(path, BOARDS)
    assert everything(path) == scored


def test_cancelled_chunk_ends_call(path):
    class Ended(ThreadPoolExecutor):
        def submit(self, task, *arguments):
            future = Future()
            future.cancel()
            return future

    with pytest.raises(wrong.CatanError, match="called chunk 0 off"):
        score(path, BOARDS, executor=Ended())


def test_another_version_on_worker_refused(path, monkeypatch):
    monkeypatch.setattr(run, "work", lambda chunk: work(chunk)._replace(versions=("9.9", None)))
    with pytest.raises(wrong.CatanError, match=r"are \('9.9', None\), but the study is of"):
        score(path, BOARDS)
    monkeypatch.setattr(run, "__version__", "9.8")
    message = r"executor must have workers with catan-cp 9\.8, not '.*'; install the same there"
    with ThreadPoolExecutor(1) as pool, pytest.raises(wrong.CatanError, match=message):
        score(path.with_name("new.db"), BOARDS, executor=pool)
    assert not path.with_name("new.db").exists()


def test_impossible_rules_end_study(path):
    with pytest.raises(wrong.Infeasible):
        make(path, rules=Rules(vertex_pips_min=15))


def test_endless_iterable_is_read_lazily(path):
    requested, scored, ahead = [], [], []

    class Pool(ThreadPoolExecutor):
        def submit(self, *call):
            future = super().submit(*call)
            if call[0] is work:
                future.add_done_callback(scored.append)  # a chunk of ten boards
            return future

    def boards():
        while True:
            requested.append(1)
            ahead.append(len(requested) - 10 * len(scored))
            yield BOARDS[len(requested) % 90]

    with Pool(2) as pool:
        assert score(path, boards(), 300, workers=2, executor=pool).made == 300
    assert max(ahead) <= 2 * 2 * 10 + 10 and (len(requested), len(scored)) == (300, 30)


# Progress


def test_progress_of_study(path, capsys):
    reports = []
    with ThreadPoolExecutor(1) as pool:
        score(path, BOARDS, 90, progress=reports.append, executor=pool)
    last = reports[-1]
    assert (last.done, last.total) == (90, 90) and "failed" not in last.text and last.rate > 0
    with Store(path) as store:
        best = store.top("value_spread", k=1)[0]
    assert last.best == (best["value_spread"], best["board"])
    assert str(last).startswith("90 of 90 boards, ") and "best value spread" in str(last)
    assert str(last).endswith("0:00 left")
    score(path, BOARDS, 90, progress=reports.append)
    assert reports[-1].best == last.best
    score(path, BOARDS, 90, progress=True)
    assert capsys.readouterr() == ("", "")  # no line where there is no terminal


# Rejected arguments


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
def test_other_parameters_rejected(tmp_path_factory, change, words):
    path = tmp_path_factory.getbasetemp() / "begun.db"
    if not path.exists():
        make(path, 3)
    before = everything(path)
    with pytest.raises(wrong.InvalidArgument, match=rf"was begun with .*{words}.*another file or name"):
        make(path, **({"n": 3} | change))
    assert everything(path) == before


def test_other_boards_refused(path):
    score(path, BOARDS[:25])
    before = everything(path)
    for boards in ([*BOARDS[:12], *BOARDS[13:]], BOARDS[:12]):
        with pytest.raises(wrong.InvalidArgument, match="boards 11 to 20 differ"):
            score(path, boards)
    assert everything(path) == before


def test_boards_before_bad_one_kept(path, scored):
    bare = Board("base", BOARDS[0].terrain)
    with pytest.raises(wrong.InvalidBoard, match="board 36 of those given has no markers"):
        score(path, [*BOARDS[:35], bare])
    with Store(path) as store:
        assert store.study().made == 30
    score(path, BOARDS)
    assert everything(path) == scored


@pytest.mark.parametrize("weight", ["1e3", "0.5", " 1", "1/2/3", "1_0", "nan"])
def test_stored_weight_is_fraction(weight):
    facts = json.loads(Study(1, "open").to_json())
    facts["objective"][0]["resources"] = weight
    with pytest.raises(wrong.InvalidArgument, match="a stored weight must be a fraction"):
        Study.from_json(json.dumps(facts))
