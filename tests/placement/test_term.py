"""A new term of an objective: the template in the comments works, and its two definitions agree."""

import random
from dataclasses import make_dataclass
from fractions import Fraction
from pathlib import Path
from runpy import run_path

from catan_cp import Objective, generate_board, vertex_values
from catan_cp.placement import objective, tables

TEMPLATE = Path(__file__).parents[2] / "docs" / "templates" / "term.py"


def test_template_is_term_whose_definitions_agree(monkeypatch):
    template = run_path(str(TEMPLATE))
    name = template["TERM"]
    for module in (objective, tables):
        monkeypatch.setattr(module, "TERMS", (*objective.TERMS, name))
    monkeypatch.setitem(objective._PARTS, name, template["exact"])
    monkeypatch.setitem(tables._EXTRA, name, template["table"])
    wider = make_dataclass("Wider", [(name, object, 0)], bases=(Objective,), frozen=True)
    rng = random.Random(1)
    boards = [generate_board("open", "seafarers-6", seed=seed) for seed in (1, 2)]
    alone = wider(resources=0, cards=0, hit=0, **{name: 1})
    for goal in (alone, wider(cards=1, scarcity=1, **{name: 2})):
        scores = tables.score_pairs(tables.batch_of(boards), goal)
        calls = set()
        for number, board in enumerate(boards):
            n = board.layout.n_vertices
            for a, b in [rng.sample(range(n), 2) for _ in range(300)]:
                if (score := int(scores.pairs[number, a, b])) >= 0:  # else one rules the other out
                    assert Fraction(score, scores.scale[number]) == goal.value(board, (a, b))
                    calls.add(goal.parts(board, (a, b))[name])
            for v in range(n):
                single = Fraction(int(scores.singles[number, v]), scores.scale[number])
                assert single == goal.value(board, (v,))
        assert calls == {0, 1}
    assert max(vertex_values(boards[0], alone)) == 1
