"""Processes that work on chunks: they start clean, and never outlive whoever started them.

A pool of Python's own leaves its processes behind when their parent is killed, and their solvers too. Ours
hold the end of a pipe: when its other end closes, by `stop` or because the parent is gone, each of them ends
at once with all that it started.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized

from catan_cp.errors import CatanError, InvalidArgument, show
from catan_cp.interrupts import interrupts_later
from catan_cp.studies.chunks import Chunk, Outcome, work

MOST = 1024
"""The most processes that are started on one machine."""


class Workers:
    """Some processes that work on chunks.

    Raises:
        InvalidArgument: *count* is not a whole number from 1 to `MOST`.
        CatanError: they do not start.
    """

    def __init__(self, count: int) -> None:
        if type(count) is not int or not 1 <= count <= MOST:
            raise InvalidArgument(f"workers are a whole number from 1 to {MOST}, not {show(count)}")
        self._count = count
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would take threads' locks and our pipe along
        theirs, self._ours = context.Pipe(duplex=False)
        given = theirs, context.Value("i", 0), self._count
        self._pool = ProcessPoolExecutor(self._count, context, initializer=_live_with, initargs=given)
        self._theirs = theirs
        try:
            with interrupts_later():
                starting = [self._pool.submit(os.getpid) for _ in range(self._count)]
            for each in starting:
                each.result()
        except BrokenProcessPool:
            self.stop()
            raise CatanError(
                "the worker processes do not start; in a script, call run_study under "
                "`if __name__ == '__main__':`, or use workers=1"
            ) from None
        except BaseException:
            self.stop()
            raise

    def submit(self, chunk: Chunk) -> Future[Outcome]:
        """Have a chunk worked on.

        Raises:
            BrokenProcessPool: a process has died; `renew` makes new ones.
        """
        return self._pool.submit(work, chunk)

    def renew(self) -> None:
        """Stop all processes and start others."""
        self.stop()
        self._start()

    def stop(self) -> None:
        """Stop all processes at once, whatever they do."""
        self._ours.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._theirs.close()


def cores_of(seat: int, seats: int, cores: Iterable[int]) -> set[int]:
    """Return the cores for one of so many workers, from 0: its share of *cores*, or all where they are few.

    A worker and its solver take turns. Among cores of their own they meet the same cache again and no other
    worker's processes; on two cores, two workers get a tenth more done.
    """
    every = sorted(cores)
    return set(every[seat::seats] if seats <= len(every) else every)


def _live_with(pipe: Connection, taken: Synchronized[int], seats: int) -> None:
    """Leave the parent's process group, so that Ctrl-C is the parent's to handle, and watch the pipe."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    with taken.get_lock():
        seat = taken.value
        taken.value += 1
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # it is for speed alone
            os.sched_setaffinity(0, cores_of(seat, seats, os.sched_getaffinity(0)))
    threading.Thread(target=_watch, args=(pipe,), daemon=True).start()


def _watch(pipe: Connection) -> None:
    try:
        pipe.recv_bytes()
    except (EOFError, OSError):
        if hasattr(os, "killpg"):
            os.killpg(os.getpid(), signal.SIGKILL)  # with the solvers, which are in this group
        os._exit(1)
