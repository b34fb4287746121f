"""Small invented layouts and rules, and all allowed boards by brute force."""

import random
from collections import Counter
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st

from catan_cp import Board, Harbor, Layout, Rules
from catan_cp.boards.layout import CLASSIC as CLASSIC
from catan_cp.boards.pieces import MARKERS, TERRAINS, TRADES, UNNUMBERED
from catan_cp.compiled import is_fast
from catan_cp.rules.requirements import random_boards as random_boards
from catan_cp.rules.rule import keeping_symmetries as keeping_symmetries

needs_numba = pytest.mark.skipif(not is_fast(), reason="needs the extra fast (numba)")


def layout_of(text, name):
    """Return the layout in the text of a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.toml")
        path.write_text(text, encoding="utf-8")
        return Layout.from_toml(path)


ROWS = ((2,), (1, 2), (2, 1), (2, 3), (1, 2, 1), (2, 3, 2), (3, 4))


def arrangements(counts):
    """Every order of the pieces, each once."""
    if not counts:
        return [()]
    results = []
    for piece in counts:
        rest = {k: n - (k == piece) for k, n in counts.items() if n > (k == piece)}
        results += [(piece, *after) for after in arrangements(rest)]
    return results


def allowed_terrains(rules, layout):
    complete = arrangements(dict(layout.terrain_counts))
    return [t for t in complete if not breaches(rules, Board(layout, t), {"harbors"})]


def allowed_markers(terrain, rules, layout):
    """Return all numberings of the terrain that break at most the supply of the box."""
    tiles = [t for t, name in enumerate(terrain) if name not in UNNUMBERED]
    results = []
    for numbers in product(sorted(layout.marker_supply), repeat=len(tiles)):
        if all(n <= layout.marker_supply[marker] for marker, n in Counter(numbers).items()):
            markers = [None] * len(terrain)
            for tile, marker in zip(tiles, numbers, strict=True):
                markers[tile] = marker
            if not breaches(rules, Board(layout, terrain, markers), {"pieces"}):
                results.append(markers)
    return results


def chi_square(drawn, expected):
    """Return the distance of samples from their expectation, as chi-square.

    Its mean is the number of cells less one.
    """
    counts = Counter(drawn)
    return sum((counts[key] - n) ** 2 / n for key, n in expected.items())


def too_uneven(n):
    """A bound on chi-square that uniform samples exceed once in a million tries (Wilson, Hilferty)."""
    free = n - 1
    return free * (1 - 2 / (9 * free) + 4.75 * (2 / (9 * free)) ** 0.5) ** 3


def evenly(drawn, n):
    """True if the samples are at most *n* things, and all *n* are about equally frequent."""
    counts = Counter(drawn)
    mean = counts.total() / n
    squares = sum((k - mean) ** 2 / mean for k in counts.values()) + (n - len(counts)) * mean
    return len(counts) <= n and squares < too_uneven(n)


def equally_often(drawn, things):
    """True if each of these things was sampled, no other, and all about equally often."""
    drawn, things = list(drawn), set(things)
    return set(drawn) <= things and evenly(drawn, len(things))


def breaches(rules, board, except_for):
    return [broken for broken in rules.check(board) if broken.rule not in except_for]


@st.composite
def layouts(draw, with_markers=False, with_seconds=False):
    rows = draw(st.sampled_from(ROWS))
    names = draw(st.lists(st.sampled_from(TERRAINS), min_size=1, max_size=4, unique=True))
    pieces = draw(st.lists(st.sampled_from(names), min_size=sum(rows), max_size=sum(rows)))
    supply = {}
    if with_markers:
        supply = draw(st.dictionaries(st.sampled_from(MARKERS), st.integers(1, 3), min_size=1, max_size=4))
    single = [marker for marker, n in supply.items() if n == 1 and with_seconds]
    seconds = draw(st.dictionaries(st.sampled_from(single), st.sampled_from(MARKERS))) if single else {}
    return Layout("small", rows, dict(Counter(pieces)), supply, second_marker=seconds)


@st.composite
def full_boards(draw, places, pieces="any", markers=MARKERS, bare=False):
    """Boards with numbers and harbors, with the box's pieces or any.

    With *bare*, some boards have no numbers.
    """
    layout = draw(st.sampled_from(places))
    rng = random.Random(draw(st.integers(0, 2**32)))
    terrain = list(Counter(layout.terrain_counts).elements())
    rng.shuffle(terrain)
    if pieces == "any":
        names = rng.sample(layout.all_terrains, draw(st.integers(1, len(layout.all_terrains))))
        terrain = [rng.choice(names) for _ in terrain]
    numbers = [rng.choice(markers) if layout.carries_marker(*tile) else None for tile in enumerate(terrain)]
    occupied, harbors = set(), []
    for a, b in rng.sample(layout.coast_edges, draw(st.integers(0, min(12, len(layout.coast_edges))))):
        if not occupied & {a, b}:
            occupied |= {a, b}
            harbors.append(Harbor(rng.choice([(a, b), (b, a)]), rng.choice(TRADES)))
    return Board(layout, terrain, None if bare and draw(st.booleans()) else numbers, harbors)


# Rules about terrain that exact counts do, those that they leave to the solver, and rules about markers.

terrain_rules = st.builds(
    Rules,
    adjacency=st.sampled_from(("hex", "block")),
    terrain_cluster_max=st.sampled_from((None, 1, 2, 3, 4)),
    apart=st.lists(st.tuples(st.sampled_from(TERRAINS), st.sampled_from(TERRAINS)), max_size=2),
    symmetry=st.sampled_from(("all", "corners", "distinct")),
    desert=st.sampled_from(("any", "any", "centre", "coast", "inland")),
    gold_inland=st.booleans(),
)

island_rules = st.builds(
    Rules,
    islands_min=st.sampled_from((None, 1, 2)),
    islands_max=st.sampled_from((None, 2, 3)),
    island_size_min=st.sampled_from((None, 2, 3)),
    main_island_complete=st.booleans(),
)

marker_rules = st.builds(
    Rules,
    adjacency=st.sampled_from(("hex", "block")),
    reds_apart=st.booleans(),
    equal_markers_apart=st.booleans(),
    two_twelve_apart=st.booleans(),
    markers_distinct_per_terrain=st.booleans(),
    reds_per_terrain_max=st.sampled_from((None, None, 0, 1, 2, 3)),
    terrain_markers_max=st.sampled_from(((), (), {"gold": 4}, {"every": 4, "ore": 2}, 3)),
    vertex_sum_below=st.sampled_from((None, None, 21, 22, 26)),
    vertex_pips_min=st.sampled_from((None, None, 3, 5)),
    vertex_pips_max=st.sampled_from((None, None, 9, 12)),
)
