/**
 * The allowed board nearest to a given one, without MiniZinc: what the models say is told as clauses (`Clauses`), and
 * boards with one tile changed are denied, then with two, and so on. Where that takes too much work, or rules say what
 * clauses do not, the models have to be asked.
 */

import { Clauses } from "./clauses";
import { ownOf } from "./constraint";
import type { Chosen, ModelData, RulesData } from "./data";
import type { Board, Ground } from "./notation";
import { brokenPlaces } from "./places";
import { modelData } from "./rules";
import { type Lit, not } from "./sat";

/** How many steps of the search, and how many boards that checkers refuse, are worth the while. */
const STEPS = 3_000_000;
const REFUSED = 300;

/**
 * The fishing grounds of the allowed board where they have their places whatever the land is: those of the given one, or
 * the layout's numbers where it has none; undefined where they have to be dealt.
 */
function groundsOf(
  { layout, grounds }: Board,
  { ground_choices, ground_numbers }: ModelData,
): Ground[] | undefined {
  const sorted = (all: number[]): string => [...all].sort((a, b) => a - b).join();
  const numbers = ground_numbers as number[];
  if ((ground_choices as { set: number[] }[]).some(({ set }) => set.includes(0))) return undefined;
  if (!grounds.length) return layout.groundPlaces.map((vertices, i) => ({ vertices, marker: numbers[i] }));
  return sorted(grounds.map(({ marker }) => marker)) === sorted(numbers) ? grounds : undefined;
}

/**
 * An allowed board with the fewest tiles changed, and of those one with the fewest harbors changed; undefined where that is
 * not settled, or where there is no allowed board at all.
 */
export function nearest(
  before: Board,
  chosen: Chosen,
  rules: RulesData,
  say: (tiles: number) => void = () => undefined,
): Board | undefined {
  const { layout } = before;
  const data = modelData(chosen, layout, rules);
  const grounds = groundsOf(before, data);
  if (ownOf(chosen).length || !grounds) return undefined;
  const clauses = new Clauses(layout, data, { ...before, grounds });
  const { sat } = clauses;
  let refused = 0;
  /** A board with these assumptions that the checkers let through; false where there is none. */
  const solve = (assumptions: Lit[]): Board | false | undefined => {
    for (;;) {
      const found = sat.solve(assumptions, STEPS - sat.steps);
      if (!found) return found;
      const board = clauses.board();
      const broken = Object.entries(brokenPlaces(board, chosen, rules));
      if (!broken.length) return board;
      const known = broken.every(([field, places]) =>
        places.every((place) => clauses.refuse(field, place, board)),
      );
      if (!known || ++refused > REFUSED) return undefined;
    }
  };
  /** With as few of these true as can be. */
  const fewest = (lits: Lit[], tell: (n: number) => void): Board | undefined => {
    const counted = clauses.counts(lits);
    for (let n = 0; n <= lits.length; n++) {
      tell(n);
      const limit = counted.slice(n, n + 1).map(not);
      const board = solve(limit);
      if (board === undefined) return undefined;
      if (!board) continue;
      for (const lit of limit) sat.add([lit]);
      return board;
    }
    return undefined;
  };
  const found = fewest(clauses.changes(), say);
  const harbors = found && before.harbors.length ? clauses.harborChanges() : [];
  return harbors.length ? fewest(harbors, () => undefined) : found;
}
