"""Features that were removed before 1.0: their names, arguments, commands, options and files are gone."""

import importlib
import inspect

import pytest
from typer.testing import CliRunner

import catan_cp
from catan_cp.cli.commands import app

NAMES = [
    "enumerate_terrain",
    "count_terrain",
    "sample_terrain",
    "rank",
    "board_at",
    "minimal_pattern",
    "report",
    "Report",
    "Best",
    "search_swaps",
    "experiments",
    "search_swaps_many",
    "LED_TO",
    "notebook",
    "explore",
    "bridge",
    "magic_squares",
]
MODULES = [
    "counting.means",
    "counting.columns",
    "entropy.many",
    "experiments",
    "notebook",
    "play.bridge",
    "search.magic",
    "placement.spots",
    "solving.models",
]
ATTRIBUTES = {
    "entropy": ["search_swaps_many", "explore_swaps"],
    "studies": ["dask_executor"],
    "play": ["to_catanatron", "from_catanatron"],
    "counting": ["mean_of", "Means"],
}
ARGUMENTS = {
    "count_boards": {"distinct", "up_to_symmetry", "scratch", "store", "workers"},
    "count_terrains": {"distinct", "scratch"},
    "enumerate_boards": {"distinct"},
    "enumerate_terrains": {"distinct"},
    "solve_placement": {"error", "erring"},
}
COMMANDS = ["experiment", "entropy hypothesis", "entropy skew", "explore"]
OPTIONS = [
    "count boards --scratch x",
    "count boards --store x.db",
    "count boards --workers 2",
    "count terrain --distinct",
    "enumerate terrain --distinct",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_gone(name):
    with pytest.raises(AttributeError, match=f"No catan_cp attribute {name}"):
        getattr(catan_cp, name)


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_gone(name):
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"catan_cp.{name}")


@pytest.mark.parametrize("package", ATTRIBUTES)
def test_attributes_of_packages_are_gone(package):
    module = importlib.import_module(f"catan_cp.{package}")
    assert not [name for name in ATTRIBUTES[package] if hasattr(module, name)]


@pytest.mark.parametrize("function", ARGUMENTS)
def test_arguments_are_gone(function):
    assert not ARGUMENTS[function] & inspect.signature(getattr(catan_cp, function)).parameters.keys()


@pytest.mark.parametrize("line", COMMANDS + OPTIONS)
def test_commands_and_options_are_rejected(line):
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == 2, result.output
    assert line.split()[-1].lstrip("-") in result.output or "No such" in result.output


def test_layouts_without_provenance_are_gone():
    assert len(catan_cp.LAYOUTS) == 47
    assert not {"seafarers-pirates", "new-world-expanded", "everything-everywhere"} & set(catan_cp.LAYOUTS)


@pytest.mark.parametrize("method", ["feasibility", "memo", "bounds"])
def test_textbook_searches_are_gone(method):
    board = catan_cp.LAYOUTS["base"].beginner_board
    with pytest.raises(catan_cp.InvalidArgument, match=method):
        catan_cp.solve_placement(catan_cp.Board.from_notation(board), method=method)
