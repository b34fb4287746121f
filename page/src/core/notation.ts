/** Boards, and the library's notation of boards. */

import type { Layout, LayoutEntry, Pair } from "./data";

export interface Harbor {
  vertices: [number, number];
  /** "3:1" or a terrain. */
  trade: string;
}

export interface Ground {
  /** Three adjacent ones, the lower end first. */
  vertices: [number, number, number];
  /** The number that yields fish. */
  marker: number;
}

export interface Board {
  layout: Layout;
  terrain: string[];
  /** Per tile. Tiles without a number have 0. */
  markers: number[];
  harbors: Harbor[];
  grounds: Ground[];
}

const letterOf = (layout: Layout, terrain: string): string =>
  Object.keys(layout.letters).find((letter) => layout.letters[letter] === terrain)!;

const byEdge = (a: Harbor, b: Harbor): number =>
  a.vertices[0] - b.vertices[0] || a.vertices[1] - b.vertices[1];

export const byPlace = ({ vertices: a }: Ground, { vertices: b }: Ground): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

const harborText = (layout: Layout, { vertices, trade }: Harbor): string =>
  `${vertices[0]}-${vertices[1]}=${trade === "3:1" ? "3" : letterOf(layout, trade)}`;

/** The code of a terrain in the models, or 0 for a terrain of another layout. */
export const code = (layout: Layout, terrain: string): number => layout.terrains.indexOf(terrain) + 1;

/** Per place of the layout, the trade of its harbor as the models encode it: 0 for 3:1, -1 without a harbor. */
export function tradeCodes({ layout, harbors }: Pick<Board, "layout" | "harbors">): number[] {
  const trades = new Map(harbors.map(({ vertices, trade }) => [vertices.join(), trade]));
  return layout.harbors.map(([a, b]) => {
    const trade = trades.get([a, b].join());
    return trade === undefined ? -1 : trade === "3:1" ? 0 : code(layout, trade);
  });
}

/** Per place of the layout, the number of its fishing ground, or 0. */
export function groundNumbers({ layout, grounds }: Pick<Board, "layout" | "grounds">): number[] {
  const caught = new Map(grounds.map(({ vertices, marker }) => [vertices.join(), marker]));
  return layout.groundPlaces.map((place) => caught.get(place.join()) ?? 0);
}

/** The tiles on both sides of an edge. */
export const besideEdge = (layout: Layout, [a, b]: [number, number]): number[] =>
  layout.vertexTiles[a]?.filter((t) => layout.vertexTiles[b]?.includes(t)) ?? [];

/** Whether an edge is between land and sea. Water surrounds the layout. */
export const facesLand = ({ layout, terrain }: Pick<Board, "layout" | "terrain">, edge: Pair): boolean =>
  besideEdge(layout, edge).filter((t) => terrain[t] !== "sea").length === 1;

/** Whether an edge is on the rim, or between land and sea. */
export function isOnCoast({ layout, terrain }: Pick<Board, "layout" | "terrain">, edge: Pair): boolean {
  const beside = besideEdge(layout, edge);
  return beside.length < 2 || beside.filter((t) => terrain[t] === "sea").length === 1;
}

export const printedHarbors = (layout: Layout): Harbor[] =>
  layout.harbors.map(([a, b, trade]) => ({ vertices: [a, b], trade }));

export function notation({ layout, terrain, markers, harbors, grounds }: Board): string {
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
  const coast = laid.length > 0 && laid.join() === printed.join() ? ["printed"] : laid;
  coast.push(...[...grounds].sort(byPlace).map(({ vertices, marker }) => `${vertices.join("-")}=${marker}`));
  return rows + (coast.length ? `:${coast.join()}` : "") + (layout.classic ? "" : `@${layout.name}`);
}

export class BadNotation extends Error {}

/** A text cut to a length, with a replacement for invisible signs. */
export function short(text: string, most = 80): string {
  const visible = text.slice(0, most).replace(/[\p{C}\p{Z}]/gu, (sign) => (sign === " " ? sign : "\ufffd"));
  return text.length > most ? `${visible} …` : visible;
}

/** The maximum numbers of characters of a notation and of a pattern, as in the library. */
const MAX_INPUT = 65_536;
const MAX_PATTERN = 10_000;

interface Parts {
  rows: string[];
  /** Undefined if nothing follows the rows. */
  laid: string | undefined;
  name: string | undefined;
}

/** The text before and behind the first place of a mark. */
function cut(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}

const ROW = /^([a-z]([0-9]+(\+[0-9]+)?)?)+$/;

