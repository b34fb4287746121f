/**
 * The page in a real browser, as people use it: on a desktop and on a phone. Chromium is Debian's, or what CHROMIUM
 * names; without one the tests are skipped, which is a failure under CI=true. SHOTS=FOLDER keeps a picture of each step;
 * PICTURES=new stores small pictures of the views anew, with which later runs are compared. SLOWER=4 has the page's
 * processor a quarter as fast. No test depends on time: whatever follows what was done is waited for, at most for WAIT.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { chromiumPath } from "./browser.mjs";
import { serve } from "./serve.mjs";

const skip = chromiumPath ? false : "no Chromium here; CHROMIUM=PATH names one";
if (skip && process.env.CI === "true") throw new Error(skip);

const python = process.env.PYTHON ?? "../.venv/bin/python";
const LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed";
const OPEN = "&rules=open&harbors=%22none%22";
const WAIT = { timeout: 180_000 };
const SIZES = {
  desktop: { viewport: { width: 1366, height: 820 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
/** Where the board has to stay in sight beside what is said: a phone on its side, and a desktop that magnifies. */
const FLAT = {
  landscape: { viewport: { width: 844, height: 390 }, isMobile: true, hasTouch: true },
  "zoom-200": { viewport: { width: 683, height: 410 } },
  "zoom-400": { viewport: { width: 341, height: 205 } },
};

let site;
let browser;
const dealt = []; // boards and the rules they were dealt by, for Python to check all at once

before(async () => {
  if (skip) return;
  site = await serve("dist");
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"], ...WAIT });
});
after(async () => {
  await browser?.close();
  site?.server.close();
});

/** A browser of somebody of its own, who has the patience that slow machines need. */
async function visitor(options) {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  context.setDefaultTimeout(WAIT.timeout);
  context.setDefaultNavigationTimeout(WAIT.timeout);
  return context;
}

/** A page of that size at an address, with a board; whatever it complains of, or asks of other hosts, fails the test at its end. */
async function open(size, hash = "", more = {}) {
  const context = await visitor({ serviceWorkers: "block", ...(SIZES[size] ?? FLAT[size]), ...more });
  const page = await context.newPage();
  if (process.env.SLOWER) {
    const devtools = await context.newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: Number(process.env.SLOWER) });
  }
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
  const first = performance.now() - started;
  await shown(page);
  let step = 0;
  const shot = async (name) => {
    if (!process.env.SHOTS) return;
    mkdirSync(process.env.SHOTS, { recursive: true });
    await page.screenshot({
      path: `${process.env.SHOTS}/${size}-${String(++step).padStart(2, "0")}-${name}.png`,
    });
  };
  const close = async () => {
    assert.deepEqual(complaints, []);
    await context.close();
  };
  return { page, context, first, shot, close };
}

const address = (page) => page.evaluate(() => decodeURIComponent(location.hash.slice(1)));
const tab = (page, name) => page.getByRole("tab", { name }).click();

/** Reads until that is what is wanted, and fails with what was read last. */
async function until(read, wanted, where) {
  const end = performance.now() + WAIT.timeout;
  for (;;) {
    const seen = await read();
    if (isDeepStrictEqual(seen, wanted)) return;
    if (performance.now() > end) assert.deepEqual(seen, wanted, where);
    await sleep(50);
  }
}

/** The board that is shown, which stands in what would be printed, once the address says it, too. */
async function shown(page) {
  const found = await page.waitForFunction(
    () => {
      const board = document.querySelector(".sheets code")?.textContent;
      return decodeURIComponent(location.hash.slice(1)).split("&")[0] === board && board;
    },
    null,
    WAIT,
  );
  return await found.jsonValue();
}

/** The address follows what was done a moment later: waits until it says that board, or matches. */
async function becomes(page, wanted) {
  if (wanted instanceof RegExp) {
    await page.waitForFunction(
      ([source, flags]) => new RegExp(source, flags).test(decodeURIComponent(location.hash.slice(1))),
      [wanted.source, wanted.flags],
      WAIT,
    );
  } else await until(() => shown(page), wanted);
}

/** Waits until what is open has an entry of its own in the history, or none has: that follows a moment later. */
const onTop = (page, wanted) => page.waitForFunction((yes) => history.state?.onTop === yes, wanted, WAIT);

/** The browser's Back, from what is open. */
async function back(page) {
  await onTop(page, true);
  await page.goBack();
  await onTop(page, false);
}

const gone = (page, what) =>
  page
    .locator(what)
    .first()
    .waitFor({ state: "detached", ...WAIT });

/** Does something that deals, and waits for another board. */
async function another(page, act = () => page.click("button.main")) {
  await page.waitForSelector(".stage[aria-busy=false]", WAIT); // the main button would stop what goes on
  const old = await shown(page);
  await act();
  await page.waitForFunction(
    (before) => {
      const now = document.querySelector(".sheets code")?.textContent;
      return now && now !== before && document.querySelector(".stage[aria-busy=false]");
    },
    old,
    WAIT,
  );
  return await shown(page);
}

/** Does something that deals a layout, and waits: undefined for a board, or the fields of the clash that is named. */
async function chosen(page, act, layout) {
  const old = await shown(page);
  await act();
  const found = await page.waitForFunction(
    ([before, name]) => {
      const now = document.querySelector(".sheets code")?.textContent;
      const layout = document.querySelector(".layouts")?.dataset.shown;
      if (!now || !document.querySelector(".stage[aria-busy=false]") || layout !== name) return false;
      const items = [...document.querySelectorAll(".problem li")].map((each) => each.dataset.item);
      const said = document.querySelector(".problem:not(:has(li)) p")?.textContent;
      if (said && now === before) throw new Error(said);
      return items.length ? { items } : now !== before && {};
    },
    [old, layout],
    WAIT,
  );
  return (await found.jsonValue()).items;
}

