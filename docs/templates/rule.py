"""A rule, to copy: what it is, and where it goes. The tests run this file.

1. Copy what is below into one of `catan_cp/rules/*_rules.py`, and change what has a remark.
2. Its parameter and its constraint go into a model: `models/board.mzn` for terrain, else `markers.mzn` or
   `harbors.mzn`.
3. `make models` then writes the model's fingerprint, the field into `Rules` and the row into `docs/rules.md`.
4. `tests/plain_rules.py` reads the sentence once more, and three lists of tests name the field, as
   CONTRIBUTING.md says. For the page, `page/src/places.ts` says which tiles break it, and
   `page/languages/*.json` have its name (unless it is true or false) and its sentences.
"""

from __future__ import annotations

from collections.abc import Iterator

from catan_cp.boards.board import Board
from catan_cp.rules import rule


def _wool_on_rim(_on: bool, needs: rule.Needs, board: Board) -> Iterator[rule.Breach]:
    """Yield what is wrong, and the tiles that are: from the sentence in *says*, never from the model."""
    for t in sorted(board.layout.coast_tiles):
        if board.terrain[t] == "wool":
            yield f"wool on tile {t}, which is on the rim", (t,)


WOOL_INLAND = rule.Rule(
    field="wool_inland",  # its name in `Rules`, in files and on the command line
    kind=rule.SWITCH,  # which values it takes; or choice, bound, PAIRS_OF_TERRAINS, number_per_terrain
    about=("terrain",),  # what it restricts: any of terrain, markers, harbors
    needs=(),  # the fields that say what it means: functions get these, as needs["adjacency"], and no others
    asks="wool is never on the rim of the layout",  # half a sentence, for the table in docs/rules.md
    says=lambda _on: ["Wool stands away from the rim of the layout."],  # whole ones, for `Rules.explain`
    data={"board": lambda on, needs, view: {"wool_inland": on}},  # per model, its parameters there
    violations=_wool_on_rim,  # its checker; a rule without one is an error
    # What exact counts make of it. Left out, counts leave the rule to the solver: slower, and never wrong.
    counts=lambda _on, needs, layout: [rule.Barred(frozenset((t, "wool") for t in layout.coast_tiles))],
)
