"""Checks for the exercises of the course in the notebooks 1 to 4 and 8.

``check("1a", answer)`` prints whether an answer is right, or a hint. Checks compare behaviour, not text: they
solve the answer and compare its solutions with those of a reference. So any formulation is accepted. Numbers
may be texts, boards may be notations, and rules may be `Rules`, a preset, a dict or lines of MiniZinc.

Students import this module and need not read it. It contains no solutions as text, but who reads the checks
learns them. The folder ``solutions`` has one notebook with right answers for each notebook of the course.
"""

import re
from collections.abc import Callable, Iterable
from itertools import permutations
from math import isclose, log2
from typing import Any

import catan_cp
from catan_cp import Board, CatanError, Conflict, Constraint, Infeasible, Layout, Rules
from catan_cp.anymodel.compare import SolverRun
from catan_cp.anymodel.count import all_solutions
from catan_cp.model_files import models_dir

CHECKS: dict[str, Callable[[Any], None]] = {}
"""The check of each exercise. It returns nothing for a right answer, and raises `NotYet` otherwise."""


class NotYet(Exception):
    """The answer is not right yet. The message is a hint."""


def exercise(function: Callable[[Any], None]) -> Callable[[Any], None]:
    """Register the check of an exercise, by the end of its name: ``check_1b`` is exercise 1a."""
    CHECKS[function.__name__.removeprefix("check_")] = function
    return function


def check(name: str, answer: Any) -> None:
    """Print whether the answer to an exercise is right, or a hint."""
    hint = "Replace ... by your answer, and run the cell again." if answer is ... else hint_for(name, answer)
    print(f"{name}: right." if hint is None else f"{name}: not yet. {hint}")


def hint_for(name: str, answer: Any) -> str | None:
    """Return a hint, or None if the answer is right."""
    try:
        CHECKS[name](answer)
    except NotYet as hint:
        return str(hint)
    except CatanError as error:
        return f"The library rejects this answer: {error}"
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return f"The answer has another form than the exercise asks for: {error}"
    return None


# Answers in several forms


def number_of(answer: Any) -> float:
    """Return the number of an answer such as 72, "1,080", "45 %" or a list, which is counted."""
    if isinstance(answer, (list, tuple, set, frozenset)):
        return len(answer)
    text = str(answer).replace(",", "").replace("_", "").strip()
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise NotYet(f"The answer must be a number, not {answer!r}.") from None


def items_of(answer: Any) -> str:
    """Return constraints as MiniZinc items: of a text, a `Constraint`, or several of these."""
    if isinstance(answer, Constraint):
        answer = answer.text
    if not isinstance(answer, str):
        if not isinstance(answer, Iterable):
            raise NotYet(f"The answer must be a text in MiniZinc, not {answer!r}.")
        return "".join(map(items_of, answer))
    parts = [part.strip() for part in re.sub(r"%.*", "", answer).split(";")]
    return "".join(f"constraint {part.removeprefix('constraint ')};\n" for part in parts if part)


def rules_of(answer: Any, base: Rules) -> Rules:
    """Return rules: `Rules`, a preset's name, a dict of fields, or constraints that are added to *base*."""
    if isinstance(answer, Rules):
        return answer
    if isinstance(answer, dict):
        return Rules(**answer)
    if isinstance(answer, str) and re.fullmatch(r"\w+", answer):
        return Rules.preset(answer)
    return base.replace(constraints=[items_of(answer)])


def board_of(answer: Any) -> Board:
    """Return a board: a `Board`, a notation, or a result that has a board."""
    answer = getattr(answer, "board", answer)
    if isinstance(answer, str):
        return Board.from_notation(answer)
    if not isinstance(answer, Board):
        raise NotYet(f"The answer must be a board or its notation, not {answer!r}.")
    return answer


