"""The errors of this library, and the checks of arguments.

All errors are `CatanError`s, so one ``except`` catches them. Each message names the problem, the value and a
remedy. Each check returns the value in one form, such as an int of Python, or raises such an error.
"""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf, isfinite
from numbers import Real
from operator import index
from os import PathLike, fsencode
from pathlib import Path
from typing import Any, TypeVar

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN = 80
_LONGEST_PATH = 400
_LONGEST_TIME = 1e9
T = TypeVar("T")
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Return *text* with control characters, except line ends and tabs, as escapes.

    Names, rules files, stores and the output of solvers may come from an untrusted source. Only error
    messages and `catan_cp.terminal.tell` call this function.
    """
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


class CatanError(Exception):
    """Any error of this library, with a message without control characters.

    Example:
        >>> import catan_cp
        >>> try:
        ...     catan_cp.generate_board("unknown")
        ... except catan_cp.CatanError as error:
        ...     type(error).__name__
        'InvalidRules'
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(visible(str(message)))


class InvalidBoard(CatanError, ValueError):
    """An invalid board, terrain, notation or layout name.

    Example:
        >>> import catan_cp
        >>> catan_cp.Board.from_notation("abc")
        Traceback (most recent call last):
            ...
        catan_cp.errors.InvalidBoard: unknown letter 'c' in row 1; letters are ...
    """


class InvalidRules(CatanError, ValueError):
    """Rules that are misspelt, of the wrong type, or contradict themselves.

    Example:
        >>> import catan_cp
        >>> catan_cp.Rules(desert="north")
        Traceback (most recent call last):
            ...
        catan_cp.errors.InvalidRules: desert is 'north'; choose from any, centre, coast, inland
    """


class InvalidArgument(CatanError, ValueError):
    """Any other argument out of its range: a seed, a time limit, a number of boards.

    Example:
        >>> import catan_cp
        >>> catan_cp.generate_board(seed=1.5)
        Traceback (most recent call last):
            ...
        catan_cp.errors.InvalidArgument: seed must be a whole number, not 1.5
    """


@dataclass(frozen=True)
class Conflict:
    """Rules or constraints that exclude each other.

    Attributes:
        fields: the names of fields of `Rules`.
        constraints: the custom constraints, or the constraints of a model.
        minimal: True if it is proven that, without any one of these, the others have a solution.

    Example:
        >>> import catan_cp
        >>> catan_cp.find_conflict("var 1..3: x; constraint x > 2; constraint x < 2;", progress=False)
        Conflict(fields=(), constraints=('constraint x > 2', 'constraint x < 2'), minimal=True)
    """

    fields: tuple[str, ...] = ()
    constraints: tuple[Any, ...] = ()
    minimal: bool = False

    @property
    def items(self) -> tuple[Any, ...]:
        """The fields, then the constraints."""
        return (*self.fields, *self.constraints)


class Infeasible(CatanError):
    """No board satisfies the rules.

    Attributes:
        conflict: the rules that exclude each other, or None if they were not searched for.

    Example:
        >>> import catan_cp
        >>> try:
        ...     catan_cp.generate_board("optimal", "base-5-6")
        ... except catan_cp.Infeasible as error:
        ...     error.conflict.fields
        ('terrain_cluster_max', 'apart')
    """

    def __init__(self, message: object = "", conflict: Conflict | None = None) -> None:
        super().__init__(message)
        self.conflict = conflict


class SolverNotFound(CatanError):
    """MiniZinc, or the requested solver, is not installed.

    Example:
        >>> import catan_cp
        >>> catan_cp.generate_board(solver="chuffedd")
        Traceback (most recent call last):
            ...
        catan_cp.errors.SolverNotFound: unknown solver 'chuffedd'; did you mean 'chuffed'? ...
    """


