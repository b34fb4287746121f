"""Analysis of drafts: value and chance lost per settlement, and equilibria.

A draft is written ``1:42-41,2:24-25``: player, vertex and, if it is known, the other end of the road, in
the order placed. Roads are checked. They count only if the objective has expansion.

- `judge_draft` compares each settlement with the best ones available at that turn.
- `find_equilibria` finds the other outcomes of a draft with ties, by `catan_cp.placement.equilibria`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, check_count, show
from catan_cp.placement.chance_game import measured_line, measured_moves
from catan_cp.placement.checks import checked_position
from catan_cp.placement.equilibria import LIMIT, Outcome, OutcomeSearch, TooManyPositions
from catan_cp.placement.game import Goals, OnTable, Placement, best_moves, solve_placement, values_of
from catan_cp.placement.objective import Objective
from catan_cp.placement.positions import Placed
from catan_cp.placement.rivals import Table, interruptible, sets_of
from catan_cp.terminal import Brief

_ROUNDING = 1e-9
"""The smallest difference of floating-point leads that does not count as 0.

Different leads differ by far more.
"""


def _check_placement(placement: object) -> None:
    if not isinstance(placement, Placement):
        raise InvalidArgument(f"placement must be a result of solve_placement, not {show(placement)}")


@dataclass(frozen=True)
class Draft:
    """Settlements in the order placed, and the road of each.

    Attributes:
        settlements: pairs of (player, vertex), with players numbered from 1.
        roads: per settlement, the vertex at the other end of its road, or None if it is not known.
        board: the board, if it is known.
        seats: the name of each player, player 1 first, if they are known.
    """

    settlements: Placed
    roads: tuple[int | None, ...]
    board: Board | None = None
    seats: tuple[str, ...] = ()

    @property
    def placed(self) -> tuple[tuple[int, int, int | None], ...]:
        """The settlements with their roads, as `solve_placement` takes them.

        Raises:
            InvalidArgument: they are not pairs, or their number differs from that of the roads.
        """
        try:
            return tuple((p, v, road) for (p, v), road in zip(self.settlements, self.roads, strict=True))
        except (TypeError, ValueError):
            raise InvalidArgument(
                "settlements must be pairs of (player, vertex) with one road, or None, for each, "
                f"not {show(self.settlements)} with the roads {show(self.roads)}"
            ) from None

    @property
    def known_board(self) -> Board:
        """The board.

        Raises:
            InvalidArgument: it is not known.
        """
        if self.board is None:
            raise InvalidArgument(
                f"draft must have a board, not only {self}; import_board returns such a draft"
            )
        return self.board

    def to_json(self) -> str:
        """Return the draft as JSON: its text as ``draft``, with the notation of the board and the seats."""
        board = None if self.board is None else self.board.notation()
        return json.dumps({"board": board, "seats": self.seats, "draft": str(self)})

    @classmethod
    def of(cls, placement: Placement) -> Draft:
        """Return the draft of a placement.

        Raises:
            InvalidArgument: *placement* is not a `Placement`.
        """
        _check_placement(placement)
        return cls(placement.order, placement.roads)

    @classmethod
    def from_text(cls, text: str) -> Draft:
        """Parse text such as ``1:42-41,2:24-25``. A road may be omitted, as in ``1:42``.

        Raises:
            InvalidArgument: *text* is not such a list.
        """
        if not isinstance(text, str):
            raise InvalidArgument(f"text must be a draft such as 1:42-41,2:24, not {show(text)}")
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
        return ",".join(f"{p}:{v}" + ("" if road is None else f"-{road}") for p, v, road in self.placed)


@dataclass(frozen=True)
class Verdict:
    """The loss of one settlement of a draft, with perfect play after it.

    Attributes:
        player: the player who settled, numbered from 1.
        vertex: its vertex.
        best: the vertex that was best for the player's own value.
        regret: the own value lost against *best*.
        best_block: the vertex that was best for the lead over the best rival, among players of rivalry 1.
        lead_regret: the lead lost against *best_block*.
        chance: the player's chance to win after the settlement, by `catan_cp.win_chances`. None if no games
            have measured the chances.
        best_by_chance: the vertex that leads to the largest chance, or None.
        best_chance: that chance, or None.
    """

    player: int
    vertex: int
    best: int
    regret: float
    best_block: int
    lead_regret: float
    chance: float | None = None
    best_by_chance: int | None = None
    best_chance: float | None = None

    def __str__(self) -> str:
        def judged(regret: float, best: int) -> str:
            return "nothing" if not regret else f"{regret:.4f} against vertex {best}"

        chance = ""
        if self.chance is not None:
            best = "the best" if self.vertex == self.best_by_chance else f"on {self.best_by_chance}"
            other = "" if self.vertex == self.best_by_chance else f" {self.best_chance:.1%}"
            chance = f"chance {self.chance:.1%}, {best}{other}; "
        own, lead = judged(self.regret, self.best), judged(self.lead_regret, self.best_block)
        return (
            f"player {self.player} on vertex {self.vertex}: {chance}lost {own} of its own value, "
            f"and {lead} of its lead as a blocker"
        )


def judge_draft(
    board: Board, draft: Draft | str | OnTable, players: int = 4, objective: Goals = None
) -> tuple[Verdict, ...]:
    """Return a verdict on every settlement of a complete or partial draft.

    The verdicts are in the order placed.

    Each settlement is judged by the chance to win, and twice by value: in the game without rivalry and in the
    game with rivalry 1. All take the earlier settlements as fixed and assume perfect play after it.

    Args:
        board: the board.
        draft: a `Draft`, its text, or settlements as `solve_placement` takes them.
        players: the number of players.
        objective: as for `solve_placement`, for the values. Its rivalry is ignored.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`. Or a road does not start at its settlement.
    """
    parsed = Draft.from_text(draft) if isinstance(draft, str) else draft
    placed = parsed.placed if isinstance(parsed, Draft) else parsed
    position = checked_position(board, players, objective, placed)
    draft, players = Draft(position.placed, position.roads), position.players
    alone, rivals = ([replace(goal, rivalry=rivalry) for goal in position.goals] for rivalry in (0, 1))
    verdicts = []
    for turn, (player, vertex) in enumerate(draft.settlements):
        own = _regret(board, players, alone, draft.placed[: turn + 1])
        lead = _regret(board, players, rivals, draft.placed[: turn + 1])
        occupied = [v for _, v in draft.settlements[: turn + 1]]
        verdict = Verdict(player, vertex, *own, *lead)
        if (line := measured_line(board, players, occupied)) is not None:
            ((best, chance),) = measured_moves(board, players, occupied[:-1], 1)
            verdict = replace(verdict, chance=line.chances[player - 1])
            verdict = replace(verdict, best_by_chance=best, best_chance=chance)
        verdicts.append(verdict)
    return tuple(verdicts)


def _regret(board: Board, players: int, goals: Sequence[Objective], placed: OnTable) -> tuple[int, float]:
    """Return the best vertex for the last settlement, and the lead lost against it."""
    best = best_moves(board, placed[:-1], 1, players, goals)[0]
    played = solve_placement(board, players, goals, placed=placed)
    regret = best.lead - played.leads[placed[-1][0] - 1]
    return best.vertex, regret if regret > _ROUNDING else 0.0


@dataclass(frozen=True, repr=False)
class Equilibria(Brief):
    """The equilibrium outcomes of a draft.

    Attributes:
        outcomes: per outcome, the vertices of each player. The outcome of `solve_placement` is first.
        values: per outcome, the value of each player.
        exact: True if these are all outcomes. If False, there may be more.
        positions: the number of positions visited.
    """

    outcomes: tuple[Outcome, ...]
    values: tuple[tuple[float, ...], ...]
    exact: bool
    positions: int

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """Each player's smallest and largest value over these outcomes, player 1 first."""
        return tuple((min(column), max(column)) for column in zip(*self.values, strict=True))

    @property
    def always(self) -> tuple[int, ...]:
        """The vertices that are settled in all of these outcomes."""
        played = [frozenset().union(*outcome) for outcome in self.outcomes]
        return tuple(sorted(frozenset.intersection(*played)))

    def __str__(self) -> str:
        count = len(self.outcomes)
        number = "one" if self.exact and count == 1 else f"{'' if self.exact else 'at least '}{count:,}"
        lines = [f"there {'is' if count == 1 else 'are'} {number} equilibrium outcome{'s' * (count > 1)}"]
        for player, (least, most) in enumerate(self.ranges, start=1):
            between = f"{least:.4f}" if least == most else f"{least:.4f} to {most:.4f}"
            lines.append(f"player {player} has {between}")
        always = ", ".join(map(str, self.always)) or "none"
        lines.append(f"vertices played in all of them: {always}")
        return "\n".join(lines)


def find_equilibria(placement: Placement, limit: int = LIMIT) -> Equilibria:
    """Return the outcomes of all subgame-perfect equilibria of a draft.

    *placement* is the solution of the draft.

    If the search needs more than *limit* positions, the result has only the outcomes of other choices at ties
    on the line of play. Ties off the line are then broken by the fixed order. All of these are equilibrium
    outcomes, but there may be more.

    Raises:
        InvalidArgument: *placement* is not a `Placement` or has boundedly rational players. Or *limit*
            is below 1.
    """
    _check_placement(placement)
    if placement.rationality is not None:
        raise InvalidArgument("find_equilibria takes a placement of perfect players; here players err")
    limit = check_count("limit", limit, 1)
    return interruptible(lambda stop: _equilibria(placement, limit, stop))


def _equilibria(placement: Placement, limit: int, stop: Any) -> Equilibria:
    table = Table.of(placement.start, stop)
    search = OutcomeSearch(table, limit)
    line = [vertex for _, vertex in placement.order]
    try:
        lines, exact = search.all_outcomes(), True
    except TooManyPositions:
        while table.turn > placement.given:
            table.take()
        search.positions = 0
        lines, exact = search.along_ties(line), False
    end = tuple(sets_of(line))
    outcomes = (end, *sorted((outcome for outcome in lines if outcome != end), key=lambda o: lines[o]))
    values = tuple(values_of(placement.start, lines.get(outcome, line)) for outcome in outcomes)
    return Equilibria(outcomes, values, exact, search.positions)
