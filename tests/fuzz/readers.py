"""Readers to fuzz: each takes bytes, and returns a value or raises a `CatanError`.

The value is also written and read again, which must give an equal value.
"""

from __future__ import annotations

import base64
import json as json_text
import re
import struct
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path

from catan_cp import (
    LAYOUTS,
    Board,
    CatanError,
    Games,
    InvalidBoard,
    Layout,
    Rules,
    Store,
    Study,
    Tournament,
    count_solutions,
    import_board,
    run_study,
)
from catan_cp.formats import catanlog_header

# Public functions read the same texts, but start MiniZinc or play games for each.
from catan_cp.model_files import declared_names
from catan_cp.placement import Draft, read_objective
from catan_cp.play import GameRules
from catan_cp.play.playing import _read_games
from catan_cp.rules.constraint import join_constraints
from tests.formats.files import DRAFT, FILES

SECONDS = 2.0
"""The longest that one input may take. They take milliseconds."""

MORE_SECONDS = {"models": 30.0}
"""The longest that one input may take of readers that start MiniZinc."""

MEGABYTES = 512
"""The most memory that a reader may ever have, the interpreter and the fuzzer included."""

POST = "dlw/bgol/owbwg/lgob/wlg"
BEGINNER = LAYOUTS["base"].beginner_board
_HARBORS = f"{BEGINNER} 0-5=3,3-4=b"


def notation(data: bytes) -> None:
    """Read a board's notation."""
    board = Board.from_notation(data.decode("utf-8", "surrogateescape"))
    assert Board.from_notation(board.notation()) == board


def json(data: bytes) -> None:
    """Read a board's JSON."""
    board = Board.from_json(data.decode("utf-8", "surrogateescape"))
    assert Board.from_json(board.to_json()) == board


def toml(data: bytes) -> None:
    """Read a file of rules, apply them to a board, and say them."""
    with tempfile.NamedTemporaryFile(suffix=".toml", dir=_MEMORY) as file:
        file.write(data)
        file.flush()
        rules = Rules.from_toml(file.name)
    assert Rules.from_mapping(rules.to_mapping()) == rules
    rules.explain()
    rules.check(_BOARD)


def imported(data: bytes) -> None:
    """Read a file of another program. A board of ``base`` is written as a header of catanlog."""
    game = import_board(data.decode("utf-8", "surrogateescape"))
    board = game if isinstance(game, Board) else game.known_board
    if board.layout.name == "base":
        assert import_board(catanlog_header(board)) == board


def options(data: bytes) -> None:
    """Read what the command line takes for ``--weights`` and ``--placed``."""
    text = data.decode("utf-8", "surrogateescape")
    for reader in (read_objective, Draft.from_text):
        with suppress(CatanError):
            reader(text)


def study(data: bytes) -> None:
    """Read what a store keeps of a study."""
    loaded = Study.from_json(data.decode("utf-8", "surrogateescape"))
    assert Study.from_json(loaded.to_json()) == loaded


def layout(data: bytes) -> None:
    """Read a layout's file, and write it again."""
    with tempfile.TemporaryDirectory(dir=_MEMORY) as name:
        path = Path(name, "mine.toml")
        path.write_bytes(data)
        loaded = Layout.from_toml(path)
        if loaded.n_tiles > 200:  # to write a board of a thousand tiles takes seconds
            return
        path.write_text(loaded.to_toml(), encoding="utf-8")
        with suppress(CatanError):  # a first board that is not one of the layout is not looked at when read
            assert Layout.from_toml(path) == loaded


def plan(data: bytes) -> None:
    """Read a tournament's plan."""
    loaded = Tournament.from_json(data.decode("utf-8", "surrogateescape"))
    assert Tournament.from_json(loaded.to_json()) == loaded


def games(data: bytes) -> None:
    """Read games, then take the same bytes as a file of games."""
    text = data.decode("utf-8", "surrogateescape")
    with suppress(CatanError), tempfile.TemporaryFile(dir=_MEMORY) as file:
        file.write(data)
        _read_games(file, _HEADER)
    loaded = Games.from_json(text)
    assert Games.from_json(loaded.to_json()) == loaded
    if len(loaded):
        loaded.table()


def constraints(data: bytes) -> None:
    """Join two constraints, separated by a zero byte, as one text for MiniZinc."""
    pair = [text.decode("utf-8", "surrogateescape") for text in data.split(b"\0", 1)]
    rules = Rules.from_mapping({"constraints": pair})
    rules.check_layout(LAYOUTS["mini"])
    joined = join_constraints(rules.constraints, declared_names(), LAYOUTS["mini"].terrain_codes)
    assert joined is not None
    own = re.sub(r'^include "\w+\.mzn";$', "", joined.text, flags=re.MULTILINE)
    assert not re.search(r'["%`]|::|/\*|\*/', own), joined.text
    assert Rules.from_mapping(rules.to_mapping()) == rules


