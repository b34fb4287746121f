/** The layouts to choose from, as small pictures, per box of the game. */

import { useState } from "preact/hooks";
import { hexagon, place, R } from "../../board/geometry";
import { themedFill } from "../../board/look";
import type { LayoutEntry } from "../../core/data";
import { has, say } from "../../core/language";
import { Icon } from "../../widgets/icons";
import { Sheet } from "../../widgets/sheet";

interface Props {
  layouts: LayoutEntry[];
  name: string;
  open: boolean;
  onOpen: (open: boolean) => void;
  onLayout: (name: string) => void;
}

const titleOf = ({ name, title }: LayoutEntry): string =>
  has(`layout.${name}`) ? say(`layout.${name}`) : title;

/** Letters without accents, in lower case. */
const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Layouts are variants if only the last number of their names differs. */
const familyOf = ({ name }: LayoutEntry): string => name.replace(/-\d+$/, "");

/** The words with which all titles begin. */
function shared(titles: string[]): string {
  let n = 0;
  while (n < titles[0].length && titles.every((title) => title[n] === titles[0][n])) n++;
  return titles[0]
    .slice(0, n)
    .replace(/,[^,]*$/, "")
    .replace(/\s*\(/, ": ")
    .trim();
}

export function LayoutsPanel({ layouts, name, open, onOpen, onLayout }: Props) {
  const now = layouts.find((each) => each.name === name)!;
  return (
    <div class="layouts" data-shown={name}>
      <button type="button" class="chosen" aria-haspopup="dialog" onClick={() => onOpen(true)}>
        <Picture {...now} />
        <span>
          <span class="small">{say("layout")}</span>
          <br />
          {titleOf(now)}
        </span>
        <Icon name="down" />
      </button>
      {open && (
        <Sheet title={say("layout")} onClose={() => onOpen(false)}>
          <Choices {...{ layouts, name, onLayout }} />
        </Sheet>
      )}
    </div>
  );
}

type ChoicesProps = Pick<Props, "layouts" | "name" | "onLayout">;

function Choices({ layouts, name, onLayout }: ChoicesProps) {
  const [wanted, setWanted] = useState("");
  const words = plain(wanted).split(/\s+/);
  const matches = layouts.filter((each) => {
    const text = plain(`${titleOf(each)} ${each.title} ${each.name} ${say(`box.${each.box}`)}`);
    return words.every((word) => text.includes(word));
  });
  const card = (each: LayoutEntry) => (
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
  );
  return (
    <>
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          value={wanted}
          aria-label={say("layouts.search")}
          placeholder={say("layouts.search")}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      </label>
      <p class="hidden" role="status">
        {wanted && say("layouts.found", { n: matches.length })}
      </p>
      {matches.length === 0 && <p>{say("layouts.none")}</p>}
      {[...new Set(matches.map(({ box }) => box))].map((box) => {
        const inBox = matches.filter((each) => each.box === box);
        const families = [...new Set(inBox.map(familyOf))].map((family) =>
          inBox.filter((each) => familyOf(each) === family),
        );
        const folds = (members: LayoutEntry[]): boolean => members.length > 2 && !wanted;
        return (
          <section key={box}>
            <h3>{say(`box.${box}`)}</h3>
            <div class="choices">{families.filter((all) => !folds(all)).flatMap((all) => all.map(card))}</div>
            {families.filter(folds).map((members) => (
              <details key={members[0].name} open={members.some((each) => each.name === name)}>
                <summary>
                  <Picture {...members[0]} />
                  <span>{shared(members.map(titleOf))}</span>
                  <span class="count">{say("layouts.variants", { n: members.length })}</span>
                  <Icon name="down" />
                </summary>
                <div class="choices">{members.map(card)}</div>
              </details>
            ))}
          </section>
        );
      })}
    </>
  );
}

/** A layout in a few hexagons, with the printed terrain if there is any. */
export function Picture({ picture, sideways }: Pick<LayoutEntry, "picture" | "sideways">) {
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
        <polygon key={`${x},${y}`} points={hexagon([x, y], { sideways })} fill={themedFill(terrain)} />
      ))}
    </svg>
  );
}
