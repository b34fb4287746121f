"""Boards: both notations there and back, every kind of bad input, and moves as a group."""

import copy
import dataclasses
import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catan_cp import LAYOUTS, Board, Harbor, InvalidBoard, Layout, Rules, count_markers, efficiency
from catan_cp.entropy import official_boards
from tests.small_boards import CLASSIC, full_boards, random_boards

BASE = LAYOUTS["base"]
RULE_BOOK = BASE.beginner_board
BOARD = Board("base", *(getattr(Board.from_notation(RULE_BOOK), part) for part in ("terrain", "markers")))
TINY = Layout("tiny", (2, 1), {"ore": 2, "desert": 1}, {6: 1, 8: 1})


boards = full_boards([*LAYOUTS.values(), TINY], bare=True)


# There and back


@settings(max_examples=150, deadline=None)
@given(boards)
def test_notation_and_json_there_and_back(board):
    layout = board.layout if board.layout is TINY else None
    assert Board.from_notation(board.notation(), layout) == board
    assert " " not in board.notation()
    assert Board.from_json(board.to_json(), layout) == board
    for again in (pickle.loads(pickle.dumps(board)), copy.deepcopy(board), dataclasses.replace(board)):
        assert again == board
        assert hash(again) == hash(board)
    assert repr(board).startswith("Board.from_notation('")
    assert eval(repr(board), {"Board": Board, "Layout": Layout, "Harbor": Harbor}) == board
    if layout is None:
        assert pickle.loads(pickle.dumps(board)).layout is board.layout


def test_board_of_rule_book():
    assert BOARD.layout is BASE
    assert BOARD.notation() == RULE_BOOK == "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
    assert BOARD.terrain[:4] == ("ore", "wool", "lumber", "grain")
    assert BOARD.markers[:4] == (10, 2, 9, 12)
    assert BOARD.markers[9] is None
    assert BOARD.has_markers
    assert not Board("base", BOARD.terrain).has_markers


def test_str_staggered():
    assert str(BOARD).split("\n") == [
        "       o10    w2    l9",
        "    g12    b6    w4   b10",
        "  g9   l11    d     l3    o8",
        "     l8    o3    g4    w5",
        "        b5    g6   w11",
    ]
    assert str(Board(TINY, ["ore", "sea", "desert"])) == "  o     s\n     d\n\n@tiny"
    assert str(Board(TINY, ["ore", "sea", "desert"], None, [Harbor((5, 4), "ore")])).endswith(
        "     d\n\nore harbor on the north-west coast, vertices 4-5, beside tile 0 (ore)\n@tiny"
    )


def test_harbors_kept_in_one_order():
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


def test_common_names_and_numpy_numbers():
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


def test_json_states_its_kind():
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


def test_custom_layout_differs():
    impostor = dataclasses.replace(TINY, name="base")
    with pytest.raises(InvalidBoard, match="not the built-in 'base'"):
        Board(impostor, ["ore", "ore", "desert"]).to_json()
    targets = dict.fromkeys(BASE.terrains, 0.5)
    for name in ("mine", "base", "four-islands-3"):
        layout = dataclasses.replace(BASE, name=name, target_efficiency=targets)
        board = Board(layout, BOARD.terrain, BOARD.markers, BASE.printed_harbors)
        with pytest.raises(InvalidBoard, match="not built in; give it as layout"):
            Board.from_notation(board.notation())
        assert Board.from_notation(board.notation(), layout) == board
        assert eval(repr(board), {"Board": Board, "Layout": Layout, "Harbor": Harbor}) == board
    own = dataclasses.replace(LAYOUTS["four-islands-3"], title="mine")
    text = Board.from_notation(own.beginner_board, own).notation()
    with pytest.raises(InvalidBoard, match="a custom one called 'four-islands-3'; pass it"):
        Board.from_notation(text, "four-islands-3")


