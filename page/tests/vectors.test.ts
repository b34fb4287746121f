import assert from "node:assert/strict";
import { test } from "node:test";
import { CLOSE } from "../src/core/chance_game";
import { DraftGame } from "../src/core/draft";
import {
  drawn,
  emptied,
  isComplete,
  markersFor,
  missing,
  nextTile,
  patternOf,
  terrainsFor,
  withPiece,
} from "../src/core/entry";
import { BadNotation, isPattern, layoutOf, notation, readNotation, readPattern } from "../src/core/notation";
import { efficiencies, efficiencyError, terrainPips, vertexPips } from "../src/core/scores";
import { boards, close, layouts, read, vectors, worth } from "./stored_vectors";

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

test("the bar, the best moves and the line of play are one answer, and the best moves keep it", () => {
  for (const [board, players] of [
    [boards[0], 4],
    [boards[1], 3],
    [boards[2], 4],
  ] as const) {
    const game = new DraftGame(board, players, worth);
    const { order, chances } = game.rest([])!;
    for (const turn of Array(2 * players).keys()) {
      const { rest, moves } = game.course(order.slice(0, turn));
      assert.deepEqual(rest!.order, order);
      assert.deepEqual(rest!.chances, chances);
      assert.deepEqual(game.rest(order.slice(0, turn))!.chances, chances);
      assert.equal(moves[0].vertex, order[turn]);
      assert.equal(moves[0].chance, chances[moves[0].player - 1]);
      for (const { chance } of moves) assert.ok(chance <= moves[0].chance + CLOSE);
    }
  }
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
      pattern = withPiece(pattern, t, piece, layout);
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
  const off = withPiece(patternOf(board), a, board.terrain[a], layout);
  assert.ok(!isComplete(off, layout));
  assert.deepEqual(
    terrainsFor(off, b, layout)
      .map(([name]) => name)
      .sort(),
    [board.terrain[a], board.terrain[b]].sort(),
  );
  const swapped = withPiece(off, b, board.terrain[a], layout);
  assert.ok(isComplete(swapped, layout));
  assert.deepEqual(
    [swapped.terrain[a], swapped.terrain[b], swapped.markers],
    [board.terrain[b], board.terrain[a], patternOf(board).markers],
  );
});
