"""Rejected arguments of public functions: the error, and the value and remedy in its message.

One table for all packages, keyed by function and parameter. The exact wording is free.
"""

import json
from collections.abc import Callable, Iterator
from io import BytesIO, StringIO
from math import inf, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from matplotlib.figure import Figure

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Harbor,
    InvalidArgument,
    InvalidBoard,
    InvalidRules,
    Layout,
    Objective,
    Rules,
    SolverNotFound,
    Tournament,
    analyze_board,
    best_moves,
    efficiency,
    efficiency_error,
    generate_board,
    improve_evenness,
    plan_tournament,
    play_games,
    plot_board,
    plot_gallery,
    print_sheet,
    save_picture,
    solve_placement,
    solve_placements,
    vertex_values,
    win_chances,
)
from catan_cp.analysis.measures import read_criteria
from catan_cp.analysis.seats import seat_targets
from catan_cp.boards.layout import FishingGround
from catan_cp.boards.notation import MAX_INPUT
from catan_cp.draw import plot_pair
from catan_cp.entropy import official_boards
from catan_cp.errors import show
from catan_cp.placement import Draft, find_equilibria, judge_draft, read_objective, rivalry_table
from catan_cp.play import wilson
from catan_cp.rules.requirements import random_boards
from catan_cp.tournament import Results, Round, plan_playoff, save_kit, save_standings
from tests.rules.test_rules import CHOICES, COUNTS, SWITCHES
from tests.stored import study_in

Row = tuple[Any, ...]


class Case(NamedTuple):
    """A call with one or several wrong values, and words of the message."""

    function: Callable[..., Any]
    error: type[CatanError]
    arguments: dict[str, Any]
    words: tuple[str, ...]


def of(
    function: Callable[..., Any],
    error: type[CatanError] = InvalidArgument,
    right: dict[str, Any] | None = None,
    together: tuple[Row, ...] = (),
    **wrong: list[Row],
) -> Iterator[Case]:
    """Yield a case for each row: a wrong value of the parameter, and words of the message."""
    for parameter, rows in wrong.items():
        for value, *words in rows:
            yield Case(function, error, {**(right or {}), parameter: value}, tuple(words))
    for values, *words in together:
        yield Case(function, error, {**(right or {}), **values}, tuple(words))


def each(values: Any, *words: str) -> list[Row]:
    """Return a row for each value, which the message must show."""
    return [(value, *words, show(value)) for value in values]


# The table is formatted by hand, with several rows per line.
# fmt: off

# Boards

ROWS = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
RULE_BOOK = Board.from_notation(ROWS)
HARBORED = Board.from_notation(f"{ROWS}:printed")
RIVERS = LAYOUTS["rivers-of-catan"].beginner_board
DRY, SIXES = ["ore"] * 19, [6] * 19
TINY = Layout("tiny", (2, 1), {"ore": 2, "desert": 1}, {6: 1, 8: 1})
TINY_BOARD = Board(TINY, ["ore", "ore", "desert"])
JSON = json.loads(HARBORED.to_json())
EDGE = "not an edge of the coast of 'base'"


def with_(**changes: object) -> str:
    return json.dumps(JSON | changes)


def harbor(vertices: object = (4, 5), trade: object = "ore") -> str:
    return with_(harbors=[{"vertices": vertices, "trade": trade}])


