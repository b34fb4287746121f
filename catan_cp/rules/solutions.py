"""What solutions of the models are like: dealt from a box, and in which order the models branch on them.

A solver that prints anything else is not believed, and solutions that come out of order are noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from catan_cp.boards.layout import Layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Fits = Callable[["NDArray[np.int64]"], bool]
"""What tells whether solutions are dealt from a box."""


def fits_terrain(layout: Layout) -> Fits:
    """Return what tells whether terrains are dealt from the box."""
    codes = [layout.terrain_codes[name] for name in layout.terrains]
    pieces = [0, *(layout.terrain_counts.get(name, 0) for name in layout.all_terrains)]
    return dealt([codes] * layout.n_tiles, pieces)


def fits_markers(layout: Layout, bare: Sequence[bool]) -> Fits:
    """Return what tells whether markers are dealt from the box; *bare* says which tiles have none."""
    supply = [layout.marker_supply.get(marker, 0) for marker in range(2, 13)]
    choices = [[0] if each else layout.marker_supply for each in bare]
    return dealt(choices, [sum(bare), 0, *supply])


def fits_harbors(data: Mapping[str, Any]) -> Fits:
    """Return what tells whether trades are dealt from the box, by a model's data."""
    places = data["trade_choices"]
    return dealt(places, [*data["trades"], len(places) - sum(data["trades"])])


def fits_board(layout: Layout, dealt_harbors: Fits, n_harbors: int, solutions: NDArray[np.int64]) -> bool:
    """Tell whether complete boards are dealt from the box; each terrain says which tiles have a marker."""
    n = layout.n_tiles
    if solutions.shape[1] != 2 * n + n_harbors:
        return False
    return (
        fits_terrain(layout)(solutions[:, :n].copy())
        and all(
            fits_markers(layout, without_marker(layout, row[:n].tolist()))(row[None, n : 2 * n].copy())
            for row in solutions
        )
        and (not n_harbors or dealt_harbors(solutions[:, 2 * n :].copy()))
    )


def dealt(choices: Sequence[Iterable[int]], pieces: Sequence[int]) -> Fits:
    """Return what tells whether solutions are dealt from a box.

    Args:
        choices: what each number of a solution may be.
        pieces: how often each number, from 0, may be in one solution.
    """
    import numpy as np

    allowed = np.zeros((len(choices), len(pieces)), dtype=bool)
    for row, each in zip(allowed, choices, strict=True):
        row[list(each)] = True
    return partial(_fits, allowed, np.array(pieces))


def _fits(allowed: NDArray[np.bool_], pieces: NDArray[np.int64], solutions: NDArray[np.int64]) -> bool:
    import numpy as np

    n, wide = allowed.shape
    highest = solutions.view(np.uint64).max(initial=0)  # where less than 0 is much, too
    if solutions.shape[1] != n or highest >= wide:
        return False
    if not allowed.ravel().take(solutions + np.arange(0, n * wide, wide)).all():
        return False
    places = solutions + np.arange(0, len(solutions) * wide, wide)[:, None]
    counts = np.bincount(places.ravel(), minlength=len(solutions) * wide).reshape(-1, wide)
    return bool((counts <= pieces).all())


def slots(data: Mapping[str, Any], bare: Sequence[bool], markers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return, per row of *markers*, where each token is: what ``solve_markers.mzn`` branches on in order.

    Both arrays have one row a solution; tokens that are left over (or a lone one where there is none) count
    as behind the last tile. *bare* says which tiles have no marker.
    """
    import numpy as np

    tiles = [t for t, each in enumerate(bare) if not each]
    supply = data["supply"]
    first, total = [], 0
    for counts in supply:  # tokens are in order of their groups, and in each from 12 downwards
        first.append([0, 0, *(total + sum(counts[number + 1 :]) for number in range(len(counts)))])
        total += sum(counts)
    firsts = np.array(first)
    places = np.full((len(markers), max(1, total)), len(tiles), dtype=np.int32)
    used = np.zeros((len(markers), *firsts.shape), dtype=np.int32)
    rows = np.arange(len(markers))
    for place, tile in enumerate(tiles):
        marker, group = markers[:, tile], data["marker_group"][tile] - 1
        places[rows, firsts[group][marker] + used[rows, group, marker]] = place
        used[rows, group, marker] += 1
    return places


def joint_branching(
    layout: Layout, data: Mapping[str, Any], solutions: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return what ``joint.mzn`` branches on in order: terrain, slots and trades, a row a solution."""
    import numpy as np

    n = layout.n_tiles
    rows = [
        np.hstack(
            [
                row[:n],
                slots(data, without_marker(layout, row[:n].tolist()), row[None, n : 2 * n])[0],
                row[2 * n :],
            ]
        )
        for row in solutions
    ]
    return np.array(rows, dtype=np.int32)


def bare_codes(layout: Layout) -> set[int]:
    """Return the codes of the terrains that carry no marker."""
    return {layout.terrain_codes[name] for name in layout.unnumbered}


def without_marker(layout: Layout, codes: Sequence[int]) -> list[bool]:
    """Return, per tile, whether it carries no marker."""
    bare = bare_codes(layout)
    return [code in bare or t in layout.unmarked for t, code in enumerate(codes)]
