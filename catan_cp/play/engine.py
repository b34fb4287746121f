"""Whether the engine, Catanatron, is installed. Its licence is the GPL, so it is never bundled."""

from __future__ import annotations

from functools import cache
from importlib import metadata

from catan_cp.errors import CatanError, extra

INSTALL = extra("play")
KNOWN = "3.2.1"
"""The version that the bridge was checked against; its faults are corrected in `catan_cp.play.table`."""


@cache
def engine_version() -> str:
    """Return the version of the engine that is installed.

    Raises:
        CatanError: none is, or one that the bridge was not checked against.
    """
    try:
        version = metadata.version("catanatron")
    except metadata.PackageNotFoundError:
        raise CatanError(f"playing games needs Catanatron, which is not installed: {INSTALL}") from None
    if version != KNOWN:
        raise CatanError(f"games are played by Catanatron {KNOWN}, but {version} is installed: {INSTALL}")
    return version