def boards() -> Iterator[Case]:
    yield from of(Board, InvalidBoard, {"layout": "base", "terrain": DRY},
        layout=[("base-7", "layout 'base-7'", "'base'"), (7, "layout 7")],
        terrain=[(DRY[1:], "'base' has 19 tiles", "18"), *each(["ore", {"ore": 19}], "terrain", "list"),
            ([*DRY[1:], "marsh"], "terrain 'marsh'", "sea, desert, brick"),
            ([*DRY[1:], ["ore"]], "terrain ['ore']")],
        markers=[("6", "markers", "list", "'6'"), (SIXES[1:], "19 tiles", "18"),
            *(([x, *SIXES[1:]], "tile 0", "marker", show(x)) for x in (7, 0, "6", 6.0, nan, True, [6])),
            ([10**5000, *SIXES[1:]], "tile 0", "<int that cannot be shown>"),
            ([*SIXES[1:], 13], "tile 18", "marker 13"), ([None, *SIXES[1:]], "tile 0 (ore)", "no marker")],
        harbors=[("4-5=3", "harbors", "list", "'4-5=3'"),
            ({Harbor((4, 5), "ore")}, "harbors", "list", "{Harbor"),
            *(([x], "Harbor((4, 5), 'ore')", show(x))
                for x in ((4, 5), Harbor((4, True), "ore"), Harbor("45", "ore"))),
            *(([Harbor((4, 5), x)], f"unknown trade {x!r}", "3:1, brick")
                for x in ("2:1", "desert", {"ore": 1})),
            *(([Harbor(x, "ore")], EDGE) for x in [(4, 999), (4, 10**5000), (-1, 4), (4, 4), (2, 3)]),
            ([Harbor((4, 5), "ore"), Harbor((0, 5), "3:1")], "0-5 shares a vertex with"),
            ([Harbor((4, 5), "ore"), Harbor((4, 5), "ore")], "4-5 shares a vertex")],
        together=(
            ({"terrain": ["desert", *DRY[1:]], "markers": SIXES}, "tile 0", "'base'", "desert", "no marker"),
            ({"terrain": ["sea", *DRY[1:]], "markers": SIXES}, "tile 0", "sea", "no marker", "has 6")))
    isle = Layout("isle", (1, 2), {"sea": 2, "ore": 1}, {})
    yield from of(Board, InvalidBoard, {"layout": isle, "terrain": ["ore", "sea", "sea"]},
        harbors=[([Harbor((2, 6), "3:1")], "2-6", "between land and sea")])
    yield from of(Board.from_notation, InvalidBoard,
        text=[("", "row 1", "''", "must be letters"),
            ("dlw/bgol/owxwg/lgob/wlg", "unknown letter 'x' in row 3", "b brick, l lumber"),
            ("dlw/bgol/owbwg/lgob/wl", "3-4-5-4-2", "base 3-4-5-4-3"), ("dlw/bgol//lgob/wlg", "row 3", "''"),
            ("D_W/bgol/owbwg/lgob/wlg", "row 1", "'d_w'"),
            (ROWS.replace("o10", "o7"), "unknown marker '7' in row 1", "2, 3"),
            *((ROWS.replace("o10", f"o{x}", 1), f"marker '{x[:3]}", "row 1") for x in ("13", "02", "0")),
            (ROWS.replace("o10", f"o{'1' * 9000}", 1), "marker '111", "row 1"),
            (ROWS.replace("d", "d5"), "tile 9 of 'base'", "desert", "no marker"),
            (ROWS.replace("w2", "w"), "tile 1 (wool) has no marker"),
            *((f"{ROWS} {x}", f"'{x.split(',')[-1]}' is not a harbor", "VERTEX-VERTEX=TRADE")
                for x in ("4-5", "4-5=d", "4-5=x", "04-5=3", "4-5=3,", " 4-5=3", "4-5-6=3x", "4-5=10")),
            ("/".join("o" * n for n in (4, 5, 6, 5, 6, 5, 4)) + ":printed", "no harbors", "'sea"),
            (ROWS + ":printed,printed", "'printed'", "'printed,printed'"),
            (ROWS + ":printed,0-1=3", "'printed'"), (ROWS + " 4-6=3", f"4-6 is {EDGE}"),
            (ROWS + " 4-5=3,0-5=o", "shares a vertex"), (ROWS + "/", "row 6", "''"),
            ("o\u0661w2l9/x/y", "row 1"), ("b/" * 400 + "b", "rows of 1-1-1-"),
            ("b" * (MAX_INPUT + 1), f"{MAX_INPUT + 1} characters", f"at most {MAX_INPUT}"),
            (None, "text", "None"), ("oo/d", "2-1", "base 3-4-5-4-3"),
            (TINY_BOARD.notation(), "'tiny'", "not built in", "give it as layout"),
            *((str(Board.from_notation(LAYOUTS[x].beginner_board)), "one line")
                for x in ("base", "new-world")),
            (RIVERS.replace("2+12", "2+11"), "markers '2+11' in row 1", "2+12"),
            (RIVERS.replace("g8", "g8+9"), "rivers-of-catan has 8 alone"),
            (RIVERS.replace("@", ":@"), "harbors", "colon"), (RIVERS.replace("@", "4-5=3@"), "row 5"),
            (RIVERS + "x", "'rivers-of-catanx'", "not built in"),
            (RIVERS.replace("2+12", "2").partition("@")[0] + "@base", "unknown letter 't' in row 2")],
        together=(({"text": ROWS, "layout": "base-5-6"}, "'base-5-6'", "3-4-5-6-5-4-3"),
            ({"text": ROWS, "layout": "other"}, "unknown layout 'other'"),
            ({"text": TINY_BOARD.notation(), "layout": "base"}, "'tiny'", "'base'")))
    yield from of(Board.from_json, InvalidBoard,
        text=[*((x, "not JSON", f"'{x}'") for x in ("", "{", "nonsense")), ("NaN", "JSON object", "nan"),
            ("[]", "JSON object", "[]"), ("{}", "key layout"), ('{"layout": "base"}', "key terrain"),
            (with_(colour="red"), "'colour'", "layout, terrain, markers, harbors"),
            (with_(layout=["base"]), "layout ['base']"), (with_(terrain={"ore": 19}), "terrain", "list"),
            (with_(terrain=[None, *JSON["terrain"][1:]]), "terrain None"),
            (with_(markers={}), "markers", "list"),
            (with_(markers=[1e999, *JSON["markers"][1:]]), "tile 0", "marker inf"),
            (with_(markers=[True, *JSON["markers"][1:]]), "tile 0", "marker True"),
            (with_(harbors=None), "harbors", "list", "None"),
            *((with_(harbors=[x]), "harbors", "{", show(x))
                for x in [3, {"vertices": [4, 5]}, {"vertices": [4, 5], "trade": "ore", "x": 1}]),
            *((harbor(x), "Harbor(") for x in ([4, 5, 6], [4, "5"], [4, 5.0], "45")),
            *((harbor(trade=x), "unknown trade", show(x)) for x in (["ore"], None)),
            (harbor([4, 6]), "4-6 is not an edge of the coast"), ("[" * 30000, "nested too deeply"),
            ("[" * 30000 + "]" * 30000,), ('{"layout": ' + "[" * 900 + "]" * 900 + ', "terrain": []}',),
            ("1" * 6000, "too many digits"), (" " * MAX_INPUT + "{}", "65538 characters"),
            (None, "text", "None"), (TINY_BOARD.to_json(), "layout 'tiny'")],
        together=(({"text": TINY_BOARD.to_json(), "layout": "base"}, "'tiny'", "'base'"),))
    yield from of(Board.from_solution, InvalidBoard,
        solution=[*((x, "'base'", "lists of numbers") for x in ({"terrain": 5},
            {"terrain": [3] * 19, "marker": 5}, {"terrain": "ore"})),
            *(({"terrain": [x] * 19}, "'base'", "do not fit", f"[{x}") for x in (0, 99, -1))])
    yield from of(HARBORED.moved, symmetry=each((-1, 12, 1.0, "1", None, True), "from 0 to 11"))
    yield from of(Rules().check, InvalidBoard, board=each((None, 3, ROWS, ["ore"]), "Board"))


# Layouts

SEA = {"ore": 1, "sea": 1}


