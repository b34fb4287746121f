"""Count the complete boards of the preset ``optimal`` by a second program.

    python -m benchmarks.verify_counts

It imports nothing of the library. The board is made from coordinates in the plane, and the rules are written
again below. Terrain arrangements are listed tile by tile, and one of each set of symmetric ones is kept. On
each, tokens are placed one by one, the greatest first, and all solutions are visited.

The run takes some minutes on one core. Ctrl-C stops it, and the same command goes on where it stopped. The
result with its time is stored in ``verified_counts.json``.
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any

import numba
import numpy as np

ROWS = (3, 4, 5, 4, 3)
PIECES = {"desert": 1, "brick": 3, "lumber": 4, "ore": 3, "grain": 4, "wool": 4}
TOKENS = np.array([12, 11, 11, 10, 10, 9, 9, 8, 8, 6, 6, 5, 5, 4, 4, 3, 3, 2])
MOST = 22
"""The maximum sum around a vertex of three tiles. A desert counts 7."""
DESERT, BRICK, LUMBER = range(3)

KNOWN = 6_666_123_504
"""The count of the library."""
RESULT = Path(__file__).with_name("verified_counts.json")
STARTED = Path(__file__).with_name("verified_counts.part.json")
"""The state of a run that is not finished."""
CHUNK = 50
"""The number of arrangements between two writes of the state."""

CENTRES = [(2 * i - n + 1, row - 2) for row, n in enumerate(ROWS) for i in range(n)]
"""The centre of each tile, in units of half a tile's width and of the distance of rows."""
TILES = range(len(CENTRES))
EDGES = [
    (a, b)
    for a, b in combinations(TILES, 2)
    if (abs(CENTRES[a][0] - CENTRES[b][0]), abs(CENTRES[a][1] - CENTRES[b][1])) in {(2, 0), (1, 1)}
]
VERTICES = [
    (a, b, c) for a, b, c in combinations(TILES, 3) if {(a, b), (a, c), (b, c)} <= set(EDGES)
]  # of three tiles
NEAR = np.array([sum(1 << b for b in TILES if (min(a, b), max(a, b)) in EDGES) for a in TILES])
"""The neighbors of each tile, as the bits of a number."""
THIRDS = np.array(
    [
        ([(b, c) for v in VERTICES if a in v for b, c in [[t for t in v if t != a]]] + [(-1, -1)] * 6)[:6]
        for a in TILES
    ]
)
"""The two other tiles at each vertex of a tile, then -1."""


def symmetries() -> list[list[int]]:
    """Return the permutations of the tiles by rotations and reflections."""
    turns = []
    for mirror in (1, -1):
        points = [(complex(mirror * x / 2, y * 0.75**0.5)) for x, y in CENTRES]
        for turn in range(6):
            turned = [point * np.exp(1j * np.pi * turn / 3) for point in points]
            turns.append([_tile_at(point) for point in turned])
    return turns


def _tile_at(point: complex) -> int:
    return CENTRES.index((round(2 * point.real), round(point.imag / 0.75**0.5)))


def terrains() -> list[tuple[int, ...]]:
    """Return all terrain arrangements: equal terrains do not touch, nor do brick and lumber."""
    supply, touching = np.array(list(PIECES.values())), np.zeros((len(TILES), len(TILES)), np.bool_)
    for a, b in EDGES:
        touching[a, b] = touching[b, a] = True
    apart = np.eye(len(supply), dtype=np.bool_)
    apart[BRICK, LUMBER] = apart[LUMBER, BRICK] = True
    arrangements = np.zeros((200_000, len(TILES)), np.int8)
    n = fill_terrains(0, np.zeros(len(TILES), np.int8), supply, touching, apart, arrangements, 0)
    return list(map(tuple, arrangements[:n].tolist()))


