/**
 * Boards by a random walk, as the library makes them where it can: pieces are dealt at random, exchanged until no rule is
 * broken, and then exchanged many times more where the rules still hold. An exchange and its reverse have the same
 * probability, so after a long walk all boards that it can reach are equally likely.
 */

import { ownOf } from "../core/constraint";
import type { Chosen, Json, Layout, ModelData, RulesData } from "../core/data";
import { carries, isInBox, setOf } from "../core/entry";
import { shuffled } from "../core/lists";
import {
  type Board,
  byPlace,
  type Ground,
  type Harbor,
  isOnCoast,
  type Pattern,
  printedHarbors,
} from "../core/notation";
import { type Checked, checkedRules } from "../core/places";
import { inForce, modelData, same } from "../core/rules";
import { breaches, onTiles, type Place } from "../core/tables";

/** Exchanges that are proposed per tile after a board is found. */
const STEPS = 40;
/** The probability of an exchange that breaks more, to leave dead ends. */
const WORSE = 0.02;
/** The probability to exchange pieces of two tiles instead of one on a tile that breaks a rule. */
const ELSEWHERE = 0.1;
/** Tables that few exchanges keep: the solver finds these boards. */
const ORDERS = ["Rising", "FirstOfOrbit", "FixedOrder"];

/** Whether a walk knows all that is asked for. */
export function isWalkable(layout: Layout, chosen: Chosen, rules: RulesData, kept: Pattern): boolean {
  const checked = checkedRules(chosen, layout, rules);
  const kinds = checked.flatMap(({ restrictions }) => restrictions.map(({ kind }) => kind));
  return (
    !ownOf(chosen).length &&
    checked.length === inForce(chosen, rules).length &&
    !kinds.some((kind) => ORDERS.includes(kind)) &&
    (!kept.harbors || !("harbors" in chosen) || kept.harbors.length === layout.harbors.length) &&
    !kept.grounds?.length
  );
}

const numbers = (value: Json): number[] => value as number[];
const anyOf = <T>(items: T[]): T => items[Math.floor(Math.random() * items.length)];

/** Pieces of one kind on tiles: in groups, with allowed values for each tile. */
interface Pieces {
  groups: number[];
  choices: number[][];
  /** By group, how many pieces of each value the box holds. */
  supply: Map<number, number>[];
}

/** The values that each tile may have, or the one that is kept. */
const choices = (sets: Json, kept: (number | string | undefined)[]): number[][] =>
  (sets as Json[]).map((values, t) => (kept[t] ? [kept[t] as number] : setOf(values)));

/**
 * Deals pieces to tiles, those with one allowed value first. Returns by group what stays in the box; undefined if pieces
 * are missing.
 */
function dealt(
  { groups, choices, supply }: Pieces,
  tiles: number[],
  put: (t: number, value: number) => void,
): Map<number, number>[] | undefined {
  const boxes = supply.map((counts) => new Map(counts));
  const take = (t: number, value: number): void => {
    const box = boxes[groups[t] - 1];
    box.set(value, (box.get(value) ?? 0) - 1);
    put(t, value);
  };
  for (const t of tiles) if (choices[t].length === 1) take(t, choices[t][0]);
  const free = tiles.filter((t) => choices[t].length !== 1);
  const rest = boxes.map((box) =>
    shuffled([...box].flatMap(([value, n]): number[] => Array(Math.max(n, 0)).fill(value))),
  );
  for (const t of free) {
    const value = rest[groups[t] - 1].pop();
    if (value === undefined) return undefined;
    take(t, value);
  }
  return boxes.every((box) => [...box.values()].every((n) => n >= 0)) ? boxes : undefined;
}

/** The places of harbors whose trades the rules shuffle. */
function movingHarbors(chosen: Chosen, { harbors, fixedHarbors }: Layout): number[] {
  const fixed = new Set(fixedHarbors.map((edge) => edge.join()));
  return chosen.harbors === "shuffled"
    ? harbors.flatMap(([a, b], i) => (fixed.has(`${a},${b}`) ? [] : [i]))
    : [];
}

