"""The objective as tables: exact integer scores of all pairs of vertices.

One call computes a batch of boards of one layout. Axes are always (board, vertex) or (board, vertex, vertex).
`catan_cp.placement.objective` computes the same values in plain Python, and tests compare the two.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import MARKERS, RESOURCES, TERRAIN_CODE, pips
from catan_cp.placement.objective import BANK_RATE, BUILDINGS, ROLLS, STEPS, TERMS, Objective, worth

Ints = NDArray[Any]

_TERRAIN_BITS = {name: 1 << bit for bit, name in enumerate((*RESOURCES, "gold"))}
_GOLD = _TERRAIN_BITS["gold"]
MARKER_SHIFT = len(_TERRAIN_BITS)
_TRADE_UNIT = ROLLS * 12
"""Harbor gains are multiples of 1 / 432: pips / 36 times 1/2 - 1/4 or 1/3 - 1/4."""

_LARGEST = 1 << 44
"""Scores stay below this number, so that a score followed by a vertex number fits 64 bits."""


@dataclass(frozen=True)
class Sites:
    """The V vertices of a graph, as arrays. A settlement on a vertex rules out up to D vertices.

    Attributes:
        closed: (V, D) each vertex and its neighbors, padded with the vertex. D is 4 on boards.
        too_near: (V, V) bool, True if one settlement rules out the other. A vertex rules itself out.
    """

    closed: NDArray[np.intp]
    too_near: NDArray[np.bool_]


@dataclass(frozen=True)
class VertexTables(Sites):
    """The geometry of a layout with V vertices and T tiles, as arrays.

    Attributes:
        vertex_tiles: (3, V + 1) the tiles of each vertex, padded with T, a tile that yields nothing. Vertex V
            means no settlement and has only that tile.
        shared: three arrays (first vertex, second vertex, tile) of all ordered pairs of vertices that touch
            the same tile and are neither equal nor neighbors. Two such vertices share at most one tile.
    """

    vertex_tiles: NDArray[np.intp]
    shared: tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]


@lru_cache(maxsize=32)
def geometry(layout: Layout) -> VertexTables:
    """Return the `VertexTables` of a layout, computed once."""
    tiles, near = (
        np.array([(*row, -1, -1)[:3] for row in rows], dtype=np.intp)
        for rows in (layout.vertex_tiles, layout.vertex_neighbors)
    )
    too_near = np.eye(layout.n_vertices, dtype=bool)
    for a, b in layout.edges:
        too_near[a, b] = too_near[b, a] = True
    pairs = [
        (a, b, tile)
        for tile, vertices in enumerate(layout.tile_vertices)
        for a in vertices
        for b in vertices
        if not too_near[a, b]
    ]
    first, second, common = np.array(pairs, dtype=np.intp).reshape(-1, 3).T
    numbers = np.arange(layout.n_vertices)[:, None]
    return VertexTables(
        vertex_tiles=np.pad(tiles.T, ((0, 0), (0, 1)), constant_values=-1) % (layout.n_tiles + 1),
        closed=np.concatenate([numbers, np.where(near < 0, numbers, near)], axis=1),
        too_near=too_near,
        shared=(first, second, common),
    )


@dataclass(frozen=True)
class Batch:
    """Boards of one layout as arrays over (board, tile).

    The last tile is additional and yields nothing.

    Attributes:
        boards: the boards.
        layout: their layout.
        pips: the number of ways to roll the tile's marker.
        flags: one bit per producing terrain and, above them, one per marker.
        land: (board, vertex) bool, True if players may settle on the vertex.
    """

    boards: tuple[Board, ...]
    layout: Layout
    pips: NDArray[np.int32]
    flags: NDArray[np.uint16]
    land: NDArray[np.bool_]


def batch_of(boards: Sequence[Board]) -> Batch:
    """Return *boards*, all of one layout, as arrays."""
    layout = boards[0].layout
    shape = (len(boards), layout.n_tiles + 1)
    code = layout.terrain_codes
    names = b"".join(bytes([*map(code.__getitem__, board.terrain), 0]) for board in boards)
    numbers = b"".join(bytes([*(marker or 0 for marker in board.markers), 0]) for board in boards)
    codes = np.frombuffer(names, dtype=np.uint8).reshape(shape)
    markers = np.frombuffer(numbers, dtype=np.uint8).reshape(shape)
    dry = codes == 0
    dry |= codes == code["sea"]
    if layout.settle:
        dry |= ~np.isin(np.arange(layout.n_tiles + 1), sorted(layout.settle))
    land = ~dry[:, geometry(layout).vertex_tiles[:, :-1]].all(axis=1)
    ways, flags = _PIPS[markers], _TERRAIN_FLAG[codes] | _MARKER_FLAG[markers]
    for marker, second in layout.second_marker.items():
        ways[markers == marker] += _PIPS[second]
        flags[markers == marker] |= _MARKER_FLAG[second]
    return Batch(tuple(boards), layout, ways, flags, land)


@dataclass(frozen=True)
class Scores:
    """The scores of pairs and single vertices for one player.

    Equal scores mean equal values.

    Attributes:
        pairs: (board, vertex, vertex) integers of 0 or more, or -1 if the two cannot both be settled.
        singles: (board, vertex) integers, on the same scale.
        scale: per board, the divisor that turns a score into the value. None if the scores are only ranks,
            because the exact numerators do not fit 64 bits.
    """

    pairs: Ints
    singles: Ints
    scale: tuple[int, ...] | None


def score_pairs(batch: Batch, objective: Objective) -> Scores:
    """Return the exact score of every pair and every single vertex of the boards."""
    formula = _ScoreFormula(objective, batch)
    geo, dtype, n = geometry(batch.layout), formula.dtype, batch.layout.n_vertices
    touched = batch.flags[:, geo.vertex_tiles]
    vertex_flags = np.bitwise_or.reduce(touched, axis=1)
    flags = vertex_flags[:, :, None] | vertex_flags[:, None, :]
    scores = formula.by_flags[flags]
    linear = formula.per_pip * batch.pips[:, geo.vertex_tiles].sum(axis=1, dtype=dtype)
    linear += formula.per_tile * (touched != 0).sum(axis=1, dtype=dtype)
    scores += linear[:, :, None]
    scores += linear[:, None, :]
    first, second, common = geo.shared
    if formula.per_pip and objective.cards_as == "published":
        scores[:, first, second] -= formula.per_pip * batch.pips.astype(dtype)[:, common]
    if formula.totals.size:
        scores *= formula.per_board
    for term, table in _EXTRA.items():
        if getattr(objective, term):
            scores += table(batch, formula, flags)
    singles = scores[:, :n, n].copy()
    pairs = scores[:, :n, :n]
    if dtype is object:
        pairs, singles = _ranked(pairs, singles)
    pairs = np.where(geo.too_near, -1, pairs)
    if not batch.land.all():
        pairs[~(batch.land[:, :, None] & batch.land[:, None, :])] = -1
    scale = None if dtype is object else tuple(formula.unit * factor for factor in formula.common)
    return Scores(pairs, singles, scale)


class _ScoreFormula:
    """The weights of an objective as integer factors, and a dtype without overflow.

    A score is ``common * (by_flags[terrains and markers touched] + per_pip * pips + per_tile * tiles)``
    plus the other terms. Divided by ``unit * common`` it is the value.
    """

    def __init__(self, objective: Objective, batch: Batch) -> None:
        # The pips of each resource on each board, (board, resource), if a term needs them.
        resources = range(len(RESOURCES) if objective.scarcity or objective.monopoly else 0)
        held = [((batch.flags >> resource & 1) * batch.pips).sum(axis=1) for resource in resources]
        self.totals = np.array(held, dtype=np.int64).T.reshape(len(batch.boards), -1)
        self.common = [math.lcm(*(int(pips) for pips in row if pips)) for row in self.totals]
        step = _TRADE_UNIT if objective.harbor else ROLLS
        if objective.odds:
            step = math.lcm(step, *(value.denominator for value in worth().values()))
        denominator = math.lcm(*(weight.denominator for weight in objective.weights.values()))
        self.unit = denominator * step
        self.factor = {
            term: int(objective.weights.get(term, 0) * denominator) * step for term in TERMS
        }  # the addition to a score for a value of 1 of the term
        # No term of two settlements exceeds 6 * 36, the scarcity of six terrains with one pip each.
        bound = 6 * ROLLS * self.unit * max(self.common)
        self.dtype: Any = object if bound >= _LARGEST else np.int64 if bound >= 1 << 24 else np.int32
        self.per_board = np.array(self.common, dtype=self.dtype)[:, None, None]
        published = objective.resources_as == "published"
        self.per_pip = self.factor["cards"] // ROLLS
        self.per_tile = self.factor["resources"] // 2 if published else 0
        per_terrain = self.factor["resources"] * (2 if published else 1)
        self.by_flags = _flag_scores(per_terrain, self.factor["hit"] // ROLLS, self.dtype)


@lru_cache(maxsize=16)
def _flag_scores(per_terrain: int, per_hit: int, dtype: Any) -> Ints:
    """Return the score of each set of terrains and markers.

    Gold counts as a terrain that is lacking.
    """
    terrains = np.array([min(bin(bits).count("1"), len(RESOURCES)) for bits in range(1 << MARKER_SHIFT)])
    ways = np.zeros(1, dtype=np.int64)
    for marker in MARKERS:
        ways = np.concatenate([ways, ways + _PIPS[marker]])
    table = ways[:, None].astype(dtype) * per_hit + terrains[None, :].astype(dtype) * per_terrain
    flat: Ints = table.reshape(-1)
    flat.setflags(write=False)
    return flat


# The other terms, each as an array over (board, vertex, vertex) in the units of the score


def _scarcity(batch: Batch, formula: _ScoreFormula, flags: Ints) -> Ints:
    worth = np.zeros((len(batch.boards), 1 << MARKER_SHIFT), dtype=formula.dtype)
    for row, totals, common in zip(worth, formula.totals, formula.common, strict=True):
        scores = [ROLLS * common // int(total) if total else 0 for total in totals]
        for bits in range(len(row)):
            held = [value for bit, value in enumerate(scores) if bits >> bit & 1]
            lacking = [value for bit, value in enumerate(scores) if not bits >> bit & 1]
            row[bits] = sum(held) + (max(lacking, default=0) if bits & _GOLD else 0)
    worth *= formula.factor["scarcity"]
    return np.take_along_axis(
        worth, (flags & (2 * _GOLD - 1)).reshape(len(worth), -1).astype(np.intp), 1
    ).reshape(flags.shape)


def _harbor(batch: Batch, formula: _ScoreFormula, flags: Ints) -> Ints:
    *own, common = harbors(batch, formula.dtype)
    total = np.zeros(flags.shape, dtype=formula.dtype)
    for near, produced in zip(own, production(batch, formula.dtype), strict=True):
        best = np.maximum((12 // 2 - 12 // BANK_RATE) * near, (12 // 3 - 12 // BANK_RATE) * common)
        total += np.maximum(best[:, :, None], best[:, None, :]) * _sums(produced)
    total *= formula.factor["harbor"] // _TRADE_UNIT * formula.per_board
    return total


def _robber(batch: Batch, formula: _ScoreFormula, flags: Ints) -> Ints:
    geo = geometry(batch.layout)
    touched = batch.pips[:, geo.vertex_tiles].astype(formula.dtype)
    produced, best = touched.sum(axis=1), touched.max(axis=1)
    blocked = np.maximum(best[:, :, None], best[:, None, :])
    first, second, common = geo.shared
    blocked[:, first, second] = np.maximum(blocked[:, first, second], 2 * batch.pips[:, common])
    unblocked: Ints = _sums(produced) - blocked
    unblocked *= formula.factor["robber"] // ROLLS * formula.per_board
    return unblocked


def _monopoly(batch: Batch, formula: _ScoreFormula, flags: Ints) -> Ints:
    first, second, common = geometry(batch.layout).shared
    best = np.zeros(flags.shape, dtype=formula.dtype)
    for resource, produced in enumerate(production(batch, formula.dtype)):
        held = _sums(produced)
        own = (batch.flags[:, common] >> resource & 1) * batch.pips[:, common]
        held[:, first, second] -= own.astype(formula.dtype)
        factors = [
            whole // int(total) if total else 0
            for whole, total in zip(formula.common, formula.totals[:, resource], strict=True)
        ]
        best = np.maximum(best, held * np.array(factors, dtype=formula.dtype)[:, None, None])
    return best * formula.factor["monopoly"]


def _odds(batch: Batch, formula: _ScoreFormula, flags: Ints) -> Ints:
    near = harbors(batch, formula.dtype)
    either = np.maximum(near[..., :, None], near[..., None, :])
    total = log_odds(_sums(production(batch, formula.dtype)), either, formula.factor["odds"])
    total *= formula.per_board
    return total


_EXTRA = {"scarcity": _scarcity, "harbor": _harbor, "robber": _robber, "monopoly": _monopoly, "odds": _odds}


def log_odds(held: Ints, near: Ints, unit: int) -> Ints:
    """Return the logarithm of the odds to win, as `objective.worth` states it, in integers.

    Args:
        held: (resource, ...) the pips that settlements collect.
        near: (resource and then 3:1, ...) 1 for settlements at such a harbor, otherwise 0.
        unit: the result for a logarithm of 1, a multiple of all denominators of `objective.worth`.
    """
    factor, curves = _factors(unit, int(held.max(initial=0)), held.dtype)
    total: Ints = factor["harbor"] * near[-1]
    for curve, number, own in zip(curves, held, near, strict=False):
        total += curve[number.astype(np.intp)]
        total += factor["own_harbor"] * own * number
    for name, resources in BUILDINGS.items():
        total += factor[name] * reduce(
            np.minimum, (held[RESOURCES.index(resource)] for resource in resources)
        )
    return total


@lru_cache(maxsize=64)
def _factors(unit: int, most: int, dtype: Any) -> tuple[dict[str, int], Ints]:
    """Return `worth` times *unit*, and per resource the part of each number of pips, (resource, pips)."""
    factor = {name: int(value * unit) for name, value in worth().items()}
    counts = np.arange(most + 1).astype(dtype)
    steps = [sum(factor[f"{name}_{step}"] * np.minimum(counts, step) for step in STEPS) for name in RESOURCES]
    return factor, np.array([factor[name] * counts for name in RESOURCES]) + steps


def production(batch: Batch, dtype: Any) -> Ints:
    """Return the pips of each resource that a settlement collects, (resource, board, vertex)."""
    bits = np.arange(len(RESOURCES), dtype=np.uint16)[:, None, None]
    pips = (batch.flags >> bits & 1) * batch.pips
    collected: Ints = pips[:, :, geometry(batch.layout).vertex_tiles].sum(axis=2, dtype=dtype)
    return collected


def harbors(batch: Batch, dtype: Any) -> Ints:
    """Return 1 if a settlement is at a harbor, else 0, (resource and then 3:1, board, vertex)."""
    near = np.zeros((len(RESOURCES) + 1, len(batch.boards), batch.layout.n_vertices + 1), dtype=dtype)
    for number, board in enumerate(batch.boards):
        for harbor in board.harbors:
            near[(*RESOURCES, "3:1").index(harbor.trade), number, list(harbor.vertices)] = 1
    return near


def _sums(single: Ints) -> Ints:
    """Return the sums over two settlements: (..., vertex, vertex) from (..., vertex)."""
    both: Ints = single[..., :, None] + single[..., None, :]
    return both


def _ranked(pairs: Ints, singles: Ints) -> tuple[Ints, Ints]:
    """Replace integers of any length by their ranks, board by board."""
    scores = np.concatenate([pairs, singles[:, :, None]], axis=2)
    ranks = np.stack([np.unique(board, return_inverse=True)[1].reshape(board.shape) for board in scores])
    return ranks[:, :, :-1], ranks[:, :, -1]


_PIPS = np.array([pips(m) if m in MARKERS else 0 for m in range(13)], dtype=np.int32)
_TERRAIN_FLAG = np.zeros(64, dtype=np.uint16)  # other terrains of a layout yield nothing
for _name, _code in TERRAIN_CODE.items():
    _TERRAIN_FLAG[_code] = _TERRAIN_BITS.get(_name, 0)
_MARKER_FLAG = np.array(
    [1 << MARKER_SHIFT + MARKERS.index(m) if m in MARKERS else 0 for m in range(13)], dtype=np.uint16
)