/** The rules in the address, as Python reads them. */
async function asks(page) {
  const given = new URLSearchParams((await address(page)).split("&").slice(1).join("&"));
  const { rules, ...fields } = Object.fromEntries(given);
  const values = Object.entries(fields).map(([field, value]) => [field, JSON.parse(value)]);
  return { preset: rules, ...Object.fromEntries(values) };
}

/** How many bands of rivers are drawn, and the middles of fishing grounds in sides of a tile. */
const water = (page) =>
  page.evaluate(() => {
    const grounds = [...document.querySelectorAll(".stage .ground polygon")].map((each) => {
      const points = each
        .getAttribute("points")
        .split(" ")
        .map((point) => point.split(",").map(Number));
      return [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length / 60);
    });
    return { rivers: document.querySelectorAll(".stage .rivers polyline").length, grounds };
  });

/** Boards whose rivers and fishing grounds are not where Python's pictures have them. */
const unlike = (waters) =>
  ask(
    `import matplotlib
matplotlib.use("Agg")
from math import dist
from catan_cp import Board, plot_board
def same(line, seen):
    ax = plot_board(Board.from_notation(line))
    paths = lambda gid: [path for each in ax.collections if each.get_gid() == gid for path in each.get_paths()]
    middles = [path.vertices[:4].mean(axis=0) for path in paths("grounds")]
    near = all(any(dist((x, -y), point) < 0.01 for point in seen["grounds"]) for x, y in middles)
    return near and len(middles) == len(seen["grounds"]) and len(paths("rivers")) == seen["rivers"]
print(json.dumps([line for line, seen in json.load(sys.stdin) if not same(line, seen)]))`,
    waters,
  );

/** Runs Python with a JSON text, and reads what it prints as JSON. */
function ask(code, given) {
  const { stdout, stderr, status } = spawnSync(python, ["-c", `import json, sys\n${code}`], {
    input: JSON.stringify(given),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

/** The rules that each board breaks, by Python. */
const broken = (pairs) =>
  ask(
    `from catan_cp import Board, Rules
found = [Rules.from_mapping(rules).check(Board.from_notation(board)) for board, rules in json.load(sys.stdin)]
print(json.dumps([sorted({violation.rule for violation in each}) for each in found]))`,
    pairs,
  );

const cells = (board) =>
  board
    .split(":")[0]
    .split("/")
    .join("")
    .match(/[a-z][0-9]*/g);

/** What a checker of accessibility objects to. */
async function axe(page, where) {
  if (!(await page.evaluate(() => "axe" in globalThis))) {
    const { frames } = { frames: page.mainFrame() };
    await frames.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  }
  const found = await page.evaluate(() => globalThis.axe.run());
  const problems = found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 150)}`);
  assert.deepEqual(problems, [], where);
  assert.ok(found.passes.length > 10);
}

/**
 * Compares what is shown with the stored picture of that name. Both are so small that no letter is told from another,
 * so other fonts make no difference, and what moves, vanishes or changes its colour does.
 */
async function looks(page, name) {
  await page.evaluate(() => document.fonts.ready);
  const changing = [page.locator(".code"), page.locator(".select"), page.locator(".notation")];
  const seen = await page.screenshot({ mask: changing, animations: "disabled" });
  const small = await browser.newPage();
  /** The picture 64 pixels wide, as bytes of colours and as a PNG. */
  const shrunk = (picture) =>
    small.evaluate(async (text) => {
      const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes]), { resizeQuality: "high" });
      const canvas = new OffscreenCanvas(64, Math.round((64 * image.height) / image.width));
      const context = canvas.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const png = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      return { colors: [...data], png: btoa(String.fromCharCode(...png)) };
    }, picture.toString("base64"));
  const path = `tests/pictures/${name}.png`;
  const { colors, png } = await shrunk(seen);
  if (process.env.PICTURES === "new") {
    mkdirSync("tests/pictures", { recursive: true });
    writeFileSync(path, Buffer.from(png, "base64"));
  }
  const stored = (await shrunk(readFileSync(path))).colors;
  await small.close();
  assert.equal(colors.length, stored.length, `${name} has another shape`);
  const other = colors.filter((color, i) => Math.abs(color - stored[i]) > 64).length / colors.length;
  assert.ok(other < 0.05, `${(100 * other).toFixed(1)} % of ${name} look otherwise than in ${path}`);
}

/** Waits until a tab has all that it shows. */
async function settled(page, number) {
  if (number === 1) {
    await page.waitForSelector(".verdicts[aria-busy=false]", WAIT);
    await page.waitForSelector(".chances li", WAIT);
  }
  if (number === 2) await page.waitForSelector(".moves .move", WAIT);
}

for (const size of Object.keys(SIZES)) {
  test(`${size}: somebody makes, keeps, redeals, judges, settles and shares a board`, { skip }, async () => {
    const { page, shot, close } = await open(size, "", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await shot("first");
    const boards = [await shown(page), await another(page)];
    assert.notEqual(boards[0], boards[1]);
    for (const tile of [4, 9]) await page.locator("[data-group=tile]").nth(tile).click();
    await shot("kept");
    await becomes(page, /keep=x/);
    boards.push(await another(page));
    await shot("redealt");
    for (const tile of [4, 9]) assert.equal(cells(boards[2])[tile], cells(boards[1])[tile]);
    for (const board of boards) dealt.push([board, { preset: "tournament", harbors: "printed" }]);
    await page.getByRole("button", { name: "Undo" }).click();
    await becomes(page, boards[1]);
    await page.getByRole("button", { name: "Unlock all" }).click();
    const even = await another(page, () => page.getByRole("radio", { name: /Very even/ }).click());
    dealt.push([even, { preset: "optimal" }]);
    await shot("optimal");
    await page.getByText("All rules").click();
    await shot("rules");
    await page.getByText("All rules").click();

    await tab(page, "Check");
    await page.waitForSelector(".verdicts[aria-busy=false]", WAIT);
    await shot("judged");
    assert.equal(await page.locator(".verdicts .broken, .verdicts .unknown").count(), 0);

    await tab(page, "Draft");
    await page.waitForSelector(".moves .move", WAIT);
    await shot("settle");
    await page.locator(".moves .move").first().click();
    await page.locator("[data-group=vertex]").first().click();
    await becomes(page, /players=4&placed=\d+\.\d+$/);
    await page.getByLabel("Show the expected line of play").check();
    await page.waitForSelector(".outcome", WAIT);
    await shot("foreseen");

    await tab(page, "Share");
    await shot("share");
    await page.getByRole("button", { name: "Copy as text" }).click();
    await until(() => page.evaluate(() => navigator.clipboard.readText()), even);
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
    const { page, shot, close } = await open(size, `#${LINE}`);
    for (const [number, name] of ["Rules", "Check", "Draft", "Share"].entries()) {
      await tab(page, name);
      await settled(page, number);
      await looks(page, `${size}-${number}`);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await axe(page, `${name}, ${colorScheme}`);
        await shot(`${name}-${colorScheme}`);
      }
    }
    await close();
  });
}

