"""Compile numeric functions with numba where it is installed; run them as plain Python where it is not.

The functions are written once, in the part of Python that numba compiles. Compiled they work on numpy
arrays, interpreted on nested lists, whose elements Python reads faster; both give the same integers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

from catan_cp.interrupts import call_apart

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

numba: Any = None
with suppress(ImportError):  # the extra is not installed
    numba = import_module("numba")

FAST = numba is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
"""Whether functions are compiled: numba, from the extra ``fast``, is installed and not switched off."""


def compiled(function: F) -> F:
    """Return the function compiled by numba on its first call, or as it is.

    It works on what it is given and allocates nothing, so arrays need no counting of references, which is
    what such functions otherwise spend most of their time on.
    """
    return cast(F, numba.njit(cache=True, nogil=True, _nrt=False)(function)) if FAST else function


def inlined(function: F) -> F:
    """As `compiled`, for what is called all the time: compiled into its callers, which spares the call."""
    options = {"cache": True, "nogil": True, "_nrt": False, "inline": "always"}
    return cast(F, numba.njit(**options)(function)) if FAST else function


def prepare(function: Callable[..., Any], *arguments: Any) -> None:
    """Compile the function for such arguments if it has not been; Ctrl-C ends the wait at once.

    Compiling takes seconds where numba has no cache yet, and would lose Ctrl-C.
    """
    if FAST and not getattr(function, "overloads", True):
        types = tuple(numba.typeof(argument) for argument in arguments)
        call_apart(lambda: function.compile(types))  # type: ignore[attr-defined]


def run(function: Callable[..., T], *arguments: Any) -> T:
    """Return what a compiled function returns, having prepared it."""
    prepare(function, *arguments)
    return function(*arguments)


def zeros(size: int) -> Any:
    """Return so many zeros for compiled or interpreted functions to write on."""
    return np.zeros(size, dtype=np.int64) if FAST else [0] * size


def table(values: Any, dtype: Any = np.int64) -> Any:
    """Return an array as compiled functions want it, or nested lists for interpreted ones."""
    array = np.ascontiguousarray(values, dtype=dtype)
    return array if FAST else array.tolist()
