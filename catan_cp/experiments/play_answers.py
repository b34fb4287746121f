"""The answers of the experiment on played games, as docs/play_design.md asks them: numbers with intervals.

Boards are the unit. Intervals are percentiles of a bootstrap over boards (Efron 1979), p values those of
permutation tests on board means, corrected within a question by Holm's method (1979). What the design calls
description has no p value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from catan_cp.experiments.play_arms import PLANS, PRESET_NAMES, SINGLE_RULES
from catan_cp.experiments.play_data import Data, Row, board_in
from catan_cp.play import Share
from catan_cp.play.games import unfairness

Floats = NDArray[np.float64]

SAMPLES, DRAWS = 4000, 10_000
SEATS = 4
SHORTEST, LONGEST, CLOSE, LIVELY_CHANGES = 60, 120, 2, 2
"""A lively game: so many turns, the second at most so far behind, the lead passed at least so often."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval, and the p value of the test that it is 0, before Holm's correction.

    Attributes:
        name: what it is of.
        value, low, high: the estimate and its interval.
        p: of the test; None where none was planned.
        boards, games: how many it rests on.
        alone: a test on data of its own, which is not corrected for the others of its question.
    """

    name: str
    value: float
    low: float
    high: float
    p: float | None
    boards: int
    games: int
    alone: bool = False


def is_lively(row: Row) -> bool:
    """Whether a game was close, the lead changed, and it took about an hour's worth of turns."""
    long_enough = SHORTEST <= row.turns <= LONGEST
    return row.winner > 0 and long_enough and row.margin <= CLOSE and row.lead_changes >= LIVELY_CHANGES


OUTCOMES: dict[str, Callable[[Row], float]] = {
    "lively": is_lively,
    "margin": lambda row: row.margin,
    "lead changes": lambda row: row.lead_changes,
    "turns": lambda row: row.turns,
}


def board_means(data: Data, arm: str, of: Callable[[Row], float]) -> Floats:
    """Return the mean of something over the games of each board of an arm."""
    return np.array([fmean(map(of, rows)) for _, rows in sorted(data.of(arm).items())])


