"""Boards as pytest fixtures, for tests of a program that uses boards: ``pytest examples/recipes``."""

from collections.abc import Callable

import pytest

from catan_cp import Board, generate_board, generate_boards


@pytest.fixture(scope="session")
def board() -> Board:
    """Return one board, the same in every run."""
    return generate_board("tournament", seed=1)


@pytest.fixture(scope="session")
def make_boards() -> Callable[[int], list[Board]]:
    """Return a function that makes boards, the same in every run."""
    return lambda n: list(generate_boards(n, "tournament", seed=1))


@pytest.fixture(params=range(3))
def any_board(request: pytest.FixtureRequest) -> Board:
    """Return a board. The test runs once for each of three seeds."""
    return generate_board("open", seed=request.param)


def test_a_board_has_eighteen_numbers(board: Board) -> None:
    """Test with the one board."""
    assert sum(marker is not None for marker in board.markers) == 18


def test_boards_differ(make_boards: Callable[[int], list[Board]]) -> None:
    """Test with many boards."""
    assert len(set(make_boards(50))) == 50


def test_notation_is_read_back(any_board: Board) -> None:
    """Test with three boards, one after another."""
    assert Board.from_notation(any_board.notation()) == any_board
