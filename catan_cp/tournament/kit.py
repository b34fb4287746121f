"""Sheets of a tournament: maps, table cards, score sheets, an overview, and standings."""

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from matplotlib.figure import Figure

from catan_cp.draw import picture as pictures
from catan_cp.draw.board import save_picture
from catan_cp.draw.content import Content, checked_text
from catan_cp.draw.glyphs import text_width
from catan_cp.draw.layers import paint
from catan_cp.draw.picture import Canvas
from catan_cp.draw.shapes import XY, Box
from catan_cp.draw.sheet import MARGIN, PAPERS, qr_modules
from catan_cp.draw.style import BLACK, WHITE, blend, default_settings, find_theme
from catan_cp.errors import InvalidArgument, check_choice, check_kind, show
from catan_cp.files import checked_path, write_whole
from catan_cp.progress import Progress, Watch, watching
from catan_cp.tournament.planning import Round, Tournament
from catan_cp.tournament.results import MEANINGS, Standings

_INCH = 25.4
_EDGE = MARGIN + 6.0
_THEME = find_theme("light")._replace(background=WHITE, text=BLACK)  # colours on the paper
_FAINT = blend(WHITE, BLACK, 0.45)
_CODE = 42.0  # the width of a QR code in millimetres, like all lengths of this module
_CARDS = (2, 3)  # columns and rows of cards on a page
_ROW = 8.5
_LINE = 6.2  # the height of a line of the standings

SCORED = ("points", "rank", "signed")
"""Columns for the results of a game."""


class _Sheet:
    """Page as a figure, with coordinates in millimetres from the lower left."""

    def __init__(self, title: str, size: tuple[float, float]) -> None:
        self.width, self.height = size
        self.right = self.width - _EDGE  # where lines end
        self.figure = pictures.new_picture(self.width / _INCH, self.height / _INCH, WHITE)
        page = pictures.add_axes(self.figure, 0, 0, 1, 1)
        page.patch.set_visible(False)
        page.set_zorder(1)  # above a board
        self._canvas = Canvas.on(page, _THEME, Box(0.0, self.width, 0.0, self.height))
        self.write(title, _EDGE, self.height - _EDGE - 3, 5.0, self.right - _EDGE, bold=True)

    def write(
        self, text: str, x: float, y: float, cap: float, room: float = 1e9, *, bold: bool = False
    ) -> None:
        """Write text from *x*, with capitals of height *cap* or less to fit the width *room*."""
        if not text.strip():
            return
        wide = text_width(text, cap, bold=bold)
        if wide > room:
            cap, wide = cap * room / wide, room
        self._canvas.words([(text, (x + wide / 2, y), cap)], [BLACK], "words", bold=bold)

    def line(self, *points: XY) -> None:
        """Plot a thin line."""
        self._canvas.strokes([points], [_FAINT], 0.25, "lines")

    def board(self, content: Content, x: float, y: float, wide: float, high: float) -> None:
        """Plot a board with its lower left corner at (x, y)."""
        place = x / self.width, y / self.height, wide / self.width, high / self.height
        paint(pictures.add_axes(self.figure, *place), content, _THEME)

    def code(self, address: str, x: float, y: float) -> None:
        """Plot the QR code of an address with its lower left corner at (x, y)."""
        rows = qr_modules(address)
        size = _CODE / len(rows)
        dark = [
            (x + k * size, y + i * size)
            for i, row in enumerate(reversed(rows))
            for k, module in enumerate(row)
            if module
        ]
        squares = [[(u, v), (u + size, v), (u + size, v + size), (u, v + size)] for u, v in dark]
        self._canvas.polygons(squares, [BLACK], "code")


@default_settings()
def save_kit(
    tournament: Tournament,
    path: str | PathLike[str],
    *,
    title: str = "Catan tournament",
    paper: str = "A4",
    links: Sequence[str] = (),
    force: bool = False,
    progress: bool | Watch = False,
) -> Path:
    """Write a tournament's sheets into one PDF, and return its path.

    Each round has the map with a key, cards with names and places to cut out, and score sheets. The last
    pages are the director's overview, with each seat's share of wins, and a list for all scores.

    Args:
        tournament: the tournament.
        path: the file to write, with a name that ends in .pdf. It is written completely or not at all.
        title: the title of every page.
        paper: ``"A4"``, ``"A3"`` or ``"Letter"``, upright.
        links: an address for the map of each round, printed as a QR code, or an empty list.
        force: overwrite an existing file.
        progress: True for a line on the terminal, or a function that is called with a
            `catan_cp.progress.Progress`.

    Raises:
        InvalidArgument: an argument is invalid, or there is not one link per round.
        CatanError: the file cannot be written, or *links* need the package segno, which is not installed.
    """
    target = checked_path(path, (".pdf",), force=force)
    size = PAPERS[check_choice("paper", paper, PAPERS)]
    rounds = check_kind("sheets are printed of a Tournament", tournament, Tournament).rounds
    checked_text("a title", title)
    if isinstance(links, str) or not isinstance(links, Sequence):
        raise InvalidArgument(f"links must be a list of addresses, one per round, not {show(links)}")
    for link in links:
        check_kind("a link is text", link, str)
    if links and len(links) != len(rounds):
        raise InvalidArgument(f"links must be one per round, {len(rounds)} in all, not {len(links)}")
    sheets = list(_sheets(tournament, title, size, links))

    def figures() -> Iterator[Figure]:
        for number, sheet in enumerate(sheets, start=1):
            yield sheet.figure
            if watch is not None:
                watch(Progress(number, len(sheets), "sheets"))

    with watching(progress, "drawing") as watch:
        write_whole(target, pictures.render_pages(figures()), force=force)
    return target


