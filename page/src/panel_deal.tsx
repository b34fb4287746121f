/** Layout, preset, and the rules one by one. */

import type { JSX } from "preact";
import type { Chosen, Json, Layout, LayoutEntry, Rule, RulesData } from "./data";
import type { Asked } from "./dealer";
import { isOpen } from "./dealing";
import { has, say, sentence } from "./language";
import { isPossible, isSet, presetOf, sentences, valueIn, withHarbors } from "./rules";

interface Props {
  rules: RulesData;
  layouts: LayoutEntry[];
  asked: Asked;
  onLayout: (name: string) => void;
  onRules: (chosen: Chosen) => void;
  onForget: () => void;
}

export function DealPanel({ rules, layouts, asked, onLayout, onRules, onForget }: Props): JSX.Element {
  const { layout, chosen, kept } = asked;
  const preset = presetOf(chosen, layout, rules);
  const names = Object.keys(rules.presets).filter((name) =>
    Object.keys(rules.presets[name]).every(
      (field) => field in withHarbors(rules.presets[name], layout, rules),
    ),
  );
  const set = rules.rules.filter((rule) => rule.about.length && isSet(rule, chosen));
  const some = !isOpen(kept);
  return (
    <>
      <p class={some ? "hint strong" : "hint"}>
        {some ? say("keep.some") : say("keep.how")}{" "}
        {some && (
          <button type="button" class="link" onClick={onForget}>
            {say("keep.forget")}
          </button>
        )}
      </p>
      <label class="field">
        <span>{say("layout")}</span>
        <select value={layout.name} onChange={(event) => onLayout(event.currentTarget.value)}>
          {layouts.map(({ name, title }) => (
            <option key={name} value={name}>
              {has(`layout.${name}`) ? say(`layout.${name}`) : title}
            </option>
          ))}
        </select>
      </label>
      <fieldset class="presets">
        <legend>{say("presets")}</legend>
        {names.map((name) => (
          <label key={name} class={preset === name ? "card on" : "card"}>
            <input
              type="radio"
              name="preset"
              checked={preset === name}
              onChange={() => onRules(withHarbors(rules.presets[name], layout, rules))}
            />
            <strong>{say(`preset.${name}`)}</strong>
            <span>{has(`preset.${name}.about`) ? say(`preset.${name}.about`) : ""}</span>
          </label>
        ))}
      </fieldset>
      <details class="rules">
        <summary>
          {say("rules.single")} <span class="count">{say("rules.count", { n: set.length })}</span>
        </summary>
        {rules.rules.map((rule) => (
          <Control key={rule.field} {...{ rule, chosen, layout, rules, onRules }} />
        ))}
      </details>
      {set.length > 0 && (
        <ul class="said">
          {set
            .flatMap((rule) => sentences(rule, chosen))
            .map((text) => (
              <li key={text}>{sentence(text)}</li>
            ))}
        </ul>
      )}
    </>
  );
}

interface ControlProps {
  rule: Rule;
  chosen: Chosen;
  layout: Layout;
  rules: RulesData;
  onRules: (chosen: Chosen) => void;
}

function Control({ rule, chosen, layout, rules, onRules }: ControlProps): JSX.Element | null {
  const options = rule.options.filter(({ value }) => isPossible(rule, value, chosen, layout, rules));
  const change = (value: Json): void => onRules({ ...chosen, [rule.field]: value });
  const value = valueIn(rule, chosen);
  if (options.length < 2) return null;
  const any = has(`rule.${rule.field}.any`) ? `rule.${rule.field}.any` : "rule.any";
  if (typeof rule.neutral === "boolean") {
    return (
      <label class="check rule">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => change(event.currentTarget.checked)}
        />
        <span>{sentence(options.find((option) => option.value === true)!.says.join(" "))}</span>
      </label>
    );
  }
  return (
    <label class="field rule">
      <span>{say(`rule.${rule.field}`)}</span>
      <select
        value={JSON.stringify(value)}
        onChange={(event) => change(JSON.parse(event.currentTarget.value) as Json)}
      >
        {options.map((option) => (
          <option key={JSON.stringify(option.value)} value={JSON.stringify(option.value)}>
            {option.says.length ? option.says.map(sentence).join(" ") : say(any)}
          </option>
        ))}
      </select>
    </label>
  );
}
