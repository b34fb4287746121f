"""Counts of puzzles that have more states than memory holds: one column of states after another, on a disk.

A diagram keeps every state, so that fillings have ranks. A number alone needs less: of one step at a time its
states, and in how many ways each is reached. Such a column is a folder of files; every file has the states
whose keys hash alike, so that each is sorted on its own. A step ends when its folder gets its name, so what
was done before an interruption is found again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from math import factorial, prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_cp import __version__
from catan_cp.counting.codec import Codec, changes, hashes, together
from catan_cp.counting.diagram import LIMB_BITS, Diagram, Progress, ends
from catan_cp.counting.frontier import Plan, Puzzle, plan
from catan_cp.counting.states import canonical, placed, start
from catan_cp.errors import CatanError

_CHUNK = 1 << 16  # states handled at once
_FILE = 1 << 20  # about so many records are sorted at once
_MOST_FILES = 500  # so many are open at once
_HALF = LIMB_BITS // 2
_TOTAL = "total.json"

T = TypeVar("T")
R = TypeVar("R")

Records = NDArray[np.int64]
"""Some states: per row the limbs of its key, then the limbs of the number of ways that lead to it."""


def counted_on_disk(puzzle: Puzzle, folder: Path, progress: Progress | None = None) -> Diagram:
    """Return a diagram that knows only the total, counted column by column in a folder of its own.

    Args:
        puzzle: what is to be filled.
        folder: where the columns go. A count that was interrupted goes on where it was; one that was done is
            read. A state takes 16 to 40 bytes, and those of the next step are there several times at first.
        progress: called after each step with the steps done and the steps in all.

    Raises:
        CatanError: the folder cannot be written to, the disk being full, say; what was done is kept.
    """
    walk = plan(puzzle)
    column = _Column(puzzle, walk, folder)
    try:
        total = column.total(progress)
    except OSError as problem:
        raise CatanError(
            f"the count stopped in {str(folder)!r}: {problem.strerror or problem}; make room or take another "
            "folder, and ask again: with the same folder it goes on with the step at which it stopped"
        ) from problem
    except ValueError as problem:
        raise CatanError(
            f"what lies in {str(column.place)!r} is not what a count has left ({problem}); delete it"
        ) from problem
    shifts = range(0, max(1, total.bit_length()), LIMB_BITS)
    limbs = [total >> shift & (1 << LIMB_BITS) - 1 for shift in shifts]
    return Diagram(puzzle, walk, (), (), (np.array([[limb, 0] for limb in limbs], dtype=np.int64),))


def _fingerprint(puzzle: Puzzle, walk: Plan, codec: Codec) -> str:
    """Return a name for the puzzle's folder: other rules, layouts, orders or keys have other names."""
    parts = [dataclasses.asdict(puzzle), dataclasses.asdict(walk), codec.fields, codec.planes]
    return hashlib.sha256(json.dumps([__version__, parts], default=sorted).encode()).hexdigest()[:16]


