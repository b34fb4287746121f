/** The rules that are set, and their data for the model, from the tables that Python exports. */

import { constraintText, faultOf, itemOf, ownItem, ownOf, readOwn, withOwn } from "./constraint";
import {
  type Chosen,
  EVEN_RULES,
  type Json,
  type Layout,
  type ModelData,
  type Restriction,
  type Rule,
  type RulesData,
} from "./data";
import { has, say, sentence } from "./language";
import { open, type Pattern } from "./notation";

/** A task: the layout, rules and pieces of the next board. */
export interface Asked {
  layout: Layout;
  chosen: Chosen;
  kept: Pattern;
  /** Whether the board comes from the store of even boards, which keep `chosen`. */
  even?: boolean;
}

/** The headings of rules, in their order. */
export const GROUPS = ["numbers", "terrain", "vertices", "harbors", "islands"];

export const same = (a: Json | undefined, b: Json | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

export const valueIn = (rule: Rule, chosen: Chosen): Json => chosen[rule.field] ?? rule.neutral;

export const isSet = (rule: Rule, chosen: Chosen): boolean => !same(valueIn(rule, chosen), rule.neutral);

/** The number of the rule's change on this layout. Undefined if the library rejects it. */
function change(rule: Rule, chosen: Chosen, layout: Layout, rules: RulesData): number | undefined {
  const values = [rule.field, ...rule.needs].map((field) => {
    const other = rules.rules.find((each) => each.field === field)!;
    return valueIn(other, chosen);
  });
  return layout.rules[rule.field]?.[JSON.stringify(values)];
}

/** Whether the library takes this value of the rule on this layout, beside the other rules. */
export const isPossible = (
  rule: Rule,
  value: Json,
  chosen: Chosen,
  layout: Layout,
  rules: RulesData,
): boolean => change(rule, { ...chosen, [rule.field]: value }, layout, rules) !== undefined;

/** Whether no board of the layout has this value of the rule, by a proof of the library for the rule alone. */
export const hasNoBoard = (
  rule: Rule,
  value: Json,
  chosen: Chosen,
  layout: Layout,
  rules: RulesData,
): boolean =>
  (layout.impossible[rule.field] ?? []).some((each) => same(each, value)) &&
  !rule.needs.some(
    (field) =>
      chosen[field] !== undefined && isSet(rules.rules.find((each) => each.field === field)!, chosen),
  );

/** The rules that no board satisfies, even without the others. */
export const impossibleIn = (chosen: Chosen, layout: Layout, rules: RulesData): string[] =>
  rules.rules
    .filter((rule) => hasNoBoard(rule, valueIn(rule, chosen), chosen, layout, rules))
    .map(({ field }) => field);

/** The chosen rules without those that ask for nothing and those that the library refuses on this layout. */
export function possible(chosen: Chosen, layout: Layout, rules: RulesData): Chosen {
  const kept: Chosen = {};
  for (const rule of rules.rules) {
    if (isSet(rule, chosen) && change(rule, chosen, layout, rules) !== undefined) {
      kept[rule.field] = valueIn(rule, chosen);
    }
  }
  const { constraints, ...given } = chosen;
  const isShorter = Object.keys(given).length !== Object.keys(kept).length;
  const result = isShorter && !sameRules(given, kept, rules) ? possible(kept, layout, rules) : kept;
  const own = ownOf(chosen).filter(
    ({ text }) => !faultOf(text, layout, "harbors" in result, rules.constraints),
  );
  return withOwn(result, own);
}

/** Whether the rules are the same, own constraints aside. */
export const sameRules = (a: Chosen, b: Chosen, rules: RulesData): boolean =>
  rules.rules.every((rule) => same(valueIn(rule, a), valueIn(rule, b)));

/** The data of `joint.mzn` for these rules. */
export function modelData(chosen: Chosen, layout: Layout, rules: RulesData): ModelData {
  const data: ModelData = { ...layout.base };
  for (const rule of rules.rules) {
    const number = change(rule, chosen, layout, rules);
    if (number === undefined)
      throw new Error(`${rule.field} cannot be ${JSON.stringify(chosen[rule.field])} here`);
    Object.assign(data, layout.changes[number][0]);
  }
  return data;
}

/** The restrictions of a rule. Undefined if it has another form. */
export function restrictionsOf(
  rule: Rule,
  chosen: Chosen,
  layout: Layout,
  rules: RulesData,
): Restriction[] | undefined {
  const number = change(rule, chosen, layout, rules);
  return number === undefined ? undefined : layout.changes[number][1];
}

/** Only these fields and constraints, and the fields that they need. */
export function only(fields: string[], chosen: Chosen, rules: RulesData): Chosen {
  const needed = rules.rules.filter((rule) => fields.includes(rule.field)).flatMap((rule) => rule.needs);
  const kept = Object.entries(chosen).filter(([field]) => fields.includes(field) || needed.includes(field));
  return withOwn(
    Object.fromEntries(kept),
    ownOf(chosen).filter((_, i) => fields.includes(itemOf(i))),
  );
}

/** A rule or a constraint in words. */
export function saidOf(item: string, chosen: Chosen, rules: RulesData): string {
  const own = ownItem(item, chosen);
  if (own) return constraintText(own);
  const rule = rules.rules.find((each) => each.field === item)!;
  return sentences(rule, chosen).map(sentence).join(" ");
}

/** The rules and constraints in force that can be broken, each by its field or its number. */
export const inForce = (chosen: Chosen, rules: RulesData): string[] => [
  ...rules.rules.filter((rule) => rule.about.length && isSet(rule, chosen)).map(({ field }) => field),
  ...ownOf(chosen).map((_, i) => itemOf(i)),
];

/** The label of a rule with several values: until it is translated, what the library says of the field. */
export function labelOf({ field, asks }: Rule): string {
  const key = `rule.${field}`;
  return has(key) ? say(key) : asks[0].toUpperCase() + asks.slice(1);
}

/** The sentences of a rule for its value. */
export const sentences = (rule: Rule, chosen: Chosen): string[] => {
  const value = valueIn(rule, chosen);
  return (
    rule.options.find((option) => same(option.value, value))?.says ?? [
      `${rule.field} = ${JSON.stringify(value)}`,
    ]
  );
};

/** The preset with these rules and a board on the layout. Harbors count if the preset names them. */
export function presetOf(chosen: Chosen, layout: Layout, rules: RulesData): string | undefined {
  return Object.keys(rules.presets).find((name) => {
    if (layout.presets[name].length) return false;
    const preset = withHarbors(rules.presets[name], layout, rules);
    return sameRules(possible(preset, layout, rules), chosen, rules);
  });
}

/** A preset with the layout's printed harbors. */
export const withHarbors = (preset: Chosen, layout: Layout, rules: RulesData): Chosen =>
  possible(layout.harbors.length ? { harbors: "printed", ...preset } : preset, layout, rules);

/**
 * The rules after a change of the layout: the same, except that a preset without a board there gives way to the preset
 * that the layout opens with.
 */
export function rulesOn(layout: Layout, chosen: Chosen, before: Layout, rules: RulesData): Chosen {
  const preset = presetOf(chosen, before, rules);
  if (preset === undefined) return withHarbors(chosen, layout, rules);
  const next = layout.presets[preset].length ? layout.start : preset;
  return withHarbors({ ...rules.presets[next], constraints: chosen.constraints ?? [] }, layout, rules);
}

/** The preset whose boards come from the store of even boards. */
export const EVEN = "even";

/** The default task, also of addresses with `rules=even`. */
export const askedEven = (layout: Layout, rules: RulesData): Asked => ({
  layout,
  chosen: possible({ ...rules.presets[EVEN_RULES], harbors: "shuffled" }, layout, rules),
  kept: open(layout),
  even: true,
});

/** Rules as text for an address, `field=JSON` joined by `&`, or a preset's name. */
export function rulesText(chosen: Chosen, layout: Layout, rules: RulesData): string {
  const preset = presetOf(chosen, layout, rules);
  const own = ownOf(chosen).length
    ? [`constraints=${encodeURIComponent(JSON.stringify(ownOf(chosen)))}`]
    : [];
  if (preset) return [`rules=${preset}`, ...own].join("&");
  const parts = Object.entries(chosen).map(
    ([field, value]) => `${field}=${encodeURIComponent(JSON.stringify(value))}`,
  );
  return ["rules=open", "harbors" in chosen ? "" : "harbors=%22none%22", ...parts].filter(Boolean).join("&");
}

/** The other fields of an address. */
const OTHERS = ["rules", "keep", "players", "placed", "lines"];

/** Reads `rulesText`. `refused` names rules that are unknown or impossible on this layout. */
export function readRulesText(
  given: URLSearchParams,
  layout: Layout,
  rules: RulesData,
): { chosen: Chosen; refused: string[] } | undefined {
  const name = given.get("rules");
  const pairs = [...given].filter(([field]) => !OTHERS.includes(field));
  if (name === null && !pairs.length) return undefined;
  const preset = name !== null && Object.hasOwn(rules.presets, name) ? rules.presets[name] : undefined;
  const refused = name === null || preset ? [] : [`rules=${name}`];
  const chosen: Chosen = { ...withHarbors(preset ?? {}, layout, rules) };
  const accepted = new Map<string, string>();
  const own = readOwn(parsed(given.get("constraints") ?? "[]"));
  for (const [field, value] of pairs) {
    if (field === "constraints") {
      if (!own || accepted.has(field)) refused.push(`${field}=${value}`);
      accepted.set(field, value);
      continue;
    }
    const rule = rules.rules.find((each) => each.field === field);
    const option = accepted.has(field)
      ? undefined
      : rule?.options.find((each) => same(each.value, parsed(value)));
    if (option) {
      chosen[field] = option.value;
      accepted.set(field, value);
    } else refused.push(`${field}=${value}`);
  }
  const result = possible(withOwn(chosen, own ?? []), layout, rules);
  for (const each of own ?? [])
    if (!ownOf(result).includes(each)) refused.push(`constraints=${constraintText(each)}`);
  for (const [field, value] of accepted) {
    const rule = rules.rules.find((each) => each.field === field);
    if (!rule) continue;
    if (isSet(rule, chosen) && !(field in result)) refused.push(`${field}=${value}`);
  }
  return { chosen: result, refused };
}

/** The value of a JSON text. Undefined for other texts and for infinite numbers. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text, (_, value: Json) => {
      if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(text);
      return value;
    }) as Json;
  } catch {
    return undefined;
  }
}
