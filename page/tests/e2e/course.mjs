/** A visit from start to end, by touch on a phone and by keyboard on a desktop. Each result is announced. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  another,
  axe,
  becomes,
  cells,
  dealt,
  LINE,
  open,
  shown,
  skip,
  tab,
  until,
  WAIT,
} from "../harness.mjs";

const SHUFFLED = `#${LINE}&rules=tournament&harbors=%22shuffled%22`;
const RULES = { preset: "tournament", harbors: "shuffled" };
const TABLE =
  "o10w8l9/g12b2w4b10/g9l11dl3o8/l6o3g4w5/b5g6w11:4-5=b,6-9=g,11-22=3,16-17=l,26-40=3,35-36=3,45-46=w,48-49=3,50-51=o";
/** The table's harbors clockwise, each with its place in the order of their vertices. */
const HARBORS = [
  [0, "brick"],
  [1, "grain"],
  [2, "3:1"],
  [5, "3:1"],
  [6, "wool"],
  [8, "ore"],
  [7, "3:1"],
  [4, "3:1"],
  [3, "lumber"],
];
const NAMES = { d: "desert", b: "brick", g: "grain", w: "wool", o: "ore", l: "lumber" };

/** By touch alone: each target has to be in the window. */
const byTouch = () => ({
  press: (place) => place.tap(),
  spot: (page, group, i) => page.locator(`[data-group=${group}]`).nth(i).tap(),
});

/** By keys alone: Tab goes from button to button, and arrows within tiles, tabs and choices. */
function byKeys(page) {
  const focused = (place) => place.evaluate((each) => each === document.activeElement);
  const reach = async (place) => {
    await place.waitFor();
    for (let i = 0; !(await focused(place)); i++) {
      assert.ok(i < 200, `no way by keys to ${place}`);
      const isBefore = await place.evaluate(
        (each) => document.activeElement.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING,
      );
      await page.keyboard.press(isBefore ? "Shift+Tab" : "Tab");
    }
  };
  const press = async (place) => {
    await reach(place);
    await page.keyboard.press("Enter");
  };
  const spot = async (_, group, i) => {
    await reach(page.locator(`[data-group=${group}][tabindex='0']`));
    const place = page.locator(`[data-group=${group}]`).nth(i);
    const middle = async (each) => await each.evaluate(({ dataset: { x, y } }) => [Number(x), Number(y)]);
    const [x, y] = await middle(place);
    const tried = new Set(); // the arrow along the longer way, unless it led back to the same place
    for (let steps = 0; !(await focused(place)); steps++) {
      assert.ok(steps < 20, `no way by arrows to ${group} ${i}`);
      const [hereX, hereY] = await middle(page.locator(`[data-group=${group}]:focus`));
      const upOrDown = y > hereY ? "ArrowDown" : "ArrowUp";
      const aside = x > hereX ? "ArrowRight" : "ArrowLeft";
      const [long, short] = Math.abs(y - hereY) > Math.abs(x - hereX) ? [upOrDown, aside] : [aside, upOrDown];
      const key = tried.has(`${hereX},${hereY},${long}`) ? short : long;
      tried.add(`${hereX},${hereY},${key}`);
      await page.keyboard.press(key);
    }
    await page.keyboard.press("Enter");
  };
  return { press, spot, tab: (name) => reachTab(page, reach, name) };
}

async function reachTab(page, reach, name) {
  await reach(page.locator("[role=tab][tabindex='0']"));
  const wanted = page.getByRole("tab", { name });
  while ((await wanted.getAttribute("aria-selected")) !== "true") await page.keyboard.press("ArrowRight");
}

