"""Declarations of the rules about terrain."""

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import ADJACENCIES, Layout
from catan_cp.boards.pieces import RESOURCES
from catan_cp.errors import amount, listed
from catan_cp.rules import rule
from catan_cp.rules.restrictions import (
    Barred,
    Breach,
    ClusterMax,
    FirstOfOrbit,
    Restriction,
    Rising,
    TerrainsApart,
    on_tiles,
)

ADJACENCY = rule.Rule(
    field="adjacency",
    kind=rule.choice(*ADJACENCIES),
    about=(),
    asks="the pairs of tiles that touch. `hex`: two tiles with a common edge. `block`: also two tiles in one "
    '2 by 2 block of the array of "Optimal Catan"',
    says=lambda _: [
        'Two tiles touch if they share an edge or are in one 2 by 2 block of the "Optimal Catan" array.'
    ],
)


_FEW_SETS = 2_000
"""The maximum number of connected sets that are forbidden one by one."""


def _cluster_sentence(most: int) -> list[str]:
    if most == 1:
        return ["No two tiles of one terrain touch (terrains without markers are exempt)."]
    return [f"At most {most} tiles of one terrain touch in one group (terrains without markers are exempt)."]


def _cluster_data(most: int | None, needs: rule.Needs, view: rule.View) -> dict[str, Any]:
    """Return the connected sets to forbid, or none if the model has to compute the clusters."""
    too_large: list[tuple[int, ...]] = []
    counts = view.layout.terrain_counts
    if most is not None and any(counts[name] > most for name in counts if name not in view.layout.unnumbered):
        too_large = rule.connected_sets(view.layout, needs["adjacency"], most + 1, _FEW_SETS)
    return {"cluster_max": most or 0, "large_clusters": [set(view.tiles(tiles)) for tiles in too_large]}


CLUSTER = rule.Rule(
    field="terrain_cluster_max",
    kind=rule.bound(least=1, slider=(1, 6)),
    about=("terrain",),
    needs=("adjacency",),
    asks="maximum number of tiles in a group of touching tiles of one terrain; terrains without markers are "
    "exempt",
    says=_cluster_sentence,
    data={"board": _cluster_data},
    restrict=lambda most, needs, layout: [ClusterMax(most, layout.adjacency(needs["adjacency"]))],
)


def _apart_sentences(pairs: rule.TerrainPairs) -> Iterator[str]:
    for a, b in pairs:
        yield (
            f"{a.capitalize()} shares no edge with {b}." if a != b else f"No two tiles of {a} share an edge."
        )


def _apart_data(pairs: rule.TerrainPairs, needs: rule.Needs, view: rule.View) -> dict[str, Any]:
    """Return the pairs of the rule, and sea with each terrain that the layout keeps inland."""
    codes, inland = view.layout.terrain_codes, view.layout.inland if view.has_requirements else ()
    both = [*pairs, *((name, "sea") for name in codes if name in inland)]
    return {"apart": [codes[a] for a, _ in both], "apart_from": [codes[b] for _, b in both]}


APART = rule.Rule(
    field="apart",
    kind=rule.PAIRS_OF_TERRAINS,
    about=("terrain",),
    asks="these terrains share no edge, with either adjacency",
    says=_apart_sentences,
    data={"board": _apart_data},
    restrict=lambda pairs, needs, layout: [
        TerrainsApart(layout.adjacency("hex"), frozenset(frozenset(pair) for pair in pairs))
    ],
)

_SYMMETRY = {
    "corners": "By terrain code, the first tile is less than the last tile of the middle row, "
    "and that is less than the first tile of the last row.",
    "distinct": "Of all boards that are equal up to rotations and reflections, only the first counts.",
}


SYMMETRY = rule.Rule(
    field="symmetry",
    kind=rule.choice("all", "corners", "distinct"),
    about=("terrain",),
    needs=("adjacency",),
    asks="the allowed ones of the boards that are equal up to symmetry. `all`: each of them. `corners`: "
    "those whose terrain codes increase from the first tile to the last of the middle row and the first of "
    "the last row. `distinct`: one per orbit under rotations and reflections",
    says=lambda value: [_SYMMETRY[value]],
    data={
        "board": lambda value, needs, view: {
            "rising": view.tiles(rule.corner_tiles(view.layout)) if value == "corners" else [],
            "symmetries": [
                view.tiles(view.layout.symmetries[number])
                for number in rule.keeping_symmetries(view.layout, needs["adjacency"])
            ]
            if value == "distinct"
            else [],
        }
    },
    restrict=lambda value, needs, layout: [
        Rising(rule.corner_tiles(layout))
        if value == "corners"
        else FirstOfOrbit(rule.keeping_symmetries(layout, needs["adjacency"]))
    ],
)

