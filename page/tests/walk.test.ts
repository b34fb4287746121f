/** Boards by random walks: they keep the rules and what is kept, and all boards of a small layout are equally likely. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Chosen, Layout, LayoutEntry, RulesData } from "../src/core/data";
import { isInBox } from "../src/core/entry";
import { notation, open, readNotation, readPattern } from "../src/core/notation";
import { checkedPlaces } from "../src/core/places";
import { only, possible, withHarbors } from "../src/core/rules";
import { attempts, partsOf, rulesFor, staying } from "../src/features/shuffle/parts";
import { isWalkable, walkedBoard } from "../src/solver/walk";

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const rules = read<RulesData>("build/data/rules.json");
const layout = (name: string): Layout => read(`build/data/layouts/${name}.json`);
const LIMIT = 20_000;

test("boards of every layout keep rules, box and places of harbors", () => {
  const wanted: Chosen[] = [
    {},
    { reds_apart: true, vertex_pips_max: 12 },
    { terrain_cluster_max: 3, harbors: "shuffled" },
  ];
  for (const { name } of read<LayoutEntry[]>("build/data/layouts.json")) {
    const known = layout(name);
    for (const asked of wanted) {
      const chosen = withHarbors(asked, known, rules);
      assert.ok(isWalkable(known, chosen, rules, open(known)), name);
      const board = walkedBoard(known, chosen, rules, open(known), LIMIT);
      if (!board && name === "pirate-islands") continue; // its only board breaks some rules
      assert.ok(board, `${name}: ${JSON.stringify(chosen)}`);
      assert.equal(notation(readNotation(notation(board), known)), notation(board));
      assert.ok(isInBox(board), notation(board));
      assert.deepEqual(Object.values(checkedPlaces(board, chosen, rules)).flat(), [], notation(board));
    }
  }
});

test("the arrangements of a small layout are equally likely", () => {
  const mini = layout("mini");
  const chosen = possible({ terrain_cluster_max: 1 }, mini, rules);
  const counts = new Map<string, number>();
  const [n, kinds] = [3240, 1080]; // no equal terrains touch in 1,080 of 2,520 arrangements
  for (let i = 0; i < n; i++) {
    const key = walkedBoard(mini, chosen, rules, open(mini), LIMIT)!.terrain.join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const expected = n / kinds;
  const chi = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  const spread = Math.sqrt(2 * (kinds - 1));
  const statistic = chi + (kinds - counts.size) * expected;
  assert.ok(Math.abs(statistic - (kinds - 1)) < 5 * spread, String(statistic));
});

test("what is kept stays in its place", () => {
  const base = layout("base");
  const kept = readPattern("o6xx/xxxx/xxd0xx/xxxx/xw8x", base);
  const chosen = withHarbors({ reds_apart: true }, base, rules);
  for (let i = 0; i < 20; i++) {
    const { terrain, markers } = walkedBoard(base, chosen, rules, kept, LIMIT)!;
    assert.deepEqual([terrain[0], markers[0], terrain[9], markers[9]], ["ore", 6, "desert", 0]);
    assert.deepEqual([terrain[17], markers[17]], ["wool", 8]);
  }
});

test("a shuffle of one kind of pieces moves no others, and breaks no rule that the board keeps", () => {
  let [shuffles, changed] = [0, 0];
  for (const { name } of read<LayoutEntry[]>("build/data/layouts.json")) {
    const known = layout(name);
    const ready = read<Record<string, string[]>>(`build/data/boards/${name}.json`);
    for (const [preset, [line]] of Object.entries(ready)) {
      const board = readNotation(line, known);
      // Rules of another preset, some of which the board breaks.
      for (const each of [rules.presets[preset], { reds_apart: true, terrain_cluster_max: 1 }]) {
        const asked = withHarbors(each, known, rules);
        for (const part of partsOf(board, asked, rules)) {
          const chosen = rulesFor(part, asked, known, rules);
          const kept = staying(part, board, open(known));
          const fields = attempts(part, board, chosen, rules).at(-1)!;
          const wanted = only(fields, chosen, rules);
          if (!isWalkable(known, wanted, rules, kept)) continue;
          const found = walkedBoard(known, wanted, rules, kept, 500);
          if (!found) continue; // the solver goes on
          shuffles++;
          changed += Number(notation(found) !== line);
          assert.ok(isInBox(found));
          assert.deepEqual({ ...found, [part]: board[part] }, board, `${part} of ${line}`);
          const before = checkedPlaces(board, chosen, rules);
          const after = checkedPlaces(found, chosen, rules);
          for (const field of Object.keys(before))
            if (!before[field].length) assert.deepEqual(after[field], [], `${field}: ${notation(found)}`);
        }
      }
    }
  }
  assert.ok(shuffles > 300 && changed > 0.9 * shuffles, `${changed} of ${shuffles}`);
});

test("orders, custom constraints and missing harbors are left to the solver", () => {
  const base = layout("base");
  const left: Chosen[] = [
    { symmetry: "corners" },
    { marker_order: "spiral" },
    { constraints: [{ text: "terrain[1] = ORE" }] },
  ];
  for (const chosen of left) assert.equal(isWalkable(base, chosen, rules, open(base)), false);
  const printed = withHarbors({}, base, rules);
  assert.equal(isWalkable(base, printed, rules, { ...open(base), harbors: [] }), false);
});

test("rules without a board end at the limit", () => {
  const base = layout("base");
  const start = performance.now();
  assert.equal(
    walkedBoard(base, possible({ vertex_pips_max: 8 }, base, rules), rules, open(base), 300),
    undefined,
  );
  assert.ok(performance.now() - start < 5000);
});
