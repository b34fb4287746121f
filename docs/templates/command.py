"""A command, to copy: what it is, and where it goes. The tests run this file.

1. Copy the function below into a module of `catan_cp/cli/`, beside commands of its kind. It is thin: it
   reads what was typed, calls one public function, and tells what that gives.
2. Put it into its panel of `PANELS` in `catan_cp/cli/commands.py`, where the help shows it.

That is all: the manual in `docs/manual.md` is made from the commands, and the shell completes what it can.
An error of ours (`catan_cp.errors`) ends a command with status 1 and its text in one line: nothing is caught.
"""

from catan_cp.cli import options as opt
from catan_cp.cli.options import argument, option
from catan_cp.terminal import say, tell  # remarks, on standard error; results, on standard output


def tiles(  # the command's name; where that is a word of Python, an underscore after it, as in `print_`
    *,
    # Options that other commands have too stand in `options.py`, each once: groups of them, which do what all
    # commands do with them (`Given`, `Asked`, `Allowed`, `Search`, `Picture`, ...), and single ones.
    given: opt.Given,
    seed: opt.Seed = None,
    # Its own: what it is if not given (``...``: it must be), what the help says, flags that are neither its
    # name nor those that `options.FLAGS` has for that name, and what completes it (or `options.COMPLETED`).
    terrain: str = argument(..., "Which terrain.", complete=opt.names("brick", "ore")),
    first: int = option(1, "The number of the first tile.", "--first", "-n"),
    how: opt.HowSaid = "text",
) -> None:
    """Print the numbers of the tiles with a terrain.

    The first line stands in the list of commands; an example closes the help, and goes into the manual.

    [bold]catan-cp tiles o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11 ore[/bold]
    """
    from catan_cp import Board  # what takes a while to load, or belongs to the lab, is loaded by who asks

    board: Board = given.board()
    found = [number for number, name in enumerate(board.terrain, first) if name == terrain]
    tell(found if how == "json" else ", ".join(map(str, found)))
    say(f"{len(found)} tiles are {terrain}")
