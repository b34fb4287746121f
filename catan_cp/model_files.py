"""The folder of the MiniZinc models in use, whether they are edited, and the names that they declare.

The shipped models are at the top of a checkout, and inside the installed package. ``Rules(models=folder)`` or
the environment variable ``CATAN_CP_MODELS`` names a copy. Counts and samples without a solver replace the
shipped text only. `SHIPPED` has its fingerprints.
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
from catan_cp.files import from_home, read_small

VARIABLE = "CATAN_CP_MODELS"
"""The environment variable that names a folder of edited models."""

SHIPPED: Mapping[str, str] = MappingProxyType(
    {
        "layout": "8d5d7fba6606c759",
        "board": "d1fb47a4e0a73062",
        "markers": "f89c946e7c4a9cc0",
        "harbors": "832a74041a11ae58",
        "grounds": "25c5343d5377ded1",
        "terrain_measures": "0dccdf95320dc698",
        "measures": "cad1b8e42506a1ce",
        "joint": "67689c853ceed65c",
        "best": "633e1d6eeba0b7cc",
        "solve_terrain": "4eb6f3b33472c126",
        "solve_markers": "4350396b184f7973",
        "magic_square": "49b360703697fb19",
        "schedule": "1db850aabd05ce14",
    }
)
"""The fingerprints of the models for which counts and uniform draws stand in; ``make models`` writes them."""

PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "layout": (),
        "board": ("terrain",),
        "markers": ("markers",),
        "harbors": ("harbors",),
        "grounds": ("grounds",),
        "terrain_measures": ("terrain",),
        "measures": ("terrain", "markers"),
    }
)
"""The models whose names constraints may use, each with the parts of a board that its names depend on."""

MEASURES = ("terrain_measures", "measures")
"""The models of `PARTS` that are included only where one of their names is used."""

_LARGEST = 1_000_000  # bytes of a model; the largest shipped has 12,000
_PACKAGE = Path(__file__).resolve().parent
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


def model_text(path: Path) -> str:
    """Return the text of a model.

    Raises:
        InvalidRules: it is not a regular file, not text, or larger than 1 MB.
    """
    return read_small(path, _LARGEST, "model", InvalidRules)


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
    text = model_text(path)
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


def edited_digest(folder: str | None = None) -> str | None:
    """Return 16 hexadecimal digits of the text of all models in use; None if they are those shipped."""
    if not edited(folder):
        return None
    return hashlib.sha256(" ".join(state_of(models_dir(folder))).encode()).hexdigest()[:16]


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
    for name in PARTS:
        text = model_text(where / f"{name}.mzn")
        for word in (*_DECLARED.findall(text), *_PREDICATE.findall(text)):
            found.setdefault(word, name)
    return MappingProxyType(found)