test("a board from Python is judged as Python does, rule by rule", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  await becomes(page, LINE);
  await tab(page, "Check");
  await page.waitForSelector(".verdicts[aria-busy=false]", WAIT);
  const said = await page
    .locator(".verdicts .broken")
    .evaluateAll((all) => all.map((each) => each.dataset.field));
  const asked = await page
    .locator(".verdicts li")
    .evaluateAll((all) => all.map((each) => each.dataset.field));
  const rules = { preset: "optimal", harbors: "printed", terrain_cluster_max: 2, vertex_pips_max: 12 };
  const [wrong] = broken([[LINE, rules]]);
  assert.deepEqual(said.sort(), wrong);
  assert.ok(wrong.length > 1 && asked.length > wrong.length);
  await close();
});

test("rules that clash are named, and so is what the page cannot do", { skip }, async () => {
  const rules = `${OPEN}&vertex_sum_below=20&reds_apart=true`;
  const { page, shot, close } = await open("desktop", `#${LINE.split(":")[0]}${rules}`);
  await page.click("button.main");
  await page
    .getByText(/^(These rules cannot all hold|No board was found that keeps all of these)/)
    .waitFor(WAIT);
  await axe(page, "clash");
  await shot("clash");
  assert.deepEqual(await page.locator(".problem li > span").allTextContents(), [
    "At every vertex of three land tiles the markers sum to less than 20 (a desert counts 7).",
  ]);
  await page.getByRole("button", { name: "Back to the previous board" }).click();
  await gone(page, ".problem");
  await becomes(page, LINE.split(":")[0]);
  await page.click("button.main");
  await another(page, () => page.getByRole("button", { name: /^Remove: At every vertex/ }).click());
  await gone(page, ".problem");
  await becomes(page, /&reds_apart=true$/);
  dealt.push([await shown(page), { preset: "open", reds_apart: true }]);
  await page.evaluate((to) => {
    location.hash = to;
  }, `${LINE}&rules=tournament&constraints=["output[1]"]&reds_apart=7`);
  await page.waitForSelector(".problem li", WAIT);
  const [odd, own] = (await page.locator(".problem li > span").allTextContents()).sort().reverse();
  assert.equal(own, "Invalid constraint: output[1]");
  assert.equal(odd, "reds_apart=7");
  await shot("refused");
  await page.evaluate(() => {
    location.hash = "nonsense";
  });
  await page.getByText("The page cannot read this board").waitFor();
  await close();
});

test("a pattern is completed, and stays", { skip }, async () => {
  const { page, close } = await open("desktop", "#xxx/xxxx/xxdxx/xx6xx/o9xx&rules=tournament");
  const boards = [await shown(page), await another(page)];
  for (const board of boards) {
    assert.equal(cells(board)[9], "d");
    assert.match(cells(board)[13], /^[a-z]6$/);
    assert.equal(cells(board)[16], "o9");
    dealt.push([board, { preset: "tournament" }]);
  }
  await close();
});

test("a constraint in MiniZinc is kept, judged, and refused under its place", { skip }, async () => {
  const { page, shot, close } = await open("phone", `#${LINE}&rules=tournament`);
  await page.getByText("Custom constraints").click();
  const add = async (text) => {
    await page.locator("textarea").fill(text);
    await page.getByRole("button", { name: "Add and deal" }).click();
  };
  await add("terrain[1] = DESSERT");
  assert.equal(await page.locator(".wrong pre").textContent(), `terrain[1] = DESSERT\n${" ".repeat(13)}^`);
  await page.getByText("Line 1, column 14: Unknown name: “DESSERT”.").waitFor();
  await axe(page, "a wrong constraint");
  await shot("wrong");
  const text = "terrain[1] = WOOL /\\ marker[1] = 6";
  const board = await another(page, () => add(text));
  assert.equal(cells(board)[0], "w6");
  dealt.push([board, { preset: "tournament", harbors: "printed", constraints: [text] }]);
  await tab(page, "Check");
  await page.waitForSelector(".verdicts[aria-busy=false]", WAIT);
  assert.equal(await page.locator('.verdicts [data-field="constraint 0"].kept').count(), 1);
  await shot("own-judged");
  // What only MiniZinc can tell is shown at its place, too; and two that clash are named.
  await tab(page, "Rules");
  await add("marker[1] = [1, 2]");
  await page.waitForSelector(".problem pre", WAIT);
  assert.match(await page.locator(".problem pre").textContent(), /\^$/);
  await shot("refused-by-minizinc");
  await page.getByRole("button", { name: "Close" }).click();
  await add("marker[1] = 5");
  await page
    .getByText(/^(These rules cannot all hold|No board was found that keeps all of these)/)
    .waitFor(WAIT);
  assert.deepEqual(await page.locator(".problem li > span").allTextContents(), [text, "marker[1] = 5"]);
  await close();
});

