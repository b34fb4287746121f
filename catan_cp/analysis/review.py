"""Review of the opening of a played game, settlement by settlement.

A chance is that of `catan_cp.win_chances`: the players settle the rest so as to maximize their own chances.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from catan_cp.analysis.seats import SeatCheck, check_seats
from catan_cp.boards.vertex_text import vertex_name
from catan_cp.errors import InvalidArgument, check_kind
from catan_cp.placement.chance_game import chance_line, measured_line
from catan_cp.placement.checks import checked_board, checked_placed, checked_players
from catan_cp.placement.judging import Draft
from catan_cp.terminal import Brief

SAME = 0.0005
"""The largest difference of chances that the sentences treat as none: they show tenths of a per cent."""


@dataclass(frozen=True)
class ReviewedMove:
    """A settlement of an opening, with its player's chance to win.

    Attributes:
        player: the player who settled, numbered from 1.
        vertex: its vertex.
        before: the player's chance before the settlement, with best play of all from there.
        after: the player's chance after it.
        best: the vertex of the line of play, which keeps the chance *before*.
    """

    player: int
    vertex: int
    before: float
    after: float
    best: int

    @property
    def cost(self) -> float:
        """The chance lost against the best vertex. It can be negative with five and six players."""
        return self.before - self.after


@dataclass(frozen=True, repr=False)
class Review(Brief):
    """The review of an opening.

    Attributes:
        draft: the opening with its board.
        moves: the settlements in the order placed.
        seats: the check of the board's seats, with games if they can be played.
        chances: each player's chance after the opening, player 1 first.
    """

    draft: Draft
    moves: tuple[ReviewedMove, ...]
    seats: SeatCheck
    chances: tuple[float, ...]

    @property
    def picture(self) -> dict[str, Any]:
        """Options of `catan_cp.plot_board` for the settlements, with the better vertices as ghosts."""
        ghosts = [(turn, move.best) for turn, move in enumerate(self.moves, 1) if move.cost > SAME]
        return {"placement": self.draft.placed, "ghosts": ghosts, "key": True}

    def name(self, player: int) -> str:
        """Return the name of a player with its number."""
        names = self.draft.seats
        return f"player {player} ({names[player - 1]})" if names else f"player {player}"

    def sentences(self) -> Iterator[str]:
        """Yield a sentence per settlement, and then those on the chances and the board."""
        board = self.draft.known_board
        for turn, move in enumerate(self.moves, start=1):
            best = "the best vertex" if move.vertex == move.best else "as good as the best vertex"
            if move.cost > SAME:
                best = f"{vertex_name(board, move.best)} was worth {100 * move.cost:.1f} points more"
            elif move.cost < -SAME:
                best = f"{-100 * move.cost:.1f} points more than expected"
            yield (
                f"{turn}. {self.name(move.player)} on {vertex_name(board, move.vertex)}: chance "
                f"{move.before:.1%} before, {move.after:.1%} after; {best}"
            )
        shares = ", ".join(f"{self.name(p)} {chance:.1%}" for p, chance in enumerate(self.chances, start=1))
        yield f"after these settlements: {shares}"
        yield f"the board, if all settle as well as possible: {self.seats.verdict}"

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def to_json(self) -> str:
        """Return the review as JSON."""
        moves = [asdict(move) | {"cost": move.cost} for move in self.moves]
        value = json.loads(self.draft.to_json()) | {"moves": moves, "chances": self.chances}
        return json.dumps(value | {"seats_of_board": self.seats.facts()})


def review_opening(draft: Draft, players: int | None = None) -> Review:
    """Return what each settlement of an opening did to its player's chance to win.

    Args:
        draft: the settlements with their board, such as a result of `catan_cp.import_board`.
        players: the number of players. The default is the number of seats of the draft, or four.

    Raises:
        InvalidArgument: *draft* has no board or no settlement, or breaks the rules of the placement. Or no
            games have measured the chances: two players, or a board outside the base game.
        InvalidBoard: the board has no markers.

    Warns:
        UserWarning: there are five or six players.

    Example:
        >>> import catan_cp
        >>> board = catan_cp.Board.from_notation(catan_cp.LAYOUTS["base"].beginner_board)
        >>> draft = catan_cp.placement.Draft(((1, 42), (2, 24)), (41, None), board, ("Ada", "Ben", "Cleo"))
        >>> [move.best for move in review_opening(draft).moves]
        [41, 24]
    """
    board = check_kind("draft must be a Draft", draft, Draft).known_board
    number = checked_players((len(draft.seats) or 4) if players is None else players, checked_board(board))
    settlements, _ = checked_placed(draft.placed, board, number)
    if not settlements:
        raise InvalidArgument("draft must have a settlement to review, not only a board")
    placed = [vertex for _, vertex in settlements]
    line = chance_line(board, number)
    moves = []
    for turn, (player, vertex) in enumerate(settlements):
        after = measured_line(board, number, placed[: turn + 1]) or line
        chances = line.chances[player - 1], after.chances[player - 1]
        moves.append(ReviewedMove(player, vertex, *chances, line.order[turn]))
        line = after
    return Review(draft, tuple(moves), check_seats(board, number), line.chances)