for (const [name, hands] of [
  ["phone-360", byTouch],
  ["desktop-1280", byKeys],
]) {
  test(`${name}: open, deal, keep, redeal, enter, check, draft, share and print`, {
    skip,
  }, async () => {
    const { page, shot, close } = await open(name, SHUFFLED, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { press, spot, tab: to = (tabName) => tab(page, tabName) } = hands(page);
    // All announcements for screen readers.
    await page.evaluate(() => {
      globalThis.said = [];
      const regions = "[aria-live], [role=alert], [role=status]";
      new MutationObserver((all) => {
        for (const { target } of all) {
          const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(regions);
          if (region) globalThis.said.push(region.textContent.trim());
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    const hears = async (wanted) => {
      await page.waitForFunction(
        ([source]) => globalThis.said.some((text) => new RegExp(source).test(text)),
        [wanted.source],
        WAIT,
      );
      await page.evaluate(() => globalThis.said.splice(0));
    };
    const main = page.locator("button.main");
    await another(page, () => press(main));
    await hears(/New board/);
    for (const t of [4, 9]) {
      await spot(page, "tile", t);
      await hears(/locked/);
    }
    const kept = await shown(page);
    const again = await another(page, () => press(main));
    await hears(/New board/);
    for (const t of [4, 9]) assert.equal(cells(again)[t], cells(kept)[t]);
    dealt.push([again, RULES]);

    await to("Check");
    await hears(/Broken rules|All rules/);
    await press(page.getByRole("button", { name: "Enter a board" }));
    const pressed = page.locator("[data-group=tile][aria-pressed=true]");
    const give = async (i, trade, heard) => {
      await press(page.locator(`.piece[data-piece="${trade}"]`));
      await hears(heard);
      assert.equal(await page.locator("[data-group=harbor]").nth(i).getAttribute("aria-pressed"), "true");
    };
    for (const [i, trade] of HARBORS) {
      const wanted = `Harbor ${trade === "3:1" ? trade : `2:1 ${trade}`}: `;
      const label = await page.locator("[data-group=harbor]").nth(i).getAttribute("aria-label");
      if (label.startsWith(wanted)) continue;
      await spot(page, "harbor", i);
      await page.waitForSelector('.piece[data-piece="3:1"]');
      await give(i, trade, new RegExp(`^${wanted}`));
    }
    await spot(page, "harbor", 8);
    await give(8, "ore", /No harbor: 1[89] /);
    await shot("harbors");
    await give(8, "ore", /Harbor 2:1 ore: 1[89] /);
    await spot(page, "tile", 0);
    while (await page.locator(".piece").count()) {
      const label = await pressed.getAttribute("aria-label");
      const cell = cells(TABLE)[Number(/\d+/.exec(label)[0]) - 1];
      const piece = /Empty/.test(label) ? NAMES[cell[0]] : cell.slice(1);
      await press(page.locator(`.piece[data-piece="${piece}"]`));
      await page.waitForFunction((old) => {
        const now = document.querySelector("[data-group=tile][aria-pressed=true]");
        return !document.querySelector(".piece") || (now && now.getAttribute("aria-label") !== old);
      }, label);
    }
    await becomes(page, TABLE);
    await hears(/complete.*All rules/);
    await shot("entered");
    dealt.push([await shown(page), RULES]);

    await to("Draft");
    for (let turn = 1; turn <= 8; turn++) {
      await page.waitForSelector(".moves .move", WAIT);
      await press(main);
      await hears(/^Player [1-4] settles at /);
      await until(() => page.locator(".turns .done").count(), turn);
    }
    await page.waitForSelector(".outcome", WAIT);
    await shot("drafted");

    await to("Share");
    await press(page.getByRole("button", { name: "Copy as text" }));
    await hears(/Copied/);
    const line = await shown(page);
    await until(() => page.evaluate(() => navigator.clipboard.readText()), line);
    for (const kind of ["PNG", "SVG"]) {
      const saved = page.waitForEvent("download");
      await press(page.getByRole("button", { name: kind }));
      assert.equal((await saved).suggestedFilename(), `board.${kind.toLowerCase()}`);
      await hears(new RegExp(`^Saved: board.${kind.toLowerCase()}`));
    }
    await page.evaluate(() => {
      globalThis.print = () => {
        dispatchEvent(new Event("beforeprint"));
        globalThis.printed = true;
      };
    });
    await press(page.getByRole("button", { name: "Print on one page" }));
    await hears(/^Sheets ready to print: 1\./);
    await press(page.getByRole("button", { name: "Print in true size" }));
    await hears(/^Sheets ready to print: 6\./);
    assert.ok(await page.evaluate(() => globalThis.printed));
    await axe(page, "after the course");
    assert.notEqual(line, LINE);
    await close();
  });
}
