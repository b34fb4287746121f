"""An empty cache folder."""

import pytest


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache folder, with a space in its name.

    No other setting names a MiniZinc.
    """
    folder = tmp_path / "a cache"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("CATAN_CP_MINIZINC", raising=False)
    return folder
