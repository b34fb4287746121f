"""Let three chains choose the crossings for two shops each on a street grid.

    python examples/street_shops.py [CHAINS]

A chain wants to reach as many people as possible. A household within three blocks visits a shop: all of it
from one block, half from two and a third from three. Shops less than three blocks apart are not allowed.
"""

import sys
from fractions import Fraction

from catan_cp.placement import solve_draft

HOUSEHOLDS = (  # at each crossing
    (2, 3, 5, 2, 1, 4),
    (1, 6, 9, 4, 2, 3),
    (3, 4, 7, 8, 5, 1),
    (2, 2, 5, 9, 6, 2),
    (4, 1, 3, 4, 7, 3),
    (5, 2, 1, 2, 3, 6),
)
CROSSINGS = [(row, column) for row, line in enumerate(HOUSEHOLDS) for column in range(len(line))]
SHARES = {0: Fraction(1), 1: Fraction(1), 2: Fraction(1, 2), 3: Fraction(1, 3)}


def blocks(a, b):
    """Return the number of blocks between two crossings."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def reach(*shops):
    """Return the number of households that visit at least the nearest of some shops."""
    return sum(
        HOUSEHOLDS[row][column] * max(SHARES.get(blocks((row, column), shop), Fraction(0)) for shop in shops)
        for row, column in CROSSINGS
    )


def solve(chains):
    """Return the draft of some chains."""
    values = [[reach(a, b) for b in CROSSINGS] for a in CROSSINGS]
    conflicts = [
        (i, j) for i, a in enumerate(CROSSINGS) for j, b in enumerate(CROSSINGS[:i]) if blocks(a, b) < 3
    ]
    return solve_draft(values, conflicts, chains)


def show(draft):
    """Return the grid as text: households per crossing, or the letter of the chain with a shop."""
    owner = {site: "ABCDEF"[chain - 1] for chain, site in draft.order}
    width = len(HOUSEHOLDS[0])
    cells = [owner.get(site, str(HOUSEHOLDS[row][column])) for site, (row, column) in enumerate(CROSSINGS)]
    rows = ("---".join(cells[start : start + width]) for start in range(0, len(cells), width))
    return ("\n" + "   ".join("|" * width) + "\n").join(rows)


def main():
    """Print the grid and the reach of each chain."""
    draft = solve(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    print(show(draft))
    for chain, ((first, second), value) in enumerate(zip(draft.sites, draft.values, strict=True)):
        places = " and ".join(f"{CROSSINGS[site]}" for site in (first, second))
        print(f"chain {'ABCDEF'[chain]}: {places} reach {float(value):.1f} households")
    print("Other choices were as good." if draft.tied else "No other choice was as good.")


if __name__ == "__main__":
    main()
