/** The tab Rules: layouts, conflicts, patterns and constraints. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  address,
  another,
  ask,
  axe,
  becomes,
  cells,
  dealt,
  gone,
  LINE,
  OPEN,
  open,
  shown,
  skip,
  WAIT,
} from "../harness.mjs";

/** Does something that deals a layout, and waits: undefined for a board, or the fields of the clash that is named. */
async function chosen(page, act, layout) {
  const old = await shown(page);
  await act();
  const found = await page.waitForFunction(
    ([before, name]) => {
      const now = document.querySelector(".sheets code")?.textContent;
      const layout = document.querySelector(".layouts")?.dataset.shown;
      if (!now || !document.querySelector(".stage[aria-busy=false]") || layout !== name) return false;
      const items = [...document.querySelectorAll(".problem li")].map((each) => each.dataset.item);
      const said = document.querySelector(".problem:not(:has(li)) p")?.textContent;
      if (said && now === before) throw new Error(said);
      return items.length ? { items } : now !== before && {};
    },
    [old, layout],
    WAIT,
  );
  return (await found.jsonValue()).items;
}

/** The rules in the address, as Python reads them. */
async function asks(page) {
  const given = new URLSearchParams((await address(page)).split("&").slice(1).join("&"));
  const { rules, ...fields } = Object.fromEntries(given);
  const values = Object.entries(fields).map(([field, value]) => [field, JSON.parse(value)]);
  return { preset: rules, ...Object.fromEntries(values) };
}

/** How many bands of rivers are drawn, and the middles of fishing grounds in sides of a tile. */
const water = (page) =>
  page.evaluate(() => {
    const grounds = [...document.querySelectorAll(".stage .ground polygon")].map((each) => {
      const points = each
        .getAttribute("points")
        .split(" ")
        .map((point) => point.split(",").map(Number));
      return [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length / 60);
    });
    return { rivers: document.querySelectorAll(".stage .rivers polyline").length, grounds };
  });

/** Boards whose rivers and fishing grounds are not where Python's pictures have them. */
const unlike = (waters) =>
  ask(
    `import matplotlib
matplotlib.use("Agg")
from math import dist
from catan_cp import Board, plot_board
def same(line, seen):
    ax = plot_board(Board.from_notation(line))
    paths = lambda gid: [path for each in ax.collections if each.get_gid() == gid for path in each.get_paths()]
    middles = [path.vertices[:4].mean(axis=0) for path in paths("grounds")]
    near = all(any(dist((x, -y), point) < 0.01 for point in seen["grounds"]) for x, y in middles)
    return near and len(middles) == len(seen["grounds"]) and len(paths("rivers")) == seen["rivers"]
print(json.dumps([line for line, seen in json.load(sys.stdin) if not same(line, seen)]))`,
    waters,
  );

test("rules that clash are named, and so is what the page cannot do", { skip }, async () => {
  const rules = `${OPEN}&vertex_sum_below=20&reds_apart=true`;
  const { page, shot, close } = await open("desktop", `#${LINE.split(":")[0]}${rules}`);
  await page.click("button.main");
  await page
    .getByText(/^(These rules cannot all hold|No board was found that keeps all of these)/)
    .waitFor(WAIT);
  await axe(page, "clash");
  await shot("clash");
  assert.deepEqual(await page.locator(".problem li > span").allTextContents(), [
    "At every vertex of three land tiles the markers sum to less than 20 (a desert counts 7).",
  ]);
  await page.getByRole("button", { name: "Back to the previous board" }).click();
  await gone(page, ".problem");
  await becomes(page, LINE.split(":")[0]);
  await page.click("button.main");
  await another(page, () => page.getByRole("button", { name: /^Remove: At every vertex/ }).click());
  await gone(page, ".problem");
  await becomes(page, /&reds_apart=true$/);
  dealt.push([await shown(page), { preset: "open", reds_apart: true }]);
  await page.evaluate((to) => {
    location.hash = to;
  }, `${LINE}&rules=tournament&constraints=["output[1]"]&reds_apart=7`);
  await page.waitForSelector(".problem li", WAIT);
  const [odd, own] = (await page.locator(".problem li > span").allTextContents()).sort().reverse();
  assert.equal(own, "Invalid constraint: output[1]");
  assert.equal(odd, "reds_apart=7");
  await shot("refused");
  await page.evaluate(() => {
    location.hash = "nonsense";
  });
  await page.getByText("The page cannot read this board").waitFor();
  await close();
});

