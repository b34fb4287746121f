"""Fit and test the estimate of chances to win, by the plan in README.md.

    python -m research.games.estimate FILE                            # play what FILE lacks, print the tests
    python -m research.games.estimate FILE --scale 0.01               # the same on a hundredth of the boards
    python -m research.games.estimate FILE --to docs/play_paper.md    # also store weights, write tables

A conditional logit (McFadden 1974) models the chance to win: a seat's chance is proportional to the
exponential of its features times their weights. Standard errors are clustered by board.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp import Board
from catan_cp.placement import chance_game, chances
from catan_cp.placement.tables import batch_of
from research.games import openings
from research.games.openings import Opening, boards_of, interval, marked, rows_of, seed_of, wins_of
from research.games.study import BOARDS, PRESETS, read

FILE = Path(__file__).parents[2] / "catan_cp" / "data" / "worth.json"
SEED, ROUNDS, SEATS = 60, 2, 4
LINES, TESTS = 24, 15
"""The boards of each preset with lines of a round, and with lines for tests."""
GAMES, TEST_GAMES, STORED_GAMES = 40, 200, {"own": 40, "perfect": 100}
NEIGHBORS = {3: 2, 4: 4}
SAMPLES = 400
LIMITS = (0.9, 1.1)
"""The slopes of played on stated logarithms of odds that count as calibrated."""

Weights = dict[str, float]
Played = list[tuple[str, Opening, list[int]]]
"""Kinds, openings, and the wins of each seat."""


def use(weights: Weights) -> None:
    """Let the library state chances by these weights."""
    chances.pair_worth = lambda: weights  # type: ignore[assignment]
    for cached in (chance_game._log_odds, chance_game._line, chance_game._moves):
        cached.cache_clear()


def play(part: str, rules: str, number: int, notation: str, weights: Weights) -> Played:
    """Play from the openings of a part of the plan on one board."""
    board = Board.from_notation(notation)
    seed, n = seed_of(SEED, part, rules, number), TEST_GAMES if part == "test" else GAMES
    if weights:
        use(weights)
    chosen = known_openings(board, seed) if part == "known" else line_openings(board, seed)
    return [
        (kind, opening, wins_of(rows_of(board, ["greedy"] * len(opening), n, seed + k, opening)))
        for k, (kind, opening) in enumerate(chosen)
    ]


def known_openings(board: Board, seed: int) -> list[tuple[str, Opening]]:
    """Return openings of experts and greedy players, and random ones."""
    experts = [("expert 4", one) for one in openings.chosen(board, ["expert"] * 4, 3, seed)]
    greedy = [("own 3", one) for one in openings.chosen(board, ["greedy"] * 3, 2, seed)]
    many = ((4, 1), (4, 2), (3, 3))
    return experts + greedy + [(f"random {n}", openings.drawn(board, n, seed + k)) for n, k in many]


def line_openings(board: Board, seed: int) -> list[tuple[str, Opening]]:
    """Return the lines of the game of chances, and lines after good moves that leave them."""
    source, openings = random.Random(seed), list[tuple[str, Opening]]()
    for players, neighbors in NEIGHBORS.items():
        line = chance_game.chance_line(board, players)
        openings.append((f"line {players}", line.settlements))
        turn = source.randrange(2 * players)
        moves = chance_game.move_chances(board, players, line.order[:turn], neighbors + 1)
        for vertex, _ in moves[1:]:
            near = chance_game.chance_line(board, players, (*line.order[:turn], vertex))
            openings.append((f"neighbor {players}", near.settlements))
    return openings


def tasks_of(part: str, boards: int, seed: int, weights: Weights) -> list[tuple[Any, ...]]:
    """Return the arguments of `play` for a part."""
    return [
        (part, rules, k, board.notation(), weights)
        for rules in PRESETS
        for k, board in enumerate(boards_of(rules, boards, seed))
    ]


@dataclass(frozen=True)
class Sample:
    """Openings, with arrays over (opening, seat).

    Attributes:
        x: (opening, seat, feature) the features of each seat.
        wins: the wins of each seat, 0 for a seat that does not play.
        plays: bool, True if the seat plays.
        board: a number of the board of each opening.
        kind: the kind of each opening, with its number of players, such as ``own 4``.
        held: bool, True for openings that are kept from the fit.
        before: the chances by the estimate before, 0 if they are not stored.
    """

    x: Any
    wins: Any
    plays: Any
    board: Any
    kind: Any
    held: Any
    before: Any

    def take(self, rows: Any) -> Sample:
        """Return a part of the openings."""
        return Sample(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def join(samples: Sequence[Sample]) -> Sample:
    """Return all openings of samples. Their boards have different numbers."""
    parts, first = [], 0
    for sample in samples:
        parts.append(replace(sample, board=sample.board + first))
        first += sample.board.max() + 1
    return Sample(
        *(np.concatenate([getattr(s, name) for s in parts]) for name in Sample.__dataclass_fields__)
    )


def sample_of(rows: Sequence[tuple[Board, int, Played]], before: Sequence[Any] = ()) -> Sample:
    """Return openings of boards, each with its number in the preset."""
    games = [(k, *one) for k, (_, _, played) in enumerate(rows) for one in played]
    board, sizes = np.array([k for k, *_ in games]), np.array([len(wins) for *_, wins in games])
    hands = np.array([[*opening, *[(0, 2)] * (SEATS - len(opening))] for _, _, opening, _ in games])
    batch = batch_of([row[0] for row in rows])
    features = chances.pair_features(batch, board[:, None], hands[..., 0], hands[..., 1])
    stated = np.zeros((len(games), SEATS))
    for row, known in zip(stated, before, strict=False):
        row[:] = np.array(known) / sum(known)
    return Sample(
        x=np.stack([values.astype(float) for values in features.values()], axis=2),
        wins=np.array([wins + [0] * (SEATS - len(wins)) for *_, wins in games], dtype=float),
        plays=np.arange(SEATS) < sizes[:, None],
        board=board,
        kind=np.array([kind for _, kind, _, _ in games]),
        held=np.array([rows[k][1] % 3 == 2 for k in board]),
        before=stated,
    )


def stored_sample(boards: int) -> Sample:
    """Return the openings of the study with games of greedy players."""
    rows, before = list[tuple[Board, int, Played]](), list[Any]()
    for row in read():
        if row["number"] < boards and row["rules"] in PRESETS:
            played = [(f"{arm} 4", opening, wins) for arm in STORED_GAMES for opening, wins, _, _ in row[arm]]
            before += [cells[3] for arm in STORED_GAMES for cells in row[arm]]
            rows.append((Board.from_notation(row["board"]), row["number"], played))
    return sample_of(rows, before)


def shares(x: Any, plays: Any, beta: Any) -> Any:
    """Return the chance of each seat, 0 for a seat that does not play."""
    value = np.where(plays, x @ beta, -np.inf)
    chance = np.exp(value - value.max(axis=1, keepdims=True))
    return chance / chance.sum(axis=1, keepdims=True)


def fit(sample: Sample, weight: Any = 1.0) -> tuple[Any, Any]:
    """Return the coefficients of a conditional logit and their standard errors.

    The method is Newton's.
    """
    scale = np.abs(sample.x).max(axis=(0, 1))
    x, wins = sample.x / scale, sample.wins * np.reshape(weight, (-1, 1))
    beta, n = np.zeros(x.shape[2]), wins.sum(axis=1)
    for _ in range(30):
        p = shares(x, sample.plays, beta)
        mean = np.einsum("ij,ijk->ik", p, x)
        scores = np.einsum("ij,ijk->ik", wins, x) - n[:, None] * mean
        spread = np.einsum("ij,ijk,ijl->kl", p * n[:, None], x, x) - np.einsum("i,ik,il->kl", n, mean, mean)
        step = np.linalg.solve(spread, scores.sum(axis=0))
        beta += step
        if np.abs(step).max() < 1e-10:
            break
    by_board = np.zeros((sample.board.max() + 1, x.shape[2]))
    np.add.at(by_board, sample.board, scores)
    inverse = np.linalg.inv(spread)
    return beta / scale, np.sqrt(np.diag(inverse @ (by_board.T @ by_board) @ inverse)) / scale


def named(beta: Any) -> Weights:
    """Return weights in millionths, by the name of their feature."""
    return dict(zip(chances.pair_worth(), np.round(beta, 6).tolist(), strict=True))


def by_board(values: Any, sample: Sample) -> Any:
    """Return the mean of values of openings on each board."""
    _, place = np.unique(sample.board, return_inverse=True)
    return np.bincount(place, values) / np.bincount(place)


def slope(sample: Sample, beta: Any) -> list[float]:
    """Return the slope of played on stated logarithms of odds, with its interval over boards."""
    stated = (sample.x @ beta)[..., None]
    _, place = np.unique(sample.board, return_inverse=True)
    source, n = np.random.default_rng(1), place.max() + 1
    counts = [np.ones(n), *source.multinomial(n, np.full(n, 1 / n), size=SAMPLES)]
    values = [float(fit(replace(sample, x=stated), count[place])[0][0]) for count in counts]
    return [round(x, 3) for x in (values[0], *np.quantile(values[1:], (0.025, 0.975)).tolist())]


def losses(sample: Sample, p: Any) -> Any:
    """Return the log loss per game of each opening."""
    logarithms = np.log(np.where(sample.plays, np.maximum(p, 5e-5), 1))
    return -(sample.wins * logarithms).sum(axis=1) / sample.wins.sum(axis=1)


def tested(sample: Sample, beta: Any) -> dict[str, Any]:
    """Return how chances hold on openings of one kind."""
    p = shares(sample.x, sample.plays, beta)
    n, size = sample.wins.sum(axis=1), sample.plays.sum(axis=1)
    even, share = sample.plays / size[:, None], sample.wins / n[:, None]
    played = ((share - even) ** 2).sum(axis=1) - (1 - (share**2).sum(axis=1)) / (n - 1)
    loss = by_board(losses(sample, p), sample)
    scores = {
        "boards": len(loss),
        "openings": len(p),
        "log_loss": [round(x, 4) for x in interval(loss)],
        "slope": slope(sample, beta),
        "unfairness": round(float(played.mean()), 4),
        "stated": round(float(((p - even) ** 2).sum(axis=1).mean()), 4),
    }
    if sample.before.any():
        more = by_board(losses(sample, p) - losses(sample, sample.before), sample)
        scores["more_than_before"] = [round(x, 4) for x in interval(more)]
    return scores


def deciles(sample: Sample, beta: Any) -> list[list[float]]:
    """Return mean stated chance, share of wins and number of seats, by tenths of chance."""
    p = shares(sample.x, sample.plays, beta)[sample.plays]
    share = (sample.wins / sample.wins.sum(axis=1, keepdims=True))[sample.plays]
    parts = np.array_split(np.argsort(p, kind="stable"), 10)
    return [[round(float(p[at].mean()), 4), round(float(share[at].mean()), 4), len(at)] for at in parts]


def is_of_line(sample: Sample) -> Any:
    """Return True for lines of the game of chances, and for their neighbors."""
    return np.char.startswith(sample.kind, "line") | np.char.startswith(sample.kind, "neighbor")


class Run:
    """Plays the parts of the plan into a file, and fits."""

    def __init__(self, file: Path, scale: float, workers: int) -> None:
        self.file, self.scale, self.workers = file, scale, workers
        self.boards, self.lines, self.tests = (max(3, round(n * scale)) for n in (BOARDS, LINES, TESTS))

    def sample(self, part: str, boards: int, weights: Weights) -> Sample:
        """Play a part of the plan, and return its openings."""
        seed = SEED + 1 + int(part[-1]) if part.startswith("lines") else SEED
        if part == "known":
            stored = [row for row in read() if row["number"] < boards and row["rules"] in PRESETS]
            tasks: list[tuple[Any, ...]] = [
                (part, row["rules"], row["number"], row["board"], {}) for row in stored
            ]
        else:
            tasks = tasks_of(part, boards, seed, weights)
        played = openings.gather(play, tasks, self.file, self.workers)
        rows = [(Board.from_notation(task[3]), task[2], one) for task, one in zip(tasks, played, strict=True)]
        result = sample_of(rows)
        return result if part == "known" else replace(result, held=np.full(len(result.held), part == "test"))

    def whole(self) -> dict[str, Any]:
        """Play and fit all rounds, and return weights, errors and tests."""
        known, weight = [stored_sample(self.boards), self.sample("known", self.boards, {})], 1.0
        data = join(known)
        beta, errors = fit(data.take(~data.held))
        for number in range(1, ROUNDS + 1):
            known.append(self.sample(f"lines {number}", self.lines, named(beta)))
            data = join(known)
            beta, errors = self.refit(data, weight)
        test = self.sample("test", self.tests, named(beta))
        if not LIMITS[0] <= slope(test, beta)[0] <= LIMITS[1]:
            weight = 2.0
            beta, errors = self.refit(data, weight)
            test = self.sample("test", self.tests, named(beta))
        beta = np.array([*named(beta).values()])
        data = join([data, test])
        data = data.take(data.held)
        is_line = is_of_line(data)
        return {
            "pairs": {name: str(Fraction(str(value))) for name, value in named(beta).items()},
            "pairs_errors": dict(zip(named(beta), errors.round(6).tolist(), strict=True)),
            "weight_of_lines": weight,
            "tests": {
                kind: tested(data.take(data.kind == kind), beta) for kind in np.unique(data.kind).tolist()
            }
            | {"all lines": tested(data.take(is_line), beta)},
            "calibration": {
                "known": deciles(data.take(~is_line), beta),
                "lines": deciles(data.take(is_line), beta),
            },
        }

    def refit(self, data: Sample, weight: float) -> tuple[Any, Any]:
        """Fit to the openings that are not held out, with a weight for lines."""
        train = data.take(~data.held)
        return fit(train, np.where(is_of_line(train), weight, 1.0))


def write_page(file: Path) -> None:
    """Write the weights and the tests into a page."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    lines = ["| feature | weight | standard error |", "| --- | ---: | ---: |"]
    lines += [
        f"| {name} | {float(Fraction(value)):.4f} | {stored['pairs_errors'][name]:.4f} |"
        for name, value in stored["pairs"].items()
    ]
    columns = (
        "openings, players",
        "boards",
        "log loss",
        "more than before",
        "slope",
        "stated unfairness",
        "played",
    )
    tests = [f"| {' | '.join(columns)} |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for kind, test in stored["tests"].items():
        more = test.get("more_than_before")
        interval = "" if more is None else f"{more[0]:.4f} ({more[1]:.4f} to {more[2]:.4f})"
        mid, low, high = test["slope"]
        first = f"{kind} | {test['boards']} | {test['log_loss'][0]:.3f} | {interval}"
        rest = f"{mid:.2f} ({low:.2f} to {high:.2f}) | {test['stated']:.3f} | {test['unfairness']:.3f}"
        tests.append(f"| {first} | {rest} |")
    held = ["| known kinds: estimated | won | lines: estimated | won |", "| ---: | ---: | ---: | ---: |"]
    for known, line in zip(*stored["calibration"].values(), strict=True):
        held.append(f"| {known[0]:.1%} | {known[1]:.1%} | {line[0]:.1%} | {line[1]:.1%} |")
    text = file.read_text(encoding="utf-8")
    for mark, rows in (("worth", lines), ("worth tests", tests), ("calibration", held)):
        text = marked(text, mark, rows)
    file.write_text(text, encoding="utf-8")


def main(words: Sequence[str] | None = None) -> None:
    """Run a command line."""
    parser = argparse.ArgumentParser(prog="python -m research.games.estimate", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", type=Path, help="file of games to write or resume")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the boards (default: 1)")
    parser.add_argument("--to", type=Path, help="page whose tables are replaced; stores the weights, too")
    parser.add_argument("--workers", type=int, default=2, help="number of processes (default: 2)")
    chosen = parser.parse_args(words)
    fit = Run(chosen.file, chosen.scale, chosen.workers).whole()
    print(json.dumps(fit, indent=1))
    if chosen.to is not None:
        stored = json.loads(FILE.read_text(encoding="utf-8"))
        FILE.write_text(json.dumps(stored | fit, indent=1) + "\n", encoding="utf-8")
        write_page(chosen.to)


if __name__ == "__main__":
    from research.games import estimate  # by its name: processes that play must find it

    estimate.main()
