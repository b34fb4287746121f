/** That every language says all that the page says, and every sentence of a rule that Python wrote. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { RulesData } from "../src/core/data";

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const { rules, presets } = read<RulesData>("build/data/rules.json");
type Words = Record<string, string>;
const english = { ...read<Words>("languages/en.json"), ...read<Words>("languages/later/en.json") };
const files = readdirSync("languages").filter((name) => name.endsWith(".json"));

test("each rule that is chosen from a list, and each preset, has a name", () => {
  const lists = rules
    .filter(({ neutral }) => typeof neutral !== "boolean")
    .map(({ field }) => `rule.${field}`);
  const wanted = [...lists, ...Object.keys(presets).map((name) => `preset.${name}`)];
  assert.deepEqual(
    wanted.filter((key) => !(key in english)),
    [],
  );
});

for (const file of files)
  test(`${file} calls what a conflict keeps pieces: harbors are kept too`, () => {
    const words = read<Words>(`languages/${file}`);
    const [pieces] = /\p{L}+(?=\.$)/u.exec(words["verdict.pieces"])!;
    assert.ok(words["conflict.kept"].split(" ").includes(pieces), words["conflict.kept"]);
  });

for (const file of files.filter((name) => name !== "en.json")) {
  test(`${file} says all that English says, with the same names to fill in`, () => {
    const words = read<Words>(`languages/${file}`);
    const said = rules.flatMap(({ options }) => options.flatMap(({ says }) => says));
    const sentences = said.map((text) => `says.${text.replace(/\d+/g, "#")}`);
    assert.deepEqual(
      [...Object.keys(english), ...sentences].filter((key) => !(key in words)),
      [],
    );
    const stale = (key: string): boolean => key.startsWith("says.") && !sentences.includes(key);
    assert.deepEqual(Object.keys(words).filter(stale), []);
    const gaps = (text: string): string => (text.match(/\{\w+\}|#/g) ?? []).sort().join();
    for (const key of Object.keys(words)) {
      const model = key.startsWith("says.") ? key : (english[key] ?? "");
      assert.equal(gaps(words[key]), gaps(model), key);
    }
  });
}
