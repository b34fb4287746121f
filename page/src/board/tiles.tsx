/** The tiles of a board: land, numbers, names and locks. */

import type { Pair } from "../core/data";
import { UNLAID } from "../core/entry";
import { say } from "../core/language";
import { pipsOf } from "../core/scores";
import { hexagon, outlinePath, place, R } from "./geometry";
import {
  blend,
  fill,
  icon,
  inkOn,
  type Layer,
  LOCKED,
  NAMED,
  numberPath,
  numberWidth,
  SIZES,
  scene,
  type Theme,
  TOUCHED,
  toneColor,
} from "./look";
import { type Drawn, inWords, letterOf, type Props } from "./props";
import { Touch } from "./touch";

type TileProps = Drawn & Omit<Props, "theme"> & { t: number };

export const Letters = ({
  text,
  at: [x, y],
  size,
  ink,
}: {
  text: string;
  at: Pair;
  size: number;
  ink: string;
}) => (
  <text x={x} y={y + 0.36 * size} text-anchor="middle" font-size={size} font-weight="bold" fill={ink}>
    {text}
  </text>
);

/** How high digits are, in the size of letters of the library's font. */
const CAP = 0.729;

/** A number as outlines, with digits of a height, or higher if they could not be read. */
export function Digits(props: {
  text: string;
  at: Pair;
  high: number;
  room: number;
  ink: string;
  least: number;
}) {
  const { text, at, high, room, ink, least } = props;
  const height = Math.max(high, Math.min(least * CAP, room / numberWidth(text)));
  return <path class="digits" data-text={text} d={numberPath(text, at, height)} fill={ink} />;
}

interface MotifsProps {
  layers: Layer[];
  at: Pair;
  color: string;
  theme: Theme;
}

export const Motifs = ({ layers, at, color, theme }: MotifsProps) => (
  <>
    {layers.map(({ tone, outlines }, i) => {
      const ink = toneColor(color, tone, theme);
      const d = outlinePath(outlines, at, tone !== "line");
      return tone === "line" ? (
        <path key={i} d={d} fill="none" stroke={ink} stroke-width={0.028 * R} stroke-linejoin="round" />
      ) : (
        <path key={i} d={d} fill={ink} />
      );
    })}
  </>
);

/** A tile's hexagon and motifs, or the dashed place of a missing tile. */
export function Land({ board, theme, t, patterns, letters }: TileProps) {
  const { layout } = board;
  const name = board.terrain[t];
  const at = place(layout.tiles[t], layout);
  if (name === UNLAID) {
    return (
      <polygon
        points={hexagon(layout.tiles[t], layout, 0.9)}
        fill={theme.coast}
        fill-opacity="0.35"
        stroke={theme.pier}
        stroke-width="2"
        stroke-dasharray="7 6"
      />
    );
  }
  const color = fill(name, theme);
  const sea = name === "sea";
  const bare = !board.markers[t] && NAMED.has(name) && !sea && !letters;
  return (
    <g data-land={t}>
      <polygon
        points={hexagon(layout.tiles[t], layout, sea ? 0.98 : 0.96)}
        fill={color}
        stroke={sea ? theme.sea_edge : undefined}
        stroke-width={sea ? 0.03 * R : undefined}
      />
      {patterns !== false && (
        <g class="motifs">
          <Motifs layers={scene(name, layout.sideways)} {...{ at, color, theme }} />
          {bare && <Motifs layers={icon(name, 1.9)} {...{ at, color, theme }} />}
        </g>
      )}
    </g>
  );
}

