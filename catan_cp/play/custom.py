"""Players that are functions of the user, in Python or compiled."""

import inspect
import random
from collections.abc import Callable, Mapping
from typing import Any

from catan_cp.compiled import run
from catan_cp.errors import CatanError, InvalidArgument, show
from catan_cp.play.actions import Action, take
from catan_cp.play.game import Game, View
from catan_cp.play.tables import AT

Player = Callable[[View, list[Action], random.Random], Action]
"""A player in Python.

It takes the view of its seat, the legal actions and a random generator, and returns an action.
"""

Policy = Callable[[Any, Any], None]
"""A compiled player, as in `catan_cp.play.policies`: it takes ground and state and writes ``s[AT.act]``."""


def name_of(player: object) -> str:
    """Return the name of a function in results, such as ``my_player()``."""
    return f"{getattr(player, '__name__', type(player).__name__)}()"


def is_policy(player: Callable[..., Any]) -> bool:
    """Test whether a function is a compiled player: it takes two arguments and not three.

    Raises:
        InvalidArgument: it takes another number of arguments.
    """
    try:
        signature = inspect.signature(player)
        for count in (3, 2):
            try:
                signature.bind(*range(count))
            except TypeError:
                continue
            return count == 2
    except (TypeError, ValueError):  # a function without a signature
        return False
    raise InvalidArgument(
        f"player {name_of(player)} must be a function of (view, legal_actions, rng), or compiled of (g, s)"
    )


class Custom:
    """The seats of a table that functions play.

    Args:
        functions: the function of each such seat, by seat from 0.
        game: the game on the table. It shares the ground and the state of the other players.
    """

    def __init__(self, functions: Mapping[int, Callable[..., Any]], game: Game) -> None:
        self._functions, self._game = functions, game
        self._are_policies = {seat: is_policy(player) for seat, player in functions.items()}
        self._number, self._sources = 0, dict[int, random.Random]()

    def begin(self, seed: int, number: int) -> None:
        """Begin a game. The random generator of a seat depends on the seed, the game and the seat."""
        self._number = number
        self._sources = {
            seat: random.Random(f"{seed} {number} {seat}")
            for seat, compiled in self._are_policies.items()
            if not compiled
        }

    def act(self) -> bool:
        """Let the function of the seat to decide act, if it has one.

        Returns:
            False if a policy plays the seat, or the game is over.

        Raises:
            InvalidArgument: the function returned an illegal action.
            CatanError: the function raised an exception, which is the cause.
        """
        game = self._game
        seat = game.to_play - 1
        if seat not in self._functions or game.is_over:  # a seat can win as its turn begins
            return False
        player = self._functions[seat]
        try:
            if self._are_policies[seat]:
                run(player, game._g, game._s)
                action: Any = [int(x) for x in game._s[AT.act : AT.act + 6]]
                is_legal = run(take, game._g, game._s)
            else:
                action = player(game.view(seat + 1), game.legal_actions(), self._sources[seat])
                is_legal = game._try_to_apply(action)
        except Exception as error:
            raise CatanError(f"{self._where(seat)} raised {type(error).__name__}: {error}") from error
        if not is_legal:
            raise InvalidArgument(
                f"{self._where(seat)} must return one of {game._choices()}, not {show(action)}"
            )
        return True

    def _where(self, seat: int) -> str:
        name, turn = name_of(self._functions[seat]), self._game.turn
        return f"player {name} of seat {seat + 1}, in game {self._number} and turn {turn},"
