"""The command line as its users see it: its output, its streams and its status."""

import json
import os
import pickle
import re
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import catan_cp
from catan_cp import (
    LAYOUTS,
    Board,
    Layout,
    Rules,
    SolverFailed,
    best_moves,
    generate_board,
    make_puzzle,
    repair_board,
    solve_placement,
    win_chances,
)
from catan_cp.boards.vertex_text import vertex_name
from catan_cp.cli.running import INTERRUPTED
from catan_cp.placement import compare_rivalry, rivalry_table
from catan_cp.search.instances import export_model
from tests.formats.files import DRAFT, FILES

BEGINNER = LAYOUTS["base"].beginner_board
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


def test_nothing_from_stranger_steers_terminal(run, tmp_path):
    """Rules, layouts, file names and a solver's last words, on both streams and in errors."""
    rules, layout = tmp_path / "r.toml", tmp_path / "mine.toml"
    remark, title = json.dumps(f"All is well{STEERING}"), json.dumps(f"Two{STEERING}end")
    rules.write_text(f'[[constraint]]\ntext = "terrain[1] = ORE"\nsays = {remark}')
    layout.write_text(f"title = {title}\nboard = '''\no6  w8\n'''")
    outputs = [
        run("rules", str(rules)),
        run("layouts", str(layout)),
        run("check", BEGINNER, "--rules", str(rules)),
        run("rules", str(tmp_path / f"none{STEERING}.toml")),
        run("generate", "--solver", STEERING),
        run("generate", "--rules", STEERING),
    ]
    assert [status for status, _, _ in outputs] == [0, 0, 0, 1, 1, 1]
    for _, out, err in outputs:
        assert (out + err).replace("\n", "").isprintable()
    for _, out, _ in outputs[:2]:
        assert SHOWN in out
    failed = SolverFailed(f"chuffed: {STEERING}")
    assert str(failed) == f"chuffed: {SHOWN}\\r" == str(pickle.loads(pickle.dumps(failed)))


def test_text_staggered_rows(run):
    _, out, _ = run("generate", "--layout", "base", "--seed", "1", "-f", "text")
    rows, harbors, notation = out.rstrip("\n").split("\n\n")
    assert [len(row.split()) for row in rows.splitlines()] == [3, 4, 5, 4, 3]
    assert harbors.startswith("3:1 harbor on the north-west coast, vertices 4-5, beside tile 0 (")
    assert [len(harbors.splitlines()), Board.from_notation(notation).layout.name] == [9, "base"]
    _, numbered, _ = run("plot", notation, "--numbers", "-f", "text")
    numbers = re.findall(r"(?<!\S)\d+(?!\S)", numbered.partition("\n\n")[0])
    assert sorted(map(int, numbers)) == [*range(54)]


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_boards_coloured_text_in_terminal(run, monkeypatch, environment, is_coloured):
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR", "WT_SESSION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**environment, "COLUMNS": "200"}.items():
        monkeypatch.setenv(name, value)
    assert run("plot", BEGINNER)[1] == f"{BEGINNER}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = run("plot", BEGINNER)[1]
    assert ("\x1b[31;1mb6\x1b[0m" in out) == ("\x1b[39md" in out) == ("\x1b" in out) == is_coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", out) == f"{Board.from_notation(BEGINNER)}\n\n{BEGINNER}\n\n"


