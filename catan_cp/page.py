"""Find the built web page, and serve it to browsers on this machine or in its network.

``make page`` builds the page into ``page/dist`` as static files, which any web server can serve. A wheel
contains them as ``catan_cp/web``.
"""

import io
import json
import math
import os
import re
import secrets
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from catan_cp.boards.board import Board
from catan_cp.draw.sheet import qr_modules
from catan_cp.errors import CatanError, InvalidArgument, show
from catan_cp.files import built_page
from catan_cp.terminal import say

PORT = 8731
"""Default port of the page. A fixed address lets a browser find its stored settings again."""

VARIABLE = "CATAN_CP_PAGE_ADDRESS"
"""Environment variable with the public address of the page, for links and QR codes."""

MINUTES = 60
"""Default number of minutes for which the page is served to the local network."""

_LOOPBACK = "127.0.0.1"
_ANYWHERE = ("192.0.2.1", 9)  # an address reserved for documentation, which no machine has
_CONNECTIONS = 32  # the maximum number of open connections
_SECONDS_TO_ASK = 30.0  # the maximum for a whole request, and for a pause
_SECONDS_TO_ANSWER = 300.0  # the maximum for a whole answer, which has up to 20 MB
_LOOK = 0.5  # between looks for a Ctrl-C that another thread got
_PACKED = ".gz"
_SITE = "/site.json"
_VERSIONED = re.compile(r"/minizinc-[0-9.]+/")
_ADDRESS = re.compile(r"https?://[^\s#?\"'<>]{1,500}")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


def page_dir() -> Path:
    """Return the folder of the built page, in the package or in the checkout.

    Raises:
        CatanError: it is not built.
    """
    if (folder := built_page()) is not None:
        return folder
    raise CatanError(
        "this installation has no web page: a wheel made where npm is has it, and in a checkout make page "
        "builds it, which takes Node 20 with npm"
    )


def fragment(board: Board | None) -> str:
    """Return the fragment of the page's address that shows *board*: ``#`` and its notation."""
    return "" if board is None else "#" + quote(board.notation(), safe="/:,=@+-")


def public_address() -> str | None:
    """Return the public address of the page from the environment variable `VARIABLE`, or None.

    Raises:
        InvalidArgument: the variable is not an address.
    """
    address = os.environ.get(VARIABLE) or None
    if address is not None and not _ADDRESS.fullmatch(address):
        raise InvalidArgument(
            f"{VARIABLE} must be an address such as https://example.org/, not {show(address)}"
        )
    return address


def code(address: str) -> list[str]:
    """Return a QR code of *address* as lines of text.

    Each line has two rows of modules. Dark modules are blocks.

    Raises:
        CatanError: the package segno is missing.
    """
    rows = qr_modules(address)
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(" ▄▀█"[2 * a + b] for a, b in zip(*pair, strict=True)) for pair in pairs]


@contextmanager
def served(folder: Path, port: int | None = None, *, lan: bool = False) -> Iterator[str]:
    """Serve *folder*, and yield its address.

    Args:
        folder: the folder of the page.
        port: the port. None tries `PORT` and then any free port.
        lan: serve to the local network on a secret path, otherwise to this machine alone.

    Raises:
        InvalidArgument: the port is invalid or in use.
        CatanError: this machine is in no network.
    """
    host = _lan_address() if lan else _LOOPBACK
    site = json.dumps({"address": public_address()}).encode()
    if port is not None and not 0 <= port < 65536:
        raise InvalidArgument(f"the port must be a number from 0 to 65535, not {port}")
    handler = partial(_Files, directory=str(folder))
    try:
        server = _Server((host, PORT if port is None else port), handler)
    except OSError as problem:
        if port is not None:
            raise InvalidArgument(f"nothing can be served at port {port}: {problem.strerror}") from None
        server = _Server((host, 0), handler)
    used = server.server_address[1]
    hosts = (host, "localhost") if host == _LOOPBACK else (host,)
    server.names = tuple(f"{name}:{used}" for name in hosts) + (hosts if used == 80 else ())
    server.site, server.root = site, f"/{secrets.token_urlsafe(9)}/" if lan else "/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{used}{server.root}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def show_page(
    board: Board | None,
    port: int | None = None,
    browser: bool = True,
    *,
    lan: bool = False,
    minutes: float | None = None,
) -> None:
    """Serve the page until Ctrl-C, open it in the browser, and print its address.

    With *lan*, the address is also printed as a QR code.

    Args:
        board: the board to show. None shows the page's first board.
        port: see `served`.
        browser: whether to open a browser.
        lan: whether to serve to the local network, for a limited time.
        minutes: time limit. None is unlimited, or `MINUTES` with *lan*.

    Raises:
        CatanError: the page is not built, or this machine is in no network.
        InvalidArgument: see `served`, or *minutes* is not positive.
    """
    if minutes is not None and not 0 < minutes < 1e6:
        raise InvalidArgument(f"minutes must be more than 0, not {minutes:g}")
    limit = MINUTES if lan and minutes is None else minutes
    span = "until Ctrl-C" if limit is None else f"for {limit:g} min, or until Ctrl-C"
    with served(page_dir(), port, lan=lan) as address:
        link = address + fragment(board)
        say(f"the page is at {link} {span}")
        if lan:
            say("anyone in this network can open the page at that address, unencrypted; scan the code:")
            try:
                _draw(code(link))
            except CatanError as missing:
                say(str(missing))
        if browser and not webbrowser.open(link):
            say("no browser was found to open; the address above works in any on this machine")
        end = ""
        with suppress(KeyboardInterrupt):
            _wait(limit)
            end = f": the limit of {limit:g} min is reached"
        say(f"the page is closed{end}")


