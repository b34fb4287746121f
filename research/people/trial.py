"""Read finished games of people, and compare forecasts of their winners, by the plan in PLAN.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp import CatanError, InvalidBoard, import_board, win_chances
from catan_cp.boards.notation import json_value
from catan_cp.files import read_small
from catan_cp.formats.reading import LARGEST, format_of
from catan_cp.placement import Draft

SEATS, POINTS, FOLDS, SAMPLES, SEED = (3, 4), 10, 10, 2000, 70
PENALTY = 1 / 1000
FORECASTS = ("equal", "seats", "pips", "stated", "scaled")


class LeftOut(Exception):
    """A game is left out for this reason."""


@dataclass(frozen=True)
class Finished:
    """A finished game: its digest, and by seat the chances and pips. The winner is a seat from 0."""

    digest: str
    chances: tuple[float, ...]
    pips: tuple[int, ...]
    winner: int


# Winners by format


def _colonist(text: str, seats: Sequence[str]) -> tuple[int, int]:
    game = json_value(text)
    game = game.get("data") or game
    points = (game.get("gameSettings") or {}).get("victoryPointsToWin", POINTS)
    players = game["eventHistory"]["endGameState"]["players"]
    (winner,) = (int(color) for color, player in players.items() if player.get("winningPlayer"))
    return points, game["playOrder"].index(winner)


def _jsettlers(text: str, seats: Sequence[str]) -> tuple[int, int]:
    game = json_value(text)
    stated = re.search(r"\bVP=t([0-9]+)", game.get("gameOptions") or "")
    points = int(stated[1]) if stated else POINTS
    chairs = game["playerSeats"] if game["gameState"] == 1000 else []  # the game is over
    (winner,) = (chair["name"][:40] for chair in chairs if chair.get("totalVP", 0) >= points)
    return points, seats.index(winner)


def _catanlog(text: str, seats: Sequence[str]) -> tuple[int, int]:
    (winner,) = re.findall(r"^(.+) wins\s*$", text, re.MULTILINE)
    return POINTS, seats.index(winner)


def _catanatron(text: str, seats: Sequence[str]) -> tuple[int, int]:
    return POINTS, seats.index(json_value(text)["winning_color"])


WINNERS: dict[str, Callable[[str, Sequence[str]], tuple[int, int]]] = {
    "colonist.io": _colonist,
    "JSettlers2": _jsettlers,
    "catanlog": _catanlog,
    "Catanatron": _catanatron,
}
"""By format, a function that returns the points to win, and the winner's seat from 0."""


def winner_of(text: str, seats: Sequence[str]) -> int:
    """Return the winner's seat from 0.

    Raises:
        LeftOut: the text does not name exactly one, or not 10 points to win.
    """
    known = format_of(text)
    assert known is not None
    try:
        points, winner = WINNERS[known.program](text, seats)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise LeftOut("not exactly one winner") from None
    if points != POINTS:
        raise LeftOut(f"not {POINTS} points to win")
    return winner


def finished(text: str) -> Finished:
    """Return the finished game of a text.

    Raises:
        LeftOut: it is left out by the plan.
    """
    try:
        draft = import_board(text)
    except CatanError:
        raise LeftOut("no board or opening that can be read") from None
    if not isinstance(draft, Draft) or len(draft.seats) not in SEATS:
        raise LeftOut("no opening of 3 or 4 seats")
    settlements = [
        [v for player, v in draft.settlements if player == seat + 1] for seat in range(len(draft.seats))
    ]
    if {*map(len, settlements)} != {2}:
        raise LeftOut("no complete opening")
    winner, board = winner_of(text, draft.seats), draft.known_board
    try:
        chances = win_chances(board, settlements)
    except CatanError:
        raise LeftOut("a board without measured chances") from None
    vertex_pips = board.vertex_pips()
    pips = tuple(sum(vertex_pips[v] for v in vertices) for vertices in settlements)
    key = f"{board.notation()} {draft} {winner}"
    return Finished(blake2b(key.encode(), digest_size=16).hexdigest(), chances, pips, winner)


def read_games(files: Iterable[Path]) -> tuple[list[Finished], Counter[str]]:
    """Return the finished games of files, and the number of games left out by reason."""
    games, reasons = dict[str, Finished](), Counter[str]()
    for file in files:
        try:
            game = finished(read_small(file, LARGEST, "file of a game", InvalidBoard))
            if game.digest in games:
                raise LeftOut("the same game as another file")
            games[game.digest] = game
        except CatanError:
            reasons["a file that cannot be read"] += 1
        except LeftOut as reason:
            reasons[str(reason)] += 1
    return [games[digest] for digest in sorted(games)], reasons


# Forecasts


