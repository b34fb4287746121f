"""A thousand boards of four presets on both sides of the bridge: `make played`, some minutes.

The name keeps it out of the usual tests, which try a few boards of each.
"""

import pytest

pytest.importorskip("catanatron", reason="the extra 'play' is not installed")

from test_bridge import PRESETS, check_both_sides, with_harbors

from catan_cp import generate_board


@pytest.mark.parametrize("preset", PRESETS)
def test_250_boards_are_the_same_on_both_sides(preset):
    for number in range(250):
        check_both_sides(with_harbors(generate_board(rules=preset, seed=number), number))
