"""Make the store of even boards: ``python -m tools.even_boards [NUMBER]``.

The store `catan_cp.analysis.seats.even_boards` has boards of the base layout for four players, with the games
that `catan_cp.check_seats` plays on them. First the boards of the present file are played again. After a new
estimate of the chances, many stay even. Then boards sampled under the rules ``tournament`` follow, until
NUMBER boards are even or the time is over. From then on, the file is written after each even board. Start the
command again with another seed to add boards.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Iterator
from contextlib import closing

from catan_cp import Board, generate_boards
from catan_cp.analysis.seats import GAMES, MARGIN, STORE, SeatCheck, even_boards, judged, seat_targets
from catan_cp.clock import Clock

RULES, PLAYERS = "tournament", 4


def candidates(before: Collection[Board], seed: int) -> Iterator[Board]:
    """Yield the boards *before*, then sampled boards that are not among them."""
    yield from before
    while True:
        yield from (board for board in generate_boards(1000, RULES, "base", seed=seed) if board not in before)
        seed += 1


def stored(checks: list[SeatCheck]) -> str:
    """Return the text of the file, one line per board."""
    rows = [
        {
            "board": check.board.notation(),
            "settlements": check.settlements,
            "chances": [round(chance, 4) for chance in check.chances],
            "wins": [share.count for share in check.wins or ()],
        }
        for check in checks
    ]
    head = {"rules": RULES, "players": PLAYERS, "games": GAMES, "margin": MARGIN}
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f'{json.dumps(head)[:-1]}, "boards": [\n{lines}\n]}}\n'


def main() -> None:
    """Play boards, and write each even one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", nargs="?", type=int, default=120, help="even boards to store")
    parser.add_argument("--seconds", type=float, default=7200.0, help="time limit")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first thousand samples")
    words = parser.parse_args()
    before = [check.board for check in even_boards()] if STORE.exists() else []
    checks: list[SeatCheck] = []
    targets, clock = {PLAYERS: seat_targets(PLAYERS)}, Clock(words.seconds)
    with closing(judged(candidates(before, words.seed), targets, clock, words.workers)) as results:
        for tried, (check,) in enumerate(results, start=1):
            if check.is_even:
                checks.append(check)
                print(f"{len(checks)} of {tried} boards are even: {check.board.notation()}", flush=True)
            if tried >= len(before) and check.is_even:
                STORE.write_text(stored(checks), encoding="utf-8")
            if tried >= len(before) and len(checks) >= words.number:
                return


if __name__ == "__main__":
    main()
