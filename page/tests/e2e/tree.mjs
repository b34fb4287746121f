/** The draft as a tree: lines, figures, comparison, keys and links. */
import { test } from "node:test";
import { ask, axe, becomes, open, SIZES, skip, tab, until, WAIT } from "../harness.mjs";

/** A board, the chances on it, and moves by their ranks: vertex, place among the free vertices, and the chances after it. */
const TREE = `from catan_cp import generate_board
from catan_cp.placement.chance_game import chance_line, move_chances
board = generate_board("tournament", seed=410)
def moves(ranks):
    placed = []
    for rank in ranks:
        best = [vertex for vertex, _ in move_chances(board, 4, placed)]
        placed.append(best[rank])
        yield best[rank], sorted(best).index(best[rank]), list(chance_line(board, 4, placed).chances)
lines = [list(moves(ranks)) for ranks in json.load(sys.stdin)]
print(json.dumps([board.notation(), list(chance_line(board, 4).chances), lines]))`;
const percent = (chance) => Math.round(100 * chance);

for (const size of Object.keys(SIZES)) {
  test(`${size}: lines of a draft stay, with the library's figures, side by side and in the link`, {
    skip,
  }, async () => {
    const ranks = [
      [0, 5, 0],
      [0, 2],
      [9, 0],
    ];
    const [board, even, lines] = ask(TREE, ranks);
    const { page, shot, close } = await open(size, `#${board}&rules=tournament`);
    const act = (place) => (size === "phone" ? place.tap() : place.click());
    const button = (name) => page.getByRole("button", { name, exact: true });
    const nodes = page.locator(".tree .node:has(.badge)");
    const vertices = (line, n = line.length) => line.slice(0, n).map(([v]) => v);
    const text = (all) => all.map((line) => line.join(".")).join("_");
    const at = (moves) => becomes(page, new RegExp(`&placed=${moves.join("\\.")}(&|$)`));
    /** Plays a line from a position by touching the board. */
    const play = async (line, from) => {
      for (let n = from; n < line.length; n++) {
        await until(
          () => page.locator("[data-group=vertex]").count(),
          await freeAfter(page, vertices(line, n)),
        );
        await act(page.locator("[data-group=vertex]").nth(line[n][1]));
        await at(vertices(line, n + 1));
      }
    };
    const back = async (label) => {
      await act(page.locator(".tree .node", { hasText: label }).first());
    };
    await tab(page, "Draft");
    await play(lines[0], 0);
    await page.waitForSelector(".tree");
    // Undo and the tree go back. Another vertex then adds a line.
    await act(button("Undo"));
    await at(vertices(lines[0], 2));
    await act(button("Undo"));
    await at(vertices(lines[0], 1));
    await play(lines[1], 1);
    await back("Start");
    await becomes(page, /players=4&lines=/);
    await play(lines[2], 0);
    const all = lines.map((line) => vertices(line));
    await becomes(page, new RegExp(`&lines=${text(all)}$`));

    // Each move has the library's figure, and the points less than with the best move.
    const order = [lines[0][0], lines[2][0], lines[2][1], lines[0][1], lines[1][1], lines[0][2]];
    const players = [0, 0, 1, 1, 1, 2];
    const before = [even, even, lines[2][0][2], lines[0][0][2], lines[0][0][2], lines[0][1][2]];
    const expected = order.map(([, , chances], i) => {
      const [own, best] = [chances, before[i]].map((each) => percent(each[players[i]]));
      return `${own} %${best > own ? `−${best - own}` : ""}`;
    });
    await until(
      () =>
        nodes.evaluateAll((found) =>
          found.map((node) => [...node.querySelectorAll("b, i")].map((part) => part.textContent).join("")),
        ),
      expected,
    );
    await shot("tree");
    await axe(page, "tree");

    // The first moves side by side, with each seat's chance.
    const rows = () =>
      page
        .locator(".compared tbody tr")
        .evaluateAll((found) =>
          found.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)),
        );
    const row = ([, , chances]) => chances.map((chance) => `${percent(chance)}`);
    await until(rows, [row(lines[0][0]), row(lines[2][0])]);
    await page.locator(".compared").scrollIntoViewIfNeeded();
    await shot("compared");

    // The link opens the same tree, at the same position.
    await page.reload();
    await page.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
    await until(() => nodes.count(), 6);
    await until(
      () =>
        page
          .locator(".tree [aria-current]")
          .textContent()
          .then((label) => /^Turn 2, player 2: /.test(label)),
      true,
    );
    await until(() => page.locator(".tree .main-line").count(), 4);
    await until(rows, [row(lines[0][0]), row(lines[2][0])]);

    // By keys: to the start, and along the main line with its variation.
    await page.locator(".tree [aria-current]").focus();
    for (const [key, moves] of [
      ["ArrowLeft", vertices(lines[2], 1)],
      ["ArrowUp", vertices(lines[0], 1)],
      ["ArrowRight", vertices(lines[0], 2)],
      ["ArrowDown", vertices(lines[1], 2)],
    ]) {
      await page.keyboard.press(key);
      await at(moves);
      await until(() => page.evaluate(() => document.activeElement?.ariaCurrent), "step");
    }
    await act(button("Make it the main line"));
    await becomes(page, new RegExp(`&lines=${text([all[1], all[0], all[2]])}$`));
    await act(button("Remove this move"));
    await becomes(page, new RegExp(`&lines=${text([all[0], all[2]])}$`));
    await act(button("Undo"));
    await becomes(page, new RegExp(`&lines=${text([all[1], all[0], all[2]])}$`));
    await act(button("Remove all"));
    await becomes(page, /&rules=tournament$/);
    await act(button("Undo"));
    await until(() => nodes.count(), 6);
    await close();
  });
}

/** The number of free vertices of the standard board: all but those settled and their neighbors, by the drawing's data. */
const freeAfter = (page, placed) =>
  page.evaluate(async (settled) => {
    const { vertexNeighbors, vertices } = await (await fetch("data/layouts/base.json")).json();
    const near = new Set(settled.flatMap((v) => [v, ...vertexNeighbors[v]]));
    return vertices.length - near.size;
  }, placed);
