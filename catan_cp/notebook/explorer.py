"""The panels behind `exploring`. This module loads ipywidgets; import it inside functions only."""

from __future__ import annotations

import base64
import html
import math
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import ipywidgets as widgets  # type: ignore[import-untyped]

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS, Layout, find_layout
from catan_cp.counting import count_terrain, is_countable
from catan_cp.draw import board_png, board_svg
from catan_cp.draw.picture import render, root_figure
from catan_cp.entropy.search import NORMALIZATIONS, check_normalization, check_skew_power
from catan_cp.errors import CatanError, check_count
from catan_cp.experiments.swaps import plot_swap_chances, raw_errors, swap_chances
from catan_cp.rules.constraint import Constraint, read_constraints
from catan_cp.rules.rule import Rule
from catan_cp.rules.rules import PRESETS, RULES, Rules, find_rules
from catan_cp.search.generate import generate_board
from catan_cp.studies.measures import Report, report

PATIENCE = 10.0
"""Seconds that one board may take before the panel says so."""

_OWN = "my own"
_POWERS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, math.inf)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_ANY = "any"  # stands for a field's default in a slider, which takes None for no choice at all

_AS_WRITTEN = "font-family:monospace;line-height:1.3;word-break:normal"
"""The look of text whose columns mean something; a page's own `pre` need not have it."""

_ABOVE = 'style="display:block;line-height:1.3;margin-top:6px"'
"""The look of words above a control, close to it."""

_SPEAKS_OF = {"island": "sea", "gold": "gold", "desert": "desert"}
"""What a rule's field speaks of, and the terrain without which it says nothing."""


