/** Where the parts of a board lie in its drawing. */

import type { Layout, Pair } from "./data";

/** The radius of a tile. */
export const R = 60;
const HALF = (R * Math.sqrt(3)) / 2;

type Turned = Pick<Layout, "sideways">;

/** Where a point of the layout lies in the drawing, which shows some boards turned by a quarter. */
export const place = ([x, y]: Pair, { sideways }: Turned): Pair =>
  sideways ? [(y * R) / 2, -x * HALF] : [x * HALF, (y * R) / 2];

export const CORNERS: Pair[] = [
  [0, -2],
  [1, -1],
  [1, 1],
  [0, 2],
  [-1, 1],
  [-1, -1],
];

export const joined = (points: Pair[]): string =>
  points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

export const cornerOf = ([x, y]: Pair, [dx, dy]: Pair, layout: Turned, scale: number): Pair =>
  place([x + dx * scale, y + dy * scale], layout);

export const hexagon = (point: Pair, layout: Turned, scale = 1): string =>
  joined(CORNERS.map((corner) => cornerOf(point, corner, layout, scale)));

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** How far water reaches beyond the land where it follows the coast: as far as harbors need, or for the looks. */
export const rim = (layout: Layout, harbors: boolean): number =>
  (harbors && layout.harbors.length ? 1.02 : 0.3) * R;

/** What the drawing covers, harbors and frame included. */
export function boxOf(layout: Layout, harbors = true): Box {
  const centres = layout.framed ? [...layout.tiles, ...layout.frame] : layout.tiles;
  const corners = centres.flatMap((point) => CORNERS.map((corner) => cornerOf(point, corner, layout, 1.06)));
  const beyond = layout.framed ? 0 : rim(layout, harbors);
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs) - beyond, Math.min(...ys) - beyond];
  return { x, y, width: Math.max(...xs) + beyond - x, height: Math.max(...ys) + beyond - y };
}