def models(data: bytes) -> None:
    """Count the solutions of a model with its data, with a zero byte between them."""
    text, _, values = data.partition(b"\0")
    with tempfile.TemporaryDirectory(dir=_MEMORY) as name:
        folder, ending = Path(name), "json" if values.lstrip().startswith(b"{") else "dzn"
        (folder / "model.mzn").write_bytes(text)
        (folder / f"data.{ending}").write_bytes(values)
        try:
            assert count_solutions(folder / "model.mzn", folder / f"data.{ending}", timeout=10) >= 0
        finally:
            assert {path.name for path in folder.iterdir()} == {"model.mzn", f"data.{ending}"}


def store(data: bytes) -> None:
    """Read a store, which changes no file, then open it to write.

    After `_JOURNAL` comes its journal.
    """
    content, mark, journal = data.partition(_JOURNAL)
    with tempfile.TemporaryDirectory(dir=_MEMORY) as name:
        folder = Path(name)
        path = folder / "study.db"
        path.write_bytes(content)
        if mark:
            path.with_name("study.db-journal").write_bytes(journal)

        def files() -> list[tuple[Path, bytes, int]]:
            return [
                (entry, entry.read_bytes(), entry.stat().st_mtime_ns) for entry in sorted(folder.iterdir())
            ]

        before = files()
        try:
            with Store(path) as opened:
                for state in opened.studies():
                    opened.top("value_spread, -tied", 3, state.name)
                    list(opened.results(state.name))
        finally:
            assert files() == before
        run_study(Study(None, "open", name="more"), path, boards=[], progress=False)
        assert [entry.name for entry in folder.iterdir()] == ["study.db"]


