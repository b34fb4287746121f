/** Properties on random input: notation, constraints, drafts, and undo. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { createStore, type Work } from "../src/app/store";
import { excerptAt, faultOf, OwnText } from "../src/core/constraint";
import type { Layout, RulesData } from "../src/core/data";
import { DraftGame, snake } from "../src/core/draft";
import {
  emptied,
  harborPlaces,
  harborsWith,
  isComplete,
  markersFor,
  nextTile,
  terrainsFor,
  withPiece,
} from "../src/core/entry";
import {
  BadNotation,
  type Board,
  isPattern,
  notation,
  type Pattern,
  patternText,
  printedHarbors,
  readNotation,
  readPattern,
} from "../src/core/notation";
import { freeVertices, openVertices } from "../src/core/odds";

const read = <T>(path: string): T => JSON.parse(readFileSync(`build/data/${path}`, "utf8")) as T;
const rules = read<RulesData>("rules.json");
const NAMES = ["base", "base-5-6", "seafarers-6", "rivers-of-catan", "fishermen-of-catan"];
const layouts = Object.fromEntries(NAMES.map((name) => [name, read<Layout>(`layouts/${name}.json`)]));
const names = fc.constantFrom(...NAMES);
const numbers = fc.infiniteStream(fc.nat());

/** Lays pieces from the box at random, tile after tile, up to a number of them. */
function entered(layout: Layout, random: Iterator<number>, most = Number.POSITIVE_INFINITY): Pattern {
  let pattern = emptied(layout);
  for (let i = 0; i < most && !isComplete(pattern, layout); i++) {
    const t = nextTile(pattern, -1, layout)!;
    const terrains = terrainsFor(pattern, t, layout);
    const pieces = pattern.terrain[t] === undefined ? terrains : markersFor(pattern, t, layout);
    if (!pieces.length) break;
    pattern = withPiece(pattern, t, pieces[random.next().value! % pieces.length][0], layout);
  }
  return pattern;
}

/** A board whose pieces are withPiece at random, again if the last ones fit nowhere. */
function anyBoard(layout: Layout, random: Iterator<number>): Board {
  for (;;) {
    const { terrain, markers } = entered(layout, random);
    if (!isComplete({ terrain, markers }, layout)) continue;
    const harbors: Board["harbors"] = [];
    return {
      layout,
      terrain: terrain as string[],
      markers: markers.map((each) => each ?? 0),
      harbors,
      grounds: [],
    };
  }
}

/** A text with one of its characters replaced, removed or doubled. */
const spoilt = (text: string, at: number, by: string): string =>
  text.slice(0, at % (text.length + 1)) + by + text.slice((at % (text.length + 1)) + (by.length % 2));

const SIGNS = [
  "",
  "x",
  "7",
  "/",
  ":",
  "@",
  "+",
  "=",
  "-",
  ",",
  " ",
  "o6",
  "w2",
  "x0",
  "printed",
  "é",
  "\u0000",
];

test("a board is read as it was written", () => {
  fc.assert(
    fc.property(names, numbers, (name, random) => {
      const layout = layouts[name];
      const board = anyBoard(layout, random);
      assert.deepEqual(readNotation(notation(board), layout), board);
    }),
  );
});

test("a pattern is read as it was written, however many tiles are open", () => {
  fc.assert(
    fc.property(names, numbers, fc.nat(60), (name, random, n) => {
      const layout = layouts[name];
      const pattern = entered(layout, random, n);
      assert.deepEqual(readPattern(patternText(pattern, layout), layout), pattern);
    }),
  );
});

test("any text is a board, a pattern or a BadNotation, and what is read is written alike", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }).map((each) => () => each),
    fc.tuple(numbers, fc.nat(), fc.constantFrom(...SIGNS)).map(
      ([random, at, by]) =>
        (layout: Layout) =>
          spoilt(notation(anyBoard(layout, random)), at, by),
    ),
  );
  let [boards, others] = [0, 0];
  fc.assert(
    fc.property(names, text, (name, make) => {
      const layout = layouts[name];
      const line = make(layout);
      try {
        if (isPattern(line, layout)) {
          const pattern = readPattern(line, layout);
          assert.deepEqual(readPattern(patternText(pattern, layout), layout), pattern);
        } else {
          const board = readNotation(line, layout);
          assert.equal(notation(readNotation(notation(board), layout)), notation(board));
          boards++;
        }
      } catch (reason) {
        if (!(reason instanceof BadNotation)) throw reason;
        others++;
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(boards > 10 && others > 100, `${boards} boards, ${others} not`);
});

const { keywords, functions, names: known, globals } = rules.constraints;
const WORDS = [...keywords, ...functions.slice(0, 40), ...Object.keys(known), ...Object.keys(globals)];
const PARTS = [
  ...WORDS,
  "ORE",
  "LAKE",
  "t",
  "1",
  "2.5",
  "=",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ";",
  ",",
  "::",
  "/*",
  "\n",
];

test("a constraint is accepted, or rejected at a place inside its text, and no comment or string gets through", () => {
  const mixed = fc
    .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 30 })
    .map((all) => all.join(" "));
  const simple = fc
    .tuple(fc.nat(18), fc.constantFrom("ORE", "WOOL", "GRAIN"), fc.constantFrom("=", "!="))
    .map(([t, name, sign]) => `terrain[${t + 1}] ${sign} ${name}`);
  const joined = fc.array(simple, { minLength: 1, maxLength: 4 }).map((all) => all.join(" /\\ "));
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(joined, mixed, fc.string({ unit: "binary" })), (text) => {
      const fault = faultOf(text, layouts.base, true, rules.constraints);
      const { line, column } = excerptAt(text, fault?.at ?? 0);
      const lines = text.split("\n");
      assert.ok(line <= lines.length && column <= lines[line - 1].length + 1);
      if (fault) return;
      accepted++;
      const given = new OwnText([{ text }], layouts.base, rules.constraints).text;
      assert.doesNotMatch(given.replace(/^include "[a-z_]+\.mzn";$/gm, ""), /["'%]|\/\*|::/);
    }),
    { numRuns: 1000 },
  );
  assert.ok(accepted > 100, `${accepted} are accepted`);
});

