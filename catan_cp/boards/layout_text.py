"""Write layouts as the TOML files that `catan_cp.boards.layout_files` reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.hexagons import CORNERS, Pair, Point
from catan_cp.boards.layout import Layout
from catan_cp.boards.layout_files import CORNER_NAMES, SIDE_NAMES, read_layout
from catan_cp.boards.pieces import TERRAIN_LETTER


def write_layout(layout: Layout) -> str:
    """Return the text of a file that is read back as *layout*.

    Raises:
        InvalidBoard: the layout's beginner board is no board of it.
    """
    beginner = Board.from_notation(layout.beginner_board, layout) if layout.beginner_board else None
    harbors, grounds = _harbors_drawn(layout, beginner), _grounds_drawn(layout, beginner)
    extra: dict[str, Any] = {}
    if [edge for _, edge in sorted(harbors)] != [h.vertices for h in layout.printed_harbors]:
        harbors = []
        extra["harbors"] = [_listed_harbor(layout, h.vertices, h.trade) for h in layout.printed_harbors]
    on_sea = {spot for spot, _ in harbors}
    if [n for _, n in sorted(grounds)] != list(range(len(layout.fishing_grounds))) or on_sea & {
        spot for spot, _ in grounds
    }:
        grounds = []
        extra["fishing_grounds"] = [
            "-".join(map(str, g.vertices)) + f"={g.marker}{'*' * g.movable}" for g in layout.fishing_grounds
        ]
    words = _words(layout, beginner)
    for spot, edge in harbors:
        words[_centre(spot)] += _harbor_word(layout, _centre(spot), edge)
    for spot, number in grounds:
        words[_centre(spot)] += _ground_word(layout, _centre(spot), number)
    groups = layout.terrain_group or (0,) * layout.n_tiles
    for t, group in enumerate(groups):
        words[layout.tiles[t]] += f":{group}" if group else ""
        marker_group = layout.marker_group[t] if layout.marker_group else group
        words[layout.tiles[t]] += f";{marker_group}" if marker_group != group else ""
    text = _file(layout, words, extra | _pieces(layout, beginner))
    again = read_layout(text, layout.name, layout.name, built_in=layout.is_built_in)
    if again.beginner_board != layout.beginner_board:
        text = _file(layout, words, extra | _pieces(layout, beginner) | {"beginner": layout.beginner_board})
    return text


# The drawing


def _words(layout: Layout, beginner: Board | None) -> dict[Point, str]:
    """What stands at each hexagon, without harbors and groups."""
    letter = {name: key for key, name in layout.letters.items()}
    words = dict.fromkeys(layout.sea_frame, "~")
    for t, centre in enumerate(layout.tiles):
        word = letter[beginner.terrain[t]] if beginner else "x"
        if t in layout.fixed_terrain:
            word = letter[layout.fixed_terrain[t]].upper()
        marker = beginner.markers[t] if beginner else None
        marker = layout.fixed_markers.get(t, marker)
        if t in layout.unmarked:
            word += "0"
        elif marker is not None:
            word += str(marker)
            word += f"+{layout.second_marker[marker]}" if marker in layout.second_marker else ""
            word += "!" if t in layout.fixed_markers else ""
        words[centre] = word
    return words


def _file(layout: Layout, words: Mapping[Point, str], tables: Mapping[str, Any]) -> str:
    rows: dict[int, list[Point]] = {}
    for centre in words:
        rows.setdefault(centre[1] // 3, []).append(centre)
    lines = [sorted(rows.get(y, [])) for y in range(min(rows), max(rows) + 1)]
    columns = next(n for n in range(2, 10) if all(_fits(line, words, n) for line in lines))
    left = min(x for x, _ in words)
    drawn = []
    for line in lines:
        text = ""
        for x, y in line:
            text = text.ljust((x - left) * columns) + words[x, y]
        drawn.append(text)
    said: dict[str, Any] = {"title": layout.title} if layout.title else {}
    said |= {"remarks": layout.remarks} if layout.remarks else {}
    said |= {"sideways": True} if layout.sideways else {}
    said |= {"columns": columns} if columns != 2 else {}
    said |= {key: value for key, value in tables.items() if not isinstance(value, Mapping)}
    said |= {"spiral_order": list(layout.spiral_order)} if layout.spiral_order else {}
    for key in ("inland", "settle", "rivers", "spinning"):
        said |= {key: sorted(getattr(layout, key))} if getattr(layout, key) else {}
    whole = [f"{key} = {_value(value)}" for key, value in said.items()]
    whole += ["board = '''", *drawn, "'''"]
    further = {
        "terrains": layout.further_terrains,
        "second_markers": {
            m: n for m, n in layout.second_marker.items() if f"{m}+{n}" not in "".join(words.values())
        },
        "marker_pips_min": layout.terrain_marker_pips_min,
        "marker_pips_max": layout.terrain_marker_pips_max,
        "pips_max": layout.pips_max,
        "turned": layout.turned,
        "target_efficiency": layout.target_efficiency,
    }
    tables = {key: value for key, value in tables.items() if isinstance(value, Mapping)}
    for key, table in (tables | further).items():
        if table:
            whole += ["", f"[{key}]", *(f"{name} = {_value(value)}" for name, value in table.items())]
    return "\n".join(whole) + "\n"


def _fits(line: Sequence[Point], words: Mapping[Point, str], columns: int) -> bool:
    return all(len(words[a]) < (b[0] - a[0]) * columns for a, b in pairwise(line))


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# Pieces


def _pieces(layout: Layout, beginner: Board | None) -> dict[str, Any]:
    """The tables of pieces and markers, of those groups whose pieces are not those drawn."""
    found: dict[str, Any] = {}
    for pool in layout.terrain_pools:
        drawn = Counter(beginner.terrain[t] for t in pool.tiles) if beginner else Counter[str]()
        if drawn != Counter(pool.pieces):
            found[f"pieces.{pool.number}" if pool.number else "pieces"] = dict(pool.pieces)
    for pool in layout.marker_pools:
        here = [beginner.markers[t] for t in pool.tiles] if beginner else []
        if Counter(m for m in here if m is not None) != Counter(pool.pieces):
            found[f"markers.{pool.number}" if pool.number else "markers"] = dict(pool.pieces)
    return found


# Coasts


def _centre(spot: Point) -> Point:
    return spot[1], spot[0]


def _harbors_drawn(layout: Layout, beginner: Board | None) -> list[tuple[Point, Pair]]:
    """Where harbors can be drawn: (y, x) of a hexagon of sea, and the edge; each on one of its own."""
    found: list[tuple[Point, Pair]] = []
    for harbor in layout.printed_harbors:
        a, b = (layout.vertices[v] for v in harbor.vertices)
        for t in layout.edge_tiles[harbor.vertices]:
            x, y = layout.tiles[t]
            across = a[0] + b[0] - x, a[1] + b[1] - y
            sea = beginner is not None and beginner.terrain[t] == "sea"
            if across in layout.sea_frame:
                found.append(((across[1], across[0]), harbor.vertices))
            elif sea:
                found.append(((y, x), harbor.vertices))
    if len({spot for spot, _ in found}) < len(found):
        return []
    return found


def _grounds_drawn(layout: Layout, beginner: Board | None) -> list[tuple[Point, int]]:
    """Where fishing grounds can be drawn: (y, x) of a hexagon of sea with their corners, and which."""
    moving = [] if beginner is None else zip(layout.tiles, beginner.terrain, strict=True)
    sea = {*layout.sea_frame, *(centre for centre, name in moving if name == "sea")}
    found = []
    for number, ground in enumerate(layout.fishing_grounds):
        points = [layout.vertices[v] for v in ground.vertices]
        for i, (dx, dy) in enumerate(CORNERS):
            x, y = points[1][0] - dx, points[1][1] - dy
            around = [CORNERS[(i + step) % 6] for step in (-1, 0, 1)]
            if points == [(x + cx, y + cy) for cx, cy in around] and (x, y) in sea:
                found.append(((y, x), number))
    return found


def _kind(layout: Layout, edge: Pair) -> str:
    return "!" if edge in layout.fixed_harbors else "*" if edge in layout.movable_harbors else ""


def _trade_letter(trade: str) -> str:
    return "3" if trade == "3:1" else TERRAIN_LETTER[trade]


def _listed_harbor(layout: Layout, edge: Pair, trade: str) -> str:
    return f"{edge[0]}-{edge[1]}={_trade_letter(trade)}{_kind(layout, edge)}"


def _harbor_word(layout: Layout, centre: Point, edge: Pair) -> str:
    ends = [_corner_number(layout, centre, v) for v in edge]
    side = next(side for side in range(6) if {side, (side + 1) % 6} == set(ends))
    trade = next(h.trade for h in layout.printed_harbors if h.vertices == edge)
    return f"{_trade_letter(trade)}{SIDE_NAMES[side]}{_kind(layout, edge)}"


def _ground_word(layout: Layout, centre: Point, number: int) -> str:
    ground = layout.fishing_grounds[number]
    corner = CORNER_NAMES[_corner_number(layout, centre, ground.vertices[1])]
    return f"f{ground.marker}{corner}{'*' * ground.movable}"


def _corner_number(layout: Layout, centre: Point, vertex: int) -> int:
    x, y = layout.vertices[vertex]
    return CORNERS.index((x - centre[0], y - centre[1]))
