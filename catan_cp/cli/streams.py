"""Standard streams that may be closed, or lose their reader, at any time."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import IO


def open_closed_streams() -> None:
    """Put something in the place of standard streams that were closed when we started, as in ``2>&-``.

    Python has None there, and the next file that is opened would get the stream's number. Remarks go nowhere,
    input is empty, and writing results fails, as it does in other programs.
    """
    for number, name, mode, flags in (
        (0, "stdin", "r", os.O_RDONLY),
        (1, "stdout", "w", os.O_RDONLY),  # so that writing is an error
        (2, "stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def discard(stream: IO[str]) -> None:
    """Send what *stream* still holds nowhere, or Python would fail on it once more as it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(message: str) -> None:
    """Print a line on standard error; that nobody reads it changes nothing."""
    try:
        print(message, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)
