"""The notebooks, run from top to bottom like a reader does: each in a new kernel and folder."""

import json
import re
from base64 import b64decode
from copy import deepcopy
from io import BytesIO
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from PIL import Image

from docs.tools.notebooks import execute, tidy

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PICTURES = {"image/png", "image/svg+xml"}
STORED_MOST = 1_100_000
"""Maximum bytes of a notebook. A clone or a page should not wait for its pictures."""


def read(path):
    return nbformat.read(path, as_version=4)


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


FAR = 3.0
"""Maximum difference of pictures, on average over all pixels, in 256 steps.

Fonts differ a little.
"""


def differences(stored, fresh):
    """Yield each cell whose text or pictures differ from the stored ones."""
    for number, (before, after) in enumerate(zip(stored.cells, fresh.cells, strict=True)):
        old_texts, new_texts = ([text_of(out) for out in cell.get("outputs", [])] for cell in (before, after))
        if old_texts != new_texts:
            yield f"cell {number}: {old_texts} is stored, but {new_texts} comes out"
        drawn, draws = (pixels_of(cell) for cell in (before, after))
        if len(drawn) != len(draws) or any(
            a.shape != b.shape or np.abs(a - b).mean() > FAR for a, b in zip(drawn, draws, strict=False)
        ):
            yield f"cell {number}: another picture is stored"


def text_of(output):
    return output.get("text") or output.get("data", {}).get("text/plain", "")


def pixels_of(cell):
    drawn = [
        output["data"]["image/png"]
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    return [np.asarray(Image.open(BytesIO(b64decode(png))).convert("RGB"), dtype=float) for png in drawn]


def pictures(notebook):
    return sum(bool(PICTURES & set(output.get("data", {}))) for output in outputs(notebook))


def named(path):
    return path.stem


def test_they_are_in_order():
    assert [path.name[0] for path in NOTEBOOKS] == ["1", "2", "3", "4", "5", "6", "7", "8"]


def test_sixth_quotes_its_source():
    """The page once misquoted it: its last section reports one test by play, and asks a question."""
    words = " ".join(" ".join(cell.source for cell in read(NOTEBOOKS[5]).cells).split())
    passage = words[words.index("In its last section") :].partition("## The study")[0]
    for part in ("such an optimal board", '"glacial"', "a draw after three hours", "sixty minutes", "*fun*"):
        assert part in passage, part


@pytest.mark.parametrize(
    "path", [NOTEBOOKS[0], *(pytest.param(path, marks=pytest.mark.slow) for path in NOTEBOOKS[1:])], ids=named
)
def test_notebook_runs_from_top_to_bottom(path, tmp_path):
    """A notebook runs in an empty folder, without help of other files, and prints its stored output.

    If this fails after an intended change, `python docs/tools/notebooks.py` stores the new output.
    """
    notebook = read(path)
    stored, before = pictures(notebook), deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    execute(notebook, tmp_path)
    assert pictures(notebook) == stored > 0
    tidy(notebook)
    assert not list(differences(before, notebook))
    assert not list(tmp_path.iterdir()), "a notebook leaves nothing behind where it was run"


@pytest.mark.parametrize(
    "path",
    [*NOTEBOOKS, *sorted(FOLDER.glob("solutions/*.ipynb"))],
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_imported_names_exist(path):
    """Most notebooks run among the slow tests only."""
    sources = [cell.source for cell in read(path).cells if cell.cell_type == "code"]
    for statement in re.findall(r"^from catan_cp.*? import [^(\n]+", "\n".join(sources), re.MULTILINE):
        exec(statement, {})


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_notebook_stored_as_it_reads_best(path):
    """Cells ran in order, with outputs that contain no errors, warnings or paths of a machine.

    ``python docs/tools/notebooks.py`` stores such a notebook.
    """
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.cells[0].cell_type == "markdown"
    assert notebook.cells[0].source.startswith("# ")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    kinds = {output.output_type for output in outputs(notebook)}
    assert kinds <= {"stream", "display_data", "execute_result"}
    assert all(output.name == "stdout" for output in outputs(notebook) if output.output_type == "stream")
    text = json.dumps([output.get("text", output.get("data")) for output in outputs(notebook)])
    assert not re.search(r"(/home/|/root|/tmp/|/work/|/Users/|[A-Z]:\\\\\\\\)", text)
    assert not re.search(r"0x[0-9a-f]{6,}", text), "an address says nothing to a reader"
    assert path.stat().st_size < STORED_MOST
    assert [cell.id for cell in notebook.cells] == [f"cell-{n:02}" for n in range(len(notebook.cells))]
    assert not any(cell.metadata for cell in notebook.cells)
    names = re.findall(r"\b[0-9a-f]{32}\b", path.read_text(encoding="utf-8"))
    assert {int(name, 16) for name in names} == set(range(len(set(names)))), "widgets are numbered"


CELL = """
import catan_cp
instance = catan_cp.terrain_instance("blog")
instance.add_string("constraint terrain[1] = DESERT;")
solved = instance.solve(all_solutions=True)
board = catan_cp.generate_board("optimal", seed=4, method="solver")
print(len(solved.solution), catan_cp.Board.from_solution(solved.solution[0]).terrain[0], board.has_markers)
"""


def test_instance_solves_in_real_kernel(tmp_path):
    """Calls of MiniZinc work in a notebook, which already runs an event loop."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    result = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=result).execute()
    (output,) = notebook.cells[0].outputs
    assert output["text"] == "8 desert True\n"


LONG = """
import sys
from time import sleep
from catan_cp.progress import Progress, watching
with watching(True, "working") as watch:
    for n in range(3):
        watch(Progress(n, 3, "parts"))
        sleep(0.2)
"""


def test_progress_shown_below_cell_and_disappears(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(LONG)])
    displays = []

    class Client(NotebookClient):
        def process_message(self, message, *rest):
            if "data" in message["content"]:
                displays.append(message["content"]["data"]["text/plain"])
            return super().process_message(message, *rest)

    Client(notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert displays[0] == "working: 0 of 3 parts"
    assert displays[2].startswith("working: 2 of 3 parts") and displays[-1] == ""
    tidy(notebook)
    assert notebook.cells[0].outputs == []
