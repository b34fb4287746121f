/** The check of a board: rules, seats, mixed terrains, pips, and a heat map of vertices. */

import { useEffect, useRef, useState } from "preact/hooks";
import { fill } from "../../board/look";
import { harborInWords, inWords, landAt } from "../../board/props";
import { accept, isAccepted, ownItem } from "../../core/constraint";
import type { Chosen, Layout, RulesData } from "../../core/data";
import { isInBox } from "../../core/entry";
import type { Played } from "../../core/even";
import { decimal, say } from "../../core/language";
import { type Board, notation } from "../../core/notation";
import { GROUPS, inForce, possible, saidOf } from "../../core/rules";
import { efficiencies, efficiencyError, terrainPips } from "../../core/scores";
import type { Place } from "../../core/tables";
import { judge, type Verdict, type World } from "../../solver/dealing";
import { Button } from "../../widgets/button";
import { Chances } from "../draft/panel";
import type { Course } from "../draft/use_course";
import { changedHarbors, planOf, type Step } from "../repair/plan";
import { changedInWords, type Repaired } from "../repair/repair";
import { Own } from "../rules/own";
import { SwapChoice } from "../shuffle/panel";
import type { Swapping } from "../shuffle/parts";

export type Shown = "chance" | "pips" | "none";

interface Props {
  world: World;
  board: Board;
  chosen: Chosen;
  /** Violations per broken rule. */
  places: Record<string, Place[]>;
  ringed: string | undefined;
  onRinged: (field: string | undefined) => void;
  onEmpty: () => void;
  swapping: Swapping | undefined;
  picked: number | undefined;
  onSwapping: (swapping: Swapping | undefined) => void;
  /** Repairs the board. Undefined if no rule is broken. */
  onRepair: (() => void) | undefined;
  /** The changes, if the board was repaired. */
  repaired: Repaired | undefined;
  /** The draft of these players from the beginning. */
  course: Course | undefined;
  players: number;
  /** The games that each of four seats won on this board, if some were played. */
  played: Played | undefined;
  shown: Shown;
  onShown: (shown: Shown) => void;
}

/** The rules in force, and those of presets that the board might keep as well. */
export const judgedRules = (chosen: Chosen, layout: Layout, rules: RulesData): Chosen =>
  possible({ ...rules.presets.optimal, ...chosen }, layout, rules);

