"""The settlement game and its solution, a `Placement`.

Players 1 to N place a first settlement each, then N to 1 a second one. No two settlements may be on
neighboring vertices. Each player wants the best pair for itself and knows that the others do too. The
subgame-perfect equilibrium follows by backward induction. After the later players have placed both
settlements, a player takes the best second vertex left. The value of a first vertex is the value of the pair
that it leads to.

Every method breaks ties in the same way. First vertices are ordered by the value of that single settlement,
highest first, then by vertex number. Among equally good candidates, the first is chosen. Among equally good
pairs, the second settlement has the lowest vertex number. A line of play on which a player finds no free
vertex is never chosen.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.vertex_text import vertex_name
from catan_cp.errors import InvalidArgument, check_choice, check_count, show
from catan_cp.placement import checks
from catan_cp.placement.chance_game import measured_line, move_chances
from catan_cp.placement.equilibria import has_tie_off_path
from catan_cp.placement.objective import Objective
from catan_cp.placement.plain import solve_batch
from catan_cp.placement.positions import Placed, Position, Roads, Solved, no_room, snake
from catan_cp.placement.quantal import Expected, expectations
from catan_cp.placement.rivals import Table, interruptible, rank_moves, solve_rivals
from catan_cp.placement.roads import best_reach, road_towards
from catan_cp.terminal import html_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = ("auto", "vectorized", "rivals")
"""Search methods.

``vectorized`` evaluates whole levels of the tree as arrays, without rivalry or expansion. ``rivals`` looks
ahead at second settlements too, as rivalry needs. ``auto`` chooses.
"""

Goals = Objective | Sequence[Objective] | None

OnTable = Sequence[tuple[int, int] | tuple[int, int, int | None]]
"""Settlements in the order placed: (player, vertex) or (player, vertex, road end)."""

Rationality = float | Sequence[float | None] | None


@dataclass(frozen=True)
class Block:
    """A settlement placed to reduce the value of a rival.

    It is detected by comparing two drafts. In the second one, the player wants only its own value from this
    settlement on, and all others play as before.

    Attributes:
        turn: the number of the settlement, from 1.
        player: the player who placed it, numbered from 1.
        vertex: its vertex.
        instead: the vertex that the player would have chosen for its own value alone.
        cost: the own value that the player gave up. It is negative if the rivals' changed play left the
            player a better pair.
        took: for each rival whose value it reduced, the value lost.
        denied: for each such rival, its vertex in the second draft that this settlement rules out.
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
        denied = "".join(f"; it rules out player {p}'s vertex {v}" for p, v in self.denied.items())
        cost = f"costs {self.cost:.4f}" if self.cost > 0 else "costs nothing"
        return (
            f"settlement {self.turn}, player {self.player} on vertex {self.vertex} "
            f"instead of {self.instead}: it {cost} and takes {harmed}{denied}"
        )


