"""What came of games on a board: plain values, which need no engine to be read, compared or summed up.

>>> low, high = wilson(30, 100)
>>> round(low, 3), round(high, 3)
(0.219, 0.396)
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

from catan_cp.errors import InvalidArgument, show

KINDS = ("brick", "grain", "wool", "ore", "lumber")
"""The resources, in the order in which games count them."""

RATES = ("4:1", "3:1", "2:1")
"""The rates of trade with the bank: without a harbor, at a harbor for all, at one for a single resource."""

_Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score (1927); (0, 1) where there is nothing to count.

    Raises:
        InvalidArgument: not 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise InvalidArgument(f"there are 0 to {n} successes of {n}, not {show(successes)}")
    if n == 0:
        return 0.0, 1.0
    share, z2 = successes / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def unfairness(wins: Sequence[int], n: int) -> float | None:
    """Return the sum over seats of (share of wins less an equal share)², less what chance adds to it.

    Args:
        wins: of each seat.
        n: how many games, those that nobody won included; of fewer than two, nothing is known: None.
    """
    if n < 2:
        return None
    shares = [count / n for count in wins]
    noise = (sum(shares) - sum(share * share for share in shares)) / (n - 1)
    return sum((share - 1 / len(shares)) ** 2 for share in shares) - noise


@dataclass(frozen=True)
class Share:
    """How often something happened: *count* of *n*, with Wilson's interval."""

    count: int
    n: int

    @property
    def value(self) -> float:
        """The share; 0 of none."""
        return self.count / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return wilson(self.count, self.n)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.1%} ({low:.1%} to {high:.1%})"


