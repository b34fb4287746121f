"""Rules: presets, values, files there and back, and rules in English. Wrong values are in tests/house."""

import copy
import dataclasses
import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board, Constraint, InvalidRules, Layout, Rules, count_terrains, enumerate_boards

# A search for a conflict tries parts of rules. No public function returns them.
from catan_cp.rules.rules import only, parts_of
from docs.tools import rules as tool

FIELDS = {field.name: str(field.type) for field in dataclasses.fields(Rules)}
CHOICES = {
    "adjacency": ("hex", "block"),
    "symmetry": ("all", "corners", "distinct"),
    "desert": ("any", "centre", "coast", "inland"),
    "marker_order": ("free", "spiral"),
    "harbors": ("none", "printed", "shuffled"),
}
SWITCHES = [name for name, kind in FIELDS.items() if kind == "bool"]
PER_TERRAIN = [name for name, kind in FIELDS.items() if kind == "TerrainNumbers"]
COUNTS = {
    "terrain_cluster_max": 1,
    "islands_min": 1,
    "islands_max": 1,
    "island_size_min": 1,
    "reds_per_terrain_max": 0,
    "vertex_sum_below": 7,
    "vertex_pips_min": 0,
    "vertex_pips_max": 0,
}
NUMBERED = ("brick", "grain", "wool", "ore", "lumber", "gold")
TERRAINS = (*NUMBERED, "sea", "desert")
CONSTRAINTS = (Constraint("pips[1] > 2", "The first tile has a good number."), Constraint('red[1] % "so"'))

# Fields and presets


def test_fields_and_table_follow_declarations():
    """The output of ``python docs/tools/rules.py`` is in the files.

    Missing parts are written.
    """
    for path, written in ((tool.MODULE, tool.module), (tool.PAGE, tool.page)):
        text = path.read_text(encoding="utf-8")
        assert written(text) == text
        lines = [line for line in text.splitlines(keepends=True) if "gold_inland" not in line]
        assert written("".join(lines)) == text


def test_docstring_lists_all_fields():
    lines = inspect.getdoc(Rules).splitlines()
    arguments = lines[lines.index("Args:") + 1 : lines.index("Raises:")]
    assert sorted(line.partition(":")[0].strip() for line in arguments if line) == sorted(FIELDS)


def test_fields_of_presets():
    optimal = {
        "terrain_cluster_max": 1,
        "apart": [["brick", "lumber"]],
        "reds_apart": True,
        "equal_markers_apart": True,
        "markers_distinct_per_terrain": True,
        "reds_per_terrain_max": 1,
        "vertex_sum_below": 23,
    }
    designed = {
        "blog": {"adjacency": "block", "symmetry": "corners"} | optimal,
        "optimal": optimal | {"harbors": "printed"},
        "tournament": {
            "terrain_cluster_max": 2,
            "reds_apart": True,
            "vertex_pips_max": 12,
            "harbors": "printed",
        },
        "official": {"marker_order": "spiral", "harbors": "printed"},
        "open": {},
    }
    assert designed == {name: Rules.preset(name).to_mapping() for name in designed}


# Values


pips_bounds = st.one_of(
    st.just({}),
    st.integers(1, 40),
    st.dictionaries(st.sampled_from(["every", *NUMBERED]), st.integers(1, 40), max_size=4),
)
values = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.sampled_from(allowed) for name, allowed in CHOICES.items()},
        **{name: st.booleans() for name in SWITCHES},
        **{name: st.none() | st.integers(least, 12) for name, least in COUNTS.items()},
        "apart": st.lists(st.tuples(st.sampled_from(TERRAINS), st.sampled_from(TERRAINS)), max_size=3),
        **dict.fromkeys(PER_TERRAIN, pips_bounds),
        "pattern": st.sampled_from([None, "xx/x8x"]),
        "constraints": st.lists(st.sampled_from(CONSTRAINTS), max_size=2, unique=True),
    },
)


@st.composite
def some_rules(draw) -> Rules:
    given_values = draw(values)
    while True:
        try:
            return Rules(**given_values)
        except InvalidRules as error:  # two fields that contradict each other: leave out the one named first
            given_values.pop(str(error).split()[0])


