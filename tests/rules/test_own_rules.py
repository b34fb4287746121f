"""Custom rules: constraints in MiniZinc text, patterns, and edited copies of the models."""

import random
import re
import runpy
import time
from functools import cache
from math import factorial, prod
from pathlib import Path

import pytest

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
    clock,
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
    unrank_board,
)
from catan_cp import model_files as models
from catan_cp.problem.problem import Problem
from catan_cp.search.instances import export_model
from tests.plane import plane
from tests.small_boards import allowed_markers, arrangements

ROOT = Path(__file__).parents[2]
TINY = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})
NO_ORE_SIX = Constraint("forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)", "No ore carries a 6.")


# ---- The sandbox


@pytest.mark.parametrize("line_end", ["\r", "\n", "\r\n"])
def test_comment_ends_at_line_ends(line_end):
    """A reader who sees a second line gets its condition."""
    rules = Rules(constraints=[f"true % a remark{line_end}/\\ terrain[1] = DESERT"])
    with enumerate_terrains(rules, TINY) as solutions:
        assert {terrain[0] for terrain in solutions} == {"desert"}


def let_comments_through(monkeypatch):
    """Read a comment as space, and the start of one without an end as two signs."""
    lax = minizinc_text._TOKEN.pattern.replace("<space>", r"<space>/\*.*?\*/|")
    lax = lax.replace(r"|/\*.*?(?:\*/|\Z)", "").replace(r"|\*/|.", "|.")
    monkeypatch.setattr(minizinc_text, "_TOKEN", re.compile(lax, re.VERBOSE | re.DOTALL))


def test_ambiguous_joined_constraints_rejected(monkeypatch):
    """The second check holds even if the screen misses a comment that spans two constraints."""
    let_comments_through(monkeypatch)
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


@pytest.mark.parametrize(
    ("name", "similar"), [("GRANE", "GRAIN"), ("ore", "ORE"), ("Marker", "marker"), ("TERAIN", "TERRAIN")]
)
def test_unknown_terrain_refused_once_layout_known(name, similar):
    """In capitals it may be a terrain that some layout adds."""
    with pytest.raises(InvalidRules, match=f"column 14: unknown name '{name}'; did you mean '{similar}'"):
        Rules(constraints=[f"terrain[1] = {name}"]).check_layout(TINY)


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
        ("terrain[1] = {DESERT}", "line 1, column 1"),
        ("true /\\\n   terrain[TILE] + 1", "line 2"),
        ("forall(t in TILE)(u = t where u in TILE)", "line 1"),
        ("predicate p(int: x) = x > 0; constraint p(true, 2);", "line 1"),
    ],
)
def test_compiler_errors_show_users_text(text, place):
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


@pytest.fixture
def lax_screen(monkeypatch):
    """Let comments through, as the screen once did: the second constraint below is lost."""
    let_comments_through(monkeypatch)
    return Rules(
        harbors="printed", constraints=["constraint true; constraint true /* 1;", "terrain[1] = 2 - 1"]
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda rules: list(enumerate_terrains(rules, limit=5)),
        lambda rules: list(enumerate_boards(rules, limit=5)),
        lambda rules: generate_board(rules, seed=1),
        lambda rules: best_board(rules, minimize="largest_vertex_sum"),
        lambda rules: repair_board(generate_board("tournament", seed=1), rules),
    ],
    ids=["enumerate_terrains", "enumerate_boards", "generate_board", "best_board", "repair_board"],
)
def test_wrong_board_not_returned(lax_screen, make):
    """Each board is checked against each constraint alone, whatever the joined text meant."""
    with pytest.raises(
        SolverFailed, match=r"breaks the rules: constraints: the board breaks 'terrain\[1\] = 2 - 1'"
    ):
        make(lax_screen)


def test_wrong_markers_not_returned(lax_screen):
    rules = lax_screen.replace(
        constraints=[lax_screen.constraints[0].text.replace("true;", "marker[1] >= 0;"), "marker[1] = 13"]
    )
    with pytest.raises(SolverFailed, match=r"the board breaks 'marker\[1\] = 13'"):
        list(enumerate_markers(generate_board("tournament", seed=1), rules, limit=5))


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
    monkeypatch.setattr(clock, "EXTERNAL_SECONDS", 1.0)
    path = tmp_path / "rules.toml"
    path.write_text(Rules(constraints=[PIGEONS]).to_toml(), encoding="utf-8")
    rules = Rules.from_toml(path)
    with pytest.raises(SolverTimeout, match=r"1 s is the default limit for constraints.*--timeout"):
        make(rules)


