/**
 * The allowed board that differs from a given one on the fewest tiles, as the library's `repair_board` finds it: at once
 * by the page's own search, and by MiniZinc where that settles nothing.
 */

import type { Chosen } from "./data";
import { boardOf, LIMIT, task, type World } from "./dealing";
import { type Board, code, groundNumbers, tradeCodes } from "./notation";
import type { Told, Wanted } from "./repair.worker";
import { ask, chuffed, type Result, Stopped } from "./solver";

/** A board that came of another one. */
export interface Changed {
  before: Board;
  board: Board;
  /** The tiles on which they differ. */
  tiles: number[];
}

export interface Repaired extends Changed {
  /** What denies that fewer changes are enough: the page's own search, both solvers, or Chuffed alone. */
  denied: "search" | "both" | "one";
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

/** The board that the page's own search finds; undefined where it settles nothing. */
function searched(
  wanted: Wanted,
  say: (tiles: number) => void,
  signal: AbortSignal,
): Promise<Board | undefined> {
  const worker = new Worker(new URL("repair.worker.js", document.baseURI), { type: "module" });
  const { layout } = wanted.before;
  const found = new Promise<Board | undefined>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Stopped()), { once: true });
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if ("tiles" in data) say(data.tiles);
      else resolve(data.board && { ...data.board, layout });
    };
    worker.postMessage(wanted);
  });
  return found.finally(() => worker.terminate());
}

/** What may stay as it is, the most important first: in MiniZinc how much of it changes, and how much of it there is. */
function goals(board: Board, chosen: Chosen): [string, number][] {
  const { layout, terrain, markers, harbors, grounds } = board;
  const codes = terrain.map((name) => code(layout, name));
  const numbers = markers.some((marker) => marker > 0) ? ` \\/ marker[t] != [${markers}][t]` : "";
  const found: [string, number][] = [
    [`sum(t in TILE)( bool2int(terrain[t] != [${codes}][t]${numbers}) )`, layout.tiles.length],
  ];
  if (chosen.harbors === "shuffled" && harbors.length) {
    const here = tradeCodes(board);
    found.push([`sum(h in HARBOR)( bool2int(harbor[h] != [${here}][h]) )`, here.length]);
  }
  if (grounds.length && layout.groundPlaces.length) {
    const here = groundNumbers(board);
    found.push([`sum(g in GROUND)( bool2int(ground[g] != [${here}][g]) )`, here.length]);
  }
  return found;
}

/**
 * The repaired board, or why there is none. Harbors stay where the rules lay none, and change as little as they must
 * where the rules shuffle them, and so do fishing grounds.
 */
export async function repair(
  world: World,
  before: Board,
  chosen: Chosen,
  say: (tiles: number) => void,
  signal: AbortSignal,
): Promise<Repaired | Unrepaired> {
  const quick = await searched({ before, chosen, rules: world.rules }, say, signal);
  if (quick) return { before, board: quick, tiles: differing(before, quick), denied: "search" };
  let extra = "";
  let fewestTiles: number | undefined;
  let numbers: number[] = [];
  let agreed = true;
  for (const [changed, most] of goals(before, chosen)) {
    const found = await fewest(
      (n, limit) => task(world, chosen, `${extra}constraint ${changed} <= ${n};\n`, limit),
      fewestTiles === undefined ? 1 : 0,
      most,
      (n) => say(fewestTiles ?? n),
      signal,
    );
    if ("kind" in found) return found;
    extra += `constraint ${changed} <= ${found.n};\n`;
    fewestTiles ??= found.n;
    numbers = found.numbers;
    agreed &&= found.proven;
  }
  const found = boardOf(numbers, world.layout);
  const board = "harbors" in chosen ? found : { ...found, harbors: before.harbors };
  return { before, board, tiles: differing(before, board), denied: agreed ? "both" : "one" };
}
