"""Turn rules and a layout into data for the models; what the data mean is written in ``models/*.mzn``.

Nothing here is a constraint. Tiles are numbered from 1 in the models. What a rule gives to a model is in the
rule's declaration; a rule that is not set gives a neutral value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from catan_cp.boards.details import Pool
from catan_cp.boards.layout import Harbor, Layout, Pair
from catan_cp.boards.pieces import MARKERS, MOST_PIPS, TERRAIN_CODE
from catan_cp.model_files import declared_names
from catan_cp.rules.constraint import join_constraints
from catan_cp.rules.patterns import allowed_terrain, pattern_on
from catan_cp.rules.rule import View
from catan_cp.rules.rules import RULES, Rules, constraints_for, is_edited, terrain_matters
from catan_cp.solving.compiling import Fits, Task
from catan_cp.solving.find import IN_ORDER, find_solver

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_MODELS = {
    "terrain": ("board",),
    "markers": ("markers",),
    "boards": ("board", "markers", "harbors"),
}
"""The models whose parameters the model of each subject needs."""


def _task(
    rules: Rules,
    layout: Layout,
    subject: str,
    search: int,
    told: Sequence[str] | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Task:
    """Return what a subject's model needs, with the constraints and the models of the rules.

    Args:
        rules: the rules.
        layout: the layout.
        subject: ``"terrain"``, ``"markers"`` or ``"boards"``.
        search: the models' ``search``.
        told: what the model hears of the terrain, where that is known.
        more: data beside and instead of those.
    """
    data = _common(rules, layout, Counter(told) if told else None) | {"search": search}
    if told:
        data["terrain"] = [layout.terrain_codes[name] for name in told]
    if subject != "terrain":
        data |= _marker_pieces(rules, layout)
    if subject == "boards":
        data |= _frame(layout, rules)
    view = View(layout, set(told or layout.terrains))
    for model in _MODELS[subject]:
        for rule in RULES.values():
            if model in rule.data:
                data |= rule.data[model](getattr(rules, rule.field), rule.given(rules), view)
    data |= more
    own = constraints_for(rules, subject)
    return Task(
        "joint" if subject == "boards" else f"solve_{subject}",
        data,
        partial(_fits_board, layout, data, subject),
        None if subject == "terrain" else partial(_branching, data, subject),
        rules.models,
        join_constraints(own, declared_names(rules.models), layout.terrain_codes),
        is_edited(rules, subject) or any(each.has_variables for each in own),
    )


def spread(solver: str) -> int:
    """Return the models' ``search`` with which *solver* starts anywhere, by its random seed."""
    return find_solver(solver).backend.random_search


def terrain_task(rules: Rules, layout: Layout, search: int = IN_ORDER) -> Task:
    """Return what ``solve_terrain.mzn`` needs."""
    return _task(rules, layout, "terrain", search)


def marker_task(rules: Rules, layout: Layout, terrain: Sequence[str]) -> Task:
    """Return what ``solve_markers.mzn`` needs.

    Terrains that the rules do not tell apart are all the same in the data, so that one compiled model serves
    many boards.
    """
    matters = terrain_matters(rules) or layout.ties_markers
    told = [name if matters or name in layout.unnumbered else "brick" for name in terrain]
    return _task(rules, layout, "markers", IN_ORDER, told)


def joint_task(
    rules: Rules,
    layout: Layout,
    search: int = IN_ORDER,
    tile_order: Sequence[int] | None = None,
    *,
    grounds: bool = True,
) -> Task:
    """Return what ``joint.mzn`` needs; a solution is terrain codes, markers, trades and grounds side by side.

    A random search sees the tiles in *tile_order* (reading order without it). Without *grounds*, no fishing
    grounds are laid, and a solution has 0 at each of their places.
    """
    more = _grounds(layout, grounds)
    if tile_order:
        more["tile_order"] = [t + 1 for t in tile_order]
    if rules.harbors == "printed":
        more["harbor"] = [trade_code(harbor.trade) for harbor in layout.laid_harbors]
    return _task(rules, layout, "boards", search, more=more)


def _common(rules: Rules, layout: Layout, counts: Mapping[str, int] | None) -> dict[str, Any]:
    """Return what ``layout.mzn`` needs: the places, and the pieces: *counts* where the terrain is known."""
    pairs = layout.adjacency(rules.adjacency)
    edges = set(layout.adjacency("hex"))
    return {
        "tiles": layout.n_tiles,
        "vertex_tiles": [{t + 1 for t in around} for around in layout.vertex_tiles],
        "edge_vertices": [[a + 1, b + 1] for a, b in layout.edges],
        "here": [a + 1 for a, _ in pairs],
        "there": [b + 1 for _, b in pairs],
        "edge_pairs": {i for i, pair in enumerate(pairs, start=1) if pair in edges},
        "coast": {t + 1 for t in layout.coast_tiles},
        "centre": {t + 1 for t in layout.centre_tiles()},
        "terrains": len(layout.all_terrains),
        "UNNUMBERED": {layout.terrain_codes[name] for name in layout.unnumbered},
        "unmarked": {t + 1 for t in layout.unmarked},
        **(one_group(layout, counts) if counts is not None else _terrain_pieces(rules, layout)),
        "tile_order": [t + 1 for t in range(layout.n_tiles)],
    }


