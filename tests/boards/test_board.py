"""Boards: both notations there and back, every kind of bad input, and moves as a group."""

import copy
import dataclasses
import json
import pickle
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board, Harbor, InvalidArgument, InvalidBoard, Layout
from catan_cp.boards.board import MAX_INPUT, read_terrain
from catan_cp.boards.layout import CLASSIC
from catan_cp.boards.pieces import MARKERS, TRADES, pips
from catan_cp.entropy import official_boards

BASE = LAYOUTS["base"]
RULE_BOOK = BASE.beginner_board
BOARD = Board("base", *(getattr(Board.from_notation(RULE_BOOK), part) for part in ("terrain", "markers")))
TINY = Layout("tiny", (2, 1), {"ore": 2, "desert": 1}, {6: 1, 8: 1})


@st.composite
def boards(draw) -> Board:
    layout = draw(st.sampled_from([*LAYOUTS.values(), TINY]))
    rng = random.Random(draw(st.integers(0, 2**32)))
    terrain = [rng.choice(layout.all_terrains) for _ in range(layout.n_tiles)]
    markers = None
    if draw(st.booleans()):
        markers = [
            None if name in layout.unnumbered or t in layout.unmarked else rng.choice(MARKERS)
            for t, name in enumerate(terrain)
        ]
    edges = list(layout.coast_edges)
    rng.shuffle(edges)
    taken, harbors = set(), []
    for a, b in edges[: draw(st.integers(0, 12))]:
        if not taken & {a, b}:
            taken |= {a, b}
            harbors.append(Harbor(rng.choice([(a, b), (b, a)]), rng.choice(TRADES)))
    return Board(layout, terrain, markers, harbors)


# There and back


@settings(max_examples=150, deadline=None)
@given(boards())
def test_notation_and_json_there_and_back(board):
    layout = board.layout if board.layout is TINY else None
    assert Board.from_notation(board.notation(), layout) == board
    assert Board.from_notation(str(board), layout) == board
    assert " " not in board.notation()
    assert Board.from_json(board.to_json(), layout) == board
    for again in (pickle.loads(pickle.dumps(board)), copy.deepcopy(board), dataclasses.replace(board)):
        assert again == board
        assert hash(again) == hash(board)
    assert repr(board).startswith("Board.from_notation('")
    assert eval(repr(board), {"Board": Board, "Layout": Layout, "Harbor": Harbor}) == board
    if layout is None:
        assert pickle.loads(pickle.dumps(board)).layout is board.layout


def test_the_rule_books_first_board():
    assert BOARD.layout is BASE
    assert BOARD.notation() == RULE_BOOK == "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
    assert BOARD.terrain[:4] == ("ore", "wool", "lumber", "grain")
    assert BOARD.markers[:4] == (10, 2, 9, 12)
    assert BOARD.markers[9] is None
    assert BOARD.has_markers
    assert not Board("base", BOARD.terrain).has_markers


def test_str_is_staggered():
    assert str(BOARD).split("\n") == [
        "       o10    w2    l9",
        "    g12    b6    w4   b10",
        "  g9   l11    d     l3    o8",
        "     l8    o3    g4    w5",
        "        b5    g6   w11",
    ]
    assert str(Board(TINY, ["ore", "sea", "desert"])) == "  o     s\n     d\n\n@tiny"
    assert str(Board(TINY, ["ore", "sea", "desert"], None, [Harbor((5, 4), "ore")])).endswith(
        "     d\n\nharbors: ore at 4-5\n@tiny"
    )


