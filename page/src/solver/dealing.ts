/** Questions to the models: a board, the conflict of rules, and the verdict on each rule. */

import { OwnText, ownOf } from "../core/constraint";
import type { Chosen, Layout, Models, RulesData } from "../core/data";
import { shuffled } from "../core/lists";
import {
  type Board,
  byPlace,
  code,
  groundNumbers,
  isOnCoast,
  type Pattern,
  printedHarbors,
  tradeCodes,
} from "../core/notation";
import { inForce, modelData, only } from "../core/rules";
import { abortable, ask, type Result, Stopped, sleep, solve, type Task } from "./solver";
import { isWalkable } from "./walk";
import type { Question } from "./walk.worker";

export const LIMIT = 30_000;
/** For the verdict on one rule. On a slow device the first run of the solver takes long. */
const VERDICT = 120_000;
/** The minimum for each question of a conflict. */
const CONFLICT = 15_000;

export interface World {
  layout: Layout;
  rules: RulesData;
  models: Models;
}

/** The locked pieces as constraints in MiniZinc. Harbors have variables only if the rules place them. */
export function constraints(layout: Layout, { terrain, markers, harbors, grounds }: Pattern): string {
  const tiles = layout.tiles.flatMap((_, t) => [
    ...(terrain[t] === undefined ? [] : [`constraint terrain[${t + 1}] = ${code(layout, terrain[t])};`]),
    ...(markers[t] === undefined ? [] : [`constraint marker[${t + 1}] = ${markers[t]};`]),
  ]);
  const trades = harbors ? tradeCodes({ layout, harbors }) : [];
  const kept = trades.flatMap((trade, h) =>
    trade < 0 ? [] : [`constraint if ${h + 1} in HARBOR then harbor[${h + 1}] = ${trade} endif;`],
  );
  const caught = groundNumbers({ layout, grounds: grounds ?? [] }).flatMap((marker, g) =>
    marker ? [`constraint ground[${g + 1}] = ${marker};`] : [],
  );
  return [...tiles, ...kept, ...caught].join("\n");
}

export function boardOf(numbers: number[], layout: Layout): Board {
  const n = layout.tiles.length;
  const end = numbers.length - layout.groundPlaces.length;
  const trades = numbers.slice(2 * n, end).map((each) => (each === 0 ? "3:1" : layout.terrains[each - 1]));
  return {
    layout,
    terrain: numbers.slice(0, n).map((each) => layout.terrains[each - 1]),
    markers: numbers.slice(n, 2 * n),
    harbors: trades.length
      ? printedHarbors(layout).map((harbor, i) => ({ ...harbor, trade: trades[i] }))
      : [],
    grounds: layout.groundPlaces
      .map((vertices, i) => ({ vertices, marker: numbers[end + i] }))
      .filter(({ marker }) => marker > 0)
      .sort(byPlace),
  };
}

export const task = (
  { layout, rules, models }: World,
  chosen: Chosen,
  extra: string,
  limit: number,
): Task => ({
  models,
  model: "joint.mzn",
  own: new OwnText(ownOf(chosen), layout, rules.constraints).text,
  key: JSON.stringify([layout.name, chosen]),
  data: {
    ...modelData(chosen, layout, rules),
    tile_order: shuffled(layout.tiles.map((_, t) => t + 1)),
    search: 2,
  },
  extra,
  seed: 1 + Math.floor(Math.random() * (1 << 29)),
  limit,
});

/** Milliseconds of a walk before the solver starts beside it. */
const WALK_ALONE = 2_000;

/** A board by a random walk; undefined if a walk does not know the rules, or finds none in time. */
async function walked(
  { layout, rules }: World,
  chosen: Chosen,
  kept: Pattern,
  signal: AbortSignal,
): Promise<Board | undefined> {
  if (!isWalkable(layout, chosen, rules, kept)) return undefined;
  const worker = new Worker(new URL("walk.worker.js", document.baseURI));
  signal.addEventListener("abort", () => worker.terminate());
  return (await new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Board | undefined>) => resolve(data && { ...data, layout });
    worker.onerror = () => resolve(undefined); // the solver does the work
    worker.postMessage({ layout, chosen, rules, kept, limit: LIMIT } satisfies Question);
  }).finally(() => worker.terminate())) as Board | undefined;
}

