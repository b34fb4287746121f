"""Tasks for solvers: models with the data of rules and a layout.

``models/*.mzn`` define the parameters. Tiles are numbered from 1 in the models. The declaration of a rule
returns its parameters, which have neutral values if the rule is not set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import starmap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from catan_cp.boards.board import Board
from catan_cp.boards.details import Pool
from catan_cp.boards.layout import Harbor, Layout
from catan_cp.boards.parts import GROUNDS, HARBORS, NUMBERS, PARTS, TERRAIN, Part, Place
from catan_cp.boards.pieces import MARKERS, MOST_PIPS
from catan_cp.model_files import declared_names
from catan_cp.problem.problem import Problem
from catan_cp.rules.checking import is_numbered
from catan_cp.rules.constraint import join_constraints
from catan_cp.rules.patterns import allowed_terrain, pattern_on
from catan_cp.rules.rule import View
from catan_cp.rules.rules import RULES, Rules
from catan_cp.solving.compiling import Fits, Task
from catan_cp.solving.find import IN_ORDER, find_solver

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_MODELS = {"terrain": ("board",), "markers": ("markers",), "boards": ("board", "markers", "harbors")}
"""The models with the parameters for each subject."""


def _task(
    problem: Problem,
    subject: str,
    search: int,
    terrain: Sequence[str] | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
    box: Board | None = None,
) -> Task:
    """Return the task of a subject, with the constraints and the models of the rules.

    Args:
        problem: the rules and the layout.
        subject: ``"terrain"``, ``"markers"`` or ``"boards"``.
        search: the value of the models' ``search``.
        terrain: the terrain arrangement in the data, if it is known.
        more: data that is added.
        box: the board whose pieces may be on any tile. By default, the pieces are those of the layout.
    """
    rules, layout = problem.rules, problem.layout
    placed = box.terrain if box is not None else terrain
    data = _common(rules, layout, Counter(placed) if placed else None) | {"search": search}
    if terrain:
        data["terrain"] = [layout.terrain_codes[name] for name in terrain]
    if subject != "terrain":
        data |= _marker_pieces(rules, layout) if box is None else _markers_of(box)
    data |= {} if box is None else {"unmarked": {t + 1 for t in _bare_land(box)}}
    view = View(layout, set(terrain or layout.terrains), has_requirements=box is None)
    for model in _MODELS[subject]:
        for rule in RULES.values():
            if model in rule.data:
                data |= rule.data[model](getattr(rules, rule.field), rule.needed_values(rules), view)
    data |= more
    constraints = problem.constraints(subject)
    return Task(
        "joint" if subject == "boards" else f"solve_{subject}",
        data,
        partial(_fits_board, layout, data, subject),
        None if subject == "terrain" else partial(_branching, data, subject),
        rules.models,
        join_constraints(constraints, declared_names(rules.models), layout.terrain_codes)
        if constraints
        else None,
        problem.is_edited(subject) or any(constraint.has_variables for constraint in constraints),
    )


def spread(solver: str) -> int:
    """Return the value of the models' ``search`` for a random start of *solver*."""
    return find_solver(solver).backend.random_search


def terrain_task(problem: Problem, search: int = IN_ORDER) -> Task:
    """Return the task of ``solve_terrain.mzn``."""
    return _task(problem, "terrain", search)


def marker_task(problem: Problem, terrain: Sequence[str]) -> Task:
    """Return the task of ``solve_markers.mzn``.

    If the rules do not depend on the terrains of numbered tiles, all of them are brick in the data. Then one
    compiled model serves many boards.
    """
    matters, bare = problem.markers_see_terrain, problem.layout.unnumbered
    names = [name if matters or name in bare else "brick" for name in terrain]
    return _task(problem, "markers", IN_ORDER, names)


def joint_task(
    problem: Problem,
    search: int = IN_ORDER,
    tile_order: Sequence[int] | None = None,
    *,
    grounds: bool = True,
) -> Task:
    """Return the task of ``joint.mzn``.

    A solution is a row of terrain codes, markers, trades and fishing grounds.

    Args:
        problem: the rules and the layout.
        search: the value of the models' ``search``.
        tile_order: the order of the tiles for a random search, by default reading order.
        grounds: place fishing grounds. Without them, a solution has 0 at each of their places.
    """
    rules, layout = problem.rules, problem.layout
    more = _ground_data(layout, grounds) | _frame(layout, rules)
    if tile_order:
        more["tile_order"] = [t + 1 for t in tile_order]
    if rules.harbors == "printed":
        more["harbor"] = _trades(layout, layout.laid_harbors)
    return _task(problem, "boards", search, more=more)