def test_harbors_are_kept_in_one_order():
    harbors = BASE.printed_harbors
    board = Board("base", BOARD.terrain, BOARD.markers, harbors)
    turned = [Harbor(harbor.vertices[::-1], harbor.trade) for harbor in reversed(harbors)]
    assert Board("base", BOARD.terrain, BOARD.markers, turned) == board
    assert board.notation() == f"{RULE_BOOK}:printed"
    listed = "4-5=3,6-9=g,11-22=o,16-17=l,26-40=b,35-36=3,45-46=w,48-49=3,50-51=3"
    for text in (f"{RULE_BOOK} {listed}", f"{RULE_BOOK}:{listed}"):
        assert Board.from_notation(text) == board
    some = Board("base", BOARD.terrain, BOARD.markers, harbors[:2])
    assert some.notation() == f"{RULE_BOOK}:4-5=3,6-9=g"


def test_other_names_and_whole_numbers_count():
    board = Board(TINY, ["Stone", "MOUNTAINS", "desert"], [np.int64(6), np.uint8(8), None])
    assert board == Board(TINY, ("ore", "ore", "desert"), (6, 8, None))
    assert [type(marker) for marker in board.markers] == [int, int, type(None)]


def test_nothing_can_be_changed():
    terrain = list(BOARD.terrain)
    board = Board("base", terrain, BOARD.markers)
    terrain[0] = "sea"
    assert board == BOARD
    for field in ("layout", "terrain", "markers", "harbors"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(board, field, None)


def test_json_says_what_it_is():
    assert json.loads(
        Board(TINY, ["ore", "sea", "desert"], [6, None, None], [Harbor((4, 5), "3:1")]).to_json()
    ) == {
        "layout": "tiny",
        "terrain": ["ore", "sea", "desert"],
        "markers": [6, None, None],
        "harbors": [{"vertices": [4, 5], "trade": "3:1"}],
    }
    assert Board.from_json(json.dumps({"layout": "base", "terrain": BOARD.terrain})) == Board(
        "base", BOARD.terrain
    )


def test_invented_layouts_are_read_back_only_when_given():
    board = Board(TINY, ["ore", "ore", "desert"])
    with pytest.raises(InvalidBoard, match="unknown layout 'tiny'"):
        Board.from_json(board.to_json())
    with pytest.raises(InvalidBoard, match="the board's layout is 'tiny', not 'base'"):
        Board.from_json(board.to_json(), "base")
    with pytest.raises(InvalidBoard, match="of the layout 'tiny', which is not built in; give it as layout"):
        Board.from_notation(board.notation())
    with pytest.raises(InvalidBoard, match="layout is 'tiny', not 'base'"):
        Board.from_notation(board.notation(), "base")
    with pytest.raises(InvalidBoard, match=r"rows of 2-1 tiles make no layout; .*base 3-4-5-4-3"):
        Board.from_notation("oo/d")
    assert Board.from_notation("oo/d", TINY) == board
    impostor = dataclasses.replace(TINY, name="base")
    with pytest.raises(InvalidBoard, match="not the one called 'base'"):
        Board(impostor, ["ore", "ore", "desert"]).to_json()


def test_a_layout_of_ones_own_is_never_taken_for_a_built_in_one():
    targets = dict.fromkeys(BASE.terrains, 0.5)
    for name in ("mine", "base", "four-islands-3"):
        mine = dataclasses.replace(BASE, name=name, target_efficiency=targets)
        board = Board(mine, BOARD.terrain, BOARD.markers, BASE.printed_harbors)
        for text in (board.notation(), str(board)):
            with pytest.raises(InvalidBoard, match="not built in; give it as layout"):
                Board.from_notation(text)
            assert Board.from_notation(text, mine) == board
        assert eval(repr(board), {"Board": Board, "Layout": Layout, "Harbor": Harbor}) == board
    own = dataclasses.replace(LAYOUTS["four-islands-3"], title="mine")
    text = Board.from_notation(own.beginner_board, own).notation()
    with pytest.raises(InvalidBoard, match="one of your own called 'four-islands-3'; give that one"):
        Board.from_notation(text, "four-islands-3")


def test_what_print_shows_is_read_back(capsys):
    for name in ("base", "rivers-of-catan", "new-world-islands"):
        layout = LAYOUTS[name]
        first = Board.from_notation(layout.beginner_board)
        board = Board(layout, first.terrain, first.markers, layout.printed_harbors)
        print(board)
        assert Board.from_notation(capsys.readouterr().out) == board
    for wrong, says in (
        ("harbors: ores at 4-5", "'ores at 4-5' is not a harbor such as 'ore at 4-5'"),
        ("harbors: o at 4-5", "'o at 4-5' is not a harbor"),
        ("fishing grounds: ore at 4-5", "'ore at 4-5' is not a fishing ground such as '6 at 4-5-0'"),
    ):
        with pytest.raises(InvalidBoard, match=says):
            Board.from_notation(f"{BOARD}\n{wrong}")


def test_notation_with_names_and_second_markers():
    rivers = LAYOUTS["rivers-of-catan"].beginner_board
    assert rivers == "g10l2+12l9/tw6b4o10/g9l11g8l3o8/ub3o4w5/b5g6w11@rivers-of-catan"
    board = Board.from_notation(rivers)
    assert board.markers[1] == 2
    assert board.terrain_pips()["lumber"] == 2 + 4 + 2 + 2  # 2 and 12, 9, 11, 3
    assert Board.from_notation(rivers.replace("2+12", "2")) == board
    for text, says in [
        (rivers.replace("2+12", "2+11"), "unknown markers '2.11' in row 1; rivers-of-catan has 2.12"),
        (rivers.replace("g8", "g8+9"), "rivers-of-catan has 8 alone"),
        (rivers.replace("@", ":@"), "no harbors stand behind the colon"),
        (rivers.replace("@", "4-5=3@"), "row 5 of the notation"),
        (rivers + "x", "the layout 'rivers-of-catanx', which is not built in"),
        (rivers.replace("2+12", "2").partition("@")[0] + "@base", "unknown letter 't' in row 2"),
    ]:
        with pytest.raises(InvalidBoard, match=says):
            Board.from_notation(text)


# Questions


def test_pips():
    assert [pips(marker) for marker in MARKERS] == [1, 2, 3, 4, 5, 5, 4, 3, 2, 1]
    assert pips(None) == 0
    assert sum(BOARD.terrain_pips().values()) == 58
    assert BOARD.terrain_pips() == {"brick": 12, "grain": 13, "wool": 10, "ore": 10, "lumber": 13}
    assert Board("base", BOARD.terrain).terrain_pips() == dict.fromkeys(
        ("brick", "grain", "wool", "ore", "lumber"), 0
    )
    totals = BOARD.vertex_pips()
    assert len(totals) == 54
    assert totals[:6] == (3 + 1, 3 + 1 + 5, 3 + 1 + 5, 3 + 1, 3, 3)  # 10, 2, 12 and 6 meet there
    assert sum(totals) == 6 * 58


def test_piece_differences():
    assert BOARD.piece_differences() == {}
    assert Board("base", BOARD.terrain).piece_differences() == {}
    terrain = ["gold", *BOARD.terrain[1:]]
    markers = [None if m is None else 12 for m in BOARD.markers]
    assert Board("base", terrain, markers).piece_differences() == {"ore": -1, "gold": 1, 12: 17}


def test_piece_differences_of_the_official_tilings():
    first, second = official_boards("base")
    assert first.piece_differences() == {}
    assert second.piece_differences() == {"grain": 1, "lumber": -1}
    assert [board.piece_differences() for board in official_boards("base-5-6")] == [{}, {}]
    differ = {name: [bool(b.piece_differences()) for b in official_boards(name)] for name in LAYOUTS}
    seafarers = [differs for name in CLASSIC if name.startswith("sea") for differs in differ[name]]
    assert sum(seafarers) > len(seafarers) / 2
    for name in LAYOUTS:
        for board in official_boards(name):
            assert board.layout is LAYOUTS[name]
            assert sum(board.piece_differences().values()) == 0


@settings(max_examples=60, deadline=None)
@given(boards(), st.data())
def test_moves_compose_like_the_group(board, data):
    layout = board.layout
    numbers = st.integers(0, len(layout.symmetries) - 1)
    first, then = data.draw(numbers), data.draw(numbers)
    both = [layout.symmetries[then][t] for t in layout.symmetries[first]]
    vertices = [layout.vertex_symmetries[then][v] for v in layout.vertex_symmetries[first]]
    moves = list(zip(layout.symmetries, layout.vertex_symmetries, strict=True))
    together = moves.index((tuple(both), tuple(vertices)))
    assert board.moved(first).moved(then) == board.moved(together)
    assert board.moved(0) == board
    moved = board.moved(first)
    assert sorted(moved.vertex_pips()) == sorted(board.vertex_pips())
    assert moved.piece_differences() == board.piece_differences()
    assert sorted(h.trade for h in moved.harbors) == sorted(h.trade for h in board.harbors)


def test_a_move_takes_everything_along():
    board = Board("base", BOARD.terrain, BOARD.markers, [Harbor((4, 5), "ore")])
    half_turn = next(i for i, p in enumerate(BASE.symmetries) if p == tuple(range(18, -1, -1)))
    moved = board.moved(half_turn)
    assert moved.terrain == board.terrain[::-1]
    assert moved.markers == board.markers[::-1]
    (harbor,) = moved.harbors
    assert set(harbor.vertices) <= set(BASE.tile_vertices[18])
    for number in (-1, 12, 1.0, "1", None, True):
        with pytest.raises(InvalidArgument, match=f"from 0 to 11, not {re.escape(repr(number))}"):
            board.moved(number)


def test_read_terrain_takes_boards_notations_and_names():
    bare = Board("base", BOARD.terrain).notation()
    for terrain in (BOARD, RULE_BOOK, bare, BOARD.terrain, list(BOARD.terrain)):
        for layout in (None, "base", BASE):
            assert read_terrain(terrain, layout) == (BASE, BOARD.terrain)
        with pytest.raises(InvalidBoard, match="base-5-6"):
            read_terrain(terrain, "base-5-6")
    with pytest.raises(InvalidBoard, match="the board's layout is 'base', not 'base-5-6'"):
        read_terrain(BOARD, "base-5-6")
    with pytest.raises(
        InvalidBoard, match="the board's layout is 'base', not 'base with other rows or pieces'"
    ):
        read_terrain(BOARD, dataclasses.replace(BASE, spiral_order=()))
    with pytest.raises(InvalidBoard, match="no layout has 2 tiles; layouts have base 19, base-5-6 30"):
        read_terrain(["ore", "ore"])
    for bad in (5, None, {"ore": 1}, {"ore"}, b"o", iter(["ore"])):
        with pytest.raises(InvalidBoard, match="a terrain is a Board, a notation or a list of names, not"):
            read_terrain(bad)


# Bad input: the constructor

DRY = ["ore"] * 19
SIXES = [6] * 19


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("base-7", DRY), "unknown layout 'base-7'; did you mean 'base'"),
        ((7, DRY), "unknown layout 7"),
        (("base", DRY[1:]), "'base' has 19 tiles, not 18"),
        (("base", "ore"), "terrain is a list of names, one per tile, not 'ore'"),
        (("base", {"ore": 19}), "terrain is a list .* not {'ore': 19}"),
        (("base", [*DRY[1:], "marsh"]), "unknown terrain 'marsh'; terrains are sea, desert, brick"),
        (("base", [*DRY[1:], ["ore"]]), r"unknown terrain \['ore'\]"),
        (("base", DRY, "6"), "markers are a list, one or None per tile, not '6'"),
        (("base", DRY, SIXES[1:]), "19 tiles need 19 markers .* not 18"),
        *(
            (("base", DRY, [wrong, *SIXES[1:]]), f"tile 0 has the marker {re.escape(repr(wrong))}; markers")
            for wrong in (7, 0, "6", 6.0, float("nan"), True, [6])
        ),
        (("base", DRY, [10**5000, *SIXES[1:]]), "tile 0 has the marker <int that cannot be shown>"),
        (("base", DRY, [*SIXES[1:], 13]), "tile 18 has the marker 13"),
        (("base", ["desert", *DRY[1:]], SIXES), "tile 0 of 'base' is desert, which carries no marker"),
        (("base", ["sea", *DRY[1:]], SIXES), "is sea, which carries no marker there, but has 6"),
        (("base", DRY, [None, *SIXES[1:]]), r"tile 0 \(ore\) has no marker while others do"),
        (("base", DRY, None, "4-5=3"), "harbors is a list of harbors, not '4-5=3'"),
        (("base", DRY, None, {Harbor((4, 5), "ore")}), "harbors is a list of harbors, not {Harbor"),
        *(
            (
                ("base", DRY, None, [wrong]),
                rf"is like Harbor\(\(4, 5\), 'ore'\), not {re.escape(repr(wrong))}",
            )
            for wrong in ((4, 5), Harbor((4, True), "ore"), Harbor("45", "ore"))
        ),
        *(
            (("base", DRY, None, [Harbor((4, 5), trade)]), f"unknown trade {trade!r}; trades are 3:1, brick")
            for trade in ("2:1", "desert", {"ore": 1})
        ),
        *(
            (("base", DRY, None, [Harbor(pair, "ore")]), "is no edge of the coast of 'base'")
            for pair in [(4, 999), (4, 10**5000), (-1, 4), (4, 4), (2, 3)]  # the last one: an inner edge
        ),
        (("base", DRY, None, [Harbor((4, 5), "ore"), Harbor((0, 5), "3:1")]), "0-5 shares a vertex with"),
        (("base", DRY, None, [Harbor((4, 5), "ore"), Harbor((4, 5), "ore")]), "4-5 shares a vertex"),
    ],
)
def test_boards_that_cannot_be(arguments, says):
    with pytest.raises(InvalidBoard, match=says):
        Board(*arguments)


