"""The file of all played games: compressed CSV, the boards first, then the games."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, show_path


class Row(NamedTuple):
    """One game of the experiment.

    Attributes:
        arm, board: the arm's name, and the number of the board in it.
        seat: the seat that follows the arm's plan; 0 where none does.
        winner: the seat that won; 0 for nobody.
        turns, lead_changes, lead_taken: as of `catan_cp.play.Game`; 0 for no lead taken.
        points: of each seat, at the end.
    """

    arm: str
    board: int
    seat: int
    winner: int
    turns: int
    lead_changes: int
    lead_taken: int
    points: tuple[int, ...]

    @property
    def margin(self) -> int:
        """The most points less the second most."""
        first, second = sorted(self.points, reverse=True)[:2]
        return first - second


class Data(NamedTuple):
    """All games, and the boards that they were played on.

    Attributes:
        rows: the games.
        boards: per arm and number, the notation and the value that perfect players' settlements have for
            each seat.
    """

    rows: tuple[Row, ...]
    boards: dict[tuple[str, int], tuple[str, tuple[float, ...]]]

    def of(self, arm: str) -> dict[int, list[Row]]:
        """Return an arm's games by the number of the board."""
        found: dict[int, list[Row]] = {}
        for row in self.rows:
            if row.arm == arm:
                found.setdefault(row.board, []).append(row)
        return found

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms' names, in order."""
        return tuple(dict.fromkeys(row.arm for row in self.rows))


_COLUMNS = ("arm", "board", "seat", "winner", "turns", "lead_changes", "lead_taken", "points")


def pack(units: Sequence[dict[str, Any]]) -> bytes:
    """Return the units as compressed CSV: the boards first, then the games. Equal units give equal bytes."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("arm", "board", "notation", "values"))
    for unit in units:
        arm, number = unit["key"].rsplit("/", 1)
        table.writerow((arm, number, unit["board"], " ".join(f"{v:.6f}" for v in unit["values"])))
    table.writerow(())
    table.writerow(_COLUMNS)
    for unit in units:
        arm, number = unit["key"].rsplit("/", 1)
        for game in unit["games"]:
            table.writerow((arm, number, *game[:5], " ".join(map(str, game[5:]))))
    return gzip.compress(text.getvalue().encode(), mtime=0)


def unpack(data: bytes) -> Data:
    """Read what `pack` writes."""
    boards_text, _, games_text = gzip.decompress(data).decode().partition("\n\n")
    boards = {
        (row["arm"], int(row["board"])): (row["notation"], tuple(map(float, row["values"].split())))
        for row in csv.DictReader(io.StringIO(boards_text))
    }
    rows = []
    for row in csv.DictReader(io.StringIO(games_text)):
        numbers = [int(row[name]) for name in _COLUMNS[1:-1]]
        board, seat, winner, turns, changes, taken = numbers
        points = tuple(map(int, row["points"].split()))
        rows.append(Row(row["arm"], board, seat, winner, turns, changes, taken, points))
    return Data(tuple(rows), boards)


def read(file: Path) -> Data:
    """Read a file of games.

    Raises:
        InvalidArgument: it is none.
    """
    try:
        return unpack(file.read_bytes())
    except (OSError, EOFError, KeyError, ValueError) as error:
        raise InvalidArgument(f"{show_path(file)} is no file of played games: {error}") from None


def board_in(data: Data, arm: str, number: int) -> Board:
    """Return a board of the data."""
    return Board.from_notation(data.boards[arm, number][0])
