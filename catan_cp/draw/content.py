"""Content of a board's picture: the checked arguments, positions and the size of the picture."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import ceil, hypot, isinf, isnan, nan
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout
from catan_cp.boards.pieces import Harbor, piece_counts
from catan_cp.draw import shapes
from catan_cp.draw.glyphs import text_width
from catan_cp.draw.shapes import XY, Box, places
from catan_cp.draw.style import Color, Theme, blend, terrain_color
from catan_cp.errors import InvalidArgument, check_count, check_kind, show, whole_number

Settlement = tuple[int, int, int | None]
"""Player from 1, vertex, and the other end of the road, if known."""

KeyEntry = tuple[str | int, str]
"""Entry of the key: a terrain or the number of a player, and its name."""

DISC, HARBOR = 0.42, 0.38
"""Radius of number discs and of the signs of harbors."""

PAD = 0.05
"""Space around the water."""

RIM, HARBOR_RIM = 0.42, 1.02
"""Width of the water around tiles without a frame, and around those with harbors."""

FRAME_RIM = 0.3
"""Radius of the water around the centres of the frame's hexagons."""

CAP, ROW = 0.24, 0.58
"""Height of capitals and of a row in the key."""

SIGN, GAP = 0.55, 0.52
"""Width of the sign before a name in the key, and of the space between names."""

_BAR, _LABEL = 1.7, 0.5  # the widths of the colour bar and of its label


@dataclass(frozen=True)
class Content:
    """Content of a board's picture, with the arguments of `catan_cp.plot_board`.

    With *key_letters*, the key also has the letters of the terrains.
    """

    board: Board
    order: Sequence[Settlement] = ()
    heat: Sequence[float] | None = None
    heat_label: str = ""
    key: bool = False
    key_letters: bool = False
    letters: bool = False
    patterns: bool | None = None
    numbers: bool = False
    ring_tiles: Sequence[int] = ()
    ring_vertices: Sequence[int] = ()
    arrows: Sequence[tuple[int, int]] = ()
    ghosts: Sequence[tuple[int, int]] = ()

    @cached_property
    def centres(self) -> list[XY]:
        """Centre of each tile."""
        return places(self.board.layout.tiles, self.board.layout)

    @cached_property
    def vertices(self) -> list[XY]:
        """Position of each vertex."""
        return places(self.board.layout.vertices, self.board.layout)

    @cached_property
    def box(self) -> Box:
        """Box of the board and the water around it, without the key and the colour bar."""
        rims = [(self.vertices, self.rim)]
        if self.is_framed:
            frame = places(self.board.layout.sea_frame, self.board.layout)
            rims = [(self.vertices, RIM), (frame, FRAME_RIM)]
        xs, ys = ([spot[k] + r for spots, rim in rims for spot in spots for r in (-rim, rim)] for k in (0, 1))
        return Box(min(xs) - PAD, max(xs) + PAD, min(ys) - PAD, max(ys) + PAD)

    @cached_property
    def is_framed(self) -> bool:
        """True if the water has the shape of the layout's frame."""
        return shapes.shows_frame(self.board.layout, bool(self.board.harbors))

    @property
    def rim(self) -> float:
        """Width of the water around the tiles without a frame."""
        return HARBOR_RIM if self.board.harbors else RIM

    @property
    def scale(self) -> float:
        """Scale of the text around the board, above 1 for large boards to keep it legible."""
        return max(1.0, self.box.width / 12)

    @cached_property
    def key_rows(self) -> list[list[KeyEntry]]:
        """Rows of the key, terrains first, in the minimum number of evenly filled rows."""
        kinds = piece_counts(self.board.terrain, tuple(self.board.layout.further_terrains))
        named: list[KeyEntry] = [
            (name, f"{self.letter(name)}  {name}" if self.key_letters else name) for name in kinds if self.key
        ]
        players: list[KeyEntry] = [(n, f"player {n}") for n in sorted({player for player, *_ in self.order})]
        rows = []
        for part in (named, players):
            for columns in (ceil(len(part) / n) for n in range(1, len(part) + 1)):
                broken = [part[i : i + columns] for i in range(0, len(part), columns)]
                if columns == 1 or max(map(row_width, broken)) * self.scale <= self.box.width:
                    rows += broken
                    break
        return rows

    @cached_property
    def whole(self) -> Box:
        """Box of the board, the key below it and the colour bar at the right."""
        box, scale = self.box, self.scale
        beside = 0.0 if self.heat is None else _BAR + (_LABEL if self.heat_label else 0)
        below = ROW * scale * len(self.key_rows)
        return box._replace(right=box.right + beside * scale, bottom=box.bottom - below)

    @cached_property
    def sea_and_land(self) -> tuple[list[int], list[int]]:
        """Tiles of the sea, and all others."""
        terrain = self.board.terrain
        sea = [t for t, name in enumerate(terrain) if name == "sea"]
        return sea, [t for t, name in enumerate(terrain) if name != "sea"]

    @property
    def signs(self) -> list[XY]:
        """Position of each harbor's sign."""
        return [harbor_centre(self, harbor) for harbor in self.board.harbors]

    def obstacles(self, axis: int) -> dict[str, list[tuple[float, float]]]:
        """Return the intervals of number discs and harbors across (0) or downwards (1), not to be cut."""
        numbered = [s for s, m in zip(self.centres, self.board.markers, strict=True) if m is not None]
        along = {"numbers": (numbered, DISC + 0.012), "harbors": (self.signs, HARBOR + 0.012)}
        return {
            name: [(at - reach, at + reach) for x, y in spots for at in ((x, -y)[axis],)]
            for name, (spots, reach) in along.items()
        }

    def has_patterns(self, theme: Theme) -> bool:
        """Return True if terrains have patterns, by the argument or else by the theme."""
        return theme.patterns if self.patterns is None else self.patterns

    def letter(self, terrain: str) -> str:
        """Return the letter of a terrain in the notation as a capital."""
        return self.board.layout.letter_of[terrain].upper()

    def fill(self, terrain: str, theme: Theme) -> Color:
        """Return the colour of a terrain's tiles, which fade into the background under a heat map."""
        muted = 0.0 if self.heat is None else theme.muted
        return blend(terrain_color(theme, terrain), theme.background, muted)

    def fills(self, theme: Theme) -> list[Color]:
        """Return the colour of each tile."""
        return [self.fill(name, theme) for name in self.board.terrain]


