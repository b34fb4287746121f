"""The inner loop of the search for markers, written so that numba can compile it.

The words:

    kind       a marker that the box holds, by its number: lower kinds are lower markers
    token      one piece of a kind; tokens are placed one after another, the highest first
    mask       a set of tiles or of kinds, as the bits of a number
    may        per kind, the free tiles that may still take it
    position   of a token: a tile, or the box where more tokens are than tiles
    scope      the terrain of a tile, by its code
    quota      the most tiles of one terrain that may take one of some kinds
    tail       the last tokens, where only free tiles and equal tokens matter: those are counted at once
    rank       the number of a solution: solutions are ordered by the positions of their tokens

Placing a token narrows what the tiles around it may take (forward checking), and Hall's condition then
asks whether the tokens that are left can fill the free tiles: for no kind may more tiles need a lower one
than there are tokens of lower kinds left. Sums at vertices cap the high markers, so placing those first fails
early.

A worked example: on three tiles that all touch, with markers 9, 9 and 2 of which equal ones may not touch,
the first 9 goes to tile 0, and tiles 1 and 2 may not take another. Both need a marker below 9, but only
one such token is left: Hall's condition fails before the second 9 is tried.

The kernel keeps its whole state in arrays that the caller owns. It returns after a number of positions, so
that the caller can show progress, honour Ctrl-C, and go on where it stopped. Where it is not compiled, the
arrays are nested lists.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from catan_cp.compiled import compiled, inlined

DEPTH, COUNT, WRITTEN, STATUS, BACKWARDS = range(5)
"""The entries of *info*: depth reached, solutions passed, rows written, status; 1 for the last first."""

RUNNING, DONE, FULL = range(3)
"""The status: positions used up, all searched, or every wanted rank written."""

MOST_TAIL = 10
"""The most tokens that are left to `tail_count`."""


class Tables(NamedTuple):
    """What the rules say of one terrain; the arrays hold 64-bit integers.

    Attributes:
        token_kind: the kind of each token, highest first; kinds are numbered by rising marker.
        n_tiles: how many tiles there are. As a tile, this number stands for the box, where tokens stay that
            are not needed.
        spare: how many tokens stay in the box.
        fewer: shape (tokens + 1, kinds): how many of the tokens from each on are of a lower kind.
        barred: shape (kinds, tiles, kinds): where a kind on a tile bars another kind.
        scope: per tile, the code of its terrain.
        scope_tiles: per terrain, its tiles.
        quota_kinds: per quota, the kinds that it counts.
        quota_most: per quota, how many of them a terrain may have.
        pips: per kind, its pips.
        pips_min: per terrain, the least sum of its pips.
        pips_max: per terrain, the greatest.
        tile_vertices: shape (tiles, 6): the vertices of each tile, filled up with -1.
        vertex_tiles: per vertex, its three tiles.
        allow_two: per kind (the last: no marker), the kinds that may meet it at a vertex, with some third.
        allow_three: shape (kinds + 1, kinds + 1): the kinds that may meet both.
        tail: from which token on nothing but free tiles and equal markers matter, -1 for none; see
            `tail_count`.
        log2: the exponent of a power of two below 2**63, by its remainder modulo 67, in which they differ.
    """

    token_kind: Any
    n_tiles: int
    spare: int
    fewer: Any
    barred: Any
    scope: Any
    scope_tiles: Any
    quota_kinds: Any
    quota_most: Any
    pips: Any
    pips_min: Any
    pips_max: Any
    tile_vertices: Any
    vertex_tiles: Any
    allow_two: Any
    allow_three: Any
    tail: int
    log2: Any


class State(NamedTuple):
    """Where a search is; the arrays hold 64-bit integers.

    Attributes:
        may: shape (tokens + 1, kinds): per depth, the tiles that may take each kind.
        free: per depth, the tiles that are free.
        candidates: per depth, the positions not tried yet.
        position: per token, where it is, -1 for nowhere.
        met: per vertex, how many of its tiles are filled, or can be left aside.
        first: per vertex, the kind that was there first.
        quota_count: shape (quotas, terrains): how many of its kinds each terrain has.
        scope_pips: per terrain, the pips so far.
        scope_free: per terrain, its tiles that are free.
        info: see `DEPTH` and the following names.
        tail: three rows of MOST_TAIL + 1 numbers, for `tail_count`.
    """

    may: Any
    free: Any
    candidates: Any
    position: Any
    met: Any
    first: Any
    quota_count: Any
    scope_pips: Any
    scope_free: Any
    info: Any
    tail: Any


@compiled
def search(tables: Tables, state: State, wanted: Any, out: Any, budget: int) -> None:
    """Search on from the state until done, or until *budget* positions more were tried.

    Solutions come in the order of the tokens' positions, or, backwards, in the reverse of that order.

    Args:
        tables: what the rules say.
        state: where the search is; changed in place.
        wanted: the ranks whose solutions are written, rising; the search ends with the last. Empty: all are
            counted, and none is written.
        out: where solutions are written, a row per wanted rank, as the kind on every tile.
        budget: how many positions to try at most, those of `tail_count` among them.
    """
    candidates, position, info = state.candidates, state.position, state.info
    n_tokens, n_tiles, log2 = len(tables.token_kind), tables.n_tiles, tables.log2
    box, backwards = 1 << n_tiles, info[BACKWARDS]
    spent = 0
    status = DONE
    d = info[DEPTH]
    while d >= 0:
        k = tables.token_kind[d]
        if position[d] >= 0:
            if position[d] < n_tiles:
                take_back(tables, state, k, position[d])
            position[d] = -1
        if candidates[d] == 0:
            d -= 1
            continue
        if spent >= budget:
            status = RUNNING
            break
        low = highest(candidates[d]) if backwards else candidates[d] & -candidates[d]
        candidates[d] ^= low
        p = log2[low % 67]
        spent += 1
        e = d + 1
        position[d] = p
        free = state.free[d] & ~low
        state.free[e] = free
        fits = place(tables, state, d, p)
        if e == n_tokens:
            if not fits or free != 0:
                continue
            if len(wanted) > 0 and info[COUNT] == wanted[info[WRITTEN]]:
                for i in range(n_tokens):
                    if position[i] < n_tiles:
                        out[info[WRITTEN]][position[i]] = tables.token_kind[i]
                info[WRITTEN] += 1
            info[COUNT] += 1
            if len(wanted) > 0 and info[WRITTEN] == len(wanted):
                status = FULL
                break
            continue
        may = state.may[e]
        if not fits or not can_fill(tables, e, free, may):
            continue
        later = -1  # equal tokens lie in order, the box last
        if tables.token_kind[e] == k:
            later = ~((low << 1) - 1) | (box if p == n_tiles else 0)
        if e == tables.tail:
            ways, steps = tail_count(tables, state, later, free, may)
            spent += steps
            if len(wanted) == 0 or info[COUNT] + ways <= wanted[info[WRITTEN]]:
                info[COUNT] += ways
                continue
        here = may[tables.token_kind[e]]
        if tables.spare > 0:
            boxed = 0
            for i in range(e):
                boxed += position[i] == n_tiles
            if boxed < tables.spare:
                here |= box
        candidates[e] = here & later
        position[e] = -1
        d = e
    info[DEPTH] = d
    info[STATUS] = status


@inlined
def place(tables: Tables, state: State, d: int, p: int) -> bool:
    """Narrow what tiles may take after token *d* went to *p*; return whether its terrain's pips still fit."""
    k = tables.token_kind[d]
    free = state.free[d + 1]
    before, may = state.may[d], state.may[d + 1]
    if p == tables.n_tiles:
        for j in range(k + 1):
            may[j] = before[j]
        return True
    barred = tables.barred[k][p]
    for j in range(k + 1):
        may[j] = before[j] & free & ~barred[j]
    s = tables.scope[p]
    for q in range(len(tables.quota_kinds)):
        if tables.quota_kinds[q] >> k & 1:
            state.quota_count[q][s] += 1
            if state.quota_count[q][s] >= tables.quota_most[q]:
                bar(may, k, tables.quota_kinds[q], tables.scope_tiles[s])
    for i in range(6):
        w = tables.tile_vertices[p][i]
        if w < 0:
            break
        if state.met[w] == 0:
            state.first[w] = k
            bar(may, k, ~tables.allow_two[k], tables.vertex_tiles[w])
        elif state.met[w] == 1:
            bar(may, k, ~tables.allow_three[state.first[w]][k], tables.vertex_tiles[w])
        state.met[w] += 1
    state.scope_pips[s] += tables.pips[k]
    state.scope_free[s] -= 1
    low_sum = state.scope_pips[s] + state.scope_free[s]
    high_sum = state.scope_pips[s] + 5 * state.scope_free[s]
    return bool(low_sum <= tables.pips_max[s] and high_sum >= tables.pips_min[s])


