"""The work of a study, in pieces that travel: a chunk goes out to some process, an outcome comes back.

A chunk says everything that its boards depend on, so it gives the same outcome wherever and whenever it is
worked on. Both are small and made of plain values: a chunk is under a kilobyte, or the notations of its
boards where they are given.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b

from catan_cp import __version__
from catan_cp.boards.board import Board
from catan_cp.studies.measures import Value, score_row
from catan_cp.studies.reporting import Report, reports
from catan_cp.studies.study import Study


@dataclass(frozen=True)
class Chunk:
    """Some boards to make, or given, and to score.

    Attributes:
        number: its place in the study, from 0.
        size: how many boards to make.
        study: what they are made and scored by.
        notations: the boards, where they are given.
        timeout: seconds that making them may take.
        attempt: how often it was tried, this time included.
    """

    number: int
    size: int
    study: Study
    notations: tuple[str, ...] | None
    timeout: float
    attempt: int = 1


@dataclass(frozen=True)
class Outcome:
    """What came of a chunk.

    Attributes:
        chunk: its number.
        notations: the boards.
        rows: their scores, in the order of `catan_cp.studies.measures.MEASURES`.
        presets: the presets that each of them satisfies, in alphabetical order.
        versions: of the library, and of the solver where one was used.
        machine: where it was worked on.
    """

    chunk: int
    notations: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    presets: tuple[tuple[str, ...], ...]
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
    study, version = chunk.study, None
    if chunk.notations is not None:
        boards = [Board.from_notation(notation, study.layout) for notation in chunk.notations]
    else:
        from catan_cp.search.generate import generate_boards
        from catan_cp.solving.find import find_solver

        assert study.seed is not None
        version = None if study.solver is None else find_solver(study.solver).version
        made = generate_boards(
            chunk.size,
            study.rules,
            study.layout,
            seed=chunk_seed(study.seed, chunk.number),
            method="uniform" if study.solver is None else "solver",
            solver=study.solver or "auto",
            timeout=chunk.timeout,
        )
        boards = list(made)
    found = [_played(report, study) for report in reports(boards, study.players, study.objective)]
    return Outcome(
        chunk.number,
        chunk.notations or tuple([board.notation() for board in boards]),
        tuple([score_row(report) for report in found]),
        tuple([tuple(sorted(report.presets)) for report in found]),
        (__version__, version),
        platform.node(),
    )


def _played(report: Report, study: Study) -> Report:
    """Return the report with the games that the study asks for. Their seed depends on the board alone."""
    if not study.games:
        return report
    from catan_cp.play import play_games

    seed = int.from_bytes(blake2b(report.board.notation().encode(), digest_size=6).digest())
    return replace(report, games=play_games(report.board, study.games, players=study.played_by, seed=seed))
