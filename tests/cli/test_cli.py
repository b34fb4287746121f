"""The command line as its users see it: boards, pictures and messages of single commands."""

import json
import pickle
import re
import sys
import time
from dataclasses import asdict, replace
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import catan_cp
from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Layout,
    Placement,
    Rules,
    SolverFailed,
    best_moves,
    generate_board,
    make_puzzle,
    solve_placement,
    win_chances,
)
from catan_cp.placement import compare_rivalry, rivalry_table
from tests.command_line import run as run_process
from tests.formats.files import DRAFT, FILES

BEGINNER = LAYOUTS["base"].beginner_board
LARGE = LAYOUTS["base-5-6"].beginner_board
POST = "dlw/bgol/owbwg/lgob/wlg"
NEARLY = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"


def boards(out):
    return [Board.from_notation(line) for line in out.splitlines()]


def test_seed_repeats_allowed_boards(run):
    words = ("generate", "-n", "3", "--rules", "tournament", "-f", "notation", "--seed")
    status, out, _ = first = run(*words, "4")
    assert (status, [Rules.preset("tournament").check(board) for board in boards(out)]) == (0, [[]] * 3)
    assert first == run(*words, "4") != run(*words, "5")


STEERING = "\x1b[2J\x1b]0;mine\x07\x9b31m\u202e\u2028\r"
SHOWN = r"\x1b[2J\x1b]0;mine\x07\x9b31m\u202e\u2028"


def test_foreign_text_steers_no_terminal(run, tmp_path):
    """Rules, layouts, file names and a solver's last words, on both streams and in errors."""
    rules, layout = tmp_path / "r.toml", tmp_path / "mine.toml"
    remark, title = json.dumps(f"All is well{STEERING}"), json.dumps(f"Two{STEERING}end")
    rules.write_text(f'[[constraint]]\ntext = "terrain[1] = ORE"\nsays = {remark}')
    layout.write_text(f"title = {title}\nboard = '''\no6  w8\n'''")
    outputs = [
        run("rules", rules),
        run("layouts", layout),
        run("check", BEGINNER, "--rules", rules),
        run("rules", tmp_path / f"none{STEERING}.toml"),
        run("generate", "--solver", STEERING),
        run("generate", "--rules", STEERING),
    ]
    assert [status for status, _, _ in outputs] == [0, 0, 0, 1, 1, 1]
    assert all((out + err).replace("\n", "").isprintable() for _, out, err in outputs)
    assert all(SHOWN in out for _, out, _ in outputs[:2])
    failed = SolverFailed(f"chuffed: {STEERING}")
    assert str(failed) == f"chuffed: {SHOWN}\\r" == str(pickle.loads(pickle.dumps(failed)))


def test_text_has_staggered_rows(run):
    _, out, _ = run("generate", "--layout", "base", "--seed", "1", "-f", "text")
    rows, harbors, notation = out.rstrip("\n").split("\n\n")
    assert [len(row.split()) for row in rows.splitlines()] == [3, 4, 5, 4, 3]
    assert harbors.startswith("3:1 harbor on the north-west coast, vertices 4-5, beside tile 0 (")
    assert [len(harbors.splitlines()), Board.from_notation(notation).layout.name] == [9, "base"]
    _, numbered, _ = run("plot", notation, "--numbers", "-f", "text")
    numbers = re.findall(r"(?<!\S)\d+(?!\S)", numbered.partition("\n\n")[0])
    assert sorted(map(int, numbers)) == [*range(54)]


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [
        ("TERM=xterm", True),
        ("TERM=xterm NO_COLOR=1", False),
        ("TERM=dumb", False),
        ("TERM=dumb FORCE_COLOR=1", True),
        ("NO_COLOR=1 FORCE_COLOR=1", False),
    ],
)
def test_terminal_shows_coloured_boards(run, monkeypatch, variables, is_coloured):
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR", "WT_SESSION"):
        monkeypatch.delenv(name, raising=False)
    for variable in [*variables.split(), "COLUMNS=200"]:
        monkeypatch.setenv(*variable.split("="))
    assert run("plot", BEGINNER)[1] == f"{BEGINNER}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = run("plot", BEGINNER)[1]
    assert ("\x1b[31;1mb6\x1b[0m" in out) == ("\x1b[39md" in out) == ("\x1b" in out) == is_coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", out) == f"{Board.from_notation(BEGINNER)}\n\n{BEGINNER}\n\n"


