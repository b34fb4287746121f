"""Commands about boards: those that make and draw them, those that judge them, and those of entropy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import catan_cp
from catan_cp.boards.pieces import TERRAINS
from catan_cp.cli import options as opt
from catan_cp.cli.options import Allowed, AllowedPattern, Asked, Given, Picture, argument, option
from catan_cp.errors import InvalidArgument, SolverNotFound, listed, show, visible
from catan_cp.progress import watched
from catan_cp.rules.rules import OPEN_FIELDS, PRESETS, RULES
from catan_cp.terminal import explained_interrupt, partial_result, say, tell

_UNSURE = "the best so far, not proven; "
_KEPT = "interrupted, {}; what was done is kept, and the same command starts again"

T = TypeVar("T")


# Make boards


def generate(
    *,
    asked: Asked,
    seed: opt.Seed = None,
    number: int = option(1, "How many boards."),
    method: str = option(
        "auto",
        "uniform: every board equally likely; walk: dealt and mended; solver; auto: by the rules.",
        complete=opt.names("auto", "uniform", "walk", "solver"),
    ),
    search: opt.Search,
    candidates: int | None = option(None, "Take the evenest of so many terrains for each board."),
    how: opt.HowWritten = "text",
    picture: Picture,
    show: bool = option(False, "Show the last board on the web page.", "--open"),
    explain: bool = option(False, "Say how the boards were made: drawn, walked or solved; and why."),
) -> None:
    """Print boards that the rules allow, and draw them with --save.

    [bold]catan-cp generate --rules tournament --save board.png[/bold]
    """
    from catan_cp.search.generate import explain_method

    if number < 1:
        raise InvalidArgument(f"--number is at least 1, not {number}")
    if show:
        from catan_cp import page

        page.page_dir()  # what is missing is said before anything is made
    options: dict[str, Any] = {"seed": seed, "method": method, "candidates": candidates, **vars(search)}
    boards: list[catan_cp.Board] = []
    undrawn = "" if picture.save is None else f"{picture.save} is not drawn; "
    again = f"{undrawn}the same command starts again{' with other boards' if seed is None else ''}"
    with explained_interrupt(lambda: f"{len(boards)} of {number} boards are printed; {again}"):
        try:
            for board in watched(
                catan_cp.generate_boards(number, *asked.both(), **options), "boards", number
            ):
                tell(opt.written(board, how), flush=True)
                boards.append(board)
        except SolverNotFound as missing:
            if search.solver != "auto":
                raise
            raise SolverNotFound(f"{missing}; or take --rules tournament, which needs no solver") from None
        picture.draw_boards(boards)
    if explain:
        say(explain_method(*asked.both(), method=method, solver=search.solver))
    if show:
        page.show_page(boards[-1])


@dataclass(frozen=True)
class _Seats:
    """Seats that are even, or one that leads, by the chances to win."""

    even: bool = option(False, "Even seats instead: the nearest of --candidates to equal chances to win.")
    lead: list[str] | None = option(
        None, "A seat's lead instead: 1=5 gives seat 1 an equal share and 5 points of a hundred more."
    )
    candidates: int = option(500, "With --even or --lead: how many boards are drawn and judged.")
    games: int = option(
        0, "With --even or --lead: games that programs play on the best of them; they decide."
    )
    players: opt.Players = 4

    def best(self, asked: Asked, **options: Any) -> tuple[catan_cp.Board, list[str]]:
        """Return the board whose seats' chances are nearest to the target, and what is said of it."""
        from catan_cp.tournament.seats import search_seats

        options |= {"candidates": self.candidates, "games": self.games, "players": self.players}
        found = search_seats(*asked.both(), lead=self._leads(), **options, progress=True)[0]
        said = [f"chances to win, seat 1 first: {_shares(found.chances)}"]
        if found.games is not None:
            won = _shares(share.value for share in found.games.wins)
            said.append(f"won in {len(found.games)} games: {won}")
        miss = f"at most {found.miss:.1f} points off the target; more --candidates may come nearer"
        return found.board, [*said, miss]

    def _leads(self) -> dict[int, float]:
        """Read ``1=5``, one word a seat."""
        found: dict[int, float] = {}
        for word in self.lead or ():
            seat, _, points = word.partition("=")
            try:
                found[int(seat)] = float(points)
            except ValueError:
                raise InvalidArgument(f"a lead is SEAT=POINTS, as in 1=5, not {show(word)}") from None
        if len(found) < len(self.lead or ()):
            raise InvalidArgument(f"each seat has one lead, not as in {listed(self.lead or ())}")
        return found


def _shares(of: Iterable[float]) -> str:
    return ", ".join(f"{100 * share:.1f} %" for share in of)


