"""Games of a board in one or more processes, with progress and a file to resume."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import numpy as np

from catan_cp import __version__, errors
from catan_cp.boards.board import Board
from catan_cp.compiled import compiled, is_fast, run, table
from catan_cp.errors import CatanError, InvalidArgument, listed, show, show_path
from catan_cp.files import try_lock
from catan_cp.placement import Objective, solve_placement
from catan_cp.placement.chance_game import chance_line
from catan_cp.placement.checks import checked_placed
from catan_cp.placement.judging import Draft
from catan_cp.placement.positions import Placed, free_vertices, snake
from catan_cp.play import tables
from catan_cp.play.custom import (
    Custom,
    Player,
    Policy,
    Source,
    check_not_loading,
    is_policy,
    name_of,
    player_of,
    source_of,
)
from catan_cp.play.engine import apply, game_words, reset
from catan_cp.play.game import Game
from catan_cp.play.games import MOST_GAMES, NO_GAMES, Games, Played, history_size, packed, row_type, unpacked
from catan_cp.play.policies import POLICIES, decide
from catan_cp.play.tables import AT, BASE_GAME, BOOK, CUSTOM, DO, NOW, ON, PHASE, GameRules
from catan_cp.progress import Progress, Watch, watching

PLANS: dict[str, Callable[[], Objective]] = {
    "pips": Objective.pips,
    "optimal": Objective,
    "rivals": lambda: Objective(rivalry=1),
    "odds": Objective.own_odds,
}
"""The plans of a player for its first settlements.

``pips`` settles on the free vertex with most pips. The others settle as perfect players do: for their own
value (``optimal``), for it minus the best rival's (``rivals``), or for their own odds to win, whatever rivals
have (``odds``). Without a plan, the policy decides.
"""

PLACEMENTS = ("free", "optimal", "rivals", "chances")
FOUR = 4
MOST_BATCH, MOST_LINE = 500, 1_000_000
"""The maximum number of games, and of bytes, in a line of a file.

