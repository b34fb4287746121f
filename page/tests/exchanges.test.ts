/** That exchanges lead to even seats, to no others, and that Python agrees on what is legal and on the chances. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Layout, RulesData } from "../src/core/data";
import { Game } from "../src/core/draft";
import { type Board, notation, readNotation } from "../src/core/notation";
import { breaksNone } from "../src/core/places";
import { EVEN, evener, MOST, type Tried } from "../src/features/repair/exchanges";

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const { improvable } = read("build/vectors.json");
const rules: RulesData = read("build/data/rules.json");
const base: Layout = read("build/data/layouts/base.json");
const python = process.env.PYTHON ?? "../.venv/bin/python";

/** The boards at one exchange: the pairs of 18 numbers and of 19 tiles, less those that are alike. */
const NEIGHBOURS = (18 * 17) / 2 - 8 + (19 * 18) / 2 - 24;

/** The first board with even seats, or what was tried where there is none. */
function improved(board: Board, legal: (board: Board) => boolean, players = 4): Tried {
  let last: Tried | undefined;
  for (const tried of evener(board, players, rules.worth, legal)) {
    last = tried;
    if (tried.even) break;
  }
  return last!;
}

test("the fewest exchanges give even seats, and Python agrees", () => {
  const found: [string, unknown, number[]][] = [];
  const fewest: number[] = [];
  for (const { board: text, rules: chosen, spreads } of improvable) {
    const before = readNotation(text, base);
    const keeps = breaksNone(base, chosen, rules);
    const seen = new Map<string, boolean>();
    const { even, exchanges, nearest } = improved(before, (board) => {
      const legal = keeps(board);
      if (seen.size < NEIGHBOURS) seen.set(notation(board), legal);
      return legal;
    });
    const legal = [...seen].filter(([, kept]) => kept).map(([line]) => line);
    const single = Object.keys(spreads).filter((line) => spreads[line] <= EVEN);
    if (!even) {
      // Not every board has even seats at two exchanges, and none of these may have them at one.
      assert.deepEqual([single, nearest > EVEN], [[], true], text);
      continue;
    }
    fewest.push(exchanges);
    assert.equal(exchanges, single.length ? 1 : 2, text);
    if (exchanges === 1) assert.ok(single.includes(notation(even)), notation(even));
    else for (const line of Object.keys(spreads)) assert.ok(legal.includes(line), line);
    found.push([notation(even), chosen, new Game(even, 4, rules.worth).rest([])!.chances]);
  }
  assert.deepEqual([...new Set(fewest)].sort(), [1, 2]);
  assert.ok(found.length >= improvable.length - 2, `${found.length} of ${improvable.length}`);
  agrees(found);
});

test("five and six players have even seats on the large board, too", () => {
  const large: Layout = read("build/data/layouts/base-5-6.json");
  const [line] = read("build/data/boards/base-5-6.json").tournament;
  const chosen = { harbors: "printed", ...rules.presets.tournament };
  const found = [5, 6].map((players): [string, unknown, number[]] => {
    const { even } = improved(readNotation(line, large), breaksNone(large, chosen, rules), players);
    assert.ok(even);
    return [notation(even), chosen, new Game(even, players, rules.worth).rest([])!.chances];
  });
  assert.deepEqual(
    found.map(([, , chances]) => chances.length),
    [5, 6],
  );
  agrees(found);
});

/** Python finds each board legal by its rules, and its seats even with these chances. */
function agrees(found: [string, unknown, number[]][]): void {
  const code = `import json, sys
from catan_cp import Board, Rules, win_chances
for line, rules, chances in json.load(sys.stdin):
    board = Board.from_notation(line)
    assert not Rules.from_mapping(rules).check(board), line
    told = win_chances(board, [()] * len(chances))
    assert max(abs(a - b) for a, b in zip(told, chances, strict=True)) < 1e-9, line
    assert max(told) - min(told) <= ${EVEN}, line`;
  const { status, stderr } = spawnSync(python, ["-c", code], {
    input: JSON.stringify(found),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
}

test("where no board is legal, or none even, all of one and of two exchanges are tried", () => {
  const before = readNotation(improvable[0].board, base);
  const nothing = improved(before, () => false);
  assert.deepEqual([nothing.even, nothing.exchanges, nothing.nearest], [undefined, MOST, 1]);
  // Each pair of numbers or tiles that differ, and then each such pair again, no board twice.
  assert.ok(
    nothing.boards > 20_000 && nothing.boards < (NEIGHBOURS * (NEIGHBOURS + 1)) / 2,
    `${nothing.boards}`,
  );
});

test("on a large layout the search ends where it may, and says that there are more boards", () => {
  const islands: Layout = read("build/data/layouts/seafarers-10.json");
  const { counts, supply, tiles } = islands;
  // Any board of its pieces, in their order: none of them keeps the rules here, or all do.
  const terrain = Object.entries(counts).flatMap(([name, n]) => Array<string>(n).fill(name));
  const left = Object.entries(supply).flatMap(([marker, n]) => Array<number>(n).fill(Number(marker)));
  const markers = terrain.map((name) => (islands.unnumbered.includes(name) ? 0 : left.pop()!));
  const board: Board = { layout: islands, terrain, markers, harbors: [], grounds: [] };
  const last = (legal: boolean, limits: { boards: number; played: number }): Tried =>
    [...evener(board, 4, rules.worth, () => legal, limits)].at(-1)!;
  const unplayed = last(false, { boards: 5000, played: 10 });
  assert.deepEqual(unplayed, { exchanges: 2, boards: 5000, nearest: 1, cut: true });
  const played = last(true, { boards: 5000, played: 30 });
  assert.deepEqual([played.boards, played.cut], [30, true]);
  assert.ok(played.nearest < 1 && tiles.length === terrain.length);
});
