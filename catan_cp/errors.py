"""Every error this library raises on purpose.

All of them are `CatanError`s, so one ``except`` catches them. Each message says what was wrong,
with what value, and what to do about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_SHOWN = 80
_LONGEST_PATH = 400
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Return *text* with what steers a terminal, line ends and tabs aside, written out as Python does.

    Names, rules files, stores and solvers' last words may be a stranger's. This stands where text goes out,
    in every error's message and in `catan_cp.terminal.tell`, and nowhere else.
    """
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


class CatanError(Exception):
    """Anything that this library refuses or fails to do; its message holds nothing that steers a terminal."""

    def __init__(self, message: object = "") -> None:
        super().__init__(visible(str(message)))


class InvalidBoard(CatanError, ValueError):
    """A board, a terrain, a notation or a layout name that cannot be."""


class InvalidRules(CatanError, ValueError):
    """Rules that are misspelt, of the wrong type, or contradict themselves."""


class InvalidArgument(CatanError, ValueError):
    """Any other argument out of its range: a seed, a time limit, a number of boards."""


class Infeasible(CatanError):
    """No board satisfies the rules."""


class SolverNotFound(CatanError):
    """MiniZinc, or the solver asked for, is not on this machine."""


class SolverTimeout(CatanError):
    """The time limit passed first.

    Attributes:
        found: how many solutions, or boards, were seen until then.
        partial: what was made of them, where the call that failed would have returned it whole.
    """

    def __init__(self, message: str, found: int = 0, partial: Any = None) -> None:
        super().__init__(message)
        self.found = found
        self.partial = partial

    def __reduce__(self) -> tuple[type[SolverTimeout], tuple[str, int, Any]]:
        return type(self), (str(self), self.found, self.partial)


class SolverFailed(CatanError):
    """MiniZinc or a solver crashed; the message carries its last words."""


class Interrupted(CatanError, KeyboardInterrupt):
    """Ctrl-C during a long run; a `KeyboardInterrupt` too, so that whatever lets Ctrl-C pass lets it pass.

    Attributes:
        result: what was done until then, of the type the run returns.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[Interrupted], tuple[str, Any]]:
        return type(self), (str(self), self.result)


def extra(name: str) -> str:
    """Return the command that brings an optional feature; the library is in no package index."""
    return f"pip install -e '.[{name}]' in the checkout of catan-cp"


def show(value: object) -> str:
    """Return *value* as an error message quotes it: its repr, cut where it grows long."""
    try:
        text = repr(value[: 2 * _SHOWN]) if isinstance(value, str) else repr(value)
    except Exception:  # too deep, too many digits, or a repr that fails: the message must come all the same
        text = f"<{type(value).__name__} that cannot be shown>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def show_path(path: object) -> str:
    """Return a file's *path* as an error message quotes it: whole, for its end tells which file it is."""
    return repr(str(path)[-_LONGEST_PATH:])


def listed(names: Iterable[object]) -> str:
    """Return *names* as an error message lists what is allowed."""
    return ", ".join(str(name) for name in names)
