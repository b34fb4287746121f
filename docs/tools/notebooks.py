"""The notebooks with their outputs: ``python docs/tools/notebooks.py`` runs all of them anew and stores them.

With numbers, as in ``python docs/tools/notebooks.py 2 6``, only these. Each runs in an empty folder of its
own. What differs from run to run though nothing has changed (times, the names of sliders) is not stored, and
pictures are stored with 128 colours where that is smaller, a board's without its SVG beside the PNG.
"""

from __future__ import annotations

import base64
import json
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
        NotebookClient(
            notebook,
            timeout=TIMEOUT,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            coalesce_streams=True,
        ).execute()
    seconds = perf_counter() - start
    tidy(notebook)
    path.write_text(nbformat.writes(named_in_order(notebook)) + "\n", encoding="utf-8")
    return seconds


def tidy(notebook: Any) -> None:
    """Drop what says nothing to a reader, and make pictures small."""
    notebook.metadata["language_info"] = {"name": "python"}
    for state in notebook.metadata.get("widgets", {}).values():
        for model in state["state"].values():  # a value that is not said is None
            model["state"] = {key: value for key, value in model["state"].items() if value is not None}
            for output in model["state"].get("outputs", []):
                if PNG in output.get("data", {}):
                    output["data"][PNG] = smaller(output["data"][PNG])
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number:02}", {}
        if "outputs" in cell:  # a search says so when it is slow, as on a busy machine
            cell.outputs = [out for out in cell.outputs if not out.get("text", "").startswith("no board yet")]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if PNG in data:
                data[PNG] = smaller(data[PNG])
                data.pop(SVG, None)  # a notebook that is not trusted shows the PNG alone anyway
            if WIDGET in data and data.get("text/plain", "").startswith("interactive("):
                del data["text/plain"]


def smaller(png: str) -> str:
    """Return a picture (base64) with a palette where that makes it smaller."""
    data = base64.b64decode(png)
    picture = Image.open(BytesIO(data)).convert("RGB")
    buffer = BytesIO()
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return base64.b64encode(min(data, buffer.getvalue(), key=len)).decode()


def named_in_order(notebook: Any) -> Any:
    """Return the notebook with its widgets' random names replaced by numbers, in the order they are met."""
    text = json.dumps(notebook)
    names = dict.fromkeys(re.findall(r"\b[0-9a-f]{32}\b", text))
    for number, name in enumerate(names):
        text = text.replace(name, f"{number:032x}")
    return nbformat.reads(text, as_version=4)


def main(numbers: Iterable[str]) -> None:
    """Run the notebooks of these numbers, or all."""
    chosen = set(numbers)
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not chosen or path.name[0] in chosen:
            print(f"{path.name}: {run(path):.0f} s, {path.stat().st_size / 1000:,.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
