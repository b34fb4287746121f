"""Compile numeric functions with numba where it is installed; run them as plain Python where it is not.

The functions are written once, in the part of Python that numba compiles. Compiled they work on numpy
arrays, interpreted on nested lists, whose elements Python reads faster; both give the same integers.

Numba is imported when the first of them is called. It keeps what it has compiled, in a folder of its own, and
unpickles that in the next process. So a folder that others may write to is not used: without one, functions
are compiled anew in each process.
"""

import os
import sys
import threading
from collections.abc import Callable
from functools import cache, cached_property
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from catan_cp.files import is_private

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_MAY_COMPILE = find_spec("numba") is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


@cache
def _numba() -> Any:
    """Return numba, or None where it is not installed, does not load, or is switched off."""
    try:
        return import_module("numba") if _MAY_COMPILE else None
    except ImportError:  # numba for another numpy, say
        return None


def is_fast() -> bool:
    """Whether functions are compiled: numba, from the extra ``fast``, is installed and not switched off."""
    return _numba() is not None


def is_loaded() -> bool:
    """Whether nothing more has to be loaded to know `is_fast`; loading numba takes half a second."""
    return not _MAY_COMPILE or "numba" in sys.modules


class _Compiled:
    """A function that is compiled when it is first called, and with it those that it calls."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self.function, self.options = function, options
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self._made: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, or the function as it is."""
        if self._made is None:
            with _making:
                self._made = self._make() if is_fast() else self.interpreted
        return self._made

    @cached_property
    def digest(self) -> str:
        """What the function says, with all that it calls and the constants that it reads, in 16 digits."""
        plain = self.function
        said: list[object] = [plain.__code__.co_code, plain.__code__.co_names, self.options]
        said += [each for each in plain.__code__.co_consts if not isinstance(each, CodeType)]
        for name in plain.__code__.co_names:
            value = plain.__globals__.get(name)
            if isinstance(value, _Compiled):
                said.append(value.digest if value is not self else name)
            elif isinstance(value, (int, float, str, tuple)):
                said.append(value)
        return blake2b(repr(said).encode(), digest_size=8).hexdigest()

    def _copy(self, form: str) -> FunctionType:
        """Return a copy of the function that sees what it calls in that form, too."""
        plain = self.function
        seen = dict(plain.__globals__)
        for name in plain.__code__.co_names:
            if isinstance(seen.get(name), _Compiled) and seen[name] is not self:
                seen[name] = getattr(seen[name], form)
        return FunctionType(plain.__code__, seen, plain.__name__, plain.__defaults__, plain.__closure__)

    @cached_property
    def interpreted(self) -> FunctionType:
        """The function as plain Python, and what it calls."""
        copy = self._copy("interpreted")
        copy.__globals__[copy.__name__] = copy
        return copy

    def _make(self) -> Any:
        """Return the dispatcher; what the function calls is compiled, too, so it sees those dispatchers."""
        plain, copy = self.function, self._copy("dispatcher")
        # Numba keeps compiled code by name and by the date of the function's own file. What the function
        # calls and reads stands in other files as well, so what they say is part of the name.
        copy.__qualname__ = f"{plain.__qualname__}_{self.digest}"
        copy.__globals__[plain.__name__] = made = self._cached(copy)  # for functions that call themselves
        return made

    def _cached(self, function: FunctionType) -> Any:
        """Return a dispatcher that keeps what it compiles, where there is a folder for it that is ours."""
        njit, options = _numba().njit, {"nogil": True, **self.options}
        try:
            made = njit(cache=True, **options)(function)
        except RuntimeError:  # no folder may be written to
            return njit(**options)(function)
        kept = Path(made.stats.cache_path)
        beside = Path(function.__code__.co_filename).parent / "__pycache__"  # Python trusts that, too
        return made if kept == beside or is_private(kept) else njit(**options)(function)


_making = threading.RLock()


def compiled(function: F) -> F:
    """Return the function such that numba compiles it on its first call, or as it is.

    It works on what it is given and allocates nothing, so arrays need no counting of references, which is
    what such functions otherwise spend most of their time on.
    """
    return cast(F, _Compiled(cast(FunctionType, function), {"_nrt": False})) if _MAY_COMPILE else function


def inlined(function: F) -> F:
    """As `compiled`, for what is called all the time: compiled into its callers, which spares the call."""
    options = {"_nrt": False, "inline": "always"}
    return cast(F, _Compiled(cast(FunctionType, function), options)) if _MAY_COMPILE else function


def interpreted(function: F) -> F:
    """Return a compiled function as plain Python, whether or not numba is there."""
    return cast(F, function.interpreted) if isinstance(function, _Compiled) else function


def prepare(function: Callable[..., Any], *arguments: Any) -> None:
    """Compile the function for such arguments if it has not been; Ctrl-C ends the wait at once.

    Compiling takes seconds where numba has no cache yet, and would lose Ctrl-C.
    """
    if isinstance(function, _Compiled) and not getattr(function.dispatcher, "overloads", True):
        types = tuple(_numba().typeof(argument) for argument in arguments)
        call_apart(lambda: function.dispatcher.compile(types))


def run(function: Callable[..., T], *arguments: Any) -> T:
    """Return what a compiled function returns, having prepared it."""
    prepare(function, *arguments)
    return function(*arguments)


def zeros(size: int) -> Any:
    """Return so many zeros for compiled or interpreted functions to write on."""
    return np.zeros(size, dtype=np.int64) if is_fast() else [0] * size


def table(values: Any, dtype: Any = np.int64) -> Any:
    """Return an array as compiled functions want it, or nested lists for interpreted ones."""
    array = np.ascontiguousarray(values, dtype=dtype)
    return array if is_fast() else array.tolist()


def call_apart(function: Callable[[], object]) -> None:
    """Call *function* in a thread of its own and wait for it; Ctrl-C ends the wait, never the call.

    This is for code that would lose Ctrl-C or be left half done by it, such as a compiler. The thread ends
    with the process; what *function* raises is raised here.
    """
    raised: list[BaseException] = []

    def call() -> None:
        try:
            function()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=call, name="apart", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)  # a wait without an end would not notice Ctrl-C on Windows
    if raised:
        raise raised[0]
