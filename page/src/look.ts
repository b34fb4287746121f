/** Colours and patterns of boards: written into the drawing itself, so that a saved picture looks the same. */

const FILL: Record<string, string> = {
  sea: "#8fc6dc",
  desert: "#e6d3a3",
  brick: "#c2643f",
  grain: "#ecc24f",
  wool: "#a6cc6c",
  ore: "#8b93a3",
  lumber: "#3f7a4c",
  gold: "#d3a52c",
  lake: "#72b1d6",
  oasis: "#cfcd8b",
  castle: "#bfaec1",
  quarry: "#cbc8c2",
  glassworks: "#b0cec6",
  swamp: "#a1a577",
  fog: "#dde3e8",
  unlaid: "#f3ead2",
};
const OTHER = "#b9b3c9";
/** Terrains that a layout brings along look alike by the first part of their names: castle-knights as a castle. */
const kind = (terrain: string): string => terrain.split("-")[0];
export const fill = (terrain: string): string => FILL[kind(terrain)] ?? OTHER;
/** The terrains that people know by their looks; others have their names on them. */
export const NAMED = new Set(["sea", "desert", "brick", "grain", "wool", "ore", "lumber", "gold", "unlaid"]);

export const WATER = "#5ea7c4";
export const COAST = "#f4e6c1";
export const DISC = "#fdf6e3";
export const INK = "#2b2621";
export const RED = "#b3201b";
/** Round what breaks a rule. */
export const RING = "#d4111b";
/** Round what was touched or changed. */
export const CHANGED = "#0b57d0";
export const RIVER_EDGE = "#3f7fa6";
export const FISHING = "#a5d3ea";
export const FISHING_EDGE = "#3f86a8";
export const PIER = "#7a5a3a";
export const PLAYERS = ["#d1362f", "#2f62c9", "#f08a1d", "#f7f3ea", "#2f8a4a", "#7a4a24"];
export const PLAYER_INK = ["#ffffff", "#ffffff", "#2b2621", "#2b2621", "#ffffff", "#ffffff"];

/** A step of the library's heat scale, from low to high, and the ink that can be read on it. */
export const heat = (share: number, scale: string[]): string =>
  scale[Math.min(scale.length - 1, Math.floor(share * scale.length))];
export function heatInk(share: number, scale: string[]): string {
  const color = Number.parseInt(heat(share, scale).slice(1), 16);
  const light = 0.3 * (color >> 16) + 0.59 * ((color >> 8) & 255) + 0.11 * (color & 255);
  return light > 120 ? INK : "#ffffff";
}

/** Strokes of each terrain's pattern, in a square of 24 units. */
const PATTERN: Record<string, string> = {
  brick: "M0 6h24M0 18h24M6 6v12M18 -6v12M18 18v12",
  grain: "M6 22V8m0 4l-3-3m3 3l3-3m-3 8l-3-3m3 3l3-3M18 14V0m0 4l-3-3m3 3l3-3m-3 8l-3-3m3 3l3-3M18 26v-2",
  wool: "M2 9q4-5 8 0M14 21q4-5 8 0",
  ore: "M1 11l5-7 5 7M4.500 6l1.500 2 1.500-2M13 23l5-7 5 7M16.500 18l1.500 2 1.500-2",
  lumber: "M6 1L2 8h8zM6 8v3M18 13l-4 7h8zM18 20v3",
  desert: "M3 6h.1M15 4h.1M9 12h.1M21 14h.1M4 19h.1M16 21h.1",
  gold: "M6 2v8M2 6h8M18 14v8M14 18h8",
  sea: "M0 6q3-3 6 0t6 0M12 18q3-3 6 0t6 0",
  lake: "M0 6q3-3 6 0t6 0M12 18q3-3 6 0t6 0",
  oasis: "M6 11q-1-4 0-6M2 6q2-3 4-1q3-2 5 1M18 23q-1-4 0-6M14 18q2-3 4-1q3-2 5 1",
  castle: "M3 11V3h2v2h2V3h2v8zM15 23v-8h2v2h2v-2h2v8z",
  quarry: "M2 4h6v6H2zM2 4l2-2h6v6l-2 2M8 4l2-2M14 16h6v6h-6zM14 16l2-2h6v6l-2 2M20 16l2-2",
  glassworks: "M4 11V6l1.500-2V1h2v3L9 6v5zM16 23v-5l1.500-2v-3h2v3l1.500 2v5z",
  swamp: "M4 10L3 4M6 10V2M8 10l1-6M16 22l-1-6M18 22v-8M20 22l1-6",
  fog: "M1 5h9M4 8h9M13 17h9M16 20h7",
};
/** The strokes of a terrain; of one that nobody drew, plain squares. */
export const pattern = (terrain: string): string => PATTERN[kind(terrain)] ?? "M4 4h6v6h-6zM16 16h6v6h-6z";
