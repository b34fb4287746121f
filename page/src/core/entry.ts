/** A board that is entered piece by piece: the pieces left in the box, and the next tile. */

import type { Json, Layout, Pair } from "./data";
import { type Board, type Harbor, isOnCoast, type Pattern, pipsOfMarker } from "./notation";

/** The terrain of a missing tile, for the drawing alone. */
export const UNLAID = "unlaid";

/** A kind of piece, and the number of pieces left for a tile. */
export type Left<Piece> = [Piece, number];

/** The numbers of a set of a model's data. */
export const setOf = (value: Json): number[] => (value as { set: number[] }).set;

/** The board with its fixed pieces only. */
export const emptied = ({ tiles, fixed }: Layout): Pattern => ({
  terrain: tiles.map((_, t) => fixed.terrain[t]),
  markers: tiles.map((_, t) => fixed.markers[t]),
});

export const patternOf = ({ terrain, markers, harbors, grounds }: Board): Pattern => ({
  terrain: [...terrain],
  markers: markers.map((marker) => marker || undefined),
  harbors,
  grounds,
});

/** Whether a marker belongs on the tile, as far as is known. */
export function carries({ terrain }: Pick<Pattern, "terrain">, t: number, layout: Layout): boolean {
  const name = terrain[t];
  return (
    name !== undefined && !layout.unnumbered.includes(name) && !setOf(layout.base.unmarked).includes(t + 1)
  );
}

const needsMarker = (pattern: Pattern, t: number, layout: Layout): boolean =>
  pattern.markers[t] === undefined && carries(pattern, t, layout);

export const isComplete = (pattern: Pattern, layout: Layout): boolean =>
  layout.tiles.every((_, t) => pattern.terrain[t] !== undefined && !needsMarker(pattern, t, layout));

/** The numbers of missing tiles and number tokens. */
export const missing = (pattern: Pattern, layout: Layout): { tiles: number; markers: number } => ({
  tiles: pattern.terrain.filter((name) => name === undefined).length,
  markers: layout.tiles.filter((_, t) => needsMarker(pattern, t, layout)).length,
});

/** The terrains left for a tile: its group's pieces less those on the group's other tiles. */
export function terrainsFor({ terrain }: Pattern, t: number, layout: Layout): Left<string>[] {
  const groups = layout.base.terrain_group as number[];
  const pieces = (layout.base.pieces as number[][])[groups[t] - 1];
  const choices = setOf((layout.base.terrain_choices as Json[])[t]);
  return layout.terrains.flatMap((name, code): Left<string>[] => {
    const lying = terrain.filter((each, u) => u !== t && each === name && groups[u] === groups[t]).length;
    const count = pieces[code] - lying;
    return count > 0 && choices.includes(code + 1) ? [[name, count]] : [];
  });
}

/** The number tokens left for a tile. None if the tile carries no number. */
export function markersFor(pattern: Pattern, t: number, layout: Layout): Left<number>[] {
  if (!carries(pattern, t, layout)) return [];
  const { base } = layout;
  const groups = base.marker_group as number[];
  const supply = (base.supply as number[][])[groups[t] - 1];
  const choices = setOf((base.marker_choices as Json[])[t]);
  const code = layout.terrains.indexOf(pattern.terrain[t]!);
  const [least, most] = [base.marker_pips_min, base.marker_pips_max].map((all) => (all as number[])[code]);
  return choices.flatMap((marker): Left<number>[] => {
    const lying = pattern.markers.filter(
      (each, u) => u !== t && each === marker && groups[u] === groups[t],
    ).length;
    const count = supply[marker - 2] - lying;
    const ways = pipsOfMarker(layout, marker);
    return count > 0 && least <= ways && ways <= most ? [[marker, count]] : [];
  });
}

/** Whether the box has these pieces for these tiles. The models allow no other boards. */
export function isInBox(board: Board): boolean {
  const { layout, terrain, markers } = board;
  const pattern = patternOf(board);
  return terrain.every((name, t) => {
    const numbers = markersFor(pattern, t, layout).map(([marker]) => marker);
    return (
      terrainsFor(pattern, t, layout).some(([each]) => each === name) &&
      (markers[t] ? numbers.includes(markers[t]) : !numbers.length)
    );
  });
}

/** The pattern with that piece on the tile, or without it if it was there. A bare tile loses its number. */
export function withPiece(pattern: Pattern, t: number, piece: string | number, layout: Layout): Pattern {
  const isTerrain = typeof piece === "string";
  const off = (isTerrain ? pattern.terrain[t] : pattern.markers[t]) === piece;
  const next = {
    ...pattern,
    terrain: isTerrain ? pattern.terrain.with(t, off ? undefined : piece) : pattern.terrain,
    markers: isTerrain ? pattern.markers : pattern.markers.with(t, off ? undefined : piece),
  };
  if (next.terrain[t] !== undefined && !carries(next, t, layout))
    next.markers = next.markers.with(t, undefined);
  return off ? next : forced(next, layout);
}

