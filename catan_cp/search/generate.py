"""Boards that satisfy rules, by one of four methods.

* ``uniform`` samples ranks (`catan_cp.counting`), so every board has the same probability.
* ``deal`` deals pieces until no rule is broken (`dealing`), so every board has the same probability.
* ``walk`` is a random walk (`walking`).
* ``solver`` samples a terrain arrangement first. Then a MiniZinc model of complete boards (``joint.mzn``),
  compiled once, returns harbors and markers for it. If many sampled arrangements in a row have no board, the
  sampling ends. If the rules allow few arrangements, all of them are tried. If they allow many, the model
  also chooses the terrain. So it finds a board, or proves that none exists.

>>> board = generate_board("tournament", "base-5-6", seed=1)
>>> board.layout.name, max(board.vertex_pips())
('base-5-6', 12)
"""

from collections.abc import Iterator

from catan_cp import errors
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.errors import InvalidArgument, listed, show
from catan_cp.problem.problem import Problem
from catan_cp.rules.rules import Rules
from catan_cp.search.engines import ENGINES, METHODS, Engine, Request
from catan_cp.solving import find


def generate_board(
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
    method: str = "auto",
    solver: str = "auto",
    timeout: float | None = None,
    candidates: int | None = None,
) -> Board:
    """Return a board that the rules allow.

    There are four methods:

    * ``uniform`` samples each allowed board with the same probability, like `catan_cp.sample_boards`.
    * ``deal`` deals all pieces at random, and again if a rule is broken. So each allowed board has the same
      probability. It supports rules about touching tiles and clusters of at most two tiles, on layouts with
      one set of pieces, if at least one deal of a thousand is allowed. It does not support presets.
    * ``walk`` deals a board at random, repairs it, and then exchanges pieces at random if the rules still
      hold. It supports rules about touching tiles and vertices, and takes milliseconds on any layout. If it
      finds no board, the solver is used. A long walk is uniform over the boards that exchanges connect with
      its start. For most rules it is unknown whether these are all boards, or whether the walk is long enough
      (docs/methods.md). Therefore ``walk`` samples by rank, like ``uniform``, if small decision diagrams show
      at most a million boards, not counting harbors and fishing grounds.
    * ``solver`` samples the terrain first: uniformly if the terrain arrangements can be counted
      (`catan_cp.is_countable`), otherwise from a random branch of the solver. If an arrangement has no board,
      another one is sampled. So countable arrangements with a board are equally likely, unless many samples
      in a row fail. Markers and harbors are the first that the solver finds. It gets the tiles in a random
      order and branches at random, so its boards vary but are not uniform.

    Args:
        rules: rules or the name of a preset.
        layout: a layout or its name.
        seed: a whole number. The same seed, rules, layout and solver version give the same board.
        method: ``uniform``, ``deal``, ``walk``, ``solver`` or ``auto``. ``auto`` is ``deal`` if one deal of
            about two hundred is allowed, or else ``uniform`` if decision diagrams count the boards in about a
            second or there are few boards. Otherwise it is the first of ``deal``, ``walk`` and ``solver``
            that supports the rules. Rules and layout decide, not installed programs.
        solver: ``auto`` (Chuffed if installed, otherwise Gecode), or the name of a solver. With a name, the
            method ``auto`` is ``solver``.
        timeout: seconds until `SolverTimeout`, without limit by default.
        candidates: the number of sampled boards (with the solver: terrain arrangements) of which the one with
            the smallest `catan_cp.efficiency_error` is chosen.

    Raises:
        InvalidBoard, InvalidRules, InvalidArgument: an invalid argument.
        Infeasible: no board satisfies the rules.
        SolverNotFound: the solver is not installed.
        SolverTimeout, SolverFailed: the time limit passed, or the solver failed.

    Example:
        >>> board = generate_board("tournament", seed=1)
        >>> board.layout.name, Rules.preset("tournament").check(board)
        ('base', [])
    """
    boards = generate_boards(
        1, rules, layout, seed=seed, method=method, solver=solver, timeout=timeout, candidates=candidates
    )
    return next(boards)


