"""Values of a JSON text, each with its place for error messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar
from unicodedata import category

from catan_cp.boards.notation import json_value
from catan_cp.errors import InvalidBoard, listed, show, whole_number

T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """A value of a JSON text.

    Attributes:
        value: the value.
        place: the keys that lead to it, such as ``mapState.tileHexStates.3``.
    """

    value: Any
    place: str = ""

    @classmethod
    def of(cls, text: str) -> Entry:
        """Return the value of a JSON text.

        Raises:
            InvalidBoard: it is not JSON.
        """
        return cls(json_value(text))

    def reject(self, allowed: str) -> NoReturn:
        """Raise the error for a value that is not *allowed*."""
        raise InvalidBoard(f"{self.place or 'the file'} must be {allowed}, not {show(self.value)}")

    def get(self, key: str) -> Entry | None:
        """Return the value of a key of an object, or None if it is missing or null."""
        value = self.value.get(key) if isinstance(self.value, dict) else self.reject("an object")
        return None if value is None else Entry(value, f"{self.place}.{key}".lstrip("."))

    def __getitem__(self, key: str) -> Entry:
        """Return the value of a key of an object, which must have it."""
        return self.get(key) or self.reject(f"an object with {key}")

    def first(self, *keys: str) -> Entry | None:
        """Return the value of the first of *keys* that the object has."""
        return next((entry for key in keys if (entry := self.get(key))), None)

    def items(self) -> Iterator[tuple[str, Entry]]:
        """Yield the entries of an object or a list, with their keys or numbers."""
        if not isinstance(self.value, (dict, list)):
            self.reject("an object or a list")
        pairs = self.value.items() if isinstance(self.value, dict) else enumerate(self.value)
        for key, value in pairs:
            name = str(key) if str(key)[:41].isalnum() and len(str(key)) <= 40 else show(key)
            yield str(key), Entry(value, f"{self.place}.{name}")

    def entries(self) -> list[Entry]:
        """Return the values of an object or a list."""
        return [entry for _, entry in self.items()]

    def number(self, least: int = -1000, most: int = 1000) -> int:
        """Return a whole number from *least* to *most*."""
        number = whole_number(self.value)
        if number is None or not least <= number <= most:
            self.reject(f"a number from {least} to {most}")
        return number

    def numbers(self, length: int) -> tuple[int, ...]:
        """Return a list of *length* whole numbers."""
        if not isinstance(self.value, list) or len(self.value) != length:
            self.reject(f"a list of {length} numbers")
        return tuple(entry.number() for entry in self.entries())

    def text(self) -> str:
        """Return the first 40 characters of a text of one line."""
        if not isinstance(self.value, str) or {"Cc", "Zl", "Zp"} & {*map(category, self.value)}:
            self.reject("a text of one line")
        return self.value[:40]

    def choice(self, known: Mapping[Any, T]) -> T:
        """Return the value that *known* has for this word or number."""
        if not isinstance(self.value, (str, int, type(None))) or isinstance(self.value, bool):
            self.reject(f"one of {listed(known)}")
        return known[self.value] if self.value in known else self.reject(f"one of {listed(known)}")


def distinct(values: Iterable[T], name: str) -> list[T]:
    """Return *values* as a list.

    Raises:
        InvalidBoard: two are equal.
    """
    listing = list(values)
    if len({*listing}) != len(listing):
        raise InvalidBoard(f"{name} must be distinct, not {show(listing)}")
    return listing
