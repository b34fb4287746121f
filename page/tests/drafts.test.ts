/** Drafts on hundreds of boards: most of the time of these tests, so they are a process. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DraftGame } from "../src/core/draft";
import { isMeasured } from "../src/core/scores";
import { boards, close, vectors, worth } from "./stored_vectors";

interface Vector {
  board: number;
  players: number;
  placed: number[];
  order: number[];
  chances?: number[];
  moves?: [number, number][];
}

test("the line of play, its chances and all moves are those of Python, on hundreds of boards", () => {
  assert.ok(vectors.drafts.length >= 300);
  let [measured, longest] = [0, 0];
  for (const { board, players, placed, order, chances, moves } of vectors.drafts as Vector[]) {
    const where = `${vectors.boards[board]}, ${players} players, ${placed}`;
    const start = performance.now();
    const found = new DraftGame(boards[board], players, worth).course(placed);
    longest = Math.max(longest, performance.now() - start);
    assert.deepEqual(found.rest!.order, order, where);
    assert.equal(chances !== undefined, isMeasured(boards[board], worth, players));
    if (!chances || !moves) continue;
    measured++;
    for (const [player, chance] of found.rest!.chances.entries()) close(chance, chances[player]);
    assert.deepEqual(
      found.moves.map(({ vertex }) => vertex),
      moves.map(([vertex]) => vertex),
      where,
    );
    for (const [i, { chance }] of found.moves.entries()) close(chance, moves[i][1]);
  }
  assert.ok(measured > 240, `${measured}`);
  console.log("longest search, ms:", Math.round(longest));
});
