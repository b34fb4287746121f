/** How good the board is: rules asked of the models, evenness, pips, and a heat map of vertices. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { inWords } from "./board_props";
import type { Chosen, Layout, RulesData } from "./data";
import { judge, type Verdict, type World } from "./dealing";
import { EVEN, spreadOf } from "./exchanges";
import type { Improved } from "./improve";
import { decimal, say } from "./language";
import { fill } from "./look";
import { type Board, notation } from "./notation";
import { Chances } from "./panel_settle";
import type { Place } from "./places";
import type { Repaired } from "./repair";
import { inForce, possible, saidOf } from "./rules";
import { efficiencies, efficiencyError, terrainPips } from "./scores";
import type { Course } from "./use_course";

export type Shown = "chance" | "pips" | "none";

interface Props {
  world: World;
  board: Board;
  chosen: Chosen;
  /** Rules that are broken, with where. */
  places: Record<string, Place[]>;
  /** The one of them that alone is ringed. */
  ringed: string | undefined;
  onRinged: (field: string | undefined) => void;
  /** Takes all off the board, to lay another one. */
  onEmpty: () => void;
  /** Changes as little as makes the board legal; undefined where it is. */
  onRepair: (() => void) | undefined;
  /** What that, or `onImprove`, has changed, where this board came of it. */
  repaired: Repaired | Improved | undefined;
  /** The draft of so many players from the beginning; undefined while it is searched. */
  course: Course | undefined;
  players: number;
  /** Looks for a board with even seats. */
  onImprove: () => void;
  shown: Shown;
  onShown: (shown: Shown) => void;
}

/** The rules in force, and those of the presets that the board might keep as well. */
export const judgedRules = (chosen: Chosen, layout: Layout, rules: RulesData): Chosen =>
  possible({ ...rules.presets.optimal, ...chosen }, layout, rules);

export function JudgePanel(props: Props): JSX.Element {
  const { board, chosen, course, shown, onShown } = props;
  const pips = terrainPips(board);
  const error = efficiencyError(board);
  const most = Math.max(1, ...Object.values(pips));
  return (
    <>
      <p class="small">{say("lay.how")}</p>
      <div class="row">
        <button type="button" class="plain" onClick={props.onEmpty}>
          {say("lay.empty")}
        </button>
        {props.onRepair && (
          <button type="button" class="plain" onClick={props.onRepair}>
            {say("repair")}
          </button>
        )}
      </div>
      {props.repaired && <Changes repaired={props.repaired} />}
      <Seats {...props} />
      <h2>{say("judge.rules")}</h2>
      <p class="small">{say("judge.rules.about")}</p>
      <Verdicts key={notation(board) + JSON.stringify(chosen)} {...props} />
      <fieldset class="choice">
        <legend>{say("judge.map")}</legend>
        {(["chance", "pips", "none"] as Shown[]).map((each) => (
          <label key={each} class={shown === each ? "on" : ""}>
            <input type="radio" name="shown" checked={shown === each} onChange={() => onShown(each)} />
            {say(`judge.map.${each}`)}
          </label>
        ))}
      </fieldset>
      {shown === "chance" && (
        <p class="small" aria-live="polite">
          {course ? say("judge.map.chance.about") : say("settle.thinking")}
        </p>
      )}
      <h2>{say("judge.pips")}</h2>
      <p class="small">{say("judge.pips.about")}</p>
      <Bars
        rows={Object.entries(pips)
          .sort(([, a], [, b]) => b - a)
          .map(([name, n]) => ({
            name,
            share: n / most,
            text: String(n),
            more: say("judge.tiles", { n: board.terrain.filter((each) => each === name).length }),
          }))}
      />
      <h2>{say("judge.even")}</h2>
      <p class="small">
        {say("judge.even.about")}
        {error !== undefined && ` ${say("judge.even.targets", { error: decimal(error, 4) })}`}
      </p>
      <Bars
        rows={Object.entries(efficiencies(board)).map(([name, value]) => ({
          name,
          share: Math.min(1, value),
          text: decimal(value, 2),
          mark: board.layout.targets[name],
        }))}
      />
    </>
  );
}

/** A difference of two chances in points of per cent. */
export const points = (difference: number): string => decimal(100 * difference, 1);

