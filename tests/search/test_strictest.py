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


def presets_on_page():
    """Return the strictest preset that the page names for each layout."""
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- strictest -->")[2].partition("<!-- end of strictest -->")[0]
    presets = {}
    for line in table.strip().splitlines()[2:]:
        _, label, names, _ = line.split("|")
        for name in names.split(","):
            presets[name.strip("` ")] = label.split("`")[1]
    return presets


STRICTEST = presets_on_page()
QUICK = ("cloth-for-catan", "caravans", "wonders-of-catan", "pirate-islands")


def test_page_has_every_layout():
    assert set(STRICTEST) == set(LAYOUTS)
    assert set(STRICTEST.values()) <= set(PRESETS)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in LAYOUTS]
)
def test_strictest_preset_with_board(name):
    strictest = STRICTEST[name]
    for preset in PRESETS[: PRESETS.index(strictest)]:
        with pytest.raises((Infeasible, InvalidRules)):
            generate_board(preset, name, seed=1, timeout=240)
    for preset in (strictest, "open"):
        board = generate_board(preset, name, seed=1, timeout=240)
        assert board.layout is LAYOUTS[name]
        assert Rules.preset(preset).check(board) == []
