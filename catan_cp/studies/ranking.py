"""Rank boards as they come, such as all that a solver lists, without storing them.

>>> from catan_cp import Board, enumerate_markers
>>> post = Board.from_notation("dlw/bgol/owbwg/lgob/wlg")
>>> with enumerate_markers(post, "blog", limit=100) as found:
...     best = rank_boards((Board("base", post.terrain, markers) for markers in found), "weak_vertices", k=1)
>>> best[0]["weak_vertices"]  # doctest: +SKIP
0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import Any

from catan_cp.arguments import check_count
from catan_cp.boards.board import Board
from catan_cp.errors import Interrupted, InvalidArgument, SolverTimeout
from catan_cp.studies.measures import DIGITS, MEASURES, Criterion, Value, read_criteria
from catan_cp.studies.reporting import Evenness, Goals, evenness, reports

Row = dict[str, Any]
"""A board by its number and notation, and its value of each criterion."""

Progress = Callable[[int, int | None], None]

_STEP = 64
"""Boards between two looks at progress and memory."""
_SPARE = 4096
"""Boards that are kept beyond those asked for, before the worst are dropped."""


def rank_boards(
    boards: Iterable[Board],
    by: str,
    k: int | None = 10,
    *,
    players: int = 4,
    objective: Goals = None,
    progress: Progress | None = None,
) -> list[Row]:
    """Return the *k* best of *boards* by some criteria (all for None), the best first.

    Few more than *k* boards are kept at a time, so there may be millions. Where perfect players settle is
    computed only where a criterion asks for it, which takes much longer than all else.

    Args:
        boards: boards with markers.
        by: measures, the best first, as in ``weak_vertices, vertex_pips_spread``: see
            `catan_cp.studies.measures.read_criteria`. All but those of games.
        k: how many; 1 or more.
        players: how many settle.
        objective: what they want, as for `catan_cp.report`.
        progress: called now and then with how many boards were ranked, and of how many (None: not known).

    Returns:
        A dict a board: ``board``, its place among *boards* from 1, which settles ties; ``notation``; and its
        value of each criterion, None where it has none, which comes last.

    Raises:
        InvalidArgument: an unknown criterion, one of games, or a *k* below 1.
        InvalidBoard: a board has no markers, or no room for all settlements where these are asked for.
        SolverTimeout: *boards* raised it; its ``partial`` is the ranking of the boards until then.
        Interrupted: Ctrl-C. A KeyboardInterrupt; its ``result`` is the ranking of the boards until then.
    """
    criteria = check_ranking(by, k)
    settled = any(MEASURES[criterion.measure].needs == "placement" for criterion in criteria)
    found: Iterator[Evenness] = reports(boards, players, objective) if settled else map(evenness, boards)

    def ranked() -> list[Row]:
        return nsmallest(len(kept) if k is None else k, kept, key=lambda row: _key(row, criteria))

    number, kept = 0, list[Row]()
    try:
        for number, one in enumerate(found, start=1):
            kept.append(_row(number, one, criteria))
            if number % _STEP == 0:
                if k is not None and len(kept) > k + _SPARE:
                    kept = ranked()
                if progress is not None:
                    progress(number, None)
    except SolverTimeout as timeout:
        timeout.partial = ranked()
        raise
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {number:,} boards were ranked", ranked()) from None
    return ranked()


def check_ranking(by: str, k: int | None) -> tuple[Criterion, ...]:
    """Return the criteria to rank by, before any board is made.

    Raises:
        InvalidArgument: an unknown criterion, one of games, or a *k* below 1.
    """
    criteria = read_criteria(by)
    for criterion in criteria:
        if MEASURES[criterion.measure].needs == "games":
            raise InvalidArgument(
                f"no games are played to rank boards, which {criterion.measure} needs; make a study"
            )
    if k is not None:
        check_count("k", k, 1)
    return criteria


def _row(number: int, found: Evenness, criteria: Sequence[Criterion]) -> Row:
    values = {criterion.measure: MEASURES[criterion.measure].of(found) for criterion in criteria}
    return {"board": number, "notation": found.board.notation(), **values}


def _key(row: Row, criteria: Sequence[Criterion]) -> tuple[float, ...]:
    """Return what sorts a row: the order that `catan_cp.studies.measures.order_sql` asks SQLite for."""
    key: list[float] = []
    for criterion in criteria:
        value: Value = row[criterion.measure]
        known = 0.0 if value is None else round(value, DIGITS)
        key += [value is None, -known if criterion.descending else known]
    return (*key, row["board"])