def one_group(layout: Layout, counts: Mapping[str, int]) -> dict[str, Any]:
    """Return the pieces of a terrain that is known: all in one group, for only their numbers matter."""
    return {
        "terrain_groups": 1,
        "terrain_group": [1] * layout.n_tiles,
        "pieces": [[counts.get(name, 0) for name in layout.all_terrains]],
        "terrain_choices": [set(layout.terrain_codes.values())] * layout.n_tiles,
    }


def _terrain_pieces(rules: Rules, layout: Layout) -> dict[str, Any]:
    """Return the groups of terrains, with one more for the fixed tiles where there are any."""
    codes, names = layout.terrain_codes, layout.all_terrains
    pieces = [[pool.pieces.get(name, 0) for name in names] for pool in layout.terrain_pools]
    if layout.fixed_terrain:
        fixed = Counter(layout.fixed_terrain.values())
        pieces.append([fixed[name] for name in names])
    ashore = {codes[name] for name in names if name not in layout.inland}
    choices = [ashore if t in layout.coast_tiles else set(codes.values()) for t in range(layout.n_tiles)]
    for tile, name in layout.fixed_terrain.items():
        choices[tile] = {codes[name]}
    if rules.pattern is not None:
        pattern = pattern_on(rules.pattern, layout)
        choices = [
            each & {codes[name] for name in allowed_terrain(pattern, t, layout)}
            for t, each in enumerate(choices)
        ]
    return {
        "terrain_groups": len(pieces),
        "terrain_group": _groups(layout, layout.terrain_pools, len(layout.terrain_pools) + 1),
        "pieces": pieces,
        "terrain_choices": choices,
    }


def _groups(layout: Layout, pools: Iterable[Pool], otherwise: int) -> list[int]:
    """Return the number of each tile's group, from 1."""
    found = {tile: number for number, pool in enumerate(pools, start=1) for tile in pool.tiles}
    return [found.get(tile, otherwise) for tile in range(layout.n_tiles)]


def _marker_pieces(rules: Rules, layout: Layout) -> dict[str, Any]:
    """Return the groups of markers, with one more for the fixed ones where there are any."""
    group = _groups(layout, layout.marker_pools, 1)  # a tile without a marker needs none
    supplies = [pool.pieces for pool in layout.marker_pools]
    if layout.fixed_markers:
        supplies.append(Counter(layout.fixed_markers.values()))
    of_each = {m: layout.marker_pips(m) for m in MARKERS}
    choices = [
        {m for m, its_pips in of_each.items() if its_pips <= layout.pips_max.get(t, MOST_PIPS)}
        for t in range(layout.n_tiles)
    ]
    for tile, marker in layout.fixed_markers.items():
        group[tile], choices[tile] = len(supplies), {marker}
    given = pattern_on(rules.pattern, layout).markers if rules.pattern is not None else ()
    for tile, wanted in enumerate(given):
        if wanted is not None:
            choices[tile] &= {wanted}
    least = layout.terrain_marker_pips_min
    return {
        "marker_groups": max(1, len(supplies)),
        "marker_group": group,
        "supply": [[supply.get(marker, 0) for marker in range(2, 13)] for supply in supplies or [{}]],
        "second": [layout.second_marker.get(marker, 0) for marker in range(2, 13)],
        "marker_choices": choices,
        "marked": {t + 1 for t, wanted in enumerate(given) if wanted},
        "marker_pips_min": [least.get(name, 0) for name in layout.all_terrains],
    }


def harbor_edges(layout: Layout, rule: str) -> Sequence[Pair]:
    """Return the edges where harbors may lie under a value of the rule ``harbors``."""
    if rule == "printed":
        return [harbor.vertices for harbor in layout.laid_harbors]
    return layout.harbor_places if rule == "shuffled" else ()


