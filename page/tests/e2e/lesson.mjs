/** The lesson, stored boards, and dialogs, in a real browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  address,
  another,
  axe,
  back,
  gone,
  LINE,
  open,
  SIZES,
  shown,
  site,
  skip,
  tab,
  until,
  WAIT,
} from "../harness.mjs";

const status = (page) => page.locator(".lesson .verdict").textContent();
const step = (page) => page.locator(".lesson .steps [aria-current=step]").getAttribute("aria-label");

for (const size of Object.keys(SIZES)) {
  test(`${size}: the first lesson accepts correct answers in any form, and explains wrong ones`, {
    skip,
  }, async () => {
    const { page, shot, close } = await open(size, `#${LINE}&rules=tournament`);
    const phone = size === "phone";
    /** By touch on the phone, by keyboard on the desktop. */
    const act = async (place) => {
      if (phone) return await place.tap();
      await place.focus();
      await page.keyboard.press("Enter");
    };
    const button = (name) => page.locator(".lesson").getByRole("button", { name, exact: true });
    const answer = async (text) => {
      if (text !== undefined) await page.locator(".lesson textarea").fill(text);
      await act(button("Check"));
      await page.waitForFunction(() => {
        const text = document.querySelector(".lesson .verdict").textContent;
        return text && !text.startsWith("The solver is looking");
      });
      return await status(page);
    };
    const openLesson = async () => {
      await page.locator(".menu summary").click();
      await act(page.getByRole("button", { name: "Constraints in ten minutes" }));
      await page.waitForSelector(".lesson .picture > *", WAIT);
    };
    await openLesson();
    await page.locator(".lesson figure pre .keyword", { hasText: "constraint" }).first().waitFor();
    await shot("reds");
    await axe(page, "first step");
    const tile = (t) => act(page.locator(".lesson [data-group=tile]").nth(t));
    await tile(1);
    await tile(11);
    assert.match(await answer(), /they do not share an edge/);
    await tile(0); // of three tiles, the last two count
    await tile(1);
    await tile(1);
    assert.match(await answer(), /Choose two tiles/);
    await tile(1);
    assert.match(await answer(), /^ ?Right/);
    await act(button("Next step"));

    assert.match(await answer(), /forbids this board.*forall asks it of every tile/);
    await shot("forbids");
    assert.match(await answer("true"), /allows this board/);
    assert.match(await answer("exists(t in coast)(terrain[t] = DESSERT)"), /cannot read this yet/);
    await page.getByText("Did you mean DESERT?").waitFor();
    for (const text of [
      "exists(t in coast)(terrain[t] = DESERT)",
      "forall(t in centre)(terrain[t] != DESERT)",
      "constraint sum(t in coast)(bool2int(is[t, DESERT])) = 1; % the same",
    ])
      assert.match(await answer(text), /^ ?Right/, text);
    await act(button("Next step"));

    const cell = (row, column) => page.getByLabel(`Row ${row}, column ${column}`);
    const fill = async (numbers) => {
      for (const [i, n] of [...numbers].entries())
        if (n !== "2" && n !== "5") await cell(Math.floor(i / 3) + 1, (i % 3) + 1).fill(n);
    };
    assert.match(await answer(), /Some cells are empty/);
    await fill("297753618");
    assert.match(await answer(), /7 is there twice/);
    await fill("296753418");
    assert.match(await answer(), /Row 1 sums to 17/);
    await shot("square");
    for (const square of ["276951438", "294753618"]) {
      await fill(square);
      assert.match(await answer(), /^ ?Right/, square);
    }
    await axe(page, "square");
    // The progress is stored.
    await page.reload();
    await page.waitForSelector(".stage .tiles", WAIT);
    await openLesson();
    assert.match(await step(page), /^Step 3/);
    assert.equal(await cell(3, 3).inputValue(), "8");
    await act(button("Next step"));

    assert.match(await answer(), /allows this board/);
    const ore = (what) => `forall(t in TILE where terrain[t] = ORE)(${what})`;
    assert.match(await answer(ore("marker[t] != 6 \\/ marker[t] != 8")), /Every number differs/);
    assert.match(
      await answer("exists(t in TILE)(terrain[t] = ORE /\\ not red[t] /\\ t < 4)"),
      /exists asks it/,
    );
    for (const text of [
      ore("marker[t] != 6 /\\ marker[t] != 8"),
      "forall(t in TILE)(red[t] -> not is[t, ORE])",
      "predicate good(int: t) = not red[t];\nconstraint forall(t in TILE)(terrain[t] != ORE \\/ good(t));",
    ])
      assert.match(await answer(text), /^ ?Right/, text);
    await shot("ore");
    await act(button("Next step"));

    assert.match(await answer("false"), /No board satisfies your constraint even alone/);
    assert.match(await answer("terrain[1] = DESERT"), /satisfies both/);
    await shot("both");
    for (const text of ["exists(t in centre)(is[t, DESERT])", "forall(t in coast)(terrain[t] != DESERT)"])
      assert.match(await answer(text), /^ ?Right/, text);
    await axe(page, "last step");
    await act(button("To the board"));
    await gone(page, ".lesson");
    await close();
  });
}

