"""Commands about settlements and games: place, rivals, experiment and play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from json import dumps as json_text
from json import loads as json_read
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from catan_cp.cli import options as opt
from catan_cp.cli.options import option
from catan_cp.errors import InvalidArgument, extra, show, show_path
from catan_cp.files import write_whole
from catan_cp.terminal import bar, keeping, say, tell

if TYPE_CHECKING:
    from catan_cp.boards.board import Board
    from catan_cp.placement import Draft, Objective


def _methods() -> Iterable[str]:
    from catan_cp.placement.game import METHODS

    return METHODS


@dataclass(frozen=True)
class Erring:
    """Players who do not always choose best."""

    rationality: str = option("", "How well players choose: a number for all, or perfect,2,2,2; 0 by chance.")
    erring: str = option(
        "first",
        "Which settlements err with --rationality: first, or both.",
        complete=opt.names("first", "both"),
    )
    error: float = option(0.005, "Largest error of a simulation, as a share of the values.")

    def read(self) -> dict[str, Any]:
        """Return what solving and ranking take."""
        return {"rationality": _levels(self.rationality), "erring": self.erring, "error": self.error}


@dataclass(frozen=True)
class _Game:
    """A board, who settles on it and what they want; and how the answer is printed."""

    board: Board
    players: int
    goal: Objective
    how: opt.Format
    numbers: bool

    def print_board(self, settled: Iterable[tuple[int, int]], marks: Mapping[int, str]) -> None:
        """Print the board with its settlements, ``[PLAYER]`` each, and *marks* at other vertices."""
        from catan_cp.placement.spots import vertex_map

        houses = {vertex: f"[{player}]" for player, vertex in settled}
        tell(vertex_map(self.board, {**marks, **houses}, numbers=self.numbers) + "\n")


def place(
    *,
    given: opt.GivenOrRead,
    players: opt.Players = 4,
    wanted: opt.Wanted,
    rivalry: float = option(0.0, "How much everybody minds being behind the best rival: 0 not at all."),
    expansion: float = option(0.0, "How much the best vertex counts that two roads reach: 0 not at all."),
    method: str = option("auto", "auto, vectorized, bounds or rivals.", complete=opt.names(of=_methods)),
    placed: str = option("", "Settlements on the table, in order: PLAYER:VERTEX or PLAYER:VERTEX-ROAD,..."),
    judge: str = option("", "Say what each settlement of this draft lost: 1:42-41,2:24-25,...", "--judge"),
    ties: bool = option(False, "Count the outcomes if ties go otherwise, and say who has what.", "--ties"),
    erring: Erring,
    moves: int = option(0, "Rank so many next moves instead of the whole game."),
    heat: bool = option(False, "Draw too what chance each vertex gives who settles next.", "--heat"),
    numbers: bool = option(False, "Write every vertex's number on the board and its picture.", "--numbers"),
    how: opt.HowWritten = "text",
    picture: opt.Picture,
) -> None:
    """Say where perfect players settle, on the board as text, and draw it with --save.

    Vertices are numbered from 0: through the tiles in reading order, round each clockwise from its upper
    right, each corner when it is first met. --numbers shows them all.

    [bold]catan-cp generate -f notation | catan-cp place - --weights 0.5,0.3,0.2 --save place.png[/bold]
    """
    from catan_cp.placement import Draft

    _refuse_together(
        {"--judge": judge, "--moves": moves},
        {"--ties": ties, "--method": method != "auto", "--moves": moves and judge},
    )
    _refuse_together({"--judge": judge, "--ties": ties}, {"--rationality": erring.rationality})
    _refuse_together({"--judge": judge}, {"--placed": placed})
    err, goal = erring.read(), wanted.read(rivalry, expansion)
    game, done = _Game(given.board(), players, goal, how, numbers), Draft.from_text(placed)
    hot = _heat(game, done, wanted) if heat else {}
    if judge:
        drawn = _judge(game, Draft.from_text(judge))
    elif moves:
        drawn = _rank(game, done, moves, err)
    else:
        if players > 3 and (rivalry or erring.rationality):
            _warn_of_wait(players, "with rivalry" if rivalry else "who err")
        drawn = _solve(game, done, method, ties, err, arrows=picture.save is not None)
    picture.draw(game.board, numbers=numbers, **{**drawn, **hot})


def _heat(game: _Game, done: Draft, wanted: opt.Wanted) -> dict[str, Any]:
    """Return what discs show: the chances of who settles next; values where all have settled or if asked."""
    from catan_cp.placement import vertex_values, win_chances
    from catan_cp.placement.spots import free_vertices, snake

    order, placed = snake(game.players), done.settlements
    settled = len(placed) >= len(order)
    if settled or wanted.weights or wanted.objective in ("report", "pips"):
        return {"heat": vertex_values(game.board, game.goal), "heat_label": "value of a vertex to its owner"}
    mine, chances = order[len(placed)], dict[int, float]()
    for vertex in free_vertices(game.board, (v for _, v in placed)):
        now = [*placed, (mine, vertex)]
        each = [[v for p, v in now if p == player] for player in range(1, game.players + 1)]
        chances[vertex] = 100 * win_chances(game.board, each)[mine - 1]
    told = f"chance to win of player {mine}, who settles next, in per cent"
    return {"heat": [chances.get(v) for v in range(game.board.layout.n_vertices)], "heat_label": told}


def _judge(game: _Game, draft: Draft) -> dict[str, Any]:
    """Print what each settlement of a draft lost, and return what the picture shows."""
    from catan_cp.placement import judge_draft

    verdicts = judge_draft(game.board, draft, game.players, game.goal)
    if game.how == "json":
        tell(json_text([asdict(verdict) for verdict in verdicts]))
    else:
        game.print_board(draft.settlements, {})
        for number, verdict in enumerate(verdicts, start=1):
            tell(f"{number}. {verdict}")
    better = {v.best for v in verdicts if v.regret > 0} - {v.vertex for v in verdicts}
    return {"placement": draft.placed, "ring_vertices": sorted(better)}


def _rank(game: _Game, done: Draft, moves: int, err: dict[str, Any]) -> dict[str, Any]:
    """Print the best next moves, and return what the picture shows."""
    from catan_cp.placement import best_moves
    from catan_cp.placement.spots import corner_name

    best = best_moves(game.board, done.placed, moves, game.players, game.goal, **err)
    told = ("player", "vertex", "value", "lead", "road")
    if game.how == "json":
        tell(json_text([{name: getattr(move, name) for name in told} for move in best]))
    else:
        game.print_board(done.settlements, {move.vertex: f"#{i}" for i, move in enumerate(best, 1)})
        for rank, move in enumerate(best, start=1):
            lead = f", lead {move.lead:.6f}" if game.goal.rivalry else ""
            where = corner_name(game.board, move.vertex)
            where += "" if move.road is None else f" towards {move.road}"
            tell(f"{rank}. player {move.player} on {where}: value {move.value:.6f}{lead}")
    values = {move.vertex: move.value for move in best}
    ranked = [values.get(vertex) for vertex in range(game.board.layout.n_vertices)]
    return {"placement": done.placed, "heat": ranked, "ring_vertices": values}


def _solve(
    game: _Game, done: Draft, method: str, ties: bool, err: dict[str, Any], *, arrows: bool
) -> dict[str, Any]:
    """Print where everybody settles, and return what the picture shows."""
    from catan_cp.placement import find_equilibria, solve_placement

    result = solve_placement(game.board, game.players, game.goal, method=method, placed=done.placed, **err)
    if game.how == "json":
        told = json_read(result.to_json())
        if ties:
            found = find_equilibria(result)
            outcomes = [[sorted(pair) for pair in outcome] for outcome in found.outcomes]
            told["equilibria"] = {"exact": found.exact, "outcomes": outcomes, "values": found.values}
        tell(json_text(told))
    else:
        game.print_board(result.order, {})
        tell(result)
        if game.goal.rivalry:
            tell(result.explain())
        if ties:
            tell(find_equilibria(result))
    return {"placement": result, "arrows": result.arrows if game.goal.rivalry and arrows else ()}


def _refuse_together(some: dict[str, object], others: dict[str, object]) -> None:
    """Refuse options that would leave each other aside: any of *some* that is given with any of *others*."""
    for one, given in some.items():
        for other, too in others.items():
            if given and too and one != other:
                raise InvalidArgument(f"{one} leaves {other} aside; give one of the two")


def _levels(text: str) -> float | list[float | None] | None:
    """Read ``2``, or ``perfect,2,2,2``: one rationality a player."""
    words = [word.strip() for word in text.split(",")] if text.strip() else ["perfect"]
    levels: list[float | None] = []
    for word in words:
        try:
            levels.append(None if word == "perfect" else float(word))
        except ValueError:
            raise InvalidArgument(
                f"rationality is a number such as 2, or perfect, for all or one a player, not {show(word)}"
            ) from None
    return levels if len(levels) > 1 else levels[0]


def _warn_of_wait(players: int, how: str) -> None:
    """Say that many players take long where nothing compiles the search."""
    from catan_cp.compiled import is_fast

    if not is_fast():
        wait = "can take a minute or more without numba, and seconds with it"
        say(f"{players} players {how} {wait}: {extra('fast')}")


def experiment(
    *,
    sample: opt.Sample = opt.Sample(boards=30),
    players: opt.Players = 4,
    wanted: opt.Wanted = opt.Wanted(weights="0.5,0.3,0.2"),
    methods: str = option("feasibility,memo,bounds,vectorized", "Methods to compare."),
    time_limit: float = option(60.0, "Seconds for one board and method."),
    csv: Path | None = option(None, "Write every run into this CSV file."),
    json: Path | None = option(None, "Write everything into this JSON file."),
    force: opt.Force = False,
) -> None:
    """Compare the methods on the same boards, random ones or your own, as the placement report does.

    [bold]catan-cp experiment --boards 5 --methods bounds,vectorized[/bold]
    """
    from catan_cp.experiments.placement import run_experiment

    for file in (csv, json):
        if file is not None and file.exists() and not force:
            raise InvalidArgument(
                f"{show_path(file)} exists; choose another name, or overwrite it with --force"
            )
    compared = [name.strip() for name in methods.split(",")]
    with bar("runs") as move:
        told = None if move is None else lambda done, total, _: move(done, total)
        result = run_experiment(sample.read(), players, wanted.read(), compared, time_limit, told)
    tell(result.table())
    if csv is not None:
        write_whole(csv, result.to_csv())
    if json is not None:
        write_whole(json, result.to_json() + "\n")
    if not result.complete:
        done = f"{len(result.runs)} of {result.boards * len(compared)} runs"
        say(f"catan-cp: interrupted; {done} are done and in the table; the same command starts again")
    elif not result.agree:
        say("catan-cp: the methods do not agree; this is a mistake in catan_cp, please report it")
    if not (result.complete and result.agree):
        raise typer.Exit(1)


def rivals(
    *,
    sample: opt.Sample,
    players: opt.Players = 2,
    wanted: opt.Wanted,
    rivalry: float = option(1.0, "How much everybody minds being behind."),
    rationality: float | None = option(
        None, "Say too how often player 1 begins elsewhere if the others err so: 0 by chance."
    ),
    how: opt.HowWritten = "text",
) -> None:
    """Say what rivalry changes, seat by seat: who settles elsewhere, who gains, who loses.

    [bold]catan-cp rivals --boards 50 --players 2[/bold]
    """
    from catan_cp.experiments.placement import compare_rivalry, robust_share, table

    boards, goal = sample.read(), wanted.read()
    if players > 3:
        _warn_of_wait(players, "with rivalry")
    with bar("boards") as move:
        seats = compare_rivalry(boards, players, goal, rivalry, move)
    share = None if rationality is None else robust_share(boards, players, goal, rationality)
    if how == "json":
        told: dict[str, Any] = {"boards": len(boards), "seats": [asdict(seat) for seat in seats]}
        tell(json_text(told if share is None else told | {"robust_elsewhere": share}))
        return
    tell(table(seats))
    if share is not None:
        tell(f"against players of rationality {rationality:g}, player 1 begins elsewhere on {share:.0%}")


def play(
    *,
    given: opt.GivenOrRead,
    games: int = option(100, "How many games.", "--games", "-n"),
    players: str = option(
        "weighted", "Who plays: weighted, greedy, trader, expert; one for all or one a seat."
    ),
    placement: str = option(
        "free", "First settlements: free, optimal, rivals, or a draft such as 1:42-41,2:24."
    ),
    seed: opt.SeedOf = 0,
    workers: opt.Workers = 1,
    file: Path | None = option(None, "Keep the games in this file, and go on from there."),
    how: opt.HowWritten = "text",
    picture: opt.Picture,
) -> None:
    """Have programs play games on a board: who wins from which seat, how long it takes, how close it is.

    A player is a policy, or POLICY:PLAN, with pips, optimal, rivals or wins for its first settlements.
    With the extra `play`, games are compiled.

    [bold]catan-cp generate -r tournament -f notation | catan-cp play - --games 5 --players greedy[/bold]
    """
    from catan_cp.play import play_games

    asked: dict[str, Any] = {"players": players, "placement": placement, "seed": seed, "workers": workers}
    kept = "no game is kept; with --file, the same command goes on" if file is None else f"{file} is kept"
    with keeping(lambda: kept), bar("games") as move:
        found = play_games(given.board(), games, **asked, file=file, progress=move)
    opt.tell_answer(found, how)
    if picture.save is not None:
        from catan_cp.play.pictures import plot_games

        picture.draw(plot_games(found))