test("a draft by any moves offers free vertices alone, the highest chance first, and its chances are probabilities", () => {
  const players = fc.integer({ min: 2, max: 4 });
  fc.assert(
    fc.property(players, fc.nat(7), numbers, (n, turns, random) => {
      const board = anyBoard(layouts.base, random);
      const game = new DraftGame(board, n, rules.worth);
      const placed: number[] = [];
      for (let turn = 0; turn < Math.min(turns, 2 * n - 1); turn++) {
        const free = freeVertices(board, placed);
        placed.push(free[random.next().value! % free.length]);
      }
      const near = new Set(placed.flatMap((v) => [v, ...board.layout.vertexNeighbors[v]]));
      const free = openVertices(board).filter((v) => !near.has(v));
      assert.deepEqual(freeVertices(board, placed), free);
      const { moves, rest: next } = game.course(placed);
      const rest = game.rest(placed)!;
      assert.deepEqual(next, rest);
      assert.deepEqual(
        moves.map(({ vertex }) => vertex).sort((a, b) => a - b),
        free,
      );
      const order = snake(n);
      assert.deepEqual(
        placed.map((v) => rest.pairs.findIndex((pair) => pair.includes(v))),
        order.slice(0, placed.length),
      );
      assert.ok(rest.chances.every((chance) => chance > 0 && chance < 1));
      assert.ok(Math.abs(rest.chances.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-9);
      const player = order[placed.length];
      for (const { vertex, chance } of moves.slice(0, 3)) {
        assert.equal(game.rest([...placed, vertex])!.chances[player], chance);
        if (n > 2) assert.ok(chance <= moves[0].chance);
      }
      assert.equal(moves[0].chance, rest.chances[player]);
      assert.equal(moves[0].vertex, rest.order[placed.length]);
    }),
    { numRuns: 30 },
  );
});

test("harbors entered clockwise become any arrangement of the box, by one choice each", () => {
  const chosen = fc.constantFrom("base", "base-5-6");
  fc.assert(
    fc.property(chosen, numbers, (name, random) => {
      const layout = layouts[name];
      const printed = printedHarbors(layout);
      const trades = printed.map(({ trade }) => trade).sort((a, b) => a.localeCompare(b));
      const turn = ({ vertices: [v] }: (typeof printed)[number]): number => {
        const all = layout.vertices;
        const middle = [0, 1].map((axis) => all.reduce((sum, at) => sum + at[axis], 0) / all.length);
        return Math.atan2(all[v][1] - middle[1], all[v][0] - middle[0]);
      };
      const clockwise = [...printed].sort((a, b) => turn(a) - turn(b)).map(({ vertices }) => vertices);
      let harbors = printed;
      const wanted = new Map<string, string>();
      for (const place of clockwise) {
        const [trade] = trades.splice(random.next().value! % trades.length, 1);
        wanted.set(place.join(), trade);
        if (harbors.find(({ vertices }) => vertices.join() === place.join())!.trade !== trade)
          harbors = harborsWith(harbors, place, trade, layout);
      }
      const found = new Map(harbors.map(({ vertices, trade }) => [vertices.join(), trade]));
      assert.equal(found.size, wanted.size);
      for (const [place, trade] of wanted) assert.equal(found.get(place), trade, place);
      const board = { ...anyBoard(layout, random), harbors };
      const [at] = clockwise;
      const without = harborsWith(harbors, at, wanted.get(at.join())!, layout);
      assert.equal(without.length, harbors.length - 1);
      assert.equal(harborPlaces({ ...board, harbors: without }, true).length, printed.length);
      const back = harborsWith(without, at, wanted.get(at.join())!, layout);
      assert.equal(notation({ ...board, harbors: back }), notation(board));
    }),
  );
});

test("undo and redo restore each step, and a step after undo replaces those that were undone", () => {
  const placed = fc.array(fc.nat(53), { maxLength: 8 });
  const step = fc.oneof(
    placed.map((all): Partial<Work> => ({ draft: { players: 4, placed: all } })),
    fc.nat(18).map((touched): Partial<Work> => ({ touched })),
  );
  const act = fc.oneof(
    { weight: 3, arbitrary: step },
    { weight: 2, arbitrary: fc.constantFrom("past" as const, "future" as const) },
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const store = createStore();
      const seen = [store.state.work];
      let at = 0;
      for (const each of acts) {
        if (each === "past") at = Math.max(0, at - 1);
        else if (each === "future") at = Math.min(seen.length - 1, at + 1);
        if (typeof each === "string") store.step(each);
        else {
          store.change(each);
          seen.splice(++at, seen.length, store.state.work);
        }
        assert.equal(store.state.work, seen[at]);
      }
    }),
  );
});
