"""Write boards that break rules, with the fewest tiles to change.

Usage: ``python page/tests/repairs.py FILE N``.

The page must not change more tiles. The library's solver repairs thousands of boards in an hour. ``FILE N
SEED`` starts with another seed, so that several processes share the work. Some boards are stored in
``repairs.jsonl``. The browser tests read another file if ``REPAIRED`` names one.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from vectors import shuffled, some_rules

from catan_cp import LAYOUTS, Board, Rules, generate_boards, repair_board
from catan_cp.boards.layout import Layout
from catan_cp.errors import CatanError, Infeasible, SolverTimeout
from catan_cp.rules.rules import PRESETS

NAMED = (
    *("base", "base", "base", "base-5-6", "base-5-6", "seafarers-6", "seafarers-10", "new-shores-4"),
    *("four-islands-4", "fog-islands-4", "traders-barbarians", "rivers-of-catan", "fishermen-of-catan"),
)
SECONDS = 10
"""The time limit of the library per board. Boards without an answer are left out."""


def spoiled(board: Board, rng: random.Random) -> Board:
    """Return the board after one to three exchanges of tiles or of numbers."""
    terrain, markers = list(board.terrain), list(board.markers)
    for _ in range(rng.choice((1, 1, 2, 3))):
        i, j = rng.sample(range(len(terrain)), 2)
        markers[i], markers[j] = markers[j], markers[i]
        if rng.random() < 0.5 or bool(markers[i]) != bool(markers[j]):
            terrain[i], terrain[j] = terrain[j], terrain[i]
    return Board(board.layout, terrain, markers, board.harbors, board.fishing_grounds)


def with_other_pieces(board: Board, rng: random.Random) -> Board:
    """Return the board with another number or terrain on one tile."""
    terrain, markers = list(board.terrain), list(board.markers)
    i, j = (rng.choice([t for t, marker in enumerate(markers) if marker]) for _ in range(2))
    if rng.random() < 0.5:
        markers[i] = markers[j]
    else:
        terrain[i] = terrain[j]
    return Board(board.layout, terrain, markers, board.harbors, board.fishing_grounds)


def possible_rules(layout: Layout, rng: random.Random) -> Rules:
    """Return a preset, or a few rules that the layout takes together."""
    preset = rng.choice(list(PRESETS.values())).to_mapping()
    mapping = {**({"harbors": "printed"} if layout.printed_harbors else {}), **preset}
    more = list(some_rules(layout, rng).items())
    mapping |= dict(rng.sample(more, min(len(more), rng.choice((0, 0, 1, 2)))))
    while True:  # impossible or contradictory rules are removed one by one
        try:
            rules = Rules.from_mapping(mapping)
            rules.check_layout(layout)
        except CatanError:
            del mapping[rng.choice(list(mapping))]
        else:
            if rules.harbors != "shuffled" or not layout.movable_harbors:
                return rules
            del mapping["harbors"]


def broken(rng: random.Random, layouts: tuple[str, ...]) -> Iterator[tuple[Board, Rules]]:
    """Yield boards without end, each with rules that it breaks. Most are close to allowed ones."""
    while True:
        layout = LAYOUTS[rng.choice(layouts)]
        rules = possible_rules(layout, rng)
        boards = [shuffled(layout, rng)]
        try:
            allowed = list(generate_boards(3, rules, layout, seed=rng.randrange(1 << 30), timeout=SECONDS))
        except CatanError:
            allowed = []
        boards += [spoiled(board, rng) for board in allowed for _ in range(3)]
        for board in boards:
            changed = with_other_pieces(board, rng) if rng.random() < 0.1 else board
            if rules.check(changed):
                yield changed, rules


def repairs(n: int, rng: random.Random, layouts: tuple[str, ...] = NAMED) -> Iterator[dict[str, Any]]:
    """Yield *n* boards that break rules, with the fewest changed tiles, if any repair exists."""
    boards = broken(rng, layouts)
    while n:
        board, rules = next(boards)
        started = time.perf_counter()
        try:
            best = repair_board(board, rules, timeout=SECONDS)
        except Infeasible:
            best = None
        except SolverTimeout:
            continue
        if best is not None and not best.proven:
            continue
        yield {
            "board": board.notation(),
            "rules": rules.to_mapping(),
            "layout": board.layout.name,
            "tiles": best and best.value,
            "seconds": round(time.perf_counter() - started, 3),
        }
        n -= 1


def main(path: Path, n: int, seed: int = 28) -> None:
    """Write the boards, one per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for repair in repairs(n, random.Random(seed)):
            file.write(json.dumps(repair) + "\n")
            file.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:4]))
