"""The command line: thin commands, no logic of their own.

This module imports almost nothing: Ctrl-C prints a traceback until `main` holds it back.
"""

import signal
import threading


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with status 0, or 1 after one line on standard error."""
    came: list[int] = []
    in_main_thread = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number)) if in_main_thread else None
    from catan_cp.cli import running

    def release() -> None:
        """Restore Ctrl-C, and raise it if it came meanwhile."""
        if in_main_thread:
            signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)

    running.main(arguments, release)
