"""Boards by hand: a panel for notebooks that shows a board, its report and its count for any rules.

The module is not called ``explore``, so that ``catan_cp.explore`` is always the function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catan_cp.boards.layout import Layout
from catan_cp.errors import CatanError
from catan_cp.rules.rules import Rules

if TYPE_CHECKING:
    from catan_cp.notebook.explorer import Explorer


def explore(rules: str | Rules = "tournament", layout: str | Layout = "base", *, seed: int = 1) -> Explorer:
    """Return a panel to choose a layout, a preset, single rules and a seed, which redraws the board at once.

    A notebook shows it where it is the last line of a cell. What is on the screen can be taken further:
    ``panel.board``, ``panel.rules``, ``panel.report`` and ``panel.count``.

    Args:
        rules: the rules to begin with, or a preset's name.
        layout: the layout to begin with.
        seed: the seed to begin with, a whole number from 0.

    Raises:
        CatanError: the extra ``notebook`` is not installed.
        InvalidBoard, InvalidRules, InvalidArgument: no such layout, preset or seed. Whatever goes wrong
            later, such as rules that nothing satisfies, is told in the panel.
    """
    try:
        from catan_cp.notebook.explorer import Explorer
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("ipywidgets", "traitlets", "IPython"):
            raise
        raise CatanError(
            f"catan_cp.explore() needs the package {error.name}, which is not installed; "
            "the extra notebook brings it: in the checkout, pip install '.[notebook]'"
        ) from None
    return Explorer(rules, layout, seed)
