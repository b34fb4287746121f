"""The readable twin of the decision diagram gives the same totals."""

from contextlib import suppress

import pytest

import catan_cp as cp

# The diagram and its readable twin have no public names.
from catan_cp.counting.budget import Budget, forget
from catan_cp.counting.dictionary import Dictionary

PRESETS = ("blog", "optimal", "tournament", "official", "open")
SIX = cp.Layout(
    "six", (1, 2, 3), {"wool": 2, "ore": 2, "brick": 1, "desert": 1}, {2: 1, 3: 1, 6: 1, 8: 1, 9: 1}
)
GROUPS = cp.Layout(
    "groups",
    (2, 3, 2),
    {"wool": 3, "ore": 3, "sea": 1},
    {2: 1, 3: 1, 6: 1, 8: 1, 9: 1, 12: 1},
    terrain_group=(0, 0, 0, 1, 1, 1, 1),
    group_terrain={1: {"wool": 2, "ore": 2}},
    fixed_terrain={0: "sea"},
    fixed_markers={1: 6},
)
EVERY_CLASS = {  # of restrictions that a diagram states
    "Barred": {"desert": "centre"},
    "TerrainsApart": {"apart": [("wool", "ore"), ("brick", "brick")]},
    "ClusterMax 1": {"terrain_cluster_max": 1},
    "ClusterMax 2": {"terrain_cluster_max": 2},
    "Rising": {"symmetry": "corners"},
    "AllowedTerrains": {"constraints": ["terrain[1] != terrain[2]"]},
    "MarkersApart": {"equal_markers_apart": True, "reds_apart": True},
    "VertexBounds": {"vertex_pips_max": 10},
    "VertexBounds, sums": {"vertex_sum_below": 20},
    "BarredMarkers": {"pattern": "x/xx/xxd", "two_twelve_apart": True},
    "FixedMarkers": {"pattern": "x6/xx/xxx"},
}


LARGE = "base-5-6 new-shores-4 new-world seafarers-6 seafarers-7 seafarers-8 seafarers-9 seafarers-10"
LARGE += " tb-ultimate-orange-4 through-the-desert-4"
CLASSIC = "base cities-knights fishermen-of-catan wonders-of-catan"
ULTIMATE = [name for name in cp.LAYOUTS if name.startswith("tb-ultimate-")]
LONGER = {  # The twin takes more than ten seconds.
    "optimal": LARGE.split(),
    "tournament": f"{LARGE} {CLASSIC} forgotten-tribe tb-ultimate-green-4".split(),
    "blog": [*f"{LARGE} {CLASSIC} new-shores-3 through-the-desert-3".split(), *ULTIMATE],
}


def totals(count, monkeypatch):
    """Return the totals of all diagrams that a function builds, and those of their twins."""
    problems, fast = [], Budget.build

    def build(budget, problem):
        diagram = fast(budget, problem)
        problems.append((problem, diagram.total))
        return diagram

    forget()
    monkeypatch.setattr(Budget, "build", build)
    count()
    return [total for _, total in problems], [Dictionary(problem).total for problem, _ in problems]


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        *((name, SIX) for name in EVERY_CLASS),
        *((name, GROUPS) for name in ("TerrainsApart", "ClusterMax 1", "MarkersApart", "VertexBounds")),
    ],
)
def test_twin_of_restrictions(name, layout, monkeypatch):
    rules = cp.Rules(**EVERY_CLASS[name])

    def count():
        cp.count_boards(rules, layout)
        cp.count_terrains(rules, layout, up_to_symmetry=True)  # groups of tiles

    fast, plain = totals(count, monkeypatch)
    assert fast == plain != []


@pytest.mark.parametrize("fields", [{"markers_distinct_per_terrain": True}, {"reds_per_terrain_max": 1}])
def test_twin_of_numbers_per_terrain(fields, monkeypatch):
    supply = {2: 2, 3: 1, 6: 1, 8: 2}
    layout = cp.Layout("seven", (2, 3, 2), {"wool": 3, "ore": 3, "desert": 1}, supply)
    rules = cp.Rules(**fields)

    def count():
        cp.count_markers(("wool", "ore", "wool", "desert", "ore", "wool", "ore"), rules, layout)

    monkeypatch.setattr("catan_cp.counting.counts.is_fast", lambda: False)  # otherwise a search counts
    fast, plain = totals(count, monkeypatch)
    assert fast == plain != []


@pytest.mark.parametrize(
    ("preset", "layout"),
    [
        *((preset, "mini") for preset in PRESETS if preset != "official"),  # mini has no spiral
        *(pytest.param(preset, "base", marks=pytest.mark.slow) for preset in ("optimal", "tournament")),
    ],
)
def test_twin_of_presets(preset, layout, monkeypatch):
    fast, plain = totals(lambda: cp.count_terrains(preset, layout), monkeypatch)
    assert fast == plain != []


@pytest.mark.slow
@pytest.mark.parametrize("layout", sorted(cp.LAYOUTS))
def test_twin_on_layouts(layout, monkeypatch):
    """Each preset that a diagram counts on a layout, if the twin ends within ten seconds."""
    for preset in (preset for preset in PRESETS if layout not in LONGER.get(preset, ())):
        with suppress(cp.InvalidRules):  # for example, without a spiral
            if not cp.Problem.of(preset, layout).terrain_obstacle:
                fast, plain = totals(lambda rules=preset: cp.count_terrains(rules, layout), monkeypatch)
                assert fast == plain != []
                monkeypatch.undo()
