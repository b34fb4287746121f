/** The difference of two boards as exchanges on the table, in their order. */

import type { Board } from "../../core/notation";

export const differing = (a: Board, b: Board): number[] =>
  a.terrain.flatMap((name, t) => (name !== b.terrain[t] || a.markers[t] !== b.markers[t] ? [t] : []));

/** An exchange of two tiles, of their terrains or of their numbers, or other pieces for one tile. */
export interface Step {
  kind: "both" | "terrain" | "markers" | "tile";
  tiles: number[];
  /** The pieces of each tile before the step: terrains, or numbers with 0 for none. */
  pieces: (string | number)[];
}

/** Exchanges that turn `now` into `to`, as pairs of places. Other differences remain in `now`. */
function exchanges<Piece>(now: Piece[], to: Piece[]): { pair: [number, number]; pieces: [Piece, Piece] }[] {
  const result: ReturnType<typeof exchanges<Piece>> = [];
  const isWrong = (i: number): boolean => now[i] !== to[i];
  for (const mendsBoth of [true, false]) {
    for (let i = 0; i < now.length; i++) {
      if (!isWrong(i)) continue;
      const j = now.findIndex(
        (piece, k) => piece === to[i] && isWrong(k) && (!mendsBoth || now[i] === to[k]),
      );
      if (j < 0) continue;
      result.push({ pair: [i, j], pieces: [now[i], now[j]] });
      [now[i], now[j]] = [now[j], now[i]];
    }
  }
  return result;
}

/** The places whose harbor differs, with the trades before and after, if any. */
export function changedHarbors(
  before: Board,
  after: Board,
): { vertices: [number, number]; was: string | undefined; trade: string | undefined }[] {
  const at = ({ harbors }: Board, name: string): string | undefined =>
    harbors.find(({ vertices }) => vertices.join() === name)?.trade;
  const places = new Map(
    [...before.harbors, ...after.harbors].map(({ vertices }) => [vertices.join(), vertices]),
  );
  return [...places]
    .map(([name, vertices]) => ({ vertices, was: at(before, name), trade: at(after, name) }))
    .filter(({ was, trade }) => was !== trade);
}

/** The steps: exchanges, or single tiles if these are fewer. */
export function planOf(before: Board, after: Board): Step[] {
  const steps: Step[] = [];
  const [terrain, markers] = [[...before.terrain], [...before.markers]];
  const lies = (i: number): boolean => terrain[i] === after.terrain[i] && markers[i] === after.markers[i];
  const fits = (i: number, j: number): boolean =>
    terrain[i] === after.terrain[j] && markers[i] === after.markers[j];
  for (let j = 0; j < terrain.length; j++) {
    for (let i = 0; i < j; i++) {
      if (lies(i) || lies(j) || !fits(i, j) || !fits(j, i) || terrain[i] === terrain[j]) continue;
      if (markers[i] === markers[j]) continue; // only the terrains change places
      steps.push({ kind: "both", tiles: [i, j], pieces: [terrain[i], terrain[j]] });
      [terrain[i], terrain[j]] = [terrain[j], terrain[i]];
      [markers[i], markers[j]] = [markers[j], markers[i]];
    }
  }
  for (const { pair, pieces } of exchanges(terrain, after.terrain))
    steps.push({ kind: "terrain", tiles: pair, pieces });
  for (const { pair, pieces } of exchanges(markers, after.markers))
    steps.push({ kind: "markers", tiles: pair, pieces });
  terrain.forEach((name, t) => {
    if (!lies(t)) steps.push({ kind: "tile", tiles: [t], pieces: [name] });
  });
  const singles = differing(before, after).map(
    (t): Step => ({ kind: "tile", tiles: [t], pieces: [before.terrain[t]] }),
  );
  return steps.length > singles.length ? singles : steps;
}
