"""Who plays and how settlements are placed, as users write it: ``weighted``, ``greedy:optimal``, a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, listed, show
from catan_cp.placement.spots import MIN_PLAYERS, checked_placed

STYLES = ("random", "weighted", "victory", "greedy")
"""How a player plays: three of the engine's own, and ours, which is greedy by expected gain."""

PLANS = ("pips", "optimal", "rivals")
"""How a player places its first settlements: the most pips; where perfect players would, each for its own
value (`catan_cp.Objective`); or each for its value less the best rival's. Without a
plan, its style decides."""

PLACEMENTS = ("free", "optimal", "rivals")

MOST_SEATS = 4

Moves = tuple[tuple[int, int, int | None], ...]
"""First settlements that are given: the seat, the vertex, and where the road leads; None where it is free."""


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


def read_placement(placement: object, board: Board, players: int) -> tuple[str, Moves]:
    """Return a placement in its one form, and the settlements that it gives.

    A draft may end early: the rest is free.

    Raises:
        InvalidArgument: neither a word of `PLACEMENTS` nor a draft that this board and these players allow.
    """
    if not isinstance(placement, str):
        raise InvalidArgument(f"placement is one of {listed(PLACEMENTS)}, or a draft, not {show(placement)}")
    if placement == "free":
        return placement, ()
    if placement in PLACEMENTS:
        from catan_cp.play.plans import perfect_order

        order = perfect_order(board, players, placement)
        return placement, tuple((seat, vertex, None) for seat, vertex in order)
    from catan_cp.placement.judging import Draft

    try:
        draft = Draft.from_text(placement)
    except InvalidArgument as error:
        raise InvalidArgument(f"{error}; or one of {listed(PLACEMENTS)}") from None
    if not draft.settlements:
        raise InvalidArgument(f"a draft has settlements, as in 1:42-41,2:24; {show(placement)} has none")
    checked_placed(draft.placed, board, players)
    return str(draft), draft.placed
