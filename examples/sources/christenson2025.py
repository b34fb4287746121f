"""Compare three textbook searches for optimal settlements (Christenson et al. 2025).

    python examples/sources/christenson2025.py                              # the report's thirty boards
    python examples/sources/christenson2025.py --boards 1 --methods feasibility,memo,bounds,library

Players 1 to N place a first settlement each, then players N to 1 a second one. Each player wants the most
valuable pair of vertices and knows that the others do too. All searches go through the same tree of first
settlements:

- feasibility: visit every position;
- memo: remember each position, and search it once;
- bounds: also try the best candidates first, and stop when no candidate left can be better.

A call is a visit of a position. Four players take 5,634,937 calls without and 983,839 calls with a memory,
on every base board. The report's bounds take 568.93 calls on average on the boards of the seeds 0 to 29.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence

import catan_cp

METHODS = ("feasibility", "memo", "bounds")
WEIGHTS = catan_cp.Objective.published(resources=0.5, cards=0.3, hit=0.2)
"""The weights of the report's table."""

Course = tuple[tuple[int, int], ...]
"""First and second settlement of a player and of each player after it."""


def report_board(seed: int) -> catan_cp.Board:
    """Return the board that the report's program makes from a seed."""
    rng = random.Random(seed)
    terrain = list("llllbbbggggooowwwwd")
    numbers = [n for n in range(2, 13) if n != 7 for _ in range(1 if n in (2, 12) else 2)]
    rng.shuffle(terrain)
    rng.shuffle(numbers)
    order = iter(numbers)
    tiles = iter([letter if letter == "d" else f"{letter}{next(order)}" for letter in terrain])
    return catan_cp.Board.from_notation(
        "/".join("".join(next(tiles) for _ in range(n)) for n in (3, 4, 5, 4, 3))
    )


class Table:
    """The values of all pairs of vertices to one player.

    Attributes:
        order: vertices in the order of trying: the most valuable settlement first, then the lower number.
        scores: the rank of the value of each pair, so that comparing whole numbers is exact.
        partners: second settlements for each first one: the most valuable pair first, then the lower number.
    """

    def __init__(self, board: catan_cp.Board, objective: catan_cp.Objective) -> None:
        touched = enumerate(board.layout.vertex_tiles)
        land = [v for v, tiles in touched if any(board.terrain[t] != "sea" for t in tiles)]
        singles = {v: objective.value(board, (v,)) for v in land}
        pairs = {(a, b): objective.value(board, (a, b)) for a in land for b in land if a < b}
        rank = {value: place for place, value in enumerate(sorted(set(pairs.values())))}
        self.order = sorted(land, key=lambda v: (-singles[v], v))
        self.scores = {v: {u: rank[pairs[min(u, v), max(u, v)]] for u in land if u != v} for v in land}
        self.partners = {v: sorted(row, key=row.__getitem__, reverse=True) for v, row in self.scores.items()}


class Search:
    """A search of one board. Sets of vertices are the bits of a whole number.

    Attributes:
        calls: visited positions.
        cut: candidates that the bounds ruled out.
        hits: calls that the memory answered.
    """

    def __init__(self, board: catan_cp.Board, objectives: Sequence[catan_cp.Objective], method: str) -> None:
        tables = {objective: Table(board, objective) for objective in dict.fromkeys(objectives)}
        self.tables = [tables[objective] for objective in objectives]
        self.method = method
        self.closed = [
            sum(1 << u for u in (v, *near)) for v, near in enumerate(board.layout.vertex_neighbors)
        ]
        self.memory: dict[tuple[int, int], tuple[Course, int]] = {}
        self.calls = self.cut = self.hits = 0
        free = sum(1 << v for v in self.tables[0].order)
        self.settlements = self.visit(0, 0, free)[0]

    def visit(self, player: int, occupied: int, free: int) -> tuple[Course, int]:
        """Return the settlements of this player and all later ones, and the vertices that stay free."""
        self.calls += 1
        if self.method == "feasibility":
            return self.best(player, occupied, free)
        position = player, occupied
        if position in self.memory:
            self.hits += 1
        else:
            self.memory[position] = self.best(player, occupied, free)
        return self.memory[position]

    def best(self, player: int, occupied: int, free: int) -> tuple[Course, int]:
        """Try each first settlement of a player, and return the line of play of the best one."""
        if player == len(self.tables):
            return (), free
        table = self.tables[player]
        # A pair with the best partner free now bounds what a candidate can be worth in the end.
        candidates = [(0, -rank, v) for rank, v in enumerate(table.order) if free >> v & 1]
        if self.method == "bounds":
            bounds = {v: table.scores[v][self.second(table, v, free)] for _, _, v in candidates}
            candidates = sorted([(bounds[v], rank, v) for _, rank, v in candidates], reverse=True)
        best_score = -1, 0
        best_line: tuple[Course, int] = (), free
        for tried, (bound, rank, first) in enumerate(candidates):
            if self.method == "bounds" and (bound, rank) <= best_score:
                self.cut += len(candidates) - tried
                break
            later, rest_value = self.visit(player + 1, occupied | 1 << first, free & ~self.closed[first])
            second = self.second(table, first, rest_value)
            if (score := (table.scores[first][second], rank)) > best_score:
                best_score, best_line = score, (((first, second), *later), rest_value & ~self.closed[second])
        return best_line

    def second(self, table: Table, first: int, free: int) -> int:
        """Return the free vertex that makes the best pair with *first*."""
        return next(v for v in table.partners[first] if free >> v & 1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve the same boards by each method, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--boards", type=int, default=30, help="number of boards (default: 30)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first board; each next one adds 1")
    parser.add_argument("--players", type=int, default=4, help="2 to 4 players (default: 4)")
    parser.add_argument(
        "--methods",
        default="bounds,library",
        help="of feasibility (a minute per board), memo, bounds, library",
    )
    options = parser.parse_args(arguments)
    boards = [report_board(options.seed + number) for number in range(options.boards)]
    objectives = [WEIGHTS] * options.players
    catan_cp.solve_placement(
        boards[0], options.players, objectives
    )  # loads and compiles before the clock starts
    expected = [catan_cp.solve_placement(board, options.players, objectives).settlements for board in boards]
    print(
        f"{'method':12} {'calls: mean':>12} {'least':>9} {'most':>9} {'cut':>7} {'known':>7} {'ms/board':>9}"
    )
    for method in options.methods.split(","):
        calls, cut, hits, start = [], 0, 0, time.perf_counter()
        for board, settlements in zip(boards, expected, strict=True):
            if method == "library":
                placement = catan_cp.solve_placement(board, options.players, objectives)
                calls.append(placement.nodes)
                result = placement.settlements
            elif method in METHODS:
                search = Search(board, objectives, method)
                calls.append(search.calls)
                cut, hits = cut + search.cut, hits + search.hits
                result = search.settlements
            else:
                parser.error(f"method must be one of {', '.join(METHODS)} and library, not {method}")
            if result != settlements:
                raise SystemExit(f"{method} and the library differ on {board.notation()}")
        spent = 1000 * (time.perf_counter() - start) / len(boards)
        ruled_out = cut / (cut + sum(calls) - len(boards)) if cut else 0
        print(
            f"{method:12} {sum(calls) / len(boards):12,.2f} {min(calls):9,} {max(calls):9,} "
            f"{ruled_out:7.1%} {hits / sum(calls):7.1%} {spent:9,.1f}"
        )


if __name__ == "__main__":
    main()