/** The rows, harbors and layout of a notation. Capitals count as small letters, and spaces may separate rows. */
export function partsOf(text: string): Parts {
  if (text.length > MAX_INPUT) throw new BadNotation(text);
  const [before, name] = cut(text.trim(), "@");
  const body = before.toLowerCase();
  const [first, coast] = cut(body, ":");
  const words = first.trim().split(/\s+/);
  if (words.every((word) => ROW.test(word)) && !words.includes("printed") && coast !== "") {
    return { rows: words, laid: coast, name };
  }
  const [tiles, laid] = cut(joined(first, words, body), body.includes(":") ? ":" : " ");
  if (laid === "" && body.includes(":")) throw new BadNotation(body);
  return { rows: tiles.split("/"), laid: laid || undefined, name };
}

/** A notation without spaces inside the rows that slashes separate. */
function joined(first: string, words: string[], body: string): string {
  const coast = words.findIndex((word) => /[-=,]/.test(word) || word === "printed");
  const n = coast < 0 ? words.length : coast;
  if (n < 2 || !first.includes("/")) return body;
  return [words.slice(0, n).join(""), ...words.slice(n)].join(" ") + body.slice(first.length);
}

/** The name of the layout that a notation is of. */
export function layoutOf(text: string, layouts: LayoutEntry[]): string {
  const { rows, name } = partsOf(text);
  if (name !== undefined) {
    const known = layouts.find((each) => each.name === name.toLowerCase());
    if (!known) throw new BadNotation(name);
    return known.name;
  }
  const lengths = rows.map((row) => row.match(/[a-z]/g)?.length ?? 0);
  const isWord = rows.length === 1;
  const classic = layouts.find((each) =>
    isWord ? each.rows && each.tiles === lengths[0] : each.rows?.join() === lengths.join(),
  );
  if (!classic) throw new BadNotation(text);
  return classic.name;
}

const CELL = /([a-z])([0-9]*)(\+[0-9]+)?/g;

/** Each tile's letter and digits, with the text after the rows. */
function split(text: string, layout: Layout): { cells: string[][]; laid: string | undefined } {
  const { rows, laid } = partsOf(text);
  const lengths = rows.length === 1 ? [layout.rows.flat().length] : layout.rows.map((row) => row.length);
  if (rows.length !== lengths.length) throw new BadNotation(text);
  const cells = rows.flatMap((row, number) => {
    if (!ROW.test(row)) throw new BadNotation(row);
    const result = [...row.matchAll(CELL)];
    if (result.length !== lengths[number]) throw new BadNotation(row);
    return result;
  });
  return { cells, laid };
}

/** Tiles without a number, whatever their terrain. */
const bareTiles = (layout: Layout): Set<number> =>
  new Set((layout.base.unmarked as { set: number[] }).set.map((n) => n - 1));

/** The number of a cell, or 0. */
function readMarker([cell, , digits, second]: string[], layout: Layout): number {
  if (digits === "") return 0;
  const marker = Number(digits);
  const beside = second === undefined || second === `+${layout.second[marker]}`;
  if (!Object.hasOwn(layout.pips, digits) || !beside) throw new BadNotation(cell);
  return marker;
}

function readTerrain([cell, letter]: string[], layout: Layout): string {
  const name = layout.letters[letter];
  if (name === undefined) throw new BadNotation(cell);
  return name;
}

/** Reads a board. Either all tiles that carry numbers have them, or none has. */
export function readNotation(text: string, layout: Layout): Board {
  const { cells, laid } = split(text, layout);
  const terrain = cells.map((cell) => readTerrain(cell, layout));
  const markers = cells.map((cell) => readMarker(cell, layout));
  const bare = bareTiles(layout);
  const carries = terrain.map((name, t) => !layout.unnumbered.includes(name) && !bare.has(t));
  const some = markers.some((marker) => marker > 0);
  const wrong = cells.find((_, t) => (markers[t] ? !carries[t] : some && carries[t]));
  if (wrong) throw new BadNotation(wrong[0]);
  const parts = laid?.split(",") ?? [];
  const harbors = parts.filter((part) => !GROUND.test(part));
  return {
    layout,
    terrain,
    markers,
    harbors: harbors.length ? readHarbors(harbors.join(), layout, terrain) : [],
    grounds: readGrounds(
      parts.filter((part) => GROUND.test(part)),
      layout,
    ),
  };
}

/** A partial board: per tile its terrain and its number (0 for none), undefined if open. */
export interface Pattern {
  terrain: (string | undefined)[];
  markers: (number | undefined)[];
  /** The harbors. Undefined if the rules place them. */
  harbors?: Harbor[];
  /** The fishing grounds. Undefined or empty if they are open. */
  grounds?: Ground[];
}

/** A pattern in which all is open. */
export const open = (layout: Layout): Pattern => ({
  terrain: layout.tiles.map(() => undefined),
  markers: layout.tiles.map(() => undefined),
});

export const isOpen = ({ terrain, markers, harbors, grounds }: Pattern): boolean =>
  !harbors && !grounds?.length && [...terrain, ...markers].every((each) => each === undefined);

const OPEN = "x";

