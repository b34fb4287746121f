"""Change documents by their structure, so that the fuzzer gets past the parser.

A byte changed anywhere mostly makes text that is neither JSON nor TOML, which tests only the parsers. This
module parses a document. It replaces, drops, doubles, exchanges or nests a part of it, and writes it again.
The result is well formed, and wrong in a way that only its reader can notice.
"""

from __future__ import annotations

import base64
import json
import tomllib
import zlib
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

from tests.fuzz.readers import SEEDS, WORDS

NUMBERS = (-1, 0, 1, 2, 6, 7, 8, 12, 13, 255, 10_000, 10_001, 2**31, 2**63, -(10**300), 0.5, -0.0, 1e308)
_WORDS = ("", " ", "3:1", "\0", "ß", "\ud800", "9" * 5000)
STRANGE: tuple[Any, ...] = (None, True, False, *_WORDS, float("nan"), float("inf"), [], {})
_DEEPEST = 600
_LONGEST = 7_000
"""Maximum bytes of a document to change.

Larger documents take long to read, so only their bytes are changed.
"""
_Place = tuple[Any, Any]


def mutated(document: Any, rng: Random) -> Any:
    """Return a copy of a document of dicts, lists and values with one to four changes in it."""
    holder = [deepcopy(document)]
    for _ in range(rng.randint(1, 4)):
        rng.choice(_CHANGES)(holder, rng)
    return holder[0]


def _places(value: Any) -> list[_Place]:
    """Return the places of all values, each as its container and the key or index in it."""
    places: list[_Place] = []
    stack = [value]
    while stack:
        holder = stack.pop()
        keys = holder if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            places.append((holder, key))
            stack.append(holder[key])
    return places


def _replace(holder: list[Any], rng: Random) -> None:
    """Replace a value: by a number, a word, a strange value, or another part."""
    container, key = rng.choice(_places(holder))
    kind = rng.randrange(4)
    if kind == 0:
        container[key] = rng.choice(NUMBERS)
    elif kind == 1:
        container[key] = rng.choice(WORDS)
    elif kind == 2:
        container[key] = deepcopy(rng.choice(STRANGE))
    else:
        elsewhere, other = rng.choice(_places(holder))
        container[key] = deepcopy(elsewhere[other])


def _nudge(holder: list[Any], rng: Random) -> None:
    """Change a number a little, or one letter of a word."""
    container, key = rng.choice(_places(holder))
    value = container[key]
    if isinstance(value, bool) or value is None:
        container[key] = not value
    elif isinstance(value, (int, float)):
        container[key] = value + rng.choice((-1, 1, 7))
    elif isinstance(value, str) and value:
        at = rng.randrange(len(value))
        container[key] = value[:at] + rng.choice(("", "/", "-", "1", "s", value[at] * 2)) + value[at + 1 :]


def _drop(holder: list[Any], rng: Random) -> None:
    """Leave something out."""
    container, key = rng.choice(_places(holder))
    if container is not holder:
        del container[key]


def _double(holder: list[Any], rng: Random) -> None:
    """Repeat something: an element after itself, or a value under another key too."""
    container, key = rng.choice(_places(holder))
    again = deepcopy(container[key])
    if isinstance(container, dict):
        container[rng.choice((*WORDS, f"{key} ", key.upper()))] = again
    elif container is not holder:
        container[key:key] = [again] * rng.choice((1, 1, 2, 40))


def _exchange(holder: list[Any], rng: Random) -> None:
    """Let two neighbours change places."""
    container, key = rng.choice(_places(holder))
    keys = list(container) if isinstance(container, dict) else range(len(container))
    other = rng.choice(keys)
    container[key], container[other] = container[other], container[key]


def _nest(holder: list[Any], rng: Random) -> None:
    """Wrap a value in lists or objects, once or many times."""
    container, key = rng.choice(_places(holder))
    value = container[key]
    for _ in range(rng.choice((1, 1, 2, _DEEPEST))):
        value = [value] if rng.random() < 0.5 else {rng.choice(WORDS): value}
    container[key] = value


_CHANGES = (_replace, _replace, _nudge, _nudge, _drop, _double, _exchange, _nest)


def json_text(value: Any) -> str:
    """Return a document as JSON."""
    return json.dumps(value)


def toml_text(value: Any) -> str:
    """Return a dict as TOML: a line a key, tables inline.

    What TOML cannot say becomes what is nearest.
    """
    pairs = value.items() if isinstance(value, dict) else [("preset", value)]
    return "".join(f"{_key(key)} = {_toml(element)}\n" for key, element in pairs)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, (bool, int)):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    return json.dumps("" if value is None else str(value), ensure_ascii=False)


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else json.dumps(key, ensure_ascii=False)


def read_games(text: str) -> Any:
    """Return games with their packed tables as lists of bytes."""
    value = json.loads(text)
    for name in ("rows", "history"):
        data = zlib.decompressobj().decompress(base64.b85decode(value[name]), _LONGEST)
        value[name] = list(data)
    return value


def games_text(value: Any) -> str:
    """Return games as JSON, their tables packed if they are still bytes."""
    for name in ("rows", "history"):
        if isinstance(value, dict) and isinstance(value.get(name), list):
            with suppress(TypeError, ValueError):  # another kind of value stays as it is
                value[name] = base64.b85encode(zlib.compress(bytes(value[name]))).decode()
    return json.dumps(value)


FORMS: dict[str, tuple[Callable[[str], Any], Callable[[Any], str]]] = {
    "json": (json.loads, json_text),
    "toml": (tomllib.loads, toml_text),
    "study": (json.loads, json_text),
    "layout": (tomllib.loads, toml_text),
    "plan": (json.loads, json_text),
    "games": (read_games, games_text),
    **dict.fromkeys(("colonist.io", "JSettlers2", "Catanatron"), (json.loads, json_text)),
}
"""The readers whose documents have a structure: how these are read and written."""


def changed(reader: str, data: bytes, rng: Random) -> bytes:
    """Return *data* changed by its structure, or a seed of the reader if *data* cannot be parsed."""
    read, write = FORMS[reader]
    seeds = [seed for seed in SEEDS[reader] if len(seed) <= _LONGEST]
    tried = data if len(data) <= _LONGEST else rng.choice(seeds)
    while True:
        try:
            document = read(tried.decode("utf-8", "replace"))
            return write(mutated(document, rng)).encode("utf-8", "replace")
        except (ValueError, LookupError, TypeError, RecursionError, zlib.error):  # no document, or too deep
            tried = rng.choice(seeds)
