/**
 * Prints as JSON the seconds of first visits to the built page: `node tests/speed.mjs VISITS`, for `make bench`. A slow
 * phone has a processor that is four times slower.
 */
import { chromium } from "playwright-core";
import { chromiumPath } from "./browser.mjs";
import { serve } from "./serve.mjs";

const PHONE = 4; // times slower
const REDEALS = 5;
const WAIT = { timeout: 300_000 };

const site = await serve("dist");
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });

/** The board in the address. */
const shown = (page) => page.evaluate(() => decodeURIComponent(location.hash).split("&")[0]);

/** One visit: until there is a board, until the solver has made one, and each redeal. */
async function visit(slower) {
  const context = await browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slower });
  const seconds = async (work) => {
    const began = performance.now();
    await work();
    return (performance.now() - began) / 1000;
  };
  const first = await seconds(async () => {
    await page.goto(site.url);
    await page.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
  });
  const solved = await seconds(() =>
    page.waitForFunction(() => localStorage.getItem("catan-cp.next")?.length > 10, null, WAIT),
  );
  const redeals = [];
  for (let i = 0; i < REDEALS; i++) {
    const before = await shown(page);
    redeals.push(
      await seconds(async () => {
        await page.click("button.main");
        await page.waitForFunction(
          (old) => decodeURIComponent(location.hash).split("&")[0] !== old,
          before,
          WAIT,
        );
      }),
    );
  }
  await context.close();
  return { first, solved: first + solved, redeals };
}

const found = {};
for (const [name, slower] of [
  ["desktop", 1],
  ["phone", PHONE],
]) {
  const visits = [];
  for (let i = 0; i < Number(process.argv[2]); i++) visits.push(await visit(slower));
  found[name] = {
    first: visits.map(({ first }) => first),
    solved: visits.map(({ solved }) => solved),
    redeal: visits.flatMap(({ redeals }) => redeals),
  };
}
await browser.close();
site.server.close();
console.log(JSON.stringify(found));