class Explorer(widgets.HBox):  # type: ignore[misc]
    """Controls at the left; at the right the board that they ask for, its report and the rules' count.

    A board is searched for in a thread. Until it is there the old one is dimmed, for it need not keep the new
    rules, and ``board``, ``report`` and ``count`` are None; `wait` returns when the search has ended.

    Attributes:
        board: the board on the screen; None where the rules allow none.
        report: its report; None where there is no board, or its placement cannot be solved.
        count: how many terrains the rules allow; None where that cannot be counted in seconds.
    """

    def __init__(self, rules: str | Rules, layout: str | Layout, seed: int) -> None:
        layout, first = find_layout(layout), find_rules(rules)
        seed = check_count("seed", seed, 0, 2**31 - 1)
        self.board: Board | None = None
        self.report: Report | None = None
        self.count: int | None = None
        self._busy = False
        self._drawn = ""
        layouts = {**{known.name: known for known in LAYOUTS.values()}, layout.name: layout}
        self._layout = widgets.Dropdown(options=list(layouts.items()), value=layout, **_named("layout"))
        self._preset = widgets.Dropdown(options=[*PRESETS, _OWN], **_named("preset"))
        self._seed = widgets.BoundedIntText(seed, 0, 2**31 - 1, **_named("seed"))
        self._next = widgets.Button(description="another board", icon="random")
        self._fields = {rule.field: _control(rule) for rule in RULES.values()}
        self._words_of = {rule.field: _in_words(rule) for rule in RULES.values()}
        typed = {"continuous_update": False}  # tells of its text once that is typed
        self._pattern = widgets.Text(placeholder="xxx/xxxx/xxdxx/xxxx/xxx", **_named("pattern"), **typed)
        hint = "MiniZinc; an empty line between two"
        self._constraints = widgets.Textarea(placeholder=hint, **_named("constraints"), **typed)
        self._says: dict[str, Constraint] = {}  # by the text in the control
        self._models = first.models
        self._stop = widgets.Button(description="stop", icon="stop", disabled=True)
        self._search: threading.Thread | None = None
        self._wanted = 0  # the number of the search whose result is shown; others are dropped
        self._lock = threading.RLock()
        self._picture, self._count, self._words = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self._status = widgets.HTML()
        open_fields = [*self._fields.values(), self._pattern, self._constraints]
        controls = [self._layout, self._preset, self._seed, self._next, self._stop]
        for name, control in self._fields.items():
            controls += [self._words_of[name], control]
        controls += [self._pattern, self._constraints]
        for control in controls:  # a column that scrolls would rather squeeze buttons and sliders to nothing
            control.layout.flex = "0 0 auto"
        right = [self._status, self._picture, self._count, self._words]
        # Beside each other down to 640 pixels, and the controls scroll by themselves: the board is in sight.
        narrow = widgets.Layout(width="340px", flex="0 0 auto", max_height="700px", overflow="hidden auto")
        rest = widgets.Layout(flex="1 1 280px", min_width="0", overflow="auto")
        around = widgets.Layout(flex_flow="row wrap", width="100%")  # below each other where it is narrow
        super().__init__(
            [widgets.VBox(controls, layout=narrow), widgets.VBox(right, layout=rest)], layout=around
        )
        self._show_rules(first)
        self._redraw()
        self.wait()
        self._preset.observe(self._on_preset, "value")
        self._next.on_click(self._on_next)
        self._stop.on_click(self._on_stop)
        for control in (self._layout, self._seed, *open_fields):
            control.observe(self._on_change, "value")

    @property
    def rules(self) -> Rules:
        """The rules that the controls say.

        Raises:
            InvalidRules: they contradict each other.
        """
        values = {name: control.value for name, control in self._fields.items()}
        texts = _BLANK_LINES.split(self._constraints.value.strip())
        return Rules(
            **{name: value for name, value in values.items() if value != _ANY},
            pattern=self._pattern.value.strip() or None,
            constraints=read_constraints([self._says.get(text, text) for text in texts if text]),
            models=self._models,
        )

    def _on_preset(self, change: Mapping[str, Any]) -> None:
        if not self._busy and change["new"] != _OWN:
            self._show_rules(PRESETS[change["new"]])
            self._redraw()

    def _on_next(self, _button: widgets.Button) -> None:
        self._seed.value = (self._seed.value + 1) % 2**31

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the search has ended, at most *timeout* seconds, and return whether it has."""
        if self._search is not None:
            self._search.join(timeout)
        return self._search is None or not self._search.is_alive()

    def _on_stop(self, _button: widgets.Button) -> None:
        """Give the search up: what it still finds is dropped, and it ends within `PATIENCE`."""
        with self._lock:
            self._wanted += 1
            self._tell("stopped: this board was made under other rules", dimmed=True)

    def _on_change(self, _change: Mapping[str, Any]) -> None:
        if not self._busy:
            self._offer()
            self._redraw()

    def _show_rules(self, rules: Rules) -> None:
        """Set every control to what the rules say, without a redraw for each."""
        with self._quiet():
            for name, control in self._fields.items():
                own = not _slides(RULES[name]) or RULES[name].is_set(rules)  # else the slider says any
                _set(control, getattr(rules, name) if own else _ANY)
            self._pattern.value = rules.pattern or ""
            self._says = {_BLANK_LINES.sub("\n", each.text.strip()): each for each in rules.constraints}
            self._constraints.value = "\n\n".join(self._says)
            self._offer()

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """Change controls as nobody's wish."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    def _offer(self) -> None:
        """Hide the rules that the layout cannot have, but for those that are set, which are an error."""
        for name, control in self._fields.items():
            neutral = control.value in (_ANY, RULES[name].kind.neutral)
            hidden = neutral and not _can_have(RULES[name], self._layout.value)
            for part in (self._words_of[name], control):
                part.layout.display = "none" if hidden else ""

    def _redraw(self) -> None:
        """Search for the board that the controls ask for, and show it when it is there."""
        with self._lock:
            self._wanted += 1
            self.board = self.report = self.count = None
            try:
                rules, layout, seed = self.rules, self._layout.value, self._seed.value
                same = (name for name in PRESETS if PRESETS[name].replace(models=rules.models) == rules)
                with self._quiet():
                    self._preset.value = next(same, _OWN)
            except CatanError as error:
                self._refuse(error)
                return
            self._tell("searching ...", dimmed=True, searching=True)
            self._search = threading.Thread(
                target=self._find, args=(self._wanted, rules, layout, seed), name="explore", daemon=True
            )
        self._search.start()

    def _find(self, number: int, rules: Rules, layout: Layout, seed: int) -> None:
        try:
            board = generate_board(rules, layout, seed=seed, timeout=PATIENCE)
            picture = _shown(board)
        except CatanError as error:
            with self._lock:
                if number == self._wanted:
                    self._refuse(error)
            return
        with self._lock:
            if number != self._wanted:
                return
            self.board = board
            self._drawn = picture
            told = html.escape(self._told())
            self._tell("", "counting ...", f"<pre style='{_AS_WRITTEN};overflow-x:auto'>{told}</pre>")
        words, count = _counted(rules, layout)
        with self._lock:
            if number == self._wanted:
                self.count = count
                self._count.value = f"<b>{words}</b>"

    def _refuse(self, error: CatanError) -> None:
        self._drawn = ""
        # As it is written: under a line of MiniZinc stands a caret, whose place means something.
        told = html.escape(str(error))
        style = f"{_AS_WRITTEN};white-space:pre-wrap;overflow-wrap:anywhere;margin:0"
        self._tell(f"<pre style='{style}'>{told}</pre>")

    def _tell(
        self, status: str, count: str = "", words: str = "", *, dimmed: bool = False, searching: bool = False
    ) -> None:
        """Show words above and below the picture, dimmed where it does not belong to the controls."""
        self._status.value, self._count.value, self._words.value = status, count, words
        self._stop.disabled = not searching
        style = "opacity:0.3;filter:grayscale(1)" if dimmed else ""
        self._picture.value = f'<div class="catan-board" style="max-width:600px;{style}">{self._drawn}</div>'

    def _told(self) -> str:
        assert self.board is not None
        try:
            self.report = report(self.board)
        except CatanError as error:
            return f"{self.board.notation()}\n\n{error}"
        return self.report.table()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return the panel, and for a page that cannot run it, the board and its report."""
        told, pictures = f"{type(self).__name__}: {self._layout.value.name}, {self._preset.value}", {}
        if self.board is not None:
            told = f"{self._told()}\n\n{_counted(self.rules, self._layout.value)[0]}"
            png = base64.b64encode(board_png(self.board)).decode()
            pictures = {"image/svg+xml": board_svg(self.board), "image/png": png}
        return {**(super()._repr_mimebundle_(**options) or {}), "text/plain": told, **pictures}


def _shown(board: Board) -> str:
    """Return the board's picture, as wide as there is room."""
    svg = board_svg(board)
    head, rest = svg[: svg.index(">")], svg[svg.index(">") :]
    return re.sub(r' (width|height)="[^"]*"', "", head) + ' width="100%"' + rest


