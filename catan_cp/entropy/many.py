"""The swap search on many boards side by side: one numpy operation moves all of them.

The same steps as `search_swaps`, with the same distribution of outcomes (not the same random numbers).
Arrays have the chains on their last axis: of n terrains, t tiles and c chains, ``counts`` has the shape
(n, n, c). Sums of `xlogx_table` entries are exact, so errors equal those of `efficiency_error`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.entropy.scorer import Terrain, efficiency_scale, neighbor_total, xlogx_table
from catan_cp.entropy.search import Progress, check_normalization, check_skew_power, check_targets
from catan_cp.errors import Interrupted, InvalidArgument, array_seed, check_count, listed, show

_BLOCK_NUMBERS = 200_000  # random numbers drawn at once

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SwapStudy:
    """What many searches did.

    Attributes:
        layout: their layout.
        starts: uint8 of shape (chains, tiles), the codes of the terrains that each began with.
        terrain: the same of what each ended with.
        errors: float64 of shape (chains, steps + 1), the error after every step, the start's first.
        accepted: of shape (chains,), how many swaps were kept.
    """

    layout: Layout
    starts: NDArray[np.uint8]
    terrain: NDArray[np.uint8]
    errors: Floats
    accepted: Ints

    @property
    def steps(self) -> int:
        """How many steps each chain made."""
        return int(self.errors.shape[1]) - 1

    def boards(self) -> list[Board]:
        """Return the final boards, without markers."""
        names = self.layout.all_terrains
        return [Board(self.layout, [names[code - 1] for code in row]) for row in self.terrain.tolist()]


def search_swaps_many(
    layout: str | Layout,
    chains: int,
    steps: int,
    skew_power: float = 1.0,
    normalization: str = "static",
    reject: bool = True,
    seed: int | None = None,
    *,
    targets: Mapping[str, float] | None = None,
    starts: Sequence[Terrain] | NDArray[np.uint8] | None = None,
    progress: Progress | None = None,
) -> SwapStudy:
    """Run `search_swaps` on *chains* boards of one layout at once; the arguments are the same.

    The errors of every step take 8 bytes per chain and step of memory.

    Args:
        layout: a layout or its name.
        chains: how many boards.
        steps: how many swaps to try on each.
        skew_power: as for `search_swaps`.
        normalization: as for `search_swaps`.
        reject: as for `search_swaps`.
        seed: the same seed gives the same result.
        targets: as for `search_swaps`.
        starts: one terrain per chain, made of the box's terrains (or uint8 codes of shape
            (chains, tiles)); random fillings of the box when left out.
        progress: called with the steps done and to do, every few hundred steps.

    Raises:
        InvalidBoard: no such layout, or a start that is no terrain of it.
        InvalidArgument: any other argument out of its range.
        Interrupted: Ctrl-C; its ``result`` holds the whole blocks of steps done until then.
    """
    layout = find_layout(layout)
    chains, steps = check_count("chains", chains, 1), check_count("steps", steps)
    power, scheme = check_skew_power(skew_power), check_normalization(normalization)
    goals = check_targets(layout, targets)
    rng = np.random.default_rng(array_seed(seed))
    kinds = random_kinds(layout, chains, rng) if starts is None else _read_starts(layout, chains, starts)
    state = _Chains(layout, kinds, np.array([goals[name] for name in layout.terrains]), power, scheme, reject)
    errors = np.empty((steps + 1, chains))
    errors[0] = state.error
    done, block, stopped = 0, max(1, _BLOCK_NUMBERS // (4 * chains)), False
    slots, accepted = state.slots.copy(), state.accepted.copy()
    try:
        while done < steps:
            numbers = rng.random((min(block, steps - done), 4, chains))
            for step, four in enumerate(numbers, start=done + 1):
                state.step(four)
                errors[step] = state.error
            slots[:], accepted[:] = state.slots, state.accepted
            done += len(numbers)
            if progress is not None:
                progress(done, steps)
    except KeyboardInterrupt:
        stopped = True
    codes = np.array([layout.terrain_codes[name] for name in layout.terrains], dtype=np.uint8)
    study = SwapStudy(layout, codes[kinds], codes[state.kinds(slots)], errors[: done + 1].T, accepted)
    if stopped:
        raise Interrupted(f"stopped after {done} of {steps} steps", study)
    return study


def random_kinds(layout: Layout, chains: int, rng: np.random.Generator) -> Ints:
    """Return *chains* random fillings of the box, (chains, tiles), as indices into ``layout.terrains``."""
    box = np.repeat(np.arange(len(layout.terrains)), list(layout.terrain_counts.values()))
    return rng.permuted(np.tile(box, (chains, 1)), axis=1)


class _Chains:
    """The tallies of all chains. See `catan_cp.entropy.search` for the idea and the words."""

    def __init__(
        self, layout: Layout, kinds: Ints, goals: Floats, power: float, normalization: str, reject: bool
    ) -> None:
        chains, tiles = kinds.shape
        n = len(goals)
        self.n, self.chains = n, chains
        self.power, self.normalization, self.reject = power, normalization, reject
        self.chain = np.arange(chains)
        self.rows = np.arange(n)[:, None] * chains + self.chain  # where terrain by chain stands, flat
        self.around = np.full((tiles + 1, 6), tiles)  # filled up with a tile that is not there
        for tile, near in enumerate(layout.tile_neighbors("hex")):
            self.around[tile, : len(near)] = near
        self.degrees = (self.around[:tiles] < tiles).sum(axis=1)
        self.touching = np.zeros((tiles, tiles + 1), dtype=np.intp)
        np.put_along_axis(self.touching, self.around[:tiles], 1, axis=1)
        self.xlogx = np.array(xlogx_table(neighbor_total(layout)))
        with np.errstate(divide="ignore"):
            self.inverse = efficiency_scale(layout) / np.arange(len(self.xlogx))
        self.inverse[0] = 0.0
        self.goals = goals[:, None]

        padded = np.vstack([kinds.T, np.full((1, chains), n)])
        here = padded[:, None] == np.arange(n)[:, None]  # which terrain each tile is: (tile, terrain, chain)
        self.met = here[self.around].sum(axis=1, dtype=np.int8)  # how often each tile meets each terrain
        self.counts = np.einsum("tac,tbc->abc", here[:tiles], self.met[:tiles], dtype=np.intp)
        self.slots = np.ascontiguousarray(np.argsort(kinds, axis=1, kind="stable").T)  # tiles by terrain
        self.sizes = np.array([(kinds == a).sum(axis=1) for a in range(n)])
        self.begins = np.cumsum(self.sizes, axis=0) - self.sizes  # each terrain's first slot
        self.present = self.sizes > 0
        self.n_present = self.present.sum(axis=0)
        self.movable = self.n_present > 1

        self.totals = self.counts.sum(axis=1)
        self.sums = self.xlogx[self.counts].sum(axis=1)
        self.errors = self._errors(self.totals, self.sums)
        self.error = self._mean_square(self.errors)
        self.accepted = np.zeros(chains, dtype=np.intp)
        self.firsts = np.empty((n, chains))
        self.seconds = np.empty((n, chains))
        self._weigh(self.chain)

    def step(self, numbers: Floats) -> None:
        """Make one step of every chain out of *numbers*, uniform in 0..1, of shape (4, chains)."""
        n, chains, chain, rows, xlogx = self.n, self.chains, self.chain, self.rows, self.xlogx
        a = _draw(self.firsts, numbers[0])
        at_a = a * chains + chain
        seconds = self.seconds.copy()
        seconds.reshape(-1)[at_a] = 0
        b = _draw(np.cumsum(seconds, axis=0), numbers[1])
        at_b = b * chains + chain
        slot_i = self._slot(at_a, numbers[2])
        slot_j = self._slot(at_b, numbers[3])
        # A chain that cannot move draws nonsense, clipped here and never kept.
        i, j = self.slots.take(slot_i, mode="clip"), self.slots.take(slot_j, mode="clip")

        width = n * chains
        gap = self.met.take(rows + i * width) - self.met.take(rows + j * width).astype(np.intp)
        flat_gap = gap.reshape(-1)
        beside = self.touching[i, j]
        gap_a = flat_gap[at_a] + beside
        gap_b = flat_gap[at_b] - beside
        flat_gap[at_a] = gap_a
        flat_gap[at_b] = gap_b
        old_a = self.counts.take(rows + a * width)
        old_b = self.counts.take(rows + b * width)
        new_a, new_b = old_a - gap, old_b + gap
        flat_a, flat_b = new_a.reshape(-1), new_b.reshape(-1)
        flat_a[at_a] -= gap_a
        flat_a[at_b] += gap_a
        flat_b[at_b] += gap_b
        flat_b[at_a] -= gap_b
        more_a = xlogx.take(new_a, mode="clip") - xlogx.take(old_a)
        more_b = xlogx.take(new_b, mode="clip") - xlogx.take(old_b)
        sums = self.sums + more_a + more_b
        flat_sums = sums.reshape(-1)
        flat_sums[at_a] = self.sums.take(at_a) + more_a.sum(axis=0)
        flat_sums[at_b] = self.sums.take(at_b) + more_b.sum(axis=0)
        totals = self.totals.copy()
        flat_totals = totals.reshape(-1)
        shift = self.degrees.take(j) - self.degrees.take(i)
        flat_totals[at_a] += shift
        flat_totals[at_b] -= shift
        errors = self._errors(totals, sums)
        error = self._mean_square(errors)

        kept = self.movable & (error <= self.error) if self.reject else self.movable
        c = np.flatnonzero(kept)
        if not len(c):
            return
        self.sums[:, c] = sums[:, c]
        self.totals[:, c] = totals[:, c]
        self.errors[:, c] = errors[:, c]
        self.error[c] = error[c]
        self.accepted[c] += 1
        self.slots.reshape(-1)[slot_i[c]] = j[c]
        self.slots.reshape(-1)[slot_j[c]] = i[c]
        self._recount(c, a[c], b[c], i[c], j[c], new_a[:, c], new_b[:, c])
        if self.power:
            self._weigh(c)

    def _recount(self, c: Ints, a: Ints, b: Ints, i: Ints, j: Ints, new_a: Ints, new_b: Ints) -> None:
        """Bring the counts of the chains *c* up to date, whose tiles i, of a, and j, of b, were swapped."""
        for kind, new in ((a, new_a), (b, new_b)):
            self.counts[kind, :, c] = new.T
            self.counts[:, kind, c] = new
        met = self.met.reshape(-1)
        for tile, gone, come in ((i, a, b), (j, b, a)):
            at = self.around[tile].T * (self.n * self.chains) + c
            met[at + gone * self.chains] -= 1
            met[at + come * self.chains] += 1

    def kinds(self, slots: Ints) -> Ints:
        """The terrain of each tile, (chains, tiles), where *slots* hold the tiles by terrain."""
        by_slot = np.array([np.repeat(np.arange(self.n), sizes) for sizes in self.sizes.T])
        kinds = np.empty_like(by_slot)
        np.put_along_axis(kinds, slots.T, by_slot, axis=1)
        return kinds

    def _slot(self, at: Ints, numbers: Floats) -> Ints:
        slot = self.begins.take(at) + (numbers * self.sizes.take(at)).astype(np.intp)
        flat: Ints = slot * self.chains + self.chain
        return flat

    def _errors(self, totals: Ints, sums: Floats) -> Floats:
        """Efficiency - target; 0 for a terrain that is not on the board, which so counts for nothing."""
        excess = self.xlogx.take(totals, mode="clip") - sums
        errors = excess * self.inverse.take(totals, mode="clip") - self.goals
        return errors if self.present.all() else np.where(self.present, errors, 0.0)

    def _mean_square(self, errors: Floats) -> Floats:
        mean: Floats = (errors * errors).sum(axis=0) / self.n_present
        return mean

    def _weigh(self, c: Ints) -> None:
        """Set the weights of the draws of the chains *c*.

        Two draws that are repeated until they differ are, in distribution, a first one with weights
        w1[a] * (sum of w2 - w2[a]), and a second one with weights w2, a left out.
        """
        errors, present = self.errors[:, c], self.present[:, c]
        if self.normalization == "static":
            normalized = errors / 2 + 0.5
        else:
            largest = np.abs(errors).max(axis=0)
            normalized = errors / (2 * np.where(largest, largest, 1.0)) + 0.5
        firsts = self._skewed(normalized, present)
        seconds = self._skewed(1 - normalized, present)
        self.firsts[:, c] = np.cumsum(firsts * (seconds.sum(axis=0) - seconds), axis=0)
        self.seconds[:, c] = seconds

    def _skewed(self, normalized: Floats, present: NDArray[np.bool_]) -> Floats:
        largest = normalized.max(axis=0, where=present, initial=0.0)
        ratio = np.where(largest, normalized / np.where(largest, largest, 1.0), 1.0)
        weights: Floats = np.where(present, ratio, 0.0) ** self.power * present
        return weights


def _draw(cumulated: Floats, numbers: Floats) -> Ints:
    """Per chain, an index drawn with the weights whose sums *cumulated* (n, chains) holds."""
    drawn: Ints = (cumulated[:-1] <= numbers * cumulated[-1]).sum(axis=0)
    return drawn


def _read_starts(layout: Layout, chains: int, starts: Sequence[Terrain] | NDArray[np.uint8]) -> Ints:
    if not isinstance(starts, (list, tuple, np.ndarray)):
        raise InvalidArgument(f"starts are a list of terrains, one per chain, not {show(starts)}")
    if len(starts) != chains:
        raise InvalidArgument(f"{len(starts)} starts for {chains} chains; give one per chain")
    index = {name: a for a, name in enumerate(layout.terrains)}
    kinds = np.empty((chains, layout.n_tiles), dtype=np.intp)
    for chain, start in enumerate(starts):
        if isinstance(start, np.ndarray):
            start = _names(start, layout)
        _, terrain = read_terrain(start, layout)
        if strange := [name for name in terrain if name not in index]:
            raise InvalidArgument(
                f"start {chain} has {strange[0]}, which {layout.name!r} lacks; "
                f"its terrains are {listed(layout.terrains)}"
            )
        kinds[chain] = [index[name] for name in terrain]
    return kinds


def _names(codes: NDArray[np.uint8], layout: Layout) -> list[str]:
    names = layout.all_terrains
    known = range(1, len(names) + 1)
    if strange := [code for code in codes.tolist() if code not in known]:
        raise InvalidArgument(f"{show(strange[0])} is no terrain's code; codes are 1 to {len(names)}")
    return [names[code - 1] for code in codes.tolist()]
