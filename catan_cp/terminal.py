"""Output of the commands and in notebooks.

Standard output carries results only, standard error remarks. Standard streams may be closed, or lose their
reader, at any time.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from html import escape
from itertools import groupby, pairwise
from typing import IO, Any, TextIO, TypeVar

from catan_cp.errors import Interrupted, SolverTimeout, show, visible

T = TypeVar("T")

is_command = False
"""True if a command runs in this process, so that remarks have a reader."""

_COLOURS = {"b": "31", "l": "32", "w": "92", "g": "33", "o": "35", "a": "93", "s": "34"}
"""Colours of tiles in text by the letter of the terrain; others have the colour of text."""
_GAP = re.compile(r"(?<=\S) {2,}(?=\S)")  # between two cells of a table
_NUMBER = re.compile(r"[-+]?[\d,.]+(?:e[-+]?\d+)?%?|-?")  # a cell of a table
_FEW = 2
"""The maximum number of gaps in a line that is not the row of a table."""
_CELL = re.compile(r"\b([a-z])((?:\d+(?:\+\d+)?)?)\b")
_PLAIN = str.maketrans({"·": ".", "±": "+-", "×": "x", "²": "^2"})
_STATISTICS = ("nodes", "failures", "peak_depth", "restarts", "propagations", "init_time", "solve_time")
"""The statistics of a solver that are printed, the most important first."""


def tell(
    text: object, *, end: str = "\n", flush: bool = False, error: bool = False, tiles: bool = False
) -> None:
    """Print *text* on standard output or standard error, with control characters made visible.

    On a terminal, lines wider than it are wrapped between words. With *tiles*, the lines before the first
    empty one are a board, which is coloured if the terminal has colours.
    """
    stream = sys.stderr if error else sys.stdout
    printable = _encodable(_wrapped(visible(str(text)), stream), stream)
    if tiles and _has_colours(stream):
        board, gap, rest = printable.partition("\n\n")
        printable = _CELL.sub(_coloured, board) + gap + rest
    print(printable, end=end, flush=flush, file=stream)


def _has_colours(stream: TextIO) -> bool:
    """Return True if text on *stream* may be coloured; see no-color.org and force-color.org."""
    if os.environ.get("NO_COLOR"):
        return False
    kind = os.environ.get("TERM") or os.environ.get("WT_SESSION", "dumb")  # the second is Windows Terminal's
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and kind != "dumb")


def _coloured(cell: re.Match[str]) -> str:
    """Return a tile in the colour of its terrain, bold with a 6 or 8."""
    bold = ";1" if cell[2] in ("6", "8") else ""
    return f"\x1b[{_COLOURS.get(cell[1], '39')}{bold}m{cell[0]}\x1b[0m"


def _encodable(text: str, stream: TextIO) -> str:
    """Return *text*, in ASCII and escapes if the stream cannot encode it."""
    encoding = stream.encoding or "utf-8"  # a stream in memory has no encoding
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def _wrapped(text: str, stream: IO[str]) -> str:
    """Return *text* with lines wider than the terminal wrapped between words.

    A wide table of numbers becomes several tables. If a row of another table is too wide only because of its
    last column, that column follows on a line of its own.
    """
    if not stream.isatty():
        return text
    try:
        columns = max(0, int(os.environ.get("COLUMNS", ""))) or 80
    except ValueError:
        columns = os.get_terminal_size(stream.fileno()).columns or 80
    if max(map(len, text.split("\n"))) <= columns:
        return text
    lines: list[str] = []
    for _, group in groupby(text.split("\n"), lambda line: len(_GAP.findall(line)) > _FEW):
        block = list(group)
        lines += _folded(block, columns) if len(block) > 1 and max(map(len, block)) > columns else block
    return "\n".join(part for line in lines for part in _parts(line, columns))


def _folded(rows: Sequence[str], columns: int) -> list[str]:
    """Return a table as several tables that are at most *columns* wide, if its columns can be told apart.

    Each of them begins with the leading columns of text.
    """
    width = max(map(len, rows))
    padded = [row.ljust(width) for row in rows]
    blank = "".join(" " if set(letters) == {" "} else "x" for letters in zip(*padded, strict=True))
    starts = [0, *(gap.end() for gap in _GAP.finditer(blank)), width + 2]
    cells = [[row[start:end].rstrip() for row in padded] for start, end in pairwise(starts)]
    widths = [end - start for start, end in pairwise(starts)]
    has_numbers = [
        any(column[1:]) and all(_NUMBER.fullmatch(cell.strip()) for cell in column[1:]) for column in cells
    ]
    n_texts = has_numbers.index(True) if True in has_numbers else 0
    texts, tables = starts[n_texts], [[0] * 0]
    for i in range(n_texts, len(cells)):
        if texts + sum(widths[j] for j in tables[-1]) + widths[i] - 2 > columns and tables[-1]:
            tables.append([])
        tables[-1].append(i)
    if not n_texts or not all(has_numbers[n_texts:]) or texts + max(widths) > columns:
        return list(rows)
    lines: list[str] = []
    for chosen in tables:
        lines += [""] if lines else []
        for k in range(len(rows)):
            line = "".join(cells[i][k].ljust(widths[i]) for i in (*range(n_texts), *chosen))
            lines.append(line.rstrip())
    return lines


def _parts(line: str, columns: int) -> list[str]:
    """Return a line as lines that are at most *columns* wide where possible."""
    if len(line) <= columns:
        return [line]
    from textwrap import wrap

    cells = [*_GAP.finditer(line)]
    if len(cells) > 2 and cells[-1].start() <= columns:
        last = line[cells[-1].end() :]
        if len(last) + 4 <= columns:
            return [line[: cells[-1].start()], f"    {last}"]
    has_label = len(cells) == 1 and not line.startswith(" ") and cells[0].end() <= columns // 4
    indent = " " * (2 + (cells[0].end() if has_label else len(line) - len(line.lstrip())))
    options = {"break_long_words": False, "break_on_hyphens": False, "expand_tabs": False}
    return wrap(line, columns, subsequent_indent=indent, **options)  # type: ignore[arg-type]


def aligned(lines: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Return the lines of a table, with the first *texts* columns left, others right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    template = "  ".join(f"{{:{'<' if i < texts else '>'}{width}}}" for i, width in enumerate(widths))
    return [template.format(*line).rstrip() for line in lines]


LONGEST_REPR = 300
"""The length that the `repr` of a result stays below."""


def brief(name: str, values: Mapping[str, object]) -> str:
    """Return a `repr` below `LONGEST_REPR` characters: a class with shortened values.

    >>> brief("Box", {"width": 3, "items": tuple(range(100))})
    'Box(width=3, items=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21...)'
    """
    text = f"{name}({', '.join(f'{key}={show(value)}' for key, value in values.items())})"
    return text if len(text) < LONGEST_REPR else f"{text[: LONGEST_REPR - 5]}...)"


class Brief:
    """Base of dataclasses with a short `repr` and a table of their fields in notebooks.

    Both leave out fields with their default value.
    """

    def _fields(self) -> dict[str, Any]:
        values = {field.name: (getattr(self, field.name), field) for field in fields(self) if field.repr}  # type: ignore[arg-type]
        return {name: value for name, (value, field) in values.items() if value != field.default}

    def __repr__(self) -> str:
        return brief(type(self).__name__, self._fields())

    def _repr_html_(self) -> str:
        rows = [(name, show(value)) for name, value in self._fields().items()]
        return html_table(rows, caption=type(self).__name__)


def html_table(rows: Iterable[Sequence[object]], head: Sequence[object] = (), caption: object = "") -> str:
    """Return a table in HTML. All texts are escaped.

    >>> html_table([("a", 1 < 2)], caption="<b>")
    '<table><caption>&lt;b&gt;</caption><tr><td>a</td><td>True</td></tr></table>'
    """

    def line(cells: Sequence[object], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{html_text(cell)}</{tag}>' for cell in cells)}</tr>"

    lines = ([line(head, "th")] if head else []) + [line(row, "td") for row in rows]
    title = f"<caption>{html_text(caption)}</caption>" if caption else ""
    return f"<table>{title}{''.join(lines)}</table>"


def html_text(text: object) -> str:
    """Return a text for HTML, with control characters made visible."""
    return escape(visible(str(text))).replace("\n", "<br>")


def open_closed_streams() -> None:
    """Replace standard streams that were closed when the process started, as with ``2>&-``.

    Python sets them to None, and the next file that is opened would get the stream's number. After this call
    remarks are discarded, input is empty, and writing results fails, as in other programs.
    """
    for name, mode, flags in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),  # so that writing raises
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8", closefd=False))


def discard(stream: IO[str]) -> None:
    """Discard the buffer of *stream*, which Python would write as it exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(message: str) -> None:
    """Print a remark on standard error, and ignore errors if that has no reader."""
    try:
        tell(message, flush=True, error=True)
    except OSError:
        discard(sys.stderr)


