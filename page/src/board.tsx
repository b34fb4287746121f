/** The board as a drawing. With `onTile` or `onVertex`, its tiles or vertices are buttons, for keyboards too. */

import type { JSX } from "preact";
import type { Props } from "./board_props";
import { Land, Tile } from "./board_tiles";
import { Vertices } from "./board_touch";
import { Ground, Harbor, Patterns, Rivers, Water } from "./board_water";
import type { Layout, Pair } from "./data";
import { UNLAID } from "./entry";
import { boxOf, hexagon, place } from "./geometry";
import { say } from "./language";
import { CHANGED, COAST, heat, heatInk, INK, PLAYER_INK, PLAYERS, RING } from "./look";
import type { Place } from "./places";

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
