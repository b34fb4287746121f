"""Write the library's data for the page: layouts, rules with their data, and models.

``python page/export.py FOLDER`` writes ``rules.json``, ``layouts.json``, a file for each layout in
``layouts/``, and the texts of the models that the page runs in ``models.json``.

The page runs ``joint.mzn``. To repair boards it runs ``repair.mzn`` of this folder, which includes the same
constraints. No rule is written here or in the page a second time. The data of a rule are the changes of
`catan_cp.search.model_data.joint_task` when that rule alone is set. The data of several rules are those
changes together, which the page's tests compare with the library.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import catan_cp
from catan_cp import LAYOUTS, Board, Rules, __version__, generate_boards
from catan_cp.analysis.seats import CLAIM, GAMES, MARGIN, even_boards
from catan_cp.boards.layout import CLASSIC, Layout, layouts_dir
from catan_cp.boards.pieces import RESOURCES, pips
from catan_cp.draw import content, layers
from catan_cp.draw.glyphs import text_outline
from catan_cp.draw.shapes import frame_shapes, river_mouths, river_steps, shows_frame
from catan_cp.draw.style import LIGHTER, MOTIFS, SCENES, SLOT, THEMES, Theme, heat_color
from catan_cp.draw.svg import to_hex
from catan_cp.entropy.scorer import neighbor_total, xlogx_table
from catan_cp.errors import CatanError, Infeasible, InvalidRules
from catan_cp.model_files import declared_names, models_dir
from catan_cp.placement.chances import pair_worth
from catan_cp.placement.checks import most_players
from catan_cp.placement.objective import BUILDINGS, STEPS, worth
from catan_cp.problem.problem import Problem
from catan_cp.rules.constraint import FUNCTIONS, GLOBALS, KEYWORDS, LONGEST, OTHER_KEYWORDS
from catan_cp.rules.requirements import layout_restrictions
from catan_cp.rules.restrictions import GroupPieces
from catan_cp.rules.rule import Rule
from catan_cp.rules.rules import PRESETS, RULES
from catan_cp.search.model_data import joint_task

_MODEL = "joint.mzn"
_REPAIR = Path(__file__).resolve().parent / "repair.mzn"
_IMPOSSIBLE = Path(__file__).resolve().parent / "impossible.json"
_CACHE = Path(__file__).resolve().parent / "build" / "ready"
_PACKAGE = Path(catan_cp.__file__).parent
BOXES = {
    "Seafarers": "seafarers",
    "community": "community",
    "Explorers & Pirates": "explorers",
    "Traders & Barbarians": "traders",
    "Cities & Knights": "cities",
    "Catan": "catan",
}
"""The box of a layout is that of the first of these words in its source."""
LOOK = Path(__file__).resolve().parent / "src" / "board" / "look.json"
_VARIES_WITH = {
    "apart": "brick",
    "desert": "desert",
    "gold_inland": "gold",
    "islands_min": "sea",
    "islands_max": "sea",
    "island_size_min": "sea",
    "main_island_complete": "sea",
    "harbor_on_every_island": "sea",
}
"""Rules that depend on movable tiles of a terrain."""
_HEAT = 12
N_READY = 24
_SEED = 28
_PREFERRED = ("tournament", "official", "open", "optimal", "blog")
"""The default of a layout is the first of these presets that has a board."""
_MADE_BY = ("boards", "counting", "rules", "search", "solving")
"""The packages on which the stored boards depend."""
_INCLUDE = re.compile(r'^include "(.*)";', re.MULTILINE)


def main(folder: Path) -> None:
    """Write all files."""
    for name in ("layouts", "boards"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # One file, since each request takes seconds in a slow network.
    _write(
        folder / "models.json", {model.name: model.read_text(encoding="utf-8") for model in models_needed()}
    )
    _write(folder / "rules.json", rules_data())
    _write(LOOK, look_data())
    _write(folder / "even.json", even_data())
    index = []
    exported = []
    for layout in LAYOUTS.values():
        try:
            exported.append((layout, layout_data(layout)))
        except CatanError as problem:  # the page does not offer layouts that the library rejects
            print(f"page: {layout.name} is left out: {problem}", file=sys.stderr)
    with ProcessPoolExecutor() as pool:
        ready = list(pool.map(stored_boards, [layout.name for layout, _ in exported]))
    for (layout, data), found in zip(exported, ready, strict=True):
        offered = {name: boards for name, boards in found.items() if "boards" in boards}
        data["presets"] = {name: boards.get("conflict", []) for name, boards in found.items()}
        data["start"] = next(name for name in _PREFERRED if name in offered)
        _write(folder / "layouts" / f"{layout.name}.json", data)
        _write(
            folder / "boards" / f"{layout.name}.json",
            {name: boards["boards"] for name, boards in offered.items()},
        )
        index.append(
            {
                "name": layout.name,
                "title": layout.title or layout.name,
                "tiles": layout.n_tiles,
                "rows": layout.rows if layout.name in CLASSIC else None,
                "box": next((box for word, box in BOXES.items() if word in layout.source), "community"),
                "sideways": layout.sideways,
                "picture": picture(layout),
            }
        )
    _write(folder / "layouts.json", index)


def rules_data() -> dict[str, Any]:
    """Return the rules with fields, values and sentences, and the presets."""
    return {
        "version": __version__,
        "source": _address("Repository"),
        "help": _address("Documentation"),
        "even": {"games": GAMES, "margin": MARGIN, "claim": CLAIM},
        "rules": [
            {
                "field": rule.field,
                "group": group(rule),
                "about": list(rule.about),
                "needs": list(rule.needs),
                "asks": rule.asks.replace("`", ""),
                "neutral": rule.kind.plain(rule.kind.neutral),
                "options": [
                    {
                        "value": rule.kind.plain(value),
                        "says": [] if value == rule.kind.neutral else list(rule.says(value)),
                    }
                    for value in values(rule)
                ],
            }
            for rule in RULES.values()
        ],
        "constraints": {
            "keywords": sorted(KEYWORDS),
            "refused": sorted(OTHER_KEYWORDS),
            "functions": sorted(FUNCTIONS),
            "globals": dict(GLOBALS),
            "names": dict(declared_names()),
            "longest": LONGEST,
        },
        "worth": odds_data(),
        "presets": {name: rules.to_mapping() for name, rules in PRESETS.items()},
    }


def _address(label: str) -> str:
    """Return an address of the project from its metadata."""
    addresses: list[str] = metadata("catan-cp").get_all("Project-URL") or []
    return next(address.partition(", ")[2] for address in addresses if address.startswith(f"{label}, "))


def odds_data() -> dict[str, Any]:
    """Return the terms of the logarithm of the odds to win, for settlements as whole numbers."""
    each = worth()
    scale = math.lcm(*(value.denominator for value in each.values()))
    return {
        "scale": scale,
        "each": {name: int(value * scale) for name, value in each.items()},
        "resources": RESOURCES,
        "steps": STEPS,
        "buildings": BUILDINGS,
        "pairs": pair_worth(),
    }


def look_data() -> dict[str, Any]:
    """Return the colours of themes, motifs, sizes in tile edges and outlines of numbers."""
    return {
        "themes": {name: theme_data(THEMES[name]) for name in ("light", "dark")},
        "lighter": dict(LIGHTER),
        "slot": SLOT,
        "motifs": {
            name: [[tone, [[round(x, 4), round(y, 4)] for x, y in outline]] for tone, outline in parts]
            for name, parts in MOTIFS.items()
        },
        "scenes": {terrain: names.split() for terrain, names in SCENES.items()},
        "sizes": {
            name.lower().strip("_"): getattr(module, name)
            for module, names in (
                (content, ("DISC", "HARBOR", "PAD", "RIM", "HARBOR_RIM", "FRAME_RIM")),
                (layers, ("_HOUSE", "_SHALLOW")),
            )
            for name in names
        },
        "glyphs": {character: glyph(character) for character in "0123456789:/"},
    }


def theme_data(theme: Theme) -> dict[str, Any]:
    """Return the colours of a theme as text, and the contrast of its motifs."""
    colors = {name: to_hex(value) for name, value in theme._asdict().items() if is_color(value)}
    return colors | {
        "terrain": {name: to_hex(color) for name, color in theme.terrain.items()},
        "players": [to_hex(color) for color in theme.players],
        "heat": [to_hex(heat_color(theme, i / (_HEAT - 1))) for i in range(_HEAT)],
        "stroke": theme.stroke,
    }


def is_color(value: object) -> bool:
    """Return True for one colour, not for several."""
    return isinstance(value, tuple) and all(isinstance(part, float) for part in value)


def glyph(character: str) -> dict[str, Any]:
    """Return the outline, width, advance and start of a character.

    The height is 1 and y is upwards. The start is the space before the outline, less that of the digit 0.
    """
    segments, width = text_outline(character, True)
    widths = {text: text_outline(text, True)[1] for text in ("0", "00", "0" + character, 2 * character)}
    numbers = {
        "width": width,
        "advance": widths[2 * character] - width,
        "start": widths["0" + character] - width - (widths["00"] - widths["0"]),
    }
    outline = [[code, [round(part, 3) for point in line for part in point]] for code, line in segments]
    return {name: round(number, 3) for name, number in numbers.items()} | {"outline": outline}


def even_data() -> dict[str, Any]:
    """Return the stored even boards with each seat's wins, and how symmetries move vertices."""
    checks = even_boards()
    wins = [check.wins or () for check in checks]
    return {
        "games": GAMES,
        "players": len(checks[0].chances),
        "boards": [
            [check.board.notation(), [share.count for share in shares]]
            for check, shares in zip(checks, wins, strict=True)
        ],
        "vertexSymmetries": LAYOUTS["base"].vertex_symmetries,
    }


