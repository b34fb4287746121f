"""HiGHS, a mixed integer solver: a library that MiniZinc loads. The Python package highspy brings it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from catan_cp.solving.backends.declaration import Backend

_LIBRARIES = ("libhighs.so*", "libhighs*.dylib", "highs.dll")


def _library() -> tuple[str, ...]:
    """Return the option that names highspy's library; none without highspy: MiniZinc looks itself then."""
    spec = find_spec("highspy")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for pattern in _LIBRARIES:
            for library in sorted(Path(folder).glob(pattern)):
                return ("--highs-dll", str(library))
    return ()


BACKEND = Backend(
    name="highs",
    ids=("org.minizinc.mip.highs",),
    listing="one",
    plugin=_library,
    package="highspy",
)
