"""Commands about settlements, games and tournaments."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import catan_cp
from catan_cp.cli import options as opt
from catan_cp.cli.options import argument, option
from catan_cp.errors import InvalidArgument, amount, extra, show, show_path, visible
from catan_cp.files import read_small, write_whole
from catan_cp.terminal import explained_interrupt, say, tell

if TYPE_CHECKING:
    from catan_cp import Board, Objective
    from catan_cp.placement import Draft
    from catan_cp.tournament import Results, Standings

_LONGEST = 400_000
"""Maximum bytes of a file of players' names, of a plan, or of results."""


@dataclass(frozen=True)
class _Answer:
    """A result of `place`, whose lines are computed while they are printed.

    Attributes:
        to_json: returns the data for JSON.
        picture: returns the options of the picture.
        settlements: player and vertex of each settlement.
        lines: lines of text below the board.
        marks: other marks on the board, by vertex.
    """

    to_json: Callable[[], Any]
    picture: Callable[[], dict[str, Any]]
    settlements: Iterable[tuple[int, int]]
    lines: Iterable[str]
    marks: dict[int, str]


def place(
    *,
    board_input: opt.BoardInput = opt.BoardInput("-"),
    players: opt.Players = 4,
    objective_options: opt.ObjectiveOptions,
    rivalry: float = option(0.0, "Weight of the lead over the best rival; 0 ignores rivals."),
    expansion: float = option(0.0, "Weight of the best vertex reachable with two roads; 0 ignores it."),
    method: str = option(
        "auto", "Method: auto, vectorized or rivals.", complete=opt.names("auto", "vectorized", "rivals")
    ),
    placed: str = option("", "Settlements already placed, in order: PLAYER:VERTEX or PLAYER:VERTEX-ROAD,..."),
    judge: str = option("", "Report the value lost by each settlement of a draft: 1:42-41,2:24-25,..."),
    ties: bool = option(False, "Count the outcomes for all ways to break ties, with their values."),
    rationality: str = option(
        "", "Rationality: a number for all or one per player, as in perfect,2,2,2; 0 is random."
    ),
    moves: int = option(0, "Number of next moves to rank; 0 solves the whole draft."),
    compare_rivalry: bool = option(
        False, "Compare the placements with and without rivalry on all boards of a file or standard input."
    ),
    heat: bool = option(False, "Draw for each vertex the next player's chance to win from there."),
    numbers: opt.Numbers = False,
    how: opt.ResultFormat = "text",
    picture: opt.Picture,
) -> None:
    """Solve the placement of the first settlements by perfect players.

    The board is printed as text, and plotted with --save. Vertices are numbered
    from 0, tile by tile in reading order, clockwise from the upper right.
    --numbers shows all numbers. Players maximize values. The last line has the
    settlements of players who maximize their chances to win. --moves ranks by
    chances, or by values if an objective, rivalry, expansion or rationality is given.

    [bold]catan-cp generate | catan-cp place - --weights 0.5,0.3,0.2 --save place.png[/bold]
    """
    from catan_cp.placement import Draft

    _check_combinations(
        {"--judge": judge, "--moves": moves}, {"--ties": ties, "--method": method != "auto", "--moves": moves}
    )
    _check_combinations({"--judge": judge, "--ties": ties}, {"--rationality": rationality})
    _check_combinations({"--judge": judge}, {"--placed": placed})
    levels, goal = _read_rationality(rationality), objective_options.read(rivalry, expansion)
    if compare_rivalry:
        options = {"--judge": judge, "--moves": moves, "--ties": ties, "--placed": placed, "--heat": heat}
        options |= {"--save": picture.save, "--method": method != "auto"}
        _check_combinations({"--compare-rivalry": True}, options)
        if isinstance(levels, list):
            raise InvalidArgument("--rationality must be one number with --compare-rivalry")
        if players > 3:
            _warn_of_wait(players, "with rivalry")
        _compare_rivalry(board_input.boards(), players, goal, levels, how)
        return
    is_default = objective_options.is_default and not (rivalry or expansion or rationality)
    board, draft = board_input.board(), Draft.from_text(placed)
    if judge:
        answer = _judge(board, players, goal, Draft.from_text(judge))
    elif moves:
        answer = _rank(board, players, None if is_default else goal, draft, moves, levels)
    else:
        if players > 3 and (rivalry or rationality):
            _warn_of_wait(players, "with rivalry" if rivalry else "with bounded rationality")
        answer = _solve(board, players, goal, draft, ties, rationality=levels, method=method)
    _tell_answer(answer, board, numbers, how)
    if picture.save is not None:
        colours = _heat(board, players, None if is_default else goal, draft) if heat else {}
        picture.draw(board, numbers=numbers, **(answer.picture() | colours))