def generate_boards(
    n: int,
    rules: str | Rules = "optimal",
    layout: str | Layout = "base",
    *,
    seed: int | None = None,
    method: str = "auto",
    solver: str = "auto",
    timeout: float | None = None,
    candidates: int | None = None,
) -> Iterator[Board]:
    """Yield *n* boards that the rules allow, each as by `generate_board`.

    Boards may repeat. Errors are those of `generate_board`. Invalid arguments raise before the first board is
    requested.

    Args:
        n: the number of boards.
        rules: rules or the name of a preset.
        layout: a layout or its name.
        seed: a whole number. The same seed gives the same boards. Random by default.
        method: as for `generate_board`.
        solver: as for `generate_board`.
        timeout: seconds for all boards together, without limit by default.
        candidates: as for `generate_board`, per board.

    Example:
        >>> boards = list(generate_boards(3, "tournament", seed=1))
        >>> len(boards), len({board.notation() for board in boards})
        (3, 3)
    """
    problem = Problem.of(rules, layout)
    n, seed = errors.check_count("n", n), errors.check_seed(seed)
    choices = 1 if candidates is None else errors.check_count("candidates", candidates, 1)
    clock = Clock(timeout, problem.rules)
    engine = _engine(problem.within(clock), method, solver, clock)
    if solver != "auto" and engine.name != "solver":
        if method in ("uniform", "deal"):
            raise InvalidArgument(
                f"solver must be auto for method={show(method)}, not {show(solver)}; or use method='solver'"
            )
        find.find_solver(solver)  # An unknown solver is an error, even if the method needs none.
    return engine.boards(Request(problem, n, choices, solver, clock, errors.random_source(seed)))


def _engine(problem: Problem, method: str, solver: str, clock: Clock) -> Engine:
    """Return the first engine of the table that has the name *method* and no obstacle.

    With the name of a solver, ``auto`` is ``solver``.

    Raises:
        InvalidArgument: every engine of that name has an obstacle.
    """
    errors.check_choice("method", method, METHODS)
    name = "solver" if method == "auto" and solver != "auto" else method
    obstacle = ""
    for engine in ENGINES:
        if name in ("auto", engine.name):
            obstacle = engine.obstacle(problem, clock)
            if not obstacle:
                return engine
    raise InvalidArgument(
        f"method={show(method)} does not support all of these rules: {obstacle}; use method='auto'"
    )


def explain_method(
    rules: str | Rules, layout: str | Layout = "base", *, method: str = "auto", solver: str = "auto"
) -> str:
    """Return a sentence with the method, the reason for it, and alternatives.

    The arguments are those of `generate_board`.
    """
    problem, clock = Problem.of(rules, layout), Clock(None)
    engine = _engine(problem, method, solver, clock)
    is_asked = f"({method}" in engine.about
    request = "as asked" if is_asked else f"as solver={show(solver)} asks" if solver != "auto" else ""
    if engine.name != "solver":
        return f"{engine.about}, {request or engine.reason}: no MiniZinc; method='solver' uses a solver"
    # The last row of a name has the weakest condition.
    before = ENGINES[: ENGINES.index(engine)]
    obstacles = {other.name: text for other in before if (text := other.obstacle(problem, clock))}
    names = {text: [name for name in obstacles if obstacles[name] == text] for text in obstacles.values()}
    reasons = "; ".join(f"{listed(names[text])}: {text}" for text in names)
    alternative = "; rules such as tournament need none"
    if (other := _engine(problem, "auto", "auto", clock)).name != "solver":
        alternative = f"; without it with method={show(other.name)}"
    reason = request or f"{engine.reason} ({reasons})"
    return f"{engine.about}, {reason}: by MiniZinc with {find.find_solver(solver).name}{alternative}"
