"""Figures of matplotlib: the shapes of the SVG text, axes, galleries and files."""

import struct
import subprocess
import sys
import time
from io import BytesIO
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import EllipseCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.path import Path

from catan_cp import (
    LAYOUTS,
    Board,
    InvalidBoard,
    board_png,
    board_svg,
    plot_board,
    plot_gallery,
    save_picture,
)
from catan_cp.draw import gallery_svg, plot_pair

# SVG text has stored outlines of these characters. No picture has all of them in bold.
from catan_cp.draw.glyphs import plotted_outline, text_outline
from tests.draw.svg_shapes import svg_groups

START = Board.from_notation(LAYOUTS["base"].beginner_board)
HARBORED = Board.from_notation(f"{LAYOUTS['base'].beginner_board}:printed")
RIVERS = Board.from_notation(LAYOUTS["rivers-of-catan"].beginner_board)
ISLANDS = Board.from_notation(LAYOUTS["four-islands-3"].beginner_board)
FISH = LAYOUTS["fishermen-of-catan"]
CASES = {
    "words": (HARBORED, {"numbers": True, "letters": True, "key": True, "title": "Two words"}),
    "settlements": (HARBORED, {"placement": [(1, 0, 1), (2, 5), (3, 10)], "numbers": True, "theme": "dark"}),
    "rings": (HARBORED, {"ring_tiles": [3, 4], "ring_vertices": [20], "theme": "print"}),
    "values": (START, {"heat": [None, *range(53)], "heat_label": "pips", "arrows": [(0, 5), (7, 30)]}),
    "rivers": (RIVERS, {"theme": "plain"}),
    "fish": (Board(FISH, ["desert"] * FISH.n_tiles, None, (), FISH.fishing_grounds), {}),
}


def plotted_groups(ax):
    """Return name, points and fills of the collections on axes, in points from the upper left."""
    height = ax.figure.get_size_inches()[1] * 72
    groups = []
    for shapes in sorted(ax.collections, key=lambda shapes: shapes.get_zorder()):
        if isinstance(shapes, EllipseCollection):
            outlines = list(np.asarray(shapes.get_offsets())[:, None])
        else:
            outlines = [path.vertices if path.codes is None else path.vertices[path.codes != Path.CLOSEPOLY]
                        for path in shapes.get_paths() if len(path.vertices)]  # fmt: skip
        if outlines:
            places = ax.transData.transform(np.concatenate(outlines)) * 0.72
            colors = shapes.get_facecolor()
            fills = [to_hex(colors[i % len(colors)]) if len(colors) else "none" for i in range(len(outlines))]
            groups.append((shapes.get_gid(), np.column_stack([places[:, 0], height - places[:, 1]]), fills))
    return groups


def assert_same_shapes(svg, axes, within):
    direct = [group for group in svg_groups(svg) if group[0] != "title"]
    plotted = [group for ax in axes for group in plotted_groups(ax)]
    assert [name for name, _ in direct] == [name for name, *_ in plotted]
    for (name, shapes), (_, expected, colors) in zip(direct, plotted, strict=True):
        points = np.concatenate([shape.points for shape in shapes])
        assert points.shape == expected.shape, name
        assert np.abs(points - expected).max() < within, name
        if set(colors) != {"none"}:
            assert [shape.fill for shape in shapes] == colors, name


@pytest.mark.parametrize("case", CASES)
def test_svg_has_shapes_of_figure(case):
    board, options = CASES[case]
    assert_same_shapes(board_svg(board, **options), [plot_board(board, **options)], within=0.03)