test("Back closes what is open before it leaves, and forth is where it was", { skip }, async () => {
  const { page, close } = await open("phone", "#nonsense");
  await page.waitForSelector(".problem");
  await back(page);
  await gone(page, ".problem");
  await page.evaluate((to) => {
    location.hash = to;
  }, `${LINE}&rules=tournament`);
  await becomes(page, LINE);
  await page.locator(".menu summary").click();
  await page.waitForSelector(".menu[open]");
  await back(page);
  await page.waitForSelector(".menu:not([open])");
  await tab(page, "Check");
  await page.locator("[data-group=tile]").first().tap();
  await page.waitForSelector(".piece");
  await back(page);
  await gone(page, ".piece");
  await becomes(page, LINE);
  await page.locator("[data-group=tile]").first().tap();
  await onTop(page, true);
  await page.getByRole("button", { name: "Leave" }).click(); // the entry on top goes with it
  await onTop(page, false);
  await becomes(page, LINE);
  await page.goBack(); // to the board of before
  await page.waitForFunction((line) => !decodeURIComponent(location.hash).includes(line), LINE);
  await close();
});

test("French, German and Spanish say all of it, with their letters", { skip }, async () => {
  for (const [name, words] of [
    ["de", ["Regeln", "Prüfen", "Siedeln", "Teilen"]],
    ["fr", ["Règles", "Vérifier", "S’installer", "Partager"]],
    ["es", ["Reglas", "Comprobar", "Asentarse", "Compartir"]],
  ]) {
    const { page, shot, close } = await open("phone", `#${LINE}`, { locale: name });
    for (const [number, word] of words.entries()) {
      await tab(page, word);
      await settled(page, number);
      await looks(page, `phone-${name}-${number}`);
      await axe(page, word);
      await shot(`${name}-${word}`);
    }
    await close();
  }
});

for (const size of Object.keys(FLAT)) {
  test(`${size}: board and panel stay in sight together`, { skip }, async () => {
    const { page, shot, close } = await open(size, `#${LINE}&rules=tournament`);
    for (const [number, name] of ["Rules", "Check", "Draft", "Share"].entries()) {
      await tab(page, name);
      await settled(page, number);
      await looks(page, `${size}-${number}`);
      await page.locator(".panel").hover();
      await page.mouse.wheel(0, 300);
      await page.waitForTimeout(200);
      await shot(name);
      const { board, panel, wide } = await page.evaluate(() => {
        const box = (what) => {
          const { left, right, top, bottom } = document.querySelector(what).getBoundingClientRect();
          const across = Math.min(right, innerWidth) - Math.max(left, 0);
          return (across * (Math.min(bottom, innerHeight) - Math.max(top, 0))) / (innerWidth * innerHeight);
        };
        return {
          board: box(".stage .board"),
          panel: box(".side"),
          wide: document.documentElement.scrollWidth - innerWidth,
        };
      });
      assert.ok(board > 0.25 && panel > 0.35, `${name}: ${board} and ${panel} of the window`);
      assert.equal(wide, 0, `${name} is wider than the window`);
    }
    await close();
  });
}

test("the main button says all of its words, in sight, in the smallest windows", { skip }, async () => {
  const wanted = ["another", "redeal", "lay.rest", "repair", "settle.take", "stop"];
  const small = { "320 by 568": [320, 568], "320 by 256": [320, 256], "341 by 205": [341, 205] };
  for (const locale of ["en", "de", "fr", "es"]) {
    const all = JSON.parse(readFileSync(`languages/${locale}.json`, "utf8"));
    const { page, close } = await open("desktop", `#${LINE}&rules=tournament`, { locale });
    for (const [name, [width, height]] of Object.entries(small)) {
      await page.setViewportSize({ width, height });
      await page.waitForFunction((wide) => innerWidth === wide, width, WAIT);
      const cut = await page.evaluate(
        (words) => {
          const button = document.querySelector("button.main");
          return words.filter((word) => {
            const copy = button.cloneNode();
            copy.textContent = word;
            button.replaceWith(copy);
            const { left, right, top, bottom } = copy.getBoundingClientRect();
            const seen = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
            const whole = copy.scrollWidth <= copy.clientWidth && copy.scrollHeight <= copy.clientHeight;
            copy.replaceWith(button);
            return !seen || !whole;
          });
        },
        wanted.map((key) => all[key]),
      );
      assert.deepEqual(cut, [], `${locale}, ${name}`);
    }
    await close();
  }
});

