"""Settlements that stand where they do to keep a rival down, and what that costs and takes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from catan_cp.placement.game import Counters, Placement
from catan_cp.placement.rivals import Table, placement_of


@dataclass(frozen=True)
class Block:
    """A settlement that stands where it does to keep a rival down.

    It is found by comparing the draft with the one in which the player, from this settlement on, wants
    nothing but its own value, all others staying as they are.

    Attributes:
        turn: which settlement, from 1.
        player: who placed it, from 1.
        vertex: where it stands.
        instead: where the player would have settled for its own value alone.
        cost: what the player gave up of its own value (negative where rivals, being deterred, gave more).
        took: what each rival that lost by it would have had more, by player.
        denied: the vertices of those rivals in the other draft that this settlement rules out.
    """

    turn: int
    player: int
    vertex: int
    instead: int
    cost: float
    took: dict[int, float]
    denied: dict[int, int]

    def __str__(self) -> str:
        harmed = " and ".join(f"{loss:.4f} from player {rival}" for rival, loss in self.took.items())
        where = "".join(f"; it rules out player {p}'s vertex {v}" for p, v in self.denied.items())
        cost = f"costs {self.cost:.4f}" if self.cost > 0 else "costs nothing"
        return (
            f"settlement {self.turn}, player {self.player} on vertex {self.vertex} "
            f"instead of {self.instead}: it {cost} and takes {harmed}{where}"
        )


def find_blocks(placement: Placement) -> tuple[Block, ...]:
    """Return the settlements of a placement among rivals that are there to harm somebody."""
    blocks = []
    near = placement.board.layout.vertex_neighbors
    for turn, (player, vertex) in enumerate(placement.order):
        goal = placement.objectives[player - 1]
        if not goal.rivalry or turn < placement.given:
            continue
        goals = list(placement.objectives)
        goals[player - 1] = replace(goal, rivalry=0)
        given = placement.roads[: placement.given]
        draft = Table(placement.board, tuple(goals), placement.order[:turn], given)
        draft.solve()
        course = draft.course()
        if course[turn] == vertex:
            continue
        other = placement_of(placement.board, placement.objectives, course, False, Counters(), 0.0, given)
        took = {
            q: other.values[q - 1] - placement.values[q - 1]
            for q in range(1, placement.players + 1)
            if q != player and other.values[q - 1] > placement.values[q - 1]
        }
        if took:
            gone = {vertex, *near[vertex]}
            denied = {
                q: v
                for q in took
                for v in other.settlements[q - 1]
                if v in gone and (q, v) in other.order[turn:]
            }
            cost = other.values[player - 1] - placement.values[player - 1]
            blocks.append(Block(turn + 1, player, vertex, course[turn], cost, took, denied))
    return tuple(blocks)
