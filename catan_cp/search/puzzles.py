"""Puzzles: patterns that one board alone completes, from which nothing can be left out."""

from __future__ import annotations

from collections.abc import Sequence

from catan_cp.arguments import random_source
from catan_cp.boards.board import Board
from catan_cp.errors import InvalidBoard, InvalidRules, show
from catan_cp.rules.constraint import Constraint
from catan_cp.rules.model_data import joint_task, spread
from catan_cp.rules.rules import Rules, find_rules
from catan_cp.search.tasks import Clock, first_row, read_board

Clue = tuple[int, str]
"""A tile, and which of it is given: ``"terrain"`` or ``"marker"``."""


def minimal_pattern(
    board: Board | str,
    rules: str | Rules,
    *,
    seed: int | None = None,
    solver: str = "auto",
    timeout: float | None = None,
) -> str:
    """Return a pattern that *board* alone completes under *rules*, and of which no clue can be left out.

    The clues are left out one by one, in an order that *seed* chooses, as long as no other board completes
    what is left. Every other board that is found on the way is remembered: a clue that alone rules it out
    must stay, and needs no search.

    Args:
        board: a complete board that the rules allow.
        rules: rules or a preset's name, without a pattern, whose place the one that is found takes; those
            that lay harbors anew leave no board alone.
        seed: any whole number; None leaves clues out in reading order.
        solver: ``auto``, or a solver's name.
        timeout: seconds until `SolverTimeout`.

    Raises:
        InvalidBoard: a board without markers, or one that the rules do not allow.
        InvalidRules: rules that shuffle harbors, or that have a pattern.
        SolverNotFound, SolverTimeout, SolverFailed: as their names say.
    """
    given = Board.from_notation(board) if isinstance(board, str) else board
    if not isinstance(given, Board) or not given.has_markers:
        raise InvalidBoard(f"a puzzle is made of a complete board with markers, not {show(board)}")
    read_rules = find_rules(rules)
    if broken := read_rules.check(given):
        raise InvalidBoard(f"the rules do not allow {show(given.notation())}: {broken[0]}")
    if read_rules.pattern is not None:
        raise InvalidRules(
            f"a puzzle is a pattern, and the rules have one, {show(read_rules.pattern)}; say in constraints "
            "what is to hold"
        )
    if read_rules.harbors == "shuffled":
        raise InvalidRules("a pattern gives no harbors, so under harbors='shuffled' no board is the only one")
    clock = Clock(timeout)
    clues: list[Clue] = [(t, "terrain") for t in range(given.layout.n_tiles)]
    clues += [(t, "marker") for t, marker in enumerate(given.markers) if marker is not None]
    order = list(clues)
    if seed is not None:
        random_source(seed).shuffle(order)
    others: list[Board] = []
    for clue in order:
        rest = [each for each in clues if each != clue]
        if any(_agrees(other, given, rest) for other in others):
            continue
        other = _other_board(given, read_rules, rest, solver, clock)
        if other is None:
            clues = rest
        else:
            others.append(other)
    return _pattern(given, clues)


def _agrees(other: Board, board: Board, clues: Sequence[Clue]) -> bool:
    terrains = all(other.terrain[t] == board.terrain[t] for t, which in clues if which == "terrain")
    return terrains and all(other.markers[t] == board.markers[t] for t, which in clues if which == "marker")


def _other_board(
    board: Board, rules: Rules, clues: Sequence[Clue], solver: str, clock: Clock
) -> Board | None:
    """Return a board that agrees with the clues and is not *board*, None where there is none."""
    codes = [board.layout.terrain_codes[name] for name in board.terrain]
    markers = [marker or 0 for marker in board.markers]
    differs = Constraint(
        f"exists(t in TILE)(terrain[t] != {codes}[t] \\/ marker[t] != {markers}[t])", "another board"
    )
    given = rules.replace(pattern=_pattern(board, clues), constraints=(*rules.constraints, differs))
    task = joint_task(given, board.layout, spread(solver))
    row = first_row(task, solver, clock, 0, free=True)
    return None if row is None else read_board(board.layout, row)


def _pattern(board: Board, clues: Sequence[Clue]) -> str:
    """Return the pattern of these clues."""
    letter = {name: key for key, name in board.layout.letters.items()}
    known = set(clues)
    cells = [
        (letter[name] if (t, "terrain") in known else "x") + (str(marker) if (t, "marker") in known else "")
        for t, (name, marker) in enumerate(zip(board.terrain, board.markers, strict=True))
    ]
    rows = "/".join("".join(cells[t] for t in row) for row in board.layout.row_tiles)
    _, at, name = board.notation().partition("@")
    return rows + at + name
