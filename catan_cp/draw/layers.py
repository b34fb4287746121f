"""Layers of a board's picture: water, tiles, harbors, settlements, heat maps, numbers and rings.

`paint` plots the content of a picture, with one function per layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, cos, floor, hypot, isnan, log10, pi, sin
from typing import TYPE_CHECKING

from catan_cp.boards.board import Board
from catan_cp.boards.pieces import REDS, TERRAINS, FishingGround
from catan_cp.draw import shapes, style
from catan_cp.draw.content import (
    CAP,
    DISC,
    FRAME_RIM,
    GAP,
    HARBOR,
    RIM,
    ROW,
    SIGN,
    Content,
    entry_width,
    row_width,
)  # fmt: skip
from catan_cp.draw.glyphs import text_width
from catan_cp.draw.shapes import XY, Box, hexagon, moved, places

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from catan_cp.draw.svg import Surface

Scene = Iterable[tuple[str, tuple[Sequence[XY], ...]]]
"""Layers of motifs: a tone and outlines."""

_HOUSE = 0.23
_SHALLOW = 0.24  # the width of the shallow water along the coast
_SPOT, _DOT = 0.24, 0.13
_LABELLED = 10
_STRIPS = 64  # of the colour bar
_BAR = 1.7  # the width of the colour bar with its values


def paint(ax: Axes, content: Content, theme: style.Theme, window: Box | None = None) -> None:
    """Plot the content on axes, all of it or the part in *window*."""
    from catan_cp.draw.picture import Canvas

    paint_layers(Canvas.on(ax, theme, window or content.whole), content)


def paint_layers(canvas: Surface, content: Content) -> None:
    """Plot the content on a canvas."""
    for plot in (
        plot_water, plot_tiles, plot_patterns, plot_rivers, plot_names, plot_markers, plot_letters,
        plot_fishing_grounds, plot_harbors, plot_roads, plot_ghosts, plot_settlements, plot_key, plot_rings,
        plot_arrows,
    ):  # fmt: skip
        plot(canvas, content)
    plot_numbers(canvas, content, plot_heat(canvas, content))


# The water


def plot_water(canvas: Surface, content: Content) -> None:
    """Plot the water around the tiles, in the shape of the frame if the layout has one.

    A frame's shape is the union of discs around all points of the triangles between centres of neighboring
    hexagons. Plotting these triangles with a wide rounded outline covers it, so no union of polygons is
    computed.
    """
    theme, layout = canvas.theme, content.board.layout
    tiles = [hexagon(centre, flat=layout.sideways) for centre in content.centres]
    shapes_and_rims = [(tiles, content.rim)]
    if content.is_framed:
        triangles = [places(shape, layout) for shape in shapes.frame_shapes(layout)]
        shapes_and_rims = [(triangles, FRAME_RIM), (tiles, RIM)]
    for color, margin in ((theme.frame_edge, 0.02), (theme.frame, -0.02)):
        for parts, rim in shapes_and_rims:
            canvas.union(parts, color, "frame", 2 * (rim + margin))


# The tiles


def plot_tiles(canvas: Surface, content: Content) -> None:
    """Plot a hexagon per tile: the sea first, then shallow water and beaches, then the land on them."""
    theme, flat, fills = canvas.theme, content.board.layout.sideways, content.fills(canvas.theme)
    sea, land = content.sea_and_land
    outlines = [hexagon(content.centres[t], 0.98, flat=flat) for t in sea]
    canvas.polygons(outlines, [fills[t] for t in sea], "sea", theme.sea_edge, width=0.03)
    islands = [hexagon(content.centres[t], flat=flat) for t in land]
    if theme.shallow != theme.frame:
        canvas.union(islands, style.blend(theme.frame, theme.shallow, 0.45), "shallow", 2 * (_SHALLOW + 0.13))
        canvas.union(islands, theme.shallow, "shallow", 2 * _SHALLOW)
    canvas.union(islands, theme.coast, "coast", 0.03 if theme.greys else 0.15)
    outlines = [hexagon(content.centres[t], 0.96, flat=flat) for t in land]
    canvas.polygons(outlines, [fills[t] for t in land], "land")


def plot_patterns(canvas: Surface, content: Content) -> None:
    """Plot the motifs of each terrain around the middle of its tiles."""
    if not content.has_patterns(canvas.theme):
        return
    by_terrain: dict[str, list[XY]] = {}
    for centre, name in zip(content.centres, content.board.terrain, strict=True):
        by_terrain.setdefault(name, []).append(centre)
    for name, centres in by_terrain.items():
        _plot_scene(canvas, content, name, centres, style.scene(name, content.board.layout.sideways))
    tiles = zip(content.centres, content.board.terrain, content.board.markers, strict=True)
    for centre, name, marker in tiles:
        if marker is None and name in TERRAINS and name != "sea" and not content.letters:
            _plot_scene(canvas, content, name, [centre], style.icon(name, 1.9))


def _plot_scene(
    canvas: Surface,
    content: Content,
    terrain: str,
    centres: Sequence[XY],
    layers: Scene,
    gid: str = "patterns",
) -> None:
    theme, fill = canvas.theme, content.fill(terrain, canvas.theme)
    for tone, outlines in layers:
        ink, line = style.tone_color(theme, fill, tone), style.tone_color(theme, fill, "line")
        if tone == "line":
            canvas.stamps(outlines, centres, "none", gid, ink, width=0.028, closed=False)
        elif theme.greys:
            canvas.stamps(outlines, centres, ink, gid, line, width=0.018)
        else:
            canvas.stamps(outlines, centres, ink, gid)


def plot_rivers(canvas: Surface, content: Content) -> None:
    """Plot each river as a band from tile to tile, from its source to the swamp at its mouth."""
    layout, mouths = content.board.layout, shapes.river_mouths(content.board.layout)
    wet = layout.rivers.union(t for t, name in enumerate(content.board.terrain) if name in mouths)
    steps = [(a, b) for a, b in shapes.river_steps(layout) if {a, b} <= wet]
    bands = [_meander(content.centres[a], content.centres[b]) for a, b in steps]
    water = style.terrain_color(canvas.theme, "lake")
    for color, width in ((style.blend(water, canvas.theme.number, 0.5), 0.26), (water, 0.2)):
        canvas.strokes(bands, [color], width, "rivers", capstyle="round", joinstyle="round")


def _meander(start: XY, end: XY) -> list[XY]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    bends = ((i / 24, 0.06 * sin(2 * pi * i / 24)) for i in range(25))
    return [(start[0] + dx * t - dy * bend, start[1] + dy * t + dx * bend) for t, bend in bends]


def plot_names(canvas: Surface, content: Content) -> None:
    """Write the names of the layout's further terrains, such as a castle, on clear bands."""
    words, bands, fills = [], [], []
    for (x, y), name in zip(content.centres, content.board.terrain, strict=True):
        parts = [] if name in TERRAINS else name.split("-")
        for row, word in enumerate(parts):
            spot = (x, y + 0.13 * (len(parts) - 1) - 0.26 * row)
            cap = min(0.17, 0.17 * 1.35 / text_width(word, 0.17))
            reach = text_width(word, cap) / 2 + 0.08
            words.append((word, spot, cap))
            bands.append(shapes.bar((x - reach, spot[1]), (x + reach, spot[1]), 0.3))
            fills.append(content.fill(name, canvas.theme))
    canvas.polygons(bands, fills, "clear")
    canvas.words(words, [style.ink_on(fill) for fill in fills], "names")


