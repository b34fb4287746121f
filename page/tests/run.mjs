/** Bundles the unit tests and runs them with Node's own runner. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const files = readdirSync("tests").filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: files.map((name) => `tests/${name}`),
  outdir: "build/tests",
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  packages: "external",
});
const names = files.map((name) => `build/tests/${name.replace(/ts$/, "mjs")}`);
process.exit(spawnSync("node", ["--test", ...names], { stdio: "inherit" }).status ?? 1);
