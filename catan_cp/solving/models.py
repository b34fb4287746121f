"""Where the MiniZinc models are, whether anybody edited them, and which names they declare.

The models shipped are at the top of a checkout, and inside the package once it is installed. A user's copy is
named by ``Rules(models=folder)`` or by the environment variable ``CATAN_CP_MODELS``. What is counted or
drawn without a solver stands in for the shipped text alone: `SHIPPED` has its fingerprints.
"""

import hashlib
import os
import re
import shutil
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from catan_cp.errors import CatanError, InvalidArgument, InvalidRules, check_path, listed, show, show_path
from catan_cp.files import from_home

VARIABLE = "CATAN_CP_MODELS"
"""The environment variable that names a folder of edited models."""

SHIPPED: Mapping[str, str] = MappingProxyType(
    {
        "layout": "7f68fcddb02c931b",
        "board": "d1fb47a4e0a73062",
        "markers": "ee079e4f1e079f0c",
        "harbors": "832a74041a11ae58",
        "grounds": "9c890ef5f037cd9b",
        "measures": "444be27d02d5352a",
        "joint": "67689c853ceed65c",
        "best": "633e1d6eeba0b7cc",
        "solve_terrain": "4eb6f3b33472c126",
        "solve_markers": "4350396b184f7973",
        "magic_square": "49b360703697fb19",
        "schedule": "1db850aabd05ce14",
    }
)
"""The fingerprints of the models for which counts and uniform draws stand in; ``make models`` writes them."""

_PACKAGE = Path(__file__).resolve().parent.parent
_SPACE_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|%[^\n]*|/\*.*?\*/|\s+', re.DOTALL)
_DECLARED = re.compile(r"(?m)^(?!constraint|output|solve|include|%|\s)[^;=%]*?:\s*([A-Za-z]\w*)\s*[;=(]")
_PREDICATE = re.compile(r"(?m)^(?:predicate|test)\s+([A-Za-z]\w*)")


def models_dir(folder: str | None = None) -> Path:
    """Return the folder of the ``.mzn`` files: *folder*, else the one ``CATAN_CP_MODELS`` names, else ours.

    Raises:
        InvalidRules: the folder named lacks a file.
        CatanError: our own is missing, so the package is not whole.
    """
    named = folder or os.environ.get(VARIABLE)
    if not named:
        return shipped_dir()
    found = from_home(named)
    try:
        missing = [f"{name}.mzn" for name in SHIPPED if not (found / f"{name}.mzn").is_file()]
    except OSError as error:  # a name too long
        raise InvalidRules(f"no folder of models is called {show(str(found))}: {error.strerror}") from None
    if missing:
        what = "is no folder" if not found.is_dir() else f"lacks {listed(missing)}"
        raise InvalidRules(f"the folder of models {show_path(found)} {what}; copy_models makes a whole one")
    return found


def shipped_dir() -> Path:
    """Return the folder of the models that came with the package.

    Raises:
        CatanError: it is missing.
    """
    for folder in (_PACKAGE / "models", _PACKAGE.parent / "models"):
        if (folder / "board.mzn").is_file():
            return folder
    raise CatanError(f"the models are missing beside {_PACKAGE}; install catan-cp again")


def copy_models(folder: str | os.PathLike[str]) -> Path:
    """Copy the shipped models into a folder, to be edited, and return it; ``Rules(models=folder)`` uses it.

    Raises:
        InvalidArgument: the folder holds models already, or cannot be written.
    """
    target = from_home(check_path("models are copied to a folder", folder))
    present = [path.name for path in sorted(target.glob("*.mzn"))] if target.is_dir() else []
    if present:
        raise InvalidArgument(f"{show_path(target)} holds {present[0]} already; name another folder")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(shipped_dir().glob("*.mzn")):
            shutil.copyfile(path, target / path.name)
    except OSError as error:
        raise InvalidArgument(f"cannot copy the models to {show_path(target)}: {error}") from None
    return target


def fingerprint(path: Path) -> str:
    """Return 16 hexadecimal digits of a model's text, comments and blank space aside."""
    return _fingerprint(path, _file_state(path))


_FileState = tuple[int, int, int]
"""When a file was written, its size and its number: another one where somebody wrote it."""


def _file_state(path: str | Path) -> _FileState:
    state = os.stat(path)  # noqa: PTH116 - to make a Path takes longer than to look at the file
    return state.st_mtime_ns, state.st_size, state.st_ino


@lru_cache(maxsize=256)
def _fingerprint(path: Path, state: _FileState) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    bare = _SPACE_OR_STRING.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    return hashlib.sha256(" ".join(bare.split()).encode()).hexdigest()[:16]


def edited(folder: str | None = None) -> frozenset[str]:
    """Return the names of the models in use whose text is not the one shipped.

    It is asked of each board that is checked, so the files are looked at without ceremony. That a folder
    which nobody named holds edited models is said in a warning, once for each edit.
    """
    where = models_dir(folder)
    states = tuple(_file_state(f"{where}{os.sep}{name}.mzn") for name in SHIPPED)
    return _edited(where, states, not folder and VARIABLE not in os.environ)


@lru_cache(maxsize=64)
def _edited(where: Path, states: tuple[_FileState, ...], warn: bool) -> frozenset[str]:
    found = frozenset(name for name, known in SHIPPED.items() if fingerprint(where / f"{name}.mzn") != known)
    if found and warn:
        warnings.warn(
            f"the models {listed(sorted(found))} in {show_path(where)} are not those shipped, so a solver "
            "does what counts and uniform draws would; `make models` writes their new fingerprints",
            stacklevel=3,
        )
    return found


def state_of(where: Path) -> tuple[str, ...]:
    """Return what changes whenever a model in a folder does."""
    return tuple(fingerprint(path) for path in sorted(where.glob("*.mzn")))


def declared_names(folder: str | None = None) -> Mapping[str, str]:
    """Return each name that the models in use declare, with the model that does."""
    where = models_dir(folder)
    return _names(where, state_of(where))


@lru_cache(maxsize=8)
def _names(where: Path, state: tuple[str, ...]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in ("layout", "board", "markers", "harbors", "grounds", "measures"):
        text = (where / f"{name}.mzn").read_text(encoding="utf-8", errors="replace")
        for word in (*_DECLARED.findall(text), *_PREDICATE.findall(text)):
            found.setdefault(word, name)
    return MappingProxyType(found)
