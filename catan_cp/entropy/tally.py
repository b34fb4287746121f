"""The counts of neighbours of one terrain, kept up to date swap by swap.

A swap of two tiles touches only the counts of those two tiles' neighbours. `Tally` looks at one swap
at a time (`look`) and carries it out only when told (`keep`), since most swaps of a search are undone.
Nothing drifts: counts are integers, and the entropies are made of `xlogx_table` entries, whose sums
are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import add, sub

from catan_cp.boards.layout import Layout
from catan_cp.entropy.scorer import efficiency_scale, mean_square, neighbor_total, xlogx_table

_Look = tuple[int, int, list[int], list[int], list[float], list[float], list[float], list[float], float]


class Tally:
    """How even one terrain is, and how even it would be after a swap.

    Terrains on the board are numbered from 0, those that have a target first (`names`, the first
    `n_scored`); terrain *a* in the attributes below is such a number.

    Attributes:
        kinds: the terrain of each tile.
        counts: ``counts[a][b]``, how often b is met next to the tiles of a.
        places: per terrain, the tiles that it stands on.
        errors: per scored terrain, efficiency - target.
        error: the mean of their squares; 0 where no terrain is scored.
    """

    __slots__ = (
        "_around",
        "_degrees",
        "_goals",
        "_inverses",
        "_look",
        "_met",
        "_scale",
        "_slots",
        "_sums",
        "_terms",
        "_totals",
        "_xlogx",
        "counts",
        "error",
        "errors",
        "kinds",
        "n_scored",
        "names",
        "places",
    )

    def __init__(self, layout: Layout, terrain: Sequence[str], targets: Mapping[str, float]) -> None:
        present = [name for name in layout.all_terrains if name in terrain]
        self.names = sorted(present, key=lambda name: name not in targets)
        self.n_scored = sum(name in targets for name in present)
        self.kinds = [self.names.index(name) for name in terrain]
        self.places: list[list[int]] = [[] for _ in self.names]
        self._slots = [0] * len(terrain)  # where in its list of places each tile stands
        for tile, a in enumerate(self.kinds):
            self._slots[tile] = len(self.places[a])
            self.places[a].append(tile)
        self._around = layout.tile_neighbors("hex")
        self._degrees = [len(around) for around in self._around]
        self._met = [[0] * len(self.names) for _ in terrain]  # per tile, how often it meets each terrain
        self.counts = [[0] * len(self.names) for _ in self.names]
        for tile, around in enumerate(self._around):
            for other in around:
                self._met[tile][self.kinds[other]] += 1
                self.counts[self.kinds[tile]][self.kinds[other]] += 1
        self._xlogx = xlogx_table(neighbor_total(layout))
        self._scale = efficiency_scale(layout)
        self._goals = [targets[name] for name in self.names[: self.n_scored]]
        self._terms = [[self._xlogx[n] for n in row] for row in self.counts]  # n log2 n of each count
        self._sums = [sum(terms) for terms in self._terms]
        self._totals = [self._xlogx[sum(row)] for row in self.counts]
        self._inverses = [self._inverse(sum(row)) for row in self.counts]
        self.errors = self._errors(self._sums, self._totals, self._inverses)
        self.error = mean_square(self.errors)
        self._look: _Look | None = None

    def look(self, i: int, j: int) -> float:
        """Return the error if tiles *i* and *j*, of two terrains, were swapped; `keep` then swaps them."""
        a, b = self.kinds[i], self.kinds[j]
        # How often tile i meets each terrain beyond what tile j does; the two do not count for each other.
        gap = list(map(sub, self._met[i], self._met[j]))
        if j in self._around[i]:
            gap[a] += 1
            gap[b] -= 1
        # Row a loses what i meets and wins what j meets, row b the reverse; and so do, by symmetry, their
        # columns, which matters within the two rows only where they cross.
        gap_a, gap_b = gap[a], gap[b]
        row_a = list(map(sub, self.counts[a], gap))
        row_b = list(map(add, self.counts[b], gap))
        row_a[a] -= gap_a
        row_a[b] += gap_a
        row_b[b] += gap_b
        row_b[a] -= gap_b
        xlogx, terms = self._xlogx, self._terms
        terms_a = [xlogx[n] for n in row_a]
        terms_b = [xlogx[n] for n in row_b]
        sums = [
            s + new_a - old_a + new_b - old_b
            for s, new_a, old_a, new_b, old_b in zip(
                self._sums, terms_a, terms[a], terms_b, terms[b], strict=True
            )
        ]
        sums[a] = sum(terms_a)
        sums[b] = sum(terms_b)
        totals, inverses = self._totals, self._inverses
        if self._degrees[i] != self._degrees[j]:
            totals, inverses = totals.copy(), inverses.copy()
            for kind, row in ((a, row_a), (b, row_b)):
                total = sum(row)
                totals[kind] = xlogx[total]
                inverses[kind] = self._inverse(total)
        errors = self._errors(sums, totals, inverses)
        error = mean_square(errors)
        self._look = (i, j, row_a, row_b, terms_a, terms_b, sums, errors, error)
        return error

    def keep(self) -> None:
        """Swap the two tiles that were last looked at."""
        if self._look is None:
            raise RuntimeError("look at a swap before keeping it")
        i, j, row_a, row_b, terms_a, terms_b, self._sums, self.errors, self.error = self._look
        self._look = None
        kinds, met, counts, terms = self.kinds, self._met, self.counts, self._terms
        a, b = kinds[i], kinds[j]
        counts[a], counts[b], terms[a], terms[b] = row_a, row_b, terms_a, terms_b
        for row, n_a, n_b in zip(counts, row_a, row_b, strict=True):
            row[a] = n_a
            row[b] = n_b
        for row_terms, x_a, x_b in zip(terms, terms_a, terms_b, strict=True):
            row_terms[a] = x_a
            row_terms[b] = x_b
        for tile in self._around[i]:
            near = met[tile]
            near[a] -= 1
            near[b] += 1
        for tile in self._around[j]:
            near = met[tile]
            near[b] -= 1
            near[a] += 1
        if self._degrees[i] != self._degrees[j]:
            for kind in (a, b):
                total = sum(counts[kind])
                self._totals[kind] = self._xlogx[total]
                self._inverses[kind] = self._inverse(total)
        slot_i, slot_j = self._slots[i], self._slots[j]
        self.places[a][slot_i], self.places[b][slot_j] = j, i
        self._slots[i], self._slots[j] = slot_j, slot_i
        kinds[i], kinds[j] = b, a

    def terrain(self) -> tuple[str, ...]:
        """Return the name of each tile's terrain."""
        return tuple([self.names[kind] for kind in self.kinds])

    def _errors(self, sums: list[float], totals: list[float], inverses: list[float]) -> list[float]:
        scored = zip(totals, sums, inverses, self._goals, strict=False)  # ends with the goals
        return [(total - s) * inverse - goal for total, s, inverse, goal in scored]

    def _inverse(self, total: int) -> float:
        return self._scale / total if total else 0.0
