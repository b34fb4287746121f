"""A board of each layout under the strictest preset that it admits, as in docs/layouts.md."""

from pathlib import Path

import pytest

from catan_cp import LAYOUTS, Infeasible, InvalidRules, Rules, generate_board

pytestmark = pytest.mark.solver

PAGE = Path(__file__).parents[2] / "docs" / "layouts.md"
PRESETS = ("optimal", "tournament", "official", "open")
"""From the strictest.

`official` bears on markers alone, and only two boxes print its order.
"""


def told():
    """Per layout, the strictest preset that the page names."""
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- strictest -->")[2].partition("<!-- end of strictest -->")[0]
    presets = {}
    for line in table.strip().splitlines()[2:]:
        _, label, names, _ = line.split("|")
        for name in names.split(","):
            presets[name.strip("` ")] = label.split("`")[1]
    return presets


STRICTEST = told()
QUICK = ("cloth-for-catan", "caravans", "wonders-of-catan", "pirate-islands")


def test_page_tells_of_every_layout():
    assert set(STRICTEST) == set(LAYOUTS)
    assert set(STRICTEST.values()) <= set(PRESETS)


def every(marks):
    return [pytest.param(name, marks=[] if name in QUICK else marks) for name in LAYOUTS]


@pytest.mark.parametrize("name", every([pytest.mark.slow]))
def test_strictest_preset_with_board(name):
    strictest = STRICTEST[name]
    for preset in PRESETS[: PRESETS.index(strictest)]:
        with pytest.raises((Infeasible, InvalidRules)):
            generate_board(preset, name, seed=1, timeout=240)
    for preset in (strictest, "open"):
        board = generate_board(preset, name, seed=1, timeout=240)
        assert board.layout is LAYOUTS[name]
        assert Rules.preset(preset).check(board) == []
