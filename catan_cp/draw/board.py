"""One board as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isinf, isnan, nan
from operator import index
from typing import TYPE_CHECKING, Any, Protocol

from catan_cp.boards.board import Board
from catan_cp.draw.style import Theme, find_theme, ink_on
from catan_cp.errors import InvalidArgument, show

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from catan_cp.draw.shapes import Box

WIDTH = 6.0
"""The width of a picture in inches: 600 pixels on a screen."""

TITLE = 14.0
"""The size of a title in points, where there is room for it."""

Settlement = tuple[int, int]


class Placed(Protocol):
    """Anything that knows its settlements in the order placed, as pairs (player from 1, vertex)."""

    @property
    def order(self) -> Sequence[Settlement]:
        """The settlements in the order placed."""
        ...


def plot_board(
    board: Board,
    placement: Placed | Sequence[Settlement | tuple[int, int, int | None]] | None = None,
    ax: Axes | None = None,
    *,
    heat: Sequence[float | None] | None = None,
    heat_label: str = "",
    key: bool = False,
    title: str | None = None,
    letters: bool = False,
    patterns: bool | None = None,
    numbers: bool = False,
    ring_tiles: Iterable[int] = (),
    ring_vertices: Iterable[int] = (),
    arrows: Iterable[tuple[int, int]] = (),
    theme: str = "light",
) -> Axes:
    """Draw a board and return the axes it is drawn on.

    Args:
        board: the board, with or without markers and harbors.
        placement: settlements to draw, numbered in the order placed: a `Placement`, or (player, vertex) or
            (player, vertex, road) with players numbered from 1 and the vertex at the other end of the road.
        ax: the axes to draw on; without it, a new figure 600 pixels wide, made without pyplot.
        heat: one value per vertex, drawn as a disc there, with a colour bar; None or NaN where there is none.
        heat_label: what the values are, written beside the colour bar.
        key: name the terrains on the board below it.
        title: a line above the board.
        letters: write each terrain's letter (that of the notation) on its tile, for colour-blind readers.
        patterns: draw each terrain's pattern, or none; by default all themes but ``"plain"`` do.
        numbers: write the numbers by which tiles (in hexagons) and vertices (in discs) are known.
        ring_tiles: tiles to ring, for instance those of the violations that `Rules.check` found.
        ring_vertices: vertices to ring.
        arrows: arrows from a vertex to another, for instance `Placement.arrows`: who settles to harm whom.
        theme: ``"light"``, ``"dark"``, ``"print"`` (black on white), or ``"plain"`` (the colours of the
            entropy article, without patterns).

    Lengths on the axes are in sides of a tile; tile 0 of a layout and its neighbours lie where
    `Layout.tiles` says: X = x * sqrt(3) / 2 and Y = -y / 2.

    Raises:
        InvalidArgument: not a board, a settlement, road, arrow or ring off the board, another number of
            values than of vertices, an unknown theme.
    """
    from catan_cp.draw.overlays import picture_box

    look = find_theme(theme)
    order, roads = _checked_order(checked_board(board), placement)
    values = None if heat is None else _checked_heat(board, heat)
    for name, text in (("title", title), ("heat_label", heat_label)):
        if text is not None and not isinstance(text, str):
            raise InvalidArgument(f"{name} is text, not {show(text)}")
    if ax is None:
        ax = _new_axes(
            picture_box(board, order, heat=heat is not None, label=heat_label, key=key), title, look
        )
    else:
        from matplotlib.axes import Axes

        if not isinstance(ax, Axes):
            raise InvalidArgument(f"ax is matplotlib axes, not {show(ax)}")
    rings = (
        _checked_rings("tile", ring_tiles, board.layout.n_tiles),
        _checked_rings("vertex", ring_vertices, board.layout.n_vertices),
    )
    paint(
        ax,
        board,
        order,
        values,
        look,
        letters=letters,
        patterns=patterns,
        numbers=numbers,
        rings=rings,
        roads=roads,
        arrows=_checked_arrows(board, arrows),
        key=key,
        heat_label=heat_label,
    )
    if title:
        write_title(ax, title, look, TITLE)
    return ax


def paint(
    ax: Axes,
    board: Board,
    order: Sequence[Settlement],
    heat: Sequence[float] | None,
    theme: Theme,
    *,
    letters: bool = False,
    patterns: bool | None = None,
    numbers: bool = False,
    rings: tuple[Sequence[int], Sequence[int]] = ((), ()),
    roads: Sequence[int | None] = (),
    arrows: Sequence[tuple[int, int]] = (),
    window: Box | None = None,
    key: bool = False,
    heat_label: str = "",
) -> None:
    """Draw everything on the axes, without any check: the whole picture, or the part of it in *window*."""
    from catan_cp.draw import layers, overlays, water

    box = window or overlays.picture_box(board, order, heat=heat is not None, label=heat_label, key=key)
    line = layers.points_per_side(ax, box)
    muted = 0.0 if heat is None else theme.muted
    fills = layers.tile_fills(board, theme, muted)
    water.draw_water(ax, board, theme, line)
    layers.draw_tiles(ax, board, fills, theme, line)
    patterned = theme.patterns if patterns is None else patterns
    if patterned:
        layers.draw_patterns(ax, board, fills, theme, line)
    water.draw_rivers(ax, board, theme, line)
    layers.draw_names(ax, board, fills)
    layers.draw_markers(ax, board, theme, line)
    if letters:
        layers.draw_letters(ax, board, fills)
    water.draw_fishing_grounds(ax, board, theme, line)
    water.draw_harbors(ax, board, theme, line, letters=letters)
    spots = None if heat is None else overlays.draw_heat(ax, board, heat, heat_label, theme, line)
    if any(road is not None for road in roads):
        overlays.draw_roads(ax, board, order, roads, theme, line)
    if order:
        overlays.draw_settlements(ax, board, order, theme, line)
    overlays.draw_legend(ax, board, order, theme, line, key=key, patterns=patterned, muted=muted)
    if numbers:
        overlays.draw_numbers(ax, board, [vertex for _, vertex in order], spots, theme, line)
    overlays.draw_rings(ax, board, *rings, theme, line)
    if arrows:
        overlays.draw_arrows(ax, board, arrows, theme, line)
    ax.set(xlim=(box.left, box.right), ylim=(box.bottom, box.top), aspect="equal", facecolor=theme.background)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


# Checks


def checked_board(board: object) -> Board:
    """Return *board* where it is one.

    Raises:
        InvalidArgument: it is not a `Board`.
    """
    if not isinstance(board, Board):
        raise InvalidArgument(
            f"a picture shows a Board, not {show(board)}; Board.from_notation reads a notation"
        )
    return board


def _checked_order(board: Board, placement: Any) -> tuple[list[Settlement], list[int | None]]:
    """Return the settlements, and the other end of each one's road, None where it has none."""
    order: Any = [] if placement is None else getattr(placement, "order", placement)
    try:
        moves = [tuple(move) for move in order]
        known = getattr(placement, "roads", None) or [move[2] if len(move) == 3 else None for move in moves]
        pairs = [(index(player), index(vertex)) for player, vertex, *_ in moves]
        roads = [None if road is None else index(road) for road in known]
        if len(roads) < len(pairs) or any(len(move) > 3 for move in moves):
            raise ValueError
    except (TypeError, ValueError):
        raise InvalidArgument(
            "a placement is (player, vertex) or (player, vertex, road) in the order placed, "
            f"not {show(order)}"
        ) from None
    last = board.layout.n_vertices - 1
    for player, vertex in pairs:
        if player < 1:
            raise InvalidArgument(f"there is no player {player} to draw; players are numbered from 1")
        if not 0 <= vertex <= last:
            raise InvalidArgument(f"vertex {vertex} of the placement is not on the board; it has 0 to {last}")
    if len({vertex for _, vertex in pairs}) < len(pairs):
        raise InvalidArgument(f"two settlements of the placement share a vertex: {show(pairs)}")
    for (_, vertex), road in zip(pairs, roads, strict=True):
        if road is not None and road not in board.layout.vertex_neighbors[vertex]:
            raise InvalidArgument(f"there is no edge from vertex {vertex} to {road} for a road")
    return pairs, roads


