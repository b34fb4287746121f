"""Maps without a search for even ones, and few games on them."""

import pytest

from catan_cp import LAYOUTS, Board

BOARD = Board.from_notation(LAYOUTS["base"].beginner_board)


@pytest.fixture
def quick_maps(monkeypatch):
    """Take the rule book's first board as each map, and play 100 games on a map."""
    monkeypatch.setattr("catan_cp.analysis.seats.GAMES", 100)
    for module in ("planning", "results"):
        monkeypatch.setattr(f"catan_cp.tournament.{module}.make_maps", lambda n, *_: [BOARD] * n)
