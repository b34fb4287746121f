/** The chances to win: one answer on all surfaces of the page, and the library's. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { another, ask, becomes, open, shown, skip, tab, until, WAIT } from "../harness.mjs";

const SURFACES = `from catan_cp import Board, generate_board
from catan_cp.placement.chance_game import chance_line, move_chances
found = []
for seed, players in json.load(sys.stdin):
    board = generate_board("tournament", seed=seed)
    line = chance_line(board, players)
    moves = [move_chances(board, players, line.order[:turn]) for turn in (0, 1, players)]
    found.append([board.notation(), line.order, line.chances, moves])
print(json.dumps(found))`;
const TEN = Array.from({ length: 10 }, (_, i) => [200 + i, i % 3 ? 4 : 3]);

const percent = (chance) => Math.round(100 * chance);
const bar = (page) => page.locator(".panel .chances li").allTextContents();
const words = (chances) => chances.map((chance, i) => `${i + 1} ${percent(chance)} %`);

test("for ten boards, verdict, bar, heat map, best moves and line of play are those of Python", {
  skip,
}, async () => {
  const { page, close } = await open("desktop");
  for (const [i, [line, order, chances, moves]] of ask(SURFACES, TEN).entries()) {
    const players = TEN[i][1];
    await page.evaluate((to) => {
      location.hash = to;
    }, `${line}&rules=tournament&players=${players}&placed=${order[0]}`);
    await until(() => shown(page), line);
    await tab(page, "Draft");
    await until(() => bar(page), words(chances), line);
    assert.equal(await page.locator(".moves .number").first().textContent(), `${percent(moves[1][0][1])} %`);
    await page.getByRole("button", { name: "Remove all" }).click();
    await until(() => bar(page), words(chances), line); // the first of the best moves changes no figure
    const [low, high] = [Math.min, Math.max].map((pick) => percent(pick(...chances)));
    await page.getByText(`Estimated ${low} to ${high} %, not played`, { exact: true }).waitFor();
    await page.waitForSelector(".moves .move", WAIT);
    assert.equal(await page.locator(".moves .number").first().textContent(), `${percent(moves[0][0][1])} %`);
    await page.getByLabel("Show the expected line of play").check();
    const ends = await page.locator(".outcome tbody td.number b").allTextContents();
    assert.deepEqual(
      ends,
      chances.map((chance) => `${percent(chance)} %`),
    );
    await page.getByLabel("Show the expected line of play").uncheck();
    await page.locator("button.main", { hasText: "Place the best settlement" }).click();
    await becomes(page, new RegExp(`&placed=${order[0]}$`));
    await until(() => bar(page), words(chances), line);
    await tab(page, "Check");
    await until(() => bar(page), words(chances), line);
    await until(() => page.locator(".stage .heat circle").count(), moves[0].length);
    // The ten best vertices show the library's figures.
    const figures = await page
      .locator(".stage .heat g:has(.digits)")
      .evaluateAll((all) => all.map(({ dataset, lastChild }) => [dataset.vertex, lastChild.dataset.text]));
    const byVertex = new Map(moves[0].map(([vertex, chance]) => [String(vertex), `${percent(chance)}`]));
    for (const [vertex, text] of figures)
      assert.equal(text, byVertex.get(vertex), `${line}, vertex ${vertex}`);
    assert.deepEqual(
      figures.map(([, text]) => text).reverse(),
      moves[0].slice(0, 10).map(([, chance]) => `${percent(chance)}`),
    );
    for (const text of await page.locator("main").allTextContents()) assert.doesNotMatch(text, /\bEven:/);
  }
  await close();
});

test("each of the best moves down to the end keeps the chances, and the line", { skip }, async () => {
  const [[line, order, chances]] = ask(SURFACES, [[300, 4]]);
  const { page, close } = await open("phone", `#${line}&rules=tournament`);
  await tab(page, "Draft");
  for (let turn = 0; turn < 8; turn++) {
    await until(() => bar(page), words(chances));
    await page.waitForSelector(".moves .move", WAIT);
    await page.locator(".moves .move").first().tap();
    await becomes(page, new RegExp(`&placed=${order.slice(0, turn + 1).join("\\.")}$`));
  }
  await page.getByText("All settlements are placed.").waitFor();
  const ends = await page.locator(".outcome tbody td.number b").allTextContents();
  assert.deepEqual(
    ends,
    chances.map((chance) => `${percent(chance)} %`),
  );
  await close();
});

test("even boards come first, say what was played, and no other board is called even", { skip }, async () => {
  const { boards, games } = JSON.parse(readFileSync("dist/data/even.json", "utf8"));
  const verdict = (wins) => {
    const [low, high] = [Math.min, Math.max].map((pick) => percent(pick(...wins) / games));
    return `Even: each seat won ${low} to ${high} % of ${games.toLocaleString("en")} games`;
  };
  const { page, shot, close } = await open("phone-320");
  assert.equal(await shown(page), boards[0][0]);
  const line = page.locator(".stage .fairness.even");
  await until(() => line.textContent(), verdict(boards[0][1]));
  await shot("even");
  await another(page);
  const known = boards.map(([, wins]) => verdict(wins));
  assert.ok(known.includes(await line.textContent()));
  await tab(page, "Check");
  await page.locator(".verdict.kept").waitFor(); // also turned, it keeps its rules
  await page.getByText(`Games won of ${games}.`).waitFor();
  await tab(page, "Rules");
  await page.getByText("Mixed", { exact: true }).click();
  await page.getByText(/^Estimated \d+ to \d+ %, not played$/).waitFor();
  await page.waitForSelector(".stage[aria-busy=false]", WAIT);
  await page.getByText("Even seats", { exact: true }).click();
  await line.waitFor();
  await becomes(page, /&rules=even$/);
  await close();
});