def _tell_answer(answer: _Answer, board: Board, numbers: bool, how: str) -> None:
    """Print an answer as JSON, or the board with settlements and then its lines."""
    from catan_cp.boards.vertex_text import vertex_map

    if how == "json":
        tell(json.dumps(answer.to_json()))
        return
    houses = {vertex: f"[{player}]" for player, vertex in answer.settlements}
    drawing = vertex_map(board, answer.marks | houses, numbers=numbers)
    tell(f"{drawing}\n\n{board.notation()}\n", tiles=True)
    for line in answer.lines:
        tell(line, flush=True)


def _heat(board: Board, players: int, goal: Objective | None, draft: Draft) -> dict[str, Any]:
    """Return the picture options for the next player's chances to win, by vertex.

    If all players have settled, an objective is given, or no games have measured the chances, the values of
    vertices are returned instead.
    """
    from catan_cp.placement.chance_game import move_chances
    from catan_cp.placement.chances import unmeasured
    from catan_cp.placement.positions import snake

    placed, order = [vertex for _, vertex in draft.settlements], snake(players)
    if goal is not None or len(placed) >= len(order) or unmeasured(board, players):
        return {"heat": catan_cp.vertex_values(board, goal), "heat_label": "value of a vertex to its owner"}
    chances = {vertex: 100 * chance for vertex, chance in move_chances(board, players, placed)}
    label = f"chance to win of player {order[len(placed)]}, who settles next, in per cent"
    return {"heat": [chances.get(v) for v in range(board.layout.n_vertices)], "heat_label": label}


def _judge(board: Board, players: int, goal: Objective, draft: Draft) -> _Answer:
    """Return the value lost by each settlement of a draft."""
    from catan_cp.placement import judge_draft

    verdicts = judge_draft(board, draft, players, goal)
    better = {v.best for v in verdicts if v.regret > 0} - {v.vertex for v in verdicts}
    picture = {"placement": draft.placed, "ring_vertices": sorted(better)}
    lines = [f"{number}. {verdict}" for number, verdict in enumerate(verdicts, start=1)]
    return _Answer(
        lambda: [asdict(verdict) for verdict in verdicts], lambda: picture, draft.settlements, lines, {}
    )


def _rank(
    board: Board, players: int, goal: Objective | None, draft: Draft, moves: int, levels: Any
) -> _Answer:
    """Return the best next moves, by chances if there is no objective."""
    from catan_cp.boards.vertex_text import vertex_name

    best = catan_cp.best_moves(board, draft.placed, moves, players, goal, levels)
    lines, names = [], ("player", "vertex", "chance", "value", "lead", "road")
    for rank, move in enumerate(best, start=1):
        chance = "" if move.chance is None else f"chance {move.chance:.1%}, "
        lead = f", lead {move.lead:.6f}" if goal is not None and goal.rivalry else ""
        place = vertex_name(board, move.vertex) + ("" if move.road is None else f" towards {move.road}")
        lines.append(f"{rank}. player {move.player} on {place}: {chance}value {move.value:.6f}{lead}")
    figures = {move.vertex: move.value if move.chance is None else 100 * move.chance for move in best}
    heat = [figures.get(vertex) for vertex in range(board.layout.n_vertices)]
    picture = {"placement": draft.placed, "heat": heat, "ring_vertices": figures}
    records = [{name: getattr(move, name) for name in names} for move in best]
    marks = {move.vertex: f"#{rank}" for rank, move in enumerate(best, start=1)}
    return _Answer(lambda: records, lambda: picture, draft.settlements, lines, marks)


