"""The experiment on played games: its design, its run and its answers, frozen before its boards were made.

``python -m benchmarks.games.experiment run`` makes the boards, plays the games and writes `DATA`: one line a
board and arm, the board as notation, so that games can be played again; a second run writes the same file.
``python -m benchmarks.games.experiment tell`` writes what `answers` says of it into `PAGE`.

An *arm* is who plays and how first settlements are placed. All boards have the printed harbors. A game is
*lively* when the second is at most 2 points behind, the lead passed at least twice, and it took 60 to 120
turns; that is our guess at fun, made before. Intervals are Student's over boards, 95 %; p-values are
two-sided, by the normal distribution, and corrected by Holm over all tests of the page.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.games import worth
from benchmarks.games.worth import boards_of
from catan_cp import Objective, play_games, solve_placement
from catan_cp.boards.board import Board
from catan_cp.play.games import unfairness
from catan_cp.rules.rules import PRESETS, Rules
from catan_cp.workers import share_out

ROOT = Path(__file__).parents[2]
DATA, PAGE = Path(__file__).parent / "games.jsonl.gz", ROOT / "docs" / "play_paper.md"
SEED = 20261122
PRESET_NAMES = ("open", "official", "tournament", "optimal", "blog")
SINGLE_RULES = {
    "reds_apart": Rules(reds_apart=True),
    "equal_markers_apart": Rules(equal_markers_apart=True),
    "vertex_pips_max": Rules(vertex_pips_max=11),
    "vertex_pips_min": Rules(vertex_pips_min=4),
    "terrain_cluster_max": Rules(terrain_cluster_max=1),
    "desert_centre": Rules(desert="centre"),
}
"""Each adds one rule to ``open``, at the strength of a preset or near the strictest that leaves many."""

ARMS = {"free": 60, "optimal": 60, "wins": 60, "trader": 40, "weighted": 12}
"""Games on each board of a preset: greedy players who settle by their own eye, where perfect players would by
the published value, or by the chance to win; traders and weighted players, who settle by their own eye."""

PLANS = ("pips", "optimal", "wins")
"""What one greedy seat follows while three settle by their own eye: eight games, each seat in turn."""

BOARDS, SINGLE_BOARDS, PLAN_BOARDS, PLAN_GAMES = 50, 30, 20, 8


def seed_of(*words: object) -> int:
    """Return a seed that these words fix."""
    return int.from_bytes(blake2b(" ".join(map(str, (SEED, *words))).encode(), digest_size=6).digest())


def played(rules: str, number: int, notation: str, arm: str, games: int) -> dict[str, Any]:
    """Play one arm on one board, and return what is kept."""
    board, seed = Board.from_notation(notation), seed_of(rules, number, arm)
    policy, _, plan = arm.partition(":")
    spread = None
    if plan:
        each = [
            play_games(
                notation,
                games,
                players=["greedy"] * k + [f"greedy:{plan}"] + ["greedy"] * (3 - k),
                seed=seed + k,
            )
            for k in range(4)
        ]
        return {"rules": rules, "number": number, "board": notation, "arm": arm, "games": 4 * games,
                "wins": [g.wins[k].count for k, g in enumerate(each)]}  # fmt: skip
    placement = "optimal" if arm == "optimal" else "free"
    if arm == "wins":
        order = solve_placement(board, 4, Objective.wins()).order
        placement = ",".join(f"{seat}:{vertex}" for seat, vertex in order)
    if arm == "optimal":
        values = solve_placement(board).values
        spread = round(max(values) - min(values), 6)
    players = policy if policy in ("trader", "weighted") else "greedy"
    found = play_games(board, games, players=players, placement=placement, seed=seed)
    points = np.sort(found.rows["points"].astype(int), axis=1)
    turns = found.rows["turns"].astype(int)
    close = points[:, -1] - points[:, -2] <= 2
    lively = close & (found.rows["lead_changes"] >= 2) & (turns >= 60) & (turns <= 120)
    return {"rules": rules, "number": number, "board": notation, "arm": arm, "games": games,
            "wins": [share.count for share in found.wins], "turns": int(turns.sum()),
            "unfinished": found.unfinished, "lively": int(lively.sum()), "spread": spread}  # fmt: skip


def tasks(scale: float) -> Iterator[tuple[str, int, str, str, int]]:
    """Yield what is to be played."""
    for rules in (*PRESET_NAMES, *SINGLE_RULES):
        single = rules in SINGLE_RULES
        n = max(2, round((SINGLE_BOARDS if single else BOARDS) * scale))
        made = boards_of(SINGLE_RULES.get(rules) or PRESETS[rules], n, seed_of(rules) % 2**31)
        for number, board in enumerate(made):
            for arm, games in ARMS.items():
                if arm == "free" or not single:
                    yield rules, number, board.notation(), arm, games
            if not single and number < PLAN_BOARDS * scale:
                yield from ((rules, number, board.notation(), f"greedy:{plan}", PLAN_GAMES) for plan in PLANS)


def run(file: Path, scale: float = 1, workers: int = 2) -> None:
    """Play everything and write the data."""
    todo = list(tasks(scale))
    rows = dict(share_out(played, todo, workers))
    text = "".join(json.dumps(rows[k]) + "\n" for k in range(len(todo)))
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


# Answers


class Data:
    """The rows, by rules and arm."""

    def __init__(self, file: Path) -> None:
        lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def of(self, arm: str, *rules: str) -> list[dict[str, Any]]:
        """Return the rows of an arm, of some rules or of all presets."""
        chosen = rules or PRESET_NAMES
        return [row for row in self.rows if row["arm"] == arm and row["rules"] in chosen]


def student(values: Any) -> tuple[float, float, float, float]:
    """Return the mean of boards' numbers, its 95 % interval by Student, and the p-value of a mean of 0."""
    x = np.array(values, dtype=float)
    free = len(x) - 1
    error = float(x.std(ddof=1)) / math.sqrt(len(x)) or 1e-12
    z = 1.959963984540054
    t = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    mean = float(x.mean())
    return mean, mean - t * error, mean + t * error, math.erfc(abs(mean) / error / math.sqrt(2))


