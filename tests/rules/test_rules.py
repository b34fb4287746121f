"""Rules: presets, bad values of every field, files there and back, and rules in English."""

import copy
import dataclasses
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import catan_cp
from catan_cp import LAYOUTS, Board, InvalidRules, Layout, Rules, count_terrains
from catan_cp.boards.layout import CLASSIC
from catan_cp.boards.pieces import TERRAINS, UNNUMBERED
from catan_cp.rules.rule import EVERY, number_for
from catan_cp.rules.rules import PRESETS, RULES, find_rules, only, parts_of
from docs.tools import rules as tool

FIELDS = list(RULES)
CHOICES = {
    name: [word for word, _ in rule.kind.options]
    for name, rule in RULES.items()
    if rule.kind.annotation == "str"
}
SWITCHES = [name for name, rule in RULES.items() if rule.kind.annotation == "bool"]
PER_TERRAIN = [name for name, rule in RULES.items() if rule.kind.annotation == "TerrainNumbers"]
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
NUMBERED = [name for name in TERRAINS if name not in UNNUMBERED]

# Presets


def test_fields_are_those_of_design():
    designed = """
        adjacency terrain_cluster_max apart symmetry desert gold_inland islands_min islands_max
        island_size_min main_island_complete reds_apart equal_markers_apart two_twelve_apart
        markers_distinct_per_terrain reds_per_terrain_max terrain_markers_max vertex_sum_below
        vertex_pips_min vertex_pips_max terrain_pips_min terrain_pips_max marker_order harbors
        harbor_own_terrain_apart harbors_apart harbor_on_every_island
    """
    assert designed.split() == FIELDS
    assert [name for name, rule in RULES.items() if rule.kind.annotation == "int | None"] == list(COUNTS)
    assert {*CHOICES, *SWITCHES, *COUNTS, *PER_TERRAIN, "apart"} == set(FIELDS)
    assert PER_TERRAIN == ["terrain_markers_max", "terrain_pips_min", "terrain_pips_max"]


def test_fields_and_table_follow_declarations():
    """The output of ``python docs/tools/rules.py`` is in the files.

    Missing parts are written.
    """
    for path, written in ((tool.MODULE, tool.module), (tool.PAGE, tool.page)):
        text = path.read_text(encoding="utf-8")
        assert written(text) == text
        lines = [line for line in text.splitlines(keepends=True) if "gold_inland" not in line]
        assert written("".join(lines)) == text


def test_field_occurs_in_few_modules():
    """A field occurs in its declaration, in `Rules`, and in an example or two.

    Words of several meanings are left out.
    """
    package = Path(catan_cp.__file__).parent
    words = {p: {*re.findall(r"\w+", p.read_text(encoding="utf-8"))} for p in package.rglob("*.py")}
    for field in RULES.keys() - {"adjacency", "apart", "symmetry", "desert", "harbors"}:
        paths = [path for path, vocabulary in words.items() if field in vocabulary]
        assert len(paths) <= 4, field
        assert package / "rules" / "rules.py" in paths


def test_presets_are_those_of_design():
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
    assert designed == {name: PRESETS[name].to_mapping() for name in designed}
    for name, rules in PRESETS.items():
        assert Rules.preset(name) is find_rules(name) is rules
    assert find_rules(Rules()) == Rules.preset("open") == Rules()
    with pytest.raises(TypeError):
        PRESETS["mine"] = Rules()  # type: ignore[index]


# Values


pips_bounds = st.one_of(
    st.just({}),
    st.integers(1, 40),
    st.dictionaries(st.sampled_from([EVERY, *NUMBERED]), st.integers(1, 40), max_size=4),
)
values = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.sampled_from(allowed) for name, allowed in CHOICES.items()},
        **{name: st.booleans() for name in SWITCHES},
        **{name: st.none() | st.integers(least, 12) for name, least in COUNTS.items()},
        "apart": st.lists(st.tuples(st.sampled_from(TERRAINS), st.sampled_from(TERRAINS)), max_size=3),
        **dict.fromkeys(PER_TERRAIN, pips_bounds),
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
    assert Rules(**{field: getattr(rules, field) for field in FIELDS}) == rules


def test_values_put_in_one_form():
    rules = Rules(
        apart=[["wood", "hills"], ("lumber", "brick")], terrain_pips_min={"wheat": np.int64(3), EVERY: 2}
    )
    assert rules.apart == (("brick", "lumber"),)
    assert rules.terrain_pips_min == ((EVERY, 2), ("grain", 3))
    assert rules == Rules(apart=(("brick", "lumber"),), terrain_pips_min=((EVERY, 2), ("grain", 3)))
    assert Rules(terrain_pips_max=5) == Rules(terrain_pips_max={EVERY: 5})
    assert type(Rules(terrain_cluster_max=np.int8(2)).terrain_cluster_max) is int
    assert [number_for(rules.terrain_pips_min, name) for name in ("grain", "ore")] == [3, 2]
    assert number_for((("grain", 3),), "ore") is None


def test_nothing_can_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().adjacency = "block"
    changed = Rules.preset("blog").replace(vertex_sum_below=22)
    assert (changed.vertex_sum_below, Rules.preset("blog").vertex_sum_below) == (22, 23)


def test_fields_that_can_just_be():
    for field, words in CHOICES.items():
        assert [getattr(Rules(**{field: word}), field) for word in words] == words
    for field, least in COUNTS.items():
        assert getattr(Rules(**{field: least}), field) == least


