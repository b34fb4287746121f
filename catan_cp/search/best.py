"""The best board by a measure, with proof; the allowed board nearest to a given one; and puzzles.

>>> found = best_board("optimal", minimize="largest_vertex_sum")
>>> found.value, found.proven
(21, True)
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.errors import InvalidArgument, InvalidBoard, InvalidRules, SolverTimeout, listed, show
from catan_cp.model_files import MEASURES, declared_names, model_text, models_dir
from catan_cp.progress import Progress, Watch, watching
from catan_cp.rules.constraint import Constraint, join_constraints, terrain_words
from catan_cp.rules.rules import Rules, find_rules, read_asked
from catan_cp.search.conflicts import board_conflict, reject_crowded
from catan_cp.search.model_data import joint_task, no_harbor, spread, trade_code
from catan_cp.search.questions import Clock, check_board, confirm_board, first_row, read_board
from catan_cp.solving import find
from catan_cp.solving.compiling import Task

_MEASURE = re.compile(r"(?m)^% (.+)\nfunction var int: (\w+)\(\) =")


@dataclass(frozen=True)
class BestBoard:
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


Measures = str | Sequence[str]
"""A measure, or several in the order of their weight: a name of `measures`, or MiniZinc text of a number."""

_VALUE = {"value": "measures"}
"""The variable that is optimised, and the model that declares it."""
_Goal = tuple[int, str, Constraint]
"""A sign, 1 to minimise and -1 to maximise; a measure's text; and the constraint that names their product."""


def measures(models: str | None = None) -> Mapping[str, str]:
    """Return the named measures of the models, each with the sentence above it."""
    texts = [model_text(models_dir(models) / f"{name}.mzn") for name in MEASURES]
    return {name: says for says, name in _MEASURE.findall("".join(texts))}


