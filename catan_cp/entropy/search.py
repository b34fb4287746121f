"""A random search for more even boards by swaps of two tiles.

Each step samples two terrains. The higher the efficiency of a terrain is above its target, the more probable
it is as the first one, and the less probable as the second one. The step swaps a tile of the first with a
tile of the second. By default it keeps the swap only if the error does not rise.

Source: dralexportfolio 2025, "Catan Boards - Part 1" (presentlylevel.com), on swapping tiles, skew powers and
normalization.

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
from typing import Any, NamedTuple

from catan_cp.boards.board import Board, read_terrain
from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.boards.parts import PARTS
from catan_cp.entropy import scorer
from catan_cp.entropy.scorer import Terrain, mean_square
from catan_cp.errors import (
    Interrupted,
    InvalidArgument,
    InvalidBoard,
    amount,
    check_choice,
    check_count,
    listed,
    random_source,
    real_number,
    show,
)
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.checking import Check
from catan_cp.rules.requirements import layout_restrictions, misplaced_pieces, random_terrain
from catan_cp.rules.rules import Rules, find_rules
from catan_cp.terminal import Brief

BLOCK = 1000
"""The number of steps between two calls of *progress*."""

NORMALIZATIONS = ("static", "dynamic")


class SwapStep(NamedTuple):
    """One step of a search.

    ``first_error`` and ``second_error`` are normalized. ``errors`` are the raw errors of all terrains before
    the step. ``change`` is the change of the error by the swap, whether the swap was kept or undone. A step
    without possible swaps has no tiles, no terrains and a change of 0.
    """

    first: str | None
    second: str | None
    first_error: float
    second_error: float
    change: float
    accepted: bool
    tiles: tuple[int, int] | None
    errors: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class SwapResult(Brief):
    """The result of a search.

    Attributes:
        start: the first board.
        board: the last board. Markers moved with their tiles, and harbors stayed.
        errors: the `efficiency_error` of the start and after every step: steps + 1 numbers.
        accepted: the number of swaps kept.
        record: every step, or None if it was not requested.
    """

    start: Board
    board: Board
    errors: tuple[float, ...]
    accepted: int
    record: tuple[SwapStep, ...] | None = None

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.errors) - 1

    @property
    def error(self) -> float:
        """The error of the last board."""
        return self.errors[-1]

    def _repr_html_(self) -> str:
        return self.board._repr_svg_() + super()._repr_html_()


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
    """Swap tiles *steps* times to approach the layout's target efficiencies.

    The raw error of a terrain is its efficiency minus its target. Terrains without a target, which are not in
    the box, are never swapped. Each step normalizes the raw errors to 0..1: ``error / 2 + 1/2`` (static) or
    ``error / (2 * largest absolute error) + 1/2`` (dynamic; 1/2 if all errors are 0). It samples a first
    terrain with weights ``normalized ** s``, and a second one with weights ``(1 - normalized) ** s``. If both
    are the same, it samples both again. It then samples one tile of each terrain uniformly and swaps them.

    Args:
        start: a board, a terrain arrangement, or a layout for a random arrangement of its box. A swap is
            undone if the board then breaks a requirement of its layout, such as a fixed tile, or if a harbor
            is off the coast. The start must satisfy the requirements.
        steps: the number of swaps to try.
        skew_power: s. 0 samples uniformly. Infinity samples only the largest and the smallest error, and
            uniformly among equal ones.
        normalization: ``"static"`` or ``"dynamic"``.
        reject: undo a swap if the mean squared error rises.
        seed: the same seed gives the same result.
        targets: efficiencies per terrain that replace those of the layout.
        rules: undo a swap that breaks one of these rules, for any value of *reject*. The start must satisfy
            them.
        record: keep a `SwapStep` of every step.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress` every `BLOCK` steps.

    Raises:
        InvalidBoard: the start is not a board, a terrain arrangement or a layout.
        InvalidRules: the preset is unknown, or the rules do not fit the layout.
        InvalidArgument: another argument is out of its range, or the start breaks the rules or a requirement
            of its layout.
        Interrupted: Ctrl-C. Its ``result`` has the complete blocks of steps.

    Source: dralexportfolio 2025, on normalization and skew powers.

    Example:
        >>> import catan_cp
        >>> swaps = improve_evenness(catan_cp.LAYOUTS["base"].beginner_board, 200, seed=1)
        >>> swaps.error < swaps.errors[0]
        True
    """
    steps = check_count("steps", steps)
    power, scheme = check_skew_power(skew_power), check_normalization(normalization)
    rng = random_source(seed)
    board = _start_board(start, rng)
    tally = _Tally(board.layout, board.terrain, check_targets(board.layout, targets))
    checks = _checks(board, rules)
    search = _SwapSearch(board, tally, power, scheme, reject, rng, checks, [] if record else None)
    try:
        with watching(progress, "searching") as watch:
            while (finished := len(search.errors) - 1) < steps:
                search.advance(min(BLOCK, steps - finished))
                if watch is not None:
                    watch(Progress(len(search.errors) - 1, steps, "steps"))
    except KeyboardInterrupt:
        partial = search.result()
        raise Interrupted(f"stopped after {partial.steps:,} of {amount(steps, 'step')}", partial) from None
    return search.result()


def check_skew_power(power: object) -> float:
    """Return *power* as a float: 0, a positive number, or infinity."""
    number = math.inf if isinstance(power, Real) and power == math.inf else real_number(power)
    if number is None or number < 0:
        raise InvalidArgument(f"skew_power must be 0, a positive number, or infinity, not {show(power)}")
    return number


def check_normalization(normalization: object) -> str:
    """Return *normalization*, one of `NORMALIZATIONS`."""
    return check_choice("normalization", normalization, NORMALIZATIONS)


def check_targets(layout: Layout, targets: Mapping[str, float] | None) -> dict[str, float]:
    """Return the target of every terrain in the box.

    Raises:
        InvalidArgument: a terrain has no target.
    """
    goals = scorer.read_targets(layout, targets)
    if missing := [name for name in layout.terrains if name not in goals]:
        raise InvalidArgument(
            f"layout {layout.name!r} has no target for {listed(missing)}; give them as targets"
        )
    return goals


def normalize(errors: list[float], normalization: str) -> list[float]:
    """Return the raw errors normalized to 0..1.

    Source: dralexportfolio 2025, on static and dynamic normalization.
    """
    if normalization == "static":
        # An efficiency exceeds 1 only on a board with more terrains than its box.
        return [min(e / 2 + 0.5, 1.0) for e in errors]
    largest = max(map(abs, errors), default=0.0)
    return [e / (2 * largest) + 0.5 for e in errors] if largest else [0.5] * len(errors)


def skewed_weights(normalized: list[float], power: float) -> list[float]:
    """Return ``normalized ** power``, scaled so that the largest is 1.

    If all are 0, all results are 1. The scaling avoids underflow for large powers. With an infinite power,
    the largest and all equal to it become 1, and the others 0.
    """
    largest = max(normalized)
    return [(e / largest) ** power for e in normalized] if largest else [1.0] * len(normalized)


class _Tally:
    """The neighbor counts and errors of one terrain arrangement, updated by swaps.

    `look` computes the error after a swap without making it, and `keep` makes the swap. They are separate,
    since a search rejects most swaps. Only the counts that involve the two tiles change. No rounding error
    accumulates: counts are integers, and entropies are sums of `xlogx_table` entries, which are exact.

    Terrains on the board are numbered from 0, in the order of `names`. The first `n_scored` of them have a
    target. In the attributes below, a and b are such numbers.

    Attributes:
        kinds: the terrain of each tile.
        places: per terrain, its tiles.
        counts: ``counts[a][b]`` is the number of neighbors of terrain b next to the tiles of terrain a.
        totals: the sum of each row of *counts*.
        sums: the sum of the `xlogx_table` entries of each row of *counts*.
        errors: per terrain with a target, efficiency - target.
        error: the mean of the squares of *errors*, or 0 if no terrain has a target.
    """

    def __init__(self, layout: Layout, terrain: Sequence[str], targets: Mapping[str, float]) -> None:
        present = [name for name in layout.all_terrains if name in terrain]
        self.names = sorted(present, key=lambda name: name not in targets)
        self.n_scored = sum(name in targets for name in present)
        self.kinds = [self.names.index(name) for name in terrain]
        self.places = [[t for t, tile in enumerate(terrain) if tile == name] for name in self.names]
        self._around = layout.tile_neighbors("hex")
        self._xlogx = scorer.xlogx_table(scorer.neighbor_total(layout))
        scale = scorer.efficiency_scale(layout)
        self._inverses = [scale / total if total else 0.0 for total in range(len(self._xlogx))]
        self._goals = [targets[name] for name in self.names[: self.n_scored]]
        self.counts = [[0] * len(self.names) for _ in self.names]
        for tile, around in enumerate(self._around):
            for neighbor in around:
                self.counts[self.kinds[tile]][self.kinds[neighbor]] += 1
        self.totals = list(map(sum, self.counts))
        self.sums = [sum([self._xlogx[n] for n in row]) for row in self.counts]
        self.errors = self._errors(self.totals, self.sums)
        self.error = mean_square(self.errors)
        self._look: tuple[Any, ...] = ()

    def look(self, i: int, j: int) -> float:
        """Return the error after a swap of tiles *i* and *j*, without making the swap."""
        kinds, xlogx = self.kinds, self._xlogx
        a, b = kinds[i], kinds[j]
        # Per terrain, the number of neighbors of tile i minus that of tile j. If these tiles touch, they do
        # not count as neighbors of each other.
        gap = [0] * len(self.names)
        for tile in self._around[i]:
            gap[kinds[tile]] += 1
        for tile in self._around[j]:
            gap[kinds[tile]] -= 1
        if j in self._around[i]:
            gap[a] += 1
            gap[b] -= 1
        # Row a loses the neighbors of i and gains those of j. Row b does the reverse. The counts are
        # symmetric, so columns a and b change in the same way. Rows and columns a and
        # b cross in four entries, which change twice.
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
        """Swap the two tiles of the last call of `look`."""
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
        scored = zip(totals, sums, self._goals, strict=False)  # stops at the last scored terrain
        return [(xlogx[total] - s) * inverses[total] - goal for total, s, goal in scored]


@dataclass
class _SwapSearch:
    """A search in progress: a tally, and the results so far."""

    start: Board
    tally: _Tally
    power: float
    normalization: str
    reject: bool
    rng: Random
    checks: Sequence[Check]
    record: list[SwapStep] | None

    def __post_init__(self) -> None:
        self.origin = list(range(self.start.layout.n_tiles))  # the original tile of each current tile
        self.errors = [self.tally.error]
        self.accepted = 0
        # The origin, the numbers of errors and of accepted swaps after the last complete block.
        self._complete = self.origin.copy(), 1, 0

    def advance(self, steps: int) -> None:
        """Make *steps* steps as one block.

        If it is interrupted, `result` has none of its steps, and no other method may be called afterwards.
        """
        tally, origin, record, reject = self.tally, self.origin, self.record, self.reject
        random, append = self.rng.random, self.errors.append
        places, last = tally.places, tally.n_scored - 1
        error = tally.error
        firsts: list[float] = []
        raw = self._raw_errors()
        if last < 1:  # with fewer than two terrains to sample, no swap is possible
            self.errors += [error] * steps
            if record is not None:
                record += [SwapStep(None, None, 0.5, 0.5, 0.0, False, None, raw)] * steps
            steps = 0
        for _ in range(steps):
            if not firsts:  # The search begins or a swap was kept, so the weights are computed.
                normalized = normalize(tally.errors, self.normalization)
                firsts = list(accumulate(skewed_weights(normalized, self.power)))
                seconds = list(accumulate(skewed_weights([1 - e for e in normalized], self.power)))
                first_total, second_total = firsts[-1], seconds[-1]
                if record is not None:
                    raw = self._raw_errors()
            # The weights have opposite orders, so two samples agree with a probability of at most
            # 1 / `n_scored`.
            a = b = 0
            while a == b:
                a = bisect(firsts, random() * first_total, 0, last)
                b = bisect(seconds, random() * second_total, 0, last)
            i = places[a][int(random() * len(places[a]))]
            j = places[b][int(random() * len(places[b]))]
            after = tally.look(i, j)
            keep = (after <= error or not reject) and (not self.checks or self._allowed(i, j))
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
        self._complete = origin.copy(), len(self.errors), self.accepted

    def _raw_errors(self) -> dict[str, float]:
        """Return efficiency - target of each terrain that has a target."""
        return dict(zip(self.tally.names, self.tally.errors, strict=False))

    def _allowed(self, i: int, j: int) -> bool:
        swapped = self.origin.copy()
        swapped[i], swapped[j] = swapped[j], swapped[i]
        try:
            board = _moved(self.start, swapped)
        except InvalidBoard:  # a harbor is off the coast, or a marker is on a tile that carries none
            return False
        return not any(violation for check in self.checks for violation in check(board))

    def result(self) -> SwapResult:
        """Return the result of all complete blocks."""
        origin, size, accepted = self._complete
        record = None if self.record is None else tuple(self.record[: size - 1])
        return SwapResult(self.start, _moved(self.start, origin), tuple(self.errors[:size]), accepted, record)


def _start_board(start: Terrain | Layout, rng: Random) -> Board:
    if isinstance(start, str) and start not in LAYOUTS:
        return Board.from_notation(start)
    if isinstance(start, (str, Layout)):
        return Board(start, random_terrain(start, rng))
    return start if isinstance(start, Board) else Board(*read_terrain(start))


def _checks(board: Board, rules: str | Rules | None) -> list[Check]:
    """Return the checks that swaps need, after applying them to the start.

    Raises:
        InvalidArgument: the start breaks the rules, or a requirement of its layout.
    """
    checks: list[Check] = []
    if rules is not None:
        checks.append(find_rules(rules).check)
    elif any(layout_restrictions(board.layout, subject) for subject in ("terrain", "markers")) or (
        board.harbors and "sea" in board.terrain
    ):
        checks.append(misplaced_pieces)
    if broken := [violation for check in checks for violation in check(board)]:
        subject = "the rules" if rules is not None else f"the requirements of {board.layout.name!r}"
        more = f"; and {len(broken) - 1} more" if len(broken) > 1 else ""
        raise InvalidArgument(
            f"start must satisfy {subject}, not break them ({broken[0]}{more}); use a board of generate_board"
        )
    return checks


def _moved(board: Board, origin: list[int]) -> Board:
    """Return the board after moving each tile ``origin[t]`` and its marker to t."""
    tiles = {part: [getattr(board, part.field)[tile] for tile in origin] for part in PARTS if not part.piece}
    return Board(board.layout, *(tiles.get(part) or getattr(board, part.field) for part in PARTS))
