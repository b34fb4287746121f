"""Make the screenshot and the animation of the README.

``python docs/tools/animation.py`` runs commands and the web page. It needs ``make page`` and Chromium. The
environment variable ``CHROMIUM`` names another browser than that of Debian.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import catan_cp

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "pictures"
SIZE = (1100, 720)
SCALED = (840, 550)
SEED = 7

_STYLE = """
body { margin: 0; background: #1f2328; color: #e6edf3; font: 19px/1.5 "DejaVu Sans Mono", monospace; }
pre { margin: 24px 28px; white-space: pre-wrap; } b { color: #7ee787; font-weight: normal; }
"""
_BROWSER = """
import { chromium } from "playwright-core";
const jobs = JSON.parse(process.argv[1]);
const [width, height] = jobs.size;
const browser = await chromium.launch({ executablePath: jobs.chromium, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width, height }, locale: "en-GB" });
for (const { html, path } of jobs.terminal) {
  await page.setContent(html);
  await page.screenshot({ path });
}
await page.goto(jobs.address);
await page.waitForTimeout(8000);
for (const [number, path] of jobs.page.entries()) {
  await page.getByRole("tab").nth(number).click();
  await page.waitForTimeout(6000);
  await page.screenshot({ path });
}
await browser.close();
"""


def _screen(*runs: tuple[str, str]) -> str:
    """Return a terminal with commands and their output, as HTML."""
    text = "\n\n".join(f"<b>$ {escape(command)}</b>\n{escape(output.rstrip())}" for command, output in runs)
    return f"<style>{_STYLE}</style><pre>{text}\n</pre>"


def _output(command: str, lines: int | None = None) -> str:
    """Run a command of catan-cp in a terminal without colours, and return the first lines of its output."""
    words = command.replace("catan-cp", f"{sys.executable} -m catan_cp.cli").split()
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    with subprocess.Popen(words, stdout=theirs, stderr=subprocess.DEVNULL, env=environment):
        os.close(theirs)
        printed = b""
        with suppress(OSError):  # the end of a pseudo-terminal
            while more := os.read(ours, 4096):
                printed += more
    os.close(ours)
    output = printed.decode().rstrip().splitlines()
    rest = [] if lines is None or len(output) <= lines else [f"... {len(output) - lines} more"]
    return "\n".join(output[:lines] + rest)


def _terminal_pages() -> list[str]:
    """Return three terminals: generate a board, check it, and count all boards."""
    generate = f"catan-cp generate --rules tournament --seed {SEED}"
    notation = _output(f"{generate} -f notation")
    first, second = (f"catan-cp check {notation} --rules {preset}" for preset in ("tournament", "optimal"))
    first_page = (generate, _output(generate))
    second_page = (first, _output(first))
    broken = (second, _output(second, 7))
    count = "catan-cp count boards --rules optimal"
    return [_screen(first_page), _screen(first_page, second_page), _screen(broken, (count, _output(count)))]


def make(folder: Path) -> list[Path]:
    """Make ``page.png`` and ``demo.gif`` in *folder*, and return the files."""
    with TemporaryDirectory() as scratch:
        paths = [Path(scratch) / f"{number}.png" for number in range(6)]
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "catan_cp.cli",
                "page",
                "--no-browser",
                "--port",
                "8765",
                "--minutes",
                "5",
            ],
            stdout=subprocess.DEVNULL,
        )
        board = catan_cp.generate_board("tournament", seed=SEED).notation()
        jobs = {
            "size": SIZE,
            "chromium": os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            "terminal": [
                {"html": html, "path": str(path)}
                for html, path in zip(_terminal_pages(), paths, strict=False)
            ],
            "address": f"http://127.0.0.1:8765/#{board}&rules=tournament",
            "page": [str(path) for path in paths[3:]],
        }
        try:
            node = ["node", "--input-type=module", "-e", _BROWSER, json.dumps(jobs)]
            subprocess.run(node, cwd=ROOT / "page", check=True)
        finally:
            server.terminate()
            server.wait()
        frames = [Image.open(path).convert("RGB").resize(SCALED, Image.Resampling.LANCZOS) for path in paths]
    still, moving = folder / "page.png", folder / "demo.gif"
    frames[3].quantize(128, dither=Image.Dither.NONE).save(still, optimize=True)
    pictures = [frame.quantize(40, dither=Image.Dither.NONE) for frame in frames]
    pictures[0].save(
        moving,
        save_all=True,
        append_images=pictures[1:],
        duration=[2500, 2500, 4000, 3000, 3500, 3500],
        loop=0,
        optimize=True,
    )
    return [still, moving]


if __name__ == "__main__":
    for file in make(FOLDER):
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size:,} bytes")
