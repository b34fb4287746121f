"""Commands that generate, draw and check boards, and the commands of ``entropy``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import catan_cp
from catan_cp.boards.pieces import TERRAINS
from catan_cp.cli import options as opt
from catan_cp.cli.options import (
    BoardInput,
    BoardsInput,
    LayoutOptions,
    PatternOptions,
    Picture,
    RulesOptions,
    argument,
    option,
)
from catan_cp.errors import InvalidArgument, SolverNotFound, amount, check_count, listed, show, visible
from catan_cp.progress import watched
from catan_cp.rules.rules import OPEN_FIELDS, PRESETS, RULES
from catan_cp.terminal import CountedResults, explained_interrupt, partial_result, say, tell

_UNSURE = "the best so far, not proven; "
_KEPT = "interrupted, {}; what was done is kept, and the same command starts again"

T = TypeVar("T")


# Make boards


def generate(
    *,
    allowed: LayoutOptions,
    seed: opt.Seed = None,
    number: int = option(1, "Number of boards."),
    method: str = option(
        "auto",
        "Method: uniform or deal (equally likely boards), walk (random walk), solver, auto (by the rules).",
        complete=opt.names("auto", "deal", "uniform", "walk", "solver"),
    ),
    search: opt.Search,
    candidates: int | None = option(None, "Terrain arrangements to sample per board; the evenest is used."),
    how: opt.BoardFormat = None,
    numbers: opt.Numbers = False,
    picture: Picture,
    show: bool = option(False, "Show the last board on the web page.", "--open"),
    explain: bool = option(False, "Explain which method made the boards, and why."),
) -> None:
    """Generate boards that the rules allow.

    [bold]catan-cp generate --rules tournament --save board.png[/bold]
    """
    from catan_cp.search.generate import explain_method

    if number < 1:
        raise InvalidArgument(f"--number must be at least 1, not {number}")
    if show:
        from catan_cp import page

        page.page_dir()  # raises before any work if the page is not built
    options: dict[str, Any] = {"seed": seed, "method": method, "candidates": candidates, **vars(search)}
    boards: list[catan_cp.Board] = []
    no_picture = "" if picture.save is None else f"{picture.save} is not drawn; "
    again = f"{no_picture}the same command starts again{' with other boards' if seed is None else ''}"
    with (
        CountedResults() as results,
        explained_interrupt(lambda: f"{results.printed:,} of {amount(number, 'board')} printed; {again}"),
    ):
        try:
            for board in watched(
                catan_cp.generate_boards(number, *allowed.both(), **options), "boards", number
            ):
                results.print(partial(opt.tell_board, board, how, numbers=numbers))
                boards.append(board)
        except SolverNotFound as missing:
            if search.solver != "auto":
                raise
            raise SolverNotFound(f"{missing}; or use --rules tournament, which needs no solver") from None
        picture.draw_boards(boards, numbers=numbers)
    if explain:
        say(explain_method(*allowed.both(), method=method, solver=search.solver))
    if show:
        page.show_page(boards[-1])


@dataclass(frozen=True)
class _Seats:
    """A target for the shares of games that the seats win."""

    even: bool = option(False, "Search for a board on which all seats win equally often in simulated games.")
    lead: list[str] | None = option(
        None, "Aim at a lead, as SEAT=POINTS: 1=5 gives seat 1 five percentage points more."
    )
    number: int = option(1, "With --even or --lead: number of boards.", "-n", "--number", "--n")
    candidates: int = option(5000, "With --even or --lead: maximum number of boards to play, for each board.")
    players: opt.Players = 4

    def best(
        self, allowed: LayoutOptions, *, seed: int | None, **options: Any
    ) -> Iterator[tuple[catan_cp.Board, list[str]]]:
        """Yield boards whose seats win as often as their targets, with remarks about each."""
        from catan_cp.analysis.seats import CLAIM, search_seats

        options |= {"candidates": self.candidates, "players": self.players, "lead": self._leads()}
        for number in range(check_count("number", self.number, 1)):
            source = None if seed is None else seed + number
            best = search_seats(*allowed.both(), seed=source, **options, progress=True)
            wins = best.wins or ()
            seats = [f"seat {seat} wins {share}" for seat, share in enumerate(wins, start=1)]
            yield best.board, [best.verdict, *seats, *([CLAIM] if wins else [])]

    def _leads(self) -> dict[int, float]:
        """Read words such as ``1=5``, one per seat."""
        leads: dict[int, float] = {}
        for word in self.lead or ():
            seat, _, points = word.partition("=")
            try:
                leads[int(seat)] = float(points)
            except ValueError:
                raise InvalidArgument(f"--lead must be SEAT=POINTS, as in 1=5, not {show(word)}") from None
        if len(leads) < len(self.lead or ()):
            raise InvalidArgument(f"--lead must name each seat once, not as in {listed(self.lead or ())}")
        return leads


def best(
    *,
    allowed: LayoutOptions,
    minimize: list[str] | None = option(
        None, "Measure to minimize, or MiniZinc text of a number; repeatable, later ones break ties."
    ),
    maximize: list[str] | None = option(None, "Measure to maximize, after those to minimize; repeatable."),
    seats: _Seats,
    seed: opt.Seed = None,
    measures: bool = option(False, "List the measures."),
    search: opt.Search,
    how: opt.BoardFormat = None,
    numbers: opt.Numbers = False,
    picture: Picture,
) -> None:
    """Find the best board by a measure, or a board with even seats.

    Ctrl-C ends the search and prints the best board so far. With --even or
    --lead, programs play sampled boards until one has the target, for at most 50
    seconds after the first, or --timeout. Each player settles to maximize its
    own chance to win.

    [bold]catan-cp best --rules open --minimize largest_vertex_sum[/bold]
    """
    from catan_cp.search import best as searching

    if measures:
        for name, meaning in searching.measures(allowed.models).items():
            tell(f"{name}: {meaning}")
        return
    if seats.even or seats.lead:
        if minimize or maximize or (seats.even and seats.lead):
            raise InvalidArgument("--even, --lead and measures cannot be combined; give one of them")
        boards: Iterable[tuple[catan_cp.Board, list[str]]] = seats.best(allowed, seed=seed, **vars(search))
    else:
        if seats.number != 1:
            raise InvalidArgument(
                "--number needs --even or --lead; for a measure: catan-cp enumerate boards --by MEASURE "
                "--top N"
            )
        goals: dict[str, Any] = {"minimize": minimize or None, "maximize": maximize or None, **vars(search)}
        best = searching.best_board(*allowed.both(), **goals, progress=True)
        proof = "proven, no board is better" if best.proven else _UNSURE + "a better board may exist"
        boards = [(best.board, [f"value {_value(best)}: {proof}"])]
    made = []
    for board, remarks in boards:
        made.append(board)
        opt.tell_board(board, how, numbers=numbers)
        for line in remarks:
            say(line)
    picture.draw_boards(made, numbers=numbers)


def _value(best: catan_cp.BestBoard) -> str:
    return str(best.value) if isinstance(best.value, int) else ", ".join(map(str, best.value))


def repair(
    *, board_input: BoardInput, allowed: PatternOptions, search: opt.Search, how: opt.BoardFormat = None
) -> None:
    """Change the fewest tiles of a board so that it satisfies rules.

    [bold]catan-cp repair o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 --rules tournament[/bold]
    """
    best = catan_cp.repair_board(board_input.board(), allowed.read(), **vars(search))
    opt.tell_board(best.board, how)
    differ = "1 tile differs" if best.value == 1 else f"{best.value} tiles differ"
    say(f"{differ}: {'proven, fewer will not do' if best.proven else _UNSURE + 'fewer may do'}")


def puzzle(
    *, board_input: BoardInput, allowed: RulesOptions, seed: opt.Seed = None, search: opt.Search
) -> None:
    """Make a puzzle: a minimal pattern that only one board completes.

    [bold]catan-cp generate | catan-cp puzzle -[/bold]
    """
    tell(catan_cp.make_puzzle(board_input.board(), allowed.read(), seed=seed, **vars(search)))


def plot(
    *,
    board_input: BoardsInput,
    picture: Picture,
    title: opt.Title = None,
    theme: str = option("light", "Theme: light, dark, print (black on white) or plain."),
    letters: bool = option(False, "Label tiles with the letters of their terrains."),
    patterns: bool | None = option(
        None, "Patterns of the terrains; on by default except for plain.", "--patterns/--no-patterns"
    ),
    numbers: opt.Numbers = False,
    how: opt.BoardFormat = None,
) -> None:
    """Draw a board, or a gallery of all boards of a file or on standard input.

    Without --save, boards are printed.

    [bold]catan-cp generate -n 6 | catan-cp plot - --save six.png[/bold]
    """
    if picture.save is None:
        for board in board_input.boards():
            opt.tell_board(board, how, numbers=numbers)
        return
    options = {
        "title": title and visible(title),
        "theme": theme,
        "letters": letters,
        "patterns": patterns,
        "numbers": numbers,
    }
    picture.draw_boards(board_input.boards(), **options)


def print_(
    *,
    board_input: BoardsInput,
    save: Path = option(..., "File to write: .pdf."),
    paper: str = option("A4", "Paper: A4, A3 or Letter."),
    hex_mm: float | None = option(
        None, "Width of a tile in mm (79 in the game); by default the largest that fits."
    ),
    tiled: bool = option(False, "Print tiles as wide as the game's, on several pages."),
    title: opt.Title = None,
    theme: str = option("print", "Theme: print, or light or dark for coloured tiles."),
    numbers: opt.Numbers = False,
    rules: str | None = option(None, "Preset or TOML file of the rules to state below the board."),
    force: opt.Force = False,
) -> None:
    """Write boards as a PDF for the printer, each on a page of its own.

    [bold]catan-cp generate | catan-cp print - --save table.pdf[/bold]
    """
    options: dict[str, Any] = {"title": title and visible(title), "tiled": tiled, "theme": theme}
    options |= {"numbers": numbers, "rules": None if rules is None else opt.read_rules(rules)}
    path = catan_cp.print_sheet(board_input.boards(), save, paper, hex_mm, **options, force=force)
    say(f"printed: {path}")


# Check boards


def import_(
    file: str = argument(..., "File of another program, or - for standard input."),
    how: Literal["notation", "json"] | None = option(
        None, "Output format: notation of the board, or JSON with the opening; by default text in a terminal."
    ),
) -> None:
    """Print the board and the opening of a game of another program.

    Files of colonist.io, JSettlers2, catanlog and Catanatron are read. Other
    commands take such a file instead of a board.

    [bold]catan-cp import game.json[/bold]
    """
    game = BoardInput(file).game()
    if isinstance(game, catan_cp.Board):
        opt.tell_board(game, how)
    elif how == "json":
        tell(game.to_json())
    else:
        opt.tell_board(game.known_board, how)
        say(f"opening: {game}")
        say("\n".join(f"player {seat} is {name}" for seat, name in enumerate(game.seats, start=1)))


def check(
    *, board_input: BoardInput, allowed: PatternOptions, how: opt.ResultFormat = "text", picture: Picture
) -> None:
    """List the rules that a board breaks, and where.

    The exit status is 1 if it breaks any. With --save, a picture rings the
    vertices of each violation, or its tiles if it concerns no vertex.

    [bold]catan-cp check o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 --rules tournament[/bold]
    """
    board = board_input.board()
    broken = allowed.read().check(board)
    if how == "json":
        tell(json.dumps([asdict(breach) for breach in broken]))
    else:
        for breach in broken:
            tell(breach)
    picture.draw(
        board,
        numbers=True,
        ring_vertices={vertex for breach in broken for vertex in breach.vertices},
        ring_tiles={tile for breach in broken if not breach.vertices for tile in breach.tiles},
    )
    if broken:
        places = amount(len(broken), "place")
        raise opt.unsatisfied(f"the board breaks the rules {allowed.rules!r} in {places}")
    if how == "text":
        tell(f"the board keeps the rules {allowed.rules!r}")


def report(
    *,
    board_input: BoardInput = BoardInput("-"),
    players: int | None = option(None, "Number of players; by default 4."),
    objective_options: opt.ObjectiveOptions,
    how: opt.ResultFormat = "text",
    numbers: opt.Numbers = False,
    picture: Picture,
) -> None:
    """Analyze a board: evenness, resources, fairness to seats, rules.

    With --save, the picture has the settlements, the value of each vertex with a
    scale, and a key to the terrains.

    [bold]catan-cp generate | catan-cp report - --save board.png[/bold]
    """
    goal = objective_options.read()
    board = board_input.board()
    if players is None and board.layout.n_tiles > catan_cp.LAYOUTS["base"].n_tiles:
        say("the report is for 4 players; --players changes the number")
    analysis = catan_cp.analyze_board(board, 4 if players is None else players, goal)
    opt.print_result(analysis, how)
    draw_report(analysis, [goal], picture, numbers)


def draw_report(
    analysis: catan_cp.BoardAnalysis,
    objectives: Sequence[catan_cp.Objective],
    picture: Picture,
    numbers: bool = False,
) -> None:
    """Plot a board with its settlements and a key.

    If all players have the same objective, the value of each vertex is added.
    """
    if picture.save is not None:
        values = catan_cp.vertex_values(analysis.board, objectives[0]) if len(set(objectives)) == 1 else None
        label = "value of a vertex to its owner"
        options = {"heat": values, "heat_label": label, "key": True, "numbers": numbers}
        picture.draw(analysis.board, placement=analysis.placement, **options)


def rules(
    name: str | None = argument(
        None, "Preset or TOML file; all presets if omitted.", complete=opt.COMPLETED["rules"]
    ),
    how: opt.ResultFormat = "text",
    toml: bool = option(False, "Print a TOML file of the rules."),
    all_fields: bool = option(False, "List all fields of a rules file.", "--fields"),
) -> None:
    """Explain rules in plain English."""
    if all_fields:
        declared = {rule.field: (rule.kind.values.replace("`", ""), rule.asks) for rule in RULES.values()}
        for field, (values, asks) in {**declared, **OPEN_FIELDS}.items():
            if field != "models":  # a rules file cannot name a folder of models
                tell(f"{field}: {values}\n  {asks}\n")
        return
    named = {preset: opt.read_rules(preset) for preset in ([*PRESETS] if name is None else [name])}
    if how == "json":
        tell(json.dumps({preset: rules_of.to_mapping() for preset, rules_of in named.items()}))
        return
    for preset, rules_of in named.items():
        if toml:
            tell(f"# {preset}\n{rules_of.to_toml().rstrip()}\n")
        else:
            tell("\n  ".join([preset, *rules_of.explain()]) + "\n")


# Evenness


def score(*, board_input: BoardInput) -> None:
    """Print each terrain's efficiency, its target, and the error.

    [bold]catan-cp entropy score ogw/gbol/lgblw/bwlo/dgw[/bold]
    """
    from catan_cp.entropy.scorer import read_targets

    board = board_input.board()
    goals = read_targets(board.layout)
    for name, value in catan_cp.efficiency(board).items():
        tell(f"{name:<8} {value:.4f}   target {format(goals[name], '.2f') if name in goals else '-'}")
    tell(f"error    {catan_cp.efficiency_error(board):.6f}")


def search(
    start: str = argument(
        "seafarers-8",
        "Layout, TOML file with one, board in notation, file with one, or - for standard input.",
        complete=opt.COMPLETED["layout"],
    ),
    layout: opt.BoardLayout = None,
    steps: int = option(5000, "Number of swaps to try."),
    power: float = option(1.0, "Skew power, from 0 (uniform choice) to inf."),
    normalization: str = option(
        "static", "Normalization: static or dynamic.", complete=opt.names("static", "dynamic")
    ),
    keep_all: bool = option(False, "Keep swaps that raise the error."),
    rules: str | None = option(None, "Rules that every swap must satisfy; none by default."),
    seed: opt.Seed = None,
    how: opt.BoardFormat = None,
) -> None:
    """Improve the evenness of a board by swapping tiles.

    [bold]catan-cp entropy search seafarers-8 --seed 1 | catan-cp plot - --save even.png[/bold]
    """
    named = start in catan_cp.LAYOUTS or start.endswith(".toml")
    begin: Any = opt.read_layout(start) if named else BoardInput(start, layout).board()
    allowed = None if rules is None else opt.read_rules(rules)
    arguments = (begin, steps, power, normalization, not keep_all, seed)
    with partial_result(partial(catan_cp.improve_evenness, *arguments, rules=allowed), _KEPT) as swaps:
        opt.tell_board(swaps.board, how)
        swapped = f"{amount(swaps.steps, 'step')}, {swaps.accepted:,} kept"
        say(f"error {swaps.errors[0]:.6f} -> {swaps.error:.6f}: {swapped}")


def official() -> None:
    """Print the average efficiencies of published tilings by layout and terrain."""
    from catan_cp.entropy import official_average, official_boards, official_efficiencies

    tell(f"{'layout':13}{'boards':>7}" + "".join(f"{name:>9}" for name in TERRAINS))
    layouts = official_efficiencies()
    counts = {layout: len(official_boards(layout)) for layout in layouts}
    for name, row in {**layouts, "all": official_average()}.items():
        cells = "".join(f"{row[terrain]:9.5f}" if terrain in row else f"{'-':>9}" for terrain in TERRAINS)
        tell(f"{name:13}{counts.get(name, sum(counts.values())):7}{cells}")
