"""Catan boards as a constraint problem: generate, enumerate, count, score and draw them.

>>> import catan_cp
>>> board = catan_cp.generate_board("tournament", seed=1)
>>> board.layout.name, catan_cp.Rules.preset("tournament").check(board)
('base', [])

Everything public is here, listed in ``__init__.pyi``, which type checkers and editors read too; each name is
loaded on first use, so that importing the package is quick.
"""

import lazy_loader

__version__ = "0.1.0"

SUBPACKAGES = frozenset(
    [
        "boards",
        "counting",
        "draw",
        "entropy",
        "errors",
        "placement",
        "play",
        "rules",
        "search",
        "studies",
        "tournament",
    ]
)
"""Public, but left out by ``from catan_cp import *``, which would load them all."""

__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted({*_names} - SUBPACKAGES)


def __dir__() -> list[str]:
    return [*__all__, *SUBPACKAGES, "__version__"]