# Bad input: text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "row 1 of the notation, '', is not small letters"),
        ("dlw/bgol/owxwg/lgob/wlg", "unknown letter 'x' in row 3; letters are b brick, l lumber"),
        ("dlw/bgol/owbwg/lgob/wl", "rows of 3-4-5-4-2 tiles make no layout; layouts are base 3-4-5-4-3"),
        ("dlw/bgol//lgob/wlg", "row 3 of the notation, '',"),
        ("DLW/bgol/owbwg/lgob/wlg", "row 1 of the notation, 'DLW',"),
        ("o7w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11", "unknown marker '7' in row 1; markers are 2, 3"),
        *(
            (RULE_BOOK.replace("o10", f"o{wrong}", 1), f"unknown marker '{wrong[:3]}.* in row 1")
            for wrong in ("13", "02", "0", "1" * 9000)
        ),
        (RULE_BOOK.replace("d", "d5"), "tile 9 of 'base' is desert, which carries no marker there"),
        ("o10wl9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11", r"tile 1 \(wool\) has no marker while others do"),
        *(
            (f"{RULE_BOOK} {wrong}", f"'{wrong.split(',')[-1]}' is not a harbor: VERTEX-VERTEX=TRADE")
            for wrong in ("4-5", "4-5=d", "4-5=x", "04-5=3", "4-5=3,", " 4-5=3", "4-5-6=3x", "4-5=10")
        ),
        ("/".join("o" * n for n in (4, 5, 6, 5, 6, 5, 4)) + ":printed", "no harbors are printed on 'sea"),
        (
            RULE_BOOK + ":printed,printed",
            "'printed' stands once, for all harbors, not as in 'printed,printed'",
        ),
        (RULE_BOOK + ":printed,0-1=3", "'printed' stands once, for all harbors"),
        (RULE_BOOK + " 4-6=3", "4-6 is no edge of the coast of 'base'"),
        (RULE_BOOK + " 4-5=3,0-5=o", "shares a vertex"),
        (RULE_BOOK + "/", "row 6 of the notation, '',"),
        ("o\u0661w2l9/x/y", "row 1 of the notation"),  # a digit that is not one of 0 to 9
        ("b/" * 400 + "b", "rows of 1-1-1-.*-1-... tiles make no layout"),
        (
            "b" * (MAX_INPUT + 1),
            f"this notation has {MAX_INPUT + 1} characters; a board has at most {MAX_INPUT}",
        ),
        (None, "notation is text, not None"),
    ],
)
def test_notation_that_is_none(text, says):
    with pytest.raises(InvalidBoard, match=says):
        Board.from_notation(text)


