"""Drafts by their definition, without bounds, tables or memory, and small boards to play them on.

Of the package, `Hand` uses only boards and the value of one and two settlements, in fractions.
"""

import math
import random
from fractions import Fraction

from catan_cp import LAYOUTS, Board, Harbor, Layout

MARKERS = sorted(LAYOUTS["base"].marker_supply)
PUBLISHED = Board.from_notation("g3l11w9/l9o8g2b5/o10w3b10w6g11/b8dg4l5/o4l6w12")


def small_layout(rows: tuple[int, ...], **counts: int) -> Layout:
    return Layout("small", rows, counts, {})


SMALL = (
    small_layout((1, 2), ore=1, wool=1, brick=1),
    small_layout((2, 1, 2), ore=2, grain=1, sea=1, gold=1),
    small_layout((2, 3, 2), ore=2, grain=2, lumber=1, desert=1, wool=1),
    small_layout((2, 3, 2), sea=3, grain=2, gold=1, wool=1),
    small_layout((1, 2, 1), brick=1, grain=1, wool=1, gold=1),
)
SEVEN = small_layout((2, 3, 2), ore=2, grain=2, lumber=1, brick=1, wool=1)


def random_board(layout: str | Layout, seed: int) -> Board:
    rng = random.Random(seed)
    layout = LAYOUTS[layout] if isinstance(layout, str) else layout
    terrain = [name for name, count in layout.terrain_counts.items() for _ in range(count)]
    rng.shuffle(terrain)
    markers = [None if name in ("sea", "desert") else rng.choice(MARKERS) for name in terrain]
    dealt: list[Harbor] = []
    for edge in rng.sample(layout.coast_edges, len(layout.coast_edges) // 3):
        if not {v for harbor in dealt for v in harbor.vertices} & set(edge):
            dealt.append(Harbor(edge, rng.choice(("3:1", "brick", "grain", "wool", "ore", "lumber"))))
    return Board(layout, terrain, markers, dealt)


def in_turn(vertices, players):
    """Return these vertices with the players who settle them, in the order of turns."""
    return list(zip([*range(1, players + 1), *range(players, 0, -1)], vertices, strict=False))


def essence(placement):
    return placement.settlements, placement.order, placement.values, placement.tied


def sets(course):
    """Each player's two vertices, whichever came first."""
    return tuple(frozenset((course[p], course[-1 - p])) for p in range(len(course) // 2))


class Hand:
    """A board and the objectives of its players.

    Every settlement is a choice, and so are roads if requested.
    """

    def __init__(self, board, goals, *, roads_are_moves=False):
        self.board, self.goals, self.roads_are_moves = board, goals, roads_are_moves
        self.near = board.layout.vertex_neighbors
        self.turns = [*range(len(goals)), *reversed(range(len(goals)))]
        tiles = board.layout.vertex_tiles
        self.land = [v for v, of in enumerate(tiles) if {board.terrain[t] for t in of} != {"sea"}]
        self.ways = [
            [(u, w) for u in self.near[v] if self.on_land(v, u) for w in self.near[u] if self.on_land(u, w)]
            for v in range(board.layout.n_vertices)
        ]
        self.worth = {}

    def on_land(self, a, b):
        tiles = self.board.layout.edge_tiles[min(a, b), max(a, b)]
        return any(self.board.terrain[t] != "sea" for t in tiles)

    def value(self, p, *spots):
        if (p, spots) not in self.worth:
            self.worth[p, spots] = self.goals[p].value(self.board, spots)
        return self.worth[p, spots]

    def free(self, spots):
        blocked = {v for u in spots for v in (u, *self.near[u])}
        return [v for v in self.land if v not in blocked]

    def begun(self, seed, rest):
        """All settlements but *rest*, anywhere, as (player, vertex).

        None if they do not fit.
        """
        rng, placed = random.Random(seed), []
        for p in self.turns[: len(self.turns) - rest]:
            free = self.free([v for _, v in placed])
            if not free:
                return None
            placed.append((p + 1, rng.choice(free)))
        return placed

    def leads(self, spots, ends=None):
        """Return each player's value and lead at the end."""
        n = len(self.goals)
        own = [self.value(p, spots[p], spots[-1 - p]) for p in range(n)]
        if any(goal.expansion for goal in self.goals):
            own = [own[p] + self.goals[p].expansion * self.beyond(p, spots, ends) for p in range(n)]
        best = [max(own[:p] + own[p + 1 :]) if self.goals[p].rivalry else 0 for p in range(n)]
        return own, [own[p] - self.goals[p].rivalry * best[p] if best[p] else own[p] for p in range(n)]

    def reached(self, p, vertex, spots):
        """Return the road and value of each free vertex that two roads of a player reach from *vertex*."""
        free = set(self.free(spots))
        return [(u, self.value(p, w)) for u, w in self.ways[vertex] if w in free]

    def beyond(self, p, spots, ends):
        """Return the value of the best vertex that two roads of a player reach."""
        values = [
            value
            for turn in (p, 2 * len(self.goals) - 1 - p)
            for u, value in self.reached(p, spots[turn], spots)
            if ends is None or ends[turn] in (None, u)
        ]
        return max(values, default=Fraction(0))

    def play(self, spots, ends=()):
        """The course from *spots* on, what everybody has and leads by, and whether it is tied.

        Or None.
        """
        ends = ends or (None,) * len(spots)
        turn = len(spots)
        if turn == len(self.turns):
            return spots, *self.leads(spots, ends), False
        p = self.turns[turn]
        before = () if turn < len(self.goals) else (spots[self.turns.index(p)],)
        tries = sorted(self.free(spots), key=lambda v: (-self.value(p, *before, v), v))
        lines = [
            course
            for v in tries
            for end in (self.near[v] if self.roads_are_moves else [None])
            if (course := self.play((*spots, v), (*ends, end))) is not None
        ]
        if not lines:
            return None
        most = max(leads[p] for _, _, leads, _ in lines)
        equal = [course for course in lines if course[2][p] == most]
        tied = equal[0][3] or any(sets(row[0]) != sets(equal[0][0]) for row in equal[1:])
        return *equal[0][:3], tied

    def equilibria(self, spots):
        """Every line of play of every subgame perfect equilibrium, with its values and leads."""
        turn = len(spots)
        if turn == len(self.turns):
            return {spots: self.leads(spots)}
        p = self.turns[turn]
        after = {v: self.equilibria((*spots, v)) for v in self.free(spots)}
        after = {v: courses for v, courses in after.items() if courses}
        worst = {v: min(leads[p] for _, leads in courses.values()) for v, courses in after.items()}
        return {
            course: gains
            for v, courses in after.items()
            for course, gains in courses.items()
            if all(gains[1][p] >= worst[u] for u in after if u != v)
        }

    def expected(self, levels, spots, stop):
        """Expected values and leads if players err before turn *stop*.

        Others break ties as in `play`.
        """
        turn = len(spots)
        if turn == len(self.turns):
            return tuple([float(x) for x in gains] for gains in self.leads(spots))
        p = self.turns[turn]
        before = () if turn < len(self.goals) else (spots[self.turns.index(p)],)
        tries = sorted(self.free(spots), key=lambda v: (-self.value(p, *before, v), v))
        options = [self.expected(levels, (*spots, v), stop) for v in tries]
        ahead = [leads[p] for _, leads in options]
        level = levels[p] if turn < stop else None
        if level is None:
            return options[ahead.index(max(ahead))]
        chances = [math.exp(level * (a - max(ahead))) for a in ahead]
        weighed = [(chance / sum(chances), gains) for chance, gains in zip(chances, options, strict=True)]
        return tuple(
            [sum(chance * gains[row][q] for chance, gains in weighed) for q in range(len(levels))]
            for row in (0, 1)
        )
