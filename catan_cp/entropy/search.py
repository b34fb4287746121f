"""The swap search: swap two tiles, keep what makes the board more even, and again.

Each step draws a terrain that is too even and one that is not even enough, and swaps a tile of the
one with a tile of the other: the article "Catan Boards - Part 1" (presentlylevel.com), on swapping tiles,
skew powers and normalisation.

>>> result = improve_evenness("base", steps=500, seed=1)
>>> len(result.errors), result.errors[-1] < result.errors[0]
(501, True)
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from numbers import Real
from operator import add, sub
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import LAYOUTS, Layout, find_layout
from catan_cp.entropy import scorer
from catan_cp.entropy.scorer import Terrain, mean_square
from catan_cp.errors import (
    Interrupted,
    InvalidArgument,
    check_choice,
    check_count,
    listed,
    random_source,
    real_number,
    show,
)
from catan_cp.progress import Progress, Watch, watching

if TYPE_CHECKING:
    from catan_cp.rules.rules import Rules

BLOCK = 1000
"""Steps between two calls of *progress*."""

NORMALIZATIONS = ("static", "dynamic")


class SwapStep(NamedTuple):
    """One step of a search.

    ``first_error`` and ``second_error`` are normalised, ``errors`` are the raw errors of all terrains before
    the step. ``change`` is what the swap made, or would have made, of the error. A step in which nothing
    could be swapped has no tiles, no terrains and no change.
    """

    first: str | None
    second: str | None
    first_error: float
    second_error: float
    change: float
    accepted: bool
    tiles: tuple[int, int] | None
    errors: Mapping[str, float]


@dataclass(frozen=True)
class SwapResult:
    """What a search did.

    Attributes:
        start: the board that it began with.
        board: the board that it ended with; markers moved with their tiles, harbors stayed.
        errors: the `efficiency_error` after every step, the start's first: steps + 1 numbers.
        accepted: how many swaps were kept.
        record: every step, if it was asked for, else None.
    """

    start: Board
    board: Board
    errors: tuple[float, ...]
    accepted: int
    record: tuple[SwapStep, ...] | None = None

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.errors) - 1

    @property
    def error(self) -> float:
        """The final board's error."""
        return self.errors[-1]


def improve_evenness(
    start: Terrain | Layout,
    steps: int,
    skew_power: float = 1.0,
    normalization: str = "static",
    reject: bool = True,
    seed: int | None = None,
    *,
    targets: Mapping[str, float] | None = None,
    rules: str | Rules | None = None,
    record: bool = False,
    progress: bool | Watch = False,
) -> SwapResult:
    """Swap tiles *steps* times, in search of the layout's target efficiencies.

    Each step takes the raw error, efficiency - target, of each terrain on the board (those without a
    target, not being in the box, stay where they are), and normalises it to 0..1:
    ``error / 2 + 1/2`` (static) or ``error / (2 * largest absolute error) + 1/2`` (dynamic; 1/2 where all are
    0). The first terrain is drawn with weights normalised ** s, the second with weights
    (1 - normalised) ** s, and both again until they differ. One tile of each, drawn uniformly, change
    places. (The article, on normalisation and skew powers.)

    Args:
        start: a board, a terrain, or a layout for a random filling of its box.
        steps: how many swaps to try.
        skew_power: s: 0 draws uniformly, infinity only the largest and the smallest, which share where
            they tie.
        normalization: ``"static"`` or ``"dynamic"``.
        reject: undo a swap after which the mean squared error is higher.
        seed: the same seed gives the same result.
        targets: efficiencies instead of the layout's own, per terrain.
        rules: a swap that breaks one is undone too, whatever *reject* says; the start must satisfy them.
        record: keep a `SwapStep` of every step.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress` every `BLOCK` steps.

    Raises:
        InvalidBoard: the start is no board, no terrain and no layout.
        InvalidRules: no such preset, or rules that ask of the layout what it has not.
        InvalidArgument: any other argument out of its range, or a start that breaks the rules.
        Interrupted: Ctrl-C; its ``result`` holds the whole blocks of steps done until then.
    """
    steps = check_count("steps", steps)
    power, scheme = check_skew_power(skew_power), check_normalization(normalization)
    rng = random_source(seed)
    board = _start_board(start, rng)
    tally = _Tally(board.layout, board.terrain, check_targets(board.layout, targets))
    asked = None if rules is None else _start_rules(rules, board)
    search = _Search(board, tally, power, scheme, reject, rng, asked, [] if record else None)
    try:
        with watching(progress, "searching") as watch:
            while (done := len(search.errors) - 1) < steps:
                search.advance(min(BLOCK, steps - done))
                if watch is not None:
                    watch(Progress(len(search.errors) - 1, steps, "steps"))
    except KeyboardInterrupt:
        partial = search.result()
        raise Interrupted(f"stopped after {partial.steps} of {steps} steps", partial) from None
    return search.result()


