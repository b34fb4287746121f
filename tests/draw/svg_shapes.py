"""Shapes in the SVG text of a board, with their places on the board."""

import re
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

import numpy as np

from catan_cp import Board, board_svg

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Shape:
    """A shape in points from the upper left corner.

    Args:
        fill: the colour in hexadecimal digits, or none.
        points: its points, or the centre of a circle.
        radius: the radius of a circle, otherwise 0.
    """

    fill: str
    points: np.ndarray
    radius: float = 0.0

    @property
    def low(self):
        """Left and upper end."""
        return self.points.min(axis=0) - self.radius

    @property
    def high(self):
        """Right and lower end."""
        return self.points.max(axis=0) + self.radius

    @property
    def middle(self):
        return (self.low + self.high) / 2


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
    return np.array([place for _, place in points])


def svg_groups(svg):
    """Return the class and the shapes of each group, the lowest first."""
    groups = []
    for group in ElementTree.fromstring(svg).findall(f".//{SVG}g[@class]"):
        shapes = []
        for element in group:
            fill = element.get("fill") or group.get("fill")
            if element.tag == f"{SVG}circle":
                centre = np.array([[float(element.get("cx")), float(element.get("cy"))]])
                shapes.append(Shape(fill, centre, float(element.get("r"))))
            else:
                shapes.append(Shape(fill, path_points(element.get("d"))))
        groups.append((group.get("class"), shapes))
    return groups


class Picture:
    """SVG picture of a board. Places are in points, found from the hexagons of the tiles."""

    def __init__(self, board: Board, **options):
        self.board, self.svg = board, board_svg(board, **options)
        self.groups = svg_groups(self.svg)

    def shapes(self, *classes) -> list[Shape]:
        return [shape for name, shapes in self.groups if name in classes for shape in shapes]

    @cached_property
    def size(self):
        return np.array(ElementTree.fromstring(self.svg).get("viewBox").split()[2:], dtype=float)

    @cached_property
    def _scale(self):
        tiles = self._plane(self.board.layout.tiles)
        middles = np.array([hexagon.middle for hexagon in self.shapes("land", "sea")])
        unit = np.ptp(middles, axis=0).max() / np.ptp(tiles, axis=0).max()
        return unit, middles.min(axis=0) - unit * tiles.min(axis=0)

    def _plane(self, spots):
        """Return positions in tile edges, turned a quarter to the right for a sideways layout."""
        x, y = np.array(spots, dtype=float).T
        if self.board.layout.sideways:
            return np.column_stack([-y / 2, x * 3**0.5 / 2])
        return np.column_stack([x * 3**0.5 / 2, y / 2])

    @property
    def unit(self) -> float:
        """Length of a tile's edge."""
        return self._scale[0]

    def places(self, spots):
        """Return the positions of points of the layout's grid."""
        return self._plane(spots) * self.unit + self._scale[1]

    @cached_property
    def tiles(self):
        return self.places(self.board.layout.tiles)

    @cached_property
    def vertices(self):
        return self.places(self.board.layout.vertices)
