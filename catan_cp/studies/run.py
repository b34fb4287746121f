"""Studies: make or take many boards, score and store them, stop and resume at any time.

>>> run_study(Study(10_000, "tournament", seed=1), "study.db", workers=2)  # doctest: +SKIP

A study is divided into chunks. Each chunk has its own seed, so the results depend neither on the process that
works on it nor on the order. A chunk is stored whole or not at all, and a further call resumes the study.
"""

import os
import platform
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from pkgutil import resolve_name

from catan_cp import __version__, errors
from catan_cp.analysis.boards import analyze_boards
from catan_cp.analysis.measures import DIGITS, MEASURES
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import CatanError, Interrupted, InvalidArgument, amount, show, show_path
from catan_cp.problem.problem import Problem
from catan_cp.progress import Progress, Watch, check_progress, watching
from catan_cp.studies.store import Outcome, Store, Writer, digest, score_row
from catan_cp.studies.study import Study, StudyState
from catan_cp.workers import WorkerDied, Workers, kept_workers

ATTEMPTS = 2
"""Number of attempts at a chunk before its failure is recorded."""

_TRANSIENT = (errors.SolverFailed, errors.SolverTimeout, WorkerDied)  # another attempt, or chunk, may succeed
_IN_FLIGHT = 32
"""The default number of chunks that an executor works on at a time."""
_ANSWER_SECONDS = 120.0
"""Seconds for the first answer of an executor, whose workers may have to start."""
_MAX_WORKERS = 100_000
_INTERVAL = 0.5  # minimum seconds between two reports of progress
_BEST = "value_spread"


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
    """Make a study's boards or take them from *boards*, and score and store each.

    If the call is stopped by Ctrl-C, a crash or a power cut, the store holds whole chunks only. The same call
    then resumes the study, and the finished store is the same as without the interruption. A call with a
    larger `Study.n` extends a finished study. Failed chunks are tried again by the next call.

    A board that is made again is stored once, and counted: see ``times`` in docs/studies.md.

    Args:
        study: the study.
        store: the file to create or resume.
        boards: boards to score instead of making them: any iterable, read as far as needed. The study's *n*
            is the maximum number that is taken (None: all). To resume, pass the same boards again. Stored
            boards are skipped.
        workers: number of processes to start on this machine. They are kept for a minute for the next study.
            With 1, this process does the work. With an *executor*, the number of its workers: twice as many
            chunks are in flight (32 by default).
        executor: an object with the interface of `concurrent.futures.Executor` whose workers have catan_cp
            and a solver, such as a Dask client's ``get_executor()``. docs/studies.md has a recipe.
        timeout: seconds for making the boards of one chunk, after which the chunk counts as failed.
        progress: True for a line on the terminal, whose last state stays there, False for none, or a
            function that is called with a `catan_cp.progress.Progress` at most twice a second. Its ``best``
            is the least value spread so far and the number of its board.

    Returns:
        The state of the study. Its ``failures`` name the chunks that failed twice.

    Raises:
        InvalidArgument, InvalidBoard, InvalidRules: an invalid argument, a study that was begun with other
            arguments, or a file that is not a store.
        Infeasible: no board satisfies the rules.
        SolverNotFound: the study needs a solver, and none is installed.
        CatanError: the store is damaged, locked, full, or was deleted or replaced meanwhile. Or the executor
            has ended, its workers lack this version of the library, or none answers.
        Interrupted: Ctrl-C. A KeyboardInterrupt, whose ``result`` is the study so far.

    Example:
        >>> import catan_cp
        >>> study = catan_cp.Study(2, "tournament", seed=1, players=3)
        >>> state = run_study(study, "study.db", progress=False)
        >>> state.made, state.failures
        (2, {})
    """
    errors.check_kind("run_study takes a Study, as in Study(1000, 'tournament')", study, Study)
    if study.n is None and boards is None:
        raise InvalidArgument("n must be the number of boards to make; it can be None only with boards given")
    if boards is not None and (isinstance(boards, (str, Board)) or not isinstance(boards, Iterable)):
        raise InvalidArgument(f"boards must be an iterable of Boards, not {show(boards)}")
    errors.check_count("workers", workers, 1, _MAX_WORKERS)
    if executor is not None and not hasattr(executor, "submit"):
        raise InvalidArgument(f"executor must be a concurrent.futures.Executor, not {show(executor)}")
    check_progress(progress)
    errors.check_timeout(timeout)
    path = store.path if isinstance(store, Store) else store
    with _submission(workers, executor) as (submit, in_flight, pool):
        study, solver_version = _with_source(study, boards)  # before the file is created
        if pool is not None:
            _share_space(pool, study)
        with Writer(path, models=study.rules.models) as writer:
            begun = writer.begin(study, __version__, solver_version)
            with watching(progress, done=begun.made, keep_last=True) as watch:
                run = _Run(begun, writer, watch)
                try:
                    run.work_on(_chunks(begun, boards, timeout, writer), submit, in_flight)
                except BaseException as error:
                    run.save_done()
                    if not isinstance(error, KeyboardInterrupt):
                        raise
                    state = writer.study(study.name)
                    message = f"interrupted; {show_path(writer.path)} keeps {state}. The same call goes on"
                    raise Interrupted(message, state) from None
                finally:
                    run.report(always=True)
                return writer.study(study.name)


