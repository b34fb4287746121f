/** Boards and numbers of the library (`vectors.py`) that several test files compare with the page. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Layout, Worth } from "../src/core/data";
import { type Board, readNotation } from "../src/core/notation";

export const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));

export const vectors = read("build/vectors.json");
export const { worth } = read("build/data/rules.json") as { worth: Worth };
export const layouts: Record<string, Layout> = {};
for (const name of new Set<string>(vectors.layouts)) layouts[name] = read(`build/data/layouts/${name}.json`);
export const boards: Board[] = vectors.boards.map((text: string, i: number) =>
  readNotation(text, layouts[vectors.layouts[i]]),
);
export const close = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