def layouts() -> Iterator[Case]:
    base = LAYOUTS["base"]
    yield from of(Layout, InvalidBoard,
        {"name": "odd", "rows": (2,), "terrain_counts": {"ore": 2}, "marker_supply": {6: 2}},
        name=[(x, "name", "word without spaces", show(x)) for x in (7, "a/b")],
        rows=[(x, "rows", "do not interlock") for x in ((), (0,), (3, 3), (3, 5), (2, -1), (1.0,), (True,),
            ("2",), 3, "3", None, [[1]], (1, 0, 1), {3: 4})],
        terrain_counts=[({"ore": 1}, "{'ore': 1}", "2 tiles of 'odd'"),
            ({"ore": 3, "wool": -1}, "wool", "whole number", "-1"),
            ({"ore": 2.0}, "terrain_counts", "ore", "whole number", "2.0"), ({"ore": True}, "True"),
            ({"marsh": 2}, "terrain 'marsh'"), ({"wood": 1, "lumber": 1}, "lumber twice", "'lumber'"),
            ([("ore", 2)], "terrain_counts must map terrains to numbers")],
        marker_supply=[({7: 1}, "marker_supply", "2, 3", "7"), ({"6": 1}, "marker_supply", "'6'"),
            ({6: -1}, "marker_supply", "6", "from 0 to 999,999", "-1"), ([6], "must map markers")],
        target_efficiency=[({"ore": x}, "efficiency", "ore", "number", show(x)) for x in ("high", nan)],
        spiral_order=[((7,), "spiral_order", "2, ", "7"), ("66", "spiral_order", "list of markers")],
        marker_group=[({0, 1}, "marker_group", "list", "{0, 1}")],
        beginner_board=[(3, "beginner_board", "notation", "3")],
        printed_harbors=[([Harbor((0, 99), "ore")], "0-99 is not an edge of the coast of 'odd'"),
            ([Harbor((4, 5), "ore"), Harbor((5, 0), "3:1")], "0-5 shares a vertex"),
            ([Harbor((4.0, 5), "ore")], "harbor", "Harbor"), (3, "harbors", "list", "3")],
        fixed_terrain=[({9: "ore"}, "tile", "fixed_terrain", "from 0 to 1", "9"),
            ({0: "wool"}, "fixed_terrain", "1 more of wool", "terrain_counts")],
        fixed_markers=[({0: 8}, "fixed_markers", "1 more of 8", "marker_supply")],
        unmarked=[([0], "tile 0", "unmarked", "fixed land")],
        terrain_group=[([1], "terrain_group", "list of 2 groups", "1"),
            ([0, 100], "terrain_group", "from 0 to 99", "100"), ([0, 1], "group 1", "1 in all", "not 0")],
        group_markers=[({1: {6: 1}}, "group_markers", "not 1")],
        second_marker=[({6: 8}, "second", "6")],
        fixed_harbors=[([(4, 5)], "fixed_harbors", "printed", "(4, 5)")],
        fishing_grounds=[(3, "fishing_grounds", "list", "3"),
            ([(4, 5, 0)], "fishing_grounds", "FishingGround"),
            ([FishingGround((0, 1, 9), 6)], "three vertices in a row", "(0, 1, 9)"),
            ([FishingGround((0, 1, 2), 7)], "marker of a fishing ground", "7")],
        further_terrains=[(3, "further_terrains must map names to letters", "3"),
            ({"Lake": "k"}, "terrain", "small letters", "'Lake'"),
            ({"lake": "K"}, "letter of lake", "small letter", "'K'")],
        sideways=[(1, "sideways", "true or false", "1")],
        game=[("catan", "game", "explorers-pirates, or several", "catan"),
            ("base+base", "game", "joined", "base")],
        source=[(3, "source", "text", "3")],
        tiles=[([(2, 0), (0, 0)], "reading order"), ([(0, 0), (0, 0)], "same centre"),
            ([(0, 0), (1, 0)], "do not interlock", "3 apart"),
            ([(0, 0), (2.0, 0)], "centre", "whole numbers", "(2.0, 0)"), (3, "centres", "list of points")],
        together=(
            ({"terrain_counts": SEA, "fixed_terrain": {0: "sea"}, "fixed_markers": {0: 6}}, "tile 0 is sea",
                "no marker"),))
    yield from of(base.centre_tiles, n=each((0, 20, -1, "1", True, None), "from 1 to 19"))
    yield from of(base.adjacency, InvalidRules,
        kind=each(["Hex", "", None, 3, ["hex"], {}], "adjacency", "hex, block"))
    yield from of(generate_board, InvalidBoard,
        layout=each(["seafarers-11", "Base", "", 3, ["base"], {}, b"base"], "unknown layout",
            "base, base-5-6"))
    yield from of(official_boards, InvalidBoard, layout=[("seafarers-11", "seafarers-11")])


ISLANDS = """
title = "Two islands"
columns = 2
board = '''
~   ~   ~
  b6  ~3W ~   ~
~   w8  ~   g9  K
'''

[terrains]
lake = "k"
"""


def layout_file(old: str, new: str) -> None:
    assert old in ISLANDS
    Path("islands.toml").write_text(ISLANDS.replace(old, new, 1))
    Layout.from_toml("islands.toml")


def layout_files() -> Iterator[Case]:
    for old, new, *words in (
        ("b6", "z6", "line 6", "letter 'z'", "b brick"), ("b6", "b7", "line 6", "'b7'", "2 to 12 without 7"),
        ("b6", "b!", "line 6", "'b!'", "o10"), ("~3W", "b3W", "line 6", "'b3W'", "sea"),
        ("~3W", "~aW", "line 6", "'~aW'", "3, b, g, w, o or l", "NE, E"),
        ("~3W", "~6", "line 6", "'~6'", "no marker"), ("~3W", "~:1", "line 6", "'~:1'", "no group"),
        ("b6", "K6", "line 6", "'K6'", "no marker"), ("  b6", " b6", "line 6", "column 2", "column 1 or 3"),
        ("  b6  ~3W", "b6    ~3W", "line 6", "'b6' at column 1"), ("  b6", "\tb6", "line 6", "tab"),
        ("~3W", "~3E", "line 6", "'~3E'", "vertices"), ("~3W ~   ~", "~f6N    ~", "line 6", "'~f6N'",
            "vertices"),
        ("w8  ~", "w8~", "line 7", "'w8~'"), ("columns = 2", "columns = 0", "line 3", "columns", "1 to 9",
            "0"),
        ("columns", "colums", "line 3", "'colums'"), ("g9  ", "x:2 ", "line 4", "group 2", "(x)"),
        ('"k"', '"x"', "letter x of lake"), ('"k"', '"b"', "letter b of lake", "brick"),
        ('title = "Two', "title = Two", "not TOML", "line 2"), ("board", "bord", "line 4", "'bord'"),
        ("columns = 2", "columns = " + "9" * 5000, "not TOML"),
        ("columns = 2", "columns = " + "[" * 5000, "not TOML", "nested too deeply"),
        ("g9  K\n'''\n", "x   K\n'''\n[pieces]\nore = 2\n", "3 in all", "not 2"),
        *((*x, "line 10", "whole number from 0") for x in (before("[pieces]\nore = 2.0", "ore of group 0"),
            before("[pieces.1.ore]", "ore of group 1"), before("[markers]\n6 = -1", "6 of group 0"))),
        before("settle = [9]", "settle", "from 0 to 3", "9"),
        before("[pips_max]\n0 = 9", "pips_max", "tile 0", "1, 2, 3, 4, 5", "9"),
        before("[pips_max]\nb = 3", "line 10", "pips_max", "'b'", "number"),
        *(("columns = 2", f"{key} = {value}", "line 3", word) for key, value, word in (
            ("harbors", "3", "list of texts"), ("harbors", "['4-5=x']", "'4-5=x'"), ("pips_max", "3",
                "table"),
            ("fishing_grounds", "['4-5=6']", "'4-5=6'"))),
    ):
        row = ({"old": old, "new": new}, *words, "islands.toml")
        yield from of(layout_file, InvalidBoard, together=(row,))


