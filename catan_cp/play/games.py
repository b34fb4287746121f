"""Results of games on a board, as arrays. This module does not need the engine.

>>> low, high = wilson(30, 100)
>>> round(low, 3), round(high, 3)
(0.219, 0.396)
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from catan_cp.draw.style import default_settings, find_theme, whole_edges
from catan_cp.errors import InvalidArgument, amount, check_count, show
from catan_cp.files import import_extra
from catan_cp.play.tables import BASE_GAME, BOOK, KINDS, LARGE_SUPPLY, MOST_VERTICES, GameRules
from catan_cp.terminal import brief, html_table

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

RATES = ("4:1", "3:1", "2:1")
"""The rates of trade with the bank.

They are for trades without a harbor, at a harbor for all resources, and at a harbor for one resource.
"""

MOST_GAMES = 10_000_000
"""The maximum number of games of one board."""

_COLUMNS = "seat", "player", "wins", "points", "cards", "trades", "harbor", "robbed"

_Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score (1927).

    Returns:
        (0, 1) if n is 0.

    Raises:
        InvalidArgument: the arguments are not whole numbers with 0 <= successes <= n.
    """
    n = check_count("n", n)
    successes = check_count(f"a number of successes of {n}", successes, 0, n)
    if n == 0:
        return 0.0, 1.0
    share, z2 = successes / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def unfairness(wins: Sequence[int], n: int) -> float | None:
    """Return the sum over seats of (share of wins - equal share)², corrected for chance.

    Args:
        wins: the number of wins of each seat.
        n: the number of games, unfinished ones included.

    Returns:
        None for fewer than two games.
    """
    if n < 2:
        return None
    shares = [count / n for count in wins]
    noise = (sum(shares) - sum(share * share for share in shares)) / (n - 1)
    return sum((share - 1 / len(shares)) ** 2 for share in shares) - noise


@dataclass(frozen=True)
class Share:
    """A relative frequency: *count* of *n*, with Wilson's interval."""

    count: int
    n: int

    @property
    def value(self) -> float:
        """The share, or 0 if n is 0."""
        return self.count / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return wilson(self.count, self.n)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.1%} ({low:.1%} to {high:.1%})"


def row_type(seats: int) -> np.dtype[Any]:
    """Return the NumPy type of a row of `Games.rows`."""
    return np.dtype(
        [
            ("winner", "u1"),
            ("turns", "<u2"),
            ("lead_changes", "<u2"),
            ("lead_taken", "<u2"),
            ("points", "u1", (seats,)),
            ("robbed", "<u2", (seats,)),
            ("settlements", "u1", (seats, 2)),
            ("trades", "<u2", (seats, len(RATES))),
            ("gained", "<u2", (seats, len(KINDS))),
        ]
    )


Played = tuple[bytes, bytes]
"""A game: its row (`row_type`) and its history.

The history has the points of all seats after each round, one byte each, seat 1 first.
"""


