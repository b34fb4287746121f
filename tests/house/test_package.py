"""The package's front: quick to import, everything public to be found there.

The errors and the pieces.
"""

import ast
import importlib
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import catan_cp
from catan_cp import errors
from catan_cp.boards import pieces

LIBRARIES = ("matplotlib", "numpy", "minizinc", "typer", "rich", "platformdirs", "asyncio")
HEAVY = (*LIBRARIES, "catan_cp.boards.layout")

PUBLIC, SUBPACKAGES = (vars(catan_cp)[name] for name in ("__all__", "SUBPACKAGES"))
STUB = {
    alias.name: line.module
    for line in ast.parse(Path(catan_cp.__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(line, ast.ImportFrom) and line.module
    for alias in line.names
}


def fresh(code: str) -> str:
    """Return the output of *code* in a separate process."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout.strip()


def test_importing_loads_nothing_heavy():
    assert fresh(f"import sys, catan_cp; print([n for n in {HEAVY} if n in sys.modules])") == "[]"


def test_public_names_without_matplotlib():
    code = "import sys, catan_cp; [getattr(catan_cp, name) for name in catan_cp.__all__]; "
    assert fresh(code + "print([n for n in ('matplotlib', 'numba') if n in sys.modules])") == "[]"


def test_boards_and_rules_need_no_numpy():
    use = "import sys; from catan_cp import Board, LAYOUTS, Rules; " + (
        "board = Board.from_notation(LAYOUTS['base'].beginner_board); "
        "Rules.preset('optimal').check(board); board.moved(3); Rules.preset('blog').explain(); "
        f"print([n for n in {LIBRARIES} if n in sys.modules])"
    )
    assert fresh(use) == "[]"


def test_importing_counting_loads_nothing_of_solving():
    code = (
        "import sys, catan_cp.counting; print([n for n in sys.modules if n.startswith('catan_cp.solving')])"
    )
    assert fresh(code) == "[]"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_exists_with_docstring(name):
    value = getattr(catan_cp, name)
    assert name in dir(catan_cp)
    assert value is getattr(importlib.import_module(f"catan_cp.{STUB[name]}"), name)
    if name == "LAYOUTS":
        return  # a mapping has no docstring
    text = inspect.getdoc(value)
    assert text
    assert not text.startswith(f"{name}(")  # the default docstring of a dataclass
    for method_name, method in vars(value).items() if inspect.isclass(value) else ():
        if not method_name.startswith("_") and callable(method):
            assert inspect.getdoc(method), method_name


@pytest.mark.parametrize("name", sorted(SUBPACKAGES))
def test_subpackages_after_import(name):
    assert fresh(f"import catan_cp; print(catan_cp.{name}.__name__)") == f"catan_cp.{name}"


def test_package_shows_its_public_names_alone():
    """The names of the stub, which type checkers read, without those that only other modules import."""
    assert dir(catan_cp) == sorted([*PUBLIC, *SUBPACKAGES, "__version__"])
    assert set(PUBLIC) == STUB.keys()
    assert not any(name.startswith("_") or name in ("lazy_loader", "annotations") for name in PUBLIC)


def test_other_names_refused():
    with pytest.raises(AttributeError, match="generate_bord; did you mean 'generate_board'"):
        _ = catan_cp.generate_bord  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="numpy_"):
        from catan_cp import numpy_  # type: ignore[attr-defined]  # noqa: F401
    assert not hasattr(catan_cp, "os")


# Errors


def test_one_except_catches_them_all():
    kinds = [
        kind
        for kind in vars(errors).values()
        if inspect.isclass(kind) and kind.__module__ == errors.__name__ and kind is not errors.Conflict
    ]
    assert len(kinds) >= 8
    assert all(issubclass(kind, errors.CatanError) for kind in kinds)
    for kind in (errors.InvalidBoard, errors.InvalidRules, errors.InvalidArgument):
        assert issubclass(kind, ValueError)


def test_errors_travel_between_processes():
    late = errors.SolverTimeout("late", 7, (1, 2))
    again = pickle.loads(pickle.dumps(late))
    assert (str(again), again.found, again.partial) == ("late", 7, (1, 2))
    assert str(pickle.loads(pickle.dumps(errors.InvalidBoard("bad")))) == "bad"


class Unspeakable:
    def __repr__(self):
        raise OSError


def test_show_says_something_of_anything():
    assert errors.show("a\nb") == r"'a\nb'"
    assert len(errors.show("x" * 10**6)) == len(errors.show(list(range(10**5)))) == 80
    assert errors.show(10**5000) == "<int that cannot be shown>"
    assert errors.show(Unspeakable()) == "<Unspeakable that cannot be shown>"
    deep = []
    for _ in range(10**5):
        deep = [deep]
    assert errors.show(deep) == "<list that cannot be shown>"
    while deep:  # taken apart one by one, for Python frees what is so deep only just
        deep = deep.pop()
    assert errors.listed(iter([1, "b"])) == "1, b"


# Pieces


def test_codes_and_letters():
    names = ["sea", "desert", "brick", "grain", "wool", "ore", "lumber", "gold"]
    codes, letters = (
        {name: code for code, name in enumerate(names, 1)},
        dict(zip("sdbgwola", names, strict=True)),
    )
    assert dict(pieces.TERRAIN_CODE) == codes
    assert dict(pieces.LETTER_TERRAIN) == letters
    assert {letter: name for name, letter in pieces.TERRAIN_LETTER.items()} == letters
    for table in (pieces.TERRAIN_CODE, pieces.LETTER_TERRAIN, pieces.TERRAIN_LETTER):
        with pytest.raises(TypeError):
            table["x"] = "y"  # type: ignore[index]


def test_common_names():
    same = {"wood": "lumber", "sheep": "wool", "wheat": "grain", "stone": "ore", "hills": "brick"}
    same |= {"forest": "lumber", "pasture": "wool", "fields": "grain", "mountains": "ore", "water": "sea"}
    for word, name in {**same, **{name: name for name in pieces.TERRAINS}}.items():
        assert pieces.terrain_name(word) == pieces.terrain_name(word.upper()) == name
    for unknown in ("marsh", "", None, 3, ["ore"]):
        with pytest.raises(
            errors.InvalidBoard, match=r"unknown terrain .*; terrains are sea, desert, brick, grain"
        ):
            pieces.terrain_name(unknown)


def test_whole_numbers():
    import numpy as np

    assert [errors.whole_number(n) for n in (3, -3, np.int64(3), np.uint8(3))] == [3, -3, 3, 3]
    wrong_values = (True, False, np.True_, 3.0, "3", None, [3], np.array([3]))
    assert {errors.whole_number(n) for n in wrong_values} == {None}


def test_piece_counts():
    assert list(pieces.piece_counts(["ore", "sea", "ore"]).items()) == [("sea", 1), ("ore", 2)]
    assert pieces.piece_counts([]) == {}
