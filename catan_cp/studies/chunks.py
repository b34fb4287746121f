"""The work of a study, in pieces that travel: a chunk goes out to some process, an outcome comes back.

A chunk says everything that its boards depend on, so it gives the same outcome wherever and whenever it is
worked on. Both are small and made of plain values: a chunk is under a kilobyte, or the notations of its
boards where they are given.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from catan_cp import __version__
from catan_cp.boards.board import Board
from catan_cp.placement import Objective
from catan_cp.rules.rules import Rules
from catan_cp.studies.reporting import reports
from catan_cp.studies.scores import Value, score_row


@dataclass(frozen=True)
class Chunk:
    """Some boards to make, or given, and to score.

    Attributes:
        number: its place in the study, from 0.
        size: how many boards to make.
        layout: the layout's name.
        rules: what the boards keep.
        seed: of this chunk; None where boards are given.
        notations: the boards, where they are given.
        players, objectives: how they are scored.
        solver: which solver makes them.
        timeout: seconds that making them may take.
        attempt: how often it was tried, this time included.
    """

    number: int
    size: int
    layout: str
    rules: Rules
    seed: int | None
    notations: tuple[str, ...] | None
    players: int
    objectives: tuple[Objective, ...]
    solver: str
    timeout: float
    attempt: int = 1


@dataclass(frozen=True)
class Outcome:
    """What came of a chunk.

    Attributes:
        chunk: its number.
        notations: the boards.
        rows: their scores, in the order of `catan_cp.studies.scores.COLUMNS`.
        versions: of the library, and of the solver where one was used.
        machine: where it was worked on.
    """

    chunk: int
    notations: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    versions: tuple[str, str | None]
    machine: str


def chunk_seed(seed: int, number: int) -> int:
    """Return the seed of one chunk of a study: 63 bits of the BLAKE2b of both numbers."""
    return int.from_bytes(blake2b(f"{seed} {number}".encode(), digest_size=8).digest()) >> 1


def digest(notations: Iterable[str]) -> str:
    """Return what tells these boards, in this order, from any others."""
    return blake2b("\n".join(notations).encode(), digest_size=16).hexdigest()


def work(chunk: Chunk) -> Outcome:
    """Make the boards of a chunk, or read those given, and score them."""
    version = None
    if chunk.notations is not None:
        boards = [Board.from_notation(notation, chunk.layout) for notation in chunk.notations]
    else:
        from catan_cp.search.generate import generate_boards
        from catan_cp.solving.find import find_solver

        version = find_solver(chunk.solver).version
        made = generate_boards(
            chunk.size,
            chunk.layout,
            chunk.rules,
            seed=chunk.seed,
            solver=chunk.solver,
            timeout=chunk.timeout,
        )
        boards = list(made)
    rows = tuple([score_row(found) for found in reports(boards, chunk.players, chunk.objectives)])
    notations = chunk.notations or tuple([board.notation() for board in boards])
    return Outcome(chunk.number, notations, rows, (__version__, version), platform.node())
