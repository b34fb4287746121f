"""Rules that tie markers to the terrain: how many each terrain has, and boards drawn by these weights.

Terrains that rotations and mirrors turn into each other have as many markers each, so one of every *class* is
counted. Each count is kept in a file as soon as it is known, so nothing is lost where the work is stopped,
and the next call goes on from there. For the preset ``optimal`` on ``base`` all counts come with the package,
as computed by ``python -m catan_cp.counting.weights``; tests hold a sample of them against solvers.
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from catan_cp.boards.layout import LAYOUTS, Layout
from catan_cp.boards.pieces import TERRAINS
from catan_cp.counting.columns import Budget
from catan_cp.counting.diagram import Pieces, Progress
from catan_cp.counting.marker_search import MarkerSearch, can_search, searched_space
from catan_cp.counting.markers import ListedMarkers, marker_turns, numbered
from catan_cp.counting.terrains import first_of_class, terrain_space, turns_of
from catan_cp.errors import InvalidArgument, show_path
from catan_cp.files import write_whole
from catan_cp.rules.rules import Rules, about
from catan_cp.workers import share_out

LISTED_MOST = 5_000_000
"""The most terrains whose markers are counted one by one."""

KEPT_BYTES = 64 << 20
"""The memory of the markers that are kept for terrains asked for again and again."""

SEARCHED_MOST = 3
"""The most ranks of one terrain that are searched for one by one before all its markers are listed and kept.

A search for one rank passes half of the markers on average, so a list costs as much as two of them.
"""

SHIPPED = "optimal_markers.json"


@dataclass(frozen=True)
class WeightedTerrains:
    """Boards whose number of markers depends on the terrain: a block for `BoardSpace`.

    Attributes:
        codes: the terrains, in the order of their ranks.
        weights: how many markers each has.
        rules: the rules.
        layout: the layout.
    """

    codes: Pieces
    weights: NDArray[np.int64]
    rules: Rules
    layout: Layout
    at_once: ClassVar[int] = 8

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.weights, dtype=np.int64)

    @property
    def total(self) -> int:
        """How many there are."""
        return int(self._ends[-1]) if len(self.weights) else 0

    def unrank(self, ranks: Sequence[int]) -> tuple[Pieces, Pieces]:
        """Return terrain codes and markers of these ranks, each of shape (ranks, tiles)."""
        wanted = np.array(ranks, dtype=np.int64)
        which = np.searchsorted(self._ends, wanted, side="right")
        inside = wanted - (self._ends[which] - self.weights[which])
        codes = self.codes[which]
        markers = np.zeros_like(codes)
        for terrain in np.unique(which).tolist():
            rows = np.flatnonzero(which == terrain)
            numbers = np.zeros_like(codes[rows])
            numbers[numbered(codes[rows], self.layout)] = self._markers(
                terrain, inside[rows].tolist()
            ).ravel()
            markers[rows] = numbers
        return codes, markers

    def markers_of(self, terrain: int) -> Pieces:
        """Return all markers of the numbered tiles of one terrain, by its number, in their order."""
        return self._space(terrain).unrank(range(int(self.weights[terrain])))

    def _markers(self, terrain: int, ranks: Sequence[int]) -> Pieces:
        """Return the markers of these ranks on one terrain; where many are asked for, all are kept.

        Which way they are found makes no difference to what they are.
        """
        rows = self._kept.pop(terrain, None)
        if rows is None:
            self._asked[terrain] += len(ranks)
            n_bytes = int(self.weights[terrain]) * self.layout.n_tiles
            if self._asked[terrain] <= SEARCHED_MOST or n_bytes > KEPT_BYTES:
                return self._space(terrain).unrank(ranks)
            rows = self.markers_of(terrain)
        self._kept[terrain] = rows  # the last: what was used longest ago goes first
        while sum(kept.nbytes for kept in self._kept.values()) > KEPT_BYTES:
            del self._kept[next(iter(self._kept))]
        return rows[list(ranks)]

    @cached_property
    def _kept(self) -> dict[int, Pieces]:
        return {}

    @cached_property
    def _asked(self) -> Counter[int]:
        """How many ranks of each terrain were asked for so far."""
        return Counter()

    def _space(self, terrain: int) -> MarkerSearch | ListedMarkers:
        names = [TERRAINS[code - 1] for code in self.codes[terrain].tolist()]
        return searched_space(names, self.rules, self.layout)

    def ranks(self, codes: Pieces, markers: Pieces) -> list[int]:
        """Return the rank in the block of each of these boards, -1 for those that are not in it."""
        found = []
        on_tiles = numbered(codes, self.layout)
        fit = (on_tiles == (markers > 0)).all(axis=1)
        for row, terrain in enumerate(codes):
            which = self._index.get(terrain.tobytes(), -1) if fit[row] else -1
            inside = -1 if which < 0 else self._space(which).rank(markers[row][None, on_tiles[row]])[0]
            found.append(-1 if inside < 0 else int(self._ends[which] - self.weights[which]) + inside)
        return found

    @cached_property
    def _index(self) -> dict[bytes, int]:
        return {row.tobytes(): number for number, row in enumerate(self.codes)}


def marker_weights(
    codes: Pieces,
    rules: Rules,
    layout: Layout,
    *,
    store: str | PathLike[str] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Return how many markers each of these terrains has under *rules*.

    Args:
        codes: the terrains.
        rules: the rules; only those about markers count.
        layout: the layout.
        store: a file that keeps what has been counted; created where it is missing.
        workers: how many processes count.
        progress: called with the classes counted and the classes in all.
    """
    firsts = first_of_class(codes, marker_turns(rules, layout))
    classes, inverse = np.unique(firsts, axis=0, return_inverse=True)
    known = shipped_counts(rules, layout)
    counts = np.array([known.get(row.tobytes(), -1) for row in classes], dtype=np.int64)
    if (counts < 0).any():
        _count_missing(classes, counts, rules, layout, store, workers, progress)
    return counts[inverse.ravel()]