def compare_sets(answer: set[Any], expected: set[Any], show: Callable[[Any], str]) -> None:
    """Raise a hint with an example if two sets of solutions differ."""
    if not answer:
        raise NotYet("No solution is left. Which of the conditions contradict each other?")
    if more := answer - expected:
        raise NotYet(f"{len(more)} of its {len(answer)} solutions break the rule, such as {show(min(more))}.")
    if less := expected - answer:
        raise NotYet(f"It excludes {len(less)} allowed solutions, such as {show(min(less))}.")


def run(model: str, added: str = "") -> SolverRun:
    """Return the run of Gecode that lists all solutions of a model with added items."""
    (result,) = catan_cp.compare_solvers(f"{model}\n{added}", solvers=["gecode"], progress=False)
    return result


# Notebook 1: magic squares

DUERER = ((16, 3, 2, 13), (5, 10, 11, 8), (9, 6, 7, 12), (4, 15, 14, 1))

EQUAL_LINES = """\
include "alldifferent.mzn";
array[1..3, 1..3] of var 1..9: cell;
constraint alldifferent(array1d(cell));
constraint forall(r in 1..2)(sum(c in 1..3)(cell[r, c]) = sum(c in 1..3)(cell[r + 1, c]));
constraint forall(c in 1..2)(sum(r in 1..3)(cell[r, c]) = sum(r in 1..3)(cell[r, c + 1]));
constraint cell[1, 1] + cell[2, 2] + cell[3, 3] = cell[1, 3] + cell[2, 2] + cell[3, 1];
"""
"""The model of TWright 2019: equal sums, but not which sum."""


def magic_squares(order: int) -> str:
    """Return the model of magic squares of an order."""
    text = (models_dir() / "magic_square.mzn").read_text(encoding="utf-8")
    zeros = ", ".join(["0"] * order**2)
    return f"{text}n = {order}; diagonals = true; fixed = array2d(LINE, LINE, [{zeros}]);\n"


@exercise
def check_1b(answer: Any) -> None:
    """Magic squares of order 4 with the 1 in the top left corner."""
    squares, expected = number_of(answer), run(magic_squares(4), "constraint cell[1, 1] = 1;").solutions
    if squares == expected:
        return
    hints = {
        7040: "These are all squares of order 4. Give the 1 in `fixed`, or as a constraint.",
        0: "With order 3 there is none. The question is about order 4.",
        expected / 8: "Do not divide by 8: most of the symmetries move the 1 out of its corner.",
        expected / 2: "Two squares that are reflections of each other are two squares.",
        880: "These are all squares of order 4 up to symmetry.",
    }
    raise NotYet(hints.get(squares, "Call `solve(4, fixed=...)` with a 1 in the first row, and count."))


@exercise
def check_1a(answer: Any) -> None:
    """Constraints that keep one of the eight images of each square, for each order."""
    items = items_of(answer)
    rows, images = DUERER, set()
    for _ in range(4):
        rows = tuple(zip(*rows[::-1], strict=True))
        images |= {rows, rows[::-1]}
    numbers = ", ".join(str(number) for square in sorted(images) for row in square for number in row)
    one_of_eight = (
        f"array[1..8, LINE, LINE] of int: image = array3d(1..8, LINE, LINE, [{numbers}]);\n"
        "constraint exists(k in 1..8)(forall(r, c in LINE)(cell[r, c] = image[k, r, c]));\n"
    )
    three = run(magic_squares(3), items).solutions
    if three == 0:
        raise NotYet("No square of order 3 is left. The constraints contradict each other, or the model.")
    if three > 1:
        raise NotYet(f"{three} of the 8 squares of order 3 are left. Which symmetry maps one to another?")
    four = run(magic_squares(4), items + one_of_eight).solutions
    if four == 0:
        raise NotYet("One square of order 3 is left, but none of Dürer's eight. Compare cells, not numbers.")
    if four > 1:
        raise NotYet(f"One square of order 3 is left, but {four} of Dürer's eight. Compare corners (`n`).")