def _draw(lines: list[str]) -> None:
    """Print a QR code on standard error, dark on light in any terminal theme."""
    from rich.console import Console
    from rich.text import Text

    text = Text("\n".join(lines), style="black on bright_white")
    Console(stderr=True).print(text, no_wrap=True, overflow="crop", soft_wrap=True)


def _wait(minutes: float | None) -> None:
    """Wait, and let Python raise Ctrl-C twice a second.

    The system may give the signal to the server's thread, for instance while that starts another one. This
    does not wake the main thread, and only the main thread raises.
    """
    end = math.inf if minutes is None else time.monotonic() + 60 * minutes
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, _LOOK))


def _lan_address() -> str:
    """Return the address of this machine in its network, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ANYWHERE)
            address: str = probe.getsockname()[0]
        except OSError:
            address = _LOOPBACK
    if address.startswith(("127.", "0.")):
        raise CatanError("this machine is in no network; without --lan the page is served to itself")
    return address


class _Server(ThreadingHTTPServer):
    """A server of one folder, under one path and the host names of this machine."""

    root: str
    names: tuple[str, ...]
    """Accepted values of the Host header: host and port."""
    site: bytes

    def __init__(self, *arguments: Any) -> None:
        self.ends: dict[socket.socket, float] = {}
        """Deadline of each open connection, in seconds of `time.monotonic`."""
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread, unless too many are open."""
        if len(self.ends) >= _CONNECTIONS:
            self.shutdown_request(request)
            return
        self.ends[request] = time.monotonic() + _SECONDS_TO_ASK
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        self.ends.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End connections past their deadline, twice a second. Their threads then close them."""
        now = time.monotonic()
        for request, end in self.ends.copy().items():
            if end < now:
                with suppress(OSError):  # it has ended already
                    request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore browsers that close the connection early."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Files(SimpleHTTPRequestHandler):
    """Request handler for the files of one folder, without log lines."""

    server: _Server
    timeout = _SECONDS_TO_ASK
    server_version = "catan-cp"
    sys_version = ""
    default_request_version = "HTTP/1.0"  # otherwise a malformed request is answered without a status line
    extensions_map: dict[str, str] = {  # noqa: RUF012, the base class declares it so
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
    }

    packed = False
    """True if the answer is a file compressed by the build."""

    path = ""
    """Path of the request (empty if the request is malformed)."""

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Answer with a file below the server's path, if the request names this host.

        The path is secret in a local network, otherwise it is ``/``. The check of the host prevents DNS
        rebinding: a foreign page whose host name resolves to this machine cannot read the files.
        """
        root = self.server.root
        self.server.ends[self.connection] = time.monotonic() + _SECONDS_TO_ANSWER
        if self.headers.get("Host", "").lower() not in self.server.names:
            self.send_error(421)
            return None
        if not self.path.startswith(root):
            self.send_error(404)
            return None
        self.path = "/" + self.path[len(root) :]
        if self.path == _SITE:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(self.server.site)))
            self.end_headers()
            return io.BytesIO(self.server.site)
        with suppress(OSError, ValueError):  # a name that no file can have
            file = Path(os.path.realpath(self.translate_path(self.path)))
            if file.is_file() and file.is_relative_to(os.path.realpath(self.directory)):
                return super().send_head()
        self.send_error(404)
        return None

    def translate_path(self, path: str) -> str:
        """Return the file of an address, or its compressed version if the browser accepts it."""
        file = super().translate_path(path)
        if file.endswith(os.sep):
            file += "index.html"
        small = file + _PACKED
        self.packed = _takes_gzip(self.headers.get("Accept-Encoding", "")) and Path(small).is_file()
        return small if self.packed else file

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """Return the type of a file, compressed or not."""
        return super().guess_type(os.fspath(path).removesuffix(_PACKED))

    def log_message(self, format: str, *args: object) -> None:
        """Write no log line."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send an error without compression."""
        self.packed = False
        super().send_error(code, message, explain)

    def end_headers(self) -> None:
        """Send the headers, including those for caching, compression and security.

        Browsers may cache files but must ask whether they changed, unless the folder's name has a version.
        """
        fixed = _VERSIONED.match(self.path)
        self.send_header("Cache-Control", "max-age=31536000, immutable" if fixed else "no-cache")
        self.send_header("Vary", "Accept-Encoding")
        if self.packed:
            self.send_header("Content-Encoding", "gzip")
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()


def _takes_gzip(accepted: str) -> bool:
    """Return True if an Accept-Encoding header accepts gzip, by its weights."""
    parts = (entry.partition(";q=") for entry in accepted.lower().replace(" ", "").split(","))
    weights = {name: weight or "1" for name, _, weight in parts}
    return weights.get("gzip", weights.get("*", "0")).strip("0.") != ""
