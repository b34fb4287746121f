"""The value of a pair of settlements, in exact fractions (Christenson et al. 2025).

This module computes it in the simplest way, for one board and one pair at a time. `catan_cp.placement.tables`
computes the same numbers for all pairs of many boards at once.

>>> from catan_cp.boards.board import Board
>>> board = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> Objective.published(resources=0.5, cards=0.3, hit=0.2).value(board, (42, 12))
Fraction(163, 24)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from math import lcm
from numbers import Rational
from pathlib import Path
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import RESOURCES, pips
from catan_cp.errors import InvalidArgument, check_choice, listed, real_number, show, whole_number

Weight = int | float | Fraction

OBJECTIVES = ("published", "report", "pips", "odds")
"""The named objectives."""

READINGS = ("published", "report")
"""The sources of two definitions: the published program, or the text of Christenson et al. 2025."""

ROLLS = 36
"""The number of ways to roll two dice. One pip is a probability of 1 / `ROLLS`."""

BANK_RATE = 4
"""The number of cards that the bank takes for one card without a harbor."""

STEPS = (1, 3, 5, 7, 10)
"""The numbers of pips after which more pips of a resource can change the odds to win by less."""

BUILDINGS = {"roads": ("brick", "lumber"), "cities": ("grain", "ore"), "cards": ("grain", "ore", "wool")}
"""The resources of what is bought, for the odds to win."""

_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18}|[0-9]{1,18}/0*[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True)
class Objective:
    """Weights of the terms, normalized to the sum 1, and the definitions of two terms.

    The terms *resources*, *cards* and *hit* are from Christenson et al. 2025. Their text and their program,
    which produced their table, differ in *resources* and *cards*. The program's definition is the default.
    The other terms are additions of this library. A tile *produces* unless it is desert or sea. The terms
    describe a set of settlements.

    Args:
        resources: ``"published"``: 2 per distinct producing terrain touched, and 0.5 per producing tile
            touched, with a tile counted once for each settlement on it. ``"report"``: 1 per distinct terrain.
        cards: expected cards per roll. ``"published"``: pips / 36 over the distinct producing tiles touched.
            ``"report"``: a tile counts once for each settlement on it.
        hit: the probability that a roll yields a card: pips / 36 over the distinct markers touched.
        scarcity: 36 / (pips of that terrain on the board) for each distinct terrain touched.
        harbor: cards per roll gained by trading all production at the best rates within reach, compared with
            four to one at the bank. Per resource this is pips / 36 * (1 / rate - 1 / 4). Gold is not traded.
        robber: expected cards per roll, each settlement counted, with the robber on the best tile.
        monopoly: the largest share of one resource's pips on the board that the settlements touch.
        odds: the logarithm of the odds to win in simulated games, by `worth`.
        rivalry: the weight of rivals. A player maximizes its own value minus *rivalry* times the largest
            value of a rival, each by its own objective. 0 is the basic game of Christenson et al. 2025, and 1
            is their extension, the advantage over the best opponent. Not a term, and not normalized.
        expansion: the weight of the best vertex within two roads of one of the player's settlements, among
            the vertices that are free at the end of the draft. The vertex is valued as a single settlement.
            Not a term, and not normalized. See `catan_cp.placement.roads`.
        resources_as: the definition of *resources*.
        cards_as: the definition of *cards*.

    Gold counts as one terrain that the player lacks. For *scarcity* it counts as the scarcest such terrain on
    the board. If the player touches all five resources, gold adds nothing to *scarcity* and to the number of
    terrains in *resources*.

    Weights are exact fractions. A float means the simplest fraction that rounds to it: 0.3 is 3/10, and
    1 / 3 is a third.

    Raises:
        InvalidArgument: a weight is negative, not finite or not a number. Or all weights are 0, or a
            definition is unknown.

    Example:
        >>> goal = Objective(resources=1, cards=3, hit=0)
        >>> goal.cards
        Fraction(3, 4)
    """

    resources: Weight = 1 / 3
    cards: Weight = 1 / 3
    hit: Weight = 1 / 3
    scarcity: Weight = 0
    harbor: Weight = 0
    robber: Weight = 0
    monopoly: Weight = 0
    odds: Weight = 0
    resources_as: str = "published"
    cards_as: str = "published"
    rivalry: Weight = 0
    expansion: Weight = 0

    def __post_init__(self) -> None:
        exact = {term: _exact(term, getattr(self, term)) for term in TERMS}
        total = sum(exact.values(), Fraction(0))
        if not total:
            raise InvalidArgument(
                f"all weights are 0; give at least one of {listed(TERMS)} a positive weight"
            )
        for term, weight in exact.items():
            object.__setattr__(self, term, weight / total)
        for name in ("rivalry", "expansion"):
            object.__setattr__(self, name, _exact(name, getattr(self, name)))
        for name in ("resources_as", "cards_as"):
            check_choice(name, getattr(self, name), READINGS)

    @classmethod
    def published(cls, resources: Weight = 1 / 3, cards: Weight = 1 / 3, hit: Weight = 1 / 3) -> Objective:
        """Return the objective of the published program and its table."""
        return cls(resources, cards, hit)

    @classmethod
    def report(cls, resources: Weight = 1 / 3, cards: Weight = 1 / 3, hit: Weight = 1 / 3) -> Objective:
        """Return the objective as the text of Christenson et al. 2025 defines it."""
        return cls(resources, cards, hit, resources_as="report", cards_as="report")

    @classmethod
    def pips(cls) -> Objective:
        """Return the objective that values settlements by their pips, in cards per roll."""
        return cls(resources=0, cards=1, hit=0, cards_as="report")

    @classmethod
    def own_odds(cls) -> Objective:
        """Return the objective of a player's odds to win by its settlements (`worth`)."""
        return cls(resources=0, cards=0, hit=0, odds=1)

    @cached_property
    def weights(self) -> Mapping[str, Fraction]:
        """The nonzero weight of each term. The weights sum to 1."""
        return {term: Fraction(weight) for term in TERMS if (weight := getattr(self, term))}

    @property
    def minds_others(self) -> bool:
        """True if rivalry or expansion is not 0, so that settlements of others matter."""
        return bool(self.rivalry or self.expansion)

    def parts(self, board: Board, vertices: Iterable[int]) -> dict[str, Fraction]:
        """Return the unweighted value of each term whose weight is not 0.

        The value is that of settlements on *vertices*.

        Raises:
            InvalidArgument: *board* is not a Board, or *vertices* are not vertices of it.
        """
        if not isinstance(board, Board) or not isinstance(vertices, Iterable):
            raise InvalidArgument(
                f"board and vertices must be a Board and its vertices, not {show(board)} and {show(vertices)}"
            )
        spots, known = tuple(vertices), range(board.layout.n_vertices)
        for v in spots:
            if whole_number(v) not in known:
                raise InvalidArgument(
                    f"vertices must be 0 to {known[-1]} on {board.layout.name!r}, not {show(v)}"
                )
        return {term: _PARTS[term](self, board, spots) for term in self.weights}

    def value(self, board: Board, vertices: Iterable[int]) -> Fraction:
        """Return the value of one or more settlements, the weighted sum of `parts`.

        Rivalry and expansion are not included, since they depend on the other settlements.
        """
        parts = self.parts(board, vertices)
        return sum((self.weights[term] * part for term, part in parts.items()), Fraction(0))


