"""Where the MiniZinc models are: at the top of a checkout, inside the package once installed."""

from __future__ import annotations

from pathlib import Path

from catan_cp.errors import CatanError

_PACKAGE = Path(__file__).resolve().parent.parent


def models_dir() -> Path:
    """Return the folder of the ``.mzn`` files.

    Raises:
        CatanError: it is missing, so the package is not whole.
    """
    for folder in (_PACKAGE / "models", _PACKAGE.parent / "models"):
        if (folder / "board.mzn").is_file():
            return folder
    raise CatanError(f"the models are missing beside {_PACKAGE}; install catan-cp again")