def check_skew_power(power: object) -> float:
    """Return *power* as a float: 0, a positive number, or infinity."""
    number = math.inf if isinstance(power, Real) and power == math.inf else real_number(power)
    if number is None or number < 0:
        raise InvalidArgument(f"skew_power is {show(power)}; give 0, a positive number, or infinity")
    return number


def check_normalization(normalization: object) -> str:
    """Return *normalization*, one of `NORMALIZATIONS`."""
    return check_choice("normalization", normalization, NORMALIZATIONS)


def check_targets(layout: Layout, targets: Mapping[str, float] | None) -> dict[str, float]:
    """Return a target for every terrain of the box, which the draws of a search need."""
    goals = scorer.read_targets(layout, targets)
    if missing := [name for name in layout.terrains if name not in goals]:
        raise InvalidArgument(
            f"layout {layout.name!r} has no target for {listed(missing)}; give them as targets"
        )
    return goals


def random_terrain(layout: str | Layout, rng: Random) -> tuple[str, ...]:
    """Return the layout's box, shuffled: every filling is as likely as any other."""
    tiles = [name for name, count in find_layout(layout).terrain_counts.items() for _ in range(count)]
    rng.shuffle(tiles)
    return tuple(tiles)


def normalize(errors: list[float], normalization: str) -> list[float]:
    """Return the raw errors, normalised to 0..1; the article, on static and dynamic normalisation."""
    if normalization == "static":
        return [min(e / 2 + 0.5, 1.0) for e in errors]  # beyond 1 only with terrains that the box lacks
    largest = max(map(abs, errors), default=0.0)
    return [e / (2 * largest) + 0.5 for e in errors] if largest else [0.5] * len(errors)


def skewed_weights(normalized: list[float], power: float) -> list[float]:
    """Return ``normalized ** power``, scaled so that the largest is 1; all 1 where all are 0.

    The scaling keeps large powers from vanishing, and makes infinity the limit that it should be: 1 for
    the largest and all that tie with it, 0 for the rest.
    """
    largest = max(normalized)
    return [(e / largest) ** power for e in normalized] if largest else [1.0] * len(normalized)


