"""Players that are functions of the user, in Python or compiled."""

import inspect
import random
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from catan_cp.compiled import run
from catan_cp.errors import CatanError, InvalidArgument, listed, show, show_path
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


# Functions by their file, for the command line and for other processes

Source = tuple[str, str, str]
"""The module, the file and the name of a function, from which another process loads it."""

_loading: list[str] = []
"""The files that are loaded at this moment."""


def load_player(text: str) -> Player | Policy:
    """Load a player from ``FILE.py:FUNCTION``. This runs the file, but nothing else of its folder.

    Raises:
        InvalidArgument: there is no such file, or it has no such function.
        CatanError: the file raised an exception, which is the cause.
    """
    name, _, function = text.rpartition(":")
    path = Path(name)
    if not path.is_file():
        raise InvalidArgument(f"a player must be FILE.py:FUNCTION of a file that exists, not {show(text)}")
    module = _module_of(str(path.resolve()))
    player = getattr(module, function, None)
    if not callable(player):
        names = [key for key, value in vars(module).items() if inspect.isfunction(inspect.unwrap(value))]
        raise InvalidArgument(
            f"a player must be a function of {show_path(path)}, not {show(function)}; "
            f"its functions are {listed(names) if names else 'none'}"
        )
    is_policy(player)
    return player  # type: ignore[no-any-return]


@cache
def _module_of(file: str) -> ModuleType:
    """Run a file as a module of a name of its own. Its folder is not added to the import path."""
    name = f"catan_cp_player_{blake2b(file.encode(), digest_size=8).hexdigest()}"
    spec = spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module = module_from_spec(spec)
    _loading.append(file)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise CatanError(
            f"cannot load {show_path(file)}: {type(error).__name__}: {str(error) or 'no message'}"
        ) from error
    finally:
        _loading.pop()
    return module


def check_not_loading() -> None:
    """Check that no file of a player is being loaded, so that the file cannot start games again and again.

    Raises:
        CatanError: a file is being loaded.
    """
    if _loading:
        raise CatanError(
            f"{show_path(_loading[-1])} must not play games while it is loaded as the file of a player; "
            'put them under if __name__ == "__main__":'
        )


def source_of(player: Callable[..., Any]) -> Source:
    """Return the source of a function, for other processes.

    Raises:
        InvalidArgument: it is not a function at the top level of a file.
    """
    plain = inspect.unwrap(player)
    name, module = getattr(plain, "__qualname__", ""), sys.modules.get(getattr(plain, "__module__", ""))
    file = getattr(module, "__file__", None)
    if file is None or getattr(module, name, None) is not player:
        raise InvalidArgument(
            f"workers must be 1 for player {name_of(player)}; other processes load only functions at the "
            "top level of a file"
        )
    assert module is not None
    return module.__name__, str(Path(file).resolve()), name


@cache
def player_of(source: Source) -> Player | Policy:
    """Return the function of a source: of the module if it is importable, otherwise of its file."""
    name, file, function = source
    module = None
    if name != "__main__":
        with suppress(ImportError):
            module = import_module(name)
    if module is None or str(Path(module.__file__ or "").resolve()) != file:
        module = _module_of(file)
    return getattr(module, function)  # type: ignore[no-any-return]


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
        except (Exception, SystemExit) as error:
            raise CatanError(f"{self._where(seat)} raised {type(error).__name__}: {error}") from error
        if not is_legal:
            raise InvalidArgument(
                f"{self._where(seat)} must return one of {game._choices()}, not {show(action)}"
            )
        return True

    def _where(self, seat: int) -> str:
        name, turn = name_of(self._functions[seat]), self._game.turn
        return f"player {name} of seat {seat + 1}, in game {self._number} and turn {turn},"
