"""A map without a search for even ones, which plays thousands of games."""

import pytest

from catan_cp import LAYOUTS, Board

BOARD = Board.from_notation(LAYOUTS["base"].beginner_board)


@pytest.fixture
def same_map(monkeypatch):
    """Take the rule book's first board as each map."""
    for module in ("planning", "results"):
        monkeypatch.setattr(f"catan_cp.tournament.{module}.make_maps", lambda n, *_: [BOARD] * n)
