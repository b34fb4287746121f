"""Write finished games of programs in the formats of people's games, to try the trial.

    python -m research.people.synthetic FOLDER --games 12 --seed 1

Each game has a random official board. Four greedy players place and play, so the chances to win are those of
the games that `win_chances` was fitted on. A file has the fields that the trial reads, and no others.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from catan_cp import generate_board, play_games
from catan_cp.placement import Draft
from tests.formats.files import FILES

SEATS = ("RED", "BLUE", "ORANGE", "WHITE")


def games(n: int, seed: int) -> Iterator[tuple[Draft, int]]:
    """Yield the openings of games of four greedy players, with the winner's seat from 0."""
    for number in range(1000 * seed, 1000 * seed + n):
        board = generate_board("official", seed=number)
        row = play_games(board, 1, players="greedy", seed=number).rows[0]
        first, second = (list(enumerate(turn, start=1)) for turn in row["settlements"].T.tolist())
        order = (*first, *reversed(second))
        ends = tuple(board.layout.vertex_neighbors[vertex][0] for _, vertex in order)
        yield Draft(order, ends, board, SEATS), int(row["winner"]) - 1


def text_of(program: str, draft: Draft, winner: int) -> str:
    """Return the file of a finished game in the format of a program."""
    text: str = FILES[program](draft)  # type: ignore[no-untyped-call]
    if program == "catanlog":
        return f"{text}\n{SEATS[winner]} wins\n"
    game: dict[str, Any] = json.loads(text)
    if program == "colonist.io":
        players = {str(winner + 1): {"winningPlayer": True}}
        game["data"]["eventHistory"]["endGameState"] = {"players": players}
        game["data"]["gameSettings"] = {"victoryPointsToWin": 10}
    elif program == "JSettlers2":
        game["gameState"] = 1000
        for seat, chair in enumerate(game["playerSeats"]):
            chair["totalVP"] = 10 if seat == winner else 7
    else:
        game["winning_color"] = SEATS[winner]
    return json.dumps(game)


def write(folder: Path, n: int, seed: int) -> None:
    """Write *n* games in each format."""
    for number, (draft, winner) in enumerate(games(n, seed)):
        for program in FILES:
            (folder / program).mkdir(parents=True, exist_ok=True)
            (folder / program / f"{number:05}").write_text(text_of(program, draft, winner))


def main(words: list[str] | None = None) -> None:
    """Run a command line."""
    parser = argparse.ArgumentParser(prog="python -m research.people.synthetic", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="folder for a folder of files per format")
    parser.add_argument("--games", type=int, default=12, help="games per format (default: 12)")
    parser.add_argument("--seed", type=int, default=1, help="seed (default: 1)")
    chosen = parser.parse_args(words)
    write(chosen.folder, chosen.games, chosen.seed)


if __name__ == "__main__":
    main()