@contextmanager
def explained_interrupt(explain: Callable[[], str]) -> Iterator[None]:
    """Add the text of *explain* to a KeyboardInterrupt that has no text.

    The text states which results are kept and how to continue.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if str(interrupt) or not (text := explain()):
            raise
        raise KeyboardInterrupt(f"interrupted; {text}") from None


class CountedResults:
    """A context in which the number of printed results is right when Ctrl-C comes.

    Each result is printed when the reader of a pipe is ready for it, so the reader may stop. Ctrl-C ends that
    wait, but waits until a result is printed. A second one does not, because long results may wait too.
    """

    def __init__(self) -> None:
        """Count from nothing."""
        self.printed = 0
        self._is_printing = False
        self._interrupts = 0

    def __enter__(self) -> CountedResults:
        """Take over Ctrl-C, if it raises `KeyboardInterrupt` and this is the main thread."""
        in_main_thread = threading.current_thread() is threading.main_thread()
        self._is_set = in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._is_set:
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        """Give Ctrl-C back."""
        if self._is_set:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _interrupt(self, *_: object) -> None:
        self._interrupts += 1
        if not self._is_printing or self._interrupts > 1:
            raise KeyboardInterrupt

    def print(self, work: Callable[[], object]) -> None:
        """Print one result by *work*, which flushes standard output, and count it."""
        with suppress(OSError, ValueError):  # On Windows and in tests, standard output has no `select`.
            select.select([], [sys.stdout], [])  # Then a pipe takes at least `select.PIPE_BUF` bytes.
        self._is_printing = True
        try:
            work()
            self.printed += 1
        finally:
            self._is_printing = False
            if self._interrupts:  # Ctrl-C also ends the reader, so the pipe may be broken.
                raise KeyboardInterrupt


@contextmanager
def partial_result(work: Callable[..., T], explanation: str) -> Iterator[T]:
    """Yield the result of *work*, or its partial result before its error is raised.

    Args:
        work: a function with the parameter ``progress`` that raises `SolverTimeout` or `Interrupted`.
        explanation: the message after Ctrl-C; ``{}`` is replaced with the message of *work*.
    """
    error: Interrupted | SolverTimeout | None = None
    try:
        result = work(progress=True)
    except SolverTimeout as timeout:
        result, error = timeout.partial, timeout
    except Interrupted as interrupt:
        result, error = interrupt.result, Interrupted(explanation.format(interrupt))
    yield result
    if error is not None:
        raise error


def statistics_text(statistics: Mapping[str, float]) -> str:
    """Return a solver's statistics of its search as one line."""
    parts = []
    for name in _STATISTICS:
        if (value := statistics.get(name)) is not None:
            unit = f"{value:.3f} s" if name.endswith("time") else f"{value:,}"
            parts.append(f"{name.replace('_', ' ')} {unit}")
    return "statistics: " + (", ".join(parts) or "none, since no solver ran to its end")
