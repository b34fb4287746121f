/** The tab Check: verdicts, and boards entered by hand. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  ask,
  axe,
  becomes,
  broken,
  cells,
  dealt,
  LINE,
  open,
  SIZES,
  shown,
  skip,
  tab,
  until,
  WAIT,
} from "../harness.mjs";

test("a board from Python is judged as Python does, rule by rule", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  await becomes(page, LINE);
  await tab(page, "Check");
  await page.waitForSelector(".verdict[aria-busy=false]", WAIT);
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

for (const size of Object.keys(SIZES)) {
  test(`${size}: a board from the table is laid by touch, judged, ringed where it breaks rules, and mended`, {
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
    // A board of the table on which the red numbers of tiles 0 and 1 touch, by Python.
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
    await page.waitForSelector(".verdict[aria-busy=false]", WAIT);
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
    assert.equal(await page.locator(".stage .numbers text").count(), differs);
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
    // One touch removes a number, and undo restores it. Two tiles exchange numbers in four touches.
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
      await tab(page, "Draft");
      for (let turn = 0; turn < 8; turn++) {
        await page.waitForSelector(".moves .move", WAIT);
        const chance = await page.locator(".moves .number").first().textContent();
        await act(page.locator("button.main"));
        await page.waitForFunction(
          (n) => document.querySelectorAll(".turns .done").length === n,
          turn + 1,
          WAIT,
        );
        // The move leads to the chance that it showed.
        const player = Math.min(turn, 7 - turn);
        const now = turn < 7 ? ".chances li" : ".outcome .number";
        await until(
          async () => (await page.locator(now).nth(player).textContent()).match(/\d+ %/)?.[0],
          chance,
        );
      }
      await shot("all-settled");
    }
    await close();
  });
}

test("a repair is read as exchanges with arrows, which make the shown board of the one before", {
  skip,
}, async () => {
  const before = "o6w8l9/g12b2w4b10/g9l11dl3o8/l10o3g4w5/b5g6w11:printed";
  const { page, close } = await open("desktop-1280", `#${before}&rules=tournament`);
  await tab(page, "Check");
  await page.getByRole("button", { name: "Repair" }).click();
  await page.waitForSelector(".changes li", WAIT);
  const found = cells(before).map((cell) => [cell[0], cell.slice(1)]);
  const steps = await page.locator(".changes li").allTextContents();
  for (const step of steps) {
    const [, a, b] =
      /^(\d+) and (\d+) change/.exec(step) ??
      /^The numbers on (\d+) and (\d+) change/.exec(step) ??
      /^The number \d+ moves from (\d+) to (\d+)/.exec(step) ??
      assert.fail(step);
    const parts = /with their/.test(step) ? [0, 1] : /without their/.test(step) ? [0] : [1];
    for (const i of parts) [found[a - 1][i], found[b - 1][i]] = [found[b - 1][i], found[a - 1][i]];
  }
  assert.deepEqual(
    found.map((cell) => cell.join("")),
    cells(await shown(page)),
  );
  await until(() => page.locator(".stage .arrows > g").count(), steps.length);
  await close();
});

test("each tile shows its number if asked, and only measured chances are shown", { skip }, async () => {
  const { page, close } = await open("phone-360", `#${LINE}`);
  const numbers = () => page.locator(".stage .numbers text").allTextContents();
  assert.deepEqual(await numbers(), []);
  await page.locator(".menu summary").tap();
  await page.getByLabel("The number of each tile").check();
  await until(
    numbers,
    Array.from({ length: 19 }, (_, t) => `${t + 1}`),
  );
  await page.locator(".menu summary").tap();
  await tab(page, "Check");
  await page.waitForSelector(".chances li", WAIT);
  await page.getByLabel("Chances to win", { exact: true }).waitFor();
  const ready = JSON.parse(readFileSync("dist/data/boards/seafarers-6.json", "utf8"));
  const [line] = Object.values(ready)[0];
  await page.evaluate((hash) => {
    location.hash = hash;
  }, line);
  await becomes(page, line);
  await page.getByText("Chances to win are known for 3 to 6 players").first().waitFor();
  assert.equal(await page.locator(".chances li").count(), 0);
  assert.equal(await page.getByLabel("Chances to win", { exact: true }).count(), 0);
  await close();
});
