"""Speed of placement, compared with a plain implementation of Christenson et al. 2025.

The plain implementation follows the published program. It uses dictionaries, clones the state for every
settlement, and memoises by player and occupied vertices. Upper bounds come from a table of all pairs, and
candidates are tried best first. Its settlements are checked against the library's on the way.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from benchmarks.rows import Row, row
from catan_cp.boards.board import Board, random_boards
from catan_cp.boards.pieces import pips
from catan_cp.compiled import is_fast
from catan_cp.placement import Objective, solve_placement, solve_placements, win_chances

WEIGHTS = (0.5, 0.3, 0.2)
PLAIN = "dictionaries, cloned states"


def rows(quick: bool) -> list[Row]:
    """Measure everything, each figure with its comparison in the same run."""
    goal = Objective.published(*WEIGHTS)
    batch = random_boards(200 if quick else 1000, seed=1)
    some = batch[: 5 if quick else 30]
    solve_placements(batch[:2], 4, goal)  # geometry and lookup tables are made once per layout and weights

    plain = []
    for board in some:
        program = Program(board, 4, *WEIGHTS)
        plain.append(_milliseconds(lambda board=board: Program(board, 4, *WEIGHTS).solve()))  # type: ignore[misc]
        if program.solve() != solve_placement(board, 4, goal).settlements:
            raise AssertionError(f"the report's program and ours differ on {board.notation()}")
    alone = [min(_milliseconds(partial(solve_placement, b, 4, goal)) for _ in range(3)) for b in some]
    repeats = 2 if quick else 7
    together = [_milliseconds(partial(solve_placements, batch, 4, goal)) / len(batch) for _ in range(repeats)]
    large = random_boards(3 if quick else 20, "base-5-6", seed=2)
    six = [_milliseconds(partial(solve_placement, board, 6, goal)) for board in large]
    sixes = [_milliseconds(lambda board=board: Program(board, 6, *WEIGHTS).solve()) for board in large[:3]]  # type: ignore[misc]
    tracemalloc.start()
    solve_placements(batch, 4, goal)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    many = f"{len(batch):,}"
    return [
        row("place four players on one base board", "ms", alone, 3, PLAIN, plain),
        row(f"place four players on {many} base boards, each", "ms", together, 0.7, PLAIN, plain),
        row(f"each of {many} boards, beside one alone", "ms", together, None, "one alone", alone),
        row("place six players on a base-5-6 board", "ms", six, 2000, PLAIN, sixes),
        *_rivals(quick),
        row("chances to win, of settlements on base boards", "boards/s", _chances(batch[:100], repeats), 250),
        row(f"peak memory of placing {many} boards", "MiB", [peak], 1024),
    ]


def _chances(boards: list[Board], repeats: int) -> list[float]:
    settled = ((0, 10), (20, 30), (40, 50))
    return [1000 * len(boards) / _milliseconds(partial(_win, boards, settled)) for _ in range(repeats)]


def _win(boards: list[Board], settled: tuple[tuple[int, int], ...]) -> None:
    for board in boards:
        win_chances(board, settled)


def _rivals(quick: bool) -> list[Row]:
    """Measure drafts with rivalry and with boundedly rational players.

    Without numba, only drafts of two players are measured.
    """
    goal = Objective(rivalry=1)
    boards = random_boards(2 if quick else 10, seed=8)
    made = []
    for players, target in ((2, 20), (3, 500), (4, 10_000)) if is_fast() else ((2, 200),):
        some = boards[: 1 if quick and players == 4 else 4 if players == 4 else 10]
        solve_placement(some[0], 2, goal)  # compiled now, if not before
        times = [_milliseconds(partial(solve_placement, board, players, goal)) for board in some]
        made.append(row(f"place {players} rivals on a base board", "ms", times, target))
    if is_fast():
        levels = [None, 2, 2, 2]
        solve_placement(boards[0], 3, None, levels[:3])  # compiled now, if not before
        work = partial(solve_placement, boards[0], 4, None, levels)
        times = [_milliseconds(work) for _ in range(1 if quick else 3)]
        made.append(row("expect four players who err at first settlements", "ms", times, 10_000))
    return made


def _milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time in milliseconds, which other programs disturb least."""
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


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
    """One board with its pair table.

    `solve` finds the placement and counts calls.
    """

    def __init__(self, board: Board, players: int, resources: float, cards: float, hit: float) -> None:
        self.board, self.players = board, players
        self.weights = {"resources": resources, "cards": cards, "hit": hit}
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
        self.calls = 0

    def score(self, spots: list[int]) -> float:
        tiles = [t for v in spots for t in self.vertices[v] if self.board.markers[t] is not None]
        terrains = {self.board.terrain[t] for t in tiles}
        markers = {self.board.markers[t] for t in tiles}
        parts = {
            "resources": 2 * len(terrains) + 0.5 * len(tiles),
            "cards": sum(pips(self.board.markers[t]) for t in set(tiles)) / 36,
            "hit": sum(pips(marker) for marker in markers) / 36,
        }
        return round(sum(self.weights[name] * part for name, part in parts.items()), 9)

    def free(self, state: State) -> list[int]:
        return [
            v
            for v in self.vertices
            if v not in state.owner and not any(near in state.owner for near in self.neighbors[v])
        ]

    def visit(self, player: int, state: State) -> State:
        self.calls += 1
        if player > self.players:
            return state
        key = player, frozenset(state.owner)
        if key in self.memory:
            known = self.memory[key].clone()
            known.settlements.update({p: list(state.settlements[p]) for p in range(1, player)})
            return known
        ranked = {
            v: place for place, v in enumerate(sorted(self.free(state), key=lambda v: (-self.single[v], v)))
        }
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