def test_boards_read_from_files(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("generate", "-n", "2", "--rules", "open", "--seed", "1")
    assert run(*command)[1] == run("plot", "-", stdin=run(*command, "-f", "json")[1])[1]
    word = BEGINNER.replace("/", "")
    Path("board.txt").write_text(f"\n{BEGINNER.upper()}\n")
    Path("two.txt").write_text(f"{BEGINNER}\n{POST}\n")
    Path(word).write_text(POST)
    assert run("plot", "board.txt")[1] == run("plot", BEGINNER)[1] == f"{BEGINNER}\n"
    assert run("plot", "two.txt")[1] == f"{BEGINNER}\n{POST}\n"
    assert run("plot", f"./{word}")[1] == f"{POST}\n"
    assert run("enumerate", "markers", "--rules", "blog", "--on", f"./{word}", "--limit", "1")[0] == 0
    for words, problem in {
        ("check", "two.txt"): "'two.txt' has several boards",
        ("check", word): f"'{word}' is a notation and the name of a file; write './{word}' for the file",
        ("check", "none.txt"): "there is also no file 'none.txt'",
        ("check", "."): "cannot read the file of boards '.'",
        ("check", "-"): "line 2 of standard input: rows of 3 tiles",
    }.items():
        status, out, err = run(*words, stdin=f"\no10w2l9\n{BEGINNER}\n")
        assert (status, out, problem in err) == (1, "", True), err
    assert "more than 10,000,000 characters" in run("check", "-", stdin="\n" * 10_000_001)[2]


def test_save_refuses_to_overwrite(run, tmp_path):
    picture = tmp_path / "b.svg"
    assert run("plot", BEGINNER, "--save", str(picture))[0] == 0
    before = picture.read_bytes()
    status, out, err = run("plot", POST, "--save", str(picture))
    assert (status, out) == (1, "")
    assert "exists" in err and "overwrite it with --force" in err
    assert picture.read_bytes() == before
    assert run("plot", POST, "--save", str(picture), "--force")[0] == 0
    assert picture.read_bytes() != before
    link = tmp_path / "link.png"
    link.symlink_to(tmp_path / "nowhere.png")
    status, _, err = run("plot", BEGINNER, "--save", str(link))
    assert (status, "exists" in err, link.is_symlink()) == (1, True, True)


def test_plot_numbers_boards_and_vertices(run, tmp_path):
    """Two boards plotted with and without the numbers of vertices. Both pictures number the boards.

    A title may be typed on a terminal that is not set to UTF-8.
    """
    sizes = []
    for words in (("--title", "\udcff"), ("--numbers",)):
        picture = tmp_path / f"{len(words)}.svg"
        assert run("plot", "-", *words, "--save", str(picture), stdin=f"{BEGINNER}\n{POST}\n")[0] == 0
        text = picture.read_text(encoding="utf-8")
        assert 'aria-label="1"' in text
        assert 'aria-label="2"' in text
        sizes.append(text.count("vertex-numbers"))
    assert sizes == [0, 2]


def test_check_names_and_rings_violations(run, tmp_path):
    words, picture = ("check", BEGINNER, "--rules"), tmp_path / "broken.svg"
    broken = Rules.preset("optimal").check(Board.from_notation(BEGINNER))
    status, out, err = run(*words, "optimal", "--save", picture)
    assert (status, out) == (1, "".join(f"{breach}\n" for breach in broken))
    assert "apart: lumber on tile 2 touches brick on tile 6" in out
    assert err.splitlines()[1:] == [f"catan-cp: the board breaks the rules 'optimal' in {len(broken)} places"]
    groups = [group for group in ElementTree.parse(picture).getroot().iter() if group.get("class") == "rings"]
    vertices = {v for breach in broken for v in breach.vertices}
    tiles = {t for breach in broken if not breach.vertices for t in breach.tiles}
    rings = [path for group in groups for path in group.iter("{http://www.w3.org/2000/svg}path")]
    assert len(rings) == len(vertices) + len(tiles) > 0
    status, out, _ = run(*words, "optimal", "-f", "json")
    assert (status, json.loads(out)) == (1, json.loads(json.dumps([asdict(breach) for breach in broken])))
    assert run(*words, "tournament") == (0, "the board keeps the rules 'tournament'\n", "")
    assert run(*words, "tournament", "-f", "json") == (0, "[]\n", "")
    two_reds = NEARLY.replace("g4", "g8").replace("o8", "o4")
    status, out, err = run("check", two_reds, "--rules", "open", "--constraint", "terrain[1] = DESERT")
    assert (status, out.count("\n")) == (1, 1)
    assert err.endswith("in 1 place\n")


def test_rules_in_english_toml_and_json(run, tmp_path):
    _, out, _ = run("rules")
    assert all(name in out for name in ("blog", "optimal", "tournament", "official", "open"))
    file, optimal = tmp_path / "mine.toml", Rules.preset("optimal")
    file.write_text(run("rules", "optimal", "--toml")[1], encoding="utf-8")
    assert Rules.from_toml(file) == optimal
    assert run("check", BEGINNER, "--rules", str(file))[0] == 1
    assert json.loads(run("rules", "optimal", "-f", "json")[1]) == {"optimal": optimal.to_mapping()}
    output = run("rules", "--fields")[1]
    assert re.findall(r"^(\w+): ", output, re.MULTILINE) == [
        name for name in Rules.__dataclass_fields__ if name != "models"
    ]
    assert 'symmetry: "all", "corners", "distinct"\n' in output


def test_all_kinds_enumerated_and_counted(run):
    rules = ("--rules", "blog")
    status, out, err = run("enumerate", "terrain", *rules, "--statistics")
    assert (status, len(set(out.split()))) == (0, 96)
    total, summary = err.splitlines()[-2:]
    assert total == "96 found, no more exist" and summary.startswith("statistics: nodes ")
    assert all(word in summary for word in ("failures", "peak depth", "solve time"))
    status, out, err = run("enumerate", "boards", *rules, "--limit", "3", "-f", "notation")
    assert (status, err.strip()) == (0, "3 found, there may be more")
    assert [Rules.preset("blog").check(board) for board in boards(out)] == [[]] * 3
    assert run("count", "terrain", *rules)[1] == "96\n"
    assert run("count", "markers", *rules, "--on", POST)[:2] == (0, "11,753\n")
    words = ("--rules", "open")
    assert run("count", "terrain", *words)[1] == "244,432,188,000\n"
    assert run("count", "terrain", *words, "-f", "notation")[1] == "244432188000\n"
    assert json.loads(run("count", "terrain", *words, "-f", "json")[1])["count"] == 244432188000
    assert run("count", "boards", "--rules", "official")[1].replace(",", "").strip().isdigit()


def test_heat_map_of_next_player(run, tmp_path, monkeypatch):
    labels, save = [], catan_cp.save_picture
    monkeypatch.setattr(
        catan_cp,
        "save_picture",
        lambda *args, **options: labels.append(options["heat_label"]) or save(*args, **options),
    )
    picture, board = tmp_path / "heat.svg", Board.from_notation(BEGINNER)
    words = ("place", BEGINNER, "-p", "3", "--heat", "--save", str(picture), "--force")
    assert run(*words, "--placed", "1:42,2:24,3:1,3:31,2:15")[0] == 0
    assert labels[-1] == "chance to win of player 1, who settles next, in per cent"
    near, far = (win_chances(board, [[42, vertex], [24, 15], [1, 31]]) for vertex in (44, 53))
    assert near[0] > far[0]
    assert run(*words, "--placed", "1:42,2:24", "--objective", "pips")[0] == 0
    assert "value of a vertex to its owner" in labels[-1]
    assert run(*words, "--placed", "1:42,2:24,3:1,3:31,2:15,1:44")[0] == 0  # nobody settles next
    assert "value of a vertex to its owner" in labels[-1]
    assert run("place", BEGINNER, "-p", "2", *words[4:])[0] == 0  # no games have measured two players
    assert "value of a vertex to its owner" in labels[-1]


def test_entropy_commands(run):
    assert "0.91346" in run("entropy", "official")[1]
    assert "error" in run("entropy", "score", BEGINNER)[1]
    status, out, err = run("entropy", "search", "base", "--steps", "50", "--seed", "3")
    assert status == 0
    assert Board.from_notation(out.strip()).piece_differences() == {}
    assert "->" in err


def test_place_against_players_who_err(run):
    words = ("place", BEGINNER, "-p", "2", "--placed", "1:42", "--rationality", "perfect,1.5")
    output = json.loads(run(*words, "-f", "json")[1])
    board = Board.from_notation(BEGINNER)
    placed = [(1, 42)]
    placement = solve_placement(board, 2, None, [None, 1.5], placed=placed)
    assert (output["rationality"], output["expected"]) == ([None, 1.5], list(placement.expected))
    assert "players are boundedly rational; expected values: " in run(*words)[1]
    best = best_moves(board, placed, 1, 2, None, [None, 1.5])[0]
    output = f"1. player 2 on {vertex_name(board, best.vertex)}: value {best.value:.6f}"
    assert output in run(*words, "--moves", "1")[1]


RANKED = ("enumerate", "markers", "--rules", "blog", "--on", POST, "--limit", "30")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("generate", "--layout", "moon"), "moon"),
        (("generate", "--rules", "moon"), "moon"),
        (("generate", "--rules", "moon.toml"), "moon.toml"),
        (("generate", "--rules", str(Path(__file__))), "a rules file must end in .toml"),
        (("generate", "--solver", "moon"), "moon"),
        (("generate", "--seed", "moon"), "--seed"),
        (("generate", "--timeout", "-3"), "-3"),
        (("generate", "-n", "0"), "0"),
        (
            ("generate", "-f", "xml"),
            "'xml' is not one of 'text', 'notation', 'json'. (see catan-cp generate --help)",
        ),
        (("entropy", "score"), "(see catan-cp entropy score --help)"),
        (("generate", "--save", "moon.bmp"), ".bmp"),
        (("best", "--minimize", "largest_vertex_sun"), "did you mean 'largest_vertex_sum'"),
        (("plot", BEGINNER.replace("o", "x"), "--save", "moon.png"), "'x'"),
        (("plot", "-", "--save", "moon.png"), "standard input"),
        (("check", "o10w2l9"), "3"),
        (("count", "terrain", "--layout", "moon"), "moon"),
        (("count", "markers", "--up-to-symmetry"), "with --up-to-symmetry"),
        (
            ("count", "boards", "--up-to-symmetry"),
            "with --up-to-symmetry, the word after count must be terrain",
        ),
        (("enumerate", "markers", "--rules", "blog"), "--on"),
        (("enumerate", "terrain", "--by", "weak_vertices"), "terrain without markers is not ranked"),
        ((*RANKED, "--by", "weak_vertex"), "did you mean 'weak_vertices'?"),
        ((*RANKED, "--by", "weak_vertices", "--top", "0"), "whole number of at least 1, not 0"),
        ((*RANKED, "--by", "games"), "make a study"),
        ((*RANKED, "--top", "3"), "rank the boards with --by"),
        (("export", "board"), "give it in notation"),
        (("export", "board", "--on", BEGINNER, "--format", "dzn"), "must be one of json, catanlog, not dzn"),
        (("export", "markers"), "terrain must be a board, names or a notation for markers"),
        (("place", BEGINNER, "--weights", "1,2"), "1,2"),
        (("place", BEGINNER, "--weights=-1,1,1"), "-1"),
        (("place", BEGINNER, "--players", "9"), "9"),
        (("place", BEGINNER, "--method", "moon"), "moon"),
        (("place", BEGINNER, "--placed", "1"), "1"),
        (("place", POST), "marker"),
        (("place", BEGINNER, "--heat", "--save", "moon.png", "--placed", "1:999"), "999"),
        (("best", "--lead", "1=5", "--lead", "1=6"), "--lead must name each seat once, not as in 1=5, 1=6"),
        (("generate", "--save", "moon/x.png"), "there is no folder 'moon'"),
        (("place", BEGINNER, "--method", "bounds"), "method is 'bounds'"),
        (("experiment",), "experiment"),
        (("place", BEGINNER, "--ties", "--moves", "3"), "--moves and --ties cannot be combined"),
        (("place", BEGINNER, "--ties", "--judge", "1:2"), "--judge and --ties cannot be combined"),
        (("place", BEGINNER, "--moves", "3", "--judge", "1:2"), "--judge and --moves cannot be combined"),
        (("place", BEGINNER, "--placed", "1:3", "--judge", "1:2"), "--judge and --placed cannot be combined"),
        (("place", BEGINNER, "--ties", "--rationality", "2"), "--ties and --rationality cannot be combined"),
        (("place", BEGINNER, "--rationality", "perfect,two"), "'two'"),
        (("entropy", "search", "base", "--power", "-1"), "-1"),
        (("generate", "--save", "/"), "name a file that ends in"),
        (("entropy", "hypothesis", "swaps.csv"), "hypothesis"),
        (("entropy", "skew", "skew.csv"), "skew"),
        (("moon",), "moon"),
        (("generate", "--moon"), "--moon"),
    ],
)
def test_bad_input_is_one_clear_line(run, words, named):
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert err.startswith("catan-cp: ")
    assert len(err.splitlines()) == 1
    assert named in err
    assert not Path("moon.png").exists()


