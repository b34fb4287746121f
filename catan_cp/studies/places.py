"""Where a store is: one file whatever it is called, one writer at a time, noticed when it goes away.

SQLite keeps what is not yet in the file beside it, under the file's name with ``-wal`` at its end. So the
name matters. Through a symbolic link we use the file that it points to; that a log lies under a hard link's
other name, or was not copied along, is noticed by `catan_cp.studies.opening`.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from catan_cp.errors import CatanError, InvalidArgument, show, show_path


def as_path(path: object) -> Path:
    """Return *path* as one.

    Raises:
        InvalidArgument: it is none.
    """
    if not isinstance(path, (str, os.PathLike)) or not str(path) or "\x00" in str(path):
        raise InvalidArgument(f"a store is a file, as in 'study.db', not {show(path)}")
    return Path(path)


def find_file(path: Path) -> Path:
    """Return the file that *path* stands for, links followed; there need not be one yet.

    Raises:
        InvalidArgument: a folder, a device or a pipe, or links that lead round in a circle.
    """
    try:
        real = path.resolve()
        kind = real.stat().st_mode
    except FileNotFoundError:
        return real
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidArgument(f"cannot read the store {show_path(path)}: {reason}") from None
    if stat.S_ISDIR(kind):
        raise InvalidArgument(f"{show_path(path)} is a folder; name a file, such as study.db, in it")
    if not stat.S_ISREG(kind):
        raise InvalidArgument(f"{show_path(path)} is a device or a pipe, not a file; choose another name")
    return real


def wal_of(file: Path) -> Path:
    """Return the path of SQLite's write-ahead log, which holds what is not yet in *file*."""
    return file.with_name(file.name + "-wal")


class Identity:
    """Which file a path leads to now, to notice when it leads elsewhere."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = path.stat()

    def check(self) -> None:
        """Refuse to go on when the path leads to another file, or to none.

        Raises:
            CatanError: it does.
        """
        try:
            now = self._path.stat()
        except OSError:
            what = "was deleted or moved"
        else:
            if os.path.samestat(now, self._known):
                return
            what = "was replaced by another file"
        raise CatanError(
            f"the store {show_path(self._path)} {what} while the study ran; put it back, or choose another "
            "file, then call again"
        )


class Lock:
    """A file beside the store that one process at a time holds; the system lets go of it when that dies.

    A lock on the store itself would not do: closing a file drops the locks that SQLite holds on it.

    Raises:
        InvalidArgument: the store's folder is not there.
        CatanError: another process holds the lock.
    """

    def __init__(self, path: Path, file: Path) -> None:
        self._place = file.with_name(file.name + "-lock")
        if not file.parent.is_dir():
            raise InvalidArgument(f"there is no folder {show_path(file.parent)} for the store; make it first")
        while True:
            self._file: IO[bytes] = self._place.open("ab")
            if not _hold(self._file):
                self._file.close()
                raise CatanError(
                    f"another run writes the store {show_path(path)}; wait for its end, or give another file"
                )
            if self._is_current():
                return
            self._file.close()  # its holder removed it between our two steps

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._place.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let others write; harmless when done already."""
        if not self._file.closed:
            with suppress(OSError):  # Windows removes no open file; then it stays, and does no harm
                self._place.unlink(missing_ok=True)
            self._file.close()


if sys.platform == "win32":

    def _hold(file: IO[bytes]) -> bool:
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _hold(file: IO[bytes]) -> bool:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