@dataclass(frozen=True)
class Game:
    """One game. Seats are numbered from 1, in the order in which they take their turns.

    Attributes:
        winner: the seat that won; None where nobody had after a thousand turns.
        turns: how many turns were taken, the settling before the first roll not counted.
        points: each seat's points at the end, hidden ones included.
        lead_changes: how often the lead passed from one seat to another. Who has the most points at the end
            of a turn leads; among equals, whoever led before.
        lead_taken: the turn in which the winner took the lead for good; None without a winner.
        gained: per seat, the cards that tiles yielded, of each resource in the order of `KINDS`.
        trades: per seat, how often it traded with the bank, at each of `RATES`.
        robbed: per seat, how often the robber took a card from it.
        settlements: per seat, the vertices of its first two settlements.
        history: the points of all seats after each round, seat 1 first, one byte each.
    """

    winner: int | None
    turns: int
    points: tuple[int, ...]
    lead_changes: int
    lead_taken: int | None
    gained: tuple[tuple[int, ...], ...]
    trades: tuple[tuple[int, ...], ...]
    robbed: tuple[int, ...]
    settlements: tuple[tuple[int, ...], ...]
    history: bytes

    @property
    def rounds(self) -> int:
        """How many rounds were begun."""
        return -(-self.turns // len(self.points))

    @property
    def margin(self) -> int:
        """The most points at the end less the second most: 0 to 10; small is close."""
        first, second = sorted(self.points, reverse=True)[:2]
        return first - second

    @property
    def decided(self) -> float | None:
        """The part of the game that was over when the winner took the lead for good, from 0 to 1."""
        return None if self.lead_taken is None else self.lead_taken / self.turns

    def to_row(self) -> dict[str, Any]:
        """Return the game as plain values for JSON."""
        return {**asdict(self), "history": self.history.hex()}

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Game:
        """Read what `to_row` gives, after its way through JSON."""
        nested = {name: tuple(map(tuple, row[name])) for name in ("gained", "trades", "settlements")}
        flat = {name: tuple(row[name]) for name in ("points", "robbed")}
        return cls(**{**row, **nested, **flat, "history": bytes.fromhex(row["history"])})


@dataclass(frozen=True)
class Games:
    """The games of one board: a value, equal where all games are equal.

    Attributes:
        board: the board's notation.
        players: who played, seat 1 first.
        placement: how the first settlements were placed.
        seed: the seed; game *i* depends on it and on *i* alone.
        games: the games, in order.
    """

    board: str
    players: tuple[str, ...]
    placement: str
    seed: int
    games: tuple[Game, ...]

    def __len__(self) -> int:
        return len(self.games)

    @property
    def unfinished(self) -> int:
        """How many games nobody had won after a thousand turns."""
        return sum(game.winner is None for game in self.games)

    @property
    def wins(self) -> tuple[Share, ...]:
        """Per seat, how many of the games it won, those not finished included in their number."""
        return tuple(
            Share(sum(game.winner == seat for game in self.games), len(self.games))
            for seat in range(1, len(self.players) + 1)
        )

    @property
    def win_spread(self) -> float:
        """The share of the seat that wins most less that of the seat that wins least.

        With few games it is large by chance alone.
        """
        values = [share.value for share in self.wins]
        return max(values) - min(values)

    @property
    def unfairness(self) -> float | None:
        """The sum over seats of (share of wins less an equal share)²; None of fewer than two games.

        Less what chance alone adds, (1 - sum of shares²) / (n - 1) where all games are won: an unbiased
        estimate, which is below 0 about as often as above where all seats are alike.
        """
        return unfairness([share.count for share in self.wins], len(self.games))

    def mean(self, of: Callable[[Game], float | None]) -> float | None:
        """Return the mean of something over the games that have it; None where none has."""
        found = [value for game in self.games if (value := of(game)) is not None]
        return statistics.fmean(found) if found else None

    @property
    def points(self) -> tuple[float, ...]:
        """Per seat, the mean of its points at the end."""
        return self._by_seat(lambda game: game.points)

    @property
    def robbed(self) -> tuple[float, ...]:
        """Per seat, how often a game the robber took a card from it."""
        return self._by_seat(lambda game: game.robbed)

    @property
    def gained(self) -> tuple[dict[str, float], ...]:
        """Per seat, the cards of each resource that tiles yielded to it a game."""
        return self._tables(lambda game: game.gained, KINDS)

    @property
    def trades(self) -> tuple[dict[str, float], ...]:
        """Per seat, its trades with the bank a game, at each of `RATES`; those below 4:1 use a harbor."""
        return self._tables(lambda game: game.trades, RATES)

    def leads(self) -> list[tuple[float, ...]]:
        """Return, per round, each seat's mean points; a game that is over keeps its last ones."""
        seats = len(self.players)
        longest = max((len(game.history) // seats for game in self.games), default=0)
        rows = []
        for r in range(longest):
            at = [
                game.history[start : start + seats]
                for game in self.games
                if (start := seats * min(r, len(game.history) // seats - 1)) >= 0
            ]
            rows.append(tuple(statistics.fmean(points) for points in zip(*at, strict=True)))
        return rows

    def _by_seat(self, of: Callable[[Game], Sequence[int]]) -> tuple[float, ...]:
        return tuple(map(statistics.fmean, zip(*map(of, self.games), strict=True)))

    def _tables(
        self, of: Callable[[Game], Sequence[Sequence[int]]], names: Sequence[str]
    ) -> tuple[dict[str, float], ...]:
        return tuple(
            {name: statistics.fmean(row[k] for row in rows) for k, name in enumerate(names)}
            for rows in zip(*map(of, self.games), strict=True)
        )

    def to_json(self) -> str:
        """Return the games as a JSON object."""
        value = {
            "board": self.board,
            "players": self.players,
            "placement": self.placement,
            "seed": self.seed,
            "games": [game.to_row() for game in self.games],
        }
        return json.dumps(value)

    @classmethod
    def from_json(cls, text: str) -> Games:
        """Read what `to_json` writes."""
        value = json.loads(text)
        games = tuple(Game.from_row(row) for row in value["games"])
        return cls(value["board"], tuple(value["players"]), value["placement"], value["seed"], games)

    def table(self) -> str:
        """Return the games as plain text."""
        n, lines = len(self.games), [self.board, ""]
        lines.append(
            f"{'seat':6}{'player':20}{'wins':>24}{'points':>8}{'cards':>7}{'trades':>8}{'harbor':>8}{'robbed':>8}"
        )
        for seat, player in enumerate(self.players):
            trades, cards = self.trades[seat], sum(self.gained[seat].values())
            lines.append(
                f"{seat + 1:<6}{player:20}{self.wins[seat]!s:>24}{self.points[seat]:>8.2f}{cards:>7.1f}"
                f"{sum(trades.values()):>8.1f}{trades['3:1'] + trades['2:1']:>8.1f}{self.robbed[seat]:>8.1f}"
            )
        turns = sorted(game.turns for game in self.games)
        lines += [
            "",
            f"{n:,} games, {self.unfinished} not finished; settlements: {self.placement}; seed {self.seed}",
            f"turns        {turns[0]} to {turns[-1]}, median {statistics.median(turns):g}, "
            f"mean {statistics.fmean(turns):.1f} ({self.mean(lambda g: g.rounds):.1f} rounds)",
            f"closeness    the second is {self.mean(lambda g: g.margin):.2f} points behind on average",
            f"lead         changes {self.mean(lambda g: g.lead_changes):.2f} times a game"
            + _when(self.mean(lambda g: g.decided)),
        ]
        return "\n".join(lines)

    __str__ = table


def _when(decided: float | None) -> str:
    return "" if decided is None else f"; the winner takes it for good after {decided:.0%} of the game"
