"""Results of a tournament, standings with published tie-breaks, and the seeding of a playoff.

>>> from catan_cp import plan_tournament
>>> tournament = plan_tournament(3, 1, names=["Ann", "Bob", "Cem"], seed=1)
>>> results = Results(tournament).read('''round,table,player,points
... 1,1,Ann,10
... 1,1,Bob,7
... 1,1,Cem,7''')
>>> print(results.standings("catan"))
    player  games  wins  points  percent
1   Ann         1     1      10   41.7 %
2=  Bob         1     0       7   29.2 %
2=  Cem         1     0       7   29.2 %
<BLANKLINE>
tied: Bob, Cem
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby, islice
from operator import mul
from typing import NamedTuple

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import (
    InvalidArgument,
    amount,
    check_choice,
    check_count,
    check_kind,
    listed,
    random_source,
    show,
)
from catan_cp.files import csv_cell, write_csv
from catan_cp.rules.rules import Rules, read_asked
from catan_cp.terminal import aligned
from catan_cp.tournament.planning import Player, Round, Tournament, checked_maps, checked_names, make_maps

COLUMNS = ("round", "table", "player", "points", "rank")
"""Columns of a file of results. The last one is optional."""
_LEAST = 2  # points of the two first settlements
_MORE = 2
"""Points that a winner can have beyond the goal: with 9, a settlement that also takes the longest road."""


_Key = tuple[int, int]  # numbers of round and table from 1
_Cells = dict[Player, tuple[int | None, int | None]]  # points and rank of a player, None if empty


@dataclass(frozen=True)
class Score:
    """Result of one player in one game.

    Attributes:
        player: the player.
        points: the victory points.
        rank: the rank at the table from 1. Players can share a rank, but not the first.
    """

    player: Player
    points: int
    rank: int


class _Game(NamedTuple):
    """Game of one player: points, rank, best points of a lower rank, and the sum of all points."""

    points: int
    rank: int
    lower: int
    total: int


def _share(games: Sequence[_Game]) -> Fraction:
    """Return the least percentage that the next player reached in a game with the best rank."""
    best = min(game.rank for game in games)
    return min(Fraction(100 * game.lower, game.points) for game in games if game.rank == best)


_CRITERIA: dict[str, tuple[int, Callable[[Sequence[_Game]], int | Fraction]]] = {
    "wins": (1, lambda games: sum(game.rank == 1 for game in games)),
    "seconds": (1, lambda games: sum(game.rank == 2 for game in games)),
    "points": (1, lambda games: sum(game.points for game in games)),
    "finish": (-1, lambda games: min(game.rank for game in games)),
    "share": (-1, _share),
    "percent": (1, lambda games: sum(Fraction(100 * game.points, game.total) for game in games)),
}
"""Criteria of standings: 1 if the largest value is best, -1 if the smallest is, and the function."""

MEANINGS = {
    "finish": "the best rank in a game",
    "share": "points of the next player in that game, in percent of the player's (fewer is better)",
    "percent": "the player's percent of all points at each table, added up",
}
"""Explanations of criteria on the printed standings."""

TIE_BREAKS: dict[str, tuple[str, ...]] = {
    "wbc": ("wins", "points", "finish", "share"),
    "catan": ("wins", "points", "percent"),
}
"""Published lists of criteria: the World Boardgaming Championships, and the Catan world championships."""


@dataclass(frozen=True)
class Standing:
    """Line of standings.

    Attributes:
        rank: the rank from 1. Tied players share it.
        player: the player.
        games: the number of games.
        values: the exact value of each criterion. A lot counts from 1, and is 0 for a player without one.
        present: False if the player has left the tournament.
    """

    rank: int
    player: Player
    games: int
    values: tuple[int | Fraction, ...]
    present: bool = True


@dataclass(frozen=True)
class Standings:
    """Players by rank, made by `Results.standings`.

    Attributes:
        criteria: the names of the criteria, the most important first. The last is ``lot`` if lots were drawn.
        lines: the players with a result. Tied players are in alphabetical order.
    """

    criteria: tuple[str, ...]
    lines: tuple[Standing, ...]

    @property
    def ties(self) -> tuple[tuple[Player, ...], ...]:
        """Groups of players whom no criterion separates."""
        groups = (
            tuple(line.player for line in group) for _, group in groupby(self.lines, lambda line: line.rank)
        )
        return tuple(group for group in groups if len(group) > 1)

    def top(self, n: int | None = None) -> tuple[Player, ...]:
        """Return the best *n* players who are still present, as seeds of `plan_playoff`.

        Args:
            n: the number of players. The default is 16 from 29 players on, otherwise 4, as in the
                rules of the Catan championships.

        Raises:
            InvalidArgument: there are fewer players, or players with one of these ranks are tied.
        """
        lines = [line for line in self.lines if line.present]
        n = check_count("n", (16 if len(self.lines) >= 29 else 4) if n is None else n, 1)
        if n > len(lines):
            raise InvalidArgument(f"n must be at most {len(lines)}, the number of ranked players, not {n}")
        groups = [[line.player for line in group] for _, group in groupby(lines, lambda line: line.rank)]
        ties = [
            listed(group)
            for k, group in enumerate(groups)
            if len(group) > 1 and sum(map(len, groups[:k])) < n
        ]
        if ties:
            raise InvalidArgument(
                f"these players are tied: {'; '.join(ties)}; give the order of their lots as lots"
            )
        return tuple(line.player for line in lines[:n])

    def rows(self) -> list[tuple[str, ...]]:
        """Return the standings as rows of text, the head first."""
        tied = {player for group in self.ties for player in group}
        rows = [("", "player", "games", *self.criteria)]
        for line in self.lines:
            values = [str(v) if isinstance(v, int) else f"{float(v):.1f} %" for v in line.values]
            if self.criteria[-1] == "lot" and values[-1] == "0":
                values[-1] = ""
            name = f"{line.player}{'' if line.present else ' (left)'}"
            rows.append((f"{line.rank}{'=' * (line.player in tied)}", name, str(line.games), *values))
        return rows

    def table(self) -> str:
        """Return the standings as plain text, with the ties below."""
        ties = [f"tied: {', '.join(map(str, group))}" for group in self.ties]
        return "\n".join([*aligned(self.rows(), 2), *([""] if ties else []), *ties])

    __str__ = table


@dataclass(frozen=True)
class Results:
    """Results of a tournament's games, or of none.

    Without results, `to_csv` is a template to fill in.

    Attributes:
        tournament: the tournament, after late changes the latest plan.
        tables: the scores of each game in the order of play, by numbers of round and table from 1.
    """

    tournament: Tournament
    tables: Mapping[tuple[int, int], tuple[Score, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        games = _games(check_kind("results belong to a Tournament", self.tournament, Tournament))
        for game, scores in self.tables.items():
            if games.get(game) != tuple(score.player for score in scores):
                raise InvalidArgument(f"table {game[1]} of round {game[0]} has other players in this plan")

    @property
    def missing(self) -> tuple[tuple[int, int], ...]:
        """Numbers of round and table of all games without a result."""
        return tuple(game for game in _games(self.tournament) if game not in self.tables)

    @property
    def players(self) -> tuple[Player, ...]:
        """All players of the tournament's rounds, also those who have left."""
        return tuple(dict.fromkeys(player for table in _games(self.tournament).values() for player in table))

    def to_csv(self) -> str:
        """Return all games as CSV, with empty cells where results are missing.

        The columns are `COLUMNS`.
        """
        rows: list[tuple[object, ...]] = [COLUMNS]
        for game, players in _games(self.tournament).items():
            scores = self.tables.get(game)
            cells = [(s.points, s.rank) for s in scores] if scores else [("", "")] * len(players)
            rows += [(*game, player, *cell) for player, cell in zip(players, cells, strict=True)]
        text = io.StringIO()
        write_csv(text, rows)
        return text.getvalue()

    def read(self, text: str, *, goal: int = 10) -> Results:
        """Return these results with the games of a CSV text, which replace earlier ones.

        The columns are `COLUMNS`, separated by commas or semicolons. Games without any points are skipped.
        Ranks can be empty, unless two players share the most points.

        Args:
            text: the CSV, such as `to_csv` writes.
            goal: the points that win. Games that were stopped can end with fewer.

        Raises:
            InvalidArgument: the text is invalid. The message has the line.
        """
        goal = check_count("goal", goal, 3, 99)
        games, cells, lines = _games(self.tournament), dict[_Key, _Cells](), dict[_Key, int]()
        head, line = check_kind("results are text", text, str).partition("\n")[0].strip(), 1
        delimiter = ";" if ";" in head else ","
        if tuple(cell.strip(' "').lower() for cell in head.split(delimiter)) not in (COLUMNS, COLUMNS[:4]):
            raise InvalidArgument(f"line 1 of the results must be {','.join(COLUMNS)}, not {show(head)}")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        read = dict[_Key, tuple[Score, ...]]()
        try:
            for row in islice(reader, 1, None):
                line = reader.line_num
                if any(cell.strip() for cell in row):
                    lines[_take([csv_cell(cell.strip()) for cell in row], games, cells)] = line
            for game, entries in cells.items():
                line = lines[game]
                if any(cell is not None for pair in entries.values() for cell in pair):
                    read[game] = _scores(games[game], entries, goal)
        except (csv.Error, InvalidArgument) as error:
            line = reader.line_num if isinstance(error, csv.Error) else line
            raise InvalidArgument(f"line {line} of the results: {error}") from None
        return Results(self.tournament, {**self.tables, **read})

    def enter(self, round_: int, table: int, points: Sequence[object], *, goal: int = 10) -> Results:
        """Return these results with the points of one game, in the order of play.

        Raises:
            InvalidArgument: there is no such game, or the points are invalid.
        """
        rounds = self.tournament.rounds
        tables = rounds[check_count("round", round_, 1, len(rounds)) - 1].tables
        players = tables[check_count("table", table, 1, len(tables)) - 1]
        if isinstance(points, str) or not isinstance(points, Sequence) or len(points) != len(players):
            raise InvalidArgument(f"points must be {len(players)} numbers, not {show(points)}")
        text = io.StringIO()
        write_csv(text, [COLUMNS[:4], *((round_, table, *row) for row in zip(players, points, strict=True))])
        return self.read(text.getvalue(), goal=goal)

    def standings(self, tie_breaks: str | Sequence[str] = "wbc", *, lots: Sequence[Player] = ()) -> Standings:
        """Return the standings of all games with a result.

        Args:
            tie_breaks: ``"wbc"`` (World Boardgaming Championships: wins, points, best finish, share of the
                next player's score in it), ``"catan"`` (world championships: wins, points, sum of the
                percentages of the points at each table), or a list of criteria: wins, seconds, points,
                finish, share, percent.
            lots: tied players in the order of their lots. All players of a tie must be in it, or none.

        Raises:
            InvalidArgument: a criterion or a player is unknown, or a tie is only partly in *lots*.
        """
        names = tie_breaks
        if isinstance(names, str):
            names = TIE_BREAKS[check_choice("tie_breaks", names, TIE_BREAKS)]
        for name, value in (("tie_breaks", names), ("lots", lots)):
            if isinstance(value, str) or not isinstance(value, Sequence):
                raise InvalidArgument(f"{name} must be a list, not {show(value)}")
        criteria = tuple(check_choice("a criterion", name, _CRITERIA) for name in names)
        games = self._by_player()
        values = {player: tuple(_CRITERIA[name][1](games[player]) for name in criteria) for player in games}
        signs = [-_CRITERIA[name][0] for name in criteria]
        keys = {p: tuple(map(mul, signs, row)) for p, row in values.items()}
        if unknown := [player for player in lots if player not in [*keys] or [*lots].count(player) > 1]:
            raise InvalidArgument(f"lots must name players with a result once, not {show(unknown[0])}")
        places = {player: place for place, player in enumerate(lots)}
        for _, group in groupby(sorted(keys, key=keys.__getitem__), keys.__getitem__):
            tied = {*group}
            if places.keys() & tied and tied - places.keys():
                raise InvalidArgument(
                    f"lots must have all tied players or none: {listed(sorted(tied, key=str))}"
                )
        if lots:
            criteria = (*criteria, "lot")
            values = {player: (*row, places.get(player, -1) + 1) for player, row in values.items()}
        order = sorted(keys, key=lambda player: (keys[player], places.get(player, 0), str(player)))
        lines = list[Standing]()
        for n, player in enumerate(order, start=1):
            same = lines and keys[player] == keys[order[n - 2]] and player not in places
            rank, present = lines[-1].rank if same else n, player in self.tournament.players
            lines.append(Standing(rank, player, len(games[player]), values[player], present))
        return Standings(criteria, tuple(lines))

    def winners(self) -> tuple[Player, ...]:
        """Return the winners of the last round in the order of the tournament's players.

        They are the seeds of a playoff.

        Raises:
            InvalidArgument: a game of the last round has no result.
        """
        last = len(self.tournament.rounds)
        if missing := [table for number, table in self.missing if number == last]:
            raise InvalidArgument(f"table {missing[0]} of round {last} has no result; enter it first")
        scores = [s for game, table in self.tables.items() if game[0] == last for s in table]
        winners = {score.player for score in scores if score.rank == 1}
        return tuple(player for player in self.tournament.players if player in winners)

    def _by_player(self) -> dict[Player, list[_Game]]:
        """Return the games of each player with a result."""
        games = dict[Player, list[_Game]]()
        for table in (self.tables[game] for game in _games(self.tournament) if game in self.tables):
            total = sum(score.points for score in table)
            for score in table:
                lower = max(
                    (other.points for other in table if other.rank > score.rank), default=score.points
                )
                games.setdefault(score.player, []).append(_Game(score.points, score.rank, lower, total))
        return games


