/** The board as a drawing. With `onTile` or `onVertex`, its tiles or vertices are buttons, for keyboards too. */

import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import type { Layout, Pair } from "../core/data";
import { say } from "../core/language";
import type { Place } from "../core/tables";
import { boxOf, hexagon, place, R } from "./geometry";
import { CHANGED, heat, inkOn, lines, PLAYER_INK, PLAYERS, RING, SIZES, themeOf } from "./look";
import { Arrows, TileNumbers } from "./marks";
import type { Drawn, Props } from "./props";
import { useSlides } from "./slides";
import { Digits, Land, Tile } from "./tiles";
import { HarborPlaces, Vertices } from "./touch";
import { Coast, Ground, Harbor, Rivers, Water } from "./water";
import { useZoom, ZoomButtons } from "./zoom";

/** The least size of letters on a board that is touched, in pixels of CSS. */
const LEGIBLE = 9;
const LABELLED = 10;

export function Board(props: Props) {
  const { board } = props;
  const { layout } = board;
  const theme = themeOf(props.theme);
  const [, repaint] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", repaint);
    return () => system.removeEventListener("change", repaint);
  }, []);
  const whole = props.box ?? boxOf(layout, board.harbors.length > 0);
  const svg = useRef<SVGSVGElement>(null);
  const zoom = useZoom(svg, whole, props.live === true);
  useSlides(svg, board, props.live === true);
  const { box } = zoom;
  const drawn: Drawn = { board, theme, least: zoom.unit ? LEGIBLE / zoom.unit : 0 };
  const land = (t: number): boolean => board.terrain[t] !== "sea";
  const tiles = layout.tiles.map((_, t) => t);
  // The page is rendered several times per board, and most of the drawing is ground.
  const ground = useMemo(
    () => (
      <>
        <Water {...drawn} />
        <g class="tiles">
          {tiles
            .filter((t) => !land(t))
            .map((t) => (
              <Land key={layout.tiles[t].join()} {...props} {...drawn} t={t} />
            ))}
          <Coast {...drawn} />
          {tiles.filter(land).map((t) => (
            <Land key={layout.tiles[t].join()} {...props} {...drawn} t={t} />
          ))}
        </g>
        <Rivers {...drawn} />
      </>
    ),
    [board, theme, props.letters, props.patterns, drawn.least],
  );
  const picture = (
    <svg
      ref={svg}
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`${box.x.toFixed(1)} ${box.y.toFixed(1)} ${box.width.toFixed(1)} ${box.height.toFixed(1)}`}
      width={props.size?.width}
      height={props.size?.height}
      class={props.dim ? "board dim" : "board"}
      role={props.onTile || props.onVertex ? "group" : "img"}
      aria-label={say("board", { layout: layout.title })}
      font-family="system-ui, sans-serif"
    >
      {ground}
      <g class="tops">
        {tiles.map((t) => (
          <Tile key={layout.tiles[t].join()} {...props} {...drawn} t={t} />
        ))}
      </g>
      {board.grounds.map((ground) => (
        <Ground key={ground.vertices.join()} {...drawn} ground={ground} />
      ))}
      {board.harbors.map(({ vertices, trade }) => (
        <Harbor key={vertices.join()} {...drawn} {...{ vertices, trade }} letters={props.letters} />
      ))}
      {props.values && <Heat {...drawn} values={props.values} />}
      {props.changed && (
        <Rings layout={layout} places={[{ tiles: props.changed, vertices: [] }]} stroke={CHANGED} />
      )}
      <TileNumbers
        layout={layout}
        tiles={props.numbers ? layout.tiles.map((_, t) => t) : (props.numbered ?? [])}
      />
      {props.pairs && <Arrows layout={layout} pairs={props.pairs} />}
      {props.rings && <Rings layout={layout} places={props.rings} stroke={RING} />}
      {props.onHarbor && <HarborPlaces {...props} {...drawn} unit={zoom.unit} />}
      {props.onVertex && <Vertices {...props} least={drawn.least} unit={zoom.unit} />}
      {props.settled?.map((each) => (
        <House
          key={each.vertex}
          {...each}
          at={place(layout.vertices[each.vertex], layout)}
          least={drawn.least}
        />
      ))}
    </svg>
  );
  if (!props.live) return picture;
  return (
    <div class="view">
      {picture}
      <ZoomButtons zoom={zoom} />
    </div>
  );
}

/** The values of vertices: the ten best with their numbers, the others as coloured dots. */
function Heat({ board: { layout }, theme, values, least }: Drawn & { values: number[] }) {
  const known = values.flatMap((value, v) => (value > 0 ? [v] : []));
  const ranked = known.toSorted((a, b) => values[b] - values[a]);
  const [highest, lowest] = [values[ranked[0]], values[ranked.at(-1)!]];
  return (
    <g class="heat" aria-hidden="true">
      {ranked.toReversed().map((v) => {
        const share = highest > lowest ? (values[v] - lowest) / (highest - lowest) : 0.5;
        const at = place(layout.vertices[v], layout);
        const color = heat(share, theme);
        const labelled = ranked.indexOf(v) < LABELLED;
        const high = Math.max(0.19 * R, Math.min(0.729 * least, 0.27 * R));
        return (
          <g key={layout.vertices[v].join()} data-vertex={v}>
            <circle
              cx={at[0]}
              cy={at[1]}
              r={labelled ? 0.24 * R * (high / (0.19 * R)) : 0.13 * R}
              fill={color}
              stroke={theme.background}
              stroke-width={0.05 * R}
            />
            {labelled && (
              <Digits
                text={`${Math.round(values[v])}`}
                ink={inkOn(color)}
                room={0.42 * R}
                {...{ at, high, least: 0 }}
              />
            )}
          </g>
        );
      })}
    </g>
  );
}

interface RingsProps {
  layout: Layout;
  places: Place[];
  stroke: string;
}

function Rings({ layout, places, stroke: color }: RingsProps) {
  const tiles = new Set(places.flatMap((each) => each.tiles));
  const vertices = new Set(places.flatMap((each) => each.vertices));
  return (
    <g class={color === RING ? "rings" : "changed"} pointer-events="none" aria-hidden="true">
      {lines(["#fff", 9], [color, 5]).map((line) => (
        <g {...line}>
          {[...tiles].map((t) => (
            <polygon key={`t${t}`} data-tile={t} points={hexagon(layout.tiles[t], layout, 0.86)} />
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

interface HouseProps {
  player: number;
  at: Pair;
  ghost?: boolean;
  least: number;
}

function House({ player, at: [x, y], ghost, least }: HouseProps) {
  const size = Math.max(SIZES.house * R, 0.78 * least);
  return (
    <g
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      opacity={ghost ? 0.72 : 1}
      pointer-events="none"
    >
      {[
        { scale: 1.25 * size, fill: "#ffffff", stroke: undefined },
        { scale: size, fill: PLAYERS[player], stroke: "#141414" },
      ].map(({ scale, fill, stroke }) => (
        <path
          key={scale}
          d={`M${-scale} ${0.85 * scale}V${-0.35 * scale}L0 ${-1.25 * scale} ${scale} ${-0.35 * scale}V${0.85 * scale}z`}
          fill={fill}
          stroke={stroke}
          stroke-width={0.035 * R}
          stroke-linejoin="round"
          stroke-dasharray={ghost && stroke ? "4 3" : undefined}
        />
      ))}
      <Digits
        text={`${player + 1}`}
        at={[0, 0.02 * R]}
        high={0.2 * R}
        room={1.5 * size}
        ink={PLAYER_INK[player]}
        least={least}
      />
    </g>
  );
}