@dataclass(frozen=True)
class Placement:
    """The settlements of perfect players on a board.

    Attributes:
        board: the board.
        objectives: the objective of each player, player 1 first.
        settlements: each player's vertices in the order placed, player 1 first.
        order: every settlement as placed, as (player, vertex). Players are numbered from 1.
        values: the value of each player's settlements to that player, expansion included.
        tied: whether, at a decision on the line of play, another choice had the same value for the player
            to move and would have led to other settlements. Placing the same two vertices in the other order
            is not a tie if it changes nothing else. Decisions given as already placed do not count. Ties off
            the line of play do not count either (`tied_off_path` reports them).
        method: the search method.
        nodes: the number of positions that the search evaluated.
        cut: the number of candidates that a bound ruled out.
        seconds: the time used, tables included. Boards solved together share the time equally.
        rationality: the rationality of each player, or None if all are perfect.
        expected: with boundedly rational players, the expected value of each, exact up to rounding.
        roads: per settlement of *order*, the vertex at the other end of its road. This is the road given, or,
            if the player's objective has expansion, the road towards the best vertex left. None if no such
            vertex is left or if all roads are equally good.
        given_roads: per settlement that was already placed, the road given, or None.

    Example:
        >>> import catan_cp
        >>> placement = solve_placement(catan_cp.LAYOUTS["base"].beginner_board, players=2)
        >>> placement.settlements, placement.order[0]
        (((38, 44), (33, 2)), (1, 38))
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
    given_roads: Roads = ()

    @classmethod
    def of(cls, position: Position, solved: Solved) -> Placement:
        """Return the result of a search from a position as a placement."""
        board, goals, _, given = position
        line = solved.line
        order = tuple(zip(snake(len(goals)), line, strict=True))
        roads = tuple(
            road_towards(board, goals[player - 1], v, line) if road is None else road
            for (player, v), road in zip_longest(order, given)
        )
        return cls(
            board,
            goals,
            settlements=tuple((line[p], line[-1 - p]) for p in range(len(goals))),
            order=order,
            values=solved.values or values_of(position, line),
            tied=solved.tied,
            method=solved.method,
            nodes=solved.nodes,
            cut=solved.cut,
            seconds=solved.seconds,
            roads=roads,
            given_roads=given,
        )

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.settlements)

    @property
    def given(self) -> int:
        """The number of settlements that were already placed."""
        return len(self.given_roads)

    @property
    def start(self) -> Position:
        """The position that the search began from."""
        return Position(self.board, self.objectives, self.order[: self.given], self.given_roads)

    @cached_property
    def parts(self) -> tuple[dict[str, float], ...]:
        """Unweighted value of each term of the objective and of expansion, per player."""
        parts_of, start, line = [], self.start, [v for _, v in self.order]
        for p, (goal, pair) in enumerate(zip(self.objectives, self.settlements, strict=True)):
            parts = {term: float(part) for term, part in goal.parts(self.board, pair).items()}
            parts_of.append(parts | ({"expansion": float(_reach(start, line, p))} if goal.expansion else {}))
        return tuple(parts_of)

    @cached_property
    def chances(self) -> tuple[float, ...] | None:
        """Each player's chance to win with these settlements, by `catan_cp.win_chances`.

        None if no games have measured the chances.
        """
        line = measured_line(self.board, self.players, [vertex for _, vertex in self.order])
        return None if line is None else line.chances

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
    def tied_off_path(self) -> bool | None:
        """True if breaking ties differently off the line can make another choice as good.

        At some decision on the line of play, another candidate then has a lead at least as large. For this,
        only ties after that candidate are broken in another way than by the fixed order. From that decision
        on, the result is another subgame-perfect equilibrium outcome. If `tied` and this attribute are both
        False, all subgame-perfect equilibria have the same outcome.

        None means unknown: the search would need more than 20,000 positions, or players are boundedly
        rational. The search runs on first access. Four players on ``base`` take a few tenths of a second
        without rivalry. Two players with rivalry take some seconds. Three or more players with rivalry
        often give None after some seconds.

        >>> from catan_cp.boards.board import Board
        >>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
        >>> placement = solve_placement(board, players=2)
        >>> placement.tied, placement.tied_off_path
        (True, True)
        """
        if self.rationality is not None:
            return None
        return has_tie_off_path(self.start, [vertex for _, vertex in self.order])

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The settlements placed to harm a rival. Each needs a search."""
        return _find_blocks(self)

    @property
    def arrows(self) -> tuple[tuple[int, int], ...]:
        """Vertices of each of `blocks` and of a harmed rival's nearest settlement."""
        sites = self.board.layout.vertices

        def apart(a: int, b: int) -> int:  # the squared distance, in quarters of a tile side
            return 3 * (sites[a][0] - sites[b][0]) ** 2 + (sites[a][1] - sites[b][1]) ** 2

        return tuple(
            (block.vertex, min(self.settlements[rival - 1], key=lambda v: apart(block.vertex, v)))
            for block in self.blocks
            for rival in block.took
        )

    def explain(self) -> str:
        """Return the `blocks` in words, one line each."""
        if not any(goal.rivalry for goal in self.objectives):
            return "rivalry is 0 for all players, so no settlement is placed to harm a rival"
        lines = [str(block) for block in self.blocks]
        if not lines:
            return "every settlement is placed where it is best for the own value of its player"
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return the placement as a JSON object.

        Players are numbered from 1, vertices from 0.
        """
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

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the board with the settlements, as `catan_cp.plot_board` does."""
        from catan_cp import plot_board

        return plot_board(self.board, self, ax, **options)

    def __repr__(self) -> str:
        values = "(" + ", ".join(f"{value:.4f}" for value in self.values) + ")"
        return f"<Placement on {show(self.board.notation())[1:-1]}: {self.settlements}, worth {values}>"

    def _repr_html_(self) -> str:
        from catan_cp import board_svg

        rows, chances = [], self.chances
        for player, pair in enumerate(self.settlements):
            spots = [vertex_name(self.board, vertex) for vertex in pair]
            chance = f"{chances[player]:.0%}" if chances else "-"
            rows.append((player + 1, *spots, f"{self.values[player]:.4f}", chance))
        head = "player", "first settlement", "second settlement", "value", "chance with this opening"
        return board_svg(self.board, placement=self) + html_table(rows, head)

    def __str__(self) -> str:
        lines, chances = [], self.chances
        for player, pair in enumerate(self.settlements, start=1):
            parts = ", ".join(f"{term} {part:.3f}" for term, part in self.parts[player - 1].items())
            vertices = " and ".join(vertex_name(self.board, vertex) for vertex in pair)
            chance = f"chance {chances[player - 1]:.0%}, " if chances else ""
            lines.append(
                f"player {player}: {vertices}: {chance}worth {self.values[player - 1]:.4f} ({parts})"
            )
        if chances:
            lines.append("chances are those of this opening, in which players maximize values, not chances")
        order = ", ".join(
            f"{player} on {vertex}" + ("" if road is None else f" towards {road}")
            for (player, vertex), road in zip(self.order, self.roads, strict=True)
        )
        lines.append(f"in the order {order}" + ("; other choices were as good" if self.tied else ""))
        if self.expected is not None:
            expected = ", ".join(f"{value:.4f}" for value in self.expected)
            lines.append(f"players are boundedly rational; expected values: {expected}")
        cut = f", {self.cut:,} cut by bounds" if self.cut else ""
        lines.append(f"{self.method}: {self.nodes:,} positions in {1000 * self.seconds:.1f} ms{cut}")
        return "\n".join(lines)


