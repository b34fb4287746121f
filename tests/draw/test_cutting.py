"""Boards for cutters: outlines in millimetres, and nothing that their programs cannot read."""

import re
from xml.etree import ElementTree

import pytest

from catan_cp.boards.board import Board
from catan_cp.draw.cutting import cut_svg
from catan_cp.errors import InvalidArgument

HARBORED = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("width", [79, 30.5])
def test_a_cutter_gets_closed_outlines_of_the_right_size(width):
    root = ElementTree.fromstring(cut_svg(HARBORED, width))
    assert {each.tag for each in root.iter()} == {SVG + tag for tag in ("svg", "g", "path", "title")}
    assert root.get("fill") == "none"
    assert all(set(each.attrib) == {"d"} for each in root.iter(SVG + "path"))
    cut, written = root.findall(SVG + "g")
    outlines = [each.get("d") for each in cut]
    assert len(outlines) == len(set(outlines)) == 19 + 18 + 9
    assert len(written) == 19 + 18 + 9
    assert all(d.count("M") == 1 and d.endswith("Z") for d in outlines)
    xs = [float(x) for x in re.findall(r"[ML](\S+) ", outlines[0])]
    assert max(xs) - min(xs) == pytest.approx(0.97 * width, abs=0.02)
    spots = [tuple(map(float, spot)) for d in outlines for spot in re.findall(r"[ML](\S+) ([\d.]+)", d)]
    right, bottom = (float(root.get(name).removesuffix("mm")) for name in ("width", "height"))
    assert max(x for x, _ in spots) == pytest.approx(right, abs=0.02)
    assert max(y for _, y in spots) == pytest.approx(bottom, abs=0.02)


def test_no_board_and_widths_that_are_none_are_refused():
    for width in (0, "wide", float("nan"), 10_000):
        with pytest.raises(InvalidArgument, match="hex_mm must be a number of millimetres"):
            cut_svg(HARBORED, width)
    with pytest.raises(InvalidArgument, match="shows a Board, not 3"):
        cut_svg(3)