/** The pieces on a tile, which is a button if the board can be touched. */
export function Tile({ t, ...props }: TileProps) {
  const { board, onTile, theme, least } = props;
  const { layout } = board;
  const name = board.terrain[t];
  const [x, y] = place(layout.tiles[t], layout);
  const keepTerrain = props.kept?.terrain[t] !== undefined;
  const keepMarker = board.markers[t] > 0 && props.kept?.markers[t] !== undefined;
  const isLocked = keepTerrain || keepMarker;
  const inner = hexagon(layout.tiles[t], layout, 0.9);
  const lifted = board.markers[t] > 0 || !NAMED.has(name);
  const size = Math.max(0.274 * R * (lifted ? 1 : 1.7), least);
  const drawn = (
    <>
      {!NAMED.has(name) && (
        <Name text={say(`terrain.${name}`)} {...{ x, y, least }} back={fill(name, theme)} />
      )}
      {props.letters && name !== "sea" && name !== UNLAID && (
        <g aria-hidden="true">
          <circle cx={x} cy={y - (lifted ? 0.64 * R : 0)} r={size * 0.62} fill={fill(name, theme)} />
          <Letters
            text={letterOf(name, layout)}
            at={[x, y - (lifted ? 0.64 * R : 0)]}
            size={size}
            ink={inkOn(fill(name, theme))}
          />
        </g>
      )}
      {board.markers[t] > 0 && <Disc {...{ board, theme, least, t, x, y }} />}
      {keepTerrain && LOCKED.map((line) => <polygon {...line} points={inner} />)}
      {keepMarker && LOCKED.map((line) => <circle {...line} cx={x} cy={y} r="28" />)}
      {isLocked && <Lock x={x + R * 0.42} y={y - R * 0.52} />}
    </>
  );
  if (!onTile) return <g>{drawn}</g>;
  return (
    <Touch
      group="tile"
      at={[x, y]}
      first={t === 0}
      label={`${say("tile", { n: t + 1 })}: ${inWords(board, t)}${isLocked ? `, ${say("kept")}` : ""}`}
      pressed={isLocked || props.touched === t}
      onTouch={() => onTile(t)}
    >
      {drawn}
      {props.touched === t && TOUCHED.map((line) => <polygon {...line} points={inner} />)}
      <polygon
        class="focus"
        points={hexagon(layout.tiles[t], layout, 0.93)}
        fill="transparent"
        stroke="none"
      />
    </Touch>
  );
}

interface NameProps {
  text: string;
  x: number;
  y: number;
  back: string;
  least: number;
}

/** The name of a custom terrain, on a clear band, condensed if it is long. */
function Name({ text, x, y, back, least }: NameProps) {
  const lines = text.split(" ");
  const size = Math.max(0.233 * R, least);
  const wide = (line: string): number => Math.min(line.length * 0.56 * size, 1.52 * R);
  const high = 1.2 * size;
  const band = Math.max(...lines.map(wide)) + 8;
  return (
    <g>
      <rect
        x={x - band / 2}
        y={y - (high * lines.length) / 2}
        width={band}
        height={high * lines.length}
        rx="5"
        fill={back}
      />
      {lines.map((line, i) => (
        <text
          key={line}
          x={x}
          y={y + 0.35 * size + high * (i - (lines.length - 1) / 2)}
          text-anchor="middle"
          font-size={size}
          font-weight="600"
          fill={inkOn(back)}
          {...(line.length * 0.56 * size > 1.52 * R
            ? { textLength: 1.52 * R, lengthAdjust: "spacingAndGlyphs" }
            : {})}
        >
          {line}
        </text>
      ))}
    </g>
  );
}

function Disc({ board, theme, least, t, x, y }: Drawn & { t: number; x: number; y: number }) {
  const marker = board.markers[t];
  const second = board.layout.second[marker];
  const red = [marker, second].some((each) => each === 6 || each === 8);
  const pips = pipsOf(board, t);
  const ink = red ? theme.red : theme.number;
  const r = SIZES.disc * R;
  const step = Math.min(0.1, 0.56 / pips) * R;
  return (
    <g data-disc={t}>
      <circle
        cx={x}
        cy={y + 0.03 * R}
        r={r + 0.012 * R}
        fill={blend(fill(board.terrain[t], theme), "#000000", 0.3)}
      />
      <circle cx={x} cy={y} r={r} fill={theme.disc} stroke={theme.disc_edge} stroke-width={0.022 * R} />
      <Digits
        text={second ? `${marker}/${second}` : `${marker}`}
        at={[x, y - (second ? 0.08 : 0.07) * R]}
        high={(second ? 0.22 : 0.33) * R}
        room={0.7 * R}
        {...{ ink, least }}
      />
      {Array.from({ length: pips }, (_, i) => (
        <circle key={i} cx={x + step * (i - (pips - 1) / 2)} cy={y + 0.225 * R} r={0.036 * R} fill={ink} />
      ))}
    </g>
  );
}

const Lock = ({ x, y }: { x: number; y: number }) => (
  <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`} aria-hidden="true">
    <circle r="12" fill="#111" stroke="#fff" stroke-width="2" />
    <rect x="-5" y="-1" width="10" height="7" rx="1.500" fill="#fff" />
    <path d="M-3 -1v-2.500a3 3 0 0 1 6 0V-1" fill="none" stroke="#fff" stroke-width="1.800" />
  </g>
);
