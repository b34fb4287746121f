"""Read small files, and write files completely or not at all.

A new file is written under a temporary name in the same folder and then linked or renamed. This is atomic on
one file system, so readers see the old file or the new one. A file that appeared meanwhile is kept, and a
stopped process leaves nothing.
"""

import csv
import os
import re
import shutil
import stat
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, Any, TextIO
from uuid import uuid4

from catan_cp.errors import CatanError, InvalidArgument, check_path, extra, listed, show, show_path
from catan_cp.processes import Group

_PACKAGE = Path(__file__).parent


def read_small(path: str | os.PathLike[str], most: int, name: str, error: type[CatanError]) -> str:
    """Return the UTF-8 text of a file of at most *most* bytes.

    Args:
        path: the file.
        most: the maximum number of bytes.
        name: the kind of file for messages, such as ``rules file``.
        error: the class of the errors.

    Raises:
        error: the file is missing, too large, not text, or a folder, device or named pipe.
    """
    place, subject = check_path(f"a {name} is a path", path, error), f"{name} {show_path(path)}"
    try:
        kind = place.stat().st_mode
        regular = stat.S_ISREG(kind) or stat.S_ISDIR(kind)  # the system rejects a folder
        with place.open("rb") if regular else BytesIO() as file:
            content = file.read(most + 1)
    except OSError as reason:
        raise error(f"cannot read the {subject}: {reason.strerror or reason}") from None
    if not regular:
        raise error(f"{subject} is a device or a pipe; give a regular file")
    if len(content) > most:
        raise error(f"{subject} is larger than {most} bytes")
    try:
        return content.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError as reason:
        raise error(f"{subject} is not text in UTF-8; save it as UTF-8 ({reason})") from None


_STRING_OR_COMMENT = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|"(?:[^"\\\n]|\\.)*"|#[^\n]*'''
    r"""|'''.*?'{3,5}|'[^'\n]*'""",
    re.DOTALL,
)
_MOST_DOTS = 64
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def parse_toml(text: str) -> dict[str, Any]:
    """Return the values of a TOML text.

    Raises:
        ValueError: it is not TOML, is nested too deeply, or has too many dots in a line outside strings. The
            memory for a key grows with the square of its dots.
    """
    lines = _STRING_OR_COMMENT.sub("", text).split("\n")
    if any(line.count(".") > _MOST_DOTS for line in lines):
        raise ValueError(f"a line must have at most {_MOST_DOTS} dots outside strings; write tables instead")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def from_home(path: str | os.PathLike[str]) -> Path:
    """Return a path with ``~`` replaced by the home of the user, if there is such a user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def built_page() -> Path | None:
    """Return the folder of the built web page, in the package or in the checkout, or None."""
    folders = (_PACKAGE / "web", _PACKAGE.parent / "page" / "dist")
    return next((folder for folder in folders if (folder / "index.html").is_file()), None)


def is_private(path: Path) -> bool:
    """Return True if only this user and the system can replace *path* (see `shared_place`)."""
    return shared_place(path) is None


@contextmanager
def private_umask() -> Iterator[None]:
    """Create files and folders that only this user can write to, whatever the umask is."""
    before = os.umask(0o022)
    os.umask(before | 0o022)
    try:
        yield
    finally:
        os.umask(before)


def shared_place(path: Path) -> Path | None:
    """Return the file or folder through which another user can replace *path*, or None.

    This is *path* or a folder above it that belongs to another user, or that others may write to. A group may
    write if only its owner is in it. Others may write to a folder above *path* that is sticky, such as /tmp,
    because they cannot rename what is in it. A missing folder is skipped. On Windows nothing is checked.
    """
    if os.name != "posix":
        return None
    path = path.absolute()
    for place in dict.fromkeys((path, *path.parents, *Path(os.path.realpath(path)).parents)):
        try:
            status = place.stat()
        except FileNotFoundError:
            continue
        except OSError:
            return place
        if _may_change(status, is_above=place != path):
            return place
    return None


def _may_change(status: os.stat_result, *, is_above: bool) -> bool:
    """Return True if another user may change a file or folder."""
    system = Path("/").stat().st_uid  # not 0 in a user namespace that does not map root
    if status.st_uid not in (0, os.geteuid(), system):
        return True
    if is_above and status.st_mode & stat.S_ISVTX:
        return False
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and status.st_gid != 0 and not _is_own_group(status.st_gid)


def _is_own_group(group: int) -> bool:
    """Return True for the group with this user's name, which has only this user."""
    import grp
    import pwd

    try:
        return grp.getgrgid(group).gr_name == pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a number without a name, as in containers
        return False


