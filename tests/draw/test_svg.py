"""SVG text against the figure of matplotlib: the same shapes, places and colours."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.collections import EllipseCollection
from matplotlib.colors import to_hex
from matplotlib.path import Path

from catan_cp import LAYOUTS, Board, board_svg, plot_board, plot_gallery, save_picture
from catan_cp.draw import gallery_svg
from catan_cp.draw.glyphs import plotted_outline, text_outline, text_width

BASE = LAYOUTS["base"]
START = Board.from_notation(BASE.beginner_board)
HARBORED = Board(BASE, START.terrain, START.markers, BASE.printed_harbors)
FISH = LAYOUTS["fishermen-of-catan"]
CASES = {
    "plain": (START, {}),
    "without patterns": (START, {"theme": "plain"}),
    "without markers": (Board(BASE, START.terrain), {"letters": True}),
    "words": (HARBORED, {"numbers": True, "letters": True, "key": True, "title": "Two words"}),
    "settlements": (HARBORED, {"placement": [(1, 0, 1), (2, 5), (3, 10)], "numbers": True, "theme": "dark"}),
    "rings": (HARBORED, {"ring_tiles": [3, 4], "ring_vertices": [20], "theme": "print"}),
    "values": (HARBORED, {"heat": range(54), "heat_label": "pips", "numbers": True}),
    "arrows": (HARBORED, {"arrows": [(0, 5), (7, 30)], "theme": "dark"}),
    "equal values": (START, {"heat": [None, *[2.5] * 53], "theme": "print"}),
    "rivers": (Board.from_notation(LAYOUTS["rivers-of-catan"].beginner_board), {}),
    "islands": (Board.from_notation(LAYOUTS["four-islands-3"].beginner_board), {"key": True}),
    "fish": (Board(FISH, ["desert"] * FISH.n_tiles, None, (), FISH.fishing_grounds), {}),
}


def path_points(data):
    """Return the points of SVG path data, without pen movements before the first stroke."""
    points, current, start = [], np.zeros(2), np.zeros(2)
    for command, text in re.findall(r"([MLmlqcz])([^MLmlqcz]*)", data):
        numbers = [float(number) for number in re.findall(r"-?\d*\.?\d+(?:e-?\d+)?", text)]
        if command == "z":
            current = start
            continue
        steps = np.reshape(numbers, (-1, 2))
        places = steps if command.isupper() else current + steps
        current = places[-1]
        if command in "Mm":
            start = current
            if command == "m" and points and points[-1][0] == "M":
                points.pop()
        points += [(command, place) for place in places]
    return [place for _, place in points]


def svg_groups(svg):
    """Return the class, the points and the fills of each group."""
    groups = []
    for group in ElementTree.fromstring(svg).findall(".//{http://www.w3.org/2000/svg}g[@class]"):
        points, fills = [], []
        for shape in group:
            fills.append(shape.get("fill") or group.get("fill"))
            if shape.tag.endswith("circle"):
                points.append((float(shape.get("cx")), float(shape.get("cy"))))
            else:
                points += path_points(shape.get("d"))
        groups.append((group.get("class"), np.array(points), fills))
    return groups


def figure_groups(ax):
    """Return the points of the collections on axes, the lowest first, in points from the upper left."""
    height = ax.figure.get_size_inches()[1] * 72
    groups = []
    for shapes in sorted(ax.collections, key=lambda shapes: shapes.get_zorder()):
        if isinstance(shapes, EllipseCollection):
            vertices, n = np.asarray(shapes.get_offsets()), len(shapes.get_offsets())
        else:
            outlines = [path.vertices if path.codes is None else path.vertices[path.codes != Path.CLOSEPOLY]
                    for path in shapes.get_paths()]  # fmt: skip
            vertices, n = (
                np.concatenate([*outlines, np.empty((0, 2))]),
                len([path for path in outlines if len(path)]),
            )
        if len(vertices):
            places = ax.transData.transform(vertices) * 0.72
            colors = shapes.get_facecolor()
            fills = [to_hex(colors[i % len(colors)]) if len(colors) else "none" for i in range(n)]
            groups.append((shapes.get_gid(), np.column_stack([places[:, 0], height - places[:, 1]]), fills))
    return groups


@pytest.mark.parametrize("case", CASES)
def test_svg_has_shapes_of_figure(case):
    board, options = CASES[case]
    direct = [group for group in svg_groups(board_svg(board, **options)) if group[0] != "title"]
    plotted = figure_groups(plot_board(board, **options))
    assert [gid for gid, *_ in direct] == [gid for gid, *_ in plotted]
    for (gid, points, fills), (_, expected, colors) in zip(direct, plotted, strict=True):
        assert points.shape == expected.shape, gid
        assert np.abs(points - expected).max() < 0.03, gid
        if colors != ["none"] * len(colors):
            assert fills == colors, gid


def test_gallery_has_shapes_of_figure(tmp_path):
    boards = [START, CASES["islands"][0], CASES["rivers"][0], HARBORED]
    arguments = boards, ["a", "b", "three words here", ""], 3
    svg = gallery_svg(*arguments, title="Four\nboards", letters=True, theme="dark")
    direct = svg_groups(svg)
    figure = plot_gallery(*arguments, title="Four\nboards", letters=True, theme="dark")
    figure.draw_without_rendering()
    plotted = [group for ax in figure.axes for group in figure_groups(ax)]
    assert [gid for gid, *_ in direct if gid != "title"] == [gid for gid, *_ in plotted]
    for (gid, points, _), (_, expected, _) in zip(
        (group for group in direct if group[0] != "title"), plotted, strict=True
    ):
        assert points.shape == expected.shape, gid
        assert np.abs(points - expected).max() < 0.1, gid
    titles = [points for gid, points, _ in direct if gid == "title"]
    height = figure.get_size_inches()[1] * 72
    texts = [ax.title for ax in figure.axes if ax.get_title()] + [figure._suptitle]
    for points, text in zip(titles, texts, strict=True):
        box = text.get_window_extent()
        assert (points[:, 0].min() + points[:, 0].max()) / 2 == pytest.approx(
            0.72 * (box.x0 + box.x1) / 2, abs=1
        )
        # The oldest matplotlib sets the lines of a title three points closer than the newest.
        assert height - 0.72 * box.y1 - 3 < points[:, 1].min()
        assert points[:, 1].max() < height - 0.72 * box.y0 + 6
    path = save_picture(boards, tmp_path / "a.svg", captions=arguments[1], columns=3, title="Four\nboards")
    assert path.read_text().partition("\n")[2] == gallery_svg(*arguments, title="Four\nboards")
    path = save_picture(START, tmp_path / "b.svg", theme="dark")
    assert path.read_text().partition("\n")[2] == board_svg(START, theme="dark")


def test_title_centred_above_board():
    (title,) = [
        points for gid, points, _ in svg_groups(board_svg(START, title="Two words")) if gid == "title"
    ]
    middle = (title.min(axis=0) + title.max(axis=0)) / 2
    assert abs(middle[0] - 216) < 1
    assert 0 < title[:, 1].min() < title[:, 1].max() < 24


def test_two_line_title_inside_picture():
    def words(title):
        return next(points for gid, points, _ in svg_groups(board_svg(START, title=title)) if gid == "title")

    one, two = words("a title"), words("Two lines\na title")
    assert one[:, 1].min() > 0
    assert two[:, 1].min() > 0
    assert two[:, 1].max() - one[:, 1].max() == pytest.approx(17.5, abs=0.1)
    assert np.ptp(two[:, 1]) == pytest.approx(np.ptp(one[:, 1]) + 17.5, abs=2)


def test_svg_without_matplotlib_has_glyphs():
    """The stored outlines of a character are those of matplotlib, also beside other characters."""
    program = (
        "import sys; from catan_cp.draw import board_svg; from catan_cp import Board, LAYOUTS;"
        "board = Board.from_notation(LAYOUTS['base'].beginner_board);"
        "board_svg(board, heat=range(54), heat_label='pips', arrows=[(0, 20)], title='a', key=True);"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    for bold in (False, True):
        for character in map(chr, range(33, 127)):
            (stored, _), plotted = text_outline(character, bold), plotted_outline(character, bold)
            assert [code for code, _ in stored] == [code for code, _ in plotted]
            plain_svg, other_svg = (
                np.concatenate([np.reshape(line, (-1, 2)) for _, line in segments])
                for segments in (stored, plotted)
            )
            other_svg[:, 0] -= other_svg[:, 0].min()
            assert np.abs(plain_svg - other_svg).max() < 1e-3, character
    assert text_width("é", 1) == pytest.approx(text_width("e", 1), abs=0.01)
    assert text_width("", 1) == 0
