"""A user's own rules: constraints in MiniZinc text, patterns, and edited copies of the models."""

import random
import re
import runpy
from functools import cache
from math import factorial, prod
from pathlib import Path

import pytest
from plain_rules import plane
from small_boards import allowed_markers, arrangements

from catan_cp import (
    Board,
    CatanError,
    Constraint,
    Harbor,
    Infeasible,
    InvalidArgument,
    InvalidRules,
    Layout,
    Rules,
    Store,
    Study,
    best_board,
    board_at,
    copy_models,
    count_boards,
    count_markers,
    count_terrain,
    enumerate_boards,
    enumerate_markers,
    enumerate_terrain,
    generate_board,
    is_countable,
    rank,
    run_study,
    sample_boards,
    sample_terrain,
)
from catan_cp.rules.checking import violations_of
from catan_cp.solving import models

ROOT = Path(__file__).parents[2]
TINY = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})
NO_ORE_SIX = Constraint("forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)", "No ore carries a 6.")
PRINTED = "dlw/bgol/owbwg/lgob/wlg"


# ---- The sandbox


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "says nothing"),
        ("% a remark", "says nothing"),
        ('include "/etc/passwd";', "'include' may not stand"),
        ('constraint true; include "x.mzn";', "'include' may not stand"),
        ("solve satisfy;", "'solve' may not stand"),
        ('constraint true; output ["x"];', "'output' may not stand"),
        ('trace("x", true)', "may not stand in a constraint"),
        ("trace_stdout(1) = 1", "no function 'trace_stdout'"),
        ("true :: domain", "an annotation may not stand"),
        ("1 `mod` 2 = 1", "may not stand in a constraint"),
        ("'terrain'[1] = 2", "may not stand in a constraint"),
        ("$T = 1", "may not stand in a constraint"),
        ("true); constraint (true", "closes nothing here"),
        ("true; constraint false", "one expression has no ';'"),
        ("(true", "is never closed"),
        ("terrain[1] = 1.5", "numbers are whole"),
        ("constraint true; terrain[1] = 2;", "an item begins with"),
        ("constraint true; var int: x;", "an item begins with"),
        ("constraint constraint true", "begins an item, and cannot stand here"),
        ("terain[1] = DESERT", "unknown name 'terain'; did you mean 'terrain'?"),
        ("foral(t in TILE)(true)", "no function 'foral' is known here; did you mean 'forall'?"),
        ("abort(1) = 1", "no function 'abort'"),
        ("fzn_all_different_int(terrain)", "no function 'fzn_all_different_int'"),
        ("\u2200 t", "may not stand in a constraint"),
    ],
)
def test_what_may_not_stand_in_a_constraint_is_refused_at_its_place(text, why):
    with pytest.raises(InvalidRules) as refused:
        Rules(constraints=[text])
    assert why in str(refused.value)


def test_the_place_of_a_mistake_is_shown():
    with pytest.raises(InvalidRules) as refused:
        Rules(constraints=[Constraint("true /\\ % so far\n  terain[1] = GRAIN", says="Grain first.")])
    message, line, caret = str(refused.value).splitlines()
    assert "(Grain first.), line 2, column 3: unknown name 'terain'; did you mean 'terrain'?" in message
    assert line[caret.index("^") :] == "terain[1] = GRAIN"


def test_an_unknown_terrain_is_refused_once_the_layout_is_known():
    """In capitals it may be a terrain that some layout adds."""
    rules = Rules(constraints=["terrain[1] = GRANE"])
    with pytest.raises(InvalidRules, match="column 14: unknown name 'GRANE'; did you mean 'GRAIN'"):
        rules.check_layout(TINY)


def test_a_constraint_names_the_terrains_that_a_layout_adds():
    rules = Rules(constraints=["terrain[10] = LAKE \\/ terrain[10] = OASIS", "terrain[1] != CASTLE"])
    with pytest.raises(InvalidRules, match="line 1, column 15: unknown name 'LAKE'"):
        generate_board(rules, TINY, seed=1)
    with pytest.raises(InvalidRules, match="unknown name 'CASTLE'"):
        count_terrain(rules, "fishy-caravans")
    rules = rules.replace(constraints=rules.constraints[:1])
    board = generate_board(rules, "fishy-caravans", seed=1)
    assert board.terrain[9] in ("lake", "oasis")
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
def test_what_minizinc_refuses_is_shown_in_the_users_text(text, place):
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
def test_a_text_that_never_ends_to_compile_ends(text):
    with pytest.raises(CatanError):
        generate_board(Rules(constraints=[text]), TINY, seed=1, timeout=3)


