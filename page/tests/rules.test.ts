import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Chosen, Json, Layout, Restriction, RulesData } from "../src/core/data";
import { readNotation } from "../src/core/notation";
import { checkedPlaces } from "../src/core/places";
import {
  labelOf,
  modelData,
  possible,
  presetOf,
  readRulesText,
  rulesOn,
  rulesText,
  saidOf,
  sameRules,
  withHarbors,
} from "../src/core/rules";

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
    const found = readRulesText(new URLSearchParams(rulesText(changed, base, rules)), base, rules)!;
    assert.ok(sameRules(found.chosen, changed, rules));
    assert.deepEqual(found.refused, []);
  }
  assert.equal(readRulesText(new URLSearchParams("players=4"), base, rules), undefined);
});

test("what the page cannot keep is named, and never left out in silence", () => {
  const refused = (text: string, name = "base") =>
    readRulesText(new URLSearchParams(text), layout(name), rules)!.refused;
  assert.deepEqual(refused("rules=nonsense"), ["rules=nonsense"]);
  assert.deepEqual(refused("rules=open&reds_apart=%7B"), ["reds_apart={"]);
  assert.deepEqual(refused("rules=open&constraints=7&reds_apart=true"), ["constraints=7"]);
  assert.deepEqual(refused("rules=open&apart=[[%22brick%22, %22lumber%22]]"), []);
  assert.deepEqual(refused("rules=open&marker_order=%22spiral%22", "seafarers-7"), ['marker_order="spiral"']);
});

test("another layout keeps the preset, or opens with its own default where that has no board", () => {
  const [base, pirates] = [layout("base"), layout("pirate-islands")];
  const own = [{ text: "terrain[1] = ORE" }] as unknown as Json;
  const balanced = withHarbors({ ...rules.presets.tournament, constraints: own }, base, rules);
  const there = rulesOn(pirates, balanced, base, rules);
  assert.equal(pirates.presets.tournament.length > 0, true);
  assert.equal(presetOf(there, pirates, rules), pirates.start);
  assert.deepEqual(there.constraints, own);
  assert.equal(presetOf(rulesOn(base, there, pirates, rules), base, rules), pirates.start);
  const single = rulesOn(pirates, { reds_apart: true }, base, rules);
  assert.equal(single.reds_apart, true);
});

test("rules that the library refuses on a layout are left out there", () => {
  const islands = layout("seafarers-7");
  assert.deepEqual(possible({ marker_order: "spiral", reds_apart: true }, islands, rules), {
    reds_apart: true,
  });
});

test("every broken rule is shown where Python says that it is broken, on thousands of boards", () => {
  const known: Record<string, Layout> = {};
  const seen: Record<string, number> = {};
  const ordered = (places: [number[], number[]][]) => places.map((each) => JSON.stringify(each)).sort();
  assert.ok(vectors.judged.length >= 3000);
  for (const each of vectors.judged) {
    known[each.layout] ??= layout(each.layout);
    const board = readNotation(each.board, known[each.layout]);
    const where = JSON.stringify([each.board, each.rules]);
    for (const [field, places] of Object.entries(checkedPlaces(board, each.rules, rules))) {
      const pairs = places.map(({ tiles, vertices }): [number[], number[]] => [
        [...tiles].sort((a, b) => a - b),
        vertices,
      ]);
      assert.deepEqual(ordered(pairs), ordered(each.places[field] ?? []), `${field}: ${where}`);
      delete each.places[field];
      if (places.length) seen[field] = (seen[field] ?? 0) + 1;
    }
    assert.deepEqual(each.places, {}, where);
  }
  const restricting = rules.rules.filter(({ about }) => about.length).map(({ field }) => field);
  assert.deepEqual(
    restricting.filter((field) => !seen[field]),
    [],
  );
});

test("a rule of the library needs no line of the page: its tables are checked, and its English sentence is shown", () => {
  const [field, text] = ["no_ore_first", "Tile 1 has no ore."];
  const option = { value: true, says: [text] };
  const invented = {
    field,
    group: "terrain",
    about: ["terrain"],
    needs: [],
    asks: "",
    neutral: false,
    options: [option],
  };
  const base = layout("base");
  const tables: Restriction[] = [{ kind: "Barred", places: [[0, "ore"]] }];
  const known: Layout = {
    ...base,
    rules: { ...base.rules, [field]: { "[true]": base.changes.length } },
    changes: [...base.changes, [{}, tables]],
  };
  const more = { ...rules, rules: [...rules.rules, invented] };
  const chosen = possible({ [field]: true }, known, more);
  const places = (line: string) => checkedPlaces(readNotation(line, known), chosen, more)[field];
  assert.deepEqual(places("o6w8l9/g12b5w4b10/g9l11dl3o8/l6o3g4w5/b2g10w11"), [{ tiles: [0], vertices: [] }]);
  assert.deepEqual(places("w6o8l9/g12b5w4b10/g9l11dl3o8/l6o3g4w5/b2g10w11"), []);
  assert.equal(saidOf(field, chosen, more), text);
  assert.equal(labelOf({ ...invented, asks: "tiles without ore" }), "Tiles without ore");
});

test("a rule without tables and without a checker is left to the solver", () => {
  const base = layout("base");
  const number = base.rules.islands_min["[1]"];
  const changes = base.changes.map(([data, ...tables], i) => (i === number ? [data] : [data, ...tables]));
  const own = { ...rules.rules.find(({ field }) => field === "reds_apart")!, field: "other" };
  const known = {
    ...base,
    changes,
    rules: { ...base.rules, other: { "[true]": number } },
  } as unknown as Layout;
  const more = { ...rules, rules: [...rules.rules, { ...own, needs: [] }] };
  const board = readNotation("o6w8l9/g12b5w4b10/g9l11dl3o8/l6o3g4w5/b2g10w11", known);
  assert.deepEqual(checkedPlaces(board, { other: true }, more), {});
});