def harbor_centre(content: Content, harbor: Harbor) -> XY:
    """Return the position of a harbor's sign in the water, perpendicular to its edge."""
    near, (a, b) = content.board.layout.vertex_tiles, harbor.vertices
    beside = sorted(set(near[a]) & set(near[b]))
    land = next((t for t in beside if content.board.terrain[t] != "sea"), beside[0])
    (ax, ay), (bx, by), (cx, cy) = content.vertices[a], content.vertices[b], content.centres[land]
    x, y = (ax + bx) / 2, (ay + by) / 2
    scale = 0.56 / hypot(x - cx, y - cy)
    return x + (x - cx) * scale, y + (y - cy) * scale


def row_width(row: Sequence[KeyEntry]) -> float:
    """Return the width of a row of the key."""
    return sum(entry_width(name) for _, name in row) + GAP * (len(row) - 1)


def entry_width(name: str) -> float:
    """Return the width of an entry of the key."""
    return SIGN + text_width(name, CAP, bold=False)


def read_content(
    board: Board,
    placement: Any = None,
    heat: Sequence[float | None] | None = None,
    heat_label: str = "",
    ring_tiles: Iterable[int] = (),
    ring_vertices: Iterable[int] = (),
    arrows: Iterable[tuple[int, int]] = (),
    ghosts: Iterable[tuple[int, int]] = (),
    **options: Any,
) -> Content:
    """Return the checked content of a picture, from the arguments of `plot_board`."""
    checked_text("heat_label", heat_label)
    layout = checked_board(board).layout
    order = _checked_order(layout, placement)
    return Content(
        board, order, _checked_heat(layout, heat), heat_label,
        ring_tiles=_checked_numbers("tile", ring_tiles, layout.n_tiles),
        ring_vertices=_checked_numbers("vertex", ring_vertices, layout.n_vertices),
        arrows=_checked_arrows(layout, arrows),
        ghosts=_checked_ghosts(layout, order, ghosts),
        **options,
    )  # fmt: skip


