"""Checks of boards against rules in plain Python, separate from the models.

The pieces of the board are checked first, then each rule by the checker of its declaration. The checkers do
not use the models: the tests compare the two readings of the rules. Custom constraints and edited models need
a solver, so `catan_cp.search.checking` decides them.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from itertools import chain, starmap
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import FishingGround
from catan_cp.rules.patterns import PATTERN, pattern_violations
from catan_cp.rules.requirements import misplaced_pieces
from catan_cp.rules.restrictions import at_vertices, on_tiles
from catan_cp.rules.rule import Needs, Rule, Violation
from catan_cp.rules.rules import Rules

Check = Callable[[Board], Iterable[Violation]]
"""A function that yields the violations of one rule by a board."""


def checks_of(rules: Rules, active: Iterable[tuple[Rule, Any]]) -> Iterator[tuple[Hashable, Check]]:
    """Yield the checks of pieces and of *active* rules, each with a key that is equal for equal checks."""
    yield "pieces", _wrong_pieces
    yield "places", misplaced_pieces
    yield "grounds", _wrong_grounds
    for rule, value in active:
        needs = rule.needed_values(rules)
        yield (rule.field, value, *needs.values()), partial(_breaches, rule, value, needs)
    if (pattern := rules.pattern) is not None:
        yield (PATTERN, pattern), lambda board: pattern_violations(pattern, board, is_numbered(board))


def has_layout_pieces(board: Board) -> bool:
    """Return True if the board has the pieces of its layout, each in an allowed place."""
    return next(chain(_wrong_pieces(board), misplaced_pieces(board), _wrong_grounds(board)), None) is None


def is_numbered(board: Board) -> bool:
    """Return True if the markers are on the board, or if no tile carries one."""
    return board.has_markers or not any(starmap(board.layout.carries_marker, enumerate(board.terrain)))


def _breaches(rule: Rule, value: object, needs: Needs, board: Board) -> Iterable[Violation]:
    about_markers = "markers" in rule.about
    return rule.breaches(value, needs, board) if not about_markers or is_numbered(board) else ()


def _wrong_pieces(board: Board) -> Iterator[Violation]:
    for piece, difference in board.piece_differences().items():
        name = piece if isinstance(piece, str) else f"markers {piece}"
        amount = f"{abs(difference)} {'more' if difference > 0 else 'fewer'} {name} than the box of"
        placed = board.terrain if isinstance(piece, str) else board.markers
        tiles = tuple(tile for tile, placed_piece in enumerate(placed) if placed_piece == piece)
        place = f", {on_tiles(tiles)}" if tiles else ""
        yield Violation("pieces", f"{amount} {board.layout.name!r} holds{place}", tiles)


def _wrong_grounds(board: Board) -> Iterator[Violation]:
    """Yield fishing grounds with wrong numbers or places."""
    layout, grounds = board.layout, board.fishing_grounds
    if not grounds:  # not placed yet
        return
    if Counter(ground.marker for ground in grounds) != Counter(
        ground.marker for ground in layout.fishing_grounds
    ):
        numbers = ", ".join(map(str, sorted(ground.marker for ground in layout.fishing_grounds))) or "none"
        text = f"the fishing grounds do not have the numbers of {layout.name!r}, {numbers}"
        yield _at_grounds(text, *grounds)
    if missing := {*layout.ground_places} - {ground.vertices for ground in grounds}:
        text = f"a fishing ground of {layout.name!r} is missing"
        yield _at_grounds(text, *(FishingGround(place, 0) for place in missing))


def _at_grounds(text: str, *grounds: FishingGround) -> Violation:
    vertices = tuple(sorted({v for ground in grounds for v in ground.vertices}))
    return Violation("pieces", f"{text}, {at_vertices(vertices)}", (), vertices)
