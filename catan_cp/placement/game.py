"""The settlement game, and the placement that comes of it.

Players 1 to N place a first settlement each, then N to 1 a second; no two settlements stand on
neighbouring vertices. Everybody wants the best pair for itself and knows that the others do too, so
the outcome is found by backward induction: after the later players have placed both of theirs, a
player takes the best second vertex that is left, and a first vertex is worth what it leads to.

Ties are settled the same way by every method. A player's candidates for a first vertex are tried by
the value of that single settlement, highest first, then by vertex number, and a later candidate must
be strictly better. The second settlement is the best pair, the lowest vertex number first. A course
of play on which somebody finds no vertex left is never chosen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.placement.objective import Objective
from catan_cp.placement.rivals import Table, interruptible
from catan_cp.placement.spots import Placed, Roads, best_reach, road_towards, snake


@dataclass(frozen=True)
class Counters:
    """What a search did.

    Attributes:
        calls: calls of the recursive function, the first one and those that end at once because all first
            settlements stand or the memory knows the answer included; not those that, after the search,
            only find out whether there were ties. For ``vectorized``, positions evaluated, among them some
            that looking ahead turned out not to need.
        cut: candidates that a bound ruled out.
        hits: calls answered from memory.
        misses: cache misses: calls that the memory could not answer. All are stored, so this is its size too.
    """

    calls: int = 0
    cut: int = 0
    hits: int = 0
    misses: int = 0

    @property
    def pruning_rate(self) -> float | None:
        """The share of candidates that a bound ruled out, of all that were considered."""
        considered = self.cut + self.calls - 1
        return self.cut / considered if self.cut else None

    @property
    def hit_rate(self) -> float | None:
        """The share of calls answered from memory; None without one."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else None


@dataclass(frozen=True)
class Block:
    """A settlement that stands where it does to keep a rival down.

    It is found by comparing the draft with the one in which the player, from this settlement on, wants
    nothing but its own value, all others staying as they are.

    Attributes:
        turn: which settlement, from 1.
        player: who placed it, from 1.
        vertex: where it stands.
        instead: where the player would have settled for its own value alone.
        cost: what the player gave up of its own value (negative where rivals, being deterred, gave more).
        took: what each rival that lost by it would have had more, by player.
        denied: the vertices of those rivals in the other draft that this settlement rules out.
    """

    turn: int
    player: int
    vertex: int
    instead: int
    cost: float
    took: dict[int, float]
    denied: dict[int, int]

    def __str__(self) -> str:
        harmed = " and ".join(f"{loss:.4f} from player {rival}" for rival, loss in self.took.items())
        where = "".join(f"; it rules out player {p}'s vertex {v}" for p, v in self.denied.items())
        cost = f"costs {self.cost:.4f}" if self.cost > 0 else "costs nothing"
        return (
            f"settlement {self.turn}, player {self.player} on vertex {self.vertex} "
            f"instead of {self.instead}: it {cost} and takes {harmed}{where}"
        )


