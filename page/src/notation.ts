/** Boards, and their notation: the same as the library's. */

import type { Layout, LayoutEntry } from "./data";

export interface Harbor {
  vertices: [number, number];
  /** "3:1" or a terrain. */
  trade: string;
}

export interface Board {
  layout: Layout;
  terrain: string[];
  /** Per tile; 0 for none. */
  markers: number[];
  harbors: Harbor[];
}

const letterOf = (layout: Layout, terrain: string): string =>
  Object.keys(layout.letters).find((letter) => layout.letters[letter] === terrain)!;

const byEdge = (a: Harbor, b: Harbor): number =>
  a.vertices[0] - b.vertices[0] || a.vertices[1] - b.vertices[1];

const harborText = (layout: Layout, { vertices, trade }: Harbor): string =>
  `${vertices[0]}-${vertices[1]}=${trade === "3:1" ? "3" : letterOf(layout, trade)}`;

export const printedHarbors = (layout: Layout): Harbor[] =>
  layout.harbors.map(([a, b, trade]) => ({ vertices: [a, b], trade }));

export function notation({ layout, terrain, markers, harbors }: Board): string {
  const cell = (t: number): string => {
    const marker = markers[t];
    const second = marker ? layout.second[marker] : undefined;
    return letterOf(layout, terrain[t]) + (marker || "") + (second ? `+${second}` : "");
  };
  const rows = layout.rows.map((row) => row.map(cell).join("")).join("/");
  const laid = [...harbors].sort(byEdge).map((each) => harborText(layout, each));
  const printed = printedHarbors(layout)
    .sort(byEdge)
    .map((each) => harborText(layout, each));
  const tail = laid.length === 0 ? "" : laid.join() === printed.join() ? ":printed" : `:${laid.join()}`;
  return rows + tail + (layout.classic ? "" : `@${layout.name}`);
}

/** Why a notation is none. */
export class BadNotation extends Error {}

/** The name of the layout that a notation is of. */
export function layoutOf(text: string, layouts: LayoutEntry[]): string {
  const name = text.split("@")[1];
  if (name !== undefined) {
    if (!layouts.some((each) => each.name === name)) throw new BadNotation(name);
    return name;
  }
  const lengths = text
    .split(/[: ]/)[0]
    .split("/")
    .map((row) => row.match(/[a-z]/g)?.length ?? 0);
  const classic = layouts.find((each) => each.rows?.join() === lengths.join());
  if (!classic) throw new BadNotation(lengths.join("-"));
  return classic.name;
}

const CELL = /([a-z])([0-9]*)(\+[0-9]+)?/g;

/** Each tile's letter and digits, with what stands behind the rows. */
function split(text: string, layout: Layout): { cells: string[][]; laid: string } {
  const [body] = text.trim().split("@");
  const [tiles, laid = ""] = body.split(/[: ](.*)/s);
  const rows = tiles.split("/");
  if (rows.length !== layout.rows.length) throw new BadNotation(tiles);
  const cells = rows.flatMap((row, number) => {
    if (!/^([a-z]([0-9]+(\+[0-9]+)?)?)+$/.test(row)) throw new BadNotation(row);
    const found = [...row.matchAll(CELL)];
    if (found.length !== layout.rows[number].length) throw new BadNotation(row);
    return found;
  });
  return { cells, laid };
}

export function readNotation(text: string, layout: Layout): Board {
  const { cells, laid } = split(text, layout);
  const terrain: string[] = [];
  const markers: number[] = [];
  for (const [cell, letter, digits, second] of cells) {
    const name = layout.letters[letter];
    const marker = digits === "" ? 0 : Number(digits);
    if (name === undefined || (digits !== "" && !(digits in layout.pips))) throw new BadNotation(cell);
    if (second !== undefined && second !== `+${layout.second[marker]}`) throw new BadNotation(cell);
    if (marker && layout.unnumbered.includes(name)) throw new BadNotation(cell);
    terrain.push(name);
    markers.push(marker);
  }
  return { layout, terrain, markers, harbors: readHarbors(laid, layout) };
}

/** What is given of a board: per tile its terrain and its marker (0: none), undefined where that is open. */
export interface Pattern {
  terrain: (string | undefined)[];
  markers: (number | undefined)[];
}

export const OPEN = "x";

/** Whether a notation leaves tiles or markers open. */
export function isPattern(text: string, layout: Layout): boolean {
  const bare = (layout.base.unmarked as { set: number[] }).set;
  return split(text, layout).cells.some(
    ([, letter, digits], t) =>
      letter === OPEN ||
      digits === "0" ||
      (digits === "" && !layout.unnumbered.includes(layout.letters[letter]) && !bare.includes(t + 1)),
  );
}

/** Reads `x` as an open tile, `o` as ore with any marker, `x6` as any terrain with a 6, `x0` as one without. */
export function readPattern(text: string, layout: Layout): Pattern {
  const { cells, laid } = split(text, layout);
  if (laid) throw new BadNotation(laid); // the rules say which harbors
  const found: Pattern = { terrain: [], markers: [] };
  for (const [cell, letter, digits, second] of cells) {
    const name = letter === OPEN ? undefined : layout.letters[letter];
    const known = letter === OPEN || name !== undefined;
    const beside = second === undefined || second === `+${layout.second[Number(digits)]}`;
    if (!known || !beside || (digits !== "" && digits !== "0" && !(digits in layout.pips))) {
      throw new BadNotation(cell);
    }
    if (Number(digits) && name !== undefined && layout.unnumbered.includes(name)) throw new BadNotation(cell);
    found.terrain.push(name);
    found.markers.push(digits === "" ? undefined : Number(digits));
  }
  return found;
}

export function patternText({ terrain, markers }: Pattern, layout: Layout): string {
  const cell = (t: number): string => {
    const [name, marker] = [terrain[t], markers[t]];
    const second = marker ? layout.second[marker] : undefined;
    const letter = name === undefined ? OPEN : letterOf(layout, name);
    return letter + (marker ?? "") + (second ? `+${second}` : "");
  };
  const rows = layout.rows.map((row) => row.map(cell).join("")).join("/");
  return rows + (layout.classic ? "" : `@${layout.name}`);
}

function readHarbors(text: string, layout: Layout): Harbor[] {
  if (text === "") return [];
  if (text === "printed") return printedHarbors(layout);
  return text.split(",").map((part) => {
    const found = /^(\d+)-(\d+)=([a-z3])$/.exec(part);
    const [a, b] = found ? [Number(found[1]), Number(found[2])] : [-1, -1];
    const trade = found?.[3] === "3" ? "3:1" : layout.letters[found?.[3] ?? ""];
    if (!layout.vertexNeighbors[a]?.includes(b) || trade === undefined) throw new BadNotation(part);
    return { vertices: a < b ? [a, b] : [b, a], trade };
  });
}
