"""Rules in plain English: what `Rules.explain` says."""

from __future__ import annotations

from collections.abc import Iterator

from catan_cp.rules.rules import EVERY, Rules, TerrainPips

_DESERT = {
    "centre": "Deserts stand on the tiles nearest the centre.",
    "coast": "Deserts stand on the rim of the layout.",
    "inland": "Deserts stand away from the rim of the layout.",
}
_SYMMETRY = {
    "corners": "By terrain code, the first tile is less than the last tile of the middle row, "
    "and that is less than the first tile of the last row.",
    "distinct": "Of the boards that rotations and mirrors turn into each other, only the first one counts.",
}
_HARBORS = {
    "printed": "The harbors are those printed on the frame.",
    "shuffled": "The harbors stand where the frame prints them, with their trades dealt anew.",
}

_TOUCHING = ("terrain_cluster_max", "reds_apart", "equal_markers_apart", "two_twelve_apart")
"""The fields that speak of tiles that touch, in the sense of the field adjacency."""


def sentences(rules: Rules) -> list[str]:
    """Return one sentence a rule that is set, in the order of the fields; one alone where none is."""
    found = [*_adjacency(rules), *_terrain(rules), *_markers(rules), *_harbors(rules)]
    return found or ["Everything is allowed."]


def _adjacency(rules: Rules) -> Iterator[str]:
    if rules.adjacency == "block" and any(getattr(rules, field) for field in _TOUCHING):
        yield 'Tiles touch that share an edge, or stand in a 2 by 2 block of the "Optimal Catan" array.'


def _terrain(rules: Rules) -> Iterator[str]:
    most = rules.terrain_cluster_max
    if most == 1:
        yield "No two tiles of one terrain touch (sea and desert may)."
    elif most is not None:
        yield f"At most {most} tiles of one terrain touch in one group (of sea and desert any number may)."
    for a, b in rules.apart:
        yield (
            f"{a.capitalize()} shares no edge with {b}." if a != b else f"No two tiles of {a} share an edge."
        )
    if rules.symmetry in _SYMMETRY:
        yield _SYMMETRY[rules.symmetry]
    if rules.desert in _DESERT:
        yield _DESERT[rules.desert]


def _markers(rules: Rules) -> Iterator[str]:
    if rules.reds_apart:
        yield "No two reds (6 and 8) touch."
    if rules.equal_markers_apart:
        yield "No two equal markers touch."
    if rules.two_twelve_apart:
        yield "No two of the markers 2 and 12 touch."
    if rules.markers_distinct_per_terrain:
        yield "The markers on one terrain all differ."
    if rules.reds_per_terrain_max is not None:
        yield f"Each terrain has at most {_amount(rules.reds_per_terrain_max, 'red marker')}."
    if rules.vertex_sum_below is not None:
        sum_below = f"the markers sum to less than {rules.vertex_sum_below}"
        yield f"At every vertex of three land tiles {sum_below} (a desert counts 7)."
    if rules.vertex_pips_min is not None:
        yield f"Every vertex of three land tiles has at least {_amount(rules.vertex_pips_min, 'pip')}."
    if rules.vertex_pips_max is not None:
        yield f"Every vertex of three land tiles has at most {_amount(rules.vertex_pips_max, 'pip')}."
    yield from _pips("at least", rules.terrain_pips_min)
    yield from _pips("at most", rules.terrain_pips_max)
    if rules.marker_order == "spiral":
        way = "from a corner, counter-clockwise inwards, deserts skipped"
        yield f"The markers follow the rule book's order, {way}."


def _pips(how: str, bounds: TerrainPips) -> Iterator[str]:
    named = [name for name, _ in bounds if name != EVERY]
    for name, value in bounds:
        who = name.capitalize() if name != EVERY else "Each other terrain" if named else "Each terrain"
        yield f"{who} has {how} {_amount(value, 'pip')} in all."


def _amount(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _harbors(rules: Rules) -> Iterator[str]:
    if rules.harbors in _HARBORS:
        yield _HARBORS[rules.harbors]
    if rules.harbor_own_terrain_apart:
        yield "No 2:1 harbor's vertices touch a tile of its own terrain."
