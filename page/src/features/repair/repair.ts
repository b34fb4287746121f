/** The allowed board that differs from a given one on the fewest tiles, as the library's `repair_board` finds it. */

import type { Chosen } from "../../core/data";
import { say } from "../../core/language";
import { type Board, besideEdge, code, facesLand, groundNumbers, tradeCodes } from "../../core/notation";
import { boardOf, LIMIT, task, type World } from "../../solver/dealing";
import { ask, chuffed, type Result, type Task } from "../../solver/solver";
import { changedHarbors, differing } from "./plan";

export interface Changed {
  before: Board;
  board: Board;
  tiles: number[];
}

export interface Repaired extends Changed {
  /** The solvers that exclude fewer changes: both, or one if the other was not done in time. */
  denied: "both" | "one";
}

export type Unrepaired = Exclude<Result, { kind: "solution" }>;

export const changedInWords = ({ before, board, tiles }: Changed): string => {
  const harbors = changedHarbors(before, board).length;
  const parts = [
    ...(tiles.length || !harbors ? [say("repair.changed", { n: tiles.length })] : []),
    ...(harbors ? [say("repair.changed.harbors", { n: harbors })] : []),
  ];
  return parts.join(". ");
};

/** Milliseconds for the second solver to confirm that fewer changes are not enough. */
const AGREEMENT = 2_000;

/** The question to `repair.mzn`, with each part of the given board that may change. */
function question(world: World, before: Board, chosen: Chosen): Task {
  const { layout, terrain, markers, harbors, grounds } = before;
  const onCoast = harbors.filter(({ vertices }) => facesLand(before, vertices));
  const kept = "harbors" in chosen ? [] : onCoast.map(({ vertices }) => besideEdge(layout, vertices));
  const search = task(world, chosen, "", LIMIT);
  return {
    ...search,
    model: "repair.mzn",
    data: {
      ...search.data,
      search: 1,
      tile_order: layout.tiles.map((_, t) => t + 1),
      old_terrain: terrain.map((name) => code(layout, name)),
      old_marker: markers.some((marker) => marker > 0) ? markers : [],
      old_harbor: chosen.harbors === "shuffled" && harbors.length ? tradeCodes(before) : [],
      old_ground: grounds.length ? groundNumbers(before) : [],
      kept_here: kept.map(([t]) => t + 1),
      kept_there: kept.map(([, t]) => (t === undefined ? 0 : t + 1)),
    },
  };
}

/**
 * The repaired board by Chuffed, confirmed by Gecode, or the reason for no board. Chuffed in WebAssembly crashes on some
 * models, and has been wrong about others. Harbors change as little as possible if the rules shuffle them. Others remain
 * while they are between land and sea.
 */
export async function repair(
  world: World,
  before: Board,
  chosen: Chosen,
  found: (tiles: number) => void,
  signal: AbortSignal,
): Promise<Repaired | Unrepaired> {
  const { layout } = before;
  const repaired = ([, ...numbers]: number[], denied: "both" | "one"): Repaired => {
    const board = boardOf(numbers, layout);
    if (!("harbors" in chosen))
      board.harbors = before.harbors.filter(
        ({ vertices }) => facesLand(board, vertices) || !facesLand(before, vertices),
      );
    return { before, board, tiles: differing(before, board), denied };
  };
  const search = question(world, before, chosen);
  const first = await chuffed(search, signal);
  let better = search;
  if (first.kind === "solution") {
    found(repaired(first.numbers, "one").tiles.length);
    better = { ...search, extra: `constraint value < ${first.numbers[0]};\n`, limit: AGREEMENT };
  }
  const second = await ask(better, signal);
  if (second.kind === "solution") return repaired(second.numbers, "one");
  if (first.kind === "solution") return repaired(first.numbers, second.kind === "none" ? "both" : "one");
  return first.kind === "none" ? first : second;
}
