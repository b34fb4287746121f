"""Custom rules: constraints in MiniZinc text, patterns, and edited copies of the models.

Lists, counts, samples and checks of random constraints and patterns are in `tests/agreement`.
"""

import re
import runpy
import time
from collections import Counter
from math import factorial, prod
from pathlib import Path

import pytest

# The inner module minizinc_text: tests make the first check of constraints too permissive, to show that the
# second one suffices.
from catan_cp import (
    Board,
    CatanError,
    Constraint,
    Harbor,
    Infeasible,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Rules,
    SolverFailed,
    SolverTimeout,
    Store,
    Study,
    best_board,
    copy_models,
    count_boards,
    count_markers,
    count_terrains,
    enumerate_boards,
    enumerate_markers,
    enumerate_terrains,
    generate_board,
    is_countable,
    marker_instance,
    minizinc_text,
    rank_board,
    repair_board,
    run_study,
    sample_boards,
    sample_terrains,
    terrain_instance,
    unrank_board,
)
from tests.brute_force import Case, Filling

ROOT = Path(__file__).parents[2]
TINY = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})
BOARDS = Case(TINY, {}).boards
NO_ORE_SIX = Constraint("forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)", "No ore carries a 6.")


# ---- The sandbox


@pytest.mark.parametrize("line_end", ["\r", "\n", "\r\n"])
def test_comment_ends_at_line_ends(line_end):
    """A reader who sees a second line gets its condition."""
    rules = Rules(constraints=[f"true % a remark{line_end}/\\ terrain[1] = DESERT"])
    with enumerate_terrains(rules, TINY) as solutions:
        assert {terrain[0] for terrain in solutions} == {"desert"}


@pytest.fixture
def lax_screen(monkeypatch):
    """Read a comment as space, and the start of one without an end as two signs, as the screen once did."""
    lax = minizinc_text._TOKEN.pattern.replace("<space>", r"<space>/\*.*?\*/|")
    lax = lax.replace(r"|/\*.*?(?:\*/|\Z)", "").replace(r"|\*/|.", "|.")
    monkeypatch.setattr(minizinc_text, "_TOKEN", re.compile(lax, re.VERBOSE | re.DOTALL))


def test_ambiguous_joined_constraints_rejected(lax_screen):
    """The second check holds even if the screen misses a comment that spans two constraints."""
    rules = Rules(
        constraints=["let { int: uniform = 1 } in terrain[1] = uniform /* 1", "1 */ (2,2)", "1 */ (2, 2) = 1"]
    )
    with pytest.raises(InvalidRules, match="change their meaning when they are joined"):
        enumerate_terrains(rules, TINY)


@pytest.mark.parametrize(
    "text", ["9" * 4000 + "x", "a" * 4000, "a" * 4000 + "(1)", "constraint true; " + "a" * 4000]
)
def test_error_quotes_few_letters_of_constraint(text):
    with pytest.raises(InvalidRules) as rejected:
        Rules(constraints=[Constraint(text, says="x" * 1000)])
    assert len(str(rejected.value)) < 1500
    with pytest.raises(InvalidRules, match="says of a constraint must have at most 1,000 characters"):
        Constraint("true", says="x" * 1001)


def test_place_of_mistake_shown():
    with pytest.raises(InvalidRules) as refused:
        Rules(constraints=[Constraint("true /\\ % so far\n  terain[1] = GRAIN", says="Grain first.")])
    message, line, caret = str(refused.value).splitlines()
    assert "(Grain first.), line 2, column 3: unknown name 'terain'; did you mean 'terrain'?" in message
    assert line[caret.index("^") :] == "terain[1] = GRAIN"


