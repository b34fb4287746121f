/** The drawing of boards, compared with the library, on phones, magnified, and on paper. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { another, browser, LINE, OPEN, open, python, skip, tab } from "../harness.mjs";

/** Pictures of boards by the library, without the plain rectangle behind them. */
function drawnByLibrary(boards) {
  const program = `
import json, sys
from catan_cp import Board, board_svg
print(json.dumps([board_svg(Board.from_notation(line), theme=theme) for line, theme in json.load(sys.stdin)]))
`;
  const done = spawnSync(python, ["-c", program], { input: JSON.stringify(boards), encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

/** The share of pixels of two drawings that clearly differ, each drawn 900 pixels wide on one background. */
async function difference(first, second, background) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const share = await page.evaluate(
    async ([texts, color]) => {
      const pixels = await Promise.all(
        texts.map(async (text) => {
          const image = new Image();
          const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
          const [, , width, height] = root.getAttribute("viewBox").split(" ").map(Number);
          root.setAttribute("width", 900);
          root.setAttribute("height", Math.round((900 * height) / width));
          image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(root))}`;
          await image.decode();
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [900, 700];
          const context = canvas.getContext("2d");
          context.fillStyle = color;
          context.fillRect(0, 0, 900, 700);
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, 900, 700).data;
        }),
      );
      let differing = 0;
      for (let i = 0; i < pixels[0].length; i += 4) {
        if ([0, 1, 2].some((k) => Math.abs(pixels[0][i + k] - pixels[1][i + k]) > 40)) differing++;
      }
      return (4 * differing) / pixels[0].length;
    },
    [[first, second], background],
  );
  await context.close();
  return share;
}

test("the page draws a board as the library does", { skip }, async () => {
  const bare = LINE.replace(":printed", "");
  const boards = [
    [LINE, "light"],
    [LINE, "dark"],
    [bare, "light"],
  ];
  const library = drawnByLibrary(boards);
  for (const [i, [line, theme]] of boards.entries()) {
    const { page, close } = await open("desktop", `#${line}${OPEN}`, { colorScheme: theme });
    const drawn = await page.evaluate(() =>
      new XMLSerializer().serializeToString(document.querySelector(".stage .board")),
    );
    const background = theme === "dark" ? "#12161c" : "#ffffff";
    const share = await difference(library[i], drawn, background);
    assert.ok(share < 0.003, `${line} ${theme}: ${share}`);
    if (i === 0) assert.ok((await difference(library[1], drawn, background)) > 0.3, "it sees a difference");
    await close();
  }
});

const PHONE = { viewport: { width: 360, height: 740 } };

test("letters and vertices on a phone are large enough", { skip }, async () => {
  for (const letters of [false, true]) {
    const { page, close } = await open("phone", `#${LINE}${OPEN}`, PHONE);
    if (letters) {
      await page.locator(".menu summary").click();
      await page.getByLabel("A letter on each tile").check();
      await page.keyboard.press("Escape");
    }
    await tab(page, "Draft");
    await page.waitForSelector(".vertices .reach");
    const least = await page.evaluate(() => {
      const board = document.querySelector(".stage .board");
      const scale = board.getScreenCTM().a;
      const digits = [...board.querySelectorAll(".digits")].map(
        (each) => each.getBoundingClientRect().height / 0.729,
      );
      const texts = [...board.querySelectorAll("text")].map(
        (each) => Number.parseFloat(each.getAttribute("font-size")) * scale,
      );
      const targets = [...board.querySelectorAll(".reach")].map((each) => each.getBoundingClientRect().width);
      return { text: Math.min(...digits, ...texts), target: Math.min(...targets) };
    });
    assert.ok(least.text >= 8.99 && least.target >= 24, JSON.stringify(least));
    await close();
  }
});

test("a board is magnified by wheel, keys, buttons and two fingers, and the page still scrolls", {
  skip,
}, async () => {
  const { page, close } = await open("desktop", `#${LINE}${OPEN}`);
  const board = page.locator(".stage .board");
  const width = async () => Number((await board.getAttribute("viewBox")).split(" ")[2]);
  const whole = await width();
  await board.hover();
  await page.mouse.wheel(0, 120);
  assert.equal(await width(), whole, "the wheel alone scrolls");
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -120);
  await page.keyboard.up("Control");
  await page.waitForFunction(
    (most) => Number(document.querySelector(".stage .board").getAttribute("viewBox").split(" ")[2]) < most,
    whole,
  );
  await page.getByRole("button", { name: "Show the whole board" }).click();
  assert.equal(await width(), whole);
  await page.locator("[data-group=tile]").first().focus();
  await page.keyboard.press("+");
  assert.ok((await width()) < whole);
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
  const focused = await page.evaluate(() => document.activeElement.getBoundingClientRect().x);
  const seen = await board.boundingBox();
  assert.ok(focused > seen.x - 40 && focused < seen.x + seen.width, "what has the focus is in sight");
  await page.keyboard.press("0");
  assert.equal(await width(), whole);
  await close();

  const touch = await open("phone", `#${LINE}${OPEN}`, PHONE);
  const devtools = await touch.page.context().newCDPSession(touch.page);
  const box = await touch.page.locator(".stage .board").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const fingers = (apart) => [
    { x: x - apart, y, id: 0 },
    { x: x + apart, y, id: 1 },
  ];
  await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(30) });
  for (const apart of [40, 55, 75]) {
    await devtools.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(apart) });
  }
  await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  const reset = touch.page.getByRole("button", { name: "Show the whole board" });
  await reset.waitFor();
  assert.equal(await touch.page.evaluate(() => visualViewport.scale), 1, "the page is not magnified");
  assert.equal(
    await touch.page.locator("[data-group=tile][aria-pressed=true]").count(),
    0,
    "no tile was touched",
  );
  await devtools.send("Input.synthesizeScrollGesture", { x, y, yDistance: -200 });
  assert.ok((await touch.page.evaluate(() => scrollY)) > 100, "one finger scrolls the page");
  await touch.close();
});