@numba.njit(cache=True)
def fill_terrains(tile, codes, supply, touching, apart, arrangements, n):  # type: ignore[no-untyped-def]
    """Append the arrangements that begin with the codes of the tiles before one to the first n found."""
    if tile == len(codes):
        arrangements[n] = codes
        return n + 1
    for code in range(len(supply)):
        allowed = supply[code] > 0
        for other in range(tile):
            allowed = allowed and not (touching[other, tile] and apart[code, codes[other]])
        if allowed:
            codes[tile] = code
            supply[code] -= 1
            n = fill_terrains(tile + 1, codes, supply, touching, apart, arrangements, n)
            supply[code] += 1
    return n


def orbits() -> list[tuple[tuple[int, ...], int]]:
    """Return one arrangement of each set of symmetric ones, and the size of the set."""
    moves = [itemgetter(*symmetry) for symmetry in symmetries()]
    sizes = Counter(min(move(terrain) for move in moves) for terrain in terrains())
    return sorted(sizes.items())


@numba.njit(cache=True)
def bits(mask: int) -> int:
    """Return the number of ones of a mask of at most 32 bits."""
    mask -= (mask >> 1) & 0x55555555
    mask = (mask & 0x33333333) + ((mask >> 2) & 0x33333333)
    return (((mask + (mask >> 4) & 0x0F0F0F0F) * 0x01010101) >> 24) & 0xFF


@numba.njit(cache=True)
def lowest(mask: int) -> int:
    """Return the place of the lowest one of a mask."""
    return bits((mask & -mask) - 1)


@numba.njit(cache=True)
def put(tile, number, most, can, value, thirds):  # type: ignore[no-untyped-def]
    """Put a number on a tile, and take from masks the tiles that may then carry less.

    The mask ``can[n]`` has the tiles that may carry n with regard to sums, for n up to *most*.

    Returns:
        The smallest number whose mask has changed, or a larger one than *most*.
    """
    value[tile], least = number, most + 1
    for i in range(6):
        a, b = thirds[tile, i]
        if a < 0:
            break
        if value[a] == 0:
            a, b = b, a
        if value[a] != 0 and value[b] == 0:
            first = max(MOST + 1 - number - value[a], 0)
            for n in range(first, most + 1):
                can[n] &= ~(1 << b)
            least = min(least, first)
    return least


@numba.njit(cache=True)
def fill_low(rest, can, bars):  # type: ignore[no-untyped-def]
    """Return the number of ways to place 5, 5, 4, 4, 3, 3 and 2 on the seven free tiles.

    No sum with these numbers alone is too large, even beside the 12. So the masks ``can`` do not change.
    """
    total, fives = 0, rest & can[5]
    fours, threes, twos = can[4], can[3], can[2]
    while fives:
        a = lowest(fives)
        fives &= fives - 1
        free_fives = fives & ~bars[a]
        while free_fives:
            five = free_fives & -free_fives
            free_fives &= free_fives - 1
            rest_4 = rest & ~(1 << a) & ~five
            first = rest_4 & fours
            while first:
                c = lowest(first)
                first &= first - 1
                second = first & ~bars[c]
                while second:
                    four = second & -second
                    second &= second - 1
                    rest_3 = rest_4 & ~(1 << c) & ~four
                    x, z = lowest(rest_3), rest_3 & (rest_3 - 1)
                    y = lowest(z)
                    z &= z - 1
                    x_3, y_3, z_3 = threes >> x & 1, threes >> y & 1, threes & z != 0
                    total += (x_3 & y_3 & (twos & z != 0)) != 0 and bars[x] >> y & 1 == 0
                    total += (x_3 & z_3 & (twos >> y & 1)) != 0 and bars[x] & z == 0
                    total += (y_3 & z_3 & (twos >> x & 1)) != 0 and bars[y] & z == 0
    return total


