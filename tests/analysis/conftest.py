"""The seats of the rule book's first board, whose thousands of games are played once."""

from functools import cache

import pytest

from catan_cp import LAYOUTS, check_seats


@pytest.fixture(scope="session")
def beginner_seats():
    """Return the function from a number of players to the check of the seats."""
    return cache(lambda players: check_seats(LAYOUTS["base"].beginner_board, players))
