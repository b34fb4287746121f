/** The properties of a drawn board, and its terrains in words. */

import type { Layout, Pair } from "../core/data";
import { has, say } from "../core/language";
import { besideEdge, type Pattern, type Board as Value } from "../core/notation";
import type { Place } from "../core/tables";
import type { Box } from "./geometry";
import type { Theme } from "./look";

export interface Settlement {
  /** From 0. */
  player: number;
  vertex: number;
  ghost?: boolean;
}

export interface Props {
  board: Value;
  letters?: boolean;
  patterns?: boolean;
  /** Locked tiles and number tokens. */
  kept?: Pattern;
  /** The tile, or the vertices of a harbor, that was touched last. */
  touched?: number | Pair;
  /** Violations, which are ringed. */
  rings?: Place[];
  /** Tiles that are ringed because they were changed. */
  changed?: number[];
  /** Whether all tiles show their number. Otherwise those of `numbered` do. */
  numbers?: boolean;
  numbered?: number[];
  /** Pairs of tiles that change places. */
  pairs?: number[][];
  onTile?: (tile: number) => void;
  open?: number[];
  places?: Pair[];
  onHarbor?: (place: Pair) => void;
  onVertex?: (vertex: number) => void;
  settled?: Settlement[];
  best?: number[];
  /** The heat map's value per vertex. */
  values?: number[];
  /** "light", "dark" or "auto". */
  theme?: string;
  /** Whether the board can be magnified, and its pieces slide to their places. */
  live?: boolean;
  box?: Box;
  size?: { width: string; height: string };
  dim?: boolean;
}

export interface Drawn {
  board: Value;
  theme: Theme;
  /** The least height of letters, so that small drawings can be read. */
  least: number;
}

/** The letter of a terrain in the page's language, otherwise that of the notation. */
export function letterOf(name: string, { letters }: Layout): string {
  if (has(`letter.${name}`)) return say(`letter.${name}`);
  return (Object.keys(letters).find((each) => letters[each] === name) ?? "?").toUpperCase();
}

/** A vertex in words: its tiles, then its harbor. */
export const vertexInWords = (board: Value, v: number): string =>
  [
    ...board.layout.vertexTiles[v].map((t) => inWords(board, t)),
    ...board.harbors.filter(({ vertices }) => vertices.includes(v)).map(({ trade }) => harborInWords(trade)),
  ].join(" · ");

/** A tile in words: its terrain, and its number if it has one. */
export function inWords({ terrain, markers }: Value, t: number): string {
  const name = say(`terrain.${terrain[t]}`);
  return markers[t] ? `${name} ${markers[t]}` : name;
}

export const tradeInWords = (trade: string): string =>
  trade === "3:1" ? trade : `2:1 ${say(`terrain.${trade}`)}`;

export const harborInWords = (trade: string): string => say("harbor", { trade: tradeInWords(trade) });

/** A place of harbors in words: its harbor, if any, and the land beside it. */
export const placeInWords = (board: Value, place: Pair): string => {
  const harbor = board.harbors.find(({ vertices }) => vertices.join() === place.join());
  return `${harbor ? harborInWords(harbor.trade) : say("lay.noharbor")}: ${landAt(board, place)}`;
};

export const landAt = (board: Value, vertices: [number, number]): string =>
  besideEdge(board.layout, vertices)
    .filter((t) => board.terrain[t] !== "sea")
    .map((t) => `${t + 1} (${inWords(board, t)})`)
    .join(", ");
