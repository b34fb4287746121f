/** The page as a whole: in each size, language and window, by keyboard and with Back. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  address,
  another,
  axe,
  back,
  becomes,
  cells,
  dealt,
  gone,
  LINE,
  looks,
  onTop,
  open,
  SIZES,
  settled,
  shown,
  skip,
  tab,
  until,
  WAIT,
} from "../harness.mjs";

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
    for (const board of boards) dealt.push([board, { preset: "tournament", harbors: "shuffled" }]);
    await page.getByRole("button", { name: "Undo" }).click();
    await becomes(page, boards[1]);
    await page.getByRole("button", { name: "Unlock all" }).click();
    const even = await another(page, () => page.getByRole("radio", { name: /Very mixed/ }).click());
    dealt.push([even, { preset: "optimal" }]);
    await shot("optimal");
    await page.locator("summary", { hasText: "All rules" }).click();
    await shot("rules");
    await page.locator("summary", { hasText: "All rules" }).click();

    await tab(page, "Check");
    await page.waitForSelector(".verdict[aria-busy=false]", WAIT);
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
  const { page, shot, close } = await open("phone", `#${LINE}`);
  for (const [name, words] of [
    ["de", ["Regeln", "Prüfen", "Siedeln", "Teilen"]],
    ["fr", ["Règles", "Vérifier", "S’installer", "Partager"]],
    ["es", ["Reglas", "Comprobar", "Asentarse", "Compartir"]],
  ]) {
    await page.locator(".menu summary").click();
    await page.locator("select[name=language]").selectOption(name);
    await page.getByRole("tab", { name: words[0] }).waitFor();
    await page.locator(".menu summary").click();
    await onTop(page, false);
    for (const [number, word] of words.entries()) {
      await tab(page, word);
      await settled(page, number);
      await looks(page, `phone-${name}-${number}`);
      await axe(page, word);
      await shot(`${name}-${word}`);
    }
  }
  await close();
});

/** The shares of the window for board and panel, and the excess width of the page in pixels. */
const inSight = (page) =>
  page.evaluate(() => {
    const share = (what) => {
      const { left, right, top, bottom } = document.querySelector(what).getBoundingClientRect();
      const across = Math.min(right, innerWidth) - Math.max(left, 0);
      return (across * (Math.min(bottom, innerHeight) - Math.max(top, 0))) / (innerWidth * innerHeight);
    };
    const wide = document.documentElement.scrollWidth - innerWidth;
    return { board: share(".stage .board"), panel: share(".side"), wide };
  });

