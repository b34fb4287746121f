/** The board of a day, the same in every browser: integers only, by the rules of one preset, without a server. */

import type { Layout, RulesData } from "../../core/data";
import { type Below, shuffled } from "../../core/lists";
import { keep, recall } from "../../core/memory";
import { type Board, printedHarbors } from "../../core/notation";
import { checkedRules } from "../../core/places";

export const PLAYERS = 4;
/** The preset whose rules the boards keep. */
export const DAY_RULES = "tournament";
const MILLISECONDS = 86_400_000;

/** The days from 1970-01-01 to the local date. */
export const dayOf = (now: Date): number =>
  Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / MILLISECONDS;

export const dateOf = (day: number): Date => new Date(day * MILLISECONDS);

/** The mixing function of MurmurHash3: a permutation of the integers of 32 bits. */
function mixed(value: number): number {
  const a = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b ^ (b >>> 16)) >>> 0;
}

/** Random integers of a seed. Its numbers are no part of those of another seed, as with a common period. */
function generator(seed: number): Below {
  const key = mixed(seed);
  let i = 0;
  return (n) => mixed(mixed(++i) ^ key) % n;
}

const pieces = (counts: Record<string, number>): string[] =>
  Object.keys(counts)
    .sort()
    .flatMap((piece): string[] => Array(counts[piece]).fill(piece));

/** The board of a day and the player's seat, from 0. Terrains, then numbers are shuffled until they keep the rules. */
export function boardOf(day: number, layout: Layout, rules: RulesData): { board: Board; seat: number } {
  const below = generator(day);
  const seat = below(PLAYERS);
  const checked = checkedRules(rules.presets[DAY_RULES], layout, rules);
  const markers = layout.tiles.map(() => 0);
  const board: Board = { layout, terrain: [], markers, harbors: printedHarbors(layout), grounds: [] };
  const keeps = (about: string): boolean =>
    checked.every(({ rule, breaches }) => !rule.about.includes(about) || !breaches(board).length);
  do board.terrain = shuffled(pieces(layout.counts), below);
  while (!keeps("terrain"));
  do {
    const rest = shuffled(pieces(layout.supply), below);
    board.markers = board.terrain.map((name) => (layout.unnumbered.includes(name) ? 0 : Number(rest.pop())));
  } while (!keeps("markers"));
  return { board, seat };
}

/** The player's settlements of a day, and its last completed day with the number of successive ones. */
export interface Played {
  day: number;
  picks: number[];
  last: number;
  streak: number;
}

/** What the device stores, as far as it is possible today. */
export function played(today: number): Played {
  const none = { day: today, picks: [], last: 0, streak: 0 };
  try {
    const { day, picks, last, streak } = JSON.parse(recall("day") ?? "null") as Played;
    const isPossible =
      [last, streak].every(Number.isSafeInteger) && 0 < streak && streak <= last && last <= today;
    const isToday =
      day === today && Array.isArray(picks) && picks.length <= 2 && picks.every(Number.isInteger);
    return { ...none, ...(isToday && { picks }), ...(isPossible && { last, streak }) };
  } catch {
    return none;
  }
}

/** Stores the settlements of a day. The second one completes it. */
export function store(today: number, picks: number[]): Played {
  const before = played(today);
  const { last, streak } = before;
  const isNew = picks.length === 2 && last !== today;
  const next = {
    day: today,
    picks,
    last,
    streak,
    ...(isNew && { last: today, streak: last === today - 1 ? streak + 1 : 1 }),
  };
  keep("day", JSON.stringify(next));
  return next;
}
