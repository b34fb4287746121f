/** The library's measures of boards and vertices, compared with it by shared vectors. */

import type { Worth } from "./data";
import { type Board, pipsOfMarker } from "./notation";

/** Per terrain, the entropy of its neighbors by its maximum. */
export function efficiencies({ layout, terrain }: Board): Record<string, number> {
  const met = new Map<string, Map<string, number>>();
  const meet = (a: string, b: string) => {
    const counts = met.get(a) ?? new Map<string, number>();
    counts.set(b, (counts.get(b) ?? 0) + 1);
    met.set(a, counts);
  };
  for (const [i, j] of layout.adjacency) {
    meet(terrain[i], terrain[j]);
    meet(terrain[j], terrain[i]);
  }
  const kinds = Object.keys(layout.counts).length;
  const scale = kinds > 1 ? 1 / Math.log2(kinds) : 0;
  const result: Record<string, number> = {};
  for (const name of layout.terrains) {
    if (!terrain.includes(name)) continue;
    const counts = [...(met.get(name)?.values() ?? [])];
    const total = counts.reduce((sum, n) => sum + n, 0);
    const excess = layout.xlogx[total] - counts.reduce((sum, n) => sum + layout.xlogx[n], 0);
    result[name] = total ? excess * (scale / total) : 0;
  }
  return result;
}

/** The mean of (efficiency - target) squared over the terrains with a target, if any has one. */
export function efficiencyError(board: Board): number | undefined {
  const errors = Object.entries(efficiencies(board))
    .filter(([name]) => name in board.layout.targets)
    .map(([name, value]) => (value - board.layout.targets[name]) ** 2);
  return errors.length ? errors.reduce((sum, error) => sum + error, 0) / errors.length : undefined;
}

export const pipsOf = ({ layout, markers }: Board, t: number): number =>
  markers[t] ? pipsOfMarker(layout, markers[t]) : 0;

/** Pips of each terrain on the board that carries markers. */
export function terrainPips(board: Board): Record<string, number> {
  const result: Record<string, number> = {};
  board.terrain.forEach((name, t) => {
    if (!board.layout.unnumbered.includes(name)) result[name] = (result[name] ?? 0) + pipsOf(board, t);
  });
  return result;
}

export const vertexPips = (board: Board): number[] =>
  board.layout.vertexTiles.map((tiles) => tiles.reduce((sum, t) => sum + pipsOf(board, t), 0));

/** The unit of `worth`. */
export const SCALE = 216;
const RESOURCES = 5;

/**
 * The common value of settlements on these vertices, times `SCALE`. It has the equal weights of the published objective: 2
 * per distinct terrain and 1/2 per tile, cards per roll, and the chance that a roll yields cards.
 */
export function worth(board: Board, vertices: number[]): number {
  const { layout, terrain, markers } = board;
  const tiles = vertices
    .flatMap((v) => layout.vertexTiles[v])
    .filter((t) => !layout.unnumbered.includes(terrain[t]));
  const kinds = Math.min(RESOURCES, new Set(tiles.map((t) => terrain[t])).size);
  const cards = [...new Set(tiles)].reduce((sum, t) => sum + pipsOf(board, t), 0);
  const hit = [...new Set(tiles.map((t) => markers[t]))].reduce(
    (sum, marker) => sum + pipsOf(board, markers.indexOf(marker)),
    0,
  );
  return 144 * kinds + 36 * tiles.length + 2 * cards + 2 * hit;
}

/** Whether games have measured the chances to win on such a board (`unmeasured` in the library). */
export const isMeasured = (
  { layout, terrain, grounds }: Board,
  { resources }: Worth,
  players: number,
): boolean =>
  players > 2 &&
  layout.game === "base" &&
  !grounds.length &&
  layout.parts === 1 &&
  terrain.every((name) => name === "desert" || resources.includes(name));
