"""A template for a new command. The tests run this file.

1. Copy the function below into a module of `catan_cp/cli/` with similar commands. It is thin: it reads its
   options, calls one public function, and prints the result.
2. Add it to a panel of `PANELS` in `catan_cp/cli/commands.py`, which is the order of the help.

The manual in `docs/manual.md` is made from the commands. A `CatanError` ends a command with status 1 and its
text in one line, so the command catches no errors.
"""

from catan_cp.cli import options as opt
from catan_cp.cli.options import argument, option
from catan_cp.terminal import say, tell  # remarks, on standard error; results, on standard output


def tiles(  # the command's name; where that is a word of Python, an underscore after it, as in `print_`
    *,
    # `options.py` declares the options of several commands: groups with methods (`BoardInput`, `Search`,
    # `RulesOptions`, `LayoutOptions`, `Picture`, ...) and single options (`Seed`, `ResultFormat`, ...).
    board_input: opt.BoardInput,
    seed: opt.Seed = None,
    # Options of this command: the default (``...`` if required), the help text, the flags if they differ from
    # the name and from `options.FLAGS`, and the completion if it differs from `options.COMPLETED`.
    terrain: str = argument(..., "Terrain of the tiles.", complete=opt.names("brick", "ore")),
    first: int = option(1, "Number of the first tile.", "--first", "-n"),
    how: opt.ResultFormat = "text",
) -> None:
    """Print the numbers of the tiles with a terrain.

    The list of commands shows the first line. The last lines are an example for the help and the manual.

    [bold]catan-cp tiles o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 ore[/bold]
    """
    from catan_cp import Board  # slow imports belong into the function

    board: Board = board_input.board()
    numbers = [number for number, name in enumerate(board.terrain, first) if name == terrain]
    tell(numbers if how == "json" else ", ".join(map(str, numbers)))
    say(f"{len(numbers)} tiles are {terrain}")
