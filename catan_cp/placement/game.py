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
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.vertex_text import vertex_name
from catan_cp.errors import InvalidArgument, check_choice, check_count, show
from catan_cp.placement.checks import (
    checked_board,
    checked_boards,
    checked_objectives,
    checked_position,
    checked_rationality,
)
from catan_cp.placement.objective import Objective, shares_of
from catan_cp.placement.plain import solve_batch
from catan_cp.placement.positions import Placed, Position, Roads, Solved, no_room, snake
from catan_cp.placement.quantal import Expected, expectations
from catan_cp.placement.rivals import Table, interruptible, rank_moves, solve_rivals
from catan_cp.placement.roads import best_reach, road_towards

METHODS = ("auto", "vectorized", "rivals")
"""Search methods: ``vectorized`` evaluates whole levels of the tree as arrays, without rivalry or expansion;
``rivals`` looks ahead at second settlements too, as rivalry needs; ``auto`` chooses."""

Goals = Objective | Sequence[Objective] | None

OnTable = Sequence[tuple[int, int] | tuple[int, int, int | None]]
"""Settlements in the order placed: (player, vertex), or (player, vertex, other end of the road)."""

Rationality = float | Sequence[float | None] | None


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
        nodes: the number of positions that the search evaluated.
        cut: the number of candidates that a bound ruled out.
        seconds: the time it took, tables included; for boards solved together, an equal share.
        rationality: where players err, each one's; None where all are perfect.
        expected: with boundedly rational players, the expected value of each; exact up to rounding.
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
    nodes: int = field(compare=False)
    cut: int = field(compare=False)
    seconds: float = field(compare=False)
    rationality: tuple[float | None, ...] | None = None
    expected: tuple[float, ...] | None = None
    roads: Roads = ()
    given: int = 0

    @classmethod
    def of(cls, position: Position, found: Solved) -> Placement:
        """Return what a search has found from a position as a placement."""
        board, goals, _, given = position
        course = found.course
        order = tuple(zip(snake(len(goals)), course, strict=True))
        later = [road_towards(board, goals[player - 1], v, course) for player, v in order[len(given) :]]
        return cls(
            board,
            goals,
            settlements=tuple((course[p], course[-1 - p]) for p in range(len(goals))),
            order=order,
            values=found.values or values_of(position, course),
            tied=found.tied,
            method=found.method,
            nodes=found.nodes,
            cut=found.cut,
            seconds=found.seconds,
            roads=(*given, *later),
            given=len(given),
        )

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.settlements)

    @property
    def start(self) -> Position:
        """The position that was given."""
        given = self.given
        return Position(self.board, self.objectives, self.order[:given], self.roads[:given])

    @cached_property
    def parts(self) -> tuple[dict[str, float], ...]:
        """What each term of a player's objective is worth before its weight, per player; and expansion."""
        told, start, course = [], self.start, [v for _, v in self.order]
        for p, (goal, pair) in enumerate(zip(self.objectives, self.settlements, strict=True)):
            parts = {term: float(part) for term, part in goal.parts(self.board, pair).items()}
            told.append(parts | ({"expansion": float(_reach(start, course, p))} if goal.expansion else {}))
        return tuple(told)

    @cached_property
    def leads(self) -> tuple[float, ...]:
        """Per player, its value less its rivalry times the largest value of a rival.

        Each player maximizes this.
        """
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
        """Pairs of vertices, from each of `blocks` to the nearest one of each rival harmed."""
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
            "calls": self.nodes,
            "cut": self.cut,
            "seconds": self.seconds,
        }
        return json.dumps(value)

    def __repr__(self) -> str:
        return f"<Placement on {self.board.notation()}: {self.settlements}, worth {self.values}>"

    def __str__(self) -> str:
        lines, chances = [], shares_of(self.board, self.settlements)
        for player, pair in enumerate(self.settlements, start=1):
            parts = ", ".join(f"{term} {part:.3f}" for term, part in self.parts[player - 1].items())
            where = " and ".join(vertex_name(self.board, vertex) for vertex in pair)
            lines.append(
                f"player {player}: {where}: wins {chances[player - 1]:.0%}, "
                f"worth {self.values[player - 1]:.4f} ({parts})"
            )
        order = ", ".join(
            f"{player} on {vertex}" + ("" if road is None else f" towards {road}")
            for (player, vertex), road in zip(self.order, self.roads, strict=True)
        )
        lines.append(f"in the order {order}" + ("; other choices were as good" if self.tied else ""))
        if self.expected is not None:
            told = [f"{value:.4f}" for value in self.expected]
            lines.append("players err; expected: " + ", ".join(told))
        cut = f", {self.cut:,} cut by bounds" if self.cut else ""
        lines.append(f"{self.method}: {self.nodes:,} positions in {1000 * self.seconds:.1f} ms{cut}")
        return "\n".join(lines)


