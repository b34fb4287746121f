"""Fit the chances of `win_chances` to games of `greedy` players, and test them on other boards.

    python -m research.games.worth FILE                           # play what FILE lacks, write worth.json
    python -m research.games.worth FILE --to docs/play_paper.md   # also write the tables of the page

Boards of four presets have three and four players. Their openings are those of actual play: chosen by the
players, of perfect players for the published value, and random. A conditional logit (McFadden 1974) models
the chance to win: a seat's chance is proportional to the exponential of its features times their
coefficients. Those of `Objective.own_odds` are fitted together with those of an opening. Then their
sum is one feature of an opening, and these features are fitted again. Standard errors are clustered by board.
Every third board is held out to test the chances, also against those of the first version.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp import Board, Objective, solve_placement
from catan_cp.boards.pieces import RESOURCES
from catan_cp.placement import chances, objective, tables
from catan_cp.placement.chances import opening_features
from catan_cp.placement.objective import BUILDINGS, STEPS, features
from research.games import openings
from research.games.openings import Opening, boards_of, interval, marked, rows_of, seed_of, wins_of

RULES = ("open", "official", "tournament", "optimal")
BOARDS, GAMES, SEED = 300, 30, 49
KINDS = {"own": 3, "perfect": 1, "random": 2}
"""The openings of each board for each number of players, by kind."""

FILE = Path(__file__).parents[2] / "catan_cp" / "data" / "worth.json"
FIRST = {
    "brick": 0.167, "grain": 0.198, "wool": 0.138, "ore": 0.218, "lumber": 0.155,
    "brick_1": 0.719, "grain_1": 1.023, "wool_1": 0.599, "ore_1": 0.533, "lumber_1": 0.644,
    "harbor": 0.476, "own_harbor": 0.120, "numbers": 0.016,
}  # fmt: skip
"""The coefficients of the first version, fitted on random openings. Its *numbers* are no longer a feature."""

SEATS = 4


def openings_of(board: Board, players: int, seed: int) -> list[tuple[str, Opening]]:
    """Return the openings of a board with their kinds."""
    found = [("own", opening) for opening in openings.chosen(board, ["greedy"] * players, KINDS["own"], seed)]
    found.append(("perfect", solve_placement(board, players).settlements))
    return found + [("random", openings.drawn(board, players, seed + k)) for k in range(KINDS["random"])]


def play(rules: str, number: int, notation: str) -> list[Any]:
    """Play from all openings of a board, and return the kind, the opening and the wins of each."""
    board, found = Board.from_notation(notation), list[Any]()
    for players in (4, 3):
        for k, (kind, opening) in enumerate(openings_of(board, players, seed_of(SEED, rules, number))):
            seed = seed_of(SEED, rules, number, players, k)
            found.append([kind, opening, wins_of(rows_of(board, ["greedy"] * players, GAMES, seed, opening))])
    return found


def samples(file: Path, boards: int = BOARDS, workers: int = 2) -> list[tuple[Board, list[Any]]]:
    """Return boards, and the result of `play` for each."""
    made = [(rules, k, b.notation()) for rules in RULES for k, b in enumerate(boards_of(rules, boards, SEED))]
    made.sort(key=lambda task: task[1])
    played = openings.gather(play, made, file, workers)
    return [(Board.from_notation(task[2]), found) for task, found in zip(made, played, strict=True)]


@dataclass(frozen=True)
class Sample:
    """Openings, with arrays over (opening, seat).

    Attributes:
        wins: the wins of each seat, 0 for a seat that does not play.
        plays: bool, True if the seat plays.
        board: the number of the board of each opening.
        kind: the kind of each opening, with its number of players, such as ``own 4``.
        openings: each board and its opening.
    """

    wins: Any
    plays: Any
    board: Any
    kind: Any
    openings: Sequence[tuple[Board, Opening]] = ()

    def values(self, of: Any) -> tuple[list[str], Any]:
        """Return the names of features, and the features, (opening, seat, feature).

        *of* returns the features of each seat of an opening.
        """
        rows = [of(board, opening) for board, opening in self.openings]
        found = np.zeros((*self.wins.shape, len(rows[0][0])))
        for row, seats in zip(found, rows, strict=True):
            row[: len(seats)] = [list(seat.values()) for seat in seats]
        return list(rows[0][0]), found

    def take(self, kept: Any) -> Sample:
        """Return a part of the openings, without their boards."""
        return Sample(self.wins[kept], self.plays[kept], self.board[kept], self.kind[kept])


def sample_of(played: list[tuple[Board, list[Any]]]) -> Sample:
    """Return the openings of `samples`."""
    every = [(k, kind, wins) for k, (_, found) in enumerate(played) for kind, _, wins in found]
    sizes = np.array([len(wins) for _, _, wins in every])
    return Sample(
        wins=np.array([wins + [0] * (SEATS - len(wins)) for _, _, wins in every], dtype=float),
        plays=np.arange(SEATS) < sizes[:, None],
        board=np.array([k for k, _, _ in every]),
        kind=np.array([f"{kind} {len(wins)}" for _, kind, wins in every]),
        openings=[(board, opening) for board, found in played for _, opening, _ in found],
    )


def shares(x: Any, plays: Any, beta: Any) -> Any:
    """Return the chance of each seat, 0 for a seat that does not play."""
    value = np.where(plays, x @ beta, -np.inf)
    chance = np.exp(value - value.max(axis=1, keepdims=True))
    return chance / chance.sum(axis=1, keepdims=True)


def fit(x: Any, sample: Sample) -> tuple[Any, Any]:
    """Return the coefficients of a conditional logit, by Newton's method, and their standard errors."""
    beta, n = np.zeros(x.shape[2]), sample.wins.sum(axis=1)
    for _ in range(30):
        p = shares(x, sample.plays, beta)
        mean = np.einsum("ij,ijk->ik", p, x)
        scores = np.einsum("ij,ijk->ik", sample.wins, x) - n[:, None] * mean
        spread = np.einsum("ij,ijk,ijl->kl", p * n[:, None], x, x) - np.einsum("i,ik,il->kl", n, mean, mean)
        step = np.linalg.solve(spread, scores.sum(axis=0))
        beta += step
        if np.abs(step).max() < 1e-10:
            break
    by_board = np.zeros((sample.board.max() + 1, x.shape[2]))
    np.add.at(by_board, sample.board, scores)
    inverse = np.linalg.inv(spread)
    return beta, np.sqrt(np.diag(inverse @ (by_board.T @ by_board) @ inverse))