def test_caret_of_wrong_constraint(run):
    status, out, err = run("generate", "--constraint", "terrain[1] = DESSERT")
    output, line, caret = err.splitlines()
    assert (status, out, output.startswith("catan-cp: the constraint, line 1, column 14: ")) == (1, "", True)
    assert line[caret.index("^") :] == "DESSERT"


def process(*words, **variables):
    command = [sys.executable, "-m", "catan_cp.cli", *map(str, words)]
    return subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )


def test_debug_shows_traceback_of_failure(run):
    result = process("generate", "--rules", "moon", "--debug")
    assert (result.returncode, "Traceback" in result.stderr) == (1, True)
    words = ("check", BEGINNER, "--rules", "optimal")
    assert run(*words, "--debug") == run(*words)


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
    assert run("puzzle", BEGINNER) == (1, "", f"catan-cp: {INTERRUPTED}\n")


def test_settlements_printed_before_explanation(run, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("catan_cp.placement.game.Placement.explain", stopped)
    status, out, err = run("place", BEGINNER, "-p", "2", "--rivalry", "1")
    assert (status, err.splitlines()[-1]) == (1, f"catan-cp: {INTERRUPTED}")  # after other remarks
    assert out.count("\nplayer ") == 2


# Less trodden ways


def test_markers_ranked_by_one_command(run):  # all 11,753: docs/counting.md
    words = ("enumerate", "markers", "--rules", "blog", "--on", POST, "--limit", "1700")
    status, out, err = run(*words, "--by", "weak_vertices, vertex_pips_spread", "--top", "3")
    lines = [line.split() for line in out.splitlines()]
    assert (status, err) == (0, "1700 found, there may be more\n")
    assert lines[0] == ["board", "weak_vertices", "vertex_pips_spread", "notation"]
    assert [line[1] for line in lines[1:]] == ["0"] * 3
    assert not any(Rules.preset("blog").check(Board.from_notation(line[3])) for line in lines[1:])
    few = (*words[:-1], "30", "--by", "-weak_vertices")
    rows = json.loads(run(*few, "-f", "json")[1])
    assert len(rows) == 10 and rows[0]["weak_vertices"] >= rows[-1]["weak_vertices"] > 0
    assert run(*few, "-f", "notation")[1].split() == [row["notation"] for row in rows]


def test_each_board_printed_on_page(run, tmp_path):
    boards = run("generate", "-n", "3", "--rules", "tournament", "--seed", "1", "-f", "notation")[1]
    status, _, err = run("print", "-", "--save", tmp_path / "three.pdf", stdin=boards)
    assert status == 0, err
    assert (tmp_path / "three.pdf").read_bytes().count(b"/Type /Page ") == 3


def test_several_even_boards_listed(run, monkeypatch):
    """One search per board, each with another seed. A search plays games for a minute."""

    def search_seats(rules, layout, *, seed, **_options):
        return SimpleNamespace(board=generate_board(rules, layout, seed=seed), verdict="even", wins=None)

    monkeypatch.setattr("catan_cp.analysis.seats.search_seats", search_seats)
    words = ("best", "--even", "--rules", "tournament", "--seed", "1", "-f", "notation")
    status, out, _ = run(*words, "--number", "3")
    assert status == 0 and len(set(out.split())) == 3
    assert run(*words)[1].split() == out.split()[:1]
    assert "number must be a whole number of at least 1, not 0" in run(*words, "-n", "0")[2]
    alone = run("best", "--minimize", "largest_vertex_sum", "-n", "2")[2]
    assert "--number needs --even or --lead; for a measure: catan-cp enumerate boards --by" in alone


def test_report_names_assumed_players(run):
    board = run("generate", "--layout", "base-5-6", "--rules", "open", "--seed", "1", "-f", "notation")[1]
    assert "the report is for 4 players; --players changes the number" in run("report", stdin=board)[2]
    assert "the report is for" not in run("report", "--players", "4", stdin=board)[2]
    assert "the report is for" not in run("report", stdin=BEGINNER)[2]


def test_one_board_is_one(run):
    status, _, err = run("report", stdin=f"{BEGINNER}\n{BEGINNER}\n")
    assert (status, "standard input has several boards, but this command takes one" in err) == (1, True)


def test_doctor_reports_and_finds_models_missing(run, monkeypatch, tmp_path):
    status, out, _ = run("doctor")
    assert (status, "MiniZinc  ok" in out) == (0, True)
    monkeypatch.setattr("catan_cp.model_files._PACKAGE", tmp_path / "catan_cp")
    status, out, err = run("doctor")
    assert (status, "the models are missing" in out, "something is missing" in err) == (1, True, True)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "board.mzn").touch()
    status, out, _ = run("doctor")
    assert (status, "lacks best.mzn, grounds.mzn, harbors.mzn, joint.mzn" in out) == (1, True)


