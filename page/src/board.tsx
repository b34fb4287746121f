/** The board as a drawing. With `onTile` or `onVertex`, its tiles or vertices are buttons, for keyboards too. */

import type { ComponentChildren, JSX } from "preact";
import type { Layout, Pair } from "./data";
import { UNLAID } from "./entry";
import { has, say } from "./language";
import {
  CHANGED,
  COAST,
  DISC,
  FISHING,
  FISHING_EDGE,
  fill,
  heat,
  heatInk,
  INK,
  NAMED,
  PIER,
  PLAYER_INK,
  PLAYERS,
  pattern,
  RED,
  RING,
  RIVER_EDGE,
  WATER,
} from "./look";
import type { Ground as GroundValue, Pattern, Board as Value } from "./notation";
import type { Place } from "./places";
import { pipsOf } from "./scores";

/** The radius of a tile. */
export const R = 60;
const HALF = (R * Math.sqrt(3)) / 2;

type Turned = Pick<Layout, "sideways">;

/** Where a point of the layout lies in the drawing, which shows some boards turned by a quarter. */
export const place = ([x, y]: Pair, { sideways }: Turned): Pair =>
  sideways ? [(y * R) / 2, -x * HALF] : [x * HALF, (y * R) / 2];

const CORNERS: Pair[] = [
  [0, -2],
  [1, -1],
  [1, 1],
  [0, 2],
  [-1, 1],
  [-1, -1],
];

const joined = (points: Pair[]): string =>
  points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

const cornerOf = ([x, y]: Pair, [dx, dy]: Pair, layout: Turned, scale: number): Pair =>
  place([x + dx * scale, y + dy * scale], layout);

export const hexagon = (point: Pair, layout: Turned, scale = 1): string =>
  joined(CORNERS.map((corner) => cornerOf(point, corner, layout, scale)));

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** How far water reaches beyond the land where it follows the coast: as far as harbors need, or for the looks. */
const rim = (layout: Layout, harbors: boolean): number => (harbors && layout.harbors.length ? 1.02 : 0.3) * R;

/** What the drawing covers, harbors and frame included. */
export function boxOf(layout: Layout, harbors = true): Box {
  const centres = layout.framed ? [...layout.tiles, ...layout.frame] : layout.tiles;
  const corners = centres.flatMap((point) => CORNERS.map((corner) => cornerOf(point, corner, layout, 1.06)));
  const beyond = layout.framed ? 0 : rim(layout, harbors);
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs) - beyond, Math.min(...ys) - beyond];
  return { x, y, width: Math.max(...xs) + beyond - x, height: Math.max(...ys) + beyond - y };
}

export interface Settlement {
  /** From 0. */
  player: number;
  vertex: number;
  /** Whether it is only foreseen. */
  ghost?: boolean;
}

export interface Props {
  board: Value;
  letters?: boolean;
  patterns?: boolean;
  /** Tiles and markers that have a lock. */
  kept?: Pattern;
  /** The tile that was touched last. */
  touched?: number;
  /** What is ringed, because it breaks a rule. */
  rings?: Place[];
  /** Tiles that are ringed because they were changed. */
  changed?: number[];
  onTile?: (tile: number) => void;
  /** Vertices to touch, and what a screen reader says of each. */
  open?: number[];
  onVertex?: (vertex: number) => void;
  settled?: Settlement[];
  best?: number[];
  /** Per vertex, what the heat map shows, and its colours from low to high. */
  values?: number[];
  scale?: string[];
  box?: Box;
  size?: { width: string; height: string };
  id?: string;
  dim?: boolean;
}