/** Windows with the board beside the panel: a phone on its side, and magnified windows. */
for (const [size, [board, panel]] of Object.entries({
  landscape: [0.25, 0.35],
  "zoom-200": [0.25, 0.35],
  "zoom-400": [0.25, 0.35],
  "phone-360": [0.25, 0.3],
  "phone-320": [0.25, 0.3],
})) {
  test(`${size}: board and panel stay in sight together`, { skip }, async () => {
    const { page, shot, close } = await open(size, `#${LINE}&rules=tournament`);
    for (const [number, name] of ["Rules", "Check", "Draft", "Share"].entries()) {
      await tab(page, name);
      await settled(page, number);
      await looks(page, `${size}-${number}`);
      await page.locator(".panel").hover();
      await page.mouse.wheel(0, 600);
      await page.waitForTimeout(200);
      await shot(name);
      const seen = await inSight(page);
      assert.ok(seen.board > board && seen.panel > panel, `${name}: ${JSON.stringify(seen)}`);
      assert.equal(seen.wide, 0, `${name} is wider than the window`);
    }
    // Each control that changes the board is visible together with it.
    await tab(page, "Rules");
    await page.locator("summary", { hasText: "All rules" }).click();
    await page.locator("input[type=range]").first().scrollIntoViewIfNeeded();
    assert.ok((await inSight(page)).board > board, "beside a slider");
    await tab(page, "Check");
    await settled(page, 1);
    await page.getByRole("button", { name: "Show only this" }).first().click();
    assert.ok((await inSight(page)).board > board, "beside a rule");
    await shot("ring");
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

for (const size of ["desktop", "phone", "phone-360"]) {
  test(`${size}: what is found later moves nothing below a finger`, { skip }, async () => {
    const { page, close } = await open(size, `#${LINE}&rules=tournament`);
    for (const [number, name] of ["Rules", "Check", "Draft", "Share"].entries()) {
      await page.evaluate(() => {
        globalThis.tops = new Map();
        const look = () => {
          for (const each of document.querySelectorAll(".panel :is(button, input, select, summary, h2)"))
            globalThis.tops.set(
              each,
              (globalThis.tops.get(each) ?? new Set()).add(
                Math.round(each.getBoundingClientRect().top + scrollY),
              ),
            );
          globalThis.looking = requestAnimationFrame(look);
        };
        cancelAnimationFrame(globalThis.looking);
        look();
      });
      await tab(page, name);
      await settled(page, number);
      const moved = await page.evaluate(async () => {
        for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
        return [...globalThis.tops].flatMap(([{ isConnected, textContent }, tops]) =>
          isConnected && tops.size > 1 ? [[textContent, ...tops]] : [],
        );
      });
      assert.deepEqual(moved, [], name);
    }
    await close();
  });
}

test("one undo and redo for locks, rules, boards, settlements and pieces; Escape and taps outside only close", {
  skip,
}, async () => {
  const { page, close } = await open("desktop", `#${LINE}&rules=tournament`);
  const heard = (text) => page.getByText(text).first().waitFor({ state: "attached" });
  const focused = () =>
    page.evaluate(() => document.activeElement.dataset.group ?? document.activeElement.className);
  const first = page.locator("[data-group=tile]").first();
  await first.focus();
  await page.keyboard.press("Enter");
  await becomes(page, /keep=o10x/);
  const even = await another(page, () => page.getByRole("radio", { name: /Very mixed/ }).click());
  await tab(page, "Draft");
  await page.locator("[data-group=vertex]").nth(20).focus();
  for (const placed of [/placed=\d+$/, /placed=\d+\.\d+$/]) {
    await page.keyboard.press("Enter");
    await becomes(page, placed);
    await until(focused, "vertex");
  }
  await heard(/^Player 2 settles at /);
  const steps = [
    /placed=\d+\.\d+$/,
    /placed=\d+&lines=\d+\.\d+$/,
    /rules=optimal.*keep=o10[^&]*&players=4&lines=\d+\.\d+$/,
    /rules=tournament.*keep=o10[^&]*$/,
  ];
  for (const step of steps.slice(1)) {
    await page.keyboard.press("Control+z");
    await becomes(page, step);
  }
  await becomes(page, LINE);
  await page.getByRole("button", { name: "Undo" }).click();
  await becomes(page, /rules=tournament$/);
  assert.equal(await page.getByRole("button", { name: "Undo" }).getAttribute("aria-disabled"), "true");
  await heard("Undone.");
  await page.getByRole("button", { name: "Redo" }).click();
  await becomes(page, steps[3]);
  await page.keyboard.press("Control+y");
  await becomes(page, even);
  await becomes(page, steps[2]);
  for (const step of [steps[1], steps[0]]) {
    await page.keyboard.press("Control+Shift+Z");
    await becomes(page, step);
  }
  await heard("Redone.");
  // A tap outside closes the menu, and does not touch the tile below.
  await tab(page, "Rules");
  const before = await address(page);
  for (const act of [() => page.keyboard.press("Escape"), () => first.click()]) {
    await page.locator(".menu summary").click();
    await page.waitForSelector(".menu[open]");
    await act();
    await page.waitForSelector(".menu:not([open])");
  }
  // The same holds before the browser reports that the menu is open.
  await page.evaluate(async () => {
    document.querySelector(".menu summary").click();
    await Promise.resolve().then(() => undefined);
    const tap = new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 });
    document.querySelector("[data-group=tile]").dispatchEvent(tap);
  });
  await page.waitForSelector(".menu:not([open])");
  for (const act of [() => page.keyboard.press("Escape"), () => page.mouse.click(20, 400)]) {
    await page.locator(".layouts .chosen").click();
    await page.waitForSelector(".layouts dialog");
    await act();
    await gone(page, ".layouts dialog");
  }
  await page.keyboard.press("Escape");
  await tab(page, "Check");
  await first.click();
  await page.waitForSelector(".piece");
  await page.keyboard.press("Escape");
  await gone(page, ".piece");
  await first.click();
  await page.locator(".stage").click({ position: { x: 12, y: 12 } });
  await gone(page, ".piece");
  assert.equal(await address(page), before);
  // The entered pieces come back.
  await page.getByRole("button", { name: "Enter a board" }).click();
  await page.locator(".piece").first().click();
  const laid = page.locator("[data-group=tile]:not([aria-label*=Empty])");
  await until(() => laid.count(), 1);
  await page.keyboard.press("Escape");
  await gone(page, ".piece");
  await page.keyboard.press("Control+z");
  await page.waitForSelector(".piece");
  await until(() => laid.count(), 1);
  await page.keyboard.press("Control+z");
  await until(() => laid.count(), 0);
  await page.keyboard.press("Control+z");
  await gone(page, ".piece");
  await close();
});
