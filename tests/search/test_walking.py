"""Boards by a random walk: allowed on every layout, and spread as exact draws are."""

import math
import random
import statistics
from collections import Counter

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Constraint,
    Infeasible,
    InvalidArgument,
    Layout,
    Problem,
    Rules,
    SolverTimeout,
    copy_models,
    count_boards,
    enumerate_boards,
    generate_board,
    generate_boards,
    sample_boards,
)
from catan_cp.boards.pieces import MARKERS
from catan_cp.search.walking import board_walk, walk_obstacle
from tests.small_boards import equally_often

TOURNAMENT = Rules.preset("tournament")


@pytest.mark.usefixtures("no_processes")
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_has_boards_without_solver(name):
    for rules in (
        Rules(),
        TOURNAMENT,
        Rules(harbors="none", equal_markers_apart=True, two_twelve_apart=True),
    ):
        walk = board_walk(Problem.of(rules, LAYOUTS[name]))
        board = walk.board(random.Random(1))
        if board is None:
            assert (name, rules) == ("pirate-islands", TOURNAMENT)  # its fixed tiles break the rules
            continue
        assert rules.check(board) == []
        assert Board.from_notation(board.notation()) == board


def test_walked_boards(no_processes):
    drawn = list(generate_boards(5, "tournament", "seafarers-8", seed=3))
    assert drawn == list(generate_boards(5, "tournament", "seafarers-8", seed=3, method="walk"))
    assert len(set(drawn)) == 5
    assert generate_board("tournament", "seafarers-8", seed=3) == drawn[0]


# How the boards spread


def small_layout(source):
    """Return a random layout of five to ten tiles, some with sea, groups or fixed number tokens."""
    rows = source.choice(((2, 3), (1, 2, 1, 2), (2, 3, 2), (3, 4), (3, 2, 3), (3, 4, 3)))
    n = sum(rows)
    names = source.sample(("sea", "desert", "brick", "grain", "gold", "ore"), source.randint(2, 4))
    terrain = Counter(source.choices(names, k=n))
    supply = Counter(source.choices(source.sample(MARKERS, 3), k=n + source.randint(0, 2)))
    groups = {}
    if source.random() < 0.4:  # terrain moves over all tiles, markers within two groups
        second = Counter(source.choices(MARKERS, k=n))
        groups = {"marker_group": tuple(source.choices((0, 1), k=n)), "group_markers": {1: second}}
        supply += second
    if source.random() < 0.3:
        groups["fixed_markers"] = {source.randrange(n): source.choice([*supply])}
    return Layout("small", rows, terrain, supply, **groups)


def small_rules(source, layout):
    names = [*layout.terrain_counts]
    return Rules(
        reds_apart=source.random() < 0.4,
        equal_markers_apart=source.random() < 0.3,
        two_twelve_apart=source.random() < 0.2,
        terrain_cluster_max=source.choice((None, None, 1, 2)),
        apart=source.choice(((), (), [source.choices(names, k=2)])),
        desert=source.choice(("any", "any", "coast")),
        vertex_pips_min=source.choice((None, None, 3, 5)),
        vertex_pips_max=source.choice((None, None, 9, 11, 13)),
    )


@pytest.mark.slow
@pytest.mark.solver
def test_fifty_small_layouts_are_uniform():
    """Against every board that the solver lists, by chi-square."""
    source, count = random.Random(39), 0
    while count < 50:
        try:
            layout = small_layout(source)
            rules = small_rules(source, layout)
            known = not walk_obstacle(Problem.of(rules, layout))
            with enumerate_boards(rules, layout, limit=601) as boards:
                all_boards = set(boards)
        except CatanError:  # pieces or rules that exclude each other
            continue
        if known and 5 < len(all_boards) < 600:
            count += 1
            walked = generate_boards(30 * len(all_boards), rules, layout, seed=count, method="walk")
            assert equally_often(walked, all_boards), (layout.to_toml(), rules)