export function JudgePanel(props: Props) {
  const { board, chosen, course, shown, onShown } = props;
  const pips = terrainPips(board);
  const error = efficiencyError(board);
  const most = Math.max(1, ...Object.values(pips));
  const maps: Shown[] = !course?.exact ? ["pips", "none"] : ["chance", "pips", "none"];
  const map = maps.includes(shown) ? shown : "pips";
  return (
    <>
      <Judged key={notation(board) + JSON.stringify(chosen)} {...props} />
      <fieldset class="choice">
        <legend>{say("judge.map")}</legend>
        {maps.map((each) => (
          <label key={each} class={map === each ? "on" : ""}>
            <input type="radio" name="shown" checked={map === each} onChange={() => onShown(each)} />
            {say(`judge.map.${each}`)}
          </label>
        ))}
      </fieldset>
      {map === "chance" && <p class="small">{say("judge.map.chance.about")}</p>}
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

/** Each seat's chance to win, or its share of the played games. */
function Seats({ course, players, played }: Props) {
  if (course?.measured === false) return <p class="small">{say("settle.unmeasured")}</p>;
  if (played)
    return (
      <>
        <Chances chances={played.wins.map((wins) => wins / played.games)} label="judge.played" />
        <p class="small">{say("judge.played.about", { n: played.games })}</p>
      </>
    );
  return (
    <>
      {course?.moves === undefined ? (
        <progress class="chances" aria-label={say("settle.thinking")} />
      ) : (
        <Chances chances={course.rest?.chances} />
      )}
      <p class="small">
        {say(course?.exact === false ? "judge.seats.odds" : "judge.seats.about", { n: players })}
      </p>
    </>
  );
}

/** The changes on the table: exchanges in their order, and pieces from the box. */
function Changes({ repaired }: { repaired: Repaired }) {
  const { before, board, denied } = repaired;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => list.current?.scrollIntoView({ block: "center" }), [board]); // the button may be far away
  const stepInWords = ({ kind, tiles: [a, b], pieces: [x, y] }: Step): string => {
    if (kind === "tile")
      return say("repair.tile", { n: a + 1, before: inWords(before, a), after: inWords(board, a) });
    const names = [x, y].map((piece) => (kind === "markers" ? piece : say(`terrain.${piece}`)));
    if (kind === "markers" && !(x && y)) {
      const [from, to] = x ? [a, b] : [b, a];
      return say("plan.move", { x: x || y, a: from + 1, b: to + 1 });
    }
    return say(`plan.${kind}`, { a: a + 1, b: b + 1, x: names[0], y: names[1] });
  };
  return (
    <>
      <h2>{changedInWords(repaired)}</h2>
      <ol class="changes" ref={list}>
        {planOf(before, board).map((step) => (
          <li key={`${step.kind} ${step.tiles}`}>{stepInWords(step)}</li>
        ))}
        {changedHarbors(before, board).map(({ vertices, was, trade }) => (
          <li key={vertices.join()}>
            {say("plan.harbor", {
              place: landAt(board, vertices),
              before: was ? harborInWords(was) : "–",
              after: trade ? harborInWords(trade) : "–",
            })}
          </li>
        ))}
      </ol>
      <p class="small">
        {say("plan.about")} {say(`repair.fewest.${denied}`)}
      </p>
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

const Bars = ({ rows }: { rows: Row[] }) => (
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

/** The verdict, first of the page's checkers, then of the solver, which decides. Then each rule. */
function Judged(props: Props) {
  const { world, board, chosen, places, ringed, onRinged } = props;
  const [solved, setSolved] = useState<Record<string, Verdict>>({});
  const [, setAccepted] = useState(0);
  const { rules, layout } = world;
  const wider = judgedRules(chosen, layout, rules);
  const set = inForce(chosen, rules);
  const fields = [...set, ...inForce(wider, rules).filter((each) => !set.includes(each))];
  const inBox = isInBox(board);
  useEffect(() => {
    const control = new AbortController();
    const tell = (field: string, verdict: Verdict) => setSolved((old) => ({ ...old, [field]: verdict }));
    void judge(world, board, fields, wider, tell, control.signal);
    return () => control.abort();
  }, []);
  const verdictOn = (field: string): Verdict | undefined => {
    const checked = places[field] && (!inBox || places[field].length ? "broken" : "kept");
    return solved[field] ?? checked;
  };
  const isTrusted = (field: string): boolean => {
    const own = ownItem(field, chosen);
    return !own || isAccepted(own);
  };
  const counted = set.filter(isTrusted);
  const broken = counted.filter((field) => verdictOn(field) === "broken").length;
  const open = counted.filter((field) => !["kept", "broken"].includes(verdictOn(field) ?? "")).length;
  const verdict = broken || !inBox ? "broken" : open ? "unknown" : "kept";
  const headline = !inBox ? "pieces" : open && !broken ? "open" : counted.length ? "rules" : "none";
  const nOpen = fields.filter((field) => solved[field] === undefined).length;
  const undecided = fields.some((field) => solved[field] === "unknown");
  const groups = [...GROUPS, "own"].filter((group) =>
    fields.some((field) => groupOf(field, rules) === group),
  );
  return (
    <>
      <section class={`verdict ${verdict}`} aria-busy={nOpen > 0}>
        <p aria-live="polite">
          <span class="mark" aria-hidden="true">
            {MARKS[verdict]}
          </span>
          <strong>
            {say(`verdict.${headline}`, { n: counted.length, kept: counted.length - broken - open, open })}
          </strong>
        </p>
        <p class="small" aria-live="polite">
          {say(nOpen ? "verdict.asking" : undecided ? "verdict.undecided" : "verdict.confirmed")}
          {counted.length < set.length && ` ${say("verdict.linked", { n: set.length - counted.length })}`}
        </p>
        <Seats {...props} />
      </section>
      {props.repaired && <Changes repaired={props.repaired} />}
      <div class="row">
        {props.onRepair && <Button text="repair" onClick={props.onRepair} />}
        <Button text="lay.empty" onClick={props.onEmpty} />
      </div>
      <SwapChoice {...props} />
      <h2>{say("judge.rules")}</h2>
      {groups.map((group) => (
        <section key={group}>
          <h3>{say(`group.${group}`)}</h3>
          <ul class="verdicts">
            {fields
              .filter((field) => groupOf(field, rules) === group)
              .map((field) => {
                const own = ownItem(field, chosen);
                const trusted = isTrusted(field);
                const verdictShown = trusted ? verdictOn(field) : undefined;
                const extra = !set.includes(field);
                return (
                  <li
                    key={field}
                    class={`${verdictShown ?? "open"}${extra ? " extra" : ""}`}
                    data-field={field}
                  >
                    <span
                      class="mark"
                      role="img"
                      aria-label={say(
                        verdictShown ? `judge.${verdictShown}` : trusted ? "judge.asking" : "judge.linked",
                      )}
                    >
                      {verdictShown ? MARKS[verdictShown] : trusted ? "…" : "!"}
                    </span>
                    <span>
                      {own ? <Own own={own} /> : saidOf(field, wider, rules)}
                      {extra && <span class="small"> {say("judge.notset")}</span>}
                      {own && !trusted && (
                        <Button
                          text="judge.accept"
                          class="link"
                          onClick={() => {
                            accept(own);
                            setAccepted((n) => n + 1);
                          }}
                        />
                      )}
                      {verdictShown === "broken" && places[field]?.length > 0 && (
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
        </section>
      ))}
    </>
  );
}

const groupOf = (field: string, rules: RulesData): string =>
  rules.rules.find((rule) => rule.field === field)?.group ?? "own";

interface WhereProps {
  places: Place[];
  on: boolean;
  onToggle: () => void;
}

/** Rings the places of one rule alone, and names its tiles. */
function Where({ places, on, onToggle }: WhereProps) {
  const tiles = [...new Set(places.flatMap((each) => each.tiles))].sort((a, b) => a - b);
  return (
    <>
      {" "}
      <Button
        text={on ? "judge.where.all" : "judge.where"}
        class="link"
        aria-pressed={on}
        onClick={onToggle}
      />
      {on && tiles.length > 0 && (
        <span class="small"> {say("judge.tiles.these", { tiles: tiles.map((t) => t + 1).join(", ") })}</span>
      )}
    </>
  );
}
