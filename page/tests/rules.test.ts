import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Chosen, Layout, RulesData } from "../src/data";
import {
  modelData,
  possible,
  presetOf,
  readRulesText,
  rulesText,
  sameRules,
  withHarbors,
} from "../src/rules";

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const vectors = read("build/vectors.json");
const rules: RulesData = read("build/data/rules.json");
const layout = (name: string): Layout => read(`build/data/layouts/${name}.json`);

test("the data for the model are those of Python, for presets and for any rules together", () => {
  assert.ok(vectors.rules.length >= 20);
  for (const each of vectors.rules) {
    assert.deepEqual(
      modelData(each.rules, layout(each.layout), rules),
      each.data,
      JSON.stringify(each.rules),
    );
  }
});

test("rules survive the address, and presets are known again", () => {
  const base = layout("base");
  for (const name of Object.keys(rules.presets)) {
    const chosen = withHarbors(rules.presets[name], base, rules);
    assert.equal(presetOf(chosen, base, rules), name);
    assert.equal(rulesText(chosen, base, rules), `rules=${name}`);
    const changed: Chosen = { ...chosen, vertex_pips_max: 11, harbors: "shuffled" };
    assert.ok(sameRules(readRulesText(rulesText(changed, base, rules), base, rules)!, changed, rules));
  }
  assert.equal(readRulesText("rules=nonsense", base, rules), undefined);
  assert.equal(readRulesText("rules=open&reds_apart=%7B", base, rules), undefined);
});

test("rules that the library refuses on a layout are left out there", () => {
  const islands = layout("seafarers-7");
  assert.deepEqual(possible({ marker_order: "spiral", reds_apart: true }, islands, rules), {
    reds_apart: true,
  });
});

test("every language says all that English says", () => {
  const english = read("languages/en.json");
  for (const file of readdirSync("languages")) {
    const words = read(`languages/${file}`);
    assert.deepEqual(
      Object.keys(english).filter((key) => !(key in words)),
      [],
      file,
    );
  }
});