def holm(ps: Sequence[float]) -> list[float]:
    """Return p values corrected by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(ps)), key=lambda k: ps[k])
    corrected, largest = [0.0] * len(ps), 0.0
    for rank, k in enumerate(order):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[k]))
        corrected[k] = largest
    return corrected


def one_sample(name: str, values: Floats, games: int) -> Estimate:
    """Estimate a mean over boards, and test that it is 0 by turning signs."""
    draw = np.random.default_rng(1)
    means = values[draw.integers(len(values), size=(SAMPLES, len(values)))].mean(axis=1)
    signs = draw.choice((-1.0, 1.0), size=(DRAWS, len(values)))
    beyond = np.abs((signs * values).mean(axis=1)) >= abs(values.mean()) - 1e-12
    return _estimate(name, float(values.mean()), means, float(beyond.mean()), len(values), games)


def two_samples(name: str, values: Floats, others: Floats, games: int, *, tested: bool = True) -> Estimate:
    """Estimate how much greater the mean of *values* is, and test that it is not by mixing the labels."""
    draw = np.random.default_rng(1)

    def resampled(of: Floats) -> Floats:
        means: Floats = of[draw.integers(len(of), size=(SAMPLES, len(of)))].mean(axis=1)
        return means

    difference = float(values.mean() - others.mean())
    pooled, n, p = np.concatenate([values, others]), len(values), None
    if tested:
        mixed = draw.permuted(np.tile(pooled, (DRAWS, 1)), axis=1)
        apart = mixed[:, :n].mean(axis=1) - mixed[:, n:].mean(axis=1)
        p = float((np.abs(apart) >= abs(difference) - 1e-12).mean())
    return _estimate(name, difference, resampled(values) - resampled(others), p, len(pooled), games)


def _estimate(name: str, value: float, sampled: Floats, p: float | None, boards: int, games: int) -> Estimate:
    low, high = np.percentile(sampled, (2.5, 97.5))
    return Estimate(
        name, value, float(low), float(high), None if p is None else max(p, 1 / DRAWS), boards, games
    )


def _games(data: Data, *arms: str) -> int:
    return sum(row.arm in arms for row in data.rows)


# a: are boards that we call fair, fair?


def seat_shares(data: Data, arms: Sequence[str]) -> list[Share]:
    """Return how often each seat won over all games of some arms."""
    rows = [row for row in data.rows if row.arm in arms]
    return [Share(sum(row.winner == seat for row in rows), len(rows)) for seat in range(1, SEATS + 1)]


def board_unfairness(rows: Sequence[Row]) -> float:
    """Return `catan_cp.play.games.unfairness` of the games of one board; NaN of a single one."""
    found = unfairness([sum(row.winner == seat for row in rows) for seat in range(1, SEATS + 1)], len(rows))
    return nan if found is None else found


def answer_a(data: Data) -> list[Estimate]:
    """Return the answers to question a: A1 as each seat's rate less a quarter, A2, A3, A4.

    One that was not planned follows A2, and has no p value.
    """
    arms = [f"strong:{name}" for name in PRESET_NAMES]
    boards = [(arm, number, rows) for arm in arms for number, rows in sorted(data.of(arm).items())]
    games = _games(data, *arms)
    found: list[Estimate] = []
    rates = np.array(
        [[sum(r.winner == s for r in rows) / len(rows) for s in range(1, SEATS + 1)] for _, _, rows in boards]
    )
    found += [
        one_sample(f"A1 seat {seat + 1}: wins less 1/4", rates[:, seat] - 1 / SEATS, games)
        for seat in range(SEATS)
    ]
    values = np.array([data.boards[arm, number][1] for arm, number, _ in boards])
    centred, wins = values - values.mean(axis=1, keepdims=True), rates - rates.mean(axis=1, keepdims=True)
    draw = np.random.default_rng(2)

    def slope(which: NDArray[np.intp]) -> float:
        return float((centred[which] * wins[which]).sum() / (centred[which] ** 2).sum())

    n = len(boards)
    slopes = np.array([slope(draw.integers(n, size=n)) for _ in range(SAMPLES)])
    shuffled = np.array(
        [float((draw.permuted(centred, axis=1) * wins).sum() / (centred**2).sum()) for _ in range(DRAWS // 5)]
    )
    every = np.arange(n)
    p = float((np.abs(shuffled) >= abs(slope(every))).mean())
    found.append(_estimate("A2 wins per unit of our value, within boards", slope(every), slopes, p, n, games))
    found.append(_without_seats(values, rates, games))
    spread = values.max(axis=1) - values.min(axis=1)
    unfair = np.array([board_unfairness(rows) for _, _, rows in boards])
    found.append(correlation("A3 unfairness and our seat spread", spread, unfair, games))
    by_arm = {
        arm: np.array([u for (a, _, _), u in zip(boards, unfair, strict=True) if a == arm]) for arm in arms
    }
    found.append(
        two_samples(
            "A4 unfairness, tournament less open",
            by_arm["strong:tournament"],
            by_arm["strong:open"],
            _games(data, "strong:tournament", "strong:open"),
        )
    )
    return found


def _without_seats(values: Floats, rates: Floats, games: int) -> Estimate:
    """Return the slope of A2 without each seat's means: who settles first often has the best value.

    Not in the design; thought of when the answers were read.
    """
    draw, n = np.random.default_rng(4), len(values)

    def slope(which: NDArray[np.intp]) -> float:
        x, y = (of[which] - of[which].mean(axis=1, keepdims=True) for of in (values, rates))
        x, y = x - x.mean(axis=0), y - y.mean(axis=0)
        return float((x * y).sum() / (x**2).sum())

    slopes = np.array([slope(draw.integers(n, size=n)) for _ in range(SAMPLES)])
    name = "   the same, seats' means taken out (not planned)"
    return _estimate(name, slope(np.arange(n)), slopes, None, n, games)


def correlation(name: str, x: Floats, y: Floats, games: int, *, tested: bool = True) -> Estimate:
    """Estimate Spearman's correlation over boards, and test that there is none by mixing one side."""
    draw, n = np.random.default_rng(3), len(x)

    def pearson(a: Floats, b: Floats) -> float:
        return 0.0 if min(float(a.std()), float(b.std())) == 0 else float(np.corrcoef(a, b)[0, 1])

    picks = [draw.integers(n, size=n) for _ in range(SAMPLES // 4)]
    sampled = np.array([pearson(_ranks(x[k]), _ranks(y[k])) for k in picks])
    ranks_x, ranks_y = _ranks(x), _ranks(y)
    value = pearson(ranks_x, ranks_y)
    if not tested:
        return _estimate(name, value, sampled, None, n, games)
    mixed = np.array([pearson(ranks_x, draw.permutation(ranks_y)) for _ in range(SAMPLES // 4)])
    p = max(float((np.abs(mixed) >= abs(value)).mean()), 4 / SAMPLES)
    return _estimate(name, value, sampled, p, n, games)


def _ranks(values: Floats) -> Floats:
    """Return the ranks, the mean of them among equals."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts - 1) / 2)[inverse]
    return ranks


# b: does optimal placement win?


def plan_wins(data: Data, plan: str) -> tuple[dict[tuple[str, int], float], int]:
    """Return, per board, how often the seat with the plan won; and how many games that rests on."""
    found, games = {}, 0
    for arm in (arm for arm in data.arms if arm.split(":")[0] == plan):
        for number, rows in data.of(arm).items():
            found[arm.split(":")[1], number] = fmean(row.winner == row.seat for row in rows)
            games += len(rows)
    return found, games


def answer_b(data: Data) -> list[Estimate]:
    """Return the answers to question b: each plan's rate less a quarter, and ``optimal`` less ``pips``."""
    found, rates = [], {}
    for number, plan in enumerate(PLANS, start=1):
        rates[plan], games = plan_wins(data, plan)
        if games:
            values = np.array(list(rates[plan].values())) - 1 / SEATS
            found.append(one_sample(f"B{number} {plan}: wins less 1/4", values, games))
    both = sorted(rates["optimal"].keys() & rates["pips"].keys())
    paired = np.array([rates["optimal"][board] - rates["pips"][board] for board in both])
    games = sum(estimate.games for estimate in found if "rivals" not in estimate.name)
    return [*found, one_sample("B4 optimal less pips", paired, games)]


# c: is an optimal board glacial?


def answer_c(data: Data) -> list[Estimate]:
    """Return the answers to question c: the length in turns, less that on ``open``."""
    found: list[Estimate] = []
    for strength in ("strong", "weak"):
        plain = f"{strength}:open"
        for preset in PRESET_NAMES[1:]:
            arm = f"{strength}:{preset}"
            means = [board_means(data, name, OUTCOMES["turns"]) for name in (arm, plain)]
            name = f"C{len(found) + 1} turns, {strength}, {preset} less open"
            found.append(two_samples(name, means[0], means[1], _games(data, arm, plain)))
    return found


# d: what makes games fun?


def answer_d(data: Data, outcome: str = "lively") -> list[Estimate]:
    """Return the effect of each single rule on an outcome, less that of ``open``; and of those found.

    The test is of lively games; all other outcomes are description.
    """
    found: list[Estimate] = []
    for number, rule in enumerate(SINGLE_RULES, start=1):
        found.append(_against(data, f"D{number} {outcome}, {rule}", f"rule:{rule}", "strong:open", outcome))
    tests = [arm for arm in data.arms if arm.startswith("test:") and arm != "test:open"]
    for arm in tests:
        name = f"D9 {outcome}, {arm.removeprefix('test:')}, fresh boards"
        found.append(replace(_against(data, name, arm, "test:open", outcome), alone=True))
    return found


def _against(data: Data, name: str, arm: str, other: str, outcome: str) -> Estimate:
    means = [board_means(data, each, OUTCOMES[outcome]) for each in (arm, other)]
    games = _games(data, arm, other)
    return two_samples(name, means[0], means[1], games, tested=outcome == "lively")


def rules_found(data: Data, has_boards: Callable[[str], bool]) -> str:
    """Return the rules that the search chooses: the pair with the best sum of effects on lively games.

    Args:
        data: the games.
        has_boards: whether there are boards of these rules.
    """
    effects = {rule: e.value for rule, e in zip(SINGLE_RULES, answer_d(data), strict=False)}
    ranked = sorted(effects, key=lambda rule: -effects[rule])
    pairs = sorted(((effects[a] + effects[b], a, b) for a in effects for b in effects if a < b), reverse=True)
    for _, a, b in pairs:
        if min(effects[a], effects[b]) <= 0:
            return ranked[0]
        if has_boards(f"{a}+{b}"):
            return f"{a}+{b}"
    return ranked[0]


def board_numbers(data: Data) -> list[Estimate]:
    """Return how numbers of a board go with its share of lively games, over all boards of strong games."""
    from catan_cp.entropy import efficiency_error
    from catan_cp.studies.reporting import vertex_pips

    arms = [arm for arm in data.arms if arm.split(":")[0] in ("strong", "rule", "test")]
    keys = [(arm, number) for arm in arms for number in sorted(data.of(arm))]
    lively = np.concatenate([board_means(data, arm, is_lively) for arm in arms])
    columns: dict[str, list[float]] = {
        "seat spread": [],
        "efficiency error": [],
        "most pips": [],
        "spread of pips": [],
    }
    for arm, number in keys:
        board, values = board_in(data, arm, number), data.boards[arm, number][1]
        pips = vertex_pips(board)
        assert pips is not None
        numbers = (max(values) - min(values), efficiency_error(board), float(pips.most), pips.spread)
        for column, value in zip(columns.values(), numbers, strict=True):
            column.append(value)
    games = _games(data, *arms)
    return [
        correlation(f"lively and {name}", np.array(x), lively, games, tested=False)
        for name, x in columns.items()
    ]


# Tables


def table(estimates: Sequence[Estimate], digits: int = 3) -> str:
    """Return estimates as plain text, with p values corrected together but for tests that stand alone."""
    corrected = iter(holm([e.p for e in estimates if e.p is not None and not e.alone]))
    wide = max(len(e.name) for e in estimates)
    lines = [f"{'':{wide}}  estimate  95 % interval       p (Holm)  boards  games"]
    for e in estimates:
        p = "-" if e.p is None else f"{e.p if e.alone else next(corrected):.4f}"
        span = f"{e.low:+.{digits}f} to {e.high:+.{digits}f}"
        lines.append(
            f"{e.name:{wide}}  {e.value:+8.{digits}f}  {span:18}  {p:>8}  {e.boards:>6}  {e.games:>5}"
        )
    return "\n".join(lines)


def answer(data: Data, question: str) -> str:
    """Return the answer to question a, b, c or d as plain text."""
    if question == "a":
        shares = seat_shares(data, [f"strong:{name}" for name in PRESET_NAMES])
        seats = [f"seat {seat} wins {share.value:.1%}" for seat, share in enumerate(shares, start=1)]
        return "\n".join([*seats, "", table(answer_a(data), 4)])
    if question == "b":
        return table(answer_b(data))
    if question == "c":
        lines = []
        for strength in ("strong", "weak"):
            for preset in PRESET_NAMES:
                rows = [row for row in data.rows if row.arm == f"{strength}:{preset}"]
                stuck = Share(sum(row.winner == 0 for row in rows), len(rows))
                lines.append(
                    f"{strength}, {preset}: {fmean(r.turns for r in rows):.1f} turns; not finished {stuck}"
                )
        return "\n".join([*lines, "", table(answer_c(data), 1)])
    levels = []
    for arm in ("strong:open", *(f"strong:{name}" for name in PRESET_NAMES[1:])):
        rows = [row for row in data.rows if row.arm == arm]
        said = ", ".join(f"{name} {fmean(map(of, rows)):.2f}" for name, of in OUTCOMES.items())
        levels.append(f"{arm}: {said}")
    parts = [table(answer_d(data, outcome)) for outcome in OUTCOMES]
    return "\n\n".join(["\n".join(levels), *parts, table(board_numbers(data))])
