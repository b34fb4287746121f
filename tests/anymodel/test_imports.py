"""The packages about any model could be lifted out of the library."""

import ast
from pathlib import Path

import pytest

import catan_cp

ALLOWED = {
    "anymodel", "clock", "errors", "files", "minizinc_text", "model_files",
    "processes", "progress", "solving", "terminal", "workers",
}  # fmt: skip


@pytest.mark.parametrize("package", ["anymodel", "solving"])
def test_anymodel_imports_no_boards(package):
    paths = list(Path(catan_cp.__file__).with_name(package).glob("*.py"))
    assert len(paths) > 5
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("catan_cp"):
                names = (node.module or "").split(".")[1:2] or [alias.name for alias in node.names]
                assert set(names) <= ALLOWED, (path.name, node.module)
