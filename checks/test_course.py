"""The exercises of the course: right answers in several forms, and mistakes with their hints."""

import importlib.util
import re
import sys
from math import log, log2
from pathlib import Path

import nbformat
import pytest

import catan_cp as cp
from catan_cp import Constraint, Rules

FOLDER = Path(__file__).parents[1] / "notebooks"
spec = importlib.util.spec_from_file_location("exercises", FOLDER / "exercises.py")
exercises = sys.modules["exercises"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(exercises)

CORNERS = "cell[1, 1] < cell[1, n]; cell[1, 1] < cell[n, 1]; cell[1, 1] < cell[n, n]; cell[1, n] < cell[n, 1]"
RING = """include "alldifferent.mzn";
array[1..6] of var {4, 5, 6, 8, 9, 10}: token;
constraint alldifferent(token);
predicate red(var int: number) = number = 6 \\/ number = 8;
"""
RING_APART = "constraint forall(t in 1..6)(not (red(token[t]) /\\ red(token[t mod 6 + 1])));"
PLACES = """include "inverse.mzn";
array[1..6] of int: value = [4, 5, 6, 8, 9, 10];
array[1..6] of var 1..6: at; array[1..6] of var 1..6: which;
constraint inverse(at, which);
array[1..6] of var 4..10: token = [value[which[t]] | t in 1..6];
constraint not (abs(at[3] - at[4]) in {1, 5});"""
APART = {"terrain_cluster_max": 1, "apart": [("brick", "lumber")]}
BANDS = "bbb/llll/wwdww/gggg/ooo"
ONE_RED = "forall(s, t in TILE where s < t)(terrain[s] = terrain[t] -> not (red[s] /\\ red[t]))"


def evenness(counts):
    return -sum(n / sum(counts) * log2(n / sum(counts)) for n in counts if n) / log2(len(counts))


RIGHT: dict[str, list[object]] = {
    "1b": [416, "416", 416.0, ["a square"] * 416],
    "1a": [
        CORNERS,
        [f"constraint {part};" for part in CORNERS.split("; ")],
        "cell[1, 1] = max([cell[1, 1], cell[1, n], cell[n, 1], cell[n, n]]) /\\ cell[1, n] > cell[n, 1]",
    ],
    "1c": [
        "sum(c in 1..3)(cell[1, c]) = 15",
        "constraint forall(r in 1..3)(sum(c in 1..3)(cell[r, c]) = 15);",
        ["cell[2, 2] = 5", "cell[1, 1] + cell[3, 3] = 10"],
    ],
    "2a": [
        Rules(**APART),
        APART,
        "optimal",
        "equal_neighbors() = 0; forall(s, t in TILE where t in neighbors[s])"
        "(not (terrain[s] = BRICK /\\ terrain[t] = LUMBER))",
    ],
    "2b": [
        "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed",
        cp.Board.from_notation("o10w2l9/g12b6w3b10/g9l11dl8o4/l8o3g4w5/b5g6w11:printed"),
    ],
    "2c": [
        "forall(t in 1..3)(terrain[t] != terrain[8 - t])",
        "terrain[1] != terrain[7] /\\ terrain[2] != terrain[6] /\\ terrain[3] != terrain[5]",
        Constraint("forall(t in TILE where t != 4)(terrain[t] != terrain[8 - t])"),
    ],
    "3a": [90, "90", 90.0],
    "3b": [RING + RING_APART, PLACES],
    "3c": [
        {"B", "D"},
        "b and d",
        "D, B",
        cp.Conflict(constraints=(exercises.WISHES["B"], exercises.WISHES["D"])),
    ],
    "4a": [evenness, lambda counts: f"{evenness(counts):.9f}"],
    "4b": ["lgg/lgbd/bbowl/gwlw/oow", cp.Board.from_notation("lgg/lgbd/bbowl/gwlw/oow")],
    "4c": [0.47, "47 %", 47],
    "8a": [
        ONE_RED,
        Constraint(ONE_RED),
        exercises.FLOWER_RULES.replace(reds_per_terrain_max=1),
        "forall(r in {GRAIN, ORE, LUMBER})"
        "(sum(t in TILE)(bool2int(terrain[t] = r /\\ marker[t] in {6, 8})) <= 1)",
    ],
    "8b": ["o4x/l10xx/ox", "x4g/l10xx/xg@flower"],
    "8c": [
        exercises.ORE_PIPS,
        "sum(t in TILE)(bool2int(terrain[t] = ORE) * pips[t]);",
        "sum(t in coast)(is[t, ORE] * (if marker[t] = 0 then 0 else 6 - abs(7 - marker[t]) endif))",
    ],
}
"""Right answers."""

MISTAKES: dict[str, list[tuple[object, str]]] = {
    "1b": [(7040, "all squares of order 4"), (0, "With order 3"), (208, "two squares"), ("many", "a number")],
    "1a": [
        ("cell[1, 1] < cell[1, n]", "4 of the 8"),
        ("cell[1, 1] = 2; cell[1, 3] = 4", "none of Dürer's eight"),
        ("cell[1, 1] < cell[1, n]; cell[1, n] < cell[1, 1]", "contradict"),
        ("cell[1, 1] < cell[1, 9]", "contradict"),
        ("cell[1, 1] <", "syntax error"),
    ],
    "1c": [
        ("cell[1, 1] = 2", "loses 6 of the 8"),
        ("cell[1, 1] != cell[2, 1]", "still visits"),
        ("sum(c in 1..3)(cell[1, c]) = 16", "No square is left"),
        (15, "a text in MiniZinc"),
    ],
    "2a": [
        (Rules(terrain_cluster_max=1), "break the rule"),
        (Rules(terrain_cluster_max=2, apart=APART["apart"]), "break the rule"),
        ({**APART, "desert": "coast"}, "excludes"),
        ("optimum", "did you mean"),
    ],
    "2b": [
        (exercises.ON_THE_TABLE, "still breaks"),
        ("o10w2l9/g12w6b8b10/g9l11dl3o4/l8o3g4w5/b5g6w11:printed", "tiles must stay"),
        ("o10w2l9/g12b6w4b10/g9l11dl3o4/l8o3g4w5/b5g6w11:printed", "other number tokens"),
        ("o2w10l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed", "4 tiles have another token"),
    ],
    "2c": [
        ("forall(t in TILE)(terrain[t] != terrain[8 - t])", "centre"),
        ("forall(t in 1..3)(terrain[t] != terrain[7 - t])", "break the rule"),
        ("forall(t in 1..2)(terrain[t] != terrain[8 - t])", "break the rule"),
        ("forall(t in 1..3)(terrain[t] = terrain[8 - t])", "No solution"),
    ],
    "3a": [
        (1080, "up_to_symmetry=True"),
        (180, "reflections"),
        (210, "rule is missing"),
        (8951399, "Name the"),
    ],
    "3b": [
        (RING, "all 6! orders"),
        (
            RING + "constraint forall(t in 1..5)(not (red(token[t]) /\\ red(token[t + 1])));",
            "tile 6 is beside",
        ),
        (
            RING + "constraint forall(t in 1..6)(not (token[t] = 6 /\\ token[t mod 6 + 1] = 8));",
            "break the rule",
        ),
        (RING.replace("constraint all", "%") + RING_APART, "is not an order"),
        (RING + RING_APART + "constraint token[1] = 4;", "excludes"),
    ],
    "3c": [
        ("ABCDE", "minimal set"),
        ({"B", "C"}, "There is a board"),
        ("D", "There is a board"),
        ({"X"}, "Name some"),
    ],
    "4a": [
        (lambda counts: evenness(counts) * log2(len(counts)), "largest possible"),
        (lambda counts: evenness([n for n in counts if n] + [0] * (sum(map(bool, counts)) < 2)), "all kinds"),
        (lambda counts: -evenness(counts), "sign"),
        (
            lambda counts: sum(-n / sum(counts) * log(n / sum(counts)) for n in counts) / log(len(counts)),
            "does not occur adds 0",
        ),
        (0.5, "a function"),
    ],
    "4b": [
        (BANDS, "Try more swaps"),
        (BANDS.replace("ooo", "oog"), "not the tiles"),
        (cp.Board.from_notation("bd/lgo/wb@mini"), "layout must be base"),
    ],
    "4c": [
        (0.53, "share of the others"),
        (0, "not a uniform sample"),
        (470, "Divide"),
        (0.3, "at least 1,000"),
    ],
    "8a": [
        (ONE_RED.replace("s < t", "true"), "No solution"),
        (ONE_RED.replace("red[s] /\\ red[t]", "marker[s] = 6 /\\ marker[t] = 8"), "break the rule"),
        ("forall(t in TILE)(terrain[t] = ORE -> not red[t])", "break the rule"),
        ("forall(t in TILE)(red[t] -> terrain[t] != WOOD)", "unknown name"),
    ],
    "8b": [
        ("o4x/xxx/xx", "boards fit"),
        ("o4g8/l10dl5/o6g9", "there are 13 clues"),
        ("x6x8/xxx/xx", "No board"),
    ],
    "8c": [
        ("sum(t in TILE)(pips[t])", "wrong on"),
        ("sum(t in TILE)(bool2int(terrain[t] = ORE) * marker[t])", "wrong on"),
        ("sum(t in TILE)(bool2int(terrain[t] = ORE))", "wrong on"),
        ("constraint red[1]", "not a constraint"),
    ],
}
"""Typical mistakes, and words of their hints."""


@pytest.mark.solver
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name == "3b" else name for name in exercises.CHECKS],
)
def test_right_answers_accepted_in_several_forms(name):
    assert [exercises.hint_for(name, answer) for answer in RIGHT[name]] == [None] * len(RIGHT[name])


