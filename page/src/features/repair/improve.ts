/** The board with the fewest exchanges that keeps the rules and gives all seats even chances to win. */

import type { Chosen } from "../../core/data";
import type { Board } from "../../core/notation";
import { inForce } from "../../core/rules";
import { judge, type World } from "../../solver/dealing";
import { abortable, Stopped } from "../../solver/solver";
import type { Tried } from "./exchanges";
import type { Told, Wanted } from "./improve.worker";
import { type Changed, differing } from "./repair";

export interface Improved extends Changed {
  exchanges: number;
}

/** Whether the models allow the board. */
async function allowed(world: World, board: Board, chosen: Chosen, signal: AbortSignal): Promise<boolean> {
  const rules = inForce(chosen, world.rules);
  let all = true;
  // Where no rule is set, the models are asked all the same: they know the pieces.
  await judge(
    world,
    board,
    rules.length ? rules : [""],
    chosen,
    (_, verdict) => {
      all &&= verdict === "kept";
    },
    signal,
  );
  if (signal.aborted) throw new Stopped();
  return all;
}

/**
 * Boards whose rules are kept as the page reads them are looked for in a worker; of each with even seats the models have the
 * last word. Where there is none, what was tried is told.
 */
export async function improve(
  world: World,
  before: Board,
  chosen: Chosen,
  players: number,
  say: (tried: Tried) => void,
  signal: AbortSignal,
): Promise<Improved | Tried> {
  const worker = new Worker(new URL("improve.worker.js", document.baseURI), { type: "module" });
  const next = (wanted: Wanted | null): Promise<Told> => {
    const answer = new Promise<Told>((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }: MessageEvent<Told>) => {
        say(data);
        if (data.even || data.done) resolve(data);
      };
      worker.postMessage(wanted);
    });
    return abortable(answer, signal);
  };
  try {
    let told = await next({ board: before, players, chosen, rules: world.rules });
    while (told.even) {
      const { even, exchanges } = told;
      const board = { ...even, layout: before.layout };
      if (await allowed(world, board, chosen, signal))
        return { before, board, tiles: differing(before, board), exchanges };
      told = await next(null);
    }
    return told;
  } finally {
    worker.terminate();
  }
}