def plot_markers(canvas: Surface, content: Content) -> None:
    """Plot the markers: discs with one or two numbers and the pips below, 6 and 8 in red."""
    layout, theme = content.board.layout, canvas.theme
    numbered = [
        (spot, marker, theme.red if REDS.intersection(layout.numbers_of(marker)) else theme.number)
        for spot, marker in zip(content.centres, content.board.markers, strict=True)
        if marker is not None
    ]
    if not theme.greys:
        shadows = [
            style.blend(fill, style.BLACK, 0.3)
            for fill, marker in zip(content.fills(theme), content.board.markers, strict=True)
            if marker is not None
        ]
        canvas.discs([(x, y - 0.03) for (x, y), *_ in numbered], DISC + 0.012, shadows, "shadows")
    canvas.discs([spot for spot, *_ in numbered], DISC, [theme.disc], "discs", theme.disc_edge, width=0.022)
    if theme.greys:  # a second ring instead of red ink
        reds = [spot for spot, _, ink in numbered if ink == theme.red]
        canvas.discs(reds, DISC - 0.06, [theme.disc], "rings", theme.red, width=0.03)
    numbers, dots = [], []
    for (x, y), marker, ink in numbered:
        if second := layout.second_marker.get(marker):
            numbers.append((f"{marker}/{second}", (x, y + 0.08), 0.22))
        else:
            numbers.append((str(marker), (x, y + 0.07), 0.33))
        n = layout.marker_pips(marker)
        step = min(0.1, 0.56 / n)
        dots += [((x + step * (i - (n - 1) / 2), y - 0.225), ink) for i in range(n)]
    canvas.words(numbers, [ink for *_, ink in numbered], "numbers")
    canvas.discs([dot for dot, _ in dots], 0.036, [ink for _, ink in dots], "pips")


