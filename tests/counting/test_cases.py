"""Counts and samples under custom constraints and edited models, compared with lists."""

import time
from contextlib import suppress
from functools import partial

import pytest

import catan_cp as cp
from catan_cp.counting.counts import explain_count

SIX = cp.Layout(
    "six", (1, 2, 3), {"wool": 2, "ore": 2, "brick": 1, "desert": 1}, {2: 1, 3: 1, 6: 1, 8: 1, 9: 1}
)
TEXTS = (
    "terrain[1] = terrain[6]",
    "terrain[2] = ORE \\/ terrain[3] != terrain[5]",
    "constraint terrain[1] in {WOOL, DESERT}; constraint terrain[4] < terrain[2];",
    "all_different([terrain[1], terrain[2], terrain[3]])",
    "sum(i in 1..2)(i * terrain[4]) > 9 -> not (terrain[5] = BRICK)",
    "terrain[3] = 1",
)


def listed(rules, layout=SIX):
    with cp.enumerate_terrains(rules, layout) as solutions:
        return list(solutions)


@pytest.mark.parametrize(
    "rules",
    [
        *(cp.Rules(constraints=[text]) for text in TEXTS),
        *(cp.Rules(constraints=[text], terrain_cluster_max=1) for text in (TEXTS[0], TEXTS[2], TEXTS[4])),
    ],
)
def test_few_tiles_counted_by_cases(rules):
    assert cp.count_terrains(rules, SIX) == len(listed(rules))
    assert cp.is_countable(rules, SIX)
    assert "decision diagrams: the constraints name" in explain_count("terrain", rules, SIX)


@pytest.mark.parametrize(
    "text",
    [
        "terrain[1] + terrain[2] + terrain[3] + terrain[4] > 14",  # four tiles
        "exists(t in TILE)(terrain[t] = ORE /\\ terrain[1] = WOOL)",  # a tile by a name
        "numbered[1]",  # another array
        "let { var 1..6: t; constraint t < 3 } in terrain[1] = t + 3",  # a new variable
    ],
)
def test_other_constraints_listed(text):
    rules = cp.Rules(constraints=[text])
    assert not cp.is_countable(rules, SIX)
    assert cp.count_terrains(rules, SIX) == len(listed(rules))
    assert "no method is known to end" in explain_count("terrain", rules, SIX)


def test_time_limit_ends_diagrams_of_cases():
    """Five hundred and twelve combinations are allowed, and most have a large diagram."""
    rules = cp.Rules(
        apart=[("brick", "lumber")],
        constraints=["terrain[1] + terrain[8] + terrain[15] > 0"],
    )
    for call in (partial(cp.sample_terrains, 1), cp.count_terrains):
        began = time.monotonic()
        with pytest.raises(cp.SolverTimeout):
            call(rules, "seafarers-10", timeout=2)
        assert time.monotonic() - began < 10
    began = time.monotonic()
    with suppress(cp.SolverTimeout):  # an idle machine finds that there are too many states
        assert not cp.is_countable(rules, "seafarers-10", timeout=2)
    assert time.monotonic() - began < 10
    assert rules.check(cp.generate_board(rules, "seafarers-10", timeout=20)) == []  # without diagrams


def test_brick_apart_from_lumber():
    rules = cp.Rules(apart=[("brick", "lumber")], constraints=["terrain[1] = terrain[19]"])
    assert cp.count_terrains(rules) == 857_152_800


def test_model_counters_answer_before_slow_list(tmp_path, monkeypatch, caplog):
    pytest.importorskip("pyganak", reason="needs the extra count")
    following = cp.Solutions.__next__
    monkeypatch.setattr(cp.Solutions, "__next__", lambda list_: time.sleep(0.3) or following(list_))
    monkeypatch.setattr("catan_cp.counting.counts._ALONE", 0.0)
    folder = cp.copy_models(tmp_path / "mine")
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint terrain[1] != DESERT;\n")
    rules = cp.Rules(models=folder)
    with caplog.at_level("INFO", "catan_cp"):
        assert cp.count_terrains(rules, SIX) == 150  # of 180, since the desert is on one tile of six
    assert "counted the terrains before the list ended" in caplog.text
    assert "the edited model board" in explain_count("terrain", rules, SIX)


def test_boards_under_constraints_on_markers_counted():
    own = cp.Rules(constraints=["marker[1] + marker[2] > 9"])
    pair = cp.Layout("pair", (1, 2), {"wool": 2, "desert": 1}, {2: 1, 6: 1, 8: 1})
    assert (
        cp.count_boards(own, pair)
        == sum(cp.count_markers(names, own, pair) for names in listed(cp.Rules(), pair))
        > 0
    )
