/**
 * That the page's own search changes as few tiles as the library's `repair_board`, and that Python allows what comes out.
 * The boards are stored (see repairs.py, which makes more of them: REPAIRED=FILE has them tried instead).
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Chosen, Layout, RulesData } from "../src/data";
import { nearest } from "../src/nearest";
import { notation, readNotation } from "../src/notation";
import { differing } from "../src/repair";

interface Given {
  board: string;
  rules: Chosen;
  layout: string;
  /** How many change; null where no board is allowed. */
  tiles: number | null;
}

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const lines = readFileSync(process.env.REPAIRED ?? "tests/repairs.jsonl", "utf8")
  .trim()
  .split("\n");
const all = lines.map((line) => JSON.parse(line) as Given);
const rules: RulesData = read("build/data/rules.json");
const layouts: Record<string, Layout> = {};
const layoutOf = (name: string): Layout => {
  layouts[name] ??= read(`build/data/layouts/${name}.json`);
  return layouts[name];
};
const python = process.env.PYTHON ?? "../.venv/bin/python";

test("boards of many layouts are repaired by as few tiles as Python's, and Python allows them", () => {
  const found: [string, Chosen][] = [];
  const times: number[] = [];
  for (const { board, rules: chosen, layout, tiles } of all) {
    const before = readNotation(board, layoutOf(layout));
    const start = performance.now();
    const after = nearest(before, chosen, rules);
    times.push(performance.now() - start);
    if (!after) continue; // left to the models
    assert.equal(differing(before, after).length, tiles, `${board} ${JSON.stringify(chosen)}`);
    found.push([notation(after), chosen]);
  }
  times.sort((a, b) => a - b);
  const middle = Math.round(times[times.length >> 1]);
  console.log(
    `repaired: ${found.length} of ${all.length}, ${middle} ms in the middle, ${Math.round(times.at(-1)!)} at most`,
  );
  assert.ok(all.length >= 200);
  assert.ok(found.length >= 0.9 * all.length, `${found.length} of ${all.length}`);
  const code = `import json, sys
from catan_cp import Board, Rules
for line, rules in json.load(sys.stdin):
    assert not Rules.from_mapping(rules).check(Board.from_notation(line)), (line, rules)`;
  const { status, stderr } = spawnSync(python, ["-c", code], {
    input: JSON.stringify(found),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
});

const LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed";
const base = layoutOf("base");
const tournament: Chosen = { harbors: "printed", ...rules.presets.tournament };

test("a board that keeps the rules stays, and terrain alone is repaired as terrain alone", () => {
  const [line] = read("build/data/boards/base.json").tournament;
  const board = readNotation(line, base);
  assert.equal(notation(nearest(board, tournament, rules)!), line);
  const bare = readNotation(line.replace(/[0-9]+(?=[a-z/:])/g, ""), base);
  const numbered = nearest(bare, tournament, rules)!;
  assert.deepEqual(numbered.terrain, board.terrain);
  assert.ok(numbered.markers.some((marker) => marker > 0));
});

test("the models are left what the search cannot settle", () => {
  const board = readNotation(LINE, base);
  const own = { ...tournament, constraints: [{ text: "marker[1] = 2" }] };
  assert.equal(nearest(board, own, rules), undefined);
  // Nothing can be done: the rule book's spiral with no corner above 8 pips.
  assert.equal(nearest(board, { ...rules.presets.official, vertex_pips_max: 8 }, rules), undefined);
});

test("of the boards with the fewest tiles changed, one with the fewest harbors changed is taken", () => {
  const chosen: Chosen = { reds_apart: true, harbors: "shuffled", harbor_own_terrain_apart: true };
  const before = readNotation(LINE, base);
  const after = nearest(before, chosen, rules)!;
  const changed = after.harbors.filter(({ trade }, i) => trade !== before.harbors[i].trade).length;
  const code = `import json, sys
from catan_cp import Board, Rules, repair_board
board, rules = json.load(sys.stdin)
board, rules = Board.from_notation(board), Rules.from_mapping(rules)
best = repair_board(board, rules)
print(json.dumps([best.value, sum(a != b for a, b in zip(best.board.harbors, board.harbors))]))`;
  const { stdout, stderr } = spawnSync(python, ["-c", code], {
    input: JSON.stringify([LINE, chosen]),
    encoding: "utf8",
  });
  assert.deepEqual(JSON.parse(stdout || "null"), [differing(before, after).length, changed], stderr);
});