/** Each seat's chance to win, whether that is even, and what makes it so. */
function Seats({ course, players, onImprove }: Props): JSX.Element {
  const chances = course?.rest?.chances;
  const spread = chances && spreadOf(chances);
  return (
    <>
      <h2>{say("judge.seats")}</h2>
      <p class="small">{say("judge.seats.about", { n: players, points: 100 * EVEN })}</p>
      {course ? <Chances chances={chances} /> : <progress aria-label={say("settle.thinking")} />}
      {spread !== undefined && (
        <div class="row seats">
          <span>
            {say(spread <= EVEN ? "judge.seats.even" : "judge.seats.uneven", { n: points(spread) })}
          </span>
          {spread > EVEN && (
            <button type="button" class="plain" onClick={onImprove}>
              {say("improve")}
            </button>
          )}
        </div>
      )}
    </>
  );
}

/** What to change on the table, tile by tile. */
function Changes({ repaired }: { repaired: Repaired | Improved }): JSX.Element {
  const { before, board, tiles } = repaired;
  const [made, fewest] =
    "denied" in repaired
      ? [say("repair.changed", { n: tiles.length }), say(`repair.fewest.${repaired.denied}`)]
      : [say("improve.changed", { n: repaired.exchanges }), say("improve.fewest")];
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.scrollIntoView({ block: "center" }), [board]); // wherever the button was
  return (
    <>
      <h2>{made}</h2>
      <ul class="changes" ref={list}>
        {tiles.map((t) => (
          <li key={t}>
            {say("repair.tile", { n: t + 1, before: inWords(before, t), after: inWords(board, t) })}
          </li>
        ))}
      </ul>
      <p class="small">{fewest}</p>
    </>
  );
}

interface Row {
  name: string;
  share: number;
  text: string;
  more?: string;
  mark?: number;
}

const Bars = ({ rows }: { rows: Row[] }): JSX.Element => (
  <table class="bars">
    <tbody>
      {rows.map(({ name, share, text, more, mark }) => (
        <tr key={name}>
          <th scope="row">{say(`terrain.${name}`)}</th>
          <td>
            <svg viewBox="0 0 200 16" width="100%" height="16" preserveAspectRatio="none" aria-hidden="true">
              <rect class="track" width="200" height="16" rx="3" />
              <rect width={(200 * share).toFixed(1)} height="16" rx="3" fill={fill(name)} />
              {mark !== undefined && (
                <rect class="target" x={(200 * mark - 1).toFixed(1)} width="2" height="16" />
              )}
            </svg>
          </td>
          <td class="number">
            {text} {more && <span class="small">{more}</span>}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const MARKS: Record<Verdict, string> = { kept: "✓", broken: "✗", unknown: "?" };

/** Each rule with the models' verdict, and where a broken one is ringed. */
function Verdicts({ world, board, chosen, places, ringed, onRinged }: Props): JSX.Element {
  const [found, setFound] = useState<Record<string, Verdict>>({});
  const { rules, layout } = world;
  const wider = judgedRules(chosen, layout, rules);
  const asked = inForce(chosen, rules);
  const fields = [...asked, ...inForce(wider, rules).filter((each) => !asked.includes(each))];
  useEffect(() => {
    const control = new AbortController();
    void judge(
      world,
      board,
      fields,
      wider,
      (field, verdict) => setFound((old) => ({ ...old, [field]: verdict })),
      control.signal,
    );
    return () => control.abort();
  }, []);
  return (
    <ul class="verdicts" aria-busy={Object.keys(found).length < fields.length}>
      {fields.map((field) => {
        const verdict = found[field];
        const extra = !asked.includes(field);
        return (
          <li key={field} class={`${verdict ?? "open"}${extra ? " extra" : ""}`} data-field={field}>
            <span
              class="mark"
              role="img"
              aria-label={verdict ? say(`judge.${verdict}`) : say("judge.asking")}
            >
              {verdict ? MARKS[verdict] : "…"}
            </span>
            <span>
              {saidOf(field, wider, rules)}
              {extra && <span class="small"> {say("judge.notset")}</span>}
              {verdict === "broken" && places[field] && (
                <Where
                  places={places[field]}
                  on={ringed === field}
                  onToggle={() => onRinged(ringed === field ? undefined : field)}
                />
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

interface WhereProps {
  places: Place[];
  on: boolean;
  onToggle: () => void;
}

/** Rings the places of one rule alone, and names its tiles. */
function Where({ places, on, onToggle }: WhereProps): JSX.Element {
  const tiles = [...new Set(places.flatMap((each) => each.tiles))].sort((a, b) => a - b);
  return (
    <>
      {" "}
      <button type="button" class="link" aria-pressed={on} onClick={onToggle}>
        {say(on ? "judge.where.all" : "judge.where")}
      </button>
      {on && tiles.length > 0 && (
        <span class="small"> {say("judge.tiles.these", { tiles: tiles.map((t) => t + 1).join(", ") })}</span>
      )}
    </>
  );
}