def _with_source(study: Study, boards: object) -> tuple[Study, str | None]:
    """Return the study with its source and solver, and the solver's version.

    Both are None for boards that are passed, or sampled uniformly without a solver.
    """
    if boards is not None:
        return replace(study, source="given", seed=None, solver=None), None
    from catan_cp.counting.boards import QUICK, rank_obstacle
    from catan_cp.solving.find import find_solver

    problem = Problem.of(study.rules, study.layout)
    if study.solver in (None, "auto") and not rank_obstacle(problem, QUICK):
        return replace(study, source="generated", solver=None), None
    solver = find_solver(study.solver or "auto")
    return replace(study, source="generated", solver=solver.name), solver.version


# Chunks


@dataclass(frozen=True)
class Chunk:
    """Some boards of a study, with everything that a worker needs to make or score them.

    Attributes:
        number: its place in the study, from 0.
        size: number of boards.
        study: the study.
        notations: the boards that were passed, or None to make them.
        timeout: seconds for making them.
        attempt: number of attempts, this one included.
    """

    number: int
    size: int
    study: Study
    notations: tuple[str, ...] | None
    timeout: float
    attempt: int = 1


def chunk_seed(seed: int, number: int) -> int:
    """Return the seed of one chunk of a study: 63 bits of the BLAKE2b of both numbers."""
    return int.from_bytes(blake2b(f"{seed} {number}".encode(), digest_size=8).digest()) >> 1


def work(chunk: Chunk) -> Outcome:
    """Make or read the boards of a chunk, score them, and play the study's games on them."""
    study, version = chunk.study, None
    if chunk.notations is not None:
        boards = [Board.from_notation(notation, study.layout) for notation in chunk.notations]
    else:
        from catan_cp.search.generate import generate_boards
        from catan_cp.solving.find import find_solver

        assert study.seed is not None
        version = None if study.solver is None else find_solver(study.solver).version
        generated = generate_boards(
            chunk.size,
            study.rules,
            study.layout,
            seed=chunk_seed(study.seed, chunk.number),
            method="uniform" if study.solver is None else "solver",
            solver=study.solver or "auto",
            timeout=chunk.timeout,
        )
        boards = list(generated)
    scored, notations = [], chunk.notations or [board.notation() for board in boards]
    for notation, analysis in zip(
        notations, analyze_boards(boards, study.players, study.objective), strict=True
    ):
        if study.games:
            from catan_cp.play import play_games

            # The dice of a board's games depend on the board alone.
            seed = int.from_bytes(blake2b(notation.encode(), digest_size=6).digest())
            games = play_games(analysis.board, study.games, players=study.played_by, seed=seed)
            analysis = replace(analysis, games=games)
        scored.append((notation, tuple(sorted(analysis.presets)), score_row(analysis, study.needs)))
    return Outcome(chunk.number, tuple(scored), (__version__, version), platform.node())


