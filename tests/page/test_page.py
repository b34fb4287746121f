"""The web page as the library sees it: what it is given, and how it is served."""

from __future__ import annotations

import gzip
import http.client
import json
import random
import runpy
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from catan_cp import LAYOUTS, Board, CatanError, Rules
from catan_cp import page as serving
from catan_cp.errors import InvalidArgument

ROOT = Path(__file__).resolve().parents[2]
LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    command = [sys.executable, str(ROOT / "page" / "export.py"), str(folder)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    return folder


def test_the_page_is_given_every_layout_that_the_library_deals(exported: Path) -> None:
    given = {entry["name"] for entry in json.loads((exported / "layouts.json").read_text())}
    dealt = set()
    for layout in LAYOUTS.values():
        try:
            Rules().check_layout(layout)
        except CatanError:
            continue
        dealt.add(layout.name)
    assert {"base", "base-5-6", "seafarers-10"} <= given == dealt
    assert given == {path.stem for path in (exported / "layouts").glob("*.json")}


def test_the_models_are_the_files_themselves(exported: Path) -> None:
    names = json.loads((exported / "models.json").read_text())
    assert sorted(names) == sorted(path.name for path in (exported / "models").iterdir())
    assert {"joint.mzn", "layout.mzn", "board.mzn", "markers.mzn", "harbors.mzn"} <= set(names)
    for name in names:
        assert (exported / "models" / name).read_bytes() == (ROOT / "models" / name).read_bytes()


def test_rules_together_are_their_changes_together(exported: Path) -> None:
    sys.path.insert(0, str(ROOT / "page"))
    try:
        from export import encoded
    finally:
        sys.path.pop(0)
    from catan_cp.rules.model_data import joint_task

    rules = json.loads((exported / "rules.json").read_text())
    base = json.loads((exported / "layouts" / "base.json").read_text())
    for mapping in [
        *rules["presets"].values(),
        {"adjacency": "block", "reds_apart": True, "symmetry": "distinct"},
    ]:
        data = dict(base["base"])
        for rule in rules["rules"]:
            neutral = {each["field"]: each["neutral"] for each in rules["rules"]}
            key = [mapping.get(field, neutral[field]) for field in (rule["field"], *rule["needs"])]
            change = base["rules"][rule["field"]][json.dumps(key, separators=(",", ":"))]
            data |= base["changes"][change]
        task = joint_task(Rules.from_mapping(mapping), LAYOUTS["base"], search=2)
        assert data == json.loads(json.dumps(encoded(task.data)))


# Serving


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text("<p>hello", encoding="utf-8")
    (tmp_path / "a.wasm").write_bytes(b"\0asm")
    (tmp_path / "inner").mkdir()
    return tmp_path


def test_the_page_is_served_to_this_machine_with_the_right_types(site: Path) -> None:
    with serving.served(site, 0) as address:
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address) as answer:
            assert answer.read() == b"<p>hello"
            assert answer.headers["Content-Type"].startswith("text/html")
        with urllib.request.urlopen(address + "a.wasm") as answer:
            assert answer.headers["Content-Type"] == "application/wasm"
        for path in ("missing", "inner/"):
            with pytest.raises(urllib.error.HTTPError, match="404") as refused:
                urllib.request.urlopen(address + path)
            refused.value.close()
        port = int(address.rstrip("/").rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/../../../../etc/passwd")
        assert connection.getresponse().status == 404
        connection.close()
        with pytest.raises(InvalidArgument, match=f"port {port}"), serving.served(site, port):
            pass
    with pytest.raises(OSError):
        urllib.request.urlopen(address, timeout=1)


def test_what_the_build_compressed_is_sent_to_browsers_that_take_it(site: Path) -> None:
    plain = b"\0asm" * 1000
    (site / "big.wasm").write_bytes(plain)
    (site / "big.wasm.gz").write_bytes(gzip.compress(plain))
    (site / "index.html.gz").write_bytes(gzip.compress(b"<p>small"))
    takes = {"Accept-Encoding": "gzip, br"}
    with serving.served(site, 0) as address:
        with urllib.request.urlopen(address + "big.wasm") as answer:
            assert answer.headers["Content-Encoding"] is None
            assert answer.read() == plain
        with urllib.request.urlopen(urllib.request.Request(address + "big.wasm", headers=takes)) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert answer.headers["Content-Type"] == "application/wasm"
            assert answer.headers["Vary"] == "Accept-Encoding"
            sent = answer.read()
            assert len(sent) < 100
            assert gzip.decompress(sent) == plain
            known = {**takes, "If-Modified-Since": answer.headers["Last-Modified"]}
        with pytest.raises(urllib.error.HTTPError, match="304") as unchanged:
            urllib.request.urlopen(urllib.request.Request(address + "big.wasm", headers=known))
        unchanged.value.close()
        with urllib.request.urlopen(urllib.request.Request(address, headers=takes)) as answer:
            assert answer.headers["Content-Type"].startswith("text/html")
            assert gzip.decompress(answer.read()) == b"<p>small"
        with urllib.request.urlopen(urllib.request.Request(address + "a.wasm", headers=takes)) as answer:
            assert answer.headers["Content-Encoding"] is None
            assert answer.read() == b"\0asm"


def test_a_port_is_a_port(site: Path) -> None:
    with pytest.raises(InvalidArgument, match="0 to 65535"), serving.served(site, 70_000):
        pass


def test_another_port_is_taken_where_the_usual_one_is(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving.served(site, 0) as first:
        monkeypatch.setattr(serving, "PORT", int(first.rstrip("/").rpartition(":")[2]))
        with serving.served(site) as second:
            assert first != second


def test_the_address_carries_the_board() -> None:
    assert serving.fragment(Board.from_notation(LINE)) == f"#{LINE}"
    assert serving.fragment(None) == ""
    far = Board.from_notation(LAYOUTS["seafarers-10"].beginner_board or LINE)
    assert " " not in serving.fragment(far)


def test_a_page_that_is_not_built_says_what_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "_PACKAGE", tmp_path / "catan_cp")
    with pytest.raises(CatanError, match="make page"):
        serving.page_dir()


def test_showing_the_page_opens_it_and_ends_with_ctrl_c(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    said: list[str] = []

    def open_(address: str) -> bool:
        opened.append(address)
        return False

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "page_dir", lambda: site)
    monkeypatch.setattr(serving.webbrowser, "open", open_)
    monkeypatch.setattr(serving, "_wait", interrupted)
    serving.show_page(Board.from_notation(LINE), said.append, 0)
    assert opened[0].endswith(f"#{LINE}")
    assert [text.split()[0] for text in said] == ["the", "no", "the"]


def test_the_vectors_for_the_page_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """``make page-test`` compares them with the page; here a few are made, for who has no Node."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    made = runpy.run_path(str(ROOT / "page" / "tests" / "vectors.py"))
    rng = random.Random(1)
    boards = [made["shuffled"](LAYOUTS["base"], rng) for _ in range(2)]
    found = made["best"](boards, 1, 4, rng)
    assert len(found["best"]) == 3
    assert found["players"] == 4
