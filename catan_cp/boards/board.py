"""Boards: immutable and checked values. The module `notation` reads and writes their texts.

The notation has three parts. The first is the rows of tiles. Each tile is a letter, followed by its marker if
it has one. The second part follows a colon: the harbors, then the fishing grounds. The third part follows an
``@``: the name of the layout. It is omitted if the rows identify the layout.

>>> board = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11")
>>> board.layout.name, board.terrain[0], board.markers[0]
('base', 'ore', 10)
>>> board.notation()
'o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from catan_cp.boards import notation
from catan_cp.boards.layout import FishingGround, Harbor, Layout, find_layout
from catan_cp.boards.parts import PARTS
from catan_cp.boards.pieces import MARKERS, UNNUMBERED, piece_counts
from catan_cp.errors import InvalidArgument, InvalidBoard, amount, listed, show, whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Board:
    """Board with the terrain and marker of each tile, harbors, and fishing grounds.

    Args:
        layout: a layout or its name.
        terrain: the terrain of each tile. Common names (wood, sheep, wheat, ...) are accepted.
        markers: the marker of each tile, None for desert and sea. Leave it out for a board without markers.
        harbors: harbors on coast edges that share no vertex.
        fishing_grounds: fishing grounds at different places, if the board has any.

    The pieces may differ from those of the layout's box. `piece_differences` returns the differences.
    Everything else is checked.

    Raises:
        InvalidBoard: a wrong number of tiles, an unknown terrain, a marker on a tile that carries none, a
            missing marker, or a harbor off the coast.

    Example:
        >>> board = Board.from_notation("l6w11o6/b3w5b5l4/l8g3g2l9o12/w10w9dg8/o4b11g10:printed")
        >>> board.terrain[:3], board.markers[:3]
        (('lumber', 'wool', 'ore'), (6, 11, 6))
        >>> board.layout.name, len(board.harbors)
        ('base', 9)
    """

    layout: Layout
    terrain: tuple[str, ...]
    markers: tuple[int | None, ...]
    harbors: tuple[Harbor, ...] = ()
    fishing_grounds: tuple[FishingGround, ...] = ()

    def __init__(
        self,
        layout: str | Layout,
        terrain: Sequence[str],
        markers: Sequence[int | None] | None = None,
        harbors: Sequence[Harbor] = (),
        fishing_grounds: Sequence[FishingGround] = (),
    ) -> None:
        layout = find_layout(layout)
        names = _checked_terrain(layout, terrain)
        numbers = _checked_markers(layout, names, [None] * len(names) if markers is None else markers)
        coast = sorted(layout.check_harbors(harbors, names), key=attrgetter("vertices"))
        grounds = sorted(layout.check_grounds(fishing_grounds), key=attrgetter("vertices"))
        vars(self).update(vars(board_of(layout, names, numbers, tuple(coast), tuple(grounds))))

    # Properties and symmetries

    @property
    def has_markers(self) -> bool:
        """True if the board has markers."""
        return any(marker is not None for marker in self.markers)

    def vertex_pips(self) -> tuple[int, ...]:
        """Return the sum of pips (ways out of 36) of the tiles at each vertex."""
        ways = [self.layout.marker_pips(marker) for marker in self.markers]
        return tuple(sum(ways[t] for t in tiles) for tiles in self.layout.vertex_tiles)

    def terrain_pips(self) -> dict[str, int]:
        """Return the sum of pips of the tiles of each terrain that can carry markers."""
        totals = {name: 0 for name in piece_counts(self.terrain) if name not in UNNUMBERED}
        for name, marker in zip(self.terrain, self.markers, strict=True):
            if name in totals:
                totals[name] += self.layout.marker_pips(marker)
        return totals

    def piece_differences(self) -> dict[str | int, int]:
        """Return the differences between the board's pieces and those of the layout's box.

        A terrain has a positive number if the board has more tiles of it than the box, and a negative one if
        it has fewer. A marker has the number of pieces beyond the supply. Unused markers are not a
        difference. Pieces without a difference are omitted.
        """
        excess = Counter(self.terrain)
        excess.subtract(self.layout.terrain_counts)
        differences: dict[str | int, int] = {
            name: excess[name] for name in self.layout.all_terrains if excess[name]
        }
        for marker in MARKERS:
            extra = self.markers.count(marker) - self.layout.marker_supply.get(marker, 0)
            if extra > 0:
                differences[marker] = extra
        return differences

    def moved(self, symmetry: int) -> Board:
        """Return the board moved by a symmetry, with its harbors and fishing grounds.

        Args:
            symmetry: the index of the rotation or reflection in `Layout.symmetries`.

        Raises:
            InvalidArgument: *symmetry* is not an index of a symmetry.
        """
        last = len(self.layout.symmetries) - 1
        if whole_number(symmetry) not in range(last + 1):
            raise InvalidArgument(f"symmetry must be a number from 0 to {last}, not {show(symmetry)}")
        return Board(self.layout, *(part.moved(self, symmetry) for part in PARTS))

    # Text

    def notation(self) -> str:
        """Return the notation of the board, which `from_notation` reads.

        It is one line, such as ``o10w2l9/...:printed``. It ends with ``@name`` unless the layout is one of
        `CLASSIC`. To read a board on a custom layout, pass that layout to `from_notation`.
        """
        return notation.board_line(self)

    def pattern(self, keep: str | Collection[int] = "terrain") -> str:
        """Return a pattern for ``Rules(pattern=...)`` that fixes parts of this board.

        Args:
            keep: ``"terrain"`` or ``"markers"`` to fix these on all tiles. Or the numbers of the tiles whose
                terrain and marker are fixed.

        Raises:
            InvalidArgument: *keep* has another value.
        """
        if not isinstance(keep, Collection) or (isinstance(keep, str) and keep not in ("terrain", "markers")):
            raise InvalidArgument(
                f"keep must be 'terrain', 'markers' or the numbers of tiles, not {show(keep)}"
            )
        tiles: Collection[Any] = () if isinstance(keep, str) else keep
        if wrong := [t for t in tiles if whole_number(t) not in range(self.layout.n_tiles)]:
            raise InvalidArgument(
                f"keep names tile {show(wrong[0])}; tiles are 0 to {self.layout.n_tiles - 1}"
            )
        all_tiles = range(self.layout.n_tiles)
        terrain = all_tiles if keep == "terrain" else tiles
        return notation.pattern_line(self, terrain, all_tiles if keep == "markers" else tiles)

    @classmethod
    def from_solution(cls, solution: Any, layout: str | Layout | None = None) -> Board:
        """Return the board of a MiniZinc solution, or of a row of `Solutions.array`.

        The instance comes from `catan_cp.board_instance` or `catan_cp.terrain_instance`.

        Args:
            solution: the result of ``solve()``. If it has a list of solutions, choose one item of that list.
                An object or a mapping with these fields is allowed too: ``terrain`` and, if present,
                ``marker`` (0 for no marker), ``harbor`` and ``ground``. Or a row of the array of
                `catan_cp.enumerate_boards`. Lists and numpy arrays are allowed.
            layout: the layout, or its name. By default that of the instance, or ``base`` for other objects.

        Raises:
            InvalidBoard: *solution* has no solution, has several, or is for another layout.
        """
        inner = getattr(solution, "solution", solution)
        layout = find_layout(getattr(inner, "catan_layout", None) or "base" if layout is None else layout)
        named = inner if isinstance(inner, Mapping) else getattr(inner, "__dict__", {})
        if (row := _whole_numbers(inner)) is not None and len(row) >= 2 * layout.n_tiles:
            named = _split_solution(row, layout)
        if "terrain" not in named:
            problem = "no solution with a terrain"
            if isinstance(inner, list):
                problem = f"{amount(len(inner), 'solution')}; choose one"
            elif hasattr(solution, "status"):
                problem += f" ({solution.status})"
            raise InvalidBoard(f"{problem}, such as result.solution of board_instance(...).solve()")
        arrays = {part.variable: named.get(part.variable, []) for part in PARTS}
        fields = []
        for part in PARTS:
            codes = _whole_numbers(arrays[part.variable])
            if codes is None:
                raise InvalidBoard(
                    f"a solution for {layout.name!r} must have lists of numbers, not {show(arrays)}"
                )
            places = part.places(layout) if codes else ()
            values = {code: value for value, code in part.codes(layout).items()}
            if len(codes) != len(places) or not values.keys() >= set(codes):
                raise InvalidBoard(f"the numbers do not fit the layout {layout.name!r}: {show(arrays)}")
            fields.append(part.pieces({p: values[code] for p, code in zip(places, codes, strict=True)}))
        return cls(layout, fields[0], fields[1] or None, *fields[2:])

    @classmethod
    def from_notation(cls, text: str, layout: str | Layout | None = None) -> Board:
        """Read a board from its notation, the one line that `notation` returns.

        Args:
            text: the notation. Capitals are allowed, and spaces instead of all slashes. Slashes may be left
                out if the layout is passed or named, or if one layout of `CLASSIC` has this number of tiles.
            layout: the layout or its name. By default the built-in layout named after ``@``, otherwise the
                layout of `CLASSIC` with these rows. A custom layout must be passed.

        Raises:
            InvalidBoard: *text* has a wrong letter, marker, row length or harbor. Or the layout is custom and
                was not passed. Or the name after ``@`` is not that of *layout*.
        """
        return cls(*notation.read_line(text, layout))

    def to_json(self) -> str:
        """Return the board as the text of a JSON object.

        Its keys are layout, terrain, markers and harbors. A board with fishing grounds also has the key
        fishing_grounds.

        Raises:
            InvalidBoard: a custom layout has the name of a built-in layout, so the text would be ambiguous.
        """
        return notation.board_json(self)

    @classmethod
    def from_json(cls, text: str, layout: str | Layout | None = None) -> Board:
        """Read a board from the JSON that `to_json` writes.

        Args:
            text: the JSON.
            layout: the layout or its name. By default the built-in layout that the JSON names. A custom
                layout must be passed.

        Raises:
            InvalidBoard: *text* is not JSON, is not a board, has another layout, or has more than
                `catan_cp.boards.notation.MAX_INPUT` characters.
        """
        return cls(*notation.read_json(text, layout))

    def __str__(self) -> str:
        return notation.board_map(self)

    def __repr__(self) -> str:
        layout = "" if self.layout.is_built_in else f", {self.layout!r}"
        return f"Board.from_notation({self.notation()!r}{layout})"

    # Pictures

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the board, as `catan_cp.plot_board` does."""
        from catan_cp import plot_board

        return plot_board(self, ax=ax, **options)

    def _repr_png_(self) -> bytes:
        """Return a PNG picture for untrusted notebooks, which do not show SVG."""
        picture: bytes = self.plot()._repr_png_()  # type: ignore[attr-defined]
        return picture

    def _repr_svg_(self) -> str:
        from catan_cp import board_svg

        return board_svg(self)