/** Harbors in the places that the rules use: none where they may move with the terrain. */
function dealtHarbors(chosen: Chosen, data: ModelData, layout: Layout): Harbor[] {
  if (!(data.harbor_tiles as Json[]).length) return [];
  const harbors = printedHarbors(layout);
  const moving = movingHarbors(chosen, layout);
  const trades = shuffled(moving.map((i) => harbors[i].trade));
  for (const [i, place] of moving.entries()) harbors[place].trade = trades[i];
  return harbors;
}

function dealtGrounds({ ground_numbers }: ModelData, { groundPlaces }: Layout): Ground[] {
  const values = shuffled(numbers(ground_numbers));
  return groundPlaces.map((vertices, i) => ({ vertices, marker: values[i] })).sort(byPlace);
}

type IsKept = (before: number, after: number) => boolean;
const isBetter: IsKept = (before, after) => after <= before || Math.random() < WORSE;
const isAllowed: IsKept = (_, after) => after === 0;

function swap<T>(list: T[], a: number, b: number): void {
  [list[a], list[b]] = [list[b], list[a]];
}

/** A board whose pieces change places. */
class Walk {
  readonly board: Board;
  private readonly tiles: number[];
  private readonly terrain: Pieces;
  private readonly markers: Pieces;
  private readonly harbors: number[];
  private readonly checked: Checked[];
  /** By group, the markers that are not on the board; undefined as long as none is. */
  private box: Map<number, number>[] | undefined;
  private broken: Place[] = [];

  constructor(
    private readonly layout: Layout,
    chosen: Chosen,
    rules: RulesData,
    private readonly kept: Pattern,
  ) {
    const data = modelData(chosen, layout, rules);
    const codes = kept.terrain.map((name) => name && layout.terrains.indexOf(name) + 1);
    this.tiles = layout.tiles.map((_, t) => t);
    this.terrain = {
      groups: numbers(data.terrain_group),
      choices: choices(data.terrain_choices, codes),
      supply: (data.pieces as number[][]).map((row) => new Map(row.map((n, i) => [i + 1, n]))),
    };
    this.markers = {
      groups: numbers(data.marker_group),
      choices: choices(data.marker_choices, kept.markers),
      supply: (data.supply as number[][]).map((row) => new Map(row.map((n, i) => [i + 2, n]))),
    };
    this.harbors = kept.harbors ? [] : movingHarbors(chosen, layout);
    this.checked = checkedRules(chosen, layout, rules);
    const markers = this.tiles.map(() => 0);
    const harbors = kept.harbors ?? dealtHarbors(chosen, data, layout);
    this.board = { layout, terrain: [], markers, harbors, grounds: dealtGrounds(data, layout) };
  }

  /** Deals terrain, and exchanges it until it breaks no rule; whether that ends in time. */
  dealTerrain(until: number): boolean {
    const { board, layout } = this;
    const put = (t: number, code: number): void => {
      board.terrain[t] = layout.terrains[code - 1];
    };
    return dealt(this.terrain, this.tiles, put) !== undefined && this.repair(until);
  }

  /** Deals markers to terrain, and exchanges pieces until they break no rule; whether that ends in time. */
  dealMarkers(until: number): boolean {
    const numbered = this.tiles.filter((t) => this.carries(t));
    this.box = dealt(this.markers, numbered, (t, marker) => {
      this.board.markers[t] = marker;
    });
    return this.box !== undefined && this.repair(until);
  }

  /** Proposes exchanges that keep the rules. */
  walk(steps: number): void {
    for (let step = 0; step < steps; step++) {
      if (step % 8 === 0) this.exchangeHarbors(isAllowed);
      else if (step % 2) this.exchangeTerrain(anyOf(this.tiles), isAllowed);
      else this.exchangeMarker(anyOf(this.tiles), isAllowed);
    }
  }

  private carries(t: number): boolean {
    return carries(this.board, t, this.layout);
  }

  /** All breaches of the rules, the layout and what is kept. */
  private faults(): Place[] {
    const { board, layout, kept, box } = this;
    const isWrong = (t: number): boolean =>
      !this.terrain.choices[t].includes(layout.terrains.indexOf(board.terrain[t]) + 1) ||
      (kept.markers[t] !== undefined && this.carries(t) !== kept.markers[t] > 0) ||
      (board.markers[t] > 0 && !this.markers.choices[t].includes(board.markers[t]));
    const judged = this.checked.filter(({ rule }) => box || !rule.about.includes("markers"));
    return [
      ...this.tiles.filter(isWrong).map((t) => onTiles([t])),
      ...layout.requirements.flatMap((restriction) => breaches(restriction, board)),
      ...judged.flatMap((rule) => rule.breaches(board)),
    ];
  }