def rounded(names: list[str], beta: Any) -> dict[str, Fraction]:
    """Return coefficients in thousandths, by name."""
    return {
        name: Fraction(round(1000 * value), 1000) for name, value in zip(names, beta.tolist(), strict=True)
    }


def check_positive(each: dict[str, Fraction]) -> None:
    """Test that no settlements have a negative value, which tables of pairs cannot have.

    Raises:
        ValueError: they can.
    """
    values = [each[name] for name in (*BUILDINGS, "harbor", "own_harbor")]
    for name in RESOURCES:
        values += [
            each[name] * pips + sum(each[f"{name}_{step}"] * min(pips, step) for step in STEPS)
            for pips in range(31)
        ]
    if min(values) < 0:
        raise ValueError(f"settlements can have a negative value, which pairs' tables cannot have: {each}")


def first_features(board: Board, opening: Opening) -> list[dict[str, float]]:
    """Return the features of the first version."""
    hit = Objective(0, 0, 1)
    found = []
    for vertices in opening:
        row = features(board, vertices) | {"numbers": 36 * hit.value(board, vertices)}
        found.append({name: float(row[name]) for name in FIRST})
    return found


def wider_features(board: Board, opening: Opening) -> list[dict[str, float]]:
    """Return `opening_features` of each seat."""
    found = opening_features([board], [opening])
    seats = zip(*(values[0].tolist() for values in found.values()), strict=True)
    return [dict(zip(found, seat, strict=True)) for seat in seats]


def by_board(values: Any, sample: Sample) -> Any:
    """Return the mean of values of openings on each board."""
    _, place = np.unique(sample.board, return_inverse=True)
    return np.bincount(place, values) / np.bincount(place)


def tested(sample: Sample, chance: Any, first: Any) -> dict[str, Any]:
    """Return how chances hold on openings of one kind, beside those of the first version."""
    n, size = sample.wins.sum(axis=1), sample.plays.sum(axis=1)
    even = sample.plays / size[:, None]
    share = sample.wins / n[:, None]

    def loss(p: Any) -> Any:
        return -(sample.wins * np.log(np.where(sample.plays, p, 1))).sum(axis=1) / n

    shown = ((share - even) ** 2).sum(axis=1) - (1 - (share**2).sum(axis=1)) / (n - 1)
    stated, both = ((chance - even) ** 2).sum(axis=1), ((chance - even) * (share - even)).sum(axis=1)
    losses = by_board(loss(chance), sample)
    return {
        "boards": len(losses),
        "log_loss": [round(x, 4) for x in interval(losses)],
        "first_less_this": [round(x, 4) for x in interval(by_board(loss(first), sample) - losses)],
        "unfairness": round(float(shown.mean()), 4),
        "stated": round(float(stated.mean()), 4),
        "stated_first": round(float(((first - even) ** 2).sum(axis=1).mean()), 4),
        "slope": round(float(both.mean() / stated.mean()), 3),
    }