def test_a_function_of_a_users_own_takes_no_others_place():
    """Defined like a global constraint of the models, it must not replace that one."""
    rules = Rules(
        constraints=[
            "predicate global_cardinality(array[int] of var int: x, array[int] of int: c, "
            "array[int] of int: n) = true; constraint true;"
        ]
    )
    with enumerate_terrain(rules, TINY) as found:
        assert sum(1 for _ in found) == 30


def test_two_constraints_may_define_the_same_name():
    mine = "predicate mine(TILE: t) = terrain[t] = DESERT; constraint mine(1);"
    other = "predicate mine(TILE: t) = marker[t] = 12; constraint mine(2);"
    board = generate_board(Rules(constraints=[mine, other]), TINY, seed=1)
    assert (board.terrain[0], board.markers[1]) == ("desert", 12)


# ---- Constraints in everything


def test_a_constraint_is_said_checked_and_blamed():
    rules = Rules(constraints=[NO_ORE_SIX])
    assert rules.explain() == ["No ore carries a 6."]
    good, bad = "do2/b8b8o12", "do6/b8b8o12"
    assert rules.check(Board.from_notation(good, TINY)) == []
    (broken,) = rules.check(Board.from_notation(bad, TINY))
    assert (broken.rule, broken.text) == ("constraints", "the board breaks 'No ore carries a 6.'")
    six = Constraint("exists(t in TILE where terrain[t] = ORE)(marker[t] = 6)", "Some ore carries a 6.")
    with pytest.raises(Infeasible, match=r"'No ore carries a 6\.', the constraint 'Some ore carries a 6\.'"):
        generate_board(rules.replace(constraints=[NO_ORE_SIX, six]), TINY, seed=1)


def test_check_decides_on_boards_whose_pieces_are_not_those_of_the_box():
    rules = Rules(constraints=["sum(t in TILE)(marker[t]) <= 20"])
    assert {v.rule for v in rules.check(Board.from_notation("oo/bbb", TINY))} == {"pieces"}
    heavy = Board.from_notation("o12o12/b8b8b8", TINY)
    assert {v.rule for v in rules.check(heavy)} == {"pieces", "constraints"}


def test_constraints_and_patterns_survive_mappings_and_files(tmp_path):
    rules = Rules(constraints=[NO_ORE_SIX, 'terrain[1] = ORE % "so"'], pattern="xx/x8x", reds_apart=True)
    assert Rules.from_mapping(rules.to_mapping()) == rules
    path = tmp_path / "rules.toml"
    path.write_text(rules.to_toml(), encoding="utf-8")
    assert "[[constraint]]" in path.read_text(encoding="utf-8")
    assert Rules.from_toml(path) == rules
    assert hash(rules) == hash(Rules.from_toml(path))


@pytest.mark.parametrize("solver", ["chuffed", "gecode"])
def test_free_variables_of_a_constraint_make_no_board_count_twice(solver):
    rules = Rules(constraints=["let { var 1..50: x; var 1..3: y } in x + y > 3"])
    with enumerate_boards(rules, TINY, solver=solver) as found:
        boards = [board.notation() for board in found]
    assert len(boards) == len(set(boards)) == len(every_board())


def test_a_constraint_about_harbors_needs_harbors():
    with pytest.raises(InvalidRules, match="harbors='none' lays none"):
        Rules(constraints=["harbor[1] = 0"])
    rules = Rules(harbors="shuffled", constraints=["harbor[1] = ORE /\\ terrain[1] = ORE"])
    board = generate_board(rules, "base", seed=3)
    by_edge = {harbor.vertices: harbor.trade for harbor in board.harbors}
    assert by_edge[board.layout.printed_harbors[0].vertices] == "ore" == board.terrain[0]
    assert rules.check(board) == []


