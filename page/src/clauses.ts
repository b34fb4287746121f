/**
 * What the models say of a board, from the same data, as clauses for `Sat`: the terrain and the marker of each tile, and
 * the trade of each harbor, are one variable for each choice. Where large clusters and islands would take too many
 * clauses, a board that the page's checkers refuse is told, and `refuse` forbids what is wrong with it.
 */

import type { Json, Layout, ModelData } from "./data";
import { type Board, code, pipsOfMarker, printedHarbors, tradeCodes } from "./notation";
import type { Place } from "./places";
import { type Lit, not, Sat } from "./sat";

const list = <T>(value: Json): T[] =>
  (Array.isArray(value) ? value : (value as { set: Json[] }).set) as unknown as T[];
/** Tiles, vertices and the like as models have them, from 1. */
const fromOne = (value: Json): number[] => list<number>(value).map((n) => n - 1);

const RED = [6, 8];
const EXTREME = [2, 12];
const [SEA, DESERT] = [1, 2];
const FREE = 7;

export class Clauses {
  readonly sat = new Sat();
  /** By tile: the variable of each terrain code that may be there, and of each marker; 0 is none. */
  private readonly terrain: Map<number, Lit>[];
  private readonly marker: Map<number, Lit>[];
  /** By harbor: the variable of each trade, 0 for 3:1; empty where no harbors are dealt. */
  private readonly harbor: Map<number, Lit>[];
  private readonly unnumbered: Set<number>;
  private readonly markers: number[];
  private readonly made = new Map<string, Lit>();
  private readonly pairs: [number, number][];
  private readonly edges: [number, number][];
  private readonly most: number;

  /** Variables are tried first as on the board that is given. */
  constructor(
    private readonly layout: Layout,
    private readonly data: ModelData,
    private readonly before: Board,
  ) {
    const tiles = layout.tiles.map((_, t) => t);
    const trades = tradeCodes(before);
    this.unnumbered = new Set(list<number>(data.UNNUMBERED));
    const supplies = data.supply as number[][];
    this.markers = [2, 3, 4, 5, 6, 8, 9, 10, 11, 12].filter((m) => supplies.some((each) => each[m - 2] > 0));
    this.most = Math.max(...[2, 3, 4, 5, 6, 8, 9, 10, 11, 12].map((m) => pipsOfMarker(layout, m)));
    const [here, there] = [fromOne(data.here), fromOne(data.there)];
    this.pairs = here.map((a, i) => [a, there[i]]);
    this.edges = fromOne(data.edge_pairs).map((i) => this.pairs[i]);
    const groups = data.terrain_group as number[];
    const pieces = data.pieces as number[][];
    const unmarked = new Set(fromOne(data.unmarked));
    this.terrain = tiles.map((t) => {
      const there = list<number>((data.terrain_choices as Json[])[t]);
      const codes = there.filter((code) => pieces[groups[t] - 1][code - 1] > 0);
      return this.choices(codes, code(layout, before.terrain[t]));
    });
    this.marker = tiles.map((t) => {
      const supply = supplies[(data.marker_group as number[])[t] - 1];
      const there = new Set(list<number>((data.marker_choices as Json[])[t]));
      const own = this.markers.filter((m) => there.has(m) && supply[m - 2] > 0);
      return this.choices(unmarked.has(t) ? [0] : [0, ...own], before.markers[t]);
    });
    this.harbor = data.harbor
      ? []
      : list<Json>(data.trade_choices).map((each, h) => this.choices(list<number>(each), trades[h]));
    for (const t of tiles) {
      if (!unmarked.has(t))
        this.same(this.marker[t].get(0)!, this.either(`bare${t}`, this.of(this.terrain[t], this.unnumbered)));
    }
    this.addPieces();
    this.addTerrainRules();
    this.addMarkerRules();
    this.addHarborRules();
  }

  /** The board of the solution. */
  board(): Board {
    const { layout, before } = this;
    const chosen = (choices: Map<number, Lit>): number =>
      [...choices].find(([, lit]) => this.sat.holds(lit))![0];
    const printed = printedHarbors(layout);
    const dealt = this.harbor.map((choices, h) => {
      const trade = chosen(choices);
      return { ...printed[h], trade: trade ? layout.terrains[trade - 1] : "3:1" };
    });
    return {
      layout,
      terrain: this.terrain.map((choices) => layout.terrains[chosen(choices) - 1]),
      markers: this.marker.map(chosen),
      harbors: dealt.length ? dealt : this.data.harbor ? printed : before.harbors,
      grounds: before.grounds,
    };
  }

