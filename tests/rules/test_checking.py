"""`Rules.check` against brute force on hundreds of boards, and the places and texts of violations."""

import random
from collections import Counter
from dataclasses import fields
from itertools import combinations

import pytest

from catan_cp import (
    LAYOUTS,
    Board,
    Harbor,
    InvalidRules,
    Layout,
    Rules,
    Violation,
    analyze_board,
    copy_models,
    count_markers,
    enumerate_boards,
)
from tests.agreement.cases import random_fields
from tests.brute_force import Case, Filling, breaches, pips
from tests.plane import plane

NAMES = ("sea", "desert", "brick", "grain", "wool", "ore", "lumber")
BARE = {"sea", "desert"}
NUMBERS = (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
SMALL = [
    Layout("one", (1,), {"ore": 1}, {6: 1, 2: 1}, printed_harbors=(Harbor((0, 5), "ore"),)),
    Layout("row", (4,), {"ore": 2, "wool": 1, "sea": 1}, {6: 2, 12: 1, 2: 1}),
    Layout("triangle", (1, 2, 3), {"ore": 3, "brick": 2, "desert": 1}, {6: 2, 8: 1, 2: 1, 12: 1}),
    Layout("bent", (3, 2, 3), {"ore": 3, "gold": 2, "sea": 2, "desert": 1}, {6: 2, 8: 1, 2: 1, 12: 2, 4: 2}),
    Layout("slope", (3, 4), {"grain": 3, "wool": 3, "desert": 1}, {6: 2, 8: 2, 2: 1, 12: 2}),
    Layout("golden", (2, 3, 2), {"gold": 1, "ore": 5, "sea": 1}, {6: 2, 8: 2, 2: 1, 3: 2}),
    Layout(
        "seven",
        (2, 3, 2),
        {"brick": 2, "lumber": 2, "ore": 2, "desert": 1},
        {2: 1, 6: 1, 8: 1, 9: 1, 12: 2, 5: 1},
        printed_harbors=(Harbor((4, 5), "3:1"), Harbor((6, 9), "ore"), Harbor((3, 13), "brick")),
        spiral_order=(6, 12, 5, 12, 8, 2),
    ),
]
PAIRED = Layout(
    "paired",
    (2, 3, 2),
    {"grain": 3, "wool": 3, "desert": 1},
    {6: 1, 8: 1, 2: 1, 12: 1, 9: 1, 4: 1},
    second_marker={2: 12, 6: 9},
)
LARGE = [LAYOUTS[name] for name in ("base", "base-5-6", "seafarers-6", "seafarers-9")]
BEGINNER = Board.from_notation(LAYOUTS["base"].beginner_board)


# Random boards and rules, such that the boards satisfy and break each rule often


def some_board(rng: random.Random, layout: Layout) -> Board:
    terrain = list(Counter(layout.terrain_counts).elements())
    rng.shuffle(terrain)
    if rng.random() < 0.1:
        terrain[rng.randrange(len(terrain))] = rng.choice(NAMES)
    return Board(layout, terrain, some_markers(rng, layout, terrain), some_harbors(rng, layout))


def some_markers(rng: random.Random, layout: Layout, terrain: list[str]) -> list[int | None] | None:
    """Return the numbers of the box or of its spiral, sometimes with a change, or None."""
    numbered = [t for t, name in enumerate(terrain) if name not in BARE]
    numbers = list(Counter(layout.marker_supply).elements())
    rng.shuffle(numbers)
    if layout.spiral_order and rng.random() < 0.3:
        numbered.sort(key=rng.choice(list(plane(layout.rows).spirals())).index)
        numbers = list(layout.spiral_order)
        i = rng.randrange(1, len(numbers))
        if rng.random() < 0.5:
            numbers[i - 1 : i + 1] = numbers[i], numbers[i - 1]
    numbers += rng.choices(NUMBERS, k=len(numbered))
    markers = dict(zip(numbered, numbers, strict=False))
    if numbered and rng.random() < 0.1:
        markers[rng.choice(numbered)] = rng.choice(NUMBERS)
    return None if rng.random() < 0.1 else [markers.get(t) for t in range(len(terrain))]


def some_harbors(rng: random.Random, layout: Layout) -> list[Harbor]:
    """Return the printed harbors, also in another order, or with another or fewer, or none."""
    printed = list(layout.printed_harbors)
    if not printed or rng.random() < 0.25:
        return []
    trades = [harbor.trade for harbor in printed]
    if rng.random() < 0.3:
        rng.shuffle(trades)
    elif rng.random() < 0.3:
        trades[rng.randrange(len(trades))] = rng.choice(("3:1", *NAMES[2:]))
    n = rng.choice([len(printed)] * 4 + [len(printed) - 1])
    return [Harbor(harbor.vertices, trade) for harbor, trade in zip(printed, trades, strict=True)][:n]


CASES = {layout.name: Case(layout, {}) for layout in (*SMALL, PAIRED, *LARGE)}


def some_rules(rng: random.Random, board: Board) -> Rules:
    """Return a few fields, with bounds near the values of the board."""
    chosen = random_fields(rng, CASES[board.layout.name], [Filling.of(board)])
    return Rules(**{name: value for name, value in chosen.items() if name != "pattern"})


def fields_beyond(layouts: list[Layout]) -> set[str]:
    """Return the fields that no board of these layouts can both satisfy and break."""
    # Printed harbors that break the last one are rejected.
    beyond = {"adjacency", "pattern", "constraints", "models", "harbors_apart"}
    if not any("gold" in layout.terrains for layout in layouts):
        beyond |= {"gold_inland"}
    if not any("sea" in layout.terrains for layout in layouts):
        beyond |= {"islands_min", "islands_max", "island_size_min", "main_island_complete"}
    if not any("sea" in layout.terrains and layout.printed_harbors for layout in layouts):
        beyond |= {"harbor_on_every_island"}
    if PAIRED in layouts:
        beyond |= {"marker_order", "harbors", "harbor_own_terrain_apart"}
    return beyond


@pytest.mark.parametrize(
    ("layouts", "n"),
    [
        (SMALL, 60),
        ([PAIRED], 150),
        (LARGE[:1], 60),
        pytest.param(SMALL, 1000, marks=pytest.mark.slow),
        pytest.param([PAIRED], 400, marks=pytest.mark.slow),
        pytest.param(LARGE[:1], 1500, marks=pytest.mark.slow),
        pytest.param(LARGE[1:], 150, marks=pytest.mark.slow),
    ],
    ids=["small", "paired", "base", "small, long", "paired, long", "base, long", "large"],
)
def test_check_agrees_with_brute_force(layouts, n):
    rng = random.Random(len(layouts))
    satisfied, broken = Counter(), Counter()
    for board in (some_board(rng, layout) for layout in layouts for _ in range(n)):
        for _ in range(3):
            try:
                rules = some_rules(rng, board)
                violations = {violation.rule for violation in rules.check(board)}
            except InvalidRules:  # bounds that cross, or a layout without spiral, harbors or that terrain
                continue
            asked = {name for name in rules.to_mapping() if name != "adjacency"}
            expected = breaches(rules, board)
            if "pieces" in expected:  # rules about terrains that the box lacks may be read in two ways
                assert "pieces" in violations <= {"pieces", *asked}, (rules, board)
                continue
            assert violations == expected, (rules, board)
            broken.update(expected)
            satisfied.update(asked - expected)
    if n >= 400:  # fewer boards do not happen to satisfy and to break every rule
        names = {field.name for field in fields(Rules)} - fields_beyond(layouts)
        assert not {name for name in names if not (satisfied[name] and broken[name])}


def test_edited_models_satisfy_no_preset(tmp_path, monkeypatch):
    """Other boards and presets are in tests/analysis/test_report.py."""
    folder = copy_models(tmp_path / "mine")
    monkeypatch.setenv("CATAN_CP_MODELS", str(folder))
    assert "open" in analyze_board(BEGINNER).presets
    with (folder / "board.mzn").open("a", encoding="utf-8") as model:
        model.write("\nconstraint terrain[1] = DESERT;\n")
    assert analyze_board(BEGINNER).presets == ()


# Where a rule is broken


def places(rules: Rules, board: Board, rule: str) -> set[tuple[int, ...]]:
    violations = rules.check(board)
    assert all(violation.tiles == tuple(sorted(set(violation.tiles))) for violation in violations)
    return {violation.tiles for violation in violations if violation.rule == rule}


@pytest.mark.parametrize("layout", [*SMALL, *LARGE], ids=lambda layout: layout.name)
def test_places_are_those_of_plane(layout):
    rng, flat = random.Random(7), plane(layout.rows)
    for _ in range(8):
        terrain = [rng.choice(NAMES) for _ in range(layout.n_tiles)]
        markers = [None if name in BARE else rng.choice([2, 6, 8, 12, 5]) for name in terrain]
        board = Board(layout, terrain, markers)
        for adjacency in ("hex", "block"):
            pairs_are_places(board, adjacency, flat)
        land = tuple(t for t, name in enumerate(terrain) if name != "sea")  # too few islands name all land
        assert places(Rules(islands_min=99), board, "islands_min") == {land}
        vertices_are_places(board, flat)
        groups = [[t for t, name in enumerate(terrain) if name == one] for one in {*terrain} - BARE]
        twice = {
            tuple(t for t in group if [markers[u] for u in group].count(markers[t]) > 1) for group in groups
        }
        reds = {tuple(t for t in group if markers[t] in (6, 8)) for group in groups}
        rules = Rules(markers_distinct_per_terrain=True, reds_per_terrain_max=1)
        assert places(rules, board, "markers_distinct_per_terrain") == twice - {()}
        assert places(rules, board, "reds_per_terrain_max") == {group for group in reds if len(group) > 1}


def pairs_are_places(board, adjacency, flat):
    """Compare the places of the rules about pairs of touching tiles."""
    terrain, markers, pairs = board.terrain, board.markers, flat.touching(adjacency)
    for rule, numbers in (("reds_apart", {6, 8}), ("two_twelve_apart", {2, 12})):
        both = {(a, b) for a, b in pairs if {markers[a], markers[b]} <= numbers}
        assert places(Rules(adjacency=adjacency, **{rule: True}), board, rule) == both
    equal = {(a, b) for a, b in pairs if markers[a] == markers[b] and markers[a] is not None}
    rules = Rules(adjacency=adjacency, equal_markers_apart=True)
    assert places(rules, board, "equal_markers_apart") == equal
    rules = Rules(adjacency=adjacency, apart=[("brick", "ore"), ("sea", "sea")])
    near = {(a, b) for a, b in flat.sharing_edge if {terrain[a], terrain[b]} in ({"brick", "ore"}, {"sea"})}
    assert places(rules, board, "apart") == near
    twos = {frozenset((a, b)) for a, b in pairs if terrain[a] == terrain[b] and terrain[a] not in BARE}
    groups = places(Rules(adjacency=adjacency, terrain_cluster_max=1), board, "terrain_cluster_max")
    assert {frozenset(pair) for group in groups for pair in combinations(group, 2)} >= twos
    assert Counter(t for group in groups for t in group) == Counter({t for pair in twos for t in pair})


def vertices_are_places(board, flat):
    """Compare the places of the rules about vertices of three land tiles."""
    inland = {
        v: tiles
        for v, tiles in enumerate(flat.round_vertex)
        if len(tiles) == 3 and all(board.terrain[t] != "sea" for t in tiles)
    }
    sums = {v: sum(board.markers[t] or 7 for t in tiles) for v, tiles in inland.items()}
    worth = {v: sum(pips(board.markers[t]) for t in tiles if board.markers[t]) for v, tiles in inland.items()}
    for rules, bad in (
        (Rules(vertex_sum_below=20), {v for v, n in sums.items() if n >= 20}),
        (Rules(vertex_pips_min=6), {v for v, n in worth.items() if n < 6}),
        (Rules(vertex_pips_max=8), {v for v, n in worth.items() if n > 8}),
    ):
        violations = [violation for violation in rules.check(board) if violation.rule != "pieces"]
        assert {(b.vertices, b.tiles) for b in violations} == {((v,), tuple(inland[v])) for v in bad}


def test_pieces():
    board = Board("base", ("gold", *BEGINNER.terrain[1:]), (12, *BEGINNER.markers[1:]))
    violations = Rules().check(board)
    assert [violation.tiles for violation in violations] == [(11, 13), (0,), (0, 3)]
    assert [str(violation) for violation in violations] == [
        "pieces: 1 fewer ore than the box of 'base' holds, on tiles 11 and 13",
        "pieces: 1 more gold than the box of 'base' holds, on tile 0",
        "pieces: 1 more markers 12 than the box of 'base' holds, on tiles 0 and 3",
    ]


RING = {"wool": 5, "lake": 1, "sea": 1}


@pytest.mark.parametrize(
    ("demands", "notation", "broken"),
    [
        ({"fixed_terrain": {0: "wool"}}, "ss/sks/ss", {(0,): "sea on tile 0, which is fixed as wool"}),
        ({"fixed_terrain": {0: "wool"}}, "ws/sks/ss", {}),
        ({"fixed_markers": {0: 6}}, "w8w5/w9k~/w2w3", {(0,): "8 with 5 pips on tile 0, wool, fixed as 6"}),
        ({"fixed_markers": {0: 6}}, "w6w8/w9k~/w2w3", {}),
        ({"inland": ("lake",)}, "ww/wks/ww", {(3, 4): "lake on tile 3 touches sea on tile 4"}),
        ({"inland": ("lake",)}, "ww/wkw/ww", {}),
        ({"inland": ("lake",)}, "kw/www/ww", {(0,): "lake on tile 0, which must be inland"}),
        ({"pips_max": {0: 4}}, "w6w8/w9k~/w2w3", {(0,): "6 with 5 pips on tile 0, wool, beyond the bounds"}),
        ({"pips_max": {0: 4}}, "w9w8/w6k~/w2w3", {}),
        (
            {"terrain_marker_pips_min": {"wool": 2}},
            "w6w8/w9k~/w2w3",
            {(5,): "2 with 1 pip on tile 5, wool, beyond the bounds"},
        ),
        (
            {"terrain_marker_pips_max": {"wool": 4}},
            "w6w5/w9k~/w2w3",
            {(0,): "6 with 5 pips on tile 0, wool, beyond the bounds"},
        ),
        (
            {"terrain_group": (0, 0, 0, 0, 0, 1, 1), "group_terrain": {1: {"wool": 1, "sea": 1}}},
            "ww/wks/ww",
            {(0, 1, 2, 3, 4): "group 0 does not have its own", (5, 6): "group 1 does not have its own"},
        ),
        (
            {"marker_group": (0, 0, 0, 0, 0, 1, 1), "group_markers": {1: {6: 1, 8: 1}}},
            "w9w5/w6k~/w8w3",
            {(0, 1, 2, 3, 4): "group 0 does not have its own", (5, 6): "group 1 does not have its own"},
        ),
    ],
)
def test_demands_of_layout(demands, notation, broken):
    """The box holds other pieces than some of these boards. That is not asked here."""
    supply = {2: 1, 3: 1, 5: 1, 6: 1, 8: 1, 9: 1}
    layout = Layout("ring", (2, 3, 2), RING, supply, further_terrains={"lake": "k"}, **demands)
    board = Board.from_notation(f"{notation.replace('~', 's')}@ring", layout)
    violations = {b.tiles: str(b) for b in Rules().check(board) if "the box of" not in str(b)}
    assert violations.keys() == broken.keys()
    assert all(words in violations[tiles] for tiles, words in broken.items())


def test_violations_of_beginner_board():
    violations = Rules.preset("optimal").check(BEGINNER)
    assert [(str(b), b.tiles, b.vertices) for b in violations[:1] + violations[5:6] + violations[9:10]] == [
        ("terrain_cluster_max: 2 touching tiles of wool, more than 1, on tiles 1 and 5", (1, 5), ()),
        ("apart: lumber on tile 2 touches brick on tile 6", (2, 6), ()),
        ("vertex_sum_below: vertex 2 sums to 28, not below 23, on tiles 0, 3 and 4", (0, 3, 4), (2,)),
    ]
    clusters = [(1, 5), (3, 7), (8, 12), (14, 17), (15, 18)]
    assert [b.tiles for b in violations if b.rule == "terrain_cluster_max"] == clusters
    assert [b.tiles for b in violations if b.rule == "apart"] == [(2, 6), (4, 8), (6, 10), (12, 16)]
    assert [b.vertices for b in violations if b.rule == "vertex_sum_below"] == [
        (v,) for v in (2, 12, 14, 15, 19, 25)
    ]
    assert len(violations) == 15
    assert all(isinstance(b, Violation) for b in violations)
    assert Rules().check(BEGINNER) == Rules.preset("open").check(BEGINNER) == []


def test_deserts():
    first = Board("base", ["desert", *(name for name in BEGINNER.terrain if name != "desert")])
    assert Rules(desert="centre").check(BEGINNER) == Rules(desert="inland").check(BEGINNER) == []
    assert Rules(desert="coast").check(first) == []
    for board, area, tile in ((first, "centre", 0), (first, "inland", 0), (BEGINNER, "coast", 9)):
        text = f"desert on tile {tile}, not at the required place ({area})"
        assert Rules(desert=area).check(board) == [Violation("desert", text, (tile,))]


def test_spiral():
    base = LAYOUTS["base"]
    official = Rules.preset("official")
    for path in base.spirals:
        markers = [None] * 19
        for t, marker in zip([t for t in path if t != 9], base.spiral_order, strict=True):
            markers[t] = marker
        board = Board("base", BEGINNER.terrain, markers, base.printed_harbors)
        assert official.check(board) == []
        a, b = path[3], path[4]
        markers[a], markers[b] = markers[b], markers[a]
        (violation,) = official.check(Board("base", BEGINNER.terrain, markers, base.printed_harbors))
        assert (violation.rule, violation.tiles) == ("marker_order", tuple(sorted((a, b))))


def test_harbors():
    printed = LAYOUTS["base"].printed_harbors
    shuffled = [Harbor(h.vertices, printed[i - 1].trade) for i, h in enumerate(printed)]
    moved = [Harbor((0, 5), "3:1"), *printed[1:]]

    def ends(field, harbors):
        violations = Rules(harbors=field).check(Board("base", BEGINNER.terrain, BEGINNER.markers, harbors))
        assert {b.rule for b in violations} <= {"harbors"}
        return [b.vertices for b in violations]

    every_end = tuple(sorted(v for h in printed for v in h.vertices))
    assert ends("printed", printed) == ends("shuffled", printed) == ends("shuffled", shuffled) == []
    assert ends("none", printed) == ends("none", ()) == ends("none", moved) == []
    assert ends("printed", ()) == ends("shuffled", ()) == []  # no harbors are placed yet
    assert ends("printed", printed[1:]) == ends("shuffled", printed[1:]) == [(4, 5)]
    assert ends("printed", moved) == ends("shuffled", moved) == [(0, 4, 5)]
    dearer = [Harbor(printed[0].vertices, "ore"), *printed[1:]]
    assert ends("printed", dearer) == [(4, 5)]
    assert ends("shuffled", dearer) == [every_end]


def test_harbors_at_their_own_terrain():
    rules = Rules(harbors="shuffled", harbor_own_terrain_apart=True)
    printed = LAYOUTS["base"].printed_harbors
    trades = dict(zip((h.vertices for h in printed), (h.trade for h in printed), strict=True))
    trades[4, 5], trades[11, 22] = trades[11, 22], trades[4, 5]  # ore, at tile 0, which is ore
    board = Board("base", BEGINNER.terrain, BEGINNER.markers, [Harbor(v, t) for v, t in trades.items()])
    violations = {b.vertices: b for b in rules.check(board)}
    assert violations[4, 5] == Violation(
        "harbor_own_terrain_apart", "the ore harbor at 4-5 touches its own terrain on tile 0", (0,), (4, 5)
    )


def test_terrain_pips():
    low = Rules(terrain_pips_min={"wool": 11, "every": 10}).check(BEGINNER)
    wool = tuple(t for t, name in enumerate(BEGINNER.terrain) if name == "wool")
    places = ", on tiles 1, 5, 15 and 18"
    assert low == [Violation("terrain_pips_min", f"wool has 10 pips, fewer than 11{places}", wool)]
    high = Rules(terrain_pips_max={"wool": 9, "every": 13}).check(BEGINNER)
    assert high == [Violation("terrain_pips_max", f"wool has 10 pips, more than 9{places}", wool)]
    gold = Rules(terrain_pips_min={"gold": 1})
    layout = LAYOUTS["seafarers-6"]
    without = Board(layout, ["ore"] * layout.n_tiles, [5] * layout.n_tiles)
    (violation,) = (b for b in gold.check(without) if b.rule != "pieces")
    assert violation == Violation("terrain_pips_min", "gold has 0 pips, fewer than 1", ())


def test_terrain_without_markers_judged():
    bare = Board("base", BEGINNER.terrain)
    rules = Rules.preset("optimal")
    about_terrain = [b for b in rules.check(BEGINNER) if b.rule in ("apart", "terrain_cluster_max")]
    assert rules.check(bare) == about_terrain
    assert Rules(vertex_pips_min=15, terrain_pips_min=40, marker_order="spiral").check(bare) == []


DESERTS = Layout("deserts", (1, 2), {"desert": 3}, {4: 2})
UNMARKED = Layout(
    *("unmarked", (2, 1), {"wool": 1, "ore": 2}, {}),
    fixed_terrain={0: "wool", 1: "ore", 2: "ore"},
    unmarked={0, 1, 2},
)


@pytest.mark.solver
@pytest.mark.parametrize(
    ("layout", "rules", "broken"),
    [
        (DESERTS, Rules(vertex_sum_below=21), ["vertex_sum_below"]),  # a tile without a number counts 7
        (DESERTS, Rules(vertex_sum_below=22), []),
        (DESERTS, Rules(vertex_pips_min=1), ["vertex_pips_min"]),
        (DESERTS, Rules(vertex_pips_max=1, terrain_pips_min=1, reds_per_terrain_max=0), []),
        (UNMARKED, Rules(terrain_pips_min=1), ["terrain_pips_min"] * 2),
        (UNMARKED, Rules(vertex_pips_min=1), ["vertex_pips_min"]),
        (UNMARKED, Rules(constraints=["sum(t in TILE)(pips[t]) > 0"]), ["constraints"]),
        (UNMARKED, Rules(constraints=["sum(t in TILE)(pips[t]) = 0"]), []),
        (UNMARKED, Rules(reds_apart=True), []),
    ],
)
def test_board_without_numbered_tiles_judged(layout, rules, broken):
    """All of its number tokens are on it: checks, models and counts agree."""
    board = Board(layout, list(Counter(layout.terrain_counts).elements()))
    assert [violation.rule for violation in rules.check(board)] == broken
    assert list(enumerate_boards(rules, layout)) == ([] if broken else [board])
    assert count_markers(board, rules, layout) == (not broken)


def test_check_rejects_rules_beyond_layout():
    with pytest.raises(InvalidRules, match="'triangle' lacks"):
        Rules(harbors="shuffled").check(Board(SMALL[2], ["ore"] * 6))