def _chunks(
    state: StudyState, boards: Iterable[Board] | None, timeout: float, writer: Writer
) -> Iterator[Chunk]:
    """Yield the chunks that are not stored, lazily, to limit memory."""
    study, source = state.study, None if boards is None else iter(boards)
    for number, start in enumerate(range(0, study.n or 10**15, study.chunk)):
        full_size = study.chunk if study.n is None else min(study.chunk, study.n - start)
        size, notations = full_size, None
        if source is not None:
            numbered = enumerate(islice(source, full_size), start + 1)
            notations = tuple(_checked(board, place, study.layout) for place, board in numbered)
            size = len(notations)
        stored, expected = writer.finished(state.number, number)
        if notations is not None and expected is not None and digest(notations[:stored]) != expected:
            raise InvalidArgument(
                f"boards must be those with which the study was begun; boards {start + 1} to "
                f"{start + stored} differ: pass the same ones, or choose another file or name"
            )
        if size > stored:
            yield Chunk(number, size, study, notations, timeout)
        if size < full_size:
            return


def _checked(board: object, place: int, layout: Layout) -> str:
    subject = f"board {place} of those given"
    if not isinstance(board, Board):
        raise InvalidArgument(f"{subject} must be a Board, not {show(board)}")
    if board.layout != layout:
        layouts = f"is of layout {board.layout.name!r}, but the study is of {layout.name!r}"
        raise errors.InvalidBoard(f"{subject} {layouts}: {board.notation()}")
    if not board.has_markers:
        raise errors.InvalidBoard(f"{subject} has no markers: {board.notation()}")
    return board.notation()


# Workers


_Submit = Callable[[Callable[[Chunk], Outcome], Chunk], "Future[Outcome]"]


@contextmanager
def _submission(workers: int, executor: Executor | None) -> Iterator[tuple[_Submit, int, Workers | None]]:
    """Yield the submit function, the maximum number of chunks in flight, and a worker pool.

    The pool is None without processes on this machine. Its processes start at once, and import the modules
    that they need while the study is prepared.
    """
    if executor is not None:
        _check_version(executor)
        yield executor.submit, _IN_FLIGHT if workers == 1 else 2 * workers, None
    elif workers == 1:
        yield _work_in_process, 1, None
    else:
        with kept_workers(workers) as pool:
            pool.first(_import_this_module)
            yield pool.submit, 2 * workers, pool


def _check_version(executor: Executor) -> None:
    """Ask a worker of an executor for its version of this library.

    A worker without the library can read this task, because it names nothing of the library. Dask's workers
    lose their connection over other tasks, again and again.

    Raises:
        CatanError: the version differs, the library is missing there, or no worker answers.
    """
    try:
        job = executor.submit(resolve_name, "catan_cp:__version__")
    except BrokenExecutor:  # reported with the first chunk
        return
    end = time.monotonic() + _ANSWER_SECONDS
    while not job.done():
        if time.monotonic() > end:
            job.cancel()
            raise CatanError(
                f"executor must have a worker that answers, but none did within {_ANSWER_SECONDS:g} s; start "
                "workers, then call again"
            )
        wait([job], _INTERVAL)
    if job.cancelled() or isinstance(job.exception(), BrokenExecutor):
        return
    if problem := job.exception():
        raise CatanError(
            f"executor must have workers with catan-cp {__version__}, and importing it fails there: "
            f"{problem}; install it there, then call again"
        ) from problem
    if job.result() != __version__:
        raise CatanError(
            f"executor must have workers with catan-cp {__version__}, not {show(job.result())}; install the "
            "same there, then call again"
        )


def _import_this_module() -> None:
    """Do nothing: a worker that calls this function has imported its module."""


def _share_space(pool: Workers, study: Study) -> None:
    """Send the counted boards of uniform samples to all workers."""
    from catan_cp.counting.boards import QUICK, board_space, rank_obstacle, take_space

    problem = Problem.of(study.rules, study.layout)
    counted = study.source == "generated" and study.solver is None and not problem.tie
    if counted and not rank_obstacle(problem, QUICK):
        space = board_space(problem)
        pool.first(take_space, study.rules, study.layout, space)


def _work_in_process(function: Callable[[Chunk], Outcome], chunk: Chunk) -> Future[Outcome]:
    """Work on a chunk in this process. KeyboardInterrupt and SystemExit are raised."""
    future: Future[Outcome] = Future()
    try:
        future.set_result(function(chunk))
    except Interrupted:
        raise
    except Exception as error:
        future.set_exception(error)
    return future


