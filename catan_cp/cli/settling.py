"""Commands about settlements, games and tournaments: place, rivals, play, tournament, replan."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import catan_cp
from catan_cp.cli import options as opt
from catan_cp.cli.options import argument, option
from catan_cp.errors import InvalidArgument, extra, show, visible
from catan_cp.files import read_small, write_whole
from catan_cp.terminal import explained_interrupt, say, tell

if TYPE_CHECKING:
    from catan_cp import Board, Objective
    from catan_cp.placement import Draft

_LONGEST = 100_000
"""The bytes of the longest file of players' names, or of a plan."""


_Answer = tuple[
    Callable[[], Any], Callable[[], dict[str, Any]], Iterable[tuple[int, int]], Iterable[str], dict[int, str]
]
"""What `place` found, as JSON; what its picture shows; and in text: settlements, lines below, other marks.

What takes a search of its own is sought when it is asked for: each line is printed before the next is sought.
"""


def place(
    *,
    given: opt.Given = opt.Given("-"),
    players: opt.Players = 4,
    wanted: opt.Wanted,
    rivalry: float = option(0.0, "How much everybody minds being behind the best rival: 0 not at all."),
    expansion: float = option(0.0, "How much the best vertex counts that two roads reach: 0 not at all."),
    method: str = option(
        "auto",
        "auto, vectorized or rivals.",
        complete=opt.names("auto", "vectorized", "rivals"),
    ),
    placed: str = option("", "Settlements on the table, in order: PLAYER:VERTEX or PLAYER:VERTEX-ROAD,..."),
    judge: str = option("", "Say what each settlement of this draft lost: 1:42-41,2:24-25,..."),
    ties: bool = option(False, "Count the outcomes if ties go otherwise, and say who has what."),
    rationality: str = option(
        "", "Rationality of players: a number for all, or perfect,2,2,2; 0 chooses at random."
    ),
    moves: int = option(0, "Rank so many next moves instead of the whole game."),
    heat: bool = option(False, "Draw too what chance each vertex gives who settles next."),
    numbers: bool = option(False, "Write every vertex's number on the board and its picture."),
    how: opt.HowWritten = "text",
    picture: opt.Picture,
) -> None:
    """Say where perfect players settle, on the board as text, and draw it with --save.

    Vertices are numbered from 0: through the tiles in reading order, round each clockwise from its upper
    right, each corner when it is first met. --numbers shows them all.

    [bold]catan-cp generate -f notation | catan-cp place - --weights 0.5,0.3,0.2 --save place.png[/bold]
    """
    from catan_cp.boards.vertex_text import vertex_map
    from catan_cp.placement import Draft

    _refuse_together(
        {"--judge": judge, "--moves": moves},
        {"--ties": ties, "--method": method != "auto", "--moves": moves and judge},
    )
    _refuse_together({"--judge": judge, "--ties": ties}, {"--rationality": rationality})
    _refuse_together({"--judge": judge}, {"--placed": placed})
    levels, goal = _levels(rationality), wanted.read(rivalry, expansion)
    board, done = given.board(), Draft.from_text(placed)
    if judge:
        told, drawn, settled, lines, marks = _judge(board, players, goal, Draft.from_text(judge))
    elif moves:
        told, drawn, settled, lines, marks = _rank(board, players, goal, done, moves, levels)
    else:
        if players > 3 and (rivalry or rationality):
            _warn_of_wait(players, "with rivalry" if rivalry else "who err")
        told, drawn, settled, lines, marks = _solve(
            board, players, goal, done, ties, rationality=levels, method=method
        )
    if how == "json":
        tell(json.dumps(told()))
    else:
        houses = {vertex: f"[{player}]" for player, vertex in settled}
        tell(f"{vertex_map(board, marks | houses, numbers=numbers)}\n")
        for line in lines:
            tell(line, flush=True)
    if picture.save is not None:
        hot = _heat(board, players, goal, done, wanted) if heat else {}
        picture.draw(board, numbers=numbers, **(drawn() | hot))


def _heat(board: Board, players: int, goal: Objective, done: Draft, wanted: opt.Wanted) -> dict[str, Any]:
    """Return what discs show: the chances of who settles next; values where all have settled or if asked."""
    from catan_cp.placement.positions import free_vertices, snake

    order, placed = snake(players), done.settlements
    settled = len(placed) >= len(order)
    if settled or wanted.weights or wanted.objective in ("report", "pips"):
        return {"heat": catan_cp.vertex_values(board, goal), "heat_label": "value of a vertex to its owner"}
    mine, chances = order[len(placed)], dict[int, float]()
    for vertex in free_vertices(board, (v for _, v in placed)):
        now = [*placed, (mine, vertex)]
        each = [[v for p, v in now if p == player] for player in range(1, players + 1)]
        chances[vertex] = 100 * catan_cp.win_chances(board, each)[mine - 1]
    told = f"chance to win of player {mine}, who settles next, in per cent"
    return {"heat": [chances.get(v) for v in range(board.layout.n_vertices)], "heat_label": told}


