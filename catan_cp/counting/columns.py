"""What counts may cost: states in memory, some of them kept, or one column of states after another on a disk.

A diagram keeps every state, so that fillings have ranks. A number alone needs less: of one step at a time its
states, and in how many ways each is reached. Such a column is a file. It is made in shares: of states whose
keys hash alike, so that each share is sorted on its own. A step ends when its file gets its name, so what was
done before an interruption is found again.
"""

import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import factorial, prod
from operator import mul
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_cp import __version__
from catan_cp.counting import diagram
from catan_cp.counting.diagram import Diagram, Progress, TooManyStates
from catan_cp.counting.frontier import Puzzle
from catan_cp.counting.states import Walk, changes, hashes, together
from catan_cp.errors import CatanError, show_path
from catan_cp.files import try_lock

_CHUNK = 1 << 14  # states handled at once
_FILE = 1 << 20  # about so many records are sorted at once
_MOST_FILES = 500  # so many are open at once
_LIMB_BITS, _HALF = 58, 29
_LOCK, _TEMPORARY = "lock", "tmp"
_DIGEST = 32  # bytes of a digest

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
    columns = _Columns(puzzle, folder)
    try:
        columns.place.mkdir(parents=True, exist_ok=True)
        with (columns.place / _LOCK).open("wb") as lock:
            if not try_lock(lock):
                raise CatanError(
                    f"another count is at work in {show_path(columns.place)}; wait for its end, or name "
                    "another folder"
                )
            total = columns.total(progress)
    except OSError as problem:
        raise CatanError(
            f"the count stopped in {show_path(folder)}: {problem.strerror or problem}; make room or take "
            "another folder, and ask again: with the same folder it goes on with the step at which it stopped"
        ) from problem
    return Diagram(columns.walk, (), (diagram.ways_of([total]),))