def test_harbors_on_request(run):
    for mode, count in (("printed", 9), ("none", 0)):
        words = ("generate", "--rules", "tournament", "--harbors", mode, "-f", "json", "--seed", "1")
        status, out, err = run(*words)
        assert (status, len(Board.from_json(out).harbors)) == (0, count), err


def test_settlements_and_moves_on_board(run, tmp_path):
    picture = tmp_path / "place.png"
    _, out, _ = run("place", BEGINNER, "--weights", "0.5,0.3,0.2", "--heat", "--save", str(picture))
    assert [out.count(f"[{player}]") for player in (1, 2, 3, 4)] == [2, 2, 2, 2]
    assert (out.count("player "), picture.is_file()) == (4, True)
    placed = json.loads(run("place", BEGINNER, "-f", "json")[1])
    assert [len(player["settlements"]) for player in placed["players"]] == [2, 2, 2, 2]
    picture = tmp_path / "moves.svg"
    words = ("place", BEGINNER, "--placed", "1:42,2:24", "--moves", "3")
    status, out, _ = run(*words, "--save", str(picture))
    assert (status, picture.read_bytes().endswith(b"</svg>\n")) == (0, True)
    assert [out.count(mark) for mark in ("[1]", "[2]", "#1", "#2", "#3")] == [1] * 5
    lines = [line for line in out.splitlines() if ": chance " in line]
    assert [line[:11] for line in lines] == [f"{rank}. player 3" for rank in (1, 2, 3)]
    ranked = json.loads(run(*words, "-f", "json")[1])
    corners = [vertex_name(Board.from_notation(BEGINNER), move["vertex"]) for move in ranked]
    assert [line[11:].partition(": chance ")[0] for line in lines] == [f" on {corner}" for corner in corners]


