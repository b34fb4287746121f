/** Walks off the page's own thread. */

import type { Chosen, Layout, RulesData } from "../core/data";
import type { Pattern } from "../core/notation";
import { walkedBoard } from "./walk";

export interface Question {
  layout: Layout;
  chosen: Chosen;
  rules: RulesData;
  kept: Pattern;
  /** Milliseconds. */
  limit: number;
}

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const { layout, chosen, rules, kept, limit } = data;
  postMessage(walkedBoard(layout, chosen, rules, kept, limit));
});
