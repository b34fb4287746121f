"""One game, action by action: its legal actions, copies, and the view of each seat.

>>> board = Board.from_notation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed")
>>> game = Game(board, seed=1)
>>> game.to_play, game.legal_actions()[:2], len(game.legal_actions())
(1, [('settle', 0), ('settle', 1)], 54)
>>> game.apply(("settle", 24))
>>> game.legal_actions()
[('road', 20, 24), ('road', 23, 24), ('road', 24, 33)]
>>> game.view(2).settlements
{24: 1}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from catan_cp.boards.board import Board
from catan_cp.compiled import compiled, run, table, zeros
from catan_cp.errors import InvalidArgument, check_count, check_seed, random_source, show
from catan_cp.play import tables
from catan_cp.play.actions import Action, action_table, choose, decode, list_legal, take
from catan_cp.play.engine import apply, game_words, hand_size, points, reset, shown_points
from catan_cp.play.tables import AT, BASE_GAME, BOOK, DO, KINDS, NOW, ON, PHASE, POLICY, GameRules

CARDS = ("knight", "roads", "plenty", "monopoly", "point")
"""The development cards, by the actions that play them. A ``point`` is a victory point card."""

_SEEN = AT.output
"""The start of the part of a view after the copied state.

It has six hand sizes, six numbers of cards and six numbers of visible points, one per seat, and then the
points of the viewer.
"""


@compiled
def _show(g: Any, s: Any, seat: Any, v: Any) -> Any:
    """Copy the part of a state that a seat may see into *v*.

    The cards of other seats, the deck and the random numbers are left out. So are numbers that depend on
    hidden points.
    """
    for k in range(AT.act):
        v[k] = s[k]
    v[NOW.leader] = v[NOW.known_leader] = v[NOW.since] = v[NOW.changes] = 0
    for k in range(5):
        v[AT.bank + k] = s[AT.bank + k]
        v[AT.hand + 5 * seat + k] = s[AT.hand + 5 * seat + k]
        v[AT.cards + 5 * seat + k] = s[AT.cards + 5 * seat + k]
    for k in range(AT.knights, AT.output):
        v[k] = s[k]
    for p in range(g[ON.size]):
        v[_SEEN + p] = hand_size(s, p)
        v[_SEEN + 12 + p] = shown_points(s, p)
        for card in range(5):
            v[_SEEN + 6 + p] += s[AT.cards + 5 * p + card]
    v[_SEEN + 18] = points(s, seat)


def _ints(values: Any) -> list[int]:
    return values if isinstance(values, list) else values.tolist()


def _counts(names: Sequence[str], values: Any) -> Mapping[str, int]:
    return MappingProxyType(dict(zip(names, _ints(values), strict=True)))


class _Table:
    """A state, or the part of it that a seat may see, with names for its parts."""

    def __init__(self, board: Board, players: int, rules: GameRules, s: Any) -> None:
        self.board, self.players, self.rules, self._s = board, players, rules, s

    @property
    def phase(self) -> str:
        """The kind of the next decision.

        One of settling, first_road, rolling, discarding, robbing, free_roads, main, building, paired,
        answering and over. After a turn of five or six players, other seats build (*building*), or the
        partner has its part (*paired*). *answering* is the answer to an offer.
        """
        return str(PHASE._fields[self._s[NOW.phase]])

    @property
    def to_play(self) -> int:
        """The seat that takes the next action, from 1. Another seat may discard or build in a turn."""
        return int(self._s[NOW.seat]) + 1

    @property
    def turn(self) -> int:
        """The number of turns begun, without the placement of the first settlements."""
        return int(self._s[NOW.turn])

    @property
    def active(self) -> int:
        """The seat whose turn it is, from 1. In the partner's part of a turn it is the partner."""
        return int(self._s[NOW.active]) + 1

    @property
    def is_over(self) -> bool:
        """True if a seat has won, or after a thousand turns."""
        return bool(self._s[NOW.phase] == PHASE.over)

    @property
    def winner(self) -> int | None:
        """The seat that has won, or None."""
        return self._seat(NOW.winner)

    @property
    def robber(self) -> int:
        """The tile of the robber."""
        return int(self._s[NOW.robber])

    @property
    def bank(self) -> Mapping[str, int]:
        """The number of cards of each resource in the bank."""
        return _counts(KINDS, self._part(AT.bank, 5))

    @property
    def deck_size(self) -> int:
        """The number of development cards that can be bought."""
        return int(self._s[NOW.cards_left])

    @property
    def settlements(self) -> dict[int, int]:
        """The seat of each settlement, by vertex."""
        return self._buildings(1)

    @property
    def cities(self) -> dict[int, int]:
        """The seat of each city, by vertex."""
        return self._buildings(2)

    @property
    def roads(self) -> dict[tuple[int, int], int]:
        """The seat of each road, by the two vertices of its edge."""
        edges = self.board.layout.edges
        owners = _ints(self._part(AT.road, len(edges)))
        return {edge: seat + 1 for edge, seat in zip(edges, owners, strict=True) if seat >= 0}

    @property
    def knights(self) -> tuple[int, ...]:
        """The number of knights played, per seat."""
        return tuple(_ints(self._part(AT.knights, self.players)))

    @property
    def road_lengths(self) -> tuple[int, ...]:
        """The length of the longest road of each seat."""
        return tuple(_ints(self._part(AT.length, self.players)))

    @property
    def longest_road(self) -> int | None:
        """The seat that holds the longest road, or None."""
        return self._seat(NOW.road_holder)

    @property
    def largest_army(self) -> int | None:
        """The seat that holds the largest army, or None."""
        return self._seat(NOW.army_holder)

    @property
    def to_discard(self) -> int:
        """The number of cards that the seat still has to discard, 0 in other phases."""
        return int(self._s[NOW.to_discard])

    @property
    def offer(self) -> Action | None:
        """The offer to answer, as cards and resource that the active seat gives and those that it takes.

        For example ``(2, "ore", 1, "brick")``. None in other phases than answering.
        """
        give, given, take, taken = _ints(self._part(NOW.gives, 4))
        return (given, KINDS[give], taken, KINDS[take]) if self.phase == "answering" else None

    @property
    def offers_left(self) -> int:
        """The number of offers that the active seat may still make in this turn."""
        return self.rules.offers - int(self._s[NOW.offers]) if self.phase == "main" else 0

    def _part(self, start: int, size: int) -> Any:
        return self._s[start : start + size]

    def _seat(self, number: int) -> int | None:
        seat = int(self._s[number])
        return seat + 1 if seat >= 0 else None

    def _buildings(self, level: int) -> dict[int, int]:
        n = self.board.layout.n_vertices
        owners, levels = _ints(self._part(AT.owner, n)), _ints(self._part(AT.level, n))
        return {v: owners[v] + 1 for v in range(n) if levels[v] == level}


