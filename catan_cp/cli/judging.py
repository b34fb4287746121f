"""Commands that judge boards: check, report and rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from catan_cp.cli.options import (
    AllowedPattern,
    Format,
    Given,
    GivenOrRead,
    HowSaid,
    HowWritten,
    Picture,
    Players,
    Said,
    Wanted,
    names_or_files,
    read_rules,
)
from catan_cp.cli.terminal import say
from catan_cp.rules.rules import OPEN_FIELDS, PRESETS
from catan_cp.terminal import tell

if TYPE_CHECKING:
    from catan_cp.placement import Objective
    from catan_cp.studies.reporting import Report


def check(
    *,
    given: Given,
    allowed: AllowedPattern,
    how: HowSaid = Said.TEXT,
    picture: Picture,
) -> None:
    """Say which rules a board breaks, and where; status 1 when it breaks any.

    With --save, a picture rings the vertices of each breach, or its tiles where it names no vertex.

    [bold]catan-cp check o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 --rules tournament[/bold]
    """
    board = given.board()
    broken = allowed.read().check(board)
    if how is Said.JSON:
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
        say(f"catan-cp: the board breaks the rules {allowed.rules!r} in {places}")
        raise typer.Exit(1)
    if how is Said.TEXT:
        tell(f"the board keeps the rules {allowed.rules!r}")


def report(
    *,
    given: GivenOrRead,
    players: Players = 4,
    wanted: Wanted,
    how: HowWritten = Format.TEXT,
    picture: Picture,
) -> None:
    """Say everything about one board: how even, how rich, how fair to each seat, which rules it keeps.

    With --save it is drawn with its settlements, a value at each vertex with their scale, and a key to the
    terrains.

    [bold]catan-cp generate -f notation | catan-cp report - --save board.png[/bold]
    """
    from catan_cp.studies.reporting import report as report_on

    goal = wanted.read()
    found = report_on(given.board(), players, goal)
    if how is Format.JSON:
        tell(found.to_json())
    else:
        tell(found)
    draw_report(found, [goal], picture)


def draw_report(found: Report, objectives: Sequence[Objective], picture: Picture) -> None:
    """Draw the board with its settlements and key; and with the vertices' values, if all value them alike."""
    if picture.save is not None:
        from catan_cp.placement import vertex_values

        values = vertex_values(found.board, objectives[0]) if len(set(objectives)) == 1 else None
        label = "value of a vertex to its owner"
        picture.draw(found.board, placement=found.placement, heat=values, heat_label=label, key=True)


def rules(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A preset or a TOML file; none: all presets.", autocompletion=names_or_files(PRESETS)
        ),
    ] = None,
    how: HowSaid = Said.TEXT,
    toml: Annotated[bool, typer.Option("--toml", help="Print them as a rules file.")] = False,
    all_fields: Annotated[
        bool, typer.Option("--fields", help="Print every field that a rules file can have instead.")
    ] = False,
) -> None:
    """Explain rules in plain English."""
    if all_fields:
        _tell_fields()
        return
    asked = {each: read_rules(each) for each in ([*PRESETS] if name is None else [name])}
    if how is Said.JSON:
        tell(json.dumps({each: found.to_mapping() for each, found in asked.items()}))
        return
    for each, found in asked.items():
        if toml:
            tell(f"# {each}\n{found.to_toml().rstrip()}\n")
        else:
            tell("\n  ".join([each, *found.explain()]) + "\n")


def _tell_fields() -> None:
    """Print the declaration of each rule: its field, its values, and what it asks."""
    from catan_cp.rules.rules import RULES

    for rule in RULES.values():
        tell(f"{rule.field}: {rule.kind.values.replace('`', '')}\n  {rule.asks}\n")
    for field, (values, asks) in OPEN_FIELDS.items():
        if field != "models":  # no file may name them
            tell(f"{field}: {values}\n  {asks}\n")


PANEL = "Judge boards"
COMMANDS = (check, report, rules)
