"""What a backend says of itself. A solver is one module beside this one that makes one `Backend`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Listing = Literal["ordered", "unordered", "one"]
"""How a solver lists solutions.

``ordered``: all of them, in ascending order of the variables that the model branches on, as the model's
search annotation asks; ``unordered``: all of them, in any order; ``one``: a single solution a run.
"""

IN_ORDER = 1
"""The models' ``search`` that asks for ascending order."""


@dataclass(frozen=True)
class Program:
    """The command line of a FlatZinc program that we start ourselves, without MiniZinc in between.

    Attributes:
        seed: the option before the random seed.
        milliseconds: the option before the time limit.
        restarts: the options of a search that restarts after the Luby sequence.
        standard_input: the argument that has it read the model from there, if it needs one.
    """

    seed: str
    milliseconds: str
    restarts: tuple[str, ...]
    standard_input: tuple[str, ...] = ()


@dataclass(frozen=True)
class Backend:
    """A solver: how MiniZinc names it, how it is started, and what it can do.

    Attributes:
        name: what users call it.
        ids: MiniZinc's identifiers, the newest first.
        listing: how it lists solutions.
        repeats: whether it may print a solution again, because it forgets what it has seen.
        random_search: the models' ``search`` with which its random seed decides where a run starts;
            `IN_ORDER` where it has no random search.
        optimises: whether it minimises and maximises.
        crashes: exit statuses that mean a crash, beside the signals that do.
        program: how we start it; None where MiniZinc starts it.
        plugin: returns the options with which MiniZinc finds the solver's library, where it needs any.
        package: the Python package that brings it, where one does.
        aliases: other names.
    """

    name: str
    ids: tuple[str, ...]
    listing: Listing
    repeats: bool = False
    random_search: int = IN_ORDER
    optimises: bool = True
    crashes: tuple[int, ...] = ()
    program: Program | None = None
    plugin: Callable[[], tuple[str, ...]] = field(default=tuple)
    package: str | None = None
    aliases: tuple[str, ...] = ()

    @property
    def lists_by(self) -> str:
        """How all solutions are had, each once, in words."""
        return {
            "ordered": "lists in order",
            "unordered": "lists without order, remembering what it has seen",
            "one": "lists by excluding what was found and solving again",
        }[self.listing]
