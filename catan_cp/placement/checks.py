"""Checks of the arguments that the functions about drafts share."""

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
"""The maximum number of players. On ``base`` it is four."""


def checked_board(board: object) -> Board:
    """Return *board* if it is a board with markers.

    Raises:
        InvalidArgument: *board* is not a Board.
        InvalidBoard: *board* has no markers.
    """
    if not isinstance(board, Board):
        raise InvalidArgument(f"board must be a Board, not {show(board)}")
    if not board.has_markers:
        raise InvalidBoard(
            f"the board has no markers, so its vertices have no value; add markers to {board.notation()}"
        )
    return board


def most_players(layout: Layout) -> int:
    """Return the maximum number of players on a layout."""
    return _MOST_PLAYERS.get(layout.name, MAX_PLAYERS)


def checked_players(players: object, board: Board) -> int:
    """Return *players*, or raise InvalidArgument if they cannot play on the board."""
    most = most_players(board.layout)
    number = whole_number(players)
    if number is None or not MIN_PLAYERS <= number <= most:
        raise InvalidArgument(
            f"players must be {MIN_PLAYERS} to {most} on {board.layout.name!r}, not {show(players)}"
        )
    return number


def checked_boards(boards: object, players: object) -> list[Board]:
    """Return *boards* as a list, if this number of players can play on each of them.

    Raises:
        InvalidArgument: *boards* is not an iterable of Boards, or the number of players is invalid.
        InvalidBoard: a board has no markers.
    """
    if isinstance(boards, Board) or not isinstance(boards, Iterable):
        raise InvalidArgument(f"boards must be an iterable of Boards, not {show(boards)}")
    checked = [checked_board(board) for board in boards]
    for board in checked:
        checked_players(players, board)
    check_count("players", players, MIN_PLAYERS, MAX_PLAYERS)  # needed for an empty list of boards
    return checked


def checked_objectives(objective: object, players: int) -> tuple[Objective, ...]:
    """Return one objective per player from None (the default), one objective, or a sequence.

    Raises:
        InvalidArgument: any other value, or a sequence of the wrong length.
    """
    if objective is None:
        objective = Objective()
    if isinstance(objective, Objective):
        return (objective,) * players
    if not isinstance(objective, Sequence) or not all(isinstance(goal, Objective) for goal in objective):
        raise InvalidArgument(f"objective must be an Objective or one for each player, not {show(objective)}")
    if len(objective) != players:
        raise InvalidArgument(f"objective must be one per player, {players} in all, not {len(objective)}")
    return tuple(objective)


def checked_rationality(rationality: object, players: int) -> tuple[float | None, ...] | None:
    """Return each player's rationality: a number of 0 or more, or None for a perfect player.

    Returns:
        None if all players are perfect.

    Raises:
        InvalidArgument: any other value, or a sequence of the wrong length.
    """
    values = (rationality,) * players
    if isinstance(rationality, Sequence) and not isinstance(rationality, str):
        values = tuple(rationality)
    if len(values) != players:
        raise InvalidArgument(f"rationality must be one per player, {players} in all, not {len(values)}")
    levels = [None if value is None else real_number(value) for value in values]
    for value, level in zip(values, levels, strict=True):
        if value is not None and (level is None or level < 0):
            raise InvalidArgument(
                f"rationality must be None or a finite number of 0 or more, not {show(value)}"
            )
    return None if set(levels) == {None} else tuple(levels)


def checked_placed(placed: object, board: Board, players: int) -> tuple[Placed, Roads]:
    """Return the settlements placed and their roads after a check of the rules.

    Raises:
        InvalidArgument: an entry is not (player, vertex) or (player, vertex, road), or the player is wrong.
            Or a road does not lead over land to a neighbor of its vertex. Or a vertex does not exist, is at
            sea, or is occupied or next to an occupied one. Or there are more than two settlements per player.
    """
    turns = snake(players)
    if not isinstance(placed, Sequence) or isinstance(placed, str):
        raise InvalidArgument(
            f"placed must be a list of (player, vertex) or (player, vertex, road), not {show(placed)}"
        )
    if len(placed) > len(turns):
        raise InvalidArgument(
            f"{players} players place {len(turns)} settlements, but {len(placed)} are placed"
        )
    settlements: list[tuple[int, int]] = []
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
                f"each settlement must be (player, vertex) or (player, vertex, road), not {show(move)}"
            )
        ordinal = f"settlement {len(settlements) + 1}"
        if player != turn:
            raise InvalidArgument(
                f"{ordinal} is player {turn}'s, not player {player}'s: the order is {turns}"
            )
        if not 0 <= vertex < board.layout.n_vertices:
            last = board.layout.n_vertices - 1
            raise InvalidArgument(
                f"{ordinal} is on vertex {vertex}; {board.layout.name!r} has vertices 0 to {last}"
            )
        if vertex not in beginning:
            sea = all(board.terrain[t] == "sea" for t in board.layout.vertex_tiles[vertex])
            reason = (
                "touches no land" if sea else f"is not one on which {board.layout.name!r} lets players begin"
            )
            raise InvalidArgument(f"{ordinal} is on vertex {vertex}, which {reason}")
        for owner, occupied in settlements:
            if vertex == occupied or vertex in board.layout.vertex_neighbors[occupied]:
                raise InvalidArgument(
                    f"{ordinal}, on vertex {vertex}, is on or next to player {owner}'s on vertex {occupied}"
                )
        if road is not None:
            ends = [a + b - vertex for a, b in land_edges(board) if vertex in (a, b)]
            if road not in ends:
                raise InvalidArgument(
                    f"the road from vertex {vertex} leads to {' or '.join(map(str, ends))}, not to {road}"
                )
        settlements.append((player, vertex))
        roads.append(road)
    return tuple(settlements), tuple(roads)


def checked_position(board: object, players: object, objective: object, placed: object = ()) -> Position:
    """Return the position that the arguments describe, after all checks of this module.

    Raises:
        InvalidArgument, InvalidBoard: as in `checked_board`, `checked_players`, `checked_objectives` and
            `checked_placed`.
    """
    board = checked_board(board)
    number = checked_players(players, board)
    goals = checked_objectives(objective, number)
    return Position(board, goals, *checked_placed(placed, board, number))