def best(
    *,
    asked: Asked,
    minimize: list[str] | None = option(
        None, "A measure's name, or MiniZinc text of a number; later ones settle ties."
    ),
    maximize: list[str] | None = option(None, "Likewise; after those to minimize."),
    seats: _Seats,
    seed: opt.Seed = None,
    measures: bool = option(False, "Print the named measures instead."),
    search: opt.Search,
    how: opt.HowWritten = "text",
    picture: Picture,
) -> None:
    """Print the best board that the rules allow, by a measure; Ctrl-C gives the best so far.

    With --even or --lead, boards are drawn, perfect players settle, and the chances to win decide.

    [bold]catan-cp best --rules open --minimize largest_vertex_sum[/bold]
    """
    from catan_cp.search import best as searching

    if measures:
        for name, says in searching.measures(asked.models).items():
            tell(f"{name}: {says}")
        return
    if seats.even or seats.lead:
        if minimize or maximize or (seats.even and seats.lead):
            raise InvalidArgument("one aim at a time: --even, --lead, or measures to minimize and maximize")
        board, said = seats.best(asked, seed=seed, **vars(search))
    else:
        goals: dict[str, Any] = {"minimize": minimize or None, "maximize": maximize or None, **vars(search)}
        found = searching.best_board(*asked.both(), **goals, progress=True)
        sure = "proven, no board is better" if found.proven else _UNSURE + "a better board may exist"
        board, said = found.board, [f"value {_value(found)}: {sure}"]
    tell(opt.written(board, how))
    for line in said:
        say(line)
    picture.draw(board)


def _value(found: catan_cp.BestBoard) -> str:
    return str(found.value) if isinstance(found.value, int) else ", ".join(map(str, found.value))


def repair(
    *, given: Given, allowed: AllowedPattern, search: opt.Search, how: opt.HowWritten = "notation"
) -> None:
    """Print the allowed board that differs from a board on the fewest tiles.

    [bold]catan-cp repair o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 --rules tournament[/bold]
    """
    found = catan_cp.repair_board(given.board(), allowed.read(), **vars(search))
    tell(opt.written(found.board, how))
    differ = "1 tile differs" if found.value == 1 else f"{found.value} tiles differ"
    say(f"{differ}: {'proven, fewer will not do' if found.proven else _UNSURE + 'fewer may do'}")


def puzzle(*, given: Given, allowed: Allowed, seed: opt.Seed = None, search: opt.Search) -> None:
    """Print a pattern that the board alone completes under the rules, with no clue too many.

    [bold]catan-cp generate -f notation | catan-cp puzzle -[/bold]
    """
    tell(catan_cp.make_puzzle(given.board(), allowed.read(), seed=seed, **vars(search)))


def plot(
    *,
    given: Given,
    picture: Picture,
    title: opt.Title = None,
    theme: str = option("light", "light, dark, print (black on white) or plain."),
    letters: bool = option(False, "Write each terrain's letter."),
    patterns: bool | None = option(
        None, "Draw terrains' patterns; all themes but plain do.", "--patterns/--no-patterns"
    ),
    numbers: bool = option(False, "Write the numbers of tiles and vertices."),
) -> None:
    """Draw a board, or a gallery of the boards on standard input.

    [bold]catan-cp generate -n 6 -f notation | catan-cp plot - --save six.png[/bold]
    """
    if picture.save is None:
        raise InvalidArgument("where to? give --save FILE with the ending .png, .svg or .pdf")
    options = {
        "title": title and visible(title),
        "theme": theme,
        "letters": letters,
        "patterns": patterns,
        "numbers": numbers,
    }
    picture.draw_boards(given.boards(), **options)


def print_(
    *,
    given: Given,
    save: Path = option(..., "The page: a file that ends in .pdf."),
    paper: str = option("A4", "A4, A3 or Letter."),
    hex_mm: float | None = option(None, "Width of a tile in mm (the game's: 79); as wide as fits."),
    tiled: bool = option(False, "Tiles as wide as the game's, on as many pages as it takes."),
    title: opt.Title = None,
    theme: str = option("print", "print, or light or dark for coloured tiles."),
    force: opt.Force = False,
) -> None:
    """Make a page of a board for the printer and the table.

    [bold]catan-cp generate -f notation | catan-cp print - --save table.pdf[/bold]
    """
    options: dict[str, Any] = {"title": title and visible(title), "tiled": tiled, "theme": theme}
    path = catan_cp.print_sheet(given.board(), save, paper, hex_mm, **options, force=force)
    say(f"printed: {path}")


# Judge boards


def check(*, given: Given, allowed: AllowedPattern, how: opt.HowSaid = "text", picture: Picture) -> None:
    """Say which rules a board breaks, and where; status 1 when it breaks any.

    With --save, a picture rings the vertices of each breach, or its tiles where it names no vertex.

    [bold]catan-cp check o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 --rules tournament[/bold]
    """
    board = given.board()
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
        places = "1 place" if len(broken) == 1 else f"{len(broken)} places"
        raise opt.unsatisfied(f"the board breaks the rules {allowed.rules!r} in {places}")
    if how == "text":
        tell(f"the board keeps the rules {allowed.rules!r}")