test("every board can be chosen, and a larger one is dealt", { skip }, async () => {
  const { page, shot, close } = await open("desktop", `#${LINE}`);
  const layouts = JSON.parse(readFileSync("dist/data/layouts.json", "utf8")).map(({ name }) => name);
  const choose = async (name) => {
    await page.locator(".layouts summary").click();
    await page.locator(`[data-layout="${name}"]`).click();
  };
  await page.locator(".layouts summary").click();
  await page.locator("[data-layout]").first().waitFor();
  assert.deepEqual(
    (
      await page.locator("[data-layout]").evaluateAll((all) => all.map(({ dataset }) => dataset.layout))
    ).sort(),
    layouts.sort(),
  );
  await axe(page, "layouts");
  await shot("layouts");
  await page.locator(".layouts summary").click();
  const few = ["base-5-6", "seafarers-6", "pirate-islands", "tb-ultimate-green-1", "fishermen-of-catan"];
  const clashes = {};
  const waters = [];
  for (const layout of process.env.ALL === "yes" ? layouts : few) {
    const started = performance.now();
    const fields = await chosen(page, () => choose(layout), layout);
    const took = performance.now() - started;
    if (fields) clashes[layout] = fields;
    console.log(
      `${layout}: ${fields ? `no board keeps ${fields.join(", ")}` : "dealt"} in ${Math.round(took)} ms`,
    );
    await shot(layout);
    if (fields) {
      // Somebody who leaves out what is named, one after the other, comes to a board.
      let left = fields;
      while (left) left = await chosen(page, () => page.click(".problem li .link"), layout);
    }
    dealt.push([await shown(page), await asks(page)]);
    waters.push([await shown(page), await water(page)]);
  }
  assert.ok(waters.some(([, { rivers }]) => rivers) && waters.some(([, { grounds }]) => grounds.length > 3));
  assert.deepEqual(unlike(waters), []);
  // The library knows these clashes, and boards where any one of the rules is left out.
  const verdicts = ask(
    `from catan_cp import Infeasible, Rules, generate_board
from catan_cp.rules.rules import PRESETS
def deals(layout, fields):
    chosen = PRESETS["tournament"].to_mapping()
    try: generate_board(Rules.from_mapping({f: chosen[f] for f in fields}), layout, seed=1, solver="chuffed")
    except Infeasible: return False
    return True
print(json.dumps({layout: [deals(layout, fields), all(deals(layout, [f for f in fields if f != each]) for each in fields)]
    for layout, fields in json.load(sys.stdin).items()}))`,
    clashes,
  );
  for (const [layout, verdict] of Object.entries(verdicts)) assert.deepEqual(verdict, [false, true], layout);
  assert.deepEqual(clashes["pirate-islands"], ["terrain_cluster_max"]);
  await close();
});

test("all of it by keyboard: tiles, tabs and vertices", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  const pressed = (n) =>
    page.waitForFunction(
      (wanted) => document.querySelectorAll("[data-group=tile][aria-pressed=true]").length === wanted,
      n,
    );
  await page.locator("[data-group=tile]").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await pressed(1);
  assert.equal(await page.locator("[data-group=tile]").nth(1).getAttribute("aria-pressed"), "true");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press(" ");
  await pressed(2);
  await page.locator("#tab-deal").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("[data-group=vertex]");
  await page.locator("[data-group=vertex]").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /placed=\d+$/.test(location.hash));
  await close();
});

test("German and letters are kept; and the page works without a network after the first visit", {
  skip,
}, async () => {
  const { page, context, shot, close } = await open("phone", `#${LINE}`, { serviceWorkers: "allow" });
  await page.locator(".menu summary").click();
  await axe(page, "menu");
  await shot("menu");
  await page.locator("select[name=language]").selectOption("de");
  await page.getByRole("tab", { name: "Regeln" }).waitFor();
  await page.getByLabel("Ein Buchstabe auf jeder Landschaft").check();
  await page.locator(".menu summary").click();
  const letters = async () => {
    const seen = await page.locator(".stage .board text").allTextContents();
    return [...new Set(seen.filter((text) => /^\p{L}+$/u.test(text)))].sort();
  };
  await until(letters, ["E", "G", "H", "L", "W", "Wü"]);
  await shot("letters");
  await page.waitForFunction(() => navigator.serviceWorker.controller, null, WAIT);
  await onTop(page, false); // closing the menu goes back, which stops a reload
  await context.setOffline(true);
  await page.reload();
  await page.waitForSelector(".stage .tiles", WAIT);
  await page.getByRole("tab", { name: "Regeln" }).waitFor();
  assert.notEqual(await another(page), LINE);
  await shot("offline");
  await close();
});

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

/** What the documentation promises of an idle machine, in milliseconds: it is printed beside what is seen, and fails nobody. */
const GOALS = {
  "first board": 3000,
  "second visit": 1000,
  "redeal while the solver starts": 150,
  redeal: 150,
  "best moves": 300,
  "longest pause": 100,
};

