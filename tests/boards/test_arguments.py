"""Numbers of numpy and seeds have one meaning in all functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import catan_cp
from catan_cp import Board, Layout

PRINTED = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
BOARD = Board.from_notation(PRINTED)
SEVEN = Layout("seven", (2, 3, 2), {"brick": 2, "lumber": 2, "ore": 2, "desert": 1}, {6: 2, 8: 2, 4: 2})
SMALL = Board.from_notation("b6l8/o4db8/l4o6", SEVEN)

GOAL = catan_cp.Objective()
NUMBERS: dict[str, tuple[Callable[[Any], object], Any, Any]] = {
    "players": (lambda n: catan_cp.solve_placement(BOARD, n), np.int64(2), 2),
    "placed": (lambda v: catan_cp.solve_placement(BOARD, 2, placed=[(v // v, v)]), np.int16(8), 8),
    "rationality": (lambda x: catan_cp.solve_placement(SMALL, 2, rationality=x), np.float32(0.5), 0.5),
    "weight": (lambda x: catan_cp.Objective(cards=x), np.float32(0.5), 0.5),
    "whole weight": (lambda x: catan_cp.Objective(cards=x), np.int8(3), 3),
    "best moves": (lambda k: catan_cp.best_moves(BOARD, k=k, players=2, objective=GOAL), np.uint8(2), 2),
    "timeout": (lambda s: catan_cp.count_terrains("optimal", timeout=s), np.float32(60), 60),
    "whole timeout": (lambda s: catan_cp.count_terrains("optimal", timeout=s), np.int32(60), 60),
    "study": (lambda n: catan_cp.Study(n, seed=n, players=2, chunk=n), np.int64(5), 5),
    "swaps": (lambda n: catan_cp.improve_evenness(BOARD, n, 1, seed=n).board, np.int64(5), 5),
    "target": (lambda x: catan_cp.efficiency_error(BOARD, {"ore": x}), np.float32(0.5), 0.5),
    "seed": (lambda k: catan_cp.generate_board("tournament", seed=k), np.int64(7), 7),
    "n": (lambda n: list(catan_cp.sample_boards(n, "tournament", seed=n)), np.uint16(3), 3),
    "columns": (lambda n: len(catan_cp.plot_gallery([BOARD] * 3, columns=n).axes), np.int64(2), 2),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_numpy_accepted(name: str) -> None:
    ask, numpys, own = NUMBERS[name]
    result, expected = ask(numpys), ask(own)
    assert result == expected
    if name == "study":
        assert catan_cp.Study.from_json(result.to_json()) == expected  # type: ignore[attr-defined]


SEEDED: dict[str, Callable[[int], object]] = {
    "generate_board": lambda seed: catan_cp.generate_board("optimal", seed=seed),
    "walked": lambda seed: catan_cp.generate_board("tournament", method="walk", seed=seed),
    "sample_boards": lambda seed: list(catan_cp.sample_boards(2, "tournament", seed=seed)),
    "sample_terrains": lambda seed: catan_cp.sample_terrains(2, "tournament", seed=seed),
    "improve_evenness": lambda seed: catan_cp.improve_evenness(BOARD, 20, 2, seed=seed).board,
    "make_puzzle": lambda seed: catan_cp.make_puzzle(BOARD, "tournament", seed=seed),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "make_puzzle")) for name in SEEDED]
)
def test_seed_and_its_negative_differ(name: str) -> None:
    draw = SEEDED[name]
    assert draw(-7) == draw(-7)
    assert draw(-7) != draw(7)


def test_known_boards_of_seeds() -> None:
    notations = [catan_cp.generate_board("tournament", seed=seed).notation() for seed in (0, 7)]
    assert notations == [
        "o3w8d/l5o2b10l5/l8g11l9o11g6/w4g4w10g9/w6b3b12:printed",
        "g9dl11/b6w4o3w11/l3w10g8o2g8/l4b5g10w12/o5l9b6:printed",
    ]
