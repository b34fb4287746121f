"""The package about any model could be lifted out of the library."""

import ast
from pathlib import Path

from catan_cp import anymodel

ALLOWED = (
    "anymodel", "clock", "errors", "files", "model_files",
    "processes", "progress", "solving", "terminal", "workers",
)  # fmt: skip


def test_the_package_imports_nothing_about_boards():
    for path in Path(anymodel.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("catan_cp"):
                assert node.module is not None
                names = node.module.split(".")[1:2] or [alias.name for alias in node.names]
                assert set(names) <= set(ALLOWED), (path.name, node.module)
