"""The web page from the side of the library: its data, and how it is served."""

import gzip
import importlib
import json
import os
import random
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from catan_cp import LAYOUTS, Board, CatanError, InvalidArgument, Rules
from catan_cp import page as serving  # the command of the page ends at Ctrl-C only
from catan_cp.problem.problem import Problem  # the page gets the data of the models
from catan_cp.search.model_data import joint_task
from tests.kills import wait_for

ROOT = Path(__file__).resolve().parents[2]
LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"


@pytest.fixture(scope="module")
def export():
    """The module that writes the page's data, which its processes import by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "page")
        yield importlib.import_module("export")


@pytest.mark.slow
def test_page_gets_layouts_and_ready_boards(export, tmp_path):
    export.main(tmp_path)
    dealt = set()
    for layout in LAYOUTS.values():
        with suppress(CatanError):
            Rules().check_layout(layout)
            dealt.add(layout.name)
    exported = {entry["name"] for entry in json.loads((tmp_path / "layouts.json").read_text())}
    assert {"base", "base-5-6", "seafarers-10"} <= exported == dealt
    assert exported == {path.stem for path in (tmp_path / "layouts").glob("*.json")}
    models = json.loads((tmp_path / "models.json").read_text(encoding="utf-8"))
    assert {"joint.mzn", "layout.mzn", "board.mzn", "markers.mzn", "harbors.mzn"} <= set(models)
    for name, text in models.items():
        source = ROOT / ("page" if name == "repair.mzn" else "models") / name
        assert text == source.read_text(encoding="utf-8")
    for name in exported:
        data = json.loads((tmp_path / "layouts" / f"{name}.json").read_text())
        boards = json.loads((tmp_path / "boards" / f"{name}.json").read_text())
        assert data["start"] in boards
        assert [*data["presets"]] == ["blog", "optimal", "tournament", "official", "open"]
        for preset, conflict in data["presets"].items():
            rules = Rules.preset(preset).to_mapping()
            if preset not in boards:
                assert conflict and {*conflict} <= {*rules}
                continue
            assert conflict == []
            lines = boards[preset]
            assert len(set(lines)) == len(lines) > (0 if name == "pirate-islands" else 20)
            for line in lines[::16]:
                board = Board.from_notation(line)
                assert board.layout.name == name
                harbors = rules.get("harbors", "printed") if board.layout.printed_harbors else "none"
                assert Rules.from_mapping({**rules, "harbors": harbors}).check(board) == []
                assert board.piece_differences() == {}


def test_changes_of_rules_add_up(export):
    rules, base = export.rules_data(), export.layout_data(LAYOUTS["base"])
    neutral = {rule["field"]: rule["neutral"] for rule in rules["rules"]}
    for mapping in [
        *rules["presets"].values(),
        {"adjacency": "block", "reds_apart": True, "symmetry": "distinct"},
    ]:
        data = dict(base["base"])
        for rule in rules["rules"]:
            key = [mapping.get(field, neutral[field]) for field in (rule["field"], *rule["needs"])]
            change = base["rules"][rule["field"]][json.dumps(key, separators=(",", ":"))]
            data |= base["changes"][change][0]
        task = joint_task(Problem.of(Rules.from_mapping(mapping)), search=2)
        assert data == export.encoded(task.data)


def test_page_has_style_of_library(export):
    """After a change of `catan_cp.draw`, the build of the page writes this file again."""
    look = json.loads(export.LOOK.read_text(encoding="utf-8"))
    assert look == json.loads(json.dumps(export.look_data()))
    light = [sum(int(color[i : i + 2], 16) for i in (1, 3, 5)) for color in look["themes"]["light"]["heat"]]
    assert light == sorted(light, reverse=True)  # pale is low


# Building


def test_lock_file_is_complete_without_registry():
    """So `npm ci` takes it, on any machine, from whatever registry that has."""
    text = (ROOT / "page" / "package-lock.json").read_text(encoding="utf-8")
    packages = json.loads(text)["packages"]
    kinds = ("dependencies", "devDependencies", "optionalDependencies")
    needed = [
        pair for package in packages.values() for kind in kinds for pair in package.get(kind, {}).items()
    ]
    assert len({*needed}) > 50
    for name, version in needed:
        result = packages[f"node_modules/{name}"]["version"]
        assert version[0] in "^~>" or result == version, name
    assert all("integrity" in package for path, package in packages.items() if path)
    assert "resolved" not in text
    assert (
        json.loads((ROOT / "page" / "package.json").read_text())["devDependencies"].keys()
        == packages[""]["devDependencies"].keys()
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_page_builds_from_base_installation():
    plan = subprocess.run(["make", "-nB", "page"], cwd=ROOT, capture_output=True, text=True, check=True)
    for words in ("npm ci", "npm run --silent build", "--editable .", "[dev]", "npm install"):
        assert (words in plan.stdout) == (words not in ("[dev]", "npm install")), words


def test_licences_of_webassembly():
    folder = ROOT / "page" / "licences"
    inside = json.loads((folder / "inside.json").read_text(encoding="utf-8"))
    kinds = {component["name"].split(",")[0]: component["licence"] for component in inside}
    expected = {"MiniZinc": "MPL-2.0", "Gecode": "MIT", "Chuffed": "MIT", "HiGHS": "MIT", "Cbc": "EPL-2.0"}
    assert kinds.items() >= expected.items()
    texts = [component["text"] for component in inside if "node_modules" not in component["text"]]
    for name in [*texts, "qrcode-generator.txt"]:
        text = (folder / name).read_text(encoding="utf-8")
        assert len(text) > 900, name
        assert "WITHOUT WARRANT" in text.upper(), name


# Serving


PLAIN = b"\0asm" * 1000


def site_in(folder):
    (folder / "index.html").write_text("<p>hello", encoding="utf-8")
    (folder / "a.wasm").write_bytes(b"\0asm")
    (folder / "big.wasm").write_bytes(PLAIN)
    (folder / "big.wasm.gz").write_bytes(gzip.compress(PLAIN))
    (folder / "inner").mkdir()
    return folder


@pytest.fixture
def site(tmp_path):
    return site_in(tmp_path)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a served page. Each server takes half a second to stop."""
    with serving.served(site_in(tmp_path_factory.mktemp("site")), 0) as result:
        yield result


