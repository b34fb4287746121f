import assert from "node:assert/strict";
import { test } from "node:test";
import { BadNotation } from "../src/core/notation";
import { importedAddress } from "../src/features/import/address";
import { read, vectors } from "./stored_vectors";

test("files of other programs, broken ones among them, are read as in Python", async () => {
  const load = async (name: string) => read(`build/data/layouts/${name}.json`);
  const wrong = [];
  let taken = 0;
  for (const [text, expected] of vectors.files as [string, string | null][]) {
    const found = await importedAddress(text, load).catch((reason) => {
      if (reason instanceof BadNotation) return null;
      throw reason;
    });
    if (found !== expected) wrong.push([text.slice(-200), expected, found]);
    taken += Number(expected !== null);
  }
  assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} of ${vectors.files.length}`);
  assert.ok(taken > 200 && vectors.files.length - taken > 500, `${taken} are taken`);
});
