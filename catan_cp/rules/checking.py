"""Is a board allowed? The rules read once more, in plain Python and apart from the models.

Each rule's declaration has its checker; here they are called one after the other, after the box's pieces.
Nothing here knows what a model says: the tests compare the two readings of the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MOST_PIPS
from catan_cp.errors import InvalidBoard, InvalidRules, show
from catan_cp.rules.declared import set_rules
from catan_cp.rules.pattern import PATTERN, pattern_violations
from catan_cp.rules.rule import Rule, Violation, on_tiles
from catan_cp.solving.models import edited

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
    numbered = _is_numbered(board)
    return [broken for each in _checks(rules) for broken in each.violations(board, numbered)]


def satisfied(known: Mapping[str, Rules], boards: Iterable[Board]) -> Iterator[tuple[str, ...]]:
    """Yield, per board, the names of those of the *known* rules that it satisfies, in their order.

    The same as `Rules.check` board by board and rules by rules, and many times as fast: what several rules
    ask alike is looked at once a board, the rest only until something is broken, and whether the models are
    edited is asked once, before the first board. Rules that its layout cannot have, a board does not satisfy.
    """
    own = {name: rules for name, rules in known.items() if rules.constraints or edited(rules.models)}
    plain = {name: [*_checks(rules)] for name, rules in known.items() if name not in own}
    fitting: dict[Layout, frozenset[str]] = {}
    for board in boards:
        layout = board.layout
        if layout not in fitting:
            fitting[layout] = frozenset(name for name, rules in known.items() if _fits(rules, layout))
        numbered = _is_numbered(board)
        kept: dict[Hashable, bool] = {}
        names = []
        for name in (name for name in known if name in fitting[layout]):
            if name in own:
                keeps_all = not own[name].check(board)
            else:
                keeps_all = all(each.is_kept(board, numbered, kept) for each in plain[name])
            if keeps_all:
                names.append(name)
        yield tuple(names)


def _fits(rules: Rules, layout: Layout) -> bool:
    try:
        rules.check_layout(layout)
    except InvalidRules:
        return False
    return True


def _is_numbered(board: Board) -> bool:
    return board.has_markers or not set(board.terrain) - board.layout.unnumbered


@dataclass(frozen=True)
class _Check:
    """One thing that rules ask of a board.

    Attributes:
        asks: what two checks have in common that ask the same.
        violations: its breaches by a board, of which is said whether it is numbered.
    """

    asks: Hashable
    violations: Callable[[Board, bool], Iterable[Violation]]

    def is_kept(self, board: Board, numbered: bool, kept: dict[Hashable, bool]) -> bool:
        """Whether the board keeps it, which is looked up in *kept* and noted there."""
        if self.asks not in kept:
            kept[self.asks] = next(iter(self.violations(board, numbered)), None) is None
        return kept[self.asks]


def _checks(rules: Rules) -> Iterator[_Check]:
    """Yield what rules ask, constraints and edited models aside: pieces first, then field after field."""
    yield _Check("pieces", lambda board, numbered: _pieces(board))
    yield _Check("places", lambda board, numbered: _places(board))
    for rule, value in set_rules(rules):
        means = tuple(getattr(rules, field) for field in rule.needs)
        yield _Check((rule.field, value, means), partial(_breaches, rule, value, rules))
    if (pattern := rules.pattern) is not None:
        yield _Check((PATTERN, pattern), partial(pattern_violations, pattern))


def _breaches(rule: Rule, value: object, rules: Rules, board: Board, numbered: bool) -> Iterable[Violation]:
    return rule.violations(value, rules, board) if numbered or "markers" not in rule.about else ()


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
    for t, name in enumerate(board.terrain if layout.inland else ()):
        on_rim = t in layout.coast_tiles and t not in layout.fixed_terrain
        if name in layout.inland and (on_rim or any(board.terrain[n] == "sea" for n in near[t])):
            yield Violation("pieces", f"{name} on tile {t} lies beside the sea", (t,))
    if layout.pips_max or layout.terrain_marker_pips_min or layout.terrain_marker_pips_max:
        yield from _out_of_bounds(board)


def _out_of_bounds(board: Board) -> Iterator[Violation]:
    """Yield the markers with more or fewer pips than the layout has there, or on their terrain."""
    layout = board.layout
    for t, (name, marker) in enumerate(zip(board.terrain, board.markers, strict=True)):
        if marker is not None:
            ways = layout.marker_pips(marker)
            least = layout.terrain_marker_pips_min.get(name, 0)
            most = MOST_PIPS if t in layout.fixed_markers else layout.pips_max.get(t, MOST_PIPS)
            most = min(most, layout.terrain_marker_pips_max.get(name, MOST_PIPS))
            if not least <= ways <= most:
                text = f"the marker {marker} on tile {t} has {ways} pips, not {least} to {most}"
                yield Violation("pieces", text, (t,))
