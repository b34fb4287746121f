"""Many boards: made from rules, or given; scored, placed and stored as they come; stopped and continued.

>>> run_study(Study(10_000, "tournament", seed=1), "study.db", workers=2)  # doctest: +SKIP

A study is cut into chunks, each with a seed of its own, so what comes out depends neither on who works on
a chunk nor on when, and a chunk is stored whole or not at all. Called again, it goes on where it stopped.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice

from catan_cp import __version__, errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import CatanError, Interrupted, InvalidArgument, show, show_path
from catan_cp.studies.measures import DIGITS, MEASURES, analyze_boards, score_row
from catan_cp.studies.store import Outcome, Store, Writer, digest
from catan_cp.studies.study import Study, StudyState
from catan_cp.terminal import clock, say
from catan_cp.workers import WorkerDied, Workers, kept_workers

ATTEMPTS = 2
"""How often a chunk is tried before its failure is recorded."""

_PASSING = (errors.SolverFailed, errors.SolverTimeout, WorkerDied)  # another try, or chunk, may fare better
_IN_FLIGHT = 32
_MOST_WORKERS = 100_000
_TICK = 0.5  # seconds between two looks at the clock for the progress line
_BEST = "seat_spread"


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Attributes:
        done: boards made so far, repeats and earlier calls included.
        n: boards asked for; None where nobody knows.
        rate: boards a second in this call.
        best: the least seat spread so far, and its board's number; None while there is no board.
        seconds_left: how long the rest will take at this rate; None where nobody knows.
        failed: chunks that failed in this call.
    """

    done: int
    n: int | None
    rate: float
    best: tuple[float, int] | None
    seconds_left: float | None
    failed: int

    def __str__(self) -> str:
        parts = [f"{self.done:,}" + ("" if self.n is None else f" of {self.n:,}") + " boards"]
        parts.append(f"{self.rate:,.0f}/s" if self.rate else "making the first ones")
        if self.best is not None:
            parts.append(f"best seat spread {self.best[0]:.4f} (board {self.best[1]})")
        if self.failed:
            parts.append(f"{self.failed} chunks failed")
        if self.seconds_left is not None:
            minutes, seconds = divmod(round(self.seconds_left), 60)
            hours, minutes = divmod(minutes, 60)
            clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
            parts.append(f"{clock} left")
        return ", ".join(parts)


Watch = Callable[[Progress], None]


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
        workers: how many processes to start on this machine, which stay for a minute, for the next study; 1:
            work in this one. With an *executor*: how many workers it has, so that twice as many chunks are
            out at a time (32 by default).
        executor: anything with the interface of `concurrent.futures.Executor` whose workers have catan_cp
            and a solver, such as a Dask client's ``get_executor()``; docs/studies.md has a recipe.
        timeout: seconds that a chunk's boards may take to make; after it, the chunk counts as failed.
        progress: True for a line on the terminal, whose last state stays there; False for none; or a
            function that is called with a `catan_cp.studies.run.Progress` now and then.

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
    errors.check_kind("run_study takes a Study, as in Study(1000, 'tournament')", study, Study)
    if study.n is None and boards is None:
        raise InvalidArgument("n is how many boards to make; only with boards given it can be None")
    if boards is not None and (isinstance(boards, (str, Board)) or not isinstance(boards, Iterable)):
        raise InvalidArgument(f"boards is an iterable of Boards, not {show(boards)}")
    errors.check_count("workers", workers, 1, _MOST_WORKERS)
    if executor is not None and not hasattr(executor, "submit"):
        raise InvalidArgument(f"executor is a concurrent.futures.Executor, not {show(executor)}")
    if not isinstance(progress, bool) and not callable(progress):
        raise InvalidArgument(f"progress is True, False or a function, not {show(progress)}")
    errors.check_timeout(timeout)
    path = store.path if isinstance(store, Store) else store
    with _crew(workers, executor) as (submit, at_a_time, crew):
        study, solver_version = _settled(study, boards)  # a study that is refused leaves no file
        if crew is not None:
            _hand_on(crew, study)
        with Writer(path, models=study.rules.models) as writer, _watching(progress) as watch:
            run = _Run(writer.begin(study, __version__, solver_version), writer, watch)
            try:
                run.all(_chunks(run.state, boards, timeout, writer), submit, at_a_time)
            except BaseException as stopped:
                run.save_done()
                if not isinstance(stopped, KeyboardInterrupt):
                    raise
                state = writer.study(study.name)
                words = f"interrupted; {show_path(writer.path)} keeps {state}. The same call goes on"
                raise Interrupted(words, state) from None
            finally:
                run.tell(always=True)
            return writer.study(study.name)