def plot_letters(canvas: Surface, content: Content) -> None:
    """Write each terrain's letter above its marker or name, or else in the middle."""
    if not content.letters:
        return
    board, fills = content.board, content.fills(canvas.theme)
    letters = [
        (content.letter(name), (x, y), 0.34)
        if marker is None and name in TERRAINS
        else (content.letter(name), (x, y + 0.62), 0.2)
        for (x, y), name, marker in zip(content.centres, board.terrain, board.markers, strict=True)
    ]
    canvas.polygons([hexagon(spot, 0.85 * cap) for _, spot, cap in letters], fills, "clear")
    canvas.words(letters, [style.ink_on(fill) for fill in fills], "letters")


# Fishing grounds


def plot_fishing_grounds(canvas: Surface, content: Content) -> None:
    """Plot the fishing grounds beside their three vertices, each with its number on a fish."""
    theme, grounds = canvas.theme, content.board.fishing_grounds
    areas = [_ground(content.board, ground) for ground in grounds]
    middles = [_middle(area) for area in areas]
    fill = style.blend(style.terrain_color(theme, "lake"), theme.frame, 0.25)
    canvas.polygons(areas, [fill], "grounds", theme.frame_edge, width=0.03)
    canvas.polygons(
        [moved(_FISH, spot) for spot in middles], [theme.disc], "fish", theme.disc_edge, width=0.025
    )
    numbers = [
        (str(ground.marker), (x - 0.07, y), 0.2) for ground, (x, y) in zip(grounds, middles, strict=True)
    ]
    canvas.words(numbers, [theme.number], "fish-numbers")


def _ground(board: Board, ground: FishingGround) -> list[XY]:
    """Return the shrunk outline of a fishing ground: three vertices and a hexagon's middle.

    If the three vertices are around a cape, that middle is on land. The ground is then outside, beside the
    middle vertex.
    """
    layout, middle = board.layout, board.layout.ground_hexagon(ground.vertices)
    a, b, c = (layout.vertices[v] for v in ground.vertices)
    if middle in layout.tiles and board.terrain[layout.tiles.index(middle)] != "sea":
        # The middle vertex takes the place of the hexagon's middle. A point in the water takes its place.
        b, middle = (2 * b[0] - middle[0], 2 * b[1] - middle[1]), b
    outline = places((a, b, c, middle), layout)
    x, y = _middle(outline)
    return [(x + 0.88 * (px - x), y + 0.88 * (py - y)) for px, py in outline]


def _middle(outline: Sequence[XY]) -> XY:
    return sum(x for x, _ in outline) / 4, sum(y for _, y in outline) / 4


_FISH: tuple[XY, ...] = (
    *((-0.07 + 0.3 * cos(pi / 12 * i), 0.21 * sin(pi / 12 * i)) for i in range(2, 23)),
    (0.33, -0.15),
    (0.28, 0.0),
    (0.33, 0.15),
)


# Harbors


def plot_harbors(canvas: Surface, content: Content) -> None:
    """Plot each harbor in the water beside its edge: two piers, and a sign with its trade.

    The sign of a 2:1 harbor has the resource's colour, and its motif or letter for colour-blind readers.
    """
    theme, harbors = canvas.theme, content.board.harbors
    centres = content.signs
    ends = [(content.vertices[v], spot) for h, spot in zip(harbors, centres, strict=True) for v in h.vertices]
    canvas.polygons([shapes.bar(start, end, 0.09) for start, end in ends], [theme.pier], "piers")
    fills = [theme.disc if h.trade == "3:1" else style.terrain_color(theme, h.trade) for h in harbors]
    canvas.discs(centres, HARBOR, [theme.disc], "signs", theme.disc_edge, width=0.022)
    canvas.discs(centres, HARBOR - 0.055, fills, "harbors")
    for harbor, (x, y), fill in zip(harbors, centres, fills, strict=True):
        text = "3:1" if harbor.trade == "3:1" else content.letter(harbor.trade)
        if harbor.trade == "3:1" or content.letters:
            canvas.words(
                [(text, (x, y), 0.22 if harbor.trade == "3:1" else 0.3)], [style.ink_on(fill)], "trade"
            )
        else:
            _plot_scene(canvas, content, harbor.trade, [(x, y)], style.icon(harbor.trade, 1.45), "icon")


