/** Which board: all layouts as small pictures, by the box that they come from. */

import type { JSX } from "preact";
import type { LayoutEntry } from "./data";
import { hexagon, place, R } from "./geometry";
import { has, say } from "./language";
import { fill } from "./look";

interface Props {
  layouts: LayoutEntry[];
  /** The layout that is shown. */
  name: string;
  open: boolean;
  onOpen: (open: boolean) => void;
  onLayout: (name: string) => void;
}

const titleOf = ({ name, title }: LayoutEntry): string =>
  has(`layout.${name}`) ? say(`layout.${name}`) : title;

export function LayoutsPanel({ layouts, name, open, onOpen, onLayout }: Props): JSX.Element {
  const now = layouts.find((each) => each.name === name)!;
  const boxes = [...new Set(layouts.map(({ box }) => box))];
  return (
    <details
      class="layouts"
      data-shown={name}
      open={open}
      onToggle={(event) => onOpen(event.currentTarget.open)}
    >
      <summary>
        <Picture {...now} />
        <span>
          <span class="small">{say("layout")}</span>
          <br />
          {titleOf(now)}
        </span>
      </summary>
      {open &&
        boxes.map((box) => (
          <section key={box}>
            <h2>{say(`box.${box}`)}</h2>
            <div class="choices">
              {layouts
                .filter((each) => each.box === box)
                .map((each) => (
                  <button
                    key={each.name}
                    type="button"
                    class="choice-card"
                    data-layout={each.name}
                    aria-pressed={each.name === name}
                    onClick={() => onLayout(each.name)}
                  >
                    <Picture {...each} />
                    <span>{titleOf(each)}</span>
                  </button>
                ))}
            </div>
          </section>
        ))}
    </details>
  );
}

/** A layout in a few hexagons: as the box prints it, where it does. */
function Picture({ picture, sideways }: LayoutEntry): JSX.Element {
  const centres = picture.map(([x, y]) => place([x, y], { sideways }));
  const [xs, ys] = [centres.map(([x]) => x), centres.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - R, Math.min(...ys) - R];
  return (
    <svg
      class="small-board"
      viewBox={[left, top, Math.max(...xs) + R - left, Math.max(...ys) + R - top].map(Math.round).join(" ")}
      aria-hidden="true"
    >
      {picture.map(([x, y, terrain]) => (
        <polygon key={`${x},${y}`} points={hexagon([x, y], { sideways })} fill={fill(terrain)} />
      ))}
    </svg>
  );
}
