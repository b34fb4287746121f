"""Any solver that MiniZinc lists and that has no module here: MiniZinc starts it, and we promise little."""

from __future__ import annotations

from collections.abc import Collection

from catan_cp.solving.backends.declaration import Backend


def generic(identifier: str, name: str, flags: Collection[str]) -> Backend:
    """Return the backend of a solver with MiniZinc's *identifier* and the standard *flags* that it takes.

    With ``-a`` it lists, in an order of which we know nothing; else it gives one solution a run.
    """
    return Backend(
        name=identifier.rpartition(".")[2].lower(),
        ids=(identifier,),
        listing="unordered" if "-a" in flags else "one",
        aliases=(name.lower(),),
    )
