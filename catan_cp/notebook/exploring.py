"""Panels for notebooks: a board with its report and count for any rules; and what a swap draws.

The module is not called ``explore``, so that ``catan_cp.explore`` is always the function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import CatanError, extra
from catan_cp.rules.rules import Rules

if TYPE_CHECKING:
    from catan_cp.notebook.explorer import Explorer, SwapExplorer


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
    with _widgets_for("catan_cp.explore()"):
        from catan_cp.notebook.explorer import Explorer
    return Explorer(rules, layout, seed)


def explore_swaps(
    errors: Board | Mapping[str, float], skew_power: float = 1.0, normalization: str = "static"
) -> SwapExplorer:
    """Return a panel that shows how skew power and normalisation shape which terrains a swap draws.

    It has a slider for the skew power and one for each terrain's error, and draws the weights as curves and
    the chances as bars (`catan_cp.experiments.plot_swap_chances`, which draws the same without a panel).
    ``panel.chances`` are the chances on the screen. The article "Catan Boards - Part 1" has such a page.

    Args:
        errors: a board, or the error (efficiency - target, from -1 to 1) of each terrain to begin with.
        skew_power: the skew power to begin with, as for `catan_cp.search_swaps`.
        normalization: ``"static"`` or ``"dynamic"``.

    Raises:
        CatanError: the extra ``notebook`` is not installed.
        InvalidArgument: as `catan_cp.experiments.swap_chances`.
    """
    with _widgets_for("explore_swaps()"):
        from catan_cp.notebook.explorer import SwapExplorer
    return SwapExplorer(errors, skew_power, normalization)


@contextmanager
def _widgets_for(what: str) -> Iterator[None]:
    """Say which extra is missing where a panel's packages are."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("ipywidgets", "traitlets", "IPython"):
            raise
        raise CatanError(
            f"{what} needs the package {error.name}, which is not installed; {extra('notebook')} brings it"
        ) from None