test("pieces slide to their new places, unless the board before has only just come", { skip }, async () => {
  const { page, close } = await open("desktop");
  await page.evaluate(() => {
    const { animate } = Element.prototype;
    Element.prototype.animate = function (...all) {
      globalThis.slid++;
      return animate.apply(this, all);
    };
  });
  for (const [clock, slides] of [
    [10, true],
    [900, false],
    [2000, true],
  ]) {
    await page.evaluate((now) => {
      globalThis.slid = 0;
      performance.now = () => now;
    }, clock);
    await another(page);
    assert.equal(await page.evaluate(() => globalThis.slid > 0), slides, `${clock}`);
  }
  await close();
});

test("true size takes six sheets of A4 or of Letter, and no sheet ends in a number", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}${OPEN}`);
  await page.evaluate(() => {
    window.print = () => undefined;
  });
  await tab(page, "Share");
  await page.getByRole("button", { name: "Print in true size" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".sheets .paper").length > 1);
  const pages = async (format) =>
    (await page.pdf({ format, printBackground: true })).toString("latin1").match(/\/Type \/Page\b/g).length;
  assert.deepEqual([await pages("A4"), await pages("Letter")], [6, 6]);
  await page.emulateMedia({ media: "print" });
  const cut = await page.evaluate(
    () =>
      [...document.querySelectorAll(".sheets .paper")].flatMap((paper) => {
        const sheet = paper.querySelector(".board").getBoundingClientRect();
        return [...paper.querySelectorAll("[data-disc]")].filter((disc) => {
          const { left, right, top, bottom } = disc.getBoundingClientRect();
          const inside =
            right > sheet.left + 1 && left < sheet.right && bottom > sheet.top + 1 && top < sheet.bottom;
          return inside && (left < sheet.left - 1 || top < sheet.top - 1);
        });
      }).length,
  );
  assert.equal(cut, 0);
  assert.match(await page.locator(".sheets .paper").last().innerText(), /Sheet B3 of 6/);
  await close();
});
