"""Run a cup from the first plan to the final, with simulated results.

    python examples/cup.py [PLAYERS [FOLDER]]

The default is 64 players. Two of them enter late, and one leaves after the first round. One result is
corrected. Ties are decided by lots. With a folder, all sheets are printed there.
"""

import random
import sys
from pathlib import Path

import catan_cp
from catan_cp import InvalidArgument
from catan_cp.analysis.seats import even_boards
from catan_cp.tournament import Results, plan_playoff, save_kit, save_standings

SEEDS = 16  # players of the semi-final


def filled(results, rng, round_):
    """Return the results as CSV, with simulated points of one round."""
    for number, table in results.missing:
        if number == round_:
            players = results.tournament.rounds[number - 1].tables[table - 1]
            points = [10, *(rng.randint(3, 9) for _ in players[1:])]
            results = results.enter(number, table, rng.sample(points, len(points)))
    return results.to_csv()


def corrected(results, round_, table):
    """Return a CSV that swaps the points of the first two players of a table."""
    first, second, *rest = results.tables[round_, table]
    rows = [(first.player, second.points), (second.player, first.points)]
    rows += [(score.player, score.points) for score in rest]
    lines = ["round,table,player,points", *(f"{round_},{table},{name},{points}" for name, points in rows)]
    return "\n".join(lines)


def seeded(results, n, rng):
    """Return the best *n* players, and the standings. Lots decide the ties."""
    standings = results.standings("wbc")
    try:
        return standings.top(n), standings
    except InvalidArgument as error:
        print(error)
    lots = [player for tie in standings.ties for player in rng.sample(tie, len(tie))]
    standings = results.standings("wbc", lots=lots)
    return standings.top(n), standings


def run_cup(players=64, seed=47):
    """Yield the name, the plan and the standings of each stage."""
    rng = random.Random(seed)
    names = [f"Player {number:02}" for number in range(1, players + 1)]
    friends, late, leaver = [(names[0], names[1]), (names[0], names[2])], names[-2:], names[4]

    maps = [check.board for check in rng.sample(even_boards(), 5)]
    cup = catan_cp.plan_tournament(players - 2, 3, names=names[:-2], apart=friends, maps=maps[:3], seed=seed)
    results = Results(cup)
    results = results.read(filled(results, rng, 1))
    results = results.read(corrected(results, 1, 1))

    cup = cup.replan(1, leave=[leaver], join=late)
    results = Results(cup, results.tables)
    for round_ in (2, 3):
        results = results.read(filled(results, rng, round_))
    seeds, standings = seeded(results, SEEDS, rng)
    yield "preliminary rounds", cup, standings

    semi_final = plan_playoff(seeds, board=maps[3])
    results = Results(semi_final)
    results = results.read(filled(results, rng, 1))
    yield "semi-final", semi_final, results.standings()

    final = plan_playoff(results.winners(), board=maps[4])
    results = Results(final)
    results = results.read(filled(results, rng, 1))
    yield "final", final, results.standings()


def main():
    """Print all standings, and the winner."""
    players = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    for stage, plan, standings in run_cup(players):
        print(
            f"\n{stage}: {len(plan.players)} players, {len(plan.rounds[-1].tables)} tables in the last round"
        )
        print(standings)
        if folder is not None:
            name = stage.replace(" ", "_")
            save_kit(plan, folder / f"{name}.pdf", title=f"Cup, {stage}", force=True)
            for ending in ("pdf", "png"):
                save_standings(
                    standings, folder / f"{name}_standings.{ending}", title=f"Cup, {stage}", force=True
                )
    print(f"\n{standings.lines[0].player} wins the cup.")


if __name__ == "__main__":
    main()
