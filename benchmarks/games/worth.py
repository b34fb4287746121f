"""Fit the coefficients of `win_chances` to games (``python -m benchmarks.games.worth``).

Boards come from three presets and have the printed harbors. On each board, four players receive random
settlements, better vertices more often, with the same distribution for all seats. Four `greedy` players then
play without swaps. A conditional logit models the chance to win: a seat's chance is proportional to the
exponential of its features times their coefficients. Newton's method fits them. Every third board is held out
to test the chances.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp import LAYOUTS, Board, Objective, Rules, generate_boards
from catan_cp.boards.pieces import RESOURCES
from catan_cp.placement.objective import features
from catan_cp.placement.positions import free_vertices, snake
from catan_cp.play.games import Games
from catan_cp.play.playing import play_batch

RULES = ("open", "official", "tournament")
BOARDS, DRAWS, GAMES, SEED = 300, 4, 20, 2026
PLAYERS = ("greedy",) * 4
FILE = Path(__file__).parents[2] / "catan_cp" / "data" / "worth.json"
"""The table, read by `catan_cp.Objective.wins`."""


def boards_of(rules: str | Rules, n: int, seed: int) -> list[Board]:
    """Return boards of rules with the printed harbors."""
    printed = LAYOUTS["base"].printed_harbors
    made = generate_boards(n, rules, seed=seed)
    return [Board(board.layout, board.terrain, board.markers, printed) for board in made]


def drawn(board: Board, source: random.Random) -> list[tuple[int, ...]]:
    """Return two random vertices for each of four seats, with weights e^(pips / 3)."""
    pips, chosen = board.vertex_pips(), list[int]()
    while len(chosen) < 8:
        free = free_vertices(board, chosen)
        chosen += source.choices(free, [np.exp(pips[v] / 3) for v in free])
    source.shuffle(chosen)
    return [(chosen[seat], chosen[7 - seat]) for seat in range(4)]


def samples(scale: float = 1) -> tuple[dict[str, Any], Any, Any]:
    """Play, and return features and results of each sample.

    Returns:
        The features by objective, shape (samples, seats, features). The wins, shape (samples, seats). The
        number 2 for each sample whose board is held out.
    """
    found: dict[str, list[Any]] = {"wins": [], "pips": [], "published": []}
    wins, number = [], []
    for rules in RULES:
        for k, board in enumerate(boards_of(rules, max(3, round(BOARDS * scale)), SEED)):
            source = random.Random(f"{SEED} {rules} {k}")
            for draw in range(DRAWS):
                seats = drawn(board, source)
                placed = [(seat, seats[seat - 1][i >= 4], None) for i, seat in enumerate(snake(4))]
                played = play_batch(board, PLAYERS, tuple(placed), SEED * 10 + draw, range(GAMES))
                found["wins"].append([[*features(board, spots).values()] for spots in seats])
                for name, goal in (("pips", Objective.pips()), ("published", Objective())):
                    found[name].append([[float(goal.value(board, spots))] for spots in seats])
                rows = Games("", PLAYERS, "", 0, tuple(played)).rows
                wins.append(np.bincount(rows["winner"], minlength=5)[1:])
                number.append(k % 3)
    return {name: np.array(x, float) for name, x in found.items()}, np.array(wins, float), np.array(number)


def fit(x: Any, wins: Any) -> tuple[Any, Any]:
    """Return the coefficients of a conditional logit with standard errors."""
    beta = np.zeros(x.shape[2])
    for _ in range(30):
        p = shares(x, beta)
        mean = np.einsum("ij,ijk->ik", p, x)
        n = wins.sum(axis=1)
        gradient = np.einsum("ij,ijk->k", wins, x) - n @ mean
        spread = np.einsum("i,ij,ijk,ijl->kl", n, p, x, x) - np.einsum("i,ik,il->kl", n, mean, mean)
        step = np.linalg.solve(spread, gradient)
        beta += step
        if np.abs(step).max() < 1e-10:
            break
    return beta, np.sqrt(np.diag(np.linalg.inv(spread)))


def shares(x: Any, beta: Any) -> Any:
    """Return the chance of each seat."""
    value = x @ beta
    chance = np.exp(value - value.max(axis=1, keepdims=True))
    return chance / chance.sum(axis=1, keepdims=True)


def log_loss(x: Any, wins: Any, beta: Any) -> Any:
    """Return the mean log loss of a game, per sample."""
    return -(wins * np.log(shares(x, beta))).sum(axis=1) / wins.sum(axis=1)


def interval(values: Any) -> list[float]:
    """Return the mean over boards and its 95 % interval."""
    mean, half = values.mean(), 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return [round(float(x), 4) for x in (mean, mean - half, mean + half)]


def table(scale: float = 1) -> dict[str, Any]:
    """Return the coefficients in thousandths, with their origin and their calibration."""
    x, wins, number = samples(scale)
    kept = number == 2
    names = list(features(Board.from_notation(LAYOUTS["base"].beginner_board or ""), (0,)))
    beta, error = fit(x["wins"][~kept], wins[~kept])
    told = {name: Fraction(round(1000 * b), 1000) for name, b in zip(names, beta, strict=True)}
    if min(told.values()) < 0:
        raise ValueError(f"a coefficient is below 0, which pairs' tables cannot have: {told}")
    exact = np.array([float(value) for value in told.values()])
    losses = {"wins": log_loss(x["wins"][kept], wins[kept], exact)}
    for name in ("pips", "published"):
        losses[name] = log_loss(x[name][kept], wins[kept], fit(x[name][~kept], wins[~kept])[0])
    by_board = {name: loss.reshape(-1, DRAWS).mean(axis=1) for name, loss in losses.items()}
    p = shares(x["wins"][kept], exact)
    bins = np.digitize(p, [0.1, 0.2, 0.3, 0.4, 0.5])
    return {
        "made": f"python -m benchmarks.games.worth: {len(wins) // DRAWS} boards of {', '.join(RULES)}, "
        f"{DRAWS} draws of settlements each, {GAMES} games a draw; every third board kept from the fit",
        "coefficients": {name: str(value) for name, value in told.items()},
        "errors": {name: round(float(e), 4) for name, e in zip(names, error, strict=True)},
        "log_loss": {name: interval(loss) for name, loss in by_board.items()},
        "better_than": {name: interval(by_board[name] - by_board["wins"]) for name in ("pips", "published")},
        "boards_kept": len(by_board["wins"]),
        "calibration": [
            [round(float(v), 4) for v in (p[at].mean(), wins[kept][at].mean() / GAMES)] + [int(at.sum())]
            for at in (bins == k for k in range(6))
        ],
    }


def marked(text: str, mark: str, lines: list[str]) -> str:
    """Return a page with new lines at a mark."""
    before, found, rest = text.partition(f"<!-- {mark} -->\n")
    return before + found + "\n".join(lines) + "\n" + rest[rest.index("<!-- end -->") :]


def told(text: str) -> str:
    """Return the page with the coefficients and the calibration."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    lines = ["| what | in the exponent | standard error |", "| --- | ---: | ---: |"]
    for name, value in kept["coefficients"].items():
        what, error = _MEANING.get(name, name), kept["errors"][name]
        lines.append(f"| {what} | {float(Fraction(value)):.3f} | {error:.3f} |")
    held = ["| said | won | seats |", "| ---: | ---: | ---: |"]
    held += [f"| {said:.1%} | {won:.1%} | {n:,} |" for said, won, n in kept["calibration"]]
    return marked(marked(text, "worth", lines), "calibration", held)


_MEANING = {
    **{name: f"a pip of {name}" for name in RESOURCES},
    **{f"any_{name}": f"any {name}" for name in RESOURCES},
    "numbers": "a pip of another number",
    "harbor": "a 3:1 harbor",
    "own_harbor": "a pip of what a harbor trades 2:1",
}


if __name__ == "__main__":
    FILE.write_text(json.dumps(table(), indent=1) + "\n")
    print(FILE.read_text())
