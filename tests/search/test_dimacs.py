"""Models as clauses: the projected models of the formula are the solutions, one for one."""

import re

import pytest

from catan_cp import (
    InvalidArgument,
    Layout,
    Rules,
    copy_models,
    count_terrains,
    enumerate_boards,
    enumerate_markers,
    enumerate_terrains,
)
from catan_cp.search.instances import export_model
from docs.tools import instances

THREE = Layout("three", (1, 2), {"ore": 1, "wool": 1, "desert": 1}, {3: 1, 6: 1, 8: 1})
SIX = Layout("six", (1, 2, 3), {"wool": 2, "ore": 2, "sea": 1, "desert": 1}, {2: 1, 3: 1, 6: 1, 8: 1})
WET = Layout("wet", (1, 2, 3), {"wool": 1, "ore": 2, "sea": 2, "desert": 1}, {3: 1, 6: 1, 8: 1})
OWN = "constraint terrain[1] != WOOL /\\ marker[2] + marker[3] > 8;"


def read(text):
    """The clauses of a formula, the variables shown, and which number each gives which value."""
    lines = text.splitlines()
    [[n, count]] = [line.split()[2:] for line in lines if line.startswith("p cnf")]
    [projection] = [
        [int(word) for word in line.split()[3:-1]] for line in lines if line.startswith("c p show")
    ]
    clauses = [tuple(map(int, line.split()[:-1])) for line in lines if line[0] not in "cp"]
    assert len(clauses) == int(count)
    assert all(0 < abs(literal) <= int(n) for clause in clauses for literal in clause)
    meaning = {int(a): (int(b), int(c)) for a, b, c in re.findall(r"c (\d+) is \w+\[(\d+)\]=(-?\d+)", text)}
    return clauses, projection, meaning


class Search:
    """Return all models of clauses, by trying both values of a variable and propagating."""

    def __init__(self, clauses):
        self.clauses, self.at = clauses, {}
        for clause in clauses:
            for literal in clause:
                self.at.setdefault(literal, []).append(clause)

    def after(self, held, *literals):
        """Return the literals that hold with these, by unit propagation.

        None if there is a contradiction.
        """
        held, todo = set(held), list(literals)
        while todo:
            now = todo.pop()
            if -now in held:
                return None
            if now in held:
                continue
            held.add(now)
            for clause in self.at.get(-now, ()):
                if held.isdisjoint(clause):
                    open_literals = [literal for literal in clause if -literal not in held]
                    if not open_literals:
                        return None
                    if len(open_literals) == 1:
                        todo.append(open_literals[0])
        return held

    def models(self, projection):
        """Yield the variables shown that hold in a model, for each that differs there."""
        units = [clause[0] for clause in self.clauses if len(clause) == 1]
        todo = [self.after((), *units)]
        while todo:
            held = todo.pop()
            if held is None:
                continue
            free = next((v for v in projection if v not in held and -v not in held), 0)
            if free:
                todo += [self.after(held, free), self.after(held, -free)]
            elif self.fits(held):
                yield frozenset(v for v in projection if v in held)

    def fits(self, held):
        """True if some model contains all these literals."""
        for clause in self.clauses:
            if held.isdisjoint(clause):
                branch = next(option for option in clause if -option not in held)
                tried = (self.after(held, literal) for literal in (branch, -branch))
                return any(option is not None and self.fits(option) for option in tried)
        return True


def rows(text):
    """Return the values of each model of a formula: the decided numbers of the true variables."""
    clauses, projection, meaning = read(text)
    models = list(Search(clauses).models(projection))
    assert len(set(models)) == len(models)
    return {frozenset(meaning[v] for v in model) for model in models}, len(models), meaning


CASES = {
    "open": (Rules(), THREE),
    "apart": (Rules(reds_apart=True, vertex_pips_max=12, pattern="o/wx/xdx"), SIX),
    "sums": (Rules(vertex_sum_below=20, pattern="x/xx/xdx"), SIX),
    "pips": (Rules(terrain_pips_min={"wool": 7}, terrain_pips_max={"ore": 4}, desert="coast"), SIX),
    "islands": (Rules(islands_min=2, reds_per_terrain_max=1), WET),
    "classes": (Rules(symmetry="distinct", markers_distinct_per_terrain=True, islands_max=1), SIX),
    "own": (Rules(constraints=(OWN,)), THREE),
    "none": (Rules(islands_min=2), THREE),
}


QUICK = ("own", "none")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
)
def test_models_of_formula_are_boards(name):
    """Of two values one variable says both: a model names the other by saying nothing."""
    rules, layout = CASES[name]
    with enumerate_boards(rules, layout) as listed:
        boards = [board_row(layout, board) for board in listed]
    values, n, meaning = rows(export_model("joint", rules, layout, how="dimacs"))
    known = set(meaning.values())
    assert values == {frozenset(known.intersection(enumerate(row, start=1))) for row in boards}
    assert n == len(boards)
    assert bool(boards) == (name != "none")


def board_row(layout, board):
    """A board as the model's solution has it."""
    return [
        *(layout.terrain_codes[name] for name in board.terrain),
        *(marker or 0 for marker in board.markers),
    ]


@pytest.mark.parametrize(
    "rules",
    [
        Rules(terrain_cluster_max=2, reds_apart=True, pattern="x/ww/xdx"),
        Rules(constraints=["equal_neighbors() = 1", "reds_touching() = 0"], pattern="x/xx/xdx"),
    ],
    ids=["fields", "measures in constraints"],
)
def test_terrain_and_markers_alone(rules):
    with enumerate_terrains(rules, SIX) as listed:
        assert rows(export_model("terrain", rules, SIX, how="dimacs"))[1] == sum(1 for _ in listed) > 0
    names = ("ore", "wool", "wool", "ore", "desert", "sea")
    with enumerate_markers(names, rules, SIX) as listed:
        known = sum(1 for _ in listed)
    assert rows(export_model("markers", rules, SIX, terrain=names, how="dimacs"))[1] == known > 0


def test_edited_models_obeyed(tmp_path):
    folder = copy_models(tmp_path / "mine")
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint terrain[2] = DESERT;\n")
    assert rows(export_model("terrain", Rules(models=folder), THREE, how="dimacs"))[1] == 2


def test_one_solution_and_models_without_encoding():
    assert rows(export_model("terrain", "open", "pirate-islands", how="dimacs"))[1] == 1
    halves = Rules(constraints=("constraint terrain[1] / terrain[2] > terrain[3] / 2;",))
    with pytest.raises(InvalidArgument, match=r"\w+ has no encoding as clauses"):
        export_model("terrain", halves, how="dimacs")


def test_instances_have_counts_that_page_tells():
    page = instances.PAGE.read_text(encoding="utf-8")
    assert instances.filled(page) == page
    for instance in instances.INSTANCES:
        if instance.solutions == 96 or instance.solutions == 188_160:
            assert count_terrains(instance.rules) == instance.solutions
        if instance.is_kept:
            text = (instances.ROOT / "examples" / "instances" / f"{instance.name}.cnf").read_text(
                encoding="utf-8"
            )
            assert len(read(text)[1]) == 19 * 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "rules", "layout", "known"),
    [("terrain", "blog", "base", 96), ("terrain", "optimal", "base", 188_160)],
)
def test_independent_counter_agrees(part, rules, layout, known):
    counter = pytest.importorskip("pyganak", reason="no model counter: pip install pyganak").Counter()
    clauses, projection, _ = read(export_model(part, rules, layout, how="dimacs"))
    counter.add_clauses(clauses)
    counter.set_sampling_set(projection)
    assert counter.count() == known
