/**
 * Where a board breaks rules: the tiles and vertices of each breach, as the library's checkers name them. Whether a rule
 * is kept, the models say; these places are what is drawn on the board.
 */

import type { Chosen, Json, Layout, ModelData, Pair, RulesData } from "./data";
import { type Board, type Harbor, pipsOfMarker, printedHarbors } from "./notation";
import { isSet, modelData, valueIn } from "./rules";
import { pipsOf } from "./scores";

/** One breach. */
export interface Place {
  tiles: number[];
  vertices: number[];
}

/** What a checker is given: the field's value, and what the models get. */
interface Given {
  board: Board;
  layout: Layout;
  value: Json;
  data: ModelData;
}
type Check = (given: Given) => Place[];

const onTiles = (tiles: number[]): Place => ({ tiles, vertices: [] });
const increasing = (numbers: Iterable<number>): number[] => [...new Set(numbers)].sort((a, b) => a - b);
const tilesWhere = ({ layout }: Board, holds: (t: number) => boolean): number[] =>
  layout.tiles.flatMap((_, t) => (holds(t) ? [t] : []));

/** Numbers of tiles as models have them, from 1: a list or a set. */
const fromOne = (value: Json): number[] =>
  (Array.isArray(value) ? value : (value as { set: Json[] }).set).map((n) => (n as number) - 1);

/** The pairs of tiles that touch, as the rules say it. */
const touching = ({ here, there }: ModelData): Pair[] => {
  const others = fromOne(there);
  return fromOne(here).map((a, i) => [a, others[i]]);
};

/** A tile's marker, and the one that lies beside it. */
const numbersOn = ({ layout, markers }: Board, t: number): number[] =>
  [markers[t], layout.second[markers[t]]].filter((each) => each);

/** Connected sets of tiles, by their lowest one. */
function connected(tiles: number[], pairs: Pair[]): number[][] {
  const group = new Map(tiles.map((t) => [t, [t]]));
  for (const [a, b] of pairs) {
    const [first, second] = [group.get(a), group.get(b)];
    if (!first || !second || first === second) continue;
    first.push(...second);
    for (const t of second) group.set(t, first);
  }
  return [...new Set(group.values())].map(increasing);
}

const land = (board: Board): number[] => tilesWhere(board, (t) => board.terrain[t] !== "sea");
const islands = (board: Board): number[][] => connected(land(board), board.layout.adjacency);

/** Each pair of numbers on touching tiles that must not meet. */
const apart =
  (clash: (a: number, b: number) => boolean): Check =>
  ({ board, data }) =>
    touching(data).flatMap(([a, b]) =>
      numbersOn(board, a).flatMap((first) =>
        numbersOn(board, b).flatMap((second) => (clash(first, second) ? [onTiles([a, b])] : [])),
      ),
    );

const isRed = (n: number): boolean => n === 6 || n === 8;
const isExtreme = (n: number): boolean => n === 2 || n === 12;

/** The numbered tiles of each terrain. */
function byTerrain(board: Board): number[][] {
  const numbered = tilesWhere(board, (t) => board.markers[t] > 0);
  return board.layout.terrains.map((name) => numbered.filter((t) => board.terrain[t] === name));
}

/** Each vertex of three land tiles whose markers, or their pips, come to what does not fit. */
const atVertices =
  (measure: (board: Board, t: number) => number, fits: (total: number, bound: number) => boolean): Check =>
  ({ board, layout, value }) =>
    layout.vertexTiles.flatMap((tiles, v) => {
      if (tiles.length !== 3 || tiles.some((t) => board.terrain[t] === "sea")) return [];
      const total = tiles.reduce((sum, t) => sum + measure(board, t), 0);
      return fits(total, value as number) ? [] : [{ tiles, vertices: [v] }];
    });

const worth = (board: Board, t: number): number =>
  board.markers[t] ? numbersOn(board, t).reduce((sum, n) => sum + n, 0) : 7;

/** The bound of a terrain: its own, else that of every terrain. */
const boundOf = (value: Json, name: string): number | undefined => {
  const bounds = value as Record<string, number>;
  return bounds[name] ?? bounds.every;
};

/** The terrains of every box, without those that a layout brings along. */
const usual = ({ terrains }: Layout): string[] => terrains.slice(0, 8);

/** Each terrain whose pips do not fit; one that a bound names counts without a tile, too, if `named`. */
const terrainTotals =
  (named: boolean, fits: (total: number, bound: number) => boolean): Check =>
  ({ board, layout, value }) =>
    usual(layout).flatMap((name) => {
      const tiles = tilesWhere(board, (t) => board.terrain[t] === name);
      const counts = !layout.unnumbered.includes(name) && tiles.length > 0;
      const bound = boundOf(value, name);
      if (bound === undefined || !(counts || (named && Object.hasOwn(value as object, name)))) return [];
      const total = tiles.reduce((sum, t) => sum + pipsOf(board, t), 0);
      return fits(total, bound) ? [] : [onTiles(tiles)];
    });