def plan_playoff(
    seeds: Sequence[Player],
    *,
    rules: str | Rules = "tournament",
    layout: str | Layout = "base",
    seed: int | None = None,
    board: Board | None = None,
) -> Tournament:
    """Return one round for the best players of a tournament: a semi-final or a final.

    The four tables of a semi-final have seeds 1-8-9-16, 2-7-10-15, 3-6-11-14 and 4-5-12-13. If up to four of
    the last seeds are missing, the highest seeds play at tables of three. At each table, players choose their
    place in the order of their seeds.

    Args:
        seeds: 12 to 16 players for a semi-final, or 3 or 4 for a final, the best first: `Standings.top` or
            `Results.winners`.
        rules: the rules of the map.
        layout: the layout of the map.
        seed: any whole number.
        board: the map. By default an even map is searched, as by `plan_tournament`.

    Raises:
        CatanError: there is another number of seeds, or as `plan_tournament` raises.
    """
    players = checked_names(seeds)
    if len(players) not in (3, 4, *range(12, 17)):
        raise InvalidArgument(f"seeds must be 12 to 16 players, or 3 or 4 for a final, not {len(players)}")
    tables = [players]
    if len(players) > 4:
        tables = [tuple(players[k] for k in (t, 7 - t, 8 + t, 15 - t) if k < len(players)) for t in range(4)]
    rules, layout = read_asked(rules, layout)
    sizes = {*map(len, tables)}
    maps = [] if board is None else checked_maps([board], 1, sizes)
    maps = maps or make_maps(1, sizes, rules, layout, random_source(seed).getrandbits(32))
    return Tournament(players, (Round(maps[0], tuple(tables)),), (0, 0), (0, 0), models=rules.models)