def _count_missing(
    classes: Pieces,
    counts: NDArray[np.int64],
    rules: Rules,
    layout: Layout,
    store: str | PathLike[str] | None,
    workers: int,
    progress: Progress | None,
) -> None:
    with _stored(store, rules, layout) as (known, keep):
        for number, row in enumerate(classes):
            if counts[number] < 0:
                counts[number] = known.get(row.tobytes(), -1)
        missing = np.flatnonzero(counts < 0).tolist()
        done = len(classes) - len(missing)
        jobs = [tuple(TERRAINS[code - 1] for code in classes[number].tolist()) for number in missing]
        for place, count in _counted(jobs, rules, layout, workers):
            number = missing[place]
            counts[number] = count
            keep(classes[number].tobytes(), count)
            done += 1
            if progress is not None:
                progress(done, len(classes))


def _counted(
    terrains: Sequence[tuple[str, ...]], rules: Rules, layout: Layout, workers: int
) -> Iterator[tuple[int, int]]:
    """Yield each terrain's place, from 0, and its number of markers, as they come."""
    jobs = [(rules, layout, terrain) for terrain in terrains]
    if workers > 1 and can_search(rules, layout):  # a solver has processes of its own
        yield from share_out(_count_one, jobs, workers)
    else:
        yield from ((place, _count_one(*job)) for place, job in enumerate(jobs))


def _count_one(rules: Rules, layout: Layout, terrain: tuple[str, ...]) -> int:
    return searched_space(terrain, rules, layout).total


