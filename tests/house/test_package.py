"""The package: quick imports, public names, errors and names of terrains."""

import ast
import importlib
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import catan_cp
from catan_cp import LAYOUTS, errors

LIBRARIES = ("matplotlib", "numpy", "minizinc", "typer", "rich", "platformdirs", "asyncio")

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


BOARDS_AND_RULES = (
    "board = catan_cp.Board.from_notation(catan_cp.LAYOUTS['base'].beginner_board); rules = catan_cp.Rules; "
    "rules.preset('optimal').check(board); board.moved(3); rules.preset('blog').explain()"
)


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("", (*LIBRARIES, "catan_cp.boards.layout")),
        ("[getattr(catan_cp, name) for name in catan_cp.__all__]", ("matplotlib", "numba")),
        (BOARDS_AND_RULES, LIBRARIES),
        ("import catan_cp.counting.sums.kernel", ("catan_cp.solving", "numba")),
    ],
    ids=["import", "names", "boards", "counting"],
)
def test_modules_loaded_when_needed(code, modules):
    loaded = f"print([name for name in sys.modules if name.startswith({modules})])"
    assert fresh(f"import sys, catan_cp\n{code}\n{loaded}") == "[]"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_docstrings(name):
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


def test_subpackages_after_import():
    code = f"""
import sys
for name in {sorted(SUBPACKAGES)}:
    for module in [module for module in sys.modules if module.startswith("catan_cp")]:
        del sys.modules[module]
    import catan_cp
    assert getattr(catan_cp, name).__name__ == f"catan_cp.{{name}}"
"""
    fresh(code)


def test_package_has_public_names_alone():
    """The names of the stub, which type checkers read, without those that only other modules import."""
    assert dir(catan_cp) == sorted([*PUBLIC, *SUBPACKAGES, "__version__"])
    assert set(PUBLIC) == STUB.keys()
    assert not any(name.startswith("_") or name in ("lazy_loader", "annotations") for name in PUBLIC)


def test_other_names_rejected():
    with pytest.raises(AttributeError, match="generate_bord; did you mean 'generate_board'"):
        _ = catan_cp.generate_bord  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="numpy_"):
        from catan_cp import numpy_  # type: ignore[attr-defined]  # noqa: F401
    assert not hasattr(catan_cp, "os")


# Errors


def test_errors_have_one_base():
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


class Unshowable:
    def __repr__(self):
        raise OSError


def test_errors_show_any_value():
    assert errors.show("a\nb") == r"'a\nb'"
    assert len(errors.show("x" * 10**6)) == len(errors.show(list(range(10**5)))) == 80
    assert errors.show(10**5000) == "<int that cannot be shown>"
    assert errors.show(Unshowable()) == "<Unshowable that cannot be shown>"
    deep = []
    for _ in range(10**5):
        deep = [deep]
    assert errors.show(deep) == "<list that cannot be shown>"
    while deep:  # taken apart one by one, for Python frees what is so deep only just
        deep = deep.pop()
    assert errors.listed(iter([1, "b"])) == "1, b"


# Pieces


def test_names_of_terrains():
    layout = LAYOUTS["base"]
    names = ("sea", "desert", "brick", "grain", "wool", "ore", "lumber", "gold")
    assert layout.all_terrains == names
    assert layout.letters == dict(zip("sdbgwola", names, strict=True))
    same = {"wood": "lumber", "sheep": "wool", "wheat": "grain", "stone": "ore", "hills": "brick"}
    same |= {"forest": "lumber", "pasture": "wool", "fields": "grain", "mountains": "ore", "water": "sea"}
    for word, name in {**same, **{name: name for name in names}}.items():
        assert layout.terrain_name(word) == layout.terrain_name(word.upper()) == name
    with pytest.raises(errors.InvalidBoard, match="unknown terrain 'marsh'; terrains are sea, desert, brick"):
        layout.terrain_name("marsh")