def before(text: str, *words: str) -> Row:
    return "[terrains]", f"{text}\n[terrains]", *words


# Rules

BAD_COUNTS = (-1, 10_001, 10**5000, 1.0, nan, "3", True, [3], {}, 1j, np.array([1, 2]))
BAD_NUMBERS = ("gold", "", None, True, 1.5, [3], ["ab"], {"gold", 6}, [("gold", 6, 7)])
PIPS = ("terrain_pips_min", "terrain_pips_max")
FIELD = "unknown field 'reds_appart'; did you mean 'reds_apart'"


def rules_file(content: bytes) -> None:
    Path("mine.toml").write_bytes(content)
    Rules.from_toml("mine.toml")


def bad_fields() -> dict[str, list[Row]]:
    """Return the wrong values of each field, with the words of its error."""
    wrong: Row = ("Hex", "", None, 3, True, ["hex"], {}, set(), np.array(["hex", "block"]))
    rows = {f: [(x, f, f"choose from {', '.join(words)}") for x in wrong] for f, words in CHOICES.items()}
    for field in SWITCHES:
        wrong = (0, 1, "yes", None, [], [True], {}, np.array([True, False]))
        rows[field] = [(x, field, "true or false") for x in wrong]
    for field, least in COUNTS.items():
        most = 15 if field == "vertex_pips_min" else 10_000
        wrong = (*BAD_COUNTS, least - 1, most + 1)
        rows[field] = [(x, field, f"whole number from {least} to {most}") for x in wrong]
    for field in PIPS:
        counts = [({"gold": x}, field, "gold", "from 0 to 10000") for x in (-1, 1.0, None, [3], 10**5000)]
        rows[field] = [
            *counts,
            *((x, field, "number", "{'gold': 6}") for x in BAD_NUMBERS),
            (-1, field, "from 0 to 10000", "-1"),
            ({"marsh": 3}, field, "terrain 'marsh'"),
            ([(["gold"], 3)], field, "terrain ['gold']"),
            ({"desert": 3}, field, "desert", "no marker"),
            ({"wood": 3, "lumber": 4}, field, "lumber twice", "'lumber'"),
        ]
    rows["apart"] = [
        *((x, "apart", "list of pairs of terrains") for x in ("brick", None, 3, {"a": "b"})),
        *(([x], "apart", "pairs of terrains") for x in ("brick", ("brick",), ("brick", "lumber", "ore"), 3)),
        *(([("brick", x)], "apart", f"terrain {x!r}") for x in ("marsh", ["lumber"])),
    ]
    rows["reds_appart"] = [(True, FIELD, "adjacency, terrain")]
    rows["harbor_own_terrain_apart"].append((True, "harbors='printed' or 'shuffled'"))
    return rows


def rules() -> Iterator[Case]:
    for make in (Rules, Rules().replace):
        yield from of(make, InvalidRules,
            together=(
                ({"vertex_pips_min": 9, "vertex_pips_max": 8}, "vertex_pips_min 9", "vertex_pips_max 8"),
                *((dict(zip(PIPS, x, strict=True)), "terrain_pips_min 9", "terrain_pips_max 8", tile)
                    for x, tile in (((9, 8), "every"), (({"ore": 9}, {"ore": 8}), "ore"))),
                ({"terrain_pips_min": {"ore": 9}, "terrain_pips_max": 8}, "terrain_pips_min 9", "ore")),
            **bad_fields())
    yield from of(Rules.from_mapping, InvalidRules,
        values=[({"reds_appart": True}, FIELD),
            *(({x: 1}, "unknown field", "preset") for x in ("self", "cls", 3, None, ("a",))),
            *each((None, 3, "blog", ["blog"], [("reds_apart", True)]), "mapping of fields")])
    unknown = each(["Blog", "", None, 3, ["blog"]], "unknown rules", "blog, optimal, tournament")
    yield from of(Rules.preset, InvalidRules, name=unknown)
    yield from of(generate_board, InvalidRules,
        rules=[*unknown[:2], *unknown[3:], ({"reds_appart": 1}, FIELD)])
    yield from of(rules_file, InvalidRules,
        content=[(content, "rules file", "mine.toml'", *words) for content, *words in (
        (b"reds_appart = true", FIELD.replace("'", '"')), (b'preset = ["blog"]', 'rules ["blog"]'),
        (b"reds_apart = 1", "reds_apart", "true or false", "1"),
        (b"adjacency = ['hex']", "adjacency", '["hex"]', "hex, block"),
        *((b"vertex_sum_below = " + x, "vertex_sum_below", "from 7 to 10000")
            for x in (b"'23'", b"nan", b"1979-05-27", b"99999999999999999999")),
        (b"vertex_sum_below = " + b"9" * 5000, "not TOML"),
        (b"[terrain_pips_min]\nmarsh = 3", "terrain_pips_min", '"marsh"'),
        (b'apart = [["ore", true]]', "apart: unknown terrain true"),
        (b'apart = [{ ore = "wool" }]', 'terrains like ["brick", "lumber"], not { ore = "wool" }'),
        (b"terrain_pips_min = [1, 2.5]", "numbers like { gold = 6 }, not [1, 2.5]"),
        (b"vertex_pips_min = 9\nvertex_pips_max = 8", "vertex_pips_min 9", "vertex_pips_max 8"),
        (b"reds_apart", "not TOML"), (b"reds_apart = true\nreds_apart = true", "not TOML"),
        (b"\x00\xff\xfe\x80", "UTF-8"), (b"a = " + b"[" * 8000, "not TOML"), (b"#" * 8193, "8192 bytes"),
        (b'models = "/somewhere"', "models"))])
    yield from of(Rules.from_toml, InvalidRules,
        path=[("none.toml", "rules file", "none.toml", "No such file"), (".", "rules file", "Is a directory"),
            ("a" * 5000, "rules file", "File name too long"),
            *((x, "rules file", "path") for x in (None, 3, b"a.toml", ["a.toml"], "", "a\0b", "\ud800"))])


