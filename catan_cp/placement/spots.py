"""The ground of a draft: who places when, where one may settle, where roads lead, what may be asked.

Every settlement comes with a road to a neighbouring vertex. Nobody settles on that neighbour, since it
touches the settlement, so that no other road or settlement of the draft can block the way; the vertex
beyond it is lost where somebody settles on it or next to it. `Objective.expansion` weighs what is left.

>>> from catan_cp.boards.board import Board
>>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
>>> ways(board)[0]
((1, 2), (1, 8), (5, 4), (9, 6))
>>> best_way(board, Objective(), 0, taken=(0, 3))
Way(road=1, vertex=8, value=Fraction(143, 54))
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, InvalidBoard, check_count, real_number, show, whole_number
from catan_cp.placement.objective import Objective

Placed = tuple[tuple[int, int], ...]
"""Settlements in the order placed, as (player, vertex); players are numbered from 1."""

Roads = tuple[int | None, ...]
"""Per settlement, the vertex at the other end of its road; None where it may lead anywhere."""


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


class Position(NamedTuple):
    """A draft as it stands: what is asked of every search.

    Attributes:
        board: a board with markers.
        goals: what each player wants.
        placed: the settlements on the table.
        roads: the roads of those that stood when the draft was given; others lead where they are best.
    """

    board: Board
    goals: tuple[Objective, ...]
    placed: Placed = ()
    roads: Roads = ()

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.goals)

    @property
    def minds_others(self) -> bool:
        """Whether anybody has rivalry or expansion."""
        return any(goal.minds_others for goal in self.goals)

    def free(self) -> tuple[int, ...]:
        """Return the vertices that are free."""
        return free_vertices(self.board, [v for _, v in self.placed])

    @property
    def is_roomy(self) -> bool:
        """Whether all find room, whatever is played: a settlement takes four vertices away at most."""
        return len(self.free()) > 4 * (2 * self.players - len(self.placed) - 1)


class Solved(NamedTuple):
    """What a search found.

    Attributes:
        course: every settlement in the order placed.
        tied: whether at a decision on the course another choice led as far, to other settlements.
        counters: what the search did.
        seconds: the time it took; of boards solved together, an equal share.
        values: what each player has, where that is known.
        method: how it was found.
    """

    course: Sequence[int]
    tied: bool = False
    counters: Counters = Counters()
    seconds: float = 0.0
    values: tuple[float, ...] | None = None
    method: str = "rivals"


MIN_PLAYERS = 2
_MOST_PLAYERS = {"base": 4}
MAX_PLAYERS = 6
"""The most players on any layout but ``base``, where four can play."""

_HALF_WIDTH = 3  # characters in half the width of a tile


def snake(players: int) -> tuple[int, ...]:
    """Return who places when: 1 to N, then N to 1.

    >>> snake(3)
    (1, 2, 3, 3, 2, 1)
    """
    return (*range(1, players + 1), *range(players, 0, -1))


def land_edges(board: Board) -> tuple[tuple[int, int], ...]:
    """Return the edges on which a road can lie: those with land on one side at least."""
    sides = board.layout.edge_tiles
    return tuple(edge for edge, tiles in sides.items() if any(board.terrain[t] != "sea" for t in tiles))


def open_vertices(board: Board) -> tuple[int, ...]:
    """Return the vertices on which one may settle: those that touch land, where the layout lets begin."""
    settle = board.layout.settle or range(board.layout.n_tiles)
    land = {t for t in settle if board.terrain[t] != "sea"}
    return tuple(v for v, tiles in enumerate(board.layout.vertex_tiles) if not land.isdisjoint(tiles))


def free_vertices(board: Board, taken: Iterable[int]) -> tuple[int, ...]:
    """Return the vertices that the distance rule leaves free when settlements stand on *taken*."""
    near = board.layout.vertex_neighbors
    blocked = {u for v in taken for u in (v, *near[v])}
    return tuple(v for v in open_vertices(board) if v not in blocked)


class Way(NamedTuple):
    """Two roads from a settlement: the other end of the first, where they lead, and its value."""

    road: int
    vertex: int
    value: Fraction


def ways(board: Board) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return per vertex the pairs (end of the first road, end of the second), in increasing order.

    A road needs land on one side at least. The end may be any vertex; whether it is free is another question.
    """
    near: dict[int, list[int]] = {v: [] for v in range(board.layout.n_vertices)}
    for a, b in land_edges(board):
        near[a].append(b)
        near[b].append(a)
    return tuple(
        tuple(sorted((u, w) for u in near[v] for w in near[u] if w != v))
        for v in range(board.layout.n_vertices)
    )


