/** Settle of the day, by touch on a phone and by keyboard on a desktop, and without a network. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, becomes, dealt, gone, LINE, open, SIZES, shown, site, skip, until, WAIT } from "../harness.mjs";

const DAY = "Settle of the day";
const noon = (date) => new Date(`${date}T12:00:00`);
const openDay = async (page) => {
  await page.locator(".menu summary").click();
  await page.getByRole("button", { name: DAY }).click();
};
const vertices = (page) => page.locator(".day [data-group=vertex]");
const labels = async (page) => {
  await vertices(page).first().waitFor();
  return await vertices(page).evaluateAll((all) => all.map((each) => each.ariaLabel));
};
const grades = (page) => page.locator(".grades li").allTextContents();
const stored = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("catan-cp.day")));

for (const size of Object.keys(SIZES)) {
  test(`${size}: grades and a streak`, { skip }, async () => {
    const options = { permissions: ["clipboard-read", "clipboard-write"] };
    const { page, shot, close } = await open(size, `#${LINE}&rules=tournament`, options);
    const act = async (place) => {
      if (size === "phone") return await place.tap();
      await place.focus();
      await page.keyboard.press("Enter");
    };
    const settle = async (i) => {
      await labels(page);
      await act(vertices(page).nth(i));
      await page.locator(".day button.main").waitFor();
    };
    await page.clock.setFixedTime(noon("2026-11-27"));
    await openDay(page);
    await page.getByText("You are player 3").waitFor();
    assert.equal((await labels(page)).length, 47); // two settlements are on the board
    await axe(page, "first settlement");
    await shot("first");
    await settle(20);
    const [first] = await grades(page);
    assert.match(first, /^1\. ☆☆☆ Weak.* to win\. Better: .* %, because it has \d+ pips instead of \d+/);
    await axe(page, "grade");
    await shot("grade");
    // The focus is on the next step, and a visit that ends here goes on later.
    await page.keyboard.press("Enter");
    await page.getByText("Tap a vertex for your second settlement").waitFor();
    await page.reload();
    await openDay(page);
    await page.getByText("The dashed house").waitFor();
    assert.deepEqual(await grades(page), [first]);
    await act(page.getByRole("button", { name: "Continue" }));
    await settle(0);
    const [second, again] = await grades(page);
    assert.match(second, /^2\. .* to win\. (Better|Next best|Equally good): /);
    assert.equal(again, first);
    await axe(page, "result");
    await shot("result");
    await act(page.getByRole("button", { name: "Share the result" }));
    await page.getByText("Copied.").waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(
      text,
      /^Settle of the day · 2026-11-27 · Player 3\n☆☆☆ [★☆]{3}\n[\d.]+ % to win, 18\.9 % with the best moves\nDays in a row: 1$/,
    );

    // Today's result remains. The next day has another board.
    await page.keyboard.press("Escape");
    await gone(page, ".dialog");
    await openDay(page);
    await page.locator(".day pre").waitFor();
    await page.keyboard.press("Escape");
    await gone(page, ".dialog");
    await page.clock.setFixedTime(noon("2026-11-28"));
    await openDay(page);
    await page.getByText("You are player 4").waitFor();
    await settle(0);
    await act(page.getByRole("button", { name: "Continue" }));
    await settle(0);
    await page.getByText("Days in a row: 2").waitFor();
    assert.equal((await stored(page)).streak, 2);
    await act(page.getByRole("button", { name: "Show the draft" }));
    await gone(page, ".dialog");
    await becomes(page, /&rules=tournament&players=4&placed=\d+(\.\d+){7}$/);
    dealt.push([await shown(page), { preset: "tournament" }]);
    await close();
  });
}

test("a link without a network", { skip }, async () => {
  const { page, context, close } = await open("phone", `#day`, { serviceWorkers: "allow" });
  await page.waitForFunction(() => navigator.serviceWorker.controller, null, WAIT);
  await page.evaluate(() =>
    localStorage.setItem("catan-cp.day", '{"day":1e9,"picks":[99,"x"],"last":{},"streak":-1}'),
  );
  await page.clock.setFixedTime(noon("2026-11-27"));
  await context.setOffline(true);
  await page.goto(`${site.url}#day`);
  await page.reload();
  assert.equal((await labels(page)).length, 47);
  await page.keyboard.press("Escape");
  await gone(page, ".dialog");
  await until(async () => (await shown(page)).includes(":"), true);
  await page.evaluate(() => {
    location.hash = "day";
  });
  await page.getByText("You are player 3").waitFor();
  await close();
});