test("nobody waits for a solver's start, and little goes over the wire", { skip }, async () => {
  const before = site.sent();
  const alone = await open("desktop"); // nothing is fetched for later
  await until(() => site.sent() - before > 4e6, true); // the solver is on its way
  const bytes = site.sent() - before;
  const ready = JSON.parse(readFileSync("dist/data/boards/base.json", "utf8")).tournament;
  assert.ok(ready.includes(await shown(alone.page)));
  await alone.close();
  const { page, context, first: later, close } = await open("desktop", "", { serviceWorkers: "allow" });
  const first = Math.min(alone.first, later);
  const marks = await page.evaluate(() =>
    performance.getEntriesByType("mark").map(({ name, startTime }) => `${name} ${Math.round(startTime)}`),
  );
  await page.evaluate(() => {
    globalThis.longest = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      globalThis.longest = Math.max(globalThis.longest, now - last);
      last = now;
    }, 10);
  });
  const [early, redeals] = [[], []];
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    await another(page);
    early.push(performance.now() - start);
  }
  for (let i = 0; i < 7; i++) {
    await page.waitForTimeout(1500); // people look at a board
    const start = performance.now();
    await another(page);
    redeals.push(performance.now() - start);
  }
  const answers = () =>
    page.evaluate(() => performance.getEntriesByName("best moves").map((each) => each.duration));
  const answered = async (act) => {
    const { length } = await answers();
    await act();
    await page.waitForFunction((n) => performance.getEntriesByName("best moves").length > n, length, WAIT);
  };
  await answered(() => tab(page, "Draft"));
  for (const players of [2, 3, 4]) {
    await answered(() => page.locator(".choice label", { hasText: String(players) }).click());
    for (let turn = 0; turn < 2 * players; turn++) {
      await answered(() => page.locator(".moves .move").first().click());
    }
    await page.getByText("All settlements are placed.").waitFor();
  }
  const moves = await answers();
  const longest = await page.evaluate(() => globalThis.longest);
  await page.waitForFunction(() => navigator.serviceWorker.controller, null, WAIT);
  const again = async () => {
    const other = await context.newPage();
    const start = performance.now();
    await other.goto(site.url);
    await other.waitForSelector(".stage .tiles", WAIT);
    const took = performance.now() - start;
    const board = await shown(other);
    await other.close();
    return [took, board];
  };
  await page.waitForFunction(() => localStorage.getItem("catan-cp.next")?.length > 10, null, WAIT);
  const [[, next]] = await page.evaluate(() => JSON.parse(localStorage.getItem("catan-cp.next")));
  const [second, begun] = await again();
  assert.equal(begun, next); // it was made ahead in the visit before
  await page.evaluate(() => localStorage.removeItem("catan-cp.next"));
  const [bare, other] = await again();
  assert.ok(ready.includes(other));
  const seen = {
    "first board": first,
    "second visit": second,
    "redeal while the solver starts": median(early),
    redeal: median(redeals),
    "best moves": median(moves),
    "longest pause": longest,
  };
  for (const [what, time] of Object.entries(seen)) {
    console.log(`${what}: ${Math.round(time)} ms (goal ${GOALS[what]})`);
  }
  console.log(
    `first board's way: ${marks.join(", ")}; second visit of a browser that kept neither code nor a board: ${Math.round(bare)} ms`,
  );
  console.log(`best moves: ${moves.map(Math.round).join(", ")} ms`);
  console.log(`over the wire until the first board: ${(bytes / 1e6).toFixed(2)} MB`);
  assert.ok(bytes < 6e6, `${bytes} bytes`);
  await close();
});

/** `catan-cp page` with these options, and the address that it says. */
async function command(...options) {
  const child = spawn(
    python.replace(/python[^/]*$/, "catan-cp"),
    ["page", LINE, "--no-browser", "--port", "0", ...options],
    {
      env: { ...process.env, COLUMNS: "100" },
    },
  );
  let said = "";
  const found = await new Promise((resolve, reject) => {
    child.stderr.on("data", (data) => {
      said += data;
      const where = /the page is at (\S+) .*until Ctrl-C\n/.exec(said);
      if (where) resolve(where[1]);
    });
    child.on("exit", () => reject(new Error(said)));
  });
  const end = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit");
      child.on("exit", () => resolve(said));
      child.kill("SIGINT");
    });
  return { found, end };
}

