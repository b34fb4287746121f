"""A layout: a set of hexagons and the pieces that fill it, with what is fixed and what is shuffled.

The built-in layouts are the files ``layouts/*.toml`` at the top of the repository, read when first asked for.
`layout_files` reads and writes such files.

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

from catan_cp.boards.details import Pool, Said
from catan_cp.boards.geometry import ADJACENCIES, Pair, rowed
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
"""The layouts of the first version, whose boards' notation names no layout: their rows tell them apart."""


@dataclass(frozen=True, repr=False)
class Layout(Said):
    """A board's shape and the pieces that fill it. Immutable; geometry is computed on first use.

    Layouts are equal when all of the following are, so one of your own never passes for a built-in one.

    Args:
        name: what people call it: a word without spaces, ``/``, ``:``, ``,`` or ``@``.
        rows: tiles in each row, top to bottom; neighbouring rows differ by one tile. With *tiles*, any.
        terrain_counts: how many tiles of each terrain the box holds, as many as there are tiles.
        marker_supply: how many of each marker the box holds; may be more than there are tiles to number.
        target_efficiency: per terrain, what `catan_cp.efficiency` is on boards that a designer made.
        printed_harbors: the frame's harbors; empty where the layout has no printed frame.
        spiral_order: the rule book's fixed order of markers; empty where it gives none.
        beginner_board: the rule book's first board, in notation; empty where it gives none.
        title: the name in full.
        tiles: the centre (x, y) of each tile in reading order, where rows do not tell: x in half widths of a
            tile, y in quarters of its height.
        sea_frame: the centres of sea hexagons that never move. They are drawn, and are no tiles.
        further_terrains: the letter of each terrain beside the usual ones; they yield nothing and carry no
            marker (lake, oasis, castle, fog, ...).
        fixed_terrain: the terrain of each tile that never moves.
        fixed_markers: the marker of each tile whose marker never moves.
        unmarked: fixed tiles that carry no marker though their terrain could.
        terrain_group: per tile, the group within which its terrain is shuffled; empty: all in group 0.
        marker_group: the same for markers; empty: as the terrain.
        group_terrain: the terrains of each group but 0, fixed tiles not counted.
        group_markers: the markers of each marker group but 0, fixed ones not counted.
        second_marker: for a marker that the box holds once, the marker that lies beside it on its tile.
        inland: terrains that must not lie beside the sea.
        pips_max: per tile, the most pips that a marker there may have.
        terrain_marker_pips_min: per terrain, the least pips that a marker on it may have.
        terrain_marker_pips_max: per terrain, the most.
        fixed_harbors: the places of printed harbors whose trade is never shuffled.
        movable_harbors: the places of printed harbors that may stand at any other coast.
        fishing_grounds: where fish are caught.
        settle: tiles at which the first settlements are founded; empty: anywhere on land.
        rivers, spinning: tiles with a river, and tiles drawn in any turn; for pictures only.
        turned: by how many degrees clockwise a tile is drawn turned; for pictures only.
        sideways: whether the box shows the board turned by a quarter.
        source: who made the board, and where it is from.
        remarks: what the edition says beside.

    Raises:
        InvalidBoard: rows that do not interlock, pieces that do not fill them, or harbors off the coast.
    """

    def __hash__(self) -> int:
        return hash((self.name, self.tiles))

    def __reduce__(self) -> tuple[Callable[..., Layout], tuple[Any, ...]]:
        """Travel without geometry; a built-in layout arrives as the one that is there already."""
        if self.is_built_in:
            return find_layout, (self.name,)
        return partial(Layout, **self._said()), ()

    def __repr__(self) -> str:
        if self.is_built_in:
            return f"LAYOUTS[{self.name!r}]"
        return f"Layout({', '.join(f'{name}={value!r}' for name, value in self._said().items())})"

    def _said(self) -> dict[str, Any]:
        """The arguments that make this layout, those left out that have their default."""
        values = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}
        said = {name: value for name, value in values.items() if value or name == "marker_supply"}
        if self.tiles == rowed(self.rows):
            del said["tiles"]
        return said

    @property
    def is_built_in(self) -> bool:
        """Whether this is the built-in layout of its name."""
        return self.name in LAYOUTS and LAYOUTS[self.name] == self

    # Files

    @classmethod
    def from_toml(cls, path: str | Path) -> Layout:
        """Read a layout from a file as `docs/layouts.md` describes it; its name is the file's.

        Raises:
            InvalidBoard: the file cannot be read, or says what cannot be, with the line and the reason.
        """
        text = read_small(path, LARGEST_FILE, "layout file", InvalidBoard)
        file = Path(path)
        name = file.name.removesuffix(".toml")
        if name in LAYOUTS and read_layout(text, name, file.name, built_in=True) == LAYOUTS[name]:
            return LAYOUTS[name]
        return read_layout(text, name, file.name)

    def to_toml(self) -> str:
        """Return the text of a file that `from_toml` reads back as this layout."""
        if self.is_built_in:
            return (layouts_dir() / f"{self.name}.toml").read_text(encoding="utf-8")
        return layout_text(self)


def find_layout(layout: str | Layout) -> Layout:
    """Return the layout of that name, or *layout* itself where it is one.

    Raises:
        InvalidBoard: no layout has that name.
    """
    if isinstance(layout, Layout):
        return layout
    if not isinstance(layout, str) or layout not in LAYOUTS:
        more = f"and {len(LAYOUTS) - len(CLASSIC)} more (catan-cp layouts lists them)"
        meant = did_you_mean(layout, LAYOUTS)
        raise InvalidBoard(f"unknown layout {show(layout)}; {meant}layouts are {listed(CLASSIC)}, {more}")
    return LAYOUTS[layout]


class _Layouts(Mapping[str, Layout]):
    """The layouts in the folder, each read when it is first asked for."""

    @cached_property
    def _files(self) -> dict[str, Path]:
        folder = layouts_dir()
        found = {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)}
        return {name: found[name] for name in (*CLASSIC, *(name for name in found if name not in CLASSIC))}

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
        text: what the file says.
        name: the layout's name.
        file: how messages call the file.
        built_in: whether this is the layout's own file, by whose name its boards' notation is read.

    Raises:
        InvalidBoard: the text does not describe a layout; the message has the line and the reason.
    """
    values = read_values(text, file, _ending(name, built_in))
    try:
        return Layout(name, **values)
    except InvalidBoard as error:
        raise InvalidBoard(f"{file}: {error}") from None


def _ending(name: str, built_in: bool) -> str:
    """What the notation of a layout's boards ends with."""
    if built_in and name in CLASSIC:
        return ""
    return f"@{name}" if built_in or name not in LAYOUTS else f"@own:{name}"


def layouts_dir() -> Path:
    """Return the folder of the built-in layouts' files: inside the package, or at the top of a checkout.

    Raises:
        CatanError: it is missing, so the package is not whole.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "layouts", package.parent / "layouts"):
        if (folder / "base.toml").is_file():
            return folder
    raise CatanError(f"the layouts are missing beside {package}; install catan-cp again")


def _plain(value: Any) -> Any:
    """The value without read-only wrappers, which can neither be pickled nor evaluated."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value


LAYOUTS: Mapping[str, Layout] = _Layouts()
"""The built-in layouts by name, those of `CLASSIC` first. Read-only; each file is read on first use."""
