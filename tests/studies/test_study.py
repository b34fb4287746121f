"""Studies: the same with any workers, killed and resumed, and complete after every fault."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path

import pytest

from catan_cp import Board, Objective, Rules, Store, Study, generate_boards, run_study
from catan_cp import errors as wrong
from catan_cp.workers import Workers  # a chunk of one of its workers is replaced
from tests.kills import alive, wait_for
from tests.stored import BOARDS, everything, make, score


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """The rows of 30 boards that were made in this process, undisturbed."""
    path = tmp_path_factory.mktemp("made") / "study.db"
    make(path)
    return everything(path)


class Pool(ThreadPoolExecutor):
    """An executor that records its chunks.

    The functions *work* and *answer* may return other futures of chunks and of the question for a version.
    """

    def __init__(self, work=None, answer=None):
        super().__init__(1)
        self.work, self.answer = work or super().submit, answer or super().submit
        self.numbers = []

    def submit(self, function, /, argument):
        if not hasattr(argument, "number"):
            return self.answer(function, argument)
        self.numbers.append(argument.number)
        return self.work(function, argument)


def done(result=None, error=None):
    future = Future()
    future.set_result(result) if error is None else future.set_exception(error)
    return future


def unlucky(times, error):
    """Return work that fails for some chunks, as often as *times* has it."""
    remaining = dict(times)

    def work(function, chunk):
        remaining[chunk.number] = remaining.get(chunk.number, 0) - 1
        return done(error=error) if remaining[chunk.number] >= 0 else done(function(chunk))

    return work


# Results


def chunk_seed(seed, number):
    return int.from_bytes(blake2b(f"{seed} {number}".encode(), digest_size=8).digest()) >> 1


def test_boards_follow_chunk_seeds(records):
    notations = [
        board.notation()
        for number in range(3)
        for board in generate_boards(10, "tournament", "base", seed=chunk_seed(1, number))
    ]
    assert [row["notation"] for row in records["boards"]] == notations
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


def test_study_grows_to_larger_number(path, records):
    for n in (3, 17, 30):
        assert make(path, n).made == n
    assert everything(path) == records


def test_more_boards_scored_once(path, rows):
    for n, chunks in ((0, []), (4, [0]), (37, [0, 1, 2, 3]), (37, []), (60, [3, 4, 5])):
        with Pool() as pool:
            assert score(path, iter(BOARDS[:n]), executor=pool).made == n
            assert pool.numbers == chunks
            assert pool.submit(len, "alive").result() == 5  # it is the caller's to end
    assert everything(path) == rows


def test_new_study_keeps_its_random_seed(tmp_path):
    first = make(tmp_path / "a.db", 3, rules="open", seed=None).study.seed
    assert make(tmp_path / "a.db", 5, rules="open", seed=None).study.seed == first
    assert make(tmp_path / "b.db", 3, rules="open", seed=None).study.seed != first
    make(tmp_path / "c.db", 5, rules="open", seed=first)
    assert everything(tmp_path / "c.db") == everything(tmp_path / "a.db")


# Killed and continued

RUN = """
import sys
from catan_cp import Study, run_study