@inlined
def take_back(tables: Tables, state: State, k: int, p: int) -> None:
    """Undo what `place` counted; what it narrowed is of a greater depth."""
    s = tables.scope[p]
    for q in range(len(tables.quota_kinds)):
        if tables.quota_kinds[q] >> k & 1:
            state.quota_count[q][s] -= 1
    for i in range(6):
        w = tables.tile_vertices[p][i]
        if w < 0:
            break
        state.met[w] -= 1
    state.scope_pips[s] -= tables.pips[k]
    state.scope_free[s] += 1


@inlined
def bar(may: Any, top: int, kinds: int, tiles: int) -> None:
    """Take tiles from those that may take these kinds, none of which is above *top*."""
    kinds &= (1 << (top + 1)) - 1
    j = top  # sums bar the highest
    while kinds:
        if kinds >> j & 1:
            kinds ^= 1 << j
            may[j] &= ~tiles
        j -= 1


@compiled
def highest(mask: int) -> int:
    """Return the highest tile of a mask, as a mask."""
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> shift
    return mask ^ (mask >> 1)


@compiled
def size(mask: int) -> int:
    """Return how many tiles or kinds a mask has."""
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


@compiled
def can_fill(tables: Tables, begin: int, free: int, may: Any) -> bool:
    """Whether the tokens from *begin* on meet Hall's condition on the free tiles."""
    for j in range(tables.token_kind[begin], -1, -1):
        free &= ~may[j]  # what is left needs a lower kind
        if size(free) > tables.fewer[begin][j]:
            return False
    return True


