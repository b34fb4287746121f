"""Is a board allowed? The rules read once more, in plain Python and apart from the models.

Each rule's declaration has its checker; here they are called one after the other, after the box's pieces.
Nothing here knows of MiniZinc: the tests compare the two readings of the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import MOST_PIPS
from catan_cp.errors import InvalidBoard, show
from catan_cp.rules.declared import set_rules
from catan_cp.rules.pattern import pattern_violations
from catan_cp.rules.rule import Violation, on_tiles

if TYPE_CHECKING:
    from catan_cp.rules.rules import Rules


def violations_of(rules: Rules, board: Board) -> list[Violation]:
    """Return every breach of *rules* by *board*, pieces first, then field after field.

    Rules about markers are left out for a board whose markers are not on it yet. A user's own constraints are
    not looked at: see `own_checks`.

    Raises:
        InvalidBoard: *board* is no `Board`.
        InvalidRules: the rules ask of the board's layout what it has not.
    """
    if not isinstance(board, Board):
        raise InvalidBoard(f"check takes a Board, not {show(board)}; Board.from_notation reads one")
    rules.check_layout(board.layout)
    numbered = board.has_markers or not set(board.terrain) - board.layout.unnumbered
    found = [*_pieces(board), *_places(board)]
    for rule, value in set_rules(rules):
        if numbered or "markers" not in rule.about:
            found += rule.violations(value, rules, board)
    if rules.pattern is not None:
        found += pattern_violations(rules.pattern, board, numbered)
    return found


def _pieces(board: Board) -> Iterator[Violation]:
    for piece, difference in board.piece_differences().items():
        what = piece if isinstance(piece, str) else f"markers {piece}"
        amount = f"{abs(difference)} {'more' if difference > 0 else 'fewer'} {what} than the box of"
        here = board.terrain if isinstance(piece, str) else board.markers
        tiles = tuple(t for t, each in enumerate(here) if each == piece)
        where = f", {on_tiles(tiles)}" if tiles else ""
        yield Violation("pieces", f"{amount} {board.layout.name!r} holds{where}", tiles)


def _places(board: Board) -> Iterator[Violation]:
    """What the layout says of single tiles and groups, beside that its box fills it."""
    layout = board.layout
    for t, name in layout.fixed_terrain.items():
        if board.terrain[t] != name:
            yield Violation("pieces", f"tile {t} of {layout.name!r} is fixed as {name}", (t,))
    for t, marker in layout.fixed_markers.items():
        if board.has_markers and board.markers[t] not in (marker, None):
            yield Violation("pieces", f"the marker of tile {t} of {layout.name!r} is fixed as {marker}", (t,))
    if len(layout.terrain_pools) > 1:
        for pool in layout.terrain_pools:
            here = Counter(board.terrain[t] for t in pool.tiles)
            if here != Counter(pool.pieces):
                yield Violation("pieces", f"group {pool.number} does not have its own terrains", pool.tiles)
    if len(layout.marker_pools) > 1:
        for pool in layout.marker_pools:
            more = Counter(m for t in pool.tiles if (m := board.markers[t])) - Counter(pool.pieces)
            if more:
                yield Violation("pieces", f"group {pool.number} does not have its own markers", pool.tiles)
    near = layout.tile_neighbors()
    for t, name in enumerate(board.terrain):
        on_rim = t in layout.coast_tiles and t not in layout.fixed_terrain
        if name in layout.inland and (on_rim or any(board.terrain[n] == "sea" for n in near[t])):
            yield Violation("pieces", f"{name} on tile {t} lies beside the sea", (t,))
        if board.markers[t] is not None:
            ways = layout.marker_pips(board.markers[t])
            least = layout.terrain_marker_pips_min.get(name, 0)
            most = MOST_PIPS if t in layout.fixed_markers else layout.pips_max.get(t, MOST_PIPS)
            most = min(most, layout.terrain_marker_pips_max.get(name, MOST_PIPS))
            if not least <= ways <= most:
                text = f"the marker {board.markers[t]} on tile {t} has {ways} pips, not {least} to {most}"
                yield Violation("pieces", text, (t,))
