"""The inner loop of the search for markers, written so that numba can compile it.

Tokens are placed one after another, the highest marker first. Every free tile has a *domain*: the kinds of
marker that may still stand there, as a mask. Placing a token narrows the domains of the tiles around it
(forward checking), and Hall's condition then asks whether the markers that are left can fill the free tiles:
for no value may more tiles need a lower marker than there are lower markers left. Sums at vertices cap the
high markers, so placing those first fails early.

A worked example: on three tiles that all touch, with markers 9, 9 and 2 of which equal ones may not touch,
the first 9 goes to tile 0; tiles 1 and 2 lose 9 from their domains, so both need a marker below 9, but only
one such token is left: Hall's condition fails before the second 9 is tried.

The kernel keeps its whole state in arrays that the caller owns. It returns after a number of nodes, so that
the caller can show progress, honour Ctrl-C, and go on where it stopped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.compiled import allocating

Ints = NDArray[np.int64]
Masks = NDArray[np.uint64]

DEPTH, COUNT, NODES, WRITTEN, STATUS = range(5)
"""The entries of *info*: the depth reached, solutions passed, nodes visited, rows written, and the status."""

RUNNING, DONE, FULL, MET = range(4)
"""The status: nodes used up, all searched, the output is full, or the target was met."""

MOST_TAIL = 10
"""The most tokens that are left to `tail_count`."""

LOG2 = np.zeros(67, dtype=np.int64)
"""The exponent of a power of two below 2**64, by its remainder modulo 67, in which they all differ."""
for _exponent in range(64):
    LOG2[(1 << _exponent) % 67] = _exponent


@allocating
def search(
    token_kind: Ints,
    token_tiles: Masks,
    n_tiles: int,
    fewer: Ints,
    clash_near: Masks,
    clash_kinds: Ints,
    scope: Ints,
    scope_tiles: Masks,
    quota_kinds: Ints,
    quota_most: Ints,
    pips: Ints,
    pips_min: Ints,
    pips_max: Ints,
    vertex_tiles: Ints,
    tile_vertices: Ints,
    allow_two: Ints,
    allow_three: Ints,
    tail: int,
    first: int,
    target: Ints,
    out: NDArray[np.uint8],
    budget: int,
    info: Ints,
    domain: Ints,
    used: Masks,
    candidates: Masks,
    position: Ints,
    met: Ints,
    quota_count: Ints,
    scope_pips: Ints,
    scope_free: Ints,
    highest: Ints,
) -> None:
    """Search on from the state in the last arrays until done, or until *budget* positions more were tried.

    Solutions come in the order of the tokens' positions. Those from rank *first* on are written to *out*, a
    row each, as the kind on every tile, until it is full. Where *target* has the position of each token, the
    search ends when it meets that solution, whose rank is then the count.

    Args:
        token_kind: the kind of each token, highest first; kinds are numbered by rising marker.
        token_tiles: per token, the tiles of its group. Bit *n_tiles* stands for the box, where tokens stay
            that are not needed.
        n_tiles: how many tiles there are to fill.
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
        first: the rank from which on solutions are written.
        target: the position of each token in a solution to meet; empty for none.
        out: where solutions are written, a row each; without rows, they are counted only.
        budget: how many positions to try at most, those of `tail_count` among them.
        info: see `DEPTH` and the following names.
        domain: shape (tokens + 1, tiles): per depth, the kinds that each tile may take.
        used: per depth, the tiles that are filled.
        candidates: per depth, the positions not tried yet.
        position: per token, where it is, -1 for nowhere.
        met: shape (vertices, 3): the kinds already at each vertex, in the order they came, -1 for none.
        quota_count: shape (quotas, terrains): how many of its kinds each terrain has.
        scope_pips: per terrain, the pips so far.
        scope_free: per terrain, its tiles that are free.
        highest: per mask of kinds, its highest kind, -1 for the empty mask.
    """
    one = np.uint64(1)
    n_tokens = len(token_kind)
    n_kinds = clash_kinds.shape[1]
    box = one << np.uint64(n_tiles)
    full = box - one
    spare = n_tokens - n_tiles
    room = np.zeros(n_kinds + 2, dtype=np.int64)
    writing = out.shape[0] > 0
    aiming = len(target) > 0
    spent = 0
    info[STATUS] = RUNNING
    d = info[DEPTH]
    while d >= 0:
        k = token_kind[d]
        p = position[d]
        if p >= 0 and p < n_tiles:  # take back what stands here
            for j in range(6):
                w = tile_vertices[p, j]
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
            info[DEPTH] = d
            info[NODES] += spent
            return
        low = candidates[d] & (~candidates[d] + one)
        candidates[d] ^= low
        p = LOG2[low % np.uint64(67)]
        spent += 1
        e = d + 1
        position[d] = p
        used[e] = used[d] | low if p < n_tiles else used[d]
        free = full & ~used[e]
        for t in range(n_tiles):
            domain[e, t] = domain[d, t]
        fits = True
        if p < n_tiles:
            for r in range(clash_near.shape[0]):
                if clash_kinds[r, k]:
                    near = clash_near[r, p] & free
                    while near:
                        bit = near & (~near + one)
                        near ^= bit
                        domain[e, LOG2[bit % np.uint64(67)]] &= ~clash_kinds[r, k]
            for q in range(len(quota_kinds)):
                if quota_kinds[q] >> k & 1:
                    quota_count[q, scope[p]] += 1
                    if quota_count[q, scope[p]] >= quota_most[q]:
                        near = scope_tiles[scope[p]] & free
                        while near:
                            bit = near & (~near + one)
                            near ^= bit
                            domain[e, LOG2[bit % np.uint64(67)]] &= ~quota_kinds[q]
            s = scope[p]
            scope_pips[s] += pips[k]
            scope_free[s] -= 1
            low_sum, high_sum = scope_pips[s] + scope_free[s], scope_pips[s] + 5 * scope_free[s]
            if low_sum > pips_max[s] or high_sum < pips_min[s]:
                fits = False
            for j in range(6):
                w = tile_vertices[p, j]
                if w < 0:
                    break
                if met[w, 0] < 0:
                    met[w, 0] = k
                    allowed = allow_two[k]
                elif met[w, 1] < 0:
                    met[w, 1] = k
                    allowed = allow_three[met[w, 0], k]
                else:
                    met[w, 2] = k
                    continue
                for i in range(3):
                    t = vertex_tiles[w, i]
                    if t >= 0:
                        domain[e, t] &= allowed
        if e == n_tokens:
            if not fits or free != 0:
                continue
            if aiming:
                same = True
                for i in range(n_tokens):
                    if position[i] != target[i]:
                        same = False
                        break
                if same:
                    info[DEPTH] = d
                    info[NODES] += spent
                    info[STATUS] = MET
                    return
            if writing and info[COUNT] >= first:
                row = info[WRITTEN]
                for i in range(n_tokens):
                    if position[i] < n_tiles:
                        out[row, position[i]] = token_kind[i]
                info[WRITTEN] += 1
                info[COUNT] += 1
                if info[WRITTEN] == out.shape[0]:
                    info[DEPTH] = d
                    info[NODES] += spent
                    info[STATUS] = FULL
                    return
                continue
            info[COUNT] += 1
            continue
        if not fits:
            continue
        # Hall's condition, from the lowest kind upwards.
        for i in range(n_kinds + 2):
            room[i] = 0
        left = (1 << (token_kind[e] + 1)) - 1
        rest = free
        while rest:
            bit = rest & (~rest + one)
            rest ^= bit
            top = highest[domain[e, LOG2[bit % np.uint64(67)]] & left]
            if top < 0:
                fits = False
                break
            room[top + 1] += 1
        if not fits:
            continue
        needy = 0
        for i in range(n_kinds + 1):
            needy += room[i]
            if needy > fewer[e, i]:
                fits = False
                break
        if not fits:
            continue
        here = np.uint64(0)
        if e == tail:
            exact = not aiming
            if aiming:  # a subtree that the target is not in can be counted whole
                for i in range(e):
                    if position[i] != target[i]:
                        exact = True
                        break
            if exact:
                before = np.uint64(0)  # equal tokens lie in order, here too
                if token_kind[e] == k and token_tiles[e] == token_tiles[d]:
                    before = (low << one) - one
                ways, steps = tail_count(
                    token_kind, token_tiles, e, free & ~before, free, domain[e], clash_near, clash_kinds
                )
                spent += steps
                if not writing or info[COUNT] + ways <= first:
                    info[COUNT] += ways
                    continue
        kind = token_kind[e]
        rest = free & token_tiles[e]
        while rest:
            bit = rest & (~rest + one)
            rest ^= bit
            if domain[e, LOG2[bit % np.uint64(67)]] >> kind & 1:
                here |= bit
        boxed = e
        rest = used[e]
        while rest:
            rest &= rest - one
            boxed -= 1
        if boxed < spare and token_tiles[e] & box:
            here |= box
        if kind == k and token_tiles[e] == token_tiles[d]:  # equal tokens lie in order, the box last
            here &= ~((low << one) - one) | (box if p == n_tiles else np.uint64(0))
        candidates[e] = here
        position[e] = -1
        d = e
    info[DEPTH] = -1
    info[NODES] += spent
    info[STATUS] = DONE


@allocating
def tail_count(
    token_kind: Ints,
    token_tiles: Masks,
    begin: int,
    first: Any,
    free: Any,
    domain: Ints,
    clash_near: Masks,
    clash_kinds: Ints,
) -> tuple[int, int]:
    """Return in how many ways the tokens from *begin* on fill the free tiles, where only equal ones clash.

    The token *begin* goes to one of the tiles *first*: after the token before it, where the two are equal.
    The second number is how many positions were tried, which the search's budget pays for.
    """
    one = np.uint64(1)
    n_tokens = len(token_kind)
    n = n_tokens - begin
    may = np.empty(MOST_TAIL, dtype=np.uint64)
    left = np.empty(MOST_TAIL, dtype=np.uint64)
    banned = np.empty(MOST_TAIL, dtype=np.uint64)
    candidates = np.empty(MOST_TAIL, dtype=np.uint64)
    every = np.uint64(0)
    for i in range(n):
        kind = token_kind[begin + i]
        if i and kind == token_kind[begin + i - 1] and token_tiles[begin + i] == token_tiles[begin + i - 1]:
            may[i] = may[i - 1]
            continue
        tiles = np.uint64(0)
        rest = free & token_tiles[begin + i]
        while rest:
            bit = rest & (~rest + one)
            rest ^= bit
            if domain[LOG2[bit % np.uint64(67)]] >> kind & 1:
                tiles |= bit
        if tiles == 0:
            return 0, 0
        may[i] = tiles
        every |= tiles
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
        kind = token_kind[begin + i]
        bans = np.uint64(0)
        if token_kind[begin + i + 1] == kind:
            p = LOG2[low % np.uint64(67)]
            bans = banned[i]
            for r in range(clash_near.shape[0]):
                if clash_kinds[r, kind] >> kind & 1:
                    bans |= clash_near[r, p]
        banned[i + 1] = bans
        here = may[i + 1] & left[i + 1] & ~bans
        if token_kind[begin + i + 1] == kind and token_tiles[begin + i + 1] == token_tiles[begin + i]:
            here &= ~((low << one) - one)
        candidates[i + 1] = here
        i += 1
    return count, steps