test("a phone in the local network opens what catan-cp page --lan says, and is told what it cannot do", {
  skip,
}, async (t) => {
  let served;
  try {
    served = await command("--lan");
  } catch (reason) {
    if (/in no network/.test(reason.message)) return t.skip("this machine is in no network");
    throw reason;
  }
  const { found, end } = served;
  assert.match(found, /^http:\/\/[\d.]+:\d+\/[\w-]{12}\/#/);
  const context = await visitor(SIZES.phone);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(found);
  await page.waitForSelector(".stage .tiles", WAIT);
  await becomes(page, LINE);
  assert.equal(await page.evaluate(() => isSecureContext), false);
  assert.notEqual(await another(page), LINE); // the solver came over the network too
  await tab(page, "Share");
  await page.getByText("Scan the code with a phone in the same network").waitFor();
  await page.getByText("The browser cannot store it").waitFor();
  await page.getByRole("button", { name: "Copy the link" }).click();
  await page.getByText("Browsers copy only from https pages").first().waitFor();
  const link = await page.evaluate(() => location.href);
  await until(() => page.locator(".select").textContent(), link);
  await axe(page, "share without https");
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/lan.png`, fullPage: true });
  await page.goto(new URL("/", found).href);
  assert.match(await page.content(), /404/);
  assert.deepEqual(complaints, []);
  await context.close();
  const said = await end();
  assert.match(said, /for 60 minutes/);
  assert.match(said, /[▀▄█]{7}/);
  assert.match(said, /the page is closed/);
});

test("links lead to this computer alone, and say so, or to the public address that was set once", {
  skip,
}, async () => {
  const { page, close } = await open("phone", `#${LINE}`);
  await tab(page, "Share");
  await page.getByText("This link and this code work on this computer only").waitFor();
  await close();
  const address = "https://example.org/boards/";
  process.env.CATAN_CP_PAGE_ADDRESS = address;
  const { found, end } = await command();
  delete process.env.CATAN_CP_PAGE_ADDRESS;
  const context = await visitor({ permissions: ["clipboard-read", "clipboard-write"] });
  const other = await context.newPage();
  await other.goto(found);
  await becomes(other, LINE);
  await tab(other, "Share");
  await other.getByText("Scan the code to open this board on another phone").waitFor();
  await other.getByRole("button", { name: "Copy the link" }).click();
  const copied = () => other.evaluate(() => navigator.clipboard.readText());
  await until(async () => (await copied()).slice(0, address.length + 1 + LINE.length), `${address}#${LINE}`);
  await context.close();
  await end();
});

test("a link with bad parts shows the good part, and what was not understood cut short", {
  skip,
}, async () => {
  const harbors = Array(700).fill("1-2=3").join();
  const rows = LINE.split(":")[0];
  const bad = `&rules=__proto__&keep=junk&vertex_sum_below=${"9".repeat(400)}&a=1&b=2&c=3&d=4`;
  const { page, shot, close } = await open("phone", `#${rows}:${harbors}${bad}`);
  await page.waitForSelector(".problem li", WAIT);
  await shot("bad-link");
  const said = await page.locator(".problem li > span").allTextContents();
  assert.equal(said.length, 6);
  assert.ok(said.every((text) => text.length < 90));
  await page.getByText("and 2 more").waitFor();
  await becomes(page, rows);
  await page.evaluate(() => {
    location.hash = "x".repeat(1_000_000);
  });
  await page.getByText("The page cannot read this board").waitFor();
  assert.ok((await page.locator(".problem").textContent()).length < 300);
  assert.equal(await page.locator(".stage .tiles").count(), 1);
  await shot("junk");
  await close();
});

/** Stops the search for even seats, then lets it end: the board, by Python's word even, and how many tiles it lists. */
async function even(page, act, shot) {
  const before = await shown(page);
  const said = () => page.locator(".chances").textContent();
  await page.waitForSelector(".chances li", WAIT);
  const seats = await said();
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        // What observes changes is told before anything else happens: the search cannot have ended.
        const observer = new MutationObserver(() => {
          const stop = document.querySelector(".main .spinner")?.parentElement;
          if (!stop) return;
          observer.disconnect();
          stop.click();
          resolve();
        });
        observer.observe(document.querySelector(".actions"), { childList: true, subtree: true });
        [...document.querySelectorAll(".panel button")]
          .find((each) => each.textContent === "Improve")
          .click();
      }),
  );
  await page.waitForSelector(".stage[aria-busy=false]", WAIT);
  await gone(page, ".problem");
  await becomes(page, before);
  const improved = await another(page, () => act(page.getByRole("button", { name: "Improve" })));
  await page.waitForFunction(
    // While the new board is judged there is no list at all.
    (old) => ![old, undefined, ""].includes(document.querySelector(".chances")?.textContent),
    seats,
    WAIT,
  );
  await page
    .getByText(/^Even: the best and the worst seat are [0-4]\.\d percentage points apart\.$/)
    .waitFor();
  await page.getByRole("heading", { name: /^Even seats after exchanges: [12]$/ }).waitFor();
  await axe(page, "improved");
  await shot("improved");
  const chances = ask(
    `from catan_cp import Board, win_chances
print(json.dumps(win_chances(Board.from_notation(json.load(sys.stdin)), [[], [], [], []])))`,
    improved,
  );
  assert.ok(Math.max(...chances) - Math.min(...chances) <= 0.05, `${chances}`);
  await until(
    async () => (await said()).match(/\d+ %/g)?.join(),
    chances.map((each) => `${Math.round(100 * each)} %`).join(),
  );
  return [improved, await page.locator(".changes li").count()];
}

