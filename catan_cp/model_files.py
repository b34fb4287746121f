"""The folder of the MiniZinc models in use, edits of them, and their declared names.

The shipped models are at the top of a checkout, and inside the installed package. ``Rules(models=folder)`` or
the environment variable ``CATAN_CP_MODELS`` names a copy. Counts and samples without a solver replace the
shipped text only. `SHIPPED` has its fingerprints.
"""

import hashlib
import os
import shutil
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from catan_cp.errors import CatanError, InvalidArgument, InvalidRules, check_path, listed, show, show_path
from catan_cp.files import from_home, read_small, whole_folder
from catan_cp.minizinc_text import bare, items

MODELS_VARIABLE = "CATAN_CP_MODELS"
"""The environment variable that names a folder of edited models."""

SHIPPED: Mapping[str, str] = MappingProxyType(
    {
        "layout": "8d5d7fba6606c759",
        "board": "8da4ec7140234f7a",
        "markers": "324db748402fac1b",
        "harbors": "af22735058cf7d93",
        "grounds": "25c5343d5377ded1",
        "terrain_measures": "0dccdf95320dc698",
        "measures": "b50005c386dfb072",
        "joint": "67689c853ceed65c",
        "best": "633e1d6eeba0b7cc",
        "solve_terrain": "4eb6f3b33472c126",
        "solve_markers": "4350396b184f7973",
        "magic_square": "49b360703697fb19",
        "schedule": "b225832049ef51f8",
    }
)
"""The fingerprints of the shipped models, written by ``make models``.

Only these models are replaced by counts and uniform samples.
"""

MODEL_PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
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
"""The models whose names constraints may use, with the parts of a board that they need."""

MEASURES = ("terrain_measures", "measures")
"""The models of `MODEL_PARTS` that are included only if one of their names is used."""

_LARGEST = 1_000_000  # bytes of a model (the largest shipped model has 12,000)
_PACKAGE = Path(__file__).resolve().parent


def models_dir(folder: str | None = None) -> Path:
    """Return the folder of the ``.mzn`` files.

    It is *folder*, otherwise the one of ``CATAN_CP_MODELS``, otherwise that of the package.

    Raises:
        InvalidRules: the named folder lacks a file.
        CatanError: the folder of the package is missing.
    """
    named = folder or os.environ.get(MODELS_VARIABLE)
    if not named:
        return shipped_dir()
    path = from_home(named)
    try:
        missing = [f"{name}.mzn" for name in SHIPPED if not (path / f"{name}.mzn").is_file()]
    except OSError as error:  # a name too long
        raise InvalidRules(f"no folder of models is called {show(str(path))}: {error.strerror}") from None
    if missing:
        problem = "is no folder" if not path.is_dir() else f"lacks {listed(missing)}"
        raise InvalidRules(f"the folder of models {show_path(path)} {problem}; copy_models makes a whole one")
    return path


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
    """Copy the shipped models to a folder for ``Rules(models=folder)``, and return it.

    Args:
        folder: the folder, which is created if it is missing. ``~`` is the home folder.

    Raises:
        InvalidArgument: the folder holds models already, or cannot be written.

    Example:
        >>> folder = copy_models("my_models")
        >>> sorted(file.name for file in folder.glob("*.mzn"))[:3]
        ['best.mzn', 'board.mzn', 'grounds.mzn']
    """
    target = from_home(check_path("models are copied to a folder", folder))
    present = [path.name for path in sorted(target.glob("*.mzn"))] if target.is_dir() else []
    if present:
        raise InvalidArgument(f"{show_path(target)} holds {present[0]} already; name another folder")
    try:
        with whole_folder(target) as whole:
            for path in shipped_dir().glob("*.mzn"):
                shutil.copyfile(path, whole / path.name)
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
"""The time, size and inode of a file, which change when it is written."""


def _file_state(path: str | Path) -> _FileState:
    state = os.stat(path)  # noqa: PTH116 - to make a Path takes longer than to look at the file
    return state.st_mtime_ns, state.st_size, state.st_ino


@lru_cache(maxsize=256)
def _fingerprint(path: Path, state: _FileState) -> str:
    return hashlib.sha256(bare(model_text(path)).encode()).hexdigest()[:16]


def edited(folder: str | None = None) -> frozenset[str]:
    """Return the names of the models in use whose text is edited.

    Every check of a board calls this function, so it is fast. Edits in the folder of the package cause one
    warning per edit.
    """
    place = models_dir(folder)
    states = tuple(_file_state(f"{place}{os.sep}{name}.mzn") for name in SHIPPED)
    return _edited(place, states, not folder and MODELS_VARIABLE not in os.environ)


@lru_cache(maxsize=64)
def _edited(place: Path, states: tuple[_FileState, ...], warn: bool) -> frozenset[str]:
    changed = frozenset(
        name for name, known in SHIPPED.items() if fingerprint(place / f"{name}.mzn") != known
    )
    if changed and warn:
        warnings.warn(
            f"the models {listed(sorted(changed))} in {show_path(place)} are not those shipped, so a solver "
            "does what counts and uniform draws would; `make models` writes their new fingerprints",
            stacklevel=3,
        )
    return changed


def edited_digest(folder: str | None = None) -> str | None:
    """Return a digest of all models in use, None if they are not edited."""
    if not edited(folder):
        return None
    return hashlib.sha256(" ".join(state_of(models_dir(folder))).encode()).hexdigest()[:16]


def state_of(place: Path) -> tuple[str, ...]:
    """Return the fingerprints of all models in a folder."""
    return tuple(fingerprint(path) for path in sorted(place.glob("*.mzn")))


def declared_names(folder: str | None = None) -> Mapping[str, str]:
    """Return each name that the models in use declare, with the model that does."""
    place = models_dir(folder)
    return _names(place, state_of(place))


@lru_cache(maxsize=8)
def _names(place: Path, state: tuple[str, ...]) -> Mapping[str, str]:
    models: dict[str, str] = {}
    for name in MODEL_PARTS:
        for item in items(model_text(place / f"{name}.mzn")):
            if item.declared is not None:
                models.setdefault(item.declared, name)
    return MappingProxyType(models)
