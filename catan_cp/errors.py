"""Every error this library raises on purpose, and the checks of arguments that all rooms share.

All errors are `CatanError`s, so one ``except`` catches them. Each message says what was wrong,
with what value, and what to do about it. Each check returns the value in one form (Python's own int, say) or
raises such an error.
"""

import random
import re
from collections.abc import Iterable
from difflib import get_close_matches
from math import inf, isfinite
from numbers import Real
from operator import index
from os import PathLike, fsencode
from pathlib import Path
from typing import Any, TypeVar

_SHOWN = 80
_LONGEST_PATH = 400
_LONGEST_TIME = 1e9
T = TypeVar("T")
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


# Checks of arguments


def whole_number(value: object) -> int | None:
    """Return *value* as an int where it is a whole number, numpy's included; True and False are none."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool":  # numpy.True_ is 1 before 2.0
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def real_number(value: object) -> float | None:
    """Return *value* as a float where it is a finite number, numpy's included; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def check_kind(says: str, value: object, kind: type[T], error: type[CatanError] = InvalidArgument) -> T:
    """Return *value* where it is of a *kind*; *says* begins the message: ``a picture shows a Board``, say.

    Raises:
        error: it is of another.
    """
    if not isinstance(value, kind):
        raise error(f"{says}, not {show(value)}")
    return value


def check_path(says: str, value: object, error: type[CatanError] = InvalidArgument) -> Path:
    """Return *value* as a path where it is one; *says* begins the message: ``a layout is read from a file``.

    Raises:
        error: it is none, or one that no file can have.
    """
    try:
        if isinstance(value, (str, PathLike)) and str(value) and b"\0" not in fsencode(value):
            return Path(value)
    except (UnicodeEncodeError, TypeError):  # half a character; a path of bytes
        pass
    raise error(f"{says}, not {show(value)}")


def check_count(name: str, value: object, least: int = 0, most: int | None = None) -> int:
    """Return *value* as an int from *least* to *most*.

    Raises:
        InvalidArgument: it is none.
    """
    count = whole_number(value)
    if count is None or count < least or (most is not None and count > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidArgument(f"{name} is a whole number {allowed}, not {show(value)}")
    return count


def check_limit(limit: object) -> int | None:
    """Return after how many solutions to stop; None for no limit.

    Raises:
        InvalidArgument: it is neither None nor a whole number above 0.
    """
    return None if limit is None else check_count("limit", limit, 1)


def check_seed(seed: object) -> int | None:
    """Return *seed* as an int; None, for a seed that nobody knows, stays None.

    Raises:
        InvalidArgument: it is neither.
    """
    number = whole_number(seed)
    if seed is not None and number is None:
        raise InvalidArgument(f"seed is a whole number, not {show(seed)}")
    return number


def random_source(seed: object) -> random.Random:
    """Return the generator of numbers that *seed* begins; None: one that begins anywhere.

    Python's own takes a number's amount alone, so that -7 would draw what 7 does.

    Raises:
        InvalidArgument: the seed is neither None nor a whole number.
    """
    number = check_seed(seed)
    return random.Random(number if number is None or number >= 0 else f"seed {number}")


def array_seed(seed: object) -> int | None:
    """Return *seed* for numpy's generators, which take none below 0: such a one becomes a long number.

    Raises:
        InvalidArgument: the seed is neither None nor a whole number.
    """
    number = check_seed(seed)
    return number if number is None or number >= 0 else random_source(number).getrandbits(128)


def check_number(name: str, value: object, above: float = -inf, below: float = inf) -> float:
    """Return *value* as a float between *above* and *below*, neither of which it may be.

    Raises:
        InvalidArgument: it is no such number.
    """
    number = real_number(value)
    if number is None or not above < number < below:
        ends = [f"above {above:g}"] * (above > -inf) + [f"below {below:g}"] * (below < inf)
        raise InvalidArgument(f"{name} is a number {' and '.join(ends)}, not {show(value)}")
    return number


def check_timeout(timeout: object) -> float | None:
    """Return *timeout*, in seconds; None for no limit.

    Raises:
        InvalidArgument: it is neither None nor a number above 0.
    """
    return None if timeout is None else check_number("timeout in seconds", timeout, 0, _LONGEST_TIME)


def check_choice(
    name: str, value: object, allowed: Iterable[str], error: type[CatanError] = InvalidArgument
) -> str:
    """Return *value* where it is one of the words that are *allowed*.

    Raises:
        error: it is none of them.
    """
    words = list(allowed)
    if not isinstance(value, str) or value not in words:
        raise error(f"{name} is {show(value)}; {did_you_mean(value, words)}choose from {listed(words)}")
    return value


def did_you_mean(value: object, known: Iterable[str]) -> str:
    """Return ``did you mean 'tournament'? `` where a known name is near *value*, else an empty text."""
    near = get_close_matches(value, list(known), 1) if isinstance(value, str) and len(value) < 100 else []
    return f"did you mean {near[0]!r}? " if near else ""
