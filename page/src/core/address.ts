/** The address behind `#`: a board or a pattern, the rules, the locked pieces, and the draft. */

import { type Chosen, type Layout, type LayoutEntry, type RulesData, readLayout, START_LAYOUT } from "./data";
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
import { freeVertices } from "./odds";
import type { Asked } from "./rules";
import { askedEven, EVEN, readRulesText, rulesText, withHarbors } from "./rules";

/** The address of the board of the day. */
export const DAY = "day";

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

/** An address with more than `MOST_ADDRESS` characters. The message is their number. */
export class LongAddress extends BadNotation {}

interface Opened extends Asked {
  /** Undefined for a pattern or nothing: then a board is generated. */
  board?: Board;
  draft?: Draft;
  /** The parts of the address that the page cannot use. */
  refused: string[];
}

/**
 * Reads an address. `refused` names its unreadable parts and harbors in impossible places. The rest is used. Throws
 * `BadNotation` if the address contains neither a board nor a pattern.
 */
export async function readAddress(
  address: string,
  layouts: LayoutEntry[],
  rules: RulesData,
): Promise<Opened> {
  const cut = /^long=(\d{1,10})$/.exec(address);
  if (cut || address.length > MOST_ADDRESS) throw new LongAddress(cut?.[1] ?? String(address.length));
  const [first, ...rest] = address.replace(/[.,;:!?)]+$/, "").split("&"); // the end of a sentence is not part of a link
  const text = decoded(first);
  const fields = new URLSearchParams(rest.join("&"));
  const layout = await readLayout(text ? layoutOf(text, layouts) : START_LAYOUT);
  const isEven = layout.name === START_LAYOUT && (text ? fields.get("rules") === EVEN : !rest.length);
  if (isEven) fields.delete("rules");
  const asked = isEven ? askedEven(layout, rules) : undefined;
  const rulesRead = isEven ? undefined : readRulesText(fields, layout, rules);
  const chosen =
    asked?.chosen ?? rulesRead?.chosen ?? withHarbors(rules.presets[layout.start], layout, rules);
  const refused = rulesRead?.refused ?? [];
  const kept = open(layout);
  const even = asked?.even;
  if (!text) return { layout, chosen, kept, refused, even };
  if (isPattern(text, layout)) return { layout, chosen, kept: readPattern(text, layout), refused };
  const board = readBoard(text, layout, refused);
  const keep = fields.get("keep");
  const placed = fields.get("placed");
  const draft = placed === null ? undefined : readDraft(placed, Number(fields.get("players")), board);
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

/** Reads a board, without its harbors if those are the only fault. */
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
  if (placed.length > 2 * players) return undefined;
  const isFree = placed.every((v, turn) => freeVertices(board, placed.slice(0, turn)).includes(v));
  return isFree ? { players, placed } : undefined;
}