@exercise
def check_1c(answer: Any) -> None:
    """An implied constraint that cuts Gecode's nodes to a third or less."""
    before, after = run(EQUAL_LINES), run(EQUAL_LINES, items_of(answer))
    if after.solutions == 0:
        raise NotYet("No square is left. Which sum must three rows have that contain 1 to 9?")
    if after.solutions < before.solutions:
        missing = before.solutions - after.solutions
        raise NotYet(f"It loses {missing} of the 8 squares, so it is not implied. (It may break symmetry.)")
    if after.nodes * 3 > before.nodes:
        raise NotYet(f"It is implied, but Gecode still visits {after.nodes:,} of {before.nodes:,} nodes.")


# Notebook 2: rules

ON_THE_TABLE = Board.from_notation("o10w2l9/g12b6w8b10/g9l11dl3o4/l8o3g4w5/b5g6w11:printed")


def terrains(rules: Rules) -> set[tuple[str, ...]]:
    """Return all terrain arrangements of the layout `mini` under rules."""
    try:
        with catan_cp.enumerate_terrains(rules, "mini") as solutions:
            return set(solutions)
    except Infeasible:
        return set()


def terrain_text(terrain: Iterable[str]) -> str:
    """Return the notation of a terrain arrangement of `mini`."""
    return Board("mini", tuple(terrain)).notation()


@exercise
def check_2a(answer: Any) -> None:
    """Rules on `mini`: equal terrains apart, brick apart from lumber."""
    expected = terrains(Rules(terrain_cluster_max=1, apart=[("brick", "lumber")]))
    compare_sets(terrains(rules_of(answer, Rules())), expected, terrain_text)


@exercise
def check_2b(answer: Any) -> None:
    """Exchange two number tokens of `ON_THE_TABLE`, so that the tournament rules hold."""
    board = board_of(answer)
    if board.layout != ON_THE_TABLE.layout or board.terrain != ON_THE_TABLE.terrain:
        raise NotYet("The tiles must stay where they are. Exchange number tokens only.")
    if sorted(map(str, board.markers)) != sorted(map(str, ON_THE_TABLE.markers)):
        raise NotYet("These are other number tokens. Two of them must change places.")
    changed = sum(a != b for a, b in zip(board.markers, ON_THE_TABLE.markers, strict=True))
    if broken := Rules.preset("tournament").check(board):
        raise NotYet(f"The board still breaks a rule: {broken[0]}.")
    if changed != 2:
        raise NotYet(f"{changed} tiles have another token. One exchange of two tokens is enough.")


@exercise
def check_2c(answer: Any) -> None:
    """On `mini`, opposite tiles differ in terrain."""
    items = items_of(answer)
    if re.search(r"TILE\)", items) and not terrains(rules_of(items, Rules())):
        raise NotYet("No board is left. Tile 4 is in the centre: it is opposite itself.")
    expected = {t for t in terrains(Rules()) if all(t[i] != t[6 - i] for i in range(3))}
    compare_sets(terrains(rules_of(items, Rules())), expected, terrain_text)


# Notebook 3: counts

WISHES = {
    "A": "terrain[10] = ORE",
    "B": "forall(t in coast)(terrain[t] != GRAIN)",
    "C": "forall(t in coast)(terrain[t] != DESERT)",
    "D": "forall(t in TILE, u in neighbors[t])(terrain[t] != terrain[u])",
    "E": "terrain[1] != terrain[19]",
}
"""Wishes for the terrain of the base board."""


@exercise
def check_3a(answer: Any) -> None:
    """Terrain arrangements of `mini` without equal neighbors, up to symmetry."""
    apart = Rules(terrain_cluster_max=1)
    number = number_of(answer)
    total, expected = (catan_cp.count_terrains(apart, "mini", up_to_symmetry=up) for up in (False, True))
    if number == expected:
        return
    hints = {
        total: "These are all arrangements. Rotated and reflected ones count once: `up_to_symmetry=True`.",
        total / 6: "The layout has six rotations and also reflections.",
        catan_cp.count_terrains("open", "mini", up_to_symmetry=True): "The rule is missing.",
        catan_cp.count_terrains(apart, up_to_symmetry=True): "This is the base board. Name the layout.",
    }
    raise NotYet(hints.get(number, "Use `count_terrains(rules, 'mini', up_to_symmetry=True)`."))


