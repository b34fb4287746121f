"""A short run of `make fuzz`: the seeds, and similar bytes and documents."""

import random
import time

import pytest

from tests.fuzz.readers import READERS, SEEDS, feed
from tests.fuzz.structure import FORMS, changed, mutated


@pytest.mark.parametrize("reader", READERS)
def test_seeds_of_fuzzer_and_similar_inputs(reader):
    rng = random.Random(1)
    began = time.monotonic()
    messages = [feed(reader, seed) for seed in SEEDS[reader]]
    assert time.monotonic() - began < 60
    assert "" in messages
    small = [seed for seed in SEEDS[reader] if len(seed) < 5000] or SEEDS[reader]
    for _ in range(10 if reader == "models" else 300):  # each runs MiniZinc
        data = bytearray(rng.choice(small))
        for _ in range(rng.randint(1, 4)):
            start = rng.randrange(len(data) + 1)
            piece = rng.choice((rng.randbytes(rng.randint(0, 3)), rng.choice(small)[: rng.randint(0, 40)]))
            data[start : start + rng.randint(0, 3)] = piece
        feed(reader, bytes(data))


UNREADABLE = {
    "json": "this is not JSON",
    "toml": "is not TOML",
    "study": "JSONDecodeError",
    "layout": "is not TOML",
    "plan": "JSONDecodeError",
    "games": "JSONDecodeError",
    **dict.fromkeys(("colonist.io", "JSettlers2", "Catanatron"), "this is not JSON"),
}


@pytest.mark.parametrize("reader", FORMS)
def test_well_formed_wrong_documents(reader):
    """They get past the parser: nine of ten rejections concern the content."""
    rng = random.Random(1)
    messages = [feed(reader, changed(reader, rng.choice(SEEDS[reader]), rng)) for _ in range(200)]
    assert messages.count("") > 5
    assert sum(UNREADABLE[reader] in message for message in messages) < 20


def test_changes_keep_document_and_follow_seed():
    document = {"layout": "base", "terrain": ["ore", "wool"], "harbors": [{"vertices": [0, 1]}]}
    before = repr(document)

    def said(seed):
        try:
            return repr(mutated(document, random.Random(seed)))
        except RecursionError:  # nested more than once, and so deeper than Python goes
            return "too deep"

    records = [said(seed) for seed in range(200)]
    assert repr(document) == before
    assert records == [said(seed) for seed in range(200)]
    assert len(set(records)) > 150


def test_other_bytes_become_seed():
    nested = b"[" * 900 + b"]" * 900  # which mostly cannot be walked
    for data in (b"", b"\xff{", b"[" * 60_000, nested):
        for seed in range(50):
            assert changed("json", data, random.Random(seed))[:1] in b'{["0123456789-ntfNI'
