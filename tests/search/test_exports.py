"""Exported models have the solutions of the library, in MiniZinc and, one for one, as clauses."""

import re
import subprocess

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

# The command prints its result. A process for each would take a second.
from catan_cp.search.instances import export_model

# The solver of the library runs the files.
from catan_cp.solving.find import find_solver
from docs.tools import instances

THREE = Layout("three", (1, 2), {"ore": 1, "wool": 1, "desert": 1}, {3: 1, 6: 1, 8: 1})
SIX = Layout("six", (1, 2, 3), {"wool": 2, "ore": 2, "sea": 1, "desert": 1}, {2: 1, 3: 1, 6: 1, 8: 1})
WET = Layout("wet", (1, 2, 3), {"wool": 1, "ore": 2, "sea": 2, "desert": 1}, {3: 1, 6: 1, 8: 1})
OWN = "constraint terrain[1] != WOOL /\\ marker[2] + marker[3] > 8;"


TERRAIN = "dlw/bgol/owbwg/lgob/wlg"


# Files for MiniZinc


def solve(*words, solver="auto"):
    """Return the number of solutions that MiniZinc prints without a warning."""
    backend = find_solver(solver)
    command = [backend.minizinc.executable, *backend.choice, *words]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    assert result.stderr == ""
    assert "-a" not in words or "==========" in result.stdout
    return result.stdout.count("----------")


@pytest.mark.parametrize(
    ("part", "how", "model", "count"),
    [
        ("terrain", "mzn", None, 96),
        ("terrain", "dzn", "solve_terrain", 96),
        ("markers", "json", "solve_markers", 1),
        ("joint", "mzn", None, 1),
        ("joint", "dzn", "joint", 1),
    ],
)
def test_minizinc_runs_exported_files(part, how, model, count, tmp_path):
    rules = Rules.preset("blog").replace(vertex_sum_below=22)
    exported = tmp_path / f"exported.{how}"
    exported.write_text(export_model(part, rules, terrain=TERRAIN, how=how), encoding="utf-8")
    files = [copy_models(tmp_path / "m") / f"{model}.mzn", exported] if model else [exported]
    assert solve(*(() if part == "joint" else ("-a",)), *files) == count


@pytest.mark.parametrize(
    ("model", "count"), [("post_board", 96), pytest.param("post_markers", 11_753, marks=pytest.mark.slow)]
)
def test_models_of_post_need_no_data(model, count):
    """As docs/post_models.md shows them."""
    assert solve("-a", instances.ROOT / "docs" / f"{model}.mzn", solver="gecode") == count


def test_export_has_custom_constraints(tmp_path):
    rules = Rules(constraints=["largest_vertex_pips() <= 12", "alldifferent([marker[t] | t in {1, 2, 3}])"])
    exported = tmp_path / "exported.mzn"
    exported.write_text(export_model("joint", rules, SIX), encoding="utf-8")
    with enumerate_boards(rules, SIX) as boards:
        assert solve("-a", exported) == len(list(boards)) > 0
    with pytest.raises(InvalidArgument, match="how must be mzn or dimacs for rules with constraints"):
        export_model("joint", rules, SIX, how="dzn")
    with pytest.raises(InvalidArgument, match="terrain must be a board, names or a notation for markers"):
        export_model("markers", rules, SIX)


# Clauses


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


def rows(text):
    """Return the values of each model of a formula: the decided numbers of the true variables.

    Also the number of models that differ in the variables shown, and the meaning of these variables.
    """
    solvers = pytest.importorskip("pysat.solvers", reason="needs the extra prove (python-sat)")
    clauses, projection, meaning = read(text)
    models = []
    with solvers.Solver("minisat22", bootstrap_with=map(list, clauses)) as solver:
        while solver.solve():
            model = set(solver.get_model())
            models.append(frozenset(meaning[v] for v in projection if v in model))
            solver.add_clause([-v if v in model else v for v in projection])
    return set(models), len(models), meaning


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


@pytest.mark.parametrize("name", CASES)
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


def test_terrains_of_layouts():
    assert rows(export_model("terrain", "blog", how="dimacs"))[1] == 96
    assert rows(export_model("terrain", "open", "pirate-islands", how="dimacs"))[1] == 1


def test_model_without_encoding_rejected():
    halves = Rules(constraints=("constraint terrain[1] / terrain[2] > terrain[3] / 2;",))
    with pytest.raises(InvalidArgument, match=r"\w+ has no encoding as clauses"):
        export_model("terrain", halves, how="dimacs")


def test_counts_of_instances_on_page():
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
@pytest.mark.parametrize(("rules", "count"), [("blog", 96), ("optimal", 188_160)])
def test_independent_counter_agrees(rules, count):
    counter = pytest.importorskip("pyganak", reason="no model counter: pip install pyganak").Counter()
    clauses, projection, _ = read(export_model("terrain", rules, how="dimacs"))
    counter.add_clauses(clauses)
    counter.set_sampling_set(projection)
    assert counter.count() == count
