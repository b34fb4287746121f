/** The address behind `#`: a board or a pattern, the rules, what is kept, and the draft so far. */

import { type Chosen, type Layout, type LayoutEntry, type RulesData, readLayout, START_LAYOUT } from "./data";
import { openVertices } from "./draft";
import { MOST_ADDRESS } from "./limits";
import {
  BadNotation,
  type Board,
  isOpen,
  isPattern,
  layoutOf,
  notation,
  open,
  type Pattern,
  partsOf,
  patternText,
  readNotation,
  readPattern,
} from "./notation";
import type { Asked } from "./rules";
import { askedEven, EVEN, readRulesText, rulesText, withHarbors } from "./rules";

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
  even = false,
): string =>
  [
    notation(board),
    even ? `rules=${EVEN}` : rulesText(chosen, board.layout, rules),
    ...(isOpen(kept) ? [] : [`keep=${patternText(kept, board.layout)}`]),
    ...(draft.placed.length ? [`players=${draft.players}`, `placed=${draft.placed.join(".")}`] : []),
  ].join("&");

/** An address with more than `MOST_ADDRESS` characters; the message is their number. */
export class LongAddress extends BadNotation {}

interface Opened extends Asked {
  /** None where the address names a pattern, or nothing: then one is to be dealt. */
  board?: Board;
  draft?: Draft;
  /** What the address asks of boards and the page cannot do. */
  refused: string[];
}

/**
 * Reads an address. What it says beside the board and is not understood is named in `refused`, and so are harbors
 * that cannot lie there: the good part is kept.
 *
 * Throws `BadNotation` where it names no board.
 */
export async function readAddress(
  address: string,
  layouts: LayoutEntry[],
  rules: RulesData,
): Promise<Opened> {
  const cut = /^long=(\d{1,10})$/.exec(address);
  if (cut || address.length > MOST_ADDRESS) throw new LongAddress(cut?.[1] ?? String(address.length));
  const [first, ...rest] = address.replace(/[.,;:!?)]+$/, "").split("&"); // what a sentence puts behind a link
  const text = decoded(first);
  const given = new URLSearchParams(rest.join("&"));
  const layout = await readLayout(text ? layoutOf(text, layouts) : START_LAYOUT);
  const isEven = layout.name === START_LAYOUT && (text ? given.get("rules") === EVEN : !rest.length);
  if (isEven) given.delete("rules");
  const asked = isEven ? askedEven(layout, rules) : undefined;
  const read = isEven ? undefined : readRulesText(given, layout, rules);
  const chosen = asked?.chosen ?? read?.chosen ?? withHarbors(rules.presets[layout.start], layout, rules);
  const refused = read?.refused ?? [];
  const kept = open(layout);
  const even = asked?.even;
  if (!text) return { layout, chosen, kept, refused, even };
  if (isPattern(text, layout)) return { layout, chosen, kept: readPattern(text, layout), refused };
  const board = readBoard(text, layout, refused);
  const keep = given.get("keep");
  const placed = given.get("placed");
  const draft = placed === null ? undefined : readDraft(placed, Number(given.get("players")), board);
  if (placed !== null && !draft) refused.push(`placed=${placed}`);
  return { layout, chosen, refused, board, draft, even, kept: keep ? readKept(keep, layout, refused) : kept };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadNotation(text);
  }
}

/** Reads a board, without its harbors where those are the only fault. */
function readBoard(text: string, layout: Layout, refused: string[]): Board {
  try {
    return readNotation(text, layout);
  } catch (reason) {
    const { rows, laid, name } = partsOf(text);
    if (!laid) throw reason;
    const board = readNotation(rows.join("/") + (name === undefined ? "" : `@${name}`), layout);
    refused.push(`:${laid}`);
    return board;
  }
}

function readKept(text: string, layout: Layout, refused: string[]): Pattern {
  try {
    return readPattern(text, layout);
  } catch (reason) {
    if (!(reason instanceof BadNotation)) throw reason;
    refused.push(`keep=${text}`);
    return open(layout);
  }
}

function readDraft(text: string, players: number, board: Board): Draft | undefined {
  const { layout } = board;
  const some = Number.isInteger(players) && players >= 2 && players <= layout.players;
  if (!some || !/^\d{1,4}(\.\d{1,4})*$/.test(text)) return undefined;
  const placed = text.split(".").map(Number);
  const free = new Set(openVertices(board));
  if (placed.length > 2 * players) return undefined;
  for (const v of placed) {
    if (!free.has(v)) return undefined;
    for (const each of [v, ...layout.vertexNeighbors[v]]) free.delete(each);
  }
  return { players, placed };
}
