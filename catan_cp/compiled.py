"""Compile numeric functions with numba if it is installed.

Without numba they run as plain Python.

The functions are written once, in the subset of Python that numba compiles. Compiled functions work on numpy
arrays. Interpreted functions work on nested lists, whose elements Python reads faster. Both return the same
integers.

Numba is imported on the first call. It caches compiled code in a folder, and the next process unpickles it
from there. A folder that other users may write to is therefore not used. Without a private folder, functions
are compiled again in each process.
"""

import os
import sys
import threading
import warnings
from collections.abc import Callable
from functools import cache, cached_property
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from catan_cp import terminal
from catan_cp.files import is_private
from catan_cp.progress import remark

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_MISSING: Any = object()
_MAY_COMPILE = find_spec("numba") is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


@cache
def _numba() -> Any:
    """Return numba, or None if it is not installed, does not load, or is switched off."""
    loaded: list[Any] = []
    try:
        if _MAY_COMPILE:
            call_apart(lambda: loaded.append(_load_numba()))  # some extension modules lose Ctrl-C
    except ImportError:  # for example numba for another numpy
        return None
    numba = loaded[0] if loaded else None
    if numba is not None and terminal.is_command:
        events = import_module("numba.core.event")
        remarks = {"on_start": lambda *_: _announce(), "on_end": lambda *_: None}
        events.register("numba:compile", type("Announcer", (events.Listener,), remarks)())
    return numba


def _load_numba() -> Any:
    """Import numba without its configuration file.

    Numba reads a file from the working directory. The file may come with data of others, and name a folder of
    compiled code, which numba unpickles. Environment variables still configure numba.
    """
    with _loading:
        yaml = sys.modules.get("yaml", _MISSING)
        sys.modules["yaml"] = None  # type: ignore[assignment]  # numba reads the file only with this package
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "A Numba config file is found")
                numba = import_module("numba")
        finally:
            del sys.modules["yaml"]
            if yaml is not _MISSING:
                sys.modules["yaml"] = yaml
        numba.config._config_fname = ""  # numba looks for the file again whenever it compiles
        numba.config.reload_config()  # without the values of a file that another import has read
    return numba


@cache
def _announce() -> None:
    """Print a remark before the first compilation of a command. Code from the cache is not compiled."""
    remark("compiling with numba, which can take a minute; later calls on this machine are fast")


def is_fast() -> bool:
    """Return True if functions are compiled.

    That needs numba from the extra ``fast``, not switched off.
    """
    return _numba() is not None


def is_loaded() -> bool:
    """Return True if `is_fast` is known without loading numba, which takes half a second."""
    return not _MAY_COMPILE or "numba" in sys.modules


class _Compiled:
    """A function that is compiled on its first call, with the functions that it calls."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self.function, self.options = function, options
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self.__wrapped__ = function  # for `inspect.signature`
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, or the plain function."""
        if self._dispatcher is None:
            with _compiling:
                self._dispatcher = self._make() if is_fast() else self.interpreted
        return self._dispatcher

    @cached_property
    def digest(self) -> str:
        """Digest of the function, the functions that it calls, and the constants that it reads."""
        plain = self.function
        parts: list[object] = [plain.__code__.co_code, plain.__code__.co_names, self.options]
        parts += [value for value in plain.__code__.co_consts if not isinstance(value, CodeType)]
        for name in plain.__code__.co_names:
            value = plain.__globals__.get(name)
            if isinstance(value, _Compiled):
                parts.append(value.digest if value is not self else name)
            elif isinstance(value, (int, float, str, tuple)):
                parts.append(value)
        return blake2b(repr(parts).encode(), digest_size=8).hexdigest()

    def _copy(self, form: str) -> FunctionType:
        """Return a copy of the function that calls other functions in a form.

        *form* is ``"dispatcher"`` or ``"interpreted"``.
        """
        plain = self.function
        namespace = dict(plain.__globals__)
        for name in plain.__code__.co_names:
            if isinstance(namespace.get(name), _Compiled) and namespace[name] is not self:
                namespace[name] = getattr(namespace[name], form)
        return FunctionType(plain.__code__, namespace, plain.__name__, plain.__defaults__, plain.__closure__)

    @cached_property
    def interpreted(self) -> FunctionType:
        """The function and its callees as plain Python."""
        copy = self._copy("interpreted")
        copy.__globals__[copy.__name__] = copy
        return copy

    def _make(self) -> Any:
        """Return the dispatcher. Callees are compiled too, so the function sees their dispatchers."""
        plain, copy = self.function, self._copy("dispatcher")
        # Numba caches compiled code by name and by the date of the function's file. The callees and constants
        # of the function may come from other files, so their digest is part of the name.
        copy.__qualname__ = f"{plain.__qualname__}_{self.digest}"
        dispatcher = self._cached(copy)
        copy.__globals__[plain.__name__] = dispatcher  # for functions that call themselves
        return dispatcher

    def _cached(self, function: FunctionType) -> Any:
        """Return a dispatcher that caches compiled code if a private folder exists for it."""
        njit, options = _numba().njit, {"nogil": True, **self.options}
        try:
            dispatcher = njit(cache=True, **options)(function)
        except RuntimeError:  # no writable folder
            return njit(**options)(function)
        _skip_unreadable(dispatcher)
        cache_folder = Path(dispatcher.stats.cache_path)
        beside = Path(function.__code__.co_filename).parent / "__pycache__"  # Python trusts this folder, too
        return dispatcher if cache_folder == beside or is_private(cache_folder) else njit(**options)(function)


