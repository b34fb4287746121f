/** Layout, preset, and the rules one by one. */

import { useState } from "preact/hooks";
import { type Fault, ownOf, withOwn } from "../../core/constraint";
import {
  type Chosen,
  type Json,
  type Layout,
  type LayoutEntry,
  type Option,
  type Rule,
  type RulesData,
  START_LAYOUT,
} from "../../core/data";
import { has, say, sentence } from "../../core/language";
import { isOpen } from "../../core/notation";
import type { Asked } from "../../core/rules";
import {
  EVEN,
  GROUPS,
  hasNoBoard,
  inForce,
  isPossible,
  isSet,
  labelOf,
  presetOf,
  saidOf,
  same,
  valueIn,
  withHarbors,
} from "../../core/rules";
import { Button } from "../../widgets/button";
import { OwnPanel } from "../rules/own";
import { ShuffleButtons } from "../shuffle/panel";
import type { Part } from "../shuffle/parts";
import { LayoutsPanel } from "./layouts";

interface Props {
  rules: RulesData;
  layouts: LayoutEntry[];
  asked: Asked;
  onLayout: (name: string) => void;
  onRules: (chosen: Chosen) => void;
  onEven: () => void;
  onForget: () => void;
  /** The kinds of pieces that can be shuffled alone. */
  parts: Part[];
  onShuffle: (part: Part) => void;
  choosing: boolean;
  onChoosing: (choosing: boolean) => void;
  /** The error of MiniZinc in a custom constraint. */
  fault: (Fault & { own: number }) | undefined;
}

