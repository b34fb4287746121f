/** The address behind `#`: a board or a pattern, the rules, what is kept, and the draft so far. */

import { type Chosen, type Layout, type LayoutEntry, type RulesData, readLayout } from "./data";
import type { Asked } from "./dealer";
import { isOpen, open } from "./dealing";
import {
  type Board,
  isPattern,
  layoutOf,
  notation,
  type Pattern,
  patternText,
  readNotation,
  readPattern,
} from "./notation";
import { readRulesText, rulesText, withHarbors } from "./rules";

/** The layout and the preset of somebody who asked for none. */
export const START_LAYOUT = "base";
export const START = "tournament";

export interface Draft {
  players: number;
  placed: number[];
}

export const addressOf = (
  board: Board,
  chosen: Chosen,
  kept: Pattern,
  draft: Draft,
  rules: RulesData,
): string =>
  [
    notation(board),
    rulesText(chosen, board.layout, rules),
    ...(isOpen(kept) ? [] : [`keep=${patternText(kept, board.layout)}`]),
    ...(draft.placed.length ? [`players=${draft.players}`, `placed=${draft.placed.join(".")}`] : []),
  ].join("&");

export interface Opened extends Asked {
  /** None where the address names a pattern, or nothing: then one is to be dealt. */
  board?: Board;
  draft?: Draft;
  /** What the address asks of boards and the page cannot do. */
  refused: string[];
}

/** Reads an address; throws `BadNotation` where it names no board. */
export async function readAddress(
  address: string,
  layouts: LayoutEntry[],
  rules: RulesData,
): Promise<Opened> {
  const [first, ...rest] = address.split("&");
  const text = decodeURIComponent(first);
  const given = new URLSearchParams(rest.join("&"));
  const layout = await readLayout(text ? layoutOf(text, layouts) : START_LAYOUT);
  const read = readRulesText(given, layout, rules);
  const chosen = read?.chosen ?? withHarbors(rules.presets[START], layout, rules);
  const refused = read?.refused ?? [];
  if (!text) return { layout, chosen, kept: open(layout), refused };
  if (isPattern(text, layout)) return { layout, chosen, kept: readPattern(text, layout), refused };
  const keep = given.get("keep");
  const kept = keep ? readPattern(keep, layout) : open(layout);
  return {
    layout,
    chosen,
    kept,
    refused,
    board: readNotation(text, layout),
    draft: readDraft(given, layout),
  };
}

function readDraft(given: URLSearchParams, layout: Layout): Draft | undefined {
  const placed = given.get("placed")?.split(".").map(Number);
  const players = Number(given.get("players"));
  const some = Number.isInteger(players) && players >= 2 && players <= layout.players;
  if (!placed || !some || placed.length > 2 * players) return undefined;
  const near = new Set<number>();
  for (const v of placed) {
    if (!(v in layout.vertices) || near.has(v)) return undefined;
    for (const each of [v, ...layout.vertexNeighbors[v]]) near.add(each);
  }
  return { players, placed };
}