@dataclass(frozen=True, repr=False)
class Games:
    """The games of one board. Two values are equal if all games are equal.

    Attributes:
        board: the board's notation.
        players: the players, seat 1 first.
        placement: the placement of the first settlements, as for `play_games`.
        seed: the seed. Game *i* depends only on the seed and on *i*.
        played: the stored data of each game, in order.
        rules: the variants of the rules of play.

    Example:
        >>> import catan_cp
        >>> games = catan_cp.play_games(catan_cp.LAYOUTS["base"].beginner_board, 2, seed=1)
        >>> len(games), games.players, games.placement
        (2, ('greedy', 'greedy', 'greedy', 'greedy'), 'free')
    """

    board: str
    players: tuple[str, ...]
    placement: str
    seed: int
    played: tuple[Played, ...]
    rules: GameRules = BASE_GAME

    @cached_property
    def rows(self) -> NDArray[Any]:
        """The games in order, a structured array.

        - ``winner``: the seat that won, from 1, or 0 without a winner within a thousand turns
        - ``turns``: number of turns, without the placement of the first settlements
        - ``lead_changes``: how often the lead passed to another seat. The seat with the most points at the
          end of a turn leads. If several seats have the most points, the one that led before still leads
        - ``lead_taken``: the turn in which the winner took the lead for good; 0 without a winner
        - ``points``: each seat's points at the end, hidden ones included
        - ``robbed``: per seat, how often the robber took a card from it
        - ``settlements``: per seat, the vertices of its first two settlements
        - ``trades``: per seat, the number of its trades with the bank at each of `RATES`
        - ``gained``: per seat, the cards that tiles yielded, by resource in the order of `KINDS`
        """
        return np.frombuffer(b"".join(row for row, _ in self.played), row_type(len(self.players)))

    @cached_property
    def history(self) -> bytes:
        """Points of all seats after each round as bytes, seat 1 first, game after game."""
        return b"".join(history for _, history in self.played)

    def __len__(self) -> int:
        return len(self.played)

    @property
    def unfinished(self) -> int:
        """The number of games without a winner after a thousand turns."""
        return int(np.sum(self.rows["winner"] == 0))

    @property
    def wins(self) -> tuple[Share, ...]:
        """The share of games won per seat, with unfinished games in the denominator."""
        counts = np.bincount(self.rows["winner"], minlength=len(self.players) + 1)
        return tuple(Share(int(count), len(self)) for count in counts[1:])

    @property
    def unfairness(self) -> float | None:
        """The sum over seats of (share of wins - equal share)², corrected for chance.

        None for fewer than two games. The correction subtracts the expected contribution of chance, which is
        (1 - sum of shares²) / (n - 1) if all games are won. The estimate is unbiased. If all seats are equal,
        it is below 0 about as often as above.
        """
        return unfairness([share.count for share in self.wins], len(self))

    @property
    def turns(self) -> float:
        """The mean length in turns."""
        return float(self.rows["turns"].mean())

    @property
    def margin(self) -> float:
        """The mean difference of the two highest final scores."""
        ordered = np.sort(self.rows["points"].astype(int), axis=1)
        return float((ordered[:, -1] - ordered[:, -2]).mean())

    @property
    def lead_changes(self) -> float:
        """The mean number of lead changes in a game."""
        return float(self.rows["lead_changes"].mean())

    @property
    def decided(self) -> float | None:
        """The mean part of a game played when the winner took the lead for good.

        None if no game has a winner.
        """
        won = self.rows[self.rows["winner"] > 0]
        return float((won["lead_taken"] / won["turns"]).mean()) if len(won) else None

    @property
    def points(self) -> tuple[float, ...]:
        """Per seat, the mean of its points at the end."""
        return tuple(self.rows["points"].mean(axis=0).tolist())

    @property
    def robbed(self) -> tuple[float, ...]:
        """Per seat, the mean number of cards that the robber took from it in a game."""
        return tuple(self.rows["robbed"].mean(axis=0).tolist())

    @property
    def gained(self) -> tuple[dict[str, float], ...]:
        """Mean cards of each resource from tiles, per seat and game."""
        return tuple(dict(zip(KINDS, row, strict=True)) for row in self.rows["gained"].mean(axis=0).tolist())

    @property
    def trades(self) -> tuple[dict[str, float], ...]:
        """Per seat, the mean number of its trades with the bank in a game, by rate.

        Rates below 4:1 use a harbor.
        """
        return tuple(dict(zip(RATES, row, strict=True)) for row in self.rows["trades"].mean(axis=0).tolist())

    def leads(self) -> list[tuple[float, ...]]:
        """Return each seat's mean points per round. Finished games keep their last points."""
        points = np.frombuffer(self.history, dtype=np.uint8).reshape(-1, len(self.players)).astype(np.int64)
        rounds = history_size(self.rows) // len(self.players)
        ends = np.cumsum(rounds)
        return [
            tuple(points[ends - rounds + np.minimum(r, rounds - 1)].mean(axis=0).tolist())
            for r in range(int(rounds.max(initial=0)))
        ]

    def to_json(self) -> str:
        """Return the games as a JSON object with compressed tables."""
        value = {name: getattr(self, name) for name in ("board", "players", "placement", "seed")}
        return json.dumps(value | {"rules": asdict(self.rules)} | packed(self.played))

    @classmethod
    def from_json(cls, text: str) -> Games:
        """Parse the output of `to_json`.

        Raises:
            InvalidArgument: *text* is not such an output.
        """
        try:
            value = json.loads(text)
            words, seed = (value["board"], *value["players"], value["placement"]), value["seed"]
            if len(words) == 2 or {*map(type, words)} != {str} or type(seed) is not int:
                raise ValueError
            rules = GameRules(**value["rules"])
            played = unpacked(value, len(words) - 2, MOST_GAMES, rules)
            return cls(words[0], words[1:-1], words[-1], seed, played, rules)
        except NO_GAMES:
            raise InvalidArgument(f"text must be the output of Games.to_json, not {show(text)}") from None

    def __repr__(self) -> str:
        start = {"board": self.board, "players": self.players, "seed": self.seed}
        return brief("Games", {**start, "games": len(self)})

    def _repr_html_(self) -> str:
        return html_table(self._seats(), _COLUMNS, f"{amount(len(self), 'game')} on {self.board}")

    def _seats(self) -> Iterator[tuple[object, ...]]:
        """Yield the row of each seat, with the columns `_COLUMNS`."""
        if len(self):
            for seat, player in enumerate(self.players):
                trades, cards = self.trades[seat], sum(self.gained[seat].values())
                figures = cards, sum(trades.values()), trades["3:1"] + trades["2:1"], self.robbed[seat]
                points = f"{self.points[seat]:.2f}"
                yield seat + 1, player, self.wins[seat], points, *(f"{figure:.1f}" for figure in figures)

    def plot(self, ax: Axes | None = None, *, theme: str = "light") -> Figure | SubFigure:
        """Plot wins by seat, lengths, and points by round (`catan_cp.play.plot_games`)."""
        return plot_games(self, ax, theme=theme)

    def to_frame(self, *, drop_empty: bool = False) -> pandas.DataFrame:
        """Return the games as a pandas DataFrame, one row per game, numbered from 1.

        Its columns are those of `rows`. Columns per seat end in the number of the seat, as in ``points_1``.
        Needs pandas, which the extra ``frame`` installs.

        Args:
            drop_empty: leave out columns that are 0 in all games.

        Raises:
            CatanError: pandas is missing.
        """
        columns: dict[str, NDArray[Any]] = {}
        kinds = {"settlements": ("first", "second"), "trades": RATES, "gained": KINDS}
        for name in self.rows.dtype.names or ():
            cells = self.rows[name].reshape(len(self), -1)
            names = [f"{name}_{kind}" for kind in kinds.get(name, ())] or [name]
            if self.rows[name].ndim > 1:
                names = [f"{kind}_{seat + 1}" for seat in range(len(self.players)) for kind in names]
            filled = [not drop_empty or column.any() for column in cells.T]
            columns |= {key: column for key, column, keep in zip(names, cells.T, filled, strict=True) if keep}
        frame: pandas.DataFrame = import_extra("pandas", "a DataFrame").DataFrame(columns)
        return frame.set_axis(range(1, len(self) + 1)).rename_axis("game")

    def table(self) -> str:
        """Return the games as plain text."""
        lines = [self.board, ""]
        for seat, player, *figures in (_COLUMNS, *self._seats()):
            widths = (24, 8, 7, 8, 8, 8)
            texts = [f"{figure!s:>{width}}" for figure, width in zip(figures, widths, strict=True)]
            lines.append(f"{seat:<6}{player:20}" + "".join(texts))
        turns, decided = self.rows["turns"], self.decided
        rounds = np.mean(-(-turns.astype(int) // len(self.players)))
        taken_after = (
            "" if decided is None else f"; the winner takes it for good after {decided:.0%} of the game"
        )
        length = f"{turns.min()} to {turns.max()}, median {np.median(turns):g}, mean {self.turns:.1f}"
        return "\n".join(lines) + (
            f"\n\n{amount(len(self), 'game')}, {self.unfinished} not finished; "
            f"settlements: {self.placement}; seed {self.seed}\n"
            + ("" if self.rules == BASE_GAME else f"rules        {self.rules}\n")
            + f"turns        {length} ({rounds:.1f} rounds)\n"
            f"closeness    the second is {self.margin:.2f} points behind on average\n"
            f"lead         changes {self.lead_changes:.2f} times a game{taken_after}"
        )

    __str__ = table


NO_GAMES = (ValueError, LookupError, TypeError, RecursionError, zlib.error)
"""The exceptions of parsing JSON and of `unpacked` for invalid games."""


def history_size(rows: Any) -> Any:
    """Return the number of bytes of history of one or more games, one per seat and round."""
    seats = rows["points"].shape[-1]
    return -(-rows["turns"].astype(int) // seats) * seats


def packed(played: Sequence[Played]) -> dict[str, str]:
    """Return the rows and the histories of games as compressed text."""
    return {
        name: base64.b85encode(zlib.compress(b"".join(game[k] for game in played))).decode()
        for k, name in enumerate(("rows", "history"))
    }


def unpacked(
    value: Mapping[str, Any], seats: int, most: int, rules: GameRules = BASE_GAME
) -> tuple[Played, ...]:
    """Return the games that `packed` compressed, at most *most* of them.

    Raises:
        ValueError: there are more games, impossible values, or the history of other games. Other errors of
            `NO_GAMES` are possible too.
    """
    kind = row_type(seats)
    rows = np.frombuffer(_inflated(value["rows"], most * kind.itemsize), kind)
    ends = [0, *np.cumsum(history_size(rows)).tolist()]
    history = _inflated(value["history"], ends[-1])
    if len(history) != ends[-1] or not _are_possible(rows, history, ends, rules):
        raise ValueError
    return tuple((row.tobytes(), history[a:b]) for row, (a, b) in zip(rows, pairwise(ends), strict=True))


def _inflated(text: str, most: int) -> bytes:
    """Return the decompressed bytes, at most *most* of them."""
    stream = zlib.decompressobj()
    data = stream.decompress(base64.b85decode(text), most + 1)
    if len(data) > most or not stream.eof:
        raise ValueError
    return data


def _are_possible(rows: Any, history: bytes, ends: Sequence[int], rules: GameRules) -> bool:
    """Test whether games by the rules can have these values and this history."""
    seats, winner, turns = rows["points"].shape[1], rows["winner"], rows["turns"].astype(int)
    parts = 1 + rules.paired_players  # of a turn
    won, placed = winner > 0, np.sort(rows["settlements"].reshape(len(rows), -1), axis=1)
    if not (np.all(winner <= seats) and np.all(turns >= 1) and np.all(turns <= BOOK.most_turns)):
        return False
    last = np.array(ends[1:], dtype=int)[:, None] + np.arange(-seats, 0)
    winners = np.take_along_axis(rows["points"], np.maximum(winner, 1)[:, None].astype(int) - 1, axis=1)[:, 0]
    possible = [
        np.where(won, winners >= rules.points, turns == BOOK.most_turns),
        np.where(won, (rows["lead_taken"] >= 1) & (rows["lead_taken"] <= turns), rows["lead_taken"] == 0),
        rows["lead_changes"] <= turns,
        (np.frombuffer(history, np.uint8)[last] == rows["points"]).all(axis=1),
        (np.diff(placed.astype(int), axis=1) > 0).all(axis=1) & (placed[:, -1] < MOST_VERTICES),
        rows["robbed"].sum(axis=1) <= (1 + parts) * turns,  # by a seven, and by a knight in each part
        rows["trades"].sum(axis=(1, 2)) <= parts * BOOK.most_actions * turns,
        (rows["gained"].sum(axis=1) <= LARGE_SUPPLY * (turns[:, None] + 1)).all(axis=1),
    ]
    return bool(np.all(possible))


@default_settings()
def plot_games(games: Games, ax: Axes | None = None, *, theme: str = "light") -> Figure | SubFigure:
    """Plot the games of a board: wins by seat, lengths, and points by round.

    Wins have 95 % intervals.

    Args:
        games: a result of `catan_cp.play_games`.
        ax: as in `catan_cp.plot_gallery`.
        theme: as in `catan_cp.plot_board`.

    Raises:
        InvalidArgument: *games* has no games, *ax* is not axes, or the theme is unknown.
    """
    from catan_cp.draw.picture import dress, legend, panels

    look = find_theme(theme)
    if not isinstance(games, Games) or not len(games):
        raise InvalidArgument(f"games must be one or more games that were played, not {show(games)}")
    picture, [[wins, lengths, leads]] = panels(ax, (12.0, 3.2), 1, 3, look)
    rows, seats = games.leads(), range(1, len(games.players) + 1)
    titles = "wins by seat", "length in turns", "points after each round"
    for panel, title in zip((wins, lengths, leads), titles, strict=True):
        dress(panel, look, title)
    for seat, share in zip(seats, games.wins, strict=True):
        color = look.series[(seat - 1) % len(look.series)]
        interval = [100 * end for end in share.interval]
        wins.plot([seat, seat], interval, color=color, linewidth=3, solid_capstyle="round")
        wins.plot([seat], [100 * share.value], "o", color=color, markersize=8)
        points = [row[seat - 1] for row in rows]
        leads.plot(range(1, len(rows) + 1), points, color=color, label=f"seat {seat}")
    wins.axhline(100 / len(seats), color=look.text, linewidth=1, linestyle="--")
    wins.set_xticks(list(seats), [f"{s}\n{name}" for s, name in zip(seats, games.players, strict=True)])
    wins.set_xlim(0.5, len(seats) + 0.5)
    wins.set_ylabel("% of games", fontsize=9.0)
    turns = games.rows["turns"]
    edges = whole_edges(int(turns.min()), int(turns.max()))
    lengths.hist(turns, bins=edges, color=look.series[0], alpha=0.7)
    lengths.set_ylabel("games", fontsize=9.0)
    legend(leads, look)
    return picture