class SolverTimeout(CatanError):
    """The time limit passed first.

    Attributes:
        found: number of solutions or boards until then.
        partial: the result so far, for calls that return a whole result.

    Example:
        >>> import catan_cp
        >>> rules = catan_cp.Rules(terrain_pips_min={"ore": 9})
        >>> try:
        ...     catan_cp.count_markers("dlw/bgol/owbwg/lgob/wlg", rules, timeout=1)
        ... except catan_cp.SolverTimeout as error:
        ...     error.found > 0
        True
    """

    def __init__(self, message: str, found: int = 0, partial: Any = None) -> None:
        super().__init__(message)
        self.found = found
        self.partial = partial


class SolverFailed(CatanError):
    """MiniZinc or a solver crashed. The message has the end of its output."""


class Interrupted(CatanError, KeyboardInterrupt):
    """Ctrl-C during a long run, which is also a `KeyboardInterrupt`.

    Attributes:
        result: the result so far, of the type that the call returns.

    Example:
        >>> issubclass(Interrupted, KeyboardInterrupt), Interrupted("stopped after 2 boards", 2).result
        (True, 2)
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


def check_working_directory() -> None:
    """Check that the working directory exists, for names of files and for programs.

    Raises:
        InvalidArgument: it was deleted.
    """
    try:
        Path.cwd()
    except FileNotFoundError:
        raise InvalidArgument(
            "the working directory must exist, but it was deleted; change to another, such as ~"
        ) from None


def extra(name: str) -> str:
    """Return the command that installs an optional feature."""
    return f"pip install 'catan-cp[{name}]'"


_syntax: ContextVar[Callable[[object], str]] = ContextVar("_syntax", default=repr)


@contextmanager
def toml_errors() -> Iterator[None]:
    """Write values in error messages as TOML, because they come from a file."""
    token = _syntax.set(toml_text)
    try:
        yield
    finally:
        _syntax.reset(token)


def toml_text(value: object) -> str:
    """Return a value of a TOML file as TOML in one line."""
    if isinstance(value, Mapping):
        items = (
            f"{key if _BARE_KEY.fullmatch(key) else toml_text(key)} = {toml_text(item)}"
            for key, item in value.items()
        )
        return f"{{ {', '.join(items)} }}" if value else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_text, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else str(value)


def show(value: object) -> str:
    """Return the shortened repr of *value*, or TOML within `toml_errors`."""
    write = _syntax.get()
    try:
        text = write(value[: 2 * _SHOWN]) if isinstance(value, str) else write(value)
    except Exception:  # too deep, too many digits, or a repr that fails
        text = f"<{type(value).__name__} that cannot be shown>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def show_path(path: object) -> str:
    """Return a *path* for an error message, whole because its end identifies the file."""
    return repr(str(path)[-_LONGEST_PATH:])


def listed(names: Iterable[object]) -> str:
    """Return *names* as a list for an error message."""
    return ", ".join(str(name) for name in names)


def amount(number: int, noun: str) -> str:
    """Return ``1 pip`` or ``2,000 pips``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def at_place(text: str, start: int, why: str) -> str:
    r"""Return an error message with the place in a text, and a caret below it.

    >>> print(at_place("x = 1;\ny == 2;", 9, "unknown name"))
    line 2, column 3: unknown name
      y == 2;
        ^
    """
    before = text[:start]
    number = before.count("\n") + 1
    column = start - (before.rfind("\n") + 1)
    line = text.split("\n")[number - 1].rstrip("\r")
    excerpt = line[max(0, column - 60) : column + 60]
    return f"line {number}, column {column + 1}: {why}\n  {excerpt}\n  {' ' * min(column, 60)}^"


def offset(text: str, line: int, column: int) -> int:
    """Return the index of a line and column, both from 1, in a text."""
    return sum(map(len, text.splitlines(keepends=True)[: line - 1])) + column - 1


# Checks of arguments


