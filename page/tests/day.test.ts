/** Settle of the day: its boards, and the days that the device stores. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { CLOSE } from "../src/core/chance_game";
import type { Layout, RulesData } from "../src/core/data";
import { DraftGame } from "../src/core/draft";
import { isInBox } from "../src/core/entry";
import { notation } from "../src/core/notation";
import { checkedPlaces } from "../src/core/places";
import { vertexPips } from "../src/core/scores";
import { boardOf, dayOf, PLAYERS, played, store } from "../src/features/day/day";
import { facts } from "../src/features/day/grade";

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const rules = read<RulesData>("build/data/rules.json");
const base = read<Layout>("build/data/layouts/base.json");
const FIRST = dayOf(new Date(2026, 10, 27));
const TEN_YEARS = 3653;

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  const getItem = (name: string) => stored.get(name) ?? null;
  const setItem = (name: string, value: string) => void stored.set(name, value);
  Object.assign(globalThis, { localStorage: { getItem, setItem } });
});

test("ten years of distinct boards", () => {
  const seats = Array(PLAYERS).fill(0);
  const orbits = new Set<string>();
  const hash = createHash("sha256");
  let longest = 0;
  for (let day = FIRST; day < FIRST + TEN_YEARS; day++) {
    const start = performance.now();
    const { board, seat } = boardOf(day, base, rules);
    longest = Math.max(longest, performance.now() - start);
    assert.ok(isInBox(board), notation(board));
    assert.deepEqual(Object.values(checkedPlaces(board, rules.presets.tournament, rules)).flat(), []);
    const images = base.symmetries.map((tiles) =>
      tiles.map((t) => `${board.terrain[t]} ${board.markers[t]}`).join(),
    );
    orbits.add(images.sort()[0]);
    hash.update(`${seat} ${notation(board)}\n`);
    seats[seat]++;
  }
  assert.equal(orbits.size, TEN_YEARS);
  assert.ok(longest < 1000, `${longest} ms`);
  assert.ok(Math.min(...seats) > TEN_YEARS / 5, String(seats));
  // Another hash means other boards than those of pages that are in use: only a change of the rules may do that.
  assert.equal(hash.digest("hex").slice(0, 16), "ec100f592df73df9");
});

test("local dates", () => {
  assert.equal(dayOf(new Date(2026, 10, 27, 23, 59)), FIRST);
  assert.equal(dayOf(new Date(2026, 10, 28, 0, 0)), FIRST + 1);
  assert.equal(dayOf(new Date(2036, 10, 27)), FIRST + TEN_YEARS);
});

test("streaks of successive days", () => {
  const streaks = [0, 1, 1, 3, 4].map((later) => {
    store(FIRST + later, [7]);
    return store(FIRST + later, [7, 20]).streak;
  });
  assert.deepEqual(streaks, [1, 2, 2, 1, 2]);
  assert.deepEqual(played(FIRST + 4).picks, [7, 20]);
  assert.deepEqual(played(FIRST + 5).picks, []);
});

test("impossible stored days", () => {
  const possible = { day: FIRST, picks: [7], last: FIRST - 1, streak: 3 };
  const none = { day: FIRST, picks: [], last: 0, streak: 0 };
  const cases: [unknown, object][] = [
    [possible, possible],
    [
      { ...possible, picks: ["7"] },
      { ...possible, picks: [] },
    ],
    [
      { ...possible, picks: [1, 2, 3] },
      { ...possible, picks: [] },
    ],
    [
      { ...possible, streak: -1 },
      { ...none, picks: [7] },
    ],
    [
      { ...possible, last: FIRST + 1 },
      { ...none, picks: [7] },
    ],
    ...[null, 7, [], {}, "x"].map((junk): [unknown, object] => [junk, none]),
  ];
  for (const [text, wanted] of cases) {
    stored.set("catan-cp.day", JSON.stringify(text));
    assert.deepEqual(played(FIRST), wanted, JSON.stringify(text));
  }
  stored.set("catan-cp.day", "{");
  assert.deepEqual(played(FIRST), none);
});

test("facts about better settlements", () => {
  let [compared, seen] = [0, new Set<string>()];
  for (let day = FIRST; day < FIRST + 20; day++) {
    const { board, seat } = boardOf(day, base, rules);
    const game = new DraftGame(board, PLAYERS, rules.worth);
    const line = game.rest([])!.order;
    const pips = vertexPips(board);
    for (const placed of [line.slice(0, seat), line.slice(0, 2 * PLAYERS - 1 - seat)]) {
      const { moves } = game.course(placed);
      const [better, others] = [moves[0], moves.filter(({ chance }) => chance < moves[0].chance - CLOSE)];
      for (const other of others) {
        const text = facts(board, better, other);
        const [pair, otherPair] = [better, other].map(({ rest }) => rest.pairs[seat]);
        const is = (pattern: RegExp, holds: (values: string[]) => boolean) => {
          const match = pattern.exec(text);
          if (match) seen.add(pattern.source);
          assert.ok(!match || holds(match.slice(1)), `${notation(board)} ${placed} ${other.vertex}: ${text}`);
        };
        const equals = (values: string[], ...wanted: number[]) =>
          values.map(Number).join() === wanted.join() && wanted[0] > wanted[1];
        const has = (vertices: number[], name: string) =>
          vertices.some((v) => base.vertexTiles[v].some((t) => board.terrain[t] === name));
        is(/it has (\d+) pips instead of (\d+)/, (n) => equals(n, pips[better.vertex], pips[other.vertex]));
        is(/second .* with (\d+) pips instead of (\d+)/, (n) => equals(n, pips[pair[1]], pips[otherPair[1]]));
        is(/also get (\w+)/, ([name]) => name === "a" || (has(pair, name) && !has(otherPair, name)));
        is(/player (\d) less/, ([n]) => other.rest.chances[+n - 1] > better.rest.chances[+n - 1]);
        is(/enough: (\d+) against (\d+)/, (n) => equals(n, pips[other.vertex], pips[better.vertex]));
        is(/a harbor (2:1 \w+|3:1)/, ([trade]) =>
          board.harbors.some((h) => h.vertices.some((v) => pair.includes(v)) && trade.endsWith(h.trade)),
        );
        assert.match(text, /\w\.$|\w\. /);
        compared++;
      }
    }
  }
  assert.ok(compared > 1000 && seen.size === 6, `${compared} ${[...seen]}`);
});