export function DealPanel(props: Props) {
  const { rules, layouts, asked, fault, choosing, onLayout, onRules, onForget, onChoosing } = props;
  const { layout, chosen, kept } = asked;
  const preset = asked.even ? EVEN : presetOf(chosen, layout, rules);
  const names = [...new Set(["tournament", ...Object.keys(rules.presets)])]; // *Balanced* first
  const impossible = names.filter((name) => layout.presets[name].length);
  const set = inForce(chosen, rules);
  const some = !isOpen(kept);
  return (
    <>
      <p class={some ? "hint strong" : "hint"}>
        {some ? say("keep.some") : say("keep.how")}{" "}
        {some && <Button text="keep.forget" class="link" onClick={onForget} />}
      </p>
      <ShuffleButtons {...props} />
      <LayoutsPanel {...{ layouts, onLayout, open: choosing, onOpen: onChoosing }} name={layout.name} />
      <fieldset class="presets">
        <legend>{say("presets")}</legend>
        {layout.name === START_LAYOUT && (
          <Preset name={EVEN} isOn={preset === EVEN} onChoose={props.onEven} />
        )}
        {names
          .filter((name) => !impossible.includes(name))
          .map((name) => (
            <Preset
              key={name}
              name={name}
              isOn={preset === name}
              onChoose={() =>
                onRules(withOwn(withHarbors(rules.presets[name], layout, rules), ownOf(chosen)))
              }
            />
          ))}
        {impossible.map((name) => (
          <p key={name} class="small">
            {say("preset.impossible", {
              name: say(`preset.${name}`),
              rules: layout.presets[name].map((field) => saidOf(field, rules.presets[name], rules)).join(" "),
            })}
          </p>
        ))}
      </fieldset>
      <details class="rules">
        <summary>
          {say("rules.single")}{" "}
          <span class="count">{say("rules.count", { n: set.length - ownOf(chosen).length })}</span>
        </summary>
        {GROUPS.map((group) => (
          <Group key={group} {...{ group, chosen, layout, rules, onRules }} />
        ))}
      </details>
      <OwnPanel {...{ asked, rules, fault, onRules }} />
      {set.length > 0 && (
        <ul class="said">
          {set.map((item) => (
            <li key={item}>{saidOf(item, chosen, rules)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

interface PresetProps {
  name: string;
  isOn: boolean;
  onChoose: () => void;
}

const Preset = ({ name, isOn, onChoose }: PresetProps) => (
  <label class={isOn ? "card on" : "card"}>
    <input type="radio" name="preset" checked={isOn} onChange={onChoose} />
    <strong>{say(`preset.${name}`)}</strong>
    <span>{has(`preset.${name}.about`) ? say(`preset.${name}.about`) : ""}</span>
  </label>
);

interface ControlProps {
  rule: Rule;
  chosen: Chosen;
  layout: Layout;
  rules: RulesData;
  onRules: (chosen: Chosen) => void;
}

/** The rules of one group that the layout can have. Set rules have a mark and a button to reset them. */
function Group({ group, ...props }: Omit<ControlProps, "rule"> & { group: string }) {
  const { chosen, layout, rules, onRules } = props;
  const visible = rules.rules.filter(
    (rule) =>
      rule.group === group &&
      (isSet(rule, chosen) ||
        (!layout.hidden.includes(rule.field) &&
          rule.options.filter(({ value }) => isPossible(rule, value, chosen, layout, rules)).length > 1)),
  );
  if (!visible.length) return null;
  return (
    <section>
      <h2>{say(`group.${group}`)}</h2>
      {visible.map((rule) => (
        <div key={rule.field} class={isSet(rule, chosen) ? "rule set" : "rule"}>
          <Control {...props} rule={rule} />
          {isSet(rule, chosen) && (
            <Button
              text="rule.reset"
              class="link reset"
              aria-label={say("rule.reset.this", { text: saidOf(rule.field, chosen, rules) })}
              onClick={() => onRules({ ...chosen, [rule.field]: rule.neutral })}
            />
          )}
        </div>
      ))}
    </section>
  );
}

function Control({ rule, chosen, layout, rules, onRules }: ControlProps) {
  const options = rule.options.filter(({ value }) => isPossible(rule, value, chosen, layout, rules));
  const change = (value: Json) => onRules({ ...chosen, [rule.field]: value });
  const value = valueIn(rule, chosen);
  const any = has(`rule.${rule.field}.any`) ? `rule.${rule.field}.any` : "rule.any";
  const words = (option: Option): string =>
    option.says.length ? option.says.map(sentence).join(" ") : say(any);
  if (options.length === 2) {
    const set = options.find((option) => !same(option.value, rule.neutral))!;
    return (
      <label class="check">
        <input
          type="checkbox"
          class="switch"
          name={rule.field}
          checked={same(value, set.value)}
          onChange={(event) => change(event.currentTarget.checked ? set.value : rule.neutral)}
        />
        <span>{words(set)}</span>
      </label>
    );
  }
  if (options.every((option) => same(option.value, rule.neutral) || numberIn(option) !== undefined)) {
    const isOut = (option: Option): boolean => hasNoBoard(rule, option.value, chosen, layout, rules);
    return <Slider {...{ rule, value, words, isOut, onChange: change }} options={inOrder(rule, options)} />;
  }
  return (
    <fieldset class="choice">
      <legend>{labelOf(rule)}</legend>
      {options.map((option) => {
        const on = same(option.value, value);
        return (
          <label key={JSON.stringify(option.value)} class={on ? "on" : ""} title={words(option)}>
            <input type="radio" name={rule.field} checked={on} onChange={() => change(option.value)} />
            {say(`value.${rule.field}.${option.value}`)}
          </label>
        );
      })}
      {isSet(rule, chosen) && <p class="small">{saidOf(rule.field, chosen, rules)}</p>}
    </fieldset>
  );
}

/** The number in a value: the value itself, or the bound for every terrain. */
function numberIn({ value }: Option): number | undefined {
  const number = value !== null && typeof value === "object" && !Array.isArray(value) ? value.every : value;
  return typeof number === "number" ? number : undefined;
}

/** The options in ascending order. The neutral one is at the mild end. */
function inOrder({ field, neutral }: Rule, options: Option[]): Option[] {
  const any = options.filter(({ value }) => same(value, neutral));
  const numbers = options.filter(({ value }) => !same(value, neutral));
  numbers.sort((a, b) => numberIn(a)! - numberIn(b)!);
  return field.endsWith("_min") ? [...any, ...numbers] : [...numbers, ...any];
}

interface SliderProps {
  rule: Rule;
  value: Json;
  options: Option[];
  words: (option: Option) => string;
  /** Whether no board has the value. All such values are at the strict end. */
  isOut: (option: Option) => boolean;
  onChange: (value: Json) => void;
}

/** A slider of numbers, with the rule in words. A board is generated when the thumb is released. */
function Slider({ rule, value, options, words, isOut, onChange }: SliderProps) {
  const at = options.findIndex((option) => same(option.value, value));
  const [held, setHeld] = useState<number>();
  const visible = options[held ?? at];
  const last = options.length - 1;
  const out = options.filter(isOut);
  // The thumb stops before values without a board, which are grey.
  const [least, most] = isOut(options[0]) ? [out.length, last] : [0, last - out.length];
  const stop = (input: HTMLInputElement): number => {
    const number = Math.min(Math.max(Number(input.value), least), most);
    input.value = String(number);
    return number;
  };
  return (
    <label class="field">
      <span>
        {labelOf(rule)} <b>{numberIn(visible)}</b>
      </span>
      <input
        type="range"
        name={rule.field}
        min={0}
        max={last}
        value={held ?? at}
        aria-valuetext={words(visible)}
        onInput={(event) => setHeld(stop(event.currentTarget))}
        onChange={(event) => {
          setHeld(undefined);
          onChange(options[stop(event.currentTarget)].value);
        }}
      />
      {out.length > 0 && <i class="limits" style={{ "--least": least / last, "--most": most / last }} />}
      <span class="small">{words(visible)}</span>
      {out.length > 0 && (
        <span class="small out">{say("rule.impossible", { values: out.map(numberIn).join(", ") })}</span>
      )}
    </label>
  );
}