def test_custom_time_limits_and_python_constraints(monkeypatch):
    monkeypatch.setattr(clock, "EXTERNAL_SECONDS", 0.001)
    rules = Rules(constraints=["terrain[1] = ORE"])
    stored = Study.from_json(Study(1, rules, TINY).to_json()).rules
    assert stored == rules
    with pytest.raises(SolverTimeout, match=r"default limit"):
        generate_board(stored, TINY, seed=1)
    with pytest.raises(SolverTimeout, match=r"default limit"):
        generate_board(stored.replace(reds_apart=True), TINY, seed=1)
    assert generate_board(stored, TINY, seed=1, timeout=60) == generate_board(rules, TINY, seed=1)


def test_user_function_replaces_no_other():
    """Defined like a global constraint of the models, it must not replace that one."""
    rules = Rules(
        constraints=[
            "predicate global_cardinality(array[int] of var int: x, array[int] of int: c, "
            "array[int] of int: n) = true; constraint true;"
        ]
    )
    with enumerate_terrains(rules, TINY) as solutions:
        assert sum(1 for _ in solutions) == 30


def test_parameterless_function_replaces_no_other():
    rules = Rules(
        constraints=[
            "function var int: equal_neighbors = 1; constraint equal_neighbors() = 1;",
            "equal_neighbors() = 0",
        ]
    )
    with (
        enumerate_boards(rules, TINY) as boards,
        enumerate_boards(rules.replace(constraints=["equal_neighbors() = 0"]), TINY) as expected,
    ):
        assert {board.notation() for board in boards} == {board.notation() for board in expected}


def test_two_constraints_may_define_same_name():
    one = "predicate mine(TILE: t) = terrain[t] = DESERT; constraint mine(1);"
    predicate = "predicate mine(TILE: t) = marker[t] = 12; constraint mine(2);"
    board = generate_board(Rules(constraints=[one, predicate]), TINY, seed=1)
    assert (board.terrain[0], board.markers[1]) == ("desert", 12)


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


def test_constraints_and_patterns_survive_files(tmp_path):
    rules = Rules(constraints=[NO_ORE_SIX, 'terrain[1] = ORE % "so"'], pattern="xx/x8x", reds_apart=True)
    assert Rules.from_mapping(rules.to_mapping()) == rules
    path = tmp_path / "rules.toml"
    path.write_text(rules.to_toml(), encoding="utf-8")
    assert "[[constraint]]" in path.read_text(encoding="utf-8")
    assert Rules.from_toml(path) == rules
    assert hash(rules) == hash(Rules.from_toml(path))


@pytest.mark.parametrize("solver", ["chuffed", "gecode"])
def test_free_variables_count_boards_once(solver):
    rules = Rules(constraints=["let { var 1..50: x; var 1..3: y } in x + y > 3"])
    with enumerate_boards(rules, TINY, solver=solver) as solutions:
        boards = [board.notation() for board in solutions]
    assert len(boards) == len(set(boards)) == len(every_board())


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
    for seed in range(3):
        board = generate_board(rules, seed=seed)
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
        lambda: export_model("markers", rules, TINY, terrain=terrain),
    ):
        with pytest.raises(InvalidBoard, match=expected):
            function()


@pytest.mark.parametrize("pattern", ["ob/dbo", "o6x/xxx", "xx/x0xx", "xx8/xxo"])
def test_terrain_that_fits_pattern_counted(pattern):
    terrain, rules = ("ore", "brick", "desert", "brick", "ore"), Rules(pattern=pattern)
    fits = [m for m in allowed_markers(terrain, Rules(), TINY) if not rules.check(Board(TINY, terrain, m))]
    with enumerate_markers(terrain, rules, TINY) as solutions:
        assert {tuple(markers) for markers in solutions} == {tuple(markers) for markers in fits}
    assert count_markers(terrain, rules, TINY) == len(fits) > 0


# ---- A thousand random patterns and constraints


@cache
def every_board():
    """Every board of the tiny layout: terrain and markers."""
    return tuple(
        (terrain, tuple(markers))
        for terrain in arrangements(dict(TINY.terrain_counts))
        for markers in allowed_markers(terrain, Rules(), TINY)
    )


def random_pattern(rng):
    """A pattern that some board completes, and the same as a function of terrain and markers."""
    terrain, markers = rng.choice(every_board())
    fixed = [(rng.random() < 0.3, rng.random() < 0.3 and markers[i] is not None) for i in range(5)]
    cells = [
        (terrain[i][0] if land else "x") + (str(markers[i]) if number else "")
        for i, (land, number) in enumerate(fixed)
    ]
    return f"{''.join(cells[:2])}/{''.join(cells[2:])}", lambda t, m: all(
        (not land or t[i] == terrain[i]) and (not number or m[i] == markers[i])
        for i, (land, number) in enumerate(fixed)
    )