  /** By tile: true where its terrain is not as before, or its marker, if there were markers. */
  changes(): Lit[] {
    const numbered = this.before.markers.some((marker) => marker > 0);
    return this.terrain.map((terrain, t) => {
      const lit = this.sat.variable();
      const name = terrain.get(code(this.layout, this.before.terrain[t]));
      const number = this.marker[t].get(this.before.markers[t]);
      this.sat.add(name === undefined ? [lit] : [lit, name]);
      if (numbered) this.sat.add(number === undefined ? [lit] : [lit, number]);
      return lit;
    });
  }

  /** By harbor that is dealt: true where its trade is not as before. */
  harborChanges(): Lit[] {
    const trades = tradeCodes(this.before);
    return this.harbor.map((choices, h) => {
      const lit = this.sat.variable();
      const same = choices.get(trades[h]);
      this.sat.add(same === undefined ? [lit] : [lit, same]);
      return lit;
    });
  }

  /** Of so many numbers from 1, up to `most`: whether that many of the literals are true (a totalizer). */
  counts(lits: Lit[], most = lits.length): Lit[] {
    if (lits.length < 2 || most < 1) return lits.slice(0, most);
    const half = lits.length >> 1;
    const [a, b] = [this.counts(lits.slice(0, half), most), this.counts(lits.slice(half), most)];
    const all = Array.from({ length: Math.min(most, a.length + b.length) }, () => this.sat.variable());
    for (let i = 0; i <= a.length; i++) {
      for (let j = 0; j <= b.length; j++) {
        const [enough, more] = [Math.min(i + j, all.length), i + j];
        if (enough > 0)
          this.sat.add([
            all[enough - 1],
            ...(i > 0 ? [not(a[i - 1])] : []),
            ...(j > 0 ? [not(b[j - 1])] : []),
          ]);
        if (more < all.length)
          this.sat.add([not(all[more]), ...(i < a.length ? [a[i]] : []), ...(j < b.length ? [b[j]] : [])]);
      }
    }
    return all;
  }

  private atMost(lits: Lit[], most: number): void {
    const all = this.counts(lits, most + 1);
    if (all.length > most) this.sat.add([not(all[most])]);
  }

  private atLeast(lits: Lit[], least: number): void {
    if (least > 0) this.sat.add(this.counts(lits, least).slice(least - 1));
  }

  private exactly(lits: Lit[], n: number): void {
    const all = this.counts(lits, n + 1);
    if (all.length > n) this.sat.add([not(all[n])]);
    if (n > 0) this.sat.add(all.slice(n - 1, n));
  }

  /** One variable for each choice, of which one is true; the one that is given is tried first. */
  private choices(codes: number[], first: number | undefined): Map<number, Lit> {
    const found = new Map(codes.map((code) => [code, this.sat.variable(code === first)]));
    const lits = [...found.values()];
    this.sat.add(lits);
    for (const [i, a] of lits.entries()) for (const b of lits.slice(0, i)) this.sat.add([not(a), not(b)]);
    return found;
  }

  /** The variables of these choices. */
  private of(choices: Map<number, Lit>, codes: Iterable<number>): Lit[] {
    return [...codes].flatMap((code) => choices.get(code) ?? []);
  }

  private same(a: Lit, b: Lit): void {
    this.sat.add([not(a), b]);
    this.sat.add([a, not(b)]);
  }

  /** A literal that is true where one of these is. */
  private either(name: string, lits: Lit[]): Lit {
    let found = this.made.get(name);
    if (found === undefined) {
      found = this.sat.variable();
      for (const lit of lits) this.sat.add([not(lit), found]);
      this.sat.add([not(found), ...lits]);
      this.made.set(name, found);
    }
    return found;
  }

