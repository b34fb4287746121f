"""Write the manual page from the commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from catan_cp.cli.commands import app

PLACE = "<!-- commands -->"
"""The place of the commands on the page."""

_EXAMPLE = re.compile(r"\[bold\](.*?)\[/bold\](.*)")
_TAKES = {int: "N", float: "X", Path: "FILE", str: "TEXT"}


def filled(page: str) -> str:
    """Return the page with all commands."""
    return page.replace(PLACE, "\n".join(text for name, run in commands() for text in _section(name, run)))


def commands(group: typer.Typer = app, before: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield each command's full name, such as ``entropy score``, and its function."""
    for command in group.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__.replace("_", "-")
        yield f"{before}{name}", command.callback
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        yield from commands(inner.typer_instance, f"{before}{inner.name} ")


def _section(name: str, run: Callable[..., Any]) -> Iterator[str]:
    yield f"\n### catan-cp {name}\n"
    arguments, options = _parameters(run)
    usage = " ".join(form for form, _ in arguments)
    yield f"```text\ncatan-cp {name}{' [OPTIONS]' if options else ''}{f' {usage}' if usage else ''}\n```\n"
    yield from _prose(inspect.getdoc(run) or "")
    for form, meaning in [*arguments, *options]:
        yield f"`{form}`\n: {meaning}\n"


def _prose(text: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring, with bold lines as examples."""
    for paragraph in text.split("\n\n"):
        examples = [match for line in paragraph.splitlines() if (match := _EXAMPLE.match(line.strip()))]
        if not examples:
            yield " ".join(paragraph.split()) + "\n"
        for match in examples:
            yield f"```sh\n{match[1]}{'    # ' + match[2].strip() if match[2].strip() else ''}\n```\n"


def _parameters(run: Callable[..., Any]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return arguments and options as pairs of usage and meaning."""
    arguments, options = [], []
    hints = get_type_hints(run, include_extras=True)
    for parameter in inspect.signature(run).parameters.values():
        kind, info = _without_none(hints[parameter.name]), parameter.default
        meaning = (info.help or "").strip() + _default(info.default)
        if isinstance(info, typer.models.ArgumentInfo):
            is_optional = info.default is not ...
            word = info.metavar or parameter.name.upper()
            arguments.append((f"[{word}]" if is_optional else word, meaning))
            continue
        names = sorted(info.param_decls or [f"--{parameter.name.replace('_', '-')}"], key=len)
        value = "" if kind is bool else f" {info.metavar or _takes(kind)}"
        options.append((", ".join(names) + value, meaning))
    return arguments, options


def _without_none(hint: Any) -> Any:
    """Return the type of an optional parameter without None."""
    if get_origin(hint) in (Union, UnionType):
        return next(member for member in get_args(hint) if member is not type(None))
    return hint


def _takes(kind: Any) -> str:
    if get_origin(kind) is list:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    return _TAKES[kind]


def _default(value: Any) -> str:
    if value is ... or value is None or isinstance(value, bool) or value == "":
        return ""
    return f" Default: `{value}`."