def test_json_output_is_input(run):
    command = ("generate", "-n", "2", "--rules", "open", "--seed", "1")
    assert run(*command)[1] == run("plot", "-", stdin=run(*command, "-f", "json")[1])[1]


# Narrow terminals


@pytest.fixture
def screen(run, monkeypatch):
    """Run a command of which the output is a terminal of 80 columns. Return its lines."""

    def call(*words, columns=80):
        monkeypatch.setenv("COLUMNS", str(columns))
        for stream in (sys.stdout, sys.stderr):
            monkeypatch.setattr(stream, "isatty", lambda: True)
        _, out, err = run(*words)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", out + err).splitlines()

    return call


def test_layouts_fit_80_columns(screen):
    lines = screen("layouts", "new-shores-4", "base")
    row = next(i for i, line in enumerate(lines) if line.startswith("new-shores-4"))
    assert lines[row].split()[1:] == ["33", "33", "2", "9"]
    assert lines[row + 1] == "    Heading for New Shores 4-Player Set-up"
    assert max(map(len, lines)) <= 80


def test_harbors_of_report_indented_alike(screen):
    """Each harbor needs two lines. The first harbor has a label before it."""
    board = "l6w11o6/b3w5b5l4/l8g3g2l9o12/w10w9dg8/o4b11g10:printed"
    lines = screen("report", board, "--players", "2", columns=72)
    first = next(i for i, line in enumerate(lines) if line.startswith("harbors "))
    indents = [len(line) - len(line.lstrip()) for line in lines[first + 1 : first + 18]]
    assert indents == [15, *[13, 15] * 8]


@pytest.mark.parametrize("columns", [-1, 80])
def test_wide_numbers_fit_80_columns(columns, run, screen, tmp_path):
    """It becomes several tables with the same rows. A negative width is ignored."""
    words = ["study", "-n", "5", "--seed", "1", "--rules", "tournament", "--db", tmp_path / "boards.db"]
    printed = run(*words)[2]
    rows = printed[printed.index("  boards  ") :].partition("\n\n")[0].splitlines()
    table = [line.split() for line in rows]
    assert len(table[0]) == 9 and len(table) > 5
    lines = [line.split() for line in screen(*words, columns=columns) if len(line) <= 80]
    left, right = lines.index(table[0][:6]), lines.index(table[0][6:])
    assert [lines[left + k] + lines[right + k][-3:] for k in range(len(table))] == table


# Pictures


def test_save_refuses_to_overwrite(run, tmp_path):
    picture, link = tmp_path / "b.svg", tmp_path / "link.png"
    assert run("plot", BEGINNER, "--save", picture)[0] == 0
    before = picture.read_bytes()
    link.symlink_to(tmp_path / "nowhere.png")
    for path in (picture, link):
        status, out, err = run("plot", POST, "--save", path)
        assert (status, out, "exists" in err and "overwrite it with --force" in err) == (1, "", True)
    assert picture.read_bytes() == before and link.is_symlink()
    assert run("plot", POST, "--save", picture, "--force")[0] == 0
    assert picture.read_bytes() != before


