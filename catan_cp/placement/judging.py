"""Judge a draft that people played: what each settlement lost against the best one there was.

A draft is written ``1:42-41,2:24-25``: player, vertex and, where it is known, the other end of the road, in
the order placed. Roads are kept and checked, and count for nothing: no term looks at them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, show
from catan_cp.placement.game import Placed, checked_board, checked_objectives, checked_placed, checked_players
from catan_cp.placement.objective import Objective
from catan_cp.placement.solve import Goals, best_moves, solve_placement

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
    done = checked_placed(draft.settlements, board, players)
    for (_, vertex), road in zip(done, draft.roads, strict=True):
        if road is not None and road not in board.layout.vertex_neighbors[vertex]:
            near = ", ".join(map(str, board.layout.vertex_neighbors[vertex]))
            raise InvalidArgument(
                f"the road from vertex {vertex} leads to one of its neighbours {near}, not to {road}"
            )
    goals = checked_objectives(objective, players)
    alone = [replace(goal, rivalry=0) for goal in goals]
    rivals = [replace(goal, rivalry=1) for goal in goals]
    verdicts = []
    for turn, (player, vertex) in enumerate(done):
        own = _regret(board, players, alone, done[:turn], (player, vertex))
        lead = _regret(board, players, rivals, done[:turn], (player, vertex))
        verdicts.append(Verdict(player, vertex, *own, *lead))
    return tuple(verdicts)


def _regret(
    board: Board, players: int, goals: Sequence[Objective], before: Placed, move: tuple[int, int]
) -> tuple[int, float]:
    """Return the best vertex and what the move lost against it."""
    best = best_moves(board, before, 1, players, goals)[0]
    played = solve_placement(board, players, goals, placed=(*before, move))
    lost = best.lead - played.leads[move[0] - 1]
    return best.vertex, lost if lost > _ROUNDING else 0.0
