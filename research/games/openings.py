"""Openings of boards, and games from them, for the study and for the fit of `win_chances`.

An *opening* is the first two settlements of each seat. Everything depends on seeds alone. Boards are sampled
uniformly without a solver and have the printed harbors.
"""

import json
import math
import random
import sys
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from catan_cp import LAYOUTS, Board, Rules, sample_boards
from catan_cp.placement.positions import free_vertices, snake
from catan_cp.play.games import row_type
from catan_cp.play.playing import play_batch
from catan_cp.workers import share_out

Opening = tuple[tuple[int, ...], ...]
"""The vertices of each seat, in the order placed."""


def seed_of(*words: object) -> int:
    """Return a seed determined by these words."""
    return int.from_bytes(blake2b(" ".join(map(str, words)).encode(), digest_size=6).digest())


def boards_of(rules: str | Rules, n: int, seed: int) -> list[Board]:
    """Return boards of rules with the printed harbors."""
    printed = LAYOUTS["base"].printed_harbors
    boards = sample_boards(n, rules, seed=seed)
    return [Board(board.layout, board.terrain, board.markers, printed) for board in boards]


def rows_of(board: Board, players: Sequence[str], games: int, seed: int, opening: Opening = ()) -> Any:
    """Play games, from an opening if one is given, and return their rows (`row_type`)."""
    order = enumerate(snake(len(opening))) if opening else ()
    placed = tuple((seat, opening[seat - 1][turn >= len(opening)], None) for turn, seat in order)
    played = play_batch(board, tuple(players), placed, seed, range(games))
    return np.frombuffer(b"".join(row for row, _ in played), row_type(len(players)))


def wins_of(rows: Any) -> list[int]:
    """Return the number of wins of each seat."""
    counts: list[int] = np.bincount(rows["winner"], minlength=rows["points"].shape[1] + 1)[1:].tolist()
    return counts


def chosen(board: Board, players: Sequence[str], n: int, seed: int) -> list[Opening]:
    """Return the openings of *n* games of players who settle by their policies."""
    settlements: list[Any] = rows_of(board, players, n, seed)["settlements"].tolist()
    return [tuple(map(tuple, seats)) for seats in settlements]


def drawn(board: Board, players: int, seed: int) -> Opening:
    """Return two random vertices per seat, with weights e^(pips / 3) and equal chances."""
    source, pips, vertices = random.Random(seed), board.vertex_pips(), list[int]()
    while len(vertices) < 2 * players:
        free = free_vertices(board, vertices)
        vertices += source.choices(free, [math.exp(pips[v] / 3) for v in free])
    source.shuffle(vertices)
    return tuple((vertices[seat], vertices[-1 - seat]) for seat in range(players))


def gather(
    play: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], outcome: Path, workers: int
) -> list[Any]:
    """Return ``play(*task)`` for all tasks in their order.

    Finished tasks are stored in *kept*, one line each, and not repeated by the next call.
    """
    whole = outcome.read_text(encoding="utf-8") if outcome.exists() else ""
    outcome.write_text(whole := whole[: whole.rfind("\n") + 1], encoding="utf-8")
    finished_tasks: dict[str, Any] = dict(json.loads(line) for line in whole.splitlines())
    open_tasks = [task for task in tasks if json.dumps(task) not in finished_tasks]
    with outcome.open("a", encoding="utf-8") as file:
        for count, (k, result) in enumerate(share_out(play, open_tasks, workers), 1):
            finished_tasks[json.dumps(open_tasks[k])] = result
            file.write(json.dumps((json.dumps(open_tasks[k]), result)) + "\n")
            file.flush()
            print(f"\r{count:,} of {len(open_tasks):,} parts", end="", file=sys.stderr)
    print(file=sys.stderr)
    return [finished_tasks[json.dumps(task)] for task in tasks]


def interval(values: Any) -> tuple[float, float, float]:
    """Return the mean of independent values and its 95 % interval."""
    mean, half = values.mean(), 1.959964 * values.std(ddof=1) / np.sqrt(len(values))
    return float(mean), float(mean - half), float(mean + half)


def marked(text: str, mark: str, lines: Sequence[str]) -> str:
    """Return a page with new lines at a mark."""
    before, marker, rest = text.partition(f"<!-- {mark} -->\n")
    return before + marker + "\n".join(lines) + "\n" + rest[rest.index("<!-- end -->") :]