@exercise
def check_3b(answer: Any) -> None:
    """A model with `token[1..6]`: the six tokens in a ring, reds not beside each other."""
    if not isinstance(answer, str) or "token" not in answer:
        raise NotYet("The answer must be a whole model as a text, with an array `token`.")
    if catan_cp.count_solutions(answer, show=["token"], timeout=60) > 50_000:
        raise NotYet("The model has more than 50,000 solutions. There are only 6! orders of six tokens.")
    rows = {tuple(row["token"]) for row in all_solutions(answer, ["token"], 60)}
    if not rows:
        raise NotYet("The model has no solution. `find_conflict` names constraints that exclude each other.")
    orders = set(permutations((4, 5, 6, 8, 9, 10)))
    if not rows <= orders:
        raise NotYet(f"{min(rows - orders)} is not an order of the six tokens, each on one tile.")
    if rows == orders:
        raise NotYet("These are all 6! orders. The rule about reds is missing or has no effect.")

    def reds(order: tuple[int, ...], last: int) -> bool:
        return any({order[t], order[(t + 1) % 6]} == {6, 8} for t in range(last))

    if any(reds(order, 6) for order in rows) and not any(reds(order, 5) for order in rows):
        raise NotYet("In a ring, tile 6 is beside tile 1.")
    compare_sets(rows, {order for order in orders if not reds(order, 6)}, str)


@exercise
def check_3c(answer: Any) -> None:
    """A minimal set of wishes that exclude each other."""
    texts = answer.items if isinstance(answer, Conflict) else answer
    parts = texts if not isinstance(texts, str) else re.sub(r"[^A-Za-z]|\band\b", "", texts).upper()
    by_text = {text: name for name, text in WISHES.items()}
    chosen = {by_text.get(items_of(part)[11:-2], str(part).strip().upper()) for part in parts}
    if not chosen or not chosen <= set(WISHES):
        raise NotYet("Name some of the wishes, such as {'A', 'B'}.")
    if not _contradict(chosen):
        raise NotYet(f"There is a board on which {' and '.join(sorted(chosen))} hold.")
    for name in sorted(chosen):
        if _contradict(chosen - {name}):
            raise NotYet(f"The others contradict each other without {name} too. Find a minimal set.")


def _contradict(names: set[str]) -> bool:
    instance = catan_cp.terrain_instance("open", solver="chuffed")
    instance.add_string("".join(items_of(WISHES[name]) for name in names))
    return instance.solve().solution is None


# Notebook 4: entropy


@exercise
def check_4a(answer: Any) -> None:
    """A function that returns the evenness of a list of counts."""
    if not callable(answer):
        raise NotYet("The answer must be a function, such as `lambda counts: ...`.")

    def value(counts: list[int]) -> float:
        shares = [count / sum(counts) for count in counts if count]
        return -sum(share * log2(share) for share in shares) / log2(len(counts))

    for counts in ([1, 1, 1], [6, 3, 3], [4, 4, 0, 0], [5, 0], [7, 2, 1, 0, 0, 3]):
        try:
            total = number_of(answer(counts))
        except (ValueError, ZeroDivisionError) as error:
            raise NotYet(f"It fails for {counts}: {error}. A terrain that does not occur adds 0.") from None
        if isclose(total, value(counts), abs_tol=1e-6):
            continue
        if isclose(total, -value(counts), abs_tol=1e-6):
            raise NotYet(f"It returns {total:.4g} for {counts}. The sign is wrong: logarithms are negative.")
        if total > 1:
            raise NotYet(f"It returns {total:.4g} for {counts}. Divide by the largest possible entropy.")
        raise NotYet(
            f"It returns {total:.4g} for {counts}, not {value(counts):.4g}. "
            "The largest entropy belongs to equal counts of all kinds, also of those that do not occur here."
        )


