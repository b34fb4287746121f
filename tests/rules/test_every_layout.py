"""Two custom lines, in a copy of the models or as constraints, on every layout.

One is about terrain, one about number tokens. Every function of the library obeys them or states that it
cannot, and so does every command on one layout. Lists and counts are compared with a few boards on which the
shipped models alone decide. A pattern fixes most tiles, so that all boards can be examined.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import pytest

import catan_cp as cp
from tests.command_line import status

pytestmark = pytest.mark.solver

OPEN = 4
"""The number of open tiles, including those of the two lines."""


@dataclass(frozen=True)
class Lines:
    """Custom conditions: a terrain on one tile and a marker on another, which *board* satisfies.

    None if the layout fixes it.
    """

    layout: cp.Layout
    terrain: tuple[int, str] | None
    marker: tuple[int, int] | None
    board: cp.Board

    def texts(self, named):
        """Return the lines by the model to which each is added. Terrains are named, or have their codes."""
        results = {}
        if self.terrain is not None:
            tile, name = self.terrain
            word = name.upper().replace("-", "_") if named else self.layout.terrain_codes[name]
            results["board"] = f"terrain[{tile + 1}] = {word}"
        if self.marker is not None:
            results["markers"] = f"marker[{self.marker[0] + 1}] = {self.marker[1]}"
        return results | ({"grounds": self.grounds} if self.grounds else {})

    @cached_property
    def grounds(self):
        """A line that places the fishing grounds of the board. Otherwise there are too many boards."""
        number = {ground.vertices: ground.marker for ground in self.board.fishing_grounds}
        places = enumerate(self.layout.ground_places, start=1)
        return " /\\ ".join(f"ground[{i}] = {number.get(place, 0)}" for i, place in places) if number else ""

    def fit_terrain(self, terrain):
        return self.terrain is None or terrain[self.terrain[0]] == self.terrain[1]

    def fit_markers(self, markers):
        return self.marker is None or markers[self.marker[0]] == self.marker[1]

    def fit(self, board):
        return self.fit_terrain(board.terrain) and self.fit_markers(board.markers)

    @cached_property
    def pattern(self):
        """A pattern of the board with a few open tiles, such that the lines allow some boards and not all."""
        chosen = {line[0] for line in (self.terrain, self.marker) if line is not None}
        for line, pools, pieces in (
            (self.terrain, self.layout.terrain_pools, self.board.terrain),
            (self.marker, self.layout.marker_pools, self.board.markers),
        ):
            if line is not None:
                tiles = next(pool.tiles for pool in pools if line[0] in pool.tiles)
                alike = {None, line[1], *self.layout.inland}
                chosen.update([t for t in tiles if pieces[t] not in alike][:1])
        n = self.layout.n_tiles
        chosen.update([t for t in range(n) if t not in chosen][: max(0, OPEN - len(chosen))])
        return self.board.pattern(keep=[t for t in range(n) if t not in chosen])


@cache
def demands(name):
    """Return lines that some boards of a layout satisfy, not all: desert on the first possible tile."""
    layout = cp.LAYOUTS[name]
    pools = [pool for pool in layout.terrain_pools if len(pool.pieces) > 1]
    terrain = None
    if pools:
        pool = next((pool for pool in pools if 0 in pool.tiles), pools[0])
        names = set(pool.pieces) - layout.inland
        terrain = pool.tiles[0], min(names, key=lambda name: (name != "desert", pool.pieces[name], name))
    first = Lines(layout, terrain, None, cp.Board(layout, ["desert"] * layout.n_tiles))
    board = cp.generate_board(cp.Rules(constraints=first.texts(named=True).values()), layout, seed=1)
    free = [
        tile
        for dealt in layout.marker_pools
        for tile in dealt.tiles
        if len(dealt.pieces) > 1 and board.markers[tile] is not None and tile != (terrain or (None,))[0]
    ]
    return Lines(layout, terrain, (free[0], board.markers[free[0]]) if free else None, board)


@cache
def few_boards(name):
    """Return every board that completes the pattern, by the shipped models."""
    lines = demands(name)
    rules = cp.Rules(pattern=lines.pattern, constraints=list(filter(None, [lines.grounds])))
    return list(cp.enumerate_boards(rules, lines.layout))


def divided(name):
    """Return the boards of the pattern that the lines allow, and the others: some of both."""
    lines, boards = demands(name), few_boards(name)
    allowed = [board for board in boards if lines.fit(board)]
    others = [board for board in boards if not lines.fit(board)]
    assert allowed and others
    return allowed, others


def custom_rules(lines, how, folder):
    if how == "constraint":
        return cp.Rules(constraints=lines.texts(named=True).values())
    copy = cp.copy_models(folder / "mine")
    for model, text in lines.texts(named=False).items():
        with (copy / f"{model}.mzn").open("a", encoding="utf-8") as file:
            file.write(f"constraint {text};\n")
    return cp.Rules(models=copy)


@pytest.fixture
def say(capsys):
    """Run a command in this process and return its lines. It must succeed."""

    def command(*words):
        code, output = status(words), capsys.readouterr()
        assert not code, output.err
        return output.out.splitlines()

    return command


def options(rules, layout):
    """Return these rules as a user writes them on the command line."""
    words = ["--rules", "open", "--layout", layout.name]
    words += ["--pattern", rules.pattern] if rules.pattern else []
    return words + [word for constraint in rules.constraints for word in ("--constraint", constraint.text)]


def by_command_line(lines, rules, say):
    boards, (allowed, others) = few_boards(lines.layout.name), divided(lines.layout.name)
    board, arguments = allowed[0], options(rules.replace(pattern=lines.pattern), lines.layout)
    terrains = {candidate.terrain for candidate in boards if lines.fit_terrain(candidate.terrain)}
    alike = [candidate for candidate in boards if candidate.terrain == board.terrain]
    numbered = [cp.Board(lines.layout, b.terrain, b.markers) for b in alike if lines.fit_markers(b.markers)]
    on = cp.Board(lines.layout, board.terrain).notation()
    for kind, more, answer in (
        ("boards", (), allowed),
        ("terrain", (), [cp.Board(lines.layout, terrain) for terrain in terrains]),
        ("markers", ("--on", on), numbered),
    ):
        notations = {candidate.notation() for candidate in answer}
        assert sorted(say("enumerate", kind, *arguments, *more)) == sorted(notations)
    assert say("count", "boards", *arguments) == [f"{len(allowed):,}"]
    for output in (
        say("generate", *arguments, "--seed", 1, "-f", "notation"),
        say("best", *arguments, "--minimize", "reds_touching", "-f", "notation"),
        say("repair", others[0].notation(), *arguments),
    ):
        assert lines.fit(cp.Board.from_notation(output[-1]))
    assert say("check", board.notation(), *arguments) == ["the board keeps the rules 'open'"]


def obeyed_or_rejected(make, lines, rules):
    """Exact counts state some constraints. Of edited models, they name the function that lists boards."""
    try:
        boards = make()
    except cp.CatanError as error:
        assert "enumerate_" in str(error)
        return
    assert not rules.models and all(map(lines.fit, boards))


def by_library(lines, rules, folder):
    layout, boards, (allowed, others) = (
        lines.layout,
        few_boards(lines.layout.name),
        divided(lines.layout.name),
    )
    board, narrowed = allowed[0], rules.replace(pattern=lines.pattern)
    for make in (
        lambda: list(cp.sample_boards(2, rules, layout, seed=1)),
        lambda: [cp.unrank_board(0, rules, layout)],
        lambda: [cp.generate_board(rules, layout, seed=1, method="uniform")],
        lambda: [cp.unrank_board(cp.rank_board(board, rules), rules, layout)],
    ):
        obeyed_or_rejected(make, lines, rules)
    assert not (rules.models and lines.terrain and cp.is_countable(rules, layout))
    terrains = {candidate.terrain for candidate in boards if lines.fit_terrain(candidate.terrain)}
    alike = {candidate.markers for candidate in boards if candidate.terrain == board.terrain}
    assert {*cp.enumerate_terrains(narrowed, layout)} == terrains
    assert cp.count_markers(board, narrowed) == sum(map(lines.fit_markers, alike))
    assert cp.count_boards(narrowed, layout) == len(allowed)
    best = cp.best_board(narrowed, layout, maximize="marker[1]")
    assert best.board in allowed
    assert best.proven
    assert cp.repair_board(others[0], narrowed).board in allowed
    assert rules.check(board) == []
    assert {broken.rule for broken in rules.check(others[0])} == {"models" if rules.models else "constraints"}
    assert all(map(lines.fit, cp.generate_boards(2, rules, layout, seed=1)))
    path = folder / "study.db"
    cp.run_study(cp.Study(1, rules, layout, seed=1), path, progress=False)
    with cp.Store(path, models=rules.models) as store:
        assert lines.fit(store.board(1))


def no_board_left(layout, how, folder):
    """Break the one board of a layout that prints all: no board is left."""
    (board,) = cp.enumerate_boards("open", layout)
    other = next(name for name in layout.terrain_counts if name != board.terrain[0])
    rules = custom_rules(Lines(layout, (0, other), None, board), how, folder)
    assert list(cp.enumerate_terrains(rules, layout)) == list(cp.enumerate_boards(rules, layout)) == []
    assert cp.count_terrains(rules, layout) == cp.count_boards(rules, layout) == 0
    for make in (
        lambda: cp.generate_board(rules, layout, seed=1),
        lambda: cp.best_board(rules, layout, minimize="reds_touching"),
        lambda: cp.repair_board(board, rules),
        lambda: cp.run_study(cp.Study(1, rules, layout, seed=1), folder / "study.db", progress=False),
    ):
        with pytest.raises(cp.Infeasible):
            make()
    assert {broken.rule for broken in rules.check(board)} == {"models" if rules.models else "constraints"}


def test_commands_obey_custom_lines(tmp_path, say):
    """On a small layout with a terrain that it defines."""
    lines = demands("explorers-pirates")
    by_command_line(lines, custom_rules(lines, "constraint", tmp_path), say)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["models", "constraint"])
@pytest.mark.parametrize("name", cp.LAYOUTS)
def test_custom_lines_on_every_layout(name, how, tmp_path):
    layout = cp.LAYOUTS[name]
    if not layout.terrain_pools and not layout.marker_pools:
        no_board_left(layout, how, tmp_path)
        return
    lines = demands(name)
    by_library(lines, custom_rules(lines, how, tmp_path), tmp_path)