The longest games need fewer.
"""

ACTIONS_AT_ONCE = 10_000
"""The number of actions between two checks for Ctrl-C: some hundredths of a second."""

Moves = tuple[tuple[int, int, int | None], ...]
"""Fixed first settlements: seat, vertex, and other end of the road or None."""


def read_players(players: object) -> tuple[str, ...]:
    """Return the players, seat 1 first, from one name or one name per seat.

    Args:
        players: a name for four seats, or one name per seat, as a sequence or separated by commas.

    Raises:
        InvalidArgument: a name is unknown, or there are not two to six players.
    """
    words = players.split(",") if isinstance(players, str) else players
    if not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        raise InvalidArgument(f"players must be a name, or one for each seat, not {show(players)}")
    names = [word.strip() for word in words]
    for name in names:
        policy, colon, plan = name.partition(":")
        if policy not in POLICIES or (colon and plan not in PLANS):
            raise InvalidArgument(
                f"unknown player {show(name)}; use POLICY or POLICY:PLAN, with a policy of "
                f"{listed(POLICIES)} and a plan of {listed(PLANS)}"
            )
    if len(names) == 1 and isinstance(players, str):
        names *= FOUR
    if not 2 <= len(names) <= BOOK.most_seats:
        raise InvalidArgument(
            f"players must be 2 to {BOOK.most_seats} names, not {len(names)}: {show(players)}"
        )
    return tuple(names)


def split_players(players: object) -> tuple[tuple[str, ...], dict[int, Callable[..., Any]]]:
    """Return the names of the players, and by seat from 0 those that are functions.

    Raises:
        InvalidArgument: as for `read_players`, or a function has a wrong number of parameters.
    """
    if isinstance(players, str) or not isinstance(players, Sequence):
        return read_players(players), {}
    functions = {seat: player for seat, player in enumerate(players) if callable(player)}
    names = list(read_players(["greedy" if seat in functions else p for seat, p in enumerate(players)]))
    for seat, player in functions.items():
        is_policy(player)
        names[seat] = name_of(player)
    return tuple(names), functions


def read_placement(placement: object, board: Board, players: int) -> tuple[str, Moves]:
    """Return a placement in its canonical text, and the first settlements that it fixes.

    Raises:
        InvalidArgument: *placement* is neither a word of `PLACEMENTS` nor a legal draft of these players.
    """
    if not isinstance(placement, str):
        raise InvalidArgument(
            f"placement must be one of {listed(PLACEMENTS)}, or a draft, not {show(placement)}"
        )
    if placement == "free":
        return placement, ()
    if placement == "chances":
        line = zip(snake(players), chance_line(board, players).order, strict=True)
        return placement, tuple((seat, vertex, None) for seat, vertex in line)
    if placement in PLACEMENTS:
        order = perfect_order(board, players, placement)
        return placement, tuple((seat, vertex, None) for seat, vertex in order)
    try:
        draft = Draft.from_text(placement)
    except InvalidArgument as error:
        raise InvalidArgument(f"{error}; or one of {listed(PLACEMENTS)}") from None
    if not draft.settlements:
        raise InvalidArgument(f"a draft must have settlements, as in 1:42-41,2:24, not {show(placement)}")
    checked_placed(draft.placed, board, players)
    return str(draft), draft.placed


@lru_cache(maxsize=4096)
def perfect_order(board: Board, players: int, plan: str, placed: Placed = ()) -> Placed:
    """Return all first settlements, in their order, with perfect play from *placed* on."""
    return solve_placement(board, players, PLANS[plan](), placed=placed).order


def planned_vertex(board: Board, players: int, plan: str, placed: Placed) -> int:
    """Return the vertex that a plan chooses for the next settlement.

    Among equally good vertices it is the one with the lowest number.

    Args:
        board: the board.
        players: the number of players.
        plan: one of `PLANS`.
        placed: the settlements placed, in order, as (seat, vertex).
    """
    if plan == "pips":
        pips = board.vertex_pips()
        return max(free_vertices(board, (v for _, v in placed)), key=lambda v: (pips[v], -v))
    return perfect_order(board, players, plan, placed)[len(placed)][1]


# One batch of games


@compiled
def _play_on(g: Any, s: Any, actions: Any) -> Any:
    """Play until a function decides, the game is over, or a number of actions was made.

    The number is limited so that Ctrl-C takes effect.
    """
    while s[NOW.phase] != PHASE.over and actions > 0 and g[ON.policy + s[NOW.seat]] != CUSTOM:
        decide(g, s)
        apply(g, s)
        actions -= 1


def _settle(game: Game, players: tuple[str, ...], moves: Moves, custom: Custom | None) -> None:
    """Place the first settlements and roads by the fixed moves, then by plans, policies or functions.

    Plans apply only if *moves* is empty.
    """
    g, s, placed = game._g, game._s, list[tuple[int, int]]()

    def act(kind: int, place: int | None, plan: str = "") -> None:
        """Build on a fixed place, or let a function, a plan or the policy choose."""
        if place is not None:
            s[AT.act], s[AT.act + 1] = kind, place
        elif custom is not None and custom.act():
            return
        else:
            run(decide, g, s)
            if plan:
                s[AT.act + 1] = planned_vertex(game.board, len(players), plan, tuple(placed))
        run(apply, g, s)

    for turn in range(2 * len(players)):
        seat = int(s[NOW.seat])
        _, vertex, end = moves[turn] if turn < len(moves) else (0, None, None)
        act(DO.settle, vertex, "" if moves else players[seat].partition(":")[2])
        placed.append((seat + 1, last := int(s[NOW.last])))
        road = None if end is None else game.board.layout.edges.index((min(last, end), max(last, end)))
        act(DO.lay, road)


def play_batch(
    board: Board,
    players: tuple[str, ...],
    moves: Moves,
    seed: int,
    numbers: Sequence[int],
    rules: GameRules = BASE_GAME,
    functions: Mapping[int, Callable[..., Any]] = MappingProxyType({}),
) -> list[Played]:
    """Play the games with these numbers and return the stored data of each.

    *functions* are the players that are not policies, by seat from 0.
    """
    seats, words = len(players), [player.partition(":")[0] for player in players]
    policies = [CUSTOM if seat in functions else POLICIES.index(word) for seat, word in enumerate(words)]
    game = Game(board, seats, rules=rules)
    game._g = g = tables.ground_of(board, tuple(policies), rules)
    s, custom = game._s, Custom(functions, game) if functions else None
    row, played = np.zeros((), row_type(seats)), list[Played]()
    for number in numbers:
        run(reset, g, s, table(game_words(seed, number)))
        if custom is not None:
            custom.begin(seed, number)
        if moves or any(":" in player for player in players):
            _settle(game, players, moves, custom)
        while s[NOW.phase] != PHASE.over:
            run(_play_on, g, s, ACTIONS_AT_ONCE)
            if custom is not None:
                custom.act()
        end = np.array(s)
        row["winner"], row["turns"], row["lead_changes"] = s[NOW.winner] + 1, s[NOW.turn], s[NOW.changes]
        row["lead_taken"] = s[NOW.since] if s[NOW.winner] >= 0 else 0
        for name in ("points", "robbed", "settlements", "trades", "gained"):
            start = getattr(AT, name)
            row[name].flat[:] = end[start : start + row[name].size]
        history = end[AT.history :][: history_size(row)].astype(np.uint8)
        played.append((row.tobytes(), history.tobytes()))
    return played


def play_batch_of(sources: Mapping[int, Source], play: Callable[..., list[Played]]) -> list[Played]:
    """Do as `play_batch` in another process, which loads the functions from their sources."""
    return play(functions={seat: player_of(source) for seat, source in sources.items()})


# Many games, and a file of them


@contextmanager
def _open_games(path: Path) -> Iterator[IO[bytes]]:
    """Open and lock a file of games. The system releases the lock of a process that ends.

    Raises:
        InvalidArgument: the path is a folder, a device or a named pipe, which could block forever.
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
    """Return the games of a file by their numbers. Write *header* into an empty file.

    The first line is the header as JSON. Each other line is a batch of games. A partial last line, left by a
    killed process, is removed.

    Raises:
        InvalidArgument: the file has other games, or values that `play_games` never writes.
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
        stored = json.loads(line)
        differences, end = [key for key, value in header.items() if stored[key] != value], file.tell()
        while not differences and (line := _line_of(file)).endswith(b"\n"):
            batch = json.loads(line)
            numbers, seats = batch["numbers"], len(header["players"])
            played = unpacked(batch, seats, MOST_BATCH, GameRules(**header["rules"]))
            if not all(type(i) is int and 0 <= i < MOST_GAMES and i not in games for i in numbers):
                raise ValueError
            games |= zip(numbers, played, strict=True)
            end = file.tell()
    except NO_GAMES:
        raise InvalidArgument(f"{name} is not a file of games; choose another name") from None
    if differences:
        raise InvalidArgument(
            f"{name} has other games: another {', '.join(differences)}; choose another name"
        )
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
        CatanError: the system rejects it, for example on a full disk.
    """
    try:
        file.write(line)
        file.flush()
    except OSError as error:
        raise CatanError(f"cannot write {show_path(file.name)}: {error.strerror}") from None