def test_constraint_names_terrains_that_layout_adds():
    rules = Rules(constraints=["terrain[10] = LAKE \\/ terrain[10] = ORE", "terrain[1] != CASTLE"])
    with pytest.raises(InvalidRules, match="line 1, column 15: unknown name 'LAKE'"):
        generate_board(rules, TINY, seed=1)
    with pytest.raises(InvalidRules, match="unknown name 'CASTLE'"):
        count_terrains(rules, "fishermen-of-catan")
    rules = rules.replace(constraints=rules.constraints[:1])
    board = generate_board(rules, "fishermen-of-catan", seed=1)
    assert board.terrain[9] in ("lake", "ore")
    assert rules.check(board) == []
    knights = "sum(t in TILE)(bool2int(terrain[t] = CASTLE_KNIGHTS) * t)"
    best = best_board(Rules(constraints=[f"{knights} > 0"]), "barbarian-attack", maximize=knights)
    assert best.board.terrain[best.value - 1] == "castle-knights"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        # A word in capitals may be a terrain that some layout adds.
        ("terrain[1] = GRANE", "column 14: unknown name 'GRANE'; did you mean 'GRAIN'"),
        ("terrain[1] = ore", "column 14: unknown name 'ore'; did you mean 'ORE'"),
        ("terrain[1] = Marker", "column 14: unknown name 'Marker'; did you mean 'marker'"),
        ("terrain[1] = TERAIN", "column 14: unknown name 'TERAIN'; did you mean 'TERRAIN'"),
        ("terrain[1] = {DESERT}", "line 1, column 1"),
        ("true /\\\n   terrain[TILE] + 1", "line 2"),
        ("forall(t in TILE)(u = t where u in TILE)", "line 1"),
        ("predicate p(int: x) = x > 0; constraint p(true, 2);", "line 1"),
    ],
)
def test_errors_show_users_text(text, place):
    with pytest.raises(InvalidRules, match=place) as refused:
        generate_board(Rules(constraints=[text]), TINY, seed=1)
    assert "__own" not in str(refused.value)
    assert "/tmp" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "function int: f(int: n) = f(n + 1); constraint f(0) = 1;",
        "sum(i in 1..100000000, j in 1..100000000)(i * j) = terrain[1]",
    ],
)
def test_endless_compilation_ends_in_time(text):
    rules, began = Rules(constraints=[text]), time.monotonic()
    with pytest.raises(CatanError):
        generate_board(rules, TINY, seed=1, timeout=1)
    with pytest.raises(CatanError):
        count_terrains(rules, TINY, timeout=1)
    assert time.monotonic() - began < 40, "not after the minute that custom text has without a limit"


@pytest.mark.parametrize(
    ("condition", "make"),
    [
        ("terrain[1] = 2 - 1", lambda rules: list(enumerate_terrains(rules, limit=5))),
        ("terrain[1] = 2 - 1", lambda rules: list(enumerate_boards(rules, limit=5))),
        ("terrain[1] = 2 - 1", lambda rules: generate_board(rules, seed=1)),
        ("terrain[1] = 2 - 1", lambda rules: best_board(rules, minimize="largest_vertex_sum")),
        ("terrain[1] = 2 - 1", lambda rules: repair_board(generate_board("tournament", seed=1), rules)),
        (
            "marker[1] = 13",
            lambda rules: list(enumerate_markers(generate_board("tournament", seed=1), rules, limit=5)),
        ),
    ],
    ids=["terrains", "boards", "generate", "best", "repair", "markers"],
)
def test_wrong_board_not_returned(lax_screen, condition, make):
    """Each board is checked against each constraint alone. The second one below is lost as a comment."""
    unused = "marker[1] >= 0" if "marker" in condition else "true"
    constraints = [f"constraint {unused}; constraint true /* 1;", condition]
    with pytest.raises(SolverFailed, match=rf"constraints: the board breaks '{re.escape(condition)}'"):
        make(Rules(harbors="printed", constraints=constraints))


def test_constraint_uses_adjacency_of_rules():
    """Tiles 1 and 2 touch only in blocks, and are 2 and 3 in MiniZinc."""
    touching = Rules(
        adjacency="block", constraints=["exists(p in index_set(here))(here[p] = 2 /\\ there[p] = 3)"]
    )
    board = generate_board(touching, TINY, seed=1)
    assert touching.check(board) == []
    assert [violation.rule for violation in touching.replace(adjacency="hex").check(board)] == ["constraints"]


PIGEONS = "let { array[1..40] of var 1..39: q } in forall(i, j in 1..40 where i < j)(q[i] != q[j])"
"""Forty pigeons in 39 holes: solvers do not refute it in a lifetime."""


