"""The solvers: one table, and what is made of a solver that is not in it.

A new solver is one `Backend` in the table. This is all there is to say of one, as the tests run it; what is
left out costs speed, and never a solution:

>>> EXAMPLE = Backend(
...     name="mine",  # what users write: solver="mine"
...     ids=("org.example.mine",),  # as `minizinc --solvers-json` lists it; older names behind
...     listing="unordered",  # "ordered" is believed, checked, and faster; "one" excludes and asks again
...     repeats=False,  # whether it may print a solution twice, because it forgets
...     random_search=IN_ORDER,  # the models' `search` whose choices follow the solver's seed
...     optimises=True,  # whether `best_board` may ask it
...     crashes=(),  # exit statuses on which another solver is asked
...     aliases=("my-solver",),  # what users may write as well
... )
>>> EXAMPLE.lists_by
'lists without order, remembering what it has seen'

With a `Program` its FlatZinc program is started by us and not by MiniZinc, and its output goes straight into
numpy.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

Listing = Literal["ordered", "unordered", "one"]
"""How a solver lists solutions.

``ordered``: all of them, in ascending order of the variables that the model branches on, as the model's
search annotation asks; ``unordered``: all of them, in any order; ``one``: a single solution a run.
"""

IN_ORDER = 1
"""The models' ``search`` that asks for ascending order."""

AUTO = ("chuffed", "gecode")
"""What ``solver="auto"`` tries, best first."""

_HIGHS = ("libhighs.so*", "libhighs*.dylib", "highs.dll")


@dataclass(frozen=True)
class Program:
    """The command line of a FlatZinc program that we start ourselves, without MiniZinc in between.

    Attributes:
        seed: the option before the random seed.
        milliseconds: the option before the time limit.
        restarts: the options of a search that restarts after the Luby sequence.
    """

    seed: str
    milliseconds: str
    restarts: tuple[str, ...]


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
    def names(self) -> tuple[str, ...]:
        """All that users may call it."""
        return self.name, *self.aliases, *self.ids

    @property
    def lists_by(self) -> str:
        """How all solutions are had, each once, in words."""
        return {
            "ordered": "lists in order",
            "unordered": "lists without order, remembering what it has seen",
            "one": "lists by excluding what was found and solving again",
        }[self.listing]


def _highs_library() -> tuple[str, ...]:
    """Return the option that names highspy's library; none without highspy: MiniZinc looks itself then."""
    spec = find_spec("highspy")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for pattern in _HIGHS:
            for library in sorted(Path(folder).glob(pattern)):
                return ("--highs-dll", str(library))
    return ()


_TABLE = (
    # Learns clauses (lazy clause generation). It jumps back over parts of the search tree that it has not
    # finished and keeps the solutions there as clauses; when these are too many it drops some, and meets
    # those solutions again. On some models without a solution it crashes, or asks for more memory than there
    # is and ends with status 1.
    Backend(
        name="chuffed",
        ids=("org.chuffed.chuffed", "org.minizinc.chuffed"),  # the second in MiniZinc for WebAssembly
        listing="ordered",
        repeats=True,
        random_search=2,
        crashes=(1,),
        program=Program(
            seed="--rnd-seed", milliseconds="-t", restarts=("--restart", "luby", "--restart-scale", "50")
        ),
    ),
    # Propagates and backtracks, and learns nothing.
    Backend(
        name="gecode",
        ids=("org.gecode.gecode", "org.minizinc.gecode_presolver"),  # the second in MiniZinc for WebAssembly
        listing="ordered",
        random_search=3,
        program=Program(
            seed="-r", milliseconds="-time", restarts=("-restart", "luby", "-restart-scale", "50")
        ),
    ),
    # OR-Tools: learns clauses in several threads, so its order is that of chance.
    Backend(
        name="cp-sat",
        ids=("com.google.ortools.sat", "com.google.or-tools"),
        listing="unordered",
        aliases=("cpsat", "or-tools", "ortools"),
    ),
    # A mixed integer solver: a library that MiniZinc loads. The Python package highspy brings it.
    Backend(
        name="highs",
        ids=("org.minizinc.mip.highs",),
        listing="one",
        plugin=_highs_library,
        package="highspy",
    ),
    # COIN-OR branch and cut, a mixed integer solver that is built into MiniZinc.
    Backend(name="coin-bc", ids=("org.minizinc.mip.coin-bc",), listing="one", aliases=("cbc",)),
    # A mixed integer solver: a library that MiniZinc loads from where the system has its libraries.
    Backend(name="scip", ids=("org.minizinc.mip.scip",), listing="one"),
)

BACKENDS: dict[str, Backend] = {backend.name: backend for backend in _TABLE}
"""The backends by name."""


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