@numba.njit(cache=True)
def fill(token, rest, above, reds, value, can, bars, thirds, tokens):  # type: ignore[no-untyped-def]
    """Return the number of ways to place the tokens from one on.

    Args:
        token: the index of the token to place.
        rest: the free tiles.
        above: the tiles for a token whose equal was placed before, so that each pair comes once.
        reds: the tiles that placed 6s and 8s rule out for other ones.
        value: the number of each tile, 7 for a desert, 0 for a free tile.
        can: see `put`; row *token* counts.
        bars: the tiles that a number on a tile rules out for the same number.
        thirds: `THIRDS`.
        tokens: `TOKENS`.
    """
    number = tokens[token]
    if number == 5:
        return fill_low(rest, can[token], bars)
    is_red, is_first = number == 6 or number == 8, tokens[token + 1] == number
    tiles = rest & can[token, number]
    if token > 0 and tokens[token - 1] == number:
        tiles &= above
    elif is_red:
        tiles &= ~reds
    total = 0
    while tiles:
        a = lowest(tiles)
        tiles &= tiles - 1
        above = tiles & ~bars[a]
        if is_first and above == 0:
            continue
        below, more = rest & ~(1 << a), reds | bars[a] if is_red else reds
        if number == 8 and bits(below & ~more & can[token, 6]) < 2:
            continue  # There is no place for the 6s.
        for n in range(number + 1):
            can[token + 1, n] = can[token, n]
        least = put(a, number, number, can[token + 1], value, thirds)
        # The tiles that may carry a number or a greater one must suffice for the tokens that are left.
        enough = True
        for last in range(token + 1, len(tokens)):
            if tokens[last] < least or not enough:
                break
            if last + 1 == len(tokens) or tokens[last + 1] != tokens[last]:
                enough = bits(below & can[token + 1, tokens[last]]) >= last - token
        if enough:
            total += fill(token + 1, below, above, more, value, can, bars, thirds, tokens)
        value[a] = 0
    return total


def count_on(terrain: Sequence[int]) -> int:
    """Return the number of ways to place all numbers on a terrain arrangement."""
    same = [sum(1 << b for b in TILES if terrain[b] == terrain[a]) for a in TILES]
    free = sum(1 << a for a in TILES if terrain[a] != DESERT)
    value, can = np.zeros(len(TILES), int), np.full((len(TOKENS) + 1, 13), free)
    for tile in TILES:
        if terrain[tile] == DESERT:
            put(tile, 7, 12, can[0], value, THIRDS)
    return int(fill(0, free, free, 0, value, can, NEAR | same, THIRDS, TOKENS))


def main() -> None:
    """Count on one arrangement of each set of symmetric ones, and store the sum with its time."""
    version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    state: dict[str, Any] = {"version": version, "done": 0, "boards": 0, "processor_seconds": 0.0}
    if STARTED.exists() and (stored := json.loads(STARTED.read_text()))["version"] == version:
        state = stored
    start = time.process_time() - state["processor_seconds"]
    arrangements = orbits()
    try:
        for place in range(state["done"], len(arrangements), CHUNK):
            chunk = arrangements[place : place + CHUNK]
            state["boards"] += sum(size * count_on(terrain) for terrain, size in chunk)
            state["done"] = place + len(chunk)
            state["processor_seconds"] = round(time.process_time() - start, 1)
            beside = STARTED.with_suffix(".tmp")
            beside.write_text(json.dumps(state))
            beside.replace(STARTED)
            print(f"\r{state['done']:,} of {len(arrangements):,} terrains", end="", flush=True)
    except KeyboardInterrupt:
        print(f"\nstopped after {state['done']:,} terrains; the same command goes on there")
        raise SystemExit(130) from None
    result = {
        "boards": state["boards"],
        "terrains": sum(size for _, size in arrangements),
        "terrains_up_to_symmetry": len(arrangements),
        "processor_seconds": state["processor_seconds"],
        "date": time.strftime("%Y-%m-%d"),
    }
    RESULT.write_text(json.dumps(result, indent=2) + "\n")
    STARTED.unlink()
    print(f"\n{result['boards']:,} boards in {result['processor_seconds']:,.0f} s of processor time")
    if result["boards"] != KNOWN:
        raise SystemExit(f"the library counts {KNOWN:,} boards; one of the programs is wrong")


if __name__ == "__main__":
    main()
