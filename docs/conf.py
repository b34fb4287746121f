"""Sphinx configuration: ``sphinx-build -W --keep-going -b html docs docs/_build/html``.

The build needs no network. It takes the reference from docstrings, the manual from the commands and
the models from ``models/*.mzn``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from sphinx.util import logging  # noqa: E402

import catan_cp  # noqa: E402
from docs.tools import manual, reference  # noqa: E402
from docs.tools.minizinc_words import MiniZincLexer  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "catan_cp"
author = "The catan_cp authors"
copyright = "2026, the catan_cp authors"
release = version = catan_cp.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build", "paper", "tools"]
default_role = "py:obj"
smartquotes = False  # keep the two hyphens of --save
add_module_names = False
python_use_unqualified_type_names = True
maximum_signature_line_length = 88

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
napoleon_use_ivar = True  # list an attribute that is also a property once

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"catan_cp {release}"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#9a4a1c", "color-brand-content": "#8a3f14"},
    "dark_css_variables": {"color-brand-primary": "#f0a45c", "color-brand-content": "#f0a45c"},
}
html_show_sourcelink = False
man_pages = [("manual", "catan-cp", "Catan boards as a constraint problem", author, 1)]


def _reject_types(
    _app: Sphinx, what: str, name: str, _value: object, _options: object, lines: list[str]
) -> None:
    """Warn if napoleon read a first line with a colon as a type and its description."""
    if what in ("attribute", "property") and any(line.startswith(":type:") for line in lines):
        logging.getLogger(__name__).warning("the first line of %s must not contain a colon", name)


def _fill(_app: Sphinx, page: str, source: list[str]) -> None:
    if page == "manual":
        source[0] = manual.filled(source[0])
    elif page.startswith("reference/"):
        source[0] = reference.filled(source[0])


def setup(app: Sphinx) -> None:
    """Register the generated pages and the MiniZinc lexer."""
    app.add_lexer("minizinc", MiniZincLexer)
    app.connect("source-read", _fill)
    app.connect("autodoc-process-docstring", _reject_types, priority=900)  # after napoleon, which has 500
