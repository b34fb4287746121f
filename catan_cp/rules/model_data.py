"""Turn rules and a layout into data for the models; what the data mean is written in ``models/*.mzn``.

Nothing here is a constraint. Tiles are numbered from 1 in the models. What a rule gives to a model is in the
rule's declaration; a rule that is not set gives a neutral value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import TERRAIN_CODE, TERRAINS, UNNUMBERED
from catan_cp.rules.declared import model_parameters, sees_terrain, set_rules, terrain_matters
from catan_cp.rules.rule import View
from catan_cp.rules.rules import Rules
from catan_cp.solving.find import find_solver

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IN_ORDER = 1
_BARE = frozenset(TERRAIN_CODE[name] for name in UNNUMBERED)


@dataclass(frozen=True)
class Task:
    """A model's name and its data.

    ``fits`` takes solutions (a row each) and tells whether they are dealt from the box, whatever the rules.
    ``branching`` takes them too and returns the numbers on which the model branches in order, in that order;
    None where these are the solution as it stands.
    """

    model: str
    data: dict[str, Any]
    fits: Callable[[NDArray[np.int64]], bool]
    branching: Callable[[NDArray[np.int32]], NDArray[np.int32]] | None = None


def spread(solver: str) -> int:
    """Return the models' ``search`` with which *solver* starts anywhere, by its random seed."""
    return find_solver(solver).backend.random_search


def terrain_task(rules: Rules, layout: Layout, search: int = IN_ORDER) -> Task:
    """Return what ``board.mzn`` needs."""
    pairs = layout.adjacency(rules.adjacency)
    edges = set(layout.adjacency("hex"))
    reading_order = range(layout.n_tiles)
    data = {
        **_touching(layout, pairs),
        "edge_pairs": {i for i, pair in enumerate(pairs, start=1) if pair in edges},
        "coast": {t + 1 for t in layout.coast_tiles},
        "pieces": [layout.terrain_counts.get(name, 0) for name in TERRAINS],
        **model_parameters("board", rules, View(layout, layout.terrains, reading_order)),
        "search": search,
    }
    codes = [TERRAIN_CODE[name] for name in layout.terrains]
    return Task("board", data, dealt([codes] * layout.n_tiles, [0, *data["pieces"]]))


def marker_task(
    rules: Rules,
    layout: Layout,
    terrain: Sequence[str],
    search: int = IN_ORDER,
    numbering: Sequence[int] | None = None,
) -> Task:
    """Return what ``markers.mzn`` needs.

    Tile *t* is number ``numbering[t] + 1`` in the data (reading order without *numbering*). Terrains that the
    rules do not tell apart are all the same in the data, and pairs and vertices are in order of their tiles'
    numbers, so that one compiled model serves many boards.
    """
    number = range(layout.n_tiles) if numbering is None else numbering
    names = list(terrain) if terrain_matters(rules) else [_plain(name) for name in terrain]
    codes = [0] * layout.n_tiles
    for t, name in enumerate(names):
        codes[number[t]] = TERRAIN_CODE[name]
    data = {
        **_touching(layout, _numbered(layout.adjacency(rules.adjacency), number)),
        "vertex_tiles": [
            [place + 1 for place in tiles]
            for tiles in _numbered([tiles for tiles in layout.vertex_tiles if len(tiles) == 3], number)
        ],
        "terrain": codes,
        "supply": [layout.marker_supply.get(marker, 0) for marker in range(2, 13)],
        **model_parameters("markers", rules, View(layout, set(terrain), number)),
        "search": search,
    }
    bare = [code in _BARE for code in codes]
    fits = dealt([[0] if each else layout.marker_supply for each in bare], [sum(bare), 0, *data["supply"]])
    return Task("markers", data, fits, partial(slots, data))


