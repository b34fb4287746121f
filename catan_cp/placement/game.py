"""The settlement game: who places when, where one may settle, and the placement that comes of it.

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
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, InvalidBoard, show
from catan_cp.hooks import hooked
from catan_cp.placement.objective import Objective
from catan_cp.placement.roads import best_reach
from catan_cp.placement.spots import closed, free_vertices, land_edges, open_vertices

if TYPE_CHECKING:
    from catan_cp.placement.rivals import Block

Placed = tuple[tuple[int, int], ...]

Roads = tuple[int | None, ...]
"""Per settlement, the vertex at the other end of its road; None where it may lead anywhere."""

MIN_PLAYERS = 2
_MOST_PLAYERS = {"base": 4}
MAX_PLAYERS = 6
"""The most players on any layout but ``base``, where four can play."""


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
        expected: where players err, the value that each can expect; an exact expectation, up to rounding.
        roads: per settlement of *order*, the vertex at the other end of its road: the one given; or, where
            its player's objective has expansion, towards the best vertex that is left, None where none is;
            or None, since any road is as good.
        given: how many of the settlements stood already.
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

    @classmethod
    def of(
        cls,
        board: Board,
        objectives: tuple[Objective, ...],
        pairs: Sequence[Sequence[int]],
        values: tuple[float, ...],
        tied: bool,
        method: str,
        counters: Counters,
        seconds: float,
        roads: Roads = (),
        given: int = 0,
    ) -> Placement:
        """Return the placement of these pairs of (first, second) settlement, player 1's first."""
        numbered = list(enumerate(pairs, start=1))
        order = (
            *((player, first) for player, (first, _) in numbered),
            *((player, second) for player, (_, second) in reversed(numbered)),
        )
        settlements = tuple((first, second) for first, second in pairs)
        roads = roads or (None,) * len(order)
        return cls(
            board,
            objectives,
            settlements,
            order,
            values,
            tied,
            method,
            counters,
            seconds,
            roads=roads,
            given=given,
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
        blocks: tuple[Block, ...] = hooked("find_blocks")(self)
        return blocks

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
            "tied": self.tied,
            "calls": self.counters.calls,
            "cut": self.counters.cut,
            "memory_hits": self.counters.hits,
            "memory_misses": self.counters.misses,
            "seconds": self.seconds,
        }
        return json.dumps(value)

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
            lines.append("players err; expected: " + ", ".join(f"{value:.4f}" for value in self.expected))
        count = self.counters
        more = {"cut by bounds": count.cut, "found in memory": count.hits, "not in memory": count.misses}
        told = [f"{number:,} {name}" for name, number in more.items() if number]
        spent = f"{1000 * self.seconds:.1f} ms"
        lines.append(f"{self.method}: " + ", ".join([f"{count.calls:,} positions in {spent}", *told]))
        return "\n".join(lines)


def snake(players: int) -> tuple[int, ...]:
    """Return who places when: 1 to N, then N to 1.

    >>> snake(3)
    (1, 2, 3, 3, 2, 1)
    """
    return (*range(1, players + 1), *range(players, 0, -1))


# Checks


def checked_board(board: object) -> Board:
    """Return *board* if it can be played on.

    Raises:
        InvalidArgument: it is not a Board.
        InvalidBoard: it has no markers.
    """
    if not isinstance(board, Board):
        raise InvalidArgument(f"a placement takes a Board, not {show(board)}")
    if not board.has_markers:
        raise InvalidBoard(
            f"the board has no markers, so nobody can tell where to settle: {board.notation()}"
        )
    return board


def most_players(layout: Layout) -> int:
    """Return how many can play on a layout."""
    return _MOST_PLAYERS.get(layout.name, MAX_PLAYERS)


def checked_players(players: object, board: Board) -> int:
    """Return *players* if so many can play on the board's layout, or raise InvalidArgument."""
    most = most_players(board.layout)
    if type(players) is not int or not MIN_PLAYERS <= players <= most:
        raise InvalidArgument(
            f"on {board.layout.name!r} {MIN_PLAYERS} to {most} can play, not {show(players)}"
        )
    return players