def _frame(layout: Layout, rules: Rules) -> dict[str, Any]:
    """Return the places of harbors, and the trades that stand there."""
    places = harbor_edges(layout, rules.harbors)
    laid = {"printed": layout.laid_harbors, "shuffled": layout.printed_harbors}
    harbors: Sequence[Harbor] = laid.get(rules.harbors, ())
    codes = [trade_code(harbor.trade) for harbor in harbors]
    fixed = {h.vertices: trade_code(h.trade) for h in harbors if h.vertices in layout.fixed_harbors}
    kept = {harbor.vertices for harbor in harbors} - layout.movable_harbors
    none = no_harbor(layout)
    return {
        "harbor_tiles": [{t + 1 for v in place for t in layout.vertex_tiles[v]} for place in places],
        "harbor_vertices": [{v + 1 for v in place} for place in places],
        "harbor_sides": [{t + 1 for t in layout.edge_tiles[place]} for place in places],
        "trades": [codes.count(code) for code in range(none)],
        "trade_choices": [
            {fixed[place]} if place in fixed and place in kept
            else {*codes} if place in kept
            else {*codes, none}
            for place in places
        ],
    }  # fmt: skip


def _grounds(layout: Layout, laid: bool) -> dict[str, Any]:
    """Return the places of fishing grounds, and their numbers; none if they are not *laid*."""
    numbers = [ground.marker for ground in layout.fishing_grounds] if laid else []
    return {
        "ground_vertices": [{v + 1 for v in three} for three in layout.ground_places],
        "ground_numbers": numbers,
        "ground_choices": [{*numbers} if laid else {0} for _ in layout.ground_places],
    }


def no_harbor(layout: Layout) -> int:
    """Return the models' code where no harbor stands."""
    return len(layout.all_terrains) + 1


def trade_code(trade: str) -> int:
    """Return the models' code of a trade: 0 for 3:1, else the terrain's."""
    return 0 if trade == "3:1" else TERRAIN_CODE[trade]


# ---- What solutions are like: a solver that prints anything else is not believed


def _fits_board(layout: Layout, data: Mapping[str, Any], subject: str, solutions: NDArray[np.int64]) -> bool:
    """Tell whether solutions of a subject's model are dealt from the box, whatever the rules."""
    import numpy as np

    n = layout.n_tiles
    # Of each part of a solution, what its numbers may be, and the pieces.
    boxes: list[tuple[Sequence[Iterable[int]], Sequence[int]]] = []
    if subject != "markers":
        pieces = [layout.terrain_counts.get(name, 0) for name in layout.all_terrains]
        boxes.append(([layout.terrain_codes.values()] * n, [0, *pieces]))
    if subject != "terrain":
        supply = [layout.marker_supply.get(marker, 0) for marker in range(2, 13)]
        boxes.append(([range(13)] * n, [n, 0, *supply]))
    if subject == "boards":
        places, trades = data["trade_choices"], data["trades"]
        boxes.append((places, [*trades, len(places) - sum(trades)]))
        places, numbers = data["ground_choices"], data["ground_numbers"]
        boxes.append((places, [len(places) - len(numbers), *map(numbers.count, range(1, 13))]))
    ends = np.cumsum([len(choices) for choices, _ in boxes])
    if solutions.shape[1] != ends[-1]:
        return False
    parts = np.split(solutions, ends[:-1], axis=1)
    if not all(dealt(*box)(part) for box, part in zip(boxes, parts, strict=True)):
        return False
    if subject == "terrain":
        return True
    terrain, markers = parts[:2] if subject == "boards" else (data["terrain"], *parts)
    bare = np.isin(terrain, [*data["UNNUMBERED"]])
    bare[..., [*layout.unmarked]] = True
    return bool(((markers == 0) == bare).all())


def dealt(choices: Sequence[Iterable[int]], pieces: Sequence[int]) -> Fits:
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


def _branching(data: Mapping[str, Any], subject: str, solutions: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return what a model with markers branches on in order: terrain, slots and trades, a row a solution."""
    import numpy as np

    n = data["tiles"]
    if subject == "markers":
        return _slots(data, solutions)
    return np.hstack([solutions[:, :n], _slots(data, solutions[:, n : 2 * n]), solutions[:, 2 * n :]])


def _slots(data: Mapping[str, Any], markers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return, per row of *markers*, on which tile each token is.

    Both arrays have one row a solution. Tokens that are left over (or a lone one where there is none) count
    as behind the last tile. Blanks are left aside: where the terrain is the same, so are they.
    """
    import numpy as np

    firsts, total = [], 0
    for counts in data["supply"]:  # tokens are in order of their groups, and in each from 12 downwards
        firsts.append([0, 0, *(total + sum(counts[number + 1 :]) for number in range(len(counts)))])
        total += sum(counts)
    token = np.tile(np.array(firsts), (len(markers), 1, 1))  # the next one of each group and marker, by row
    places = np.full((len(markers), max(1, total)), data["tiles"], dtype=np.int32)
    for tile, group in enumerate(data["marker_group"]):
        (rows,) = markers[:, tile].nonzero()
        kind = rows, group - 1, markers[rows, tile]
        places[rows, token[kind]] = tile
        token[kind] += 1
    return places