def check_task(rules: Rules, board: Board, parts: Collection[str], *, is_box: bool) -> Task:
    """Return the task whose solution is a board, if the rules allow it.

    Args:
        rules: the rules.
        board: the board.
        parts: any of ``"harbors"`` and ``"grounds"``, if these are data too.
        is_box: True for the pieces of the layout, each in an allowed place. False for any piece on any tile.
    """
    layout, values, problem = board.layout, board_values(board), Problem.of(rules, board.layout)
    box = None if is_box else board
    if not is_numbered(board) and "harbors" not in parts:
        return _task(problem, "terrain", IN_ORDER, more=values, box=box)
    values |= _harbors_of(board) if "harbors" in parts else _frame(layout, rules)
    values |= _grounds_of(board) if "grounds" in parts else _ground_data(layout, False)
    if rules.harbors == "printed":
        values["harbor"] = _trades(layout, layout.laid_harbors)
    return _task(problem, "boards", IN_ORDER, more=values, box=box)


def board_values(board: Board) -> dict[str, Any]:
    """Return the terrain, and the markers if any, as data for the models."""
    parts = (TERRAIN, NUMBERS) if is_numbered(board) else (TERRAIN,)
    return {part.variable: part.codes_of(board, part.places(board.layout)) for part in parts}


def _common(rules: Rules, layout: Layout, counts: Mapping[str, int] | None) -> dict[str, Any]:
    """Return the data of ``layout.mzn``: geometry, and pieces or known *counts*."""
    pairs = layout.adjacency(rules.adjacency)
    edges = set(layout.adjacency("hex"))
    return {
        "tiles": layout.n_tiles,
        "vertex_tiles": [{t + 1 for t in tiles} for tiles in layout.vertex_tiles],
        "edge_vertices": [[a + 1, b + 1] for a, b in layout.edges],
        "here": [a + 1 for a, _ in pairs],
        "there": [b + 1 for _, b in pairs],
        "edge_pairs": {i for i, pair in enumerate(pairs, start=1) if pair in edges},
        "coast": {t + 1 for t in layout.coast_tiles},
        "centre": {t + 1 for t in layout.centre_tiles()},
        "terrains": len(layout.all_terrains),
        "UNNUMBERED": {layout.terrain_codes[name] for name in layout.unnumbered},
        "unmarked": {t + 1 for t in layout.unmarked},
        **(_one_group(layout, counts) if counts is not None else _terrain_pieces(rules, layout)),
        "tile_order": [t + 1 for t in range(layout.n_tiles)],
    }


def _one_group(layout: Layout, counts: Mapping[str, int]) -> dict[str, Any]:
    """Return the pieces of a known terrain arrangement as one group."""
    return {
        "terrain_groups": 1,
        "terrain_group": [1] * layout.n_tiles,
        "pieces": [[counts.get(name, 0) for name in layout.all_terrains]],
        "terrain_choices": [set(layout.terrain_codes.values())] * layout.n_tiles,
    }


def _terrain_pieces(rules: Rules, layout: Layout) -> dict[str, Any]:
    """Return the groups of terrains, with one more group for fixed tiles."""
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
            allowed & {codes[name] for name in allowed_terrain(pattern, t, layout)}
            for t, allowed in enumerate(choices)
        ]
    return {
        "terrain_groups": len(pieces),
        "terrain_group": _group_numbers(layout, layout.terrain_pools, len(layout.terrain_pools) + 1),
        "pieces": pieces,
        "terrain_choices": choices,
    }


def _group_numbers(layout: Layout, pools: Iterable[Pool], otherwise: int) -> list[int]:
    """Return the number of each tile's group, from 1."""
    groups = {tile: number for number, pool in enumerate(pools, start=1) for tile in pool.tiles}
    return [groups.get(tile, otherwise) for tile in range(layout.n_tiles)]


