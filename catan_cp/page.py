"""The web page of this checkout: where it is, and serving it to a browser on this machine.

``make page`` builds it into ``page/dist``: static files, which any web server can hold as well.
"""

from __future__ import annotations

import os
import re
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

from catan_cp.boards.board import Board
from catan_cp.errors import CatanError, InvalidArgument

PORT = 8731
"""Where the page is served unless something else is there: one address, so that a browser knows it again."""

_PACKAGE = Path(__file__).resolve().parent
_LOOPBACK = "127.0.0.1"
_PACKED = ".gz"
_VERSIONED = re.compile(r"/minizinc-[0-9.]+/")


def page_dir() -> Path:
    """Return the folder of the built page.

    Raises:
        CatanError: it is not built.
    """
    for folder in (_PACKAGE / "web", _PACKAGE.parent / "page" / "dist"):
        if (folder / "index.html").is_file():
            return folder
    raise CatanError("the page is not built: run make page in a checkout; it takes Node 20 with npm")


def fragment(board: Board | None) -> str:
    """Return what follows the page's address to show *board*: its notation behind ``#``."""
    return "" if board is None else "#" + quote(board.notation(), safe="/:,=@+-")


@contextmanager
def served(folder: Path, port: int | None = None) -> Iterator[str]:
    """Serve *folder* to this machine alone, and yield its address.

    Args:
        folder: the page's folder.
        port: where; None: `PORT`, or any free one where that is taken.

    Raises:
        InvalidArgument: the port that was asked for is none, or taken.
    """
    server = _server(folder, port)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{_LOOPBACK}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def show_page(
    board: Board | None, say: Callable[[str], None], port: int | None = None, browser: bool = True
) -> None:
    """Serve the page until Ctrl-C, open it in the browser, and say where it is.

    Raises:
        CatanError: the page is not built.
        InvalidArgument: as `served`.
    """
    with served(page_dir(), port) as address:
        where = address + fragment(board)
        say(f"the page is at {where} until Ctrl-C")
        if browser and not webbrowser.open(where):
            say("no browser was found to open; the address above works in any on this machine")
        try:
            _wait()
        except KeyboardInterrupt:
            say("the page is closed")


def _wait() -> None:
    threading.Event().wait()


class _Files(SimpleHTTPRequestHandler):
    """Files of one folder, without a line for each on standard error."""

    extensions_map: dict[str, str] = {  # noqa: RUF012, the base class declares it so
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
    }

    packed = False
    """Whether what is sent is the file that the build has compressed."""

    def translate_path(self, path: str) -> str:
        """Return the file of an address: the compressed one beside it for a browser that takes it."""
        found = super().translate_path(path)
        if found.endswith(os.sep):
            found += "index.html"
        small = found + _PACKED
        takes = "gzip" in self.headers.get("Accept-Encoding", "")
        self.packed = takes and Path(small).is_file()
        return small if self.packed else found

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """Return the type of a file, compressed or not."""
        return super().guess_type(os.fspath(path).removesuffix(_PACKED))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def list_directory(self, path: object) -> None:
        """Refuse to list a folder."""
        self.send_error(404)

    def end_headers(self) -> None:
        """Let browsers keep files, but ask whether they changed; not where their folder has a version."""
        fixed = _VERSIONED.match(self.path)
        self.send_header("Cache-Control", "max-age=31536000, immutable" if fixed else "no-cache")
        self.send_header("Vary", "Accept-Encoding")
        if self.packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()


def _server(folder: Path, port: int | None) -> ThreadingHTTPServer:
    handler = partial(_Files, directory=str(folder))
    if port is not None and not 0 <= port < 65536:
        raise InvalidArgument(f"a port is a number from 0 to 65535, not {port}")
    try:
        return ThreadingHTTPServer((_LOOPBACK, PORT if port is None else port), handler)
    except OSError as problem:
        if port is not None:
            raise InvalidArgument(f"nothing can be served at port {port}: {problem.strerror}") from None
        return ThreadingHTTPServer((_LOOPBACK, 0), handler)
