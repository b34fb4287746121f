"""SVG files for cutters and plotters: outlines in millimetres, with text as paths.

The group ``cut`` has a closed path for each tile, disc and harbor. The group ``write`` has the text on them.
No path has a fill, a transformation or a clip, and no line occurs twice.
"""

from collections.abc import Iterator, Sequence
from html import escape
from math import sqrt

from matplotlib.path import Path

from catan_cp.boards.board import Board
from catan_cp.draw.content import Content, checked_board
from catan_cp.draw.picture import text_path
from catan_cp.draw.shapes import Line, circle, hexagon
from catan_cp.errors import InvalidArgument, real_number, show

GAME_MM = 79.0
"""Width of the game's tiles in millimetres, between parallel edges."""

_TILE, _DISC, _HARBOR = 0.97, 0.4, 0.38  # in tile edges, with a gap between tiles for the cutter
_COMMANDS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C", Path.CLOSEPOLY: "Z"}


def cut_svg(board: Board, hex_mm: float = GAME_MM) -> str:
    """Return the board's tiles, markers and harbors as the text of an SVG file for cutters.

    Tiles carry the letters of the notation, markers their numbers, harbors their trades.

    Args:
        board: a board, with or without markers and harbors.
        hex_mm: the width of a tile between parallel edges in millimetres.

    Raises:
        InvalidArgument: *board* is not a board, or *hex_mm* is not a number from 1 to 1,000.
    """
    width = real_number(hex_mm)
    if width is None or not 1 <= width <= 1000:
        raise InvalidArgument(f"hex_mm must be a number of millimetres from 1 to 1000, not {show(hex_mm)}")
    content, edge = Content(checked_board(board)), width / sqrt(3)
    signs = content.signs
    numbered = [(spot, m) for spot, m in zip(content.centres, board.markers, strict=True) if m is not None]
    cut: list[Line] = [hexagon(spot, _TILE, flat=board.layout.sideways) for spot in content.centres]
    cut += [circle(spot, _DISC) for spot, _ in numbered] + [circle(spot, _HARBOR) for spot in signs]
    written = [text_path(str(marker), spot, 0.36) for spot, marker in numbered]
    written += [
        text_path(content.letter(name), (x, y + 0.65), 0.2)
        for (x, y), name in zip(content.centres, board.terrain, strict=True)
    ]
    for (x, y), harbor in zip(signs, board.harbors, strict=True):
        letter = "" if harbor.trade == "3:1" else f" {content.letter(harbor.trade)}"
        written.append(text_path(("2:1" if letter else "3:1") + letter, (x, y), 0.15))
    xs, ys = zip(*(point for line in cut for point in line), strict=True)
    origin, across, down = (min(xs), max(ys)), (max(xs) - min(xs)) * edge, (max(ys) - min(ys)) * edge

    def group(name: str, paths: Sequence[Path]) -> str:
        shapes = "\n".join(f'<path d="{"".join(_data(path, origin, edge))}"/>' for path in paths)
        return f'<g id="{name}">\n{shapes}\n</g>\n'

    outlines = [Path([*line, line[0]], closed=True) for line in cut]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.2f}mm" height="{down:.2f}mm" '
        f'viewBox="0 0 {across:.2f} {down:.2f}" fill="none" stroke="#000" stroke-width="0.1">\n'
        f"<title>{escape(board.notation())}</title>\n"
        f"{group('cut', outlines)}{group('write', written)}</svg>\n"
    )


def _data(path: Path, origin: tuple[float, float], edge: float) -> Iterator[str]:
    """Yield the commands of a path in millimetres from the *origin*, the upper left corner."""
    for points, code in path.iter_segments(simplify=False, curves=True):
        command = _COMMANDS[code]
        places = zip(points[::2], points[1::2], strict=True) if command != "Z" else ()
        spots = (f"{(x - origin[0]) * edge:.2f} {(origin[1] - y) * edge:.2f}" for x, y in places)
        yield command + " ".join(spots)