def best_way(
    board: Board, goal: Objective, vertex: int, taken: Collection[int], road: int | None = None
) -> Way | None:
    """Return the way from a settlement to the best vertex that is free, None where none is.

    Args:
        board: the board.
        goal: what single settlements are valued by.
        vertex: where the settlement stands.
        taken: all settlements on the board.
        road: the end of its first road, where that lies.
    """
    free = set(free_vertices(board, taken))
    open_ways = [
        Way(u, w, goal.value(board, (w,))) for u, w in ways(board)[vertex] if w in free and road in (None, u)
    ]
    return max(open_ways, key=lambda way: (way.value, -way.vertex), default=None)


def best_reach(
    board: Board,
    goal: Objective,
    settlements: Sequence[int],
    taken: Collection[int],
    roads: Sequence[int | None],
) -> Fraction:
    """Return the value of the best vertex that two roads from one of the settlements reach; 0 for none."""
    found = [best_way(board, goal, v, taken, road) for v, road in zip(settlements, roads, strict=True)]
    return max((way.value for way in found if way is not None), default=Fraction(0))


def road_towards(board: Board, goal: Objective, vertex: int, taken: Collection[int]) -> int | None:
    """Return where the road of a settlement leads when the draft has ended; None where any is as good."""
    way = best_way(board, goal, vertex, taken) if goal.expansion else None
    return None if way is None else way.road


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
    number = whole_number(players)
    if number is None or not MIN_PLAYERS <= number <= most:
        raise InvalidArgument(
            f"on {board.layout.name!r} {MIN_PLAYERS} to {most} can play, not {show(players)}"
        )
    return number


def checked_boards(boards: object, players: object) -> list[Board]:
    """Return *boards* as a list, if so many can play on each of them.

    Raises:
        InvalidArgument: no iterable of Boards, or a number of players that cannot be.
        InvalidBoard: a board has no markers.
    """
    if isinstance(boards, Board) or not isinstance(boards, Iterable):
        raise InvalidArgument(f"boards is an iterable of Boards, not {show(boards)}")
    found = [checked_board(board) for board in boards]
    for board in found:
        checked_players(players, board)
    check_count("players", players, MIN_PLAYERS, MAX_PLAYERS)  # where there are no boards
    return found


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