def _skip_unreadable(dispatcher: Any) -> None:
    """Compile again where numba cannot read its cache.

    Numba unpickles the types of arguments by name before it compares dates. That raises after an update that
    renames or moves a type, and if a file is damaged.
    """
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        load = cache_file.load

        def load_readable(key: object) -> Any:
            try:
                return load(key)
            except Exception:
                cache_file.flush()  # the index only; code is stored under the same names again
                return None

        cache_file.load = load_readable


_compiling = threading.RLock()
_loading = threading.Lock()


def compiled(function: F) -> F:
    """Return the function, to be compiled on its first call if numba is installed.

    The function works on its arguments and allocates nothing. Arrays then need no reference counting, which
    otherwise takes most of the time of such functions.
    """
    return cast(F, _Compiled(cast(FunctionType, function), {"_nrt": False})) if _MAY_COMPILE else function


def inlined(function: F) -> F:
    """Return a function like `compiled`, inlined into its callers because it is called often."""
    options = {"_nrt": False, "inline": "always"}
    return cast(F, _Compiled(cast(FunctionType, function), options)) if _MAY_COMPILE else function


def interpreted(function: F) -> F:
    """Return a compiled function as plain Python, with or without numba."""
    return cast(F, function.interpreted) if isinstance(function, _Compiled) else function


def prepare(
    function: Callable[..., Any], *arguments: Any, check: Callable[[], object] = lambda: None
) -> None:
    """Compile the function for the types of these arguments, if that has not been done.

    Compilation takes seconds without a cache. Ctrl-C ends the wait at once instead of being lost, and so does
    an error of *check*, which is called during the wait.
    """
    if isinstance(function, _Compiled) and not getattr(function.dispatcher, "overloads", True):
        types = tuple(_numba().typeof(argument) for argument in arguments)
        call_apart(lambda: function.dispatcher.compile(types), check)


def run(function: Callable[..., T], *arguments: Any, check: Callable[[], object] = lambda: None) -> T:
    """Call a compiled function after `prepare`, and return its result."""
    prepare(function, *arguments, check=check)
    return function(*arguments)


def zeros(size: int) -> Any:
    """Return *size* zeros, writable by compiled or interpreted functions."""
    return np.zeros(size, dtype=np.int64) if is_fast() else [0] * size


def table(values: Any, dtype: Any = np.int64) -> Any:
    """Return an array for compiled functions, or nested lists for interpreted ones."""
    array = np.ascontiguousarray(values, dtype=dtype)
    return array if is_fast() else array.tolist()


def call_apart(function: Callable[[], object], check: Callable[[], object] = lambda: None) -> None:
    """Call *function* in a new thread, and wait for it. Meanwhile, call *check* ten times a second.

    Ctrl-C and errors of *check* end the wait but not the call. Code such as a compiler would lose Ctrl-C, or
    be left half done by it. The thread ends with the process. An exception of *function* is raised here.
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
        check()
    if raised:
        raise raised[0]
