"""Template of a rule. The tests run this file.

1. Copy the declaration into one of `catan_cp/rules/*_rules.py` and change the lines with a comment.
2. Add its parameter and its constraint to a model: `models/board.mzn` for terrain, otherwise `markers.mzn` or
   `harbors.mzn`.
3. Run `make models`. It writes the fingerprint of the model, the field of `Rules` and the row of
   `docs/rules.md`.
4. Add the rule to `tests/brute_force.py` and to the three lists of tests named in CONTRIBUTING.md.
5. For the web page, add its name (unless it is true or false) and its sentences to `page/languages/*.json`.
"""

from __future__ import annotations

from catan_cp.rules import rule
from catan_cp.rules.restrictions import Barred

WOOL_INLAND = rule.Rule(
    field="wool_inland",  # its name in `Rules` and in files
    kind=rule.SWITCH,  # the type of its values; or choice, bound, PAIRS_OF_TERRAINS, number_per_terrain
    about=("terrain",),  # any of terrain, markers, harbors
    needs=(),  # other fields that its functions use, as needs["adjacency"]
    asks="wool is never on the rim of the layout",  # a phrase for the table in docs/rules.md
    says=lambda _on: ["Wool stands away from the rim of the layout."],  # sentences for `Rules.explain`
    data={"board": lambda on, needs, view: {"wool_inland": on}},  # its parameters, per model
    # The rule as tables, for checks, exact counts and random walks. A rule that they cannot state has a
    # checker instead, violations=..., written from the sentence. Then a solver counts: slower, never wrong.
    restrict=lambda _on, needs, layout: [
        Barred(frozenset((t, "wool") for t in layout.coast_tiles), "which is on the rim")
    ],
)