def listed(rules, solver):
    with enumerate_boards(rules, TINY, solver=solver) as solutions:
        boards = [(board.terrain, board.markers) for board in solutions]
    assert len(boards) == len(set(boards))
    return set(boards)


PAIR = Constraint("exists(p in edge_pairs)(terrain[here[p]] = terrain[there[p]] /\\ pips[here[p]] > 2)")
SUM = Constraint("sum(t in TILE)(marker[t] * t) >= 90")


def holds(terrain, markers):
    """True if a board of the tiny layout satisfies `PAIR` and `SUM`."""
    ways = {None: 0, 2: 1, 6: 5, 8: 5, 12: 1}
    pairs = plane((2, 3)).sharing_edge
    pair = any(terrain[a] == terrain[b] and ways[markers[min(a, b)]] > 2 for a, b in pairs)
    return pair and sum((m or 0) * i for i, m in enumerate(markers, 1)) >= 90


@pytest.mark.solver
@pytest.mark.parametrize("solver", ["chuffed", "gecode"])
@pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 60), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_random_patterns_equal_brute_force(seeds, solver):
    """Random constraints are in test_problems.py."""
    sizes = set()
    for seed in seeds:
        pattern, fits = random_pattern(random.Random(seed))
        expected = {board for board in every_board() if fits(*board) and holds(*board)}
        assert listed(Rules(pattern=pattern, constraints=[PAIR, SUM]), solver) == expected, seed
        sizes.add(len(expected))
    assert len(sizes) > 1


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(reds_apart=True),
        Rules(markers_distinct_per_terrain=True),
        Rules(vertex_sum_below=23, terrain_pips_max=8),
    ],
)
@pytest.mark.parametrize(
    "seeds", [range(100, 103), pytest.param(range(103, 112), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_ranks_of_patterns_equal_brute_force(rules, seeds):
    """By decision diagrams, by weights of terrains, and by compiled search."""
    allowed = [b for b in every_board() if not Problem.of(rules, TINY).violations(Board(TINY, *b))]
    for seed in seeds:
        pattern, fits = random_pattern(random.Random(seed))
        patterned = rules.replace(pattern=pattern)
        expected = {board for board in allowed if fits(*board)}
        assert count_boards(patterned, TINY) == len(expected), pattern
        numbered = {t for t, _ in expected}
        assert count_terrains(patterned, TINY) >= len(numbered)
        for terrain in list(numbered)[:2]:
            markers = [m for t, m in expected if t == terrain]
            assert count_markers(terrain, patterned, TINY) == len(markers), (pattern, terrain)
        ranked = [unrank_board(k, patterned, TINY) for k in range(len(expected))]
        assert {(board.terrain, board.markers) for board in ranked} == expected, pattern
        assert [rank_board(board, patterned) for board in ranked[:5]] == list(range(len(ranked[:5])))
        if not expected:
            with pytest.raises(Infeasible):
                next(sample_boards(1, patterned, TINY, seed=seed))


@pytest.mark.parametrize("item", ["predicate p(int: x) = x > 1;", "function int: f(int: x) = x;"])
@pytest.mark.parametrize("before", ["", "int: n = 1; ", "int: n = 1, "])
def test_inside_let_no_item_but_constraint(item, before):
    """MiniZinc's ``let`` declares names and states constraints, but no functions or predicates."""
    kind = item.split()[0]
    with pytest.raises(InvalidRules, match=f"'{kind}' begins an item and is not allowed here"):
        Constraint(f"let {{ {before}{item} }} in true")
    rules = Rules(constraints=[f"let {{ {before}constraint terrain[1] = DESERT }} in terrain[2] != DESERT"])
    assert {board[0] for board in enumerate_terrains(rules, TINY)} == {"desert"}
    for text in ("terrain[1] = DESERT /\\ constraint true", "(terrain[1] = DESERT /\\ constraint true)"):
        with pytest.raises(InvalidRules, match="'constraint' begins an item and is not allowed here"):
            Constraint(text)


# ---- Edited models


def test_fingerprints_are_those_of_models_shipped():
    """Exact counts and samples replace a solver for this text.

    If the text changes, check them, and run `make models`.
    """
    folder = models.shipped_dir()
    assert {path.stem: models.fingerprint(path) for path in folder.glob("*.mzn")} == dict(models.SHIPPED)


def test_unnamed_edit_reported(tmp_path, monkeypatch):
    folder = edited_folder(tmp_path, "markers", "constraint true;")
    monkeypatch.setattr(models, "shipped_dir", lambda: folder)
    with pytest.warns(UserWarning, match=r"the models markers in .* are not those shipped.*`make models`"):
        assert models.edited() == {"markers"}
    monkeypatch.undo()
    assert models.edited(str(folder)) == {"markers"}  # named, so its user knows


def test_make_writes_fingerprints(tmp_path):
    tool = runpy.run_path(str(ROOT / "docs" / "tools" / "models.py"))
    text = Path(models.__file__).read_text(encoding="utf-8")
    assert tool["module"](text, models.shipped_dir()) == text
    folder = edited_folder(tmp_path, "markers", "constraint true;")
    changed = tool["module"](text, folder)
    assert f'"markers": "{models.fingerprint(folder / "markers.mzn")}"' in changed
    assert len(set(changed.splitlines()) - set(text.splitlines())) == 1


def test_comments_and_space_change_no_fingerprint(tmp_path):
    folder = copy_models(tmp_path / "mine")
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("\n\n% a remark\n/* and another */\n")
    assert models.edited(str(folder)) == frozenset()
    assert is_countable(rules := Rules.preset("blog").replace(models=folder))
    assert count_terrains(rules) == 96
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint true;\n")
    assert models.edited(str(folder)) == {"board"}


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
            monkeypatch.setenv(models.MODELS_VARIABLE, str(folder))
    assert generate_board(rules, TINY, seed=1).terrain[0] == "desert"
    assert count_terrains(rules, TINY) == 6
    assert 1 <= count_terrains(rules, TINY, up_to_symmetry=True) <= 6
    assert count_boards(rules, TINY) == sum(t[0] == "desert" for t, _ in every_board())
    assert is_countable(rules, TINY) == (how == "constraint")
    if how == "constraint":  # a table states it
        assert next(sample_boards(1, rules, TINY, seed=1)).terrain[0] == "desert"
        return
    with pytest.raises(CatanError, match="enumerate_"):
        sample_boards(1, rules, TINY, seed=1)


def test_added_line_about_markers_obeyed(tmp_path):
    rules = Rules(models=edited_folder(tmp_path, "markers", "constraint marker[5] = 12;"))
    terrain = "do/bbo"
    expected = [m for t, m in every_board() if "".join(n[0] for n in t) == "dobbo" and m[4] == 12]
    assert count_markers(Board.from_notation(terrain, TINY), rules, TINY) == len(expected)
    with enumerate_markers(Board.from_notation(terrain, TINY), rules, TINY) as solutions:
        assert sorted(solutions, key=str) == sorted(expected, key=str)
    for seed in range(3):
        assert generate_board(rules, TINY, seed=seed).markers[4] == 12
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
        models.models_dir()
    with pytest.raises(InvalidRules, match=r"lacks layout\.mzn"):
        Rules(models=tmp_path)
    folder = copy_models(tmp_path / "mine")
    with pytest.raises(InvalidArgument, match="already"):
        copy_models(folder)
    (folder / "joint.mzn").unlink()
    with pytest.raises(InvalidRules, match=r"lacks joint\.mzn"):
        Rules(models=folder)


def test_study_keeps_constraints_and_names_them(tmp_path):
    rules = Rules(constraints=[Constraint("terrain[1] = ORE", "Ore comes first.")])
    path = tmp_path / "study.db"
    run_study(Study(3, rules, "base", seed=1), path, progress=False)
    with Store(path) as store:
        store.to_csv(tmp_path / "rows.csv")
        (state,) = store.studies()
    rows = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()[1:]
    boards = [match[0] for row in rows if (match := re.search(r"[a-z][0-9a-z]*(/[a-z0-9]+){4}", row))]
    assert len(boards) == 3
    assert {Board.from_notation(notation).terrain[0] for notation in boards} == {"ore"}
    assert state.study.rules == rules


def test_custom_names_hide_no_others():
    """A function of a user's own is renamed, whatever it is called, so nothing else calls it."""
    text = "function var int: largest_vertex_sum() = 0; constraint largest_vertex_sum() = 0;"
    best = best_board(Rules(constraints=[text]), TINY, minimize="largest_vertex_sum")
    threes = [tiles for tiles in TINY.vertex_tiles if len(tiles) == 3]
    assert best.value == max(sum(best.board.markers[t] or 7 for t in tiles) for tiles in threes) > 0


def test_pattern_forbids_first_of_orbits():
    three = Layout("three", (2, 1), {"brick": 1, "ore": 1, "gold": 1}, {9: 3})
    rules = Rules(symmetry="distinct", pattern="ox/b")  # the first terrain is brick, ore, gold
    assert count_terrains(rules, three) == 0
    assert list(enumerate_terrains(rules, three)) == []
    assert list(enumerate_terrains(rules.replace(pattern="bx/x"), three)) == [("brick", "ore", "gold")]