def test_plot_numbers_boards_and_vertices(run, tmp_path):
    """Two boards plotted with and without the numbers of vertices. Both pictures number the boards.

    A title may be typed on a terminal that is not set to UTF-8.
    """
    sizes = []
    for words in (("--title", "\udcff"), ("--numbers",)):
        picture = tmp_path / f"{len(words)}.svg"
        assert run("plot", "-", *words, "--save", picture, stdin=f"{BEGINNER}\n{POST}\n")[0] == 0
        text = picture.read_text(encoding="utf-8")
        assert 'aria-label="1"' in text and 'aria-label="2"' in text
        sizes.append(text.count("vertex-numbers"))
    assert sizes == [0, 2]


def test_check_names_and_rings_violations(run, tmp_path):
    words, picture = ("check", BEGINNER, "--rules", "optimal"), tmp_path / "broken.svg"
    broken = Rules.preset("optimal").check(Board.from_notation(BEGINNER))
    status, out, err = run(*words, "--save", picture)
    assert (status, out) == (1, "".join(f"{breach}\n" for breach in broken))
    assert "apart: lumber on tile 2 touches brick on tile 6" in out
    assert err.splitlines()[1:] == [f"catan-cp: the board breaks the rules 'optimal' in {len(broken)} places"]
    groups = [group for group in ElementTree.parse(picture).getroot().iter() if group.get("class") == "rings"]
    vertices = {v for breach in broken for v in breach.vertices}
    tiles = {t for breach in broken if not breach.vertices for t in breach.tiles}
    rings = [path for group in groups for path in group.iter("{http://www.w3.org/2000/svg}path")]
    assert len(rings) == len(vertices) + len(tiles) > 0
    status, out, _ = run(*words, "-f", "json")
    assert (status, json.loads(out)) == (1, json.loads(json.dumps([asdict(breach) for breach in broken])))
    two_reds = NEARLY.replace("g4", "g8").replace("o8", "o4")
    status, out, err = run("check", two_reds, "--rules", "open", "--constraint", "terrain[1] = DESERT")
    assert (status, out.count("\n"), err.endswith("in 1 place\n")) == (1, 1, True)


def test_heat_map_of_next_player(run, tmp_path, monkeypatch):
    labels, save = [], catan_cp.save_picture
    monkeypatch.setattr(
        catan_cp,
        "save_picture",
        lambda *args, **options: labels.append(options["heat_label"]) or save(*args, **options),
    )
    words = ("--heat", "--save", tmp_path / "heat.svg", "--force")
    chance = "chance to win of player 1, who settles next, in per cent"
    for number, more, label in (
        (3, ("--placed", "1:42,2:24,3:1,3:31,2:15"), chance),
        (3, ("--placed", "1:42,2:24", "--objective", "pips"), "value of a vertex to its owner"),
        (3, ("--placed", "1:42,2:24,3:1,3:31,2:15,1:44"), "value of a vertex to its owner"),  # the end
        (2, (), "value of a vertex to its owner"),  # no games have measured two players
    ):
        assert run("place", BEGINNER, "-p", number, *words, *more)[0] == 0
        assert label in labels[-1]
    board = Board.from_notation(BEGINNER)
    near, far = (win_chances(board, [[42, vertex], [24, 15], [1, 31]]) for vertex in (44, 53))
    assert near[0] > far[0]


def test_boards_printed_on_pages(run, tmp_path):
    status, _, err = run("print", "-", "--save", tmp_path / "three.pdf", stdin=f"{BEGINNER}\n" * 3)
    assert status == 0, err
    assert (tmp_path / "three.pdf").read_bytes().count(b"/Type /Page ") == 3


def test_pictures_name_no_font_folder(tmp_path):
    """Matplotlib warns if it cannot write its own folder."""
    (tmp_path / "file").touch()
    picture, locked = tmp_path / "b.svg", {"MPLCONFIGDIR": str(tmp_path / "file")}
    result = run_process(["plot", BEGINNER, "--save", picture], tmp_path, environment=locked)
    assert (result.returncode, result.stderr) == (0, f"drawn: {picture}\n")


# Placement