def table(played: list[tuple[Board, list[Any]]]) -> dict[str, Any]:
    """Fit, write the coefficients to `FILE`, and return its whole content."""
    sample = sample_of(played)
    held = sample.board // len(RULES) % 3 == 2
    known, unknown = sample.take(~held), sample.take(held)
    found: dict[str, Any] = {
        "made": f"python -m research.games.worth: {len(played)} boards of {', '.join(RULES)}, "
        f"{GAMES} games from each of {len(played[0][1])} openings; every third board kept from the fit"
    }

    def store(part: str, names: list[str], beta: Any, errors: Any) -> None:
        found[part] = {name: str(value) for name, value in rounded(names, beta).items()}
        found[f"{part}_errors"] = dict(zip(names, errors.round(4).tolist(), strict=False))
        FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        for cached in (objective.worth, objective.whole_worth, chances._opening_worth, tables._factors):
            cached.cache_clear()

    names, alone = sample.values(lambda board, opening: [features(board, vertices) for vertices in opening])
    store("settlements", names, *fit(alone[~held], known))  # which opening_features needs
    wider, x = sample.values(wider_features)
    beta, errors = fit(np.concatenate([alone, x[:, :, 1:]], axis=2)[~held], known)
    check_positive(rounded(names, beta[: len(names)]))
    store("settlements", names, beta[: len(names)], errors)
    _, x = sample.values(wider_features)
    store("opening", wider, *fit(x[~held], known))
    exact = np.array([float(Fraction(value)) for value in found["opening"].values()])
    chance = shares(x[held], unknown.plays, exact)
    first = shares(sample.values(first_features)[1][held], unknown.plays, np.array([*FIRST.values()]))
    found["tests"] = {
        kind: tested(unknown.take(at), chance[at], first[at])
        for kind in np.unique(unknown.kind).tolist()
        for at in [unknown.kind == kind]
    }
    p, share = chance[unknown.plays], (unknown.wins / GAMES)[unknown.plays]
    bins = np.digitize(p, [0.1, 0.2, 0.3, 0.4, 0.5])
    found["calibration"] = [
        [round(float(p[at].mean()), 4), round(float(share[at].mean()), 4), int(at.sum())]
        for at in (bins == k for k in range(6))
    ]
    return found


def write_page(file: Path) -> None:
    """Write the coefficients and the tests into a page."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    lines = ["| feature | in the exponent | standard error |", "| --- | ---: | ---: |"]
    for name, value in kept["opening"].items():
        lines.append(f"| {name} | {float(Fraction(value)):.3f} | {kept['opening_errors'][name]:.3f} |")
    tests = ["| openings, players | log loss | first version less this | stated unfairness | in games |"]
    tests.append("| --- | ---: | ---: | ---: | ---: |")
    for kind, test in kept["tests"].items():
        (loss, *_), (less, low, high) = test["log_loss"], test["first_less_this"]
        cells = f"{less:.3f} ({low:.3f} to {high:.3f}) | {test['stated']:.3f} | {test['unfairness']:.3f}"
        tests.append(f"| {kind} | {loss:.3f} | {cells} |")
    held = ["| estimated | won | seats |", "| ---: | ---: | ---: |"]
    held += [f"| {said:.1%} | {won:.1%} | {n:,} |" for said, won, n in kept["calibration"]]
    text = file.read_text(encoding="utf-8")
    for mark, rows in (("worth", lines), ("worth tests", tests), ("calibration", held)):
        text = marked(text, mark, rows)
    file.write_text(text, encoding="utf-8")


def main() -> None:
    """Run a command line."""
    parser = argparse.ArgumentParser(prog="python -m research.games.worth", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", type=Path, help="file of games to write or complete")
    parser.add_argument("--to", type=Path, help="page whose tables are replaced")
    parser.add_argument("--workers", type=int, default=2, help="number of processes (default: 2)")
    given = parser.parse_args()
    found = table(samples(given.file, workers=given.workers))
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if given.to is not None:
        write_page(given.to)


if __name__ == "__main__":
    from research.games import worth  # by its name: processes that play must find it

    worth.main()