def constrained(text: str) -> Rules:
    return Rules(constraints=[text])


FIVE = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})


def patterned(pattern: object) -> Board:
    return generate_board(Rules(pattern=pattern), FIVE)


def texts() -> Iterator[Case]:
    yield from of(constrained, InvalidRules,
        text=[*((x, "must contain an expression") for x in ("", "% a remark")),
            *((x, "'include'") for x in ('include "/etc/passwd";', 'constraint true; include "x.mzn";')),
            ("solve satisfy;", "'solve'"), ('constraint true; output ["x"];', "'output'"),
            ("true :: domain", "annotation"), ("true); constraint (true", "no opening bracket"),
            ("true; constraint false", "';'"), ("(true", "no closing bracket"),
            *((x, "is not allowed") for x in ('trace("x", true)', "1 `mod` 2 = 1", "'terrain'[1] = 2",
                "$T = 1", "\u2200 t", '"\\(terrain[1])" = ""', "terrain[1] \\( = 1", "'terrain\\'[1]' = 2")),
            *((x, "an item must begin with") for x in ("constraint true; terrain[1] = 2;",
                "constraint true; var int: x;")),
            ("constraint constraint true", "begins an item"),
            ("terain[1] = DESERT", "'terain'", "'terrain'"), ("foral(t in TILE)(true)", "'foral'",
                "'forall'"),
            ("trace_stdout(1) = 1", "unknown function 'trace_stdout'"),
            ("abort(1) = 1", "unknown function 'abort'"),
            ("fzn_all_different_int(terrain)", "unknown function 'fzn_all_different_int'"),
            *((x, "'/*'", "comment begins with %") for x in ("true /* never closed", "true /* closed */",
                "constraint true; constraint true /* 1;")), ("1 */ (2, 2) = 1", "'*/'"),
            ("terrain[1]\xa0= 2", "'\\xa0'"), ("true % a remark\u2028/\\ false\n\u2028", "'\\u2028'"),
            ("true\x85", "'\\x85'"), ("terrain[\u0661] = 2", "'\u0661'"), ("t\u0435rrain[1] = 2", "'\u0435'"),
            ("terrain[1] = 1.5", "whole"), ("let { int: x1 = 5 } in 0x1 = 1", "whole", "0x1"),
            ("terrain[1] = 1e1", "whole", "1e1")])
    wrong = ("true", {"text": "true"}, 3, [3], [{"says": "x"}], [{"text": "true", "a": 1}])
    yield from of(Rules, InvalidRules, constraints=[(x,) for x in wrong])
    yield from of(patterned, InvalidRules,
        pattern=[(3, "pattern must be text"), ("", "row 1 of the pattern", "''"),
            ("xx/X_X", "row 2 of the pattern", "'x_x'"), ("xx/xxx:printed", "must not contain harbors"),
            ("x7/xxx", "one of 2, 3"), ("x2+12x/xxx", "tiny has 2 alone"),
            ("x2+3+4x/xxx", "row 1 of the pattern"), ("x2+x/xxx", "one of 2, 3"),
            ("xx/xx", "rows of 2-2 tiles"), ("xx/xxx@base", "is of the layout 'base'"),
            ("qx/xxx", "unknown letter 'q' in row 1 of the pattern"), ("d6x/xxx", "desert", "no marker"),
            ("o0x/xxx", "ore", "a marker"), ("ooo/xx", "rows of 3-2 tiles"),
            ("oo/oxx", "3 tiles of ore", "'tiny' holds 2"),
            ("x6x6/xxx", "2 markers 6", "'tiny' holds 1"), ("w/xx", "rows of 1-2"),
            ("wx/xxx", "1 tiles of wool", "'tiny' holds 0")])


# Entropy and placement

NO_MARKERS = Board("base", RULE_BOOK.terrain)
GOAL = Objective.published(0.5, 0.3, 0.2)
LONG_WEIGHTS = (0.123456789012345, 2**0.5, 3**-0.5)
LONG = Objective(*LONG_WEIGHTS)
OUT_AT_SEA = Board(Layout("row", (3,), {"sea": 2, "ore": 1}, {}), ["sea", "sea", "ore"], [None, None, 6])
LARGE = generate_board("open", "base-5-6", seed=1)


def entropy() -> Iterator[Case]:
    yield from of(efficiency_error, right={"board_or_terrain": ROWS},
        targets=[*(({"sheep": x}, "wool", "from 0 to 1") for x in (-0.1, 1.1, nan, "0.5", None, True, 1j)),
            ({"gold": 0.5}, "gold", "'base'"), ([0.5], "targets must map terrains")],
        board_or_terrain=[(Board(Layout("lone", (1,), {"ore": 1}, {}), ["ore"]), "'lone'", "targets")])
    yield from of(efficiency_error, InvalidBoard, {"board_or_terrain": ROWS},
        targets=[({"marsh": 0.5}, "'marsh'")])
    wrong = [("nonsense",), (["wool"] * 18,), (7,), (["mud"] * 19,)]
    yield from of(efficiency, InvalidBoard, board_or_terrain=wrong)
    right = {"start": "base", "steps": 10}
    yield from of(improve_evenness, InvalidBoard, right, start=[("bass",), (7,), (["wool"],), ("www/www",)])
    yield from of(improve_evenness, right=right,
        steps=each((-1, 2.5, True), "steps"),
        skew_power=[*each((-0.5, "much", nan, None), "skew_power"), (10**400, "skew_power", "1000", "...")],
        normalization=each(("Static", None), "normalization", "static, dynamic"),
        seed=[("a", "seed", "whole number", "'a'")],
        targets=[({"gold": 0.5}, "gold", "'base'"), ({"ore": 1.5}, "1.5", "ore")],
        together=(({"rules": Rules(apart=(("brick", "grain"),)), "start": ROWS}, "apart", "generate_board"),))