def _find_blocks(placement: Placement) -> tuple[Block, ...]:
    """Return the settlements of a placement among rivals that are there to harm somebody."""
    blocks = []
    near = placement.board.layout.vertex_neighbors
    start = placement.start
    for turn, (player, vertex) in enumerate(placement.order):
        goal = placement.objectives[player - 1]
        if not goal.rivalry or turn < placement.given:
            continue
        goals = list(placement.objectives)
        goals[player - 1] = replace(goal, rivalry=0)
        found = solve_rivals([start._replace(goals=tuple(goals), placed=placement.order[:turn])])[0]
        if found is None or found.course[turn] == vertex:
            continue
        other = Placement.of(start, found)
        took = {
            q: now - value
            for q, (now, value) in enumerate(zip(other.values, placement.values, strict=True), start=1)
            if q != player and now > value
        }
        if took:
            gone = {vertex, *near[vertex]}
            denied = {q: v for q in took for p, v in other.order[turn:] if p == q and v in gone}
            cost = other.values[player - 1] - placement.values[player - 1]
            blocks.append(Block(turn + 1, player, vertex, found.course[turn], cost, took, denied))
    return tuple(blocks)


def _reach(position: Position, course: Sequence[int], p: int) -> Fraction:
    """Return the value of the best vertex that a player (from 0) reaches at the end of a course."""
    laid = (*position.roads, *[None] * (len(course) - len(position.roads)))
    pair, roads = (course[p], course[-1 - p]), (laid[p], laid[-1 - p])
    return best_reach(position.board, position.goals[p], pair, course, roads)


def values_of(position: Position, course: Sequence[int]) -> tuple[float, ...]:
    """Return what each player has at the end of a course from a position, expansion included."""
    values = []
    for p, goal in enumerate(position.goals):
        value = goal.value(position.board, (course[p], course[-1 - p]))
        if goal.expansion:
            value += Fraction(goal.expansion) * _reach(position, course, p)
        values.append(float(value))
    return tuple(values)


def solve_placement(
    board: Board,
    players: int = 4,
    objective: Goals = None,
    rationality: Rationality = None,
    method: str = "auto",
    placed: OnTable = (),
) -> Placement:
    """Return where perfect players settle on *board*.

    Args:
        board: a board with markers.
        players: 2 to 4 on ``base``, 2 to 6 elsewhere.
        objective: what everybody wants, or one objective per player; by default the published one, with
            equal weights.
        rationality: None for perfect players; else one for all, or one per player: a number of 0 or more for
            logit choice of first settlements over the expected leads of options, in units of one over a value
            (0: uniform), and None for a perfect player among them; second settlements are best. The result
            is then the line of play on which every player takes its best option, and `Placement.expected`
            has the expected values. See `catan_cp.placement.quantal`.
        method: one of `METHODS`, which find the same placement where no objective has any rivalry or
            expansion; ``"rivals"`` is for any.
        placed: settlements on the table, as (player, vertex) or (player, vertex, road) with players numbered
            from 1 and the road's other end, in the order placed: 1 to N, then N to 1. The game goes on from
            there. A road matters to an objective with expansion only.

    Raises:
        InvalidArgument: a number of players, objective, rationality, method or *placed* that cannot be.
        InvalidBoard: the board has no markers, or no room for all settlements.
    """
    position = checked_position(board, players, objective, placed)
    check_choice("method", method, METHODS)
    levels = checked_rationality(rationality, position.players)
    if levels is not None:
        if method != "auto":
            raise InvalidArgument(f"players who err are solved by method auto only, not {show(method)}")
        started = time.perf_counter()
        answer = _expected(position, levels)
        spent = time.perf_counter() - started
        course = Solved(answer.course, nodes=answer.positions, seconds=spent, method="erring")
        whole = Placement.of(position, course)
        return replace(whole, rationality=levels, expected=answer.values or whole.values)
    if position.minds_others and method not in ("auto", "rivals"):
        raise InvalidArgument(
            f"method {method!r} solves the game without rivalry and expansion only; use auto or rivals"
        )
    return _solve_alike([position], "rivals" if position.minds_others else method)[0]


def _solve_alike(positions: Sequence[Position], method: str) -> list[Placement]:
    """Solve positions, all of one layout, with the same goals and as many settlements placed."""
    found: Iterable[Solved | None] = solve_rivals(positions) if method == "rivals" else solve_batch(positions)
    placements = []
    for position, solved in zip(positions, found, strict=True):
        if solved is None:
            raise no_room(position)
        placements.append(Placement.of(position, solved))
    return placements