@settings(deadline=None, max_examples=60)
@given(some_rules())
def test_there_and_back(tmp_path_factory, rules):
    path = tmp_path_factory.getbasetemp() / "rules.toml"
    path.write_text(rules.to_toml(), encoding="utf-8")
    again = [
        Rules.from_toml(path),
        Rules.from_toml(str(path)),
        Rules.from_mapping(rules.to_mapping()),
        rules.replace(),
        pickle.loads(pickle.dumps(rules)),
        copy.deepcopy(rules),
    ]
    assert again == [rules] * len(again)
    assert {hash(rules)} == set(map(hash, again))
    assert Rules(**{name: getattr(rules, name) for name in FIELDS}) == rules
    fields = rules.replace(pattern=None, constraints=())
    sentences = fields.explain()
    assert (sentences == ["Everything is allowed."]) == (fields.replace(adjacency="hex") == Rules())
    assert all(line[0].isupper() and line.endswith(".") for line in sentences)
    assert len(set(sentences)) == len(sentences)


def test_values_put_in_one_form():
    rules = Rules(
        apart=[["wood", "hills"], ("lumber", "brick")], terrain_pips_min={"wheat": np.int64(3), "every": 2}
    )
    assert rules.apart == (("brick", "lumber"),)
    assert rules.terrain_pips_min == (("every", 2), ("grain", 3))
    assert rules == Rules(apart=(("brick", "lumber"),), terrain_pips_min=(("every", 2), ("grain", 3)))
    assert Rules(terrain_pips_max=5) == Rules(terrain_pips_max={"every": 5})
    assert type(Rules(terrain_cluster_max=np.int8(2)).terrain_cluster_max) is int


def test_replace_leaves_preset():
    assert Rules.preset("blog").replace(vertex_sum_below=22).vertex_sum_below == 22
    assert Rules.preset("blog").vertex_sum_below == 23


def test_smallest_counts_accepted():
    for name, least in COUNTS.items():
        assert getattr(Rules(**{name: least}), name) == least


def test_what_only_looks_like_contradiction():
    Rules(terrain_pips_min={"every": 4, "gold": 2}, terrain_pips_max={"gold": 3})
    Rules(terrain_pips_min={"gold": 0}, terrain_pips_max=0)
    Rules(vertex_pips_min=8, vertex_pips_max=8)
    Rules(terrain_pips_min={"every": 4}, terrain_pips_max={"gold": 3})  # on boards without gold


def test_preset_by_position_explained():
    with pytest.raises(InvalidRules, match=r"by keyword, .*not 'tournament'; Rules.preset\('tournament'\)"):
        Rules("tournament")
    expected = Rules.preset("tournament").replace(desert="coast")
    assert Rules.from_mapping({"preset": "tournament", "desert": "coast"}) == expected


# Files


def test_file_starts_from_preset(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'preset = "optimal"\nvertex_sum_below = 24\napart = [["ore", "wool"]]\n[terrain_pips_min]\ngold = 6\n'
    )
    expected = Rules.preset("optimal").replace(
        vertex_sum_below=24, apart=(("wool", "ore"),), terrain_pips_min={"gold": 6}
    )
    assert Rules.from_toml(path) == expected


# Layouts


@pytest.mark.parametrize(
    ("fields", "name", "problem"),
    [
        ({"marker_order": "spiral"}, "base", None),
        ({"marker_order": "spiral"}, "base-5-6", None),
        ({"marker_order": "spiral"}, "seafarers-6", "marker_order='spiral' needs .* which '{}' lacks"),
        ({"harbors": "shuffled", "harbor_own_terrain_apart": True}, "base", None),
        ({"harbors": "printed"}, "seafarers-6", None),
        ({"harbors": "shuffled"}, "seafarers-6", "harbors='shuffled' needs .* which '{}' lacks"),
        ({"terrain_pips_min": {"gold": 6}}, "seafarers-6", None),
        ({"terrain_pips_min": {"gold": 6}}, "base", "names gold, which the box of '{}' lacks"),
        ({"terrain_pips_min": {"gold": 0}}, "base", None),
        ({"terrain_pips_min": {"every": 4}, "terrain_pips_max": {"gold": 3}}, "base", None),
        (
            {"terrain_pips_min": {"every": 4}, "terrain_pips_max": {"gold": 3}},
            "seafarers-6",
            "terrain_pips_min 4 is above terrain_pips_max 3 for gold",
        ),
    ],
)
def test_rules_beyond_layout(fields, name, problem):
    rules = Rules(**fields)
    if problem is None:
        rules.check_layout(LAYOUTS[name])
        return
    with pytest.raises(InvalidRules, match=problem.format(name)):
        rules.check_layout(LAYOUTS[name])