def _marker_pieces(rules: Rules, layout: Layout) -> dict[str, Any]:
    """Return the groups of markers, with one more group for fixed markers."""
    group = _group_numbers(layout, layout.marker_pools, 1)  # a tile without a marker needs none
    supplies = [pool.pieces for pool in layout.marker_pools]
    if layout.fixed_markers:
        supplies.append(Counter(layout.fixed_markers.values()))
    pips = {m: layout.marker_pips(m) for m in MARKERS}
    choices = [
        {m for m, n in pips.items() if n <= layout.pips_max.get(t, MOST_PIPS)} for t in range(layout.n_tiles)
    ]
    for tile, fixed in layout.fixed_markers.items():
        group[tile], choices[tile] = len(supplies), {fixed}
    pattern = pattern_on(rules.pattern, layout).markers if rules.pattern is not None else ()
    for tile, marker in enumerate(pattern):
        if marker is not None:
            choices[tile] &= {marker}
    least = layout.terrain_marker_pips_min
    return {
        "marker_groups": max(1, len(supplies)),
        "marker_group": group,
        "supply": [[supply.get(marker, 0) for marker in range(2, 13)] for supply in supplies or [{}]],
        "second": [layout.second_marker.get(marker, 0) for marker in range(2, 13)],
        "marker_choices": choices,
        "marked": {t + 1 for t, marker in enumerate(pattern) if marker},
        "marker_pips_min": [least.get(name, 0) for name in layout.all_terrains],
    }


def _markers_of(board: Board) -> dict[str, Any]:
    """Return the markers of a board as one group, each allowed on any tile.

    If the board has none, they do not matter, so all are 2.
    """
    layout, supply = board.layout, Counter(board.markers)
    if not is_numbered(board):
        supply = Counter({2: sum(starmap(layout.carries_marker, enumerate(board.terrain)))})
    return {
        "marker_groups": 1,
        "marker_group": [1] * layout.n_tiles,
        "supply": [[supply[number] for number in range(2, 13)]],
        "second": [layout.second_marker.get(marker, 0) for marker in range(2, 13)],
        "marker_choices": [set(MARKERS)] * layout.n_tiles,
        "marked": set(),
        "marker_pips_min": [0] * len(layout.all_terrains),
    }


def _bare_land(board: Board) -> list[int]:
    """Return the tiles of land that carry no marker on a board."""
    layout, has_markers = board.layout, is_numbered(board)
    return [
        tile
        for tile, name in enumerate(board.terrain)
        if name not in layout.unnumbered
        and (board.markers[tile] is None if has_markers else tile in layout.unmarked)
    ]


def places_of(rules: Rules, layout: Layout) -> dict[Part, Sequence[Place]]:
    """Return the places of each part in a solution of ``joint.mzn``."""
    edges = {"printed": [harbor.vertices for harbor in layout.laid_harbors], "shuffled": layout.harbor_places}
    return {part: part.places(layout) for part in PARTS} | {HARBORS: edges.get(rules.harbors, ())}


def _frame(layout: Layout, rules: Rules) -> dict[str, Any]:
    """Return the places and the trades of harbors."""
    places: Sequence[Any] = places_of(rules, layout)[HARBORS]
    by_rule = {"printed": layout.laid_harbors, "shuffled": layout.printed_harbors}
    harbors: Sequence[Harbor] = by_rule.get(rules.harbors, ())
    codes = _trades(layout, harbors)
    edges = [harbor.vertices for harbor in harbors]
    fixed = {edge: n for edge, n in zip(edges, codes, strict=True) if edge in layout.fixed_harbors}
    none = HARBORS.codes(layout)[None]
    return _edges(layout, places) | {
        "trades": [codes.count(code) for code in range(none)],
        "trade_choices": [
            {fixed[place]} if place in fixed and place in layout.immovable_harbors
            else {*codes} if place in layout.immovable_harbors
            else {*codes, none}
            for place in places
        ],
    }  # fmt: skip


def _harbors_of(board: Board) -> dict[str, Any]:
    """Return the places of a layout's harbors, and the harbors of a board on them.

    The models require that movable harbors lie between land and sea. Those of the board that do not are
    data for immovable ones, so that they break no constraint.
    """
    layout = board.layout
    codes, none = HARBORS.codes_of(board, layout.harbor_places), HARBORS.codes(layout)[None]
    return _edges(layout, layout.harbor_places) | {
        "harbor": codes,
        "trades": [codes.count(code) for code in range(none)],
        "trade_choices": [
            {code, none}
            if edge not in layout.immovable_harbors and layout.is_on_coast(edge, board.terrain)
            else {code}
            for edge, code in zip(layout.harbor_places, codes, strict=True)
        ],
    }


