"""Measure if boards that are even for one line of play are even for others (plan: README.md).

python -m research.games.fairness FILE                           # play what FILE lacks, print the table
python -m research.games.fairness FILE --scale 0.01              # the same with a hundredth of the boards
python -m research.games.fairness FILE --to docs/play_paper.md   # also write the table of the page
"""

import argparse
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp import Board, solve_placement
from catan_cp.placement.chance_game import chance_line
from research.games.openings import Opening, boards_of, gather, interval, marked, rows_of, seed_of, wins_of

RULES, SEED = "tournament", 66
CANDIDATES, RANDOM = 300, 36
"""The sampled boards, and the number of those that stand for all."""

TRIAL, GAMES, STYLE_GAMES = 300, 4000, 1000
TRIAL_LIMIT, LIMIT = 0.09, 0.05
"""The largest deviation of a seat from 25 % after the trial, and the limit of an even board."""

MIXTURE = ("greedy", "expert", "trader", "weighted")
STYLES = {
    "line": "`greedy`, from the line of the game of chances",
    "greedy": "`greedy`, own settlements",
    "expert": "`expert`, own settlements",
    "mixture": "one each of `greedy`, `expert`, `trader`, `weighted`, own settlements",
    "published": "`greedy`, from the published line",
}


def deviation(wins: Sequence[int]) -> float:
    """Return the largest deviation of a seat's share of wins from a quarter."""
    return float(max(abs(count / sum(wins) - 0.25) for count in wins))


def greedy_wins(board: Board, opening: Opening, games: int, *words: object) -> list[int]:
    """Return the wins of greedy players from an opening."""
    return wins_of(rows_of(board, ["greedy"] * 4, games, seed_of(SEED, *words), opening))


def try_board(number: int, notation: str) -> dict[str, Any]:
    """Return the line of play of a board, and the wins from it in the trial and in all games."""
    board = Board.from_notation(notation)
    line = chance_line(board, 4).settlements
    trial = greedy_wins(board, line, TRIAL, number, "trial")
    all_games = deviation(trial) <= TRIAL_LIMIT
    wins = greedy_wins(board, line, GAMES, number, "games") if all_games else []
    return {"line": line, "trial": trial, "wins": wins}


def play_styles(number: int, notation: str, line: Opening) -> dict[str, list[int]]:
    """Return the wins of each seat in new games of each style."""
    board = Board.from_notation(notation)
    seed = seed_of(SEED, number, "styles")
    published, orders = solve_placement(board).settlements, list(permutations(MIXTURE))
    mixed = [
        wins_of(rows_of(board, order, STYLE_GAMES // len(orders), seed + k)) for k, order in enumerate(orders)
    ]
    return {
        "line": greedy_wins(board, line, STYLE_GAMES, number, "line"),
        "greedy": wins_of(rows_of(board, ["greedy"] * 4, STYLE_GAMES, seed)),
        "expert": wins_of(rows_of(board, ["expert"] * 4, STYLE_GAMES, seed)),
        "mixture": np.sum(mixed, axis=0).tolist(),
        "published": greedy_wins(board, published, STYLE_GAMES, number, "published"),
    }


def is_even(tried: dict[str, Any]) -> bool:
    """Return True if no seat is more than `LIMIT` from a quarter in all games."""
    return bool(tried["wins"]) and deviation(tried["wins"]) <= LIMIT


def row(title: str, even: Any, rest: Any) -> str:
    """Return a row of the table: mean deviations of two groups in points, and their difference."""

    def shown(mean: float, low: float, high: float) -> str:
        return f"{100 * mean:.1f} ({100 * low:.1f} to {100 * high:.1f})"

    mean = even.mean() - rest.mean()
    half = 1.959964 * np.sqrt(even.var(ddof=1) / len(even) + rest.var(ddof=1) / len(rest))
    cells = shown(*interval(even)), shown(*interval(rest)), shown(mean, mean - half, mean + half)
    return f"| {title} | {' | '.join(cells)} |"


def table(file: Path, scale: float, workers: int) -> list[str]:
    """Play what a file lacks, and return the lines of the table."""
    candidates, some = max(4, round(CANDIDATES * scale)), max(2, round(RANDOM * scale))
    boards = [(k, board.notation()) for k, board in enumerate(boards_of(RULES, candidates, SEED))]
    tried = gather(try_board, boards, file, workers)
    even = [k for k, result in enumerate(tried) if is_even(result)]
    chosen = [*even, *(k for k in range(some) if k not in even)]
    played = gather(play_styles, [(*boards[k], tried[k]["line"]) for k in chosen], file, workers)
    wins = dict(zip(chosen, played, strict=True))
    noise = np.random.default_rng(1).multinomial(STYLE_GAMES, [0.25] * 4, 10_000)
    lines = [
        f"{len(even)} of {candidates} boards are even. The largest deviation of a seat, in points, is",
        f"{100 * np.mean([deviation(one) for one in noise]):.1f} on average by chance alone.",
        "",
        f"| players | {len(even)} even boards | {some} random boards | difference |",
        "| --- | ---: | ---: | ---: |",
    ]
    if len(even) > 1:
        for style, title in STYLES.items():
            ours, rest = ([deviation(wins[k][style]) for k in group] for group in (even, range(some)))
            lines.append(row(title, np.array(ours), np.array(rest)))
    return lines


def main(words: Sequence[str] | None = None) -> None:
    """Run a command line."""
    parser = argparse.ArgumentParser(prog="python -m research.games.fairness", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", type=Path, help="file of games to write or resume")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the boards (default: 1)")
    parser.add_argument("--to", type=Path, help="page whose table is replaced")
    parser.add_argument("--workers", type=int, default=2, help="number of processes (default: 2)")
    chosen = parser.parse_args(words)
    lines = table(chosen.file, chosen.scale, chosen.workers)
    print("\n".join(lines))
    if chosen.to is not None:
        text = chosen.to.read_text(encoding="utf-8")
        chosen.to.write_text(marked(text, "fairness", lines), encoding="utf-8")


if __name__ == "__main__":
    from research.games import fairness  # by its name: processes that play must find it

    fairness.main()
