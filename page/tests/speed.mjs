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

/** One visit: until there is a board, each redeal, until the solver has made a board, and redeals by the solver. */
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
  // Within the page: a click by Playwright takes longer than a redeal.
  const dealt = async () => {
    const spent = [];
    for (let i = 0; i < REDEALS; i++)
      spent.push(
        await page.evaluate(async () => {
          const board = () => decodeURIComponent(location.hash).split("&")[0];
          const [before, began] = [board(), performance.now()];
          document.querySelector("button.main").click();
          while (board() === before) await new Promise((go) => setTimeout(go, 1));
          return (performance.now() - began) / 1000;
        }),
      );
    return spent;
  };
  const redeals = await dealt();
  const solved = await seconds(async () => {
    await page.getByText("Mixed", { exact: true }).click(); // boards of the solver from now on
    await page.waitForFunction(() => localStorage.getItem("catan-cp.next")?.length > 10, null, WAIT);
  });
  const solvedAgain = await dealt();
  await context.close();
  return { first, solved: first + solved, redeals, solvedAgain };
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
    again: visits.flatMap(({ solvedAgain }) => solvedAgain),
  };
}
await browser.close();
site.server.close();
console.log(JSON.stringify(found));
