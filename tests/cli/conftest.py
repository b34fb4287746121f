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
        with pytest.raises(SystemExit) as error:
            main([str(word) for word in words])
        output = capsys.readouterr()
        return int(error.value.code or 0), output.out, output.err

    return call