def read_terrain(
    terrain: Board | Sequence[str] | str, layout: str | Layout | None = None
) -> tuple[Layout, tuple[str, ...]]:
    """Return the layout and the terrains of a board, a notation or a list of names.

    Args:
        terrain: a `Board`, a notation or a list of names.
        layout: the layout or its name. By default, a list of names belongs to the classic layout of its
            length.

    Raises:
        InvalidBoard: *terrain* is invalid or belongs to another layout.
    """
    if isinstance(terrain, str):
        terrain = Board.from_notation(terrain, layout)
    if isinstance(terrain, Board):
        if layout is not None and find_layout(layout) != terrain.layout:
            actual, expected = terrain.layout.name, find_layout(layout).name
            other = expected if actual != expected else f"{expected} with other rows or pieces"
            raise InvalidBoard(f"the board's layout is {show(actual)}, not {show(other)}")
        return terrain.layout, terrain.terrain
    if not isinstance(terrain, (list, tuple)):
        raise InvalidBoard(f"a terrain must be a Board, a notation or a list of names, not {show(terrain)}")
    layout = notation.layout_of_size(len(terrain)) if layout is None else find_layout(layout)
    return layout, _checked_terrain(layout, terrain)


def board_of(
    layout: Layout,
    terrain: tuple[str, ...],
    markers: tuple[int | None, ...],
    harbors: tuple[Harbor, ...],
    fishing_grounds: tuple[FishingGround, ...] = (),
) -> Board:
    """Return a board without checking its parts, which must be valid.

    Checks take most of the time of creating a board. Harbors and fishing grounds must be sorted by their
    vertices.
    """
    board = object.__new__(Board)
    board.__dict__.update(
        layout=layout, terrain=terrain, markers=markers, harbors=harbors, fishing_grounds=fishing_grounds
    )
    return board


