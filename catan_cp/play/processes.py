"""Share out tasks among processes that end with the one that started them.

Each process has a pipe of its own, and ends when the other end closes: `concurrent.futures` would leave its
processes behind when their parent is killed.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from catan_cp.errors import CatanError
from catan_cp.interrupts import interrupts_later, start_resource_tracker

Result = TypeVar("Result")


def share_out(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], workers: int
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each task and what *work* made of it, in the order in which they are done.

    Args:
        work: a function of a module.
        tasks: its arguments, one tuple a task.
        workers: how many processes.

    Raises:
        CatanError: a process died, or did not start.
        Exception: what *work* raised.
    """
    context = multiprocessing.get_context("spawn")
    left = iter(enumerate(tasks))
    members: dict[Connection, BaseProcess] = {}
    busy: dict[Connection, int] = {}
    start_resource_tracker()
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process: BaseProcess = context.Process(target=_serve, args=(theirs, work), daemon=True)
            with interrupts_later():
                members[ours] = process
                process.start()
            theirs.close()
            _hand_out(ours, left, busy)
        while busy:
            for pipe in wait(list(busy)):
                assert isinstance(pipe, Connection)
                number = busy.pop(pipe)
                good, value = _answer(pipe)
                if not good:
                    raise value
                _hand_out(pipe, left, busy)
                yield number, value
    finally:
        for pipe, process in members.items():
            if process.pid is not None:  # Ctrl-C may come before it starts
                process.kill()
                process.join()
            pipe.close()


def _hand_out(pipe: Connection, left: Iterator[tuple[int, Any]], busy: dict[Connection, int]) -> None:
    task = next(left, None)
    if task is not None:
        busy[pipe] = task[0]
        with suppress(OSError):  # then its process is gone, which shows when it is asked
            pipe.send(task[1])


def _answer(pipe: Connection) -> tuple[bool, Any]:
    try:
        answer: tuple[bool, Any] = pipe.recv()
    except (EOFError, OSError):
        raise CatanError(
            "a process that played games died; in a script, call this under `if __name__ == '__main__':`, "
            "or use workers=1"
        ) from None
    return answer


def _serve(pipe: Connection, work: Callable[..., Any]) -> None:
    """Do what comes through the pipe until it closes. Runs in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[bool, Any] = True, work(*task)
        except Exception as error:
            answer = False, error if isinstance(error, CatanError) else CatanError(repr(error))
        with suppress(OSError):
            pipe.send(answer)
