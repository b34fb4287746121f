"""Crafted stores raise a CatanError or are read like whole stores, and stay unchanged.

Each is a whole store with one change. Crafted journals and other files beside a store follow below.
"""

import json
import random
import sqlite3
from contextlib import closing
from functools import partial

import pytest

from catan_cp import CatanError, Store
from catan_cp.studies import describe_study
from tests.stored import BOARDS, everything, folder_of, names_in, score

TABLES = ("studies", "chunks", "boards", "satisfied", "measures", "scores", "state")
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n)"
ESCAPE = "\x1b]0;taken over\x07\x1b[2J"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store of a few boards, because it is read hundreds of times."""
    path = tmp_path_factory.mktemp("whole") / "study.db"
    score(path, BOARDS[:20])
    return path


def execute(statement, *values):
    return lambda raw: raw.execute(statement, values)


def definition(raw, change):
    """Change what the study is to do."""
    name, text = raw.execute("SELECT name, definition FROM studies").fetchone()
    facts = json.loads(text)
    changed = change(facts)
    text = changed if isinstance(changed, str) else json.dumps(facts)
    name = facts.get("name", name)
    name = name if isinstance(name, str) else "study"
    raw.execute("UPDATE studies SET name = ?, definition = ?", (name, text))


def schema(raw, name, old, new):
    """Change the words of a table or view behind SQLite's back."""
    raw.execute("PRAGMA writable_schema = ON")
    raw.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = ?", (old, new, name))


def untyped(raw):
    """Write a text into a column of numbers."""
    schema(raw, "boards", "STRICT", "")
    raw.execute("PRAGMA writable_schema = RESET")
    raw.execute("UPDATE boards SET times = 'one'")
    schema(raw, "boards", ") ", ") STRICT")


def as_view(raw, name):
    raw.execute("PRAGMA legacy_alter_table = ON")
    raw.execute(f"ALTER TABLE {name} RENAME TO hidden_{name}")
    raw.execute(f"CREATE VIEW {name} AS SELECT * FROM hidden_{name}")


def generated(raw, table):
    """A generated column in place of one that is read."""
    raw.execute("PRAGMA foreign_keys = OFF")
    raw.execute(f"ALTER TABLE {table} RENAME TO old")
    raw.execute(f"CREATE TABLE {table} AS SELECT * FROM old")
    last = raw.execute(f"PRAGMA table_info({table})").fetchall()[-1][1]
    raw.execute(f"ALTER TABLE {table} DROP COLUMN {last}")
    raw.execute(f"ALTER TABLE {table} ADD COLUMN {last} AS (hex(zeroblob(1000000)))")
    raw.execute("DROP TABLE old")


def column(raw, name):
    """A measure whose name is more than a name."""
    quoted = '"' + name.replace('"', '""') + '"'
    raw.execute(f"ALTER TABLE scores ADD COLUMN {quoted} REAL")
    raw.execute("INSERT INTO measures (name, meaning) VALUES (?, 'x')", (name,))