# Reading


def _games(tournament: Tournament) -> dict[_Key, tuple[Player, ...]]:
    """Return the players of each game by numbers of round and table."""
    return {
        (r, t): table
        for r, round_ in enumerate(tournament.rounds, start=1)
        for t, table in enumerate(round_.tables, start=1)
    }


def _take(row: Sequence[str], games: Mapping[_Key, Sequence[Player]], cells: dict[_Key, _Cells]) -> _Key:
    """Add one line to *cells*, and return its game."""
    if len(row) not in (4, 5):
        raise InvalidArgument(f"it has {amount(len(row), 'cell')}; write {', '.join(COLUMNS)}")
    round_, table, points, rank = (_number(row[k]) if k < len(row) else None for k in (0, 1, 3, 4))
    game = (round_ or 0, table or 0)
    if game not in games:
        raise InvalidArgument(f"the plan has no round {show(row[0])} with a table {show(row[1])}")
    by_name = {str(player): player for player in games[game]}
    player = by_name.get(" ".join(row[2].split()))
    if player is None:
        raise InvalidArgument(f"{show(row[2])} is not at this table; its players are {listed(by_name)}")
    entries = cells.setdefault(game, {})
    if player in entries:
        raise InvalidArgument(f"{show(row[2])} has two results in one game; keep one line")
    entries[player] = points, rank
    return game


