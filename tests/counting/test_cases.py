"""Counts and samples under custom constraints and edited models, compared with lists of small spaces."""

from collections import Counter

import pytest

from catan_cp import (
    Layout,
    Rules,
    copy_models,
    count_boards,
    count_markers,
    count_terrains,
    enumerate_terrains,
    is_countable,
    sample_terrains,
)
from catan_cp.counting.counts import explain_count

SIX = Layout("six", (1, 2, 3), {"wool": 2, "ore": 2, "brick": 1, "desert": 1}, {2: 1, 3: 1, 6: 1, 8: 1, 9: 1})
TEXTS = (
    "terrain[1] = terrain[6]",
    "terrain[2] = ORE \\/ terrain[3] != terrain[5]",
    "constraint terrain[1] in {WOOL, DESERT}; constraint terrain[4] < terrain[2];",
    "all_different([terrain[1], terrain[2], terrain[3]])",
    "sum(i in 1..2)(i * terrain[4]) > 9 -> not (terrain[5] = BRICK)",
    "terrain[3] = 1",
)


def listed(rules, layout=SIX):
    with enumerate_terrains(rules, layout) as solutions:
        return list(solutions)


@pytest.mark.parametrize("text", TEXTS)
def test_constraints_on_few_tiles_are_counted_by_cases(text):
    for rules in (Rules(constraints=[text]), Rules(constraints=[text], terrain_cluster_max=1)):
        known = listed(rules)
        assert count_terrains(rules, SIX) == len(known)
        assert is_countable(rules, SIX)
        assert "decision diagrams: the constraints name" in explain_count("terrain", rules, SIX)


def test_samples_of_cases_are_uniform():
    rules = Rules(constraints=[TEXTS[1]])
    known = listed(rules)
    samples = Counter(sample_terrains(50 * len(known), rules, SIX, seed=4))
    assert set(samples) == set(known)
    spread = sum((n - 50) ** 2 / 50 for n in samples.values())
    assert spread < len(known) + 4 * (2 * len(known)) ** 0.5  # four standard deviations of chi-square


@pytest.mark.parametrize(
    "text",
    [
        "terrain[1] + terrain[2] + terrain[3] + terrain[4] > 14",  # four tiles
        "exists(t in TILE)(terrain[t] = ORE /\\ terrain[1] = WOOL)",  # a tile by a name
        "numbered[1]",  # another array
        "let { var 1..6: t; constraint t < 3 } in terrain[1] = t + 3",  # a variable of its own
    ],
)
def test_other_constraints_are_listed(text):
    rules = Rules(constraints=[text])
    assert not is_countable(rules, SIX)
    assert count_terrains(rules, SIX) == len(listed(rules))
    assert "no method is known to end" in explain_count("terrain", rules, SIX)


def test_brick_apart_from_lumber_with_two_equal_tiles():
    rules = Rules(apart=[("brick", "lumber")], constraints=["terrain[1] = terrain[19]"])
    assert count_terrains(rules) == 857_152_800


def test_model_counters_count_long_lists(tmp_path, monkeypatch):
    pytest.importorskip("pyganak", reason="needs the extra count")
    monkeypatch.setattr("catan_cp.counting.counts._ALONE", 0.0)
    folder = copy_models(tmp_path / "mine")
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint terrain[1] != DESERT;\n")
    rules = Rules.preset("optimal").replace(models=folder)
    number = count_terrains(rules)
    desert = Rules.preset("optimal").replace(constraints=["terrain[1] = DESERT"])
    assert number + count_terrains(desert) == 188_160
    assert "edited models" in explain_count("terrain", rules, "base")
    own = Rules(constraints=["marker[1] + marker[2] > 9"])
    pair = Layout("pair", (1, 2), {"wool": 2, "desert": 1}, {2: 1, 6: 1, 8: 1})
    assert (
        count_boards(own, pair) == sum(count_markers(names, own, pair) for names in listed(Rules(), pair)) > 0
    )
