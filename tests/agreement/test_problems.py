"""Random rules with measures and constraints on tiny layouts.

Every function is compared with a list of all boards.
"""

import json

import pytest

from tests.agreement.cases import random_case
from tests.agreement.comparison import Comparison, run
from tests.brute_force import MARKERS, TERRAIN, Case, Said


def compared(seed: int) -> Comparison:
    case, rng = random_case(seed)
    comparison = Comparison(case, rng)
    comparison.run()
    return comparison


def agree(comparison: Comparison, seed: int) -> None:
    differences = "\n".join(comparison.differences)
    assert not differences, f"seed {seed}\n{comparison.case}\n{differences}"


QUICK = (12, 36, 43, 58)
"""Seeds of which every function answers some.

Of all 563 rule sets, 500 have constraints with measures.
"""

FUNCTIONS = {
    *("count_terrains", "enumerate_terrains", "sample_terrains", "count_markers", "enumerate_markers"),
    *("count_terrains(distinct)", "enumerate_terrains(distinct)", "enumerate_boards(distinct)"),
    *("count_boards", "enumerate_boards", "sample_boards", "best_board", "repair_board"),
    *("Rules.check", "Rules.check(terrain)", "Rules.check(pieces)"),
    *("generate_board(auto)", "generate_board(uniform)", "generate_board(walk)", "generate_board(solver)"),
}


def test_random_rules_agree_with_brute_force():
    answered: set[str] = set()
    for seed in QUICK:
        comparison = compared(seed)
        agree(comparison, seed)
        answered |= set(comparison.functions)
    assert answered >= FUNCTIONS


@pytest.mark.slow
@pytest.mark.parametrize("seed", sorted({*range(563)} - {*QUICK}))
def test_random_rules_equal_brute_force(seed):
    agree(compared(seed), seed)


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
