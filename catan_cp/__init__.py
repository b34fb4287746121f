"""Catan boards as a constraint problem: generate, enumerate, count, score and draw them.

>>> import catan_cp
>>> board = catan_cp.generate_board("tournament", seed=1)
>>> board.layout.name, catan_cp.Rules.preset("tournament").check(board)
('base', [])

All public names are here. ``__init__.pyi`` lists them for type checkers and editors. Each name is loaded on
first use, so importing the package is quick.
"""

import lazy_loader

__version__ = "1.0.0"

SUBPACKAGES = frozenset(
    [
        "boards",
        "counting",
        "draw",
        "entropy",
        "errors",
        "formats",
        "placement",
        "play",
        "rules",
        "search",
        "studies",
        "tournament",
    ]
)
"""Public, but left out by ``from catan_cp import *``, which would load them all."""

_load, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted({*_names} - SUBPACKAGES)


def __getattr__(name: str) -> object:
    if name in _names or name.startswith("__"):
        return _load(name)
    from catan_cp.errors import did_you_mean

    remedy = did_you_mean(name, __dir__()) or "dir(catan_cp) lists the public names"
    raise AttributeError(f"No catan_cp attribute {name}; {remedy.strip()}", name=name)


def __dir__() -> list[str]:
    return [*__all__, *SUBPACKAGES, "__version__"]
