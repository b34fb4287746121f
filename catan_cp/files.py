"""Read small files, and write files completely or not at all.

A new file is written under a temporary name in the same folder and then renamed. This is atomic on one file
system, so readers see the old file or the new one, and a stopped process loses nothing.
"""

import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from catan_cp.errors import CatanError, InvalidArgument, check_path, extra, listed, show, show_path

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
        raise InvalidArgument(f"{quoted} exists; choose another name, or overwrite it with force=True")
    return target


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces *target* if the block ends without an error."""
    beside = target.with_name(f".{uuid4().hex}.part")
    try:
        yield beside
        beside.replace(target)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def write_whole(target: Path, content: bytes | str) -> None:
    """Write *content* (text in UTF-8) to *target*, which is replaced if it exists.

    Raises:
        CatanError: the file cannot be written, with the system's reason.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with replacing(target) as beside:
            beside.write_bytes(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CatanError(f"cannot write {show_path(target)}: {reason}") from error


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
