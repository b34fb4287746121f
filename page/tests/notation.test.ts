import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Layout, LayoutEntry } from "../src/core/data";
import {
  BadNotation,
  layoutOf,
  notation,
  patternText,
  readNotation,
  readPattern,
} from "../src/core/notation";

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const base: Layout = read("build/data/layouts/base.json");
const layouts: LayoutEntry[] = read("build/data/layouts.json");
const LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11";

test("harbors are read in both forms, and written behind a colon", () => {
  assert.equal(notation(readNotation(`${LINE}:printed`, base)), `${LINE}:printed`);
  assert.equal(notation(readNotation(`${LINE} printed`, base)), `${LINE}:printed`);
  const [a, b] = base.harbors[0];
  assert.equal(
    notation(readNotation(`${LINE}:${b}-${a}=o`, base)),
    `${LINE}:${Math.min(a, b)}-${Math.max(a, b)}=o`,
  );
});

test("the layout follows from the rows or the name behind @", () => {
  assert.equal(layoutOf(LINE, layouts), "base");
  assert.equal(layoutOf(`${LINE}@base-5-6`, layouts), "base-5-6");
  assert.throws(() => layoutOf(`${LINE}@nowhere`, layouts), BadNotation);
  assert.throws(() => layoutOf("oo/o", layouts), BadNotation);
  for (const text of [LINE.toUpperCase(), LINE.replaceAll("/", " "), LINE.replaceAll("/", "")]) {
    assert.equal(layoutOf(text, layouts), "base");
    assert.equal(notation(readNotation(`${text}:printed`, base)), `${LINE}:printed`);
  }
});

test("a pattern with two markers on a tile is read and written as the library does", () => {
  const rivers: Layout = read("build/data/layouts/rivers-of-catan.json");
  const [first, second] = Object.entries(rivers.second)[0];
  const rows = rivers.rows.map((row) => "x".repeat(row.length));
  const text = (cell: string) => `${[cell + rows[0].slice(1), ...rows.slice(1)].join("/")}@rivers-of-catan`;
  const both = text(`l${first}+${second}`);
  assert.equal(patternText(readPattern(both, rivers), rivers), both);
  assert.equal(patternText(readPattern(text(`l${first}`), rivers), rivers), both);
  assert.throws(() => readPattern(text(`l${first}+${first}`), rivers), BadNotation);
  assert.throws(() => readPattern(text("l3+2"), rivers), BadNotation);
});

for (const bad of [
  "",
  "o10",
  LINE.replace("o10", "q10"),
  LINE.replace("o10", "o7"),
  LINE.replace("dl3", "d9l3"),
  `${LINE}:0-53=o`,
  `${LINE}:1-2=q`,
]) {
  test(`refuses ${bad || "nothing"}`, () => {
    assert.throws(() => readNotation(bad, base), BadNotation);
  });
}