@default_settings()
def save_standings(
    standings: Standings,
    path: str | PathLike[str],
    *,
    title: str = "Standings",
    paper: str = "A4",
    force: bool = False,
) -> Path:
    """Write standings as a sheet for the public, and return its path.

    Args:
        standings: the standings.
        path: the file to write. A PDF has pages of the paper's size. A PNG or SVG is one picture.
        title: the title of every page.
        paper: ``"A4"``, ``"A3"`` or ``"Letter"``, upright.
        force: overwrite an existing file.

    Raises:
        InvalidArgument: an argument is invalid.
        CatanError: the file cannot be written.
    """
    target = checked_path(path, (".pdf", ".png", ".svg"), force=force)
    wide, high = PAPERS[check_choice("paper", paper, PAPERS)]
    first, *rows = check_kind("this sheet is printed of Standings", standings, Standings).rows()
    checked_text("a title", title)
    note = [f"Ranked by {', then by '.join(standings.criteria)}. Players with = are tied."]
    note += [f"{name}: {MEANINGS[name]}" for name in standings.criteria if name in MEANINGS]
    lines = 19 + 6 * len(note)
    if target.suffix.lower() != ".pdf":
        high = 2 * _EDGE + lines + (len(rows) + 2) * _LINE
    fit = max(1, int((high - 2 * _EDGE - lines + 1) / _LINE) - 2)
    shares = (0.08, 0.38, *[0.54 / (len(first) - 2)] * (len(first) - 2))
    blocks = [("", [first, *rows[start : start + fit]], shares) for start in range(0, len(rows), fit)]
    sheets = [sheet.figure for sheet in _flowing(title, (wide, high), blocks, _LINE, note)]
    if target.suffix.lower() == ".pdf":
        write_whole(target, pictures.render_pages(sheets), force=force)
        return target
    return save_picture(sheets[0], target, force=force)


def _sheets(
    tournament: Tournament, title: str, size: tuple[float, float], links: Sequence[str]
) -> Iterator[_Sheet]:
    for number, round_ in enumerate(tournament.rounds, start=1):
        head = f"{title}: round {number}"
        yield _map(round_, _Sheet(head, size), links[number - 1] if links else "")
        yield from _cards(round_, head, size)
        yield from _scores(round_, head, size)
    yield from _overview(tournament, f"{title}: for the director", size)
    yield from _standings(tournament, f"{title}: all scores", size)


def _map(round_: Round, sheet: _Sheet, link: str) -> _Sheet:
    """Return the sheet with the map, its key, its notation, and the QR code of *link*."""
    top, foot = sheet.height - _EDGE - 10, _EDGE + _CODE + 4
    content = Content(round_.board, key=True)
    box = content.whole
    scale = min((sheet.right - _EDGE) / box.width, (top - foot) / box.height)
    wide, high = scale * box.width, scale * box.height
    sheet.board(content, (sheet.width - wide) / 2, top - high, wide, high)
    room = sheet.right - _EDGE
    if link:
        sheet.code(link, sheet.right - _CODE, _EDGE)
        room -= _CODE + 4
        sheet.write("The code shows this map in a browser.", _EDGE, _EDGE + 16, 2.6, room)
    sheet.write("All tables of this round play this map; its notation is", _EDGE, _EDGE + 10, 2.6, room)
    sheet.write(round_.board.notation(), _EDGE, _EDGE + 4, 2.6, room)
    return sheet


