"""What the experiment on played games plays: its arms, their sizes, their boards. See docs/play_design.md.

Nothing here looks at a result. An arm is some boards of some rules, who plays on them, and how often.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.boards.layout import LAYOUTS
from catan_cp.boards.pieces import RESOURCES
from catan_cp.rules.rules import PRESETS, Rules

PRESET_NAMES = ("open", "official", "tournament", "optimal", "blog")

SINGLE_RULES: dict[str, Rules] = {
    "reds_apart": Rules(reds_apart=True),
    "equal_markers_apart": Rules(equal_markers_apart=True),
    "vertex_pips_max": Rules(vertex_pips_max=11),
    "vertex_pips_min": Rules(vertex_pips_min=4),
    "vertex_sum_below": Rules(vertex_sum_below=23),
    "terrain_cluster_max": Rules(terrain_cluster_max=1),
    "terrain_pips_min": Rules(terrain_pips_min=tuple((name, 9) for name in RESOURCES)),
    "desert_centre": Rules(desert="centre"),
}
"""Each adds one rule to ``open``, at the strength that it has in a preset or near the strictest that leaves
boards in plenty."""

PLANS = ("pips", "optimal", "rivals")


@dataclass(frozen=True)
class Arm:
    """Some boards, and the games on each of them.

    Attributes:
        name: of the arm; part of every seed.
        rules: the name of its rules, in `all_rules`.
        boards: how many boards.
        games: how many games on each, for each seat that follows a plan where one does.
        players: a name for all seats.
        placement: as for `catan_cp.play_games`.
        plan: what one seat follows, all seats in turn, while the others place by their style.
    """

    name: str
    rules: str
    boards: int
    games: int
    players: str = "greedy"
    placement: str = "optimal"
    plan: str | None = None


@dataclass(frozen=True)
class BoardOf:
    """A board of the experiment: which of its rules, and whether it is a fresh one for the test."""

    rules: str
    number: int
    fresh: bool

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{'fresh' if self.fresh else 'board'}:{self.rules}/{self.number}"

    def make(self) -> Board:
        """Return it: as `catan_cp.generate_board` makes it, with the printed harbors."""
        from catan_cp.search.generate import generate_board

        made = generate_board(rules=all_rules()[self.rules], seed=seed_of(self.key) % 2**31)
        return Board(made.layout, made.terrain, made.markers, LAYOUTS["base"].printed_harbors)


@dataclass(frozen=True)
class Unit:
    """The games of one arm on one board: what is played, and kept, as a whole."""

    arm: Arm
    number: int

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.arm.name}/{self.number}"

    @property
    def board(self) -> BoardOf:
        """What it is played on: a test has boards of its own; other arms of the same rules share theirs."""
        return BoardOf(self.arm.rules, self.number, self.arm.name.startswith("test:"))


def all_rules() -> dict[str, Rules]:
    """Return the rules of all arms by name; ``A+B`` are two single rules together."""
    pairs = {
        f"{a}+{b}": first.replace(**_set(second))
        for a, first in SINGLE_RULES.items()
        for b, second in SINGLE_RULES.items()
        if a < b
    }
    return {**{name: PRESETS[name] for name in PRESET_NAMES}, **SINGLE_RULES, **pairs}


def _set(rules: Rules) -> dict[str, Any]:
    """Return the fields of *rules* that say anything."""
    neutral = Rules()
    return {
        field.name: value
        for field in fields(rules)
        if (value := getattr(rules, field.name)) != getattr(neutral, field.name)
    }


def main_arms(scale: float = 1) -> list[Arm]:
    """Return the arms of questions a, b, c and the first half of d; a *scale* below 1 makes a trial run."""

    def size(boards: int, games: int) -> tuple[int, int]:
        return max(1, round(boards * scale)), max(1, round(games * scale))

    arms = [Arm(f"strong:{name}", name, *size(16, 40)) for name in PRESET_NAMES]
    arms += [Arm(f"weak:{name}", name, *size(16, 6), "weighted", "free") for name in PRESET_NAMES]
    for plan in PLANS:
        # Where rivals settle takes seconds to find: fewer boards, more games on each.
        boards, games = size(4, 10) if plan == "rivals" else size(16, 6)
        for name in ("open", "tournament"):
            arms.append(Arm(f"{plan}:{name}", name, boards, games, placement="free", plan=plan))
    return arms + [Arm(f"rule:{name}", name, *size(10, 16)) for name in SINGLE_RULES]


def test_arms(rules: str, scale: float = 1) -> list[Arm]:
    """Return the arms that test the rules found: they and ``open``, on fresh boards."""
    boards, games = max(1, round(16 * scale)), max(1, round(25 * scale))
    return [Arm(f"test:{name}", name, boards, games) for name in ("open", rules)]


def waves(arms: list[Arm]) -> Iterator[Unit]:
    """Yield all units: the first board of each arm, then the second of each, and so on.

    A run that is stopped has about as many boards of each arm.
    """
    for number in range(max(arm.boards for arm in arms)):
        yield from (Unit(arm, number) for arm in arms if number < arm.boards)


def seed_of(*words: object) -> int:
    """Return a seed that these words fix: 48 bits of their BLAKE2b."""
    text = " ".join(map(str, words))
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest())
