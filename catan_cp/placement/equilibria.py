"""All subgame-perfect equilibrium outcomes of a draft, and the effect of ties.

Backward induction breaks ties by a fixed order. Every other way to break them, in every position that could
arise, is also a subgame-perfect equilibrium. An *outcome* is the two vertices of every player. A *lead* is
the quantity that a player maximizes. The outcomes of a position follow from those of its subgames:

- Subgames are independent, so each may be resolved in the way that is worst for the player to move.
- The *threshold* is the largest, over all candidates, of the player's worst lead after the candidate.
- The equilibrium outcomes are those after any candidate that lead the player by the threshold or more.
- A candidate is skipped if the upper bound of its lead is below the threshold.

Example: player 1 may take a, after which player 2 is indifferent between leaving player 1 a lead of 5 or 3.
Or player 1 takes b, which leads by 4. The threshold is max(3, 4) = 4. The outcomes are a with 5 and b with 4.

`OutcomeSearch` collects these outcomes. `has_tie_off_path` compares them with one line of play.
"""

from collections.abc import Sequence

from catan_cp.placement.lookahead import LOWEST
from catan_cp.placement.positions import Position
from catan_cp.placement.rivals import Table, interruptible, sets_of

Outcome = tuple[frozenset[int], ...]
"""The two vertices of each player, player 1 first."""

Lines = dict[Outcome, tuple[int, ...]]
"""Outcomes, each with a line of play that ends in it."""

LIMIT = 20_000
"""The default maximum number of positions to visit: some seconds if numba is installed."""

_TIED_POSITIONS = 300
"""The maximum number of positions whose ties are followed if the limit is passed."""


class TooManyPositions(Exception):
    """A search needs more positions than its limit."""


class OutcomeSearch:
    """A draft in progress, and the number of its positions visited so far."""

    def __init__(self, table: Table, limit: int) -> None:
        self.table, self.limit, self.positions = table, limit, 0
        self._leads: dict[Outcome, list[int]] = {}

    def lead(self, outcome: Outcome, line: tuple[int, ...], player: int) -> int:
        """Return the lead of a player (from 0) in the outcome of a line of play, as `Table.leads`."""
        if outcome not in self._leads:
            self._leads[outcome] = self.table.leads(line)
        return self._leads[outcome][player]

    def all_outcomes(self) -> Lines:
        """Return all equilibrium outcomes of the current position.

        There are none if the draft cannot be completed.

        Raises:
            TooManyPositions: the limit is passed.
        """
        table = self.table
        self.positions += 1
        if self.positions > self.limit:
            raise TooManyPositions
        if table.turn == 2 * table.players:
            line = [int(v) for v in table.work.spots[: table.turn]]
            return {tuple(sets_of(line)): tuple(line)}
        player = table.turns[table.turn] - 1
        threshold = LOWEST
        lines: Lines = {}
        best_leads: dict[Outcome, int] = {}
        for v, bound in table.candidates():
            if bound < threshold:
                break
            table.put(v)
            after = self.all_outcomes()
            table.take()
            if after:
                leads = {outcome: self.lead(outcome, line, player) for outcome, line in after.items()}
                threshold = max(threshold, min(leads.values()))
                lines = after | lines
                for outcome, lead in leads.items():
                    best_leads[outcome] = max(lead, best_leads.get(outcome, LOWEST))
        return {outcome: line for outcome, line in lines.items() if best_leads[outcome] >= threshold}

    def along_ties(self, line: list[int]) -> Lines:
        """Return the outcomes of equilibria that break other ties on their line of play only.

        Args:
            line: the line of play from the current position.
        """
        table = self.table
        if table.turn == 2 * table.players:
            return {tuple(sets_of(line)): tuple(line)}
        self.positions += 1
        turn, player = table.turn, table.turns[table.turn] - 1
        best = table.leads(line)[player]
        tied = [line, *(table.as_good(line) if self.positions <= _TIED_POSITIONS else ())]
        lines: Lines = {}
        for choice in tied:
            table.put(choice[turn])
            lines = self.along_ties(choice) | lines
            table.take()
        return {end: way for end, way in lines.items() if self.lead(end, way, player) >= best}


def has_tie_off_path(start: Position, line: Sequence[int], limit: int = LIMIT) -> bool | None:
    """Test whether breaking ties differently off the line can make another choice as good.

    At each decision on the line, the player compares the line with the outcome after every other candidate.
    Ties in the subgame after a candidate decide which outcome that is. The result is True if, at some
    decision, a candidate has an equilibrium outcome whose lead is at least that of the line. This outcome
    must differ from that of the line, and from the candidate's outcome by the fixed order.

    If the result is False and no decision on the line is tied, the outcome of the line is the only
    equilibrium outcome. Proof, from the last decision to the first: let the line have the only outcome of
    the subgame after its own candidate. Its lead is then the threshold, since no other candidate leads
    further by the fixed order. So another outcome would have to lead as far after another candidate. It is
    either the outcome by the fixed order, which is a tie on the line, or the case that the result reports.

    Args:
        start: the position in which the line of play begins.
        line: all vertices in the order placed, as perfect players choose them from *start* on.
        limit: the maximum number of positions to visit.

    Returns:
        None if the limit is passed before the answer is known.
    """
    return interruptible(lambda stop: _compare(OutcomeSearch(Table.of(start, stop), limit), line))


def _compare(search: OutcomeSearch, line: Sequence[int]) -> bool | None:
    table = search.table
    first, end = table.turn, tuple(sets_of(line))
    for vertex in line[first:]:
        table.put(vertex)
    while table.turn > first:  # the last decision first, since its subgames are the smallest
        table.take()
        player = table.turns[table.turn] - 1
        best = table.leads(line)[player]
        for v, bound in table.candidates():
            if bound < best:
                break
            if v == line[table.turn]:
                continue
            answer = table.follow(v, best - 1)
            usual = {end} if answer is None else {end, tuple(sets_of(answer[0]))}
            table.put(v)
            try:
                outcomes = search.all_outcomes()
            except TooManyPositions:
                return None
            table.take()
            if any(o not in usual and search.lead(o, way, player) >= best for o, way in outcomes.items()):
                return True
    return False
