/** Buttons in the drawing of a board, and its vertices as such buttons. */

import type { ComponentChildren } from "preact";
import type { Pair } from "../core/data";
import { say } from "../core/language";
import { harborPlace, place, R } from "./geometry";
import { numberPath, SIZES, TOUCHED } from "./look";
import { type Drawn, type Props, placeInWords, vertexInWords } from "./props";

/** The least size of a target, in pixels of CSS. */
const TARGET = 25;

export function Vertices(props: Props & { least: number; unit: number }) {
  const { board, open = [], best = [], onVertex, least, unit } = props;
  const { layout } = board;
  const reach = Math.min(0.5 * R, Math.max(0.36 * R, unit && TARGET / 2 / unit)); // neighbors are R apart
  return (
    <g class="vertices">
      {open.map((v, i) => {
        const at = place(layout.vertices[v], layout);
        const rank = best.indexOf(v);
        const tiles = vertexInWords(board, v);
        const size = Math.max(0.2 * R, 0.729 * least);
        return (
          <Touch
            key={v}
            group="vertex"
            at={at}
            first={i === 0}
            label={`${rank >= 0 ? `${say("settle.rank", { n: rank + 1 })}: ` : ""}${tiles}`}
            onTouch={() => onVertex?.(v)}
          >
            <circle class="reach" cx={at[0]} cy={at[1]} r={reach} fill="transparent" />
            <circle
              class="focus"
              cx={at[0]}
              cy={at[1]}
              r={rank >= 0 ? 1.3 * size : 0.13 * R}
              fill={rank >= 0 ? "#fff7d6" : "#fffdf6"}
              stroke="#212529"
              stroke-width={rank >= 0 ? 3 : 1.5}
              opacity={rank >= 0 ? 1 : 0.75}
            />
            {rank >= 0 && <path class="digits" d={numberPath(`${rank + 1}`, at, size)} fill="#212529" />}
          </Touch>
        );
      })}
    </g>
  );
}

/** The places of harbors as buttons. A free one is a dashed circle. */
export function HarborPlaces(props: Omit<Props, "theme"> & Drawn & { unit: number }) {
  const { board, places = [], touched, onHarbor, theme, unit } = props;
  const r = SIZES.harbor * R;
  return (
    <g class="places">
      {places.map((vertices, i) => {
        const at = harborPlace(board, vertices);
        const isTouched = String(touched) === vertices.join();
        const isFree = !board.harbors.some((each) => each.vertices.join() === vertices.join());
        const circle = { cx: at[0], cy: at[1], fill: "none" };
        return (
          <Touch
            key={vertices.join()}
            group="harbor"
            at={at}
            first={i === 0}
            label={placeInWords(board, vertices)}
            pressed={isTouched}
            onTouch={() => onHarbor?.(vertices)}
          >
            {isFree && (
              <circle {...circle} r={r} stroke={theme.pier} stroke-width="3" stroke-dasharray="7 5" />
            )}
            {isTouched && TOUCHED.map((line) => <circle {...circle} {...line} r={r + 2} />)}
            <circle
              {...circle}
              class="focus reach"
              r={Math.max(r, unit && TARGET / 2 / unit)}
              fill="transparent"
            />
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

/** A button in the drawing. Tab reaches one button per group. Arrow keys go to the nearest one in their direction. */
export function Touch({ group, at, first, label, pressed, onTouch, children }: TouchProps) {
  const onKeyDown = (event: KeyboardEvent & { currentTarget: SVGGElement }) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onTouch();
      return;
    }
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    const button = event.currentTarget;
    const buttons = [
      ...(button.ownerSVGElement?.querySelectorAll<SVGGElement>(`[data-group=${group}]`) ?? []),
    ];
    const ranked = buttons
      .filter((each) => each !== button)
      .map((each) => {
        const [dx, dy] = [Number(each.dataset.x) - at[0], Number(each.dataset.y) - at[1]];
        const along = dx * way[0] + dy * way[1];
        const across = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
        return { each, along, cost: along + across };
      })
      .filter(({ along }) => along > 1)
      .sort((p, q) => p.cost - q.cost);
    if (!ranked.length) return;
    button.setAttribute("tabindex", "-1");
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
