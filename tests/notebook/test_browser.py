"""The panel in a real browser: a notebook served on this machine, and headless Chromium that uses it.

Without Chromium the tests are skipped, except under ``CI=true``, where it has to be there.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,  # a server, a kernel and a browser; test_explore.py asks the panel itself
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER) and os.environ.get("CI") != "true",
        reason="needs Chromium and its driver: apt-get install chromium chromium-driver",
    ),
]
PATIENCE = 60  # seconds for anything to appear


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of a page with the panel, on the loopback interface only."""
    folder = tmp_path_factory.mktemp("served")
    cell = nbformat.v4.new_code_cell("import catan_cp\ncatan_cp.explore(rules='tournament', seed=5)")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "panel.ipynb")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1"]
    command = [sys.executable, "-m", "voila", "panel.ipynb", *options]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=folder, **silent) as server:
        try:
            address = f"http://127.0.0.1:{port}/"
            _until(lambda: _answers(f"{address}voila/static/" if server.poll() is None else "", server))
            yield address
        finally:
            server.terminate()
            server.wait(20)


def _answers(address, server):
    assert server.poll() is None, "the server has ended"
    try:
        urlopen(address, timeout=2).close()
    except URLError as error:
        return hasattr(error, "code")  # any answer will do
    except OSError:
        return False
    return True


def _until(true):
    end = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.2)
    return found


@pytest.fixture(scope="module")
def page(served):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1300,1000"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        browser.get(served)
        _until(lambda: browser.find_elements("css selector", ".catan-board svg"))
        yield browser
    finally:
        browser.quit()


def _board(page):
    """The board on the screen; asked for in one step, since it may be replaced at any time."""
    found = "document.querySelector('.catan-board svg')"
    return page.execute_script(f"return {found} && {found}.getAttribute('aria-label') || ''")


def _is_dimmed(page):
    return page.execute_script("return document.querySelector('.catan-board').style.opacity !== ''")


def test_a_window_of_1300_pixels_clips_nothing(page):
    wide = page.execute_script("return document.documentElement.clientWidth")
    box = page.find_element("css selector", ".catan-board svg").rect
    assert 400 < box["width"] <= 600
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= wide
    clipped = page.execute_script(
        "let e = document.querySelector('.catan-board');"
        "for (e = e.parentElement; e; e = e.parentElement) if (e.scrollWidth > e.clientWidth + 2 &&"
        " e.clientWidth && getComputedStyle(e).overflowX != 'visible') return e.className; return ''"
    )
    assert clipped == ""


@pytest.fixture
def narrow(page):
    page.set_window_size(800, 1000)
    yield page
    page.set_window_size(1300, 1000)


def test_at_800_pixels_no_control_is_squeezed_and_the_board_is_in_sight(narrow):
    box = narrow.find_element("css selector", ".catan-board svg").rect
    assert box["x"] > 300 and box["x"] + box["width"] <= 800 and box["y"] + box["height"] <= 800
    for kind in ("button", ".widget-hslider", ".widget-dropdown", ".widget-checkbox"):
        high = [
            each.size["height"] for each in narrow.find_elements("css selector", kind) if each.is_displayed()
        ]
        assert high and min(high) > 20, kind


def test_columns_stand_below_each_other(page):
    """The caret of an error under its place too: a page's own `pre` may have letters of any width."""
    report = page.find_element("css selector", "pre")
    assert report.value_of_css_property("font-family") == "monospace"


def test_a_search_that_takes_a_moment_says_so(page):
    page.execute_script(
        "window.seen = []; new MutationObserver(() => window.seen.push(document.body.innerText.includes("
        "'searching'))).observe(document.body, {subtree: true, childList: true, characterData: true})"
    )
    typed = next(box for box in page.find_elements("css selector", "textarea") if box.is_displayed())
    typed.send_keys("terrain[1] = ORE")  # a constraint wants the solver, which takes a moment to start
    page.execute_script("arguments[0].blur()", typed)
    _until(lambda: _board(page).startswith("Catan board o"))
    assert True in page.execute_script("return window.seen"), "the page said that it was searching"
    _until(lambda: not _is_dimmed(page))
    stop = next(b for b in page.find_elements("css selector", "button") if "stop" in b.text)
    assert not stop.is_enabled()
