"""Play many games of a board: here or in processes, with progress, and going on from a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from catan_cp import __version__, errors
from catan_cp.boards.board import Board
from catan_cp.compiled import compiled, is_fast, run, table
from catan_cp.errors import CatanError, InvalidArgument, listed, show, show_path
from catan_cp.files import try_lock
from catan_cp.placement import Objective, solve_placement
from catan_cp.placement.checks import checked_placed
from catan_cp.placement.judging import Draft
from catan_cp.placement.positions import Placed, free_vertices
from catan_cp.play.engine import apply, game_words, reset
from catan_cp.play.games import MOST_GAMES, NO_GAMES, Games, Played, history_size, packed, row_type, unpacked
from catan_cp.play.policies import POLICIES, decide
from catan_cp.play.tables import AT, BOOK, DO, NOW, PHASE, check_playable, ground_of, new_state
from catan_cp.progress import Progress, Watch, watching

PLANS: dict[str, Callable[[], Objective]] = {
    "pips": Objective.pips,
    "optimal": Objective,
    "rivals": lambda: Objective(rivalry=1),
    "wins": Objective.wins,
}
"""How a player may place its first settlements: on the most pips that are left; or where perfect players
would, each for its own value, for that less the best rival's, or for its chance to win. Without a plan, its
policy decides."""

PLACEMENTS = ("free", "optimal", "rivals")
FOUR = 4
MOST_BATCH, MOST_LINE = 500, 1_000_000
"""The maximum number of games in a line of a file, and of its bytes; the longest games need fewer."""

ACTIONS_AT_ONCE = 10_000
"""The actions between two looks for Ctrl-C: some hundredths of a second, and nearly always one game."""

Moves = tuple[tuple[int, int, int | None], ...]
"""First settlements that are given: the seat, the vertex, and where the road leads; None where it is free."""


def read_players(players: object) -> tuple[str, ...]:
    """Return who plays, seat 1 first: four of a name, or one a seat, as a sequence or separated by commas.

    Raises:
        InvalidArgument: an unknown name, or not two to six players.
    """
    words = players.split(",") if isinstance(players, str) else players
    if not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        raise InvalidArgument(f"players are a name, or one for each seat, not {show(players)}")
    names = [word.strip() for word in words]
    for name in names:
        policy, colon, plan = name.partition(":")
        if policy not in POLICIES or (colon and plan not in PLANS):
            raise InvalidArgument(
                f"unknown player {show(name)}; write POLICY or POLICY:PLAN, with a policy of "
                f"{listed(POLICIES)}, and a plan of {listed(PLANS)}"
            )
    if len(names) == 1 and isinstance(players, str):
        names *= FOUR
    if not 2 <= len(names) <= BOOK.most_seats:
        raise InvalidArgument(f"2 to {BOOK.most_seats} play, not {len(names)}: {show(players)}")
    return tuple(names)


def read_placement(placement: object, board: Board, players: int) -> tuple[str, Moves]:
    """Return a placement in its one form, and the settlements that it gives; the rest is free.

    Raises:
        InvalidArgument: neither a word of `PLACEMENTS` nor a draft that this board and these players allow.
    """
    if not isinstance(placement, str):
        raise InvalidArgument(f"placement is one of {listed(PLACEMENTS)}, or a draft, not {show(placement)}")
    if placement == "free":
        return placement, ()
    if placement in PLACEMENTS:
        order = perfect_order(board, players, placement)
        return placement, tuple((seat, vertex, None) for seat, vertex in order)
    try:
        draft = Draft.from_text(placement)
    except InvalidArgument as error:
        raise InvalidArgument(f"{error}; or one of {listed(PLACEMENTS)}") from None
    if not draft.settlements:
        raise InvalidArgument(f"a draft has settlements, as in 1:42-41,2:24; {show(placement)} has none")
    checked_placed(draft.placed, board, players)
    return str(draft), draft.placed


@lru_cache(maxsize=4096)
def perfect_order(board: Board, players: int, plan: str, placed: Placed = ()) -> Placed:
    """Return all first settlements, in their order, when everybody goes on from *placed* perfectly."""
    return solve_placement(board, players, PLANS[plan](), placed=placed).order


def planned_vertex(board: Board, players: int, plan: str, placed: Placed) -> int:
    """Return where the seat whose turn it is settles by a plan; ties go to the lowest vertex.

    Args:
        board: the board.
        players: how many play.
        plan: one of `PLANS`.
        placed: the settlements on the table, in order, as (seat, vertex).
    """
    if plan == "pips":
        pips = board.vertex_pips()
        return max(free_vertices(board, (v for _, v in placed)), key=lambda v: (pips[v], -v))
    return perfect_order(board, players, plan, placed)[len(placed)][1]


# One batch of games


@compiled
def _play_on(g: Any, s: Any, actions: Any) -> Any:
    """Play until the game is over, or for a number of actions, so that Python sees Ctrl-C."""
    while s[NOW.phase] != PHASE.over and actions > 0:
        decide(g, s)
        apply(g, s)
        actions -= 1


def _settle(board: Board, players: tuple[str, ...], moves: Moves, g: Any, s: Any) -> None:
    """Place the first settlements and roads: as given; else by plans, where nothing is; else by policies."""
    placed: list[tuple[int, int]] = []
    for turn in range(2 * len(players)):
        given, seat = turn < len(moves), int(s[NOW.seat])
        _, vertex, end = moves[turn] if given else (0, 0, None)
        _, _, plan = players[seat].partition(":")
        if given:
            s[AT.act], s[AT.act + 1] = DO.settle, vertex
        else:
            run(decide, g, s)
            if plan and not moves:
                s[AT.act + 1] = planned_vertex(board, len(players), plan, tuple(placed))
        placed.append((seat + 1, int(s[AT.act + 1])))
        run(apply, g, s)
        if end is None:
            run(decide, g, s)
        else:
            s[AT.act], s[AT.act + 1] = DO.lay, board.layout.edges.index((min(vertex, end), max(vertex, end)))
        run(apply, g, s)


def play_batch(
    board: Board, players: tuple[str, ...], moves: Moves, seed: int, numbers: Sequence[int]
) -> list[Played]:
    """Play the games of these numbers, and return what is kept of each."""
    seats, policies = len(players), (POLICIES.index(player.partition(":")[0]) for player in players)
    g, s = ground_of(board, tuple(policies)), new_state()
    row, played = np.zeros((), row_type(seats)), list[Played]()
    for number in numbers:
        run(reset, g, s, table(game_words(seed, number)))
        if moves or any(":" in player for player in players):
            _settle(board, players, moves, g, s)
        while s[NOW.phase] != PHASE.over:
            run(_play_on, g, s, ACTIONS_AT_ONCE)
        end = np.array(s)
        row["winner"], row["turns"], row["lead_changes"] = s[NOW.winner] + 1, s[NOW.turn], s[NOW.changes]
        row["lead_taken"] = s[NOW.since] if s[NOW.winner] >= 0 else 0
        for name in ("points", "robbed", "settlements", "trades", "gained"):
            start = getattr(AT, name)
            row[name].flat[:] = end[start : start + row[name].size]
        history = end[AT.history :][: history_size(row)].astype(np.uint8)
        played.append((row.tobytes(), history.tobytes()))
    return played


# Many games, and a file of them


@contextmanager
def _kept_in(path: Path) -> Iterator[IO[bytes]]:
    """Open a file of games for one writer; the system drops the lock of a process that died.

    Raises:
        InvalidArgument: a folder, a device or a named pipe, on which one could wait forever.
        CatanError: another run writes the file, or the system rejects it.
    """
    name = show_path(path)
    try:
        if path.exists() and not path.is_file():
            raise InvalidArgument(f"games file must be a regular file, not {name}; choose another name")
        file = path.open("a+b")
    except OSError as error:
        raise CatanError(f"cannot open the games file {name}: {error.strerror}") from None
    try:
        if not try_lock(file):
            raise CatanError(
                f"another run writes the games file {name}; wait for its end, or choose another name"
            )
        yield file
    finally:
        with suppress(OSError):  # a full disk, which `_append` reports
            file.close()


def _read_games(file: IO[bytes], header: dict[str, Any]) -> dict[int, Played]:
    """Return the games of a file by their numbers; an empty file begins with *header*.

    Its first line of JSON says which games, each further line is a batch. A kill may leave half a line at the
    end, which is removed.

    Raises:
        InvalidArgument: other games, or values that `play_games` never writes.
    """
    first, name = json.dumps(header).encode() + b"\n", show_path(file.name)
    games: dict[int, Played] = {}
    file.seek(0)
    try:
        line = _line_of(file)
        if first.startswith(line) and line != first:
            file.truncate(0)
            _append(file, first)
            return {}
        found = json.loads(line)
        other, end = [key for key, value in header.items() if found[key] != value], file.tell()
        while not other and (line := _line_of(file)).endswith(b"\n"):
            batch = json.loads(line)
            numbers, played = batch["numbers"], unpacked(batch, len(header["players"]), MOST_BATCH)
            if not all(type(i) is int and 0 <= i < MOST_GAMES and i not in games for i in numbers):
                raise ValueError
            games |= zip(numbers, played, strict=True)
            end = file.tell()
    except NO_GAMES:
        raise InvalidArgument(f"{name} holds no games; choose another name") from None
    if other:
        raise InvalidArgument(f"{name} holds other games: another {', '.join(other)}; choose another name")
    file.truncate(end)
    return games


def _line_of(file: IO[bytes]) -> bytes:
    line = file.readline(MOST_LINE + 1)
    if len(line) > MOST_LINE:
        raise ValueError
    return line


def _append(file: IO[bytes], line: bytes) -> None:
    """Write a line at the end of a file.

    Raises:
        CatanError: the system rejects it: a full disk, say.
    """
    try:
        file.write(line)
        file.flush()
    except OSError as error:
        raise CatanError(f"cannot write {show_path(file.name)}: {error.strerror}") from None


def play_games(
    board: Board | str,
    n: int,
    *,
    players: str | Sequence[str] = "greedy",
    placement: str = "free",
    seed: int,
    workers: int = 1,
    file: str | Path | None = None,
    progress: bool | Watch = False,
) -> Games:
    """Play *n* games on *board* and return what happened.

    Game *i* depends on the board, the players, the placement, *seed* and *i* alone: not on the process or the
    machine that plays it, nor on how many are played.

    Args:
        board: a board of the base game, for 5 and 6 on ``base-5-6``, or its notation. Its harbors count.
        n: how many games.
        players: a name for all of four seats, or one for each of two to six, as a sequence or with commas.
            A name is a policy (`POLICIES`), or ``POLICY:PLAN`` with a plan for its settlements (`PLANS`).
        placement: ``"free"``: every player places its own; ``"optimal"``: where perfect players would
            (`catan_cp.solve_placement`); ``"rivals"``: the same, everybody wanting its own value less the
            best rival's; or a draft such as ``"1:42-41,2:24"`` (`Draft.from_text`, a player is a seat), in
            the order of placing. What a draft leaves out, the players choose, by their policies.
        seed: a whole number.
        workers: how many processes play.
        file: file to write the games to as they come, or to resume. One process at a time may write it.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress` after each batch of games.

    Raises:
        InvalidBoard: a board that cannot be played on.
        InvalidArgument: players, a placement or a number that cannot be; a file of other games.
        CatanError: another run writes the file, or the system rejects it.
        KeyboardInterrupt: Ctrl-C; the file keeps all games but those of the batches in play.
    """
    known = read_players(players)
    read = check_playable(Board.from_notation(board) if isinstance(board, str) else board, len(known))
    count, root = errors.check_count("n", n, 1, MOST_GAMES), errors.check_seed(seed)
    if root is None:
        raise InvalidArgument(f"seed is a whole number, not {show(seed)}")
    errors.check_count("workers", workers, 1, 256)
    said, moves = read_placement(placement, read, len(known))
    header = {
        "board": read.notation(), "players": list(known), "placement": said, "seed": root,
        "catan_cp": __version__,
    }  # fmt: skip
    path = None if file is None else errors.check_path("games are kept in a file", file)
    size = MOST_BATCH if is_fast() else 5
    with nullcontext() if path is None else _kept_in(path) as kept:
        done = {} if kept is None else _read_games(kept, header)
        missing = [i for i in range(count) if i not in done]
        tasks = [(read, known, moves, root, missing[i : i + size]) for i in range(0, len(missing), size)]

        def keep(numbers: Sequence[int], played: Sequence[Played]) -> None:
            done.update(zip(numbers, played, strict=True))
            if kept is not None:
                _append(kept, json.dumps({"numbers": numbers, **packed(played)}).encode() + b"\n")
            if watch is not None:
                watch(Progress(min(len(done), count), count, "games"))

        with watching(progress, "playing", done=len(done)) as watch:
            if workers == 1 or len(tasks) < 2:
                for task in tasks:
                    keep(task[-1], play_batch(*task))
            else:
                from catan_cp.workers import share_out

                for k, played in share_out(play_batch, tasks, min(workers, len(tasks))):
                    keep(tasks[k][-1], played)
    return Games(read.notation(), known, said, root, tuple(done[i] for i in range(count)))