def test_place_against_players_who_err(run):
    words = ("place", BEGINNER, "-p", "2", "--placed", "1:42", "--rationality", "perfect,1.5")
    output = json.loads(run(*words, "-f", "json")[1])
    board, placed = Board.from_notation(BEGINNER), [(1, 42)]
    placement = solve_placement(board, 2, None, [None, 1.5], placed=placed)
    assert (output["rationality"], output["expected"]) == ([None, 1.5], list(placement.expected))
    assert "players are boundedly rational; expected values: " in run(*words)[1]
    best = best_moves(board, placed, 1, 2, None, [None, 1.5])[0]
    line = run(*words, "--moves", "1")[1].splitlines()[-1]
    assert re.fullmatch(rf"1. player 2 on .* \({best.vertex}\): value {best.value:.6f}.*", line)


def test_settlements_and_moves_on_board(run, tmp_path):
    picture = tmp_path / "place.png"
    _, out, _ = run("place", BEGINNER, "--weights", "0.5,0.3,0.2", "--heat", "--save", picture)
    assert [out.count(f"[{player}]") for player in (1, 2, 3, 4)] == [2, 2, 2, 2]
    assert (out.count("player "), picture.is_file()) == (4, True)
    placed = json.loads(run("place", BEGINNER, "-f", "json")[1])
    assert [len(player["settlements"]) for player in placed["players"]] == [2, 2, 2, 2]
    picture = tmp_path / "moves.svg"
    words = ("place", BEGINNER, "--placed", "1:42,2:24", "--moves", "3")
    status, out, _ = run(*words, "--save", picture)
    assert (status, picture.read_bytes().endswith(b"</svg>\n")) == (0, True)
    assert [out.count(mark) for mark in ("[1]", "[2]", "#1", "#2", "#3")] == [1] * 5
    ranked = json.loads(run(*words, "-f", "json")[1])
    vertices = re.findall(r"^\d\. player 3 on .* \((\d+)\): chance ", out, re.MULTILINE)
    assert vertices == [str(move["vertex"]) for move in ranked]


def test_rivalry_compared_over_file(run, tmp_path):
    path = tmp_path / "boards.txt"
    path.write_text(f"{BEGINNER}\n{NEARLY}\n")
    words = ("place", path, "--players", "2", "--compare-rivalry", "-f", "json")
    status, out, _ = run(*words)
    seats = compare_rivalry(boards(path.read_text()), 2)
    expected = json.loads(json.dumps({"boards": 2, "seats": [*map(asdict, seats)]}))
    assert (status, json.loads(out)) == (0, expected)
    _, text, _ = run(*words[:-2], "--rationality", "1")
    assert text.startswith(f"{rivalry_table(seats)}\nagainst players of rationality 1, player 1 begins")
    assert json.loads(run(*words, "--rivalry", "2")[1])["seats"] != json.loads(out)["seats"]


# Errors, warnings and Ctrl-C


def test_caret_of_wrong_constraint(run):
    status, out, err = run("generate", "--constraint", "terrain[1] = DESSERT")
    output, line, caret = err.splitlines()
    assert (status, out, output.startswith("catan-cp: the constraint, line 1, column 14: ")) == (1, "", True)
    assert line[caret.index("^") :] == "DESSERT"


def test_debug_raises_failures(run):
    with pytest.raises(CatanError, match="moon"):
        run("generate", "--rules", "moon", "--debug")
    words = ("check", BEGINNER, "--rules", "optimal")
    assert run(*words, "--debug") == run(*words)


INTERRUPTED = "catan-cp: interrupted; no file is left half written, and the same command starts again\n"


class Finalized:
    """Python prints a traceback there and goes on.

    A person who pressed Ctrl-C wants neither.
    """

    def __del__(self):
        raise KeyboardInterrupt


class Field:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt


@pytest.mark.parametrize("stop", [Finalized, lambda: type("Made", (), {"field": Field()})])
def test_interrupt_in_finalizer_counts(run, stop, monkeypatch):
    def work(*_, **__):
        stop()
        time.sleep(5)
        pytest.fail("the work went on")

    monkeypatch.setattr("catan_cp.make_puzzle", work)
    assert run("puzzle", BEGINNER) == (1, "", INTERRUPTED)


def test_settlements_printed_before_explanation(run, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Placement, "explain", stopped)
    status, out, err = run("place", BEGINNER, "-p", "2", "--rivalry", "1")
    assert (status, err.endswith(INTERRUPTED)) == (1, True)  # after other remarks
    assert out.count("\nplayer ") == 2


def test_warning_is_one_line(tmp_path):
    words = ["place", LARGE, "-p", "5", "--moves", "1", "--layout", "base-5-6"]
    lines = run_process(words, tmp_path).stderr.splitlines()
    warning = "catan-cp: warning: the chances to win of 5 players are nearer to equal than those in games"
    assert lines.count(warning) == 1
    assert not any("UserWarning" in line for line in lines)


def test_report_names_assumed_players(run):
    for words, text in ((("--players", "2"), LARGE), ((), BEGINNER)):
        assert "the report is for" not in run("report", *words, stdin=text)[2]


def test_doctor_finds_models_missing(run, monkeypatch, tmp_path):
    monkeypatch.setattr("catan_cp.model_files._PACKAGE", tmp_path / "catan_cp")
    status, out, err = run("doctor")
    assert (status, "the models are missing" in out, "something is missing" in err) == (1, True, True)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "board.mzn").touch()
    status, out, _ = run("doctor")
    assert (status, "lacks best.mzn, grounds.mzn, harbors.mzn, joint.mzn" in out) == (1, True)