def test_gallery_has_shapes_of_figure(tmp_path):
    boards, captions, title = (
        [START, ISLANDS, RIVERS, HARBORED],
        ["a", "b", "three words here", ""],
        "Four\nboards",
    )
    options = {"captions": captions, "columns": 3, "title": title}
    svg = gallery_svg(boards, **options, theme="dark")
    figure = plot_gallery(boards, **options, theme="dark")
    figure.draw_without_rendering()
    assert_same_shapes(svg, figure.axes, within=0.1)
    titles = [shapes for name, shapes in svg_groups(svg) if name == "title"]
    height = figure.get_size_inches()[1] * 72
    texts = [ax.title for ax in figure.axes if ax.get_title()] + [figure._suptitle]
    for shapes, text in zip(titles, texts, strict=True):
        box = text.get_window_extent()
        low, high = min(tuple(shape.low) for shape in shapes), max(tuple(shape.high) for shape in shapes)
        assert (low[0] + high[0]) / 2 == pytest.approx(0.72 * (box.x0 + box.x1) / 2, abs=4)
        # The oldest matplotlib sets the lines of a title three points closer than the newest.
        assert height - 0.72 * box.y1 - 3 < low[1] and high[1] < height - 0.72 * box.y0 + 6
    path = save_picture(boards, tmp_path / "a.svg", **options)
    assert path.read_text().partition("\n")[2] == gallery_svg(boards, **options)


def test_stored_glyphs_are_those_of_matplotlib():
    for bold in (False, True):
        for character in map(chr, range(33, 127)):
            (stored, _), plotted = text_outline(character, bold), plotted_outline(character, bold)
            assert [code for code, _ in stored] == [code for code, _ in plotted]
            outline, expected = (
                np.concatenate([np.reshape(line, (-1, 2)) for _, line in segments])
                for segments in (stored, plotted)
            )
            expected[:, 0] -= expected[:, 0].min()
            assert np.abs(outline - expected).max() < 1e-3, character


@pytest.mark.parametrize(
    "code",
    [
        "catan_cp.board_svg(board, heat=range(54), heat_label='pips', arrows=[(0, 20)], title='a', key=True);"
        "assert 'matplotlib' not in sys.modules",
        "board.plot(); assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules",
    ],
    ids=["svg", "figure"],
)
def test_matplotlib_loaded_by_figures_only(code):
    start = "import sys, catan_cp; board = catan_cp.Board.from_notation(sys.argv[1]);"
    subprocess.run([sys.executable, "-c", start + code, START.notation()], check=True)


# Axes


def colors(ax, name):
    (shapes,) = (shapes for shapes in ax.collections if shapes.get_gid() == name)
    return shapes.get_facecolor()


def assert_apart_and_within(room, boxes):
    """Check that no two of these boxes overlap, and that all are inside the room."""
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    for box in boxes:
        assert room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1


def test_board_on_other_axes():
    left, right = Figure(figsize=(8, 4), facecolor="white").subplots(1, 2)
    assert plot_board(START, [(1, 0)], ax=left, title="dark", theme="dark") is left
    assert (left.get_title(), left.get_aspect()) == ("dark", 1)
    assert not right.collections
    assert sum(left.title.get_color()) < 1 and sum(left.get_facecolor()[:3]) < 0.5
    assert sum(colors(left, "player-name")[0, :3]) > 2
    assert sum(plot_board(START, title="dark", theme="dark").title.get_color()) > 2


def test_wide_title_made_to_fit():
    ax = plot_board(START, title="a title that says everything about a board, and then some more $x")
    ax.figure.draw_without_rendering()
    assert_apart_and_within(ax.figure.bbox, [ax.title.get_window_extent()])


def test_gallery_keeps_order_of_boards():
    names = ["base", "rivers", "islands", "harbors"]
    figure = plot_gallery([START, RIVERS, ISLANDS, HARBORED], iter(names), columns=2, title="all")
    assert [ax.get_title() for ax in figure.axes] == names
    assert figure.get_suptitle() == "all"
    lefts = [round(ax.get_position().x0, 3) for ax in figure.axes]
    assert lefts[:2] == lefts[2:] and lefts[0] < lefts[1]
    figure.draw_without_rendering()
    assert_apart_and_within(figure.bbox, [ax.get_tightbbox() for ax in figure.axes])
    with pytest.raises(InvalidBoard, match="row 1"):  # an error of the iterable
        plot_gallery(map(Board.from_notation, ["nonsense"]))


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_galleries_replace_axes(layout):
    figure = Figure(figsize=(9, 4), layout=layout)
    beside, ax = figure.subplots(1, 2)
    part = plot_gallery([START] * 5, list("abcde"), 2, ax, title="five", theme="dark")
    assert [one.get_title() for one in part.axes] == list("abcde")
    assert part.figure is figure and not ax.axison
    assert sum(part.get_facecolor()[:3]) < 0.5
    figure.draw_without_rendering()
    assert_apart_and_within(part.bbox, [one.get_tightbbox() for one in part.axes])
    assert not beside.get_tightbbox().overlaps(part.bbox)