def dealt(choices: Sequence[Iterable[int]], pieces: Sequence[int]) -> Callable[[NDArray[np.int64]], bool]:
    """Return what tells whether solutions are dealt from a box.

    Args:
        choices: what each number of a solution may be.
        pieces: how often each number, from 0, may be in one solution.
    """
    import numpy as np

    allowed = np.zeros((len(choices), len(pieces)), dtype=bool)
    for row, each in zip(allowed, choices, strict=True):
        row[list(each)] = True
    return partial(_fits, allowed, np.array(pieces))


def _fits(allowed: NDArray[np.bool_], pieces: NDArray[np.int64], solutions: NDArray[np.int64]) -> bool:
    import numpy as np

    n, wide = allowed.shape
    highest = solutions.view(np.uint64).max(initial=0)  # where less than 0 is much, too
    if solutions.shape[1] != n or highest >= wide:
        return False
    if not allowed.ravel().take(solutions + np.arange(0, n * wide, wide)).all():
        return False
    places = solutions + np.arange(0, len(solutions) * wide, wide)[:, None]
    counts = np.bincount(places.ravel(), minlength=len(solutions) * wide).reshape(-1, wide)
    return bool((counts <= pieces).all())


def slots(data: Mapping[str, Any], markers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return, per solution of ``markers.mzn`` with *data*, where each token is: what that model branches on.

    Both arrays have one row a solution; tokens that are left over (or a lone one where there is
    none) count as behind the last tile.
    """
    import numpy as np

    tiles = [t for t, code in enumerate(data["terrain"]) if code not in _BARE]
    supply = data["supply"]
    first = np.array([0, 0, *(sum(supply[marker + 1 :]) for marker in range(len(supply)))])
    places = np.full((len(markers), max(1, sum(supply))), len(tiles), dtype=np.int32)
    used = np.zeros((len(markers), len(first)), dtype=np.int32)
    rows = np.arange(len(markers))
    for place, tile in enumerate(tiles):
        marker = markers[:, tile]
        places[rows, first[marker] + used[rows, marker]] = place
        used[rows, marker] += 1
    return places


def harbor_task(rules: Rules, layout: Layout, terrain: Sequence[str], search: int = IN_ORDER) -> Task:
    """Return what ``harbors.mzn`` needs; harbors are in the order in which the layout lists them."""
    matters = any(sees_terrain(rule) for rule, _ in set_rules(rules, "harbors"))
    names = terrain if matters else ["sea"] * layout.n_tiles
    trades = [trade_code(harbor.trade) for harbor in layout.printed_harbors]
    counts = [trades.count(code) for code in range(len(TERRAINS) + 1)]
    data = {
        "tiles": layout.n_tiles,
        "terrain": [TERRAIN_CODE[name] for name in names],
        "harbor_tiles": [
            {t + 1 for v in harbor.vertices for t in layout.vertex_tiles[v]}
            for harbor in layout.printed_harbors
        ],
        "trades": counts,
        **model_parameters("harbors", rules, View(layout, set(terrain), range(layout.n_tiles))),
        "search": search,
    }
    return Task("harbors", data, dealt([trades] * len(trades), counts))


def trade_code(trade: str) -> int:
    """Return the models' code of a trade: 0 for 3:1, else the terrain's."""
    return 0 if trade == "3:1" else TERRAIN_CODE[trade]


def code_trade(code: int) -> str:
    """Return the trade with that code."""
    return "3:1" if code == 0 else TERRAINS[code - 1]


def _numbered(groups: Sequence[tuple[int, ...]], number: Sequence[int]) -> list[tuple[int, ...]]:
    """The groups of tiles by the tiles' numbers, in order, each in itself too."""
    return sorted(tuple(sorted(number[t] for t in tiles)) for tiles in groups)


def _touching(layout: Layout, pairs: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    return {
        "tiles": layout.n_tiles,
        "here": [pair[0] + 1 for pair in pairs],
        "there": [pair[1] + 1 for pair in pairs],
    }


def _plain(name: str) -> str:
    return name if name in UNNUMBERED else "brick"
