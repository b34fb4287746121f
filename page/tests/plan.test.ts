/** That the steps of a plan make one board of the other, with as few exchanges as were made. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Layout } from "../src/core/data";
import { type Board, readNotation } from "../src/core/notation";
import { differing, planOf, type Step } from "../src/features/repair/plan";
import { changedInWords } from "../src/features/repair/repair";

const layout = JSON.parse(readFileSync("build/data/layouts/base.json", "utf8")) as Layout;
const BOARD = readNotation("o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11", layout);

function exchanged(board: Board, kind: Step["kind"], i: number, j: number): Board {
  const swap = <Piece>(all: Piece[]): Piece[] => all.with(i, all[j]).with(j, all[i]);
  return {
    ...board,
    terrain: kind === "markers" ? board.terrain : swap(board.terrain),
    markers: kind === "terrain" ? board.markers : swap(board.markers),
  };
}

/** What the steps make of a board; pieces of single tiles are those of `after`. */
function made(board: Board, steps: Step[], after: Board): Board {
  let now = board;
  for (const { kind, tiles } of steps) {
    const [i, j] = tiles;
    if (kind !== "tile") now = exchanged(now, kind, i, j);
    else {
      const [terrain, markers] = [
        now.terrain.with(i, after.terrain[i]),
        now.markers.with(i, after.markers[i]),
      ];
      now = { ...now, terrain, markers };
    }
  }
  return now;
}

test("one exchange of any two tiles is named as that exchange", () => {
  for (let j = 0; j < 19; j++) {
    for (let i = 0; i < j; i++) {
      for (const kind of ["both", "terrain", "markers"] as const) {
        const after = exchanged(BOARD, kind, i, j);
        const steps = planOf(BOARD, after);
        assert.ok(steps.length <= 1, `${kind} ${i} ${j}`);
        const { terrain, markers } = made(BOARD, steps, after);
        assert.deepEqual([terrain, markers], [after.terrain, after.markers]);
      }
    }
  }
});

test("the steps make any board of the same pieces, and name what comes from the box", () => {
  let board = BOARD;
  for (let n = 0; n < 500; n++) {
    const [i, j] = [(7 * n) % 19, (11 * n + 5) % 19];
    board = exchanged(board, (["both", "terrain", "markers"] as const)[n % 3], i, j);
    const steps = planOf(BOARD, board);
    const { terrain, markers } = made(BOARD, steps, board);
    assert.deepEqual([terrain, markers], [board.terrain, board.markers]);
    assert.ok(steps.length <= differing(BOARD, board).length);
  }
  const other = { ...BOARD, terrain: BOARD.terrain.with(0, "gold") };
  assert.deepEqual(planOf(BOARD, other), [{ kind: "tile", tiles: [0], pieces: ["ore"] }]);
});

test("what a repair changed names harbors, and tiles only if there are any", () => {
  const harbors = layout.harbors.map(([a, b, trade]) => ({ vertices: [a, b] as [number, number], trade }));
  const before = { ...BOARD, harbors };
  const [first, second, ...others] = harbors;
  const board = {
    ...before,
    harbors: [{ ...first, trade: second.trade }, { ...second, trade: first.trade }, ...others],
  };
  assert.equal(changedInWords({ before, board, tiles: [] }), "Harbors changed: 2");
  assert.equal(changedInWords({ before, board, tiles: [3] }), "Tiles changed: 1. Harbors changed: 2");
  assert.equal(changedInWords({ before, board: before, tiles: [] }), "Tiles changed: 0");
});
