"""Write results that the page must compute too: ``python page/tests/vectors.py FILE [BOARDS]``.

*BOARDS* is the number of boards whose rules are checked.
"""

from __future__ import annotations

import json
import random
import re
import sys
import warnings
from pathlib import Path
from typing import Any

from catan_cp import LAYOUTS, Board, Rules, efficiency, efficiency_error, generate_boards, import_board
from catan_cp.boards.layout import CLASSIC, Harbor, Layout
from catan_cp.boards.notation import canonical, parts
from catan_cp.errors import CatanError, InvalidBoard, InvalidRules
from catan_cp.formats.reading import format_of
from catan_cp.placement import Draft, chance_game
from catan_cp.placement.chances import unmeasured
from catan_cp.placement.positions import free_vertices, snake
from catan_cp.problem.problem import Problem
from catan_cp.rules.patterns import pattern_on, read_pattern
from catan_cp.rules.rules import PRESETS, RULES
from catan_cp.search.model_data import joint_task

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from export import encoded, values

from tests.formats.files import FILES
from tests.formats.test_import import BROKEN

BOARDS = 240
NOTATIONS = 6000
JUDGED = 3000


def shuffled(layout: Layout, rng: random.Random) -> Board:
    """Return a random board of the box, regardless of the groups of its pieces."""
    terrain = [name for name, n in layout.terrain_counts.items() for _ in range(n)]
    rng.shuffle(terrain)
    supply = [marker for marker, n in layout.marker_supply.items() for _ in range(n)]
    rng.shuffle(supply)
    markers = [None if name in layout.unnumbered else supply.pop() for name in terrain]
    return Board(layout, terrain, markers, layout.printed_harbors if rng.random() < 0.5 else ())


def some_rules(layout: Layout, rng: random.Random) -> dict[str, Any]:
    """Return a few rules of those that the page offers."""
    chosen: dict[str, Any] = {}
    for rule in RULES.values():
        if rng.random() < 0.4:
            chosen[rule.field] = rule.kind.plain(rng.choice(values(rule)))
    return {field: value for field, value in chosen.items() if value is not None}


def draft(boards: list[Board], number: int, players: int, rng: random.Random) -> dict[str, Any]:
    """Return random settlements of a draft, with the line of play and the best moves."""
    board = boards[number]
    placed: list[int] = []
    for _ in range(number % (2 * players + 1)):
        placed.append(rng.choice(free_vertices(board, placed)))
    found: dict[str, Any] = {"board": number, "players": players, "placed": placed}
    if unmeasured(board, players):
        return found | {"order": chance_game._own_lines(board, players, [tuple(placed)])[0]}
    line = chance_game.chance_line(board, players, placed)
    is_next = len(placed) < 2 * players
    moves = chance_game.move_chances(board, players, placed) if is_next else ()
    return found | {"order": line.order, "chances": line.chances, "moves": moves}


def mutations(boards: list[Board], n: int, rng: random.Random) -> list[str]:
    """Return notations of boards and patterns, each changed in one to three places."""
    signs = "abdglowsx0123456789+/:@,=- cpqxé"
    lines = [board.notation() for board in boards]
    lines += [board.pattern(rng.choice(("terrain", "markers", [1, 4, 7]))) for board in boards]
    lines += [line.partition(":")[0] + ":" + line.partition(":")[2] for line in lines if ":" in line]
    for board in boards:
        coast = rng.sample(board.layout.coast_edges, 3)
        laid = ",".join(f"{a}-{b}={rng.choice('3bgwolds')}" for a, b in coast)
        at = board.notation().partition("@")[2]
        rows = board.notation().partition("@")[0].partition(":")[0]
        lines.append(f"{rows}:{laid}" + (f"@{at}" if at else ""))
    lines += [line.upper() for line in lines[::5]]
    lines += [line.replace("/", rng.choice((" ", ""))) for line in lines[::3]]
    found = []
    for _ in range(n):
        text = rng.choice(lines)
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
            k = min(len(text), i + 1)
            text = rng.choice(
                (
                    text[:i] + rng.choice(signs) + text[k:],
                    text[:i] + rng.choice(signs) + text[k:],
                    text[:i] + rng.choice(signs) + text[i:],
                    text[:i] + text[k:],
                    text[:i] + text[j : j + 1] + text[k:j] + text[i:k] + text[j + 1 :] if k <= j else text,
                    text + text[i : min(j, i + 9)],
                    text[:j] + "," + text[i:j] if ":" in text[:i] else text[: max(j, 3)],
                )
            )
        found.append(text)
    return found