@pytest.mark.solver
@pytest.mark.parametrize("name", exercises.CHECKS)
def test_typical_mistakes_get_hint(name):
    for answer, words in MISTAKES[name]:
        hint = exercises.hint_for(name, answer)
        assert hint is not None, answer
        assert words in hint, (answer, hint)
    assert len(MISTAKES[name]) >= 3


COURSE = sorted(FOLDER.glob("[12348]_*.ipynb"))


@pytest.mark.slow
@pytest.mark.solver
def test_solutions_are_right(capsys, monkeypatch):
    """All cells of the solutions run, print the stored output, and solve each exercise."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    for lesson in COURSE:
        solution = nbformat.read(FOLDER / "solutions" / lesson.name, as_version=4)
        names: dict[str, object] = {}
        stored = []
        for cell in solution.cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, lesson.name, "exec"), names)
                stored += [out.text for out in cell.outputs if out.output_type == "stream"]
        printed = capsys.readouterr().out
        assert printed == "".join(stored)
        assert "not yet" not in printed
        questions = set(
            re.findall(r'check\("(\w+)"', "".join(cell.source for cell in nbformat.read(lesson, 4).cells))
        )
        assert set(re.findall(r"(\w+): right", printed)) == questions != set()


def test_lessons_state_goals():
    minutes = 0
    for number, lesson in enumerate(COURSE, 1):
        first = nbformat.read(lesson, as_version=4).cells[0].source
        minutes += int(re.search(rf"\*\*Lesson {number} of 5, (\d+) minutes\.\*\* You need", first)[1])
        assert "After this lesson you can\n\n- " in first
    assert minutes == 6 * 60


def test_slides_of_each_lesson_built(tmp_path):
    pytest.importorskip("nbconvert")
    from docs.tools.slides import write_slides

    for path, lesson in zip(write_slides(tmp_path), COURSE, strict=True):
        html = path.read_text(encoding="utf-8")
        assert nbformat.read(lesson, 4).cells[0].source.splitlines()[0].removeprefix("# ") in html
        assert html.count("<section") > 20
        assert "answer = ..." not in html.replace("</span>", "")


def test_answer_in_wrong_form_gets_hint(capsys):
    exercises.check("3c", None)
    exercises.check("4b", ...)
    assert capsys.readouterr().out.splitlines() == [
        "3c: not yet. The answer has another form than the exercise asks for: "
        "'NoneType' object is not iterable",
        "4b: not yet. Replace ... by your answer, and run the cell again.",
    ]
