/** Repairs with as few changes as those of Python. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { build } from "esbuild";
import {
  ask,
  becomes,
  cells,
  dealt,
  gone,
  LINE,
  open,
  shown,
  site,
  skip,
  tab,
  visitor,
  WAIT,
} from "../harness.mjs";

test("boards are repaired by as few exchanges as Python's, however many are tried", { skip }, async () => {
  const rules = { preset: "tournament", harbors: "printed" };
  const wrong = ask(
    `from catan_cp import Rules, generate_board, repair_board
n, rules = json.load(sys.stdin)
anything, rules = Rules.preset("open").replace(harbors="printed"), Rules.from_mapping(rules)
boards = (generate_board(anything, seed=seed) for seed in range(n))
print(json.dumps([[board.notation(), repair_board(board, rules).value] for board in boards if rules.check(board)]))`,
    [Number(process.env.REPAIRS ?? 3), rules],
  );
  assert.ok(wrong.length);
  const { page, close } = await open("desktop", `#${wrong[0][0]}&rules=tournament`);
  await tab(page, "Check");
  for (const [board, fewest] of wrong) {
    await page.evaluate((line) => {
      location.hash = `${line}&rules=tournament`;
    }, board);
    await becomes(page, board);
    await gone(page, ".changes li");
    await page.getByRole("button", { name: "Repair" }).click();
    await page.waitForSelector(".changes li", WAIT);
    await page.waitForSelector(".stage[aria-busy=false]", WAIT);
    const repaired = await shown(page);
    dealt.push([repaired, rules]);
    const differs = cells(repaired).filter((cell, t) => cell !== cells(board)[t]).length;
    assert.deepEqual([differs, await page.locator(".stage .numbers text").count()], [fewest, fewest], board);
  }
  await close();
});

/** A page with `repair` alone, to repair boards of any layout and rules. */
async function repairing() {
  const [folder] = readdirSync("dist").filter((name) => name.startsWith("minizinc-"));
  const contents = `import { readLayout, readModels, readRules } from "./core/data";
    import { notation, readNotation } from "./core/notation";
    import { repair } from "./features/repair/repair";
    globalThis.repaired = async (line, name, chosen) => {
      const [layout, models, rules] = await Promise.all([readLayout(name), readModels(), readRules()]);
      const before = readNotation(line, layout);
      const { signal } = new AbortController();
      const started = performance.now();
      const found = await repair({ layout, models, rules }, before, chosen, () => undefined, signal);
      const took = performance.now() - started;
      if (!found.board) return { kind: found.kind };
      const same = before.harbors.filter((harbor) =>
        found.board.harbors.some((other) => JSON.stringify(other) === JSON.stringify(harbor)));
      return { line: notation(found.board), tiles: found.tiles.length, same: same.length, took };
    };`;
  const bundle = await build({
    stdin: { contents, resolveDir: "src", loader: "ts" },
    bundle: true,
    write: false,
    define: { MINIZINC: JSON.stringify(folder), WASM_BYTES: "1" },
  });
  const context = await visitor({ serviceWorkers: "block", bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`${site.url}licences.txt`);
  await page.setContent(`<base href="${site.url}">`);
  await page.addScriptTag({ content: bundle.outputFiles[0].text });
  return {
    repaired: (...given) => page.evaluate((all) => globalThis.repaired(...all), given),
    close: () => context.close(),
  };
}

/** The stored boards (see repairs.py). REPAIRED=FILE names others, and REPAIRS=220 tries all of them. */
test("boards of many layouts are repaired by as few tiles as Python's", { skip }, async () => {
  const lines = readFileSync(process.env.REPAIRED ?? "tests/repairs.jsonl", "utf8")
    .trim()
    .split("\n");
  assert.ok(lines.length >= 100);
  const step = Math.max(1, Math.floor(lines.length / Number(process.env.REPAIRS ?? 12)));
  const some = lines.filter((_, i) => i % step === 0).map((line) => JSON.parse(line));
  const { repaired, close } = await repairing();
  const times = [];
  for (const { board, rules, layout, tiles } of some) {
    const found = await repaired(board, layout, rules);
    assert.equal(found.tiles ?? null, tiles, `${board} ${JSON.stringify(rules)} ${found.kind}`);
    if (tiles === null) continue;
    dealt.push([found.line, rules]);
    times.push(Math.round(found.took));
  }
  times.sort((a, b) => a - b);
  console.log(
    `repaired: ${times.length}, ${times[times.length >> 1]} ms in the middle, ${times.at(-1)} at most`,
  );
  await close();
});

test("a repair changes what it must of markers and harbors, and says where it cannot", { skip }, async () => {
  const [allowed] = JSON.parse(readFileSync("build/data/boards/base.json", "utf8")).tournament;
  const bare = LINE.replace(/[0-9]+(?=[a-z/:])/g, "");
  const tournament = { preset: "tournament", harbors: "printed" };
  const shuffled = { reds_apart: true, harbors: "shuffled", harbor_own_terrain_apart: true };
  const [coast, drowned] = ask(
    `from catan_cp import Rules, generate_board
board = generate_board(Rules(harbors="shuffled"), "new-world", seed=1)
edge = board.harbors[0].vertices
land = next(t for t in board.layout.edge_tiles[edge] if board.terrain[t] != "sea")
print(json.dumps([board.notation(), f"terrain[{land + 1}] = SEA"]))`,
    null,
  );
  const cases = [
    [allowed, "base", tournament],
    [bare, "base", tournament],
    [LINE, "base", shuffled],
    [coast, "new-world", { constraints: [{ text: drowned }] }],
  ];
  const expected = ask(
    `from catan_cp import Board, Rules, repair_board
found = []
for line, _, rules in json.load(sys.stdin):
    board = Board.from_notation(line)
    best = repair_board(board, Rules.from_mapping({"harbors": "none", **rules}))
    found.append([best.value, len({*board.harbors} & {*best.board.harbors})])
print(json.dumps(found))`,
    cases,
  );
  assert.equal(expected[0][0], 0);
  const { repaired, close } = await repairing();
  const presets = JSON.parse(readFileSync("build/data/rules.json", "utf8")).presets;
  for (const [i, [line, layout, { preset, ...rules }]] of cases.entries()) {
    const found = await repaired(line, layout, { ...presets[preset], ...rules });
    if (line === bare) {
      assert.match(found.line, /[0-9]/);
      found.tiles = cells(found.line).filter((cell, t) => cell[0] !== cells(bare)[t]).length;
    }
    assert.deepEqual([found.tiles, found.same], expected[i], line);
    dealt.push([found.line, cases[i][2]]);
  }
  // There is one desert.
  const two = { text: "terrain[1] = DESERT /\\ terrain[2] = DESERT" };
  const none = await repaired(LINE, "base", { harbors: "printed", constraints: [two] });
  assert.equal(none.kind, "none");
  await close();
});

test("where somebody's own constraint is to be kept, the solvers repair by as few tiles as Python's", {
  skip,
}, async () => {
  const rules = { reds_apart: true, harbors: "printed", constraints: [{ text: "marker[1] = 12" }] };
  const fewest = ask(
    `from catan_cp import Rules, repair_board
board, rules = json.load(sys.stdin)
print(json.dumps(repair_board(board, Rules.from_mapping(rules)).value))`,
    [LINE, rules],
  );
  const own = encodeURIComponent(JSON.stringify(rules.constraints));
  const { page, close } = await open("desktop", `#${LINE}&rules=open&reds_apart=true&constraints=${own}`);
  await tab(page, "Check");
  await page.getByRole("button", { name: "Repair" }).click();
  await page.waitForSelector(".changes li", WAIT);
  await page.waitForSelector(".stage[aria-busy=false]", WAIT);
  const repaired = await shown(page);
  dealt.push([repaired, rules]);
  const differs = cells(repaired).filter((cell, t) => cell !== cells(LINE)[t]).length;
  assert.deepEqual([differs, await page.locator(".stage .numbers text").count()], [fewest, fewest]);
  await page.waitForSelector(".changes + p:has-text('solver')", WAIT);
  await close();
});