_DESERT = {
    "centre": "Deserts stand on the tiles nearest the centre.",
    "coast": "Deserts stand on the rim of the layout.",
    "inland": "Deserts stand away from the rim of the layout.",
}


def _desert_tiles(value: str, layout: Layout) -> frozenset[int]:
    """Return the tiles where a desert is allowed."""
    everywhere = frozenset(range(layout.n_tiles))
    if value == "centre":
        return layout.centre_tiles(max(layout.terrain_counts.get("desert", 0), 1))
    if value == "coast":
        return layout.coast_tiles
    return everywhere - layout.coast_tiles if value == "inland" else everywhere


def _no_desert(value: str, needs: rule.Needs, layout: Layout) -> list[Restriction]:
    elsewhere = set(range(layout.n_tiles)) - _desert_tiles(value, layout)
    places = frozenset((t, "desert") for t in elsewhere)
    return [Barred(places, f"not at the required place ({value})")]


DESERT = rule.Rule(
    field="desert",
    kind=rule.choice("any", "centre", "coast", "inland"),
    about=("terrain",),
    asks="the place of deserts",
    says=lambda value: [_DESERT[value]],
    data={
        "board": lambda value, needs, view: {
            "desert_tiles": set(view.tiles(_desert_tiles(value, view.layout)))
        }
    },
    restrict=_no_desert,
)


GOLD_INLAND = rule.Rule(
    field="gold_inland",
    kind=rule.SWITCH,
    about=("terrain",),
    asks="gold is never on the rim of the layout",
    says=lambda _: ["Gold stands away from the rim of the layout."],
    data={"board": lambda on, needs, view: {"gold_inland": on}},
    restrict=lambda _, needs, layout: [
        Barred(frozenset((t, "gold") for t in layout.coast_tiles), "which is on the rim")
    ],
)


# ---- Islands: groups of land tiles that are connected over edges

_MANY = 1000
"""The model's value for no upper bound on the number of islands."""


def _number_of_islands(comparison: str, is_wrong: Callable[[int, int], bool]) -> rule.Checker:
    def violations(bound: int, needs: rule.Needs, board: Board) -> Iterator[Breach]:
        n = len(rule.islands(board))
        if is_wrong(n, bound):
            land = tuple(t for t, name in enumerate(board.terrain) if name != "sea")
            yield f"{amount(n, 'island')}, {comparison} {bound}", land

    return violations


def _there_are(bound: str, number: int) -> list[str]:
    return [f"There {'is' if number == 1 else 'are'} at {bound} {amount(number, 'island')}."]


ISLANDS_MIN = rule.Rule(
    field="islands_min",
    kind=rule.bound(least=1, slider=(1, 8)),
    about=("terrain",),
    asks="minimum number of islands (land tiles connected over edges)",
    says=partial(_there_are, "least"),
    data={"board": lambda least, needs, view: {"islands_min": least or 0}},
    violations=_number_of_islands("fewer than", operator.lt),
    objections=rule.crossed("islands_min", "islands_max"),
)

ISLANDS_MAX = rule.Rule(
    field="islands_max",
    kind=rule.bound(least=1, slider=(1, 8)),
    about=("terrain",),
    asks="maximum number of islands",
    says=partial(_there_are, "most"),
    data={"board": lambda most, needs, view: {"islands_max": _MANY if most is None else most}},
    violations=_number_of_islands("more than", operator.gt),
)


def _too_small(least: int, needs: rule.Needs, board: Board) -> Iterator[Breach]:
    for island in rule.islands(board):
        if len(island) < least:
            size = amount(len(island), "tile")
            yield f"an island of {size}, fewer than {least}, {on_tiles(island)}", island


ISLAND_SIZE = rule.Rule(
    field="island_size_min",
    kind=rule.bound(least=1, slider=(1, 8)),
    about=("terrain",),
    asks="minimum number of tiles of every island",
    says=lambda least: [f"Every island has at least {amount(least, 'tile')}."],
    data={"board": lambda least, needs, view: {"island_size_min": least or 0}},
    violations=_too_small,
)


def _missing_on_main(_on: bool, needs: rule.Needs, board: Board) -> Iterator[Breach]:
    main = max(rule.islands(board), key=len, default=())
    present = {board.terrain[t] for t in main}
    missing = [name for name in RESOURCES if name in board.layout.terrains and name not in present]
    if missing:
        place = f", {on_tiles(main)}," if main else ""
        yield f"the largest island{place} has no {listed(missing)}", main


MAIN_ISLAND = rule.Rule(
    field="main_island_complete",
    kind=rule.SWITCH,
    about=("terrain",),
    asks="the largest island (the first of equally large ones) has every resource of the box",
    says=lambda _: ["The largest island has every resource of the box."],
    data={"board": lambda on, needs, view: {"main_island_complete": on}},
    violations=_missing_on_main,
)