def _solve(board: Board, players: int, goal: Objective, draft: Draft, ties: bool, **options: Any) -> _Answer:
    """Return the optimal settlements of all players."""
    from catan_cp.placement import find_equilibria
    from catan_cp.placement.chance_game import measured_line

    result = catan_cp.solve_placement(board, players, goal, placed=draft.placed, **options)
    placed = [vertex for _, vertex in draft.settlements]
    line = measured_line(board, players, placed) if len(placed) < 2 * players else None

    def to_json() -> Any:
        value = json.loads(result.to_json())
        value["by_chances"] = None if line is None else asdict(line)
        if ties:
            equilibria = find_equilibria(result)
            outcomes = [[sorted(pair) for pair in outcome] for outcome in equilibria.outcomes]
            value["equilibria"] = {
                "exact": equilibria.exact,
                "outcomes": outcomes,
                "values": equilibria.values,
            }
        return value

    def picture() -> dict[str, Any]:
        return {"placement": result, "arrows": result.arrows if goal.rivalry else ()}

    def lines() -> Iterator[str]:
        yield str(result)
        if goal.rivalry:
            yield result.explain()
        if ties:
            yield str(find_equilibria(result))
        if line is not None:
            *spots, last = ("{} and {}".format(*pair) for pair in line.settlements)
            yield (
                f"players who maximize their chances settle on {', '.join(spots)}; {last}, with chances "
                f"{', '.join(f'{chance:.0%}' for chance in line.chances)}"
            )

    return _Answer(to_json, picture, result.order, lines(), {})


def _check_combinations(first: dict[str, object], second: dict[str, object]) -> None:
    """Raise if an option of *first* is used together with one of *second*."""
    for name, value in first.items():
        for rival, rival_value in second.items():
            if value and rival_value and name != rival:
                raise InvalidArgument(f"{name} and {rival} cannot be combined; give one of the two")


def _read_rationality(text: str) -> float | list[float | None] | None:
    """Read ``2``, or ``perfect,2,2,2`` with one rationality per player."""
    words = [word.strip() for word in text.split(",")] if text.strip() else ["perfect"]
    levels: list[float | None] = []
    for word in words:
        try:
            levels.append(None if word == "perfect" else float(word))
        except ValueError:
            raise InvalidArgument(
                f"--rationality must be perfect or a number, for all or per player, not {show(word)}"
            ) from None
    return levels if len(levels) > 1 else levels[0]


def _warn_of_wait(players: int, how: str) -> None:
    """Print a remark that the search takes long without numba."""
    from catan_cp.compiled import is_fast

    if not is_fast():
        wait = "can take a minute or more without numba, and seconds with it"
        say(f"{players} players {how} {wait}: {extra('fast')}")


def _compare_rivalry(
    boards: Sequence[Board], players: int, goal: Objective, rationality: float | None, how: str
) -> None:
    """Print the placements of boards with and without rivalry, seat by seat."""
    from catan_cp.placement import compare_rivalry, rivalry_table, robust_share

    rivalry, goal = goal.rivalry or 1, replace(goal, rivalry=0)
    seats = compare_rivalry(boards, players, goal, rivalry, progress=True)
    share = None if rationality is None else robust_share(boards, players, goal, rationality)
    if how == "json":
        record: dict[str, Any] = {"boards": len(boards), "seats": [asdict(seat) for seat in seats]}
        tell(json.dumps(record if share is None else record | {"robust_elsewhere": share}))
        return
    tell(rivalry_table(seats))
    if share is not None:
        tell(f"against players of rationality {rationality:g}, player 1 begins elsewhere on {share:.0%}")