class _Tally:
    """How even one terrain is, and how even it would be after a swap: counts of neighbours, kept up to date.

    A swap of two tiles touches only the counts of those two tiles' neighbours. It is looked at (`look`), and
    carried out only when told (`keep`), since most swaps of a search are undone. Nothing drifts: counts are
    integers, and the entropies are made of `xlogx_table` entries, whose sums are exact.

    Terrains on the board are numbered from 0, those that have a target first (`names`, the first
    `n_scored`); terrain *a* in the attributes below is such a number.

    Attributes:
        kinds: the terrain of each tile.
        places: per terrain, the tiles that it stands on.
        counts: ``counts[a][b]``, how often b is met next to the tiles of a.
        totals: the sum of each row of these.
        sums: per row, its `xlogx_table` entries added up.
        errors: per scored terrain, efficiency - target.
        error: the mean of their squares; 0 where no terrain is scored.
    """

    def __init__(self, layout: Layout, terrain: Sequence[str], targets: Mapping[str, float]) -> None:
        present = [name for name in layout.all_terrains if name in terrain]
        self.names = sorted(present, key=lambda name: name not in targets)
        self.n_scored = sum(name in targets for name in present)
        self.kinds = [self.names.index(name) for name in terrain]
        self.places = [[t for t, here in enumerate(terrain) if here == name] for name in self.names]
        self._around = layout.tile_neighbors("hex")
        self._xlogx = scorer.xlogx_table(scorer.neighbor_total(layout))
        scale = scorer.efficiency_scale(layout)
        self._inverses = [scale / total if total else 0.0 for total in range(len(self._xlogx))]
        self._goals = [targets[name] for name in self.names[: self.n_scored]]
        self.counts = [[0] * len(self.names) for _ in self.names]
        for tile, around in enumerate(self._around):
            for other in around:
                self.counts[self.kinds[tile]][self.kinds[other]] += 1
        self.totals = list(map(sum, self.counts))
        self.sums = [sum([self._xlogx[n] for n in row]) for row in self.counts]
        self.errors = self._errors(self.totals, self.sums)
        self.error = mean_square(self.errors)
        self._look: tuple[Any, ...] = ()

    def look(self, i: int, j: int) -> float:
        """Return the error if tiles *i* and *j*, of two terrains, were swapped; `keep` then swaps them."""
        kinds, xlogx = self.kinds, self._xlogx
        a, b = kinds[i], kinds[j]
        # How often tile i meets each terrain beyond what tile j does; the two do not count for each other.
        gap = [0] * len(self.names)
        for tile in self._around[i]:
            gap[kinds[tile]] += 1
        for tile in self._around[j]:
            gap[kinds[tile]] -= 1
        if j in self._around[i]:
            gap[a] += 1
            gap[b] -= 1
        # Row a loses what i meets and wins what j meets, row b the reverse; and so do, by symmetry, their
        # columns, which matters within the two rows only where they cross.
        gap_a, gap_b = gap[a], gap[b]
        old_a, old_b = self.counts[a], self.counts[b]
        row_a = list(map(sub, old_a, gap))
        row_b = list(map(add, old_b, gap))
        row_a[a] -= gap_a
        row_a[b] += gap_a
        row_b[b] += gap_b
        row_b[a] -= gap_b
        sums = [
            s + xlogx[n_a] - xlogx[m_a] + xlogx[n_b] - xlogx[m_b]
            for s, n_a, m_a, n_b, m_b in zip(self.sums, row_a, old_a, row_b, old_b, strict=True)
        ]
        totals = self.totals.copy()
        for kind, row in ((a, row_a), (b, row_b)):
            sums[kind] = sum([xlogx[n] for n in row])
            totals[kind] = sum(row)
        errors = self._errors(totals, sums)
        error = mean_square(errors)
        self._look = (i, j, row_a, row_b, totals, sums, errors, error)
        return error

    def keep(self) -> None:
        """Swap the two tiles that were last looked at."""
        i, j, row_a, row_b, self.totals, self.sums, self.errors, self.error = self._look
        kinds, counts = self.kinds, self.counts
        a, b = kinds[i], kinds[j]
        counts[a], counts[b] = row_a, row_b
        for row, n_a, n_b in zip(counts, row_a, row_b, strict=True):
            row[a], row[b] = n_a, n_b
        self.places[a][self.places[a].index(i)] = j
        self.places[b][self.places[b].index(j)] = i
        kinds[i], kinds[j] = b, a

    def _errors(self, totals: list[int], sums: list[float]) -> list[float]:
        xlogx, inverses = self._xlogx, self._inverses
        scored = zip(totals, sums, self._goals, strict=False)  # ends with the goals
        return [(xlogx[total] - s) * inverses[total] - goal for total, s, goal in scored]


