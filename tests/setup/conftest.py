"""An empty cache folder, and programs that are shell scripts."""

import pytest


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache folder, with a space in its name; nothing else says where MiniZinc is."""
    folder = tmp_path / "a cache"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("CATAN_CP_MINIZINC", raising=False)
    return folder


@pytest.fixture
def program():
    """Write a program: a shell script with a text of ours."""

    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return write