export function Board(props: Props): JSX.Element {
  const { board, values, scale = [] } = props;
  const { layout } = board;
  const box = props.box ?? boxOf(layout, board.harbors.length > 0);
  const highest = values ? Math.max(...values) : 0;
  const lowest = values ? Math.min(...values.filter((value) => value > 0)) : 0;
  const prefix = props.id ?? "b";
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`${box.x.toFixed(1)} ${box.y.toFixed(1)} ${box.width.toFixed(1)} ${box.height.toFixed(1)}`}
      width={props.size?.width}
      height={props.size?.height}
      class={props.dim ? "board dim" : "board"}
      role={props.onTile || props.onVertex ? "group" : "img"}
      aria-label={say("board", { layout: layout.title })}
      font-family="Georgia, 'Times New Roman', serif"
    >
      <Patterns prefix={prefix} terrains={layout.terrains} />
      <Water layout={layout} harbors={board.harbors.length > 0} prefix={prefix} />
      {layout.tiles.map((point, t) =>
        board.terrain[t] === "sea" ? null : (
          <polygon
            key={point.join()}
            points={hexagon(point, layout, 1.05)}
            fill={COAST}
            stroke={COAST}
            stroke-width="4"
            stroke-linejoin="round"
          />
        ),
      )}
      <g class="tiles">
        {layout.tiles.map((point, t) => (
          <Land
            key={point.join()}
            name={board.terrain[t]}
            points={hexagon(point, layout, 0.955)}
            pattern={
              props.patterns === false || board.terrain[t] === UNLAID
                ? undefined
                : `url(#${prefix}-${board.terrain[t]})`
            }
          />
        ))}
      </g>
      <Rivers board={board} />
      <g class="tops">
        {layout.tiles.map((point, t) => (
          <Tile key={point.join()} t={t} {...props} />
        ))}
      </g>
      {board.grounds.map((ground) => (
        <Ground key={ground.vertices.join()} ground={ground} board={board} />
      ))}
      {board.harbors.map(({ vertices, trade }) => (
        <Harbor key={vertices.join()} {...{ board, vertices, trade }} />
      ))}
      {values?.map((value, v) => {
        if (value <= 0) return null;
        const share = highest > lowest ? (value - lowest) / (highest - lowest) : 1;
        const [x, y] = place(layout.vertices[v], layout);
        return (
          <g key={`h${layout.vertices[v].join()}`} aria-hidden="true">
            <circle cx={x} cy={y} r="14" fill={heat(share, scale)} stroke="#fff" stroke-width="1.5" />
            <text
              x={x}
              y={y + 4.5}
              text-anchor="middle"
              font-size="13"
              font-family="system-ui, sans-serif"
              fill={heatInk(share, scale)}
            >
              {Math.round(value)}
            </text>
          </g>
        );
      })}
      {props.changed && (
        <Rings layout={layout} places={[{ tiles: props.changed, vertices: [] }]} stroke={CHANGED} />
      )}
      {props.rings && <Rings layout={layout} places={props.rings} stroke={RING} />}
      {props.onVertex && <Vertices {...props} />}
      {props.settled?.map((each) => (
        <House key={each.vertex} {...each} at={place(layout.vertices[each.vertex], layout)} />
      ))}
    </svg>
  );
}

interface RingsProps {
  layout: Layout;
  places: Place[];
  stroke: string;
}

/** Tiles and vertices, each ringed once: on white, so that it is seen on all terrain. */
function Rings({ layout, places, stroke: color }: RingsProps): JSX.Element {
  const tiles = new Set(places.flatMap((each) => each.tiles));
  const vertices = new Set(places.flatMap((each) => each.vertices));
  return (
    <g class={color === RING ? "rings" : "changed"} fill="none" pointer-events="none" aria-hidden="true">
      {[
        { stroke: "#ffffff", width: 9 },
        { stroke: color, width: 5 },
      ].map(({ stroke, width }) => (
        <g key={width} stroke={stroke} stroke-width={width}>
          {[...tiles].map((t) => (
            <polygon key={`t${t}`} data-tile={t} points={hexagon(layout.tiles[t], layout, 0.74)} />
          ))}
          {[...vertices].map((v) => {
            const [x, y] = place(layout.vertices[v], layout);
            return <circle key={`v${v}`} data-vertex={v} cx={x} cy={y} r="18" />;
          })}
        </g>
      ))}
    </g>
  );
}

interface WaterProps {
  layout: Layout;
  harbors: boolean;
  prefix: string;
}

