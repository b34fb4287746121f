"""The command line, run in this process."""

import io
import sys

import pytest

from catan_cp.cli import main


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command here: its status, its standard output, its standard error."""

    def call(*words, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return call
