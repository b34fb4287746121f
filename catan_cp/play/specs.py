"""Who plays and how settlements are placed, as users write it: ``weighted``, ``greedy:optimal``, a draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, listed, show
from catan_cp.placement.checks import MIN_PLAYERS, checked_placed
from catan_cp.placement.game import snake

STYLES = ("random", "weighted", "victory", "greedy")
"""How a player plays: three of the engine's own, and ours, which is greedy by expected gain."""

PLANS = ("pips", "optimal", "rivals")
"""How a player places its first settlements: the most pips; where perfect players would, each for its own
value (`catan_cp.Objective`); or each for its value less the best rival's. Without a
plan, its style decides."""

PLACEMENTS = ("free", "optimal", "rivals")

MOST_SEATS = 4
_MOVE = re.compile(r"([1-9]):(0|[1-9][0-9]?)(?:-(0|[1-9][0-9]?))?")


@dataclass(frozen=True)
class Spec:
    """A player: its style, and its plan for the first settlements, if it has one.

    Written ``STYLE`` or ``STYLE:PLAN``.
    """

    style: str
    plan: str | None = None

    def __str__(self) -> str:
        return self.style if self.plan is None else f"{self.style}:{self.plan}"


def read_players(players: object) -> tuple[Spec, ...]:
    """Return who plays: four of a name, or one a seat, as a sequence or separated by commas.

    Raises:
        InvalidArgument: an unknown name, or not two to four players.
    """
    words = players.split(",") if isinstance(players, str) else players
    if not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        raise InvalidArgument(f"players are a name, or one for each seat, not {show(players)}")
    specs = [_read_spec(word) for word in words]
    if len(specs) == 1 and isinstance(players, str):
        specs *= MOST_SEATS
    if not MIN_PLAYERS <= len(specs) <= MOST_SEATS:
        raise InvalidArgument(f"{MIN_PLAYERS} to {MOST_SEATS} play, not {len(specs)}: {show(players)}")
    return tuple(specs)


def _read_spec(word: str) -> Spec:
    style, colon, plan = word.strip().partition(":")
    if style not in STYLES or (colon and plan not in PLANS):
        raise InvalidArgument(
            f"unknown player {show(word)}; write STYLE or STYLE:PLAN, with a style of {listed(STYLES)}, "
            f"and a plan of {listed(PLANS)}"
        )
    return Spec(style, plan or None)


@dataclass(frozen=True)
class Move:
    """A first settlement that is given: the seat, the vertex, and where its road leads, if that is given."""

    seat: int
    vertex: int
    road: int | None = None

    def __str__(self) -> str:
        return f"{self.seat}:{self.vertex}" + ("" if self.road is None else f"-{self.road}")


def read_draft(text: str, board: Board, players: int) -> tuple[Move, ...]:
    """Return the settlements and roads that a draft gives, such as ``1:42-41,2:24-23``, in their order.

    It may end early: the rest is free.

    Raises:
        InvalidArgument: no draft, a wrong order, a vertex that is taken, or a road that leads nowhere.
    """
    moves = []
    for part in text.split(","):
        match = _MOVE.fullmatch(part.strip())
        if match is None:
            raise InvalidArgument(
                f"{show(part)} is no settlement of a draft; write SEAT:VERTEX or SEAT:VERTEX-ROAD'S END, "
                f"as in 1:42-41,2:24; or one of {listed(PLACEMENTS)}"
            )
        moves.append(Move(int(match[1]), int(match[2]), None if match[3] is None else int(match[3])))
    checked_placed([(move.seat, move.vertex) for move in moves], board, players)
    for move in moves:
        if move.road is not None and move.road not in board.layout.vertex_neighbors[move.vertex]:
            near = listed(board.layout.vertex_neighbors[move.vertex])
            raise InvalidArgument(f"no road leads from vertex {move.vertex} to {move.road}, but to {near}")
    assert len(moves) <= len(snake(players))
    return tuple(moves)


def read_placement(placement: object, board: Board, players: int) -> tuple[str, tuple[Move, ...]]:
    """Return a placement in its one form, and the settlements that it gives.

    Raises:
        InvalidArgument: neither a word of `PLACEMENTS` nor a draft.
    """
    if not isinstance(placement, str):
        raise InvalidArgument(f"placement is one of {listed(PLACEMENTS)}, or a draft, not {show(placement)}")
    if placement == "free":
        return placement, ()
    if placement in PLACEMENTS:
        from catan_cp.play.plans import perfect_order

        return placement, tuple(Move(*move) for move in perfect_order(board, players, placement))
    moves = read_draft(placement, board, players)
    return ",".join(map(str, moves)), moves