def _settled(study: Study, boards: object) -> tuple[Study, str | None]:
    """Return the study with all that it depends on, its seed aside, and the version of its solver.

    Boards that are drawn uniformly without a solver have none, and no version of one.
    """
    if boards is not None:
        return replace(study, source="given", seed=None, solver=None), None
    from catan_cp.counting import is_drawn
    from catan_cp.solving.find import find_solver

    study.rules.check_layout(study.layout)
    if study.solver in (None, "auto") and is_drawn(study.rules, study.layout):
        return replace(study, source="generated", solver=None), None
    found = find_solver(study.solver or "auto")
    return replace(study, source="generated", solver=found.name), found.version


# Chunks: the work of a study in pieces that travel, and what is done with each wherever it is


@dataclass(frozen=True)
class Chunk:
    """Some boards to make, or given, and to score; it says everything that they depend on.

    Attributes:
        number: its place in the study, from 0.
        size: how many boards to make.
        study: what they are made and scored by.
        notations: the boards, where they are given.
        timeout: seconds that making them may take.
        attempt: how often it was tried, this time included.
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
    """Make the boards of a chunk, or read those given; score them, and play the games that are asked for."""
    study, version = chunk.study, None
    if chunk.notations is not None:
        boards = [Board.from_notation(notation, study.layout) for notation in chunk.notations]
    else:
        from catan_cp.search.generate import generate_boards
        from catan_cp.solving.find import find_solver

        assert study.seed is not None
        version = None if study.solver is None else find_solver(study.solver).version
        made = generate_boards(
            chunk.size,
            study.rules,
            study.layout,
            seed=chunk_seed(study.seed, chunk.number),
            method="uniform" if study.solver is None else "solver",
            solver=study.solver or "auto",
            timeout=chunk.timeout,
        )
        boards = list(made)
    scored, notations = [], chunk.notations or [board.notation() for board in boards]
    for notation, found in zip(
        notations, analyze_boards(boards, study.players, study.objective), strict=True
    ):
        if study.games:
            from catan_cp.play import play_games

            # The dice of a board's games depend on the board alone.
            seed = int.from_bytes(blake2b(notation.encode(), digest_size=6).digest())
            games = play_games(found.board, study.games, players=study.played_by, seed=seed)
            found = replace(found, games=games)
        scored.append((notation, tuple(sorted(found.presets)), score_row(found)))
    return Outcome(chunk.number, tuple(scored), (__version__, version), platform.node())


def _chunks(
    state: StudyState, boards: Iterable[Board] | None, timeout: float, writer: Writer
) -> Iterator[Chunk]:
    """Yield the chunks that the store has not, lazily: memory does not grow with the study."""
    study, given = state.study, None if boards is None else iter(boards)
    for chunk, start in enumerate(range(0, study.n or 10**15, study.chunk)):
        wanted = study.chunk if study.n is None else min(study.chunk, study.n - start)
        size, notations = wanted, None
        if given is not None:
            some = enumerate(islice(given, wanted), start + 1)
            notations = tuple(_checked(board, place, study.layout) for place, board in some)
            size = len(notations)
        have, known = writer.finished(state.number, chunk)
        if notations is not None and known is not None and digest(notations[:have]) != known:
            raise InvalidArgument(
                f"the boards given are not those that the study was begun with: boards {start + 1} to "
                f"{start + have} differ; give the same ones, or choose another file or name"
            )
        if size > have:
            yield Chunk(chunk, size, study, notations, timeout)
        if size < wanted:
            return


def _checked(board: object, place: int, layout: Layout) -> str:
    which = f"board {place} of those given"
    if not isinstance(board, Board):
        raise InvalidArgument(f"{which} is not a Board but {show(board)}")
    if board.layout != layout:
        words = f"is of layout {board.layout.name!r}, but the study is of {layout.name!r}"
        raise errors.InvalidBoard(f"{which} {words}: {board.notation()}")
    if not board.has_markers:
        raise errors.InvalidBoard(f"{which} has no markers: {board.notation()}")
    return board.notation()


# Who works on them


_Submit = Callable[[Callable[[Chunk], Outcome], Chunk], "Future[Outcome]"]


@contextmanager
def _crew(workers: int, executor: Executor | None) -> Iterator[tuple[_Submit, int, Workers | None]]:
    """Give what hands a chunk to whoever works on it, how many may be out, and the processes of ours.

    Processes start at once, and import what they need while the study is settled here.
    """
    if executor is not None:
        yield executor.submit, _IN_FLIGHT if workers == 1 else 2 * workers, None
    elif workers == 1:
        yield _work_here, 1, None
    else:
        with kept_workers(workers) as crew:
            crew.first(_ready)
            yield crew.submit, 2 * workers, crew


def _ready() -> None:
    """Do nothing: whoever is asked to has imported this module."""


def _hand_on(crew: Workers, study: Study) -> None:
    """Give all processes what was counted here to draw boards, so that they need not count it again."""
    from catan_cp.counting.boards import board_space, is_quick, take_space

    if study.source == "generated" and study.solver is None and is_quick(study.rules, study.layout):
        space = board_space(study.rules, study.layout)
        crew.first(take_space, study.rules, study.layout, space)


def _work_here(function: Callable[[Chunk], Outcome], chunk: Chunk) -> Future[Outcome]:
    """Work on a chunk in this process; Ctrl-C and the like go through."""
    future: Future[Outcome] = Future()
    try:
        future.set_result(function(chunk))
    except Interrupted:
        raise
    except Exception as error:
        future.set_exception(error)
    return future


class _Run:
    """One call's work: chunks that are out, what comes back, and how far it is.

    Args:
        state: the study, as it was when the call began.
        writer: of the store.
        watch: whom to tell how far it is, twice a second at most.
    """

    def __init__(self, state: StudyState, writer: Writer, watch: Watch | None) -> None:
        self.state, self._writer, self._watch = state, writer, watch
        self._out: dict[Future[Outcome], Chunk] = {}
        found = writer.top(_BEST, 1, state.name)
        self._done, self._best = state.made, (found[0][_BEST], found[0]["board"]) if found else None
        self._failed, self._began, self._told = 0, time.monotonic(), 0.0

    def all(self, chunks: Iterator[Chunk], submit: _Submit, at_a_time: int) -> None:
        """Work on all chunks; on those that fail in passing, once more."""
        again: deque[Chunk] = deque()
        self.tell(always=True)
        while True:
            while len(self._out) < at_a_time:
                chunk = again.popleft() if again else next(chunks, None)
                if chunk is None:
                    break
                try:
                    self._out[submit(work, chunk)] = chunk
                except BrokenExecutor as error:  # it broke between two looks at it
                    raise self._ended(error) from error
            if not self._out:
                return
            wait(self._out, _TICK, FIRST_COMPLETED)  # which does not notice one that was called off at once
            for future in [future for future in self._out if future.done()]:
                again += self._take_back(future)
            self.tell()

    def _take_back(self, future: Future[Outcome]) -> Iterator[Chunk]:
        """Write what came of a chunk; yield it where it is to be tried again."""
        chunk = self._out[future]
        if future.cancelled():
            raise self._ended(f"it called chunk {chunk.number} off")
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            raise self._ended(error) from error
        if error is None:
            self._keep(future.result())
        elif isinstance(error, CatanError) and not isinstance(error, _PASSING):
            raise error  # no other chunk would fare better
        elif chunk.attempt < ATTEMPTS:
            yield replace(chunk, attempt=chunk.attempt + 1)
        else:
            self._writer.fail(self.state.number, chunk.number, f"{type(error).__name__}: {error}")
            self._failed += 1
        del self._out[future]

    def save_done(self) -> None:
        """Write what is done among the chunks that are out, and call the others off."""
        for future in self._out:
            future.cancel()
            if future.done() and not future.cancelled() and future.exception() is None:
                with suppress(CatanError):  # whatever stopped us may stop this too
                    self._keep(future.result())

    def tell(self, always: bool = False) -> None:
        """Tell how far it is, if that was not done just now."""
        now = time.monotonic()
        if self._watch is None or not (always or now - self._told >= _TICK):
            return
        self._told = now
        made, n = self._done - self.state.made, self.state.study.n
        rate = made / max(now - self._began, 1e-9)
        left = None if n is None or not made else max(0, n - self._done) / rate
        self._watch(Progress(self._done, n, rate, self._best, left, self._failed))

    def _keep(self, outcome: Outcome) -> None:
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
        known = [] if self._best is None else [self._best]
        self._best = min(known + scored, key=lambda one: (round(one[0], DIGITS), one[1]), default=None)

    def _ended(self, why: object) -> CatanError:
        return CatanError(
            f"the executor has ended ({str(why) or type(why).__name__}); {show_path(self._writer.path)} "
            f"keeps {self._done:,} boards: make a new executor, then call again"
        )


@contextmanager
def _watching(watch: bool | Watch) -> Iterator[Watch | None]:
    """Give the function to tell how far a study is: for True, one that writes a line on a terminal.

    That line moves where the terminal lets it; the last one stays, however the study ends, if boards came.
    """
    if watch is not True or not sys.stderr.isatty():
        yield None if isinstance(watch, bool) else watch
        return
    last = ""
    try:
        with clock("") as words:

            def tell(progress: Progress) -> None:
                nonlocal last
                last = str(progress) if progress.rate else ""
                if words is not say:
                    words(str(progress))

            yield tell
    finally:
        if last:
            say(last)
