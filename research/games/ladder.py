"""Rank the players of this library and of Catanatron 3.2.1 by Elo, in Catanatron's engine.

    python -m research.games.ladder games.jsonl --boards 20 --workers 2
    python -m research.games.ladder games.jsonl --minutes 60 --checkout CATANATRON
    python -m research.games.ladder research/games/ladder.jsonl --boards 0 --to docs/play.md
    python -m research.games.ladder research/games/duel.jsonl --boards 0 --to docs/play.md

Needs Catanatron 3.2.1 (``pip install catanatron==3.2.1``; GPL). The wheel has no AlphaBeta and ValueFunction.
They play if ``--checkout`` names a checkout of Catanatron, for example of its commit 796d29c (2023).

On each random board every pair of players plays both orders of seats with the same seed. One in five of the
tables of four plays once, so twenty boards have each table of four with all rotations of its seats. The
chance to win of a player at a table is its strength divided by the sum of the strengths (Luce 1959). Elo is
400 times the decimal logarithm of a strength, 0 for the last of the players. Intervals are 95 % intervals of
a bootstrap over boards. Games without a winner after a thousand turns count as played, but not for Elo. In
this engine a trader has no partners.

Few boards make the bootstrap too narrow: play at least twenty. Catanatron's games depend on the order of
sets, so the processes that play get ``PYTHONHASHSEED=0``. The same command plays the same games.

A file has a line with the players and the sizes of tables, and one line per board: the index of the winner of
each game, -1 without a winner.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import combinations, permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_cp import generate_board
from research.games.openings import marked
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

MOST_TURNS, SAMPLES = 1000, 400
Result = tuple[tuple[str, ...], int]
"""The players of a table, seat 1 first, and the index of the winner or -1."""


def use_checkout(folder: str | None) -> None:
    """Let Python import modules of a Catanatron checkout, without the imports of its packages."""
    for package in ("catanatron_experimental", "catanatron_gym") if folder is not None else ():
        module = ModuleType(package)
        module.__path__ = [str(Path(str(folder), package, package))]
        sys.modules[package] = module


def _class_of(name: str) -> Callable[..., Any]:
    module, kind, _ = THEIRS[name]
    player_class: Callable[..., Any] = getattr(import_module(module), kind)
    return player_class


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


def tables_of(players: Sequence[str], sizes: Sequence[int], seed: int) -> Iterator[tuple[str, ...]]:
    """Yield the tables of the board of a seed, seat 1 first."""
    if 2 in sizes:
        yield from permutations(players, 2)
    if 4 in sizes:
        for table in [*combinations(players, 4)][seed % 5 :: 5]:
            turn = seed // 5 % 4
            yield (*table[turn:], *table[:turn])


def games_of(players: Sequence[str], sizes: Sequence[int], seed: int) -> list[int]:
    """Play all tables on the board of a seed, and return the index of each winner or -1."""
    return [play(names, seed) for names in tables_of(players, sizes, seed)]


def strengths(wins: Iterable[tuple[Sequence[int], Any]]) -> NDArray[Any]:
    """Return the Elo of each player, the most likely one by minorization-maximization (Hunter 2004).

    Half a win and half a loss against the last player are added, so that all numbers are finite.

    Args:
        wins: the numbers of the players of each table, and their wins there.
    """
    known = [*wins]
    last = max(max(table) for table, _ in known)
    known += [((k, last), (0.5, 0.5)) for k in range(last)]
    players_at = np.concatenate([table for table, _ in known])
    game_of = np.repeat(np.arange(len(known)), [len(table) for table, _ in known])
    won = np.concatenate([counts for _, counts in known])
    total, games, gamma = np.bincount(players_at, won), np.bincount(game_of, won), np.ones(last + 1)
    for _ in range(2000):
        shares = games / np.bincount(game_of, gamma[players_at])
        before, gamma = gamma, total / np.bincount(players_at, shares[game_of])
        gamma /= gamma[-1]
        if np.allclose(before, gamma, rtol=1e-7):
            break
    return 400 * np.log10(gamma)


def rows(players: Sequence[str], boards: Sequence[Sequence[Result]], samples: int = SAMPLES) -> Iterator[str]:
    """Yield a row of Markdown per player, best first: Elo, games, share of wins, and their intervals.

    Args:
        players: the names. The last one has an Elo of 0.
        boards: the players and the winner of each game, by board.
        samples: number of bootstrap samples.
    """
    tables = sorted({tuple(sorted(map(players.index, names))) for games in boards for names, _ in games})
    at = {table: k for k, table in enumerate(tables)}
    won = np.zeros((len(boards), len(tables), 4))
    played = np.zeros((len(boards), len(players)))
    for board, games in enumerate(boards):
        for names, winner in games:
            table = tuple(sorted(map(players.index, names)))
            played[board, list(table)] += 1
            if winner >= 0:
                won[board, at[table], table.index(players.index(names[winner]))] += 1

    def figures(weights: Any) -> Any:
        counts = np.tensordot(weights, won, 1)
        pairs = [(table, counts[k, : len(table)]) for k, table in enumerate(tables)]
        wins = np.bincount(np.concatenate(tables), np.concatenate([wins for _, wins in pairs]))
        return strengths(pairs), 100 * wins / (weights @ played)

    source, n = np.random.default_rng(1), len(boards)
    elo, share = figures(np.ones(n))
    again = [figures(np.bincount(source.integers(n, size=n), minlength=n)) for _ in range(samples)]
    low, high = np.percentile(again, (2.5, 97.5), axis=0)
    yield "| player | Elo | 95 % interval | games | won, % | 95 % interval |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for k in np.argsort(-elo):
        between = f"{low[0][k]:.0f} to {high[0][k]:.0f}" if k < len(players) - 1 else "0"
        cells = f"{share[k]:.0f} | {low[1][k]:.0f} to {high[1][k]:.0f}"
        yield f"| {players[k]} | {elo[k]:.0f} | {between} | {played[:, k].sum():,.0f} | {cells} |"


def table(file: Path) -> list[str]:
    """Return the table of a file of games, and a line with their number."""
    head, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    players, sizes = head["players"], head["seats"]
    boards = [[*zip(tables_of(players, sizes, k), line, strict=True)] for k, line in enumerate(lines, 1)]
    winners = [winner for line in lines for winner in line]
    count = f"{len(winners):,} games on {len(boards)} boards, {winners.count(-1)} without a winner."
    return [*rows(players, boards), "", count]


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and print the table or write it into a page."""
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m research.games.ladder", description=about)
    parser.add_argument("file", type=Path, help="file of games to create or continue")
    parser.add_argument("--boards", type=int, default=20, help="number of random boards in all (default: 20)")
    parser.add_argument("--minutes", type=float, help="begin no board after this time, instead of a number")
    parser.add_argument(
        "--seats", type=int, nargs="+", choices=(2, 4), default=[2, 4], help="sizes of tables"
    )
    parser.add_argument("--players", nargs="+", help="players of a new file (default: all that can play)")
    parser.add_argument("--workers", type=int, default=1, help="number of processes (default: 1)")
    parser.add_argument("--checkout", help="folder of a checkout of Catanatron")
    parser.add_argument("--to", type=Path, help="page with a mark of the name of the file, for its table")
    chosen = parser.parse_args(arguments)
    use_checkout(chosen.checkout)
    able, skipped = available()
    last = chosen.boards if chosen.minutes is None else 10**6
    if not chosen.file.exists():
        print(*skipped, sep="\n", file=sys.stderr)
        names, least = chosen.players or able, max(chosen.seats)
        if last < 1 or not set(names) <= set(able) or len(names) < least:
            parser.error(f"a new file needs boards and {least} or more players of {', '.join(able)}")
        players = [name for name in able if name in names]
        line = json.dumps({"players": players, "seats": chosen.seats})
        chosen.file.write_text(line + "\n", encoding="utf-8")
    head, *lines = chosen.file.read_text(encoding="utf-8").splitlines()
    players, sizes = json.loads(head).values()
    if last > len(lines) and (missing := {*players} - {*able}):
        parser.error(f"{chosen.file} has games of {', '.join(sorted(missing))}; name a --checkout")
    os.environ["PYTHONHASHSEED"] = "0"  # of new processes: a forked one would have that of this process
    new = multiprocessing.get_context("spawn")
    began, rest = time.monotonic(), range(len(lines) + 1, last + 1)
    with (
        chosen.file.open("a", encoding="utf-8") as file,
        ProcessPoolExecutor(chosen.workers, new, use_checkout, (chosen.checkout,)) as pool,
    ):
        for start in rest[:: chosen.workers]:
            seeds = range(start, min(start + chosen.workers, last + 1))
            for winners in pool.map(games_of, [players] * len(seeds), [sizes] * len(seeds), seeds):
                file.write(json.dumps(winners) + "\n")
            file.flush()
            print(f"\r{seeds[-1]:,} boards", end="", file=sys.stderr, flush=True)
            if chosen.minutes is not None and time.monotonic() - began > 60 * chosen.minutes:
                break
    lines = table(chosen.file)
    if chosen.to is None:
        print("\n".join(lines))
    else:
        chosen.to.write_text(marked(chosen.to.read_text("utf-8"), chosen.file.stem, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