@dataclass
class _Search:
    """A search under way: a tally, and what was seen on the way."""

    start: Board
    tally: _Tally
    power: float
    normalization: str
    reject: bool
    rng: Random
    rules: Rules | None
    record: list[SwapStep] | None

    def __post_init__(self) -> None:
        self.origin = list(range(self.start.layout.n_tiles))  # the start's tile that now stands on each tile
        self.errors = [self.tally.error]
        self.accepted = 0
        self._kept = self.origin.copy(), 1, 0  # all three, but errors by their number, after whole blocks

    def advance(self, steps: int) -> None:
        """Make *steps* steps; interrupted, none of them counts, and only `result` may follow."""
        tally, origin, record, reject, rules = self.tally, self.origin, self.record, self.reject, self.rules
        random, append = self.rng.random, self.errors.append
        places, last = tally.places, tally.n_scored - 1
        error = tally.error
        firsts: list[float] = []
        raw = self._raw_errors()
        if last < 1:  # fewer than two terrains can be drawn: nothing can be swapped, and the steps are spent
            self.errors += [error] * steps
            if record is not None:
                record += [SwapStep(None, None, 0.5, 0.5, 0.0, False, None, raw)] * steps
            steps = 0
        for _ in range(steps):
            if not firsts:
                normalized = normalize(tally.errors, self.normalization)
                firsts = list(accumulate(skewed_weights(normalized, self.power)))
                seconds = list(accumulate(skewed_weights([1 - e for e in normalized], self.power)))
                first_total, second_total = firsts[-1], seconds[-1]
                if record is not None:
                    raw = self._raw_errors()
            # The weights run in opposite directions, so two draws agree at most once in `n_scored` times.
            a = b = 0
            while a == b:
                a = bisect(firsts, random() * first_total, 0, last)
                b = bisect(seconds, random() * second_total, 0, last)
            i = places[a][int(random() * len(places[a]))]
            j = places[b][int(random() * len(places[b]))]
            after = tally.look(i, j)
            keep = (after <= error or not reject) and (rules is None or self._allowed(rules, i, j))
            if record is not None:
                first, second = tally.names[a], tally.names[b]
                record.append(
                    SwapStep(first, second, normalized[a], normalized[b], after - error, keep, (i, j), raw)
                )
            if keep:
                tally.keep()
                origin[i], origin[j] = origin[j], origin[i]
                self.accepted += 1
                error = after
                firsts = []
            append(error)
        self._kept = origin.copy(), len(self.errors), self.accepted

    def _raw_errors(self) -> dict[str, float]:
        """Efficiency - target of each terrain that has a target."""
        return dict(zip(self.tally.names, self.tally.errors, strict=False))

    def _allowed(self, rules: Rules, i: int, j: int) -> bool:
        swapped = self.origin.copy()
        swapped[i], swapped[j] = swapped[j], swapped[i]
        return not rules.check(_moved(self.start, swapped))

    def result(self) -> SwapResult:
        """Return what was done in whole blocks."""
        origin, size, accepted = self._kept
        record = None if self.record is None else tuple(self.record[: size - 1])
        return SwapResult(self.start, _moved(self.start, origin), tuple(self.errors[:size]), accepted, record)


def _start_board(start: Terrain | Layout, rng: Random) -> Board:
    if isinstance(start, str) and start not in LAYOUTS:
        return Board.from_notation(start)
    if isinstance(start, (str, Layout)):
        return Board(start, random_terrain(start, rng))
    return start if isinstance(start, Board) else Board(*read_terrain(start))


def _start_rules(rules: str | Rules, board: Board) -> Rules:
    from catan_cp.rules.rules import find_rules

    found = find_rules(rules)
    if broken := found.check(board):
        more = f"; and {len(broken) - 1} more" if len(broken) > 1 else ""
        raise InvalidArgument(
            f"the start breaks the rules ({broken[0]}{more}); start from a board that generate_board makes"
        )
    return found


def _moved(board: Board, origin: list[int]) -> Board:
    """The board with its tiles and their markers moved: the start's tile ``origin[t]`` onto tile t."""
    terrain = [board.terrain[tile] for tile in origin]
    markers = [board.markers[tile] for tile in origin]
    return Board(board.layout, terrain, markers, board.harbors, board.fishing_grounds)