@pytest.mark.parametrize("markers", [None, (6, 6, None, None, None)])
def test_a_constraint_about_harbors_is_decided_where_they_lie(markers):
    """Also without markers, and where none are laid as printed, for they may move."""
    counts, printed = {"ore": 1, "wool": 1, "sea": 3}, [Harbor((4, 5), "3:1")]
    layout = Layout("x", (2, 3), counts, {6: 2}, printed_harbors=printed, movable_harbors=[(4, 5)])
    board = Board(layout, ["ore", "wool", "sea", "sea", "sea"], markers, [Harbor((0, 9), "3:1")])
    kept, broken = (f"exists(h in HARBOR)(harbor[h] = {trade})" for trade in (0, "ORE"))
    for harbors in ("printed", "shuffled"):
        found = Rules(harbors=harbors, constraints=[kept, broken]).check(board)
        assert [v.text for v in found if v.rule == "constraints"] == [f"the board breaks {broken!r}"]
        assert ("harbors" in {v.rule for v in found}) == (harbors == "printed")


@pytest.mark.parametrize(
    "value", ["true", {"text": "true"}, 3, [3], [{"says": "x"}], [{"text": "true", "a": 1}]]
)
def test_constraints_that_are_no_list_of_constraints(value):
    with pytest.raises(InvalidRules):
        Rules(constraints=value)


# ---- Patterns


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (3, "a pattern is text"),
        ("", "row 1 of the pattern, '', is not small letters"),
        ("xx/XXX", "row 2 of the pattern, 'XXX',"),
        ("xx/xxx:printed", "has no harbors"),
        ("x7/xxx", "one of 2, 3"),
        ("x2+12x/xxx", "beside a 2 lies nothing on 'tiny'"),
        ("x2+3+4x/xxx", "row 1 of the pattern"),
        ("x2+x/xxx", "one of 2, 3"),
        ("xx/xx", "rows of 2-2 tiles"),
        ("xx/xxx@base", "is of the layout 'base'"),
        ("qx/xxx", "unknown letter in q in row 1"),
        ("d6x/xxx", "desert carries no marker"),
        ("o0x/xxx", "ore always carries a marker"),
        ("ooo/xx", "rows of 3-2 tiles"),
        ("oo/oxx", "has 3 tiles of ore; the box of 'tiny' holds 2"),
        ("x6x6/xxx", "has 2 markers 6; the box of 'tiny' holds 1"),
        ("w/xx", "rows of 1-2"),
        ("wx/xxx", "has 1 tiles of wool; the box of 'tiny' holds 0"),
    ],
)
def test_patterns_that_cannot_be(pattern, why):
    with pytest.raises(InvalidRules) as refused:
        generate_board(Rules(pattern=pattern), TINY)
    assert why in str(refused.value)


def test_a_pattern_of_the_post():
    rules = Rules(pattern="xxx/xxxx/xxdxx/xx6xx/oxx")
    assert is_countable(rules)
    # 1 desert and 1 ore are laid; 17 tiles for 3 brick, 4 grain, 4 wool, 2 ore, 4 lumber
    assert count_terrain(rules) == factorial(17) // prod(map(factorial, (3, 4, 4, 2, 4)))
    for seed in range(3):
        board = generate_board(rules, seed=seed)
        assert (board.terrain[9], board.terrain[16], board.markers[13]) == ("desert", "ore", 6)
        assert rules.check(board) == []
    assert {t[9] for t in sample_terrain(20, rules, seed=1)} == {"desert"}