def _small_store() -> bytes:
    """Return a store of two boards."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "study.db")
        run_study(Study(2, "open", seed=1), path, progress=False)
        return path.read_bytes()


_HEADER = {"board": POST, "players": ["greedy", "greedy"], "placement": "free", "seed": 1}
_ROWS = {"rows": "c${NoWnf@nW#D3F00CAmeg*=7kqtzUpaB3HQ~+u", "history": "c${NmVrAxHW&)D{0X6_L"}
_GAMES = _HEADER | {"rules": asdict(GameRules())} | _ROWS  # two games of two seats, which need no engine
_BOMB = base64.b85encode(zlib.compress(bytes(30_000_000))).decode()
_PLAN = {
    "players": ["Ada", "Ben", "Cleo", 4],
    "rounds": [{"map": BEGINNER, "tables": [["Ada", "Ben", 4, "Cleo"]]}] * 2,
    "bound": [6, 4],
    "changed": 1,
    "changed_bound": 0,
}
_LAYOUT_TEXTS = [
    LAYOUTS[name].to_toml().encode() for name in ("mini", "fishermen-of-catan", "tb-ultimate-green-1")
]
_JOURNAL = b"\n-journal\n"
_MAGIC = bytes.fromhex("d9d505f920a163d7")  # of each header of a journal, and of a super-journal's name
_HOT = (_MAGIC + struct.pack(">iIIII", 0, 1, 16, 512, 4096)).ljust(512, b"\0")
_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
_BOARD = Board.from_notation(BEGINNER)

READERS: dict[str, Callable[[bytes], None]] = {
    "notation": notation,
    "json": json,
    "toml": toml,
    "options": options,
    "study": study,
    "store": store,
    "layout": layout,
    "plan": plan,
    "games": games,
    "constraints": constraints,
    "models": models,
    **dict.fromkeys(FILES, imported),
}

SEEDS: dict[str, list[bytes]] = {
    "notation": [POST.encode(), BEGINNER.encode(), _HARBORS.encode(), b"s" * 70_000, b"o" + b"1" * 5_000],
    "json": [
        Board.from_notation(POST).to_json().encode(),
        Board.from_notation(_HARBORS).to_json().encode(),
        b"[" * 60_000,
        b'{"layout": ' + b"9" * 60_000 + b"}",
    ],
    "toml": [
        *(Rules.preset(name).to_toml().encode() for name in ("blog", "tournament", "official")),
        b'preset = "optimal"\nterrain_pips_min = { ore = 9, every = 3 }\napart = [["wood", "Sheep"]]\n',
        b"a = " + b"[" * 60_000,
        b"vertex_sum_below = " + b"9" * 60_000,
        b"a." * 30_000 + b"a = 1",  # took 16 s and 4 GB while files might have 64 kB
        b"a." * 4_000 + b"a = 1",
        b"a = " + b"[" * 8_000,
    ],
    "study": [
        Study(9, "optimal", seed=1, players=3, games=2).to_json().encode(),
        Study(None, Rules(apart=(("wood", "sheep"),)), "mini", players=2, source="given").to_json().encode(),
        b'{"models": null, "rules": {"models": "/"}}',
        b'{"models": null, "rules": {"constraints": ["' + b"9" * 4_000 + b'x"]}}',  # was quoted whole
        b"[" * 60_000,
    ],
    "store": [
        (_STORE := _small_store()),
        _STORE + _JOURNAL + _HOT,
        _STORE + _JOURNAL + _HOT + struct.pack(">I1sII", 262145, b"x", 1, ord("x")) + _MAGIC,
    ],
    "layout": [
        *_LAYOUT_TEXTS,
        b"columns = 1\nboard = '''\n" + b"d " * 30_000 + b"\n'''",
        b"board = '''\nd\n'''\n" + b"a." * 30_000 + b"a = 1",  # took gigabytes
    ],
    "plan": [json_text.dumps(_PLAN).encode(), b"[" * 60_000, b'{"players": ' + b"9" * 60_000 + b"}"],
    "games": [
        json_text.dumps(_GAMES).encode(),
        *(
            f"{json_text.dumps(_HEADER)}\n{json_text.dumps({'numbers': numbers, **_ROWS})}\n".encode()
            for numbers in ([0, 1], [1, 1], [0, -1], [0, 10**9])
        ),
        json_text.dumps(_GAMES | {"rows": _BOMB}).encode(),
    ],
    "constraints": [
        b"terrain[1] = ORE\0forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)",
        b"predicate p(int: n) = n > 1; constraint p(2);\0let { int: q = 1 } in terrain[q] = 1 % q",
        b"true /* 1\0true */ (2,2)",
        b"true\0" + b"(" * 9_000,
        b"(" * 4_990 + b"true" + b")" * 4_990,
    ],
    "models": [
        b'int: n; var 1..n: x;\0{"n": 4}',
        b'include "alldifferent.mzn"; array[1..3] of var 1..3: x; constraint alldifferent(x);\0{}',
        b"set of int: s; var s: x; constraint x != 2;\0s = {1, 2, 5};",
        b"enum C; var set of C: x;\0C = {A, B};",
        b'var 1..3: x;\0{"fzn": "victim", "fzn-cmd": "victim"}',
        b'int: n; array[1..n] of var bool: b;\0{"n": ' + b"9" * 400 + b"}",
        b'var 1..3: x; include "/etc/hosts";\0include "/etc/hosts";',
    ],
    **{program: [write(DRAFT).encode(), b"[" * 60_000] for program, write in FILES.items()},
    "options": [b"0.5,0.3,0.2", b"resources=1/3,harbor=2e-3", b"1:42,2:24", b"1" * 5000, b"1e999999999,1,1"],
}
"""The first inputs of the fuzzer: correct documents, and documents with too much of something."""


_WRITTEN = [seed.decode() for name in ("json", "toml", "study", "plan") for seed in SEEDS[name][:3]]
WORDS = sorted(
    {
        *LAYOUTS, *(field.name for field in fields(Rules)), *(word for text in _WRITTEN for word in
            re.findall(r"[a-z_]{3,}|\d:\d", text)),
        "harbors", "vertices", "trade", "null", "true", "1e9", "-1", "[[", "]]", "= {",
    }
)  # fmt: skip
"""Words that the readers understand, for the fuzzer to insert anywhere."""

_MODELS = "".join(path.read_text() for path in (Path(__file__).parents[2] / "models").glob("*.mzn"))
MORE_WORDS = {"constraints": sorted({"/*", "*/", *re.findall(r"\w+", _MODELS)})}
"""Words that only one reader understands."""


def feed(name: str, data: bytes) -> str:
    """Feed *data* to a reader, and return the message of its `CatanError`, or "" if it was taken.

    Raises:
        AssertionError: the error says nothing, or too much.
    """
    try:
        READERS[name](data)
    except CatanError as refused:
        assert 0 < len(str(refused)) < 2000, f"a message of {len(str(refused))} characters"
        assert isinstance(refused, InvalidBoard) or name != "notation", type(refused)
        return str(refused)
    return ""
