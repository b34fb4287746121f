"""The examples in docstrings run and print what they show."""

import doctest
import importlib
import pkgutil

import pytest

import catan_cp

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules():
    packages = pkgutil.walk_packages(catan_cp.__path__, "catan_cp.")
    return ["catan_cp", *(module.name for module in packages if not module.name.endswith("__main__"))]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert failed == 0