class _Columns:
    """The columns of one puzzle in a folder, and how one is made from the one before.

    A column is a file ``step-005``: a digest of the puzzle, the step and what follows, then the records. What
    is damaged, moved or not ours is found by it when it is read. The column at the end is small, and stays.
    """

    def __init__(self, puzzle: Puzzle, folder: Path) -> None:
        self.puzzle, self.walk = puzzle, Walk(puzzle)
        told = replace(puzzle, deals=()) if puzzle.exact else puzzle  # then deals come in at the end only
        parts = [asdict(told), asdict(self.walk.plan), self.walk.fields]
        named = json.dumps([__version__, parts], default=sorted)  # other rules, orders or keys: another name
        self.place = folder / hashlib.sha256(named.encode()).hexdigest()[:16]
        self.width = self.walk.limbs + -(-_most_ways(puzzle).bit_length() // _LIMB_BITS)

    def total(self, progress: Progress | None) -> int:
        """Return in how many ways the puzzle is filled, from the last column that is there on."""
        steps = len(self.walk.plan.steps)
        files = [self._file(number) for number in range(1, steps + 1)]
        for file in self.place.iterdir():
            if file.name.startswith(_TEMPORARY):
                shutil.rmtree(file)
            elif file not in files and file.name != _LOCK:
                raise self._damaged(f"a count makes no {file.name}")
        for number in range(max((n for n, file in enumerate(files, 1) if file.exists()), default=0), steps):
            self._make(number)
            if progress is not None:
                progress(number + 1, steps)
        limbs, total = self.walk.limbs, 0
        for records in self._chunks(steps):
            told = self.walk.ends(list(records[:, :limbs].T))
            for number, limb in enumerate(records[:, limbs:].T.tolist()):
                total += sum(map(mul, told, limb)) << number * _LIMB_BITS
        return total

    def _file(self, number: int) -> Path:
        return self.place / f"step-{number:03}"

    def _digest(self, number: int) -> Any:
        return hashlib.sha256(f"{self.place.name} {number} ".encode())

    def _damaged(self, why: str) -> CatanError:
        return CatanError(
            f"what lies in {show_path(self.place)} is not what a count has left ({why}); delete it"
        )

    def _chunks(self, number: int) -> Iterator[Records]:
        """Yield the states before a step, some at a time, of a file that is as it was written."""
        if number == 0:
            keys = self.walk.pack(self.walk.start(1)[0])
            one_way = [1] + [0] * (self.width - self.walk.limbs - 1)
            yield np.array([[*(limb[0] for limb in keys), *one_way]], dtype=np.int64)
            return
        with self._file(number).open("rb") as file:
            told = file.read(_DIGEST)
            if hashlib.file_digest(file, partial(self._digest, number)).digest() != told:
                raise self._damaged(f"{self._file(number).name} is not as it was written")
            file.seek(_DIGEST)
            while data := file.read(_CHUNK * 8 * self.width):
                yield np.frombuffer(data, dtype=np.int64).reshape(-1, self.width)

    def _make(self, number: int) -> None:
        """Make the column after a step, in as many shares as fit memory, in place of the one before."""
        before = self._file(number).stat().st_size // (8 * self.width) if number else 1
        n_shares = min(_MOST_FILES, 1 + self.puzzle.n_kinds * before // 2 // _FILE)
        with tempfile.TemporaryDirectory(dir=self.place, prefix=_TEMPORARY) as name:
            raw = [Path(name) / str(each) for each in range(n_shares)]
            with ExitStack() as stack:
                opened = [stack.enter_context(file.open("wb")) for file in raw]
                for shares in _in_threads(partial(self._after, number, n_shares), self._chunks(number)):
                    for file, share in zip(opened, shares, strict=True):
                        file.write(share.tobytes())
            column, digest = Path(name) / "column", self._digest(number + 1)
            with column.open("wb") as new:
                new.write(bytes(_DIGEST))
                for data in _in_threads(self._merged, raw):
                    digest.update(data)
                    new.write(data)
                new.seek(0)
                new.write(digest.digest())
                new.flush()
                os.fsync(new.fileno())  # it is whole when it is there, even after a crash of the machine
            column.rename(self._file(number + 1))
        for older in range(1, number + 1):
            self._file(older).unlink(missing_ok=True)

    def _after(self, number: int, n_shares: int, records: Records) -> list[Records]:
        """Return what becomes of some states by a step, in shares: equal states go into the same one."""
        limbs, made = self.walk.limbs, []
        states = self.walk.unpack(list(records[:, :limbs].T))
        for kind in range(self.puzzle.n_kinds):
            rows, after = self.walk.placed(number, states, kind)
            self.walk.canonical(number + 1, after)
            made.append(np.column_stack([*self.walk.pack(after), records[rows, limbs:]]))
        found = np.concatenate(made)
        which = hashes(list(found[:, :limbs].T)) >> np.uint64(32)
        which = (which % np.uint64(n_shares)).astype(np.uint16)
        order = np.argsort(which, kind="stable")
        return np.split(found[order], np.searchsorted(which[order], np.arange(1, n_shares)))

    def _merged(self, raw: Path) -> bytes:
        """Return the records of a file with equal states made one, and delete it."""
        records, limbs = np.fromfile(raw, dtype=np.int64).reshape(-1, self.width), self.walk.limbs
        raw.unlink()
        if not len(records):
            return b""
        records = records[together([np.ascontiguousarray(limb) for limb in records[:, :limbs].T])]
        first = np.flatnonzero(changes(list(records[:, :limbs].T)))
        merged = records[first]
        carry: Any = 0
        for limb in range(limbs, self.width):  # by halves, so that sums of any number of them fit
            low = np.add.reduceat(records[:, limb] & (1 << _HALF) - 1, first) + carry
            high = np.add.reduceat(records[:, limb] >> _HALF, first) + (low >> _HALF)
            merged[:, limb] = (low & (1 << _HALF) - 1) | (high & (1 << _HALF) - 1) << _HALF
            carry = high >> _HALF
        return merged.tobytes()


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


# What counts may cost, and what is kept of them


@dataclass
class Budget:
    """The states that diagrams may still have, and whom to tell how far they are.

    With a *scratch* folder diagrams know only their totals, and may have any number of states.
    """

    states: int
    progress: Progress | None = None
    scratch: Path | None = None

    def build(self, puzzle: Puzzle) -> Diagram:
        """Return the puzzle's diagram and take its states off.

        Raises:
            TooManyStates: it has more.
            CatanError: the scratch folder cannot be written to.
        """
        if self.scratch is not None:
            return counted_on_disk(puzzle, self.scratch, self.progress)
        found = diagram.build(puzzle, self.states, self.progress)
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
        self._built: dict[Hashable, tuple[Built, int]] = {}  # in the order of their last use
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
            known = self._built.get(key)
            if known is None or known[1] > max_states:
                try:
                    known = build(), max_states
                except TooManyStates:
                    self._too_few[key] = max_states
                    raise
            self._built.pop(key, None)
            self._built[key] = known
            while len(self._built) > 1 and self._room < sum(self._size(t) for t, _ in self._built.values()):
                del self._built[next(iter(self._built))]
            return known[0]

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