def test_boards_look_like_exact_draws():
    """Return the differences of means from those of `sample_boards`, in standard errors."""
    base = LAYOUTS["base"]
    pairs = base.adjacency("hex")
    looks = {
        "equal terrains that touch": lambda b: sum(b.terrain[s] == b.terrain[t] for s, t in pairs),
        "the desert on the coast": lambda b: b.terrain.index("desert") in base.coast_tiles,
        "reds on the coast": lambda b: sum(b.markers[t] in (6, 8) for t in base.coast_tiles),
        "equal markers that touch": lambda b: sum(b.markers[s] == b.markers[t] for s, t in pairs),
        "rich vertices": lambda b: sum(pips == 12 for pips in b.vertex_pips()),
    }
    walk, source = board_walk(Problem.of(TOURNAMENT, base)), random.Random(4)
    walked = [walk.board(source) for _ in range(300)]
    exact = list(sample_boards(800, TOURNAMENT, base, seed=4))
    for name, measure in looks.items():
        walked_values, exact_values = (
            [float(measure(board)) for board in boards] for boards in (walked, exact)
        )
        error = math.hypot(
            *(statistics.stdev(values) / math.sqrt(len(values)) for values in (walked_values, exact_values))
        )
        assert abs(statistics.mean(walked_values) - statistics.mean(exact_values)) < 4 * error, name


# Unsupported rules, and rules without boards


@pytest.mark.parametrize(
    "rules",
    [
        "optimal",
        "official",
        Rules(islands_min=2),
        Rules(symmetry="corners"),
        Rules(constraints=[Constraint("constraint terrain[1] = terrain[2];")]),
        Rules(harbors="shuffled", harbor_own_terrain_apart=True),
    ],
)
def test_rules_that_walks_do_not_know(rules):
    known = Rules.preset(rules) if isinstance(rules, str) else rules
    assert walk_obstacle(Problem.of(known, LAYOUTS["base"]))
    with pytest.raises(InvalidArgument, match="method='walk' does not support all of these rules"):
        generate_board(rules, method="walk")


def test_pattern_kept(no_processes):
    rules = TOURNAMENT.replace(pattern="xxx/x6xxx/xxdxx/ox12xx/lxx")
    for board in generate_boards(5, rules, "base", seed=1, method="walk"):
        assert rules.check(board) == []
        assert board.terrain[9] == "desert"


def test_trades_dealt_again(no_processes):
    boards = list(generate_boards(20, Rules(harbors="shuffled"), "cloth-for-catan", seed=1, method="walk"))
    assert len({board.harbors for board in boards}) > 10
    assert not any(Rules(harbors="shuffled").check(board) for board in boards)


@pytest.mark.solver
def test_where_walk_finds_nothing_solver_decides():
    with pytest.raises(Infeasible, match=r"no .* of 'pirate-islands' satisfies the rules"):
        generate_board("tournament", "pirate-islands", seed=1)
    with pytest.raises(Infeasible, match="vertex_pips_max=1"):
        generate_board(Rules(vertex_pips_max=1), "seafarers-6", seed=1)
    row = Layout("row", (3,), {"desert": 1, "brick": 1, "ore": 1}, {6: 2})
    rules = Rules(reds_apart=True)
    assert count_boards(rules, row) == 2
    board = generate_board(rules, row, seed=1, method="walk")
    assert board.terrain[1] == "desert"


def test_time_limit_of_walk(no_processes):
    with pytest.raises(SolverTimeout, match="of 100,000 boards made"):
        list(generate_boards(100_000, "tournament", "seafarers-10", seed=1, timeout=0.3))


@pytest.mark.parametrize("name", ["base", "seafarers-6"])
def test_models_edited_after_first_board_obeyed(tmp_path, name):
    """Results for the shipped models are computed again if the models are edited."""
    folder = copy_models(tmp_path / "mine")
    rules = Rules(models=folder)
    generate_board(rules, name, seed=1)  # without a solver, by uniform draws or by the walk
    with (folder / "board.mzn").open("a", encoding="utf-8") as model:
        model.write("\nconstraint terrain[1] = DESERT;\n")
    assert [generate_board(rules, name, seed=seed).terrain[0] for seed in (1, 2)] == ["desert"] * 2
    with pytest.raises(InvalidArgument, match="does not support all of these rules"):
        generate_board(rules, name, seed=1, method="walk")
