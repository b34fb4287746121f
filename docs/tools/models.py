"""Write the fingerprints of the models, after a change of a model: ``make models``.

Counts and uniform samples replace a solver only for models with these fingerprints. If a change allows other
boards, the declaration of the rule must change too. The tests compare solvers, counts and checkers.
"""

from __future__ import annotations

import re
from pathlib import Path

from catan_cp.model_files import SHIPPED, fingerprint, shipped_dir

MODULE = Path(__file__).resolve().parent.parent.parent / "catan_cp" / "model_files.py"


def module(text: str, folder: Path) -> str:
    """Return the text of the module with the fingerprints of the models in *folder*.

    Raises:
        ValueError: the module has no line for one of them.
    """
    for name in SHIPPED:
        line = rf'(\n        "{name}": ")[0-9a-f]{{16}}(",\n)'
        text, times = re.subn(line, rf"\g<1>{fingerprint(folder / f'{name}.mzn')}\g<2>", text)
        if times != 1:
            raise ValueError(f"{MODULE} has {times} lines with the fingerprint of {name}, not 1")
    return text


if __name__ == "__main__":
    MODULE.write_text(module(MODULE.read_text(encoding="utf-8"), shipped_dir()), encoding="utf-8")