def test_notation_with_names_and_second_markers():
    rivers = LAYOUTS["rivers-of-catan"].beginner_board
    assert rivers == "g10l2+12l9/tw6b4o10/g9l11g8l3o8/ub3o4w5/b5g6w11@rivers-of-catan"
    board = Board.from_notation(rivers)
    assert board.markers[1] == 2
    assert board.terrain_pips()["lumber"] == 2 + 4 + 2 + 2  # 2 and 12, 9, 11, 3
    assert Board.from_notation(rivers.replace("2+12", "2")) == board


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_notation_read_in_every_form(name):
    layout = LAYOUTS[name]
    several = random_boards(3, name, seed=5)
    if layout.beginner_board:
        pieces = Board.from_notation(layout.beginner_board)
        coast = layout.printed_harbors, layout.fishing_grounds
        several.append(Board(layout, pieces.terrain, pieces.markers, *coast))
    for board in several:
        text = board.notation()
        rows = text.partition(":" if ":" in text else "@")[0]
        for variant in (rows, rows.replace("/", " "), rows.replace("/", "")):
            for form in (variant + text.removeprefix(rows), (variant + text.removeprefix(rows)).upper()):
                assert Board.from_notation(form) == Board.from_notation(form, layout) == board
        pattern = board.pattern()
        assert Rules(pattern=pattern.upper().replace("/", " ")).pattern == pattern


def test_unclear_rows_rejected():
    tiles, spaced = RULE_BOOK.replace("/", ""), RULE_BOOK.replace("/", " ")
    assert Board.from_notation(f"{spaced}:printed") == Board.from_notation(f"{RULE_BOOK}:PRINTED")
    within = re.sub(r"(?<=\d)(?=[a-z])|(?<=/)|(?=/)", " ", RULE_BOOK)
    for ending in ("", ":printed", " printed", "@base", "\n"):
        assert Board.from_notation(f"  {within}{ending}") == Board.from_notation(RULE_BOOK + ending)
    named = "oo/d@BASE"  # the notation of a custom layout that is named like a built-in one
    custom = dataclasses.replace(TINY, name="BASE")
    assert Board.from_notation(Board(custom, ["ore", "ore", "desert"]).notation(), custom)
    for text, problem in {
        tiles.removesuffix("w11"): "rows of 18 tiles",
        f"{tiles}@mini": "rows of 19 tiles do not make 'mini'",
        spaced.replace(" ", "/", 1): "spaces that do not separate rows",
        f"{spaced} printed": "spaces that do not separate rows",
        named: "do not make 'base'",
        Board(custom, ["ore", "ore", "desert"]).notation(): "not built in",
    }.items():
        with pytest.raises(InvalidBoard, match=problem):
            Board.from_notation(text)


# Questions


def test_pips():
    assert [BASE.marker_pips(marker) for marker in (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)] == [
        *(1, 2, 3, 4, 5),
        *(5, 4, 3, 2, 1),
    ]
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


def test_piece_differences_of_official_tilings():
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
@given(boards, st.data())
def test_moves_compose_like_group(board, data):
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


def test_half_turn_moves_all_pieces():
    board = Board("base", BOARD.terrain, BOARD.markers, [Harbor((4, 5), "ore")])
    half_turn = next(i for i, p in enumerate(BASE.symmetries) if p == tuple(range(18, -1, -1)))
    moved = board.moved(half_turn)
    assert moved.terrain == board.terrain[::-1]
    assert moved.markers == board.markers[::-1]
    (harbor,) = moved.harbors
    assert set(harbor.vertices) <= set(BASE.tile_vertices[18])


def test_forms_of_terrain():
    expected = efficiency(BOARD)
    bare = Board("base", BOARD.terrain).notation()
    for terrain in (RULE_BOOK, bare, BOARD.terrain, list(BOARD.terrain)):
        assert efficiency(terrain) == expected
        assert count_markers(terrain, "open", "base") == count_markers(BOARD, "open")
        with pytest.raises(InvalidBoard, match="base-5-6"):
            count_markers(terrain, "open", "base-5-6")
    for layout, other in (
        ("base-5-6", "base-5-6"),
        (dataclasses.replace(BASE, spiral_order=()), "base with other rows or pieces"),
    ):
        with pytest.raises(InvalidBoard, match=f"the board's layout is 'base', not '{other}'"):
            count_markers(BOARD, "open", layout)
    with pytest.raises(InvalidBoard, match="no layout has 2 tiles; layouts have base 19, base-5-6 30"):
        efficiency(["ore", "ore"])
    with pytest.raises(InvalidBoard, match="a terrain must be a Board, a notation or a list of names, not"):
        efficiency(iter(["ore"]))


def test_solution_has_codes_of_terrains():
    codes = {"terrain": [6, 2, 6]}
    for solution in (codes, {**codes, "marker": [6, 0, 8]}):
        board = Board.from_solution(solution, TINY)
        assert board.terrain == ("ore", "desert", "ore")
        assert board.has_markers == ("marker" in solution)
    with pytest.raises(InvalidBoard, match="no solution with a terrain"):
        Board.from_solution({"marker": [6, 0, 8]}, TINY)
