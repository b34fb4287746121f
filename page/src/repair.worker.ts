/** Looks for the nearest allowed board off the page's own thread. */

import type { Chosen, RulesData } from "./data";
import { nearest } from "./nearest";
import type { Board } from "./notation";

export interface Wanted {
  before: Board;
  chosen: Chosen;
  rules: RulesData;
}

/** How many changed tiles are looked at now; or, at the end, the board, if the search has settled it. */
export type Told = { tiles: number } | { board: Board | undefined };

addEventListener("message", ({ data: { before, chosen, rules } }: MessageEvent<Wanted>) => {
  const board = nearest(before, chosen, rules, (tiles) => postMessage({ tiles } satisfies Told));
  postMessage({ board } satisfies Told);
});
