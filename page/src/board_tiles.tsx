/** The tiles of a board: land, numbers, names and locks. */

import type { JSX } from "preact";
import { inWords, letterOf, type Props } from "./board_props";
import { Touch } from "./board_touch";
import { UNLAID } from "./entry";
import { hexagon, place, R } from "./geometry";
import { say } from "./language";
import { CHANGED, DISC, fill, INK, NAMED, RED } from "./look";
import type { Board as Value } from "./notation";
import { pipsOf } from "./scores";

interface LandProps {
  name: string;
  points: string;
  pattern: string | undefined;
}

export const Land = ({ name, points, pattern }: LandProps): JSX.Element => (
  <>
    <polygon points={points} fill={fill(name)} stroke={fill(name)} stroke-width="3" stroke-linejoin="round" />
    {pattern && <polygon points={points} fill={pattern} opacity={name === "sea" ? 0.22 : 0.28} />}
  </>
);

export function Tile({ t, ...props }: Props & { t: number }): JSX.Element {
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
