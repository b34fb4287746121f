/** Looks for a board with even seats off the page's own thread. */

import type { Chosen, RulesData } from "../../core/data";
import type { Board } from "../../core/notation";
import { breaksNone } from "../../core/places";
import { evener, type Tried } from "./exchanges";

export interface Wanted {
  board: Board;
  players: number;
  chosen: Chosen;
  rules: RulesData;
}

/** What has been tried; the last one says so where there is nothing left to try. */
export type Told = Tried & { done?: boolean };

/** Milliseconds between two words on how far it is. */
const BETWEEN = 250;

let search: Generator<Tried> | undefined;
let last: Tried = { exchanges: 1, boards: 0, nearest: 1 };

/** The first message says what is wanted; each later one asks to go on after a board with even seats. */
addEventListener("message", ({ data }: MessageEvent<Wanted | null>) => {
  if (data)
    search = evener(
      data.board,
      data.players,
      data.rules.worth,
      breaksNone(data.board.layout, data.chosen, data.rules),
    );
  let told = performance.now();
  for (;;) {
    const { value, done } = search!.next();
    if (done) return postMessage({ ...last, even: undefined, done } satisfies Told);
    last = value;
    if (value.even || performance.now() - told > BETWEEN) {
      postMessage(value satisfies Told);
      told = performance.now();
    }
    if (value.even) return;
  }
});
