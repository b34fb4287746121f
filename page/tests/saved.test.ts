import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { isSaved, keepAsked, lastAsked, save, saved } from "../src/core/saved";

const stored = new Map<string, string>();
const storage = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
};
beforeEach(() => {
  stored.clear();
  Object.assign(globalThis, { localStorage: storage });
});

test("boards are kept once, the latest first, and only as many as there is a place for", () => {
  for (let i = 0; i < 70; i++) save("favourites", `board${i}&rules=open`);
  assert.equal(saved("favourites").length, 60);
  assert.equal(saved("favourites")[0], "board69&rules=open");
  save("favourites", "board20&rules=tournament");
  assert.deepEqual(
    saved("favourites").filter((each) => /^board20&/.test(each)),
    ["board20&rules=tournament"],
  );
  assert.ok(isSaved("favourites", "board20"));
  save("favourites", "board20", false);
  assert.ok(!isSaved("favourites", "board20"));
});

test("storage that contains anything else, or is missing or full, is as good as empty", () => {
  for (const junk of [
    "",
    "{",
    "7",
    "null",
    '{"0":"a"}',
    '[1, null, [], ""]',
    JSON.stringify(["x".repeat(100_001)]),
  ]) {
    stored.set("catan-cp.recent", junk);
    assert.deepEqual(saved("recent"), [], junk);
  }
  stored.set("catan-cp.asked", "x".repeat(100_001));
  assert.equal(lastAsked(), "");
  const refuse = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  Object.assign(globalThis, { localStorage: { getItem: refuse, setItem: refuse } });
  save("recent", "board");
  keepAsked("board");
  assert.deepEqual([saved("recent"), lastAsked()], [[], ""]);
});
