"""Rank the players of this library and of Catanatron 3.2.1 by Elo, in Catanatron's engine.

    python -m benchmarks.games.ladder --boards 100 --workers 2
    python -m benchmarks.games.ladder --minutes 60 --checkout CATANATRON

Needs Catanatron 3.2.1 (``pip install catanatron==3.2.1``; GPL). The wheel has no AlphaBeta and ValueFunction.
They play if ``--checkout`` names a checkout of Catanatron, for example of its commit 796d29c (2023).

On each random board every pair of players plays a table of two, and every four a table of four. Each table is
played once per rotation of its seats, with the same seed. The chance to win of a player at a table is its
strength divided by the sum of the strengths (Luce 1959). Elo is 400 times the decimal logarithm of a
strength, 0 for WeightedRandom. Intervals are 95 % intervals of a bootstrap over boards. Games without a
winner after a thousand turns are counted and left out. In this engine a trader has no partners.

Few boards make the bootstrap too narrow: play at least twenty. Catanatron's games depend on the order of
sets, so the same table needs the same ``PYTHONHASHSEED``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp import generate_board
from tests.play.catanatron_bridge import COLORS, seated_game

_LEARNED = "catanatron_experimental.machine_learning.players"
OWN = ("expert", "trader", "greedy")
THEIRS: dict[str, tuple[str, str, tuple[Any, ...]]] = {
    "AlphaBeta": (f"{_LEARNED}.minimax", "AlphaBetaPlayer", (2,)),  # the depth
    "ValueFunction": (f"{_LEARNED}.value", "ValueFunctionPlayer", ()),
    "VictoryPoint": ("catanatron.players.search", "VictoryPointPlayer", ()),
    "WeightedRandom": ("catanatron.players.weighted_random", "WeightedRandomPlayer", ()),
}
"""The players of Catanatron: module, class, and arguments after the color."""

ANCHOR = "WeightedRandom"
MOST_TURNS, SAMPLES = 1000, 400
Result = tuple[tuple[str, ...], int]
"""The players of a table, seat 1 first, and the index of the winner or -1."""


def use_checkout(folder: str | None) -> None:
    """Let Python import modules from a checkout of Catanatron, without the packages' own imports."""
    for package in ("catanatron_experimental", "catanatron_gym") if folder is not None else ():
        module = ModuleType(package)
        module.__path__ = [str(Path(str(folder), package, package))]
        sys.modules[package] = module


def _class_of(name: str) -> Callable[..., Any]:
    module, kind, _ = THEIRS[name]
    found: Callable[..., Any] = getattr(import_module(module), kind)
    return found


def available() -> tuple[list[str], list[str]]:
    """Return the players that can play, and why others cannot."""
    players, skipped = [*OWN], []
    for name in THEIRS:
        try:
            _class_of(name)
            players.append(name)
        except (ImportError, AttributeError) as error:
            skipped.append(f"{name} is left out: {error}")
    return players, skipped


def play(names: Sequence[str], seed: int) -> int:
    """Play a game on the board of a seed, and return the index of the winner or -1."""
    seated = [
        name if name in OWN else _class_of(name)(COLORS[seat], *THEIRS[name][2])
        for seat, name in enumerate(names)
    ]
    game = seated_game(generate_board("open", seed=seed), seated, seed)
    while game.winning_color() is None and game.state.num_turns < MOST_TURNS:
        game.execute(game.state.current_player().decide(game, game.state.playable_actions))
    winner = game.winning_color()
    return -1 if winner is None else COLORS.index(winner)


def games_of(players: Sequence[str], seats: Sequence[int], seed: int) -> list[Result]:
    """Play all tables on the board of a seed, each with all rotations of its seats."""
    results = []
    for size in seats:
        for table in combinations(players, size):
            for turn in range(size):
                names = (*table[turn:], *table[:turn])
                results.append((names, play(names, seed)))
    return results


