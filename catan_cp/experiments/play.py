"""The experiment on played games: run it, keep its games in one small file, and read the answers off it.

``python -m catan_cp.experiments.play run games.csv.gz`` plays all games in about half an hour of one core;
stop it at will, the same command goes on. With ``a``, ``b``, ``c`` or ``d`` for ``run`` it prints an answer,
with ``players`` it plays a tournament of the players. What is asked, how, and how many games that takes is
said in docs/play_design.md, and what came of it in docs/play.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from catan_cp.experiments.play_arms import BoardOf, Unit, main_arms, seed_of, test_arms, waves
from catan_cp.experiments.play_data import Data, pack, read, unpack
from catan_cp.files import write_whole
from catan_cp.placement import solve_placement
from catan_cp.play import Game, play_games
from catan_cp.workers import share_out

GoOn = Callable[[int, int], bool]
"""Asked after each step, with how many are done, of how many; False stops."""


def make_board(board: BoardOf) -> dict[str, Any]:
    """Make a board, and work out what each seat's settlements are worth where perfect players settle."""
    made = board.make()
    return {"key": board.key, "board": made.notation(), "values": list(solve_placement(made).values)}


def play_unit(unit: Unit, notation: str) -> dict[str, Any]:
    """Play the games of one arm on one board."""
    arm = unit.arm
    games: list[tuple[int, Game]] = []
    for seat in range(1, 5) if arm.plan else (0,):
        players = [f"{arm.players}:{arm.plan}" if s == seat else arm.players for s in range(1, 5)]
        # The same seeds for every seat and plan: what is compared shares its luck as far as it goes.
        found = play_games(
            notation, arm.games, players=players, placement=arm.placement, seed=seed_of(unit.board.key)
        )
        games += [(seat, game) for game in found.games]
    rows = [[seat, g.winner or 0, g.turns, g.lead_changes, g.lead_taken or 0, *g.points] for seat, g in games]
    return {"key": unit.key, "games": rows}


def run(
    units: Sequence[Unit],
    file: Path,
    workers: int = 2,
    go_on: GoOn = lambda done, total: True,
) -> list[dict[str, Any]]:
    """Make the boards and play the units that *file* does not have yet, and return all units.

    Args:
        units: in the order in which they are played.
        file: lines of JSON, one a board or unit, written as each is done.
        workers: processes.
        go_on: asked after each, with how many are done, of how many; False stops.
    """
    done = {found["key"]: found for found in _read_lines(file)}
    boards = list(dict.fromkeys(unit.board for unit in units))
    total = len(boards) + len(units)
    with file.open("a", encoding="utf-8") as kept:

        def all_done(work: Callable[..., dict[str, Any]], tasks: list[tuple[Any, ...]]) -> bool:
            for _, found in share_out(work, tasks, workers):
                done[found["key"]] = found
                kept.write(json.dumps(found) + "\n")
                kept.flush()
                if not go_on(len(done), total):
                    return False
            return True

        if all_done(make_board, [(board,) for board in boards if board.key not in done]):
            left = [unit for unit in units if unit.key not in done]
            all_done(play_unit, [(unit, done[unit.board.key]["board"]) for unit in left])
    return [{**done[unit.board.key], **done[unit.key]} for unit in units if unit.key in done]


def _read_lines(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    data = file.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) != len(data):  # the last line was being written when the process was killed
        write_whole(file, whole)
    return [json.loads(line) for line in whole.splitlines()]


# The command


def run_all(file: Path, scale: float = 1, workers: int = 2, go_on: GoOn = lambda done, total: True) -> Data:
    """Play everything: the main arms, then the test of the rules that they lead to; write and return *file*.

    What is done is kept beside it, in a file that ends in ``.jsonl``; the same call goes on from there.
    """
    from catan_cp.errors import Infeasible, SolverTimeout
    from catan_cp.experiments.play_answers import rules_found

    kept = file.with_name(f"{file.name}.jsonl")
    units = run(list(waves(main_arms(scale))), kept, workers, go_on)

    def has_boards(rules: str) -> bool:
        try:
            BoardOf(rules, 0, True).make()
        except (Infeasible, SolverTimeout):
            return False
        return True

    chosen = rules_found(unpack(pack(units)), has_boards)
    units += run(list(waves(test_arms(chosen, scale))), kept, workers, go_on)
    write_whole(file, pack(units))
    return read(file)


def main(words: Sequence[str] | None = None) -> None:
    """Run the experiment, or print one of its answers."""
    from catan_cp.terminal import progress_on_stderr

    parser = argparse.ArgumentParser(prog="python -m catan_cp.experiments.play", description=__doc__)
    parser.add_argument("what", choices=("run", "a", "b", "c", "d", "players"))
    parser.add_argument("file", type=Path, nargs="?", default=Path("notebooks/played_games.csv.gz"))
    parser.add_argument("--scale", type=float, default=1.0, help="below 1: fewer boards and games")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(words)
    if given.what == "players":
        from catan_cp.experiments.play_players import tournament, tournament_table

        print(tournament_table(tournament(max(1, round(50 * given.scale)))))
        return
    if given.what != "run":
        from catan_cp.experiments.play_answers import answer

        print(answer(read(given.file), given.what))
        return
    progress = progress_on_stderr()
    if progress is None:
        run_all(given.file, given.scale, given.workers)
        return
    with progress:
        task = progress.add_task("boards and arms", total=None)

        def shown(done: int, total: int) -> bool:
            progress.update(task, completed=done, total=total)
            return True

        run_all(given.file, given.scale, given.workers, shown)


if __name__ == "__main__":
    from catan_cp.experiments import play

    try:
        play.main()  # workers find its functions in the module of that name
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
