/** The tree of a draft: no line is lost, and a link contains all of it. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { createStore } from "../src/app/store";
import { addressOf, readAddress } from "../src/core/address";
import type { LayoutEntry, RulesData } from "../src/core/data";
import { open } from "../src/core/notation";
import { freeVertices } from "../src/core/odds";
import {
  beginsWith,
  linesOf,
  MOST_LINES,
  triedMoves,
  withLine,
  withMain,
  withoutMove,
} from "../src/core/tree";

const read = <T>(path: string): T => JSON.parse(readFileSync(`build/${path}`, "utf8")) as T;
const rules = read<RulesData>("data/rules.json");
const layouts = read<LayoutEntry[]>("data/layouts.json");
globalThis.fetch = async (path) => new Response(readFileSync(`build/${path}`));
const LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed";
const { board } = await readAddress(LINE, layouts, rules);
const { layout } = board!;

/** Steps of a player: back to a position with fewer moves, then some free vertices. */
const steps = fc.array(fc.tuple(fc.nat(8), fc.array(fc.nat(), { maxLength: 8 })), {
  minLength: 1,
  maxLength: 12,
});

/** The positions of such steps, and the lines that remain. */
function explored(all: [number, number[]][]): { visited: number[][]; lines: number[][] } {
  let [placed, lines]: [number[], number[][]] = [[], []];
  const visited: number[][] = [];
  for (const [back, choices] of all) {
    placed = placed.slice(0, back);
    for (const choice of choices) {
      if (placed.length === 8) break;
      const free = freeVertices(board!, placed);
      placed = [...placed, free[choice % free.length]];
      lines = withLine(lines, placed);
      visited.push(placed);
    }
  }
  return { visited, lines };
}

test("each position that was visited stays, and no line is part of another one", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { visited, lines } = explored(all);
      for (const moves of visited) assert.ok(lines.some((line) => beginsWith(line, moves)));
      for (const line of lines) assert.equal(lines.filter((other) => beginsWith(other, line)).length, 1);
      for (const moves of visited) {
        assert.ok(triedMoves(lines, moves.slice(0, -1)).includes(moves.at(-1)!));
        const main = withMain(lines, moves);
        assert.deepEqual([...main].sort(), [...lines].sort());
        assert.ok(beginsWith(main[0], moves));
        const fewer = withoutMove(lines, moves);
        assert.ok(!fewer.some((line) => beginsWith(line, moves)));
        for (const other of visited)
          assert.equal(
            fewer.some((line) => beginsWith(line, other)),
            !beginsWith(other, moves),
          );
      }
    }),
  );
});

test("a link is read as it was written, with tree and position", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), fc.nat(8), async (all, i, length) => {
      const { lines } = explored(all);
      const placed = lines.length ? lines[i % lines.length].slice(0, length) : [];
      const draft = { players: 4, placed, lines };
      const text = addressOf(board!, {}, open(layout), draft, rules);
      const found = await readAddress(text, layouts, rules);
      assert.deepEqual(found.refused, []);
      assert.deepEqual(linesOf(found.draft ?? { placed: [] }), lines);
      assert.deepEqual(found.draft?.placed ?? [], placed);
    }),
  );
});

test("a stranger's tree is refused if it has impossible or too many lines", async () => {
  const many = Array.from({ length: MOST_LINES + 1 }, () => "0").join("_");
  for (const [fields, draft, refused] of [
    [
      "players=4&placed=0&lines=0.20_0.21",
      {
        players: 4,
        placed: [0],
        lines: [
          [0, 20],
          [0, 21],
        ],
      },
      [],
    ],
    ["players=4&lines=0_0.20", { players: 4, placed: [], lines: [[0, 20]] }, []],
    ["players=4&placed=9&lines=0.20", { players: 4, placed: [], lines: [[0, 20]] }, ["placed=9"]],
    ["players=4&placed=9&lines=0.1", { players: 4, placed: [9] }, ["lines=0.1"]],
    ["players=9&lines=0", undefined, ["lines=0"]],
    ["players=4&lines=", undefined, ["lines="]],
    [`players=4&lines=${many}`, undefined, [`lines=${many}`]],
  ] as const) {
    const found = await readAddress(`${LINE}&${fields}`, layouts, rules);
    assert.deepEqual([found.draft, found.refused], [draft, refused]);
  }
});

test("undo keeps the lines of the draft", async () => {
  const { createActions } = await import("../src/app/actions");
  const store = createStore();
  const actions = createActions(store, {} as never, rules, layouts);
  const lines = () => linesOf(store.state.work.draft);
  actions.place([0]);
  actions.place([0, 20]);
  actions.undo();
  assert.deepEqual([store.state.work.draft.placed, lines()], [[0], [[0, 20]]]);
  actions.place([0, 21]);
  assert.deepEqual(lines(), [
    [0, 20],
    [0, 21],
  ]);
  actions.removeMove();
  assert.deepEqual([store.state.work.draft.placed, lines()], [[0], [[0, 20]]]);
  actions.undo();
  assert.equal(lines().length, 2);
  actions.redo();
  assert.deepEqual(lines(), [[0, 20]]);
});
