import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faultOf } from "../src/core/constraint";
import type { Layout, RulesData } from "../src/core/data";
import { applied, EXAMPLES, newDraft, palette, synced } from "../src/features/rules/desk";

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const language = read<RulesData>("build/data/rules.json").constraints;
const base = read<Layout>("build/data/layouts/base.json");
const english = read<Record<string, string>>("languages/en.json");

test("a draft keeps its text when its constraint is undone, removed or rejected", () => {
  const draft = newDraft("true", "Anything.");
  const first = applied(draft, [{ text: "1 = 1" }], true);
  assert.deepEqual(first, [{ text: "1 = 1" }, { text: "true", says: "Anything." }]);
  const [on, other] = synced([draft], first);
  assert.deepEqual([on.ruling, other.text, other.ruling], [first[1], "1 = 1", first[0]]);
  const changed = { ...on, text: "false" };
  const second = applied(changed, first, true);
  assert.deepEqual(second, [{ text: "1 = 1" }, { text: "false", says: "Anything." }]);
  const undone = synced(synced([changed, other], second), first);
  assert.deepEqual(
    undone.map(({ text, ruling }) => [text, ruling !== undefined]),
    [
      ["false", false],
      ["1 = 1", true],
      ["true", true],
    ],
  );
  assert.deepEqual(applied({ ...on, ruling: first[1] }, first, false), [{ text: "1 = 1" }]);
  assert.deepEqual(
    synced([on], []).map(({ text, ruling }) => [text, ruling]),
    [["true", undefined]],
  );
});

test("the examples and the names of the palette are accepted, and explained", () => {
  assert.equal(Object.keys(EXAMPLES).length, 6);
  for (const [name, text] of Object.entries(EXAMPLES)) {
    assert.equal(faultOf(text, base, true, language), undefined, name);
    assert.ok(`example.${name}` in english, name);
  }
  const groups = palette(base, true, language);
  for (const group of Object.keys(groups)) assert.ok(`palette.${group}` in english, group);
  const scope = (text: string): string => `forall(t in TILE, v in VERTEX, h in HARBOR)(${text})`;
  for (const text of [...groups.board, ...groups.places, ...groups.terrains, ...groups.measures])
    assert.equal(faultOf(scope(text), base, true, language), undefined, text);
});

test("an unknown name is shown with a similar one", () => {
  const similar = (text: string): string | undefined => faultOf(text, base, true, language)?.similar;
  assert.equal(similar("terrain[1] = DESSERT"), "DESERT");
  assert.equal(similar("terrain[1] = ore"), "ORE");
  assert.equal(similar("TERAIN = 1"), "TERRAIN");
  assert.equal(similar("fourall(t in TILE)(true)"), "forall");
  assert.equal(similar("terrain[1] = XYZZY"), undefined);
});
