/**
 * Functions of the browser tests in e2e/. Each file is a process with a server and a browser. CHROMIUM names the browser if
 * it is not Debian's. Without a browser the tests are skipped, or fail under CI=true. SHOTS=FOLDER stores a picture of each
 * step. `PICTURES=new node --test tests/e2e/whole.mjs` stores the reference pictures again. SLOWER=4 makes the processor
 * four times slower. No test depends on time: each result is waited for, at most PATIENCE milliseconds.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";
import { chromiumPath } from "./browser.mjs";
import { serve } from "./serve.mjs";

export const skip = chromiumPath ? false : "no Chromium here; CHROMIUM=PATH names one";
if (skip && process.env.CI === "true") throw new Error(skip);

export const python = process.env.PYTHON ?? "../.venv/bin/python";
export const LINE = "o10w2l9/g12b6w4b10/g9l11dl3o8/l8o3g4w5/b5g6w11:printed";
export const OPEN = "&rules=open&harbors=%22none%22";
export const WAIT = { timeout: Number(process.env.PATIENCE ?? 180_000) };
export const SIZES = {
  desktop: { viewport: { width: 1366, height: 820 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
/** Small phones, a phone on its side, and magnified windows. */
const SMALL = {
  landscape: { viewport: { width: 844, height: 390 }, isMobile: true, hasTouch: true },
  "zoom-200": { viewport: { width: 683, height: 410 } },
  "zoom-400": { viewport: { width: 341, height: 205 } },
  "phone-360": { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
  "desktop-1280": { viewport: { width: 1280, height: 800 } },
  "phone-320": { viewport: { width: 320, height: 568 }, isMobile: true, hasTouch: true },
};

export let site;
export let browser;
/** The page in which pictures are reduced. */
let small;
export const dealt = []; // boards and the rules they were dealt by, which Python checks at the end

before(async () => {
  if (skip) return;
  site = await serve("dist");
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"], ...WAIT });
});
after(async () => {
  await browser?.close();
  site?.server.close();
  assert.deepEqual(
    broken(dealt),
    dealt.map(() => []),
  );
});

/** A new visitor, with the time limits of slow machines. */
export async function visitor(options) {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  context.setDefaultTimeout(WAIT.timeout);
  context.setDefaultNavigationTimeout(WAIT.timeout);
  return context;
}

/** A page of a size at an address, with a board. Its errors and requests to other hosts fail the test at its end. */
export async function open(size, hash = "", more = {}) {
  const context = await visitor({ serviceWorkers: "block", ...(SIZES[size] ?? SMALL[size]), ...more });
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
  await page.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
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

export const address = (page) => page.evaluate(() => decodeURIComponent(location.hash.slice(1)));
export const tab = (page, name) => page.getByRole("tab", { name }).click();

/** Reads until the result is the expected one, and fails with the last result. */
export async function until(read, wanted, where) {
  const end = performance.now() + WAIT.timeout;
  for (;;) {
    const seen = await read();
    if (isDeepStrictEqual(seen, wanted)) return;
    if (performance.now() > end) assert.deepEqual(seen, wanted, where);
    await sleep(50);
  }
}

/** The shown board, as soon as the address contains it too. */
export async function shown(page) {
  const found = await page.waitForFunction(
    () => {
      const board = document.querySelector(".stage").dataset.board;
      return decodeURIComponent(location.hash.slice(1)).split("&")[0] === board && board;
    },
    null,
    WAIT,
  );
  return await found.jsonValue();
}

/** Waits until the address contains a board, or matches. */
export async function becomes(page, wanted) {
  if (wanted instanceof RegExp) {
    await page.waitForFunction(
      ([source, flags]) => new RegExp(source, flags).test(decodeURIComponent(location.hash.slice(1))),
      [wanted.source, wanted.flags],
      WAIT,
    );
  } else await until(() => shown(page), wanted);
}

/** Waits until the history has an entry for open parts, or none. */
export const onTop = (page, wanted) =>
  page.waitForFunction((yes) => history.state?.onTop === yes, wanted, WAIT);

/** The browser's Back, which closes an open part. */
export async function back(page) {
  await onTop(page, true);
  await page.goBack();
  await onTop(page, false);
}

export const gone = (page, what) =>
  page
    .locator(what)
    .first()
    .waitFor({ state: "detached", ...WAIT });

/** Generates a board, and waits for it. */
export async function another(page, act = () => page.click("button.main")) {
  await page.waitForSelector(".stage[aria-busy=false]", WAIT); // the main button would stop what goes on
  const old = await shown(page);
  await act();
  await page.waitForFunction(
    (before) => {
      const now = document.querySelector(".stage").dataset.board;
      return now && now !== before && document.querySelector(".stage[aria-busy=false]");
    },
    old,
    WAIT,
  );
  return await shown(page);
}

/** Runs Python with a JSON text, and reads its output as JSON. */
export function ask(code, given) {
  const { stdout, stderr, status } = spawnSync(python, ["-c", `import json, sys\n${code}`], {
    input: JSON.stringify(given),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

/** The rules that each board breaks, by Python. */
export const broken = (pairs) =>
  ask(
    `from catan_cp import Board, Rules
found = [Rules.from_mapping(rules).check(Board.from_notation(board)) for board, rules in json.load(sys.stdin)]
print(json.dumps([sorted({violation.rule for violation in each}) for each in found]))`,
    pairs,
  );

export const cells = (board) =>
  board
    .split(":")[0]
    .split("/")
    .join("")
    .match(/[a-z][0-9]*/g);

/** Fails with the violations of accessibility. */
export async function axe(page, where) {
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
 * Compares the window with the stored picture of that name. Both are reduced, so other fonts make no difference, but parts
 * that move, vanish or change their colour do.
 */
export async function looks(page, name) {
  await page.evaluate(() => document.fonts.ready);
  const changing = [page.locator(".code"), page.locator(".select"), page.locator(".notation")];
  const seen = await page.screenshot({
    mask: changing,
    animations: "disabled",
    scale: "css",
    type: "jpeg",
    quality: 70,
  });
  const path = `tests/pictures/${name}.jpg`;
  if (process.env.PICTURES === "new") writeFileSync(path, seen);
  small ??= await browser.newPage();
  const other = await small.evaluate(
    async (pictures) => {
      /** The colours of a picture that is 160 pixels wide. */
      const shrunk = async (text) => {
        const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes]), { resizeQuality: "high" });
        const canvas = new OffscreenCanvas(160, Math.round((160 * image.height) / image.width));
        const context = canvas.getContext("2d");
        context.imageSmoothingQuality = "high";
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        return context.getImageData(0, 0, canvas.width, canvas.height).data;
      };
      const [seen, stored] = await Promise.all(pictures.map(shrunk));
      if (seen.length !== stored.length) return;
      return seen.filter((color, i) => Math.abs(color - stored[i]) > 64).length / seen.length;
    },
    [seen, readFileSync(path)].map((picture) => picture.toString("base64")),
  );
  assert.notEqual(other, undefined, `${name} has another shape`);
  assert.ok(other < 0.05, `${(100 * other).toFixed(1)} % of ${name} look otherwise than in ${path}`);
}

/** Waits until a tab is complete. */
export async function settled(page, number) {
  await page.waitForSelector(".fairness[data-course=ready]", WAIT); // another height in the smallest windows
  if (number === 1) {
    await page.waitForSelector(".verdict[aria-busy=false]", WAIT);
    await page.waitForSelector(".chances li", WAIT);
  }
  if (number === 2) await page.waitForSelector(".moves .move", WAIT);
}
