"""Printed pages, compared with a stored list of all that is on them, in millimetres.

`python -m tests.draw.test_pages` stores the list again after an intended change. Look at the pages.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from catan_cp import Board, SeatCheck, Tournament, generate_board, print_sheet
from catan_cp.tournament import Results, Round, save_kit, save_standings

# Older versions of matplotlib warn of a PDF without pages.
pytestmark = pytest.mark.filterwarnings("ignore:Keeping empty pdf files")
LISTING = Path(__file__).parent / "golden" / "pages.txt"
NUMBER = re.compile(r"-?\d+\.\d+")
BOARD = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
NAMES = ("Ann", "Bob", "Cem", "Dot", "Eva", "Fay", "Gil")


def cup() -> Tournament:
    """Return a small tournament of two rounds, without searching a plan and playing games."""
    tables = [(NAMES[:4], NAMES[4:]), (NAMES[3:], NAMES[:3])]
    boards = (BOARD, generate_board("open", "seafarers-10", seed=3))
    rounds = tuple(Round(board, part) for board, part in zip(boards, tables, strict=True))
    for part in rounds:
        chances = [(0.25, 0.31, 0.24, 0.2), (0.3, 0.41, 0.29)]
        vars(part)["checks"] = {len(shares): SeatCheck(part.board, (), shares) for shares in chances}
    return Tournament(NAMES, rounds, (0, 0), (0, 0))


def write_pages(folder: Path) -> None:
    """Write a file of each kind."""
    print_sheet(BOARD, folder / "one.pdf", title="One board", rules="open")
    print_sheet(BOARD, folder / "six.pdf", "Letter", tiled=True, title="Six pages", letters=True)
    plan = cup()
    links = ["https://example.org/" + "a" * n for n in (1, 200)]
    save_kit(plan, folder / "kit.pdf", links=links, title="A cup with quite a long title for one line")
    results = Results(plan).enter(1, 1, (10, 8, 8, 2)).enter(1, 2, (9, 10, 3))
    save_standings(results.standings(), folder / "standings.pdf", paper="A3")
    save_standings(results.standings(), folder / "standings.svg")


def shapes(figure: Figure, ax: Axes) -> Iterator[str]:
    """Yield the place of an axes. Of the axes of a page, yield each group: name, number, ends, line width.

    The stored pictures show the groups of a board.
    """
    scale = 25.4 / figure.dpi
    ax.apply_aspect()
    place = ax.get_window_extent().extents * scale
    yield "axes " + " ".join(f"{value:.1f}" for value in (*place, *ax.get_xlim(), *ax.get_ylim()))
    for group in ax.collections if place[:2].round(1).max() == 0 else ():
        boxes = [path.transformed(ax.transData).get_extents() for path in group.get_paths()]
        if boxes:
            x = [value * scale for box in boxes for value in box.intervalx]
            y = [value * scale for box in boxes for value in box.intervaly]
            ends = " ".join(f"{value:.1f}" for value in (min(x), min(y), max(x), max(y)))
            yield f"  {group.get_gid()} {len(boxes)}: {ends}, {group.get_linewidths()[0]:.2f}"


def listing() -> str:
    """Return the list of all pages."""
    lines: list[str] = []

    def store(figure: Figure, *_: object, **__: object) -> None:
        width, height = (25.4 * side for side in figure.get_size_inches())
        lines.append(f"page {width:.1f} x {height:.1f}")
        lines.extend(line for ax in figure.axes for line in shapes(figure, ax))

    with TemporaryDirectory() as folder, patch.object(Figure, "savefig", store):
        write_pages(Path(folder))
    return "\n".join(lines) + "\n"


def test_pages_equal_stored_ones():
    pytest.importorskip("segno")
    stored, now = LISTING.read_text(encoding="utf-8"), listing()
    assert NUMBER.sub("", now).splitlines() == NUMBER.sub("", stored).splitlines()
    for old, new in zip(stored.splitlines(), now.splitlines(), strict=True):
        assert [*map(float, NUMBER.findall(new))] == pytest.approx(
            [*map(float, NUMBER.findall(old))], abs=0.11
        )


if __name__ == "__main__":
    LISTING.write_text(listing(), encoding="utf-8")
