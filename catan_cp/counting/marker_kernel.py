"""The inner loop of the search for markers, written so that numba can compile it.

The words:

    kind       a marker that the box holds, by its number: lower kinds are lower markers
    token      one piece of a kind; tokens are placed one after another, the highest first
    mask       a set of tiles or of kinds, as the bits of a number
    domain     of a free tile: the kinds that may still stand there
    position   of a token: a tile, or the box where more tokens are than tiles
    scope      the terrain of a tile, by its number
    quota      the most tiles of one terrain that may take one of some kinds
    tail       the last tokens, where nothing but domains and equal tokens matter: those are counted at once
    rank       the number of a solution: solutions are ordered by the positions of their tokens

Placing a token narrows the domains of the tiles around it (forward checking), and Hall's condition then
asks whether the tokens that are left can fill the free tiles: for no kind may more tiles need a lower one
than there are tokens of lower kinds left. Sums at vertices cap the high markers, so placing those first fails
early.

A worked example: on three tiles that all touch, with markers 9, 9 and 2 of which equal ones may not touch,
the first 9 goes to tile 0; tiles 1 and 2 lose 9 from their domains, so both need a marker below 9, but only
one such token is left: Hall's condition fails before the second 9 is tried.

The kernel keeps its whole state in arrays that the caller owns. It returns after a number of nodes, so that
the caller can show progress, honour Ctrl-C, and go on where it stopped.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_cp.compiled import compiled, inlined

Ints = NDArray[np.int64]
Masks = NDArray[np.uint64]

DEPTH, COUNT, WRITTEN, STATUS = range(4)
"""The entries of *info*: the depth reached, solutions passed, rows written, and the status."""

RUNNING, DONE, FULL, MET = range(4)
"""The status: positions used up, all searched, the output is full, or the target was met."""

MOST_TAIL = 10
"""The most tokens that are left to `tail_count`."""

LOG2 = np.zeros(67, dtype=np.int64)
"""The exponent of a power of two below 2**64, by its remainder modulo 67, in which they all differ."""
for _exponent in range(64):
    LOG2[(1 << _exponent) % 67] = _exponent


class Tables(NamedTuple):
    """What the rules say of one terrain.

    Attributes:
        token_kind: the kind of each token, highest first; kinds are numbered by rising marker.
        n_tiles: how many tiles there are to fill. As a tile, this number stands for the box, where tokens
            stay that are not needed.
        fewer: shape (tokens + 1, kinds + 1): how many of the tokens from each on are of a lower kind.
        clash_near: shape (clashes, tiles): per clash, the tiles on which each tile's marker rules others out.
        clash_kinds: shape (clashes, kinds): the kinds that may not stand there, as masks.
        scope: per tile, the number of its terrain.
        scope_tiles: per terrain, its tiles.
        quota_kinds: per quota, the kinds that it counts.
        quota_most: per quota, how many of them a terrain may have.
        pips: per kind, its pips.
        pips_min: per terrain, the least sum of its pips.
        pips_max: per terrain, the greatest.
        vertex_tiles: shape (vertices, 3): the tiles of each vertex, -1 for one that has no marker.
        tile_vertices: shape (tiles, 6): the vertices of each tile, filled up with -1.
        allow_two: per kind (the last: no marker), the kinds that may meet it at a vertex, with some third.
        allow_three: shape (kinds + 1, kinds + 1): the kinds that may meet both.
        tail: from which token on nothing but domains and equal markers matter; see `tail_count`.
        highest: per mask of kinds, its highest kind, -1 for the empty mask.
    """

    token_kind: Ints
    n_tiles: int
    fewer: Ints
    clash_near: Masks
    clash_kinds: Ints
    scope: Ints
    scope_tiles: Masks
    quota_kinds: Ints
    quota_most: Ints
    pips: Ints
    pips_min: Ints
    pips_max: Ints
    vertex_tiles: Ints
    tile_vertices: Ints
    allow_two: Ints
    allow_three: Ints
    tail: int
    highest: Ints


class State(NamedTuple):
    """Where a search is.

    Attributes:
        domain: shape (tokens + 1, tiles): per depth, the kinds that each tile may take.
        used: per depth, the tiles that are filled.
        candidates: per depth, the positions not tried yet.
        position: per token, where it is, -1 for nowhere.
        met: shape (vertices, 3): the kinds already at each vertex, in the order they came, -1 for none.
        quota_count: shape (quotas, terrains): how many of its kinds each terrain has.
        scope_pips: per terrain, the pips so far.
        scope_free: per terrain, its tiles that are free.
        info: see `DEPTH` and the following names.
        room: as many numbers as there are kinds and two more, for `can_fill` to count in.
        scratch: shape (4, MOST_TAIL), for `tail_count`.
    """

    domain: Ints
    used: Masks
    candidates: Masks
    position: Ints
    met: Ints
    quota_count: Ints
    scope_pips: Ints
    scope_free: Ints
    info: Ints
    room: Ints
    scratch: Masks


@compiled
def search(
    tables: Tables, state: State, first: int, target: Ints, out: NDArray[np.uint8], budget: int
) -> None:
    """Search on from the state until done, or until *budget* positions more were tried.

    Solutions come in the order of the tokens' positions.

    Args:
        tables: what the rules say.
        state: where the search is; changed in place.
        first: the rank from which on solutions are written.
        target: the position of each token in a solution: the search ends when it meets that one, whose rank
            is then the count. Empty for none.
        out: where solutions are written until it is full, a row each, as the kind on every tile. Without
            rows, they are counted only.
        budget: how many positions to try at most, those of `tail_count` among them.
    """
    token_kind, n_tiles, scope, pips = tables.token_kind, tables.n_tiles, tables.scope, tables.pips
    clash_near, clash_kinds, scope_tiles = tables.clash_near, tables.clash_kinds, tables.scope_tiles
    quota_kinds, quota_most = tables.quota_kinds, tables.quota_most
    domain, used, candidates, position = state.domain, state.used, state.candidates, state.position
    met, quota_count, info = state.met, state.quota_count, state.info
    scope_pips, scope_free = state.scope_pips, state.scope_free
    one = np.uint64(1)
    n_tokens = len(token_kind)
    box = one << np.uint64(n_tiles)
    writing = out.shape[0] > 0
    aiming = len(target) > 0
    spent = 0
    status = DONE
    d = info[DEPTH]
    while d >= 0:
        k = token_kind[d]
        p = position[d]
        if p >= 0 and p < n_tiles:  # take back what stands here
            for j in range(6):
                w = tables.tile_vertices[p, j]
                if w < 0:
                    break
                if met[w, 2] >= 0:
                    met[w, 2] = -1
                elif met[w, 1] >= 0:
                    met[w, 1] = -1
                else:
                    met[w, 0] = -1
            for q in range(len(quota_kinds)):
                if quota_kinds[q] >> k & 1:
                    quota_count[q, scope[p]] -= 1
            scope_pips[scope[p]] -= pips[k]
            scope_free[scope[p]] += 1
        position[d] = -1
        if candidates[d] == 0:
            d -= 1
            continue
        if spent >= budget:
            status = RUNNING
            break
        low = candidates[d] & (~candidates[d] + one)
        candidates[d] ^= low
        p = LOG2[low % np.uint64(67)]
        spent += 1
        e = d + 1
        position[d] = p
        used[e] = used[d] | low if p < n_tiles else used[d]
        free = (box - one) & ~used[e]
        for t in range(n_tiles):
            domain[e, t] = domain[d, t]
        fits = True
        if p < n_tiles:
            for r in range(clash_near.shape[0]):
                bar(domain[e], clash_near[r, p] & free, clash_kinds[r, k])
            s = scope[p]
            for q in range(len(quota_kinds)):
                if quota_kinds[q] >> k & 1:
                    quota_count[q, s] += 1
                    if quota_count[q, s] >= quota_most[q]:
                        bar(domain[e], scope_tiles[s] & free, quota_kinds[q])
            scope_pips[s] += pips[k]
            scope_free[s] -= 1
            low_sum, high_sum = scope_pips[s] + scope_free[s], scope_pips[s] + 5 * scope_free[s]
            fits = low_sum <= tables.pips_max[s] and high_sum >= tables.pips_min[s]
            for j in range(6):
                w = tables.tile_vertices[p, j]
                if w < 0:
                    break
                if met[w, 0] < 0:
                    met[w, 0] = k
                    allowed = tables.allow_two[k]
                elif met[w, 1] < 0:
                    met[w, 1] = k
                    allowed = tables.allow_three[met[w, 0], k]
                else:
                    met[w, 2] = k
                    continue
                for i in range(3):
                    t = tables.vertex_tiles[w, i]
                    if t >= 0:
                        domain[e, t] &= allowed
        if e == n_tokens:
            if not fits or free != 0:
                continue
            if aiming and agree(position, target, n_tokens):
                status = MET
                break
            if writing and info[COUNT] >= first:
                for i in range(n_tokens):
                    if position[i] < n_tiles:
                        out[info[WRITTEN], position[i]] = token_kind[i]
                info[WRITTEN] += 1
            info[COUNT] += 1
            if writing and info[WRITTEN] == out.shape[0]:
                status = FULL
                break
            continue
        if not fits or not can_fill(tables, e, free, domain[e], state.room):
            continue
        later = ~np.uint64(0)  # equal tokens lie in order, the box last
        if token_kind[e] == k:
            later = ~((low << one) - one) | (box if p == n_tiles else np.uint64(0))
        if e == tables.tail and not (aiming and agree(position, target, e)):
            ways, steps = tail_count(tables, state.scratch, free & later, free, domain[e])
            spent += steps
            if not writing or info[COUNT] + ways <= first:
                info[COUNT] += ways
                continue
        here = standing(free, domain[e], token_kind[e])
        boxed = e
        rest = used[e]
        while rest:
            rest &= rest - one
            boxed -= 1
        if boxed < n_tokens - n_tiles:
            here |= box
        candidates[e] = here & later
        position[e] = -1
        d = e
    info[DEPTH] = d
    info[STATUS] = status


@inlined
def bar(domain: Ints, tiles: Any, kinds: Any) -> None:
    """Take kinds from the domains of these tiles."""
    one = np.uint64(1)
    while tiles and kinds:
        bit = tiles & (~tiles + one)
        tiles ^= bit
        domain[LOG2[bit % np.uint64(67)]] &= ~kinds


@inlined
def agree(position: Ints, target: Ints, n: int) -> bool:
    """Whether the first *n* tokens are where the target has them."""
    for i in range(n):  # noqa: SIM110 - the compiler knows no generators
        if position[i] != target[i]:
            return False
    return True


@compiled
def standing(free: Any, domain: Ints, kind: int) -> Any:
    """Return the free tiles that may take a kind."""
    one = np.uint64(1)
    tiles = np.uint64(0)
    while free:
        bit = free & (~free + one)
        free ^= bit
        if domain[LOG2[bit % np.uint64(67)]] >> kind & 1:
            tiles |= bit
    return tiles


@compiled
def can_fill(tables: Tables, begin: int, free: Any, domain: Ints, room: Ints) -> bool:
    """Whether the tokens from *begin* on meet Hall's condition on the free tiles."""
    one = np.uint64(1)
    for i in range(len(room)):
        room[i] = 0
    left = (1 << (tables.token_kind[begin] + 1)) - 1
    while free:
        bit = free & (~free + one)
        free ^= bit
        top = tables.highest[domain[LOG2[bit % np.uint64(67)]] & left]
        if top < 0:
            return False
        room[top + 1] += 1
    needy = 0
    for i in range(len(room) - 1):
        needy += room[i]
        if needy > tables.fewer[begin, i]:
            return False
    return True


