"""Time limits that suit slow machines: a solver may need minutes to start on a busy one."""

from collections.abc import Callable


def until_some(function: Callable[[float], int]) -> float:
    """Ask with longer and longer time limits until something was found in one.

    Return that limit.
    """
    for seconds in (1.5, 6.0, 24.0, 96.0, 384.0):
        if function(seconds) > 0:
            return seconds
    raise AssertionError("nothing was found in six minutes")
