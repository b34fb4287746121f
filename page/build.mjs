/**
 * Builds the page into dist/: exports data by Python, bundles, copies MiniZinc, lists licences, compresses and weighs
 * it all.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const MOST = 6_000_000; // bytes over the wire, compressed
const python = process.env.PYTHON ?? (existsSync("../.venv/bin/python") ? "../.venv/bin/python" : "python3");
const run = (script, ...rest) => execFileSync(python, [script, ...rest], { stdio: "inherit" });

rmSync("dist", { recursive: true, force: true });
rmSync("build/data", { recursive: true, force: true });
mkdirSync("build", { recursive: true });
run("export.py", "build/data");
cpSync("public", "dist", { recursive: true });
cpSync("build/data", "dist/data", { recursive: true });
const languages = {};
mkdirSync("dist/data/languages");
for (const file of readdirSync("languages").sort()) {
  const name = file.replace(/\.json$/, "");
  languages[name] = JSON.parse(readFileSync(`languages/${file}`, "utf8"))["language.own"];
  cpSync(`languages/${file}`, `dist/data/languages/${file}`);
}
writeFileSync("dist/data/languages.json", JSON.stringify(languages));
// In a folder of its version, so that a server may let browsers keep it, and with it what they compiled, for good.
const { version } = JSON.parse(readFileSync("node_modules/minizinc/package.json", "utf8"));
const minizinc = `minizinc-${version}`;
mkdirSync(`dist/${minizinc}`);
for (const name of ["minizinc-worker.js", "minizinc.wasm", "minizinc.data"]) {
  cpSync(`node_modules/minizinc/dist/${name}`, `dist/${minizinc}/${name}`);
}
const html = readFileSync("dist/index.html", "utf8");
writeFileSync("dist/index.html", html.replaceAll("MINIZINC/", `${minizinc}/`));
const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  format: "esm",
  outdir: "dist",
  legalComments: "none",
  define: { MINIZINC: JSON.stringify(minizinc) },
};
await build({
  ...common,
  entryPoints: {
    compile: "src/compile.ts",
    main: "src/main.tsx",
    "draft.worker": "src/draft.worker.ts",
    "solver.worker": "src/solver.worker.ts",
    style: "src/style.css",
  },
  jsx: "automatic",
  jsxImportSource: "preact",
});
writeFileSync("dist/licences.txt", licences());
const files = list("dist");
const hash = createHash("sha256");
for (const name of files) hash.update(name).update(readFileSync(join("dist", name)));
await build({
  ...common,
  entryPoints: { sw: "src/sw.ts" },
  define: {
    VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)),
    FILES: JSON.stringify(["./", ...files]),
  },
});
const first = files.filter((name) => !name.startsWith("data/layouts/") || name.endsWith("/base.json"));
const packed = new Map([...files, "sw.js"].map((name) => [name, pack(join("dist", name))]));
const bytes = first.reduce((sum, name) => sum + packed.get(name), 0);
console.log(`page/dist: ${(bytes / 1e6).toFixed(2)} MB compressed for the first board`);
if (bytes > MOST) throw new Error(`more than ${MOST} bytes over the wire`);

/** Lays the file beside itself as a server may send it (nginx: gzip_static), and returns how many bytes that are. */
function pack(path) {
  const plain = readFileSync(path);
  const small = gzipSync(plain, { level: 9 });
  if (small.length > 0.9 * plain.length) return plain.length;
  writeFileSync(`${path}.gz`, small);
  return small.length;
}

function list(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile())
    .map((name) => relative("dist", name))
    .sort();
}

/** The licences of everything that is shipped; what only builds or tests the page is not. */
function licences() {
  const own = ["catan-cp", "MIT", readFileSync("../LICENSE", "utf8")];
  const parts = ["minizinc", "preact", "qrcode-generator"].map((name) => {
    const folder = `node_modules/${name}`;
    const info = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[sc]e/i.test(each));
    const text = file
      ? readFileSync(`${folder}/${file}`, "utf8")
      : `${info.license} License, ${info.author?.name ?? info.author}`;
    return [`${name} ${info.version}`, info.license, text];
  });
  const included =
    "The WebAssembly of minizinc holds MiniZinc (MPL 2.0), Gecode (MIT), Chuffed (MIT) and others that its project names.";
  return (
    [own, ...parts].map(([name, kind, text]) => `${name} (${kind})\n\n${text.trim()}\n`).join("\n----\n\n") +
    `\n----\n\n${included}\n`
  );
}
