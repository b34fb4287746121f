"""Rejected values that need a message of their own: the error, and words of its message.

`test_wrong_arguments.py` covers wrong types and ranges. The exact wording is free.
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

import catan_cp as cp
from catan_cp import LAYOUTS, Board, Harbor, InvalidArgument, InvalidBoard, InvalidRules, Layout, Rules
from catan_cp.analysis.seats import seat_targets  # only the command line passes leads to it
from catan_cp.entropy import official_boards
from catan_cp.placement import Draft, judge_draft, read_objective
from catan_cp.play import wilson
from catan_cp.tournament import Results, Round, plan_playoff, save_kit, save_standings
from tests.stored import study_in

Row = tuple[Any, ...]


class Case(NamedTuple):
    """A call with one or several wrong values, and words of the message."""

    function: Callable[..., Any]
    error: type[cp.CatanError]
    arguments: dict[str, Any]
    words: tuple[str, ...]


def of(
    function: Callable[..., Any],
    error: type[cp.CatanError] = InvalidArgument,
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
LONGEST = 65_537  # characters of a notation or of JSON, and one more
EDGE = "not an edge of the coast of 'base'"


def with_(**changes: object) -> str:
    return json.dumps(JSON | changes)


def boards() -> Iterator[Case]:
    yield from of(Board, InvalidBoard, {"layout": "base", "terrain": DRY},
        layout=[("base-7", "layout 'base-7'", "'base'")],
        terrain=[(DRY[1:], "'base' has 19 tiles", "18"), ([*DRY[1:], "marsh"], "'marsh'", "sea, desert")],
        markers=[(SIXES[1:], "19 tiles", "18"), ([nan, *SIXES[1:]], "tile 0", "nan"),
            ([10**5000, *SIXES[1:]], "tile 0", "<int that cannot be shown>"),
            ([*SIXES[1:], 13], "tile 18", "marker 13"), ([None, *SIXES[1:]], "tile 0 (ore)", "no marker")],
        harbors=[([Harbor((4, True), "ore")], "Harbor((4, 5), 'ore')"), ([Harbor("45", "ore")], "'45'"),
            *(([Harbor((4, 5), x)], f"unknown trade {x!r}", "3:1, brick") for x in ("2:1", {"ore": 1})),
            *(([Harbor(x, "ore")], EDGE) for x in [(4, 999), (4, 10**5000), (-1, 4), (4, 4), (2, 3)]),
            ([Harbor((4, 5), "ore"), Harbor((0, 5), "3:1")], "0-5 shares a vertex with")],
        together=tuple(({"terrain": [x, *DRY[1:]], "markers": SIXES}, "tile 0", x, "no marker", "has 6")
            for x in ("desert", "sea")))
    yield from of(Board.from_notation, InvalidBoard,
        text=[("", "row 1", "''", "must be letters"), ("dlw/bgol//lgob/wlg", "row 3", "''"),
            ("dlw/bgol/owxwg/lgob/wlg", "unknown letter 'x' in row 3", "b brick, l lumber"),
            ("dlw/bgol/owbwg/lgob/wl", "3-4-5-4-2", "base 3-4-5-4-3"), ("o\u0661w2l9/x/y", "row 1"),
            *((ROWS.replace("o10", f"o{x}", 1), f"marker '{x[:3]}", "row 1")
                for x in ("7", "02", "1" * 9000)),
            (ROWS.replace("d", "d5"), "tile 9 of 'base'", "desert", "no marker"),
            (ROWS.replace("w2", "w"), "tile 1 (wool) has no marker"),
            *((f"{ROWS} {x}", f"'{x.split(',')[-1]}' is not a harbor", "VERTEX-VERTEX=TRADE")
                for x in ("4-5", "4-5=x", "04-5=3", "4-5=3,", " 4-5=3", "4-5-6=3x")),
            ("/".join("o" * n for n in (4, 5, 6, 5, 6, 5, 4)) + ":printed", "no harbors", "'sea"),
            (ROWS + ":printed,0-1=3", "'printed'"), (ROWS + " 4-6=3", f"4-6 is {EDGE}"),
            (ROWS + " 4-5=3,0-5=o", "shares a vertex"), (ROWS + "/", "row 6", "''"),
            ("b/" * 400 + "b", "rows of 1-1-1-"), ("b" * LONGEST, "65537 characters", "at most 65536"),
            (TINY_BOARD.notation(), "'tiny'", "not built in", "give it as layout"),
            (str(RULE_BOOK), "one line"), (RIVERS.replace("2+12", "2+11"), "markers '2+11' in row 1", "2+12"),
            (RIVERS.replace("g8", "g8+9"), "rivers-of-catan has 8 alone"),
            (RIVERS.replace("@", ":@"), "harbors", "colon"), (RIVERS.replace("@", "4-5=3@"), "row 5"),
            (RIVERS + "x", "'rivers-of-catanx'", "not built in")],
        together=(({"text": ROWS, "layout": "base-5-6"}, "'base-5-6'", "3-4-5-6-5-4-3"),
            ({"text": TINY_BOARD.notation(), "layout": "base"}, "'tiny'", "'base'")))
    yield from of(Board.from_json, InvalidBoard,
        text=[("{", "not JSON", "'{'"), ("NaN", "JSON object", "nan"), ("{}", "key layout"),
            ('{"layout": "base"}', "key terrain"), ("[" * 30000, "nested too deeply"),
            (with_(colour="red"), "'colour'", "layout, terrain, markers, harbors"),
            (with_(markers=[1e999, *JSON["markers"][1:]]), "tile 0", "marker inf"),
            (with_(harbors=[{"vertices": [4, 5]}]), "harbors", "{"),
            (with_(harbors=[{"vertices": [4, 5.0], "trade": "ore"}]), "Harbor("),
            ("1" * 6000, "too many digits"), (" " * LONGEST + "{}", "characters"),
            (TINY_BOARD.to_json(), "layout 'tiny'")],
        together=(({"text": TINY_BOARD.to_json(), "layout": "base"}, "'tiny'", "'base'"),))
    yield from of(Board.from_solution, InvalidBoard,
        solution=[({"terrain": [3] * 19, "marker": 5}, "'base'", "lists of numbers"),
            *(({"terrain": [x, *[3] * 18]}, "'base'", "do not fit", f"[{x}") for x in (-1, 0, 9))])
    yield from of(official_boards, InvalidBoard, layout=[("seafarers-11", "seafarers-11")])


# Layouts

SEA = {"terrain_counts": {"ore": 1, "sea": 1}, "fixed_terrain": {0: "sea"}, "fixed_markers": {0: 6}}


def layouts() -> Iterator[Case]:
    yield from of(Layout, InvalidBoard,
        {"name": "odd", "rows": (2,), "terrain_counts": {"ore": 2}, "marker_supply": {6: 2}},
        name=[("a/b", "name", "word without spaces", "'a/b'")],
        rows=[(x, "rows", "do not interlock") for x in ((), (0,), (3, 3), (3, 5), (2, -1), (1, 0, 1))],
        terrain_counts=[({"ore": 1}, "{'ore': 1}", "2 tiles of 'odd'"),
            ({"ore": 3, "wool": -1}, "wool", "whole number", "-1"),
            ({"wood": 1, "lumber": 1}, "lumber twice", "'lumber'")],
        marker_supply=[({7: 1}, "marker_supply", "2, 3", "7"),
            ({6: -1}, "marker_supply", "6", "from 0 to 999,999", "-1")],
        target_efficiency=[({"ore": nan}, "efficiency", "ore", "number", "nan")],
        printed_harbors=[([Harbor((0, 99), "ore")], "0-99 is not an edge of the coast of 'odd'"),
            ([Harbor((4, 5), "ore"), Harbor((5, 0), "3:1")], "0-5 shares a vertex")],
        fixed_terrain=[({0: "wool"}, "fixed_terrain", "1 more of wool", "terrain_counts")],
        fixed_markers=[({0: 8}, "fixed_markers", "1 more of 8", "marker_supply")],
        unmarked=[([0], "tile 0", "unmarked", "fixed land")],
        terrain_group=[([1], "terrain_group", "list of 2 groups", "1"), ([0, 1], "group 1", "1 in all")],
        group_markers=[({1: {6: 1}}, "group_markers", "not 1")],
        second_marker=[({6: 8}, "second", "6")],
        fixed_harbors=[([(4, 5)], "fixed_harbors", "printed", "(4, 5)")],
        further_terrains=[({"Lake": "k"}, "small letters"), ({"lake": "K"}, "letter of lake", "'K'")],
        game=[("base+base", "game", "joined", "base")],
        tiles=[([(2, 0), (0, 0)], "reading order"), ([(0, 0), (0, 0)], "same centre"),
            ([(0, 0), (1, 0)], "do not interlock", "3 apart")],
        together=((SEA, "tile 0 is sea", "no marker"),))


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
        ("  b6", "\tb6", "line 6", "tab"), ("~3W", "~3E", "line 6", "'~3E'", "vertices"),
        ("~3W ~   ~", "~f6N    ~", "line 6", "'~f6N'", "vertices"), ("w8  ~", "w8~", "line 7", "'w8~'"),
        ("columns", "colums", "line 3", "'colums'"), ("columns = 2", "columns = 0", "line 3", "1 to 9", "0"),
        ("g9  ", "x:2 ", "line 4", "group 2", "(x)"), ('"k"', '"b"', "letter b of lake", "brick"),
        ('title = "Two', "title = Two", "not TOML", "line 2"),
        ("columns = 2", "columns = " + "9" * 5000, "not TOML"),
        ("columns = 2", "columns = " + "[" * 5000, "not TOML", "nested too deeply"),
        ("g9  K\n'''\n", "x   K\n'''\n[pieces]\nore = 2\n", "3 in all", "not 2"),
        before("[pieces]\nore = 2.0", "line 10", "ore of group 0", "whole number from 0"),
        before("[markers]\n6 = -1", "line 10", "6 of group 0", "whole number from 0"),
        before("settle = [9]", "settle", "from 0 to 3", "9"),
        before("[pips_max]\n0 = 9", "pips_max", "tile 0", "1, 2, 3, 4, 5", "9"),
        before("[pips_max]\nb = 3", "line 10", "pips_max", "'b'", "number"),
        *(("columns = 2", f"{key} = {value}", "line 3", word) for key, value, word in (
            ("harbors", "3", "list of texts"), ("harbors", "['4-5=x']", "'4-5=x'"),
            ("pips_max", "3", "table"), ("fishing_grounds", "['4-5=6']", "'4-5=6'"))),
    ):
        yield Case(layout_file, InvalidBoard, {"old": old, "new": new}, (*words, "islands.toml"))


def before(text: str, *words: str) -> Row:
    return "[terrains]", f"{text}\n[terrains]", *words


# Rules

PIPS = ("terrain_pips_min", "terrain_pips_max")
FIELD = "unknown field 'reds_appart'; did you mean 'reds_apart'"


def rules_file(content: bytes) -> None:
    Path("mine.toml").write_bytes(content)
    Rules.from_toml("mine.toml")


def rules() -> Iterator[Case]:
    bad_pips = ({"gold": 1.0}, "0 to 10000"), ({"desert": 3}, "desert"), ([("gold", 6, 7)], "{'gold': 6}")
    yield from of(Rules().replace, InvalidRules,
        vertex_pips_max=[(np.array([1, 2]), "whole number"), (10**5000, "<int that cannot be shown>")],
        terrain_pips_min=[(x, "terrain_pips_min", *words) for x, *words in bad_pips],
        terrain_pips_max=[(x, "terrain_pips_max", *words) for x, *words in bad_pips],
        apart=[({"a": "b"}, "apart", "list of pairs of terrains"), ([("brick", "marsh")], "terrain 'marsh'"),
            *(([x], "apart", "pairs of terrains") for x in (("brick",), ("brick", "lumber", "ore")))],
        harbor_own_terrain_apart=[(True, "harbors='printed' or 'shuffled'")],
        reds_appart=[(True, FIELD, "adjacency, terrain")],
        together=(
            ({"vertex_pips_min": 9, "vertex_pips_max": 8}, "vertex_pips_min 9", "vertex_pips_max 8"),
            *((dict(zip(PIPS, x, strict=True)), "terrain_pips_min 9", "terrain_pips_max 8", tile)
                for x, tile in (((9, 8), "every"), (({"ore": 9}, {"ore": 8}), "ore")))))
    yield from of(Rules.from_mapping, InvalidRules, values=[({"self": 1}, "unknown field 'self'")])
    yield from of(cp.generate_board, InvalidRules, rules=[({"reds_appart": 1}, FIELD)])
    yield from of(rules_file, InvalidRules,
        content=[(content, "rules file", "mine.toml'", *words) for content, *words in (
        (b"reds_appart = true", FIELD.replace("'", '"')), (b'preset = ["blog"]', 'rules ["blog"]'),
        (b"adjacency = ['hex']", "adjacency", '["hex"]', "hex, block"),
        *((b"vertex_sum_below = " + x, "vertex_sum_below", "from 7 to 10000")
            for x in (b"nan", b"1979-05-27", b"99999999999999999999")),
        (b"vertex_sum_below = " + b"9" * 5000, "not TOML"),
        (b"[terrain_pips_min]\nmarsh = 3", "terrain_pips_min", '"marsh"'),
        (b'apart = [["ore", true]]', "apart: unknown terrain true"),
        (b'apart = [{ ore = "wool" }]', 'terrains like ["brick", "lumber"], not { ore = "wool" }'),
        (b"reds_apart = true\nreds_apart = true", "not TOML"), (b"\x00\xff\xfe\x80", "UTF-8"),
        (b"a = " + b"[" * 8000, "not TOML"), (b"#" * 8193, "8192 bytes"),
        (b'models = "/somewhere"', "models"))])
    yield from of(Rules.from_toml, InvalidRules,
        path=[("none.toml", "rules file", "none.toml", "No such file"), (".", "rules file", "Is a directory"),
            ("a" * 5000, "rules file", "File name too long"),
            *((x, "rules file", "path") for x in ("", "a\0b", "\ud800"))])


def constrained(text: str) -> Rules:
    return Rules(constraints=[text])


FIVE = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})


def patterned(pattern: object) -> Board:
    return cp.generate_board(Rules(pattern=pattern), FIVE)


def texts() -> Iterator[Case]:
    yield from of(constrained, InvalidRules,
        text=[*((x, "must contain an expression") for x in ("", "% a remark")),
            ("solve satisfy;", "'solve'"), ('constraint true; output ["x"];', "'output'"),
            ('constraint true; include "x.mzn";', "'include'"),
            ("true :: domain", "annotation"), ("true); constraint (true", "no opening bracket"),
            ("true; constraint false", "';'"), ("(true", "no closing bracket"),
            *((x, "is not allowed") for x in ('trace("x", true)', "1 `mod` 2 = 1", "'terrain'[1] = 2",
                "$T = 1", "\u2200 t", '"\\(terrain[1])" = ""', "terrain[1] \\( = 1", "'terrain\\'[1]' = 2")),
            *((x, "an item must begin with") for x in ("constraint true; terrain[1] = 2;",
                "constraint true; var int: x;")),
            ("constraint constraint true", "begins an item"),
            ("terain[1] = DESERT", "'terain'", "'terrain'"), ("foral(t in TILE)(true)", "'forall'"),
            *((f"{x}(1) = 1", f"unknown function '{x}'") for x in ("trace_stdout", "fzn_all_different_int")),
            *((x, "'/*'", "comment begins with %") for x in ("true /* never closed", "true /* closed */",
                "constraint true; constraint true /* 1;")), ("1 */ (2, 2) = 1", "'*/'"),
            ("terrain[1]\xa0= 2", "'\\xa0'"), ("true % a remark\u2028/\\ false\n\u2028", "'\\u2028'"),
            ("true\x85", "'\\x85'"), ("terrain[\u0661] = 2", "'\u0661'"), ("t\u0435rrain[1] = 2", "'\u0435'"),
            *((f"terrain[1] = {x}", "whole", x) for x in ("1.5", "0x1", "1e1"))])
    wrong = ([{"says": "x"}], [{"text": "true", "a": 1}])
    yield from of(Rules, InvalidRules, constraints=[(x,) for x in wrong])
    yield from of(patterned, InvalidRules,
        pattern=[("", "row 1 of the pattern", "''"), ("xx/X_X", "row 2 of the pattern", "'x_x'"),
            ("xx/xxx:printed", "must not contain harbors"), ("x7/xxx", "one of 2, 3"),
            ("x2+12x/xxx", "tiny has 2 alone"), ("x2+x/xxx", "one of 2, 3"), ("xx/xx", "rows of 2-2 tiles"),
            ("xx/xxx@base", "is of the layout 'base'"), ("d6x/xxx", "desert", "no marker"),
            ("qx/xxx", "unknown letter 'q' in row 1 of the pattern"), ("o0x/xxx", "ore", "a marker"),
            ("oo/oxx", "3 tiles of ore", "'tiny' holds 2"), ("x6x6/xxx", "2 markers 6", "'tiny' holds 1")])


# Entropy and placement

NO_MARKERS = Board("base", RULE_BOOK.terrain)
LONG_WEIGHTS = (0.123456789012345, 2**0.5, 3**-0.5)
OUT_AT_SEA = Board(Layout("row", (3,), {"sea": 2, "ore": 1}, {}), ["sea", "sea", "ore"], [None, None, 6])
LARGE = cp.generate_board("open", "base-5-6", seed=1)


def entropy() -> Iterator[Case]:
    yield from of(cp.efficiency_error, right={"board_or_terrain": ROWS},
        targets=[*(({"sheep": x}, "wool", "from 0 to 1") for x in (-0.1, 1.1, nan, "0.5", True)),
            ({"gold": 0.5}, "gold", "'base'")],
        board_or_terrain=[(Board(Layout("lone", (1,), {"ore": 1}, {}), ["ore"]), "'lone'", "targets")])
    yield from of(cp.efficiency, InvalidBoard, board_or_terrain=[(["wool"] * 18,), (["mud"] * 19, "'mud'")])
    yield from of(cp.improve_evenness, right={"start": "base", "steps": 10},
        skew_power=[(-0.5, "skew_power"), (10**400, "skew_power", "1000", "...")],
        together=(({"rules": Rules(apart=(("brick", "grain"),)), "start": ROWS}, "apart", "generate_board"),))


def placements() -> Iterator[Case]:
    yield from of(cp.Objective, hit=[(inf, "hit")], cards=[(-1, "cards")], rivalry=[(-1, "rivalry")],
        together=(({"resources": 0, "cards": 0, "hit": 0}, "weights", "0"),))
    wrong = ("1,2", "1,2,x", "1,2,1/0", "cats=1", "hit=1,hit=2", "hit=-1", "0,0,0")
    yield from of(read_objective, weights=[(x,) for x in wrong],
        together=(({"weights": "1,1,1", "name": "odds"}, "weights"),))
    yield from of(cp.solve_placement, right={"board": LARGE}, players=[(7, "players must be 2 to")])
    yield from of(cp.solve_placements, InvalidBoard, boards=[([NO_MARKERS], "no markers")])
    for ask, more in (
        (cp.solve_placement, {}), (cp.vertex_values, {}), (cp.win_chances, {"settlements": [()] * 4}),
    ):
        yield from of(ask, InvalidBoard, more, board=[(NO_MARKERS, "no markers")])
    draft = Draft(((1, 7),), ())
    yield from of(judge_draft, right={"board": RULE_BOOK, "players": 2},
        draft=[(draft, "((1, 7),)", "roads ()"), ("1:0-30", "road from vertex 0")])
    yield from of(cp.solve_placement, right={"board": RULE_BOOK},
        objective=[([cp.Objective()] * 2, "4 in all", "not 2"), (0.5, "0.5")],
        rationality=[(-1, "rationality"), ([1, 1, None], "one per player, 4 in all", "not 3")],
        placed=[([(2, 0)], "player 1"), *(([(1, x)], f"vertex {x}") for x in (54, -1)),
            ([(1, 0), (2, 0)], "vertex 0"), ([(1, 0), (2, 1)], "next to player 1"),
            ([(1, 0, 3)], "vertex 0", "1 or 5 or 9", "3"), ([(1, 0, 1, 5)], "(player, vertex)")],
        together=(({"placed": [(1, 0), (2, 8), (2, 20), (2, 30)], "players": 2}, "player 1", "player 2"),
            ({"placed": [(1, 0)] * 5, "players": 2}, "4 settlements"),
            ({"objective": cp.Objective(*LONG_WEIGHTS), "players": 2, "rationality": 1}, "exact"),
            *(({"objective": x, "method": "vectorized"}, "without rivalry and expansion")
                for x in (cp.Objective(rivalry=1), cp.Objective(expansion=1))),
            ({"rationality": 1, "method": "vectorized"}, "auto"),
            ({"objective": cp.Objective(*LONG_WEIGHTS, rivalry=1)}, "exact"),
            ({"placed": [(1, 0)], "board": OUT_AT_SEA}, "no land"),
            ({"rationality": 1, "board": LARGE, "players": 6}, "6 players on 80 vertices")))
    yield from of(cp.win_chances, right={"board": RULE_BOOK},
        settlements=[*((x, "4 players") for x in ([(), (3,), (), ()], [(1, 5, 9), (), (), ()])),
            ([(1,), (2,), ()], "next to"), ([(1,)], "2 to 4"), ([(99,), (), (), ()], "99"),
            ([1, 2, 3, 4], "list of vertices per player")])


# Games, tournaments and studies


def games() -> Iterator[Case]:
    yield from of(cp.play_games, right={"board": RULE_BOOK, "n": 1, "seed": 1},
        players=[("clever", "player 'clever'"), ("greedy:best", "pips, optimal"), (["greedy"], "2 to 6"),
            (["greedy"] * 5, "5 or 6", "'base-5-6'")],
        placement=[("best", "PLAYER:VERTEX", "free, optimal, rivals"), (" ", "must have settlements"),
            ("2:1", "player 1"), ("1:42-40", "vertex 42", "40"), ("1:42,2:41", "next to")],
        board=[(cp.generate_board("open", "seafarers-6", seed=1), "'seafarers-6'", "ships")])
    yield from of(cp.play_games, InvalidBoard, {"n": 1, "seed": 1},
        board=[(NO_MARKERS, "no markers"), (LAYOUTS["fishermen-of-catan"].beginner_board, "lake"),
            (Board("base", DRY, [5] * 19), "no desert")])
    yield from of(wilson, right={"n": 2}, successes=[(3, "whole number"), (0.5, "whole number")])


PLAN = cp.Tournament((1, 2, 3), (Round(RULE_BOOK, ((1, 2, 3),)),), (0, 0), (0, 0))
PLAN_JSON = {
    "players": [1, 2, 3, 4],
    "rounds": [{"map": HARBORED.notation(), "tables": [[1, 2, 3, 4]]}],
    "bound": [0, 0],
    "changed": 0,
    "changed_bound": 0,
}


def stored_plan(**changes: object) -> cp.Tournament:
    return cp.Tournament.from_json(json.dumps(PLAN_JSON | changes))


def tournaments() -> Iterator[Case]:
    yield from of(cp.plan_tournament, right={"players": 16, "rounds": 4},
        players=[(2, "from 3 to"), (5, "4 or 6"), (6.0, "whole number")],
        rounds=[(0, "from 1 to"), ("4", "whole number")], seed=[("x", "seed")], timeout=[(None, "above 0")],
        apart=[(3, "pairs", "3"), ([(1, 1)], "two different"), ([(1, 99)], "99")],
        together=tuple(({"players": 4 if "c" in names else 3, "names": names}, x, *more)
            for names, x, *more in (
                (["a", "b", "a"], "two players", "'a'"), (["a", "b", "b "], "two players", "'b'"),
                (["a", "b", "c"], "4 in all", "not 3"), (["a", "b", ""], "letters"))))
    yield from of(cp.plan_tournament, InvalidRules, {"players": 16, "rounds": 4}, rules=[("fair", "fair")])
    yield from of(stored_plan,
        players=[([1, 2, 3, 5], "players"), (["\x1b[2J", 2, 3, 4], "player's name")],
        rounds=[([], "rounds", "from 1"), ([{"map": "x", "tables": [[1, 2], [3, 4]]}], "three or four"),
            ([{"map": "x", "tables": [[1, 2, 3, 3]]}], "two players"), ([{"tables": []}], "not a plan")],
        bound=[([0], "two numbers"), ([1, 0], "bound", "from 0 to 0")],
        changed=[(-1, "changed")], changed_bound=[(1, "changed_bound", "from 0 to 0")])
    yield from of(stored_plan, InvalidBoard, rounds=[([{"map": "x", "tables": [[1, 2, 3, 4]]}], "row")])
    yield from of(cp.Tournament.from_json,
        text=[(x, "not a plan") for x in ("{}", "[" * 100_000, '{"players": ' + "9" * 10_000 + "}")])
    yield from of(save_kit, right={"tournament": PLAN, "path": "kit.pdf"},
        path=[("kit.png", "ends in"), ("board.pdf", "exists")],
        links=[(["https://example.org"] * 2, "1 in all", "not 2")], title=[("\udcff", "half a character")])
    results = Results(PLAN).enter(1, 1, (10, 5, 5))
    yield from of(Results, tournament=[(5, "Tournament", "5")])
    yield from of(results.read, right={"text": ""}, text=[(5, "text", "5"), ("a\0", "line 1")],
        goal=[(2, "goal", "from 3 to 99")])
    yield from of(results.enter, right={"round_": 1, "table": 1, "points": (10, 5, 7)},
        round_=[(2, "round", "2")], table=[(0, "table", "0")],
        points=[("987", "3 numbers"), ((10, 9), "3 numbers"), ((10, "x", 3), "'x'")])
    yield from of(results.standings, tie_breaks=[(3, "list", "3"), ("fair", "wbc"), (["luck"], "'luck'")],
        lots=[(3, "list", "3"), ([[]], "[]"), ([2, 2, 3], "once"), ([2], "all tied")])
    yield from of(results.standings().top, n=[(0, "n", "0"), (9, "3"), (2, "tied: 2, 3")])
    yield from of(plan_playoff, seeds=[(3, "list", "3"), (range(8), "12 to 16"), ([1, 1, 2], "two players")])
    yield from of(save_standings, right={"standings": results.standings(), "path": "a.png"},
        standings=[(5, "Standings", "5")], path=[("a.gif", ".pdf, .png, .svg")], paper=[("A5", "A4")],
        title=[(3, "title", "3")])
    yield from of(seat_targets, right={"players": 4},
        lead=[({5: 1}, "from 1 to 4"), *((x, "between 0 and 100") for x in ({1: 75}, {1: -25})),
            *((x, "lead", "number") for x in ({1: "5"}, {1: nan}))],
        together=(({"players": 2, "lead": {1: 5, 2: 5}}, "sum to 0"),))


def made_study(**options: Any) -> None:
    study_in("study.db", **options)


def studies() -> Iterator[Case]:
    yield from of(cp.analyze_board, InvalidBoard, board=[("dlw/bgol/owbwg/lgob/wlg", "no markers")])
    yield from of(cp.Study, n=[(0, "whole number from 1")])
    right = {"n": 5, "rules": "open", "seed": 1}
    yield from of(made_study, right=right,
        n=[(None, "boards given")],
        seed=[(2**63, "whole number from 0")], name=[(" ", "short text")],
        workers=[(0, "workers", "whole number"), (5000, "workers", "1 to 1024")],
        boards=[("o10w2l9", "iterable of Boards"), (["o10w2l9"], "board 1", "Board")],
        together=(({"games": 2, "played_by": "clever"}, "player 'clever'"),
            ({"games": 2, "played_by": "greedy,weighted"}, "4 players", "not 2"),
            ({"games": 2, "layout": "seafarers-6"}, "'seafarers-6'", "ships")))
    yield from of(made_study, InvalidBoard, right, boards=[([LARGE], "layout 'base-5-6'")])
    yield from of(made_study, InvalidRules, right,
        together=(({"layout": "seafarers-8", "rules": "official"}, "spiral"),))
    yield from of(made_study, cp.SolverNotFound, right, solver=[("nonesuch", "unknown solver")])


# Pictures


def pictures() -> Iterator[Case]:
    board = {"board": RULE_BOOK}
    yield from of(cp.plot_board, right=board,
        theme=[("neon", "neon", "light, plain, dark, print")],
        placement=[([(1, 54)], "vertex", "0 to 53", "54"), ([(0, 3)], "player", "at least 1", "0"),
            ([(1, 3), (2, 3)], "share a vertex"), ([(1, 0, 30)], "vertex 0", "30")],
        heat=[([1.0] * 53, "54 vertices", "53"), (["hot"] * 54, "hot"), ([None] * 54, "no value"),
            ([inf] * 54, "infinite"), ([10**400] * 54, "number or None")],
        title=[("\udcff", "title", "half a character", r"'\udcff'")], ax=[("here", "here")],
        ring_tiles=[([19], "tile", "0 to 18", "19")], ring_vertices=[([-1], "vertex", "-1")],
        arrows=[([(0, 0)], "arrow"), ([(0, 54)], "vertex", "0 to 53", "54")])
    small = Figure(figsize=(1, 1)).add_axes((0, 0, 0.5, 0.5))
    yield from of(cp.plot_gallery, right={"boards": [RULE_BOOK]},
        boards=[([], "1 to 400", "0"), ([RULE_BOOK, "x"], "'x'")],
        captions=[(["a", "b"], "one text per board"), (map(str, range(2)), "one text per board", "<map")],
        together=(({"boards": [RULE_BOOK] * 9, "ax": small}, "9 boards in rows of 3", "0.5 by 0.5 inches"),))
    yield from of(cp.save_picture, right={"picture": RULE_BOOK, "path": "new.png"},
        path=[*((x, ".png, .svg, .pdf") for x in ("board", "a.png.txt", ".png", "a.")),
            ("board.png", "board.png", "exists", "force"), ("folder.png", "is a folder"),
            ("missing/board.png", "no folder", "missing"), ("nul\0.png", "path")],
        dpi=[(1e308, "dpi", "1e+308", "inf"), (0.1, "0.6 by 0.5", "1 to 65,535")],
        together=(({"path": "new.png", "format": "png"}, "format", "ending"),
            ({"picture": cp.plot_gallery([RULE_BOOK]), "letters": True}, "letters")))
    yield from of(cp.save_picture, right={"picture": RULE_BOOK, "path": BytesIO()},
        path=[(StringIO(), "writing bytes", "'wb'")], format=[("gif", "format", "png, svg, pdf")])
    right = {"picture": RULE_BOOK, "force": True}
    yield from of(cp.save_picture, cp.CatanError, right, path=[("x" * 300 + ".png", "cannot write")])
    yield from of(cp.print_sheet, right={**board, "path": "new.pdf"},
        path=[("a.png", ".pdf")], paper=[("A5", "A4, A3, Letter")], hex_mm=[(1e-320, "hex_mm")],
        together=(({"tiled": True, "hex_mm": 400}, "pages", "60"),))


# fmt: on

TOPICS = (boards, layouts, layout_files, rules, texts, entropy, placements, games, tournaments, studies)
TABLE = [case for cases in (*TOPICS, pictures) for case in cases()]
WRITTEN = ("mine.toml", "islands.toml", "study.db")


def name_of(case: Case) -> str:
    return f"{case.function.__qualname__}({', '.join(case.arguments)})"


def test_unchanged_plan_is_right():
    assert stored_plan().value == (0, 0)


@pytest.mark.parametrize("case", TABLE, ids=name_of)
def test_wrong_value_rejected(case, tmp_path, monkeypatch):
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