class View(_Table):
    """The part of a game that one seat may see at one moment, without hidden cards.

    Attributes:
        board: the board.
        players: the number of seats.
        rules: the variants of the rules.
        seat: the seat that sees this view, from 1.
    """

    def __init__(self, game: Game, seat: int) -> None:
        seen = zeros(_SEEN + 19)
        run(_show, game._g, game._s, seat - 1, seen)
        super().__init__(game.board, game.players, game.rules, seen)
        self.seat = seat

    def __repr__(self) -> str:
        return f"<View of seat {self.seat}: turn {self.turn}, {self.phase} of seat {self.to_play}>"

    @property
    def hand(self) -> Mapping[str, int]:
        """The number of cards of each resource in the hand of this seat."""
        return _counts(KINDS, self._part(AT.hand + 5 * (self.seat - 1), 5))

    @property
    def cards(self) -> Mapping[str, int]:
        """The development cards of this seat, by `CARDS`."""
        return _counts(CARDS, self._part(AT.cards + 5 * (self.seat - 1), 5))

    @property
    def rates(self) -> Mapping[str, int]:
        """The number of cards of each resource that the bank takes for one card."""
        return _counts(KINDS, self._part(AT.rate + 5 * (self.seat - 1), 5))

    @property
    def pieces(self) -> Mapping[str, int]:
        """The remaining roads, settlements and cities of this seat."""
        return _counts(("road", "settlement", "city"), self._part(AT.left + 3 * (self.seat - 1), 3))

    @property
    def own_points(self) -> int:
        """The points of this seat, hidden cards included."""
        return int(self._s[_SEEN + 18])

    @property
    def points(self) -> tuple[int, ...]:
        """The visible points of each seat."""
        return tuple(_ints(self._part(_SEEN + 12, self.players)))

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """The number of resource cards of each seat."""
        return tuple(_ints(self._part(_SEEN, self.players)))

    @property
    def card_counts(self) -> tuple[int, ...]:
        """The number of development cards held by each seat."""
        return tuple(_ints(self._part(_SEEN + 6, self.players)))


