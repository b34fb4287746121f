"""What counts may cost: states in memory, some of them kept, or one column of states after another on a disk.

A diagram keeps every state, so that fillings have ranks. A number alone needs less: of one step at a time its
states, and in how many ways each is reached. Such a column is a folder of files; every file has the states
whose keys hash alike, so that each is sorted on its own. A step ends when its folder gets its name, so what
was done before an interruption is found again.
"""

import dataclasses
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import factorial, prod
from operator import mul
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_cp import __version__
from catan_cp.counting import diagram
from catan_cp.counting.diagram import LIMB_BITS, Diagram, Progress, TooManyStates
from catan_cp.counting.frontier import Plan, Puzzle, plan
from catan_cp.counting.states import Codec, canonical, changes, hashes, placed, start, together
from catan_cp.errors import CatanError, show_path
from catan_cp.files import read_small, replacing, try_lock

_CHUNK = 1 << 16  # states handled at once
_FILE = 1 << 20  # about so many records are sorted at once
_MOST_FILES = 500  # so many are open at once
_HALF = LIMB_BITS // 2
_MOST_NOTE = 1 << 20
_TOTAL, _NOTE, _LOCK, _TEMPORARY = "total.json", "column.json", "lock", "tmp"

Built = TypeVar("Built")
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
        CatanError: the folder cannot be written to, the disk being full, say (what was done is kept); another
            count is at work there; what lies there is not what a count has left.
    """
    walk = plan(puzzle)
    column = _Column(puzzle, walk, folder)
    try:
        column.place.mkdir(parents=True, exist_ok=True)
        with (column.place / _LOCK).open("wb") as lock:
            if not try_lock(lock):
                raise CatanError(
                    f"another count is at work in {show_path(column.place)}; wait for its end, or name "
                    "another folder"
                )
            total = column.total(progress)
    except OSError as problem:
        raise CatanError(
            f"the count stopped in {show_path(folder)}: {problem.strerror or problem}; make room or take "
            "another folder, and ask again: with the same folder it goes on with the step at which it stopped"
        ) from problem
    except _Damaged as problem:
        raise CatanError(
            f"what lies in {show_path(column.place)} is not what a count has left ({problem}); delete it"
        ) from problem
    return Diagram(puzzle, walk, (), (), diagram.counts_of((), [total]))


def _fingerprint(puzzle: Puzzle, walk: Plan, codec: Codec) -> str:
    """Return a name for the puzzle's folder: other rules, layouts, orders or keys have other names."""
    parts = [dataclasses.asdict(puzzle), dataclasses.asdict(walk), codec.fields, codec.planes]
    return _digest(json.dumps([__version__, parts], default=sorted).encode())[:16]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class _Damaged(Exception):
    """A folder is not as a count leaves it; the text says what is wrong."""