def layout_data(layout: Layout) -> dict[str, Any]:
    """Return a layout's geometry and pieces, and the effect of each rule on it.

    ``base`` is the model's data without rules. ``rules`` and ``changes`` are those of `rule_changes`.
    """
    base = joint_task(Problem.of("open", layout), search=2).data
    tables, changes = rule_changes(layout)
    return {
        "name": layout.name,
        "title": layout.title or layout.name,
        "classic": layout.name in CLASSIC,
        "game": layout.game,
        "tiles": layout.tiles,
        "frame": layout.sea_frame,
        "sideways": layout.sideways,
        "framed": shows_frame(layout, False),
        "water": frame_shapes(layout) if layout.sea_frame else [],
        "rows": layout.row_tiles,
        "vertices": layout.vertices,
        "vertexTiles": layout.vertex_tiles,
        "vertexNeighbors": layout.vertex_neighbors,
        "adjacency": layout.adjacency("hex"),
        "parts": len(layout.parts),
        "terrains": layout.all_terrains,
        "letters": dict(layout.letters),
        "unnumbered": sorted(layout.unnumbered),
        "counts": dict(layout.terrain_counts),
        "targets": dict(layout.target_efficiency),
        "xlogx": xlogx_table(neighbor_total(layout)),
        "second": {str(marker): other for marker, other in layout.second_marker.items()},
        "pips": {str(m): pips(m) for m in range(2, 13) if m != 7},
        "settle": sorted(layout.settle),
        "players": most_players(layout),
        "harbors": [[*harbor.vertices, harbor.trade] for harbor in layout.printed_harbors],
        "fixedHarbors": sorted(layout.fixed_harbors),
        "hidden": hidden(layout),
        "impossible": impossible(layout),
        "coast": layout.coast_edges,
        "supply": {str(marker): n for marker, n in layout.marker_supply.items()},
        "fixed": {
            "terrain": {str(tile): name for tile, name in layout.fixed_terrain.items()},
            "markers": {str(tile): marker for tile, marker in layout.fixed_markers.items()},
            "pips": {str(tile): most for tile, most in layout.pips_max.items()},
        },
        "rivers": {
            "tiles": sorted(layout.rivers),
            "mouths": river_mouths(layout),
            "steps": river_steps(layout),
        },
        "groundPlaces": layout.ground_places,
        "symmetries": layout.symmetries,
        "requirements": [
            restriction.to_mapping()
            for subject in ("terrain", "markers")
            for restriction in layout_restrictions(layout, subject)
            if not isinstance(restriction, GroupPieces)  # the page deals pieces by groups
        ],
        "base": encoded(base),
        "rules": tables,
        "changes": changes,
    }