for (const size of Object.keys(SIZES)) {
  test(`${size}: a board from the table is laid by touch, judged, ringed where it breaks rules, mended and made even`, {
    skip,
  }, async () => {
    const { page, shot, close } = await open(size, `#${LINE}&rules=tournament`);
    const act = (place) => (size === "phone" ? place.tap() : place.click());
    const piece = (name) => act(page.locator(`.piece[data-piece="${name}"]`));
    const tile = (t) => act(page.locator("[data-group=tile]").nth(t));
    const ringed = (what) =>
      page
        .locator(`.rings g:last-child [data-${what}]`)
        .evaluateAll((all, key) => all.map((each) => Number(each.dataset[key])).sort((a, b) => a - b), what);
    const rings = async () => [await ringed("tile"), await ringed("vertex")];
    const lies = (name, yes) => page.waitForSelector(`.piece[data-piece="${name}"][aria-pressed=${yes}]`);
    const brokenTiles = (board) =>
      ask(
        `from catan_cp import Board, Rules
board, rules = json.load(sys.stdin)
found = Rules.from_mapping(rules).check(Board.from_notation(board))
print(json.dumps([sorted({n for each in found for n in getattr(each, what)}) for what in ("tiles", "vertices")]))`,
        [board, { preset: "tournament", harbors: "printed" }],
      );
    // What lies on the table: reds that touch on tiles 0 and 1, by Python.
    const table = "o6w8l9/g12b2w4b10/g9l11dl3o8/l10o3g4w5/b5g6w11:printed";
    await tab(page, "Check");
    await act(page.getByRole("button", { name: "Enter a board" }));
    await page.waitForSelector(".piece");
    await shot("empty");
    await axe(page, "empty");
    const names = { d: "desert", b: "brick", g: "grain", w: "wool", o: "ore", l: "lumber" };
    const wanted = cells(table);
    const started = performance.now();
    let [touches, numbers] = [0, 0];
    for (; await page.locator(".piece").count(); touches++) {
      assert.ok(touches < 37);
      const label = await page.locator("[data-group=tile][aria-pressed=true]").getAttribute("aria-label");
      const t = Number(/\d+/.exec(label)[0]) - 1;
      if (!/Empty/.test(label) && !numbers++) assert.equal(t, 0);
      await piece(/Empty/.test(label) ? names[wanted[t][0]] : wanted[t].slice(1));
      await page.waitForFunction((old) => {
        const now = document.querySelector("[data-group=tile][aria-pressed=true]");
        return !document.querySelector(".piece") || (now && now.getAttribute("aria-label") !== old);
      }, label);
      if (touches === 18) await shot("numbers");
    }
    console.log(`${touches} touches, ${Math.round(performance.now() - started)} ms`);
    await becomes(page, table);
    await page.waitForSelector(".verdicts[aria-busy=false]", WAIT);
    await shot("judged");
    await axe(page, "ringed");
    const expected = brokenTiles(table);
    assert.ok(expected[0].length);
    await until(rings, expected);
    const row = page.locator('.verdicts [data-field="reds_apart"]');
    await act(row.getByRole("button", { name: "Show only this" }));
    await row.getByRole("button", { name: "Show all" }).waitFor();
    assert.ok((await ringed("tile")).length >= 2);
    await shot("one-rule");
    await act(page.getByRole("button", { name: "Repair" }));
    await page.waitForSelector(".changes li", WAIT);
    await axe(page, "repaired");
    await shot("repaired");
    const repaired = await shown(page);
    dealt.push([repaired, { preset: "tournament", harbors: "printed" }]);
    const differs = cells(repaired).filter((cell, t) => cell !== wanted[t]).length;
    assert.equal(await page.locator(".changes li").count(), differs);
    assert.deepEqual(
      differs,
      ask(
        `from catan_cp import Rules, repair_board
board, rules = json.load(sys.stdin)
print(json.dumps(repair_board(board, Rules.from_mapping(rules)).value))`,
        [table, { preset: "tournament", harbors: "printed" }],
      ),
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await becomes(page, table);
    // One touch takes a number off, and undo brings it back; two tiles change numbers in four touches.
    await tile(0);
    await piece("6");
    await lies("6", false);
    await shot("taken-off");
    await becomes(page, table);
    await page.getByRole("button", { name: "Undo" }).click();
    await lies("6", true);
    await tile(0);
    await piece("6");
    await lies("6", false);
    await tile(12);
    await until(() => page.locator("[data-group=tile]").nth(12).getAttribute("aria-pressed"), "true");
    await piece("6");
    const mended = table.replace("o6w8", "o10w8").replace("l10o3", "l6o3");
    await becomes(page, mended);
    await until(rings, brokenTiles(mended));
    assert.deepEqual(brokenTiles(mended), [[], []]);
    dealt.push([mended, { preset: "tournament", harbors: "printed" }]);
    await axe(page, "mended");
    await shot("mended");
    if (size === "phone") {
      const [improved, listed] = await even(page, act, shot);
      dealt.push([improved, { preset: "tournament", harbors: "printed" }]);
      assert.equal(listed, cells(improved).filter((cell, t) => cell !== cells(mended)[t]).length);
      const told = await page.locator(".chances").textContent();
      await tab(page, "Draft");
      for (let turn = 0; turn < 8; turn++) {
        await page.waitForSelector(".moves .move", WAIT);
        await until(() => page.locator(".chances").textContent(), told); // nobody errs
        await act(page.locator("button.main"));
        await page.waitForFunction(
          (n) => document.querySelectorAll(".turns .done").length === n,
          turn + 1,
          WAIT,
        );
      }
      await page.waitForSelector(".outcome", WAIT);
      await until(() => page.locator(".outcome .number b").allTextContents(), told.match(/\d+ %/g));
      await shot("all-settled");
    }
    await close();
  });
}

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
    assert.deepEqual([differs, await page.locator(".changes li").count()], [fewest, fewest], board);
  }
  await close();
});

/** A page with `repair` alone, to repair boards of any layout and rules. */
async function repairing() {
  const [folder] = readdirSync("dist").filter((name) => name.startsWith("minizinc-"));
  const contents = `import { readLayout, readModels, readRules } from "./data";
    import { notation, readNotation } from "./notation";
    import { repair } from "./repair";
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
    define: { MINIZINC: JSON.stringify(folder) },
  });
  const context = await visitor({ serviceWorkers: "block", bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`${site.url}licences.txt`);
  await page.setContent(`<base href="${site.url}">`);
  await page.addScriptTag({ url: `${site.url}compile.js` });
  await page.addScriptTag({ content: bundle.outputFiles[0].text });
  return {
    repaired: (...given) => page.evaluate((all) => globalThis.repaired(...all), given),
    close: () => context.close(),
  };
}

/** The boards are stored (see repairs.py, which writes others: REPAIRED=FILE); REPAIRS=220 tries all of them. */
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
  // The rule book's spiral has a vertex with more than 8 pips.
  const none = await repaired(LINE, "base", { ...presets.official, harbors: "printed", vertex_pips_max: 8 });
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
  assert.deepEqual([differs, await page.locator(".changes li").count()], [fewest, fewest]);
  await page.waitForSelector(".changes + p:has-text('solver')", WAIT);
  await close();
});

test("printed, the board is on one page, or in true size on several", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  const pages = async (name) => {
    const pdf = await page.pdf({
      format: "A4",
      printBackground: true,
      ...(process.env.SHOTS ? { path: `${process.env.SHOTS}/${name}.pdf` } : {}),
    });
    return pdf.toString("latin1").match(/\/Type \/Page\b/g).length;
  };
  assert.equal(await pages("page"), 1);
  await page.evaluate(() => {
    globalThis.print = () => undefined;
  });
  await tab(page, "Share");
  await page.getByRole("button", { name: "Print in true size" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".sheets .paper").length > 1);
  await page.emulateMedia({ media: "print" });
  const wide = await page.evaluate(() => {
    const tile = document.querySelector(".paper .tiles polygon").getBoundingClientRect();
    return (tile.width / 96) * 25.4;
  });
  assert.ok(Math.abs(wide - 79) < 4, `${wide} mm`);
  assert.equal(await pages("true"), await page.locator(".sheets .paper").count());
  await close();
});

test("every board that was dealt here passes Python's check", { skip }, () => {
  assert.ok(dealt.length >= 10);
  assert.deepEqual(
    broken(dealt),
    dealt.map(() => []),
  );
});
