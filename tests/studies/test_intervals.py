"""Confidence intervals and clear differences, on as few boards as two."""

import random

import numpy as np
import pytest
from stored import study_in

from catan_cp.experiments.placement import random_boards
from catan_cp.studies.comparing import compare_studies, describe_study, student_quantile
from catan_cp.studies.store import Store


@pytest.mark.parametrize(
    ("freedom", "both_sides", "t"),
    [  # the two-sided columns of the tables in the textbooks
        (1, 0.95, 12.706205),
        (2, 0.95, 4.302653),
        (3, 0.95, 3.182446),
        (4, 0.99, 4.604095),
        (9, 0.95, 2.262157),
        (10, 0.90, 1.812461),
        (30, 0.95, 2.042272),
        (120, 0.99, 2.617421),
        (10**12, 0.95, 1.959964),
    ],
)
def test_students_t_is_that_of_the_tables(freedom, both_sides, t):
    assert student_quantile(freedom, both_sides) == pytest.approx(t, rel=3e-6)


def test_between_whole_numbers_it_falls():
    values = [student_quantile(freedom) for freedom in (1, 1.01, 1.5, 2, 2.5, 3)]
    assert values == sorted(values, reverse=True) and len(set(values)) == 6


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A store of many boards, of which small ones are drawn."""
    path = tmp_path_factory.mktemp("many") / "many.db"
    study_in(path, None, random_boards(600, seed=1), rules="open", chunk=200)
    return path


class Drawn(Store):
    """A store that holds some of the boards of another, by chance."""

    def __init__(self, path, rows):
        super().__init__(path)
        self.rows_drawn = rows

    def columns(self, names, study=None):
        return {name: [row[name] for row in self.rows_drawn] for name in names}


@pytest.mark.parametrize(("boards", "least", "most"), [((2, 2), 0.0, 0.05), ((8, 8), 0.03, 0.07)])
def test_of_studies_that_do_not_differ_few_do_so_clearly(many, boards, least, most):
    """At two boards each, two standard errors with n below called 27 of 100 differences clear."""
    rng = random.Random(1)
    with Store(many) as store:
        rows = list(store.results())
    first, second, found = Drawn(many, []), Drawn(many, []), []
    for _ in range(600):
        drawn = rng.sample(rows, sum(boards))
        first.rows_drawn, second.rows_drawn = drawn[: boards[0]], drawn[boards[0] :]
        (contrast,) = compare_studies(first, second, "vertex_pips_spread").contrasts
        found.append(contrast.clear)
    assert least <= np.mean(found) <= most


@pytest.mark.parametrize("boards", [2, 5])
def test_of_a_hundred_intervals_95_hold_the_mean(many, boards):
    rng, measure = random.Random(2), "vertex_pips_spread"
    with Store(many) as store:
        rows = list(store.results())
    mean, store, found = np.mean([row[measure] for row in rows]), Drawn(many, []), []
    for _ in range(600):
        store.rows_drawn = rng.sample(rows, boards)
        one = describe_study(store, measure).measures[measure]
        found.append(abs(one.mean - mean) <= one.margin)
    assert 0.93 <= np.mean(found) <= 0.98


def test_one_board_tells_no_spread_and_no_clear_difference(tmp_path):
    for name, seed in (("a.db", 1), ("b.db", 2)):
        study_in(tmp_path / name, None, random_boards(1, seed=seed), rules="open")
    (contrast,) = compare_studies(tmp_path / "a.db", tmp_path / "b.db", "efficiency_error").contrasts
    assert contrast.difference and (contrast.error, contrast.margin, contrast.clear) == (None, None, False)
    one = describe_study(tmp_path / "a.db", "efficiency_error").measures["efficiency_error"]
    assert (one.margin, one.spread) == (None, None) and one.cells()[2:4] == ("-", "-")
