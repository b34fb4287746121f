"""Write slides of the course: ``python docs/tools/slides.py FOLDER``, with nbconvert.

Each heading begins a column of slides, and each text below it is a slide. Short code is on the slide of the
text before it. Cells for answers are left out.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import SlidesExporter
from traitlets.config import Config

SHORT = 12
"""The maximum number of lines of code on the slide of a text."""
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
STYLE = """<style>
.reveal .slides { font-size: 85%; text-align: left }
.reveal h1 { font-size: 180% } .reveal h2 { font-size: 150% } .reveal h3 { font-size: 120% }
.reveal .jp-Cell img { max-height: 50vh; width: auto }
</style>"""


def write_slides(folder: Path) -> list[Path]:
    """Write one HTML file per lesson into a folder, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    config = Config()
    config.SlidesExporter.update(reveal_scroll=True, reveal_width="1200", reveal_height="680")
    if (folder / "reveal.js").is_dir() and (folder / "requirejs").is_dir():
        config.SlidesExporter.reveal_url_prefix = "reveal.js"
        config.SlidesExporter.require_js_url = "requirejs/require.js"
    written = []
    for path in sorted(NOTEBOOKS.glob("[12348]_*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.metadata["slideshow"] = {"slide_type": _slide_type(cell)}
        html, _ = SlidesExporter(config=config).from_notebook_node(notebook)
        written.append(folder / f"{path.stem}.html")
        written[-1].write_text(html.replace("</head>", f"{STYLE}</head>", 1), encoding="utf-8")
    return written


def _slide_type(cell: Any) -> str:
    if cell.cell_type == "code":
        is_short = len(cell.source.splitlines()) <= SHORT
        return "skip" if cell.source.startswith("answer =") else "-" if is_short else "subslide"
    return "slide" if cell.source.startswith("#") else "subslide"


if __name__ == "__main__":
    for file in write_slides(Path(sys.argv[1] if len(sys.argv) > 1 else "slides")):
        print(file)
