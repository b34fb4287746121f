"""Own rules, the best board, repairs, puzzles and exports from the command line."""

import subprocess

import pytest

from catan_cp import Board, Layout, Rules, enumerate_boards
from catan_cp.cli import main
from catan_cp.solving.find import find_solver

pytestmark = pytest.mark.solver

TINY = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})
ORE_FIRST = ("--constraint", "terrain[1] = ORE")
NEARLY = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"


@pytest.fixture
def run(capsys):
    """Run the command line in this process: status, standard output, standard error."""

    def call(*words):
        with pytest.raises(SystemExit) as left:
            main(list(words))
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return call


def boards(out):
    return [Board.from_notation(line) for line in out.splitlines()]


def test_patterns_and_constraints_bind_what_is_made(run):
    words = ("--rules", "tournament", "--pattern", "xxx/xxxx/xxdxx/xxxx/xx12x", *ORE_FIRST)
    status, out, _ = run("generate", "-n", "2", "--seed", "1", *words, "-f", "notation")
    assert status == 0
    for board in boards(out):
        assert (board.terrain[0], board.terrain[9], board.markers[17]) == ("ore", "desert", 12)
    _, out, _ = run("enumerate", "terrain", *words, "--limit", "4")
    assert {(board.terrain[0], board.terrain[9]) for board in boards(out)} == {("ore", "desert")}
    status, out, err = run("check", NEARLY, "--rules", "open", "--constraint", "terrain[1] != ORE")
    assert (status, out) == (1, "constraints: the board breaks 'terrain[1] != ORE'\n"), err


def test_an_edited_model_is_obeyed(run, tmp_path):
    folder = tmp_path / "mine"
    assert run("models", str(folder))[0] == 0
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint terrain[1] = DESERT;\n")
    words = ("--models", str(folder), "--rules", "blog")
    _, out, _ = run("enumerate", "terrain", *words)
    assert {board.terrain[0] for board in boards(out)} == {"desert"}
    assert run("count", "terrain", *words)[1] == f"{len(boards(out))}\n"
    assert run("count", "terrain", "--rules", "blog")[1] == "96\n"
    assert boards(run("generate", *words, "-f", "notation")[1])[0].terrain[0] == "desert"
    status, _, err = run("models", str(folder))
    assert (status, "name another folder" in err) == (1, True)


def test_the_best_board_is_proven(run):
    status, out, err = run("best", "--rules", "open", "--minimize", "largest_vertex_sum", "-f", "notation")
    assert (status, len(boards(out))) == (0, 1)
    assert "value 21: proven" in err
    assert "reds_touching: the pairs of red tiles" in run("best", "--measures")[1]
    status, _, err = run("best", "--minimize", "largest_vertex_sun")
    assert (status, "did you mean 'largest_vertex_sum'" in err) == (1, True)


def test_a_board_is_repaired(run):
    status, out, err = run("repair", NEARLY, "--rules", "tournament")
    (near,) = boards(out)
    assert status == 0
    assert [v for v in Rules.preset("tournament").check(near) if v.rule != "harbors"] == []
    given = Board.from_notation(NEARLY)
    tiles = zip(given.terrain, given.markers, near.terrain, near.markers, strict=True)
    differ = sum((name, marker) != (other, number) for name, marker, other, number in tiles)
    assert f"{differ} tiles differ: proven" in err


def test_a_puzzle_has_one_board(run, tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.to_toml(), encoding="utf-8")
    board = "do2/b8b8o12"
    words = ("--layout", str(path), "--rules", "open", "--constraint", "terrain[1] = DESERT")
    status, out, err = run("puzzle", board, *words)
    assert status == 0, err
    rules = Rules(pattern=out.strip(), constraints=["terrain[1] = DESERT"])
    with enumerate_boards(rules, TINY) as found:
        assert [one.terrain + one.markers for one in found] == [
            ("desert", "ore", "brick", "brick", "ore", None, 2, 8, 8, 12)
        ]
    assert "d" not in out


def test_an_export_runs(run, tmp_path):
    status, out, _ = run("export", "terrain", "--rules", "blog")
    assert status == 0
    path = tmp_path / "blog.mzn"
    path.write_text(out, encoding="utf-8")
    solver = find_solver("auto")
    command = [solver.minizinc.executable, *solver.choice, "-a", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.count("----------") == 96
    status, _, err = run("export", "markers")
    assert (status, "stand on a terrain" in err) == (1, True)