/** Whether a notation leaves tiles or markers open. */
export function isPattern(text: string, layout: Layout): boolean {
  const bare = bareTiles(layout);
  return split(text, layout).cells.some(
    ([, letter, digits], t) =>
      letter === OPEN ||
      digits === "0" ||
      (digits === "" && !layout.unnumbered.includes(layout.letters[letter]) && !bare.has(t)),
  );
}

/**
 * Reads a pattern that the layout and its box can have. `x` is an open tile, `o` ore with any number, `x6` any terrain with
 * a 6, `x0` one without a number. The rules place harbors, but a complete terrain may name them.
 */
export function readPattern(text: string, layout: Layout): Pattern {
  const { cells, laid } = split(text, layout);
  const whole = laid ? readNotation(text, layout) : undefined;
  if ((whole && !isPattern(text, layout)) || text.trim().length > MAX_PATTERN) {
    throw new BadNotation(laid ?? text);
  }
  const bare = bareTiles(layout);
  const result: Pattern = { terrain: [], markers: [] };
  cells.forEach((cell, t) => {
    const [all, letter, digits, second] = cell;
    const name = letter === OPEN ? undefined : readTerrain(cell, layout);
    const none = digits === "0" && second === undefined;
    const marker = none ? 0 : readMarker(cell, layout);
    const plain = bare.has(t) || (name !== undefined && layout.unnumbered.includes(name));
    const { terrain: fixed, markers: there, pips } = layout.fixed;
    const most = there[t] === undefined ? (pips[t] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const wrong =
      (marker > 0 && plain) ||
      (none && name !== undefined && !plain) ||
      (name !== undefined && (fixed[t] ?? name) !== name) ||
      (marker > 0 && ((there[t] ?? marker) !== marker || pipsOfMarker(layout, marker) > most));
    if (wrong) throw new BadNotation(all);
    result.terrain.push(name);
    result.markers.push(digits === "" ? undefined : marker);
  });
  const count = <T>(all: T[], one: T): number => all.filter((each) => each === one).length;
  for (const name of result.terrain) {
    if (name !== undefined && count(result.terrain, name) > (layout.counts[name] ?? 0))
      throw new BadNotation(name);
  }
  for (const marker of result.markers) {
    if (marker && count(result.markers, marker) > (layout.supply[marker] ?? 0)) {
      throw new BadNotation(String(marker));
    }
  }
  return result;
}

/** The pips of a number token, with those of the number beside it. */
export const pipsOfMarker = (layout: Layout, marker: number): number =>
  layout.pips[marker] + (layout.second[marker] ? layout.pips[layout.second[marker]] : 0);

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

const GROUND = /^(0|[1-9][0-9]{0,5})-(0|[1-9][0-9]{0,5})-(0|[1-9][0-9]{0,5})=([1-9][0-9]?)$/;

/** Reads fishing grounds, each with three adjacent vertices. */
function readGrounds(parts: string[], layout: Layout): Ground[] {
  const used = new Set<string>();
  return parts.map((part) => {
    const [a, b, c, marker] = GROUND.exec(part)!.slice(1).map(Number);
    const near = layout.vertexNeighbors[b] ?? [];
    const vertices: Ground["vertices"] = a < c ? [a, b, c] : [c, b, a];
    const known = Object.hasOwn(layout.pips, String(marker));
    if (a === c || !near.includes(a) || !near.includes(c) || !known || used.has(vertices.join())) {
      throw new BadNotation(part);
    }
    used.add(vertices.join());
    return { vertices, marker };
  });
}

const TRADED = "bgwol";

/** Reads harbors on the coast of this terrain that share no vertex. */
function readHarbors(text: string, layout: Layout, terrain: string[]): Harbor[] {
  const printed = text === "printed";
  if (printed && !layout.harbors.length) throw new BadNotation(text);
  const harbors = printed
    ? printedHarbors(layout)
    : text.split(",").map((part): Harbor => {
        const result = /^(0|[1-9][0-9]{0,5})-(0|[1-9][0-9]{0,5})=([a-z3])$/.exec(part);
        if (!result || (result[3] !== "3" && !TRADED.includes(result[3]))) throw new BadNotation(part);
        const [a, b] = [Number(result[1]), Number(result[2])];
        const trade = result[3] === "3" ? "3:1" : layout.letters[result[3]];
        return { vertices: a < b ? [a, b] : [b, a], trade };
      });
  const coast = new Set(layout.coast.map((edge) => edge.join()));
  const used = new Set<number>();
  for (const harbor of harbors) {
    const [a, b] = harbor.vertices;
    const inner = "sea" in layout.counts && layout.vertexNeighbors[a]?.includes(b);
    const onCoast = isOnCoast({ layout, terrain }, harbor.vertices);
    if (!(coast.has(`${a},${b}`) || inner) || !onCoast || used.has(a) || used.has(b)) {
      throw new BadNotation(harborText(layout, harbor));
    }
    used.add(a).add(b);
  }
  return harbors;
}