const atEnds = (harbors: Harbor[]): Place => ({
  tiles: [],
  vertices: increasing(harbors.flatMap(({ vertices }) => vertices)),
});
const edgeOf = ({ vertices }: Harbor): string => [...vertices].sort((a, b) => a - b).join("-");
const textOf = (harbor: Harbor): string => `${edgeOf(harbor)}=${harbor.trade}`;
/** What is in one list and not in the other. */
const difference = (a: Harbor[], b: Harbor[], key: (harbor: Harbor) => string): Harbor[] => {
  const [inA, inB] = [new Set(a.map(key)), new Set(b.map(key))];
  return [...a.filter((each) => !inB.has(key(each))), ...b.filter((each) => !inA.has(key(each)))];
};
/** The tiles that share an edge with a harbor. */
const sidesOf = ({ vertexTiles }: Layout, { vertices: [a, b] }: Harbor): number[] =>
  vertexTiles[a].filter((t) => vertexTiles[b].includes(t));

function harborPlaces({ board, layout, value }: Given): Place[] {
  const [here, printed] = [board.harbors, printedHarbors(layout)];
  if (!here.length) return []; // none are laid yet
  if (value === "printed") {
    const other = difference(here, printed, textOf);
    return other.length ? [atEnds(other)] : [];
  }
  const found: Place[] = [];
  const moved = difference(here, printed, edgeOf);
  const trades = (all: Harbor[]): string =>
    all
      .map(({ trade }) => trade)
      .sort()
      .join();
  const fixed = new Set(layout.fixedHarbors.map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`));
  const changed = difference(printed, here, textOf).filter((each) => fixed.has(edgeOf(each)));
  if (moved.length) found.push(atEnds(moved));
  else if (trades(here) !== trades(printed)) found.push(atEnds(here));
  else if (changed.length) found.push(atEnds(changed));
  const edges = new Set(printed.map(edgeOf));
  for (const harbor of here) {
    const atSea = sidesOf(layout, harbor).every((t) => board.terrain[t] === "sea");
    if (atSea && !edges.has(edgeOf(harbor))) found.push(atEnds([harbor]));
  }
  return found;
}

/** The numbered tiles of a spiral whose markers are not the next ones of the rule book's order. */
const offSpiral = ({ markers }: Board, path: number[], order: number[]): number[] =>
  increasing(path.filter((t) => markers[t]).filter((t, i) => order[i] !== markers[t]));

const CHECKS: Record<string, Check> = {
  terrain_cluster_max: ({ board, layout, value, data }) =>
    layout.terrains
      .filter((name) => !layout.unnumbered.includes(name))
      .flatMap((name) =>
        connected(
          tilesWhere(board, (t) => board.terrain[t] === name),
          touching(data),
        ),
      )
      .filter((cluster) => cluster.length > (value as number))
      .map(onTiles),
  apart: ({ board, layout, value }) =>
    layout.adjacency
      .filter(([a, b]) =>
        (value as [string, string][]).some(
          ([one, other]) =>
            (board.terrain[a] === one && board.terrain[b] === other) ||
            (board.terrain[a] === other && board.terrain[b] === one),
        ),
      )
      .map(onTiles),
  symmetry: ({ board, layout, value, data }) => {
    const codes = board.terrain.map((name) => layout.terrains.indexOf(name));
    if (value === "corners") {
      const [a, b, c] = fromOne(data.rising);
      return codes[a] < codes[b] && codes[b] < codes[c] ? [] : [onTiles([a, b, c])];
    }
    const earlier = (data.symmetries as Json[]).some((symmetry) => {
      const moved = fromOne(symmetry).map((t) => codes[t]);
      const at = moved.findIndex((code, t) => code !== codes[t]);
      return at >= 0 && moved[at] < codes[at];
    });
    return earlier ? [onTiles(layout.tiles.map((_, t) => t))] : [];
  },
  desert: ({ board, data }) => {
    const allowed = new Set(fromOne(data.desert_tiles));
    return tilesWhere(board, (t) => board.terrain[t] === "desert" && !allowed.has(t)).map((t) =>
      onTiles([t]),
    );
  },
  gold_inland: ({ board, data }) => {
    const rim = new Set(fromOne(data.coast));
    return tilesWhere(board, (t) => board.terrain[t] === "gold" && rim.has(t)).map((t) => onTiles([t]));
  },
  islands_min: ({ board, value }) =>
    islands(board).length < (value as number) ? [onTiles(land(board))] : [],
  islands_max: ({ board, value }) =>
    islands(board).length > (value as number) ? [onTiles(land(board))] : [],
  island_size_min: ({ board, value }) =>
    islands(board)
      .filter((island) => island.length < (value as number))
      .map(onTiles),
  main_island_complete: ({ board, layout }) => {
    const all = islands(board);
    const most = Math.max(0, ...all.map((island) => island.length));
    const main = all.find((island) => island.length === most) ?? [];
    const here = new Set(main.map((t) => board.terrain[t]));
    const missing = Object.keys(layout.counts).some((name) => RESOURCES.has(name) && !here.has(name));
    return missing ? [onTiles(main)] : [];
  },
  reds_apart: apart((a, b) => isRed(a) && isRed(b)),
  equal_markers_apart: apart((a, b) => a === b),
  two_twelve_apart: apart((a, b) => isExtreme(a) && isExtreme(b)),
  markers_distinct_per_terrain: ({ board }) =>
    byTerrain(board).flatMap((group) => {
      const all = group.flatMap((t) => numbersOn(board, t));
      const repeated = new Set(all.filter((n, i) => all.indexOf(n) !== i));
      const tiles = group.filter((t) => numbersOn(board, t).some((n) => repeated.has(n)));
      return tiles.length ? [onTiles(tiles)] : [];
    }),
  reds_per_terrain_max: ({ board, value }) =>
    byTerrain(board)
      .map((group) => group.filter((t) => numbersOn(board, t).some(isRed)))
      .filter((reds) => reds.length > (value as number))
      .map(onTiles),
  terrain_markers_max: ({ board, layout, value }) =>
    tilesWhere(board, (t) => {
      const bound = boundOf(value, board.terrain[t]);
      return board.markers[t] > 0 && bound !== undefined && pipsOfMarker(layout, board.markers[t]) > bound;
    }).map((t) => onTiles([t])),
  vertex_sum_below: atVertices(worth, (total, below) => total < below),
  vertex_pips_min: atVertices(pipsOf, (total, least) => total >= least),
  vertex_pips_max: atVertices(pipsOf, (total, most) => total <= most),
  terrain_pips_min: terrainTotals(true, (total, least) => total >= least),
  terrain_pips_max: terrainTotals(false, (total, most) => total <= most),
  marker_order: ({ board, layout }) => {
    const all = layout.spirals.paths.map((path) => offSpiral(board, path, layout.spirals.order));
    const nearest = all.reduce((best, each) => (each.length < best.length ? each : best), all[0] ?? []);
    return nearest.length ? [onTiles(nearest)] : [];
  },
  harbors: harborPlaces,
  harbor_own_terrain_apart: ({ board, layout }) =>
    board.harbors.flatMap(({ vertices, trade }) => {
      const near = vertices.flatMap((v) => layout.vertexTiles[v]);
      const own = increasing(near.filter((t) => board.terrain[t] === trade));
      return own.length ? [{ tiles: own, vertices: [...vertices] }] : [];
    }),
  harbors_apart: ({ board, layout }) =>
    board.harbors.flatMap((a, i) =>
      board.harbors
        .slice(i + 1)
        .filter((b) =>
          a.vertices.some((v) => b.vertices.some((other) => layout.vertexNeighbors[v].includes(other))),
        )
        .map((b) => atEnds([a, b])),
    ),
  harbor_on_every_island: ({ board, layout }) => {
    if (!board.harbors.length) return []; // none are laid yet
    const sides = new Set(board.harbors.flatMap((harbor) => sidesOf(layout, harbor)));
    return islands(board)
      .filter((island) => !island.some((t) => sides.has(t)))
      .map(onTiles);
  },
};
const RESOURCES = new Set(["brick", "grain", "wool", "ore", "lumber"]);
/** The fields of the rules that are checked here. The build fails if another rule is not marked as the solver's. */
export const CHECKED = Object.keys(CHECKS);

/** What tells where a board breaks a rule, for each rule that is set, by its field. */
function checksOf(layout: Layout, chosen: Chosen, rules: RulesData): [string, (board: Board) => Place[]][] {
  const data = modelData(chosen, layout, rules);
  return rules.rules.flatMap((rule): [string, (board: Board) => Place[]][] => {
    const check = CHECKS[rule.field];
    if (!check || !rule.about.length || !isSet(rule, chosen)) return [];
    const value = valueIn(rule, chosen);
    return [[rule.field, (board) => check({ board, layout, value, data })]];
  });
}

/** Each rule that is set and broken, by its field, with its breaches. The board has markers, or needs none. */
export const brokenPlaces = (board: Board, chosen: Chosen, rules: RulesData): Record<string, Place[]> =>
  Object.fromEntries(
    checksOf(board.layout, chosen, rules)
      .map(([field, check]): [string, Place[]] => [field, check(board)])
      .filter(([, places]) => places.length),
  );

/** Tells of many boards of a layout whether they break none of these rules. */
export function breaksNone(layout: Layout, chosen: Chosen, rules: RulesData): (board: Board) => boolean {
  const checks = checksOf(layout, chosen, rules);
  return (board) => checks.every(([, check]) => !check(board).length);
}