def _find_blocks(placement: Placement) -> tuple[Block, ...]:
    """Return the settlements of a placement with rivalry that are placed to harm a rival."""
    blocks = []
    near = placement.board.layout.vertex_neighbors
    start = placement.start
    for turn, (player, vertex) in enumerate(placement.order):
        goal = placement.objectives[player - 1]
        if not goal.rivalry or turn < placement.given:
            continue
        goals = list(placement.objectives)
        goals[player - 1] = replace(goal, rivalry=0)
        solved = solve_rivals([start._replace(goals=tuple(goals), placed=placement.order[:turn])])[0]
        if solved is None or solved.line[turn] == vertex:
            continue
        other = Placement.of(start, solved)
        took = {
            q: alone - value
            for q, (alone, value) in enumerate(zip(other.values, placement.values, strict=True), start=1)
            if q != player and alone > value
        }
        if took:
            blocked = {vertex, *near[vertex]}
            denied = {q: v for q in took for p, v in other.order[turn:] if p == q and v in blocked}
            cost = other.values[player - 1] - placement.values[player - 1]
            blocks.append(Block(turn + 1, player, vertex, solved.line[turn], cost, took, denied))
    return tuple(blocks)


def _reach(position: Position, line: Sequence[int], p: int) -> Fraction:
    """Return the value of the best vertex within reach of a player (from 0) at the end."""
    roads = (*position.roads, *[None] * (len(line) - len(position.roads)))
    pair, ends = (line[p], line[-1 - p]), (roads[p], roads[-1 - p])
    return best_reach(position.board, position.goals[p], pair, line, ends)


def values_of(position: Position, line: Sequence[int]) -> tuple[float, ...]:
    """Return each player's value at the end of a line of play, expansion included."""
    values = []
    for p, goal in enumerate(position.goals):
        value = goal.value(position.board, (line[p], line[-1 - p]))
        if goal.expansion:
            value += Fraction(goal.expansion) * _reach(position, line, p)
        values.append(float(value))
    return tuple(values)


def solve_placement(
    board: Board | str,
    players: int = 4,
    objective: Goals = None,
    rationality: Rationality = None,
    method: str = "auto",
    placed: OnTable = (),
) -> Placement:
    """Return the settlements of perfect players on *board*.

    Args:
        board: a board with markers, or its notation.
        players: 2 to 4 on ``base``, 2 to 6 elsewhere.
        objective: the objective of all players, or one per player. The default is the published objective
            with equal weights.
        rationality: None if all players are perfect. Otherwise one level for all or one per player. A level
            of 0 or more is a logit choice of first settlements by the expected leads of the options, in
            units of 1 / value. A level of 0 is a uniform choice. None is a perfect player among them. Second
            settlements are always best. The result is then the line of play on which every player takes its
            best option, and `Placement.expected` has the expected values. See `catan_cp.placement.quantal`.
        method: one of `METHODS`. All find the same placement if no objective has rivalry or expansion.
            Only ``"rivals"`` and ``"auto"`` accept any objective.
        placed: settlements already on the board, as (player, vertex) or (player, vertex, other end of the
            road), in the order placed: 1 to N, then N to 1. Players are numbered from 1. The game continues
            from there. A road matters only to an objective with expansion.

    Raises:
        InvalidArgument: an invalid number of players, objective, rationality, method or *placed*.
        InvalidBoard: the notation is invalid, or the board has no markers, or not enough free vertices for
            all settlements.

    Example:
        >>> import catan_cp
        >>> placement = solve_placement(catan_cp.LAYOUTS["base"].beginner_board, players=3)
        >>> placement.settlements
        ((42, 12), (24, 44), (1, 25))
    """
    board = Board.from_notation(board) if isinstance(board, str) else board
    position = checks.checked_position(board, players, objective, placed)
    check_choice("method", method, METHODS)
    levels = checks.checked_rationality(rationality, position.players)
    if levels is not None:
        if method != "auto":
            raise InvalidArgument(f"method must be auto for boundedly rational players, not {show(method)}")
        started = time.perf_counter()
        answer = _expected(position, levels)
        spent = time.perf_counter() - started
        solved = Solved(answer.line, nodes=answer.positions, seconds=spent, method="erring")
        placement = Placement.of(position, solved)
        return replace(placement, rationality=levels, expected=answer.values or placement.values)
    if position.minds_others and method not in ("auto", "rivals"):
        raise InvalidArgument(
            f"method {method!r} solves only the game without rivalry and expansion; use auto or rivals"
        )
    return _solve_alike([position], "rivals" if position.minds_others else method)[0]


