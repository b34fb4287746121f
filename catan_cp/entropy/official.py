"""The tilings that were published with the game, and how even they are.

They are kept as published: the second of `base` has five grain and three lumber, and most of the
Seafarers ones do not use exactly the pieces of their layout (`Board.piece_differences` tells).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.boards.pieces import TERRAINS
from catan_cp.entropy.scorer import efficiency


def official_boards(layout: str | Layout) -> tuple[Board, ...]:
    """Return the published tilings of the layout, without markers, as they stand in the books.

    Raises:
        InvalidBoard: no layout has that name.
    """
    return _official_boards().get(find_layout(layout).name, ())


def official_efficiencies() -> dict[str, dict[str, float]]:
    """Return, per layout, the average efficiency of each terrain over its published tilings.

    The article, on the released boards. A terrain's average is over the tilings that have it; a terrain
    that none of them has is left out.
    """
    return {
        name: _averages([efficiency(board) for board in official_boards(name)]) for name in _official_boards()
    }


def official_average() -> dict[str, float]:
    """Return the average efficiency of each terrain over the published tilings of all layouts."""
    boards = [board for name in _official_boards() for board in official_boards(name)]
    return _averages([efficiency(board) for board in boards])


def _averages(tables: list[dict[str, float]]) -> dict[str, float]:
    columns = {name: [table[name] for table in tables if name in table] for name in TERRAINS}
    return {name: sum(values) / len(values) for name, values in columns.items() if values}


@cache
def _official_boards() -> Mapping[str, tuple[Board, ...]]:
    text = files("catan_cp").joinpath("data", "official_boards.json").read_text(encoding="utf-8")
    return MappingProxyType(
        {
            name: tuple(Board.from_notation(line, name) for line in lines)
            for name, lines in json.loads(text).items()
        }
    )