def reading(text: str) -> dict[str, Any] | None:
    """Return the complete board or the pattern that Python reads, or nothing."""
    text = canonical(text)
    try:
        board = Board.from_notation(text)
    except InvalidBoard:
        board = None
    if board is not None:
        tiles = enumerate(board.terrain)
        if board.has_markers or not any(board.layout.carries_marker(t, name) for t, name in tiles):
            return {"board": board.notation()}
        rows, _, name = parts(text)
        text = "/".join(rows) + (f"@{name}" if name else "")
    body, at, name = text.partition("@")
    lengths = tuple(sum(sign.isascii() and sign.isalpha() for sign in row) for row in body.split("/"))
    classic = [LAYOUTS[each] for each in CLASSIC if LAYOUTS[each].rows == lengths]
    layout = LAYOUTS.get(name) if at else next(iter(classic), None)
    if layout is None:
        return None
    try:
        pattern = pattern_on(read_pattern(text) or "", layout)
    except InvalidRules:
        return None
    return {"terrain": pattern.terrain, "markers": pattern.markers}


def imported_address(text: str) -> str | None:
    """Return the address of the board and the opening in a file, None if it is rejected."""
    try:
        game = import_board(text)
    except CatanError:
        return None
    if isinstance(game, Board):
        return game.notation()
    placed = ".".join(str(vertex) for _, vertex in game.settlements)
    return f"{game.known_board.notation()}&players={len(game.seats)}&placed={placed}"


def files(n: int, rng: random.Random) -> list[str]:
    """Return files of other programs, most of them with one or two numbers or words changed."""
    words = [
        *map(str, range(-1, 20)),
        "0x",
        "red",
        "RED",
        "WOOD",
        "wood",
        "SETTLEMENT",
        "null",
        "true",
        '""',
        "{",
        "]",
    ]
    texts = []
    for board in generate_boards(12, Rules.preset("official").replace(harbors="shuffled"), seed=19):
        players = rng.choice((3, 4))
        vertices = list[int]()
        for _ in range(rng.randint(0, 2 * players)):
            vertices.append(rng.choice(free_vertices(board, vertices)))
        placed = tuple(zip(snake(players), vertices, strict=False))
        roads = tuple(rng.choice((None, rng.choice(board.layout.vertex_neighbors[v]))) for v in vertices)
        draft = Draft(placed, roads, board, ("RED", "BLUE", "ORANGE", "WHITE")[:players])
        texts += [write(draft) for write in FILES.values()]
    broken = [
        text.replace(*change)
        for program, changes in BROKEN.items()
        for change in changes
        for text in texts
        if format_of(text).program == program and change[0] in text
    ]
    begun = [text.replace('"z": 0}', '"z": 0, "owner": 1}', 1) for text in texts[:: len(FILES)]]
    found = [*texts, *broken, *begun, "", "[", "{}", '{"tileHexStates": {}}']
    while len(found) < n:
        text = rng.choice(texts)
        for _ in range(rng.choice((1, 1, 2))):
            start, end = rng.choice([match.span() for match in re.finditer(r"-?\d+|[A-Za-z]+", text)])
            text = text[:start] + rng.choice(words) + text[end:]
        found.append(text)
    return found


def other_harbors(layout: Layout, rng: random.Random) -> list[Harbor]:
    """Return the frame's trades in another order, in its places or elsewhere at the coast."""
    trades = [harbor.trade for harbor in layout.printed_harbors]
    edges = [harbor.vertices for harbor in layout.printed_harbors]
    if rng.random() < 0.5:
        edges = []
        for edge in rng.sample(layout.coast_edges, len(layout.coast_edges)):
            if len(edges) < len(trades) and not {v for each in edges for v in each}.intersection(edge):
                edges.append(edge)
    trades = rng.sample(trades, len(trades)) if rng.random() < 0.5 else rng.choices(trades, k=len(trades))
    return [Harbor(edge, trade) for edge, trade in zip(edges, trades, strict=False)]