def _solve_alike(positions: Sequence[Position], method: str) -> list[Placement]:
    """Solve positions of one layout with equal goals and numbers of settlements placed."""
    results: Iterable[Solved | None] = (
        solve_rivals(positions) if method == "rivals" else solve_batch(positions)
    )
    placements = []
    for position, solved in zip(positions, results, strict=True):
        if solved is None:
            raise no_room(position)
        placements.append(Placement.of(position, solved))
    return placements


def _expected(position: Position, levels: Sequence[float | None]) -> Expected:
    """Return the expectations of boundedly rational players."""
    answer = interruptible(lambda stop: expectations(Table.of(position, stop), levels))
    if answer is None:
        raise no_room(position)
    return answer


def solve_placements(boards: Iterable[Board], players: int = 4, objective: Goals = None) -> list[Placement]:
    """Return the settlements of perfect players on each of many boards.

    The boards may have different layouts.

    Memory holds the tables of at most a few hundred boards at a time.

    Args:
        boards: boards with markers.
        players: number of players: 2 to 4 on ``base``, 2 to 6 elsewhere.
        objective: the objective of all players, or one per player, as for `solve_placement`.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`, for the first board that cannot be solved.

    Example:
        >>> import catan_cp
        >>> boards = catan_cp.sample_boards(2, "tournament", seed=1)
        >>> [len(placement.order) for placement in solve_placements(boards, players=3)]
        [6, 6]
    """
    checked = checks.checked_boards(boards, players)
    by_layout: dict[Layout, list[int]] = {}
    for number, board in enumerate(checked):
        by_layout.setdefault(board.layout, []).append(number)
    goals = checks.checked_objectives(objective, players)
    method = "rivals" if any(goal.minds_others for goal in goals) else "auto"
    placements: dict[int, Placement] = {}
    for numbers in by_layout.values():
        alike = _solve_alike([Position(checked[number], goals) for number in numbers], method)
        placements.update(zip(numbers, alike, strict=True))
    return [placements[number] for number in range(len(checked))]


@dataclass(frozen=True)
class Move:
    """One vertex that a player may settle next, and its consequences.

    Attributes:
        player: the player to move, numbered from 1.
        vertex: the vertex.
        value: the value of the player's two settlements at the end, by its objective.
        placement: the whole game, with perfect play after this move.
        lead: the quantity that the player maximizes, as `Placement.leads`. It equals *value* without rivalry.
        road: the other end of its road, as in `Placement.roads`.
        chance: the player's chance to win after this move, if moves are ranked by chances, or else None.
    """

    player: int
    vertex: int
    value: float
    placement: Placement
    lead: float
    road: int | None = None
    chance: float | None = None


def vertex_values(board: Board, objective: Objective | None = None) -> tuple[float, ...]:
    """Return the value of a single settlement on each vertex, as for a heat map.

    Vertices at sea, which cannot be settled, have the value 0.

    >>> from catan_cp import Board, vertex_values
    >>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
    >>> [round(value, 3) for value in vertex_values(board)[:3]]
    [1.741, 2.667, 2.704]

    Args:
        board: a board with markers.
        objective: the objective that values a settlement, by default the published one.

    Raises:
        InvalidArgument: *board* is not a `Board`, or *objective* is not an `Objective`.
        InvalidBoard: the board has no markers.
    """
    goal = Objective() if objective is None else objective
    if not isinstance(goal, Objective):
        raise InvalidArgument(f"objective must be an Objective, not {show(goal)}")
    return tuple(float(goal.value(board, (v,))) for v in range(checks.checked_board(board).layout.n_vertices))