def placements() -> Iterator[Case]:
    yield from of(Objective,
        resources=[(-1, "resources")],
        cards=[(nan, "cards")],
        hit=[(inf, "hit")],
        harbor=[("much", "harbor")],
        robber=[(True, "robber")],
        rivalry=[(-1, "rivalry")],
        expansion=[(-1, "expansion")],
        cards_as=[("text", "'text'")],
        together=(({"resources": 0, "cards": 0, "hit": 0}, "weights", "0"),))
    text = ("1,2", "1,2,x", "1,2,1/0", "cats=1", "hit=1,hit=2", "hit=-1", "hit=nan", "0,0,0")
    yield from of(read_objective,
        weights=[*((x,) for x in text), (5, "text", "5")],
        together=(({"weights": "1,1,1", "name": "odds"}, "weights"),))
    yield from of(GOAL.value, right={"board": RULE_BOOK, "vertices": ()},
        vertices=[((3, 54), "'base'", "0 to 53", "54"), ((-1,), "-1"), (3, "vertices", "3")],
        together=(({"board": "base", "vertices": (3, 20)}, "Board", "(3, 20)", "'base'"),))
    for solve, right in (
        (solve_placement, {"board": RULE_BOOK}),
        (solve_placements, {"boards": [RULE_BOOK]}),
    ):
        large = {"board": LARGE} if "board" in right else {"boards": [LARGE]}
        yield from of(solve, right=right, players=each((5, 1, "4"), "players must be 2 to"))
        yield from of(solve, right=large, players=each((7,), "players must be 2 to"))
    yield from of(solve_placements, InvalidBoard, boards=[([NO_MARKERS], "no markers")])
    yield from of(solve_placements, boards=[(["x"], "Board", "'x'"), (RULE_BOOK, "iterable of Boards")])
    for ask, more in (
        (solve_placement, {}),
        (vertex_values, {}),
        (best_moves, {}),
        (win_chances, {"settlements": [()] * 4}),
    ):
        yield from of(ask, InvalidBoard, more, board=[(NO_MARKERS, "no markers")])
        yield from of(ask, right=more, board=[(5, "Board", "5")])
    yield from of(solve_placement, InvalidBoard, board=[("not a board", "letter")])
    yield from of(solve_placements, right={"boards": []}, players=each(("4",), "players", "from 2 to 6"))
    yield from of(Draft.of, placement=[(5, "solve_placement", "5")])
    for draft in (Draft(5, 5), Draft(((1, 7),), ())):
        words = (show(draft.settlements), f"roads {draft.roads}")
        yield from of(judge_draft, right={"board": RULE_BOOK, "players": 2}, draft=[(draft, *words)])
        yield from of(Draft.__str__, self=[(draft, *words)])
    yield from of(solve_placement, right={"board": RULE_BOOK},
        method=each(("magic", "feasibility", "memo", "bounds"), "method"),
        objective=[([GOAL, GOAL], "4 in all", "not 2"), (0.5, "0.5")],
        rationality=[(-1, "rationality"), ([1, 1, None], "one per player, 4 in all", "not 3")],
        placed=[([(2, 0)], "player 1"), *(([(1, x)], f"vertex {x}") for x in (54, -1)),
            ([(1, 0), (2, 0)], "vertex 0"), ([(1, 0), (2, 1)], "next to player 1"),
            ([(1, 0, 3)], "vertex 0", "1 or 5 or 9", "3"), ([(1, 0, "1")], "settlement"),
            *((x, "(player, vertex)") for x in ([(1, 0, 1, 5)], [5])), ("12", "list")],
        together=(({"placed": [(1, 0), (2, 8), (2, 20), (2, 30)], "players": 2}, "player 1", "player 2"),
            ({"placed": [(1, 0)] * 5, "players": 2}, "4 settlements"),
            ({"objective": LONG, "players": 2, "rationality": 1}, "exact"),
            *(({"objective": x, "method": "vectorized"}, "without rivalry and expansion")
                for x in (Objective(rivalry=1), Objective(expansion=1))),
            ({"rationality": 1, "method": "vectorized"}, "auto"),
            ({"objective": Objective(*LONG_WEIGHTS, rivalry=1)}, "exact"),
            ({"placed": [(1, 0)], "board": OUT_AT_SEA}, "no land"),
            ({"rationality": 1, "board": LARGE, "players": 6}, "6 players on 80 vertices")))
    yield from of(best_moves, right={"board": RULE_BOOK}, k=[(0, "k")])
    yield from of(vertex_values, right={"board": RULE_BOOK}, objective=[([GOAL], "Objective")])
    yield from of(judge_draft, right={"board": RULE_BOOK, "players": 2},
        draft=[("1:0-30", "road from vertex 0"), (5, "placed", "list"), ([5], "5")])
    yield from of(rivalry_table, seats=[(5, "compare_rivalry", "5")])
    yield from of(find_equilibria, placement=[(5, "solve_placement", "5")])
    yield from of(win_chances, right={"board": RULE_BOOK},
        settlements=[*((x, "4 players") for x in ([(), (3,), (), ()], [(1, 5, 9), (), (), ()])),
            ([(1,), (2,), ()], "next to"), ([(1,)], "2 to 4"), ([(99,), (), (), ()], "99"),
            *((x, "list of vertices per player") for x in (4, [1, 2, 3, 4]))])


# Games, tournaments and studies


def games() -> Iterator[Case]:
    yield from of(play_games, right={"board": RULE_BOOK, "n": 1, "seed": 1},
        players=[("clever", "player 'clever'"), ("greedy:best", "pips, optimal"), (["greedy"], "2 to 6"),
            (4, "players"), (["greedy"] * 5, "5 or 6", "'base-5-6'")],
        placement=[("best", "PLAYER:VERTEX", "free, optimal, rivals"),
            (" ", "must have settlements"), (None, "placement"),
            ("2:1", "player 1"), ("1:42-40", "vertex 42", "40"), ("1:42,2:41", "next to")],
        n=[(0, "n ", "whole number")],
        seed=[(None, "seed")],
        workers=[(0, "workers")],
        file=[(5, "file", "5")],
        board=[(generate_board("open", "seafarers-6", seed=1), "'seafarers-6'", "ships"),
            (generate_board("open", "four-islands-4", seed=1), "ships")])
    yield from of(play_games, InvalidBoard, {"n": 1, "seed": 1},
        board=[(NO_MARKERS, "no markers"), (LAYOUTS["fishermen-of-catan"].beginner_board, "lake"),
            (Board("base", DRY, [5] * 19), "no desert")])
    yield from of(wilson,
        together=tuple(({"successes": k, "n": n}, "whole number")
            for k, n in ((3, 2), (None, 2), (0.5, 2), (1, "2"))))


