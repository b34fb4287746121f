/**
 * Builds the page into dist/: exports data by Python, bundles, copies MiniZinc, lists licences, compresses and weighs
 * it all.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
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
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { build } from "esbuild";

const MOST = 6_000_000; // bytes over the wire, compressed
const PREVIEW = "preview.png";
const LOOK = JSON.parse(readFileSync("src/board/look.json", "utf8")).themes;
const python = process.env.PYTHON ?? (existsSync("../.venv/bin/python") ? "../.venv/bin/python" : "python3");
const run = (script, ...rest) => execFileSync(python, [script, ...rest], { stdio: "inherit" });

rmSync("dist", { recursive: true, force: true });
rmSync("build/data", { recursive: true, force: true });
mkdirSync("build", { recursive: true });
run("export.py", "build/data");
cpSync("public", "dist", { recursive: true });
cpSync("build/data", "dist/data", { recursive: true });
const font = "figtree-latin-wght-normal.woff2";
cpSync(`node_modules/@fontsource-variable/figtree/files/${font}`, `dist/${font}`);
const languages = {};
mkdirSync("dist/data/languages");
for (const file of readdirSync("languages")
  .filter((name) => name.endsWith(".json"))
  .sort()) {
  const name = file.replace(/\.json$/, "");
  languages[name] = JSON.parse(readFileSync(`languages/${file}`, "utf8"))["language.own"];
  cpSync(`languages/${file}`, `dist/data/languages/${file}`);
}
// Who puts the page on a web host may name its public address here, for links and QR codes.
writeFileSync("dist/site.json", `${JSON.stringify({ address: null })}\n`);
// In a folder of its version, so that a server may let browsers keep it, and with it what they compiled, for good.
const { version } = JSON.parse(readFileSync("node_modules/minizinc/package.json", "utf8"));
const minizinc = `minizinc-${version}`;
mkdirSync(`dist/${minizinc}`);
for (const name of ["minizinc-worker.js", "minizinc.wasm", "minizinc.data"]) {
  cpSync(`node_modules/minizinc/dist/${name}`, `dist/${minizinc}/${name}`);
}
const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  format: "esm",
  outdir: "dist",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: {
    LANGUAGES: JSON.stringify(languages),
    MINIZINC: JSON.stringify(minizinc),
    WASM_BYTES: String(statSync(`dist/${minizinc}/minizinc.wasm`).size),
  },
};
await build({
  ...common,
  entryPoints: {
    "draft.worker": "src/features/draft/draft.worker.ts",
    "solver.worker": "src/solver/solver.worker.ts",
    "walk.worker": "src/solver/walk.worker.ts",
    style: "src/app/style.css",
  },
  external: ["*.woff2"],
});
// Parts that few visitors open are files of their own, loaded on demand.
const { metafile } = await build({
  ...common,
  entryPoints: { main: "src/app/main.tsx" },
  splitting: true,
  chunkNames: "parts/[name]-[hash]",
  metafile: true,
});
const needed = metafile.outputs["dist/main.js"].imports
  .filter(({ kind }) => kind === "import-statement")
  .map(({ path }) => relative("dist", path));
const preloads = needed.map((path) => `<link rel="modulepreload" href="${path}" />`);
await writeFirst(preloads.join(""));
writeFileSync("dist/licences.txt", licences());
const files = list("dist");
const hash = createHash("sha256");
for (const name of files) hash.update(name).update(readFileSync(join("dist", name)));
await build({
  ...common,
  entryPoints: { sw: "src/app/sw.ts" },
  define: {
    VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)),
    FILES: JSON.stringify(["./", ...files.filter((name) => name !== PREVIEW)]),
  },
});
// The first visit loads neither other layouts nor what is opened later; other sites alone load the preview.
const later = /^preview\.png$|^data\/(layouts|boards)\/(?!base\.json)|^parts\//;
const first = files.filter((name) => needed.includes(name) || !later.test(name));
const packed = new Map([...files, "sw.js"].map((name) => [name, pack(join("dist", name))]));
const bytes = first.reduce((sum, name) => sum + packed.get(name), 0);
console.log(`page/dist: ${(bytes / 1e6).toFixed(2)} MB compressed for the first board`);
if (bytes > MOST) throw new Error(`more than ${MOST} bytes over the wire`);

/** Writes a picture as a PNG file of that width. */
function writePng(svg, width, name) {
  const picture = new Resvg(svg, { fitTo: { mode: "width", value: width } });
  writeFileSync(`dist/${name}`, picture.render().asPng());
}