def strengths(players: Sequence[str], counts: dict[tuple[str, ...], NDArray[Any]]) -> NDArray[Any]:
    """Return the Elo of each player, the most likely one by minorization-maximization (Hunter 2004).

    Half a win and half a loss against the anchor are added, so that all numbers are finite.

    Args:
        players: the names.
        counts: the wins of each player at a table, by the players of the table.
    """
    n, anchor = len(players), players.index(ANCHOR)
    tables = [([players.index(name) for name in names], won) for names, won in counts.items()]
    tables += [([k, anchor], np.array([0.5, 0.5])) for k in range(n) if k != anchor]
    gamma, wins = np.ones(n), np.zeros(n)
    for seats, won in tables:
        wins[seats] += won
    for _ in range(2000):
        shares = np.zeros(n)
        for seats, won in tables:
            shares[seats] += won.sum() / gamma[seats].sum()
        before, gamma = gamma, wins / shares
        gamma /= gamma[anchor]
        if np.allclose(before, gamma, rtol=1e-7):
            break
    return 400 * np.log10(gamma)


def counted(boards: Iterable[Sequence[Result]]) -> dict[tuple[str, ...], NDArray[Any]]:
    """Return the wins of each player at each table, regardless of seats."""
    counts: dict[tuple[str, ...], NDArray[Any]] = {}
    for results in boards:
        for names, winner in results:
            table = tuple(sorted(names))
            wins = counts.setdefault(table, np.zeros(len(table)))
            if winner >= 0:
                wins[table.index(names[winner])] += 1
    return counts


def rows(players: Sequence[str], boards: Sequence[Sequence[Result]], samples: int = SAMPLES) -> Iterator[str]:
    """Yield a row of Markdown per player, best first: wins, Elo, and its interval."""
    elo, source = strengths(players, counted(boards)), np.random.default_rng(1)
    again = [
        strengths(players, counted(boards[k] for k in source.integers(len(boards), size=len(boards))))
        for _ in range(samples)
    ]
    low, high = np.percentile(again, (2.5, 97.5), axis=0)
    games = [game for board in boards for game in board]
    yield "| player | Elo | 95 % interval | games | won |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for k in np.argsort(-elo):
        name = players[k]
        won = sum(winner >= 0 and names[winner] == name for names, winner in games)
        played = sum(name in names for names, _ in games)
        between = "0" if name == ANCHOR else f"{low[k]:.0f} to {high[k]:.0f}"
        yield f"| {name} | {elo[k]:.0f} | {between} | {played:,} | {won / played:.0%} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--boards", type=int, default=20, help="number of random boards (default: 20)")
    parser.add_argument("--minutes", type=float, help="begin no board after this time, instead of a number")
    parser.add_argument(
        "--seats", type=int, nargs="+", choices=(2, 4), default=(2, 4), help="sizes of tables"
    )
    parser.add_argument("--players", nargs="+", help="some of the players, with WeightedRandom")
    parser.add_argument("--workers", type=int, default=1, help="number of processes (default: 1)")
    parser.add_argument("--checkout", help="folder of a checkout of Catanatron")
    chosen = parser.parse_args(arguments)
    use_checkout(chosen.checkout)
    players, skipped = available()
    for line in skipped:
        print(line)
    if chosen.players is not None:
        players = [name for name in players if name in {*chosen.players, ANCHOR}]
    began, boards = time.monotonic(), list[list[Result]]()
    last = chosen.boards if chosen.minutes is None else 10**6
    with ProcessPoolExecutor(chosen.workers, initializer=use_checkout, initargs=(chosen.checkout,)) as pool:
        for start in range(1, last + 1, chosen.workers):
            seeds = range(start, min(start + chosen.workers, last + 1))
            boards += pool.map(games_of, [players] * len(seeds), [chosen.seats] * len(seeds), seeds)
            if chosen.minutes is not None and time.monotonic() - began > 60 * chosen.minutes:
                break
    played = [winner for board in boards for _, winner in board]
    print(f"{len(played):,} games on {len(boards)} boards, {played.count(-1)} without a winner\n")
    print("\n".join(rows(players, boards)))


if __name__ == "__main__":
    main()