# The key: names of terrains and players


def plot_key(canvas: Surface, content: Content) -> None:
    """Plot the rows of the key below the board, with terrains and players."""
    box, scale = content.box, content.scale
    for i, row in enumerate(content.key_rows):
        x, y = (box.left + box.right - scale * row_width(row)) / 2, box.bottom - ROW * scale * (i + 0.5)
        for sign, name in row:
            width = scale * entry_width(name)
            if isinstance(sign, str):
                _plot_swatch(canvas, content, sign, (x + 0.23 * scale, y), 0.26 * scale)
            else:
                _plot_houses(canvas, [(x + 0.2 * scale, y - 0.03 * scale)], 0.16 * scale, [sign], "player")
            text = (name, (x + (SIGN * scale + width) / 2, y), CAP * scale)
            gid = "terrain-name" if isinstance(sign, str) else "player-name"
            canvas.words([text], [canvas.theme.text], gid, bold=False)
            x += width + GAP * scale


def _plot_swatch(canvas: Surface, content: Content, terrain: str, spot: XY, size: float) -> None:
    """Plot a small tile that looks as on the board."""
    flat, fill = content.board.layout.sideways, content.fill(terrain, canvas.theme)
    edge = style.blend(fill, canvas.theme.text, 0.4)
    canvas.polygons([hexagon(spot, size, flat=flat)], [fill], "key", edge, width=0.025)
    if content.has_patterns(canvas.theme):
        layers = style.icon(terrain, 3.4 * size)
        _plot_scene(canvas, content, terrain, [spot], layers, "key-patterns")


# Settlements


def plot_settlements(canvas: Surface, content: Content) -> None:
    """Plot a house per settlement in its player's colour, numbered in the order placed."""
    sites = [content.vertices[vertex] for _, vertex, _ in content.order]
    fills = _plot_houses(canvas, sites, _HOUSE, [player for player, *_ in content.order], "settlements")
    numbers = [(str(i), (x, y - 0.02), 0.2) for i, (x, y) in enumerate(sites, start=1)]
    canvas.words(numbers, [style.ink_on(fill) for fill in fills], "order", level=5)


def plot_ghosts(canvas: Surface, content: Content) -> None:
    """Plot a pale house at each free vertex of other choices, with the numbers of their settlements."""
    turns: dict[int, list[int]] = {}
    for turn, vertex in content.ghosts:
        if vertex not in {settled for _, settled, _ in content.order}:
            turns.setdefault(vertex, []).append(turn)
    colors = [_player_color(canvas.theme, content.order[numbers[0] - 1][0]) for numbers in turns.values()]
    fills = [style.blend(color, style.WHITE, 0.75) for color in colors]
    for inks, size in (([style.WHITE] * len(fills), 1.25), (colors, 1.1), (fills, 0.9)):
        walls = [moved(shapes.HOUSE, content.vertices[vertex], _HOUSE * size) for vertex in turns]
        canvas.polygons(walls, inks, "ghosts", level=3.95)
    sites = [(content.vertices[vertex], "/".join(map(str, numbers))) for vertex, numbers in turns.items()]
    words = [(text, (x, y - 0.02), 0.2 if len(text) < 3 else 0.12) for (x, y), text in sites]
    canvas.words(words, [style.ink_on(fill) for fill in fills], "ghost-numbers", level=5)