def crafted():
    """Yield the name of each change and the change."""

    def sql(*statements):
        return " and ".join(statements), lambda raw: [raw.execute(s) for s in statements]

    for name in TABLES:
        yield sql(f"DROP TABLE {name}")
        yield sql(
            f"CREATE TABLE copy AS SELECT * FROM {name}",
            f"DROP TABLE {name}",
            f"ALTER TABLE copy RENAME TO {name}",
        )
    for name, event in (("boards", "INSERT"), ("scores", "UPDATE"), ("chunks", "DELETE")):
        yield f"{name} is a view", lambda raw, name=name: as_view(raw, name)
        yield f"{name} has a generated column", lambda raw, name=name: generated(raw, name)
        yield sql(f"ALTER TABLE {name} ADD COLUMN more TEXT AS (hex(zeroblob(100000)))")
        yield sql(f"CREATE INDEX more ON {name} (1 + 1)")
        yield sql(f"CREATE TRIGGER more AFTER {event} ON {name} BEGIN DELETE FROM boards; END")
    yield sql(f"CREATE VIEW more AS {ENDLESS} SELECT * FROM n")
    yield sql("CREATE TABLE more (x)")
    yield sql("CREATE VIRTUAL TABLE more USING fts5(x)")
    yield sql(
        "CREATE VIEW results AS SELECT * FROM boards",
        "CREATE TRIGGER more INSTEAD OF INSERT ON results BEGIN SELECT 1; END",
    )
    yield sql(f"CREATE VIEW results AS {ENDLESS} SELECT * FROM n, boards, scores")
    yield sql("CREATE TABLE results (study, board, notation, times, presets)")
    yield sql("PRAGMA journal_mode = WAL")
    yield sql("UPDATE measures SET name = '(SELECT 1)' WHERE measure = 1")
    yield sql("UPDATE measures SET measure = 999 WHERE measure = 1")
    yield sql("UPDATE boards SET notation = hex(zeroblob(6000000)) WHERE board = 3")
    yield sql("UPDATE studies SET definition = hex(zeroblob(6000000))")
    for pragma in ("application_id = 7", "user_version = 1", "user_version = 99", "user_version = -1"):
        yield sql(f"PRAGMA {pragma}")
    yield sql(f"UPDATE boards SET times = {2**62}")
    for number in (2, -1, 2**62):
        yield sql(f"UPDATE boards SET times = {number} WHERE board = 3")
        yield sql(f"UPDATE chunks SET boards = {number} WHERE chunk = 1")
    yield sql("UPDATE scores SET value_spread = 9e999 WHERE board = 3")
    yield sql("UPDATE studies SET name = CAST(x'ff80' AS TEXT)")
    yield sql("UPDATE studies SET name = 'other'")
    yield sql("UPDATE studies SET definition = replace(definition, 'given', 'giben')")
    yield sql("ALTER TABLE studies RENAME COLUMN library_version TO library_versiom")
    yield "a text among numbers", untyped
    yield sql("UPDATE boards SET notation = CAST(x'ff80' AS TEXT) WHERE board = 3")
    yield sql("DELETE FROM studies")
    yield sql("DELETE FROM state")
    yield sql("INSERT INTO state VALUES (1)")
    check = "times INTEGER NOT NULL CHECK (randomblob(9) > 0)"
    for name, old, new in (
        ("boards", "STRICT", ""),
        ("boards", "INTEGER", "TEXT"),
        ("boards", "(", "(("),
        ("boards", "CREATE", "SELECT"),
        ("boards", "study", ESCAPE),
        ("boards", "times INTEGER NOT NULL", check),
    ):
        yield f"{name}: {new!r} for {old}", lambda raw, n=name, o=old, w=new: schema(raw, n, o, w)
    letters = ("(SELECT 1)", "a; DROP TABLE boards", 'a"b', "value spread", ESCAPE, "=1+1", "ÿ", "A")
    for name in letters:
        yield f"a measure called {name!r}", lambda raw, name=name: column(raw, name)
    third = BOARDS[2].notation()
    result = (ESCAPE, f"{third}{ESCAPE}", '=cmd|"/c calc"!A1', "", "@x", " ", "o", "1", "\u202e")
    for text in (*result, f"{third}/", "o" * 100_000, "[" * 9999):
        yield f"the notation {text[:30]!r}", execute("UPDATE boards SET notation = ? WHERE board = 3", text)
    preset = "UPDATE satisfied SET preset = ? WHERE board = 3 AND preset = 'open'"
    for text in (ESCAPE, "\u202e"):
        yield f"the preset {text!r}", execute(preset, text)
    for text in ("", "7", "null", "[]", "{}", "[" * 100_000, '{"layout": 1}', "9" * 5000, '{"name": "study"'):
        yield f"the definition {text[:20]!r}", lambda raw, text=text: definition(raw, lambda facts: text)
    endless = {"resources": "1e999999999", "resources_as": "x", "cards_as": "y"}
    for key, values in (
        ("n", ("x", -1)),
        ("seed", (1.5,)),
        ("players", (99, None)),
        ("rules", (3, {"x": 1})),
        ("layout", ("nowhere", "x\nbroken = [", 7)),
        ("objective", ([], 3, [{}], [endless])),
        ("chunk", (0,)),
        ("source", ("x",)),
        ("name", (ESCAPE, "a\nb", "", 7)),
        ("games", ("x",)),
        ("more", (1,)),
        ("models", ("0123456789abcdef", 7, "/")),
        ("rules", ({"models": "/"}, {"models": None})),
    ):
        for value in values:
            update = partial(dict.update, **{key: value})
            yield f"{key} is {value!r}", lambda raw, update=update: definition(raw, update)