  /** A literal that is true where both are. */
  private both(a: Lit, b: Lit): Lit {
    const found = this.sat.variable();
    this.sat.add([found, not(a), not(b)]);
    this.sat.add([not(found), a]);
    this.sat.add([not(found), b]);
    return found;
  }

  /** The numbers that a marker shows, with the one that lies beside it. */
  private shows(marker: number): number[] {
    return marker ? [marker, this.layout.second[marker]].filter((each) => each) : [];
  }

  /** Whether the tile shows one of these numbers. */
  private showing(t: number, numbers: number[]): Lit {
    const markers = this.markers.filter((m) => this.shows(m).some((n) => numbers.includes(n)));
    return this.either(`shows${t}:${numbers}`, this.of(this.marker[t], markers));
  }

  /**
   * Whether what the tile's marker is worth is at least so much: undefined where it always is, and a literal that is
   * false where it never is.
   */
  private worth(t: number, least: number, name: string, worth: (marker: number) => number): Lit | undefined {
    const choices = [...this.marker[t].keys()];
    const enough = choices.filter((marker) => worth(marker) >= least);
    if (enough.length === choices.length) return undefined;
    const next = Math.min(...enough.map(worth));
    return this.either(`${name}${t}>=${next}`, this.of(this.marker[t], enough));
  }

  private addPieces(): void {
    const { data } = this;
    const tiles = (groups: Json, g: number): number[] =>
      (groups as number[]).flatMap((each, t) => (each === g + 1 ? [t] : []));
    (data.pieces as number[][]).forEach((pieces, g) => {
      const group = tiles(data.terrain_group, g);
      pieces.forEach((n, i) => {
        if (n > 0)
          this.exactly(
            group.flatMap((t) => this.terrain[t].get(i + 1) ?? []),
            n,
          );
      });
    });
    (data.supply as number[][]).forEach((supply, g) => {
      const group = tiles(data.marker_group, g);
      for (const m of this.markers)
        this.atMost(
          group.flatMap((t) => this.marker[t].get(m) ?? []),
          supply[m - 2],
        );
    });
    if (this.harbor.length)
      list<number>(data.trades).forEach((n, trade) => {
        this.exactly(
          this.harbor.flatMap((choices) => choices.get(trade) ?? []),
          n,
        );
      });
  }

  /** None of these terrains on none of these tiles. */
  private forbid(tiles: number[], code: number): void {
    for (const t of tiles) for (const lit of this.of(this.terrain[t], [code])) this.sat.add([not(lit)]);
  }

  /** Never all of these terrains on these tiles together. */
  private notAll(on: [number, number][]): void {
    const lits = on.map(([t, code]) => this.terrain[t].get(code));
    if (lits.every((lit) => lit !== undefined)) this.sat.add(lits.map(not));
  }

  private addTerrainRules(): void {
    const { data, layout } = this;
    const tiles = layout.tiles.map((_, t) => t);
    const codes = layout.terrains.map((_, i) => i + 1);
    for (const cluster of list<Json>(data.large_clusters))
      for (const code of codes)
        if (!this.unnumbered.has(code)) this.notAll(fromOne(cluster).map((t) => [t, code]));
    const from = data.apart_from as number[];
    (data.apart as number[]).forEach((code, i) => {
      for (const [a, b] of this.edges) {
        this.notAll([
          [a, code],
          [b, from[i]],
        ]);
        this.notAll([
          [b, code],
          [a, from[i]],
        ]);
      }
    });
    const allowed = new Set(fromOne(data.desert_tiles));
    this.forbid(
      tiles.filter((t) => !allowed.has(t)),
      DESERT,
    );
    if (data.gold_inland) this.forbid(fromOne(data.coast), layout.terrains.indexOf("gold") + 1);
    const forbidden = data.forbidden_terrain as number[];
    fromOne(data.forbidden_tile).forEach((t, i) => {
      this.forbid([t], forbidden[i]);
    });
    const rising = fromOne(data.rising);
    for (let i = 1; i < rising.length; i++)
      for (const code of codes)
        for (const other of codes)
          if (other <= code)
            this.notAll([
              [rising[i - 1], code],
              [rising[i], other],
            ]);
    for (const symmetry of list<Json>(data.symmetries)) this.addFirst(fromOne(symmetry));
  }

