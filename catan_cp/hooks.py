"""Functions that modules below lead to, registered by name.

Imports go down only and never in a circle, and yet ``board.plot()`` draws, ``Layout.from_toml`` reads files
and ``count_markers`` may ask a solver. `catan_cp` registers where such a function is when it is imported; its
module is loaded on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_REGISTERED: dict[str, str] = {}


def register(name: str, module: str) -> None:
    """Let `hooked` find the function *name* in *module*."""
    _REGISTERED[name] = module


def hooked(name: str) -> Callable[..., Any]:
    """Return the registered function of that name.

    Raises:
        LookupError: nobody registered one, which `catan_cp` does when it is imported.
    """
    if name not in _REGISTERED:
        raise LookupError(f"no function {name} is registered; import catan_cp")
    function: Callable[..., Any] = getattr(import_module(_REGISTERED[name]), name)
    return function
