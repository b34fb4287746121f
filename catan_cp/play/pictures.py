"""Played games as a picture: who wins from which seat, how long games take, and who leads when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catan_cp.draw.style import find_theme
from catan_cp.errors import InvalidArgument, show
from catan_cp.play.games import Games

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_WIDTH, _HEIGHT, _TEXT = 4.0, 3.2, 9.0


def plot_games(games: Games, ax: Axes | None = None, *, theme: str = "light") -> Figure | SubFigure:
    """Draw the games of a board: wins by seat with 95 % intervals, lengths, and mean points by round.

    Args:
        games: what `catan_cp.play_games` returns.
        ax: as in `catan_cp.plot_gallery`.
        theme: as in `catan_cp.plot_board`.

    Raises:
        InvalidArgument: no games, *ax* is no axes, or an unknown theme.
    """
    from catan_cp.draw.charts import dress, legend, panels

    look = find_theme(theme)
    if not isinstance(games, Games) or not len(games):
        raise InvalidArgument(f"this draws games that were played, not {show(games)}")
    picture, [[wins, lengths, leads]] = panels(ax, (3 * _WIDTH, _HEIGHT), 1, 3, look)
    seats = range(1, len(games.players) + 1)

    dress(wins, look, "wins by seat")
    for seat, share in zip(seats, games.wins, strict=True):
        low, high = share.interval
        color = look.series[(seat - 1) % len(look.series)]
        wins.plot([seat, seat], [100 * low, 100 * high], color=color, linewidth=3, solid_capstyle="round")
        wins.plot([seat], [100 * share.value], "o", color=color, markersize=8)
    wins.axhline(100 / len(games.players), color=look.text, linewidth=1, linestyle="--")
    wins.set_xticks(list(seats), [f"{s}\n{name}" for s, name in zip(seats, games.players, strict=True)])
    wins.set_xlim(0.5, len(games.players) + 0.5)
    wins.set_ylabel("% of games", fontsize=_TEXT)

    dress(lengths, look, "length in turns")
    lengths.hist(games.rows["turns"], bins="auto", color=look.series[0], alpha=0.7)
    lengths.set_ylabel("games", fontsize=_TEXT)

    dress(leads, look, "points after each round")
    rows = games.leads()
    for seat in seats:
        color = look.series[(seat - 1) % len(look.series)]
        points = [row[seat - 1] for row in rows]
        leads.plot(range(1, len(rows) + 1), points, color=color, label=f"seat {seat}")
    legend(leads, look)
    return picture