def checked_rationality(rationality: object, players: int) -> tuple[float | None, ...] | None:
    """Return each player's rationality, a number of 0 or more, or None for perfect; None where all are.

    Raises:
        InvalidArgument: something else, or not one per player.
    """
    each = (rationality,) * players
    if isinstance(rationality, Sequence) and not isinstance(rationality, str):
        each = tuple(rationality)
    if len(each) != players:
        raise InvalidArgument(f"there are {players} players but {len(each)} rationalities")
    found = [None if one is None else real_number(one) for one in each]
    for one, number in zip(each, found, strict=True):
        if one is not None and (number is None or number < 0):
            raise InvalidArgument(f"rationality is None, or a finite number of 0 or more, not {show(one)}")
    return None if set(found) == {None} else tuple(found)


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
    beginning = open_vertices(board)
    for turn, move in zip(turns, placed, strict=False):
        parts = [whole_number(part) for part in move] if isinstance(move, Sequence) else []
        player, vertex, road = (*parts, None, None, None)[:3]
        if (
            len(parts) not in (2, 3)
            or player is None
            or vertex is None
            or (len(parts) == 3 and road is None and move[2] is not None)
        ):
            raise InvalidArgument(
                f"a settlement placed is (player, vertex) or (player, vertex, road), not {show(move)}"
            )
        which = f"settlement {len(done) + 1}"
        if player != turn:
            raise InvalidArgument(f"{which} is player {turn}'s, not player {player}'s: the order is {turns}")
        if not 0 <= vertex < board.layout.n_vertices:
            last = board.layout.n_vertices - 1
            raise InvalidArgument(
                f"{which} is on vertex {vertex}; {board.layout.name!r} has vertices 0 to {last}"
            )
        if vertex not in beginning:
            sea = all(board.terrain[t] == "sea" for t in board.layout.vertex_tiles[vertex])
            why = "touches no land" if sea else f"is none where {board.layout.name!r} lets players begin"
            raise InvalidArgument(f"{which} is on vertex {vertex}, which {why}")
        for other, taken in done:
            if vertex == taken or vertex in board.layout.vertex_neighbors[taken]:
                raise InvalidArgument(
                    f"{which}, on vertex {vertex}, is on or next to player {other}'s on vertex {taken}"
                )
        if road is not None:
            ends = [a + b - vertex for a, b in land_edges(board) if vertex in (a, b)]
            if road not in ends:
                raise InvalidArgument(
                    f"the road from vertex {vertex} leads to {' or '.join(map(str, ends))}, not to {road}"
                )
        done.append((player, vertex))
        roads.append(road)
    return tuple(done), tuple(roads)


def checked_position(board: object, players: object, objective: object, placed: object = ()) -> Position:
    """Return the position that is asked about, as the checks above have it.

    Raises:
        InvalidArgument, InvalidBoard: as they say.
    """
    board = checked_board(board)
    number = checked_players(players, board)
    goals = checked_objectives(objective, number)
    return Position(board, goals, *checked_placed(placed, board, number))


def no_room(position: Position) -> InvalidBoard:
    """Return the error that says that not all settlements find a place."""
    left, free = 2 * position.players - len(position.placed), len(position.free())
    return InvalidBoard(
        f"layout {position.board.layout.name!r} has no room for the {left} settlements yet to be placed by "
        f"{position.players} players: {free} vertices are free, and each settlement blocks its neighbours "
        "too; let fewer play"
    )


def corner_name(board: Board, vertex: int) -> str:
    """Return a vertex as people name it, by its tiles, and its number: ``ore 3, brick 5, grain 6 (42)``."""
    tiles = board.layout.vertex_tiles[vertex]
    told = [" ".join(map(str, filter(None, (board.terrain[t], board.markers[t])))) for t in tiles]
    return f"{', '.join(told)} ({vertex})"


def vertex_map(board: Board, marks: Mapping[int, str], *, numbers: bool = False) -> str:
    r"""Return the board as text: its tiles on every third line, and its vertices between them.

    >>> board = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")
    >>> print("\n".join(vertex_map(board, {0: "[1]"}).splitlines()[:5]))
               ·     ·     ·
            ·    [1]    ·     ·
              g3    l11   w9
            ·     ·     ·     ·
         ·     ·     ·     ·     ·

    Args:
        board: the board.
        marks: what to write at vertices, at most four characters each, by the vertex's number.
        numbers: write the number of every other vertex; without it, a dot.
    """
    layout = board.layout
    tiles = re.findall(r"[a-z]\d*(?:\+\d+)?", re.split(r"[ :@]", board.notation())[0])
    cells = dict(zip(layout.tiles, tiles, strict=True))
    for vertex, place in enumerate(layout.vertices):
        cells[place] = marks.get(vertex) or (str(vertex) if numbers else "·")
    left = min(x for x, _ in cells)
    rows = range(min(y for _, y in cells), max(y for _, y in cells) + 1)
    lines = dict.fromkeys(rows, "")
    for (x, y), text in sorted(cells.items()):
        start = (x - left) * _HALF_WIDTH + 2 - len(text) // 2
        lines[y] = lines[y].ljust(start) + text
    return "\n".join(lines.values())