def _edges(layout: Layout, places: Sequence[Any]) -> dict[str, Any]:
    """Return the tiles and vertices at places for harbors."""
    return {
        "harbor_tiles": [{t + 1 for v in place for t in layout.vertex_tiles[v]} for place in places],
        "harbor_vertices": [{v + 1 for v in place} for place in places],
        "harbor_sides": [{t + 1 for t in layout.edge_tiles[place]} for place in places],
    }


def _ground_data(layout: Layout, are_placed: bool) -> dict[str, Any]:
    """Return the places and the numbers of fishing grounds."""
    numbers = [ground.marker for ground in layout.fishing_grounds] if are_placed else []
    return {
        "ground_vertices": [{v + 1 for v in place} for place in layout.ground_places],
        "ground_numbers": numbers,
        "ground_choices": [{*numbers} if are_placed else {0} for _ in layout.ground_places],
    }


def _grounds_of(board: Board) -> dict[str, Any]:
    """Return the places of fishing grounds, and the numbers of a board on them."""
    numbers = GROUNDS.codes_of(board, board.layout.ground_places)
    return _ground_data(board.layout, False) | {
        "ground": numbers,
        "ground_numbers": [number for number in numbers if number],
        "ground_choices": [{number} for number in numbers],
    }


def _trades(layout: Layout, harbors: Sequence[Harbor]) -> list[int]:
    """Return the models' code of the trade of each harbor."""
    codes = HARBORS.codes(layout)
    return [codes[harbor.trade] for harbor in harbors]


# ---- Checks of solutions: other output of a solver is rejected


def _fits_board(layout: Layout, data: Mapping[str, Any], subject: str, solutions: NDArray[np.int64]) -> bool:
    """Return True if solutions use the pieces of the box, whatever the rules."""
    import numpy as np

    n = layout.n_tiles
    # For each part of a solution: the allowed numbers of each place, and the pieces.
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
    """Return a function that checks that solutions use the pieces of a box.

    Args:
        choices: the allowed values of each number of a solution.
        pieces: the maximum count of each value, from 0, in one solution.
    """
    import numpy as np

    allowed = np.zeros((len(choices), len(pieces)), dtype=bool)
    for row, values in zip(allowed, choices, strict=True):
        row[list(values)] = True
    return partial(_fits_supply, allowed, np.array(pieces))


def _fits_supply(allowed: NDArray[np.bool_], pieces: NDArray[np.int64], solutions: NDArray[np.int64]) -> bool:
    import numpy as np

    n, wide = allowed.shape
    highest = solutions.view(np.uint64).max(initial=0)  # as unsigned, so negative numbers are large
    if solutions.shape[1] != n or highest >= wide:
        return False
    if not allowed.ravel().take(solutions + np.arange(0, n * wide, wide)).all():
        return False
    places = solutions + np.arange(0, len(solutions) * wide, wide)[:, None]
    counts = np.bincount(places.ravel(), minlength=len(solutions) * wide).reshape(-1, wide)
    return bool((counts <= pieces).all())


def _branching(data: Mapping[str, Any], subject: str, solutions: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the branching variables of a model with markers, one row per solution.

    They are the terrain, the slots of number tokens, and the trades.
    """
    import numpy as np

    n = data["tiles"]
    if subject == "markers":
        return _token_places(data, solutions)
    return np.hstack([solutions[:, :n], _token_places(data, solutions[:, n : 2 * n]), solutions[:, 2 * n :]])


def _token_places(data: Mapping[str, Any], markers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the tile of each number token.

    Both arrays have one row per solution. Tokens in the box have the number of tiles as their tile. Without
    any token there is one such column. Blanks are omitted, because they follow from the terrain.
    """
    import numpy as np

    firsts, total = [], 0
    for counts in data["supply"]:  # tokens are sorted by group, and within a group from 12 down
        firsts.append([0, 0, *(total + sum(counts[number + 1 :]) for number in range(len(counts)))])
        total += sum(counts)
    token = np.tile(np.array(firsts), (len(markers), 1, 1))  # next token of each row, group and marker
    places = np.full((len(markers), max(1, total)), data["tiles"], dtype=np.int32)
    for tile, group in enumerate(data["marker_group"]):
        (rows,) = markers[:, tile].nonzero()
        kind = rows, group - 1, markers[rows, tile]
        places[rows, token[kind]] = tile
        token[kind] += 1
    return places
