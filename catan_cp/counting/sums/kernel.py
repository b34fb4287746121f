"""The inner loop of the search for marker arrangements, which Numba can compile.

The search is a depth-first search with forward checking. Its variables are *tokens*, the number tokens of the
layout, in falling order of their markers. The value of a token is a *position*: a tile, or the box if there
are more tokens than tiles. After each token,

* forward checking removes tiles from the domains of later tokens, and
* Hall's condition tests whether the tokens that are left can fill the free tiles. For each kind, the tiles
  that need a lower kind must not be more than the tokens of lower kinds that are left.

Sums at vertices limit high markers most, so these come first and fail early. The terms:

    kind   a marker, by its index among the markers of the layout in rising order
    mask   a set of tiles or kinds, as the bits of a number
    may    per kind, the mask of free tiles that may take it: the domains
    scope  the terrain of a tile, by its code
    quota  the maximum number of tiles of one terrain with some kinds
    tail   the last tokens, if only free tiles and equal tokens constrain them. These are counted at once
    rank   the index of a solution. Solutions are ordered by the positions of their tokens

A worked example: three tiles that all touch, with tokens 9, 9 and 2, where equal markers may not touch. The
kinds are 0 for marker 2 and 1 for marker 9. The first 9 takes tile 0 (mask 001), so no other tile may take a
9. Tiles 1 and 2 (mask 110) now both need a 2, but only one such token is left. Hall's condition fails before
the second 9 is tried.

>>> from types import SimpleNamespace
>>> from catan_cp.compiled import interpreted
>>> tables = SimpleNamespace(token_kind=[1, 1, 0], fewer=[[0, 1], [0, 1], [0, 1], [0, 0]])
>>> begin, free = 1, 0b110
>>> interpreted(can_fill)(tables, begin, free, [0b110, 0b000])
False
>>> interpreted(can_fill)(tables, begin, free, [0b110, 0b010])
True

The whole state of a search is in arrays of the caller. The search returns after a number of positions, so
that the caller can show progress, handle Ctrl-C, and continue. Without Numba the arrays are nested lists.

The entries of the array `info`, and their use by the caller and by the search:

    entry      meaning                                     caller                search
    DEPTH      the token to place next, -1 at the end      sets the start        updates
    COUNT      the number of solutions passed              reads                 counts
    WRITTEN    the number of rows written to *out*         sets 0                counts
    STATUS     RUNNING, DONE or FULL                       sets RUNNING, reads   sets at return
    BACKWARDS  1 to search from the last solution          sets                  reads
"""

from typing import Any, NamedTuple

from catan_cp.compiled import compiled, inlined

DEPTH, COUNT, WRITTEN, STATUS, BACKWARDS = range(5)
"""The indices of *info*, explained in the module's docstring."""

RUNNING, DONE, FULL = range(3)
"""The status: budget spent, search complete, or the solutions of all ranks written."""

MOST_TAIL = 10
"""The maximum number of tokens in the tail."""


class Tables(NamedTuple):
    """The rules about markers on one terrain, as arrays of 64-bit integers.

    Attributes:
        token_kind: the kind of each token, in falling order.
        n_tiles: the number of tiles. As a position, this number is the box.
        spare: the number of tokens that stay in the box.
        fewer: shape (tokens + 1, kinds): the number of tokens of lower kinds, from each token on.
        barred: shape (kinds, tiles, kinds): the mask of tiles that a kind on a tile bars for another kind.
        scope: the terrain code of each tile.
        scope_tiles: the mask of tiles of each terrain.
        quota_kinds: the mask of kinds of each quota.
        quota_most: the maximum number of these kinds per terrain.
        pips: the pips of each kind.
        pips_min: the minimum sum of pips of each terrain.
        pips_max: the maximum sum of pips of each terrain.
        tile_vertices: shape (tiles, 6): the vertices of each tile, padded with -1.
        vertex_tiles: the mask of the three tiles of each vertex.
        allow_two: per kind (the last one: no marker), the mask of kinds that may meet it at a vertex.
        allow_three: shape (kinds + 1, kinds + 1): the mask of kinds that may meet both.
        tail: the first token of the tail, or -1 (see `tail_count`).
        log2: the exponents of the powers of two below 2**63, by their remainders modulo 67.
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
    """The state of a search, as arrays of 64-bit integers.

    Attributes:
        may: shape (tokens + 1, kinds): the mask of tiles that may take each kind, per depth.
        free: the mask of free tiles, per depth.
        candidates: the mask of positions not tried yet, per depth.
        position: the position of each token, or -1.
        met: the number of tiles of each vertex that have a token or need no check.
        first: the kind of the first token at each vertex.
        quota_count: shape (quotas, terrains): the number of tokens that count for each quota.
        scope_pips: the sum of pips of each terrain so far.
        scope_free: the number of free tiles of each terrain.
        info: the entries `DEPTH` to `BACKWARDS`.
        tail: shape (3, MOST_TAIL + 1): working memory of `tail_count`.
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
def search(tables: Tables, state: State, ranks: Any, out: Any, budget: int) -> None:
    """Continue a search until it is complete, or *budget* more positions were tried.

    Solutions come in the order of their tokens' positions, or backwards in the reverse order.

    Args:
        tables: the rules.
        state: the state of the search, changed in place.
        ranks: the ranks of the solutions to write, in rising order. The search ends with the last one. If
            empty, all solutions are counted and none is written.
        out: the output, a row per rank with the kind on each tile.
        budget: the maximum number of positions to try, including those of `tail_count`.
    """
    candidates, position, info = state.candidates, state.position, state.info
    n_tokens, n_tiles, log2 = len(tables.token_kind), tables.n_tiles, tables.log2
    box, backwards = 1 << n_tiles, info[BACKWARDS]
    spent, status = 0, DONE
    d = info[DEPTH]
    while d >= 0:
        if 0 <= position[d] < n_tiles:
            take_back(tables, state, tables.token_kind[d], position[d])
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
            if fits and free == 0 and accept(tables, state, ranks, out):
                status = FULL
                break
            continue
        may = state.may[e]
        if not fits or not can_fill(tables, e, free, may):
            continue
        later = positions_after(tables, d, low, p)
        if e == tables.tail:
            ways, steps = tail_count(tables, state, later, free, may)
            spent += steps
            if len(ranks) == 0 or info[COUNT] + ways <= ranks[info[WRITTEN]]:
                info[COUNT] += ways
                continue
        domain = may[tables.token_kind[e]]
        if tables.spare > 0 and boxed(position, e, n_tiles) < tables.spare:
            domain |= box
        candidates[e] = domain & later
        position[e] = -1
        d = e
    info[DEPTH] = d
    info[STATUS] = status