def try_lock(file: IO[bytes]) -> bool:
    """Lock an open file until it is closed, and return False at once if that fails."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def checked_path(path: str | os.PathLike[str], endings: Sequence[str] = (), *, force: bool) -> Path:
    """Return *path* if a file with one of the *endings* can be written there.

    Raises:
        InvalidArgument: it has another ending or none, exists and *force* is not set, or has no folder.
        CatanError: the system rejects the name, or cannot read the folder.
    """
    target = check_path("a file is named by a path", path)
    try:
        is_folder, in_folder = target.is_dir(), target.parent.is_dir()
        exists = target.exists() or target.is_symlink()
    except OSError as error:
        raise CatanError(f"cannot write {show_path(path)}: {error.strerror or error}") from error
    quoted = show_path(target)
    if endings and target.suffix.lower() not in endings:
        ending = f"the ending {target.suffix!r}" if target.suffix else "no ending"
        raise InvalidArgument(f"{quoted} has {ending}; name a file that ends in {listed(endings)}")
    if is_folder:
        raise InvalidArgument(f"{quoted} is a folder; name a file")
    if not in_folder:
        folder = show_path(target.parent)
        raise InvalidArgument(f"there is no folder {folder} for {show(target.name)}; make it first")
    if exists and not force:
        raise _exists_already(target)
    return target


def _exists_already(target: Path) -> InvalidArgument:
    return InvalidArgument(
        f"{show_path(target)} exists; choose another name, or overwrite it with force=True"
    )


@contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """Yield a path in *folder* that is removed after the block, even if this process is killed."""
    path = folder.absolute() / f".{uuid4().hex}.part"
    group = None
    with suppress(OSError):  # if no process starts, the path is removed unless this process is killed
        group = Group(path)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        if group is not None:
            group.end()


def _move(file: Path, target: Path, *, force: bool) -> None:
    """Move a file within one file system, and replace *target* only if *force* is set.

    Raises:
        InvalidArgument: *target* exists, and *force* is not set.
    """
    if force:
        file.replace(target)
        return
    try:
        if os.name == "nt":
            file.rename(target)
        else:
            target.hardlink_to(file)
    except FileExistsError:
        raise _exists_already(target) from None
    except OSError:  # a file system without hard links
        try:
            target.touch(exist_ok=False)
        except FileExistsError:
            raise _exists_already(target) from None
        file.replace(target)


@contextmanager
def whole_file(target: Path, *, force: bool) -> Iterator[Path]:
    """Yield the path of a temporary file that becomes *target* if the block ends without an error.

    Raises:
        InvalidArgument: *target* exists by then, and *force* is not set.
    """
    with _temporary(target.parent) as beside:
        yield beside
        _move(beside, target, force=force)


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Yield a new folder, and move its files to the folder *target* if the block ends without an error.

    After an error, *target* is as before.

    Raises:
        InvalidArgument: a file in *target* has one of the names.
    """
    is_new = not target.exists()
    target.mkdir(parents=True, exist_ok=True)
    moved: list[Path] = []
    try:
        with _temporary(target) as beside:
            beside.mkdir()
            yield beside
            for file in sorted(beside.iterdir()):
                _move(file, target / file.name, force=False)
                moved.append(target / file.name)
    except BaseException:
        for file in moved:
            file.unlink(missing_ok=True)
        if is_new:
            with suppress(OSError):
                target.rmdir()
        raise


def write_whole(target: Path, content: bytes | str, *, force: bool) -> None:
    """Write *content* (text in UTF-8) to *target*.

    Raises:
        InvalidArgument: *target* exists, and *force* is not set.
        CatanError: the file cannot be written, with the system's reason.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with whole_file(target, force=force) as beside:
            beside.write_bytes(data)
    except CatanError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CatanError(f"cannot write {show_path(target)}: {reason}") from error


def write_csv(file: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Write rows as CSV, with an apostrophe before text that a spreadsheet would read as a formula."""
    writer = csv.writer(file, lineterminator="\n")
    for row in rows:
        writer.writerow(
            [f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell for cell in row]
        )


def csv_cell(text: str) -> str:
    """Return the text of a cell that `write_csv` wrote."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def import_extra(module: str, purpose: str) -> Any:
    """Import a module that the extra ``frame`` installs.

    Raises:
        CatanError: it is missing.
    """
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise CatanError(f"{purpose} needs {name}: {extra('frame')} installs it") from None