test("last rules, favourites and recent boards are kept, and Back closes what is open", {
  skip,
}, async () => {
  const { page, context, shot, close } = await open("phone", `#${LINE}&rules=open&reds_apart=true`);
  await page.getByRole("button", { name: "Favourite" }).click();
  const other = await another(page);
  const boards = async () => {
    await page.locator(".menu summary").click();
    await page.getByRole("button", { name: "Your boards" }).click();
    await page.locator(".dialog .bare").first().waitFor();
  };
  await boards();
  await until(() => page.locator(".dialog .bare").count(), 3);
  await axe(page, "boards");
  await shot("boards");
  await page.locator(".dialog section").first().locator(".bare").click();
  await until(() => shown(page), LINE);
  await boards();
  await back(page);
  await gone(page, ".dialog");
  // A visit without an address begins with the last rules. A damaged list counts as empty.
  await page.evaluate(() => localStorage.setItem("catan-cp.favourites", '[1, "nonsense"]'));
  const next = await context.newPage();
  await next.goto(page.url().split("#")[0]);
  await next.waitForSelector(".stage .tiles", WAIT);
  assert.notEqual(await shown(next), other);
  assert.match(await address(next), /reds_apart=true/);
  await next.locator(".menu summary").click();
  await next.getByRole("button", { name: "Your boards" }).click();
  await next.getByText("Tap the star to keep a board.").waitFor();
  await next.keyboard.press("Escape");
  await next.locator(".menu summary").click();
  await next.getByRole("button", { name: "About this page" }).click();
  await next.getByRole("link", { name: "Licences" }).waitFor();
  await axe(next, "about");
  await close();
});

test("two tabs share the progress of the lesson", { skip }, async () => {
  const { page, context, close } = await open("desktop", `#${LINE}`);
  const second = await context.newPage();
  await second.goto(`${site.url}#${LINE}`);
  const cell = (tabPage, column) => tabPage.getByLabel(`Row 1, column ${column}`);
  const openSquare = async (tabPage) => {
    await tabPage.locator(".menu summary").click();
    await tabPage.getByRole("button", { name: "Constraints in ten" }).click();
    await tabPage.locator(".steps button").nth(2).click();
  };
  for (const tabPage of [page, second]) await openSquare(tabPage);
  await cell(page, 2).fill("7");
  await until(() => cell(second, 2).inputValue(), "7");
  await cell(second, 3).fill("6");
  await until(() => cell(page, 3).inputValue(), "6");
  await page.locator(".steps button").nth(0).click();
  await second.reload();
  await openSquare(second);
  assert.deepEqual([await cell(second, 2).inputValue(), await cell(second, 3).inputValue()], ["7", "6"]);
  await close();
});

test("a device that shares is asked to, and the board alone fills a projector", { skip }, async () => {
  const { page, shot, close } = await open("desktop", `#${LINE}`);
  await page.evaluate(() => {
    navigator.share = async (what) => {
      globalThis.given = what;
    };
  });
  await tab(page, "Share");
  await page.locator(".panel").getByRole("button", { name: "Share", exact: true }).click();
  assert.match(await page.evaluate(() => decodeURIComponent(globalThis.given.url)), /#o10w2l9/);
  await page.locator(".menu summary").click();
  await page.getByRole("button", { name: "Full screen" }).click();
  await page.waitForFunction(() => document.fullscreenElement?.matches(".stage"));
  const high = await page.evaluate(() => document.querySelector(".stage .board").clientHeight / innerHeight);
  assert.ok(high > 0.75, `${high} of the window`);
  await shot("projector");
  await another(page);
  await page.evaluate(() => document.exitFullscreen());
  await close();
});