@inlined
def accept(tables: Tables, state: State, ranks: Any, out: Any) -> bool:
    """Count a solution, and write it if its rank is requested. Return True for the last of *ranks*."""
    position, info = state.position, state.info
    if len(ranks) > 0 and info[COUNT] == ranks[info[WRITTEN]]:
        for i in range(len(tables.token_kind)):
            if position[i] < tables.n_tiles:
                out[info[WRITTEN]][position[i]] = tables.token_kind[i]
        info[WRITTEN] += 1
    info[COUNT] += 1
    return len(ranks) > 0 and info[WRITTEN] == len(ranks)


@inlined
def positions_after(tables: Tables, d: int, low: int, p: int) -> int:
    """Return the mask of positions for the token after token *d* at *p*, whose mask is *low*.

    Equal tokens have rising positions, the box last.
    """
    if tables.token_kind[d + 1] != tables.token_kind[d]:
        return -1
    return ~((low << 1) - 1) | (1 << tables.n_tiles if p == tables.n_tiles else 0)


@inlined
def boxed(position: Any, n_tokens: int, box: int) -> int:
    """Return the number of the first tokens that are in the box."""
    n = 0
    for i in range(n_tokens):
        n += position[i] == box
    return n


@inlined
def place(tables: Tables, state: State, d: int, p: int) -> bool:
    """Place token *d* at *p*, narrow the domains, and test the pips of its terrain."""
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
    """Undo the counts of `place`.

    The domains are stored per depth, so they need no undo.
    """
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
    """Remove tiles from the domains of kinds up to *top*."""
    kinds &= (1 << (top + 1)) - 1
    j = top  # Sums bar the highest kinds.
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
    """Return the number of bits of a mask."""
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


@compiled
def can_fill(tables: Tables, begin: int, free: int, may: Any) -> bool:
    """Test Hall's condition for the tokens from *begin* on and the free tiles."""
    for j in range(tables.token_kind[begin], -1, -1):
        free &= ~may[j]  # The remaining tiles need a lower kind.
        if size(free) > tables.fewer[begin][j]:
            return False
    return True


@compiled
def tail_count(tables: Tables, state: State, first: int, free: int, may: Any) -> tuple[int, int]:
    """Return the number of ways to place the tail, and the number of positions tried.

    In the tail only free tiles and equal tokens exclude each other. Its first token takes a tile of the mask
    *first*. The positions tried count for the budget of the search.
    """
    token_kind, begin = tables.token_kind, tables.tail
    free_tiles, banned, choices = state.tail[0], state.tail[1], state.tail[2]
    last = len(token_kind) - begin - 1
    for i in range(last + 1):
        if may[token_kind[begin + i]] == 0:
            return 0, 0
    count = steps = 0
    i = 0
    free_tiles[0] = free
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
        free_tiles[i + 1] = free_tiles[i] ^ low
        kind = token_kind[begin + i]
        domain = may[token_kind[begin + i + 1]] & free_tiles[i + 1]
        banned[i + 1] = 0
        if token_kind[begin + i + 1] == kind:  # Equal tokens have rising positions.
            banned[i + 1] = banned[i] | tables.barred[kind][tables.log2[low % 67]][kind]
            domain &= ~banned[i + 1] & ~((low << 1) - 1)
        choices[i + 1] = domain
        i += 1
    return count, steps