def report(
    *,
    given: Given = Given("-"),
    players: opt.Players = 4,
    wanted: opt.Wanted,
    how: opt.HowWritten = "text",
    picture: Picture,
) -> None:
    """Say everything about one board: how even, how rich, how fair to each seat, which rules it keeps.

    With --save it is drawn with its settlements, a value at each vertex with their scale, and a key to the
    terrains.

    [bold]catan-cp generate -f notation | catan-cp report - --save board.png[/bold]
    """
    goal = wanted.read()
    found = catan_cp.analyze_board(given.board(), players, goal)
    opt.tell_answer(found, how)
    draw_report(found, [goal], picture)


def draw_report(
    found: catan_cp.BoardAnalysis, objectives: Sequence[catan_cp.Objective], picture: Picture
) -> None:
    """Draw the board with its settlements and key; and with the vertices' values, if all value them alike."""
    if picture.save is not None:
        values = catan_cp.vertex_values(found.board, objectives[0]) if len(set(objectives)) == 1 else None
        label = "value of a vertex to its owner"
        picture.draw(found.board, placement=found.placement, heat=values, heat_label=label, key=True)


def rules(
    name: str | None = argument(
        None, "A preset or a TOML file; none: all presets.", complete=opt.COMPLETED["rules"]
    ),
    how: opt.HowSaid = "text",
    toml: bool = option(False, "Print them as a rules file."),
    all_fields: bool = option(False, "Print every field that a rules file can have instead.", "--fields"),
) -> None:
    """Explain rules in plain English."""
    if all_fields:
        declared = {rule.field: (rule.kind.values.replace("`", ""), rule.asks) for rule in RULES.values()}
        for field, (values, asks) in {**declared, **OPEN_FIELDS}.items():
            if field != "models":  # no file may name them
                tell(f"{field}: {values}\n  {asks}\n")
        return
    asked = {each: opt.read_rules(each) for each in ([*PRESETS] if name is None else [name])}
    if how == "json":
        tell(json.dumps({each: found.to_mapping() for each, found in asked.items()}))
        return
    for each, found in asked.items():
        if toml:
            tell(f"# {each}\n{found.to_toml().rstrip()}\n")
        else:
            tell("\n  ".join([each, *found.explain()]) + "\n")


# How even a board is


def score(*, given: Given) -> None:
    """Print each terrain's efficiency beside its target, and the error.

    [bold]catan-cp entropy score ogw/gbol/lgblw/bwlo/dgw[/bold]
    """
    from catan_cp.entropy.scorer import read_targets

    board = given.board()
    goals = read_targets(board.layout)
    for name, value in catan_cp.efficiency(board).items():
        tell(f"{name:<8} {value:.4f}   target {format(goals[name], '.2f') if name in goals else '-'}")
    tell(f"error    {catan_cp.efficiency_error(board):.6f}")


def search(
    start: str = argument(
        "seafarers-8",
        "A layout, a TOML file with one, a board in notation, or -.",
        complete=opt.COMPLETED["layout"],
    ),
    layout: opt.BoardLayout = None,
    steps: int = option(5000, "How many swaps to try."),
    power: float = option(1.0, "The skew power; inf for infinity."),
    normalization: str = option("static", "static or dynamic.", complete=opt.names("static", "dynamic")),
    keep_all: bool = option(False, "Keep swaps that raise the error."),
    rules: str | None = option(None, "Rules that every swap must keep."),
    seed: opt.Seed = None,
    how: opt.HowWritten = "notation",
) -> None:
    """Swap tiles towards the target efficiencies, and print the board.

    [bold]catan-cp entropy search seafarers-8 --seed 1 | catan-cp plot - --save even.png[/bold]
    """
    named = start in catan_cp.LAYOUTS or start.endswith(".toml")
    begin: Any = opt.read_layout(start) if named else Given(start, layout).board()
    allowed = None if rules is None else opt.read_rules(rules)
    asked = (begin, steps, power, normalization, not keep_all, seed)
    with partial_result(partial(catan_cp.improve_evenness, *asked, rules=allowed), _KEPT) as found:
        tell(opt.written(found.board, how))
        say(f"error {found.errors[0]:.6f} -> {found.error:.6f}: {found.steps} steps, {found.accepted} kept")


def official() -> None:
    """Print the average efficiencies of the published tilings, per layout and terrain."""
    from catan_cp.entropy import official_average, official_boards, official_efficiencies

    tell(f"{'layout':13}{'boards':>7}" + "".join(f"{name:>9}" for name in TERRAINS))
    layouts = official_efficiencies()
    counts = {layout: len(official_boards(layout)) for layout in layouts}
    for name, row in {**layouts, "all": official_average()}.items():
        cells = "".join(f"{row[terrain]:9.5f}" if terrain in row else f"{'-':>9}" for terrain in TERRAINS)
        tell(f"{name:13}{counts.get(name, sum(counts.values())):7}{cells}")
