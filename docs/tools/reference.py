"""Write the Python reference from the list of public names."""

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
"""The place of the names of some modules on a page."""
_PUBLIC: frozenset[str] = frozenset(vars(catan_cp)["__all__"])


def public_names() -> dict[str, list[str]]:
    """Return the public names of the package by module, as the stub lists them."""
    stub = Path(str(catan_cp.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    names: dict[str, list[str]] = {}
    imports = [line for line in ast.parse(stub).body if isinstance(line, ast.ImportFrom)]
    for line in imports:
        for alias in line.names:
            if alias.name in _PUBLIC:
                names.setdefault(str(line.module), []).append(alias.name)
    return names


def filled(page: str) -> str:
    """Return the page with all its public names."""
    return PLACE.sub(lambda place: "\n".join(_section(place[1].split())), page)


def _section(modules: list[str]) -> Iterator[str]:
    yield "```{eval-rst}\n.. py:currentmodule:: catan_cp\n"
    public = public_names()
    for module in modules:
        for name in public.get(module, ()):
            yield from _entry("catan_cp", name, module)
        for name in _exported_names(module) or ([] if module in public else _defined_names(module)):
            yield from _entry(f"catan_cp.{module}", name, module)
    yield "```"


def _exported_names(module: str) -> list[str]:
    """Return the names that a package exports and `catan_cp` does not."""
    package = import_module(f"catan_cp.{module}")
    names = getattr(package, "__all__", ()) if hasattr(package, "__path__") else ()
    return [name for name in names if name not in _PUBLIC]


def _defined_names(module: str) -> list[str]:
    """Return the public functions and classes that a module defines."""
    loaded = import_module(f"catan_cp.{module}")
    values = [value for value in vars(loaded).values() if getattr(value, "__module__", "") == loaded.__name__]
    return [value.__name__ for value in values if not value.__name__.startswith("_") and value.__doc__]


def _entry(prefix: str, name: str, module: str) -> Iterator[str]:
    value: Any = getattr(import_module(prefix), name)
    if inspect.isclass(value):
        yield f".. autoclass:: {prefix}.{name}"
        if any(base.__name__.startswith("_") for base in value.__bases__):
            yield "   :inherited-members:"
        yield "   :show-inheritance:\n" if issubclass(value, Exception) else ""
    elif inspect.isroutine(value):
        yield f".. autofunction:: {prefix}.{name}\n"
    else:
        yield f".. py:data:: {prefix}.{name}\n"
        yield from (f"   {line}" for line in _data_docstring(module, name))
        yield ""


def _data_docstring(module: str, name: str) -> list[str]:
    """Return the docstring under a constant of a module or of a package's modules."""
    package = import_module(f"catan_cp.{module}")
    sources = [package.__name__]
    if hasattr(package, "__path__"):
        sources += [
            f"{package.__name__}.{path.stem}" for folder in package.__path__ for path in _modules(folder)
        ]
    for source in sources:
        docs = ModuleAnalyzer.for_module(source).find_attr_docs()
        if ("", name) in docs:
            return docs["", name]
    raise LookupError(f"catan_cp.{module}.{name} must have a docstring under it")


def _modules(folder: str) -> list[Any]:
    return sorted(path for path in Path(folder).glob("*.py") if path.stem != "__init__")
