"""Is a board allowed? The rules read once more, in plain Python and apart from the models.

Each rule's declaration has its checker; here they are called one after the other, after the box's pieces.
Nothing here knows of MiniZinc: the tests compare the two readings of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import UNNUMBERED
from catan_cp.errors import InvalidBoard, show
from catan_cp.rules.declared import set_rules
from catan_cp.rules.rule import Violation, on_tiles

if TYPE_CHECKING:
    from catan_cp.rules.rules import Rules


def violations_of(rules: Rules, board: Board) -> list[Violation]:
    """Return every breach of *rules* by *board*, pieces first, then field after field.

    Rules about markers are left out for a board whose markers are not on it yet.

    Raises:
        InvalidBoard: *board* is no `Board`.
        InvalidRules: the rules ask of the board's layout what it has not.
    """
    if not isinstance(board, Board):
        raise InvalidBoard(f"check takes a Board, not {show(board)}; Board.from_notation reads one")
    rules.check_layout(board.layout)
    numbered = board.has_markers or not set(board.terrain) - UNNUMBERED
    found = list(_pieces(board))
    for rule, value in set_rules(rules):
        if numbered or "markers" not in rule.about:
            found += rule.violations(value, rules, board)
    return found


def _pieces(board: Board) -> Iterator[Violation]:
    for piece, difference in board.piece_differences().items():
        what = piece if isinstance(piece, str) else f"markers {piece}"
        amount = f"{abs(difference)} {'more' if difference > 0 else 'fewer'} {what} than the box of"
        here = board.terrain if isinstance(piece, str) else board.markers
        tiles = tuple(t for t, each in enumerate(here) if each == piece)
        where = f", {on_tiles(tiles)}" if tiles else ""
        yield Violation("pieces", f"{amount} {board.layout.name!r} holds{where}", tiles)
