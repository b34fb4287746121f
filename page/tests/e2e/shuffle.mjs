/** Shuffles of one kind of pieces, and swaps by tapping. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  another,
  ask,
  axe,
  becomes,
  broken,
  cells,
  dealt,
  LINE,
  open,
  SIZES,
  skip,
  tab,
  until,
  WAIT,
} from "../harness.mjs";

const RULES = { preset: "tournament", harbors: "printed" };
/** Two tiles whose numbers may not change places, as red numbers would touch. */
const BREAKING = `from itertools import combinations
from catan_cp import Board, Rules
board = Board.from_notation(json.load(sys.stdin))
rules = Rules.from_mapping({"preset": "tournament", "harbors": "printed"})
def broken(a, b):
    markers = list(board.markers)
    markers[a], markers[b] = markers[b], markers[a]
    if not markers[a] or not markers[b]: return None
    return {each.rule for each in rules.check(Board(board.layout, board.terrain, markers, harbors=board.harbors))}
print(json.dumps(next(p for p in combinations(range(19), 2) if broken(*p) == {"reds_apart"})))`;
const letters = (board) => cells(board).map((cell) => cell[0]);
const numbers = (board) => cells(board).map((cell) => cell.slice(1));
const harbors = (board) => board.split(":")[1];
const sorted = (all) => [...all].sort();

for (const size of Object.keys(SIZES)) {
  test(`${size}: shuffle numbers, terrains or harbors, swap two, see what breaks, and repair`, {
    skip,
  }, async () => {
    const { page, shot, close } = await open(size, `#${LINE}&rules=tournament`);
    const act = (place) => (size === "phone" ? place.tap() : place.click());
    const tile = (t) => act(page.locator("[data-group=tile]").nth(t));
    const press = (name) => act(page.getByRole("button", { name, exact: true }));
    const start = await another(page);
    await tile(4);
    const mixed = await another(page, () => press("Numbers"));
    assert.deepEqual([letters(mixed), harbors(mixed)], [letters(start), harbors(start)]);
    assert.deepEqual(sorted(numbers(mixed)), sorted(numbers(start)));
    const moved = await another(page, () => press("Terrain"));
    assert.deepEqual([numbers(moved), harbors(moved)], [numbers(mixed), harbors(mixed)]);
    assert.deepEqual(sorted(letters(moved)), sorted(letters(start)));
    assert.equal(cells(moved)[4], cells(start)[4]); // locked
    dealt.push([mixed, RULES], [moved, RULES]);
    await shot("shuffled");
    await axe(page, "shuffled");
    const rich = await another(page, () => press("Harbors"));
    assert.deepEqual(cells(rich), cells(moved));
    assert.notEqual(harbors(rich), harbors(moved));
    await becomes(page, /harbors="shuffled"/);
    dealt.push([rich, { ...RULES, harbors: "shuffled" }]);
    for (const before of [moved, mixed]) {
      await press("Undo");
      await becomes(page, before);
    }

    await tab(page, "Check");
    await page.waitForSelector(".verdict.kept");
    await act(page.getByText("Swaps numbers"));
    const [a, b] = ask(BREAKING, mixed);
    await tile(a);
    await until(() => page.locator("[data-group=tile]").nth(a).getAttribute("aria-pressed"), "true");
    await shot("picked");
    await axe(page, "picked");
    await page.keyboard.press("Escape");
    await until(() => page.locator("[data-group=tile][aria-pressed=true]").count(), 0);
    await tile(a);
    const bad = await another(page, () => tile(b));
    assert.deepEqual(letters(bad), letters(mixed));
    assert.equal(numbers(bad)[a], numbers(mixed)[b]);
    assert.deepEqual(broken([[bad, RULES]]), [["reds_apart"]]);
    await page.locator('.verdicts .broken[data-field="reds_apart"]').waitFor();
    assert.ok(await page.locator(".rings [data-tile]").count());
    await shot("broken");
    const repaired = await another(page, () => act(page.locator("button.main", { hasText: "Repair" })));
    await page.waitForSelector(".changes li", WAIT);
    dealt.push([repaired, RULES]);
    for (const before of [bad, mixed]) {
      await press("Undo");
      await becomes(page, before);
    }
    await act(page.getByText("Swaps tiles"));
    await tile(0);
    const swapped = await another(page, () => tile(18));
    assert.deepEqual(cells(swapped), cells(mixed).with(0, cells(mixed)[18]).with(18, cells(mixed)[0]));
    await close();
  });
}
