"""The best board by a measure, with proof, and the allowed board nearest to a given one.

>>> found = best_board("optimal", minimize="largest_vertex_sum")
>>> found.value, found.proven
(21, True)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout
from catan_cp.errors import Infeasible, InvalidArgument, InvalidBoard, SolverTimeout, show
from catan_cp.rules.constraint import Constraint, own_text, terrain_words
from catan_cp.rules.model_data import joint_task, no_harbor, trade_code
from catan_cp.rules.rules import Rules, find_rules
from catan_cp.search.clashes import board_clash, refuse_crowded
from catan_cp.search.tasks import Clock, checked, read_board
from catan_cp.solving.models import declared_names, models_dir, state_of

if TYPE_CHECKING:
    from pathlib import Path

    from catan_cp.solving.compiling import Compiled
    from catan_cp.solving.find import FoundSolver

_MEASURE = re.compile(r"(?m)^% (.+)\nfunction var int: (\w+)\(\) =")


@dataclass(frozen=True)
class Best:
    """A board and how good it is.

    Attributes:
        board: the board.
        value: the value of the measure; of each measure, where a list of them was given.
        bound: no board has a better value than this (of each measure): the value itself where that is proven,
            and None where nothing is known.
        proven: whether it is proven that no board is better.
    """

    board: Board
    value: int | tuple[int, ...]
    bound: int | tuple[int | None, ...] | None
    proven: bool


Improved = Callable[[Best], None]
"""Told of each better board."""

Measures = str | Sequence[str]
"""A measure, or several in the order of their weight: a name of `measures`, or MiniZinc text of a number."""


@dataclass(frozen=True)
class _Goal:
    """A measure and its sign: 1 to minimise it, -1 to maximise it."""

    text: str
    sign: int


def measures(models: str | None = None) -> Mapping[str, str]:
    """Return the named measures that ``models/measures.mzn`` declares, each with what it says."""
    folder = models_dir(models)
    return _measures(folder, state_of(folder))


@lru_cache(maxsize=8)
def _measures(folder: Path, state: tuple[str, ...]) -> Mapping[str, str]:
    text = (folder / "measures.mzn").read_text(encoding="utf-8")
    return MappingProxyType({name: says for says, name in _MEASURE.findall(text)})


def best_board(
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    minimize: Measures | None = None,
    maximize: Measures | None = None,
    solver: str = "auto",
    timeout: float | None = None,
    improved: Improved | None = None,
) -> Best:
    """Return the board that is best by a measure, of all that the rules allow.

    Of several measures the first decides, then the next among boards that are equal by it, and so on
    (lexicographic order): those to minimise in their order, then those to maximise. Where the time limit
    passes, or Ctrl-C is pressed, the best board so far is returned, with ``proven`` false.

    Args:
        rules: rules or a preset's name.
        layout: a layout or its name.
        minimize: a measure, or several: names of `measures`, or MiniZinc text of a whole number.
        maximize: likewise.
        solver: any that optimises; ``auto`` is Chuffed where it is, which learns, else Gecode.
        timeout: seconds until the best so far is returned.
        improved: told of each better board as it is found.

    Raises:
        InvalidArgument: no measure, or one that is no whole number; a solver that cannot optimise.
        InvalidRules, InvalidBoard: rules, a layout or a measure's text that cannot be.
        Infeasible: no board satisfies the rules.
        SolverTimeout: the time limit passed before there was any board.
        SolverNotFound, SolverFailed: as their names say.
    """
    read_rules, read_layout = find_rules(rules), find_layout(layout)
    read_rules.check_layout(read_layout)
    goals = [*_goals("minimize", minimize, 1), *_goals("maximize", maximize, -1)]
    if not goals:
        raise InvalidArgument(
            "best by what? give minimize or maximize, such as minimize='largest_vertex_sum'"
        )
    several = len(goals) > 1 or not all(isinstance(each, (str, type(None))) for each in (minimize, maximize))
    if several:
        return _best(read_rules, read_layout, goals, solver, Clock(timeout), improved)
    told = improved and (lambda found: improved(_single(found)))
    return _single(_best(read_rules, read_layout, goals, solver, Clock(timeout), told))


def repair_board(
    board: Board | str,
    rules: str | Rules,
    *,
    solver: str = "auto",
    timeout: float | None = None,
    improved: Improved | None = None,
) -> Best:
    """Return the allowed board that differs from *board* on the fewest tiles, with proof.

    A tile differs by its terrain or its marker; where *board* has no markers yet, by its terrain. Harbors
    stay as they are where the rules lay none, and change as little as they must where the rules shuffle them.

    Returns:
        The board; its value is the number of tiles that differ.

    Raises:
        As `best_board` does.
    """
    given = Board.from_notation(board) if isinstance(board, str) else board
    if not isinstance(given, Board):
        raise InvalidBoard(f"repair_board takes a Board, not {show(board)}")
    read_rules = find_rules(rules)
    read_rules.check_layout(given.layout)
    codes = [given.layout.terrain_codes[name] for name in given.terrain]
    differs = f"terrain[t] != {codes}[t]"
    if given.has_markers:
        differs += f" \\/ marker[t] != {[marker or 0 for marker in given.markers]}[t]"
    goals = [_Goal(f"sum(t in TILE)(bool2int({differs}))", 1)]
    if read_rules.harbors == "shuffled" and given.harbors:
        trade = {harbor.vertices: trade_code(harbor.trade) for harbor in given.harbors}
        here = [trade.get(edge, no_harbor(given.layout)) for edge in given.layout.harbor_places]
        goals.append(_Goal(f"sum(h in HARBOR)(bool2int(harbor[h] != {here}[h]))", 1))

    def with_harbors(found: Best) -> Best:
        board = found.board
        if read_rules.harbors == "none" and given.harbors:
            board = Board(board.layout, board.terrain, board.markers, given.harbors)
        return replace(_single(found), board=board)

    told = improved and (lambda found: improved(with_harbors(found)))
    return with_harbors(_best(read_rules, given.layout, goals, solver, Clock(timeout), told))


def _single(found: Best) -> Best:
    """Return what was found by the first measure alone."""
    assert isinstance(found.value, tuple) and isinstance(found.bound, tuple)
    return replace(found, value=found.value[0], bound=found.bound[0])


def _goals(what: str, measures: Measures | None, sign: int) -> Iterator[_Goal]:
    if measures is None:
        return
    for text in measures if isinstance(measures, (list, tuple)) else [measures]:
        if not isinstance(text, str) or not text.strip():
            raise InvalidArgument(f"{what} is a measure's name or MiniZinc text, not {show(text)}")
        yield _Goal(text.strip(), sign)


def _best(
    rules: Rules, layout: Layout, goals: Sequence[_Goal], solver: str, clock: Clock, improved: Improved | None
) -> Best:
    """Optimise one measure after the other, each with those before it kept at their best."""
    from catan_cp.solving.find import find_solver

    chosen = find_solver(solver)
    if not chosen.backend.optimises:
        raise InvalidArgument(f"the solver {chosen.name} cannot optimise; name another, such as chuffed")
    found: Best | None = None
    kept: list[Constraint] = []
    for goal in goals:
        text = _text(goal, rules)
        before = found
        found = _Search(rules, layout, chosen, clock, text, goal, tuple(kept), before).run(improved)
        assert isinstance(found.value, tuple)
        kept.append(Constraint(f"{text} = {found.value[-1]}"))
        if not found.proven:
            break
    assert found is not None
    return found


def _text(goal: _Goal, rules: Rules) -> str:
    known = measures(rules.models)
    if re.fullmatch(r"[A-Za-z]\w*", goal.text) and goal.text not in declared_names(rules.models):
        from catan_cp.arguments import did_you_mean
        from catan_cp.errors import listed

        meant = did_you_mean(goal.text, known)
        raise InvalidArgument(f"unknown measure {goal.text!r}; {meant}measures are {listed(known)}")
    return f"{goal.text}()" if goal.text in known else f"({goal.text})"


@dataclass(frozen=True)
class _Search:
    """The search for the best board by one measure."""

    rules: Rules
    layout: Layout
    solver: FoundSolver
    clock: Clock
    text: str
    goal: _Goal
    kept: tuple[Constraint, ...]
    before: Best | None

    def run(self, improved: Improved | None) -> Best:
        """Return the best board that is found until the time is over."""
        found: Best | None = None
        proven = False
        try:
            compiled = self._compiled()
            with closing(self._rows(compiled)) as rows:
                for row in rows:
                    if row is None:
                        proven = True
                        break
                    found = self._read(row)
                    if improved is not None:
                        improved(found)
        except (SolverTimeout, KeyboardInterrupt):
            if found is None and self.before is None:
                raise
        if found is None:
            if not proven:
                assert self.before is not None
                return replace(self.before, proven=False)
            raise self._none()
        assert isinstance(found.value, tuple)
        return replace(found, bound=found.value, proven=True) if proven else found

    def _rows(self, compiled: Compiled) -> Generator[list[int] | None, None, None]:
        """Yield better and better solutions, and None once it is proved that there is no better one."""
        from catan_cp.solving.binding import improving

        return improving(compiled, self.clock.left)

    def _compiled(self) -> Compiled:
        from catan_cp.solving.compiling import compile_model

        task = joint_task(self.rules, self.layout)
        value = Constraint(f"value = {self.goal.sign} * {self.text}", says=f"the measure {self.goal.text}")
        known = {**declared_names(self.rules.models), "value": "measures"}
        codes = self.layout.terrain_codes
        value.check_names(known, terrain_words(codes))
        refuse_crowded(self.rules, self.layout)
        own = own_text((*self.rules.constraints, *self.kept, value), known, codes)
        return compile_model(
            "best", task.data, self.solver, self.clock.left(), models=self.rules.models, own=own
        )

    def _read(self, row: list[int]) -> Best:
        board = checked(read_board(self.layout, row[1:]), self.rules, self.solver.name)
        values, bounds = ((), ()) if self.before is None else (self.before.value, self.before.bound)
        assert isinstance(values, tuple) and isinstance(bounds, tuple)
        return Best(board, (*values, self.goal.sign * row[0]), (*bounds, None), False)

    def _none(self) -> Infeasible:
        return board_clash(self.rules, self.layout, self.solver.name)
