/** Checks of the answers in the lesson, by the page's checkers or by the solver on a board of seven tiles. */

import { type Fault, faultOf, OwnText, splitItems } from "../../core/constraint";
import type { Board } from "../../core/notation";
import { checkedPlaces } from "../../core/places";
import { boardOf, task, type World } from "../../solver/dealing";
import { ask, type Result } from "../../solver/solver";

/** A fault of an answer: a key under `lesson.`, with a board or a place that shows it. */
export interface Hint {
  key: string;
  values?: Record<string, string | number>;
  board?: Board;
  fault?: Fault;
}

/** The hint unless the tiles are the two adjacent red ones. */
export function hintForReds(board: Board, tiles: number[], { rules }: World): Hint | undefined {
  if (tiles.length !== 2) return { key: "reds.two" };
  const wrongTile = tiles.find((t) => ![6, 8].includes(board.markers[t]));
  if (wrongTile !== undefined) return { key: "reds.other", values: { n: board.markers[wrongTile] || "–" } };
  const pairs = checkedPlaces(board, { reds_apart: true }, rules).reds_apart;
  return pairs.some((pair) => tiles.every((t) => pair.tiles.includes(t))) ? undefined : { key: "reds.apart" };
}

/** The sum of each line of a magic square of order 3. */
const MAGIC = 15;
const LINES: Record<string, number[]> = {
  "row 1": [0, 1, 2],
  "row 2": [3, 4, 5],
  "row 3": [6, 7, 8],
  "column 1": [0, 3, 6],
  "column 2": [1, 4, 7],
  "column 3": [2, 5, 8],
  "diagonal 1": [0, 4, 8],
  "diagonal 2": [2, 4, 6],
};

/** The first constraint that nine numbers violate. Undefined for a magic square. */
export function hintForSquare(cells: (number | undefined)[]): Hint | undefined {
  for (const cell of cells) {
    if (cell === undefined) return { key: "square.empty" };
    if (cells.filter((each) => each === cell).length > 1) return { key: "square.twice", values: { n: cell } };
  }
  for (const [line, at] of Object.entries(LINES)) {
    const sum = at.reduce((all, i) => all + cells[i]!, 0);
    const [kind, n] = line.split(" ");
    if (sum !== MAGIC) return { key: `square.${kind}`, values: { n, sum } };
  }
  return undefined;
}

const NEVER = new AbortController().signal;
const SECONDS = 30_000;

/** A board that satisfies texts of constraints, the fault in the first, or the reason for no board. */
async function boardWith(
  world: World,
  text: string,
  more: string,
): Promise<{ board: Board } | { fault: Fault } | Exclude<Result["kind"], "solution">> {
  const given = task(world, { constraints: [{ text }] }, more, SECONDS);
  given.data.search = 1;
  const result = await ask(given, NEVER);
  if (result.kind === "solution") return { board: boardOf(result.numbers, world.layout) };
  if (result.kind !== "failed" || result.line === undefined) return result.kind;
  const { at } = new OwnText([{ text }], world.layout, world.rules.constraints).place(result.line);
  return { fault: { key: "", word: "", at, message: result.message } };
}

/** A text that holds where another does not. */
function negated(text: string, { rules }: World): string {
  const { expressions, others } = splitItems(text, rules.constraints);
  const all = expressions.map((each) => `(${each}\n)`).join(" /\\ ");
  return [...others, `constraint not (${all || "true"})`].join("\n;\n");
}

const faultIn = (text: string, { layout, rules }: World): Hint | undefined => {
  const fault = faultOf(text, layout, false, rules.constraints);
  return fault && { key: "fault", fault };
};

/**
 * Compares an answer with a reference by meaning: it searches a board that satisfies only one of them. Each correct form is
 * accepted, and such a board explains a wrong one.
 */
export async function hintForMeaning(
  text: string,
  reference: string,
  world: World,
): Promise<Hint | undefined> {
  const wrong = faultIn(text, world);
  if (wrong) return wrong;
  const extra = await boardWith(world, text, `constraint not (${reference});`);
  if (typeof extra === "object" && "fault" in extra) return { key: "fault", ...extra };
  if (typeof extra === "object") return { key: "allows", ...extra };
  const missing = await boardWith(world, negated(text, world), `constraint ${reference};`);
  if (typeof missing === "object" && "board" in missing) return { key: "forbids", ...missing };
  return extra === "none" && missing === "none" ? undefined : { key: "unknown" };
}

/** Whether an answer conflicts with a constraint, although boards satisfy the answer alone. */
export async function hintForConflict(text: string, given: string, world: World): Promise<Hint | undefined> {
  const wrong = faultIn(text, world);
  if (wrong) return wrong;
  const alone = await boardWith(world, text, "");
  if (typeof alone === "object" && "fault" in alone) return { key: "fault", ...alone };
  if (alone === "none") return { key: "conflict.alone" };
  const both = await boardWith(world, text, `constraint ${given};`);
  if (typeof both === "object" && "board" in both) return { key: "conflict.both", ...both };
  return alone !== "timeout" && both === "none" ? undefined : { key: "unknown" };
}

/** The lines of a model from the first that contains a text, up to the end of its item. */
export function excerpt(model: string, starts: string[]): string {
  const lines = model.split("\n");
  return starts
    .map((start) => {
      const from = lines.findIndex((line) => line.startsWith(start));
      const to = lines.findIndex((line, i) => i >= from && /;\s*(%.*)?$/.test(line));
      return lines
        .slice(from, to + 1)
        .join("\n")
        .replace(/ +%.*/g, "");
    })
    .join("\n");
}