class _Column:
    """The columns of one puzzle in a folder, and how one is made from the one before."""

    def __init__(self, puzzle: Puzzle, walk: Plan, folder: Path) -> None:
        self.puzzle, self.walk = puzzle, walk
        self.codec = Codec.of(puzzle, walk)
        self.place = folder / _fingerprint(puzzle, walk, self.codec)
        self.width = self.codec.limbs + -(-_most_ways(puzzle).bit_length() // LIMB_BITS)

    def total(self, progress: Progress | None) -> int:
        """Return in how many ways the puzzle is filled, from the last column that is there on."""
        told = self.place / _TOTAL
        if told.exists():
            return int(json.loads(told.read_text(encoding="utf-8")))
        self.place.mkdir(parents=True, exist_ok=True)
        steps = len(self.walk.steps)
        done = max((n for n in range(steps + 1) if self._folder(n).exists()), default=-1)
        self._forget(keep=done)
        if done < 0:
            done = 0
            self._make(0, iter([[self._first()]]), 1)
        for number in range(done, steps):
            n_files = self._room(number)
            shares = _in_threads(partial(self._after, number, n_files), self._chunks(number))
            self._make(number + 1, shares, n_files)
            if progress is not None:
                progress(number + 1, steps)
        found = self._sum()
        _write(told, json.dumps(found).encode())
        self._forget(keep=-1)
        return found

    def _folder(self, number: int) -> Path:
        return self.place / f"step-{number:03}"

    def _forget(self, keep: int) -> None:
        """Delete all columns but one, and what interrupted steps have left."""
        for folder in self.place.iterdir():
            if folder.is_dir() and folder != self._folder(keep):
                shutil.rmtree(folder)

    def _first(self) -> Records:
        keys = self.codec.pack(start(self.puzzle, self.walk, 1)[0])
        records = np.zeros((1, self.width), dtype=np.int64)
        records[0, : self.codec.limbs] = [limb[0] for limb in keys]
        records[0, self.codec.limbs] = 1
        return records

    def _files(self, number: int) -> list[Path]:
        """Return the files of a column; each tells how many there are."""
        files = sorted(self._folder(number).iterdir())
        if not files or len(files) != int(files[0].name.partition("-")[2]):
            raise ValueError(f"files of {self._folder(number).name} are missing; is it counted twice?")
        return files

    def _chunks(self, number: int) -> Iterator[Records]:
        """Yield the states before a step, some at a time."""
        for file in self._files(number):
            for begin in range(0, file.stat().st_size, _CHUNK * 8 * self.width):
                records = np.fromfile(file, dtype=np.int64, count=_CHUNK * self.width, offset=begin)
                yield records.reshape(-1, self.width)

    def _room(self, number: int) -> int:
        """Return in how many files the states after a step go, if each kind fits half of those before."""
        before = sum(file.stat().st_size for file in self._files(number)) // (8 * self.width)
        return min(_MOST_FILES, 1 + self.puzzle.n_kinds * before // 2 // _FILE)

    def _after(self, number: int, n_files: int, records: Records) -> list[Records]:
        """Return what becomes of some states by a step, in shares: equal states go into the same file."""
        limbs, made = self.codec.limbs, []
        states = self.codec.unpack(list(records[:, :limbs].T))
        for kind in range(self.puzzle.n_kinds):
            rows, after = placed(self.puzzle, self.walk, number, states, kind)
            canonical(self.puzzle, self.walk, number + 1, after)
            made.append(np.column_stack([*self.codec.pack(after), records[rows, limbs:]]))
        found = np.concatenate(made)
        which = hashes(list(found[:, :limbs].T)) >> np.uint64(32)
        which = (which % np.uint64(n_files)).astype(np.uint16)
        order = np.argsort(which, kind="stable")
        return np.split(found[order], np.searchsorted(which[order], np.arange(1, n_files)))

    def _make(self, number: int, made: Iterator[Sequence[Records]], n_files: int) -> None:
        """Make the column before step *number* from shares of its records, in place of the one before."""
        folder = Path(tempfile.mkdtemp(dir=self.place))
        try:
            raw = [folder / f"{each:05}-{n_files:05}.raw" for each in range(n_files)]
            with ExitStack() as stack:
                opened = [stack.enter_context(file.open("wb")) for file in raw]
                for shares in made:
                    for file, share in zip(opened, shares, strict=True):
                        file.write(share.tobytes())
            for _ in _in_threads(self._merge, raw):
                pass
            folder.rename(self._folder(number))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._forget(keep=number)

    def _merge(self, raw: Path) -> None:
        """Write the records of a file to another with equal states made one, and delete it."""
        records = np.fromfile(raw, dtype=np.int64).reshape(-1, self.width)
        _write(raw.with_suffix(""), self._merged(records).tobytes())
        raw.unlink()

    def _merged(self, records: Records) -> Records:
        """Return the records with equal states made one."""
        limbs = self.codec.limbs
        order = together([np.ascontiguousarray(limb) for limb in records[:, :limbs].T])
        records = records[order]
        first = np.flatnonzero(changes(list(records[:, :limbs].T)))
        merged = records[first]
        if not len(merged):
            return merged
        carry: Any = 0
        for limb in range(limbs, self.width):  # by halves, so that sums of any number of them fit
            low = np.add.reduceat(records[:, limb] & (1 << _HALF) - 1, first) + carry
            high = np.add.reduceat(records[:, limb] >> _HALF, first) + (low >> _HALF)
            merged[:, limb] = (low & (1 << _HALF) - 1) | (high & (1 << _HALF) - 1) << _HALF
            carry = high >> _HALF
        return merged

    def _sum(self) -> int:
        """Return the ways that lead to the end."""
        limbs = self.codec.limbs
        total = 0
        for records in self._chunks(len(self.walk.steps)):
            told = ends(self.puzzle, self.walk, self.codec, list(records[:, :limbs].T))
            for end, ways in zip(told, records[:, limbs:].tolist(), strict=True):
                total += end * sum(limb << LIMB_BITS * place for place, limb in enumerate(ways))
        return total


def _in_threads(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yield what *work* makes of the items, in order, a few at a time on all cores: numpy lets others run."""
    hands = os.cpu_count() or 1
    with ThreadPoolExecutor(hands) as pool:
        waiting: deque[Future[R]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > hands:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _most_ways(puzzle: Puzzle) -> int:
    """Return a bound on the ways to a state: all orders of the pieces, or any kind on each cell."""
    if sum(puzzle.supply) == len(puzzle.groups):
        return factorial(len(puzzle.groups)) // prod(map(factorial, puzzle.supply))
    return prod(max(1, puzzle.n_kinds) for _ in puzzle.groups)


def _write(file: Path, data: bytes) -> None:
    """Write a file so that it is whole when it is there, even after a crash of the machine."""
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as new:
        new.write(data)
        new.flush()
        os.fsync(new.fileno())
    Path(new.name).replace(file)
