/** The allowed board that differs from a given one on the fewest tiles, as the library's `repair_board` finds it. */

import type { Chosen } from "./data";
import { boardOf, code, LIMIT, task, type World } from "./dealing";
import type { Board } from "./notation";
import { ask, chuffed, type Result } from "./solver";

export interface Repaired {
  before: Board;
  board: Board;
  /** The tiles on which they differ. */
  tiles: number[];
  /** Whether Gecode agrees that there is no board with fewer changes; Chuffed has said so in any case. */
  proven: boolean;
}

/** Milliseconds that Gecode has to agree. */
const AGREEMENT = 10_000;

/** Why there is none. */
export type Unrepaired = Exclude<Result, { kind: "solution" }>;
interface Fewest {
  numbers: number[];
  n: number;
  proven: boolean;
}

/**
 * Asks for a board with none of those changes, then with one, and so on, so that each question but the last is denied: a
 * solver that learns does that sooner than it improves on what it has.
 */
async function fewest(
  question: (atMost: number, limit: number) => ReturnType<typeof task>,
  from: number,
  most: number,
  say: (n: number) => void,
  signal: AbortSignal,
): Promise<Fewest | Unrepaired> {
  for (let n = from; n <= most; n++) {
    say(n);
    const given = question(n, LIMIT);
    let result = await chuffed(given, signal);
    if (result.kind === "failed") result = await ask(given, signal); // Chuffed crashes on some models
    if (result.kind === "none") continue;
    if (result.kind !== "solution") return result;
    let { numbers } = result;
    for (; n > 0; n--) {
      const fewer = await ask(question(n - 1, AGREEMENT), signal);
      if (fewer.kind !== "solution") return { numbers, n, proven: fewer.kind === "none" && fewer.proven };
      numbers = fewer.numbers;
    }
    return { numbers, n, proven: true };
  }
  return { kind: "none", proven: false };
}

/** The tiles whose terrain or marker is another one. */
export const differing = (a: Board, b: Board): number[] =>
  a.terrain.flatMap((name, t) => (name !== b.terrain[t] || a.markers[t] !== b.markers[t] ? [t] : []));

/**
 * The repaired board, or why there is none. Harbors stay where the rules lay none, and change as little as they must
 * where the rules shuffle them.
 */
export async function repair(
  world: World,
  before: Board,
  chosen: Chosen,
  say: (tiles: number) => void,
  signal: AbortSignal,
): Promise<Repaired | Unrepaired> {
  const { layout } = world;
  const codes = before.terrain.map((name) => code(layout, name));
  const other = `terrain[t] != [${codes}][t] \\/ marker[t] != [${before.markers}][t]`;
  const atMost = (n: number): string => `constraint sum(t in TILE)( bool2int(${other}) ) <= ${n};`;
  const tiles = await fewest(
    (n, limit) => task(world, chosen, atMost(n), limit),
    1,
    layout.tiles.length,
    say,
    signal,
  );
  if ("kind" in tiles) return tiles;
  let { numbers, proven } = tiles;
  if (chosen.harbors === "shuffled" && before.harbors.length) {
    const trades = new Map(before.harbors.map(({ vertices, trade }) => [vertices.join(), trade]));
    const here = layout.harbors.map(([a, b]) => {
      const trade = trades.get([a, b].join());
      return trade === undefined ? -1 : trade === "3:1" ? 0 : code(layout, trade);
    });
    const changed = `sum(h in HARBOR)( bool2int(harbor[h] != [${here}][h]) )`;
    const harbors = await fewest(
      (n, limit) => task(world, chosen, `${atMost(tiles.n)}\nconstraint ${changed} <= ${n};`, limit),
      0,
      here.length,
      () => say(tiles.n),
      signal,
    );
    if ("kind" in harbors) return harbors;
    numbers = harbors.numbers;
    proven &&= harbors.proven;
  }
  const found = boardOf(numbers, layout);
  const board = "harbors" in chosen ? found : { ...found, harbors: before.harbors };
  return { before, board, tiles: differing(before, board), proven };
}
