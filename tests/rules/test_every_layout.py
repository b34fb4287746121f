"""Two custom lines, in a copy of the models or as constraints, on every layout.

One is about terrain, one about number tokens. Every function of the library and every command obeys them,
or states that it cannot. Lists and counts are compared with a few boards on which the shipped models alone
decide. A pattern fixes most tiles, so that all boards can be examined.
"""

import signal
import subprocess
from dataclasses import dataclass
from functools import cache

import pytest

import catan_cp as cp
from catan_cp.cli import main
from catan_cp.solving.find import find_solver

pytestmark = pytest.mark.solver

OPEN = 4
"""The number of open tiles, including those of the two lines."""


@dataclass(frozen=True)
class Lines:
    """Custom conditions: a terrain on one tile and a marker on another.

    None if the layout fixes it.
    """

    layout: cp.Layout
    terrain: tuple[int, str] | None
    marker: tuple[int, int] | None
    board: cp.Board

    def texts(self, named):
        """The lines, each with the model that it is added to. Terrains by name or by code."""
        results = {}
        if self.terrain is not None:
            tile, name = self.terrain
            word = name.upper().replace("-", "_") if named else self.layout.terrain_codes[name]
            results["board"] = f"terrain[{tile + 1}] = {word}"
        if self.marker is not None:
            results["markers"] = f"marker[{self.marker[0] + 1}] = {self.marker[1]}"
        if grounds := self.grounds():
            results["grounds"] = grounds
        return results

    def grounds(self):
        """A line that places the fishing grounds of the board, if it has any.

        Otherwise there are too many boards.
        """
        number = (
            {ground.vertices: ground.marker for ground in self.board.fishing_grounds} if self.board else {}
        )
        places = enumerate(self.layout.ground_places, start=1)
        return " /\\ ".join(f"ground[{i}] = {number.get(place, 0)}" for i, place in places) if number else ""

    def on_land(self, terrain):
        return self.terrain is None or terrain[self.terrain[0]] == self.terrain[1]

    def on_tokens(self, markers):
        return self.marker is None or markers[self.marker[0]] == self.marker[1]

    def kept_by(self, board):
        return self.on_land(board.terrain) and self.on_tokens(board.markers)


@cache
def demands(name):
    """Lines that some boards of a layout keep and others break: desert on the first possible tile."""
    layout = cp.LAYOUTS[name]
    pools = [pool for pool in layout.terrain_pools if len(pool.pieces) > 1]
    pool = next((pool for pool in pools if 0 in pool.tiles), pools[0]) if pools else None
    terrain = None
    if pool is not None:
        rarest = min(
            set(pool.pieces) - layout.inland,
            key=lambda tiles_: (tiles_ != "desert", pool.pieces[tiles_], tiles_),
        )
        terrain = pool.tiles[0], rarest
    rules = cp.Rules(constraints=Lines(layout, terrain, None, None).texts(named=True).values())
    board = cp.generate_board(rules, layout, seed=1)
    free = [
        tile
        for dealt in layout.marker_pools
        for tile in dealt.tiles
        if len(dealt.pieces) > 1 and board.markers[tile] is not None and tile != (terrain or (None,))[0]
    ]
    return Lines(layout, terrain, (free[0], board.markers[free[0]]) if free else None, board)


def nearly(lines):
    """A pattern of the board that leaves a few tiles open, those of the lines among them."""
    board, layout = lines.board, lines.layout
    opened = {line[0] for line in (lines.terrain, lines.marker) if line is not None}
    if lines.terrain is not None:
        pool = next(pool for pool in layout.terrain_pools if lines.terrain[0] in pool.tiles)
        opened.update(
            [t for t in pool.tiles if board.terrain[t] not in (*layout.inland, lines.terrain[1])][:1]
        )
    if lines.marker is not None:
        pool = next(pool for pool in layout.marker_pools if lines.marker[0] in pool.tiles)
        opened.update([t for t in pool.tiles if board.markers[t] not in (None, lines.marker[1])][:1])
    more = (t for t in range(layout.n_tiles) if t not in opened)
    while len(opened) < OPEN:
        opened.add(next(more))
    return board.pattern(keep=[t for t in range(layout.n_tiles) if t not in opened])