def _cards(round_: Round, head: str, size: tuple[float, float]) -> Iterator[_Sheet]:
    """Yield pages with cards for the tables to cut out."""
    columns, rows = _CARDS
    for first in range(0, len(round_.tables), columns * rows):
        sheet = _Sheet("", size)
        wide, high = (sheet.right - _EDGE) / columns, (sheet.height - 2 * _EDGE) / rows
        for card, table in enumerate(round_.tables[first : first + columns * rows]):
            x, top = _EDGE + card % columns * wide, sheet.height - _EDGE - card // columns * high
            right, bottom = x + wide, top - high
            sheet.line((x, bottom), (right, bottom), (right, top), (x, top), (x, bottom))
            sheet.write(f"Table {first + card + 1}", x + 6, top - 12, 7.0, wide - 12, bold=True)
            sheet.write(head, x + 6, top - 21, 2.6, wide - 12)
            for place, player in enumerate(table, start=1):
                y = top - 21 - place * (high - 30) / 4.5
                sheet.write(f"{place}", x + 6, y, 6.0, bold=True)
                sheet.write(_player_name(player), x + 18, y, 5.0, wide - 24)
        yield sheet


def _scores(round_: Round, head: str, size: tuple[float, float]) -> Iterator[_Sheet]:
    """Return score sheets with a block for each table."""
    blocks = []
    for number, table in enumerate(round_.tables, start=1):
        rows = [
            (f"{place}  {_player_name(player)}", "", "", "") for place, player in enumerate(table, start=1)
        ]
        blocks.append((f"Table {number}", [("", *SCORED), *rows], (0.46, 0.14, 0.14, 0.26)))
    return _flowing(f"{head}, scores", size, blocks)


def _overview(tournament: Tournament, head: str, size: tuple[float, float]) -> Iterator[_Sheet]:
    """Return the director's overview: seats, chances, and the quality of the schedule."""
    blocks = []
    for number, round_ in enumerate(tournament.rounds, start=1):
        most = max(map(len, round_.tables))
        rows: list[tuple[str, ...]] = [(f"round {number}", *(f"place {k}" for k in range(1, most + 1)))]
        rows += [(f"table {n}", *map(_player_name, table)) for n, table in enumerate(round_.tables, start=1)]
        for n, check in round_.checks.items():
            source = "chances" if check.wins is None else "wins"
            rows.append((f"{source} of {n}", *(f"{100 * share:.1f} %" for share in check.shares)))
        blocks.append(("", rows, (0.16, *[0.84 / most] * most)))
    return _flowing(head, size, blocks, 0.7 * _ROW, tournament.explain())


def _standings(tournament: Tournament, head: str, size: tuple[float, float]) -> Iterator[_Sheet]:
    """Return a list of all players with a column for each round."""
    n = len(tournament.rounds)
    first = ("", *(f"round {r}" for r in range(1, n + 1)), "sum")
    names = [_player_name(player) for player in tournament.players]
    fit = int((size[1] - 2 * _EDGE - 24) / _ROW)
    shares = (0.34, *[0.66 / (n + 1)] * (n + 1))
    rows = [[first, *((name,) for name in names[start : start + fit])] for start in range(0, len(names), fit)]
    return _flowing(head, size, [("", some, shares) for some in rows])


def _flowing(
    head: str,
    size: tuple[float, float],
    blocks: Sequence[tuple[str, Sequence[Sequence[str]], Sequence[float]]],
    high: float = _ROW,
    lines: Sequence[str] = (),
) -> Iterator[_Sheet]:
    """Yield pages with lines of text and then tables. No table is split between pages.

    A block is a table: its title, its rows, and the shares of the width that its columns get.
    """
    sheet, top = _Sheet(head, size), size[1] - _EDGE - 18
    y = top - 6 * len(lines)
    for k, line in enumerate(lines):
        sheet.write(line, _EDGE, top + 2 - 6 * k, 2.6, sheet.right - _EDGE)
    for title, rows, shares in blocks:
        if y < top and y - (len(rows) + 1) * high < _EDGE:
            yield sheet
            sheet, y = _Sheet(head, size), top
        sheet.write(title, _EDGE, y, 3.6, bold=True)
        y = _table(sheet, rows, y - (0.5 * high if title else 0), shares, high) - 1.1 * high
    yield sheet


def _table(
    sheet: _Sheet, rows: Sequence[Sequence[str]], top: float, shares: Sequence[float], high: float = _ROW
) -> float:
    """Plot a table whose first row is its head, and return the y of its lower end."""
    whole = sheet.right - _EDGE
    lefts = [_EDGE + whole * sum(shares[:k]) for k in range(len(shares) + 1)]
    bottom = top - len(rows) * high
    for i, row in enumerate(rows):
        y = top - (i + 0.5) * high
        for k, cell in enumerate(row):
            sheet.write(cell, lefts[k] + 2, y, max(2.2, 0.3 * high), whole * shares[k] - 4, bold=not i)
        sheet.line((_EDGE, top - (i + 1) * high), (sheet.right, top - (i + 1) * high))
    for x in lefts:
        sheet.line((x, top), (x, bottom))
    sheet.line((_EDGE, top), (sheet.right, top))
    return bottom


def _player_name(player: str | int) -> str:
    return player if isinstance(player, str) else f"player {player}"
