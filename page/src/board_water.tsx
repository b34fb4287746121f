/** Round and between the tiles of a board: water, rivers, fishing grounds and harbors. */

import type { JSX } from "preact";
import { letterOf } from "./board_props";
import type { Layout, Pair } from "./data";
import { hexagon, joined, place, rim } from "./geometry";
import { say } from "./language";
import { DISC, FISHING, FISHING_EDGE, fill, INK, PIER, pattern, RED, RIVER_EDGE, WATER } from "./look";
import type { Ground as GroundValue, Board as Value } from "./notation";

interface WaterProps {
  layout: Layout;
  harbors: boolean;
  prefix: string;
}

/** The water round the tiles: the frame's hexagons, or a broad rounded outline of the tiles. */
export function Water({ layout, harbors, prefix }: WaterProps): JSX.Element {
  if (!layout.framed) {
    return (
      <g class="water" fill={WATER} stroke={WATER} stroke-width={2 * rim(layout, harbors)}>
        {layout.tiles.map((point) => (
          <polygon key={point.join()} points={hexagon(point, layout, 1.06)} stroke-linejoin="round" />
        ))}
      </g>
    );
  }
  return (
    <g class="water">
      {[...layout.frame, ...layout.tiles].map((point) => (
        <polygon key={point.join()} points={hexagon(point, layout, 1.06)} fill={WATER} />
      ))}
      {layout.frame.map((point) => (
        <polygon
          key={point.join()}
          points={hexagon(point, layout, 1)}
          fill={`url(#${prefix}-sea)`}
          opacity="0.35"
        />
      ))}
    </g>
  );
}

export function Patterns({ prefix, terrains }: { prefix: string; terrains: string[] }): JSX.Element {
  return (
    <defs>
      {terrains.map((name) => (
        <pattern key={name} id={`${prefix}-${name}`} width="24" height="24" patternUnits="userSpaceOnUse">
          <path
            d={pattern(name)}
            fill="none"
            stroke={name === "lumber" || name === "brick" ? "#ffffff" : "#1c1710"}
            stroke-width={name === "desert" ? 2.4 : 1.4}
            stroke-linecap="round"
            stroke-linejoin="round"
          />
        </pattern>
      ))}
    </defs>
  );
}

/** Each river as a band that winds from tile to tile, from its source to the swamp at its mouth. */
export function Rivers({ board: { layout, terrain } }: { board: Value }): JSX.Element {
  const { tiles, mouths, steps } = layout.rivers;
  const wet = (t: number): boolean => tiles.includes(t) || mouths.includes(terrain[t]);
  const courses = steps.filter(([a, b]) => wet(a) && wet(b)).map((step) => course(step, layout));
  return (
    <g class="rivers" fill="none" stroke-linecap="round" stroke-linejoin="round">
      {[
        { stroke: RIVER_EDGE, width: 16 },
        { stroke: fill("lake"), width: 12 },
      ].flatMap(({ stroke, width }) =>
        courses.map((points) => (
          <polyline key={`${width} ${points}`} points={points} stroke={stroke} stroke-width={width} />
        )),
      )}
    </g>
  );
}

function course([a, b]: Pair, layout: Layout): string {
  const [x, y] = place(layout.tiles[a], layout);
  const [endX, endY] = place(layout.tiles[b], layout);
  const [dx, dy] = [endX - x, endY - y];
  const points = Array.from({ length: 25 }, (_, i): Pair => {
    const [t, bend] = [i / 24, 0.06 * Math.sin((2 * Math.PI * i) / 24)];
    return [x + dx * t - dy * bend, y + dy * t + dx * bend];
  });
  return joined(points);
}