def checked_objectives(objective: object, players: int) -> tuple[Objective, ...]:
    """Return one objective per player: the default, one for all, or the sequence given.

    Raises:
        InvalidArgument: something else, or not one per player.
    """
    if objective is None:
        objective = Objective()
    if isinstance(objective, Objective):
        return (objective,) * players
    if not isinstance(objective, Sequence) or not all(isinstance(goal, Objective) for goal in objective):
        raise InvalidArgument(f"objective is an Objective, or one for each player, not {show(objective)}")
    if len(objective) != players:
        raise InvalidArgument(f"there are {players} players but {len(objective)} objectives")
    return tuple(objective)


def checked_rationality(rationality: object, players: int) -> tuple[float | None, ...]:
    """Return each player's rationality: None for perfect, or a number of 0 or more.

    Raises:
        InvalidArgument: something else, or not one per player.
    """
    if isinstance(rationality, Sequence) and not isinstance(rationality, str):
        each = tuple(rationality)
        if len(each) != players:
            raise InvalidArgument(f"there are {players} players but {len(each)} rationalities")
    else:
        each = (rationality,) * players
    for one in each:
        number = isinstance(one, (int, float)) and not isinstance(one, bool)
        if one is not None and not (number and math.isfinite(one) and one >= 0):
            raise InvalidArgument(f"rationality is None, or a finite number of 0 or more, not {show(one)}")
    return each


def checked_placed(placed: object, board: Board, players: int) -> tuple[Placed, Roads]:
    """Return the settlements on the table, and their roads, if they keep the rules and the snake order.

    Raises:
        InvalidArgument: not (player, vertex) or (player, vertex, road); a road that does not lead to a
            neighbour of its vertex over land; the wrong player; a vertex that does not exist, is
            out at sea, or is taken or next to one that is; more than two settlements each.
    """
    turns = snake(players)
    if not isinstance(placed, Sequence) or isinstance(placed, str):
        raise InvalidArgument(
            f"placed is a list of (player, vertex) or (player, vertex, road), not {show(placed)}"
        )
    if len(placed) > len(turns):
        raise InvalidArgument(
            f"{players} players place {len(turns)} settlements, but {len(placed)} are placed"
        )
    done: list[tuple[int, int]] = []
    roads: list[int | None] = []
    for turn, move in zip(turns, placed, strict=False):
        if (
            not isinstance(move, Sequence)
            or len(move) not in (2, 3)
            or any(type(part) is not int for part in move[:2])
            or not (len(move) == 2 or move[2] is None or type(move[2]) is int)
        ):
            raise InvalidArgument(
                f"a settlement placed is (player, vertex) or (player, vertex, road), not {show(move)}"
            )
        player, vertex, road = (*move, None)[:3]
        which = f"settlement {len(done) + 1}"
        if player != turn:
            raise InvalidArgument(f"{which} is player {turn}'s, not player {player}'s: the order is {turns}")
        if not 0 <= vertex < board.layout.n_vertices:
            last = board.layout.n_vertices - 1
            raise InvalidArgument(
                f"{which} is on vertex {vertex}; {board.layout.name!r} has vertices 0 to {last}"
            )
        if vertex not in open_vertices(board):
            raise InvalidArgument(f"{which} is on vertex {vertex}, which {closed(board, vertex)}")
        for other, taken in done:
            if vertex == taken or vertex in board.layout.vertex_neighbors[taken]:
                raise InvalidArgument(
                    f"{which}, on vertex {vertex}, is on or next to player {other}'s on vertex {taken}"
                )
        ends = [a + b - vertex for a, b in land_edges(board) if vertex in (a, b)]
        if road is not None and road not in ends:
            raise InvalidArgument(
                f"the road from vertex {vertex} leads to {' or '.join(map(str, ends))}, not to {road}"
            )
        done.append((player, vertex))
        roads.append(road)
    return tuple(done), tuple(roads)


def no_room(board: Board, players: int, placed: Placed) -> InvalidBoard:
    """Return the error that says that not all settlements find a place."""
    left = 2 * players - len(placed)
    free = len(free_vertices(board, (v for _, v in placed)))
    return InvalidBoard(
        f"layout {board.layout.name!r} has no room for the {left} settlements yet to be placed by {players} "
        f"players: {free} vertices are free, and each settlement blocks its neighbours too; let fewer play"
    )
