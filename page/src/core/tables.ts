/**
 * Evaluates the library's restrictions, which are tables (`catan_cp/rules/restrictions.py` explains each kind): the
 * tiles and vertices of each breach by a board.
 */

import type { Pair, Restriction } from "./data";
import { type Board, pipsOfMarker } from "./notation";

/** One breach. */
export interface Place {
  tiles: number[];
  vertices: number[];
}

export const onTiles = (tiles: number[]): Place => ({ tiles, vertices: [] });

export const tilesWhere = ({ layout }: Board, holds: (t: number) => boolean): number[] =>
  layout.tiles.flatMap((_, t) => (holds(t) ? [t] : []));

export const increasing = (numbers: Iterable<number>): number[] =>
  [...new Set(numbers)].sort((a, b) => a - b);

/** Connected sets of tiles, by their lowest tiles. */
export function connected(tiles: number[], pairs: Pair[]): number[][] {
  const sets = new Map(tiles.map((t) => [t, [t]]));
  for (const [a, b] of pairs) {
    const [first, second] = [sets.get(a), sets.get(b)];
    if (!first || !second || first === second) continue;
    first.push(...second);
    for (const t of second) sets.set(t, first);
  }
  return [...new Set(sets.values())].map(increasing);
}

/** The vertices of three land tiles, each with its tiles. */
const inlandVertices = ({ layout, terrain }: Board): [number, number[]][] =>
  layout.vertexTiles.flatMap((tiles, v): [number, number[]][] =>
    tiles.length === 3 && tiles.every((t) => terrain[t] !== "sea") ? [[v, tiles]] : [],
  );

/** The tiles with markers, by terrain. */
function numbered(board: Board): number[][] {
  const tiles = tilesWhere(board, (t) => board.markers[t] > 0);
  return board.layout.terrains.map((name) => tiles.filter((t) => board.terrain[t] === name));
}

/** The tiles of a path whose markers differ from an order that leaves out tiles without markers. */
const offOrder = ({ markers }: Board, path: number[], order: number[]): number[] =>
  increasing(path.filter((t) => markers[t]).filter((t, i) => order[i] !== markers[t]));

const has = <T>(rows: T[][], row: T[]): boolean =>
  rows.some((each) => each.length === row.length && each.every((value, i) => value === row[i]));

/** The pips of a terrain; undefined if a bound on them does not apply. */
function pipsOn(board: Board, name: string, absent: string[]): number | undefined {
  const tiles = tilesWhere(board, (t) => board.terrain[t] === name);
  if (!tiles.length && !absent.includes(name)) return undefined;
  return tiles.reduce(
    (sum, t) => sum + (board.markers[t] ? pipsOfMarker(board.layout, board.markers[t]) : 0),
    0,
  );
}

/** The breaches of one restriction. */
export function breaches(restriction: Restriction, board: Board): Place[] {
  const { layout, terrain, markers } = board;
  const codes = () => terrain.map((name) => layout.terrains.indexOf(name));
  switch (restriction.kind) {
    case "Barred":
      return tilesWhere(board, (t) => has(restriction.places, [t, terrain[t]])).map((t) => onTiles([t]));
    case "TerrainsApart":
      return restriction.pairs
        .filter(([a, b]) => has(restriction.terrains, increasingNames(terrain[a], terrain[b])))
        .map(onTiles);
    case "ClusterMax":
      return layout.terrains
        .filter((name) => !layout.unnumbered.includes(name))
        .flatMap((name) =>
          connected(
            tilesWhere(board, (t) => terrain[t] === name),
            restriction.pairs,
          ),
        )
        .filter((cluster) => cluster.length > restriction.size)
        .map(onTiles);
    case "Rising": {
      const rising = restriction.tiles.map((t) => codes()[t]);
      return rising.every((code, i) => i === 0 || rising[i - 1] < code) ? [] : [onTiles(restriction.tiles)];
    }
    case "FirstOfOrbit": {
      const here = codes();
      const isEarlier = restriction.symmetries.some((number) => {
        const moved = layout.symmetries[number].map((t) => here[t]);
        const first = moved.findIndex((code, t) => code !== here[t]);
        return first >= 0 && moved[first] < here[first];
      });
      return isEarlier ? [onTiles(layout.tiles.map((_, t) => t))] : [];
    }
    case "MarkersApart":
      return restriction.pairs
        .filter(([a, b]) => has(restriction.excluded, [markers[a], markers[b]]))
        .map(onTiles);
    case "VertexBounds":
      return inlandVertices(board).flatMap(([v, tiles]) => {
        const sum = tiles.reduce((total, t) => total + restriction.values[markers[t]], 0);
        return sum < restriction.least || sum > restriction.most ? [{ tiles, vertices: [v] }] : [];
      });
    case "ApartOnTerrain":
      return numbered(board)
        .map((tiles) =>
          tiles.filter((a) =>
            tiles.some((b) => a !== b && has(restriction.excluded, [markers[a], markers[b]])),
          ),
        )
        .filter((tiles) => tiles.length)
        .map(onTiles);
    case "TerrainQuota":
      return numbered(board)
        .map((tiles) => tiles.filter((t) => restriction.markers.includes(markers[t])))
        .filter((tiles) => tiles.length > restriction.most)
        .map(onTiles);
    case "TerrainPips":
      return Object.keys({ ...restriction.least, ...restriction.most }).flatMap((name) => {
        const pips = pipsOn(board, name, restriction.absent);
        const { [name]: least = 0 } = restriction.least;
        const { [name]: most = Number.POSITIVE_INFINITY } = restriction.most;
        const isWrong = pips !== undefined && (pips < least || pips > most);
        return isWrong ? [onTiles(tilesWhere(board, (t) => terrain[t] === name))] : [];
      });
    case "BarredMarkers":
      return tilesWhere(board, (t) =>
        restriction.places.some(
          ([name, barred, tiles]) => name === terrain[t] && barred.includes(markers[t]) && tiles.includes(t),
        ),
      ).map((t) => onTiles([t]));
    case "FixedOrder": {
      const wrong = restriction.paths.map((path) => offOrder(board, path, restriction.order));
      const nearest = wrong.reduce((best, tiles) => (tiles.length < best.length ? tiles : best));
      return nearest.length ? [onTiles(nearest)] : [];
    }
    case "FixedMarkers":
      return restriction.markers.filter(([t, marker]) => markers[t] !== marker).map(([t]) => onTiles([t]));
  }
}

/** A pair of terrains as the tables have it: sorted, and once if both are equal. */
const increasingNames = (a: string, b: string): string[] => (a === b ? [a] : a < b ? [a, b] : [b, a]);