def _check_variants(rules: GameRules, names: Sequence[str], placement: object) -> None:
    """Check that no part that was learned from the base game meets a variant of its rules.

    Raises:
        InvalidArgument: a plan is ``odds``, or the placement is ``chances``.
    """
    variants = [name for name, value in asdict(rules).items() if value != getattr(BASE_GAME, name)]
    is_odds = any(name.endswith(":odds") for name in names)
    if variants and (is_odds or placement == "chances"):
        learned, other = ("plan 'odds'", "plan") if is_odds else ("placement 'chances'", "placement")
        raise InvalidArgument(
            f"rules must be those of the base game for the {learned}, not another {', '.join(variants)}; "
            f"use another {other}"
        )


def play_games(
    board: Board | str,
    n: int,
    *,
    players: str | Sequence[str | Player | Policy] = "greedy",
    placement: str = "free",
    seed: int,
    rules: GameRules = BASE_GAME,
    workers: int = 1,
    file: str | Path | None = None,
    progress: bool | Watch = False,
) -> Games:
    """Play *n* games on *board* and return their results.

    Game *i* depends only on the board, the players, the placement, *seed* and *i*. It does not depend on the
    process, the machine or the number of games.

    Args:
        board: a board of the base game (``base-5-6`` for 5 or 6 players), or its notation. Its harbors count.
        n: the number of games.
        players: a name for four seats, or one name per seat for two to six seats, as a sequence or separated
            by commas. A name is a policy (`POLICIES`), or ``POLICY:PLAN`` with a plan for its settlements
            (`PLANS`). In a sequence, a player may also be a function. A Python function takes the `View` of
            its seat, the list of legal actions and a `random.Random` of its own, and returns an action
            (`Game.legal_actions`). A compiled function has the signature of the built-in policies.
        placement: ``"free"``: every player places its own settlements. ``"optimal"``: the settlements of
            perfect players (`catan_cp.solve_placement`). ``"rivals"``: the same, with each player maximizing
            its own value minus the best rival's. ``"chances"``: the line of the game in which each player
            maximizes its own chance to win (`catan_cp.win_chances`). Or a draft such as ``"1:42-41,2:24"``
            (`Draft.from_text`, a player is a seat), in the order placed. The policies choose the settlements
            that a draft omits.
        seed: a whole number.
        rules: variants of the rules of play. The plan ``odds`` and the placement ``chances`` know the base
            game only.
        workers: the number of processes. Each loads players that are functions from their file.
        file: file to which each finished batch of games is added, or to resume. Only one process at a time
            may write it. It knows a function by its name only.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress` after each batch of games.

    Raises:
        InvalidBoard: the base game cannot be played on the board.
        InvalidArgument: invalid players, placement, rules or number, or a file of other games.
        InvalidArgument: a function returned an illegal action, or with several workers a function is not at
            the top level of a file.
        CatanError: a function raised an exception, which is the cause. Or another run writes the file, or the
            system rejects it.
        KeyboardInterrupt: Ctrl-C. The file has all games except those of unfinished batches.

    Example:
        >>> import catan_cp
        >>> board = catan_cp.LAYOUTS["base"].beginner_board
        >>> games = play_games(board, 2, players="greedy,greedy,trader", seed=1)
        >>> len(games), games.players
        (2, ('greedy', 'greedy', 'trader'))
    """
    check_not_loading()
    names, functions = split_players(players)
    _check_variants(tables.check_rules(rules, len(names)), names, placement)
    checked = tables.check_playable(board, len(names))
    count, root = errors.check_count("n", n, 1, MOST_GAMES), errors.check_seed(seed)
    if root is None:
        raise InvalidArgument(f"seed must be a whole number, not {show(seed)}")
    is_shared = errors.check_count("workers", workers, 1, 256) > 1
    sources = {seat: source_of(player) for seat, player in functions.items()} if is_shared else {}
    text, moves = read_placement(placement, checked, len(names))
    header = {
        "board": checked.notation(), "players": list(names), "placement": text, "seed": root,
        "rules": asdict(rules), "catan_cp": __version__,
    }  # fmt: skip
    path = None if file is None else errors.check_path("games are kept in a file", file)
    size = MOST_BATCH if is_fast() and not functions else 5
    with nullcontext() if path is None else _open_games(path) as stored:
        stored_games = {} if stored is None else _read_games(stored, header)
        missing = [i for i in range(count) if i not in stored_games]
        batches = [missing[i : i + size] for i in range(0, len(missing), size)]
        tasks = [(checked, names, moves, root, batch, rules) for batch in batches]

        def keep(numbers: Sequence[int], played: Sequence[Played]) -> None:
            stored_games.update(zip(numbers, played, strict=True))
            if stored is not None:
                _append(stored, json.dumps({"numbers": numbers, **packed(played)}).encode() + b"\n")
            if watch is not None:
                watch(Progress(min(len(stored_games), count), count, "games"))

        with watching(progress, "playing", done=len(stored_games)) as watch:
            if workers == 1 or len(tasks) < 2:
                for batch, task in zip(batches, tasks, strict=True):
                    keep(batch, play_batch(*task, functions))
            else:
                from catan_cp.workers import share_out

                calls = [(sources, partial(play_batch, *task)) for task in tasks]
                for k, played in share_out(play_batch_of, calls, min(workers, len(tasks))):
                    keep(batches[k], played)
    return Games(checked.notation(), names, text, root, tuple(stored_games[i] for i in range(count)), rules)