def plot_roads(canvas: Surface, content: Content) -> None:
    """Plot a bar along the edge of each known road in its player's colour."""
    known = [
        (_player_color(canvas.theme, player), content.vertices[vertex], content.vertices[road])
        for player, vertex, road in content.order
        if road is not None
    ]
    lines = [[(x + t * (u - x), y + t * (v - y)) for t in (0.1, 0.86)] for _, (x, y), (u, v) in known]
    canvas.strokes(lines, [style.WHITE], 0.23, "road-halo", 3.9)
    canvas.strokes(lines, [canvas.theme.house_edge], 0.17, "road-edges", 3.9)
    canvas.strokes(lines, [color for color, *_ in known], 0.11, "roads", 3.9)


def plot_arrows(canvas: Surface, content: Content) -> None:
    """Plot a curved arrow per pair of vertices, from the first to the second."""
    lines, heads = [], []
    for start, end in content.arrows:
        line = shapes.curve(content.vertices[start], content.vertices[end], 0.3, 0.32)
        base, tip = shapes.cut_end(line, 0.3), line[-1]
        (x0, y0), (x1, y1) = base, tip
        dx, dy = 0.13 / 0.3 * (x1 - x0), 0.13 / 0.3 * (y1 - y0)
        heads.append([tip, (base[0] - dy, base[1] + dx), (base[0] + dy, base[1] - dx)])
        lines.append([*(point for point in line if hypot(point[0] - x1, point[1] - y1) > 0.3), base])
    mark = canvas.theme.mark
    canvas.strokes(lines, [mark], 0.08, "arrows", level=7)
    canvas.polygons(heads, [mark], "arrow-heads", edge=mark, width=0.05, level=7)


def _player_color(theme: style.Theme, player: int) -> style.Color:
    return theme.players[(player - 1) % len(theme.players)]


def _plot_houses(
    canvas: Surface, sites: Sequence[XY], size: float, players: Sequence[int], gid: str
) -> list[style.Color]:
    """Plot a house at each site, and return the colours of the players."""
    fills = [_player_color(canvas.theme, player) for player in players]
    canvas.polygons(
        [moved(shapes.HOUSE, site, size * 1.25) for site in sites], [style.WHITE], "halo", level=4
    )
    walls = [moved(shapes.HOUSE, site, size) for site in sites]
    canvas.polygons(walls, fills, gid, edge=canvas.theme.house_edge, width=0.035, level=4)
    return fills


# Heat maps


def plot_heat(canvas: Surface, content: Content) -> list[style.Color | None]:
    """Plot a disc per vertex, coloured by its value, and a colour bar at the right.

    The discs of the ten highest values are larger and have labels, unless the vertices have their indices.

    Returns:
        The colour of each vertex's disc, or None for a vertex without a value.
    """
    if content.heat is None:
        return [None] * len(content.vertices)
    theme = canvas.theme
    known = {v: value for v, value in enumerate(content.heat) if not isnan(value)}
    low, high = min(known.values()), max(known.values())
    low, high = (low, high) if low < high else (low - 0.5, high + 0.5)
    colors = {v: style.heat_color(theme, (value - low) / (high - low)) for v, value in known.items()}
    best = sorted(known, key=lambda v: (-known[v], v))[: None if content.numbers else _LABELLED]
    rim = style.blend(theme.background, theme.text, 0.75)  # light in the dark theme, to show dark discs
    for vertices, size in (([v for v in known if v not in best], _DOT), (best, _SPOT)):
        sites, fills = [content.vertices[v] for v in vertices], [colors[v] for v in vertices]
        canvas.discs(sites, size + 0.04, [theme.background], "heat-halo", level=2.9)
        canvas.discs(sites, size, fills, "heat", rim, width=0.02, level=3)
    if not content.numbers:
        words = []
        for v in best:
            text = f"{known[v]:.3g}"
            words.append((text, content.vertices[v], min(0.19, 0.38 / text_width(text, 1))))
        canvas.words(words, [style.ink_on(colors[v]) for v in best], "heat-labels", level=3)
    _plot_scale(canvas, content, low, high)
    return [colors.get(v) for v in range(len(content.vertices))]


