"""How far a study is: boards a second, the best so far, the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catan_cp.errors import InvalidArgument, show
from catan_cp.terminal import progress_on_stderr

if TYPE_CHECKING:
    import rich.progress


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
            parts.append(f"{_clock(self.seconds_left)} left")
        return ", ".join(parts)


Watch = Callable[[Progress], None]


class Meter:
    """Counts boards, and tells whoever watches, twice a second at most.

    Args:
        watch: a function to tell; True for a line on the terminal; False for nobody.
        n: boards asked for.
        done, best: where the study stands.
    """

    def __init__(self, watch: bool | Watch, n: int | None, done: int, best: tuple[float, int] | None) -> None:
        if not isinstance(watch, bool) and not callable(watch):
            raise InvalidArgument(f"progress is True, False or a function, not {show(watch)}")
        self.done = done
        self._n, self._failed, self._best = n, 0, best
        self._line = _line() if watch is True else None
        self._watch: Watch | None = self._line or (None if isinstance(watch, bool) else watch)
        self._before, self._began, self._told = done, time.monotonic(), 0.0

    def add(self, boards: int, best: tuple[float, int] | None) -> None:
        """Count boards."""
        self.done += boards
        self._best = best
        self.tick()

    def add_failure(self) -> None:
        """Count a chunk that failed."""
        self._failed += 1
        self.tick()

    def tick(self, always: bool = False) -> None:
        """Tell how far it is, if that was not done just now."""
        now = time.monotonic()
        if self._watch is not None and (always or now - self._told >= 0.5):
            self._told = now
            self._watch(self._progress(now))

    def end(self) -> None:
        """Tell the end."""
        self.tick(always=True)
        if self._line is not None:
            self._line.end()

    def _progress(self, now: float) -> Progress:
        made = self.done - self._before
        rate = made / max(now - self._began, 1e-9)
        left = None if self._n is None or not made else max(0, self._n - self.done) / rate
        return Progress(self.done, self._n, rate, self._best, left, self._failed)


class _Line:
    """One line on the terminal with a clock that runs, which shows life from the first second."""

    def __init__(self, progress: rich.progress.Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def __call__(self, progress: Progress) -> None:
        self._progress.update(self._task, description=str(progress))
        self._progress.start()

    def end(self) -> None:
        self._progress.stop()


def _line() -> _Line | None:
    """Return a line on standard error, where that is a terminal."""
    if not sys.stderr.isatty():
        return None
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    progress = progress_on_stderr(*columns, transient=False)
    return None if progress is None else _Line(progress)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