  /** The board is not after the one that a rotation or a mirror makes of it, tile by tile. */
  private addFirst(moved: number[]): void {
    let equal: Lit[] = []; // so far
    moved.forEach((there, t) => {
      if (there === t) return;
      const next = this.sat.variable();
      for (const [code, here] of this.terrain[t])
        for (const [other, beyond] of this.terrain[there]) {
          if (other < code) this.sat.add([...equal.map(not), not(here), not(beyond)]);
          if (other === code) this.sat.add([...equal.map(not), not(here), not(beyond), next]);
        }
      equal = [next];
    });
  }

  private addMarkerRules(): void {
    const { data, layout } = this;
    const tiles = layout.tiles.map((_, t) => t);
    const [least, most] = [data.marker_pips_min as number[], data.marker_pips_max as number[]];
    for (const t of tiles)
      for (const [code, terrain] of this.terrain[t])
        for (const [m, marker] of this.marker[t]) {
          const pips = m && pipsOfMarker(layout, m);
          const poor = !this.unnumbered.has(code) && m > 0 && pips < least[code - 1];
          if (poor || (m > 0 && pips > most[code - 1])) this.sat.add([not(terrain), not(marker)]);
        }
    for (const [a, b] of this.pairs) {
      const apart = (numbers: number[]): void =>
        this.sat.add([not(this.showing(a, numbers)), not(this.showing(b, numbers))]);
      if (data.reds_apart) apart(RED);
      if (data.extremes_apart) apart(EXTREME);
      if (data.equal_apart) for (const m of this.markers) for (const n of this.shows(m)) apart([n]);
    }
    const perTerrain = (numbers: number[], n: number): void => {
      for (const code of layout.terrains.map((_, i) => i + 1)) {
        const on = tiles.filter((t) => this.terrain[t].has(code));
        if (!this.unnumbered.has(code) && on.length > n)
          this.atMost(
            on.map((t) => this.both(this.terrain[t].get(code)!, this.showing(t, numbers))),
            n,
          );
      }
    };
    if (data.distinct_per_terrain)
      for (const n of new Set(this.markers.flatMap((m) => this.shows(m)))) perTerrain([n], 1);
    perTerrain(RED, data.reds_per_terrain as number);
    this.addVertexRules();
    this.addTerrainPips();
    this.addSpirals();
  }

  private addVertexRules(): void {
    const { data, layout } = this;
    const pips = (m: number): number => (m ? pipsOfMarker(layout, m) : 0);
    const sum = (m: number): number => (m ? this.shows(m).reduce((all, n) => all + n, 0) : FREE);
    const [below, least, most] = ["vertex_sum_below", "vertex_pips_min", "vertex_pips_max"].map(
      (name) => data[name] as number,
    );
    for (const around of list<Json>(data.vertex_tiles).map(fromOne)) {
      if (around.length !== 3) continue;
      if (below <= 36) this.bound(around, "sum", sum, (total) => total < below, false);
      if (least > 0) this.bound(around, "pips", pips, (total) => total >= least, true);
      if (most < 3 * this.most) this.bound(around, "pips", pips, (total) => total <= most, false);
    }
  }

  /** Round a vertex without sea, what three markers are worth fits, as more of it does if `more`, else as less of it does. */
  private bound(
    [a, b, c]: number[],
    name: string,
    worth: (marker: number) => number,
    fits: (total: number) => boolean,
    more: boolean,
  ): void {
    const sea = [a, b, c].flatMap((t) => this.of(this.terrain[t], [SEA]));
    const levels = (t: number): number[] =>
      [...new Set([...this.marker[t].keys()].map(worth))].sort((x, y) => x - y);
    /** That the tile's marker is worth more than, or less than, so much; nothing where it never is. */
    const beyond = (t: number, level: number): Lit[] => {
      const other = levels(t).filter((each) => (more ? each > level : each < level));
      if (!other.length) return [];
      const [next] = more ? other : [level];
      const enough = this.worth(t, next, name, worth)!;
      return [more ? enough : not(enough)];
    };
    for (const x of levels(a))
      for (const y of levels(b)) {
        const wrong = levels(c).filter((z) => !fits(x + y + z));
        if (!wrong.length) continue;
        const z = more ? wrong.at(-1)! : wrong[0];
        this.sat.add([...sea, ...beyond(a, x), ...beyond(b, y), ...beyond(c, z)]);
      }
  }