def _plot_scale(canvas: Surface, content: Content, low: float, high: float) -> None:
    """Plot the colour bar of a heat map with its values and its label."""
    theme, box, scale = canvas.theme, content.box, content.scale
    left, right = box.right + 0.1 * scale, box.right + 0.4 * scale
    bottom, height = (box.top + box.bottom) / 2 - 0.3 * box.height, 0.6 * box.height
    strips = [k / _STRIPS for k in range(_STRIPS)]  # bars reach the top, below later bars, so no gap shows
    bars = []
    for share in strips:
        y = bottom + share * height
        bars.append([(left, y), (right, y), (right, bottom + height), (left, bottom + height)])
    canvas.polygons(bars, [style.heat_color(theme, share + 0.5 / _STRIPS) for share in strips], "heat-scale")
    canvas.polygons(bars[:1], "none", "heat-outline", edge=theme.text, width=0.03)
    ticks = {bottom + (tick - low) / (high - low) * height: f"{tick:.10g}" for tick in _ticks(low, high)}
    marks = [[(right, y), (right + 0.1 * scale, y)] for y in ticks]
    canvas.strokes(marks, [theme.text], 0.03, "heat-ticks")
    widest = max((text_width(text, 1, bold=False) for text in ticks.values()), default=0.0) or 1.0
    cap = min(0.22 * scale, (_BAR - 0.7) * scale / widest)
    start = right + 0.18 * scale
    words = [(text, (start + text_width(text, cap, bold=False) / 2, y), cap) for y, text in ticks.items()]
    canvas.words(words, [theme.text], "heat-values", bold=False)
    label, middle = content.heat_label, (start + cap * widest + 0.3 * scale, bottom + height / 2)
    fitting = min(0.22 * scale, 0.96 * box.height / (text_width(label, 1, bold=False) or 1.0))
    canvas.words([(label, middle, fitting)], [theme.text], "heat-label", bold=False, turned=True)


def _ticks(low: float, high: float) -> list[float]:
    """Return round values between two values, at most nine.

    >>> _ticks(0.3, 4.9)
    [1.0, 2.0, 3.0, 4.0]
    """
    unit = 10.0 ** floor(log10((high - low) / 8))
    step = next(unit * k for k in (1, 2, 2.5, 5, 10) if unit * k * 8 >= high - low)
    return [float(f"{k * step:.12g}") for k in range(ceil(low / step), floor(high / step) + 1)]


# Numbers and rings


def plot_numbers(canvas: Surface, content: Content, heat_colors: Sequence[style.Color | None]) -> None:
    """Write the index of each tile in a small hexagon, and of each vertex in a small disc.

    The index of a vertex with a settlement is below the settlement. *heat_colors* has the colour of each
    vertex's disc in a heat map, or None. If a vertex has such a disc and no settlement, its index is on that
    disc.
    """
    if not content.numbers:
        return
    theme, settled = canvas.theme, {vertex for _, vertex, _ in content.order}
    edge = style.blend(theme.disc, theme.number, 0.55)
    tiles = [(x - 0.33, y - 0.57) for x, y in content.centres]
    vertices = [(x, y - 0.42) if v in settled else (x, y) for v, (x, y) in enumerate(content.vertices)]
    fills = [theme.frame if color is None else color for color in heat_colors]
    without_heat = [v for v, color in enumerate(heat_colors) if color is None or v in settled]
    spots, spot_fills = [vertices[v] for v in without_heat], [fills[v] for v in without_heat]
    canvas.polygons(
        [hexagon(spot, 0.2) for spot in tiles], [theme.disc], "tile-labels", edge, width=0.02, level=6
    )
    canvas.discs(spots, 0.17, spot_fills, "vertex-labels", edge, width=0.02, level=6)
    at_tiles, at_vertices = ([(str(i), spot, 0.13) for i, spot in enumerate(x)] for x in (tiles, vertices))
    canvas.words(at_tiles, [theme.number], "tile-numbers", level=6)
    canvas.words(at_vertices, [style.ink_on(fill) for fill in fills], "vertex-numbers", level=6)


def plot_rings(canvas: Surface, content: Content) -> None:
    """Plot rings: a hexagon inside the edges of each tile, and a circle around each vertex.

    Rings of tiles are below values and settlements, and no ring covers a number.
    """
    around = [
        hexagon(content.centres[t], 0.86, flat=content.board.layout.sideways) for t in content.ring_tiles
    ]
    circles = [shapes.circle(content.vertices[v], 0.3) for v in content.ring_vertices]
    mark = canvas.theme.mark
    for gid, color, width in (("ring-rims", style.ink_on(mark), 0.17), ("rings", mark, 0.09)):
        canvas.polygons(around, "none", gid, edge=color, width=width, level=2.8)
        canvas.polygons(circles, "none", gid, edge=color, width=width, level=5.5)
