"""Play many games of a board: here or in processes, with progress, and going on from a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from catan_cp.arguments import check_count, check_seed
from catan_cp.boards.board import Board
from catan_cp.errors import InvalidArgument, show
from catan_cp.play.engine import engine_version
from catan_cp.play.games import Game, Games
from catan_cp.play.record import Record
from catan_cp.play.specs import Moves, Spec, read_placement, read_players

MOST_GAMES = 10_000_000
BATCH = 10
"""How many games a process plays between two reports: the most that a kill costs, per process."""

Progress = Callable[[int, int], None]


def play_games(
    board: Board | str,
    n: int,
    *,
    players: str | Sequence[str] = "weighted",
    placement: str = "free",
    seed: int,
    workers: int = 1,
    file: str | Path | None = None,
    progress: Progress | None = None,
) -> Games:
    """Play *n* games on *board* and return what happened.

    Game *i* depends on the board, the players, the placement, *seed* and *i* alone: not on the process that
    plays it, nor on how many are played.

    Args:
        board: a board of ``base`` with markers, or its notation. Its harbors count.
        n: how many games.
        players: a name for all four seats, or one for each of two to four, as a sequence or with commas.
            A name is a style (`STYLES`), or ``STYLE:PLAN`` with a plan for the first settlements (`PLANS`).
        placement: ``"free"``: every player places its own; ``"optimal"``: where perfect players would
            (`catan_cp.solve_placement`); ``"rivals"``: the same, everybody wanting its own value less the
            best rival's; or a draft such as ``"1:42-41,2:24"`` (`Draft.from_text`, a player is a seat), in
            the order of placing. What a draft leaves out, the players choose.
        seed: a whole number.
        workers: how many processes play.
        file: where to keep the games as they come; the same call goes on from there.
        progress: called with how many games are done, and of how many.

    Raises:
        CatanError: the engine is not installed; the message says what to install.
        InvalidBoard: a board that cannot be played on.
        InvalidArgument: players, a placement or a number that cannot be; a file of other games.
        KeyboardInterrupt: Ctrl-C; the file keeps all games but those of the batches in play.
    """
    version = engine_version()
    from catan_cp.play.bridge import check_playable

    read = check_playable(Board.from_notation(board) if isinstance(board, str) else board)
    count, known = check_count("n", n, 1, MOST_GAMES), check_seed(seed)
    if known is None:
        raise InvalidArgument(f"seed is a whole number, not {show(seed)}")
    check_count("workers", workers, 1, 256)
    specs = read_players(players)
    said, moves = read_placement(placement, read, len(specs))
    games = Games(read.notation(), tuple(map(str, specs)), said, known, ())
    record = Record(file, games, version)
    done = record.games
    missing = [i for i in range(count) if i not in done]
    batches = [missing[i : i + BATCH] for i in range(0, len(missing), BATCH)]

    def keep(numbers: list[int], played: list[Game]) -> None:
        record.add(numbers, played)
        if progress is not None:
            progress(min(len(done), count), count)

    with record:
        if workers == 1 or len(batches) < 2:
            for numbers in batches:
                keep(numbers, play_batch(read, specs, moves, known, numbers))
        else:
            from catan_cp.workers import share_out

            tasks = [(read, specs, moves, known, numbers) for numbers in batches]
            for k, played in share_out(play_batch, tasks, min(workers, len(batches))):
                keep(batches[k], played)
    return Games(games.board, games.players, said, known, tuple(done[i] for i in range(count)))


def play_batch(
    board: Board, specs: tuple[Spec, ...], moves: Moves, seed: int, numbers: list[int]
) -> list[Game]:
    """Play the games of these numbers."""
    from catan_cp.play.bridge import engine_map
    from catan_cp.play.players import seat_players
    from catan_cp.play.table import game_seed, play_game

    made, players = engine_map(board), seat_players(specs, board)
    return [play_game(made, players, game_seed(seed, number), moves) for number in numbers]