  /** Exchanges pieces, most of them on tiles that break a rule, until none is broken. */
  private repair(until: number): boolean {
    this.broken = this.faults();
    while (this.broken.length) {
      if (performance.now() > until) return false;
      const { tiles, vertices } = anyOf(this.broken);
      const near = tiles.length ? tiles : vertices.flatMap((v) => this.layout.vertexTiles[v]);
      const t = anyOf(near.length && Math.random() > ELSEWHERE ? near : this.tiles);
      const dice = Math.random();
      if (!this.box || dice < 0.25) this.exchangeTerrain(t, isBetter);
      else if (dice < 0.3) this.exchangeHarbors(isBetter);
      else this.exchangeMarker(t, isBetter);
    }
    return true;
  }

  /** Makes a change, and takes it back unless the numbers of breaches before and after allow it. */
  private attempt(change: () => void, isKept: IsKept): void {
    change();
    const broken = this.faults();
    if (isKept(this.broken.length, broken.length)) this.broken = broken;
    else change();
  }

  /** Exchanges the terrain of a tile with that of another one; markers stay, or move with numbered terrain. */
  private exchangeTerrain(a: number, isKept: IsKept): void {
    const { terrain, markers } = this.board;
    const b = anyOf(this.tiles);
    const { kept } = this;
    if (kept.terrain[a] || kept.terrain[b]) return;
    if (terrain[a] === terrain[b] || this.terrain.groups[a] !== this.terrain.groups[b]) return;
    const before = [this.carries(a), this.carries(b)];
    swap(terrain, a, b);
    const after = [this.carries(a), this.carries(b)];
    swap(terrain, a, b);
    const stay = !this.box || same(before, after);
    const move = same(before, after.reverse()) && this.markers.groups[a] === this.markers.groups[b];
    if (!stay && (!move || kept.markers[a] || kept.markers[b])) return;
    this.attempt(() => {
      swap(terrain, a, b);
      if (!stay) swap(markers, a, b);
    }, isKept);
  }

  /** Exchanges the marker of a tile with that of another one, or with one of the box. */
  private exchangeMarker(a: number, isKept: IsKept): void {
    const { markers } = this.board;
    const group = this.markers.groups[a];
    const box = this.box![group - 1];
    const old = markers[a];
    if (!old || this.kept.markers[a]) return;
    if (Math.random() < 0.5 && [...box.values()].some((n) => n > 0)) {
      const other = anyOf([...box.keys()]);
      if (other === old || !box.get(other)) return;
      this.attempt(() => {
        markers[a] = markers[a] === old ? other : old;
      }, isKept);
      box.set(old, box.get(old)! + 1); // both, also where nothing changed
      box.set(markers[a], box.get(markers[a])! - 1);
      return;
    }
    const b = anyOf(this.tiles);
    if (markers[b] && markers[b] !== old && this.markers.groups[b] === group && !this.kept.markers[b])
      this.attempt(() => swap(markers, a, b), isKept);
  }

  /** Exchanges the trades of two harbors, if the rules shuffle them. */
  private exchangeHarbors(isKept: IsKept): void {
    if (!this.harbors.length) return;
    const [a, b] = [anyOf(this.harbors), anyOf(this.harbors)].map((i) => this.board.harbors[i]);
    if (a.trade === b.trade) return;
    this.attempt(() => {
      [a.trade, b.trade] = [b.trade, a.trade];
    }, isKept);
  }
}

/** A board that the rules allow, with what is kept; undefined if none is found in so many milliseconds. */
export function walkedBoard(
  layout: Layout,
  chosen: Chosen,
  rules: RulesData,
  kept: Pattern,
  limit: number,
): Board | undefined {
  const until = performance.now() + limit;
  const walk = new Walk(layout, chosen, rules, kept);
  if (!walk.dealTerrain(until) || !walk.dealMarkers(until)) return undefined;
  walk.walk(STEPS * layout.tiles.length);
  const { board } = walk;
  if (!("harbors" in chosen))
    board.harbors = board.harbors.filter(({ vertices }) => isOnCoast(board, vertices));
  return isInBox(board) ? board : undefined;
}