def _judge(board: Board, players: int, goal: Objective, draft: Draft) -> _Answer:
    """Return what each settlement of a draft lost."""
    from catan_cp.placement import judge_draft

    verdicts = judge_draft(board, draft, players, goal)
    better = {v.best for v in verdicts if v.regret > 0} - {v.vertex for v in verdicts}
    drawn = {"placement": draft.placed, "ring_vertices": sorted(better)}
    lines = [f"{number}. {verdict}" for number, verdict in enumerate(verdicts, start=1)]
    return lambda: [asdict(verdict) for verdict in verdicts], lambda: drawn, draft.settlements, lines, {}


def _rank(board: Board, players: int, goal: Objective, done: Draft, moves: int, levels: Any) -> _Answer:
    """Return the best next moves."""
    from catan_cp.boards.vertex_text import vertex_name

    best = catan_cp.best_moves(board, done.placed, moves, players, goal, levels)
    lines, names = [], ("player", "vertex", "value", "lead", "road")
    for rank, move in enumerate(best, start=1):
        lead = f", lead {move.lead:.6f}" if goal.rivalry else ""
        where = vertex_name(board, move.vertex) + ("" if move.road is None else f" towards {move.road}")
        lines.append(f"{rank}. player {move.player} on {where}: value {move.value:.6f}{lead}")
    values = {move.vertex: move.value for move in best}
    heat = [values.get(vertex) for vertex in range(board.layout.n_vertices)]
    drawn = {"placement": done.placed, "heat": heat, "ring_vertices": values}
    told = [{name: getattr(move, name) for name in names} for move in best]
    marks = {move.vertex: f"#{rank}" for rank, move in enumerate(best, start=1)}
    return lambda: told, lambda: drawn, done.settlements, lines, marks


def _solve(board: Board, players: int, goal: Objective, done: Draft, ties: bool, **options: Any) -> _Answer:
    """Return where everybody settles, and who harms whom there."""
    from catan_cp.placement import find_equilibria

    result = catan_cp.solve_placement(board, players, goal, placed=done.placed, **options)

    def told() -> Any:
        value = json.loads(result.to_json())
        if ties:
            found = find_equilibria(result)
            outcomes = [[sorted(pair) for pair in outcome] for outcome in found.outcomes]
            value["equilibria"] = {"exact": found.exact, "outcomes": outcomes, "values": found.values}
        return value

    def drawn() -> dict[str, Any]:
        return {"placement": result, "arrows": result.arrows if goal.rivalry else ()}

    def lines() -> Iterator[str]:
        yield str(result)
        if goal.rivalry:
            yield result.explain()
        if ties:
            yield str(find_equilibria(result))

    return told, drawn, result.order, lines(), {}


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
    from catan_cp.placement import compare_rivalry, rivalry_table, robust_share

    boards, goal = sample.read(), wanted.read()
    if players > 3:
        _warn_of_wait(players, "with rivalry")
    seats = compare_rivalry(boards, players, goal, rivalry, progress=True)
    share = None if rationality is None else robust_share(boards, players, goal, rationality)
    if how == "json":
        told: dict[str, Any] = {"boards": len(boards), "seats": [asdict(seat) for seat in seats]}
        tell(json.dumps(told if share is None else told | {"robust_elsewhere": share}))
        return
    tell(rivalry_table(seats))
    if share is not None:
        tell(f"against players of rationality {rationality:g}, player 1 begins elsewhere on {share:.0%}")