@pytest.mark.parametrize(
    "make",
    [
        lambda rules: generate_board(rules, TINY, seed=1),
        lambda rules: list(enumerate_boards(rules, TINY)),
        lambda rules: list(enumerate_terrains(rules, TINY)),
        lambda rules: best_board(rules, TINY, minimize="largest_vertex_sum"),
    ],
    ids=["generate_board", "enumerate_boards", "enumerate_terrains", "best_board"],
)
def test_constraint_file_has_time_limit(make, monkeypatch, tmp_path):
    monkeypatch.setattr("catan_cp.clock.EXTERNAL_SECONDS", 1.0)
    path = tmp_path / "rules.toml"
    path.write_text(Rules(constraints=[PIGEONS]).to_toml(), encoding="utf-8")
    rules = Rules.from_toml(path)
    with pytest.raises(SolverTimeout, match=r"1 s is the default limit for constraints.*--timeout"):
        make(rules)


def test_constraint_of_study_has_time_limit(monkeypatch):
    monkeypatch.setattr("catan_cp.clock.EXTERNAL_SECONDS", 0.001)
    rules = Rules(constraints=["terrain[1] = ORE"])
    stored = Study.from_json(Study(1, rules, TINY).to_json()).rules
    assert stored == rules
    for limited in (stored, stored.replace(reds_apart=True)):
        with pytest.raises(SolverTimeout, match=r"default limit"):
            generate_board(limited, TINY, seed=1)
    assert generate_board(stored, TINY, seed=1, timeout=60) == generate_board(rules, TINY, seed=1)


@pytest.mark.parametrize(
    ("constraints", "meaning"),
    [
        (
            [
                "predicate global_cardinality(array[int] of var int: x, array[int] of int: c, "
                "array[int] of int: n) = true; constraint true;"
            ],
            "true",
        ),
        (
            [
                "function var int: equal_neighbors = 1; constraint equal_neighbors() = 1;",
                "equal_neighbors() = 0",
            ],
            "equal_neighbors() = 0",
        ),
        (
            [
                "predicate mine(TILE: t) = terrain[t] = DESERT; constraint mine(1);",
                "predicate mine(TILE: t) = terrain[t] = ORE; constraint mine(2);",
            ],
            "terrain[1] = DESERT /\\ terrain[2] = ORE",
        ),
    ],
    ids=["of the models", "without parameters", "of another constraint"],
)
def test_user_functions_replace_no_other(constraints, meaning):
    lists = [list(enumerate_terrains(Rules(constraints=texts), TINY)) for texts in (constraints, [meaning])]
    assert lists[0] == lists[1] != []


def test_user_function_replaces_no_measure():
    text = "function var int: largest_vertex_sum() = 0; constraint largest_vertex_sum() = 0;"
    best = best_board(Rules(constraints=[text]), TINY, minimize="largest_vertex_sum")
    threes = [tiles for tiles in TINY.vertex_tiles if len(tiles) == 3]
    assert best.value == max(sum(best.board.markers[t] or 7 for t in tiles) for tiles in threes) > 0


# ---- Constraints in everything


def test_constraint_shown_checked_and_blamed():
    rules = Rules(constraints=[NO_ORE_SIX])
    assert rules.explain() == ["No ore carries a 6."]
    good, bad = "do2/b8b8o12", "do6/b8b8o12"
    assert rules.check(Board.from_notation(good, TINY)) == []
    (broken,) = rules.check(Board.from_notation(bad, TINY))
    assert (broken.rule, broken.text) == ("constraints", "the board breaks 'No ore carries a 6.'")
    six = Constraint("exists(t in TILE where terrain[t] = ORE)(marker[t] = 6)", "Some ore carries a 6.")
    with pytest.raises(Infeasible, match=r"'No ore carries a 6\.', the constraint 'Some ore carries a 6\.'"):
        generate_board(rules.replace(constraints=[NO_ORE_SIX, six]), TINY, seed=1)


def test_check_decides_on_wrong_pieces():
    rules = Rules(constraints=["sum(t in TILE)(marker[t]) <= 20"])
    assert {v.rule for v in rules.check(Board.from_notation("oo/bbb", TINY))} == {"pieces"}
    heavy = Board.from_notation("o12o12/b8b8b8", TINY)
    assert {v.rule for v in rules.check(heavy)} == {"pieces", "constraints"}
    solved = Rules(constraints=["let { var 1..2: x } in x * marker[1] = 24"])  # only a solver decides it
    assert {v.rule for v in solved.check(heavy)} == {"pieces"}


