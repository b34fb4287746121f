"""The definition of a study, and the state of a stored one.

>>> study = Study(10_000, "tournament", seed=1, players=3)
>>> study.layout.name, study.rules.vertex_pips_max, len(study.objective)
('base', 12, 3)
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from catan_cp.analysis.boards import Goals
from catan_cp.analysis.measures import Needs
from catan_cp.boards.board import Board
from catan_cp.boards.layout import Layout, find_layout, read_layout
from catan_cp.errors import CatanError, InvalidArgument, InvalidRules, amount, check_choice, check_count, show
from catan_cp.model_files import edited_digest
from catan_cp.placement import Objective
from catan_cp.placement.checks import checked_objectives, checked_players
from catan_cp.placement.objective import TERMS
from catan_cp.play.playing import read_players
from catan_cp.play.tables import check_layout
from catan_cp.rules.rules import Rules, find_rules
from catan_cp.terminal import Brief

_MOST_BOARDS = 10**12
_MOST_CHUNK = 10_000
_CHUNK = 200
_FRACTION = re.compile(r"-?[0-9]{1,2000}(/0*[1-9][0-9]{0,2000})?")
_WEIGHTS = (*TERMS, "rivalry", "expansion")
_SOLVED_IN_CHUNK = 20  # boards with chances
_GAMES_IN_CHUNK = 400  # half a minute of one process
_MOST_GAMES = 1_000_000


SEATS = ("none", "estimated", "played")
"""The measures of seats that a study can have."""


@dataclass(frozen=True, init=False, repr=False)
class Study(Brief):
    """The name of a study, and everything that its results depend on.

    Args:
        n: number of boards, repeats included, or None for all boards that are passed.
        rules: rules or a preset's name. For boards that are passed they are only recorded.
        layout: a layout or its name.
        seed: a whole number from 0. The same study, seed and versions give the same boards. None means the
            seed of the stored study, or a random seed for a new study.
        players: number of players on each board.
        objective: their objective or objectives, as for `catan_cp.solve_placement`.
        solver: a solver's name, or ``auto``: none if boards can be sampled uniformly, Chuffed if installed,
            otherwise Gecode.
        chunk: number of boards in a chunk, from 1 to 10,000. A crash loses at most one chunk per worker. None
            means 200, or with games the number of boards for 400 games.
        name: its name in the store, for several studies in one file.
        games: number of games on each board, as in `catan_cp.play_games`.
        played_by: the players: a name for all seats, or one per seat with commas. Default: ``greedy``.
        seats: ``"none"``, ``"estimated"`` for the columns ``chance_1`` and so on, half a second a board, or
            ``"played"`` for the results of `catan_cp.check_seats` too, which take another second.
        source: ``generated``, or ``given`` for boards that are passed. `catan_cp.run_study` sets it.

    Raises:
        InvalidArgument, InvalidBoard, InvalidRules: an invalid value.

    Example:
        >>> study = Study(100, "tournament", seed=1, players=3)
        >>> study.n, study.layout.name, study.chunk
        (100, 'base', 200)
    """

    n: int | None
    rules: Rules
    layout: Layout
    seed: int | None
    players: int
    objective: tuple[Objective, ...]
    solver: str | None
    chunk: int
    name: str
    source: str
    games: int
    played_by: str
    seats: str

    def __init__(
        self,
        n: int | None,
        rules: str | Rules = "optimal",
        layout: str | Layout = "base",
        *,
        seed: int | None = None,
        players: int = 4,
        objective: Goals = None,
        solver: str | None = "auto",
        chunk: int | None = None,
        name: str = "study",
        source: str = "generated",
        games: int = 0,
        played_by: str = "greedy",
        seats: str = "none",
    ) -> None:
        layout, games = find_layout(layout), check_count("games", games, 0, _MOST_GAMES)
        if chunk is None:
            most = _CHUNK if check_choice("seats", seats, SEATS) == "none" else _SOLVED_IN_CHUNK
            chunk = max(1, min(most, _GAMES_IN_CHUNK // max(1, games)))
        if not isinstance(name, str) or not name.strip() or len(name) > 200 or not name.isprintable():
            raise InvalidArgument(f"a study's name must be a short text in one line, not {show(name)}")
        if source not in ("generated", "given"):
            raise InvalidArgument(f"source must be 'generated' or 'given', not {show(source)}")
        if solver is not None and not isinstance(solver, str):
            raise InvalidArgument(f"solver must be a solver's name, not {show(solver)}")
        filled = [terrain for terrain, count in layout.terrain_counts.items() for _ in range(count)]
        players = checked_players(players, Board(layout, filled))
        vars(self).update(  # assignment would raise, because it is frozen
            n=None if n is None else check_count("n", n, 1, _MOST_BOARDS),
            rules=find_rules(rules),
            layout=layout,
            seed=None if seed is None else check_count("seed", seed, 0, 2**63 - 1),
            players=players,
            objective=checked_objectives(objective, players),
            solver=solver,
            chunk=check_count("chunk", chunk, 1, _MOST_CHUNK),
            name=name,
            source=source,
            games=games,
            played_by=_checked_games(games, played_by, players, layout),
            seats=check_choice("seats", seats, SEATS),
        )

    @property
    def needs(self) -> frozenset[Needs]:
        """The kinds of measures that are computed."""
        needs: set[Needs] = {"board", "placement"}
        needs |= {"games"} if self.games else set()
        needs |= {"chances"} if self.seats != "none" else set()
        return frozenset(needs | ({"seats"} if self.seats == "played" else set()))

    def to_json(self) -> str:
        """Return the study as a JSON object, with its name, rules and objectives in full."""
        return json.dumps(self.facts())

    def facts(self) -> dict[str, Any]:
        """Return the study as plain values, by field.

        A custom layout has its file's text. Edited models have a digest, but not their folder,
        which the user names.
        """
        layout, rules = self.layout, self.rules.to_mapping()
        rules.pop("models", None)
        return vars(self) | {
            "rules": rules,
            "models": edited_digest(self.rules.models),
            "layout": layout.name if layout.is_built_in else f"{layout.name}\n{layout.to_toml()}",
            "objective": [goal_values(goal) for goal in self.objective],
        }

    @classmethod
    def from_json(cls, text: str, *, models: str | None = None) -> Study:
        """Read the JSON of `to_json`.

        Args:
            text: the JSON object.
            models: the folder of the edited models with which the study was made, if it was.

        Raises:
            InvalidRules: the text names a folder of models, or *models* is not the right folder.
            CatanError: the text is not that of a study.
        """
        try:
            facts = json.loads(text)
            digest = facts.pop("models")
            if "models" in facts["rules"]:
                raise InvalidRules("a stored study must not name a folder of models; remove it")
            if digest is not None:
                if digest != edited_digest(models):
                    raise InvalidRules(
                        "models must be the folder of the edited models with which the study was made, not "
                        f"{show(models)}; name it with models=, or --models"
                    )
                facts["rules"]["models"] = models
            name, _, toml = facts["layout"].partition(
                "\n"
            )  # a custom layout has its file's text after its name
            facts["layout"] = read_layout(toml, name, f"the stored layout {name!r}") if toml else name
            facts["rules"] = Rules.from_mapping(facts["rules"])
            facts["objective"] = tuple(read_goal(goal) for goal in facts["objective"])
            return cls(**facts)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            if isinstance(error, CatanError):
                raise
            raise InvalidArgument(f"{show(text)} describes no study ({type(error).__name__})") from None


@dataclass(frozen=True)
class StudyState:
    """The state of a study in a store.

    Attributes:
        study: its definition.
        number: its number in the store.
        library_version, solver_version: the versions that make its boards, None without a solver.
        made: number of boards so far, repeats included.
        boards: number of different boards.
        failures: the error of each chunk (from 0) that failed twice.
    """

    study: Study
    number: int
    library_version: str
    solver_version: str | None
    made: int
    boards: int
    failures: dict[int, str]

    @property
    def name(self) -> str:
        """The study's name."""
        return self.study.name

    def __str__(self) -> str:
        n_made = amount(self.made, "board")
        if self.study.n is not None:
            n_made = f"{self.made:,} of {amount(self.study.n, 'board')}"
        text = f"study {self.name!r}: {n_made} of {self.study.layout.name}, "
        text += f"{self.boards:,} different"
        if self.failures:
            first = next(iter(self.failures.values()))
            text += f"; {amount(len(self.failures), 'chunk')} failed, the first: {first}"
        return text