def read_objective(
    weights: str = "", name: str = "published", rivalry: Weight = 0, expansion: Weight = 0
) -> Objective:
    """Parse an objective from text, as on the command line.

    Args:
        weights: numbers for resources, cards and hit, in this order, as in ``0.5,0.3,0.2``, or named terms,
            as in ``resources=2,harbor=1``, with 0 for all others. Numbers may be fractions, such as ``1/3``.
            Empty text means equal weights.
        name: one of `OBJECTIVES`. The last two take no weights.
        rivalry: as for `Objective`.
        expansion: as for `Objective`.

    Raises:
        InvalidArgument: any other text or name.
    """
    if not isinstance(weights, str):
        raise InvalidArgument(f"weights must be text such as 0.5,0.3,0.2 or harbor=1, not {show(weights)}")
    if name in OBJECTIVES[2:]:
        if weights.strip():
            raise InvalidArgument(
                f"weights must be empty for the objective {name}, with fixed weights, not {show(weights)}"
            )
        goal = Objective.pips() if name == "pips" else Objective.own_odds()
        return replace(goal, rivalry=rivalry, expansion=expansion)
    parts = [part.strip() for part in weights.split(",")] if weights.strip() else []
    if parts and not any("=" in part for part in parts):
        if len(parts) != 3:
            raise InvalidArgument(
                f"weights must be three numbers, as in 0.5,0.3,0.2, or TERM=NUMBER, not {show(weights)}"
            )
        parts = [f"{term}={part}" for term, part in zip(TERMS, parts, strict=False)]
    numbers: dict[str, Fraction] = {}
    for part in parts:
        term, _, number = (word.strip() for word in part.partition("="))
        if term not in TERMS or term in numbers:
            raise InvalidArgument(
                f"each weight must be TERM=NUMBER, once per term of {listed(TERMS)}, not {show(part)}"
            )
        if not _NUMBER.fullmatch(number):
            raise InvalidArgument(
                f"the weight of {term} must be a number such as 0.3 or 1/3, not {show(number)}"
            )
        numbers[term] = Fraction(number)
    if not numbers:
        numbers = dict.fromkeys(TERMS[:3], Fraction(1))
    weight: dict[str, Any] = {term: numbers.get(term, 0) for term in TERMS}
    return Objective(**weight, resources_as=name, cards_as=name, rivalry=rivalry, expansion=expansion)


