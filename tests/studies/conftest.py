"""A whole store of the boards in `tests.stored`, and places for others."""

import shutil
from pathlib import Path

import pytest

from tests.stored import everything, score


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """A store that no test changes."""
    path = tmp_path_factory.mktemp("whole") / "study.db"
    score(path)
    return path


@pytest.fixture(scope="session")
def rows(whole):
    return everything(whole)


@pytest.fixture
def path(tmp_path):
    """The place of a new store, in a separate folder."""
    (tmp_path / "in").mkdir()
    return tmp_path / "in" / "study.db"


@pytest.fixture
def copied(path, whole):
    """A copy of the whole store."""
    return Path(shutil.copy(whole, path))