class _Column:
    """The columns of one puzzle in a folder, and how one is made from the one before.

    A column is a folder ``step-005`` of numbered files and of a *note*, which says whose column it is and has
    a digest for each file. What is damaged, moved or not ours is found by it when it is read.
    """

    def __init__(self, puzzle: Puzzle, walk: Plan, folder: Path) -> None:
        self.puzzle, self.walk = puzzle, walk
        self.codec = Codec.of(puzzle, walk)
        self.name = _fingerprint(puzzle, walk, self.codec)
        self.place = folder / self.name
        self.width = self.codec.limbs + -(-_most_ways(puzzle).bit_length() // LIMB_BITS)

    def total(self, progress: Progress | None) -> int:
        """Return in how many ways the puzzle is filled, from the last column that is there on."""
        told = self.place / _TOTAL
        if told.exists():
            return self._known(told)
        steps = len(self.walk.steps)
        done = self._last_done()
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
        _write(told, json.dumps(self._note_of(str(found))).encode())
        self._forget(keep=-1)
        return found

    def _note_of(self, ways: str) -> dict[str, str]:
        return {"puzzle": self.name, "ways": ways, "sha256": _digest(f"{self.name} {ways}".encode())}

    def _known(self, told: Path) -> int:
        """Return the number in the note of a count that is done."""
        note = _read_note(told)
        ways = note.get("ways")
        if not (isinstance(ways, str) and ways.isascii() and ways.isdigit()) or note != self._note_of(ways):
            raise _Damaged(f"{_TOTAL} is not as it was written")
        return int(ways)

    def _last_done(self) -> int:
        """Return the last step with a column, -1 for none; refuse what a count does not make."""
        steps = {self._folder(number) for number in range(len(self.walk.steps) + 1)}
        others = {file for file in self.place.iterdir() if not file.name.startswith((".", _TEMPORARY))}
        others -= steps | {self.place / _LOCK, self.place / _TOTAL}
        if others:
            raise _Damaged(f"a count makes no {min(others).name}")
        done = [number for number in range(len(self.walk.steps) + 1) if self._folder(number).exists()]
        for number in done:
            self._digests(number)
        return max(done, default=-1)

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

    def _digests(self, number: int) -> dict[str, str]:
        """Return the digest of each of a column's files, by its name."""
        folder = self._folder(number)
        note = _read_note(folder / _NOTE)
        files = note.get("files")
        if note.get("puzzle") != self.name or note.get("step") != number or not isinstance(files, dict):
            raise _Damaged(f"{folder.name} is not the column of its step")
        if {file.name for file in folder.iterdir()} != {_NOTE, *files}:
            raise _Damaged(f"files of {folder.name} are missing or are too many")
        return files

    def _chunks(self, number: int) -> Iterator[Records]:
        """Yield the states before a step, some at a time, of files that are as they were written."""
        for name, digest in self._digests(number).items():
            with (self._folder(number) / name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                    raise _Damaged(f"file {name} of {self._folder(number).name} is not as it was written")
                file.seek(0)
                while data := file.read(_CHUNK * 8 * self.width):
                    yield np.frombuffer(data, dtype=np.int64).reshape(-1, self.width)

    def _room(self, number: int) -> int:
        """Return in how many files the states after a step go, if each kind fits half of those before."""
        files = (self._folder(number) / name for name in self._digests(number))
        before = sum(file.stat().st_size for file in files) // (8 * self.width)
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
        folder = Path(tempfile.mkdtemp(dir=self.place, prefix=_TEMPORARY))
        try:
            raw = [folder / f"{each:05}.raw" for each in range(n_files)]
            with ExitStack() as stack:
                opened = [stack.enter_context(file.open("wb")) for file in raw]
                for shares in made:
                    for file, share in zip(opened, shares, strict=True):
                        file.write(share.tobytes())
            digests = _in_threads(self._merge, raw)
            files = {file.stem: digest for file, digest in zip(raw, digests, strict=True)}
            note = {"puzzle": self.name, "step": number, "files": files}
            _write(folder / _NOTE, json.dumps(note).encode())
            folder.rename(self._folder(number))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._forget(keep=number)

    def _merge(self, raw: Path) -> str:
        """Write the records of a file to another with equal states made one, delete it; return the digest."""
        records = np.fromfile(raw, dtype=np.int64).reshape(-1, self.width)
        data = self._merged(records).tobytes()
        _write(raw.with_suffix(""), data)
        raw.unlink()
        return _digest(data)

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
            told = diagram.ends(self.puzzle, self.walk, self.codec, list(records[:, :limbs].T))
            ways = diagram.numbers(records[:, limbs:].T, slice(None))
            total += sum(map(mul, told, ways.tolist()))
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


def _read_note(file: Path) -> dict[str, Any]:
    """Return what a note says."""
    try:
        note = json.loads(read_small(file, _MOST_NOTE, "note of a count", CatanError))
    except (CatanError, ValueError, RecursionError) as problem:
        raise _Damaged(f"{file.name} cannot be read: {problem}") from None
    if not isinstance(note, dict):
        raise _Damaged(f"{file.name} is not as it was written")
    return note


def _write(file: Path, data: bytes) -> None:
    """Write a file so that it is whole when it is there, even after a crash of the machine."""
    with replacing(file) as beside, beside.open("wb") as new:
        new.write(data)
        new.flush()
        os.fsync(new.fileno())


# What counts may cost, and what is kept of them


@dataclass
class Budget:
    """The states that diagrams may still have, whom to tell how far they are, and whether they rank.

    With a *scratch* folder diagrams know only their totals, and may have any number of states.
    """

    states: int
    progress: Progress | None = None
    ranked: bool = True
    scratch: Path | None = None

    def build(self, puzzle: Puzzle) -> Diagram:
        """Return the puzzle's diagram and take its states off.

        Raises:
            TooManyStates: it has more.
            CatanError: the scratch folder cannot be written to.
        """
        if self.scratch is not None:
            return counted_on_disk(puzzle, self.scratch, self.progress)
        found = diagram.build(puzzle, self.states, self.progress, ranked=self.ranked)
        self.states -= found.n_states
        return found


class Kept(Generic[Built]):
    """Things that were built, those used last up to a limit.

    Whether a thing is small enough must not depend on what was asked before: a diagram that some patient call
    built is still too large for a hasty one. So with each is kept under which limit it was built, and which
    limit was too low.

    Args:
        room: the limit, in what *size* measures.
        size: how much room a thing takes.
    """

    def __init__(self, room: int, size: Callable[[Built], int] = lambda _: 1) -> None:
        self._room, self._size = room, size
        self._built: OrderedDict[Hashable, tuple[Built, int]] = OrderedDict()
        self._too_few: dict[Hashable, int] = {}
        self._lock = threading.RLock()
        _EVERY.append(self)

    def get(self, key: Hashable, max_states: int, build: Callable[[], Built]) -> Built:
        """Return what *build* returns for this key with at most *max_states* states, or returned before.

        Raises:
            TooManyStates: as *build*, which is not called where fewer states were too few already.
        """
        with self._lock:
            if max_states <= self._too_few.get(key, 0):
                raise TooManyStates(f"more than {max_states} states")
            if not self.holds(key, max_states):
                try:
                    self._built[key] = build(), max_states
                except TooManyStates:
                    self._too_few[key] = max_states
                    raise
                self._forget_oldest(key)
            self._built.move_to_end(key)
            return self._built[key][0]

    def _forget_oldest(self, key: Hashable) -> None:
        """Forget what was used longest ago, but not the thing of this key."""
        self._built.move_to_end(key)
        sizes = [self._size(thing) for thing, _ in self._built.values()]
        for begin in range(len(sizes) - 1):
            if sum(sizes[begin:]) > self._room:
                self._built.popitem(last=False)

    def holds(self, key: Hashable, max_states: int) -> bool:
        """Return whether `get` would return what was built before."""
        with self._lock:
            known = key in self._built and self._built[key][1] <= max_states
            return known and max_states > self._too_few.get(key, 0)

    def forget(self) -> None:
        """Give back the memory of all."""
        with self._lock:
            self._built.clear()
            self._too_few.clear()


def forget() -> None:
    """Give back the memory of everything counted so far."""
    for each in _EVERY:
        each.forget()


_EVERY: list[Kept[Any]] = []