# The terms. Each function takes the vertices of the settlements and returns an exact number.


def _resources(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    tiles = _tiles(board, spots)
    distinct = min(len(RESOURCES), len({board.terrain[t] for t in tiles}))
    return Fraction(distinct) if goal.resources_as == "report" else 2 * distinct + Fraction(len(tiles), 2)


def _cards(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    tiles = _tiles(board, spots)
    counted: Iterable[int] = tiles if goal.cards_as == "report" else set(tiles)
    return Fraction(sum(_ways(board, t) for t in counted), ROLLS)


def _hit(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    return Fraction(sum(map(pips, {m for t in _tiles(board, spots) for m in _numbers(board, t)})), ROLLS)


def _scarcity(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    worth = {
        name: Fraction(ROLLS, total)
        for name, total in board.terrain_pips().items()
        if total and name in RESOURCES
    }
    touched = {board.terrain[t] for t in _tiles(board, spots)}
    lacking = [value for name, value in worth.items() if name not in touched]
    extra = max(lacking, default=Fraction(0)) if "gold" in touched else Fraction(0)
    return sum((worth[name] for name in touched if name in worth), extra)


def _harbor(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    trades = {harbor.trade for harbor in board.harbors if set(harbor.vertices) & set(spots)}
    gain = Fraction(0)
    for t in _tiles(board, spots):
        if board.terrain[t] in RESOURCES:
            rate = 2 if board.terrain[t] in trades else 3 if "3:1" in trades else BANK_RATE
            gain += Fraction(_ways(board, t), ROLLS) * (Fraction(1, rate) - Fraction(1, BANK_RATE))
    return gain


def _robber(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    tiles = _tiles(board, spots)
    yields = {t: tiles.count(t) * _ways(board, t) for t in tiles}
    return Fraction(sum(yields.values()) - max(yields.values(), default=0), ROLLS)


def _monopoly(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    totals = board.terrain_pips()
    held = {name: 0 for name in RESOURCES if totals.get(name)}
    for t in set(_tiles(board, spots)):
        if board.terrain[t] in held:
            held[board.terrain[t]] += _ways(board, t)
    return max((Fraction(count, totals[name]) for name, count in held.items()), default=Fraction(0))


def _odds(goal: Objective, board: Board, spots: tuple[int, ...]) -> Fraction:
    coefficients, unit = whole_worth()
    return Fraction(sum(coefficients[name] * count for name, count in features(board, spots).items()), unit)


@cache
def whole_worth() -> tuple[dict[str, int], int]:
    """Return `worth` as whole numbers, and their common denominator."""
    unit = lcm(*(value.denominator for value in worth().values()))
    return {name: int(value * unit) for name, value in worth().items()}, unit


@cache
def worth() -> dict[str, Fraction]:
    """Return the coefficient of each of `features` in the logarithm of the odds to win.

    Fitted on games of `greedy` programs without swaps, by an earlier version.
    """
    return read_worth("settlements")


def read_worth(part: str) -> dict[str, Fraction]:
    """Return coefficients of the fitted model: of ``settlements`` or of an ``opening``."""
    file = Path(__file__).parents[1] / "data" / "worth.json"
    coefficients = json.loads(file.read_text(encoding="utf-8"))[part]
    return {name: Fraction(value) for name, value in coefficients.items()}


def features(board: Board, vertices: Iterable[int]) -> dict[str, int]:
    """Return the features of settlements on *vertices* that predict wins in simulated games.

    Per resource these are its pips, and its pips counted up to each of `STEPS`, since more pips of one
    resource add less. Further features are the pips of roads, cities and cards, each the smallest among their
    resources, whether a settlement is on a 3:1 harbor, and the pips of resources traded 2:1. A tile counts
    once for each settlement on it.
    """
    spots = tuple(vertices)
    held = dict.fromkeys(RESOURCES, 0)
    for t in _tiles(board, spots):
        if board.terrain[t] in held:
            held[board.terrain[t]] += _ways(board, t)
    trades = {harbor.trade for harbor in board.harbors if set(harbor.vertices) & set(spots)}
    return {
        **held,
        **{f"{name}_{step}": min(step, pips) for name, pips in held.items() for step in STEPS},
        **{name: min(held[resource] for resource in resources) for name, resources in BUILDINGS.items()},
        "harbor": int("3:1" in trades),
        "own_harbor": sum(held[trade] for trade in trades if trade in held),
    }


_PARTS = {
    "resources": _resources,
    "cards": _cards,
    "hit": _hit,
    "scarcity": _scarcity,
    "harbor": _harbor,
    "robber": _robber,
    "monopoly": _monopoly,
    "odds": _odds,
}

TERMS = tuple(_PARTS)
"""The terms of an objective, in the order in which they are printed."""


def _tiles(board: Board, spots: tuple[int, ...]) -> list[int]:
    """Return the producing tiles touched, each once per settlement that touches it."""
    bare = board.layout.unnumbered
    return [t for v in spots for t in board.layout.vertex_tiles[v] if board.terrain[t] not in bare]


def _ways(board: Board, tile: int) -> int:
    """Return the number of ways to roll a marker of the tile."""
    return board.layout.marker_pips(board.markers[tile])


def _numbers(board: Board, tile: int) -> list[int]:
    """Return the markers on the tile: none, one, or two."""
    marker = board.markers[tile]
    if marker is None:
        return []
    second = board.layout.second_marker.get(marker)
    return [marker] if second is None else [marker, second]


def _exact(term: str, weight: Any) -> Fraction:
    number = real_number(weight)
    if number is None or number < 0:
        raise InvalidArgument(
            f"the weight of {term} must be a finite number of 0 or more, not {show(weight)}"
        )
    if isinstance(weight, Rational):
        return Fraction(weight)
    exact = Fraction(number)
    simpler = (exact.limit_denominator(1000**k) for k in range(1, 7))
    return next((fraction for fraction in simpler if float(fraction) == number), exact)