@cache
def few_boards(name):
    """Every board that completes the pattern, by the shipped models."""
    lines = demands(name)
    rules = cp.Rules(pattern=nearly(lines), constraints=list(filter(None, [lines.grounds()])))
    with cp.enumerate_boards(rules, cp.LAYOUTS[name]) as solutions:
        return list(solutions)


def kept(name, lines):
    """Those of the few boards that keep the lines: some, and not all."""
    all_boards = few_boards(name)
    allowed = [board for board in all_boards if lines.kept_by(board)]
    assert 0 < len(allowed) < len(all_boards)
    return allowed


def own_rules(lines, how, folder):
    if how == "constraint":
        return cp.Rules(constraints=lines.texts(named=True).values())
    copy = cp.copy_models(folder / "mine")
    for model, text in lines.texts(named=False).items():
        with (copy / f"{model}.mzn").open("a", encoding="utf-8") as file:
            file.write(f"constraint {text};\n")
    return cp.Rules(models=copy)


@pytest.fixture
def say(capsys):
    """Run a command here and return its lines. It must succeed."""

    def command(*words):
        with pytest.raises(SystemExit) as error:
            main([str(word) for word in words])
        output = capsys.readouterr()
        assert not error.value.code, output.err
        return output.out.splitlines()

    return command


def all_of(make):
    """Return all solutions of an instance.

    If MiniZinc aborts, a line is added, as exported models advise.
    """
    from minizinc import MiniZincError

    for unused in range(5):
        instance = make()
        instance.add_string("".join(f"int: unused{i} = 1;\n" for i in range(unused)))
        try:
            return instance.solve(all_solutions=True).solution
        except MiniZincError as error:
            if "type_specialise.cpp" not in str(error):
                raise
    raise AssertionError("MiniZinc aborts whatever is added")


def options(rules, layout):
    """Return these rules as a user writes them on the command line."""
    words = ["--rules", "open", "--layout", layout.name]
    words += ["--pattern", rules.pattern] if rules.pattern else []
    words += [word for constraint in rules.constraints for word in ("--constraint", constraint.text)]
    return [*words, *(["--models", rules.models] if rules.models else [])]


def by_command_line(name, lines, rules, folder, say):
    """The same from the command line."""
    all_boards, expected = few_boards(name), kept(name, lines)
    board = expected[0]
    arguments = options(rules.replace(pattern=nearly(lines)), lines.layout)
    bare = [
        cp.Board(lines.layout, t) for t in {candidate.terrain for candidate in all_boards} if lines.on_land(t)
    ]
    on = cp.Board(board.layout, board.terrain).notation()
    alike = [candidate for candidate in all_boards if candidate.terrain == board.terrain]
    tokens = [cp.Board(lines.layout, e.terrain, e.markers) for e in alike if lines.on_tokens(e.markers)]
    for kind, more, answer in (
        ("boards", (), expected),
        ("terrain", (), bare),
        ("markers", ("--on", on), tokens),
    ):
        notations = {candidate.notation() for candidate in answer}
        assert sorted(say("enumerate", kind, *arguments, *more)) == sorted(notations)
        assert say("count", kind, *arguments, *more) == [f"{len(notations):,}"]
    for output in (
        say("generate", *arguments, "--seed", 1, "-f", "notation"),
        say("best", *arguments, "--minimize", "reds_touching", "-f", "notation"),
        say(
            "repair",
            next(candidate for candidate in all_boards if candidate not in expected).notation(),
            *arguments,
        ),
    ):
        assert lines.kept_by(cp.Board.from_notation(output[-1]))
    assert say("check", board.notation(), *arguments) == ["the board keeps the rules 'open'"]
    exported = "\n".join(say("export", "joint", *arguments))
    assert solved_by_minizinc(exported, folder).count("----------") == len(expected)