def impossible(layout: Layout) -> dict[str, list[Any]]:
    """Return the values of rules without a board, per field (see ``impossible.py``)."""
    stored = json.loads(_IMPOSSIBLE.read_text(encoding="utf-8")).get(layout.name, {})
    return {field: values for field, values in stored.items() if field in RULES}


def rule_changes(layout: Layout) -> tuple[dict[str, dict[str, int]], list[list[Any]]]:
    """Return the effect of each value of each rule on a layout.

    The first result maps a field to a table. The keys of the table are the JSON texts of the field's value
    and the values of the fields that it needs. They map to numbers of entries of the second result. An entry
    has the data and, if the tables are the whole rule, the rule's restrictions. Missing values are rejected
    by the library on this layout.
    """
    changes: list[list[Any]] = []
    known: dict[str, int] = {}
    tables: dict[str, dict[str, int]] = {}
    for rule in RULES.values():
        table: dict[str, int] = {}
        for given in combinations(rule):
            try:
                change = [_change(rule, given, layout), *_restrictions(rule, given, layout)]
            except CatanError:
                continue
            text = json.dumps(change)
            if text not in known:
                known[text] = len(changes)
                changes.append(change)
            table[key(rule, given)] = known[text]
        tables[rule.field] = table
    return tables, changes


