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
import { beginsWith, linesOf, MOST_LINES, withLine } from "./tree";

/** The address of the board of the day. */
export const DAY = "day";

export interface Draft {
  players: number;
  placed: number[];
  /** All lines of the tree, one of which begins with `placed`. Without them there is only that line. */
  lines?: number[][];
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
    ...draftText(draft),
  ].join("&");

/** The fields of a draft. Its lines are left out if there is only the one placed. */
function draftText(draft: Draft): string[] {
  const [placed, lines] = [[draft.placed], linesOf(draft)].map((all) =>
    all.map((line) => line.join(".")).join("_"),
  );
  return [
    ...(lines ? [`players=${draft.players}`] : []),
    ...(placed ? [`placed=${placed}`] : []),
    ...(lines === placed ? [] : [`lines=${lines}`]),
  ];
}

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
  const draft = readDraft(fields, board, refused);
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

/** Reads the tree of a draft. Its lines or its position are refused as a whole. */
function readDraft(fields: URLSearchParams, board: Board, refused: string[]): Draft | undefined {
  const players = Number(fields.get("players"));
  const read = (name: string, most: number, isKnown = (_: number[]) => true): number[][] => {
    const text = fields.get(name);
    const lines =
      text === null ? [] : text.split("_", most + 1).map((line) => readLine(line, players, board));
    if (lines.length <= most && lines.every((line) => line && isKnown(line))) return lines as number[][];
    refused.push(`${name}=${text}`);
    return [];
  };
  const lines = read("lines", MOST_LINES).reduce(withLine, []);
  const isKnown = (line: number[]) => !lines.length || lines.some((other) => beginsWith(other, line));
  const [placed = []] = read("placed", 1, isKnown);
  if (lines.length) return { players, placed, lines };
  return placed.length ? { players, placed } : undefined;
}

function readLine(text: string, players: number, board: Board): number[] | undefined {
  const { layout } = board;
  const some = Number.isInteger(players) && players >= 2 && players <= layout.players;
  if (!some || !/^\d{1,4}(\.\d{1,4})*$/.test(text)) return undefined;
  const placed = text.split(".").map(Number);
  if (placed.length > 2 * players) return undefined;
  const isFree = placed.every((v, turn) => freeVertices(board, placed.slice(0, turn)).includes(v));
  return isFree ? placed : undefined;
}
