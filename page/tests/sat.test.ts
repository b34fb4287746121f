import assert from "node:assert/strict";
import { test } from "node:test";
import { type Lit, not, Sat } from "../src/sat";

/** Numbers below a bound, the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("clauses hold, with assumptions and without, where some values of all variables make them hold", () => {
  const below = numbers(7);
  const seen = { true: 0, false: 0 };
  for (let round = 0; round < 400; round++) {
    const n = 4 + below(7);
    const sat = new Sat();
    const variables = Array.from({ length: n }, () => sat.variable(below(2) === 1));
    const some = (count: number): Lit[] =>
      Array.from({ length: count }, () => variables[below(n)] + below(2));
    const clauses = Array.from({ length: 3 * n + below(2 * n) }, () => some(2 + below(2)));
    for (const clause of clauses) sat.add(clause);
    const holds = (lit: Lit, values: number): boolean => ((values >> (lit >> 1)) & 1) === (lit & 1 ? 0 : 1);
    for (const assumed of [[], some(1), some(2), some(3)]) {
      const wanted = [...clauses, ...assumed.map((lit) => [lit])];
      const all = (values: number): boolean =>
        wanted.every((clause) => clause.some((lit) => holds(lit, values)));
      const possible = Array.from({ length: 2 ** n }, (_, values) => values).some(all);
      assert.equal(sat.solve(assumed, 10_000), possible);
      if (possible) assert.ok(wanted.every((clause) => clause.some((lit) => sat.holds(lit))));
      seen[`${possible}`]++;
    }
  }
  assert.ok(seen.true > 100 && seen.false > 100, JSON.stringify(seen));
});

test("more things than places are refused, and a search ends at its limit without an answer", () => {
  const pigeons = (n: number): Sat => {
    const sat = new Sat();
    const at = Array.from({ length: n }, () => Array.from({ length: n - 1 }, () => sat.variable()));
    for (const places of at) sat.add(places);
    for (let p = 0; p < n - 1; p++)
      for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) sat.add([not(at[i][p]), not(at[j][p])]);
    return sat;
  };
  assert.equal(pigeons(7).solve([], 1_000_000), false);
  const large = pigeons(12);
  assert.equal(large.solve([], 20_000), undefined);
  assert.ok(large.steps >= 20_000 && large.steps < 22_000, `${large.steps}`);
});
