"""What can be asked about a draft: what each settlement lost, what else could have come of it, who wins.

A draft is written ``1:42-41,2:24-25``: player, vertex and, where it is known, the other end of the road, in
the order placed. Roads are checked; they count where the objective has expansion, and for nothing elsewhere.
`judge_draft` says what each settlement lost against the best one there was.

`find_equilibria` says what else could come of a draft where choices tie. Backward induction settles ties by
a fixed order, but each way to settle them, in every position there could be, is a subgame perfect
equilibrium. An outcome, that is, who ends with which vertices, belongs to one of them in a position if it
follows a candidate v of the player to move, is an equilibrium outcome after v, and leads that player at least
as far as the worst equilibrium outcome after any other candidate. (Equilibria of different subgames do not
touch each other, so those others can be taken at their worst.) With *threshold* the largest of the worst
leads over all candidates, those are the outcomes that lead by the threshold or more, and a candidate whose
bound is below the threshold need not be looked at.

Example: player 1 may take a, after which player 2 is indifferent between leaving it 5 or 3, or b, which
gives it 4. The threshold is max(3, 4) = 4, and the outcomes are a with 5, and b with 4.

`win_chances` says how likely each player is to win from the settlements, as games of programs tell it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, check_count, show
from catan_cp.placement.checks import checked_board, checked_placed, checked_players, checked_position
from catan_cp.placement.game import Goals, OnTable, Placement, best_moves, solve_placement, values_of
from catan_cp.placement.lookahead import LOWEST
from catan_cp.placement.objective import Objective, shares_of
from catan_cp.placement.positions import Placed, snake
from catan_cp.placement.rivals import Table, interruptible, sets_of

_ROUNDING = 1e-9
"""Differences of floating-point values below this are none; leads of different courses differ by far more."""


def _check_placement(placement: object) -> None:
    if not isinstance(placement, Placement):
        raise InvalidArgument(f"placement is what solve_placement returns, not {show(placement)}")


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
        """The settlements with their roads, as `solve_placement` takes them.

        Raises:
            InvalidArgument: they are no pairs, or not as many as the roads.
        """
        try:
            return tuple((p, v, road) for (p, v), road in zip(self.settlements, self.roads, strict=True))
        except (TypeError, ValueError):
            raise InvalidArgument(
                "a draft has pairs of (player, vertex) and a road, or None, for each, "
                f"not {show(self.settlements)} with the roads {show(self.roads)}"
            ) from None

    @classmethod
    def of(cls, placement: Placement) -> Draft:
        """Return the draft of a placement.

        Raises:
            InvalidArgument: it is none.
        """
        _check_placement(placement)
        return cls(placement.order, placement.roads)

    @classmethod
    def from_text(cls, text: str) -> Draft:
        """Read ``1:42-41,2:24-25``; a road may be left out, as in ``1:42``.

        Raises:
            InvalidArgument: it is not such a list.
        """
        if not isinstance(text, str):
            raise InvalidArgument(f"a draft is text such as 1:42-41,2:24, not {show(text)}")
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
    board: Board, draft: Draft | str | OnTable, players: int = 4, objective: Goals = None
) -> tuple[Verdict, ...]:
    """Return a verdict on every settlement of a draft, whole or begun, in the order placed.

    Each settlement is judged twice: in the game in which nobody minds rivals (rivalry 0), and in that among
    rivals of rivalry 1. Both take the settlements before it as given, and perfect play after it.

    Args:
        board: the board.
        draft: a `Draft`, its text, or settlements as `solve_placement` takes them.
        players: how many play.
        objective: as for `solve_placement`; its rivalry is left aside.

    Raises:
        InvalidArgument, InvalidBoard: as `solve_placement`; a road that does not start at its settlement.
    """
    told = Draft.from_text(draft) if isinstance(draft, str) else draft
    given = told.placed if isinstance(told, Draft) else told
    position = checked_position(board, players, objective, given)
    draft, players = Draft(position.placed, position.roads), position.players
    alone, rivals = ([replace(goal, rivalry=rivalry) for goal in position.goals] for rivalry in (0, 1))
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


Outcome = tuple[frozenset[int], ...]
Found = dict[Outcome, tuple[int, ...]]
"""Outcomes, with a course of play that ends in each."""

LIMIT = 20_000
"""How many positions are looked at by default; some seconds where numba is installed."""

_TIED_POSITIONS = 300
"""How many positions are searched for ties where not all can be looked at."""


class _TooMany(Exception):
    """More positions than the limit."""


@dataclass(frozen=True)
class Equilibria:
    """The equilibrium outcomes of a draft.

    Attributes:
        outcomes: each player's vertices in each outcome, the one that `solve_placement` plays first.
        values: what they are worth to each player, outcome by outcome.
        exact: whether these are all; else there may be more.
        positions: how many positions were looked at.
    """

    outcomes: tuple[Outcome, ...]
    values: tuple[tuple[float, ...], ...]
    exact: bool
    positions: int

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """The least and the most that each player has over these outcomes, player 1 first."""
        return tuple((min(column), max(column)) for column in zip(*self.values, strict=True))

    @property
    def always(self) -> tuple[int, ...]:
        """The vertices on which somebody settles in all of these outcomes."""
        played = [frozenset().union(*outcome) for outcome in self.outcomes]
        return tuple(sorted(frozenset.intersection(*played)))

    def __str__(self) -> str:
        count = len(self.outcomes)
        told = "one" if self.exact and count == 1 else f"{'' if self.exact else 'at least '}{count:,}"
        lines = [f"there {'is' if count == 1 else 'are'} {told} equilibrium outcome{'s' * (count > 1)}"]
        for player, (least, most) in enumerate(self.ranges, start=1):
            between = f"{least:.4f}" if least == most else f"{least:.4f} to {most:.4f}"
            lines.append(f"player {player} has {between}")
        always = ", ".join(map(str, self.always)) or "none"
        lines.append(f"vertices played in all of them: {always}")
        return "\n".join(lines)


def find_equilibria(placement: Placement, limit: int = LIMIT) -> Equilibria:
    """Return the outcomes of all subgame perfect equilibria of the draft that *placement* solves.

    Where more than *limit* positions would have to be looked at, the outcomes returned are those that follow
    from other choices at ties on courses of play, everything off them being settled as ever: all are
    equilibrium outcomes, but there may be more, so that their number is a lower bound.

    Raises:
        InvalidArgument: no placement, or players err in it; a *limit* below 1.
    """
    _check_placement(placement)
    if placement.rationality is not None:
        raise InvalidArgument("equilibria are those of perfect players; here some err")
    limit = check_count("limit", limit, 1)
    return interruptible(lambda stop: _equilibria(placement, limit, stop))


def _equilibria(placement: Placement, limit: int, stop: Any) -> Equilibria:
    table = Table(placement.start, stop)
    search = _Search(table, limit)
    course = [vertex for _, vertex in placement.order]
    try:
        found, exact = search.all_outcomes(), True
    except _TooMany:
        while table.turn > placement.given:
            table.take()
        search.positions = 0
        found, exact = search.along_ties(course), False
    played = tuple(sets_of(course))
    outcomes = (played, *sorted((one for one in found if one != played), key=lambda one: found[one]))
    values = tuple(values_of(placement.start, found.get(one, course)) for one in outcomes)
    return Equilibria(outcomes, values, exact, search.positions)


class _Search:
    """A draft in progress and how many positions of it have been looked at."""

    def __init__(self, table: Table, limit: int) -> None:
        self.table, self.limit, self.positions = table, limit, 0
        self.known: dict[Outcome, list[int]] = {}

    def lead(self, outcome: Outcome, course: tuple[int, ...], player: int) -> int:
        """Return the player's lead (players from 0) in an outcome that *course* ends in, as `Table.leads`."""
        if outcome not in self.known:
            self.known[outcome] = self.table.leads(course)
        return self.known[outcome][player]

    def all_outcomes(self) -> Found:
        """Return all equilibrium outcomes from here; none where nobody can end the draft.

        Raises:
            _TooMany: the limit is passed.
        """
        table = self.table
        self.positions += 1
        if self.positions > self.limit:
            raise _TooMany
        if table.turn == 2 * table.players:
            course = [int(v) for v in table.work.spots[: table.turn]]
            return {tuple(sets_of(course)): tuple(course)}
        player = table.turns[table.turn] - 1
        threshold = LOWEST
        found: Found = {}
        leads: dict[Outcome, int] = {}
        for v, bound in table.candidates():
            if bound < threshold:
                break
            table.put(v)
            after = self.all_outcomes()
            table.take()
            if after:
                ahead = {one: self.lead(one, course, player) for one, course in after.items()}
                threshold = max(threshold, min(ahead.values()))
                found = after | found
                leads |= {one: max(lead, leads.get(one, LOWEST)) for one, lead in ahead.items()}
        return {one: course for one, course in found.items() if leads[one] >= threshold}

    def along_ties(self, course: list[int]) -> Found:
        """Return outcomes of equilibria that differ from the fixed order of ties on the course played only.

        Args:
            course: what is played from here.
        """
        table = self.table
        if table.turn == 2 * table.players:
            return {tuple(sets_of(course)): tuple(course)}
        self.positions += 1
        turn, player = table.turn, table.turns[table.turn] - 1
        best = table.leads(course)[player]
        tied = [course, *(table.as_good(course) if self.positions <= _TIED_POSITIONS else ())]
        found: Found = {}
        for one in tied:
            table.put(one[turn])
            found = self.along_ties(one) | found
            table.take()
        return {one: way for one, way in found.items() if self.lead(one, way, player) >= best}