def play(
    *,
    board_input: opt.BoardInput = opt.BoardInput("-"),
    games: int = option(100, "Number of games.", "--games", "-n"),
    players: str = option(
        "greedy",
        "weighted, greedy, trader, expert or FILE.py:FUNCTION; one for all or one per seat.",
        "--players",
    ),
    placement: str = option(
        "free", "First settlements: free, optimal, rivals, chances, or a draft such as 1:42-41,2:24."
    ),
    seed: opt.SeedOf = 0,
    workers: opt.Workers = 1,
    file: Path | None = option(None, "File of the games to create or resume."),
    how: opt.ResultFormat = "text",
    picture: opt.Picture,
) -> None:
    """Simulate games on a board: wins per seat, length and margins.

    A player is a policy, or POLICY:PLAN with the plan pips, optimal, rivals or
    odds for its first settlements. Or it is a function of a Python file, which is
    run for it. With the extra `play`, games are compiled.

    [bold]catan-cp generate -r tournament | catan-cp play - --games 5 --players greedy[/bold]
    """
    seats = _load_players(players)
    options: dict[str, Any] = {"players": seats, "placement": placement, "seed": seed, "workers": workers}
    remark = "no game is kept; with --file, the same command goes on" if file is None else f"{file} is kept"
    with explained_interrupt(lambda: remark):
        result = catan_cp.play_games(board_input.board(), games, **options, file=file, progress=True)
    opt.print_result(result, how)
    if picture.save is not None:
        from catan_cp.play import plot_games

        picture.draw(plot_games(result))


def _load_players(text: str) -> str | list[Any]:
    """Return players for `play_games`, with the functions of files loaded."""
    words = [word.strip() for word in text.split(",")]
    if not any(".py:" in word for word in words):
        return text
    from catan_cp.play.custom import load_player
    from catan_cp.play.playing import FOUR

    players = [load_player(word) if ".py:" in word else word for word in words]
    return players * FOUR if len(players) == 1 else players


def review(
    *,
    file: str = argument(..., "File of another program with an opening, or - for standard input."),
    how: opt.ResultFormat = "text",
    picture: opt.Picture,
) -> None:
    """Review the opening of a played game, settlement by settlement.

    Each settlement has its player's chance to win before and after, and the best
    vertex with its worth. The last lines have the chances after the opening and
    the evenness of the board. A picture numbers the settlements, and the better
    vertices have pale houses. Files of colonist.io, JSettlers2, catanlog and
    Catanatron are read.

    [bold]catan-cp review game.json --save review.png[/bold]
    """
    from catan_cp.boards.vertex_text import vertex_map

    game = opt.BoardInput(file).game()
    if isinstance(game, catan_cp.Board):
        raise InvalidArgument(
            f"{show_path(file)} has no opening, only a board; catan-cp report judges boards"
        )
    result = catan_cp.review_opening(game)
    if how == "text":
        houses = {vertex: f"[{player}]" for player, vertex in game.settlements}
        tell(f"{vertex_map(result.draft.known_board, houses)}\n", tiles=True)
    opt.print_result(result, how)
    picture.draw(result.draft.known_board, **result.picture)


# Tournaments


@dataclass(frozen=True)
class Sheets:
    """The files of a planned tournament, checked before the planning."""

    plan: Path | None = option(None, "File of the plan to write, for replan: .json.")
    save: Path | None = option(None, "File of the sheets to write: .pdf.")
    title: str = option("Catan tournament", "Title above every sheet.")
    paper: str = option("A4", "Paper: A4, A3 or Letter.")
    force: opt.Force = False

    def __post_init__(self) -> None:
        from catan_cp.draw.sheet import qr_modules
        from catan_cp.page import public_address

        opt.check_writable(self.save, self.force, ".pdf")
        opt.check_writable(self.plan, self.force, ".json")
        if self.save is not None and (address := public_address()):
            qr_modules(address)  # raises before the planning if its package is missing

    def write(self, planned: catan_cp.Tournament) -> None:
        """Print a plan, and write the files that are named."""
        from catan_cp.page import fragment, public_address
        from catan_cp.tournament import save_kit

        tell(planned)
        if self.plan is not None:
            write_whole(self.plan, planned.to_json() + "\n", force=self.force)
            say(f"kept: {self.plan}")
        if self.save is not None:
            address = public_address()
            links = (
                [address + fragment(planned_round.board) for planned_round in planned.rounds]
                if address
                else ()
            )
            options: dict[str, Any] = {"title": visible(self.title), "paper": self.paper, "links": links}
            path = save_kit(planned, self.save, **options, force=self.force, progress=True)
            say(f"printed: {path}")


@dataclass(frozen=True)
class _Planning:
    """The solver that plans the tables, and its time limit."""

    solver: opt.SolverName = "auto"
    timeout: float = option(20.0, "Seconds until the best schedule so far is used.")


