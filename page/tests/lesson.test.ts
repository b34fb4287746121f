import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { splitItems } from "../src/core/constraint";
import type { Layout, RulesData } from "../src/core/data";
import { readNotation } from "../src/core/notation";
import { excerpt, hintForReds, hintForSquare } from "../src/features/lesson/checks";

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const rules = read<RulesData>("build/data/rules.json");
const base = read<Layout>("build/data/layouts/base.json");

test("both magic squares are accepted, and of others the first broken line is named", () => {
  for (const square of ["276951438", "294753618"])
    assert.equal(hintForSquare([...square].map(Number)), undefined);
  const hint = (text: string) => hintForSquare([...text].map((each) => Number(each) || undefined));
  assert.deepEqual(hint("27695143 "), { key: "square.empty" });
  assert.deepEqual(hint("277951438"), { key: "square.twice", values: { n: 7 } });
  assert.deepEqual(hint("267951438"), { key: "square.column", values: { n: "2", sum: 14 } });
  assert.deepEqual(hint("159267348"), { key: "square.column", values: { n: "1", sum: 6 } });
  assert.deepEqual(hint("951276438"), { key: "square.diagonal", values: { n: "1", sum: 24 } });
});

test("two red tiles that touch are accepted in either order", () => {
  const board = readNotation("o6w8l9/g12b2w4b10/g9l11dl3o8/l10o3g4w5/b5g6w11", base);
  const hint = (...tiles: number[]) => hintForReds(board, tiles, { layout: base, rules, models: {} })?.key;
  assert.deepEqual([hint(0, 1), hint(1, 0)], [undefined, undefined]);
  assert.deepEqual(
    [hint(0), hint(0, 2), hint(0, 9), hint(1, 11)],
    ["reds.two", "reds.other", "reds.other", "reds.apart"],
  );
});

test("items are split into conditions and definitions, and models into items", () => {
  const split = (text: string) => splitItems(text, rules.constraints);
  assert.deepEqual(split("true /\\ false"), { expressions: ["true /\\ false"], others: [] });
  const { expressions, others } = split(
    "% one; two\npredicate p(int: t) = let { constraint t > 0; } in true; constraint p(1); constraint p(2)",
  );
  assert.deepEqual(expressions, [" p(1)", " p(2)"]);
  assert.deepEqual(others, ["predicate p(int: t) = let { constraint t > 0; } in true"]);
  assert.equal(
    excerpt("int: a;   % one\nint: b =\n  2;\nint: c;", ["int: b", "int: a"]),
    "int: b =\n  2;\nint: a;",
  );
});
