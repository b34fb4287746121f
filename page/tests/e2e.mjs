/**
 * The page in a real browser, as people use it: on a desktop and on a phone. Chromium is Debian's, or what CHROMIUM
 * names; without one the tests are skipped, which is a failure under CI=true.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const executablePath = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path && existsSync(path));
const skip = executablePath ? false : "no Chromium here; CHROMIUM=PATH names one";
if (skip && process.env.CI === "true") throw new Error(skip);

const python = process.env.PYTHON ?? "../.venv/bin/python";
const LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed";
const WAIT = { timeout: 120_000 };
const SIZES = {
  desktop: { viewport: { width: 1366, height: 820 }, locale: "en-GB" },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, locale: "en-GB" },
};

let site;
let browser;

before(async () => {
  if (skip) return;
  site = await serve("dist");
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  site?.server.close();
});

/** A page of that size at an address; whatever it complains of, or asks of other hosts, fails the test at its end. */
async function open(size, hash = "") {
  const context = await browser.newContext({
    ...SIZES[size],
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && `${origin}/` !== site.url) complaints.push(`asks ${request.url()}`);
  });
  const started = performance.now();
  await page.goto(site.url + hash);
  await page.waitForSelector(".stage .tiles", WAIT);
  return {
    page,
    context,
    first: performance.now() - started,
    async close() {
      assert.deepEqual(complaints, []);
      await context.close();
    },
  };
}

const address = (page) => page.evaluate(() => decodeURI(location.hash.slice(1)));
const shown = async (page) => (await address(page)).split("&")[0];

/** Presses the main button and waits for another board. */
async function another(page) {
  const old = await shown(page);
  await page.click("button.main");
  await page.waitForFunction(
    (before) => decodeURI(location.hash.slice(1)).split("&")[0] !== before,
    old,
    WAIT,
  );
  return await shown(page);
}

function check(board, rules) {
  const code = `
import json, sys
from catan_cp import Board, Rules
board, rules = json.loads(sys.argv[1])
print("; ".join(map(str, Rules.from_mapping(rules).check(Board.from_notation(board)))))`;
  const { stdout, stderr, status } = spawnSync(python, ["-c", code, JSON.stringify([board, rules])], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

const cells = (board) =>
  board
    .split(":")[0]
    .split("/")
    .join("")
    .match(/[a-z][0-9]*/g);

for (const size of Object.keys(SIZES)) {
  test(`${size}: boards keep the rules, what is kept stays, and undo goes back`, { skip }, async () => {
    const { page, close } = await open(size);
    const boards = [await shown(page), await another(page), await another(page)];
    assert.equal(new Set(boards).size, 3);
    for (const board of boards) assert.equal(check(board, { preset: "tournament", harbors: "printed" }), "");
    for (const tile of [4, 9]) await page.locator("[data-group=tile]").nth(tile).click();
    const redealt = await another(page);
    for (const tile of [4, 9]) assert.equal(cells(redealt)[tile], cells(boards[2])[tile]);
    assert.equal(check(redealt, { preset: "tournament" }), "");
    await page.getByRole("button", { name: "Undo" }).click();
    assert.equal(await shown(page), boards[2]);
    await close();
  });

  test(`${size}: Python's board opens, is judged by the models, settled and shared`, { skip }, async () => {
    const { page, close } = await open(size, `#${LINE}`);
    assert.equal(await shown(page), LINE);
    await page.getByRole("tab", { name: "Judge" }).click();
    await page.waitForFunction(() => document.querySelector(".verdicts[aria-busy=false]"), null, WAIT);
    const broken = await page
      .locator(".verdicts .broken")
      .evaluateAll((all) => all.map((each) => each.dataset.field));
    const said = check(LINE, { preset: "tournament", harbors: "printed" });
    const wider = check(LINE, {
      preset: "optimal",
      harbors: "printed",
      terrain_cluster_max: 2,
      vertex_pips_max: 12,
    });
    const wrong = new Set(
      wider
        .split("; ")
        .filter(Boolean)
        .map((each) => each.split(":")[0]),
    );
    assert.deepEqual(new Set(broken), wrong, said);
    await page.getByRole("tab", { name: "Settle" }).click();
    await page.waitForSelector(".moves .move", WAIT);
    await page.locator(".moves .move").first().click();
    await page.locator("[data-group=vertex]").first().click();
    assert.match(await address(page), /players=4&placed=\d+\.\d+$/);
    await page.getByRole("tab", { name: "Share" }).click();
    await page.getByRole("button", { name: "Copy as text" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), LINE);
    for (const kind of ["PNG", "SVG"]) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: kind }).click(),
      ]);
      assert.match(download.suggestedFilename(), /^board\.(png|svg)$/);
      const data = readFileSync(await download.path());
      assert.ok(data.length > 5_000);
      if (kind === "SVG") assert.match(data.toString(), /^<svg.*<\/svg>$/s);
      else assert.equal(data.subarray(1, 4).toString(), "PNG");
    }
    await close();
  });

  test(`${size}: nothing that a checker of accessibility objects to, light and dark`, { skip }, async () => {
    const { page, close } = await open(size, `#${LINE}`);
    const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
    await page.evaluate(axe).catch(() => undefined);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      for (const tab of ["Rules", "Judge", "Settle", "Share"]) {
        await page.getByRole("tab", { name: tab }).click();
        if (tab === "Settle") await page.waitForSelector(".moves .move", WAIT);
        const found = await page.evaluate(() => globalThis.axe.run());
        const problems = found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 150)}`);
        assert.deepEqual(problems, [], `${tab}, ${colorScheme}`);
        assert.ok(found.passes.length > 10);
      }
    }
    await close();
  });
}

test("rules that clash are named", { skip }, async () => {
  const rules = "&rules=open&harbors=%22none%22&vertex_sum_below=20&reds_apart=true";
  const { page, close } = await open("desktop", `#${LINE.split(":")[0]}${rules}`);
  await page.click("button.main");
  await page.waitForSelector(".problem li", WAIT);
  const named = await page.locator(".problem li").allTextContents();
  assert.deepEqual(named, [
    "At every vertex of three land tiles the markers sum to less than 20 (a desert counts 7).",
  ]);
  await close();
});

