"""Speed of placement, compared with a plain implementation of Christenson et al. 2025.

The plain implementation follows the published program. It uses dictionaries, clones the state for every
settlement, and memoises by player and occupied vertices. Upper bounds come from a table of all pairs, and
candidates are tried best first. Its settlements are checked against the library's on the way.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from time import process_time

from benchmarks.measure import Row, rates, row, seconds
from catan_cp.boards.board import Board
from catan_cp.boards.pieces import pips
from catan_cp.compiled import is_fast
from catan_cp.placement import Objective, solve_placement, solve_placements, win_chances
from catan_cp.rules.requirements import random_boards

WEIGHTS = (0.5, 0.3, 0.2)
PLAIN = "dictionaries, cloned states"


def rows(quick: bool) -> Iterator[Row]:
    """Measure everything, each figure with its comparison in the same run."""
    goal, repeats = Objective.published(*WEIGHTS), 2 if quick else 7
    batch = random_boards(200 if quick else 1000, seed=1)
    some = batch[: 5 if quick else 30]
    solve_placements(batch[:2], 4, goal)  # geometry and lookup tables are made once per layout and weights
    for board in some:
        if Program(board, 4).solve() != solve_placement(board, 4, goal).settlements:
            raise AssertionError(f"the report's program and ours differ on {board.notation()}")
    plain = [_milliseconds(partial(_by_program, board, 4)) for board in some]
    alone = [min(_milliseconds(partial(solve_placement, b, 4, goal)) for _ in range(3)) for b in some]
    placing = partial(solve_placements, batch, 4, goal)
    together = [_milliseconds(placing) / len(batch) for _ in range(repeats)]
    large = random_boards(3 if quick else 20, "base-5-6", seed=2)
    six = [_milliseconds(partial(solve_placement, board, 6, goal)) for board in large]
    sixes = [_milliseconds(partial(_by_program, board, 6)) for board in large[:3]]
    many = f"{len(batch):,}"
    yield row("place four players on one base board", "ms", alone, 3, PLAIN, plain)
    yield row(f"place four players on {many} base boards, each", "ms", together, 0.7, PLAIN, plain)
    yield row(f"each of {many} boards, beside one alone", "ms", together, None, "one alone", alone)
    yield row("place six players on a base-5-6 board", "ms", six, 2000, PLAIN, sixes)
    yield from _rivals(quick)
    settled = ((0, 10), (20, 30), (40, 50))
    chances = rates(
        repeats, 100, lambda: [win_chances(board, settled) for board in batch[:100]], process_time
    )
    yield row("chances to win, of settlements on base boards", "boards/s", chances, 250)
    tracemalloc.start()
    placing()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    yield row(f"peak memory of placing {many} boards", "MiB", [peak], 1024)


def _rivals(quick: bool) -> Iterator[Row]:
    """Measure drafts with rivalry and with boundedly rational players.

    Without numba, only drafts of two players are measured.
    """
    goal = Objective(rivalry=1)
    boards = random_boards(2 if quick else 10, seed=8)
    for players, target in ((2, 20), (3, 500), (4, 10_000)) if is_fast() else ((2, 200),):
        some = boards[: 1 if quick else 4] if players == 4 else boards
        solve_placement(some[0], 2, goal)  # compiled now, if not before
        times = [_milliseconds(partial(solve_placement, board, players, goal)) for board in some]
        yield row(f"place {players} rivals on a base board", "ms", times, target)
    if is_fast():
        levels = [None, 2, 2, 2]
        solve_placement(boards[0], 3, None, levels[:3])  # compiled now, if not before
        work = partial(solve_placement, boards[0], 4, None, levels)
        times = [_milliseconds(work) for _ in range(1 if quick else 3)]
        yield row("expect four players who err at first settlements", "ms", times, 10_000)


def _milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time in milliseconds, which other programs disturb least."""
    return 1000 * seconds(work, process_time)


# The report's program


Pair = tuple[int, int]


@dataclass
class State:
    """The settlements placed so far, by player."""

    settlements: dict[int, list[int]]
    owner: dict[int, int] = field(default_factory=dict)

    def clone(self) -> State:
        return State({player: list(spots) for player, spots in self.settlements.items()}, dict(self.owner))

    def settle(self, player: int, vertex: int) -> State:
        after = self.clone()
        after.settlements[player].append(vertex)
        after.owner[vertex] = player
        return after


class Program:
    """One board with its pair table."""

    def __init__(self, board: Board, players: int) -> None:
        self.board, self.players = board, players
        self.vertices = {v: list(tiles) for v, tiles in enumerate(board.layout.vertex_tiles)}
        self.neighbors = {v: set(near) for v, near in enumerate(board.layout.vertex_neighbors)}
        self.single = {v: self.score([v]) for v in self.vertices}
        self.pairs: dict[Pair, float] = {}
        for a in self.vertices:
            for b in self.vertices:
                if a < b and b not in self.neighbors[a]:
                    self.pairs[a, b] = self.pairs[b, a] = self.score([a, b])
        self.bound = {v: max(score for (a, _), score in self.pairs.items() if a == v) for v in self.vertices}
        self.memory: dict[tuple[int, frozenset[int]], State] = {}

    def score(self, spots: list[int]) -> float:
        tiles = [t for v in spots for t in self.vertices[v] if self.board.markers[t] is not None]
        terrains = {self.board.terrain[t] for t in tiles}
        markers = {self.board.markers[t] for t in tiles}
        resources = 2 * len(terrains) + 0.5 * len(tiles)
        cards = sum(pips(self.board.markers[t]) for t in set(tiles)) / 36
        hit = sum(pips(marker) for marker in markers) / 36
        return round(sum(w * part for w, part in zip(WEIGHTS, (resources, cards, hit), strict=True)), 9)

    def free(self, state: State) -> list[int]:
        owner, near = state.owner, self.neighbors
        return [v for v in near if v not in owner and not any(u in owner for u in near[v])]

    def visit(self, player: int, state: State) -> State:
        if player > self.players:
            return state
        key = player, frozenset(state.owner)
        if key in self.memory:
            known = self.memory[key].clone()
            known.settlements.update({p: list(state.settlements[p]) for p in range(1, player)})
            return known
        order = sorted(self.free(state), key=lambda v: (-self.single[v], v))
        ranked = {v: place for place, v in enumerate(order)}
        best, best_score, best_rank = None, -1.0, -1
        for v in sorted(ranked, key=lambda v: (-self.bound[v], ranked[v])):
            if self.bound[v] < best_score or (self.bound[v] == best_score and ranked[v] > best_rank):
                break
            after = self.visit(player + 1, state.settle(player, v))
            second = max(self.free(after), key=lambda u: (self.pairs[v, u], -u))
            score = self.pairs[v, second]
            if score > best_score or (score == best_score and ranked[v] < best_rank):
                best, best_score, best_rank = after.settle(player, second), score, ranked[v]
        assert best is not None
        self.memory[key] = best
        return best

    def solve(self) -> tuple[tuple[int, ...], ...]:
        end = self.visit(1, State({player: [] for player in range(1, self.players + 1)}))
        return tuple(tuple(end.settlements[player]) for player in range(1, self.players + 1))


def _by_program(board: Board, players: int) -> None:
    Program(board, players).solve()
