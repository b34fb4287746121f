"""Pages of boards to print: sizes, scales, pages to glue together, and rules."""

import re
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

from catan_cp import LAYOUTS, Board, InvalidArgument, InvalidBoard, Rules, generate_board, print_sheet

# Older versions of matplotlib warn of a PDF without pages.
pytestmark = pytest.mark.filterwarnings("ignore:Keeping empty pdf files")
ROWS = LAYOUTS["base"].beginner_board
BOARD = Board.from_notation(f"{ROWS}:printed")


@pytest.fixture
def pages(monkeypatch):
    """The figures of the pages, which are not written."""
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    return figures


def shapes_on(page, name):
    return [(ax, shapes) for ax in page.axes for shapes in ax.collections if shapes.get_gid() == name]


def board_on(page):
    """Return the axes of the board, and the width of a tile in millimetres."""
    ((ax, _),) = shapes_on(page, "land")
    page.draw_without_rendering()
    # Tiles 0 and 1 touch, so their centres are one width apart.
    (left, _), (right, _) = (
        ax.transData.transform((x * 3**0.5 / 2, -y / 2)) for x, y in BOARD.layout.tiles[:2]
    )
    return ax, (right - left) / page.dpi * 25.4


def page_mm(data: bytes) -> tuple[float, ...]:
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", data)
    return tuple(float(side) * 25.4 / 72 for side in box.groups())


def test_sheet_has_size_of_its_paper(tmp_path):
    upright = print_sheet(BOARD, tmp_path / "a.pdf", title="To print", letters=True).read_bytes()
    assert page_mm(upright) == pytest.approx((210, 297), abs=0.1)
    wide = generate_board("open", "seafarers-10", seed=1)
    across = print_sheet(wide, tmp_path / "b.pdf", "Letter").read_bytes()
    assert page_mm(across) == pytest.approx((279.4, 215.9), abs=0.1)


def test_sheet_has_chosen_scale(tmp_path, pages):
    print_sheet(BOARD, tmp_path / "a.pdf", hex_mm=25, letters=True)
    (page,) = pages
    ax, width = board_on(page)
    assert width == pytest.approx(25, abs=0.01)
    assert sum(ax.get_position().intervalx) == pytest.approx(1), "in the middle"
    ((axes, scale),) = shapes_on(page, "scale")
    box = scale.get_paths()[0].get_extents()
    (left, _), (right, _) = axes.transData.transform([box.p0, box.p1])
    assert (right - left) / page.dpi * 25.4 == pytest.approx(50, abs=0.01)
    assert len(shapes_on(page, "key")) == len(shapes_on(page, "terrain-name")) == 6
    assert all(sum(name.get_facecolor()[0, :3]) == 0 for _, name in shapes_on(page, "terrain-name")), "black"


def test_board_too_large_for_page(tmp_path):
    with pytest.raises(InvalidArgument, match=r"79 mm wide.*A4") as caught:
        print_sheet(BOARD, tmp_path / "a.pdf", hex_mm=79)
    fits = float(re.search(r"can be ([\d.]+) at most", str(caught.value))[1])
    with pytest.raises(InvalidArgument):
        print_sheet(BOARD, tmp_path / "a.pdf", hex_mm=fits + 0.1)
    assert not list(tmp_path.iterdir())
    assert print_sheet(BOARD, tmp_path / "a.pdf", hex_mm=fits).exists()
    data = print_sheet(BOARD, tmp_path / "b.pdf", "A3", hex_mm=fits + 0.1).read_bytes()
    assert sorted(page_mm(data)) == pytest.approx([297, 420], abs=0.1)


@pytest.mark.parametrize(("paper", "rules"), [("A4", None), ("Letter", Rules.preset("tournament"))])
def test_true_size_pages_fit_together(tmp_path, pages, paper, rules):
    """Tiles are 79 mm wide on six pages, neighbors repeat 10 mm, and no cut is in a number."""
    print_sheet(BOARD, tmp_path / "b.pdf", paper, tiled=True, title="big", rules=rules)
    assert len(pages) == 6
    windows = []
    for page in pages:
        ax, width = board_on(page)
        assert width == pytest.approx(79, abs=0.05)
        windows.append((*ax.get_xlim(), *ax.get_ylim()))
        lines = max(len(words.get_paths()) for _, words in shapes_on(page, "words"))
        assert (lines > 2) == (rules is not None)
    glued = [sum(len(lines.get_segments()) for _, lines in shapes_on(page, "glue")) for page in pages]
    assert (glued[0], sum(glued), glued[-1]) == (2, 7, 0)
    columns = sorted({round(left, 6): right for left, right, _, _ in windows}.items())
    overlaps = [(a[1] - b[0]) * 79 / 3**0.5 for a, b in pairwise(columns)]
    assert overlaps == pytest.approx([10] * len(overlaps), abs=0.01)
    ((_, signs),) = shapes_on(pages[0], "harbors")
    lefts, rights, lows, tops = zip(*windows, strict=True)
    assert np.all(signs.get_offsets() - 0.38 > (min(lefts), min(lows))), "harbors are whole"
    assert np.all(signs.get_offsets() + 0.38 < (max(rights), max(tops)))
    for x, y in ((x * 3**0.5 / 2, -y / 2) for x, y in BOARD.layout.tiles):
        assert any(left <= x <= right and low <= y <= high for left, right, low, high in windows)
        for start, end, low, high in windows:
            assert not (abs(x - start) < 0.42 and low < y < high)
            assert not (abs(y - high) < 0.42 and start < x < end)


def test_only_satisfied_rules_stated(tmp_path):
    boards = [generate_board("optimal", seed=1), Board.from_notation(ROWS)]
    with pytest.raises(InvalidBoard, match=rf"must satisfy the rules .*{ROWS} does not: .* and \d+ more"):
        print_sheet(boards, tmp_path / "a.pdf", rules="optimal")
    assert not list(tmp_path.iterdir())
    assert print_sheet(boards[:1], tmp_path / "a.pdf", rules="optimal").exists()
