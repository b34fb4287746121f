/** The properties of a drawn board, and its terrains in words. */

import type { Layout } from "./data";
import type { Box } from "./geometry";
import { has, say } from "./language";
import type { Theme } from "./look";
import type { Pattern, Board as Value } from "./notation";
import type { Place } from "./places";

export interface Settlement {
  /** From 0. */
  player: number;
  vertex: number;
  /** Whether it is only foreseen. */
  ghost?: boolean;
}

export interface Props {
  board: Value;
  letters?: boolean;
  patterns?: boolean;
  /** Tiles and markers that have a lock. */
  kept?: Pattern;
  /** The tile that was touched last. */
  touched?: number;
  /** What is ringed, because it breaks a rule. */
  rings?: Place[];
  /** Tiles that are ringed because they were changed. */
  changed?: number[];
  onTile?: (tile: number) => void;
  /** Vertices to touch, and what a screen reader says of each. */
  open?: number[];
  onVertex?: (vertex: number) => void;
  settled?: Settlement[];
  best?: number[];
  /** Per vertex, what the heat map shows. */
  values?: number[];
  /** "light", "dark" or "auto". */
  theme?: string;
  /** Whether the board can be magnified, and its pieces slide to their places. */
  live?: boolean;
  box?: Box;
  size?: { width: string; height: string };
  id?: string;
  dim?: boolean;
}

/** What each part of a drawing needs. */
export interface Drawn {
  board: Value;
  theme: Theme;
  /** The least height of letters, so that they can be read where the drawing is small. */
  least: number;
}

/** The letter of a terrain in the language that is spoken; where that says none, the notation's. */
export function letterOf(name: string, { letters }: Layout): string {
  if (has(`letter.${name}`)) return say(`letter.${name}`);
  return (Object.keys(letters).find((each) => letters[each] === name) ?? "?").toUpperCase();
}

/** A vertex in words: its tiles. */
export const vertexInWords = (board: Value, v: number): string =>
  board.layout.vertexTiles[v].map((t) => inWords(board, t)).join(" · ");

/** A tile in words: its terrain, and its number where it has one. */
export function inWords({ terrain, markers }: Value, t: number): string {
  const name = say(`terrain.${terrain[t]}`);
  return markers[t] ? `${name} ${markers[t]}` : name;
}
