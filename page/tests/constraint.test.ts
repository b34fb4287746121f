import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  accept,
  constraintText,
  excerptAt,
  faultOf,
  isAccepted,
  itemOf,
  OwnText,
  ownOf,
  readOwn,
} from "../src/core/constraint";
import type { Chosen, Layout, RulesData } from "../src/core/data";
import { only, possible, readRulesText, rulesText, withHarbors } from "../src/core/rules";

const read = <T>(path: string): T => JSON.parse(readFileSync(`build/${path}`, "utf8")) as T;
const rules = read<RulesData>("data/rules.json");
const layouts = Object.fromEntries(
  ["base", "fishermen-of-catan"].map((name) => [name, read<Layout>(`data/layouts/${name}.json`)]),
);
const language = rules.constraints;
const english = read<Record<string, string>>("../languages/en.json");

test("thousands of texts that are nearly constraints are taken, or refused at the same place, as in Python", () => {
  const { constraints } = read<{ constraints: [string, string, true | [number, number]][] }>("vectors.json");
  const wrong = constraints.filter(([text, name, expected]) => {
    const fault = faultOf(text, layouts[name], true, language);
    if (fault) assert.ok(fault.key in english, fault.key);
    const { line, column } = excerptAt(text, fault?.at ?? 0);
    return JSON.stringify(fault ? [line, column] : true) !== JSON.stringify(expected);
  });
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${constraints.length}`);
  const taken = constraints.filter(([, , expected]) => expected === true).length;
  assert.ok(taken > 800 && constraints.length - taken > 2000, `${taken} are taken`);
});

test("a text for MiniZinc keeps its functions apart from others, and its lines lead back", () => {
  const own = [{ text: "predicate p(int: t) =\n marker[t] < 5; constraint p(1)" }, { text: "p(2) = LAKE" }];
  const found = new OwnText(own, layouts["fishermen-of-catan"], language);
  const lines = found.text.split("\n");
  assert.equal(lines.filter((line) => line === "p__own0").length, 2);
  assert.equal(lines.filter((line) => line === "p").length, 1);
  assert.match(found.text, /^int: LAKE = \d+;$/m);
  assert.deepEqual(found.place(lines.indexOf("marker") + 1), { own: 0, at: own[0].text.indexOf("marker") });
  assert.deepEqual(found.place(lines.indexOf("p") + 1), { own: 1, at: 0 });
  assert.deepEqual(found.place(1), { own: 0, at: 0 });
});

test("the brackets of a table stay together, as MiniZinc needs them", () => {
  const { text } = new OwnText([{ text: "table([1, 2], [| 1, 2 |])" }], layouts.base, language);
  const lines = text.split("\n");
  assert.ok(lines.includes("[|") && lines.includes("|]"), text);
});

test("signs of comments and of other languages' spaces, digits and letters are rejected, each at its place", () => {
  const texts = ["1 /* 2", "1 /* 2 */", "1 */ 2", "1\u00a0", "1\u2028", "1\v", "1 + \u0661", "\u0430", "0x1"];
  const places = texts.map((text) => faultOf(text, layouts.base, false, language)?.at);
  assert.deepEqual(places, [2, 2, 2, 1, 1, 1, 4, 0, 0]);
});

test("a variable of the text is not a harbor of the board, whatever its name", () => {
  const local = "forall(harbor in TILE)(terrain[harbor] != ORE)";
  assert.equal(faultOf(local, layouts.base, false, language), undefined);
  assert.equal(faultOf("harbor[1] = 0", layouts.base, false, language)?.key, "own.bad.harbors");
});

test("constraints survive the address beside rules, and those that cannot stand are named", () => {
  const base = layouts.base;
  const text = "forall(t in coast)(terrain[t] != GRAIN)";
  const chosen: Chosen = { ...withHarbors(rules.presets.tournament, base, rules), constraints: [{ text }] };
  const line = rulesText(chosen, base, rules);
  assert.match(line, /^rules=tournament&constraints=/);
  assert.deepEqual(readRulesText(new URLSearchParams(line), base, rules), { chosen, refused: [] });
  const bad = encodeURIComponent(JSON.stringify([{ text }, { text: 'trace("x")' }]));
  const found = readRulesText(new URLSearchParams(`rules=open&constraints=${bad}`), base, rules)!;
  assert.deepEqual(ownOf(found.chosen), [{ text }]);
  assert.deepEqual(found.refused, ['constraints=trace("x")']);
  for (const junk of ["1", "{}", '[{"text":1}]', '[{"text":"true","more":1}]', "[[]]", "[null]"]) {
    assert.equal(readOwn(JSON.parse(junk)), undefined);
    const { refused } = readRulesText(
      new URLSearchParams({ rules: "open", constraints: junk }),
      base,
      rules,
    )!;
    assert.deepEqual(refused, [`constraints=${junk}`]);
  }
});

test("a constraint is left out by its number, and goes where the layout has not its terrain", () => {
  const own = [{ text: "terrain[1] = ORE" }, { text: "terrain[2] = LAKE" }];
  const chosen = { reds_apart: true, constraints: own } as unknown as Chosen;
  assert.deepEqual(ownOf(only([itemOf(1)], chosen, rules)), [own[1]]);
  assert.deepEqual(ownOf(only(["reds_apart"], chosen, rules)), []);
  assert.deepEqual(ownOf(possible(chosen, layouts.base, rules)), [own[0]]);
  assert.deepEqual(ownOf(possible(chosen, layouts["fishermen-of-catan"], rules)), own);
});

test("a constraint is always told in MiniZinc, its author's words only as a quotation", () => {
  const says = "Every seat wins exactly a quarter: proven";
  assert.equal(constraintText({ text: "true\n/\\ true", says }), `true /\\ true (“${says}”)`);
  assert.ok(constraintText({ text: "true", says: "x".repeat(2000) }).length < 200);
});

test("a link's constraint is not accepted before the reader accepts it, words included", () => {
  const own = { text: "terrain[1] = ORE", says: "Fair" };
  assert.equal(isAccepted(own), false);
  accept(own);
  assert.equal(isAccepted({ ...own }), true);
  assert.equal(isAccepted({ ...own, says: "Proven" }), false);
});