def solved_by_minizinc(text, folder):
    """Return the output of MiniZinc for a text.

    If MiniZinc aborts, a line is added, as the text itself advises.
    """
    path, solver = folder / "exported.mzn", find_solver("auto")
    for unused in range(5):
        path.write_text("\n".join([text, *(f"int: unused{i} = 1;" for i in range(unused))]), encoding="utf-8")
        command = [solver.minizinc.executable, *solver.choice, "-a", path]
        result = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if result.returncode != -signal.SIGABRT or "type_specialise.cpp" not in result.stderr:
            break
    assert result.returncode == 0, result.stderr
    return result.stdout


def made(rules, lines, folder):
    """Functions that make boards with all tiles open."""
    layout = lines.layout
    for board in cp.generate_boards(2, rules, layout, seed=1):
        assert lines.kept_by(board)
    path = folder / "study.db"
    cp.run_study(cp.Study(1, rules, layout, seed=1), path, progress=False)
    with cp.Store(path) as store:
        assert lines.kept_by(store.board(1))


def refused(rules, lines, board):
    """Functions that support only the shipped models say so."""
    assert cp.is_countable(rules, lines.layout) == (lines.terrain is None)
    for numbered in (
        lambda: cp.sample_boards(1, rules, lines.layout, seed=1),
        lambda: cp.unrank_board(0, rules, lines.layout),
        lambda: cp.rank_board(board, rules),
        lambda: cp.generate_board(rules, lines.layout, seed=1, method="uniform"),
        *([lambda: cp.sample_terrains(1, rules, lines.layout, seed=1)] if lines.terrain else []),
    ):
        with pytest.raises(cp.CatanError, match="enumerate_"):
            numbered()


def by_library(name, lines, rules, folder):
    all_boards, expected = few_boards(name), kept(name, lines)
    board = expected[0]
    refused(rules, lines, board)
    narrowed = rules.replace(pattern=nearly(lines))
    land = {candidate.terrain for candidate in all_boards if lines.on_land(candidate.terrain)}
    tokens = {e.markers for e in all_boards if e.terrain == board.terrain and lines.on_tokens(e.markers)}
    assert len(all_of(lambda: cp.terrain_instance(narrowed, lines.layout))) == len(land)
    assert len(all_of(lambda: cp.marker_instance(board, narrowed))) == len(tokens)
    best = cp.best_board(narrowed, lines.layout, maximize="marker[1]")
    assert best.board in expected
    assert best.proven
    forbidden = next(candidate for candidate in all_boards if candidate not in expected)
    assert cp.repair_board(forbidden, narrowed).board in expected
    assert rules.check(board) == []
    assert {broken.rule for broken in rules.check(forbidden)} == {"models" if rules.models else "constraints"}
    made(rules, lines, folder)


def no_board_left(layout, how, folder, say):
    """Of a layout whose one board is printed, a line that this board breaks leaves none."""
    (board,) = few_boards(layout.name)
    not_there = next(name for name in layout.terrain_counts if name != board.terrain[0])
    lines = Lines(layout, (0, not_there), None, board)
    rules = own_rules(lines, how, folder)
    for function in (cp.enumerate_terrains, cp.enumerate_boards):
        with function(rules, layout) as solutions:
            assert list(solutions) == []
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
    words = options(rules, layout)
    assert say("count", "boards", *words) == say("count", "terrain", *words) == ["0"]
    assert say("enumerate", "boards", *words) == []


@pytest.mark.parametrize("how", [pytest.param("models", marks=pytest.mark.slow), "constraint"])
def test_lines_of_ones_own_obeyed(how, tmp_path, say):
    """On a small layout with a terrain that it defines.

    The other half of each is among the slow tests.
    """
    name = "explorers-pirates"
    lines = demands(name)
    rules = own_rules(lines, how, tmp_path)
    if how == "models":
        by_library(name, lines, rules, tmp_path)
    else:
        by_command_line(name, lines, rules, tmp_path, say)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["models", "constraint"])
@pytest.mark.parametrize("name", cp.LAYOUTS)
def test_custom_lines_on_every_layout(name, how, tmp_path, say):
    layout = cp.LAYOUTS[name]
    if not layout.terrain_pools and not layout.marker_pools:
        no_board_left(layout, how, tmp_path, say)
        return
    lines = demands(name)
    rules = own_rules(lines, how, tmp_path)
    by_library(name, lines, rules, tmp_path)
    by_command_line(name, lines, rules, tmp_path, say)