def test_spiral_needs_hexagon():
    row = Layout("row", (4,), {"ore": 4}, {6: 4}, spiral_order=(6,) * 4)
    with pytest.raises(InvalidRules, match="which 'row' lacks"):
        Rules(marker_order="spiral").check_layout(row)


@pytest.mark.parametrize("harbors", ["printed", "shuffled"])
def test_parts_of_valid_rules_are_valid(harbors):
    """A search for a conflict removes fields and constraints one by one."""
    rules = Rules(
        **{name: True for name in SWITCHES if name.startswith("harbor")},
        **{name: max(least, 2) for name, least in COUNTS.items() if name.startswith("island")},
        harbors=harbors,
        symmetry="distinct",
        vertex_pips_min=1,
        vertex_pips_max=9,
        terrain_pips_min={"ore": 2},
        terrain_pips_max={"ore": 9},
        marker_order="spiral",
        pattern="xxx/xxxx/xxdxx/xxxx/xxx",
        constraints=["harbor[1] = ORE", "pips[1] > 2", "count([terrain[t] | t in neighbors[1]], ORE) < 2"],
    )
    parts = parts_of(rules)
    for subset in [parts, *((part,) for part in parts), *(tuple(set(parts) - {part}) for part in parts)]:
        part = only(rules, subset)
        part.check_layout(LAYOUTS["base"])
        assert {*subset} <= {*parts_of(part)}


def test_bound_holds_for_terrain_named_every():
    """A layout may call a terrain by the word for every terrain. That one has no number tokens."""
    layout = Layout("x", (1, 2), {"ore": 2, "every": 1}, {6: 2}, further_terrains={"every": "e"})
    assert len(list(enumerate_boards(Rules(terrain_pips_min=3), layout))) == 3
    assert list(enumerate_boards(Rules(terrain_pips_min=11), layout)) == []


# English


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, ["Everything is allowed."]),
        (
            {"terrain_cluster_max": 1},
            ["No two tiles of one terrain touch (terrains without markers are exempt)."],
        ),
        ({"apart": [("lumber", "brick")]}, ["Brick shares no edge with lumber."]),
        ({"apart": [("ore", "ore")]}, ["No two tiles of ore share an edge."]),
        ({"reds_per_terrain_max": 1}, ["Each terrain has at most 1 red marker."]),
        (
            {"terrain_pips_max": {"gold": 6, "every": 9}},
            ["Each other terrain has at most 9 pips in all.", "Gold has at most 6 pips in all."],
        ),
        (
            {"harbors": "shuffled", "harbor_own_terrain_apart": True},
            [
                "The trades of the harbors are shuffled, movable ones at any coast and fixed ones unchanged.",
                "No 2:1 harbor's vertices touch a tile of its own terrain.",
            ],
        ),
    ],
)
def test_english(fields, sentence):
    assert Rules(**fields).explain() == sentence


def test_english_defines_touching_if_it_matters():
    touch = 'Two tiles touch if they share an edge or are in one 2 by 2 block of the "Optimal Catan" array.'
    for name in ("terrain_cluster_max", "reds_apart", "equal_markers_apart", "two_twelve_apart"):
        assert Rules(adjacency="block", **{name: True if name in SWITCHES else 1}).explain()[0] == touch
    assert touch not in Rules(adjacency="block", apart=[("ore", "wool")], harbors="printed").explain()
    blog, optimal = Rules.preset("blog").explain(), Rules.preset("optimal").explain()
    assert len(blog) == 9
    assert set(optimal) - set(blog) == {"The harbors are those printed on the frame."}
    assert set(blog) - set(optimal) >= {touch}


def test_unnumbered_terrains_exempt_from_groups():
    layout = Layout("lakes", (3,), {"lake": 2, "ore": 1}, {6: 1}, further_terrains={"lake": "k"})
    rules = Rules(terrain_cluster_max=1)
    assert rules.check(Board(layout, ["lake", "lake", "ore"])) == []
    assert count_terrains(rules, layout) == 3