def whole_number(value: object) -> int | None:
    """Return *value* as an int, or None if it is not a whole number (bool is not one)."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool":  # numpy.True_ is 1 before 2.0
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def real_number(value: object) -> float | None:
    """Return *value* as a float, or None if it is not a finite number.

    A bool is not a number.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def check_kind(subject: str, value: object, kind: type[T], error: type[CatanError] = InvalidArgument) -> T:
    """Return *value* if it is of a *kind*.

    The message begins with *subject*, for example ``a picture shows a Board``.

    Raises:
        error: it is of another type.
    """
    if not isinstance(value, kind):
        raise error(f"{subject}, not {show(value)}")
    return value


def check_path(subject: str, value: object, error: type[CatanError] = InvalidArgument) -> Path:
    """Return *value* as a path.

    The message begins with *subject*, for example ``a layout is read from a file``.

    Raises:
        error: it is not a path that a file can have.
    """
    try:
        if isinstance(value, (str, PathLike)) and str(value) and b"\0" not in fsencode(value):
            return Path(value)
    except (UnicodeEncodeError, TypeError):  # half a character, or a path of bytes
        pass
    raise error(f"{subject}, not {show(value)}")


def check_count(name: str, value: object, least: int = 0, most: int | None = None) -> int:
    """Return *value* as an int from *least* to *most*.

    Raises:
        InvalidArgument: it is not a whole number in that range.
    """
    count = whole_number(value)
    if count is None or count < least or (most is not None and count > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidArgument(f"{name} must be a whole number {allowed}, not {show(value)}")
    return count


def check_limit(limit: object) -> int | None:
    """Return a maximum number of solutions, None for no limit.

    Raises:
        InvalidArgument: it is neither None nor a whole number above 0.
    """
    return None if limit is None else check_count("limit", limit, 1)


def check_seed(seed: object) -> int | None:
    """Return *seed* as an int or None.

    Raises:
        InvalidArgument: it is neither.
    """
    number = whole_number(seed)
    if seed is not None and number is None:
        raise InvalidArgument(f"seed must be a whole number, not {show(seed)}")
    return number


def random_source(seed: object) -> random.Random:
    """Return a random generator with a *seed*, or a random seed for None.

    A negative seed is passed as text, because `random.Random` ignores its sign.

    Raises:
        InvalidArgument: the seed is neither None nor a whole number.
    """
    number = check_seed(seed)
    return random.Random(number if number is None or number >= 0 else f"seed {number}")


def check_number(name: str, value: object, above: float = -inf, below: float = inf) -> float:
    """Return *value* as a float strictly between *above* and *below*.

    Raises:
        InvalidArgument: it is not a number in that range.
    """
    number = real_number(value)
    if number is None or not above < number < below:
        ends = [f"above {above:g}"] * (above > -inf) + [f"below {below:g}"] * (below < inf)
        raise InvalidArgument(f"{name} must be a number {' and '.join(ends)}, not {show(value)}")
    return number


def check_timeout(timeout: object) -> float | None:
    """Return *timeout* in seconds, None for no limit.

    Raises:
        InvalidArgument: it is neither None nor a number above 0.
    """
    return None if timeout is None else check_number("timeout in seconds", timeout, 0, _LONGEST_TIME)


def check_choice(
    name: str, value: object, allowed: Iterable[str], error: type[CatanError] = InvalidArgument
) -> str:
    """Return *value* if it is one of the *allowed* words.

    Raises:
        error: it is not one of them.
    """
    words = list(allowed)
    if not isinstance(value, str) or value not in words:
        raise error(f"{name} is {show(value)}; {did_you_mean(value, words)}choose from {listed(words)}")
    return value


def did_you_mean(value: object, known: Iterable[str]) -> str:
    """Return ``did you mean 'tournament'? `` if *value* is similar to a known name.

    Case is ignored first.
    """
    if not isinstance(value, str) or len(value) >= 100:
        return ""
    names, fold = list(known), str.casefold
    near = get_close_matches(fold(value), map(fold, names), 1)
    spellings = get_close_matches(value, [name for name in names if fold(name) in near], 1, 0)
    return f"did you mean {show(spellings[0])}? " if spellings else ""