/** The water round the tiles: the frame's hexagons, or a broad rounded outline of the tiles. */
function Water({ layout, harbors, prefix }: WaterProps): JSX.Element {
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

function Patterns({ prefix, terrains }: { prefix: string; terrains: string[] }): JSX.Element {
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

/** The letter of a terrain in the language that is spoken; where that says none, the notation's. */
function letterOf(name: string, { letters }: Layout): string {
  if (has(`letter.${name}`)) return say(`letter.${name}`);
  return (Object.keys(letters).find((each) => letters[each] === name) ?? "?").toUpperCase();
}

/** A tile in words: its terrain, and its number where it has one. */
export function inWords({ terrain, markers }: Value, t: number): string {
  const name = say(`terrain.${terrain[t]}`);
  return markers[t] ? `${name} ${markers[t]}` : name;
}

interface LandProps {
  name: string;
  points: string;
  pattern: string | undefined;
}

const Land = ({ name, points, pattern }: LandProps): JSX.Element => (
  <>
    <polygon points={points} fill={fill(name)} stroke={fill(name)} stroke-width="3" stroke-linejoin="round" />
    {pattern && <polygon points={points} fill={pattern} opacity={name === "sea" ? 0.22 : 0.28} />}
  </>
);

/** Each river as a band that winds from tile to tile, from its source to the swamp at its mouth. */
function Rivers({ board: { layout, terrain } }: { board: Value }): JSX.Element {
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
function Ground({ ground, board }: { ground: GroundValue; board: Value }): JSX.Element {
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

function Tile({ t, ...props }: Props & { t: number }): JSX.Element {
  const { board, onTile } = props;
  const { layout } = board;
  const name = board.terrain[t];
  const [x, y] = place(layout.tiles[t], layout);
  const keepTerrain = props.kept?.terrain[t] !== undefined;
  const keepMarker = board.markers[t] > 0 && props.kept?.markers[t] !== undefined;
  const kept = keepTerrain || keepMarker;
  const drawn = (
    <>
      {!NAMED.has(name) && <Name text={say(`terrain.${name}`)} x={x} y={y} back={fill(name)} />}
      {props.letters && name !== "sea" && name !== UNLAID && (
        <g aria-hidden="true">
          <circle cx={x} cy={y - R * 0.62} r="10" fill="#fffdf6" opacity="0.9" />
          <text x={x} y={y - R * 0.62 + 5} text-anchor="middle" font-size="14" font-weight="bold" fill={INK}>
            {letterOf(name, layout)}
          </text>
        </g>
      )}
      {board.markers[t] > 0 && <Disc board={board} t={t} x={x} y={y} />}
      {keepTerrain && (
        <polygon points={hexagon(layout.tiles[t], layout, 0.9)} fill="none" stroke="#111" stroke-width="4" />
      )}
      {keepTerrain && (
        <polygon points={hexagon(layout.tiles[t], layout, 0.9)} fill="none" stroke="#fff" stroke-width="2" />
      )}
      {keepMarker && <circle cx={x} cy={y} r="26" fill="none" stroke="#111" stroke-width="4" />}
      {keepMarker && <circle cx={x} cy={y} r="26" fill="none" stroke="#fff" stroke-width="2" />}
      {kept && <Lock x={x + R * 0.42} y={y - R * 0.52} />}
    </>
  );
  if (!onTile) return <g>{drawn}</g>;
  return (
    <Touch
      group="tile"
      at={[x, y]}
      first={t === 0}
      label={`${say("tile", { n: t + 1 })}: ${inWords(board, t)}${kept ? `, ${say("kept")}` : ""}`}
      pressed={kept || props.touched === t}
      onTouch={() => onTile(t)}
    >
      {drawn}
      {props.touched === t && (
        <g fill="none">
          <polygon points={hexagon(layout.tiles[t], layout, 0.9)} stroke="#fff" stroke-width="10" />
          <polygon points={hexagon(layout.tiles[t], layout, 0.9)} stroke={CHANGED} stroke-width="6" />
        </g>
      )}
      <polygon
        class="focus"
        points={hexagon(layout.tiles[t], layout, 0.93)}
        fill="transparent"
        stroke="none"
      />
    </Touch>
  );
}

/** The name of a terrain that the layout brings along, on a clear band. */
function Name({ text, x, y, back }: { text: string; x: number; y: number; back: string }): JSX.Element {
  const lines = text.split(" ");
  const wide = Math.max(...lines.map((line) => line.length)) * 7.2 + 8;
  return (
    <g>
      <rect
        x={(x - wide / 2).toFixed(1)}
        y={(y - 9 * lines.length).toFixed(1)}
        width={wide.toFixed(1)}
        height={18 * lines.length}
        rx="5"
        fill={back}
      />
      {lines.map((line, i) => (
        <text
          key={line}
          x={x}
          y={(y + 4.5 + 18 * (i - (lines.length - 1) / 2)).toFixed(1)}
          text-anchor="middle"
          font-size="13.5"
          fill={INK}
        >
          {line}
        </text>
      ))}
    </g>
  );
}

function Disc({ board, t, x, y }: { board: Value; t: number; x: number; y: number }): JSX.Element {
  const marker = board.markers[t];
  const second = board.layout.second[marker];
  const red = [marker, second].some((each) => each === 6 || each === 8);
  const pips = pipsOf(board, t);
  const ink = red ? RED : INK;
  return (
    <g>
      <circle cx={x} cy={y + 2} r="22" fill="#000" opacity="0.22" />
      <circle cx={x} cy={y} r="22" fill={DISC} stroke="#d8c9a0" stroke-width="1.5" />
      <text
        x={x}
        y={y + (second ? 4 : 5)}
        text-anchor="middle"
        font-size={second ? 15 : 23}
        font-weight="bold"
        fill={ink}
      >
        {second ? `${marker}/${second}` : marker}
      </text>
      {Array.from({ length: pips }, (_, i) => (
        <circle key={i} cx={x + (i - (pips - 1) / 2) * 5.6} cy={y + 13} r="2" fill={ink} />
      ))}
    </g>
  );
}

const Lock = ({ x, y }: { x: number; y: number }): JSX.Element => (
  <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`} aria-hidden="true">
    <circle r="12" fill="#111" stroke="#fff" stroke-width="2" />
    <rect x="-5" y="-1" width="10" height="7" rx="1.500" fill="#fff" />
    <path d="M-3 -1v-2.500a3 3 0 0 1 6 0V-1" fill="none" stroke="#fff" stroke-width="1.800" />
  </g>
);

interface HarborProps {
  board: Value;
  vertices: [number, number];
  trade: string;
}

function Harbor({ board, vertices, trade }: HarborProps): JSX.Element {
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

function House({ player, at: [x, y], ghost }: { player: number; at: Pair; ghost?: boolean }): JSX.Element {
  return (
    <g
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      opacity={ghost ? 0.72 : 1}
      pointer-events="none"
    >
      <path
        d="M-13 13V-4L0 -16 13 -4V13z"
        fill={PLAYERS[player]}
        stroke={INK}
        stroke-width="2.500"
        stroke-linejoin="round"
        stroke-dasharray={ghost ? "4 3" : undefined}
      />
      <text
        y="9"
        text-anchor="middle"
        font-size="15"
        font-weight="bold"
        font-family="system-ui, sans-serif"
        fill={PLAYER_INK[player]}
      >
        {player + 1}
      </text>
    </g>
  );
}

function Vertices({ board, open = [], best = [], onVertex }: Props): JSX.Element {
  const { layout } = board;
  return (
    <g class="vertices">
      {open.map((v, i) => {
        const at = place(layout.vertices[v], layout);
        const rank = best.indexOf(v);
        const tiles = layout.vertexTiles[v].map((t) => inWords(board, t)).join(", ");
        return (
          <Touch
            key={v}
            group="vertex"
            at={at}
            first={i === 0}
            label={`${rank >= 0 ? `${say("settle.rank", { n: rank + 1 })}: ` : ""}${tiles}`}
            onTouch={() => onVertex?.(v)}
          >
            <circle cx={at[0]} cy={at[1]} r="21" fill="transparent" />
            <circle
              class="focus"
              cx={at[0]}
              cy={at[1]}
              r={rank >= 0 ? 15 : 8}
              fill={rank >= 0 ? "#fff7d6" : "#fffdf6"}
              stroke={INK}
              stroke-width={rank >= 0 ? 3 : 1.5}
              opacity={rank >= 0 ? 1 : 0.75}
            />
            {rank >= 0 && (
              <text
                x={at[0]}
                y={at[1] + 5.5}
                text-anchor="middle"
                font-size="16"
                font-weight="bold"
                fill={INK}
                font-family="system-ui, sans-serif"
              >
                {rank + 1}
              </text>
            )}
          </Touch>
        );
      })}
    </g>
  );
}

interface TouchProps {
  group: string;
  at: Pair;
  first: boolean;
  label: string;
  pressed?: boolean;
  onTouch: () => void;
  children: ComponentChildren;
}

/** A button in the drawing. One of its group is in the order of tabs; arrow keys go to the nearest in their direction. */
function Touch({ group, at, first, label, pressed, onTouch, children }: TouchProps): JSX.Element {
  const onKeyDown = (event: KeyboardEvent & { currentTarget: SVGGElement }): void => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onTouch();
      return;
    }
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    const here = event.currentTarget;
    const others = [...(here.ownerSVGElement?.querySelectorAll<SVGGElement>(`[data-group=${group}]`) ?? [])];
    const ranked = others
      .filter((each) => each !== here)
      .map((each) => {
        const [dx, dy] = [Number(each.dataset.x) - at[0], Number(each.dataset.y) - at[1]];
        const along = dx * way[0] + dy * way[1];
        const across = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
        return { each, along, cost: along + 2 * across };
      })
      .filter(({ along }) => along > 1)
      .sort((p, q) => p.cost - q.cost);
    if (!ranked.length) return;
    here.setAttribute("tabindex", "-1");
    ranked[0].each.setAttribute("tabindex", "0");
    ranked[0].each.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no button elements
    <g
      role="button"
      class="touch"
      tabindex={first ? 0 : -1} // as SVG spells it
      data-group={group}
      data-x={at[0].toFixed(1)}
      data-y={at[1].toFixed(1)}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onTouch}
      onKeyDown={onKeyDown}
    >
      {children}
    </g>
  );
}

const ARROWS: Record<string, Pair> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
