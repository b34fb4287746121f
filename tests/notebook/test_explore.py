"""The panel for notebooks: what is on the screen is what the controls say."""

import base64
import html
import math
import re
import subprocess
import sys
import threading
from itertools import pairwise

import pytest

from catan_cp.boards.layout import LAYOUTS
from catan_cp.counting import count_terrain
from catan_cp.errors import CatanError, InvalidArgument, InvalidBoard, InvalidRules
from catan_cp.experiments import swap_chances
from catan_cp.notebook import explorer
from catan_cp.notebook.exploring import explore, explore_swaps
from catan_cp.rules.constraint import Constraint
from catan_cp.rules.rules import PRESETS, RULES, Rules
from catan_cp.search.generate import generate_board


@pytest.fixture(autouse=True, scope="module")
def patient():
    """Machines that test may be busy; whoever sits before a panel is not to wait so long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explorer, "PATIENCE", 60.0)
        yield


def controls(panel):
    """The panel's controls by what stands beside them: a reader's way to find them."""
    left, _ = panel.children
    return {control.description: control for control in left.children if control.description}


def screen(panel):
    """The texts at the right: the picture, the count, the report."""
    assert panel.wait(90)
    _, right = panel.children
    return [part.value for part in right.children]


@pytest.fixture(scope="module")
def shown():
    return explore("tournament", "base", seed=5)


def test_it_opens_with_the_board_that_was_asked_for(shown):
    board = generate_board("tournament", "base", seed=5)
    _, picture, count, report = screen(explore("tournament", "base", seed=5))
    assert shown.board == board
    assert f"Catan board {board.notation()}" in picture
    assert f"{count_terrain('tournament'):,} terrains" in count
    assert "rules about markers and harbors do not change this number" in count
    assert board.notation() in report
    assert f"{shown.report.seat_spread:.4f}" in report


def test_every_rule_has_a_control_under_what_it_asks_in_words(shown):
    names = {name.replace("_", " ") for name in RULES}
    others = {"pattern", "constraints", "layout", "preset", "seed", "another board", "stop"}
    assert names | others == set(controls(shown))
    left, _ = shown.children
    above = dict(pairwise(left.children[::-1]))
    for name in names:
        words = above[controls(shown)[name]].value
        assert re.fullmatch(r"<small [^>]*>[A-Z0-9][^_]{8,}</small>", words), name


def test_patterns_and_constraints_are_typed_and_kept():
    ore = Constraint("terrain[1] = ORE", says="Ore comes first.")
    panel = explore(Rules(constraints=[ore], pattern="xxx/xxxx/xxdxx/xxxx/xxx"), seed=1)
    assert panel.rules == Rules(constraints=[ore], pattern="xxx/xxxx/xxdxx/xxxx/xxx")
    assert (panel.board.terrain[0], panel.board.terrain[9]) == ("ore", "desert")
    controls(panel)["constraints"].value += "\n\nmarker[1] =\n  12"
    controls(panel)["pattern"].value = ""
    assert panel.wait(90)
    assert panel.rules == Rules(constraints=[ore, "marker[1] =\n  12"])
    assert (panel.board.terrain[0], panel.board.markers[0]) == ("ore", 12)
    controls(panel)["constraints"].value = "terrain[1] = STONE"
    assert "unknown name 'STONE'" in html.unescape(screen(panel)[0])
    controls(panel)["constraints"].value = "terrain[1] = = ORE"
    told = html.unescape(screen(panel)[0])
    assert re.search(r"<pre [^>]*white-space:pre-wrap[^>]*>(?s:.)*\n {2,}\^", told), "a caret under its place"
    controls(panel)["preset"].value = "open"
    assert panel.wait(90)
    assert panel.rules == Rules()


def test_rules_that_the_layout_cannot_have_are_not_offered():
    panel = explore("open", "base", seed=1)
    spiral, islands = controls(panel)["marker order"], controls(panel)["islands min"]
    assert spiral.layout.display != "none" and islands.layout.display == "none"
    controls(panel)["layout"].value = LAYOUTS["seafarers-8"]
    assert spiral.layout.display == "none" and islands.layout.display != "none"
    assert panel.wait(90)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_every_control(name):
    panel = explore(rules="open" if name != "open" else "blog", seed=2)
    controls(panel)["preset"].value = name
    assert panel.wait(90)
    assert panel.rules == PRESETS[name]
    assert PRESETS[name].check(panel.board) == []
    assert panel.count == count_terrain(name)


def test_one_rule_is_changed_at_a_time():
    panel = explore(rules="tournament", seed=3)
    controls(panel)["desert"].value = "centre"
    assert panel.wait(90)
    assert panel.rules == PRESETS["tournament"].replace(desert="centre")
    assert panel.board.terrain[9] == "desert"
    assert controls(panel)["preset"].value == "my own"
    controls(panel)["desert"].value = "any"
    assert panel.wait(90)
    assert controls(panel)["preset"].value == "tournament"
    assert panel.board == generate_board("tournament", seed=3)


def test_rules_that_no_slider_offers_are_kept_and_sliders_reach_every_kind_of_number():
    rules = Rules(terrain_pips_max={"ore": 9}, vertex_sum_below=40, apart=[("ore", "wool")])
    panel = explore(rules=rules, seed=1)
    assert panel.rules == rules
    assert rules.check(panel.board) == []
    for field, value in (("vertex pips max", 11), ("terrain pips min", 4), ("reds per terrain max", 2)):
        slider = controls(panel)[field]
        slider.value = dict(slider.options)[str(value)]
    assert panel.wait(90)
    assert panel.rules == rules.replace(vertex_pips_max=11, terrain_pips_min=4, reds_per_terrain_max=2)
    assert panel.rules.check(panel.board) == []


def test_layouts_change_and_what_cannot_be_counted_is_said():
    panel = explore(rules="tournament", seed=1)
    layout = controls(panel)["layout"]
    layout.value = dict(layout.options)["seafarers-6"]
    assert panel.wait(90)
    assert panel.board.layout.name == "seafarers-6"
    assert panel.count is None
    assert "more terrains of seafarers-6 than can be counted" in screen(panel)[2]


@pytest.mark.parametrize(
    ("rules", "field", "value", "message"),
    [
        ("optimal", "desert", "centre", "satisfies the rules"),
        ("blog", "harbor own terrain apart", True, "needs harbors="),
    ],
)
def test_what_cannot_be_is_told_and_can_be_taken_back(rules, field, value, message):
    panel = explore(rules=rules, seed=1)
    control = controls(panel)[field]
    before, control.value = control.value, value
    told, picture, *words = screen(panel)
    assert message in html.unescape(told) and "<svg" not in picture and words == ["", ""]
    assert panel.board is panel.report is panel.count is None
    control.value = before
    assert panel.wait(90)
    assert panel.board == generate_board(rules, seed=1)


def test_a_page_that_cannot_run_shows_the_board_and_its_report_and_the_picture_of_the_chances(shown):
    bundle = shown._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "seat spread" in bundle["text/plain"] and f"{shown.count:,} terrains" in bundle["text/plain"]
    swaps = explore_swaps(shown.board)._repr_mimebundle_()
    assert "ore" in swaps["text/plain"]
    for each in (bundle, swaps):
        assert base64.b64decode(each["image/png"]).startswith(b"\x89PNG")
        assert "application/vnd.jupyter.widget-view+json" in each


def test_until_a_board_is_found_the_old_one_is_dimmed_and_the_search_can_be_stopped(monkeypatch):
    """The old board need not keep the new rules; what a stopped search still finds is dropped."""
    panel = explore(rules="open", seed=8)
    go_on = threading.Event()

    def slowly(*arguments, **options):
        go_on.wait(90)
        return generate_board(*arguments, **options)

    monkeypatch.setattr(explorer, "generate_board", slowly)
    controls(panel)["another board"].click()
    _, right = panel.children
    status, picture, *words = [part.value for part in right.children]
    assert "searching" in status and "opacity:0.3" in picture and "<svg" in picture
    assert words == ["", ""] and panel.board is None
    assert not controls(panel)["stop"].disabled
    controls(panel)["stop"].click()
    go_on.set()
    assert "stopped" in screen(panel)[0]
    assert panel.board is None and controls(panel)["stop"].disabled
    controls(panel)["another board"].click()
    assert "opacity" not in screen(panel)[1]
    assert panel.board == generate_board("open", seed=10)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"layout": "moon"}, InvalidBoard),
        ({"rules": "fair"}, InvalidRules),
        ({"seed": -1}, InvalidArgument),
        ({"seed": "1"}, InvalidArgument),
        ({"seed": True}, InvalidArgument),
    ],
)
def test_bad_arguments_are_refused(arguments, error):
    with pytest.raises(error, match=repr(next(iter(arguments.values())))):
        explore(**arguments)


# What a swap draws


def test_the_panel_of_swaps_shows_the_chances_of_its_sliders():
    errors = {"ore": 0.2, "wool": -0.3, "brick": 0.0}
    panel = explore_swaps(errors, 2, "dynamic")
    assert panel.chances == swap_chances(errors, 2, "dynamic")
    controls_box, picture = panel.children
    sliders = {control.description: control for control in controls_box.children}
    assert set(sliders) == {"skew power", "normalisation", *errors}
    before = bytes(picture.value)
    assert before.startswith(b"\x89PNG")
    sliders["skew power"].value = dict(sliders["skew power"].options)["infinity"]
    assert panel.chances == swap_chances(errors, math.inf, "dynamic")
    assert bytes(picture.value) != before
    sliders["normalisation"].value = "static"
    sliders["wool"].value = 0.4
    assert panel.errors == errors | {"wool": 0.4}
    assert panel.chances == swap_chances(panel.errors, math.inf, "static")
    assert panel.chances.first["wool"] == 1


@pytest.mark.parametrize(
    ("ask", "name"),
    [(explore, r"catan_cp\.explore\(\)"), (lambda: explore_swaps({"ore": 0.1}), "explore_swaps")],
)
def test_without_ipywidgets_the_extra_is_named(ask, name, monkeypatch):
    monkeypatch.delitem(sys.modules, "catan_cp.notebook.explorer")
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(CatanError, match=rf"{name}.*ipywidgets.*pip install -e '\.\[notebook\]'"):
        ask()


def test_asking_costs_nothing_before():
    """The package and the function load neither widgets nor pictures."""
    code = "import sys, catan_cp.notebook.exploring; print({'ipywidgets', 'matplotlib'} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"