# ---- Solutions


def _whole_numbers(row: object) -> list[int] | None:
    """Return the whole numbers of a list or an array, otherwise None."""
    if not isinstance(row, (list, tuple)) and getattr(row, "ndim", 0) != 1:
        return None
    numbers = [whole_number(number) for number in row]  # type: ignore[attr-defined]
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else None


def _split_solution(row: Sequence[int], layout: Layout) -> dict[str, Sequence[int]]:
    """Return the arrays of ``joint.mzn`` in a row of numbers. The row may have no harbors."""
    n, end = layout.n_tiles, len(row) - len(layout.ground_places)
    splits = ((0, n), (n, 2 * n), (2 * n, end), (end, len(row)))
    return {part.variable: row[a:b] for part, (a, b) in zip(PARTS, splits, strict=True)}


# ---- Checks


def _checked_terrain(layout: Layout, terrain: object) -> tuple[str, ...]:
    if not isinstance(terrain, (list, tuple)):
        raise InvalidBoard(f"terrain must be a list of names, one per tile, not {show(terrain)}")
    if len(terrain) != layout.n_tiles:
        raise InvalidBoard(f"layout {layout.name!r} has {amount(layout.n_tiles, 'tile')}, not {len(terrain)}")
    return tuple(layout.terrain_name(word) for word in terrain)


def _checked_markers(layout: Layout, terrain: tuple[str, ...], markers: object) -> tuple[int | None, ...]:
    if not isinstance(markers, (list, tuple)):
        raise InvalidBoard(f"markers must be a list with a number or None per tile, not {show(markers)}")
    if len(markers) != len(terrain):
        size = f"one marker or None for each of {amount(len(terrain), 'tile')}"
        raise InvalidBoard(f"markers must have {size}, not {len(markers)}")
    numbers = tuple(None if marker is None else whole_number(marker) for marker in markers)
    for tile, (name, number, marker) in enumerate(zip(terrain, numbers, markers, strict=True)):
        if marker is not None and number not in MARKERS:
            raise InvalidBoard(f"tile {tile} has the marker {show(marker)}; markers are {listed(MARKERS)}")
        if number and not layout.carries_marker(tile, name):
            label = f"tile {tile} of {show(layout.name)} is {name}"
            raise InvalidBoard(f"{label}, which carries no marker there, but has {number}")
        if number is None and any(numbers) and layout.carries_marker(tile, name):
            raise InvalidBoard(f"tile {tile} ({name}) has no marker while others do; number all or none")
    return numbers
