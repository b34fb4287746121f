"""Layouts: hexagons and the pieces that fill them, some fixed and the others shuffled.

The built-in layouts are the files ``layouts/*.toml`` at the top of the repository. Each file is read on first
use. `layout_files` reads and writes such files.

>>> base = LAYOUTS["base"]
>>> base.n_tiles, base.n_vertices, len(base.edges), len(base.adjacency("hex"))
(19, 54, 72, 42)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from catan_cp.boards.details import LayoutFields, Pool
from catan_cp.boards.geometry import ADJACENCIES, Pair, row_centres
from catan_cp.boards.layout_files import LARGEST_FILE, layout_text, read_values
from catan_cp.boards.pieces import FishingGround, Harbor
from catan_cp.errors import CatanError, InvalidBoard, did_you_mean, listed, show
from catan_cp.files import read_small

__all__ = [
    "ADJACENCIES",
    "CLASSIC",
    "LAYOUTS",
    "FishingGround",
    "Harbor",
    "Layout",
    "Pair",
    "Pool",
    "find_layout",
    "read_layout",
]

CLASSIC = (
    "base", "base-5-6", "seafarers-6", "seafarers-7", "seafarers-8", "seafarers-9", "seafarers-10"
)  # fmt: skip
"""Layouts that the notation of a board does not name, because its rows identify them."""


@dataclass(frozen=True, repr=False)
class Layout(LayoutFields):
    """Shape of a board and the pieces that fill it. Immutable.

    Layouts are equal if all fields are equal, so a custom layout never equals a built-in one by its name
    alone. Geometry is computed on first use.

    Args:
        name: a word without spaces, ``/``, ``:``, ``,`` or ``@``.
        rows: the number of tiles in each row from top to bottom, and neighboring rows differ by one tile.
            Ignored if *tiles* is given.
        terrain_counts: the number of tiles of each terrain in the box. The sum is the number of tiles.
        marker_supply: the number of each marker in the box. The supply may exceed the tiles to number.
        target_efficiency: `catan_cp.efficiency` of each terrain on published boards.
        printed_harbors: the harbors printed on the frame, or empty if the layout has no printed frame.
        spiral_order: the fixed order of markers in the rule book, or empty if it has none.
        beginner_board: the first board of the rule book in notation, or empty if it has none.
        title: the full name.
        tiles: the centre (x, y) of each tile in reading order, for shapes that *rows* cannot express. x is in
            half widths of a tile and y in quarters of its height.
        sea_frame: the centres of sea hexagons that never move. They are plotted but are not tiles.
        further_terrains: the letter of each additional terrain (lake, oasis, castle, fog, ...). Such terrains
            yield nothing and carry no marker.
        fixed_terrain: the terrain of each tile that is never shuffled.
        fixed_markers: the marker of each tile whose marker is never shuffled.
        unmarked: fixed tiles without a marker although their terrain could carry one.
        terrain_group: the group of each tile within which its terrain is shuffled; empty means group 0 for
            all.
        marker_group: the same for markers. Empty means the groups of the terrain.
        group_terrain: the terrains of each group except 0, without fixed tiles.
        group_markers: the markers of each marker group except 0, without fixed markers.
        second_marker: the second marker on the tile of a marker. The box holds such a marker once.
        inland: terrains that must not touch the sea.
        pips_max: the maximum number of pips of a marker on each tile.
        terrain_marker_pips_min: the minimum number of pips of a marker on each terrain.
        terrain_marker_pips_max: the maximum number of pips of a marker on each terrain.
        fixed_harbors: the edges of printed harbors whose trade is never shuffled.
        movable_harbors: the edges of printed harbors that may move to any other coast edge.
        fishing_grounds: the fishing grounds.
        settle: tiles at which the first settlements are placed. Empty means all land.
        rivers, spinning: tiles with a river, and tiles plotted with any rotation, for pictures only.
        turned: the clockwise rotation of a tile in degrees, for pictures only.
        sideways: True if the box shows the board rotated by 90 degrees to the right.
        source: the author and origin of the layout.
        game: ``base``, ``seafarers``, ``cities-knights``, ``traders-barbarians``, ``explorers-pirates``, or
            several joined by ``+``. Empty if unknown. Chances to win are known for the base game only.
        remarks: other remarks of the edition.

    Raises:
        InvalidBoard: rows that do not interlock, pieces that do not fill the tiles, harbors off the coast, or
            a field that violates the description above.

    Example:
        >>> four = Layout("four", (1, 2, 1), {"brick": 2, "ore": 2}, {6: 2, 8: 2})
        >>> four.n_tiles, four.n_vertices, len(four.edges)
        (4, 16, 19)
    """

    def __hash__(self) -> int:
        return hash((self.name, self.tiles))

    def __reduce__(self) -> tuple[Callable[..., Layout], tuple[Any, ...]]:
        """Pickle the arguments without the computed geometry, and a built-in layout by its name."""
        if self.is_built_in:
            return find_layout, (self.name,)
        return partial(Layout, **self._arguments()), ()

    def __repr__(self) -> str:
        if self.is_built_in:
            return f"LAYOUTS[{self.name!r}]"
        return f"Layout({', '.join(f'{name}={value!r}' for name, value in self._arguments().items())})"

    def _arguments(self) -> dict[str, Any]:
        """Return the arguments that create this layout, without those equal to their default."""
        values = {spec.name: _without_proxies(getattr(self, spec.name)) for spec in fields(self)}
        arguments = {name: value for name, value in values.items() if value or name == "marker_supply"}
        if self.tiles == row_centres(self.rows):
            del arguments["tiles"]
        return arguments

    @property
    def is_built_in(self) -> bool:
        """True if this is the built-in layout of its name."""
        return self.name in LAYOUTS and LAYOUTS[self.name] == self

    # Files

    @classmethod
    def from_toml(cls, path: str | Path) -> Layout:
        """Read a layout from a file in the format of `docs/layouts.md`.

        The file's name without its ending becomes the name of the layout.

        Raises:
            InvalidBoard: the file cannot be read or is not valid. The message has the line and reason.
        """
        text = read_small(path, LARGEST_FILE, "layout file", InvalidBoard)
        file = Path(path)
        name = file.name.removesuffix(".toml")
        if name in LAYOUTS and read_layout(text, name, file.name, built_in=True) == LAYOUTS[name]:
            return LAYOUTS[name]
        return read_layout(text, name, file.name)

    def to_toml(self) -> str:
        """Return the layout as the text of a file that `from_toml` reads."""
        if self.is_built_in:
            return (layouts_dir() / f"{self.name}.toml").read_text(encoding="utf-8")
        return layout_text(self)


def find_layout(layout: str | Layout) -> Layout:
    """Return the built-in layout of a name, or *layout* itself if it is a `Layout`.

    Raises:
        InvalidBoard: no layout has this name.
    """
    if isinstance(layout, Layout):
        return layout
    if not isinstance(layout, str) or layout not in LAYOUTS:
        more = f"and {len(LAYOUTS) - len(CLASSIC)} more (catan-cp layouts lists them)"
        suggestion = did_you_mean(layout, LAYOUTS)
        raise InvalidBoard(
            f"unknown layout {show(layout)}; {suggestion}layouts are {listed(CLASSIC)}, {more}"
        )
    return LAYOUTS[layout]


class _Layouts(Mapping[str, Layout]):
    """Built-in layouts by name, each read from its file on first use."""

    @cached_property
    def _files(self) -> dict[str, Path]:
        folder = layouts_dir()
        paths = {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)}
        return {name: paths[name] for name in (*CLASSIC, *(name for name in paths if name not in CLASSIC))}

    def __getitem__(self, name: str) -> Layout:
        return _built_in(self._files[name])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"LAYOUTS({listed(self)})"


@cache
def _built_in(path: Path) -> Layout:
    return read_layout(path.read_text(encoding="utf-8"), path.stem, path.name, built_in=True)


def read_layout(text: str, name: str, file: str, *, built_in: bool = False) -> Layout:
    """Read a layout from the text of a file.

    Args:
        text: the content of the file.
        name: the layout's name.
        file: the name of the file in messages.
        built_in: True if the file is that of the built-in layout *name*.

    Raises:
        InvalidBoard: the text does not describe a layout. The message has the line and reason.
    """
    values = read_values(text, file, _ending(name, built_in))
    try:
        return Layout(name, **values)
    except InvalidBoard as error:
        raise InvalidBoard(f"{file}: {error}") from None


def _ending(name: str, built_in: bool) -> str:
    """Return the end of the notation of a layout's boards."""
    if built_in and name in CLASSIC:
        return ""
    return f"@{name}" if built_in or name not in LAYOUTS else f"@own:{name}"


def layouts_dir() -> Path:
    """Return the folder of the built-in layout files, in the package or in a checkout.

    Raises:
        CatanError: the folder is missing, so the installation is incomplete.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "layouts", package.parent / "layouts"):
        if (folder / "base.toml").is_file():
            return folder
    raise CatanError(f"the layouts are missing beside {package}; install catan-cp again")


def _without_proxies(value: Any) -> Any:
    """Return the value without read-only wrappers, which can neither be pickled nor evaluated."""
    if isinstance(value, Mapping):
        return {key: _without_proxies(inner) for key, inner in value.items()}
    return value


LAYOUTS: Mapping[str, Layout] = _Layouts()
"""Built-in layouts by name, those of `CLASSIC` first. The mapping is read-only."""