PLAN = Tournament((1, 2, 3), (Round(RULE_BOOK, ((1, 2, 3),)),), (0, 0), (0, 0))
PLAN_JSON = {
    "players": [1, 2, 3, 4],
    "rounds": [{"map": HARBORED.notation(), "tables": [[1, 2, 3, 4]]}],
    "bound": [0, 0],
    "changed": 0,
    "changed_bound": 0,
}


def stored_plan(**changes: object) -> Tournament:
    return Tournament.from_json(json.dumps(PLAN_JSON | changes))


def tournaments() -> Iterator[Case]:
    yield from of(plan_tournament, right={"players": 16, "rounds": 4},
        players=[(2, "from 3 to"), (5, "4 or 6"), *((x, "whole number") for x in (6.0, True))],
        rounds=[(0, "from 1 to"), ("4", "whole number")],
        seed=[("x", "seed")],
        timeout=[(None, "above 0", "None")],
        apart=[(3, "pairs", "3"), ([(1, 1)], "two different"), ([(1, 99)], "99"), (["ab"], "'ab'")],
        together=tuple(({"players": 4 if "c" in names else 3, "names": names}, x, *more)
            for names, x, *more in (
                (["a", "b", "a"], "two players", "'a'"), (["a", "b", "b "], "two players", "'b'"),
                (["a", "b"], "from 3"), (["a", "b", "c"], "4 in all", "not 3"),
                (["a", "b", ""], "letters"), ("abc", "list of words"))))
    yield from of(plan_tournament, InvalidRules, {"players": 16, "rounds": 4}, rules=[("fair", "fair")])
    yield from of(stored_plan,
        players=[([1, 2, 3, 5], "players"), (["\x1b[2J", 2, 3, 4], "player's name"), (4, "names", "list"),
            ([True, 2, 3, 4], "player's name", "text")],
        rounds=[([], "rounds", "from 1"), ([{"map": "x", "tables": [[1, 2], [3, 4]]}], "three or four"),
            ([{"map": "x", "tables": [[1, 2, 3, 3]]}], "two players"),
            *((x, "not a plan") for x in ([{"map": "x", "tables": 7}], [{"tables": []}], "abc"))],
        bound=[([0], "two numbers"), ([1, 0], "bound", "from 0 to 0"), ([0, True], "bound")],
        changed=[(-1, "changed")],
        changed_bound=[(1, "changed_bound", "from 0 to 0")])
    yield from of(stored_plan, InvalidBoard, rounds=[([{"map": "x", "tables": [[1, 2, 3, 4]]}], "row")])
    yield from of(Tournament.from_json,
        text=[(x, "not a plan")
            for x in ("", "[]", "{}", "[" * 100_000, '{"players": ' + "9" * 10_000 + "}")])
    yield from of(Tournament.from_json, InvalidRules, {"text": json.dumps(PLAN_JSON)},
        models=[("a\0b", "models", "path of a folder")])
    yield from of(save_kit, right={"tournament": PLAN, "path": "kit.pdf"},
        path=[("kit.png", "ends in"), ("board.pdf", "exists")],
        paper=[("A9", "paper")],
        links=[(["https://example.org"] * 2, "1 in all", "not 2"), *each((5, "x"), "list of addresses"),
            ([5], "link", "text", "5")],
        title=[(5, "title", "text", "5"), ("\udcff", "title", "half a character")],
        tournament=[(5, "Tournament", "5")])
    results = Results(PLAN).enter(1, 1, (10, 5, 5))
    yield from of(Results, tournament=[(5, "Tournament", "5")])
    yield from of(results.read, right={"text": ""}, text=[(5, "text", "5"), ("a\0", "line 1")],
        goal=[(2, "goal", "from 3 to 99")])
    yield from of(results.enter, right={"round_": 1, "table": 1, "points": (10, 5, 7)},
        round_=[(2, "round", "2")], table=[(0, "table", "0")],
        points=[("987", "3 numbers"), ((10, 9), "3 numbers"), ((10, "x", 3), "'x'")])
    yield from of(results.standings,
        tie_breaks=[(3, "list", "3"), ("fair", "wbc, catan"), (["luck"], "'luck'")],
        lots=[(3, "list", "3"), ([[]], "[]"), ([2, 2, 3], "once"), ([2], "all tied")])
    yield from of(results.standings().top, n=[(0, "n", "0"), (9, "3"), (2, "tied: 2, 3")])
    yield from of(plan_playoff, seeds=[(3, "list", "3"), (range(8), "12 to 16"), ([1, 1, 2], "two players")])
    yield from of(save_standings, right={"standings": results.standings(), "path": "a.png"},
        standings=[(5, "Standings", "5")], path=[("a.gif", ".pdf, .png, .svg")], paper=[("A5", "A4")],
        title=[(3, "title", "3")])
    yield from of(seat_targets, right={"players": 4},
        lead=[({5: 1}, "from 1 to 4"), *((x, "between 0 and 100") for x in ({1: 75}, {1: -25})),
            *((x, "lead", "number") for x in ({1: "5"}, {1: nan})), ([5], "seats to points")],
        together=(({"players": 2, "lead": {1: 5, 2: 5}}, "sum to 0"), ({"players": 1}, "players")))


def studies() -> Iterator[Case]:
    yield from of(read_criteria,
        by=[("fairness", "criterion 'fairness'", "'games_unfairness'"),
            ("good", "criterion 'good'", "value_spread"), ("value_spread,", "criterion ''"),
            *((x, "criteria must be measures") for x in ("", None)), ("tied, -tied", "twice"),
            ("value_spread; DROP TABLE boards", "unknown criterion")])
    bare = [("dlw/bgol/owbwg/lgob/wlg", "no markers"), (NO_MARKERS, "no markers"), ("nonsense", "row 1")]
    yield from of(analyze_board, InvalidBoard, board=bare)
    yield from of(analyze_board, board=[(7, "Board")])
    wrong_goal = [("fair", "Objective")]
    yield from of(analyze_board, right={"board": ROWS}, players=[(5, "2 to 4")], objective=wrong_goal)


def made_study(**options: Any) -> None:
    study_in("study.db", **options)


