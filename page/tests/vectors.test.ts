import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Layout } from "../src/data";
import { Game } from "../src/draft";
import { notation, readNotation } from "../src/notation";
import { efficiencies, efficiencyError, terrainPips, vertexPips, vertexValues } from "../src/scores";

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const vectors = read("build/vectors.json");
const layouts: Record<string, Layout> = {};
for (const name of new Set<string>(vectors.layouts)) layouts[name] = read(`build/data/layouts/${name}.json`);
const boards = vectors.boards.map((text: string, i: number) =>
  readNotation(text, layouts[vectors.layouts[i]]),
);
const close = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("the notation reads and writes as in Python", () => {
  assert.ok(boards.length >= 300);
  boards.forEach((board: ReturnType<typeof readNotation>, i: number) => {
    assert.equal(notation(board), vectors.boards[i]);
  });
});

test("scores are those of Python", () => {
  boards.forEach((board: ReturnType<typeof readNotation>, i: number) => {
    const found = efficiencies(board);
    assert.deepEqual(Object.keys(found), Object.keys(vectors.efficiency[i]));
    for (const [name, value] of Object.entries(found)) close(value, vectors.efficiency[i][name]);
    const error = efficiencyError(board);
    if (error === undefined) assert.equal(vectors.error[i], null);
    else close(error, vectors.error[i]);
    assert.deepEqual(vertexPips(board), vectors.pips[i]);
    assert.deepEqual(terrainPips(board), vectors.terrain_pips[i]);
    vertexValues(board).forEach((value, v) => {
      close(value, vectors.values[i][v]);
    });
  });
});

for (const players of [2, 3, 4]) {
  test(`${players} players place as in Python, on hundreds of boards`, () => {
    vectors.placements[players].forEach((pairs: number[][], i: number) => {
      assert.deepEqual(new Game(boards[i], players).play([]), pairs, vectors.boards[i]);
    });
  });
}

test("the best three moves are those of Python, from any position", () => {
  const times: number[] = [];
  for (const { board, players, placed, best } of vectors.moves) {
    const start = performance.now();
    const found = new Game(boards[board], players).bestMoves(placed, 3);
    times.push(performance.now() - start);
    assert.deepEqual(
      found.map((move) => [move.player, move.vertex, move.value, move.pairs]),
      best,
      `${vectors.boards[board]} ${placed}`,
    );
  }
  console.log("best moves, ms:", Math.round(Math.max(...times)), "at most");
});
