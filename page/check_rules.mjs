/** Fails if a rule of the file has neither a checker nor the mark that only the solver checks it; a step of the build. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const outfile = "build/places.mjs";
await build({ entryPoints: ["src/core/places.ts"], bundle: true, platform: "node", format: "esm", outfile });
const { CHECKED } = await import(pathToFileURL(outfile));
const { rules } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const fields = rules.filter((rule) => rule.about.length && !rule.solverOnly).map(({ field }) => field);
const unchecked = fields.filter((field) => !CHECKED.includes(field));
if (unchecked.length)
  throw new Error(`src/core/places.ts must check ${unchecked}, or export.py must list them in SOLVER_ONLY`);