def study_arguments() -> Iterator[Case]:
    right = {"n": 5, "rules": "open", "seed": 1}
    yield from of(made_study, right=right,
        n=[(0, "n ", "whole number from 1"), (None, "boards given"), (True, "n ", "whole number")],
        seed=[(x, "seed", "whole number from 0") for x in (-1, 2**63)],
        players=[(5, "2 to 4")], objective=[("fair", "Objective")], chunk=[(0, "chunk", "whole number")],
        workers=[(0, "workers", "whole number"), (5000, "workers", "1 to 1024")],
        timeout=[(0, "timeout", "above 0")], name=[(" ", "name", "short text")],
        source=[("found", "'generated' or 'given'", "'found'")], executor=[(4,
            "concurrent.futures.Executor")],
        progress=[("yes", "progress", "True")], solver=[(b"gecode", "solver", "name", "b'gecode'")],
        boards=[("o10w2l9", "iterable of Boards"), (["o10w2l9"], "board 1", "Board")],
        games=[(-1, "games", "whole number")],
        together=(*(({"games": 2, "played_by": x}, *words) for x, *words in (("clever", "player 'clever'"),
            (3, "played_by", "players"))),
            ({"games": 2, "played_by": "greedy,weighted"}, "4 players", "not 2"),
            ({"games": 2, "layout": "seafarers-6"}, "'seafarers-6'", "ships")))
    yield from of(made_study, InvalidBoard, right,
        layout=[("bass", "layout 'bass'")], boards=[(random_boards(1, "base-5-6"), "layout 'base-5-6'")])
    yield from of(made_study, InvalidRules, right, rules=[("fair", "rules 'fair'")],
        together=(({"layout": "seafarers-8", "rules": "official"}, "spiral"),))
    yield from of(made_study, SolverNotFound, right, solver=[("nonesuch", "unknown solver")])


# Pictures


def pictures() -> Iterator[Case]:
    board = {"board": RULE_BOOK}
    yield from of(plot_board, right=board,
        board=each((ROWS, None), "Board"),
        theme=[("neon", "neon", "light, plain, dark, print"), (None, "None")],
        placement=[([(1, 54)], "vertex", "0 to 53", "54"), ([(0, 3)], "player", "at least 1", "0"),
            ([(1, 3), (2, 3)], "share a vertex"), *((x, "placement") for x in ([3], 3)),
            ([(1, 0, 30)], "vertex 0", "30"), ([(True, 0)], "player", "whole number", "True")],
        heat=[([1.0] * 53, "54 vertices", "53"), (["hot"] * 54, "hot"), (3, "3"), ([None] * 54, "no value"),
            ([inf] * 54, "infinite"), ([10**400] * 54, "number or None")],
        title=[(3, "title", "3"), ("\udcff", "title", "half a character", r"'\udcff'")],
        ax=[("here", "here")],
        ring_tiles=[([19], "tile", "0 to 18", "19"), (["a"], "tile", "whole number", "'a'"),
            (3, "tile", "3")],
        ring_vertices=[([-1], "vertex", "-1")],
        arrows=[([(0, 0)], "arrow"), ([(0, 54)], "vertex", "0 to 53", "54"), ([0], "arrows", "pairs")])
    small = Figure(figsize=(1, 1)).add_axes((0, 0, 0.5, 0.5))
    yield from of(plot_gallery, right={"boards": [RULE_BOOK]},
        boards=[([], "1 to 400", "0"), (3, "3"), ([RULE_BOOK, "x"], "'x'")],
        captions=[*((x, "one text per board") for x in (["a", "b"], "a", 3, [3])),
            (map(str, range(2)), "one text per board", "<map"), (["\udcff"], "caption", "half a character")],
        title=[(3, "title", "3")],
        columns=each((0, 1.5), "columns"),
        together=(({"boards": [RULE_BOOK] * 9, "ax": small}, "9 boards in rows of 3", "0.5 by 0.5 inches"),))
    yield from of(plot_pair, right={"before": RULE_BOOK, "after": HARBORED},
        ax=[("here", "ax", "axes", "'here'")])
    yield from of(save_picture, right={"picture": RULE_BOOK, "path": "new.png"},
        picture=[(ROWS, "Board", ROWS[:9])],
        path=[*((x, ".png, .svg, .pdf") for x in ("board", "board.gif", "a.png.txt", ".png", "a.")),
            ("board.png", "board.png", "exists", "force"), ("folder.png", "is a folder"),
            ("missing/board.png", "no folder", "missing"), ("nul\0.png", "path")],
        dpi=[(0, "dpi", "above 0"), (1e308, "dpi", "1e+308", "inf"), (0.1, "0.6 by 0.5", "1 to 65,535")])
    yield from of(save_picture, right={"picture": RULE_BOOK, "path": BytesIO()},
        path=[(StringIO(), "writing bytes", "'wb'"), (3, "path", "3")],
        format=[("gif", "format", "png, svg, pdf"), (3, "format", "3")],
        together=(({"path": "new.png", "format": "png"}, "format", "ending"),))
    right = {"picture": RULE_BOOK, "force": True}
    yield from of(save_picture, CatanError, right, path=[("x" * 300 + ".png", "cannot write")])
    yield from of(print_sheet, right={**board, "path": "new.pdf"},
        board=[(3, "Board", "3")],
        path=[("a.png", ".pdf")],
        paper=[("A5", "A4, A3, Letter")],
        title=[(3, "title", "3"), ("\udcff", "title", "half a character")],
        hex_mm=[(x, "hex_mm") for x in (1e-320, nan, "big")],
        together=(({"tiled": True, "hex_mm": 400}, "pages", "60"),))


# fmt: on

TABLE = [
    case
    for cases in (
        boards,
        layouts,
        layout_files,
        rules,
        texts,
        entropy,
        placements,
        games,
        tournaments,
        studies,
        study_arguments,
        pictures,
    )
    for case in cases()
]


WRITTEN = ("mine.toml", "islands.toml", "study.db")


def name_of(case: Case) -> str:
    return f"{case.function.__qualname__}({', '.join(case.arguments)})"


def test_plan_that_table_changes_is_right():
    assert stored_plan().value == (0, 0)


@pytest.mark.parametrize("case", TABLE, ids=name_of)
def test_wrong_argument_rejected(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    targets = {name: tmp_path / name for name in ("board.png", "board.pdf")}
    for path in targets.values():
        path.write_text("precious")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(case.error) as caught:
        case.function(**case.arguments)
    message = str(caught.value)
    assert [word for word in case.words if word not in message] == [], message
    assert {path.read_text() for path in targets.values()} == {"precious"}
    assert {path.name for path in tmp_path.iterdir()} <= {*targets, "folder.png", *WRITTEN}