@compiled
def tail_count(tables: Tables, state: State, first: int, free: int, may: Any) -> tuple[int, int]:
    """Return in how many ways the tokens of the tail fill the free tiles, where only equal ones clash.

    The first of them goes to one of the tiles *first*. The second number is how many positions were tried,
    which the search's budget pays for.
    """
    token_kind, begin = tables.token_kind, tables.tail
    left, banned, choices = state.tail[0], state.tail[1], state.tail[2]
    last = len(token_kind) - begin - 1
    for i in range(last + 1):
        if may[token_kind[begin + i]] == 0:
            return 0, 0
    count = steps = 0
    i = 0
    left[0] = free
    banned[0] = 0
    choices[0] = may[token_kind[begin]] & first
    while i >= 0:
        steps += 1
        if i == last:
            count += size(choices[i])
            i -= 1
            continue
        if choices[i] == 0:
            i -= 1
            continue
        low = choices[i] & -choices[i]
        choices[i] ^= low
        left[i + 1] = left[i] ^ low
        kind = token_kind[begin + i]
        here = may[token_kind[begin + i + 1]] & left[i + 1]
        banned[i + 1] = 0
        if token_kind[begin + i + 1] == kind:  # equal tokens lie in order
            banned[i + 1] = banned[i] | tables.barred[kind][tables.log2[low % 67]][kind]
            here &= ~banned[i + 1] & ~((low << 1) - 1)
        choices[i + 1] = here
        i += 1
    return count, steps