def picture(layout: Layout) -> list[tuple[int, int, str]]:
    """Return the centre of each tile, with the printed terrain if the box has any."""
    first = layout.beginner_board
    terrain = Board.from_notation(first, layout).terrain if first else ["unlaid"] * layout.n_tiles
    return [(x, y, name) for (x, y), name in zip(layout.tiles, terrain, strict=True)]


def group(rule: Rule) -> str:
    """Return the heading below which the page shows a rule."""
    if "harbors" in rule.about:
        return "harbors"
    if "island" in rule.field:
        return "islands"
    if rule.field.startswith("vertex_"):
        return "vertices"
    return "numbers" if "markers" in rule.about else "terrain"


def hidden(layout: Layout) -> list[str]:
    """Return the fields of rules about pieces that the layout lacks, or that never move on it."""

    def moves(terrain: str) -> bool:
        fixed = sum(name == terrain for name in layout.fixed_terrain.values())
        return layout.terrain_counts.get(terrain, 0) > fixed

    return [
        rule.field
        for rule in RULES.values()
        if (rule.field in _VARIES_WITH and not moves(_VARIES_WITH[rule.field]))
        or ("harbors" in rule.about and not layout.printed_harbors)
    ]


def stored_boards(name: str) -> dict[str, dict[str, list[str]]]:
    """Return `ready_boards` of all presets, from a file if their sources are unchanged."""
    made_by = [path for package in _MADE_BY for path in (_PACKAGE / package).rglob("*.py")]
    made_of = sorted([*made_by, *models_needed(), *layouts_dir().glob("*.toml")])
    texts = [*(path.read_text(encoding="utf-8") for path in made_of), inspect.getsource(ready_boards)]
    key = hashlib.sha256("\0".join([*texts, str(N_READY), str(_SEED)]).encode()).hexdigest()
    path = _CACHE / f"{name}.json"
    found: dict[str, dict[str, list[str]]]
    if path.is_file():
        cached = json.loads(path.read_text(encoding="utf-8"))
        if cached["key"] == key:
            found = cached["presets"]
            return found
    found = {preset: ready_boards(preset, LAYOUTS[name]) for preset in PRESETS}
    _CACHE.mkdir(parents=True, exist_ok=True)
    _write(path, {"key": key, "presets": found})
    return found