def best_moves(
    board: Board,
    placed: OnTable = (),
    k: int = 5,
    players: int = 4,
    objective: Goals = None,
    rationality: Rationality = None,
) -> list[Move]:
    """Return the next player's *k* best vertices, best first.

    Without an objective, moves are ranked by the player's chance to win in the game of chances, as in
    `catan_cp.win_chances`. Playing the first changes no chance. The placements continue with the line of that
    game, and their values are those of the published objective.

    With an *objective*, moves are ranked by its values. The first is the choice of `solve_placement`. With a
    *rationality*, as for `solve_placement`, values and leads are expectations, and the first move is
    the best against boundedly rational players. Vertices of equal value come in the order in which the game
    tries them. The list is shorter than *k* if fewer vertices are free. It omits vertices that leave a player
    without a free vertex.

    Args:
        board: a board with markers.
        placed: the settlements placed so far, as for `solve_placement`.
        k: the maximum number of moves, at least 1.
        players: number of players: 2 to 4 on ``base``, 2 to 6 elsewhere.
        objective: the objective of all players, or one per player. None ranks moves by the chance to win.
        rationality: one level for all players or one per player, as for `solve_placement`.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`. Or *k* is below 1, or all settlements are placed.
            Or there is no objective, and no games have measured the chances.

    Example:
        >>> import catan_cp
        >>> board = catan_cp.Board.from_notation(catan_cp.LAYOUTS["base"].beginner_board)
        >>> moves = best_moves(board, [(1, 42)], players=3)
        >>> moves[0].vertex, len(moves)
        (24, 5)
    """
    position = checks.checked_position(board, players, objective, placed)
    k, turn, players = check_count("k", k, 1), len(position.placed), position.players
    if turn == 2 * players:
        raise InvalidArgument(f"all {2 * players} settlements are placed; there is no next move")
    levels, player = checks.checked_rationality(rationality, players), snake(players)[turn]
    if objective is None and rationality is None:
        return _rank_by_chance(position, k)
    goal = position.goals[player - 1]
    if levels is not None and turn < players:
        moves = []
        for v, lead, values in _expected(position, levels).options[:k]:
            after = (*placed, (player, v))
            placement = solve_placement(board, players, position.goals, levels, "auto", after)
            road = road_towards(board, goal, v, [u for _, u in placement.order])
            moves.append(Move(player, v, values[player - 1], placement, lead, road))
    else:
        rank = rank_moves(position, k) if position.minds_others else _rank_plain(position, player)[:k]
        ranked = [(v, lead, Placement.of(position, solved)) for v, lead, solved in rank]
        moves = [Move(player, v, w.values[player - 1], w, lead, w.roads[turn]) for v, lead, w in ranked]
    if not moves:
        raise no_room(position)
    return moves


def _rank_by_chance(position: Position, k: int) -> list[Move]:
    """Return the *k* best moves by the chance to win of the player to move."""
    board, players, turn = position.board, position.players, len(position.placed)
    placed, moves = [vertex for _, vertex in position.placed], []
    roads = [(*settlement, road) for settlement, road in zip(position.placed, position.roads, strict=True)]
    for vertex, chance in move_chances(board, players, placed, k):
        line = measured_line(board, players, [*placed, vertex])
        assert line is not None  # `move_chances` raises if no games have measured the chances
        rest = list(zip(snake(players), line.order, strict=True))[turn:]
        placement = solve_placement(board, players, position.goals, placed=[*roads, *rest])
        player = rest[0][0]
        value = placement.values[player - 1]
        moves.append(Move(player, vertex, value, placement, value, chance=chance))
    return moves


def _rank_plain(position: Position, player: int) -> list[tuple[int, float, Solved]]:
    """Return `rank_moves` of all moves, in a game without rivalry and expansion."""
    board, goal, placed, free = position.board, position.goals[player - 1], position.placed, position.free()
    if len(placed) < position.players:  # first settlements are tried in this order
        single = {v: goal.value(board, (v,)) for v in free}
        free = tuple(sorted(free, key=lambda v: (-single[v], v)))
    results = solve_batch([position._replace(placed=(*placed, (player, v))) for v in free])
    solved = [(v, result) for v, result in zip(free, results, strict=True) if result is not None]
    exact = {v: goal.value(board, (s.line[player - 1], s.line[-player])) for v, s in solved}
    return [(v, float(exact[v]), s) for v, s in sorted(solved, key=lambda move: -exact[move[0]])]
