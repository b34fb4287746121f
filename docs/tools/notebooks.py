"""Run the notebooks and store them with their outputs: ``python docs/tools/notebooks.py``.

``python docs/tools/notebooks.py 2 6`` runs notebooks 2 and 6 only, with their solutions. Each runs in an
empty folder. Output that differs between runs (times as text, names of sliders) is not stored. Pictures are
stored with 128 colours if that is smaller, and boards as PNG without SVG.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import nbformat
from nbclient import NotebookClient
from PIL import Image

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
SOLUTIONS = FOLDER / "solutions"
PNG = "image/png"
SVG = "image/svg+xml"
COLORS = 128
WIDGET = "application/vnd.jupyter.widget-view+json"
TIMEOUT = 300
"""Seconds for one cell."""


def run(path: Path) -> float:
    """Run a notebook, store it with its outputs, and return the seconds that it took."""
    notebook = nbformat.read(path, as_version=4)
    start = perf_counter()
    with TemporaryDirectory() as folder:
        execute(notebook, folder)
    seconds = perf_counter() - start
    tidy(notebook)
    path.write_text(nbformat.writes(named_in_order(notebook)) + "\n", encoding="utf-8")
    return seconds


def execute(notebook: Any, folder: Path | str) -> None:
    """Run a notebook in a folder, where it can import `exercises`."""
    NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
    ).execute(env={**os.environ, "PYTHONPATH": str(FOLDER), "PYTHONDONTWRITEBYTECODE": "1"})


def tidy(notebook: Any) -> None:
    """Remove output that differs between runs, and reduce pictures."""
    notebook.metadata["language_info"] = {"name": "python"}
    for state in notebook.metadata.get("widgets", {}).values():
        for model in state["state"].values():  # None is a default
            model["state"] = {key: value for key, value in model["state"].items() if value is not None}
            for output in model["state"].get("outputs", []):
                if PNG in output.get("data", {}):
                    output["data"][PNG] = smaller(output["data"][PNG])
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number:02}", {}
        if "outputs" in cell:  # progress lines, some of which appear on slow machines only
            cell.outputs = [out for out in cell.outputs if not _is_progress(out)]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if PNG in data:
                data[PNG] = smaller(data[PNG])
                data.pop(SVG, None)  # untrusted notebooks show the PNG only
            if WIDGET in data and data.get("text/plain", "").startswith("interactive("):
                del data["text/plain"]
            if "<th>seconds</th>" in data.get("text/html", ""):
                data["text/plain"] = "a table with seconds"


def _is_progress(output: Any) -> bool:
    text = output.get("text", output.get("data", {}).get("text/plain"))
    return text == "" or (text or "").startswith("no board yet")


def smaller(png: str) -> str:
    """Return a base64 picture, with a palette if that is smaller."""
    data = base64.b64decode(png)
    picture = Image.open(BytesIO(data)).convert("RGB")
    buffer = BytesIO()
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return base64.b64encode(min(data, buffer.getvalue(), key=len)).decode()


def named_in_order(notebook: Any) -> Any:
    """Return the notebook with the random names of its widgets replaced by numbers."""
    text = json.dumps(notebook)
    names = dict.fromkeys(re.findall(r"\b[0-9a-f]{32}\b", text))
    for number, name in enumerate(names):
        text = text.replace(name, f"{number:032x}")
    return nbformat.reads(text, as_version=4)


def main(numbers: Iterable[str]) -> None:
    """Run the notebooks with these numbers, or all."""
    chosen = set(numbers)
    paths = [*FOLDER.glob("*.ipynb"), *SOLUTIONS.glob("*.ipynb")]
    for path in sorted(paths, key=lambda path: path.name):
        if not chosen or path.name[0] in chosen:
            name, seconds = path.relative_to(FOLDER), run(path)
            print(f"{name}: {seconds:.0f} s, {path.stat().st_size / 1000:,.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
