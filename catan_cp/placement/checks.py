"""Checks of the arguments that questions about drafts share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, InvalidBoard, check_count, real_number, show, whole_number
from catan_cp.placement.objective import Objective
from catan_cp.placement.positions import Placed, Position, Roads, open_vertices, snake
from catan_cp.placement.roads import land_edges

MIN_PLAYERS = 2

_MOST_PLAYERS = {"base": 4}

MAX_PLAYERS = 6
"""The most players on any layout but ``base``, where four can play."""


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
