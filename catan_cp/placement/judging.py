"""Judge a draft that people played: what each settlement lost against the best one there was.

A draft is written ``1:42-41,2:24-25``: player, vertex and, where it is known, the other end of the road, in
the order placed. Roads are checked; they count where the objective has expansion, and for nothing elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, show
from catan_cp.placement.checks import checked_board, checked_objectives, checked_placed, checked_players
from catan_cp.placement.game import Placement
from catan_cp.placement.objective import Objective
from catan_cp.placement.solve import Goals, OnTable, best_moves, solve_placement
from catan_cp.placement.spots import Placed

_ROUNDING = 1e-9
"""Differences of floating-point values below this are none; leads of different courses differ by far more."""


@dataclass(frozen=True)
class Draft:
    """Settlements in the order placed, and the road of each.

    Attributes:
        settlements: pairs of (player, vertex), players numbered from 1.
        roads: per settlement, the vertex at the other end of its road; None where it is not known.
    """

    settlements: Placed
    roads: tuple[int | None, ...]

    @property
    def placed(self) -> tuple[tuple[int, int, int | None], ...]:
        """The settlements with their roads, as `solve_placement` takes them."""
        return tuple((p, v, road) for (p, v), road in zip(self.settlements, self.roads, strict=True))

    @classmethod
    def of(cls, placement: Placement) -> Draft:
        """Return the draft of a placement."""
        return cls(placement.order, placement.roads)

    @classmethod
    def from_text(cls, text: str) -> Draft:
        """Read ``1:42-41,2:24-25``; a road may be left out, as in ``1:42``.

        Raises:
            InvalidArgument: it is not such a list.
        """
        settlements: list[tuple[int, int]] = []
        roads: list[int | None] = []
        for part in text.split(",") if text.strip() else ():
            player, colon, rest = (word.strip() for word in part.partition(":"))
            vertex, dash, road = (word.strip() for word in rest.partition("-"))
            numbers = [player, vertex, *([road] if dash else [])]
            if not colon or len(part) >= 30 or not all(n.isascii() and n.isdecimal() for n in numbers):
                raise InvalidArgument(
                    f"{show(part)} is not a settlement; write PLAYER:VERTEX or PLAYER:VERTEX-ROAD, "
                    "as in 1:42-41,2:24"
                )
            settlements.append((int(player), int(vertex)))
            roads.append(int(road) if dash else None)
        return cls(tuple(settlements), tuple(roads))

    def __str__(self) -> str:
        ends = ("" if road is None else f"-{road}" for road in self.roads)
        return ",".join(f"{p}:{v}{end}" for (p, v), end in zip(self.settlements, ends, strict=True))


@dataclass(frozen=True)
class Verdict:
    """What one settlement of a draft lost, if everybody plays perfectly from there on.

    Attributes:
        player: who settled, from 1.
        vertex: where.
        best: where the most for its player was to be had.
        regret: what the settlement lost of its player's own value against the best one.
        best_block: where the best lead over the best rival was to be had, among players of rivalry 1.
        lead_regret: what the settlement lost of that lead.
    """

    player: int
    vertex: int
    best: int
    regret: float
    best_block: int
    lead_regret: float

    def __str__(self) -> str:
        def judged(regret: float, best: int) -> str:
            return "nothing" if not regret else f"{regret:.4f} against vertex {best}"

        return (
            f"player {self.player} on vertex {self.vertex}: lost {judged(self.regret, self.best)} of its own "
            f"value, and {judged(self.lead_regret, self.best_block)} of its lead as a blocker"
        )


def judge_draft(
    board: Board, draft: Draft | str | Sequence[tuple[int, int]], players: int = 4, objective: Goals = None
) -> tuple[Verdict, ...]:
    """Return a verdict on every settlement of a draft, whole or begun, in the order placed.

    Each settlement is judged twice: in the game in which nobody minds rivals (rivalry 0), and in that among
    rivals of rivalry 1. Both take the settlements before it as given, and perfect play after it.

    Args:
        board: the board.
        draft: a `Draft`, its text, or pairs of (player, vertex).
        players: how many play.
        objective: as for `solve_placement`; its rivalry is left aside.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`; a road that does not start at its settlement.
    """
    checked_board(board)
    players = checked_players(players, board)
    if isinstance(draft, str):
        draft = Draft.from_text(draft)
    elif not isinstance(draft, Draft):
        draft = Draft(tuple(draft), (None,) * len(draft))
    checked_placed(draft.placed, board, players)
    goals = checked_objectives(objective, players)
    alone = [replace(goal, rivalry=0) for goal in goals]
    rivals = [replace(goal, rivalry=1) for goal in goals]
    verdicts = []
    for turn, (player, vertex) in enumerate(draft.settlements):
        own = _regret(board, players, alone, draft.placed[: turn + 1])
        lead = _regret(board, players, rivals, draft.placed[: turn + 1])
        verdicts.append(Verdict(player, vertex, *own, *lead))
    return tuple(verdicts)


def _regret(board: Board, players: int, goals: Sequence[Objective], placed: OnTable) -> tuple[int, float]:
    """Return the best vertex for the last settlement, and what the one that was played lost against it."""
    best = best_moves(board, placed[:-1], 1, players, goals)[0]
    played = solve_placement(board, players, goals, placed=placed)
    lost = best.lead - played.leads[placed[-1][0] - 1]
    return best.vertex, lost if lost > _ROUNDING else 0.0
