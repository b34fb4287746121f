/** Boards from the models: dealing, keeping what one likes, naming what clashes, and judging rule by rule. */

import { OwnText, ownOf } from "../core/constraint";
import type { Chosen, Layout, Models, RulesData } from "../core/data";
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
import { ask, type Result, Stopped, solve, type Task } from "./solver";

export const LIMIT = 30_000;
/** For the verdict on one rule: a whole board is quickly read, but on a slow device the solver's first run takes long. */
const VERDICT = 120_000;
/** The least for each question what clashes. */
const CLASH = 15_000;

export interface World {
  layout: Layout;
  rules: RulesData;
  models: Models;
}

/** Seeds and orders differ from call to call; nothing here has to be secret. */
const randomNumber = (below: number): number => Math.floor(Math.random() * below);

function shuffled(n: number): number[] {
  const found = Array.from({ length: n }, (_, i) => i + 1);
  for (let i = n - 1; i > 0; i--) {
    const j = randomNumber(i + 1);
    [found[i], found[j]] = [found[j], found[i]];
  }
  return found;
}

/** What is kept, as constraints in MiniZinc. Harbors have variables only if the rules place them. */
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
  data: { ...modelData(chosen, layout, rules), tile_order: shuffled(layout.tiles.length), search: 2 },
  extra,
  seed: 1 + randomNumber(1 << 29),
  limit,
});

/** Another board that the rules allow, with what is kept; or why there is none, and after how many milliseconds. */
export async function deal(
  world: World,
  chosen: Chosen,
  kept: Pattern,
  signal: AbortSignal,
): Promise<{ board: Board } | { problem: Exclude<Result, { kind: "solution" }>; took: number }> {
  const started = performance.now();
  const result = await solve(task(world, chosen, constraints(world.layout, kept), LIMIT), signal);
  if (result.kind !== "solution") return { problem: result, took: performance.now() - started };
  const board = boardOf(result.numbers, world.layout);
  if (kept.harbors && !("harbors" in chosen))
    board.harbors = kept.harbors.filter(({ vertices }) => isOnCoast(board, vertices));
  return { board };
}

/** The part of the clash that is what somebody keeps, and no rule. */
export const KEPT = "kept";

/**
 * Rules, and perhaps what is kept, that no board satisfies together though it satisfies them without any one of them:
 * each is left out in turn, and stays out where there is no board even so (a deletion filter). What is not decided
 * within fifteen seconds, or ten times what the first answer took, stays in. It is proven where both solvers agree on
 * each step: whether they do in time depends on the device, so what is named may not.
 */
export async function clash(
  world: World,
  chosen: Chosen,
  kept: Pattern,
  { took, proven }: { took: number; proven: boolean },
  signal: AbortSignal,
): Promise<{ items: string[]; proven: boolean }> {
  const extra = constraints(world.layout, kept);
  const limit = Math.min(LIMIT, Math.max(CLASH, 10 * took));
  let items = [...inForce(chosen, world.rules), ...(extra ? [KEPT] : [])];
  let agreed = proven;
  for (const item of [...items]) {
    const fewer = items.filter((each) => each !== item);
    const rules = only(fewer, chosen, world.rules);
    const given = task(world, rules, fewer.includes(KEPT) ? extra : "", limit);
    const result = await solve(given, signal);
    if (result.kind !== "none") continue;
    items = fewer;
    agreed &&= result.proven;
  }
  return { items, proven: agreed };
}

export type Verdict = "kept" | "broken" | "unknown";

/** Whether a complete board keeps each of these rules and constraints: the model is asked with the board fixed, rule by rule. */
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
    const given = task(world, only([field], chosen, world.rules), "", VERDICT);
    const { data } = given;
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
      const here = tradeCodes(board);
      const printed = data.harbor !== undefined && JSON.stringify(data.harbor) !== JSON.stringify(here);
      if (here.includes(-1) || board.harbors.length !== here.length || printed) {
        say(field, "broken");
        continue;
      }
      data.harbor = here;
    }
    try {
      const result = await ask(given, signal);
      say(field, result.kind === "solution" ? "kept" : result.kind === "none" ? "broken" : "unknown");
    } catch (stop) {
      if (stop instanceof Stopped) return;
      throw stop;
    }
  }
}