def tournament(
    *,
    players: int | None = option(None, "Number of players: 3, 4, or 6 and more."),
    rounds: int = option(4, "Number of rounds."),
    names: Path | None = option(None, "Text file with one player's name per line."),
    apart: list[str] | None = option(None, "Two players, A,B, who never share a table; repeatable."),
    maps: Path | None = option(None, "File with one board per round; by default even maps are searched."),
    allowed: opt.LayoutOptions = opt.LayoutOptions(rules="tournament"),
    seed: opt.Seed = None,
    planning: _Planning,
    sheets: Sheets,
) -> None:
    """Plan a tournament: maps, tables, and sheets to print.

    Opponents and places change from round to round. The sheets are the map of
    each round, cards for the tables, score sheets, and an overview for the
    director. If the environment variable CATAN_CP_PAGE_ADDRESS has the address of
    the web page, maps have its QR code.

    [bold]catan-cp tournament --players 16 --rounds 4 --plan cup.json --save kit.pdf[/bold]
    """
    player_names = None
    if names is not None:
        text = read_small(names, _LONGEST, "file of names", InvalidArgument)
        player_names = [line.strip() for line in text.splitlines() if line.strip()]
    if players is None and player_names is None:
        raise InvalidArgument("tournament needs --players N or --names FILE")
    rules, layout = allowed.both()
    options = {"rules": rules, "layout": layout, "seed": seed, "names": player_names, **vars(planning)}
    number = len(player_names or ()) if players is None else players
    known: Sequence[str | int] = player_names or range(1, number + 1)
    options["apart"] = [_players(pair, known) for pair in apart or ()]
    options["maps"] = [] if maps is None else opt.BoardInput(str(maps), allowed.layout).boards()
    planned = catan_cp.plan_tournament(number, rounds, **options, progress=True)
    sheets.write(planned)


def replan(
    *,
    file: Path = argument(..., "Plan written by tournament --plan."),
    played: int = option(..., "Number of rounds that are over or have begun."),
    leave: list[str] | None = option(None, "Player who leaves; repeatable."),
    join: list[str] | None = option(None, "Player who joins; repeatable."),
    layout: opt.LayoutName = "base",
    models: str | None = option(None, "Folder of edited models."),
    planning: _Planning,
    sheets: Sheets,
) -> None:
    """Plan the remaining rounds again after players left or joined.

    The maps stay the same. Within the time limit, the plan minimizes repeated
    meetings, then changes of table. The output states whether the number of
    changes is proven to be the minimum. A custom layout must be given again.

    [bold]catan-cp replan cup.json --played 1 --leave 7 --plan later.json --save later.pdf[/bold]
    """
    before = _read_plan(file, layout, models)
    numbered = all(isinstance(player, int) for player in before.players)
    # A name after --leave may contain a comma, but no line break, so it is not split.
    leaving = [player for word in leave or () for player in _players(word, before.players, "\n")]
    joining = [int(word) if numbered and word.isdecimal() and len(word) < 10 else word for word in join or ()]
    later = before.replan(played, leave=leaving, join=joining, **vars(planning), progress=True)
    sheets.write(later)


def _read_plan(file: Path, layout: str, models: str | None = None) -> catan_cp.Tournament:
    custom_layout = opt.read_layout(layout) if opt.named_file(layout) else None
    text = read_small(file, _LONGEST, "file of a plan", InvalidArgument)
    return catan_cp.Tournament.from_json(text, custom_layout, models=models)


def _players(words: str, players: Sequence[str | int], separator: str = ",") -> list[str | int]:
    """Return the players with the names in *words*. An unknown name stays, for the error of the library."""
    by_text = {str(player): player for player in players}
    return [by_text.get(word.strip(), word.strip()) for word in words.split(separator)]