def test_constraint_about_harbors_needs_harbors():
    for text in ("harbor[1] = 0", "(" * 4_900 + "harbor[1] = 0" + ")" * 4_900):
        with pytest.raises(InvalidRules, match="'printed' or 'shuffled' for the constraint") as problem:
            Rules(constraints=[text])
        assert len(str(problem.value)) < 200
    rules = Rules(harbors="shuffled", constraints=["harbor[1] = ORE /\\ terrain[1] = ORE"])
    board = generate_board(rules, "base", seed=3)
    by_edge = {harbor.vertices: harbor.trade for harbor in board.harbors}
    assert by_edge[board.layout.printed_harbors[0].vertices] == "ore" == board.terrain[0]
    assert rules.check(board) == []


@pytest.mark.parametrize("markers", [None, (6, 6, None, None, None)])
def test_constraint_on_harbors_decided(markers):
    """Also without number tokens, and if movable harbors have no printed places."""
    counts, printed = {"ore": 1, "wool": 1, "sea": 3}, [Harbor((4, 5), "3:1")]
    layout = Layout("x", (2, 3), counts, {6: 2}, printed_harbors=printed, movable_harbors=[(4, 5)])
    board = Board(layout, ["ore", "wool", "sea", "sea", "sea"], markers, [Harbor((0, 9), "3:1")])
    satisfied, broken = (f"exists(h in HARBOR)(harbor[h] = {trade})" for trade in (0, "ORE"))
    for harbors in ("printed", "shuffled"):
        violations = Rules(harbors=harbors, constraints=[satisfied, broken]).check(board)
        assert [v.text for v in violations if v.rule == "constraints"] == [f"the board breaks {broken!r}"]
        assert ("harbors" in {v.rule for v in violations}) == (harbors == "printed")


# ---- Patterns


def test_pattern_of_post():
    rules = Rules(pattern="xxx/xxxx/xxdxx/xx6xx/oxx")
    assert is_countable(rules)
    # 1 desert and 1 ore are fixed, so 17 tiles are left for 3 brick, 4 grain, 4 wool, 2 ore, 4 lumber
    assert count_terrains(rules) == factorial(17) // prod(map(factorial, (3, 4, 4, 2, 4)))
    board = generate_board(rules, seed=1)
    assert (board.terrain[9], board.terrain[16], board.markers[13]) == ("desert", "ore", 6)
    assert rules.check(board) == []
    assert {t[9] for t in sample_terrains(20, rules, seed=1)} == {"desert"}


def test_patterns_from_boards():
    board = Board.from_notation("do2/b8b8o12", TINY)
    assert board.pattern() == "do/bbo@tiny"
    assert board.pattern(keep="markers") == "xx2/x8x8x12@tiny"
    assert board.pattern(keep=[1, 4]) == "xo2/xxo12@tiny"
    redealt = generate_board(Rules(pattern=board.pattern()), TINY, seed=2)
    assert redealt.terrain == board.terrain
    other = Board.from_notation("o12o8/b6b8d", TINY)
    assert [str(violation) for violation in Rules(pattern="xo2/b6x0x").check(other)] == [
        "pattern: tile 1 has 8, and the marker 2 in the pattern",
        "pattern: tile 3 has 8, and no marker in the pattern",
    ]
    assert [str(violation) for violation in Rules(pattern="x0x/xxx12").check(Board(TINY, other.terrain))] == [
        "pattern: tile 0 is ore, and has no marker in the pattern",
        "pattern: tile 4 is desert, and has the marker 12 in the pattern",
    ]
    assert [violation.tiles for violation in Rules(pattern="do/bbo").check(other)] == [(0,), (4,)]
    with pytest.raises(InvalidArgument, match="tiles are 0 to 4"):
        board.pattern(keep=[5])
    for wrong in ("harbors", 3, None):
        with pytest.raises(InvalidArgument, match=f"'terrain', 'markers' or .* not {wrong!r}"):
            board.pattern(keep=wrong)
    whole = generate_board("tournament", seed=1)
    assert Rules(pattern=whole.pattern(keep=range(19))).check(whole) == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("xo/xxx", "tile 1 must be ore, .* not brick"),
        ("xx/x6xx", "tile 2 must be .*wool, .* not desert"),
        ("x0x/xxx", "tile 0 must be desert or sea, .* not ore"),
        ("o6x/bxx", "tile 2 must be brick, .* not desert"),
    ],
)
def test_terrain_that_contradicts_pattern_rejected(pattern, expected):
    """The marker functions name the tile."""
    terrain, rules = ("ore", "brick", "desert", "brick", "ore"), Rules(pattern=pattern)
    for function in (
        lambda: count_markers(terrain, rules, TINY),
        lambda: enumerate_markers(terrain, rules, TINY),
        lambda: marker_instance(terrain, rules, TINY),
    ):
        with pytest.raises(InvalidBoard, match=expected):
            function()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"reds_apart": True},
        {"markers_distinct_per_terrain": True},
        {"vertex_sum_below": 23, "terrain_pips_max": 8},
    ],
)
def test_ranks_of_patterns(fields):
    """By decision diagrams, by weights of terrains, and by compiled search."""
    case = Case(TINY, {**fields, "pattern": "xo/bxx12"})
    boards = [unrank_board(k, case.rules, TINY) for k in range(count_boards(case.rules, TINY))]
    assert Counter(map(Filling.of, boards)) == Counter(case.boards)
    assert [rank_board(board, case.rules) for board in boards] == [*range(len(boards))] != []


