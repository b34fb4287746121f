"""The study of played games, designed and frozen before any of its boards was made.

    python -m research.games.study run FILE.gz                  # sample the boards and play all games
    python -m research.games.study run FILE.gz --scale 0.01     # the same on a hundredth of the boards
    python -m research.games.study tables [FILE.gz] --to PAGE   # write the tables into a page

*run* resumes a stopped run, and a second run writes the same bytes. *tables* writes between the marks of a
page, or a file with the tables alone if PAGE does not exist.

Each board has the printed harbors. An *opening* is the first two settlements of all four seats. The
*unfairness* of an opening is the sum over seats of (chance to win - 1/4)². `catan_cp.Games.unfairness`
estimates it without bias. The arms play from these openings of each board:

- ``own``: openings that four greedy players chose in games of their own, played on by greedy players;
- ``expert``: the same with four experts;
- ``perfect``: the settlements of perfect players for the published value, played on by greedy players. Each
  seat has the settlements of each seat once. The first of these four openings is the one of the draft;
- ``chance``: the settlements of perfect players for their own odds, `Objective.own_odds`.

One seat in turn follows each of `PLANS`, while three greedy players choose their own settlements.
"""

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from catan_cp import Board, Objective, solve_placement, win_chances
from research.games.openings import Opening, boards_of, chosen, gather, rows_of, seed_of, wins_of

DATA, PAGE = Path(__file__).parent / "boards.jsonl.gz", Path(__file__).parents[2] / "docs" / "play_paper.md"
SEED = 20261126
PRESETS = ("open", "official", "tournament", "optimal", "blog")
BOARDS = 160
"""The boards of each preset."""


class Arm(NamedTuple):
    """The player of all seats, the openings of each board, and the games of each opening."""

    player: str
    openings: int
    games: int


ARMS = {
    "own": Arm("greedy", 10, 40),
    "expert": Arm("expert", 10, 20),
    "perfect": Arm("greedy", 4, 100),
    "chance": Arm("greedy", 1, 100),
}
PLANS, PLAN_GAMES = ("pips", "optimal", "odds"), 4
"""Plans of one seat, and the games for each of its four seats."""


def openings_of(board: Board, arm: str, seed: int) -> list[Opening]:
    """Return the openings of an arm."""
    if arm == "chance":
        return [solve_placement(board, 4, Objective.own_odds()).settlements]
    if arm == "perfect":
        solved = solve_placement(board).settlements
        return [solved[turn:] + solved[:turn] for turn in range(ARMS[arm].openings)]
    return chosen(board, [ARMS[arm].player] * 4, ARMS[arm].openings, seed)


def play(rules: str, number: int, notation: str) -> dict[str, Any]:
    """Play everything on one board.

    Returns:
        The task, the openings of each arm as [vertices, wins by seat, turns of all games, chances by
        `win_chances` in hundredths of a percent], and the wins of each plan by seat.
    """
    board = Board.from_notation(notation)
    row: dict[str, Any] = {"rules": rules, "number": number, "board": notation}
    for arm, (player, _, games) in ARMS.items():
        words = (SEED, rules, number, arm)
        row[arm] = []
        for k, opening in enumerate(openings_of(board, arm, seed_of(*words))):
            rows = rows_of(board, [player] * 4, games, seed_of(*words, k), opening)
            stated = [round(10_000 * chance) for chance in win_chances(board, opening)]
            row[arm].append([opening, wins_of(rows), int(rows["turns"].sum(dtype=int)), stated])
    for plan in PLANS:
        row[plan] = []
        for seat in range(4):
            players = ["greedy"] * seat + [f"greedy:{plan}"] + ["greedy"] * (3 - seat)
            rows = rows_of(board, players, PLAN_GAMES, seed_of(SEED, rules, number, "plan", seat))
            row[plan].append(wins_of(rows)[seat])
    return row


def run(file: Path, scale: float = 1, workers: int = 2) -> None:
    """Sample the boards, play everything, and write the data."""
    boards = max(2, round(BOARDS * scale))
    boards_by_rules = {rules: boards_of(rules, boards, SEED) for rules in PRESETS}
    tasks = [(rules, k, boards_by_rules[rules][k].notation()) for k in range(boards) for rules in PRESETS]
    part = file.with_suffix(".part")
    rows = gather(play, tasks, part, workers)
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    part.unlink()


def read(file: Path = DATA) -> list[dict[str, Any]]:
    """Return the rows of a run."""
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).decode().splitlines()]


def main(words: list[str]) -> None:
    """Run a command line."""
    parser = argparse.ArgumentParser(prog="python -m research.games.study", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    player = commands.add_parser("run", help="play the games and write the data")
    player.add_argument("file", type=Path, help="file to write or resume, such as again.gz")
    player.add_argument("--scale", type=float, default=1.0, help="share of the boards (default: 1)")
    player.add_argument("--workers", type=int, default=2, help="number of processes (default: 2)")
    tables = commands.add_parser("tables", help="write the tables of the data")
    tables.add_argument("file", type=Path, nargs="?", default=DATA, help=f"data (default: {DATA.name})")
    tables.add_argument("--to", type=Path, required=True, help="page or new file to write")
    options = parser.parse_args(words)
    if options.command == "run":
        run(options.file, options.scale, options.workers)
        return
    from research.games.answers import write_tables

    write_tables(read(options.file), options.to)


if __name__ == "__main__":
    from research.games import study  # by its name: processes that play must find it

    study.main(sys.argv[1:])
