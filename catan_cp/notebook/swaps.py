"""The panel behind `explore_swaps`. It loads ipywidgets; import it inside functions only."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets  # type: ignore[import-untyped]

from catan_cp.boards.board import Board
from catan_cp.draw.picture import render, root_figure
from catan_cp.entropy.checks import NORMALIZATIONS, check_normalization, check_skew_power
from catan_cp.experiments.chances import SwapChances, plot_swap_chances, raw_errors, swap_chances

_DPI = 90
_POWERS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, math.inf)


class SwapExplorer(widgets.VBox):  # type: ignore[misc]
    """Sliders for skew power, normalisation and each terrain's error, above the curves and the chances.

    Attributes:
        chances: the chances that are on the screen.
    """

    def __init__(self, errors: Board | Mapping[str, float], skew_power: float, normalization: str) -> None:
        self.chances: SwapChances = swap_chances(errors, skew_power, normalization)
        given = raw_errors(errors) if isinstance(errors, Board) else errors
        power, scheme = check_skew_power(skew_power), check_normalization(normalization)
        wide = {"style": {"description_width": "110px"}}
        powers = [(_said(value), value) for value in sorted({*_POWERS, power})]
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
            control.observe(self._on_change, "value")

    @property
    def errors(self) -> dict[str, float]:
        """The raw errors that the sliders say."""
        return {name: slider.value for name, slider in self._errors.items()}

    def _on_change(self, _change: Mapping[str, Any]) -> None:
        self._redraw()

    def _redraw(self) -> None:
        self.chances = swap_chances(self.errors, self._power.value, self._scheme.value)
        self._picture.value = self._drawn(".png")

    def _drawn(self, ending: str) -> bytes:
        figure = plot_swap_chances(self.errors, self._power.value, self._scheme.value)
        return render(root_figure(figure), ending, _DPI)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return the panel, and its picture for a page that cannot run it."""
        shown: dict[str, Any] = dict(super()._repr_mimebundle_(**options) or {})
        lines = [
            f"{name:8} first {self.chances.first[name]:.3f}   second {self.chances.second[name]:.3f}"
            for name in self._errors
        ]
        shown["text/plain"] = "\n".join(lines)
        shown["image/png"] = base64.b64encode(self._picture.value).decode()
        return shown


def _said(power: float) -> str:
    return "infinity" if math.isinf(power) else f"{power:g}"