def test_pairs_within_axes():
    figure = Figure(figsize=(8, 6))
    whole = figure.add_axes((0, 0, 1, 1))
    for ax in (figure.add_axes((0.1, 0.2, 0.4, 0.5)), whole.inset_axes((0.6, 0.2, 0.4, 0.5))):
        part = plot_pair(START, HARBORED, ax=ax)
        assert [one.get_title() for one in part.axes] == ["before", "after"]
        assert part.bbox.bounds == pytest.approx(ax.get_window_extent().bounds, abs=0.01)
        assert len(plot_pair(START, HARBORED, ax=part.axes[0]).axes) == 2, "also in parts of parts"


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_gallery_captions_have_one_size(layout):
    captions = ["no groups", "apart=[('brick', 'lumber')], terrain_cluster_max=1 and reds_apart=True", "3"]
    ax = Figure(figsize=(10, 3), layout=layout).subplots()
    figure = plot_gallery([START] * 5, [*captions, "up to 12 pips", "x"], columns=5, ax=ax)
    (size,) = {round(ax.title.get_fontsize(), 6) for ax in figure.axes}
    assert size >= 6
    lines = figure.axes[1].get_title().split("\n")
    assert len(lines) > 1 and " ".join(lines) == captions[1]
    assert min(map(len, lines)) > max(map(len, lines)) / 2, "no ragged lines"
    figure.figure.draw_without_rendering()
    boxes = [ax.title.get_window_extent() for ax in figure.axes]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_long_caption_is_quick():
    caption = " ".join(["grain", "and", "settlements", "a"] * 400)
    began = time.process_time()
    lines = plot_gallery([START], [caption]).axes[0].get_title().split("\n")
    assert time.process_time() - began < 5
    assert " ".join(lines) == caption
    assert len(lines) == 4 and max(map(len, lines)) < 1.05 * min(map(len, lines))


# Files


@pytest.mark.parametrize(("form", "magic"), [("png", b"\x89PNG\r\n"), ("svg", b"<?xml"), ("PDF", b"%PDF-")])
def test_files_and_file_objects_equal(tmp_path, form, magic):
    one, two = (save_picture(START, tmp_path / f"{n}.{form}", dpi=50).read_bytes() for n in ("a", "b"))
    assert one == two and one.startswith(magic)
    assert len(list(tmp_path.iterdir())) == 2
    buffer = BytesIO()
    assert save_picture(START, buffer, format=form.lower(), dpi=50) is None
    assert buffer.getvalue() == one
    with (tmp_path / "c").open("wb") as file:
        # Text of SVG is written directly only for a board, not for a figure of matplotlib.
        save_picture(START if form == "svg" else plot_board(START), file, format=form.lower(), dpi=50)
    assert (tmp_path / "c").read_bytes() == one


def test_figures_saved_whole(tmp_path):
    """And nothing of it stays open in pyplot."""
    whole = Figure(figsize=(8, 4))
    left, right = whole.subfigures(1, 2)
    board, pair = plot_board(START, ax=left.subplots()), plot_pair(START, HARBORED, ax=right.subplots())
    for picture, dpi, width in ((board, 50, 400), (pair, 50, 400), (START, 100, 600), (START, 200, 1200)):
        data = save_picture(picture, tmp_path / "a.png", dpi=dpi, force=True).read_bytes()
        assert struct.unpack(">I", data[16:20]) == (width,)
    buffer = BytesIO()
    save_picture(START, buffer, dpi=100)
    assert buffer.getvalue() == board_png(START)
    gallery = plot_gallery([START, HARBORED], theme="dark")
    assert gallery._repr_png_().startswith(b"\x89PNG")
    one = save_picture(gallery, tmp_path / "one.svg").read_bytes()
    assert one == save_picture(gallery.axes[0], str(tmp_path / "one.svg"), force=True).read_bytes()
    assert plt.get_fignums() == []