def test_what_only_looks_like_contradiction():
    Rules(terrain_pips_min={EVERY: 4, "gold": 2}, terrain_pips_max={"gold": 3})
    Rules(terrain_pips_min={"gold": 0}, terrain_pips_max=0)
    Rules(vertex_pips_min=8, vertex_pips_max=8)
    Rules(terrain_pips_min={EVERY: 4}, terrain_pips_max={"gold": 3})  # on boards without gold


def test_preset_by_position_explained():
    with pytest.raises(InvalidRules, match=r"by keyword, .*not 'tournament'; Rules.preset\('tournament'\)"):
        Rules("tournament")
    assert find_rules({"preset": "tournament", "desert": "coast"}) == Rules.preset("tournament").replace(
        desert="coast"
    )


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


def test_rules_beyond_layout():
    spiral, gold = Rules(marker_order="spiral"), Rules(terrain_pips_min={"gold": 6})
    for name, layout in ((name, LAYOUTS[name]) for name in CLASSIC):
        Rules.preset("blog").check_layout(layout)
        if name.startswith("base"):
            spiral.check_layout(layout)
        else:
            with pytest.raises(InvalidRules, match=f"marker_order='spiral' needs .* which '{name}' lacks"):
                spiral.check_layout(layout)
        if name.startswith("base"):
            Rules(harbors="shuffled", harbor_own_terrain_apart=True).check_layout(layout)
            with pytest.raises(InvalidRules, match=f"names gold, which the box of '{name}' lacks"):
                gold.check_layout(layout)
        else:
            gold.check_layout(layout)
            Rules(harbors="printed").check_layout(layout)
            with pytest.raises(InvalidRules, match=f"harbors='shuffled' needs .* which '{name}' lacks"):
                Rules(harbors="shuffled").check_layout(layout)


@pytest.mark.parametrize("harbors", ["printed", "shuffled"])
def test_parts_of_valid_rules_are_valid(harbors):
    """A search for a conflict removes fields and constraints one by one."""
    rules = Rules(
        harbors=harbors,
        harbors_apart=True,
        harbor_own_terrain_apart=True,
        harbor_on_every_island=True,
        symmetry="distinct",
        islands_min=1,
        islands_max=2,
        island_size_min=2,
        main_island_complete=True,
        vertex_pips_min=1,
        vertex_pips_max=9,
        terrain_pips_min={"ore": 2},
        terrain_pips_max={"ore": 9},
        marker_order="spiral",
        pattern="xxx/xxxx/xxdxx/xxxx/xxx",
        constraints=["harbor[1] = ORE", "pips[1] > 2", "count([terrain[t] | t in neighbors[1]], ORE) < 2"],
    )
    rules.check_layout(LAYOUTS["base"])
    parts = parts_of(rules)
    for subset in [*((part,) for part in parts), *(tuple(set(parts) - {part}) for part in parts)]:
        only(rules, subset).check_layout(LAYOUTS["base"])


def test_bounds_that_cross_on_layout():
    crossed = Rules(terrain_pips_min={EVERY: 4}, terrain_pips_max={"gold": 3})
    crossed.check_layout(LAYOUTS["base"])
    with pytest.raises(InvalidRules, match="terrain_pips_min 4 is above terrain_pips_max 3 for gold"):
        crossed.check_layout(LAYOUTS["seafarers-6"])
    Rules(terrain_pips_min={"gold": 0}).check_layout(LAYOUTS["base"])
    row = Layout("row", (4,), {"ore": 4}, {6: 4}, spiral_order=(6,) * 4)
    with pytest.raises(InvalidRules, match="which 'row' lacks"):
        Rules(marker_order="spiral").check_layout(row)


# English


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, ["Everything is allowed."]),
        ({"adjacency": "block"}, ["Everything is allowed."]),
        (
            {"terrain_cluster_max": 1},
            ["No two tiles of one terrain touch (terrains without markers are exempt)."],
        ),
        (
            {"terrain_cluster_max": 3},
            ["At most 3 tiles of one terrain touch in one group (terrains without markers are exempt)."],
        ),
        ({"apart": [("lumber", "brick")]}, ["Brick shares no edge with lumber."]),
        ({"apart": [("ore", "ore")]}, ["No two tiles of ore share an edge."]),
        ({"desert": "centre"}, ["Deserts stand on the tiles nearest the centre."]),
        ({"reds_apart": True}, ["No two reds (6 and 8) touch."]),
        ({"reds_per_terrain_max": 0}, ["Each terrain has at most 0 red markers."]),
        ({"reds_per_terrain_max": 1}, ["Each terrain has at most 1 red marker."]),
        (
            {"vertex_sum_below": 23},
            [
                "At every vertex of three land tiles the markers sum to less than 23 "
                "(tiles without one count 7)."
            ],
        ),
        ({"vertex_pips_min": 1}, ["Every vertex of three land tiles has at least 1 pip."]),
        ({"terrain_pips_min": 4}, ["Each terrain has at least 4 pips in all."]),
        (
            {"terrain_pips_max": {"gold": 6, EVERY: 9}},
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


@given(some_rules())
def test_english_for_any_rules(rules):
    sentences = rules.explain()
    default = rules.replace(adjacency="hex") == Rules()
    assert (sentences == ["Everything is allowed."]) == default
    assert all(line[0].isupper() and line.endswith(".") for line in sentences)
    assert len(set(sentences)) == len(sentences)


def test_unnumbered_terrains_exempt_from_groups():
    layout = Layout("lakes", (3,), {"lake": 2, "ore": 1}, {6: 1}, further_terrains={"lake": "k"})
    rules = Rules(terrain_cluster_max=1)
    assert rules.explain() == ["No two tiles of one terrain touch (terrains without markers are exempt)."]
    assert rules.check(Board(layout, ["lake", "lake", "ore"])) == []
    assert count_terrains(rules, layout) == 3