def _rows(values: Sequence[Sequence[float]]) -> Any:
    """Return values per game and seat as an array, NaN for the seat that a game of three lacks."""
    rows = np.full((len(values), max(SEATS)), np.nan)
    for row, seats in zip(rows, values, strict=True):
        row[: len(seats)] = seats
    return rows


def _softmax(scores: Any) -> Any:
    odds = np.exp(scores - np.nanmax(scores, axis=1, keepdims=True))
    return odds / np.nansum(odds, axis=1, keepdims=True)


def fit(features: Any, winners: Any) -> tuple[float, float]:
    """Return the weight of a feature in a conditional logit, and its standard error, by Newton's method."""
    games, weight, curvature = np.arange(len(winners)), 0.0, 1.0
    for _ in range(50):
        chances = _softmax(weight * features)
        mean = np.nansum(chances * features, axis=1)
        slope = np.sum(features[games, winners] - mean) - 2 * PENALTY * weight
        curvature = np.nansum(chances * (features - mean[:, None]) ** 2) + 2 * PENALTY
        step = float(np.clip(slope / curvature, -1, 1))
        weight += step
        if abs(step) < 1e-10:
            break
    return weight, float(curvature**-0.5)


def cross_fitted(features: Any, winners: Any, folds: Any) -> Any:
    """Return the chances by a feature, with its weight fitted on the other folds."""
    chances = np.empty_like(features)
    for fold in range(FOLDS):
        others = folds != fold
        weight, _ = fit(features[others], winners[others])
        chances[~others] = _softmax(weight * features[~others])
    return chances


def seat_shares(seats: Any, winners: Any) -> Any:
    """Return by game the share of wins of its winner's seat in all other games of as many seats."""
    shares = np.empty(len(winners))
    for n in SEATS:
        group = seats == n
        counts = np.bincount(winners[group], minlength=n)
        shares[group] = counts[winners[group]] / max(1, group.sum() - 1 + n)  # one win less and one added
    return shares


def losses(games: Sequence[Finished]) -> dict[str, Any]:
    """Return by forecast the log loss of each game."""
    winners = np.array([game.winner for game in games])
    seats = np.array([len(game.chances) for game in games])
    folds = np.array([int(game.digest, 16) % FOLDS for game in games])
    stated, pips = _rows([game.chances for game in games]), _rows([game.pips for game in games])
    picked = np.arange(len(games)), winners
    chances = {
        "equal": 1 / seats,
        "seats": seat_shares(seats, winners),
        "pips": cross_fitted(pips, winners, folds)[picked],
        "stated": stated[picked],
        "scaled": cross_fitted(np.log(stated), winners, folds)[picked],
    }
    return {name: -np.log(chances[name]) for name in FORECASTS}


def interval(gains: Any) -> tuple[float, float]:
    """Return the 95 % interval of a mean over games, by a bootstrap of games."""
    rng = np.random.default_rng(SEED)
    means = [gains[rng.integers(len(gains), size=len(gains))].mean() for _ in range(SAMPLES)]
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def verdict(low: float, high: float) -> str:
    """Return whether an interval of a gain lies above 0."""
    return "better" if low > 0 else "worse" if high < 0 else "open"


def results(games: Sequence[Finished], reasons: Counter[str]) -> dict[str, Any]:
    """Return all figures of the trial."""
    by_game = losses(games)
    stated = np.log(_rows([game.chances for game in games]))
    slope, error = fit(stated, np.array([game.winner for game in games]))
    gains: dict[str, Any] = {}
    for name in FORECASTS[1:]:
        for other in ("seats", "pips"):
            if name != other:
                gain = by_game[other] - by_game[name]
                low, high = interval(gain)
                gains[f"{name} beside {other}"] = {
                    "gain": float(gain.mean()), "interval": [low, high], "verdict": verdict(low, high),
                }  # fmt: skip
    return {
        "games": len(games),
        "left_out": dict(sorted(reasons.items())),
        "log_loss": {name: float(loss.mean()) for name, loss in by_game.items()},
        "gains": gains,
        "exponent": {"value": slope, "standard_error": error},
    }


def lines(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the tables of the trial as Markdown."""
    yield f"{figures['games']:,} games"
    for reason, count in figures["left_out"].items():
        yield f"- left out: {count:,} ({reason})"
    yield from ("", "| forecast | log loss, nats per game |", "| --- | ---: |")
    yield from (f"| {name} | {loss:.4f} |" for name, loss in figures["log_loss"].items())
    yield from ("", "| forecast | gain | 95 % interval | |", "| --- | ---: | ---: | --- |")
    for name, row in figures["gains"].items():
        low, high = row["interval"]
        yield f"| {name} | {row['gain']:+.4f} | {low:+.4f} to {high:+.4f} | {row['verdict']} |"
    exponent = figures["exponent"]
    value, error = exponent["value"], exponent["standard_error"]
    yield f"\nexponent of the stated chances: {value:.3f}, standard error {error:.3f}"