CRAFTED = dict(crafted())
MESSAGES = {
    "UPDATE studies SET name = 'other'": "its study 'other' is called 'study'",
    "a text among numbers": "non-INTEGER value in boards.times",
    "UPDATE studies SET definition = replace(definition, 'given', 'giben')": "'study': source must be",
    "UPDATE boards SET times = 2 WHERE board = 3": "made 20 boards, but 21 are there",
    "ALTER TABLE studies RENAME COLUMN library_version TO library_versiom": "its tables are not",
    "DELETE FROM state": "the table state",
    f"UPDATE boards SET times = {2**62}": "integer overflow",
}
UNUSED = ("UPDATE measures", "a measure called", "boards: 'times INTEGER NOT NULL CHECK")


def rows_of(path):
    """The rows of all boards."""
    with Store(path) as store:
        return list(store.results())


def ask_everything(path, folder):
    """Run all queries on a store, and return the number of errors.

    No reader changes the store or the files beside it.
    """
    csv = folder / "out.csv"

    def all_rows():
        with Store(path) as store:
            store.top("value_spread", None)
            for board in (1, 3):
                store.board(board)
            store.to_csv(csv)

    def its_study():
        with Store(path) as store:
            store.study()

    queries = (its_study, all_rows, lambda: describe_study(path), lambda: score(path, BOARDS[:20]))
    refused, before = 0, folder_of(path.parent)
    for ask in queries:
        if ask is queries[-1]:
            assert folder_of(path.parent) == before
        try:
            ask()
        except CatanError as error:
            refused += 1
            assert str(error).isprintable()
    assert not csv.exists() or "\x1b" not in csv.read_text(encoding="utf-8")
    return refused


assert MESSAGES.keys() <= CRAFTED.keys()


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_stores_rejected(tmp_path, whole, name):
    """Or it is read as the whole store, if the change is of something that no function uses."""
    path = tmp_path / "in" / "study.db"
    path.parent.mkdir()
    path.write_bytes(whole.read_bytes())
    raw = sqlite3.connect(path, isolation_level=None)
    raw.row_factory = sqlite3.Row
    CRAFTED[name](raw)
    raw.close()
    if name in MESSAGES:
        with pytest.raises(CatanError, match=f"damaged .*{MESSAGES[name]}"), Store(path) as store:
            store.studies()
    assert path.read_bytes() != whole.read_bytes()
    refused = ask_everything(path, tmp_path)
    assert refused or (name.startswith(UNUSED) and rows_of(path) == rows_of(whole))
    assert names_in(path.parent) == ["study.db"]


# Files that are not opened


def executed(*statements):
    """Return a function that executes statements on a new file."""

    def make(path):
        path.unlink()
        with closing(sqlite3.connect(path, isolation_level=None)) as raw:
            for statement in statements:
                raw.execute(statement)

    return make


def replaced(change):
    """Return a function that changes the bytes of a file."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


ALBUMS = "CREATE TABLE albums (title)"
WAL = ("PRAGMA journal_mode = WAL", "PRAGMA application_id = 77")
OTHERS = (
    (executed(ALBUMS), "another program's database"),
    (executed(*WAL, ALBUMS), "another program's database"),
    (replaced(lambda old: old[:60] + b"\0\0\0\4" + old[64:]), "version 4, .* update catan-cp"),
    (replaced(lambda old: b"not the boards you are looking for"), "not a store"),
    (replaced(lambda old: old[:8192] + b"\x5a" * 11808 + old[20000:]), "damaged .*restore a copy"),
    (replaced(lambda old: old[:9000]), "damaged .*restore a copy"),
)


@pytest.mark.parametrize(("make", "words"), OTHERS)
def test_rejected_files_stay_unchanged(copied, make, words):
    make(copied)
    before = folder_of(copied.parent)
    for use in (Store, score):
        with pytest.raises(CatanError, match=words):
            use(copied)
    assert folder_of(copied.parent) == before


# Damage by chance


MORE = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 40)]


@pytest.mark.parametrize("seed", [*range(12), *MORE])
def test_damaged_file_is_whole_or_error(tmp_path, whole, seed):
    """Some bytes written over, or the end cut off: never another answer, nor another error."""
    rng, content = random.Random(seed), bytearray(whole.read_bytes())
    for _ in range(rng.choice((1, 3, 30))):
        place = rng.randrange(len(content) if seed % 2 else 8192)
        length = rng.choice((1, 1, 8, 512))
        content[place : place + length] = rng.randbytes(len(content[place : place + length]))
    if seed % 5 == 0:
        del content[rng.randrange(len(content)) :]
    path = tmp_path / "in" / "study.db"  # not where the table is written
    path.parent.mkdir()
    path.write_bytes(content)
    try:
        same = everything(path) == everything(whole)
    except CatanError:
        same = False
    if not same:
        ask_everything(path, tmp_path)
