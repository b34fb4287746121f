"""The review of an opening agrees with the one figure of chances."""

import json

import pytest

from catan_cp import InvalidArgument, best_moves, board_svg, review_opening, win_chances
from catan_cp.placement import Draft
from tests.formats.files import DRAFT

BOARD = DRAFT.known_board


def chances(*placed):
    """Return the chances after these settlements."""
    return win_chances(BOARD, [[v for p, v in placed if p == player] for player in (1, 2, 3)])


@pytest.fixture(scope="module")
def review():
    return review_opening(DRAFT)


def test_chances_before_and_after(review):
    for turn, move in enumerate(review.moves):
        seat, before = move.player - 1, DRAFT.settlements[:turn]
        assert move.before == chances(*before)[seat]
        assert move.after == chances(*before, (move.player, move.vertex))[seat]
        assert move.cost > -1e-9
        assert chances(*before, (move.player, move.best))[seat] == pytest.approx(move.before)
    assert [(move.player, move.vertex) for move in review.moves] == [*DRAFT.settlements]
    assert review.chances == chances(*DRAFT.settlements)


def test_sentences_and_json(review):
    lines = str(review).splitlines()
    assert len(lines) == len(review.moves) + 2
    costly = max(review.moves, key=lambda move: move.cost)
    assert f"({costly.best}) was worth {100 * costly.cost:.1f} points more" in str(review)
    assert "player 1 (RED) on lumber 9" in lines[0]
    value = json.loads(review.to_json())
    assert [move["vertex"] for move in value["moves"]] == [33, 29, 8, 38, 15, 46]
    assert value["seats"] == ["RED", "BLUE", "WHITE"]


def test_best_vertices_called_best():
    placed: tuple[tuple[int, int], ...] = ()
    for player in (1, 2, 3):
        placed += ((player, best_moves(BOARD, placed, 1)[0].vertex),)
    lines = str(review_opening(Draft(placed, (None,) * 3, BOARD))).splitlines()[:3]
    assert all(line.endswith("; the best vertex") for line in lines)


def test_ghosts_in_pictures(review):
    picture = board_svg(BOARD, **review.picture)
    assert 'class="ghosts"' in picture
    assert 'class="ghosts"' not in board_svg(BOARD, placement=DRAFT.placed)
    for ghosts in ([(7, 2)], [(1, 99)], [3]):
        with pytest.raises(InvalidArgument, match="ghost"):
            board_svg(BOARD, placement=DRAFT.placed, ghosts=ghosts)


def test_openings_without_measured_chances():
    for draft, message in {
        Draft(((1, 33),), (None,)): "draft must have a board",
        Draft((), (), BOARD): "draft must have a settlement",
        Draft(((1, 33),), (None,), BOARD, ("A", "B")): "3 to 6 players",
    }.items():
        with pytest.raises(InvalidArgument, match=message):
            review_opening(draft)
