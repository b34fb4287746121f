/** Custom constraints in a real browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  another,
  axe,
  cells,
  dealt,
  gone,
  LINE,
  open,
  SIZES,
  shown,
  skip,
  tab,
  until,
  WAIT,
} from "../harness.mjs";

const ORE = "terrain[1] = WOOL /\\ marker[1] = 6";

async function write(page, text) {
  if (!(await page.locator(".editor").count()))
    await page.getByRole("button", { name: "New constraint" }).click();
  await page.locator(".editor textarea").fill(text);
}
const apply = (page) => page.getByRole("button", { name: "Add and deal" }).click();
const conflict = (page) =>
  page.getByText(/^(These rules cannot all hold|No board was found that keeps all of these)/).waitFor(WAIT);

test("a constraint in MiniZinc is applied, checked, and rejected at its place", { skip }, async () => {
  const { page, shot, close } = await open("phone", `#${LINE}&rules=tournament`);
  await page.getByText("Custom constraints").click();
  await write(page, "terrain[1] = DESSERT");
  await apply(page);
  assert.equal(await page.locator(".wrong pre").textContent(), `terrain[1] = DESSERT\n${" ".repeat(13)}^`);
  await page.getByText("Line 1, column 14: Unknown name: “DESSERT”. Did you mean DESERT?").waitFor();
  await axe(page, "a wrong constraint");
  await shot("wrong");
  await write(page, ORE);
  await gone(page, ".wrong");
  const board = await another(page, () => apply(page));
  assert.equal(cells(board)[0], "w6");
  dealt.push([board, { preset: "tournament", harbors: "printed", constraints: [ORE] }]);
  await tab(page, "Check");
  await page.waitForSelector(".verdict[aria-busy=false]", WAIT);
  assert.equal(await page.locator('.verdicts [data-field="constraint 0"].kept').count(), 1);
  await shot("own-judged");
  // Only MiniZinc knows types and values of indices. Both errors appear at their place.
  await tab(page, "Rules");
  for (const [text, message] of [
    ["marker[1] = [1, 2]", /type/],
    [
      "marker[2] = 5 /\\\n  forall(t in TILE)(terrain[t + 1] != ORE)",
      /^Line 2, column 21: Index 20 .* in 1\.\.19\.$/,
    ],
  ]) {
    await write(page, text);
    await apply(page);
    await page.waitForSelector(".problem pre", WAIT);
    await page.waitForSelector(".draft .wrong", WAIT);
    assert.match(await page.locator(".draft .wrong p").textContent(), message);
    await shot("rejected-by-minizinc");
    await page.getByRole("button", { name: "Close" }).click();
    await gone(page, ".problem");
    assert.equal(await page.locator(".editor textarea").inputValue(), text);
  }
  await write(page, "marker[1] = 5");
  await apply(page);
  await conflict(page);
  assert.deepEqual(await page.locator(".problem li > span").allTextContents(), [ORE, "marker[1] = 5"]);
  await page.getByRole("button", { name: "Back to the previous board" }).click();
  // The text remains as a draft, also after a reload.
  const texts = () => page.locator(".draft .check").allTextContents();
  const on = () => page.locator(".draft.on .check").allTextContents();
  await until(on, [ORE]);
  await until(texts, [ORE, "marker[1] = 5"]);
  await page.reload();
  await page.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
  await until(async () => (await texts()).sort(), [ORE, "marker[1] = 5"].sort());
  await until(on, [ORE]);
  await another(page, () => page.locator(".draft.on .switch").click());
  await until(on, []);
  await close();
});

test("two tabs lose no draft of each other", { skip }, async () => {
  const { page, context, shot, close } = await open("desktop", `#${LINE}&rules=tournament`);
  const other = await context.newPage();
  await other.goto(page.url());
  await other.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
  const texts = (of) => of.locator(".draft .check").allTextContents();
  for (const [each, text] of [
    [page, "marker[1] = 5"],
    [other, "marker[2] = 6"],
  ]) {
    await each.locator("details.desk").evaluate((desk) => {
      desk.open = true;
    });
    await each.getByRole("button", { name: "New constraint" }).click();
    await each.locator(".editor textarea").fill(text);
  }
  await until(async () => (await texts(page)).sort(), ["marker[1] = 5", "marker[2] = 6"]);
  await page.locator(".editor textarea").fill("marker[1] = 50"); // each goes on with its own
  await until(async () => (await texts(other)).sort(), ["marker[1] = 50", "marker[2] = 6"]);
  assert.equal(await other.locator(".editor textarea").inputValue(), "marker[2] = 6");
  await shot("drafts-of-two-tabs");
  await other.locator(".draft", { hasText: "marker[1]" }).getByRole("button", { name: "Remove" }).click();
  await until(() => texts(other), ["marker[2] = 6"]);
  await page.reload();
  await page.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
  await until(() => texts(page), ["marker[2] = 6"]);
  await other.close();
  await close();
});

for (const size of Object.keys(SIZES)) {
  test(`${size}: examples and the palette need no typing of names`, { skip }, async () => {
    const { page, shot, close } = await open(size, `#${LINE}&rules=open`);
    const act = (place) => (size === "phone" ? place.tap() : place.click());
    await act(page.getByText("Custom constraints"));
    const constraints = [];
    for (const example of await page.locator("[data-example]").all()) {
      await act(example);
      constraints.push(await page.locator(".editor textarea").inputValue());
      const board = await another(page, () => act(page.getByRole("button", { name: "Add and deal" })));
      dealt.push([board, { constraints: [...constraints] }]);
    }
    assert.equal(constraints.length, 6);
    await axe(page, "six examples");
    await shot("examples");
    await act(page.getByRole("button", { name: "New constraint" }));
    const insert = (name) =>
      act(page.locator(".palette .chip", { has: page.getByText(name, { exact: true }) }));
    await act(page.getByText("Insert a name"));
    await insert("forall(t in TILE)(…)");
    await insert("terrain[t]");
    await page.keyboard.type(" != ");
    await insert("GOLD");
    assert.equal(
      await page.locator(".editor textarea").inputValue(),
      "forall(t in TILE)(terrain[t] != GOLD)",
    );
    await page.getByLabel("Meaning in plain words").fill("No gold.");
    await shot("palette");
    await axe(page, "palette");
    const before = await shown(page);
    await page.locator(".editor textarea").focus();
    await page.keyboard.press("Control+Enter");
    await until(async () => (await shown(page)) !== before, true);
    await page.locator(".draft.on", { hasText: "No gold." }).waitFor();
    await close();
  });
}