def _checked_arrows(board: Board, arrows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    try:
        found = [(index(a), index(b)) for a, b in arrows]
    except (TypeError, ValueError):
        raise InvalidArgument(f"arrows are pairs of vertices, not {show(arrows)}") from None
    last = board.layout.n_vertices - 1
    for pair in found:
        if pair[0] == pair[1] or not all(0 <= v <= last for v in pair):
            raise InvalidArgument(f"an arrow leads from a vertex of 0 to {last} to another, not {show(pair)}")
    return found


def _checked_rings(what: str, given: Iterable[int], n: int) -> list[int]:
    try:
        found = sorted({index(one) for one in given})
    except TypeError:
        raise InvalidArgument(f"what to ring is given by {what} numbers, not {show(given)}") from None
    for one in found:
        if not 0 <= one < n:
            raise InvalidArgument(f"there is no {what} {one} to ring; the board has 0 to {n - 1}")
    return found


def _checked_heat(board: Board, heat: Sequence[float | None]) -> list[float]:
    try:
        values = [nan if value is None else float(value) for value in heat]
    except (TypeError, ValueError):
        raise InvalidArgument(f"heat is one number or None per vertex, not {show(heat)}") from None
    if len(values) != board.layout.n_vertices:
        raise InvalidArgument(
            f"the board has {board.layout.n_vertices} vertices, but heat has {len(values)} values"
        )
    if any(isinf(value) for value in values):
        raise InvalidArgument("heat has an infinite value; give None where a vertex has no value")
    if all(isnan(value) for value in values):
        raise InvalidArgument("heat has no value at all; give at least one vertex a number")
    return values


# Axes and titles


def _new_axes(box: Box, title: str | None, theme: Theme) -> Axes:
    """Axes for the box in a new figure, with room for a title above."""
    from catan_cp.draw.picture import add_axes, new_picture

    board_height = WIDTH * box.height / box.width
    height = board_height + (title_height(title, TITLE) if title else 0)
    picture = new_picture(WIDTH, height, theme.background)
    return add_axes(picture, 0, 0, 1, board_height / height)


def title_height(title: str, size: float) -> float:
    """Return the height in inches of a title of that size in points."""
    return (1.25 * size * (title.count("\n") + 1) + 8) / 72


def write_title(ax: Axes, title: str, theme: Theme, size: float) -> None:
    """Write a title above the axes, no larger than *size* points and no wider than the axes."""
    from matplotlib.colors import to_rgba

    from catan_cp.draw.shapes import text_width

    room = ax.get_window_extent().width * 72 / ax.figure.dpi
    widest = max(text_width(line, 0.73, bold=False) for line in title.split("\n"))
    fitting = min(size, 0.96 * room / widest) if widest else size
    behind = to_rgba(ax.figure.get_facecolor())
    color = theme.text if behind[3] == 0 or behind[:3] == theme.background else ink_on(behind[:3])
    ax.set_title(title, color=color, fontsize=fitting, pad=4, parse_math=False)