def ready_boards(preset: str, layout: Layout) -> dict[str, list[str]]:
    """Return checked ``boards``, or ``conflict``, the fields of conflicting rules."""
    given = {"harbors": "printed", **PRESETS[preset].to_mapping()}
    if not layout.printed_harbors:
        del given["harbors"]
    lacking = [field for field, value in given.items() if not _is_possible({field: value}, layout)]
    if lacking:
        return {"conflict": lacking}
    rules = Rules.from_mapping(given)
    try:
        # Without the order of corners, a proof that no board exists takes seconds instead of minutes.
        if rules.symmetry != "all":
            next(generate_boards(1, replace(rules, symmetry="all"), layout, seed=_SEED))
        boards = list(generate_boards(N_READY, rules, layout, seed=_SEED))
    except Infeasible as none:
        return {"conflict": list(none.conflict.fields if none.conflict else given)}
    assert not any(rules.check(board) for board in boards)
    return {"boards": list(dict.fromkeys(board.notation() for board in boards))}


def _is_possible(given: dict[str, Any], layout: Layout) -> bool:
    try:
        Rules.from_mapping(given).check_layout(layout)
    except InvalidRules:
        return False
    return True


def values(rule: Rule) -> list[Any]:
    """Return the values that the page offers, neutral first: the explorer's and the presets'."""
    offered = [value for _, value in rule.kind.options] or [False, True]
    found = [rule.kind.neutral, *offered, *(getattr(preset, rule.field) for preset in PRESETS.values())]
    return [value for i, value in enumerate(found) if value not in found[:i]]


def combinations(rule: Rule) -> Iterator[dict[str, Any]]:
    """Yield each value of the field with each value of the fields that it needs."""
    fields = (rule.field, *rule.needs)
    for chosen in itertools.product(*(values(RULES[field]) for field in fields)):
        yield dict(zip(fields, chosen, strict=True))


def key(rule: Rule, given: dict[str, Any]) -> str:
    """Return the text under which the page looks a rule's data up."""
    plain = [RULES[field].kind.plain(given[field]) for field in (rule.field, *rule.needs)]
    return json.dumps(plain, separators=(",", ":"))


def _change(rule: Rule, given: dict[str, Any], layout: Layout) -> dict[str, Any]:
    """Return the changes of the model's data when this rule is set beside those that it needs."""
    without = Rules(**{field: value for field, value in given.items() if field != rule.field})
    rules = Rules(**given)
    rules.check_layout(layout)
    if rules.harbors == "shuffled" and layout.movable_harbors:
        raise InvalidRules("the page has a place for every harbor, and cannot move them")
    before, after = _model_data(without, layout), _model_data(rules, layout)
    assert before.keys() <= after.keys()
    return {
        name: encoded(value) for name, value in after.items() if name not in before or value != before[name]
    }


def _restrictions(rule: Rule, given: dict[str, Any], layout: Layout) -> list[list[dict[str, Any]]]:
    """Return the restrictions of a rule in a list of one, or an empty list if a checker has more."""
    value, needs = given[rule.field], {field: given[field] for field in rule.needs}
    if rule.restrict is None or rule.violations is not None:
        return []
    unset = value == rule.kind.neutral
    return [[] if unset else [each.to_mapping() for each in rule.restrictions(value, needs, layout) or ()]]


@lru_cache(maxsize=64)
def _model_data(rules: Rules, layout: Layout) -> dict[str, Any]:
    return joint_task(Problem.of(rules, layout), search=2).data


def encoded(value: Any) -> Any:
    """Return data for a model as MiniZinc reads it from JSON."""
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(value)}
    if isinstance(value, dict):
        return {name: encoded(each) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [encoded(each) for each in value]
    return value


def models_needed() -> list[Path]:
    """Return the models that the page runs or shows, with the models that they include."""
    found = [*(models_dir() / name for name in (_MODEL, "measures.mzn", "magic_square.mzn")), _REPAIR]
    for model in found:
        included = (models_dir() / name for name in _INCLUDE.findall(model.read_text(encoding="utf-8")))
        found += [path for path in included if path.is_file() and path not in found]
    return found


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