@compiled
def tail_count(tables: Tables, scratch: Masks, first: Any, free: Any, domain: Ints) -> tuple[int, int]:
    """Return in how many ways the tokens of the tail fill the free tiles, where only equal ones clash.

    The first of them goes to one of the tiles *first*. The second number is how many positions were tried,
    which the search's budget pays for.
    """
    token_kind, begin = tables.token_kind, tables.tail
    clash_near, clash_kinds = tables.clash_near, tables.clash_kinds
    one = np.uint64(1)
    n = len(token_kind) - begin
    may, left, banned, candidates = scratch[0], scratch[1], scratch[2], scratch[3]
    every = np.uint64(0)
    for i in range(n):
        if i and token_kind[begin + i] == token_kind[begin + i - 1]:
            may[i] = may[i - 1]
            continue
        may[i] = standing(free, domain, token_kind[begin + i])
        if may[i] == 0:
            return 0, 0
        every |= may[i]
    if every != free:
        return 0, 0
    count = steps = 0
    i = 0
    left[0] = free
    banned[0] = np.uint64(0)
    candidates[0] = may[0] & first
    while i >= 0:
        if candidates[i] == 0:
            i -= 1
            continue
        low = candidates[i] & (~candidates[i] + one)
        candidates[i] ^= low
        steps += 1
        if i == n - 1:
            count += 1
            continue
        left[i + 1] = left[i] ^ low
        here = may[i + 1] & left[i + 1]
        banned[i + 1] = np.uint64(0)
        kind = token_kind[begin + i]
        if token_kind[begin + i + 1] == kind:  # equal tokens lie in order
            banned[i + 1] = banned[i]
            for r in range(clash_near.shape[0]):
                if clash_kinds[r, kind] >> kind & 1:
                    banned[i + 1] |= clash_near[r, LOG2[low % np.uint64(67)]]
            here &= ~banned[i + 1] & ~((low << one) - one)
        candidates[i + 1] = here
        i += 1
    return count, steps