print("begun", flush=True)
study = Study(int(sys.argv[2]), "tournament", seed=1, solver="chuffed", chunk=2)
watch = lambda update: update.rate and print(update.done, flush=True)
run_study(study, sys.argv[1], workers=int(sys.argv[3]), progress=watch)
"""


def started(path, n, workers, **options):
    """Start a study in another process, and return the process when it has begun."""
    words = [sys.executable, "-c", RUN, str(path), str(n), str(workers)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    assert process.stdout.readline() == b"begun\n"
    return process


@pytest.mark.slow
def test_repeated_kills_change_nothing(tmp_path, path):
    rng, midway, kills = random.Random(5), 0, 6
    for kill in range(kills):
        process = started(path, 24, 1)
        if kill % 2:  # not before something was stored
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
        assert study.made % 2 == 0 and study.boards == study.made
        midway += 0 < study.made < 24
    assert midway >= kills / 2, "the kills missed the work; change their times"
    for place in (path, tmp_path / "whole.db"):
        make(place, 24, solver="chuffed", chunk=2)
    assert everything(path) == everything(tmp_path / "whole.db")


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="looks where Linux keeps processes and semaphores")
@pytest.mark.parametrize(
    ("number", "group"),
    [
        (signal.SIGKILL, False),
        (signal.SIGINT, False),
        pytest.param(signal.SIGKILL, True, marks=pytest.mark.slow),
    ],
    ids=["killed", "interrupted", "killed with its group"],
)
def test_processes_of_stopped_run_end_too(tmp_path, path, number, group):
    before = set(Path("/dev/shm").iterdir())
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = started(path, 100_000, 2, start_new_session=group, env=environment)
    try:
        wait_for(lambda: len(alive(tmp_path)) >= 4)
    finally:
        os.killpg(process.pid, number) if group else process.send_signal(number)
        errors = process.communicate()[1]
    wait_for(lambda: not alive(tmp_path))
    assert number == signal.SIGKILL or b"Interrupt" in errors.splitlines()[-1]
    assert not [path for path in set(Path("/dev/shm").iterdir()) - before if path.name.startswith("sem.mp-")]


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_study(path, rows, workers):
    def boards():
        yield from BOARDS[:40]
        os.kill(os.getpid(), signal.SIGINT)
        yield from BOARDS[40:]

    message = r"interrupted; .* keeps study .* The same call goes on"
    with pytest.raises(wrong.Interrupted, match=message) as stopped:
        score(path, boards(), workers=workers)
    with Store(path) as store:
        assert stopped.value.result == store.study()
        assert stopped.value.result.made >= (40 if workers == 1 else 0)
    score(path)
    assert everything(path) == rows


# Faults


DIED = wrong.SolverFailed("it died")


@pytest.mark.parametrize(
    ("times", "error"), [(1, DIED), (2, DIED), (2, MemoryError("no room")), (2, OSError("no solver"))]
)
def test_twice_failed_chunk_recorded(path, rows, times, error):
    """One that fails once costs nothing."""
    with Pool(unlucky({2: times, 4: times}, error)) as pool:
        study = score(path, executor=pool)
    if times == 2:
        assert study.failures == dict.fromkeys((2, 4), f"{type(error).__name__}: {error}")
        assert study.made == 40 and "2 chunks failed" in str(study)
        study = score(path)
    assert study.failures == {}
    assert everything(path) == rows


def test_failed_chunk_keeps_its_beginning(path, rows):
    score(path, BOARDS[:35])
    with Pool(unlucky({3: 2}, DIED)) as pool:
        assert list(score(path, executor=pool).failures) == [3]
    with Store(path) as store:
        assert store.board(35) == BOARDS[34]
    score(path)
    assert everything(path) == rows


def test_hanging_solver_costs_one_chunk(path):
    study = make(path, 20, timeout=1e-9)
    assert list(study.failures) == [0, 1] and "time limit" in study.failures[0]
    assert make(path, 20).made == 20


def deadly(submit, times):
    """Return a method whose process ends instead of working on chunk 4, *times* times."""
    remaining = [4] * times

    def submit_or_end(pool, function, /, *arguments):
        if arguments and getattr(arguments[0], "number", 0) in remaining:
            remaining.pop()
            return submit(pool, os._exit, 3)
        return submit(pool, function, *arguments)

    return submit_or_end


@pytest.mark.parametrize("times", [1, 2])
def test_dead_worker_costs_one_chunk(path, monkeypatch, rows, times):
    monkeypatch.setattr(Workers, "submit", deadly(Workers.submit, times))
    study = score(path, workers=2)
    assert study.failures == ({} if times == 1 else {4: "WorkerDied: the worker process died"})
    score(path)
    assert everything(path) == rows


def test_broken_pool_of_caller_loses_nothing(path, monkeypatch, rows):
    monkeypatch.setattr(ProcessPoolExecutor, "submit", deadly(ProcessPoolExecutor.submit, 1))
    message = r"the executor has ended .* keeps .* make a new executor, then call again"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, pytest.raises(wrong.CatanError, match=message):
        score(path, executor=pool)
    score(path)
    assert everything(path) == rows


def called_off(*_call):
    future = Future()
    future.cancel()
    return future


@pytest.mark.parametrize(
    ("pool", "words", "begun"),
    [
        (Pool(answer=lambda *call: Future()), "none did within 0.1 s; start workers", False),
        (Pool(answer=lambda *call: done(error=ImportError("x"))), "fails there: x; install it there", False),
        (Pool(answer=lambda *call: done("0.9")), r"not '0\.9'; install the same there, then call", False),
        (Pool(called_off), "called chunk 0 off", True),
        (
            Pool(lambda function, chunk: done(function(chunk)._replace(versions=("9.9", None)))),
            r"are \('9.9', None\), but the study is of",
            True,
        ),
    ],
    ids=["silent", "without the library", "older", "cancelling", "of two versions"],
)
def test_useless_executors_end_call(path, monkeypatch, pool, words, begun):
    monkeypatch.setattr("catan_cp.studies.run._ANSWER_SECONDS", 0.1)
    with pytest.raises(wrong.CatanError, match=words):
        score(path, executor=pool)
    assert path.exists() == begun


def test_impossible_rules_end_study(path):
    with pytest.raises(wrong.Infeasible):
        make(path, rules=Rules(vertex_pips_min=15))


def test_endless_iterable_is_read_lazily(path):
    requested, scored, ahead = [], [], []

    def work(*call):
        future = ThreadPoolExecutor.submit(pool, *call)
        future.add_done_callback(scored.append)  # a chunk of ten boards
        return future

    def boards():
        while True:
            requested.append(1)
            ahead.append(len(requested) - 10 * len(scored))
            yield BOARDS[len(requested) % 60]

    with Pool(work) as pool:
        assert score(path, boards(), 300, workers=2, executor=pool).made == 300
    assert max(ahead) <= 2 * 2 * 10 + 10 and (len(requested), len(scored)) == (300, 30)


# Progress


def test_progress_of_study(path, capsys):
    reports = []
    with Pool() as pool:
        score(path, n=60, progress=reports.append, executor=pool)
    last = reports[-1]
    assert (last.done, last.total) == (60, 60) and "failed" not in last.text and last.rate > 0
    with Store(path) as store:
        best = store.top("value_spread", k=1)[0]
    assert last.best == (best["value_spread"], best["board"])
    assert str(last).startswith("60 of 60 boards, ") and "best value spread" in str(last)
    assert str(last).endswith("0:00 left")
    score(path, n=60, progress=reports.append)
    assert reports[-1].best == last.best
    score(path, n=60, progress=True)
    assert capsys.readouterr() == ("", "")  # no line where there is no terminal


# Rejected arguments


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    path = tmp_path_factory.mktemp("begun") / "study.db"
    make(path, 3)
    return path


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
def test_other_parameters_rejected(begun, change, words):
    before = everything(begun)
    with pytest.raises(wrong.InvalidArgument, match=rf"was begun with .*{words}.*another file or name"):
        make(begun, **({"n": 3} | change))
    assert everything(begun) == before


def test_other_boards_rejected(path):
    score(path, BOARDS[:25])
    before = everything(path)
    for boards in ([*BOARDS[:12], *BOARDS[13:]], BOARDS[:12]):
        with pytest.raises(wrong.InvalidArgument, match="boards 11 to 20 differ"):
            score(path, boards)
    assert everything(path) == before


def test_boards_before_bad_one_kept(path, rows):
    bare = Board("base", BOARDS[0].terrain)
    with pytest.raises(wrong.InvalidBoard, match="board 36 of those given has no markers"):
        score(path, [*BOARDS[:35], bare])
    with Store(path) as store:
        assert store.study().made == 30
    score(path)
    assert everything(path) == rows


@pytest.mark.parametrize("weight", ["1e3", "0.5", " 1", "1/2/3", "1_0", "nan"])
def test_stored_weight_is_fraction(weight):
    facts = json.loads(Study(1, "open").to_json())
    facts["objective"][0]["resources"] = weight
    with pytest.raises(wrong.InvalidArgument, match="a stored weight must be a fraction"):
        Study.from_json(json.dumps(facts))
