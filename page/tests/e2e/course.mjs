/** The whole course, by touch on a phone and by keyboard on a desktop: no step back, and each result is announced. */
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

const TABLE = "o10w8l9/g12b2w4b10/g9l11dl3o8/l6o3g4w5/b5g6w11:printed";
const NAMES = { d: "desert", b: "brick", g: "grain", w: "wool", o: "ore", l: "lumber" };

/** By touch alone: where the finger goes has to be in the window. */
const byTouch = () => ({
  press: (place) => place.tap(),
  tile: (page, t) => page.locator("[data-group=tile]").nth(t).tap(),
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
  const tile = async (_, t) => {
    await reach(page.locator("[data-group=tile][tabindex='0']"));
    const place = page.locator("[data-group=tile]").nth(t);
    const middle = async (each) => await each.evaluate(({ dataset: { x, y } }) => [Number(x), Number(y)]);
    const [x, y] = await middle(place);
    for (let i = 0; !(await focused(place)); i++) {
      assert.ok(i < 20, `no way by arrows to tile ${t}`);
      const [hereX, hereY] = await middle(page.locator("[data-group=tile]:focus"));
      const down = y > hereY + 1 ? "ArrowDown" : y < hereY - 1 ? "ArrowUp" : undefined;
      await page.keyboard.press(down ?? (x > hereX ? "ArrowRight" : "ArrowLeft"));
    }
    await page.keyboard.press("Enter");
  };
  return { press, tile, tab: (name) => reachTab(page, reach, name) };
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
  test(`${name}: open, deal, keep, redeal, enter, check, improve, draft, share and print`, {
    skip,
  }, async () => {
    const { page, shot, close } = await open(name, "", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { press, tile, tab: to = (tabName) => tab(page, tabName) } = hands(page);
    // All that a screen reader is given to say.
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
      await tile(page, t);
      await hears(/locked/);
    }
    const kept = await shown(page);
    const again = await another(page, () => press(main));
    await hears(/New board/);
    for (const t of [4, 9]) assert.equal(cells(again)[t], cells(kept)[t]);
    dealt.push([again, { preset: "tournament", harbors: "printed" }]);

    await to("Check");
    await hears(/Broken rules|All rules/);
    await press(page.getByRole("button", { name: "Enter a board" }));
    const pressed = page.locator("[data-group=tile][aria-pressed=true]");
    while (await page.locator(".piece").count()) {
      const label = await pressed.getAttribute("aria-label");
      const cell = cells(TABLE)[Number(/\d+/.exec(label)[0]) - 1];
      const piece = /Empty/.test(label) ? NAMES[cell[0]] : cell.slice(1);
      await press(page.locator(`.piece[data-piece="${piece}"]`));
      await page.waitForFunction((old) => {
        const now = document.querySelector("[data-group=tile][aria-pressed=true]");
        return !document.querySelector(".piece") || now?.getAttribute("aria-label") !== old;
      }, label);
    }
    await becomes(page, TABLE);
    await hears(/complete.*All rules/);
    await shot("entered");
    await another(page, () => press(page.getByRole("button", { name: "Improve" })));
    await hears(/Even seats after exchanges: [12]/);
    await shot("improved");
    dealt.push([await shown(page), { preset: "tournament", harbors: "printed" }]);

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
    await page.evaluate(() => {
      globalThis.print = () => {
        globalThis.printed = true;
      };
    });
    await press(page.getByRole("button", { name: "Print on one page" }));
    await page.waitForFunction(() => globalThis.printed, null, WAIT);
    await axe(page, "after the course");
    assert.notEqual(line, LINE);
    await close();
  });
}
