"""The answers of the study, frozen with its design.

Every estimate is a mean over boards or made of such means. Intervals are 95 % intervals of a bootstrap over
boards within each preset, with `SAMPLES` samples. An equivalence test has a margin, which stands here and
was set in advance: a difference counts as *none* if its 90 % interval is within the margin (two one-sided
tests at 5 %). Without that, a difference whose interval contains 0 is *open*.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from catan_cp import Board, Objective
from research.games.openings import marked
from research.games.study import ARMS, PLAN_GAMES, PLANS, PRESETS

SAMPLES = 2000
TITLES = {"own": "own choice", "expert": "experts", "perfect": "perfect", "chance": "by own odds"}
SEAT_MARGIN, TURN_MARGIN, RATIO_MARGIN, RANK_MARGIN = 0.01, 2.0, 0.15, 0.1
"""Margins: a share of wins, a number of turns, a ratio of unfairness, a correlation."""


class Answer(NamedTuple):
    """An estimate, its bootstrap samples, its margin, and the value of no difference."""

    name: str
    values: Any
    margin: float | None = None
    null: float = 0.0
    is_test: bool = True

    @property
    def value(self) -> float:
        """The estimate."""
        return float(self.values[0])

    def cells(self, percent: bool = False) -> str:
        """Return the cells of a row: estimate, interval, and the result of a test."""
        low, high = np.quantile(self.values[1:], (0.025, 0.975)).tolist()
        texts = [f"{100 * x:.1f} %" if percent else f"{x:.3f}" for x in (self.value, low, high)]
        return f"{self.name} | {texts[0]} | {texts[1]} to {texts[2]} | {self.verdict(low, high, percent)}"

    def verdict(self, low: float, high: float, percent: bool) -> str:
        """Return the result of the test: a difference, none within the margin, or open."""
        if not self.is_test:
            return ""
        differs = "" if low <= self.null <= high else "differs"
        if self.margin is None:
            return differs or "open"
        within = np.abs(np.quantile(self.values[1:], (0.05, 0.95)) - self.null).max() < self.margin
        limit = f"{100 * self.margin:g} %" if percent else f"{self.margin:g}"
        none = f"{'by less than' if differs else 'none within'} {limit}"
        return f"{differs} {none}".strip() if within else differs or "open"


class Study:
    """The rows as arrays over boards, with the weights of bootstrap samples.

    Attributes:
        rules: the preset of each board.
        weights: (1 + samples, boards): how often a sample contains a board. The first row is all ones.
        shares: per arm, (boards, openings, seats): the shares of wins.
        turns: per arm, (boards, openings): the mean turns of a game.
        chances: per arm, (boards, openings, seats): the chances of `win_chances`.
        spreads: (boards,): the largest less the smallest published value of the perfect settlements.
    """

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self.rows = rows
        self.rules = np.array([row["rules"] for row in rows])
        source, self.weights = random.Random(1), np.zeros((1 + SAMPLES, len(rows)))
        self.weights[0] = 1
        for rules in PRESETS:
            at = np.flatnonzero(self.rules == rules).tolist()
            for k in range(1, 1 + SAMPLES):
                self.weights[k] += np.bincount(source.choices(at, k=len(at)), minlength=len(rows))

        def stored(part: int) -> dict[str, Any]:
            return {arm: np.array([[cells[part] for cells in row[arm]] for row in rows]) for arm in ARMS}

        self.shares = {arm: wins / ARMS[arm].games for arm, wins in stored(1).items()}
        self.turns = {arm: turns / ARMS[arm].games for arm, turns in stored(2).items()}
        self.chances = {arm: chances / 10_000 for arm, chances in stored(3).items()}
        self.spreads = np.array(list(map(spread, rows)))

    def mean(self, values: Any, *rules: str) -> Any:
        """Return the mean over boards of presets (or all), and the mean of each bootstrap sample."""
        weights = self.weights * np.isin(self.rules, rules or PRESETS)
        return weights @ values / weights.sum(axis=1)

    def one_opening(self, arm: str) -> Any:
        """Return the unbiased unfairness per board of one opening, the first for perfect settlements."""
        shares = self.shares[arm][:, :1] if arm == "perfect" else self.shares[arm]
        return unfair(shares, ARMS[arm].games).mean(axis=1)

    def average(self, arm: str) -> Any:
        """Return the unbiased unfairness per board of the average over pairs of openings."""
        off = self.shares[arm] - 0.25
        n = off.shape[1]
        return ((off.sum(axis=1) ** 2).sum(axis=1) - (off**2).sum(axis=(1, 2))) / (n * (n - 1))

    def between(self, arm: str, *rules: str) -> Any:
        """Return the unbiased unfairness of the average over boards, by pairs of boards."""
        off = self.shares[arm].mean(axis=1) - 0.25
        n = np.isin(self.rules, rules or PRESETS).sum()
        mean = np.stack([self.mean(off[:, seat], *rules) for seat in range(4)])
        return ((mean**2).sum(axis=0) * n - self.mean((off**2).sum(axis=1), *rules)) / (n - 1)


def spread(row: dict[str, Any]) -> float:
    """Return the range of the published values of the seats, for perfect settlements."""
    board = Board.from_notation(row["board"])
    values = [Objective().value(board, vertices) for vertices in row["perfect"][0][0]]
    return float(max(values) - min(values))


def unfair(shares: Any, games: int) -> Any:
    """Return `Games.unfairness` of shares of wins, whose last axis are the seats."""
    noise = (shares.sum(axis=-1) - (shares**2).sum(axis=-1)) / (games - 1)
    return ((shares - 0.25) ** 2).sum(axis=-1) - noise


def seats(study: Study) -> Iterator[str]:
    """Report the share of wins of each seat, by arm and preset."""
    yield "| settlements | boards | seat 1 | seat 2 | seat 3 | seat 4 |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for arm in ARMS:
        shares = study.shares[arm][:, 0] if arm == "perfect" else study.shares[arm].mean(axis=1)
        for rules in (*PRESETS, ""):
            means = [study.mean(shares[:, seat], *filter(None, [rules])) for seat in range(4)]
            lows, highs = (np.quantile([mean[1:] for mean in means], q, axis=1) for q in (0.025, 0.975))
            cells = [
                f"{100 * mean[0]:.1f} ({100 * low:.1f} to {100 * high:.1f})"
                for mean, low, high in zip(means, lows, highs, strict=True)
            ]
            yield f"| {TITLES[arm]} | {f'`{rules}`' if rules else 'all'} | {' | '.join(cells)} |"


def order(study: Study) -> Iterator[Answer]:
    """Report the effects of the order of turns and of the settlements, less a quarter."""
    shares = study.shares["perfect"]
    for seat in range(4):
        name = f"turn {seat + 1}, with the settlements of each seat in turn"
        yield Answer(name, study.mean(shares[:, :, seat].mean(axis=1)) - 0.25, SEAT_MARGIN)
    for seat in range(4):
        owned = np.mean([shares[:, turn, (seat - turn) % 4] for turn in range(4)], axis=0)
        yield Answer(f"settlements of seat {seat + 1}, in each turn", study.mean(owned) - 0.25, SEAT_MARGIN)


def unfairness(study: Study) -> Iterator[Answer]:
    """Report and compare the unfairness of one opening and of the average, by arm and preset."""
    kinds = [(arm, "one opening", study.one_opening) for arm in ARMS]
    kinds += [(arm, "average", study.average) for arm in ("own", "expert")]
    for arm, kind, of in kinds:
        by_rules = {rules: study.mean(of(arm), rules) for rules in PRESETS}
        for rules, values in by_rules.items():
            yield Answer(f"{TITLES[arm]}, {kind}, `{rules}`", values, is_test=False)
        for rules in PRESETS[1:]:
            change = by_rules[rules] / by_rules["open"]
            yield Answer(f"{TITLES[arm]}, {kind}, `{rules}` by `open`", change, RATIO_MARGIN, 1)
    own = study.mean(study.one_opening("own"))
    for arm in ("expert", "perfect", "chance"):
        change = study.mean(study.one_opening(arm)) / own
        yield Answer(f"one opening, {TITLES[arm]} by {TITLES['own']}", change, RATIO_MARGIN, 1)


def split(study: Study) -> Iterator[Answer]:
    """Split the unfairness of one opening into seat, board, opening and dice."""
    for arm in ("own", "expert"):
        one, mean = study.mean(study.one_opening(arm)), study.mean(study.average(arm))
        seat = study.between(arm)
        shares, games = study.shares[arm], ARMS[arm].games
        dice = (shares.sum(axis=2) - (shares**2).sum(axis=2)).mean(axis=1) * games / (games - 1)
        parts = {"seat": seat, "board": mean - seat, "opening": one - mean}
        for part, values in parts.items():
            yield Answer(f"{TITLES[arm]}: {part}", values, is_test=False)
        for part, values in parts.items():
            yield Answer(f"{TITLES[arm]}: {part}, share", values / one, is_test=False)
        yield Answer(f"{TITLES[arm]}: dice, variance of one game", study.mean(dice), is_test=False)


def ranks(study: Study, x: Any, y: Any) -> Any:
    """Return the rank correlation over boards, and that of each bootstrap sample."""
    samples = (np.repeat(np.arange(len(x)), weights) for weights in study.weights.astype(int))
    return np.array([np.corrcoef(midranks(x[at]), midranks(y[at]))[0, 1] for at in samples])


def midranks(values: Any) -> Any:
    """Return the ranks of numbers. Equal numbers share a rank."""
    _, place, count = np.unique(np.round(values, 12), return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


def correlations(study: Study) -> Iterator[Answer]:
    """Report how two forecasts rank boards by the unfairness of perfect settlements."""
    unfairness = study.one_opening("perfect")
    estimated = ((study.chances["perfect"][:, 0] - 0.25) ** 2).sum(axis=1)
    by_chance, by_spread = ranks(study, estimated, unfairness), ranks(study, study.spreads, unfairness)
    yield Answer("`win_chances`", by_chance, is_test=False)
    yield Answer("seat spread", by_spread, is_test=False)
    yield Answer("`win_chances` less seat spread", by_chance - by_spread, RANK_MARGIN)


def chances(study: Study) -> Iterator[Answer]:
    """Compare the unfairness that `win_chances` states with that of the games."""
    for arm in ("own", "perfect", "chance"):
        many = slice(0, 1) if arm == "perfect" else slice(None)
        off = study.chances[arm][:, many] - 0.25
        stated = study.mean((off**2).sum(axis=2).mean(axis=1))
        values = study.mean(study.one_opening(arm))
        both = study.mean((off * (study.shares[arm][:, many] - 0.25)).sum(axis=2).mean(axis=1))
        yield Answer(f"{TITLES[arm]}: unfairness of games", values, is_test=False)
        yield Answer(f"{TITLES[arm]}: stated by games", stated / values, 0.2, 1)
        yield Answer(f"{TITLES[arm]}: slope of shares on chances", both / stated, 0.1, 1)


def plans(study: Study) -> Iterator[Answer]:
    """Report the wins of one seat that follows a plan against three that do not, minus 25 %."""
    shares = {
        plan: study.mean(np.array([sum(row[plan]) for row in study.rows]) / (4 * PLAN_GAMES))
        for plan in PLANS
    }
    for plan in PLANS:
        yield Answer(f"`{plan}`, less 1/4", shares[plan] - 0.25, SEAT_MARGIN)
    yield Answer("`odds` less `optimal`", shares["odds"] - shares["optimal"], SEAT_MARGIN)


def lengths(study: Study) -> Iterator[Answer]:
    """Report the turns of a game, by arm, and the differences between presets."""
    for arm in ARMS:
        turns = study.turns[arm].mean(axis=1)
        plain = study.mean(turns, "open")
        yield Answer(f"{TITLES[arm]}: turns, `open`", plain, is_test=False)
        for rules in PRESETS[1:]:
            change = study.mean(turns, rules) - plain
            yield Answer(f"{TITLES[arm]}: `{rules}` less `open`", change, TURN_MARGIN)


def lines(answers: Iterator[Answer], percent: bool = False) -> Iterator[str]:
    """Yield a table of answers."""
    yield "| | estimate | 95 % interval | difference |"
    yield "| --- | ---: | ---: | --- |"
    yield from (f"| {one.cells(percent)} |" for one in answers)


TABLES: dict[str, Callable[[Study], Iterator[str]]] = {
    "seats": seats,
    "order": lambda study: lines(order(study), percent=True),
    "unfairness": lambda study: lines(unfairness(study)),
    "split": lambda study: lines(split(study)),
    "correlations": lambda study: lines(correlations(study)),
    "chances": lambda study: lines(chances(study)),
    "plans": lambda study: lines(plans(study), percent=True),
    "lengths": lambda study: lines(lengths(study)),
}
"""The tables by mark."""


def write_tables(rows: Sequence[dict[str, Any]], file: Path) -> None:
    """Write the tables between the marks of a page, or into a new file."""
    empty = "".join(f"<!-- {mark} -->\n<!-- end -->\n\n" for mark in TABLES)
    text, study = file.read_text(encoding="utf-8") if file.exists() else empty, Study(rows)
    with np.errstate(divide="ignore", invalid="ignore"):  # samples of a few boards can be without variation
        for mark, table in TABLES.items():
            text = marked(text, mark, list(table(study)))
    file.write_text(text, encoding="utf-8")