def connected(address):
    """A connection to the server at an address."""
    host, port = address.split("/")[2].split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def asked(address, request, **headers):
    """Return status, headers and body of the answer to a request line, sent word by word."""
    lines = [request, *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    with connected(address) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        with connection.makefile("rb") as stream:
            head, _, body = stream.read().partition(b"\r\n\r\n")
    first, *header_lines = head.decode("latin-1").split("\r\n")
    fields = (line.split(": ", 1) for line in header_lines)
    return int(first.split()[1]), {name.title(): value for name, value in fields}, body


def got(address, path="", **headers):
    """The answer to a request for a path below the address."""
    _, _, host, root = address.split("/", 3)
    return asked(address, f"GET /{root}{path} HTTP/1.1", Host=host, **headers)


def test_page_served_with_types(address):
    assert address.startswith("http://127.0.0.1:")
    for path, kind, content in (("", "text/html", b"<p>hello"), ("a.wasm", "application/wasm", b"\0asm")):
        status, headers, body = got(address, path)
        assert (status, headers["Content-Type"], body) == (200, kind, content)
    for path in ("missing", "inner/", "../../../../etc/passwd"):
        assert got(address, path)[0] == 404
    assert got(address)[1]["Content-Security-Policy"] == "frame-ancestors 'none'"


def test_server_ends_and_rejects_ports(site):
    with serving.served(site, 0) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        for wrong, why in ((port, f"port {port}"), (70_000, "0 to 65535")):
            with pytest.raises(InvalidArgument, match=why), serving.served(site, wrong):
                pass
    with pytest.raises(OSError):
        got(address)


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [("gzip", True), ("br, GZIP;q=0.5", True), ("*", True), ("gzip;q=0", False), ("gzip; q=0.000, br", False),
     ("*;q=0", False), ("identity", False), ("x-notgzip", False), ("", False)],
)  # fmt: skip
def test_compressed_files_for_browsers_with_gzip(address, accepted, is_packed):
    _, headers, sent = got(address, "big.wasm", Accept_Encoding=accepted)
    assert headers["Content-Type"] == "application/wasm"
    if not is_packed:
        assert ("Content-Encoding" in headers, sent) == (False, PLAIN)
        return
    assert (headers["Content-Encoding"], headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert len(sent) < 100 and gzip.decompress(sent) == PLAIN
    since = {"Accept_Encoding": accepted, "If_Modified_Since": headers["Last-Modified"]}
    assert got(address, "big.wasm", **since)[0] == 304
    _, headers, sent = got(address, "a.wasm", Accept_Encoding=accepted)
    assert ("Content-Encoding" in headers, sent) == (False, b"\0asm")


def test_busy_port_is_replaced(site, monkeypatch):
    with serving.served(site, 0) as first:
        monkeypatch.setattr(serving, "PORT", int(first.rstrip("/").rpartition(":")[2]))
        with serving.served(site) as second:
            assert first != second


def test_page_of_wheel_or_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr("catan_cp.files._PACKAGE", tmp_path / "catan_cp")
    with pytest.raises(CatanError, match="make page"):
        serving.page_dir()
    for folder in (tmp_path / "page" / "dist", tmp_path / "catan_cp" / "web"):
        folder.mkdir(parents=True)
        (folder / "index.html").write_text("<p>hello", encoding="utf-8")
        assert serving.page_dir() == folder


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET /%00 HTTP/1.1", 404),
        ("GET /%ED%A0%80 HTTP/1.1", 404),
        (f"GET /{'x' * 5000} HTTP/1.1", 404),
        ("GET //example.org/%2e%2e HTTP/1.1", 404),
        ("GET / HTTP/9.9", 505),
        ("GET / HTTP/x", 400),
        ("GET / / /", 400),
        ("BREW / HTTP/1.1", 501),
        (f"GET /{'x' * 70_000} HTTP/1.1", 414),
    ],
)
def test_malformed_requests_get_error(address, request_line, status, capfd):
    result, headers, _ = asked(address, request_line, Host=address.split("/")[2])
    assert result == status
    assert headers["X-Frame-Options"] == "DENY"
    assert "Python" not in headers["Server"]
    assert got(address)[0] == 200
    assert capfd.readouterr() == ("", "")