  private addTerrainPips(): void {
    const { data, layout } = this;
    const [least, most] = [data.terrain_pips_min as number[], data.terrain_pips_max as number[]];
    const pips = (m: number): number => (m ? pipsOfMarker(layout, m) : 0);
    layout.terrains.forEach((_, i) => {
      const on = layout.tiles.flatMap((_, t) => (this.terrain[t].has(i + 1) ? [t] : []));
      const units = (): Lit[] =>
        on.flatMap((t) => {
          const top = Math.max(...[...this.marker[t].keys()].map(pips));
          return Array.from({ length: top }, (_, n) => {
            const terrain = this.terrain[t].get(i + 1)!;
            const enough = this.worth(t, n + 1, "pips", pips);
            return enough === undefined ? terrain : this.both(terrain, enough);
          });
        });
      if (least[i] > 0) this.atLeast(units(), least[i]);
      if (most[i] < this.most * on.length) this.atMost(units(), most[i]);
    });
  }

  /** Along one of the ways the markers follow the order; tiles without a marker are skipped. */
  private addSpirals(): void {
    const order = this.data.spiral_order as number[];
    const ways = list<Json>(this.data.spirals).map((way) => {
      const chosen = this.sat.variable();
      let before: Lit[] = [chosen]; // by how many markers there were before: whether it may be that many
      for (const t of fromOne(way)) {
        const bare = this.marker[t].get(0)!;
        const after: Lit[] = [];
        before.forEach((lit, n) => {
          const marker = this.marker[t].get(order[n]);
          this.sat.add([not(lit), bare, ...(marker === undefined ? [] : [marker])]);
          after[n] ??= this.sat.variable();
          after[n + 1] ??= this.sat.variable();
          this.sat.add([not(lit), not(bare), after[n]]);
          this.sat.add([not(lit), bare, after[n + 1]]);
        });
        before = after;
      }
      return chosen;
    });
    if (ways.length) this.sat.add(ways);
  }

  private addHarborRules(): void {
    const { data } = this;
    if (!data.own_terrain_apart) return;
    list<Json>(data.harbor_tiles).forEach((near, h) => {
      for (const t of fromOne(near)) {
        if (data.harbor) this.forbid([t], (data.harbor as number[])[h]);
        else
          for (const [trade, lit] of this.harbor[h])
            for (const terrain of this.of(this.terrain[t], [trade])) this.sat.add([not(lit), not(terrain)]);
      }
    });
  }

  /** Forbids what a checker found on a board: false where it is not known how. */
  refuse(field: string, { tiles }: Place, board: Board): boolean {
    const { layout } = this;
    /** That these tiles are no longer these islands, or this sea. */
    const other = (tiles: Iterable<number>): Lit[] =>
      [...new Set(tiles)].flatMap((t) => {
        const sea = this.terrain[t].get(SEA);
        return sea === undefined ? [] : [board.terrain[t] === "sea" ? not(sea) : sea];
      });
    const shore = (tiles: number[]): number[] =>
      layout.adjacency.flatMap(([a, b]) => [
        ...(tiles.includes(a) ? [b] : []),
        ...(tiles.includes(b) ? [a] : []),
      ]);
    switch (field) {
      case "terrain_cluster_max":
        this.notAll(tiles.map((t) => [t, code(this.layout, board.terrain[t])]));
        return true;
      case "island_size_min":
      case "harbor_on_every_island":
        this.sat.add(other([...tiles, ...shore(tiles)]));
        return true;
      case "islands_min":
      case "islands_max":
        this.sat.add(other(layout.tiles.keys()));
        return true;
      case "main_island_complete": {
        const here = new Set(tiles.map((t) => board.terrain[t]));
        const missing = ["brick", "grain", "wool", "ore", "lumber"].find(
          (name) => name in layout.counts && !here.has(name),
        )!;
        const brought = tiles.flatMap((t) => this.of(this.terrain[t], [code(this.layout, missing)]));
        this.sat.add([...other(layout.tiles.keys()), ...brought]);
        return true;
      }
      default:
        return false;
    }
  }
}