def test_pattern_forbids_first_of_orbits():
    three = Layout("three", (2, 1), {"brick": 1, "ore": 1, "gold": 1}, {9: 3})
    rules = Rules(symmetry="distinct", pattern="ox/b")  # the first terrain is brick, ore, gold
    assert count_terrains(rules, three) == 0
    assert list(enumerate_terrains(rules, three)) == []


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("predicate", "let { predicate p(int: x) = x > 1; } in true"),
        ("function", "let { int: n = 1; function int: f(int: x) = x; } in true"),
        ("predicate", "let { int: n = 1, predicate p(int: x) = x > 1; } in true"),
        ("constraint", "terrain[1] = DESERT /\\ constraint true"),
        ("constraint", "(terrain[1] = DESERT /\\ constraint true)"),
    ],
)
def test_inside_let_no_item_but_constraint(word, text):
    """MiniZinc's ``let`` declares names and states constraints, but no functions or predicates."""
    with pytest.raises(InvalidRules, match=f"'{word}' begins an item and is not allowed here"):
        Constraint(text)


@pytest.mark.parametrize("before", ["", "int: n = 1; ", "int: n = 1, "])
def test_let_may_state_constraint(before):
    rules = Rules(constraints=[f"let {{ {before}constraint terrain[1] = DESERT }} in terrain[2] != DESERT"])
    assert {terrain[0] for terrain in enumerate_terrains(rules, TINY)} == {"desert"}


# ---- Edited models


def test_unnamed_edit_reported(tmp_path, monkeypatch):
    folder = edited_folder(tmp_path, line="constraint true;")
    assert not is_countable(Rules(models=folder), TINY)  # named, so its user knows
    monkeypatch.setattr("catan_cp.model_files.shipped_dir", lambda: folder)
    with pytest.warns(UserWarning, match=r"the models board in .* are not those shipped.*`make models`"):
        assert not is_countable(Rules(), TINY)


def test_fingerprints_are_those_of_models(tmp_path):
    """Exact counts replace a solver for the shipped text: check them if it changes, and run `make models`."""
    write = runpy.run_path(str(ROOT / "docs" / "tools" / "models.py"))["module"]
    text = (ROOT / "catan_cp" / "model_files.py").read_text(encoding="utf-8")
    assert write(text, copy_models(tmp_path / "shipped")) == text
    changed = write(text, edited_folder(tmp_path, "markers", "constraint true;"))
    (line,) = {*changed.splitlines()} - {*text.splitlines()}
    assert '"markers": ' in line


def test_comments_and_space_are_no_edit(tmp_path):
    folder = edited_folder(tmp_path, line="\n\n% a remark\n/* and another */")
    assert is_countable(rules := Rules.preset("blog").replace(models=folder))
    assert count_terrains(rules) == 96
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint true;\n")
    assert not is_countable(rules)