def test_commands_grouped_by_purpose(run):
    _, out, _ = run("--help")
    panels = ("Make boards", "Check boards", "Settle and play", "Many boards", "Tools")
    assert [out.index(f" {panel} ") for panel in panels] == sorted(out.index(f" {p} ") for p in panels)
    result = out[out.index(" Make boards ") : out.index(" Check boards ")]
    assert re.findall(r"│ ([a-z]+) +", result)[:3] == ["generate", "best", "repair"]


def test_generate_without_minizinc(run, monkeypatch, tmp_path):
    monkeypatch.delenv("CATAN_CP_MINIZINC", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    status, _, err = run("generate", "--seed", "1")
    assert status != 0 and err.endswith("or use --rules tournament, which needs no solver\n")
    assert run("generate", "--seed", "1", "--rules", "tournament", "-f", "notation")[0] == 0


def test_pictures_name_no_font_folder(tmp_path):
    """Matplotlib warns if it cannot write its own folder."""
    locked = tmp_path / "file"
    locked.touch()
    result = process("plot", BEGINNER, "--save", tmp_path / "b.svg", MPLCONFIGDIR=str(locked))
    assert (result.returncode, result.stderr) == (0, f"drawn: {tmp_path / 'b.svg'}\n")


def test_warning_is_one_line():
    (board,) = catan_cp.sample_boards(1, "open", "base-5-6", seed=1)
    lines = process("place", board.notation(), "-p", "5", "--moves", "1").stderr.splitlines()
    warning = "catan-cp: warning: the chances to win of 5 players are nearer to equal than those in games"
    assert lines.count(warning) == 1
    assert not any("UserWarning" in line for line in lines)


# Custom rules, the best board, repairs, puzzles and exports

TINY = Layout("tiny", (2, 3), {"desert": 1, "brick": 2, "ore": 2}, {2: 1, 6: 1, 8: 2, 12: 1})


@pytest.mark.solver
def test_patterns_and_constraints_bind_boards(run):
    words = ["--rules", "tournament", "--pattern", "xxx/xxxx/xxdxx/xxxx/xx12x"]
    words += ["--constraint", "terrain[1] = ORE"]
    status, out, _ = run("generate", "-n", "2", "--seed", "1", *words, "-f", "notation")
    assert status == 0
    for board in boards(out):
        assert (board.terrain[0], board.terrain[9], board.markers[17]) == ("ore", "desert", 12)
    _, out, _ = run("enumerate", "terrain", *words, "--limit", "4")
    assert {(board.terrain[0], board.terrain[9]) for board in boards(out)} == {("ore", "desert")}
    status, out, err = run("check", NEARLY, "--rules", "open", "--constraint", "terrain[1] != ORE")
    assert (status, out) == (1, "constraints: the board breaks 'terrain[1] != ORE'\n"), err


@pytest.mark.solver
def test_edited_model_obeyed(run, tmp_path):
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


@pytest.mark.solver
def test_best_board_is_proven(run):
    status, out, err = run("best", "--rules", "open", "--minimize", "largest_vertex_sum", "-f", "notation")
    assert (status, len(boards(out))) == (0, 1)
    assert "value 21: proven" in err
    assert "reds_touching: the number of pairs of red tiles" in run("best", "--measures")[1]


@pytest.mark.solver
def test_board_repaired(run):
    near = repair_board(NEARLY, "tournament")
    text = f"{near.value} tiles differ: proven, fewer will not do\n"
    assert run("repair", NEARLY, "--rules", "tournament") == (0, f"{near.board.notation()}\n", text)


@pytest.mark.solver
def test_puzzle_has_one_board(run, tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.to_toml(), encoding="utf-8")
    board = "do2/b8b8o12"
    words = ("--layout", str(path), "--rules", "open", "--constraint", "terrain[1] = DESERT")
    pattern = make_puzzle(Board.from_notation(board, TINY), Rules(constraints=["terrain[1] = DESERT"]))
    assert run("puzzle", board, *words) == (0, f"{pattern}\n", "")
    assert "d" not in pattern


def test_boards_and_models_exported(run):
    assert run("export", "terrain", "--rules", "blog") == (0, export_model("terrain", "blog"), "")
    line = f"{NEARLY}:printed"
    status, out, _ = run("export", "board", "--on", line)
    assert (status, Board.from_json(out).notation()) == (0, line)


def test_rivalry_compared_over_file(run, tmp_path):
    path = tmp_path / "boards.txt"
    path.write_text(f"{BEGINNER}\n{NEARLY}\n")
    words = ("place", str(path), "--players", "2", "--compare-rivalry", "-f", "json")
    status, out, _ = run(*words)
    seats = compare_rivalry(boards(path.read_text()), 2)
    assert (status, json.loads(out)) == (
        0,
        json.loads(json.dumps({"boards": 2, "seats": [*map(asdict, seats)]})),
    )
    _, text, _ = run(*words[:-2], "--rationality", "1")
    assert text.startswith(f"{rivalry_table(seats)}\nagainst players of rationality 1, player 1 begins")
    assert json.loads(run(*words, "--rivalry", "2")[1])["seats"] != json.loads(out)["seats"]
    status, _, err = run("place", BEGINNER, "--compare-rivalry", "--moves", "3")
    assert status == 1 and "--compare-rivalry and --moves cannot be combined" in err


def test_game_of_another_program_is_board(run, tmp_path):
    text = run("generate", "--seed", "1", "--rules", "tournament", "--format", "notation")[1].strip()
    log = run("export", "board", "--on", text, "--format", "catanlog")[1]
    opening = "red buys settlement, builds at (1 NW)\nred buys road, builds at (1 W)\n"
    (tmp_path / "game.catan").write_text(log + opening)
    game = str(tmp_path / "game.catan")
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


def test_an_opening_is_reviewed_and_drawn(run, tmp_path):
    game, picture = tmp_path / "game.json", tmp_path / "review.svg"
    game.write_text(FILES["colonist.io"](DRAFT))
    status, out, _ = run("review", game, "--save", picture)
    assert (status, out.endswith(f"{catan_cp.review_opening(DRAFT)}\n")) == (0, True)
    assert 'class="ghosts"' in picture.read_text()
    game.write_text(FILES["colonist.io"](replace(DRAFT, settlements=(), roads=())))
    assert "has no opening, only a board" in run("review", game)[2]
