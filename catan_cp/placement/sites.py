"""Drafts of sites on any graph, with the value of each pair of sites as numbers.

Catan settlements are one case: the sites are the vertices, and neighbors exclude each other. Others are shops
that keep a distance, or picks from a list. The order of turns, the searches and the tie breaks are those of
`catan_cp.placement.game`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from catan_cp.errors import InvalidArgument, check_count, show, whole_number
from catan_cp.placement.checks import MIN_PLAYERS
from catan_cp.placement.plain import MOST_BITS, partners_kept, play_all
from catan_cp.placement.positions import Placed, snake
from catan_cp.placement.rivals import Table, draft_tables, interruptible
from catan_cp.placement.tables import Scores, Sites
from catan_cp.terminal import Brief

Matrix = Sequence[Sequence[Rational | int]]
"""Exact values of pairs of sites. The diagonal has the values of single sites."""


@dataclass(frozen=True, repr=False)
class SolvedDraft(Brief):
    """The sites that perfect players choose.

    Attributes:
        sites: each player's two sites in the order chosen, player 1 first.
        order: every choice in order, as (player, site). Players are numbered from 1, sites from 0.
        values: the exact value of each player's pair to that player.
        tied: whether, at a decision on the line of play, another choice had the same value for the player to
            move and would have led to other pairs.
    """

    sites: tuple[tuple[int, int], ...]
    order: Placed
    values: tuple[Fraction, ...]
    tied: bool

    def __str__(self) -> str:
        lines = [
            f"player {player}: sites {first} and {second}, worth {value}"
            for player, ((first, second), value) in enumerate(zip(self.sites, self.values, strict=True), 1)
        ]
        order = ", ".join(f"{player} on {site}" for player, site in self.order)
        return "\n".join([*lines, f"in the order {order}" + "; other choices were as good" * self.tied])


def solve_draft(
    pair_values: Matrix | Sequence[Matrix], conflicts: Iterable[tuple[int, int]], players: int
) -> SolvedDraft:
    """Return the sites that perfect players choose from a graph.

    Players 1 to N choose a first site each, then N to 1 a second one. Each player wants the pair of the
    largest value to itself and knows that the others do too. The result is a subgame-perfect equilibrium.
    Ties are broken as by `solve_placement`: a first site is preferred by its value alone, then by its number,
    and a second site by its number.

    Graphs with few sites or many conflicts need more time. The extra ``fast`` helps most there.

    Args:
        pair_values: a symmetric matrix of integers or fractions for all players, or one matrix per player.
            Entry [a][b] is the value of the sites a and b together. Entry [a][a] is the value of a alone,
            which only breaks ties. Values of pairs that exclude each other do not count.
        conflicts: the pairs of sites that exclude each other. No site is chosen twice.
        players: the number of players, 2 or more.

    Raises:
        InvalidArgument: a value is not exact, a matrix is not square or not symmetric, a conflict is not a
            pair of two sites, or there are too few sites for all players.

    Seven sites in a row, of which neighbors exclude each other:

    >>> values = [[a + b for b in range(7)] for a in range(7)]
    >>> draft = solve_draft(values, [(a, a + 1) for a in range(6)], players=2)
    >>> draft.sites
    ((6, 0), (4, 2))
    """
    players = check_count("players", players, MIN_PLAYERS)
    matrices = _checked_matrices(pair_values, players)
    sites = _sites(conflicts, len(matrices[0]))
    kinds: list[list[list[Fraction]]] = []
    for matrix in matrices:
        if matrix not in kinds:
            kinds.append(matrix)
    scores, kind = [_scores(matrix, sites) for matrix in kinds], [kinds.index(m) for m in matrices]
    n, near = sites.closed.shape
    is_roomy = n > near * (2 * players - 1)
    if is_roomy and partners_kept(sites, players) <= MOST_BITS:
        firsts, seconds, ties, _ = play_all(scores, kind, sites, np.zeros((1, 0), dtype=np.intp))
        line, tied = [*firsts[0].tolist(), *reversed(seconds[0].tolist())], bool(ties[0])
    else:
        tables = draft_tables(scores, kind, sites, is_roomy)
        solved = interruptible(lambda stop: Table(*tables, stop).solved())
        if solved is None:
            raise InvalidArgument(
                f"{n} sites leave no room for two sites of each of {players} players; use fewer players or "
                "fewer conflicts"
            )
        line, tied = [*solved.line], solved.tied
    pairs = tuple((line[p], line[-1 - p]) for p in range(players))
    values = tuple(matrix[a][b] for matrix, (a, b) in zip(matrices, pairs, strict=True))
    return SolvedDraft(pairs, tuple(zip(snake(players), line, strict=True)), values, tied)


def _listed(name: str, values: Any) -> list[Any]:
    """Return *values* as a list."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidArgument(f"{name}, not {show(values)}")
    return list(values)


