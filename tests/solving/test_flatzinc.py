"""The reader of compiled models."""

import pytest

from catan_cp.processes import scratch_folder
from catan_cp.solving.compiling import run_minizinc
from catan_cp.solving.find import find_solver
from catan_cp.solving.flatzinc import FlatZinc, domain

MODEL = """
enum C = {R, G};
var C: c; var bool: b; var 1.5..2.5: f; var int: n; var {1, 4}: s; var 3..3: one;
array[1..2] of var bool: both; constraint both = [b, c = R];
constraint c = G -> s + one > 5; constraint f > 2.0 \\/ b; constraint n * one = s;
solve :: bool_search(both, input_order, indomain_min, complete) maximize s;
"""


@pytest.fixture(scope="module")
def flatzinc():
    """A model as the installed MiniZinc compiles it."""
    with scratch_folder() as (folder, group):
        (folder / "model.mzn").write_text(MODEL)
        options = ("-c", "--solver", "gecode", "--fzn", folder / "model.fzn", folder / "model.mzn")
        assert run_minizinc(find_solver("gecode"), options, "", 60, group).returncode == 0
        return FlatZinc((folder / "model.fzn").read_text())


@pytest.mark.solver
def test_compiled_model_has_all_its_items(flatzinc):
    lines = [line.split()[0] for line in flatzinc.body.splitlines() if line.strip()]
    assert len(flatzinc.variables) == lines.count("var")
    assert len(flatzinc.arrays) == lines.count("array")
    assert len([*flatzinc.constraints()]) == lines.count("constraint") > 3
    assert flatzinc.optimises
    assert flatzinc.variables["c"].domain == range(1, 3)
    assert flatzinc.variables["b"].domain == range(2)
    assert flatzinc.variables["s"].domain == [1, 4]
    assert flatzinc.variables["f"].is_float
    assert flatzinc.variables["f"].domain is None
    both = flatzinc.arrays["both"]
    assert (both.shape, len(both.elements)) == ("1..2", 2)
    assert flatzinc.printed == both


@pytest.mark.solver
def test_added_items_precede_constraints(flatzinc):
    longer = flatzinc.adding(declarations="var 0..1: new;\n", constraints="constraint int_le(new,s);\n")
    lines = longer.text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("constraint"))
    assert lines[first - 1] == "var 0..1: new;"
    assert lines[-2] == "constraint int_le(new,s);"
    assert longer.variables.keys() - flatzinc.variables.keys() == {"new"}
    assert [call.arguments for call in longer.constraints("int_le")][-1] == ["new", "s"]
    assert longer.without(["int_le"]).body.count("int_le(") == 0
    assert "output" not in flatzinc.silent().text.replace("% ", "")


def test_text_without_item_solve_rejected():
    with pytest.raises(ValueError, match="solve"):
        FlatZinc("var 1..2: x;\n").adding(constraints="constraint int_le(x,1);\n")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("-2..1", range(-2, 2)),
        ("{3,-1}", [-1, 3]),
        ("{}", []),
        ("int", None),
        ("1.5..2", None),
        ("set of 1..3", None),
    ],
)
def test_domains(text, values):
    assert domain(text) == values
