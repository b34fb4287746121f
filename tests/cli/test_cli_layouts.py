"""catan-cp layouts, and --layout with a file: a custom frame from the drawing to a study."""

import json
from pathlib import Path

import pytest
import typer

from catan_cp import LAYOUTS, Board, InvalidArgument, Layout, Store, best_moves, solve_placement
from catan_cp.cli.commands import app
from catan_cp.placement.positions import open_vertices
from catan_cp.placement.tables import batch_of
from catan_cp.rules.requirements import random_boards

ISLANDS = """
title = "Two islands"
board = '''
~   ~   ~   ~   ~   ~   ~
  o6  ~3W ~   w8  l9  ~
~   b5  g10 ~   d   ~lSW
  w4  l3  ~   g11 b2  ~
~   ~   ~   ~   ~   ~   ~
'''
"""


@pytest.fixture
def islands(tmp_path):
    path = tmp_path / "islands.toml"
    path.write_text(ISLANDS)
    return str(path)


@pytest.fixture
def ran(run):
    """Run a command that has to end well: its standard output."""

    def call(*words, stdin=""):
        status, out, err = run(*words, stdin=stdin)
        assert status == 0, err
        return out

    return call


def test_layouts_listed_and_drawn(ran, islands, tmp_path):
    lines, *sources = ran("layouts").split("\n\n")
    assert [line.split()[0] for line in lines.splitlines()[1:]] == list(LAYOUTS)
    stated = dict(block.strip().split(":\n    ") for block in sources)
    assert {name: source for source, names in stated.items() for name in names.split(", ")} == {
        name: layout.source for name, layout in LAYOUTS.items()
    }
    (row,) = json.loads(ran("layouts", "through-the-desert-3", "--json"))
    assert row == {
        "layout": "through-the-desert-3",
        "tiles": 27,
        "moving": 24,
        "groups": 2,
        "source": LAYOUTS["through-the-desert-3"].source,
        "harbors": 8,
        "title": "Through the Desert 3-Player Set-up",
    }
    assert ran("layouts", "base", "--toml") == LAYOUTS["base"].to_toml() + "\n"
    picture = tmp_path / "two.svg"
    assert "Two islands" in ran("layouts", islands, "caravans", "--save", picture)
    assert picture.read_text().count("<svg") == 1


def test_custom_frame_from_drawing_to_study(ran, islands, tmp_path):
    layout = Layout.from_toml(islands)
    notation = ran("generate", "--layout", islands, "--rules", "open", "--seed", "1", "-f", "notation")
    assert not Board.from_notation(notation, layout).piece_differences()
    own = ("--layout", islands)
    assert ran("count", "terrain", *own, "--rules", "open").strip() == "226,800"
    assert "no targets" in ran("report", "-", *own, stdin=notation)
    store = tmp_path / "study.db"
    ran("study", *own, "--n", "3", "--rules", "open", "--players", "2", "--seed", "1", "--db", store)
    with Store(store) as opened:
        assert opened.study("study").study.layout == layout
        assert opened.board(1, "study").layout == layout


def test_first_settlements_on_one_island():
    layout = LAYOUTS["new-shores-3"]
    board = Board.from_notation(layout.beginner_board)
    main_island = {v for t in layout.settle for v in layout.tile_vertices[t]}
    assert set(open_vertices(board)) == main_island
    assert {v for v, free in enumerate(batch_of([board]).land[0]) if free} == main_island
    away = next(v for v in range(layout.n_vertices) if v not in main_island and 1 in layout.vertex_tiles[v])
    with pytest.raises(InvalidArgument, match="on which 'new-shores-3' lets players begin"):
        best_moves(board, [(1, away)], 1, 2)
    placements = [solve_placement(board, 2, method=method) for method in ("vectorized", "rivals")]
    assert len({result.values for result in placements}) == 1
    assert {v for result in placements for spots in result.settlements for v in spots} <= main_island


@pytest.mark.parametrize("name", LAYOUTS)
def test_random_boards_keep_groups(name):
    layout = LAYOUTS[name]
    for board in random_boards(3, name, seed=1):
        assert not board.piece_differences()
        assert all(board.terrain[t] == terrain for t, terrain in layout.fixed_terrain.items())
        assert all(board.markers[t] == marker for t, marker in layout.fixed_markers.items())
        for pool in layout.terrain_pools:
            terrains = [board.terrain[t] for t in pool.tiles]
            assert all(terrains.count(terrain) == n for terrain, n in pool.pieces.items())


# Every command that takes a layout

COMMANDS = {
    "generate": ("--rules", "open", "-f", "notation"),
    "plot": ("-", "--save", "<new>.svg"),
    "check": ("-", "--rules", "open"),
    "print": ("-", "--save", "<new>.pdf"),
    "enumerate": ("markers", "--rules", "open", "--limit", "2", "--on", "-"),
    "count": ("markers", "--rules", "open", "--on", "-"),
    "best": ("--rules", "open", "--minimize", "largest_vertex_pips", "--timeout", "60"),
    "repair": ("-", "--rules", "open"),
    "puzzle": ("-", "--rules", "open", "--timeout", "60"),
    "export": ("markers", "--rules", "open", "--on", "-"),
    "place": ("-", "--players", "2"),
    "report": ("-",),
    "study": ("--n", "2", "--rules", "open", "--db", "<new>.db"),
    "entropy score": ("-",),
    "entropy search": ("-", "--steps", "20", "--seed", "1"),
}
APART = {
    "play": "games are played on base, and a board of another layout is refused",
    "prove": "its layout is an argument, and a proof is only written if no board exists",
    "tournament": "chances to win are measured on one island, and the frame has several",
    **dict.fromkeys(("standings", "playoff"), "they want a plan and results"),
    "replan": "it wants a plan: tests/tournament makes one on a frame of its own",
}
"""Commands that take a layout, and yet no home-made frame."""


def commands_with_a_layout(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_with_a_layout(command, (*path, name))
        elif any(parameter.name == "layout" for parameter in command.params):
            yield " ".join((*path, name))


def test_every_command_with_layout_tried():
    assert set(commands_with_a_layout(typer.main.get_command(app))) == {*COMMANDS, *APART}


TARGETS = """
[target_efficiency]
desert = 0.5
brick = 0.9
grain = 1.0
wool = 1.0
lumber = 1.0
ore = 0.9
"""
SLOW = ("puzzle",)


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in COMMANDS]
)
def test_file_replaces_layout_name(command, ran, islands, tmp_path):
    if command.startswith("entropy"):
        Path(islands).write_text(ISLANDS + TARGETS)
    board = Layout.from_toml(islands).beginner_board
    words = [word.replace("<new>", str(tmp_path / "new")) for word in COMMANDS[command]]
    output = ran(*command.split(), *words, "--layout", islands, stdin=board)
    files = list(tmp_path.glob("new*"))
    assert output.strip() or files
    assert all(path.stat().st_size for path in files)
    if command == "entropy search":
        assert Board.from_notation(output, Layout.from_toml(islands)).piece_differences() == {}
        assert ran("entropy", "search", islands, "--steps", "5", "--seed", "1")