@dataclass(frozen=True)
class _Played:
    """A plan with the files of its results."""

    file: Path = argument(..., "Plan written by tournament, replan or playoff with --plan.")
    results: list[Path] | None = argument(
        None, "CSV files with results; later files replace earlier results."
    )
    goal: int = option(10, "Points that win a game.")
    tie_breaks: str = option(
        "wbc",
        "Criteria: wbc, catan, or a list of wins, seconds, points, finish, share, percent.",
        complete=opt.names("wbc", "catan"),
    )
    lots: str = option("", "Tied players in the order of their lots: A,B.")
    layout: opt.LayoutName = "base"

    def read(self) -> Results:
        """Return the results of all files."""
        from catan_cp.tournament import Results

        results = Results(_read_plan(self.file, self.layout))
        for path in self.results or ():
            text = read_small(path, _LONGEST, "file of results", InvalidArgument)
            try:
                results = results.read(text, goal=self.goal)
            except InvalidArgument as error:
                raise InvalidArgument(f"{show_path(path)}: {error}") from None
        return results

    def standings(self, results: Results) -> Standings:
        """Return the standings by the criteria and lots."""
        lots = _players(self.lots, results.players) if self.lots else ()
        criteria = self.tie_breaks.split(",")
        return results.standings(criteria if len(criteria) > 1 else self.tie_breaks, lots=lots)


def standings(
    *,
    played: _Played,
    template: Path | None = option(None, "CSV file to write, with a line per player and game to fill in."),
    enter: bool = option(False, "Ask for missing results, and write all results to --template."),
    save: Path | None = option(None, "Sheet for the public to write: .pdf, .png or .svg."),
    title: str = option("Standings", "Title above the sheet."),
    paper: str = option("A4", "Paper: A4, A3 or Letter."),
    force: opt.Force = False,
) -> None:
    """Rank the players of a tournament by the results of its games.

    Results are CSV files. Write one with --template, and fill in the points. A
    later file replaces the results of its games in earlier files. Ties that
    remain are reported. Draw lots, and give their order with --lots.

    [bold]catan-cp standings cup.json --template results.csv[/bold]
    """
    from catan_cp.tournament import save_standings

    opt.check_writable(template, force, ".csv")
    opt.check_writable(save, force, ".pdf", ".png", ".svg")
    results = played.read()
    if enter:
        if template is None:
            raise InvalidArgument("--enter needs --template, the file for all results")
        results = _entered(results, played.goal)
    if template is not None:
        write_whole(template, results.to_csv(), force=force)
        say(f"kept: {template}")
    if not results.tables:
        if template is None or save is not None:
            raise InvalidArgument("no game has a result; write a file to fill in with --template")
        return
    if results.missing:
        say(f"no result yet: {amount(len(results.missing), 'game')}")
    ranking = played.standings(results)
    tell(ranking)
    if save is not None:
        say(f"printed: {save_standings(ranking, save, title=visible(title), paper=paper, force=force)}")


def _entered(results: Results, goal: int) -> Results:
    """Ask for the points of each game without a result until the input ends."""
    say("Enter the points in the order of the names. An empty line skips a game, Ctrl-D stops.")
    for round_, table in results.missing:
        players = ", ".join(map(str, results.tournament.rounds[round_ - 1].tables[table - 1]))
        while True:
            say(f"round {round_}, table {table}, points of {players}?")
            if not (line := sys.stdin.readline()):
                return results
            if not (words := line.split()):
                break
            try:
                results = results.enter(round_, table, words, goal=goal)
                break
            except InvalidArgument as error:
                say(str(error))
    return results


def playoff(
    *,
    played: _Played,
    players: int | None = option(
        None, "Number of players who advance; by default 16 from 29 players on, otherwise 4."
    ),
    winners: bool = option(False, "Plan a final of the winners of the last round."),
    rules: str = option("tournament", "Rules of the map."),
    seed: opt.Seed = None,
    sheets: Sheets,
) -> None:
    """Plan a semi-final or a final for the best players of a tournament.

    The tables of a semi-final have seeds 1-8-9-16, 2-7-10-15, 3-6-11-14 and
    4-5-12-13. Players who left are skipped. Use the plan of the semi-final and
    its results with --winners to plan the final.

    [bold]catan-cp playoff cup.json results.csv --plan semi.json --save semi.pdf[/bold]
    """
    from catan_cp.tournament import plan_playoff

    results = played.read()
    if results.missing:
        round_, table = results.missing[0]
        raise InvalidArgument(f"table {table} of round {round_} has no result; enter it first")
    seeds = results.winners() if winners else played.standings(results).top(players)
    layout = opt.read_layout(played.layout)
    sheets.write(plan_playoff(seeds, rules=rules, layout=layout, seed=seed))