class Game(_Table):
    """A game that is played action by action, with chance decided by its seed.

    ``str(game)`` is the full state, hidden cards and random numbers included. Games with equal text are
    equal, and equal actions keep them equal.

    Args:
        board: a board of the base game (``base-5-6`` for 5 or 6 players), or its notation. Its harbors count.
        players: the number of seats, 2 to 6.
        seed: a whole number, or None for a random seed.
        rules: variants of the rules.

    Attributes:
        board: the board.
        players: the number of seats.
        rules: the variants of the rules.

    Raises:
        InvalidBoard: the base game cannot be played on the board.
        InvalidArgument: an invalid number of players, seed or rules.
    """

    def __init__(
        self, board: Board | str, players: int = 4, seed: int | None = None, *, rules: GameRules = BASE_GAME
    ) -> None:
        seats = check_count("players", players, 2, BOOK.most_seats)
        checked = tables.check_playable(board, seats)
        super().__init__(checked, seats, tables.check_rules(rules, seats), tables.new_state())
        self._g = tables.ground_of(checked, (POLICY.greedy,) * seats, rules)
        source, root = random_source(None), check_seed(seed)
        words = game_words(source.getrandbits(64) if root is None else root, 0)
        run(reset, self._g, self._s, table(words))
        self._actions, self._codes = action_table(checked.layout, seats, rules.any_rate)

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions that can be legal in a game of this kind, in a fixed order, without offers."""
        return tuple(self._actions.values())

    def legal_actions(self) -> list[Action]:
        """Return the legal actions of the seat `to_play`, in a fixed order.

        Actions are tuples. Vertices and tiles are numbers, resources are names of `KINDS`:

        - ``("settle", vertex)``, ``("road", vertex, vertex)``, ``("city", vertex)``
        - ``("buy",)`` for a development card
        - ``("knight",)``, ``("roads",)``, ``("plenty", resource, resource)``, ``("monopoly", resource)`` to
          play a card; after the first two, the robber or the roads follow as actions
        - ``("trade", resource given, resource taken)`` with the bank, at the best rate; with the rate as a
          fourth part at a worse one (`GameRules.any_rate`)
        - ``("roll",)``, ``("end",)``
        - ``("discard", resource)`` for one card; more follow
        - ``("rob", tile, seat)``, or ``("rob", tile)`` if no seat can be robbed

        - ``("accept",)`` or ``("decline",)`` to answer an offer

        Offers are not included, because there are too many: ``("offer", seat, cards given, resource given,
        cards taken, resource taken)`` is legal in the phase main, `offers_left` times in a turn, if the seat
        to play has the cards given and the other seat has as many cards as are taken. The resources differ.
        The list is empty if the game is over.
        """
        n = run(list_legal, self._g, self._s)  # writes to the scratch space of the state
        return list(map(self._actions.__getitem__, _ints(self._part(AT.score, n))))

    def apply(self, action: Action) -> None:
        """Carry out an action of the seat `to_play`.

        Raises:
            InvalidArgument: *action* is not a legal action. The game has not changed.
        """
        if self.is_over:
            raise InvalidArgument("the game is over; begin another Game")
        if not self._try_to_apply(action):
            raise InvalidArgument(f"action must be one of {self._choices()}, not {show(action)}")

    def enumerate_outcomes(self, action: Action) -> list[tuple[Fraction, Game]]:
        """Return each outcome of an action of the seat `to_play`: its probability, and the game after it.

        Chance decides the sum of the dice, the development card bought and the card that the robber takes.
        Other actions have one outcome. The probabilities are exact for someone who sees all hands but not
        the order of the deck. This game does not change.

        Raises:
            InvalidArgument: *action* is not a legal action.
        """
        plain, s = self.copy(), self._s
        plain.apply(action)
        weights: dict[int, int] = {}
        if action[0] == "roll":
            weights = {number: 6 - abs(7 - number) for number in range(2, 13)}
        elif action[0] == "buy":
            weights = Counter(_ints(self._part(AT.deck, self.deck_size)))
        elif action[0] == "rob" and len(action) == 3:
            weights = {r: int(s[AT.hand + 5 * (int(action[2]) - 1) + r]) for r in range(5)}
        results = [(result, weight) for result, weight in weights.items() if weight]
        total = sum(weights.values())
        outcomes = [(Fraction(weight, total), self._after(action, result)) for result, weight in results]
        return outcomes or [(Fraction(1), plain)]

    def _after(self, action: Action, result: int) -> Game:
        """Return the game after a legal action with this result of chance."""
        twin = self.copy()
        s, top = twin._s, AT.deck + self.deck_size - 1
        if action[0] == "buy":
            place = top - _ints(self._part(AT.deck, self.deck_size))[::-1].index(result)
            s[place], s[top] = s[top], s[place]
        run(decode, s, self._codes[action])
        s[AT.act + (3 if action[0] == "rob" else 1)] = result
        run(apply, self._g, s)
        return twin

    def _try_to_apply(self, action: Action) -> bool:
        """Carry out an action if it is legal, and return whether it is."""
        try:
            if action[0] == "offer":
                return self._try_to_offer(*action[1:])
            return bool(run(choose, self._g, self._s, self._codes[action]))
        except (IndexError, KeyError, TypeError):  # unknown, or not hashable
            return False

    def _try_to_offer(self, seat: Any, given: Any, give: Any, taken: Any, wanted: Any) -> bool:
        """Make an offer if it is legal, and return whether it is."""
        numbers = (seat, given, taken)
        if not all(type(x) is int and 0 < x < 1000 for x in numbers) or not {give, wanted} <= {*KINDS}:
            return False
        entries = DO.offer, seat - 1, KINDS.index(give), given, KINDS.index(wanted), taken
        for k, entry in enumerate(entries):
            self._s[AT.act + k] = entry
        return bool(run(take, self._g, self._s))

    def copy(self) -> Game:
        """Return an independent copy, with the same dice and cards to come."""
        twin = object.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin._s = self._s.copy()
        return twin

    def view(self, seat: int) -> View:
        """Return the part of the game that a seat, from 1, may see now.

        The part does not change when the game goes on. A seat sees its own cards, the numbers of cards of
        other seats, and everything on the table.

        Raises:
            InvalidArgument: there is no such seat.
        """
        return View(self, check_count("seat", seat, 1, self.players))

    def _choices(self) -> str:
        """Return the legal actions as text, or some of them if there are many."""
        legal = [str(action) for action in self.legal_actions()]
        return ", ".join(legal[:8]) + (f" and {len(legal) - 8} more" if len(legal) > 8 else "")

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Game) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # a game changes

    def __repr__(self) -> str:
        state = f"won by seat {self.winner}" if self.winner else f"{self.phase} of seat {self.to_play}"
        return f"<Game of {self.players} seats: turn {self.turn}, {state}>"

    def __str__(self) -> str:
        s = self._s
        waits = {"free_roads": s[NOW.free], "discarding": s[NOW.to_discard], "first_road": s[NOW.last]}
        waits["answering"] = " ".join(map(str, self.offer or ()))
        returning = "robbing", "free_roads", "discarding"  # phases after which NOW.back follows
        lines = [
            f"board {self.board.notation()}",
            f"rules {self.rules}",
            f"turn {self.turn} of seat {self.active}, action {s[NOW.actions]}",
            f"next seat {self.to_play} {self.phase} {waits.get(self.phase, '')}".rstrip()
            + (f", then {PHASE._fields[s[NOW.back]]}" if self.phase in returning else ""),
            f"settled {s[NOW.placed]}, card played {s[NOW.card_played]}, swapped {s[NOW.swapped]}, "
            f"offers {s[NOW.offers]}, "
            f"bought {_listed(_counts(CARDS, self._part(AT.fresh, 5)))}",
            f"winner {self.winner or '-'}, longest road {self.longest_road or '-'}, "
            f"largest army {self.largest_army or '-'}, robber {self.robber}",
            f"bank {_listed(self.bank)}",
        ]
        roads = [(f"{a}-{b}", seat) for (a, b), seat in self.roads.items()]
        for seat in range(1, self.players + 1):
            view = self.view(seat)
            lines += [
                f"seat {seat}",
                f"  hand {_listed(view.hand)}",
                f"  cards {_listed(view.cards)}, knights played {view.knights[seat - 1]}",
                f"  settlements {_owned(self.settlements.items(), seat)}",
                f"  cities {_owned(self.cities.items(), seat)}",
                f"  roads {_owned(roads, seat)}",
            ]
        deck = _ints(self._part(AT.deck, self.deck_size))
        lines.append("deck " + (" ".join(CARDS[card] for card in reversed(deck)) or "-"))
        return "\n".join([*lines, "random " + " ".join(map(str, _ints(self._part(AT.random, 4))))])


def _listed(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name} {count}" for name, count in counts.items() if count) or "-"


def _owned(places: Iterable[tuple[object, int]], seat: int) -> str:
    return " ".join(str(place) for place, owner in places if owner == seat) or "-"