class _Run:
    """The chunks in flight, outcomes and progress of one call of `run_study`.

    Args:
        state: the study at the beginning of the call.
        writer: the writer of the store.
        watch: called with the progress at most twice a second, or None.
    """

    def __init__(self, state: StudyState, writer: Writer, watch: Watch | None) -> None:
        self.state, self._writer, self._watch = state, writer, watch
        self._in_flight: dict[Future[Outcome], Chunk] = {}
        top = writer.top(_BEST, 1, state.name)
        self._done, self._best = state.made, (top[0][_BEST], top[0]["board"]) if top else None
        self._failed, self._last_report = 0, 0.0

    def work_on(self, chunks: Iterator[Chunk], submit: _Submit, in_flight: int) -> None:
        """Submit all chunks, and submit a chunk with a transient failure once more."""
        retries: deque[Chunk] = deque()
        self.report(always=True)
        while True:
            while len(self._in_flight) < in_flight:
                chunk = retries.popleft() if retries else next(chunks, None)
                if chunk is None:
                    break
                try:
                    self._in_flight[submit(work, chunk)] = chunk
                except BrokenExecutor as error:  # it broke since the last wait
                    raise self._ended(error) from error
            if not self._in_flight:
                return
            wait(self._in_flight, _INTERVAL, FIRST_COMPLETED)
            # The result of `wait` may lack a cancelled future, so all futures are checked.
            for future in [future for future in self._in_flight if future.done()]:
                retries += self._collect(future)
            self.report()

    def _collect(self, future: Future[Outcome]) -> Iterator[Chunk]:
        """Store the outcome of a chunk, or yield the chunk for another attempt."""
        chunk = self._in_flight[future]
        if future.cancelled():
            raise self._ended(f"it called chunk {chunk.number} off")
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            raise self._ended(error) from error
        if error is None:
            self._store(future.result())
        elif isinstance(error, CatanError) and not isinstance(error, _TRANSIENT):
            raise error  # every other chunk would fail too
        elif chunk.attempt < ATTEMPTS:
            yield replace(chunk, attempt=chunk.attempt + 1)
        else:
            self._writer.fail(self.state.number, chunk.number, f"{type(error).__name__}: {error}")
            self._failed += 1
        del self._in_flight[future]

    def save_done(self) -> None:
        """Store the finished chunks that are in flight, and cancel the others."""
        for future in self._in_flight:
            future.cancel()
            if future.done() and not future.cancelled() and future.exception() is None:
                with suppress(CatanError):  # the error that ended the call may occur again
                    self._store(future.result())

    def report(self, always: bool = False) -> None:
        """Report the progress, unless it was reported less than half a second ago."""
        now = time.monotonic()
        if self._watch is None or not (always or now - self._last_report >= _INTERVAL):
            return
        self._last_report = now
        texts = [] if self._done > self.state.made else ["making the first ones"]
        if self._best is not None:
            texts.append(f"best value spread {self._best[0]:.4f} (board {self._best[1]})")
        if self._failed:
            texts.append(f"{amount(self._failed, 'chunk')} failed")
        self._watch(
            Progress(self._done, self.state.study.n, "boards", text=", ".join(texts), best=self._best)
        )

    def _store(self, outcome: Outcome) -> None:
        versions = (self.state.library_version, self.state.solver_version)
        if outcome.versions != versions:
            raise CatanError(
                f"on {outcome.machine}, catan-cp and its solver are {show(outcome.versions)}, but "
                f"the study is of {show(versions)}; install the same there, then call again"
            )
        size = self.state.study.chunk
        self._done += self._writer.write(self.state.number, size, outcome)
        place, first = list(MEASURES).index(_BEST), outcome.chunk * size + 1
        scored = [(row[place] or 0, board) for board, (_, _, row) in enumerate(outcome.boards, first)]
        if self._best is not None:
            scored.append(self._best)
        self._best = min(scored, key=lambda score: (round(score[0], DIGITS), score[1]), default=None)

    def _ended(self, reason: object) -> CatanError:
        return CatanError(
            f"the executor has ended ({str(reason) or type(reason).__name__}); "
            f"{show_path(self._writer.path)} keeps {amount(self._done, 'board')}: "
            "make a new executor, then call again"
        )
