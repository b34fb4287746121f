"""Functions of rooms above that a board's methods lead to, registered by those rooms' names.

`catan_cp` registers them when it is imported; each is imported on its first use. So boards can be drawn
without this room knowing who draws them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_REGISTERED: dict[str, str] = {}


def register(name: str, module: str) -> None:
    """Let `painter` find the function *name* in *module*."""
    _REGISTERED[name] = module


def painter(name: str) -> Callable[..., Any]:
    """Return the registered function of that name.

    Raises:
        LookupError: nobody registered one, which `catan_cp` does when it is imported.
    """
    if name not in _REGISTERED:
        raise LookupError(f"no {name} is registered; import catan_cp")
    function: Callable[..., Any] = getattr(import_module(_REGISTERED[name]), name)
    return function