@dataclass(frozen=True)
class Placement:
    """Where perfect players settle on a board.

    Attributes:
        board: the board.
        objectives: what each player wants, player 1 first.
        settlements: each player's vertices in the order placed, player 1 first.
        order: every settlement as placed, as (player, vertex); players are numbered from 1.
        values: what each player's settlements are worth to that player, expansion included.
        tied: whether at any decision on the path another choice had the same value for the player who
            chose, and would have left somebody with other settlements. (Placing the same two vertices the
            other way round is no tie when it changes nothing else.) Only decisions that were searched count,
            not those given as already placed.
        method: how it was found.
        counters: what the search did.
        seconds: the time it took, tables included; for boards solved together, an equal share.
        rationality: where players err, each one's; None where all are perfect.
        expected: where players err, the value that each can expect; exact, up to rounding, unless there is
            an *error*.
        roads: per settlement of *order*, the vertex at the other end of its road: the one given; or, where
            its player's objective has expansion, towards the best vertex that is left, None where none is;
            or None, since any road is as good.
        given: how many of the settlements stood already.
        error: where *expected* comes from a simulation, the error of each value, at 95 %; else None.
    """

    board: Board
    objectives: tuple[Objective, ...]
    settlements: tuple[tuple[int, ...], ...]
    order: Placed
    values: tuple[float, ...]
    tied: bool
    method: str
    counters: Counters = field(compare=False)
    seconds: float = field(compare=False)
    rationality: tuple[float | None, ...] | None = None
    expected: tuple[float, ...] | None = None
    roads: Roads = ()
    given: int = 0
    error: tuple[float, ...] | None = None

    @classmethod
    def of(
        cls,
        board: Board,
        objectives: tuple[Objective, ...],
        course: Sequence[int],
        *,
        method: str,
        values: tuple[float, ...] | None = None,
        tied: bool = False,
        counters: Counters,
        seconds: float,
        given: Roads = (),
    ) -> Placement:
        """Return a whole course of play as a placement.

        Args:
            board: the board.
            objectives: what each player wants.
            course: every settlement in the order placed.
            method: how it was found.
            values: what the settlements are worth to each player, where that is known already.
            tied: whether there was a tie.
            counters: what the search did.
            seconds: the time it took.
            given: the roads of the settlements that stood already, one for each.
        """
        n = len(objectives)
        pairs = tuple((course[p], course[2 * n - 1 - p]) for p in range(n))
        later = [
            road_towards(board, objectives[player - 1], vertex, course)
            for player, vertex in list(zip(snake(n), course, strict=True))[len(given) :]
        ]
        return cls(
            board,
            objectives,
            settlements=pairs,
            order=tuple(zip(snake(n), course, strict=True)),
            values=values or values_of(board, objectives, course, given),
            tied=tied,
            method=method,
            counters=counters,
            seconds=seconds,
            roads=(*given, *later),
            given=len(given),
        )

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.settlements)

    @property
    def nodes(self) -> int:
        """How many positions the search visited: ``counters.calls``."""
        return self.counters.calls

    @cached_property
    def parts(self) -> tuple[dict[str, float], ...]:
        """What each term of a player's objective is worth before its weight, per player; and expansion."""
        told = []
        taken = [v for _, v in self.order]
        for player, (goal, spots) in enumerate(zip(self.objectives, self.settlements, strict=True), start=1):
            parts = {term: float(part) for term, part in goal.parts(self.board, spots).items()}
            if goal.expansion:
                roads = [r for (p, _), r in zip(self.order, self.roads, strict=True) if p == player]
                parts["expansion"] = float(best_reach(self.board, goal, spots, taken, roads))
            told.append(parts)
        return tuple(told)

    @cached_property
    def leads(self) -> tuple[float, ...]:
        """What each player maximised: its value less its rivalry times the largest value of a rival."""
        best = [max(v for q, v in enumerate(self.values) if q != p) for p in range(self.players)]
        return tuple(
            value - float(goal.rivalry) * most
            for value, goal, most in zip(self.values, self.objectives, best, strict=True)
        )

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The settlements that are there to harm a rival; each takes a search to find."""
        return _find_blocks(self)

    @property
    def arrows(self) -> tuple[tuple[int, int], ...]:
        """An arrow per `blocks` and rival harmed: from the settlement to that rival's nearest one."""
        sites = self.board.layout.vertices

        def apart(a: int, b: int) -> int:  # the squared distance, in quarters of a tile's side
            return 3 * (sites[a][0] - sites[b][0]) ** 2 + (sites[a][1] - sites[b][1]) ** 2

        return tuple(
            (block.vertex, min(self.settlements[rival - 1], key=lambda v: apart(block.vertex, v)))
            for block in self.blocks
            for rival in block.took
        )

    def explain(self) -> str:
        """Return in words who settles where to harm whom, what it cost and what it took."""
        if not any(goal.rivalry for goal in self.objectives):
            return "nobody minds the others here (rivalry is 0), so no settlement is there to harm anyone"
        lines = [str(block) for block in self.blocks]
        if not lines:
            return "nobody settles anywhere but where it serves its own value best"
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return the placement as a JSON object; players are numbered from 1, vertices from 0."""
        value = {
            "board": self.board.notation(),
            "layout": self.board.layout.name,
            "method": self.method,
            "players": [
                {
                    "player": player,
                    "settlements": self.settlements[player - 1],
                    "value": self.values[player - 1],
                    "parts": self.parts[player - 1],
                    "weights": {term: float(weight) for term, weight in goal.weights.items()},
                    "rivalry": float(goal.rivalry),
                    "expansion": float(goal.expansion),
                    "lead": self.leads[player - 1],
                }
                for player, goal in enumerate(self.objectives, start=1)
            ],
            "order": self.order,
            "roads": self.roads,
            "rationality": self.rationality,
            "expected": self.expected,
            "error": self.error,
            "tied": self.tied,
            "calls": self.counters.calls,
            "cut": self.counters.cut,
            "memory_hits": self.counters.hits,
            "memory_misses": self.counters.misses,
            "seconds": self.seconds,
        }
        return json.dumps(value)

    def __repr__(self) -> str:
        return f"<Placement on {self.board.notation()}: {self.settlements}, worth {self.values}>"

    def __str__(self) -> str:
        lines = []
        for player, spots in enumerate(self.settlements, start=1):
            parts = ", ".join(f"{term} {part:.3f}" for term, part in self.parts[player - 1].items())
            where = " and ".join(map(str, spots))
            lines.append(f"player {player}: vertices {where}, worth {self.values[player - 1]:.4f} ({parts})")
        order = ", ".join(
            f"{player} on {vertex}" + ("" if road is None else f" towards {road}")
            for (player, vertex), road in zip(self.order, self.roads, strict=True)
        )
        lines.append(f"in the order {order}" + ("; other choices were as good" if self.tied else ""))
        if self.expected is not None:
            told = [f"{value:.4f}" for value in self.expected]
            if self.error is not None:
                told = [f"{value} ± {error:.4f}" for value, error in zip(told, self.error, strict=True)]
            lines.append("players err; expected: " + ", ".join(told))
        count = self.counters
        more = {"cut by bounds": count.cut, "found in memory": count.hits, "not in memory": count.misses}
        told = [f"{number:,} {name}" for name, number in more.items() if number]
        spent = f"{1000 * self.seconds:.1f} ms"
        lines.append(f"{self.method}: " + ", ".join([f"{count.calls:,} positions in {spent}", *told]))
        return "\n".join(lines)


def _find_blocks(placement: Placement) -> tuple[Block, ...]:
    """Return the settlements of a placement among rivals that are there to harm somebody."""
    blocks = []
    near = placement.board.layout.vertex_neighbors
    for turn, (player, vertex) in enumerate(placement.order):
        goal = placement.objectives[player - 1]
        if not goal.rivalry or turn < placement.given:
            continue
        goals = list(placement.objectives)
        goals[player - 1] = replace(goal, rivalry=0)
        given = placement.roads[: placement.given]
        course = _best_course(placement.board, tuple(goals), placement.order[:turn], given)
        if course[turn] == vertex:
            continue
        other = Placement.of(
            placement.board,
            placement.objectives,
            course,
            method="rivals",
            counters=Counters(),
            seconds=0,
            given=given,
        )
        took = {
            q: other.values[q - 1] - placement.values[q - 1]
            for q in range(1, placement.players + 1)
            if q != player and other.values[q - 1] > placement.values[q - 1]
        }
        if took:
            gone = {vertex, *near[vertex]}
            denied = {
                q: v
                for q in took
                for v in other.settlements[q - 1]
                if v in gone and (q, v) in other.order[turn:]
            }
            cost = other.values[player - 1] - placement.values[player - 1]
            blocks.append(Block(turn + 1, player, vertex, course[turn], cost, took, denied))
    return tuple(blocks)


def _best_course(board: Board, goals: tuple[Objective, ...], placed: Placed, roads: Roads) -> list[int]:
    def work(stop: Any) -> list[int]:
        draft = Table(board, goals, placed, roads, stop)
        draft.solve()
        return draft.course()

    return interruptible(work)


def values_of(
    board: Board, goals: Sequence[Objective], course: Sequence[int], given: Roads = ()
) -> tuple[float, ...]:
    """Return what each player has, expansion included, at the end of a course with these roads laid first."""
    n = len(goals)
    laid = (*given, *[None] * (2 * n - len(given)))
    values = []
    for p, goal in enumerate(goals):
        pair, roads = (course[p], course[2 * n - 1 - p]), (laid[p], laid[2 * n - 1 - p])
        value = goal.value(board, pair)
        if goal.expansion:
            value += Fraction(goal.expansion) * best_reach(board, goal, pair, course, roads)
        values.append(float(value))
    return tuple(values)