/** The corners of a fishing ground: in its hexagon of sea, or, where that is land, outside of it. */
function groundCorners({ vertices }: GroundValue, { layout, terrain }: Value): Pair[] {
  const [a, b, c] = vertices.map((v) => layout.vertices[v]);
  const middle: Pair = [a[0] + c[0] - b[0], a[1] + c[1] - b[1]];
  const tile = layout.tiles.findIndex(([x, y]) => x === middle[0] && y === middle[1]);
  if (tile < 0 || terrain[tile] === "sea") return [a, b, c, middle];
  return [a, [2 * b[0] - middle[0], 2 * b[1] - middle[1]], c, b];
}

/** A fishing ground before its three vertices, with its number on a fish. */
export function Ground({ ground, board }: { ground: GroundValue; board: Value }): JSX.Element {
  const corners = groundCorners(ground, board).map((point) => place(point, board.layout));
  const mean = (axis: 0 | 1): number => corners.reduce((sum, point) => sum + point[axis], 0) / 4;
  const [x, y] = [mean(0), mean(1)];
  const smaller = corners.map(([px, py]): Pair => [x + 0.88 * (px - x), y + 0.88 * (py - y)]);
  return (
    <g class="ground">
      <title>{say("fishing", { n: ground.marker })}</title>
      <polygon points={joined(smaller)} fill={FISHING} stroke={FISHING_EDGE} stroke-width="1.8" />
      <path
        transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
        d={FISH}
        fill={DISC}
        stroke="#d8c9a0"
        stroke-width="1.5"
      />
      <text
        x={(x - 4).toFixed(1)}
        y={(y + 5.5).toFixed(1)}
        text-anchor="middle"
        font-size="16"
        font-weight="bold"
        fill={ground.marker === 6 || ground.marker === 8 ? RED : INK}
      >
        {ground.marker}
      </text>
    </g>
  );
}

const FISH = "M13 -4A18 12.500 0 1 0 13 4L20 9 17 0 20 -9Z";

interface HarborProps {
  board: Value;
  vertices: [number, number];
  trade: string;
}

export function Harbor({ board, vertices, trade }: HarborProps): JSX.Element {
  const { layout } = board;
  const [a, b] = vertices.map((v) => place(layout.vertices[v], layout));
  const shared = layout.vertexTiles[vertices[0]].filter((t) => layout.vertexTiles[vertices[1]].includes(t));
  const land = shared.find((t) => board.terrain[t] !== "sea") ?? shared[0];
  const [cx, cy] = place(layout.tiles[land], layout);
  const [mx, my] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const [x, y] = [mx + (mx - cx) * 0.72, my + (my - cy) * 0.72];
  const name = trade === "3:1" ? "" : trade;
  return (
    <g>
      <title>{say("harbor", { trade: name ? `2:1 ${say(`terrain.${name}`)}` : trade })}</title>
      {[a, b].map(([vx, vy]) => (
        <line
          key={`${vx} ${vy}`}
          x1={x + (vx - x) * 0.3}
          y1={y + (vy - y) * 0.3}
          x2={x + (vx - x) * 0.94}
          y2={y + (vy - y) * 0.94}
          stroke={PIER}
          stroke-width="6"
          stroke-linecap="round"
        />
      ))}
      <circle cx={x} cy={y} r="19" fill={name ? fill(name) : DISC} stroke={DISC} stroke-width="3" />
      <circle cx={x} cy={y} r="19" fill="none" stroke={PIER} stroke-width="1" />
      {name ? (
        <>
          <circle cx={x} cy={y} r="12.5" fill={DISC} />
          <text x={x} y={y - 0.5} text-anchor="middle" font-size="10" font-weight="bold" fill={INK}>
            2:1
          </text>
          <text x={x} y={y + 8.5} text-anchor="middle" font-size="9" font-weight="bold" fill={INK}>
            {letterOf(name, layout)}
          </text>
        </>
      ) : (
        <text x={x} y={y + 5} text-anchor="middle" font-size="14" font-weight="bold" fill={INK}>
          3:1
        </text>
      )}
    </g>
  );
}
