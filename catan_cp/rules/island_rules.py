"""The rules about islands, each declared once: how many, how large, and what the largest has.

An island is land that is connected over edges; sea, inside the layout or between its parts, divides islands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import RESOURCES
from catan_cp.errors import listed
from catan_cp.rules.regions import islands
from catan_cp.rules.rule import Bound, Rule, Switch, Violation, amount, on_tiles

if TYPE_CHECKING:
    from catan_cp.rules.rules import Rules

_MANY = 1000
"""What the model gets for the most islands where any number may be."""


def _all_land(board: Board) -> tuple[int, ...]:
    return tuple(t for t, name in enumerate(board.terrain) if name != "sea")


def _too_few(least: int, rules: Rules, board: Board) -> Iterator[Violation]:
    n = len(islands(board))
    if n < least:
        yield Violation(ISLANDS_MIN.field, f"{amount(n, 'island')}, fewer than {least}", _all_land(board))


def _too_many(most: int, rules: Rules, board: Board) -> Iterator[Violation]:
    n = len(islands(board))
    if n > most:
        yield Violation(ISLANDS_MAX.field, f"{amount(n, 'island')}, more than {most}", _all_land(board))


def _crossed(least: int, rules: Rules, layout: Layout | None) -> Iterator[str]:
    if rules.islands_max is not None and least > rules.islands_max:
        yield f"{ISLANDS_MIN.field} {least} is above {ISLANDS_MAX.field} {rules.islands_max}"


ISLANDS_MIN = Rule(
    field="islands_min",
    kind=Bound(least=1, slider=(1, 8)),
    about=("terrain",),
    asks="islands, which are land connected over edges, at least",
    says=lambda least: [f"There {'is' if least == 1 else 'are'} at least {amount(least, 'island')}."],
    data={"board": lambda least, rules, view: {"islands_min": least or 0}},
    violations=_too_few,
    objections=_crossed,
)

ISLANDS_MAX = Rule(
    field="islands_max",
    kind=Bound(least=1, slider=(1, 8)),
    about=("terrain",),
    asks="islands at most",
    says=lambda most: [f"There {'is' if most == 1 else 'are'} at most {amount(most, 'island')}."],
    data={"board": lambda most, rules, view: {"islands_max": _MANY if most is None else most}},
    violations=_too_many,
)


def _too_small(least: int, rules: Rules, board: Board) -> Iterator[Violation]:
    for island in islands(board):
        if len(island) < least:
            text = f"an island of {amount(len(island), 'tile')}, fewer than {least}, {on_tiles(island)}"
            yield Violation(ISLAND_SIZE.field, text, island)


ISLAND_SIZE = Rule(
    field="island_size_min",
    kind=Bound(least=1, slider=(1, 8)),
    about=("terrain",),
    asks="tiles of every island, at least",
    says=lambda least: [f"Every island has at least {amount(least, 'tile')}."],
    data={"board": lambda least, rules, view: {"island_size_min": least or 0}},
    violations=_too_small,
)


def _missing_on_main(_on: bool, rules: Rules, board: Board) -> Iterator[Violation]:
    main = max(islands(board), key=len, default=())
    here = {board.terrain[t] for t in main}
    missing = [name for name in RESOURCES if name in board.layout.terrains and name not in here]
    if missing:
        where = f", {on_tiles(main)}," if main else ""
        yield Violation(MAIN_ISLAND.field, f"the largest island{where} has no {listed(missing)}", main)


MAIN_ISLAND = Rule(
    field="main_island_complete",
    kind=Switch(),
    about=("terrain",),
    asks="the largest island (the first of equally large ones) has every resource of the box",
    says=lambda _: ["The largest island has every resource of the box."],
    data={"board": lambda on, rules, view: {"main_island_complete": on}},
    violations=_missing_on_main,
)
