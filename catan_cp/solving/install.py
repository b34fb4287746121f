"""Bring a private copy of MiniZinc, Gecode and Chuffed on a Debian-family machine, without root."""

from __future__ import annotations

from pathlib import Path


def private_folder() -> Path:
    """Return the folder of the private copy, whether it is there or not: in the user's cache folder."""
    import platformdirs

    return platformdirs.user_cache_path("catan-cp", appauthor=False) / "minizinc"