/** The pattern with all pieces that have no alternative: terrain, then, on complete terrain, numbers. */
function forced(pattern: Pattern, layout: Layout): Pattern {
  for (const t of layout.tiles.keys()) {
    if (pattern.terrain[t] !== undefined) continue;
    const only = terrainsFor(pattern, t, layout);
    if (only.length === 1)
      return forced({ ...pattern, terrain: pattern.terrain.with(t, only[0][0]) }, layout);
  }
  if (pattern.terrain.includes(undefined)) return pattern;
  for (const t of layout.tiles.keys()) {
    if (!needsMarker(pattern, t, layout)) continue;
    const only = markersFor(pattern, t, layout);
    if (only.length === 1)
      return forced({ ...pattern, markers: pattern.markers.with(t, only[0][0]) }, layout);
  }
  return pattern;
}

/** The next incomplete tile, from a tile onwards: terrain first, then numbers. */
export function nextTile(pattern: Pattern, from: number, layout: Layout): number | undefined {
  const order = layout.rows.flat();
  const start = order.indexOf(from) + 1;
  const turned = [...order.slice(start), ...order.slice(0, start)];
  return (
    turned.find((t) => pattern.terrain[t] === undefined) ??
    turned.find((t) => needsMarker(pattern, t, layout))
  );
}

/** A pattern as a board to draw. A harbor without a coast is left out. */
export function drawn(pattern: Pattern, board: Board): Board {
  const terrain = pattern.terrain.map((name) => name ?? UNLAID);
  const harbors = (pattern.harbors ?? board.harbors).filter(({ vertices }) =>
    isOnCoast({ ...board, terrain }, vertices),
  );
  return { ...board, terrain, markers: pattern.markers.map((marker) => marker ?? 0), harbors };
}

const isAt = (place: Pair, { vertices }: Harbor): boolean => vertices.join() === place.join();

/** The places of harbors on a board, and those of the layout on a free coast. */
export function harborPlaces(board: Board, withFree: boolean): Pair[] {
  const occupied = board.harbors.map(({ vertices }) => vertices);
  const free = board.layout.harbors
    .map(([a, b]): Pair => [a, b])
    .filter(
      (place) => withFree && isOnCoast(board, place) && !place.some((v) => occupied.flat().includes(v)),
    );
  return [...occupied, ...free].sort(([a], [b]) => a - b);
}

/** The trades of the harbors in the box, and how many of each are left for a place. */
export function tradesFor(harbors: Harbor[], place: Pair, layout: Layout): Left<string>[] {
  const box = layout.harbors.map(([, , trade]) => trade);
  const elsewhere = harbors.filter((each) => !isAt(place, each)).map(({ trade }) => trade);
  const count = (all: string[], trade: string): number => all.filter((each) => each === trade).length;
  return [...new Set(box)].map((trade) => [trade, Math.max(0, count(box, trade) - count(elsewhere, trade))]);
}

/**
 * The harbors with that trade at a place, or with none there if it has that trade. If none is left in the box, the next
 * harbor of that trade, clockwise, is exchanged: entering them clockwise leaves those entered before as they are.
 */
export function harborsWith(harbors: Harbor[], place: Pair, trade: string, layout: Layout): Harbor[] {
  const before = harbors.find((each) => isAt(place, each));
  const remaining = harbors.filter((each) => each !== before);
  if (before?.trade === trade) return remaining;
  const result = [...remaining, { vertices: place, trade }];
  if (tradesFor(harbors, place, layout).some(([each, count]) => each === trade && count > 0)) return result;
  const [middleX, middleY] = [0, 1].map(
    (axis) => layout.vertices.reduce((sum, at) => sum + at[axis], 0) / layout.vertices.length,
  );
  const angle = ([v]: Pair): number =>
    Math.atan2(layout.vertices[v][1] - middleY, layout.vertices[v][0] - middleX);
  const away = ({ vertices }: Harbor): number =>
    (angle(vertices) - angle(place) + 2 * Math.PI) % (2 * Math.PI);
  const next = remaining.filter((each) => each.trade === trade).sort((a, b) => away(a) - away(b))[0];
  return result.flatMap((each) => {
    if (each !== next) return [each];
    return before ? [{ ...each, trade: before.trade }] : [];
  });
}