def goal_values(goal: Objective) -> dict[str, str]:
    """Return an objective as stored: its nonzero weights as exact fractions, and its modes."""
    values = {name: str(getattr(goal, name)) for name in _WEIGHTS if getattr(goal, name)}
    return values | {"resources_as": goal.resources_as, "cards_as": goal.cards_as}


def read_goal(values: Mapping[str, str]) -> Objective:
    """Return the objective that `goal_values` describes."""
    numbers = {name: _exact(values.get(name, "0")) for name in _WEIGHTS}
    return Objective(**numbers, resources_as=values["resources_as"], cards_as=values["cards_as"])


def _exact(text: str) -> Fraction:
    """Read a stored fraction. Other forms, such as 1e999999999, could have a billion digits."""
    if not _FRACTION.fullmatch(text):
        raise InvalidArgument(f"a stored weight must be a fraction, not {show(text)}")
    return Fraction(text)


def _checked_games(games: int, played_by: object, players: int, layout: Layout) -> str:
    """Return the players of the games in full, or raise if they cannot be played."""
    if not isinstance(played_by, str):
        raise InvalidArgument(f"played_by must name players, such as 'greedy', not {show(played_by)}")
    if not games:
        return played_by
    check_layout(layout, players)
    specs = read_players(played_by if "," in played_by else ",".join([played_by] * players))
    if len(specs) != players:
        raise InvalidArgument(f"played_by must name {players} players, not {len(specs)}: {show(played_by)}")
    return ",".join(map(str, specs))
