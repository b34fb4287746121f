import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Layout, Worth } from "../src/core/data";
import { Game } from "../src/core/draft";
import {
  drawn,
  emptied,
  isComplete,
  laid,
  markersFor,
  missing,
  nextTile,
  patternOf,
  terrainsFor,
} from "../src/core/entry";
import { BadNotation, isPattern, layoutOf, notation, readNotation, readPattern } from "../src/core/notation";
import { efficiencies, efficiencyError, isMeasured, terrainPips, vertexPips } from "../src/core/scores";

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const vectors = read("build/vectors.json");
const { worth } = read("build/data/rules.json") as { worth: Worth };
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

test("thousands of texts that are nearly notations are read, or refused, as in Python", () => {
  const entries = read("build/data/layouts.json");
  const reading = (text: string): unknown => {
    try {
      const name = layoutOf(text, entries);
      layouts[name] ??= read(`build/data/layouts/${name}.json`);
      const layout = layouts[name];
      if (!isPattern(text, layout)) return { board: notation(readNotation(text, layout)) };
      const { terrain, markers } = readPattern(text, layout);
      return { terrain: terrain.map((each) => each ?? null), markers: markers.map((each) => each ?? null) };
    } catch (reason) {
      if (reason instanceof BadNotation) return null;
      throw reason;
    }
  };
  const wrong = vectors.notations.filter(
    ([text, expected]: [string, unknown]) => JSON.stringify(reading(text)) !== JSON.stringify(expected),
  );
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${vectors.notations.length}`);
  const taken = vectors.notations.filter(([, expected]: [string, unknown]) => expected !== null).length;
  assert.ok(taken > 1000 && vectors.notations.length - taken > 2000, `${taken} are taken`);
});

test("chances to win in the middle of a draft are those of Python", () => {
  assert.ok(vectors.positions.length > 1000);
  for (const { board, players, placed, chances } of vectors.positions) {
    const found = new Game(boards[board], players, worth).rest(placed)!.chances;
    assert.equal(found.length, players);
    found.forEach((chance, player) => {
      close(chance, chances[player]);
    });
  }
});

test("the best moves are those of Python, from any position, and so are their chances", () => {
  const times: number[] = [];
  let measured = 0;
  for (const { board, players, placed, best } of vectors.moves) {
    const start = performance.now();
    const game = new Game(boards[board], players, worth);
    const moves = game.moves(placed);
    times.push(performance.now() - start);
    const order = moves.map(({ player, vertex }) => [player, vertex]);
    const expected = best.map(([player, vertex]: number[]) => [player, vertex]);
    if (isMeasured(boards[board], worth, players)) {
      measured++;
      for (const [i, { chance }] of moves.slice(1).entries()) assert.ok(chance < moves[i].chance + 1e-8);
      order.sort(([, a], [, b]) => a - b);
      expected.sort(([, a]: number[], [, b]: number[]) => a - b);
    }
    assert.deepEqual(order, expected, `${vectors.boards[board]} ${placed}`);
    const chances = new Map<number, number>(best.map(([, vertex, chance]: number[]) => [vertex, chance]));
    for (const { vertex, chance } of moves) close(chance, chances.get(vertex)!);
  }
  assert.ok(measured > 20 && measured < vectors.moves.length - 10, `${measured}`);
  console.log("all moves, ms:", Math.round(Math.max(...times)), "at most");
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
  });
});

for (const players of [2, 3, 4]) {
  test(`${players} players place as in Python, on hundreds of boards`, () => {
    vectors.placements[players].forEach((pairs: number[][], i: number) => {
      assert.deepEqual(new Game(boards[i], players, worth).play([]), pairs, vectors.boards[i]);
    });
  });
}

test("each board is laid by hand from the pieces that are offered, one tile after the other", () => {
  for (const { layout: name, board: text } of vectors.laid) {
    layouts[name] ??= read(`build/data/layouts/${name}.json`);
    const layout = layouts[name];
    const board = readNotation(text, layout);
    let pattern = emptied(layout);
    let t = nextTile(pattern, -1, layout);
    for (let steps = 0; t !== undefined; steps++) {
      assert.ok(steps < 2 * layout.tiles.length);
      const isOpen = pattern.terrain[t] === undefined;
      const offered: (string | number)[] = (isOpen ? terrainsFor : markersFor)(pattern, t, layout).map(
        ([piece]) => piece,
      );
      const piece = isOpen ? board.terrain[t] : board.markers[t];
      assert.ok(offered.includes(piece), `${piece} on ${t}: ${notation(board)}`);
      pattern = laid(pattern, t, piece, layout);
      t = nextTile(pattern, t, layout);
    }
    assert.ok(isComplete(pattern, layout));
    assert.equal(notation(drawn(pattern, board)), notation(board));
    assert.deepEqual(missing(pattern, layout), { tiles: 0, markers: 0 });
  }
});

test("two terrains change places by taking one off and laying it on the other", () => {
  const [board] = boards as ReturnType<typeof readNotation>[];
  const { layout } = board;
  const [a, b] = [
    0,
    board.terrain.findIndex((name, t) => name !== board.terrain[0] && board.markers[t] && board.markers[0]),
  ];
  const off = laid(patternOf(board), a, board.terrain[a], layout);
  assert.ok(!isComplete(off, layout));
  assert.deepEqual(
    terrainsFor(off, b, layout)
      .map(([name]) => name)
      .sort(),
    [board.terrain[a], board.terrain[b]].sort(),
  );
  const swapped = laid(off, b, board.terrain[a], layout);
  assert.ok(isComplete(swapped, layout));
  assert.deepEqual(
    [swapped.terrain[a], swapped.terrain[b], swapped.markers],
    [board.terrain[b], board.terrain[a], patternOf(board).markers],
  );
});