def test_other_hosts_rejected(address):
    host = address.split("/")[2]
    name, _, port = host.partition(":")
    wrong = ("example.org", name, f"{host}.example.org", f"{host}0", f"example.org.{host}")
    for name, status in {host: 200, f"localhost:{port}": 200, **dict.fromkeys(wrong, 421)}.items():
        assert asked(address, "GET / HTTP/1.1", Host=name)[0] == status, name
    assert asked(address, "GET / HTTP/1.1")[0] == 421


def test_silent_clients_are_not_waited_for(site, monkeypatch):
    assert 0 < serving._Files.timeout <= 60
    monkeypatch.setattr(serving._Files, "timeout", 0.2)
    with serving.served(site, 0) as address, connected(address) as connection:
        connection.sendall(b"GET / HT")
        assert connection.recv(100) == b""


def test_request_sent_slowly_ended(site, monkeypatch):
    monkeypatch.setattr(serving, "_SECONDS_TO_ASK", 0.3)
    with serving.served(site, 0) as address:
        end = time.monotonic() + 60
        with connected(address) as connection, pytest.raises(OSError):
            while time.monotonic() < end:  # each pause is short, the request has no end
                connection.sendall(b"G")
                time.sleep(0.05)
        assert got(address)[0] == 200


def test_answer_taken_slowly_ended(site, monkeypatch):
    closed = threading.Event()

    class Server(serving._Server):
        def shutdown_request(self, request):
            super().shutdown_request(request)
            closed.set()

    monkeypatch.setattr(serving, "_Server", Server)
    monkeypatch.setattr(serving, "_SECONDS_TO_ANSWER", 0.3)
    (site / "large.wasm").write_bytes(bytes(50_000_000))
    with serving.served(site, 0) as address:
        with connected(address) as connection:
            host = address.split("/")[2]
            connection.sendall(f"GET /large.wasm HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            # Nothing is read. The limit of a pause, 30 s, would close the connection later.
            assert closed.wait(25)
            received = 0
            with suppress(OSError):
                while more := connection.recv(1 << 20):
                    received += len(more)
        assert received < 50_000_000


def test_at_most_thirty_two_connections(site, monkeypatch):
    monkeypatch.setattr(serving._Server, "request_queue_size", 64)  # a full queue delays them for a second
    with serving.served(site, 0) as address, ExitStack() as opened:
        connections = [opened.enter_context(connected(address)) for _ in range(32)]
        for connection in connections:
            connection.sendall(b"GET / HT")
        assert opened.enter_context(connected(address)).recv(100) == b""
        for connection in connections:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(100)
        connections[0].close()

        def is_served():
            with suppress(OSError, ValueError, IndexError):
                return got(address)[0] == 200

        wait_for(is_served)  # in the place of the closed connection


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_only_regular_files_of_folder_served(tmp_path):
    site, secret = tmp_path / "site", tmp_path / "secret.txt"
    (site / "inner").mkdir(parents=True)
    for file in (site / "index.html", site / "inner" / "a.txt", secret):
        file.write_text("text", encoding="utf-8")
    (site / "link.txt").symlink_to(secret)
    (site / "folder").symlink_to(tmp_path)
    (site / "loop").symlink_to(site / "loop")
    (site / "inside.txt").symlink_to(site / "inner" / "a.txt")
    (site / "packed.txt").write_text("text", encoding="utf-8")
    (site / "packed.txt.gz").symlink_to(secret)
    os.mkfifo(site / "pipe.txt")
    os.mkfifo(site / "inner" / "index.html")
    statuses = {"": 200, "?x=1": 200, "index.html?x=1#y": 200, "inner/a.txt": 200, "inside.txt": 200}
    hidden = ("link.txt", "folder/secret.txt", "loop", "pipe.txt", "inner/", "inner", "packed.txt")
    with serving.served(site, 0) as address:
        for path, status in {**statuses, **dict.fromkeys(hidden, 404)}.items():
            assert got(address, path, Accept_Encoding="gzip")[0] == status, path


def test_local_network_needs_secret_path(site, monkeypatch):
    monkeypatch.setattr(serving, "_lan_address", lambda: "127.0.0.1")
    with serving.served(site, 0, lan=True) as one, serving.served(site, 0, lan=True) as other:
        paths = [address.split("/", 3)[3] for address in (one, other)]
        assert len({*paths}) == 2
        assert all(len(path) >= 13 for path in paths)
        assert (got(one)[2], got(one, "a.wasm")[2]) == (b"<p>hello", b"\0asm")
        host = one.split("/")[2]
        for path in ("/", "/index.html", f"/{paths[1]}", f"/{paths[0][:-1]}"):
            assert asked(one, f"GET {path} HTTP/1.1", Host=host)[0] == 404
        assert asked(one, f"GET /{paths[0]} HTTP/1.1", Host="example.org")[0] == 421


def test_page_knows_its_public_address(site, monkeypatch):
    for public in (None, "https://example.org/boards/"):
        if public:
            monkeypatch.setenv(serving.VARIABLE, public)
        with serving.served(site, 0) as address:
            assert json.loads(got(address, "site.json")[2]) == {"address": public}
    monkeypatch.setenv(serving.VARIABLE, "javascript:alert(1)")
    with pytest.raises(InvalidArgument, match="CATAN_CP_PAGE_ADDRESS"), serving.served(site, 0):
        pass


def test_terminal_shows_qr_code(monkeypatch):
    segno = pytest.importorskip("segno")
    address = "http://192.168.1.20:8731/abcdefghijkl/#" + LINE
    rows = segno.make(address, error="l", micro=False).matrix_iter(border=4)
    modules = [list(map(bool, row)) for row in rows]
    drawn: list[list[bool]] = []
    for line in serving.code(address):
        drawn += [[sign in "▀█" for sign in line], [sign in "▄█" for sign in line]]
    assert drawn[: len(modules)] == modules
    assert all(len(line) <= 80 for line in serving.code(address))
    with pytest.raises(CatanError, match="5,000 letters is too long for a QR code"):
        serving.code("x" * 5000)
    monkeypatch.setitem(sys.modules, "segno", None)
    with pytest.raises(CatanError, match="pip install segno"):
        serving.code(address)


@pytest.mark.parametrize("lan", [False, True])
def test_showing_page_ends_in_time(site, monkeypatch, lan):
    opened: list[str] = []
    output: list[str] = []
    drawn: list[list[str]] = []

    def open_(address):
        opened.append(address)
        return False

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "page_dir", lambda: site)
    monkeypatch.setattr(serving, "_lan_address", lambda: "127.0.0.1")
    monkeypatch.setattr("webbrowser.open", open_)
    monkeypatch.setattr(serving, "say", output.append)
    monkeypatch.setattr(serving, "_draw", drawn.append)
    board = Board.from_notation(LINE)
    serving.show_page(board, 0, lan=lan, minutes=0.001)
    assert output[-1] == "the page is closed: the limit of 0.001 min is reached"
    monkeypatch.setattr(serving, "_wait", interrupted)
    serving.show_page(board, 0, lan=lan)
    assert output[-1] == "the page is closed"
    assert opened[0].endswith(f"#{LINE}")
    assert serving.fragment(None) == ""
    assert len(drawn) == 2 * lan
    assert any("for 60 min, or until Ctrl-C" in text for text in output) == lan
    assert any("unencrypted" in text for text in output) == lan
    with pytest.raises(InvalidArgument, match="minutes must be more than 0"):
        serving.show_page(None, minutes=0)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to threads here")