def _expected(position: Position, levels: Sequence[float | None]) -> Expected:
    """Return the expectations of boundedly rational players."""
    answer = interruptible(lambda stop: expectations(Table(position, stop), levels))
    if answer is None:
        raise no_room(position)
    return answer


def solve_placements(boards: Iterable[Board], players: int = 4, objective: Goals = None) -> list[Placement]:
    """Return where perfect players settle on each of many boards, of one layout or several.

    The tables of a few hundred boards stand in memory at a time, whatever their number.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`, for the first board that cannot be solved.
    """
    given = checked_boards(boards, players)
    by_layout: dict[Layout, list[int]] = {}
    for number, board in enumerate(given):
        by_layout.setdefault(board.layout, []).append(number)
    goals = checked_objectives(objective, players)
    method = "rivals" if any(goal.minds_others for goal in goals) else "auto"
    found: dict[int, Placement] = {}
    for numbers in by_layout.values():
        alike = _solve_alike([Position(given[number], goals) for number in numbers], method)
        found.update(zip(numbers, alike, strict=True))
    return [found[number] for number in range(len(given))]


@dataclass(frozen=True)
class Move:
    """One vertex that a player may settle next, and what follows.

    Attributes:
        player: who moves, numbered from 1.
        vertex: where.
        value: what the player's two settlements will be worth to it.
        placement: the whole game when everybody plays perfectly from there.
        lead: what the player maximises, as `Placement.leads`; the same as *value* without rivalry.
        road: the other end of its road, as in `Placement.roads`.
    """

    player: int
    vertex: int
    value: float
    placement: Placement
    lead: float
    road: int | None = None


def vertex_values(board: Board, objective: Objective | None = None) -> tuple[float, ...]:
    """Return what a single settlement is worth, per vertex: the heat map of where to settle.

    Vertices out at sea, where nobody can settle, are worth 0.

    Raises:
        InvalidArgument: no board, or no objective.
        InvalidBoard: the board has no markers.
    """
    goal = Objective() if objective is None else objective
    if not isinstance(goal, Objective):
        raise InvalidArgument(f"objective is an Objective, not {show(goal)}")
    return tuple(float(goal.value(board, (v,))) for v in range(checked_board(board).layout.n_vertices))


def best_moves(
    board: Board,
    placed: OnTable = (),
    k: int = 5,
    players: int = 4,
    objective: Goals = None,
    rationality: Rationality = None,
) -> list[Move]:
    """Return the next player's *k* best vertices, best first; the first is what `solve_placement` plays.

    With a *rationality*, as for `solve_placement`, values and leads are expectations, and the first move is
    the robust one: the best against players who may not play well.
    Vertices of equal value come in the order in which the game tries them. Fewer than *k* are returned
    where fewer are free, and those that leave somebody without a place are left out.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`; a *k* below 1; nothing left to place.
    """
    position = checked_position(board, players, objective, placed)
    k, done, players = check_count("k", k, 1), len(position.placed), position.players
    if done == 2 * players:
        raise InvalidArgument(f"all {2 * players} settlements are placed; there is no next move")
    levels, player = checked_rationality(rationality, players), snake(players)[done]
    goal = position.goals[player - 1]
    if levels is not None and done < players:
        moves = []
        for v, lead, values in _expected(position, levels).options[:k]:
            after = (*placed, (player, v))
            whole = solve_placement(board, players, position.goals, levels, "auto", after)
            road = road_towards(board, goal, v, [u for _, u in whole.order])
            moves.append(Move(player, v, values[player - 1], whole, lead, road))
    else:
        rank = rank_moves(position, k) if position.minds_others else _rank_plain(position, player)[:k]
        ranked = [(v, lead, Placement.of(position, solved)) for v, lead, solved in rank]
        moves = [Move(player, v, w.values[player - 1], w, lead, w.roads[done]) for v, lead, w in ranked]
    if not moves:
        raise no_room(position)
    return moves


def _rank_plain(position: Position, player: int) -> list[tuple[int, float, Solved]]:
    """Return `rank_moves` of all moves where nobody minds the others."""
    board, goal, placed, free = position.board, position.goals[player - 1], position.placed, position.free()
    if len(placed) < position.players:  # the order in which candidates for a first settlement are tried
        single = {v: goal.value(board, (v,)) for v in free}
        free = tuple(sorted(free, key=lambda v: (-single[v], v)))
    courses = solve_batch([position._replace(placed=(*placed, (player, v))) for v in free])
    found = [(v, solved) for v, solved in zip(free, courses, strict=True) if solved is not None]
    exact = {v: goal.value(board, (s.course[player - 1], s.course[-player])) for v, s in found}
    return [(v, float(exact[v]), s) for v, s in sorted(found, key=lambda one: -exact[one[0]])]
