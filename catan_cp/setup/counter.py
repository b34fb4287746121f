"""Registration of the exact counter as a solver of MiniZinc and the MiniZinc IDE.

MiniZinc reads configurations of solvers from a folder of the user. The program there starts the counter with
this Python. If the package was removed, the program says so.
"""

import json
import os
import shlex
import sys
from pathlib import Path

from catan_cp.anymodel.models import LIBRARY
from catan_cp.errors import CatanError
from catan_cp.files import write_whole

_UNIX = """#!/bin/sh
# Starts the counter of catan-cp for MiniZinc.
python={python}
[ -x "$python" ] || {{ echo "catan-cp is not installed: $python is missing; remove {config}" >&2; exit 1; }}
"$python" -P -c 'import catan_cp' 2>/dev/null || {{
    echo "catan-cp is not installed for $python; remove {config}" >&2; exit 1
}}
exec "$python" -P -m catan_cp.anymodel.fzn "$@"
"""
_WINDOWS = """@echo off
"{python}" -P -m catan_cp.anymodel.fzn %*
"""
_NAME = "catan-cp-count"


def solvers_folder() -> Path:
    """Return the folder where MiniZinc looks for the user's solvers."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home())) / "MiniZinc" / "solvers"
    return Path.home() / ".minizinc" / "solvers"


def register_counter() -> Path:
    """Write the configuration by which ``minizinc --solver count`` works, and return its path.

    An earlier one is replaced.

    Raises:
        CatanError: the folder cannot be written.
    """
    folder = solvers_folder()
    config, program = _files(folder)
    template, quote = (_WINDOWS, str) if sys.platform == "win32" else (_UNIX, shlex.quote)
    settings = json.loads(LIBRARY.read_text(encoding="utf-8"))
    settings |= {"executable": str(program), "mznlib": str(LIBRARY.parent)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(program, template.format(python=quote(sys.executable), config=config), force=True)
        program.chmod(0o755)
        write_whole(config, json.dumps(settings, indent=2) + "\n", force=True)
    except OSError as problem:
        raise CatanError(f"cannot write {folder}: {problem.strerror or problem}") from None
    return config


def unregister_counter() -> Path | None:
    """Remove the configuration, and return its path, or None if there was none."""
    config, program = _files(solvers_folder())
    existed = config.exists()
    for file in (config, program):
        file.unlink(missing_ok=True)
    return config if existed else None


def _files(folder: Path) -> tuple[Path, Path]:
    """Return the configuration and the program."""
    return folder / f"{_NAME}.msc", folder / (f"{_NAME}.cmd" if sys.platform == "win32" else _NAME)
