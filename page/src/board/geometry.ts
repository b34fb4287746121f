/** The positions of the parts of a board in its drawing. */

import type { Layout, Pair } from "../core/data";
import { type Board, besideEdge } from "../core/notation";
import { SIZES } from "./look";

/** The radius of a tile. */
export const R = 60;
const HALF = (R * Math.sqrt(3)) / 2;

type Turned = Pick<Layout, "sideways">;

/** The position of a point of the layout in the drawing, which shows some boards turned by a quarter. */
export const place = ([x, y]: Pair, { sideways }: Turned): Pair =>
  sideways ? [(-y * R) / 2, x * HALF] : [x * HALF, (y * R) / 2];

const CORNERS: Pair[] = [
  [0, -2],
  [1, -1],
  [1, 1],
  [0, 2],
  [-1, 1],
  [-1, -1],
];

export const joined = (points: Pair[]): string =>
  points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

export const hexagon = ([x, y]: Pair, layout: Turned, scale = 1): string =>
  joined(CORNERS.map(([dx, dy]) => place([x + dx * scale, y + dy * scale], layout)));

/** The path of outlines in tile edges with y upwards, round a point of the drawing. */
export const outlinePath = (outlines: Pair[][], [x, y]: Pair, closed: boolean): string =>
  outlines
    .map((line) => {
      const points = line.map(([px, py]) => `${(x + R * px).toFixed(1)} ${(y - R * py).toFixed(1)}`);
      return `M${points.join("L")}${closed ? "z" : ""}`;
    })
    .join("");

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Whether the water has the shape of the layout's frame. */
export const isFramed = ({ framed, frame }: Layout, harbors: boolean): boolean =>
  framed || (harbors && frame.length > 0);

/** The width of the water around the land if it follows the coast. Harbors need more. */
export const rim = (harbors: boolean): number => (harbors ? SIZES.harbor_rim : SIZES.rim) * R;

/** The area of the drawing, harbors and frame included. */
export function boxOf(layout: Layout, harbors = true): Box {
  const framed = isFramed(layout, harbors);
  const rims: [Pair[], number][] = [[layout.vertices, framed ? SIZES.rim * R : rim(harbors)]];
  if (framed) rims.push([layout.frame, SIZES.frame_rim * R]);
  const points = rims.flatMap(([spots, reach]) =>
    spots.flatMap((spot) => {
      const [x, y] = place(spot, layout);
      return [
        [x - reach, y - reach],
        [x + reach, y + reach],
      ];
    }),
  );
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const pad = SIZES.pad * R;
  const [x, y] = [Math.min(...xs) - pad, Math.min(...ys) - pad];
  return { x, y, width: Math.max(...xs) + pad - x, height: Math.max(...ys) + pad - y };
}

/** The position of a harbor's sign, in the water beside its edge. */
export function harborPlace({ layout, terrain }: Board, vertices: [number, number]): Pair {
  const [a, b] = vertices.map((v) => place(layout.vertices[v], layout));
  const shared = besideEdge(layout, vertices);
  const land = shared.find((t) => terrain[t] !== "sea") ?? shared[0];
  const [cx, cy] = place(layout.tiles[land], layout);
  const [mx, my] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const out = (0.56 * R) / Math.hypot(mx - cx, my - cy);
  return [mx + (mx - cx) * out, my + (my - cy) * out];
}
