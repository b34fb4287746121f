"""`Problem`: rules on a layout, compiled once."""

import pytest

import catan_cp as cp

FIVE = cp.Layout("five", (2, 3), {"ore": 2, "wool": 2, "desert": 1}, {2: 1, 6: 1, 8: 1, 9: 1})


def test_equal_rules_share_problem():
    assert cp.Problem.of("tournament") is cp.Problem.of(cp.Rules.preset("tournament"), cp.LAYOUTS["base"])
    assert cp.Problem.of("tournament", "mini") is not cp.Problem.of("tournament")


def test_presets_are_within_tables():
    for name in ("blog", "optimal", "tournament", "official", "open"):
        problem = cp.Problem.of(name)
        assert [problem.beyond(subject) for subject in ("terrain", "markers", "boards")] == [(), (), ()]
        assert problem.explain() == problem.rules.explain()


def test_tables_of_preset():
    problem = cp.Problem.of("optimal")
    assert problem.terrain.clusters.size == 1
    assert [rule.terrains for rule in problem.terrain.apart] == [{frozenset({"brick", "lumber"})}]
    (bounds,) = problem.markers.vertices
    assert (bounds.least, bounds.most, bounds.values[0], bounds.values[8]) == (0, 22, 7, 8)
    assert cp.Problem.of("official").markers.order.order[:3] == (5, 2, 6)


@pytest.mark.parametrize(
    ("values", "subjects", "reason"),
    [
        ({"islands_min": 2}, ("terrain", "boards"), "islands_min, which no table states"),
        ({"constraints": ["numbered[1]"]}, ("terrain", "boards"), "the constraint numbered[1]"),
        ({"constraints": ["marker[1] = 5"]}, ("markers", "boards"), "the constraint marker[1] = 5"),
    ],
)
def test_rules_beyond_tables_named(values, subjects, reason):
    problem = cp.Problem.of(cp.Rules(**values))
    for subject in ("terrain", "markers", "boards"):
        assert problem.beyond(subject) == ((reason,) if subject in subjects else ())
    assert (problem.terrain is None) == ("terrain" in subjects)
    assert (problem.markers is None) == ("markers" in subjects)
    assert problem.explain()[-1] == f"Beyond exact methods: {reason}."


def test_edited_model_compiled_again(tmp_path):
    folder = cp.copy_models(tmp_path / "models")
    rules = cp.Rules(models=str(folder))
    before = cp.Problem.of(rules)
    assert before.beyond("boards") == ()
    board = folder / "board.mzn"
    board.write_text(board.read_text() + "constraint terrain[1] = ORE;\n")
    after = cp.Problem.of(rules)
    assert after is not before
    assert after.beyond("terrain") == after.beyond("boards") == ("the edited model board",)
    assert after.beyond("markers") == ()
    assert after.terrain is None


def test_problem_checks_boards():
    board = cp.Board.from_notation(cp.LAYOUTS["base"].beginner_board)
    problem = cp.Problem.of("optimal")
    assert problem.check(board) == problem.rules.check(board) != []


def test_rejects_rules_without_spiral():
    with pytest.raises(cp.InvalidRules, match="needs the rule book's order"):
        cp.Problem.of("official", "seafarers-8")


def test_table_of_constraint_is_its_check():
    rules = cp.Rules(constraints=["terrain[1] = terrain[5]", "marker[2] = 6"])
    boards = [*cp.sample_boards(2, "open", FIVE, seed=3)]
    broken = [[str(v) for v in rules.check(board) if "[5]" in str(v)] for board in boards]
    text = "constraints: the board breaks 'terrain[1] = terrain[5]'"
    assert broken == [[text] * (board.terrain[0] != board.terrain[4]) for board in boards]
    assert [] in broken and [text] in broken
