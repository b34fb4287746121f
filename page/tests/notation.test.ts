import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Layout, LayoutEntry } from "../src/data";
import { BadNotation, layoutOf, notation, readNotation } from "../src/notation";

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