@contextmanager
def _stored(
    store: str | PathLike[str] | None, rules: Rules, layout: Layout
) -> Iterator[tuple[dict[bytes, int], Callable[[bytes, int], object]]]:
    """Give the counts in a store by terrain, and what writes one more as soon as it is known.

    Without a file, the store is in memory and goes with the process.
    """
    path, key = ":memory:" if store is None else str(Path(store)), f"{layout.name} {_key(rules)}"
    try:
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("CREATE TABLE IF NOT EXISTS counts (rules TEXT, terrain BLOB, markers INTEGER)")
        database.execute("PRAGMA synchronous = OFF")  # what is lost with the machine is counted again
        rows = database.execute("SELECT terrain, markers FROM counts WHERE rules = ?", (key,))
        known = {bytes(terrain): int(markers) for terrain, markers in rows}
    except sqlite3.Error as error:
        raise InvalidArgument(
            f"{show_path(Path(path))} keeps no counts: {error}; name another file"
        ) from None
    with closing(database):
        yield known, lambda row, n: database.execute("INSERT INTO counts VALUES (?, ?, ?)", (key, row, n))


def _key(rules: Rules) -> str:
    """Return what two sets of rules have in common under which every terrain has the same markers."""
    return json.dumps(about(rules, "markers").to_mapping(), sort_keys=True)


# The counts that come with the package


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, str, dict[bytes, int]]:
    """Return layout, key of the rules, and markers by the class's first terrain."""
    table = json.loads(files("catan_cp").joinpath("data", SHIPPED).read_text(encoding="utf-8"))
    plain = zlib.decompress(base64.b64decode(table["counts"]))
    counts = np.frombuffer(plain, dtype="<u4").tolist()
    codes = zlib.decompress(base64.b64decode(table["terrains"]))
    width = len(codes) // len(counts)
    rows = [codes[begin : begin + width] for begin in range(0, len(codes), width)]
    return table["layout"], table["rules"], dict(zip(rows, counts, strict=True))


def shipped_counts(rules: Rules, layout: Layout) -> Mapping[bytes, int]:
    """Return the counts that come with the package for these rules, by the first terrain of each class."""
    if layout != LAYOUTS["base"]:
        return {}
    _, key, counts = _shipped()
    return counts if key == _key(rules) else {}


def write_shipped(
    path: Path, classes: Pieces, counts: NDArray[np.int64], rules: Rules, layout: Layout
) -> None:
    """Write the table that `shipped_counts` reads."""

    def packed(data: bytes) -> str:
        return base64.b64encode(zlib.compress(data, 9)).decode()

    table = {
        "about": "markers per class of terrains; made by python -m catan_cp.counting.weights",
        "layout": layout.name,
        "rules": _key(rules),
        "classes": len(classes),
        "terrains": packed(np.ascontiguousarray(classes, dtype=np.uint8).tobytes()),
        "counts": packed(counts.astype("<u4").tobytes()),
    }
    write_whole(path, json.dumps(table, indent=1) + "\n")


def main() -> None:
    """Count the markers of all classes of ``optimal`` terrains anew, and write the table."""
    rules, layout = Rules.preset("optimal"), LAYOUTS["base"]
    space = terrain_space(rules, layout, Budget(10_000_000))
    codes = np.concatenate(list(space.chunks()))
    classes = np.unique(first_of_class(codes, turns_of(rules, layout)), axis=0)
    counts = np.full(len(classes), -1, dtype=np.int64)
    begun = time.monotonic()

    def tell(done: int, total: int | None) -> None:
        if total and done % 100 == 0:
            left = (time.monotonic() - begun) / max(1, done) * (total - done)
            print(f"{done} of {total} classes, {left / 60:.0f} minutes to go", file=sys.stderr, flush=True)

    workers = os.cpu_count() or 1
    _count_missing(classes, counts, rules, layout, Path("optimal_markers.db"), workers, tell)
    write_shipped(Path(str(files("catan_cp").joinpath("data", SHIPPED))), classes, counts, rules, layout)


if __name__ == "__main__":
    from catan_cp.counting import weights

    weights.main()  # workers find its functions in the module of that name
