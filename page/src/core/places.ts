/**
 * Where a board breaks rules: the tiles and vertices of each breach, as the library's checkers name them. Most rules are
 * tables; rules on islands and harbors have checkers here, as in the library.
 */

import type { Chosen, Json, Layout, Restriction, Rule, RulesData } from "./data";
import { type Board, type Harbor, printedHarbors } from "./notation";
import { isSet, restrictionsOf, valueIn } from "./rules";
import { breaches, connected, increasing, onTiles, type Place, tilesWhere } from "./tables";

type Check = (board: Board, value: Json) => Place[];

const land = (board: Board): number[] => tilesWhere(board, (t) => board.terrain[t] !== "sea");
const islands = (board: Board): number[][] => connected(land(board), board.layout.adjacency);

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

function harborPlaces(board: Board, value: Json): Place[] {
  const { layout } = board;
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

const CHECKS: Record<string, Check> = {
  islands_min: (board, value) => (islands(board).length < (value as number) ? [onTiles(land(board))] : []),
  islands_max: (board, value) => (islands(board).length > (value as number) ? [onTiles(land(board))] : []),
  island_size_min: (board, value) =>
    islands(board)
      .filter((island) => island.length < (value as number))
      .map(onTiles),
  main_island_complete: (board) => {
    const main = islands(board).reduce((best, each) => (each.length > best.length ? each : best), []);
    const present = new Set(main.map((t) => board.terrain[t]));
    const missing = Object.keys(board.layout.counts).some(
      (name) => RESOURCES.has(name) && !present.has(name),
    );
    return missing ? [onTiles(main)] : [];
  },
  harbors: harborPlaces,
  harbor_own_terrain_apart: ({ layout, terrain, harbors }) =>
    harbors.flatMap(({ vertices, trade }) => {
      const near = vertices.flatMap((v) => layout.vertexTiles[v]);
      const own = increasing(near.filter((t) => terrain[t] === trade));
      return own.length ? [{ tiles: own, vertices: [...vertices] }] : [];
    }),
  harbors_apart: ({ layout, harbors }) =>
    harbors.flatMap((a, i) =>
      harbors
        .slice(i + 1)
        .filter((b) => a.vertices.some((v) => b.vertices.some((w) => layout.vertexNeighbors[v].includes(w))))
        .map((b) => atEnds([a, b])),
    ),
  harbor_on_every_island: (board) => {
    if (!board.harbors.length) return []; // none are laid yet
    const sides = new Set(board.harbors.flatMap((harbor) => sidesOf(board.layout, harbor)));
    return islands(board)
      .filter((island) => !island.some((t) => sides.has(t)))
      .map(onTiles);
  },
};
const RESOURCES = new Set(["brick", "grain", "wool", "ore", "lumber"]);

/** A rule that is set, and the function that returns its breaches. */
export interface Checked {
  rule: Rule;
  /** Empty if the rule has a checker. */
  restrictions: Restriction[];
  breaches: (board: Board) => Place[];
}

/** The rules that are set and that tables or a checker state. */
export function checkedRules(chosen: Chosen, layout: Layout, rules: RulesData): Checked[] {
  return rules.rules.flatMap((rule): Checked[] => {
    if (!rule.about.length || !isSet(rule, chosen)) return [];
    const restrictions = restrictionsOf(rule, chosen, layout, rules);
    if (restrictions) {
      const all = (board: Board) => restrictions.flatMap((restriction) => breaches(restriction, board));
      return [{ rule, restrictions, breaches: all }];
    }
    const check = CHECKS[rule.field];
    const value = valueIn(rule, chosen);
    return check ? [{ rule, restrictions: [], breaches: (board) => check(board, value) }] : [];
  });
}

/** The breaches of each rule of `checkedRules`, by its field. The board has markers, or needs none. */
export const checkedPlaces = (board: Board, chosen: Chosen, rules: RulesData): Record<string, Place[]> =>
  Object.fromEntries(
    checkedRules(chosen, board.layout, rules).map(({ rule, breaches }) => [rule.field, breaches(board)]),
  );