def checked_board(board: object) -> Board:
    """Return *board* if it is a `Board`.

    Raises:
        InvalidArgument: *board* is something else.
    """
    if not isinstance(board, Board):
        raise InvalidArgument(
            f"a picture shows a Board, not {show(board)}; Board.from_notation reads a notation"
        )
    return board


def checked_text(name: str, text: object) -> str:
    """Return *text* if it can be written.

    Raises:
        InvalidArgument: *text* is not text, or has half a character (a lone surrogate).
    """
    words = check_kind(f"{name} is text", text, str)
    try:
        words.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} has half a character, which no font has: {show(words)}") from None
    return words


@contextmanager
def _required(requirement: str, value: object) -> Iterator[None]:
    """Convert errors of Python about *value* to an `InvalidArgument` with the requirement."""
    try:
        yield
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{requirement}, not {show(value)}") from None


def _checked_numbers(kind: str, values: Iterable[int], n: int) -> list[int]:
    """Return the distinct numbers of tiles or vertices in ascending order."""
    with _required(f"the {kind} numbers to plot must be a list", values):
        numbers = list(values)
    return sorted({check_count(f"a {kind} to plot", number, 0, n - 1) for number in numbers})


def _checked_order(layout: Layout, placement: Any) -> list[Settlement]:
    """Return the settlements, each with the other end of its road or None."""
    order: Any = [] if placement is None else getattr(placement, "order", placement)
    form = "(player, vertex) or (player, vertex, road)"
    with _required(f"a placement must have {form} in the order placed", order):
        moves = [tuple(move) for move in order]
        roads = getattr(placement, "roads", None) or [move[2] if move[2:] else None for move in moves]
        if any(len(move) > 3 for move in moves):
            raise ValueError
        settled = [(*move[:2], road) for move, road in zip(moves, roads, strict=True)]
        vertices = [vertex for _, vertex, _ in settled]
    if len(_checked_numbers("vertex", vertices, layout.n_vertices)) < len(vertices):
        raise InvalidArgument(f"two settlements of the placement share a vertex: {show(moves)}")
    for player, vertex, road in settled:
        check_count("a player to plot", player, 1)
        if road is not None and whole_number(road) not in layout.vertex_neighbors[vertex]:
            raise InvalidArgument(f"there is no edge from vertex {vertex} to {show(road)} for a road")
    return settled


def _checked_arrows(layout: Layout, arrows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    with _required("arrows must be pairs of vertices", arrows):
        pairs = [(a, b) for a, b in arrows]
    for pair in pairs:
        if len(_checked_numbers("vertex", pair, layout.n_vertices)) < 2:
            raise InvalidArgument(f"an arrow must join two different vertices, not {show(pair)}")
    return pairs


def _checked_ghosts(
    layout: Layout, order: Sequence[Settlement], ghosts: Iterable[tuple[int, int]]
) -> list[tuple[int, int]]:
    with _required("ghosts must be pairs of a settlement's number and a vertex", ghosts):
        pairs = [(turn, vertex) for turn, vertex in ghosts]
    for turn, vertex in pairs:
        check_count("the settlement of a ghost", turn, 1, len(order))
        check_count("the vertex of a ghost", vertex, 0, layout.n_vertices - 1)
    return pairs


def _checked_heat(layout: Layout, heat: Sequence[float | None] | None) -> list[float] | None:
    if heat is None:
        return None
    with _required("heat must be one number or None per vertex", heat):
        values = [nan if value is None else float(value) for value in heat]
    if len(values) != layout.n_vertices:
        raise InvalidArgument(
            f"the board has {layout.n_vertices} vertices, but heat has {len(values)} values"
        )
    if any(isinf(value) for value in values):
        raise InvalidArgument("heat has an infinite value; use None for a vertex without a value")
    if all(isnan(value) for value in values):
        raise InvalidArgument("heat has no value at all; give at least one vertex a number")
    return values
