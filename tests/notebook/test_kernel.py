"""What asks MiniZinc works in a notebook, where an event loop runs already."""

from __future__ import annotations

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

CELL = """
import catan_cp
instance = catan_cp.terrain_instance("blog")
instance.add_string("constraint terrain[1] = DESERT;")
solved = instance.solve(all_solutions=True)
board = catan_cp.generate_board("optimal", seed=4, method="solver")
print(len(solved.solution), catan_cp.Board.from_solution(solved.solution[0]).terrain[0], board.has_markers)
"""


def test_an_instance_solves_in_a_real_kernel(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    here = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=here).execute()
    (output,) = notebook.cells[0].outputs
    assert output["text"] == "8 desert True\n"