def test_notation_of_another_layout():
    with pytest.raises(InvalidBoard, match="do not make 'base-5-6', which has 3-4-5-6-5-4-3"):
        Board.from_notation(RULE_BOOK, "base-5-6")
    with pytest.raises(InvalidBoard, match="unknown layout 'other'"):
        Board.from_notation(RULE_BOOK, "other")
    assert Board.from_notation(f"  {RULE_BOOK}\n") == BOARD


GOOD = json.loads(Board("base", BOARD.terrain, BOARD.markers, BASE.printed_harbors).to_json())


def with_(**changes) -> str:
    return json.dumps(GOOD | changes)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "this is not JSON .*: ''"),
        ("{", "this is not JSON"),
        ("nonsense", "this is not JSON .*'nonsense'"),
        ("NaN", "a board is a JSON object with layout and terrain, not nan"),
        ("[]", r"not \[\]"),
        ("{}", "a board needs the key layout"),
        ('{"layout": "base"}', "a board needs the key terrain"),
        (with_(colour="red"), "unknown key 'colour'; a board has layout, terrain, markers, harbors"),
        (with_(layout=["base"]), r"unknown layout \['base'\]"),
        (with_(terrain={"ore": 19}), "terrain is a list"),
        (with_(terrain=[None, *GOOD["terrain"][1:]]), "unknown terrain None"),
        (with_(markers={}), "markers are a list"),
        (with_(markers=[1e999, *GOOD["markers"][1:]]), "tile 0 has the marker inf"),
        (with_(markers=[True, *GOOD["markers"][1:]]), "tile 0 has the marker True"),
        (with_(harbors=None), "harbors are a list, not None"),
        *(
            (with_(harbors=[wrong]), "each of the harbors is like {.*}, not ")
            for wrong in [3, {"vertices": [4, 5]}, {"vertices": [4, 5], "trade": "ore", "x": 1}]
        ),
        *(
            (with_(harbors=[{"vertices": ends, "trade": "ore"}]), r"is like Harbor\(")
            for ends in ([4, 5, 6], [4, "5"], [4, 5.0], "45")
        ),
        *(
            (with_(harbors=[{"vertices": [4, 5], "trade": trade}]), f"unknown trade {re.escape(repr(trade))}")
            for trade in (["ore"], None)
        ),
        (with_(harbors=[{"vertices": [4, 6], "trade": "ore"}]), "4-6 is no edge of the coast"),
        ("[" * 30000, "nested too deeply"),
        ("[" * 30000 + "]" * 30000, "nested too deeply|not \\["),
        ('{"layout": ' + "[" * 900 + "]" * 900 + ', "terrain": []}', "unknown layout|nested too deeply"),
        ("1" * 6000, "a number with too many digits"),
        (" " * MAX_INPUT + "{}", "this JSON has 65538 characters"),
        (None, "JSON is text, not None"),
    ],
)
def test_json_that_is_no_board(text, says):
    with pytest.raises(InvalidBoard, match=says):
        Board.from_json(text)


@pytest.mark.parametrize("wrong", [{"terrain": 5}, {"terrain": [3] * 19, "marker": 5}, {"terrain": "ore"}])
def test_a_solution_has_lists_of_numbers(wrong):
    with pytest.raises(InvalidBoard, match="a solution for 'base' has lists of numbers"):
        Board.from_solution(wrong)
