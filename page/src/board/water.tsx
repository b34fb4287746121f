/** Water, coasts, rivers, fishing grounds and harbors. */

import type { Layout, Pair } from "../core/data";
import { say } from "../core/language";
import type { Ground as GroundValue, Board as Value } from "../core/notation";
import { harborPlace, hexagon, isFramed, joined, place, R, rim } from "./geometry";
import { blend, fill, icon, inkOn, SIZES } from "./look";
import { type Drawn, harborInWords, letterOf } from "./props";
import { Digits, Letters, Motifs } from "./tiles";

/** The union of shapes with a broad rounded outline, as one path. */
const Union = ({ shapes, color, reach }: { shapes: string[]; color: string; reach: number }) => (
  <path
    d={shapes.map((points) => `M${points.replaceAll(" ", "L")}z`).join("")}
    fill={color}
    stroke={color}
    stroke-width={2 * reach}
    stroke-linejoin="round"
  />
);

/** The water round the tiles, in the shape of the frame or of the coast. */
export function Water({ board, theme }: Drawn) {
  const { layout } = board;
  const harbors = board.harbors.length > 0;
  const tiles = layout.tiles.map((point) => hexagon(point, layout));
  const frame = layout.water.map((shape) => joined(shape.map((point) => place(point, layout))));
  const parts: [string[], number][] = isFramed(layout, harbors)
    ? [
        [frame, SIZES.frame_rim * R],
        [tiles, SIZES.rim * R],
      ]
    : [[tiles, rim(harbors)]];
  return (
    <g class="water">
      {[
        { color: theme.frame_edge, margin: 0.02 * R },
        { color: theme.frame, margin: -0.02 * R },
      ].flatMap(({ color, margin }) =>
        parts.map(([shapes, reach]) => (
          <Union key={`${color}${reach}`} {...{ shapes, color }} reach={reach + margin} />
        )),
      )}
    </g>
  );
}

/** The shallow water and the beach round all land. */
export function Coast({ board, theme }: Drawn) {
  const { layout, terrain } = board;
  const shapes = layout.tiles.filter((_, t) => terrain[t] !== "sea").map((point) => hexagon(point, layout));
  return (
    <g class="coast">
      {[
        { color: blend(theme.frame, theme.shallow, 0.45), reach: SIZES.shallow + 0.13 },
        { color: theme.shallow, reach: SIZES.shallow },
        { color: theme.coast, reach: 0.075 },
      ].map(({ color, reach }) => (
        <Union key={reach} {...{ shapes, color }} reach={reach * R} />
      ))}
    </g>
  );
}

/** Each river as a band that winds from tile to tile, from its source to the swamp at its mouth. */
export function Rivers({ board: { layout, terrain }, theme }: Drawn) {
  const { tiles, mouths, steps } = layout.rivers;
  const wet = (t: number): boolean => tiles.includes(t) || mouths.includes(terrain[t]);
  const courses = steps.filter(([a, b]) => wet(a) && wet(b)).map((step) => course(step, layout));
  const water = fill("lake", theme);
  return (
    <g class="rivers" fill="none" stroke-linecap="round" stroke-linejoin="round">
      {[
        { stroke: blend(water, theme.number, 0.5), width: 0.26 * R },
        { stroke: water, width: 0.2 * R },
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

/** The corners of a fishing ground, in its hexagon of sea, or outside of that hexagon if it is land. */
function groundCorners({ vertices }: GroundValue, { layout, terrain }: Value): Pair[] {
  const [a, b, c] = vertices.map((v) => layout.vertices[v]);
  const middle: Pair = [a[0] + c[0] - b[0], a[1] + c[1] - b[1]];
  const tile = layout.tiles.findIndex(([x, y]) => x === middle[0] && y === middle[1]);
  if (tile < 0 || terrain[tile] === "sea") return [a, b, c, middle];
  return [a, [2 * b[0] - middle[0], 2 * b[1] - middle[1]], c, b];
}

/** A fishing ground before its three vertices, with its number on a fish. */
export function Ground({ ground, board, theme, least }: Drawn & { ground: GroundValue }) {
  const corners = groundCorners(ground, board).map((point) => place(point, board.layout));
  const mean = (axis: 0 | 1): number => corners.reduce((sum, point) => sum + point[axis], 0) / 4;
  const [x, y] = [mean(0), mean(1)];
  const smaller = corners.map(([px, py]): Pair => [x + 0.88 * (px - x), y + 0.88 * (py - y)]);
  return (
    <g class="ground">
      <title>{say("fishing", { n: ground.marker })}</title>
      <polygon
        points={joined(smaller)}
        fill={blend(fill("lake", theme), theme.frame, 0.25)}
        stroke={theme.frame_edge}
        stroke-width={0.03 * R}
      />
      <path
        transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
        d={FISH}
        fill={theme.disc}
        stroke={theme.disc_edge}
        stroke-width={0.025 * R}
      />
      <Digits
        text={`${ground.marker}`}
        at={[x - 0.07 * R, y]}
        high={0.2 * R}
        room={0.42 * R}
        ink={theme.number}
        least={least}
      />
    </g>
  );
}

const FISH = "M13 -4A18 12.500 0 1 0 13 4L20 9 17 0 20 -9Z";

interface HarborProps extends Drawn {
  vertices: [number, number];
  trade: string;
  letters?: boolean;
}

/** A harbor's sign with the motif or letter of its resource, and the piers to its two vertices. */
export function Harbor({ board, theme, least, vertices, trade, letters }: HarborProps) {
  const { layout } = board;
  const [x, y] = harborPlace(board, vertices);
  const name = trade === "3:1" ? "" : trade;
  const color = name ? fill(name, theme) : theme.disc;
  const size = Math.max(0.41 * R, least);
  return (
    <g class="harbor">
      <title>{harborInWords(trade)}</title>
      {vertices.map((v) => {
        const [vx, vy] = place(layout.vertices[v], layout);
        return <line key={v} x1={x} y1={y} x2={vx} y2={vy} stroke={theme.pier} stroke-width={0.09 * R} />;
      })}
      <circle
        cx={x}
        cy={y}
        r={SIZES.harbor * R}
        fill={theme.disc}
        stroke={theme.disc_edge}
        stroke-width={0.022 * R}
      />
      <circle cx={x} cy={y} r={(SIZES.harbor - 0.055) * R} fill={color} />
      {!name && (
        <Digits text="3:1" at={[x, y]} high={0.22 * R} room={0.6 * R} ink={inkOn(color)} least={least} />
      )}
      {name && !letters && <Motifs layers={icon(name, 1.45)} at={[x, y]} {...{ color, theme }} />}
      {name && letters && (
        <Letters text={letterOf(name, layout)} at={[x, y]} size={size} ink={inkOn(color)} />
      )}
    </g>
  );
}