def test_patterns_from_boards():
    board = Board.from_notation("do2/b8b8o12", TINY)
    assert board.pattern() == "do/bbo@tiny"
    assert board.pattern(keep="markers") == "xx2/x8x8x12@tiny"
    assert board.pattern(keep=[1, 4]) == "xo2/xxo12@tiny"
    redealt = generate_board(Rules(pattern=board.pattern()), TINY, seed=2)
    assert redealt.terrain == board.terrain
    other = Board.from_notation("o12o8/b6b8d", TINY)
    assert [str(each) for each in Rules(pattern="xo2/b6x0x").check(other)] == [
        "pattern: tile 1 has 8, and the marker 2 in the pattern",
        "pattern: tile 3 has 8, and no marker in the pattern",
    ]
    assert [each.tiles for each in Rules(pattern="do/bbo").check(other)] == [(0,), (4,)]
    with pytest.raises(InvalidArgument, match="tiles are 0 to 4"):
        board.pattern(keep=[5])
    for wrong in ("harbors", 3, None):
        with pytest.raises(InvalidArgument, match=f"'terrain', 'markers' or .* not {wrong!r}"):
            board.pattern(keep=wrong)
    whole = generate_board("tournament", seed=1)
    assert Rules(pattern=whole.pattern(keep=range(19))).check(whole) == []


# ---- A thousand random patterns and constraints


@cache
def every_board():
    """Every board of the tiny layout: terrain and markers."""
    return tuple(
        (terrain, tuple(markers))
        for terrain in arrangements(dict(TINY.terrain_counts))
        for markers in allowed_markers(terrain, Rules(), TINY)
    )


CODES = {"desert": "DESERT", "brick": "BRICK", "ore": "ORE"}


def random_constraint(rng, depth=0, positive=True):
    """A constraint as MiniZinc text, and the same as a function of terrain and markers.

    MiniZinc refuses free variables where the text is not *positive*: under a negation.
    """
    pairs = plane((2, 3)).sharing_edge
    kind = rng.choice(
        ("terrain", "marker", "ore", "pairs", "count", "sum")
        + ("free",) * positive
        + ("and", "or", "not") * (depth < 2)
    )
    tile, name, marker = rng.randrange(5), rng.choice(sorted(CODES)), rng.choice((2, 6, 8, 12))
    if kind == "terrain":
        return f"terrain[{tile + 1}] = {CODES[name]}", lambda t, m: t[tile] == name
    if kind == "marker":
        return f"marker[{tile + 1}] != {marker}", lambda t, m: m[tile] != marker
    if kind == "ore":
        text = f"forall(t in TILE where terrain[t] = {CODES[name]})(marker[t] != {marker})"
        return text, lambda t, m: all(m[i] != marker for i in range(5) if t[i] == name)
    if kind == "pairs":
        text = "exists(p in edge_pairs)(terrain[here[p]] = terrain[there[p]] /\\ pips[here[p]] > 2)"
        ways = {None: 0, 2: 1, 6: 5, 8: 5, 12: 1}
        return text, lambda t, m: any(t[a] == t[b] and ways[m[min(a, b)]] > 2 for a, b in pairs)
    if kind == "count":
        most = rng.randrange(3)
        text = f"sum(t in coast)(bool2int(terrain[t] = {CODES[name]} /\\ marker[t] > 6)) <= {most}"
        return text, lambda t, m: sum(t[i] == name and (m[i] or 0) > 6 for i in range(5)) <= most
    if kind == "free":
        text = f"let {{ var TILE: u }} in terrain[u] = {CODES[name]} /\\ marker[u] = {marker}"
        return text, lambda t, m: any(t[i] == name and m[i] == marker for i in range(5))
    if kind == "sum":
        least = rng.randrange(10, 30)
        return (
            f"sum(t in TILE)(marker[t] * t) >= {2 * least}",
            lambda t, m: sum((m[i] or 0) * (i + 1) for i in range(5)) >= 2 * least,
        )
    positive = positive and kind != "not"
    first, one = random_constraint(rng, depth + 1, positive)
    if kind == "not":
        return f"not ({first})", lambda t, m: not one(t, m)
    second, two = random_constraint(rng, depth + 1, positive)
    if kind == "and":
        return f"({first}) /\\ ({second})", lambda t, m: one(t, m) and two(t, m)
    return f"({first}) \\/ ({second})", lambda t, m: one(t, m) or two(t, m)


def random_pattern(rng):
    """A pattern that some board may complete, and the same as a function of terrain and markers."""
    terrain, markers = rng.choice(every_board())
    given = [(rng.random() < 0.3, rng.random() < 0.3 and markers[i] is not None) for i in range(5)]
    cells = [
        (terrain[i][0] if land else "x") + (str(markers[i]) if number else "")
        for i, (land, number) in enumerate(given)
    ]
    return f"{''.join(cells[:2])}/{''.join(cells[2:])}", lambda t, m: all(
        (not land or t[i] == terrain[i]) and (not number or m[i] == markers[i])
        for i, (land, number) in enumerate(given)
    )