def best_board(
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    minimize: Measures | None = None,
    maximize: Measures | None = None,
    solver: str = "auto",
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> BestBoard:
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
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress` for each better board, which is its ``best``.

    Raises:
        InvalidArgument: no measure, or one that is no whole number; a solver that cannot optimise.
        InvalidRules, InvalidBoard: rules, a layout or a measure's text that cannot be.
        Infeasible: no board satisfies the rules.
        SolverTimeout: the time limit passed before there was any board.
        SolverNotFound, SolverFailed: as their names say.
    """
    rules, layout = read_asked(rules, layout)
    goals = [
        *_goals("minimize", minimize, 1, rules, layout),
        *_goals("maximize", maximize, -1, rules, layout),
    ]
    if not goals:
        raise InvalidArgument(
            "best by what? give minimize or maximize, such as minimize='largest_vertex_sum'"
        )
    several = len(goals) > 1 or not all(isinstance(each, (str, type(None))) for each in (minimize, maximize))
    return _best(
        rules, layout, goals, solver, timeout, progress, (lambda found: found) if several else _single
    )


def repair_board(
    board: Board | str,
    rules: str | Rules,
    *,
    solver: str = "auto",
    timeout: float | None = None,
    progress: bool | Watch = False,
) -> BestBoard:
    """Return the allowed board that differs from *board* on the fewest tiles, with proof.

    A tile differs by its terrain or its marker; if *board* has no markers yet, by its terrain. Of the boards
    that differ least, harbors and fishing grounds decide. Under ``harbors="none"`` harbors stay. Those that
    would no longer lie between land and sea are left out, as few as possible. If the rules shuffle harbors,
    as few as possible change. The same holds for fishing grounds.

    Returns:
        The board; its value is the number of tiles that differ.

    Raises:
        As `best_board` does.
    """
    given = Board.from_notation(board) if isinstance(board, str) else board
    if not isinstance(given, Board):
        raise InvalidBoard(f"repair_board takes a Board, not {show(board)}")
    rules, _ = read_asked(rules, given.layout)
    harbors = rules.harbors
    kept = given.harbors if harbors == "none" else ()
    between = [tiles for harbor in kept if len(tiles := given.layout.edge_tiles[harbor.vertices]) == 2]
    counted = [f"sum(t in TILE)(bool2int({_differs(given)}))"]
    if harbors == "shuffled" and given.harbors:
        trade = {harbor.vertices: trade_code(harbor.trade) for harbor in given.harbors}
        here = [trade.get(edge, no_harbor(given.layout)) for edge in given.layout.harbor_places]
        counted.append(f"sum(h in HARBOR)(bool2int(harbor[h] != {here}[h]))")
    if between:
        lost = (f"(terrain[{a + 1}] = SEA) = (terrain[{b + 1}] = SEA)" for a, b in between)
        counted.append(" + ".join(f"bool2int({each})" for each in lost))
    if given.fishing_grounds and given.layout.fishing_grounds:
        number = {ground.vertices: ground.marker for ground in given.fishing_grounds}
        here = [number.get(three, 0) for three in given.layout.ground_places]
        counted.append(f"sum(g in GROUND)(bool2int(ground[g] != {here}[g]))")

    def with_harbors(found: BestBoard) -> BestBoard:
        board = found.board
        if kept:
            on_coast = [harbor for harbor in kept if board.layout.is_on_coast(harbor.vertices, board.terrain)]
            board = Board(board.layout, board.terrain, board.markers, on_coast, board.fishing_grounds)
        return replace(_single(found), board=board)

    goals = list(_goals("minimize", counted, 1, rules, given.layout))
    return _best(rules, given.layout, goals, solver, timeout, progress, with_harbors)


def _single(found: BestBoard) -> BestBoard:
    """Return what was found by the first measure alone."""
    assert isinstance(found.value, tuple) and isinstance(found.bound, tuple)
    return replace(found, value=found.value[0], bound=found.bound[0])


def _differs(board: Board) -> str:
    """Return MiniZinc text: tile t differs by its terrain, or its marker where *board* has any."""
    codes = [board.layout.terrain_codes[name] for name in board.terrain]
    markers = f" \\/ marker[t] != {[marker or 0 for marker in board.markers]}[t]"
    return f"terrain[t] != {codes}[t]{markers if board.has_markers else ''}"


def _goals(what: str, asked: Measures | None, sign: int, rules: Rules, layout: Layout) -> Iterator[_Goal]:
    declared, named = declared_names(rules.models), measures(rules.models)
    given = asked if isinstance(asked, (list, tuple)) else [asked]
    for each in () if asked is None else given:
        if not isinstance(each, str) or not (name := each.strip()):
            raise InvalidArgument(f"{what} is a measure's name or MiniZinc text, not {show(each)}")
        if name not in named and name not in declared and re.fullmatch(r"[A-Za-z]\w*", name):
            meant = errors.did_you_mean(name, named)
            raise InvalidArgument(f"unknown measure {name!r}; {meant}measures are {listed(named)}")
        text = f"{name}()" if name in named else f"({name})"
        value = Constraint(f"value = {sign} * {text}", says=f"the measure {name}")
        value.check_names({**declared, **_VALUE}, terrain_words(layout.terrain_codes))
        yield sign, text, value


def _best(
    rules: Rules,
    layout: Layout,
    goals: Sequence[_Goal],
    solver: str,
    timeout: float | None,
    progress: bool | Watch,
    handed: Callable[[BestBoard], BestBoard],
) -> BestBoard:
    """Optimise one measure after the other, each with those before it kept at their best.

    *handed* makes of what was found, whose value and bound are tuples, what is handed out.
    """
    clock, chosen = Clock(timeout, rules), find.find_solver(solver)
    if not chosen.backend.optimises:
        raise InvalidArgument(f"the solver {chosen.name} cannot optimise; name another, such as chuffed")
    reject_crowded(rules, layout)
    from catan_cp.solving import binding  # what takes a while to load comes after what is refused

    known, data = {**declared_names(rules.models), **_VALUE}, joint_task(rules, layout).data
    best: BestBoard | None = None
    proven: tuple[int, ...] = ()
    reached: tuple[int, ...] = ()
    kept: list[Constraint] = []
    number = 0
    with watching(progress, "no board yet") as watch:
        for sign, text, value in goals:
            before, done = best, False
            own = join_constraints((*rules.constraints, *kept, value), known, layout.terrain_codes)
            try:
                task = Task("best", data, models=rules.models, own=own)
                with closing(binding.answers(task, chosen, clock.left, free=True)) as rows:
                    for row in rows:
                        if row is None:
                            done = True
                            break
                        board = check_board(read_board(layout, row[1:]), rules, chosen.name)
                        board = confirm_board(board, rules, chosen.name, clock)
                        reached = (*proven, sign * row[0])
                        best = BestBoard(board, reached, (*proven, None), False)
                        number += 1
                        if watch is not None:
                            watch(_improved(number, handed(best)))
            except (SolverTimeout, KeyboardInterrupt):
                if best is None:
                    with clock.named():
                        raise
            if done and best is before:
                raise board_conflict(rules, layout, chosen.name)
            assert best is not None
            if not done:
                return handed(replace(best, proven=False))
            proven = reached
            best = replace(best, bound=proven, proven=True)
            kept.append(Constraint(f"{text} = {proven[-1]}"))
    assert best is not None
    return handed(best)


def _improved(number: int, best: BestBoard) -> Progress:
    values = [best.value] if isinstance(best.value, int) else best.value
    return Progress(number, text=f"found: {', '.join(map(str, values))}", best=best)


# Puzzles: patterns that one board alone completes, from which nothing can be left out


Clue = tuple[int, str]
"""A tile, and which of it is given: ``"terrain"`` or ``"markers"``."""


def make_puzzle(
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
    clock = Clock(timeout, read_rules)
    clues: list[Clue] = [(t, "terrain") for t in range(given.layout.n_tiles)]
    clues += [(t, "markers") for t, marker in enumerate(given.markers) if marker is not None]
    if seed is not None:
        errors.random_source(seed).shuffle(clues)
    others: list[Board] = []
    for clue in tuple(clues):
        rest = [each for each in clues if each != clue]
        if any(all(getattr(o, what)[t] == getattr(given, what)[t] for t, what in rest) for o in others):
            continue
        with clock.named():
            other = _other_board(given, read_rules, rest, solver, clock)
        if other is None:
            clues = rest
        else:
            others.append(other)
    return _pattern(given, clues)


def _other_board(
    board: Board, rules: Rules, clues: Sequence[Clue], solver: str, clock: Clock
) -> Board | None:
    """Return a board that agrees with the clues and is not *board*, None where there is none."""
    differs = Constraint(f"exists(t in TILE)({_differs(board)})", "another board")
    given = rules.replace(pattern=_pattern(board, clues), constraints=(*rules.constraints, differs))
    task = joint_task(given, board.layout, spread(solver))
    row = first_row(task, solver, clock, 0, free=True)
    if row is None:
        return None
    return confirm_board(check_board(read_board(board.layout, row), rules, solver), rules, solver, clock)


def _pattern(board: Board, clues: Sequence[Clue]) -> str:
    """Return the pattern of these clues."""
    letter = {name: key for key, name in board.layout.letters.items()}
    known = set(clues)
    cells = [
        (letter[name] if (t, "terrain") in known else "x") + (str(marker) if (t, "markers") in known else "")
        for t, (name, marker) in enumerate(zip(board.terrain, board.markers, strict=True))
    ]
    rows = "/".join("".join(cells[t] for t in row) for row in board.layout.row_tiles)
    _, at, name = board.notation().partition("@")
    return rows + at + name