def win_chances(board: Board, settlements: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return each player's chance to win; they sum to 1.

    The chances were fitted on games of four `greedy` programs that do not trade with each other, with two
    settlements each; they say nothing of people, of talk, or of who is the better player, and count the
    settlements alone, not the order of turns.

    Args:
        board: a board with markers.
        settlements: each player's vertices, player 1 first, in the order placed. In the middle of a draft
            some have one or none: the rest is placed where it is best for each player's own chances.

    Raises:
        InvalidBoard: a board without markers.
        InvalidArgument: settlements that no draft of so many players leads to.
    """
    checked_board(board)
    if not isinstance(settlements, Sequence) or not all(isinstance(each, Collection) for each in settlements):
        raise InvalidArgument(f"settlements are a list of vertices per player, not {show(settlements)}")
    players = checked_players(len(settlements), board)
    left = [list(vertices) for vertices in settlements]
    placed = []
    for player in snake(players):
        if not left[player - 1]:
            break
        placed.append((player, left[player - 1].pop(0)))
    if any(left):
        raise InvalidArgument(
            f"no draft of {players} players, each placing in turn and then back, leads to {show(settlements)}"
        )
    checked_placed(tuple(placed), board, players)
    whole: Sequence[Sequence[int]] = settlements
    if len(placed) < 2 * players:
        whole = solve_placement(board, players, Objective.wins(), placed=placed).settlements
    return shares_of(board, whole)
