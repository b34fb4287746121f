"""One theorem: lists, counts, checks, samples, ranks and repairs have the boards that brute force lists.

To add a case, add a line to `tests.agreement.table`. To add a field or a constraint to the random problems,
see `random_fields` and `Grammar` in `tests.agreement.cases`.
"""

import json
import random

import pytest

from tests.agreement import table
from tests.agreement.cases import random_case
from tests.agreement.comparison import Comparison, problem, run
from tests.brute_force import MARKERS, TERRAIN, Case, Said


def agree(case: Case, rng: random.Random, share: float, name: object) -> set[str]:
    """Compare, without most of the starts of a solver if *share* is 0. Return the functions that answered."""
    comparison = Comparison(case, rng)
    comparison.run(share)
    differences = "\n".join(comparison.differences)
    assert not differences, f"{name}\n{case}\n{differences}"
    return set(comparison.functions)


QUICK = (12, 36, 43, 58)
"""Seeds of which every function answers some.

Of all 563 rule sets, 500 have constraints with measures.
"""

FUNCTIONS = {
    *("count_terrains", "enumerate_terrains", "sample_terrains", "count_markers", "enumerate_markers"),
    *("count_terrains(distinct)", "enumerate_terrains(distinct)", "enumerate_boards(distinct)"),
    *("count_boards", "enumerate_boards", "sample_boards", "best_board", "repair_board"),
    *("unrank_board", "rank_board", "Rules.check", "Rules.check(terrain)", "Rules.check(pieces)"),
    *("generate_board(auto)", "generate_board(uniform)", "generate_board(walk)", "generate_board(solver)"),
}


def test_random_rules_agree_with_brute_force():
    assert set().union(*(agree(*random_case(seed), 1, seed) for seed in QUICK)) >= FUNCTIONS


@pytest.mark.slow
@pytest.mark.parametrize("seed", sorted({*range(563)} - {*QUICK}))
def test_random_rules_equal_brute_force(seed):
    agree(*random_case(seed), 1, seed)


@pytest.mark.parametrize("first", range(0, 12, 6))
def test_random_problems_agree(first):
    """Few of them have custom constraints, and many have harbors, groups of tiles or fishing grounds."""
    for seed in range(first, first + 6):
        agree(*problem(seed), 0, seed)


@pytest.mark.parametrize("name", table.TABLE)
def test_chosen_problems_agree(name):
    agree(table.case(name), random.Random(1), 0, name)


def test_comparison_finds_wrong_constraint():
    case, rng = random_case(1)
    assert case.boards
    case = Case(case.layout, case.fields, [Said("reds_touching() >= 0", lambda b: False, TERRAIN | MARKERS)])
    comparison = Comparison(case, rng)
    comparison.run()
    functions = {text.split(":")[0].split("(")[0] for text in comparison.differences}
    assert {"count_boards", "enumerate_boards", "generate_board", "best_board", "repair_board"} <= functions


def test_run_of_problems_resumes(tmp_path, capsys, monkeypatch):
    store = tmp_path / "agree.jsonl"
    assert run(store, 2, 0.0)
    assert "2 problems" in capsys.readouterr().out
    monkeypatch.setattr(Comparison, "check", lambda self: self.differences.append("another answer"))
    assert not run(store, 3, 0.0)
    text = capsys.readouterr().out
    assert "seed 2\n" in text and "another answer" in text and "seeds with a difference: [2]" in text
    monkeypatch.undo()
    assert run(store, 3, 0.0)
    assert [line["seed"] for line in map(json.loads, store.read_text().splitlines())] == [0, 1, 2]