def difference(a: Any, b: Any) -> tuple[float, float, float, float]:
    """Return the difference of two groups of boards, as `student` of one."""
    first, second = student(a), student(b)
    half = math.hypot(first[2] - first[0], second[2] - second[0])
    mean = first[0] - second[0]
    return mean, mean - half, mean + half, math.erfc(abs(mean) / (half / 1.98) / math.sqrt(2))


def holm(tests: list[float]) -> list[float]:
    """Return p-values corrected by Holm."""
    order, least, found = sorted(range(len(tests)), key=tests.__getitem__), 0.0, [0.0] * len(tests)
    for rank, k in enumerate(order):
        least = max(least, min(1.0, (len(tests) - rank) * tests[k]))
        found[k] = least
    return found


def per_game(name: str) -> Callable[[dict[str, Any]], float]:
    """Return what reads a number of a game off a row."""
    return lambda row: row[name] / row["games"]


def answers(data: Data) -> list[tuple[str, str, tuple[float, float, float, float], bool, int]]:
    """Return (question, what, estimate, whether it is a test, boards), in the order of the page."""
    out = []

    def add(
        question: str, what: str, estimate: tuple[float, float, float, float], n: int, test: bool = True
    ) -> None:
        out.append((question, what, estimate, test, n))

    for arm in ("free", "optimal", "wins", "trader"):
        rows = data.of(arm)
        for seat in range(4):
            share = [row["wins"][seat] / row["games"] - 0.25 for row in rows]
            add("a", f"{arm}: seat {seat + 1} wins, less 1/4", student(share), len(rows))
    uneven: dict[str, Any] = {
        rules: [unfairness(r["wins"], r["games"]) for r in data.of("free", rules)] for rules in PRESET_NAMES
    }
    for rules, values in uneven.items():
        add("b", f"unfairness, {rules}", student(values), len(values), False)
        if rules != "open":
            add("b", f"unfairness, {rules} less open", difference(values, uneven["open"]), len(values))
    rows = data.of("optimal")
    compared: list[Any] = [[unfairness(r["wins"], r["games"]) for r in rows], [r["spread"] for r in rows]]
    ranks = [np.argsort(np.argsort(values)) for values in compared]
    matrix: Any = np.corrcoef(ranks)
    r = float(matrix[0, 1])
    z, half = math.atanh(r), 1.96 / math.sqrt(len(rows) - 3)
    p = math.erfc(abs(z) / (half / 1.96) / math.sqrt(2))
    add(
        "c",
        "rank correlation of unfairness and seat spread",
        (r, math.tanh(z - half), math.tanh(z + half), p),
        len(rows),
    )
    for plan in PLANS:
        rows = data.of(f"greedy:{plan}")
        share = [sum(row["wins"]) / row["games"] - 0.25 for row in rows]
        add("d", f"one seat follows {plan}: wins, less 1/4", student(share), len(rows))
    for arm in ("free", "optimal", "trader", "weighted"):
        turns: dict[str, Any] = {
            rules: [per_game("turns")(row) for row in data.of(arm, rules)] for rules in PRESET_NAMES
        }
        for rules, values in turns.items():
            if rules == "open":
                add("e", f"{arm}: turns, open", student(values), len(values), False)
            else:
                add("e", f"{arm}: turns, {rules} less open", difference(values, turns["open"]), len(values))
    lively: dict[str, Any] = {
        rules: [per_game("lively")(row) for row in data.of("free", rules)]
        for rules in (*PRESET_NAMES, *SINGLE_RULES)
    }
    for rules, values in lively.items():
        if rules == "open":
            add("f", "lively, open", student(values), len(values), False)
        else:
            add("f", f"lively, {rules} less open", difference(values, lively["open"]), len(values))
    return out


def table(data: Data, question: str) -> str:
    """Return the answers to a question as a table in Markdown."""
    found = answers(data)
    corrected = iter(holm([estimate[3] for _, _, estimate, test, _ in found if test]))
    lines = ["| | estimate | 95 % interval | p (Holm) | boards |", "| --- | ---: | ---: | ---: | ---: |"]
    for asked, what, (mean, low, high, _), test, n in found:
        p = f"{next(corrected):.3f}" if test else ""
        if asked == question:
            lines.append(f"| {what} | {mean:+.3f} | {low:+.3f} to {high:+.3f} | {p} | {n} |")
    return "\n".join(lines)


def told(text: str, data: Data) -> str:
    """Return the page with its tables."""
    for question in "abcdef":
        before, mark, rest = text.partition(f"<!-- answer {question} -->\n")
        text = before + mark + table(data, question) + "\n" + rest[rest.index("<!-- end -->") :]
    return text


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(DATA)
    else:
        page = worth.told(told(PAGE.read_text(encoding="utf-8"), Data(DATA)))
        PAGE.write_text(page, encoding="utf-8")
