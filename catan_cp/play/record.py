"""A file of games that grows while they are played: one line of JSON for what they are, then one a game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from catan_cp import __version__
from catan_cp.errors import InvalidArgument, show_path
from catan_cp.play.games import Game, Games


class Record:
    """The games that a file has, and more as they come. Without a file, in memory alone.

    Attributes:
        games: by number.

    Raises:
        InvalidArgument: the file holds something else, or games of other players, boards, seeds or versions.
    """

    def __init__(self, file: str | Path | None, kind: Games, engine: str) -> None:
        self._path = None if file is None else Path(file)
        self._header = {
            "board": kind.board,
            "players": list(kind.players),
            "placement": kind.placement,
            "seed": kind.seed,
            "catan_cp": __version__,
            "catanatron": engine,
        }
        self.games: dict[int, Game] = {}
        self._open: IO[bytes] | None = None
        self._whole = 0
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def _read(self, path: Path) -> None:
        data = path.read_bytes()
        self._whole = data.rfind(b"\n") + 1  # what follows was being written when the process was killed
        lines = data[: self._whole].splitlines()
        if not lines:
            if data:
                raise InvalidArgument(f"{show_path(path)} holds no games; choose another name")
            return
        try:
            header: Any = json.loads(lines[0])
            rows: list[Any] = [json.loads(line) for line in lines[1:]]
            self.games = {row.pop("number"): Game.from_row(row) for row in rows}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InvalidArgument(f"{show_path(path)} holds no games; choose another name") from None
        if header != self._header:
            other = [
                key
                for key in self._header
                if not isinstance(header, dict) or header.get(key) != self._header[key]
            ]
            raise InvalidArgument(
                f"{show_path(path)} holds other games: another {', '.join(other)}; choose another name"
            )

    def __enter__(self) -> Record:
        if self._path is not None:
            self._open = self._path.open("ab")
            self._open.truncate(self._whole)
            if not self._whole:
                self._write([self._header])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._open is not None:
            self._open.close()

    def add(self, numbers: Sequence[int], games: Sequence[Game]) -> None:
        """Keep these games, by their numbers."""
        self.games.update(zip(numbers, games, strict=True))
        if self._open is not None:
            self._write(
                [{"number": number, **game.to_row()} for number, game in zip(numbers, games, strict=True)]
            )

    def _write(self, rows: Sequence[dict[str, Any]]) -> None:
        assert self._open is not None
        self._open.write("".join(json.dumps(row) + "\n" for row in rows).encode())
        self._open.flush()
