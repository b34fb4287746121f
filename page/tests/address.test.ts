import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LongAddress, readAddress } from "../src/core/address";
import type { Layout, LayoutEntry, RulesData } from "../src/core/data";
import { BadNotation, notation, short } from "../src/core/notation";
import { checkedPlaces } from "../src/core/places";
import { presetOf } from "../src/core/rules";

const read = <T>(path: string): T => JSON.parse(readFileSync(`build/${path}`, "utf8")) as T;
const rules = read<RulesData>("data/rules.json");
const layouts = read<LayoutEntry[]>("data/layouts.json");
globalThis.fetch = async (path) => new Response(readFileSync(`build/${path}`));
const LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11";
const PRINTED = `${LINE}:printed`;
const NINES = "9".repeat(400);
const SEVEN_HUNDRED = Array(700).fill("1-2=3").join();

for (const [address, line, refused] of [
  [PRINTED, PRINTED, []],
  [`${LINE}:${SEVEN_HUNDRED}`, LINE, [`:${SEVEN_HUNDRED}`]],
  [`${LINE}:0-5=d`, LINE, [":0-5=d"]],
  [`${PRINTED}&rules=__proto__`, PRINTED, ["rules=__proto__"]],
  [`${PRINTED}&rules=constructor`, PRINTED, ["rules=constructor"]],
  [`${PRINTED}&__proto__=1&toString=2`, PRINTED, ["__proto__=1", "toString=2"]],
  [`${PRINTED}&rules=open&vertex_sum_below=${NINES}`, PRINTED, [`vertex_sum_below=${NINES}`]],
  [`${PRINTED}&reds_apart=true&reds_apart=false`, PRINTED, ["reds_apart=false"]],
  [`${PRINTED}&keep=nonsense`, PRINTED, ["keep=nonsense"]],
  [`${PRINTED}&players=4&placed=0.1`, PRINTED, ["placed=0.1"]],
  [`${PRINTED}&players=4&placed=0..9`, PRINTED, ["placed=0..9"]],
  [`${PRINTED}&players=99&placed=0`, PRINTED, ["placed=0"]],
] as [string, string, string[]][]) {
  test(`what is good is kept of ${short(address.slice(LINE.length) || "a board")}`, async () => {
    const found = await readAddress(address, layouts, rules);
    assert.equal(notation(found.board!), line);
    assert.deepEqual(found.refused, refused);
  });
}

test("a draft is read where it can be", async () => {
  const { draft } = await readAddress(`${PRINTED}&players=3&placed=0.20`, layouts, rules);
  assert.deepEqual(draft, { players: 3, placed: [0, 20] });
});

for (const junk of [
  "%E0%A4%A",
  "x".repeat(1_000_000),
  `${LINE}@__proto__`,
  "nonsense",
  `${LINE}@base@base`,
]) {
  test(`no board: ${short(junk, 20)}`, async () => {
    await assert.rejects(readAddress(junk, layouts, rules), BadNotation);
  });
}

test("a link with more than 100,000 characters is rejected at once, with their number", async () => {
  const long = `${PRINTED}&constraints=${"x".repeat(2_000_000)}`;
  const isLong = (reason: unknown) => reason instanceof LongAddress && reason.message === String(long.length);
  const start = performance.now();
  await assert.rejects(readAddress(long, layouts, rules), isLong);
  await assert.rejects(readAddress(`long=${long.length}`, layouts, rules), isLong);
  assert.ok(performance.now() - start < 200);
});

test("an address without rules opens with the default of its layout, which has a board", async () => {
  for (const { name } of layouts) {
    const layout = JSON.parse(readFileSync(`build/data/layouts/${name}.json`, "utf8")) as Layout;
    const boards = JSON.parse(readFileSync(`build/data/boards/${name}.json`, "utf8"));
    const [line] = boards[layout.start] as string[];
    const { board, chosen } = await readAddress(line, layouts, rules);
    assert.equal(presetOf(chosen, layout, rules), layout.start, name);
    assert.deepEqual(Object.values(checkedPlaces(board!, chosen, rules)).flat(), [], name);
    for (const [preset, conflict] of Object.entries(layout.presets)) {
      assert.equal(preset in boards, conflict.length === 0, `${preset} on ${name}`);
    }
  }
});

test("what is shown of a text is short, and all of it can be seen", () => {
  assert.equal(short("o10:printed"), "o10:printed");
  assert.equal(short("x".repeat(1_000_000)).length, 82);
  assert.equal(short("a\u001b[2J\u202eb\nc"), "a\ufffd[2J\ufffdb\ufffdc");
});
