"""The command line.

This module imports almost nothing, because Ctrl-C prints a traceback until `main` defers it.
"""

import signal
import threading


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with status 0, or with 1 after one line on standard error."""
    deferred: list[int] = []
    in_main_thread = threading.current_thread() is threading.main_thread()
    before = (
        signal.signal(signal.SIGINT, lambda number, _: deferred.append(number)) if in_main_thread else None
    )
    from catan_cp.cli import running

    def release() -> None:
        """Restore Ctrl-C, and raise it if it was deferred."""
        if in_main_thread:
            signal.signal(signal.SIGINT, before)
        if deferred:
            signal.raise_signal(signal.SIGINT)

    running.main(arguments, release)