def _number(cell: str) -> int | None:
    """Return the whole number in a cell, None if it is empty."""
    if not cell:
        return None
    if not (cell.isascii() and cell.isdecimal() and len(cell) < 4):
        raise InvalidArgument(f"{show(cell)} is not a whole number from 0 to 999")
    return int(cell)


def _scores(players: Sequence[Player], entries: _Cells, goal: int) -> tuple[Score, ...]:
    """Return the checked scores of one game in the order of play."""
    if missing := [player for player in players if entries.get(player, (None,))[0] is None]:
        raise InvalidArgument(
            f"{show(missing[0])} has no points; give points for the whole table or for nobody"
        )
    points = [entries[player][0] or 0 for player in players]
    if wrong := [n for n in points if not _LEAST <= n <= goal + _MORE]:
        raise InvalidArgument(f"points must be {_LEAST} to {goal + _MORE}, not {wrong[0]}")
    ranks = [entries[player][1] for player in players]
    if ranks == [None] * len(players):
        ranks = [1 + sum(rival > n for rival in points) for n in points]
        if ranks.count(1) > 1 or sorted(points)[-2] >= goal:
            raise InvalidArgument("the points do not show one winner; give the ranks of this table")
    scores = [Score(*cells) for cells in zip(players, points, (rank or 0 for rank in ranks), strict=True)]
    for score in scores:
        better = [rival for rival in scores if rival.rank < score.rank]
        if score.rank != len(better) + 1 or [s.rank for s in scores].count(1) != 1:
            raise InvalidArgument(
                f"ranks must count from 1 with one winner, not {listed(r or 0 for r in ranks)}"
            )
        for rival in better:  # a winner on turn can have fewer points than a player who also reached the goal
            if rival.points < score.points and not (rival.rank == 1 and rival.points >= goal):
                raise InvalidArgument(
                    f"{show(score.player)} has more points than {show(rival.player)}, but a lower rank"
                )
    return tuple(scores)