test("every preset on every layout deals a board that Python's check passes, or says why there is none", {
  skip,
}, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  const layouts = JSON.parse(readFileSync("dist/data/layouts.json", "utf8")).map(({ name }) => name);
  const some = process.env.ALL === "yes" ? layouts : ["base-5-6", "seafarers-6"];
  for (const layout of some) {
    const old = await address(page);
    await page.locator(".field select").first().selectOption(layout);
    await page.waitForFunction(
      (before) =>
        decodeURI(location.hash.slice(1)) !== before && document.querySelector(".stage[aria-busy=false]"),
      old,
      WAIT,
    );
    assert.equal(check(await shown(page), { preset: "tournament" }), "");
  }
  await close();
});

test("all of it by keyboard: tiles, tabs and vertices", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  await page.locator("[data-group=tile]").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("[data-group=tile]").nth(1).getAttribute("aria-pressed"), "true");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press(" ");
  assert.equal(await page.locator("[data-group=tile][aria-pressed=true]").count(), 2);
  await page.locator("#tab-deal").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("[data-group=vertex]");
  await page.locator("[data-group=vertex]").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  assert.match(await address(page), /placed=\d+$/);
  await close();
});

test("German, letters and no patterns are kept; and the page works without a network after the first visit", {
  skip,
}, async () => {
  const { page, context, close } = await open("phone", `#${LINE}`);
  await page.locator(".menu summary").click();
  await page.getByLabel("Language").selectOption("de");
  await page.getByRole("tab", { name: "Regeln" }).waitFor();
  await page.getByLabel("Ein Buchstabe auf jedem Feld").check();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller, null, WAIT);
  await context.setOffline(true);
  await page.reload();
  await page.waitForSelector(".stage .tiles", WAIT);
  await page.getByRole("tab", { name: "Regeln" }).waitFor();
  assert.notEqual(await another(page), LINE);
  await close();
});

test("first board and redeal are quick where nothing else runs", { skip }, async () => {
  const { page, first, close } = await open("desktop");
  const times = [];
  for (let i = 0; i < 5; i++) {
    await page.waitForTimeout(1500); // people look at a board
    const start = performance.now();
    await another(page);
    times.push(performance.now() - start);
  }
  const median = times.sort((a, b) => a - b)[2];
  console.log(`first board ${Math.round(first)} ms, redeal ${Math.round(median)} ms at the median`);
  const slow = Number(process.env.SLOWER ?? 1);
  assert.ok(first < 3000 * slow, `first board took ${first} ms`);
  assert.ok(median < 1000 * slow, `a redeal took ${median} ms`);
  await close();
});

test("printed, the board is on one page, or in true size on several", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  const pages = async () =>
    (await page.pdf({ format: "A4", printBackground: true })).toString("latin1").match(/\/Type \/Page\b/g)
      .length;
  assert.equal(await pages(), 1);
  await page.evaluate(() => {
    globalThis.print = () => undefined;
  });
  await page.getByRole("tab", { name: "Share" }).click();
  await page.getByRole("button", { name: "Print in true size" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".sheets .paper").length > 1);
  await page.emulateMedia({ media: "print" });
  const wide = await page.evaluate(() => {
    const tile = document.querySelector(".paper .tiles polygon").getBoundingClientRect();
    return (tile.width / 96) * 25.4;
  });
  assert.ok(Math.abs(wide - 79) < 4, `${wide} mm`);
  assert.equal(await pages(), await page.locator(".sheets .paper").count());
  await close();
});