def listed(rules, solver):
    with enumerate_boards(rules, TINY, solver=solver) as found:
        boards = [(board.terrain, board.markers) for board in found]
    assert len(boards) == len(set(boards))
    return set(boards)


def random_case(seed):
    """Two constraints, with every other seed a pattern as well, and the boards that keep them all."""
    rng = random.Random(seed)
    own = [random_constraint(rng), random_constraint(rng)]
    pattern, fits = random_pattern(rng) if seed % 2 else (None, lambda t, m: True)
    expected = {b for b in every_board() if fits(*b) and all(holds(*b) for _, holds in own)}
    return Rules(pattern=pattern, constraints=[text for text, _ in own]), expected


@pytest.mark.solver
@pytest.mark.parametrize(
    "seeds",
    [range(2), *(pytest.param(range(n, n + 100), marks=pytest.mark.slow) for n in range(0, 500, 100))],
)
def test_a_thousand_random_constraints_agree_with_brute_force(seeds):
    """With 250 patterns among them; two constraints are compiled at once, which is what takes the time."""
    for seed in seeds:
        rules, expected = random_case(seed)
        for solver in ("chuffed", "gecode"):
            assert listed(rules, solver) == expected, (seed, rules, solver)


def test_random_cases_are_neither_all_empty_nor_all_the_same():
    sizes = [len(random_case(seed)[1]) for seed in range(100)]
    assert sum(size > 0 for size in sizes) > 50
    assert len(set(sizes)) > 40


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(reds_apart=True),
        Rules(markers_distinct_per_terrain=True),
        Rules(vertex_sum_below=23, terrain_pips_max=8),
    ],
)
def test_boards_of_random_patterns_are_numbered_like_brute_force(rules):
    """By decision diagrams, by weights of terrains, and by compiled search."""
    allowed = [b for b in every_board() if not violations_of(rules, Board(TINY, *b))]
    for seed in range(100, 106):
        pattern, fits = random_pattern(random.Random(seed))
        mine = rules.replace(pattern=pattern)
        expected = {board for board in allowed if fits(*board)}
        assert count_boards(mine, TINY) == len(expected), pattern
        numbered = {t for t, _ in expected}
        assert count_terrain(mine, TINY) >= len(numbered)
        for terrain in list(numbered)[:2]:
            markers = [m for t, m in expected if t == terrain]
            assert count_markers(terrain, mine, TINY) == len(markers), (pattern, terrain)
        ranked = [board_at(k, mine, TINY) for k in range(len(expected))]
        assert {(board.terrain, board.markers) for board in ranked} == expected, pattern
        assert [rank(board, mine) for board in ranked[:5]] == list(range(len(ranked[:5])))
        if not expected:
            with pytest.raises(Infeasible):
                next(sample_boards(1, mine, TINY, seed=seed))


@pytest.mark.parametrize("item", ["predicate p(int: x) = x > 1;", "function int: f(int: x) = x;"])
@pytest.mark.parametrize("before", ["", "int: n = 1; ", "int: n = 1, "])
def test_inside_let_no_item_but_a_constraint(item, before):
    """MiniZinc's ``let`` declares names and states constraints, and neither functions nor predicates."""
    kind = item.split()[0]
    with pytest.raises(InvalidRules, match=f"'{kind}' begins an item, and cannot stand here"):
        Constraint(f"let {{ {before}{item} }} in true")
    rules = Rules(constraints=[f"let {{ {before}constraint terrain[1] = DESERT }} in terrain[2] != DESERT"])
    assert {board[0] for board in enumerate_terrain(rules, TINY)} == {"desert"}
    for text in ("terrain[1] = DESERT /\\ constraint true", "(terrain[1] = DESERT /\\ constraint true)"):
        with pytest.raises(InvalidRules, match="'constraint' begins an item, and cannot stand here"):
            Constraint(text)


# ---- Edited models


