"""Write what the page must compute alike: ``python page/tests/vectors.py FILE``."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from catan_cp import LAYOUTS, Board, Rules, best_moves, efficiency, efficiency_error, vertex_values
from catan_cp.boards.layout import Layout
from catan_cp.errors import CatanError
from catan_cp.placement import solve_placements
from catan_cp.placement.spots import free_vertices
from catan_cp.rules.declared import RULES
from catan_cp.rules.model_data import joint_task
from catan_cp.rules.rules import PRESETS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from export import encoded, values

BOARDS = 240
MOVES = 60


def shuffled(layout: Layout, rng: random.Random) -> Board:
    """Return any board of the box: where its groups do not matter, all tiles are shuffled."""
    terrain = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    rng.shuffle(terrain)
    supply = [marker for marker, n in layout.marker_supply.items() for _ in range(n)]
    rng.shuffle(supply)
    markers = [None if name in layout.unnumbered else supply.pop() for name in terrain]
    return Board(layout, terrain, markers, layout.printed_harbors if rng.random() < 0.5 else ())


def some_rules(layout: Layout, rng: random.Random) -> dict[str, Any]:
    """Return a few rules of those that the page offers."""
    chosen: dict[str, Any] = {}
    for rule in RULES.values():
        if rng.random() < 0.4:
            chosen[rule.field] = rule.kind.plain(rng.choice(values(rule)))
    return {field: value for field, value in chosen.items() if value is not None}


def best(boards: list[Board], number: int, players: int, rng: random.Random) -> dict[str, Any]:
    """Return the best moves after a few settlements somewhere."""
    board = boards[number]
    order = [*range(1, players + 1), *range(players, 0, -1)]
    placed: list[tuple[int, int]] = []
    for turn in range(rng.randrange(2 * players)):
        free = free_vertices(board, [v for _, v in placed])
        placed.append((order[turn], rng.choice(free)))
    found = best_moves(board, placed, 3, players)
    return {
        "board": number,
        "players": players,
        "placed": [v for _, v in placed],
        "best": [[m.player, m.vertex, round(m.value * 216), m.placement.settlements] for m in found],
    }


def main(path: Path) -> None:
    """Write the vectors."""
    rng = random.Random(19)
    base = [shuffled(LAYOUTS["base"], rng) for _ in range(BOARDS)]
    others = [
        shuffled(LAYOUTS[name], rng)
        for name in ("base-5-6", "seafarers-6", "seafarers-10", "new-shores-4")
        for _ in range(20)
    ]
    boards = [*base, *others]
    placements: dict[str, Any] = {}
    for players in (2, 3, 4):
        found = solve_placements(base, players=players)
        placements[str(players)] = [placement.settlements for placement in found]
    # Also where sea lies between, where only some of the land is open to begin, and with six players.
    moves = [best(boards, number, 2 + number % 3, rng) for number in range(MOVES)]
    moves += [best(boards, number, 2 + number % 3, rng) for number in range(BOARDS, len(boards), 5)]
    moves.append(best(boards, BOARDS, 6, rng))
    rules = []
    for number in range(60):
        layout = LAYOUTS[rng.choice(("base", "base-5-6", "seafarers-7"))]
        mapping = (
            some_rules(layout, rng)
            if number > len(PRESETS)
            else list(PRESETS.values())[number - 1].to_mapping()
        )
        try:
            Rules.from_mapping(mapping).check_layout(layout)
        except CatanError:
            continue
        data = joint_task(Rules.from_mapping(mapping), layout, search=2).data
        rules.append({"layout": layout.name, "rules": mapping, "data": encoded(data)})
    vectors = {
        "rules": rules,
        "boards": [board.notation() for board in boards],
        "layouts": [board.layout.name for board in boards],
        "efficiency": [efficiency(board) for board in boards],
        "error": [efficiency_error(board) if board.layout.target_efficiency else None for board in boards],
        "pips": [board.vertex_pips() for board in boards],
        "values": [vertex_values(board) for board in boards],
        "terrain_pips": [board.terrain_pips() for board in boards],
        "placements": placements,
        "moves": moves,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(vectors), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
