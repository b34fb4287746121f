"""Boards by a random walk: allowed on every layout, and spread like uniform samples."""

import math
import random
import statistics
from itertools import count

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Infeasible,
    InvalidArgument,
    Problem,
    Rules,
    SolverTimeout,
    copy_models,
    generate_board,
    generate_boards,
    sample_boards,
)

# The method samples small spaces by rank. These tests need the walk alone.
from catan_cp.search.walking import board_walk
from tests.agreement.cases import random_case
from tests.brute_force import Filling
from tests.small_boards import equally_often

TOURNAMENT = Rules.preset("tournament")


@pytest.mark.usefixtures("no_processes")
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_has_boards_without_solver(name):
    for rules in (TOURNAMENT, Rules(equal_markers_apart=True, two_twelve_apart=True)):
        if (name, rules) != ("pirate-islands", TOURNAMENT):  # its fixed tiles break the rules
            board = board_walk(Problem.of(rules, LAYOUTS[name])).board(random.Random(1))
            assert rules.check(board) == []
            assert Board.from_notation(board.notation()) == board


def test_walked_boards(no_processes):
    drawn = list(generate_boards(5, "tournament", "seafarers-8", seed=3))
    assert drawn == list(generate_boards(5, "tournament", "seafarers-8", seed=3, method="walk"))
    assert len(set(drawn)) == 5
    assert generate_board("tournament", "seafarers-8", seed=3) == drawn[0]


# How the boards spread


@pytest.mark.slow
def test_fifty_small_layouts_are_uniform():
    """Compare random problems with all of their boards, by chi-square."""
    n_layouts = 0
    for seed in count():
        case, _ = random_case(seed, 600, custom=0)
        try:
            walked = generate_boards(30 * len(case.boards), case.rules, case.layout, seed=seed, method="walk")
        except InvalidArgument:  # The walk does not support the rules.
            continue
        if 5 < len(case.boards) < 600:
            assert equally_often(map(Filling.of, walked), case.boards), str(case)
            n_layouts += 1
        if n_layouts == 50:
            return


def test_boards_look_like_uniform_samples():
    """Return the differences of means from those of `sample_boards`, in standard errors."""
    base = LAYOUTS["base"]
    pairs = base.adjacency("hex")
    measures = {
        "equal terrains that touch": lambda b: sum(b.terrain[s] == b.terrain[t] for s, t in pairs),
        "the desert on the coast": lambda b: b.terrain.index("desert") in base.coast_tiles,
        "reds on the coast": lambda b: sum(b.markers[t] in (6, 8) for t in base.coast_tiles),
        "equal markers that touch": lambda b: sum(b.markers[s] == b.markers[t] for s, t in pairs),
        "rich vertices": lambda b: sum(pips == 12 for pips in b.vertex_pips()),
    }
    walk, source = board_walk(Problem.of(TOURNAMENT, base)), random.Random(4)
    walked = [walk.board(source) for _ in range(300)]
    exact = list(sample_boards(800, TOURNAMENT, base, seed=4))
    for name, measure in measures.items():
        walked_values, exact_values = (
            [float(measure(board)) for board in boards] for boards in (walked, exact)
        )
        error = math.hypot(
            *(statistics.stdev(values) / math.sqrt(len(values)) for values in (walked_values, exact_values))
        )
        assert abs(statistics.mean(walked_values) - statistics.mean(exact_values)) < 4 * error, name


def test_trades_shuffled(no_processes):
    boards = list(generate_boards(20, Rules(harbors="shuffled"), "cloth-for-catan", seed=1, method="walk"))
    assert len({board.harbors for board in boards}) > 10
    assert not any(Rules(harbors="shuffled").check(board) for board in boards)


@pytest.mark.solver
def test_where_walk_finds_nothing_solver_decides():
    with pytest.raises(Infeasible, match=r"no .* of 'pirate-islands' satisfies the rules"):
        generate_board("tournament", "pirate-islands", seed=1)
    with pytest.raises(Infeasible, match="vertex_pips_max=1"):
        generate_board(Rules(vertex_pips_max=1), "seafarers-6", seed=1)


def test_time_limit_of_walk(no_processes):
    with pytest.raises(SolverTimeout, match="of 100,000 boards made"):
        list(generate_boards(100_000, "tournament", "seafarers-10", seed=1, timeout=0.3))


@pytest.mark.parametrize("name", ["base", "seafarers-6"])
def test_edited_models_obeyed(tmp_path, name):
    """Results for the shipped models are computed again if the models are edited.

    The solver gets the tiles in another order for each seed.
    """
    folder = copy_models(tmp_path / "mine")
    rules = Rules(models=folder)
    generate_board(rules, name, seed=1)  # without a solver, by uniform samples or by the walk
    for model, line in (("board", "terrain[1] = DESERT"), ("markers", "marker[5] = 12")):
        with (folder / f"{model}.mzn").open("a", encoding="utf-8") as file:
            file.write(f"\nconstraint {line};\n")
    for seed in (1, 2):
        board = generate_board(rules, name, seed=seed)
        assert (board.terrain[0], board.markers[4]) == ("desert", 12)
    with pytest.raises(InvalidArgument, match="does not support all of these rules"):
        generate_board(rules, name, seed=1, method="walk")