def edited_folder(tmp_path, name="board", line="constraint terrain[1] = DESERT;"):
    folder = copy_models(tmp_path / "mine")
    with (folder / f"{name}.mzn").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    return folder


@pytest.mark.parametrize("how", ["models", "variable", "constraint"])
def test_added_line_counted_and_obeyed(tmp_path, monkeypatch, how):
    """More of this, on every layout and by command line, is in test_every_layout.py."""
    rules = Rules(constraints=["terrain[1] = DESERT"])
    if how != "constraint":
        folder = edited_folder(tmp_path)
        rules = Rules(models=folder) if how == "models" else Rules()
        if how == "variable":
            monkeypatch.setenv("CATAN_CP_MODELS", str(folder))
    assert generate_board(rules, TINY, seed=1).terrain[0] == "desert"
    assert count_terrains(rules, TINY) == 6
    assert 1 <= count_terrains(rules, TINY, up_to_symmetry=True) <= 6
    assert len(terrain_instance(rules, TINY).solve(all_solutions=True)) == 6
    assert count_boards(rules, TINY) == sum(filling.terrain[0] == "desert" for filling in BOARDS)
    assert is_countable(rules, TINY) == (how == "constraint")
    if how == "constraint":  # a table states it
        assert next(sample_boards(1, rules, TINY, seed=1)).terrain[0] == "desert"
        return
    with pytest.raises(CatanError, match="enumerate_"):
        sample_boards(1, rules, TINY, seed=1)


def test_added_line_about_markers_obeyed(tmp_path):
    rules = Rules(models=edited_folder(tmp_path, "markers", "constraint marker[5] = 12;"))
    board = Board.from_notation("do/bbo", TINY)
    expected = {f.markers for f in BOARDS if f.terrain == board.terrain and f.markers[4] == 12}
    assert count_markers(board, rules, TINY) == len(expected)
    with enumerate_markers(board, rules, TINY) as solutions:
        assert {tuple(marker or 0 for marker in markers) for markers in solutions} == expected
    assert generate_board(rules, TINY, seed=1).markers[4] == 12
    (broken,) = rules.check(Board.from_notation("do2/b8b8o6", TINY))
    assert broken.rule == "models"


def test_mistake_in_edited_model_located(tmp_path):
    folder = edited_folder(tmp_path, line="constraint terrain[1] == ;")
    number = len((folder / "board.mzn").read_text(encoding="utf-8").splitlines())
    with pytest.raises(InvalidRules) as refused:
        generate_board(Rules(models=folder), TINY, seed=1)
    message = str(refused.value)
    assert f"board.mzn, line {number}" in message
    assert message.splitlines()[-1].strip() == "^"


def test_incomplete_model_folders(tmp_path, monkeypatch):
    with pytest.raises(InvalidRules, match="is no folder"):
        Rules(models=tmp_path / "nowhere")
    for wrong in ("a\0b", "\0", "~nobody-of-this-name/models", "a" * 5000):
        with pytest.raises(InvalidRules, match="folder"):
            Rules(models=wrong)
    with monkeypatch.context() as named, pytest.raises(InvalidRules, match="'~nobody-of-this-name/a' is no"):
        named.setenv("CATAN_CP_MODELS", "~nobody-of-this-name/a")
        count_terrains(Rules(), TINY)
    with pytest.raises(InvalidRules, match=r"lacks layout\.mzn"):
        Rules(models=tmp_path)
    folder = copy_models(tmp_path / "mine")
    with pytest.raises(InvalidArgument, match="already"):
        copy_models(folder)
    (folder / "joint.mzn").unlink()
    with pytest.raises(InvalidRules, match=r"lacks joint\.mzn"):
        Rules(models=folder)


def test_study_keeps_constraints(tmp_path):
    rules = Rules(constraints=[Constraint("terrain[1] = ORE", "Ore comes first.")])
    path = tmp_path / "study.db"
    run_study(Study(2, rules, TINY, seed=1), path, progress=False)
    with Store(path) as store:
        assert [store.board(number).terrain[0] for number in (1, 2)] == ["ore", "ore"]
        assert store.studies()[0].study.rules == rules
