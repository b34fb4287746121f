/** Imports of the page point one way: a folder imports only from itself and from the folders that it names here. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const FEATURES: Record<string, string[]> = {
  rules: [],
  repair: [],
  draft: [],
  share: [],
  import: [],
  day: ["draft", "share"],
  shuffle: [],
  deal: ["rules", "shuffle"],
  lesson: ["rules"],
  check: ["rules", "repair", "draft", "shuffle"],
  print: ["share"],
};
const BELOW = ["core", "solver", "board", "widgets"];
const ALLOWED: Record<string, string[]> = {
  core: [],
  solver: ["core"],
  board: ["core", "widgets"],
  widgets: ["core"],
  app: [...BELOW, ...Object.keys(FEATURES).map((name) => `features/${name}`)],
  ...Object.fromEntries(
    Object.entries(FEATURES).map(([name, others]) => [
      `features/${name}`,
      [...BELOW, ...others.map((other) => `features/${other}`)],
    ]),
  ),
};
const folderOf = (file: string): string =>
  file
    .split("/")
    .slice(0, file.startsWith("features/") ? 2 : 1)
    .join("/");

test("each import points to a folder that the importing folder may use", () => {
  const files = readdirSync("src", { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name));
  const used = new Map<string, string>();
  for (const file of files) {
    for (const [, path] of readFileSync(join("src", file), "utf8").matchAll(
      /(?:from|import)\s*\(?\s*"(\.[^"]*)"/g,
    )) {
      const target = relative(".", join(dirname(file), path));
      if (target.startsWith("..")) continue; // a language, which is data
      const [from, to] = [folderOf(file), folderOf(target)];
      if (from !== to) used.set(`${from} uses ${to}`, file);
    }
  }
  const allowed = Object.entries(ALLOWED).flatMap(([from, all]) => all.map((to) => `${from} uses ${to}`));
  const wrong = [...used].filter(([arrow]) => !allowed.includes(arrow));
  assert.deepEqual(wrong, []);
  assert.ok(used.size > 20);
  assert.deepEqual([...new Set(files.map(folderOf))].sort(), Object.keys(ALLOWED).sort());
});