test("a pattern is completed, and stays", { skip }, async () => {
  const { page, close } = await open("desktop", "#xxx/xxxx/xxdxx/xx6xx/o9xx&rules=tournament");
  const boards = [await shown(page), await another(page)];
  for (const board of boards) {
    assert.equal(cells(board)[9], "d");
    assert.match(cells(board)[13], /^[a-z]6$/);
    assert.equal(cells(board)[16], "o9");
    dealt.push([board, { preset: "tournament" }]);
  }
  await close();
});

test("every board can be chosen, and a larger one is dealt", { skip }, async () => {
  const { page, shot, close } = await open("desktop", `#${LINE}`);
  const layouts = JSON.parse(readFileSync("dist/data/layouts.json", "utf8")).map(({ name }) => name);
  const choose = async (name) => {
    await page.locator(".layouts summary").click();
    await page.locator(`[data-layout="${name}"]`).click();
  };
  await page.locator(".layouts summary").click();
  await page.locator("[data-layout]").first().waitFor();
  assert.deepEqual(
    (
      await page.locator("[data-layout]").evaluateAll((all) => all.map(({ dataset }) => dataset.layout))
    ).sort(),
    layouts.sort(),
  );
  await axe(page, "layouts");
  await shot("layouts");
  await page.locator(".layouts summary").click();
  const few = ["base-5-6", "seafarers-6", "pirate-islands", "tb-ultimate-green-1", "fishermen-of-catan"];
  const clashes = {};
  const waters = [];
  for (const layout of process.env.ALL === "yes" ? layouts : few) {
    const started = performance.now();
    const fields = await chosen(page, () => choose(layout), layout);
    const took = performance.now() - started;
    if (fields) clashes[layout] = fields;
    console.log(
      `${layout}: ${fields ? `no board keeps ${fields.join(", ")}` : "dealt"} in ${Math.round(took)} ms`,
    );
    await shot(layout);
    if (fields) {
      // Somebody who leaves out what is named, one after the other, comes to a board.
      let left = fields;
      while (left) left = await chosen(page, () => page.click(".problem li .link"), layout);
    }
    dealt.push([await shown(page), await asks(page)]);
    waters.push([await shown(page), await water(page)]);
  }
  assert.ok(waters.some(([, { rivers }]) => rivers) && waters.some(([, { grounds }]) => grounds.length > 3));
  assert.deepEqual(unlike(waters), []);
  // The library knows these clashes, and boards where any one of the rules is left out.
  const verdicts = ask(
    `from catan_cp import Infeasible, Rules, generate_board
from catan_cp.rules.rules import PRESETS
def deals(layout, fields):
    chosen = PRESETS["tournament"].to_mapping()
    try: generate_board(Rules.from_mapping({f: chosen[f] for f in fields}), layout, seed=1, solver="chuffed")
    except Infeasible: return False
    return True
print(json.dumps({layout: [deals(layout, fields), all(deals(layout, [f for f in fields if f != each]) for each in fields)]
    for layout, fields in json.load(sys.stdin).items()}))`,
    clashes,
  );
  for (const [layout, verdict] of Object.entries(verdicts)) assert.deepEqual(verdict, [false, true], layout);
  assert.deepEqual(clashes["pirate-islands"], ["terrain_cluster_max"]);
  await close();
});