def test_ctrl_c_ends_page(site):
    program = f"""
import signal, threading
from pathlib import Path
from catan_cp import page

def interrupt():
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

def interrupted(minutes):
    threading.Timer(0.5, interrupt).start()
    wait(minutes)

wait, page._wait = page._wait, interrupted
page.page_dir = lambda: Path({str(site)!r})
page.show_page(None, 0, browser=False)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr.splitlines()[-1]) == (0, "the page is closed")


def test_machine_without_network_says_so(monkeypatch):
    monkeypatch.setattr(serving, "_ANYWHERE", ("127.0.0.1", 9))
    with pytest.raises(CatanError, match="in no network"):
        serving._lan_address()


def test_vectors_for_page_can_be_written(monkeypatch):
    """``make page-test`` compares them with the page. This test needs no Node."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = runpy.run_path(str(ROOT / "page" / "tests" / "vectors.py"))
    rng = random.Random(1)
    boards = [module["shuffled"](LAYOUTS["base"], rng) for _ in range(2)]
    draft = module["draft"](boards, 1, 4, rng)
    assert draft["players"] == len(draft["chances"]) == 4
    assert sum(draft["chances"]) == pytest.approx(1)
    assert draft["moves"][0] == (draft["order"][1], draft["chances"][1])


@pytest.mark.parametrize(
    ("field", "strict", "mild"),
    [
        ("vertex_pips_max", 8, 10),
        ("reds_per_terrain_max", 0, 1),
        ("terrain_pips_max", {"every": 11}, {"every": 12}),
    ],
)
def test_stored_impossible_values_are_minimal(export, field, strict, mild):
    impossible = importlib.import_module("impossible")
    stored = json.loads(impossible.STORE.read_text())["base"][field]
    assert strict in stored
    assert mild not in stored
    base, rule = LAYOUTS["base"], impossible.RULES[field]
    assert impossible.has_board(rule, strict, base) is False
    assert impossible.has_board(rule, mild, base) is True
