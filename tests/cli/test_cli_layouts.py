"""catan-cp layouts, and a custom frame from its file to a study."""

import json

import pytest

from catan_cp import LAYOUTS, Board, InvalidArgument, Layout, Store, best_moves, solve_placement
from tests.cli.test_answers import DRAWING


def test_layouts_listed_and_drawn(run, tmp_path):
    file, picture = tmp_path / "islands.toml", tmp_path / "two.svg"
    file.write_text(DRAWING)
    lines, *sources = run("layouts")[1].split("\n\n")
    assert [line.split()[0] for line in lines.splitlines()[1:]] == list(LAYOUTS)
    stated = dict(block.strip().split(":\n    ") for block in sources)
    assert {name: source for source, names in stated.items() for name in names.split(", ")} == {
        name: layout.source for name, layout in LAYOUTS.items()
    }
    (row,) = json.loads(run("layouts", "through-the-desert-3", "--json")[1])
    assert row == {
        "layout": "through-the-desert-3",
        "tiles": 27,
        "moving": 24,
        "groups": 2,
        "source": LAYOUTS["through-the-desert-3"].source,
        "harbors": 8,
        "title": "Through the Desert 3-Player Set-up",
    }
    assert run("layouts", "base", "--toml")[1] == LAYOUTS["base"].to_toml() + "\n"
    assert "Two islands" in run("layouts", file, "caravans", "--save", picture)[1]
    assert picture.read_text().count("<svg") == 1


def test_custom_frame_to_study(run, tmp_path):
    file, path = tmp_path / "islands.toml", tmp_path / "study.db"
    file.write_text(DRAWING)
    layout, words = Layout.from_toml(file), ("--layout", file, "--rules", "open", "--seed", "1")
    notation = run("generate", *words, "-f", "notation")[1]
    improved = run("entropy", "search", file, "--steps", "5", "--seed", "1")[1]
    for text in (notation, improved):
        assert not Board.from_notation(text, layout).piece_differences()
    assert run("study", *words, "--n", "3", "--players", "2", "--db", path)[0] == 0
    with Store(path) as store:
        assert store.study("study").study.layout == store.board(1, "study").layout == layout


def test_first_settlements_on_one_island():
    layout = LAYOUTS["new-shores-3"]
    board = Board.from_notation(layout.beginner_board)
    main_island = {v for t in layout.settle for v in layout.tile_vertices[t]}
    away = next(v for v in range(layout.n_vertices) if v not in main_island and 1 in layout.vertex_tiles[v])
    with pytest.raises(InvalidArgument, match="on which 'new-shores-3' lets players begin"):
        best_moves(board, [(1, away)], 1, 2)
    placements = [solve_placement(board, 2, method=method) for method in ("vectorized", "rivals")]
    assert len({result.values for result in placements}) == 1
    assert {v for result in placements for spots in result.settlements for v in spots} <= main_island
