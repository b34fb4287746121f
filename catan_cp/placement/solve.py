"""Ask for a placement: of one board or many, from the start or from settlements already on the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catan_cp.arguments import check_choice, check_count
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, show
from catan_cp.placement.checks import (
    checked_board,
    checked_objectives,
    checked_placed,
    checked_players,
    checked_rationality,
    no_room,
)
from catan_cp.placement.game import Counters, Placement
from catan_cp.placement.objective import Objective
from catan_cp.placement.rivals import Solved
from catan_cp.placement.spots import Placed, Roads, free_vertices, road_towards, snake

METHODS = ("auto", "vectorized", "bounds", "rivals")
"""The ways to find a placement: whole levels of the tree as arrays, or the report's tree with bounds, where
nobody minds rivals; a search that looks ahead at second settlements too, where somebody does; and auto."""

Goals = Objective | Sequence[Objective] | None

OnTable = Sequence[tuple[int, int] | tuple[int, int, int | None]]
"""Settlements in the order placed: (player, vertex), or (player, vertex, other end of the road)."""

Rationality = float | Sequence[float | None] | None


def solve_placement(
    board: Board,
    players: int = 4,
    objective: Goals = None,
    rationality: Rationality = None,
    method: str = "auto",
    placed: OnTable = (),
    erring: str = "first",
    error: float = 0.005,
) -> Placement:
    """Return where perfect players settle on *board*.

    Args:
        board: a board with markers.
        players: 2 to 4 on ``base``, 2 to 6 elsewhere.
        objective: what everybody wants, or one objective per player; by default the published one, with
            equal weights.
        rationality: None for perfect players; else one for all, or one per player: a number of 0 or more for
            logit choice over the leads that options are expected to have, in units of one over a value
            (0: any option alike), and None for a perfect player among them. The result is then the course
            in which everybody takes its best option, and `Placement.expected` says what everybody can
            expect. See `catan_cp.placement.erring`.
        method: one of `METHODS`, which find the same placement where no objective has any rivalry or
            expansion; ``"rivals"`` is for any.
        placed: settlements on the table, as (player, vertex) or (player, vertex, road) with players numbered
            from 1 and the road's other end, in the order placed: 1 to N, then N to 1. The game goes on from
            there. A road matters to an objective with expansion only.
        erring: which settlements players who err choose so: ``"first"`` ones, second ones being best, or
            ``"both"``. The second is exact for two players, and simulated for three and four; see
            `Placement.error`.
        error: the largest error of a simulation, as a share of every value, at 95 %.

    Raises:
        InvalidArgument: a number of players, objective, rationality, method or *placed* that cannot be.
        InvalidBoard: the board has no markers, or no room for all settlements.
    """
    checked_board(board)
    players = checked_players(players, board)
    goals = checked_objectives(objective, players)
    done, roads = checked_placed(placed, board, players)
    check_choice("method", method, METHODS, InvalidArgument)
    others = any(goal.minds_others for goal in goals)
    levels = checked_rationality(rationality, players)
    if levels != (None,) * players:
        if method != "auto":
            raise InvalidArgument(f"players who err are solved by method auto only, not {show(method)}")
        from catan_cp.placement.quantal import solve_erring

        found = solve_erring(board, goals, done, levels, erring, roads, error)
    elif others and method not in ("auto", "rivals"):
        raise InvalidArgument(
            f"method {method!r} solves the game without rivalry and expansion only; use auto or rivals"
        )
    else:
        found = solve_by_method(board, goals, "rivals" if others else method, done, roads)
    if found is None:
        raise no_room(board, players, done)
    return found


def solve_by_method(
    board: Board, goals: tuple[Objective, ...], method: str, placed: Placed = (), roads: Roads = ()
) -> Placement | None:
    """Solve one board by one of `METHODS` or of `tree.SEARCHES`; None where not all find room."""
    found: Solved | None
    if method in ("auto", "vectorized"):
        from catan_cp.placement.vectorized import solve_batch

        found = next(solve_batch([board], goals, [placed]))
    elif method == "rivals":
        from catan_cp.placement.rivals import solve_rivals

        found = solve_rivals(board, goals, placed, roads)
    else:
        from catan_cp.placement.tree import solve_by_tree

        found = solve_by_tree(board, goals, method, placed)
    return None if found is None else _placement(board, goals, found, roads)


def _placement(board: Board, goals: tuple[Objective, ...], found: Solved, given: Roads) -> Placement:
    return Placement.of(
        board,
        goals,
        found.course,
        method=found.method,
        values=found.values,
        tied=found.tied,
        counters=Counters(found.calls, found.cut, *_memory(found)),
        seconds=found.seconds,
        given=given,
    )


def _memory(found: Solved) -> tuple[int, int]:
    """Return how many calls were answered from memory, and how many were not."""
    return (0, 0) if found.hits is None else (found.hits, found.calls - found.hits)


def solve_placements(boards: Iterable[Board], players: int = 4, objective: Goals = None) -> list[Placement]:
    """Return where perfect players settle on each of many boards, of one layout or several.

    The tables of a few hundred boards stand in memory at a time, whatever their number.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`, for the first board that cannot be solved.
    """
    from catan_cp.placement.vectorized import solve_batch

    if isinstance(boards, Board) or not isinstance(boards, Iterable):
        raise InvalidArgument(f"boards is an iterable of Boards, not {show(boards)}")
    given = [checked_board(board) for board in boards]
    by_layout: dict[Layout, list[int]] = {}
    for number, board in enumerate(given):
        checked_players(players, board)
        by_layout.setdefault(board.layout, []).append(number)
    goals = checked_objectives(objective, players)
    found: dict[int, Placement] = {}
    for numbers in by_layout.values():
        some = [given[number] for number in numbers]
        solved: Iterable[Solved | None]
        if any(goal.minds_others for goal in goals):
            from catan_cp.placement.rivals import solve_rivals_many

            solved = solve_rivals_many(some, goals)
        else:
            solved = solve_batch(some, goals, [()] * len(some))
        for number, course in zip(numbers, solved, strict=True):
            if course is None:
                raise no_room(given[number], players, ())
            found[number] = _placement(given[number], goals, course, ())
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


def best_moves(
    board: Board,
    placed: OnTable = (),
    k: int = 5,
    players: int = 4,
    objective: Goals = None,
    rationality: Rationality = None,
    erring: str = "first",
    error: float = 0.005,
) -> list[Move]:
    """Return the next player's *k* best vertices, best first; the first is what `solve_placement` plays.

    Where players err (*rationality*, *erring* and *error* as for `solve_placement`), values and leads are
    what can be expected, and the first is the robust move: the best against players who may not play well.
    Vertices of equal value come in the order in which the game tries them. Fewer than *k* are returned
    where fewer are free, and those that leave somebody without a place are left out.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`; a *k* below 1; nothing left to place.
    """
    from catan_cp.placement.vectorized import solve_batch

    checked_board(board)
    players = checked_players(players, board)
    goals = checked_objectives(objective, players)
    done, roads = checked_placed(placed, board, players)
    k = check_count("k", k, 1)
    if len(done) == 2 * players:
        raise InvalidArgument(f"all {2 * players} settlements are placed; there is no next move")
    player = snake(players)[len(done)]
    goal = goals[player - 1]
    levels = checked_rationality(rationality, players)
    if levels != (None,) * players and (erring == "both" or len(done) < players):
        from catan_cp.placement.quantal import rank_erring

        moves = []
        for v, lead, value in rank_erring(board, goals, done, levels, erring, roads, error)[:k]:
            after = (*placed, (player, v))
            whole = solve_placement(board, players, goals, levels, placed=after, erring=erring, error=error)
            road = road_towards(board, goal, v, [u for _, u in whole.order])
            moves.append(Move(player, v, value, whole, lead, road))
        if not moves:
            raise no_room(board, players, done)
        return moves
    if any(goal.minds_others for goal in goals):
        from catan_cp.placement.rivals import rank_moves

        ranked = rank_moves(board, goals, done, k, roads)
        if not ranked:
            raise no_room(board, players, done)
        moves = []
        for v, lead, solved in ranked:
            whole = _placement(board, goals, solved, roads)
            moves.append(Move(player, v, whole.values[player - 1], whole, lead, whole.roads[len(done)]))
        return moves
    free = free_vertices(board, (v for _, v in done))
    if len(done) < players:  # the order in which candidates for a first settlement are tried
        single = {v: goal.value(board, (v,)) for v in free}
        free = tuple(sorted(free, key=lambda v: (-single[v], v)))
    courses = solve_batch([board] * len(free), goals, [(*done, (player, v)) for v in free])
    moves = []
    for v, course in zip(free, courses, strict=True):
        if course is not None:
            whole = _placement(board, goals, course, roads)
            moves.append(Move(player, v, value := whole.values[player - 1], whole, value))
    if not moves:
        raise no_room(board, players, done)
    exact = {move.vertex: goal.value(board, move.placement.settlements[player - 1]) for move in moves}
    return sorted(moves, key=lambda move: -exact[move.vertex])[:k]
