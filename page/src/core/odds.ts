/** The odds to win of two settlements, as the library estimates them (`pair_log_odds` in catan_cp/placement/chances.py). */

import type { Worth } from "./data";
import { sumOf } from "./lists";
import { type Board, pipsOfMarker } from "./notation";

/** The precision of logarithms: settlements of equal value have equal odds. */
const ROUNDED = 1e9;

/** The number of roads between all pairs of vertices, at `n * from + to`, or `n` without a path. */
export function roadDistances(neighbors: number[][]): Int32Array {
  const n = neighbors.length;
  const result = new Int32Array(n * n).fill(n);
  for (let from = 0; from < n; from++) {
    let reached = [from];
    for (let roads = 0; reached.length; roads++) {
      for (const v of reached) result[from * n + v] = roads;
      reached = [...new Set(reached.flatMap((v) => neighbors[v]))].filter((v) => result[from * n + v] === n);
    }
  }
  return result;
}

/** The vertices for first settlements: those at the land on which the layout lets players begin. */
export function openVertices({ layout, terrain }: Board): number[] {
  const begin = layout.settle.length ? layout.settle : layout.tiles.map((_, t) => t);
  const land = new Set(begin.filter((t) => terrain[t] !== "sea"));
  return layout.vertices.map((_, v) => v).filter((v) => layout.vertexTiles[v].some((t) => land.has(t)));
}

/** The vertices on which the next settlement may be placed. */
export function freeVertices(board: Board, placed: number[]): number[] {
  const near = new Set(placed.flatMap((v) => [v, ...board.layout.vertexNeighbors[v]]));
  return openVertices(board).filter((v) => !near.has(v));
}

/** The production of a settlement. */
interface Hand {
  /** By resource. */
  pips: number[];
  /** A bit for each trade 2:1, above them one for 3:1. */
  trades: number;
  /** Its tiles that yield a resource. */
  tiles: number[];
}

function hands({ layout, terrain, markers, harbors }: Board, resources: string[]): Hand[] {
  const result = layout.vertexTiles.map((near): Hand => {
    const tiles = near.filter((t) => resources.includes(terrain[t]));
    const pips = resources.map(() => 0);
    for (const t of tiles)
      if (markers[t]) pips[resources.indexOf(terrain[t])] += pipsOfMarker(layout, markers[t]);
    return { pips, trades: 0, tiles };
  });
  for (const { vertices, trade } of harbors)
    for (const v of vertices)
      result[v].trades |= 1 << (trade === "3:1" ? resources.length : resources.indexOf(trade));
  return result;
}

/** The logarithm of the odds to win with these pips and trades (`Objective.own_odds`), times the scale. */
function ownOdds({ each, resources, steps, buildings }: Worth, pips: number[], trades: number): number {
  let sum = (trades >> resources.length) & 1 ? each.harbor : 0;
  for (const [i, name] of resources.entries()) {
    sum += each[name] * pips[i] + ((trades >> i) & 1 ? each.own_harbor * pips[i] : 0);
    for (const step of steps) sum += each[`${name}_${step}`] * Math.min(step, pips[i]);
  }
  for (const [name, needed] of Object.entries(buildings))
    sum += each[name] * Math.min(...needed.map((resource) => pips[resources.indexOf(resource)]));
  return sum;
}

/** The features of a player's first and second settlement (`pair_features` in the library). */
function pairFeatures(board: Board, worth: Worth, a: Hand, b: Hand, roads: number): Record<string, number> {
  const { layout, markers } = board;
  const { resources, scale } = worth;
  const pips = a.pips.map((own, i) => own + b.pips[i]);
  const settlements = ownOdds(worth, pips, a.trades | b.trades) / scale;
  const tiles = [...a.tiles, ...b.tiles];
  const rolled = tiles.flatMap((t) => [markers[t], layout.second[markers[t]] ?? 0]);
  const numbers = [...new Set(rolled)].filter((marker) => marker > 0);
  const shared = a.tiles.filter((t) => b.tiles.includes(t) && markers[t]);
  return {
    settlements,
    settlements_squared: settlements ** 2,
    apart_2: Number(roads === 2),
    apart_3: Number(roads === 3),
    apart_4: Number(roads === 4),
    tiles: tiles.length,
    first_cards: b.tiles.length,
    second_pips: sumOf(b.pips),
    pips_squared: sumOf(pips) ** 2,
    shared_pips: sumOf(shared.map((t) => pipsOfMarker(layout, markers[t]))),
    grain_ore: Math.sqrt(pips[resources.indexOf("grain")] * pips[resources.indexOf("ore")]),
    numbers: numbers.length,
    hit: sumOf(numbers.map((marker) => layout.pips[marker])),
  };
}

/**
 * The logarithms of the odds of each first and second settlement, at `n * first + second`. Vertices that cannot both be
 * settled have minus infinity.
 */
export function pairLogOdds(board: Board, worth: Worth): Float64Array {
  const n = board.layout.vertices.length;
  const roads = roadDistances(board.layout.vertexNeighbors);
  const single = hands(board, worth.resources);
  const open = openVertices(board);
  const weights = Object.entries(worth.pairs);
  const result = new Float64Array(n * n).fill(Number.NEGATIVE_INFINITY);
  for (const a of open) {
    for (const b of open) {
      const at = n * a + b;
      if (roads[at] < 2) continue;
      const features = pairFeatures(board, worth, single[a], single[b], roads[at]);
      const total = sumOf(weights.map(([name, weight]) => weight * features[name]));
      result[at] = Math.round(ROUNDED * total) / ROUNDED;
    }
  }
  return result;
}