/** A board that the rules allow, with the locked pieces, or the reason for none and its milliseconds. */
export async function deal(
  world: World,
  chosen: Chosen,
  kept: Pattern,
  signal: AbortSignal,
): Promise<{ board: Board } | { problem: Exclude<Result, { kind: "solution" }>; took: number }> {
  const started = performance.now();
  const control = new AbortController();
  const stop = (): void => control.abort();
  signal.addEventListener("abort", stop);
  try {
    const walk = walked(world, chosen, kept, control.signal);
    const quick = await abortable(Promise.race([walk, sleep(WALK_ALONE)]), signal);
    if (quick) return { board: quick };
    const search = solved(world, chosen, kept, started, control.signal);
    const late = walk.then((board) => (board ? { board } : search));
    return await Promise.race([late, search]);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** A board by the solver. */
async function solved(
  world: World,
  chosen: Chosen,
  kept: Pattern,
  started: number,
  signal: AbortSignal,
): ReturnType<typeof deal> {
  const result = await solve(task(world, chosen, constraints(world.layout, kept), LIMIT), signal);
  if (result.kind !== "solution") return { problem: result, took: performance.now() - started };
  const board = boardOf(result.numbers, world.layout);
  if (kept.harbors && !("harbors" in chosen))
    board.harbors = kept.harbors.filter(({ vertices }) => isOnCoast(board, vertices));
  return { board };
}

/** The part of a conflict that is the locked pieces, not a rule. */
export const KEPT = "kept";

/**
 * A minimal unsatisfiable subset of the rules and the locked pieces, by a deletion filter: each item is left out in turn,
 * and remains out if there is still no board. Without a decision within fifteen seconds, or ten times the first answer,
 * an item remains in. The subset is proven if both solvers agree on each step.
 */
export async function conflictOf(
  world: World,
  chosen: Chosen,
  kept: Pattern,
  { took, proven }: { took: number; proven: boolean },
  signal: AbortSignal,
): Promise<{ items: string[]; proven: boolean }> {
  const extra = constraints(world.layout, kept);
  const limit = Math.min(LIMIT, Math.max(CONFLICT, 10 * took));
  let items = [...inForce(chosen, world.rules), ...(extra ? [KEPT] : [])];
  let agreed = proven;
  for (const item of [...items]) {
    const fewer = items.filter((each) => each !== item);
    const rules = only(fewer, chosen, world.rules);
    const question = task(world, rules, fewer.includes(KEPT) ? extra : "", limit);
    const result = await solve(question, signal);
    if (result.kind !== "none") continue;
    items = fewer;
    agreed &&= result.proven;
  }
  return { items, proven: agreed };
}

export type Verdict = "kept" | "broken" | "unknown";

/** Reports for each rule and constraint whether a complete board satisfies it, by the model with the board fixed. */
export async function judge(
  world: World,
  board: Board,
  fields: string[],
  chosen: Chosen,
  say: (field: string, verdict: Verdict) => void,
  signal: AbortSignal,
): Promise<void> {
  const { layout } = world;
  for (const field of fields) {
    const question = task(world, only([field], chosen, world.rules), "", VERDICT);
    const { data } = question;
    data.terrain = board.terrain.map((name) => code(layout, name));
    data.marker = board.markers;
    data.search = 1;
    const numbers = groundNumbers(board);
    data.ground = numbers;
    data.ground_numbers = numbers.filter((each) => each > 0);
    data.ground_choices = numbers.map((each) => ({ set: [each] }));
    if (Array.isArray(data.harbor_tiles) && data.harbor_tiles.length) {
      if (board.harbors.length === 0) {
        say(field, "kept"); // none are laid yet
        continue;
      }
      const trades = tradeCodes(board);
      const printed = data.harbor !== undefined && JSON.stringify(data.harbor) !== JSON.stringify(trades);
      if (trades.includes(-1) || board.harbors.length !== trades.length || printed) {
        say(field, "broken");
        continue;
      }
      data.harbor = trades;
    }
    try {
      const result = await ask(question, signal);
      say(field, result.kind === "solution" ? "kept" : result.kind === "none" ? "broken" : "unknown");
    } catch (stop) {
      if (stop instanceof Stopped) return;
      throw stop;
    }
  }
}