def _checked_matrices(pair_values: object, players: int) -> list[list[list[Fraction]]]:
    """Return one matrix of fractions per player."""
    needed = "pair_values must be a square matrix or one for each player"
    rows = [_listed(needed, row) for row in _listed(needed, pair_values)]
    if not any(isinstance(value, Iterable) for row in rows for value in row):
        matrices = [_checked_matrix(rows, players)] * players
    elif len(rows) == players:
        matrices = [_checked_matrix([_listed(needed, row) for row in matrix], players) for matrix in rows]
    else:
        raise InvalidArgument(
            f"pair_values must have one matrix for each of {players} players, not {len(rows)}"
        )
    sizes = {len(matrix) for matrix in matrices}
    if len(sizes) > 1:
        raise InvalidArgument(f"pair_values must have the same number of sites for all players, not {sizes}")
    return matrices


def _checked_matrix(rows: list[list[Any]], players: int) -> list[list[Fraction]]:
    n = len(rows)
    if n < 2 * players:
        raise InvalidArgument(
            f"{players} players need {2 * players} sites or more, not {n}; use fewer players"
        )
    for a, row in enumerate(rows):
        if len(row) != n:
            raise InvalidArgument(f"row {a} of pair_values must have {n} values, not {len(row)}")
        for b, value in enumerate(row):
            if isinstance(value, bool) or not isinstance(value, Rational):
                raise InvalidArgument(
                    f"pair_values[{a}][{b}] must be an integer or a Fraction, not {show(value)}; "
                    "Fraction(x) makes a float exact"
                )
            if b < a and value != rows[b][a]:
                raise InvalidArgument(
                    f"pair_values must be symmetric, but [{a}][{b}] is {show(value)} and [{b}][{a}] is "
                    f"{show(rows[b][a])}"
                )
    return [[Fraction(value) for value in row] for row in rows]


def _sites(conflicts: object, n: int) -> Sites:
    """Return the *n* sites and the pairs that exclude each other, after a check."""
    needed = "conflicts must be pairs of sites"
    too_near = np.eye(n, dtype=bool)
    for pair in _listed(needed, conflicts):
        a, b = (*map(whole_number, _listed(needed, pair)), None, None)[:2]
        if a is None or b is None or len(pair) != 2 or a == b or not (0 <= a < n and 0 <= b < n):
            raise InvalidArgument(
                f"each conflict must be two different sites from 0 to {n - 1}, not {show(pair)}"
            )
        too_near[a, b] = too_near[b, a] = True
    near = [[a, *(b for b in np.flatnonzero(row).tolist() if b != a)] for a, row in enumerate(too_near)]
    most = max(map(len, near))
    closed = np.array([[*row, *[row[0]] * (most - len(row))] for row in near], dtype=np.intp)
    return Sites(closed, too_near)


def _scores(matrix: list[list[Fraction]], sites: Sites) -> Scores:
    """Return the ranks of all values, which decide every choice."""
    rank = {value: place for place, value in enumerate(sorted({value for row in matrix for value in row}))}
    pairs = np.array([[rank[value] for value in row] for row in matrix], dtype=np.int64)
    return Scores(np.where(sites.too_near, -1, pairs)[None], pairs.diagonal()[None], None)