def test_the_fingerprints_are_those_of_the_models_shipped():
    """Counts and draws stand in for this text. Where it is meant to change, check them, and `make models`."""
    folder = models.shipped_dir()
    assert {path.stem: models.fingerprint(path) for path in folder.glob("*.mzn")} == dict(models.SHIPPED)


def test_an_edit_that_nobody_named_is_said(tmp_path, monkeypatch):
    folder = edited_folder(tmp_path, "markers", "constraint true;")
    monkeypatch.setattr(models, "shipped_dir", lambda: folder)
    with pytest.warns(UserWarning, match=r"the models markers in .* are not those shipped.*`make models`"):
        assert models.edited() == {"markers"}
    monkeypatch.undo()
    assert models.edited(str(folder)) == {"markers"}  # named, so its user knows


def test_make_writes_the_fingerprints(tmp_path):
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
    assert count_terrain(rules) == 96
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint true;\n")
    assert models.edited(str(folder)) == {"board"}


def edited_folder(tmp_path, name="board", line="constraint terrain[1] = DESERT;"):
    folder = copy_models(tmp_path / "mine")
    with (folder / f"{name}.mzn").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    return folder


@pytest.mark.parametrize("how", ["models", "variable", "constraint"])
def test_an_added_line_is_counted_and_obeyed(tmp_path, monkeypatch, how):
    """More of this, on every layout and by command line, is in test_every_layout.py."""
    rules = Rules(constraints=["terrain[1] = DESERT"])
    if how != "constraint":
        folder = edited_folder(tmp_path)
        rules = Rules(models=folder) if how == "models" else Rules()
        if how == "variable":
            monkeypatch.setenv(models.VARIABLE, str(folder))
    assert generate_board(rules, TINY, seed=1).terrain[0] == "desert"
    assert count_terrain(rules, TINY) == 6
    assert 1 <= count_terrain(rules, TINY, distinct=True) <= 6
    assert count_boards(rules, TINY) == sum(t[0] == "desert" for t, _ in every_board())
    assert not is_countable(rules, TINY)
    with pytest.raises(CatanError, match="enumerate_"):
        sample_boards(1, rules, TINY, seed=1)


def test_an_added_line_about_markers_is_obeyed(tmp_path):
    rules = Rules(models=edited_folder(tmp_path, "markers", "constraint marker[5] = 12;"))
    terrain = "do/bbo"
    expected = [m for t, m in every_board() if "".join(n[0] for n in t) == "dobbo" and m[4] == 12]
    assert count_markers(Board.from_notation(terrain, TINY), rules, TINY) == len(expected)
    with enumerate_markers(Board.from_notation(terrain, TINY), rules, TINY) as found:
        assert sorted(found, key=str) == sorted(expected, key=str)
    for seed in range(3):
        assert generate_board(rules, TINY, seed=seed).markers[4] == 12
    (broken,) = rules.check(Board.from_notation("do2/b8b8o6", TINY))
    assert broken.rule == "models"


def test_a_mistake_in_an_edited_model_is_shown_with_its_file_and_line(tmp_path):
    folder = edited_folder(tmp_path, line="constraint terrain[1] == ;")
    number = len((folder / "board.mzn").read_text(encoding="utf-8").splitlines())
    with pytest.raises(InvalidRules) as refused:
        generate_board(Rules(models=folder), TINY, seed=1)
    message = str(refused.value)
    assert f"board.mzn, line {number}" in message
    assert message.splitlines()[-1].strip() == "^"


def test_folders_of_models_that_are_not_whole(tmp_path, monkeypatch):
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


def test_a_study_keeps_constraints_and_names_them(tmp_path):
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


def test_names_of_the_models_are_not_taken_by_a_users_own():
    """A function of a user's own is renamed, whatever it is called, so nothing else calls it."""
    mine = "function var int: largest_vertex_sum() = 0; constraint largest_vertex_sum() = 0;"
    best = best_board(Rules(constraints=[mine]), TINY, minimize="largest_vertex_sum")
    threes = [tiles for tiles in TINY.vertex_tiles if len(tiles) == 3]
    assert best.value == max(sum(best.board.markers[t] or 7 for t in tiles) for tiles in threes) > 0
