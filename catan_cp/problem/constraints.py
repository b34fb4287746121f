"""Custom constraints on the terrain of few tiles, as tables.

MiniZinc evaluates such a constraint once, without any other rule. The table has the combinations of terrains
that it allows.
"""

import re
from typing import Any

from catan_cp.boards.layout import Layout
from catan_cp.clock import Clock
from catan_cp.errors import CatanError, SolverTimeout
from catan_cp.rules.constraint import FUNCTIONS, GLOBALS, Constraint, join_constraints, terrain_words
from catan_cp.rules.restrictions import AllowedTerrains

MOST_TILES = 3
"""The maximum number of tiles of a table."""

_SECONDS = 60.0
"""The time limit of an evaluation."""

_TERRAIN_AT = re.compile(r"\bterrain\b(?: \[ (\d+) \])?")
"""The number of a tile whose terrain a text names, empty for another expression."""


def named_tiles(constraint: Constraint, layout: Layout) -> tuple[int, ...]:
    """Return the tiles on whose terrain alone a constraint depends, or none if there are more than three.

    None are returned too if the text names other arrays or variables of the models, or a tile by another
    expression than its number.
    """
    known = {"terrain", *terrain_words(layout.terrain_codes), *FUNCTIONS, *GLOBALS}
    text = " ".join(token.text for token in constraint.tokens)
    numbers = {int(index) if index else 0 for index in _TERRAIN_AT.findall(text)}
    is_known = constraint.names <= known and not constraint.has_variables
    fits = len(numbers) <= MOST_TILES and numbers <= set(range(1, layout.n_tiles + 1))
    return tuple(number - 1 for number in sorted(numbers)) if is_known and fits else ()


def allowed_terrains(constraint: Constraint, layout: Layout, clock: Clock) -> AllowedTerrains | None:
    """Return the terrains that a constraint allows on its `named_tiles`.

    The result is None if it names none, or if MiniZinc cannot evaluate it.

    Raises:
        SolverTimeout: the time limit passed.
    """
    from catan_cp.anymodel.count import all_solutions  # loads the minizinc package

    if not (tiles := named_tiles(constraint, layout)):
        return None
    joined = join_constraints([constraint], {}, layout.terrain_codes)
    names = {code: name for name, code in layout.terrain_codes.items()}
    text = (
        f"array[1..{layout.n_tiles}] of var 1..{max(names)}: terrain;\n"
        f"constraint forall(t in index_set(terrain) where not (t - 1 in {set(tiles)}))(terrain[t] = 1);\n"
    )
    try:
        solutions: list[dict[str, Any]] = all_solutions(
            text + joined.text, ["terrain"], clock.at_most(_SECONDS)
        )
    except SolverTimeout:
        clock.left()  # raises if the time limit of the caller passed
        return None
    except CatanError:  # An error in the text is reported with its place when the models are compiled.
        return None
    rows = frozenset(tuple(names[row["terrain"][tile]] for tile in tiles) for row in solutions)
    return AllowedTerrains(tiles, rows, f"the board breaks {str(constraint)!r}")