def test_generate_without_minizinc(run, monkeypatch, tmp_path):
    monkeypatch.delenv("CATAN_CP_MINIZINC", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    status, _, err = run("generate", "--seed", "1")
    assert status != 0 and err.endswith("or use --rules tournament, which needs no solver\n")
    assert run("generate", "--seed", "1", "--rules", "tournament", "-f", "notation")[0] == 0


# Lists, custom rules, the best board, repairs, puzzles, and files of other programs


def test_rules_in_toml_and_json(run, tmp_path):
    file, optimal = tmp_path / "mine.toml", Rules.preset("optimal")
    file.write_text(run("rules", "optimal", "--toml")[1], encoding="utf-8")
    assert Rules.from_toml(file) == optimal
    assert run("check", BEGINNER, "--rules", file)[0] == 1
    assert json.loads(run("rules", "optimal", "-f", "json")[1]) == {"optimal": optimal.to_mapping()}
    fields = re.findall(r"^(\w+): ", run("rules", "--fields")[1], re.MULTILINE)
    assert fields == [name for name in Rules.__dataclass_fields__ if name != "models"]


def test_markers_ranked_by_one_command(run):  # all 11,753: docs/counting.md
    words = ("enumerate", "markers", "--rules", "blog", "--on", POST, "--limit", "1700")
    status, out, err = run(*words, "--by", "weak_vertices, vertex_pips_spread", "--top", "3")
    lines = [line.split() for line in out.splitlines()]
    assert (status, err) == (0, "1,700 found, there may be more\n")
    assert lines[0] == ["board", "weak_vertices", "vertex_pips_spread", "notation"]
    assert [line[1] for line in lines[1:]] == ["0"] * 3
    assert not any(Rules.preset("blog").check(Board.from_notation(line[3])) for line in lines[1:])
    few = (*words[:-1], "30", "--by", "-weak_vertices")
    rows = json.loads(run(*few, "-f", "json")[1])
    assert len(rows) == 10 and rows[0]["weak_vertices"] >= rows[-1]["weak_vertices"] > 0
    assert run(*few, "-f", "notation")[1].split() == [row["notation"] for row in rows]


def test_several_even_boards_listed(run, monkeypatch):
    """One search per board, each with another seed. A search plays games for a minute."""

    def search_seats(rules, layout, *, seed, **_options):
        return SimpleNamespace(board=generate_board(rules, layout, seed=seed), verdict="even", wins=None)

    monkeypatch.setattr("catan_cp.analysis.seats.search_seats", search_seats)
    words = ("best", "--even", "--rules", "tournament", "--seed", "1", "-f", "notation")
    status, out, _ = run(*words, "--number", "3")
    assert status == 0 and len(set(out.split())) == 3
    assert run(*words)[1].split() == out.split()[:1]


@pytest.mark.solver
def test_edited_model_obeyed(run, tmp_path):
    folder = tmp_path / "mine"
    assert run("models", folder)[0] == 0
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write("constraint terrain[1] = DESERT;\n")
    words = ("--models", folder, "--rules", "blog")
    _, out, _ = run("enumerate", "terrain", *words)
    assert {board.terrain[0] for board in boards(out)} == {"desert"}
    assert run("count", "terrain", *words)[1] == f"{len(boards(out))}\n"
    assert boards(run("generate", *words, "-f", "notation")[1])[0].terrain[0] == "desert"
    status, _, err = run("models", folder)
    assert (status, "name another folder" in err) == (1, True)


@pytest.mark.solver
def test_puzzle_has_one_board(run, tmp_path):
    tiny = Layout("tiny", (1, 2), {"desert": 1, "brick": 1, "ore": 1}, {6: 1, 8: 1})
    path = tmp_path / "tiny.toml"
    path.write_text(tiny.to_toml(), encoding="utf-8")
    words = ("--layout", path, "--rules", "open", "--constraint", "terrain[1] = DESERT")
    board = Board.from_notation("d/b6o8", tiny)
    pattern = make_puzzle(board, Rules(constraints=["terrain[1] = DESERT"]))
    assert run("puzzle", board.notation(), *words) == (0, f"{pattern}\n", "")
    assert "d" not in pattern


def test_game_of_another_program_is_board(run, tmp_path):
    text = run("generate", "--seed", "1", "--rules", "tournament", "--format", "notation")[1].strip()
    log = run("export", "board", "--on", text, "--format", "catanlog")[1]
    opening = "red buys settlement, builds at (1 NW)\nred buys road, builds at (1 W)\n"
    game = tmp_path / "game.catan"
    game.write_text(log + opening)
    for words in (("import", game), ("export", "board", "--on", game, "--format", "catanlog")):
        assert run(*words)[1].strip() in (text, log.strip())
    assert json.loads(run("import", game, "--format", "json")[1]) == {
        "board": text,
        "seats": ["red", "blue", "orange", "white"],
        "draft": "1:4-3",
    }
    assert "player 1 is red" in run("import", game)[2]
    assert run("check", game, "--rules", "tournament")[0] == 0
    assert "layout must be 'base'" in run("check", game, "--layout", "mini")[2]
    assert run("import", "-", stdin=f"\ufeff{log}")[1].strip() == text


def test_opening_reviewed_and_drawn(run, tmp_path):
    game, picture = tmp_path / "game.json", tmp_path / "review.svg"
    game.write_text(FILES["colonist.io"](DRAFT))
    status, out, _ = run("review", game, "--save", picture)
    assert (status, out.endswith(f"{catan_cp.review_opening(DRAFT)}\n")) == (0, True)
    assert 'class="ghosts"' in picture.read_text()
    game.write_text(FILES["colonist.io"](replace(DRAFT, settlements=(), roads=())))
    assert "has no opening, only a board" in run("review", game)[2]


def test_fault_of_package_is_no_message(run, monkeypatch):
    def fail(*_args, **_options):
        raise RuntimeError("a fault")

    monkeypatch.setattr("catan_cp.efficiency", fail)
    with pytest.raises(RuntimeError, match="a fault"):
        run("entropy", "score", BEGINNER)
