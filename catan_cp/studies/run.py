"""Many boards: made from rules, or given; scored, placed and stored as they come; stopped and continued.

>>> run_study(Study(10_000, "tournament", seed=1), "study.db", workers=2)  # doctest: +SKIP

A study is cut into chunks, each with a seed of its own, so what comes out depends neither on who works on
a chunk nor on when, and a chunk is stored whole or not at all. Called again, it goes on where it stopped.
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from catan_cp import __version__
from catan_cp.arguments import check_count, check_timeout
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import (
    CatanError,
    Interrupted,
    InvalidArgument,
    InvalidBoard,
    SolverFailed,
    SolverTimeout,
    show,
    show_path,
)
from catan_cp.studies.chunks import Chunk, Outcome, digest, work
from catan_cp.studies.progress import Meter, Watch
from catan_cp.studies.store import Store
from catan_cp.studies.study import Study, StudyState
from catan_cp.studies.tables import as_path
from catan_cp.studies.writer import Writer
from catan_cp.workers import WorkerDied, Workers

ATTEMPTS = 2
"""How often a chunk is tried before its failure is recorded."""

_PASSING = (SolverFailed, SolverTimeout, WorkerDied)  # another try, or another chunk, may fare better
_IN_FLIGHT = 32
_MOST_WORKERS = 100_000
_TICK = 0.5  # seconds between two looks at the clock for the progress line


def run_study(
    study: Study,
    store: str | os.PathLike[str] | Store,
    *,
    boards: Iterable[Board] | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    timeout: float = 900.0,
    progress: bool | Watch = True,
) -> StudyState:
    """Make a study's boards, or take them from *boards*; score and place each, and store them as they come.

    Stopped at any moment, by Ctrl-C, a crash or a power cut, the store holds whole chunks only, and the same
    call goes on where it stopped; the store ends as if nothing had happened. So does a call with a larger
    `Study.n` for a study that is done: it goes on to that number. Chunks that failed are tried again by the
    next call.

    A board that is made again is kept once, and counted: see ``times`` in docs/studies.md.

    Args:
        study: what to do.
        store: the file; it is made where there is none.
        boards: score these instead of making any: any iterable, read as far as needed, of which the study's
            *n* is the most that are taken (None: all). To go on, give the same boards again; those that are
            stored are skipped.
        workers: how many processes to start on this machine; 1: work in this one. With an *executor*: how
            many workers it has, so that twice as many chunks are out at a time (32 by default).
        executor: anything with the interface of `concurrent.futures.Executor` whose workers have catan_cp
            and a solver, such as ``dask.distributed``'s ``Client(...).get_executor()``.
        timeout: seconds that a chunk's boards may take to make; after it, the chunk counts as failed.
        progress: True for a line on the terminal; False for none; or a function that is called with a
            `catan_cp.studies.progress.Progress` now and then.

    Returns:
        How far the study is now; its ``failures`` name the chunks that failed twice.

    Raises:
        InvalidArgument, InvalidBoard, InvalidRules: an argument that cannot be, a study that was begun
            otherwise, or a file that is not a store.
        Infeasible, SolverNotFound: as their names say.
        CatanError: the store is damaged, locked, full, or was deleted or replaced meanwhile, or the executor
            has ended.
        Interrupted: Ctrl-C. A KeyboardInterrupt; its ``result`` is the study so far.
    """
    _check_options(study, boards, workers, executor, timeout)
    study, solver_version = _settled(study, boards)
    path = store.path if isinstance(store, Store) else as_path(store)
    with Writer(path) as writer:
        known = writer.state(study.name)
        if study.source == "generated" and study.seed is None:
            seed = known.study.seed if known is not None else None
            study = replace(study, seed=random.SystemRandom().randrange(2**32) if seed is None else seed)
        number = writer.begin(study, __version__, solver_version)
        made = known.made if known is not None else 0
        meter = Meter(progress, study.n, made, writer.best(number, "seat_spread"))
        crew = _crew(workers, executor)
        run = _Run(study, (__version__, solver_version), number, writer, crew, meter)
        try:
            meter.tick(always=True)
            run.all(_chunks(study, boards, timeout, writer, number))
        except BaseException as stopped:
            crew.stop()
            run.save_done()
            if isinstance(stopped, KeyboardInterrupt):
                state = _state(path, study.name)
                text = f"interrupted; {show_path(path)} keeps {state}. The same call goes on"
                raise Interrupted(text, state) from None
            raise
        finally:
            meter.end()
            crew.stop()
        return _state(path, study.name)


def _check_options(study: object, boards: object, workers: object, executor: object, timeout: object) -> None:
    if not isinstance(study, Study):
        raise InvalidArgument(f"run_study takes a Study, as in Study(1000, 'tournament'), not {show(study)}")
    if study.n is None and boards is None:
        raise InvalidArgument("n is how many boards to make; only with boards given it can be None")
    if boards is not None and (isinstance(boards, (str, Board)) or not isinstance(boards, Iterable)):
        raise InvalidArgument(f"boards is an iterable of Boards, not {show(boards)}")
    check_count("workers", workers, 1, _MOST_WORKERS)
    if executor is not None and not hasattr(executor, "submit"):
        raise InvalidArgument(f"executor is a concurrent.futures.Executor, not {show(executor)}")
    check_timeout(timeout)


def _settled(study: Study, boards: object) -> tuple[Study, str | None]:
    """Return the study with all that it depends on, its seed aside, and the version of its solver.

    Boards that are drawn uniformly without a solver have none, and no version of one.
    """
    if boards is not None:
        return replace(study, source="given", seed=None, solver=None), None
    from catan_cp.counting import is_quick
    from catan_cp.solving.find import find_solver

    study.rules.check_layout(study.layout)
    if study.solver in (None, "auto") and is_quick(study.rules, study.layout):
        return replace(study, source="generated", solver=None), None
    found = find_solver("auto" if study.solver is None else study.solver)
    return replace(study, source="generated", solver=found.name), found.version


def _state(path: os.PathLike[str], name: str) -> StudyState:
    with Store(path) as store:
        return store.study(name)


# The chunks that are left to do


def _chunks(
    study: Study, boards: Iterable[Board] | None, timeout: float, writer: Writer, number: int
) -> Iterator[Chunk]:
    """Yield the chunks that the store has not, lazily: memory does not grow with the study."""
    if boards is None:
        return _made(study, timeout, writer, number)
    return _given(study, iter(boards), timeout, writer, number)


def _made(study: Study, timeout: float, writer: Writer, number: int) -> Iterator[Chunk]:
    assert study.n is not None
    for chunk, start in enumerate(range(0, study.n, study.chunk)):
        size = min(study.chunk, study.n - start)
        if writer.finished(number, chunk)[0] < size:
            yield Chunk(chunk, size, study, None, timeout)


def _given(
    study: Study, boards: Iterator[Board], timeout: float, writer: Writer, number: int
) -> Iterator[Chunk]:
    for chunk, start in enumerate(range(0, study.n or 10**15, study.chunk)):
        size = study.chunk if study.n is None else min(study.chunk, study.n - start)
        notations = tuple(
            _checked(board, place, study.layout)
            for place, board in enumerate(islice(boards, size), start + 1)
        )
        have, known = writer.finished(number, chunk)
        if known is not None and digest(notations[:have]) != known:
            raise InvalidArgument(
                f"the boards given are not those that the study was begun with: boards {start + 1} to "
                f"{start + have} differ; give the same ones, or choose another file or name"
            )
        if len(notations) > have:
            yield Chunk(chunk, len(notations), study, notations, timeout)
        if len(notations) < size:
            return


def _checked(board: object, place: int, layout: Layout) -> str:
    if not isinstance(board, Board):
        raise InvalidArgument(f"board {place} of those given is not a Board but {show(board)}")
    if board.layout != layout:
        raise InvalidBoard(
            f"board {place} of those given is of layout {board.layout.name!r}, but the study is of "
            f"{layout.name!r}: {board.notation()}"
        )
    if not board.has_markers:
        raise InvalidBoard(f"board {place} of those given has no markers: {board.notation()}")
    return board.notation()


# Who works on them


@dataclass(frozen=True)
class _Crew:
    """Whoever works on chunks: how to hand one out, how many at a time, and how to stop."""

    submit: Callable[[Chunk], Future[Outcome]]
    at_a_time: int
    stop: Callable[[], None] = lambda: None


def _crew(workers: int, executor: Executor | None) -> _Crew:
    if executor is not None:
        at_a_time = _IN_FLIGHT if workers == 1 else 2 * workers
        return _Crew(lambda chunk: executor.submit(work, chunk), at_a_time)
    if workers == 1:
        return _Crew(_work_here, 1)
    own = Workers(workers)
    return _Crew(lambda chunk: own.submit(work, chunk), 2 * workers, own.stop)


def _work_here(chunk: Chunk) -> Future[Outcome]:
    """Work on a chunk in this process; Ctrl-C and the like go through."""
    future: Future[Outcome] = Future()
    try:
        future.set_result(work(chunk))
    except Interrupted:
        raise
    except Exception as error:
        future.set_exception(error)
    return future


class _Run:
    """One call's work: chunks that are out, chunks to try once more, and what comes back."""

    def __init__(
        self,
        study: Study,
        versions: tuple[str, str | None],
        number: int,
        writer: Writer,
        crew: _Crew,
        meter: Meter,
    ) -> None:
        self._study, self._versions, self._number, self._writer = study, versions, number, writer
        self._crew, self._meter = crew, meter
        self._out: dict[Future[Outcome], Chunk] = {}
        self._retries: deque[Chunk] = deque()

    def all(self, chunks: Iterator[Chunk]) -> None:
        """Work on all chunks."""
        while self._hand_out(chunks):
            wait(self._out, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in [future for future in self._out if future.done()]:
                self._take_back(future)
            self._meter.tick()

    def save_done(self) -> None:
        """Write what is done among the chunks that are out, and call the others off."""
        for future, chunk in list(self._out.items()):
            future.cancel()
            if future.done() and not future.cancelled() and future.exception() is None:
                with suppress(CatanError):  # whatever stopped us may stop this too
                    self._keep(chunk, future.result())
        self._out.clear()

    def _hand_out(self, chunks: Iterator[Chunk]) -> bool:
        """Hand out as many chunks as may be out; return whether any are."""
        while len(self._out) < self._crew.at_a_time:
            chunk = self._retries.popleft() if self._retries else next(chunks, None)
            if chunk is None:
                break
            try:
                self._out[self._crew.submit(chunk)] = chunk
            except BrokenExecutor as error:  # it broke between two looks at it
                raise self._ended(str(error) or type(error).__name__) from error
        return bool(self._out)

    def _take_back(self, future: Future[Outcome]) -> None:
        chunk = self._out[future]
        if future.cancelled():
            raise self._ended(f"it called chunk {chunk.number} off")
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            raise self._ended(str(error) or type(error).__name__) from error
        if error is None:
            self._keep(chunk, future.result())
        elif isinstance(error, CatanError) and not isinstance(error, _PASSING):
            raise error  # no other chunk would fare better
        elif chunk.attempt < ATTEMPTS:
            self._retries.append(replace(chunk, attempt=chunk.attempt + 1))
        else:
            self._fail(chunk, f"{type(error).__name__}: {error}")
        del self._out[future]

    def _keep(self, chunk: Chunk, outcome: Outcome) -> None:
        if outcome.versions != self._versions:
            raise CatanError(
                f"on {outcome.machine}, catan-cp and its solver are {show(outcome.versions)}, but "
                f"the study is of {show(self._versions)}; install the same there, then call again"
            )
        before = self._writer.finished(self._number, chunk.number)[0]
        self._writer.write(self._number, self._study.chunk, outcome)
        self._meter.add(len(outcome.rows) - before, self._writer.best(self._number, "seat_spread"))

    def _fail(self, chunk: Chunk, why: str) -> None:
        self._writer.fail(self._number, chunk.number, why)
        self._meter.add_failure()

    def _ended(self, why: str) -> CatanError:
        return CatanError(
            f"the executor has ended ({why}); {show_path(self._writer.path)} keeps {self._meter.done:,} "
            "boards: make a new executor, then call again"
        )