@exercise
def check_4b(answer: Any) -> None:
    """A base board whose terrain error is below 0.001."""
    board = board_of(answer)
    if board.layout.name != "base":
        raise NotYet(f"The layout must be base, not {board.layout.name}.")
    if differences := board.piece_differences():
        raise NotYet(f"These are not the tiles of the game: {differences}.")
    error = catan_cp.efficiency_error(board)
    if error >= 0.001:
        raise NotYet(f"Its error is {error:.5f}, which is not below 0.001. Try more swaps.")


@exercise
def check_4c(answer: Any) -> None:
    """The share of `optimal` terrain arrangements with an error below 0.02, to 0.05."""
    share = number_of(answer)
    shares = [catan_cp.efficiency_error(t) < 0.02 for t in catan_cp.sample_terrains(3000, "optimal", seed=0)]
    expected = sum(shares) / len(shares)
    if abs(share - expected) <= 0.05 or abs(share / 100 - expected) <= 0.05:
        return
    if abs(1 - share - expected) <= 0.05 or abs(1 - share / 100 - expected) <= 0.05:
        raise NotYet("This is the share of the others.")
    if share == 0:
        raise NotYet("This is the share of the first solutions of a solver. They are not a uniform sample.")
    if share > 100:
        raise NotYet("This is a number of boards. Divide by the size of the sample.")
    raise NotYet("Sample at least 1,000 arrangements by `sample_terrains`.")


# Notebook 8: custom rules

FLOWER = Layout(
    "flower",
    (2, 3, 2),
    {"desert": 1, "grain": 2, "ore": 2, "lumber": 2},
    {4: 1, 5: 1, 6: 1, 8: 1, 9: 1, 10: 1},
)
FLOWER_RULES = Rules(terrain_cluster_max=1, reds_apart=True, vertex_sum_below=24)
ORE_PIPS = "sum(t in TILE)(if terrain[t] = ORE then pips[t] else 0 endif)"
CLUES = 5


def flower_boards(rules: Rules) -> set[str]:
    """Return all boards of the flower under rules, as notations."""
    try:
        with catan_cp.enumerate_boards(rules, FLOWER) as solutions:
            return {board.notation() for board in solutions}
    except Infeasible:
        return set()


@exercise
def check_8a(answer: Any) -> None:
    """On the flower, no two reds are on one terrain."""
    expected = flower_boards(FLOWER_RULES.replace(reds_per_terrain_max=1))
    compare_sets(flower_boards(rules_of(answer, FLOWER_RULES)), expected, str)


@exercise
def check_8b(answer: Any) -> None:
    """A puzzle on the flower with one solution and few clues."""
    text = str(answer)
    if not text.endswith("@flower"):
        text += "@flower"
    clues = re.findall(r"[a-wyz]|\d+", text.removesuffix("@flower"))
    boards = catan_cp.count_boards(FLOWER_RULES.replace(pattern=text), FLOWER)
    if boards == 0:
        raise NotYet("No board fits. Take the clues from a board that the rules allow.")
    if boards > 1:
        raise NotYet(f"{boards} boards fit. Add a clue on which they differ.")
    if len(clues) > CLUES:
        raise NotYet(f"One board fits, but there are {len(clues)} clues. At most {CLUES} are needed.")


@exercise
def check_8c(answer: Any) -> None:
    """A measure in MiniZinc: the pips of all ore tiles."""
    text = answer.strip().rstrip(";") if isinstance(answer, str) else ""
    if not text or text.startswith("constraint"):
        raise NotYet("The answer must be a text with a number in MiniZinc, such as a sum, not a constraint.")
    boards = flower_boards(FLOWER_RULES.replace(constraints=[f"({text}) != ({ORE_PIPS})"]))
    if boards:
        example = Board.from_notation(min(boards), FLOWER)
        pips = example.terrain_pips()["ore"]
        raise NotYet(
            f"It is wrong on {len(boards)} boards, such as {min(boards)}: ore has {pips} pips there."
        )
