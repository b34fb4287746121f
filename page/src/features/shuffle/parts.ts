/** Shuffles of one kind of pieces, and swaps of two tiles. */

import type { Chosen, Layout, RulesData } from "../../core/data";
import { drawn, patternOf } from "../../core/entry";
import type { Board, Pattern } from "../../core/notation";
import { checkedPlaces } from "../../core/places";
import { inForce, possible } from "../../core/rules";

export type Part = "markers" | "terrain" | "harbors";
export type Swapping = "tiles" | "markers";

/** The rules for a shuffle. They shuffle harbors if it does. */
export const rulesFor = (part: Part, chosen: Chosen, layout: Layout, rules: RulesData): Chosen =>
  part === "harbors" ? possible({ ...chosen, harbors: "shuffled" }, layout, rules) : chosen;

/** The kinds of pieces that can be shuffled. */
export const partsOf = ({ layout, harbors }: Board, chosen: Chosen, rules: RulesData): Part[] =>
  harbors.length > 1 && rulesFor("harbors", chosen, layout, rules).harbors === "shuffled"
    ? ["markers", "terrain", "harbors"]
    : ["markers", "terrain"];

/** What stays in a shuffle: all pieces of the other kinds, and the locked ones. */
export const staying = (part: Part, board: Board, locked: Pattern): Pattern => ({
  ...patternOf(board),
  [part]: part === "harbors" ? undefined : locked[part],
});

/**
 * The rules that a shuffle tries to keep, by their fields: first all but broken ones that it cannot repair. Otherwise those
 * that the board keeps, so there is at least one such board.
 */
export function attempts(part: Part, board: Board, chosen: Chosen, rules: RulesData): string[][] {
  const places = checkedPlaces(board, chosen, rules);
  const force = inForce(chosen, rules);
  const canRepair = (field: string): boolean => {
    const about = rules.rules.find((rule) => rule.field === field)?.about ?? [part];
    // Numbers are counted per terrain.
    return about.includes(part) || (part === "terrain" && about.includes("markers"));
  };
  const all = force.filter((field) => !places[field]?.length || canRepair(field));
  const kept = force.filter((field) => field === part || places[field]?.length === 0);
  return kept.length < all.length ? [all, kept] : [all];
}

const exchanged = <Piece>(pieces: Piece[], a: number, b: number): Piece[] =>
  pieces.with(a, pieces[b]).with(b, pieces[a]);

/** The board after a swap of two tiles with their numbers, or of two numbers. */
export function swapped(board: Board, a: number, b: number, swapping: Swapping): Board {
  const terrain = swapping === "tiles" ? exchanged(board.terrain, a, b) : board.terrain;
  return drawn(patternOf({ ...board, terrain, markers: exchanged(board.markers, a, b) }), board);
}
