"""Write ``catan_cp/data/glyphs.json``: the outlines of DejaVu Sans for ASCII, as matplotlib has them.

python -m docs.tools.glyphs
"""

from __future__ import annotations

import json
from pathlib import Path

from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LoadFlags

from catan_cp.draw.glyphs import CAP, EM, FONT, plotted_outline

FILE = Path(__file__).parents[2] / "catan_cp" / "data" / "glyphs.json"


def glyph(character: str, bold: bool) -> tuple[int, str]:
    """Return the advance width and the outline of a character, with points relative to the point before."""
    font = get_font(findfont(FontProperties(family=FONT, weight="bold" if bold else "normal")))
    font.set_size(EM / 64, 72)
    advance = font.load_char(ord(character), flags=LoadFlags.NO_HINTING).linearHoriAdvance
    x = y = 0
    parts = []
    for code, line in plotted_outline(character, bold):
        places = [(round(EM * CAP * px), round(EM * CAP * py)) for px, py in line]
        steps = [str(b - a) for place in places for a, b in zip((x, y), place, strict=True)]
        parts.append(code + " ".join(steps).replace(" -", "-"))
        x, y = places[-1] if places else (x, y)
    return round(64 * advance / 65536), "".join(parts)


def main() -> None:
    """Write the file."""
    ascii_ = [chr(code) for code in range(32, 127)]
    table = {name: {c: glyph(c, name == "bold") for c in ascii_} for name in ("bold", "normal")}
    FILE.write_text(json.dumps(table, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
