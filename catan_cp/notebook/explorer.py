"""The panel behind `catan_cp.explore`. It loads ipywidgets; import it inside functions only."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets  # type: ignore[import-untyped]

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout, find_layout
from catan_cp.counting import count_terrain, is_countable
from catan_cp.draw import board_svg
from catan_cp.errors import CatanError, InvalidArgument, show
from catan_cp.rules.declared import RULES
from catan_cp.rules.rule import Rule
from catan_cp.rules.rules import PRESETS, Rules, find_rules
from catan_cp.search.generate import generate_board
from catan_cp.studies.reporting import Report, report

PATIENCE = 10.0
"""Seconds that one board may take before the panel says so."""

_OWN = "my own"
_ANY = "any"  # stands for a field's default in a slider, which takes None for no choice at all


class Explorer(widgets.HBox):  # type: ignore[misc]
    """Controls at the left; at the right the board that they ask for, its report and the rules' count.

    Attributes:
        board: the board on the screen; None where the rules allow none.
        report: its report; None where there is no board, or its placement cannot be solved.
        count: how many terrains the rules allow; None where that cannot be counted in seconds.
    """

    def __init__(self, layout: str | Layout, rules: str | Rules, seed: int) -> None:
        place, wishes = find_layout(layout), find_rules(rules)
        if type(seed) is not int or not 0 <= seed < 2**31:
            raise InvalidArgument(f"seed is a whole number from 0 to {2**31 - 1}, not {show(seed)}")
        self.board: Board | None = None
        self.report: Report | None = None
        self.count: int | None = None
        self._busy = False
        layouts = {**{known.name: known for known in LAYOUTS.values()}, place.name: place}
        self._layout = widgets.Dropdown(options=list(layouts.items()), value=place, **_named("layout"))
        self._preset = widgets.Dropdown(options=[*PRESETS, _OWN], **_named("preset"))
        self._seed = widgets.BoundedIntText(seed, 0, 2**31 - 1, **_named("seed"))
        self._next = widgets.Button(description="another board", icon="random")
        self._fields = {rule.field: _control(rule) for rule in RULES.values()}
        self._picture, self._count, self._words = widgets.HTML(), widgets.HTML(), widgets.HTML()
        controls = [self._layout, self._preset, self._seed, self._next, *self._fields.values()]
        right = [self._picture, self._count, self._words]
        wide = widgets.Layout(width="340px", flex="0 0 auto")
        super().__init__([widgets.VBox(controls, layout=wide), widgets.VBox(right)])
        self._show_rules(wishes)
        self._redraw()
        self._preset.observe(self._on_preset, "value")
        self._next.on_click(self._on_next)
        for control in (self._layout, self._seed, *self._fields.values()):
            control.observe(self._on_change, "value")

    @property
    def rules(self) -> Rules:
        """The rules that the controls say.

        Raises:
            InvalidRules: they contradict each other.
        """
        values = {name: control.value for name, control in self._fields.items()}
        return Rules(**{name: value for name, value in values.items() if value != _ANY})

    def _on_preset(self, change: Mapping[str, Any]) -> None:
        if not self._busy and change["new"] != _OWN:
            self._show_rules(PRESETS[change["new"]])
            self._redraw()

    def _on_next(self, _button: widgets.Button) -> None:
        self._seed.value = (self._seed.value + 1) % 2**31

    def _on_change(self, _change: Mapping[str, Any]) -> None:
        if not self._busy:
            self._redraw()

    def _show_rules(self, rules: Rules) -> None:
        """Set every control to what the rules say, without a redraw for each."""
        self._busy = True
        try:
            for name, control in self._fields.items():
                _set(control, getattr(rules, name) if _offers(RULES[name], rules) else _ANY)
        finally:
            self._busy = False

    def _redraw(self) -> None:
        self.board = self.report = self.count = None
        try:
            rules, layout = self.rules, self._layout.value
            self._name_preset(rules)
            self.board = generate_board(layout, rules, seed=self._seed.value, timeout=PATIENCE)
        except CatanError as error:
            self._picture.value = f"<b>{html.escape(str(error))}</b>"
            self._count.value = self._words.value = ""
            return
        self._picture.value = board_svg(self.board)
        self._words.value = f"<pre>{html.escape(self._told())}</pre>"
        self._count.value = "counting ..."
        self._count.value = f"<b>{self._counted(rules, layout)}</b>"

    def _name_preset(self, rules: Rules) -> None:
        self._busy = True
        try:
            names = (name for name, known in PRESETS.items() if known == rules)
            self._preset.value = next(names, _OWN)
        finally:
            self._busy = False

    def _told(self) -> str:
        assert self.board is not None
        try:
            self.report = report(self.board)
        except CatanError as error:
            return f"{self.board.notation()}\n\n{error}"
        return self.report.table()

    def _counted(self, rules: Rules, layout: Layout) -> str:
        try:
            if is_countable(rules, layout):
                self.count = count_terrain(rules, layout)
        except CatanError:
            self.count = None
        if self.count is None:
            return f"more terrains of {layout.name} than can be counted in seconds"
        return f"{self.count:,} terrains of {layout.name} keep these rules"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return the panel, and for a page that cannot run it, the board and its report."""
        shown: dict[str, Any] = dict(super()._repr_mimebundle_(**options) or {})
        shown["text/plain"] = f"{type(self).__name__}: {self._layout.value.name}, {self._preset.value}"
        if self.board is not None:
            shown["text/plain"] = f"{self._told()}\n\n{self._counted(self.rules, self._layout.value)}"
            shown["image/svg+xml"] = board_svg(self.board)
        return shown


def _named(name: str) -> dict[str, Any]:
    """What every control has: its name, in a column as wide as the others' names."""
    return {"description": name.replace("_", " "), "style": {"description_width": "150px"}}


def _control(rule: Rule) -> widgets.ValueWidget:
    look = _named(rule.field)
    if _slides(rule):
        options = ((_ANY, _ANY), *rule.kind.options)
        return widgets.SelectionSlider(options=options, value=_ANY, continuous_update=False, **look)
    if rule.kind.options:
        return widgets.Dropdown(options=rule.kind.options, **look)
    return widgets.Checkbox(description=look["description"], indent=True)


def _slides(rule: Rule) -> bool:
    """Whether the rule has a slider: its options are numbers, and its neutral value is none of them."""
    return bool(rule.kind.options) and rule.kind.neutral not in [value for _, value in rule.kind.options]


def _offers(rule: Rule, rules: Rules) -> bool:
    """Whether the rule's control has its own value for what the rules say; else it shows `_ANY`."""
    return not _slides(rule) or rule.is_set(rules)


def _set(control: widgets.ValueWidget, value: Any) -> None:
    """Set a control, which learns a value that it does not offer yet."""
    options = getattr(control, "options", None)
    if options is not None and value not in [known for _, known in options]:
        control.options = (*options, ("as given", value))
    control.value = value
