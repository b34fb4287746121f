"""Studies with edited models: the user names the folder, and a store cannot."""

import json
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from catan_cp import Constraint, InvalidArgument, InvalidRules, Rules, Store, Study, copy_models
from tests.command_line import status
from tests.stored import BOARDS, at_once, study_in

NAMED = r"models must be the folder of the edited models with which the study was made, not "


def score(path, **options):
    return study_in(path, None, BOARDS[:10], **({"rules": "open"} | options))


def edit(folder, text="constraint true;\n"):
    with (folder / "board.mzn").open("a", encoding="utf-8") as file:
        file.write(text)
    return folder


@pytest.fixture
def folder(tmp_path):
    """A folder of edited models."""
    return edit(copy_models(tmp_path / "edited"))


@pytest.fixture
def path(tmp_path, folder):
    """A store with one study that was made with them, and one that was not."""
    score(tmp_path / "study.db", rules=Rules(models=folder), name="edited")
    score(tmp_path / "study.db", name="plain")
    return tmp_path / "study.db"


def test_store_read_with_named_folder(path, folder, tmp_path, capsys):
    with Store(path) as store:
        assert store.study("plain").boards == 10
        assert str(folder) not in store.query("SELECT definition FROM studies")[0]["definition"]
        for ask in (store.studies, lambda: store.top(study="edited")):
            with pytest.raises(InvalidRules, match=NAMED + "None; name it with models=, or --models"):
                ask()
    moved = folder.rename(tmp_path / "moved")
    with Store(path, models=moved) as store:
        assert [study.study.rules.models for study in store.studies()] == [str(moved), None]
        rows = store.top(study="edited")
    assert status(["top", path, "--study", "edited"]) == 1
    assert "--models" in capsys.readouterr().err
    assert status(["top", path, "--study", "edited", "--models", moved, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == rows
    assert status(["show", path, 1, "--study", "edited", "--models", moved, "-f", "notation"]) == 0
    compared = ("compare", path, path, "--study", "edited", "--study", "plain")
    assert status(compared) == 1
    assert status((*compared, "--models", moved)) == 0
    edit(moved, "constraint 1 = 1;\n")
    with Store(path, models=moved) as store, pytest.raises(InvalidRules, match=NAMED):
        store.study("edited")


def test_study_resumes_with_same_models(path, folder, tmp_path):
    moved = shutil.copytree(folder, tmp_path / "moved")
    assert score(path, rules=Rules(models=moved), name="edited").boards == 10
    for rules in ("open", Rules(models=edit(moved, "constraint 1 = 1;\n"))):
        with pytest.raises(InvalidRules, match=NAMED):
            score(path, rules=rules, name="edited")
    with pytest.raises(InvalidArgument, match="begun with models 'none', not "):
        score(path, rules=Rules(models=folder), name="plain")


@pytest.mark.parametrize("digest", [None, "0123456789abcdef"])
def test_store_names_no_folder(tmp_path, path, digest):
    trap = copy_models(tmp_path / "trap")
    os.mkfifo(trap / "more.mzn")
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        (text,) = raw.execute("SELECT definition FROM studies WHERE name = 'plain'").fetchone()
        facts = json.loads(text) | {"models": digest, "rules": {"models": str(trap)}}
        raw.execute("UPDATE studies SET definition = ? WHERE name = 'plain'", (json.dumps(facts),))
    with Store(path) as store:
        error = at_once(lambda: store.study("plain"))
    assert "a stored study must not name a folder of models" in str(error)
    error = at_once(lambda: score(path, name="plain"))
    assert "a stored study must not name a folder of models" in str(error)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (os.mkfifo, "is a device or a pipe"),
        (lambda path: path.touch() or os.truncate(path, 3_000_000_000), "is larger than 1000000 bytes"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "is not text"),
        (lambda path: path.mkdir(), "cannot read the model"),
        (lambda path: path.symlink_to("/dev/zero"), "is a device or a pipe"),
    ],
    ids=["pipe", "sparse", "no text", "folder", "device"],
)
@pytest.mark.parametrize("name", ["more.mzn", "board.mzn"])
def test_models_are_files_of_text(tmp_path, make, words, name):
    folder = edit(copy_models(tmp_path / "edited"), "" if name == "board.mzn" else "constraint true;\n")
    (folder / name).unlink(missing_ok=True)
    make(folder / name)
    for ask in (
        lambda: Rules(models=folder, constraints=[Constraint("constraint true")]),
        lambda: score(tmp_path / "study.db", rules=Rules(models=folder)),
        lambda: Study.from_json(
            Study(1, "open", seed=1).to_json().replace('"models": null', '"models": "x"'), models=str(folder)
        ),
    ):
        error = at_once(ask)
        assert isinstance(error, InvalidRules)
        assert words in str(error) or f"lacks {name}" in str(error)
