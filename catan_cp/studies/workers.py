"""Processes that work on chunks. They start clean, and never outlive the process that started them.

`concurrent.futures.ProcessPoolExecutor` would be shorter, but its queues need named semaphores, which stay in
the system when the whole process group is killed; its processes live on when only their parent is killed; and
when one of them dies, it does not tell on which task. Here each worker has one pipe of its own and one thread
that serves it. When the other end of the pipe closes, because the parent stopped it or is gone, the worker
ends at once, with the solvers that it started.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn

from catan_cp.errors import CatanError, InvalidArgument, show
from catan_cp.interrupts import interrupts_later, start_resource_tracker
from catan_cp.studies.chunks import Chunk, Outcome, work

MOST = 1024
"""The most processes that are started on one machine."""

_Task = tuple[Chunk, "Future[Outcome]"]


class WorkerDied(BrokenExecutor):
    """The process that worked on a chunk died; another took its place."""


class Workers:
    """Processes on this machine that work on chunks.

    Raises:
        InvalidArgument: *count* is not a whole number from 1 to `MOST`.
        CatanError: the processes do not start.
    """

    def __init__(self, count: int) -> None:
        if type(count) is not int or not 1 <= count <= MOST:
            raise InvalidArgument(f"workers are a whole number from 1 to {MOST}, not {show(count)}")
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._stopping = False
        self._starting = threading.Lock()  # held while a process starts, so that `stop` misses none
        self._members: list[_Member] = []
        self._threads: list[threading.Thread] = []
        try:
            start_resource_tracker()
            for seat in range(count):
                self._members.append(_Member(seat, count))
            for member in self._members:
                member.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        for member in self._members:
            thread = threading.Thread(target=self._serve, args=(member,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def submit(self, chunk: Chunk) -> Future[Outcome]:
        """Have a chunk worked on; the future fails with `WorkerDied` when the process does."""
        future: Future[Outcome] = Future()
        self._tasks.put((chunk, future))
        return future

    def stop(self) -> None:
        """Stop all processes at once, whatever they do."""
        self._stopping = True
        with self._starting:
            for member in self._members:
                member.kill()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        for member in self._members:  # not before: a thread may have been waiting at the pipe
            member.close()

    def _serve(self, member: _Member) -> None:
        """Hand tasks to one worker, one at a time, until `stop`. Starts another process where one dies."""
        if hasattr(signal, "pthread_sigmask"):  # a process started by this thread never hears of Ctrl-C
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        while (task := self._tasks.get()) is not None and not self._stopping:
            chunk, future = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(member.do(chunk))
            except (EOFError, OSError):
                if not self._stopping:
                    self._replace(member)
                future.set_exception(WorkerDied("the process that worked on it died"))
            except BaseException as error:
                future.set_exception(error)

    def _replace(self, member: _Member) -> None:
        with self._starting:
            if self._stopping:
                return
            member.kill()
            member.close()
            member.start()
        with suppress(CatanError):  # then the next task finds the pipe closed, and tries again
            member.wait_until_ready()


class _Member:
    """One worker: its process, and our end of its pipe."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat, self._seats = seat, seats
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy threads' locks and our pipes
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=_live, args=(theirs, self._seat, self._seats), daemon=True
        )
        try:
            # A worker that Ctrl-C interrupts while it starts would print a traceback.
            with interrupts_later():
                self._process.start()
        finally:
            theirs.close()

    def wait_until_ready(self) -> None:
        try:
            self._pipe.recv()
        except (EOFError, OSError):
            raise CatanError(
                "the worker processes do not start; in a script, call run_study under "
                "`if __name__ == '__main__':`, or use workers=1"
            ) from None

    def do(self, chunk: Chunk) -> Outcome:
        self._pipe.send(chunk)
        done, value = self._pipe.recv()
        if not done:
            raise value
        outcome: Outcome = value
        return outcome

    def kill(self) -> None:
        if self._process.pid is None:  # Ctrl-C came before it started
            return
        self._process.kill()
        if hasattr(os, "killpg"):
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)  # with its solvers, which are in its group
        self._process.join()

    def close(self) -> None:
        self._pipe.close()


def cores_of(seat: int, seats: int, cores: Iterable[int]) -> set[int]:
    """Return the cores for one of so many workers, from 0: its share of *cores*, or all where they are few.

    A worker and its solver take turns. On cores of their own they find their data in the cache and meet no
    other worker's processes; on two cores, two workers get a tenth more done.
    """
    every = sorted(cores)
    return set(every[seat::seats] if seats <= len(every) else every)


def _live(pipe: Connection, seat: int, seats: int) -> None:
    """Work on what comes through the pipe until it closes. Runs in the worker's process."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # leave the terminal's process group: Ctrl-C is the parent's to handle
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # it is for speed alone
            os.sched_setaffinity(0, cores_of(seat, seats, os.sched_getaffinity(0)))
    chunks: queue.SimpleQueue[Chunk] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, chunks), daemon=True).start()
    try:
        pipe.send("ready")
        while True:
            pipe.send(_answer(chunks.get()))
    except OSError:  # the parent is gone, which `_receive` may not have noticed yet
        _end()


def _answer(chunk: Chunk) -> tuple[bool, Any]:
    """Return the outcome of a chunk, or the error that it ended with, each such that the parent can read it.

    Errors of other libraries may be written and not read back, so theirs are told in ours.
    """
    try:
        return True, work(chunk)
    except Exception as error:
        readable = isinstance(error, CatanError) or type(error).__module__ == "builtins"
        return False, error if readable else CatanError(f"{type(error).__name__}: {error}")


def _receive(pipe: Connection, chunks: queue.SimpleQueue[Chunk]) -> None:
    """Pass chunks on while the worker is busy, and so notice at once when the parent is gone."""
    while True:
        try:
            chunks.put(pipe.recv())
        except (EOFError, OSError):
            _end()


def _end() -> NoReturn:
    """End this worker's process at once and without a word, with its solvers."""
    if hasattr(os, "killpg"):
        os.killpg(os.getpid(), signal.SIGKILL)  # the solvers are in this group
    os._exit(1)
