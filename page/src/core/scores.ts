/** How even a board is, and what vertices are worth: the library's formulas, held to it by shared vectors. */

import type { Worth } from "./data";
import { type Board, pipsOfMarker } from "./notation";

/** How often each terrain meets others, and the entropy of that over the most it can be; by terrain on the board. */
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
  const found: Record<string, number> = {};
  for (const name of layout.terrains) {
    if (!terrain.includes(name)) continue;
    const counts = [...(met.get(name)?.values() ?? [])];
    const total = counts.reduce((sum, n) => sum + n, 0);
    const excess = layout.xlogx[total] - counts.reduce((sum, n) => sum + layout.xlogx[n], 0);
    found[name] = total ? excess * (scale / total) : 0;
  }
  return found;
}

/** Mean of (efficiency - target) squared, over the terrains that have a target; undefined where none has. */
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
  const found: Record<string, number> = {};
  board.terrain.forEach((name, t) => {
    if (!board.layout.unnumbered.includes(name)) found[name] = (found[name] ?? 0) + pipsOf(board, t);
  });
  return found;
}

export const vertexPips = (board: Board): number[] =>
  board.layout.vertexTiles.map((tiles) => tiles.reduce((sum, t) => sum + pipsOf(board, t), 0));

/** Whole numbers stand for values: a value times `SCALE`. */
export const SCALE = 216;
const RESOURCES = 5;

/**
 * What settlements on these vertices are worth together, times `SCALE`: equal weights of the published placement
 * objective (2 per distinct terrain and 1/2 per tile; cards a roll; the chance that a roll yields anything).
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

/** Whole numbers by which settlements are compared. */
export type Value = (vertices: number[]) => number;

/** Pips by resource and trades of one settlement (`features` in the library). */
interface Spot {
  pips: number[];
  /** A bit for each resource that is traded 2:1; above them, one for 3:1. */
  trades: number;
}

/** The logarithm of the odds to win with settlements, times the scale (`Objective.own_odds` in the library). */
export function oddsOf({ layout, terrain, markers, harbors }: Board, worth: Worth): Value {
  const { each, resources } = worth;
  const steps = (name: string, pips: number): number =>
    worth.steps.reduce(
      (sum, step) => sum + each[`${name}_${step}`] * Math.min(step, pips),
      each[name] * pips,
    );
  const spots = layout.vertexTiles.map((tiles, v): Spot => {
    const yielding = tiles.filter((t) => !layout.unnumbered.includes(terrain[t]) && markers[t]);
    const near = harbors.filter(({ vertices }) => vertices.includes(v));
    return {
      pips: resources.map((name) =>
        yielding.reduce((sum, t) => sum + (terrain[t] === name ? pipsOfMarker(layout, markers[t]) : 0), 0),
      ),
      trades: near.reduce(
        (all, { trade }) => all | (1 << (trade === "3:1" ? resources.length : resources.indexOf(trade))),
        0,
      ),
    };
  });
  const buildings = Object.entries(worth.buildings).map(
    ([name, needed]) => [each[name], needed.map((resource) => resources.indexOf(resource))] as const,
  );
  return (vertices) => {
    const trades = vertices.reduce((all, v) => all | spots[v].trades, 0);
    const held = resources.map((_, i) => vertices.reduce((all, v) => all + spots[v].pips[i], 0));
    let sum = (trades >> resources.length) & 1 ? each.harbor : 0;
    resources.forEach((name, i) => {
      sum += steps(name, held[i]) + ((trades >> i) & 1 ? each.own_harbor * held[i] : 0);
    });
    for (const [value, needed] of buildings) sum += value * Math.min(...needed.map((i) => held[i]));
    return sum;
  };
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

/** The number of roads from some vertices to every vertex (`road_distances` in the library). */
function roadsFrom(vertices: number[], near: number[][]): number[] {
  const found = near.map(() => near.length);
  let reached = [...new Set(vertices)];
  for (let roads = 0; reached.length; roads++) {
    for (const v of reached) found[v] = roads;
    reached = [...new Set(reached.flatMap((v) => near[v]))].filter((v) => found[v] === near.length);
  }
  return found;
}

/** Each player's chance to win with these settlements in the order placed (`win_chances` in the library). */
export function winChances(board: Board, settled: number[][], value: Value, worth: Worth): number[] {
  const { layout, terrain } = board;
  const { opening, resources, scale } = worth;
  const roads = settled.map((vertices) => roadsFrom(vertices, layout.vertexNeighbors));
  const free = layout.vertexTiles.flatMap((_, v) => (roads.every((row) => row[v] > 1) ? [v] : []));
  const odds = settled.map((vertices, player) => {
    const start = value(vertices);
    const cards = layout.vertexTiles[vertices[vertices.length - 1]].filter((t) =>
      resources.includes(terrain[t]),
    );
    let sum = (opening.settlements * start) / scale + opening.first_cards * cards.length;
    for (const distance of [2, 3]) {
      let [room, safe] = [0, 0];
      for (const v of free) {
        if (roads[player][v] !== distance) continue;
        const gain = (value([...vertices, v]) - start) / scale;
        room = Math.max(room, gain);
        if (roads.every((row, other) => other === player || row[v] > distance)) safe = Math.max(safe, gain);
      }
      sum += opening[`room_${distance}`] * room + opening[`safe_${distance}`] * safe;
    }
    return Math.exp(sum);
  });
  const all = odds.reduce((sum, each) => sum + each, 0);
  return odds.map((each) => each / all);
}