def judged(n: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return boards with rules that the page offers, and the violations per rule."""
    named = ("base", "base-5-6", "seafarers-6", "seafarers-10", "new-shores-4", "fog-islands-4")
    found: list[dict[str, Any]] = []
    while len(found) < n:
        layout = LAYOUTS[rng.choice(named)]
        mapping = {"harbors": "printed", **some_rules(layout, rng)}
        rules = None
        while rules is None:  # impossible or contradictory rules are removed one by one
            try:
                rules = Rules.from_mapping(mapping)
                rules.check_layout(layout)
            except CatanError:
                rules = None
                del mapping[rng.choice(list(mapping))]
        for _ in range(10):
            board = shuffled(layout, rng)
            if board.harbors and layout.name == "base" and rng.random() < 0.6:
                board = Board(layout, board.terrain, board.markers, other_harbors(layout, rng))
            places: dict[str, Any] = {}
            for each in rules.check(board):
                if each.rule != "pieces":
                    places.setdefault(each.rule, []).append([sorted(each.tiles), sorted(each.vertices)])
            chosen = rules.to_mapping()
            found.append(
                {"board": board.notation(), "rules": chosen, "layout": layout.name, "places": places}
            )
    return found


CONSTRAINTS = (
    "forall(t in TILE where terrain[t] = ORE)(marker[t] != 6)",
    "exists(t in coast)(is[t, GOLD] /\\ pips[t] > 2) -> not numbered[centre]",
    "let { var TILE: u; constraint terrain[u] = WOOL } in marker[u] = 8",
    "predicate low(int: t) = marker[t] < 5; constraint low(1) \\/ low(2);",
    "constraint largest_vertex_sum() <= 21; % a comment\nconstraint alldifferent([marker[t] | t in 1..3]);",
    "count(terrain, DESERT) = 1 % and\n /\\ sum(v in INLAND)(card(touching[1])) >= 4",
    "table([marker[1], marker[2]], [| 6, 8 | 8, 6 |])",
    "harbor[1] = 0 <-> terrain[1] in {BRICK, LUMBER, 3}",
    "function var int: twice(var int: x) = 2 * x; constraint twice(marker[1]) = 12",
)
SPLICES = (
    *("(", ")", "[", "]", "{", "}", ";", ",", "::", '"', "\n", " ", ".", "..", "1.5", "2e3", "@", "#", "\\/"),
    *("output", "include", "solve", "constraint", "predicate", "function", "var", "in", "not", "trace"),
    *("DESSERT", "LAKE", "marker", "u", "assert", "show", "string", "ann", "float", "__own0"),
    *(
        "%",
        "/*",
        "*/",
        "'",
        "`",
        "\\(",
        "0x1",
        "\r",
        "\f",
        "\xa0",
        "\x85",
        "\u2028",
        "\ufeff",
        "\u0661",
        "\u0430",
    ),
)


def constraint_texts(n: int, rng: random.Random) -> list[tuple[str, str, list[int] | bool]]:
    """Return almost valid constraints, each with a layout, and true or the position of the error."""
    found: list[tuple[str, str, list[int] | bool]] = []
    for _ in range(n):
        text = rng.choice(CONSTRAINTS)
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            at = rng.randrange(len(text) + 1)
            cut = rng.choice((0, 0, 1, 2, 5))
            text = text[:at] + rng.choice(("", *SPLICES)) + text[at + cut :]
        name = rng.choice(("base", "fishermen-of-catan"))
        try:
            Rules(constraints=[text], harbors="printed").check_layout(LAYOUTS[name])
            found.append((text, name, True))
        except InvalidRules as problem:
            place = re.search(r"line (\d+), column (\d+)", str(problem))
            found.append((text, name, [int(each) for each in place.groups()] if place else [1, 1]))
    return found


def main(path: Path, n_judged: int = JUDGED) -> None:
    """Write the vectors."""
    rng = random.Random(19)
    base = [shuffled(LAYOUTS["base"], rng) for _ in range(BOARDS)]
    others = [
        shuffled(LAYOUTS[name], rng)
        for name in ("base-5-6", "seafarers-6", "seafarers-10", "new-shores-4")
        for _ in range(20)
    ]
    boards = [*base, *others]
    # Some boards have islands, or restrict the first settlements. Some drafts have six players.
    drafts = [draft(boards, number, 3 + number % 2, rng) for number in range(len(boards))]
    drafts += [draft(boards, number, 2 + number % 3, rng) for number in range(BOARDS, len(boards))]
    with warnings.catch_warnings(action="ignore"):
        drafts += [draft(boards, BOARDS + number, 5 + number % 2, rng) for number in range(4)]
    rules = []
    for number in range(60):
        layout = LAYOUTS[rng.choice(("base", "base-5-6", "seafarers-7"))]
        mapping = (
            some_rules(layout, rng)
            if number > len(PRESETS)
            else list(PRESETS.values())[number - 1].to_mapping()
        )
        try:
            Rules.from_mapping(mapping).check_layout(layout)
        except CatanError:
            continue
        data = joint_task(Problem.of(Rules.from_mapping(mapping), layout), search=2).data
        rules.append({"layout": layout.name, "rules": mapping, "data": encoded(data)})
    named = ("base", "base-5-6", "seafarers-6", "seafarers-10", "new-shores-4", "rivers-of-catan")
    texts = mutations([shuffled(LAYOUTS[rng.choice(named)], rng) for _ in range(60)], NOTATIONS, rng)
    games = files(2000, rng)
    vectors = {
        "files": [[text, imported_address(text)] for text in games],
        "notations": [[text, reading(text)] for text in texts],
        "constraints": constraint_texts(4000, rng),
        "rules": rules,
        "judged": judged(n_judged, rng),
        "laid": [
            {"layout": name, "board": board.notation()}
            for name in ("base", "base-5-6", "seafarers-6", "new-shores-4", "fog-islands-4", "four-islands-3")
            for board in generate_boards(20, Rules(), name, seed=19)
        ],
        "boards": [board.notation() for board in boards],
        "layouts": [board.layout.name for board in boards],
        "efficiency": [efficiency(board) for board in boards],
        "error": [efficiency_error(board) if board.layout.target_efficiency else None for board in boards],
        "pips": [board.vertex_pips() for board in boards],
        "terrain_pips": [board.terrain_pips() for board in boards],
        "drafts": drafts,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(vectors), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
