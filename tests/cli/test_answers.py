"""Tables of commands: arguments, standard input, status and output."""

import re
import shlex
from pathlib import Path

import pytest

from catan_cp import LAYOUTS

BEGINNER = LAYOUTS["base"].beginner_board
LARGE = LAYOUTS["base-5-6"].beginner_board
ISLANDS = "o6w8l9/b5g10d/w4l3g11b2@islands"
NEARLY = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11"
POST = "dlw/bgol/owbwg/lgob/wlg"
WORD = BEGINNER.replace("/", "")
"""A notation that is also the name of a file."""

DRAWING = """
title = "Two islands"
board = '''
~   ~   ~   ~   ~   ~   ~
  o6  ~3W ~   w8  l9  ~
~   b5  g10 ~   d   ~lSW
  w4  l3  ~   g11 b2  ~
~   ~   ~   ~   ~   ~   ~
'''

[target_efficiency]
desert = 0.5
brick = 0.9
grain = 1.0
wool = 1.0
lumber = 1.0
ore = 0.9
"""
FILES = {
    "islands.toml": DRAWING,
    "two.txt": f"{BEGINNER}\n{POST}\n",
    WORD: POST,
    "rules.py": "",
    "latin.txt": "J\xfcrgen\nAna\nBen",
    "m.mzn": 'include "alldifferent.mzn"; int: n; array[1..n] of var 1..n: q; var set of 1..2: s; '
    "constraint alldifferent(q); constraint card(s) = 1;",
    "n.dzn": "n = 4;",
    "c.mzn": "var 1..3: x; constraint x > 2; constraint x != 1; constraint x < 3;",
    "ab.mzn": "int: a; int: b; var a..b: x;",
    "a.dzn": "a = 3;",
    "b.json": '{"b": 9}',
    "digits.mzn": "array[1..15] of var set of 1..1000: x;",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (path / name).write_text(text, encoding="latin-1")
    return path


ON_POST = f"--rules blog --on {POST}"
ANSWERS = [
    ("--help", "", " Make boards "),
    ("best --rules open --minimize largest_vertex_sum -f notation", "", "value 21: proven"),
    ("check - --rules tournament", BEGINNER, "the board keeps the rules 'tournament'\n"),
    ("check - --rules tournament -f json", BEGINNER, "[]\n"),
    ("conflict model c.mzn", "", "constraint x > 2\nconstraint x < 3\n"),
    ("conflict model c.mzn", "", "2 constraints, none can be left out"),
    ("count model ab.mzn a.dzn b.json", "", "7\n"),
    ("count terrain --rules open -f notation", "", "244432188000\n"),
    ("doctor", "", "MiniZinc  ok"),
    ("entropy search base --steps 50 --seed 3", "", "->"),
    ("enumerate boards --rules blog --limit 3", "", "3 found, there may be more"),
    ("enumerate terrain --rules blog --statistics", "", "96 found, no more exist"),
    ("enumerate terrain --rules blog --statistics", "", "peak depth"),
    (f"enumerate markers --rules blog --on ./{WORD} --limit 1", "", "1 found, there may be more"),
    ("export terrain --rules blog", "", "solve "),
    ("generate --rules tournament --harbors none -f json --seed 1", "", '"harbors": []'),
    ("generate --rules tournament --harbors printed -f notation --seed 1", "", ":printed"),
    ("plot -", f"\n{BEGINNER.upper()}\n", f"{BEGINNER}\n"),
    ("plot two.txt", "", FILES["two.txt"]),
    (f"plot ./{WORD}", "", f"{POST}\n"),
    (f"repair {NEARLY} --rules tournament", "", " tiles differ: proven, fewer will not do"),
    ("report", LARGE, "the report is for 4 players; --players changes the number"),
    ("sample model m.mzn n.dzn --show s --seed 1", "", '{"s": ['),
]


ON_ISLANDS = [
    ("best --rules open --minimize largest_vertex_pips --timeout 60", "", "@islands"),
    ("check - --rules open", ISLANDS, "the board keeps the rules 'open'\n"),
    ("count markers --rules open --on -", ISLANDS, "362,880\n"),
    ("count terrain --rules open", "", "226,800\n"),
    ("entropy score -", ISLANDS, "error"),
    ("entropy search - --steps 20 --seed 1", ISLANDS, "@islands"),
    ("enumerate markers --rules open --limit 2 --on -", ISLANDS, "2 found, there may be more"),
    ("export markers --rules open --on -", ISLANDS, "solve"),
    ("generate --rules open -f notation", "", "@islands"),
    ("place - --players 2", ISLANDS, "player 2"),
    ("plot - --save new.svg", ISLANDS, "drawn: new.svg"),
    ("print - --save new.pdf", ISLANDS, "new.pdf"),
    ("repair - --rules open", ISLANDS, f"{ISLANDS}\n"),
    ("report -", ISLANDS, "efficiency"),
    (
        "study -n 2 --rules open --db new.db --players 2",
        "",
        "2 of 2 boards of islands",
    ),
]
"""Each command that takes a layout takes a file instead of the name."""
ANSWERS += [(f"{line} --layout islands.toml", *row) for line, *row in ON_ISLANDS]


@pytest.mark.parametrize(("line", "text", "expected"), ANSWERS, ids=[row[0][:40] for row in ANSWERS])
def test_commands_answer(line, text, expected, run, folder, monkeypatch):
    """An expected text with a line break at its end is the whole output, others are a part of it."""
    monkeypatch.chdir(folder)
    status, out, err = run(*shlex.split(line), stdin=text)
    assert status == 0, err
    assert out == expected if expected.endswith("\n") else expected in out + err


PLACE = f"place {BEGINNER}"
RANKED = f"enumerate markers {ON_POST} --limit 30"
REJECTED = {
    "generate --layout moon": "moon",
    "generate --rules moon": "moon",
    "generate --rules moon.toml": "moon.toml",
    "generate --rules rules.py": "a rules file must end in .toml",
    "generate --solver moon": "moon",
    "generate --seed moon": "--seed",
    "generate --timeout -3": "-3",
    "generate -n 0": "0",
    "generate -f xml": "'xml' is not one of 'text', 'notation', 'json'. (see catan-cp generate --help)",
    "generate --save moon.bmp": ".bmp",
    "generate --save moon/x.png": "there is no folder 'moon'",
    "generate --save /": "name a file that ends in",
    "generate --moon": "--moon",
    "best --minimize largest_vertex_sun": "did you mean 'largest_vertex_sum'",
    "best --minimize largest_vertex_sum -n 2": "for a measure: catan-cp enumerate boards --by",
    "best --even -n 0": "number must be a whole number of at least 1, not 0",
    "best --lead 1=5 --lead 1=6": "--lead must name each seat once, not as in 1=5, 1=6",
    f"plot {BEGINNER.replace('o', 'x')} --save moon.png": "'x'",
    "check o10w2l9": "3",
    "check two.txt": "'two.txt' has several boards",
    f"check {WORD}": f"'{WORD}' is a notation and the name of a file; write './{WORD}' for the file",
    "check none.txt": "there is also no file 'none.txt'",
    "check .": "cannot read the file of boards '.'",
    "check -": "line 2 of standard input: rows of 3 tiles",
    "conflict model m.mzn n.dzn": "model must have no solution",
    "sample model c.mzn": "has no solution",
    "count terrain --layout moon": "moon",
    "count markers --up-to-symmetry": "with --up-to-symmetry",
    "count boards --up-to-symmetry": "with --up-to-symmetry, the word after count must be terrain",
    "enumerate markers --rules blog": "--on",
    "enumerate terrain --by weak_vertices": "terrain without markers is not ranked",
    f"{RANKED} --by weak_vertex": "did you mean 'weak_vertices'?",
    f"{RANKED} --by weak_vertices --top 0": "whole number of at least 1, not 0",
    f"{RANKED} --by games": "make a study",
    f"{RANKED} --top 3": "rank the boards with --by",
    "export board": "give it in notation",
    f"export board --on {BEGINNER} --format dzn": "must be one of json, catanlog, not dzn",
    "export markers": "terrain must be a board, names or a notation for markers",
    f"{PLACE} --weights 1,2": "1,2",
    f"{PLACE} --weights=-1,1,1": "-1",
    f"{PLACE} --players 9": "9",
    f"{PLACE} --method moon": "moon",
    f"{PLACE} --method bounds": "method is 'bounds'",
    f"{PLACE} --placed 1": "1",
    f"{PLACE} --rationality perfect,two": "'two'",
    f"{PLACE} --heat --save moon.png --placed 1:999": "999",
    f"{PLACE} --ties --moves 3": "--moves and --ties cannot be combined",
    f"{PLACE} --ties --judge 1:2": "--judge and --ties cannot be combined",
    f"{PLACE} --ties --rationality 2": "--ties and --rationality cannot be combined",
    f"{PLACE} --moves 3 --judge 1:2": "--judge and --moves cannot be combined",
    f"{PLACE} --placed 1:3 --judge 1:2": "--judge and --placed cannot be combined",
    f"{PLACE} --compare-rivalry --moves 3": "--compare-rivalry and --moves cannot be combined",
    f"place {POST}": "marker",
    "entropy score": "(see catan-cp entropy score --help)",
    "entropy search base --power -1": "-1",
    "entropy hypothesis swaps.csv": "hypothesis",
    "entropy skew skew.csv": "skew",
    "tournament --names latin.txt --rounds 1": "'latin.txt' is not text in UTF-8; save it as UTF-8",
    "experiment": "experiment",
    "moon": "moon",
}


@pytest.mark.parametrize("line", REJECTED)
def test_rejects_in_one_line(line, run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    status, out, err = run(*shlex.split(line), stdin=f"\no10w2l9\n{BEGINNER}\n")
    assert (status, out) == (1, "")
    message = err.splitlines()[line.startswith("sample") :]  # a remark says how it samples
    assert len(message) == 1 and message[0].startswith("catan-cp: ") and REJECTED[line] in err
    assert not Path("moon.png").exists()


@pytest.mark.parametrize(
    ("text", "message"), [("", "standard input"), ("\n" * 10_000_001, "more than 10,000,000 characters")]
)
def test_rejects_input_without_boards(text, message, run):
    status, out, err = run("check", "-", stdin=text)
    assert (status, out, message in err) == (1, "", True), err


def test_count_of_thousands_of_digits(run, folder):
    """2 to the power of 15,000. Python itself rejects text of more than 4,300 digits."""
    _, out, _ = run("count", "model", folder / "digits.mzn", "-f", "json")
    assert re.search(r"\b28179608796313976374\d{4496}\b", out)
