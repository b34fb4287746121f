"""Answers of a chat bot. Connect `answer` to the library of a chat service.

board [seed]          a board in notation, and its picture
rate NOTATION         how even a board is
"""

import sys
from dataclasses import dataclass

from catan_cp import Board, CatanError, board_svg, efficiency_error, generate_board

LONGEST = 500


@dataclass(frozen=True)
class Answer:
    """Text, and a picture in SVG or None."""

    text: str
    picture: str | None = None


def answer(message: str) -> Answer:
    """Return the answer to a message of a user, whatever it contains."""
    command, _, rest = message[:LONGEST].strip().partition(" ")
    try:
        if command == "board":
            board = generate_board("tournament", seed=int(rest) if rest.isdecimal() else None)
            return Answer(board.notation(), board_svg(board))
        if command == "rate":
            board = Board.from_notation(rest.strip())
            return Answer(f"efficiency error {efficiency_error(board):.4f} (0 is even)", board_svg(board))
    except CatanError as error:
        return Answer(f"Sorry: {error}")
    return Answer("Commands: board [seed], rate NOTATION")


if __name__ == "__main__":
    for line in sys.stdin:
        print(answer(line).text)