def play(
    *,
    given: opt.Given = opt.Given("-"),
    games: int = option(100, "How many games.", "--games", "-n"),
    players: str = option(
        "greedy", "Players: weighted, greedy, trader, expert; one for all or one per seat.", "--players"
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
    asked: dict[str, Any] = {"players": players, "placement": placement, "seed": seed, "workers": workers}
    kept = "no game is kept; with --file, the same command goes on" if file is None else f"{file} is kept"
    with explained_interrupt(lambda: kept):
        found = catan_cp.play_games(given.board(), games, **asked, file=file, progress=True)
    opt.tell_answer(found, how)
    if picture.save is not None:
        from catan_cp.play import plot_games

        picture.draw(plot_games(found))


# Tournaments


@dataclass(frozen=True)
class Sheets:
    """The files of a planned tournament, refused before the planning where one cannot be written."""

    plan: Path | None = option(None, "Keep the plan in this file, for replan: one that ends in .json.")
    save: Path | None = option(None, "The sheets to print: a file that ends in .pdf.")
    title: str = option("Catan tournament", "A line above every sheet.")
    paper: str = option("A4", "A4, A3 or Letter.")
    force: opt.Force = False

    def __post_init__(self) -> None:
        from catan_cp.draw.sheet import qr_modules
        from catan_cp.page import public_address

        opt.refuse_unwritable(self.save, self.force, ".pdf")
        opt.refuse_unwritable(self.plan, self.force, ".json")
        if self.save is not None and (address := public_address()):
            qr_modules(address)  # a package that is missing is told before all the planning

    def write(self, planned: catan_cp.Tournament) -> None:
        """Print what was planned, and write it where that was asked for."""
        from catan_cp.page import fragment, public_address
        from catan_cp.tournament import save_kit

        tell(planned)
        if self.plan is not None:
            write_whole(self.plan, planned.to_json() + "\n")
            say(f"kept: {self.plan}")
        if self.save is not None:
            address = public_address()
            links = [address + fragment(each.board) for each in planned.rounds] if address else ()
            given: dict[str, Any] = {"title": visible(self.title), "paper": self.paper, "links": links}
            path = save_kit(planned, self.save, **given, force=self.force, progress=True)
            say(f"printed: {path}")


@dataclass(frozen=True)
class _Planning:
    """What plans the tables, and for how long."""

    solver: opt.SolverName = "auto"
    timeout: float = option(20.0, "Seconds until the best schedule so far is taken.")


def tournament(
    *,
    players: int | None = option(None, "How many play: 3, 4, or 6 and more."),
    rounds: int = option(4, "How many rounds."),
    names: Path | None = option(None, "A text file with the players' names, one on each line."),
    asked: opt.Asked = opt.Asked(rules="tournament"),
    seed: opt.Seed = None,
    planning: _Planning,
    sheets: Sheets,
) -> None:
    """Plan a tournament: a map a round, tables with other opponents and places, and sheets to print.

    The sheets are each round's map, cards for the tables, score sheets, and an overview for the director.
    Where the environment variable CATAN_CP_PAGE_ADDRESS names the web page's address, maps have its QR code.

    [bold]catan-cp tournament --players 16 --rounds 4 --plan cup.json --save kit.pdf[/bold]
    """
    known = None
    if names is not None:
        text = read_small(names, _LONGEST, "file of names", InvalidArgument)
        known = [line.strip() for line in text.splitlines() if line.strip()]
    if players is None and known is None:
        raise InvalidArgument("how many play? give --players N, or --names FILE")
    rules, layout = asked.both()
    options = {"rules": rules, "layout": layout, "seed": seed, "names": known, **vars(planning)}
    number = len(known or ()) if players is None else players
    planned = catan_cp.plan_tournament(number, rounds, **options, progress=True)
    sheets.write(planned)


def replan(
    *,
    file: Path = argument(..., "The plan that tournament --plan kept."),
    played: int = option(..., "How many rounds are over, or have begun."),
    leave: list[str] | None = option(None, "Who goes; it can be given again."),
    join: list[str] | None = option(None, "Who comes; it can be given again."),
    layout: opt.LayoutName = "base",
    models: str | None = option(None, "A folder with models that you edited."),
    planning: _Planning,
    sheets: Sheets,
) -> None:
    """Plan the rounds of a tournament that are left anew, when players leave or come late.

    Maps stay. After meetings again, changes of table are minimized until the time limit; the output says
    whether their number is proven minimal. A custom layout must be given again.

    [bold]catan-cp replan cup.json --played 1 --leave 7 --plan later.json --save later.pdf[/bold]
    """
    on = opt.read_layout(layout) if opt.named_file(layout) else None
    text = read_small(file, _LONGEST, "file of a plan", InvalidArgument)
    before = catan_cp.Tournament.from_json(text, on, models=models)
    known = {str(each): each for each in before.players}
    numbered = all(isinstance(each, int) for each in before.players)
    leaving = [known.get(each, each) for each in leave or ()]
    joining = [int(each) if numbered and each.isdecimal() and len(each) < 10 else each for each in join or ()]
    later = before.replan(played, leave=leaving, join=joining, **vars(planning), progress=True)
    sheets.write(later)