def _counted(rules: Rules, layout: Layout) -> tuple[str, int | None]:
    """Say how many terrains the rules allow, and that rules about markers and harbors are not in that."""
    count = None
    with suppress(CatanError):
        count = count_terrain(rules, layout) if is_countable(rules, layout) else None
    if count is None:
        return f"more terrains of {layout.name} than can be counted in seconds", None
    what = "terrains (arrangements of tiles; rules about markers and harbors do not change this number)"
    return f"{count:,} {what} of {layout.name} keep these rules", count


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


def _in_words(rule: Rule) -> widgets.HTML:
    """What a rule asks, as far as its first remark, to stand above its control."""
    words = re.split(r": |; |, under", re.sub(r" \([^)]*\)", "", rule.asks))[0]
    return widgets.HTML(f"<small {_ABOVE}>{html.escape(words[0].upper() + words[1:])}</small>")


def _can_have(rule: Rule, layout: Layout) -> bool:
    """Whether a rule says anything on the layout with any of the values that its control offers."""
    if any(
        word in rule.field and not layout.terrain_counts.get(terrain) for word, terrain in _SPEAKS_OF.items()
    ):
        return False
    values = [value for _, value in rule.kind.options] or [True]
    harbors = {} if rule.field == "harbors" else {"harbors": "shuffled"}  # rules about harbors want some
    for value in values:
        for more in ({}, harbors):
            if value != rule.kind.neutral:
                with suppress(CatanError):
                    Rules(**{rule.field: value, **more}).check_layout(layout)
                    return True
    return False


def _slides(rule: Rule) -> bool:
    """Whether the rule has a slider: its options are numbers, and its neutral value is none of them."""
    return bool(rule.kind.options) and rule.kind.neutral not in [value for _, value in rule.kind.options]


def _set(control: widgets.ValueWidget, value: Any) -> None:
    """Set a control, which learns a value that it does not offer yet."""
    options = getattr(control, "options", None)
    if options is not None and value not in [known for _, known in options]:
        control.options = (*options, ("as given", value))
    control.value = value


# What a swap draws


class SwapExplorer(widgets.VBox):  # type: ignore[misc]
    """Sliders for skew power, normalisation and each terrain's error, above the curves and the chances.

    Attributes:
        chances: the chances that are on the screen.
    """

    def __init__(self, errors: Board | Mapping[str, float], skew_power: float, normalization: str) -> None:
        swap_chances(errors, skew_power, normalization)  # which checks them
        given = raw_errors(errors) if isinstance(errors, Board) else errors
        power, scheme = check_skew_power(skew_power), check_normalization(normalization)
        wide = {"style": {"description_width": "110px"}}
        powers = [("infinity" if math.isinf(one) else f"{one:g}", one) for one in sorted({*_POWERS, power})]
        self._power = widgets.SelectionSlider(options=powers, value=power, description="skew power", **wide)
        self._scheme = widgets.Dropdown(
            options=NORMALIZATIONS, value=scheme, description="normalisation", **wide
        )
        self._errors = {
            name: widgets.FloatSlider(
                float(error), min=-1, max=1, step=0.001, readout_format=".3f", description=name, **wide
            )
            for name, error in given.items()
        }
        self._picture = widgets.Image(format="png", layout=widgets.Layout(max_width="100%"))
        controls = [self._power, self._scheme, *self._errors.values()]
        box = widgets.Layout(flex_flow="row wrap")
        super().__init__([widgets.Box(controls, layout=box), self._picture])
        self._redraw()
        for control in controls:
            control.observe(lambda _change: self._redraw(), "value")

    @property
    def errors(self) -> dict[str, float]:
        """The raw errors that the sliders say."""
        return {name: slider.value for name, slider in self._errors.items()}

    def _redraw(self) -> None:
        self.chances = swap_chances(self.errors, self._power.value, self._scheme.value)
        figure = plot_swap_chances(self.errors, self._power.value, self._scheme.value)
        self._picture.value = render(root_figure(figure), ".png", 90)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return the panel, and its picture for a page that cannot run it."""
        lines = [
            f"{name:8} first {self.chances.first[name]:.3f}   second {self.chances.second[name]:.3f}"
            for name in self._errors
        ]
        png = base64.b64encode(self._picture.value).decode()
        told = {"text/plain": "\n".join(lines), "image/png": png}
        return {**(super()._repr_mimebundle_(**options) or {}), **told}