/** Replaces the colours that differ between two themes by variables, and returns the style sheet that declares them. */
function themed(light, dark) {
  const colors = /#[0-9a-f]{6}\b/g;
  const named = Object.entries(LOOK.light.terrain).map(([name, color]) => [
    name,
    color,
    LOOK.dark.terrain[name],
  ]);
  named.push(["other", LOOK.light.other, LOOK.dark.other]);
  const pairs = new Map(named.map(([name, ...both]) => [both.join(" "), `--terrain-${name}`]));
  const others = dark.matchAll(colors);
  const html = light.replace(colors, (color) => {
    const pair = `${color} ${others.next().value[0]}`;
    if (!pairs.has(pair)) pairs.set(pair, `--board-${pairs.size}`);
    return `var(${pairs.get(pair)})`;
  });
  if (light.replace(colors, "") !== dark.replace(colors, ""))
    throw new Error("the themes differ beside colours");
  const declared = [...pairs].map(([pair, name]) => `${name}:light-dark(${pair.replace(" ", ",")})`);
  return { html, css: `:root{${declared.join(";")}}` };
}

/**
 * Writes the first board into index.html, its colours into the style sheet, and the script that puts its texts into the
 * language of the browser; and the pictures of the page for other sites and for home screens.
 */
async function writeFirst(preloads) {
  await build({
    ...common,
    platform: "node",
    entryPoints: { first: "src/app/first.tsx" },
    outdir: "build",
    minify: false,
  });
  const { first: html, preview } = await import(pathToFileURL("build/first.js"));
  const layout = JSON.parse(readFileSync("build/data/layouts/base.json", "utf8"));
  const [[line]] = JSON.parse(readFileSync("build/data/even.json", "utf8")).boards;
  const { html: text, css } = themed(html(line, layout, "light"), html(line, layout, "dark"));
  appendFileSync("dist/style.css", css);
  const page = readFileSync("dist/index.html", "utf8");
  const { help } = JSON.parse(readFileSync("build/data/rules.json", "utf8"));
  writeFileSync(
    "dist/index.html",
    page
      .replace("FIRST", () => text)
      .replaceAll("ADDRESS", new URL("page/", help).href)
      .replace("</head>", `${preloads}</head>`),
  );
  await initWasm(readFileSync("node_modules/@resvg/resvg-wasm/index_bg.wasm"));
  writePng(preview(line, layout), 1200, PREVIEW);
  const icon = readFileSync("public/icon.svg", "utf8");
  for (const width of [180, 192, 512]) writePng(icon, width, `icon-${width}.png`);
  const keys = [...text.matchAll(/data-say="([^"]*)"/g)].map(([, key]) => key);
  const words = Object.keys(languages).map((name) => {
    const all = JSON.parse(readFileSync(`languages/${name}.json`, "utf8"));
    return [name, Object.fromEntries(keys.map((key) => [key, all[key]]))];
  });
  await build({
    ...common,
    format: "iife",
    entryPoints: { first: "src/app/first_script.ts" },
    define: { WORDS: JSON.stringify(Object.fromEntries(words)) },
  });
}

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

/** The licences of everything that is shipped, with their texts; what only builds or tests the page is not. */
function licences() {
  const own = ["catan-cp", "MIT", "", readFileSync("../LICENSE", "utf8")];
  const packages = [
    "minizinc",
    "preact",
    "qrcode-generator",
    "prism-code-editor",
    "@fontsource-variable/figtree",
  ].map((name) => {
    const folder = `node_modules/${name}`;
    const info = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[sc]e/i.test(each));
    const text = file ? `${folder}/${file}` : `licences/${name}.txt`;
    return [`${name} ${info.version}`, info.license, "", readFileSync(text, "utf8")];
  });
  const inside = JSON.parse(readFileSync("licences/inside.json", "utf8")).map(
    ({ name, licence, source, text }) => [
      `${name}, in the WebAssembly of minizinc`,
      licence,
      `Its source code is at ${source}, under the terms below.\n\n`,
      readFileSync(`licences/${text}`, "utf8"),
    ],
  );
  return [own, ...packages, ...inside]
    .map(([name, kind, source, text]) => `${name} (${kind})\n\n${source}${text.trim()}\n`)
    .join("\n----\n\n");
}
