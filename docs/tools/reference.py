"""The reference, made from the package's own list of public names, so that none can be missing."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.pycode import ModuleAnalyzer

import catan_cp

PLACE = re.compile(r"<!-- names: ([a-z_. ]+) -->")
"""Where the names of some rooms go on the page."""


def handed_on() -> dict[str, list[str]]:
    """Return the public names of the package by the room that has each, as its stub lists them."""
    stub = Path(str(catan_cp.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for line in ast.parse(stub).body:
        for each in line.names if isinstance(line, ast.ImportFrom) else ():
            if each.name in catan_cp.__all__:
                found.setdefault(str(line.module), []).append(each.name)  # type: ignore[union-attr]
    return found


def filled(page: str) -> str:
    """Return the page with every public name in its place."""
    return PLACE.sub(lambda place: "\n".join(_room(place[1].split())), page)


def rooms(page: str) -> list[str]:
    """Return the rooms whose names the page shows, in its order."""
    return [room for names in PLACE.findall(page) for room in names.split()]


def _room(names: list[str]) -> Iterator[str]:
    yield "```{eval-rst}\n.. py:currentmodule:: catan_cp\n"
    public = handed_on()
    for room in names:
        for name in public.get(room, ()):
            yield from _entry("catan_cp", name, room)
        for name in _inner(room) or ([] if room in public else _own(room)):
            yield from _entry(f"catan_cp.{room}", name, room)
    yield "```"


def _inner(room: str) -> list[str]:
    """The names that a room hands out itself, beyond those of the package."""
    module = import_module(f"catan_cp.{room}")
    names = getattr(module, "__all__", ()) if hasattr(module, "__path__") else ()
    return [name for name in names if name not in catan_cp.__all__]


def _own(room: str) -> list[str]:
    """The functions and classes that a room defines, where the package hands on none of them."""
    module = import_module(f"catan_cp.{room}")
    mine = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    return [value.__name__ for value in mine if not value.__name__.startswith("_") and value.__doc__]


def _entry(module: str, name: str, room: str) -> Iterator[str]:
    value: Any = getattr(import_module(module), name)
    if inspect.isclass(value):
        yield f".. autoclass:: {module}.{name}"
        yield "   :show-inheritance:\n" if issubclass(value, Exception) else ""
    elif inspect.isroutine(value):
        yield f".. autofunction:: {module}.{name}\n"
    else:
        yield f".. py:data:: {module}.{name}\n"
        yield from (f"   {line}" for line in _words(room, name))
        yield ""


def _words(room: str, name: str) -> list[str]:
    """The docstring that stands under a constant, in whichever module of the room it is."""
    package = import_module(f"catan_cp.{room}")
    inside = [package.__name__]
    if hasattr(package, "__path__"):
        inside += [
            f"{package.__name__}.{path.stem}" for folder in package.__path__ for path in _modules(folder)
        ]
    for module in inside:
        docs = ModuleAnalyzer.for_module(module).find_attr_docs()
        if ("", name) in docs:
            return docs["", name]
    raise LookupError(f"catan_cp.{room}.{name} has no docstring under it")


def _modules(folder: str) -> list[Any]:
    from pathlib import Path

    return sorted(path for path in Path(folder).glob("*.py") if path.stem != "__init__")
